"""The public strategies: the objects they build and what these shrink to."""

from fractions import Fraction
from itertools import pairwise

import hypothesis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verified_risk as vr
from proofs_checks.cases import estimation, strategies
from proofs_checks.cases.histories import law_by_histories
from proofs_checks.engine import codec
from proofs_checks.theory.setting.monotone import lower_of, monotone_functions
from verified_risk.policy import HistoryPolicy, MarkovPolicy, Policy, ReturnPolicy

Q = Fraction
few = settings(max_examples=40)


def smallest(strategy, condition=lambda value: True):
    """The simplest example of the strategy that meets a condition."""
    return hypothesis.find(strategy, condition, settings=settings(max_examples=500, database=None, derandomize=True))


@few
@given(strategies.rationals(min_value=Q(1, 3), max_value=2, max_denominator=5))
def test_rationals_stay_in_their_range_with_small_denominators(x):
    assert Q(1, 3) <= x <= 2
    assert x.denominator <= 5


def test_impossible_bounds_raise():
    with pytest.raises(ValueError, match="above max_value"):
        smallest(strategies.rationals(min_value=2, max_value=1))
    with pytest.raises(ValueError, match="no rational"):
        smallest(strategies.rationals(min_value=Q(1, 7), max_value=Q(1, 6), max_denominator=3))
    with pytest.raises(ValueError, match="denominator 1"):
        smallest(strategies.levels(max_denominator=1, include_one=False))


@few
@given(strategies.levels(), strategies.levels(include_one=False))
def test_levels_lie_in_the_half_open_interval(alpha, below):
    assert 0 < alpha <= 1
    assert 0 < below < 1


@few
@given(strategies.laws(min_value=1, max_value=3, max_atoms=4))
def test_laws_are_laws_on_their_interval(law):
    assert sum(law.masses) == 1
    assert law.atoms[0] >= 1
    assert law.atoms[-1] <= 3
    assert len(law) <= 4


@few
@given(st.data())
def test_weightings_have_the_shape_asked_for(data):
    shape = data.draw(st.sampled_from(["linear", "concave", "convex"]))
    weighting = data.draw(strategies.weightings(shape=shape))
    assert weighting.shape in (shape, "linear")
    assert (weighting(0), weighting(1)) == (0, 1)


@few
@given(st.data(), st.booleans())
def test_models_keep_their_bounds(data, product):
    mdp = data.draw(strategies.mdps(min_states=2, max_states=3, max_actions=2, min_horizon=2, product=product))
    assert 2 <= mdp.n_states <= 3
    assert max(mdp.n_actions) <= 2
    assert mdp.horizon in (2, 3)
    assert mdp.is_product or not product
    low, high = mdp.reward_range
    assert 0 <= low <= high <= 1


@few
@given(strategies.mdps_with_policies(max_horizon=2))
def test_policies_are_defined_wherever_they_lead(pair):
    mdp, policy = pair
    assert vr.return_law(mdp, policy) == law_by_histories(mdp, policy)
    assert codec.encode(codec.decode(Policy, codec.encode(policy), mdp)) == codec.encode(policy)


@few
@given(monotone_functions(steps=True), monotone_functions(steps=True), strategies.rationals(min_value=-3, max_value=3))
def test_the_lower_of_two_step_functions_is_their_minimum(first, second, x):
    assert lower_of(first, second)(x) == min(first(x), second(x))


def test_every_kind_of_policy_is_reachable():
    mdp = vr.MDP(0, [[[1], [1]]], [[0, 1]], 2)
    for kind in (MarkovPolicy, ReturnPolicy, HistoryPolicy):
        assert isinstance(smallest(strategies.policies(mdp), lambda policy, kind=kind: isinstance(policy, kind)), kind)
    lottery = smallest(strategies.markov_policies(mdp), lambda policy: any(len(row[0]) > 1 for row in policy.table))
    assert any(len(row[0]) > 1 for row in lottery.table)


def test_ties_and_zero_probabilities_are_reachable():
    tie = smallest(strategies.mdps(min_actions=2), lambda mdp: mdp.actions(0)[0].outcomes == mdp.actions(0)[1].outcomes)
    assert tie.n_actions[0] == 2
    unreached = smallest(strategies.mdps(min_states=2), lambda mdp: len(mdp.initial) == 1)
    assert len(unreached.initial) == 1


def test_ends_and_flat_parts_are_reachable():
    """A first mass of 0, both ends of an interval, upper quantiles, weightings that are flat at either end."""
    assert smallest(strategies.masses(2), lambda vector: vector[0] == 0) == (0, 1)
    assert smallest(strategies.masses(2), lambda vector: vector[1] == 0) == (1, 0)
    for end in (Q(1, 2), Q(3, 2)):
        assert smallest(strategies.rationals(min_value=Q(1, 2), max_value=Q(3, 2)), lambda x, end=end: x == end) == end
        ends = strategies.laws(min_value=Q(1, 2), max_value=Q(3, 2))
        assert smallest(ends, lambda law, end=end: end in law.atoms).masses[0] > 0
    for upper, level in ((True, 0), (True, Q(1, 2)), (False, 1), (False, Q(1, 2))):
        wanted = vr.VaR(level, upper=upper)
        assert smallest(strategies.quantile_weightings(), lambda G, wanted=wanted: wanted == G) == wanted
    general = strategies.weightings(shape="general")
    assert smallest(general, lambda G: G(Q(1, 4)) == 0)(Q(1, 4)) == 0
    assert smallest(general, lambda G: G(Q(3, 4)) == 1)(Q(3, 4)) == 1


