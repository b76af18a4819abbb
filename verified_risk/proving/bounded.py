r"""Broken lines below a weighting and staircases above it, made of points that the checker verifies.

* where the curve is concave: chords between points below it;
* where it is convex: at each of several places a line to the left and one to the right, nearly the tangent, through a
  point just beside the place;
* in between, and close to 1: constant, because the curve is nondecreasing;
* behind a jump: a rise to its height within :data:`RAMP`, as steep as the planner's polygon.

The steps are at the values of the CDF of the policy's return, the only ones needed from above.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from ..errors import Unsupported
from ..law import Law
from ..objectives import VaR, Weighting
from ..objectives.polygon import RAMP, graph
from ..planning.affordable_law import PATIENT, evaluation_work
from ..planning.result import Plan
from .budgets import Charges
from .curves import ROOM, BoundedCurve, Curved, Level, Linear, Piece, Point, Support, Through
from .families import GRAIN, ONE, ZERO, Family, JumpFamily, down, family_of, up

Lines: TypeAlias = tuple[Fraction, Through, Through]
"""A place, a line to the left of it, and one to the right."""

LAST = 1 - Fraction(1, 2**64)
"""Beyond it the lines are constant; a curve that rises steeply at 1 loses that rise."""
BESIDE = Fraction(1, 2**16)
"""Distance from a place to its helper, as a share of the distance to the next place."""
MOST_STAIRS = 2000
FINEST, COARSEST = Fraction(1, 2**18), Fraction(1, 2**8)
"""Smallest and largest distance that the broken line may be below the weighting."""
ROUNDING = Fraction(1, 2**90)
"""Share of the range of returns that the checker's rounding may cost the lower bound."""


def bounded(weighting: Weighting, law: Law, accuracy: Fraction, *, exact: bool) -> Curved:
    """Enclose the weighting between a broken line within about ``accuracy`` of it and stairs at the law's CDF.

    ``exact``: the checker will compute the law without rounding.
    """
    levels = _stair_levels(law, exact=exact)
    drawn = [(weight, *_drawn(part, accuracy, law if exact else None, levels)) for weight, part in weighting.terms]
    places = tuple(sorted({end for _, _, _, pieces, _ in drawn for end, _ in pieces}))
    curves = []
    for weight, name, family, pieces, stairs in drawn:
        heights, supports = _at_places(pieces, places)
        curves.append(BoundedCurve(weight, name, heights, supports, stairs, family.turn if family else None))
    return Curved(places, tuple(curves))


def _drawn(
    part: Weighting, accuracy: Fraction, law: Law | None, levels: list[Fraction]
) -> tuple[str, Family | None, list[Piece], tuple[Point, ...]]:
    """Return name, family, line and stairs of a part; ``law`` is given if it is exact."""
    if part.knots is not None:
        corners = part.knots[1:]
        name = f"polygon {len(corners)} " + " ".join(f"{x} {g}" for x, g in corners)
        stairs = tuple(Point(x, Fraction(part.value(x))) for x in levels)  # type: ignore[arg-type]
        return name, None, [(x, Linear(part.knots)) for x, _ in corners], stairs
    family = family_of(part, apart=law is not None and isinstance(part, VaR) and part.upper and apart(part, law))
    return family.name, family, line_below(family, accuracy), tuple(family.above(x) for x in levels)


def apart(part: VaR, law: Law) -> bool:
    """Whether no value of the CDF is just above the level of an upper quantile."""
    return not any(part.alpha < value < part.alpha + ROOM for value in law.cumulative())


def line_below(family: Family, accuracy: Fraction) -> list[Piece]:
    """Return pieces from 0 to 1, each with the reason why the curve is above it."""
    pieces: list[Piece] = []
    last = family.below(ZERO)
    if isinstance(family, JumpFamily):
        pieces.append((family.start, Level(last)))
        last = family.below(family.start)
        return [*pieces, *((x, Level(last)) for x in sorted({min(family.start + RAMP, ONE), ONE} - {family.start}))]
    if family.falls_to > 0:
        end = LAST if family.falls_to == 1 else family.falls_to - (family.falls_to - down(family.falls_to / 2)) / 2**20
        points = [family.below(x) for x, _ in graph(family.weighting, ZERO, down(end), accuracy)]
        pieces += [(b.place, Through("chord", a, b)) for a, b in pairwise(points)]
        last = points[-1]
    a, b = family.rises
    if a < b:
        touches = [x for x, _ in graph(family.weighting, a, ONE, accuracy) if max(a, last.place) < x < LAST]
        lines = _tangents(family, [*touches, LAST], a, b)
        _join(pieces, Level(last), lines, up(a) + GRAIN)
        last = lines[-1][2].a
    pieces.append((ONE, Level(last)))
    return pieces


