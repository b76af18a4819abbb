"""Bets on the values of the best policy: the bound, the learner that uses it, and how often it is wrong."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from reference_learner import kl_low
from test_learn_reference import coin_walk

import verified_risk as vr
from verified_risk.errors import InvalidArgument
from verified_risk.kernels.learn_plan import bet_above, least_above
from verified_risk.learning.declarations import Declared
from verified_risk.learning.learner import draws_of
from verified_risk.learning.problem import standard_form
from verified_risk.learning.task import Settings, Task

DELTA = Fraction(1, 10)


def least_bound(count, worth, most, threshold):
    """The least of eta - e^(-rate) prod (eta - f)^share over eta >= most, by golden section over log(eta - most)."""
    with mpmath.workdps(40):
        n = sum(count)
        seen = [(mpmath.mpf(c) / n, mpmath.mpf(f)) for c, f in zip(count, worth, strict=True) if c]
        shrink = mpmath.exp(-mpmath.mpf(threshold) / n)

        def bound(room):
            eta = most + room
            return eta - shrink * mpmath.fprod((eta - f) ** p for p, f in seen)

        low, high, golden = mpmath.mpf(-60), mpmath.mpf(40), (mpmath.sqrt(5) - 1) / 2
        for _ in range(160):
            a, b = high - golden * (high - low), low + golden * (high - low)
            low, high = (low, b) if bound(mpmath.exp(a)) < bound(mpmath.exp(b)) else (a, high)
        return min(bound(mpmath.mpf(0)), bound(mpmath.exp(low)))


def test_the_bound_is_the_least_over_eta_rounded_up():
    rng = np.random.default_rng(5)
    closest = math.inf
    for case in range(60):
        k = int(rng.integers(1, 6))
        count = rng.integers(0, 10 ** int(rng.integers(1, 6)), k)
        count[int(rng.integers(k))] += 1
        worth = np.round(rng.random(k) * 10.0 ** rng.integers(-3, 4), 3)
        most = float(worth.max()) + (0.0 if case % 3 else float(rng.random()))
        threshold = float(rng.random() * 20 + 0.5)
        found = bet_above(count, worth, k, int(count.sum()), most, threshold)
        exact = least_bound(count.tolist(), worth.tolist(), most, threshold)
        assert exact <= found <= exact + 2e-6 * (most - exact) + 1e-11 * most, (count, worth, most, threshold)
        closest = min(closest, float((found - exact) / most) if most else math.inf)
    assert closest < 1e-8


def test_the_roundings_of_long_logarithms_are_paid_for():
    rng = np.random.default_rng(6)
    for _ in range(200):
        count, worth = rng.integers(1, 10**6, 4), rng.random(4) * 1e-250
        most, room, n = 1e-250, float(rng.random()) * 1e-250, int(count.sum())
        rate = float(rng.random()) * 1e-3
        found = least_above(count, worth, 4, n, most, rate, room)
        with mpmath.workdps(40):
            eta = mpmath.mpf(most) + mpmath.mpf(room)
            product = mpmath.fprod(
                (eta - mpmath.mpf(f)) ** (mpmath.mpf(int(c)) / n) for c, f in zip(count, worth, strict=True)
            )
            assert min(mpmath.mpf(most), eta - mpmath.exp(-mpmath.mpf(rate)) * product) <= found


class Values:
    """The optimistic values of a learner's counts, by recursion over dictionaries."""

    def __init__(self, task, learner, told):
        self.standard, self.counts, self.told = task.standard, learner.counts, told
        m, S, joint = len(self.standard.atoms), self.standard.n_states, self.standard.joint
        pairs, T = sum(self.standard.n_actions), self.standard.horizon
        tests = m * S if joint else S + (0 if told else m - 1)
        bets = T if joint else T - 1 + (0 if told else 1)
        self.tests, self.bets = pairs * tests, pairs * bets

    def size(self, count, n):
        return math.log(count / float(DELTA / 2)) + 0.5 * math.log(n) + math.log(2)

    def low(self, x, n):
        return kl_low(x, n, self.size(self.tests, n))

    def bet(self, count, worth, most):
        return float(least_bound(count, worth, most, self.size(self.bets, sum(count))))

    def pair(self, p, units, after):
        c, most, top = self.counts, max(after), units[-1]
        n, seen = int(c.visits[p]), range(int(c.length[p]))
        law = self.standard.pairs[self.where[p][0]][self.where[p][1]].rewards
        mean = sum(float(q) * units[i] for i, q in law) if self.told else None
        if n == 0:
            return most + (top if mean is None else mean)
        worth = [units[c.atom[p, j]] + after[c.state[p, j]] for j in seen]
        count = [int(c.count[p, j]) for j in seen]
        ends = [self.low(x, n) for x in count]
        kl = sum(q * f for q, f in zip(ends, worth, strict=True))
        if self.standard.joint:
            return min(kl + (1 - sum(ends)) * (most + top), self.bet(count, worth, most + top))
        value, paid = min(kl + (1 - sum(ends)) * most, self.bet(count, worth, most)), c.reward[p].tolist()
        if mean is not None:
            return value + mean
        levels = [0.0, *(self.low(sum(paid[: i + 1]), n) for i in range(len(paid) - 1)), 1.0]
        by_levels = sum((b - a) * u for a, b, u in zip(levels, levels[1:], units, strict=False))
        return value + min(by_levels, self.bet(paid, list(units), top))

    def best(self):
        self.where = [(s, a) for s, n in enumerate(self.standard.n_actions) for a in range(n)]
        after = [0.0] * self.standard.n_states
        for units in reversed(self.standard.units):
            worth = [self.pair(p, units, after) for p in range(len(self.where))]
            after = [max(w for w, (at, _) in zip(worth, self.where, strict=True) if at == s) for s in range(len(after))]
        return sum(float(p) * after[s] for s, p in self.standard.initial)