def test_models_shrink_to_one_state_one_action_no_reward():
    assert smallest(strategies.mdps()) == vr.MDP(0, [[[1]]], [[0]], 1)


def test_a_model_with_a_random_reward_shrinks_to_a_fair_coin():
    mdp = smallest(strategies.mdps(), lambda mdp: len(mdp.actions(0)[0].reward) > 1)
    assert mdp == vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], 1)


def test_laws_levels_and_weightings_shrink_to_the_simplest():
    assert smallest(strategies.laws()) == vr.Law.point(0)
    assert smallest(strategies.levels()) == 1
    assert smallest(strategies.weightings()) == vr.Mean()
    assert smallest(strategies.weightings(jumps=True), lambda weighting: isinstance(weighting, vr.VaR)) == vr.VaR(1)


def test_hypothesis_knows_our_types_once_registered():
    strategies.register()

    @settings(max_examples=10, database=None)
    @given(...)
    def resolve(mdp: vr.MDP, law: vr.Law, weighting: vr.Weighting, policy: Policy) -> None:
        assert isinstance(mdp, vr.MDP)
        assert isinstance(law, vr.Law)
        assert isinstance(weighting, vr.Weighting)
        assert isinstance(policy, Policy)

    resolve()


@given(strategies.laws(), strategies.laws())
def test_the_wasserstein_distance_is_the_cost_of_moving_quantiles(first, second):
    levels = [Fraction(), *sorted({*first.cumulative(), *second.cumulative()})]
    cost = sum((u - t) * abs(first.quantile(u) - second.quantile(u)) for t, u in pairwise(levels))
    assert first.wasserstein(second) == cost


@given(strategies.mdps(max_states=3) | strategies.mdps(max_states=3, product=False))
def test_every_state_of_a_drawn_model_is_reached(mdp):
    reached = {s for s, _ in mdp.initial}
    for _ in range(mdp.n_states):
        reached |= {target for s in reached for action in mdp.actions(s) for _, target, _ in action.outcomes}
    assert reached == set(range(mdp.n_states))


# -- learning: pairs of models, histories, empirical models ------------------------------------------------------------


@given(st.data())
@settings(max_examples=40)
def test_empirical_models_are_on_the_event_when_asked_and_off_it_when_asked(data):
    mdp = data.draw(strategies.mdps(max_horizon=2))
    estimate, radii = data.draw(strategies.empirical_models(mdp, event="on"))
    assert estimation.on_event(mdp, estimate, radii)
    other, small = data.draw(strategies.empirical_models(mdp, event="off"))
    errors = [
        max(max(q - p for p, q in zip(estimation.row_of(mdp, s, a), estimation.row_of(other, s, a), strict=True)), ks)
        for s, a, action in mdp
        for ks in [action.reward_law.kolmogorov(other.actions(s)[a].reward_law)]
    ]
    covered = [error <= small[s][a] for error, (s, a, _) in zip(errors, mdp, strict=True)]
    assert estimation.on_event(mdp, other, small) is all(covered)


@given(st.data())
@settings(max_examples=40)
def test_histories_are_possible_and_their_counts_add_up(data):
    mdp = data.draw(strategies.mdps(max_horizon=3))
    history = data.draw(strategies.histories(mdp, min_episodes=1))
    for episode in history:
        states = [s for s, _, _ in episode.steps[1:]] + [episode.last]
        assert dict(mdp.initial)[episode.steps[0][0]] > 0
        for (s, a, r), following in zip(episode.steps, states, strict=True):
            assert any(t == following and x == r for _, t, x in mdp.actions(s)[a].outcomes)
    counts = estimation.counts_of(mdp, history)
    assert sum(seen.visits for seen in counts.values()) == mdp.horizon * len(history)
    for seen in counts.values():
        assert seen.visits == sum(seen.successors) == sum(n for _, n in seen.rewards)


@given(strategies.mdp_pairs())
@settings(max_examples=40)
def test_pairs_differ_in_transitions_and_rewards_only(pair):
    mdp, twin = pair
    assert (mdp.horizon, mdp.n_actions, mdp.initial) == (twin.horizon, twin.n_actions, twin.initial)


def test_pairs_with_interlaced_rewards_are_common():
    apart = []

    @given(strategies.mdp_pairs())
    @settings(max_examples=60, database=None)
    def look(pair):
        mdp, twin = pair
        laws = [(action.reward_law, twin.actions(s)[a].reward_law) for s, a, action in mdp]
        apart.append(any(own.total_variation(other) == 1 > own.kolmogorov(other) for own, other in laws))

    look()
    assert sum(apart) >= len(apart) / 5


def test_estimates_that_meet_their_radius_with_equality_are_common():
    """A radius above 0 with nothing to spare: where a bound by the radius can be attained."""
    mdp, tight = vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], 1), []

    @given(strategies.empirical_models(mdp, event="on"))
    @settings(max_examples=60, database=None)
    def look(pair):
        estimate, radii = pair
        error = mdp.actions(0)[0].reward_law.kolmogorov(estimate.actions(0)[0].reward_law)
        assert error <= radii[0][0]
        tight.append(0 < error == radii[0][0])

    look()
    assert sum(tight) >= len(tight) / 20
