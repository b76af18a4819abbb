"""A model on a grid, in its three forms, says what the model says: entry by entry from the definitions."""

import math
from collections import Counter
from fractions import Fraction as Q

import numpy as np
import pytest
from plan_models import data_of, law_by_playing

import verified_risk as vr
from verified_risk.grid import TooManySums, compiled, float_model, grid_model, halvings_of, own_unit, scaled_model

LAWS = [[{"1/2": "1/3", 2: "2/3"}, {1: 1}], [{0: "1/4", "1/3": "1/4", 1: "1/2"}]]
MOVES = [[["1/4", "3/4"], [1, 0]], [["1/5", "4/5"]]]


def product(discount=1, horizon=3):
    return vr.MDP({0: "2/3", 1: "1/3"}, MOVES, LAWS, horizon=horizon, discount=discount)


def joint(discount=1, horizon=3):
    """The reward of state 0's first action tells where it leads."""
    states = [
        [[("1/4", 0, "1/2"), ("1/4", 1, 2), ("1/2", 1, "1/2")], [(1, 0, 1)]],
        [[("1/5", 0, 0), ("4/5", 1, "1/3")]],
    ]
    return vr.MDP.from_outcomes(states, initial={0: "2/3", 1: "1/3"}, horizon=horizon, discount=discount)


MODELS = [
    pytest.param(make(discount), id=f"{make.__name__}, discount {discount}")
    for make in (product, joint)
    for discount in (1, "2/3")
]
ETAS = [None, Q(1, 4), Q(1, 2), Q(1)]  # on halves rewards become equal at the last step only


def outcomes(mdp, t, unit):
    """``{(s, a): {(next state, reward in units): probability}}`` of step t, rewards rounded up."""
    found = {}
    for s in range(mdp.n_states):
        for a, action in enumerate(mdp.actions(s)):
            row = found.setdefault((s, a), Counter())
            for p, target, r in action.outcomes:
                row[target, math.ceil(mdp.step_reward(t, r) / unit)] += p
    return found


@pytest.mark.parametrize("mdp", MODELS)
@pytest.mark.parametrize("eta", ETAS, ids=str)
def test_the_joint_form_has_every_outcome(mdp, eta):
    grid = grid_model(mdp, eta)
    assert grid.horizon == mdp.horizon
    assert grid.unit == (own_unit(mdp) if eta is None else eta)
    assert {s: Q(w, grid.initial_denominator) for s, w in grid.initial} == dict(mdp.initial)
    for t, step in enumerate(grid.steps):
        for (s, a), wanted in outcomes(mdp, t, grid.unit).items():
            assert {(target, j): Q(w, grid.denominator) for w, target, j in step[s][a]} == wanted


@pytest.mark.parametrize("mdp", MODELS)
@pytest.mark.parametrize("eta", ETAS, ids=str)
def test_the_loss_is_the_most_that_rounding_adds_step_by_step(mdp, eta):
    grid = compiled(mdp, eta)
    raised = [
        max(math.ceil(x / grid.unit) * grid.unit - x for x in (mdp.step_reward(t, r) for r in mdp.rewards))
        for t in range(mdp.horizon)
    ]
    assert [step.loss for step in grid.steps] == raised
    assert grid.loss == grid.floats().loss == sum(raised)
    assert grid.exact == (not any(raised)) == (eta is None)


@pytest.mark.parametrize("mdp", MODELS)
@pytest.mark.parametrize("eta", ETAS, ids=str)
def test_the_floats_are_the_same_outcomes_rounded_once(mdp, eta):
    unit = own_unit(mdp) if eta is None else eta
    model = float_model(mdp, unit)
    assert (model.horizon, model.exact) == (mdp.horizon, eta is None)
    pairs = [(s, a) for s in range(mdp.n_states) for a in range(mdp.n_actions[s])]
    most = 0
    for t, step in enumerate(model.steps):
        wanted = outcomes(mdp, t, unit)
        rewards = [j for row in wanted.values() for _, j in row]
        assert (step.least, step.span) == (min(rewards), max(rewards) - min(rewards))
        for i, key in enumerate(pairs):
            law = Counter()
            for (_, j), p in wanted[key].items():
                law[j] += p
            here = slice(step.start[i], step.start[i + 1])
            given = Counter()
            for j, p in zip(step.units[here].tolist(), step.prob[here].tolist(), strict=True):
                given[j + step.least] += p
            assert given == pytest.approx({j: float(p) for j, p in law.items()}, rel=1e-15)
            mean = sum(p * (j - step.least) for j, p in law.items())
            spread = sum(p * (j - step.least - mean) ** 2 for j, p in law.items())
            assert step.shortfall[i] == pytest.approx(float(step.span - mean), rel=1e-14, abs=1e-14)
            assert step.variance[i] == pytest.approx(float(spread), rel=1e-13, abs=1e-13)
            successors = model.succ_start[i + 1] - model.succ_start[i]
            most = max(most, successors + (here.stop - here.start if mdp.is_product else 0))
    assert model.branches == most
    assert model.offsets == [sum(step.least for step in model.steps[:t]) for t in range(mdp.horizon + 1)]
    assert model.remaining == [sum(step.span for step in model.steps[t:]) for t in range(mdp.horizon + 1)]
    parts = dict(model.float_parts(Q(1)))
    assert sum(parts.values()) == 1
    assert min(parts.values()) > 0


