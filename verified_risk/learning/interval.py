r"""The interval that data alone give for the optimum, and the policy that is handed out with it.

On the event of the time-uniform sets, after every episode (theory, page 10):

.. math:: \check v \;\le\; \Phi(\check\pi) \;\le\; \Phi^* \;\le\; \hat v .

All these intervals hold at once with probability at least ``1 - delta``, so the largest :math:`\check v` and the
smallest :math:`\hat v` met on the way are kept, and a rule that stops the run may look at all of them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numbers.rational import as_fraction
from .learner import Floats, Learner

GROWTH = 1.05
"""The lower bound is planned again when the number of episodes has grown by this factor, so it costs little."""


class Bracket:
    """``lower`` and ``upper`` in the user's units; ``table`` is the policy that is worth at least ``lower``.

    ``slack`` covers rounding, ties and the polygon that stands for a smooth G, in units.
    """

    def __init__(self, learner: Learner, slack: float, *, wanted: bool) -> None:
        self.learner, self.slack, self.wanted = learner, Fraction(slack), wanted
        standard = learner.standard
        self.lower = standard.value(Fraction())
        self.upper = standard.value(Fraction(learner.knowledge.largest))  # no return, hence no value, exceeds it
        self.table: NDArray[np.int16] | None = None
        self.next_check = 1

    @property
    def gap(self) -> Fraction:
        return self.upper - self.lower

    def saw(self, uppers: Floats) -> None:
        """Optimistic upper bounds of some episodes."""
        if self.wanted and len(uppers):
            least = Fraction(float(np.min(uppers))) + self.slack
            self.upper = min(self.upper, self.learner.standard.value(least))

    def look(self, episodes: int) -> None:
        """Plan once more from above and from below with everything counted so far."""
        if not self.wanted:
            return
        self.learner.plan()
        self.saw(np.array([self.learner.upper]))
        value, table = self.learner.plan_below()
        standard = self.learner.standard
        lower = standard.value(Fraction(value) - self.slack) - standard.rounding
        if lower > self.lower or self.table is None:
            self.lower, self.table = max(lower, self.lower), table
        self.next_check = max(episodes + 1, int(episodes * GROWTH))

    def to_json(self) -> dict[str, Any]:
        from ..files import encode_array

        return {
            "lower": str(self.lower),
            "upper": str(self.upper),
            "next_check": self.next_check,
            "table": None if self.table is None else encode_array(self.table),
        }

    def restore(self, data: dict[str, Any]) -> None:
        from ..files import decode_array

        self.lower, self.upper = as_fraction(data["lower"], "lower"), as_fraction(data["upper"], "upper")
        self.next_check = data["next_check"]
        self.table = None if data["table"] is None else decode_array(data["table"])
