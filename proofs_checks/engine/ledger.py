"""The results of an audit, one :class:`Row` per statement, as JSON.

Numbers are text: an exact slack is ``p/q``, an enclosure is marked ``≈``.
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

from .papers import AUDITED, Paper
from .severity import Cause, Severity

FORMAT = "proofs_checks/ledger"
VERSION = 4


@dataclass(frozen=True)
class ClaimText:
    """Formula and words of a claim."""

    formula: str
    words: str


@dataclass(frozen=True)
class Enumerated:
    """An exhaustive search: the size of its cases, how many there are, how many met the hypotheses."""

    size: str
    tried: int
    met: int


@dataclass(frozen=True)
class Sampled:
    """A random search: its seed, how many cases were tried, how many met the hypotheses."""

    seed: int
    tried: int
    met: int


@dataclass(frozen=True)
class Support:
    """The evidence for the true claim; ``recorded`` is the part that the audit does not run (Coq proofs).

    ``power`` has, for each part of the claim with two sides, the greatest factor on its bound that random cases refute
    (:mod:`.power`), ``reasons`` why it is not 0.99; ``hypotheses`` says whether they notice that the
    hypotheses are dropped.
    """

    verdict: str
    rank: str | None
    evidence: tuple[str, ...]
    recorded: tuple[str, ...]
    exhaustive: Enumerated
    random: Sampled
    worst_slack: str | None
    worst_case: dict[str, Any] | None
    power: dict[str, str]
    reasons: dict[str, str]
    hypotheses: str

    @property
    def least_power(self) -> str | None:
        """The least factor over the parts; None if no part has two sides."""
        return min(self.power.values(), key=lambda factor: (factor != "none", factor), default=None)


@dataclass(frozen=True)
class FoundAgain:
    """A counterexample found by the generator: after how many cases, with which seed and slack."""

    cases: int
    seed: int
    slack: str


@dataclass(frozen=True)
class Refutation:
    """The evidence against the printed claim."""

    certificate: str | None
    slack: str | None
    rechecked: bool | None
    found: FoundAgain | None


@dataclass(frozen=True)
class Row:
    """The results for one statement."""

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
    paper: Paper | None

    @property
    def rank(self) -> str | None:
        """The rank of the strongest evidence for the true claim."""
        return None if self.support is None else self.support.rank

    @property
    def is_false(self) -> bool:
        """True if the audited paper states or implies the claim, and it is false."""
        return self.in_paper and self.finding.is_false

    @property
    def in_paper(self) -> bool:
        """True if the audited paper states or implies the claim."""
        return self.printed is not None and self.said != "tempting" and self.paper == AUDITED

    @property
    def elsewhere(self) -> bool:
        """True if the statement is about another paper than the audited one, or about none."""
        return self.paper != AUDITED


@dataclass(frozen=True)
class Ledger:
    """The results of one audit."""

    examples: int
    seed: int
    statements: tuple[Row, ...]
    failures: tuple[str, ...]
    format: str = FORMAT
    version: int = VERSION

    def to_json(self) -> str:
        """The content of the ledger's file."""
        return json.dumps(_written(self), indent=1, ensure_ascii=False) + "\n"

    @staticmethod
    def from_json(text: str) -> Ledger:
        """Read a ledger; ``InvalidFile`` names missing keys, unknown keys and values of the wrong type.

        >>> Ledger.from_json(Ledger(5, 0, (), ()).to_json())
        Ledger(examples=5, seed=0, statements=(), failures=(), format='proofs_checks/ledger', version=4)
        """
        ledger: Ledger = _read(Ledger, files.parse_json(text, "the ledger"), "ledger")
        if (ledger.format, ledger.version) != (FORMAT, VERSION):
            raise InvalidFile(
                f"a ledger of format {ledger.format!r}, version {ledger.version}; wanted {FORMAT!r}, version {VERSION}"
            )
        return ledger

    @staticmethod
    def load(path: Path) -> Ledger:
        """Read the ledger in a file."""
        return Ledger.from_json(files.read_text(path))


def _stored(kind: Any) -> set[str]:
    """The names of the fields that a ledger has: those that count when two of its records are compared."""
    return {field.name for field in dataclasses.fields(kind) if field.compare}


def _written(value: Any) -> Any:
    """The records of a ledger as plain JSON."""
    if dataclasses.is_dataclass(value):
        return {name: _written(entry) for name, entry in vars(value).items() if name in _stored(value)}
    return [_written(entry) for entry in value] if isinstance(value, tuple) else value


def _read(kind: Any, data: Any, where: str) -> Any:
    """Read ``data`` as the annotated type ``kind``."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return None if data is None else _read(arguments[0], data, where)
    if origin is tuple:
        _require(isinstance(data, list), data, where, "a list")
        return tuple(_read(arguments[0], entry, f"{where}[{i}]") for i, entry in enumerate(data))
    if dataclasses.is_dataclass(kind):
        names = _stored(kind)
        _require(isinstance(data, Mapping) and set(data) == names, data, where, f"the keys {sorted(names)}")
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
