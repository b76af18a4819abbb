"""The power of a check: factors on a bound, and dropped hypotheses, that the generator alone refutes."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import strategies as st
from test_audit import Case, Q, failures, toy

import verified_risk as vr
from proofs_checks import theory
from proofs_checks.engine import audit, power, search
from proofs_checks.engine.model import Claim, Hypotheses, Verdict, at_most, equality, least, parts_of
from proofs_checks.report import files
from proofs_checks.theory import ALL, by_label
from proofs_checks.theory.discretisation import thm_discretized
from proofs_checks.theory.optimism import l1_greedy
from proofs_checks.theory.regret import corrected_run
from verified_risk.numbers.enclosure import Interval, bounds

ROWS = {row.label: row for row in files.stored().statements}


def claim(*slacks):
    """The conjunction of these slacks of x; x is at most 3 in the toy's cases."""
    return Claim("", "toy", lambda case: least(*(slack(case.x) for slack in slacks)))


def measured(of, cases, examples=200):
    return power.power(search.random(of, cases, examples=examples, seed=seed) for seed in (0, 1))


@pytest.mark.parametrize(
    ("bound", "factor"), [(3, "0.99"), ("3.1", "0.95"), ("10/3", "0.8"), (4, "0.5"), (29, "0.1"), (4000, "none")]
)
def test_the_factor_is_the_greatest_that_the_tightened_claim_refutes(bound, factor):
    """The factor is read off one search of the true claim; here each tightened claim is searched itself."""
    seeds = [search.Search(closest={"bound": ratio}) for ratio in (Q(1), Q(1, 2))]
    assert power.power(seeds) == power.power(seeds[::-1]) == {"bound": "0.2"}, "both seeds"
    true = claim(lambda x: at_most(x, Fraction(bound)), lambda x: at_most(x, Q(3), "other"))
    assert measured(true, toy().cases()) == {"bound": factor, "other": "0.99"}
    refuted = [
        f
        for f in power.LADDER
        if search.find(power.tightened(true, "bound", f), toy().cases(), seed=0, budget=200) is not None
    ]
    assert f"{float(max(refuted)):g}" if refuted else factor == "none"


@pytest.mark.parametrize(
    ("slack", "ratio"),
    [
        (at_most(Q(1), Q(2)), Q(1, 2)),
        (at_most(Q(0), Q(2)), 0),
        (at_most(Q(-1), Q(0)), 0),
        (at_most(Interval(Q(1), Q(2)), Interval(Q(3), Q(4))), Q(1, 4)),  # the least that is certain
        (equality(Q(-2), Q(-2)), 1),
        (equality(Q(0), Q(0)), 0),
        (Q(1), 0),
    ],
)
def test_a_factor_below_the_ratio_fails_and_no_other_is_promised(slack, ratio):
    (part,) = parts_of(slack)
    assert part.ratio() == ratio
    for factor in power.LADDER:
        fails = Claim("", "", lambda case, factor=factor: part.slack(factor)).verdict(0) is Verdict.REFUTED
        assert fails or factor >= ratio


@pytest.mark.parametrize(
    ("reaches", "said"),
    [
        ({}, "refutes 0.5 times the bound, wanted 0.99"),
        ({"bound": ("0.5", "why")}, None),
        ({"bound": ("0.8", "")}, "0.8"),
    ],
)
def test_an_audit_fails_if_a_generator_is_weaker_than_its_statement_says(reaches, said):
    weak = toy(corrected=claim(lambda x: at_most(x, Q(4))), reaches=reaches)
    found = [line for line in failures(weak, 200) if "times the" in line]
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


def test_cases_in_which_every_bound_is_far_are_no_evidence():
    vacuous = toy(corrected=claim(lambda x: at_most(x, Q(4000))), reaches={"bound": ("none", "why")})
    row = audit.audit_statement(vacuous, 200, seed=0)
    assert (row.rank, row.support.evidence, row.support.reasons) == (None, (), {"bound": "why"})


