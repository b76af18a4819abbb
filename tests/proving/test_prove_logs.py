"""Guarantees from logs, proved: the interval against the truth, certificates against plain fractions.

The oracle reads the text of a certificate and judges it by another way than the checker: ends by products of fractions,
bounds by recursion over the reward that was earned.  It shares no code with the writer or the checker.
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from fractions import Fraction as Q
from functools import lru_cache
from math import prod
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from proof_files import accepted, certificate_text, plant_program, verdicts

import verified_risk as vr
from verified_risk.errors import InvalidArgument, InvalidFile, NotProved, Unsupported
from verified_risk.learning import learner, log_answers
from verified_risk.learning.environment import shell_of
from verified_risk.learning.log_problem import LogProblem
from verified_risk.learning.problem import standard_form
from verified_risk.learning.run_log import _regridded

INITIAL = {0: "2/3", 1: "1/3"}
FACTS = {"rewards": [-1, 0, 2], "initial": INITIAL, "horizon": 2, "states": [0, 1], "actions": [0, 1]}
OBJECTIVES = {"mean": (Q(1), Q(1)), "cvar(1/3)": (Q(0), Q(1, 3)), "1/4*mean + 3/4*cvar(1/2)": (Q(1, 4), Q(1, 2))}


def world(seed: int, horizon: int = 2, more: int = 0) -> vr.MDP:
    """Two states and an end, two actions, rewards -1, 0 and 2 with the next state, 0 at the end; ``more`` is added."""
    rng = random.Random(seed)
    states = []
    for _ in range(2):
        cuts = [sorted(rng.sample(range(1, 10), 2)) for _ in range(2)]
        rows = [[(Q(a, 10), 0, rng.choice([-1, 2])), (Q(b - a, 10), 1, 0), (1 - Q(b, 10), 2, 2)] for a, b in cuts]
        states.append([[(p, to, r + more) for p, to, r in row] for row in rows])
    states.append([[(Q(1), 2, more)]] * 2)
    return vr.MDP.from_outcomes(states, initial=["2/3", "1/3", 0], horizon=horizon)


def log_of(rows) -> vr.Log:
    roles = ("episode", "state", "action", "reward", "next_state", "terminated")
    return vr.Log.from_arrays(**dict(zip(roles, zip(*rows, strict=True), strict=True)))


def logged(mdp: vr.MDP, episodes: int, seed: int, adaptive: bool = False) -> tuple[vr.Log, Counter]:
    """A log whose behaviour is uniform, or repeats the action that paid most so far; and its transitions, counted."""
    rng, rows, paid = random.Random(seed), [], Counter()
    for k in range(episodes):
        (s,) = rng.choices([0, 1], [2, 1])
        for _ in range(mdp.horizon):
            best = max((0, 1), key=lambda a, s=s: paid[s, a])
            a = best if adaptive and rng.random() < 0.7 else rng.randrange(2)
            p, to, r = zip(*mdp.actions(s)[a].outcomes, strict=True)
            (j,) = rng.choices(range(len(p)), [float(x) for x in p])
            paid[s, a] += r[j]
            rows.append((k, s, a, r[j], to[j], to[j] == 2))
            s = to[j]
            if s == 2:
                break
    return log_of(rows), Counter((s, a, r, to) for _, s, a, r, to, _ in rows)


def answered(log: vr.Log, objective: str, **facts):
    return vr.plan_from_log(log, objective, **{name: x for name, x in (FACTS | facts).items() if x is not None})


# -- the oracle -------------------------------------------------------------------------------------------------------


class Text:
    """The parts of a certificate, read word by word; an error if it is none."""

    def __init__(self, text: str) -> None:
        words = iter(text.split())

        def number(name: str = "", kind=int):
            assert not name or next(words) == name
            return kind(next(words))

        assert number("verified-risk-data") == 2
        assert next(words) == "objective"
        self.w, self.alpha = number("tail", Q), number("", Q)
        self.lower, self.upper = number("claim", Q), number("", Q)
        self.delta, self.tests = number("delta", Q), number("tests")
        assert number("discount", Q) == 1
        self.den = number("reward_denominator")
        self.n, self.horizon, total = number("state_count"), number("horizon"), number("initial")
        self.initial = {number(): Q(number(), total) for _ in range(number())}
        self.rows: dict[int, list] = {}
        for _ in range(number("states")):
            state = number()
            self.rows[state] = [
                (number(), number(), number(), [tuple(number() for _ in range(4)) for _ in range(number())])
                for _ in range(number())
            ]
        assert next(words) == "lower"
        number("budget")
        self.unit = number("unit", Q)
        assert (number("stretch"), number("shrink"), next(words)) == (1, 1, "windows")
        self.windows = [(number(), number()) for _ in range(self.horizon + 1)]
        self.start = number("start")
        self.choices = []
        for _ in range(self.horizon):
            table = {}
            for _ in range(number("choices")):
                state = number()
                table[state] = [a for _ in range(number()) for a in [number() * (number(),)]]
            self.choices.append({s: [a for run in runs for a in run] for s, runs in table.items()})
        assert next(words) == "upper"

    def cost(self, x: Q) -> Q:
        return self.w * x + (1 - self.w) / self.alpha * max(x, 0)

    def supports(self) -> bool:
        """True if the counts support the claim: ends, lower and upper bound."""
        if not (self.delta > 0 and 0 < self.alpha <= 1 and 0 <= self.w <= 1 and sum(self.initial.values()) == 1):
            return False
        odds = 4 * self.tests / self.delta
        for _, shares, beyond, outcomes in (row for rows in self.rows.values() for row in rows):
            n, k, seen = sum(x for _, _, x, _ in outcomes), len(outcomes), sum(x > 0 for _, _, x, _ in outcomes)
            missing = shares - sum(o[3] for o in outcomes)
            if len({o[:2] for o in outcomes}) < k or not 0 < beyond <= missing:
                return False
            if any(w and not passes(x, n, Q(w, shares), odds / 3) for _, _, x, w in outcomes):
                return False
            if beyond < missing and odds / k * (1 - Q(beyond, shares)) ** n > mixture(seen, k - seen):
                return False
        try:
            return self.lower <= self.low(0) and self.high() <= self.upper
        except (KeyError, IndexError, AssertionError):
            return False

    def bound(self, row, f, sign: int) -> Q:
        """The greatest or least mean of f over the laws above the ends of a row."""
        _, shares, beyond, outcomes = row
        values, most = [(Q(w, shares), f(s, Q(r, self.den))) for r, s, _, w in outcomes], max if sign > 0 else min
        kept = 1 - sum(q for q, _ in values) - Q(beyond, shares)
        inner = kept * most(v for (*_, x, _), (_, v) in zip(outcomes, values, strict=True) if x) if kept else 0
        return sum(q * v for q, v in values) + inner + Q(beyond, shares) * most(v for _, v in values)

    def low(self, shift: int) -> Q:
        """A lower bound on the value of the certificate's policy, its start and windows shifted."""
        rho = (self.start + shift) * self.unit

        @lru_cache(None)
        def worst(t: int, s: int, earned: Q) -> Q:
            if t == self.horizon:
                return self.cost(rho - earned)
            first, last = self.windows[t]
            index = self.start - int(earned / self.unit)
            assert index <= last
            row = self.rows[s][self.choices[t][s][max(index - first, 0)]]
            return self.bound(row, lambda after, r: worst(t + 1, after, earned + r), 1)

        return rho - sum(p * worst(0, s, Q()) for s, p in self.initial.items())

    def high(self) -> Q:
        """An upper bound on the value of every policy."""

        @lru_cache(None)
        def least(t: int, s: int, left: Q) -> Q:
            if t == self.horizon:
                return self.cost(left)
            return min(self.bound(row, lambda after, r: least(t + 1, after, left - r), -1) for row in self.rows[s])

        gains = {r for rows in self.rows.values() for row in rows for r, *_ in row[-1]} | {0}
        returns = range(self.horizon * min(gains), self.horizon * max(gains) + 1)
        targets = [Q(r, self.den) for r in returns]
        return max(y - sum(p * least(0, s, y) for s, p in self.initial.items()) for y in targets)


