"""The answer of ``prove`` states the bounds that were proved and no others, of this model, on these axioms."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

import verified_risk as vr
from proofs_checks.evidence.coq import record
from verified_risk.numbers.format import at_least, at_most
from verified_risk.proving.proved import Proved

COIN = {0: "1/2", 1: "1/2"}


def one_step(second: object, **named: object) -> vr.MDP:
    """One state; the first action pays 1, the second what is given."""
    return vr.MDP(0, [[[1], [1]]], [[{1: 1}, second]], **{"horizon": 1, **named})


def digest(mdp: vr.MDP, objective: str = "mean", **changes: str) -> str:
    plan = vr.exact_plan(mdp, objective)
    return vr.Plan.from_json({**plan.to_json(), **changes}).prove().digest


def test_the_digest_of_what_was_proved_is_of_objective_bounds_and_every_number_of_the_model():
    """All of them have the same optimum, 1, and the same claim except where the claim is what differs."""
    told = {
        "as it is": digest(one_step(COIN)),
        "another probability": digest(one_step({0: "1/3", 1: "2/3"})),
        "another reward": digest(one_step({"1/2": "1/2", 1: "1/2"})),
        "another objective": digest(one_step(COIN), "cvar(1/2)"),
        "another upper bound": digest(one_step(COIN), upper="2"),
        "another start": digest(vr.MDP({0: "1/2", 1: "1/2"}, [[[0, 1]], [[0, 1]]], [[{1: 1}], [{1: 1}]], horizon=1)),
    }
    assert len(set(told.values())) == len(told)
    assert told["as it is"] == digest(one_step(COIN))
    assert all(re.fullmatch("[0-9a-f]{64}", one) for one in told.values())


def test_the_axioms_are_those_that_coq_printed_for_the_theorem():
    recorded = {name: sorted(theorem.axioms) for name, theorem in record.theorems().items()}
    wanted = {
        "cvar(1/2)": "check_sound",
        "1/2*mean + 1/2*dual(3/2)": "check_curved_sound",
        "1/2*mean + 1/2*var(1/3, upper)": "upper_quantiles_sound",
    }
    for objective, theorem in wanted.items():
        proved = vr.plan(one_step(COIN), objective, gap="1/4").prove()
        assert (proved.theorem, sorted(proved.axioms)) == (theorem, recorded[theorem]), objective


def test_bounds_that_were_proved_are_shown_rounded_outward():
    proved = Proved("check_sound", (), 0.0, Fraction(1, 3), Fraction(10**30 + 1, 10**30 * 3), 1, 1)
    low, high = re.search(r"in \[(\S+), (\S+)\]", str(proved)).groups()
    assert Fraction(low) <= proved.lower
    assert Fraction(high) >= proved.upper
    long = replace(proved, lower=Fraction(10**40 - 1, 3 * 10**40), note="less")
    for shown in (str(long), long.how):
        low, high = re.search(r"(0\.\d+)(?:, | to )(0\.\d+)", shown).groups()
        assert Fraction(low) <= long.lower < long.upper <= Fraction(high)


def test_a_plan_does_not_pass_off_its_own_bounds_for_weaker_ones_that_were_proved():
    """The points of a curve cost the upper bound something; wherever the plan is shown, the bounds that were proved
    are shown beside its own."""
    mdp = vr.MDP(0, [[[1], [1]]], [[COIN, {"1/3": 1}]], horizon=2)
    plan = vr.plan(mdp, "dual(3/2)", gap="1/1000000000000", time_limit=5)
    proved = plan.prove()
    lost = {"lower": plan.lower - proved.lower, "upper": proved.upper - plan.upper}
    assert lost["upper"] > 0
    assert min(lost.values()) >= 0
    told = f"{at_least(proved.lower)} to {at_most(proved.upper)} (slack of the curve: "
    assert told in str(plan)
    assert told in plan._repr_html_()
    said = re.search(r"curve: (\S+) below the plan's lower bound, (\S+) above its upper bound", proved.note).groups()
    for shown, exact in zip(said, lost.values(), strict=True):
        assert exact <= Fraction(shown) <= Fraction(11, 10) * exact
    short = vr.exact_plan(one_step(COIN), "cvar(1/2)")
    assert short.prove().how.endswith(" s")


@pytest.mark.parametrize("objective", ["cvar(1/2)", "var(1/2)"])
def test_a_lower_bound_that_was_given_up_is_said_to_be(objective, monkeypatch):
    """The law of the return is not followed, and tables on a grid of thirds lose what rounding adds."""
    monkeypatch.setattr("verified_risk.proving.write.PATIENT", 0)
    plan = vr.plan(vr.MDP(0, [[[1]]], [[{"1/3": "1/2", "1/2": "1/2"}]], horizon=2), objective, eta="1/3")
    proved = plan.prove()
    assert proved.lower < plan.lower
    assert proved.note == f"the plan states {plan.lower}, which on a grid that rounds rewards is not covered"
    assert proved.note in str(proved)
    assert f"{at_least(proved.lower)} to {at_most(proved.upper)} ({proved.note})" in str(plan)
    assert proved.to_json()["note"] == proved.note
