"""Every planted mutation is killed, and a survivor would be seen."""

from __future__ import annotations

from dataclasses import replace

import mutations
import pytest

QUICK = [
    m
    for m in mutations.MUTATIONS
    if m.killer in {"lem:key", "def:objective/jumps", "def:pushforward"} or m.killer.startswith(mutations.TOUCHED)
]


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
