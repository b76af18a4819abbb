"""Play a policy step by step: ``act`` on an observation, ``observe`` the reward.

A player keeps its policy's memory.  Rewards may be floats: they are read as the model's rewards, and a reward that the
model cannot pay is an error, because the policy was made for another environment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np

from ..errors import InvalidArgument
from ..law import Law
from ..mdp import MDP
from ..numbers.rational import as_fraction, as_whole, meant, text

if TYPE_CHECKING:
    from .base import Policy

Thing = TypeVar("Thing")
State: TypeAlias = tuple[int, int, Any, int, int]
"""``(part of a mixture, step, memory, model state, action)`` after an action."""
Rng: TypeAlias = np.random.Generator | int | None
MOST_NAMED = 6


class Environment(Protocol):
    """The two methods of a gymnasium environment that a player uses."""

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; return the first observation and further information."""

    def step(self, action: Any, /) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Return the next observation, the reward, whether the episode terminated or was truncated, and more."""


class Player:
    """Plays successive episodes with ``policy``; ``rng`` is a numpy generator or a seed.

    >>> import verified_risk as vr
    >>> player = vr.plan(vr.models.two_paths(), "cvar(1/4)").policy.player(0)
    >>> player.act(0), player.observe(0.0), player.act(1)
    (0, None, 0)

    :param policy: the policy to play
    :param rng: a numpy generator, a seed, or None for a fresh one
    """

    def __init__(self, policy: Policy, rng: Rng = None) -> None:
        self.policy, self.mdp = policy, policy.mdp
        self.rng = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
        self._parts = tuple(policy.parts())
        self._readers: dict[tuple[int, int], RewardReader] = {}
        self.reset()

    def reset(self) -> None:
        """Begin an episode; for a mixture, draw the policy to play until its end."""
        self._part = _drawn(self.rng, [(i, w) for i, (w, _) in enumerate(self._parts)])
        self.t = 0
        self._memory: Any = self.policy_played.start()
        self._pending: tuple[int, int] | None = None

    @property
    def over(self) -> bool:
        """True if the horizon is reached."""
        return self.mdp.is_over(self.t)

    def act(self, observation: int) -> int:
        """Return the action in the environment's state ``observation``.

        :param observation: an integer, possibly numpy's
        :returns: the index of the action
        :raises InvalidArgument: if it is not a state, the last reward was not observed, or the episode is over
        """
        if self._pending is not None:
            raise InvalidArgument("act was called twice: wanted observe(reward) of the action before")
        s = model_state(self.mdp, self.t, observation)
        choice = self.policy_played.choice(self.t, s, self._memory)
        action = choice[0][0] if len(choice) == 1 else _drawn(self.rng, choice)
        self._pending = s, action
        return action

    def observe(self, reward: float | int | str | Fraction) -> None:
        """Record the reward of the last action.

        :param reward: as the environment gave it; a float is read as the model reads it
        :raises InvalidArgument: if the model cannot pay it there, or nothing was played
        """
        if self._pending is None:
            raise InvalidArgument("observe was called before act: wanted act(observation) first")
        s, a = self._pending
        if (s, a) not in self._readers:
            self._readers[s, a] = RewardReader(self.mdp, s, a)
        r = self._readers[s, a](reward)
        if not self.mdp.is_over(self.t + 1):  # what follows the last step does not matter
            self._memory = _drawn(self.rng, self.policy_played.memories(self._memory, self.t, s, a, r))
        self.t, self._pending = self.t + 1, None

    @property
    def policy_played(self) -> Policy:
        """The policy of this episode: the one that was drawn, if the policy is a mixture."""
        return self._parts[self._part][1]

    @property
    def state(self) -> State:
        """The player's complete state as one value, as used by :meth:`Policy.predict`."""
        s, a = self._pending if self._pending is not None else (-1, -1)
        return self._part, self.t, self._memory, s, a

    @classmethod
    def resumed(cls, policy: Policy, state: State, rng: Rng = None) -> Player:
        """Return a player that continues from ``state``.

        :param policy: the policy that the state belongs to
        :param state: the value of :attr:`state`, or returned by :meth:`Policy.predict`
        :param rng: a numpy generator, a seed, or None
        :returns: the player
        :raises InvalidArgument: if the state does not belong to this policy
        """
        player = cls(policy, rng)
        player._part, player.t, player._memory, s, a = state
        player._pending = None if s < 0 else (s, a)
        return player


