r"""Continuous rewards: frozen ``scipy.stats`` laws of bounded support, used through their CDFs.

The only exact operation on one is the paper's pushforward to a grid,

.. math:: P[\hat r = \eta i] = F(\eta i) - F(\eta (i - 1)) .

The values of F come from scipy in float64 and are *trusted*: they are taken as the definition of the law.  As
fractions, their differences telescope, so the rounded law sums to exactly 1.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ..errors import InvalidModel
from ..law import Law
from ..numbers.rational import as_fraction, ceil_div


class ContinuousReward:
    """A law of rewards on ``[low, high]`` given by its CDF."""

    def __init__(self, frozen: Any, *, where: str = "reward") -> None:
        if hasattr(getattr(frozen, "dist", None), "pmf"):
            raise InvalidModel(
                f"{where} is the discrete law {frozen.dist.name}, wanted its probabilities {{reward: probability}}"
            )
        low, high = (float(end) for end in frozen.support())
        if not (math.isfinite(low) and math.isfinite(high)):
            raise InvalidModel(f"{where} has support [{low}, {high}], wanted a bounded one (truncate the law first)")
        self.frozen = frozen
        self.low, self.high = as_fraction(low, where), as_fraction(high, where)

    def cdf(self, x: Fraction) -> Fraction:
        """Return F(x), exactly 0 below ``low`` and exactly 1 from ``high`` on."""
        if x < self.low:
            return Fraction()
        return Fraction(1) if x >= self.high else Fraction(float(self.frozen.cdf(float(x))))

    def round_up(self, eta: Fraction, origin: Fraction = Fraction()) -> Law:
        """Return the law of ``eta * ceil(r / eta)``; on a grid that starts at ``origin``, r counts from there."""
        weights: dict[Fraction, Fraction] = {}
        below = Fraction()
        for i in range(ceil_div(self.low - origin, eta), ceil_div(self.high - origin, eta) + 1):
            x = origin + i * eta
            here = self.cdf(x)
            if here < below:
                raise InvalidModel(
                    f"the cdf of {self} decreases from {below} to {here} at {x}, wanted a nondecreasing one"
                )
            weights[x], below = here - below, here
        return Law.of_weights(weights)

    def __repr__(self) -> str:
        return f"{self.frozen.dist.name}{tuple(self.frozen.args)}"

    def to_json(self) -> dict[str, Any]:
        """Return the name and parameters of the scipy law."""
        return {
            "scipy": self.frozen.dist.name,
            "args": [float(x) for x in self.frozen.args],
            "kwds": {key: float(x) for key, x in sorted(self.frozen.kwds.items())},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ContinuousReward:
        from scipy import stats

        family = getattr(stats, data["scipy"], None)
        if not isinstance(family, stats.rv_continuous):
            raise InvalidModel(f"reward law {data['scipy']!r} is not a continuous law of scipy.stats")
        return cls(family(*data["args"], **data["kwds"]))
