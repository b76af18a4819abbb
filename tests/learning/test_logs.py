"""Policies and bounds from logged episodes: counting, bounds, coverage and refusals against plain Python."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from fractions import Fraction as Q
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from reference_learner import kl_low

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidFile, MissingDependency, Unsupported
from verified_risk.learning import log_problem
from verified_risk.learning.log_answers import Question
from verified_risk.learning.log_problem import LogProblem, Rows, ball_above, ball_rate
from verified_risk.learning.policies import BlackBoxPolicy

ROLES = ("episode", "state", "action", "reward", "next_state", "terminated")
BEHAVIOURS = {
    "uniform": lambda rng, s, tried: rng.randrange(2),
    "expert": lambda rng, s, tried: (s + (rng.random() < 0.1)) % 2,
    "adaptive": lambda rng, s, tried: min(
        range(2), key=lambda a: sum(r for r in tried[s, a]) - len(tried[s, a]) ** 0.5
    ),
}


def played(mdp, episodes, seed, behave, ending=()):
    """Rows of episodes of a model with two actions; ``ending`` states end them."""
    rng, rows, tried = random.Random(seed), [], {(s, a): [] for s in range(mdp.n_states) for a in range(2)}
    for k in range(episodes):
        (s,) = rng.choices(*zip(*mdp.initial, strict=True))
        for _ in range(mdp.horizon):
            a = BEHAVIOURS[behave](rng, s, tried)
            p, to, r = zip(*mdp.actions(s)[a].outcomes, strict=True)
            (j,) = rng.choices(range(len(p)), [float(x) for x in p])
            tried[s, a].append(float(r[j]))
            rows.append((k, s, a, r[j], to[j], to[j] in ending))
            s = to[j]
            if s in ending:
                break
    return rows


def without(rows, pair):
    """The episodes that never play a pair."""
    met = {row[0] for row in rows if row[1:3] == pair}
    return [row for row in rows if row[0] not in met]


def log_of(rows, **told):
    return vr.Log.from_arrays(**dict(zip(ROLES, zip(*rows, strict=True), strict=True)), **told)


class Frame(dict):
    """As much of a data frame as a log reads; columns of one type, as numpy makes them."""

    columns = property(list)


def model(seed, horizon=3):
    """Three states, two actions, rewards with the next state; two initial states."""
    rng = random.Random(seed)
    states = []
    for _ in range(3):
        outcomes = []
        for _ in range(2):
            cuts = sorted([0, 8, *rng.choices(range(9), k=2)])
            outcomes.append(
                [(Q(b - a, 8), rng.randrange(3), rng.randrange(3)) for a, b in itertools.pairwise(cuts) if b > a]
            )
        states.append(outcomes)
    return vr.MDP.from_outcomes(states, initial=["1/2", "1/2", 0], horizon=horizon)


def worth(mdp, G, act, remember=lambda memory, r: memory):
    """The objective of a policy by following every path, exactly; ``act(t, s, memory)`` is a law of actions."""
    paths = [(p, s, 0, Q()) for s, p in mdp.initial]
    for t in range(mdp.horizon):
        paths = [
            (p * w * q, to, remember(memory, r), z + r)
            for p, s, memory, z in paths
            for a, w in act(t, s, memory).items()
            for q, to, r in mdp.actions(s)[a].outcomes
        ]
    law = Counter()
    for p, _, _, z in paths:
        law[z] += p
    return G.of(vr.Law(law))


MIXED = {0: Q(1, 4), 1: Q(3, 4)}
FACTS = {"horizon": 3, "rewards": [0, 1, 2], "states": [0, 1, 2]}


# -- counting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [(), (2,)])
def test_counts_are_those_of_the_rows_whatever_the_source(tmp_path, ending):
    rows = without(played(model(1), 60, 1, "uniform", ending), (0, 1))
    del rows[-1]  # the last episode is cut off
    episodes = len({row[0] for row in rows})
    wanted = Counter((f"s{s}", a, r, None if over else f"s{x}") for _, s, a, r, x, over in rows)
    named = [(f"e{k}", f"s{s}", a, r, "" if over else f"s{x}", over) for k, s, a, r, x, over in rows]
    path = tmp_path / "log.csv"
    path.write_text("\n".join([",".join(("id", *ROLES[1:])), *(",".join(map(str, row)) for row in named)]) + "\n")
    frame = Frame(zip(ROLES, map(np.array, zip(*named, strict=True)), strict=True))
    steps = [(s, a, float(r), x, over, k + 1 == len(named) or named[k + 1][0] != e)
             for k, (e, s, a, r, x, over) in enumerate(named)]  # fmt: skip
    logs = [
        log_of(named), vr.Log.from_csv(path, episode="id"), vr.Log.from_dataframe(frame),
        vr.Log.from_transitions(steps),
    ]  # fmt: skip
    if not ending:  # the next row tells
        logs.append(
            vr.Log.from_arrays(
                **{name: x for name, x in zip(ROLES, zip(*named, strict=True), strict=True) if name != "next_state"}
            )
        )
    for i, log in enumerate(logs):
        problem = LogProblem(log, vr.Mean(), "1/20", {"rewards": [0, 1, 2]}, ())
        pairs = [(s, a) for s, own in zip(problem.live, problem.own, strict=True) for a in own]
        found, starts = Counter(), Counter()
        for (p, to, atom), n in problem.outcomes.items():
            if p < len(pairs):
                found[
                    *pairs[p], problem.shell.low + problem.shell.range * problem.shell.atoms[atom], problem.ends[to]
                ] += n
            else:
                starts[problem.ends[to]] += n
        lost = Counter(wanted) - found
        assert not found - wanted
        assert lost.total() == (0 if i < 4 else episodes)  # without next states the last steps are not counted
        assert starts == Counter({row[0]: row[1] for row in reversed(named)}.values())
        live, states = len({s for _, s, *_ in rows}), 3 + 1  # the end is the third, and one comes before the start
        assert problem.untried == live * 2 - len({(s, a) for _, s, a, *_ in named}) == 1
        assert problem.task.knowledge.tests == live * 2 * states * 3 + states
        assert (log.episodes, int(log.complete.sum()), log.longest) == (episodes, sum(x[-1] for x in rows), 3)
        assert log.returns(2)[0] == sum(row[3] for row in rows[:2] if row[0] == rows[0][0])


class Minari:
    """A data set as the package ``minari`` gives it: a last step that led nowhere repeats its state."""

    def __init__(self, rows, shape=np.array):
        self.rows, self.shape = rows, shape

    def iterate_episodes(self):
        for k, own in itertools.groupby(self.rows, key=lambda row: row[0]):
            _, state, action, reward, after, ended = zip(*own, strict=True)
            seen = self.shape([*state, state[-1] if ended[-1] else after[-1]])
            yield SimpleNamespace(
                id=k, observations=seen, actions=np.array(action), rewards=np.array(reward, float), terminations=ended
            )


def test_a_minari_data_set_is_read_as_its_rows():
    rows = played(model(3), 80, 2, "uniform", ending=(2,))
    log, plain = vr.Log.from_minari(Minari(rows)), log_of(rows)
    for name in ("states", "actions", "rewards", "first", "state", "action", "reward", "successor"):
        assert list(getattr(log, name)) == list(getattr(plain, name)), name
    pairs = vr.Log.from_minari(Minari(rows, lambda x: (np.array(x), np.zeros(len(x), int))))
    assert pairs.states == tuple((s, 0) for s in plain.states)
    assert vr.Log.from_minari(Minari(rows, lambda x: np.array(x)[:, None])).states == tuple((s,) for s in plain.states)
    with pytest.raises(InvalidArgument, match=r"episode 0: observations are float64 of shape \(\d,\), wanted integers"):
        vr.Log.from_minari(Minari(rows, lambda x: np.array(x, float)))
    with pytest.raises(InvalidArgument, match=r"episode 0: \d observations, wanted one more than \d actions"):
        vr.Log.from_minari(Minari(rows, lambda x: np.array(x[1:])))
    with pytest.raises(MissingDependency, match=r"verified-risk\[minari\]"):
        vr.Log.from_minari("toy/nowhere-v0")


def test_a_state_named_terminal_and_a_flag_mean_the_same():
    rows = played(model(3), 200, 2, "uniform", ending=(2,))
    facts = {"horizon": 3, "rewards": [0, 1, 2]}
    by_flag = vr.plan_from_log(log_of(rows), "cvar(1/2)", **facts)
    by_name = vr.plan_from_log(log_of([(*row[:5], False) for row in rows], terminal=[2]), "cvar(1/2)", **facts)
    assert (by_flag.interval, by_flag.policy.rule()) == (by_name.interval, by_name.policy.rule())
    shown = [(*row[:4], 0 if row[5] else row[4], row[5]) for row in rows]  # what follows the end does not matter
    assert vr.plan_from_log(log_of(shown), "cvar(1/2)", **facts).interval == by_flag.interval
    cut = vr.plan_from_log(log_of([(*row[:5], False) for row in rows]), "cvar(1/2)", **facts)
    assert cut.interval.upper > by_flag.interval.upper  # a state in which nothing was done may be worth anything


def test_rewards_that_a_grid_makes_equal_are_counted_together():
    rows = [(k, 0, 0, r, 0, True) for k, r in enumerate(["2/5", "1/2", "1/2", 1, "3/10"])]
    problem = LogProblem(log_of(rows), vr.Mean(), "1/20", {"reward_range": (0, 1), "eta": "1/2", "initial": 0}, ())
    assert {problem.shell.atoms[atom]: n for (_, _, atom), n in problem.outcomes.items()} == {Q(1, 2): 4, Q(1): 1}


# -- bounds ------------------------------------------------------------------------------------------------------------


class Plain:
    """Bounds by recursion on (step, state, return), with dictionaries: KL ends by bisection, balls by their primal."""

    def __init__(self, rows, delta, sets, horizon, rewards, states):
        self.T, self.states, self.rewards, self.sets = horizon, states, rewards, sets
        self.seen = {}
        for _, s, a, r, x, _ in rows:
            self.seen.setdefault((s, a), Counter())[x, r] += 1
        first = {row[0]: row[1] for row in reversed(rows)}
        self.seen["start"] = Counter((s, 0) for s in first.values())
        pairs, S = 2 * len(states), len(states) + 1
        self.log = math.log((pairs * S * len(rewards) + S if sets == "kl" else pairs + 1) / delta)

    def extreme(self, pair, value, sign):
        """The largest (sign 1) or least mean of ``value(state, reward)`` over the set of a pair."""
        seen = self.seen.get(pair, {})
        rewards = (0,) if pair == "start" else self.rewards
        f = {o: sign * value(*o) for o in itertools.product(self.states, rewards)}
        n = sum(seen.values())
        if n == 0:
            return sign * max(f.values())
        if self.sets == "kl":
            size = self.log + 0.5 * math.log(n) + math.log(2)
            low = {o: kl_low(x, n, size) for o, x in seen.items()}
            return sign * (sum(q * f[o] for o, q in low.items()) + (1 - sum(low.values())) * max(f.values()))
        rate = (self.log + plain_redundancy(list(seen.values()), len(f))) / n
        return sign * primal({o: x / n for o, x in seen.items()}, f, rate)

    def cost(self, rho, sign, act=None, kind=lambda missing: max(missing, 0)):
        """Bounds on E kind(rho - Z) of a policy ``act(t, s, y)``, a law, or of the best one."""
        memo = {}

        def table(t, s, y):
            if t == self.T:
                return kind(rho - y)
            if (t, s, y) not in memo:
                rows = [self.extreme((s, a), lambda x, r: table(t + 1, x, y + r), sign) for a in range(2)]
                law = None if act is None else act(t, s, y)
                memo[t, s, y] = min(rows) if law is None else sum(float(p) * rows[a] for a, p in law.items())
            return memo[t, s, y]

        return self.extreme("start", lambda s, r: table(0, s, 0), sign)

    def cvar(self, alpha, sign, act=None):
        top = self.T * max(self.rewards)
        return max(rho - self.cost(rho, sign, act) / alpha for rho in range(top + 1))


def plain_redundancy(counts, possible):
    """``log(prod p^x / q(x))``, q over every support, one by one."""
    n, k = sum(counts), len(counts)
    q = mpmath.mpf(0)
    for m in range(k, possible + 1):
        supports = math.comb(possible - k, m - k)
        rising = mpmath.fprod(mpmath.rf(mpmath.mpf(1) / 2, x) for x in counts) / mpmath.rf(mpmath.mpf(m) / 2, n)
        q += mpmath.mpf(possible + 1) / (possible * m * (m + 1)) / math.comb(possible, m) * supports * rising
    return float(mpmath.fsum(x * mpmath.log(mpmath.mpf(x) / n) for x in counts) - mpmath.log(q))


def primal(p, f, rate):
    """The largest mean over the ball, attained: P = (1 - z) p/(c - f) normalised, the rest z at the greatest f."""
    top = max(f.values())
    if all(f[o] == top for o in p):
        return top

    def law(z):
        w = {o: x / (z + (top - f[o])) for o, x in p.items()}
        return {o: x / sum(w.values()) for o, x in w.items()}

    def divergence(P):
        return sum(x * math.log(x / P[o]) for o, x in p.items())

    if all(f[o] < top for o in p) and divergence(P := law(0.0)) < rate:
        keep = math.exp(divergence(P) - rate)  # the divergence grows by -log(keep)
        return keep * sum(P[o] * f[o] for o in p) + (1 - keep) * top
    a, b = -60.0, 60.0
    for _ in range(200):
        c = (a + b) / 2
        a, b = (c, b) if divergence(law(math.exp(c))) > rate else (a, c)
    return sum(x * f[o] for o, x in law(math.exp(b)).items())


@pytest.mark.parametrize("sets", ["kl", "ball"])
@pytest.mark.parametrize("seed", range(3))
def test_intervals_are_those_of_plain_recursion(sets, seed):
    rows = played(model(seed), (30, 3000, 2000)[seed], seed, "uniform")
    rows = without(rows, (2, 0)) if seed == 1 else rows
    log, plain = log_of(rows), Plain(rows, 0.05, sets, 3, (0, 1, 2), (0, 1, 2))
    for alpha in (Q(1, 3), Q(1))[: 2 - seed % 2]:
        G = vr.CVaR(alpha) if alpha < 1 else vr.Mean()
        ans = vr.plan_from_log(log, G, sets=sets, replay=False, **FACTS)
        wanted = [plain.cvar(float(alpha), 1), plain.cvar(float(alpha), -1)]
        if seed == 1:  # actions that are not in the log have tests, and are not played
            assert wanted[0] > 1
            wanted[1] = float(ans.interval[1])
        assert [float(x) for x in ans.interval] == pytest.approx(wanted, abs=1e-6)
        assert ans.interval[0] <= wanted[0] + 1e-9
        assert ans.interval[1] >= wanted[1] - 1e-9
        mine = vr.evaluate_from_log(log, ans.policy, G, sets=sets, **FACTS)
        assert float(mine.lower) == pytest.approx(float(ans.lower), abs=1e-7)
        given = vr.evaluate_from_log(log, dict.fromkeys(range(3), MIXED), G, sets=sets, **FACTS)
        wanted = [plain.cvar(float(alpha), sign, lambda *_: MIXED) for sign in (1, -1)]
        assert [float(x) for x in given.interval] == pytest.approx(wanted, abs=1e-6)
    assert seed == 1 or log.budget.spent == Q(1, 20)  # the same sets for every question


@pytest.mark.parametrize("seed", range(60))
def test_a_ball_is_bounded_by_its_dual_from_above_and_tightly(seed):
    """Against the primal, and against laws drawn from the ball."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 6))
    p, rate = rng.dirichlet(np.ones(k)), float(10 ** rng.uniform(-6, 1.5))
    f = rng.choice([1e-3, 1.0, 1e3]) * (np.round(4 * rng.normal(size=k + 1)) / 4 + rng.choice([0, 50]))
    most = f.max()
    bound = float(ball_above(f[:k, None], np.array([most]), p, rate)[0])
    size = max(np.abs(f).max(), 1e-3)
    best = primal(dict(enumerate(p)), dict(enumerate(f)), rate)
    assert best - 1e-12 * size <= bound <= best + 1e-5 * (np.ptp(f) + 1e-9)
    for P in rng.dirichlet(np.append(p, 0.01) * 10 ** rng.uniform(0, 5) + 1e-12, size=200):
        with np.errstate(divide="ignore"):
            inside = (p * np.log(p / np.maximum(P[:k], 1e-300))).sum() <= rate
        assert not inside or P @ f <= bound + 1e-12 * size


