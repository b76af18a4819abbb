"""The standalone checker and the package agree on stored, random and edited instances."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from test_certificates import every_counterexample
from test_recheck_sides import checked

from proofs_checks import recheck
from proofs_checks.cases import irrational
from proofs_checks.engine import search
from proofs_checks.engine.model import Verdict
from proofs_checks.recheck import enclosed
from proofs_checks.theory import by_label
from proofs_checks.theory.regret import limits_convex
from verified_risk.numbers.enclosure import bounds

F = Fraction


def test_enclosures_of_log_exp_and_root_agree_with_the_standalone_series():
    same = {
        "log": (enclosed.log_of, irrational.log, (F(2), F(252), F(16 * 10**6), F(10, 3))),
        "exp": (enclosed.exp_minus, lambda x: irrational.exp(-x), (F(8, 9), F(6), F(96, 25))),
        "root": (enclosed.root_of, irrational.root, (F(2), F(5, 7))),
    }
    for name, (alone, package, places) in same.items():
        for x in places:
            (low, high), mine = alone(x), bounds(package(x))
            assert low <= mine[1], (name, x)
            assert mine[0] <= high, (name, x)
            assert high - low < F(1, 10**40), (name, x)
    assert irrational.root(F(9, 4)) == F(3, 2)
    assert irrational.log(1) == 0
    assert irrational.exp(F(0)) == 1


#: Labels of which it refutes every instance that the package refutes.
REFUTED = {
    *("def:empirical", "def:optimistic/rows", "def:unvisited", "thm:main", "thm:main/expected", "lem:genbound"),
    *("lem:event/conditioning", "lem:event/hoeffding", "lem:tildebound", "lem:hattildebound", "lem:fullbound"),
    *("lem:optimismhat", "thm:main/log", "thm:main/visits", "thm:main/unvisited", "thm:main/factor"),
    *("thm:main/constant", "L2/merely-optimal", "limits/convex"),
}
#: Where it may refuse an instance (too large to list, or not covered by its simpler argument).
COARSER = {"lem:tildebound", "lem:hattildebound", "lem:fullbound", "L2/merely-optimal"}


def rechecked(label, instance):
    """Whether the standalone checker refutes the claim on an instance; None if it rejects it."""
    try:
        return checked(label, instance).refutes
    except recheck.Rejected:
        return None


@every_counterexample
def test_the_standalone_checker_refutes_exactly_what_the_package_refutes(statement):
    """It never refutes what the package does not; of the labels in :data:`REFUTED` it refutes as much."""
    label = statement.label
    assert rechecked(label, statement.encode(statement.counterexample)) is True
    if label == "limits/convex":
        cases = [limits_convex.Case(m, zeta) for m in (7, 14, 21) for zeta in (F(1), F(1, 100))]
        for case in cases:
            wanted = statement.printed.verdict(case) is Verdict.REFUTED
            assert rechecked(label, statement.encode(case)) is wanted
        return

    @given(statement.cases())
    @settings(max_examples=25 if label in REFUTED else 8, database=None)
    def agree(case):
        verdict = statement.printed.verdict(case)
        answer = rechecked(label, statement.encode(case))
        assert answer is not True or verdict is Verdict.REFUTED
        if verdict is Verdict.REFUTED and label in REFUTED and label not in COARSER:
            assert answer is True

    agree()


@pytest.mark.parametrize("label", ["lem:genbound", "lem:optimismhat", "lem:event/conditioning", "L2/merely-optimal"])
def test_a_generated_counterexample_survives_the_standalone_checker(label):
    statement = by_label(label)
    found = search.find_counterexample(statement, seed=11)
    assert found is not None
    assert found.cases <= statement.find_budget
    assert rechecked(label, statement.encode(found.case)) is True
