"""Faults of the audit's machinery, of the standalone checker and of the learner's own checks for the table of
:mod:`weakenings`: name, file, old text, new text, tests that must notice."""

from __future__ import annotations

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
)
