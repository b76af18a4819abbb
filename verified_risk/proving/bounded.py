"""Broken lines below a weighting and staircases above it, made of points that the checker verifies.

* where the curve is concave: chords between points below it;
* where it is convex: at each of several places a line to the left and one to the right, nearly the tangent, through a
  point just beside the place;
* in between, and close to 1: constant, because the curve is nondecreasing;
* behind a jump: a rise to its height within :data:`RAMP`, as steep as the planner's polygon.

The steps are at the values of the CDF of the policy's return, the only ones needed from above.

Each curve that the checker supports is a :class:`Family`.  Ball arithmetic finds points of its graph; they are rounded
outward to multiples of :data:`GRAIN`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from ..errors import Unsupported
from ..numbers.enclosure import ball, bounds, enclose
from ..objectives import CPW, DualPower, ProportionalHazard, VaR, Wang, Weighting
from ..objectives.polygon import RAMP, graph
from ..objectives.weighting import Knots
from ..planning.result import Plan
from .certificate import ROOM, Curved
from .integer_tables import Tick
from .weightings import Bend, Bounds, Curve, Piece, Point, Polygon, Turn, bend, odds


class Support(NamedTuple):
    """Why the curve is above a piece: see ``reason`` in docs/proof_format.md."""

    curve: Curve
    reason: str
    points: tuple[Point, ...] = ()

    def at(self, tau: Fraction) -> Fraction:
        if self.reason == "linear":
            return Polygon(self.curve.corners)(tau)
        a, b = self.points[0], self.points[-1]
        return a.height + (b.height - a.height) * (tau - a.place) / ((b.place - a.place) or 1)


End: TypeAlias = tuple[Fraction, Support]
"""Where a piece ends, and why the curve is above it."""
Lines: TypeAlias = tuple[Fraction, Support, Support]
"""A place, a line to the left of it, and one to the right."""

LAST = 1 - Fraction(1, 2**64)
"""Beyond it the lines are constant; a curve that rises steeply at 1 loses that rise."""
BESIDE = Fraction(1, 2**16)
"""Distance from a place to its helper, as a share of the distance to the next place."""
MOST_STAIRS = 2000
FINEST, COARSEST = Fraction(1, 2**22), Fraction(1, 2**8)
"""Smallest and largest distance that the broken line may be below the weighting, beside the values of the CDF."""
FINER, FEW_VALUES = 2**10, 64
"""How much smaller it may be where these are few."""
FAR = Fraction(1, 2**10)
"""The distance elsewhere: for chords that are farther from every value than so many times their length."""
BESIDE_VALUE = 1


Accuracy: TypeAlias = Callable[[Fraction, Fraction], Fraction]
"""How far the line may be below the weighting between two places."""


def bounded(
    weighting: Weighting,
    levels: Sequence[Fraction],
    accuracy: Fraction,
    *,
    exact: bool,
    everywhere: bool = False,
    tick: Tick = lambda: None,
) -> Curved:
    """Enclose the weighting between a broken line within about ``accuracy`` of it and stairs at the values of a CDF.

    ``everywhere``: not only beside these values.  ``exact``: the values are those of the policy's CDF, which a reader
    that rounds only bounds.  ``tick`` is called for each point of the line; what it raises ends the work.
    """
    families = [
        family_of(part, apart=exact and isinstance(part, VaR) and part.upper and apart(part, levels))
        for _, part in weighting.terms
    ]
    wanted = (lambda a, b: accuracy) if everywhere else fine_beside(levels, accuracy)
    drawn = [line_below(family, wanted, tick) for family in families]
    places = tuple(sorted({end for pieces in drawn for end, _ in pieces}))
    stairs = _stair_places(levels)
    return Curved(
        tuple((weight, family.curve) for (weight, _), family in zip(weighting.terms, families, strict=True)),
        places,
        tuple(
            Bounds(family.turn, _at_places(pieces, places), [family.above(x) for x in stairs])
            for family, pieces in zip(families, drawn, strict=True)
        ),
        accuracy,
        everywhere,
    )


def apart(part: VaR, levels: Iterable[Fraction]) -> bool:
    """Return whether no value of the CDF is just above the level of an upper quantile."""
    return not any(part.alpha < value < part.alpha + ROOM for value in levels)


def fine_beside(levels: Iterable[Fraction], accuracy: Fraction) -> Accuracy:
    """Return ``accuracy`` beside the values of a CDF, and less elsewhere: there a bound has room, since the best CDF is
    not far from that of the policy."""
    values = sorted({float(x) for x in levels})

    def wanted(a: Fraction, b: Fraction) -> Fraction:
        left, right, room = float(a), float(b), BESIDE_VALUE * float(b - a)
        k = bisect_left(values, left - room)
        return accuracy if k < len(values) and values[k] <= right + room else max(accuracy, FAR)

    return wanted


def line_below(family: Family, accuracy: Accuracy, tick: Tick) -> list[End]:
    """Return pieces from 0 to 1, each with the reason why the curve is above it."""
    pieces: list[End] = []
    curve = family.curve
    if curve.kind == "polygon":
        return [(x, Support(curve, "linear")) for x, _ in curve.corners]
    last = family.below(ZERO)
    if isinstance(family, JumpFamily):
        pieces.append((family.start, Support(curve, "level", (last,))))
        level = Support(curve, "level", (family.below(family.start),))
        return [*pieces, *((x, level) for x in sorted({min(family.start + RAMP, ONE), ONE} - {family.start}))]
    if family.falls_to > 0:
        end = LAST if family.falls_to == 1 else family.falls_to - (family.falls_to - down(family.falls_to / 2)) / 2**20
        points = [family.below(x) for x, _ in graph(family.weighting, ZERO, down(end), accuracy, tick)]
        pieces += [(b.place, Support(curve, "chord", (a, b))) for a, b in pairwise(points)]
        last = points[-1]
    a, b = family.rises
    if a < b:
        touches = [x for x, _ in graph(family.weighting, a, ONE, accuracy, tick) if max(a, last.place) < x < LAST]
        lines = _tangents(family, [*touches, LAST], a, b, tick)
        _join(pieces, Support(curve, "level", (last,)), lines, up(a) + GRAIN)
        last = lines[-1][2].points[0]
    pieces.append((ONE, Support(curve, "level", (last,))))
    return pieces


def _tangents(family: Family, touches: list[Fraction], a: Fraction, b: Fraction, tick: Tick) -> list[Lines]:
    """Return, at each place, a line below the curve to the left of it, and one to the right."""
    lines = []
    for before, x, after in zip([a, *touches], touches, [*touches[1:], b], strict=False):
        tick()
        touch = family.below(x)
        right = family.above(up(x + (after - x) * BESIDE))
        left = family.above(down(x - (x - before) * BESIDE))
        to_left, to_right = (Support(family.curve, "line", (touch, beside)) for beside in (right, left))
        lines.append((x, to_left, to_right))
    return lines


def _join(pieces: list[End], level: Support, lines: list[Lines], start: Fraction) -> None:
    """Append the level piece and the lines, cut where neighbours meet; no line begins before ``start``."""
    here: Fraction = pieces[-1][0] if pieces else ZERO
    before: Support = level
    for x, to_left, to_right in lines:
        meet = max(_meeting(before, to_left, here, x), start)
        if meet > here:
            pieces.append((meet, before))
        if x > meet:
            pieces.append((x, to_left))
        here, before = x, to_right


def _meeting(one: Support, other: Support, left: Fraction, right: Fraction) -> Fraction:
    """Return where two lines meet, clipped to the interval; any point in it is valid, the meeting point loses least."""
    at_left, at_right = one.at(left) - other.at(left), one.at(right) - other.at(right)
    if at_left == at_right:
        return right
    meet = left + (right - left) * at_left / (at_left - at_right)
    return down(min(max(meet, left), right))


def _at_places(pieces: list[End], places: tuple[Fraction, ...]) -> list[Piece]:
    """Return heights at the places, below both pieces that meet there, with the reason of the piece that ends there."""
    found, k = [], 0
    for x in places:
        while pieces[k][0] < x:
            k += 1
        support = pieces[k][1]
        meeting = [support] if pieces[k][0] > x or k + 1 == len(pieces) else [support, pieces[k + 1][1]]
        height = min(one.at(x) for one in meeting)
        found.append(Piece(height if support.reason == "linear" else down(height), support.reason, support.points))
    if len(found) > 2 and places[-2] == LAST and found[-1].reason == "level":  # rise as before, so that no slope is 0
        before, last = found[-3:-1]
        slope = (last.height - before.height) / (places[-2] - places[-3])
        found[-2] = last._replace(height=down(last.height - slope * (1 - LAST)))
    return found


def _stair_places(levels: Iterable[Fraction]) -> list[Fraction]:
    """Return places of stairs for the values of a CDF: short numbers that are hardly larger."""
    found = sorted({x if x.denominator.bit_length() <= 96 else min(up(x), ONE) for x in levels} - {ZERO})
    every = -(-len(found) // MOST_STAIRS) or 1
    return [ZERO, *(x for i, x in enumerate(found) if i % every == 0 or i + 1 == len(found))]


def line_accuracy(plan: Plan, span: Fraction, values: int, *, sharp: bool = False) -> Fraction:
    """Return the accuracy of the line below the weighting beside so many values of a CDF: a quarter of the plan's gap
    in total.

    ``sharp``: even if that takes thousands of points.
    """
    finest = FINEST / FINER if values <= FEW_VALUES else FINEST / 2**6 if sharp else FINEST
    return min(max(plan.gap / (4 * span) if span else COARSEST, finest), COARSEST)


# -- the curves, and points of their graphs ----------------------------------------------------------------------------


GRAIN = Fraction(1, 2**96)
"""Grid of heights: far below the gap of any plan, and short enough for the checker to multiply quickly."""
COARSE = Fraction(1, 2**64)
"""Grid of the same where the checker raises them to powers."""
BITS = 256
"""Precision of ball arithmetic, so much finer than a grain that most points lose only the grain."""
LARGEST_EXPONENT = 1000
"""Largest numerators and denominators of exponents; the checker raises numbers to these powers."""
LARGEST_SHIFT = 10
FARTHEST = Fraction(12)
"""The z that stands for minus infinity: N(-12) is below 1e-32."""
ZERO, ONE = Fraction(), Fraction(1)


def down(x: Fraction, grain: Fraction = GRAIN) -> Fraction:
    return (x // grain) * grain


def up(x: Fraction, grain: Fraction = GRAIN) -> Fraction:
    return -((-x) // grain) * grain


def power_bounds(x: Fraction, k: Fraction, grain: Fraction = GRAIN) -> tuple[Fraction, Fraction]:
    """Return multiples of ``grain`` below and above ``x**k``, the first at least 0."""
    if x in (0, 1):
        return x, x
    low, high = bounds(enclose(lambda arb: ball(x, arb) ** ball(k, arb), bits=BITS))
    return max(ZERO, down(low, grain)), up(high, grain)


class Family(ABC):
    """A curve, points below and above it, and the places where it bends one way."""

    curve: Curve
    weighting: Weighting
    turn = Turn()

    @abstractmethod
    def below(self, x: Fraction) -> Point:
        """Return a point on the graph or slightly below it."""

    @abstractmethod
    def above(self, x: Fraction) -> Point:
        """Return a point on the graph or slightly above it."""

    @property
    def falls_to(self) -> Fraction:
        """The place up to which the curve is concave, from 0."""
        return ONE if self.weighting.shape in ("concave", "linear") else ZERO

    @property
    def rises(self) -> tuple[Fraction, Fraction]:
        """The places between which the curve is convex."""
        return (ZERO, ONE) if self.weighting.shape == "convex" else (ONE, ONE)


def _exponent(k: Fraction, weighting: Weighting) -> Fraction:
    if max(k.numerator, k.denominator) > LARGEST_EXPONENT:
        raise Unsupported(
            f"not covered: {weighting.spec}, an exponent with a numerator or denominator above {LARGEST_EXPONENT}"
        )
    return k


class _Power(Family):
    """``x**k`` or, for dual powers, ``1 - (1 - x)**k``."""

    def __init__(self, weighting: ProportionalHazard | DualPower) -> None:
        self.weighting, self.k = weighting, _exponent(weighting.k, weighting)
        self.curve = Curve(weighting.name, self.k)

    def _bounds(self, x: Fraction) -> tuple[Fraction, Fraction]:
        if isinstance(self.weighting, ProportionalHazard):
            return power_bounds(x, self.k, COARSE)
        low, high = power_bounds(1 - x, self.k, COARSE)
        return 1 - high, 1 - low

    def below(self, x: Fraction) -> Point:
        return Point(x, self._bounds(x)[0])

    def above(self, x: Fraction) -> Point:
        return Point(x, self._bounds(x)[1])


class _Wang(Family):
    def __init__(self, weighting: Wang) -> None:
        self.weighting, self.shift = weighting, weighting.beta
        if abs(self.shift) > LARGEST_SHIFT or self.shift.denominator.bit_length() > 200:
            raise Unsupported(
                f"not covered: {weighting.spec}, a shift above {LARGEST_SHIFT} or with a long denominator"
            )
        self.curve = Curve("wang", self.shift)

    def below(self, x: Fraction) -> Point:
        if x == 0:
            return Point(ZERO, ZERO, (ZERO,))
        z = FARTHEST if x == 1 else max(down(_normal_quantile(x)[0] - _away(x)), -FARTHEST)
        return Point(x, max(ZERO, down(_normal(z + self.shift)[0] - GRAIN)), (z,))

    def above(self, x: Fraction) -> Point:
        if x in (0, 1):
            return Point(x, x, (ZERO,))
        z = min(up(_normal_quantile(x)[1] + _away(x)), FARTHEST)
        return Point(x, up(_normal(z + self.shift)[1] + GRAIN), (z,))


def _away(x: Fraction) -> Fraction:
    """Return how far z must keep from the quantile for the checker's 35 digits of the normal law to tell its side; the
    law is flat in its tails."""
    return Fraction(1, 2**62) + Fraction(1, 2**112) / min(x, 1 - x)


def _normal(z: Fraction) -> tuple[Fraction, Fraction]:
    return bounds(enclose(lambda arb: (-ball(z, arb) / arb(2).sqrt()).erfc() / 2, bits=BITS))


def _normal_quantile(x: Fraction) -> tuple[Fraction, Fraction]:
    return bounds(enclose(lambda arb: -arb(2).sqrt() * (2 * ball(x, arb)).erfcinv(), bits=BITS))


class _Polygon(Family):
    def __init__(self, weighting: Weighting, knots: Knots) -> None:
        self.weighting, self.curve = weighting, Curve("polygon", ZERO, knots[1:])

    def below(self, x: Fraction) -> Point:
        return Point(x, Polygon(self.curve.corners)(x))

    above = below


class _Cpw(Family):
    def __init__(self, weighting: CPW) -> None:
        self.weighting, self.gamma = weighting, _exponent(weighting.gamma, weighting)
        self.curve = Curve("cpw", self.gamma)
        self.turn = find_turn(self.gamma)

    @property
    def falls_to(self) -> Fraction:
        return self.turn.falling[-1][0] if self.turn.falling else ZERO

    @property
    def rises(self) -> tuple[Fraction, Fraction]:
        return (self.turn.start, self.turn.rising[-1][0]) if self.turn.rising else (ONE, ONE)

    def _ratio(self, gain: Fraction, whole: Fraction) -> tuple[Fraction, Fraction]:
        """Bound ``gain / whole**(1 / gamma)``."""
        return bounds(enclose(lambda arb: ball(gain, arb) / ball(whole, arb) ** (1 / ball(self.gamma, arb)), bits=BITS))

    def below(self, x: Fraction) -> Point:
        (low, high), (_, rest) = power_bounds(x, self.gamma, COARSE), power_bounds(1 - x, self.gamma, COARSE)
        return Point(x, max(ZERO, down(self._ratio(low, high + rest)[0] - GRAIN, COARSE)), (low, high, rest))

    def above(self, x: Fraction) -> Point:
        (low, high), (rest, _) = power_bounds(x, self.gamma, COARSE), power_bounds(1 - x, self.gamma, COARSE)
        if x in (0, 1):
            return Point(x, x, (high, low, rest))
        return Point(x, up(self._ratio(high, low + rest)[1] + GRAIN, COARSE), (high, low, rest))


class JumpFamily(Family):
    """A quantile at a level, in a mixture; the lower one is 0 below the level and 1 from it on.

    The upper one is at most the lower one :data:`ROOM` above its level.  It equals that one if no value of the law's
    CDF lies between (``apart``), and is otherwise at least the lower one at its level.
    """

    def __init__(self, weighting: VaR, *, apart: bool = False) -> None:
        self.weighting, self.level = weighting, weighting.alpha
        self.start = self.level + ROOM if weighting.upper else self.level
        self.meets = self.start if apart else self.level
        if not self.meets or self.start > 1:
            raise Unsupported(
                f"not covered: {weighting.spec} in a mixture, a level at the end, unless the law of the policy's "
                "return is short enough to be exact"
            )
        self.curve = Curve("upper" if weighting.upper else "jump", self.level)

    def below(self, x: Fraction) -> Point:
        return Point(x, Fraction(x >= self.start))

    def above(self, x: Fraction) -> Point:
        return Point(x, Fraction(x >= self.meets))


# -- where CPW turns ------------------------------------------------------------------------------------------------


def find_turn(gamma: Fraction) -> Turn:
    """Return the longest possible cells from 0 to just before the turn, and from just behind it to just before 1."""
    from ..objectives.cpw import where_it_turns

    middle = where_it_turns(float(gamma))
    width = Fraction(1, 2**14)
    falling = _cells(gamma, ZERO, down(middle - width), rising=False)
    start = up(middle + width)
    while True:
        rising = _cells(gamma, start, 1 - Fraction(1, 2**72), rising=True)
        if rising or start > Fraction(99, 100):
            return Turn(tuple(falling), start, power_bounds(odds(start), gamma)[0], tuple(rising))
        width *= 2
        start = up(min(middle + width, Fraction(999, 1000)))


def _cells(gamma: Fraction, start: Fraction, end: Fraction, *, rising: bool) -> Bend:
    found: list[tuple[Fraction, Fraction, Fraction]] = []
    t, low = start, power_bounds(odds(start), gamma)[0]
    share = Fraction(1, 2)
    while t < end:
        # towards 1 the step is a share of the remainder, so that v grows by a factor
        while share > Fraction(1, 2**24):
            far = up(t + share * (end - t)) if end - t > Fraction(1, 2**80) else end
            low_far, high_far = power_bounds(odds(far), gamma)
            sign = bend(gamma, (odds(t), odds(far)), (low, high_far), rising=rising)
            if sign >= 0 if rising else sign <= 0:
                break
            share /= 2
        else:
            return found
        found.append((far, low_far, high_far))
        t, low = far, low_far
        if not rising and end - t < Fraction(1, 2**18):
            return found
        share = min(Fraction(3, 4), 2 * share)
        if len(found) > 2000:
            return found
    return found


def family_of(weighting: Weighting, *, apart: bool = False) -> Family:
    """Return the curve of a weighting, or raise :class:`Unsupported`."""
    if weighting.knots is not None:
        return _Polygon(weighting, weighting.knots)
    if isinstance(weighting, VaR):
        return JumpFamily(weighting, apart=apart)
    if isinstance(weighting, ProportionalHazard | DualPower):
        return _Power(weighting)
    if isinstance(weighting, Wang):
        return _Wang(weighting)
    if isinstance(weighting, CPW):
        return _Cpw(weighting)
    raise Unsupported(f"not covered: {weighting.spec}")
