r"""One action in one state: its transitions and rewards.

Continuous rewards are frozen ``scipy.stats`` laws of bounded support, used through their CDFs.  The only exact
operation on one is the paper's pushforward to a grid,

.. math:: P[\hat r = \eta i] = F(\eta i) - F(\eta (i - 1)) .

The values of F come from scipy in float64 and are *trusted*: they are taken as the definition of the law.  As
fractions, their differences telescope, so the rounded law sums to exactly 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from ..errors import InvalidModel, Unsupported
from ..law import Law, added_up
from ..numbers.rational import as_fraction, ceil_div, lcm_of_denominators


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


Outcome: TypeAlias = tuple[Fraction, int, Fraction]
"""``(probability, next state, reward)``."""


class Action:
    """One action in one state: its transitions and rewards.

    ``independent`` is True if reward and next state are independent, as in the paper; then ``successors`` and
    ``reward`` describe it fully.  Otherwise ``outcomes`` does, and ``successors`` and ``reward`` are its marginals.
    """

    __slots__ = ("_outcomes", "_reward", "_successors", "independent")

    def __init__(
        self,
        successors: tuple[tuple[int, Fraction], ...] | None = None,
        reward: Law | ContinuousReward | None = None,
        outcomes: tuple[Outcome, ...] | None = None,
    ) -> None:
        self.independent = outcomes is None
        self._successors = successors
        self._reward = reward
        self._outcomes = outcomes

    def __repr__(self) -> str:
        if not self.independent:
            return f"Action({', '.join(f'{p}: to {s}, pays {r}' for p, s, r in self.outcomes)})"
        return f"Action(to {{{', '.join(f'{s}: {p}' for s, p in self.successors)}}}, pays {self.reward})"

    @property
    def successors(self) -> tuple[tuple[int, Fraction], ...]:
        """Pairs ``(next state, probability)``, with states increasing and probabilities positive."""
        if self._successors is None:
            assert self._outcomes is not None
            self._successors = tuple(sorted(added_up((s, p) for p, s, _ in self._outcomes).items()))
        return self._successors

    @property
    def reward(self) -> Law | ContinuousReward:
        """The (marginal) law of the reward."""
        if self._reward is None:
            assert self._outcomes is not None
            self._reward = Law.of_weights(added_up((r, p) for p, _, r in self._outcomes))
        return self._reward

    @property
    def reward_law(self) -> Law:
        """The reward as a finite law; raises an error for continuous rewards."""
        return finite(self.reward)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """All ``(probability, next state, reward)`` of positive probability."""
        if self._outcomes is not None:
            return self._outcomes
        law = self.reward_law
        return tuple((p * q, s, r) for s, p in self.successors for r, q in law)

    @property
    def reward_range(self) -> tuple[Fraction, Fraction]:
        """The least and greatest reward."""
        if not self.independent:
            rewards = [r for _, _, r in self.outcomes]
            return min(rewards), max(rewards)
        return range_of(self.reward)

    @classmethod
    def of_outcomes(cls, outcomes: tuple[Outcome, ...]) -> Action:
        """Build an action from outcomes sorted by next state, then reward; in product form if they are independent.
        Equal actions thus compare equal, however they were given."""
        marginals = independent_marginals(outcomes)
        if marginals is None:
            return cls(outcomes=outcomes)
        successors, weights = marginals
        return cls(successors, Law.of_weights(weights))

    def map_rewards(
        self,
        change: Callable[[Fraction], Fraction],
        change_continuous: Callable[[ContinuousReward], Law | ContinuousReward] | None,
    ) -> Action:
        """Return the same action with every reward ``r`` replaced by ``change(r)``."""
        if not self.independent:
            totals = added_up(((s, change(r)), p) for p, s, r in self.outcomes)
            return Action.of_outcomes(tuple((p, s, r) for (s, r), p in sorted(totals.items())))
        law = self.reward
        if isinstance(law, Law) or change_continuous is None:
            return Action(self.successors, Law.of_weights(added_up((change(r), p) for r, p in finite(law))))
        return Action(self.successors, change_continuous(law))


def finite(law: Law | ContinuousReward) -> Law:
    """Return a finite law; raise an error for a continuous one."""
    if not isinstance(law, Law):
        raise Unsupported(f"rewards are continuous ({law}): discretise the model first, mdp.discretised(eta)")
    return law


def range_of(law: Law | ContinuousReward) -> tuple[Fraction, Fraction]:
    """Return the least and greatest reward of a law."""
    return (law.atoms[0], law.atoms[-1]) if isinstance(law, Law) else (law.low, law.high)


def independent_marginals(
    outcomes: tuple[Outcome, ...],
) -> tuple[tuple[tuple[int, Fraction], ...], dict[Fraction, Fraction]] | None:
    """Return the laws of next state and reward if independent; outcomes are sorted by next state, then reward."""
    width = next((i for i, (_, s, _) in enumerate(outcomes) if s != outcomes[0][1]), len(outcomes))
    if len(outcomes) % width:
        return None
    blocks = [outcomes[i : i + width] for i in range(0, len(outcomes), width)]  # one per next state, if independent
    rewards = [r for _, _, r in blocks[0]]
    if any(block[0][1] != block[-1][1] or [r for _, _, r in block] != rewards for block in blocks):
        return None
    whole = lcm_of_denominators(p for p, _, _ in outcomes)
    weights = [[p.numerator * (whole // p.denominator) for p, _, _ in block] for block in blocks]
    rows, columns = [sum(row) for row in weights], [sum(column) for column in zip(*weights, strict=True)]
    if any(
        w * whole != row * column
        for line, row in zip(weights, rows, strict=True)
        for w, column in zip(line, columns, strict=True)
    ):
        return None
    successors = tuple((block[0][1], Fraction(row, whole)) for block, row in zip(blocks, rows, strict=True))
    return successors, {r: Fraction(column, whole) for r, column in zip(rewards, columns, strict=True)}
