r"""lem:optimismhat/cdf: optimism at the level of CDFs, as the proof of lem:optimismhat has it.  False by the same case.

.. math:: F_{\hat Z^{(\pi)}}(x) \le F_{Z^{(\pi)}}(x) \text{ for all } x, \text{ on the event.}

It is true for Markov policies, whose choices do not react to the flattered rewards.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from verified_risk.law import Law
from verified_risk.policy import MarkovPolicy, Policy
from verified_risk.policy.evaluation import return_law

from ...cases.estimation import lifted, on_event, optimistic_mdp
from ...engine.model import Claim, Formal, Statement
from ...engine.severity import Severity
from .. import causes
from . import lem_optimismhat
from .lem_optimismhat import Case, printed_met
from .lem_optimismhat_cdf_proof import PROOF


def ahead(lower: Law, upper: Law) -> Fraction:
    """The least ``F(x) - G(x)`` over all x, for the CDFs F of ``lower`` and G of ``upper``."""
    return min(lower.cdf(x) - upper.cdf(x) for x in {*lower.atoms, *upper.atoms})


def _dominance(case: Case, policy: Policy) -> Fraction:
    better = optimistic_mdp(case.estimate, case.radii)
    return ahead(return_law(case.mdp, policy), return_law(better, lifted(policy, better)))


def _markov(case: Case) -> Fraction:
    """The same for every deterministic Markov policy of one state."""
    tables = product(range(case.mdp.n_actions[0]), repeat=case.mdp.horizon)
    return min(_dominance(case, MarkovPolicy(case.mdp, [[a] for a in table])) for table in tables)


STATEMENT = Statement(
    source=__file__,
    label="lem:optimismhat/cdf",
    title="the optimistic model dominates for every policy",
    section="C",
    printed=Claim(
        r"F_{\hat Z^{(\pi)}}(x) \le F_{Z^{(\pi)}}(x) \text{ on } \mathcal E, \text{ for every } \pi",
        "on the event, the return of every policy is stochastically larger in the optimistic model",
        lambda case: _dominance(case, case.policy),
        when=printed_met,
    ),
    corrected=Claim(
        r"F_{\hat Z^{(\pi)}}(x) \le F_{Z^{(\pi)}}(x) \text{ on } \mathcal E, \text{ for every Markov } \pi",
        "on the event, the return of every Markov policy is stochastically larger in the optimistic model",
        _markov,
        when=lambda case: case.mdp.n_states == 1 and on_event(case.mdp, case.estimate, case.radii),
    ),
    finding=Severity.SUBSTANCE,
    cause=causes.PARTS,
    uses=("def:optimistic/rows", "def:optimistic/rewards", "L1/markov"),
    cases=lem_optimismhat.STATEMENT.cases,
    small_cases=lem_optimismhat.STATEMENT.small_cases,
    small_size=lem_optimismhat.STATEMENT.small_size,
    counterexample=lem_optimismhat.STATEMENT.counterexample,
    find_budget=lem_optimismhat.STATEMENT.find_budget,
    proof=PROOF,
    formal=Formal(proves=("markov_return_dominates",)),
    theory="06-event-and-optimism.md#optimism-refuted",
    notes="Lines 1061-1097. The substitution r = x' - x of line 1076 also has a sign exchanged.",
)
