"""Small models are planned without a compiler, and every way to run a kernel gives the same bits."""

import gc
import os
import subprocess
import sys
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
import pytest
from patience import PATIENCE

import verified_risk as vr
from verified_risk.grid import float_model, own_unit
from verified_risk.kernels import budget_pass as _kernels  # noqa: F401 - the loops below must exist
from verified_risk.kernels import jit, polygon_bounds
from verified_risk.planning.tails import budget_tables, refine


@contextmanager
def every_kernel(way, monkeypatch):
    """``compiled``, or ``interpreted`` (by numpy where there is such a form) whatever the size."""
    with monkeypatch.context() as patch:
        patch.setattr(jit, "SMALL", 10**12)
        for one in [x for x in gc.get_objects() if type(x) is jit.Kernel]:
            patch.setattr(one, "spent", float("inf") if way == "compiled" else float("-inf"))
        yield


def model(seed, *, joint, most_successors, states=14):
    """Rows of 1 to ``most_successors`` successors, 1 to 4 actions, 1 to 7 rewards; sums that floats round."""
    rng = np.random.default_rng(seed)
    transitions, rewards, outcomes = [], [], []
    for _ in range(states):
        rows, laws = [], []
        for _ in range(rng.integers(1, 5)):
            targets = rng.choice(states, size=rng.integers(1, most_successors + 1), replace=False)
            rows.append(dict(zip(targets.tolist(), masses(rng, len(targets)), strict=True)))
            values = rng.choice(9, size=rng.integers(1, 8), replace=False)
            laws.append(dict(zip(values.tolist(), masses(rng, len(values)), strict=True)))
        transitions.append(rows)
        rewards.append(laws)
        outcomes.append([[(p, s, int(rng.integers(0, 9))) for s, p in row.items()] for row in rows])
    if joint:
        return vr.MDP.from_outcomes(outcomes, initial=0, horizon=6)
    return vr.MDP(0, transitions, rewards, 6)


def masses(rng, count):
    weights = [int(w) for w in rng.integers(1, 1000, count)]
    return [Fraction(w, sum(weights)) for w in weights]


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("most_successors", [2, 4, 13])
def test_numpy_and_the_compiled_kernels_give_the_same_bits(joint, most_successors, monkeypatch):
    mdp = model(most_successors, joint=joint, most_successors=most_successors)
    grid = float_model(mdp, own_unit(mdp))
    assert grid.product != joint
    for kappa, threshold in ((Fraction(), False), (Fraction(1, 3), False), (Fraction(), True)):
        found = {}
        for way in ("compiled", "interpreted"):
            with every_kernel(way, monkeypatch):
                linear = budget_tables.linear_part(grid, with_variance=True)
                tables = budget_tables.budget_tables(
                    grid, kappa, 3, grid.remaining[0], threshold=threshold, linear=linear
                )
                found[way] = [linear.value, linear.action, linear.variance, tables.shortfall, *tables.policy]
        for one, other in zip(*found.values(), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("text", ["cvar(1/4)", "var(1/4)", "wang(3/4)", "wang(-3/4)", "1/2*cvar(1/4) + 1/2*cvar(1/2)"])
def test_an_interpreted_plan_is_the_compiled_plan(text, monkeypatch):
    for mdp in (vr.models.two_paths(), vr.models.two_paths().with_discount("9/10"), vr.models.frozen_lake()):
        answers = []
        for way in ("compiled", "interpreted"):
            with every_kernel(way, monkeypatch):
                answers.append(vr.plan(mdp, text, gap="1/100"))
        one, other = answers
        assert str(one) == str(other)
        assert (one.lower, one.upper, one.certificate) == (other.lower, other.upper, other.certificate)


@pytest.mark.parametrize("text", ["mean", "cvar(1/4)", "var(1/4)"])
def test_an_interpreted_run_is_the_compiled_run(text, monkeypatch):
    runs = []
    for way in ("compiled", "interpreted"):
        with every_kernel(way, monkeypatch):
            runs.append(vr.learn(vr.models.two_paths(), text, episodes=12, seed=3))
    one, other = runs
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.returns, other.returns)
    assert one.interval == other.interval


