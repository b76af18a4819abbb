"""Entropic risk and EVaR: values against sums in floats, plans against every policy, published numbers."""

import math
import random
from fractions import Fraction

import pytest
from plan_models import laws_from, random_steps

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidObjective, Unsupported
from verified_risk.numbers.enclosure import bounds
from verified_risk.planning import entropic_route

Q = Fraction
BETAS = [math.exp(i / 16) for i in range(-80, 160)]


def erm(law, beta):
    end = law.atoms[0 if beta > 0 else -1]
    return float(end) - math.log(math.fsum(float(p) * math.exp(-beta * float(x - end)) for x, p in law)) / beta


def evar(law, alpha):
    """The largest value on a grid of beta: at most the truth."""
    return max(erm(law, beta) + math.log(alpha) / beta for beta in BETAS)


def random_law(rng):
    weights = [rng.randint(1, 9) for _ in range(rng.randint(2, 5))]
    atoms = rng.sample(range(-8, 9), len(weights))
    return vr.Law({Q(x, 2): Q(w, sum(weights)) for x, w in zip(atoms, weights, strict=True)})


def test_values_agree_with_sums_in_floats_and_keep_their_order():
    rng = random.Random("entropic")
    for _ in range(60):
        law, beta, alpha = random_law(rng), Q(rng.choice([-3, -1, 1, 4]), 2), Q(rng.randint(1, 9), 10)
        low, high = bounds(vr.ERM(beta).of(law))
        assert high - low < Q(1, 10**20)
        assert float(low) == pytest.approx(erm(law, float(beta)), abs=1e-9)
        low, high = bounds(vr.EVaR(alpha).of(law))
        assert evar(law, float(alpha)) - 1e-9 <= high
        assert low <= evar(law, float(alpha)) + 2e-3
        assert high - low < Q(1, 10**6)
        assert law.atoms[0] <= high
        assert low <= vr.CVaR(alpha).of(law)
        error, span = Q(1, 50), (law.atoms[0] - 1, law.atoms[-1] + 1)
        worst, best = bounds(vr.ERM(beta).within(law, error, span))
        moved = vr.Law.mixture([(1 - error, law), (error, vr.Law.point(rng.choice(span)))])
        assert worst <= bounds(vr.ERM(beta).of(moved))[0] <= best


def test_enclosures_hold_where_floats_find_the_wrong_beta_or_cannot_tell_actions_apart(monkeypatch):
    from flint import arb

    law, found = vr.Law({0: "1/8", 1: "3/8", 5: "1/2"}), vr.EVaR._float_maximum
    true = bounds(vr.EVaR("1/3").of(law))
    monkeypatch.setattr(vr.EVaR, "_float_maximum", lambda self, law: 1.01 * found(self, law))
    low, high = bounds(vr.EVaR("1/3").of(law))
    assert low < true[0] <= true[1] <= high < true[1] + Q(1, 10)
    mdp = vr.MDP.from_outcomes([[[(1, 1, 0)], [(1, 2, 0)]], [[(1, 1, 0)]], [[(1, 2, 0)]]], initial=0, horizon=1)
    for seeking in (False, True):
        worth = [arb(1), arb(1), arb(0.999 if seeking else 1.001, 0.1)]
        ball, _ = entropic_route._best(mdp, 0, worth, arb(-1), {}, arb, seeking=seeking)
        assert all(ball.contains(each) for each in worth[1:]), seeking


@pytest.mark.parametrize("seed", range(40))
def test_plans_are_as_good_as_the_best_of_all_policies(seed):
    P, R, terminal, initial, gamma = random_steps(random.Random(seed))
    mdp = vr.MDP.from_arrays(P, R, initial=initial, terminal=terminal, discount=gamma, layout="sas")
    laws = list(laws_from(initial, P, R, terminal, gamma))
    for beta in (Q(-2), Q(1, 2), Q(3)):
        plan = vr.plan(mdp, vr.ERM(beta))
        truth = max(erm(law, float(beta)) for law in laws)
        assert float(plan.lower) <= truth + 1e-9
        assert truth - 1e-9 <= float(plan.upper)
        assert plan.gap < Q(1, 10**15)
    plan = vr.plan(mdp, "evar(1/3)", gap="1/50")
    truth = max(evar(law, 1 / 3) for law in laws)
    assert float(plan.lower) <= truth + 5e-3
    assert truth - 1e-9 <= float(plan.upper)
    assert plan.gap <= Q(1, 50)
    assert bounds(plan.worth())[0] >= plan.lower


