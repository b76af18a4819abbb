"""The polygon below a weighting, as used by a replay."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...grid.floats import Floats
from ...objectives.polygon import Polygon

U = 2.0**-53
"""The unit roundoff of float64."""


@dataclass(frozen=True)
class Line:
    """The polygon as numpy arrays; values, which lie in [-1, 1], are off by at most ``16 u``."""

    x: Floats
    g: Floats
    slope: Floats

    @classmethod
    def of(cls, polygon: Polygon) -> Line:
        return cls(polygon.x, polygon.g, np.diff(polygon.g) / np.diff(polygon.x))

    def times(self, share: Fraction) -> Line:
        """Return a line at most ``share`` times this one, ``0 < share <= 1``; products are off by two roundings."""
        g = self.g * float(share)
        return Line.of(Polygon(self.x, g - 4 * U * np.abs(g)))

    def value(self, t: Any) -> Any:
        k = np.clip(np.searchsorted(self.x, t, side="right") - 1, 0, len(self.x) - 2)
        share = np.clip((t - self.x[k]) / (self.x[k + 1] - self.x[k]), 0.0, 1.0)
        return self.g[k] * (1 - share) + self.g[k + 1] * share

    def corners(self, low: float, high: float) -> tuple[Floats, Floats]:
        """Return the ends and the knots between them, with their values."""
        inner = slice(np.searchsorted(self.x, low, side="right"), np.searchsorted(self.x, high, side="left"))
        t = np.concatenate(([low], self.x[inner], [high]))
        return t, np.concatenate(([self.value(low)], self.g[inner], [self.value(high)]))

    def slopes(self, low: float, high: float) -> tuple[float, float]:
        """Return an interval that contains a stationary slope for every point of the box (the contractor, B5)."""
        slope = self.slope
        first = int(np.clip(np.searchsorted(self.x, low, side="right") - 1, 0, len(slope) - 1))
        last = max(first, int(np.clip(np.searchsorted(self.x, high, side="left") - 1, 0, len(slope) - 1)))
        if self.x[first] == low and first > 0 and not slope[first - 1] > slope[first] + 1e-12 * (1 + abs(slope[first])):
            first -= 1  # a corner that may be convex needs both slopes; a concave one either
        ends_at_knot = last < len(slope) - 1 and self.x[last + 1] == high
        if ends_at_knot and not slope[last] > slope[last + 1] + 1e-12 * (1 + abs(slope[last + 1])):
            last += 1
        all_of_them = slope[first : last + 1]
        least, most = all_of_them.min(), all_of_them.max()
        return float(least - 8 * U * abs(least)), float(most + 8 * U * abs(most))
