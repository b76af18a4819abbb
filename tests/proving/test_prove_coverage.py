"""What `plan` and `exact_plan` answer is proved, by every route: nothing is refused, and only what is said left out."""

from __future__ import annotations

import itertools

import pytest
from proof_coverage import FAMILIES, coverage, models, shown

import verified_risk as vr

TIES = ("VaR in mixtures", "upper VaR in mixtures")
"""Where a level that is met with equality is not covered."""


ONE_PASS = ("mean", "CVaR", "mean and CVaR", "VaR, lower", "VaR, upper")


def judged(table) -> None:
    for (family, route), row in table.items():
        assert not row.refused, row.refused
        if family not in TIES:
            assert row.proved == row.tried, (family, route, row)


def test_every_family_is_proved_by_every_route_on_small_models():
    """One of them changes with the step and ends with a reward."""
    small = itertools.islice(models(5, 1), 3, 5)
    judged(coverage(small, seconds=60))


def test_every_plan_of_one_pass_is_proved_on_random_models():
    """Every bound that floats found and a hand-made error bound made safe is confirmed by the checker."""
    judged(coverage(itertools.islice(models(24, 3), 24), seconds=60, families=ONE_PASS))


def test_the_table_has_every_family():
    table = coverage([("two_paths", vr.models.two_paths())])
    assert {family for family, _ in table} == set(FAMILIES)
    assert all(f"| {family} | " in shown(table) for family in FAMILIES)
    assert table["upper VaR in mixtures", "plan"].proved == 1


@pytest.mark.slow
def test_of_two_hundred_models_none_is_refused():
    rows = coverage(models(200, 2)).values()
    assert not [line for row in rows for line in row.refused]
    assert sum(row.proved for row in rows) >= 0.9 * sum(row.tried for row in rows)
