"""``plan(mdp, G)`` with neither ``eta`` nor ``gap``: it always answers, and both bounds are true by brute force."""

from fractions import Fraction

import numpy as np
import oracles
import plan_models as models
import pytest
from scipy import stats

import verified_risk as vr
from verified_risk.errors import InvalidArgument, Unsupported
from verified_risk.mdp import action
from verified_risk.numbers.enclosure import bounds
from verified_risk.planning import grid_choice, rounding
from verified_risk.planning.problem import Problem
from verified_risk.planning.search import cells_route

OBJECTIVES = (
    "mean", "cvar(1/3)", "1/2*mean + 1/2*cvar(1/5)", "var(1/2)", "var(1/4, upper)", "1/2*cvar(1/10) + 1/2*cvar(1/2)",
    "wang(3/4)", "wang(-1/2)", "cpw(0.71)", "dual(2)", "pl(0, 0; 1/4, 1/2; 3/4, 5/8; 1, 1)", "1/2*var(1/3) + 1/2*mean",
)  # fmt: skip


def widest_gap(seed: str, count: int, seconds: float) -> dict[str, Fraction]:
    """For each objective the widest gap as a share of the range of returns; a third of them on each model."""
    widest = dict.fromkeys(OBJECTIVES, Fraction())
    for k, (mdp, model, _) in enumerate(models.small(seed, count, most=100)):
        laws = [vr.Law(law) for law in oracles.all_return_laws(model)]
        low, high = mdp.remaining_range(0)
        for text in OBJECTIVES[k % 3 :: 3]:
            G, plan = vr.objective(text), vr.plan(mdp, text, time_limit=seconds)
            assert max(bounds(G.of(law))[0] for law in laws) <= plan.upper, (text, mdp, plan)
            assert plan.lower <= bounds(G.of(vr.return_law(mdp, plan.policy)))[1], (text, mdp, plan)
            if low < high:
                widest[text] = max(widest[text], plan.gap / (high - low))
    return widest


def test_every_family_on_a_few_models():
    assert max(widest_gap("default grids", 9, seconds=2).values()) <= Fraction(1, 1000)


@pytest.mark.slow
def test_every_family_on_five_hundred_models():
    widest = widest_gap("five hundred default grids", 500, seconds=5)
    print(*(f"{text}: {float(gap):.1e}" for text, gap in widest.items()), sep="\n")
    assert max(widest.values()) <= Fraction(1, 1000)


# -- grids that do not fit --------------------------------------------------------------------------------------------


def uniform(horizon: int = 2, width: float = 1.0) -> vr.MDP:
    return vr.MDP(0, [[[1], [1]]], [[stats.uniform(0, width), {"1/3": 1}]], horizon=horizon)


def test_continuous_rewards_are_counted_before_they_are_listed(monkeypatch):
    """A million atoms of a continuous law take a minute and half a gigabyte."""
    monkeypatch.setattr(action.ContinuousReward, "round_up", None)
    with pytest.raises(InvalidArgument, match=r"eta is 1/3000001: continuous rewards .* wanted eta of at least"):
        vr.plan(uniform(), "cvar(1/2)", eta=Fraction(1, 3 * 10**6 + 1))
    with pytest.raises(InvalidArgument, match="wanted a larger gap, or eta of at least"):
        vr.plan(uniform(), "cvar(1/2)", gap="1/10000000")
    discounted = uniform(horizon=4).with_discount("9/10")
    assert grid_choice.listed_atoms(discounted, Fraction(1, 1000)) == 3439  # 1000 (1 + 9/10 + 81/100 + 729/1000)
    assert grid_choice.listed_atoms(uniform(horizon=4), Fraction(1, 1000)) == 1000  # one step, four times


def test_the_mean_of_continuous_rewards_needs_no_grid_from_the_caller():
    plan = vr.plan(uniform(), "mean")
    assert plan.lower <= 1 <= plan.upper
    assert plan.gap <= Fraction(2, 1000)


@pytest.mark.parametrize("eta", [Fraction(1, 2), Fraction(1, 7), None])
@pytest.mark.parametrize(
    ("objective", "best"), [("var(1/3)", Fraction(1, 3)), ("1/2*cvar(1/2) + 1/2*cvar(1/4)", Fraction(3, 16))]
)
def test_a_continuous_reward_in_a_joint_model_is_charged_for_its_rounding(objective, best, eta):
    """Reward and next state depend on each other in the first step; the last step pays a uniform reward."""
    P = np.array([[[0.5, 0.5]], [[0, 1]]])
    first = np.array([[[1.0, 0]], [[0, 0]]])
    mdp = vr.MDP.from_arrays(
        [P, P], [first, [[stats.uniform()], [stats.uniform()]]], initial=1, horizon=2, layout="sas"
    )
    plan = vr.plan(mdp, objective, eta=eta)
    assert plan.lower <= best <= plan.upper
    assert plan.gap <= (1 if eta == Fraction(1, 2) else Fraction(2, 3))


def test_a_model_whose_coarsest_grid_does_not_fit_is_refused(monkeypatch):
    models.limit_memory(monkeypatch, 50)
    with pytest.raises(Unsupported, match=r"does not fit in 0\.0 GB on any grid: use fewer states or steps"):
        vr.plan(uniform(), "var(1/3)")


@pytest.mark.parametrize("objective", ["wang(1/2)", "1/2*cvar(1/2) + 1/2*cvar(1/4)"])
def test_a_search_without_memory_takes_a_coarser_grid_and_says_so(monkeypatch, objective):
    models.limit_memory(monkeypatch, 200_000)
    continuous = vr.plan(uniform(), objective, time_limit=1)
    assert "on the finest grid that fits into memory" in continuous.certificate.method
    assert grid_choice.search_bytes(1, grid_choice.steps_remaining(continuous.mdp, continuous.eta)) <= 200_000
    finer = vr.plan(uniform(), objective, gap="1/1000", time_limit=1)
    assert "on the finest grid that fits into memory" in finer.certificate.method
    fine = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", "12345/10001": "1/2"}, {"1/3": 1}]], horizon=6, discount="99/100")
    models.limit_memory(monkeypatch, 100_000)
    found = cells_route.search_cells(Problem(fine, vr.objective(objective), seconds=1.0))
    assert cells_route.bytes_needed(fine, *cells_route.sizes(fine, found.eta)) <= 100_000
    assert found.lower <= found.upper


def test_budgets_that_are_all_equally_good_are_not_all_compared(monkeypatch):
    """At level 1/2 every budget between the two returns of a fair coin is as good as any other."""
    compared = []
    honest = rounding.Enclosure.above
    monkeypatch.setattr(rounding.Enclosure, "above", lambda self, x: compared.append(x) or honest(self, x))
    coin = vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], horizon=1)
    plan = vr.plan(coin, "cvar(1/2)", eta=Fraction(1, 10**5))
    assert plan.lower <= 0 <= plan.upper
    assert plan.gap <= Fraction(1, 10**9)
    assert len(compared) <= 100
