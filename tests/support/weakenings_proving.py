"""Faults of what writes certificates for the table of :mod:`weakenings`: name, file, old text, new text, tests that
must notice."""

from __future__ import annotations

LIMITS = "tests/proving/test_prove_limits.py::"
VERSIONS = "tests/proving/test_prove_version.py::"
DISCOUNTED = "tests/proving/test_prove_discounted.py::"
JUMPS = "tests/proving/test_prove_jumps.py::"
BOXES = "verified_risk/proving/boxes.py"
PASSED = "verified_risk/proving/passed.py"
PROGRAM = "verified_risk/proving/program.py"
PROVED = "verified_risk/proving/proved.py"
DRIVER = "proofs_checks/formal/checker/driver/"
HOSTILE = "tests/proving/test_prove_hostile.py::"
MODELS = "tests/proving/test_prove_models.py::"
COQ = "verified_risk/proving/coq.py"
SAID = "tests/proving/test_prove_said.py::"
CHECKER = "proofs_checks/formal/checker/extracted/checker.ml"

PROVING = (
    (
        "the search for a cover does not look at the clock",
        BOXES,
        "        self.clock.require()\n",
        "",
        (LIMITS + "test_a_search_that_runs_out_of_time_says_what_its_boxes_would_prove",),
    ),
    (
        "the search for a cover goes on although a policy exceeds the bound",
        BOXES,
        "            self.hopeless = True\n",
        "            pass\n",
        (LIMITS + "test_a_bound_that_a_policy_exceeds_is_refused_at_once",),
    ),
    (
        "the checker may compute for ever",
        "verified_risk/proving/program.py",
        "timeout=seconds)",
        "timeout=None)",
        (LIMITS + "test_a_checker_that_does_not_answer_is_stopped",),
    ),
    (
        "values behind the last return are searched for like any other",
        "verified_risk/proving/relaxed.py",
        "self.free = slice(int(ends[0][met].min()), int(ends[1][met].max()))",
        "self.free = slice(0, oracle.top)",
        (LIMITS + "test_covers_of_curves_are_short",),
    ),
    (
        "a checker of an older format is asked",
        PROGRAM,
        "if latest < VERSION:",
        "if latest < 0:",
        (VERSIONS + "test_an_old_program_is_named_with_what_is_wanted_and_the_command",),
    ),
    (
        "a checker that was built from other sources is asked",
        PROGRAM,
        "if program == BUILT and source != (beside := _source_digest()):",
        "if program == BUILT and not source and (beside := _source_digest()):",
        (VERSIONS + "test_the_program_knows_its_sources_and_one_of_other_sources_is_not_asked",),
    ),
    (
        "every lower bound of a discounted plan may be given up for one that is proved",
        "verified_risk/proving/proved.py",
        "trivial = draft.cells is not None and draft.plan.lower == draft.plan.mdp.remaining_range(0)[0]",
        "trivial = draft.cells is not None",
        (DISCOUNTED + "test_the_least_return_is_the_only_lower_bound_that_is_given_up",),
    ),
    (
        "the lower bound of a discounted plan is proved on its own grid only",
        "verified_risk/proving/routes.py",
        "grid = self.cells.grid(start, start, self.cells.policy.eta / 2**self.halved, whole=True)",
        "grid = self.cells.grid(start, start, self.cells.policy.eta, whole=True)",
        (DISCOUNTED + "test_a_coarse_grid_that_proves_less_than_the_planner_is_halved_for_the_lower_bound",),
    ),
    (
        "a level that floats take to be met counts as passed",
        PASSED,
        "if exact.least(i) >= level)",
        "if exact.least(i) >= 0)",
        (JUMPS + "test_a_level_that_floats_take_to_be_met_but_is_not_passed_is_not_said_to_be",),
    ),
    (
        "the table of integers takes the first action instead of the least",
        PASSED,
        "                (s, left): min(\n",
        "                (s, left): next(\n",
        (JUMPS + "test_the_least_cdf_of_integers_is_that_of_every_policy",),
    ),
    (
        "a box behind a jump takes the height before it",
        "verified_risk/proving/relaxed.py",
        "            self.graphs[first][first] += float(self.raised[first])\n",
        "",
        (JUMPS + "test_models_whose_cdfs_meet_the_levels_are_proved_and_true",),
    ),
    (
        "values close behind the level of an upper quantile are taken to be beyond it",
        "verified_risk/proving/bounded.py",
        "return not any(part.alpha < value < part.alpha + ROOM for value in law.cumulative())",
        "return True",
        (JUMPS + "test_a_value_close_behind_the_level_of_an_upper_quantile_is_said_not_to_be_covered",),
    ),
    (
        "one proved file of several is enough",
        DRIVER + "main.ml",
        "List.for_all Fun.id answers",
        "List.exists Fun.id answers",
        (HOSTILE + "test_of_several_files_all_must_be_proved",),
    ),
    (
        "powers of the grid's unit are not bounded",
        DRIVER + "limits.ml",
        "  if horizon * bits > most_power_bits then",
        "  if bits > most_power_bits then",
        (HOSTILE + "test_powers_that_would_fill_the_memory_are_refused",),
    ),
    (
        "the multipliers of one leaf are bounded instead of those of all",
        DRIVER + "limits.ml",
        "let bytes = leaves * size * 8 *",
        "let bytes = size * 8 *",
        (HOSTILE + "test_leaves_whose_multipliers_would_fill_the_memory_are_refused",),
    ),
    (
        "the denominator of an exponent is not bounded",
        DRIVER + "curve_reader.ml",
        "Integer.gt (Integer.max p q) (Integer.of_int largest_exponent)",
        "Integer.gt p (Integer.of_int largest_exponent)",
        (HOSTILE + "test_curves_whose_points_would_take_for_ever_are_refused",),
    ),
    (
        "points of powers may be long",
        DRIVER + "curve_reader.ml",
        "if power > 0 && bits * power > most_power_bits then",
        "if power > 0 && bits > most_power_bits then",
        (HOSTILE + "test_curves_whose_points_would_take_for_ever_are_refused",),
    ),
    (
        "hints of the normal law may be far",
        DRIVER + "curve_reader.ml",
        "let largest_hint = 16",
        "let largest_hint = 16_000",
        (HOSTILE + "test_curves_whose_points_would_take_for_ever_are_refused",),
    ),
    (
        "a checker that ends with 0 has proved",
        PROGRAM,
        'return Answer(done.returncode == 0 and line.startswith("proved"), line,',
        "return Answer(done.returncode == 0, line,",
        (VERSIONS + "test_only_a_program_that_says_proved_and_ends_with_0_has_proved",),
    ),
    (
        "a checker that says proved has proved, however it ends",
        PROGRAM,
        'return Answer(done.returncode == 0 and line.startswith("proved"), line,',
        'return Answer(line.startswith("proved"), line,',
        (VERSIONS + "test_only_a_program_that_says_proved_and_ends_with_0_has_proved",),
    ),
    (
        "the digest of what was proved leaves out the outcomes",
        PROVED,
        'partition(b"\\nlower ")',
        'partition(b"\\nsteps ")',
        (SAID + "test_the_digest_of_what_was_proved_is_of_objective_bounds_and_every_number_of_the_model",),
    ),
    (
        "a curve is proved without the excluded middle",
        PROVED,
        "axioms, note = CURVED_AXIOMS, _slack(plan, accepted)",
        "axioms, note = AXIOMS, _slack(plan, accepted)",
        (SAID + "test_the_axioms_are_those_that_coq_printed_for_the_theorem",),
    ),
    (
        "a lower bound that was given up is not said to be",
        PROVED,
        "    elif accepted.lower != plan.lower:",
        "    elif accepted.lower > plan.lower:",
        (SAID + "test_a_lower_bound_that_was_given_up_is_said_to_be",),
    ),
    (
        "a proved lower bound is shown rounded up",
        PROVED,
        'f"= {self.lower}" if self.lower == self.upper else f"in [{at_least(self.lower)},',
        'f"= {self.lower}" if self.lower == self.upper else f"in [{at_most(self.lower)},',
        (SAID + "test_bounds_that_were_proved_are_shown_rounded_outward",),
    ),
    (
        "the slack of a curve's upper bound is not told",
        PROVED,
        "accepted.upper - plan.upper\n",
        "plan.upper - plan.upper\n",
        (SAID + "test_a_plan_does_not_pass_off_its_own_bounds_for_weaker_ones_that_were_proved",),
    ),
    (
        "a plan shows its own bounds for weaker ones that were proved",
        PROVED,
        '({self.note})" if self.note else proof',
        '({self.note})" if not self.note else proof',
        (SAID + "test_a_plan_does_not_pass_off_its_own_bounds_for_weaker_ones_that_were_proved",),
    ),
    (
        "the Coq file of a plan admits its acceptance",
        COQ,
        "Proof. vm_compute. reflexivity. Qed.",
        "Proof. vm_compute. Admitted.",
        (MODELS + "test_the_coq_file_admits_nothing_and_states_the_bounds_of_its_claim",),
    ),
    (
        "the Coq file of a plan does not print its axioms",
        COQ,
        "\nPrint Assumptions the_plan_is_right.\n",
        "\n",
        (MODELS + "test_the_coq_file_admits_nothing_and_states_the_bounds_of_its_claim",),
    ),
    (
        "a state behind the last one exists",
        DRIVER + "reader.ml",
        "Source.between source what 0 (states - 1))",
        "Source.between source what 0 states)",
        (HOSTILE + "test_a_hostile_file_is_refused_with_one_line_that_says_where",),
    ),
    (
        "powers of a halved grid's unit are not bounded",
        DRIVER + "limits.ml",
        "require_powers source 1 (halved + room.horizon * bits_of_rat cells.cell_unit);",
        "require_powers source 1 (halved + bits_of_rat cells.cell_unit);",
        (HOSTILE + "test_powers_that_would_fill_the_memory_are_refused",),
    ),
    (
        "windows are counted before they are halved",
        DRIVER + "limits.ml",
        "(Integer.shift_left lo n, Integer.shift_left hi n) :: finer",
        "(lo, hi) :: finer",
        (HOSTILE + "test_a_hostile_certificate_of_cells_is_refused",),
    ),
    (
        "the Coq file of a plan states less than its claim",
        COQ,
        "(real_of {rat(certificate.lower)} <= {worth}",
        "(real_of {rat(certificate.lower - 1)} <= {worth}",
        (MODELS + "test_the_coq_file_admits_nothing_and_states_the_bounds_of_its_claim",),
    ),
    (
        "a long discount is multiplied over any number of steps",
        DRIVER + "limits.ml",
        "if room.horizon * room.rate_bits > most_rate_bits then",
        "if room.rate_bits > most_rate_bits then",
        (HOSTILE + "test_a_long_discount_over_many_steps_is_refused",),
    ),
    # in the extracted program, which Coq proves right: what the tests of the program would notice
    (
        "what every policy passes is not looked up",
        CHECKER,
        "    (rat_le p { num = (start_look m Integer.zero lo v0 start); den =\n      (Integer.mul v m.initial_den) })",
        "    (rat_le Integer.({ num = zero; den = one }) { num = (start_look m Integer.zero lo v0 start); den =\n"
        "      (Integer.mul v m.initial_den) })",
        (JUMPS + "test_a_level_that_is_passed_is_believed_only_by_an_exact_table",),
    ),
    (
        "a jump counts as passed in every box",
        CHECKER,
        "    if rat_le level from then map (fun ys -> (one, (snd ys))) l else l",
        "    if rat_le from level then map (fun ys -> (one, (snd ys))) l else l",
        (JUMPS + "test_a_level_that_is_passed_is_no_other_level",),
    ),
    (
        "a law that has lost masses counts as exact",
        CHECKER,
        "(&&) (Integer.equal (mass_of es) v)",
        "(&&) (Integer.leq (mass_of es) v)",
        (JUMPS + "test_masses_that_are_rounded_do_not_hide_a_value_behind_the_level",),
    ),
    (
        "values of the CDF between a level and the room behind it are not looked for",
        CHECKER,
        "  (&&) (negb (bad acc))\n    (match l with",
        "  (&&) (negb (bad acc) || true)\n    (match l with",
        (JUMPS + "test_the_lower_bound_of_an_upper_quantile_needs_the_exact_law",),
    ),
)
