"""The learner of this tree against that of an older commit, in one run: ratios of processor times.

``python tests/benchmarks/learner_against.py COMMIT`` unpacks the commit into a temporary folder, lets the two trees
play the same episodes in turn, each in a process of its own, and prints the best rate of each row and the ratio to the
older tree's first row.  Compilation is not counted.
"""

from __future__ import annotations

import sys
from pathlib import Path

from older import HERE, answer_of, unpacked

ROWS = {
    "ucb, the theorem's radii, from the first episode": ("ucb", "1", 0),
    "ucb, radii x 1/1000, after 2000 episodes": ("ucb", "1/1000", 2000),
    "kl, from the first episode": ("kl", "1", 0),
    "kl, after 2000 episodes": ("kl", "1", 2000),
    "kl, sets x 1/1000, after 2000 episodes": ("kl", "1/1000", 2000),
}
OLD_ROWS = tuple(name for name in ROWS if name.startswith("ucb"))
MEASURE = """
import json, sys
from fractions import Fraction
sys.path.insert(0, "tests/benchmarks")
import learner, verified_risk as vr
found = {}
for name, (algorithm, scale, warm) in json.loads(sys.argv[1]).items():
    def rate(episodes):
        start = learner.learner_of(learner.model(), vr.CVaR("1/4"), algorithm, Fraction(scale))
        return learner.rate(start, episodes=episodes, warm=warm)
    rate(5)
    found[name] = rate(int(sys.argv[2]))
print(json.dumps(found))
"""


def measured(tree: Path, names: tuple[str, ...], episodes: int) -> dict[str, float]:
    """Episodes per second of each row, in a fresh process."""
    rates: dict[str, float] = answer_of(tree, MEASURE, {name: ROWS[name] for name in names}, episodes)
    return rates


def main() -> None:
    commit, rounds, episodes = sys.argv[1], 3, 3000
    best: dict[tuple[str, str], float] = {}
    with unpacked(commit) as folder:
        for _ in range(rounds):
            for tree, path, names in (("old", folder, OLD_ROWS), ("new", HERE, tuple(ROWS))):
                for name, value in measured(path, names, episodes).items():
                    best[tree, name] = max(value, best.get((tree, name), 0.0))
    base = best["old", OLD_ROWS[0]]
    print(
        f"{'best of ' + str(rounds) + ' rounds in turn, ' + str(episodes) + ' episodes':<58} {'per second':>11} ratio"
    )
    for (tree, name), value in sorted(best.items(), key=lambda row: (list(ROWS).index(row[0][1]), row[0][0] != "old")):
        print(f"{(commit if tree == 'old' else 'here') + ': ' + name:<58} {value:>11.4g} {value / base:>5.2f}")


if __name__ == "__main__":
    main()
