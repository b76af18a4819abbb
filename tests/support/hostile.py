"""Damaged and malicious files for the tests of readers."""

import pytest

from proofs_checks.fuzz.property import limited
from verified_risk import errors, files

SECONDS = 10
"""Limit of processor time within which a reader rejects a file."""


def refused(read, *arguments, match, kind=errors.VerifiedRiskError, **options):
    """``read`` raises ``kind`` in time, and the message is one short line."""
    with limited(SECONDS), pytest.raises(kind, match=match) as caught:
        read(*arguments, **options)
    assert len(str(caught.value)) < 1000
    assert "\n" not in str(caught.value)


def signed(path, kind, data):
    files.write(path, kind, data)
    return path
