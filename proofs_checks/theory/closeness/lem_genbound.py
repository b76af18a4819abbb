r"""lem:genbound, lem:genbound/cdf: close models have close objectives, and close CDFs of the return.  False as printed.

The proof integrates by parts as if :math:`r \mapsto F_{Z(s', y+r)}(x - r)` were monotone.  A y-policy can tell the
rewards of the two models apart however close their CDFs are, and already its first step fails,

.. math:: \|F_{Z'} - F_Z\|_\infty \le B(\pi) = \mathbf E_M \sum_t [\|P' - P\|_1 + \mathrm{KS}(R', R)] .

In total variation both are true, for every policy, by coupling the two models step by step.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import verified_risk as vr

from ...cases.estimation import expected_cost, lipschitz
from ...engine.model import Claim, Formal, Statement
from ...engine.symbolic import Proof, Step, parameters
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


def _scale(pair: Pair) -> Fraction:
    """T L_G."""
    return pair.mdp.horizon * lipschitz(pair.weighting)


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
        lambda pair: _scale(pair) * expected_cost(pair.mdp, pair.policy, printed_cost(pair)) - difference(pair),
    ),
    corrected=Claim(
        r"|\Phi' - \Phi| \le T L_G\, \mathbf E \Bigl[\sum_{t \le T} \mathrm{TV}(R, R') + "
        r"\sum_{t < T} \mathrm{TV}(P, P')\Bigr]",
        "models whose rewards are close in total variation have close objectives, with the expectation in either model",
        lambda pair: in_both(difference(pair), pair, variation_cost(pair), _scale(pair)),
    ),
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


def distance(pair: Pair) -> Fraction:
    """The largest difference of the CDFs of the return in the two models."""
    return vr.return_law(pair.mdp, pair.policy.on(pair.mdp)).kolmogorov(
        vr.return_law(pair.twin, pair.policy.on(pair.twin))
    )


REWARDS, STATES = range(3), range(4)


def _proof_steps(planted: bool) -> list[Step]:
    """The recursion, and the effect of changing one law, outcome by outcome."""
    x = iter(parameters("x:38"))
    r, r_twin = [[next(x) for _ in REWARDS] for _ in "MM"]
    p, p_twin = [[next(x) for _ in STATES] for _ in "MM"]
    f, f_twin = [{cell: next(x) for cell in product(REWARDS, STATES)} for _ in "MM"]
    recursion = sum(
        (r_twin[i] * p_twin[j] * f_twin[i, j] - r[i] * p[j] * f[i, j])
        - (r_twin[i] - r[i]) * p_twin[j] * f_twin[i, j]
        - r[i] * (p_twin[j] - p[j]) * f_twin[i, j]
        - r[i] * p[j] * (f_twin[i, j] - f[i, j])
        for i, j in product(REWARDS, STATES)
    )
    # an outcome of value v, with 1 - v = left, gains the mass a and loses b; TV is the sum of all a, and of all b
    a, b, v, left = parameters("a, b, v, left")
    share = a / 2 if planted else a
    return [
        Step("the recursion", recursion, equation=True),
        Step("the mean grows by at most TV", share * (v + left) - (a - b) * v),
        Step("the mean falls by at most TV", b * (v + left) + (a - b) * v),
    ]


PROOF = Proof("every T and policy, 3 rewards, 4 next states", _proof_steps, "half of TV")
r"""lem:genbound/cdf in total variation, for every policy, by induction over the steps left.

At a fixed place x and after a history, let f and :math:`f'` be the probabilities, in the two models, of a return of at
most x once reward and next state are known.  Both lie in [0, 1].  One step before they are :math:`\sum R P f` and
:math:`\sum R' P' f'`, with the same action, and

.. math:: \sum R'P'f' - \sum RPf = \sum (R' - R) P' f' + \sum R (P' - P) f' + \sum RP (f' - f) .

The last sum is the error of the steps left, in expectation under M.  Each of the others averages numbers of [0, 1], by
:math:`P'` or by R, and then compares two laws :math:`q = p + a - b`, where :math:`a, b \ge 0` add up to TV each: the
means differ by at most TV.  After the last step the next state does not matter.  Exchanging the models gives the other
sign, and the expectation under :math:`M'`.
"""

CDF = replace(
    STATEMENT,
    label="lem:genbound/cdf",
    title="close models have close CDFs of the return",
    section="C",
    printed=Claim(
        r"\|F_{Z'} - F_Z\|_\infty \le \mathbf E_M \sum_t [\|P' - P\|_1 + \mathrm{KS}(R', R)]",
        "the CDFs of the return of any policy in two models differ by at most the expected distances met in M",
        lambda pair: expected_cost(pair.mdp, pair.policy, printed_cost(pair)) - distance(pair),
    ),
    corrected=Claim(
        r"\|F_{Z'} - F_Z\|_\infty \le \mathbf E \Bigl[\sum_{t \le T} \mathrm{TV}(R, R') + "
        r"\sum_{t < T} \mathrm{TV}(P, P')\Bigr]",
        "models that are close in total variation have close CDFs of the return, with the expectation in either model",
        lambda pair: in_both(distance(pair), pair, variation_cost(pair)),
    ),
    uses=("def:bellman",),
    proof=PROOF,
    formal=Formal(proves=("cdfs_close",)),
    theory="07-closeness.md#close-a",
    notes="Line 1019. Lines 1044-1046 print equalities where the recursion gives inequalities; that does not matter.",
)
