r"""L1/value: optimism of the value.  On the event the best optimistic value is at least the best true value.

Concave weightings here, by exact dynamic programming on both sides; every nondecreasing weighting and every policy in
``L1/coupling``.
"""

from __future__ import annotations

from typing import Any

from verified_risk.numbers.enclosure import Real

from ...cases.estimation import optimistic_mdp
from ...cases.greedy import Greedy
from ...engine.model import Claim, Formal, Statement, at_most
from .optimistic_pairs import SMALL_SIZE, estimated, event, small_estimated


def slack(case: Any) -> Real:
    """The best value in the optimistic model minus that in the true one."""
    better = optimistic_mdp(case.estimate, case.radii)
    return at_most(Greedy(case.mdp, case.weighting).value, Greedy(better, case.weighting).value)


STATEMENT = Statement(
    label="L1/value",
    title="optimism of the value",
    section="corrected theory",
    corrected=Claim(
        r"\mathcal E \Rightarrow \max_\pi \hat\Phi(\pi) \ge \max_\pi \Phi(\pi)",
        "on the event, the best value in the optimistic model is at least the best value in the true one",
        slack,
        when=event,
    ),
    uses=("L0/adaptive", "L1/coupling", "thm:augmented"),
    cases=estimated,
    small_cases=lambda: (case for case in small_estimated() if not case.last_of_ties),
    small_size=SMALL_SIZE,
    formal=Formal(parts=("optimistic_supremum_dominates", "optimistic_maximum_dominates")),
    theory="06-event-and-optimism.md#L1",
)
