r"""Models from arrays (numpy, scipy sparse, nested lists), one for all steps or one per step.

``P`` is one of

* an array ``P[s, a, s']`` (layout ``"sas"``) or ``P[a, s, s']`` (layout ``"ass"``);
* a list of one matrix ``P[a][s, s']`` for each action, dense or sparse;
* one matrix with a row for each state and action, sparse or dense: row ``s * |A| + a`` for ``"sas"``,
  ``a * |S| + s`` for ``"ass"``;
* one matrix with a row for each available pair of state and action, listed in ``pairs=(states, actions)`` (quantecon's
  ``s_indices`` and ``a_indices``); then ``R`` has one entry for each row;
* a list of T of these, one for each step.

``R`` is ``R[s]``, ``R[s, a]``, ``R[s, a, s']`` (or ``R[a, s, s']``, depending on the layout), a list of matrices
``R[a][s, s']``, one entry for each row if ``P`` is one matrix, or nested lists ``R[s][a]`` of reward laws; a list of T
of these if ``P`` is a list of T.  A reward of ``-inf`` at ``R[s, a]`` means that state s does not have action a.

A tuple ``(P_low, P_high)`` of two of the forms above, for all steps, gives the ends of intervals that contain the
probabilities; the model is then an :class:`~verified_risk.IntervalMDP`.

A float is read as its shortest decimal.  A row of probabilities that misses 1 by no more than four units in the last
place of 1 for each of its entries was normalised in floating point (in float32, if the array is of that type): it is
read as small fractions if these sum to 1 (0.3333333333333333 is then 1/3), otherwise its largest entry absorbs the
difference.  :attr:`MDP.notes` says how many rows changed, and by how much.  Rows that miss 1 by more raise an error,
unless ``normalise=True``.

Every form of ``P`` becomes compressed rows (:func:`rows_of`), and ``R`` of one step is :class:`StepRewards`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import InvalidModel, Unsupported
from ..law import Law
from ..mdp import MDP
from ..mdp.action import Action, ContinuousReward
from ..mdp.intervals import Ends, IntervalMDP, inside
from ..mdp.packed import Packed, PackedAction, PackedStates, Rows, starts
from ..mdp.readers import StateActions
from ..mdp.reading import Reader, Repairs
from ..numbers.rational import Rational, as_fraction, as_whole, said
from .outcomes import model_of_steps


def rows_of(matrix: Any, where: str) -> Rows:
    """Convert a dense or sparse matrix to compressed rows, columns increasing, zeros omitted."""
    if not hasattr(matrix, "tocsr"):
        array = array_of(matrix, where)
        height, width = array.shape
        at, column = np.nonzero(array != 0)
        return Rows(starts(np.bincount(at, minlength=height)), column, array[at, column], width, bits_of(matrix))
    if matrix.format == "csr" and matrix.data.dtype == np.float64:
        start, column = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
        ahead = np.diff(column) > 0
        ahead[start[1:-1][(start[1:-1] > 0) & (start[1:-1] < len(column))] - 1] = True  # between rows
        if ahead.all():
            return Rows(start, column[: start[-1]], matrix.data[: start[-1]], matrix.shape[1])
    listed = matrix.tocoo(copy=True)
    order = np.lexsort((listed.col, listed.row))
    at, column, value = (
        listed.row[order].astype(np.int64),
        listed.col[order].astype(np.int64),
        widened(listed.data[order]),
    )
    twice = np.flatnonzero((np.diff(at) == 0) & (np.diff(column) == 0))
    if len(twice):
        k = twice[0]
        raise InvalidModel(
            f"{where}[{at[k]}, {column[k]}] is stored twice, as {value[k]} and {value[k + 1]}, wanted one entry "
            "(sum_duplicates() adds them up)"
        )
    return Rows(starts(np.bincount(at, minlength=matrix.shape[0])), column, value, matrix.shape[1], bits_of(matrix))


def array_of(nested: Any, where: str) -> npt.NDArray[Any]:
    """Return a rectangular array; entries other than floats and integers are kept unchanged."""
    if isinstance(nested, np.ma.MaskedArray) and np.any(nested.mask):
        first = ", ".join(str(i) for i in np.argwhere(nested.mask)[0])
        raise InvalidModel(f"{where}[{first}] is masked, wanted a number")
    if isinstance(nested, np.ndarray):
        return widened(np.asarray(nested))  # a numpy.matrix would stay two-dimensional
    try:
        array = np.array(nested)
    except ValueError:
        raise InvalidModel(f"{where} is ragged, wanted rows of equal length") from None
    return array if array.dtype.kind in "fiu" else np.array(nested, dtype=object)


def widened(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Convert float32 and float16 to the float64 of their shortest decimals: 0.1 stays 0.1."""
    if array.dtype.kind != "f" or array.dtype == np.float64:
        return array
    return array.astype(str).astype(np.float64)


