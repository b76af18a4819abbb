r"""Learning in a gymnasium environment that is a black box: discrete spaces, a known horizon, nothing else.

The reward of a black box may depend on the next state, so the learner always carries it (see :mod:`.standard`): its
states are pairs (observation, reward to be paid), with one more observation for "the episode is over", where nothing
is paid.  Rewards are rounded up to the grid ``eta`` of the declared range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np

from ..errors import InvalidArgument, StoppedRun, Unsupported, VerifiedRiskError
from ..rational import Rational, as_fraction, ceil_div
from .learn import Record, Settings, assemble
from .learner import Learner
from .run import Run
from .standard import Pair, Standard, read_eta
from .target import problem_of, target_of


def learn_environment(
    env: Any,
    settings: Settings,
    *,
    horizon: int | None,
    reward_range: tuple[Rational, Rational] | None,
    audit: bool,
    progress: Callable[[int, int], None] | None,
) -> Run:
    """Run a learner in ``env``; episodes that end early stay in the final observation and are paid nothing.

    A step that breaks what was declared stops the run: :class:`~verified_risk.errors.StoppedRun` names the step and
    carries the episodes finished before it.
    """
    if audit:
        raise Unsupported("a black box cannot be audited: the audit compares with the true model; learn from an MDP")
    steps = _horizon(env, horizon)
    observations, actions = (_size(env, name) for name in ("observation_space", "action_space"))
    low, high, unit = _grid(settings, reward_range)
    env_first = _reset(env, settings.seed)
    standard = _black_box(observations, actions, steps, low, high, unit, start=env_first)
    problem = problem_of(standard, settings.objective, settings.episodes, settings.delta)
    target, height_error = target_of(standard, settings.objective, settings.algorithm, problem, settings.bonus_scale)
    learner = Learner(standard, target)
    K = settings.episodes
    returns, values, uppers = np.zeros(K), np.zeros(K), np.zeros(K)

    def finished(episodes: int) -> Run:
        record = Record(returns[:episodes], values[:episodes], uppers[:episodes], None, None)
        part = replace(settings, episodes=episodes)
        return assemble(None, standard, part, problem, target, height_error, record, None, None)

    for k in range(K):
        values[k] = learner.plan()
        uppers[k] = learner.upper
        first = env_first if k == 0 else _reset(env, None)
        if first != env_first:
            raise Unsupported(
                f"episode {k} began in observation {first}, episode 0 in {env_first}: the initial law must be known; "
                "wrap the environment so that it always begins in the same observation"
            )
        try:
            returns[k] = _episode(env, learner, k, first)
        except VerifiedRiskError as error:
            if k == 0:
                raise
            raise StoppedRun(f"{error} (error.run holds the {k} episodes before it)", finished(k)) from error
        if progress is not None:
            progress(k + 1, K)
    return finished(K)


def _episode(env: Any, learner: Learner, k: int, first: int) -> float:
    standard = learner.standard
    table = learner.tables.policy
    over = standard.names[-1][0]
    T = standard.horizon
    states, actions, atoms = np.zeros(T + 1, np.int64), np.zeros(T, np.int64), np.zeros(T, np.int64)
    nothing = standard.atoms.index(_atom(Fraction(), standard, k, 0))
    observation, carried, y = first, 0, 0
    states[0] = standard.index[observation, carried]
    for t in range(T):
        s = int(states[t])
        a = int(table[t, s, y])
        actions[t], atoms[t] = a, carried
        y += standard.units[t][carried]
        if observation == over or t == T - 1:
            carried = nothing
        else:
            following, reward, terminated, truncated, _ = env.step(a)
            carried = standard.atoms.index(_atom(as_fraction(reward, f"episode {k}, step {t}: reward"), standard, k, t))
            observation = over if terminated or truncated else int(following)
        states[t + 1] = standard.index[observation, carried]
    learner.count(states, actions, atoms)
    return float(y)


def _atom(reward: Fraction, standard: Standard, k: int, t: int) -> Fraction:
    """The rescaled reward, rounded up to the grid; an error that names the step if it is out of range."""
    if not standard.low <= reward <= standard.low + standard.range:
        raise InvalidArgument(
            f"episode {k}, step {t}: the reward is {reward}, outside the declared range "
            f"[{standard.low}, {standard.low + standard.range}]"
        )
    x = (reward - standard.low) / standard.range
    return ceil_div(x, standard.unit) * standard.unit


def _black_box(
    observations: int, actions: int, steps: int, low: Fraction, high: Fraction, unit: Fraction, *, start: int
) -> Standard:
    """The shape of the problem only: the transitions and rewards in it are never read, a black box hides them."""
    grid = tuple(i * unit for i in range(int(1 / unit) + 1))
    names = tuple((s, i) for s in range(observations + 1) for i in range(len(grid)))
    stay = tuple(
        tuple(Pair(((s, Fraction(1)),), ((atom, Fraction(1)),)) for _ in range(1 if name == observations else actions))
        for s, (name, atom) in enumerate(names)
    )
    units = ((0,) * len(grid), *(tuple(range(len(grid))) for _ in range(steps)))
    return Standard(
        horizon=steps + 1,
        discount=Fraction(1),
        low=low,
        range=high - low,
        unit=unit,
        atoms=grid,
        units=units,
        exact=False,
        names=names,
        initial=((names.index((start, 0)), Fraction(1)),),
        pairs=stay,
    )


def _reset(env: Any, seed: int | None) -> int:
    observation, _ = env.reset() if seed is None else env.reset(seed=seed)
    return int(observation)


def _size(env: Any, name: str) -> int:
    space = getattr(env, name, None)
    n, start = getattr(space, "n", None), getattr(space, "start", 0)
    if isinstance(n, bool) or not isinstance(n, Integral) or hasattr(space, "spaces"):
        raise InvalidArgument(f"{name} is {space!r}, wanted a Discrete space (continuous spaces need another learner)")
    if int(start) != 0:
        raise InvalidArgument(f"{name} is {space!r}, wanted a Discrete space that starts at 0")
    return int(n)


def _horizon(env: Any, horizon: int | None) -> int:
    if not (hasattr(env, "reset") and hasattr(env, "step")):
        raise InvalidArgument(f"{env!r} is neither an MDP nor an environment with reset() and step()")
    if horizon is None:
        limit = getattr(getattr(env, "spec", None), "max_episode_steps", None)
        wanted = "" if limit is None else f" (the environment itself stops after {limit} steps)"
        raise InvalidArgument(f"horizon is None, wanted the number of steps of an episode{wanted}")
    if isinstance(horizon, bool) or not isinstance(horizon, Integral) or horizon < 1:
        raise InvalidArgument(f"horizon is {horizon!r}, wanted a positive integer")
    return int(horizon)


def _grid(settings: Settings, reward_range: tuple[Rational, Rational] | None) -> tuple[Fraction, Fraction, Fraction]:
    if reward_range is None:
        raise InvalidArgument("reward_range is None, wanted the least and greatest reward of a step, such as (0, 1)")
    if settings.eta is None:
        raise InvalidArgument(
            "eta is None, wanted a grid step that divides the range of the rewards, such as 1/10 of it"
        )
    low, high = (as_fraction(x, "reward_range") for x in reward_range)
    if not low < high:
        raise InvalidArgument(f"reward_range is ({low}, {high}), wanted low < high")
    if not low <= 0 <= high:
        raise InvalidArgument(f"reward_range is ({low}, {high}), wanted one that contains 0: steps after the end pay 0")
    return low, high, read_eta(settings.eta, high - low)
