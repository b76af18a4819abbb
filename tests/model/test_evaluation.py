"""Policies and the law of their return, against a walk over all histories, and derivatives of their worth."""

import random
from dataclasses import replace
from fractions import Fraction
from fractions import Fraction as Q

import oracles
import plan_models
import pytest
from plan_models import as_mdp

import verified_risk as vr
from verified_risk.errors import Unsupported
from verified_risk.policy import policy_from_json

HALF = Fraction(1, 2)


def random_choice(rng, count):
    weights = [rng.choice([0, 1, 2]) for _ in range(count)]
    if not any(weights):
        weights[0] = 1
    return {a: Fraction(w, sum(weights)) for a, w in enumerate(weights)}


def random_rule(rng, model, key):
    """A stochastic rule that depends on the history through ``key`` only, drawn lazily and remembered."""
    table = {}

    def rule(history):
        k = key(history)
        if k not in table:
            table[k] = random_choice(rng, len(model.outcomes[history[-1]]))
        return table[k]

    return rule


def return_so_far(model, history):
    return sum((model.discount**t * step[2] for t, step in enumerate(history[:-1])), Fraction())


def models(seed, count):
    rng = random.Random(seed)
    return [(rng, oracles.random_model(rng, max_actions=3)) for _ in range(count)]


def test_history_dependent_policies_have_the_law_of_all_walks():
    for rng, model in models("history", 150):
        rule = random_rule(rng, model, lambda h: h)
        mdp = as_mdp(model)
        law = vr.return_law(mdp, vr.HistoryPolicy(mdp, rule))
        assert dict(law) == oracles.law_of_rule(model, rule)


def test_return_and_markov_policies_have_the_law_of_all_walks():
    for rng, model in models("return", 150):
        mdp = as_mdp(model)
        by_return = random_rule(rng, model, lambda h, model=model: (len(h), h[-1], return_so_far(model, h)))
        seen = {}

        def rule(t, s, y, model=model, by_return=by_return, seen=seen):
            earned = [(None, None, y / model.discount ** (t - 1))] if t else []
            seen[t, s, y] = by_return((*[(None, None, Fraction())] * (t - 1), *earned, s))
            return seen[t, s, y]

        policy = vr.ReturnPolicy(mdp, rule)
        law = vr.return_law(mdp, policy)
        assert dict(law) == oracles.law_of_rule(model, by_return)
        assert vr.return_law(mdp, vr.ReturnPolicy(mdp, seen)) == law
        table = [[random_choice(rng, n) for n in mdp.n_actions] for _ in range(mdp.horizon)]
        walked = oracles.law_of_rule(model, lambda h, table=table: table[len(h) - 1][h[-1]])
        assert dict(vr.return_law(mdp, vr.MarkovPolicy(mdp, table))) == walked


def test_a_mixture_draws_its_policy_once():
    mdp = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[0, 1]], horizon=2)
    low, high = (vr.MarkovPolicy(mdp, [[a], [a]]) for a in (0, 1))
    policy = vr.MixturePolicy([("1/3", low), ("2/3", vr.MixturePolicy([(HALF, low), (HALF, high)]))])
    assert vr.return_law(mdp, policy) == vr.Law({0: "2/3", 2: "1/3"})
    assert len(list(policy.parts())) == 3


def test_a_memory_that_is_drawn_counts_with_its_probability():
    class Forgetful(vr.HistoryPolicy):
        def memories(self, memory, *step):
            return ((), Fraction(1, 3)), ((0,), Fraction(2, 3))

    mdp = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[0, 1]], horizon=2)
    law = vr.return_law(mdp, Forgetful(mdp, lambda history: int(len(history) == 1)))
    assert law == vr.Law({2: "1/3", 1: "2/3"})


def test_an_adapted_policy_carries_the_sum_of_rounded_rewards():
    """T = 2, eta = 1, R(a) = 3/4, R(b) = 0; a, then a iff the rounded return is 1: plays a twice, return 3/2."""
    mdp = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[["3/4", 0]], horizon=2)
    inner = vr.ReturnPolicy(mdp.discretised(1), {(0, 0, 0): 0, (1, 0, 1): 0, (1, 0, 0): 1})
    adapted = vr.GridPolicy.adapt(inner, mdp, 1)
    assert vr.return_law(mdp, adapted) == vr.Law.point("3/2")
    assert vr.return_law(mdp.discretised(1), inner) == vr.Law.point(2)


def test_rounded_and_raw_return_stay_within_horizon_times_eta():
    for rng, model in models("adapted", 100):
        if model.discount != 1:
            continue
        mdp, eta = as_mdp(model), Fraction(2, 5)
        rounded = mdp.discretised(eta)
        by_return = random_rule(rng, model, lambda h: h)
        inner = vr.ReturnPolicy(rounded, lambda t, s, y, rule=by_return: rule((*[0] * t, y, s)))
        z_hat = vr.return_law(rounded, inner)
        z = vr.return_law(mdp, vr.GridPolicy.adapt(inner, mdp, eta))
        for x in (*z.atoms, *z_hat.atoms):
            assert z_hat.cdf(x) <= z.cdf(x) <= z_hat.cdf(x + mdp.horizon * eta)


def test_conditioning_on_the_return_so_far_keeps_every_joint_law():
    for rng, model in models("augmented", 80):
        mdp = as_mdp(model)
        parts = [vr.HistoryPolicy(mdp, random_rule(rng, model, lambda h: h)) for _ in range(2)]
        policy = vr.MixturePolicy([("1/3", parts[0]), ("2/3", parts[1])])
        behavioural = vr.behavioural_form(mdp, policy)
        for t in range(mdp.horizon + 1):
            assert vr.joint_law(mdp, policy, t) == vr.joint_law(mdp, behavioural, t)
        assert vr.return_law(mdp, policy) == vr.return_law(mdp, behavioural)


