"""Run the queries, keep what they answered with the hash of what was asked, and turn it into evidence.

``record.json`` is wholly generated.  A row whose source has changed since is stale: it is shown, but it supports
nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from verified_risk.files import write_text

from ...engine.model import Evidence, Rank, Verdict
from . import query, solve, terms
from .query import Answer, Query, Status
from .solve import TIME_LIMIT, Worker

RECORD = Path(__file__).with_name("record.json")
THEORY = Path(__file__).parents[2] / "theory"
FORMAT = "proofs_checks/symbolic"

Row = dict[str, Any]


def source_of(asked: Query) -> Path:
    """The file that states the query."""
    import inspect

    build: Any = asked.build
    return Path(inspect.getfile(getattr(build, "func", build)))


def digest(path: Path) -> str:
    """A hash of the file of a query and of the engine that runs it."""
    engine = [Path(module.__file__) for module in (query, solve, terms) if module.__file__]
    content = b"\0".join(file.read_bytes() for file in (path, *sorted(engine)))
    return hashlib.sha256(content).hexdigest()


def run(
    queries: Iterable[Query], limit: float = TIME_LIMIT, progress: Callable[[Row], None] = lambda row: None
) -> list[Row]:
    """Ask every query, its hypotheses and its twin; each within the time limit."""
    rows = []
    with Worker() as worker:
        for asked in queries:
            rows.append(run_one(asked, worker, limit))
            progress(rows[-1])
    return rows


def run_one(asked: Query, worker: Worker, limit: float = TIME_LIMIT) -> Row:
    """One row of the record."""
    path = source_of(asked)
    answer = worker.ask(asked.build, limit=limit)
    row: Row = {
        "label": asked.label,
        "asks": asked.asks,
        "size": asked.size,
        "covers": asked.covers,
        "status": str(answer.status),
        "seconds": round(answer.seconds, 2),
        "solver": answer.solver,
        "source": os.path.relpath(path, THEORY),
        "sha256": digest(path),
    }
    if asked.twin is not None:
        premises = worker.ask(asked.build, premises=True, limit=limit)
        twin = worker.ask(asked.twin, limit=limit)
        return row | {"premises": str(premises.status), "twin": str(twin.status), "planted": asked.planted}
    return row | _refutation(asked, answer)


def _refutation(asked: Query, answer: Answer) -> Row:
    """The solver's model as a certificate, checked by the statement's own slack and by the standalone checker."""
    from ... import recheck
    from ...engine import certificate
    from ...theory import by_label

    if answer.status is not Status.REFUTED or asked.case is None:
        return {"certificate": None, "rechecked": False}
    statement = by_label(asked.label)
    case = asked.case(answer.model)
    assert statement.printed is not None
    data = certificate.certificate(statement, case)
    rechecked = recheck.check_text(certificate.text(data)).refutes
    own = statement.printed.verdict(case) is Verdict.REFUTED
    spared = statement.corrected is None or statement.corrected.verdict(case) is not Verdict.REFUTED
    return {"certificate": data, "rechecked": rechecked and own and spared}


def as_wanted(row: Row) -> bool:
    """A proof holds, its hypotheses can be met, its twin falls; a printed claim is refuted by a rechecked case."""
    if row["covers"] == "printed":
        return bool(row["status"] == Status.REFUTED and row["rechecked"])
    return bool(row["status"] == Status.HOLDS and row["premises"] == Status.HOLDS and row["twin"] == Status.REFUTED)


def write(rows: list[Row], path: Path = RECORD) -> None:
    """Write the record; the file appears whole or not at all."""
    write_text(path, json.dumps({"format": FORMAT, "version": 1, "queries": rows}, indent=1, ensure_ascii=False) + "\n")


def read(path: Path = RECORD) -> list[Row]:
    """The recorded rows; none if there is no record."""
    if not path.exists():
        return []
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8"))["queries"]
    return rows


def stale(rows: list[Row]) -> list[str]:
    """What differs between the record and the present queries, in words; empty if it is fresh."""
    from ...theory.queries import ALL

    now = {(q.label, q.asks, q.size): q for q in ALL}
    then = {(row["label"], row["asks"], row["size"]): row for row in rows}
    found = [f"{label}: {asks} ({size}) is not recorded" for label, asks, size in now.keys() - then.keys()]
    found += [f"{label}: {asks} ({size}) is recorded, but is asked no more" for label, asks, size in then.keys() - now]
    found += [
        f"{key[0]}: {key[1]} ({key[2]}) was recorded for another source"
        for key in now.keys() & then.keys()
        if is_stale(then[key])
    ]
    return sorted(found)


def is_stale(row: Row) -> bool:
    """Whether the row's source, or the engine, has changed since."""
    path = THEORY / row["source"]
    return not path.exists() or digest(path) != row["sha256"]


def symbolic_evidence(label: str, path: Path = RECORD) -> tuple[Evidence, ...]:
    """Evidence of rank SYMBOLIC from the recorded proofs of the statement's whole claim; steps do not count.

    Stale proofs appear with the lowest rank, as a reminder.
    """
    found = []
    for row in read(path):
        if row["label"] != label or row["covers"] != "claim" or not as_wanted(row):
            continue
        detail = f"all reals, {row['size']}: {row['solver']}"
        if is_stale(row):
            found.append(Evidence(Rank.CITED, f"stale, its source has changed since: {detail}"))
        else:
            found.append(Evidence(Rank.SYMBOLIC, f"{detail}; recorded, not rechecked here"))
    return tuple(found)
