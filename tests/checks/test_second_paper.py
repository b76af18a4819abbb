"""Statements about a second paper and about forty episodes, compared with independent computations."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from proofs_checks import theory
from proofs_checks.engine.ledger import Ledger, Row
from proofs_checks.engine.papers import AUDITED, PAPERS
from proofs_checks.engine.severity import Severity
from proofs_checks.report.counts import about_others, by_cause, by_standing
from proofs_checks.theory.experiment.exp_forty import OTHER, SLIP, nats
from proofs_checks.theory.second.deviations import Draws, missed
from verified_risk.numbers.enclosure import bounds

LABELS = ("wang:half-width", "wang:variance")


def test_five_tosses_and_two_tosses_by_hand():
    coin = (Fraction(1, 2), Fraction(1, 2))
    half = theory.by_label("wang:half-width")
    assert half.printed.slack(Draws(coin, 5, Fraction(1, 20))) == Fraction(1, 20) - Fraction(1, 16)
    assert half.corrected.slack(Draws(coin, 5, Fraction(1, 20))) == Fraction(1, 20)
    variance = theory.by_label("wang:variance")
    assert variance.printed.slack(Draws(coin, 2, Fraction(1, 20))) == Fraction(1, 20) - Fraction(1, 4)


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("masses", [(1, 3), (1, 1, 2)])
def test_the_probability_of_a_miss_by_listing_sequences(masses, n):
    p = [Fraction(m, sum(masses)) for m in masses]
    values = [Fraction(i, len(p) - 1) for i in range(len(p))]
    mean = sum(a * b for a, b in zip(p, values, strict=True))
    found = missed(Draws(tuple(p), n, Fraction(1, 20)), lambda gap: gap, lambda v: v / 2)
    total = Fraction()
    for draws in product(range(len(p)), repeat=n):
        seen = [values[i] for i in draws]
        spread = sum((x - y) ** 2 for x in seen for y in seen) / (2 * n * (n - 1))
        if mean - sum(seen) / n > max(spread / 2, 0):
            total += math.prod((p[i] for i in draws), start=Fraction(1))
    assert found == total


@pytest.mark.parametrize("label", LABELS)
def test_a_row_says_which_paper_it_is_about(label):
    assert theory.by_label(label).paper == "wang2023"
    assert "wang2023" in PAPERS
    assert all(s.paper == AUDITED for s in theory.ALL if s.label not in LABELS)


def _row(label: str, paper: str) -> Row:
    statement = theory.by_label(label)
    return Row(
        label, statement.title, statement.section, "printed", statement.finding, statement.cause, (), "", "", "", "",
        None if statement.printed is None else _text(statement), None, None, None, (), paper,
    )  # fmt: skip


def _text(statement):
    from proofs_checks.engine.ledger import ClaimText

    return ClaimText(statement.printed.formula, statement.printed.words)


def test_another_paper_is_not_counted_as_the_audited_one():
    rows = [_row("wang:variance", "wang2023"), _row("lem:event/hoeffding", AUDITED)]
    assert by_standing(rows)["printed"][Severity.REPAIR] == 1
    assert sum(by_cause(rows).values()) == 1
    assert "Wang, Kallus and Sun" in about_others(rows)[0]
    assert not rows[0].is_false  # of the audited paper


def test_a_ledger_from_before_there_were_two_papers_is_read():
    ledger = Ledger(5, 0, (_row("lem:event/hoeffding", AUDITED),), ())
    text = ledger.to_json()
    assert Ledger.from_json(text) == ledger
    assert Ledger.from_json(text.replace(',\n   "paper": "bastani2022"', "")) == ledger


def test_forty_episodes_on_the_path_tell_little():
    """The least total error of any test on forty walks of path 6 is the sum of the smaller likelihoods, exactly."""
    low, high = bounds(nats(40))
    assert Fraction("0.2621") < low <= high < Fraction("0.2622")
    assert math.exp(-float(high)) / 2 > 0.38

    def walk(slip):
        stay = 1 - slip
        return [int(10**6 * x) for x in (slip, stay * slip, stay**2 * slip, stay**3)]

    p, q = walk(SLIP), walk(OTHER)
    assert sum(p) == sum(q) == 10**6
    total, n = 0, 40
    for a in range(n + 1):
        for b in range(n + 1 - a):
            for c in range(n + 1 - a - b):
                d = n - a - b - c
                ways = math.comb(n, a) * math.comb(n - a, b) * math.comb(n - a - b, c)
                first, second = (w[0] ** a * w[1] ** b * w[2] ** c * w[3] ** d for w in (p, q))
                total += ways * min(first, second)
    assert Fraction(total, 10 ** (6 * n)) > Fraction(math.exp(-float(high)) / 2)
