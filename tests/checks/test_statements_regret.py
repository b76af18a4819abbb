"""Estimation, the event, closeness, optimism and regret: the numbers of the audit and their constructions.

Closed forms are compared with evaluations of the models.
"""

import math
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verified_risk as vr
from proofs_checks.cases import estimation, greedy, irrational, sampling, strategies
from proofs_checks.engine.model import Verdict, verdict_of
from proofs_checks.theory.closeness import close_markov, close_tv, l2_merely_optimal, lem_genbound, model_pairs
from proofs_checks.theory.event import event_conditioning, l0_adaptive, l0_tape, lem_event, seen_rewards
from proofs_checks.theory.regret import corrected_run, corrected_sum, limits_convex, regret_sizes, thm_main
from verified_risk.numbers.enclosure import Interval, bounds

F = Fraction
HALF = F(1, 2)


def value_in(x, low, high):
    """An enclosure (or exact number) lies strictly between two decimals."""
    lower, upper = bounds(x)
    return Fraction(low) < lower and upper < Fraction(high)


# -- the numbers of the audit ------------------------------------------------------------------------------------------


def test_the_printed_row_of_three_quarters_and_one_quarter_sums_to_three_quarters():
    row, eps = (F(3, 4), F(1, 4)), F(1, 8)
    assert sum(estimation.optimistic_row(row, eps, printed=True)) == F(3, 4)
    assert estimation.optimistic_row(row, eps) == (F(5, 8), F(1, 8), F(1, 4))


def test_hoeffding_for_the_largest_coordinate_fails_at_three_and_at_four_equal_masses():
    assert sampling.tail_of(sampling.sup_gap, (F(1, 3),) * 3, 1) == [(F(2, 3), F(1))]
    assert value_in(2 * irrational.exp(F(-8, 9)), "0.822", "0.823")
    assert dict(sampling.tail_of(sampling.sup_gap, (F(1, 4),) * 4, 2))[F(3, 4)] == F(1, 4)
    assert value_in(2 * irrational.exp(F(-9, 4)), "0.210", "0.211")
    assert verdict_of(lem_event.HOEFFDING.printed.slack(lem_event.Draws((F(1, 4),) * 4, 2))) is Verdict.REFUTED


def test_the_sup_norm_claim_is_closest_to_failing_at_four_draws_of_four():
    draws = lem_event.Draws((F(1, 4),) * 4, 4)
    assert dict(sampling.tail_of(sampling.sup_gap, draws.masses, 4))[F(3, 4)] == F(1, 64)
    ratio = irrational.divide(F(1, 64), 2 * irrational.exp(F(-9, 2)))
    assert value_in(ratio, "0.703", "0.704")
    assert lem_event.SUP_NORM.printed.verdict(draws) is Verdict.STANDS


def test_the_counts_of_seven_episodes_exclude_the_event():
    case = event_conditioning.Case(F(1, 100), 2, HALF, (2,) * 6)
    assert value_in(irrational.divide(irrational.log(252), 24), "0.2303", "0.2304")
    assert F(49, 100) ** 2 == F(2401, 10000)
    counts, good = event_conditioning._given_counts(case)
    assert counts == F(1, 100) ** 6
    assert good == 0
    assert event_conditioning.STATEMENT.printed.slack(case) == -HALF


def interlaced(teeth, shift, *, low=0, high=1, pays=(1, 0)):
    """One state, T = 2: a pays a comb, its twin the shifted comb."""
    width, mass = F(high - low), F(1, teeth)
    combs = [{low + width * F(j, teeth) + move: mass for j in range(teeth)} for move in (F(0), shift)]
    return [model_pairs.one_state([vr.Law(comb), *pays], 2) for comb in combs]


def test_the_ratio_of_closeness_is_unbounded():
    mdp, twin = interlaced(100, F(1, 400))
    own = {y for _, y in greedy.reachable_sums(twin)[1]} - {F(0), F(1)}
    sums = {y for model in (mdp, twin) for _, y in greedy.reachable_sums(model)[1]}
    table = {(0, 0, F(0)): 0} | {(1, 0, y): 1 if y in own else 2 for y in sums}
    pair = model_pairs.Pair(twin, mdp, vr.ReturnPolicy(mdp, table), vr.Mean())
    assert model_pairs.difference(pair) == F(401, 400)
    assert lem_genbound.STATEMENT.printed.slack(pair) == F(1, 50) - F(401, 400)


