"""What a recheck may not leave out: each term of its error bounds, and each condition under which its routes hold."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.grid import grid_model
from verified_risk.numbers.enclosure import Truth
from verified_risk.objectives.polygon import Polygon
from verified_risk.planning.problem import few_returns
from verified_risk.planning.recheck import both_bounds as recheck
from verified_risk.planning.recheck import cells_worth, wide
from verified_risk.planning.recheck.both_bounds import Watch
from verified_risk.planning.recheck.cell_replay import CellTables
from verified_risk.planning.recheck.discounted_tails import InterpolatedTails
from verified_risk.planning.recheck.line import Line
from verified_risk.planning.recheck.replay import Box, Dual, Outcomes, Replay
from verified_risk.planning.search.trace import Branch, Proof, Round
from verified_risk.planning.tails.refine import refined_plan
from verified_risk.policy import GridPolicy
from verified_risk.policy.cell_policy import CellPolicy

U = Fraction(1, 2**53)


# -- the rules of a replay --------------------------------------------------------------------------------------------


def wiggly(rng: random.Random) -> Polygon:
    """Neither convex nor concave, with slopes from 0 to hundred thousands."""
    inner = [rng.random() for _ in range(6)]
    x = np.array(sorted({0.0, 1.0, *inner, *(min(v + 1e-6 * (1 + rng.random()), 0.9999) for v in inner)}))
    g = np.array(sorted(rng.random() for _ in x))
    return Polygon(x, g)


def replay_of(polygon: Polygon, top: int, costs, target: float = 1.0) -> Replay:
    """With least costs that are given."""
    tables = SimpleNamespace(top=top, everything=list, least_costs=costs)
    return Replay(tables, polygon, Proof(Fraction(1), target, Branch()))


def corners(polygon: Polygon, c: float, low: float, high: float) -> list[tuple[Fraction, Fraction]]:
    """``(x, G(x) - c x)`` at the ends of a box and the knots inside, exactly."""
    ends = [Fraction(low), *(Fraction(x) for x in polygon.x.tolist() if low < x < high), Fraction(high)]
    return [(x, polygon(x) - Fraction(c) * x) for x in ends]


def box_of(rng: random.Random, n: int) -> Box:
    ends = np.sort(np.array([[rng.random() for _ in range(n)] for _ in range(2)]), axis=0)
    return Box(ends[0], ends[1], [])


def test_minima_over_the_boxes_of_a_replay_are_at_most_the_exact_ones():
    rng = random.Random("replayed minima")
    for _ in range(20):
        polygon, n = wiggly(rng), 40
        box, cost = box_of(rng, n), np.array([rng.uniform(-2, 5) for _ in range(n)])
        dual = replay_of(polygon, n, lambda costs, _: np.zeros(len(costs)))._dual(cost, box)
        least = [min(v for _, v in corners(polygon, c, a, b)) for c, a, b in zip(cost, box.low, box.high, strict=True)]
        for found, exact, c in zip(dual.least.tolist(), least, cost, strict=True):
            assert exact - 40 * U * (1 + abs(Fraction(c))) <= Fraction(found) <= exact
        assert Fraction(dual.bound) <= sum(least)


def test_a_replay_cuts_nothing_that_the_room_allows():
    """Rule B2 in rationals: whatever exceeds the least value by no more than the room stays in the box."""
    rng, cut = random.Random("replayed cuts"), 0
    for _ in range(60):
        polygon, n = wiggly(rng), 20
        box, cost = box_of(rng, n), np.array([rng.uniform(-2, 5) for _ in range(n)])
        line, exact = Line.of(polygon), []
        points = [line.corners(a, b) for a, b in zip(box.low, box.high, strict=True)]
        values = [(t, g - c * t) for (t, g), c in zip(points, cost, strict=True)]
        least, room = np.array([v.min() for _, v in values]), rng.choice([0.0, 1e-3, 0.05])
        for c, a, b, m in zip(cost, box.low, box.high, least.tolist(), strict=True):
            found, limit = corners(polygon, c, a, b), Fraction(m) + Fraction(room)
            exact.append((crossing(found, limit), crossing(found[::-1], limit)))
        low, high = Replay._cut(SimpleNamespace(target=room), cost, Dual(0.0, least, 0.0, values), box)
        for (first, last), a, b, start in zip(exact, low.tolist(), high.tolist(), box.low.tolist(), strict=True):
            if first is not None:
                assert Fraction(a) <= first
                assert Fraction(b) >= last
                cut += a > start
    assert cut >= 100


def crossing(points: list[tuple[Fraction, Fraction]], limit: Fraction) -> Fraction | None:
    """The first place, from one side, at which a polygon is at most ``limit``."""
    if points[0][1] <= limit:
        return points[0][0]
    for (x, u), (y, v) in pairwise(points):
        if v <= limit:
            return x + (y - x) * (u - limit) / (u - v)
    return None


def test_a_probe_of_a_replay_moves_an_end_no_further_than_it_proves():
    """Rule B3 in rationals, for both signs of the shift."""
    rng, moved = random.Random("replayed probes"), 0
    for _ in range(200):
        cost, value, sum_least = (rng.uniform(0, 2) for _ in range(3))
        probe, target = rng.uniform(-3, 5), rng.uniform(0, 4)
        found = replay_of(wiggly(rng), 1, lambda costs, _, value=value: np.full(len(costs), value), target)
        step = Round(np.array([cost]), [(0, probe)])
        low, high = found._probe(step, step.cost, sum_least, Box(np.zeros(1), np.ones(1), []))
        over = (Fraction(value) + Fraction(sum_least) - Fraction(target)) / (Fraction(probe) - Fraction(cost))
        if probe > cost:
            assert Fraction(float(low[0])) <= max(over, 0)
        else:
            assert Fraction(float(high[0])) >= min(over, 1)
        moved += 0 < over < 1
    assert moved >= 20


def test_a_replay_keeps_actions_that_differ_by_rounding_alone():
    """Two actions with the same law, whose outcomes are added in another order: no slope prefers either."""
    rng, unequal, n = random.Random("ties"), 0, 7
    for _ in range(20):
        weights = [rng.randint(1, 9) for _ in range(n)]
        first, second = (
            [(Fraction(w, sum(weights)), state(k), Fraction(k)) for k, w in enumerate(weights)]
            for state in (lambda k: 1 + k, lambda k: n - k)
        )
        mdp = vr.MDP.from_outcomes([[first, second], *([[(1, s, 0)]] for s in range(1, n + 1))], initial=0, horizon=1)
        outcomes = Outcomes(grid_model(mdp))
        slopes = np.array([rng.uniform(0.5, 2) for _ in range(outcomes.top)])
        mask = outcomes.everything()
        outcomes.contract(slopes, slopes, slopes, mask)
        assert all(kept.all() for step in mask for kept in step)
        tail = np.append(np.cumsum(slopes[::-1])[::-1], 0.0)
        unequal += (
            len({float(outcomes._average(row, tail[None].repeat(n + 1, 0), 1)[0]) for row in outcomes.steps[0][0]}) == 2
        )
    assert unequal >= 5


# -- numbers of extended precision ------------------------------------------------------------------------------------


def test_a_number_that_underflows_has_no_correct_digit():
    """The least positive longdouble stands for everything from half of it on."""
    least = np.finfo(np.longdouble).smallest_subnormal
    for k in (1, 3, 2**40):
        x = least * k
        assert wide.below(x, 1) <= (k - Fraction(1, 2)) * wide.exactly(least)
        assert wide.above(x, 1) >= (k + Fraction(1, 2)) * wide.exactly(least)


def test_rationals_are_read_as_closely_as_their_roundings_say():
    """A quotient counts as a few roundings, whatever the hardware's longest numbers are."""
    rng = random.Random("quotients")
    for _ in range(200):
        x = Fraction(rng.getrandbits(rng.randint(60, 400)) + 1, rng.getrandbits(rng.randint(60, 400)) + 1)
        found = wide.exactly(wide.wide([x])[0])
        assert abs(found - x) <= wide.PER_FACTOR * wide.ROUNDOFF * x
    assert wide.exactly(np.longdouble(1) / 3) * 3 != 1


