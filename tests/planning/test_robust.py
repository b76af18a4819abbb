"""Plans at the worst and the best rates within intervals, against all policies and all corners of the intervals."""

import random
from fractions import Fraction as Q
from itertools import combinations, pairwise, product

import numpy as np
import oracles
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidModel, Unsupported
from verified_risk.planning import robust

HALF = Q(1, 2)
TAILS = (("cvar(1/3)", Q(), Q(1, 3)), ("0.5*mean + 0.5*cvar(1/4)", HALF, Q(1, 4)), ("mean", Q(1), HALF))


def corners(ends):
    """The corners of all laws in a box: every entry but one is at an end."""
    found = set()
    for k, (low, high) in enumerate(ends):
        for others in product(*(pair for i, pair in enumerate(ends) if i != k)):
            rest = 1 - sum(others)
            if low <= rest <= high:
                found.add((*others[:k], rest, *others[k:]))
    return found


def laws_of(model, policy, t, s, y):
    """The laws of the return of a policy ``{(t, s, y): a}`` at all corners, as sorted tuples of (return, mass)."""
    boxes, pays, horizon = model
    if t == horizon:
        return {((y, Q(1)),)}
    a, found = policy[t, s, y], set()
    parts = [laws_of(model, policy, t + 1, k, y + pays[s][a][k]) for k in range(len(boxes))]
    for law in corners(boxes[s][a]):
        for chosen in product(*(part if p else {()} for part, p in zip(parts, law, strict=True))):
            total = oracles.added((z, p * q) for p, part in zip(law, chosen, strict=True) for z, q in part)
            found.add(tuple(sorted(total.items())))
    return found


def policies(model):
    boxes, pays, horizon = model
    cells, reached = [], {(0, 0)}
    for t in range(horizon):
        cells += [(t, s, y) for s, y in sorted(reached)]
        reached = {(k, y + r) for s, y in reached for own in pays[s] for k, r in enumerate(own)}
    for actions in product(*(range(len(boxes[s])) for _, s, _ in cells)):
        yield dict(zip(cells, actions, strict=True))


def scored(law, w, alpha, rho):
    return w * sum(p * z for z, p in law) + (1 - w) * (rho - sum(p * max(rho - z, 0) for z, p in law) / alpha)


def worst_value(laws, w, alpha):
    """The least of ``w E + (1 - w) CVaR`` over all mixtures of the laws: by duality the largest, over all rho, of their
    least scores, which is at a return or where two scores cross."""
    points = sorted({z for law in laws for z, _ in law})
    best = max(min(scored(law, w, alpha, rho) for law in laws) for rho in points)
    for x, y in pairwise(points):
        lines = {(scored(law, w, alpha, x), scored(law, w, alpha, y)) for law in laws}
        for (a, b), (c, d) in combinations(lines, 2):
            if (a - c) * (b - d) < 0:
                share = (a - c) / (a - c + d - b)
                best = max(best, min(p + share * (q - p) for p, q in lines))
    return best


def random_model(rng, *, joint):
    """Boxes ``[s][a]`` of two states and two actions, rewards ``[s][a][s']``, and the horizon."""
    boxes, pays = [], []
    for _ in range(2):
        low = [Q(rng.randrange(5), 10) for _ in range(2)]
        wide = [Q(rng.randrange(1, 10), 10) for _ in range(2)]
        boxes.append([[(p, min(Q(1), p + w)), (max(Q(), 1 - p - w), 1 - p)] for p, w in zip(low, wide, strict=True)])
        rewards = [[Q(rng.randrange(4)) for _ in range(2)] for _ in range(2)]
        pays.append(rewards if joint else [[x, x] for x, _ in rewards])
    return boxes, pays, 2


def as_intervals(model):
    boxes, pays, horizon = model
    ends = [np.array([[[pair[i] for pair in row] for row in own] for own in boxes], dtype=object) for i in (0, 1)]
    return vr.MDP.from_arrays(
        (ends[0], ends[1]), np.array(pays, dtype=object), initial=0, horizon=horizon, layout="sas"
    )


def played(policy, model):
    """The plan's policy as a dict."""
    cells, reached = {}, {(0, 0)}
    for t in range(model[2]):
        for s, y in reached:
            ((cells[t, s, y], _),) = policy.choice(t, s, int(y / policy.eta))
        reached = {(k, y + r) for s, y in reached for own in model[1][s] for k, r in enumerate(own)}
    return cells


