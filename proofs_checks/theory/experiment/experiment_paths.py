r"""experiment:paths: which of the four paths of the frozen lake is optimal at each CVaR level.

The paths end with return 6, 4, 2, 1 with probability 0.729, 0.81, 0.9, 1 and with 0 otherwise.  The CVaR of return x
with success probability q is :math:`x (\alpha - (1-q))^+/\alpha`.  The paper names the returns 6, 4, 2, 1 as optimal
at alpha = 0.40, 0.33, 0.25, 0.01.  At 0.40 it is 4, not 6: the switches are at 1/5, 7/25 and 433/1000.
"""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...engine.model import Claim, Formal, Real, Statement, at_most
from .. import causes

PATHS = {6: Fraction("0.729"), 4: Fraction("0.81"), 2: Fraction("0.9"), 1: Fraction(1)}
PRINTED = {Fraction("0.40"): 6, Fraction("0.33"): 4, Fraction("0.25"): 2, Fraction("0.01"): 1}
SWITCHES = ((Fraction(1, 5), 1), (Fraction(7, 25), 2), (Fraction(433, 1000), 4), (Fraction(1), 6))


@dataclass(frozen=True)
class Case:
    """A CVaR level."""

    alpha: Fraction


def cvar(path: int, alpha: Fraction) -> Fraction:
    """The CVaR of the path with this return."""
    success = PATHS[path]
    law = vr.Law.of_weights({Fraction(0): 1 - success, Fraction(path): success})
    return vr.CVaR(alpha).of(law)  # type: ignore[return-value]


def _behind(path: int, alpha: Fraction) -> Real:
    """The CVaR of this path minus that of the best one."""
    return at_most(max(cvar(other, alpha) for other in PATHS), cvar(path, alpha))


STATEMENT = Statement(
    label="experiment:paths",
    title="the optimal path at each level",
    section="6",
    printed=Claim(
        r"\alpha = 0.40, 0.33, 0.25, 0.01:\ \text{the optimal paths return } 6, 4, 2, 1",
        "At each of the four levels the path named in print has the largest CVaR.",
        lambda case: _behind(PRINTED[case.alpha], case.alpha),
        when=lambda case: case.alpha in PRINTED,
    ),
    corrected=Claim(
        r"\alpha \le \tfrac15: 1,\ \alpha \le \tfrac7{25}: 2,\ \alpha \le \tfrac{433}{1000}: 4,\ \text{else } 6",
        "The path of return 1 is optimal up to level 1/5, 2 up to 7/25, 4 up to 433/1000, 6 beyond.",
        lambda case: _behind(next(path for switch, path in SWITCHES if case.alpha <= switch), case.alpha),
    ),
    cause=causes.LEVELS,
    uses=("def:objective/cvar",),
    cases=lambda: st.one_of(
        st.sampled_from(sorted(PRINTED)),
        strategies.levels(max_denominator=60),
        st.sampled_from([s for s, _ in SWITCHES]),
    ).map(Case),
    small_cases=lambda: (Case(Fraction(i, 1000)) for i in range(1, 1001)),
    small_size="all levels in thousandths",
    counterexample=Case(Fraction(2, 5)),
    find_budget=200,
    formal=Formal(proves=("best_path_at_each_level",), refutes=("printed_level_is_off",)),
    theory="09-experiment.md#lake",
    notes="Only the level 0.40 is off: there the path of return 4 is best. The figure for alpha = 0.33 is not "
    "affected. The rewards 6, 4, 2, 1 lie outside [0, 1] and must be rescaled before the paper's bounds "
    "apply.",
)
