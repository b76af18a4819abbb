"""Why no finer grid followed: each of the four reasons is given where it holds, and only there."""

from dataclasses import replace
from fractions import Fraction

import pytest

import verified_risk as vr
from verified_risk.grid import scaled_model
from verified_risk.objectives import objective
from verified_risk.planning.tails import refine


@pytest.fixture(scope="module")
def model():
    rewards = [[{0: Fraction(1, 2), 1: Fraction(1, 2)}, {Fraction(1, 3): 1}]]
    return vr.MDP(0, [[{0: 1}, {0: 1}]], rewards, horizon=8, discount=Fraction(9, 10))


@pytest.fixture(scope="module")
def one_round(model):
    return refine._solved(scaled_model(model, Fraction(1, 64)), objective("cvar(1/4)").require_levels())


def finer(model, rounds, *, gap=Fraction(1, 10**6), deadline=float("inf"), spent=0.0):
    return refine._finer(model, rounds, gap, deadline, spent)


def test_a_finer_grid_is_taken_where_time_and_memory_allow_it(model, one_round):
    following, why = finer(model, [one_round])
    assert why == ""
    assert following.eta == one_round.model.eta / 16


def test_time_is_the_reason_when_the_deadline_has_passed(model, one_round):
    assert finer(model, [one_round], deadline=refine.timing.now() - 1e6) == (None, "time")
    stopped = vr.plan(model, "cvar(1/4)", gap=Fraction(1, 10**9), time_limit=1e-3)
    assert stopped.certificate.method.startswith("budget tables")
    assert "rounds: time" in stopped.certificate.method


def test_time_is_the_reason_when_a_pass_twice_as_long_would_not_end(model, one_round, monkeypatch):
    monkeypatch.setattr(refine.timing, "now", lambda: 0.0)
    spent, cells = 1.0, one_round.model.cells
    halved = refine.scaled_model(model, one_round.model.eta / 2)
    needed = 1.2 * spent * halved.cells / cells
    assert finer(model, [one_round], deadline=0.999 * needed, spent=spent) == (None, "time")
    following, _ = finer(model, [one_round], deadline=1.001 * needed, spent=spent)
    assert following.eta == halved.eta, "the coarsest of the finer grids ends in time"


def test_memory_is_the_reason_when_half_the_step_needs_more_than_allowed(model, one_round, monkeypatch):
    halved = refine.bytes_needed(refine.scaled_model(model, one_round.model.eta / 2))
    monkeypatch.setattr(refine, "memory_limit", lambda: halved - 1)
    assert finer(model, [one_round]) == (None, "memory")
    assert finer(model, [one_round], deadline=refine.timing.now() - 1e6) == (None, "memory")
    monkeypatch.setattr(refine, "memory_limit", lambda: halved)
    assert finer(model, [one_round])[0].eta == one_round.model.eta / 2


def test_float64_is_the_reason_when_rounding_is_more_than_a_quarter_of_the_gap(model, one_round):
    width = one_round.upper - one_round.lower
    assert finer(model, [replace(one_round, rounding=width / 4)])[1] == ""
    assert finer(model, [replace(one_round, rounding=width / 4 + width / 10**9)]) == (
        None,
        "float64 can certify no more",
    )


def test_two_grids_that_did_not_help_are_the_reason_and_one_is_not(model, one_round):
    width = one_round.upper - one_round.lower
    rounds = [replace(one_round, upper=one_round.lower + width * share) for share in (Fraction(1), Fraction(1))]
    assert finer(model, rounds)[1] == ""
    helped = replace(one_round, upper=one_round.lower + width * Fraction(9, 10))
    assert finer(model, [*rounds, helped])[1] == ""
    hardly = replace(one_round, upper=one_round.lower + width * Fraction(91, 100))
    assert finer(model, [*rounds, hardly]) == (None, "two finer grids no longer helped")
