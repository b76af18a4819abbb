"""Fixtures of the tests of the audit page."""

import pytest
from ledgers import whole_ledger

from proofs_checks.report import page


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """The page of a ledger of every statement."""
    path = tmp_path_factory.mktemp("page") / "audit.html"
    page.write_page(whole_ledger(), path)
    return path
