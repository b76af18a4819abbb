r"""Learning in a gymnasium environment that is a black box: discrete spaces, a known horizon, rewards of a known range.

States are observations, with one more for "the episode is over", where nothing is paid and nothing is learned.  An
outcome of a step is the reward together with the next observation (a joint model, see :mod:`.problem`).  Rewards are
those listed in ``rewards``, or are rounded up to the grid ``eta`` of ``reward_range``.  Where the first observation is
random, a step of weight 0 leads to it, and its law is learned like any other.

Episode k is reset with a seed that is a function of the run's seed and of k: a run is reproducible and can go on after
an interruption.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np

from .. import files
from ..errors import InvalidArgument, StoppedRun, Unsupported, VerifiedRiskError
from ..kernels.learn_data import Path
from ..numbers.rational import Rational, as_fraction, gcd_of
from .checkpoint import Checkpoint
from .declarations import Witness, check_box
from .episodes import Count, Record, is_over
from .interval import Bracket
from .learner import Floats, Learner
from .policies import BlackBox
from .problem import MOST_UNITS, Pair, Standard, check_floats, read_eta
from .run import Run, assemble
from .task import Settings, Task

ROOM = 4
"""The distinct outcomes of a pair that can be counted at the start; this doubles when needed."""


def learn_environment(
    env: Any,
    settings: Settings,
    *,
    horizon: int | None,
    reward_range: tuple[Rational, Rational] | None,
    rewards: Sequence[Rational] | None,
    random_starts: bool,
    audit: bool,
    progress: Count | None,
) -> Run:
    """Return a run in ``env``; the steps after the end of an episode pay 0.

    Raises :class:`~verified_risk.errors.StoppedRun`, with the episodes finished before it, at a step that contradicts a
    declaration, or the error itself in the first episode.
    """
    if audit:
        raise Unsupported("a black box cannot be audited: the audit compares with the true model; learn from an MDP")
    check_box(settings.declared)
    steps, sizes, actions = _horizon(env, horizon), _sizes(env, "observation_space"), _sizes(env, "action_space")
    if len(actions) != 1:
        raise InvalidArgument(f"action_space is {env.action_space!r}, wanted a Discrete space")
    shell = shell_of(sizes, actions[0], steps, rewards, reward_range, settings.eta, random_starts)
    first = shell.number(_reset(env, settings.seed, 0))
    over = shell.observations
    standard = black_box(shell, [shell.actions] * over, 1, ((first, Fraction(1)),))
    task = Task.of(standard, settings, fixed=frozenset({over}))
    learner = task.learner(room=ROOM)
    bracket = Bracket(learner, task.slack, wanted=settings.has_interval)
    about = {
        "environment": repr(getattr(env, "spec", None) or type(env).__name__),
        **settings.to_json(),
        **shell.to_json(),
    }
    if settings.checkpoint is not None and callable(settings.declared.rewards):
        about["known_rewards"] = files.digest(task.knowledge.lists)  # the values of the function
    checkpoint = Checkpoint(settings.checkpoint, about, learner, bracket)
    done, series = checkpoint.restore()
    rows: list[list[float]] = np.array(series).T.tolist() if series else []
    witness = Witness(settings.declared)
    if shell.exact:  # otherwise the rewards of the outcomes are rounded
        pairs = [(s, a) for s in range(standard.n_states) for a in range(standard.n_actions[s])]
        witness.recall(learner.counts, pairs, lambda atom: shell.low + shell.range * shell.atoms[atom])

    def finished() -> Run:
        units, values, uppers, widths, earned = _columns(rows)
        record = Record(units, values, uppers, widths, None, None, earned)
        bracket.replan(len(rows))
        return assemble(None, task, record, None, None, bracket, learner, shell)

    while not is_over(settings, done, bracket):
        value = learner.plan()
        bracket.add_uppers(np.array([learner.upper]))
        try:
            units, width, earned = _episode(env, learner, shell, witness, settings.seed, done, first)
        except VerifiedRiskError as error:
            if done == 0:
                raise
            raise StoppedRun(f"{error} (error.run holds the {done} episodes before it)", finished()) from error
        rows.append([units, value, learner.upper, width, earned])
        done += 1
        if settings.stop_when is not None and done >= bracket.next_check:
            bracket.replan(done)
        checkpoint.save(done, lambda: _columns(rows))
        if progress is not None:
            progress(done, settings.episodes)
    checkpoint.save(done, lambda: _columns(rows), now=True)
    return finished()


def _columns(rows: list[list[float]]) -> list[Floats]:
    return [np.array(x, dtype=np.float64) for x in zip(*rows, strict=True)]


def _episode(
    env: Any, learner: Learner, shell: BlackBox, witness: Witness, seed: int, k: int, first: int
) -> tuple[float, float, float]:
    """Play and count one episode; return its return in units, the width of the sets met, and what it earned."""
    standard, table = learner.standard, learner.tables.policy
    T, over = standard.horizon, shell.observations
    states, actions = np.zeros(T + 1, np.int64), np.zeros(T, np.int64)
    none, paid = np.zeros(T, np.int64), np.zeros(T, np.int64)
    nothing = shell.atom(Fraction())
    s = shell.number(_reset(env, seed, k))
    if not shell.random_starts and s != first:
        raise Unsupported(
            f"episode {k} began in observation {s}, episode 0 in {first}: pass random_starts=True to learn where "
            "episodes begin"
        )
    t0 = int(shell.random_starts)
    if t0:
        states[0], states[1] = over + 1, s
    else:
        states[0] = s
    y, earned = 0, Fraction()
    for t in range(t0, T):
        s = int(states[t])
        a = int(table[t, s, min(y, table.shape[2] - 1)])
        actions[t], paid[t], states[t + 1] = a, nothing, over
        if s != over:
            where = f"episode {k}, step {t - t0}"
            following, reward, terminated, truncated, _ = env.step(a)
            exact = as_fraction(reward, f"{where}: reward")
            try:
                paid[t] = shell.atom(exact)
                states[t + 1] = over if terminated else shell.number(following)
            except InvalidArgument as error:
                raise InvalidArgument(f"{where}: {error}") from None
            if truncated and not terminated and t < T - 1:
                raise InvalidArgument(
                    f"{where}: the environment cut the episode off after {t - t0 + 1} steps, wanted {shell.steps}: "
                    f"pass horizon={t - t0 + 1} or less"
                )
            earned += exact
            witness.step(where, s, a, exact, int(states[t + 1]))
            if states[t + 1] == over or t == T - 1:
                witness.end(where, s, a, earned)
        y += standard.units[t][paid[t]]
    path = Path(states, actions, none, paid)
    width = learner.width(path)
    learner.count(path)
    return float(y), width, float(earned)


def black_box(
    shell: BlackBox, actions: Sequence[int], ends: int, initial: tuple[tuple[int, Fraction], ...]
) -> Standard:
    """Return a problem of the black box's sizes; its outcomes are never read, since episodes come from the box.

    ``actions`` are the numbers of actions of the states; after them come ``ends`` absorbing states that pay nothing
    and, where starts are random, the state before the first.
    """
    over = len(actions)
    nothing = shell.atom(Fraction())
    pairs: list[tuple[Pair, ...]] = [
        (Pair(((nothing, s, Fraction(1)),), ((0, Fraction(1)),)),) for s in range(over + ends)
    ]
    pairs[:over] = [stay * n for stay, n in zip(pairs, actions, strict=False)]
    units = tuple(shell.units(i) for i in range(len(shell.atoms)))
    rows = (units,) * shell.steps
    if shell.random_starts:
        pairs.append(pairs[-1][:1])
        rows = ((0,) * len(units), *rows)
        initial = ((over + ends, Fraction(1)),)
    return Standard(
        horizon=len(rows), discount=Fraction(1), low=shell.low, range=shell.range, unit=shell.unit, atoms=shell.atoms,
        units=rows, exact=shell.exact, joint=True, initial=initial, pairs=tuple(pairs),
        free_steps=int(shell.random_starts),
    )  # fmt: skip


# -- reading the arguments ---------------------------------------------------------------------------------------------


def shell_of(
    sizes: tuple[int, ...],
    actions: int,
    steps: int,
    rewards: Sequence[Rational] | None,
    reward_range: tuple[Rational, Rational] | None,
    eta: Fraction | None,
    random_starts: bool,
) -> BlackBox:
    """Return the form of a black box; raise :class:`InvalidArgument` for rewards that make too many returns."""
    if rewards is not None:
        low, high, unit, atoms = _listed(rewards, reward_range, eta)
        exact = True
    else:
        low, high, unit = _grid(eta, reward_range)
        atoms, exact = tuple(i * unit for i in range(int(1 / unit) + 1)), False
    check_floats(low, high, steps)
    shell = BlackBox(sizes, actions, steps, low, high - low, unit, atoms, exact, bool(random_starts))
    most = steps * int(1 / unit)
    if most > MOST_UNITS:
        raise InvalidArgument(
            f"{steps} steps with rewards on a grid of {int(1 / unit) + 1} points make {most + 1} returns, "
            f"wanted at most {MOST_UNITS}: pass fewer rewards, a coarser eta or a shorter horizon"
        )
    return shell


def _listed(
    rewards: Sequence[Rational], reward_range: tuple[Rational, Rational] | None, eta: Fraction | None
) -> tuple[Fraction, Fraction, Fraction, tuple[Fraction, ...]]:
    if eta is not None or reward_range is not None:
        raise InvalidArgument("rewards is given, so reward_range and eta are not wanted")
    values = sorted({Fraction(0), *(as_fraction(r, f"rewards[{i}]") for i, r in enumerate(rewards))})
    if len(values) < 2:
        raise InvalidArgument(f"rewards is {list(rewards)!r}, wanted at least one that is not 0")
    low, spread = values[0], values[-1] - values[0]
    atoms = tuple((r - low) / spread for r in values)
    return low, values[-1], gcd_of(atoms), atoms


def _reset(env: Any, seed: int, k: int) -> Any:
    """Reset with the seed of episode k; return the first observation."""
    own = int(np.random.SeedSequence((seed, k)).generate_state(1)[0])
    observation, _ = env.reset(seed=own)
    return observation


def _sizes(env: Any, name: str) -> tuple[int, ...]:
    """Return the sizes of a Discrete space or of a tuple of them; raise :class:`InvalidArgument` for any other."""
    space = getattr(env, name, None)
    parts = getattr(space, "spaces", None)
    sizes = tuple(parts) if isinstance(parts, (tuple, list)) else (space,)
    if parts is not None and not isinstance(parts, (tuple, list)):
        raise InvalidArgument(f"{name} is {space!r}, wanted a Discrete space or a tuple of them")
    found = []
    for part in sizes:
        n, start = getattr(part, "n", None), getattr(part, "start", 0)
        if isinstance(n, bool) or not isinstance(n, Integral):
            raise InvalidArgument(
                f"{name} is {space!r}, wanted a Discrete space or a tuple of them (continuous spaces need another "
                "learner)"
            )
        if int(start) != 0:
            raise InvalidArgument(f"{name} is {space!r}, wanted a Discrete space that starts at 0")
        found.append(int(n))
    return tuple(found)


def _horizon(env: Any, horizon: int | None) -> int:
    if not (hasattr(env, "reset") and hasattr(env, "step")):
        raise InvalidArgument(f"{env!r} is neither an MDP nor an environment with reset() and step()")
    limit = getattr(getattr(env, "spec", None), "max_episode_steps", None)
    if horizon is None:
        if limit is None:
            raise InvalidArgument("horizon is None and the environment has no time limit, wanted the number of steps")
        return int(limit)
    if isinstance(horizon, bool) or not isinstance(horizon, Integral) or horizon < 1:
        raise InvalidArgument(f"horizon is {horizon!r}, wanted a positive integer")
    if limit is not None and horizon > limit:
        raise InvalidArgument(f"horizon is {horizon}, but the environment cuts episodes off after {limit} steps")
    return int(horizon)


def _grid(eta: Fraction | None, reward_range: tuple[Rational, Rational] | None) -> tuple[Fraction, Fraction, Fraction]:
    if reward_range is None:
        raise InvalidArgument(
            "rewards and reward_range are None, wanted the rewards that can occur, such as rewards=[-1, 20], or the "
            "least and greatest reward of a step with eta"
        )
    if eta is None:
        raise InvalidArgument(
            "eta is None, wanted a grid step that divides the range of the rewards, such as 1/10 of it"
        )
    low, high = (as_fraction(x, "reward_range") for x in reward_range)
    if not low < high:
        raise InvalidArgument(f"reward_range is ({low}, {high}), wanted low < high")
    if not low <= 0 <= high:
        raise InvalidArgument(f"reward_range is ({low}, {high}), wanted one that contains 0: steps after the end pay 0")
    return low, high, read_eta(eta, high - low)
