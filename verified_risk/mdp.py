r"""Finite-horizon MDPs in exact arithmetic.

An MDP is :math:`(\mathcal S, \mathcal A, D, P, R, T)`: an initial law ``D``, transitions ``P(s' | s, a)``, reward laws
``R(s, a)``, a horizon ``T``.  Steps are numbered ``t = 0, ..., T-1``; step ``t`` pays ``discount**t * r``.  The
return is ``Z = sum_t discount**t * r_t``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import Any, TypeAlias

from . import files
from .errors import InvalidLaw, InvalidModel, InvalidNumber, Unsupported
from .law import Law
from .rational import Rational, as_fraction, as_whole, exact_sum, lcm_of_denominators, text
from .rewards import ContinuousReward

Outcome: TypeAlias = tuple[Fraction, int, Fraction]
"""``(probability, next state, reward)``."""


class Action:
    """What one action in one state does: where it leads and what it pays.

    ``independent`` says that reward and next state are independent, as in the paper; then ``successors`` and ``reward``
    describe it fully.  Otherwise ``outcomes`` does, and ``successors`` and ``reward`` are its marginals.
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

    @property
    def successors(self) -> tuple[tuple[int, Fraction], ...]:
        """Pairs ``(next state, probability)``, states increasing, probabilities positive."""
        if self._successors is None:
            assert self._outcomes is not None
            totals: dict[int, Fraction] = {}
            for p, s, _ in self._outcomes:
                totals[s] = totals.get(s, Fraction()) + p
            self._successors = tuple(sorted(totals.items()))
        return self._successors

    @property
    def reward(self) -> Law | ContinuousReward:
        """The (marginal) law of the reward."""
        if self._reward is None:
            assert self._outcomes is not None
            totals: dict[Fraction, Fraction] = {}
            for p, _, r in self._outcomes:
                totals[r] = totals.get(r, Fraction()) + p
            self._reward = Law.of_weights(totals)
        return self._reward

    @property
    def reward_law(self) -> Law:
        """The reward as a finite law; an error for continuous rewards."""
        if not isinstance(self.reward, Law):
            raise Unsupported(
                f"rewards are continuous ({self.reward}): discretise the model first, mdp.discretised(eta)"
            )
        return self.reward

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """All ``(probability, next state, reward)`` of positive probability."""
        if self._outcomes is not None:
            return self._outcomes
        law = self.reward_law
        return tuple((p * q, s, r) for s, p in self.successors for r, q in law)


