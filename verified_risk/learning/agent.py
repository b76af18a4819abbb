"""A learner for loops of one's own, ``Learner``, and the loop of ``learn`` over an environment.

Episode k of ``learn`` is reset with a seed that is a function of the run's seed and of k: a run is reproducible and can
go on after an interruption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from os import PathLike
from pathlib import Path as File
from typing import Any

import numpy as np

from .. import files
from ..errors import InvalidArgument, InvalidFile, StoppedRun, Unsupported, VerifiedRiskError, hints_at_arguments
from ..kernels.learn_data import Floats, Path
from ..numbers.rational import Rational, as_fraction
from ..objectives import Weighting
from .declarations import Declared, RewardOf, Witness, check_box
from .environment import black_box, horizon_of, read_actions, read_sizes, read_steps, shell_of
from .episodes import Checkpoint, Count, Record, is_over, recorded
from .evaluate import Bracket
from .policies import BlackBox, BlackBoxPolicy
from .run import OptimumInterval, Run, assemble
from .task import Settings, Task

ROOM = 4  # the distinct outcomes of a pair that can be counted at the start; this doubles when needed


class Learner:
    """Learns by optimism (``kl``) in a loop of the caller's: :meth:`act`, take the step, :meth:`observe`.

    Driven through an environment, it plays the episodes that :func:`~verified_risk.learn` plays there, with the same
    counts, policies and interval.

    >>> agent = Learner("cvar(1/2)", observations=1, actions=2, horizon=2, rewards=[0, 1])
    >>> for episode in range(100):
    ...     over = False
    ...     while not over:
    ...         over = agent.observe(reward=agent.act(0), next_observation=0)
    >>> agent.episodes, agent.interval.upper
    (100, Fraction(2, 1))

    Every episode that was begun must be observed to its end: one that is left out because of how it went would make
    the interval wrong.

    :param objective: a weighting, or its text
    :param observations: how many there are, from 0, or a Discrete space; a tuple of these if they are tuples
    :param actions: how many there are, from 0, or a Discrete space
    :param horizon: the number of steps of an episode
    :param rewards: all rewards that a step can pay
    :param reward_range: the least and greatest reward instead, with ``eta``
    :param eta: the step of the grid of rewards
    :param random_starts: episodes begin in different observations
    :param delta: the probability with which the guarantee may fail, in (0, 1)
    :param bonus_scale: a factor of the radii; below 1 there is no guarantee
    :param known_rewards: a function of a step's state, action and next state that gives its reward, or several
    :param known_successors: which next states are possible, or how many there are at most
    :param largest_return: no return exceeds it
    :raises InvalidArgument: if an option is out of range
    :raises InvalidObjective: if the text is no weighting
    """

    @hints_at_arguments
    def __init__(
        self,
        objective: Weighting | str,
        *,
        observations: object,
        actions: object,
        horizon: int,
        rewards: Sequence[Rational] | None = None,
        reward_range: tuple[Rational, Rational] | None = None,
        eta: Rational | None = None,
        random_starts: bool = False,
        delta: Rational = 0.1,
        bonus_scale: Rational = 1,
        known_rewards: bool | RewardOf = False,
        known_successors: bool | int | Mapping[tuple[int, int], Sequence[int]] = False,
        largest_return: Rational | None = None,
    ) -> None:
        declared = Declared.read(known_rewards, known_successors, largest_return)
        settings = Settings.read(objective, None, delta, eta, bonus_scale=bonus_scale, declared=declared)
        sizes, count = read_sizes(observations, "observations"), read_actions(actions, "actions")
        steps = read_steps(horizon)
        self._begin(settings, shell_of(sizes, count, steps, rewards, reward_range, settings.eta, random_starts))

    def _begin(self, settings: Settings, shell: BlackBox, first: int | None = None) -> Learner:
        """Set up everything; ``first`` is the observation in which episodes begin, if it is known already."""
        check_box(settings.declared)
        self.settings, self.shell, self.first = settings, shell, first
        start = ((first or 0, Fraction(1)),)
        standard = black_box(shell, [shell.actions] * shell.observations, 1, start)
        self.task = Task.of(standard, settings, fixed=frozenset({shell.observations}))
        self.counts = self.task.learner(room=ROOM)
        self.bracket = Bracket(
            self.counts, self.task.slack, wanted=settings.has_interval, stops=settings.stop_when is not None
        )
        self.witness = Witness(settings.declared)
        self._rows: list[list[float]] = []
        self._t: int | None = None  # the step that is played; None between episodes
        self._acted = False
        return self

    @property
    def episodes(self) -> int:
        """The number of finished episodes."""
        return len(self._rows)

    @property
    def interval(self) -> OptimumInterval | None:
        """Bounds of the optimum from all finished episodes, with probability ``1 - delta`` at all times at once; None
        if the objective is not concave."""
        if not self.settings.has_interval:
            return None
        if self._rows:
            self.bracket.replan(self.episodes)
        return OptimumInterval(self.bracket.lower, self.bracket.upper)

    def act(self, observation: object) -> int:
        """Return the action to take; the first call, and the first after an episode, begins an episode.

        :param observation: the present observation
        :returns: an action
        :raises InvalidArgument: if the observation is outside its space or not the one that the last step led to, or if
            the action before was not observed
        :raises Unsupported: if an episode begins elsewhere than the first one, without ``random_starts``
        """
        if self._acted:
            raise InvalidArgument("act was called twice: wanted observe(...) of the action before")
        s = self.shell.number(observation)
        if self._t is None:
            self._begin_episode(s)
        assert self._t is not None
        if s != self._states[self._t]:
            raise InvalidArgument(
                f"{self._where}: the observation is {observation!r}, but the step before led to observation "
                f"{self._states[self._t]}"
            )
        self._acted = True
        return self._action(s)

    def _action(self, s: int) -> int:
        assert self._t is not None
        table = self.counts.tables.policy
        return int(table[self._t, s, min(self._units, table.shape[2] - 1)])

    @property
    def _where(self) -> str:
        return f"episode {self.episodes}, step {(self._t or 0) - self.shell.random_starts}"

    def _begin_episode(self, s: int) -> None:
        """Plan, and prepare the record of an episode that begins in observation ``s``."""
        starts = self.shell.random_starts
        if self.first is None and not starts:
            self._begin(self.settings, self.shell, first=s)
        if not starts and s != self.first:
            raise Unsupported(
                f"episode {self.episodes} began in observation {s}, episode 0 in {self.first}: pass random_starts=True "
                "to learn where episodes begin"
            )
        T = self.task.standard.horizon
        self._states, self._actions = np.zeros(T + 1, np.int64), np.zeros(T, np.int64)
        self._paid = np.full(T, self.shell.atom(Fraction()), np.int64)
        self._t, self._units, self._earned = int(starts), 0, Fraction()
        if starts:
            self._states[0], self._paid[0] = self.shell.observations + 1, 0
        self._states[self._t] = s
        self._value = self.counts.plan()
        self.bracket.add_uppers(np.array([self.counts.upper]))

    def observe(
        self, reward: Rational, next_observation: object, terminated: bool = False, truncated: bool = False
    ) -> bool:
        """Take in what the last action led to; an error leaves the learner as it was before the call.

        :param reward: what was paid
        :param next_observation: the observation after it; not read if ``terminated``
        :param terminated: the episode is over, and nothing more would be paid
        :param truncated: the environment cut the episode off, which is allowed at the horizon only
        :returns: True if the episode is over
        :raises InvalidArgument: if no action was taken, an argument is outside what was declared, or the episode was
            cut off
        """
        if not self._acted or self._t is None:
            raise InvalidArgument("observe was called before act: wanted act(observation) first")
        t, where, over = self._t, self._where, self.shell.observations
        s, last = int(self._states[t]), self.task.standard.horizon - 1
        a = self._action(s)
        exact = as_fraction(reward, f"{where}: reward")
        try:
            atom = self.shell.atom(exact)
            following = over if terminated else self.shell.number(next_observation)
        except InvalidArgument as error:
            raise InvalidArgument(f"{where}: {error}") from None
        if truncated and not terminated and t < last:
            done = t - self.shell.random_starts + 1
            raise InvalidArgument(
                f"{where}: the environment cut the episode off after {done} steps, wanted {self.shell.steps}: "
                f"pass horizon={done} or less"
            )
        self.witness.step(where, s, a, exact, following)
        if terminated or t == last:
            self.witness.end(where, s, a, self._earned + exact)
        self.witness.add(s, a, exact, following)
        self._actions[t], self._paid[t], self._states[t + 1] = a, atom, following
        self._earned += exact
        self._acted, self._t = False, t + 1
        self._units += self.task.standard.units[t][atom]
        if not terminated and t < last:
            return False
        self._end_episode(last)
        return True

    def _end_episode(self, last: int) -> None:
        """Count the episode; the steps after its end pay nothing, and their state has one action, number 0."""
        assert self._t is not None
        self._states[self._t + 1 :] = self.shell.observations
        self._units += sum(self.task.standard.units[t][self._paid[t]] for t in range(self._t, last + 1))
        path = Path(self._states, self._actions, np.zeros(last + 1, np.int64), self._paid)
        width = self.counts.width(path)
        self.counts.count(path)
        self._rows.append([float(self._units), self._value, self.counts.upper, width, float(self._earned)])
        self._t = None
        self.bracket.replan_if_due(self.episodes)

    def policy(self) -> BlackBoxPolicy:
        """Return the policy to use after the finished episodes.

        :returns: a policy worth at least ``interval.lower`` where there is an interval, else the last that was played
        :raises InvalidArgument: if no episode is finished
        """
        found = self.run().policy()
        assert isinstance(found, BlackBoxPolicy)
        return found

    def run(self) -> Run:
        """Return the record of the finished episodes, as :func:`~verified_risk.learn` does.

        :returns: what was played, learned and guaranteed
        :raises InvalidArgument: if no episode is finished
        """
        if not self._rows:
            raise InvalidArgument("no episode is finished, wanted at least one")
        units, values, uppers, widths, earned = self._columns()
        self.bracket.replan(self.episodes)
        record = Record(units, values, uppers, widths, None, None, earned)
        return assemble(None, self.task, record, None, None, self.bracket, self.counts, self.shell)

    def _columns(self) -> list[Floats]:
        return [np.array(x, dtype=np.float64) for x in zip(*self._rows, strict=True)]

    def _checkpoint(self, path: File | None, environment: str) -> Checkpoint:
        about = {"environment": environment, **self.settings.to_json(), **self.shell.to_json()}
        if environment == OWN_LOOP:
            about["first"] = self.first
        if path is not None and callable(self.settings.declared.rewards):
            about["known_rewards"] = files.digest(self.task.knowledge.lists)  # the values of the function
        return Checkpoint(path, about, self.counts, self.bracket, any_number=self.settings.at_any_time)

    def _restore(self, checkpoint: Checkpoint) -> None:
        """Read the state from a file, if there is one."""
        _, series = checkpoint.restore()
        self._rows = np.array(series).T.tolist() if series else []
        if self.shell.exact:  # otherwise the rewards of the outcomes are rounded
            standard, shell = self.task.standard, self.shell
            pairs = [(s, a) for s in range(standard.n_states) for a in range(standard.n_actions[s])]
            self.witness.recall(self.counts.counts, pairs, lambda atom: shell.low + shell.range * shell.atoms[atom])

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a file, between episodes.

        :param path: the file
        :raises InvalidArgument: if an episode is being played
        :raises OSError: if the file cannot be written
        """
        if self._t is not None:
            raise InvalidArgument(f"{self._where}: an episode is being played, wanted its end before save")
        self._checkpoint(File(path), OWN_LOOP).save(self.episodes, self._columns, now=True)

    @classmethod
    def load(cls, path: str | PathLike[str], *, known_rewards: RewardOf | None = None) -> Learner:
        """Read what :meth:`save` wrote; the learner goes on as if it had not been interrupted.

        :param path: the file
        :param known_rewards: the function that was passed at the beginning, if there was one, as files keep none
        :returns: the learner
        :raises InvalidFile: if the file is damaged or of another kind
        :raises InvalidArgument: if ``known_rewards`` is missing, or there is no such file
        """
        found = recorded(File(path), known_rewards)
        if found.shell is None or found.about["environment"] != OWN_LOOP:
            raise InvalidArgument(f"{path} is the checkpoint of learn, wanted a file of Learner.save")
        first = found.about.get("first")
        if first is not None and (type(first) is not int or not 0 <= first < found.shell.observations):
            raise InvalidFile(f"first of {path} is {first!r:.60}, wanted an observation")
        agent = cls.__new__(cls)._begin(found.settings, found.shell, first)
        agent._restore(agent._checkpoint(File(path), OWN_LOOP))
        return agent


