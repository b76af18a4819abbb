"""Every bound on rounding against its theorem in rationals, from both sides: never below it, and hardly above.

A bound that is used a hundredth below what the theorem asks for is wrong without any plan showing it: worst cases of
hundreds of roundings do not occur.  So what the code uses is compared with the formula of theory 05, written out in
rationals; the formulas themselves are compared with runs in which every operation rounds the worst way (:mod:`counted`,
and the last tests here).
"""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import verified_risk as vr
from verified_risk.grid import float_model, scaled_model
from verified_risk.kernels import cell_pass as between_kernels
from verified_risk.models import random_sparse
from verified_risk.objectives.polygon import Polygon
from verified_risk.planning.search.cells_route import CellOracle, reference
from verified_risk.planning.search.grid_coordinates import Oracle
from verified_risk.planning.search.grid_route import _raised_cdf
from verified_risk.planning.search.relaxation import Relaxation
from verified_risk.planning.tails import interpolated_tables
from verified_risk.planning.tails.budget_tables import budget_tables, linear_part
from verified_risk.planning.tails.tail_route import STEEPEST, _cannot_underflow, assemble, best_mean, rho_window

Q = Fraction
U = Q(1, 2**53)
LEAST_NORMAL = Q(1, 2**1022)
CLOSE = 1 + Q(1, 10**4)
"""How far above its theorem a bound may be, where nothing but rounding separates them."""


def gamma(depth: int) -> Fraction:
    return depth * U / (1 - depth * U)


