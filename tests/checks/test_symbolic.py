"""Proofs by polynomials: each holds, its planted error breaks it, and a failing proof fails the audit."""

import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from proofs_checks import theory
from proofs_checks.engine import audit
from proofs_checks.engine.symbolic import Proof, Step, parameters

PROVED = [statement for statement in theory.ALL if statement.proof is not None]


def test_the_lemmas_that_the_toolkit_is_about_are_proved():
    assert {statement.label for statement in PROVED} == {
        "lem:key", "lem:quantileinverse/second", "thm:augmented", "thm:discretized", "lem:optimismhat/cdf",
        "lem:genbound/cdf",
    }  # fmt: skip


@pytest.mark.parametrize("statement", PROVED, ids=lambda statement: statement.label)
def test_a_proof_holds_and_its_planted_error_breaks_it(statement):
    assert statement.proof.failures() == []
    assert not all(step.holds for step in statement.proof.steps(True))


def test_a_step_is_decided_by_its_coefficients_alone():
    x, y = parameters("x, y")
    assert Step("", (x + y) ** 2 - x**2 - 2 * x * y - y**2, equation=True).holds
    assert not Step("", (x + y) ** 2 - x**2 - y**2, equation=True).holds
    assert not Step("", x - x + Fraction(1, 10**30), equation=True).holds
    assert Step("", (x + y) ** 2 - x**2).holds
    assert Step("", x - x).holds
    assert not Step("", x**2 - Fraction(1, 10**30) * x * y).holds  # negative where y is large
    assert not Step("", (x - y) ** 2).holds  # true, but not by its coefficients: a proof must write it otherwise
    rng = random.Random(0)
    for _ in range(100):
        a, b, c = (rng.randint(-2, 2) for _ in range(3))
        step = Step("", a * x + b * y + c * x * y)
        least = min(a * u + b * v + c * u * v for u in (0, Fraction(1, 99), 99) for v in (0, Fraction(1, 99), 99))
        assert step.holds == (least >= 0)


def _one(polynomial):
    return [Step("the only step", polynomial)]


@pytest.mark.parametrize(
    ("steps", "failures"),
    [
        (lambda planted: _one(-parameters("x, y")[0] if planted else parameters("x, y")[0]), []),
        (lambda planted: _one(-parameters("x, y")[0]), ["the symbolic proof fails: the only step"]),
        (lambda planted: _one(parameters("x, y")[0]), ["the symbolic proof does not notice an error: a sign"]),
    ],
    ids=["right", "false", "cannot fail"],
)
def test_a_false_proof_and_one_that_cannot_fail_are_failures_of_the_audit(steps, failures):
    statement = replace(theory.by_label("lem:key"), proof=Proof("two parameters", steps, "a sign"))
    row = audit.audit_statement(statement, 10, 0)
    assert list(row.failures) == failures
    said = "symbolic (two parameters; all real parameters, by polynomials)"
    assert (said in row.support.evidence) == (not failures)
    assert said not in row.support.recorded


def test_a_proof_is_part_of_what_evidence_is_about():
    files = audit.depends_on(Path(theory.by_label("lem:key").source))
    assert {"lem_key.py", "symbolic.py"} <= {file.name for file in files}
