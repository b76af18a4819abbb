"""Models as CSV: ``idstatefrom,idaction,idstateto,probability,reward``, one outcome per row.

Rows with equal states and action and different rewards are separate outcomes.  States may differ in their actions;
every state needs at least one, unless it is absorbing.  The file does not contain the initial law, the horizon or the
discount.  With an additional column ``idstep``, from 0, the model changes with the step and the file contains every
step.  States and actions are numbers or names.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from os import PathLike
from typing import Any, TypeAlias

from .. import files
from ..errors import InvalidFile, InvalidModel
from ..mdp import MDP, Outcome
from ..numbers.rational import Rational, as_fraction, as_whole, said, text
from .outcomes import Row, mdp_of_outcomes, mdp_of_rows

COLUMNS = ("idstatefrom", "idaction", "idstateto", "probability", "reward")
STEP = "idstep"
LONGEST_INDEX = 18  # maximum number of characters of a state, an action or a step

Line: TypeAlias = tuple[int, Any, Any, Any, Fraction, Fraction, tuple[int, ...]]
"""``(line number, state, action, next state, probability, reward, (step,) or ())``, indices or names as in the file."""


def read_csv(
    path: str | PathLike[str],
    *,
    initial: Any,
    index_base: int | None = None,
    terminal: Mapping[Any, Rational] | None = None,
    absorbing: Iterable[Any] = (),
    **rest: Any,
) -> MDP:
    """Read the model of a CSV file whose least state and action index is ``index_base``, 0 or 1, or which names them.

    ``initial`` is a state or a dict ``{state: probability}`` *as in the file*, or a list over all states if they are
    numbered.  Numbers are read exactly: ``1/3``, ``0.25``, ``1e-3``.  The states of the model are numbered from 0.
    """
    if index_base is not None:
        _require_base(index_base)
    where = str(path)
    try:
        lines, ignored = _parse(files.read_text(path, "utf-8-sig"), where, names=index_base is None)
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidFile(f"{where} is not a text file of comma-separated values: {error}") from None
    by_step = _by_step(lines, where)
    listed = bool(by_step[0][0][6])
    notes = [f"columns of {where} that were not read: {', '.join(ignored)}"] if ignored else []
    if index_base is None:
        rows = (Row(f"{where}, line {n}", t[0] if t else None, s, a, to, p, r) for n, s, a, to, p, r, t in lines)
        return mdp_of_rows(rows, initial=initial, terminal=terminal, absorbing=absorbing, notes=notes, **rest)
    still = set(absorbing)
    steps = []
    for own in by_step:
        _check_base(own, index_base, where)
        steps.append(_arrange(own, index_base, where, still))
    n = len(steps[0])
    shapes = [[len(actions) for actions in outcomes] for outcomes in steps]
    odd = next((t for t, shape in enumerate(shapes) if shape != shapes[0]), None)
    if odd is not None:
        raise InvalidFile(f"{where}: step {odd} has other states or actions than step 0, wanted the same at every step")

    line_of: dict[tuple[int, int, int], int] = {}
    for t, own in enumerate(by_step):
        for line, s, a, *_ in own:
            line_of.setdefault((t, s, a), line)

    def name(t: int, s: int, a: int) -> str:
        s, a = s + index_base, a + index_base
        at = f" (from line {line_of[t, s, a]})" if (t, s, a) in line_of else ""
        return f"{where}: {f'step {t}, ' * listed}state {s}, action {a}{at}"

    ends = None if terminal is None else _shifted(dict(terminal), index_base, n, where, "terminal")
    return mdp_of_outcomes(
        steps, name, varies=listed, initial=_shifted(initial, index_base, n, where, "initial"),
        terminal=None if ends is None else [ends.get(s, 0) for s in range(n)], notes=notes, **rest,
    )  # fmt: skip


def write_csv(mdp: MDP, path: str | PathLike[str], *, index_base: int = 0) -> None:
    """Write every outcome of positive probability, atomically, with rationals as ``p/q``.

    A model that changes with the step has a column ``idstep``.  Its last step leads to the first state, since what
    follows does not count, and includes the terminal rewards.
    """
    _require_base(index_base)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS if mdp.clock is None else (STEP, *COLUMNS))
    for s, a, action in mdp:
        if mdp.clock is not None and s == mdp.n_states - 1:
            break  # the state after the last step
        for p, target, r in action.outcomes:
            known = 0 if mdp.clock is not None and target == mdp.n_states - 1 else mdp.seen(target)
            row = (mdp.seen(s) + index_base, a + index_base, known + index_base, text(p), text(r))
            writer.writerow(row if mdp.clock is None else (s // mdp.clock, *row))
    files.write_text(path, buffer.getvalue())


def _require_base(index_base: Any) -> None:
    if isinstance(index_base, bool) or index_base not in (0, 1):
        raise InvalidModel(f"index_base is {index_base!r}, wanted 0 or 1: the least index in the file")


def _parse(content: str, where: str, *, names: bool) -> tuple[list[Line], list[str]]:
    """Return all rows, and the names of the columns that are ignored."""
    reader = csv.reader(io.StringIO(content))
    header = [name.strip() for name in next(reader, [])]
    for column in COLUMNS:
        if header.count(column) != 1:
            raise InvalidFile(
                f"{where} has {header.count(column)} columns {column!r} in its first line "
                f"({', '.join(header) or 'empty'}), wanted one each of {', '.join(COLUMNS)}"
            )
    if header.count(STEP) > 1:
        raise InvalidFile(f"{where} has {header.count(STEP)} columns {STEP!r}, wanted at most one")
    places = [header.index(column) for column in COLUMNS]
    step_at = header.index(STEP) if STEP in header else None
    numbers: dict[str, Fraction] = {}

    def number(entry: str, column: str, line: int) -> Fraction:
        if entry not in numbers:
            numbers[entry] = as_fraction(entry.strip(), f"{where}, line {line}: {column}", InvalidFile)
        return numbers[entry]

    def name(entry: str, column: str, line: int) -> str:
        if not entry.strip():
            raise InvalidFile(f"{where}, line {line}: {column} is empty, wanted a name")
        return entry.strip()

    def index(entry: str, column: str, line: int) -> int:
        written = entry.strip()
        if not (written.isascii() and written.removeprefix("-").isdecimal() and len(written) <= LONGEST_INDEX):
            raise InvalidFile(f"{where}, line {line}: {column} is {entry[:60]!r}, wanted an integer") from None
        return int(written)

    def lines() -> Iterator[Line]:
        for row in reader:
            line = reader.line_num
            if not any(entry.strip() for entry in row):
                continue
            if len(row) != len(header):
                raise InvalidFile(
                    f"{where}, line {line} has {len(row)} entries, wanted {len(header)} as in the first line"
                )
            s, a, target, p, r = (row[place] for place in places)
            mass = number(p, "probability", line)
            if mass < 0:
                raise InvalidFile(f"{where}, line {line}: probability is {said(mass)}, wanted a probability in [0, 1]")
            named = (thing(s, "idstatefrom", line), thing(a, "idaction", line), thing(target, "idstateto", line))
            paid = number(r, "reward", line)
            yield line, *named, mass, paid, () if step_at is None else (index(row[step_at], STEP, line),)

    thing = name if names else index
    found = list(lines())
    if not found:
        raise InvalidFile(f"{where} has no rows, wanted at least one outcome")
    return found, [name for name in header if name not in (*COLUMNS, STEP)]


def _by_step(lines: list[Line], where: str) -> list[list[Line]]:
    """Return the rows of every step, or all rows if the file has no steps."""
    grouped: dict[int, list[Line]] = {}
    for entry in lines:
        grouped.setdefault(entry[6][0] if entry[6] else 0, []).append(entry)
    for t in range(max(grouped) + 1):
        if t not in grouped:
            raise InvalidFile(f"{where} has no rows of step {t}, wanted steps 0..{max(grouped)} without a gap")
    if min(grouped) < 0:
        raise InvalidFile(
            f"{where}: {STEP} is {min(grouped)} in line {grouped[min(grouped)][0][0]}, wanted steps from 0"
        )
    return [grouped[t] for t in range(len(grouped))]


def _check_base(lines: list[Line], index_base: int, where: str) -> None:
    for name, least, line in (
        ("state", *min((min(s, target), line) for line, s, _, target, *_ in lines)),
        ("action", *min((a, line) for line, _, a, *_ in lines)),
    ):
        if least != index_base:
            raise InvalidFile(
                f"{where}: the least {name} index is {least} (line {line}), wanted index_base = {index_base}"
                + (f"; a file that counts from {least} needs {least} (--index-base {least})" if least in (0, 1) else "")
            )


def _arrange(lines: list[Line], index_base: int, where: str, still: set[Any]) -> list[list[list[Outcome]]]:
    """Return ``outcomes[s][a]``, with indices from 0."""
    grouped: dict[int, dict[int, list[Outcome]]] = {}
    seen: dict[tuple[int, int, int, Fraction], tuple[int, Fraction]] = {}
    first_named: dict[int, int] = {}
    for line, s, a, target, p, r, _ in lines:
        earlier, mass = seen.setdefault((s, a, target, r), (line, p))
        if earlier != line:
            relation = "repeats" if mass == p else "contradicts"
            raise InvalidFile(
                f"{where}, line {line} {relation} line {earlier}: state {s}, action {a}, next state {target}, "
                f"reward {said(r)} has probability {said(p)} here and {said(mass)} there, wanted one row"
            )
        grouped.setdefault(s, {}).setdefault(a, []).append((p, target - index_base, r))
        first_named.setdefault(s, line)
        first_named.setdefault(target, line)
    last = max(first_named)
    outcomes = []
    for s in range(index_base, last + 1):
        if s not in grouped and s in still:
            grouped[s] = {index_base: [(Fraction(1), s - index_base, Fraction())]}
        if s not in grouped:
            named = f"named in line {first_named[s]}" if s in first_named else f"below the greatest state {last}"
            raise InvalidFile(f"{where}: state {s} ({named}) has no rows, wanted at least one action for every state")
        actions = grouped[s]
        for a in range(index_base, index_base + len(actions)):
            if a not in actions:
                raise InvalidFile(
                    f"{where}: state {s} has actions {', '.join(map(str, sorted(actions)))} and no action {a}, "
                    f"wanted them numbered from {index_base} without a gap"
                )
        outcomes.append([actions[a] for a in sorted(actions)])
    return outcomes


def _shifted(given: Any, index_base: int, n: int, where: str, what: str) -> Any:
    """Return an initial law, or terminal rewards, in the model's numbering."""

    def shift(s: Any) -> int:
        state = as_whole(s)
        if state is None or not index_base <= state < n + index_base:
            raise InvalidModel(
                f"{what} names state {s!r}, wanted one of the states {index_base}..{n + index_base - 1} of {where}"
            )
        return state - index_base

    if isinstance(given, Mapping):
        return {shift(s): p for s, p in given.items()}
    return given if as_whole(given) is None else shift(given)
