"""Properties of every statement, and for every label and listed line of the paper a statement or the reason why not."""

import hashlib
import itertools
import re
from pathlib import Path

import pytest

from proofs_checks import theory as statements
from proofs_checks.engine import search
from proofs_checks.engine.model import Verdict
from proofs_checks.engine.papers import AUDITED
from proofs_checks.theory import ALL, causes, coverage

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


PLACES = [folder / "shared" / "paper" / "paper.tex" for folder in Path(__file__).resolve().parents[3:5]]
PAPER = next((place for place in PLACES if place.exists()), PLACES[0])
STATEMENTS = {statement.label for statement in ALL}
NAMED = {name for entry in coverage.ENTRIES for name in entry.names}

#: Lines with claims that carry no label: each must be covered by an entry.
LINES = (
    *(84, 91, 99, 106, 114, 122, 125, 153, 154, 166, 179, 181, 183, 297, 298, 299, 321, 415, 469, 500, 506, 509, 513),
    *(973, 975, 985, 987, 1019, 1044, 1061, 1097, 1114, 1118, 1125, 1141),
)

with_the_paper = pytest.mark.skipif(not PAPER.exists(), reason="the paper's source is not available")


def has_a_statement(label: str) -> bool:
    return label in NAMED or any(known == label or known.startswith(f"{label}/") for known in STATEMENTS)


@pytest.mark.parametrize("label", coverage.LABELS)
def test_every_labelled_claim_has_a_statement_or_an_entry(label):
    assert has_a_statement(label)


@pytest.mark.parametrize("line", LINES)
def test_every_listed_line_is_covered(line):
    assert any(entry.first <= line <= entry.last for entry in coverage.ENTRIES)


def test_a_claim_without_a_statement_is_noticed():
    assert not has_a_statement("lem:nothing")
    assert not has_a_statement("lem:eve")  # the beginning of a name is not a name


@pytest.mark.parametrize("entry", coverage.ENTRIES, ids=lambda entry: str(entry.first))
def test_an_entry_names_statements_that_exist_or_says_why_there_is_none(entry):
    assert set(entry.treated) <= STATEMENTS
    assert entry.why or (entry.treated and entry.grade is None)
    assert entry.first <= entry.last


def test_entries_are_in_order():
    starts = [entry.first for entry in coverage.ENTRIES]
    assert starts == sorted(starts)


@with_the_paper
def test_the_citation_names_the_file_that_was_read():
    citation = (Path(__file__).resolve().parents[2] / "CITATION.cff").read_text(encoding="utf-8")
    assert hashlib.sha256(PAPER.read_bytes()).hexdigest() in citation


@with_the_paper
def test_the_labels_are_those_of_the_source():
    found = re.findall(r"\\label\{([^}]*)\}", PAPER.read_text(encoding="utf-8"))
    claims = [label for label in found if not label.startswith(("sec:", "subsec:", "appendix:"))]
    assert tuple(claims) == coverage.LABELS


@with_the_paper
@pytest.mark.parametrize("entry", coverage.ENTRIES, ids=lambda entry: str(entry.first))
def test_the_mark_of_an_entry_stands_on_its_lines(entry):
    lines = PAPER.read_text(encoding="utf-8").splitlines()[entry.first - 1 : entry.last]
    assert any(entry.mark in line for line in lines), lines[0][:200]


@with_the_paper
def test_numbered_environments_without_a_label_are_covered():
    """A theorem, lemma or assumption without a label is covered by an entry or treated by name."""
    lines = PAPER.read_text(encoding="utf-8").splitlines()
    starts = [i for i, line in enumerate(lines, 1) if re.match(r"\\begin\{(theorem|lemma|assumption)\}", line)]
    bare = [i for i in starts if "\\label{" not in lines[i]]
    assert bare  # the third assumption and the lemma of the CVaR appendix
    for line in bare:
        assert any(entry.first - 2 <= line <= entry.last for entry in coverage.ENTRIES), line


# -- causes -----------------------------------------------------------------------------------------------------------


def test_every_fault_has_a_cause_and_every_cause_a_fault():
    faults = [s for s in ALL if s.printed is not None and s.said != "tempting" and s.finding != "holds"]
    assert {s.cause for s in faults if s.paper == AUDITED} == set(causes.ALL)
    assert all(s.cause is not None for s in faults)
    assert not [s.label for s in ALL if s not in faults and s.cause is not None]


def test_causes_have_distinct_names_and_lines_that_exist():
    assert len({cause.key for cause in causes.ALL}) == len({cause.title for cause in causes.ALL}) == len(causes.ALL)
    for cause in causes.ALL:
        numbers = [int(number) for number in re.findall(r"\d+", cause.lines)]
        assert numbers
        assert all(79 <= number <= 1208 for number in numbers)
        assert cause.right


def test_what_breaks_in_substance_has_one_root():
    grave = {s.cause.key for s in ALL if s.finding == "substance" and s.said != "tempting"}
    assert grave == {"parts"}


def test_a_tempting_reading_is_never_counted_as_the_papers():
    tempting = [s for s in ALL if s.said == "tempting"]
    assert tempting
    assert all(s.cause is None for s in tempting)
