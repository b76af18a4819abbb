"""How long `verified-risk --help` takes beside `python -c pass`: best of twenty each, alternating.

python tests/benchmarks/help_time.py
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 20
HELP = [str(Path(sys.executable).with_name("verified-risk")), "--help"]
NOTHING = [sys.executable, "-c", "pass"]


def seconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def measured(rounds: int = ROUNDS) -> tuple[float, float]:
    """The best times of the help and of nothing."""
    pairs = [(seconds(HELP), seconds(NOTHING)) for _ in range(rounds)]
    return min(one for one, _ in pairs), min(other for _, other in pairs)


if __name__ == "__main__":
    ours, nothing = measured()
    print(f"verified-risk --help  {ours * 1e3:6.1f} ms")
    print(f"python -c pass        {nothing * 1e3:6.1f} ms")
    print(f"ratio                 {ours / nothing:6.1f}")
