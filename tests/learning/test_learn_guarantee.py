"""What a run may claim: a table of every combination, and each constant of page 10 written a second time."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import mpmath
import numpy as np
import pytest
from test_learn_exact import joint
from test_learn_run import Chain

import verified_risk as vr
from verified_risk.learning import planner
from verified_risk.learning.declarations import Declared
from verified_risk.learning.guarantee import UniformProblem, guarantee_of, uniform_bounds
from verified_risk.learning.problem import standard_form
from verified_risk.learning.task import ALGORITHMS, Settings, Task

OBJECTIVES = {
    "mean": vr.Mean(),
    "cvar": vr.CVaR("1/2"),
    "mean-cvar": 0.5 * vr.Mean() + 0.5 * vr.CVaR("1/4"),
    "spectral": vr.Spectral(["1/4", "1/2"], ["1/2", "1/2"]),
    "smooth concave": vr.DualPower(2),
    "steep concave": vr.Wang("1/2"),
    "convex": vr.ProportionalHazard(2),
    "quantile": vr.VaR("1/3"),
}
POLYGONS = ("mean", "cvar", "mean-cvar", "spectral")
CONCAVE = (*POLYGONS, "smooth concave", "steep concave")
NOT_LIPSCHITZ = ("steep concave", "quantile")
SCALES = (1 - Fraction(1, 10**9), Fraction(1), Fraction(12))
LINEAR = "the planner's certified error does not vanish"


def product(discount=1):
    return vr.MDP(
        0, [[["1/2", "1/2"], [1, 0]], [[0, 1], [1, 0]]], [[{0: "1/2", 1: "1/2"}, {"1/2": 1}], [{0: 1}, {1: 1}]],
        horizon=2, discount=discount,
    )  # fmt: skip


def continuous():
    stats = pytest.importorskip("scipy.stats")
    return vr.MDP(0, [[[1], [1]]], [[stats.uniform(), {0: 1}]], horizon=2)


MODELS = {
    "product": (product, None),
    "product, a grid that holds the rewards": (product, "1/2"),
    "product, rounded": (product, 1),
    "product, continuous": (continuous, "1/2"),
    "product, discounted": (lambda: product("1/2"), None),
    "product, discounted, rounded": (lambda: product("1/2"), 1),
    "joint": (joint, None),
    "joint, discounted": (lambda: joint("1/2"), None),
    "joint, rounded": (joint, 1),
}
KL, GRID, OUTCOMES = "kl_intervals_hold", "grid_interval", "outcome_intervals_hold"
COQ = {
    "product": KL, "product, a grid that holds the rewards": KL, "product, rounded": GRID,
    "joint": OUTCOMES, "joint, discounted": OUTCOMES,
}  # fmt: skip
"""The cases that the statements in proofs_checks/formal/learner cover: no other is in Coq."""
BETS = {"product": "bet_intervals_hold", "joint": "outcome_bet_intervals_hold"}
BETS |= {"product, a grid that holds the rewards": BETS["product"], "joint, discounted": BETS["joint"]}
UNIFORM = ("kl", "bets")


def wanted(algorithm, objective, model, scale, counted):
    """``(kind, named)``: "coq", "paper" or "none", and what the guarantee names; read off the theorems and pages."""
    if algorithm in ("greedy", "greedy-tried", "ucbvi", "ucb-as-printed", "posterior"):
        return "none", "none"
    if algorithm == "bernstein":
        return ("paper", "page 11") if scale >= 1 else ("none", "not proved")
    if algorithm == "kl" and objective == "steep concave" and scale >= 1:
        return "paper", "kl-polygon"
    if objective in NOT_LIPSCHITZ:
        return "none", "not Lipschitz"
    if algorithm == "kl" and objective not in CONCAVE:
        return "none", "needs a concave weighting"
    if scale < 1:
        return "none", "not proved"
    if algorithm == "ucb":
        return (
            "paper",
            "regret-joint" if "joint" in model else "regret-theorem" if objective in CONCAVE else "known-atoms",
        )
    known = BETS if algorithm == "bets" else COQ
    if objective in POLYGONS and model in known and not counted:
        return "coq", known[model]
    return "paper", "kl-polygon" if objective not in POLYGONS else "kl-known-successors" if counted else "kl-grid"


@pytest.fixture(autouse=True, scope="module")
def one_curve_for_each_weighting():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planner, "curve_of", lru_cache(planner.curve_of))
        yield


def task_of(mdp, objective, eta, algorithm):
    settings = Settings.read(objective, 3, eta=eta, algorithm=algorithm)
    return Task.of(standard_form(mdp, settings.eta), settings)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_run_claims_what_the_table_says(algorithm, model):
    build, eta = MODELS[model]
    mdp = build()
    limits = (False, 2) if algorithm in UNIFORM else (False,)
    names = {"bernstein": ("mean", "cvar"), "bets": ("mean",)}.get(algorithm, OBJECTIVES)
    tasks = {name: task_of(mdp, OBJECTIVES[name], eta, algorithm) for name in names}
    for objective, scale, limit in itertools.product(names, SCALES, limits):
        task, declared = tasks[objective], Declared(algorithm == "bernstein", limit)
        settings = replace(task.settings, bonus_scale=scale, declared=declared)
        found = guarantee_of(replace(task, settings=settings), continuous=not mdp.is_discrete)
        kind, named = wanted(algorithm, objective, model, scale, bool(limit))
        case = (algorithm, objective, model, scale, limit, found.text)
        assert settings.has_interval is (algorithm in UNIFORM and objective in CONCAVE and scale >= 1), case
        assert (found.proved, found.on_paper) == (kind == "coq", kind == "paper"), case
        assert named in found.text, case
        assert ("(Coq: " in found.text) is (kind == "coq") or scale < 1, case
        regret = algorithm in (*UNIFORM, "ucb") and objective not in NOT_LIPSCHITZ
        assert (found.likely is not None) is (regret and (algorithm == "ucb" or objective in CONCAVE)), case
        rounded = "rounded" in model or "continuous" in model
        assert ("T eta" in found.text) is (rounded and kind != "none" and objective not in NOT_LIPSCHITZ), case


def test_every_theorem_and_every_place_that_a_guarantee_names_exists():
    root = Path(vr.__file__).parents[1]
    sources = "\n".join(path.read_text() for path in (root / "proofs_checks/formal/learner").glob("*.v"))
    pages = {n: next((root / "docs/theory").glob(f"{n}-*.md")).read_text() for n in ("08", "10", "11")}
    theorems, anchors = set(), set()
    runs = [*itertools.product(OBJECTIVES.values(), ("kl", "ucb")), (vr.Mean(), "bets")]
    for (build, eta), (G, algorithm) in itertools.product(MODELS.values(), runs):
        text = guarantee_of(task_of(build(), G, eta, algorithm)).text
        theorems.update(re.findall(r"\w+", found[1]) if (found := re.search(r"\(Coq: ([^;]*);", text)) else ())
        for page, places in re.findall(r"\(theory page (\d+), ([^)]*)\)", text):
            anchors.update((page.zfill(2), place) for place in places.split(", "))
    assert len(theorems) == 10
    assert all(f"Theorem {name} " in sources for name in theorems)
    assert {place for _, place in anchors} == {"kl-grid", "kl-polygon", "regret-joint", "regret-theorem", "known-atoms"}
    assert all(f"({place})=\n" in pages[page] for page, place in anchors)


@pytest.mark.parametrize(
    ("objective", "scale", "interval", "bound"),
    [
        ("cvar", 1, "4/5\n", "on paper\n"),
        ("cvar", 12, "4/5\n", "on paper\n"),
        ("cvar", "1/2", None, "not proved\n"),
        ("smooth concave", 1, "4/5, on paper\n", "on paper\n"),
        ("steep concave", 1, "4/5, on paper\n", None),
    ],
)
def test_an_interval_and_a_bound_that_are_no_theorem_in_coq_are_marked_where_they_are_printed(
    objective, scale, interval, bound
):
    run = vr.learn(product(), OBJECTIVES[objective], episodes=3, bonus_scale=scale, delta="1/5")
    assert run.proved is (interval == "4/5\n")
    for shown in (run, vr.learning.Run.from_json(run.to_json())):
        lines = f"{shown}\n".splitlines(keepends=True)
        for words, ending in (("optimum, from data", interval), ("bound (prob. 1-2delta)", bound)):
            found = [line for line in lines if words in line]
            assert len(found) == (ending is not None)
            assert all(line.endswith(ending) for line in found)
        assert any(LINEAR in note for note in run.notes) is (objective != "cvar")


@pytest.mark.parametrize("told", [{"known_rewards": True}, {"known_successors": True}, {"largest_return": 2}], ids=str)
def test_declarations_are_part_of_what_is_claimed(told):
    for model in ("product", "product, rounded", "joint", "joint, discounted"):
        build, eta = MODELS[model]
        run = vr.learn(build(), vr.CVaR("1/2"), episodes=1, eta=eta, **told)
        assert run.proved, model
        assert any("declared: " in note and "relies on it" in note for note in run.notes)


def test_a_black_box_claims_the_theorem_of_joint_outcomes_and_a_grid_of_it_is_on_paper():
    exact = vr.learn(Chain(), vr.CVaR("1/2"), episodes=2, horizon=2, rewards=[0, 1])
    assert exact.proved
    assert "outcome_intervals_hold" in exact.guarantee
    grid = vr.learn(Chain(), vr.CVaR("1/2"), episodes=2, horizon=2, reward_range=(0, 1), eta="1/2")
    assert (grid.proved, grid.on_paper) == (False, True)
    assert "T eta" in grid.guarantee
    none = vr.learn(Chain(), vr.VaR("1/2"), episodes=2, horizon=2, rewards=[0, 1])
    assert (none.proved, none.on_paper) == (False, False)


# -- page 10, a second time -------------------------------------------------------------------------------------------


def beta(k, T, pairs, gamma, n, scale, *, joint, known):
    """beta_k of page 10 for delta = 1/7; sets kept until visits grow by 1/16 cost sqrt(17/16)."""
    g = min(mpmath.mpf(gamma), 2 * mpmath.sqrt(gamma))
    lam = mpmath.log(7 * n) + mpmath.log(4 * k * T) / 2
    root = mpmath.sqrt(2 * pairs * k * T * lam * 17 / 16) * scale.numerator / scale.denominator
    if joint:
        return T * (g * root + T * pairs)
    if known:
        return (T - 1) * (g * root + T * pairs)
    return ((T - 1) * g + 2) * root + T * T * pairs


@pytest.mark.parametrize("gamma", [1, 3, 4, 5, 16])
@pytest.mark.parametrize(("joint_model", "known"), [(False, False), (False, True), (True, False), (True, True)])
def test_each_constant_of_the_bound_beforehand_is_rounded_up(gamma, joint_model, known):
    delta, patience, L = Fraction(1, 7), Fraction(1, 16), Fraction(3)
    k = np.unique(np.logspace(0, 12, 60).round())
    with mpmath.workdps(40):
        for (T, pairs, n), scale in itertools.product(((1, 3, 10), (5, 8, 77), (10, 80, 2400)), (1, Fraction(7, 3))):
            problem = UniformProblem(pairs, n, gamma, T, delta, joint_model, known, patience)
            expected, likely = (bound.at(k) for bound in uniform_bounds(problem, L, scale=Fraction(scale)))
            b = T * (T - 1) / 2 if known and not joint_model else T * (T + 1) / 2
            for i, episodes in enumerate(int(x) for x in k):
                size = beta(episodes, T, pairs, gamma, n, scale, joint=joint_model, known=known)
                mean = 3 * size + mpmath.mpf(episodes * T) / 7
                tail = mpmath.e / (mpmath.e - 1) * 3 * (size + b * mpmath.log(7))
                for found, value in ((expected[i], mean), (likely[i], tail)):
                    assert value <= found <= value * (1 + mpmath.mpf("1e-13")) + mpmath.mpf("1e-300")