@pytest.mark.parametrize(
    ("build", "told"),
    [(coin_walk, False), (lambda: vr.models.machine_replacement(horizon=4), False),
     (lambda: vr.models.machine_replacement(horizon=4), True)],
    ids=["rewards with the next state", "rewards learned", "rewards known"],
)  # fmt: skip
def test_values_are_the_least_of_sets_and_bets(build, told):
    mdp = build()
    settings = Settings.read("mean", 300, DELTA, declared=Declared(told))
    assert settings.algorithm == "bets"
    task = Task.of(standard_form(mdp), settings)
    learner, other = task.learner(), Task.of(task.standard, Settings.read("mean", 300, DELTA, algorithm="kl")).learner()
    learner.run(draws_of(3, 300, mdp.horizon), evaluate=False)
    learner.touched[:], learner.model.used[:] = True, 0
    value = learner.plan()
    least = Values(task, learner, told).best()
    assert least * (1 - 1e-9) <= value <= least * (1 + 1e-5)  # the search for eta costs a little
    other.counts, other.known = learner.counts, learner.known
    assert value < other.plan() * (1 - 1e-3)  # the bets are what bounds it


def test_bounds_by_bets_are_rarely_wrong_and_narrower_ones_are_not():
    rng = np.random.default_rng(11)
    worth, law = np.array([0.0, 3.0, 4.0]), np.array([0.05, 0.15, 0.8])
    truth, misses = float(worth @ law), {1.0: 0, 0.1: 0}
    for _ in range(200):
        rows = np.cumsum(np.eye(3, dtype=np.int64)[rng.choice(3, 400, p=law)], axis=0)
        for share in misses:
            misses[share] += any(
                bet_above(x, worth, 3, n, 4.0, share * (math.log(5) + 0.5 * math.log(n) + math.log(2))) < truth
                for n, x in enumerate(rows, 1)
            )
    assert misses[1.0] <= 40  # delta = 1/5
    assert misses[0.1] > 100


def test_an_algorithm_is_chosen_by_the_objective():
    usual = {
        ("mean", None): "bets", ("cvar(1)", None): "bets", ("cvar(1/2)", None): "kl", ("var(1/2)", None): "kl",
        ("mean", Fraction(2)): "kl",
    }  # fmt: skip
    for (objective, most), name in usual.items():
        assert Settings.read(objective, 5, declared=Declared(largest=most)).algorithm == name, objective
    with pytest.raises(InvalidArgument, match=r"'bets', which is for the mean, not for cvar\(1/2\)"):
        Settings.read("cvar(1/2)", 5, algorithm="bets")
    assert vr.learn(vr.models.two_paths(), "mean", episodes=3, audit=True).algorithm == "kl"


def test_a_run_with_bets_keeps_its_promises():
    mdp = vr.models.machine_replacement(horizon=5)
    run = vr.learn(mdp, "mean", episodes=400)
    assert run.algorithm == "bets"
    assert run.interval[0] <= run.best[0] <= run.interval[1]
    assert (run.regret <= run.data_bound).all()
    assert (run.optimistic >= float(run.best[0]) - 1e-9).all()
    longer = vr.learn(resume=vr.learn(mdp, "mean", episodes=150), episodes=250)
    assert longer.interval == run.interval
    assert (longer.regret == run.regret).all()


def test_a_plan_is_not_made_again_with_later_counts():
    """Between two rebuilds a plan stays what it was, also where tables are fresh: bets would use counts made since."""
    learner = Task.of(standard_form(coin_walk()), Settings.read("mean", 90, DELTA)).learner()
    draws = draws_of(0, 90, learner.standard.horizon)
    learner.run(draws[:40], evaluate=False)
    value = learner.plan()
    learner.target = learner.target._replace(patience=100.0)
    assert (learner.run(draws[40:60], evaluate=False).values == value).all()
    learner.plan_below()
    batch = learner.run(draws[60:], evaluate=True)
    assert (batch.values == value).all()
    assert (batch.law_index == 0).all()  # the law of the policy is computed all the same
    learner.fresh = True
    assert learner.plan() == value
