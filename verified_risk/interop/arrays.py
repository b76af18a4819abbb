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
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import InvalidModel, Unsupported
from ..law import Law
from ..mdp import MDP
from ..mdp.action import Action
from ..mdp.flat import PackedStates, starts
from ..mdp.intervals import Ends, IntervalMDP, inside
from ..mdp.packed import Packed, Rows
from ..mdp.readers import StateActions
from ..mdp.reading import Reader
from ..mdp.repairs import Repairs
from ..numbers.rational import Rational, as_whole, said
from .array_rewards import StepRewards
from .matrices import array_of, bits_of, interleaved, is_matrix_list, rows_of
from .pairs import by_pairs
from .time_varying import model_of_steps

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
    """Whether ``P`` has one entry per step."""
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
    """Whether ``P`` is one matrix with a row per state and action."""
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
