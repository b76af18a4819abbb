"""Allowances and checks of the learner, each alone: rounding, slack, one end of one set, one column of a table."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from test_learn_audit import audit_with
from test_learn_models import learner_of

import verified_risk as vr
from verified_risk.errors import StoppedRun
from verified_risk.kernels.learn_sets import kl_low
from verified_risk.learning import audit
from verified_risk.learning.audit import AuditReport, Row
from verified_risk.learning.audit_exact import (
    SHIFT,
    Counting,
    Greedy,
    PairHistory,
    rebuilt_log,
    root_down,
    root_ratio,
    root_up,
    set_slacks,
    threshold,
    uniform_event_slack,
)
from verified_risk.learning.evaluate import Judge
from verified_risk.learning.interval import Bracket
from verified_risk.learning.learner import Learner
from verified_risk.learning.problem import Pair, standard_form
from verified_risk.learning.task import Settings, Task
from verified_risk.numbers.enclosure import Interval


def test_both_ends_of_an_interval_move_outward_by_the_slack():
    mdp = vr.models.machine_replacement(horizon=4)
    ends = {}
    for slack in (0.0, 0.125):
        task = Task.of(standard_form(mdp), Settings.read(vr.CVaR("1/2"), 300, seed=1))
        learner = task.learner()
        learner.run(np.random.default_rng(1).random((300, 9)), evaluate=False)
        bracket = Bracket(learner, slack, wanted=True)
        bracket.replan(300)
        ends[slack] = bracket.lower, bracket.upper
    scale = task.standard.range * task.standard.unit
    assert ends[0.0][0] - ends[0.125][0] == scale / 8
    assert ends[0.125][1] - ends[0.0][1] == scale / 8


# -- one end of one set ------------------------------------------------------------------------------------------------

SEEN = PairHistory(Counter({(0, 0): 30, (0, 1): 60, (0, 2): 10}), Counter({Fraction(0): 40, Fraction(1): 60}))
ATOMS = (Fraction(0), Fraction(1))
NEEDED = threshold(Interval(Fraction(3), Fraction(3)), 100)


def slacks_with(outcome=None, low=1, high=1, factor=Fraction(1)):
    """The slacks of right sets, one end of which is multiplied by ``factor``."""
    needed = float(NEEDED.upper)
    found = {one: Fraction(float(kl_low(x, 100, needed))) for one, x in SEEN.outcomes.items()}
    levels = [Fraction(float(kl_low(40, 100, needed))) * low, 1 - Fraction(float(kl_low(60, 100, needed))) * high]
    if outcome is not None:
        found[outcome] *= factor
    return set_slacks(
        SEEN, found, [levels[0], Fraction(1)], [levels[1], Fraction(1)], ATOMS, NEEDED, certain=False, rewards=True
    )


def test_the_audit_notices_each_end_that_is_too_narrow_and_each_that_is_too_wide():
    assert min(slacks_with()) >= 0
    narrower, wider = Fraction(1001, 1000), Fraction(999, 1000)
    for factor, told in ((narrower, 0), (wider, 1)):
        changes = [{"outcome": one, "factor": factor} for one in SEEN.outcomes]
        for change in (*changes, {"low": factor}, {"high": factor}):
            slacks = slacks_with(**change)
            assert slacks[told] < 0 <= slacks[1 - told], change


def test_an_outcome_that_was_never_seen_has_no_lower_end():
    found = {one: Fraction() for one in SEEN.outcomes}
    told = {"certain": False, "rewards": False}
    assert set_slacks(SEEN, found, [], [], ATOMS, NEEDED, **told)[0] >= 0
    assert set_slacks(SEEN, {**found, (0, 3): Fraction(1, 10**9)}, [], [], ATOMS, NEEDED, **told)[0] < 0


def test_the_event_holds_up_to_equality_at_every_end_and_no_further():
    """Two outcomes of probability 1/4 and 3/4; a reward of 0, 1/2 or 1, each with probability 1/3."""
    third, hair = Fraction(1, 3), Fraction(1, 10**40)
    truth = Pair(((0, 0, Fraction(1, 4)), (0, 1, Fraction(3, 4))), tuple((i, third) for i in range(3)))
    found = {(0, 0): Fraction(1, 4), (0, 1): Fraction(3, 4)}
    levels = [third, 2 * third, Fraction(1)]
    assert uniform_event_slack(found, levels, levels, truth) == 0
    assert uniform_event_slack({}, [Fraction()] * 3, [Fraction(1)] * 3, truth) == third
    for one in found:
        assert uniform_event_slack({**found, one: found[one] + hair}, levels, levels, truth) == -hair
    for i in range(2):
        moved = [level + hair * (i == j) for j, level in enumerate(levels)]
        assert uniform_event_slack(found, moved, levels, truth) == -hair
        moved = [level - hair * (i == j) for j, level in enumerate(levels)]
        assert uniform_event_slack(found, levels, moved, truth) == -hair
    assert uniform_event_slack({(0, 2): hair}, levels, levels, truth) == -hair


def test_a_slack_below_zero_by_a_hair_is_a_violation():
    hair, row = Fraction(1, 10**40), Row()
    for low, high in ((-hair, None), (-hair, -hair), (-hair, Fraction()), (Fraction(), None), (hair, hair)):
        row.note(1, low, high)
    assert (row.tested, row.violations, row.undecided) == (5, 2, 1)
    assert AuditReport(1, 1, {"counts": row, "L3": row}).violations == 4


class ForgetsRewards(Learner):
    """The last reward that was counted is counted as the first atom."""

    def play(self, draws):
        episode = super().play(draws)
        counts = self.counts.reward
        counts[0, 0], counts[0, -1] = counts[0, 0] + counts[0, -1], 0
        return episode


class HandsOutAnotherPolicy(Learner):
    """The policy that is handed out with the lower end plays other actions than the plan for it."""

    def plan_below(self):
        value, table = super().plan_below()
        return value, 1 - table


def test_the_audit_compares_rewards_and_the_policy_that_is_handed_out():
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: "1/10", 1: "9/10"}, {0: 1}]], horizon=1)
    rows = audit_with(ForgetsRewards, mdp, vr.Mean(), 20).rows
    assert rows["counts"].violations > 0
    rows = audit_with(HandsOutAnotherPolicy, mdp, vr.Mean(), 200).rows
    assert rows["interval"].violations > 0
    assert sum(row.violations for name, row in rows.items() if name != "interval") == 0


@pytest.mark.parametrize("x", [Fraction(2), Fraction(1, 3), Fraction(10**30, 7), Fraction(9, 4), Fraction(4)])
def test_roots_of_the_counting_step_are_rounded_to_their_side(x):
    scale = Fraction(1, 2**SHIFT)
    assert (root_down(x) * scale) ** 2 <= x <= (root_up(x) * scale) ** 2
    assert root_ratio(x) == root_up(x) * scale
    assert root_up(x) - root_down(x) <= 2


@pytest.mark.parametrize("algorithm", ["kl", "ucb"])
def test_a_visit_costs_its_cap_or_its_radius_and_a_pair_what_the_page_says(algorithm):
    """T = 4 steps: min(T, c eps) for a visit planned with N earlier ones, T for the first; T min(T, N) + 2 c eps N."""
    task = Task.of(
        standard_form(vr.models.machine_replacement(horizon=4)), Settings.read(vr.CVaR("1/2"), 30, algorithm=algorithm)
    )
    counting = Counting(task, rebuilt_log(task.standard, task.settings))
    log = float(counting.log.upper)
    gamma = task.uniform.outcomes
    c = 3 * min(gamma, 2 * gamma**0.5) + 2 if algorithm == "kl" else 3 * task.problem.states + 2

    def square(n):
        return (log + 0.5 * math.log(n) + math.log(2) if algorithm == "kl" else log) / 2

    total = 0.0
    for used in (0, 0, 1, 5, 10**4, 10**9):
        counting.visit((0, 0), used)
        total += 4 if used == 0 else min(4.0, c * math.sqrt(square(used) / used))
        assert counting.sums[0, 0] / 2**SHIFT == pytest.approx(total, rel=1e-12)
    for n in (2, 6, 1000):
        right = 4 * min(4, n) + 2 * c * math.sqrt(square(n) * n * (1 + task.target.patience))
        assert float(counting.slack((0, 0), n)) == pytest.approx(right - total, rel=1e-12)


def test_a_visit_costs_more_where_the_weighting_is_not_concave_or_rewards_come_with_states():
    """T = 3, two states: total variation costs T (S + 1 + sqrt(R + 1)) radii, twice T at most; outcomes T R S, T."""
    product = vr.MDP(0, [[["1/2", "1/2"]], [["1/2", "1/2"]]], [[{0: "1/2", 1: "1/2"}]] * 2, horizon=3)
    joint = vr.MDP.from_outcomes([[[("1/2", 0, 0), ("1/2", 1, 1)]], [[(1, 0, 1)]]], initial=0, horizon=3)
    for mdp, G, wanted, most in (
        (product, vr.ProportionalHazard(2), lambda S, R: 3 * (S + 1 + math.sqrt(R + 1)), 6),
        (product, vr.CVaR("1/2"), lambda S, R: 2 * S + 2, 3),
        (joint, vr.CVaR("1/2"), lambda S, R: 3 * R * S, 3),
    ):
        task = Task.of(standard_form(mdp), Settings.read(G, 30, algorithm="ucb"))
        counting = Counting(task, rebuilt_log(task.standard, task.settings))
        S, R = task.problem.states, task.problem.atoms
        assert (R, counting.cap) == (2, most)
        assert float(counting.factor) == pytest.approx(wanted(S, R), rel=1e-12)


def test_sets_far_wider_than_the_radius_break_the_step_from_model_to_radius():
    mdp = vr.MDP(0, [[["1/2", "1/2"]], [["1/2", "1/2"]]], [[1], [{0: "1/2", 1: "1/2"}]], horizon=3)
    rows = audit_with(Learner, mdp, vr.CVaR("1/2"), 60, log_ratio=1e300).rows
    assert rows["L2b"].violations > 0
    assert audit_with(Learner, mdp, vr.CVaR("1/2"), 60).rows["L2b"].violations == 0


def test_errors_of_the_planner_enter_the_audited_regret_bound_in_its_unit(monkeypatch):
    """Rewards of 0 to 8 on a grid of 1/8 of that: an error of x units is x / 8 of the range, episode by episode."""
    steps, inherited = [], audit._Auditor._test_regret

    def watched(self, k, low):
        planner, regret = self.planner, self.regret
        inherited(self, k, low)
        units = Fraction(self.learner.upper) - Fraction(self.learner.value) + Fraction(self.task.slack)
        steps.append((self.planner - planner, float(units / 8)))
        assert self.regret - regret == pytest.approx(float((self.best[1] - low) / 8), rel=1e-9, abs=1e-15)

    monkeypatch.setattr(audit._Auditor, "_test_regret", watched)
    vr.learn(vr.models.machine_replacement(horizon=4), "cvar(1/2)", episodes=12, audit=True)
    assert len(steps) == 12
    for found, wanted in steps:
        assert found == pytest.approx(wanted, rel=1e-6, abs=1e-18)
    assert any(wanted > 0 for _, wanted in steps)


def test_one_action_that_falls_short_in_one_cell_is_the_loss_of_a_table():
    """Two actions, three returns so far: the second is better by 1/4 at the last return only."""
    worth = [[np.array([[[1.0, 2.0, 3.0]], [[0.5, 2.0, 3.25]]])]]
    greedy = object.__new__(Greedy)
    assert greedy.loss(np.array([[[0, 0, 1]]]), worth) == 0
    assert greedy.loss(np.array([[[0, 0, 0]]]), worth) == 0.25
    assert greedy.loss(np.array([[[1, 1, 1]]]), worth) == 0.5
    assert greedy.loss(np.array([[[0]]]), worth) == 0.25, "one column stands for all returns"


# -- one column of a table ---------------------------------------------------------------------------------------------


class LastColumnPlaysOtherwise(Learner):
    """Where the return so far is the largest, the table has another action than one unit below."""

    def plan(self):
        value = super().plan()
        self.tables.policy[:, :, -1] = 1 - self.tables.policy[:, :, -2]
        return value


@pytest.mark.parametrize("algorithm", ["kl", "ucb"])
def test_the_audit_reads_the_whole_table_that_was_played(algorithm):
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", 1: "1/2"}, {0: "1/3", 1: "2/3"}]], horizon=2)
    report = audit_with(LastColumnPlaysOtherwise, mdp, vr.CVaR("1/2"), 40, algorithm)
    assert report.rows["draws"].violations == 0, str(report)


# -- rounding ----------------------------------------------------------------------------------------------------------


def test_the_error_of_a_law_counts_the_roundings_of_its_longest_chain():
    r"""A step sums over rewards, pairs and outcomes, then over states and returns; :math:`\gamma_D = Du/(1 - Du)`."""
    outcomes = [[[("1/2", 1, 1), ("1/2", 0, 0)], [(1, 0, "1/2")]], [[(1, 0, "1/2")]]]
    joint = vr.MDP.from_outcomes(outcomes, initial=[1, 0], horizon=4)
    for mdp in (vr.models.machine_replacement(horizon=4), joint):
        learner = learner_of(mdp, vr.CVaR("1/2"))
        standard, u = learner.standard, Fraction(1, 2**53)
        m = len(standard.atoms)
        into = sum(mdp.n_actions) * (1 if mdp.is_product else m)
        D = mdp.horizon * (m + into + 6) + mdp.n_states + standard.top[0] + 4
        error = Judge(mdp, standard, vr.CVaR("1/2"), learner).law_error()
        assert D * u / (1 - D * u) + u <= Fraction(error) <= (Fraction(102, 100) * D + 1) * u


def test_values_that_rounding_leaves_wide_are_noted_with_a_width_that_covers_them():
    mdp = vr.models.two_paths()
    steep = vr.learn(mdp, vr.CVaR("1/1000000000"), episodes=5)
    (note,) = [text for text in steep.notes if text.startswith("values are known to ")]
    said = note.removeprefix("values are known to ").removesuffix(" only")
    assert steep.values_width.max() <= float(said) <= 1.01 * steep.values_width.max()
    assert not [text for text in vr.learn(mdp, vr.CVaR("1/2"), episodes=5).notes if "known to" in text]


# -- where episodes begin ----------------------------------------------------------------------------------------------


class Begins:
    """An environment whose first observation is told by the seed, and nothing else happens."""

    def __init__(self) -> None:
        from gymnasium.spaces import Discrete

        self.observation_space, self.action_space = Discrete(2), Discrete(2)
        self.begun: list[int] = []

    def reset(self, seed=None):
        self.begun.append(seed % 2)
        return self.begun[-1], {}

    def step(self, action):
        return self.begun[-1], 0, True, False, {}


def test_the_first_episode_begins_where_its_own_seed_says():
    pytest.importorskip("gymnasium")
    begins = {
        seed: [int(np.random.SeedSequence((seed, k)).generate_state(1)[0]) % 2 for k in (0, 1)] for seed in range(9)
    }
    seed, (first, second) = next((seed, pair) for seed, pair in begins.items() if pair[0] != pair[1])
    with pytest.raises(StoppedRun, match=f"episode 1 began in observation {second}, episode 0 in {first}"):
        vr.learn(Begins(), vr.Mean(), episodes=5, horizon=1, rewards=[0, 1], seed=seed)


class PaysByTheStart(Begins):
    """Pays 1 where it began in observation 0, nothing where it began in 1."""

    def step(self, action):
        return self.begun[-1], 1 - self.begun[-1], True, False, {}


def test_where_episodes_begin_is_learned_even_if_all_else_is_declared():
    """Both observations are as likely, so the optimum is 1/2, whichever came first."""
    pytest.importorskip("gymnasium")
    told = {
        "known_rewards": lambda s, a, s2: int(s == 0),
        "known_successors": {(s, a): [2] for s in (0, 1) for a in (0, 1)},
    }
    for seed in range(6):
        run = vr.learn(
            PaysByTheStart(), vr.Mean(), episodes=3, horizon=1, rewards=[0, 1], random_starts=True, seed=seed, **told
        )
        assert run.interval[0] <= Fraction(1, 2) <= run.interval[1]
        assert run.interval[0] < run.interval[1]


def test_on_a_coarse_grid_a_policy_is_worth_what_it_earns_and_not_what_the_grid_says():
    """A reward of 1/4 stands at 3/8 on the grid."""
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/4": 1}, {0: "1/2", "3/4": "1/2"}]], horizon=2)
    for G in (vr.Mean(), vr.CVaR("1/2")):
        run = vr.learn(mdp, G, episodes=20, eta="3/8")
        exact = [float(G.of(vr.return_law(mdp, run.policy(k)))) for k in range(20)]
        assert run.values == pytest.approx(exact, abs=1e-12)


# -- units -------------------------------------------------------------------------------------------------------------


def test_a_run_in_other_units_is_the_same_run():
    """Rewards times ten plus three, for three steps: values are stretched and move by nine, differences do not move."""

    def learned(scale, shift):
        def pays(law):
            return {shift + scale * Fraction(r): p for r, p in law.items()}

        rewards = [[pays({0: "1/2", 1: "1/2"}), pays({"1/2": 1})], [pays({1: 1})]]
        mdp = vr.MDP(0, [[["1/2", "1/2"], [1, 0]], [[0, 1]]], rewards, horizon=3)
        return vr.learn(mdp, vr.CVaR("1/3"), episodes=30, seed=4)

    plain, other = learned(1, 0), learned(10, 3)
    for name in ("returns", "values", "optimistic"):
        assert getattr(other, name) == pytest.approx(9 + 10 * getattr(plain, name), rel=1e-9), name
    for name in ("regret", "bound", "expected_bound", "data_bound", "planner_error", "value_gap"):
        assert getattr(other, name) == pytest.approx(10 * getattr(plain, name), rel=1e-9, abs=1e-9), name
    assert [float(x) for x in other.interval] == pytest.approx([9 + 10 * float(x) for x in plain.interval])
