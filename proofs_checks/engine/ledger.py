"""The ledger: what an audit found, as records that are written to JSON and read back the same.

One :class:`Row` a statement.  Numbers are text: an exact slack is ``p/q``, an enclosure is marked ``≈``.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verified_risk import files
from verified_risk.errors import InvalidFile

from .papers import AUDITED
from .severity import Cause, Severity

FORMAT = "proofs_checks/ledger"
VERSION = 2


@dataclass(frozen=True)
class ClaimText:
    """A claim as people read it."""

    formula: str
    words: str


@dataclass(frozen=True)
class Enumerated:
    """The cases of an enumeration: all of the stated size, and how many met the hypotheses."""

    size: str
    tried: int
    met: int


@dataclass(frozen=True)
class Sampled:
    """Random cases."""

    seed: int
    tried: int
    met: int


@dataclass(frozen=True)
class Support:
    """What speaks for the claim that should be true; ``recorded`` are the pieces that were not run here."""

    verdict: str
    rank: str | None
    evidence: tuple[str, ...]
    recorded: tuple[str, ...]
    exhaustive: Enumerated
    random: Sampled
    worst_slack: str | None
    worst_case: dict[str, Any] | None


@dataclass(frozen=True)
class FoundAgain:
    """A counterexample that the generator found by itself."""

    cases: int
    seed: int
    slack: str


@dataclass(frozen=True)
class Refutation:
    """What speaks against the printed claim."""

    certificate: str | None
    slack: str | None
    rechecked: bool | None
    found: FoundAgain | None


@dataclass(frozen=True)
class Row:
    """Everything that the audit says of one statement."""

    label: str
    title: str
    section: str
    said: str
    finding: Severity
    cause: Cause | None
    uses: tuple[str, ...]
    theory: str
    notes: str
    source: str
    source_sha256: str
    printed: ClaimText | None
    corrected: ClaimText | None
    support: Support | None
    refutation: Refutation | None
    failures: tuple[str, ...]
    paper: str = AUDITED

    @property
    def rank(self) -> str | None:
        """The strongest evidence for what is true."""
        return None if self.support is None else self.support.rank

    @property
    def is_false(self) -> bool:
        """Whether the paper says or implies it and it is false as it stands there."""
        return self.in_paper and self.finding.is_false

    @property
    def in_paper(self) -> bool:
        """Whether the audited paper says or implies it."""
        return self.printed is not None and self.said != "tempting" and self.paper == AUDITED

    @property
    def elsewhere(self) -> bool:
        """Whether it is about another paper than the audited one."""
        return self.paper != AUDITED


@dataclass(frozen=True)
class Ledger:
    """One audit."""

    examples: int
    seed: int
    statements: tuple[Row, ...]
    failures: tuple[str, ...]
    format: str = FORMAT
    version: int = VERSION

    def to_json(self) -> str:
        """The ledger's file."""
        return json.dumps(dataclasses.asdict(self), indent=1, ensure_ascii=False) + "\n"

    @staticmethod
    def from_json(text: str) -> Ledger:
        """Read a ledger; what is missing, surplus or of another kind is named.

        >>> Ledger.from_json(Ledger(5, 0, (), ()).to_json())
        Ledger(examples=5, seed=0, statements=(), failures=(), format='proofs_checks/ledger', version=2)
        """
        ledger: Ledger = _read(Ledger, files.parse_json(text, "the ledger"), "ledger")
        if (ledger.format, ledger.version) != (FORMAT, VERSION):
            raise InvalidFile(
                f"a ledger of format {ledger.format!r}, version {ledger.version}; wanted {FORMAT!r}, version {VERSION}"
            )
        return ledger

    @staticmethod
    def load(path: Path) -> Ledger:
        """The ledger in a file."""
        return Ledger.from_json(files.read_text(path))


def _read(kind: Any, data: Any, where: str) -> Any:
    """``data`` as the annotated type."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return None if data is None else _read(arguments[0], data, where)
    if origin is tuple:
        _require(isinstance(data, list), data, where, "a list")
        return tuple(_read(arguments[0], entry, f"{where}[{i}]") for i, entry in enumerate(data))
    if dataclasses.is_dataclass(kind):
        names = {field.name for field in dataclasses.fields(kind)}
        # a row that was written before there were several papers is about the audited one
        least = names - {"paper"} if kind is Row else names
        _require(isinstance(data, Mapping) and least <= set(data) <= names, data, where, f"the keys {sorted(names)}")
        hints = typing.get_type_hints(kind)
        return kind(**{name: _read(hints[name], data[name], f"{where}.{name}") for name in data})  # type: ignore[operator]
    if origin is dict:
        _require(isinstance(data, dict), data, where, "an object")
        return data
    if kind is Severity:
        _require(data in list(Severity), data, where, f"one of {', '.join(Severity)}")
        return Severity(data)
    _require(type(data) is kind, data, where, f"a {kind.__name__}")
    return data


def _require(condition: bool, data: Any, where: str, wanted: str) -> None:
    if not condition:
        raise InvalidFile(f"{where} is {str(data)[:60]!r}, wanted {wanted}")
