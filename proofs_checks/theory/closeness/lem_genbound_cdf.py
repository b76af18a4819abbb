r"""lem:genbound/cdf: the first step of the proof of lem:genbound, close CDFs of the return.  False by the same pair.

.. math:: \|F_{Z'} - F_Z\|_\infty \le B(\pi) = \mathbf E_M \sum_t [\|P' - P\|_1 + \mathrm{KS}(R', R)] .

In total variation it is true for every policy, by coupling the two models step by step.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from verified_risk.policy.evaluation import return_law

from ...cases.estimation import expected_cost
from ...engine.model import Claim, Formal, Statement
from ...engine.severity import Severity
from ...engine.symbolic import Proof, Step, parameters
from .. import causes
from . import lem_genbound
from .model_pairs import SMALL_SIZE, Pair, drawn, in_both, printed_cost, small_pairs, variation_cost


def distance(pair: Pair) -> Fraction:
    """The largest difference of the CDFs of the return in the two models."""
    return return_law(pair.mdp, pair.policy.on(pair.mdp)).kolmogorov(return_law(pair.twin, pair.policy.on(pair.twin)))


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

STATEMENT = Statement(
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
    finding=Severity.SUBSTANCE,
    cause=causes.PARTS,
    uses=("def:bellman",),
    cases=drawn,
    small_cases=small_pairs,
    small_size=SMALL_SIZE,
    counterexample=lem_genbound.STATEMENT.counterexample,
    find_budget=lem_genbound.STATEMENT.find_budget,
    proof=PROOF,
    formal=Formal(proves=("cdfs_close",)),
    theory="07-closeness.md#close-a",
    notes="Line 1019. Lines 1044-1046 print equalities where the recursion gives inequalities; that does not matter.",
)
