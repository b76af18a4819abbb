"""More faults of the planner and of its weightings for the table of :mod:`weakenings`: name, file, old text, new text,
tests that must notice."""

from __future__ import annotations

TESTS_SHOWN = "tests/model/test_shown.py"
TESTS_LINES_AND_TURNS = "tests/objectives/test_lines_and_turns.py"
TESTS_ERROR_TERMS = "tests/planning/test_error_terms.py"
TESTS_EXACT_PLAN = "tests/planning/test_exact_plan.py"
TESTS_FORGED_BOUNDS = "tests/planning/test_forged_bounds.py"
TESTS_MEMORY = "tests/planning/test_memory.py"
TESTS_PLAN_ATTAINED = "tests/planning/test_plan_attained.py"
TESTS_PLAN_BETWEEN = "tests/planning/test_plan_between.py"
TESTS_PLAN_DISCOUNTED = "tests/planning/test_plan_discounted.py"
TESTS_PLAN_EDGES = "tests/planning/test_plan_edges.py"
TESTS_PLAN_GENERAL = "tests/planning/test_plan_general.py"
TESTS_PLAN_JUMPS = "tests/planning/test_plan_jumps.py"
TESTS_PLAN_SAFEGUARDS = "tests/planning/test_plan_safeguards.py"
TESTS_PLAN_TAILS = "tests/planning/test_plan_tails.py"
TESTS_RECHECK_TERMS = "tests/planning/test_recheck_terms.py"
KERNELS_POLYGON = "verified_risk/kernels/polygon.py"
OBJECTIVES_CPW = "verified_risk/objectives/cpw.py"
OBJECTIVES_LINES = "verified_risk/objectives/lines.py"
OBJECTIVES_POLYGON = "verified_risk/objectives/polygon.py"
EXACT_ROUTE = "verified_risk/planning/exact/route.py"
GRIDS = "verified_risk/planning/grids.py"
PLAN = "verified_risk/planning/plan.py"
QUANTILE = "verified_risk/planning/quantile.py"
RECHECK_ATTAINED = "verified_risk/planning/recheck/attained.py"
RECHECK_BETWEEN = "verified_risk/planning/recheck/between.py"
RECHECK_BOUNDS = "verified_risk/planning/recheck/bounds.py"
RECHECK_CELLS_MEAN = "verified_risk/planning/recheck/cells_mean.py"
RECHECK_CELLS_WORTH = "verified_risk/planning/recheck/cells_worth.py"
RECHECK_REPLAY = "verified_risk/planning/recheck/replay.py"
SEARCH_BETWEEN_ROUTE = "verified_risk/planning/search/between_route.py"
SEARCH_BOXES = "verified_risk/planning/search/boxes.py"
SEARCH_BRANCHING = "verified_risk/planning/search/branching.py"
SEARCH_CDF = "verified_risk/planning/search/cdf.py"
SEARCH_REFERENCE = "verified_risk/planning/search/reference.py"
SEARCH_ROUTE = "verified_risk/planning/search/route.py"
SHORT = "verified_risk/planning/short.py"
TAILS_BUDGET = "verified_risk/planning/tails/budget.py"
TAILS_FRONTIER = "verified_risk/planning/tails/frontier.py"
TAILS_INTERPOLATED = "verified_risk/planning/tails/interpolated.py"
TAILS_REFINE = "verified_risk/planning/tails/refine.py"

