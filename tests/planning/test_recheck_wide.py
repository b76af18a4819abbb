"""Rechecks in extended precision: against slow definitions, whatever the plan says, within their time."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import count

import numpy as np
import oracles
import plan_models as models
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidPolicy
from verified_risk.models import random_sparse
from verified_risk.numbers.enclosure import Truth
from verified_risk.planning import clock
from verified_risk.planning.recheck import both_bounds as recheck
from verified_risk.planning.recheck import wide
from verified_risk.policy import GridPolicy
from verified_risk.policy.packed_rule import PackedRule

WEIGHTINGS = (vr.CVaR("1/3"), vr.Mean(), vr.VaR("1/4"), Fraction(1, 2) * vr.Mean() + Fraction(1, 2) * vr.CVaR("1/4"))


@pytest.fixture
def only_wide(monkeypatch):
    """Neither integers nor exact laws may step in."""
    monkeypatch.setattr(recheck, "EXACT_WORK", 0)
    monkeypatch.setattr(recheck, "SUMS_WORK", 0)
    monkeypatch.setattr(recheck, "QUICK", -1)
    monkeypatch.setattr(recheck, "PATIENT", 0)


def enclosed(mdp: vr.MDP, eta: Fraction, policy: GridPolicy) -> list[tuple[Fraction, Fraction]]:
    """Both ends of every probability of the law in extended precision."""
    model = wide.WideModel(mdp, eta)
    masses, depth = model.law(policy, lambda: None)
    return [(wide.below(x, depth), wide.above(x, depth)) for x in masses]


def law_campaign(models_tried: int) -> None:
    """Laws of planned and of random policies, exact against enclosed; raises if a probability lies outside."""
    for mdp, model, rng in models.small("wide laws", models_tried, max_states=3, max_actions=3):
        eta = rng.choice([Fraction(1), Fraction(1, 3), Fraction(1, 60)])
        rule = {}

        def choice(t, s, i, rng=rng, rule=rule, mdp=mdp):
            actions = mdp.n_actions[s]
            a, b = rng.randrange(actions), rng.randrange(actions)
            return rule.setdefault((t, s, i), {a: Fraction(1, 3), b: Fraction(2, 3)} if a != b else a)

        policy = GridPolicy(mdp, eta, choice)
        raised = rounded_law(model, eta, policy)
        found = enclosed(mdp, eta, policy)
        offset = wide.WideModel(mdp, eta).offsets[-1]
        for i, (low, high) in enumerate(found):
            assert low <= raised.get(i + offset, 0) <= high, "law"
        assert sum(raised.values()) == 1
        assert not set(raised) - {i + offset for i in range(len(found))}, "law"


def rounded_law(model: oracles.Model, eta: Fraction, policy: GridPolicy) -> dict[int, Fraction]:
    """{sum of rewards rounded up, in units: probability}, walking every history."""
    total: dict[int, Fraction] = {}

    def walk(t, s, i, p):
        if t == model.horizon:
            total[i] = total.get(i, Fraction()) + p
            return
        for a, q in policy.choice(t, s, i):
            for w, s2, r in model.outcomes[s][a]:
                if w:
                    walk(t + 1, s2, i - int(-(model.discount**t) * r // eta), p * q * w)

    for s, p in model.initial.items():
        if p:
            walk(0, s, 0, p)
    return total


def test_the_law_of_any_policy_is_enclosed():
    law_campaign(60)


def upper_campaign(count: int) -> int:
    """The recomputed upper bound against brute force over all policies; how many plans it confirms."""
    confirmed = 0
    for mdp, model, _ in models.small("wide uppers", count, max_states=3, max_actions=3):
        best = {G: max(G.of(vr.Law(law)) for law in oracles.all_return_laws(model)) for G in WEIGHTINGS}
        for G in WEIGHTINGS:
            plan = vr.plan(mdp, G)
            found = recheck._extended(plan, recheck.Watch(None, None))[0]
            assert found >= best[G], "upper"
            confirmed += found <= plan.upper
    return confirmed


def test_no_policy_is_worth_more_than_the_plain_recursion_says():
    assert upper_campaign(40) >= 150


@pytest.mark.parametrize("G", WEIGHTINGS, ids=str)
def test_large_plans_are_confirmed_without_integers(only_wide, G):
    mdp = random_sparse(300, 3, 4, 2, 6, seed=2)
    plan = vr.plan(mdp, G)
    answer = plan.recheck()
    assert answer.lower_holds is answer.upper_holds is Truth.HOLDS, str(answer)
    assert "bits" in answer.lower_route
    assert "bits" in answer.upper_route
    modest = replace(plan, upper=plan.lower - Fraction(1, 100), lower=plan.lower - Fraction(1, 50))
    assert modest.recheck().upper_holds is Truth.FAILS
    boasting = replace(plan, lower=plan.upper + Fraction(1, 100), upper=plan.upper + 1)
    assert boasting.recheck().lower_holds is Truth.FAILS


@pytest.mark.parametrize("G", [vr.VaR("1/5"), vr.Wang("1/2"), vr.CVaR("1/5")], ids=str)
def test_lower_bounds_of_discounted_plans_that_round_up_are_confirmed(only_wide, G):
    rng = random.Random("discounted lower bounds")
    outcomes = [
        [[(Fraction(1, 3), rng.randrange(4), Fraction(rng.randrange(100), 100)) for _ in range(3)] for _ in range(2)]
        for _ in range(4)
    ]
    mdp = vr.MDP.from_outcomes(outcomes, initial=0, horizon=12, discount="9/10")
    plan = models.plan_on_grid(mdp, G, Fraction(1, 20), Fraction(1, 10), 5.0)
    answer = plan.recheck()
    assert answer.lower_holds is Truth.HOLDS, str(answer)


def test_a_policy_read_from_a_file_is_rechecked_by_its_table(only_wide, tmp_path):
    plan = vr.plan(random_sparse(300, 3, 4, 2, 6, seed=3), vr.CVaR("1/10"))
    plan.save(tmp_path / "plan.json")
    again = vr.Plan.load(tmp_path / "plan.json")
    assert isinstance(again.policy.rule, PackedRule)
    answer = again.recheck()
    assert answer.lower_holds is answer.upper_holds is Truth.HOLDS, str(answer)


def test_a_law_that_the_plan_states_is_compared_with_ours(only_wide):
    plan = vr.plan(random_sparse(60, 3, 4, 2, 5, seed=3), vr.CVaR("1/10"))
    forged = replace(plan, known_law=vr.Law({0: "1/100", plan.upper: "99/100"}), known_error=Fraction(1, 1000))
    answer = forged.recheck()
    assert answer.lower_holds is Truth.FAILS
    assert "not the law" in answer.lower_route


def test_an_action_that_a_state_does_not_have_is_refused(only_wide):
    mdp = random_sparse(20, 2, 3, 2, 3, seed=3)
    plan = vr.plan(mdp, vr.CVaR("1/10"))
    model = wide.WideModel(mdp, plan.eta)
    tables = [np.full((20, 1 + sum(step.span for step in model.steps[:t])), 2) for t in range(3)]
    forged = replace(plan, policy=GridPolicy(mdp, plan.eta, PackedRule(model.offsets[:3], tables)))
    with pytest.raises(InvalidPolicy, match=r"plays 2, state 0 has 0\.\.1"):
        forged.recheck()


class TestTime:
    """By a clock that counts how often it is asked, one second each time."""

    @pytest.fixture(autouse=True)
    def counted(self, monkeypatch):
        seconds = count()
        monkeypatch.setattr(clock, "now", lambda: float(next(seconds)))

    def test_both_bounds_are_unknown_when_time_is_up(self, only_wide):
        plan = vr.plan(random_sparse(20, 2, 3, 2, 8, seed=3), vr.CVaR("1/10"))
        asked = []
        answer = plan.recheck(time_limit=3, progress=asked.append)
        assert answer.lower_holds is answer.upper_holds is Truth.UNKNOWN
        assert answer.lower is answer.upper is None
        assert "time limit of 3 s" in answer.lower_route
        assert "time limit of 3 s" in answer.upper_route
        assert len(asked) <= 4  # a step after the limit ends each side

    def test_a_long_limit_changes_nothing(self, only_wide):
        plan = vr.plan(random_sparse(20, 2, 3, 2, 8, seed=3), vr.CVaR("1/10"))
        assert plan.recheck(time_limit=10**6) == plan.recheck()

    def test_progress_counts_the_steps_of_both_sides(self, only_wide):
        plan = vr.plan(random_sparse(20, 2, 3, 2, 8, seed=3), vr.CVaR("1/10"))
        told = []
        plan.recheck(progress=told.append)
        assert [(now.done, now.total) for now in told] == 2 * [(k, 8) for k in range(1, 9)]
        assert {now.doing for now in told} == {"the law of the policy", "the plain recursion"}

    def test_a_replay_stops(self, only_wide):
        mdp = models.product(random.Random("stopped"), max_states=3, max_actions=2, max_horizon=3)[0]
        plan = vr.plan(mdp, vr.CPW("0.71"), gap="1/10000", time_limit=10**6)
        answer = plan.recheck(time_limit=1)
        assert answer.upper_holds is Truth.UNKNOWN
        assert "time limit of 1 s" in answer.upper_route


def test_work_without_a_limit_is_capped(only_wide, monkeypatch):
    plan = vr.plan(random_sparse(20, 2, 3, 2, 8, seed=3), vr.CVaR("1/10"))
    monkeypatch.setattr(recheck, "MOST_WORK", 10)
    answer = plan.recheck()
    assert answer.lower_holds is answer.upper_holds is Truth.UNKNOWN
    assert "without a time_limit" in answer.lower_route
    assert "without a time_limit" in answer.upper_route
    assert plan.recheck(time_limit=1000).upper_holds is Truth.HOLDS


@pytest.mark.parametrize(("limit", "complaint"), [(-1, "is -1, wanted"), ("soon", "'soon'"), (float("nan"), "nan")])
def test_a_limit_that_is_none_is_refused(limit, complaint):
    plan = vr.plan(random_sparse(3, 2, 2, 2, 2), vr.Mean())
    with pytest.raises(InvalidArgument, match=complaint):
        plan.recheck(time_limit=limit)


class TestPlantedFaults:
    """Each makes the recomputation wrong, some only weaker; a campaign or a plan must notice."""

    def test_a_reward_forgotten_on_the_way(self, monkeypatch):
        honest = wide.each_term
        monkeypatch.setattr(wide, "each_term", lambda start, rows: list(honest(start, rows))[:1])
        with pytest.raises(AssertionError, match="law"):
            law_campaign(60)

    def test_a_law_without_its_error(self, monkeypatch):
        monkeypatch.setattr(wide, "above", lambda x, depth: wide.exactly(x))
        with pytest.raises(AssertionError, match="law"):
            law_campaign(60)

    def test_a_table_that_continues_flat(self, monkeypatch):
        honest = wide._padded
        monkeypatch.setattr(wide, "_padded", lambda table, span, right: honest(table, span, "flat"))
        with pytest.raises(AssertionError):  # too small a shortfall is too large a bound: nothing is confirmed
            assert upper_campaign(40) >= 150

    def test_the_dearest_action_instead_of_the_cheapest(self, monkeypatch):
        honest = wide.WideModel._backup
        monkeypatch.setattr(
            wide.WideModel, "_backup", lambda self, step, *tables: -honest(self, step, *(-x for x in tables))
        )
        with pytest.raises(AssertionError, match="upper"):
            upper_campaign(40)

    def test_rounding_to_the_wrong_side(self, monkeypatch):
        monkeypatch.setattr(recheck, "below", lambda x, depth: wide.above(x, depth + 2**40))
        with pytest.raises(AssertionError, match="upper"):
            upper_campaign(40)
