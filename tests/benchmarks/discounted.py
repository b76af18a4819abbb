"""Discounted models: rounding up on one grid (the old route) and reading between the nodes of a finer one, in one run.

    python tests/benchmarks/discounted.py            # CVaR on six models, rows (m) of run.py
    python tests/benchmarks/discounted.py --general [SECONDS [ROWS]]  # Wang, CPW, a polygon, VaR + mean: equal time
    python tests/benchmarks/discounted.py --curve [FILE.svg]    # the gap against the discount

The old route is given a grid; the new one a grid whose tables have about as many cells.  Searches get equal time; the
old one rounds up on 300 points, which was its default.  All times and limits are CPU seconds of one thread.
"""

from __future__ import annotations

import os

os.environ.setdefault("VERIFIED_RISK_THREADS", "1")

import random
import sys
import time
from fractions import Fraction

from rows import row

import verified_risk as vr
from verified_risk.grid.compiled import float_model
from verified_risk.grid.scaled import scaled_model
from verified_risk.planning import clock
from verified_risk.planning.certify import certify_on_grid
from verified_risk.planning.outward import short_below
from verified_risk.planning.problem import Problem
from verified_risk.planning.search.cells_route import search_cells
from verified_risk.planning.search.grid_route import search_grid
from verified_risk.planning.tails.refine import refined_plan
from verified_risk.planning.tails.tail_route import best_single_level

GENERAL = ["wang(3/4)", "cpw(0.71)", "pl(0, 0; 1/4, 1/2; 3/4, 5/8; 1, 1)", "1/2*var(1/4) + 1/2*mean"]
LABELS = ("CVaR, rounding up", "CVaR, between points", "Wang, rounding up", "Wang, between points")
ROWS = [
    # name, states, actions, successors, rewards up to, discount, horizon, eta of the old route
    ("10 states", 10, 3, 3, 1, "0.8", 100, "1e-3"),
    ("20 states", 20, 4, 4, 10, "0.98", 100, "0.02"),
    ("21 states, 11 actions", 21, 11, 8, 20, "0.9", 100, "0.01"),
    ("51 states, thousands", 51, 5, 5, 5000, "0.9", 100, "10"),
    ("101 states, 20 actions", 101, 20, 5, 100, "0.9", 100, "0.5"),
    ("146 states", 146, 4, 3, 1, "0.95", 100, "0.004"),
]


def random_model(states, actions, successors, most, discount, horizon, seed=0) -> vr.MDP:
    """Joint outcomes with rewards of three decimals."""
    rng = random.Random(seed)

    def action():
        weights = [rng.randint(1, 9) for _ in range(successors)]
        total = sum(weights)
        return [
            (Fraction(w, total), rng.randrange(states), Fraction(rng.randrange(1001) * most, 1000)) for w in weights
        ]

    outcomes = [[action() for _ in range(actions)] for _ in range(states)]
    return vr.MDP.from_outcomes(outcomes, initial=0, horizon=horizon, discount=discount)


def rounding_up(mdp: vr.MDP, G: vr.Weighting, eta: Fraction) -> tuple[vr.Plan, int]:
    model = float_model(mdp, eta)
    bounds = best_single_level(model, G.require_levels())
    return certify_on_grid(mdp, G, model, bounds, "rounding up"), model.n_states * sum(model.remaining)


def grid_of_as_many_cells(mdp: vr.MDP, cells: int) -> Fraction:
    low, high = mdp.remaining_range(0)
    eta = (high - low) / 200
    return eta * scaled_model(mdp, eta).cells / cells


def compared(name, states, actions, successors, most, discount, horizon, eta) -> None:
    mdp, G = random_model(states, actions, successors, most, discount, horizon), vr.CVaR("1/10")
    toy = random_model(2, 2, 2, 1, "1/2", 2)  # compiles both
    rounding_up(toy, G, Fraction(1, 3))
    refined_plan(toy, G, Fraction(1, 3), None, None)
    began = time.process_time()
    old, cells = rounding_up(mdp, G, Fraction(eta))
    old_seconds = time.process_time() - began
    fine = grid_of_as_many_cells(mdp, cells)
    began = time.process_time()
    new = refined_plan(mdp, G, fine, None, None)
    new_seconds = time.process_time() - began
    began = time.process_time()
    default = vr.plan(mdp, G)
    seconds = time.process_time() - began
    row(
        f"(m) {name}, {discount}", old_gap=float(old.gap), old_s=old_seconds, new_gap=float(new.gap), new_s=new_seconds,
        narrower=float(old.gap / new.gap), new_gap_over_value=float(new.gap / new.upper), cells=float(cells),
        default_gap=float(default.gap), default_s=seconds,
    )  # fmt: skip