def passes(x: int, n: int, q: Q, odds: Q) -> bool:
    """True if the mixture of Krichevsky and Trofimov reaches ``odds`` times the likelihood of q below x / n."""
    if not 0 < q < 1 or q * n > x:
        return False
    return odds * q**x * (1 - q) ** (n - x) <= mixture(x, n - x)


def mixture(a: int, b: int) -> Q:
    """The probability of a ones and then b zeros under the mixture of Krichevsky and Trofimov."""
    return prod([Q(2 * i + 1, 2) for n in (a, b) for i in range(n)], start=Q(1)) / prod(range(1, a + b + 1))


def value(mdp: vr.MDP, objective: str, act) -> Q:
    """The objective of a policy ``act(t, s, earned)`` by following every path."""
    law: dict[Q, Q] = {}
    paths = [(Q(p), s, Q()) for s, p in mdp.initial]
    for t in range(mdp.horizon):
        paths = [
            (p * q, to, earned + r)
            for p, s, earned in paths
            for q, to, r in mdp.actions(s)[0 if s == 2 else act(t, s, earned)].outcomes
        ]
    for p, _, earned in paths:
        law[earned] = law.get(earned, 0) + p
    w, alpha = OBJECTIVES[objective]
    tail = max(y - sum(p * max(y - z, 0) for z, p in law.items()) / alpha for y in law)
    return w * sum(p * z for z, p in law.items()) + (1 - w) * tail


