"""Small models on which a search has to work: ``python tests/benchmarks/hard.py [--count 50] [--seconds 10] [--list]``.

Three or four states, two to four actions, rewards of a few signs on a grid, and weightings that are neither concave nor
convex: mixtures of Wang and CVaR, of CPW and the mean, and polygons with corners up and down.  Every search gets the
same CPU seconds; counted are those whose gap is at most 1e-4 and 1e-6 of the range of returns.
"""

from __future__ import annotations

import os

os.environ.setdefault("VERIFIED_RISK_THREADS", "1")

import argparse
import random
import time
from fractions import Fraction

import verified_risk as vr
from verified_risk.kernels import jit
from verified_risk.planning import clock
from verified_risk.planning.search.driver import compile_search

NEAR, NEARER = Fraction(1, 10**4), Fraction(1, 10**6)
KINDS = ("wang and cvar", "cpw and mean", "polygon")


def weighting(kind: str, rng: random.Random) -> vr.Weighting:
    share = Fraction(rng.randint(1, 9), 10)
    if kind == "wang and cvar":
        bent = vr.Wang(Fraction(rng.choice([-10, -6, -3, 5, 9]), 10))
        return share * bent + (1 - share) * vr.CVaR(Fraction(rng.randint(1, 8), 20))
    if kind == "cpw and mean":
        return share * vr.CPW(Fraction(rng.randint(45, 85), 100)) + (1 - share) * vr.Mean()
    inner = rng.randint(2, 5)
    x = sorted(rng.sample(range(1, 20), inner))
    y = sorted(rng.sample(range(1, 40), inner))
    return vr.PiecewiseLinear(
        [(0, 0), *((Fraction(a, 20), Fraction(b, 40)) for a, b in zip(x, y, strict=True)), (1, 1)]
    )


def model(rng: random.Random) -> vr.MDP:
    states, actions, horizon = rng.randint(3, 4), rng.randint(2, 4), rng.randint(3, 6)
    units = rng.choice([4, 10, 20])

    def law(values: list[int], most: int) -> dict[int, Fraction]:
        chosen = rng.sample(values, rng.randint(1, min(most, len(values))))
        weights = [rng.randint(1, 9) for _ in chosen]
        return {v: Fraction(w, sum(weights)) for v, w in zip(chosen, weights, strict=True)}

    transitions = [[law(list(range(states)), 3) for _ in range(actions)] for _ in range(states)]
    rewards = [
        [{Fraction(r, units): p for r, p in law(list(range(-units, units + 1)), 3).items()} for _ in range(actions)]
        for _ in range(states)
    ]
    return vr.MDP(0, transitions, rewards, horizon)


def cases(count: int) -> list[tuple[int, str, vr.MDP, vr.Weighting]]:
    found = []
    for seed in range(count):
        rng = random.Random(f"hard {seed}")
        kind = KINDS[seed % len(KINDS)]
        found.append((seed, kind, model(rng), weighting(kind, rng)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--list", action="store_true", help="a line for every search, not only for those left open")
    arguments = parser.parse_args()
    jit.EAGER = True  # compiled kernels are what is measured
    compile_search()
    clock.now = time.process_time
    near = nearer = 0
    spent = []
    for seed, kind, mdp, G in cases(arguments.count):
        low, high = mdp.remaining_range(0)
        began = time.process_time()
        plan = vr.plan(mdp, G, gap=NEARER * (high - low), time_limit=arguments.seconds)
        spent.append(time.process_time() - began)
        share = plan.gap / (high - low)
        near, nearer = near + (share <= NEAR), nearer + (share <= NEARER)
        if arguments.list or share > NEARER:
            print(
                f"seed {seed:3} {kind:14} gap {float(share):.1e} of the range  {spent[-1]:5.1f} s  {G}  {mdp}  "
                f"{plan.certificate.method}",
                flush=True,
            )
    print(
        f"{near} of {len(spent)} closed to 1e-4, {nearer} to 1e-6 of the range, "
        f"{arguments.seconds:g} CPU seconds each; {sum(spent):.0f} s in all, the longest {max(spent):.1f} s"
    )


if __name__ == "__main__":
    main()
