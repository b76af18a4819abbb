"""Any weighting with a discount: tables read between grid points, against brute force, LPs and poor incumbents."""

import itertools
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import oracles
import plan_models as models
import pytest
from test_plan_discounted import discounted, forget_the_scale_of_one_step, round_to_nearest
from test_search_incumbents import FixedIncumbent

import verified_risk as vr
from verified_risk import grid
from verified_risk.kernels import cell_pass
from verified_risk.numbers.enclosure import bounds
from verified_risk.objectives.lines import line_above
from verified_risk.planning import clock
from verified_risk.planning.search import branching, cells_route
from verified_risk.planning.search.cells_route import CellOracle, CellSearch, _add, reference
from verified_risk.planning.tails.refine import refined_plan

DISCOUNTS = [Fraction(1, 2), Fraction(2, 3), Fraction(9, 10), Fraction(1, 5)]
CONVEX = ((Fraction(0), Fraction(0)), (Fraction(1, 4), Fraction(1, 16)), (Fraction(1, 2), Fraction(1, 4)), (1, 1))
MIXED = ["1/2*wang(1/2) + 1/2*cvar(1/4)", "1/2*cpw(0.6) + 1/2*mean", "1/2*var(1/3) + 1/2*mean"]
OBJECTIVES = ["wang(3/4)", "wang(-1/2)", "cpw(0.71)", "dual(2)", *MIXED]
SEVERAL = vr.Spectral(["1/10", "1/2", 1], ["1/2", "1/4", "1/4"])
POLYGON = vr.PiecewiseLinear([(0, 0), ("1/4", "1/2"), ("3/4", "5/8"), (1, 1)])


def cases(seed: str, count: int, **sizes):
    """A discounted MDP, its oracle data and a grid step of some to some dozens of cells."""
    for mdp, model, rng in discounted(seed, count, DISCOUNTS, **sizes):
        low, high = mdp.remaining_range(0)
        if low < high:
            yield mdp, model, (high - low) / rng.choice([3, Fraction(29, 4), 16, Fraction(101, 3)]), rng


def one_round(mdp, G, eta, seconds=0.4):
    return cells_route._round(mdp, vr.objective(G), eta, Fraction(1, 10**6), clock.now() + seconds)


def value_of(G, law) -> tuple[Fraction, Fraction]:
    return bounds(vr.objective(G).of(vr.Law({z: p for z, p in law.items() if p})))


@pytest.mark.parametrize(("seed", "count"), [("between", 72), pytest.param("many", 600, marks=pytest.mark.slow)])
def test_each_rounds_bounds_enclose_the_best_policy_and_its_own_attains_the_lower_one(seed, count):
    for number, (mdp, model, eta, _) in enumerate(cases(seed, count, max_states=2, max_actions=2)):
        G = [*OBJECTIVES, SEVERAL, POLYGON][number % 9]
        found = one_round(mdp, G, eta)
        assert max(value_of(G, law)[0] for law in oracles.all_return_laws(model)) <= found.upper
        assert value_of(G, models.law_by_playing(model, found.policy))[1] >= found.lower


class PoorSearch(FixedIncumbent, CellSearch):
    MOST_NODES = 12


def least_cost(mdp, model, eta, polygon) -> Fraction:
    """The least integral of the polygon of a CDF, over deterministic policies, in cells."""
    low, _ = mdp.remaining_range(0)
    top = cells_route.cells_of(mdp, eta)
    costs = []
    for law in oracles.all_return_laws(model):
        atoms = sorted(z for z, p in law.items() if p)
        level, total = Fraction(), Fraction()
        for z, following in zip(atoms, [*atoms[1:], low + top * eta], strict=True):
            level += law[z]
            total += polygon(level) * (following - z) / eta
        costs.append(total)
    return min(costs)


@pytest.mark.parametrize("G", [SEVERAL, POLYGON, vr.PiecewiseLinear(CONVEX)], ids=["concave", "general", "convex"])
def test_no_incumbent_makes_the_bound_false(G, monkeypatch):
    monkeypatch.setattr(branching, "ROOT_ROUNDS", 2)
    monkeypatch.setattr(branching, "NODE_ROUNDS", 2)
    polygon = G.polygon_below(Fraction(1, 10**6))
    branched = removed = 0
    for mdp, model, eta, _ in cases("incumbents", 12, max_states=2, max_actions=3):
        least = least_cost(mdp, model, eta, polygon)
        for above in (0.01, 0.3):
            oracle = CellOracle(mdp, eta)
            search = PoorSearch(oracle, polygon, 1e-9, np.inf)
            search.best.value = float(least) + above
            search.run()
            assert Fraction(max(search.bound, search.uncut_bound)) <= least + Fraction(1, 10**12)
            branched += search.nodes > 0
            removed += int((oracle.allowed != CellOracle(mdp, eta).allowed).sum())
    assert branched >= 5
    assert removed >= 20


