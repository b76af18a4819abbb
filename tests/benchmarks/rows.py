"""What a benchmark measured: rows of named columns, printed as they come, kept for a file and for a page."""

import json
import os
import platform
import re
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

ROWS: list[dict[str, Any]] = []
GROUPS = {
    "a": "One pass over budgets, against C, scipy, quantecon and Storm",
    "b": "Dense rows, against BLAS",
    "c": "What certification costs",
    "d": "Rows of integers, against floats and fractions",
    "e": "Searches to a gap of 1e-5",
    "f": "Memory of a plan",
    "h": "Growth",
    "i": "The learner",
    "j": "From arrays to a file",
    "k": "The verified checker",
    "l": "Larger searches to a gap of 1e-5",
    "n": "Two threads, by the clock",
    "o": "A billion cells, and the estimate of memory by which such a plan is refused",
    "p": "What happens before a pass",
    "q": "Limits of time, CPU seconds asked for and taken",
    "r": "Jobs: models of gymnasium to a gap of 1 % in a minute, fronts, constraints, ties, uncertain rates",
}
FOLDED = "el"
"""Letters whose rows are searches of several sizes, objectives and seeds."""


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return the value of a function and its CPU seconds."""
    began = time.process_time()
    return function(), time.process_time() - began


def row(name: str, **columns: Any) -> None:
    ROWS.append({"row": name, **columns})
    print(f"{name:44} " + "   ".join(f"{key} {shown(value)}" for key, value in columns.items()), flush=True)


def shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def machine() -> str:
    processors = Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.partition(": ")[2] for line in processors if line.startswith("model name")), "unknown processor")
    packages = ", ".join(f"{package} {version(package)}" for package in ("numpy", "numba"))
    return f"{name}, {os.cpu_count()} cores; Python {platform.python_version()}, {packages}"


def folded(letter: str, rows: Iterable[dict[str, Any]], table: list[str]) -> list[str]:
    """A table of many searches, folded below a line for each size and objective, whatever the seed."""
    searches: dict[str, list[dict[str, Any]]] = {}
    for line in rows:
        if line["row"].startswith(f"({letter})"):
            searches.setdefault(re.sub(r" seed \d+", "", line["row"][4:]), []).append(line)
    lines = ["", "|  | searches | closed | cpu_s, median | worst |", "|---|---|---|---|---|"]
    for name, found in searches.items():
        seconds, closed = [line["cpu_s"] for line in found], sum(line["closed"] for line in found)
        lines.append(f"| {name} | {len(found)} | {closed} | {shown(median(seconds))} | {shown(max(seconds))} |")
    return [*lines, "", "<details><summary>Every search</summary>", *table, "", "</details>"]


def page(rows: Iterable[dict[str, Any]]) -> str:
    """A heading for each letter, and below it a table for each list of columns."""
    tables: dict[str, dict[tuple[str, ...], list[str]]] = {}
    rows = list(rows)
    for line in rows:
        label, _, name = line["row"].partition(" ")
        columns = tuple(key for key in line if key != "row")
        cells = [name.strip(), *(shown(line[key]).replace("|", "/") for key in columns)]
        tables.setdefault(label.strip("()"), {}).setdefault(columns, []).append("| " + " | ".join(cells) + " |")
    lines = [
        "# Benchmarks",
        "",
        "`make bench` measures everything on this page and writes it again, so both sides of a ratio are of one run.",
        "Seconds (`s`, `ms`) are CPU seconds of one thread, unless a heading says *by the clock*; a gap is",
        "`upper - lower`.",
        f"Machine: {machine()}.",
    ]
    for letter, found in sorted(tables.items()):
        lines += ["", f"## {GROUPS[letter]} ({letter})"]
        for columns, body in found.items():
            table = ["", "| " + " | ".join(["", *columns]) + " |", "|---" * (len(columns) + 1) + "|", *body]
            lines += folded(letter, rows, table) if letter in FOLDED else table
    return "\n".join(lines) + "\n"


def write(target: Path, to_page: Path | None) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(ROWS, indent=1, default=str) + "\n")
    if to_page is not None:
        to_page.write_text(page(ROWS))
