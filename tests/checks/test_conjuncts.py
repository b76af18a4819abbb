"""Claims that are conjunctions: each conjunct refutes the claim when it alone is made false.

tests/checks/test_touched_statements.py counts the conjuncts.
"""

from fractions import Fraction
from types import SimpleNamespace

import pytest

import verified_risk as vr
from proofs_checks import theory
from proofs_checks.engine.model import Verdict
from proofs_checks.theory.discretisation import thm_discretized
from proofs_checks.theory.optimism import l1_greedy
from proofs_checks.theory.regret import corrected_run


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
