"""The ledger of the machine-checked theorems: what each says, what it rests on, and which statement it supports.

``formal/record.json`` is wholly generated (``python -m proofs_checks.evidence.coq.record --write``) from

* the Coq sources: the text of each theorem, with the variables and hypotheses of its sections,
* the output of ``formal/compile.sh``: the axioms of each theorem, after compiling everything,
* the table in ``docs/theory/formal.md``: which statement a theorem is about, its hypotheses in words, and how it
  differs from the statement's claim.

Evidence comes from the record, so it needs no Coq; it says that it was recorded.  A theorem whose file, or a file it
depends on, has changed since is stale: it is shown, and counts for nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from verified_risk.errors import InvalidFile, MissingDependency
from verified_risk.files import write_text

from ...engine.model import Evidence, Rank
from .source import FORMAL, depends_on, digest, listed, sources_in, theorems_of
from .source import read as read_source

RECORD = FORMAL / "record.json"
TABLE = Path(__file__).parents[3] / "docs" / "theory" / "formal.md"
FORMAT = "proofs_checks/formal"

CLASSICAL_REALS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)

MODEL_SCOPE = "models of any size with finite laws, reward independent of the next state, undiscounted"
"""What a decision process is in ``formal/foundations/Mdp.v``: the scope of every theorem that depends on it."""

Role: TypeAlias = Literal["proves", "part", "refutes", "step"]
"""What a theorem does for a statement: ``proves`` its corrected claim; is ``part`` of a proof together with the other
parts; ``refutes`` its printed claim; is a ``step`` that supports nothing by itself."""

Theorem = dict[str, Any]


# -- the table of docs/theory/formal.md -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """One row: what a theorem does for which statements, under which hypotheses, and how it differs from the claim."""

    theorem: str
    supports: tuple[tuple[Role, str], ...]
    hypotheses: str
    differs: str
    anchor: str

    def does(self, role: Role, label: str) -> bool:
        """Whether the theorem plays this role for the statement."""
        return (role, label) in self.supports


def read_table(text: str) -> dict[str, Entry]:
    """``{theorem: row}``; the rows are those with a theorem in backquotes in their second cell."""
    entries: dict[str, Entry] = {}
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) < 2 or not re.fullmatch(r"`\w+`", cells[1]):
            continue
        if len(cells) != 5:
            raise InvalidFile(f"line {number} of formal.md has {len(cells)} cells, wanted 5: {line}")
        supports, theorem, hypotheses, differs, proof = cells
        anchor = re.search(r"\]\(([\w.-]+\.md#[\w-]+)\)", proof)
        if anchor is None:
            raise InvalidFile(f"line {number} of formal.md ends without a link to a proof in words: {proof!r}")
        name = theorem.strip("`")
        if name in entries:
            raise InvalidFile(f"line {number} of formal.md repeats the theorem {name}")
        entries[name] = Entry(name, _roles(supports, number), hypotheses, differs, anchor.group(1))
    return entries


def _roles(cell: str, number: int) -> tuple[tuple[Role, str], ...]:
    """``proves lem:key, intro:key; refutes ...``."""
    found: list[tuple[Role, str]] = []
    for group in cell.split(";"):
        role, _, labels = group.strip().partition(" ")
        if role not in get_args(Role) or not labels:
            raise InvalidFile(
                f"line {number} of formal.md: {group.strip()!r}, wanted one of {get_args(Role)} and labels"
            )
        found += [(role, label.strip().strip("`")) for label in labels.split(",")]  # type: ignore[misc]
    return tuple(found)


# -- the record -------------------------------------------------------------------------------------------------------


def read_axioms(output: str) -> dict[str, list[str]]:
    """``{what was printed: its axioms}`` from the output of compile.sh."""
    parts = re.split(r"^Assumptions of .*:$", output, maxsplit=1, flags=re.MULTILINE)
    if len(parts) == 1:
        raise InvalidFile("the output of compile.sh has no list of assumptions")
    lines = [re.fullmatch(r"([\w.]+):((?: \S+)*)", line) for line in parts[1].splitlines()]
    return {line.group(1): line.group(2).split() for line in lines if line}


def compile_sources(folder: Path) -> str:
    """The output of compile.sh in a folder; it fails on a missing proof and on an axiom that is not allowed."""
    done = subprocess.run(["sh", "compile.sh"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise MissingDependency(done.stderr.strip() or "Coq is missing")
    if done.returncode:
        raise InvalidFile(f"the proofs do not compile:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def compile_and_build(table: str, folder: Path = FORMAL) -> dict[str, Any]:
    """The record of a copy of the sources, compiled from nothing: exactly what was compiled is what is recorded."""
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory)
        for path in [*sources_in(folder).values(), folder / "compile.sh", folder / "_CoqProject"]:
            place = copy / path.relative_to(folder)
            place.parent.mkdir(exist_ok=True)
            shutil.copy(path, place)
        return build(compile_sources(copy), table, copy)


def build(output: str, table: str, folder: Path = FORMAL) -> dict[str, Any]:
    """The record, from the sources, the output of compile.sh and the table."""
    entries, axioms = read_table(table), read_axioms(output)
    printed = listed((folder / "Assumptions.v").read_text(encoding="utf-8"))
    _same_names(entries, printed)
    sources = {
        path.relative_to(folder).as_posix(): theorems_of(read_source(path, folder))
        for path in sources_in(folder).values()
    }
    digests = _digests(folder)
    theorems = []
    for name, group in printed.items():
        files = [file for file, proved in sources.items() if name in proved]
        if len(files) != 1 or group not in axioms:
            reason = "compile.sh did not print it" if len(files) == 1 else f"proved in {', '.join(files) or 'no file'}"
            raise InvalidFile(f"theorem {name}: {reason}")
        (file,) = files
        statement, context = sources[file][name]
        theorems.append(
            {
                **asdict(entries[name]),
                "supports": [list(pair) for pair in entries[name].supports],
                "file": file,
                "statement": statement,
                "context": list(context),
                "axioms": axioms[group],
                "printed_with": group,
                "depends_on": depends_on(file, folder),
                "file_sha256": hashlib.sha256((folder / file).read_bytes()).hexdigest(),
                "sha256": digests[file],
            }
        )
    compiler = output.splitlines()[0] if output else ""
    return {"format": FORMAT, "version": 1, "compiler": compiler, "theorems": theorems}


def reword(theorems: list[Theorem], table: str, folder: Path = FORMAL) -> dict[str, Any] | None:
    """The record with the table's present words, if no proof has changed since it was compiled; otherwise None."""
    printed = listed((folder / "Assumptions.v").read_text(encoding="utf-8"))
    digests = _digests(folder)
    if {t["theorem"]: t["printed_with"] for t in theorems} != printed:
        return None
    if any(digests.get(theorem["file"]) != theorem["sha256"] for theorem in theorems):
        return None
    answers = {theorem["printed_with"]: " ".join(theorem["axioms"]) for theorem in theorems}
    compiler = json.loads(RECORD.read_text(encoding="utf-8"))["compiler"]
    lines = "\n".join(f"{name}: {axioms}".rstrip() for name, axioms in answers.items())
    return build(f"{compiler}\nAssumptions of what was compiled before:\n{lines}\n", table, folder)