def in_a_fresh_place(code, tmp_path):
    """Run ``code`` in a process that has nothing compiled; what it prints."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_small_model_never_meets_the_compiler(tmp_path):
    code = """
import sys, verified_risk as vr
lake = vr.models.frozen_lake()
for text in ("mean", "cvar(1/4)", "var(1/4)", "0.5*mean + 0.5*cvar(1/10)"):
    vr.plan(lake, text)
for text in ("wang(3/4)", "wang(-3/4)"):
    vr.plan(lake, text)
vr.learn(lake, "cvar(1/4)", episodes=10)
print("numba" in sys.modules)
"""
    assert in_a_fresh_place(code, tmp_path) == "False"


def test_a_compilation_is_told_once_and_never_again(tmp_path):
    code = """
import verified_risk as vr
from verified_risk.kernels import jit
jit.EAGER = True
vr.plan(vr.models.two_paths(), "mean", progress=lambda now: print(now.doing))
"""
    assert in_a_fresh_place(code, tmp_path).splitlines() == ["compiling, once: later calls load the result", "compiled"]
    assert in_a_fresh_place(code, tmp_path) == ""


@pytest.mark.parametrize(("horizon", "wanted"), [(6, ["clock"]), (60, ["compiler", "clock"])])
def test_a_grid_for_a_discount_is_not_chosen_by_how_long_the_compiler_took(horizon, wanted, monkeypatch):
    """Rounds are extrapolated by a clock that starts after the compiler; tiny models need none."""
    done = []
    toys, clock = refine._compile_on_toys, refine.Clock
    monkeypatch.setattr(refine, "_compile_on_toys", lambda: (done.append("compiler"), toys()))
    monkeypatch.setattr(refine, "Clock", lambda seconds: (done.append("clock"), clock(seconds))[1])
    mdp = model(3, joint=True, most_successors=4).with_horizon(horizon).with_discount("9/10")
    vr.plan(mdp, "cvar(1/10)", gap=100)
    assert done == wanted


def test_patience_ends(monkeypatch):
    """What is interpreted for long is compiled; so is what begins with large arrays."""
    told = []
    one = jit.kernel(len)
    monkeypatch.setattr(one, "plain", lambda *_: told.append("plain"), raising=False)
    monkeypatch.setattr(one, "compiled", lambda *_: told.append("compiled"), raising=False)
    one(np.zeros(10))
    one(np.zeros(jit.SMALL + 1))
    one(np.zeros(10))
    other = jit.kernel(len)
    monkeypatch.setattr(other, "plain", "plain", raising=False)
    monkeypatch.setattr(other, "compiled", "compiled", raising=False)
    half = 0.6 * jit.PATIENCE / jit.STEP
    assert [other.at(half), other.at(half), other.at(0)] == ["plain", "compiled", "compiled"]
    assert told == ["plain", "compiled", "compiled"]


@pytest.mark.parametrize("name", ["tilted_minima", "hulls", "slope_ranges", "cut_ends"])
def test_loops_over_pairs_are_compiled_by_the_number_of_pairs(name, monkeypatch):
    """Thousands of coordinates times thousands of corners are half a minute of Python, though the arrays are short."""
    one = getattr(polygon_bounds, name)
    monkeypatch.setattr(one, "spent", 0.0)
    monkeypatch.setattr(one, "plain", lambda *_: "plain", raising=False)
    monkeypatch.setattr(one, "compiled", lambda *_: "compiled", raising=False)
    assert one(np.zeros(20), np.zeros(4000)) == "plain"
    assert one(np.zeros(300), np.zeros(1001)) == "compiled"
