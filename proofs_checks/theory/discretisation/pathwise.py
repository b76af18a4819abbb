r"""adaptation/pathwise: on every path an adapted policy earns at most its rounded total, and less than T eta below it.

The adapted policy carries :math:`\hat Z = \sum_t \phi(r_t)`; along each path :math:`\hat Z - T\eta < Z \le \hat Z`.
This implies the four adaptation lemmas.  It is checked on the library's :class:`GridPolicy`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import all_laws, grid, one_state_models, return_policies
from ...cases.histories import History, gained, history_laws, weighted
from ...engine.model import Claim, Formal, Real, Statement, at_most, least
from .. import reasons
from .adaptation import raised


@dataclass(frozen=True)
class Case:
    """A raw model, a grid step, the rounded model, and a y-policy of the rounded model."""

    raw: vr.MDP
    eta: Fraction
    rounded: vr.MDP
    policy: vr.ReturnPolicy


def _slack(case: Case) -> Real:
    """The least of Z^ - Z, T eta - (Z^ - Z) over all paths, and of minus the KS distances to the evaluator's laws."""
    adapted = vr.GridPolicy.adapt(case.policy, case.raw, case.eta)
    *_, episodes = history_laws(case.raw, adapted)
    pairs = [(gained(xi), _believed(xi, case.eta), p) for xi, p in episodes.items()]
    gaps = [believed - earned for earned, believed, _ in pairs]
    earned_law = weighted((earned, p) for earned, _, p in pairs)
    believed_law = weighted((believed, p) for _, believed, p in pairs)
    return least(
        *gaps,
        *(at_most(gap, case.raw.horizon * case.eta) for gap in gaps),
        -earned_law.kolmogorov(vr.return_law(case.raw, adapted)),
        -believed_law.kolmogorov(vr.return_law(case.rounded, case.policy)),
    )


def _believed(history: History, eta: Fraction) -> Fraction:
    """The sum of the rewards rounded up, by counting grid steps."""
    total = Fraction()
    for _, _, r in history[:-1]:
        point = Fraction()
        while point < r:
            point += eta
        total += point
    return total


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    raw = draw(strategies.mdps(max_horizon=3, max_denominator=5))
    eta = draw(strategies.levels(max_denominator=3))
    if draw(st.booleans()):
        raw = raised(raw, eta / 1000)
    rounded = raw.discretised(eta)
    return Case(raw, eta, rounded, draw(strategies.return_policies(rounded)))


def _small_cases() -> Iterator[Case]:
    laws: list[vr.Law] = all_laws(grid("1/4"), 2)
    for eta in (Fraction(1, 2), Fraction(2, 3), Fraction(1)):
        for raw in one_state_models(laws, 2, actions=1):
            rounded = raw.discretised(eta)
            for policy in return_policies(rounded):
                yield Case(raw, eta, rounded, policy)


STATEMENT = Statement(
    label="adaptation/pathwise",
    title="adaptation, path by path",
    corrected=Claim(
        r"\hat Z - T\eta \le Z \le \hat Z \text{ on every path}, \quad \hat Z \sim \hat Z^{\hat\pi}",
        "On every path the adapted policy earns at most the rounded total, at least that minus T eta, and the rounded "
        "total has the law it has in the rounded model.",
        _slack,
        when=lambda case: case.rounded == case.raw.discretised(case.eta),
    ),
    uses=("def:pushforward",),
    cases=_cases,
    small_cases=_small_cases,
    small_size="one state, one action, T = 2, laws on quarters with masses in halves, eta in {1/2, 2/3, 1}",
    reaches=reasons.FORM,
    formal=Formal(parts=("return_within_T_eta", "rounded_history_law")),
    theory="03-discretisation.md#pathwise",
)
