"""Properties of every statement."""

import itertools
from pathlib import Path

import pytest

from proofs_checks import theory as statements
from proofs_checks.engine import search
from proofs_checks.engine.model import Verdict

ROOT = Path(__file__).parents[2]
REFUTED = [statement for statement in statements.ALL if statement.should_be_refuted]
ENUMERATED = 250  # cases of each enumeration; the audit runs them all

every_statement = pytest.mark.parametrize("statement", statements.ALL, ids=lambda statement: statement.label)
every_refuted_statement = pytest.mark.parametrize("statement", REFUTED, ids=lambda statement: statement.label)


def test_labels_are_unique_and_uses_are_acyclic():
    labels = [statement.label for statement in statements.ALL]
    assert len(labels) == len(set(labels))
    uses = {statement.label: statement.uses for statement in statements.ALL}
    assert {used for row in uses.values() for used in row} <= set(labels)
    done: set[str] = set()
    while len(done) < len(labels):
        ready = {label for label in labels if label not in done and set(uses[label]) <= done}
        assert ready, f"these use each other in a circle: {sorted(set(labels) - done)}"
        done |= ready


def test_an_unknown_label_raises_with_the_nearest_ones():
    with pytest.raises(KeyError, match="lem:key"):
        statements.by_label("lem:keys")


@every_statement
def test_title_words_and_notes_are_complete(statement):
    for claim in (statement.printed, statement.corrected):
        if claim is not None:
            assert claim.formula
            assert claim.words
    assert statement.title
    assert statement.section
    assert statement.small_size, "an exhaustive enumeration is owed"


@every_statement
def test_its_proof_has_a_place_in_the_theory(statement):
    page, _, anchor = statement.theory.partition("#")
    text = (ROOT / "docs" / "theory" / page).read_text(encoding="utf-8")
    assert not anchor or f"({anchor})=" in text


@every_statement
def test_a_correction_needs_a_counterexample(statement):
    """No correction without a counterexample to the printed claim, and no counterexample without a false claim."""
    if statement.should_be_refuted:
        assert statement.counterexample is not None
        assert statement.corrected is not None
        assert statement.find_budget > 0
    else:
        assert statement.counterexample is None
        assert statement.printed is not None or statement.corrected is not None
        if statement.printed is None and statement.finding != "holds":
            assert statement.notes, "why there is no printed claim to refute"


@every_refuted_statement
def test_the_counterexample_refutes_the_printed_claim_and_not_the_correction(statement):
    assert statement.printed.verdict(statement.counterexample) is Verdict.REFUTED
    assert statement.corrected.verdict(statement.counterexample) in (Verdict.STANDS, None)


@pytest.mark.parametrize("seed", [11, *(pytest.param(s, marks=pytest.mark.slow) for s in (12, *range(20, 25)))])
@every_refuted_statement
def test_the_generator_finds_a_counterexample_by_itself(statement, seed):
    found = search.find_counterexample(statement, seed=seed, shrink=False)
    assert found is not None
    assert found.cases <= statement.find_budget
    assert statement.printed.verdict(found.first) is Verdict.REFUTED


@every_statement
def test_what_should_be_true_holds_on_small_and_on_random_cases(statement):
    claim = statement.true_claim
    assert claim is not None
    small = search.exhaustive(claim, itertools.islice(statement.small_cases(), ENUMERATED))
    examples = max(5, round(25 * statement.examples_share))
    sampled = search.random(claim, statement.cases(), examples=examples, seed=5, climb=False)
    assert small.verdict is Verdict.STANDS, (small.worst, small.worst_case)
    assert sampled.verdict is Verdict.STANDS, (sampled.worst, sampled.worst_case)
    assert sampled.met * 8 >= sampled.tried, "the generator hardly ever meets the hypotheses"


@every_statement
def test_its_source_is_its_own_file(statement):
    assert Path(statement.source).is_relative_to(ROOT / "proofs_checks" / "theory")
