"""Logged episodes: rows ``(episode, state, action, reward, next state)``, read and checked once.

Confidence sets made of counts hold whatever collected the data (theory, page 10, kl-logs).  What would make them wrong
is a row that is not what it seems, so every row is checked, and the first bad one is named.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .. import files
from ..errors import InvalidArgument, InvalidFile, InvalidNumber, Unsupported, optional_module
from ..files import decode_array
from ..kernels.learn_data import Bools, Ints
from ..numbers.rational import Rational, as_fraction, said
from .policies import BlackBox

Name: TypeAlias = Hashable
CUT, ENDED = -1, -2
"""Successors that are no states: the log does not show it; the episode is over."""
ROLES = ("episode", "state", "action", "reward", "next_state", "terminated", "step")
"""Columns; the last three may be missing."""
WORDS = {**dict.fromkeys(("true", "t", "yes", "1", "1.0"), True), **dict.fromkeys(("false", "f", "no", "0", "0.0", ""))}


@dataclass
class Budget:
    """What the questions asked of one log have spent of ``limit`` (None: no limit).

    Questions that rest on the same confidence sets are wrong together, at a smaller ``delta`` only if also at a larger
    one: the largest is paid for.
    """

    limit: Fraction | None = None
    questions: list[tuple[str, Hashable, Fraction]] = field(default_factory=list)

    @classmethod
    def of(cls, delta: Rational | None) -> Budget:
        """Return a budget that nothing was spent of; raise :class:`InvalidArgument` for a limit outside (0, 1)."""
        limit = None if delta is None else as_fraction(delta, "delta")
        if limit is not None and not 0 < limit < 1:
            raise InvalidArgument(f"delta is {said(limit)}, wanted a probability strictly between 0 and 1")
        return cls(limit)

    @property
    def spent(self) -> Fraction:
        """The sum of ``delta`` over different sets: all answers hold at once with probability ``1 - spent`` or more."""
        most: dict[Hashable, Fraction] = {}
        for _, key, delta in self.questions:
            most[key] = max(delta, most.get(key, delta))
        return sum(most.values(), Fraction())

    def spend(self, question: str, key: Hashable, delta: Fraction) -> None:
        """Record a question; raise :class:`InvalidArgument` instead if more than ``limit`` would be spent."""
        self.questions.append((question, key, delta))
        if self.limit is not None and self.spent > self.limit:
            self.questions.pop()
            left = said(self.limit - self.spent)
            raise InvalidArgument(f"delta is {said(delta)} for {question}, but only {left} of the log's budget is left")

    def __str__(self) -> str:
        lines = [f"{question}: delta {delta}" for question, _, delta in self.questions]
        return "\n".join([*lines, f"all answers hold at once with probability {1 - self.spent}"])


class Tally(NamedTuple):
    """The counts of a run in an environment.  ``first`` is the first observation, or the state before it; pair by pair:
    how many distinct outcomes were seen, and the next state, the reward and the number of each."""

    first: int | None
    length: Ints
    state: Ints
    atom: Ints
    times: Ints


class Log:
    """Episodes as arrays, with the names of states and actions; built by one of the ``from_`` methods from columns:

    ==============  =================================================================================================
    ``episode``     an identifier; the rows of an episode are together and in order
    ``state``       where the step began: text, a number or a tuple, as are actions
    ``action``      what was done
    ``reward``      what was paid, read exactly
    ``next_state``  where the step led.  If the column is missing the next row of the episode tells, and the last step
                    of an episode that did not terminate is not counted
    ``terminated``  whether the episode is over with this step: then nothing happens and nothing is paid any more.  An
                    episode that stops otherwise was cut off, and is used up to there.  May be missing
    ``step``        the number of the step, checked to grow by 1.  May be missing
    ==============  =================================================================================================

    Steps into a state that is named in ``terminal`` end an episode too.  ``delta`` is the most that all questions asked
    of the log may spend, see ``budget``.

    >>> log = Log.from_arrays(episode=["a", "a", "b"], state=["ill", "ill", "ill"], action=["wait", "treat", "treat"],
    ...                       reward=[0, 1, 1], next_state=["ill", "well", "well"], terminal=["well"])
    >>> print(log)
    2 episodes, 3 steps, at most 2 each; 1 states, 2 actions, rewards 0, 1; 2 ended, 0 cut off
    """

    states: tuple[Name, ...]
    actions: tuple[Name, ...]
    rewards: tuple[Fraction, ...]
    first: Ints  # rows of episode k are first[k] .. first[k + 1]; empty if only counts are known
    state: Ints
    action: Ints
    reward: Ints
    successor: Ints  # states, then terminal ones; CUT or ENDED
    times: Ints  # how often a row occurred: once, unless only counts are known
    begun: Ints  # the first state of each episode
    episodes: int

    def __init__(
        self,
        _columns: Mapping[str, Sequence[Any]],
        _terminal: Iterable[Name],
        _delta: Rational | None,
        _where: Callable[[int], str] = "row {}".format,
    ) -> None:
        self.where, self.terminal = _where, tuple(dict.fromkeys(_plain(x) for x in _terminal))
        self.budget = Budget.of(_delta)
        n = len(_columns["episode"])
        for name, column in _columns.items():
            if len(column) != n or n == 0:
                raise InvalidArgument(f"{name} has {len(column)} rows, wanted {n or 'some'} as in episode")
        last = self._episodes(_columns["episode"], _columns.get("step", ()))
        ended = self._flags(_columns.get("terminated", ()), last)
        codes: dict[Name, int] = {}
        self.state = self._names("state", _columns["state"], codes)
        for x in self.terminal:
            if x in codes:
                raise self._bad(np.flatnonzero(self.state == codes[x])[0], f"state is {x!r}, which is terminal")
        acted: dict[Name, int] = {}
        self.action = self._names("action", _columns["action"], acted)
        self.actions = tuple(acted)
        self.reward = self._rewards(_columns["reward"])
        self.successor = self._successors(_columns.get("next_state"), codes, ended, last)
        self.states = tuple(codes)[: len(codes) - len(self.terminal)]
        self.times, self.begun = np.ones_like(self.state), self.state[self.first[:-1]]
        self.episodes = len(self.begun)

    # -- reading ------------------------------------------------------------------------------------------------------

    @classmethod
    def from_arrays(
        cls, *, terminal: Iterable[Name] = (), delta: Rational | None = None, **columns: Sequence[Any]
    ) -> Log:
        """Return the log in lists or arrays, one entry per step.

        :param terminal: states that end an episode
        :param delta: the most that all questions may spend
        :param columns: ``episode``, ``state``, ``action``, ``reward``; ``next_state``, ``terminated``, ``step``
        :returns: the log
        :raises InvalidArgument: for the first bad row
        """
        names = _roles(dict.fromkeys(columns, ""), list(columns))
        return cls({role: _listed(columns[role]) for role in names}, terminal, delta)

    @classmethod
    def from_dataframe(
        cls, frame: object, *, terminal: Iterable[Name] = (), delta: Rational | None = None, **columns: str
    ) -> Log:
        """Return the log in a data frame of pandas, polars or any library whose columns are read by ``frame[name]``.

        :param frame: the data frame; rows are numbered from 0 in errors
        :param terminal: states that end an episode
        :param delta: the most that all questions may spend
        :param columns: names of columns that are called otherwise, such as ``episode="patient"``
        :returns: the log
        :raises InvalidArgument: for a column that is missing, and for the first bad row
        """
        table: Any = frame
        names = _roles(columns, [str(x) for x in table.columns])
        return cls({role: _listed(table[name]) for role, name in names.items()}, terminal, delta)

    @classmethod
    def from_csv(
        cls, path: str | PathLike[str], *, terminal: Iterable[Name] = (), delta: Rational | None = None, **columns: str
    ) -> Log:
        """Return the log in a CSV file with a header.  States (or actions) that are all whole numbers become ints.

        :param path: the file; errors name the line
        :param terminal: states that end an episode
        :param delta: the most that all questions may spend
        :param columns: names of columns that are called otherwise, such as ``episode="patient"``
        :returns: the log
        :raises InvalidArgument: for a column that is missing, and for the first bad row
        :raises InvalidFile: if the file is no table
        """
        reader = csv.reader(files.read_text(path, "utf-8-sig").splitlines(keepends=True))
        lines: list[int] = []
        rows: list[list[str]] = []
        try:
            header = [name.strip() for name in next(reader, [])]
            for row in filter(None, reader):
                if len(row) != len(header):
                    raise csv.Error(f"{len(row)} entries, wanted {len(header)} as in the header")
                rows.append(row)
                lines.append(reader.line_num)
        except csv.Error as error:
            raise InvalidFile(f"{path}, line {reader.line_num}: {error}") from None
        places = {role: header.index(name) for role, name in _roles(columns, header).items()}
        found: dict[str, list[Any]] = {role: [row[i].strip() for row in rows] for role, i in places.items()}
        found["ends"] = [str(x) for x in terminal]
        for group in (("state", "next_state", "ends"), ("action",), ("step",)):
            entries = {x for role in group for x in found.get(role, ()) if x}
            if all(x.lstrip("-").isdecimal() and str(int(x)) == x for x in entries):
                found |= {role: [int(x) if x else x for x in found[role]] for role in group if role in found}
        return cls(found, found.pop("ends"), delta, lambda k: f"{path}, line {lines[k]}")

    @classmethod
    def from_transitions(
        cls, transitions: Iterable[Sequence[Any]], *, terminal: Iterable[Name] = (), delta: Rational | None = None
    ) -> Log:
        """Return the log of gymnasium's steps, in the order in which they were taken; an episode goes on until it is
        terminated or truncated.

        :param transitions: steps ``(observation, action, reward, next observation, terminated, truncated)``
        :param terminal: states that end an episode
        :param delta: the most that all questions may spend
        :returns: the log
        :raises InvalidArgument: for the first bad row
        """
        rows = [tuple(row) for row in transitions]
        wrong = next((k for k, row in enumerate(rows) if len(row) != 6), None)
        if wrong is not None:
            raise InvalidArgument(f"row {wrong}: {len(rows[wrong])} entries, wanted 6 (observation, ..., truncated)")
        state, action, reward, after, ended, cut = zip(*rows, strict=True) if rows else ((),) * 6
        over = np.array([bool(x) or bool(y) for x, y in zip(ended, cut, strict=True)], np.int64)
        columns = ((np.cumsum(over) - over).tolist(), state, action, reward, after, ended)
        return cls.from_arrays(terminal=terminal, delta=delta, **dict(zip(ROLES, columns, strict=False)))

    @classmethod
    def from_minari(cls, dataset: object, *, terminal: Iterable[Name] = (), delta: Rational | None = None) -> Log:
        """Return the log in a Minari data set whose observations and actions are discrete, or tuples of discrete ones.

        :param dataset: a ``minari.MinariDataset``, or the id of one on this machine
        :param terminal: states that end an episode
        :param delta: the most that all questions may spend
        :returns: the log
        :raises InvalidArgument: for the first bad row, and for observations or actions that are not discrete
        :raises MissingDependency: if an id is given and ``minari`` is not installed
        """
        found: Any = dataset
        if isinstance(dataset, str):
            minari = optional_module("minari", "Minari data sets are read by minari", extra="minari")
            found = minari.load_dataset(dataset)
        columns: dict[str, list[Any]] = {role: [] for role in ROLES[:6]}
        for one in found.iterate_episodes():
            where = f"episode {one.id}"
            seen, done = (_discrete(getattr(one, name), where, name) for name in ("observations", "actions"))
            if len(seen) != len(done) + 1:
                raise InvalidArgument(f"{where}: {len(seen)} observations, wanted one more than {len(done)} actions")
            ended = [bool(x) for x in one.terminations]
            rows = ([one.id] * len(done), seen[:-1], done, _listed(one.rewards), seen[1:], ended)
            for role, row in zip(columns, rows, strict=True):
                columns[role] += row
        return cls(columns, terminal, delta)

    @classmethod
    def from_checkpoint(cls, path: str | PathLike[str], *, delta: Rational | None = None) -> Log:
        """Return the log of a run in an environment: the ``checkpoint`` of ``learn``, or a file of ``Learner.save``.

        Such a file has counts, not episodes.  Whatever needs episodes is refused: the policy ``"behaviour"``,
        ``markov_test``, a largest return, and ``horizon`` has to be given.

        :param path: the file
        :param delta: the most that all questions may spend
        :returns: the log
        :raises InvalidArgument: if there is no such file
        :raises InvalidFile: if it is damaged
        :raises Unsupported: for the checkpoint of a run in a model, which does not keep the model
        """

        def parse(data: dict[str, Any]) -> Log:
            if "environment" not in data["about"]:
                instead = "learn(model, resume=this file, episodes=1).log()"
                raise Unsupported("the checkpoint of a run in a model does not keep the model", instead=instead)
            tally = Tally(data.get("first"), *(decode_array(data["counts"][i]) for i in range(1, 5)))
            return log_of_counts(BlackBox.from_json(data["about"]), tally, data["episodes"], delta, str(path))

        if not Path(path).is_file():
            raise InvalidArgument(f"{str(path)!r} is no file, wanted one that a learner has written")
        return files.read(path, "learning", parse)

    # -- checking -----------------------------------------------------------------------------------------------------

    def _bad(self, row: int, what: str) -> InvalidArgument:
        return InvalidArgument(f"{self.where(int(row))}: {what}")

    def _episodes(self, column: Sequence[Any], step: Sequence[Any]) -> Bools:
        """Set ``first``; return whether each row is the last of its episode."""
        codes = self._names("episode", column, {})
        begins = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))
        _, earliest = np.unique(codes[begins], return_index=True)
        for k in np.setdiff1d(np.arange(len(begins)), earliest):
            row, before = begins[k], np.flatnonzero(codes == codes[begins[k]])[0]
            seen = f"{column[row]!r} begins again, it was at {self.where(int(before))}"
            raise self._bad(row, f"episode {seen}, wanted its rows together and once")
        self.first = np.append(begins, len(codes))
        last = np.append(codes[1:] != codes[:-1], True)
        for k, x in enumerate(step):
            if not isinstance(x, int) or (k and not last[k - 1] and x != step[k - 1] + 1):
                raise self._bad(k, f"step is {x!r}, wanted a whole number, one more than in the row before")
        return last

    def _flags(self, column: Sequence[Any], last: Bools) -> Bools:
        found = np.zeros(len(last), np.bool_)
        for k, x in enumerate(column):
            word = "" if _missing(x) else str(x).strip().lower()
            if word not in WORDS:
                raise self._bad(k, f"terminated is {x!r}, wanted true or false")
            found[k] = bool(WORDS[word])
            if found[k] and not last[k]:
                raise self._bad(k, "terminated is true, but the episode goes on in the next row")
        return found

    def _names(self, role: str, column: Sequence[Any], codes: dict[Name, int]) -> Ints:
        """Return the numbers of the names of a column, in the order of their first appearance."""
        found = np.zeros(len(column), np.int64)
        for k, x in enumerate(column):
            if isinstance(x, (dict, set)) or (x not in codes and _missing(x)):
                raise self._bad(k, f"{role} is {x!r}, wanted text, a number or a tuple")
            found[k] = codes.setdefault(x, len(codes))
        return found

    def _rewards(self, column: Sequence[Any]) -> Ints:
        """Return the numbers of the rewards, which are sorted."""
        exact: dict[Any, Fraction] = {}
        for k, x in enumerate(column):
            if x not in exact:
                try:
                    exact[x] = as_fraction(x, "reward")
                except InvalidNumber as error:
                    raise self._bad(k, str(error)) from None
        self.rewards = tuple(sorted(set(exact.values())))
        codes = {x: self.rewards.index(r) for x, r in exact.items()}
        return np.array([codes[x] for x in column], np.int64)

    def _successors(self, column: Sequence[Any] | None, codes: dict[Name, int], ended: Bools, last: Bools) -> Ints:
        """Return where the steps led; states that appear only there, and then the terminal ones, get numbers too."""
        if column is None:
            return np.where(last, np.where(ended, ENDED, CUT), np.append(self.state[1:], CUT))
        for x, over in zip(column, ended, strict=True):
            if not over and not _missing(x) and x not in self.terminal:  # what follows the end is no state
                codes.setdefault(x, len(codes))
        live = len(codes)
        codes.update({x: live + i for i, x in enumerate(self.terminal)})
        found = np.array([CUT if _missing(x) else codes.get(x, CUT) for x in column], np.int64)
        for k in np.flatnonzero(~last[:-1] & (found[:-1] != self.state[1:])).tolist():
            following = tuple(codes)[self.state[k + 1]]
            raise self._bad(k, f"next_state is {column[k]!r}, but the episode goes on in {following!r}")
        return np.where(ended & (found < live), ENDED, found)

    # -- what it holds ------------------------------------------------------------------------------------------------

    @property
    def counted(self) -> bool:
        """True if only counts are known, without episodes."""
        return len(self.first) == 0

    def need_episodes(self, what: str) -> None:
        """Raise :class:`Unsupported` for a log of counts.

        :param what: what needs episodes
        """
        if self.counted:
            raise Unsupported(f"{what} needs episodes, and this log has counts only", instead="a log of episodes")

    @property
    def longest(self) -> int:
        """The number of steps of the longest episode."""
        self.need_episodes("the longest episode")
        return int(np.diff(self.first).max())

    @property
    def complete(self) -> Bools:
        """For each episode, True if it ended and False if it was cut off."""
        final = self.successor[self.first[1:] - 1]
        return np.asarray((final == ENDED) | (final >= len(self.states)))

    def returns(self, horizon: int) -> list[Fraction]:
        """Return what each episode paid in its first steps.

        :param horizon: how many steps
        :returns: one sum per episode
        """
        self.need_episodes("the return of an episode")
        common = math.lcm(*(r.denominator for r in self.rewards))
        whole = np.array([int(r * common) for r in self.rewards], object)
        step = np.arange(len(self.state)) - np.repeat(self.first[:-1], np.diff(self.first))
        sums = np.add.reduceat(np.where(step < horizon, whole[self.reward], 0), self.first[:-1])
        return [Fraction(int(x), common) for x in sums]

    def part(self, start: int, stop: int) -> Log:
        """Return the episodes numbered ``start`` to ``stop - 1`` as a log with the same names and the same budget.

        :param start: the first episode
        :param stop: the episode after the last
        :returns: the log
        """
        part, (a, b) = copy(self), self.first[[start, stop]]
        for name in ("state", "action", "reward", "successor", "times"):
            setattr(part, name, getattr(self, name)[a:b])
        part.first, part.begun, part.episodes = self.first[start : stop + 1] - a, self.begun[start:stop], stop - start
        part.where = lambda k: self.where(int(a) + k)
        return part

    @property
    def twice(self) -> bool:
        """True if the second half of a long log repeats the first, as in a file that was appended to itself."""
        n, columns = len(self.state) // 2, (self.state, self.action, self.reward, self.successor)
        return self.episodes >= 20 and n in self.first and all(np.array_equal(x[:n], x[n:]) for x in columns)

    def __str__(self) -> str:
        many = f"{len(self.states)} states, {len(self.actions)} actions"
        if self.counted:
            return f"{self.episodes} episodes, of {many}, as counts of {self.times.sum()} steps"
        ended = int(self.complete.sum())
        some = ", ".join(map(str, self.rewards[:6])) + (", ..." if len(self.rewards) > 6 else "")
        return (
            f"{self.episodes} episodes, {len(self.state)} steps, at most {self.longest} each; {many}, rewards {some}; "
            f"{ended} ended, {self.episodes - ended} cut off"
        )


def log_of_counts(shell: BlackBox, tally: Tally, episodes: int, delta: Rational | None, where: str) -> Log:
    """Return the log of ``episodes`` in a black box, of which the counts are known.

    Raises :class:`Unsupported` for rewards that were rounded, and :class:`InvalidFile` for counts that the black
    box cannot have.
    """
    if not shell.exact:
        raise Unsupported("the rewards of the run were rounded to a grid", instead="Log.from_transitions")
    over, played = shell.observations, shell.observations * shell.actions
    starts, ends = shell.random_starts, (("state", 0, over), ("atom", 0, len(shell.atoms) - 1), ("times", 1, 2**53))
    pairs, wide = played + 1 + starts, tally.state.shape[-1]
    seen = np.arange(wide) < tally.length.reshape(-1, 1)
    for name, low, high in ends:
        array = getattr(tally, name)
        if array.dtype != np.int64 or array.shape != seen.shape or seen.shape != (pairs, wide):
            raise InvalidFile(f"{name} of the counts has shape {array.shape}, wanted {pairs} rows of integers")
        for p, j in np.argwhere(seen & ((array < low) | (array > high)))[:1]:
            raise InvalidFile(f"{name} of the counts has {array[p, j]} in row {p}, wanted {low} to {high}")
    if not starts and tally.first not in (None, *range(over)):
        raise InvalidFile(f"the first observation is {tally.first!r:.60}, wanted one of {over}")
    log = Log.__new__(Log)
    log.where, log.terminal, log.budget = f"{where}, outcome {{}}".format, (), Budget.of(delta)
    log.first, log.episodes, log.states = np.empty(0, np.int64), episodes, shell.names
    log.actions, log.rewards = tuple(range(shell.actions)), tuple(shell.low + shell.range * x for x in shell.atoms)
    pair, j = np.nonzero(seen[:played])
    log.state, log.action = np.divmod(pair, shell.actions)
    after, log.reward, log.times = tally.state[pair, j], tally.atom[pair, j], tally.times[pair, j]
    log.successor = np.where(after == over, ENDED, after)
    begun = (tally.state[-1][seen[-1]], tally.times[-1][seen[-1]]) if starts else (tally.first, episodes)
    log.begun = np.repeat(*begun) if begun[0] is not None else np.empty(0, np.int64)
    return log


def _roles(given: Mapping[str, str], header: Sequence[str]) -> dict[str, str]:
    """Return the names of the columns by role; raise :class:`InvalidArgument` for one that is not in the header."""
    names = {role: given.get(role) or role for role in ROLES if role in given or role in ROLES[:4] or role in header}
    for role, name in (*names.items(), *((x, x) for x in given if x not in ROLES)):
        if role not in ROLES or header.count(name) != 1:
            raise InvalidArgument(
                f"{role} is {name!r}, wanted one column for {', '.join(ROLES)} of {', '.join(header)}"
            )
    return names


def _plain(x: Any) -> Any:
    """Return a name as plain Python: arrays and lists as tuples, whole floats as ints."""
    x = x.tolist() if isinstance(x, (np.ndarray, np.generic)) else x
    if isinstance(x, list):
        return tuple(_plain(y) for y in x)
    return int(x) if isinstance(x, float) and x.is_integer() else x


def _listed(column: Any) -> list[Any]:
    read = getattr(column, "to_list", None) or getattr(column, "tolist", None) or column.__iter__
    return [_plain(x) for x in read()]


def _discrete(values: Any, where: str, what: str) -> list[Any]:
    """Return integers, or tuples of them, as a list."""
    if isinstance(values, tuple):
        return list(zip(*(_discrete(part, where, what) for part in values), strict=True))
    array = np.asarray(values)
    if array.dtype.kind not in "iub" or array.ndim not in (1, 2):
        shape = f"{array.dtype} of shape {array.shape}"
        raise InvalidArgument(f"{where}: {what} are {shape}, wanted integers, or tuples of them")
    rows: list[Any] = array.tolist()
    return [tuple(row) for row in rows] if array.ndim == 2 else rows


def _missing(x: Any) -> bool:
    return x is None or type(x).__name__ in ("NAType", "NaTType") or x == "" or x != x
