r"""Finite-horizon MDPs in exact arithmetic.

An MDP is :math:`(\mathcal S, \mathcal A, D, P, R, T)`: an initial law ``D``, transitions ``P(s' | s, a)``, reward laws
``R(s, a)``, a horizon ``T``.  Steps are numbered ``t = 0, ..., T-1``; step ``t`` pays ``discount**t * r``.  The
return is ``Z = sum_t discount**t * r_t``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import Any

from . import files
from .action import Action as Action
from .action import Outcome as Outcome
from .errors import InvalidModel, InvalidNumber, Unsupported
from .law import Law
from .rational import Rational, as_fraction, as_step, as_whole, text
from .reading import Reader
from .rewards import ContinuousReward
from .shown import short


class MDP:
    r"""A finite-horizon MDP with rational probabilities and rewards, validated once and immutable.

    Numbers may be int, Fraction, Decimal, ``"1/3"`` or float (read as its shortest decimal).  Nothing is rounded and
    nothing is normalised unless ``normalise=True``, which records in :attr:`notes` how far each row moved.

    >>> mdp = MDP(initial=[1], transitions=[[[1], [1]]], rewards=[[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=1)
    >>> mdp
    MDP(1 state, 2 actions, horizon 1)

    ``initial`` and each transition row may be a list over all states or a dict ``{state: probability}``; each reward is
    a dict ``{reward: probability}``, a :class:`Law`, a number, or a frozen ``scipy.stats`` law of bounded support.
    ``drawing`` says what the states are, ``action_names[s][a]`` what the actions are: for readers, not for algorithms.
    """

    _states: tuple[tuple[Action, ...], ...]
    _horizon: int
    _discount: Fraction
    _initial: tuple[tuple[int, Fraction], ...]
    drawing: str | None
    notes: tuple[str, ...]
    action_names: tuple[tuple[str, ...], ...] | None

    def __init__(
        self,
        initial: Any,
        transitions: Sequence[Sequence[Any]],
        rewards: Sequence[Sequence[Any]],
        horizon: int,
        discount: Rational = 1,
        *,
        normalise: bool = False,
        drawing: str | None = None,
        notes: Iterable[str] = (),
        action_names: Sequence[Sequence[str]] | None = None,
    ) -> None:
        read = Reader(len(transitions), normalise)
        if len(rewards) != len(transitions):
            raise InvalidModel(f"rewards has {len(rewards)} states, wanted {len(transitions)} as in transitions")
        states = []
        for s, (rows, laws) in enumerate(zip(transitions, rewards, strict=True)):
            if len(rows) == 0:
                raise InvalidModel(f"state {s} has no actions, wanted at least one in transitions[{s}]")
            if len(rows) != len(laws):
                raise InvalidModel(f"rewards[{s}] has {len(laws)} actions, wanted {len(rows)} as in transitions[{s}]")
            states.append(
                tuple(
                    Action(read.row(row, f"transitions[{s}][{a}]"), read.reward(law, f"rewards[{s}][{a}]"))
                    for a, (row, law) in enumerate(zip(rows, laws, strict=True))
                )
            )
        self._finish(read, initial, states, horizon, discount, drawing, notes, action_names)

    @classmethod
    def from_outcomes(
        cls,
        outcomes: Sequence[Sequence[Iterable[tuple[Any, Any, Any]]]],
        *,
        initial: Any,
        horizon: int,
        discount: Rational = 1,
        normalise: bool = False,
        drawing: str | None = None,
        notes: Iterable[str] = (),
        action_names: Sequence[Sequence[str]] | None = None,
    ) -> MDP:
        """``outcomes[s][a] = [(probability, next_state, reward), ...]``: the reward may depend on the next state.

        Equal ``(next_state, reward)`` pairs are added up.  Where reward and next state turn out to be independent, the
        action is the same as one given by transitions and rewards.
        """
        self = cls.__new__(cls)
        read = Reader(len(outcomes), normalise)
        states = []
        for s, choices in enumerate(outcomes):
            if len(choices) == 0:
                raise InvalidModel(f"state {s} has no actions, wanted at least one in outcomes[{s}]")
            states.append(tuple(read.action(list(rows), f"outcomes[{s}][{a}]") for a, rows in enumerate(choices)))
        self._finish(read, initial, states, horizon, discount, drawing, notes, action_names)
        return self

    def _finish(
        self,
        read: Reader,
        initial: Any,
        states: list[tuple[Action, ...]],
        horizon: int,
        discount: Rational,
        drawing: str | None,
        notes: Iterable[str],
        action_names: Sequence[Sequence[str]] | None,
    ) -> None:
        if not states:
            raise InvalidModel("the model has no states, wanted at least one")
        try:
            gamma = as_fraction(discount, "discount")
        except InvalidNumber as error:
            raise InvalidModel(str(error)) from None
        if not 0 < gamma <= 1:
            raise InvalidModel(f"discount is {gamma}, wanted a number in (0, 1]")
        self._states = tuple(states)
        self._horizon = _read_horizon(horizon)
        self._discount = gamma
        self._initial = read.row(initial if as_whole(initial) is None else {initial: 1}, "initial")
        self.drawing = drawing
        self.notes = (*notes, *read.notes)
        self.action_names = None if action_names is None else _read_names(action_names, self.n_actions)

    # -- what it consists of ------------------------------------------------------------------------------------------

    @property
    def n_states(self) -> int:
        return len(self._states)

    @property
    def horizon(self) -> int:
        return self._horizon

    @property
    def discount(self) -> Fraction:
        return self._discount

    @property
    def initial(self) -> tuple[tuple[int, Fraction], ...]:
        """Pairs ``(state, probability)`` of the initial law."""
        return self._initial

    def actions(self, s: int) -> tuple[Action, ...]:
        """The actions of state ``s``, in order."""
        return self._states[s]

    @cached_property
    def n_actions(self) -> tuple[int, ...]:
        """How many actions each state has."""
        return tuple(len(actions) for actions in self._states)

    @cached_property
    def is_product(self) -> bool:
        """Whether reward and next state are independent throughout, as in the paper."""
        return all(action.independent for _, _, action in self)

    @cached_property
    def is_discrete(self) -> bool:
        """Whether every reward law is finite."""
        return all(not action.independent or isinstance(action.reward, Law) for _, _, action in self)

    def __iter__(self) -> Iterator[tuple[int, int, Action]]:
        """All ``(state, action index, action)``."""
        for s, actions in enumerate(self._states):
            for a, action in enumerate(actions):
                yield s, a, action

    @cached_property
    def reward_range(self) -> tuple[Fraction, Fraction]:
        """The least and the greatest reward of a single step, undiscounted."""
        lows, highs = zip(*(action.reward_range for _, _, action in self), strict=True)
        return min(lows), max(highs)

    def step_reward(self, t: int, r: Fraction) -> Fraction:
        """What reward ``r`` at step ``t = 0, 1, ...`` adds to the return: ``discount**t * r``."""
        return r if self._discount == 1 else self._discount**t * r

    def remaining_range(self, t: int) -> tuple[Fraction, Fraction]:
        """Bounds on what steps ``t, ..., T-1`` add to the return, from :attr:`reward_range` alone."""
        low, high = self.reward_range
        weight = sum((self.step_reward(u, Fraction(1)) for u in range(t, self._horizon)), Fraction())
        return low * weight, high * weight

    # -- derived models -----------------------------------------------------------------------------------------------

    def discretised(self, eta: Rational) -> MDP:
        r"""The model whose every reward is rounded up to the grid: :math:`\phi(r) = \eta \lceil r/\eta \rceil`.

        A policy of it plays in this model after :meth:`GridPolicy.adapt`.  With a discount the rounded rewards depend
        on the step and the result is not an MDP of this class; :func:`verified_risk.plan` handles that case.
        """
        if self._discount != 1:
            raise Unsupported("a discounted model has no stationary discretisation", instead="plan(mdp, G, eta=...)")
        from .grid import round_up_reward

        step = as_step(eta)
        return self.map_rewards(lambda r: round_up_reward(r, step), lambda law: law.round_up(step))

    def map_rewards(
        self,
        change: Callable[[Fraction], Fraction],
        change_continuous: Callable[[ContinuousReward], Law | ContinuousReward] | None = None,
    ) -> MDP:
        """The same model with every reward ``r`` replaced by ``change(r)``."""
        return self._replace(
            states=tuple(
                tuple(action.map_rewards(change, change_continuous) for action in actions) for actions in self._states
            )
        )

    def with_horizon(self, horizon: int) -> MDP:
        """The same model played for another number of steps."""
        return self._replace(horizon=_read_horizon(horizon))

    def _replace(self, states: tuple[tuple[Action, ...], ...] | None = None, horizon: int | None = None) -> MDP:
        twin = MDP.__new__(MDP)
        twin._states = self._states if states is None else states
        twin._horizon = self._horizon if horizon is None else horizon
        twin._discount, twin._initial = self._discount, self._initial
        twin.drawing, twin.notes, twin.action_names = self.drawing, self.notes, self.action_names
        return twin

    # -- readers and writers ------------------------------------------------------------------------------------------

    @classmethod
    def from_gymnasium(cls, env: Any, *, horizon: int, discount: Rational = 1) -> MDP:
        """The tabular model of a gymnasium environment with a transition table ``env.unwrapped.P``."""
        from .interop.gymnasium import mdp_of_environment

        return mdp_of_environment(env, horizon=horizon, discount=discount)

    @classmethod
    def from_csv(
        cls,
        path: str | PathLike[str],
        *,
        initial: Any,
        horizon: int,
        discount: Rational = 1,
        index_base: int,
        normalise: bool = False,
    ) -> MDP:
        """Columns ``idstatefrom,idaction,idstateto,probability,reward``; ``index_base`` is the least index, 0 or 1.

        ``initial`` counts the states as the file does.
        """
        from .interop.csv import read_csv

        return read_csv(
            path, initial=initial, horizon=horizon, discount=discount, index_base=index_base, normalise=normalise
        )

    @classmethod
    def from_storm(
        cls,
        path: str | PathLike[str],
        *,
        horizon: int | None = None,
        rewards: str | None = None,
        constants: Any = None,
        initial: Any = None,
        discount: Rational = 1,
    ) -> MDP:
        """A DRN, PRISM or JANI file, read exactly by Storm (the extra ``storm``).

        Step t pays the rewards of the state it leaves, of its action and of its transition; see
        :mod:`verified_risk.interop.storm`.
        """
        from .interop.storm import read_storm

        return read_storm(
            path, horizon=horizon, rewards=rewards, constants=constants, initial=initial, discount=discount
        )

    def to_csv(self, path: str | PathLike[str], *, index_base: int = 0) -> None:
        """Write ``idstatefrom,idaction,idstateto,probability,reward``, rationals as ``p/q``."""
        from .interop.csv import write_csv

        write_csv(self, path, index_base=index_base)

    def to_drn(self, path: str | PathLike[str]) -> None:
        """Write the model, its steps unrolled into the state, in Storm's explicit DRN format.

        :func:`verified_risk.interop.drn.write_return_drn` writes the return so far into the state as well.
        """
        from .interop.drn import write_drn

        write_drn(self, path)

    def to_json(self) -> dict[str, Any]:
        def action(action: Action) -> dict[str, Any]:
            if not action.independent:
                return {"outcomes": [[text(p), s, text(r)] for p, s, r in action.outcomes]}
            return {"next": [[s, text(p)] for s, p in action.successors], "reward": action.reward.to_json()}

        return {
            "horizon": self._horizon,
            "discount": text(self._discount),
            "initial": [[s, text(p)] for s, p in self._initial],
            "states": [[action(choice) for choice in actions] for actions in self._states],
            "drawing": self.drawing,
            "notes": list(self.notes),
            **({} if self.action_names is None else {"action_names": [list(names) for names in self.action_names]}),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MDP:
        self = cls.__new__(cls)
        read = Reader(len(data["states"]), normalise=False)

        def action(entry: dict[str, Any], where: str) -> Action:
            if "outcomes" in entry:
                return read.action(entry["outcomes"], where)
            law = entry["reward"]
            reward = ContinuousReward.from_json(law) if "scipy" in law else Law.from_json(law)
            return Action(read.row(dict(map(tuple, entry["next"])), where), reward)

        states = []
        for s, actions in enumerate(data["states"]):
            if not actions:
                raise InvalidModel(f"state {s} has no actions, wanted at least one")
            states.append(tuple(action(entry, f"states[{s}][{a}]") for a, entry in enumerate(actions)))
        initial = dict(map(tuple, data["initial"]))
        words = data["drawing"], data["notes"], data.get("action_names")
        self._finish(read, initial, states, data["horizon"], data["discount"], *words)
        return self

    def save(self, path: str | PathLike[str]) -> None:
        """Write as versioned JSON, rationals as ``"p/q"``; the file appears whole or not at all."""
        files.write(path, "model", self.to_json())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> MDP:
        return files.read(path, "model", cls.from_json)

    # -- identity and display -----------------------------------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str:
        """A digest of what the model *is* (drawing, notes and names do not count)."""
        data = self.to_json()
        words = ("drawing", "notes", "action_names")
        return files.digest({name: part for name, part in data.items() if name not in words})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MDP) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        counts = sorted(set(self.n_actions))
        actions = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        states = "1 state" if self.n_states == 1 else f"{self.n_states} states"
        discount = "" if self._discount == 1 else f", discount {self._discount}"
        return f"MDP({states}, {actions} action{'s' if counts[-1] > 1 else ''}, horizon {self._horizon}{discount})"

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        from .plotting.html import mdp_html

        return mdp_html(self)

    def describe(self) -> str:
        """A few lines of text: the drawing if there is one, sizes, rewards, notes."""
        low, high = self.reward_range
        lines = [repr(self), f"rewards from {short(low)} to {short(high)} a step", *self.notes]
        return "\n".join(([self.drawing, ""] if self.drawing else []) + lines)


def _read_names(names: Sequence[Sequence[str]], counts: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    """One name for each action of each state."""
    read = tuple(tuple(own) for own in names)
    if len(read) != len(counts):
        raise InvalidModel(f"action_names has {len(read)} states, wanted {len(counts)}")
    for s, (own, count) in enumerate(zip(read, counts, strict=True)):
        if len(own) != count or not all(isinstance(name, str) for name in own):
            raise InvalidModel(f"action_names[{s}] is {own!r}, wanted {count} names")
    return read


def _read_horizon(value: Any) -> int:
    horizon = as_whole(value)
    if horizon is None or horizon < 1:
        raise InvalidModel(f"horizon is {value!r}, wanted an integer of at least 1")
    return horizon
