r"""Finite-horizon MDPs in exact arithmetic.

An MDP is :math:`(\mathcal S, \mathcal A, D, P, R, T)`: an initial law ``D``, transitions ``P(s' | s, a)``, reward laws
``R(s, a)``, a horizon ``T``.  Steps are numbered ``t = 0, ..., T-1``; a reward ``r`` of step ``t`` counts ``discount**t
* r``.  The return is ``Z = sum_t discount**t * r_t``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

import numpy as np

from ..errors import InvalidArgument, InvalidModel, Unsupported, hints_at_arguments
from ..law import Law
from ..numbers.format import short
from ..numbers.rational import Rational, as_step, as_whole
from .action import Action, ContinuousReward, finite, range_of
from .packed import FlatModel, Packed, PackedStates, flat_model
from .readers import Horizon, Initial, ModelReaders, Reward, Row, StateActions
from .reading import (
    Reader,
    by_name,
    collector_resting,
    read_action_names,
    read_discount,
    read_horizon,
    read_state_names,
)

MOST_NAMED = 40  # maximum number of states that a description lists


class MDP(ModelReaders):
    r"""A finite-horizon MDP with rational probabilities and rewards, validated once and immutable.

    Numbers may be int, Fraction, Decimal, ``"1/3"`` or float (read as its shortest decimal).  Nothing is rounded, and
    nothing is normalised unless ``normalise=True``, which records in :attr:`notes` how many rows changed, and how far.

    >>> mdp = MDP(initial=[1], transitions=[[[1], [1]]], rewards=[[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=1)
    >>> mdp
    MDP(1 state, 2 actions, horizon 1)

    ``initial`` and each transition row may be a list over all states or a dict ``{state: probability}``; each reward is
    a dict ``{reward: probability}``, a :class:`Law`, a number, or a frozen ``scipy.stats`` law of bounded support.
    ``drawing`` depicts the states, ``state_names[s]`` and ``action_names[s][a]`` name them: these are for readers, not
    for algorithms.

    :param initial: a state, or a law of the initial state: ``{state: probability}`` or a list of probabilities; with
        ``state_names``, states may be named
    :param transitions: ``transitions[s][a]``: the law of the next state, as a list of probabilities or ``{state:
        probability}``
    :param rewards: ``rewards[s][a]``: a number, a law ``{reward: probability}``, or a frozen law of ``scipy.stats``
    :param horizon: the number of steps T, at least 1; None, ``math.inf`` or ``"auto"`` for a model without one, which
        :func:`~verified_risk.plan` plans with certified bounds on all that follows the steps it looks at
    :param discount: in (0, 1]; a reward at step t counts ``discount**t``
    :param normalise: divide rows by their sums instead of rejecting those that do not sum to 1
    :param drawing: the model as text, for maps and :meth:`describe`
    :param notes: remarks kept with the model
    :param action_names: ``action_names[s][a]``, for descriptions
    :param state_names: one for each state
    :raises InvalidModel: if an entry is not an exact finite number, a row is not a law, a shape does not fit, or the
        horizon or discount is out of range
    """

    _states: StateActions
    _horizon: int | None
    _discount: Fraction
    _initial: tuple[tuple[int, Fraction], ...]
    drawing: str | None
    notes: tuple[str, ...]
    action_names: tuple[tuple[str, ...], ...] | None
    state_names: tuple[str, ...] | None
    clock: int | None = None
    """The number of the user's states if the step is part of the state; None for an ordinary model."""

    @hints_at_arguments
    def __init__(
        self,
        initial: Initial,
        transitions: Sequence[Sequence[Row]],
        rewards: Sequence[Sequence[Reward]],
        horizon: Horizon,
        discount: Rational = 1,
        *,
        normalise: bool = False,
        drawing: str | None = None,
        notes: Iterable[str] = (),
        action_names: Sequence[Sequence[str]] | None = None,
        state_names: Sequence[str] | None = None,
    ) -> None:
        read = Reader(len(transitions), normalise)
        if len(rewards) != len(transitions):
            raise InvalidModel(f"rewards has {len(rewards)} states, wanted {len(transitions)} as in transitions")
        with collector_resting():
            states = [
                read.actions(s, rows, laws) for s, (rows, laws) in enumerate(zip(transitions, rewards, strict=True))
            ]
        self._finish(
            tuple(states), read, initial=initial, horizon=horizon, discount=discount, drawing=drawing, notes=notes,
            action_names=action_names, state_names=state_names,
        )  # fmt: skip

    @classmethod
    def from_actions(cls, states: StateActions, *, read: Reader, **rest: object) -> MDP:
        """Build a model from actions already validated by a reader of files or arrays.

        :param states: ``states[s]``: the actions of state s
        :param read: the reader that checked them, with its notes
        :param rest: ``clock``, the number of the user's states in a model that changes with the step, and the arguments
            of :class:`MDP` other than transitions and rewards
        :returns: the model
        :raises InvalidModel: if another argument is invalid
        """
        self = cls.__new__(cls)
        self._finish(states, read, **cast("dict[str, Any]", rest))
        return self

    def _finish(
        self,
        states: StateActions,
        read: Reader,
        *,
        initial: Initial,
        horizon: Horizon,
        discount: Rational = 1,
        drawing: str | None = None,
        notes: Iterable[str] = (),
        action_names: Sequence[Sequence[str]] | None = None,
        state_names: Sequence[str] | None = None,
        clock: int | None = None,
    ) -> None:
        if not states:
            raise InvalidModel("the model has no states, wanted at least one")
        self._states = states
        self._horizon = read_horizon(horizon)
        self._discount = read_discount(discount)
        initial = by_name(initial, state_names)
        self._initial = read.row(initial if as_whole(initial) is None else {initial: 1}, "initial")
        if not (drawing is None or isinstance(drawing, str)):
            raise InvalidModel(f"drawing is {drawing!r:.60}, wanted text")
        self.drawing = drawing
        self.notes = (*notes, *read.repairs.notes())
        if not all(isinstance(note, str) for note in self.notes):
            raise InvalidModel(f"notes is {list(self.notes)!r:.60}, wanted lines of text")
        self.action_names = None if action_names is None else read_action_names(action_names, self.n_actions)
        self.clock = clock
        self.state_names = None if state_names is None else read_state_names(state_names, clock or len(states))

    # -- what it consists of ------------------------------------------------------------------------------------------

    @property
    def n_states(self) -> int:
        return len(self._states)

    @property
    def horizon(self) -> int:
        """The number of steps; an error if there is no last one (:attr:`endless`)."""
        if self._horizon is None:
            raise Unsupported("the model has no horizon", instead="plan(mdp, G), which needs none, or with_horizon(T)")
        return self._horizon

    @property
    def endless(self) -> bool:
        """True if the model has no horizon."""
        return self._horizon is None

    def is_over(self, t: int) -> bool:
        """Return whether no step follows the first ``t``.

        :param t: a number of steps
        :returns: False for every t if the model has no horizon
        """
        return self._horizon is not None and t >= self._horizon

    @property
    def discount(self) -> Fraction:
        return self._discount

    @property
    def initial(self) -> tuple[tuple[int, Fraction], ...]:
        """Pairs ``(state, probability)`` of the initial law."""
        return self._initial

    def state_at(self, t: int, s: int) -> int:
        """Return the model's state when the environment is in state ``s`` before step ``t``.

        :param t: a step
        :param s: a state of the environment
        :returns: the state of the model
        """
        return s if self.clock is None else t * self.clock + s

    def seen(self, s: int) -> int:
        """Return the environment's state in the model's state ``s``.

        :param s: a state of the model
        :returns: what a player of the environment observes
        """
        return s if self.clock is None else s % self.clock

    @property
    def n_observations(self) -> int:
        """The number of states that an environment of this model can show."""
        return self.n_states if self.clock is None else self.clock

    def state_name(self, s: int) -> str:
        """Return ``state 3``, or its entry in :attr:`state_names`.

        :param s: a state
        :returns: its name
        """
        own = self.seen(s)
        return f"state {own}" if self.state_names is None else f"state {own} ({self.state_names[own]})"

    def actions(self, s: int) -> tuple[Action, ...]:
        """Return the actions of state ``s``, in order.

        :param s: a state
        :returns: its actions, each with the law of next state and reward
        """
        return self._states[s]

    @cached_property
    def n_actions(self) -> tuple[int, ...]:
        """The number of actions of each state."""
        if isinstance(self._states, PackedStates):
            return tuple(np.diff(self._states.flat.action_start).tolist())
        return tuple(len(actions) for actions in self._states)

    @cached_property
    def is_product(self) -> bool:
        """True if reward and next state are independent throughout, as in the paper."""
        return isinstance(self._states, PackedStates) or all(action.independent for _, _, action in self)

    @cached_property
    def flat(self) -> FlatModel | None:
        """The actions as arrays; None if some reward depends on the next state."""
        return flat_model(self._states, self.packed) if self.is_product else None

    @cached_property
    def packed(self) -> Packed:
        """The laws of the next state of all actions, exactly, in a few arrays."""
        if isinstance(self._states, PackedStates):
            return self._states.packed
        return Packed.of([action.successors for _, _, action in self])

    @cached_property
    def _laws(self) -> tuple[Law | ContinuousReward, ...]:
        """The different reward laws of actions whose rewards do not depend on the next state."""
        if isinstance(self._states, PackedStates):
            return self._states.flat.laws
        return tuple({id(law): law for law in (a.reward for _, _, a in self if a.independent)}.values())

    def _joint(self) -> Iterator[Action]:
        """Iterate over the actions whose rewards depend on the next state."""
        if not isinstance(self._states, PackedStates):
            yield from (action for _, _, action in self if not action.independent)

    @cached_property
    def is_discrete(self) -> bool:
        """True if every reward law is finite."""
        return all(isinstance(law, Law) for law in self._laws)

    def __iter__(self) -> Iterator[tuple[int, int, Action]]:
        """Iterate over all ``(state, action index, action)``."""
        for s, actions in enumerate(self._states):
            for a, action in enumerate(actions):
                yield s, a, action

    @cached_property
    def reward_range(self) -> tuple[Fraction, Fraction]:
        """The least and greatest reward of a single step, undiscounted."""
        ranges = [range_of(law) for law in self._laws] + [action.reward_range for action in self._joint()]
        lows, highs = zip(*ranges, strict=True)
        return min(lows), max(highs)

    @cached_property
    def rewards(self) -> tuple[Fraction, ...]:
        """Every possible reward, once; raises an error for continuous rewards."""
        seen: dict[tuple[int, int], Fraction] = {}  # hashing a Fraction costs more than all the rest
        for law in self._laws:
            for r in finite(law).atoms:
                seen.setdefault((r.numerator, r.denominator), r)
        for action in self._joint():
            for _, _, r in action.outcomes:
                seen.setdefault((r.numerator, r.denominator), r)
        return tuple(seen.values())

    def step_reward(self, t: int, r: Fraction) -> Fraction:
        """Return what reward ``r`` at step ``t = 0, 1, ...`` adds to the return: ``discount**t * r``.

        :param t: a step
        :param r: a reward
        :returns: the discounted reward
        """
        return r if self._discount == 1 else self._discount**t * r

    def remaining_range(self, t: int) -> tuple[Fraction, Fraction]:
        """Bound what steps ``t, ..., T-1`` add to the return, from :attr:`reward_range` alone.

        :param t: a step
        :returns: the least and greatest sum
        """
        low, high = self.reward_range
        weight = sum((self.step_reward(u, Fraction(1)) for u in range(t, self.horizon)), Fraction())
        return low * weight, high * weight

    # -- derived models -----------------------------------------------------------------------------------------------

    def discretised(self, eta: Rational) -> MDP:
        r"""Return the model with every reward rounded up to the grid: :math:`\phi(r) = \eta \lceil r/\eta \rceil`.

        Its policies apply to this model after :meth:`GridPolicy.adapt`.  With a discount the rounded rewards depend on
        the step and the result is not an MDP of this class; :func:`verified_risk.plan` handles that case.

        :param eta: the grid's step, positive
        :returns: the rounded model
        :raises InvalidArgument: if ``eta`` is not a positive number
        """
        if self._discount != 1:
            raise Unsupported("a discounted model has no stationary discretisation", instead="plan(mdp, G, eta=...)")
        from ..grid import round_up_reward

        step = as_step(eta)
        return self.map_rewards(lambda r: round_up_reward(r, step), lambda law: law.round_up(step))

    def map_rewards(
        self,
        change: Callable[[Fraction], Fraction],
        change_continuous: Callable[[ContinuousReward], Law | ContinuousReward] | None = None,
    ) -> MDP:
        """Return the same model with every reward ``r`` replaced by ``change(r)``.

        :param change: a function of a reward
        :param change_continuous: a function of a continuous reward, if the model has one
        :returns: the new model
        :raises Unsupported: if there is a continuous reward and no function for it
        """
        return self._replace(
            _states=tuple(
                tuple(action.map_rewards(change, change_continuous) for action in actions) for actions in self._states
            )
        )

    def with_horizon(self, horizon: Horizon) -> MDP:
        """Return the same model with another horizon.

        :param horizon: at least 1; None, ``math.inf`` or ``"auto"`` for none
        :returns: the new model
        :raises InvalidModel: if the horizon is out of range, or the model changes with the step
        """
        if self.clock is not None and horizon != self._horizon:
            raise Unsupported(
                f"the model lists its {self._horizon} steps one by one: it cannot be played for {horizon}"
            )
        return self._replace(_horizon=read_horizon(horizon))

    def with_discount(self, discount: Rational) -> MDP:
        """Return the same model with another discount.

        :param discount: in (0, 1]
        :returns: the new model
        :raises InvalidModel: if the discount is out of range
        """
        if self.clock is not None:
            raise Unsupported("the model lists its steps, and its last rewards may hold discounted ones: read it again")
        return self._replace(_discount=read_discount(discount))

    def _replace(self, **changed: object) -> MDP:
        """Return the same model but for some of the fields that are declared above; what is computed is not kept."""
        twin = MDP.__new__(MDP)
        for name in MDP.__annotations__:
            setattr(twin, name, changed.get(name, getattr(self, name)))
        return twin

    # -- identity and display -----------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MDP) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        counts = sorted(set(self.n_actions))
        actions = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        n = self.n_observations
        states = ("1 state" if n == 1 else f"{n} states") + (" at each step" if self.clock else "")
        discount = "" if self._discount == 1 else f", discount {self._discount}"
        horizon = "no horizon" if self._horizon is None else f"horizon {self._horizon}"
        return f"MDP({states}, {actions} action{'s' if counts[-1] > 1 else ''}, {horizon}{discount})"

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        from ..plotting.html import mdp_html

        return mdp_html(self)

    def describe(self) -> str:
        """Describe the model in a few lines: the drawing if there is one, sizes, rewards, notes.

        :returns: the text
        """
        low, high = self.reward_range
        lines = [repr(self), f"rewards from {short(low)} to {short(high)} a step", *self.notes]
        if self.state_names is not None and self.drawing is None and self.n_observations <= MOST_NAMED:
            for s in range(self.n_observations):
                lines.append(self.state_name(s) + (f": {', '.join(self.action_names[s])}" if self.action_names else ""))
        return "\n".join(([self.drawing, ""] if self.drawing else []) + lines)


def required_model(mdp: object) -> MDP:
    """Return ``mdp`` if it is a model; otherwise raise an error that says how to make one."""
    if isinstance(mdp, MDP):
        return mdp
    if hasattr(mdp, "nominal"):
        raise InvalidArgument(
            f"mdp is {mdp!r}, wanted rates that are numbers: mdp.nominal, or plan(mdp, G, against=...)"
        )
    named = isinstance(mdp, str)
    hint = ": MDP.from_gymnasium(...) makes one" if named or hasattr(mdp, "step") else ""
    raise InvalidArgument(f"mdp is {mdp!r}, wanted an MDP{hint}")
