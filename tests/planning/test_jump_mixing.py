"""A mean and a lower quantile whose level the best mixtures meet with equality: the supremum is not attained, and the
plan comes close to it."""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement

import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.planning import certify, clock
from verified_risk.planning.search import cells_route, driver

ALPHA = Fraction(1, 3)
G = vr.objective("1/2*var(1/3) + 1/2*mean")


def supremum(laws) -> Fraction:
    """Over all mixtures: for each quantile v, the largest mean under P(Z < v) <= alpha, if some law has less.

    The laws of policies form a polytope; under one linear constraint its best point mixes at most two vertices.
    """
    best = []
    for v in {z for law in laws for z in law}:
        points = sorted({(sum(p for z, p in law.items() if z < v), oracles.mean(law)) for law in laws})
        if points[0][0] < ALPHA:
            pairs = combinations_with_replacement(points, 2)
            best.append(v + max(_mean_at_level(a, b) for a, b in pairs if a[0] <= ALPHA))
    return max(best) / 2


def _mean_at_level(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction]) -> Fraction:
    """The largest mean on the segment from a (short of v with at most alpha) to b, as far as that is at most alpha."""
    if b[0] <= ALPHA:
        return max(a[1], b[1])
    share = (ALPHA - a[0]) / (b[0] - a[0])
    return max(a[1], (1 - share) * a[1] + share * b[1])


def one_step(rng: random.Random) -> tuple[vr.MDP, list[dict[Fraction, Fraction]]]:
    """Two or three actions, no state that matters: the laws of all policies are the mixtures of theirs."""
    laws = []
    for _ in range(rng.randint(2, 3)):
        values = rng.sample(range(-4, 6), rng.randint(2, 3))
        weights = [rng.randint(1, 4) for _ in values]
        laws.append({Fraction(v, 2): Fraction(w, sum(weights)) for v, w in zip(values, weights, strict=True)})
    return vr.MDP(0, [[[1]] * len(laws)], [laws], horizon=1), laws


def tried(rng: random.Random) -> Iterator[tuple[vr.MDP, list[dict[Fraction, Fraction]]]]:
    for _ in range(60):
        yield one_step(rng)
    for mdp, model, _ in models.small(rng.random(), 40, most=60, max_horizon=2):
        yield mdp, [dict(law) for law in oracles.all_return_laws(model)]


def test_the_plan_is_as_good_as_the_supremum_of_brute_force_up_to_a_thousandth_of_the_range():
    unattained = 0
    for mdp, laws in tried(random.Random("off the jump")):
        best, plan = supremum(laws), vr.plan(mdp, G)
        low, high = mdp.remaining_range(0)
        assert plan.lower <= best <= plan.upper
        assert best - plan.lower <= (high - low) / 1000, (plan, best)
        assert G.of(vr.return_law(mdp, plan.policy)) >= plan.lower
        unattained += plan.value < best
    assert unattained >= 5, "too few suprema that are not attained"


def gamble() -> vr.MDP:
    """Half of each action: short of 1 with probability exactly 1/3."""
    return vr.MDP(0, [[[1], [1]]], [[{0: "1/6", 1: "1/2", 3: "1/3"}, {-2: "1/2", 7: "1/2"}]], horizon=1)


@pytest.mark.parametrize("exactly", [True, False], ids=["by laws", "by CDFs with errors"])
def test_a_share_of_the_quantiles_policy_brings_the_mixture_below_the_level(exactly, monkeypatch):
    if not exactly:
        monkeypatch.setattr(certify, "exact_value", lambda *_, **__: None)
    best = Fraction(1, 2) + (Fraction(3, 2) + Fraction(5, 2)) / 4
    plan = vr.plan(gamble(), G)
    assert "attainable" not in plan.certificate.method
    assert best - Fraction(1, 1000) <= plan.lower < best <= plan.upper
    attained = G.of(vr.return_law(gamble(), plan.policy))
    assert plan.lower <= attained < best
    if exactly:
        assert plan.law == vr.return_law(gamble(), plan.policy)
        assert plan.recheck().lower_holds is vr.numbers.enclosure.Truth.HOLDS


def test_the_same_where_the_search_is_over_few_attainable_returns():
    """Rewards on so fine a grid that its points are not listed."""
    off = Fraction(1, 1_000_003)
    careful = {"7/30": "1/6", 1 + off: "1/2", "27/10": "1/3"}
    mdp = vr.MDP(0, [[[1], [1]]], [[careful, {"-21/10": "1/2", "67/10": "1/2"}]], horizon=1)
    best = (1 + off) / 2 + (Fraction(259, 180) + off / 2 + Fraction(23, 10)) / 4
    plan = vr.plan(mdp, G)
    assert "attainable returns" in plan.certificate.method
    assert best - Fraction(1, 1000) <= plan.lower < best <= plan.upper
    assert plan.lower <= G.of(vr.return_law(mdp, plan.policy)) < best


def test_no_share_is_taken_where_none_helps():
    mdp = gamble()
    policy, other = vr.plan(mdp, "mean").policy, vr.plan(mdp, "var(1/3)").policy
    law, apart = vr.return_law(mdp, policy), vr.return_law(mdp, other)
    held = driver.Held(vr.Mean().of(law), policy, law)
    assert driver.off_the_jump(held, other, driver.by_laws(vr.Mean(), law, apart)) is held


def interpolates(seed: str, count: int) -> Iterator[tuple[vr.MDP, list[dict[Fraction, Fraction]]]]:
    """Discounted models whose few returns lie on so fine a grid that its points are not listed."""
    for _, model, rng in models.small(seed, count, most=60, max_horizon=2, max_states=2):
        rewards = sorted({r for actions in model.outcomes for outcomes in actions for _, _, r in outcomes})
        moved = {r: r + Fraction(rng.randint(0, 9), 1_000_003) for r in rewards}
        outcomes = [[[(p, s, moved[r]) for p, s, r in row] for row in actions] for actions in model.outcomes]
        off = oracles.Model(model.initial, outcomes, model.horizon, Fraction(9, 10))
        if len(rewards) > 1 and oracles.count_return_policies(off) <= 60:
            yield models.as_mdp(off), [dict(law) for law in oracles.all_return_laws(off)]


def test_between_grid_points_a_jump_is_passed_where_every_policy_has_passed_it():
    """On sixteen cells: the bounds hold, and what searches know of where the jump is passed helps some of them."""
    helped = 0
    for mdp, laws in interpolates("between", 60):
        low, high = mdp.remaining_range(0)
        eta = (high - low) / 16
        if not low < high:
            continue
        best, plan = supremum(laws), vr.plan(mdp, G, eta=eta, time_limit=1)
        assert plan.lower <= best <= plan.upper
        assert G.of(vr.return_law(mdp, plan.policy)) >= plan.lower
        without = cells_route._round(mdp, G, eta, eta / 64, clock.now() + 0.1)
        helped += plan.upper < without.upper
    assert helped >= 8