def test_the_law_of_a_policy_is_off_by_all_that_is_added_in_one_cell():
    """Thirty states with two actions each, all of which may lead to the first one: sixty sums a step."""
    n, horizon = 30, 4
    mdp = vr.MDP(0, [[[Fraction(1, n)] * n] * 2] * n, [[{0: 1}, {1: 1}]] * n, horizon=horizon)
    policy = vr.policy.GridPolicy(mdp, Fraction(1), lambda t, s, i: 0)
    _, depth = wide.WideModel(mdp, Fraction(1)).law(policy, lambda: None)
    assert depth >= horizon * 2 * n + n


def test_sums_of_many_masses_are_enclosed_by_what_is_called_their_cdf(monkeypatch):
    """Masses at random, known exactly: each running sum, rounded once a term, is enclosed as a rational."""
    points = 3000
    rng = np.random.default_rng(3)
    masses = (rng.random(points).astype(np.longdouble) / np.longdouble(points * 0.5)) / 3
    rewards = [{Fraction(k): Fraction(1, points) for k in range(points)}]
    mdp = vr.MDP(0, [[[1]]], [rewards], horizon=1)
    seen = {}
    monkeypatch.setattr(wide.WideModel, "law", lambda self, part, tick: (masses, 0))
    monkeypatch.setattr(recheck, "_states_cdf", lambda plan, model, low, high: seen.update(low=low, high=high) or True)
    policy = vr.policy.GridPolicy(mdp, Fraction(1), lambda t, s, i: 0)
    plan = replace(vr.plan(mdp, "cvar(1/2)", eta=1), policy=policy)
    recheck._wide_worth(plan, Watch(None, None))
    total, missed = Fraction(), 0
    sums = np.cumsum(masses)
    for i, (low, high) in enumerate(zip(seen["low"], seen["high"], strict=True)):
        total += wide.exactly(masses[i])
        assert low <= total <= high
        missed += abs(wide.exactly(sums[i]) - total) > 2 * wide.ROUNDOFF * total
    assert missed >= 100, "without counting the terms many sums would lie outside"


