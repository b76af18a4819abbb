"""Every planted mutation is killed, and the machinery that plants them is itself able to see a survivor."""

from __future__ import annotations

from dataclasses import replace

import mutations_regret
import pytest


@pytest.mark.parametrize("mutation", mutations_regret.MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_planted_mutation_is_killed(mutation):
    assert mutations_regret.killed(mutation) is not None, f"{mutation.name} survives {mutation.killers}"


def test_a_change_that_changes_nothing_survives():
    mutation = mutations_regret.MUTATIONS[0]
    assert mutations_regret.killed(replace(mutation, new=mutation.old)) is None


def test_a_mutation_of_a_text_that_is_not_there_is_an_error_of_the_table():
    mutation = mutations_regret.MUTATIONS[0]
    with pytest.raises(mutations_regret.TableError, match="occurs 0 times"):
        mutations_regret.killed(replace(mutation, old="no such line"))
    with pytest.raises(mutations_regret.TableError, match="no test is called"):
        mutations_regret.killed(replace(mutation, killers=("test_that_nobody_wrote",)))


def test_there_are_at_least_twenty_mutations_with_distinct_names():
    names = [mutation.name for mutation in mutations_regret.MUTATIONS]
    assert len(names) == len(set(names)) >= 20