BOUNDS = (
    (
        "a jump is passed one cell before the best quantile",
        RECHECK_CELLS_WORTH,
        "<= tables.offset + start * proof.eta",
        "<= tables.offset + (start + 1) * proof.eta",
        (f"{TESTS_RECHECK_TERMS}::test_a_jump_within_a_cell_is_passed_from_the_next_cell_on",),
    ),
    (
        "states at the start are not counted",
        TAILS_BUDGET,
        "Enclosure(m.depth + len(m.initial_state) + 2, size",
        "Enclosure(m.depth, size",
        (f"{TESTS_ERROR_TERMS}::test_every_state_at_the_start_is_a_sum_and_a_product_more",),
    ),
    (
        "a cut on a steep piece has no room for rounding",
        KERNELS_POLYGON,
        "limit = least[i] + room + 2.0 * SLACK * (1.0 + abs(slope) + abs(room))",
        "limit = least[i] + room",
        (f"{TESTS_ERROR_TERMS}::test_ends_are_cut_no_further_than_the_room_allows",),
    ),
    (
        "a probe has no room for rounding",
        SEARCH_BRANCHING,
        "edge -= 1e-12 * (1 + abs(edge)) + 2.0**-50 *",
        "edge -= 0.0 *",
        (f"{TESTS_ERROR_TERMS}::test_a_probe_moves_an_end_no_further_than_it_proves",),
    ),
    (
        "between grid points, a jump is passed in the cell of the best quantile",
        SEARCH_BETWEEN_ROUTE,
        "(start := math.ceil((surely - oracle.model.offset) / eta))",
        "(start := math.floor((surely - oracle.model.offset) / eta))",
        (f"{TESTS_PLAN_JUMPS}::test_between_grid_points_a_jump_is_passed_from_the_next_whole_cell_on",),
    ),
    (
        "limbs decide where rounding up has merged rewards of one step",
        QUANTILE,
        "    if not model.exact and mdp.discount != 1:\n        return None\n",
        "",
        (f"{TESTS_PLAN_EDGES}::test_limbs_decide_nothing_where_a_discount_and_rounding_up_merge_rewards",),
    ),
    (
        "an exact optimum need not be attained by its policy",
        EXACT_ROUTE,
        "    if attained != value:",
        "    if False:",
        (f"{TESTS_PLAN_SAFEGUARDS}::test_an_exact_optimum_that_its_policy_does_not_attain_is_an_error",),
    ),
    (
        "a large bound is made short by rounding to nearest",
        SHORT,
        "return Fraction(math.floor(x * 2**64), 2**64)",
        "return Fraction(round(x * 2**64), 2**64)",
        (f"{TESTS_PLAN_SAFEGUARDS}::test_a_bound_that_prints_on_one_line_is_on_its_own_side_of_the_long_one",),
    ),
    (
        "the curve of all levels forgets that rewards were rounded up",
        TAILS_FRONTIER,
        "model.unit * (shift + bounds.lower) - model.loss, model.unit",
        "model.unit * (shift + bounds.lower), model.unit",
        (f"{TESTS_PLAN_TAILS}::test_the_frontier_of_rewards_that_were_rounded_up_contains_the_optimum",),
    ),
    (
        "a point of a front is exact though its law is not",
        TAILS_FRONTIER,
        "return self.plan.law_error == 0",
        "return self.plan.law_error < 1",
        (f"{TESTS_PLAN_TAILS}::test_a_point_of_a_front_is_exact_only_if_its_law_is",),
    ),
    (
        "progress forgets that rewards were rounded up",
        SEARCH_ROUTE,
        "model.remaining[0] - cost) - model.loss\n            self._known",
        "model.remaining[0] - cost)\n            self._known",
        (
            f"{TESTS_PLAN_GENERAL}::test_progress_of_a_search_on_a_coarse_grid_says_no_more_than_the_best_policy_is_worth",
        ),
    ),
    (
        "a short look at a plan calls a small gap none",
        PLAN,
        "bounds = number(self.value) if self.gap == 0 else",
        "bounds = number(self.value) if self.gap < 1e-12 else",
        (f"{TESTS_SHOWN}::test_exactly_is_said_only_at_gap_zero",),
    ),
    (
        "a gap is met by bounds of different grids",
        TAILS_REFINE,
        "if min(r.upper - r.lower for r in rounds) <= gap:",
        "if upper - lower <= gap:",
        (f"{TESTS_PLAN_DISCOUNTED}::test_a_gap_is_said_to_be_met_only_by_the_bounds_of_the_plan",),
    ),
    (
        "the upper end of an enclosure is rounded to nearest",
        OBJECTIVES_POLYGON,
        "return Fraction(float_below(low)), -Fraction(float_below(-high))",
        "return Fraction(float_below(low)), Fraction(float(high))",
        (f"{TESTS_LINES_AND_TURNS}::test_enclosures_and_sums_are_rounded_outward",),
    ),
    (
        "lines below a convex weighting have no rounding",
        OBJECTIVES_POLYGON,
        " - 2.0**-45 * float(largest)))",
        "))",
        (f"{TESTS_LINES_AND_TURNS}::test_every_line_below_a_polygon_is_below_all_of_its_corners",),
    ),
    (
        "the largest of some lines has no rounding",
        OBJECTIVES_POLYGON,
        "return slope * x + height - 2.0**-50 * (1.0 + abs(slope) + abs(height))",
        "return slope * x + height",
        (f"{TESTS_LINES_AND_TURNS}::test_the_polygon_of_some_lines_is_below_the_largest_of_them",),
    ),
    (
        "a ramp begins before its level",
        OBJECTIVES_POLYGON,
        "start = -Fraction(float_below(-alpha))",
        "start = Fraction(float(alpha))",
        (f"{TESTS_LINES_AND_TURNS}::test_a_ramp_begins_at_its_level_or_behind_it",),
    ),
    (
        "a line above a concave weighting is not raised on its left",
        OBJECTIVES_LINES,
        "    if a < p:\n",
        "    if False:\n",
        (f"{TESTS_LINES_AND_TURNS}::test_a_line_is_above_a_concave_weighting_however_vaguely_that_is_known",),
    ),
    (
        "a line that falls is not raised to its end",
        OBJECTIVES_LINES,
        "heights = [q_high - min(slope * p, slope * q)]",
        "heights = [q_high - slope * p]",
        (f"{TESTS_LINES_AND_TURNS}::test_a_line_is_above_a_concave_weighting_however_vaguely_that_is_known",),
    ),
    (
        "a line above a concave weighting is not raised on its right",
        OBJECTIVES_LINES,
        "max(Fraction(), steep - slope) * (b - q)",
        "0 * (b - q)",
        (f"{TESTS_LINES_AND_TURNS}::test_a_line_is_above_a_concave_weighting_however_vaguely_that_is_known",),
    ),
    (
        "a power near 0 is at least half of the largest",
        OBJECTIVES_CPW,
        "return (top / 2).union(0 * top).union(top)",
        "return (top / 2).union(top)",
        (f"{TESTS_LINES_AND_TURNS}::test_a_power_of_a_ball_at_zero_holds_all_powers",),
    ),
    (
        "a sign is proved where it may hold",
        OBJECTIVES_CPW,
        "image.lower() > 0",
        "image.upper() > 0",
        (f"{TESTS_LINES_AND_TURNS}::test_a_sign_is_proved_only_where_it_holds_everywhere",),
    ),
    (
        "shared laws of a search are said to move half as far",
        SEARCH_REFERENCE,
        ".sum(axis=1) * grid + 2 * off + SAFE * width",
        ".sum(axis=1) * grid + off + SAFE * width",
        (f"{TESTS_PLAN_BETWEEN}::test_laws_that_alternate_between_points_are_apart_though_their_shares_agree",),
    ),
    (
        "shared laws of a replay are said to move half as far",
        RECHECK_CELLS_MEAN,
        "* grid + 2 * off + safe",
        "* grid + off + safe",
        (f"{TESTS_PLAN_BETWEEN}::test_laws_that_alternate_between_points_are_apart_though_their_shares_agree",),
    ),
    (
        "several levels are searched until a billionth is left",
        SEARCH_BOXES,
        "if -minus_bound <= self.best[0]:",
        "if -minus_bound <= self.best[0] * (1 + Fraction(1, 10**9)):",
        (f"{TESTS_EXACT_PLAN}::test_several_levels_are_searched_until_nothing_is_better_by_any_amount",),
    ),
    (
        "the tables of a search count half",
        GRIDS,
        "return n_states * (48 * pairs +",
        "return n_states * (24 * pairs +",
        (f"{TESTS_MEMORY}::test_the_estimate_of_a_refusal_is_close_to_the_peak",),
    ),
    (
        "an upper bound is compared as a float",
        RECHECK_BOUNDS,
        "elif upper is None or upper > plan.upper:",
        "elif upper is None or float(upper) > float(plan.upper):",
        (f"{TESTS_FORGED_BOUNDS}::test_bounds_are_compared_as_rationals",),
    ),
    (
        "a lower bound is compared as a float",
        RECHECK_BOUNDS,
        "elif worth.least is not None and worth.least >= plan.lower:",
        "elif worth.least is not None and float(worth.least) >= float(plan.lower):",
        (f"{TESTS_FORGED_BOUNDS}::test_bounds_are_compared_as_rationals",),
    ),
    (
        "a bound replayed over attainable returns is rounded down",
        RECHECK_ATTAINED,
        "at_least(most - widest * Fraction(max(bound, 0.0)))",
        "-at_least(widest * Fraction(max(bound, 0.0)) - most)",
        (f"{TESTS_PLAN_ATTAINED}::test_what_a_replay_says_in_the_users_units_is_rounded_up",),
    ),
    (
        "values that differ by rounding rule an action out",
        SEARCH_CDF,
        "margin = (2 * o.gamma * magnitude + 2 * o.table_gamma * float(spread.sum())) * (1 + 1e-9) + 2.0**-50 * (",
        "margin = 0.0 * (",
        (f"{TESTS_ERROR_TERMS}::test_the_contractor_keeps_actions_that_differ_by_rounding_alone",),
    ),
    (
        "the ranges of a contraction have no rounding",
        SEARCH_CDF,
        "wide = 2 * o.table_gamma + 1e-290",
        "wide = 0.0",
        (f"{TESTS_ERROR_TERMS}::test_ranges_of_a_contraction_hold_the_only_cdf_that_there_is",),
    ),
    (
        "the ranges of a replayed contraction have no rounding",
        RECHECK_REPLAY,
        "wide = 2 * self.gamma_table\n",
        "wide = 0.0\n",
        (f"{TESTS_ERROR_TERMS}::test_ranges_of_a_contraction_hold_the_only_cdf_that_there_is",),
    ),
    (
        "nodes that are best up to rounding are not compared",
        TAILS_INTERPOLATED,
        "margin = 1e-12 * (float(np.abs(scores).max()) +",
        "margin = 0.0 * (float(np.abs(scores).max()) +",
        (f"{TESTS_ERROR_TERMS}::test_the_best_node_of_a_table_is_best_in_rationals",),
    ),
    (
        "nodes that are best up to rounding are not compared again",
        RECHECK_BETWEEN,
        "margin = 1e-12 * (1 + np.abs(scores).max())",
        "margin = 0.0",
        (f"{TESTS_ERROR_TERMS}::test_the_best_node_of_a_table_is_best_in_rationals",),
    ),
)
