"""Measure other tools on models of ours: ``python docs/compare.py``; those that are not installed are left out.

They are quantecon, pymdptoolbox and Storm (stormpy).  For the mean, each one's own algorithm.  For CVaR, which none
offers, the construction one would write by hand: a state for every return so far, and one backward induction for each
threshold.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import verified_risk as vr
from verified_risk.models import machine_replacement

ALPHA = "1/4"


def timed(solve: Callable[[], float]) -> tuple[float, float]:
    """Value and seconds; a first call warms caches and compilers."""
    solve()
    begin = time.perf_counter()
    value = solve()
    return value, time.perf_counter() - begin


def with_quantecon(mdp: vr.MDP) -> tuple[float, float]:
    from quantecon.markov import DiscreteDP
    from quantecon.markov.ddp import backward_induction

    pairs = [(s, a) for s, a, _ in mdp]
    Q = np.zeros((len(pairs), mdp.n_states))
    R = np.zeros(len(pairs))
    for k, (s, a) in enumerate(pairs):
        for p, target, r in mdp.actions(s)[a].outcomes:
            Q[k, target] += float(p)
            R[k] += float(p * r)
    model = DiscreteDP(R, Q, 1.0, [s for s, _ in pairs], [a for _, a in pairs])
    start = np.array([float(dict(mdp.initial).get(s, 0)) for s in range(mdp.n_states)])
    return timed(lambda: float(start @ backward_induction(model, mdp.horizon)[0][0]))


def with_pymdptoolbox(mdp: vr.MDP) -> tuple[float, float]:
    from mdptoolbox.mdp import FiniteHorizon

    count = max(mdp.n_actions)
    P = np.zeros((count, mdp.n_states, mdp.n_states))
    R = np.zeros((mdp.n_states, count))
    for s in range(mdp.n_states):
        for a in range(count):
            for p, target, r in mdp.actions(s)[min(a, mdp.n_actions[s] - 1)].outcomes:
                P[a, s, target] += float(p)
                R[s, a] += float(p * r)
    start = np.array([float(dict(mdp.initial).get(s, 0)) for s in range(mdp.n_states)])

    def solve() -> float:
        with contextlib.redirect_stdout(io.StringIO()):  # it warns that a discount of 1 may not converge
            solver = FiniteHorizon(P, R, 1.0, mdp.horizon)
            solver.run()
        return float(start @ solver.V[:, 0])

    return timed(solve)


def with_storm(mdp: vr.MDP) -> tuple[float, float]:
    """Storm's exact engine on the model with the steps in its states."""
    import stormpy

    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "model.drn"
        mdp.to_drn(path)
        model = stormpy.build_model_from_drn[stormpy.Rational](str(path))
    (formula,) = stormpy.parse_properties('R{"return"}max=? [F "end"]')
    (start,) = model.initial_states
    return timed(lambda: float(Fraction(str(stormpy.model_checking(model, formula).get_value(start)))))


def cvar_with_quantecon(mdp: vr.MDP) -> tuple[float, float]:
    """One state for every (s, y), one backward induction for every threshold rho; integer rewards."""
    import scipy.sparse as sp
    from quantecon.markov import DiscreteDP
    from quantecon.markov.ddp import backward_induction

    low, high = (int(x) * mdp.horizon for x in mdp.reward_range)
    low, high = min(low, 0), max(high, 0)
    width = high - low + 1
    pairs = [(s, a) for s, a, _ in mdp]
    rows, columns, values, owners, actions = [], [], [], [], []
    row = 0
    for s, a in pairs:
        outcomes = [(float(p), target, int(r)) for p, target, r in mdp.actions(s)[a].outcomes]
        for y in range(width):
            for p, target, r in outcomes:
                rows.append(row)
                columns.append(target * width + min(max(y + r, 0), width - 1))
                values.append(p)
            owners.append(s * width + y)
            actions.append(a)
            row += 1
    order = np.lexsort((actions, owners))
    Q = sp.csr_matrix((values, (rows, columns)), shape=(row, mdp.n_states * width))[order]
    model: Any = DiscreteDP(np.zeros(row), Q, 1.0, np.array(owners)[order], np.array(actions)[order])
    returns = np.arange(low, high + 1)
    alpha = float(vr.CVaR(ALPHA).alpha)
    start = np.zeros(mdp.n_states * width)
    for s, p in mdp.initial:
        start[s * width - low] = float(p)

    def solve() -> float:
        best = -np.inf
        for rho in returns:
            shortfall = np.tile(-np.maximum(rho - returns, 0) / alpha, mdp.n_states)
            best = max(best, rho + float(start @ backward_induction(model, mdp.horizon, shortfall)[0][0]))
        return best

    return timed(solve)


def line(name: str, run: Callable[[], tuple[float, float]], truth: float) -> None:
    try:
        value, seconds = run()
    except ImportError as error:
        print(f"  {name:34} not installed ({error.name})")
        return
    print(f"  {name:34} {seconds:10.5f} s   error {abs(value - truth):.1e}")


def main() -> None:
    warnings.simplefilter("ignore")
    for conditions, horizon in ((5, 8), (20, 20)):
        mdp = machine_replacement(conditions=conditions, horizon=horizon)
        exact_mean = vr.exact_plan(mdp, vr.Mean()).value
        print(f"machine replacement, {conditions} conditions, {horizon} steps")
        print(f" mean = {float(exact_mean):.12g}")
        line("quantecon, backward induction", lambda mdp=mdp: with_quantecon(mdp), float(exact_mean))
        line("pymdptoolbox, FiniteHorizon", lambda mdp=mdp: with_pymdptoolbox(mdp), float(exact_mean))
        line("Storm, exact rationals", lambda mdp=mdp: with_storm(mdp), float(exact_mean))
        line(
            "verified_risk.plan", lambda mdp=mdp: timed(lambda: float(vr.plan(mdp, vr.Mean()).value)), float(exact_mean)
        )
        line(
            "verified_risk.exact_plan",
            lambda mdp=mdp: timed(lambda: float(vr.exact_plan(mdp, vr.Mean()).value)),
            float(exact_mean),
        )
        plan = vr.plan(mdp, vr.CVaR(ALPHA))
        print(f" CVaR at {ALPHA}: certified {float(plan.lower):.12g} <= best <= {float(plan.upper):.12g}")
        line("quantecon, product built by hand", lambda mdp=mdp: cvar_with_quantecon(mdp), float(plan.value))
        line(
            "verified_risk.plan",
            lambda mdp=mdp: timed(lambda: float(vr.plan(mdp, vr.CVaR(ALPHA)).value)),
            float(plan.value),
        )


if __name__ == "__main__":
    main()
