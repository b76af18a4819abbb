"""Read rows of a model exactly, with errors that name the entry.

:class:`Repairs` has the rows of probabilities that miss a sum of 1: what was meant, and what was done about them.
"""

import gc
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from ..errors import InvalidLaw, InvalidModel
from ..law import Law
from ..numbers.format import above
from ..numbers.rational import as_fraction, as_whole, exact_sum, meant, said
from .action import Action, ContinuousReward, Outcome

ULPS = 4  # allowed deviation of a row's sum from 1, in units in the last place per entry, due to normalising in floats
DECIMALS = 10**60  # a multiple of the denominators of decimals of floats, and of their sums, but not of thirds


class Repairs:
    """Counts repaired rows and remembers those that moved most; :meth:`notes` says so in a line each."""

    def __init__(self) -> None:
        self.fractions = self.moved = self.divided = 0
        self.largest, self.where = Fraction(), ""
        self.worst, self.at = Fraction(1), ""

    def repaired(self, row: Sequence[Fraction], where: str) -> list[Fraction] | None:
        """Return the law that a row of floats was normalised to; None if that is not how it misses a sum of 1.

        Every entry must be a decimal, and the sum within :data:`ULPS` units in the last place of 1 per entry.  The row
        is read as small fractions if these sum to 1; otherwise its largest entry absorbs the difference.
        """
        gap = exact_sum(row) - 1
        if abs(gap) * 2**53 > ULPS * len(row) or any(DECIMALS % p.denominator for p in row):
            return None
        small = [meant(float(p)) for p in row]
        if sum(small) == 1:
            self.fractions += 1
            return small
        self.move(abs(gap), where)
        largest = max(range(len(row)), key=row.__getitem__)
        return [p - gap if i == largest else p for i, p in enumerate(row)]

    def move(self, amount: Fraction, where: str) -> None:
        """Record that the largest entry of a row was moved."""
        self.moved += 1
        if amount > self.largest:
            self.largest, self.where = amount, where

    def divide(self, total: Fraction, where: str) -> None:
        """Record that a row was divided by its sum."""
        self.divided += 1
        if abs(total - 1) > abs(self.worst - 1):
            self.worst, self.at = total, where

    def notes(self) -> Iterator[str]:
        """Yield one line for each kind of repair that was made."""
        if self.fractions:
            yield f"{self.fractions} rows of floats were read as the small fractions that they round"
        if self.moved:
            yield (
                f"{self.moved} rows of floats missed a sum of 1 by rounding: the largest entry of each was moved, "
                f"by at most {above(self.largest)} ({self.where})"
            )
        if self.divided:
            amount = f"moved by {float(abs(self.worst - 1)):.3g}"
            worst = f"{self.at} summed to {said(self.worst)} and was divided by it ({amount})"
            more = f"{self.divided} rows did not sum to 1 and were divided by their sum; the farthest: "
            yield more + worst if self.divided > 1 else worst


MOST_SHOWN = 8  # maximum number of entries of a row in an error message, which should stay short


