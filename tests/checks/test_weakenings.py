"""The table of weakening faults is about today's sources, and every fault in it is noticed."""

from __future__ import annotations

from dataclasses import replace

import pytest
import weakenings

every_weakening = pytest.mark.parametrize("weakening", weakenings.WEAKENINGS, ids=lambda weakening: weakening.name)


def test_names_are_distinct():
    names = [weakening.name for weakening in weakenings.WEAKENINGS]
    assert len(names) == len(set(names))


@every_weakening
def test_a_fault_changes_exactly_one_place_and_names_tests_that_exist(weakening):
    assert weakening.occurrences() == 1
    assert weakening.old != weakening.new
    for test in weakening.tests:
        assert (weakenings.ROOT / test.partition("::")[0]).exists(), test


@pytest.mark.slow
@every_weakening
def test_a_fault_is_noticed(weakening):
    assert weakenings.killed(weakening) is not None


@pytest.mark.slow
def test_a_change_that_changes_nothing_survives():
    harmless = weakenings.WEAKENINGS[0]
    assert weakenings.killed(replace(harmless, new=f"({harmless.old})")) is None