@pytest.mark.parametrize(
    ("highest", "reaches", "noticed"),
    [(12, {}, "noticed"), (4, {}, "not noticed: small"), (4, {"small": ("", "why")}, "not noticed: small")],
)
def test_a_dropped_hypothesis_is_noticed_if_some_case_misses_it_alone_and_needs_it(highest, reaches, noticed):
    """At -5 the second hypothesis is missed alone, at the highest x both are; there the claim fails too."""
    few = st.integers(-9, highest).map(lambda i: Case(Q(i)))
    when = Hypotheses(small=lambda case: case.x <= 3, other=lambda case: case.x not in (-5, highest))
    true = replace(claim(lambda x: at_most(x if x != -5 else 4, Q(3))), when=when)
    by_seed = [search.Search(beyond=Counter(small=1, other=n)) for n in (1, 0)]
    assert power.unnoticed(true, by_seed) == ["other"]
    row = audit.audit_statement(toy(corrected=true, cases=lambda: few, reaches=reaches), 200, seed=0)
    assert row.support.hypotheses == noticed
    assert len([line for line in row.failures if "its small" in line]) == (highest == 4 and not reaches)


@pytest.mark.parametrize("statement", ALL, ids=lambda s: s.label)
def test_the_stored_power_is_what_the_statement_says(statement):
    """And no less is said than was found: a reason that is no longer needed goes."""
    support = ROWS[statement.label].support
    found, missed = (support.power, support.hypotheses.partition(": ")[2]) if support else ({}, "")
    names = missed.split(", ") if missed else []
    assert power.shortfalls(statement, found, names) == []
    found = {**found, **dict.fromkeys(names, "not noticed")}
    assert {name: factor for name, (factor, _) in statement.reaches.items()} == {
        name: found[name] for name in statement.reaches
    }


@pytest.mark.parametrize("label", ["lem:tildebound", "lem:genbound", "thm:main/factor", "thm:discretized"])
def test_the_generator_alone_refutes_what_the_ledger_says(label):
    statement = by_label(label)
    assert measured(statement.true_claim, statement.cases()) == ROWS[label].support.power


@pytest.mark.parametrize("label", ["L1/markov", "class/markov", "lem:optimismhat", "lem:tildebound", "L2/optimistic"])
def test_the_generator_notices_that_the_hypotheses_are_dropped(label):
    assert ROWS[label].support.hypotheses in ("noticed", "not noticed: concave")


#: The rows of enumerated_slacks.json, by label: how many cases of the enumeration meet the hypotheses, the least slack
#: and the sum of all, to six figures; where some claim has several parts, also how many parts there are in all, and
#: their sum.  Of enumerations that take more than half a second the rows in "first" are about the first cases only.
RECORDED = json.loads(Path(__file__).with_name("enumerated_slacks.json").read_text(encoding="utf-8"))
FIRST = 200


def figures(label, most=None):
    """A row of :data:`RECORDED`, for the whole enumeration or its first cases."""
    statement = by_label(label)
    claim = statement.true_claim
    slacks = [claim.slack(case) for case in islice(statement.small_cases(), most) if claim.when(case)]
    values = [sum(bounds(slack)) / 2 for slack in slacks]
    parts = [sum(bounds(part.slack())) / 2 for slack in slacks for part in parts_of(slack)]
    seen = len(values), f"{float(min(values)):.6g}", f"{float(sum(values)):.6g}"
    split = len(parts), f"{float(sum(parts)):.6g}"
    return seen if split == seen[::2] else (*seen, *split)


@pytest.mark.parametrize(("part", "label"), [(part, label) for part in RECORDED for label in RECORDED[part]])
def test_the_enumeration_has_the_recorded_slacks(part, label):
    assert list(figures(label, {"whole": None, "first": FIRST}[part])) == RECORDED[part][label]


