r"""def:rewards: rewards in [0, 1] without loss of generality.  Holds: the objective moves and scales with the return.

If every reward is replaced by :math:`c r + d`, :math:`c > 0`, the return becomes :math:`c Z + T d`, and
:math:`\Phi(c Z + T d) = c\,\Phi(Z) + T d`.  So optimal policies stay optimal and regret is multiplied by c.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import all_laws, grid, some_weightings
from ...engine.model import Claim, Formal, Real, Statement, equality


@dataclass(frozen=True)
class Case:
    """The law of a return, a factor, a shift, and a weighting."""

    law: vr.Law
    factor: Fraction
    shift: Fraction
    objective: vr.Weighting


def _slack(case: Case) -> Real:
    moved = case.objective.of(case.law.affine(case.factor, case.shift))
    return equality(moved, case.factor * case.objective.of(case.law) + case.shift)


def _cases() -> st.SearchStrategy[Case]:
    reversing = st.sampled_from((Fraction(-1), Fraction(-1, 2)))
    factors = st.one_of(st.integers(0, 12).map(lambda i: Fraction(i, 4)), reversing)
    shifts = strategies.rationals(max_value=3, max_denominator=4)
    return st.builds(Case, strategies.laws(max_value=2), factors, shifts, strategies.weightings(jumps=True))


CHANGES = ((Fraction(1, 3), Fraction()), (Fraction(2), Fraction(1)), (Fraction(1), Fraction(1, 2)))

STATEMENT = Statement(
    label="def:rewards",
    title="rewards in [0, 1] without loss of generality",
    section="2",
    printed=Claim(
        r"\Phi(cZ + d) = c\,\Phi(Z) + d \quad (c > 0)",
        "If rewards are moved and scaled, the objective of every policy moves and scales with them.",
        _slack,
        when=lambda case: case.factor > 0,
    ),
    cases=_cases,
    small_cases=lambda: (
        Case(law, *change, objective)
        for law, objective, change in product(all_laws(grid("1/2"), 4), some_weightings(jumps=True), CHANGES)
    ),
    small_size="all laws on {0, 1/2, 1} with masses in quarters, three changes of scale, all small weightings",
    formal=Formal(proves=("Phi_of_moved_rewards",)),
    theory="01-setting.md#phi-properties",
    notes="Bounded rewards are needed; line 114 says so by its range.",
)