# -- honest logs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(3))
def test_the_proved_interval_holds_the_truth_and_the_text_says_what_the_log_does(objective, seed, tmp_path):
    mdp = world(seed)
    log, seen = logged(mdp, 150, seed, adaptive=seed % 2 == 0)
    free = seed == 2  # one more step, from a state before the first, whose law is estimated
    found = answered(log, objective, sets=("ball", "kl")[seed % 2], **({"initial": None} if free else {}))
    proof = found.prove(certificate=tmp_path / "kept.txt")

    def act(t, s, earned):
        return found.policy.rule(t, earned)[s]

    assert proof.lower <= value(mdp, objective, act)
    assert vr.exact_plan(mdp, objective).value <= proof.upper
    assert proof.theorem == "rarely_wrong"
    assert proof.note.startswith("with probability at least 19/20, ")
    assert proof.note.endswith(f"the answer states {found.interval}")
    text = Text((tmp_path / "kept.txt").read_text())
    assert text.supports()
    assert (text.lower, text.upper) == (proof.lower, proof.upper)
    assert text.high() + Q(1, 10**5) > text.upper  # and nothing is given away
    assert max(text.low(shift) for shift in (-1, 0, 1)) - Q(1, 10**5) < text.lower
    counts = {(s, a, Q(r, text.den), to): x for s in (0, 1) for a, *_, row in text.rows[s] for r, to, x, _ in row if x}
    assert counts == seen
    # every action of both states to all ends with all rewards, the end, and the first state
    assert text.tests == 2 * 2 * 3 * 3 + 1 + 3 * free
    assert text.horizon == 2 + free
    for t, earned, s in ((0, Q(), 0), (0, Q(), 1), (1, Q(-1), 0), (1, Q(2), 0), (1, Q(), 1)):
        index = max(text.start - int(earned / text.unit) - text.windows[t + free][0], 0)
        assert text.rows[s][text.choices[t + free][s][index]][0] == act(t, s, earned)


def test_actions_that_were_never_tried_cost_tests_and_are_not_played(tmp_path):
    rows = [(k, 1, 0, 2, 2, 1) for k in range(40)] + [(50 + k, 0, 1, 0, 1, 0) for k in range(9)] + [(99, 1, 1, 0, 2, 1)]
    log = log_of(rows)
    facts = {name: x for name, x in FACTS.items() if name != "actions"}
    vr.plan_from_log(log, "mean", **facts).prove(certificate=tmp_path / "kept")
    text = Text((tmp_path / "kept").read_text())
    assert [[a for a, *_ in text.rows[s]] for s in (0, 1)] == [[1], [0, 1]]
    assert text.tests == 2 * 2 * 3 * 3 + 1
    assert text.supports()


def test_the_example_of_the_documentation_is_proved_and_cannot_claim_more(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "proof_format.md").read_text()
    example = page[page.index("verified-risk-data 2\n") :].partition("```")[0]
    assert Text(example).supports()
    more = example.replace("claim 699/1000", "claim 7/10"), example.replace("999/1000", "498/499")
    first, *others = verdicts([example, *more], tmp_path)
    assert first.startswith("proved by rarely_wrong; objective tail 1 1 claim 699/1000 999/1000; ")
    assert [line.split(": ")[0] for line in others] == ["refused", "refused"]


