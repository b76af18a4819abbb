"""Every constant of an error bound against a count of another kind, at its boundary on both sides."""

from __future__ import annotations

from fractions import Fraction

import counted
import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import Unsupported
from verified_risk.grid import compiled
from verified_risk.kernels import limb_pass as kernels
from verified_risk.planning.exact import limb_tables
from verified_risk.planning.float_error import SMALLEST_NORMAL, UNIT_ROUNDOFF, Enclosure, gamma


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


# -- limbs ------------------------------------------------------------------------------------------------------------


def test_the_largest_weights_keep_a_sum_of_limbs_below_two_to_the_sixty_three():
    """In Python's integers: D weights of full limbs, the carry of the limb before, and one more limb."""
    full = 2**limb_tables.BITS - 1
    assert limb_tables.BITS == kernels.BITS

    def largest(total: int) -> int:
        carry = 0
        for _ in range(50):  # the carry settles after a few limbs
            carry = (total * full + carry + full) >> limb_tables.BITS
        return total * full + carry + full

    assert largest(limb_tables.LARGEST_SUM) < 2**63
    assert largest(2 * limb_tables.LARGEST_SUM) < 2**64
    assert largest(2 * limb_tables.LARGEST_SUM + 2) >= 2**63


def two_outcomes(denominator: int) -> vr.MDP:
    p = Fraction(1, denominator)
    return vr.MDP(initial=0, transitions=[[[1]]], rewards=[[{0: p, 1: 1 - p}]], horizon=2)


@pytest.mark.parametrize(("denominator", "fits"), [(2**32, True), (2**32 + 1, False)])
def test_weights_are_refused_above_the_largest_sum_and_right_at_it(denominator, fits):
    mdp = two_outcomes(denominator)
    model = compiled(mdp).limbs()
    if not fits:
        with pytest.raises(limb_tables.Overflow, match=r"2\*\*32"):
            limb_tables.require_no_overflow(model, 1, 1)
    else:
        limb_tables.require_no_overflow(model, 1, 1)
        best = vr.exact_plan(mdp, "cvar(1/2)")
        q = Fraction(1, denominator)
        low = {0: q * q, 1: 2 * q * (1 - q)}
        assert best.value == (low[1] + 2 * (Fraction(1, 2) - low[0] - low[1])) * 2


def test_values_are_refused_one_above_what_the_limbs_hold():
    for count in (1, 2, 5):
        limb_tables.require_fit(2 ** (30 * count) - 1, count)
        with pytest.raises(limb_tables.Overflow, match=f"{count} limbs"):
            limb_tables.require_fit(2 ** (30 * count), count)
        assert limb_tables._limbs_for(2 ** (30 * count) - 1) >= count
        assert limb_tables._limbs_for(2 ** (30 * count)) > count


def test_a_table_of_limbs_is_read_back():
    values = [0, 1, 2**30 - 1, 2**30, 2**61 + 12345, 2**89 - 1]
    table = limb_tables._table_of_limbs(values, 3)
    assert table.max() < 2**30
    assert limb_tables._integers(table) == values
    assert table.dtype == np.int64
