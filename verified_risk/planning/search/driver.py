r"""The driver of every search over CDFs, whatever its coordinates: a grid, attainable returns, or cells of a grid.

In each case :math:`\Phi \le b - w \sum_i v_i\,\underline G(F_i)` for a polygon :math:`\underline G \le G`, where b is
the largest return, w the width of a coordinate and :math:`v_i \le 1` its share of it (theory 05, B7, B9, D2).  This
module holds the common parts: the target accuracy, the polygons past jumps of G, the upper bound.

A mixture is moved off a jump by adding a small share of the best quantile's policy (:func:`off_the_jump`).  Let G jump
at alpha, as a mixture with a lower quantile does.  The best mixture of a search often has :math:`F_i = \alpha` at some
i below the best quantile v.  There G has its upper value; just below alpha it has the lower one, which the supremum
approaches (theory 05, B8) and no policy attains.  The policy of the best quantile has :math:`F_i < \alpha` for every i
< v.  A share s of it brings the mixture below alpha there, and costs at most s times the range of returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...grid import float_model
from ...law import Law
from ...mdp import MDP
from ...mdp.packed import Floats
from ...numbers.enclosure import bounds
from ...objectives import Weighting
from ...objectives.polygon import Polygon, past_the_jump
from ...policy import MixturePolicy, Policy
from ...progress import Progress, Report
from ..certify import Held
from ..clock import Clock
from ..rounding import tidy_above, tidy_below
from ..tails.tail_route import TIE_SHARE
from .branching import Node, Search
from .grid_coordinates import Oracle
from .relaxation import Mixture

DEFAULT_SECONDS = 60.0  # time limit of a search with neither a gap nor a time limit, or with an unattainable gap
DEFAULT_GAP = Fraction(1, 10**6)  # default gap to aim at, as a share of the range of returns
CLOSEST = Fraction(1, 10**10)
"""Smallest gap of a search, as a share of the range of returns; a smaller one implies a time limit."""
LEAST_WEIGHT = 1e-10  # parts of a mixture with less weight are dropped; the lower bound is that of the remainder
SPARED = 2.0**-38
"""Share of the range of returns added to the upper bound, so that a certificate in integers can confirm it."""
SECONDS_PER_KNOT = 1.5e-4  # approximate time per knot of a polygon; it matters only when time is short


@dataclass(frozen=True)
class Aim:
    """The gap to reach, in the user's units; the accuracy of the polygon needed for it; the time limit in seconds."""

    gap: Fraction
    accuracy: Fraction
    seconds: float | None

    @classmethod
    def of(cls, span: Fraction, gap: Fraction | None, seconds: float | None, loss: Fraction = Fraction()) -> Aim:
        """Build the aim for a range of returns ``span``; ``loss`` is what rounding has already cost."""
        if gap is None:
            wanted, seconds = DEFAULT_GAP * span, DEFAULT_SECONDS if seconds is None else seconds
        else:
            wanted = max(gap - loss, gap / 10, loss / 1000)
            if wanted < CLOSEST * span:
                wanted, seconds = CLOSEST * span, DEFAULT_SECONDS if seconds is None else seconds
        return cls(wanted, power_of_four_below(max(wanted / (6 * span), accuracy_in(seconds))), seconds)


@dataclass(frozen=True)
class Coordinates:
    """The coordinates of a search: its oracle, the width w of a coordinate and the largest return b in the user's
    units, and the shares v, if they are not all 1."""

    oracle: Any
    width: Fraction
    most: Fraction
    shares: Sequence[Fraction] | None = None
    kind: type[Search] = Search

    @property
    def spared(self) -> float:
        """:data:`SPARED` of the range of returns, in coordinates."""
        return SPARED * (self.oracle.top if self.shares is None else float(sum(self.shares)))

    def upper(self, bound: float) -> Fraction:
        """Return the upper bound on the objective implied by a lower bound on the cost."""
        return tidy_above(self.most - self.width * Fraction(max(bound - self.spared, 0.0)))


