"""The four-path frozen lake of the paper's experiment."""

from __future__ import annotations

from fractions import Fraction

from ..mdp import MDP
from ..numbers.rational import Rational, as_probability, text
from .gridworld import gridworld

MAP = """
####.1##
2##..###
..#.####
O~.S.~O#
###.#~~O
#O~~#O6#
#4.O####
"""

PATHS = {6: 3, 4: 2, 2: 1, 1: 0}
"""The reward at the end of each path, and how many blocks of ice it crosses."""

LENGTH = 5
"""Every path is five moves long."""


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
        *(
            f"  path {reward}: {blocks} ice, pays {reward} {_how_surely((1 - chance) ** blocks)}"
            for reward, blocks in PATHS.items()
        ),
    ]
    return gridworld(
        MAP,
        rewards={str(reward): reward for reward in PATHS},
        horizon=horizon,
        slip=chance,
        legend="\n".join(legend),
    )


def _how_surely(p: Fraction) -> str:
    return "for sure" if p == 1 else f"with probability {text(p)}, 0 otherwise"