# -- polygons of a discounted plan ------------------------------------------------------------------------------------

MIXED = vr.objective("1/3*mean + 2/3*cvar(1/4)")


def least_missing(mdp: vr.MDP, unit: Fraction) -> list[Fraction]:
    """Per state, the greatest possible return less the best mean, in units."""
    most, value = mdp.reward_range[1], [Fraction()] * mdp.n_states
    for t in range(mdp.horizon - 1, -1, -1):
        value = [
            min(
                sum(p * (mdp.step_reward(t, most - r) / unit + value[to]) for p, to, r in action.outcomes)
                for action in mdp.actions(s)
            )
            for s in range(mdp.n_states)
        ]
    return value


def test_budgets_below_nothing_are_bounded_from_both_sides_again():
    """Column 0 of both tables against the best mean in rationals, which the policy plays there."""
    tried = 0
    for mdp, _, _ in models.small("below nothing", 30, max_states=3):
        if mdp.discount == 1 or mdp.reward_range[0] == mdp.reward_range[1]:
            continue
        plan, tried = refined_plan(mdp, MIXED, Fraction(1, 7), None, None), tried + 1
        tables, exact = InterpolatedTails(plan.policy, MIXED.require_levels()), least_missing(mdp, Fraction(1, 7))
        kappa = Fraction(1, 3) / (Fraction(2, 3) * 4)
        below, above = (tables._backwards(lambda: None, lower=lower)[:, 0] for lower in (True, False))
        for s, missing in enumerate(exact):
            assert wide.exactly(below[s]) <= kappa * missing <= wide.exactly(above[s])
    assert tried >= 8


def test_a_policy_above_the_least_reward_is_not_judged_by_polygons():
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=4, discount="2/3")
    plan = refined_plan(mdp, MIXED, Fraction(1, 7), None, None)
    own = plan.policy
    for least, known in ((Fraction(-1, 8), True), (Fraction(1, 8), False)):
        policy = CellPolicy(mdp, own.eta, own.halvings, own.rho, own.tables, own.linear, least)
        answer = replace(plan, policy=policy).recheck()
        assert (answer.upper is not None) is known
        assert known or "least reward is above one of the model" in answer.upper_route


# -- what the plan says of its law ------------------------------------------------------------------------------------


def coin(horizon: int = 3) -> vr.MDP:
    return vr.MDP(0, [[[1], [1]]], [[{0: "1/3", 1: "2/3"}, {"1/2": 1}]], horizon=horizon)


@pytest.mark.parametrize(("share", "stated"), [(Fraction(1), True), (Fraction(101, 100), False), (Fraction(-2), False)])
def test_a_law_with_an_error_is_compared_up_to_that_error(share, stated):
    """A hundredth is the error that the plan states; so much of it moves from one return to another."""
    plan, error = vr.plan(coin(), "cvar(1/2)"), Fraction(1, 100)
    law = dict(vr.return_law(plan.mdp, plan.policy))
    first, last = min(law), max(law)
    moved = vr.Law({**law, first: law[first] + share * error, last: law[last] - share * error})
    forged = replace(plan, known_law=moved, known_error=error)
    assert recheck._is_stated(forged, vr.return_law(plan.mdp, plan.policy)) is stated
    model = wide.WideModel(plan.mdp, plan.eta)
    total = [vr.return_law(plan.mdp, plan.policy).cdf((model.offsets[-1] + i) * model.eta) for i in range(model.top)]
    assert recheck._states_cdf(forged, model, total, total) is stated


