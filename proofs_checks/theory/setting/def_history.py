r"""def:history, def:return, def:bellman: the history measure, the episode, the return and its Bellman equation.

The measure is built step by step:
:math:`P(\xi_{t+1}) = P(\xi_t)\,\pi_t(a_t|\xi_t)\,R(s_t,a_t)(r_t)\,P(s_{t+1}|s_t,a_t)`.
As printed, its indices are shifted by one; an episode ends before the last reward is paid, so that the return is not a
function of it; and the return repeats one reward instead of adding all of them.

The distributional Bellman equation holds, with the state of the history for the printed free s.

.. math:: F_{Z_t(\xi)}(x) = \sum_a \pi_t(a|\xi) \sum_{s'} P(s'|s,a)
          \int F_{Z_{t+1}(\xi\circ(a,r,s'))}(x - r)\, dR(s,a)(r), \qquad s = S(\xi).

The left side is the conditional law of the remaining reward, read off the whole episodes that extend xi; the right side
uses the same laws one step later.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import COIN_MODELS, coin_models, history_policies
from ...cases.histories import (
    History,
    added,
    chooser,
    extended,
    gained,
    history_laws,
    law_by_histories,
    state,
    weighted,
)
from ...engine.model import Claim, Formal, Statement
from .. import causes


@dataclass(frozen=True)
class Case:
    """A model and one of its policies, Markov, y-dependent or history-dependent."""

    mdp: vr.MDP
    policy: vr.Policy


def _small_cases() -> Iterator[Case]:
    return (Case(mdp, policy) for mdp in coin_models() for policy in history_policies(mdp))


SMALL = f"{COIN_MODELS}, all deterministic history policies"


def _measure_slack(case: Case) -> Fraction:
    """Total mass one and the evaluator's joint law of state and return so far, before every step and at the end."""
    worst = Fraction()
    for t, level in enumerate(history_laws(case.mdp, case.policy)):
        marginal = added(((state(xi), gained(xi)), mass) for xi, mass in level.items())
        computed = vr.joint_law(case.mdp, case.policy, t)
        for key in {*marginal, *computed}:
            worst = max(worst, abs(marginal.get(key, Fraction()) - computed.get(key, Fraction())))
        worst = max(worst, abs(sum(level.values(), Fraction()) - 1))
    return -worst


MEASURE = Statement(
    label="def:history",
    title="the history measure",
    section="2",
    corrected=Claim(
        r"P(\xi_{t+1}) = P(\xi_t)\,\pi_t(a_t\mid\xi_t)\,R(s_t,a_t)(r_t)\,P(s_{t+1}\mid s_t,a_t), \quad t = 1,\dots,T",
        "The stepwise measure has mass one at every step, and its marginals on state and return so far are "
        "those of the evaluator.",
        _measure_slack,
    ),
    cases=lambda: strategies.mdps_with_policies(max_horizon=3).map(lambda pair: Case(*pair)),
    small_cases=_small_cases,
    small_size=SMALL,
    formal=Formal(parts=("history_measure", "evaluator_gives_the_marginals")),
    theory="01-setting.md#def-history",
    notes="In line 124 the indices of action, reward and next state are one too high: read literally, step t "
    "multiplies in an action and a reward that its history does not contain. A slip; nothing can be computed from the "
    "literal form, hence no claim to test. In Coq the measure is that of any history-dependent policy, its marginals "
    "are those of policies of (t, s, y); for others the evaluator is compared in cases only.",
)


def _episode_printed(case: Case) -> Fraction:
    """Minus the KS distance between the reward in xi_T (T - 1 rewards) and the return."""
    levels = list(history_laws(case.mdp, case.policy))
    collected = weighted((gained(xi), mass) for xi, mass in levels[case.mdp.horizon - 1].items())
    return -collected.kolmogorov(vr.return_law(case.mdp, case.policy))


PAYING = vr.MDP(0, [[[1]]], [[1]], 1)

EPISODE = replace(
    MEASURE,
    label="def:history/episode",
    title="the return is a function of the episode",
    printed=Claim(
        r"Z = J(\xi_T), \quad \xi_T \in \mathcal Z_T",
        "The rewards recorded in a history of length T add up to the return.",
        _episode_printed,
    ),
    corrected=Claim(
        r"Z = J(\xi_{T+1}), \quad \xi_{T+1} \in \mathcal Z_{T+1}",
        "The rewards recorded in a history of length T + 1 add up to the return.",
        lambda case: -law_by_histories(case.mdp, case.policy).kolmogorov(vr.return_law(case.mdp, case.policy)),
    ),
    cause=causes.EPISODE,
    uses=("def:history",),
    counterexample=Case(PAYING, vr.MarkovPolicy(PAYING, [[0]])),
    find_budget=200,
    formal=Formal(proves=("return_is_recorded",)),
    notes="A history of length T holds T - 1 rewards. Line 280 records T rewards and the state after them.",
)


@dataclass(frozen=True)
class TailCase:
    """A model, one of its policies, and a step t = 1, ..., T (counted as in the paper)."""

    mdp: vr.MDP
    policy: vr.Policy
    t: int


def _future(case: TailCase) -> vr.Law:
    """The law of r_t + ... + r_T: what the final joint law has gained beyond step t, path by path."""
    *_, episodes = history_laws(case.mdp, case.policy)
    return weighted((sum((r for _, _, r in xi[case.t - 1 : -1]), Fraction()), p) for xi, p in episodes.items())


