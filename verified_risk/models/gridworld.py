"""Gridworlds drawn as text: walls, floor, ice, holes and goals.

=====  ================================================================================================================
``S``  start (several: one of them, equally likely)
``.``  floor
``~``  ice: a move onto it slides, with probability ``slip``, one cell further in the same direction
``O``  hole: an absorbing cell without further rewards
``#``  wall, and so is the outside: a move against it stays where it is, a slide against it stops on the ice
other  goal: the move that ends on it pays its reward, and the episode earns nothing more
=====  ================================================================================================================

Cells that are not walls are states, in reading order.  Moves are actions 0 up, 1 right, 2 down, 3 left in every cell;
holes and goals have the single action of staying.

One is the four-path frozen lake of the paper's experiment.
"""

from collections.abc import Mapping
from fractions import Fraction
from textwrap import dedent
from typing import TypeAlias

from ..errors import InvalidModel, Unsupported
from ..mdp import MDP
from ..numbers.rational import Rational, as_fraction, as_probability, text

Cell: TypeAlias = tuple[int, int]
"""``(row, column)``, from the upper left."""

MOVES = ("up", "right", "down", "left")  # the name of each action
STEPS: tuple[Cell, ...] = ((-1, 0), (0, 1), (1, 0), (0, -1))

START, FLOOR, ICE, HOLE, WALL = "S", ".", "~", "O", "#"
MEANING = {START: "start", FLOOR: "floor", ICE: "ice", HOLE: "hole", WALL: "wall"}


def gridworld(
    text_map: str,
    *,
    rewards: Mapping[str, Rational],
    horizon: int,
    slip: Rational = "1/10",
    move_reward: Rational = 0,
    discount: Rational = 1,
    legend: str | None = None,
) -> MDP:
    """The gridworld of a map; ``rewards`` gives what each goal letter pays, ``move_reward`` is added to every move.

    Two moves to the right; the first lands on ice with a hole behind it:

    >>> mdp = gridworld("S~O" "\\n" "#G#", rewards={"G": 1}, horizon=2, slip="1/4")
    >>> print(mdp.drawing)
    S~O
    #G#
    S start, ~ ice (slides on with probability 1/4), O hole, # wall, G pays 1
    >>> mdp.actions(0)[1].outcomes      # state 0 is S, 1 the ice, 2 the hole
    ((Fraction(3, 4), 1, Fraction(0, 1)), (Fraction(1, 4), 2, Fraction(0, 1)))
    """
    lines = _lines(text_map)
    goals = {letter: _goal(letter, reward) for letter, reward in rewards.items()}
    chance = as_probability(slip, "slip")
    toll = as_fraction(move_reward, "move_reward")
    cells = _cells(lines, goals)
    index = {cell: s for s, cell in enumerate(cells)}

    def neighbour(cell: Cell, step: Cell) -> Cell:
        beyond = (cell[0] + step[0], cell[1] + step[1])
        return beyond if beyond in index else cell

    def move(cell: Cell, step: Cell) -> list[tuple[Fraction, int, Fraction]]:
        reached = neighbour(cell, step)
        if cells[reached] == ICE:  # a move against a wall from ice slides into it, and stays
            landings = [(1 - chance, reached), (chance, neighbour(reached, step))]
        else:
            landings = [(Fraction(1), reached)]
        return [(p, index[landing], toll + goals.get(cells[landing], 0)) for p, landing in landings]

    outcomes = [
        [[(Fraction(1), s, Fraction(0))]] if letter == HOLE or letter in goals else [move(cell, step) for step in STEPS]
        for s, (cell, letter) in enumerate(cells.items())
    ]
    starts = [index[cell] for cell, letter in cells.items() if letter == START]
    if not starts:
        raise InvalidModel(f"the map has no start, wanted at least one {START!r}")
    return MDP.from_outcomes(
        outcomes,
        initial={s: Fraction(1, len(starts)) for s in starts},
        horizon=horizon,
        discount=discount,
        drawing="\n".join([*lines, legend or _legend(lines, goals, chance)]),
    )