def rows(quick: bool) -> None:
    for sizes in ROWS[: 2 if quick else None]:
        compared(*sizes)


def searched(mdp: vr.MDP, G: vr.Weighting, seconds: float) -> tuple[vr.Plan, vr.Plan]:
    """Rounding up on 300 points, and reading between grid points, each for so many seconds."""
    low, high = mdp.remaining_range(0)
    rounding = Problem(mdp, G, short_below((high - low) / 300), None, seconds)
    old = search_grid(rounding, float_model(mdp, short_below((high - low) / 300)), clock.Clock(seconds))
    return old, search_cells(Problem(mdp, G, gap=Fraction(), seconds=seconds))


def general_rows(seconds: float, most: int) -> None:
    for name, *sizes, _ in ROWS[:most]:
        mdp = random_model(*sizes)
        low, high = mdp.remaining_range(0)
        for G in GENERAL:
            old, new = searched(mdp, vr.objective(G), seconds)
            print(
                f"{name:24} {G:34} old {float(old.gap / (high - low)):.2e}  new {float(new.gap / (high - low)):.2e} of "
                f"the range  {float(old.gap / new.gap):6.1f} times narrower, {seconds:g} s each",
                flush=True,
            )


def curve(path: str | None) -> None:
    """CVaR at an equal number of cells, Wang at equal time, old and new, against the discount."""
    discounts = ("0.8", "0.9", "0.95", "0.98", "0.99")
    found: dict[str, list[float]] = {}
    for discount in discounts:
        mdp, G = random_model(10, 3, 3, 1, discount, 100), vr.CVaR("1/10")
        low, high = mdp.remaining_range(0)
        old, cells = rounding_up(mdp, G, short_below((high - low) / 3000))
        new = refined_plan(mdp, G, grid_of_as_many_cells(mdp, cells), None, None)
        both = searched(mdp, vr.objective("wang(3/4)"), 8.0)
        gaps = [float(plan.gap / (high - low)) for plan in (old, new, *both)]
        print(discount, *(f"{gap:.2e}" for gap in gaps), flush=True)
        for label, gap in zip(LABELS, gaps, strict=True):
            found.setdefault(label, []).append(gap)
    if path is not None:
        draw(discounts, found, path)


def draw(discounts: tuple[str, ...], found: dict[str, list[float]], path: str) -> None:
    from verified_risk.plotting import Picture
    from verified_risk.plotting.picture import BLUE, RED, new_figure, style

    with style():
        figure = new_figure(7.0, 4.2)
        axes = figure.subplots()
        for (label, gaps), colour, line in zip(
            found.items(), (RED, RED, BLUE, BLUE), ("--", "-", "--", "-"), strict=True
        ):
            axes.semilogy([1 / (1 - float(d)) for d in discounts], gaps, line, marker="o", color=colour, label=label)
        axes.set_xscale("log")
        axes.set_xticks([1 / (1 - float(d)) for d in discounts], discounts)
        axes.minorticks_off()
        axes.set_xlabel("discount")
        axes.set_ylabel("certified gap, share of the range of returns")
        axes.set_title("10 states, 3 actions, horizon 100")
        axes.legend(loc="best")
        Picture(figure).save(path)


def main() -> None:
    arguments = sys.argv[1:]
    clock.now = time.process_time
    if "--curve" in arguments:
        curve(arguments[-1] if arguments[-1].endswith(".svg") else None)
        return
    if "--general" in arguments:
        numbers = [float(text) for text in arguments if text != "--general"]
        general_rows(numbers[0] if numbers else 60.0, int(numbers[1]) if len(numbers) > 1 else len(ROWS))
        return
    rows(quick=False)


if __name__ == "__main__":
    main()
