"""Guarantees for the mean from logs, measured on simulated logs, whose truth is known (evaluated in floats).

    python tests/benchmarks/log_studies.py coverage                # share of logs in which what is claimed is true
    python tests/benchmarks/log_studies.py sharpness [--icu FILE]  # lower bound / best against the number of episodes,
                                                                   # by sets and a replay, and by sets alone

*coverage* also tries two practices on the same logs: to plan in the model of frequencies and to believe its value
(plug-in), and the 5 % quantile of that policy's value in 40 logs of episodes drawn again with replacement (bootstrap).
``FILE`` is ``dynamics.npz`` of the package icu-sepsis.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np

import verified_risk as vr
from verified_risk.learning.log import Budget

ACTIONS = 8
"""Of the model of *coverage*."""
PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "log_sharpness.svg"


class World:
    """Outcomes as arrays ``[s, a, k]``, from ``rows[s][a]``: ``{(next state, reward): probability}``."""

    def __init__(self, rows: list, start: np.ndarray, horizon: int) -> None:
        self.start, self.horizon = start, horizon
        self.rewards = sorted({Fraction()} | {r for own in rows for row in own for _, r in row})
        size = (len(rows), max(map(len, rows)), max(len(row) for own in rows for row in own))
        self.prob, (self.after, self.reward) = np.zeros(size), np.zeros((2, *size), int)
        for s, a in np.ndindex(size[:2]):
            for k, ((after, r), p) in enumerate(rows[s][a].items()):
                self.prob[s, a, k], self.after[s, a, k], self.reward[s, a, k] = p, after, self.rewards.index(r)
        self.gain = np.array([float(r) for r in self.rewards])[self.reward]

    @classmethod
    def of(cls, mdp: vr.MDP) -> World:
        rows: list = [[Counter() for _ in range(n)] for n in mdp.n_actions]
        for s, a, action in mdp:
            for p, after, r in action.outcomes:
                rows[s][a][after, r] += float(p)
        return cls(rows, np.array([float(dict(mdp.initial).get(s, 0)) for s in range(mdp.n_states)]), mdp.horizon)

    def episodes(self, number: int, choose, rng: np.random.Generator) -> list[np.ndarray]:
        """States, actions and outcomes of so many episodes side by side, ``[episode, step]``."""
        state, rows = rng.choice(len(self.start), number, p=self.start), []
        for _ in range(self.horizon):
            action = choose(state)
            rows.append((state, action, drawn(self.prob[state, action], rng)))
            state = self.after[rows[-1]]
        return [np.stack(x, axis=1) for x in zip(*rows, strict=True)]

    def counts(self, played) -> np.ndarray:
        size = self.prob.shape
        return np.bincount(np.ravel_multi_index(played, size).ravel(), minlength=math.prod(size)).reshape(size)

    def value(self, prob: np.ndarray, policy: np.ndarray | None = None) -> tuple[float, np.ndarray]:
        """The mean of a policy, laws ``[t, s, a]`` or ``[s, a]``, or of the best one, and that one."""
        values, best = np.zeros(len(self.start)), []
        for t in reversed(range(self.horizon)):
            worth = (prob * (self.gain + values[self.after])).sum(axis=2)
            best.append(np.eye(worth.shape[1])[worth.argmax(axis=1)])
            values = ((best[-1] if policy is None else policy if policy.ndim == 2 else policy[t]) * worth).sum(axis=1)
        return float(self.start @ values), np.array(best[::-1])

    def soft(self, share: float) -> np.ndarray:
        """The best first action with probability ``share``, otherwise any action."""
        return share * self.value(self.prob)[1][0] + (1 - share) / self.prob.shape[1]


def drawn(laws: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One index for each row of ``laws``."""
    index = (rng.random(len(laws))[:, None] >= np.cumsum(laws, axis=1)).sum(axis=1)
    return np.minimum(index, (laws > 0).cumsum(axis=1).argmax(axis=1))