def test_a_merely_optimal_policy_loses_fourteen_fifteenths():
    mdp, twin = interlaced(3, F(1, 30), low=F(4, 5), high=F(1), pays=(0,))
    own = set(twin.actions(0)[0].reward_law.atoms)
    table = {(0, 0, F(0)): 0} | {(1, 0, y): 0 if y in own else 1 for y in (*own, *mdp.actions(0)[0].reward_law.atoms)}
    pair = model_pairs.Pair(twin, mdp, vr.ReturnPolicy(mdp, table), vr.Mean())
    assert l2_merely_optimal.STATEMENT.printed.when(pair)
    assert model_pairs.difference(pair) == F(14, 15)
    assert l2_merely_optimal.STATEMENT.printed.slack(pair) == F(1, 3) - F(14, 15)
    assert lem_genbound.STATEMENT.printed.slack(pair) == F(2, 3) - F(14, 15)


@pytest.mark.parametrize(("delta", "crossing"), [(F(1), 152_100), (F(1, 100), 202_700)])
def test_the_off_support_planner_beats_the_printed_bound_from_the_stated_episode_on(delta, crossing):
    for episodes, beaten in ((crossing - 100, False), (crossing, True)):
        bound = regret_sizes.printed_bound(regret_sizes.Problem(1, 2, 2, episodes, delta))
        assert irrational.exceeds(F(995, 1000) * episodes, bound) is beaten
    bound = regret_sizes.printed_bound(regret_sizes.Problem(1, 2, 2, 170_000, F(1)))
    assert value_in(bound, "160598", "160600")


def test_the_main_theorem_is_vacuous_at_delta_one():
    """The audit's first row of numbers is at delta = 1, where "with probability at least 0" cannot be contradicted."""
    case = thm_main.Case(10**15, F(99, 100), 170_000, F(1))
    assert verdict_of(thm_main.STATEMENT.printed.slack(case)) is Verdict.STANDS


def test_the_loss_of_the_convex_example_is_four_thirty_fifths():
    mixed = vr.Law({0: F(4, 7) * F(7, 8), F(1, 5): F(3, 7), 1: F(4, 7) * F(1, 8)})
    best, safe = limits_convex.UPPER_HALF.of(mixed), limits_convex.UPPER_HALF.of(vr.Law({F(1, 5): 1}))
    assert (best, safe, best - safe) == (F(11, 35), F(1, 5), F(4, 35))
    bet = limits_convex.UPPER_HALF.of(vr.Law({0: F(7, 8), 1: F(1, 8)}))
    assert bet < best
    for share in range(141):  # no other mixture is better
        q = F(share, 140)
        law = vr.Law({0: (1 - q) * F(7, 8), F(1, 5): q, 1: (1 - q) * F(1, 8)})
        assert limits_convex.UPPER_HALF.of(law) <= best
    case = limits_convex.Case(70, F(1, 10**6))
    mdp, twin = limits_convex.models(case)
    rule = limits_convex.policy(case)
    loss = estimation.phi(limits_convex.UPPER_HALF, twin, rule) - estimation.phi(limits_convex.UPPER_HALF, mdp, rule)
    assert abs(loss - F(4, 35)) <= case.zeta
    assert limits_convex.greed_gap(case) <= 2 * case.zeta


def test_the_printed_radius_after_forty_visits_is_above_a_quarter():
    eps = estimation.radius(estimation.printed_level(1, 1, 40, F(1)), 40)
    assert value_in(eps, "0.2617", "0.2618")
    best = vr.CVaR(F(33, 100)).of(vr.Law({0: F(19, 100), 4: F(81, 100)}))
    assert vr.CVaR(F(33, 100)).of(vr.Law({0: F(271, 1000), 6: F(729, 1000)})) == F(59, 55) < best == F(56, 33)


# -- closed forms against the models they stand for --------------------------------------------------------------------


