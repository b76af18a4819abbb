"""The learner's memory as arrays, and its steps one by one: rebuild, plan, play, count."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgument
from .declarations import Declared, Knowledge, knowledge_of
from .problem import Standard

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_BYTES = 2 * 10**9
"""Of the tables of one learner; a model that needs more is refused."""
LAWS_AT_ONCE = 512
"""Laws that a stretch of episodes keeps for their evaluation; it ends when they are full."""
COMPILING = 30.0
"""Seconds that the loop over episodes takes to compile: shorter runs are interpreted."""


@dataclass
class Episodes:
    """What a stretch of episodes did, in units: one row per episode."""

    values: Floats
    uppers: Floats
    widths: Floats
    returns: Ints
    states: Ints
    actions: Ints
    rewards: Ints
    paid: Ints
    law_index: Ints
    laws: Floats


class Learner:
    """Counts, optimistic model, tables.  ``target`` says what to maximise (see :mod:`.target`).

    ``room`` is how many distinct outcomes of a pair can be counted; it grows by itself.
    """

    def __init__(self, standard: Standard, target: Any, knowledge: Knowledge | None = None, room: int = 0) -> None:
        from ..kernels import learn_plan, learn_run, learn_sets, learn_utility

        self._plan: Any = learn_plan  # kernels carry no types
        self._run: Any = learn_run
        self._sets: Any = learn_sets
        self._utility: Any = learn_utility
        self.standard, self.target = standard, target
        self.knowledge = knowledge_of(standard, Declared()) if knowledge is None else knowledge
        self.known = self.knowledge.arrays(standard)
        self.truth, self.sampler = _true_model(standard), _sampler(standard)
        self._check_size()
        self.shape = self._shape()
        pairs, S = len(self.truth.length), standard.n_states
        self._allocate_counts(pairs, room or self.truth.state.shape[1])
        self._allocate_tables()
        top = standard.top[0]
        self.ascent, self.ascent_below = (
            learn_run.Ascent(
                np.arange(top + 1, dtype=np.float64), np.zeros(top + 1), np.zeros(top + 1), np.zeros((2, top + 1))
            )
            for _ in range(2)
        )
        self.quality = np.full((standard.horizon, pairs), standard.horizon * target.unit_per_reward)
        self.touched = np.ones(pairs, np.bool_)
        self.stale = np.ones(pairs, np.bool_)
        self.fresh = True  # the tables must be computed from nothing
        self.planned = False
        self.value = self.upper = 0.0
        self._last_policy = self.tables.policy.copy()
        self._beyond = S

    @property
    def markov(self) -> bool:
        """Whether the return so far plays no part."""
        return self.target.kind in (self._run.MEAN, self._run.UCBVI)

    def _shape(self) -> Any:
        standard = self.standard
        return self._plan.Shape(
            np.array([0, *accumulate(standard.n_actions)], dtype=np.int64),
            np.array(standard.units, dtype=np.int64),
            np.array(standard.top, dtype=np.int64),
            np.array(standard.used, dtype=np.int64),
            np.array([s for s, _ in standard.initial], dtype=np.int64),
            np.array([float(p) for _, p in standard.initial]),
            standard.joint,
            float(self.knowledge.largest),
            max(max(row) for row in standard.units),
            standard.n_states - standard.free_steps,
        )

    def _steps_of_a_plan(self) -> int:
        """About how often the innermost loop of one plan turns.  A black box hides how many outcomes a pair has: those
        that there is room for, and those that were listed, stand for them.
        """
        budgets = 1 if self.markov else self.standard.top[0] + 1
        outcomes = max(self.truth.atom.size, self.counts.atom.size) + int(self.known.length.sum())
        return int(self.standard.horizon * outcomes * budgets)

    def _allocate_counts(self, pairs: int, room: int) -> None:
        m = len(self.standard.atoms)

        def grid(width: int, kind: Any) -> Any:
            return np.zeros((pairs, width), kind)

        self.counts = self._sets.Counts(
            np.zeros(pairs, np.int64), np.zeros(pairs, np.int64), grid(room, np.int64), grid(room, np.int64),
            grid(room, np.int64), grid(m, np.int64),
        )  # fmt: skip
        self.model = self._sets.Model(
            np.zeros(pairs, np.int64), grid(room + 1, np.int64), grid(room + 1, np.int64), grid(room + 1, np.float64),
            np.zeros(pairs), grid(m, np.float64), grid(m, np.float64), np.zeros(pairs, np.int64),
        )  # fmt: skip

    def _allocate_tables(self) -> None:
        standard, run = self.standard, self._run
        T, S, top = standard.horizon, standard.n_states, standard.top[0]
        budgets, curve = self.target.kind in (run.TAIL, run.QUANTILE, run.CURVE), self.target.kind == run.CURVE
        pad = max(max(row) for row in standard.units)
        long = top + 2 * pad + 2
        returns = 1 if self.markov else standard.used[T - 1] + 1
        self.tables = self._plan.Tables(
            cost=np.zeros((T + 1, S + 1, long) if budgets else (1, 1, 1)),
            mean=np.zeros((T + 1, S + 1)),
            by_budget=np.zeros((T, S, top + 1) if budgets else (1, 1, 1), np.int16),
            by_mean=np.zeros((T, S), np.int16),
            moved=np.zeros((T + 1, S + 1), np.bool_),
            policy=np.zeros((T, S, returns), np.int16),
            gain=np.zeros((T + 1, S + 1, top + 1) if curve else (1, 1, 1)),
            star=np.zeros((T + 1, top + 1) if curve else (1, 1), np.int64),
            mixed=np.zeros(long),
            spare=np.zeros(long),
            actions=np.zeros((max(standard.n_actions), long)),
            mass=np.zeros((2, S, top + 1)),
        )

    def _check_size(self) -> None:
        standard = self.standard
        cells = (standard.horizon + 1) * standard.n_states * (1 if self.markov else standard.top[0] + 1)
        size = 22 * cells + 60 * sum(standard.n_actions) * self.truth.state.shape[1]
        if size > MOST_BYTES:
            raise InvalidArgument(
                f"the learner's tables need {size / 1e9:.1f} GB ({standard.n_states} states, {standard.horizon} steps, "
                f"{standard.top[0] + 1} returns): pass a coarser eta"
            )

    # -- one step at a time -------------------------------------------------------------------------------------------

    def plan(self) -> float:
        """Rebuild the optimistic model where counts changed, plan in it; the optimistic value in units."""
        changed = self._run.refresh(
            self.shape, self.counts, self.known, self.model, self.target, self.touched, self.stale
        )
        again = self.fresh and self.target.kind != self._run.CURVE  # the same to the last bit; an ascent would go on
        if changed or again or not self.planned or self.target.kind == self._run.UCBVI:
            self._plan_with(self.model, self.model.reward, self.target.beyond, self.ascent)
            self.fresh = False
        self.planned = True
        return self.value

    def _plan_with(self, model: Any, reward: Any, beyond: int, ascent: Any) -> None:
        if self.target.kind == self._run.CURVE:
            self.value, self.upper = self._run.plan_curve(
                self.shape, model, self.known, reward, self.tables, self.target, ascent, beyond,
                self.stale, self.fresh,
            )  # fmt: skip
            return
        value, _ = self._run.plan_once.at(self._steps_of_a_plan(), compiling=COMPILING)(
            self.shape, self.counts, model, self.known, reward, self.tables, self.target, self.quality,
            beyond, self.stale, self.fresh,
        )  # fmt: skip
        self.value = self.upper = float(value)

    def plan_below(self) -> tuple[float, NDArray[np.int16]]:
        """Plan in the pessimistic model of the sets in use: a value in units and the policy that is worth at least
        that.  The optimistic plan is kept; its tables are computed from nothing next time.
        """
        kept, policy = (self.value, self.upper), self.policy_table()
        at_the_end = self.model.state == self._beyond
        model = self.model._replace(atom=np.where(at_the_end, 0, self.model.atom))
        self.fresh = True
        self._plan_with(model, self.model.reward_low, self._plan.WORST, self.ascent_below)
        found, table = self.value, self.policy_table()
        self.value, self.upper = kept
        self.tables.policy[:] = policy
        return found, table

    def plan_truth(self) -> None:
        """Plan in the true model."""
        self.fresh = True
        self._plan_with(self.truth, self.truth.reward, self._plan.BEST, self.ascent)

    def play(self, draws: Floats) -> tuple[Ints, Ints, Ints, Ints]:
        """One episode in the true model: states, actions, atoms of rewards and of outcomes.  It is counted."""
        T = self.standard.horizon
        states, actions, rewards, paid = (np.zeros(n, np.int64) for n in (T + 1, T, T, T))
        self._run.play(self.shape, self.truth, self.sampler, self.tables.policy, draws, states, actions, rewards, paid)
        self.count(states, actions, rewards, paid)
        return states, actions, rewards, paid

    def count(self, states: Ints, actions: Ints, rewards: Ints, paid: Ints) -> None:
        """Add an episode that was played elsewhere."""
        for t in range(len(actions)):  # step by step: what was counted stays when room must grow
            part = (states[t : t + 2], actions[t : t + 1], rewards[t : t + 1], paid[t : t + 1])
            while not self._run.count(self.shape, self.counts, *part, self.touched):
                self._grow()

    def _grow(self) -> None:
        """Room for twice as many outcomes of a pair."""
        more = self.counts.state.shape[1]

        def wider(x: Any) -> Any:
            return np.hstack([x, np.zeros((x.shape[0], more), x.dtype)])

        counts, model = self.counts, self.model
        self.counts = counts._replace(**{name: wider(getattr(counts, name)) for name in ("state", "atom", "count")})
        self.model = model._replace(**{name: wider(getattr(model, name)) for name in ("state", "atom", "prob")})

    def width(self, states: Ints, actions: Ints) -> float:
        """What an episode showed of the sets in use (see the kernel ``width_of``), in units."""
        return float(self._run.width_of(self.shape, self.model, self.known, states, actions))

    def policy_table(self) -> NDArray[np.int16]:
        """The policy of the last plan, ``[t, s, y]``; a copy."""
        table: NDArray[np.int16] = self.tables.policy.copy()
        return table

    def law(self, table: NDArray[np.int16]) -> Floats:
        """The law of the return, in units, of a policy in the true model, in floating point."""
        law = np.zeros(self.standard.top[0] + 1)
        self._utility.forward_law(
            self.shape, self.truth, self.known, self.truth.reward, self.tables, table, self._plan.BEST, law
        )
        return law

    # -- many episodes in one call ------------------------------------------------------------------------------------

    def run(self, draws: Floats, *, evaluate: bool) -> Episodes:
        """As many episodes as fit (at least one, at most one per row of ``draws``) without leaving compiled code.

        A general G is the exception: its plans take milliseconds, and the loop over episodes stays outside.
        """
        if self.target.kind == self._run.CURVE:
            return self.run_one_by_one(draws, evaluate)
        n, T = draws.shape[0], self.standard.horizon
        laws = np.zeros((LAWS_AT_ONCE if evaluate else 0, self.standard.top[0] + 1))
        values, widths = np.zeros(n), np.zeros(n)
        values[0] = self.value
        returns, law_index = np.zeros(n, np.int64), np.full(n, -1, np.int64)
        states = np.zeros((n, T + 1), np.int64)
        actions, rewards, paid = (np.zeros((n, T), np.int64) for _ in range(3))
        done, found = self._run.episodes.at(n * self._steps_of_a_plan(), compiling=COMPILING)(
            self.shape, self.truth, self.sampler, self.model, self.counts, self.known, self.tables,
            self.target, self.quality, self.touched, self.stale, self.fresh, draws, values, widths, returns, law_index,
            laws, self._last_policy, states, actions, rewards, paid,
        )  # fmt: skip
        self.fresh, self.planned = False, True
        self.value = self.upper = float(values[done - 1])
        return Episodes(
            values[:done], values[:done], widths[:done], returns[:done], states[:done], actions[:done], rewards[:done],
            paid[:done], law_index[:done], laws[:found],
        )  # fmt: skip

    def run_one_by_one(self, draws: Floats, evaluate: bool) -> Episodes:
        """The same with the loop over episodes in Python, for learners whose plans take long or are their own."""
        n, T = min(draws.shape[0], LAWS_AT_ONCE), self.standard.horizon
        values, uppers, widths, law_index = np.zeros(n), np.zeros(n), np.zeros(n), np.full(n, -1, np.int64)
        states = np.zeros((n, T + 1), np.int64)
        actions, rewards, paid = (np.zeros((n, T), np.int64) for _ in range(3))
        laws: list[Floats] = []
        for k in range(n):
            first = self.fresh or not self.planned
            values[k], uppers[k] = self.plan(), self.upper
            if evaluate:
                if first or (self.tables.policy != self._last_policy).any():
                    self._last_policy[:] = self.tables.policy
                    laws.append(self.law(self.tables.policy))
                law_index[k] = len(laws) - 1
            states[k], actions[k], rewards[k], paid[k] = self.play(draws[k])
            widths[k] = self.width(states[k], actions[k])  # the sets are rebuilt by the next plan
        steps = np.arange(T)
        returns = (self.shape.units[steps, rewards] + self.shape.units[steps, paid]).sum(axis=1)
        stacked = np.array(laws).reshape(len(laws), self.standard.top[0] + 1)
        return Episodes(values, uppers, widths, returns, states, actions, rewards, paid, law_index, stacked)


def draws_of(seed: int, episodes: int, horizon: int, rng: np.random.Generator | None = None) -> Floats:
    """The random numbers of a run: row k drives episode k.  Taken in pieces from one generator they are the same."""
    generator = np.random.default_rng(seed) if rng is None else rng
    return generator.random((episodes, 1 + 2 * horizon))


def _true_model(standard: Standard) -> Any:
    from ..kernels.learn_sets import Model

    flat = [pair for actions in standard.pairs for pair in actions]
    widest = max(len(pair.outcomes) for pair in flat)
    pairs = len(flat)
    length = np.array([len(pair.outcomes) for pair in flat], dtype=np.int64)
    state, atom = np.zeros((pairs, widest), np.int64), np.zeros((pairs, widest), np.int64)
    prob, reward = np.zeros((pairs, widest)), np.zeros((pairs, len(standard.atoms)))
    for p, pair in enumerate(flat):
        for j, (i, target, q) in enumerate(pair.outcomes):
            state[p, j], atom[p, j], prob[p, j] = target, i, float(q)
        for i, q in pair.rewards:
            reward[p, i] = float(q)
    return Model(length, state, atom, prob, np.zeros(pairs), reward, reward, np.zeros(pairs, np.int64))


def _sampler(standard: Standard) -> Any:
    """Thresholds: the cumulative sums are exact, each is rounded once, the last is exactly 1."""
    from ..kernels.learn_run import Sampler

    flat = [pair for actions in standard.pairs for pair in actions]
    widest = max(len(pair.outcomes) for pair in flat)
    outcome, reward = np.ones((len(flat), widest)), np.ones((len(flat), len(standard.atoms)))
    for p, pair in enumerate(flat):
        outcome[p, : len(pair.outcomes)] = cumulative([q for _, _, q in pair.outcomes])
        masses = [Fraction()] * len(standard.atoms)
        for i, q in pair.rewards:
            masses[i] = q
        reward[p] = cumulative(masses)
    return Sampler(np.array(cumulative([p for _, p in standard.initial])), outcome, reward)


def cumulative(masses: list[Fraction]) -> list[float]:
    return [float(x) for x in accumulate(masses)]
