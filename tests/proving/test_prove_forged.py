"""What is proved is about the policy in hand: files and plans whose policy is another one are refused."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner
from hostile import signed
from proof_coverage import models

import verified_risk as vr
from verified_risk import errors
from verified_risk.cli import main
from verified_risk.policy.combined import policy_from_json
from verified_risk.policy.grid_policy import PackedRule
from verified_risk.proving.certificate import ByBudget, ByLaw, ByMarkov
from verified_risk.proving.same_policy import require_same_policy
from verified_risk.proving.write import Draft

STEPS = vr.MDP(0, [[[1, 0], [0, 1]], [[1, 0], [1, 0]]], [[{1: 1}, {0: 1}], [{0: 1}, {3: 1}]], horizon=3)
"""Three steps of two states: stay and earn 1, or go over and earn 3 on the way back."""
BET = vr.MDP(0, [[[1], [1]]], [[{0: "1/4", 2: "3/4"}, {1: 1}]], horizon=3)
"""Three bets; a quantile or tail is best served by looking at what was won."""


def shifted(policy: dict, by: int) -> dict:
    packed = policy["packed"]
    return {**policy, "packed": {**packed, "offsets": [offset + by for offset in packed["offsets"]]}}


def forged(policy: dict, how: str) -> dict:
    if policy["kind"] == "mixture":
        (weight, first), *rest = policy["parts"]
        return {**policy, "parts": [[weight, forged(first, how)], *rest]}
    if how == "eta":
        return {**policy, "eta": str(2 * Fraction(policy["eta"]))}
    return shifted(policy, int(how))


@pytest.mark.parametrize("how", ["-1", "1000", "eta"])
@pytest.mark.parametrize("objective", ["cvar(1/4)", "var(1/2)", "pl(0, 0; 1/3, 1/2; 2/3, 1/2; 1, 1)"])
@pytest.mark.parametrize("mdp", [vr.models.two_paths(), BET], ids=["two_paths", "bet"])
def test_a_file_whose_policy_has_other_offsets_or_another_grid_is_not_loaded(mdp, objective, how, tmp_path):
    plan = vr.plan(mdp, objective)
    data = plan.to_json()
    file = signed(tmp_path / "plan.json", "plan", {**data, "policy": forged(data["policy"], how)})
    with pytest.raises(errors.VerifiedRiskError, match=r"offsets\[0\] of the policy|widths\[1\] of the policy|eta"):
        vr.Plan.load(file)
    done = CliRunner().invoke(main, ["prove", str(file), "--coq", str(tmp_path / "plan.v")])
    assert done.exit_code == 2
    assert not (tmp_path / "plan.v").exists()


def with_policy(plan: vr.Plan, policy: vr.Policy) -> vr.Plan:
    return replace(plan, policy=policy, known_law=None, known_error=Fraction())


def in_memory(plan: vr.Plan, by: int) -> vr.Plan:
    """The plan with a policy that reads its table as if every sum were larger."""
    rule = plan.policy.rule
    tables = [rule.choices(t, 20) for t in range(plan.mdp.horizon)]
    return with_policy(plan, vr.GridPolicy(plan.mdp, plan.eta, PackedRule([o + by for o in rule.offsets], tables)))


def test_a_policy_that_reads_its_table_elsewhere_is_not_the_one_that_is_proved():
    plan = vr.plan(vr.models.two_paths(), "cvar(1/4)")
    assert plan.prove().lower == plan.lower
    away = in_memory(plan, -1)
    with pytest.raises(errors.VerifiedRiskError):
        away.prove()
    assert away.proved is None


def return_rows(plan: vr.Plan) -> list:
    """The plan's policy as rows by the return so far, at every place that it meets."""
    return [[t, s, str(i * plan.eta), choice[0][0]] for t, s, i, choice in plan.policy.reached()]


@pytest.mark.parametrize("missing", ["all", "last"])
def test_a_return_policy_that_says_nothing_where_it_goes_is_refused(missing):
    plan = vr.plan(BET, "cvar(1/4)")
    rows = return_rows(plan)
    whole = vr.Plan.from_json({**plan.to_json(), "policy": {"kind": "return", "rows": rows}})
    assert whole.prove().lower == plan.lower
    kept = [] if missing == "all" else rows[:-1]
    part = vr.Plan.from_json({**plan.to_json(), "policy": {"kind": "return", "rows": kept}})
    with pytest.raises(errors.InvalidPolicy, match="the policy says nothing at step"):
        part.prove()


