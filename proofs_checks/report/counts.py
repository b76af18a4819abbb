"""Numbers of the summary, counted once for README, docs/audit.md and the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..engine.ledger import Row
from ..engine.severity import Severity
from .words import RANKS


def by_standing(rows: Sequence[Row]) -> dict[str, Counter[Severity]]:
    """How many claims of each severity the paper prints, how many it implies, how many are only tempting."""
    return {
        said: Counter(row.finding for row in rows if row.printed is not None and row.said == said)
        for said in ("printed", "implied", "tempting")
    }


def by_rank(rows: Sequence[Row]) -> dict[str, int]:
    """How many statements have which strongest evidence for what is true, strongest first."""
    counts = Counter(row.rank for row in rows)
    return {rank: counts[rank] for rank in RANKS if counts[rank]}
