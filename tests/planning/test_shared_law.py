"""The law that a discounted plan shows where its exact law is too long: near the exact one, which short models have."""

from fractions import Fraction
from itertools import pairwise

import plan_models as models

import verified_risk as vr
from verified_risk.planning.affordable_law import POINTS, shared_law
from verified_risk.planning.tails.refine import refined_plan
from verified_risk.policy.cell_policy import CellPolicy


def area_between(a: vr.Law, b: vr.Law) -> Fraction:
    """The integral of the distance of their CDFs."""
    values = sorted({x for law in (a, b) for x, _ in law})
    return sum((abs(a.cdf(x) - b.cdf(x)) * (y - x) for x, y in pairwise(values)), Fraction())


def test_what_lies_between_two_points_is_shared_between_both():
    """A share for each step moves the return by at most a point, up or down, and keeps the mean of what is carried."""
    tried = edges = 0
    for mdp, _, _ in models.small("shared laws", 60):
        low, high = mdp.remaining_range(0)
        if mdp.discount == 1 or low == high:
            continue
        plan = refined_plan(mdp, vr.CVaR("1/3"), (high - low) / 1000, None, None)
        if not isinstance(plan.policy, CellPolicy):
            continue
        shared, exact = shared_law(mdp, plan.policy), vr.return_law(mdp, plan.policy)
        point = (high - low) / POINTS
        assert sum(p for _, p in shared) == 1
        if area_between(shared, exact) > mdp.horizon * point:  # a decision at the edge of a cell may go either way
            edges += 1
            continue
        assert abs(shared.mean - exact.mean) <= point / 1000 + Fraction(1, 10**9)
        tried += 1
    assert tried >= 8
    assert edges <= tried / 4
