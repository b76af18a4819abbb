"""Discounted models against brute force: tables read between nodes, and the law where the exact one is too long."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk import grid
from verified_risk.kernels import budget_pass as kernels
from verified_risk.numbers.enclosure import Truth
from verified_risk.planning.affordable_law import POINTS, shared_law
from verified_risk.planning.tails import interpolated_tables, refine
from verified_risk.planning.tails.refine import refined_plan
from verified_risk.policy.cell_policy import CellPolicy

HALF = Fraction(1, 2)
DISCOUNTS = [Fraction(1, 2), Fraction(2, 3), Fraction(9, 10), Fraction(19, 20), Fraction(1, 5)]
ETAS = [Fraction(1, 3), Fraction(1, 2), Fraction(2, 7), Fraction(1), Fraction(3, 2), Fraction(1, 11)]


def discounted(seed: str, count: int, discounts=DISCOUNTS, **sizes):
    """Small models with a discount, as an MDP and as oracle data, few enough policies to list."""
    for mdp, model, rng in models.small(seed, count, **sizes):
        discount = rng.choice(discounts)
        model = oracles.Model(model.initial, model.outcomes, model.horizon, discount)
        if oracles.count_return_policies(model) <= 300:
            yield models.as_mdp(model) if rng.random() < 0.5 else mdp.with_discount(discount), model, rng


def cases(seed: str, count: int, **sizes):
    """A discounted MDP, its oracle data, an objective and its value of a law."""
    for mdp, model, rng in discounted(seed, count, **sizes):
        low, high = mdp.reward_range
        if low == high:
            continue
        alpha, weight = Fraction(rng.randint(1, 9), 10), rng.choice([Fraction(), Fraction(1, 3), Fraction(9, 10)])
        G = vr.CVaR(alpha) if not weight else weight * vr.Mean() + (1 - weight) * vr.CVaR(alpha)

        def phi(law, alpha=alpha, weight=weight):
            mean = sum(z * p for z, p in law.items())
            return weight * mean + (1 - weight) * oracles.cvar(law, alpha)

        yield mdp, model, G, phi, rng


def bounds_hold(seed: str, count: int = 120) -> bool:
    """True if every plan's bounds enclose the brute-force optimum and its policy attains the lower one."""
    for mdp, model, G, phi, rng in cases(seed, count, max_states=2, max_actions=3):
        best = max(phi(law) for law in oracles.all_return_laws(model))
        plan = refined_plan(mdp, G, rng.choice(ETAS), None, None)
        if not plan.lower <= best <= plan.upper:
            return False
        if phi(models.law_by_playing(model, plan.policy)) < plan.lower:
            return False
    return True


def test_bounds_hold_and_the_policy_attains_the_lower_one():
    assert bounds_hold("discounted", 250)


def test_the_tables_alone_are_bounds_too(monkeypatch):
    """Without the exact value of the policy, the lower bound is what the upper table says."""
    monkeypatch.setattr("verified_risk.planning.certify.exact_value", lambda *_, **__: None)
    assert bounds_hold("tables", 120)


def test_the_policy_is_evaluated_exactly():
    for mdp, model, G, _, rng in cases("cells", 40, max_states=2, max_actions=2):
        policy = refined_plan(mdp, G, rng.choice(ETAS), None, None).policy
        assert isinstance(policy, CellPolicy)
        law = vr.return_law(mdp, policy)
        assert dict(law) == {z: p for z, p in models.law_by_playing(model, policy).items() if p}


def forget_the_scale_of_one_step(monkeypatch):
    honest = grid._scaled_step
    seen: list[int] = []

    def planted(scale, *rest):
        seen.append(1)
        return honest(scale if len(seen) % 2 else scale * 2, *rest)

    monkeypatch.setattr(grid, "_scaled_step", planted)


def round_to_nearest(monkeypatch):
    honest = grid._scaled_step

    def planted(*args):
        step = honest(*args)
        up = step.share >= 0.5
        return replace(step, units=step.units + up, share=np.zeros_like(step.share))

    monkeypatch.setattr(grid, "_scaled_step", planted)


