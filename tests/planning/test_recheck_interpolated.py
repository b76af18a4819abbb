"""A search between grid points, rechecked in other code: it confirms what the planner claims, and nothing false,
whatever the record or the policy says."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import oracles
import plan_models as models
import pytest
from test_plan_interpolated import OBJECTIVES, POLYGON, SEVERAL, averages, cases, least_cost, one_round, value_of
from test_plan_recheck import random_record

import verified_risk as vr
from verified_risk.errors import InvalidFile
from verified_risk.numbers.enclosure import Truth
from verified_risk.planning.recheck import both_bounds as recheck
from verified_risk.planning.recheck import cell_replay, cells_mean, cells_step, cells_worth, replay
from verified_risk.planning.recheck.cell_replay import CellTables
from verified_risk.planning.search.cells_route import _answer
from verified_risk.planning.search.trace import Proof
from verified_risk.policy.cell_policy import CellPolicy


@pytest.fixture
def no_exact_law(monkeypatch):
    """Tables alone decide: short laws would be computed exactly."""
    monkeypatch.setattr(recheck, "QUICK", 0)
    monkeypatch.setattr(recheck, "PATIENT", 0)
    monkeypatch.setattr("verified_risk.planning.certify.exact_value", lambda *_, **__: None)


def searched(mdp, G, eta) -> vr.Plan:
    return _answer(mdp, vr.objective(G), [one_round(mdp, G, eta, 0.2)], Fraction())


@pytest.mark.parametrize("G", [*OBJECTIVES, SEVERAL, POLYGON], ids=str)
def test_both_bounds_of_a_search_are_confirmed_and_better_ones_are_not(G, no_exact_law):
    held = 0
    for mdp, model, eta, _ in cases(f"confirmed {G}", 8, max_states=2, max_actions=2):
        plan = searched(mdp, G, eta)
        answer = plan.recheck()
        assert answer.lower_holds is answer.upper_holds is Truth.HOLDS, str(answer)
        best = max(value_of(G, law)[0] for law in oracles.all_return_laws(model))
        own = value_of(G, models.law_by_playing(model, plan.policy))[1]
        assert answer.lower <= own
        assert answer.upper >= best
        if plan.gap:
            middle = (plan.lower + plan.upper) / 2
            forged = replace(plan, lower=max(middle, own + plan.gap / 100), value=plan.upper)
            assert forged.recheck().lower_holds is not Truth.HOLDS
            forged = replace(plan, upper=best - plan.gap / 100, lower=best - plan.gap / 50)
            assert forged.recheck().upper_holds is not Truth.HOLDS
        held += 1
    assert held >= 3


def test_a_saved_plan_is_rechecked_as_before(tmp_path, no_exact_law):
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=6, discount="19/20")
    plan = vr.plan(mdp, "wang(1/4)", eta="1/20", gap="1/10")
    plan.save(tmp_path / "plan.json")
    again = vr.Plan.load(tmp_path / "plan.json")
    assert again.recheck() == plan.recheck()
    assert plan.recheck().lower_holds is plan.recheck().upper_holds is Truth.HOLDS
    data = plan.certificate.proof.to_json()
    assert Proof.from_json(data).to_json() == data
    for wrong, complaint in (({"eta": "-1"}, "eta of the proof is -1"), ({"touch": "#"}, "touch of the proof cannot")):
        with pytest.raises(InvalidFile, match=complaint):
            Proof.from_json({**data, **wrong})


def test_a_search_too_long_or_too_large_to_be_replayed_is_left_open(monkeypatch, no_exact_law):
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=6, discount="19/20")
    plan = vr.plan(mdp, "wang(1/4)", eta="1/20", gap="1/10")
    certificate = plan.certificate
    fine = replace(certificate, proof=replace(certificate.proof, eta=Fraction(1, 10**9)))
    answer = replace(plan, certificate=fine).recheck()
    assert answer.upper_holds is Truth.UNKNOWN
    assert "GB allowed" in answer.upper_route
    monkeypatch.setattr(recheck, "REPLAY_WORK", 10)
    answer = plan.recheck()
    assert answer.lower_holds is answer.upper_holds is Truth.UNKNOWN
    assert "would take too long" in answer.upper_route
    assert "time limit" in plan.recheck(time_limit=0).upper_route


# -- any record, any policy -------------------------------------------------------------------------------------------


def campaign(count: int = 40, records: int = 4) -> None:
    """Random records against brute force; raises if a replayed bound exceeds the truth."""
    polygon = SEVERAL.polygon_below(Fraction(1, 10**6))
    tight = removed = 0
    for mdp, model, eta, rng in cases("any record", count, max_states=2, max_actions=3):
        least = least_cost(mdp, model, eta, polygon)
        for _ in range(records):
            tables = CellTables(mdp, eta)
            # a target above the truth: the minimiser has to survive every cut
            target = float(least) + rng.choice([0.001, 0.05, 0.5]) * rng.random() + 1e-6
            record = random_record(rng, tables.top)
            for step in record.rounds:  # slopes of about the size that G has: then actions are removed
                if step.slopes is not None and rng.random() < 0.5:
                    step.slopes = np.full(tables.top, 1.0)
            found = replay.Replay(tables, polygon, Proof(Fraction(1), target, record), reach=1).bound()
            assert found == -np.inf or Fraction(found) <= least, "bound"
            tight += found > least - Fraction(1, 2)
        low, high = np.full(tables.top, 0.9), np.full(tables.top, 1.1)
        mask = tables.everything()
        tables.contract(np.ones(tables.top), low, high, mask)
        removed += sum(int((~kept).sum()) for step in mask for kept in step)
    assert tight >= count // 2, "the records prove nothing: the campaign cannot fail"
    assert removed >= count, "no action is ever removed: the campaign cannot fail"


def slopes_campaign(count: int = 40) -> None:
    """What is optimal for a slope vector of the box is never removed, and its averages are inside the ranges."""
    for mdp, model, eta, rng in cases("slopes", count, max_states=2, max_actions=3):
        tables = CellTables(mdp, eta)
        offset = mdp.remaining_range(0)[0]
        every = [averages(law, offset, eta, tables.top) for law in oracles.all_return_laws(model)]
        width = rng.choice([0.02, 0.1, 0.4])
        middle = 1 + width * np.array([rng.uniform(-1, 1) for _ in range(tables.top)])
        low, high = middle - width * 0.5, middle + width * 0.5
        mask = tables.everything()
        below, above = tables.contract(middle, low, high, mask)
        for _ in range(5):
            share = np.array([rng.random() for _ in range(tables.top)])
            cost = [Fraction(c) for c in (low + share * (high - low)).tolist()]
            best = min(every, key=lambda A, cost=cost: sum(c * a for c, a in zip(cost, A, strict=True)))
            least = sum(c * a for c, a in zip(cost, best, strict=True))
            kept = Fraction(float(tables.least_costs(np.array([[float(c) for c in cost]]), mask)[0]))
            assert kept <= least, "bound"
            ties = sum(sum(c * a for c, a in zip(cost, A, strict=True)) == least for A in every)
            inside = all(x <= a <= y for x, a, y in zip(below, best, above, strict=True))
            assert inside or ties > 1, "bound"


def policies_campaign(count: int = 40) -> None:
    """Bounds of any policy by cells, and of any cost vector, against the laws themselves."""
    for mdp, model, eta, rng in cases("policies", count, max_states=3, max_actions=2):
        tables = CellTables(mdp, eta)
        top, offset = tables.top, mdp.remaining_range(0)[0]
        own = [np.array([[rng.randrange(k) for _ in range(top)] for k in mdp.n_actions]) for _ in range(mdp.horizon)]
        policy = CellPolicy(mdp, eta, (0,) * mdp.horizon, top, own, np.zeros((mdp.horizon, mdp.n_states), dtype=int))
        actions = cells_worth.own_actions(policy, tables)
        law = averages(models.law_by_playing(model, policy), offset, eta, top)
        cost = np.array([rng.uniform(-1, 3) for _ in range(top)])

        def worth(A, cost=cost):
            return sum(Fraction(c) * a for c, a in zip(cost.tolist(), A, strict=True))

        assert worth(law) <= tables.most_cost(cost, actions), "bound"
        low, high = tables.ranges(actions)
        assert all(x <= a <= y for x, a, y in zip(low, law, high, strict=True)), "bound"
        least = min(worth(averages(law, offset, eta, top)) for law in oracles.all_return_laws(model))
        assert tables.least_costs(cost[None], tables.everything())[0] <= least, "bound"
        for G in ("wang(1/2)", "cpw(0.71)", POLYGON):
            touch = np.array([rng.uniform(-0.5, 1.5) for _ in range(top)])
            found = cells_worth.least_worth(vr.objective(G), tables, eta, [(Fraction(1), actions)], touch)
            assert found <= value_of(G, models.law_by_playing(model, policy))[1], "bound"


def test_whatever_the_record_the_bound_is_valid():
    campaign(60)


def test_what_is_optimal_for_a_slope_of_the_box_stays():
    slopes_campaign(80)


def test_bounds_of_any_policy_hold_wherever_the_lines_touch():
    policies_campaign(60)


def test_a_policy_whose_cells_have_two_actions_is_not_judged():
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=2, discount="1/2")
    tables = CellTables(mdp, Fraction(1, 4))
    linear = np.zeros((2, 1), dtype=int)
    for rho, width in ((tables.top, tables.top + 1), (tables.top - 1, 1)):
        table = [np.zeros((1, width), dtype=int)] * 2
        policy = CellPolicy(mdp, Fraction(1, 4), (0, 0), rho, table, linear)
        assert cells_worth.own_actions(policy, tables) is None
    halved = CellPolicy(mdp, Fraction(1, 4), (0, 1), tables.top, [np.zeros((1, 1), dtype=int)] * 2, linear)
    assert cells_worth.cells_of(halved) is None


def test_a_jump_is_passed_only_where_every_policy_has_passed_it():
    """One step pays 0 or 1, each with probability 1/2: VaR(1/3) is 0, and from there on the CDF is past 1/3."""
    mdp = vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], horizon=1, discount="1/2")
    eta, accuracy = Fraction(1, 4), Fraction(1, 100)
    for G, start, wanted in (
        ("1/2*var(1/3) + 1/2*mean", 1, True),
        ("1/2*var(2/3) + 1/2*mean", 1, False),
        ("1/2*var(2/3) + 1/2*mean", 3, False),
    ):
        objective, tables = vr.objective(G), CellTables(mdp, eta)
        proof = Proof(accuracy, 0.0, random_record(random.Random(0), tables.top), (start,), eta)
        found = cells_worth.replay_between(objective, tables, proof)
        before = list(found.lines)
        cells_worth.pass_jumps(found, objective, vr.MarkovPolicy(mdp, [[0]]), tables, proof)
        assert any(new is not old for new, old in zip(found.lines, before, strict=True)) == wanted


def test_a_node_that_is_met_from_the_start_belongs_to_the_cell_on_its_left():
    mdp = vr.MDP(0, [[[1], [1], [1]]], [[{0: 1}, {2: 1}, {4: 1}]], horizon=3, discount="1/2")
    tables = CellTables(mdp, Fraction(1))
    found = tables.reached(tables.everything())
    assert found[1][0][1]  # 2 units of the first step end the second cell
    assert found[2][0][1]


def test_losses_and_distances_of_one_step_are_those_of_its_laws():
    for mdp, model, eta, _ in cases("one step", 40, max_states=2, max_actions=3):
        rule = cells_mean.MeanRule(CellTables(mdp.with_horizon(1), eta))
        for s, actions in enumerate(model.outcomes):
            laws = [vr.Law.mixture([(p, vr.Law({r: 1})) for p, _, r in outcomes]) for outcomes in actions]
            best = laws[rule.action[0][s]]
            assert best.mean == max(law.mean for law in laws)
            for a, law in enumerate(laws):
                points = sorted({*best.atoms, *law.atoms})
                moved = sum(
                    (abs(law.cdf(x) - best.cdf(x)) * (y - x) for x, y in itertools.pairwise(points)), Fraction()
                )
                assert rule.loss[0][s][a] <= (best.mean - law.mean) / eta
                assert rule.distance[0][s][a] >= moved / eta


# -- planted faults ---------------------------------------------------------------------------------------------------


def no_bends(monkeypatch):
    honest = cells_step.mixed

    def planted(*args, **kinds):
        found = honest(*args, **kinds)
        return replace(found, off=np.zeros_like(found.off))

    for module in (cells_step, cell_replay):
        monkeypatch.setattr(module, "mixed", planted)


def round_to_nearest(monkeypatch):
    monkeypatch.setattr(cell_replay, "_split", lambda x: (round(x), 0.0, True))


def forget_the_scale_of_one_step(monkeypatch):
    honest = CellTables.__init__

    def planted(self, *args):
        honest(self, *args)
        self._paid[-1] = self._paid[0]
        self.most_units[-1] = self.most_units[0]

    monkeypatch.setattr(CellTables, "__init__", planted)


def clip_too_early(monkeypatch):
    honest = cell_replay.sizes

    def planted(mdp, eta):
        nodes, left = honest(mdp, eta)
        return nodes, [left[0], *(x // 2 for x in left[1:])]

    monkeypatch.setattr(cell_replay, "sizes", planted)


def slopes_known_too_well(monkeypatch):
    honest = CellTables._backwards
    monkeypatch.setattr(
        CellTables, "_backwards", lambda self, middle, low, high, *rest: honest(self, middle, middle, middle, *rest)
    )


def the_mean_alone_decides(monkeypatch):
    honest = cells_mean.MeanRule.__init__

    def planted(self, model):
        honest(self, model)
        self.distance = [[np.zeros_like(moved) for moved in step] for step in self.distance]

    monkeypatch.setattr(cells_mean.MeanRule, "__init__", planted)


def speak_of_the_cell_itself(monkeypatch):
    honest = replay.Box.narrow
    monkeypatch.setattr(replay.Box, "narrow", lambda self, low, high, reach: honest(self, low, high, 0))


@pytest.mark.parametrize(
    "plant",
    [
        no_bends,
        round_to_nearest,
        forget_the_scale_of_one_step,
        clip_too_early,
        slopes_known_too_well,
        the_mean_alone_decides,
        speak_of_the_cell_itself,
    ],
)
def test_planted_faults_are_caught(monkeypatch, plant):
    plant(monkeypatch)
    caught = 0
    for test in (policies_campaign, slopes_campaign, campaign):
        try:
            test()
        except AssertionError as error:
            caught += "bound" in str(error)
        except (IndexError, ValueError):
            caught += 1
    assert caught


def test_only_this_cell_and_the_next_are_met_where_at_most_one_cell_is_still_earned(monkeypatch):
    """Rewards of 0 and 1, discount 1/2, cells of 1/4: after steps 0, 1, 2, 3 remain 7/2, 3/2, 1/2 and 0 cells."""
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: 1}, {1: 1}]], horizon=4, discount="1/2")
    tables = CellTables(mdp, Fraction(1, 4))
    asked = {}
    inherited = cells_mean.MeanRule._actions

    def watched(self, t, s, met, near, *after):
        asked[t] = near
        return inherited(self, t, s, met, near, *after)

    monkeypatch.setattr(cells_mean.MeanRule, "_actions", watched)
    slopes = np.ones(tables.top)
    cells_mean.MeanRule(tables).remove(tables.everything(), slopes, slopes)
    assert asked == {0: False, 1: False, 2: False, 3: True}