def test_what_was_not_seen_is_bounded_unless_the_checker_would_try_too_many_rows(tmp_path, monkeypatch):
    found = answered(logged(world(0), 300, 0)[0], "cvar(1/3)")
    proof = found.prove(certificate=tmp_path / "kept")
    monkeypatch.setattr(log_answers, "MOST_COMPLETED", 0)
    wide = found.prove(certificate=tmp_path / "wide")
    assert (wide.lower + Q(1, 10) < proof.lower, proof.upper + Q(1, 10) < wide.upper) == (True, True)
    for name, least in (("kept", 4), ("wide", 0)):
        text = Text((tmp_path / name).read_text())
        rows = [row for rows in text.rows.values() for row in rows]
        assert sum(beyond < shares - sum(o[3] for o in row) for _, shares, beyond, row in rows) == least
        assert text.supports()


def test_the_proof_spends_the_budget_of_the_log_once():
    log, _ = logged(world(0), 100, 0)
    found = answered(log, "mean")
    before = log.budget.spent
    found.prove()
    found.prove()
    assert log.budget.spent == before + Q(1, 20)


# -- runs --------------------------------------------------------------------------------------------------------------


def simulated(run: vr.Run) -> list[tuple]:
    """The steps of a run in a model, played once more with the policy of every episode."""
    mdp, draws, rows = run.mdp, np.random.default_rng(run.seed).random((run.episodes, 1 + 2 * run.mdp.horizon)), []
    for k in range(run.episodes):
        player, z = run.policy(k), draws[k]
        s, memory = first_above([(p, s) for s, p in mdp.initial], z[0]), player.start()
        for t in range(mdp.horizon):
            a = player.choice(t, s, memory)[0][0]
            follows = sorted((to, r, p) for p, to, r in mdp.actions(s)[a].outcomes)
            to, r = first_above([(p, (to, r)) for to, r, p in follows], z[2 + 2 * t])
            rows.append((k, s, a, r, to))
            memory, s = player.remember(memory, t, s, a, r), to
    return rows


def first_above(masses: list[tuple], u: float):
    total = Q(0)
    for p, x in masses:
        total += p
        if u < total:
            return x
    raise AssertionError


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("more", [0, 2])
def test_a_run_in_a_model_is_proved_from_what_it_played(objective, more, tmp_path):
    mdp = world(3, more=more)
    run = vr.learn(mdp, objective, episodes=60, seed=1, known_successors=more > 0)
    log, rows = run.log(), simulated(run)
    for k, (_, s, a, r, to) in enumerate(rows):
        here = log.states[log.state[k]], log.actions[log.action[k]], log.rewards[log.reward[k]]
        assert (*here, log.states[log.successor[k]]) == (s, a, r, to)
    proof = run.prove(delta="1/5", certificate=tmp_path / "kept")
    text = Text((tmp_path / "kept").read_text())
    assert (text.lower, text.upper, text.delta) == (proof.lower, proof.upper, Q(1, 5))
    assert text.supports()
    assert proof.note.endswith(f"the run states {run.interval}, and with probability at least 7/10 both are right")
    played, least = run.policy(), min(log.rewards)

    def act(t, s, earned):
        return played.choice(t, s, int(earned - t * least))[0][0]

    assert proof.lower <= value(mdp, objective, act)
    assert vr.exact_plan(mdp, vr.objective(objective)).value <= proof.upper
    counts = {
        (s, a, Q(r, text.den), to): x for s in range(3) for a, *_, row in text.rows[s] for r, to, x, _ in row if x
    }
    assert counts == Counter(row[1:] for row in rows)
    assert text.tests == (2 * 3 * 3 * 3, 2 * (3 + 3) * 3 + 2 * 3)[more > 0]  # any reward
    for t, earned, s in ((0, 0, 0), (0, 0, 1), (1, least, 0), (1, max(log.rewards), 0), (1, more, 1)):
        index = max(text.start - int(earned / text.unit) - text.windows[t][0], 0)
        assert text.rows[s][text.choices[t][s][index]][0] == act(t, s, earned)


