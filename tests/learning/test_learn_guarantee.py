"""What a run may claim: a table of every combination, and each constant of page 10 written a second time."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from test_learn_run import Chain

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.learning.bounds import UniformProblem, data_bound, uniform_bounds
from verified_risk.learning.declared import Declared, knowledge_of
from verified_risk.learning.standard import standard_form
from verified_risk.learning.target import ALGORITHMS, patience_of

OBJECTIVES = {
    "mean": vr.Mean(),
    "cvar": vr.CVaR("1/2"),
    "mean-cvar": 0.5 * vr.Mean() + 0.5 * vr.CVaR("1/4"),
    "spectral": vr.Spectral(["1/4", "1/2"], ["1/2", "1/2"]),
    "smooth concave": vr.DualPower(2),
    "convex": vr.ProportionalHazard(2),
    "not Lipschitz": vr.VaR("1/3"),
}
CONCAVE = ("mean", "cvar", "mean-cvar", "spectral", "smooth concave")
SEARCHED = ("spectral", "smooth concave")
LINEAR = "the planner's certified error does not vanish"


def joint():
    return vr.MDP.from_outcomes(
        [[[("1/2", 1, 1), ("1/2", 0, 0)], [("1/4", 1, 0), ("3/4", 0, "1/2")]], [[(1, 0, "1/2")], [(1, 1, 0)]]],
        initial=[1, 0],
        horizon=2,
    )


def product(discount=1):
    return vr.MDP(
        0, [[["1/2", "1/2"], [1, 0]], [[0, 1], [1, 0]]], [[{0: "1/2", 1: "1/2"}, {"1/2": 1}], [{0: 1}, {1: 1}]],
        horizon=2, discount=discount,
    )  # fmt: skip


MODELS = {
    "product": (product, {}),
    "grid": (product, {"eta": "1/2"}),
    "discount": (lambda: product("1/2"), {}),
    "joint": (joint, {}),
}


def wanted(algorithm, objective, model, scale):
    """(proved, what the guarantee must name), from docs/theory: nothing else may be claimed."""
    if algorithm in ("greedy", "greedy-tried", "ucbvi", "ucb-as-printed", "posterior"):
        return False, "none"
    if algorithm == "bernstein":
        return scale >= 1, "page 11" if scale >= 1 else "not proved"
    if objective == "not Lipschitz":
        return False, "not Lipschitz"
    if algorithm == "kl" and objective not in CONCAVE:
        return False, "needs a concave weighting"
    if scale < 1:
        return False, "not proved"
    if algorithm == "kl":
        return True, "outcome_intervals_hold" if model == "joint" else "kl_intervals_hold"
    return True, "corrected theorem for concave G" if objective in CONCAVE else "Lipschitz G with"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_run_claims_what_the_table_says(algorithm, model):
    build, options = MODELS[model]
    for objective, G in OBJECTIVES.items():
        for scale in (1, Fraction(1, 2)):
            more = {"known_rewards": True} if algorithm == "bernstein" else {}
            settings = {"episodes": 1, "algorithm": algorithm, "bonus_scale": scale, **options, **more}
            if algorithm == "bernstein" and objective not in ("mean", "cvar"):
                with pytest.raises(InvalidArgument, match="maximises cvar or mean"):
                    vr.learn(build(), G, **settings)
                continue
            run = vr.learn(build(), G, **settings)
            proved, named = wanted(algorithm, objective, model, scale)
            case = (algorithm, objective, model, scale, run.guarantee)
            assert run.proved is proved, case
            assert named in run.guarantee, case
            inside = algorithm == "kl" and objective in CONCAVE and scale >= 1
            assert run.proved is False or run.bound is not None or run.data_bound is not None, case
            if algorithm != "bernstein":
                assert (run.interval is not None) is inside, case
            if run.bound is not None:
                assert any(LINEAR in note for note in run.notes) is (objective in (*SEARCHED, "convex")), case


@pytest.mark.parametrize("told", [{"known_rewards": True}, {"known_successors": True}, {"largest_return": 2}], ids=str)
def test_declarations_are_part_of_what_is_claimed(told):
    for model, (build, options) in MODELS.items():
        run = vr.learn(build(), vr.CVaR("1/2"), episodes=1, **options, **told)
        assert run.proved, model
        assert any("declared: " in note and "relies on it" in note for note in run.notes)


def test_a_declaration_that_coq_does_not_take_is_proved_on_paper_and_says_so():
    """Page 10, "Machine-checked": what is not in Coq is not claimed to be."""
    for model, (build, options) in MODELS.items():
        for objective, told, on_paper in (
            ("cvar", {"known_successors": 2}, "not their number"),
            ("mean", {"known_successors": True, "largest_return": 2}, None),
            ("cvar", {"known_successors": True, "largest_return": 2}, None),
            ("mean", {"known_successors": True, "known_rewards": True}, None),
        ):
            run = vr.learn(build(), OBJECTIVES[objective], episodes=1, **options, **told)
            assert run.proved, model
            if on_paper is None:
                assert "(Coq: " in run.guarantee
            else:
                assert on_paper in run.guarantee
                assert "(Coq: " not in run.guarantee


def test_a_black_box_claims_the_theorem_of_joint_outcomes_and_the_price_of_its_grid():
    exact = vr.learn(Chain(), vr.CVaR("1/2"), episodes=2, horizon=2, rewards=[0, 1])
    assert exact.proved
    assert "outcome_intervals_hold" in exact.guarantee
    assert "T eta" not in exact.guarantee
    grid = vr.learn(Chain(), vr.CVaR("1/2"), episodes=2, horizon=2, reward_range=(0, 1), eta="1/2")
    assert grid.proved
    assert "T eta" in grid.guarantee
    assert not vr.learn(Chain(), vr.VaR("1/2"), episodes=2, horizon=2, rewards=[0, 1]).proved


# -- page 10, a second time -------------------------------------------------------------------------------------------


def beta(k, T, pairs, gamma, n, delta, patience, *, joint, known):
    """beta_k of page 10, as printed there; sets kept until visits grow by ``patience`` cost sqrt(1 + patience)."""
    g = min(gamma, 2 * math.sqrt(gamma))
    lam = math.log(n / delta) + 0.5 * math.log(k * T) + math.log(2)
    root = math.sqrt(2 * pairs * k * T * lam) * math.sqrt(1 + patience)
    if joint:
        return T * (g * root + T * pairs)
    if known:
        return (T - 1) * (g * root + T * pairs)
    return ((T - 1) * g + 2) * root + T * T * pairs


@pytest.mark.parametrize("gamma", [1, 3, 4, 5, 16])
@pytest.mark.parametrize(("joint_model", "known"), [(False, False), (False, True), (True, False), (True, True)])
def test_each_constant_of_the_bound_beforehand(gamma, joint_model, known):
    delta, patience, L = Fraction(1, 7), Fraction(1, 16), Fraction(3)
    for T, pairs, n in ((1, 3, 10), (5, 8, 77), (10, 80, 2400)):
        problem = UniformProblem(pairs, n, gamma, T, delta, joint_model, known, patience)
        expected, likely = uniform_bounds(problem, L)
        b = T * (T - 1) / 2 if known and not joint_model else T * (T + 1) / 2
        for k in (1, 10, 10**6):
            size = beta(k, T, pairs, gamma, n, 1 / 7, 1 / 16, joint=joint_model, known=known)
            mean = 3 * size + k * T / 7
            tail = math.e / (math.e - 1) * 3 * (size + b * math.log(7))
            for bound, value in ((expected, mean), (likely, tail)):
                found = float(bound.at(np.array([float(k)]))[0])
                assert value * (1 - 1e-12) <= found <= value * (1 + 1e-8) + 1e-300


def test_each_constant_of_the_bound_from_data():
    widths = np.array([3.0, 0.5, 0.0, 2.0])
    found = data_bound(widths, Fraction(15), Fraction(4), Fraction(1, 20))
    for k, value in enumerate(found):
        exact = math.e / (math.e - 1) * 4 * (sum(widths[: k + 1]) + 15 * math.log(20))
        assert exact * (1 - 1e-13) <= value <= exact * (1 + 1e-10)


def count_of_page_ten(S, m, outcomes, *, joint, known):
    """One pair: the table "which union"; ``outcomes`` is how many can follow."""
    successor = {1: 0, 2: 1}.get(outcomes, outcomes)
    return successor + (0 if joint or known else m - 1)


def test_the_number_of_tests_and_the_patience_are_those_of_the_page():
    for build in (product, joint):
        mdp = build()
        standard = standard_form(mdp)
        S, m, both = mdp.n_states, len(standard.atoms), not mdp.is_product
        pairs = [len({t for t, p in action.successors if p}) for _, _, action in mdp]
        for known in (False, True):
            if not both:
                found = knowledge_of(standard, Declared(rewards=known))
                assert found.tests == len(pairs) * count_of_page_ten(S, m, S, joint=both, known=known)
                found = knowledge_of(standard, Declared(rewards=known, successors=True))
                assert found.tests == max(1, sum(count_of_page_ten(S, m, x, joint=both, known=known) for x in pairs))
        if both:
            assert knowledge_of(standard, Declared()).tests == len(pairs) * S * m
            assert knowledge_of(standard, Declared(successors=3)).tests == len(pairs) * 3
        assert patience_of(knowledge_of(standard, Declared())) == Fraction(len(pairs), 1280)
    large = standard_form(vr.models.random_sparse(40, 4, 2, 2, horizon=2, seed=0, grid=2))
    assert patience_of(knowledge_of(large, Declared())) == Fraction(1, 16)
