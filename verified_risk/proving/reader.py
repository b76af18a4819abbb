"""Read a certificate (docs/proof_format.md) and decide whether it proves its claim, in integers and rationals only.

:func:`read_certificate` answers one line, as the verified program does: ``proved``, ``refused: ...`` or ``not covered:
...``.  It reads the text alone: nothing of the planner, of the writer or of the program is imported, and nothing in the
text is believed.  The mathematics is in :mod:`~verified_risk.proving.integer_tables` (mean, CVaR, VaR, on
grid points and between them) and :mod:`~verified_risk.proving.weightings` (laws, covers and points of curves).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import accumulate
from typing import Any, BinaryIO, NamedTuple, NoReturn, TypeVar

from .integer_tables import (
    Action,
    Cells,
    Grid,
    Model,
    Quantile,
    Refused,
    Runs,
    Setting,
    Step,
    Tail,
    Tick,
    factors_of,
    quantile_by_policy,
    quantile_by_threshold,
    require,
    tail_by_all_cells,
    tail_by_budgets,
    tail_by_cells,
    tail_by_markov,
    tail_by_mean,
    tail_by_policy,
)  # fmt: skip
from .weightings import (
    Bounds,
    Curve,
    Machine,
    Mixture,
    Node,
    Piece,
    Point,
    Polygon,
    Rule,
    Turn,
    law_of,
    polygon_by_cell_cover,
    polygon_by_cover,
    polygon_by_lines,
    polygon_by_policy,
    polygon_by_returns,
    quantile_by_law,
    value_by_law,
    weighting_of,
)  # fmt: skip

LONGEST_WORD, MOST_ITEMS, LONGEST_HORIZON, DEEPEST, MOST_CURVES = 50_000, 50_000_000, 100_000, 5_000, 1_000
MOST_RATE_BITS, MOST_POWER_BITS = 2_000_000, 50_000_000
LARGEST_EXPONENT, LARGEST_SHIFT, LARGEST_HINT, MOST_HINT_BITS = 1_000, 10, 16, 512
ENTRY_BYTES = 800
"""Memory of one return of a law."""
NOT_COVERED = "not covered: this objective with this kind of proof"
NO_OBJECTIVE = "refused: the objective is not one: its numbers are out of range"

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
        Certificate(file, tick, widest, memory).require()
    except Refused as error:
        return str(error)
    except MemoryError:
        return "refused: not enough memory"
    finally:
        sys.set_int_max_str_digits(before)
    return "proved"


# -- words -----------------------------------------------------------------------------------------------------------


def shown(word: bytes | int) -> str:
    text = str(word) if isinstance(word, int) else word.decode("latin-1").encode("unicode_escape").decode()
    return f"'{text}'" if len(text) <= 40 else f"'{text[:40]}...'"


def bits(x: Fraction) -> int:
    return x.numerator.bit_length() + x.denominator.bit_length()


class Words:
    """The words of a text, read once from front to back, with the line for messages."""

    def __init__(self, file: BinaryIO, tick: Tick) -> None:
        self.file, self.tick, self.line = file, tick, 1
        self.words = self._split()

    def _split(self) -> Iterator[bytes]:
        rest = b""
        while chunk := self.file.read(1 << 16):
            self.tick()
            *lines, last = (rest + chunk.replace(b"\t", b" ").replace(b"\r", b" ")).split(b"\n")
            for line in lines:
                yield from self._whole(line)
                self.line += 1
            before, _, rest = last.rpartition(b" ")
            yield from self._whole(before)
            self._whole(rest)
        yield from self._whole(rest)

    def _whole(self, line: bytes) -> list[bytes]:
        found = [word for word in line.split(b" ") if word]
        if max(map(len, found), default=0) > LONGEST_WORD:
            self.refuse(f"a word of more than {LONGEST_WORD} characters")
        return found

    def refuse(self, text: str) -> NoReturn:
        raise Refused(f"refused: line {self.line}: {text}")

    def word(self, what: str) -> bytes:
        found = next(self.words, None)
        return self.refuse(f"the file ends where {what} was expected") if found is None else found

    def keyword(self, *wanted: str, what: str = "") -> str:
        """Read one of several words."""
        said = " or ".join(filter(None, [", ".join(f"'{w}'" for w in wanted[:-1]), f"'{wanted[-1]}'"]))
        found = self.word(what or said)
        if found.decode("latin-1") not in wanted:
            self.refuse(f"{shown(found)} where {said} was expected")
        return found.decode("latin-1")

    def kind(self, what: str, known: tuple[str, ...], why: str) -> str:
        """Read a word that decides what follows; another one is not covered."""
        found = self.word(what)
        if found.decode("latin-1") not in known:
            self.refuse(f"not covered: {why} {shown(found)}")
        return found.decode("latin-1")

    def _number(self, what: str, digits: bytes) -> int:
        if not digits.removeprefix(b"-").isdigit():
            self.refuse(f"{what} is {shown(digits)}, wanted an integer in decimal digits")
        return int(digits)

    def integer(self, what: str) -> int:
        return self._number(what, self.word(what))

    def at_least(self, least: int, what: str) -> int:
        n = self.integer(what)
        if n < least:
            self.refuse(f"{what} is {shown(n)}, wanted {'a positive integer' if least else '0 or more'}")
        return n

    def between(self, what: str, least: int, most: int = MOST_ITEMS) -> int:
        n = self.integer(what)
        if not least <= n <= most:
            self.refuse(f"{what} is {shown(n)}, wanted {least} to {most}")
        return n

    def rational(self, what: str, exponent: bool = False) -> Fraction:
        word = self.word(what)
        num, slash, den = word.partition(b"/")
        p, q = self._number(what, num), self._number(what, den) if slash else 1
        if q <= 0:
            self.refuse(f"{what} is {shown(word)}, wanted a positive denominator")
        if exponent and not 0 < p <= LARGEST_EXPONENT >= q:
            self.refuse(f"not covered: an exponent whose numerator or denominator is not 1 to {LARGEST_EXPONENT}")
        return Fraction(p, q)

    def named(self, name: str, read: Callable[..., T], *arguments: Any) -> T:
        """Read the word ``name`` and what follows it."""
        self.keyword(name)
        return read(*arguments)

    def by_state(self, states: int, read: Callable[[], T], *, initial: bool = False) -> dict[int, T]:
        """Read a number of states, each once, and what follows each."""
        number, one = ("initial states", "an initial state") if initial else ("states of the step", "the state")
        found = dict[int, T]()
        for _ in range(self.between(f"the number of {number}", int(initial), states)):
            s = self.between(one, 0, states - 1)
            if s in found:
                self.refuse(f"state {s} twice")
            found[s] = read()
        return found


# -- certificates ----------------------------------------------------------------------------------------------------


class Bound(NamedTuple):
    """The proof of a bound: its kind, its scale, and what it consists of; ``rest`` are choices, machines or nodes,
    ``listed`` runs of multipliers or returns."""

    kind: str
    scale: int
    grid: Any = None
    start: int = 0
    rest: Any = ()
    listed: Any = ()


class Certificate(Words):
    """A certificate, read from its words; :meth:`require` tests it."""

    def __init__(self, file: BinaryIO, tick: Tick, widest: int, memory: int) -> None:
        super().__init__(file, tick)
        self.widest, self.memory = widest, memory
        self.named("verified-risk-proof", self.between, "the version of the format", 1, 4)
        self.objective = self.named("objective", self._objective)
        self.lower, self.upper = self.named("claim", self.rational, "the lower bound"), self.rational("the upper bound")
        self.model = self._model()
        if isinstance(self.objective, list):
            self._curves(self.objective)
        self.low = self.named("lower", self._lower)
        self.up = self.named("upper", self._upper)
        self.keyword("end")
        if (word := next(self.words, None)) is not None:
            self.refuse(f"{shown(word)} behind the end")

    # -- objective and model

    def _objective(self) -> Tail | Quantile | Polygon | list[tuple[Fraction, Curve]]:
        kind = self.kind("an objective", ("tail", "quantile", "polygon", "mixture"), "the objective")
        if kind == "tail":
            return Tail(self.rational("the weight of the mean"), self.rational("the level"))
        if kind == "quantile":
            return Quantile(self.rational("the level"), self.keyword("lower", "upper") == "upper")
        if kind == "polygon":
            return Polygon(self._corners())
        return [self.named("weight", self._part) for _ in range(self.between("the number of curves", 1, MOST_CURVES))]

    def _corners(self) -> tuple[tuple[Fraction, Fraction], ...]:
        count = self.between("the number of corners", 1)
        return tuple((self.rational("a corner"), self.rational("a corner's value")) for _ in range(count))

    def _part(self) -> tuple[Fraction, Curve]:
        weight = self.rational("the weight of a curve")
        kind = self.kind("a curve", ("hazard", "dual", "cpw", "wang", "polygon", "jump", "upper"), "the curve")
        if kind == "polygon":
            return weight, Curve(kind, Fraction(), self._corners())
        what = {"jump": "the level", "upper": "the level", "wang": "the shift"}.get(kind, "an exponent")
        x = self.rational(what, exponent=what == "an exponent")
        if kind == "wang" and (abs(x) > LARGEST_SHIFT or bits(x) > MOST_HINT_BITS):
            self.refuse(f"not covered: a shift larger than {LARGEST_SHIFT}, or of more than {MOST_HINT_BITS} bits")
        return weight, Curve(kind, x)

    def _model(self) -> Model:
        discount = self.named("discount", self.rational, "the discount")
        denominator = self.named("reward_denominator", self.at_least, 1, "the denominator of rewards")
        self.states = self.named("state_count", self.between, "the number of states", 1)
        self.horizon = self.named("horizon", self.between, "the horizon", 1, LONGEST_HORIZON)
        total = self.named("initial", self.at_least, 1, "the sum of the initial weights")
        initial = self.by_state(self.states, lambda: self.at_least(0, "an initial weight"), initial=True)
        steps: list[Step] = []
        while len(steps) < self.horizon:
            times = self.named("steps", self.between, "the number of steps alike", 1, self.horizon - len(steps))
            steps += [self.named("states", self.by_state, self.states, self._actions)] * times
        if self.horizon * bits(discount) > MOST_RATE_BITS:
            many = f"a discount of {bits(discount)} bits over {self.horizon} steps"
            self.refuse(f"{many}, more than {MOST_RATE_BITS} in all")
        model = Model(discount.numerator, discount.denominator, denominator, total, list(initial.items()), steps)
        self.bits = model.largest_total.bit_length() + denominator.bit_length() + bits(discount)
        return model

    def _actions(self) -> list[Action]:
        found = []
        for _ in range(self.between("the number of actions", 1)):
            total = self.at_least(1, "the sum of the weights")
            count = self.between("the number of outcomes", 1)
            outcomes = [(self.at_least(0, "a weight"), self.integer("a reward"), self._state()) for _ in range(count)]
            found.append(Action(total, outcomes, factors_of(total, outcomes)))
        return found

    def _state(self) -> int:
        return self.between("the next state", 0, self.states - 1)

    # -- curves

    def _curves(self, parts: list[tuple[Fraction, Curve]]) -> None:
        self.room = None
        if any(curve.kind == "upper" for _, curve in parts):
            self.room = self.named("room", self.rational, "the room above a level")
            if self.room <= 0:
                self.refuse("the room above a level is not positive")
        count = self.named("places", self.between, "the number of places", 1)
        self.places = [self.rational("a place") for _ in range(count)]
        self.bounds = [self.named("curve", self._bounds, curve) for _, curve in parts]

    def _short(self, curve: Curve, what: str) -> Fraction:
        """Read a number of a point, short enough for the powers of its curve."""
        x = self.rational(what)
        power = max(curve.x.numerator, curve.x.denominator) if curve.kind in ("hazard", "dual", "cpw") else 0
        if bits(x) * power > MOST_RATE_BITS:
            self.refuse(f"{what} has {bits(x)} bits, too many for powers of {power}")
        if curve.kind == "wang" and bits(x) > MOST_HINT_BITS:
            self.refuse(f"{what} has more than {MOST_HINT_BITS} bits")
        return x

    def _point(self, curve: Curve) -> Point:
        place, height = self._short(curve, "a point"), self._short(curve, "the height of a point")
        hints = tuple(self._short(curve, "a hint") for _ in range({"wang": 1, "cpw": 3}.get(curve.kind, 0)))
        if curve.kind == "wang" and abs(hints[0]) > LARGEST_HINT:
            self.refuse(f"a hint larger than {LARGEST_HINT}")
        return Point(place, height, hints)

    def _bounds(self, curve: Curve) -> Bounds:
        turn = Turn()
        if curve.kind == "cpw":
            falling = self.named("falling", self._bends, curve)
            start = self.named("rising", self._short, curve, "the begin of the cells")
            turn = Turn(falling, start, self._short(curve, "a bound of a cell"), self._bends(curve))
        self.keyword("line")
        pieces = []
        for _ in self.places:
            height = self._short(curve, "a height")
            reason = self.keyword("level", "chord", "line", "linear", what="why a piece is below the curve")
            points = {"level": 1, "linear": 0}.get(reason, 2)
            pieces.append(Piece(height, reason, tuple(self._point(curve) for _ in range(points))))
        stairs = self.named("stairs", self.between, "the number of stairs", 0)
        return Bounds(turn, pieces, [self._point(curve) for _ in range(stairs)])

    def _bends(self, curve: Curve) -> Any:
        names = ("the end of a cell", "a bound of a cell", "a bound of a cell")
        return [[self._short(curve, what) for what in names] for _ in range(self.between("the number of cells", 0))]

    # -- proofs

    def _scale(self) -> int:
        return self.at_least(1, "the scale")

    def _grid(self, scale: int) -> Grid:
        unit = self._unit()
        stretch = self.named("stretch", self.at_least, 1, "stretch")
        shrink = self.named("shrink", self.at_least, 1, "shrink")
        grid = Grid(unit, stretch, shrink, self.named("windows", self._windows, "index"))
        self._require_room(scale, grid)
        return grid

    def _cells(self, scale: int) -> Cells:
        unit, base = self._unit(), self.named("base", self.integer, "the base of rewards")
        self.keyword("halvings")
        halvings = [self.between("the number of halvings", 0, 62) for _ in range(self.horizon)]
        cells = Cells(unit, base, halvings, self.named("windows", self._windows, "node"))
        self._require_room(scale, cells)
        return cells

    def _unit(self) -> Fraction:
        unit = self.named("unit", self.rational, "the unit")
        return unit if unit > 0 else self.refuse(f"the unit is {shown(unit.numerator)}, wanted more than 0")

    def _windows(self, what: str) -> list[tuple[int, int]]:
        names = f"the first {what} of a window", f"the last {what} of a window"
        return [(self.integer(names[0]), self.integer(names[1])) for _ in range(self.horizon + 1)]

    def _require_room(self, scale: int, grid: Grid | Cells, rows: int = 1) -> None:
        """Refuse windows too wide, powers too long and tables too large, of so many numbers for each index."""
        windows, steps = list(grid.windows), self.horizon
        if isinstance(grid, Cells):
            powers, steps = sum(grid.halvings) + self.horizon * bits(grid.unit), 1
            windows = [(lo << n, hi << n) for (lo, hi), n in zip(windows, [*grid.halvings, 0], strict=True)]
        else:
            powers = 2 * (grid.stretch.bit_length() + grid.shrink.bit_length())
        cells = max(hi - lo + 1 for lo, hi in windows)
        if cells > self.widest:
            self.refuse(f"a window of {shown(cells)} indices, more than the {self.widest} that are allowed")
        if powers * steps > MOST_POWER_BITS:
            self.refuse(f"powers of {powers} bits over {steps} steps, more than {MOST_POWER_BITS} in all")
        numbers: list[Fraction] = [Fraction(scale), grid.unit, *(Fraction(x) for window in windows for x in window)]
        if isinstance(self.objective, Polygon):
            numbers += [x for point in self.objective.points for x in point]
        length = 2 * max(map(bits, numbers)) + self.bits
        self._require_memory("tables", 2 * self.states * max(cells, 0) * rows * 8 * (6 + length // 64))

    def _require_memory(self, what: str, size: int) -> None:
        if size > self.memory:
            allowed = f"more than the {self.memory // 10**6} MB that are allowed"
            self.refuse(f"{what} of {size // 10**6} MB, {allowed}")

    def _choices(self, read: Callable[[], T]) -> list[dict[int, T]]:
        return [self.named("choices", self.by_state, self.states, read) for _ in range(self.horizon)]

    def _action(self) -> int:
        return self.between("an action", 0)

    def _runs(self, least: int = 1) -> Runs:
        count = self.between("the number of runs", least)
        return [(self.at_least(1, "the length of a run"), self._action()) for _ in range(count)]

    def _lower(self) -> Bound:
        known = ("markov", "budget", "cells", "lines", "law")
        kind, scale = self.kind("a kind of proof", known, "a lower bound by"), self._scale()
        self._require_memory("tables", self.states * 8 * (8 + (scale.bit_length() + self.bits) // 64))
        if kind == "markov":
            return Bound(kind, scale, rest=self._choices(self._action))
        if kind == "law":
            total = self.at_least(1, "the sum of the machines' weights")
            count = self.between("the number of machines", 1)
            return Bound(kind, scale, None, total, [self.named("machine", self._machine) for _ in range(count)])
        grid = self._grid(scale) if kind == "budget" else self._cells(scale)
        start = self.named("start", self.integer, f"the {'index' if kind == 'budget' else 'node'} at the start")
        costs: Runs = ()
        if kind == "lines":
            costs = self.named("multipliers", self._costs, self._size(grid))
            self.keyword("policy")
        return Bound(kind, scale, grid, start, self._choices(self._runs), costs)

    def _machine(self) -> Machine:
        weight, memory = self.at_least(0, "the weight of a machine"), self.integer("the first memory")
        rules, tables = [], []
        for _ in range(self.horizon):
            factor = self.named("rule", self.integer, "the factor of a rule")
            coins, moves = self.at_least(1, "the denominator of a rule's coins"), dict[int, tuple[int, int]]()
            for _ in range(self.between("the number of moves", 0)):
                gain, shift = self.integer("a reward"), self.integer("the shift of a move")
                moves.setdefault(gain, (shift, self.at_least(0, "the coin of a move")))
            rules.append(Rule(factor, coins, moves))
            tables.append(self.named("choices", self.by_state, self.states, self._memory_row))
        return Machine(weight, memory, rules, tables)

    def _memory_row(self) -> tuple[int, int, Runs]:
        return self.integer("the first memory of a row"), self._action(), self._runs(0)

    def _upper(self) -> Bound:
        known = ("mean", "budgets", "cells", "threshold", "cover", "cell_cover", "return_cover", "contraction")
        kind, scale = self.kind("a kind of proof", known, "an upper bound by"), self._scale()
        if kind == "mean":
            return Bound(kind, scale)
        if kind == "return_cover":
            returns = [self.integer("a return") for _ in range(self.between("the number of returns", 1))]
            self._require_sums(scale, len(returns))
            nodes = self._nodes(scale, len(returns) - 1, lambda own, _: self._require_sums(own, len(returns)))
            return Bound(kind, scale, None, 0, nodes, returns)
        grid = self._cells(scale) if kind in ("cells", "cell_cover") else self._grid(scale)
        if kind in ("cells", "budgets"):
            return Bound(kind, scale, grid)
        start = self.named("start", self.integer, "the index at the start")
        if kind == "threshold":
            return Bound(kind, scale, grid, start)
        nodes = self._nodes(
            scale, self._size(grid), lambda own, rows: self._require_room(own, grid, rows), kind == "contraction"
        )
        return Bound(kind, scale, grid, start, nodes)

    def _require_sums(self, scale: int, count: int) -> None:
        """Refuse sums of rewards that are too long, or too many: no state has more of them than there are returns."""
        rate = bits(Fraction(self.model.p, self.model.q))
        length = scale.bit_length() + self.horizon * rate + self.bits
        self._require_memory("tables", 2 * self.states * self.horizon * count * 8 * (6 + length // 64))

    @staticmethod
    def _size(grid: Grid | Cells) -> int:
        lo, hi = grid.windows[-1]
        return max(hi - lo, 0)

    def _nodes(
        self, scale: int, size: int, require_room: Callable[[int, int], None], contracts: bool = False
    ) -> list[Node]:
        """Read a tree in its order: a cut and its two subtrees, a level that is passed or a contraction and what
        follows, or a leaf.  Where there are contractions, levels come first."""
        found, leaves, waiting = list[Node](), 0, [(0, True)]
        while waiting:
            depth, levels = waiting.pop()
            if depth > DEEPEST:
                self.refuse(f"cuts more than {DEEPEST} deep")
            words = ["passed"] * levels + ["cut", "contract", "dual"] if contracts else ["cut", "passed", "dual"]
            kind, own = self.keyword(*words), 1
            if kind == "dual":
                leaves += 1
                self._require_memory("multipliers", leaves * size * 8 * (6 + scale.bit_length() // 64))
                found.append(Node(kind, costs=self._costs(size)))
                continue
            if kind in ("passed", "contract"):
                own = self._scale()
                require_room(own, 3 * size if kind == "contract" else 1)
            if kind == "contract":
                found.append(Node(kind, scale=own, costs=self._costs(size)))
                waiting.append((depth + 1, False))
                continue
            self._require_memory("boxes", depth * size * 8)
            k, level = self.integer("the coordinate of a cut"), self.rational("the level of a cut")
            found.append(Node(kind, k, level, own))
            waiting += [(depth + 1, levels and kind == "passed")] * (1 if kind == "passed" else 2)
        return found

    def _costs(self, size: int) -> Runs:
        found = []
        while size:
            length = self.between("the length of a run of multipliers", 1, size)
            found.append((length, self.integer("a multiplier")))
            size -= length
        return found

    # -- the tests, in the order of the verified program

    def require(self) -> None:
        """Raise :class:`Refused` unless both bounds are proved."""
        self.model.require_good()
        if isinstance(self.objective, list):
            self._require_curved(self.objective)
        else:
            require(self.objective.is_good, NO_OBJECTIVE)
            self._require_lower(self.objective)
            self._require_upper(self.objective)

    def _setting(self, bound: Bound) -> Setting:
        return Setting(self.model, bound.scale, bound.grid, self.tick)

    def _law(self) -> dict[int, int]:
        return law_of(self._setting(self.low), self.low.start, self.low.rest, self.memory // ENTRY_BYTES)

    def _require_lower(self, goal: Tail | Quantile | Polygon) -> None:
        c, (kind, _, _, start, choices, costs), lower = self._setting(self.low), self.low, self.lower
        by_table: dict[tuple[str, type], Any] = {
            ("budget", Tail): tail_by_policy, ("budget", Quantile): quantile_by_policy,
            ("budget", Polygon): polygon_by_policy, ("cells", Tail): tail_by_cells,
        }  # fmt: skip
        if kind == "law" and isinstance(goal, Quantile):
            quantile_by_law(c, self._law(), goal, lower)
        elif kind == "law" and not isinstance(goal, Quantile):
            line = goal if isinstance(goal, Polygon) else weighting_of(goal)
            value_by_law(c, self._law(), line.weigh(c.V), lower)
        elif kind == "markov" and isinstance(goal, Tail) and goal.w == 1:
            tail_by_markov(c, choices, lower)
        elif kind == "lines" and isinstance(goal, Polygon):
            polygon_by_lines(c, start, costs, choices, goal, lower)
        elif (kind, type(goal)) in by_table:
            by_table[kind, type(goal)](c, start, choices, goal, lower)
        else:
            raise Refused(NOT_COVERED)

    def _require_upper(self, goal: Tail | Quantile | Polygon) -> None:
        c, kind, start, upper = self._setting(self.up), self.up.kind, self.up.start, self.upper
        if kind == "mean" and isinstance(goal, Tail):
            tail_by_mean(c, upper)
        elif kind == "budgets" and isinstance(goal, Tail):
            tail_by_budgets(c, goal, upper)
        elif kind == "cells" and isinstance(goal, Tail):
            tail_by_all_cells(c, goal, upper)
        elif kind == "threshold" and isinstance(goal, Quantile):
            quantile_by_threshold(c, start, goal, upper)
        elif isinstance(goal, Polygon):
            self._require_cover(lambda p: goal)
        else:
            raise Refused(NOT_COVERED)

    def _require_cover(self, line_for: Callable[[Fraction], Polygon]) -> None:
        c, (kind, _, _, start, nodes, returns) = self._setting(self.up), self.up
        if kind == "return_cover":
            polygon_by_returns(c, returns, nodes, line_for, self.upper)
        elif kind == "cell_cover":
            polygon_by_cell_cover(c, start, nodes, line_for, self.upper)
        elif kind in ("cover", "contraction"):
            polygon_by_cover(c, start, nodes, line_for, self.upper, contracts=kind == "contraction")
        else:
            raise Refused(NOT_COVERED)

    def _require_curved(self, parts: list[tuple[Fraction, Curve]]) -> None:
        """Test a mixture with the lower quantile at L + room, which is never less, in the place of each upper one at L.

        They are equal if the CDF, known without loss, has no value between L and L + room; otherwise the lower quantile
        at L itself, which is never more, is tested as well.
        """
        levels, room = [curve.x for _, curve in parts if curve.kind == "upper"], self.room or Fraction()
        require(min(levels, default=Fraction()) >= 0, NO_OBJECTIVE)
        law, V = self._require_mixture(parts, room, None), self.low.scale
        sums = list(accumulate((law[y] for y in sorted(law)), initial=0))
        if levels and (sums[-1] != V or any(x * V < y < (x + room) * V for x in levels for y in sums)):
            self._require_mixture(parts, Fraction(), law)

    def _require_mixture(self, parts: Any, room: Fraction, law: dict[int, int] | None) -> dict[int, int]:
        """Test the bounds of the curves and both proofs; return the law of the policy."""
        curves = [(w, Curve("jump", curve.x + room) if curve.kind == "upper" else curve) for w, curve in parts]
        mixture = Mixture(curves, self.places, self.bounds)
        mixture.require_good(NO_OBJECTIVE)
        mixture.require_bounded(self.tick)
        require(self.low.kind == "law", NOT_COVERED)
        law = self._law() if law is None else law
        value_by_law(self._setting(self.low), law, mixture.weigh(self.low.scale), self.lower)
        self._require_cover(mixture.line_for)
        return law
