"""Plans without a horizon: what follows the planned steps, against sums to infinity worked out by hand or solved."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import oracles
import pytest
import scipy.stats
import sympy

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidModel, InvalidPolicy, Unsupported
from verified_risk.planning import affordable_law, no_horizon

Q = Fraction


def best_mean(model, gamma, n, counts=lambda chosen: True):
    """The largest mean over all steps in the first n states, of every stationary policy that counts."""
    found = []
    for chosen in filter(counts, itertools.product(*(range(len(own)) for own in model.outcomes[:n]))):
        rows = [[sum(p for p, k, _ in model.outcomes[s][a] if k == j) for j in range(n)] for s, a in enumerate(chosen)]
        pays = [sum((p * r for p, _, r in model.outcomes[s][a]), Q()) for s, a in enumerate(chosen)]
        values = (sympy.eye(n) - sympy.nsimplify(gamma) * sympy.Matrix(rows)).LUsolve(sympy.Matrix(pays))
        found.append([Q(int(x.p), int(x.q)) for x in values])
    return max(sum(p * values[s] for s, p in model.initial.items()) for values in found)


@pytest.mark.parametrize("gamma", [Q(1, 2), Q(2, 3), Q(1)])
def test_the_mean_lies_between_the_bounds_of_random_models(gamma):
    rng = random.Random(f"endless {gamma}")
    for _ in range(20):
        model = oracles.random_model(rng, max_states=3)
        if gamma == 1:  # every step ends with probability 1/4 or more, in a state of its own
            end = len(model.outcomes)
            for own in model.outcomes:
                own[:] = [[(p * Q(3, 4), k, r) for p, k, r in action] + [(Q(1, 4), end, Q(-1))] for action in own]
            model.outcomes.append([[(Q(1), end, Q(0))]])
        truth = best_mean(model, gamma, len(model.outcomes) - (gamma == 1))
        mdp = vr.MDP.from_outcomes(model.outcomes, initial=model.initial, horizon=math.inf, discount=gamma)
        plan = vr.plan(mdp, "mean", gap="1/10")
        assert plan.lower <= truth <= plan.upper
        assert plan.gap <= Q(1, 10)


@pytest.mark.parametrize("reward", [Q(1), Q(-3), Q(1, 7)])
@pytest.mark.parametrize("objective", ["mean", "cvar(1/4)", "var(1/2)"])
def test_rewards_that_begin_after_the_last_planned_step_are_all_in_the_bounds(reward, objective):
    """One path pays nothing, the other begins to pay after T steps: exactly what the bounds must leave room for."""

    def plan(wait):
        def outcomes(k, a):
            return [(1, k if k in ("off", wait) else k + 1, reward if k == wait else 0)]

        mdp = vr.MDP.from_function({0: "1/2", "off": "1/2"}, lambda k: "x", outcomes, discount=Q(4, 5))
        return vr.plan(mdp, objective, gap=abs(reward))

    steps = plan(50).cut.mdp.horizon
    found, late = plan(steps), Q(4, 5) ** steps * reward * 5
    assert (found.cut.mdp.horizon, found.cut.law.atoms) == (steps, (0,))
    assert found.lower <= vr.objective(objective).of(vr.Law({0: "1/2", late: "1/2"})) <= found.upper
    assert 0 <= abs(found.tail.low if reward < 0 else found.tail.high) - abs(late) < Q(1, 10**6)
    assert found.gap <= abs(reward)


@pytest.mark.parametrize(("objective", "alpha"), [("mean", Q(1)), ("cvar(1/100)", Q(1, 100))])
@pytest.mark.parametrize("stay", [Q(1, 2), Q(9, 10)])
def test_waiting_times_without_a_bound_are_within_the_bounds_and_close_to_them(objective, alpha, stay):
    law = {-Q(k): (1 - stay) * stay ** (k - 1) for k in range(1, 800)}  # up to 0.9**800
    truth = oracles.cvar(law, alpha) if alpha < 1 else oracles.mean(law)
    mdp = vr.MDP.from_outcomes([[[(stay, 0, -1), (1 - stay, 1, -1)]], [[(1, 1, 0)]]], initial=0, horizon=math.inf)
    plan = vr.plan(mdp, objective, gap="1/4")
    assert plan.lower <= truth + Q(1, 10**9)
    assert truth <= plan.upper + Q(1, 10**9)
    left = stay**plan.cut.mdp.horizon / (1 - stay) / alpha
    assert plan.upper - truth >= left * Q(99, 100)
    assert -left * Q(101, 100) <= plan.tail.of(plan.objective)[0] <= -left


def test_a_pass_over_steps_is_rounded_up():
    """With probabilities that no float is, values whose products round, and values whose products vanish."""
    rng = np.random.default_rng(2)
    rows = [[[(Q(k + 1, 10), s, -1) for s, k in enumerate(rng.permutation(4).tolist())]] for _ in range(3)]
    live = no_horizon._Live(vr.MDP.from_outcomes([*rows, [[(1, 3, 0)]]], initial=0, horizon=math.inf))
    for scale in (1.0, 1e-323):
        for _ in range(40):
            left = rng.integers(1, 9, 3) * scale if scale < 1 else rng.random(3)
            for (way,), most in zip(rows, live.passed(left), strict=True):
                assert Q(float(most)) >= sum(p * Q(float(left[k])) for p, k, _ in way[:3])


@pytest.mark.parametrize("discount", [Q(4, 5), Q(1)])
def test_a_file_cannot_say_what_follows(discount):
    rows = [[[("1/2", 0, -1), ("1/2", 1, -1)]], [[(1, 1, 0)]]]
    plan = vr.plan(vr.MDP.from_outcomes(rows, initial=0, horizon=math.inf, discount=discount), "mean", gap="1/4")
    data = plan.to_json()
    data["endless"]["tail"] = ["0", "0", False]
    again = type(plan).from_json(data)
    assert (again.lower, again.upper, again.tail) == (plan.lower, plan.upper, plan.tail)
    assert again.tail.low < 0


def maze(rng):
    """Steps that cost 0 to 2: action 0 goes on to the next state or falls back, action 1 never comes to the end, n."""
    n = rng.randint(2, 3)
    rows = []
    for s in range(n):
        p = Q(rng.randint(1, 3), 4)
        on = [(p, s + 1, -Q(rng.randint(0, 2))), (1 - p, rng.randint(0, s), -Q(rng.randint(1, 2)))]
        rows.append([on, [(Q(1, 2), rng.randrange(n), -Q(rng.randint(1, 2))) for _ in range(2)]])
    return oracles.Model({0: Q(1)}, [*rows, [[(Q(1), n, Q(0))]]], 1, Q(1))


def comes_to_the_end(model, chosen):
    """Return whether the end can be reached from every state under a stationary policy."""
    near = {len(chosen)}
    for _ in chosen:
        near |= {s for s, a in enumerate(chosen) if any(p and k in near for p, k, _ in model.outcomes[s][a])}
    return len(near) == len(chosen) + 1


def played(policy, model, *ends):
    """The laws of the return of so many first steps, by following every memory of the policy, in floats; rewards are
    whole."""
    left, laws = {(s, policy.start(), 0): float(p) for s, p in model.initial.items()}, []
    rows = [[[(float(p), k, r, int(r)) for p, k, r in action] for action in own] for own in model.outcomes]
    for t in range(max(ends) + 1):
        if t in ends:
            laws.append(oracles.added((Q(z), Q(mass)) for (_, _, z), mass in left.items()))
        after = {}
        for (s, memory, z), mass in left.items():
            for a, q in policy.choice(t, s, memory):
                for p, k, r, whole in rows[s][a]:
                    place = k, policy.remember(memory, t, s, a, r), z + whole
                    after[place] = after.get(place, 0.0) + mass * float(q) * p
        left = after
    return laws


def test_where_waiting_costs_policies_that_never_end_do_not_matter(monkeypatch):
    rng = random.Random("costs")
    for _ in range(25):
        model = maze(rng)
        truth = best_mean(
            model, 1, len(model.outcomes) - 1, lambda chosen, model=model: comes_to_the_end(model, chosen)
        )
        mdp = vr.MDP.from_outcomes(model.outcomes, initial=model.initial, horizon=math.inf)
        mean = vr.plan(mdp, "mean", gap="1/10")
        assert mean.lower <= truth <= mean.upper
        assert mean.gap <= Q(1, 10)
        plan = vr.plan(mdp, "cvar(1/3)", gap="1/5", eta=rng.choice([None, Q(2, 3)]))
        assert plan.eta == Q(2, 3) or plan.gap <= Q(1, 5)
        steps = plan.cut.mdp.horizon
        first, law = played(plan.policy, model, steps, steps + 60)
        worth = oracles.cvar({z: p / sum(law.values()) for z, p in law.items()}, Q(1, 3))
        assert plan.lower <= worth + Q(1, 10**6)
        assert worth <= plan.upper + Q(1, 10**6)
        assert oracles.cvar(first, Q(1, 3)) > plan.lower
        again = type(plan).from_json(plan.to_json())
        assert (again.lower, again.upper, again.tail) == (plan.lower, plan.upper, plan.tail)
        exact = affordable_law.state_law_above(plan.cut.mdp, plan.cut.policy)
        with monkeypatch.context() as patch:
            patch.setattr(affordable_law, "PATIENT", -1)
            floats = affordable_law.state_law_above(plan.cut.mdp, plan.cut.policy)
        assert floats == pytest.approx(exact, rel=1e-6, abs=1e-12)


def test_a_density_costs_no_more_than_its_bounds_allow():
    """A step costs 5/6 on average, between 0 and 1, and is the last with probability 1/10; or all waits for ever."""
    density = scipy.stats.beta(1, 5, loc=-1)
    mdp = vr.MDP(0, [[{0: "9/10", 1: "1/10"}, [1, 0]], [[0, 1]]], [[density, -1], [0]], None)
    plan = vr.plan(mdp, "mean", eta="1/1000", gap=8)
    assert plan.lower <= Q(-25, 3) <= plan.upper


def test_published_grids_without_a_horizon():
    """The 4 x 3 grid of Russell and Norvig, ends paid +1 and -1 and steps -1/25, shifted by -1; gymnasium's cliff."""
    moves = {"up": (0, 1), "down": (0, -1), "left": (-1, 0), "right": (1, 0)}
    cells = [(x, y) for x in range(4) for y in range(3) if (x, y) != (1, 1)]
    ends = {(3, 2): 0, (3, 1): -2}

    def outcomes(cell, action):
        if cell in ends:
            return [(1, "end", ends[cell])]
        aside = [name for name, (x, y) in moves.items() if (x == 0) != (moves[action][0] == 0)]
        to = {name: (cell[0] + moves[name][0], cell[1] + moves[name][1]) for name in (action, *aside)}
        ways = [to[name] if to[name] in cells else cell for name in (action, *aside)]
        return [(p, way, "-1/25") for p, way in zip(("4/5", "1/10", "1/10"), ways, strict=True)]

    grid = vr.MDP.from_function(
        (0, 0), lambda cell: () if cell == "end" else ("go",) if cell in ends else moves, outcomes
    )
    plan = vr.plan(grid, "mean", gap="1/10000")
    assert plan.lower + 1 <= Q("0.705308") <= plan.upper + 1, "0.705 in the book"
    assert plan.upper - plan.lower <= Q(1, 10**4)
    cliff = vr.plan(vr.MDP.from_gymnasium("CliffWalking-v1", horizon=math.inf), "cvar(1/10)")
    assert cliff.upper - Q(1, 10**6) <= -13 <= cliff.upper, "the shortest way along the cliff"
    assert cliff.gap < Q(1, 10**6)


