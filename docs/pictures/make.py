"""Draw every picture of the documentation: ``python docs/pictures/make.py [--record] [FOLDER]``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import verified_risk as vr
from verified_risk import plotting
from verified_risk.models import frozen_lake, gridworld, machine_replacement, random_sparse

TRACE = Path(__file__).with_name("bounds_trace.json")

FIELD = """
#####A##
S~~~~.~O
######~#
######B#
"""


def law() -> plotting.Picture:
    return vr.exact_plan(machine_replacement(), vr.objective("1/2*mean + 1/2*cvar(1/5)")).plot()


def curve() -> plotting.Picture:
    return plotting.draw_curve(
        frozen_lake(), "33/100", title="Four paths over the lake: J is not concave, local search is unsafe"
    )


def policy_map() -> plotting.Picture:
    mdp = gridworld(FIELD, rewards={"A": 6, "B": 11}, horizon=12, slip="1/4", move_reward=-1)
    plan = vr.plan(mdp, vr.CVaR("3/4"), then=None)  # of two best policies, the one that decides
    return plotting.draw_policy_map(
        plan.policy,
        earned=[-3, -4, -5],
        threshold=plan.law.quantile("3/4"),
        title="The same crossing, two decisions: in time take the sure A, late gamble for B",
    )


def lake_map() -> plotting.Picture:
    plan = vr.exact_plan(frozen_lake(), vr.CVaR("33/100"))
    return plotting.draw_policy_map(
        plan.policy, threshold=plan.law.quantile("33/100"), title="CVaR at 33/100 takes the path of return 4"
    )


def compare() -> plotting.Picture:
    """The first picture of the README: what an objective changes."""
    return vr.compare(frozen_lake(), ["mean", "cvar(1/4)"]).plot()


def augmentation() -> plotting.Picture:
    """The minimal counterexample to ``thm:augmented``: a or b at random, then the same again."""
    mdp = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[0, 1]], horizon=2)
    half = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    given = vr.HistoryPolicy(mdp, lambda history: half if len(history) == 1 else history[0][1])
    # Conditioning on J <= y: after y = 0 only a has been played; after y = 1 every history counts, half of them play a.
    printed = vr.ReturnPolicy(mdp, {(0, 0, 0): half, (1, 0, 0): 0, (1, 0, 1): half})
    corrected = vr.behavioural_form(mdp, given)
    return plotting.draw_comparison(
        [
            ("the policy given", vr.return_law(mdp, given)),
            ("as printed: given J ≤ y", vr.return_law(mdp, printed)),
            ("corrected: given J = y", vr.return_law(mdp, corrected)),
        ],
        title="Augmentation must not change the law of the return",
    )


def bounds() -> plotting.Picture:
    """Timings differ from run to run, so the picture is of a recorded run: ``make.py --record`` records another."""
    return plotting.draw_bounds(
        json.loads(TRACE.read_text()),
        title="CPW(0.71), 60 states, 15 steps: bounds while the search runs",
        name="objective",
    )


def record_bounds() -> None:
    trace = plotting.BoundsTrace()
    model = random_sparse(60, horizon=15, seed=2)
    vr.plan(model, vr.CPW("71/100"), time_limit=60, gap="1/1000000", progress=trace)
    rows = [(seconds, float(low), float(high)) for seconds, low, high in trace]
    TRACE.write_text(json.dumps(rows).replace("], [", "],\n [") + "\n")


def regret() -> plotting.Picture:
    mdp = gridworld("S..\n.O.\n~.G", rewards={"G": 1}, horizon=6, slip="1/5")
    runs = [
        ("radii of the theorem", vr.learn(mdp, vr.CVaR("1/2"), episodes=2000, seed=1, algorithm="ucb")),
        (
            "radii times 1/20: no guarantee",
            vr.learn(mdp, vr.CVaR("1/2"), episodes=2000, seed=1, algorithm="ucb", bonus_scale="1/20"),
        ),
        ("no optimism", vr.learn(mdp, vr.CVaR("1/2"), episodes=2000, seed=1, algorithm="greedy")),
    ]
    return plotting.draw_regret(
        [(name, run.regret) for name, run in runs], runs[0][1].bound, title="Learning CVaR at 1/2 on a small lake"
    )


PICTURES: dict[str, Callable[[], plotting.Picture]] = {
    "compare": compare,
    "law": law,
    "curve": curve,
    "policy_map": policy_map,
    "lake_map": lake_map,
    "augmentation": augmentation,
    "bounds": bounds,
    "regret": regret,
}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        draw().save(folder / f"{name}.svg")
        print(folder / f"{name}.svg")


if __name__ == "__main__":
    if "--record" in sys.argv:
        sys.argv.remove("--record")
        record_bounds()
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
