r"""L2/duality: a concave weighting is a mixture of CVaRs, and its objective a maximum of expected utilities.

.. math:: \Phi(Z) = \max_\rho \mathbf E\, h_\rho(Z), \qquad
          h_\rho(z) = \sum_j w_j \bigl(\rho_j - (\rho_j - z)^+/\alpha_j\bigr),

with the maximum at quantiles of Z, and each :math:`h_\rho` nondecreasing and :math:`L_G`-Lipschitz.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import all_laws, every, grid
from ...cases.estimation import lipschitz
from ...cases.greedy import expected_utility, tails_of, utility
from ...engine.model import Claim, Formal, Real, Statement, at_most, equality, least


@dataclass(frozen=True)
class Case:
    """A law, a concave weighting, and a threshold."""

    law: vr.Law
    weighting: vr.Weighting
    rho: Fraction


def _slack(case: Case) -> Real:
    tails = tails_of(case.weighting)
    value = case.weighting.of(case.law)
    candidates = list(product(case.law.atoms, repeat=len(tails)))
    best = max(expected_utility(case.law, tails, rho) for rho in candidates)
    anyone = (case.rho,) * len(tails)
    points = sorted({Fraction(-1), *case.law.atoms, case.rho, Fraction(2)})
    rises = [(utility(tails, anyone, y) - utility(tails, anyone, x), y - x) for x, y in pairwise(points)]
    constant = lipschitz(case.weighting)
    return least(
        equality(sum((w for _, w in tails), Fraction()), Fraction(1)),
        equality(value, best),
        at_most(expected_utility(case.law, tails, anyone), value, "any utility"),
        *(rise for rise, _ in rises),
        *(at_most(rise, constant * run, "rise") for rise, run in rises),
    )


def _small_cases() -> Iterator[Case]:
    half = Fraction(1, 2)
    mixtures = vr.Spectral([half, 1], [half, half]), vr.Spectral(["1/4", half], [half, half])
    weightings = (vr.Mean(), vr.CVaR(half), vr.CVaR("1/4"), *mixtures)
    return every(Case, all_laws(grid("1/2"), 4), weightings, (Fraction(), Fraction(1, 4), half, Fraction(1)))


STATEMENT = Statement(
    label="L2/duality",
    title="concave objectives are maxima of expected utilities",
    corrected=Claim(
        r"\Phi(Z) = \max_\rho \mathbf E h_\rho(Z), \ h_\rho \text{ nondecreasing and } L_G\text{-Lipschitz}",
        "for concave G the objective is the best expected utility of a family of nondecreasing Lipschitz utilities",
        _slack,
    ),
    uses=("lem:key",),
    cases=lambda: st.builds(
        lambda weighting, law, rho: Case(law, weighting, rho),
        strategies.weightings(shape="concave", max_corners=3),
        strategies.laws(),
        strategies.rationals(),
    ),
    small_cases=_small_cases,
    small_size="laws on 0, 1/2, 1 with masses in quarters, five weightings, four thresholds",
    formal=Formal(proves=("supporting_utility_exists",)),
    theory="04-planning.md#cvar-mixture",
)