def bits_of(matrix: Any) -> int:
    """Return the significant bits with which rows should sum to 1: 24 for float32; float16 gets no tolerance."""
    return 24 if getattr(matrix, "dtype", None) == np.float32 else 53


def is_matrix_list(P: Any) -> bool:
    """Return whether ``P`` is a list of square matrices, one per action."""
    if not isinstance(P, (list, tuple)) or not P:
        return False
    if not all(hasattr(part, "tocsr") or (isinstance(part, np.ndarray) and part.ndim == 2) for part in P):
        return False
    return all(part.shape[0] == part.shape[1] for part in P)


def interleaved(parts: list[Rows]) -> Rows:
    """Interleave matrices: the rows of state 0 of all of them, then those of state 1, and so on."""
    counts = np.stack([np.diff(part.start) for part in parts], axis=1)
    start = starts(counts.ravel())
    column = np.empty(start[-1], dtype=np.int64)
    value = np.empty(start[-1], dtype=np.result_type(*(part.value.dtype for part in parts)))
    for a, part in enumerate(parts):
        firsts = start[:-1].reshape(counts.shape)[:, a]
        place = np.repeat(firsts - part.start[:-1], counts[:, a]) + np.arange(len(part.column))
        column[place], value[place] = part.column, part.value
    return Rows(start, column, value, parts[0].width, min(part.bits for part in parts))


