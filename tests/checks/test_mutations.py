"""Every planted mutation is killed, and a survivor would be seen."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import mutations
import pytest
import weakened_statements
from planting import ROOT

QUICK = [m for m in mutations.MUTATIONS if m.killer in {"lem:key", "def:objective/jumps", "def:pushforward"}]


def test_there_are_at_least_twenty_mutations_with_distinct_names():
    names = [mutation.name for mutation in mutations.MUTATIONS]
    assert len(names) == len(set(names)) >= 20


@pytest.mark.parametrize("mutation", mutations.MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mutation_changes_exactly_one_place(mutation):
    assert mutation.path.read_text(encoding="utf-8").count(mutation.old) == 1
    assert mutation.old != mutation.new


@pytest.mark.parametrize("mutation", QUICK, ids=lambda mutation: mutation.name)
def test_a_quick_mutation_is_killed(mutation):
    assert mutations.killed(mutation) is not None


@pytest.mark.slow
@pytest.mark.parametrize("mutation", mutations.MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mutation_is_killed(mutation):
    assert mutations.killed(mutation) is not None


def test_a_change_that_changes_nothing_survives():
    mutation = QUICK[0]
    assert mutations.killed(replace(mutation, new=mutation.old)) is None


def test_a_text_that_is_not_there_is_an_error_of_the_table_and_not_a_kill():
    with pytest.raises(LookupError, match="occurs 0 times"):
        mutations.killed(replace(QUICK[0], old="no such line"))


# -- weakened statements ----------------------------------------------------------------------------------------------

#: One of each subject, the kinds in turn; all of them run in the slow campaign.
KINDS = (weakened_statements.GENEROUS, weakened_statements.NARROWED, weakened_statements.EASY)
SOME = [
    next(w for w in weakened_statements.WEAKENED if (w.subject, w.kind) == (subject, KINDS[(i + 1) % 3]))
    for i, subject in enumerate(weakened_statements.SUBJECTS)
]
every_weakened = pytest.mark.parametrize("weakened", weakened_statements.WEAKENED, ids=lambda w: w.mutation.name)


def test_every_subject_has_a_statement_weakened_in_every_way():
    folders = {path.parent.name for path in (ROOT / "proofs_checks" / "theory").glob("*/__init__.py")}
    assert set(weakened_statements.SUBJECTS) == folders
    assert {(w.subject, w.kind) for w in weakened_statements.WEAKENED} == set(product(folders, KINDS))


@every_weakened
def test_a_weakening_changes_exactly_one_place(weakened):
    mutation = weakened.mutation
    # A test called with a label that it does not know would fail for nothing.
    assert weakened.label in weakened_statements.known_to(weakened)
    assert mutation.path.read_text(encoding="utf-8").count(mutation.old) == 1
    assert mutation.old != mutation.new


def test_the_quick_ones_are_of_every_subject_and_every_kind():
    assert [weakened.subject for weakened in SOME] == list(weakened_statements.SUBJECTS)
    assert len({weakened.kind for weakened in SOME}) == 3


@pytest.mark.parametrize("weakened", SOME, ids=lambda weakened: weakened.mutation.name)
def test_a_weakened_statement_of_each_subject_is_noticed(weakened):
    assert mutations.killed(weakened.mutation) is not None


@pytest.mark.slow
@every_weakened
def test_a_weakened_statement_is_noticed(weakened):
    assert mutations.killed(weakened.mutation) is not None