def test_the_best_target_is_found_between_others(monkeypatch):
    question = Question("a policy", log_of(played(model(2), 300, 2, "uniform")), "cvar(1/3)", "1/20", None, FACTS)
    rule, by_return = question._rule(question.best().policy)
    assert by_return

    def missing(b):
        return np.maximum(b, 0) * 8

    scores = np.arange(7) - question.rows.by_target(missing, 1, rule, True, np.arange(7))
    monkeypatch.setattr(log_problem, "TARGETS", 4)
    assert scores.argmax() % 2 == 1  # not among the first four, 0, 2, 4 and 6
    assert question.rows.best_target(missing, rule, True) == (scores.argmax(), scores.max())


def test_balls_are_rounded_outward():
    """Where the bound is a float, where one outcome of worth 0 was seen, and where the radius is log(odds) / N: one
    possible outcome costs nothing."""
    for rate in np.random.default_rng(1).random(40).tolist():
        with mpmath.workdps(40):
            assert mpmath.mpf(float(ball_above(np.zeros((1, 1)), np.ones(1), np.ones(1), rate)[0])) >= -mpmath.expm1(
                -rate
            )
    for most in (1.0, 1 / 3, -1e6):
        assert ball_above(np.full((2, 1), most), np.array([most]), np.array([0.5, 0.5]), 0.1)[0] >= most
    below = 0
    with mpmath.workdps(40):
        for n in range(1, 60):
            exact, rate = mpmath.log(20 * n) / n, ball_rate((n,), n, 1, 1, Q(20 * n))
            assert exact <= rate <= exact * (1 + mpmath.mpf(10) ** -15)
            below += float(exact) < exact
    assert below > 15