def averages(law, offset, eta, top) -> list[Fraction]:
    """The CDF of a law, averaged over the cells of a grid, from the definition."""
    found = []
    for k in range(top):
        left, right = offset + k * eta, offset + (k + 1) * eta
        found.append(sum((p * max(right - max(z, left), Fraction()) for z, p in law.items()), Fraction()) / eta)
    return found


def test_cost_vectors_and_ranges_enclose_what_policies_do():
    for mdp, model, eta, rng in cases("oracle", 40, max_states=3, max_actions=2):
        oracle = CellOracle(mdp, eta)
        cost = np.array([rng.uniform(-1, 3) for _ in range(oracle.top)])
        below = oracle.solve(cost)
        every = [averages(law, mdp.remaining_range(0)[0], eta, oracle.top) for law in oracles.all_return_laws(model)]
        least = min(sum(Fraction(c) * a for c, a in zip(cost.tolist(), A, strict=True)) for A in every)
        assert below <= least
        choice = oracle.choice.copy()
        policy = cells_route.policy_of(oracle, choice)
        own = averages(models.law_by_playing(model, policy), mdp.remaining_range(0)[0], eta, oracle.top)
        worth = sum(Fraction(c) * a for c, a in zip(cost.tolist(), own, strict=True))
        assert least <= worth <= oracle.above(cost, choice)
        low, high = oracle.ranges(choice)
        assert all(x <= a <= y for x, a, y in zip(low, own, high, strict=True))


def test_losses_and_distances_are_those_of_the_laws():
    for mdp, model, eta, _ in cases("reference", 25, max_states=3, max_actions=2):
        found = reference(grid.scaled_model(mdp, eta, (0,) * mdp.horizon, joint=True))
        starts = np.concatenate(([0], np.cumsum(mdp.n_actions)))

        def law(t, s, a, model=model, found=found, least=mdp.reward_range[0]):
            """The law of the later rewards, if a is played once and the reference policy afterwards."""
            total = {}
            for p, target, r in model.outcomes[s][a]:
                rest = {Fraction(): Fraction(1)}
                if t + 1 < model.horizon:
                    rest = law(t + 1, target, found.action[t + 1, target])
                for z, q in rest.items():
                    z2 = model.discount**t * (r - least) + z
                    total[z2] = total.get(z2, Fraction()) + p * q
            return total

        for t in range(mdp.horizon):
            for s in range(mdp.n_states):
                base = law(t, s, found.action[t, s])
                for a in range(mdp.n_actions[s]):
                    other, i = law(t, s, a), starts[s] + a
                    points = sorted({*base, *other})
                    moved = lost = Fraction()
                    for x, y in itertools.pairwise(points):
                        apart = sum(p for z, p in other.items() if z <= x) - sum(p for z, p in base.items() if z <= x)
                        moved, lost = moved + abs(apart) * (y - x), lost + apart * (y - x)
                    assert found.loss[t, i] <= lost / eta
                    assert found.distance[t, i] >= moved / eta


def test_laws_that_alternate_between_points_are_apart_though_their_shares_agree():
    """Two laws on the middles of every other cell of 512: shared between the points around them both are one law, which
    moves each by half of a cell."""
    n, p, middles = 200, Fraction(1, 400), [Fraction(2 * k + 1, 2) for k in range(50, 451)]
    first = dict.fromkeys(middles[1::2], 2 * p)
    second = {**dict.fromkeys(middles[::2], 2 * p), middles[0]: p, middles[-1]: p}
    mdp = vr.MDP(0, [[[1]] * 3], [[{0: "3/4", 512: "1/4"}, first, second]], horizon=1, discount="1/2")
    cdfs = [list(itertools.accumulate(law.get(x, Fraction()) for x in middles)) for law in (first, second)]
    apart = sum(abs(x - y) for x, y in zip(*cdfs, strict=True))
    assert apart == 2 * n * p == 1
    found = reference(grid.scaled_model(mdp, Fraction(1), (0,), joint=True))
    action = found.action[0, 0]
    assert action in (1, 2)
    assert apart <= found.distance[0][3 - action] <= apart + 0.1


def test_no_cell_loses_its_last_action_to_the_mean():
    """Where the reference was ruled out before, the others are still worse than it; tables need one of them."""
    ints, floats = (lambda *x: np.array(x, dtype=np.int64)), (lambda *x: np.array(x, dtype=float))
    allowed = np.full((1, 1, 3), 0b110, dtype=np.int64)
    tables = [np.zeros((2, 1, 3)) for _ in range(4)]
    removed = cell_pass.rule_out_by_mean(
        ints(0, 3), ints(0, 1, 2, 3), ints(0, 0, 0), floats(1, 1, 1), ints(0, 0, 0)[None], floats(0, 0, 0)[None],
        ints(1, 1), ints(2, 0), allowed, floats(0, 1, 1)[None], floats(0, 0.1, 0.1)[None], ints(0)[None],
        floats(1, 1), floats(1, 1), *tables,
    )  # fmt: skip
    assert removed == 1
    assert allowed[0, 0, 0] == 0b100


