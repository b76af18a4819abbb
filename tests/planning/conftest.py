"""Plans of the tests with random models are proved by the verified checker when their module ends."""

import pytest

from verified_risk import errors
from verified_risk.planning import Plan, api
from verified_risk.proving.run_checker import find_checker

CHECKED = {
    "test_default_grids", "test_plan_attained", "test_plan_discounted", "test_plan_edges", "test_plan_general",
    "test_plan_jumps", "test_plan_tails", "test_several_levels",
}  # fmt: skip
ONE_PASS, SEARCHED = 40, 4
"""The most plans of a module that are proved."""
SECONDS = 2.0
"""For a proof; what is not proved by then is not covered."""


@pytest.fixture(autouse=True, scope="module")
def _plans_are_proved(request):
    """Keep plans as `vr.plan` returns them, spread over the module; none may be refused."""
    if request.module.__name__ not in CHECKED:
        yield
        return
    kept: dict[bool, list[Plan]] = {True: [], False: []}
    honest, counts = api.solve, {True: 0, False: 0}

    def solve(problem):
        found = honest(problem)
        searched = found.objective.levels is None and found.objective.quantile is None
        counts[searched] += 1
        if counts[searched].bit_count() <= 2:  # 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, ...: many at first, some to the end
            kept[searched].append(found)
        return found

    api.solve = solve
    try:
        yield
    finally:
        api.solve = honest
    try:
        find_checker()
    except errors.MissingDependency:
        return
    plans, answered = [*kept[False][-ONE_PASS:], *kept[True][-SEARCHED:]], 0
    for plan in plans:
        try:
            plan.prove(time_limit=SECONDS)
            answered += 1
        except errors.Unsupported as error:
            answered += "time limit" in str(error)  # on a busy machine
    # a few selected tests may have none that is covered
    assert answered or len(plans) < 10, "no plan of this module is covered by the checker"
