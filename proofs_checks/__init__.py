"""Every statement of the paper, executable: printed, corrected, refuted, supported.

Public names are imported on first use: strategies need hypothesis, the rest does not.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import recheck, theory
    from .cases import enumeration, strategies
    from .engine import audit, certificate, search
    from .engine.ledger import Ledger
    from .engine.model import Claim, Statement, Verdict, at_most, equality, least
    from .engine.papers import Paper
    from .engine.search import conjecture
    from .engine.severity import Severity
    from .theory import by_label

__all__ = [
    "Claim",
    "Ledger",
    "Paper",
    "Severity",
    "Statement",
    "Verdict",
    "at_most",
    "audit",
    "by_label",
    "certificate",
    "conjecture",
    "enumeration",
    "equality",
    "least",
    "recheck",
    "search",
    "strategies",
    "theory",
]

_MODULES = {
    "audit": "engine.audit",
    "certificate": "engine.certificate",
    "enumeration": "cases.enumeration",
    "recheck": "recheck",
    "search": "engine.search",
    "strategies": "cases.strategies",
    "theory": "theory",
}
_NAMES = {
    "Claim": "engine.model",
    "Ledger": "engine.ledger",
    "Paper": "engine.papers",
    "Severity": "engine.severity",
    "Statement": "engine.model",
    "Verdict": "engine.model",
    "at_most": "engine.model",
    "by_label": "theory",
    "conjecture": "engine.search",
    "equality": "engine.model",
    "least": "engine.model",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its module."""
    if name in _MODULES:
        found: Any = import_module(f".{_MODULES[name]}", __name__)
    elif name in _NAMES:
        found = getattr(import_module(f".{_NAMES[name]}", __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
