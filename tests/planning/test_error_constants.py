"""Every constant of an error bound against a count of another kind, at its boundary on both sides."""

from fractions import Fraction

import counted
import pytest

from verified_risk.errors import Unsupported
from verified_risk.planning.rounding import SMALLEST_NORMAL, UNIT_ROUNDOFF, Enclosure, gamma


@pytest.fixture(scope="module")
def seen():
    """The planner's own kernels, run on numbers that count their roundings."""
    return counted.counts()


@pytest.mark.parametrize("way", ["backward", "forward"])
def test_no_number_is_made_by_more_roundings_than_the_bound_allows(seen, way):
    assert len(seen) >= 20
    for row in seen:
        roundings, allowed = row[way]
        assert roundings <= allowed, row


def test_the_count_of_roundings_is_nearly_attained(seen):
    """So a constant that is too small by little would be noticed."""
    assert max(row["backward"][0] / row["backward"][1] for row in seen) >= 0.85
    assert max(row["forward"][0] / row["forward"][1] for row in seen) >= 0.35


def test_gamma_is_the_sum_of_the_geometric_series():
    for depth in (1, 7, 10**6, 2**52):
        share = Fraction(depth, 2**53)
        assert gamma(depth) == share / (1 - share)
        assert (1 - UNIT_ROUNDOFF) ** min(depth, 50) >= 1 - min(depth, 50) * UNIT_ROUNDOFF
    assert gamma(2**53 - 1) == 2**53 - 1
    with pytest.raises(Unsupported, match="no correct digit"):
        gamma(2**53)


def test_an_enclosure_holds_what_so_many_roundings_can_do_at_most():
    """Worst cases, met with equality to first order: k roundings all down, all up."""
    for depth in (1, 3, 40):
        box, exact = Enclosure(depth), Fraction(1, 3)
        low, high = exact * (1 - UNIT_ROUNDOFF) ** depth, exact * (1 + UNIT_ROUNDOFF) ** depth
        for computed in (low, high):
            assert computed * box.shrink <= exact <= computed / box.shrink
        assert high * (1 - (depth - 1) * UNIT_ROUNDOFF) > exact or depth == 1
        assert low / (1 - (depth - 1) * UNIT_ROUNDOFF) < exact


def test_what_underflow_loses_is_covered_and_counted_per_operation():
    """A product below the normal range may lose 2**-1022; a chain of so many products, each with a lost weight."""
    for depth, size in ((1, 0), (5, 1), (9, 100)):
        box = Enclosure(depth, size)
        lost = sum(SMALLEST_NORMAL * (1 + size) for _ in range(depth))
        assert box.underflow >= 2 * lost
        assert box.below(0.0) == 0
        assert box.above(0.0) >= 2 * lost
    assert Enclosure(5, 1).underflow < Enclosure(6, 1).underflow
    assert Enclosure(5, 1).underflow < Enclosure(5, 2).underflow
