"""Faults of reading and playing models for the table of :mod:`weakenings`: name, file, old text, new text, tests that
must notice."""

from __future__ import annotations

ARRAYS = "tests/interop/test_interop_arrays.py"

POLICY_TABLES = "tests/model/test_policy_tables.py::"
MOVED = ("tests/model/test_evaluation.py::test_a_policy_of_another_model_is_refused_unless_moved_on_purpose",)
CLOCK = (
    "tests/interop/test_interop_steps.py::test_the_number_of_states_at_each_step_fits_the_file_and_tells_models_apart",
)
POLICY, INTEROP, NUMBERS = "verified_risk/policy/", "verified_risk/interop/", "verified_risk/numbers/"

MODELS = (
    (
        "a wrapper that begins elsewhere is read through",
        "verified_risk/interop/gymnasium.py",
        'own & {"step", "reset"}:',
        'own & {"step"}:',
        ("tests/interop/test_interop_gymnasium.py::test_a_wrapper_that_changes_what_is_played_is_refused",),
    ),
    (
        "rows of float64 may miss 1 by units of float32",
        "verified_risk/interop/matrices.py",
        'return 24 if getattr(matrix, "dtype", None) == np.float32 else 53',
        "return 24",
        (f"{ARRAYS}::test_rows_normalised_in_float32_may_miss_one_by_its_units_and_float16_may_not",),
    ),
    (
        "a pair that is listed twice overwrites the first",
        "verified_risk/interop/pairs.py",
        "twice = np.flatnonzero(np.diff(place[order]) == 0)",
        "twice = np.flatnonzero(np.diff(place[order]) < 0)",
        (f"{ARRAYS}::test_pairs_that_do_not_fit_are_refused",),
    ),
    (
        "rewards by row are read by state, whatever the layout",
        "verified_risk/interop/array_rewards.py",
        "array = array.reshape(self.count, self.n).T if self.ass else array.reshape(self.n, self.count)",
        "array = array.reshape(self.n, self.count)",
        (f"{ARRAYS}::test_rewards_by_row_of_one_matrix_and_marked_states",),
    ),
    (
        "a bound beside a short number is told without its distance",
        "verified_risk/numbers/shown.py",
        'f"{short} + {above(high)}" if high else short',
        "short",
        (
            "tests/model/test_shown.py::"
            "test_close_bounds_are_told_by_their_distance_from_a_short_number_and_stay_outward",
        ),
    ),
    (
        "the clock of a discounted plan runs while the compiler does",
        "verified_risk/planning/tails/refine.py",
        "    if work * STEP > PATIENCE / 2:\n",
        "    if work * STEP > PATIENCE * 1e9:\n",
        ("tests/planning/test_first_call.py::test_a_grid_for_a_discount_is_not_chosen_by_how_long_the_compiler_took",),
    ),
    (
        "the first line of a CSV is read from a device",
        "verified_risk/files.py",
        "if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):",
        "if most < 0 and stat.S_ISCHR(os.fstat(file.fileno()).st_mode):",
        ("tests/model/test_hostile_files.py::test_a_device_that_never_ends_is_not_read",),
    ),
    (
        "what is said about a file may be as long as the file",
        "verified_risk/cli/failures.py",
        "line if len(line) <= LONGEST_LINE else",
        "line if line else",
        ("tests/model/test_hostile_files.py::test_what_is_said_about_a_file_is_short",),
    ),
    (
        "a cell may hold a list",
        "verified_risk/experiments/cells.py",
        "isinstance(value, (list, dict))",
        "isinstance(value, dict)",
        ("tests/model/test_hostile_files.py::test_a_cell_that_is_none_is_refused_shortly",),
    ),
    (
        "episodes may leave the band by its width",
        "verified_risk/rollouts.py",
        'return self.distance <= as_fraction(self.band, "band") + self.exact_error',
        'return self.distance <= 2 * as_fraction(self.band, "band") + self.exact_error',
        ("tests/model/test_playing.py::test_the_band_ends_where_it_says",),
    ),
    (
        "a float below a number is the nearest one",
        NUMBERS + "rational.py",
        "return y if Fraction(y) <= x else math.nextafter(y, -math.inf)",
        "return y",
        ("tests/model/test_enclosure.py::test_a_float_on_one_side_of_a_number_is_on_that_side_and_next_to_it",),
    ),
    (
        "an enclosed number is told as the fraction of its lower end",
        NUMBERS + "shown.py",
        "if low != high or not _is_short(low, 24):",
        "if not _is_short(low, 24):",
        ("tests/model/test_shown.py::test_a_number_is_told_as_a_fraction_only_if_it_is_that_fraction",),
    ),
    (
        "a float stands for a small fraction that is sixteen times farther away",
        NUMBERS + "rational.py",
        "CLOSENESS = Fraction(1, 2**50)",
        "CLOSENESS = Fraction(1, 2**46)",
        ("tests/interop/test_interop_gymnasium.py::test_a_float_that_is_no_small_rational_keeps_its_decimal",),
    ),
    (
        "an absorbing state below 0 is passed over",
        INTEROP + "arrays.py",
        "if as_whole(s) is None or not 0 <= s < self.n:",
        "if as_whole(s) is None or not s < self.n:",
        (f"{ARRAYS}::test_bad_arrays_are_refused_with_the_entry",),
    ),
    (
        "a row may miss 1 by a quarter more",
        INTEROP + "packed.py",
        "ULPS = 4\n",
        "ULPS = 5\n",
        (f"{ARRAYS}::test_a_row_of_two_may_miss_one_by_eight_units_and_no_more",),
    ),
    (
        "the row that was moved least is named",
        INTEROP + "packed.py",
        "if amount > self.largest:",
        "if amount < self.largest or not self.largest:",
        (f"{ARRAYS}::test_the_row_that_was_moved_most_is_named_wherever_it_stands",),
    ),
    (
        "a file ends by itself in a state that goes on paying",
        INTEROP + "storm.py",
        "over = all(target == s and r == 0 for",
        "over = all(target == s for",
        ("tests/interop/test_interop_storm.py::test_a_file_that_ends_by_itself_needs_no_horizon_and_another_does",),
    ),
    (
        "the horizon of a CSV with one step is what the caller says",
        INTEROP + "csv.py",
        "if listed and horizon not in (None, len(by_step)):",
        "if len(by_step) > 1 and horizon not in (None, len(by_step)):",
        ("tests/interop/test_interop_steps.py::test_a_csv_with_steps_that_does_not_fit_is_refused",),
    ),
    (
        "the number of states at each step fits by its remainder",
        "verified_risk/mdp/as_json.py",
        'clock * data["horizon"] + 1 != n:',
        "n % clock != 1 % clock:",
        CLOCK,
    ),
    (
        "models that show other states are the same",
        "verified_risk/mdp/model.py",
        'words = ("drawing", "notes", "action_names", "state_names")',
        'words = ("drawing", "notes", "action_names", "state_names", "clock")',
        CLOCK,
    ),
    (
        "a state that a file lists twice has its second probability",
        "verified_risk/mdp/as_json.py",
        "        if s in law:\n",
        "        if s is law:\n",
        ("tests/model/test_mdp.py::test_a_state_that_a_file_lists_twice_is_refused",),
    ),
    (
        "a cdf may decrease",
        "verified_risk/mdp/rewards.py",
        "if here < below:",
        "if here < below - 1:",
        ("tests/model/test_mdp.py::test_a_cdf_that_decreases_is_no_law",),
    ),
    (
        "a policy on a grid moves to any model",
        POLICY + "grid.py",
        "GridPolicy:\n        same_shape(self.mdp, mdp)\n",
        "GridPolicy:\n",
        MOVED,
    ),
    (
        "a policy is adapted to any model",
        POLICY + "grid.py",
        "        same_shape(policy.mdp, mdp)\n",
        "",
        MOVED,
    ),
    (
        "a policy by cells forgets where its grid begins when it moves",
        POLICY + "cells.py",
        "self.tables, self.linear, self.least)",
        "self.tables, self.linear)",
        (f"{POLICY_TABLES}test_a_policy_by_cells_moves_to_a_model_of_the_same_shape_only",),
    ),
    (
        "a packed table may play an action below 0",
        POLICY + "packed_rule.py",
        "wrong = np.argwhere((table < 0) | (table >= most))",
        "wrong = np.argwhere(table >= most)",
        (f"{POLICY_TABLES}test_a_packed_table_plays_actions_that_there_are",),
    ),
    (
        "a place that a file lists twice has its second choice",
        POLICY + "reading.py",
        "if (t, s, y) in table:",
        "if (t, s, y) is table:",
        (f"{POLICY_TABLES}test_a_place_that_a_table_lists_twice_is_refused",),
    ),
    (
        "a joint law beyond the last step is empty",
        POLICY + "evaluation.py",
        "if as_whole(t) is None or not 0 <= t <= mdp.horizon:",
        "if as_whole(t) is None:",
        ("tests/model/test_evaluation.py::test_a_joint_law_is_asked_for_a_step_that_there_is",),
    ),
    (
        "the digest of a file is compared in part",
        "verified_risk/files.py",
        'if found != envelope["sha256"]:',
        'if found[:16] != str(envelope["sha256"])[:16]:',
        ("tests/model/test_mdp.py::test_a_damaged_file_is_refused_and_says_how",),
    ),
    (
        "a mixture may draw policies of several models",
        POLICY + "mixture.py",
        "required_policy(part, read[0][1].mdp if read else None)",
        "required_policy(part)",
        (f"{POLICY_TABLES}test_a_mixture_is_drawn_before_it_is_played_and_its_weights_are_probabilities",),
    ),
    (
        "a model that lists its steps takes another discount",
        "verified_risk/mdp/model.py",
        "        if self.clock is not None:\n            raise Unsupported(",
        "        if self.clock == 0:\n            raise Unsupported(",
        ("tests/interop/test_interop_steps.py::test_a_model_that_changes_is_saved_and_read_again",),
    ),
)
