"""What `plan` and `exact_plan` answer is proved, by every route: nothing is refused, and only what is said left out."""

from __future__ import annotations

import itertools

import pytest
from proof_coverage import FAMILIES, SEARCHED, coverage, models, shown
from proof_files import require_checker

import verified_risk as vr

LEFT_OUT = "upper VaR in mixtures"


@pytest.fixture(autouse=True)
def _checker():
    require_checker()


def judged(table) -> None:
    for (family, route), row in table.items():
        assert not row.refused, row.refused
        assert (row.proved == 0) if family == LEFT_OUT else (row.proved == row.tried), (family, route, row)


def test_every_family_is_proved_by_every_route_on_small_models():
    """Two of them change with the step and end with a reward."""
    small = itertools.islice(models(10, 1), len(vr.models.NAMES), None)
    judged(coverage((name, mdp) for name, mdp in small if int(name.split()[-1]) in (4, 5, 9)))


def test_the_table_has_every_family():
    table = coverage([("two_paths", vr.models.two_paths())])
    assert {family for family, _ in table} == set(FAMILIES)
    assert all(f"| {family} | " in shown(table) for family in FAMILIES)
    assert f"| {LEFT_OUT}; plan | 1 |" in shown(table)
    assert set(SEARCHED) <= set(vr.models.NAMES)


@pytest.mark.slow
def test_two_hundred_models_are_proved():
    judged(coverage(models(200, 2)))
