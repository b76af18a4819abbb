"""The standalone checker and the package agree on stored, random and edited instances."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings

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
    for x in (F(2), F(252), F(16 * 10**6), F(10, 3)):
        low, high = enclosed.log_of(x)
        mine = bounds(irrational.log(x))
        assert low <= mine[1]
        assert mine[0] <= high
        assert high - low < F(1, 10**40)
    for x in (F(8, 9), F(6), F(96, 25)):
        low, high = enclosed.exp_minus(x)
        mine = bounds(irrational.exp(-x))
        assert low <= mine[1]
        assert mine[0] <= high
        assert high - low < F(1, 10**40)
    for x in (F(2), F(5, 7)):
        low, high = enclosed.root_of(x)
        mine = bounds(irrational.root(x))
        assert low <= mine[1]
        assert mine[0] <= high
    assert irrational.root(F(9, 4)) == F(3, 2)
    assert irrational.log(1) == 0
    assert irrational.exp(F(0)) == 1


REFUTED = [
    "def:empirical",
    "def:optimistic/rows",
    "def:unvisited",
    "thm:main",
    "thm:main/expected",
    "lem:event/conditioning",
    "lem:event/hoeffding",
    "lem:genbound",
    "lem:tildebound",
    "lem:hattildebound",
    "lem:fullbound",
    "lem:optimismhat",
    "thm:main/log",
    "thm:main/visits",
    "thm:main/unvisited",
    "thm:main/factor",
    "thm:main/constant",
    "L2/merely-optimal",
    "limits/convex",
]


#: Where it may refuse an instance (too large to list, or not covered by its simpler argument).
COARSER = {"lem:tildebound", "lem:hattildebound", "lem:fullbound", "L2/merely-optimal"}


def rechecked(label, instance):
    """Whether the standalone checker refutes the claim on an instance; None if it rejects it."""
    content = {"format": recheck.FORMAT, "version": recheck.VERSION, "label": label, "instance": instance}
    try:
        return recheck.check_text(json.dumps({**content, "sha256": recheck.digest(content)})).refutes
    except recheck.Rejected:
        return None


@pytest.mark.parametrize("label", REFUTED)
def test_the_standalone_checker_refutes_exactly_what_the_package_refutes(label):
    statement = by_label(label)
    assert rechecked(label, statement.encode(statement.counterexample)) is True
    if label == "limits/convex":
        cases = [limits_convex.Case(m, zeta) for m in (7, 14, 21) for zeta in (F(1), F(1, 100))]
        for case in cases:
            wanted = statement.printed.verdict(case) is Verdict.REFUTED
            assert rechecked(label, statement.encode(case)) is wanted
        return

    @given(statement.cases())
    @settings(max_examples=25, database=None)
    def agree(case):
        verdict = statement.printed.verdict(case)
        answer = rechecked(label, statement.encode(case))
        assert answer is not True or verdict is Verdict.REFUTED  # it never refutes what the package does not
        if verdict is Verdict.REFUTED and label not in COARSER:
            assert answer is True

    agree()


def leaves(data, path=()):
    """Every number of a JSON instance, with its path."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from leaves(value, (*path, i))
    elif isinstance(data, int) or (isinstance(data, str) and data.replace("/", "").replace("-", "").isdigit()):
        yield path, data


def changed(data, path, value):
    """A copy of the instance with one number replaced."""
    copy = json.loads(json.dumps(data))
    here = copy
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    return copy


@pytest.mark.parametrize("label", REFUTED)
def test_a_certificate_with_one_number_changed_is_rejected_or_judged_anew(label):
    statement = by_label(label)
    instance = statement.encode(statement.counterexample)
    content = {"format": recheck.FORMAT, "version": recheck.VERSION, "label": label, "instance": instance}
    sealed = {**content, "sha256": recheck.digest(content)}
    for path, value in list(leaves(instance))[:12]:
        other = value + 1 if isinstance(value, int) else str(F(value) + 1)
        edited = changed(instance, path, other)
        with pytest.raises(recheck.Rejected, match="edited"):
            recheck.check_text(json.dumps({**sealed, "instance": edited}))
        if rechecked(label, edited):  # resealed by a forger: then it must be a true counterexample
            assert statement.printed.verdict(statement.read(edited)) is Verdict.REFUTED


@pytest.mark.parametrize("label", ["lem:genbound", "lem:optimismhat", "lem:event/conditioning", "L2/merely-optimal"])
def test_a_generated_counterexample_survives_the_standalone_checker(label):
    statement = by_label(label)
    found = search.find_counterexample(statement, seed=11)
    assert found is not None
    assert found.cases <= statement.find_budget
    assert rechecked(label, statement.encode(found.case)) is True