class Driver:
    """A search; from coordinate ``starts[j]`` on, the CDF of every policy is past jump j of G (B8).  ``worth`` bounds
    the best mixture from below, for reports; see :attr:`held`."""

    def __init__(
        self,
        coordinates: Coordinates,
        objective: Weighting,
        accuracy: Fraction,
        starts: Sequence[int],
        tolerance: float,
        clock: Clock,
        worth: Callable[[Mixture], Held],
        progress: Report | None = None,
        *,
        deadline: float | None = None,
    ) -> None:
        self.coordinates, self.accuracy, self.clock = coordinates, accuracy, clock
        self.worth, self.progress = worth, progress
        passed = passed_pieces(objective, accuracy, starts, coordinates.oracle.top)
        self.starts = tuple(starts) if passed else ()
        until, report = clock.deadline if deadline is None else deadline, None if progress is None else self._report
        self.search = coordinates.kind(
            coordinates.oracle, below(objective, accuracy), tolerance, until, report, passed, coordinates.shares
        )
        self._known: tuple[Mixture, Held] | None = None

    def run(self, *, by_mean: bool) -> None:
        """Search; ``by_mean``: then prefer, of policies that are as good, one with the better mean."""
        self.search.run()
        if by_mean and not self.search.late():
            self.search.prefer_mean(float(TIE_SHARE / 4))  # with half of CLOSEST below that
        if self.progress is not None:
            self._report(self.search.best.value, self.bound)

    @property
    def bound(self) -> float:
        """The proved lower bound on the cost of every policy."""
        return max(self.search.bound, self.search.uncut_bound)

    @property
    def upper(self) -> Fraction:
        return self.coordinates.upper(self.bound)

    @property
    def found(self) -> Fraction:
        """The value of the best mixture, if the polygon were the weighting and floats were exact."""
        return tidy_above(self.coordinates.most - self.coordinates.width * Fraction(self.search.best.value))

    @property
    def held(self) -> Held:
        """The best mixture as a policy with a certified lower bound; cached per mixture."""
        best = self.search.best
        if self._known is None or self._known[0] is not best:
            self._known = best, self.worth(best)
        return self._known[1]

    def _report(self, _: float, bound: float) -> None:
        assert self.progress is not None
        lower = tidy_below(self.held.lower)
        self.progress(Progress(self.clock.spent, lower, self.coordinates.upper(bound)))


def kept_parts(best: Mixture) -> list[tuple[Fraction, npt.NDArray[Any]]]:
    """Return the parts of a mixture above :data:`LEAST_WEIGHT`, with weights that sum to 1."""
    parts = [(Fraction(w), choice) for w, choice in best.parts if w > LEAST_WEIGHT]
    scale = sum((w for w, _ in parts), Fraction())
    return [(w / scale, choice) for w, choice in parts]


def mixed(parts: Iterable[tuple[Fraction, Policy]]) -> Policy:
    """Return the mixture of the policies, or the policy itself if there is only one."""
    found = list(parts)
    return found[0][1] if len(found) == 1 else MixturePolicy(found)


@lru_cache(maxsize=32)
def below(objective: Weighting, accuracy: Fraction) -> Polygon:
    return objective.polygon_below(accuracy)


def passed_pieces(
    objective: Weighting, accuracy: Fraction, starts: Sequence[int], top: int
) -> list[tuple[int, Polygon]]:
    """Return where each polygon below G begins, given that from coordinate ``starts[j]`` on the CDF of every policy is
    past jump j; jumps already passed count in full (B8)."""
    begins = sorted({start for start in starts if start < top})
    return [
        (begin, past_the_jump(objective, accuracy, [jump for jump, at in zip(objective.jumps, starts, strict=True)
                                                    if at <= begin]))
        for begin in begins
    ]  # fmt: skip


