"""Statements weakened: a claim made too generous, a hypothesis narrowed, a generator without the hard case.

    python tests/support/weakened_statements.py [LABEL ...]

prints the table.  One of each kind for every subject of ``proofs_checks/theory``.  Nothing that is true becomes false
by them, so a statement's own evidence does not notice; ``tests/checks/test_touched_statements.py`` does, which knows
what the enumerations and the generators saw.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Collection
from dataclasses import dataclass

import mutations
from mutations import Mutation

GENEROUS, NARROWED, EASY = "too generous", "narrowed hypothesis", "generator without the hard case"
SUBJECTS = (
    *("setting", "augmentation", "discretisation", "cvar", "event"),
    *("optimism", "closeness", "regret", "experiment", "library", "second"),
)

_SAID = "test_touched_statements.test_the_enumeration_says_what_it_said"
_HARD = "test_touched_statements.test_the_generator_still_draws_the_hard_case"
_KINDS = "test_touched_statements.test_the_generator_draws_every_kind"


@dataclass(frozen=True)
class Weakened:
    """In the folder of ``subject``, ``old`` becomes ``new`` in ``file``; the test about ``label`` must fail."""

    subject: str
    kind: str
    label: str
    file: str
    old: str
    new: str
    test: str = ""

    @property
    def mutation(self) -> Mutation:
        test = self.test or (_HARD if self.kind == EASY else _SAID)
        module = f"proofs_checks.theory.{self.subject}.{self.file}"
        return Mutation(f"{self.label}: {self.kind}", module, self.old, self.new, f"{test}#{self.label}")


WEAKENED = (
    Weakened(
        *("setting", GENEROUS, "assump:lipschitz", "assump_lipschitz"),
        "return constant * apart - abs(difference)",
        "return 2 * constant * apart - abs(difference)",
    ),
    Weakened(
        *("setting", NARROWED, "def:rewards", "def_rewards"),
        "when=lambda case: case.factor > 0,",
        "when=lambda case: case.factor > 1,",
    ),
    Weakened(
        *("setting", EASY, "def:objective/cpw", "def_objective_cpw"),
        "ratios = strategies.rationals(max_value=2,",
        "ratios = strategies.rationals(min_value=1, max_value=2,",
    ),
    Weakened(
        *("augmentation", GENEROUS, "intro:nonmarkov", "intro_nonmarkov"),
        "Fraction(2, 3) * min(",
        "Fraction(1, 3) * min(",
    ),
    Weakened(
        *("augmentation", NARROWED, "intro:nonmarkov", "intro_nonmarkov"),
        "when=lambda case: Fraction(1, 2) < case.chance < Fraction(3, 4),",
        "when=lambda case: Fraction(1, 2) < case.chance < Fraction(3, 5),",
    ),
    Weakened(
        *("augmentation", EASY, "thm:augmented", "thm_augmented"),
        'kinds=("history", "return")',
        'kinds=("markov",)',
    ),
    Weakened(
        *("discretisation", GENEROUS, "def:grid/range", "def_discretised"),
        "return case.horizon * case.eta * math.ceil(1 / case.eta) - _sums(case)[-1]",
        "return 2 * case.horizon * case.eta * math.ceil(1 / case.eta) - _sums(case)[-1]",
    ),
    Weakened(
        *("discretisation", NARROWED, "lem:pihatcdfbound/after", "lem_pihatcdfbound"),
        "return case.adaptation.tau < case.t <= case.adaptation.mdp.horizon",
        "return case.alpha == 0 and case.adaptation.tau < case.t <= case.adaptation.mdp.horizon",
    ),
    Weakened(
        *("discretisation", EASY, "def:grid/range", "def_discretised"),
        "    eta = draw(steps())\n    count = math.ceil(1 / eta)",
        "    eta = Fraction(1, draw(st.integers(1, 4)))\n    count = math.ceil(1 / eta)",
    ),
    Weakened(
        *("cvar", GENEROUS, "cvar:ru/costs", "cvar_appendix"),
        "return equality(min(excess), total / tail)",
        "return equality(min(excess), total / tail) + Fraction(1, 100)",
    ),
    Weakened(
        *("cvar", NARROWED, "cvar:ru", "cvar_appendix"),
        "        _rockafellar_uryasev,\n",
        "        _rockafellar_uryasev,\n        when=lambda case: case.alpha <= Fraction(1, 2),\n",
    ),
    Weakened(
        *("cvar", EASY, "cvar:min", "cvar_appendix"),
        "ModelCase, strategies.mdps(max_horizon=2, max_denominator=3), strategies.levels(max_denominator=4)",
        "ModelCase, strategies.mdps(max_horizon=2, max_actions=1), strategies.levels(max_denominator=4)",
    ),
    Weakened(
        *("event", GENEROUS, "lem:event/rewards", "event_rewards"),
        "lambda v: 2 * exp(-2 * draws.n * v**2)",
        "lambda v: 4 * exp(-2 * draws.n * v**2)",
    ),
    Weakened(
        *("event", NARROWED, "lem:event/sup-norm", "event_sup_norm"),
        "return len(draws.masses) > 1 and",
        "return len(draws.masses) > 2 and",
    ),
    Weakened(
        *("event", EASY, "lem:event/hoeffding", "event_hoeffding"),
        "return drawn()",
        "return drawn(max_outcomes=2)",
    ),
    Weakened(
        *("optimism", GENEROUS, "lem:optimismhat", "lem_optimismhat"),
        "return Greedy(better, case.weighting).value - Greedy(case.mdp, case.weighting).value",
        "return 2 * Greedy(better, case.weighting).value - Greedy(case.mdp, case.weighting).value",
    ),
    Weakened(
        *("optimism", NARROWED, "lem:optimismhat/cdf", "lem_optimismhat_cdf"),
        "case.mdp.n_states == 1 and on_event",
        "case.eps >= Fraction(1, 2) and on_event",
    ),
    Weakened(
        *("optimism", EASY, "lem:optimismhat", "lem_optimismhat"),
        "draw(st.sampled_from((256, 64, 32, 16, 8, 4, 2)))",
        "draw(st.sampled_from((1,)))",
    ),
    Weakened(
        *("closeness", GENEROUS, "lem:genbound/cdf", "lem_genbound_cdf"),
        "return least(expected(pair, cost), expected_in_twin(pair, cost)) - distance(pair)",
        "return 2 * least(expected(pair, cost), expected_in_twin(pair, cost)) - distance(pair)",
    ),
    Weakened(
        *("closeness", NARROWED, "lem:fullbound", "lem_fullbound"),
        "_corrected_slack,\n        when=on_the_event,",
        "_corrected_slack,\n        when=lambda case: on_the_event(case) and case.seen == 1,",
    ),
    Weakened(
        *("closeness", EASY, "lem:genbound", "lem_genbound"),
        "return drawn()\n",
        "return drawn(markov=True)\n",
    ),
    Weakened(
        *("regret", GENEROUS, "thm:main/dropped", "thm_main_constant"),
        "(2 * p.horizon * pairs + root(2 * pairs * p.steps))\n    return printed_bound(p) - minimum",
        "(p.horizon * pairs + root(2 * pairs * p.steps)) / 8\n    return printed_bound(p) - minimum",
    ),
    Weakened(
        *("regret", NARROWED, "thm:main/unvisited", "thm_main_counting"),
        "    return any(case.visits)\n",
        "    return all(case.visits)\n",
    ),
    Weakened(
        *("regret", EASY, "thm:main", "thm_main"),
        "(1, 10, 1000, 50_000, 100_000, 160_000, 200_000, 400_000, 10**6)",
        "(1, 10, 1000)",
    ),
    Weakened(
        *("experiment", GENEROUS, "exp:forty", "exp_forty"),
        "case.visits) - Fraction(26, 100)",
        "case.visits) - Fraction(13, 100)",
    ),
    Weakened(
        *("experiment", NARROWED, "exp:forty", "exp_forty"),
        "return 1 <= case.visits <= 40 <= case.episodes",
        "return 1 <= case.visits <= 20 <= case.episodes",
    ),
    Weakened(
        *("experiment", EASY, "experiment:paths", "experiment_paths"),
        "        st.sampled_from(sorted(PRINTED)),\n        strategies.levels(max_denominator=60),\n",
        "        strategies.levels(max_denominator=4),\n",
    ),
    Weakened(
        *("library", GENEROUS, "production/evaluator", "production"),
        "return -return_law(case.mdp, case.policy).kolmogorov(",
        "return Fraction(1, 100) - return_law(case.mdp, case.policy).kolmogorov(",
    ),
    Weakened(
        *("library", GENEROUS, "production/proved", "checker"),
        "    return least(CVaR(case.alpha).of(law) - lower, upper - optimum)",
        "    return least(CVaR(case.alpha).of(law) - lower, upper - optimum + Fraction(1, 100))",
    ),
    Weakened(
        *("library", NARROWED, "production/key", "production"),
        "        _key,\n",
        "        _key,\n        when=lambda case: case.mdp.horizon == 1,\n",
    ),
    Weakened(
        *("library", EASY, "production/evaluator", "production"),
        "max_atoms=2, product=product)",
        "max_atoms=2, product=True)",
        test=_KINDS,
    ),
    Weakened(
        *("second", GENEROUS, "wang:half-width", "wang_half_width"),
        "root(log(2 / draws.delta) * Fraction(1, 2 * draws.n))",
        "2 * root(log(2 / draws.delta) * Fraction(1, 2 * draws.n))",
    ),
    Weakened(
        *("second", NARROWED, "wang:variance", "deviations"),
        "return draws.n >= 2 and",
        "return draws.n >= 4 and",
    ),
    Weakened(
        *("second", EASY, "wang:half-width", "deviations"),
        "draw(st.integers(2, 9)), draw(st.sampled_from(LEVELS))",
        "draw(st.integers(2, 9)), draw(st.sampled_from(LEVELS[:1]))",
    ),
)


def known_to(weakened: Weakened) -> Collection[str]:
    """The labels that the test which must notice the weakening is about."""
    tests = importlib.import_module("test_touched_statements")
    about = {_SAID: tests.ENUMERATED, _HARD: tests.FALSE, _KINDS: tests.KINDS}
    labels: Collection[str] = about[weakened.mutation.killer.partition("#")[0]]
    return labels


if __name__ == "__main__":
    chosen = [w.mutation for w in WEAKENED if w.label in sys.argv[1:] or not sys.argv[1:]]
    sys.exit(mutations.report(chosen))
