"""``python -m proofs_checks.evidence.solver [--label L] [--write | --check]``."""

from __future__ import annotations

import argparse
import sys
import time

from ...theory.queries import ALL
from .record import Row, as_wanted, read, run, stale, write
from .solve import TIME_LIMIT


def main(arguments: list[str] | None = None) -> int:
    """Run the queries and print a table; exit status 1 if one is not answered as it should be, or is stale."""
    parser = argparse.ArgumentParser(
        prog="proofs_checks.evidence.solver", description="Proofs by solvers, at bounded size."
    )
    parser.add_argument("--label", help="only the queries of this statement")
    parser.add_argument("--limit", type=float, default=TIME_LIMIT, help="seconds per query, then its process is killed")
    parser.add_argument("--write", action="store_true", help="record the answers")
    parser.add_argument("--check", action="store_true", help="run nothing; say whether the record is stale")
    options = parser.parse_args(arguments)
    if options.check:
        found = stale(read())
        print("\n".join(found) or "fresh")
        return 1 if found else 0
    queries = [query for query in ALL if options.label in (None, query.label)]
    if not queries:
        parser.error(f"no query is about {options.label!r}; known: {', '.join(sorted({q.label for q in ALL}))}")
    if options.write and options.label:
        parser.error("--write records all queries: leave --label out")
    print(f"{'statement':27} {'size':48} {'covers':8} {'status':8} {'seconds':>7}  twin, or recheck")
    started = time.perf_counter()
    rows = run(queries, options.limit, _print)
    print(f"{len(rows)} queries in {time.perf_counter() - started:.1f} s")
    if options.write:
        write(rows)
    failures = [row for row in rows if not as_wanted(row)]
    for row in failures:
        print(f"not as it should be: {row['label']}: {row['asks']} ({row['size']})", file=sys.stderr)
    return 1 if failures else 0


def _print(row: Row) -> None:
    second = ("rechecked" if row["rechecked"] else "NOT rechecked") if row["covers"] == "printed" else row["twin"]
    line = f"{row['label']:27} {row['size']:48} {row['covers']:8} {row['status']:8} {row['seconds']:7.2f}  {second}"
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
