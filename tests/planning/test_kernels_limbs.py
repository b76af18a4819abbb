"""Exact planning on int64 limbs: the same answers as Python's integers, and overflow refused before it can happen."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.grid import compiled, grid_model
from verified_risk.planning.exact import exact_route as exact
from verified_risk.planning.exact import limb_tables


@pytest.fixture
def limbs_always(monkeypatch):
    monkeypatch.setattr(limb_tables, "worth_it", lambda mdp: True)
    monkeypatch.setattr(exact, "FEW_CELLS", 0)


@pytest.mark.usefixtures("limbs_always")
@pytest.mark.parametrize("name", ["cvar", "mean-cvar", "var", "upper-var"])
def test_limbs_and_python_integers_give_the_same_optimum(name):
    """The policies' laws are checked too: exact_plan compares the recursion with the exact evaluation of its policy."""
    rng = random.Random(f"limbs {name}")
    for _ in range(50):
        mdp, _ = models.product(rng, max_states=3, max_actions=3, max_horizon=5)
        if rng.random() < 0.5:
            outcomes = [[action.outcomes for action in mdp.actions(s)] for s in range(mdp.n_states)]
            mdp = vr.MDP.from_outcomes(outcomes, initial=dict(mdp.initial), horizon=mdp.horizon, discount=mdp.discount)
        a = rng.choice([Fraction(1, 10**30), Fraction(1, 7), Fraction(1, 2)])
        G = {
            "cvar": vr.CVaR(a),
            "mean-cvar": Fraction(1, 3) * vr.Mean() + Fraction(2, 3) * vr.CVaR(a),
            "var": vr.VaR(a),
            "upper-var": vr.VaR(a, upper=True),
        }[name]
        grid = grid_model(mdp)
        assert exact._in_limbs(mdp, grid, G) is not None
        assert vr.exact_plan(mdp, G).value == exact._in_python_integers(grid, G, grid.reachable())[0]


def huge_denominators() -> vr.MDP:
    p = Fraction(1, 2**33 + 1)
    return vr.MDP(0, [[{0: p, 1: 1 - p}], [{0: 1}]], [[{0: "1/2", 1: "1/2"}], [{1: 1}]], horizon=3)


@pytest.mark.usefixtures("limbs_always")
def test_weights_that_could_overflow_are_refused_and_left_to_python_integers():
    mdp, G = huge_denominators(), vr.CVaR("1/3")
    model = compiled(mdp).limbs()
    with pytest.raises(limb_tables.Overflow, match=r"wanted at most 2\*\*32"):
        limb_tables.require_no_overflow(model, 1, 1)
    assert exact._in_limbs(mdp, grid_model(mdp), G) is None
    assert vr.exact_plan(mdp, G).value > 0


def test_planted_overflows_are_refused():
    mdp, _ = models.product(random.Random(4), max_states=2)
    model = compiled(mdp).limbs()
    limb_tables.require_no_overflow(model, 2**60 - 1, 2)
    with pytest.raises(limb_tables.Overflow, match="61 bits does not fit in 2 limbs"):
        limb_tables.require_no_overflow(model, 2**60, 2)
    with pytest.raises(limb_tables.Overflow, match="do not sum to"):
        limb_tables.require_no_overflow(replace(model, succ_weight=[w + 1 for w in model.succ_weight]), 1, 1)
    with pytest.raises(limb_tables.Overflow, match="do not sum to"):
        limb_tables.require_no_overflow(replace(model, succ_total=model.succ_total * 2), 1, 1)
    with pytest.raises(limb_tables.Overflow, match="units, wanted fewer"):
        limb_tables.require_no_overflow(replace(model, spans=[2**31]), 1, 1)


def test_the_largest_allowed_sum_does_not_overflow():
    """Weights that sum to exactly 2**32, all limbs full: the sum is the largest that the proof admits."""
    import numpy as np

    from verified_risk.kernels.limb_pass import MASK, limb_sum

    weight = np.array([2**32 - 5, 5], dtype=np.int64)
    table = np.full((2, 3, 4), MASK, dtype=np.int64)
    out, carry = np.zeros((4, 4), dtype=np.int64), np.zeros(4, dtype=np.int64)
    table = np.concatenate([table, np.zeros((2, 1, 4), dtype=np.int64)], axis=1)
    limb_sum(table, np.array([0, 1]), np.zeros(2, dtype=np.int64), weight, 0, 2, 0, 4, 4, carry, out)
    wanted = 2**32 * (2**90 - 1)
    found = [sum(int(out[k, b]) << (30 * k) for k in range(4)) + (int(carry[b]) << 120) for b in range(4)]
    assert found == [wanted] * 4
