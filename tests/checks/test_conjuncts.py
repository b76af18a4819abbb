"""Claims that are conjunctions: every conjunct is there, with its margin, and each refutes alone.

A conjunct that holds of every case can be lost without a trace in what an audit says.  Here the margins of all of them
are written down for one case of each enumeration, and what some of them are about is made false while the others stay
true.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import islice
from types import SimpleNamespace

import pytest

from proofs_checks import theory
from proofs_checks.engine import model
from proofs_checks.engine.model import Verdict
from proofs_checks.theory.augmentation import def_augmented
from proofs_checks.theory.discretisation import thm_discretized
from proofs_checks.theory.optimism import l1_greedy
from proofs_checks.theory.regret import corrected_run
from verified_risk.numbers.enclosure import bounds

MARGINS = {
    "def:objective/jumps": "0 0 0 0",
    "def:objective/cvar": "0 1 0",
    "def:augmented": "0 0",
    "thm:discretized": "0.25 0 0.75",
    "def:empirical": "0 0 0.5 0.5 0 0 0 0 0 0",
    "def:optimistic/rows": "0.375 0 0 0.625 0 0",
    "def:optimistic/rewards": "0 0 0.5 0 0 0.125 0.125 0 0 0.0625 0.0625",
    "def:unvisited": "0 0 0 0 0 0",
    "lem:event/rewards": "1 0.9779 0.9168 0.9641 0.2704 0.03288 0.001799",
    "lem:event/l1": "1 0.9779 0.9168 0.9641 0.2704 0.03288 0.001799 0.001799 0.1528 0.07986 0.001665",
    "lem:event/sup-norm": "1 0.06911 0.003727",
    "lem:genbound": "0 0",
    "lem:tildebound": "0 1.639 3.279",
    "lem:hattildebound": "11.12 4",
    "lem:fullbound": "1 2",
    "lem:event/hoeffding": "1 2.956 2.432 2.124 0.5762 0.06911 0.003727",
    "lem:genbound/cdf": "0 0",
    "thm:main/harmonic": "1 1.121",
    "cvar:ru": "0 0 0",
    "L1/coupling": "0 0 0.5",
    "L1/greedy": "1.25 0",
    "close/tv": "0 0",
    "close/markov": "0 0",
    "close/hat-tilde": "0 0 1.5 1.5",
    "L2/duality": "0 0 0.75 2.5 0 0 0 1.5 2",
    "L2/values": (
        "1 0.1875 0.0625 0.1875 0.0625 0.125 0.375 0.125 0.875 2 2 2 2 2 0.25 0 0.25 0 0.25 0.25 0.25 "
        "0.75 1 1 1 1 1 0.25 0 0.25 0 0.5 0 0.5 0.5 0 0 0 0 0"
    ),
    "L2/greedy": "1 0 0",
    "L2/optimistic": "0.25 1 0",
    "L2/merely-optimal": "0 0 0",
    "martingale": "0.01388 0.1038 1.321",
    "martingale/prefix": "0.1038 0",
    "corrected/episode": "2.5 2 0 0.5 0.25",
    "corrected/run": "1 1.2 1 1.2 1 2 1 2 1 2 1 2 1 2 45.12 0.5 1 0",
    "corrected/i": "1 1.2 1 1.2 1 2 1 2 1 2 1 2 1 2",
    "corrected/ii": "1 1.2 1 1.2 1 2 1 2 1 2 1 2 1 2",
    "thm:main/greedy": "1 1.2 1 1.2 1 2 1 2 1 2 1 2 1 2",
    "thm:main/printed-radii": "1 1.2 1 1.2 1 2 1 2 1 2 1 2 1 2",
    "class/markov": "0 2 4",
    "limits/convex": "0.07143 0 0",
    "production/key": "0 0 0.5 0",
    "production/plan": "0 0 0 0.5",
    "production/proved": "1.5 0",
}
"""What each call of ``least`` was given while the claim was evaluated on the case, of the first twelve that meet the
hypotheses, with the most and most different margins."""


def modules():
    named = [module for name, module in sorted(sys.modules.items()) if name.startswith("proofs_checks.theory.")]
    return [module for module in named if getattr(module, "least", None) is model.least]


@pytest.fixture
def calls(monkeypatch):
    found = []

    def noted(*slacks):
        found.append([bounds(slack)[0] for slack in slacks])
        return model.least(*slacks)

    for module in modules():
        monkeypatch.setattr(module, "least", noted)
    return found


def margins(statement, calls):
    claim, best = statement.true_claim, ()
    for case in islice(filter(claim.when, statement.small_cases()), 12):
        calls.clear()
        corrected_run.run.cache_clear()
        claim.slack(case)
        met = tuple(f"{float(margin):.4g}" for call in calls for margin in call)
        best = max(best, met, key=lambda one: (len(one), len(set(one))))
    return " ".join(best)


@pytest.mark.parametrize("label", MARGINS)
def test_no_conjunct_is_lost_and_none_has_another_margin(label, calls):
    assert margins(theory.by_label(label), calls) == MARGINS[label]


def test_every_conjunction_is_here(calls):
    true = [statement for statement in theory.ALL if statement.true_claim is not None]
    assert {statement.label for statement in true if margins(statement, calls)} == set(MARGINS)


# -- each conjunct refutes alone --------------------------------------------------------------------------------------


def verdict(label, case=None):
    statement = theory.by_label(label)
    return statement.true_claim.verdict(next(statement.small_cases()) if case is None else case)


@pytest.mark.parametrize("off", [Fraction(-1, 10**12), Fraction(1, 10**12)])
def test_a_planner_that_is_off_refutes_the_equivalence_of_the_augmented_model(monkeypatch, off):
    assert verdict("def:augmented") is Verdict.STANDS
    honest = def_augmented.exact_plan
    monkeypatch.setattr(def_augmented, "exact_plan", lambda *given: SimpleNamespace(value=honest(*given).value + off))
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
