"""What the enumerations and generators of regraded and new statements see, in numbers, so that a weakening is noticed.

A corrected claim made twice too generous changes the least slack or the sum of all; a narrowed hypothesis changes the
number of cases that meet it; a generator that no longer draws the hard case finds no counterexample, or comes less near
to zero.
``tests/support/mutations.py`` plants such changes.
"""

from __future__ import annotations

import pytest

from proofs_checks.engine import search
from proofs_checks.theory import by_label
from verified_risk.numbers.enclosure import bounds

#: Label: how many cases of the enumeration meet the hypotheses, the least slack and the sum of all, to six figures.
ENUMERATED = {
    "intro:bound": (400, "0", "2.06479e+09"),
    "intro:nonmarkov": (9, "0", "0"),
    "def:rewards": (315, "0", "0"),
    "def:objective/cpw": (171, "0.0154102", "22.6984"),
    "def:objective/jumps": (84, "0", "0"),
    "assump:quantile": (105, "0", "0"),
    "def:grid/range": (162, "0", "100.4"),
    "lem:pihatcdfbound/after": (972, "0", "0"),
    "lem:picdfbound/after": (972, "0", "0"),
    "lem:genbound/cdf": (1792, "0", "328"),
    "lem:optimismhat/cdf": (240, "0", "0"),
    "thm:main": (42, "82.2486", "1.18273e+06"),
    "thm:main/expected": (42, "82.2486", "1.29053e+06"),
    "thm:main/dropped": (1350, "35.4807", "1.39336e+11"),
    "thm:main/counted": (76, "3.82843", "871.08"),
    "cvar:ru": (105, "0", "0"),
    "cvar:ru/costs": (105, "0", "0"),
    "exp:forty": (40, "0.0017403", "8.25236"),
    "corrected/i": (33, "22.5623", "1236.85"),
    "corrected/ii": (33, "1", "33.8"),
    "thm:main/greedy": (33, "0.5", "16.9"),
}

#: Label: the least slack that a hundred random cases come down to at most.
DRAWN = {
    "def:grid/range": 0,
    "lem:genbound/cdf": 0,
    "intro:nonmarkov": 0,
    "def:objective/cpw": 0,
    "thm:main/counted": 4,
}


def figures(label):
    """Number, least and sum of the slacks of the enumeration."""
    statement = by_label(label)
    claim = statement.true_claim
    slacks = [bounds(claim.slack(case)) for case in statement.small_cases() if claim.when(case)]
    middles = [(low + high) / 2 for low, high in slacks]
    return len(slacks), f"{float(min(middles)):.6g}", f"{float(sum(middles)):.6g}"


@pytest.mark.parametrize("label", ENUMERATED)
def test_the_enumeration_says_what_it_said(label):
    assert figures(label) == ENUMERATED[label]


@pytest.mark.parametrize("label", DRAWN)
def test_the_generator_comes_as_near_as_it_did(label):
    statement = by_label(label)
    seen = search.random(statement.true_claim, statement.cases(), examples=100, seed=2, climb=0)
    assert bounds(seen.worst)[0] <= DRAWN[label]


FALSE = (
    "def:objective/cpw",
    "def:grid/range",
    "lem:genbound/cdf",
    "lem:optimismhat/cdf",
    "thm:main",
    "thm:main/expected",
)


@pytest.mark.parametrize("label", FALSE)
def test_the_generator_still_draws_the_hard_case(label):
    assert search.find_counterexample(by_label(label), seed=6, shrink=False) is not None
