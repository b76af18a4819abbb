"""Evidence that does not come from running cases: recorded proofs by proof assistant and by solver, by label.

Both records carry digests of their sources; a stale proof is shown and counts for nothing.
"""

from __future__ import annotations

from ..engine.model import Evidence
from .coq import record as formal_record
from .solver import record as symbolic_record


def recorded(label: str) -> tuple[Evidence, ...]:
    """Machine-checked and symbolic evidence for the corrected claim of a statement."""
    formal = formal_record.machine_checked(label) if formal_record.RECORD.exists() else ()
    symbolic = symbolic_record.symbolic_evidence(label) if symbolic_record.RECORD.exists() else ()
    return (*formal, *symbolic)
