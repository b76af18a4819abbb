"""docs/theory/formal.md: every Coq theorem that a statement names, generated from statements, sources and record."""

from pathlib import Path

from ..evidence.coq.record import Theorem, theorems
from ..theory import ALL, by_label
from .words import table_row

FILE = "docs/theory/formal.md"
SOURCES = "../../proofs_checks/formal"
ROLES = {"proves": "proves", "parts": "part", "refutes": "refutes"}
"""``{field of Formal: its name on the page}``; a step names its statements itself."""
SECTIONS = {
    "The setting": ("foundations", "setting"),
    "Augmentation": ("augmentation",),
    "Discretisation": ("discretisation",),
    "The event": ("event",),
    "Optimism": ("optimism",),
    "Closeness": ("closeness",),
    "Regret": ("regret",),
    "The learner with KL sets": ("learner",),
    "CVaR planning and certificates": ("cvar", "checker"),
    "The experiment": ("experiment",),
}
"""``{heading: folders of proofs_checks/formal}``."""
PREFACE = Path(__file__).with_name("formal_preface.md")
"""The beginning of the page; its links are relative to docs/theory."""


def page() -> str:
    """The page, from the statements and the Coq sources as they are now."""
    known = theorems()
    lines = PREFACE.read_text("utf-8").splitlines()
    for heading, folders in SECTIONS.items():
        heads = ("statement", "theorem", "hypotheses", "difference from the claim", "in words")
        lines += ["", f"## {heading}", "", table_row(heads), "|---" * len(heads) + "|"]
        lines += [_theorem(one) for one in known.values() if one.file.partition("/")[0] in folders]
    lines += ["", "(formal-not-here)=", "## What is not machine-checked, and why", ""]
    lines += ["| statement | why |", "|---|---|"]
    lines += [table_row((f"`{one.label}`", one.formal.missing)) for one in ALL if one.formal.missing]
    return "\n".join(lines) + "\n"


def _theorem(theorem: Theorem) -> str:
    named = [(ROLES[role], one) for role in ROLES for one in ALL if theorem.name in getattr(one.formal, role)]
    named += [("step", by_label(label)) for label in theorem.step_of]
    labels = {role: ", ".join(f"`{one.label}`" for other, one in named if other == role) for role, _ in named}
    roles = [f"{role} {text}" for role, text in labels.items()]
    differs = [theorem.differs, *(one.formal.counterexample for role, one in named if role == "refutes")]
    anchor = theorem.anchor or next((one.theory for _, one in named), "")
    link = f"[{theorem.name}]({SOURCES}/{theorem.file})"
    title = anchor.rpartition("#")[2].removesuffix(".md").replace("-", " ")  # `key identity` of `#key-identity`
    words = f"[{title}]({anchor})"
    return table_row(("; ".join(roles), link, theorem.given, "; ".join(filter(None, dict.fromkeys(differs))), words))
