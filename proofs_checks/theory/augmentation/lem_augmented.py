r"""lem:augmented:1 and lem:augmented:2: the two steps of the augmentation theorem.

The first compares the probability of an action on histories with :math:`J \le y` in state s, under the policy and
under its average; the second compares the joint laws :math:`D_t(y, s) = P(J(\Xi_t) \le y, s_t = s)`.  Both fail for the
printed average (over :math:`J \le y`) and hold for the average over :math:`J = y`.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import starmap

from verified_risk.policy.evaluation import behavioural_form

from ...cases import strategies
from ...cases.histories import added, gained, history_laws, state
from ...engine.model import Claim, Formal, Statement
from .. import causes
from ..setting.def_history import Case
from .conditioning import Rule, cumulative, joint_laws, printed_rule, rule_of, visits
from .thm_augmented import SMALL, repeated_coin, small_models_and_policies


def _plays(case: Case, rule: Rule) -> Fraction:
    """-max |E[pi(a) 1(J <= y, s)] - E[rule(a) 1(J <= y, s)]| over all t, s, a and attained y, under the policy."""
    worst = Fraction()
    for t, cells in enumerate(visits(case.mdp, case.policy)):
        for s, y in cells:
            for a in range(case.mdp.n_actions[s]):
                gap = Fraction()
                for (state_, gain), (mass, shares) in cells.items():
                    if state_ == s and gain <= y:
                        averaged = rule(t, s, gain)
                        assert averaged is not None  # the policy itself reaches this cell
                        gap += shares.get(a, Fraction()) - mass * averaged.get(a, Fraction())
                worst = max(worst, abs(gap))
    return -worst


def _reaches(case: Case, rule: Rule) -> Fraction:
    """-max |D_t(y, s) under the policy - D_t(y, s) under the rule| over t = 1..T+1, s and attained y."""
    averaged = joint_laws(case.mdp, rule)
    assert averaged is not None
    own = (
        added(((state(xi), gained(xi)), mass) for xi, mass in level.items())
        for level in history_laws(case.mdp, case.policy)
    )
    worst = Fraction()
    for mine, other in zip(own, averaged, strict=True):
        for s, y in {*mine, *other}:
            worst = max(worst, abs(cumulative(mine, s, y) - cumulative(other, s, y)))
    return -worst


def _printed_rule(case: Case) -> Rule:
    return printed_rule(visits(case.mdp, case.policy))


def _exact_rule(case: Case) -> Rule:
    return rule_of(behavioural_form(case.mdp, case.policy))


FIRST = Statement(
    label="lem:augmented:1",
    title="the average plays each action as often",
    section="A",
    printed=Claim(
        r"E[\pi_t(a\mid\Xi_t)\mathbf 1(J \le y, s_t = s)] = E[\tilde\pi_t(a\mid\Xi_t)\mathbf 1(J \le y, s_t = s)]",
        "On histories that earned at most y, the policy and its printed average play each action equally often.",
        lambda case: _plays(case, _printed_rule(case)),
    ),
    corrected=Claim(
        r"\text{the same with } \tilde\pi_t(a\mid y,s) = E[\pi_t(a\mid\Xi_t) \mid J = y,\ s_t = s]",
        "On histories that earned at most y, the policy and its average over equal y play each action equally often.",
        lambda case: _plays(case, _exact_rule(case)),
    ),
    cause=causes.AT_MOST_Y,
    uses=("def:history",),
    cases=lambda: strategies.mdps_with_policies(kinds=("history", "return"), min_actions=2, max_horizon=3).map(
        lambda pair: Case(*pair)
    ),
    small_cases=lambda: starmap(Case, small_models_and_policies()),
    small_size=SMALL,
    counterexample=Case(*repeated_coin()),
    find_budget=300,
    formal=Formal(proves=("augmented_same_average",), refutes=("printed_average_differs",)),
    theory="02-augmentation.md#augmented-1",
    notes="Line 653 replaces J by y inside the average, which is right for histories with J = y.",
)

SECOND = replace(
    FIRST,
    label="lem:augmented:2",
    title="the average keeps the joint law of state and reward so far",
    printed=Claim(
        r"D_t^{\pi}(y,s) = D_t^{\tilde\pi}(y,s) \quad (t \le T+1)",
        "The policy and its printed average reach each state with reward at most y equally often.",
        lambda case: _reaches(case, _printed_rule(case)),
        when=lambda case: joint_laws(case.mdp, _printed_rule(case)) is not None,
    ),
    corrected=Claim(
        r"D_t^{\pi}(y,s) = D_t^{\tilde\pi}(y,s) \quad (t \le T+1), \quad \tilde\pi \text{ averaged over } J = y",
        "The policy and its average over equal y reach each state with reward at most y equally often.",
        lambda case: _reaches(case, _exact_rule(case)),
    ),
    uses=("lem:augmented:1",),
    formal=Formal(proves=("augmented_same_joint_law",), refutes=("return_of_printed_augmented",)),
    theory="02-augmentation.md#augmented-2",
    notes="With the average over J = y the printed induction needs one more line: it is done cell by cell in y.",
)

STATEMENTS = (FIRST, SECOND)