def test_a_node_that_is_met_from_the_start_belongs_to_the_cell_on_its_left():
    regret, spread = np.array([[[7.0, 1.0, 5.0, 8.0]]]), np.array([[[1.0, 6.0, 2.0, 1.0]]])
    law = (0, 1, np.zeros(1, dtype=np.int64), np.ones(1), np.full(1, 2))  # pays two units
    for j, share, wanted in ((0, 0.0, (1.0, 6.0)), (0, 0.5, (5.0, 2.0)), (1, 0.0, (8.0, 1.0))):
        found = cell_pass.continuation(
            *law, np.full(1, share), j, 3, False, 0, regret, spread, np.zeros((1, 1, 4)), np.zeros((1, 1, 4))
        )
        assert found == wanted


def test_lines_lie_above_and_touch():
    rng = random.Random("lines")
    for text in [*OBJECTIVES, SEVERAL, POLYGON]:
        G = vr.objective(text)
        for _ in range(12):
            a, b = sorted(Fraction(rng.randint(0, 1000), 1000) for _ in range(2))
            at = a + (b - a) * Fraction(rng.randint(0, 10), 10)
            slope, height = line_above(G, a, b, at)
            for k in range(41):
                tau = a + (b - a) * Fraction(k, 40)
                assert bounds(G.value(tau))[0] <= height + slope * tau
            if G.shape == "concave" and at > Fraction(1, 100):
                assert height + slope * at - bounds(G.value(at))[0] < Fraction(1, 10**5)


def test_linear_programs_agree_with_both_routes():
    """Randomised policies too: convex weightings, and the shortfall of CVaR."""
    G = vr.PiecewiseLinear(CONVEX)
    for mdp, model, eta, rng in cases("programs", 12, max_states=2, max_actions=2):
        best = models.lp_convex(model, G.knots)
        found = one_round(mdp, G, eta)
        assert found.lower - Fraction(1, 10**7) <= Fraction(best) <= found.upper + Fraction(1, 10**7)
        alpha = Fraction(rng.randint(1, 9), 10)
        returns = sorted({z for law in oracles.all_return_laws(model) for z in law})
        cvar = max(float(z) - models.lp_least_shortfall(model, z) / float(alpha) for z in returns)
        plan = refined_plan(mdp, vr.CVaR(alpha), eta, None, None)
        assert plan.lower - Fraction(1, 10**7) <= Fraction(cvar) <= plan.upper + Fraction(1, 10**7)


def read_no_bends(monkeypatch):
    """Tables read on the line between nodes, with no correction: shares that look like none to the bends."""
    honest = grid._scaled_step
    monkeypatch.setattr(
        grid, "_scaled_step", lambda *args: replace(step := honest(*args), share=np.where(step.share > 0, 1.0, 0.0))
    )


def clip_too_early(monkeypatch):
    """Halve, at every inner step, the number of cells that later rewards may cross."""
    honest = cells_route.sizes

    def planted(mdp, eta):
        nodes, wides = honest(mdp, eta)
        wides[1:-1] //= 2
        return nodes, wides

    monkeypatch.setattr(cells_route, "sizes", planted)


def speak_of_the_cell_itself(monkeypatch):
    monkeypatch.setattr(CellSearch, "reach", 0)


@pytest.mark.parametrize(
    "plant", [forget_the_scale_of_one_step, round_to_nearest, clip_too_early, read_no_bends, speak_of_the_cell_itself]
)
def test_planted_faults_are_caught(monkeypatch, plant):
    plant(monkeypatch)
    tests = (
        test_cost_vectors_and_ranges_enclose_what_policies_do,
        lambda: test_no_incumbent_makes_the_bound_false(SEVERAL, monkeypatch),
        lambda: test_no_incumbent_makes_the_bound_false(POLYGON, monkeypatch),
    )
    caught = 0
    for test in tests:
        try:
            test()
        except (AssertionError, IndexError):
            caught += 1
    assert caught


def test_plan_always_answers_and_says_what_it_chose():
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=12, discount="19/20")
    plan = vr.plan(mdp, "wang(1/4)", time_limit=6)
    low, high = mdp.remaining_range(0)
    assert plan.gap < (high - low) / 50
    assert "read between" in plan.certificate.method
    assert vr.plan(mdp, "wang(1/4)", eta="1/20", time_limit=2).eta == Fraction(1, 20)


@pytest.mark.parametrize("at", [0.0, 0.25, 3.5, 4.0, 4.75, 5.0])
def test_mass_between_two_points_is_shared_so_that_its_mean_stays(at):
    """Also between the last two points, and on them."""
    out = np.zeros(6)
    _add(out, np.array([1.0]), at, 1.0, 0.5)
    assert out.sum() == 0.5
    assert out @ np.arange(6) == 0.5 * at
    assert set(np.flatnonzero(out)) <= {int(at), min(int(at) + 1, 5)}