def test_a_table_by_the_return_is_read_on_the_finer_grid_of_a_log():
    """Rewards 1 and 3 are 0 and 1 units of 2; with 0 they are 1 and 3 units of 1."""
    standard = standard_form(vr.MDP(0, [[[1]]], [[{1: "1/2", 3: "1/2"}]], horizon=3))
    shell = shell_of((1,), 1, 3, [1, 3], None, None, False)
    table = np.arange(9, dtype=np.int16).reshape(3, 1, 3)
    found = _regridded(table, standard, shell)
    for t in range(3):
        for threes in range(t + 1):
            assert found[t, 0, t + 2 * threes] == table[t, 0, threes]


class Walk:
    """A world as a black box: states 0 and 1 are observations (twice as pairs), the end is the end."""

    spec = None

    def __init__(self, mdp: vr.MDP, starts: list[int], pairs: bool) -> None:
        sizes = [SimpleNamespace(n=1), SimpleNamespace(n=2)]
        self.observation_space = SimpleNamespace(spaces=tuple(sizes)) if pairs else sizes[1]
        self.action_space, self.mdp, self.starts, self.pairs = SimpleNamespace(n=2), mdp, starts, pairs
        self.seen, self.rng = Counter(), random.Random(5)

    def named(self, s: int):
        return (0, s) if self.pairs else s

    def reset(self, seed=None):
        self.state, self.fresh = self.rng.choice(self.starts), True
        return self.named(self.state), {}

    def step(self, action):
        p, to, r = zip(*self.mdp.actions(self.state)[action].outcomes, strict=True)
        (j,) = self.rng.choices(range(len(p)), [float(x) for x in p])
        self.seen["start", self.state] += self.fresh
        self.fresh = False
        self.seen[self.state, action, r[j], to[j]] += 1
        self.state = to[j]
        return self.named(self.state % 2), r[j], to[j] == 2, False, {}


@pytest.mark.parametrize("starts", [[1], [0, 1]])
def test_a_run_in_an_environment_is_proved_from_its_counts_and_so_is_its_checkpoint(starts, tmp_path):
    env, free = Walk(world(4), starts, pairs=len(starts) == 1), len(starts) - 1
    told = {
        "horizon": 2,
        "rewards": [-1, 0, 2],
        "known_rewards": lambda s, a, to: (-1, 2) if to == 0 else 2 if to == 2 else 0,
    }
    told["known_successors"] = {(s, a): [0, 1, 2] for s in range(2) for a in range(2)}
    run = vr.learn(env, "cvar(1/3)", episodes=80, random_starts=free > 0, checkpoint=tmp_path / "state", **told)
    proof = run.prove(certificate=tmp_path / "kept")
    text = Text((tmp_path / "kept").read_text())
    assert text.supports()
    assert (text.tests, text.delta) == (2 * 2 * 4 + 1 + 3 * free, run.delta)
    rows = [(s, a, row) for s in range(2) for a, *_, row in text.rows[s]]
    assert {(s, a, Q(r, text.den), to): x for s, a, row in rows for r, to, x, _ in row if x} == {
        key: x for key, x in env.seen.items() if len(key) == 4
    }
    if free:
        ((*_, row),) = text.rows[3]
        assert {("start", to): x for _, to, x, _ in row if x} == {
            key: x for key, x in env.seen.items() if len(key) == 2
        }
    else:
        assert text.initial == {1: 1}
    for t, earned, s in ((0, 0, 0), (0, 0, 1), (1, -1, 0), (1, 2, 0), (1, 0, 1)):
        index = max(text.start - int(earned / text.unit) - text.windows[t + free][0], 0)
        player = run.policy()
        memory = player.observe(player.start(), earned) if t else 0
        assert text.rows[s][text.choices[t + free][s][index]][0] == player.act(t, env.named(s), memory)
    run.save(tmp_path / "run")
    again = vr.Run.load(tmp_path / "run").prove()  # the function of rewards is not in the file
    assert again.lower <= proof.lower <= proof.upper <= again.upper
    log = vr.Log.from_checkpoint(tmp_path / "state", delta="1/4")
    assert str(log) == f"80 episodes, of 2 states, 2 actions, as counts of {sum(env.seen.values()) - 80} steps"
    found = vr.plan_from_log(log, "cvar(1/3)", delta="1/10", horizon=2, rewards=[-1, 0, 2])
    assert found.prove().lower > again.lower - 1
    assert "the log has counts only, which cannot contradict the first assumption" in found.notes