def test_an_upper_bound_below_what_the_policy_attains_is_refuted_on_any_route():
    for G in ("wang(1/2)", "hazard(2)", "1/2*var(1/3) + 1/2*mean"):
        plan = vr.plan(coin(), G, gap="1/1000")
        worth = plan.lower - Fraction(1, 10)
        assert replace(plan, lower=worth, value=worth, upper=worth).recheck().upper_holds is Truth.FAILS
        assert plan.recheck().upper_holds is Truth.HOLDS


# -- extended precision -----------------------------------------------------------------------------------------------


def test_parts_on_different_grids_are_not_followed_on_one():
    mdp = coin()
    plan = vr.plan(mdp, "cvar(1/2)", eta="1/2")
    for other, known in ((Fraction(1, 2), True), (Fraction(1, 4), False)):
        parts = [(Fraction(1, 2), GridPolicy(mdp, eta, lambda t, s, i: 0)) for eta in (Fraction(1, 2), other)]
        forged = replace(plan, policy=vr.MixturePolicy(parts), known_law=None)
        assert (recheck._wide_worth(forged, Watch(None, None)).least is not None) is known


@pytest.mark.parametrize("upper", [False, True])
def test_a_level_met_with_equality_is_not_lost_to_rounding(upper):
    """Levels that are attained probabilities: the plain recursion is at least the best quantile."""
    met = 0
    for mdp, _, _ in models.small(f"levels {upper}", 30, max_states=2):
        law = vr.exact_plan(mdp, "cvar(1/2)").law
        for level in set(law.cumulative()) - {Fraction(1)}:
            G = vr.VaR(level, upper=upper)
            plan = vr.plan(mdp, G, eta=Fraction(1, 60))
            found, _ = recheck._extended(plan, Watch(None, None))
            best = vr.exact_plan(mdp, G).value
            assert best <= found
            met += level.denominator.bit_count() > 1  # no float
    assert met >= 5


def test_what_rounding_up_a_density_adds_is_subtracted():
    """Uniform rewards are up to a unit below what the grid says, however exactly the rest lies on it."""
    from scipy import stats

    for discount in (1, Fraction(1, 2)):
        mdp = vr.MDP(0, [[[1]]], [[stats.uniform()]], horizon=2, discount=discount)
        assert wide.WideModel(mdp, Fraction(1, 8)).loss == Fraction(1, 4)


# -- cells of one grid ------------------------------------------------------------------------------------------------


def test_cells_are_those_of_one_grid_from_the_least_reward_on():
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=2, discount="1/2")
    linear, table = np.zeros((2, 1), dtype=int), [np.zeros((1, 1), dtype=int)] * 2

    def policy(eta="1/4", least=None):
        return CellPolicy(mdp, eta, (0, 0), 3, table, linear, least)

    def mixed(*parts):
        return vr.MixturePolicy([(Fraction(1, len(parts)), part) for part in parts])

    assert cells_worth.cells_of(mixed(policy(), policy())) is not None
    assert cells_worth.cells_of(mixed(policy(), policy(eta="1/8"))) is None
    assert cells_worth.cells_of(mixed(policy(), policy(least="-1/4"))) is None
    assert cells_worth.cells_of(mixed(policy(), vr.MarkovPolicy(mdp, [[0], [0]]))) is None


@pytest.mark.parametrize("off", [Fraction(), Fraction(1, 1_000_003)], ids=["by averages", "by the best quantile"])
@pytest.mark.parametrize(("start", "passed"), [(1, False), (2, False), (3, True)])
def test_a_jump_within_a_cell_is_passed_from_the_next_cell_on(start, passed, off):
    """The CDF reaches 3/4 at 5/8, within cell 2 of quarters; its average there is 1/2, beyond the level 1/3."""
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/4", Fraction(5, 8) + off: "1/2", 1: "1/4"}]], horizon=1, discount="1/2")
    assert few_returns(mdp, vr.VaR("1/3")) is (off > 0)
    G, tables = vr.objective("1/2*var(1/3) + 1/2*mean"), CellTables(mdp, Fraction(1, 4))
    proof = Proof(Fraction(1, 100), 0.0, Branch(), (start,), Fraction(1, 4))
    found = cells_worth.replay_between(G, tables, proof)
    before = list(found.lines)
    cells_worth.pass_jumps(found, G, vr.MarkovPolicy(mdp, [[0]]), tables, proof)
    assert any(new is not old for new, old in zip(found.lines, before, strict=True)) is passed