def test_a_constant_reward_leaves_no_doubt_and_no_steps():
    mdp = vr.MDP(0, [[[1]]], [["1/3"]], None, "1/2")
    plan = vr.plan(mdp, "cvar(1/4)")
    assert plan.cut.mdp.horizon == 1
    assert plan.lower <= Q(2, 3) <= plan.upper
    assert plan.gap < Q(1, 10**12)


def test_a_plan_is_played_on_saved_and_rechecked(tmp_path):
    mdp = vr.MDP.from_outcomes(
        [[[("1/2", 1, 0), ("1/2", 0, 1)], [(1, 0, "1/2")]], [[(1, 0, 2)], [(1, 1, 0)]]],
        initial=0, horizon=math.inf, discount="1/2",
    )  # fmt: skip
    plan = vr.plan(mdp, "cvar(1/2)", gap="1/2")
    steps = plan.cut.mdp.horizon
    player = plan.policy.player(3)
    played = []
    for _ in range(steps + 20):
        assert not player.over
        played.append((player.act(1), player.observe(2 if player._pending[1] == 0 else 0))[0])
    assert played[steps:] == [plan.policy.afterwards[1]] * 20 == [0] * 20, "the better mean in the long run"
    plan.save(tmp_path / "plan.json")
    again = type(plan).load(tmp_path / "plan.json")
    assert (again.lower, again.upper, again.policy) == (plan.lower, plan.upper, plan.policy)
    plan.policy.save(tmp_path / "policy.json")
    assert vr.Policy.load(tmp_path / "policy.json") == plan.policy
    checked = plan.recheck()
    assert checked.lower_holds is checked.upper_holds is vr.numbers.enclosure.Truth.HOLDS
    assert checked.lower >= plan.lower
    assert f"{steps} are planned; all later ones add" in str(plan)
    assert vr.compare(mdp, ["mean", "cvar(1/2)"], gap="1/2").values[1][1].lower >= plan.lower
    assert plan.plot().bytes("svg")
    with pytest.raises(Unsupported, match=r"bounded on paper: use plan\.cut\.prove"):
        plan.prove()
    with pytest.raises(InvalidPolicy, match="afterwards has 1 actions"):
        vr.policy.EndlessPolicy(mdp, plan.cut.policy, [0])


