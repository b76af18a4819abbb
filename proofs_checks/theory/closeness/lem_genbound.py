r"""lem:genbound: close models have close objectives.  False for policies that look at the return so far.

The proof integrates by parts as if :math:`r \mapsto F_{Z(s', y+r)}(x - r)` were monotone.  A y-policy can tell the
rewards of the two models apart however close their CDFs are.  In total variation it is true, for every policy.
"""

from __future__ import annotations

from fractions import Fraction

import verified_risk as vr
from verified_risk.numbers.enclosure import Real

from ...cases.estimation import expected_cost, lipschitz
from ...engine.model import Claim, Formal, Statement
from ...engine.severity import Severity
from .. import causes
from .model_pairs import (
    SMALL_SIZE,
    Pair,
    difference,
    drawn,
    in_both,
    one_state,
    printed_cost,
    small_pairs,
    variation_cost,
)


def _printed_slack(pair: Pair) -> Real:
    """T L_G E_M sum_t [l1 distance of the rows + KS distance of the rewards] - |Phi' - Phi|."""
    budget = expected_cost(pair.mdp, pair.policy, printed_cost(pair))
    return pair.mdp.horizon * lipschitz(pair.weighting) * budget - difference(pair)


def _corrected_slack(pair: Pair) -> Real:
    """T L_G E [sum_{t<=T} TV(R, R') + sum_{t<T} TV(P, P')] - |Phi' - Phi|, under M and under M'."""
    return in_both(difference(pair), pair, variation_cost(pair), pair.mdp.horizon * lipschitz(pair.weighting))


def _counterexample() -> Pair:
    """M: a pays 0 or 1; M': a pays 1/8; b pays 1.  Play a, then a where M' leads and b where M leads."""
    mdp = one_state([vr.Law({0: "1/2", 1: "1/2"}), 1], 2)
    twin = one_state([Fraction(1, 8), 1], 2)
    policy = vr.ReturnPolicy(mdp, {(0, 0, 0): 0, (1, 0, "1/8"): 0, (1, 0, 0): 1, (1, 0, 1): 1})
    return Pair(twin, mdp, policy, vr.Mean())


STATEMENT = Statement(
    label="lem:genbound",
    title="close models have close objectives",
    section="5",
    printed=Claim(
        r"|\Phi'(\pi) - \Phi(\pi)| \le T L_G\, \mathbf E_M \sum_t [\|P' - P\|_1 + \mathrm{KS}(R', R)]",
        "the objectives of any policy in two models differ by at most T L_G times the expected distances met in M",
        _printed_slack,
    ),
    corrected=Claim(
        r"|\Phi' - \Phi| \le T L_G\, \mathbf E \Bigl[\sum_{t \le T} \mathrm{TV}(R, R') + "
        r"\sum_{t < T} \mathrm{TV}(P, P')\Bigr]",
        "models whose rewards are close in total variation have close objectives, with the expectation in either model",
        _corrected_slack,
    ),
    finding=Severity.SUBSTANCE,
    cause=causes.PARTS,
    uses=("lem:key",),
    cases=drawn,
    small_cases=small_pairs,
    small_size=SMALL_SIZE,
    counterexample=_counterexample(),
    find_budget=2000,
    formal=Formal(
        proves=("value_close_in_total_variation_T",),
        refutes=("printed_closeness_false", "closeness_fails_for_y_policies"),
        counterexample="rewards of action a mixed with mass at 1, so that F†(1) = T; the executable counterexample has "
        "no such mass, difference 5/4 and printed right side 1",
    ),
    theory="07-closeness.md#genbound-refuted",
    notes="The difference is 5/4, the printed bound 1.  The ratio is unbounded: interlaced grids of m points.",
)