def accuracy_in(seconds: float | None) -> Fraction:
    """Return the polygon accuracy that a tenth of the time allows; the knots grow as accuracy ** -1/2."""
    if seconds is None:
        return Fraction()
    return min(Fraction(1, 2**10), Fraction((10 * SECONDS_PER_KNOT / max(seconds, 1e-3)) ** 2))


def power_of_four_below(x: Fraction) -> Fraction:
    """Round down to a power of four, so that calls of similar accuracy share polygons."""
    power = Fraction(1)
    while power > x:
        power /= 4
    return power


def weighed_above(
    objective: Weighting, cdf: Sequence[Fraction] | Floats, clock: Clock, widths: Sequence[Fraction] | None = None
) -> Fraction:
    """Bound from above the sum of G over the increasing values of a CDF; value i counts ``widths[i]`` times, or once.

    G is enclosed at every value or, after the deadline and its grace period, at every second, fourth, ... one, where it
    bounds the values before.
    """
    total, first, step, at, high = Fraction(), 0, 1, None, Fraction()
    while first < len(cdf):
        after = min(first + step, len(cdf))
        weight = after - first if widths is None else sum(widths[first:after], Fraction())
        if cdf[after - 1] != at:
            at = cdf[after - 1]
            _, high = bounds(objective.value(Fraction(at)))
        total += weight * high
        first = after
        if first < len(cdf) and clock.over():
            clock.leave_out("the weighting at every grid point")
            step *= 2
    return total


def lower_by_law(
    objective: Weighting, law: Law, error: Fraction, span: tuple[Fraction, Fraction], clock: Clock
) -> Fraction:
    """Return a lower bound on the objective of a law in ``span`` whose CDF is within ``error`` of that of ``law``."""
    low, high = span
    raised = [min(level + error, Fraction(1)) for level in (Fraction(), *law.cumulative())]
    widths = [b - a for a, b in pairwise((low, *law.atoms, high))]
    return high - weighed_above(objective, raised, clock, widths)


@lru_cache(maxsize=1)
def compile_search() -> None:
    """Compile or load every kernel of the search on two toy problems, before the clock starts."""
    coin = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    toy = MDP(0, [[coin, {0: 1}], [{0: 1}]], [[coin, {1: 1}], [{0: 1}]], horizon=2)
    model = float_model(toy, Fraction(1))
    for polygon in (
        Polygon(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.8, 1.0])),
        Polygon(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.2, 1.0])),
    ):
        search = Search(Oracle(model), polygon, -1e-3, np.inf)
        search.run()
        node = Node(np.zeros(model.remaining[0]), np.ones(model.remaining[0]), search.best.cdf)
        search.evaluate(node, 1, 2, 2)


# -- off a jump --------------------------------------------------------------------------------------------------------


SHARES = tuple(Fraction(1, 2**k) for k in (40, 30, 20, 10))
"""Shares to try: a small one costs little, but a CDF with an error may need a large one."""

Worth: TypeAlias = Callable[[Fraction], tuple[Fraction, Law | None]]
"""Map a share of the other policy to a lower bound on the mixture's value, and its law if known."""


def off_the_jump(held: Held, other: Policy, worth: Worth) -> Held:
    """Return ``held`` mixed with the best share of ``other``, or unchanged if no share improves it."""
    share, (lower, law) = max(((share, worth(share)) for share in SHARES), key=lambda found: found[1][0])
    if lower <= held.lower:
        return held
    return Held(lower, MixturePolicy([(1 - share, held.policy), (share, other)]), law)


def by_laws(objective: Weighting, law: Law, other: Law) -> Worth:
    """Judge mixtures by exact laws."""

    def worth(share: Fraction) -> tuple[Fraction, Law]:
        mixed = Law.mixture([(1 - share, law), (share, other)])
        return bounds(objective.of(mixed))[0], mixed

    return worth