def coverage(logs: int, size: int = 50) -> None:
    mdp = vr.models.random_sparse(4, actions=ACTIONS, successors=3, rewards=3, horizon=4, seed=5)
    world, rng, lanes = World.of(mdp), np.random.default_rng(0), np.arange(logs)
    best, tried = world.value(world.prob)[0], np.zeros((logs, 4, ACTIONS))

    def seldom(state: np.ndarray) -> np.ndarray:
        """In every log, the action that was tried least, with a handicap for the later ones."""
        action = (tried[lanes, state] * np.arange(1, ACTIONS + 1)).argmin(axis=1)
        tried[lanes, state, action] += 1
        return action

    uniform, expert = world.soft(0), world.soft(0.8)
    behaviours = {"uniform": lambda s: drawn(uniform[s], rng), "expert": lambda s: drawn(expert[s], rng)}
    print(f"| {logs} logs of {size} episodes each | interval | plug-in value | bootstrap bound |\n|---|---:|---:|---:|")
    for name, choose in (behaviours | {"adaptive": seldom}).items():
        played, held = [world.episodes(logs, choose, rng) for _ in range(size)], np.zeros(3)
        for one in np.moveaxis(np.array(played), 2, 0):  # [episode, column, step]
            s, a, k = (np.ascontiguousarray(x) for x in np.moveaxis(one, 1, 0))
            log = vr.Log.from_arrays(
                episode=np.repeat(np.arange(size), 4), state=s.ravel(), action=a.ravel(),
                reward=[world.rewards[j] for j in world.reward[s, a, k].ravel()],
                next_state=world.after[s, a, k].ravel(),
            )  # fmt: skip
            told = {"rewards": world.rewards, "states": range(4), "actions": range(ACTIONS), "horizon": 4}
            found = vr.plan_from_log(log, "mean", delta="1/20", **told)
            mine = world.value(world.prob, np.eye(ACTIONS)[found.policy.table[1:, :4, 0]])[0]
            held[0] += float(found.lower) <= mine + 1e-9 and best <= float(found.interval.upper)
            guess = [world.counts((s[i], a[i], k[i])) for i in (slice(None), *rng.integers(0, size, (40, size)))]
            guess = [x / np.maximum(x.sum(axis=2, keepdims=True), 1) for x in guess]
            claimed, policy = world.value(guess[0])
            truth = world.value(world.prob, policy)[0] + 1e-9
            held[1:] += claimed <= truth, np.sort([world.value(x, policy)[0] for x in guess[1:]])[1] <= truth
        print(f"| {name} | " + " | ".join(f"{100 * x / logs:.1f} %" for x in held) + " |", flush=True)


def wet_chicken(n: int = 5) -> vr.MDP:
    """A canoe on a river n by n that is paid its distance, up to a waterfall (Tresp 1994, discretised)."""
    states = []
    for x, y in np.ndindex(n, n):
        stream, rows = Fraction(3 * y, n), []
        for along, across in ((0, 0), (-1, 0), (-2, 0), (0, -1), (0, 1)):
            law: Counter = Counter()
            for i in range(-4, 5):
                at = math.floor(x + along + stream + (Fraction(7, 2) - stream) * Fraction(i, 4) + Fraction(1, 2))
                law[(max(at, 0), min(max(y + across, 0), n - 1)) if at < n else (0, 0)] += Fraction(1, 9)
            rows.append([(p, n * u + v, u) for (u, v), p in law.items()])
        states.append(rows)
    return vr.MDP.from_outcomes(states, initial=[1] + [0] * (n * n - 1), horizon=20)