STAYS = [[[("1/2", 0, -1), ("1/2", 1, 0)], [("1/2", 1, 0), ("1/2", 2, 1)]], [[(1, 0, 0)]], [[(1, 2, 0)]]]


@pytest.mark.parametrize(
    ("outcomes", "objective", "options", "message"),
    [
        (
            STAYS,
            "mean",
            {},
            r"can stay for ever in state 0 and 1 more, which is no end, and a reward in state 0 is posi",
        ),
        ([[[(1, 0, -1)]]], "mean", {}, r"best for the mean can stay for ever in state 0: use a discount"),
        ([[[("1/2", 0, 1), ("1/2", 1, 0)]], [[(1, 1, 0)]]], "wang(1/2)", {}, r"wang\(1/2\) is not Lipschitz"),
        ([[[("1/2", 0, 1), ("1/2", 1, 0)]], [[(1, 1, 0)]]], "var(1/2)", {}, r"var\(1/2\) is not Lipschitz"),
        (STAYS, "mean", {"gap": 0}, "gap is 0: bounds for a model without a horizon do not meet"),
        ([[[("1/1000000", 1, 1), ("999999/1000000", 0, 1)]], [[(1, 1, 0)]]], "mean", {}, "takes so long to end"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_words(outcomes, objective, options, message):
    mdp = vr.MDP.from_outcomes(outcomes, initial=0, horizon=math.inf)
    with pytest.raises((Unsupported, InvalidArgument), match=message):
        vr.plan(mdp, objective, **options)


def test_a_model_without_a_horizon_says_so_wherever_one_is_needed(tmp_path):
    mdp = vr.models.two_paths().with_horizon(math.inf)
    assert (mdp.endless, repr(mdp)) == (True, "MDP(4 states, 1 to 2 actions, no horizon)")
    mdp.save(tmp_path / "m.json")
    assert vr.MDP.load(tmp_path / "m.json") == mdp != vr.models.two_paths()
    assert mdp.with_horizon(2) == vr.models.two_paths()
    assert mdp.with_horizon(2).with_horizon("auto") == mdp
    for use in (lambda: vr.exact_plan(mdp, "mean"), lambda: vr.learn(mdp, "mean", episodes=1), lambda: mdp.horizon):
        with pytest.raises(Unsupported, match="the model has no horizon: use plan"):
            use()
    assert vr.plan(mdp, "cvar(1/4)").lower == 1, "its ends are states that stay and pay nothing"
    with pytest.raises(InvalidModel, match="horizon is infinite, wanted a number of steps"):
        vr.MDP.from_outcomes([[[(1, 0, 0)]]], initial=0, horizon=math.inf, terminal=[1])
    for discount, gap in (("999999/1000000", None), (1 - Q(1, 10**20), None), ("9999/10000", Q(1, 10**8))):
        with pytest.raises(InvalidArgument, match="takes more than 100,000 steps"):
            vr.plan(mdp.with_discount(discount), "mean", gap=gap)
    assert vr.plan(mdp.with_discount(Q(1, 10**400)), "mean", gap=Q(1, 10)).cut.mdp.horizon == 1
    steps, tail = no_horizon._discounted(mdp.with_discount("9/10"), Q(1, 10**400))
    assert tail.high - tail.low <= Q(1, 10**400) < 100 * Q(9, 10) ** steps