class RewardReader:
    """Reads a number as one of the possible rewards of an action."""

    def __init__(self, mdp: MDP, s: int, a: int) -> None:
        self.mdp, self.s, self.a = mdp, s, a
        action = mdp.actions(s)[a]
        self._anything = not action.independent or isinstance(action.reward, Law)
        self._ends = action.reward_range
        rewards = (
            {r for _, _, r in action.outcomes} if not action.independent
            else set(action.reward.atoms) if isinstance(action.reward, Law) else set()
        )  # fmt: skip
        self._exact: dict[Fraction, Fraction] = {r: r for r in rewards}
        self._float: dict[float, Fraction] = {}
        for r in sorted(rewards):
            self._float.setdefault(float(r), r)
        self._last = mdp.clock is not None and s // mdp.clock == mdp.horizon - 1

    def __call__(self, reward: Any) -> Fraction:
        if isinstance(reward, (float, np.floating)) and float(reward) in self._float:
            return self._float[float(reward)]
        r = as_fraction(reward, "reward", InvalidArgument)
        if r in self._exact or self._last:  # the model's last reward includes the terminal one
            return r
        if self._anything:
            if isinstance(reward, (float, np.floating)) and meant(float(reward)) in self._exact:
                return meant(float(reward))
            named = ", ".join(map(text, sorted(self._exact)[:MOST_NAMED]))
            more = ", …" if len(self._exact) > MOST_NAMED else ""
            raise InvalidArgument(
                f"reward {reward!r} of action {self.a} in {self.mdp.state_name(self.s)} is not one that the model pays "
                f"there, wanted one of {named}{more}"
            )
        low, high = self._ends
        if not low <= r <= high:
            raise InvalidArgument(f"reward {reward!r} is outside [{low}, {high}], the rewards of action {self.a} there")
        return r


def model_state(mdp: MDP, t: int, observation: object) -> int:
    """Return the model's state for the environment's ``observation`` before step ``t``."""
    if mdp.is_over(t):
        raise InvalidArgument(f"the episode is over after {mdp.horizon} steps: wanted reset() before another act")
    if isinstance(observation, np.ndarray) and observation.size == 1:
        observation = observation.item()
    s = as_whole(observation)
    if s is None or not 0 <= s < mdp.n_observations:
        raise InvalidArgument(f"observation is {observation!r}, wanted a state in 0..{mdp.n_observations - 1}")
    return mdp.state_at(t, s)


def predict(
    policy: Policy, observation: Any, state: Any, episode_start: Any, *, reward: Any, rng: Rng
) -> tuple[Any, Any]:
    """Play one step with a state kept by the caller; see :meth:`verified_risk.Policy.predict`."""
    tracked = isinstance(observation, Mapping)
    if tracked and not {"observation", "step", "reward"} <= observation.keys():
        raise InvalidArgument(
            f"observation has entries {', '.join(map(str, observation))}, wanted those of TrackReturn"
        )
    if not (np.ndim(observation["step"]) > 1 if tracked else np.ndim(observation)):
        return _predict_one(policy, observation, state, bool(episode_start), reward, rng)
    each = (
        [{key: observation[key][i] for key in observation} for i in range(len(observation["step"]))]
        if tracked
        else observation
    )
    n = len(each)
    starts = [False] * n if episode_start is None else np.broadcast_to(episode_start, n).tolist()
    rewards = [None] * n if reward is None else np.broadcast_to(reward, n).tolist()
    states = [None] * n if state is None else state
    if len(states) != n:
        raise InvalidArgument(f"state has {len(states)} entries, wanted {n}, one for each observation")
    found = [
        _predict_one(policy, one, before, start, paid, rng)
        for one, before, start, paid in zip(each, states, starts, rewards, strict=True)
    ]
    return np.array([action for action, _ in found]), tuple(after for _, after in found)


def _predict_one(
    policy: Policy, observation: Any, state: State | None, start: bool, reward: Any, rng: Rng
) -> tuple[int, State]:
    """Play one step of one episode; in what :func:`~verified_risk.TrackReturn` supplies, step 0 begins an episode."""
    if isinstance(observation, Mapping):
        step, reward = (np.asarray(observation[key]).item() for key in ("step", "reward"))
        observation, start = observation["observation"], step == 0
        if not start and (state is None or state[1] + 1 != step):
            known = "there is no state" if state is None else f"the state is that of step {state[1]}"
            raise InvalidArgument(
                f"the observation is of step {int(step)}, but {known}, wanted that of the step before"
            )
    if state is None or start:
        player = Player(policy, rng)
    else:
        player = Player.resumed(policy, state, rng)
        if reward is not None:
            player.observe(reward)
        elif not player.policy_played.uses_rewards:
            player.t, player._pending = player.t + 1, None
        else:
            raise InvalidArgument(
                "reward is missing: wanted that of the action before, which the policy remembers; TrackReturn(env) "
                "supplies it"
            )
    return player.act(observation), player.state


def _drawn(rng: np.random.Generator, law: Iterable[tuple[Thing, Fraction]]) -> Thing:
    """Draw one value of a finite law by 53 random bits; a law of one value draws nothing."""
    pairs = tuple(law)
    if len(pairs) == 1:
        return pairs[0][0]
    left = Fraction(int(rng.integers(2**53)), 2**53)
    for value, p in pairs:
        left -= p
        if left < 0:
            return value
    return pairs[-1][0]
