"""The papers that statements are about: the audited one, and a second one with a competing learner."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A paper; statements and rows of the ledger refer to it by ``key``."""

    key: str
    authors: str
    title: str
    where: str

    def __str__(self) -> str:
        return f"{self.authors}: {self.title}. {self.where}"


BASTANI = Paper(
    "bastani2022",
    "Bastani, Ma, Shen and Xu",
    "Regret Bounds for Risk-Sensitive Reinforcement Learning",
    "NeurIPS 2022, arXiv:2210.05650",
)
WANG = Paper(
    "wang2023",
    "Wang, Kallus and Sun",
    "Near-Minimax-Optimal Risk-Sensitive Reinforcement Learning with CVaR",
    "ICML 2023, arXiv:2302.03201",
)
PAPERS = {paper.key: paper for paper in (BASTANI, WANG)}
AUDITED = BASTANI.key
"""The key of the audited paper, whose claims the summaries count."""
