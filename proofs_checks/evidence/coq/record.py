"""The Coq theorems that statements name: where each is proved, its axioms, and whether it is what was compiled.

Statements name the theorems that prove or refute them (:class:`.model.Formal`).  The comment above a theorem
gives its hypotheses, how it differs from the statement's claim, and the statements it is only a step of::

    (** Given: a finite law on [0, M].  Differs: finite laws.  In words: 01-setting.md#bellman.  Step of: lem:key. *)

``formal/record.json`` holds what compiling prints and cannot be read from the sources: the axioms of each group of
theorems in ``Assumptions.v``, and a digest of each file that was compiled.  It needs no Coq.  A theorem is stale
when its file, or one that it depends on, has changed since; comments and line breaks do not count.  Stale theorems are
shown and are no evidence.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from verified_risk.errors import InvalidFile, MissingDependency
from verified_risk.files import write_text

from ...engine.model import Evidence, Formal, Rank

FORMAL = Path(__file__).parents[2] / "formal"
SETUP = "setup"  # the subfolder of variables and hypotheses that sections ``Load``
RECORD = FORMAL / "record.json"
FORMAT, VERSION = "proofs_checks/formal", 2

CLASSICAL_REALS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)

MODEL_SCOPE = "models of any size with finite laws, reward independent of the next state, undiscounted"
"""The scope of every theorem that depends on ``formal/foundations/Mdp.v``."""
CHECKER_SCOPE = "models of any size with finite laws, joint outcomes, any discount"
"""The scope of the theorems about the checker of plans, which has its own models."""


# -- reading the sources -----------------------------------------------------------------------------------------------
#
# This is not a parser of Coq.  It handles what these sources use: sentences end in a full stop followed by space,
# comments nest, sections open and close by name.

_COMMENT = re.compile(r"\(\*|\*\)")
_LOAD = re.compile(rf'Load\s+"{SETUP}/(\w+)"\.(?=\s|$)')
_SENTENCE = re.compile(r"(?<=\.)\s+")
PROVED = ("Theorem", "Corollary", "Lemma", "Proposition", "Fact", "Remark")
DEFINED = ("Definition", "Fixpoint", "Record", "Inductive")
_UNPROVED = ("Axiom", "Axioms", "Parameter", "Parameters", "Conjecture", "Conjectures", "Admitted", "Abort", "Module")
"""A variable of a module is an axiom, and a module need not have an end: our sources have none."""
_ATTRIBUTES = re.compile(r"^(?:(?:#\[[^\]]*\]|Local|Global|Polymorphic|Monomorphic)\s+)+")
_UNCHECKED = re.compile(r"\badmit\b|\bbypass_check\b|\b(?:Guard|Positivity|Universe) Checking\b")
_WORDS = re.compile(r"(Given|Differs|In words|Step of): (.*?)\.(?=\s+(?:Given|Differs|In words|Step of): |\s*$)")
_ASSUMED_IN_SECTION = ("Variable", "Variables", "Hypothesis", "Hypotheses", "Context")


def without_comments(text: str) -> str:
    """The source with nested comments blanked out; strings are not special in these files."""
    depth, kept, last = 0, [], 0
    for mark in _COMMENT.finditer(text):
        if depth == 0:
            kept.append(text[last : mark.start()])
        depth += 1 if mark.group() == "(*" else -1
        last = mark.end()
    return "".join(kept) + text[last:]


def sentences(text: str) -> list[str]:
    """The vernacular sentences of a file."""
    return [part.strip() for part in _SENTENCE.split(without_comments(text)) if part.strip()]


def read(path: Path, folder: Path = FORMAL) -> str:
    """The source of a file without comments, with loaded files inserted."""
    text = without_comments(path.read_text(encoding="utf-8"))
    return _LOAD.sub(lambda found: read(folder / SETUP / f"{found.group(1)}.v", folder).strip(), text)


def words_above(name: str, text: str) -> tuple[str, str, str, tuple[str, ...]]:
    """The comment above a theorem: hypotheses, difference from the claim, anchor, labels that it is a step of."""
    found = re.search(rf"\*\)\s+(?:{'|'.join(PROVED)})\s+{name}\b", text)
    comment = text[text.rindex("(**", 0, found.start()) : found.start()] if found else ""
    said = dict(_WORDS.findall(" ".join(comment.split())))
    if "Given" not in said:
        raise InvalidFile(f"the comment above the theorem {name} has no hypotheses: wanted 'Given: ...'")
    steps = said.get("Step of", "")
    return said["Given"], said.get("Differs", ""), said.get("In words", ""), tuple(steps.split(", ") if steps else ())


def unproved(text: str) -> list[str]:
    """Sentences that assume something: axioms, parameters, admitted proofs, loose variables, disabled checks."""
    found, depth = [], 0
    for sentence in sentences(text):
        word = re.split(r"[\s.]", _ATTRIBUTES.sub("", sentence), maxsplit=1)[0]
        if word == "Section":
            depth += 1
        elif word == "End":
            depth -= 1
        outside = word in _ASSUMED_IN_SECTION and depth == 0
        if word in _UNPROVED or outside or _UNCHECKED.search(sentence):
            found.append(sentence)
    return found


@lru_cache(maxsize=1024)
def imports_of(text: str, *, unqualified: bool = False) -> tuple[str, ...]:
    """The files of this development that a file requires or loads; with ``unqualified``, those it imports."""
    names: list[str] = []
    for sentence in sentences(text):
        names += _LOAD.findall(sentence)
        required = re.match(r"From\s+VerifiedRisk\s+Require\s+(Import\s|Export\s)?\s*([\w\s]+)\.$", sentence)
        if required and (required.group(1) or not unqualified):
            names += required.group(2).split()
    return tuple(f"{name}.v" for name in names)


def names_of(text: str, kinds: tuple[str, ...] = (*PROVED, *DEFINED)) -> set[str]:
    """The names that a file defines or proves; the fields of records are left out."""
    return {
        re.split(r"[\s:({]", sentence.split(None, 1)[1], maxsplit=1)[0]
        for sentence in sentences(text)
        if sentence.split(None, 1)[0] in kinds
    }


def sources_in(folder: Path = FORMAL) -> dict[str, Path]:
    """``{file name: path}`` of every source below the folder; raise ``InvalidFile`` if two have the same name."""
    paths = sorted(folder.rglob("*.v"))
    found = {path.name: path for path in paths}
    if len(found) < len(paths):
        twice = next(path for path in paths if found[path.name] != path)
        raise InvalidFile(f"{twice.relative_to(folder)} has the name of {found[twice.name].relative_to(folder)}")
    return found


def depends_on(file: str, texts: Mapping[str, str]) -> list[str]:
    """The names of the file and of everything it requires or loads, directly or not, sorted; ``texts`` are by name."""
    seen: set[str] = set()
    waiting = [file]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += imports_of(texts[name])
    return sorted(seen)


def digest(path: Path) -> str:
    """SHA-256 of a file without comments and line breaks."""
    return hashlib.sha256(" ".join(without_comments(path.read_text(encoding="utf-8")).split()).encode()).hexdigest()


def listed(text: str) -> dict[str, str]:
    """``{theorem: what Assumptions.v prints for it}``: the theorem itself or its group."""
    groups: dict[str, list[str]] = {}
    found: dict[str, str] = {}
    for sentence in sentences(text):
        group = re.match(r"Definition\s+(\w+)\s*:=\s*\((.*)\)\.$", sentence, re.DOTALL)
        if group:
            groups[group.group(1)] = re.findall(r"@(\w+)", group.group(2))
        printed = re.match(r"Print\s+Assumptions\s+([\w.]+)\.$", sentence)
        if printed:
            name = printed.group(1)
            found.update(dict.fromkeys(groups.get(name, [name]), name))
    return found


# -- the record --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Theorem:
    """A theorem that ``Assumptions.v`` prints; ``changed`` are the files it needs that are not those compiled."""

    name: str
    file: str
    group: str
    given: str
    differs: str
    anchor: str
    step_of: tuple[str, ...]
    axioms: tuple[str, ...]
    needs: tuple[str, ...]
    changed: tuple[str, ...]
    digest: str


def theorems(record: Path = RECORD, folder: Path = FORMAL) -> dict[str, Theorem]:
    """``{name: theorem}`` in the order of ``Assumptions.v``; the axioms come from the record."""
    files = (record, *sources_in(folder).values())
    return _theorems(record, folder, tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in files))


@lru_cache(maxsize=16)
def _theorems(record: Path, folder: Path, _state: tuple[Any, ...]) -> dict[str, Theorem]:
    compiled = json.loads(record.read_text(encoding="utf-8"))
    paths = sources_in(folder)
    digests = {name: digest(path) for name, path in paths.items()}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    proved: dict[str, list[str]] = {}
    for file, text in texts.items():
        for name in names_of(text, PROVED):
            proved.setdefault(name, []).append(file)
    found = {}
    for name, group in listed(texts["Assumptions.v"]).items():
        if len(proved.get(name, [])) != 1:
            raise InvalidFile(f"theorem {name}: proved in {', '.join(proved.get(name, [])) or 'no file'}")
        if group not in compiled["axioms"]:
            raise InvalidFile(f"theorem {name}: compile.sh printed no axioms for {group}")
        (file,) = proved[name]
        needs = depends_on(file, texts)
        found[name] = Theorem(
            name,
            paths[file].relative_to(folder).as_posix(),
            group,
            *words_above(name, texts[file]),
            axioms=tuple(compiled["axioms"][group]),
            needs=tuple(needs),
            changed=tuple(need for need in needs if compiled["digests"].get(need) != digests[need]),
            digest=hashlib.sha256("".join(need + digests[need] for need in needs).encode()).hexdigest(),
        )
    return found


def compile_sources(folder: Path) -> str:
    """The output of compile.sh in a folder; it fails on a missing proof and on an axiom that is not allowed."""
    done = subprocess.run(["sh", "compile.sh"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise MissingDependency(done.stderr.strip() or "Coq is missing")
    if done.returncode:
        raise InvalidFile(f"the proofs do not compile:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def compile_and_build(folder: Path = FORMAL) -> dict[str, Any]:
    """Compile a copy of the sources from scratch and return its record."""
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory)
        for path in [*sources_in(folder).values(), folder / "compile.sh", folder / "_CoqProject"]:
            place = copy / path.relative_to(folder)
            place.parent.mkdir(exist_ok=True)
            shutil.copy(path, place)
        return build(compile_sources(copy), copy)


def build(output: str, folder: Path = FORMAL) -> dict[str, Any]:
    """The record of these sources, given what compile.sh printed for them."""
    parts = re.split(r"^Assumptions of .*:$", output, maxsplit=1, flags=re.MULTILINE)
    if len(parts) == 1:
        raise InvalidFile("the output of compile.sh has no list of assumptions")
    answers = [re.fullmatch(r"([\w.]+):((?: \S+)*)", line) for line in parts[1].splitlines()]
    return {
        "format": FORMAT,
        "version": VERSION,
        "compiler": output.splitlines()[0],
        "axioms": {answer.group(1): answer.group(2).split() for answer in answers if answer},
        "digests": {name: digest(path) for name, path in sources_in(folder).items()},
    }


def stale(record: Path = RECORD, folder: Path = FORMAL) -> list[str]:
    """The files that are not what was compiled, in words; empty if there are none."""
    compiled = json.loads(record.read_text(encoding="utf-8"))["digests"]
    now = {name: digest(path) for name, path in sources_in(folder).items()}
    changed = [name for name in compiled.keys() | now.keys() if compiled.get(name) != now.get(name)]
    return [f"{name} has changed since it was compiled" for name in sorted(changed)]


def axioms_in_words(axioms: Iterable[str]) -> str:
    """``none``, ``classical reals``, or the names of all axioms if there are others."""
    names = set(axioms)
    if not names:
        return "none"
    return "classical reals" if names <= CLASSICAL_REALS else ", ".join(sorted(names))


def machine_checked(formal: Formal, *, record: Path = RECORD, folder: Path = FORMAL) -> tuple[Evidence, ...]:
    """Evidence for a corrected claim: each theorem that proves it, or else all parts of a proof together.

    Stale theorems and theorems with other axioms than those of the classical reals have the lowest rank.
    """
    known = theorems(record, folder)
    alone: list[tuple[str, ...]] = [(name,) for name in formal.proves]
    return tuple(_evidence([known[name] for name in group]) for group in alone or [formal.parts] if group)


def _evidence(group: Sequence[Theorem]) -> Evidence:
    names = ", ".join(f"{theorem.name} ({theorem.file}, {theorem.digest[:12]})" for theorem in group)
    axioms = {axiom for theorem in group for axiom in theorem.axioms}
    differs = "".join(f"; {theorem.differs}" for theorem in group if theorem.differs)
    scope = f"; {MODEL_SCOPE}" if any("Mdp.v" in theorem.needs for theorem in group) else ""
    if any(theorem.file.startswith("checker/") for theorem in group):
        scope = f"; {CHECKER_SCOPE}"
    detail = f"theorem{'s' * (len(group) > 1)} {names}, axioms: {axioms_in_words(axioms)}{differs}{scope}"
    if any(theorem.changed for theorem in group):
        return Evidence(Rank.CITED, f"stale, its source has changed since: {detail}")
    if not axioms <= CLASSICAL_REALS:
        return Evidence(Rank.CITED, f"rests on an axiom beyond the classical reals: {detail}")
    return Evidence(Rank.MACHINE_CHECKED, f"{detail}; recorded, not rechecked here")


def main(arguments: list[str] | None = None) -> int:
    """``--write``: compile and record; ``--check`` (the default): exit status 1 if a source has changed since."""
    parser = argparse.ArgumentParser(prog="proofs_checks.evidence.coq.record", description=__doc__.partition("\n")[0])
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--write", action="store_true", help="compile a copy of the sources and write the record")
    choice.add_argument("--check", action="store_true", help="compare the record with the sources (needs no Coq)")
    if parser.parse_args(arguments).write:
        write_text(RECORD, json.dumps(compile_and_build(), indent=1) + "\n")
    found = stale()
    print("\n".join(found) or f"fresh: {len(theorems())} theorems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
