"""The tests of this folder are skipped where the verified checker cannot be built, but for those that do not ask it."""

from __future__ import annotations

import pytest
from proof_files import require_checker

UNASKED = {"test_prove_hostile", "test_prove_pieces", "test_prove_program", "test_reader"}
"""Modules whose tests ask for the checker themselves, or never."""


@pytest.fixture(autouse=True)
def _checker(request):
    if request.module.__name__ not in UNASKED:
        require_checker()