def test_the_joint_law_is_that_of_all_walks():
    for rng, model in models("joint", 40):
        mdp = as_mdp(model)
        rule = random_rule(rng, model, lambda h: h)
        t = rng.randint(0, mdp.horizon)
        cut = oracles.Model(model.initial, model.outcomes, t, model.discount)
        joint = vr.joint_law(mdp, vr.HistoryPolicy(mdp, rule), t)
        by_return = oracles.added((y, p) for (_, y), p in joint.items())
        assert by_return == oracles.law_of_rule(cut, rule)


def test_policies_come_back_from_their_files(tmp_path):
    for rng, model in models("saved", 25):
        mdp = as_mdp(model)
        history = vr.HistoryPolicy(mdp, random_rule(rng, model, lambda h: h))
        table = vr.behavioural_form(mdp, history)
        markov = vr.MarkovPolicy(mdp, [[random_choice(rng, n) for n in mdp.n_actions] for _ in range(mdp.horizon)])
        grid = vr.GridPolicy(mdp, "1/2", lambda t, s, i, mdp=mdp: i % mdp.n_actions[s])
        for policy in (table, markov, grid, vr.MixturePolicy([("1/4", markov), ("3/4", grid)])):
            policy.save(tmp_path / "p.json")
            again = vr.Policy.load(tmp_path / "p.json")
            assert type(again) is type(policy)
            assert vr.return_law(mdp, again) == vr.return_law(mdp, policy)
        with pytest.raises(vr.errors.Unsupported, match="cannot be saved"):
            history.save(tmp_path / "p.json")
        with pytest.raises(vr.errors.InvalidPolicy, match="kind 'x' is not known"):
            policy_from_json({"kind": "x"}, mdp)


def test_a_policy_of_another_model_is_refused_unless_moved_on_purpose():
    a = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[0, 1]], horizon=1)
    b = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[0, 2]], horizon=1)
    c = vr.MDP(initial=0, transitions=[[[1]]], rewards=[[0]], horizon=1)
    policy = vr.ReturnPolicy(a, {(0, 0, 0): 1})
    with pytest.raises(vr.errors.InvalidPolicy, match="belongs to another model"):
        vr.return_law(b, policy)
    assert vr.return_law(b, policy.on(b)) == vr.Law.point(2)
    on_grid = vr.GridPolicy(a, 1, lambda t, s, i: 1)
    assert vr.return_law(b, on_grid.on(b)) == vr.Law.point(2)
    for other in (c, a.with_horizon(2)):
        for move in (policy.on, on_grid.on, lambda mdp: vr.GridPolicy.adapt(policy, mdp, 1)):
            with pytest.raises(vr.errors.InvalidPolicy, match="not the states, actions and horizon"):
                move(other)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda m: vr.MarkovPolicy(m, [[2]]), r"policy\[0\]\[0\] plays action 2, state 0 has actions 0..1"),
        (lambda m: vr.MarkovPolicy(m, [[{0: HALF, 1: "1/3"}]]), r"probabilities that sum to 5/6, not to 1"),
        (lambda m: vr.MarkovPolicy(m, [[{0: 2, 1: -1}]]), r"policy\[0\]\[0\]\[1\] is -1, wanted a probability"),
        (lambda m: vr.MarkovPolicy(m, [[{7: 1}]]), "plays action 7"),
        (lambda m: vr.MarkovPolicy(m, [[-1]]), "plays action -1"),
        (lambda m: vr.MarkovPolicy(m, [[{0: "x"}]]), "is 'x', wanted a number"),
        (lambda m: vr.MarkovPolicy(m, [["a"]]), "wanted an action or a dict"),
        (lambda m: vr.MarkovPolicy(m, [[0], [0]]), "has 2 steps, wanted 1"),
        (lambda m: vr.MarkovPolicy(m, [[0, 0]]), "has 2 states, wanted 1"),
        (lambda m: vr.ReturnPolicy(m, {(1, 0, 0): 0}), "is outside steps 0..0"),
        (lambda m: vr.return_law(m, vr.ReturnPolicy(m, {(0, 0, 1): 0})), "says nothing at step 0, state 0"),
        (lambda m: vr.return_law(m, vr.HistoryPolicy(m, lambda h: 5)), "plays action 5"),
        (lambda m: vr.MixturePolicy([(HALF, vr.MarkovPolicy(m, [[0]]))]), "sum to 1/2, not to 1"),
        (lambda m: vr.MixturePolicy([(-1, vr.MarkovPolicy(m, [[0]]))]), "weight 0 of the mixture is -1"),
    ],
)
def test_what_is_not_a_policy_is_refused(build, message):
    mdp = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[0, 1]], horizon=1)
    with pytest.raises(vr.errors.InvalidPolicy, match=message):
        build(mdp)


def test_a_joint_law_is_asked_for_a_step_that_there_is():
    mdp = vr.models.two_paths()
    policy = vr.exact_plan(mdp, "mean").policy
    assert [sum(vr.joint_law(mdp, policy, t).values()) for t in range(3)] == [1, 1, 1]
    for t in (-1, 3, 1.0, "1"):
        with pytest.raises(vr.errors.InvalidArgument, match=r"t is .*, wanted a step in 0\.\.2"):
            vr.joint_law(mdp, policy, t)


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
    for i, (mdp, model, _) in enumerate(plan_models.small(f"derivatives {spec}", 60)):
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
