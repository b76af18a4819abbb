"""The common interface of policies: they belong to one model, start with a memory, choose, and remember."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

from .. import files
from ..errors import InvalidPolicy, Unsupported
from ..mdp import MDP
from ..numbers.rational import Rational, as_fraction, as_whole, said, text

if TYPE_CHECKING:
    import numpy as np

    from .playing import Player

Choice: TypeAlias = tuple[tuple[int, Fraction], ...]
"""Pairs ``(action, probability)`` of positive probability."""
Chosen: TypeAlias = int | Mapping[int, Rational]
"""A choice as written by a caller: an action, or ``{action: probability}``."""


class Policy(ABC):
    """Base class of all policies; a policy belongs to one model.

    :param mdp: the policy's model
    """

    #: Whether the memory is the return so far, so that an evaluator that tracks the return need not track it twice.
    memory_is_return = False
    #: Whether choices may depend on the rewards of earlier steps.
    uses_rewards = True

    def __init__(self, mdp: MDP) -> None:
        self.mdp = mdp

    @abstractmethod
    def start(self) -> Hashable:
        """Return the memory before the first step.

        :returns: the memory
        """

    @abstractmethod
    def choice(self, t: int, s: int, memory: Any) -> Choice:
        """Return the law of the action at step ``t`` in state ``s``.

        :param t: a step
        :param s: a state
        :param memory: what the policy remembers
        :returns: actions with their probabilities
        """

    @abstractmethod
    def remember(self, memory: Any, t: int, s: int, a: int, r: Fraction) -> Hashable:
        """Return the memory after reward ``r``.

        :param memory: the memory before the step
        :param t: a step
        :param s: the state before the step
        :param a: the action taken
        :param r: the reward received
        :returns: the memory after the step
        """

    def memories(self, memory: Any, t: int, s: int, a: int, r: Fraction) -> tuple[tuple[Any, Fraction], ...]:
        """Return the law of the memory after reward ``r``: one memory, unless the policy randomises it.

        :param memory: the memory before the step
        :param t: a step
        :param s: the state before the step
        :param a: the action taken
        :param r: the reward received
        :returns: memories with their probabilities
        """
        return ((self.remember(memory, t, s, a, r), Fraction(1)),)

    def memory_of_return(self, unit: Fraction) -> Callable[[int], Any] | None:
        """Return the memory as a function of the return so far in units, or None if the return does not determine it.

        :param unit: a number of which every reward, discounted, is a multiple
        :returns: a function of a whole number of units
        """
        return (lambda z: z * unit) if self.memory_is_return else None

    @abstractmethod
    def on(self, mdp: MDP) -> Policy:
        """Return the same rule for another model with the same numbers of states and actions and the same horizon.

        :param mdp: the other model
        :returns: the policy of the other model
        :raises InvalidPolicy: if the models do not fit
        """

    def parts(self) -> Iterable[tuple[Fraction, Policy]]:
        """Return the policies drawn at the start of an episode, with their probabilities.

        :returns: pairs of a probability and a policy; one pair, unless the policy is a mixture
        """
        return ((Fraction(1), self),)

    def player(self, rng: np.random.Generator | int | None = None) -> Player:
        """Return a player of this policy, with ``act(observation)``, ``observe(reward)`` and ``reset()``.

        :param rng: a numpy generator, a seed, or None for a fresh one
        :returns: the player
        """
        from .playing import Player

        return Player(self, rng)

    def predict(
        self,
        observation: object,
        state: object = None,
        episode_start: object = None,
        deterministic: bool = True,
        *,
        reward: object = None,
        rng: np.random.Generator | int | None = None,
    ) -> tuple[Any, Any]:
        """Return ``(action, state)``, the interface of agents in other libraries, such as stable-baselines3.

        ``state`` is None at the first step of an episode, then the one that the previous call returned; ``reward`` is
        that of the previous action, needed because a risk-sensitive policy remembers its return.  Loops that pass
        observations only, such as ``evaluate_policy``, play in :func:`~verified_risk.TrackReturn`, whose observations
        contain it.  An array of observations, one for each of several environments, gives an array of actions.

        :param observation: the environment's state, or an array of them
        :param state: the state returned by the last call; None begins an episode
        :param episode_start: True begins an episode, whatever the state
        :param deterministic: accepted for other libraries; a mixture is drawn from in any case, as its value needs it
        :param reward: the reward of the last action
        :param rng: a numpy generator, a seed, or None
        :returns: the action, and the state for the next call
        :raises InvalidArgument: if the observation is not a state, the reward is not the model's or missing, or the
            episode is over
        """
        from .playing import predict

        return predict(self, observation, state, episode_start, reward=reward, rng=rng)

    def require(self, mdp: MDP) -> None:
        """Raise unless ``mdp`` is the policy's own model.

        :param mdp: a model
        :raises InvalidPolicy: if it is another model
        """
        if mdp is not self.mdp and mdp != self.mdp:
            raise InvalidPolicy(
                f"the policy belongs to another model: its own is {self.mdp!r} ({self.mdp.fingerprint[:8]}), "
                f"this one is {mdp!r} ({mdp.fingerprint[:8]}); use policy.on(mdp) to play it there on purpose"
            )

    def choices(self) -> Hashable:
        """Return all choices as one value: policies of one kind and model are equal if their choices are.

        A policy given by a function, whose choices cannot be listed, equals only itself.

        :returns: something that can be compared
        """
        return id(self)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return False
        assert isinstance(other, Policy)
        return self.mdp == other.mdp and self.choices() == other.choices()

    def __hash__(self) -> int:
        return hash((type(self), self.mdp))

    def to_json(self) -> dict[str, Any]:
        """Return a JSON representation, with rationals as ``"p/q"``.

        :returns: plain lists, dicts, numbers and text
        :raises Unsupported: if the policy's rule is a function that cannot be stored
        """
        raise Unsupported(f"a {type(self).__name__} given by a function has no finite description and cannot be saved")

    def save(self, path: str | PathLike[str]) -> None:
        """Write the policy and its model as versioned JSON.

        :param path: the file, which is replaced
        :raises OSError: if it cannot be written; no partial file is left behind
        """
        files.write(path, "policy", {"model": self.mdp.to_json(), "policy": self.to_json()})

    @staticmethod
    def load(path: str | PathLike[str]) -> Policy:
        """Read a policy written by :meth:`save`.

        :param path: a file written by :meth:`save`
        :returns: the policy, with its model
        :raises InvalidFile: if the file is truncated, edited, or of another kind or version
        """
        from .combined import policy_from_json

        return files.read(path, "policy", lambda data: policy_from_json(data["policy"], MDP.from_json(data["model"])))

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {self.mdp!r}"


def required_policy(policy: object, mdp: MDP | None = None) -> Policy:
    """Return ``policy``, or raise if it is not a policy or, with ``mdp`` given, not a policy of that model."""
    if not isinstance(policy, Policy):
        raise InvalidPolicy(f"policy is {policy!r}, wanted a policy, such as the .policy of a plan")
    if mdp is not None:
        policy.require(mdp)
    return policy


def read_choice(mdp: MDP, s: int, entry: Any, where: str) -> Choice:
    """Read an action index or ``{action: probability}``, validated against the model."""
    count = mdp.n_actions[s]
    action = as_whole(entry)
    if action is not None:
        if not 0 <= action < count:
            raise InvalidPolicy(f"{where} plays action {action}, state {s} has actions 0..{count - 1}")
        return ((action, Fraction(1)),)
    if not isinstance(entry, Mapping):
        raise InvalidPolicy(f"{where} is {entry!r}, wanted an action or a dict of action probabilities")
    choice = []
    for a, p in entry.items():
        index = as_whole(a)
        if index is None or not 0 <= index < count:
            raise InvalidPolicy(f"{where} plays action {a!r}, state {s} has actions 0..{count - 1}")
        mass = as_fraction(p, f"{where}[{a}]", InvalidPolicy)
        if mass < 0:
            raise InvalidPolicy(f"{where}[{a}] is {said(mass)}, wanted a probability")
        if mass:
            choice.append((index, mass))
    total = sum((p for _, p in choice), Fraction())
    if total != 1:
        raise InvalidPolicy(f"{where} has probabilities that sum to {said(total)}, not to 1")
    return tuple(sorted(choice))


def choice_json(choice: Choice) -> Any:
    return choice[0][0] if len(choice) == 1 else {str(a): text(p) for a, p in choice}


def choice_read(entry: Any) -> Any:
    return {int(a): p for a, p in entry.items()} if isinstance(entry, dict) else entry


def same_shape(own: MDP, other: MDP) -> None:
    if own.n_actions != other.n_actions or own.horizon != other.horizon:
        raise InvalidPolicy(f"the policy is for {own!r}, which has not the states, actions and horizon of {other!r}")
