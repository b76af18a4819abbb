r"""The interval for the optimum from data alone, and the policy that is returned with it.

On the event of the time-uniform sets, after every episode (theory, page 10):

.. math:: \check v \;\le\; \Phi(\check\pi) \;\le\; \Phi^* \;\le\; \hat v .

All these intervals hold at once with probability at least ``1 - delta``, so the largest :math:`\check v` and the
smallest :math:`\hat v` so far are valid, and a stopping rule may depend on all of them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..files import decode_array, encode_array
from ..kernels.learn_data import Actions
from ..numbers.rational import as_fraction
from .learner import Floats, Learner

GROWTH, SELDOM = 1.05, 2
"""The interval is computed again when the number of episodes has grown by this factor: if the run may stop then, and if
not."""
FIRST_CHECK = 32
"""The number of episodes after which the interval of a run that does not stop by it is computed first."""


class Bracket:
    """The interval so far: ``lower`` and ``upper`` in the user's units; ``table`` is a policy worth at least ``lower``.

    ``slack`` bounds rounding, ties and the polygon that stands for a smooth G, in units.  Without ``wanted`` the
    interval stays what is certain before the first episode.  ``history`` is the interval after some numbers of
    episodes; it is computed after more of them if ``stops`` is true.
    """

    def __init__(self, learner: Learner, slack: float, *, wanted: bool, stops: bool = False) -> None:
        self.learner, self.slack, self.wanted = learner, Fraction(slack), wanted
        self.growth = GROWTH if stops else SELDOM
        self.history: list[tuple[int, Fraction, Fraction]] = []
        standard = learner.standard
        self.lower = standard.value(Fraction())
        self.upper = standard.value(Fraction(learner.knowledge.largest))  # no return exceeds it
        self.table: Actions | None = None
        self.next_check = 1 if stops else FIRST_CHECK

    @property
    def gap(self) -> Fraction:
        """The length of the interval."""
        return self.upper - self.lower

    def add_uppers(self, uppers: Floats) -> None:
        """Lower ``upper`` to the least of the optimistic upper bounds of some episodes, which are in units."""
        if self.wanted and len(uppers):
            least = Fraction(float(np.min(uppers))) + self.slack
            self.upper = min(self.upper, self.learner.standard.value(least))

    def replan(self, episodes: int) -> None:
        """Plan from above and from below with everything counted in ``episodes`` episodes."""
        if not self.wanted or (self.history and self.history[-1][0] == episodes):
            return
        self.learner.plan()
        self.add_uppers(np.array([self.learner.upper]))
        self.add_lower(*self.learner.plan_below())
        self.history.append((episodes, self.lower, self.upper))
        if episodes >= self.next_check:
            self.next_check = max(episodes + 1, int(episodes * self.growth))

    def replan_if_due(self, episodes: int) -> None:
        """Call :meth:`replan` if the number of episodes has grown enough since the last time."""
        if self.wanted and episodes >= self.next_check:
            self.replan(episodes)

    def add_lower(self, value: float, table: Actions) -> None:
        """Raise ``lower`` to a pessimistic value, which is in units, and keep its policy."""
        standard = self.learner.standard
        lower = standard.value(Fraction(value) - self.slack) - standard.rounding
        if lower > self.lower or self.table is None:
            self.lower, self.table = max(lower, self.lower), table

    def to_json(self) -> dict[str, Any]:
        return {
            "lower": str(self.lower),
            "upper": str(self.upper),
            "next_check": self.next_check,
            "history": [[k, str(lower), str(upper)] for k, lower, upper in self.history],
            "table": None if self.table is None else encode_array(self.table),
        }

    def restore(self, data: dict[str, Any]) -> None:
        """Set the interval to what :meth:`to_json` returned."""
        self.lower, self.upper = as_fraction(data["lower"], "lower"), as_fraction(data["upper"], "upper")
        self.next_check = data["next_check"]
        self.history = [
            (int(k), as_fraction(lower, "lower"), as_fraction(upper, "upper"))
            for k, lower, upper in data.get("history", ())
        ]
        self.table = None if data["table"] is None else decode_array(data["table"])
