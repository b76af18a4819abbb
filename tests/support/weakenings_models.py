"""Faults of reading and playing models for the table of :mod:`weakenings`: name, file, old text, new text, tests that
must notice."""

from __future__ import annotations

ARRAYS = "tests/interop/test_interop_arrays.py"

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
)
