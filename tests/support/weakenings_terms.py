"""Faults that leave out a term of an error bound, or a condition under which a bound holds, for the table of
:mod:`weakenings`: name, file, old text, new text, tests that must notice."""

from __future__ import annotations

TESTS_ERROR_TERMS = "tests/planning/test_error_terms.py"
TESTS_PLAN_ATTAINED = "tests/planning/test_plan_attained.py"
TESTS_RECHECK_TERMS = "tests/planning/test_recheck_terms.py"
KERNELS_BETWEEN = "verified_risk/kernels/between.py"
POLICY_LAW = "verified_risk/planning/policy_law.py"
RECHECK_ATTAINED = "verified_risk/planning/recheck/attained.py"
RECHECK_BETWEEN = "verified_risk/planning/recheck/between.py"
RECHECK_BOUNDS = "verified_risk/planning/recheck/bounds.py"
RECHECK_CELLS = "verified_risk/planning/recheck/cells.py"
RECHECK_CELLS_WORTH = "verified_risk/planning/recheck/cells_worth.py"
RECHECK_REPLAY = "verified_risk/planning/recheck/replay.py"
RECHECK_WIDE = "verified_risk/planning/recheck/wide.py"
SEARCH_ATTAINED = "verified_risk/planning/search/attained.py"
SEARCH_CDF = "verified_risk/planning/search/cdf.py"
SEARCH_OFF_JUMP = "verified_risk/planning/search/off_jump.py"
SEARCH_RELAXATION = "verified_risk/planning/search/relaxation.py"
SEARCH_ROUTE = "verified_risk/planning/search/route.py"
TAILS_BUDGET = "verified_risk/planning/tails/budget.py"
TAILS_INTERPOLATED = "verified_risk/planning/tails/interpolated.py"
TAILS_REFINE = "verified_risk/planning/tails/refine.py"
TAILS_ROUTE = "verified_risk/planning/tails/route.py"