@pytest.mark.parametrize("exact", [True, False], ids=["rationals", "floats"])
def test_no_policy_and_no_corner_of_the_intervals_contradicts_a_plan(exact, monkeypatch):
    monkeypatch.setattr(robust, "EXACT_TERMS", 10**9 if exact else 0)
    rng = random.Random("intervals")
    for i in range(12):
        model = random_model(rng, joint=bool(i % 2))
        mdp = as_intervals(model)
        sets = {tuple(policy.items()): laws_of(model, policy, 0, 0, Q()) for policy in policies(model)}
        for spec, w, alpha in TAILS:
            values = {key: worst_value(laws, w, alpha) for key, laws in sets.items()}
            worst = vr.plan(mdp, spec, against="worst", gap=Q(1, 10**6))
            assert worst.lower <= max(values.values()) <= worst.upper
            assert worst.gap <= Q(1, 10**6)
            own = laws_of(model, played(worst.policy, model), 0, 0, Q())
            assert worst_value(own, w, alpha) >= worst.lower
            best = vr.plan(mdp, spec, against="best")
            found = max(worst_value({law}, w, alpha) for laws in sets.values() for law in laws)
            assert best.lower <= found <= best.upper
            assert best.gap <= Q(0 if exact else 1, 10**10)
        for spec, alpha in (("var(1/3)", Q(1, 3)), ("var(1/2)", HALF)):
            for against, of in (("worst", min), ("best", max)):
                plan = vr.plan(mdp, spec, against=against)
                found = max(of(oracles.quantile(dict(law), alpha) for law in laws) for laws in sets.values())
                assert plan.lower <= found <= plan.upper
                assert not exact or plan.gap == 0


def test_the_best_rho_may_be_no_return():
    """The rates choose between a lottery (0 or 5) and a sure 1; their worst mixture is worse than both."""
    low = [[[0, 0, 0]], [[0, 1, 0]], [[0, 0, 1]]]
    high = [[[0, 1, 1]], [[0, 1, 0]], [[0, 0, 1]]]
    pays = [[{0: 1}], [{0: "1/10", 5: "9/10"}], [{1: 1}]]
    mdp = vr.MDP.from_arrays((low, high), pays, initial=0, horizon=2, layout="sas")
    plan = vr.plan(mdp, "cvar(1/2)", against="worst", gap="1/1000000000")
    assert plan.lower <= Q(8, 9) <= plan.upper <= plan.lower + Q(1, 10**9)
    assert plan.upper < Q(9, 10) == vr.exact_plan(mdp.nominal, "cvar(1/2)").value


def test_degenerate_intervals_give_the_ordinary_plan():
    rows = np.array([[["1/2", "1/2", 0], ["1/3", "1/3", "1/3"]], [[0, 1, 0], [0, 0, 1]], [[0, 0, 1]] * 2], dtype=object)
    pays, rest = [[1, 2], [4, 1], [0, 3]], {"initial": 0, "horizon": 3, "layout": "sas"}
    certain, mdp = vr.MDP.from_arrays(rows, pays, **rest), vr.MDP.from_arrays((rows, rows), pays, **rest)
    assert mdp.contains(certain)
    for objective in ("mean", "cvar(1/4)", "var(1/4)"):
        for against in ("worst", "best"):
            plan = vr.plan(mdp, objective, against=against)
            assert plan.lower <= vr.exact_plan(certain, objective).value <= plan.upper


def test_discounted_rewards_are_rounded_up_and_the_bounds_say_so():
    model = random_model(random.Random(3), joint=False)
    plain = as_intervals(model)
    mdp = vr.IntervalMDP(plain.nominal.with_discount("9/10"), plain.intervals)
    exact, coarse = vr.plan(mdp, "cvar(1/2)", against="worst"), vr.plan(mdp, "cvar(1/2)", against="worst", eta="1/4")
    assert coarse.lower <= exact.upper
    assert exact.lower <= coarse.upper
    assert 0 < coarse.gap <= Q(1, 2) + Q(1, 10**5)


def test_every_model_within_the_intervals_keeps_the_guarantee():
    rng, model = random.Random(1), random_model(random.Random(7), joint=True)
    mdp = as_intervals(model)
    plan = vr.plan(mdp, "cvar(1/3)", against="worst")
    for _ in range(20):
        laws = [[rng.choice(sorted(corners(row))) for row in own] for own in model[0]]
        other = vr.MDP.from_arrays(np.array(laws, dtype=object), np.array(model[1], dtype=object), initial=0, horizon=2,
                                   layout="sas")  # fmt: skip
        assert mdp.contains(other)
        assert vr.CVaR("1/3").of(vr.return_law(other, plan.policy.on(other))) >= plan.lower
    wrong = vr.MDP.from_arrays([[[1, 0]] * 2] * 2, [[0, 0]] * 2, initial=0, horizon=2, layout="sas")
    assert not mdp.contains(wrong)