def _tangents(family: Family, touches: list[Fraction], a: Fraction, b: Fraction) -> list[Lines]:
    """Return, at each place, a line below the curve to the left of it, and one to the right."""
    lines = []
    for before, x, after in zip([a, *touches], touches, [*touches[1:], b], strict=False):
        touch = family.below(x)
        right = family.above(up(x + (after - x) * BESIDE))
        left = family.above(down(x - (x - before) * BESIDE))
        lines.append((x, Through("line", touch, right), Through("line", touch, left)))
    return lines


def _join(pieces: list[Piece], level: Level, lines: list[Lines], start: Fraction) -> None:
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


def _at_places(pieces: list[Piece], places: tuple[Fraction, ...]) -> tuple[tuple[Fraction, ...], tuple[Support, ...]]:
    """Return heights at the places, below both pieces that meet there, and the piece that ends at each."""
    heights, supports, k = [], [], 0
    for x in places:
        while pieces[k][0] < x:
            k += 1
        support = pieces[k][1]
        meeting = [support] if pieces[k][0] > x or k + 1 == len(pieces) else [support, pieces[k + 1][1]]
        height = min(one.at(x) for one in meeting)
        heights.append(height if isinstance(support, Linear) else down(height))
        supports.append(support)
    return tuple(heights), tuple(supports)


def stair_level(level: Fraction, *, exact: bool = False) -> Fraction:
    """Return the place of the stair for a CDF value: a reader rounds masses down, so that its CDF is slightly higher,
    unless the law is ``exact``."""
    return level if exact and level.denominator.bit_length() <= 96 else min(up(level) + 2 * GRAIN, ONE)


def _stair_levels(law: Law, *, exact: bool) -> list[Fraction]:
    levels = sorted({stair_level(level, exact=exact) for level in law.cumulative()[:-1]})
    every = -(-len(levels) // MOST_STAIRS) or 1
    return [ZERO, 2 * GRAIN, *(x for i, x in enumerate(levels) if i % every == 0 or i + 1 == len(levels))]


def line_accuracy(plan: Plan, span: Fraction, *, sharp: bool = False) -> Fraction:
    """Return the accuracy of the line below the weighting: a quarter of the plan's gap in total.

    ``sharp``: even if that takes thousands of points.
    """
    finest = FINEST / 2**6 if sharp else FINEST
    return min(max(plan.gap / (4 * span) if span else COARSEST, finest), COARSEST)


def bounded_objective(plan: Plan, charges: Charges, *, exact: bool, sharp: bool) -> Curved:
    """Return the plan's weighting with a line below and stairs above it, for an exact or a rounded law."""
    if evaluation_work(plan.mdp, plan.policy) > PATIENT or plan.law_error:
        raise Unsupported(
            f"not covered: {plan.objective.spec} where the law of the policy's return is too long to be exact"
        )
    accuracy = line_accuracy(plan, charges.span * charges.unit, sharp=sharp)
    return bounded(plan.objective, plan.required_law(), accuracy, exact=exact)


def close_behind(plan: Plan) -> bool:
    """Whether a value of the policy's CDF is too close above the level of an upper quantile to be told apart."""
    return any(
        isinstance(part, VaR) and part.upper and not apart(part, plan.required_law())
        for _, part in plan.objective.terms
    )


def value_by_stairs(objective: Curved, law: Law, *, rounded: bool) -> Fraction:
    """Return the bound that the stairs prove for the law: the least return plus each step of the CDF with its weight
    from above, less what rounded masses may cost."""
    total, atoms = law.atoms[0], law.atoms
    for k, level in enumerate(law.cumulative()[:-1]):
        total += (atoms[k + 1] - atoms[k]) * (1 - objective.above(stair_level(level, exact=not rounded)))
    return total - ROUNDING * (1 + atoms[-1] - atoms[0]) if rounded else total
