"""The papers that statements are about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A paper: its title, its authors, and which version of it was read."""

    title: str
    authors: str
    version: str = ""

    def __str__(self) -> str:
        return f"{self.authors}: {self.title}. {self.version}".strip()


AUDITED = Paper(
    "Regret Bounds for Risk-Sensitive Reinforcement Learning",
    "Bastani, Ma, Shen and Xu",
    "NeurIPS 2022, arXiv:2210.05650",
)
"""The audited paper, whose claims the summaries count."""