def test_what_needs_episodes_is_refused_for_counts_and_damaged_counts_are_named(tmp_path, monkeypatch):
    env, path = Walk(world(4), [0], pairs=False), tmp_path / "state"
    run = vr.learn(env, "mean", episodes=40, horizon=2, rewards=[-1, 0, 2], checkpoint=path)
    log, told = vr.Log.from_checkpoint(path), {"horizon": 2, "rewards": [-1, 0, 2]}
    log.successor[log.successor < 0] = 0  # none has ended so far
    assert LogProblem(log, vr.Mean(), "1/20", {**told, "initial": 0}, ()).ends == (0, 1, None)
    for ask in (
        lambda: vr.plan_from_log(log, "mean", rewards=[-1, 0, 2]), lambda: vr.markov_test(log), lambda: log.returns(2),
        lambda: vr.evaluate_from_log(log, "behaviour", "mean", **told), lambda: log.longest,
        lambda: vr.plan_from_log(log, "mean", largest_return=4, **told),
        lambda: vr.plan_from_log(log, "mean", replay=True, **told),
        lambda: vr.evaluate_from_log(log, {}, "mean", sets="replay", **told),
    ):  # fmt: skip
        with pytest.raises(Unsupported, match="needs episodes, and this log has counts only"):
            ask()
    with pytest.raises(InvalidArgument, match="episode 0: an episode begins in 0, not as initial says"):
        vr.plan_from_log(log, "mean", initial=1, **told)
    for wrong, said in (
        ({"state": run.counts.state + 9}, r"state of the counts has \d+ in row 0, wanted 0 to 2"),
        ({"atom": run.counts.atom - 1}, "atom of the counts has -1 in row"),
        ({"times": run.counts.times * 0}, "times of the counts has 0 in row 0, wanted 1"),
        ({"times": run.counts.times[:, :2]}, r"times of the counts has shape \(5, 2\), wanted 5 rows of integers"),
        ({"first": 7}, "the first observation is 7, wanted one of 2"),
    ):
        with pytest.raises(InvalidFile, match=said):
            dataclasses.replace(run, counts=run.counts._replace(**wrong)).log()
    with pytest.raises(Unsupported, match="the file of this run has no counts"):
        dataclasses.replace(run, counts=None).log()
    vr.learn(world(1), "mean", episodes=9, checkpoint=tmp_path / "model")
    with pytest.raises(Unsupported, match="does not keep the model"):
        vr.Log.from_checkpoint(tmp_path / "model")
    with pytest.raises(InvalidArgument, match="is no file, wanted one that a learner has written"):
        vr.Log.from_checkpoint(tmp_path / "nowhere")
    short = vr.models.machine_replacement(horizon=3)
    for run, said in (
        (vr.learn(short, "var(1/2)", episodes=9), r"not covered: var\(1/2\) from data"),
        (vr.learn(short, "mean", episodes=9, eta=2), "not covered: rewards that are rounded"),
        (vr.learn(vr.models.two_paths().with_discount("1/2"), "mean", episodes=9), "from data, the discount 1/2"),
    ):
        with pytest.raises(Unsupported, match=said):
            run.prove()
    monkeypatch.setattr(learner, "LAWS_AT_ONCE", 4)  # played again in three batches
    other = vr.learn(short, "mean", episodes=9, algorithm="posterior")
    assert [float(x) for x in other.log().returns(3)] == other.returns.tolist()
    with pytest.raises(InvalidArgument, match="other returns when it was played again"):
        dataclasses.replace(other, returns=other.returns + 1).log()


# -- certificates that say something else -----------------------------------------------------------------------------


def test_no_corrupted_certificate_is_accepted_with_a_claim_that_its_counts_do_not_support(tmp_path):
    rng, tried, proved = random.Random(5), 0, 0
    for seed, objective in enumerate(OBJECTIVES):
        log, _ = logged(world(seed), 60, seed)
        text = certificate_text(answered(log, objective), tmp_path)
        changed = sorted({corrupted(text, rng) for _ in range(600)} - {text})
        tried, proved = tried + len(changed), proved + accepted(changed, tmp_path, lambda new: Text(new).supports())
    assert proved > 60
    assert tried - proved > 900


