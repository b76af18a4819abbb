"""Read Coq sources: what a file proves, assumes and requires.

This is not a parser of Coq.  It handles what these sources use: sentences end in a full stop followed by space,
comments nest, sections open and close by name.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from verified_risk.errors import InvalidFile

FORMAL = Path(__file__).parents[2] / "formal"
SETUP = "setup"
"""The subfolder of variables and hypotheses that sections ``Load``."""

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


def is_setup(path: Path) -> bool:
    """Return whether the file is loaded into sections of other files instead of being compiled as a module."""
    return path.parent.name == SETUP


def depends_on(file: str, folder: Path = FORMAL) -> list[str]:
    """The names of the file and of everything it requires or loads, directly or not, sorted."""
    paths = sources_in(folder)
    seen: set[str] = set()
    waiting = [Path(file).name]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += imports_of(paths[name].read_text(encoding="utf-8"))
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
