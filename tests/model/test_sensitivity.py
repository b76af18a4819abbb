"""``plan.sensitivity()``: exact derivatives, against differences of exact evaluations of changed models."""

from dataclasses import replace
from fractions import Fraction as Q

import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.errors import Unsupported

STEP = Q(1, 10**9)


def with_more(model, s, a, target, step):
    """The model in which one transition probability is larger by ``step``."""
    outcomes = [[list(rows) for rows in own] for own in model.outcomes]
    p = sum(q for q, k, _ in outcomes[s][a] if k == target)
    outcomes[s][a] = [(q * ((p + step) / p if k == target else (1 - p - step) / (1 - p)), k, r)
                      for q, k, r in outcomes[s][a]]  # fmt: skip
    return vr.MDP.from_outcomes(outcomes, initial=model.initial, horizon=model.horizon, discount=model.discount)


@pytest.mark.parametrize("spec", ["mean", "cvar(1/2)", "0.5*cvar(1/3) + 0.5*mean", "0.5*cvar(1/4) + 0.5*cvar(1/2)"])
def test_a_derivative_is_the_limit_of_differences_of_exact_values(spec):
    compared = bent = 0
    weighting = vr.objective(spec)
    for i, (mdp, model, _) in enumerate(models.small(f"derivatives {spec}", 60)):
        plan = vr.plan(mdp, "cvar(1/2)", eta=Q(2, 7) if i % 3 == 0 else None)  # off the grid, policies remember sums
        if i % 3 == 1:
            last = vr.MarkovPolicy(mdp, [[n - 1 for n in mdp.n_actions]] * mdp.horizon)
            mixed = vr.MixturePolicy([(Q(1, 3), plan.policy), (Q(2, 3), last)])
            policy = mixed if i % 2 else vr.behavioural_form(mdp, mixed)
            plan = replace(plan, policy=policy, known_law=vr.return_law(mdp, policy))
        found = plan.sensitivity(weighting)
        sizes = [abs(row.derivative) for row in found.rows]
        assert sizes == sorted(sizes, reverse=True)
        value = weighting.of(plan.law)
        for row in found.rows:
            assert 0 < row.probability < 1

            def moved(step, row=row, model=model, plan=plan):
                other = with_more(model, row.state, row.action, row.next_state, step)
                return weighting.of(vr.return_law(other, plan.policy.on(other)))

            up, down = (moved(STEP) - value) / STEP, (value - moved(-STEP)) / STEP
            assert abs(up - row.derivative) < Q(1, 10**6)
            bent += abs(up - down) > Q(1, 10**6)
            compared += 1
    assert compared > 100
    assert bent > 0 or "cvar(1/2)" not in spec


def test_every_probability_that_matters_is_listed():
    """Two steps, each ending in failure with probability 1/10 or 1/5; the mean is the product of the others."""
    mdp = vr.MDP.from_outcomes(
        [[[("9/10", 1, 0), ("1/10", 2, 0)]], [[("4/5", 3, 1), ("1/5", 2, 0)]], [[(1, 2, 0)]], [[(1, 3, 0)]]],
        initial=0, horizon=2, state_names=["first", "second", "failed", "done"],
    )  # fmt: skip
    found = vr.plan(mdp, "mean").sensitivity()
    table = {(row.state, row.next_state): row.derivative for row in found.rows}
    assert table == {(1, 3): Q(9, 10), (1, 2): Q(-9, 10), (0, 1): Q(4, 5), (0, 2): Q(-4, 5)}
    assert "state 1 (second)" in str(found).splitlines()[2]


def test_only_the_ten_largest_are_printed():
    found = vr.plan(vr.models.river_swim(), "mean").sensitivity()
    assert len(found.rows) > 10
    assert len(str(found).splitlines()) == 2 + 10


def test_what_has_no_exact_derivative_is_said():
    plan = vr.plan(vr.models.frozen_lake(), "mean")
    for objective in ("wang(3/4)", "var(1/2)"):
        with pytest.raises(Unsupported, match="not piecewise linear with rational corners"):
            plan.sensitivity(objective)
