"""Optimistic and pessimistic values from counts of any size against page 10 in fifty digits; plans with near ties
against exact optima.
"""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.learning.declarations import Declared
from verified_risk.learning.evaluate import Bracket
from verified_risk.learning.policies import LearnedPolicy
from verified_risk.learning.problem import standard_form
from verified_risk.learning.task import Settings, Task

mpf = mpmath.mpf
SIZES = (0, 1, 2, 3, 40, 10**4, 10**9, 10**14)
GOALS = {
    "mean": (1, 1),
    "cvar(1/4)": (0, Fraction(1, 4)),
    "1/3*mean + 2/3*cvar(1/50)": (Fraction(1, 3), Fraction(1, 50)),
}
"""The weight of the mean and the level of the CVaR."""


def lower_end(x, n, size):
    """The least q with ``n kl(x/n, q) <= size``: bisection for its logarithm."""
    if x == 0:
        return mpf(0)
    p, low, high = mpf(x) / n, mpf(0), mpf(size) * n + 1
    for _ in range(250):
        t = (low + high) / 2
        q = p * mpmath.exp(-t)
        found = x * t + ((n - x) * mpmath.log((1 - p) / (1 - q)) if x < n else 0)
        low, high = (low, t) if found >= size else (t, high)
    return p * mpmath.exp(-high)


class PageTen:
    """The recursions of page 10 for one pair of laws a pair: ``counts[p] = (visits, {outcome: count}, paid)``."""

    def __init__(self, standard, counts, listed, reward_laws, log, worst):
        self.standard, self.listed, self.worst = standard, listed, worst
        self.joint, self.best = standard.joint, min if worst else max
        self.pairs, flat = [], 0
        for actions in standard.pairs:
            row = []
            for _ in actions:
                row.append(self.laws(flat, *counts[flat], reward_laws, log))
                flat += 1
            self.pairs.append(row)

    def laws(self, p, visits, seen, paid, reward_laws, log):
        size = log + mpmath.log(4 * visits) / 2 if visits else None
        masses = {one: lower_end(x, visits, size) for one, x in seen.items()} if visits else {}
        if self.listed is not None and len(self.listed[p]) == 1:
            masses = {self.listed[p][0]: mpf(1)}
        m = len(self.standard.atoms)
        if self.joint:
            rewards = [mpf(1)] + [mpf(0)] * (m - 1)
        elif reward_laws is not None:
            rewards = reward_laws[p]
        else:
            levels = []
            for i in range(m - 1):
                x = sum(paid[: i + 1])
                if not visits:
                    levels.append(mpf(int(self.worst)))
                else:
                    levels.append(1 - lower_end(visits - x, visits, size) if self.worst else lower_end(x, visits, size))
            rewards = [b - a for a, b in zip([mpf(0), *levels], [*levels, mpf(1)], strict=True)]
        return p, masses, 1 - mpmath.fsum(masses.values()), rewards

    def value(self, utility):
        standard = self.standard
        states, top = range(standard.n_states), len(standard.atoms) - 1

        @cache
        def V(t, s, y):
            if t == standard.horizon:
                return utility(y)
            units = standard.units[t]
            worths = []
            for p, masses, miss, rewards in self.pairs[s]:
                anywhere = [(0 if self.worst or not self.joint else top, state) for state in states]
                possible = anywhere if self.listed is None else self.listed[p]
                worth = mpf(0)
                for i, r in enumerate(rewards):
                    if r:
                        z = y + units[i] if not self.joint else y
                        after = {
                            one: V(t + 1, one[1], z + (units[one[0]] if self.joint else 0))
                            for one in {*possible, *masses}
                        }
                        worth += r * mpmath.fsum(q * after[one] for one, q in masses.items())
                        worth += r * miss * self.best(after[one] for one in possible)
                worths.append(worth)
            return max(worths)

        return mpmath.fsum(mpf(p.numerator) / p.denominator * V(0, s, 0) for s, p in standard.initial)

    def objective(self, mean, level):
        """The best of all rho; units."""
        mean, level = (mpf(Fraction(x).numerator) / Fraction(x).denominator for x in (mean, level))

        def utility(rho):
            return lambda z: mean * z + (1 - mean) * (rho - max(rho - z, 0) / level)

        return max(self.value(utility(rho)) for rho in range(self.standard.top[0] + 1))


def product(discount=1):
    return vr.MDP(
        ["1/3", "2/3"], [[["1/2", "1/2"], [0, 1]], [[0, 1], ["1/3", "2/3"]]],
        [[{0: "1/2", 1: "1/2"}, {"1/2": 1}], [{0: "1/3", "1/2": "2/3"}, {1: 1}]], horizon=2, discount=discount,
    )  # fmt: skip


