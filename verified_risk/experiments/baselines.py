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

The kernels of ``bernstein`` compute both tables from counts.  ``low[t, s, b]`` and ``up[t, s, b]`` enclose
:math:`W^*_t(s, b)`, the least expected shortfall :math:`E(b - \text{what steps } t..T-1 \text{ pay})^+`, for budgets
``1 <= b <= top[t]`` in units.  Below the window the shortfall is 0; above it nothing but the mean matters, so there
:math:`W(b) = W(top[t]) + b - top[t]`.

The bonus is that of theory page 11 (bernstein-tables), f and g being the lower and upper tables after the step.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import InvalidArgument
from ..kernels.jit import view_kernel as kernel
from ..kernels.learn_data import BEST, Actions, Floats, Ints, Model, Path, Shape
from ..kernels.learn_sets import kl_low, threshold_of
from ..learning.guarantee import up
from ..learning.learner import MOST_BYTES, Learner
from ..numbers.enclosure import Interval, ball, enclose

if TYPE_CHECKING:
    from ..learning.problem import Standard
    from ..learning.task import Task
    from ..objectives import Weighting


class Rules(NamedTuple):
    """The parameters of a pass."""

    log_term: float  # at least log(10 n / delta)
    kl_log_term: float  # at least log(2 n' / delta), n' the tests of single outcomes
    scale: float  # multiplies the bonus
    steepest: float  # 1 / tau
    margin: float  # outweighs the rounding of one backup
    tie: float
    only_mean: bool  # tau = 1: only budgets that nothing can exceed matter


class Frequencies(NamedTuple):
    """The counts of a plan, pair by pair."""

    visits: Ints
    length: Ints  # distinct outcomes seen
    state: Ints
    atom: Ints
    count: Floats  # type: ignore[assignment]  # a field, not the method of tuples


class Bounds(NamedTuple):
    """The tables of a pass, and scratch rows."""

    low: Floats
    up: Floats
    width: Floats  # the most that the chosen action can lose at (t, s, b): twice its bonus, the correction of page 11
    action: Actions
    drop: Floats  # [pair, outcome]: the frequency minus its lower confidence end
    after_low: Floats  # scratch [outcome, b]: f and g, the tables after the step
    after_up: Floats
    mean: Floats  # scratch [b], as are all below
    mean_up: Floats
    spread: Floats
    gap: Floats
    lost: Floats
    pair_low: Floats
    pair_up: Floats
    pair_width: Floats
    chosen: Floats  # the lower bound of the action chosen so far


@kernel
def drops(counts: Frequencies, rules: Rules, drop: Floats) -> None:
    r"""Write :math:`\hat P - q^-` for every outcome seen, q the time-uniform KL end."""
    for p in range(counts.visits.shape[0]):
        n = counts.visits[p]
        for j in range(counts.length[p]):
            x = counts.count[p, j]
            drop[p, j] = x / n - kl_low(x, n, threshold_of(n, rules.kl_log_term, 1.0))


@kernel
def add_shifted(row: Floats, later: int, shift: int, weight: float, first: int, now: int, out: Floats) -> None:
    """``out[b] += weight * W(b - shift)`` for ``first <= b <= now``; ``row`` holds W inside its window, up to
    ``later``."""
    for b in range(max(first, shift + 1), min(now, shift + later) + 1):
        out[b] += weight * row[b - shift]
    for b in range(max(first, shift + later + 1), now + 1):
        out[b] += weight * (row[later] + (b - shift - later))