def by_pairs(P: Any, R: Any, pairs: tuple[Sequence[int], Sequence[int]]) -> tuple[Rows, npt.NDArray[Any]]:
    """Return ``P`` with a row for every state and action in the order (s, a), and ``R[s, a]``: -inf for unlisted pairs.
    An unlisted pair gets a self-loop, which is never used."""
    rows, pays = rows_of(P, "P"), array_of(R, "R")
    n = rows.width
    s, a = (_indices(part, f"pairs[{i}]", len(rows)) for i, part in enumerate(pairs))
    if s.max() >= n:
        raise InvalidModel(f"pairs[0] names state {s.max()}, wanted an integer in 0..{n - 1}, as P has {n} columns")
    if pays.shape != (len(rows),):
        raise InvalidModel(f"R has shape {pays.shape}, wanted ({len(rows)},), one entry for each row of P")
    count = int(a.max()) + 1
    place = s * count + a
    order = np.argsort(place, kind="stable")
    twice = np.flatnonzero(np.diff(place[order]) == 0)
    if len(twice):
        k = int(order[twice[0] + 1])
        raise InvalidModel(f"pairs lists state {s[k]} with action {a[k]} twice, wanted each pair once")
    table = np.full((n, count), -np.inf, dtype=object)
    table[s, a] = pays
    sizes = np.ones(n * count, dtype=np.int64)
    sizes[place] = np.diff(rows.start)
    start = starts(sizes)
    column = np.repeat(np.arange(n * count) // count, sizes)
    value = np.ones(len(column), dtype=rows.value.dtype)
    at = np.repeat(start[place] - rows.start[:-1], np.diff(rows.start)) + np.arange(len(rows.column))
    column[at], value[at] = rows.column, rows.value
    return replace(rows, start=start, column=column, value=value), table


def _indices(part: Any, name: str, wanted: int) -> npt.NDArray[np.int64]:
    array = np.asarray(part)
    if array.shape != (wanted,) or array.dtype.kind not in "iu" or (wanted and array.min() < 0):
        raise InvalidModel(f"{name} is {part!r}, wanted {wanted} integers from 0, one for each row of P")
    if not wanted:
        raise InvalidModel("P has no rows, wanted one for each state and action")
    return array.astype(np.int64)


class StepRewards:
    """``R`` of one step: the rewards of actions, and whether a state has an action."""

    def __init__(self, R: Any, n: int, count: int, ass: bool, where: str, *, stacked: bool) -> None:
        self.n, self.count, self.where, self.ass, self.stacked = n, count, where, ass, stacked
        self.alike = False  # the actions of a state earn the same
        self.by_state: npt.NDArray[Any] | None = None
        self.joint: Rows | None = None
        self.laws: Sequence[Sequence[Any]] | None = None
        self._read = Reader(n, normalise=False)
        self._points: dict[Any, Law | ContinuousReward] = {}
        if isinstance(R, (list, tuple)) and _holds_laws(R):
            if len(R) != n:
                raise InvalidModel(f"{where} has {len(R)} states, wanted {n} as in P")
            for s, own in enumerate(R):
                if len(own) != count:
                    raise InvalidModel(f"{where}[{s}] has {len(own)} actions, wanted {count} as in P")
            self.laws = R
        elif is_matrix_list(R):
            parts = [rows_of(part, where) for part in R]
            if len(parts) != count or any((len(part), part.width) != (n, n) for part in parts):
                raise InvalidModel(f"{where} is a list of matrices, wanted {count} of shape {(n, n)}")
            self.joint = interleaved(parts)
        elif hasattr(R, "tocsr"):
            self._table(widened(R.toarray()))
        else:
            array = array_of(R, where)
            if array.ndim == 3:
                ordered = array.transpose(1, 0, 2) if ass else array
                if ordered.shape != (n, count, n):
                    wanted = (count, n, n) if ass else (n, count, n)
                    steps = len(array) if array.shape[1:] == (n, count) else 0
                    hint = f"; for rewards that change with the step, P is a list too: [P] * {steps}" if steps else ""
                    raise InvalidModel(f"{where} has shape {array.shape}, wanted {wanted} as P{hint}")
                self.joint = rows_of(ordered.reshape(n * count, n), where)
            else:
                self._table(array)

    def _table(self, array: npt.NDArray[Any]) -> None:
        """Read ``R[s]`` or ``R[s, a]``."""
        n, count = self.n, self.count
        if array.shape == (n,):
            array, self.alike = np.repeat(array[:, None], count, axis=1), True
        elif self.stacked and array.shape == (n * count,):  # one per row of P
            array = array.reshape(count, n).T if self.ass else array.reshape(n, count)
        if array.shape != (n, count):
            read = f"P was read as P[{'a, s' if self.ass else 's, a'}, s'], with {n} states and {count} actions"
            raise InvalidModel(
                f"{self.where} has shape {array.shape}, wanted ({n},), ({n}, {count}) or one as P ({read})"
            )
        self.by_state = array

    def notes(self, rows: Rows) -> list[str]:
        """Say that a reward ``R[s, a]`` is certain, where it may be the mean of rewards that the next state decides."""
        if self.by_state is None or self.alike or self.by_state.dtype.kind != "f":
            return []
        random = (np.diff(rows.start) > 1).reshape(self.n, self.count)
        broken = random & np.isfinite(self.by_state) & (self.by_state != np.round(self.by_state))
        said = "R[s, a] is paid for certain; if it is a mean, risk is understated: pass R[s, a, s'] or laws R[s][a]"
        return [said] if broken.any() else []

    def offered(self) -> npt.NDArray[np.bool_]:
        """Return, for each state and action, whether the state has the action."""
        if self.by_state is None:
            return np.ones((self.n, self.count), dtype=bool)
        return np.asarray(self.by_state != -np.inf, dtype=bool)

    def laws_of(self, rows: npt.NDArray[np.int64]) -> tuple[tuple[Law | ContinuousReward, ...], npt.NDArray[np.int64]]:
        """Return the different laws of the rewards of rows ``s * |A| + a``, and the number of each row's own."""
        if self.laws is None and self.by_state is not None and self.by_state.dtype.kind in "fiu":
            table = self.by_state.ravel()[rows]
            for k in np.flatnonzero(~np.isfinite(table))[:1].tolist():
                self._law(table[k].item(), self._name(int(rows[k])))  # raises
            _, first, law = np.unique(table, return_index=True, return_inverse=True)
            order = np.argsort(first)
            ranks = np.empty_like(order)
            ranks[order] = np.arange(len(order))
            values = table[first[order]].tolist()
            return tuple(self._read.point(as_fraction(value, self.where)) for value in values), ranks[law]
        found: dict[int, tuple[int, Law | ContinuousReward]] = {}
        law = np.empty(len(rows), dtype=np.int64)
        for k, row in enumerate(rows.tolist()):
            s, a = divmod(row, self.count)
            own = self._law(self.laws[s][a] if self.laws is not None else self._entry(s, a), self._name(row))
            law[k] = found.setdefault(id(own), (len(found), own))[0]
        return tuple(own for _, own in found.values()), law

    def _name(self, row: int) -> str:
        s, a = divmod(row, self.count)
        return f"{self.where}[{s}, {a}]"

    def action(self, packed: Packed, row: int) -> Action:
        """Return an action whose reward depends on the next state."""
        assert self.joint is not None
        paid = dict(zip(*self.joint.row(row), strict=True))
        columns = packed.column[packed.start[row] : packed.start[row + 1]].tolist()
        values = {paid.get(target, 0) for target in columns}
        if len(values) == 1:
            return PackedAction(packed, row, self._law(values.pop(), self._name(row)))
        outcomes = tuple(
            (p, target, self._read.number(paid.get(target, 0), f"{self._name(row)}[{target}]"))
            for target, p in packed.successors(row)
        )
        return Action.of_outcomes(outcomes)

    def _entry(self, s: int, a: int) -> Any:
        assert self.by_state is not None
        value = self.by_state[s, a]
        return value.item() if isinstance(value, np.generic) else value

    def _law(self, value: Any, where: str) -> Law | ContinuousReward:
        if not isinstance(value, (int, float, str)):
            return self._read.reward(value, where)
        key = (type(value), value)
        if key not in self._points:
            self._points[key] = self._read.reward(value, where)
        return self._points[key]


def _holds_laws(R: Sequence[Any]) -> bool:
    """Return whether the entries ``R[s][a]`` are laws rather than numbers."""
    first = R[0]
    if not isinstance(first, (list, tuple)) or not first:
        return False
    return isinstance(first[0], (Mapping, Law, ContinuousReward)) or hasattr(first[0], "cdf")


Arrays: TypeAlias = Any
"""numpy arrays, scipy sparse matrices, or (nested) lists of them or of numbers."""


def mdp_of_arrays(
    P: Arrays,
    R: Arrays,
    *,
    layout: str | None = None,
    terminal: Sequence[Rational] | npt.NDArray[Any] | None = None,
    absorbing: Iterable[int] | npt.NDArray[np.bool_] = (),
    normalise: bool = False,
    action_names: Sequence[str] | None = None,
    pairs: tuple[Sequence[int], Sequence[int]] | None = None,
    **rest: Any,
) -> MDP | IntervalMDP:
    """See :meth:`verified_risk.MDP.from_arrays`."""
    ends: list[list[Ends]] | None = None
    if isinstance(P, tuple) and len(P) == 2:
        if terminal is not None or pairs is not None:
            raise Unsupported("intervals of probabilities go with neither terminal rewards nor pairs")
        P, ends = _between(P[0], P[1], layout)
    if pairs is not None:
        P, R = by_pairs(P, R, pairs)
    varies = _is_by_step(P)
    steps, pays = (list(P), _rewards_by_step(R, len(P))) if varies else ([P], [R])
    still = _listed(absorbing)
    shared: dict[int, _Step] = {}
    read: list[_Step] = []
    for t, (own_P, own_R) in enumerate(zip(steps, pays, strict=True)):
        where = f"[{t}]" if varies else ""
        key = id(own_P) if own_R is pays[0] and own_P is steps[0] else -t
        if key not in shared:
            shared[key] = _Step(own_P, own_R, layout, where, normalise, still)
        read.append(shared[key])
    first = read[0]
    for t, step in enumerate(read):
        if not np.array_equal(step.offered, first.offered):
            raise InvalidModel(
                f"P[{t}] has {step.n} states and actions {step.shape}, wanted {first.n} and {first.shape} as at step 0"
            )
    notes = [note for step in {id(step): step for step in read}.values() for note in step.notes()]
    model = model_of_steps(
        [step.states for step in read], Reader(first.n, normalise), varies=varies, terminal=terminal, notes=notes,
        action_names=_names(action_names, first), **rest,
    )  # fmt: skip
    if ends is None:
        return model
    one, used = [(Fraction(1), Fraction(1))], np.flatnonzero(first.offered).tolist()
    return IntervalMDP(model, tuple(tuple(one if i // first.count in still else ends[i]) for i in used))


class _Step:
    """``P`` and ``R`` of one step, as the actions of every state."""

    def __init__(
        self, P: Arrays, R: Arrays, layout: str | None, at: str, normalise: bool, absorbing: tuple[int, ...]
    ) -> None:
        rows, self.n, count, ass = _transitions(P, layout, f"P{at}")
        self.count, self.at, self.ass, self.listed = count, at, ass, isinstance(P, Rows)
        _check_entries(rows, self.row_name, f"P{at}")
        pays = StepRewards(R, self.n, count, ass, f"R{at}", stacked=_is_stacked(P))
        for s in absorbing:
            if as_whole(s) is None or not 0 <= s < self.n:
                raise InvalidModel(f"absorbing names state {s!r}, wanted an integer in 0..{self.n - 1}")
        still = frozenset(absorbing)
        self.remarks = pays.notes(rows)
        self.repairs = Repairs()
        self.packed = Packed.read(rows, self.row_name, normalise, self.repairs)
        self.offered = pays.offered()
        self.offered[list(still)] = True
        bare = np.flatnonzero(~self.offered.any(axis=1))
        if len(bare):
            raise InvalidModel(f"R{at}[{bare[0]}] is -inf for every action: state {bare[0]} has no action left")
        self.states = self._states(pays, still)

    def _states(self, pays: StepRewards, still: frozenset[int]) -> StateActions:
        """Return the actions of every state; those that are absorbing have one that pays nothing in place of each."""
        start, used = starts(self.offered.sum(axis=1)), np.flatnonzero(self.offered)
        stays = np.isin(used // self.count, sorted(still))
        if pays.joint is None:
            laws, law = pays.laws_of(used[~stays])
            if still:
                own, laws = law, (*laws, Law.point(0))
                law = np.full(len(used), len(laws) - 1)
                law[~stays] = own
            packed = self.packed.selected(np.where(stays, -1, used), used // self.count)
            return PackedStates(packed, start, laws, law)
        nothing = Law.point(0)
        actions = [
            Action(((row // self.count, Fraction(1)),), nothing) if stay else pays.action(self.packed, row)
            for row, stay in zip(used.tolist(), stays.tolist(), strict=True)
        ]
        return tuple(tuple(actions[i:j]) for i, j in pairwise(start.tolist()))

    @property
    def shape(self) -> str:
        counts = self.offered.sum(axis=1)
        return str(counts[0]) if counts.min() == counts.max() else f"{counts.min()} to {counts.max()}"

    def row_name(self, i: int) -> str:
        s, a = divmod(i, self.count)
        return f"P{self.at}[{a}, {s}]" if self.ass else f"P{self.at}[{s}, {a}]"

    def notes(self) -> list[str]:
        absent = int((~self.offered).sum())
        missing = [f"{absent} actions with reward -inf were left out"] if absent and not self.listed else []
        return [*self.repairs.notes(), *missing, *self.remarks]


# -- P ----------------------------------------------------------------------------------------------------------------


def _is_by_step(P: Arrays) -> bool:
    """Return whether ``P`` has one entry per step."""
    if isinstance(P, np.ndarray):
        return P.ndim == 4
    if not isinstance(P, (list, tuple)) or not P or is_matrix_list(P):
        return False
    first = P[0]
    if hasattr(first, "tocsr") or isinstance(first, np.ndarray):
        return hasattr(first, "tocsr") or first.ndim in (2, 3)
    return isinstance(first, (list, tuple)) and (is_matrix_list(first) or _depth(first) == 3)


def _depth(nested: Any) -> int:
    depth = 0
    while isinstance(nested, (list, tuple)) and len(nested):
        depth, nested = depth + 1, nested[0]
    return depth + (nested.ndim if isinstance(nested, np.ndarray) else 0)


def _transitions(P: Arrays, layout: str | None, where: str) -> tuple[Rows, int, int, bool]:
    """Return ``P`` as rows in the order (s, a), the numbers of states and actions, and whether actions came first."""
    if layout not in (None, "sas", "ass"):
        raise InvalidModel(f"layout is {layout!r}, wanted 'sas' for P[s, a, s'] or 'ass' for P[a, s, s']")
    if isinstance(P, Rows):  # from pairs or intervals
        return P, P.width, len(P) // P.width, P.actions_first
    if is_matrix_list(P):
        if layout == "sas":
            raise InvalidModel(f"{where} is a list of one matrix for each action, wanted layout='ass' or none")
        parts = [rows_of(part, f"{where}[{a}]") for a, part in enumerate(P)]
        n = len(parts[0])
        for a, part in enumerate(parts):
            if len(part) != n:
                raise InvalidModel(f"{where}[{a}] has shape {P[a].shape}, wanted {(n, n)} as {where}[0]")
        return interleaved(parts), n, len(parts), True
    if _is_stacked(P):
        return _stacked(rows_of(P, where), layout, where)
    array = array_of(P, where)
    if not array.size:
        raise InvalidModel(f"{where} has shape {array.shape}, wanted at least one state and one action")
    if array.ndim != 3:
        raise InvalidModel(f"{where} has {array.ndim} dimensions, wanted 3: (s, a, s') or (a, s, s')")
    ass = _actions_first(array.shape, layout, where)
    ordered = array.transpose(1, 0, 2) if ass else array
    n, count, after = ordered.shape
    if n != after:
        raise InvalidModel(
            f"{where} has shape {array.shape}, wanted {n} next states in layout {'ass' if ass else 'sas'!r}"
        )
    rows = rows_of(ordered.reshape(n * count, n), where)
    return replace(rows, bits=bits_of(P)), n, count, ass


def _between(low: Arrays, high: Arrays, layout: str | None) -> tuple[Rows, list[list[Ends]]]:
    """Return the laws at the same share of every interval of a row, and the intervals of their positive entries."""
    parts = [_transitions(part, layout, f"P[{i}]") for i, part in enumerate((low, high))]
    (lows, n, count, ass), highs = parts[0], parts[1][0]
    if parts[0][1:] != parts[1][1:]:
        raise InvalidModel(f"P[1] has {parts[1][1]} states and {parts[1][2]} actions, wanted {n} and {count} as P[0]")
    read, column, value, start, kept = Reader(n, normalise=False), [], [], [0], []
    for i in range(len(lows)):
        s, a = divmod(i, count)
        at = f"[{a}, {s}" if ass else f"[{s}, {a}"
        least, most = (dict(zip(*rows.row(i), strict=True)) for rows in (lows, highs))
        ends: list[Ends] = []
        for k in (targets := sorted({*least, *most})):
            ends.append((read.probability(least.get(k, 0), f"P[0]{at}, {k}]"),
                         read.probability(most.get(k, 0), f"P[1]{at}, {k}]")))  # fmt: skip
            if not ends[-1][0] <= ends[-1][1] <= 1:
                low, high = map(said, ends[-1])
                raise InvalidModel(
                    f"P{at}, {k}] is from {low} to {high}, wanted low <= high <= 1: the tuple P is (low, high); one "
                    "matrix for each action, or one for each step, is a list"
                )
        ends, masses = inside(ends, f"P{at}]")
        positive = [j for j, p in enumerate(masses) if p]
        column += [targets[j] for j in positive]
        value += [masses[j] for j in positive]
        start.append(len(column))
        kept.append([ends[j] for j in positive])
    columns = np.array(column, dtype=np.int64)
    return Rows(np.array(start), columns, np.array(value, dtype=object), n, actions_first=ass), kept


def _is_stacked(P: Arrays) -> bool:
    """Return whether ``P`` is one matrix with a row per state and action."""
    return hasattr(P, "tocsr") or _depth(P) == 2


def _listed(absorbing: Iterable[int] | npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the states as a list, which may be given as an array of bools."""
    if isinstance(absorbing, np.ndarray) and absorbing.dtype == np.bool_:
        return tuple(np.flatnonzero(absorbing).tolist())
    return tuple(absorbing)


def _actions_first(shape: tuple[int, ...], layout: str | None, where: str) -> bool:
    first, second, third = shape
    if layout is not None:
        return layout == "ass"
    if first == second == third:
        raise InvalidModel(
            f"{where} has shape {shape}: as many actions as states, so P[s, a, s'] and P[a, s, s'] look alike; "
            "wanted layout='sas' or layout='ass'"
        )
    if third not in (first, second):
        raise InvalidModel(f"{where} has shape {shape}, wanted (states, actions, states) or (actions, states, states)")
    return second == third


def _stacked(rows: Rows, layout: str | None, where: str) -> tuple[Rows, int, int, bool]:
    """Split one matrix with a row per state and action."""
    n = rows.width
    count, rest = divmod(len(rows), n)
    if rest or not count:
        raise InvalidModel(f"{where} has shape {(len(rows), n)}, wanted a multiple of {n} rows, one a state and action")
    if count > 1 and layout is None:
        raise InvalidModel(
            f"{where} has a row for each state and action: wanted layout='sas' (row s * {count} + a) or layout='ass' "
            f"(row a * {n} + s)"
        )
    if count == 1 or layout == "sas":
        return rows, n, count, False
    cuts = [rows.start[a * n : (a + 1) * n + 1] for a in range(count)]
    parts = [replace(rows, start=cut - cut[0], column=rows.column[cut[0] : cut[-1]], value=rows.value[cut[0] : cut[-1]])
             for cut in cuts]  # fmt: skip
    return interleaved(parts), n, count, True


def _check_entries(rows: Rows, name: Callable[[int], str], where: str) -> None:
    """Raise for the first entry that is not a probability, and for empty rows."""
    if rows.value.dtype.kind == "f":
        wrong = np.flatnonzero(~(np.isfinite(rows.value) & (rows.value >= 0)))
        if len(wrong):
            k = int(wrong[0])
            i = int(np.searchsorted(rows.start, k, side="right")) - 1
            raise InvalidModel(f"{name(i)}[{rows.column[k]}] is {rows.value[k]}, wanted a probability in [0, 1]")
    empty = np.flatnonzero(np.diff(rows.start) == 0)
    if len(empty):
        raise InvalidModel(f"{name(int(empty[0]))} has no positive entry, wanted probabilities that sum to 1")


# -- R ----------------------------------------------------------------------------------------------------------------


def _rewards_by_step(R: Arrays, horizon: int) -> list[Arrays]:
    if not isinstance(R, (list, tuple, np.ndarray)) or len(R) != horizon:
        shown = f"{len(R)} entries" if isinstance(R, (list, tuple, np.ndarray)) else repr(R)
        raise InvalidModel(
            f"P has one entry for each of {horizon} steps and R has {shown}, wanted as many ([R] * {horizon})"
        )
    return list(R)


def _names(action_names: Sequence[str] | None, step: _Step) -> list[list[str]] | None:
    """Return the caller's names, or the caller's numbers if actions are missing."""
    if action_names is not None and len(action_names) != step.count:
        raise InvalidModel(f"action_names has {len(action_names)} names, wanted {step.count}, one for each action")
    if action_names is None and step.offered.all():
        return None
    names = [str(a) for a in range(step.count)] if action_names is None else action_names
    return [[names[a] for a in np.flatnonzero(own).tolist()] for own in step.offered]