OWN_LOOP = "a loop of one's own"


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
    steps, sizes = horizon_of(env, horizon), read_sizes(getattr(env, "observation_space", None), "observation_space")
    actions = read_actions(getattr(env, "action_space", None), "action_space")
    shell = shell_of(sizes, actions, steps, rewards, reward_range, settings.eta, random_starts)
    first = shell.number(_reset(env, settings.seed, 0))
    agent = Learner.__new__(Learner)._begin(settings, shell, first)
    checkpoint = agent._checkpoint(settings.checkpoint, repr(getattr(env, "spec", None) or type(env).__name__))
    agent._restore(checkpoint)
    while not is_over(settings, agent.episodes, agent.bracket):
        try:
            observation, over = _reset(env, settings.seed, agent.episodes), False
            while not over:
                observation, reward, terminated, truncated, _ = env.step(agent.act(observation))
                over = agent.observe(reward, observation, terminated, truncated)
        except VerifiedRiskError as error:
            if agent.episodes == 0:
                raise
            message = f"{error} (error.run holds the {agent.episodes} episodes before it)"
            raise StoppedRun(message, agent.run()) from error
        checkpoint.save(agent.episodes, agent._columns)
        if progress is not None:
            progress(agent.episodes, settings.episodes)
    checkpoint.save(agent.episodes, agent._columns, now=True)
    return agent.run()


def _reset(env: Any, seed: int, k: int) -> Any:
    """Reset with the seed of episode k; return the first observation."""
    own = int(np.random.SeedSequence((seed, k)).generate_state(1)[0])
    observation, _ = env.reset(seed=own)
    return observation