def corrupted(text: str, rng: random.Random) -> str:
    """The text with one number, or two, changed a little or much; delta, tests, claim and counts more often."""
    lines = text.splitlines()
    data = next(k for k, line in enumerate(lines) if line.startswith("lower"))
    for _ in range(rng.randrange(1, 3)):
        k = rng.randrange(data) if rng.random() < 0.8 else rng.randrange(len(lines))
        words = lines[k].split()
        numbers = [j for j, word in enumerate(words) if not word[0].isalpha()]
        if not numbers:
            continue
        j = rng.choice(numbers)
        x = Q(words[j])
        more = [x + rng.choice([-1, 1]), x * 2, x / 2, -x, Q(0), x + rng.choice([-1, 1]) * rng.randrange(1, 3000)]
        more += [x * Q(1001, 1000), x * Q(999, 1000)]
        new = rng.choice(more)
        words[j] = str(new if "/" in words[j] or words[0] in ("claim", "delta") else int(new))
        lines[k] = " ".join(words)
    return "\n".join(lines) + "\n"


EDITS = {
    "another version": ("verified-risk-data 2", "verified-risk-data 1", "line 1: the version of the format is '1'"),
    "a quantile": ("objective tail 1 1", "objective quantile 1 lower", "not covered: from data, the objective 'quan"),
    "no delta": ("delta 1/20", "delta 0", "an end of a probability is not proved"),
    "fewer tests": ("tests 37", "tests 0", "line 5: the number of tests is '0', wanted a positive integer"),
    "a count below 0": (" 2 2 ", " 2 2 -", "a count is '-"),
    "more visits than can be tested": (" 2 2 ", " 2 2 9999999999", "not covered: tests of "),
    "another proof": ("lower budget", "lower law", "line "),
    "more behind the end": ("\nend\n", "\nend\nend\n", "'end' behind the end"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_wrong_file_is_refused_with_its_line(edit, tmp_path):
    log, _ = logged(world(0), 60, 0)
    old, new, why = EDITS[edit]
    text = certificate_text(answered(log, "mean"), tmp_path)
    assert old in text
    (line,) = verdicts([text.replace(old, new, 1)], tmp_path)
    assert line.startswith(("refused", "not covered")), line
    assert why in line, line


# -- faults and limits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["lower_end", "beyond_seen"])
def test_an_end_beyond_the_test_is_noticed(name, monkeypatch):
    log, _ = logged(world(0), 100, 0)
    found, right = answered(log, "mean"), getattr(log_answers, name)
    monkeypatch.setattr(log_answers, name, lambda *counts: right(*counts[:-1], counts[-1] / 1.01))
    with pytest.raises(NotProved, match="an end of a probability is not proved"):
        found.prove()


def test_another_theorem_than_that_about_data_is_no_proof(monkeypatch, tmp_path):
    log, _ = logged(world(0), 100, 0)
    found = answered(log, "mean")
    plant_program(monkeypatch, tmp_path, "echo 'proved by check_sound; objective tail 1 1'")
    with pytest.raises(NotProved, match="proved by check_sound"):
        found.prove()


@pytest.mark.parametrize(("x", "n"), [(1, 1), (1, 7), (6, 7), (300, 300), (3, 1000), (998, 1000)])
def test_ends_are_the_greatest_that_pass(x, n):
    w = log_answers.lower_end(x, n, 740.0)
    assert w == 0 or passes(x, n, Q(w, log_answers.SHARES), Q(740))
    assert not passes(x, n, Q(w, log_answers.SHARES) + Q(1, 10**5), Q(740))


def test_what_is_not_covered_is_said(monkeypatch, tmp_path):
    log, _ = logged(world(0), 60, 0)
    with pytest.raises(Unsupported, match="not covered: rewards that are rounded"):
        answered(log, "mean", rewards=None, reward_range=(-1, 2), eta=1).prove()
    with pytest.raises(Unsupported, match="not covered: var"):
        answered(log, "var(1/2)").prove()
    told = vr.evaluate_from_log(log, {0: 0, 1: 1}, "mean", **FACTS)
    with pytest.raises(Unsupported, match="not covered: an interval for a given policy"):
        told.prove()
    plant_program(monkeypatch, tmp_path, "exec sleep 5")
    with pytest.raises(Unsupported, match=r"not covered: the time limit of 0.1 s is reached"):
        answered(log, "mean").prove(seconds=0.1)
