"""The learner's memory as arrays, and its steps: rebuild the confidence sets, plan, play, count."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from ..errors import InvalidArgument
from ..kernels import learn_data as data
from ..kernels import learn_run as kernels
from ..kernels.learn_data import Actions, Counts, Episodes, Floats, Ints, Model, Path, Sets, Shape, Tables, Target
from ..kernels.learn_plan import forward_law
from ..kernels.learn_sets import refresh
from .declarations import Declared, Knowledge, knowledge_of
from .problem import Standard

__all__ = ["Episodes", "Floats", "Ints", "Learner", "Path", "cumulative", "draws_of"]
MOST_BYTES = 2 * 10**9  # the most that the tables of one learner may take
LAWS_AT_ONCE = 512  # return laws buffered per batch; a full buffer ends the batch
COMPILING = 28.0
"""Seconds of interpreting, as estimated, from which a run is compiled.  The estimate is about four times what episodes
take, compiling takes about six seconds."""


class Learner:
    """Counts, confidence sets and tables of one run.

    ``target`` is the objective in the form of the kernels (see :mod:`.planner`).  ``room`` is the number of distinct
    outcomes of a pair that can be counted at the start; it grows when needed.

    Raises :class:`InvalidArgument` if the tables would take more than ``MOST_BYTES``.
    """

    one_by_one = False  # True: plans are not those of the kernels, so the loop over episodes is in Python

    def __init__(self, standard: Standard, target: Target, knowledge: Knowledge | None = None, room: int = 0) -> None:
        self.standard, self.target = standard, target
        self.knowledge = knowledge_of(standard, Declared()) if knowledge is None else knowledge
        self.known = self.knowledge.arrays(standard)
        self.world = _world(standard)
        self._check_size()
        self.shape = self._shape()
        pairs = sum(standard.n_actions)
        self._allocate_counts(pairs, room or self.world.truth.state.shape[1])
        self._allocate_tables(pairs)
        size = standard.top[0] + 1
        self.ascent, self.ascent_below = (
            data.Ascent(np.arange(size, dtype=np.float64), np.zeros(size), np.zeros(size), np.zeros((2, size)))
            for _ in range(2)
        )
        self.touched, self.stale = np.ones(pairs, np.bool_), np.ones(pairs, np.bool_)
        self.budgets = () if self.markov else (True,)  # see the kernel ``plan_once``
        self.fresh = True  # every row of the tables must be computed
        self.planned = False
        self.value = self.upper = 0.0

    @property
    def markov(self) -> bool:
        """True if the policy does not depend on the return so far."""
        return self.target.kind in (data.MEAN, data.UCBVI)

    @property
    def sets(self) -> Sets:
        """The confidence sets in the form of the kernels."""
        return Sets(self.counts, self.known, self.model, self.touched, self.stale)

    def _shape(self) -> Shape:
        standard = self.standard
        return Shape(
            first=np.array([0, *accumulate(standard.n_actions)], dtype=np.int64),
            units=np.array(standard.units, dtype=np.int64),
            top=np.array(standard.top, dtype=np.int64),
            used=np.array(standard.used, dtype=np.int64),
            initial_state=np.array([s for s, _ in standard.initial], dtype=np.int64),
            initial_prob=np.array([float(p) for _, p in standard.initial]),
            joint=standard.joint,
            largest=float(self.knowledge.largest),
            pad=max(max(row) for row in standard.units),
            followers=standard.n_states - standard.free_steps,
        )

    def _steps_of_a_plan(self) -> int:
        """Estimate four times the innermost steps of an episode: a whole plan with tables by budget, four times a plan
        for the mean, which makes about twelve steps for one if there are bets.

        The number of outcomes of a black box is unknown: the room for them and the listed ones are counted instead.
        """
        outcomes = max(self.world.truth.atom.size, self.counts.atom.size) + int(self.known.length.sum())
        if not self.markov:
            return int(self.standard.horizon * outcomes * (self.standard.top[0] + 1))
        a_pair = len(self.standard.atoms) + 6
        return int(self.standard.horizon * (outcomes + len(self.touched) * a_pair) * (48 if self.target.bets else 4))

    def _allocate_counts(self, pairs: int, room: int) -> None:
        m = len(self.standard.atoms)

        def ints(*size: int) -> Ints:
            return np.zeros((pairs, *size), np.int64)

        self.counts = Counts(ints(), ints(), ints(room), ints(room), ints(room), ints(m))
        self.model = Model(
            ints(), ints(room + 1), ints(room + 1), np.zeros((pairs, room + 1)), np.zeros(pairs), np.zeros((pairs, m)),
            np.zeros((pairs, m)), ints(),
        )  # fmt: skip

    def _allocate_tables(self, pairs: int) -> None:
        standard, kind = self.standard, self.target.kind
        T, S, top, pad = standard.horizon, standard.n_states, standard.top[0], self.shape.pad
        budgets, curve = kind in (data.TAIL, data.QUANTILE, data.CURVE), kind == data.CURVE
        long = top + 2 * pad + 2
        policy = np.zeros((T, S, 1 if self.markov else standard.used[T - 1] + 1), np.int16)
        self.tables = Tables(
            cost=np.zeros((T + 1, S + 1, long) if budgets else (1, 1, 1)),
            mean=np.zeros((T + 1, S + 1)),
            by_budget=np.zeros((T, S, top + 1) if budgets else (1, 1, 1), np.int16),
            by_mean=np.zeros((T, S), np.int16),
            moved=np.zeros((T + 1, S + 1), np.bool_),
            policy=policy,
            last_policy=policy.copy(),
            quality=np.full((T, pairs), T * self.target.unit_per_reward),
            gain=np.zeros((T + 1, S + 1, top + 1) if curve else (1, 1, 1)),
            star=np.zeros((T + 1, top + 1) if curve else (1, 1), np.int64),
            mixed=np.zeros(long),
            spare=np.zeros(max(long, self.counts.state.shape[1], len(standard.atoms))),
            actions=np.zeros((max(standard.n_actions), long)),
            mass=np.zeros((2, S, top + 1)),
        )

    def _check_size(self) -> None:
        standard = self.standard
        cells = (standard.horizon + 1) * standard.n_states * (1 if self.markov else standard.top[0] + 1)
        size = 22 * cells + 60 * sum(standard.n_actions) * self.world.truth.state.shape[1]
        if size > MOST_BYTES:
            raise InvalidArgument(
                f"the learner's tables need {size / 1e9:.1f} GB ({standard.n_states} states, {standard.horizon} steps, "
                f"{standard.top[0] + 1} returns): pass a coarser eta"
            )

    # -- one step at a time -------------------------------------------------------------------------------------------

    def plan(self) -> float:
        """Rebuild the sets if they are due, plan if they changed, and return the optimistic value in units."""
        changed = refresh.at(len(self.touched))(self.shape, self.sets, self.target)
        again = self.fresh and self.target.kind != data.CURVE and not self.target.bets
        # The same to the last bit; an ascent would go on, and bets would use later counts.
        if changed or again or not self.planned or self.target.kind == data.UCBVI:
            self._plan_with(self.model, self.target.beyond, self.ascent, bets=self.target.bets)
            self.fresh = False
        self.planned = True
        return self.value

    def _plan_with(self, model: Model, beyond: int, ascent: data.Ascent, *, bets: bool = False) -> None:
        sets, target = self.sets._replace(model=model), self.target._replace(bets=bets)
        if target.kind == data.CURVE:
            self.value, self.upper = kernels.plan_curve(
                self.shape, sets, self.tables, target, ascent, beyond, self.fresh
            )
            return
        plan = kernels.plan_once.at(self._steps_of_a_plan(), compiling=COMPILING)
        value, _ = plan(self.shape, sets, self.tables, target, beyond, self.fresh, self.budgets)
        self.value = self.upper = float(value)

    def plan_below(self) -> tuple[float, Actions]:
        """Plan in the pessimistic model of the sets in use; return its value in units and its policy, which is worth at
        least that.  The optimistic plan is kept; its tables are recomputed next time."""
        kept, policy = (self.value, self.upper), self.policy_table()
        at_the_end = self.model.state == self.standard.n_states
        atom = np.where(at_the_end, 0, self.model.atom)
        self.fresh = True
        self._plan_with(self.model._replace(atom=atom, reward=self.model.reward_low), data.WORST, self.ascent_below)
        found, table = self.value, self.policy_table()
        self.value, self.upper = kept
        self.tables.policy[:] = policy
        return found, table

    def plan_truth(self) -> None:
        """Plan in the true model."""
        self.fresh = True
        self._plan_with(self.world.truth, data.BEST, self.ascent)

    def play(self, draws: Floats) -> Path:
        """Play and count one episode in the true model."""
        T = self.standard.horizon
        path = Path(*(np.zeros(n, np.int64) for n in (T + 1, T, T, T)))
        kernels.play.at(T)(self.shape, self.world, self.tables.policy, draws, path)
        self.count(path)
        return path

    def count(self, path: Path) -> None:
        """Count an episode."""
        for t in range(len(path.actions)):  # step by step: what was counted stays when room must grow
            step = Path(path.states[t : t + 2], *(x[t : t + 1] for x in path[1:]))
            while not kernels.count.at(1)(self.shape, self.sets, step):
                self._grow()

    def _grow(self) -> None:
        """Double the room for outcomes of a pair."""
        pairs, room = self.counts.state.shape

        def wider(rows: tuple[Any, ...], *names: str) -> dict[str, Any]:
            return {x: np.hstack([(y := getattr(rows, x)), np.zeros((pairs, room), y.dtype)]) for x in names}

        self.counts = self.counts._replace(**wider(self.counts, "state", "atom", "count"))
        self.model = self.model._replace(**wider(self.model, "state", "atom", "prob"))
        self.tables = self.tables._replace(spare=np.zeros(len(self.tables.spare) + room))

    def width(self, path: Path) -> float:
        """Return the widths that an episode met of the sets in use (see the kernel ``width_of``), in units."""
        return float(kernels.width_of.at(len(path.actions))(self.shape, self.model, self.known, path))

    def policy_table(self) -> Actions:
        """Return a copy of the policy of the last plan, ``[t, s, y]``."""
        return self.tables.policy.copy()

    def law(self, table: Actions) -> Floats:
        """Return the law of the return, in units, of a policy in the true model, in floating point."""
        law = np.zeros(self.standard.top[0] + 1)
        forward_law(self.shape, self.world.truth, self.known, self.tables, table, data.BEST, law)
        return law

    # -- many episodes in one call ------------------------------------------------------------------------------------

    def run(self, draws: Floats, *, evaluate: bool, ahead: int = 0) -> Episodes:
        """Play a batch of at least one and at most ``len(draws)`` episodes in one kernel call.

        ``evaluate`` computes the laws of the policies played; ``ahead`` episodes will follow.  Plans for a general G
        take milliseconds: there the loop over episodes is :meth:`run_one_by_one`.
        """
        if self.one_by_one or self.target.kind == data.CURVE:
            return self.run_one_by_one(draws, evaluate)
        n = draws.shape[0]
        batch = self._batch(n, LAWS_AT_ONCE if evaluate else 0)
        batch.values[0] = self.value
        steps = self._steps_of_a_plan()
        play = kernels.episodes.at(n * steps, ahead=ahead * steps, compiling=COMPILING)
        done, found = play(
            self.shape, self.world, self.sets, self.tables, self.target, self.fresh, self.budgets, draws, batch
        )
        self.fresh, self.planned = False, True
        self.value = self.upper = float(batch.values[done - 1])
        batch = Episodes._make([x[:done] for x in batch[:-1]] + [batch.laws[:found]])
        return batch._replace(uppers=batch.values)

    def _batch(self, n: int, laws: int) -> Episodes:
        T = self.standard.horizon
        values, steps = [np.zeros(n) for _ in range(3)], [np.zeros((n, T), np.int64) for _ in range(3)]
        first = [np.zeros(n, np.int64), np.zeros((n, T + 1), np.int64)]
        last = [np.full(n, -1, np.int64), np.zeros((laws, self.standard.top[0] + 1))]
        return Episodes._make([*values, *first, *steps, *last])

    def run_one_by_one(self, draws: Floats, evaluate: bool) -> Episodes:
        """Play a batch with the loop over episodes in Python, for learners whose plans take long or are their own."""
        n = min(draws.shape[0], LAWS_AT_ONCE)
        batch, found = self._batch(n, n if evaluate else 0), 0
        for k in range(n):
            first = self.fresh or not self.planned
            batch.values[k], batch.uppers[k] = self.plan(), self.upper
            if evaluate:
                if first or (self.tables.policy != self.tables.last_policy).any():
                    self.tables.last_policy[:] = self.tables.policy
                    batch.laws[found] = self.law(self.tables.policy)
                    found += 1
                batch.law_index[k] = found - 1
            path = self.play(draws[k])
            batch.states[k], batch.actions[k], batch.rewards[k], batch.paid[k] = path
            batch.widths[k] = self.width(path)  # the sets are rebuilt by the next plan
        steps = np.arange(self.standard.horizon)
        units = self.shape.units
        batch.returns[:] = (units[steps, batch.rewards] + units[steps, batch.paid]).sum(axis=1)
        return batch._replace(laws=batch.laws[:found])


def draws_of(seed: int, episodes: int, horizon: int, rng: np.random.Generator | None = None) -> Floats:
    """Return the random numbers of a run: row k drives episode k.  Pieces taken from one generator are the same."""
    generator = np.random.default_rng(seed) if rng is None else rng
    return generator.random((episodes, 1 + 2 * horizon))


def _world(standard: Standard) -> data.World:
    """Return the true model.  Cumulative sums are exact, each is rounded once, and the last is exactly 1."""
    flat = [pair for actions in standard.pairs for pair in actions]
    pairs, widest, m = len(flat), max(len(pair.outcomes) for pair in flat), len(standard.atoms)
    state, atom = np.zeros((pairs, widest), np.int64), np.zeros((pairs, widest), np.int64)
    prob, reward = np.zeros((pairs, widest)), np.zeros((pairs, m))
    outcome_levels, reward_levels = np.ones((pairs, widest)), np.ones((pairs, m))
    for p, pair in enumerate(flat):
        for j, (i, target, q) in enumerate(pair.outcomes):
            state[p, j], atom[p, j], prob[p, j] = target, i, float(q)
        outcome_levels[p, : len(pair.outcomes)] = cumulative([q for _, _, q in pair.outcomes])
        paid = dict(pair.rewards)
        masses = [paid.get(i, Fraction()) for i in range(m)]
        reward[p], reward_levels[p] = [float(q) for q in masses], cumulative(masses)
    length = np.array([len(pair.outcomes) for pair in flat], dtype=np.int64)
    truth = Model(length, state, atom, prob, np.zeros(pairs), reward, reward, np.zeros(pairs, np.int64))
    return data.World(truth, np.array(cumulative([p for _, p in standard.initial])), outcome_levels, reward_levels)


def cumulative(masses: list[Fraction]) -> list[float]:
    """Return the cumulative sums of exact masses, each rounded once."""
    return [float(x) for x in accumulate(masses)]
