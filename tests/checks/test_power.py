"""The power of a check: factors on a bound, and dropped hypotheses, that the generator alone refutes."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from test_audit import Case, Q, failures, toy

from proofs_checks.engine import audit, power, search
from proofs_checks.engine.model import Claim, Hypotheses, Verdict, at_most, equality, least, parts_of
from proofs_checks.report import files
from proofs_checks.theory import ALL, by_label
from verified_risk.numbers.enclosure import Interval

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