def joint(discount=1):
    return vr.MDP.from_outcomes(
        [[[("1/2", 1, 1), ("1/2", 0, 0)], [("1/4", 1, 0), ("3/4", 0, "1/2")]], [[(1, 0, "1/2")], [(1, 1, 0)]]],
        initial=[1, 0], horizon=2, discount=discount,
    )  # fmt: skip


MODELS = {
    "product": (product, None), "product, rounded": (product, 1), "product, discounted": (lambda: product("1/2"), None),
    "product, discounted, rounded": (lambda: product("1/2"), "1/2"), "joint": (joint, None),
    "joint, discounted, rounded": (lambda: joint("1/2"), "1/2"),
}  # fmt: skip


def drawn(rng, standard):
    """Counts of every size, of outcomes that are possible: few or many, all alike or one among a million."""
    counts = []
    for pair in (pair for actions in standard.pairs for pair in actions):
        visits = rng.choice(SIZES)

        def shared(kinds, visits=visits):
            left, found = visits, []
            for _ in kinds[1:]:
                found.append(rng.choice([x for x in (0, 1, left // 2, left - 1, left) if 0 <= x <= left]))
                left -= found[-1]
            return [*found, left]

        outcomes = [(atom, state) for atom, state, _ in pair.outcomes]
        seen = {one: x for one, x in zip(outcomes, shared(outcomes), strict=True) if x}
        atoms = [i for i, _ in pair.rewards]
        paid = [0] * len(standard.atoms)
        for i, x in zip(atoms, shared(atoms), strict=True):
            paid[i] = x
        counts.append((visits, seen, paid))
    return counts


def put(learner, counts):
    """The same counts in the learner's arrays."""
    for p, (visits, seen, paid) in enumerate(counts):
        learner.counts.visits[p], learner.counts.length[p] = visits, len(seen)
        learner.counts.reward[p] = paid
        for j, ((atom, state), x) in enumerate(seen.items()):
            learner.counts.state[p, j], learner.counts.atom[p, j], learner.counts.count[p, j] = state, atom, x


@pytest.mark.parametrize("model", MODELS)
def test_both_values_are_those_of_page_ten_whatever_was_counted(model):
    """On the safe side up to rounding, and no further from it than the sets are rounded."""
    build, eta = MODELS[model]
    mdp, rng = build(), random.Random(model)
    for case in range(12):
        successors, goal = case % 2 == 1, rng.choice([*GOALS])
        rewards = case % 4 > 1 and mdp.is_product
        delta = rng.choice(["1/10", "1/1000000", "1e-320", "1e-4000"])
        settings = Settings.read(goal, 9, delta, eta, algorithm="kl", declared=Declared(rewards, successors))
        task = Task.of(standard_form(mdp, settings.eta), settings)
        standard, learner = task.standard, task.learner(room=4)
        flat = [pair for actions in standard.pairs for pair in actions]
        S, m = standard.n_states, len(standard.atoms)
        listed = None
        if successors:
            follow = [sorted({state for _, state, _ in pair.outcomes}) for pair in flat]
            listed = [[(i, s) for s in states for i in range(m if standard.joint else 1)] for states in follow]
        sizes = [len(one) for one in listed] if listed else [S * (m if standard.joint else 1)] * len(flat)
        tests = sum({1: 0, 2: 1}.get(n, n) for n in sizes) + (0 if standard.joint or rewards else (m - 1) * len(flat))
        laws = [[mpf(float(dict(pair.rewards).get(i, 0))) for i in range(m)] for pair in flat] if rewards else None
        counts = drawn(rng, standard)
        put(learner, counts)
        with mpmath.workdps(50):
            log = mpmath.log(mpf(max(tests, 1)) * settings.delta.denominator / settings.delta.numerator)
            above, below = (
                PageTen(standard, counts, listed, laws, log, worst).objective(*GOALS[goal]) for worst in (False, True)
            )
            learner.plan()
            assert min(learner.model.reward.min(), learner.model.reward_low.min(), learner.model.prob.min()) >= 0
            found, _ = learner.plan_below()
            size = float(settings.objective.lipschitz) * max(standard.top[0], 1)
            assert -1e-13 * size <= learner.upper - above <= 1e-9 * size, (goal, delta, counts)
            assert -1e-13 * size <= below - found <= 1e-9 * size, (goal, delta, counts)


# -- near ties ---------------------------------------------------------------------------------------------------------

STEEP = ["mean", "cvar(1/2)", "cvar(1/100)", "1/2*mean + 1/2*cvar(1/50)", "1/2*cvar(1/1000) + 1/2*cvar(1/2)"]


def told_everything(mdp, objective):
    """The interval where nothing is left to learn, the policy, and what a tie is."""
    task = Task.of(standard_form(mdp), Settings.read(objective, 1, declared=Declared(True, True)))
    bracket = Bracket(task.learner(), task.slack, wanted=True)
    bracket.replan(1)
    return bracket, LearnedPolicy(mdp, task.standard, bracket.table.tolist()), task


@pytest.mark.parametrize("objective", STEEP)
def test_an_interval_holds_where_the_second_action_is_better_by_less_than_a_tie(objective):
    """In every step and at every level; ties go to the first action, so each costs what it can."""
    G = vr.objective(objective)
    for horizon in (1, 2, 6):
        tie = Fraction(Task.of(standard_form(slot(horizon, 0)), Settings.read(G, 1)).target.tie)
        for share in ("1/2", "999/1000"):
            for p in ("1/1000", "1/2", "999/1000"):
                mdp = slot(horizon, tie * Fraction(share), Fraction(p))
                bracket, policy, task = told_everything(mdp, G)
                best, worth = vr.exact_plan(mdp, G).value, G.of(vr.return_law(mdp, policy))
                assert bracket.lower <= worth <= best <= bracket.upper, (horizon, share, p)
                assert bracket.gap <= 3 * Fraction(task.slack) + Fraction(1, 10**9)


def slot(horizon, more, p=Fraction(1, 2)):
    """One state; the second action pays 1 with probability p + more, the first with p."""
    return vr.MDP(0, [[[1], [1]]], [[{0: 1 - p, 1: p}, {0: 1 - p - more, 1: p + more}]], horizon=horizon)


@pytest.mark.parametrize("horizon", [1, 4])
def test_a_tie_of_means_costs_no_more_than_a_tie_above_the_budgets_in_reach(horizon):
    """There the cost is 100 (b - mean), so that means count a hundred times."""
    tie = Task.of(standard_form(slot(horizon, 0)), Settings.read("cvar(1/100)", 1)).target.tie
    for share in (0.5, 0.999, 1.5):
        more = Fraction(tie * share)
        bracket, _, _ = told_everything(slot(horizon, more), "cvar(1/100)")
        learner = bracket.learner
        learner.plan()
        for t in range(horizon):
            left = horizon - t
            exact = 100 * (left + 1 - left * (Fraction(1, 2) + more))
            found = Fraction(float(learner.tables.cost[t, 0, learner.shape.pad + left + 1]))
            assert abs(found - exact) <= left * Fraction(tie) + Fraction(1, 10**12)


def test_a_tie_at_every_point_of_a_cdf_is_paid_for():
    """The second action is less likely to stay at or below each of 999 returns, by nearly a tie of the whole grid."""
    G, n, more = vr.PiecewiseLinear([(0, 0), ("1/2", "1/4"), (1, 1)]), 1000, Fraction(999, 10**11)
    even = {Fraction(i, n): Fraction(1, n + 1) for i in range(n + 1)}
    better = {**even, Fraction(0): even[0] - more, Fraction(1): even[1] + more}
    task = Task.of(
        standard_form(vr.MDP(0, [[[1], [1]]], [[even, better]], horizon=1)), Settings.read(G, 1, algorithm="ucb")
    )
    learner = task.learner()
    learner.plan_truth()
    assert task.slack < 1e-6
    exact = sum(1 - G(Fraction(i + 1, n + 1) - more) for i in range(n))
    assert exact <= Fraction(learner.upper) + Fraction(task.slack)


def test_levels_that_are_equal_as_floats_are_one_level():
    """Two corners that no float tells apart; the exact optimum is in the interval, and the interval is short."""
    mdp = slot(2, Fraction(1, 8))
    for near in (Fraction(1, 10**20), Fraction(1, 2**54), Fraction(1, 2**53), Fraction(1, 2**52)):
        for level in (Fraction(1, 4), Fraction(1, 2), 1 - near):
            G = vr.Spectral([Fraction(1, 8), level, level + near], ["1/3"] * 3)
            bracket, policy, _ = told_everything(mdp, G)
            assert bracket.lower <= G.of(vr.return_law(mdp, policy))
            assert bracket.lower <= vr.exact_plan(mdp, G).value <= bracket.upper
            assert np.isfinite(float(bracket.gap))


def test_a_weighting_too_steep_for_floats_is_refused_and_the_steepest_is_not():
    assert vr.learn(slot(1, 0), vr.CVaR("1e-50"), episodes=1).interval == (0, 1)
    for level in ("1e-51", "1e-330"):
        for algorithm in ("kl", "ucb"):
            with pytest.raises(InvalidArgument, match="wanted at most 1e50"):
                vr.learn(slot(1, 0), vr.CVaR(level), episodes=1, algorithm=algorithm)
