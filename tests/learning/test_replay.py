"""Replays: synthetic returns by enumeration of all logs, any behaviour by expectimax, bounds in plain Python."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction as Q
from functools import cache

import mpmath
import numpy as np
import pytest
from test_logs import BEHAVIOURS, FACTS, MIXED, log_of, model, played, worth

import verified_risk as vr
from verified_risk.errors import InvalidArgument, Unsupported
from verified_risk.learning import replay
from verified_risk.learning.log_answers import CHOSEN_BEFORE, ORDERED, PESSIMISM, Question
from verified_risk.learning.log_problem import LogProblem
from verified_risk.learning.planner import curve_of
from verified_risk.learning.policies import BlackBoxPolicy
from verified_risk.learning.replay import Replay, Tapes, band_of, bet_below, by_laws, by_table, ends_of, shortfalls

GATE = {
    0: [(Q(1, 3), r, 2) for r in (-1, 1)] + [(Q(1, 6), r, 1) for r in (-1, 1)],
    1: [(Q(1), -1, 2)],
    2: [(Q(1, 2), r, None) for r in (-1, 1)],
}
"""A third of the episodes pass 1, which costs 1, on the way from 0 to 2.  ``(probability, reward, next state)``."""


def tapes_of(entries):
    """The tapes of a log of one-step episodes that begin anywhere; ``entries[s]`` are outcomes by number.  Synthetic
    episodes begin in 0."""
    outcomes = [(s, *GATE[max(s, 0)][o][1:]) for s, own in enumerate([(0,), *entries], -1) for o in own]
    rows = [(k, max(s, 0), "go", r, after or 0, after is None) for k, (s, r, after) in enumerate(outcomes)]
    problem = LogProblem(log_of(rows), vr.Mean(), "1/20", {"horizon": 3, "rewards": [-1, 1], "states": [0, 1, 2]}, ())
    tapes = Tapes(problem, 1, len(rows))  # the first episode makes that the log is not empty
    tapes.begun = np.zeros(2, int)
    return tapes


def go(problem):
    return by_table(problem, np.zeros((3, 3, 1), int))


def law_of_units():
    """Return the law of 3 plus the return of an episode, by following every path."""
    law, paths = Counter(), [(Q(1), 0, 0, 3)]
    while paths:
        p, s, y, left = paths.pop()
        for q, r, after in GATE[s]:
            if after is None:  # the steps that are left pay 0
                law[y + r + 1 + left - 1] += p * q
            else:
                paths.append((p * q, after, y + r + 1, left - 1))
    return law


def test_replayed_returns_have_the_law_of_the_policy_and_are_independent():
    joint, room = Counter(), np.array([2, 2, 2])
    for first in itertools.product(range(4), repeat=2):
        for last in itertools.product(range(2), repeat=2):
            tapes = tapes_of((first, (0, 0), last))
            earned, left = tapes.run(2, room, go(tapes.problem))
            assert not left.any()
            joint[tuple(earned.tolist())] += math.prod(GATE[0][o][0] for o in first) / 4
    one = law_of_units()
    assert joint == {(x, y): one[x] * one[y] for x in one for y in one}


@pytest.mark.parametrize("room", [(2, 2, 2), (2, 1, 2), (2, 0, 2), (1, 1, 1)])
def test_no_behaviour_makes_replayed_returns_better_than_the_policy(room):
    """The supremum over all behaviours, which may adapt and stop when they like, of the mean of prod(z + X)."""
    mean = sum(x * p for x, p in law_of_units().items())
    payoffs = {}

    def payoff(entries, z):
        if entries not in payoffs:
            tapes = tapes_of(entries)
            payoffs[entries] = tapes.run(2, np.array(room), go(tapes.problem))[0].tolist()
        return math.prod(z + y for y in payoffs[entries])

    for z in (Q(1, 8), Q(1), Q(5)):

        @cache
        def best(*entries, z=z):
            found = payoff(entries, z)
            for s, own in enumerate(entries):
                if len(own) < 2:
                    longer = ((*entries[:s], (*own, o), *entries[s + 1 :]) for o in range(len(GATE[s])))
                    found = max(found, sum(p * best(*x) for (p, _, _), x in zip(GATE[s], longer, strict=True)))
            return found

        assert best((), (), ()) <= (z + mean) ** 2
        assert room != (2, 2, 2) or best((), (), ()) == (z + mean) ** 2


def plain_run(rows, number, room, act):
    """Synthetic episodes with lists: blocks one after the other, in a block step by step, in a step by number."""
    entries, used, earned = {}, Counter(), [0] * number
    for _, s, a, r, after, _ in rows:
        entries.setdefault((s, a), []).append((int(r), after))
    starts = [row[1] for row in rows[::3]]
    for block in itertools.starmap(range, itertools.pairwise([0, *ends_of(number)])):
        at = {k: starts[k] for k in block}
        for t in range(3):
            reads = {}
            for k, s in at.items():
                pair = (s, act(t, s, earned[k]))
                place, used[pair] = used[pair], used[pair] + 1
                if place < room[pair]:
                    reads[k] = pair, place
            if any(place >= len(entries.get(pair, ())) for pair, place in reads.values()):
                return earned
            for k, (pair, place) in reads.items():
                earned[k] += entries[pair][place][0]
            at = {k: entries[pair][place][1] for k, (pair, place) in reads.items()}
    return earned


def by_name(problem, numbers):
    pairs = [(s, a) for s, own in zip(problem.live, problem.own, strict=True) for a in own]
    return dict(zip(pairs, numbers.tolist(), strict=True))


BOTH = {**FACTS, "actions": [0, 1]}


@pytest.mark.parametrize("seed", range(6))
def test_tapes_are_read_as_by_plain_lists(seed):
    rng, rows = np.random.default_rng(seed), played(model(seed), 90, seed, "adaptive")
    problem = LogProblem(log_of(rows), vr.Mean(), "1/20", BOTH, ())
    table, tapes = rng.integers(0, 2, (3, 3, 7)), Tapes(problem, 30, 90)
    room = np.maximum(tapes.length + (rng.integers(0, 3, 6) if seed % 2 else -rng.integers(0, 9, 6)), 0)
    earned, left = tapes.run(50, room, by_table(problem, table))
    visits = Counter((row[0], *row[1:3]) for row in rows[90:])
    squares = Counter()
    for (_, *pair), n in visits.items():
        squares[tuple(pair)] += n * n
    assert +Counter(by_name(problem, tapes.spread.astype(int))) == squares
    assert earned.tolist() == plain_run(rows[90:], 50, by_name(problem, room), lambda t, s, y: table[t, s, y])
    assert (left > 0).any()


@pytest.mark.parametrize(("G", "alpha"), [("mean", 1), ("cvar(1/2)", Q(1, 2))])
def test_the_bound_is_a_bet_on_the_second_half_that_the_first_half_places(G, alpha, monkeypatch):
    """Entries and first states are those of the second half; policy, M, rooms, z and target are not."""
    halves = played(model(4), 200, 4, "uniform"), [(200 + k, *x) for k, *x in played(model(4), 200, 5, "uniform")]
    placed = []
    for later in (halves[1], [(200 + k, *x) for k, *x in played(model(5), 200, 5, "expert")]):
        question = Question("the best policy", log_of([*halves[0], *later]), G, "1/20", None, BOTH, share=Q(4, 5))
        table = question._chosen()
        bets = []
        monkeypatch.setattr(replay, "bet_below", lambda *x, bets=bets: bets.append(x) or bet_below(*x))
        found = Replay(question.problem, 200, by_table(question.problem, table[1:]))
        lower = found.lower(question.objective, Q(1, 100))
        answer = vr.plan_from_log(question.log, G, **BOTH)
        assert answer.lower == max(lower, question._bracket().lower)
        assert (answer.lower == lower) == (ORDERED in answer.assumptions) == ("synthetic" in answer.notes[-1])
        assert bets[0] == bets[1]  # with a fifth of delta
        worth, counts, z, delta = bets[0]
        own = BlackBoxPolicy(question.problem.shell, table, question.problem.live, question.problem.own)
        earned = Counter(plain_run(later, found.number, by_name(question.problem, found.room), own.act))
        assert {y: n for y, n in enumerate(counts) if n} == earned
        placed.append((found.number, z, delta, worth, table.tolist(), found.room.tolist()))
    assert placed[0] == placed[1]
    assert worth == [min(y, (max(worth) * alpha)) / alpha for y in range(7)]
    first = Question("the best policy", log_of(halves[0]), G, "1/25", None, BOTH)
    first.task.target = first.task.target._replace(scale=PESSIMISM)
    assert (first._bracket().table[:, :3] == table[:, :3]).all()


def test_bets_are_rounded_down_and_shortfalls_are_below_mixtures():
    rng = random.Random(3)
    for _ in range(30):
        worth = [Q(rng.randrange(1000), 7) for _ in range(5)]
        counts, z, delta = [rng.randrange(1, 90) for _ in worth], Q(rng.randrange(1, 99), 8), Q(1, rng.randrange(2, 99))
        found = bet_below(worth, counts, z, delta)
        with mpmath.workdps(60):
            logs = sum(n * mpmath.log(mpmath.mpf((z + x).numerator) / (z + x).denominator)
                       for n, x in zip(counts, worth, strict=True))  # fmt: skip
            band = band_of(sum(counts), 1 / delta)
            assert mpmath.mpf(band.numerator) / band.denominator >= mpmath.sqrt(
                mpmath.log(delta.denominator / mpmath.mpf(delta.numerator)) / (2 * sum(counts))
            )
            exact = mpmath.exp(
                (logs - mpmath.log(1 / mpmath.mpf(delta.numerator) * delta.denominator)) / sum(counts)
            ) - (mpmath.mpf(z.numerator) / z.denominator)
            assert 0 <= exact - mpmath.mpf(found.numerator) / found.denominator < mpmath.mpf(10) ** -20
        G = vr.Spectral(["1/4", "1/2"], ["1/3", "2/3"])
        rhos = sorted(rng.choices(range(1, 7), k=2))
        base, h = shortfalls(G.levels, rhos, 6)
        law = {y: Q(n, sum(counts)) for y, n in enumerate(counts)}
        mean = base + sum(p * h[y] for y, p in law.items())
        assert mean == sum(w * (rho - sum(p * max(rho - y, 0) for y, p in law.items()) / a)
                           for (a, w), rho in zip(G.levels.tails, rhos, strict=True))  # fmt: skip
        assert mean <= G.of(vr.Law(law))


# -- coverage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("behave", BEHAVIOURS)
def test_what_is_claimed_of_replays_is_true(behave):
    """At most a third of the bounds may be wrong; so much is left to chance that few are."""
    held = 0
    for seed in range(60):
        mdp, G = model(seed % 7), ("mean", "cvar(1/2)")[seed % 2]
        question = Question("the best policy", log_of(played(mdp, 120, seed, behave)), G, "1/2", None, BOTH)
        problem, table = question.problem, question._chosen()
        policy = BlackBoxPolicy(problem.shell, table, problem.live, problem.own)
        lower = Replay(problem, 60, by_table(problem, table[1:])).lower(question.objective, Q(1, 3))
        held += lower <= worth(mdp, question.objective, lambda *at, own=policy: {own.act(*at): 1}, policy.observe)
    assert held >= 56


@pytest.mark.parametrize("G", ["mean", "cvar(1/2)", "wang(1/2)", "wang(-1/2)", "cpw(7/10)", "var(1/2)"])
def test_a_policy_chosen_before_is_bounded_for_any_weighting(G, monkeypatch):
    mdp = model(7)
    log = log_of(played(mdp, 3000, 5, "adaptive"))
    told = {**FACTS, "initial": {0: "1/2", 1: "1/2"}}
    for facts in (FACTS, told):
        found = vr.evaluate_from_log(log, dict.fromkeys(range(3), MIXED), G, sets="replay", **facts)
        truth = worth(mdp, found.objective, lambda *_: MIXED)
        truth = getattr(truth, "lower", truth)
        assert found.interval.lower <= truth <= found.interval.upper < found.interval.lower + Q(3, 2), G
        assert {ORDERED, CHOSEN_BEFORE} <= set(found.assumptions)
    problem = LogProblem(log, found.objective, "1/20", told, ())
    own = Replay(problem, 600, by_laws(problem, lambda t, s: [MIXED[a] for a in problem.own[s]]))
    ends = own.lower(found.objective, Q(1, 40)), own.upper(found.objective, Q(1, 40))
    assert ends == tuple(found.interval)
    if G == "wang(1/2)":  # what a polygon that is farther from G costs, in six units of 1/2 * 2
        polygon = replace(curve_of(found.objective), error=curve_of(found.objective).error + 0.125)
        monkeypatch.setattr(replay, "curve_of", lambda _: polygon)
        assert float(ends[0] - own.lower(found.objective, Q(1, 40))) == pytest.approx(0.75)
    with pytest.raises(Unsupported, match="neither concave nor a quantile"):
        vr.evaluate_from_log(log, dict.fromkeys(range(3), 0), "cpw(7/10)", **FACTS)
    assert log.budget.spent == Q(1, 10)


def test_draws_have_the_laws_that_are_told():
    log = log_of(played(model(7), 50, 1, "uniform"))
    problem = LogProblem(log, vr.Mean(), "1/20", {**FACTS, "initial": {0: "1/3", 1: "2/3"}, "actions": [0, 1]}, ())
    states, counts = np.unique(Tapes(problem, 0, 50)._begun(9000, np.random.default_rng(1)), return_counts=True)
    assert states.tolist() == [problem.number[0], problem.number[1]]
    assert counts[0] == pytest.approx(3000, abs=200)
    choose = by_laws(problem, lambda t, s: [Q(1, 4), Q(3, 4)] if s else [Q(1, 4), Q(1, 4)])  # half is rounded away
    pairs = choose(0, np.repeat([0, 1], 9000), None, np.random.default_rng(2))
    found = [np.count_nonzero(pairs == p) for p in (-1, *range(problem.first[0], problem.first[0] + 4))]
    assert found == pytest.approx([4500, 2250, 2250, 2250, 6750], abs=200)


def test_what_a_replay_needs_and_what_it_spends():
    rows = played(model(3), 300, 2, "uniform")
    log = log_of(rows, delta="1/10")
    for G in ("mean", "cvar(1/2)", "cvar(1/2)"):
        vr.plan_from_log(log, G, **FACTS)
    assert log.budget.spent == Q(4, 100) + 2 * Q(1, 100)
    vr.evaluate_from_log(log, dict.fromkeys(range(3), 0), "mean", **FACTS)  # the same sets, narrower
    assert log.budget.spent == Q(5, 100) + 2 * Q(1, 100)
    short = [
        row for k, row in enumerate(rows) if row[0] >= 150 or k % 3 < 2
    ]  # the horizon must not be the second half's
    told = {name: x for name, x in FACTS.items() if name != "horizon"}
    for kind in ("ball", "kl"):
        by_sets = vr.plan_from_log(log_of(short), "cvar(1/2)", delta="1/25", replay=False, sets=kind, **told)
        assert vr.plan_from_log(log_of(short), "cvar(1/2)", sets=kind, **told).interval == by_sets.interval
    once = log_of(rows[:3])
    assert vr.plan_from_log(once, "mean", **FACTS).policy is not None
    with pytest.raises(InvalidArgument, match="the log has 1 episode, wanted at least 2"):
        vr.evaluate_from_log(once, dict.fromkeys(range(3), 0), "mean", sets="replay", **FACTS)
    with pytest.raises(InvalidArgument, match="sets is 'replay', wanted 'ball' or 'kl'"):
        vr.plan_from_log(log, "mean", sets="replay", **FACTS)


def test_rewards_that_a_grid_rounds_up_are_paid_for():
    log = log_of([(k, 0, 0, 1, 0, False) for k in range(200) for _ in range(3)])
    told = {"horizon": 3, "reward_range": (0, 2), "eta": 2}  # 1 counts as 2
    assert 0 <= vr.plan_from_log(log, "mean", **told).lower <= 3
    assert -1 <= vr.evaluate_from_log(log, {0: 0}, "mean", sets="replay", **told).lower <= 3


def test_episodes_that_are_cut_off_are_on_the_tapes_and_a_last_step_whose_end_is_unknown_is_not():
    rows = [(k, 0, 0, 1 + (k % 2), 0 if k % 2 else "", False) for k in range(40)]
    log = log_of(rows)
    tapes = Tapes(LogProblem(log, vr.Mean(), "1/20", {"horizon": 2, "rewards": [0, 1, 2]}, ()), 0, 40)
    assert log.part(30, 40).where(2) == log.where(32)
    assert (tapes.length.tolist(), set(tapes.units.tolist()), len(tapes.begun)) == ([20], {2}, 40)


def test_a_largest_return_bounds_from_above():
    log = log_of([(k, 0, 0, k % 2, 0, False) for k in range(400)])
    told = {"rewards": [0, 1], "horizon": 3, "largest_return": 1}
    found = vr.evaluate_from_log(log, {0: 0}, "cpw(7/10)", sets="replay", **told)
    assert found.interval.upper == 1