def test_every_statement_is_here_once():
    assert sorted([*RECORDED["whole"], *RECORDED["first"]]) == sorted(statement.label for statement in ALL)


#: Label: what some of a hundred random cases must be like, where the claim holds and no case is the hard one.
KINDS = {
    "production/evaluator": {
        "joint rewards": lambda case: not all(action.independent for _, _, action in case.mdp),
        "a policy that remembers": lambda case: type(case.policy).__name__ == "HistoryPolicy",
    }
}


@pytest.mark.parametrize("label", KINDS)
def test_the_generator_draws_every_kind(label):
    drawn = []
    claim = replace(by_label(label).true_claim, slack=lambda case: drawn.append(case) or Fraction(0))
    search.random(claim, by_label(label).cases(), examples=100, seed=3, climb=False)
    for name, holds in KINDS[label].items():
        assert any(holds(case) for case in drawn), name


def verdict(label, case=None):
    statement = theory.by_label(label)
    return statement.true_claim.verdict(next(statement.small_cases()) if case is None else case)


@pytest.mark.parametrize("off", [Fraction(-1, 10**12), Fraction(1, 10**12)])
def test_a_planner_that_is_off_refutes_the_equivalence_of_the_augmented_model(monkeypatch, off):
    assert verdict("def:augmented") is Verdict.STANDS
    honest = vr.exact_plan
    monkeypatch.setattr(vr, "exact_plan", lambda *given: SimpleNamespace(value=honest(*given).value + off))
    assert verdict("def:augmented") is Verdict.REFUTED


def test_each_inequality_of_the_discretisation_refutes_alone(monkeypatch):
    """Attained, best and rounded value at T = 2, eta = 1: at most 2 below, in this order."""
    case, tiny = theory.by_label("thm:discretized").counterexample, Fraction(1, 10**12)
    values = {
        (0, 0, 0): Verdict.STANDS,
        (0, 1, 2): Verdict.STANDS,
        (0, 1, 2 + tiny): Verdict.REFUTED,
        (1 + tiny, 1, 2): Verdict.REFUTED,
        (0, 1 + tiny, 1): Verdict.REFUTED,
    }
    for said, wanted in values.items():
        monkeypatch.setattr(thm_discretized, "_values", lambda case, said=said: tuple(map(Fraction, said)))
        assert verdict("thm:discretized", case) is wanted, said


def test_a_greedy_policy_that_is_not_worth_its_value_refutes_its_optimism(monkeypatch):
    class Boasting(l1_greedy.Greedy):
        def __init__(self, *given, **named):
            super().__init__(*given, **named)
            self.value += Fraction(1, 10**12)

    assert verdict("L1/greedy") is Verdict.STANDS
    monkeypatch.setattr(l1_greedy, "Greedy", Boasting)
    assert verdict("L1/greedy") is Verdict.REFUTED


def test_each_part_of_a_run_refutes_alone(monkeypatch):
    """Expected regret, probability of the event, room under the radius, law of the regret."""
    statement = theory.by_label("corrected/run")
    case, tiny = next(filter(statement.true_claim.when, statement.small_cases())), Fraction(1, 10**12)
    regret, good, room, totals = corrected_run.run(case)
    edge = 1 - case.delta
    said = {
        "as it is": (regret, good, room, totals),
        "at the edge": (regret, edge, Fraction(), totals),
        "too much regret": (regret + 1000, good, room, {regret + 1000: Fraction(1)}),
        "the event too rare": (regret, edge - tiny, room, totals),
        "no room": (regret, good, -tiny, totals),
        "another law": (regret, good, room, {**totals, Fraction(7): tiny}),
    }
    for name, answer in said.items():
        monkeypatch.setattr(corrected_run, "run", lambda case, answer=answer: answer)
        wanted = Verdict.STANDS if name in ("as it is", "at the edge") else Verdict.REFUTED
        assert verdict("corrected/run", case) is wanted, name