def test_the_law_on_the_grid_is_in_integers_however_fine_the_policy_is():
    """A probability of 1/(2^61 - 1) is too fine for floats."""
    mdp, rare = product(horizon=3), Q(1, 2**61 - 1)
    law = grid_model(mdp).law(lambda t, s, i: ((0, 1 - rare), (1, rare)) if s == 0 else ((0, Q(1)),))
    policy = vr.MarkovPolicy(mdp, [[{0: 1 - rare, 1: rare}, 0]] * 3)
    wanted = law_by_playing(data_of(mdp), policy)
    assert dict(zip(law.atoms, law.masses, strict=True)) == wanted
    assert max(p.denominator for p in wanted.values()) > 2**61 - 1


def test_sums_are_listed_up_to_a_limit():
    grid = grid_model(product(horizon=2))
    levels = grid.reachable()
    count = sum(len(sums) for level in levels for sums in level.values())
    assert [set(level) for level in levels] == [{0, 1}] * 3
    assert grid.reachable(count) == levels
    with pytest.raises(TooManySums):
        grid.reachable(count - 1)


def test_the_own_unit_is_the_largest_on_which_every_step_reward_lies():
    assert own_unit(product()) == own_unit(joint()) == Q(1, 6)
    assert own_unit(product("2/3")) == Q(1, 54)
    assert own_unit(vr.MDP(0, [[[1]]], [[{0: 1}]], 2)) == 1
    assert own_unit(vr.MDP(0, [[[1]]], [[{0: "1/2", 6: "1/2"}]], 2)) == 6


@pytest.mark.parametrize("make", [product, joint])
@pytest.mark.parametrize("halvings", [None, (0, 0, 0), (0, 1, 3)])
def test_finer_grids_carry_every_reward_as_a_whole_part_and_a_share(make, halvings):
    mdp, eta = make("2/3"), Q(1, 5)
    model = scaled_model(mdp, eta, halvings)
    assert model.halvings == (halvings_of(Q(2, 3), 3) if halvings is None else halvings)
    assert model.weights == 1 + Q(2, 3) + Q(4, 9)
    least, most = mdp.reward_range
    assert (model.offset, model.greatest) == (least * model.weights, (most - least) * model.weights / eta)
    assert [model.finer(t) for t in (1, 2)] == [2 ** (model.halvings[t] - model.halvings[t - 1]) for t in (1, 2)]
    assert model.finer(0) == 1
    means = [sum(p * r for p, _, r in action.outcomes) for _, _, action in mdp]
    assert model.deficit == pytest.approx([float((most - mean) / (most - least)) for mean in means], rel=1e-15)
    rewards = [r for _, _, a in mdp for r in (a.reward_law.atoms if model.product else [r for _, _, r in a.outcomes])]
    for t, step in enumerate(model.steps):
        delta = eta / 2 ** model.halvings[t]
        exact = [mdp.step_reward(t, r - least) / delta for r in rewards]
        assert step.units.tolist() == [math.floor(x) for x in exact]
        assert step.share == pytest.approx([float(x - math.floor(x)) for x in exact], rel=1e-15, abs=0)
        widest = mdp.step_reward(t, most - least) / delta
        assert (step.span, step.scale) == (math.ceil(widest), float(widest))
    tops = [own for own, _ in model.tops]
    for t, (own, coarse) in enumerate(model.tops):
        later = -(-tops[t + 1] // model.finer(t + 1)) if t + 1 < mdp.horizon else 0
        assert own == model.steps[t].span + later
        assert coarse == -(-own // model.finer(t))
    assert model.cells == mdp.n_states * sum(own + 1 for own in tops)
    assert model.terms == (2 + 3 if model.product else 3)


def test_grids_are_halved_as_the_discount_says():
    """``h_t`` is the whole part of 2/3 t log2(1 / discount)."""
    assert halvings_of(Q(1, 2), 5) == (0, 0, 1, 2, 2)
    assert halvings_of(Q(1, 8), 4) == (0, 2, 4, 6)
    assert halvings_of(Q(1), 3) == (0, 0, 0)
    assert np.all(np.diff(halvings_of(Q(9, 10), 50)) >= 0)


@pytest.mark.parametrize("discount", [1, "1/2"])
def test_continuous_rewards_are_rounded_up_from_their_cdf(discount):
    """A uniform reward has a quarter of its mass in each quarter of [0, 1]; with the discount, in each eighth of
    [0, 1/2], two of which make a quarter."""
    from scipy import stats

    mdp = vr.MDP(0, [[[1], [1]]], [[stats.uniform(), {"1/3": 1}]], horizon=2, discount=discount)
    grid = compiled(mdp, Q(1, 4))
    laws = [dict(zip(step.units[0], step.masses[0], strict=True)) for step in grid.steps]
    assert {j: float(p) for j, p in laws[0].items() if p > Q(1, 10**9)} == pytest.approx(
        dict.fromkeys((1, 2, 3, 4), 0.25)
    )
    last = {1: 0.5, 2: 0.5} if discount == "1/2" else dict.fromkeys((1, 2, 3, 4), 0.25)
    assert {j: float(p) for j, p in laws[1].items() if p > Q(1, 10**9)} == pytest.approx(last)
    assert all(sum(law.values()) == 1 for law in laws)
    assert [step.units[1] for step in grid.steps] == [(2,), (1,) if discount == "1/2" else (2,)]
    assert grid.loss == Q(1, 2)  # a whole step each time: a continuous reward may be raised by nearly that
    assert not grid.exact