def _same_names(entries: Iterable[str], printed: Iterable[str]) -> None:
    without_row, without_theorem = sorted(set(printed) - set(entries)), sorted(set(entries) - set(printed))
    if without_row or without_theorem:
        raise InvalidFile(
            f"formal.md has no row for {', '.join(without_row) or 'nothing'}; "
            f"Assumptions.v does not print {', '.join(without_theorem) or 'nothing'}"
        )


def _digests(folder: Path) -> dict[str, str]:
    """``{file: digest}`` of the folder as it is now."""
    paths = sources_in(folder).values()
    state = tuple((p.relative_to(folder).as_posix(), p.stat().st_mtime_ns, p.stat().st_size) for p in paths)
    return _digests_of(folder, state)


@lru_cache(maxsize=8)
def _digests_of(folder: Path, state: tuple[tuple[str, int, int], ...]) -> dict[str, str]:
    return {name: digest(name, folder) for name, _, _ in state}


def read(path: Path = RECORD) -> list[Theorem]:
    """The recorded theorems; none if there is no record."""
    if not path.exists():
        return []
    theorems: list[Theorem] = json.loads(path.read_text(encoding="utf-8"))["theorems"]
    return theorems


def is_stale(theorem: Theorem, folder: Path = FORMAL) -> bool:
    """Whether its file, or one that it depends on, is not what was compiled."""
    return bool(_digests(folder).get(theorem["file"]) != theorem["sha256"])