@pytest.mark.parametrize("seen", [1, 2, 3, 5])
@pytest.mark.parametrize("spread", [1, 2, 3, 4])
@pytest.mark.parametrize("pay_b", [0, 1])
def test_the_closed_forms_of_the_comb_are_those_of_its_models(seen, spread, pay_b):
    case = seen_rewards.Seen(seen, spread, pay_b, 2, 20, HALF)
    mdp, estimate, policy = seen_rewards.models(case)
    law, comb = mdp.actions(0)[0].reward_law, estimate.actions(0)[0].reward_law
    assert law.kolmogorov(comb) == seen_rewards.distance(case)
    assert (law.mean, comb.mean) == (seen_rewards.true_mean(case), seen_rewards.seen_mean(case))
    assert estimation.phi(vr.Mean(), mdp, policy) == seen_rewards.true_value(case)
    assert estimation.phi(vr.Mean(), estimate, policy) == seen_rewards.empirical_value(case)
    for eps in (F(0), F(1, 7), HALF, F(9, 10), F(1)):
        assert estimation.optimistic_reward(comb, eps).mean == seen_rewards._optimistic_mean(case, eps)
        better = estimation.optimistic_mdp(estimate, ((eps, F(1), F(1, 3)),))
        value = estimation.phi(vr.Mean(), better, estimation.lifted(policy, better))
        assert value == estimation.optimistic_reward(comb, eps).mean + eps + (1 - eps)  # b pays 1, or its radius is 1
    visits = [estimation.expected_cost(mdp, policy, lambda t, s, a, b=b: F(a == b)) for b in range(3)]
    assert visits == [1, F(1, spread), 1 - F(1, spread)]


@pytest.mark.parametrize("eps", [F(1, 10), HALF, F(1)])
def test_the_off_support_planner_is_optimal_in_every_optimistic_model_and_loses_in_the_true_one(eps):
    case = thm_main.Case(4, F(99, 100), 3, HALF)
    atoms = [case.low + (1 - case.low) * F(j, case.points) for j in range(case.points)]
    mdp = model_pairs.one_state([vr.Law({x: F(1, 4) for x in atoms}), 0], 2)
    assert mdp.actions(0)[0].reward_law.mean == thm_main.mean_reward(case)
    best = greedy.Greedy(mdp, vr.Mean()).value
    for firsts in permutations(atoms, 2):
        regret = F(0)
        for k in range(3):
            seen = firsts[:k]
            episodes = [estimation.Episode(((0, 0, x), (0, 1, F(0))), 0) for x in seen]
            radius = eps if k else F(1)
            better = estimation.optimistic_mdp(estimation.empirical_mdp(mdp, episodes), ((radius, radius),))

            def plays(t, s, y, seen=seen):
                return 0 if s == 1 or t == 0 or y in (*seen, F(1)) else 1

            planner = vr.ReturnPolicy(better, plays)
            assert estimation.phi(vr.Mean(), better, planner) == greedy.Greedy(better, vr.Mean()).value
            own = vr.ReturnPolicy(mdp, plays)
            assert vr.Mean().of(vr.return_law(mdp, own)) == thm_main.mean_reward(case) * (1 + F(k, 4))
            regret += best - estimation.phi(vr.Mean(), mdp, own)
        assert regret == thm_main.regret(case)


def test_a_repetition_of_first_rewards_is_no_likelier_than_stated():
    case = thm_main.Case(6, F(0), 3, HALF)
    repeated = sum(len(set(draws)) < 3 for draws in product(range(6), repeat=3))
    assert F(repeated, 6**3) <= thm_main.collision(case) == HALF


@pytest.mark.parametrize("horizon", [1, 2, 3, 4])
def test_a_model_never_visited_is_worth_the_horizon_at_every_horizon(horizon):
    """It starts in a state never visited; the other one is known to pay nothing, and s_inf never goes there."""
    mdp = vr.MDP(1, [[[1, 0]], [[HALF, HALF]]], [[0], [{0: HALF, 1: HALF}]], horizon)
    better = estimation.optimistic_mdp(estimation.empirical_mdp(mdp, ()), ((F(0),), (F(1),)))
    assert greedy.Greedy(better, vr.CVaR(HALF)).value == horizon


# -- greedy values -----------------------------------------------------------------------------------------------------