def _repeated(case: TailCase) -> vr.Law:
    """The law of (T - t + 1) r_t: the printed sum, whose summand does not depend on the index."""
    *_, episodes = history_laws(case.mdp, case.policy)
    count = case.mdp.horizon - case.t + 1
    return weighted((count * xi[case.t - 1][2], p) for xi, p in episodes.items())


def _one_step(case: Case | TailCase, xi: History, after: Callable[[History], vr.Law]) -> vr.Law:
    """The law of the reward to come after ``xi``, from the laws one step later."""
    return weighted(
        (r + z, q * p * mass)
        for a, q in chooser(case.policy)(xi)
        for p, target, r in case.mdp.actions(state(xi))[a].outcomes
        for z, mass in after(extended(xi, a, r, target))
    )


def _return_corrected(case: TailCase) -> Fraction:
    """Minus the KS distance between the law of r_t + ... + r_T and the law built backwards from the last step."""

    def ahead(xi: History) -> vr.Law:
        if len(xi) == case.mdp.horizon + 1:
            return vr.Law.point(0)
        return _one_step(case, xi, ahead)

    before = list(history_laws(case.mdp, case.policy))[case.t - 1]
    return -_future(case).kolmogorov(vr.Law.mixture((p, ahead(xi)) for xi, p in before.items()))


ONLY_THE_FIRST_PAYS = vr.MDP(0, [[[0, 1]], [[0, 1]]], [[1], [0]], 2)

RETURN = Statement(
    label="def:return",
    title="the subscript in the return from step t",
    section="2",
    printed=Claim(
        r"Z_t = \sum_{\tau=t}^T r_t",
        "Read by its subscript, the sum from step t on adds the reward of step t each time.",
        lambda case: -_repeated(case).kolmogorov(_future(case)),
    ),
    corrected=Claim(
        r"Z_t = \sum_{\tau=t}^T r_\tau",
        "The return from step t is the sum of the rewards from t on: the same law forwards and backwards.",
        _return_corrected,
    ),
    cause=causes.SUBSCRIPT,
    uses=("def:history/episode",),
    cases=lambda: strategies.mdps_with_policies(max_horizon=3).flatmap(
        lambda pair: st.builds(TailCase, st.just(pair[0]), st.just(pair[1]), st.integers(1, pair[0].horizon))
    ),
    small_cases=lambda: (TailCase(c.mdp, c.policy, t) for c in _small_cases() for t in range(1, c.mdp.horizon + 1)),
    small_size=SMALL + ", all t",
    counterexample=TailCase(ONLY_THE_FIRST_PAYS, vr.MarkovPolicy(ONLY_THE_FIRST_PAYS, [[0, 0], [0, 0]]), 1),
    find_budget=200,
    formal=Formal(proves=("return_is_before_and_after",)),
    theory="01-setting.md#def-history",
    notes="A subscript: r_t for r_tau. The same line says in words that the rewards from step t on are meant, "
    "and the proofs use them.",
)


def _conditional_laws(case: Case) -> dict[History, vr.Law]:
    """The law of the reward still to come after every history of positive probability, from whole episodes."""
    levels = list(history_laws(case.mdp, case.policy))
    parts: dict[History, list[tuple[Fraction, Fraction]]] = {}
    for episode, mass in levels[-1].items():
        for t in range(case.mdp.horizon + 1):
            prefix = (*episode[:t], episode[t][0] if t < case.mdp.horizon else episode[-1])
            parts.setdefault(prefix, []).append((gained(episode) - gained(prefix), mass / levels[t][prefix]))
    return {xi: weighted(pairs) for xi, pairs in parts.items()}


def _bellman_slack(case: Case) -> Fraction:
    """Minus the largest KS distance between the two sides over all histories, and against the evaluator at t = 1."""
    laws = _conditional_laws(case)
    worst = Fraction()
    for xi, law in laws.items():
        if len(xi) <= case.mdp.horizon:
            worst = max(worst, law.kolmogorov(_one_step(case, xi, laws.__getitem__)))
    start = vr.Law.mixture((p, laws[(s,)]) for s, p in case.mdp.initial)
    return -max(worst, start.kolmogorov(vr.return_law(case.mdp, case.policy)))


BELLMAN = Statement(
    label="def:bellman",
    title="the distributional Bellman equation",
    section="2",
    printed=Claim(
        r"F_{Z_t(\xi)}(x) = \sum_a \pi_t(a\mid\xi) \sum_{s'} P(s'\mid S(\xi),a) "
        r"\int F_{Z_{t+1}(\xi\circ(a,r,s'))}(x-r)\,dR(S(\xi),a)(r)",
        "The law of the reward to come is the mixture, over one step, of the shifted laws one step later.",
        _bellman_slack,
    ),
    uses=("def:history", "def:return"),
    cases=lambda: strategies.mdps_with_policies(max_horizon=3).map(lambda pair: Case(*pair)),
    small_cases=lambda: (Case(mdp, policy) for mdp in coin_models(2) for policy in history_policies(mdp)),
    small_size="one state, two actions, T = 2, rewards in halves, coin flips, all deterministic history policies",
    formal=Formal(parts=("distributional_bellman", "return_from_the_start")),
    theory="01-setting.md#bellman",
    notes="As printed, the reward law is that of a free variable s; the current state of the history is meant.",
)

STATEMENTS = (MEASURE, EPISODE, RETURN, BELLMAN)
