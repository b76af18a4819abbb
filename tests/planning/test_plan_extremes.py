"""Sizes and numbers at the edge: very many actions, weightings nearly linear or nearly jumping, huge rewards."""

import random
from fractions import Fraction

import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.numbers.enclosure import Truth


def one_good_action(count: int, good: int) -> vr.MDP:
    """One state with ``count`` actions that pay 0 or 1, one of them 0 or 5, evenly."""
    laws = [{0: "1/2", 1: "1/2"}, {0: "1/2", 5: "1/2"}]
    return vr.MDP(0, [[[1]] * count], [[laws[a == good] for a in range(count)]], horizon=1)


@pytest.mark.parametrize(("count", "good"), [(300, 299), (33_000, 32_999), (65_537, 7)])
def test_no_number_of_actions_is_too_large_for_the_integers_that_store_them(count, good):
    """A choice in too narrow an integer wraps: negative beyond half its range, and at 2**16 it looks like action 0."""
    plan = vr.plan(one_good_action(count, good), vr.CVaR("3/4"))
    assert plan.lower <= Fraction(5, 3) <= plan.upper
    assert plan.gap < Fraction(1, 10**10)


def coin_or_sure(low=0, high=1) -> vr.MDP:
    """Twice: a coin between ``low`` and ``high``, or two thirds of the way surely."""
    sure = low + Fraction(2, 3) * (high - low)
    return vr.MDP(0, [[[1], [1]]], [[{low: "1/2", high: "1/2"}, {sure: 1}]], horizon=2)


@pytest.mark.parametrize("gamma", ["0.999", "0.99999"])
def test_probability_weighting_that_is_nearly_linear_is_bounded(gamma):
    """Where the inflection point cannot be proved, monotonicity alone bounds the weighting."""
    mdp = coin_or_sure()
    plan = vr.plan(mdp, vr.CPW(gamma), gap="1/100")
    best = vr.CPW(gamma).of(vr.return_law(mdp, vr.MarkovPolicy(mdp, [[1], [1]])))
    assert plan.lower <= Fraction(4, 3) + Fraction(1, 100)
    assert plan.upper >= (best if isinstance(best, Fraction) else best.lower)
    assert plan.recheck(time_limit=1).upper_holds is not Truth.FAILS


def test_rewards_far_from_zero_are_planned_like_those_near_it():
    for objective in (vr.Wang("1/4"), vr.CVaR("1/3"), vr.Mean()):
        far, near = (vr.plan(coin_or_sure(a, a + 3), objective, gap="1/1000") for a in (10**19, 0))
        assert abs(far.lower - near.lower - 2 * 10**19) <= Fraction(1, 1000)
        assert far.gap <= Fraction(1, 1000)


def test_rewards_beyond_the_range_of_floats_are_planned_and_reported():
    seen: list[vr.Progress] = []
    plan = vr.plan(coin_or_sure(0, 10**309), vr.Wang("1/4"), gap=10**306, progress=seen.append)
    assert plan.lower <= plan.upper
    assert seen[-1].lower <= plan.upper <= seen[-1].upper
    assert "E+309" in str(seen[-1])
    assert "inf" not in str(seen[-1])


def test_one_tiny_level_does_not_spoil_the_others():
    mdp = coin_or_sure()
    G = vr.Spectral(["1e-60", "1/2", 1], ["1/3", "1/3", "1/3"])
    plan = vr.plan(mdp, G, gap="1/1000", time_limit=10)
    exact = vr.exact_plan(mdp, G).value
    assert plan.lower <= exact <= plan.upper
    assert plan.gap <= Fraction(1, 1000)


def test_a_polygon_with_corners_closer_than_floats_stays_below_its_weighting():
    rng = random.Random("corners")
    for _ in range(200):
        places = sorted(
            {
                Fraction(rng.randint(1, 9), 10) + Fraction(rng.randint(-5, 5), rng.choice([7, 10**15, 10**17, 10**30]))
                for _ in range(rng.randint(1, 4))
            }
            | {Fraction(rng.randint(1, 99), 10 ** rng.choice([3, 18, 40]))}
        )
        places = [x for x in places if 0 < x < 1]
        heights = sorted(Fraction(rng.randint(0, 97), 97) for _ in places)
        knots = [(Fraction(0), Fraction(0)), *zip(places, heights, strict=True), (Fraction(1), Fraction(1))]
        G = vr.PiecewiseLinear(knots)
        polygon = G.polygon_below(Fraction(1, 100))
        points = {x for x, _ in knots} | {Fraction(float(x)) for x in polygon.x}
        points |= {(a + b) / 2 for a, b in zip(sorted(points), sorted(points)[1:], strict=False)}
        for x in points:
            assert polygon(x) <= G.value(x), (knots, x)


def test_the_grid_for_a_large_gap_is_as_coarse_as_the_gap_allows():
    from scipy import stats

    wide = vr.MDP(0, [[[1]]], [[stats.uniform(0, 1e12)]], horizon=2)
    plan = vr.plan(wide, vr.CVaR("1/4"), gap=10**11)
    assert 10**10 < plan.eta <= 5 * 10**10
    assert plan.gap <= 10**11


def test_what_is_not_a_model_and_what_cannot_be_called_are_refused():
    with pytest.raises(InvalidArgument, match="mdp is 'x'"):
        vr.plan("x", vr.Mean())
    with pytest.raises(InvalidArgument, match="progress is 3"):
        vr.plan(coin_or_sure(), vr.Wang("1/2"), progress=3)
