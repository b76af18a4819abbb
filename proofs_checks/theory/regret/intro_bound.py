r"""intro:bound: the rate announced in the introduction.  Looser than the theorem's, from which it follows.

.. math:: T^2 |S|^{3/2} |A| \sqrt K \quad\text{against}\quad T^{3/2} |S|^{3/2} \sqrt{|A| K} .
"""

from dataclasses import dataclass

from hypothesis import strategies as st

from ...cases.enumeration import every
from ...engine.model import Claim, Formal, Statement, at_most


@dataclass(frozen=True)
class Case:
    """Steps and actions."""

    horizon: int
    actions: int


STATEMENT = Statement(
    label="intro:bound",
    title="the rate announced in the introduction",
    section="1",
    printed=Claim(
        r"T^{3/2}|S|^{3/2}\sqrt{|A|K} \le T^2|S|^{3/2}|A|\sqrt K",
        "the rate of the theorem is within the one that the introduction announces; the regret itself is thm:main",
        # the squares of the two rates, without their common factor |S|^3 K
        lambda case: at_most(case.horizon**3 * case.actions, case.horizon**4 * case.actions**2),
    ),
    uses=("thm:main",),
    cases=lambda: st.builds(Case, st.integers(1, 1000), st.integers(1, 1000)),
    small_cases=lambda: every(Case, range(1, 21), range(1, 21)),
    small_size="T, |A| <= 20",
    formal=Formal(proves=("introduction_is_weaker",)),
    theory="08-regret.md#intro-bound",
    notes="The introduction announces a regret of this rate, up to logarithms and constants, so that no single case "
    "can contradict it; what is known of that regret is said at thm:main. Only the two rates are compared here and in "
    "Coq.",
)