def swapped(rng: random.Random, plan: vr.Plan) -> vr.Plan | None:
    """The plan with one choice of its policy changed, at a place that it meets; None if there is no other choice."""
    policy = plan.policy
    rows = [[t, s, i, choice[0][0]] for t, s, i, choice in policy.reached()]
    free = [row for row in rows if plan.mdp.n_actions[row[1]] > 1]
    if not free:
        return None
    row = rng.choice(free)
    row[3] = (row[3] + 1) % plan.mdp.n_actions[row[1]]
    table = {"kind": "grid", "eta": str(policy.eta), "rows": rows}
    return with_policy(plan, policy_from_json(table, plan.mdp))


def test_a_proof_of_a_plan_with_one_choice_changed_is_about_the_changed_policy():
    """The changed policy may leave out places that it now meets; otherwise what is proved is true of it, by its law."""
    proved = refused = 0
    for k, (_, mdp) in enumerate(models(12, 7)):
        rng = random.Random(k)
        for objective in ("mean", "cvar(1/4)", "var(1/2)", "1/2*mean + 1/2*cvar(1/3)", "wang(-1/2)"):
            plan = vr.plan(mdp, objective, eta=None if mdp.discount == 1 else Fraction(1, 7), time_limit=1)
            other = swapped(rng, plan) if isinstance(plan.policy, vr.GridPolicy) else None
            if other is None:
                continue
            try:
                found = other.prove(time_limit=10)
            except (errors.NotProved, errors.InvalidPolicy, errors.Unsupported):
                refused += 1
            else:
                proved += 1
                law = vr.return_law(mdp, other.policy)
                worth = vr.objective(objective).of(law)
                assert found.lower <= (worth if isinstance(worth, Fraction) else worth.upper)
    assert proved > 5
    assert refused > 5


def certificates() -> list:
    """A plan and a certificate of it for each kind of policy that a certificate can have."""
    found = []
    for mdp, objective, eta in [
        (STEPS, "mean", None),
        (BET, "cvar(1/4)", None),
        (BET, "cvar(1/4)", "2/3"),
        (BET, "pl(0, 0; 1/3, 1/2; 2/3, 1/2; 1, 1)", None),
        (BET.with_discount("9/10"), "cvar(1/4)", "1/7"),
    ]:
        plan = vr.plan(mdp, objective, eta=eta)
        draft = Draft.of(plan)
        found.append((plan, draft.certificate(exact=False, bits=60)))
        if draft.cells is not None:
            found.append((plan, replace(draft, by_cells=True).certificate(exact=False, bits=60)))
    return found


KINDS = certificates()


def corrupted(low):
    """The certificate's policy with every action that it could play turned into the other one, one step at a time."""
    flip = lambda runs: [(count, 1 - a) for count, a in runs]  # noqa: E731
    for step in range(3):
        if isinstance(low, ByMarkov):
            yield replace(
                low, choices=[[1 - a for a in row] if t == step else row for t, row in enumerate(low.choices)]
            )
        elif isinstance(low, ByLaw):
            machine, *rest = low.parts
            tables = list(machine.tables)
            tables[step] = {s: (first, before, flip(runs)) for s, (first, before, runs) in tables[step].items()}
            yield replace(low, parts=[machine._replace(tables=tables), *rest])
        else:

            def choices(t, step=step):
                return [flip(runs) if t == step else runs for runs in low.choices(t)]

            yield replace(low, choices=choices)


def moved(low):
    """The same tables, read at another memory or with other probabilities."""
    if isinstance(low, ByLaw):
        (machine, *rest), (first, *later) = low.parts, low.parts[0].rules
        moves = {gain: (add + 1, coin) for gain, (add, coin) in first.moves.items()}
        for rule in (first._replace(moves=moves), first._replace(factor=2), first._replace(moves={1: (0, 1)})):
            yield replace(low, parts=[machine._replace(rules=[rule, *later]), *rest])
        yield replace(low, parts=[machine._replace(memory=1), *rest])
        yield replace(low, total=low.total + 1)
    elif not isinstance(low, ByMarkov):
        yield replace(low, start=low.start + 1)
        yield replace(low, start=low.start - 1)


