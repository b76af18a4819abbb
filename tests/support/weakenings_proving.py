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
