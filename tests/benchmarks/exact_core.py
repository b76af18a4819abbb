"""Exact planning: integers over one denominator against ``Fraction`` on the same recursion, in one run.

``python tests/benchmarks/exact_core.py`` prints both times and their ratio for growing random models.
"""

from __future__ import annotations

import random
import time
from fractions import Fraction

import verified_risk as vr
from verified_risk.grid import grid_model

ALPHA = Fraction(1, 4)
SIZES = [(5, 2, 4), (10, 3, 6), (20, 3, 8)]


def random_mdp(states: int, actions: int, horizon: int, seed: int) -> vr.MDP:
    """Three successors, three rewards in quarters, denominators up to 12: what users write."""
    rng = random.Random(seed)

    def law(k: int) -> list[Fraction]:
        weights = [rng.randint(1, 4) for _ in range(k)]
        return [Fraction(w, sum(weights)) for w in weights]

    def successors() -> dict[int, Fraction]:
        return dict(zip(rng.sample(range(states), 3), law(3), strict=True))

    def reward() -> dict[Fraction, Fraction]:
        return dict(zip((Fraction(i, 4) for i in rng.sample(range(5), 3)), law(3), strict=True))

    return vr.MDP(
        initial=0,
        transitions=[[successors() for _ in range(actions)] for _ in range(states)],
        rewards=[[reward() for _ in range(actions)] for _ in range(states)],
        horizon=horizon,
    )


def cvar_by_fractions(mdp: vr.MDP, alpha: Fraction) -> Fraction:
    """The budget recursion in ``Fraction`` arithmetic, over the same budgets and with the same shortcuts."""
    grid = grid_model(mdp)
    outcomes = [[action.outcomes for action in mdp.actions(s)] for s in range(mdp.n_states)]
    mean = [[Fraction()] * mdp.n_states]
    for _ in range(mdp.horizon):
        mean.append([max(sum(p * (r + mean[-1][s]) for p, s, r in a) for a in actions) for actions in outcomes])
    high = max(r for actions in outcomes for a in actions for _, _, r in a)
    memo: dict[tuple[int, int, Fraction], Fraction] = {}

    def shortfall(left: int, s: int, b: Fraction) -> Fraction:
        if b <= 0:
            return Fraction()
        if b >= left * high:
            return b - mean[left][s]
        key = (left, s, b)
        if key not in memo:
            memo[key] = min(sum(p * shortfall(left - 1, s2, b - r) for p, s2, r in a) for a in outcomes[s])
        return memo[key]

    returns = sorted({z * grid.unit for sums in grid.reachable()[-1].values() for z in sums})
    return max(rho - sum(p * shortfall(mdp.horizon, s, rho) for s, p in mdp.initial) / alpha for rho in returns)


def main() -> None:
    print("exact CVaR planning, integers over one denominator against Fraction (whole call, law and policy included)")
    print(f"{'S,A,T':>12} {'integers':>12} {'Fraction':>12} {'ratio':>8}")
    for size in SIZES:
        mdp = random_mdp(*size, seed=1)
        start = time.perf_counter()
        plan = vr.exact_plan(mdp, vr.CVaR(ALPHA))
        middle = time.perf_counter()
        value = cvar_by_fractions(mdp, ALPHA)
        end = time.perf_counter()
        assert value == plan.value
        ints, fractions = middle - start, end - middle
        print(f"{','.join(map(str, size)):>12} {ints:>10.3f} s {fractions:>10.3f} s {fractions / ints:>7.1f}x")


if __name__ == "__main__":
    main()