def stale(theorems: list[Theorem], table: str, folder: Path = FORMAL) -> list[str]:
    """What differs between the record and the present sources and table, in words; empty if it is fresh."""
    printed = listed((folder / "Assumptions.v").read_text(encoding="utf-8"))
    entries, recorded = read_table(table), {theorem["theorem"]: theorem for theorem in theorems}
    found = [f"{name} is not recorded" for name in printed.keys() - recorded.keys()]
    found += [f"{name} is recorded, but printed no more" for name in recorded.keys() - printed.keys()]
    found += [f"{name} has no row in formal.md" for name in printed.keys() - entries.keys()]
    found += [f"{name} has a row in formal.md, but is not printed" for name in entries.keys() - printed.keys()]
    digests = _digests(folder)
    for name in recorded.keys() & printed.keys():
        if digests.get(recorded[name]["file"]) != recorded[name]["sha256"]:
            found.append(f"{name}: {recorded[name]['file']} or a file it depends on has changed")
        row = entries.get(name)
        words = [[list(pair) for pair in row.supports], row.hypotheses, row.differs, row.anchor] if row else None
        if row and words != [recorded[name][key] for key in ("supports", "hypotheses", "differs", "anchor")]:
            found.append(f"{name}: its row in formal.md has changed")
    return sorted(found)


# -- evidence ---------------------------------------------------------------------------------------------------------


def axioms_in_words(axioms: Iterable[str]) -> str:
    """``none``, ``classical reals``, or their names if there are others."""
    names = set(axioms)
    if not names:
        return "none"
    return "classical reals" if names <= CLASSICAL_REALS else ", ".join(sorted(names))


def machine_checked(
    label: str, *, compiled_now: bool = False, record: Path = RECORD, folder: Path = FORMAL
) -> tuple[Evidence, ...]:
    """Evidence for the corrected claim of a statement: each theorem that proves it, or all parts of a proof together.

    Stale theorems appear with the lowest rank, as a reminder.
    """
    theorems = read(record)
    alone = [[theorem] for theorem in theorems if ["proves", label] in theorem["supports"]]
    parts = [theorem for theorem in theorems if ["part", label] in theorem["supports"]]
    found = [_evidence(group, compiled_now, folder) for group in alone]
    if parts and not alone:
        found.append(_evidence(parts, compiled_now, folder))
    return tuple(found)


def _evidence(theorems: list[Theorem], compiled_now: bool, folder: Path) -> Evidence:
    names = ", ".join(f"{t['theorem']} ({t['file']}, {t['sha256'][:12]})" for t in theorems)
    axioms = axioms_in_words(axiom for theorem in theorems for axiom in theorem["axioms"])
    differs = "".join(f"; {theorem['differs']}" for theorem in theorems if theorem["differs"])
    scope = f"; {MODEL_SCOPE}" if any("Mdp.v" in theorem["depends_on"] for theorem in theorems) else ""
    detail = f"theorem{'s' if len(theorems) > 1 else ''} {names}, axioms: {axioms}{differs}{scope}"
    if any(is_stale(theorem, folder) for theorem in theorems):
        return Evidence(Rank.CITED, f"stale, its source has changed since: {detail}")
    if not {axiom for theorem in theorems for axiom in theorem["axioms"]} <= CLASSICAL_REALS:
        return Evidence(Rank.CITED, f"rests on an axiom beyond the classical reals: {detail}")
    return Evidence(Rank.MACHINE_CHECKED, detail if compiled_now else f"{detail}; recorded, not rechecked here")


# -- command ----------------------------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """``--write``: compile if needed and record; ``--check`` (the default): exit status 1 if anything is stale."""
    parser = argparse.ArgumentParser(
        prog="proofs_checks.evidence.coq.record", description="The machine-checked theorems."
    )
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--write",
        action="store_true",
        help="write the record, after compiling a copy of the sources if one has changed",
    )
    choice.add_argument("--check", action="store_true", help="compare the record with the sources (needs no Coq)")
    options = parser.parse_args(arguments)
    table = TABLE.read_text(encoding="utf-8")
    if options.write:
        _same_names(read_table(table), listed((FORMAL / "Assumptions.v").read_text(encoding="utf-8")))
        record = reword(read(), table) or compile_and_build(table)
        write_text(RECORD, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    found = stale(read(), table)
    print("\n".join(found) or f"fresh: {len(read())} theorems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
