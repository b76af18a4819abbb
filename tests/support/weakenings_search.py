"""Faults of the planner's search, its replay and its ties for the table of :mod:`weakenings`: name, file, old text, new
text, tests that must notice."""

from __future__ import annotations

CORNERS = (
    "tests/planning/test_search_incumbents.py::"
    "test_a_box_that_ends_at_a_corner_has_all_slopes_that_it_needs_and_hardly_more",
)
REPLAYED = ("tests/planning/test_search_incumbents.py::test_no_incumbent_makes_the_replay_false",)
TIES = ("tests/planning/test_plan_edges.py::test_a_level_met_with_equality_is_bounded_where_python_may_not_decide_it",)
REPLAY = "verified_risk/planning/recheck/replay.py"
POLYGON = "verified_risk/kernels/polygon.py"
QUANTILE = "verified_risk/planning/quantile.py"

SEARCH = (
    (
        "replayed siblings share the actions that were ruled out",
        REPLAY,
        "part = box.copy()",
        "part = Box(box.low.copy(), box.high.copy(), box.mask)",
        REPLAYED,
    ),
    (
        "a replayed node is as good as its better child",
        REPLAY,
        "        return min(found)\n",
        "        return max(found)\n",
        REPLAYED,
    ),
    (
        "a replayed box that begins at a convex corner lacks the slope before it",
        REPLAY,
        "first -= 1  # a corner that may be convex",
        "pass  # a corner that may be convex",
        CORNERS,
    ),
    (
        "a replayed box that ends at a convex corner lacks the slope behind it",
        REPLAY,
        "            last += 1\n        all_of_them",
        "            pass\n        all_of_them",
        CORNERS,
    ),
    (
        "a box that begins at a convex corner lacks the slope before it",
        POLYGON,
        "                first -= 1\n",
        "                pass\n",
        CORNERS,
    ),
    (
        "a box that ends at a convex corner lacks the slope behind it",
        POLYGON,
        "                last += 1\n",
        "                pass\n",
        CORNERS,
    ),
    (
        "a level that may be met counts as met",
        QUANTILE,
        "    return _answer(tables, certain, possible)\n",
        "    return _answer(tables, possible, possible)\n",
        TIES,
    ),
    (
        "a level that may be met counts as missed",
        QUANTILE,
        "    return _answer(tables, certain, possible)\n",
        "    return _answer(tables, certain, certain)\n",
        TIES,
    ),
)
