r"""thm:augmented: averaging a policy over histories with the same state and reward so far keeps the objective.

In print the average runs over histories with :math:`J(\xi) \le y`; then it is false.  With :math:`J(\xi) = y` the joint
law of state and reward so far is the same at every step (``lem:augmented:2``), hence the law of the return.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import grid, history_policies, one_state_models
from ...cases.histories import history_policy, law_by_histories, weighted
from ...engine.model import Claim, Formal, Real, Statement, equality
from ...engine.symbolic import Proof, Step, parameters
from .. import causes
from .conditioning import joint_laws, printed_rule, visits


@dataclass(frozen=True)
class Case:
    """A model, one of its policies, a weighting."""

    mdp: vr.MDP
    policy: vr.Policy
    objective: vr.Weighting


def _printed_law(case: Case) -> vr.Law | None:
    """The law of the return of the printed policy; None if it conditions on an event of probability zero."""
    levels = joint_laws(case.mdp, printed_rule(visits(case.mdp, case.policy)))
    return None if levels is None else weighted((y, mass) for (_, y), mass in levels[-1].items())


def _printed(case: Case) -> Real:
    """-|Phi(printed policy) - Phi(policy)|."""
    law = _printed_law(case)
    assert law is not None
    return equality(case.objective.of(law), case.objective.of(law_by_histories(case.mdp, case.policy)))


def _corrected(case: Case) -> Real:
    """Minus the KS distance between the laws of the return of the behavioural form and of the policy."""
    averaged = vr.return_law(case.mdp, vr.behavioural_form(case.mdp, case.policy))
    return -averaged.kolmogorov(law_by_histories(case.mdp, case.policy))


def small_models_and_policies() -> Iterator[tuple[vr.MDP, vr.Policy]]:
    """One state, two actions, T = 2, fixed rewards in halves, lotteries in halves after every history."""
    halves = [{0: 1}, {1: 1}, {0: Fraction(1, 2), 1: Fraction(1, 2)}]
    for mdp in one_state_models([vr.Law.point(r) for r in grid("1/2")], 2):
        for policy in history_policies(mdp, halves):
            yield mdp, policy


SMALL = "one state, two actions, T = 2, fixed rewards in halves, all history policies with lotteries in halves"


def repeated_coin() -> tuple[vr.MDP, vr.Policy]:
    """Toss a coin for the first action and repeat it; a pays 0, b pays 1."""
    mdp = vr.MDP(0, [[[1], [1]]], [[0, 1]], 2)
    half = Fraction(1, 2)
    zero, one = Fraction(0), Fraction(1)
    return mdp, history_policy(mdp, {(0,): {0: half, 1: half}, ((0, 0, zero), 0): 0, ((0, 1, one), 0): 1})


STATES, ACTIONS, REWARDS, HORIZON = range(2), range(2), range(2), 3


def _proof_steps(planted: bool) -> list[Step]:
    """Both halves of the induction, at each step."""
    free = iter(parameters("x:310"))
    transition = {key: next(free) for key in product(STATES, ACTIONS, STATES)}
    reward = {key: next(free) for key in product(STATES, ACTIONS, REWARDS)}
    weight: dict[Any, Any] = {(0, s, (s,)): next(free) for s in STATES}  # by reward so far, state, history
    found = []
    for t in range(HORIZON):
        reached, played, moved, after = (defaultdict[Any, Any](int) for _ in range(4))
        following = {}
        for (y, s, history), w in weight.items():
            reached[y, s] += w
            for a in ACTIONS:
                share = w * next(free)
                played[y, s, a] += share
                for r, z in product(REWARDS, STATES):
                    following[y + r, z, (*history, a, r, z)] = share * reward[s, a, r] * transition[s, a, z]
        for (y, s, a), n in played.items():
            over = [u for u, z in reached if z == s and u <= y] if planted else [y]
            mean = sum(played[u, s, a] for u in over), sum(reached[u, s] for u in over)
            found.append(Step(f"step {t}: the average plays as often", reached[y, s] * mean[0] - n * mean[1], True))
            for r, z in product(REWARDS, STATES):
                moved[y + r, z] += n * reward[s, a, r] * transition[s, a, z]
        for (y, z, _), w in following.items():
            after[y, z] += w
        found += [Step(f"step {t}: and reaches as often", moved[cell] - after[cell], True) for cell in after]
        weight = following
    return found


PROOF = Proof(
    "T = 3, 2 states, 2 actions, rewards 0 and 1, every history policy", _proof_steps, "the average runs over J <= y"
)
r"""thm:augmented: playing the average over equal rewards so far keeps the law of the return.

Every probability is free: initial states, transitions, rewards, and the choices of a policy that sees the whole
history.  The weights of all histories are added up by cell, a cell being the reward so far and the state: D is the
weight of a cell, N(a) that of its histories on which a follows, and the average plays :math:`N(a) / D` there.

By induction over the steps both policies reach each cell equally often.  At a cell of weight D the average plays a with
weight :math:`D \cdot N(a)/D`, as often as the policy does (multiplied out: no division); and the weights N(a) of all
cells and actions, moved on by one reward and one transition, are the weights of the next cells.  After the last step
this is the law of the return.
"""

STATEMENT = Statement(
    label="thm:augmented",
    title="policies of state and reward so far suffice",
    section="3",
    printed=Claim(
        r"\tilde\pi_t(a\mid y,s) = E[\pi_t(a\mid\Xi_t) \mid J(\Xi_t) \le y,\ s_t = s] "
        r"\Rightarrow \Phi(\tilde\pi) = \Phi(\pi)",
        "Averaging over the histories that have earned at most y keeps the objective.",
        _printed,
        when=lambda case: _printed_law(case) is not None,
    ),
    corrected=Claim(
        r"\tilde\pi_t(a\mid y,s) = E[\pi_t(a\mid\Xi_t) \mid J(\Xi_t) = y,\ s_t = s] "
        r"\Rightarrow Z^{\tilde\pi} \sim Z^\pi",
        "Averaging over the histories that have earned exactly y keeps the law of the return, hence every objective.",
        _corrected,
    ),
    cause=causes.AT_MOST_Y,
    uses=("lem:augmented:2",),
    cases=lambda: st.builds(
        lambda pair, objective: Case(pair[0], pair[1], objective),
        strategies.mdps_with_policies(kinds=("history", "return"), min_actions=2, max_horizon=3),
        strategies.weightings(jumps=True),
    ),
    small_cases=lambda: (
        Case(*pair, objective) for pair in small_models_and_policies() for objective in (vr.Mean(), vr.CVaR("1/2"))
    ),
    small_size=SMALL,
    counterexample=Case(*repeated_coin(), vr.Mean()),
    find_budget=300,
    proof=PROOF,
    formal=Formal(
        proves=("augmented_same_joint_law", "augmented_same_value"), refutes=("printed_augmentation_changes_value",)
    ),
    theory="02-augmentation.md#augmented",
    notes="One symbol at line 193, and only in the definition of the average: what the theorem is for, that policies "
    "of state and reward so far suffice for every objective of the form, stands.",
)
