"""Numbers that change when a fault is seeded in a claim, a hypothesis or a generator.

A looser corrected claim changes the least slack or the sum of all slacks.  A narrower hypothesis changes the number of
cases that meet it.  A dropped or looser conjunct changes the number or the sum of the conjuncts, even if another one is
always the least.  A generator that no longer draws the hard case loses its power (tests/checks/test_power.py).
"""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest

from proofs_checks.engine import search
from proofs_checks.engine.model import parts_of
from proofs_checks.theory import ALL, by_label
from verified_risk.numbers.enclosure import bounds

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


@pytest.mark.parametrize("label", RECORDED["whole"])
def test_the_enumeration_has_the_recorded_slacks(label):
    assert list(figures(label)) == RECORDED["whole"][label]


@pytest.mark.parametrize("label", RECORDED["first"])
def test_a_long_enumeration_begins_with_the_recorded_slacks(label):
    assert list(figures(label, FIRST)) == RECORDED["first"][label]


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