@kernel
def rows_after(p: int, t: int, first: int, shape: Shape, counts: Frequencies, reward: Floats, bounds: Bounds) -> None:
    """Write the tables after the step, outcome by outcome, for budgets ``first .. top[t]``."""
    units, now, later = shape.units[t], shape.top[t], shape.top[t + 1]
    for j in range(counts.length[p]):
        s = counts.state[p, j]
        low, up = bounds.low[t + 1, s], bounds.up[t + 1, s]
        f, g = bounds.after_low[j], bounds.after_up[j]
        f[first : now + 1], g[first : now + 1] = 0.0, 0.0
        if shape.joint:
            add_shifted(low, later, units[counts.atom[p, j]], 1.0, first, now, f)
            add_shifted(up, later, units[counts.atom[p, j]], 1.0, first, now, g)
            continue
        for i in range(units.shape[0]):
            if reward[p, i] > 0.0:
                add_shifted(low, later, units[i], reward[p, i], first, now, f)
                add_shifted(up, later, units[i], reward[p, i], first, now, g)


@kernel
def surely(p: int, t: int, first: int, shape: Shape, reward: Floats, least: Floats, most: Floats) -> None:
    """Write the interval that the shortfall lies in whatever follows the pair."""
    now, later = shape.top[t], shape.top[t + 1]
    for b in range(first, now + 1):
        least[b], most[b] = (max(b - now, 0), b) if shape.joint else (0, 0)
    if shape.joint:
        return
    for i in range(shape.units.shape[1]):
        if reward[p, i] > 0.0:
            for b in range(first, now + 1):
                left = b - shape.units[t, i]
                least[b] += reward[p, i] * max(left - later, 0)
                most[b] += reward[p, i] * max(left, 0)


@kernel
def moments(p: int, first: int, now: int, counts: Frequencies, bounds: Bounds) -> None:
    """Write, over the outcomes seen, the means of f and g, the variance of f, the mean of ``(g - f)^2``, and the sum of
    ``g - f`` weighted by ``drop``."""
    n = counts.visits[p]
    mean, mean_up, spread, gap, lost = bounds.mean, bounds.mean_up, bounds.spread, bounds.gap, bounds.lost
    for row in (mean, mean_up, spread, gap, lost):
        row[first : now + 1] = 0.0
    for j in range(counts.length[p]):
        q, d, f, g = counts.count[p, j] / n, bounds.drop[p, j], bounds.after_low[j], bounds.after_up[j]
        for b in range(first, now + 1):
            mean[b] += q * f[b]
            mean_up[b] += q * g[b]
            gap[b] += q * (g[b] - f[b]) * (g[b] - f[b])
            lost[b] += d * (g[b] - f[b])
    for j in range(counts.length[p]):
        q, f = counts.count[p, j] / n, bounds.after_low[j]
        for b in range(first, now + 1):
            spread[b] += q * (f[b] - mean[b]) * (f[b] - mean[b])


@kernel
def bounds_of_pair(
    p: int, t: int, first: int, shape: Shape, counts: Frequencies, reward: Floats, bounds: Bounds, rules: Rules
) -> None:
    """Write ``pair_low``, ``pair_up`` and ``pair_width`` of a pair."""
    n, now = counts.visits[p], shape.top[t]
    low, up, width = bounds.pair_low, bounds.pair_up, bounds.pair_width
    surely(p, t, first, shape, reward, low, up)
    if n >= 2:
        rows_after(p, t, first, shape, counts, reward, bounds)
        moments(p, first, now, counts, bounds)
        term = rules.log_term + math.log(n) + math.log(n - 1)
    for b in range(first, now + 1):
        least, most = low[b], up[b]
        width[b] = min(b, now)
        if n >= 2:
            bonus = math.sqrt(2.0 * term / (n - 1)) * (math.sqrt(bounds.spread[b]) + math.sqrt(bounds.gap[b]))
            bonus += 7.0 * (most - least) * term / (3.0 * (n - 1))
            bonus = min(bonus, (most - least) * math.sqrt(term / (2.0 * n))) * rules.scale
            low[b], up[b] = max(least, bounds.mean[b] - bonus), min(most, bounds.mean_up[b] + bonus)
            width[b] = min(width[b], 2.0 * bonus + bounds.lost[b])
        low[b], up[b] = low[b] - rules.margin, up[b] + rules.margin