def test_the_mixture_over_supports_is_a_law_and_its_rate_is_rounded_up():
    for possible, limit, n in ((3, 3, 4), (4, 2, 4), (5, 5, 3)):
        total = Q(0)
        for x in itertools.product(range(n + 1), repeat=possible):
            seen = tuple(sorted(k for k in x if k))
            if sum(x) == n and len(seen) <= limit:
                rate = ball_rate(seen, n, possible, limit, Q(1))
                q = math.prod((k / n) ** k for k in seen) * math.exp(-rate * n)
                total += Q(math.factorial(n), math.prod(map(math.factorial, x))) * Q(q)
        assert float(total) == pytest.approx(1, abs=1e-12)
    for counts in ((1,), (5, 1), (300, 20, 7), (10**6, 3)):
        exact = (math.log(80) + plain_redundancy(list(counts), 9)) / sum(counts)
        assert -1e-13 <= ball_rate(counts, sum(counts), 9, 9, Q(80)) / exact - 1 < 1e-8


# -- coverage ----------------------------------------------------------------------------------------------------------


def covered(seed, behave, sets, episodes):
    """True if every claim about one log is true."""
    mdp, G = model(seed), vr.CVaR("1/2")
    log = log_of(played(mdp, episodes, seed, behave))
    ans = vr.plan_from_log(log, G, sets=sets, delta="1/10", actions=[0, 1], **FACTS)
    mine = worth(mdp, G, lambda *at: {ans.policy.act(*at): 1}, ans.policy.observe)
    given = vr.evaluate_from_log(log, dict.fromkeys(range(3), MIXED), G, sets=sets, delta="1/10", **FACTS)
    best = vr.exact_plan(mdp, G).value
    fair = given.interval[0] <= worth(mdp, G, lambda *_: MIXED) <= given.interval[1]
    return fair and ans.lower <= mine <= best <= ans.interval[1]


