r"""assump:lipschitz: the objective of a Lipschitz weighting is Lipschitz; which examples of the paper are Lipschitz.

If G is L-Lipschitz, :math:`|\Phi(X) - \Phi(Y)| \le L \int |F_X - F_Y|`.  VaR, the Wang transform and cumulative
probability weighting are named as examples of the class of objectives; none of them is Lipschitz, so no theorem of the
paper covers them.  Each is refuted constant by constant: for every L there is an explicit argument at which G grows
faster than L.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import all_laws, every, grid, some_weightings
from ...cases.estimation import lipschitz
from ...cases.irrational import absolute
from ...engine.model import Claim, Formal, Real, Statement, at_most
from .. import causes


@dataclass(frozen=True)
class PairCase:
    """Two laws and a Lipschitz weighting."""

    first: vr.Law
    second: vr.Law
    objective: vr.Weighting


LAWS = all_laws(grid("1/2"), 3)

LIPSCHITZ = Statement(
    label="assump:lipschitz",
    title="a Lipschitz weighting makes the objective Lipschitz",
    section="2",
    printed=Claim(
        r"|\Phi(X) - \Phi(Y)| \le L_G \int |F_X - F_Y|\,dx",
        "If the weighting grows at most at the rate L, objectives differ at most by L times the area between the CDFs.",
        lambda case: at_most(
            absolute(case.objective.of(case.first) - case.objective.of(case.second)),
            lipschitz(case.objective) * case.first.wasserstein(case.second),
        ),
    ),
    uses=("lem:key",),
    cases=lambda: st.builds(
        PairCase, strategies.laws(max_value=2), strategies.laws(max_value=2), strategies.weightings()
    ),
    small_cases=lambda: every(PairCase, LAWS, LAWS, some_weightings()),
    small_size="all pairs of laws on {0, 1/2, 1} with masses in thirds, five weightings",
    formal=Formal(proves=("Phi_lipschitz_in_area",)),
    theory="01-setting.md#phi-properties",
)


@dataclass(frozen=True)
class ConstantCase:
    """A proposed Lipschitz constant."""

    constant: int


def var_growth(constant: int) -> Real:
    r"""The change of VaR_{1/2} between coins with P(0) = 1/2 and 1/2 - e, e = 1/(2L+2), per unit of KS distance."""
    apart = Fraction(1, 2 * constant + 2)
    fair = vr.Law.of_weights({Fraction(0): Fraction(1, 2), Fraction(1): Fraction(1, 2)})
    tilted = vr.Law.of_weights({Fraction(0): Fraction(1, 2) - apart, Fraction(1): Fraction(1, 2) + apart})
    change = vr.VaR("1/2").of(tilted) - vr.VaR("1/2").of(fair)
    return change * (1 / fair.kolmogorov(tilted))


def wang_growth(constant: int) -> Real:
    r"""G(tau)/tau at :math:`\tau = 4^{-k}`, k = 2 + the bit length of L, for the Wang transform with beta = 1."""
    tau = Fraction(1, 4 ** (2 + constant.bit_length()))
    return vr.Wang(1)(tau) * (1 / tau)


def cpw_growth(constant: int) -> Real:
    r"""G(tau)/tau at tau = 1/(n^2+1), n = 4L + 8, for cumulative probability weighting with gamma = 1/2.  There it
    equals :math:`(n^2+1)^{3/2}/(n+1)^2`, which is at least :math:`n/4` for n >= 1."""
    n = 4 * constant + 8
    tau = Fraction(1, n * n + 1)
    return vr.CPW("1/2")(tau) * (1 / tau)


def _no_constant(
    name: str,
    covered: str,
    growth: Callable[[int], Real],
    *,
    printed: tuple[str, str],
    corrected: tuple[str, str],
    formal: Formal,
    uses: tuple[str, ...] = ("assump:lipschitz",),
    notes: str = "",
) -> Statement[ConstantCase]:
    """An objective that grows faster than any constant: claims are pairs of formula and words."""
    fair = (
        "Line 153 says that it is captured in this form, never that it is Lipschitz, and the theorem assumes it; "
        "only the announcements of the introduction reach further than the theorem."
    )
    announced = "The introduction announces bounds for all objectives of its form: "
    return Statement(
        label=f"assump:lipschitz/{name}",
        said="implied" if name == "var" else "inherited",  # one remark about the scope, with three instances
        title=f"the theorem covers {covered}",
        section="2",
        printed=Claim(printed[0], announced + printed[1], lambda case: case.constant - growth(case.constant)),
        corrected=Claim(*corrected, lambda case: growth(case.constant) - case.constant),
        cause=causes.SCOPE,
        uses=uses,
        cases=lambda: st.integers(1, 40).map(ConstantCase),
        small_cases=lambda: (ConstantCase(constant) for constant in range(1, 31)),
        small_size="constants 1 to 30",
        counterexample=ConstantCase(1),
        find_budget=5,
        formal=formal,
        theory="01-setting.md#objective-instances",
        notes=f"{fair} {notes}".rstrip(),
    )


VAR = _no_constant(
    "var",
    "VaR",
    var_growth,
    printed=(
        r"|\mathrm{VaR}(X) - \mathrm{VaR}(Y)| \le L\,\mathrm{KS}(X, Y) \text{ for some } L",
        "for VaR too, some constant bounds how fast it changes with the CDF.",
    ),
    corrected=(
        r"\forall L\ \exists X, Y \text{ on } \{0,1\}:\ |\mathrm{VaR}(X) - \mathrm{VaR}(Y)| > L\,\mathrm{KS}(X, Y)",
        "For every constant, two nearly equal coins have values at risk that differ by more.",
    ),
    formal=Formal(proves=("var_is_not_continuous",)),
    uses=("assump:lipschitz", "def:objective/var"),
)
WANG = _no_constant(
    "wang",
    "the Wang transform",
    wang_growth,
    printed=(
        r"\mathcal N(\mathcal N^{-1}(\tau) + 1) \le L\tau \text{ for some } L",
        "some constant bounds the growth of the Wang transform with beta = 1 at 0.",
    ),
    corrected=(
        r"\forall L\ \exists \tau:\ \mathcal N(\mathcal N^{-1}(\tau) + 1) > L\tau",
        "For every constant, the Wang transform with beta = 1 grows faster near 0.",
    ),
    formal=Formal(proves=("wang_grows_faster",)),
    notes="For all L by the slope exp(-b z - b^2/2); checked here with rigorous enclosures.",
)
CUMULATIVE = _no_constant(
    "cpw",
    "cumulative probability weighting",
    cpw_growth,
    printed=(
        r"\tau^{1/2}/(\tau^{1/2} + (1-\tau)^{1/2})^2 \le L\tau \text{ for some } L",
        "some constant bounds the growth of cumulative probability weighting with gamma = 1/2 at 0.",
    ),
    corrected=(
        r"\forall L\ \exists \tau:\ \tau^{1/2}/(\tau^{1/2} + (1-\tau)^{1/2})^2 > L\tau",
        "For every constant, cumulative probability weighting with gamma = 1/2 grows faster near 0.",
    ),
    formal=Formal(proves=("cpw_grows_faster",)),
    notes="At tau = 1/(n^2+1) the quotient is (n^2+1)^(3/2)/(n+1)^2.",
)

STATEMENTS = (LIPSCHITZ, VAR, WANG, CUMULATIVE)