def clip_too_early(monkeypatch):
    honest = grid._scaled_step
    monkeypatch.setattr(grid, "_scaled_step", lambda *args: replace(step := honest(*args), span=max(1, step.span // 2)))


def leave_chords_where_they_are(monkeypatch):
    honest = interpolated_tables._pass
    monkeypatch.setattr(interpolated_tables, "_pass", lambda *args, lower: honest(*args, lower=False))


def upper_chords_where_they_are(monkeypatch):
    """The table above is that below: a policy is then said to be worth more than it is."""
    honest = interpolated_tables._pass

    def planted(model, mean, kappa, *, lower):
        totals, policy = honest(model, mean, kappa, lower=False)
        return (honest(model, mean, kappa, lower=True)[0] if not lower else totals), policy

    monkeypatch.setattr(interpolated_tables, "_pass", planted)


FAULTS = [forget_the_scale_of_one_step, round_to_nearest, clip_too_early]
FAULTS += [leave_chords_where_they_are, upper_chords_where_they_are]


@pytest.mark.parametrize("plant", FAULTS)
def test_planted_faults_are_caught(monkeypatch, plant):
    plant(monkeypatch)
    monkeypatch.setattr("verified_risk.planning.certify.exact_value", lambda *_, **__: None)
    try:
        held = bounds_hold("faults", 120)
    except (AssertionError, IndexError, OverflowError):  # an interpreted kernel notices indices that are out of range
        held = False
    assert not held


def test_coarser_nodes_stay_below_what_they_leave_out():
    rng = random.Random("coarse")
    for _ in range(50):
        top, factor, margin = rng.randint(1, 20), rng.choice([2, 4]), 3
        fine = np.cumsum([rng.choice([0.0, 0.25, 1.0]) for _ in range(top + 1)])
        row = np.zeros((1, margin + 40))
        row[0, margin : margin + top + 1] = fine
        kernels.finish(True, top, 20, margin, 0.0, np.zeros(1), factor, row, np.zeros(60))
        coarse = row[0, margin:] * factor
        whole = [*fine, *(fine[-1] + j for j in range(1, factor + 1))]
        for b, value in enumerate(whole[: (-(-top // factor)) * factor + 1]):
            k, rest = divmod(b, factor)
            following = coarse[k + 1] if rest else coarse[k]
            assert coarse[k] + (following - coarse[k]) * rest / factor <= value + 1e-12


def test_halving_the_grid_divides_the_gap_by_about_four():
    rng = random.Random("smooth")
    outcomes = [
        [[(Fraction(1, 4), rng.randrange(4), Fraction(rng.randrange(1000), 1000)) for _ in range(4)] for _ in range(2)]
        for _ in range(4)
    ]
    mdp = vr.MDP.from_outcomes(outcomes, initial=0, horizon=30, discount="9/10")
    gaps = [float(vr.plan(mdp, vr.CVaR("1/10"), eta=Fraction(1, n)).gap) for n in (50, 100, 200)]
    assert gaps[1] < gaps[0] / 3
    assert gaps[2] < gaps[1] / 3


def test_a_gap_is_met_without_a_grid_and_the_default_is_a_thousandth_of_the_range():
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], 100, "9/10")
    low, high = mdp.remaining_range(0)
    assert vr.plan(mdp, vr.CVaR("1/10")).gap <= (high - low) / 1000
    fine = vr.plan(mdp, vr.CVaR("1/10"), gap="1/1000")
    assert fine.gap <= Fraction(1, 1000)
    frontier = vr.cvar_frontier(mdp, eta=fine.eta)
    assert frontier("1/10").lower <= fine.upper
    assert frontier("1/10").upper >= fine.lower
    assert frontier.plan("1/2").lower >= frontier("1/2").lower
    mean = vr.plan(mdp, vr.Mean())
    assert mean.gap < Fraction(1, 10**10)
    assert frontier(1).lower <= mean.upper
    assert mean.lower <= frontier(1).upper


def test_a_gap_is_said_to_be_met_only_by_the_bounds_of_the_plan(monkeypatch):
    """A coarse grid may have the better upper bound and a finer one the better policy; the plan comes from one grid."""
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=3, discount="1/2")
    bounds = iter([("1/5", "1/2"), ("2/5", "3/5"), ("41/100", "1/2")])
    solve = refine._solved

    def solved(model, levels):
        lower, upper = map(Fraction, next(bounds))
        return replace(solve(model, levels), lower=lower, upper=upper)

    monkeypatch.setattr(refine, "_solved", solved)
    monkeypatch.setattr("verified_risk.planning.certify.exact_value", lambda *_, **__: None)
    plan = refined_plan(mdp, vr.CVaR("1/4"), None, Fraction(1, 10), None)
    assert "3 rounds: the gap is met" in plan.certificate.method
    assert plan.gap == Fraction(9, 100)


def test_recheck_confirms_both_bounds_in_other_code_and_no_better_ones():
    rng = random.Random("recheck")
    for weight in (Fraction(), Fraction(1, 3)):
        outcomes = [
            [[(HALF, rng.randrange(3), Fraction(rng.randrange(100), 100)) for _ in range(2)] for _ in range(2)]
            for _ in range(3)
        ]
        mdp = vr.MDP.from_outcomes(outcomes, initial=0, horizon=25, discount="9/10")
        G = vr.CVaR("1/10") if not weight else weight * vr.Mean() + (1 - weight) * vr.CVaR("1/10")
        plan = vr.plan(mdp, G, eta="1/20")
        again = plan.recheck()
        assert again.lower_holds is Truth.HOLDS
        assert again.upper_holds is Truth.HOLDS
        middle = (plan.lower + plan.upper) / 2
        assert replace(plan, lower=middle, value=middle).recheck().lower_holds is not Truth.HOLDS
        assert replace(plan, upper=middle, value=middle, lower=middle).recheck().upper_holds is not Truth.HOLDS
    mean = vr.plan(mdp, vr.Mean()).recheck()
    assert mean.lower_holds is mean.upper_holds is Truth.HOLDS


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("G", ["cvar(1/10)"])
def test_recheck_confirms_default_plans_of_long_models(G, joint):
    """Next states of independent rewards are mixed before bends are looked at; otherwise these bounds stay unknown."""
    rng = random.Random(f"long {joint}")

    def law(values):
        weights = [rng.randint(1, 9) for _ in values]
        return {x: Fraction(w, sum(weights)) for x, w in zip(values, weights, strict=True)}

    pairs = [(law(rng.sample(range(8), 3)), law(rng.sample(range(1001), 3))) for _ in range(16)]
    mdp = vr.MDP(
        0,
        [[pairs[2 * s][0], pairs[2 * s + 1][0]] for s in range(8)],
        [[{Fraction(r, 1000): q for r, q in pairs[2 * s + a][1].items()} for a in range(2)] for s in range(8)],
        horizon=16,
        discount="0.9",
    )
    if joint:
        outcomes = [[list(action.outcomes) for action in mdp.actions(s)] for s in range(8)]
        outcomes[7][1] = [(HALF, 0, Fraction(1)), (HALF, 1, Fraction())]  # reward and next state go together
        mdp = vr.MDP.from_outcomes(outcomes, initial=0, horizon=16, discount="0.9")
    assert mdp.is_product is not joint
    plan = vr.plan(mdp, G)
    answer = plan.recheck()
    assert answer.lower_holds is answer.upper_holds is Truth.HOLDS, str(answer)
    assert "in cells" in answer.lower_route
    assert "in cells" in answer.upper_route


def area_between(a: vr.Law, b: vr.Law) -> Fraction:
    """The integral of the distance of their CDFs."""
    values = sorted({x for law in (a, b) for x, _ in law})
    return sum((abs(a.cdf(x) - b.cdf(x)) * (y - x) for x, y in pairwise(values)), Fraction())


def test_what_lies_between_two_points_is_shared_between_both():
    """A share for each step moves the return by at most a point, up or down, and keeps the mean of what is carried."""
    tried = edges = 0
    for mdp, _, _ in models.small("shared laws", 60):
        low, high = mdp.remaining_range(0)
        if mdp.discount == 1 or low == high:
            continue
        plan = refined_plan(mdp, vr.CVaR("1/3"), (high - low) / 1000, None, None)
        if not isinstance(plan.policy, CellPolicy):
            continue
        shared, exact = shared_law(mdp, plan.policy), vr.return_law(mdp, plan.policy)
        point = (high - low) / POINTS
        assert sum(p for _, p in shared) == 1
        if area_between(shared, exact) > mdp.horizon * point:  # a decision at the edge of a cell may go either way
            edges += 1
            continue
        assert abs(shared.mean - exact.mean) <= point / 1000 + Fraction(1, 10**9)
        tried += 1
    assert tried >= 8
    assert edges <= tried / 4
