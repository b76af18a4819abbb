"""Jobs people bring: ``python tests/benchmarks/run.py --rows r``.

Models of gymnasium under weightings that need a search, to a gap of 1 % of the range of returns; the front of mean and
CVaR, constraints, ties, and rates within intervals.  A row whose gap is not met says what stopped the search.
"""

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from rows import row, timed

import verified_risk as vr

sys.path.append(str(Path(__file__).parents[1] / "support"))
from blackjack import CARDS, dealer_ends, first_hands, with_card

WEIGHTINGS = ("wang(3/4)", "cpw(0.71)", "dual(2)", "0.5*wang(3/4) + 0.5*cvar(1/10)")


def blackjack() -> vr.MDP:
    """One hand, with an endless deck."""
    hands: dict[Any, Fraction] = {}
    for p, card, hand in first_hands():
        hands[hand, card] = hands.get((hand, card), Fraction()) + p

    def play(state: Any, act: str) -> list[tuple[Fraction, Any, int]]:
        hand, card = state
        if act == "hit":
            drawn = [(p, with_card(hand, k)) for k, p in CARDS.items()]
            return [(p, "over", -1) if new[0] > 21 else (p, (new, card), 0) for p, new in drawn]
        ends = dealer_ends(with_card((0, 0), card)).items()
        return [(p, "over", (hand[0] > total) - (hand[0] < total)) for total, p in ends]

    return vr.MDP.from_function(hands, lambda s: () if s == "over" else ("hit", "stick"), play, horizon=12)


def models() -> dict[str, vr.MDP]:
    gym = vr.MDP.from_gymnasium
    return {
        "slippery CliffWalking, T = 100": gym("CliffWalking-v1", horizon=100, options={"is_slippery": True}),
        "Taxi, T = 20": gym("Taxi-v4", horizon=20),
        "FrozenLake 8x8, T = 100": gym("FrozenLake-v1", horizon=100, options={"map_name": "8x8"}),
        "Blackjack": blackjack(),
    }


def widened(mdp: vr.MDP, by: float) -> vr.IntervalMDP:
    """The model with every probability below 1 known up to ``by``."""
    n, count = mdp.n_states, max(mdp.n_actions)
    P, R = np.zeros((n, count, n)), np.zeros((n, count, n))
    for s in range(n):
        for a in range(count):
            for p, k, r in mdp.actions(s)[min(a, mdp.n_actions[s] - 1)].outcomes:
                P[s, a, k] += float(p)
                R[s, a, k] = float(r)
    low, high = (np.where(P < 1, np.clip(P + d * (P > 0), 0, 1), P) for d in (-by, by))
    rest = {"initial": dict(mdp.initial), "horizon": mdp.horizon, "layout": "sas"}
    return vr.MDP.from_arrays((low, high), R, **rest)


def job_rows(quick: bool) -> None:
    seconds = 5.0 if quick else 60.0
    found = models()
    for spec in WEIGHTINGS:
        vr.plan(found["Blackjack"], spec, time_limit=1)  # compiles
    for name, mdp in found.items():
        low, high = mdp.remaining_range(0)
        gap = (high - low) / 100
        for spec in WEIGHTINGS:
            plan, spent = timed(lambda mdp=mdp, spec=spec, gap=gap: vr.plan(mdp, spec, gap=gap, time_limit=seconds))
            share, met = float(plan.gap / gap), plan.gap <= gap
            row(f"(r) {name}, {spec}", s=spent, lower=float(plan.lower), upper=float(plan.upper),
                percent=share, reason="" if met else plan.certificate.method)  # fmt: skip
    lake, taxi = vr.models.frozen_lake(), found["Taxi, T = 20"]
    uncertain = widened(found["FrozenLake 8x8, T = 100"], 0.05)
    calls = {
        "mean_cvar_front of the small lake, 1/4": lambda: vr.mean_cvar_front(lake, "1/4"),
        "mean_cvar_front of Taxi, 1/10": lambda: vr.mean_cvar_front(taxi, "1/10"),
        "the small lake, cvar(1/4) >= 1/2": lambda: vr.plan(lake, "mean", subject_to=["cvar(1/4) >= 1/2"]),
        "Taxi, cvar(1/10) >= 3": lambda: vr.plan(taxi, "mean", subject_to=["cvar(1/10) >= 3"]),
        "Taxi, cvar(1/10), ties left": lambda: vr.plan(taxi, "cvar(1/10)", then=None),
        "Taxi, cvar(1/10), ties by the mean": lambda: vr.plan(taxi, "cvar(1/10)"),
        "FrozenLake 8x8, cvar(1/2), worst rates": lambda: vr.plan(uncertain, "cvar(1/2)", against="worst"),
    }
    for name, call in calls.items():
        call()  # kernels are compiled
        answer, spent = timed(call)
        row(f"(r) {name}", s=spent, gap=float(getattr(answer, "gap", 0)))