def deterministic_policies(mdp, *, most):
    """All deterministic y-policies of a model on its reachable sums; none if there are more than ``most``."""
    keys = [(t, s, y) for t, level in enumerate(greedy.reachable_sums(mdp)[:-1]) for s, y in sorted(level)]
    count = 1
    for _, s, _ in keys:
        count *= mdp.n_actions[s]
        if count > most:
            return
    for actions in product(*(range(mdp.n_actions[s]) for _, s, _ in keys)):
        yield vr.ReturnPolicy(mdp, dict(zip(keys, actions, strict=True)))


@given(strategies.mdps(max_horizon=2, max_denominator=2), strategies.weightings(shape="concave"), st.booleans())
@settings(max_examples=40)
def test_greedy_values_are_the_optimum_over_all_policies_and_the_planner_agrees(mdp, weighting, last):
    best = greedy.Greedy(mdp, weighting, last_of_ties=last)
    assert vr.exact_plan(mdp, weighting).value == best.value
    assert weighting.of(vr.return_law(mdp, best.policy())) == best.value
    values = [weighting.of(vr.return_law(mdp, policy)) for policy in deterministic_policies(mdp, most=200)]
    assert not values or max(values) == best.value


@given(strategies.laws(), strategies.weightings(shape="concave", max_corners=3))
def test_tails_rebuild_the_weighting(law, weighting):
    tails = greedy.tails_of(weighting)
    for tau in (F(0), F(1, 5), HALF, F(4, 5), F(1)):
        assert sum(w * min(tau / alpha, 1) for alpha, w in tails) == weighting(tau)
    assert sum(w * vr.CVaR(alpha).of(law) for alpha, w in tails) == weighting.of(law)


# -- hypotheses matter, constants are attained -------------------------------------------------------------------------


@pytest.mark.parametrize("horizon", [1, 2, 3, 4])
def test_the_constant_of_closeness_in_total_variation_is_attained(horizon):
    mdp, twin = (model_pairs.one_state([reward, 1, 0], horizon) for reward in (0, 1))
    policy = vr.ReturnPolicy(mdp, lambda t, s, y: 0 if t == 0 else (1 if y >= 1 else 2))
    pair = model_pairs.Pair(twin, mdp, policy, vr.Mean())
    assert model_pairs.difference(pair) == horizon
    assert close_tv.STATEMENT.corrected.slack(pair) == 0
    assert lem_genbound.STATEMENT.corrected.slack(pair) == 0


@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_the_constants_of_closeness_for_markov_policies_are_attained(horizon):
    mdp, twin = (model_pairs.one_state([reward], horizon) for reward in (0, 1))
    pair = model_pairs.Pair(twin, mdp, vr.MarkovPolicy(mdp, [[0]] * horizon), vr.Mean())
    assert model_pairs.difference(pair) == horizon
    assert close_markov.STATEMENT.corrected.slack(pair) == 0
    rows = {target: [[{target: 1}], [{1: 1}], [{2: 1}]] for target in (1, 2)}
    moving, other = (vr.MDP(0, rows[target], [[0], [0], [1]], horizon) for target in (1, 2))
    pair = model_pairs.Pair(other, moving, vr.MarkovPolicy(moving, [[0, 0, 0]] * horizon), vr.Mean())
    assert model_pairs.difference(pair) == horizon - 1
    assert close_markov.STATEMENT.corrected.slack(pair) == 0


def test_kolmogorov_in_place_of_total_variation_would_be_false_for_return_policies():
    pair = lem_genbound.STATEMENT.counterexample
    assert verdict_of(close_markov.STATEMENT.corrected.slack(pair)) is Verdict.REFUTED


# -- exact laws --------------------------------------------------------------------------------------------------------


@given(strategies.masses(3, positive=True), st.integers(1, 6))
@settings(max_examples=30)
def test_multinomials_are_laws_and_agree_with_listing_all_draws(masses, n):
    law = dict(sampling.multinomial(masses, n))
    assert sum(law.values()) == 1
    if n <= 4:
        listed = {}
        for draws in product(range(3), repeat=n):
            counts = tuple(draws.count(i) for i in range(3))
            listed[counts] = listed.get(counts, 0) + math.prod(masses[i] for i in draws)
        assert law == listed