def worlds(icu: Path | None) -> dict[str, tuple[World, np.ndarray]]:
    """Models, and what is done in them."""
    lake, random = vr.MDP.from_gymnasium("FrozenLake-v1", horizon=20), vr.models.random_sparse
    found = {
        "machine replacement": vr.models.machine_replacement(), "river swim": vr.models.river_swim(horizon=20),
        "Wet Chicken 5 x 5": wet_chicken(), "random, 50 states": random(50, 3, 3, 2, horizon=10, seed=3),
    }  # fmt: skip
    every = {name: (w := World.of(mdp), w.soft(0)) for name, mdp in found.items()}
    every["lake, half expert"] = (w := World.of(lake), w.soft(0.5))
    if icu is not None:
        data = np.load(icu)
        rows = [
            [{(int(j), Fraction(int(r[j]))): p[j] for j in np.flatnonzero(p)} for p, r in zip(*both, strict=True)]
            for both in zip(data["tx_mat"], data["r_mat"], strict=True)
        ]
        every["ICU-Sepsis, expert"] = World(rows, data["d_0"], 20), data["expert_policy"]
    return every


def log_of(world: World, parts: list[list[np.ndarray]]) -> vr.Log:
    """A log of episodes that are all as long as the horizon, without checks: 20 million rows are not read as text."""
    s, a, k = (np.concatenate([part[i] for part in parts]) for i in range(3))
    log = vr.Log.__new__(vr.Log)
    log.where, log.terminal, log.budget = "row {}".format, (), Budget.of(None)
    log.states, log.actions, log.rewards = range(len(world.start)), range(world.prob.shape[1]), tuple(world.rewards)
    log.first, log.begun, log.episodes = np.arange(len(s) + 1) * world.horizon, s[:, 0], len(s)
    log.state, log.action, log.reward, log.successor = (
        x.ravel() for x in (s, a, world.reward[s, a, k], world.after[s, a, k])
    )
    log.times = np.ones_like(log.state)
    return log


def sharpness(icu: Path | None) -> None:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    rng, sizes = np.random.default_rng(1), [int(10 ** (k / 2)) for k in range(4, 13)]
    print("| lower / best | best | behaviour | " + " | ".join(f"{n:,}" for n in sizes), end="")
    print(" | beats the behaviour | SPIBB's theorem |\n|---|" + "---:|" * (len(sizes) + 4))
    for i, (name, (world, play)) in enumerate(worlds(icu).items()):
        (best, _), (own, _), shown = world.value(world.prob), world.value(world.prob, play), {True: {}, False: {}}
        parts: list = []
        for n in sizes if len(world.start) < 100 else [10**4, 10**5, 10**6]:  # minutes each
            while (left := n - sum(len(part[0]) for part in parts)) > 0:
                parts.append(world.episodes(min(left, 50_000), lambda s, x=play: drawn(x[s], rng), rng))
            log, told = log_of(world, parts), {"horizon": world.horizon, "rewards": world.rewards}
            for replay, found in shown.items():
                found[n] = float(vr.plan_from_log(log, "mean", replay=replay, **told).lower) / best
        inside = math.log(40 * math.prod(world.prob.shape[:2])) + len(world.start) * math.log(2)
        asked = f"{32 * (best * world.horizon / (best - own)) ** 2 * inside:.0e}"
        for replay, found in shown.items():
            cells = " | ".join(f"{found[n]:.2f}" if n in found else "" for n in sizes)
            beats = next((f"{n:,}" for n, x in found.items() if x * best > own), "more")
            heads = f"{name} | {best:.3f} | {own:.3f}" if replay else "*sets alone* | | "
            print(f"| {heads} | {cells} | {beats} | {asked if replay else ''} |", flush=True)
            style = {"label": name} if replay else {"linestyle": ":", "linewidth": 1}
            axes.plot(*zip(*found.items(), strict=True), marker="o", markersize=2 + replay, color=f"C{i}", **style)
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="logged episodes", ylabel="guaranteed / best mean")
    axes.legend(fontsize=7)
    figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=["coverage", "sharpness"])
    parser.add_argument("--logs", type=int, default=2000, help="of coverage, for every behaviour")
    parser.add_argument("--icu", type=Path, help="of sharpness: ICU-Sepsis too")
    options = parser.parse_args()
    coverage(options.logs) if options.study == "coverage" else sharpness(options.icu)