def chain(horizon: int, top: int, outcomes: int = 2) -> vr.MDP:
    """One state, one action: ``outcomes`` rewards from 0 to ``top``, of probabilities that are no floats."""
    rewards = sorted({k * top // (outcomes - 1) for k in range(outcomes)})
    return vr.MDP(0, [[[1]]], [[dict.fromkeys(rewards, Q(1, len(rewards)))]], horizon=horizon)


def costs(n: int) -> list[np.ndarray]:
    """Vectors whose sums round: all equal, of alternating sign, one large among many small ones, and nothing."""
    small = np.full(n, 2.0**-53)
    small[0] = 1.0
    return [np.full(n, 1 / 3), np.array([(-1) ** k / 7 for k in range(n)]), small, np.full(n, 1e-300), np.zeros(n)]


def total(c: np.ndarray) -> Fraction:
    return sum((abs(Q(float(x))) for x in c), Q())


@pytest.mark.parametrize(("horizon", "top", "outcomes"), [(1, 3, 2), (3, 40, 3), (2, 500, 7)])
def test_a_search_allows_its_values_what_a5_asks_for(horizon, top, outcomes):
    oracle = Oracle(float_model(chain(horizon, top, outcomes), Q(1)))
    depth = oracle.top + horizon * (outcomes + 4) + 3  # terminal sums; a joint probability, its product and sum; start
    operations = horizon * (oracle.top + 1) * outcomes * 2
    for c in costs(oracle.top):
        theorem = gamma(depth) * total(c)
        slack = Q(oracle.slack(c))
        assert theorem + operations * LEAST_NORMAL <= slack <= theorem * CLOSE + Q(1, 10**280)


@pytest.mark.parametrize(("horizon", "top", "outcomes"), [(1, 3, 2), (3, 40, 3), (2, 500, 7)])
def test_the_contractor_allows_for_what_b5_asks_for(horizon, top, outcomes):
    oracle = Oracle(float_model(chain(horizon, top, outcomes), Q(1)))
    tables = horizon * (outcomes + 4) + 3
    for c in costs(oracle.top):
        for down, up in ((0.1, 0.0), (0.0, 1 / 3), (1 / 7, 1 / 3)):
            c_low, c_high = c - down, c + up
            spread = [max(Q(m) - Q(a), Q(b) - Q(m)) for a, m, b in zip(c_low, c, c_high, strict=True)]
            sizes = total(c) + sum(spread, Q())
            theorem = 2 * gamma(oracle.top + tables) * total(c) + 2 * gamma(tables) * sum(spread, Q()) + 4 * U * sizes
            assert theorem <= Q(oracle.margin(c, c_low, c_high)) <= theorem * CLOSE + Q(1, 10**300)
    exactly = (1 + U) / (1 - (oracle.top + 3) * U)  # a sum of differences and products, then one more product
    assert exactly <= Q(oracle.inflate) <= 1 + (exactly - 1) * 2


def test_the_window_of_budgets_is_the_least_that_holds_its_formula():
    """In whole numbers: mu - sigma sqrt((1 - alpha) / alpha) rounded down, and no more than two units lower."""
    for seed, alpha in ((1, Q(1, 100)), (2, Q(1, 3)), (3, Q(9, 10)), (4, Q(1, 10**40))):
        mdp = random_sparse(4, 2, 3, 3, 8, seed=seed)
        model = float_model(mdp, Q(1, 10**5))
        linear = linear_part(model, with_variance=True)
        mean, top = best_mean(model, linear), model.remaining[0]
        low, high = rho_window(model, linear, alpha)
        squared = (max(Q(linear.variance), Q()) + Q(linear.slack)) * (1 - alpha) / alpha
        assert (mean.lower - low) ** 2 >= squared or low == 0
        assert low == 0 or (mean.lower - low - 2) ** 2 <= squared
        greatest = mean.upper + (mean.upper - low) * alpha / (1 - alpha)
        assert min(greatest, top) <= high <= min(greatest + 1, top)


def test_budgets_that_are_not_compared_exactly_are_worth_no_more_than_is_said():
    """Thousands of budgets, equally good up to rounding: the upper bound is at least that of each of them."""
    rng = np.random.default_rng(1)
    model = float_model(chain(2, 1500), Q(1))
    tables = budget_tables(model, Q(), 0, model.remaining[0])
    for slope in (Q(3), Q(10), STEEPEST):
        for level in (-1.0, -1000.0, 0.0):
            rhos = range(model.remaining[0] + 1)
            short = np.array([max(rho - level, 0.0) / float(slope) for rho in rhos])
            short *= 1 + rng.choice([-1, 0, 1], len(short)) * 2.0**-52
            found = assemble(replace(tables, shortfall=short), Q(), slope)
            every = [rho - slope * tables.enclosure.below(float(w)) for rho, w in zip(rhos, short, strict=True)]
            above = max(every)
            largest = 2 * len(rhos) + abs(above)
            allowed = 2 * (tables.enclosure.depth + 8) * U * largest + slope * tables.enclosure.underflow
            assert above <= found.upper <= above + allowed


def test_a_product_of_probabilities_far_from_the_least_float_cannot_underflow():
    """Two outcomes a step in 20 steps: each history has a probability of at least 2**-k."""
    for bits, safe in ((47, True), (48, True), (49, False), (60, False)):
        q = Q(1, 2**bits)
        mdp = vr.MDP(0, [[[1]]], [[{0: q, 1: 1 - q}]], horizon=20)
        assert _cannot_underflow(float_model(mdp, Q(1))) is safe
        if safe:
            assert q**20 * Q(1, 2**20) > LEAST_NORMAL * 2**20
    lost = vr.MDP(0, [[[1]]], [[{0: Q(1, 2**1100), 1: 1 - Q(1, 2**1100)}]], horizon=1)
    assert not _cannot_underflow(float_model(lost, Q(1)))


def test_a_dual_bound_is_lowered_by_the_roundings_of_its_last_sum():
    """Weak duality (B1): a value and minima whose exact sum is known; terms that cancel, and terms that do not."""
    polygon = Polygon(np.array([0.0, 0.3, 1.0]), np.array([0.0, 0.7, 1.0]))
    rng = np.random.default_rng(7)
    for n in (1, 40, 3000):
        for value in (0.0, 1 / 3, -1e6):
            search = Relaxation(SimpleNamespace(top=n), polygon, 0.0, np.inf)
            search.vertex = lambda cost, value=value: (value, cost)
            low, high = np.sort(rng.random((2, n)), axis=0)
            bound, _, _, least = search.dual(rng.uniform(-2, 5, n), low, high)
            exact = sum(map(Q, least.tolist()), Q())
            sizes = abs(Q(value)) + abs(exact)
            assert U * sizes <= Q(value) + exact - Q(bound) <= 8 * U * sizes


def test_a_mixture_of_laws_is_raised_in_every_operation():
    oracle = Oracle(float_model(chain(3, 40, 3), Q(1)))
    choice, law_gamma = oracle.choice, gamma(3 * (3 + 4) + 1 + oracle.top + 4)
    for weights in ((1,), (1, 2), (3, 5, 7)):
        scale = Q(sum(weights))
        raised = _raised_cdf(oracle, [(w / scale, choice) for w in weights])
        for x, high in zip(oracle.cdf(choice).tolist(), raised.tolist(), strict=True):
            exact = min(Q(1), Q(x) * (1 + law_gamma))
            assert exact <= Q(high) <= exact + (4 + 4 * len(weights)) * U


def test_the_minima_of_a_tilted_polygon_are_rounded_below_the_exact_ones():
    """Polygons with steep and flat pieces, slopes of many sizes: against all corners in rationals."""
    rng, above = np.random.default_rng(3), 0
    for _ in range(150):
        x = np.concatenate(([0.0], np.sort(rng.random(rng.integers(1, 9))), [1.0]))
        g = np.concatenate(([0.0], np.sort(rng.random(len(x) - 2)) ** rng.choice([1, 5]), [1.0]))
        polygon = Polygon(x, g)
        n = 40
        low, high = np.sort(rng.random((2, n)), axis=0)
        cost = rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-3, 4, n)
        search = Relaxation(SimpleNamespace(top=n), polygon, 0.0, np.inf)
        least, where = search.tilted_minima(cost, low, high)
        assert ((low <= where) & (where <= high)).all()
        for c, a, b, found in zip(cost, low, high, least, strict=True):
            corners = [Q(float(a)), *(Q(float(t)) for t in x if a < t < b), Q(float(b))]
            exact = min(polygon(t) - Q(float(c)) * t for t in corners)
            sizes = 1 + abs(Q(float(c)))
            assert exact - Q(1, 2**46) * sizes <= Q(float(found)) <= exact
            above += Q(float(found)) + Q(1, 2**48) * sizes > exact + Q(1, 2**54) * sizes
    assert above > 0, "some minimum needs more than half a rounding"


# -- formulas against runs of another shape ---------------------------------------------------------------------------


def test_what_moves_a_table_between_nodes_exceeds_its_roundings_but_not_by_much():
    """A backup of n outcomes has n products of three factors, their sums, and as many corrections: between
    ``2 n + 5`` and 64 times as many roundings are allowed for."""
    for terms in (1, 5, 40):
        for size in (1.0, 1e6):
            needed = (2 * terms + 5) * U * Q(size)
            assert needed <= Q(float(between_kernels.outward(terms, size))) <= 64 * needed
        assert between_kernels.outward(terms, 1e-320) >= 4 * terms * LEAST_NORMAL  # every product may vanish
    for mdp in (chain(3, 40, 3), chain(2, 500, 7)):
        model = scaled_model(mdp.with_discount("9/10"), Q(1, 3))
        terms = int(np.diff(model.succ_start).max()) + int(np.diff(model.reward_start).max())
        for t in range(model.horizon):
            for kappa in (Q(), Q(2)):
                size = (1 + kappa) * (model.tops[t][0] + model.steps[t].span)
                needed = (2 * terms + 5) * U * size
                assert needed <= Q(interpolated_tables._outward(model, t, kappa)) <= 64 * needed
        vanishing = interpolated_tables._left(interpolated_tables.mean_part(model), 0, LEAST_NORMAL / 2**20, False)
        assert (vanishing >= float(LEAST_NORMAL)).all()


def test_ranges_between_points_have_room_for_the_sum_over_first_states(monkeypatch):
    n = 30
    mdp = vr.MDP({s: Q(1, n) for s in range(n)}, [[{s: 1}] for s in range(n)], [[1]] * n, 1, "9/10")
    oracle = CellOracle(mdp, Q(1, 4))

    monkeypatch.setattr(between_kernels, "contract_cells", lambda *arrays: [x.fill(0.5) for x in arrays[-2:]])
    for end in oracle.ranges(oracle.choice[:, :, : oracle.top]):
        assert all((n + 1) * U <= abs(Q(x) - Q(1, 2)) <= 64 * (n + 2) * U for x in end.tolist())


def test_actions_with_equal_means_lose_nothing_in_the_reference_for_pruning():
    """Means that are equal in rationals and differ as floats."""
    for n in range(3, 40):
        tied = [{0: Q(n - 1, n), 1: Q(1, n)}, {Q(1, n): 1}, {0: Q(n - 2, n), Q(1, 2): Q(2, n)}]
        mdp = vr.MDP(0, [[[1]] * 3], [tied], horizon=3, discount="7/10")
        assert (reference(scaled_model(mdp, Q(1, 7), (0,) * 3, joint=True)).loss <= 0).all()


def worst(values: list[float], down: bool) -> Fraction:
    """A sum as the standard model allows it at worst: every partial sum off by ``u`` the same way."""
    found = Q()
    for x in values:
        found = (found + Q(x)) * (1 - U if down else 1 + U)
    return found


def test_a_long_sum_that_rounds_one_way_uses_most_of_what_is_allowed():
    """Mass of one kind added to one cell for many steps: the true error is more than a fifth of the bound."""
    horizon = 400
    mdp = vr.MDP(0, [[[1]]], [[{0: Q(1, 3), 1: Q(2, 3)}]], horizon=horizon)
    model = float_model(mdp, Q(1))
    tables = budget_tables(model, Q(), 0, model.remaining[0])
    exact = Q()  # E (T - Z)^+ = T / 3, every rounding of a third down, of two thirds up
    for _ in range(horizon):
        exact += Q(1, 3)
    computed = Q(float(tables.shortfall[-1]))
    assert tables.enclosure.below(float(computed)) <= exact <= tables.enclosure.above(float(computed))
    third, rest = Q(1 / 3), Q(2 / 3)
    allowed = tables.enclosure.above(1.0) - 1
    per_step = [worst([float(third), float(rest)], down) for down in (True, False)]
    spread = max(abs(x**horizon - 1) for x in per_step)
    assert spread <= allowed <= 5 * spread


def test_underflow_is_charged_where_every_small_product_is_flushed_to_zero():
    """Hardware may flush what is below the least normal number: then a history of that probability vanishes."""
    horizon = 3
    q = Q(1, 2**341)  # three in a row are below 2**-1022
    mdp = vr.MDP(0, [[[1]]], [[{0: q, 1: 1 - q}]], horizon=horizon)
    model = float_model(mdp, Q(1))
    tables = budget_tables(model, Q(), 0, model.remaining[0], threshold=True)
    exact = q**horizon  # P(Z < 1)
    assert exact < LEAST_NORMAL
    assert tables.enclosure.above(0.0) >= exact
    assert tables.enclosure.above(0.0) >= horizon * 2 * LEAST_NORMAL  # a product and a weight in every step
    small = float(2**20 * LEAST_NORMAL)
    assert tables.enclosure.below(small) <= Q(small) - horizon * 2 * LEAST_NORMAL
    assert tables.enclosure.above(0.0) <= 100 * horizon * (model.remaining[0] + 2) * LEAST_NORMAL


def averages(law: dict[Fraction, Fraction], cells: int) -> list[Fraction]:
    """The CDF of a law averaged over cells -1, 0, ..., ``cells``."""
    return [sum((p * min(max(k + 1 - z, 0), 1) for z, p in law.items()), Q()) for k in range(-1, cells + 1)]


@pytest.mark.parametrize("outcomes", [2, 30])
def test_the_contractor_between_points_charges_the_roundings_of_its_rows(outcomes):
    """The slopes up to which an action is removed, against those at which D3 holds with equality in rationals."""
    rng = np.random.default_rng(outcomes)
    weights = rng.integers(1, 50, (2, outcomes))
    laws = [dict(zip([Q(int(z), 7) for z in rng.choice(60, outcomes, replace=False) + 9 * a],
                     [Q(int(w), int(weights[a].sum())) for w in weights[a]], strict=True)) for a in (1, 0)]  # fmt: skip
    oracle = CellOracle(vr.MDP(0, [[[1], [1]]], [laws], 1, "1/2"), Q(1))
    low = min(z for law in laws for z in law)
    one, other = (averages({z - low: p for z, p in law.items()}, oracle.top) for law in laws)
    c0, shape = 1.0 + rng.random(oracle.top), 0.5 + rng.random(oracle.top)
    oracle.solve(c0)
    own = int(oracle.choice[0, 0, 0])
    mine, its = (other, one) if own else (one, other)

    def loss_and_allowance(share: float) -> tuple[Fraction, Fraction, Fraction]:
        down = [Q(float(c)) - Q(float(c - share * w)) for c, w in zip(c0, shape, strict=True)]
        up = [Q(float(c + share * w)) - Q(float(c)) for c, w in zip(c0, shape, strict=True)]
        gap = sum((Q(float(c)) * (its[k] - mine[k]) for k, c in enumerate(c0, 1)), Q())
        sides = list(enumerate(zip(down, up, strict=True), 1))
        won = sum((max(d * (its[k] - mine[k]), u * (mine[k] - its[k])) for k, (d, u) in sides), Q())
        rise = [x + y for x, y in zip(mine, its, strict=True)]
        swung = sum(((d + u) / 4 * (rise[k + 1] - rise[k - 1]) for k, (d, u) in sides), Q())
        return gap, won + swung, sum(map(max, down, up), Q())

    def removed(share: float) -> bool:
        kept = oracle.allowed.copy()
        return oracle._contract(kept, oracle.choice, c0, c0 - share * shape, c0 + share * shape)[2] == 1

    assert removed(0.0)
    inside, outside = 0.0, 1.0
    while not removed(outside) and np.nextafter(inside, outside) < outside:
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if removed(middle) else (inside, middle)
    gap, allowance, spread = loss_and_allowance(inside)
    step, size = (16 * outcomes + 256) * U, total(c0)
    charged = step * spread + 2 * (step + 4 * (oracle.top + 2) * U) * size + 16 * (oracle.top + 8) * U * allowance
    assert (8 * outcomes + 96) * U * spread + 2 * (2 * outcomes + 5 + oracle.top) * U * size < charged
    assert 0.97 * charged <= gap - allowance <= 1.03 * charged


def test_an_oracle_between_points_is_below_every_cost_by_more_than_its_start_rounds():
    mdp = vr.MDP([Q(1, 3)] * 3, [[[1, 0, 0]], [[0, 1, 0]], [[0, 0, 1]]], [[{0: 1}], [{1: 1}], [{2: 1}]], 1, "1/2")
    oracle = CellOracle(mdp, Q(1, 4))
    for c in costs(oracle.top):
        exact = sum((Q(1, 3) * sum((Q(float(x)) for x in c[4 * z :]), Q()) for z in range(3)), Q())
        low, high = Q(oracle.solve(c)), Q(oracle.above(c, oracle.choice))
        assert low <= exact <= high
        assert high - low <= 10**4 * U * total(c) + Q(1, 10**280)
        below, rows = oracle.solve(c), oracle._values[0, oracle.initial_state, 0]
        rounded = Q(float(oracle.initial_prob @ rows)) - Q(below)  # a probability, a product and a sum for each start
        assert 4 * U * Q(float(np.abs(rows).max())) <= rounded <= 40 * U * Q(float(np.abs(rows).max()))
