"""Faults of the learner for the table of :mod:`weakenings`: name, file, old text, new text, tests that must notice."""

from __future__ import annotations

AUDIT = ("tests/learning/test_learn_audit.py::test_the_harness_itself_finds_nothing_in_the_right_learner",)
BOUND = ("tests/learning/test_learn_guarantee.py::test_each_constant_of_the_bound_beforehand",)
CLAIMED = ("tests/learning/test_learn_guarantee.py::test_a_run_claims_what_the_table_says",)
DECLARED = ("tests/learning/test_learn_contradicted.py",)
CURVES = ("tests/learning/test_learn_curves.py",)
BLACKJACK = ("tests/learning/test_learn_blackjack.py",)
LEARNING = "verified_risk/learning/"
KERNELS = "verified_risk/kernels/"

LARGEST = ("tests/learning/test_learn_largest.py",)

LEARNED_FILES = "tests/learning/test_learned_files.py::"
ENDS = ("tests/learning/test_learn_refusals.py::test_slacks_at_the_ends_of_their_range",)

LEARNER = (
    (
        "a table that was loaded may play an action that there is not",
        LEARNING + "policies.py",
        "wrong = (table < 0) | (table >= np.array(actions)[:, None])",
        "wrong = table < 0",
        (f"{LEARNED_FILES}test_the_table_of_a_run_must_fit_its_model",),
    ),
    (
        "a table that was loaded may have fewer states than its environment",
        LEARNING + "policies.py",
        "table.shape[:2] != (steps, len(actions))",
        "table.shape[0] != steps",
        (f"{LEARNED_FILES}test_the_table_of_a_run_must_fit_its_model",),
    ),
    (
        "the audit takes a lower end above the share that was seen",
        LEARNING + "audit_sets.py",
        "    if q > Fraction(x, n):\n        return Fraction(x, n) - q\n",
        "",
        ENDS,
    ),
    (
        "a mean is planned without its largest return",
        LEARNING + "target.py",
        "return knowledge.largest < standard.top[0] and cells",
        "return knowledge.largest < 0 and cells",
        LARGEST,
    ),
    (
        "the interval forgets the largest return",
        LEARNING + "bracket.py",
        "standard.value(Fraction(learner.knowledge.largest))",
        "standard.value(Fraction(standard.top[0]))",
        LARGEST,
    ),
    (
        "a folder or a device is read as a checkpoint",
        LEARNING + "checkpoint.py",
        "if not self.path.is_file():",
        "if not self.path.exists():",
        (
            "tests/learning/test_learn_checkpoint.py::"
            "test_a_checkpoint_that_cannot_serve_is_refused_before_the_first_episode",
        ),
    ),
    (
        "a run goes on with other known rewards",
        LEARNING + "environment.py",
        "if settings.checkpoint is not None and callable(settings.declared.rewards):",
        "if settings.checkpoint is None and callable(settings.declared.rewards):",
        ("tests/learning/test_learn_checkpoint.py::test_a_run_with_other_known_rewards_is_another_run",),
    ),
    (
        "a number of successors is claimed to be in Coq",
        LEARNING + "target.py",
        "if type(declared.successors) is int:",
        "if declared.successors is None:",
        (
            "tests/learning/test_learn_guarantee.py::"
            "test_a_declaration_that_coq_does_not_take_is_proved_on_paper_and_says_so",
        ),
    ),
    (
        "the linear term of a bound is not said for the corrected theorem",
        LEARNING + "assemble.py",
        'in ("kl", "ucb") and task.target.kind == CURVE',
        'in ("kl",) and task.target.kind == CURVE',
        CLAIMED,
    ),
    (
        "lower ends are rounded up",
        KERNELS + "learn_sets.py",
        "SAFE = 1.0 - 2.0**-40",
        "SAFE = 1.0 + 2.0**-40",
        ("tests/learning/test_learn_sets.py::test_every_lower_end_is_at_most_the_true_one_and_hardly_lower",),
    ),
    (
        "the search for a lower end stops after its first step",
        KERNELS + "learn_sets.py",
        "if step * step * p <= 1e-11 * q * q * gap:",
        "if step * step * p <= q:",
        ("tests/learning/test_learn_sets.py::test_every_lower_end_is_at_most_the_true_one_and_hardly_lower",),
    ),
    (
        "a plan is kept while counts change",
        LEARNING + "learner.py",
        "if changed or again or not self.planned",
        "if again or not self.planned",
        AUDIT,
    ),
    (
        "the policy of the level below is played",
        KERNELS + "learn_run.py",
        "return value, set_policy_of_budget(shape, tables, rho)",
        "return value, set_policy_of_budget(shape, tables, max(rho - 1, 0))",
        AUDIT,
    ),
    (
        "the state beyond is worth nothing in the mean table",
        KERNELS + "learn_plan.py",
        "best = float(shape.top[t])",
        "best = 0.0",
        AUDIT,
    ),
    (
        "the union lacks the successors",
        LEARNING + "bounds.py",
        "return self.states + (2 if self.concave else 3)",
        "return 2 if self.concave else 3",
        AUDIT,
    ),
    (
        "the union lacks the counts",
        LEARNING + "bounds.py",
        "self.events * self.states * self.actions * self.episodes * self.horizon)",
        "self.events * self.states * self.actions)",
        AUDIT,
    ),
    (
        "delta is doubled in the time-uniform sets",
        LEARNING + "bounds.py",
        "return enclose(lambda arb: ball(Fraction(self.tests) / self.delta, arb).log())",
        "return enclose(lambda arb: ball(Fraction(self.tests) / (2 * self.delta), arb).log())",
        AUDIT,
    ),
    (
        "only the first action is counted in the union",
        LEARNING + "declared.py",
        "tests += {1: 0, 2: 1}.get(possible, possible)",
        "tests += 0 if a else {1: 0, 2: 1}.get(possible, possible)",
        AUDIT,
    ),
    (
        "one random number serves reward and next state",
        KERNELS + "learn_run.py",
        "draws[2 + 2 * t]",
        "draws[1 + 2 * t]",
        AUDIT,
    ),
    (
        "the redundancy of the mixture lacks log 2",
        KERNELS + "learn_sets.py",
        "(log_term + 0.5 * math.log(visits) + LOG_TWO)",
        "(log_term + 0.5 * math.log(visits))",
        AUDIT,
    ),
    (
        "sets wait twice as long as is said",
        KERNELS + "learn_sets.py",
        "model.used[p] * (1.0 + target.patience)",
        "model.used[p] * (1.0 + 2 * target.patience + 0.05)",
        AUDIT,
    ),
    (
        "the bound forgets that sets wait",
        LEARNING + "bounds.py",
        "waited = ball(1 + problem.patience, arb).sqrt()",
        "waited = arb(1)",
        BOUND,
    ),
    (
        "the spread of many outcomes is halved",
        LEARNING + "bounds.py",
        "spread = gamma if problem.outcomes <= 4 else 2 * gamma.sqrt()",
        "spread = gamma if problem.outcomes <= 4 else gamma.sqrt()",
        BOUND,
    ),
    (
        "a weighting that is not concave is called proved",
        LEARNING + "target.py",
        '        if not problem.concave:\n            return Guarantee("none for the regret',
        '        if False:\n            return Guarantee("none for the regret',
        CLAIMED,
    ),
    (
        "a return may exceed the declared one by a unit",
        LEARNING + "contradicted.py",
        "if most > knowledge.largest:",
        "if most > knowledge.largest + 1:",
        DECLARED,
    ),
    (
        "a black box may show one outcome too many",
        LEARNING + "contradicted.py",
        "if len(seen) > declared.successors:",
        "if len(seen) > declared.successors + 1:",
        DECLARED,
    ),
    (
        "a run with one number that is none is loaded",
        LEARNING + "run.py",
        "not np.isfinite(values).all()",
        "not np.isfinite(values).any()",
        DECLARED,
    ),
    (
        "the end cells of a curve are as close as its bends",
        LEARNING + "target.py",
        "error = max(*bends, abs(chords[1] - chords[0]), abs(chords[-1] - chords[-2]))",
        "error = max(bends)",
        CURVES,
    ),
    (
        "a curve is twice as close as its bends",
        LEARNING + "target.py",
        "bends = [abs(c - a) / 4 for",
        "bends = [abs(c - a) / 8 for",
        CURVES,
    ),
    (
        "a polygon stands for G at no cost",
        LEARNING + "evaluate.py",
        "return Fraction(rounding) + Fraction(height_error) * standard.top[0]",
        "return Fraction(rounding)",
        CURVES,
    ),
    (
        "what a plan can be off is counted once",
        LEARNING + "target.py",
        "    return 4 * once\n",
        "    return once\n",
        CURVES,
    ),
    (
        "a level that rounding may have missed is missed",
        LEARNING + "evaluate.py",
        "generous = float(objective.quantile.level) + float(error)",
        "generous = float(objective.quantile.level) - float(error)",
        CURVES,
    ),
    (
        "a visit without concavity costs T",
        LEARNING + "bounds.py",
        "start = lipschitz * T * T * S0 * A * (1 if once else 2)",
        "start = lipschitz * T * T * S0 * A",
        CURVES,
    ),
    (
        "an episode without concavity costs T squared",
        LEARNING + "bounds.py",
        "if once else Fraction(2 * T * T)",
        "if once else Fraction(T * T)",
        CURVES,
    ),
    (
        "an environment's rewards are rounded down",
        LEARNING + "policies.py",
        "ceil_div(x, self.unit) * self.unit)",
        "x // self.unit * self.unit)",
        CURVES,
    ),
    (
        "the state before a random start may follow",
        LEARNING + "learner.py",
        "standard.n_states - standard.free_steps,",
        "standard.n_states,",
        BLACKJACK,
    ),
    (
        "one of several possible rewards stands for all",
        LEARNING + "declared.py",
        "    return found\n\n\ndef possible_rewards",
        "    return found[:1]\n\n\ndef possible_rewards",
        BLACKJACK,
    ),
    (
        "a reward between the possible ones is taken",
        LEARNING + "contradicted.py",
        "if reward not in wanted:",
        "if not min(wanted) <= reward <= max(wanted):",
        BLACKJACK,
    ),
    (
        "the series of all episodes are put together after every one",
        LEARNING + "environment.py",
        "checkpoint.save(done, lambda: _columns(rows))",
        "checkpoint.save(done, lambda columns=_columns(rows): columns)",
        ("tests/learning/test_learn_checkpoint.py",),
    ),
    (
        "a learned policy rounds any reward",
        LEARNING + "policies.py",
        "if x not in self._atom and self._rounds:",
        "if x not in self._atom:",
        ("tests/learning/test_learn_refusals.py",),
    ),
    (
        "an interval is shown rounded inward",
        LEARNING + "run.py",
        "[{at_least(self.lower)}, {at_most(self.upper)}]",
        "[{at_most(self.lower)}, {at_least(self.upper)}]",
        ("tests/learning/test_learn_run.py",),
    ),
    (
        "a policy that moved rounds as its new model would",
        LEARNING + "policies.py",
        "        moved._rounds = self._rounds\n",
        "",
        ("tests/learning/test_learn_refusals.py",),
    ),
    (
        "errors of the planner are counted a whole unit too large",
        "verified_risk/learning/audit.py",
        "+ self.allowance) * self.standard.unit)",
        "+ self.allowance) + self.standard.unit)",
        (
            "tests/learning/test_learn_margins.py::test_errors_of_the_planner_enter_the_audited_regret_bound_in_its_unit",
        ),
    ),
    (
        "an action may fall short where another return has the best one",
        "verified_risk/learning/audit_greedy.py",
        "float((each.max(axis=0) - taken).max())",
        "float((each.max(axis=0) - taken).min())",
        ("tests/learning/test_learn_margins.py::test_one_action_that_falls_short_in_one_cell_is_the_loss_of_a_table",),
    ),
    (
        "sums of regret are not rounded up",
        "verified_risk/learning/assemble.py",
        "np.cumsum(each) * (1 + (k + 2) * 2.0**-52)",
        "np.cumsum(each)",
        ("tests/learning/test_learn_outward.py::test_regret_is_rounded_up_at_every_episode",),
    ),
    (
        "the optimum is rounded to nearest in the regret",
        "verified_risk/learning/assemble.py",
        "each = np.maximum(float_above(best[1]) - record.low, 0.0)",
        "each = np.maximum(float(best[1]) - record.low, 0.0)",
        ("tests/learning/test_learn_outward.py::test_regret_is_rounded_up_at_every_episode",),
    ),
    (
        "the width of the regret forgets what was rounded up",
        "verified_risk/learning/run.py",
        "* (1 + rounded) + 2 * rounded * self.regret",
        "* 1.0",
        ("tests/learning/test_learn_outward.py::test_regret_is_rounded_up_at_every_episode",),
    ),
    (
        "a visit may cost three times T where total variation counts",
        "verified_risk/learning/audit_counting.py",
        "root_ratio(Fraction(problem.atoms + 1))), 2 * T",
        "root_ratio(Fraction(problem.atoms + 1))), 3 * T",
        (
            "tests/learning/test_learn_margins.py::test_a_visit_costs_more_where_the_weighting_is_not_concave_or_rewards_come_with_states",
        ),
    ),
)
