r"""lem:genbound/cdf: the first step of the proof of lem:genbound, close CDFs of the return.  False by the same pair.

.. math:: \|F_{Z'} - F_Z\|_\infty \le B(\pi) = \mathbf E_M \sum_t [\|P' - P\|_1 + \mathrm{KS}(R', R)] .

In total variation it is true for every policy, by coupling the two models step by step.
"""

from __future__ import annotations

from fractions import Fraction

from verified_risk.numbers.enclosure import Real
from verified_risk.policy.evaluation import return_law

from ...engine.model import Claim, Formal, Statement, least
from ...engine.severity import Severity
from .. import causes
from . import lem_genbound
from .lem_genbound_cdf_proof import PROOF
from .model_pairs import (
    SMALL_SIZE,
    Pair,
    drawn,
    expected,
    expected_in_twin,
    kolmogorov,
    small_pairs,
    variation_of_rewards,
    variation_of_rows,
)


def distance(pair: Pair) -> Fraction:
    """The largest difference of the CDFs of the return in the two models."""
    return return_law(pair.mdp, pair.policy.on(pair.mdp)).kolmogorov(return_law(pair.twin, pair.policy.on(pair.twin)))


def _printed_slack(pair: Pair) -> Real:
    def cost(t: int, s: int, a: int) -> Fraction:
        return 2 * variation_of_rows(pair.mdp, pair.twin, s, a) + kolmogorov(pair.mdp, pair.twin, s, a)

    return expected(pair, cost) - distance(pair)


def _corrected_slack(pair: Pair) -> Real:
    horizon = pair.mdp.horizon

    def cost(t: int, s: int, a: int) -> Fraction:
        rows = variation_of_rows(pair.mdp, pair.twin, s, a) if t < horizon - 1 else Fraction()
        return variation_of_rewards(pair.mdp, pair.twin, s, a) + rows

    return least(expected(pair, cost), expected_in_twin(pair, cost)) - distance(pair)


STATEMENT = Statement(
    source=__file__,
    label="lem:genbound/cdf",
    title="close models have close CDFs of the return",
    section="C",
    printed=Claim(
        r"\|F_{Z'} - F_Z\|_\infty \le \mathbf E_M \sum_t [\|P' - P\|_1 + \mathrm{KS}(R', R)]",
        "the CDFs of the return of any policy in two models differ by at most the expected distances met in M",
        _printed_slack,
    ),
    corrected=Claim(
        r"\|F_{Z'} - F_Z\|_\infty \le \mathbf E \Bigl[\sum_{t \le T} \mathrm{TV}(R, R') + "
        r"\sum_{t < T} \mathrm{TV}(P, P')\Bigr]",
        "the same with total variation, and the expectation in either model",
        _corrected_slack,
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
