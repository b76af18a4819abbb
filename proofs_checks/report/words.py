"""The vocabulary of reports: findings, ranks, sections, anchors, numbers."""

import re
from collections.abc import Iterable
from fractions import Fraction
from html import escape

from ..engine.ledger import Row
from ..engine.severity import Severity

OWN = "own"
KINDS = {**{str(s): s.meaning for s in Severity}, OWN: "not in the paper: part of what replaces it"}
"""The kinds that colour a statement: the finding about the paper's claim, or ``own``."""

GLYPHS = {"holds": "✓", "slip": "•", "repair": "✎", "substance": "✗", "gap": "?", OWN: "+"}
TINTS = dict(zip(KINDS, ("#e4f2ea", "#f1f1dc", "#fbf0d9", "#fae5e2", "#ece7f7", "#e3edf8"), strict=True))
TONES = dict(zip(KINDS, ("#1d6b43", "#66650f", "#8a5a00", "#a3271b", "#5b3f9b", "#1f5591"), strict=True))
"""Colours of the separate picture; the page's style sheet has the same, and others for dark mode."""

STANDING = {
    "printed": "as printed",
    "implied": "as implied: the paper uses or suggests it",
    "inherited": "as printed, with the fault of a claim it repeats",
    "tempting": "a tempting reading, not in the paper",
}

RANKS = {
    "machine-checked": "a proof checked by a proof assistant, within the scope printed with it",
    "symbolic": "proved for all real numbers by polynomial identities, at the stated size",
    "exhaustive": "every case up to a stated size",
    "random": "random cases only: support, not a proof",
    "cited": "a theorem from the literature, not proved here",
}
"""Strongest first."""

SECTIONS = {
    "1": "Introduction",
    "2": "Problem formulation",
    "3": "Optimal risk-sensitive policies",
    "4": "Upper confidence bound algorithm",
    "5": "Proof of the main theorem",
    "6": "Experiments",
    "A": "Proof of the augmentation theorem",
    "B": "Proof of the discretisation theorem",
    "C": "Proofs of the lemmas on learning",
    "D": "The optimal policy for CVaR",
    "corrected": "The corrected theory",
    "this": "This library against its own claims",
    "remarks": "Appendix: remarks on the experiment",
}


def kind_of(row: Row) -> str:
    """The finding about a claim of the paper; ``own`` for statements that are not in it."""
    return str(row.finding) if row.in_paper or row.elsewhere else OWN


def said_of(row: Row) -> str:
    """The finding as shown in tables, with how the paper makes the claim if it is not printed."""
    if row.elsewhere:
        return f"{row.finding} ({row.paper.authors})" if row.paper else f"{row.finding} (own claim)"
    if not row.in_paper:
        return "not in the paper" + (", false" if row.printed is not None else "")
    return str(row.finding) + (f" ({row.said})" if row.said != "printed" else "")


def section_key(section: str) -> str:
    """``"5 Proof of the main theorem"`` and ``"5"`` are the same section."""
    first = section.split(maxsplit=1)[0] if section.strip() else ""
    return first if first in SECTIONS else section


def section_title(key: str) -> str:
    """The heading of a section."""
    if key not in SECTIONS:
        return key or "Other statements"
    name = SECTIONS[key]
    if key.isdigit():
        return f"Section {key}. {name}"
    return f"Appendix {key}. {name}" if len(key) == 1 else name


GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "eta": "η", "rho": "ρ", "sigma": "σ", "tau": "τ"}


def prose(text: str) -> str:
    """A sentence for the page: capitalised, no full stop, with subscripts, Greek letters and relations as characters.

    >>> prose("at most T L_G - eta, and s_inf.")
    'At most T L<sub>G</sub> − η, and s<sub>∞</sub>'
    >>> prose("``points`` values <= 1")
    '<code>points</code> values ≤ 1'
    """
    plain = escape(text[:1].upper() + text[1:]).rstrip(".")
    plain = re.sub("``(.+?)``", r"<code>\1</code>", plain)
    for written, sign in ((" &lt;= ", " ≤ "), (" &gt;= ", " ≥ "), (" - ", " − ")):
        plain = plain.replace(written, sign)
    plain = re.sub(rf"\b({'|'.join(GREEK)})\b", lambda letter: GREEK[letter.group()], plain)
    plain = plain.replace("T η", "T\u00a0η")
    low = re.sub(r"(?<![\w\\])([A-Za-z])_(inf|[A-Za-z0-9])(?!\w)", r"\1<sub>\2</sub>", plain)
    return low.replace("<sub>inf</sub>", "<sub>∞</sub>")


def anchor(label: str) -> str:
    """The anchor of a statement on every page.

    >>> anchor("lem:event/rewards")
    's-lem-event-rewards'
    """
    return "s-" + re.sub(r"[^A-Za-z0-9]+", "-", label).strip("-")


def table_row(cells: Iterable[object]) -> str:
    """A line of a Markdown table."""
    return "| " + " | ".join(str(cell).replace("|", r"\|") for cell in cells) + " |"


def short(slack: str, most: int = 40) -> str:
    """A long fraction as a decimal; the ledger and the certificate have it in full."""
    return slack if len(slack) <= most or slack.startswith("≈") else f"≈ {float(Fraction(slack)):.6g}"


def sentence(words: str) -> str:
    """Capitalise and end with a full stop."""
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "?", "!")) else ".")
