"""``prove`` keeps its time limit and says how far it came; a search without hope ends at once."""

from __future__ import annotations

import itertools
import random
import re
from fractions import Fraction

import pytest
from click.testing import CliRunner
from proof_files import require_checker
from proof_models import random_mdp

import verified_risk as vr
from verified_risk import errors
from verified_risk.cli import main
from verified_risk.planning import limits
from verified_risk.planning.limits import Clock
from verified_risk.proving import curved
from verified_risk.proving.boxes import find_cover
from verified_risk.proving.certificate import VERSION
from verified_risk.proving.cover import leaves
from verified_risk.proving.routes import Draft


@pytest.fixture(autouse=True)
def _checker():
    require_checker()


def ticking(monkeypatch, seconds: float) -> None:
    """A clock that goes on by so much whenever it is asked."""
    ticks = itertools.count()
    monkeypatch.setattr(limits, "now", lambda: next(ticks) * seconds)


def test_a_search_that_runs_out_of_time_says_what_its_boxes_would_prove(monkeypatch):
    plan = vr.plan(vr.models.machine_replacement(), "wang(3/4)", gap="1/1000", time_limit=5)
    ticking(monkeypatch, 0.1)
    with pytest.raises(errors.Unsupported, match="not covered: the time limit of 4 s is reached after") as caught:
        plan.prove(time_limit=4)
    boxes, reached, wanted = re.search(
        r"after (\d+) boxes of CDFs, which would prove about (\S+) instead of the upper bound (\S+);", str(caught.value)
    ).groups()
    assert 0 < int(boxes) <= 40
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
    program = tmp_path / "asleep"
    version = f"verified-risk-checker format {VERSION} source 0"
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo {version} || exec sleep 30\n')
    program.chmod(0o755)
    monkeypatch.setenv("VERIFIED_RISK_CHECKER", str(program))
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
    found = find_cover(plan, knots, draft.charges.unit, below, Clock())
    assert sum(1 for _ in leaves(found.cover)) <= 3
    assert found.upper == below
    with pytest.raises(errors.NotProved, match="upper bound"):
        vr.Plan.from_json({**plan.to_json(), "lower": str(below), "value": str(below), "upper": str(below)}).prove()


FADING = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", 1: "1/2"}, {"1/3": 1}]], horizon=6, discount="19/20")


@pytest.mark.parametrize("objective", ["1/2*cvar(1/4) + 1/2*cvar(1/2)", "dual(3/2)"])
def test_an_own_grid_that_is_too_wide_is_said_in_one_line(objective):
    plan = vr.plan(FADING, objective, time_limit=2)
    said = r"^not covered: [^\n]*the rewards' own grid has \d{5,} points, more than 20000$"
    with pytest.raises(errors.Unsupported, match=said):
        plan.prove()


def test_a_law_that_is_too_long_is_said_in_one_line(monkeypatch):
    monkeypatch.setattr(curved, "PATIENT", 3)
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
    found = find_cover(plan, draft.objective.knots, draft.charges.unit, plan.upper, Clock(), allowed)
    assert sum(1 for _ in leaves(found.cover)) <= 60
    assert plan.upper <= found.upper <= plan.upper + allowed
