r"""def:bellman: the distributional Bellman equation.  Holds, with the state of the history for the printed free s.

.. math:: F_{Z_t(\xi)}(x) = \sum_a \pi_t(a|\xi) \sum_{s'} P(s'|s,a)
          \int F_{Z_{t+1}(\xi\circ(a,r,s'))}(x - r)\, dR(s,a)(r), \qquad s = S(\xi).

The left side is the conditional law of the remaining reward, read off the whole episodes that extend xi; the right side
uses the same laws one step later.
"""

from __future__ import annotations

from fractions import Fraction

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import coin_models, history_policies
from ...cases.histories import History, chooser, extended, gained, history_laws, state, weighted
from ...engine.model import Claim, Formal, Statement
from .def_history import Case


def _conditional_laws(case: Case) -> dict[History, vr.Law]:
    """The law of the reward still to come after every history of positive probability, from whole episodes."""
    levels = list(history_laws(case.mdp, case.policy))
    parts: dict[History, list[tuple[Fraction, Fraction]]] = {}
    for episode, mass in levels[-1].items():
        for t in range(case.mdp.horizon + 1):
            prefix = (*episode[:t], episode[t][0] if t < case.mdp.horizon else episode[-1])
            parts.setdefault(prefix, []).append((gained(episode) - gained(prefix), mass / levels[t][prefix]))
    return {xi: weighted(pairs) for xi, pairs in parts.items()}


def _slack(case: Case) -> Fraction:
    """Minus the largest KS distance between the two sides over all histories, and against the evaluator at t = 1."""
    laws = _conditional_laws(case)
    choose = chooser(case.policy)
    worst = Fraction()
    for xi, law in laws.items():
        if len(xi) == case.mdp.horizon + 1:
            continue
        recursive = weighted(
            (r + z, q * p * mass)
            for a, q in choose(xi)
            for p, target, r in case.mdp.actions(state(xi))[a].outcomes
            for z, mass in laws[extended(xi, a, r, target)]
        )
        worst = max(worst, law.kolmogorov(recursive))
    start = vr.Law.mixture((p, laws[(s,)]) for s, p in case.mdp.initial)
    return -max(worst, start.kolmogorov(vr.return_law(case.mdp, case.policy)))


STATEMENT = Statement(
    label="def:bellman",
    title="the distributional Bellman equation",
    section="2",
    printed=Claim(
        r"F_{Z_t(\xi)}(x) = \sum_a \pi_t(a\mid\xi) \sum_{s'} P(s'\mid S(\xi),a) "
        r"\int F_{Z_{t+1}(\xi\circ(a,r,s'))}(x-r)\,dR(S(\xi),a)(r)",
        "The law of the reward to come is the mixture, over one step, of the shifted laws one step later.",
        _slack,
    ),
    uses=("def:history", "def:return"),
    cases=lambda: strategies.mdps_with_policies(max_horizon=3).map(lambda pair: Case(*pair)),
    small_cases=lambda: (Case(mdp, policy) for mdp in coin_models(2) for policy in history_policies(mdp)),
    small_size="one state, two actions, T = 2, rewards in halves, coin flips, all deterministic history policies",
    formal=Formal(parts=("distributional_bellman", "return_from_the_start")),
    theory="01-setting.md#bellman",
    notes="As printed, the reward law is that of a free variable s; the current state of the history is meant.",
)
