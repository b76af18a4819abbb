"""Faults planted in the planner: its plan is wrong, and the checker refuses it.

On small models the planner itself notices some of them, because it evaluates its policy exactly; that is switched off
here, as it is on large ones.
"""

from __future__ import annotations

import pytest

import verified_risk as vr
from verified_risk import errors
from verified_risk.planning import rounding
from verified_risk.planning.tails import budget_tables, tail_route


def _model() -> vr.MDP:
    """The best CVaR is worth the choice of a budget: no policy that ignores the return attains it."""
    return vr.models.machine_replacement()


def test_a_flipped_rounding_is_refused(monkeypatch):
    above = rounding.Enclosure.above
    monkeypatch.setattr(rounding.Enclosure, "below", lambda self, computed: above(self, computed))
    monkeypatch.setattr("verified_risk.planning.certify.exact_value", lambda *_, **__: None)
    plan = vr.plan(_model(), "1/2*mean + 1/2*cvar(1/10)")
    with pytest.raises(errors.NotProved, match="upper bound"):
        plan.prove()


def test_an_eager_pruning_of_budgets_is_refused(monkeypatch):
    honest = vr.plan(_model(), "cvar(1/4)")
    window = tail_route.rho_window

    def eager(model, linear, alpha):
        low, _ = window(model, linear, alpha)
        return low, low + 1

    monkeypatch.setattr(tail_route, "rho_window", eager)
    monkeypatch.setattr("verified_risk.planning.certify.exact_value", lambda *_, **__: None)
    plan = vr.plan(_model(), "cvar(1/4)")
    assert plan.upper < honest.lower
    with pytest.raises(errors.NotProved, match="upper bound"):
        plan.prove()


def test_an_action_that_is_never_looked_at_is_refused(monkeypatch):
    mdp = _model()
    honest = vr.plan(mdp, "cvar(1/4)")
    fewer = vr.MDP.from_outcomes(
        [[action.outcomes for action in mdp.actions(s)[:1]] for s in range(mdp.n_states)],
        initial=dict(mdp.initial),
        horizon=mdp.horizon,
    )
    plan = vr.plan(fewer, "cvar(1/4)")
    assert plan.upper < honest.lower
    stated = {**plan.to_json(), "model": mdp.to_json()}
    with pytest.raises(errors.NotProved, match="upper bound"):
        vr.Plan.from_json(stated).prove()


def test_a_policy_that_is_not_the_one_that_was_bounded_is_refused(monkeypatch):
    action = budget_tables.BudgetTables.action
    choices = budget_tables.BudgetRule.choices
    monkeypatch.setattr(budget_tables.BudgetTables, "action", lambda self, t, s, b: 0 * action(self, t, s, b))
    monkeypatch.setattr(budget_tables.BudgetRule, "choices", lambda self, t, width: 0 * choices(self, t, width))
    monkeypatch.setattr("verified_risk.planning.certify.exact_value", lambda *_, **__: None)
    plan = vr.plan(_model(), "cvar(1/4)")
    with pytest.raises(errors.NotProved, match="lower bound"):
        plan.prove()
