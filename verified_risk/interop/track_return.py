"""A gymnasium wrapper whose observations contain what a policy must remember of an episode."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MissingDependency

try:
    import gymnasium
except ImportError as error:  # pragma: no cover
    raise MissingDependency("TrackReturn wraps environments of gymnasium", extra="gym") from error


class TrackReturn(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds the step, the last reward and the return so far to the observations of ``env``.

    Observations become dicts with the entries ``observation``, ``step``, ``reward`` and ``earned``, which
    :meth:`Policy.predict` reads: ``stable_baselines3.common.evaluation.evaluate_policy(policy, TrackReturn(env))``.

    :param env: a gymnasium environment that ends its episodes at the policy's horizon at the latest
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        number = gymnasium.spaces.Box(-np.inf, np.inf, (1,), np.float64)
        self.observation_space = gymnasium.spaces.Dict(
            {"observation": env.observation_space, "step": number, "reward": number, "earned": number}
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode.

        :param seed: of the environment
        :param options: of the environment
        :returns: the first observation, and further information
        """
        observation, info = self.env.reset(seed=seed, options=options)
        self._step, self._earned = 0, 0.0
        return self._tracked(observation, 0.0), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take a step.

        :param action: an action of the environment
        :returns: the next observation, the reward, whether the episode terminated or was truncated, and more
        """
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._step, self._earned = self._step + 1, self._earned + float(reward)
        return self._tracked(observation, float(reward)), reward, terminated, truncated, info

    def _tracked(self, observation: Any, reward: float) -> dict[str, Any]:
        numbers = {"step": self._step, "reward": reward, "earned": self._earned}
        return {"observation": observation, **{key: np.array([x], np.float64) for key, x in numbers.items()}}
