r"""lem:key: :math:`\Phi = T - \int_{\mathbb R} G(F(x))\,dx`, and :math:`2T - \dots` in the introduction.  Both diverge.

Beyond the largest return F = 1 and G(F) = 1, so the integral over the line is infinite and the right side is minus
infinity.  What is true: for every M at least the largest return, and without any condition on the largest return,

.. math:: \Phi = M - \int_0^M G(F(x))\,dx .

The printed right side is at most :math:`T - \int_0^M G(F)` for every M, because G(F) is nonnegative; so a single M on
which that is below :math:`\Phi` refutes it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import all_laws, every, grid, some_weightings
from ...engine.model import Claim, Formal, Real, Statement, equality
from ...engine.symbolic import Proof, Step, parameters
from .. import causes


@dataclass(frozen=True)
class Case:
    """The law of a return in [0, T], a weighting, and an upper limit M of integration."""

    law: vr.Law
    horizon: int
    objective: vr.Weighting
    top: Fraction


def area(law: vr.Law, weight: Callable[[Fraction], Real], low: Fraction, high: Fraction) -> Fraction:
    """The integral of ``weight(F(x))`` over ``[low, high]``, rectangle by rectangle; rational weights only."""
    corners = sorted({low, high, *(x for x in law.atoms if low < x < high)})
    total = Fraction()
    for x, following in pairwise(corners):
        height = weight(law.cdf(x))
        assert isinstance(height, (Fraction, int))
        total += height * (following - x)
    return total


def _meets(case: Case) -> bool:
    """Returns lie in [0, T] and the integral covers them."""
    return case.law.atoms[0] >= 0 and case.law.atoms[-1] <= case.horizon <= case.top


def _meets_as_printed(case: Case) -> bool:
    """The paper also assumes that the largest possible return T is attained (assump:quantile)."""
    return _meets(case) and case.law.atoms[-1] == case.horizon


def _printed(case: Case, factor: int) -> Real:
    """(factor T - int_0^M G(F)) - Phi, which the printed identity needs to be nonnegative for every M."""
    return factor * case.horizon - area(case.law, case.objective, Fraction(0), case.top) - case.objective.of(case.law)


def key_identity(law: vr.Law, objective: vr.Weighting, top: Fraction) -> Real:
    """-|M - int_0^M G(F) - Phi| at M = ``top``."""
    return equality(top - area(law, objective, Fraction(0), top), objective.of(law))


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    horizon = draw(st.integers(1, 3))
    law = draw(strategies.laws(max_value=horizon, max_atoms=4))
    if draw(st.booleans()):  # move the largest return to T, which the paper assumes
        law = vr.Law.of_weights({**dict(list(law)[:-1]), Fraction(horizon): law.masses[-1]})
    if draw(st.sampled_from((False, False, False, True))):  # beyond the range of the integral
        law = law.affine(1, 4 * horizon)
    top = horizon + draw(strategies.rationals(max_value=2 * horizon + 1, max_denominator=3))
    return Case(law, horizon, draw(strategies.weightings(jumps=True)), top)


def _proof_steps(planted: bool) -> list[Step]:
    """One atom, then one more."""
    x, y, g, h, top = parameters("x, y, g, h, M")
    area_before = g * (top - x)
    area_after = (h if planted else g) * (y - x) + h * (top - y)
    return [
        Step("one atom: x g = M g - g (M - x)", x * g - (top * g - area_before), equation=True),
        Step(
            "one more atom adds the same to both sides",
            y * (h - g) - (top * (h - g) - (area_after - area_before)),
            equation=True,
        ),
    ]


PROOF = Proof("any number of atoms, any G and every M", _proof_steps, "F is already larger before the atom")
r"""lem:key for any number of atoms, by induction over the atoms.

A law with atoms :math:`x_1 \le \dots \le x_n` enters through the levels :math:`g_i = G(F(x_i))`, with :math:`g_0 = 0`:

.. math:: \Phi_n = \sum_{i \le n} x_i (g_i - g_{i-1}), \qquad
          A_n = \sum_{i < n} g_i (x_{i+1} - x_i) + g_n (M - x_n) ,

and :math:`A_n` is the area under G(F) on [0, M], since G(F) = 0 before the first atom.  The claim is
:math:`\Phi_n = M g_n - A_n`; with all atoms :math:`g_n = G(1) = 1`.  An atom y with level h behind the last one, x with
level g, adds :math:`y (h - g)` to the left side; in the area it cuts the strip from x to M at y.
"""

INTRODUCTION = Statement(
    label="intro:key",
    title="the introduction's form of the key identity",
    section="1",
    printed=Claim(
        r"\Phi = 2T - \int_{\mathbb R} G(F(x))\,dx",
        "The objective is 2T minus the area under G(F) on the whole line.",
        lambda case: _printed(case, 2),
        when=_meets_as_printed,
    ),
    corrected=Claim(
        r"\Phi = 2T - \int_0^{2T} G(F(x))\,dx",
        "The objective is 2T minus the area under G(F) on [0, 2T].",
        lambda case: key_identity(case.law, case.objective, Fraction(2 * case.horizon)),
        when=_meets,
    ),
    cause=causes.WHOLE_LINE,
    uses=("lem:key",),
    cases=_cases,
    small_cases=lambda: every(
        Case, all_laws(grid("1/2"), 4), [1], some_weightings(jumps=True), map(Fraction, (1, 2, 3))
    ),
    small_size="T = 1, all laws on {0, 1/2, 1} with masses in quarters, seven weightings of every shape, "
    "M in {1, 2, 3}",
    counterexample=Case(vr.Law.point(1), 1, vr.Mean(), Fraction(3)),
    find_budget=200,
    formal=Formal(
        proves=("key_identity",),
        refutes=("no_improper_integral_of_weighted_cdf",),
        counterexample="every finite law and weighting; the executable counterexample is a point mass at 1",
    ),
    theory="01-setting.md#key-identity",
    notes="Line 317 has T; lines 1051 and 1100 integrate over [0, T], where the identity with T is true.",
)

KEY = replace(
    INTRODUCTION,
    label="lem:key",
    title="the key identity",
    section="5",
    printed=Claim(
        r"\Phi = T - \int_{\mathbb R} G(F(x))\,dx",
        "The objective is T minus the area under G(F) on the whole line.",
        lambda case: _printed(case, 1),
        when=_meets_as_printed,
    ),
    corrected=Claim(
        r"\Phi = M - \int_0^M G(F(x))\,dx \quad (M \ge T)",
        "For every M of at least T, the objective is M minus the area under G(F) on [0, M].",
        lambda case: key_identity(case.law, case.objective, case.top),
        when=_meets,
    ),
    uses=("def:quantile/zero", "def:objective/jumps", "assump:quantile"),
    counterexample=Case(vr.Law.point(1), 1, vr.Mean(), Fraction(2)),
    find_budget=100,
    proof=PROOF,
    formal=Formal(
        proves=("key_identity",),
        refutes=("no_improper_integral_of_weighted_cdf", "printed_right_side_drifts"),
        counterexample="every finite law and weighting; the executable counterexample is a point mass at 1",
    ),
    notes="Used only on [0, T], at lines 1051 and 1100, where it is true. The printed proof (lines 321-415) "
    "also counts overlapping sets of levels twice and gives the half-line beyond the largest return "
    "measure zero.",
)