@pytest.mark.parametrize(("plan", "certificate"), KINDS, ids=lambda x: getattr(x, "objective", None) and "")
def test_the_policies_are_compared_at_every_step(plan, certificate):
    require_same_policy(plan.policy, certificate)
    for low in corrupted(certificate.low):
        with pytest.raises(
            errors.NotProved, match=r"the policy of the certificate is not the plan's: at step \d, state"
        ):
            require_same_policy(plan.policy, replace(certificate, low=low))


def kind_of(low) -> str:
    return "cells" if isinstance(low, ByBudget) and low.by_cells else type(low).__name__


@pytest.mark.parametrize("kind", ["ByBudget", "ByLaw", "cells"])
def test_the_memory_of_the_certificates_policy_is_compared(kind):
    """A policy whose memory is off by one plays otherwise, unless its choices do not depend on it."""
    refused = 0
    for plan, certificate in KINDS:
        if kind_of(certificate.low) == kind:
            for low in moved(certificate.low):
                try:
                    require_same_policy(plan.policy, replace(certificate, low=low))
                except (errors.NotProved, errors.InvalidPolicy):
                    refused += 1
    assert refused >= {"ByLaw": 13}.get(kind, 2)


def flipped_at(low, step: int, place: int):
    """The certificate's policy with one action changed: that of one index of its window at one step."""

    def choices(t):
        if t != step:
            return low.choices(t)
        (runs,) = low.choices(t)
        actions = [a for count, a in runs for _ in range(count)]
        actions[place] = 1 - actions[place]
        return [[(1, a) for a in actions]]

    return replace(low, choices=choices)


@pytest.mark.parametrize("kind", ["ByBudget", "cells"])
def test_every_index_that_some_policy_meets_is_compared_and_no_other(kind):
    """In three bets of 0, 1 or 2 any sum from 0 to 4 may be met before the last one."""
    plan, certificate = next(one for one in KINDS if kind_of(one[1].low) == kind)
    low, step = certificate.low, 2
    first, last = low.grid.fine[step]
    different = []
    for place in range(last - first + 1):
        try:
            require_same_policy(plan.policy, replace(certificate, low=flipped_at(low, step, place)))
        except errors.NotProved:
            different.append(first + place)
    if kind == "ByBudget":
        assert different == list(range(max(first, low.start - 4), low.start + 1))
    else:  # budgets from the start down to what two best bets leave, and one cell below for those on its border
        unit = plan.policy.eta / 2 ** plan.policy.halvings[step]
        high, least = low.start * low.grid.unit, low.start * low.grid.unit - 2 * (1 + Fraction(9, 10))
        assert different == list(range(max(first, least // unit - 1), high // unit + 1))


def test_a_certificate_that_draws_its_policies_otherwise_is_not_the_plans():
    plan, certificate = next(one for one in KINDS if len(list(one[0].policy.parts())) == 2)
    low = certificate.low
    one, other = low.parts
    drawn = replace(low, parts=[one._replace(weight=one.weight + 1), other._replace(weight=other.weight - 1)])
    with pytest.raises(errors.NotProved, match="with other probabilities"):
        require_same_policy(plan.policy, replace(certificate, low=drawn))


def test_every_kind_of_policy_is_among_the_certificates():
    kinds = {kind_of(certificate.low) for _, certificate in KINDS}
    assert kinds == {"ByMarkov", "ByBudget", "ByLaw", "cells"}
    assert any(len(list(plan.policy.parts())) > 1 for plan, _ in KINDS)


def test_a_table_that_differs_only_where_no_policy_goes_is_the_same_policy():
    plan = next(plan for plan, certificate in KINDS if kind_of(certificate.low) == "ByBudget")
    rows = {(t, s, i): choice[0][0] for t, s, i, choice in plan.policy.reached()}
    loaded = policy_from_json(
        {"kind": "grid", "eta": str(plan.eta), "rows": [[*key, a] for key, a in rows.items()]}, plan.mdp
    )
    certificate = next(certificate for one, certificate in KINDS if one is plan)
    require_same_policy(loaded, certificate)
    narrow = vr.GridPolicy(
        plan.mdp, plan.eta, PackedRule(plan.policy.rule.offsets, [np.zeros((plan.mdp.n_states, 1), int)] * 3)
    )
    with pytest.raises((errors.NotProved, errors.InvalidPolicy)):
        require_same_policy(narrow, certificate)
