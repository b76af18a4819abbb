"""``prove`` keeps its time limit and says how far it came; a search without hope ends at once."""

from __future__ import annotations

import itertools
import random
import re
import sys
import tracemalloc
from fractions import Fraction

import pytest
from click.testing import CliRunner
from proof_files import plant_program
from proof_models import random_mdp

import verified_risk as vr
from verified_risk import errors
from verified_risk.cli import main
from verified_risk.planning import clock
from verified_risk.planning.clock import Clock
from verified_risk.proving import budgets, write
from verified_risk.proving.certificate import leaves
from verified_risk.proving.cover_search import find_cover, on_grid
from verified_risk.proving.write import Draft


def ticking(monkeypatch, seconds: float) -> None:
    """A clock that goes on by so much whenever it is asked."""
    ticks = itertools.count()
    monkeypatch.setattr(clock, "now", lambda: next(ticks) * seconds)


@pytest.mark.parametrize("objective", ["wang(3/4)", "wang(-3/4)"])
def test_the_line_below_a_curve_is_drawn_within_the_limit(objective, monkeypatch):
    """A tiny gap takes hundreds of points, concave or convex; each asks the clock."""
    plan = vr.plan(vr.models.two_paths(), objective, gap="1/10000000")
    ticking(monkeypatch, 0.01)
    with pytest.raises(errors.Unsupported, match="limit of 1 s is reached while writing the model in integers"):
        plan.prove(time_limit=1)
    assert clock.now() < 1.1


def test_a_search_that_runs_out_of_time_says_what_its_boxes_would_prove(monkeypatch):
    plan = vr.plan(vr.models.machine_replacement(), "wang(3/4)", gap="1/1000", time_limit=5)
    ticking(monkeypatch, 0.001)
    with pytest.raises(errors.Unsupported, match=r"not covered: the time limit of 0\.55 s is reached after") as caught:
        plan.prove(time_limit=0.55)
    boxes, reached, wanted = re.search(
        r"after (\d+) boxes of CDFs, which would prove about (\S+) instead of the upper bound (\S+);", str(caught.value)
    ).groups()
    assert 0 < int(boxes) <= 100
    assert float(reached) > float(wanted) == pytest.approx(float(plan.upper), rel=1e-5)
    assert plan.proved is None


def test_without_time_nothing_is_begun():
    plan = vr.plan(vr.models.two_paths(), "cvar(1/4)")
    with pytest.raises(errors.Unsupported, match="not covered: the time limit of 0 s is reached while writing"):
        plan.prove(time_limit=0)
    with pytest.raises(errors.InvalidArgument, match="time_limit is -1"):
        plan.prove(time_limit=-1)
    assert plan.prove(time_limit=600).upper == plan.upper


def test_a_checker_that_does_not_answer_is_stopped(monkeypatch, tmp_path):
    plant_program(monkeypatch, tmp_path, "exec sleep 30")
    plan = vr.plan(vr.models.two_paths(), "cvar(1/4)")
    with pytest.raises(errors.Unsupported, match=r"the time limit of 3 s is reached while checking \d+ cells"):
        plan.prove(time_limit=3)


def test_the_command_line_has_the_limit(tmp_path):
    vr.plan(vr.models.two_paths(), "cvar(1/4)").save(tmp_path / "plan.json")
    done = CliRunner().invoke(main, ["prove", str(tmp_path / "plan.json"), "--time-limit", "0"])
    assert done.exit_code == 1
    assert done.output.startswith("NOT PROVED: not covered: the time limit of 0 s is reached")
    assert CliRunner().invoke(main, ["prove", str(tmp_path / "plan.json"), "--time-limit", "-1"]).exit_code == 2


@pytest.mark.parametrize("objective", ["hazard(5/2)", "cpw(1/2)", "pl(0, 0; 1/3, 1/2; 2/3, 1/2; 1, 1)"])
def test_a_bound_that_a_policy_exceeds_is_refused_at_once(objective):
    plan = vr.plan(vr.models.two_paths(), objective, time_limit=5)
    draft = Draft.of(plan)
    knots = plan.objective.knots or draft.objective.knots
    below = plan.lower - Fraction(1, 100)
    found = find_cover(on_grid(plan.mdp, draft.charges.unit), knots, below, Clock())
    assert sum(1 for _ in leaves(found.cover)) <= 4
    assert found.upper == below
    with pytest.raises(errors.NotProved, match="upper bound"):
        vr.Plan.from_json({**plan.to_json(), "lower": str(below), "value": str(below), "upper": str(below)}).prove()


FADING = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", 1: "1/2"}, {"1/3": 1}]], horizon=6, discount="19/20")


def test_an_own_grid_that_is_too_wide_is_read_between_its_points():
    plan = vr.plan(FADING, "pl(0, 0; 1/3, 0; 1, 1)", gap="1/20")
    proved = plan.prove()
    assert (proved.lower, proved.upper) == (plan.lower, plan.upper)


