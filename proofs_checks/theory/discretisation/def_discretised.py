r"""def:discretised: rounding rewards up to multiples of eta, and the size of the resulting grid.

The pushforward gives :math:`\eta i` the mass of :math:`(\eta(i-1), \eta i]`.  Sums of T rounded rewards lie on
:math:`T\lceil 1/\eta\rceil + 1` points, not on :math:`\lceil T/\eta\rceil`, and exceed T when 1/eta is not an integer.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr
from verified_risk.grid import grid_model

from ...cases import strategies
from ...cases.enumeration import all_laws, every, grid
from ...engine.model import Claim, Formal, Statement, at_most
from .. import causes


@dataclass(frozen=True)
class LawCase:
    """A reward law in [0, 1] and a grid step."""

    law: vr.Law
    eta: Fraction


def _pushforward(case: LawCase) -> Fraction:
    """-max_i |P(phi(R) = eta i) - P(eta (i-1) < R <= eta i)|, over all i up to the last point, and total mass one."""
    rounded = case.law.round_up(case.eta)
    points = range(math.ceil(1 / case.eta) + 1)
    worst = abs(sum((rounded.mass(i * case.eta) for i in points), Fraction()) - 1)
    for i in points:
        band = case.law.cdf(i * case.eta) - case.law.cdf((i - 1) * case.eta)
        worst = max(worst, abs(rounded.mass(i * case.eta) - band))
    return -worst


def steps() -> st.SearchStrategy[Fraction]:
    """Grid steps in (0, 1], those that divide 1 and those that do not."""
    return strategies.levels(max_denominator=5)


STEPS = (Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1))

PUSHFORWARD = Statement(
    label="def:pushforward",
    title="the law of the rounded reward",
    section="3",
    printed=Claim(
        r"P(\phi(R) = \eta i) = P(\eta(i-1) < R \le \eta i)",
        "Rounding up gives each grid point the mass of the band just below it.",
        _pushforward,
    ),
    cases=lambda: st.builds(LawCase, strategies.laws(max_atoms=4, max_denominator=6), steps()),
    small_cases=lambda: every(LawCase, all_laws(grid("1/4"), 2), STEPS),
    small_size="laws on {0, 1/4, ..., 1} with masses in halves, five grid steps",
    formal=Formal(proves=("pushforward",)),
    theory="03-discretisation.md#rounding",
)


@dataclass(frozen=True)
class GridCase:
    """A horizon, a grid step, and rewards that one action may pay, equally likely."""

    horizon: int
    eta: Fraction
    rewards: tuple[Fraction, ...]


def _sums(case: GridCase) -> list[Fraction]:
    """The cumulative rewards that the discretised model reaches at any step."""
    law = {r: Fraction(1, len(case.rewards)) for r in case.rewards}
    model = grid_model(vr.MDP(0, [[[1]]], [[law]], case.horizon), case.eta)
    return sorted({i * model.unit for level in model.reachable() for sums in level.values() for i in sums})


@st.composite
def _grid_cases(draw: st.DrawFn) -> GridCase:
    eta = draw(steps())
    count = math.ceil(1 / eta)
    chosen = draw(st.lists(st.integers(0, count), min_size=1, max_size=count + 1, unique=True))
    rewards = sorted(min(i * eta, Fraction(1)) for i in chosen)
    return GridCase(draw(st.integers(1, 3)), eta, tuple(dict.fromkeys(rewards)))


def _small_grids() -> Iterator[GridCase]:
    for horizon in (1, 2, 3):
        for eta in (Fraction(1, 3), Fraction(2, 5), Fraction(1, 2), Fraction(2, 3), Fraction(3, 4), Fraction(1)):
            points = tuple(min(i * eta, Fraction(1)) for i in range(math.ceil(1 / eta) + 1))
            for kept in range(1, 2 ** len(points)):
                yield GridCase(horizon, eta, tuple(r for i, r in enumerate(points) if kept >> i & 1))


POINTS = Statement(
    label="def:grid/points",
    title="the number of grid points",
    section="3",
    printed=Claim(
        r"|\{y\}| \le \lceil T/\eta \rceil",
        "The sums of rounded rewards take at most ceil(T/eta) values (with the undefined H read as T).",
        lambda case: Fraction(math.ceil(case.horizon / case.eta) - len(_sums(case))),
    ),
    corrected=Claim(
        r"|\{y\}| \le T\lceil 1/\eta \rceil + 1",
        "The sums of rounded rewards take at most T ceil(1/eta) + 1 values.",
        lambda case: at_most(len(_sums(case)), case.horizon * math.ceil(1 / case.eta) + 1),
    ),
    cause=causes.GRID,
    uses=("def:pushforward",),
    cases=_grid_cases,
    small_cases=_small_grids,
    small_size="T <= 3, six grid steps from 1/3 to 1, all sets of rewards on the grid",
    counterexample=GridCase(1, Fraction(1), (Fraction(0), Fraction(1))),
    find_budget=100,
    formal=Formal(proves=("grid_size",)),
    theory="03-discretisation.md#grid-size",
    notes="The H of line 244 is read as T, its epsilon as eta. The point 0 is missing, and if 1/eta is not an "
    "integer there are more.",
)

TOP = replace(
    POINTS,
    label="def:grid/range",
    title="the range of the grid",
    printed=Claim(
        r"y \le \eta\lceil T/\eta \rceil",
        "The sums of rounded rewards lie on the printed grid, whose last point is eta ceil(T/eta).",
        lambda case: case.eta * math.ceil(case.horizon / case.eta) - _sums(case)[-1],
    ),
    corrected=Claim(
        r"y \le T\eta\lceil 1/\eta \rceil",
        "The sums of rounded rewards do not exceed T eta ceil(1/eta), which is T if 1/eta is an integer.",
        lambda case: at_most(_sums(case)[-1], case.horizon * case.eta * math.ceil(1 / case.eta)),
    ),
    counterexample=GridCase(2, Fraction(2, 3), (Fraction(1),)),
    formal=Formal(proves=("grid_range",)),
    notes="On such a grid the key identity needs M = T eta ceil(1/eta).",
)

STATEMENTS = (PUSHFORWARD, POINTS, TOP)
