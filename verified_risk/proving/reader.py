"""Read a certificate (docs/proof_format.md) and decide whether it proves its claim, in integers and rationals only.

:func:`read_certificate` answers one line, as the verified program does: ``proved``, ``refused: ...`` or ``not covered:
...``.  It reads the text alone: nothing of the planner, of the writer or of the program is imported, and nothing in the
text is believed.  The tests are in :mod:`~verified_risk.proving.tables`, :mod:`~verified_risk.proving.between` and
:mod:`~verified_risk.proving.curve_points`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, BinaryIO, NamedTuple, TypeAlias, TypeVar

from .between import Cells, tail_by_all_cells, tail_by_cells
from .curve_points import Bounds, Curve, Mixture, Piece, Point, Turn, goes_up
from .tables import (
    LOWER,
    Action,
    Cover,
    Grid,
    Machine,
    Model,
    Node,
    Polygon,
    Quantile,
    Refused,
    Rule,
    Runs,
    Step,
    Tail,
    Tick,
    factors_of,
    law_of,
    polygon_by_policy,
    quantile_by_law,
    quantile_by_policy,
    quantile_by_threshold,
    tail_by_budgets,
    tail_by_markov,
    tail_by_mean,
    tail_by_policy,
    value_by_law,
)

LONGEST_WORD = 50_000
MOST_ITEMS = 50_000_000
LONGEST_HORIZON = 100_000
DEEPEST = 5_000
MOST_CURVES = 1_000
MOST_DISCOUNT_BITS = 2_000_000
MOST_POWER_BITS = 50_000_000
LARGEST_EXPONENT, LARGEST_SHIFT, LARGEST_HINT, MOST_HINT_BITS = 1_000, 10, 16, 512
ENTRY_BYTES = 250
"""Memory of one return of a law."""

T = TypeVar("T")


def read_certificate(
    file: BinaryIO, tick: Tick = lambda: None, *, widest: int = 50_000, memory: int = 4 * 10**9
) -> str:
    """Return ``proved``, ``refused: ...`` or ``not covered: ...`` for the certificate in ``file``.

    :param file: the text, as bytes
    :param tick: called at least once for each state and step; what it raises ends the work
    :param widest: maximum number of indices of a window
    :param memory: bytes that tables may take
    :returns: one line
    """
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # words are no longer than LONGEST_WORD
    try:
        certificate = Certificate(Words(file, tick), widest, memory)
        certificate.require(tick)
    except Refused as error:
        return str(error)
    except MemoryError:
        return "refused: not enough memory"
    finally:
        sys.set_int_max_str_digits(before)
    return "proved"


# -- words -----------------------------------------------------------------------------------------------------------


class Words:
    """The words of a text, read once from front to back, with the line for messages."""

    def __init__(self, file: BinaryIO, tick: Tick) -> None:
        self.file, self.tick, self.line = file, tick, 1
        self.words = self._split()

    def _split(self) -> Iterator[bytes]:
        rest = b""
        while chunk := self.file.read(1 << 16):
            self.tick()
            *lines, last = (rest + chunk).split(b"\n")
            for line in lines:
                yield from self._whole(line)
                self.line += 1
            *_, rest = last.replace(b"\t", b" ").replace(b"\r", b" ").rpartition(b" ")
            yield from self._whole(last[: len(last) - len(rest)])
            self._whole(rest)
        yield from self._whole(rest)

    def _whole(self, line: bytes) -> list[bytes]:
        found = [word for word in line.replace(b"\t", b" ").replace(b"\r", b" ").split(b" ") if word]
        if max(map(len, found), default=0) > LONGEST_WORD:
            self.refuse(f"a word of more than {LONGEST_WORD} characters")
        return found

    def refuse(self, text: str) -> Any:
        raise Refused(f"refused: line {self.line}: {text}")

    def word(self, what: str) -> bytes:
        found = next(self.words, None)
        return self.refuse(f"the file ends where {what} was expected") if found is None else found  # type: ignore[no-any-return]

    def keyword(self, *wanted: str) -> str:
        said = " or ".join(filter(None, [", ".join(f"'{w}'" for w in wanted[:-1]), f"'{wanted[-1]}'"]))
        found = self.word(said)
        if found.decode("latin-1") not in wanted:
            self.refuse(f"{shown(found)} where {said} was expected")
        return found.decode("latin-1")

    def _number(self, what: str, digits: bytes) -> int:
        if not digits.removeprefix(b"-").isdigit():
            self.refuse(f"{what} is {shown(digits)}, wanted an integer in decimal digits")
        return int(digits)

    def integer(self, what: str) -> int:
        return self._number(what, self.word(what))

    def at_least(self, what: str, least: int) -> int:
        n = self.integer(what)
        if n < least:
            self.refuse(f"{what} is {shown(n)}, wanted {'a positive integer' if least else '0 or more'}")
        return n

    def between(self, what: str, least: int, most: int = MOST_ITEMS) -> int:
        n = self.integer(what)
        if not least <= n <= most:
            self.refuse(f"{what} is {shown(n)}, wanted {least} to {most}")
        return n

    def rational(self, what: str) -> Fraction:
        word = self.word(what)
        num, slash, den = word.partition(b"/")
        p, q = self._number(what, num), self._number(what, den) if slash else 1
        if q <= 0:
            self.refuse(f"{what} is {shown(word)}, wanted a positive denominator")
        return Fraction(p, q)

    def by_state(self, states: int, count: int, read: Callable[[], T]) -> dict[int, T]:
        """Read ``count`` states, each once, and what follows each."""
        found = dict[int, T]()
        for _ in range(count):
            s = self.between("the state", 0, states - 1)
            if s in found:
                self.refuse(f"state {s} twice")
            found[s] = read()
        return found


def shown(word: bytes | int) -> str:
    text = str(word) if isinstance(word, int) else word.decode("latin-1").encode("unicode_escape").decode()
    return f"'{text}'" if len(text) <= 40 else f"'{text[:40]}...'"


def bits(x: Fraction) -> int:
    return x.numerator.bit_length() + x.denominator.bit_length()


# -- certificates ----------------------------------------------------------------------------------------------------

Part: TypeAlias = tuple[Fraction, Curve]


class Lower(NamedTuple):
    """``markov``, ``budget``, ``cells`` or ``law``, and what they consist of."""

    kind: str
    scale: int
    grid: Any = None
    start: int = 0
    choices: Any = ()


@dataclass
class Curves:
    """The curves of a mixture and their bounds; ``room`` above the levels of upper quantiles."""

    parts: list[Part]
    room: Fraction | None
    places: list[Fraction]
    bounds: list[Bounds]

    def raised(self, room: Fraction) -> Mixture:
        """Return the mixture with the lower quantile at a larger level in the place of each upper one."""
        return Mixture(raised(self.parts, room), self.places, self.bounds)


def raised(parts: list[Part], room: Fraction) -> list[Part]:
    return [(w, Curve("jump", c.x + room) if c.kind == "upper" else c) for w, c in parts]


class Certificate:
    """A certificate, read from its words; :meth:`require` tests it."""

    def __init__(self, words: Words, widest: int, memory: int) -> None:
        self.words, self.widest, self.memory = words, widest, memory
        words.keyword("verified-risk-proof")
        words.between("the version of the format", 1, 2)
        words.keyword("objective")
        self.objective = self._objective()
        words.keyword("claim")
        self.lower, self.upper = words.rational("the lower bound"), words.rational("the upper bound")
        self.model = self._model()
        self.curves = self._curves(self.objective) if isinstance(self.objective, list) else None
        words.keyword("lower")
        self.low = self._lower()
        words.keyword("upper")
        self.up = self._upper()
        words.keyword("end")
        if (word := next(words.words, None)) is not None:
            words.refuse(f"{shown(word)} behind the end")

    # -- objective and model

    def _objective(self) -> Tail | Quantile | Polygon | list[Part]:
        words = self.words
        kind = words.word("an objective")
        if kind == b"tail":
            return Tail(words.rational("the weight of the mean"), words.rational("the level"))
        if kind == b"quantile":
            return Quantile(words.rational("the level"), words.keyword("lower", "upper") == "upper")
        if kind == b"polygon":
            return Polygon(self._corners())
        if kind != b"mixture":
            words.refuse(f"not covered: the objective {shown(kind)}")
        return [self._part() for _ in range(words.between("the number of curves", 1, MOST_CURVES))]

    def _corners(self) -> list[tuple[Fraction, Fraction]]:
        words = self.words
        count = words.between("the number of corners", 1)
        return [(words.rational("a corner"), words.rational("a corner's value")) for _ in range(count)]

    def _part(self) -> Part:
        words = self.words
        words.keyword("weight")
        weight, kind = words.rational("the weight of a curve"), words.word("a curve").decode("latin-1")
        if kind == "polygon":
            return weight, Curve(kind, Fraction(), self._corners())
        if kind in ("upper", "jump"):
            return weight, Curve(kind, words.rational("the level"))
        if kind == "wang":
            x = words.rational("the shift")
            if abs(x) > LARGEST_SHIFT or bits(x) > MOST_HINT_BITS:
                words.refuse(f"not covered: a shift larger than {LARGEST_SHIFT}, or of more than {MOST_HINT_BITS} bits")
        elif kind in ("hazard", "dual", "cpw"):
            x = words.rational("an exponent")
            if x <= 0 or max(x.numerator, x.denominator) > LARGEST_EXPONENT:
                words.refuse(f"not covered: an exponent whose numerator or denominator is not 1 to {LARGEST_EXPONENT}")
        else:
            words.refuse(f"not covered: the curve {shown(kind.encode('latin-1'))}")
        return weight, Curve(kind, x)

    def _model(self) -> Model:
        words = self.words
        words.keyword("discount")
        discount = words.rational("the discount")
        words.keyword("reward_denominator")
        denominator = words.at_least("the denominator of rewards", 1)
        words.keyword("state_count")
        self.states = words.between("the number of states", 1)
        words.keyword("horizon")
        self.horizon = words.between("the horizon", 1, LONGEST_HORIZON)
        words.keyword("initial")
        total = words.at_least("the sum of the initial weights", 1)
        initial = [
            (words.between("an initial state", 0, self.states - 1), words.at_least("an initial weight", 0))
            for _ in range(words.between("the number of initial states", 1, self.states))
        ]
        steps: list[Step] = []
        while len(steps) < self.horizon:
            words.keyword("steps")
            times = words.between("the number of steps alike", 1, self.horizon - len(steps))
            words.keyword("states")
            count = words.between("the number of states of the step", 0, self.states)
            steps += [words.by_state(self.states, count, self._actions)] * times
        model = Model(discount.numerator, discount.denominator, denominator, total, initial, steps)
        if self.horizon * bits(discount) > MOST_DISCOUNT_BITS:
            words.refuse(
                f"a discount of {bits(discount)} bits over {self.horizon} steps, more than {MOST_DISCOUNT_BITS} in all"
            )
        self.bits = model.largest_total.bit_length() + denominator.bit_length() + bits(discount)
        return model

    def _actions(self) -> list[Action]:
        words, found = self.words, []
        for _ in range(words.between("the number of actions", 1)):
            total = words.at_least("the sum of the weights", 1)
            outcomes = [
                (
                    words.at_least("a weight", 0),
                    words.integer("a reward"),
                    words.between("the next state", 0, self.states - 1),
                )
                for _ in range(words.between("the number of outcomes", 1))
            ]
            found.append(Action(total, outcomes, factors_of(total, outcomes)))
        return found

    # -- curves

    def _curves(self, parts: list[Part]) -> Curves:
        words, room = self.words, None
        if any(curve.kind == "upper" for _, curve in parts):
            words.keyword("room")
            room = words.rational("the room above a level")
            if room <= 0:
                words.refuse("the room above a level is not positive")
        words.keyword("places")
        places = [words.rational("a place") for _ in range(words.between("the number of places", 1))]
        return Curves(parts, room, places, [self._bounds(curve, len(places)) for _, curve in parts])

    def _short(self, curve: Curve, what: str) -> Fraction:
        """Read a number of a point, short enough for the powers of its curve."""
        x = self.words.rational(what)
        power = max(curve.x.numerator, curve.x.denominator) if curve.kind in ("hazard", "dual", "cpw") else 0
        if bits(x) * power > MOST_DISCOUNT_BITS:
            self.words.refuse(f"{what} has {bits(x)} bits, too many for powers of {power}")
        if curve.kind == "wang" and bits(x) > MOST_HINT_BITS:
            self.words.refuse(f"{what} has more than {MOST_HINT_BITS} bits")
        return x

    def _point(self, curve: Curve) -> Point:
        place, height = self._short(curve, "a point"), self._short(curve, "the height of a point")
        hints = tuple(self._short(curve, "a hint") for _ in range({"wang": 1, "cpw": 3}.get(curve.kind, 0)))
        if curve.kind == "wang" and abs(hints[0]) > LARGEST_HINT:
            self.words.refuse(f"a hint larger than {LARGEST_HINT}")
        return Point(place, height, hints)

    def _bounds(self, curve: Curve, count: int) -> Bounds:
        words, turn = self.words, Turn()
        words.keyword("curve")
        if curve.kind == "cpw":
            words.keyword("falling")
            falling = self._bends(curve)
            words.keyword("rising")
            start, low = self._short(curve, "the begin of the cells"), self._short(curve, "a bound of a cell")
            turn = Turn(falling, start, low, self._bends(curve))
        words.keyword("line")
        pieces = []
        for _ in range(count):
            height = self._short(curve, "a height")
            reason = words.keyword("level", "chord", "line", "linear")
            points = {"level": 1, "linear": 0}.get(reason, 2)
            pieces.append(Piece(height, reason, tuple(self._point(curve) for _ in range(points))))
        words.keyword("stairs")
        return Bounds(turn, pieces, [self._point(curve) for _ in range(words.between("the number of stairs", 0))])

    def _bends(self, curve: Curve) -> list[tuple[Fraction, Fraction, Fraction]]:
        count = self.words.between("the number of cells", 0)
        names = ("the end of a cell", "a bound of a cell", "a bound of a cell")
        return [tuple(self._short(curve, what) for what in names) for _ in range(count)]  # type: ignore[misc]

    # -- proofs

    def _scale(self) -> int:
        return self.words.at_least("the scale", 1)

    def _grid(self, scale: int, *, cells: bool = False) -> Grid | Cells:
        words = self.words
        words.keyword("unit")
        unit = words.rational("the unit")
        if unit <= 0:
            words.refuse(f"the unit is {shown(unit.numerator)}, wanted more than 0")
        words.keyword("base" if cells else "stretch")
        first = words.integer("the base of rewards") if cells else words.at_least("stretch", 1)
        words.keyword("halvings" if cells else "shrink")
        halvings = [words.between("the number of halvings", 0, 62) for _ in range(self.horizon)] if cells else []
        shrink = 1 if cells else words.at_least("shrink", 1)
        words.keyword("windows")
        what = "node" if cells else "index"
        windows = [
            (words.integer(f"the first {what} of a window"), words.integer(f"the last {what} of a window"))
            for _ in range(self.horizon + 1)
        ]
        grid = Cells(unit, first, halvings, windows) if cells else Grid(unit, first, shrink, windows)
        self._require_room(scale, grid)
        return grid

    def _require_room(self, scale: int, grid: Grid | Cells) -> None:
        """Refuse windows too wide, powers too long and tables too large."""
        if isinstance(grid, Cells):
            powers, steps = sum(grid.halvings) + self.horizon * bits(grid.unit), 1
            windows = [(lo << n, hi << n) for (lo, hi), n in zip(grid.windows, [*grid.halvings, 0], strict=True)]
        else:
            powers, steps, windows = (
                2 * (grid.stretch.bit_length() + grid.shrink.bit_length()),
                self.horizon,
                list(grid.windows),
            )
        cells = max(hi - lo + 1 for lo, hi in windows)
        if cells > self.widest:
            self.words.refuse(f"a window of {shown(cells)} indices, more than the {self.widest} that are allowed")
        if powers * steps > MOST_POWER_BITS:
            self.words.refuse(f"powers of {powers} bits over {steps} steps, more than {MOST_POWER_BITS} in all")
        places = max(abs(x).bit_length() for window in windows for x in window)
        length = scale.bit_length() + places + bits(grid.unit) + self._objective_bits() + self.bits
        self._require_memory("tables", 2 * self.states * max(cells, 0) * 8 * (6 + length // 64))

    def _require_memory(self, what: str, size: int) -> None:
        if size > self.memory:
            allowed = self.memory // 10**6
            self.words.refuse(f"{what} of {size // 10**6} MB, more than the {allowed} MB that are allowed")

    def _objective_bits(self) -> int:
        if isinstance(self.objective, Tail):
            return bits(self.objective.w) + bits(self.objective.alpha)
        if isinstance(self.objective, Quantile):
            return bits(self.objective.alpha)
        return max(bits(x) + bits(g) for x, g in self.objective.points) if isinstance(self.objective, Polygon) else 0

    def _choices(self, read: Callable[[], T]) -> list[dict[int, T]]:
        found = []
        for _ in range(self.horizon):
            self.words.keyword("choices")
            count = self.words.between("the number of states of the step", 0, self.states)
            found.append(self.words.by_state(self.states, count, read))
        return found

    def _action(self) -> int:
        return self.words.between("an action", 0)

    def _runs(self, least: int = 1) -> Runs:
        count = self.words.between("the number of runs", least)
        return [(self.words.at_least("the length of a run", 1), self._action()) for _ in range(count)]

    def _lower(self) -> Lower:
        words, kind = self.words, self.words.word("a kind of proof").decode("latin-1")
        if kind not in ("markov", "budget", "cells", "law"):
            words.refuse(f"not covered: a lower bound by {shown(kind.encode('latin-1'))}")
        scale = self._scale()
        if kind in ("markov", "law"):
            self._require_memory("numbers", self.states * 8 * (8 + (scale.bit_length() + self.bits) // 64))
        if kind == "markov":
            return Lower(kind, scale, choices=self._choices(self._action))
        if kind == "law":
            total = words.at_least("the sum of the machines' weights", 1)
            machines = [self._machine() for _ in range(words.between("the number of machines", 1))]
            return Lower(kind, scale, start=total, choices=machines)
        grid = self._grid(scale, cells=kind == "cells")
        words.keyword("start")
        start = words.integer(f"the {'node' if kind == 'cells' else 'index'} at the start")
        return Lower(kind, scale, grid, start, self._choices(self._runs))

    def _machine(self) -> Machine:
        words = self.words
        words.keyword("machine")
        weight, memory = words.at_least("the weight of a machine", 0), words.integer("the first memory")
        rules, tables = [], []
        for _ in range(self.horizon):
            words.keyword("rule")
            factor, coins = (
                words.integer("the factor of a rule"),
                words.at_least("the denominator of a rule's coins", 1),
            )
            moves = dict[int, tuple[int, int]]()
            for _ in range(words.between("the number of moves", 0)):
                gain = words.integer("a reward")
                move = words.integer("the shift of a move"), words.at_least("the coin of a move", 0)
                moves.setdefault(gain, move)
                if move[1] > coins:
                    self.bad_coin = True
            rules.append(Rule(factor, coins, moves))
            words.keyword("choices")
            count = words.between("the number of states of the step", 0, self.states)
            tables.append(words.by_state(self.states, count, self._memory_row))
        return Machine(weight, memory, rules, tables)

    def _memory_row(self) -> tuple[int, int, Runs]:
        return self.words.integer("the first memory of a row"), self._action(), self._runs(0)

    bad_coin = False
    """Whether a coin has a probability above 1."""

    def _upper(self) -> Any:
        words, kind = self.words, self.words.word("a kind of proof").decode("latin-1")
        if kind not in ("mean", "budgets", "cells", "threshold", "cover"):
            words.refuse(f"not covered: an upper bound by {shown(kind.encode('latin-1'))}")
        scale = self._scale()
        if kind == "mean":
            self._require_memory("numbers", self.states * 8 * (8 + (scale.bit_length() + self.bits) // 64))
            return kind, scale, None, 0, []
        grid = self._grid(scale, cells=kind == "cells")
        start, nodes = 0, list[Node]()
        if kind in ("threshold", "cover"):
            words.keyword("start")
            start = words.integer("the index at the start")
        if kind == "cover":
            assert isinstance(grid, Grid)
            nodes = self._nodes(scale, grid)
        return kind, scale, grid, start, nodes

    def _nodes(self, scale: int, grid: Grid) -> list[Node]:
        """Read a tree in its order: a cut and its two subtrees, a level that is passed and what follows, or a leaf."""
        words, found, leaves = self.words, list[Node](), 0
        lo, hi = grid.windows[-1]
        size, waiting = max(hi - lo, 0), [0]
        while waiting:
            depth = waiting.pop()
            if depth > DEEPEST:
                words.refuse(f"cuts more than {DEEPEST} deep")
            kind = words.keyword("cut", "passed", "dual")
            if kind == "dual":
                leaves += 1
                self._require_memory("multipliers", leaves * size * 8 * (6 + scale.bit_length() // 64))
                found.append(Node(kind, costs=self._costs(size)))
                continue
            own = self._scale() if kind == "passed" else 1
            self._require_room(own, grid)
            self._require_memory("boxes", depth * size * 16)
            k, level = words.integer("the coordinate of a cut"), words.rational("the level of a cut")
            found.append(Node(kind, k, level, own))
            waiting += [depth + 1] * (1 if kind == "passed" else 2)
        return found

    def _costs(self, size: int) -> Runs:
        found = []
        while size:
            length = self.words.between("the length of a run of multipliers", 1, size)
            found.append((length, self.words.integer("a multiplier")))
            size -= length
        return found

    # -- the tests, in the order of the verified program

    def require(self, tick: Tick) -> None:
        """Raise :class:`Refused` unless both bounds are proved."""
        self.model.require_good()
        if self.curves is not None:
            self._require_curved(self.curves, tick)
            return
        self._require_objective()
        self._require_lower(tick)
        self._require_upper(tick)

    def _require_objective(self) -> None:
        goal = self.objective
        if isinstance(goal, Tail):
            good = 0 <= goal.w <= 1 and 0 < goal.alpha <= 1
        elif isinstance(goal, Quantile):
            good = 0 <= goal.alpha < 1 if goal.is_upper else 0 < goal.alpha <= 1
        else:
            good = isinstance(goal, Polygon) and goes_up(goal.points[1:])
        if not good:
            raise Refused("refused: the objective is not one: its numbers are out of range")

    def _law(self, tick: Tick) -> dict[int, int]:
        if self.bad_coin:
            raise Refused(f"{LOWER}: a coin has a probability above 1")
        return law_of(self.model, self.low.scale, self.low.start, self.low.choices, tick, self.memory // ENTRY_BYTES)

    def _require_lower(self, tick: Tick) -> None:
        goal, (kind, V, grid, start, choices), model, lower = self.objective, self.low, self.model, self.lower
        if kind == "law":
            if isinstance(goal, Quantile):
                quantile_by_law(model, V, self._law(tick), goal, lower)
            else:
                line = goal if isinstance(goal, Polygon) else weighting_of(goal)  # type: ignore[arg-type]
                value_by_law(model, V, self._law(tick), line.weigh(V), lower)
        elif kind == "markov" and isinstance(goal, Tail) and goal.w == 1:
            tail_by_markov(model, V, choices, lower, tick)
        elif kind == "cells" and isinstance(goal, Tail):
            tail_by_cells(model, V, grid, start, choices, goal, lower, tick)
        elif kind == "budget" and isinstance(goal, Tail):
            tail_by_policy(model, V, grid, start, choices, goal, lower, tick)
        elif kind == "budget" and isinstance(goal, Quantile):
            quantile_by_policy(model, V, grid, start, choices, goal, lower, tick)
        elif kind == "budget" and isinstance(goal, Polygon):
            polygon_by_policy(model, V, grid, start, choices, goal, lower, tick)
        else:
            raise Refused(NOT_COVERED)

    def _require_upper(self, tick: Tick) -> None:
        goal, (kind, V, grid, start, nodes), model, upper = self.objective, self.up, self.model, self.upper
        if kind == "mean" and isinstance(goal, Tail):
            tail_by_mean(model, V, upper, tick)
        elif kind == "budgets" and isinstance(goal, Tail):
            tail_by_budgets(model, V, grid, goal, upper, tick)
        elif kind == "cells" and isinstance(goal, Tail):
            tail_by_all_cells(model, V, grid, goal, upper, tick)
        elif kind == "threshold" and isinstance(goal, Quantile):
            quantile_by_threshold(model, V, grid, start, goal, upper, tick)
        elif kind == "cover" and isinstance(goal, Polygon):
            Cover(model, V, grid, start, lambda p: goal, tick).require(nodes, upper)
        else:
            raise Refused(NOT_COVERED)

    def _require_curved(self, curves: Curves, tick: Tick) -> None:
        room = curves.room or Fraction()
        if any(curve.kind == "upper" and curve.x < 0 for _, curve in curves.parts):
            raise Refused("refused: the objective is not one: its numbers are out of range")
        law = self._require_mixture(curves.raised(room), None, tick)
        if curves.room is None:
            return
        # The lower quantile at L + room is the upper one at L if the CDF, without loss, has no value between.
        V, sums, acc = self.low.scale, [0], 0
        for y in sorted(law):
            acc += law[y]
            sums.append(acc)
        levels = [curve.x for _, curve in curves.parts if curve.kind == "upper"]
        if acc != V or any(level * V < x < (level + room) * V for level in levels for x in sums):
            self._require_mixture(curves.raised(Fraction()), law, tick)

    def _require_mixture(self, mixture: Mixture, law: dict[int, int] | None, tick: Tick) -> dict[int, int]:
        """Test the bounds of the curves and both proofs; return the law of the policy."""
        mixture.require_good()
        mixture.require_bounded(tick)
        kind, V, grid, start, nodes = self.up
        if self.low.kind != "law":
            raise Refused(NOT_COVERED)
        law = self._law(tick) if law is None else law
        value_by_law(self.model, self.low.scale, law, mixture.weigh(self.low.scale), self.lower)
        if kind != "cover":
            raise Refused(NOT_COVERED)
        Cover(self.model, V, grid, start, mixture.line_for, tick).require(nodes, self.upper)
        return law


NOT_COVERED = "not covered: this objective with this kind of proof"


def weighting_of(tail: Tail) -> Polygon:
    """Return the weighting of w Mean + (1 - w) CVaR."""
    one = (Fraction(1), Fraction(1))
    return Polygon([one] if tail.alpha == 1 else [(tail.alpha, tail.w * tail.alpha + 1 - tail.w), one])