@kernel
def bernstein_pass(shape: Shape, counts: Frequencies, reward: Floats, bounds: Bounds, rules: Rules) -> None:
    """Write both tables from the last step to the first; the action is that of the least lower bound, up to ties."""
    drops(counts, rules, bounds.drop)
    bounds.low[shape.units.shape[0]], bounds.up[shape.units.shape[0]] = 0.0, 0.0
    for t in range(shape.units.shape[0] - 1, -1, -1):
        now = shape.top[t]
        first = max(now, 1) if rules.only_mean else 1
        for s in range(shape.first.shape[0] - 1):
            for p in range(shape.first[s], shape.first[s + 1]):
                bounds_of_pair(p, t, first, shape, counts, reward, bounds, rules)
                new = p == shape.first[s]
                for b in range(first, now + 1):
                    low, up = bounds.pair_low[b], bounds.pair_up[b]
                    if new or low < bounds.chosen[b] - rules.tie:
                        bounds.chosen[b] = low
                        bounds.width[t, s, b] = bounds.pair_width[b]
                        bounds.action[t, s, b] = p - shape.first[s]
                    if new or low < bounds.low[t, s, b]:
                        bounds.low[t, s, b] = low
                    if new or up < bounds.up[t, s, b]:
                        bounds.up[t, s, b] = up


@kernel
def best_start(shape: Shape, table: Floats, rules: Rules) -> tuple[int, float]:
    """Return the least rho that maximises ``rho - E_D W_0(S, rho) / tau`` up to ties, and the maximum."""
    top = shape.top[0]
    rho, best = 0, 0.0
    for b in range(top if rules.only_mean else 1, top + 1):
        score = float(b)
        for i in range(shape.initial_state.shape[0]):
            score -= rules.steepest * shape.initial_prob[i] * table[0, shape.initial_state[i], b]
        if score > best + rules.tie * rules.steepest:
            rho, best = b, score
    return rho, best


@kernel
def set_policy(shape: Shape, bounds: Bounds, policy: Actions, rho: int) -> None:
    """Write the y-policy that plays budget ``rho - y``; one column if y does not matter.  A budget that is used up can
    lose nothing any more; it plays as the least one does."""
    last = policy.shape[2] - 1
    for t in range(shape.units.shape[0]):
        now = shape.top[t]
        for s in range(shape.first.shape[0] - 1):
            for y in range(min(shape.used[t], last) + 1):
                b = now if last == 0 else min(max(rho - y, 1), now)
                policy[t, s, y] = bounds.action[t, s, b]


@kernel
def width_of(shape: Shape, bounds: Bounds, rho: int, path: Path) -> float:
    """Return the sum of the widths that an episode met; a budget that is used up adds nothing."""
    total, b = 0.0, rho
    for t in range(path.actions.shape[0]):
        if b > 0:
            total += bounds.width[t, path.states[t], min(b, shape.top[t])]
        b -= shape.units[t, path.rewards[t]] + shape.units[t, path.paid[t]]
    return total


POSTERIOR_STREAM = 0x706F7374  # separates the random numbers of the posterior from those of the episodes


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

    one_by_one = True

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
        self.rules = Rules(
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
        self.bounds = Bounds._make([*tables, action, *by_outcome, *rows])
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
        seen = Frequencies(kept.used, kept.length, kept.state, kept.atom, kept.prob)
        bernstein_pass(self.shape, seen, self.known.reward, self.bounds, self.rules)
        self.rho, value = best_start(self.shape, self.bounds.low, self.rules)
        set_policy(self.shape, self.bounds, self.tables.policy, self.rho)
        self.value = self.upper = float(value)

    def play(self, draws: Floats) -> Path:
        path = super().play(draws)
        self.met = float(width_of(self.shape, self.bounds, self.rho, path))
        return path

    def width(self, path: Path) -> float:
        """Return the widths met by the episode played last, in units."""
        return self.met


class PosteriorLearner(Learner):
    """The learner of ``posterior``.  Episode k draws its model with a generator of ``(seed, k)`` alone.  Raises
    :class:`InvalidArgument` if the posterior is too large."""

    one_by_one = True

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
