r"""lem:optimismhat: every policy is worth more in the optimistic model.  False for y-policies, even optimal ones.

Optimism changes the rewards, hence the returns so far, and a y-policy may play badly at returns that do not
occur in the true model.  The claim holds for the *maxima* (``L1/value``), for Markov policies (``L1/markov``) and for
greedy ones (``L1/greedy``).

The cases have one ordinary state and the same number of visits N for every pair, so that one rational radius
:math:`\epsilon` belongs to :math:`\delta = 6|S||A|K e^{-2N\epsilon^2}`, which must be at most 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

import verified_risk as vr
from verified_risk.numbers.enclosure import Real, Truth, at_least

from ...cases import strategies
from ...cases.estimation import Radii, on_printed_event
from ...cases.estimation_strategies import models_of, origin_policies, shared_policies
from ...cases.greedy import concave
from ...cases.irrational import log
from ...engine.model import Claim, Formal, Hypotheses, Statement
from ...engine.severity import Severity
from .. import causes, reasons
from . import l1_value
from .optimistic_pairs import both_values, event


@dataclass(frozen=True)
class Case:
    """A model, its estimate from ``visits`` visits to every pair, their radius, a policy and a weighting."""

    estimate: vr.MDP
    mdp: vr.MDP
    visits: int
    eps: Fraction
    policy: vr.Policy
    weighting: vr.Weighting

    @property
    def radii(self) -> Radii:
        return tuple((self.eps,) * count for count in self.mdp.n_actions)


def _honest(case: Case) -> bool:
    """Some history of whole episodes has these counts, and the radius is the printed one for some delta <= 1."""
    mdp, n = case.mdp, case.visits
    if mdp.n_states != 1 or n < 1 or (mdp.n_actions[0] * n) % mdp.horizon:
        return False
    episodes = mdp.n_actions[0] * n // mdp.horizon + 1
    if at_least(2 * n * case.eps**2, log(6 * 2 * mdp.n_actions[0] * episodes)) is not Truth.HOLDS:
        return False
    seen = [action.reward_law for _, _, action in case.estimate]
    possible = all(set(law.atoms) <= set(mdp.actions(0)[a].reward_law.atoms) for a, law in enumerate(seen))
    return possible and all((n * p).denominator == 1 for law in seen for p in law.masses)


def printed_met(case: Case) -> bool:
    return _honest(case) and on_printed_event(case.mdp, case.estimate, case.radii)


def _printed_slack(case: Case) -> Real:
    own, better = both_values(case)
    return better - own


#: Visits and radii for two actions and two steps, each with some delta <= 1.
_RADII = ((4, Fraction(7, 8)), (6, Fraction(3, 4)), (12, Fraction(1, 2)), (16, Fraction(1, 2)), (32, Fraction(1, 3)))


@st.composite
def drawn(draw: st.DrawFn) -> Case:
    visits, eps = draw(st.sampled_from(_RADII))
    high = vr.Law.point(1 - Fraction(1, draw(st.sampled_from((256, 64, 32, 16, 8, 4, 2)))))
    rewards = [high, vr.Law.point(draw(st.one_of(st.just(Fraction()), strategies.rationals())))]
    seen = list(rewards)
    kind = draw(st.integers(0, 4))
    if kind == 4:  # off the event: a good action was unlucky every time
        rewards[0], seen[0] = vr.Law({0: Fraction(1, 8), 1: Fraction(7, 8)}), vr.Law.point(0)
    elif kind == 3:
        rewards[0] = draw(strategies.laws(max_atoms=2))
        count = draw(st.integers(0, visits)) if len(rewards[0]) > 1 else visits
        masses = (Fraction(count, visits), 1 - Fraction(count, visits))
        seen[0] = vr.Law.of_weights(dict(zip(rewards[0].atoms, masses, strict=False)))
    mdp, estimate = (vr.MDP(0, [[[1], [1]]], [laws], 2) for laws in (rewards, seen))
    radii: Radii = ((eps, eps),)
    models = models_of(mdp, estimate, radii)
    policy: vr.Policy = draw(origin_policies(mdp, models) if draw(st.booleans()) else shared_policies(mdp, models))
    shape: strategies.Shape = draw(st.sampled_from(("linear", "concave")))
    return Case(estimate, mdp, visits, eps, policy, draw(strategies.weightings(shape=shape, max_corners=1)))


def _one_state(reward: Fraction, visits: int, eps: Fraction, choices: tuple[int, ...]) -> Case:
    """a pays ``reward``, b nothing; play ``choices[0]``, then by y = 0, reward, 1."""
    mdp = vr.MDP(0, [[[1], [1]]], [[reward, 0]], 2)
    after = {(1, 0, y): a for y, a in zip((Fraction(), reward, Fraction(1)), choices[1:], strict=True)}
    return Case(mdp, mdp, visits, eps, vr.ReturnPolicy(mdp, {(0, 0, 0): choices[0], **after}), vr.Mean())


def _small_cases() -> Iterator[Case]:
    rewards = (Fraction(1, 2), Fraction(7, 8), Fraction(15, 16))
    for reward, (visits, eps), choices in product(rewards, _RADII, product((0, 1), repeat=4)):
        yield _one_state(reward, visits, eps, choices[::-1])


STATEMENT = Statement(
    label="lem:optimismhat",
    title="the optimistic model flatters every policy",
    section="5",
    printed=Claim(
        r"\hat\Phi(\pi) \ge \Phi(\pi) \text{ on } \mathcal E, \text{ for every } \pi",
        "on the event, every policy does at least as well in the optimistic model as in the true one",
        _printed_slack,
        when=printed_met,
    ),
    corrected=Claim(
        r"\max_\pi \hat\Phi(\pi) \ge \max_\pi \Phi(\pi) \text{ on } \mathcal E, \ G \text{ concave}",
        "on the event and for concave G, the best value in the optimistic model is at least that in the true one",
        l1_value.slack,
        when=Hypotheses(concave=concave, event=event),
    ),
    finding=Severity.SUBSTANCE,
    cause=causes.PARTS,
    uses=("lem:event/conditioning", "def:optimistic/rows", "def:optimistic/rewards", "L1/value"),
    cases=drawn,
    small_cases=_small_cases,
    small_size="T = 2, one state, a pays 1/2, 7/8 or 15/16, b nothing; five radii; all 16 policies",
    counterexample=_one_state(Fraction(15, 16), 12, Fraction(1, 2), (0, 1, 0, 1)),
    find_budget=400,
    reaches={"concave": ("not noticed", reasons.CONCAVE["hypotheses"][1])},
    formal=Formal(
        parts=("optimistic_supremum_dominates", "optimistic_maximum_dominates"),
        refutes=("printed_optimism_false",),
        counterexample="rewards mixed with mass 1/100 at 1, so that F†(1) = T; the executable counterexample has no "
        "such mass",
    ),
    theory="06-event-and-optimism.md#optimism-refuted",
    notes="15/8 = 240/128 in the true model, 235/128 in the optimistic one; the policy is optimal in the true model.",
)