POINT = [[[1, 0]], [[0, 1]]]


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        ([[[0.6, 0.2]], [[0, 1]]], [[[0.5, 0.5]], [[0, 1]]], r"P\[0, 0, 0\] is from 3/5 to 1/2, wanted low <= high"),
        ([[[0.6, 0.6]], [[0, 1]]], [[[0.9, 0.9]], [[0, 1]]], r"P\[0, 0\] .* exclude every law: .* sum to 6/5"),
        ([[[0.1, 0.1]], [[0, 1]]], [[[0.2, 0.5]], [[0, 1]]], r"P\[0, 0\] .* exclude every law: .* sum to 7/10"),
        ([[[0, 0]], [[0, 1]]], [[[1.5, 1]], [[0, 1]]], r"P\[0, 0, 0\] is from 0 to 3/2"),
        ([[[-0.5, 0]], [[0, 1]]], POINT, r"P\[0\]\[0, 0, 0\] is -1/2, wanted a probability"),
        (POINT, [[[1, 0], [1, 0]], [[0, 1], [1, 0]]], r"P\[1\] has 2 states and 2 actions, wanted 2 and 1"),
    ],
)
def test_intervals_without_a_law_are_refused_by_name(low, high, said):
    with pytest.raises(InvalidModel, match=said):
        vr.MDP.from_arrays((low, high), [[0]] * 2, initial=0, horizon=1, layout="sas")


def test_what_uncertain_rates_do_not_cover_is_said():
    mdp = vr.MDP.from_arrays((POINT, POINT), [[0], [1]], initial=0, horizon=1, layout="sas")
    plan = vr.plan(mdp, "mean", against="worst")
    assert "not covered" in plan.recheck().upper_route
    assert plan.recheck().upper_holds.value == "unknown"
    with pytest.raises(Unsupported, match="not covered"):
        plan.prove()
    with pytest.raises(Unsupported, match=r"wang\(3/4\): uncertain rates are planned for"):
        vr.plan(mdp, "wang(3/4)", against="worst")
    with pytest.raises(InvalidArgument, match="against is None, wanted 'worst' or 'best'"):
        vr.plan(mdp, "mean")
    with pytest.raises(InvalidArgument, match="against is 'worst', wanted None"):
        vr.plan(mdp.nominal, "mean", against="worst")
    with pytest.raises(InvalidArgument, match=r"wanted rates that are numbers: mdp\.nominal"):
        vr.exact_plan(mdp, "mean")
    with pytest.raises(Unsupported, match="no ties"):
        vr.plan(mdp, "mean", against="worst", then="mean")
    with pytest.raises(Unsupported, match="neither terminal rewards"):
        vr.MDP.from_arrays((POINT, POINT), [[0], [1]], initial=0, horizon=1, layout="sas", terminal=[0, 1])
    with pytest.raises(Unsupported, match="need a horizon"):
        vr.plan(vr.IntervalMDP(mdp.nominal.with_horizon(None), mdp.intervals), "mean", against="best")


def test_a_quantile_that_floats_cannot_decide_stays_below_the_upper_bound(monkeypatch):
    monkeypatch.setattr(robust, "EXACT_TERMS", 0)
    fail = Q(1, 3) - Q(1, 10**18)
    low, high = [[[fail, 0]], [[0, 1]]], [[[HALF, 1]], [[0, 1]]]
    mdp = vr.MDP.from_arrays((low, high), [[[0, 1]], [[0, 0]]], initial=0, horizon=1, layout="sas")
    plan = vr.plan(mdp, "var(1/3)", against="best")
    assert (plan.lower, plan.upper) == (0, 1)


def test_absorbing_states_have_no_intervals_and_other_successors_are_not_within():
    low, high = [[[0, 0, 0]]] * 3, [[[1, 1, 0]]] * 3
    mdp = vr.MDP.from_arrays((low, high), [[1]] * 3, initial=0, horizon=3, layout="sas", absorbing=[1])
    assert mdp.intervals[1] == ((1, 1),)
    assert vr.plan(mdp, "mean", against="worst").upper == 1
    for row, within in (([1, 0, 0], True), (["1/2", 0, "1/2"], False)):
        other = vr.MDP.from_arrays([[row], [[0, 1, 0]], [[1, 0, 0]]], [[1]] * 3, initial=0, horizon=3, layout="sas")
        assert mdp.contains(other) == within
