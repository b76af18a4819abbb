r"""L2/merely-optimal: closeness (c) for a policy that is only optimal in M'.  False.

At a return that M' cannot produce, an optimal policy of M' may play anything; if the rewards interlace, M produces such
returns.  So a planner must be greedy everywhere, and ``thm:main``, which allows any optimal planner, fails.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.estimation import expected_cost, lipschitz, phi
from ...cases.greedy import Greedy, concave, reachable_sums
from ...engine.model import Claim, Formal, Real, Statement
from ...engine.severity import Severity
from .. import reasons
from .l2_greedy import greedy_slack
from .model_pairs import Pair, kolmogorov, one_state, shared_by_two_steps, variation_of_rows


def _printed_slack(pair: Pair) -> Real:
    mdp, twin, horizon = pair.mdp, pair.twin, pair.mdp.horizon

    def cost(t: int, s: int, a: int) -> Fraction:
        return (horizon - 1 - t) * variation_of_rows(mdp, twin, s, a) + kolmogorov(mdp, twin, s, a)

    bound = lipschitz(pair.weighting) * expected_cost(mdp, pair.policy, cost)
    return bound - (phi(pair.weighting, twin, pair.policy) - phi(pair.weighting, mdp, pair.policy))


@st.composite
def _drawn(draw: st.DrawFn) -> Pair:
    """Greedy where the twin leads, any action where only M leads."""
    mdp, twin = draw(
        st.one_of(
            strategies.interlaced_pairs(),
            strategies.interlaced_pairs(max_teeth=6),
            strategies.mdp_pairs(max_denominator=3),
        )
    )
    weighting = draw(strategies.weightings(shape=draw(st.sampled_from(("linear", "concave"))), max_corners=1))
    best = Greedy(twin, weighting)
    own, other = reachable_sums(mdp), reachable_sums(twin)
    table = {}
    for t in range(mdp.horizon):
        for s, y in sorted(own[t] | other[t]):
            free = (s, y) not in other[t]
            table[t, s, y] = draw(st.integers(0, mdp.n_actions[s] - 1)) if free else best.values.action(t, s, y)
    return Pair(twin, mdp, vr.ReturnPolicy(mdp, table), weighting)


def _counterexample() -> Pair:
    """a pays 0 or 1/2 in M, 1/4 or 3/4 in M'; b pays 0.  Play a, then a where M' leads and b where M does."""
    half = Fraction(1, 2)
    mdp = one_state([vr.Law({0: half, half: half}), 0], 2)
    twin = one_state([vr.Law({"1/4": half, "3/4": half}), 0], 2)
    table = {(0, 0, 0): 0, (1, 0, "1/4"): 0, (1, 0, "3/4"): 0, (1, 0, 0): 1, (1, 0, half): 1}
    return Pair(twin, mdp, vr.ReturnPolicy(mdp, table), vr.Mean())


def _small_cases() -> Iterator[Pair]:
    """The counterexample's models with all policies."""
    pair = _counterexample()
    return (replace(pair, policy=policy) for policy in shared_by_two_steps(pair.mdp, pair.twin))


STATEMENT = Statement(
    label="L2/merely-optimal",
    said="tempting",
    title="every optimal policy of M' loses little, greedy everywhere or not",
    printed=Claim(
        r"\pi' \in \arg\max \Phi':\ \Phi'(\pi') - \Phi(\pi') \le L_G\, \mathbf E_M \sum_t "
        r"[(T-t)\mathrm{TV}(P',P) + \mathrm{KS}(R',R)]",
        "every optimal policy of M' loses little when played in M (a tempting reading of the paper, not printed in it)",
        _printed_slack,
        when=lambda pair: (
            concave(pair) and phi(pair.weighting, pair.twin, pair.policy) == Greedy(pair.twin, pair.weighting).value
        ),
    ),
    corrected=Claim(
        r"\pi' \text{ greedy in } M' \text{ at every } (t,s,y)",
        "a policy that is greedy in M' at every (t, s, y) loses little when played in M",
        lambda pair: greedy_slack(pair.mdp, pair.twin, pair.weighting, False),
        when=concave,
    ),
    finding=Severity.SUBSTANCE,
    uses=("L2/greedy",),
    cases=_drawn,
    small_cases=_small_cases,
    small_size="the counterexample's two models, all deterministic policies",
    counterexample=_counterexample(),
    find_budget=800,
    reaches=reasons.CONCAVE,
    formal=Formal(proves=("greedy_values_close_in_kolmogorov",)),
    theory="07-closeness.md#merely-optimal",
    notes="On three interlaced points of [4/5, 1) the loss is 14/15, the bound 1/3.",
)