class MDP:
    r"""A finite-horizon MDP with rational probabilities and rewards, validated once and immutable.

    Numbers may be int, Fraction, Decimal, ``"1/3"`` or float (read as its shortest decimal).  Nothing is rounded and
    nothing is normalised unless ``normalise=True``, which records in :attr:`notes` how far each row moved.

    >>> mdp = MDP(initial=[1], transitions=[[[1], [1]]], rewards=[[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=1)
    >>> mdp
    MDP(1 state, 2 actions, horizon 1)

    ``initial`` and each transition row may be a list over all states or a dict ``{state: probability}``; each reward is
    a dict ``{reward: probability}``, a :class:`Law`, a number, or a frozen ``scipy.stats`` law of bounded support.
    """

    _states: tuple[tuple[Action, ...], ...]
    _horizon: int
    _discount: Fraction
    _initial: tuple[tuple[int, Fraction], ...]
    drawing: str | None
    notes: tuple[str, ...]

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
    ) -> None:
        read = _Reader(len(transitions), normalise)
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
        self._finish(read, initial, states, horizon, discount, drawing, notes)

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
    ) -> MDP:
        """``outcomes[s][a] = [(probability, next_state, reward), ...]``: the reward may depend on the next state.

        Equal ``(next_state, reward)`` pairs are added up.  Where reward and next state turn out to be independent, the
        action is the same as one given by transitions and rewards.
        """
        self = cls.__new__(cls)
        read = _Reader(len(outcomes), normalise)
        states = []
        for s, choices in enumerate(outcomes):
            if len(choices) == 0:
                raise InvalidModel(f"state {s} has no actions, wanted at least one in outcomes[{s}]")
            states.append(tuple(read.action(list(rows), f"outcomes[{s}][{a}]") for a, rows in enumerate(choices)))
        self._finish(read, initial, states, horizon, discount, drawing, notes)
        return self

    def _finish(
        self,
        read: _Reader,
        initial: Any,
        states: list[tuple[Action, ...]],
        horizon: int,
        discount: Rational,
        drawing: str | None,
        notes: Iterable[str],
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
        lows, highs = zip(*(_range(action) for _, _, action in self), strict=True)
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
            raise Unsupported("a discounted model has no stationary discretisation: use plan(mdp, G, eta=...)")
        from .grid import round_up_reward

        step = as_fraction(eta, "eta")
        if step <= 0:
            raise InvalidModel(f"eta is {step}, wanted a positive grid step")
        return self.map_rewards(lambda r: round_up_reward(r, step), lambda law: law.round_up(step))

    def map_rewards(
        self,
        change: Callable[[Fraction], Fraction],
        change_continuous: Callable[[ContinuousReward], Law | ContinuousReward] | None = None,
    ) -> MDP:
        """The same model with every reward ``r`` replaced by ``change(r)``."""

        def changed(action: Action) -> Action:
            if not action.independent:
                totals: dict[tuple[int, Fraction], Fraction] = {}
                for p, s, r in action.outcomes:
                    key = (s, change(r))
                    totals[key] = totals.get(key, Fraction()) + p
                return Action(outcomes=tuple((p, s, r) for (s, r), p in sorted(totals.items())))
            law = action.reward
            if isinstance(law, Law):
                weights: dict[Fraction, Fraction] = {}
                for r, p in law:
                    y = change(r)
                    weights[y] = weights.get(y, Fraction()) + p
                return Action(action.successors, Law.of_weights(weights))
            if change_continuous is None:
                raise Unsupported(f"rewards are continuous ({law}): discretise the model first, mdp.discretised(eta)")
            return Action(action.successors, change_continuous(law))

        return self._replace(states=tuple(tuple(changed(action) for action in actions) for actions in self._states))

    def with_horizon(self, horizon: int) -> MDP:
        """The same model played for another number of steps."""
        return self._replace(horizon=_read_horizon(horizon))

    def _replace(self, states: tuple[tuple[Action, ...], ...] | None = None, horizon: int | None = None) -> MDP:
        twin = MDP.__new__(MDP)
        twin._states = self._states if states is None else states
        twin._horizon = self._horizon if horizon is None else horizon
        twin._discount, twin._initial = self._discount, self._initial
        twin.drawing, twin.notes = self.drawing, self.notes
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
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MDP:
        self = cls.__new__(cls)
        read = _Reader(len(data["states"]), normalise=False)

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
        self._finish(read, initial, states, data["horizon"], data["discount"], data["drawing"], data["notes"])
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
        """A digest of what the model *is* (drawing and notes do not count)."""
        data = self.to_json()
        del data["drawing"], data["notes"]
        return files.digest(data)

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

    def _repr_html_(self) -> str:
        from .plotting.html import mdp_html

        return mdp_html(self)

    def describe(self) -> str:
        """A few lines of text: the drawing if there is one, sizes, rewards, notes."""
        low, high = self.reward_range
        lines = [repr(self), f"rewards from {low} to {high} a step", *self.notes]
        return "\n".join(([self.drawing, ""] if self.drawing else []) + lines)


def _read_horizon(value: Any) -> int:
    horizon = as_whole(value)
    if horizon is None or horizon < 1:
        raise InvalidModel(f"horizon is {value!r}, wanted an integer of at least 1")
    return horizon


def _range(action: Action) -> tuple[Fraction, Fraction]:
    if not action.independent:
        rewards = [r for _, _, r in action.outcomes]
        return min(rewards), max(rewards)
    law = action.reward
    return (law.atoms[0], law.atoms[-1]) if isinstance(law, Law) else (law.low, law.high)


PLAIN = frozenset((int, float, str, Fraction))
"""Types of numbers that compare equal only if they mean the same number."""


def _independent_marginals(
    outcomes: tuple[Outcome, ...],
) -> tuple[tuple[tuple[int, Fraction], ...], dict[Fraction, Fraction]] | None:
    """The laws of next state and reward if these are independent; outcomes come sorted by next state, then reward."""
    width = next((i for i, (_, s, _) in enumerate(outcomes) if s != outcomes[0][1]), len(outcomes))
    if len(outcomes) % width:
        return None
    blocks = [outcomes[i : i + width] for i in range(0, len(outcomes), width)]  # one next state each, if independent
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


def _listed(masses: Iterable[Fraction]) -> str:
    return "[" + ", ".join(map(text, masses)) + "]"


class _Reader:
    """Reads rows of probabilities exactly, and remembers what normalisation moved."""

    def __init__(self, n_states: int, normalise: bool) -> None:
        self.n_states = n_states
        self.normalise = normalise
        self.notes: list[str] = []
        self._numbers: dict[Any, Fraction] = {}  # large models repeat few distinct numbers
        self._points: dict[Fraction, Law] = {}
        self._laws: dict[tuple[tuple[Any, Any], ...], Law] = {}

    def number(self, value: Any, where: str) -> Fraction:
        key = (type(value), value) if isinstance(value, (int, float, str)) else None
        if key is not None and key in self._numbers:
            return self._numbers[key]
        try:
            exact = as_fraction(value, where)
        except InvalidNumber as error:
            raise InvalidModel(str(error)) from None
        if key is not None:
            self._numbers[key] = exact
        return exact

    def probability(self, value: Any, where: str) -> Fraction:
        p = self.number(value, where)
        if p < 0:
            raise InvalidModel(f"{where} is {p}, wanted a probability in [0, 1]")
        return p

    def state(self, value: Any, where: str) -> int:
        s = as_whole(value)
        if s is None or not 0 <= s < self.n_states:
            raise InvalidModel(f"{where} names state {value!r}, wanted an integer in 0..{self.n_states - 1}")
        return s

    def total(self, masses: Collection[Fraction], where: str, shown: Callable[[], str]) -> Fraction:
        """Check that a row sums to 1; with normalisation, return what to divide by."""
        total = exact_sum(masses)
        if total == 1:
            return total
        if not self.normalise or total == 0:
            raise InvalidModel(f"{where} sums to {total}, not to 1: {shown()}")
        self.notes.append(f"{where} summed to {total} and was divided by it (moved by {float(abs(total - 1)):.3g})")
        return total

    def row(self, row: Any, where: str) -> tuple[tuple[int, Fraction], ...]:
        if isinstance(row, Mapping):
            masses = {self.state(s, where): self.probability(p, f"{where}[{s}]") for s, p in row.items()}
        else:
            try:
                entries = list(row)
            except TypeError:
                raise InvalidModel(f"{where} is {row!r}, wanted a list or dict of probabilities") from None
            if len(entries) != self.n_states:
                raise InvalidModel(f"{where} has {len(entries)} entries, wanted {self.n_states}, one per state")
            masses = {s: self.probability(p, f"{where}[{s}]") for s, p in enumerate(entries)}

        def shown() -> str:
            if isinstance(row, Mapping):
                return "{" + ", ".join(f"{s}: {p}" for s, p in masses.items()) + "}"
            return _listed(masses.values())

        total = self.total(masses.values(), where, shown)
        return tuple((s, p / total if total != 1 else p) for s, p in sorted(masses.items()) if p)

    def reward(self, law: Any, where: str) -> Law | ContinuousReward:
        if isinstance(law, (Law, ContinuousReward)):
            return law
        if hasattr(law, "cdf") and hasattr(law, "support"):
            return ContinuousReward(law, where=where)
        try:
            if isinstance(law, Mapping):
                return self._shared_reward(law, where)
            return self.point(as_fraction(law, where))
        except (InvalidLaw, InvalidNumber) as error:
            raise InvalidModel(str(error)) from None

    def _shared_reward(self, law: Mapping[Any, Any], where: str) -> Law:
        """Equal reward laws are read once and shared: large models have few different ones."""
        key = tuple(law.items())
        if not all(type(x) in PLAIN and type(p) in PLAIN for x, p in key):
            return self._reward_of_mapping(law, where)
        if key not in self._laws:
            self._laws[key] = self._reward_of_mapping(law, where)
        return self._laws[key]

    def _reward_of_mapping(self, law: Mapping[Any, Any], where: str) -> Law:
        if self.normalise:
            masses = [self.probability(p, f"{where}[{r}]") for r, p in law.items()]
            total = self.total(masses, where, lambda: str(dict(law)))
            return Law(zip(law.keys(), (p / total for p in masses), strict=True), where=where)
        return Law(law, where=where)

    def joint(self, rows: list[Any], where: str) -> tuple[Outcome, ...]:
        if not rows:
            raise InvalidModel(f"{where} is empty, wanted at least one (probability, next_state, reward)")
        found: dict[tuple[int, int, int], Outcome] = {}  # keyed by integers: hashing a Fraction is slow
        for i, entry in enumerate(rows):
            try:
                p, target, reward = entry
            except (TypeError, ValueError):
                raise InvalidModel(f"{where}[{i}] is {entry!r}, wanted (probability, next_state, reward)") from None
            s, r = self.state(target, f"{where}[{i}]"), self.number(reward, f"{where}[{i}] reward")
            mass = self.probability(p, f"{where}[{i}] probability")
            key = (s, r.numerator, r.denominator)
            found[key] = (found[key][0] + mass if key in found else mass, s, r)
        masses = [p for p, _, _ in found.values()]
        total = self.total(masses, where, lambda: _listed(masses))
        ordered = sorted(found.values(), key=lambda outcome: outcome[1:])
        return tuple((p / total if total != 1 else p, s, r) for p, s, r in ordered if p)

    def action(self, rows: list[Any], where: str) -> Action:
        """An action given by its joint law, in product form if it has one: however given, equal models are equal."""
        outcomes = self.joint(rows, where)
        marginals = _independent_marginals(outcomes)
        if marginals is None:
            return Action(outcomes=outcomes)
        successors, law = marginals
        return Action(successors, self.point(outcomes[0][2]) if len(law) == 1 else Law.of_weights(law))

    def point(self, reward: Fraction) -> Law:
        """All mass at one reward; large models share these laws."""
        if reward not in self._points:
            self._points[reward] = Law.of_weights({reward: Fraction(1)})
        return self._points[reward]
