"""The mutations of the second half of the statements: what is changed where, and what must notice it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    """``old`` becomes ``new`` in ``module``; ``killers`` are test names or statement labels."""

    name: str
    module: str
    old: str
    new: str
    killers: tuple[str, ...]


MUTATIONS = (
    # the empirical and the optimistic model
    Mutation(
        "survival function for CDF",
        "theory.event.empirical_model",
        "Fraction(sum(r <= x for r",
        "Fraction(sum(r >= x for r",
        ("def:empirical",),
    ),
    Mutation(
        "missing mass of the empirical row",
        "cases.estimation",
        "return (*kept, 1 - sum(kept, Fraction()))",
        "return (*kept, 1 - sum(row, Fraction()))",
        ("def:optimistic/rows",),
    ),
    Mutation(
        "rows shifted up",
        "cases.estimation",
        "    kept = tuple(max(p - eps, Fraction()) for p in row)\n    return (*kept, 1 - sum(kept",
        "    kept = tuple(max(p + eps, Fraction()) for p in row)\n    return (*kept, 1 - sum(kept",
        ("def:optimistic/rows",),
    ),
    Mutation(
        "min for max in the row",
        "cases.estimation",
        "    kept = tuple(max(p - eps, Fraction()) for p in row)\n    return (*kept, 1 - sum(kept",
        "    kept = tuple(min(p - eps, Fraction()) for p in row)\n    return (*kept, 1 - sum(kept",
        ("def:optimistic/rows",),
    ),
    Mutation(
        "pessimistic rewards",
        "cases.estimation",
        "shifted = max(level - eps, Fraction()) if r < 1 else Fraction(1)",
        "shifted = min(level + eps, Fraction(1)) if r < 1 else Fraction(1)",
        ("def:optimistic/rewards",),
    ),
    Mutation(
        "mass moved by the shift is lost",
        "cases.estimation",
        "weights.get(Fraction(1), Fraction()) + 1 - below",
        "weights.get(Fraction(1), Fraction())",
        ("def:optimistic/rewards",),
    ),
    Mutation(
        "s_inf pays nothing",
        "cases.estimation",
        "[*transitions, [{top: 1}]], [*rewards, [1]], estimate.horizon)",
        "[*transitions, [{top: 1}]], [*rewards, [0]], estimate.horizon)",
        ("L1/value",),
    ),
    Mutation(
        "s_inf leaves",
        "cases.estimation",
        "[*transitions, [{top: 1}]], [*rewards, [1]], estimate.horizon)",
        "[*transitions, [{0: 1}]], [*rewards, [1]], estimate.horizon)",
        ("unvisited",),
    ),
    Mutation(
        "unvisited pairs keep their radius",
        "theory.optimism.unvisited_pairs",
        "case.eps if counts[s, a].visits else Fraction(1)",
        "case.eps",
        ("def:unvisited",),
    ),
    # the event
    Mutation(
        "the wrong side of the transitions' event",
        "cases.estimation",
        "if any(q - p > eps for p, q in zip(row_of(mdp",
        "if any(p - q > eps for p, q in zip(row_of(mdp",
        ("L1/value", "L1/markov"),
    ),
    Mutation(
        "rewards left out of the event",
        "cases.estimation",
        "        if action.reward_law.kolmogorov(other.reward_law) > eps:\n            return False\n",
        "",
        ("L1/value",),
    ),
    Mutation(
        "DKW without its factor 2",
        "theory.event.event_rewards",
        "2 * exp(-2 * draws.n * v**2)",
        "exp(-2 * draws.n * v**2)",
        ("lem:event/rewards",),
    ),
    Mutation(
        "DKW exponent doubled",
        "theory.event.event_rewards",
        "2 * exp(-2 * draws.n * v**2)",
        "2 * exp(-4 * draws.n * v**2)",
        ("lem:event/rewards",),
    ),
    Mutation(
        "Weissman without its factor",
        "theory.event.event_l1",
        "(2**m - 2) * exp(-Fraction(draws.n) * v**2 / 2)",
        "exp(-Fraction(draws.n) * v**2 / 2)",
        ("lem:event/l1",),
    ),
    Mutation(
        "union over successors forgotten",
        "theory.event.event_hoeffding",
        "2 * outcomes * exp(-2 * draws.n * v**2)",
        "2 * exp(-2 * draws.n * v**2)",
        ("lem:event/hoeffding",),
    ),
    Mutation(
        "no union at all in the level",
        "cases.estimation",
        "Fraction((states + 2) * states * actions * episodes * horizon) / delta",
        "Fraction(states * states) / (states * delta)",
        ("test_a_tape_leaves_its_radius_with_positive_probability_and_less_than_its_share", "L0/tape"),
    ),
    Mutation(
        "radius without its 2",
        "cases.estimation",
        "return root(divide(level, 2 * visits))",
        "return root(divide(level, visits))",
        ("test_the_printed_radius_after_forty_visits_is_above_a_quarter",),
    ),
    Mutation(
        "printed radius with 4 for 6",
        "cases.estimation",
        "log(Fraction(6 * states * actions * episodes) / delta)",
        "log(Fraction(4 * states * actions * episodes) / delta)",
        ("test_the_printed_radius_after_forty_visits_is_above_a_quarter",),
    ),
    # closeness
    Mutation(
        "KS for TV",
        "theory.closeness.model_pairs",
        "    return mdp.actions(s)[a].reward_law.total_variation(",
        "    return mdp.actions(s)[a].reward_law.kolmogorov(",
        ("close/tv", "lem:genbound"),
    ),
    Mutation(
        "off by one in T",
        "theory.closeness.close_tv",
        "return min((horizon - t) * rewards",
        "return min((horizon - 1 - t) * rewards",
        ("close/tv",),
    ),
    Mutation(
        "transitions of the last step",
        "theory.closeness.close_markov",
        "(horizon - 1 - t) * variation_of_rows",
        "(horizon - 2 - t) * variation_of_rows",
        ("markov constants",),
    ),
    Mutation(
        "missing Lipschitz constant",
        "theory.closeness.l2_greedy",
        "bound = lipschitz(weighting) * expected_cost(mdp, policy, cost)",
        "bound = expected_cost(mdp, policy, cost)",
        ("L2/greedy",),
    ),
    Mutation(
        "l1 for its half",
        "cases.estimation",
        "zip(row, other, strict=True)), Fraction()) / 2",
        "zip(row, other, strict=True)), Fraction()) / 4",
        ("markov constants",),
    ),
    Mutation(
        "greedy only by the first tail",
        "cases.greedy",
        "for (alpha, w), level in zip(tails, rho, strict=True)",
        "for (alpha, w), level in list(zip(tails, rho, strict=True))[:1]",
        ("L2/duality",),
    ),
    Mutation(
        "min for max in the Bellman step",
        "cases.greedy",
        "            best = max(values)\n",
        "            best = min(values)\n",
        ("L1/greedy", "L2/greedy"),
    ),
    Mutation(
        "max over rho lost",
        "cases.greedy",
        "self.values = max(candidates, key=",
        "self.values = min(candidates, key=",
        ("L2/greedy",),
    ),
    Mutation(
        "rewards of the optimistic pair cost eps, not 2 eps",
        "theory.closeness.l2_optimistic",
        "min(one, states * eps) + min(one, 2 * eps)",
        "min(one, states * eps) + min(one, eps)",
        ("L2/optimistic",),
    ),
    Mutation(
        "jumps cost nothing",
        "theory.closeness.l2_optimistic",
        "(horizon - 1 - t) * row_of(better, s, a)[states] + area_between",
        "area_between",
        ("L2/optimistic",),
    ),
    # optimism
    Mutation(
        "coupling by opposite quantiles",
        "theory.optimism.l1_coupling",
        "better.quantile(cut)))",
        "better.quantile(1 - below)))",
        ("L1/coupling",),
    ),
    Mutation(
        "no reward after a jump",
        "theory.optimism.l1_coupling",
        "yield p * q, r, Fraction(1), target, True",
        "yield p * q, r, Fraction(), target, True",
        ("L1/coupling",),
    ),
    # counting and constants
    Mutation(
        "the first T visits cost nothing",
        "theory.regret.l3_counting",
        "case.horizon * min(case.horizon, total) + 2",
        "min(case.horizon, total) + 2",
        ("L3",),
    ),
    Mutation(
        "factor 2 of the sum of inverse roots",
        "theory.regret.l3_counting",
        "+ 2 * case.c * root(total)",
        "+ case.c * root(total)",
        ("L3",),
    ),
    Mutation(
        "visits after instead of before the episode",
        "theory.regret.thm_main_counting",
        "zip((0, *accumulate(self.visits)), self.visits",
        "zip(accumulate(self.visits), self.visits",
        ("thm:main/visits", "thm:main/unvisited"),
    ),
    Mutation(
        "e/(e-1) forgotten in the martingale step",
        "theory.event.martingale",
        "return 1 - divide(Fraction(1), exp(Fraction(1)))",
        "return Fraction(1)",
        ("martingale",),
    ),
    Mutation(
        "planner's error measured where M' goes",
        "theory.closeness.l2_planner_error",
        "enumerate(reachable_sums(pair.mdp)[:-1])",
        "enumerate(reachable_sums(pair.twin)[:-1])",
        ("L2/planner-error",),
    ),
    Mutation(
        "only the last time counts",
        "theory.event.martingale",
        "walk(child, new, max(new, highest, key=bounds), mass * q)",
        "walk(child, new, new + 1, mass * q)",
        ("martingale/prefix",),
    ),
    Mutation(
        "beta without its sqrt 2",
        "theory.regret.regret_sizes",
        "root(2 * pairs * p.steps * level)",
        "root(pairs * p.steps * level)",
        ("test_beta_is_what_counting_and_cauchy_schwarz_give",),
    ),
    Mutation(
        "sqrt 5 of the printed bound",
        "theory.regret.regret_sizes",
        "root(p.horizon**3 * inside *",
        "root(p.horizon**2 * inside *",
        ("crossing",),
    ),
    Mutation(
        "the learner takes the lesser index",
        "theory.regret.corrected_run",
        "return 1 if exceeds(second, first) else 0",
        "return 0 if exceeds(second, first) else 1",
        ("corrected/run", "test_exact_regrets_of_deterministic_arms_are_those_computed_by_hand"),
    ),
    Mutation(
        "the learner is not optimistic",
        "theory.regret.corrected_run",
        "optimistic_reward(observed, min(eps, Fraction(1)))",
        "optimistic_reward(observed, Fraction())",
        ("corrected/run", "test_exact_regrets_of_deterministic_arms_are_those_computed_by_hand"),
    ),
    # exact laws and enclosures
    Mutation(
        "multinomial without its coefficient",
        "cases.sampling",
        "            yield counts, ways * probability",
        "            yield counts, probability",
        ("test_multinomials_are_laws_and_agree_with_listing_all_draws",),
    ),
    Mutation(
        "strict tail",
        "cases.sampling",
        "        tail += weights[d]\n        pairs.append((d, tail))",
        "        pairs.append((d, tail))\n        tail += weights[d]",
        ("test_hoeffding_for_the_largest_coordinate_fails_at_three_and_at_four_equal_masses",),
    ),
    Mutation(
        "an undecided comparison reads as false",
        "cases.irrational",
        '        raise ArithmeticError(f"{x} and {y} are too close to compare")',
        "        return False",
        ("test_comparing_overlapping_enclosures_is_refused",),
    ),
    # the standalone checker
    Mutation(
        "logarithm series cut short",
        "recheck.enclosed",
        "def _log_series(m: Fraction, terms: int = 60)",
        "def _log_series(m: Fraction, terms: int = 3)",
        ("test_enclosures_of_log_exp_and_root_agree_with_the_standalone_series",),
    ),
    Mutation(
        "exponential series cut short",
        "recheck.enclosed",
        "    for i in range(1, 60):\n        low, term",
        "    for i in range(1, 4):\n        low, term",
        ("test_enclosures_of_log_exp_and_root_agree_with_the_standalone_series",),
    ),
    Mutation(
        "the digest is not compared",
        "recheck.certificate",
        'if digest(data) != data["sha256"]:',
        "if False:",
        ("edited certificate",),
    ),
)
