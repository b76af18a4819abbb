"""The exact planner against brute force over all deterministic policies, cell by cell and row by row."""

import itertools
import random
from fractions import Fraction

import oracles
import plan_models as models
import pytest
from plan_models import as_mdp, tail_objectives

import verified_risk as vr
from verified_risk.errors import Unsupported
from verified_risk.grid import compiled, grid_model
from verified_risk.planning import exact_route
from verified_risk.planning import exact_route as exact

MODELS = 250
MOST_POLICIES = 1500

LEVELS = [Fraction(1, 10), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), Fraction(1)]


def small_models(seed, count, most=MOST_POLICIES, **sizes):
    """Models with at most ``most`` policies, two in five of horizon 3, two of horizon 2, one of horizon 1."""
    rng = random.Random(seed)
    for horizon in itertools.islice(itertools.cycle((3, 2, 3, 2, 1)), count):
        while True:
            model = oracles.random_model(rng, max_states=3, max_actions=3, max_horizon=3, **sizes)
            if model.horizon == horizon and 1 < oracles.count_return_policies(model) <= most:
                break
        yield model, rng


def objectives(rng):
    a, b, c = rng.sample(LEVELS, 3)
    w = rng.choice([Fraction(1, 4), Fraction(1, 2), Fraction(2, 3)])
    return {
        **tail_objectives(a, w),
        "spectral": (
            vr.Spectral([a, b, c], [w / 2, w / 2, 1 - w]),
            lambda law: w / 2 * (oracles.cvar(law, a) + oracles.cvar(law, b)) + (1 - w) * oracles.cvar(law, c),
        ),
        "upper-var": (
            vr.VaR(a - Fraction(1, 20), upper=True),
            lambda law: oracles.quantile(law, a - Fraction(1, 20), upper=True),
        ),
    }


