"""The papers that statements are about."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A paper: its title, its authors, which version of it was read, and the SHA-256 of the file that was read."""

    title: str
    authors: str
    version: str = ""
    sha256: str = ""

    def __str__(self) -> str:
        return f"{self.authors}: {self.title}. {self.version}".strip()


AUDITED = Paper(
    "Regret Bounds for Risk-Sensitive Reinforcement Learning",
    "Bastani, Ma, Shen and Xu",
    "NeurIPS 2022; LaTeX source of the preprint arXiv:2210.05650, 1209 lines",
    "7bd9328a29ab55ae9cd2d21782253fa107d1ada33f00f248808129feb49783c3",
)
"""The audited paper, whose claims the summaries count."""
