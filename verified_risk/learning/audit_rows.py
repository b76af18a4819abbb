"""What an audit says: one row per claim, with its least slack over a run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

ROWS = {
    "counts": "counts are those of the episodes played",
    "draws": "each step drew reward, outcome afresh",
    "model": "model is the one for these counts",
    "radius": "sets at least as wide as the theorem's",
    "greedy": "greedy everywhere, level the best",
    "L1": "optimism of the value",
    "L2a": "closeness of the values",
    "L2b": "closeness in terms of the radii",
    "L3": "counting",
    "regret": "regret below the theorem's bound",
    "data": "regret below the bound from the data",
    "interval": "optimum and policy inside the interval",
}


@dataclass
class Row:
    """One claim over a run: tested, refuted, undecided; the least slack and the episode of it (user's units of the
    claim).
    """

    tested: int = 0
    violations: int = 0
    undecided: int = 0
    least: float = math.inf
    at: int = -1

    def note(self, episode: int, low: Fraction | float, high: Fraction | float | None = None) -> None:
        """The slack is known to lie in ``[low, high]``."""
        top = low if high is None else high
        self.tested += 1
        if top < 0:
            self.violations += 1
        elif low < 0:
            self.undecided += 1
        if float(low) < self.least:
            self.least, self.at = float(low), episode


@dataclass
class AuditReport:
    """The rows, and on how many episodes the event held.

    :param episodes: how many were looked at
    :param on_event: in how many the confidence event held
    :param rows: the steps of the proof, each with its least slack
    """

    episodes: int
    on_event: int
    rows: dict[str, Row]

    @property
    def violations(self) -> int:
        return sum(row.violations for row in self.rows.values())

    def __str__(self) -> str:
        header = f"{'claim':<8} {'':<46} {'tested':>7} {'violated':>8} {'undecided':>9} {'least slack':>12}  at"
        off = self.episodes - self.on_event
        lines = [
            f"audit of {self.episodes} episodes; the event held on {self.on_event}"
            + (f", failed on {off}: L1, L2, data and interval claim nothing there" if off else ""),
            header,
            "-" * len(header),
        ]
        for name, row in self.rows.items():
            slack = f"{row.least:>12.4g}  {row.at}" if row.tested else f"{'-':>12}"
            lines.append(f"{name:<8} {ROWS[name]:<46} {row.tested:>7} {row.violations:>8} {row.undecided:>9} {slack}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """As JSON, rationals as ``"p/q"``.

        :returns: plain lists, dicts, numbers and text
        """
        rows = {
            name: [row.tested, row.violations, row.undecided, row.least if row.tested else None, row.at]
            for name, row in self.rows.items()
        }
        return {"episodes": self.episodes, "on_event": self.on_event, "rows": rows}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> AuditReport:
        """The inverse of :meth:`to_json`.

        :param data: what :meth:`to_json` gave; a file may be damaged, and is checked where it is loaded
        :returns: the report
        """
        rows = {
            name: Row(tested, violations, undecided, math.inf if least is None else least, at)
            for name, (tested, violations, undecided, least, at) in data["rows"].items()
        }
        return cls(data["episodes"], data["on_event"], rows)
