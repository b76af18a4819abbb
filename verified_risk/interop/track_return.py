"""A gymnasium wrapper whose observations contain what a policy must remember of an episode."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ..errors import MissingDependency
from ..policy.playing import Environment


def TrackReturn(env: Environment) -> Any:
    """Return a gymnasium wrapper that adds the step, the last reward and the return so far to the observations.

    They become dicts with the entries ``observation``, ``step``, ``reward`` and ``earned``, which
    :meth:`verified_risk.Policy.predict` reads: ``evaluate_policy(policy, TrackReturn(env))`` of stable-baselines3 plays
    a policy that remembers what it earned.

    :param env: a gymnasium environment that ends its episodes at the policy's horizon at the latest
    :returns: the wrapped environment
    :raises MissingDependency: if gymnasium is not installed
    """
    try:
        import gymnasium
    except ImportError as error:
        raise MissingDependency("TrackReturn wraps environments of gymnasium", extra="gym") from error

    class Tracked(gymnasium.Wrapper[Any, Any, Any, Any]):
        def reset(self, *, seed: Any = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
            observation, info = self.env.reset(seed=seed, options=options)
            self.steps, self.earned = 0, 0.0
            return self.tracked(observation, 0.0), info

        def step(self, action: Any) -> tuple[dict[str, Any], Any, bool, bool, dict[str, Any]]:
            observation, reward, terminated, truncated, info = self.env.step(action)
            self.steps, self.earned = self.steps + 1, self.earned + float(reward)
            return self.tracked(observation, float(reward)), reward, terminated, truncated, info

        def tracked(self, observation: Any, reward: float) -> dict[str, Any]:
            numbers = {"step": self.steps, "reward": reward, "earned": self.earned}
            return {"observation": observation, **{key: np.array([x], np.float64) for key, x in numbers.items()}}

    found = Tracked(cast("Any", env))
    number = gymnasium.spaces.Box(-np.inf, np.inf, (1,), np.float64)
    entries = {"observation": found.env.observation_space, "step": number, "reward": number, "earned": number}
    found.observation_space = gymnasium.spaces.Dict(entries)
    return found