class Reader:
    """Reads rows of probabilities exactly, and records what normalisation changed."""

    def __init__(self, n_states: int, normalise: bool) -> None:
        self.n_states = n_states
        self.normalise = normalise
        self.repairs = Repairs()
        self._numbers: dict[Any, Fraction] = {}  # large models repeat few distinct numbers
        self._points: dict[tuple[int, int], Law] = {}  # keyed by integers: hashing a Fraction is slow
        self._laws: dict[tuple[Any, ...], Law] = {}

    def number(self, value: Any, where: str) -> Fraction:
        key = (type(value), value) if isinstance(value, (int, float, str)) else None
        if key is not None and key in self._numbers:
            return self._numbers[key]
        exact = as_fraction(value, where, InvalidModel)
        if key is not None:
            self._numbers[key] = exact
        return exact

    def probability(self, value: Any, where: str) -> Fraction:
        p = self.number(value, where)
        if p < 0:
            raise InvalidModel(f"{where} is {said(p)}, wanted a probability in [0, 1]")
        return p

    def state(self, value: Any, where: str) -> int:
        s = as_whole(value)
        if s is None or not 0 <= s < self.n_states:
            raise InvalidModel(f"{where} names state {value!r}, wanted an integer in 0..{self.n_states - 1}")
        return s

    def total(self, masses: Collection[Fraction], where: str, shown: Callable[[], str]) -> Fraction:
        """Check that a row sums to 1; with normalisation, return the divisor."""
        total = exact_sum(masses)
        if total == 1:
            return total
        if not self.normalise or total == 0:
            raise InvalidModel(f"{where} sums to {said(total)}, not to 1: {shown()}")
        self.repairs.divide(total, where)
        return total

    def row(self, row: Any, where: str) -> tuple[tuple[int, Fraction], ...]:
        if isinstance(row, np.ndarray) and row.shape == (self.n_states,):
            states = np.flatnonzero(row)  # a row of a large model is mostly zeros
            values = row[states].tolist() if row.dtype == np.float64 else row[states]
            row = dict(zip(states.tolist(), values, strict=True))
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
                return f"{{{', '.join(f'{s}: {said(p)}' for s, p in islice(masses.items(), MOST_SHOWN))}}}"
            return listed(masses.values())

        total = self.total(masses.values(), where, shown)
        return tuple((s, p / total if total != 1 else p) for s, p in sorted(masses.items()) if p)

    def reward(self, law: Any, where: str) -> Law | ContinuousReward:
        if isinstance(law, (Law, ContinuousReward)):
            return law
        if type(law) is float or type(law) is int:
            return self.point(self.number(law, where))
        if hasattr(law, "cdf") and hasattr(law, "support"):
            return ContinuousReward(law, where=where)
        if not isinstance(law, Mapping):
            return self.point(as_fraction(law, where, InvalidModel))
        # Large models have few different laws, which they share.
        # Include types: the float 0.1 equals, and hashes as, the fraction of its binary expansion, but means 1/10.
        key = tuple((type(x), x, type(p), p) for x, p in law.items())
        if key not in self._laws:
            try:
                self._laws[key] = self._reward_of_mapping(law, where)
            except InvalidLaw as error:
                raise InvalidModel(str(error)) from None
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
        if not self.normalise and exact_sum(masses) != 1:
            masses = self.repairs.repaired(masses, where) or masses
            found = {key: (p, s, r) for p, (key, (_, s, r)) in zip(masses, found.items(), strict=True)}
        total = self.total(masses, where, lambda: listed(masses))
        ordered = sorted(found.values(), key=lambda outcome: outcome[1:])
        return tuple((p / total if total != 1 else p, s, r) for p, s, r in ordered if p)

    def actions(self, s: int, rows: Sequence[Any], laws: Sequence[Any]) -> tuple[Action, ...]:
        """Read the actions of state s from their transitions and rewards."""
        if len(rows) == 0:
            raise InvalidModel(f"state {s} has no actions, wanted at least one in transitions[{s}]")
        if len(rows) != len(laws):
            raise InvalidModel(f"rewards[{s}] has {len(laws)} actions, wanted {len(rows)} as in transitions[{s}]")
        return tuple(
            Action(self.row(row, f"transitions[{s}][{a}]"), self.reward(law, f"rewards[{s}][{a}]"))
            for a, (row, law) in enumerate(zip(rows, laws, strict=True))
        )

    def action(self, rows: list[Any], where: str) -> Action:
        """Read an action given by its joint law."""
        outcomes = self.joint(rows, where)
        if len(outcomes) == 1:
            p, s, r = outcomes[0]
            return Action(((s, p),), self.point(r))
        return Action.of_outcomes(outcomes)

    def point(self, reward: Fraction) -> Law:
        """Return the law of a constant reward, which large models share."""
        key = (reward.numerator, reward.denominator)
        if key not in self._points:
            self._points[key] = Law.of_weights({reward: Fraction(1)})
        return self._points[key]


@contextmanager
def collector_resting() -> Iterator[None]:
    """Suspend garbage collection: a model is millions of tuples without cycles, which it would visit repeatedly."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def listed(masses: Collection[Fraction]) -> str:
    """Format the first entries of a row for a message."""
    shown = [said(p) for p in islice(masses, MOST_SHOWN)] + ["…"] * (len(masses) > MOST_SHOWN)
    return f"[{', '.join(shown)}]"


def read_action_names(names: Sequence[Sequence[str]], counts: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    """Read one name for each action of each state."""
    read = tuple(tuple(own) for own in names)
    if len(read) != len(counts):
        raise InvalidModel(f"action_names has {len(read)} states, wanted {len(counts)}")
    for s, (own, count) in enumerate(zip(read, counts, strict=True)):
        if len(own) != count or not all(isinstance(name, str) for name in own):
            raise InvalidModel(f"action_names[{s}] is {own!r}, wanted {count} names")
    return read


def read_horizon(value: Any) -> int | None:
    """Read a number of steps, or None if there is no last one: ``math.inf`` or ``"auto"``."""
    if value is None or value == math.inf or value == "auto":
        return None
    horizon = as_whole(value)
    if horizon is None or horizon < 1:
        raise InvalidModel(f"horizon is {value!r}, wanted an integer of at least 1, or math.inf for no last step")
    return horizon


def read_state_names(names: Sequence[str], count: int) -> tuple[str, ...]:
    """Read one name for each of the user's states."""
    read = tuple(names)
    if len(read) != count or not all(isinstance(name, str) for name in read):
        raise InvalidModel(f"state_names has {len(read)} entries, wanted {count} names")
    return read


def by_name(initial: Any, names: Sequence[str] | None) -> Any:
    """Return an initial state or law with names replaced by the states that have them."""
    if isinstance(initial, Mapping):
        return {by_name(s, names): p for s, p in initial.items()}
    if not isinstance(initial, str):
        return initial
    found = [s for s, name in enumerate(names or ()) if name == initial]
    if len(found) != 1:
        known = (
            f"one of {', '.join(map(repr, list(names)[:MOST_SHOWN]))}" if names else "a number, or state_names as well"
        )
        raise InvalidModel(f"initial names {initial!r}, which {len(found)} states are called, wanted {known}")
    return found[0]


def read_discount(value: Any) -> Fraction:
    """Read a number in (0, 1]."""
    gamma = as_fraction(value, "discount", InvalidModel)
    if not 0 < gamma <= 1:
        raise InvalidModel(f"discount is {said(gamma)}, wanted a number in (0, 1]")
    return gamma
