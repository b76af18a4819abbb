"""The claims in the text of the paper, with their statements or the reason why there is none: ``coverage.toml``.

``LABELS`` are the labels of claims in the LaTeX source; each is a label of a statement or a prefix of one, or occurs in
an entry.  Entries cover the claims without a label, by line numbers of the source.  The source is not in this
repository; a test compares the two if it is available.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..engine.severity import Severity


@dataclass(frozen=True)
class Entry:
    """A claim in lines ``first`` to ``last`` of the source, one of which contains ``mark``, in our words.

    ``treated`` are labels of statements; if there are none, ``why`` gives the reason.  ``grade`` is the severity of a
    fault that has no statement.
    """

    first: int
    last: int
    mark: str
    claim: str
    treated: tuple[str, ...] = ()
    why: str = ""
    names: tuple[str, ...] = ()
    grade: Severity | None = None


def _entry(treated: tuple[str, ...] = (), names: tuple[str, ...] = (), grade: str = "", **rest: Any) -> Entry:
    return Entry(treated=tuple(treated), names=tuple(names), grade=Severity(grade) if grade else None, **rest)


_FILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
LABELS: tuple[str, ...] = tuple(_FILE["labels"])
ENTRIES = tuple(_entry(**claim) for claim in _FILE["claims"])
