"""Memory estimates against the traced peak of the plan, route by route."""

import math
import random
import tracemalloc
from fractions import Fraction

import numpy as np
import plan_models
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.grid import float_model, own_unit, scaled_model
from verified_risk.kernels import budget_pass as budget_kernels
from verified_risk.kernels import budget_pass as interpolated_kernels
from verified_risk.kernels.jit import Kernel
from verified_risk.planning import affordable_law, grid_choice
from verified_risk.planning.search import cells_route, grid_coordinates
from verified_risk.planning.tails import budget_tables, interpolated_tables

LEAST, MOST = 0.9, 1.5
"""Of estimate over peak: a plan that fits is seldom refused, and one that does not fit is."""


def model(states: int, horizon: int, rewards: int, discount: str = "1") -> vr.MDP:
    """Joint outcomes, two actions of three outcomes each."""
    rng = random.Random(f"{states} {horizon} {rewards}")
    third = Fraction(1, 3)
    outcomes = [
        [[(third, rng.randrange(states), Fraction(rng.randint(0, rewards))) for _ in range(3)] for _ in range(2)]
        for _ in range(states)
    ]
    outcomes[0][0][0], outcomes[0][0][1] = (third, 0, Fraction()), (third, 0, Fraction(rewards))
    return vr.MDP.from_outcomes(outcomes, initial=0, horizon=horizon, discount=discount)


def peak(function) -> int:
    """Bytes traced at most during the second of two calls: the first compiles and fills caches."""
    function()
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(autouse=True)
def _compiled(monkeypatch):
    """Compiled kernels, as for large models: small ones are done in numpy, whose temporary tables are other ones."""
    monkeypatch.setenv("VERIFIED_RISK_THREADS", "1")
    for module in (budget_kernels, interpolated_kernels):
        for found in vars(module).values():
            if isinstance(found, Kernel):
                monkeypatch.setattr(found, "spent", float("inf"))
    for name in ("COUNTED", "QUICK", "PATIENT"):  # exact laws take no tables
        monkeypatch.setattr(affordable_law, name, 500)


def undiscounted() -> tuple[int, int]:
    mdp = model(40, 80, 40)
    grid = float_model(mdp, own_unit(mdp))
    return grid_choice.table_bytes(40, grid.remaining), peak(
        lambda: budget_tables.budget_tables(grid, Fraction(), 0, grid.remaining[0])
    )


def discounted() -> tuple[int, int]:
    scaled = scaled_model(model(30, 60, 10, "19/20"), Fraction(1, 20))
    return interpolated_tables.bytes_needed(scaled), peak(lambda: interpolated_tables.envelope(scaled, Fraction()))


def searched() -> tuple[int, int]:
    mdp = model(10, 20, 30)
    grid = float_model(mdp, own_unit(mdp))

    def search() -> None:
        oracle = grid_coordinates.Oracle(grid)
        slopes = np.ones(oracle.top)
        oracle.solve(slopes)
        oracle.contract(slopes, slopes, slopes, math.inf)
        assert oracle.allowed.copy().size

    return grid_choice.search_bytes(10, grid.remaining), peak(search)


def searched_between() -> tuple[int, int]:
    mdp, eta = model(20, 30, 1, "9/10"), Fraction(1, 20)
    return cells_route.bytes_needed(mdp, *cells_route.sizes(mdp, eta)), peak(
        lambda: vr.plan(mdp, "wang(3/4)", eta=eta, time_limit=0.5)
    )


@pytest.mark.parametrize("route", [undiscounted, discounted, searched, searched_between])
def test_the_estimate_of_a_refusal_is_close_to_the_peak(route):
    estimate, taken = route()
    assert taken > 5_000_000, "too small to tell"
    assert LEAST <= estimate / taken <= MOST, f"estimated {estimate / 1e6:.1f} MB, taken {taken / 1e6:.1f} MB"


@pytest.mark.parametrize("G", ["cvar(1/10)", "wang(3/4)", "var(1/4)"])
@pytest.mark.parametrize("discount", ["1", "0.987654321"])
def test_a_refusal_is_short_and_names_the_grid(G, discount, monkeypatch):
    plan_models.limit_memory(monkeypatch, 20_000)
    eta = Fraction(1, 10**4) + Fraction(1, 3**200)  # its text has 190 digits
    with pytest.raises(InvalidArgument, match="GB allowed") as refused:
        vr.plan(model(5, 20, 10, discount), G, eta=eta)
    assert len(str(refused.value)) < 200
    assert str(refused.value).startswith("eta is")
