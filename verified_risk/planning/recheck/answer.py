"""What a recheck found: each bound again, by which route, and whether it confirms the plan's."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...numbers.enclosure import Truth
from ...numbers.format import at_least, at_most


@dataclass(frozen=True)
class Recheck:
    """The recomputed bounds, by which route, and whether they confirm the plan's.

    :param lower: the recomputed lower bound, None if there is none
    :param upper: the recomputed upper bound, None if there is none
    :param lower_route: how it was recomputed
    :param upper_route: how it was recomputed
    :param lower_holds: whether it confirms the plan's
    :param upper_holds: whether it confirms the plan's
    """

    lower: Fraction | None
    upper: Fraction | None
    lower_route: str
    upper_route: str
    lower_holds: Truth
    upper_holds: Truth

    def __str__(self) -> str:
        rows = (
            ("lower", "" if self.lower is None else at_least(self.lower), self.lower_holds, self.lower_route),
            ("upper", "" if self.upper is None else at_most(self.upper), self.upper_holds, self.upper_route),
        )
        return "\n".join(f"{name} {holds.value:8} {bound:>22}  {route}" for name, bound, holds, route in rows)
