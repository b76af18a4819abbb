r"""Posterior sampling: every episode draws a model from the posterior and plays what is best in it.

The prior of each pair is a Dirichlet law of total mass 1, spread evenly over the outcomes that can follow (all states,
or those that were declared; in a joint model all pairs of a reward and a state), and another over the atoms of the
reward where that is not known.  The posterior adds the counts.

This is a Bayesian method.  What is known about it holds on average over models drawn from the prior; nothing is proved
here about its regret on one given model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidArgument
from .declarations import Knowledge
from .learner import MOST_BYTES, Episodes, Floats, Learner
from .problem import Standard

STREAM = 0x706F7374
"""Tells the random numbers of the posterior from those of the episodes."""


class PosteriorLearner(Learner):
    """See the module.  Episode k draws its model with a generator of ``(seed, k)`` alone."""

    def __init__(self, standard: Standard, target: Any, knowledge: Knowledge, room: int, *, seed: int) -> None:
        from ..kernels.learn_sets import Model

        super().__init__(standard, target, knowledge, room)
        self.seed = seed
        m, pairs = len(standard.atoms), len(knowledge.lists)
        every = tuple((i, s) for s in range(standard.n_states) for i in (range(m) if standard.joint else range(1)))
        self.support = [{(s, i): j for j, (i, s) in enumerate(one or every)} for one in knowledge.lists]
        wide = max(len(one) for one in self.support)
        if 24 * pairs * wide > MOST_BYTES:
            raise InvalidArgument(
                f"a posterior over {wide} outcomes of each of {pairs} pairs is too large: declare less"
            )
        state, atom, prior = (
            np.zeros((pairs, wide), np.int64),
            np.zeros((pairs, wide), np.int64),
            np.zeros((pairs, wide)),
        )
        for p, one in enumerate(self.support):
            for (s, i), j in one.items():
                state[p, j], atom[p, j], prior[p, j] = s, i, 1.0 / len(one)
        self.outcomes, self.prior = prior.copy(), prior
        self.reward_prior = 1.0 / m
        length = np.array([len(one) for one in self.support], np.int64)
        reward = np.zeros((pairs, m)) if standard.joint else np.full((pairs, m), self.reward_prior)
        if knowledge.rewards and not standard.joint:
            reward = self.known.reward.copy()
        none = np.zeros(pairs)
        self.drawn = Model(length, state, atom, prior.copy(), none, reward, reward, np.zeros(pairs, np.int64))
        self.counted = np.zeros(pairs, np.int64)

    def plan(self) -> float:
        """Draw a model from the posterior of the counts and plan in it."""
        self._count_in()
        rng = np.random.default_rng([STREAM, self.seed, int(self.counts.visits.sum()) // self.standard.horizon])
        self.drawn.prob[:] = _dirichlet(rng, self.outcomes)
        if not self.standard.joint and not self.knowledge.rewards:
            self.drawn.reward[:] = _dirichlet(rng, self.counts.reward + self.reward_prior)
        self.fresh = True
        self._plan_with(self.drawn, self.drawn.reward, self._plan.BEST, self.ascent)
        self.fresh, self.planned = False, True
        return self.value

    def _count_in(self) -> None:
        """Bring the Dirichlet weights up to date."""
        counts = self.counts
        for p in np.nonzero(counts.visits != self.counted)[0]:
            self.outcomes[p] = self.prior[p]
            for j in range(counts.length[p]):
                place = self.support[p].get((int(counts.state[p, j]), int(counts.atom[p, j])))
                if place is not None:  # a false declaration: the outcome is not believed in
                    self.outcomes[p, place] += counts.count[p, j]
            self.counted[p] = counts.visits[p]

    def run(self, draws: Floats, *, evaluate: bool) -> Episodes:
        return self.run_one_by_one(draws, evaluate)


def _dirichlet(rng: np.random.Generator, weights: Floats) -> Floats:
    """One draw for every row; entries of weight 0 get nothing, and a draw that underflows is the mean."""
    gammas = rng.standard_gamma(weights)
    totals = gammas.sum(axis=1, keepdims=True)
    means = weights / weights.sum(axis=1, keepdims=True)
    return np.where(totals > 0.0, gammas / np.where(totals > 0.0, totals, 1.0), means)
