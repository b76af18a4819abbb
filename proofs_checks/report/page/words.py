"""The vocabulary of the page: verdicts, ranks, sections, anchors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any

FINDINGS = {
    "holds": "true as printed",
    "corrected": "an obvious repair makes it true",
    "refuted": "false in substance; another statement replaces it",
    "gap": "not contradicted, but its proof is unsound",
    "own": "not in the paper: part of what replaces it",
}
GLYPHS = {"holds": "✓", "corrected": "✎", "refuted": "✗", "gap": "?", "own": "+"}

RANKS = {
    "machine-checked": "proved for all sizes, checked by a proof assistant",
    "symbolic": "proved for all real numbers at bounded size by a solver",
    "exhaustive": "every case up to a stated size",
    "random": "random cases only: support, never a proof",
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
}


def kind_of(row: Mapping[str, Any]) -> str:
    """The verdict on what the paper prints; statements that the paper does not print are our own."""
    return str(row["finding"]) if row["printed"] is not None else "own"


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
    """A sentence for the page: a capital first letter, no full stop, indices set low, letters and relations as such.

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
    """The id of a statement's card."""
    return "s-" + re.sub(r"[^A-Za-z0-9]+", "-", label).strip("-")
