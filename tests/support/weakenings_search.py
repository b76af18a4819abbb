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
LINE = "verified_risk/planning/recheck/line.py"
CELLS = "verified_risk/planning/recheck/cells.py"
CELLS_STEP = "verified_risk/planning/recheck/cells_step.py"
CELLS_MEAN = "verified_risk/planning/recheck/cells_mean.py"
WORTH = "verified_risk/planning/recheck/cells_worth.py"
AGAIN = "tests/planning/test_recheck_between.py"
MINIMA = ("tests/planning/test_plan_polygons.py::test_minima_over_boxes_are_those_of_all_corners",)
POLYGON = "verified_risk/kernels/polygon.py"
QUANTILE = "verified_risk/planning/quantile.py"
POLYGONS_AGAIN = "verified_risk/planning/recheck/between.py"
DISCOUNTED = "tests/planning/test_plan_discounted.py"
ATTAINED = "tests/planning/test_plan_attained.py"

RECHECK = "verified_risk/planning/recheck/bounds.py"
RATIONAL = "verified_risk/planning/recheck/rational.py"
SUMS = ("tests/planning/test_recheck_sums.py",)

OFF_JUMP = "verified_risk/planning/search/off_jump.py"
OFF = ("tests/planning/test_off_jump.py",)

SEARCH = (
    (
        "over attainable returns a mixture stays on the jump",
        "verified_risk/planning/search/attained.py",
        "held = off_the_jump(held, other, by_laws(objective, held.law, return_law(model.mdp, other)))",
        "pass",
        OFF,
    ),
    (
        "attainable returns are searched as if they were equally far apart",
        "verified_risk/planning/search/attained.py",
        "return [self.grid.unit * (b - a) / self.width for a, b in pairwise(self.returns)]",
        "return [Fraction(1) for a, b in pairwise(self.returns)]",
        (f"{ATTAINED}::test_bounds_hold_for_every_kind_of_weighting",),
    ),
    (
        "a polygon times a width is rounded to nearest",
        "verified_risk/objectives/polygon.py",
        "np.nextafter(product, -np.inf))",
        "product)",
        (f"{ATTAINED}::test_a_polygon_times_a_width_is_at_most_that",),
    ),
    (
        "replayed over attainable returns, every gap counts as the widest",
        "verified_risk/planning/recheck/attained.py",
        "known[key] = replay.lines[i].times(gap / widest)",
        "known[key] = replay.lines[i]",
        (f"{ATTAINED}::test_whatever_the_record_the_bound_is_valid",),
    ),
    (
        "a record over attainable returns is believed that every policy has passed a jump",
        "verified_risk/planning/recheck/attained.py",
        "if replay.least_cdf(proof.passed) > jump.level or is_passed(found.grid, jump, proof.passed):",
        "if True:",
        (f"{ATTAINED}::test_a_jump_is_passed_only_where_every_policy_has_passed_it",),
    ),
    (
        "polygons computed again forget all next states but one",
        POLYGONS_AGAIN,
        "mixed[here] += self.move_prob",
        "mixed[here] = self.move_prob",
        (f"{DISCOUNTED}::test_the_polygons_computed_again_are_bounds_too",),
    ),
    (
        "polygons computed again correct half of a bend",
        POLYGONS_AGAIN,
        "wrong[here] += p * share",
        "wrong[here] += 0.5 * p * share",
        (f"{DISCOUNTED}::test_the_polygons_computed_again_are_bounds_too",),
    ),
    (
        "polygons computed again read joint outcomes of independent rewards: bounds stay unknown",
        POLYGONS_AGAIN,
        "self.product = self.mdp.is_product",
        "self.product = False",
        (f"{DISCOUNTED}::test_recheck_confirms_default_plans_of_long_models",),
    ),
    (
        "a mixture stays on the jump",
        OFF_JUMP,
        "if lower <= held.lower:",
        "if lower > held.lower:",
        OFF,
    ),
    (
        "a share of the quantile's policy is counted and not played",
        OFF_JUMP,
        "MixturePolicy([(1 - share, held.policy), (share, other)])",
        "held.policy",
        OFF,
    ),
    (
        "a record passes all jumps where the first is passed",
        "verified_risk/planning/recheck/bounds.py",
        "if start is not None and len(jumps) == 1 and start",
        "if start is not None and start",
        ("tests/planning/test_plan_jumps.py::test_a_record_passes_no_jump_of_several",),
    ),
    (
        "a forged bound is not refuted over attainable sums",
        RECHECK,
        "EXACT_ROUTES = (EXACTLY, EXACTLY_ON_SUMS, MEAN_EXACTLY)",
        "EXACT_ROUTES = (EXACTLY, MEAN_EXACTLY)",
        SUMS,
    ),
    (
        "a forged mean is not refuted in rationals",
        RECHECK,
        "EXACT_ROUTES = (EXACTLY, EXACTLY_ON_SUMS, MEAN_EXACTLY)",
        "EXACT_ROUTES = (EXACTLY, EXACTLY_ON_SUMS)",
        SUMS,
    ),
    (
        "a quantile over attainable sums may be one return too large",
        RATIONAL,
        "return returns[max(first - 1, 0)] * grid.unit",
        "return returns[min(first, len(returns) - 1)] * grid.unit",
        SUMS,
    ),
    (
        "every attainable return is tried, whatever the work",
        RECHECK,
        "return cells * cells * terms * mdp.horizon <= SUMS_WORK",
        "return cells * terms * mdp.horizon <= SUMS_WORK",
        SUMS,
    ),
    (
        "a minimum over a box skips where slopes pass the tilt",
        POLYGON,
        "for candidate in range(2 if convex[m] else 1):",
        "for candidate in range(1):",
        MINIMA,
    ),
    (
        "a minimum over a box forgets where runs of slopes meet",
        POLYGON,
        "for candidate in range(2 if convex[m] else 1):",
        "for candidate in range(1, 2 if convex[m] else 1):",
        MINIMA,
    ),
    (
        "replayed between grid points, half of a bend is corrected",
        CELLS_STEP,
        "off += o.prob * o.share",
        "off += 0.5 * o.prob * o.share",
        (f"{AGAIN}::test_bounds_of_any_policy_hold_wherever_the_lines_touch",),
    ),
    (
        "replayed between grid points, a node met from the start belongs to the cell on its right",
        CELLS,
        "met[max(min(o.units, last + 1) - 1, 0)] = True",
        "pass",
        (f"{AGAIN}::test_a_node_that_is_met_from_the_start_belongs_to_the_cell_on_its_left",),
    ),
    (
        "replayed between grid points, laws are said not to move where they are shared",
        CELLS_MEAN,
        "* grid + 2 * off + safe",
        "* grid * 0.1",
        (f"{AGAIN}::test_losses_and_distances_of_one_step_are_those_of_its_laws",),
    ),
    (
        "between grid points a jump is passed from the cell before its return on",
        "verified_risk/planning/search/between_route.py",
        "(start := math.ceil((surely - oracle.model.offset) / eta))",
        "(start := math.floor((surely - oracle.model.offset) / eta))",
        ("tests/planning/test_off_jump.py",),
    ),
    (
        "a grid that would need too much memory is said to need too much time",
        "verified_risk/planning/tails/refine.py",
        'return None, "time" if fits else "memory"',
        'return None, "time"',
        ("tests/planning/test_why_it_stopped.py",),
    ),
    (
        "a record between grid points is believed that every policy has passed a jump",
        WORTH,
        "    if surely:\n",
        "    if True:\n",
        (f"{AGAIN}::test_a_jump_is_passed_only_where_every_policy_has_passed_it",),
    ),
    (
        "a policy whose first cell has two actions is judged by one of them",
        WORTH,
        "if rho < tables.top or any(table.shape[1] > rho for table in policy.tables):",
        "if rho < tables.top:",
        (f"{AGAIN}::test_a_policy_whose_cells_have_two_actions_is_not_judged",),
    ),
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
        LINE,
        "first -= 1  # a corner that may be convex",
        "pass  # a corner that may be convex",
        CORNERS,
    ),
    (
        "a replayed box that ends at a convex corner lacks the slope behind it",
        LINE,
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
