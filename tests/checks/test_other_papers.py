"""Claims of other papers, claims of no paper, and forty episodes."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from test_audit import toy

from proofs_checks import theory
from proofs_checks.engine import audit
from proofs_checks.engine.ledger import Ledger
from proofs_checks.engine.papers import AUDITED, Paper
from proofs_checks.engine.severity import Severity
from proofs_checks.report import markdown
from proofs_checks.report.counts import about_others, by_cause, by_standing
from proofs_checks.report.words import said_of
from proofs_checks.theory.experiment.exp_forty import OTHER, SLIP, nats
from verified_risk.numbers.enclosure import bounds

OTHERS = {None: "repair (own claim)", Paper("On Toys", "A. Toy", "version 2"): "repair (A. Toy)"}


@pytest.mark.parametrize("paper", OTHERS)
def test_a_users_false_claim_is_not_pinned_on_the_audited_paper(paper):
    ledger = audit.run([toy(paper=paper)], examples=5)
    (row,) = ledger.statements
    assert Ledger.from_json(ledger.to_json()).statements == (row,)
    assert (row.paper, row.elsewhere, row.in_paper, row.is_false) == (paper, True, False, False)
    page = markdown.page(ledger)
    assert said_of(row) == OTHERS[paper]
    assert OTHERS[paper] in page
    assert AUDITED.authors not in page
    assert str(paper or "claims of no paper") in about_others([row])[0]
    mixed = [row, replace(row, paper=AUDITED)]
    assert by_standing(mixed)["printed"][Severity.REPAIR] == 1
    assert sum(by_cause(mixed).values()) == 0  # a toy has no cause


def test_only_the_audited_papers_statements_carry_its_name():
    assert {statement.paper for statement in theory.ALL} == {AUDITED}
    assert toy().paper is None


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
