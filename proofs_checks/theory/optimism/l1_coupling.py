r"""L1/coupling: every policy of the true model has a better one in the optimistic model, for every weighting.

Play the policy on a *virtual* history: quantile-coupled rewards :math:`r \le \hat r`, the true successor while it is
ordinary, and a simulated continuation after a jump to :math:`s_\infty`.  The joint law is built here exactly.
"""

from collections.abc import Hashable, Iterator
from fractions import Fraction

import verified_risk as vr

from ...cases.estimation import optimistic_mdp, row_of
from ...cases.histories import added, weighted
from ...engine.model import Claim, Formal, Real, Statement, at_most, equality, least
from .optimistic_pairs import SMALL_PLAYED, Played, event, played, small_played_markov


def quantile_coupling(law: vr.Law, better: vr.Law) -> list[tuple[Fraction, Fraction, Fraction]]:
    """``(mass, r, r_hat)``: both laws read off one uniform variable."""
    cuts = sorted({*law.cumulative(), *better.cumulative()})
    below = Fraction()
    parts = []
    for cut in cuts:
        parts.append((cut - below, law.quantile(cut), better.quantile(cut)))
        below = cut
    return parts


def coupled(case: Played) -> tuple[vr.Law, vr.Law, Fraction]:
    """The laws of the true-model return and of the optimistic return on one space, and the least ``Z_hat - Z``."""
    mdp, better = case.mdp, optimistic_mdp(case.estimate, case.radii)
    pairs: list[tuple[Fraction, Fraction, Fraction]] = []
    for share, part in case.policy.parts():
        # (virtual state, virtual memory, virtual sum, true sum, jumped to s_inf)
        level: dict[tuple[int, Hashable, Fraction, Fraction, bool], Fraction] = {
            (s, part.start(), Fraction(), Fraction(), False): p * share for s, p in mdp.initial
        }
        for t in range(mdp.horizon):
            level = added(
                ((target, part.remember(memory, t, s, a, r), z + r, z_hat + r_hat, away), mass * q * p)
                for (s, memory, z, z_hat, jumped), mass in level.items()
                for a, q in part.choice(t, s, memory)
                for p, r, r_hat, target, away in _step(mdp, better, s, a, jumped)
            )
        pairs += [(z, z_hat, mass) for (_, _, z, z_hat, _), mass in level.items()]
    virtual, actual = weighted((z, mass) for z, _, mass in pairs), weighted((z, mass) for _, z, mass in pairs)
    return virtual, actual, min(z_hat - z for z, z_hat, _ in pairs)


def _step(
    mdp: vr.MDP, better: vr.MDP, s: int, a: int, jumped: bool
) -> Iterator[tuple[Fraction, Fraction, Fraction, int, bool]]:
    """``(probability, r, r_hat, virtual successor, whether the true successor is s_inf)``."""
    law = mdp.actions(s)[a].reward_law
    row = row_of(mdp, s, a)
    if jumped:
        for r, p in law:
            for target, q in enumerate(row):
                if q:
                    yield p * q, r, Fraction(1), target, True
        return
    shifted = row_of(better, s, a)
    for p, r, r_hat in quantile_coupling(law, better.actions(s)[a].reward_law):
        for target, q in enumerate(row):
            kept = shifted[target]
            if kept:
                yield p * kept, r, r_hat, target, False
            if q - kept:  # negative off the event: the result is not a law then, and the slack is negative
                yield p * (q - kept), r, r_hat, target, True


def _slack(case: Played) -> Real:
    """The virtual return has the policy's law, is never above the optimistic one, and the objective follows."""
    virtual, actual, least_gain = coupled(case)
    own = vr.return_law(case.mdp, case.policy)
    points = {*virtual.atoms, *own.atoms}
    return least(
        least_gain,
        *(equality(virtual.mass(z), own.mass(z)) for z in points),
        at_most(case.weighting.of(own), case.weighting.of(actual)),
    )


STATEMENT = Statement(
    label="L1/coupling",
    title="every policy has a better one in the optimistic model",
    corrected=Claim(
        r"\mathcal E \Rightarrow \forall \pi\, \exists \hat\pi:\ F_{\hat Z^{\hat\pi}} \le F_{Z^\pi}, "
        r"\text{ so } \hat\Phi(\hat\pi) \ge \Phi(\pi) \text{ for every nondecreasing } G",
        "on the event, playing a policy on a virtual history gives at least its return in the optimistic model",
        _slack,
        when=event,
    ),
    uses=("L0/adaptive",),
    cases=lambda: played(jumps=True),
    small_cases=small_played_markov,
    small_size=SMALL_PLAYED,
    formal=Formal(proves=("optimistic_policy_dominates",)),
    theory="06-event-and-optimism.md#L1",
)