@pytest.mark.parametrize("logs", [8, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("behave", BEHAVIOURS)
@pytest.mark.parametrize("sets", ["kl", "ball"])
def test_what_is_claimed_of_logs_is_true(behave, sets, logs):
    assert sum(covered(seed, behave, sets, 10 + seed) for seed in range(logs)) >= 0.9 * logs - 1


def test_quantiles_and_weightings_with_several_tails_are_bounded():
    mdp = model(5)
    rows = played(mdp, 3000, 5, "uniform")
    log, plain = log_of(rows), Plain(rows, 0.05, "kl", 3, (0, 1, 2), (0, 1, 2))
    worst, best = ([plain.cost(rho, sign, kind=lambda b: float(b > 0)) for rho in range(7)] for sign in (1, -1))
    for k in range(1, 20):
        wanted = [max(rho for rho in range(7) if costs[rho] < k / 20) for costs in (worst, best)]
        for level in (f"var({k}/20)", f"var({k}/20, upper)"):
            assert list(vr.plan_from_log(log, level, replay=False, **FACTS).interval) == wanted
    for G in (vr.VaR("1/2"), vr.Spectral(["1/4", "1/2"], ["1/2", "1/2"]), vr.Wang("1/2")):
        ans = vr.plan_from_log(log, G, **FACTS)
        mine = worth(mdp, G, lambda *at, own=ans.policy: {own.act(*at): 1}, ans.policy.observe)
        best = vr.plan(mdp, G)
        ends = [getattr(x, "lower", x) for x in (mine, best.upper)]
        assert ans.lower <= ends[0] + Q(1, 10**6)
        assert ends[1] <= ans.interval.upper
        given = vr.evaluate_from_log(log, ans.policy, G, **FACTS)
        assert given.interval.lower <= ends[0] <= given.interval.upper
        assert given.interval.upper - given.interval.lower < 3
    with pytest.raises(Unsupported, match="balls have no planner"):
        vr.plan_from_log(log, "wang(1/2)", sets="ball", **FACTS)
    with pytest.raises(Unsupported, match="neither concave nor a quantile"):
        vr.plan_from_log(log, vr.CPW("1/2"), **FACTS)


def test_the_behaviour_is_bounded_by_its_returns():
    mdp, G = model(7), vr.CVaR("1/4")
    log = log_of(played(mdp, 2000, 7, "uniform"))
    found = vr.evaluate_from_log(log, "behaviour", G, delta="1/8", **FACTS)
    z = sorted(log.returns(3))
    band = math.sqrt(math.log(16) / 4000)
    kept = [0] * round(2000 * band) + [float(x) for x in z[: 500 - round(2000 * band)]]
    assert float(found.lower) == pytest.approx(sum(kept) / 500, abs=5e-3)
    truth = worth(mdp, G, lambda *_: {0: Q(1, 2), 1: Q(1, 2)})
    assert found.lower <= truth <= found.interval.upper
    with pytest.raises(InvalidArgument, match=r"row 2: the episode is cut off before step 4"):
        vr.evaluate_from_log(log, "behaviour", G, rewards=[0, 1, 2], horizon=4)


# -- facts and words ---------------------------------------------------------------------------------------------------


def test_facts_narrow_the_interval_and_false_ones_are_named_with_their_row(tmp_path):
    mdp = model(2)
    rows = played(mdp, 300, 3, "uniform")
    log = log_of(rows)
    follows = {(s, a): sorted({x for p, x, r in mdp.actions(s)[a].outcomes}) for s in range(3) for a in range(2)}
    plain = vr.plan_from_log(log, "mean", **FACTS)
    gaps = []
    for told in ({"known_successors": follows}, {"initial": {0: "1/2", 1: "1/2"}}, {"known_successors": 3}):
        found = vr.plan_from_log(log, "mean", **FACTS, **told)
        gaps.append(plain.interval.upper - plain.lower - (found.interval.upper - found.lower))
    assert min(gaps) > 0
    learner = LogProblem(log, vr.Mean(), "1/20", {**FACTS, "known_successors": 2}, ()).learner()
    for p, row in enumerate(Rows(learner, delta=Q(1, 20)).rows[:6]):  # the mixture is over what was possible beforehand
        counts = learner.counts.count[p, : learner.counts.length[p]].tolist()
        assert row.rate == ball_rate(tuple(sorted(counts)), sum(counts), 9, 2, Q(7 * 20))
        assert (row.listed is not None) == (len(counts) == 2)
    for told, said in (
        ({"known_successors": {**follows, (0, 0): [2]}}, r"row \d+: state 0, action 0 led to state .* is \[2\]"),
        ({"known_successors": 1}, r"row \d+: .* its outcome number 2"),
        ({"known_rewards": lambda s, a, x: 0}, r"row \d+: .* led to state \d with reward \d"),
        ({"rewards": [0, 1]}, rf"row {next(k for k, x in enumerate(rows) if x[3] == 2)}: the reward is 2, outside"),
        ({"largest_return": 3}, r"row \d+: .* return of \d, but largest_return is 3"),
        ({"initial": 0}, rf"row {next(k for k, x in enumerate(rows) if k % 3 == 0 and x[1])}: an episode begins in 1"),
        ({"states": [0, 1]}, rf"row {next(k for k, x in enumerate(rows) if 2 in (x[1], x[4]))}: 2 is not among"),
        ({"actions": [0]}, rf"row {next(k for k, x in enumerate(rows) if x[2])}: 1 is not among"),
        ({"initial": {7: 1}}, "wanted a law on the states"),
        ({"horizon": 0}, "horizon is 0, wanted a positive integer"),
        ({"reward": [1]}, "reward is no option"),
    ):  # fmt: skip
        with pytest.raises(InvalidArgument, match=said):
            vr.plan_from_log(log, "mean", **{**FACTS, **told})
    with pytest.raises(InvalidArgument, match=r"the log has 0, 1, 2, and rewards=log\.rewards asserts"):
        vr.plan_from_log(log, "mean")
    longer = vr.plan_from_log(log, "mean", **{**FACTS, "horizon": 5, "states": [0, 1, 2, "never"]})
    assert [x[:24] for x in longer.notes[:2]] == ["the horizon is 5, the lo", "nothing was done in neve"]
    assert "cannot show it" in str(longer)
    assert "repeats the first" in str(
        vr.plan_from_log(log_of([*rows, *((x[0] + 300, *x[1:]) for x in rows)]), "mean", **FACTS)
    )


def test_actions_may_be_declared_state_by_state():
    rows = without(without(played(model(2), 300, 3, "uniform"), (0, 1)), (2, 0))
    told = {**FACTS, "actions": {0: [0], 1: [0, 1], 2: [1]}}
    problem = LogProblem(log_of(rows), vr.Mean(), "1/20", told, ())
    assert (problem.own, problem.untried) == (((0,), (0, 1), (1,)), 0)
    assert problem.task.knowledge.tests == 4 * 4 * 3 + 4  # one state comes before the start
    ended = log_of([(k, 0, 0, 1, 0, True) for k in range(3)])
    follows = {**told, "actions": [0, 1], "states": [0], "known_successors": {(0, 0): [None]}}
    lists = LogProblem(ended, vr.Mean(), "1/20", follows, ()).task.knowledge.lists
    assert [len(x) for x in lists[:2]] == [1 * 3, 2 * 3]  # without an entry: all states, and the end
    wrong = next(k for k, x in enumerate(rows) if x[1] == 1 and x[2] == 1)
    told["actions"][1] = [0]
    with pytest.raises(InvalidArgument, match=f"row {wrong}: action 1 in 1, wanted 0"):
        vr.plan_from_log(log_of(rows), "mean", **told)


def test_thin_pairs_are_those_with_little_data_and_the_policy_is_kept_in_a_file(tmp_path):
    mdp = model(4)
    rows = played(mdp, 800, 4, "expert")
    ans = vr.plan_from_log(log_of(rows), vr.CVaR("1/2"), sets="kl", **FACTS)
    again = vr.plan_from_log(log_of(rows), vr.CVaR("1/2"), **FACTS)
    for found in (ans, again):
        assert [x.cost or 0 for x in found.thin] == sorted((x.cost or 0 for x in found.thin), reverse=True)
        assert found.thin[0].cost > 0
        counts = Counter((s, a) for _, s, a, *_ in rows)
        assert all(x.visits == counts[x.state, x.action] for x in found.thin)
    ans.policy.save(tmp_path / "policy.json")
    same = BlackBoxPolicy.load(tmp_path / "policy.json")
    assert all(same.rule(t, y) == ans.policy.rule(t, y) for t in range(3) for y in range(7))
    with pytest.raises(InvalidArgument, match="the state is 9, which the log has not"):
        same.player().act(9)
    assert ans.to_json()["interval"]["lower"]


def test_the_budget_counts_sets_once_each_at_the_largest_delta_and_stops_at_its_limit():
    log = log_of(played(model(1), 50, 1, "uniform"), delta="1/10")
    for G in ("mean", "cvar(1/2)", "cvar(1/4)"):
        vr.plan_from_log(log, G, delta="1/20", replay=False, **FACTS)
    assert log.budget.spent == Q(1, 20)
    vr.plan_from_log(log, "mean", delta="1/40", replay=False, **FACTS)  # wider sets
    for delta in ("1/20", "1/40"):
        vr.evaluate_from_log(log, "behaviour", "mean", delta=delta, **FACTS)
    assert log.budget.spent == Q(1, 10)
    for told in ({"sets": "kl"}, {"delta": "1/19"}, {"known_successors": 3}, {"rewards": [0, 1, 2, 3]}):
        with pytest.raises(InvalidArgument, match="only 0 of the log's budget is left"):
            vr.plan_from_log(log, "mean", **{**FACTS, "delta": "1/20", "replay": False, **told})
    assert "with probability 9/10" in str(log.budget)
    assert len(log.budget.questions) == 6


GOOD = [("a", 0, 0, 0, 1, ""), ("a", 1, 0, 1, 2, "true"), ("b", 0, 1, 0, 0, ""), ("b", 0, 1, 1, 1, "")]


@pytest.mark.parametrize(
    ("row", "column", "value", "said"),
    [
        (2, 0, "c", "line 5: episode 'b' begins again|line 4"),
        (3, 0, "a", "line 5: episode 'a' begins again, it was at .*line 2"),
        (1, 1, "7", "line 2: next_state is 1, but the episode goes on in 7"),
        (2, 1, "", "line 4: state is '', wanted text"),
        (3, 2, "", "line 5: action is '', wanted text"),
        (1, 3, "nan", "line 3: reward is 'nan'"),
        (1, 3, "1,5", "line 3: 7 entries, wanted 6"),
        (2, 3, "", "line 4: reward is ''"),
        (0, 4, "", "line 2: next_state is '', but the episode goes on in 1"),
        (0, 5, "yes", "line 2: terminated is true, but the episode goes on"),
        (0, 5, "maybe", "line 2: terminated is 'maybe', wanted true or false"),
    ],
)
def test_the_first_bad_row_is_named(tmp_path, row, column, value, said):
    rows = [list(map(str, x)) for x in GOOD]
    rows[row][column] = value
    path = tmp_path / "log.csv"
    path.write_text("\n".join(",".join(x) for x in [ROLES, *rows]))
    if value == "c":  # another id, in its place
        assert vr.Log.from_csv(path).episodes == 3
        return
    with pytest.raises((InvalidArgument, InvalidFile), match=said):
        vr.Log.from_csv(path)


def test_columns_are_checked_as_a_whole():
    columns = dict(zip(ROLES, zip(*GOOD, strict=True), strict=True))
    for wrong, said in (
        ({"reward": [0, 1]}, "reward has 2 rows, wanted 4 as in episode"),
        ({"reward": [0, float("nan"), 0, 0]}, "row 1: reward is nan"),
        ({"state": [0, 1, None, 0]}, "row 2: state is None"),
        ({"step": [0, 1, 0, 2]}, "row 3: step is 2, wanted a whole number, one more"),
        ({"terminal": [0]}, "row 0: state is 0, which is terminal"),
        ({"delta": 2}, "delta is 2, wanted a probability"),
        ({"rewards": []}, "rewards is 'rewards', wanted one column for"),
        (dict.fromkeys(ROLES, ()), "episode has 0 rows"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            vr.Log.from_arrays(**{**columns, **wrong})
    with pytest.raises(InvalidArgument, match="row 1: 2 entries, wanted 6"):
        vr.Log.from_transitions([(0, 0, 0, 1, False, False), (1, 2)])
    log = vr.Log.from_arrays(**columns)
    for policy, said in (
        ({0: 0}, "the policy in 1 is None"),
        ({0: {0: "1/2"}, 1: 0}, "wanted 0, 1 or a law of them"),
        (3, "policy is 3, wanted 'behaviour'"),
        (vr.plan_from_log(log, "mean", rewards=[0, 2, 1]).policy, "other states, actions, rewards or steps"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            vr.evaluate_from_log(log, policy, "mean", rewards=[0, 1])
