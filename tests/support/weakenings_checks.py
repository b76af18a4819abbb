"""Faults of the audit's machinery, of the standalone checker and of the learner's own checks for the table of
:mod:`weakenings`: name, file, old text, new text, tests that must notice."""

from __future__ import annotations

CASES = "proofs_checks/cases/"
EVIDENCE = "proofs_checks/evidence/"
FUZZ = "proofs_checks/fuzz/"
WORDS = "tests/checks/test_audit_words.py::"
VERDICTS = "tests/checks/test_verdicts.py::"
CERTIFICATES = "tests/checks/test_certificates.py::"
FARM = "tests/checks/test_fuzz_faults.py::"
STRATEGIES = "tests/checks/test_strategies.py::"
AUDIT = "tests/checks/test_audit_counts.py::"
CODEC = ("tests/checks/test_codec.py",)
OUTSIDE = ("tests/checks/test_recheck_hypotheses.py",)
MARGINS = "tests/learning/test_learn_margins.py::"
ENGINE = "proofs_checks/engine/"
RECHECK = "proofs_checks/recheck/"
LEARNING = "verified_risk/learning/"

CHECKS = (
    (
        "a tuple of a certificate may have surplus entries",
        ENGINE + "codec.py",
        "zip(arguments, data, strict=True))",
        "zip(arguments, data, strict=False))",
        CODEC,
    ),
    (
        "a text is read as a number of the instance",
        ENGINE + "codec.py",
        "        if type(data) is not kind:\n",
        "        if kind is bool and type(data) is not kind:\n",
        CODEC,
    ),
    (
        "a shorter audit wants one case fewer",
        ENGINE + "audit.py",
        "ENOUGH_EXAMPLES = 50",
        "ENOUGH_EXAMPLES = 51",
        (AUDIT + "test_a_shorter_audit_wants_fewer_cases_in_proportion_below_fifty",),
    ),
    (
        "random cases do not climb",
        ENGINE + "search.py",
        '            hypothesis.target(-float(slack), label="slack")\n',
        "            pass\n",
        (AUDIT + "test_climbing_comes_nearer_than_as_many_random_cases_and_passes_over_what_is_no_case",),
    ),
    (
        "an estimate may hold rewards that the model cannot pay",
        RECHECK + "optimism.py",
        "require(set(seen) <= set(true) and all(",
        "require(all(",
        OUTSIDE,
    ),
    (
        "a gap that meets the radius is outside the event",
        RECHECK + "event.py",
        "good * p if gap <= radius[0] else 0",
        "good * p if gap < radius[0] else 0",
        OUTSIDE,
    ),
    (
        "places of a function may stand still",
        RECHECK + "setting.py",
        'require(all(a[0] < b[0] for a, b in pairwise(places)), "increasing places")',
        'require(all(a[0] <= b[0] for a, b in pairwise(places)), "increasing places")',
        OUTSIDE,
    ),
    (
        "the right side of a printed bound is rounded down",
        RECHECK + "closeness.py",
        "above(4 * root_of(Fraction(2))[1] * c.budget())",
        "above(4 * root_of(Fraction(2))[1] * c.budget()) - Fraction(1, 10**12)",
        OUTSIDE,
    ),
    (
        "the normal law lies below what is said to be above it",
        RECHECK + "enclosed.py",
        "Fraction(1, 2) + max(ends)",
        "Fraction(1, 2) + min(ends)",
        OUTSIDE,
    ),
    (
        "the audit looks at the widest end of a set only",
        LEARNING + "audit_sets.py",
        "wide, narrow = min(wide, width_slack(x, n, q, needed)),",
        "wide, narrow = max(wide, width_slack(x, n, q, needed)),",
        (MARGINS + "test_the_audit_notices_each_end_that_is_too_narrow_and_each_that_is_too_wide",),
    ),
    (
        "the lower end of the interval is raised by its slack",
        LEARNING + "bracket.py",
        "standard.value(Fraction(value) - self.slack)",
        "standard.value(Fraction(value) + self.slack)",
        (MARGINS + "test_both_ends_of_an_interval_move_outward_by_the_slack",),
    ),
    (
        "where episodes begin is taken for known",
        LEARNING + "declared.py",
        "known.append(False)",
        "known.append(True)",
        (MARGINS + "test_where_episodes_begin_is_learned_even_if_all_else_is_declared",),
    ),
    (
        "a policy on a coarse grid is worth what the grid says",
        LEARNING + "evaluate.py",
        "(self.mdp is not None and not self.mdp.is_discrete)",
        "self.mdp is not None",
        (MARGINS + "test_on_a_coarse_grid_a_policy_is_worth_what_it_earns_and_not_what_the_grid_says",),
    ),
    (
        "the error of a law is half of its roundings",
        LEARNING + "evaluate.py",
        "return 1.01 * chain * UNIT_ROUNDOFF + UNIT_ROUNDOFF",
        "return 0.505 * chain * UNIT_ROUNDOFF + UNIT_ROUNDOFF",
        (MARGINS + "test_the_error_of_a_law_counts_the_roundings_of_its_longest_chain",),
    ),
    (
        "a policy that did not change everywhere is not evaluated again",
        LEARNING + "learner.py",
        "if first or (self.tables.policy != self._last_policy).any():",
        "if first or (self.tables.policy != self._last_policy).all():",
        (
            "tests/learning/test_learn_run.py::"
            "test_the_regret_is_that_of_the_policies_played_evaluated_exactly[cvar(33/100)-posterior]",
        ),
    ),
    (
        "estimates never meet their radius",
        CASES + "estimation_strategies.py",
        "spare = st.sampled_from((Fraction(), Fraction(1, 8),",
        "spare = st.sampled_from((Fraction(1, 16), Fraction(1, 8),",
        ("tests/checks/test_strategies_regret.py::test_estimates_that_meet_their_radius_with_equality_are_common",),
    ),
    (
        "the first mass of a vector is never 0",
        CASES + "strategies.py",
        "if not positive and count > 1 and draw(st.booleans()):  # let",
        "if not positive and count > 9 and draw(st.booleans()):  # let",
        (STRATEGIES + "test_ends_and_flat_parts_are_reachable",),
    ),
    (
        "no upper quantile is drawn",
        CASES + "strategies.py",
        "    upper = draw(st.booleans())\n    level",
        "    upper = False\n    level",
        (STRATEGIES + "test_ends_and_flat_parts_are_reachable",),
    ),
    (
        "no weighting begins flat",
        CASES + "strategies.py",
        "values = sorted(draw(st.lists(st.integers(0, d), min_size=count",
        "values = sorted(draw(st.lists(st.integers(1, d), min_size=count",
        (STRATEGIES + "test_ends_and_flat_parts_are_reachable",),
    ),
    (
        "failures of one place are all one kind",
        FUZZ + "property.py",
        "{self.name}|{self.where}|{words[:160]}",
        "{self.name}|{self.where}",
        (FARM + "test_failures_are_of_one_kind_only_if_they_differ_in_numbers_and_names_alone",),
    ),
    (
        "a failure that was known ends with 0",
        "verified_risk/cli/fuzz.py",
        "sys.exit(1 if report.met else 0)",
        "sys.exit(1 if report.found else 0)",
        (FARM + "test_a_known_failure_that_is_met_again_ends_with_1",),
    ),
    (
        "in a thread nothing takes too long",
        FUZZ + "property.py",
        "    if not alarms and time.thread_time() - started > seconds:",
        "    if not alarms and time.thread_time() - started > LONGEST_WAIT:",
        (FARM + "test_in_a_thread_a_case_that_took_too_long_has_failed_when_it_is_over",),
    ),
    (
        "a mutated lower bound that recheck confirms is believed",
        FUZZ + "readers.py",
        "        if value < plan.lower:",
        "        if value < plan.lower - 1:",
        (FARM + "test_a_mutated_plan_whose_false_bound_recheck_confirms_is_found",),
    ),
    (
        "the farm accepts rows that sum to less than 1",
        FUZZ + "readers.py",
        "            if total != 1:",
        "            if total > 1:",
        (FARM + "test_a_row_that_does_not_sum_to_1_is_found",),
    ),
    (
        "how a theorem differs from the claim may change unnoticed",
        EVIDENCE + "coq/record.py",
        "row.hypotheses, row.differs, row.anchor] if row else None",
        'row.hypotheses, recorded[name]["differs"], row.anchor] if row else None',
        (VERDICTS + "test_any_word_of_a_row_that_has_changed_since_is_named",),
    ),
    (
        "a theorem may have two rows",
        EVIDENCE + "coq/record.py",
        "        if name in entries:",
        "        if name in entries and not supports:",
        (VERDICTS + "test_a_theorem_with_two_rows_is_refused",),
    ),
    (
        "the check of the Coq record ends with 0",
        EVIDENCE + "coq/record.py",
        'or f"fresh: {len(read())} theorems")\n    return 1 if found else 0',
        'or f"fresh: {len(read())} theorems")\n    return 0',
        (VERDICTS + "test_commands_that_compare_records_end_with_1_if_something_is_stale_or_not_as_wanted",),
    ),
    (
        "the solver's command ends with 0",
        EVIDENCE + "solver/__main__.py",
        "    return 1 if failures else 0",
        "    return 0",
        (VERDICTS + "test_commands_that_compare_records_end_with_1_if_something_is_stale_or_not_as_wanted",),
    ),
    (
        "one failure of an audited statement passes its test",
        "proofs_checks/pytest_plugin.py",
        "        if failures:\n            pytest.fail",
        "        if len(failures) > 1:\n            pytest.fail",
        (WORDS + "test_one_failure_of_an_audited_statement_fails_its_test",),
    ),
    (
        "a generator that finds nothing passes",
        "proofs_checks/cli.py",
        "sys.exit(1 if missed else 0)",
        "sys.exit(0)",
        (WORDS + "test_power_ends_with_1_if_a_generator_finds_nothing",),
    ),
    (
        "a key of a certificate may stand twice",
        RECHECK + "certificate.py",
        "    if len(found) < len(pairs):",
        "    if not found and pairs:",
        (CERTIFICATES + "test_a_key_that_stands_twice_is_rejected_even_if_signed",),
    ),
    (
        "the worst of enclosed slacks is that with the least upper end",
        ENGINE + "search.py",
        "if self.worst is None or bounds(slack) < bounds(self.worst):",
        "if self.worst is None or bounds(slack)[1] < bounds(self.worst)[1]:",
        (WORDS + "test_the_worst_of_enclosed_slacks_is_the_one_that_may_be_least",),
    ),
    (
        "an undecided case of the farm is a pass",
        FUZZ + "statements.py",
        "    if met.unknown:\n",
        "    if met.unknown < 0:\n",
        (FARM + "test_a_statement_with_an_undecided_case_is_skipped_and_not_passed",),
    ),
    (
        "a stored audit that failed is clean",
        "proofs_checks/cli.py",
        'lines = [f"the stored audit failed: {failure}" for failure in ledger.failures]',
        "lines = []",
        (WORDS + "test_a_stored_audit_that_failed_is_not_clean",),
    ),
    (
        "a card calls true what is meant to be",
        "proofs_checks/report/page/cards.py",
        'truth = MARKS.get(verdict, "not decided")',
        'truth = "true"',
        ("tests/report/test_page.py::test_a_card_calls_true_only_what_stood",),
    ),
    (
        "a ledger of another format is read",
        ENGINE + "ledger.py",
        "if (ledger.format, ledger.version) != (FORMAT, VERSION):",
        "if ledger.version != VERSION:",
        ("tests/checks/test_audit.py::test_a_ledger_that_was_edited_is_refused_with_the_place",),
    ),
    (
        "an import that was added since is not looked at",
        ENGINE + "sources.py",
        "waiting += imported(path, path.stat().st_mtime_ns)",
        "waiting += imported(path, 0)",
        ("tests/checks/test_audit.py::test_a_changed_helper_makes_the_evidence_of_what_imports_it_stale",),
    ),
)
