"""The readings of the main theorem, from the printed one to those that are proved, for the page and docs/audit.md.

They are in ``readings.toml``; docs/theory/08-regret.md has the same table with the proofs, and a test compares the two.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Reading:
    """The planner, the weightings and the radii; the status of the theorem read so, and the label of its statement."""

    planner: str
    weighting: str
    radii: str
    status: str
    label: str


_FILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
READINGS = tuple(Reading(**reading) for reading in _FILE["readings"])