@pytest.mark.parametrize("batch", range(5))
def test_the_planner_attains_the_brute_force_optimum(batch):
    """250 models of 2 to 3 states, 2 to 3 actions, T up to 3; every objective on every one of them."""
    for model, rng in small_models(f"plan {batch}", MODELS // 5, min_states=2, min_actions=2):
        laws = list(oracles.all_return_laws(model))
        mdp = as_mdp(model)
        for name, (G, phi) in objectives(rng).items():
            plan = vr.exact_plan(mdp, G)
            best = max(map(phi, laws))
            assert plan.value == best, name
            assert phi(dict(plan.law)) == best, name


def test_no_history_dependent_policy_beats_the_planner():
    """Brute force over every deterministic policy of the whole history, T <= 2."""
    rng, done = random.Random("histories"), 0
    while done < 150:
        model = oracles.random_model(rng, max_states=2, max_actions=2, max_horizon=2, product=rng.random() < 0.5)
        if not 1 < oracles.count_history_policies(model) <= 300:
            continue
        done += 1
        laws = list(oracles.all_history_laws(model))
        for G, phi in objectives(rng).values():
            assert vr.exact_plan(as_mdp(model), G).value == max(map(phi, laws))


def test_randomising_does_not_help_a_concave_objective_or_a_quantile():
    for model, rng in small_models("mixtures", 60, most=30):
        laws = list(oracles.all_return_laws(model))
        for G, phi in objectives(rng).values():
            best = vr.exact_plan(as_mdp(model), G).value
            for _ in range(5):
                a, b, w = rng.choice(laws), rng.choice(laws), Fraction(rng.randint(0, 6), 6)
                mixed = {x: w * a.get(x, 0) + (1 - w) * b.get(x, 0) for x in {*a, *b}}
                assert phi({x: p for x, p in mixed.items() if p}) <= best


@pytest.mark.parametrize("G", [vr.Wang(0.5), vr.CPW(0.7), vr.PiecewiseLinear([(0, 0), ("1/2", 0), (1, 1)])], ids=repr)
def test_what_has_no_exact_algorithm_is_refused_by_name(G):
    mdp = vr.MDP(initial=0, transitions=[[[1]]], rewards=[[1]], horizon=1)
    with pytest.raises(vr.errors.Unsupported, match=r"use plan\(mdp, G\)"):
        vr.exact_plan(mdp, G)


def test_ties_go_to_the_least_action():
    mdp = vr.MDP(initial=0, transitions=[[[1]] * 3], rewards=[[1, 1, 1]], horizon=2)
    for G in (vr.Mean(), vr.CVaR("1/2"), vr.VaR("1/2"), vr.Spectral(["1/4", "1/2"], ["1/2", "1/2"])):
        policy = vr.exact_plan(mdp, G).policy
        assert policy.choice(0, 0, Fraction(0)) == policy.choice(1, 0, Fraction(1)) == ((0, Fraction(1)),)


def test_several_levels_need_the_search_and_get_the_optimum_on_a_deeper_model():
    """Three levels and T = 5: against the maximum over all ordered vectors of rhos, one utility at a time."""
    rng = random.Random("deep")
    for _ in range(4):
        model = oracles.random_model(rng, max_states=3, max_actions=2, max_horizon=4)
        levels = [(Fraction(1, 10), Fraction(1, 2)), (Fraction(1, 3), Fraction(1, 4)), (Fraction(2, 3), Fraction(1, 4))]
        plan = vr.exact_plan(as_mdp(model), vr.Spectral(*zip(*levels, strict=True)))
        assert plan.value == oracles.best_spectral_by_rho_vectors(model, levels)


def test_too_many_budgets_are_refused_before_they_are_listed(monkeypatch):
    """One state and a discount: every step multiplies the budgets, so the first ones tell."""
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", 1: "1/2"}, {"1/3": 1}]], horizon=6, discount="19/20")
    steps = []
    honest = exact_route.budget_pass
    monkeypatch.setattr(exact_route, "MOST_BUDGETS", 4000)

    def counted(grid, budgets, terminal, known, tick):
        def seen(t, s, b):
            steps.append(t)
            return known(t, s, b)

        return honest(grid, budgets, terminal, seen, tick)

    monkeypatch.setattr(exact_route, "budget_pass", counted)
    with pytest.raises(Unsupported, match="too many returns to list"):
        vr.exact_plan(mdp, vr.CVaR("1/4"))
    assert max(steps) == 0, "the first step has 729 budgets: six such steps are already too many"


def test_several_levels_are_searched_until_nothing_is_better_by_any_amount():
    """Returns that differ by a trillionth of themselves: close is not the best."""
    G, rng, far = vr.Spectral(["1/4", "1/2"], ["1/2", "1/2"]), random.Random("trillion"), 10**12
    for _ in range(30):
        laws = []
        for _ in range(4):
            values, weights = rng.sample(range(20), 4), [rng.randint(1, 5) for _ in range(4)]
            laws.append(vr.Law({far + v: Fraction(w, sum(weights)) for v, w in zip(values, weights, strict=True)}))
        plan = vr.exact_plan(vr.MDP(0, [[[1]] * 4], [laws], horizon=1), G)
        assert plan.value == max(map(G.of, laws))


@pytest.fixture
def rows_always(monkeypatch):
    monkeypatch.setattr(exact_route, "worth_it", lambda mdp: True)
    monkeypatch.setattr(exact, "FEW_CELLS", 0)


@pytest.mark.usefixtures("rows_always")
@pytest.mark.parametrize("name", ["cvar", "mean-cvar", "var", "upper-var"])
def test_rows_and_cells_give_the_same_optimum(name):
    """The policies' laws are checked too: exact_plan compares the recursion with the exact evaluation of its policy."""
    rng = random.Random(f"limbs {name}")
    for _ in range(50):
        mdp, _ = models.product(rng, max_states=3, max_actions=3, max_horizon=5)
        if rng.random() < 0.5:
            mdp = as_mdp(models.data_of(mdp))
        a = rng.choice([Fraction(1, 10**30), Fraction(1, 7), Fraction(1, 2)])
        G = {
            "cvar": vr.CVaR(a),
            "mean-cvar": Fraction(1, 3) * vr.Mean() + Fraction(2, 3) * vr.CVaR(a),
            "var": vr.VaR(a),
            "upper-var": vr.VaR(a, upper=True),
        }[name]
        grid = grid_model(mdp)
        assert exact._in_rows(mdp, grid, G) is not None
        assert vr.exact_plan(mdp, G).value == exact._in_cells(grid, G, grid.reachable())[0]


@pytest.mark.usefixtures("rows_always")
@pytest.mark.parametrize(("denominator", "by_rows"), [(2**32, True), (2**32 + 1, False)])
def test_long_weights_are_left_to_cells(denominator, by_rows):
    q = Fraction(1, denominator)
    mdp = vr.MDP(initial=0, transitions=[[[1]]], rewards=[[{0: q, 1: 1 - q}]], horizon=2)
    assert (exact._in_rows(mdp, grid_model(mdp), vr.CVaR("1/2")) is not None) == by_rows
    low = {0: q * q, 1: 2 * q * (1 - q)}
    assert vr.exact_plan(mdp, "cvar(1/2)").value == (low[1] + 2 * (Fraction(1, 2) - low[0] - low[1])) * 2


@pytest.mark.parametrize("limit", ["MOST_UNITS", "MOST_ACTIONS", "MOST_DIGITS"])
def test_tables_beyond_a_limit_are_refused(limit, monkeypatch):
    mdp = vr.models.two_paths()
    grid = grid_model(mdp)
    arguments = (compiled(mdp), 0, 1, exact.mean_to_go(grid), grid.denominator)
    exact_route.row_tables(*arguments)
    monkeypatch.setattr(exact_route, limit, 1)
    with pytest.raises(exact_route.TooLarge):
        exact_route.row_tables(*arguments)