TERMS = (
    (
        "over attainable returns, a policy is worth the upper end of its enclosure",
        SEARCH_ATTAINED,
        "return Held(bounds(objective.of(law))[0], policy, law)",
        "return Held(bounds(objective.of(law))[1], policy, law)",
        (f"{TESTS_ERROR_TERMS}::test_the_same_over_attainable_returns",),
    ),
    (
        "off the jump, a mixture is worth the upper end of its enclosure",
        SEARCH_OFF_JUMP,
        "return bounds(objective.of(mixed))[0], mixed",
        "return bounds(objective.of(mixed))[1], mixed",
        (f"{TESTS_ERROR_TERMS}::test_what_a_policy_is_worth_at_least_is_the_lower_end_of_its_enclosure",),
    ),
    (
        "a policy is worth the upper end of its enclosure",
        POLICY_LAW,
        "return bounds(objective.of(law))[0], law",
        "return bounds(objective.of(law))[1], law",
        (f"{TESTS_ERROR_TERMS}::test_what_a_policy_is_worth_at_least_is_the_lower_end_of_its_enclosure",),
    ),
    (
        "attainable returns are searched whatever their tables need",
        SEARCH_ATTAINED,
        "    few = few and mdp.horizon * len(cells) * len(returns) <= MOST_ENTRIES\n",
        "",
        (f"{TESTS_PLAN_ATTAINED}::test_tables_that_would_be_too_large_are_left_to_other_routes",),
    ),
    (
        "a search over attainable returns for a gap of 0 never ends",
        SEARCH_ATTAINED,
        "    if gap is not None and gap < wanted and seconds is None:\n",
        "    if False:\n",
        (f"{TESTS_PLAN_ATTAINED}::test_a_gap_that_floats_cannot_certify_gets_a_time_limit",),
    ),
    (
        "over attainable returns, a record passes all jumps where the first is passed",
        RECHECK_ATTAINED,
        "len(objective.jumps) == 1 and proof.passed < replay.outcomes.top:\n        (jump,) = objective.jumps",
        "objective.jumps and proof.passed < replay.outcomes.top:\n        jump = objective.jumps[0]",
        (f"{TESTS_PLAN_ATTAINED}::test_a_record_passes_no_jump_of_several",),
    ),
    (
        "attainable returns are listed again, however many",
        RECHECK_ATTAINED,
        "        if len(after) > MOST_CELLS:\n",
        "        if False:\n",
        (f"{TESTS_PLAN_ATTAINED}::test_returns_are_listed_again_up_to_a_limit",),
    ),
    (
        "the variance of a window has no room for rounding",
        TAILS_BUDGET,
        "slack = 20.0 * (m.horizon + 1)",
        "slack = 0.0 * (m.horizon + 1)",
        (f"{TESTS_ERROR_TERMS}::test_the_variance_of_a_window_has_room_for_the_error_of_a_square",),
    ),
    (
        "replayed terminal sums are exact",
        RECHECK_REPLAY,
        "gamma(self.top + self.horizon * (terms + 2) + start)",
        "gamma(self.horizon * (terms + 2) + start)",
        (f"{TESTS_ERROR_TERMS}::test_terminal_sums_of_a_replay_may_drift",),
    ),
    (
        "terminal sums of a search are exact",
        SEARCH_CDF,
        "self.depth = self.top + horizon * (terms + 4)",
        "self.depth = horizon * (terms + 4)",
        (f"{TESTS_ERROR_TERMS}::test_terminal_sums_of_a_search_may_drift",),
    ),
    (
        "replayed terminal sums between grid points are exact",
        RECHECK_CELLS,
        "after = [after[0] - 4 * (self.top + 2) * U * size] * self.n_states",
        "after = [after[0]] * self.n_states",
        (f"{TESTS_ERROR_TERMS}::test_terminal_sums_between_grid_points_may_drift",),
    ),
    (
        "terminal sums between grid points are exact",
        KERNELS_BETWEEN,
        "shift = 4.0 * (cost.shape[0] + 2) * ROUNDOFF * slope",
        "shift = 0.0",
        (f"{TESTS_ERROR_TERMS}::test_terminal_sums_between_grid_points_may_drift",),
    ),
    (
        "the parts of a dual bound are added exactly",
        SEARCH_RELAXATION,
        "bound = value + total - slack\n",
        "bound = value + total\n",
        (f"{TESTS_ERROR_TERMS}::test_a_dual_bound_is_at_most_the_exact_sum_of_its_parts",),
    ),
    (
        "a float law has no error",
        SEARCH_ROUTE,
        "error = 1 + oracle.law_gamma",
        "error = 1",
        (f"{TESTS_ERROR_TERMS}::test_a_raised_cdf_is_at_least_the_exact_one",),
    ),
    (
        "budgets that are best up to rounding are not compared",
        TAILS_ROUTE,
        "margin = (1e-9 + 2 * float(gamma(enclosure.depth))) * largest",
        "margin = 0.0",
        (f"{TESTS_ERROR_TERMS}::test_the_upper_bound_of_a_pass_is_the_largest_over_all_budgets",),
    ),
    (
        "what a budget below nothing is worth has no rounding",
        TAILS_INTERPOLATED,
        "float_below(kappa * shrink * (1 - spare)) - lost",
        "float_below(kappa) - lost",
        (f"{TESTS_ERROR_TERMS}::test_what_a_budget_below_nothing_is_worth_is_bounded_from_both_sides",),
    ),
    (
        "a step between nodes rounds as often for many outcomes as for one",
        TAILS_INTERPOLATED,
        "return (4 * model.terms + 64) * ROUNDOFF",
        "return 64 * ROUNDOFF",
        (f"{TESTS_ERROR_TERMS}::test_roundings_of_a_mean_and_of_a_step_between_nodes_are_counted_by_their_terms",),
    ),
    (
        "a mean to go rounds as often for many outcomes as for one",
        TAILS_INTERPOLATED,
        "depth = model.horizon * (int(np.diff(model.succ_start).max()) + 5)",
        "depth = model.horizon * 5",
        (f"{TESTS_ERROR_TERMS}::test_roundings_of_a_mean_and_of_a_step_between_nodes_are_counted_by_their_terms",),
    ),
    (
        "the lower bound of a mean is what floats say",
        TAILS_REFINE,
        "sum((p * mean.enclosure.above(x) for p, x in computed)",
        "sum((p * Fraction(x) for p, x in computed)",
        (f"{TESTS_ERROR_TERMS}::test_the_best_mean_is_enclosed_where_no_exact_law_is_at_hand",),
    ),
    (
        "a CDF value that is to be raised becomes the nearest float",
        SEARCH_ROUTE,
        "return min(Fraction(1), Fraction(float_above(x)))",
        "return min(Fraction(1), Fraction(float(x)))",
        (f"{TESTS_ERROR_TERMS}::test_a_float_for_a_fraction_is_at_least_that",),
    ),
    (
        "replayed minima over boxes have no rounding",
        RECHECK_REPLAY,
        "least[i] = values.min() - 16 * U * (1 + abs(c))",
        "least[i] = values.min()",
        (f"{TESTS_RECHECK_TERMS}::test_minima_over_the_boxes_of_a_replay_are_at_most_the_exact_ones",),
    ),
    (
        "a replayed cut on a steep piece is not moved outward",
        RECHECK_REPLAY,
        "edge = t[last + 1] - share * (t[last + 1] - t[last]) + 16 * U",
        "edge = t[last + 1] - share * (t[last + 1] - t[last])",
        (f"{TESTS_RECHECK_TERMS}::test_a_replay_cuts_nothing_that_the_room_allows",),
    ),
    (
        "a replayed probe is rounded to nearest",
        RECHECK_REPLAY,
        "low[i] = max(low[i], edge - 4 * U * abs(edge))",
        "low[i] = max(low[i], edge)",
        (f"{TESTS_RECHECK_TERMS}::test_a_probe_of_a_replay_moves_an_end_no_further_than_it_proves",),
    ),
    (
        "replayed values that differ by rounding rule an action out",
        RECHECK_REPLAY,
        "margin = 2 * self.gamma_value * magnitude + 2 * self.gamma_table * spread + 2.0**-49 * (magnitude + spread)",
        "margin = 0.0",
        (f"{TESTS_RECHECK_TERMS}::test_a_replay_keeps_actions_that_differ_by_rounding_alone",),
    ),
    (
        "an extended number that underflows is believed",
        RECHECK_WIDE,
        "exactly(x) * (1 - depth * ROUNDOFF) - UNDERFLOW)",
        "exactly(x) * (1 - depth * ROUNDOFF))",
        (f"{TESTS_RECHECK_TERMS}::test_a_number_that_underflows_has_no_correct_digit",),
    ),
    (
        "sums of many masses in one cell are not counted",
        RECHECK_WIDE,
        "depth += incoming + most + 4 * PER_FACTOR",
        "depth += most + 4 * PER_FACTOR",
        (f"{TESTS_RECHECK_TERMS}::test_the_law_of_a_policy_is_off_by_all_that_is_added_in_one_cell",),
    ),
    (
        "rounding up a density adds nothing",
        RECHECK_WIDE,
        "max(units) - least, max(loss, raised))",
        "max(units) - least, loss)",
        (f"{TESTS_RECHECK_TERMS}::test_what_rounding_up_a_density_adds_is_subtracted",),
    ),
    (
        "parts of a policy on different grids are followed on one",
        RECHECK_BOUNDS,
        " or any(part.eta != parts[0][1].eta for _, part in parts):",
        ":",
        (f"{TESTS_RECHECK_TERMS}::test_parts_on_different_grids_are_not_followed_on_one",),
    ),
    (
        "a level met with equality is decided by rounding",
        RECHECK_BOUNDS,
        "if jump.reached_by(below(table[rho], depth)))",
        "if jump.reached_by(above(table[rho], depth)))",
        (f"{TESTS_RECHECK_TERMS}::test_a_level_met_with_equality_is_not_lost_to_rounding",),
    ),
    (
        "polygons are computed again for a policy above the least reward",
        RECHECK_BETWEEN,
        "self.usable = policy.least <= least",
        "self.usable = True",
        (f"{TESTS_RECHECK_TERMS}::test_a_policy_above_the_least_reward_is_not_judged_by_polygons",),
    ),
    (
        "budgets below nothing, computed again, have no rounding",
        RECHECK_BETWEEN,
        "new[:, 0] = self.kappa * mean + (-slack if lower else slack)",
        "new[:, 0] = self.kappa * mean",
        (f"{TESTS_RECHECK_TERMS}::test_budgets_below_nothing_are_bounded_from_both_sides_again",),
    ),
    (
        "a stated law may be off by twice its error",
        RECHECK_BOUNDS,
        "kolmogorov(law) <= plan.known_error",
        "kolmogorov(law) <= 2 * plan.known_error",
        (f"{TESTS_RECHECK_TERMS}::test_a_law_with_an_error_is_compared_up_to_that_error",),
    ),
    (
        "a stated CDF may be as small as it likes",
        RECHECK_BOUNDS,
        "all(a - error <= x <= b + error",
        "all(x <= b + error",
        (f"{TESTS_RECHECK_TERMS}::test_a_law_with_an_error_is_compared_up_to_that_error",),
    ),
    (
        "a jump within a cell is passed at its beginning",
        RECHECK_CELLS_WORTH,
        "replay.least_cdf(start - 1) > jump.level",
        "replay.least_cdf(start) > jump.level",
        (f"{TESTS_RECHECK_TERMS}::test_a_jump_within_a_cell_is_passed_from_the_next_cell_on",),
    ),
    (
        "cells are read from another least reward than the model's",
        RECHECK_CELLS_WORTH,
        " and part.least == part.mdp.reward_range[0] for",
        " for",
        (f"{TESTS_RECHECK_TERMS}::test_cells_are_those_of_one_grid_from_the_least_reward_on",),
    ),
    (
        "running sums of masses are taken for exact",
        RECHECK_BOUNDS,
        "        depth += len(masses) + 2\n",
        "",
        (f"{TESTS_RECHECK_TERMS}::test_sums_of_many_masses_are_enclosed_by_what_is_called_their_cdf",),
    ),
)
