"""The learner's memory as arrays, and its steps one by one: refresh, plan, play, count."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgument
from .standard import Standard

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_BYTES = 2 * 10**9
LAWS_AT_ONCE = 512


@dataclass
class Episodes:
    """What a stretch of episodes did, in units: one row per episode."""

    values: Floats
    uppers: Floats
    returns: Ints
    states: Ints
    actions: Ints
    rewards: Ints
    law_index: Ints
    laws: Floats


class Learner:
    """Counts, optimistic model, tables.  ``target`` says what to maximise (see :mod:`.target`)."""

    def __init__(self, standard: Standard, target: Any) -> None:
        from ..kernels import learn_plan, learn_run

        self._plan: Any = learn_plan  # kernels carry no types
        self._run: Any = learn_run
        self.standard, self.target = standard, target
        self._check_size()
        T, S, top = standard.horizon, standard.n_states, standard.top[0]
        m, width = len(standard.atoms), standard.n_actions
        first = np.array([0, *accumulate(width)], dtype=np.int64)
        pairs = int(first[-1])
        units = np.array(standard.units, dtype=np.int64)
        self.shape = learn_plan.Shape(
            first,
            units,
            np.array(standard.top, dtype=np.int64),
            np.array(standard.used, dtype=np.int64),
            np.array([s for s, _ in standard.initial], dtype=np.int64),
            np.array([float(p) for _, p in standard.initial]),
        )
        self.truth = _true_model(standard, pairs)
        self.sampler = _sampler(standard, pairs)
        self.model = learn_plan.Model(
            np.zeros(pairs, np.int64), np.zeros((pairs, S), np.int64), np.zeros((pairs, S)), np.zeros(pairs),
            np.zeros((pairs, m)),
        )  # fmt: skip
        self.counts = learn_plan.Counts(
            np.zeros(pairs, np.int64), np.zeros((pairs, S), np.int64), np.zeros((pairs, m), np.int64)
        )
        budgets = target.kind in (learn_run.TAIL, learn_run.QUANTILE, learn_run.CURVE)
        curve = target.kind == learn_run.CURVE
        long = int(units.max()) + top + 2
        self.tables = learn_plan.Tables(
            cost=np.zeros((T + 1, S, top + 1) if budgets else (1, 1, 1)),
            mean=np.zeros((T + 1, S)),
            by_budget=np.zeros((T, S, top + 1) if budgets else (1, 1, 1), np.int16),
            by_mean=np.zeros((T, S), np.int16),
            moved=np.zeros((T + 1, S), np.bool_),
            policy=np.zeros((T, S, standard.used[T - 1] + 1), np.int16),
            gain=np.zeros((T + 1, S, top + 1) if curve else (1, 1, 1)),
            mixed=np.zeros(long),
            actions=np.zeros((max(width), long)),
            mass=np.zeros((2, S, top + 1)),
        )
        self.ascent = learn_run.Ascent(
            np.arange(top + 1, dtype=np.float64), np.zeros(top + 1), np.zeros(top + 1), np.zeros((2, top + 1))
        )
        self.quality = np.full((T, pairs), T * target.unit_per_reward)
        self.touched = np.ones(pairs, np.bool_)
        self.stale = np.ones(pairs, np.bool_)
        self.fresh = True
        self.value = self.upper = 0.0
        self._last_policy = self.tables.policy.copy()

    def _check_size(self) -> None:
        standard = self.standard
        cells = (standard.horizon + 1) * standard.n_states * (standard.top[0] + 1)
        dense = sum(standard.n_actions) * standard.n_states
        size = 20 * cells + 24 * dense
        if size > MOST_BYTES:
            raise InvalidArgument(
                f"the learner's tables need {size / 1e9:.1f} GB ({standard.n_states} states, {standard.horizon} steps, "
                f"{standard.top[0] + 1} returns): pass a coarser eta"
            )

    # -- one step at a time -------------------------------------------------------------------------------------------

    def plan(self) -> float:
        """Rebuild the optimistic model where counts changed, plan in it; the optimistic value in units."""
        if self.target.kind == self._run.CURVE:
            changed = self._run.refresh(self.shape, self.counts, self.model, self.target, self.touched, self.stale)
            if changed or self.fresh:
                self.value, self.upper = self._run.plan_curve(
                    self.shape, self.model, self.tables, self.target, self.ascent, self.stale, self.fresh
                )
        else:
            values = np.array([self.value])
            self._call(np.zeros((1, 0)), values, planning=True, playing=False)
            self.value = self.upper = float(values[0])
        self.fresh = False
        return self.value

    def play(self, draws: Floats) -> tuple[Ints, Ints, Ints]:
        """One episode in the true model: states, actions, reward atoms.  It is counted."""
        T = self.standard.horizon
        states, actions, rewards = (
            np.zeros((1, T + 1), np.int64),
            np.zeros((1, T), np.int64),
            np.zeros((1, T), np.int64),
        )
        self._call(draws[None], np.zeros(1), states, actions, rewards, planning=False, playing=True)
        return states[0], actions[0], rewards[0]

    def count(self, states: Ints, actions: Ints, rewards: Ints) -> None:
        """Add an episode that was played elsewhere."""
        self._run.count(self.shape, self.counts, states, actions, rewards, self.touched)

    def policy_table(self) -> NDArray[np.int16]:
        """The policy of the last plan, ``[t, s, y]``; a copy."""
        table: NDArray[np.int16] = self.tables.policy.copy()
        return table

    def law(self, table: NDArray[np.int16]) -> Floats:
        """The law of the return, in units, of a policy in the true model, in floating point."""
        law = np.zeros(self.standard.top[0] + 1)
        self._plan.forward_law(self.shape, self.truth, self.tables, table, law)
        return law

    # -- many episodes in one call ------------------------------------------------------------------------------------

    def run(self, draws: Floats, *, evaluate: bool) -> Episodes:
        """As many episodes as fit (at least one, at most one per row of ``draws``) without leaving compiled code.

        A general G is the exception: its plans take milliseconds, and the loop over episodes stays outside.
        """
        if self.target.kind == self._run.CURVE:
            return self._run_curve(draws, evaluate)
        n, T = draws.shape[0], self.standard.horizon
        laws = np.zeros((LAWS_AT_ONCE if evaluate else 0, self.standard.top[0] + 1))
        values = np.zeros(n)
        values[0] = self.value
        returns, law_index = np.zeros(n, np.int64), np.full(n, -1, np.int64)
        states = np.zeros((n, T + 1), np.int64)
        actions, rewards = np.zeros((n, T), np.int64), np.zeros((n, T), np.int64)
        done, found = self._call(
            draws, values, states, actions, rewards, returns, law_index, laws, planning=True, playing=True
        )
        self.fresh = False
        self.value = self.upper = float(values[done - 1])
        return Episodes(
            values[:done], values[:done], returns[:done], states[:done], actions[:done], rewards[:done],
            law_index[:done], laws[:found],
        )  # fmt: skip

    def _run_curve(self, draws: Floats, evaluate: bool) -> Episodes:
        n, T = min(draws.shape[0], LAWS_AT_ONCE), self.standard.horizon
        values, uppers, law_index = np.zeros(n), np.zeros(n), np.full(n, -1, np.int64)
        states = np.zeros((n, T + 1), np.int64)
        actions, rewards = np.zeros((n, T), np.int64), np.zeros((n, T), np.int64)
        laws: list[Floats] = []
        for k in range(n):
            first = self.fresh
            values[k], uppers[k] = self.plan(), self.upper
            if evaluate:
                if first or (self.tables.policy != self._last_policy).any():
                    self._last_policy[:] = self.tables.policy
                    laws.append(self.law(self.tables.policy))
                law_index[k] = len(laws) - 1
            states[k], actions[k], rewards[k] = self.play(draws[k])
        returns = self.shape.units[np.arange(T), rewards].sum(axis=1)
        stacked = np.array(laws).reshape(len(laws), self.standard.top[0] + 1)
        return Episodes(values, uppers, returns, states, actions, rewards, law_index, stacked)

    def _call(
        self,
        draws: Floats,
        values: Floats,
        states: Ints | None = None,
        actions: Ints | None = None,
        rewards: Ints | None = None,
        returns: Ints | None = None,
        law_index: Ints | None = None,
        laws: Floats | None = None,
        *,
        planning: bool,
        playing: bool,
    ) -> tuple[int, int]:
        n = draws.shape[0]
        grid, line = np.zeros((n, 0), np.int64), np.zeros(n, np.int64)
        done, found = self._run.episodes(
            self.shape, self.truth, self.sampler, self.model, self.counts, self.tables, self.target, self.quality,
            self.touched, self.stale, self.fresh, planning, playing, draws, values,
            line if returns is None else returns, line if law_index is None else law_index,
            np.zeros((0, 0)) if laws is None else laws, self._last_policy,
            grid if states is None else states, grid if actions is None else actions, grid if rewards is None else
            rewards,
        )  # fmt: skip
        return int(done), int(found)


def draws_of(seed: int, episodes: int, horizon: int, rng: np.random.Generator | None = None) -> Floats:
    """The random numbers of a run: row k drives episode k.  Taken in pieces from one generator they are the same."""
    generator = np.random.default_rng(seed) if rng is None else rng
    return generator.random((episodes, 1 + 2 * horizon))


def _true_model(standard: Standard, pairs: int) -> Any:
    from ..kernels.learn_plan import Model

    flat = [pair for actions in standard.pairs for pair in actions]
    widest = max(len(pair.successors) for pair in flat)
    length = np.array([len(pair.successors) for pair in flat], dtype=np.int64)
    state, prob = np.zeros((pairs, widest), np.int64), np.zeros((pairs, widest))
    reward = np.zeros((pairs, len(standard.atoms)))
    for i, pair in enumerate(flat):
        for j, (target, p) in enumerate(pair.successors):
            state[i, j], prob[i, j] = target, float(p)
        for atom, p in pair.rewards:
            reward[i, atom] = float(p)
    return Model(length, state, prob, np.zeros(pairs), reward)


def _sampler(standard: Standard, pairs: int) -> Any:
    """Thresholds: the cumulative sums are exact, each is rounded once, the last is exactly 1."""
    from ..kernels.learn_run import Sampler

    flat = [pair for actions in standard.pairs for pair in actions]
    widest = max(len(pair.successors) for pair in flat)
    following, reward = np.ones((pairs, widest)), np.ones((pairs, len(standard.atoms)))
    for i, pair in enumerate(flat):
        following[i, : len(pair.successors)] = cumulative([p for _, p in pair.successors])
        masses = [Fraction()] * len(standard.atoms)
        for atom, p in pair.rewards:
            masses[atom] = p
        reward[i] = cumulative(masses)
    return Sampler(np.array(cumulative([p for _, p in standard.initial])), following, reward)


def cumulative(masses: list[Fraction]) -> list[float]:
    return [float(x) for x in accumulate(masses)]
