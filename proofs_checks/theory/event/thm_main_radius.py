r"""thm:main/coefficient and thm:main/log: how the proof of the main theorem adds the two radii.

.. math:: \sqrt{|S|}\,(\epsilon_P + \epsilon_R) = \sqrt{|S|}\,\bigl(\sqrt{2|S|} + \sqrt{1/2}\bigr)
          \sqrt{\tfrac1N \log\tfrac{6|S||A|K}{\delta}} \le \sqrt{\tfrac{5|S|^2}{N} \log\tfrac{6|S||A|K}{\delta}} .

The coefficient holds.  The printed line has a 4 in the logarithm where the radii have a 6; as an inequality it survives
for :math:`|S| \ge 2`, because the coefficient 5 is not tight.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from hypothesis import strategies as st

from ...cases.enumeration import every
from ...cases.irrational import log, root
from ...engine.model import Claim, Formal, Real, Statement, at_most
from .. import causes


@dataclass(frozen=True)
class Sizes:
    """States (counting s_inf), actions, episodes, delta."""

    states: int
    actions: int
    episodes: int
    delta: Fraction

    @property
    def ratio(self) -> Fraction:
        """|S| |A| K / delta."""
        return Fraction(self.states * self.actions * self.episodes) / self.delta


def _coefficient(states: int) -> Real:
    """sqrt|S| (sqrt(2|S|) + sqrt(1/2)), the sum of the two radii in units of sqrt(log / N)."""
    return root(states) * (root(2 * states) + root(Fraction(1, 2)))


def _has_ordinary_state(sizes: Sizes) -> bool:
    return sizes.states >= 2


@st.composite
def _cases(draw: st.DrawFn) -> Sizes:
    delta = draw(st.sampled_from((Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**6))))
    return Sizes(draw(st.integers(1, 50)), draw(st.integers(1, 20)), draw(st.integers(1, 10**6)), delta)


COEFFICIENT = Statement(
    label="thm:main/coefficient",
    title="the two radii add up to sqrt(5) |S|",
    section="C",
    printed=Claim(
        r"\sqrt{|S|}\bigl(\sqrt{2|S|} + \sqrt{1/2}\bigr) \le \sqrt5\,|S|",
        "the sum of the radii, times the root of |S|, is at most the root of 5 times |S|",
        lambda sizes: at_most(_coefficient(sizes.states), root(5) * sizes.states),
    ),
    uses=("lem:fullbound",),
    cases=_cases,
    small_cases=lambda: every(Sizes, range(1, 7), range(1, 4), (1, 2, 3, 10, 1000), (Fraction(1), Fraction(1, 10))),
    small_size="|S| <= 6, |A| <= 3, K in 1, 2, 3, 10, 1000, delta in 1, 1/10",
    formal=Formal(proves=("radii_add_up",)),
    reaches={"bound": ("0.9", "largest at the least number of states, where it is 0.949")},
    theory="08-regret.md#main-steps",
)

LOG = replace(
    COEFFICIENT,
    label="thm:main/log",
    said="implied",
    title="log 6 becomes log 4",
    printed=Claim(
        r"\log\frac{6|S||A|K}{\delta} \le \log\frac{4|S||A|K}{\delta}",
        "the logarithm of the radii may be replaced by one with a 4",
        lambda sizes: log(4 * sizes.ratio) - log(6 * sizes.ratio),
        when=_has_ordinary_state,
    ),
    corrected=Claim(
        r"\sqrt{|S|}\bigl(\sqrt{2|S|} + \sqrt{1/2}\bigr)\sqrt{\log 6x} \le \sqrt{5|S|^2 \log 4x}, \ "
        r"x = |S||A|K/\delta,\ |S| \ge 2",
        "the line is still true if there is an ordinary state, because the coefficient 5 is not tight",
        lambda sizes: at_most(
            _coefficient(sizes.states) * root(log(6 * sizes.ratio)), root(5 * sizes.states**2 * log(4 * sizes.ratio))
        ),
        when=_has_ordinary_state,
    ),
    cause=causes.LOG,
    uses=("lem:fullbound", "thm:main/coefficient"),
    counterexample=Sizes(2, 1, 1, Fraction(1)),
    find_budget=10,
    formal=Formal(proves=("printed_logarithm_survives",)),
    reaches={"bound": ("0.9", "largest at the least number of states, where it is 0.936")},
    notes="The slip has no effect: with |S| = 2 the left side is at most 0.94 of the right side.",
)

STATEMENTS = (COEFFICIENT, LOG)
