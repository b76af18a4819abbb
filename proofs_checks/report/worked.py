"""Worked counterexamples, the steps in ``theory/*/worked.md``, and the authors' replies in ``theory/replies.md``."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

REPLIES = Path(__file__).parents[1] / "theory" / "replies.md"
TEXTS = tuple(sorted(Path(__file__).parents[1].glob("theory/*/worked.md")))
LINK = re.compile(r"\[([^\]]+)\]\((?:\.\./)+([^)]+)\)")


def _by_label(*texts: Path) -> dict[str, str]:
    """What stands under each heading ``## label``."""
    parts = [part for text in texts for part in re.split(r"^## (\S+)$", text.read_text("utf-8"), flags=re.M)[1:]]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@cache
def replies() -> dict[str, str]:
    """``{label: reply}``."""
    return {label: " ".join(body.split()) for label, body in _by_label(REPLIES).items()}


@cache
def worked() -> dict[str, tuple[str, ...]]:
    """``{label: steps}`` that compute both sides of the printed claim; links become the names of their files.

    >>> worked()["intro:key"][0]
    'The return is surely 1, so Φ = 1.'
    """
    return {
        label: tuple(
            LINK.sub(r"\1 (\2)", " ".join(step.split())) for step in re.split(r"^\d+\. ", body, flags=re.MULTILINE)[1:]
        )
        for label, body in _by_label(*TEXTS).items()
    }
