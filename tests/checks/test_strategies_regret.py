"""Strategies for learning: pairs of models, histories, empirical models."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import verified_risk as vr
from proofs_checks.cases import estimation, strategies


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
