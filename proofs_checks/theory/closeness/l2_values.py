r"""L2/values: the value function of a utility inherits its shape.

For :math:`V_T(s,y) = h_\rho(y)` and :math:`V_t(s,y) = \max_a \mathbf E V_{t+1}(S', y+R)`, each :math:`V_t(s, \cdot)` is
nondecreasing and :math:`L_G`-Lipschitz, and for fixed y the states differ by at most :math:`L_G` times the steps left.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import every
from ...cases.estimation import lipschitz
from ...cases.greedy import Values, tails_of
from ...engine.model import Claim, Formal, Real, Statement, at_most, least
from ..optimism.optimistic_pairs import small_models


@dataclass(frozen=True)
class Case:
    """A model, a concave weighting, a threshold, and returns so far at which to look."""

    mdp: vr.MDP
    weighting: vr.Weighting
    rho: Fraction
    sums: tuple[Fraction, ...]


def _slack(case: Case) -> Real:
    tails = tails_of(case.weighting)
    values = Values(case.mdp, tails, (case.rho,) * len(tails))
    constant = lipschitz(case.weighting)
    slacks: list[Real] = [Fraction(1)]
    sums = sorted({Fraction(), *case.sums})
    for t in range(case.mdp.horizon + 1):
        table = [[values.value(t, s, y) for y in sums] for s in range(case.mdp.n_states)]
        for row in table:
            for (y, v), (z, w) in pairwise(zip(sums, row, strict=True)):
                slacks += [w - v, at_most(w - v, constant * (z - y), "rise")]
        for column in zip(*table, strict=True):
            slacks.append(at_most(max(column) - min(column), constant * (case.mdp.horizon - t), "span"))
    return least(*slacks)


FAR_APART = st.integers(1, 3).map(lambda horizon: vr.MDP(0, [[[1, 0]], [[0, 1]]], [[1], [0]], horizon))
"""One state pays 1 at every step, the other nothing."""


@st.composite
def _drawn(draw: st.DrawFn) -> Case:
    mdp = draw(st.one_of(strategies.mdps(max_states=3, max_denominator=3), FAR_APART))
    weighting = draw(strategies.weightings(shape="concave"))
    rationals = strategies.rationals(max_value=mdp.horizon)
    return Case(mdp, weighting, draw(rationals), tuple(draw(st.lists(rationals, max_size=4))))


def _small_cases() -> Iterator[Case]:
    half = Fraction(1, 2)
    models = dict.fromkeys(mdp for mdp, _, _ in small_models())
    sums = (Fraction(1, 4), half, Fraction(1), Fraction(2))
    return every(Case, models, (vr.Mean(), vr.CVaR(half)), (half, Fraction(1), Fraction(3, 2)), [sums])


STATEMENT = Statement(
    label="L2/values",
    title="values are nondecreasing, Lipschitz, and close between states",
    corrected=Claim(
        r"0 \le V_t(s,z) - V_t(s,y) \le L_G (z-y), \quad |V_t(s,y) - V_t(s',y)| \le L_G (T-t+1)",
        "the value of a utility rises with the return so far, at most L_G-fast, and differs little between states",
        _slack,
    ),
    uses=("L2/duality",),
    cases=_drawn,
    small_cases=_small_cases,
    small_size="T = 2; one state with two actions, or two states with one; mean and CVaR at 1/2; five sums",
    formal=Formal(proves=("values_rise_slowly_and_are_close",)),
    theory="07-closeness.md#L2",
)