def test_a_law_that_is_too_long_is_said_in_one_line(monkeypatch):
    monkeypatch.setattr(write, "PATIENT", 3)
    monkeypatch.setattr(budgets, "MOST_ENTRIES", 3)
    plan = vr.plan(vr.models.frozen_lake(), "dual(3/2)", gap="1/10")
    with pytest.raises(
        errors.Unsupported, match=r"^not covered: dual\(3/2\) where the law [^\n]* is too long to be exact$"
    ):
        plan.prove()


def test_a_curve_that_is_very_steep_at_1_is_proved():
    """The last piece of its line has a slope of 7e12, and some values of the CDF are 1 under every policy."""
    plan = vr.plan(vr.models.frozen_lake(), "cpw(1/3)", gap="1/10")
    assert plan.prove().upper == plan.upper


@pytest.mark.parametrize("objective", ["cpw(1/2)", "dual(1/2)", "wang(-1/2)"])
def test_covers_of_curves_are_short(objective):
    """Steep at 1, and concave before they are convex: a model on which covers once took 10,000 boxes."""
    plan = vr.plan(random_mdp(random.Random("0/1")), objective, time_limit=10)
    draft = Draft.of(plan)
    allowed = Fraction(1, 10**5)
    found = find_cover(on_grid(plan.mdp, draft.charges.unit), draft.objective.knots, plan.upper, Clock(), allowed)
    assert sum(1 for _ in leaves(found.cover)) <= 60
    assert plan.upper <= found.upper <= plan.upper + allowed


FINE = [("0.12345678901234567", "0.7654321098765432"), ("1000000000", "0.000001"), ("1", "1.000000001")]
"""Rewards whose own grid has up to 1e16 points."""


@pytest.mark.parametrize("rewards", FINE)
@pytest.mark.parametrize("objective", ["mean", "cvar(1/2)", "var(1/2)", "1/2*cvar(1/5) + 1/2*cvar(1/2)", "wang(1/2)"])
def test_a_plan_on_a_fine_grid_is_proved_or_not_covered_and_nothing_large_is_allocated(rewards, objective):
    low, high = rewards
    plan = vr.plan(vr.MDP(0, [[[1], [1]]], [[{low: "1/2", high: "1/2"}, {low: 1}]], horizon=1), objective)
    tracemalloc.start()
    try:
        assert plan.prove(time_limit=60).lower <= plan.lower
    except errors.Unsupported as error:
        assert re.match(r"not covered: .* (cells|points|), more than \d+$", str(error))  # noqa: PT017
        assert objective != "mean"
    finally:
        assert tracemalloc.get_traced_memory()[1] < 200e6
        tracemalloc.stop()


def test_numbers_of_more_than_4300_digits_are_written():
    """Probabilities of twenty digits over 300 steps: exact tables have a scale of 6,000 digits."""
    share = Fraction(12345678901234567891, 10**20)
    mdp = vr.MDP(0, [[[share, 1 - share], [1 - share, share]], [[share, 1 - share]]],
                 [[{1: 1}, {"1/2": 1}], [{0: 1}]], horizon=300)  # fmt: skip
    plan = vr.exact_plan(mdp, "mean")
    assert plan.prove().lower == plan.upper
    assert Draft.of(plan).certificate(exact=True, bits=0).low.scale > 10**4300
    assert sys.get_int_max_str_digits() == 4300


@pytest.mark.parametrize("objective", ["mean", "cvar(1/2)", "var(2/3)", "1/2*cvar(1/5) + 1/2*cvar(1/2)", "wang(1/2)"])
def test_a_certificate_that_is_too_large_for_the_checker_is_not_covered_and_the_plan_is_not_refused(
    objective, monkeypatch, tmp_path
):
    said = "line 62: tables of 5798 MB, more than the 4000 MB that are allowed"
    plan = vr.plan(vr.models.two_paths(), objective)
    plant_program(monkeypatch, tmp_path, f"echo 'refused: {said}'; exit 1")
    with pytest.raises(errors.Unsupported, match=f"^not covered: the checker answers, {said}$"):
        plan.prove()


FALSE = {
    "lower": "the policy of the certificate does not prove the lower bound",
    "upper": "the tables of the certificate do not prove the upper bound",
}


@pytest.mark.parametrize("end", FALSE)
@pytest.mark.parametrize(("eta", "decided"), [(None, True), ("1/7", False)])
def test_a_refusal_is_final_only_where_the_tables_lose_nothing(end, eta, decided, monkeypatch, tmp_path):
    """On the rewards' own grid they lose nothing; on a coarser one a true bound may be refused, where the own grid is
    too wide to try."""
    mdp = vr.MDP(0, [[[1], [1]]], [[{"1/3": "1/2", "1/2": "1/2"}, {"5/12": 1}]], horizon=2)
    monkeypatch.setattr("verified_risk.proving.write.PATIENT", 0)
    monkeypatch.setattr("verified_risk.proving.write.WIDEST_GRID", 3)
    plan = vr.plan(mdp, "cvar(1/2)", eta=eta)
    plant_program(monkeypatch, tmp_path, f"echo 'refused: {FALSE[end]}'; exit 1")
    with pytest.raises(errors.NotProved if decided else errors.Unsupported, match=f"{end} bound$"):
        plan.prove()