def gambler(horizon=60):
    """Wealth 1 to 7, won with probability 0.68; who leaves takes it along, and who has nothing owes 1."""

    def actions(wealth):
        return () if wealth == "end" else ["leave"] if wealth in (0, 7) else ["leave", *range(wealth + 1)]

    def outcomes(wealth, stake):
        if stake == "leave":
            return [(1, "end", wealth or -1)]
        return [("0.68", min(7, wealth + stake), 0), ("0.32", wealth - stake, 0)]

    return vr.MDP.from_function(dict.fromkeys(range(1, 8), "1/7"), actions, outcomes, horizon=horizon)


def test_the_published_gambler_is_solved_a_little_better_than_by_its_grid_of_betas():
    """A linear program on a grid of beta published 1.100524 for EVaR at 0.2, without a horizon."""
    plan = vr.plan(gambler(20), "evar(1/5)", gap="1/200")
    assert plan.upper - Q(1, 200) <= plan.lower <= Q("1.100673")
    assert Q("1.100524") <= plan.upper
    assert bounds(vr.plan(gambler(40), "erm(1)").worth())[0] >= vr.plan(gambler(20), "erm(1)").lower


def cliff(horizon):
    """Seven by seven cells: a prize in one corner, 4/1000 on the way, and a row of pits that cost 0.5 to 0.9."""

    def after(s, move):
        y, x = divmod(s, 7)
        y, x = y + (-1, 1, 0, 0)[move], x + (0, 0, -1, 1)[move]
        return 7 * y + x if 0 <= y < 7 and 0 <= x < 7 else s

    def outcomes(s, action):
        if s > 42:
            return [(1, 6, Q(38 - s, 10))]
        ways = [("0.91" if move == action else "0.03", after(s, move)) for move in range(4)]
        return [(p, to, {48: 2, 36: "0.004"}.get(to, 0)) for p, to in ways]

    initial = dict.fromkeys(range(48), "1/48")
    return vr.MDP.from_function(initial, lambda s: () if s == 48 else range(4), outcomes, horizon=horizon)


def test_the_published_cliff_is_solved_as_well_as_by_its_grid_of_betas():
    """A linear program on a grid of beta published 1.32375 for EVaR at 0.2, without a horizon."""
    plan = vr.plan(cliff(50), "evar(1/5)", gap="1/100")
    assert Q("1.321") <= plan.lower <= Q("1.3243")
    assert Q("1.32375") <= plan.upper


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mean - 0.5*var", "takes a variance, or a deviation, from a mean: .*erm"),
        ("mean - std", "takes a variance, or a deviation"),
        ("variance(1/2)", "'variance' in .* is not an objective: .* can fall when every return rises; erm"),
        ("expectile(1/4)", "expectiles are no weighting .* cvar"),
        ("nested(1/4)", "nested risk, applied step by step, is another problem"),
        ("0.5*mean + 0.5*erm(1)", r"term 1 is erm\(1\), which has no place in a sum"),
        ("erm(0)", "beta is 0, wanted another number"),
        ("evar(0)", r"alpha is 0, wanted a level in \(0, 1\]"),
    ],
)
def test_what_other_libraries_have_is_refused_with_what_to_use(text, message):
    with pytest.raises(InvalidObjective, match=message):
        vr.objective(text)


def test_what_has_no_meaning_for_them_is_refused_and_the_rest_works(tmp_path):
    mdp = vr.models.two_paths()
    assert (str(vr.objective("ERM(0.5)")), str(vr.objective("evar(1/4)"))) == ("erm(1/2)", "evar(1/4)")
    assert vr.plan(mdp, "evar(1)").value == vr.plan(mdp, "mean").value == Q(3, 2)
    assert vr.EVaR("1/4").of(vr.Law.point(3)) == 3
    plan = vr.plan(mdp, "erm(2)")
    plan.save(tmp_path / "p.json")
    assert vr.Plan.load(tmp_path / "p.json").objective == vr.ERM(2)
    assert plan.recheck().lower_holds.value == "unknown"
    for use in (lambda: vr.exact_plan(mdp, "erm(1)"), lambda: vr.ERM(1)("1/2"), lambda: plan.prove()):
        with pytest.raises(Unsupported):
            use()
    with pytest.raises(InvalidArgument, match="eta is for grids of returns"):
        vr.plan(mdp, "erm(1)", eta=1)