def test_a_tape_leaves_its_radius_with_positive_probability_and_less_than_its_share():
    """The bound is not vacuous: the probability is computed, positive, and smaller for every longer tape's share."""
    case = l0_tape.Case((HALF, HALF), (F(1),), 1, 12, F(1))
    level = estimation.corrected_level(1, 1, 12, 1, F(1))
    listed = F(0)
    for draws in product((0, 1), repeat=12):
        wins = 0
        for n, draw in enumerate(draws, 1):
            wins += draw
            if irrational.exceeds(2 * n * (F(wins, n) - HALF) ** 2, level):
                listed += F(1, 2**12)
                break
    assert l0_tape.leaving(case) == listed > 0
    assert l0_tape.STATEMENT.corrected.slack(case) == 1 - listed


def test_an_adaptive_rule_can_leave_the_event_and_the_probability_is_exact():
    always_first = l0_adaptive.Case((F(1, 10), F(1, 5)), (0,) * 7, F(9, 10))
    assert l0_adaptive.within(always_first) == 1 - F(1, 10) ** 3  # three wins in a row, and nothing else, are too many
    always_second = l0_adaptive.Case((F(1, 10), F(1, 5)), (1,) * 7, F(9, 10))
    assert l0_adaptive.within(always_second) == 1 - F(1, 5) ** 3
    first_loss_stops = l0_adaptive.Case((F(1, 10), F(1, 5)), (0, 1, 0, 1, 1, 1, 0), F(9, 10))
    assert l0_adaptive.within(first_loss_stops) == 1 - F(1, 10) ** 3


def test_comparing_overlapping_enclosures_raises():
    with pytest.raises(ArithmeticError, match="too close"):
        irrational.exceeds(Interval(F(0), F(2)), F(1))


def test_beta_is_what_counting_and_cauchy_schwarz_give():
    """2 c sqrt(S0|A|KT) is the first term of beta: the two enclosures overlap within 10^-30."""
    for p in (regret_sizes.Problem(2, 3, 4, 50, F(1, 10)), regret_sizes.Problem(1, 1, 1, 7, HALF)):
        level = estimation.corrected_level(p.ordinary, p.actions, p.episodes, p.horizon, p.delta)
        c = ((p.horizon - 1) * p.ordinary + 2) * irrational.root(level / 2)  # a visit at N costs at most c / sqrt N
        pairs = p.ordinary * p.actions
        low, high = bounds(regret_sizes.beta(p) - p.horizon**2 * pairs - 2 * c * irrational.root(pairs * p.steps))
        assert low <= 0 <= high
        assert high - low < F(1, 10**30)
    equal = corrected_sum.Split(regret_sizes.Problem(1, 3, 2, 6, HALF), (4, 4, 4))
    assert corrected_sum.EXPECTED.corrected.slack(equal) == 0


def test_exact_regrets_of_deterministic_arms_are_those_computed_by_hand():
    """Both arms are new and the first is taken; a new arm has index 1 and is tried before a known worse one."""
    zero, half = vr.Law({0: 1}), vr.Law({HALF: 1})
    assert corrected_run.run(corrected_run.Case((zero, half), F(1), 1, HALF))[:2] == (HALF, 1)
    assert corrected_run.run(corrected_run.Case((half, zero), F(1), 1, HALF))[:2] == (0, 1)
    regret, event, room, law = corrected_run.run(corrected_run.Case((zero, half), F(1), 12, HALF))
    assert event == 1
    assert law == {regret: 1}
    assert bounds(room)[0] >= 0
    level = estimation.corrected_level(1, 2, 12, 1, HALF)  # log 144: radii fall below 1 after three visits
    assert value_in(level, "4.96", "4.97")
    # The index of arm 0 after n visits is min(1, eps_n), of arm 1 it is 1/2 + min(1, eps_n)/2; ties go to arm 0.
    pulls = [0, 0]
    for _ in range(12):
        eps = [min(F(1), bounds(estimation.radius(level, n))[0]) if n else F(1) for n in pulls]
        pulls[0 if eps[0] >= HALF + eps[1] / 2 else 1] += 1
    assert regret == HALF * pulls[0]
