"""The counterexamples worked out for people: complete, true line by line, and about the stored certificates."""

import json
import math
import operator
import re
from fractions import Fraction

import pytest

from proofs_checks import recheck
from proofs_checks import theory as statements
from proofs_checks.engine import certificate
from proofs_checks.engine.ledger import Refutation
from proofs_checks.report import files
from proofs_checks.report.page.cards import LINK, TEXTS, counterexample_html, worked

FALSE = sorted(s.label for s in statements.ALL if s.should_be_refuted and s.counterexample is not None)
RELATIONS = {"=": operator.eq, "<": operator.lt, ">": operator.gt, "≤": operator.le, "≥": operator.ge}
ARITHMETIC = re.compile(r"(?:√\(|log\(|exp\(|[0-9./+−·()^])+")


def exact(number: str) -> str:
    return f"Fraction('{number}')"


def evaluate(text: str) -> Fraction | float | None:
    """The value of an arithmetic expression; None for half of one."""
    if not text or text.count("(") != text.count(")") or not re.search(r"\d", text):
        return None
    python = re.sub(r"\d+(?:\.\d+)?", lambda found: exact(found.group()), text)
    for sign, meaning in (("−", "-"), ("·", "*"), ("^", "**"), ("√", "math.sqrt"), ("log", "math.log")):
        python = python.replace(sign, meaning)
    try:
        return eval(python.replace("exp", "math.exp"), {"Fraction": Fraction, "math": math})
    except SyntaxError:
        return None


def relations(sentence: str) -> list[tuple[str, str, str]]:
    """Every ``left relation right`` between arithmetic expressions that a sentence contains."""
    found = []
    parts: list[str] = []
    for word in [*sentence.split(), "end"]:
        bare = word.rstrip(".,;:")
        if bare in RELATIONS or bare == "≈" or ARITHMETIC.fullmatch(bare):
            parts.append(bare)
            if bare == word:
                continue
        pieces = re.split(r" ([=<>≤≥≈]) ", f" {' '.join(parts)} ")
        sides = [piece.strip() for piece in pieces[::2]]
        for left, relation, right in zip(sides, pieces[1::2], sides[1:], strict=False):
            if evaluate(left) is not None and evaluate(right) is not None:
                found.append((left, relation, right))
        parts = []
    return found


def is_true(left: str, relation: str, right: str) -> bool:
    """Exactly; an approximation to half a unit of the last digit that is printed."""
    one, two = evaluate(left), evaluate(right)
    if relation != "≈":
        return RELATIONS[relation](one, two)
    digits = len(right.partition(".")[2])
    return abs(float(one) - float(two)) <= 0.51 * 10.0**-digits


def test_every_false_claim_is_worked_out_and_nothing_else():
    assert sorted(worked()) == FALSE


@pytest.mark.parametrize("label", FALSE)
def test_every_equation_is_true(label):
    for step in worked()[label]:
        for left, relation, right in relations(step):
            assert is_true(left, relation, right), f"{left} {relation} {right}"


def test_the_equations_are_found_and_false_ones_would_be_noticed():
    assert sum(len(relations(step)) for steps in worked().values() for step in steps) >= 100
    planted = "So Φ = 1/2 · 0 + 1/2 · 2 = 3/4, and √(1 + 1) ≈ 1.42; P(2 ≤ 1) = 0."
    assert relations(planted) == [("1/2 · 0 + 1/2 · 2", "=", "3/4"), ("√(1 + 1)", "≈", "1.42")]
    assert [is_true(*relation) for relation in relations(planted)] == [False, False]
    assert is_true("1/(12 · 12 + 1)", "=", "1/145")


@pytest.mark.parametrize("label", FALSE)
def test_both_sides_that_the_checker_finds_occur(label):
    statement = statements.by_label(label)
    data = certificate.certificate(statement, statement.counterexample)
    outcome = recheck.check_text(json.dumps(data))
    text = " ".join(worked()[label])
    numbers = [Fraction(number.replace("−", "-")) for number in re.findall(r"−?\d+(?:/\d+|\.\d+)?", text)]
    for side in (outcome.left, outcome.right):
        if isinstance(side, dict):
            continue
        rounded = Fraction(side).denominator > 10**5
        assert any(number == side or (rounded and abs(number / side - 1) < 2e-4) for number in numbers), side


def test_every_link_arrives_and_the_cards_name_its_target():
    links = [(text, *link) for text in TEXTS for link in re.findall(r"\]\(([^)#]+)#([^)]+)\)", text.read_text("utf-8"))]
    assert links
    for text, path, anchor in links:
        assert f"\n({anchor})=\n" in (text.parent / path).read_text("utf-8"), f"{path}#{anchor}"
    assert LINK.sub(r"\1 (\2)", "See [here](../../docs/x.md#y).") == "See here (docs/x.md#y)."
    assert not [step for steps in worked().values() for step in steps if "](" in step]


def test_the_card_shows_the_steps():
    statement = statements.by_label("lem:genbound")
    data = certificate.certificate(statement, statement.counterexample)
    refutation = Refutation("x.json", "-1/4", True, None)
    assert "The difference is 3/2 − 1/4 =\u00a05/4" in counterexample_html("lem:genbound", refutation, data)


def test_the_page_of_counterexamples_has_every_subject():
    text = (files.DOCS / "counterexamples.md").read_text("utf-8")
    assert [path.parent.name for path in TEXTS if f"theory/{path.parent.name}/worked.md" not in text] == []
