"""Discounted plans, whose tables are read between their nodes: proved, corrupted, with faults in the planner."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import oracles
import pytest
from plan_models import as_mdp
from proof_files import accepted, corrupted, is_true, verdicts

import verified_risk as vr
from verified_risk import errors, grid
from verified_risk.planning.tails import interpolated_tables
from verified_risk.policy.cell_policy import CellPolicy
from verified_risk.proving import write

OBJECTIVES = ("cvar(1/4)", "cvar(2/3)", "1/2*mean + 1/2*cvar(1/3)", "3/4*mean + 1/4*cvar(1/10)")
DISCOUNTS = ("1/3", "3/4", "9/10", "19/20")


@pytest.fixture
def _by_tables(monkeypatch):
    """Neither planner nor prover follows the exact law, as on models that are too long for it."""
    monkeypatch.setattr("verified_risk.planning.certify.exact_value", lambda *_, **__: None)
    monkeypatch.setattr(write, "PATIENT", -1)


def small_model(rng: random.Random) -> vr.MDP:
    """Few enough policies for brute force."""
    while True:
        drawn = oracles.random_model(rng, max_states=3, max_actions=2, max_horizon=3, product=rng.random() < 0.4)
        low, high = (f(r for rows in drawn.outcomes for row in rows for _, _, r in row) for f in (min, max))
        if oracles.count_return_policies(drawn) <= 300 and low < high:
            return as_mdp(drawn).with_discount(rng.choice(DISCOUNTS))


def long_model(horizon: int = 14, discount: str = "9/10", states: int = 4) -> vr.MDP:
    rng = random.Random(horizon)
    rows = []
    for _ in range(states):
        row = []
        for _ in range(2):
            weights = [rng.randint(1, 9) for _ in range(3)]
            row.append(
                [(Fraction(w, sum(weights)), rng.randrange(states), Fraction(rng.randint(-5, 20), 10)) for w in weights]
            )
        rows.append(row)
    return vr.MDP.from_outcomes(rows, initial=0, horizon=horizon, discount=discount)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("discount", ["2/3", "4/5", "19/20"])
def test_long_discounted_plans_are_proved_at_their_own_bounds(objective, discount):
    plan = vr.plan(long_model(discount=discount), objective, gap="1/20")
    assert isinstance(plan.policy, CellPolicy)
    proved = plan.prove()
    assert (proved.lower, proved.upper, proved.note) == (plan.lower, plan.upper, "")


def test_a_grid_that_is_halved_too_often_is_said_not_to_be_covered():
    plan = vr.plan(long_model(discount="1/4"), "cvar(1/4)", gap="1/20")
    with pytest.raises(errors.Unsupported, match=r"not covered: a discounted plan .* halved 17 times"):
        plan.prove()


def test_a_discounted_mean_is_proved():
    plan = vr.plan(long_model(horizon=40), "mean")
    proved = plan.prove()
    assert (proved.lower, proved.upper) == (plan.lower, plan.upper)


def test_the_law_of_a_short_discounted_plan_proves_its_exact_lower_bound():
    for seed in range(6):
        rng = random.Random(seed)
        plan = vr.plan(small_model(rng), rng.choice(OBJECTIVES), eta=Fraction(1, 7))
        proved = plan.prove()
        assert (proved.lower, proved.upper) == (plan.lower, plan.upper), f"seed {seed}"


def _certificates(count: int, first: int, folder) -> list[str]:
    found = []
    for seed in range(first, first + count):
        rng = random.Random(seed)
        plan = vr.plan(small_model(rng), rng.choice(OBJECTIVES), eta=Fraction(1, rng.randint(2, 9)))
        if not isinstance(plan.policy, CellPolicy):
            continue
        proved = plan.prove(certificate=folder / "kept.txt")
        if proved.note:  # the planner knows the least return, which no table between nodes need prove
            assert proved.note == f"the plan states {plan.lower}, which is the least return", f"seed {seed}"
            assert plan.lower == plan.mdp.remaining_range(0)[0] > proved.lower, f"seed {seed}"
        else:
            assert proved.lower == plan.lower, f"seed {seed}"
        assert proved.upper == plan.upper, f"seed {seed}"
        found.append((folder / "kept.txt").read_text())
    return found


def _judge(texts: list[str], each: int, rng: random.Random, folder) -> tuple[int, int]:
    tried = proved = 0
    for i, text in enumerate(texts):
        changed = [new for _ in range(each) if (new := corrupted(text, texts[i - 1], rng)[0]) != text]
        tried, proved = tried + len(changed), proved + accepted(changed, folder)
    return tried, proved


@pytest.mark.usefixtures("_by_tables")
def test_tables_of_random_models_are_proved_and_true_and_no_corruption_is_accepted_with_a_false_bound(tmp_path):
    texts = _certificates(25, 0, tmp_path)
    assert len(texts) > 15
    assert all("lower cells" in text and is_true(text) for text in texts)
    assert sum("upper cells" in text for text in texts) >= 10
    tried, proved = _judge(texts, 20, random.Random(0), tmp_path)
    assert tried > 250
    assert tried > proved > 0


@pytest.mark.slow
@pytest.mark.usefixtures("_by_tables")
def test_thousands_of_corrupted_tables(tmp_path):
    texts = _certificates(250, 1000, tmp_path)
    assert all("lower cells" in text and is_true(text) for text in texts)
    tried, proved = _judge(texts, 40, random.Random(1), tmp_path)
    print(f"{len(texts)} certificates, {tried} changed, {proved} of these accepted, none with a false bound")
    assert tried >= 5000
    assert tried > proved > 0


@pytest.mark.usefixtures("_by_tables")
def test_a_coarse_grid_that_proves_less_than_the_planner_is_halved_for_the_lower_bound(tmp_path):
    """The planner takes its table to be linear beyond a node of a coarse grid, the checker does not."""
    rng = random.Random(1141)
    plan = vr.plan(small_model(rng), rng.choice(OBJECTIVES), eta=Fraction(1, rng.randint(2, 9)))
    draft = write.Draft.of(plan)
    assert draft.by_cells
    texts = ["".join(replace(draft, halved=n).certificate(exact=False, bits=60).lines()) for n in range(3)]
    first, *_, last = verdicts(texts, tmp_path)
    assert first.startswith("refused: the policy of the certificate does not prove the lower bound: it proves only ")
    assert last.startswith("proved")
    assert (plan.prove().lower, plan.proved.note) == (plan.lower, "")


@pytest.mark.usefixtures("_by_tables")
def test_what_the_checker_says_that_a_table_proves_it_accepts_and_no_more(tmp_path):
    text = next(text for text in _certificates(8, 50, tmp_path) if "upper cells" in text)
    lower, upper = (Fraction(x) for x in text.split("\nclaim ")[1].split("\n")[0].split())

    def claimed(value: Fraction) -> str:
        (line,) = verdicts([text.replace(f"claim {lower} {upper}", f"claim {value} {upper}")], tmp_path)
        return line

    provable = Fraction(claimed(upper).split("it proves only ")[1])
    assert lower <= provable < upper
    assert claimed(provable).startswith("proved")
    assert claimed(provable + Fraction(1, 2**60)).startswith("refused")


def test_the_least_return_is_the_only_lower_bound_that_is_given_up():
    """A plan that claims a little more than its tables prove is refused."""
    plan = vr.plan(long_model(), "cvar(1/4)", eta=Fraction(1, 10))
    more = plan.lower + (plan.upper - plan.lower) * Fraction(99, 100)
    with pytest.raises(errors.Unsupported, match="lower bound: it proves only"):
        vr.Plan.from_json({**plan.to_json(), "lower": str(more), "value": str(more)}).prove()


@pytest.mark.usefixtures("_by_tables")
def test_bounds_that_are_a_little_better_are_refused(tmp_path):
    text = next(text for text in _certificates(8, 50, tmp_path) if "upper cells" in text)
    lower, upper = (Fraction(x) for x in text.split("\nclaim ")[1].split("\n")[0].split())
    claim, small = f"claim {lower} {upper}", Fraction(1, 10**9)
    for new in (f"claim {lower + small} {upper}", f"claim {lower} {upper - small}"):
        (line,) = verdicts([text.replace(claim, new)], tmp_path)
        assert line.startswith("refused")
        assert "bound" in line


# -- faults planted in the planner -----------------------------------------------------------------------------------


def _refused(which: str) -> None:
    plan = vr.plan(long_model(), "cvar(1/4)", eta=Fraction(1, 10))
    with pytest.raises(errors.Unsupported, match=which):
        plan.prove()


def test_a_scale_that_is_forgotten_at_one_step_is_refused(monkeypatch):
    step, calls = grid._scaled_step, []

    def forgets(scale, *rest):
        calls.append(scale)
        return step(calls[-2] if len(calls) % 14 == 5 else scale, *rest)

    monkeypatch.setattr(grid, "_scaled_step", forgets)
    _refused("bound")


def test_a_clip_too_early_is_refused(monkeypatch):
    tops = grid.ScaledModel.tops.func
    early = property(lambda self: [(max(1, own // 4), max(1, after // 4)) for own, after in tops(self)])
    monkeypatch.setattr(grid.ScaledModel, "tops", early)
    _refused("bound")


def test_rounding_to_nearest_is_refused(monkeypatch):
    """Half of what is taken off a table, in either direction, is left out."""
    both = interpolated_tables._pass

    def nearest(model, mean, kappa, *, lower):
        mine, policy = both(model, mean, kappa, lower=lower)
        other, _ = both(model, mean, kappa, lower=not lower)
        return interpolated_tables.Shortfall(mine.probs, (mine.rows + other.rows) / 2), policy

    monkeypatch.setattr(interpolated_tables, "_pass", nearest)
    _refused("bound")


def test_an_action_of_one_cell_that_is_not_the_bounded_one_is_refused():
    plan = vr.plan(long_model(), "cvar(1/4)", eta=Fraction(1, 10))
    tables = [1 - table for table in plan.policy.tables]
    policy = CellPolicy(
        plan.mdp, plan.policy.eta, plan.policy.halvings, plan.policy.rho, tables, plan.policy.linear, plan.policy.least
    )
    with pytest.raises(errors.Unsupported, match="lower bound"):
        vr.Plan.from_json({**plan.to_json(), "policy": policy.to_json()}).prove()
