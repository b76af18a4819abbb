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

__all__ = ["Claim", "Ledger", "Paper", "Severity", "Statement", "Verdict"]
__all__ += ["at_most", "audit", "by_label", "certificate"]
__all__ += ["conjecture", "enumeration", "equality", "least", "recheck", "search", "strategies", "theory"]

_HOMES = {
    "cases.enumeration": ("enumeration",),
    "cases.strategies": ("strategies",),
    "engine.audit": ("audit",),
    "engine.certificate": ("certificate",),
    "engine.ledger": ("Ledger",),
    "engine.model": ("Claim", "Statement", "Verdict", "at_most", "equality", "least"),
    "engine.papers": ("Paper",),
    "engine.search": ("conjecture", "search"),
    "engine.severity": ("Severity",),
    "recheck": ("recheck",),
    "theory": ("by_label", "theory"),
}
"""The public names of each module; its own name stands for the module."""


def __getattr__(name: str) -> Any:
    """Import a public name from its module."""
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{home}", __name__)
    found = module if home.rpartition(".")[2] == name else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
