r"""Learners of other authors, which ``learn(algorithm=...)`` runs for comparison.

``bernstein``: CVaR-UCBVI with Bernstein bonuses (Wang, Kallus and Sun 2023), with the constants proved on theory page
11.  It keeps two tables around the least shortfall, :math:`\underline W \le W^* \le \overline W`, and plays

.. math:: \hat\rho = \operatorname{argmax}_\rho \{\rho - \underline W_1(s_1, \rho)/\tau\}, \qquad
          a = \operatorname{argmin}_a \underline Q_t(s, \hat\rho - y, a) .

The laws of the rewards are given, as in that paper (``known_rewards``; not needed in a joint model, where the reward
belongs to the outcome).  The objective is CVaR at :math:`\tau`, or the mean, which is :math:`\tau = 1`.

``posterior``: posterior sampling.  Every episode draws a model from the posterior and plays its best policy.  The prior
of each pair is a Dirichlet law of total mass 1, spread evenly over the outcomes that can follow (all states, or the
declared ones; in a joint model all pairs of a reward and a state), and another over the atoms of the reward where its
law is not given.  What is known about the regret holds on average over models drawn from the prior, not for one model.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidArgument
from ..kernels.learn_data import BEST, Model
from ..learning.guarantee import up
from ..learning.learner import MOST_BYTES, Episodes, Floats, Learner, Path
from ..numbers.enclosure import Interval, ball, enclose
from . import bernstein_pass as kernels

if TYPE_CHECKING:
    from ..learning.problem import Standard
    from ..learning.task import Task
    from ..objectives import Weighting

POSTERIOR_STREAM = 0x706F7374
"""Separates the random numbers of the posterior from those of the episodes."""


def tail_level(objective: Weighting) -> Fraction | None:
    """Return tau if the objective is CVaR at tau, 1 if it is the mean, None for every other weighting."""
    levels = objective.levels
    if levels is None or len(levels.tails) > 1 or (levels.tails and levels.mean):
        return None
    return levels.tails[0][0] if levels.tails else Fraction(1)


def table_tests(standard: Standard, pairs: int, *, only_mean: bool) -> int:
    """Return the number of fixed functions to which the Bernstein inequality is applied: one for each pair, step and
    budget up to ``top[t]``.

    Above the window the functions differ by constants only; the last step of a product model has nothing to learn.
    """
    tops = [now for now, later in zip(standard.top, standard.top[1:], strict=False) if standard.joint or later]
    return max(pairs * sum(min(now, 1) if only_mean else now for now in tops), 1)


def bernstein_log_term(tests: int, delta: Fraction) -> Interval:
    r"""Return :math:`\log(10n/\delta)`, enclosed: half of delta, five inequalities for each test."""
    return enclose(lambda arb: ball(Fraction(10 * tests) / delta, arb).log())


class BernsteinLearner(Learner):
    """The learner of ``bernstein``.  Half of delta is spent on the tables, half on the tests of single outcomes.

    Raises :class:`InvalidArgument` for an objective other than CVaR and mean, for a product model whose reward laws
    are not given, and for tables that are too large.
    """

    def __init__(self, task: Task, room: int) -> None:
        standard, target, knowledge, delta = task.standard, task.target, task.knowledge, task.settings.delta
        objective = task.settings.objective
        level = tail_level(objective)
        if level is None:
            raise InvalidArgument(
                f"objective is {objective.spec}: 'bernstein' maximises cvar or mean; 'kl' any weighting"
            )
        super().__init__(standard, target, knowledge, room)
        if not standard.joint and not knowledge.rewards:
            raise InvalidArgument("'bernstein' needs the laws of the rewards: pass known_rewards=True")
        T, S, top = standard.horizon, standard.n_states, standard.top[0]
        if 34 * (T + 1) * S * (top + 1) > MOST_BYTES:
            raise InvalidArgument(f"two tables of {T + 1} x {S} x {top + 1} numbers are too large: pass a coarser eta")
        tests = table_tests(standard, knowledge.learned_pairs, only_mean=level == 1)
        outcomes = enclose(lambda arb: ball(Fraction(2 * knowledge.tests) / delta, arb).log())
        widest = S * (len(standard.atoms) if standard.joint else 1) + len(standard.atoms) + 8
        self.rules = kernels.Rules(
            log_term=up(bernstein_log_term(tests, delta)) * (1 + 1e-14),
            kl_log_term=up(outcomes),
            scale=float(target.scale) * (1 + 1e-14),
            steepest=float(1 / level),
            margin=8 * widest * 2.0**-53 * max(top, 1),
            tie=1e-11 * max(top, 1),
            only_mean=level == 1,
        )
        tables, rows = [np.zeros((T + 1, S, top + 1)) for _ in range(3)], [np.zeros(top + 1) for _ in range(9)]
        by_outcome = [np.zeros((1, 1)) for _ in range(3)]
        action = np.zeros((T, S, top + 1), np.int16)
        self.bounds = kernels.Bounds._make([*tables, action, *by_outcome, *rows])
        self.rho = 0
        self.met = 0.0

    def plan(self) -> float:
        """Recompute the tables if some pair's visits have grown by the share ``target.patience``; return the value.

        The inequalities hold at every count, so older tables stay valid.  ``model`` holds the counts of the last plan.
        """
        counts, kept = self.counts, self.model
        due = self.touched & (counts.visits >= kept.used * (1.0 + self.target.patience))
        if due.any():
            room = counts.state.shape[1]
            kept.used[:], kept.length[:], self.touched[:] = counts.visits, counts.length, False
            kept.state[:, :room], kept.atom[:, :room], kept.prob[:, :room] = counts.state, counts.atom, counts.count
        if due.any() or self.fresh or not self.planned:
            self._compute()
        self.fresh, self.planned = False, True
        return self.value

    def _compute(self) -> None:
        kept, top = self.model, self.standard.top[0]
        room = kept.state.shape[1]
        if self.bounds.drop.shape[1] != room:
            self.bounds = self.bounds._replace(
                after_low=np.zeros((room, top + 1)),
                after_up=np.zeros((room, top + 1)),
                drop=np.zeros((len(kept.used), room)),
            )
        seen = kernels.Frequencies(kept.used, kept.length, kept.state, kept.atom, kept.prob)
        kernels.bernstein_pass(self.shape, seen, self.known.reward, self.bounds, self.rules)
        self.rho, value = kernels.best_start(self.shape, self.bounds.low, self.rules)
        kernels.set_policy(self.shape, self.bounds, self.tables.policy, self.rho)
        self.value = self.upper = float(value)

    def lower_value(self) -> float:
        r"""Return :math:`\max_\rho \{\rho - \overline W_1(\rho)/\tau\}` in units.  On the event the optimum is at least
        that; the value of the policy in use need not be.
        """
        return float(kernels.best_start(self.shape, self.bounds.up, self.rules)[1])

    def play(self, draws: Floats) -> Path:
        path = super().play(draws)
        self.met = float(kernels.width_of(self.shape, self.bounds, self.rho, path))
        return path

    def width(self, path: Path) -> float:
        """Return the widths met by the episode played last, in units."""
        return self.met

    def run(self, draws: Floats, *, evaluate: bool, ahead: int = 0) -> Episodes:
        return self.run_one_by_one(draws, evaluate)


class PosteriorLearner(Learner):
    """The learner of ``posterior``.  Episode k draws its model with a generator of ``(seed, k)`` alone.

    Raises :class:`InvalidArgument` if the posterior is too large.
    """

    def __init__(self, task: Task, room: int) -> None:
        standard, knowledge = task.standard, task.knowledge
        super().__init__(standard, task.target, knowledge, room)
        self.seed = task.settings.seed
        m, pairs = len(standard.atoms), len(knowledge.lists)
        every = tuple((i, s) for s in range(standard.n_states) for i in (range(m) if standard.joint else range(1)))
        self.support = [{(s, i): j for j, (i, s) in enumerate(one or every)} for one in knowledge.lists]
        wide = max(len(one) for one in self.support)
        if 24 * pairs * wide > MOST_BYTES:
            raise InvalidArgument(
                f"a posterior over {wide} outcomes of each of {pairs} pairs is too large: declare less"
            )
        state, atom = np.zeros((pairs, wide), np.int64), np.zeros((pairs, wide), np.int64)
        self.prior = np.zeros((pairs, wide))
        for p, one in enumerate(self.support):
            for (s, i), j in one.items():
                state[p, j], atom[p, j], self.prior[p, j] = s, i, 1.0 / len(one)
        self.outcomes, self.reward_prior = self.prior.copy(), 1.0 / m
        length = np.array([len(one) for one in self.support], np.int64)
        reward = np.zeros((pairs, m)) if standard.joint else np.full((pairs, m), self.reward_prior)
        if knowledge.rewards and not standard.joint:
            reward = self.known.reward.copy()
        none = np.zeros(pairs)
        self.drawn = Model(length, state, atom, self.prior.copy(), none, reward, reward, np.zeros(pairs, np.int64))
        self.counted = np.zeros(pairs, np.int64)

    def plan(self) -> float:
        """Draw a model from the posterior of the counts, plan in it and return its value in units."""
        self._count_in()
        k = int(self.counts.visits.sum()) // self.standard.horizon
        rng = np.random.default_rng([POSTERIOR_STREAM, self.seed, k])
        self.drawn.prob[:] = _dirichlet(rng, self.outcomes)
        if not self.standard.joint and not self.knowledge.rewards:
            self.drawn.reward[:] = _dirichlet(rng, self.counts.reward.astype(np.float64) + self.reward_prior)
        self.fresh = True
        self._plan_with(self.drawn, BEST, self.ascent)
        self.fresh, self.planned = False, True
        return self.value

    def _count_in(self) -> None:
        """Set the Dirichlet weights of the pairs whose counts have changed."""
        counts = self.counts
        for p in np.nonzero(counts.visits != self.counted)[0]:
            self.outcomes[p] = self.prior[p]
            for j in range(counts.length[p]):
                place = self.support[p].get((int(counts.state[p, j]), int(counts.atom[p, j])))
                if place is not None:  # an outcome that a false declaration excludes has no weight
                    self.outcomes[p, place] += counts.count[p, j]
            self.counted[p] = counts.visits[p]

    def run(self, draws: Floats, *, evaluate: bool, ahead: int = 0) -> Episodes:
        return self.run_one_by_one(draws, evaluate)


def _dirichlet(rng: np.random.Generator, weights: Floats) -> Floats:
    """Return one draw per row; entries of weight 0 are 0, and a row whose gamma variates all underflow is the mean."""
    gammas = rng.standard_gamma(weights)
    totals = gammas.sum(axis=1, keepdims=True)
    means = weights / weights.sum(axis=1, keepdims=True)
    return np.where(totals > 0.0, gammas / np.where(totals > 0.0, totals, 1.0), means)


BASELINES: dict[str, type[BernsteinLearner] | type[PosteriorLearner]] = {
    "bernstein": BernsteinLearner,
    "posterior": PosteriorLearner,
}
"""The learners of this module by the name of their algorithm."""