def _lines(text_map: str) -> list[str]:
    lines = dedent(text_map).strip("\n").splitlines()
    if not lines or not lines[0]:
        raise InvalidModel("the map is empty, wanted at least one line")
    for row, line in enumerate(lines):
        if len(line) != len(lines[0]):
            raise InvalidModel(
                f"line {row} of the map has {len(line)} cells, wanted {len(lines[0])} as in line 0: {line!r}"
            )
    return lines


def _goal(letter: str, reward: Rational) -> Fraction:
    if len(letter) != 1 or letter in MEANING or letter.isspace():
        raise InvalidModel(f"goal {letter!r} is not a free letter, wanted one character other than {' '.join(MEANING)}")
    return as_fraction(reward, f"rewards[{letter!r}]")


def _cells(lines: list[str], goals: Mapping[str, Fraction]) -> dict[Cell, str]:
    """Return every cell that is not a wall, in reading order."""
    cells: dict[Cell, str] = {}
    for row, line in enumerate(lines):
        for column, letter in enumerate(line):
            if letter not in MEANING and letter not in goals:
                raise InvalidModel(
                    f"row {row}, column {column} of the map is {letter!r}, wanted one of "
                    f"{' '.join([*MEANING, *goals])} (every goal needs its reward)"
                )
            if letter != WALL:
                cells[row, column] = letter
    return cells


def _legend(lines: list[str], goals: Mapping[str, Fraction], chance: Fraction) -> str:
    drawn = set("".join(lines))
    plain = [
        f"{letter} {meaning}" + (f" (slides on with probability {text(chance)})" if letter == ICE else "")
        for letter, meaning in MEANING.items()
        if letter in drawn
    ]
    paying = [f"{letter} pays {text(reward)}" for letter, reward in goals.items() if letter in drawn]
    return ", ".join(plain + paying)


def map_lines(mdp: MDP) -> list[str]:
    """Return the map at the head of ``mdp.drawing``: every cell that is not a wall is a state, in reading order."""
    lines: list[str] = []
    for line in (mdp.drawing or "").splitlines():
        if (lines and len(line) != len(lines[0])) or any(map(str.isspace, line)):  # words, not cells
            break
        lines.append(line)
        if sum(letter != WALL for row in lines for letter in row) == mdp.n_states:
            return lines
    raise Unsupported(f"{mdp!r} has no map: its drawing does not show one cell for each state")


MAP = """
####.1##
2##..###
..#.####
O~.S.~O#
###.#~~O
#O~~#O6#
#4.O####
"""

PATHS = {6: 3, 4: 2, 2: 1, 1: 0}  # the reward at the end of each path, and how many blocks of ice it crosses

LENGTH = 5  # every path is five moves long


def frozen_lake(slip: Rational = "1/10", *, horizon: int = LENGTH) -> MDP:
    """Four paths of equal length that pay more the more ice they cross.

    Every path turns on every block of ice, and behind the block, in the direction of the move, is a hole: crossing it
    succeeds with probability ``1 - slip``.  With the default slip the paths pay 6, 4, 2, 1 with probability
    729/1000, 81/100, 9/10, 1, and 0 otherwise; the horizon leaves no move to spare.

    >>> from verified_risk import CVaR, Mean, exact_plan
    >>> lake = frozen_lake()
    >>> exact_plan(lake, Mean()).law                 # right, right, down, right, down
    Law({0: 271/1000, 6: 729/1000})
    >>> exact_plan(lake, CVaR("2/5")).value          # the path of return 4: (2/5 - 19/100) * 4 / (2/5)
    Fraction(21, 10)
    """
    chance = as_probability(slip, "slip")
    legend = [
        "",
        "S start   . floor   ~ ice   O hole   # wall   6 4 2 1 ends of the paths, paying that much",
        f"Moves: up, right, down, left.  A move onto ice slides one cell further with probability {text(chance)}.",
    ]
    for reward, blocks in PATHS.items():
        p = (1 - chance) ** blocks
        surely = "for sure" if p == 1 else f"with probability {text(p)}, 0 otherwise"
        legend.append(f"  path {reward}: {blocks} ice, pays {reward} {surely}")
    return gridworld(
        MAP, rewards={str(reward): reward for reward in PATHS}, horizon=horizon, slip=chance, legend="\n".join(legend)
    )
