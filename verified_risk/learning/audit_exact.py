r"""The exact side of the audit: counts, models, sets, counting and greediness, recomputed without the kernels.

**Counts.**

.. math:: \tilde P(s' \mid s, a) = \frac{N(s, a, s')}{N(s, a)}, \qquad
          \tilde F(r) = \frac{1}{N(s, a)} \#\{\text{visits of } (s, a) \text{ with } r_i \le r\},

where N counts the visits *before* the present episode.

**Optimistic model.**  The corrected construction, with a radius :math:`\epsilon(s, a)` and an extra absorbing state
:math:`s_\infty` that pays 1 at every step:

.. math:: \hat P(s') = (\tilde P(s') - \epsilon)^+ \;(s' \ne s_\infty), \qquad
          \hat P(s_\infty) = 1 - \sum_{s' \ne s_\infty} \hat P(s'), \qquad
          \hat F(r) = (\tilde F(r) - \epsilon)^+ \;(r < 1),

and for ``N = 0`` all mass on :math:`s_\infty` and on reward 1.  The paper prints :math:`1 - \sum \tilde P` for the
second, which is 0: its rows sum to less than 1.

The event, for one pair: :math:`|\tilde F - F| \le \epsilon` everywhere and :math:`\tilde P(s') - P(s') \le \epsilon`
for every s'.  It says that :math:`\hat F \le F` and :math:`\hat P \le P`, which is all that optimism needs.

**Sets.**  The number of tests is counted again from the model, not taken from :mod:`.declarations`, and every end of a
set is compared with its definition in enclosed arithmetic.

**Counting.**  A visit of a pair with N earlier ones costs at most :math:`\min(T, c/\sqrt N)`, and over its visits

.. math:: \sum \min(T, c/\sqrt N) \le T \min(T, N) + 2 c \sqrt N .

**Greediness.**  The kernels plan by budgets, all levels in one pass.  Here the value of one utility
:math:`h_\rho(z) = \rho - c(\rho - z)` is computed over returns so far, level by level: dense arrays over y, one state
after the other.  Numbers are floats; the claims allow for their rounding.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidArgument
from ..kernels.learn_data import BEST, Actions, Floats
from ..law import Law
from ..mdp import MDP
from ..numbers.enclosure import Interval, ball, enclose
from ..numbers.rational import lcm_of_denominators
from .learner import Learner
from .problem import Pair, Standard

if TYPE_CHECKING:
    from .task import Settings, Task

RELATIVE = Fraction(1, 10**9)
"""A set may be this much wider than its definition, relative to its ends: rounding on the safe side."""
ROUNDING = Fraction(1, 10**14)
"""The rounding of a level of a reward's CDF, which is a sum of stored masses; the planner's allowance covers it."""
FAR = Fraction(1)
"""The slack of a claim that holds with room that has no number (an infinite divergence)."""
SHIFT = 60
"""Square roots are taken of integers scaled by ``2 ** (2 * SHIFT)``."""


# -- counts and the optimistic model -----------------------------------------------------------------------------------


@dataclass
class PairHistory:
    """The observations of one pair: outcomes (atom, next state), and rewards as atoms in [0, 1].

    In a product model every outcome has atom 0; in a joint model every reward of its own is 0.
    """

    outcomes: Counter[tuple[int, int]] = field(default_factory=Counter)
    rewards: Counter[Fraction] = field(default_factory=Counter)

    @property
    def visits(self) -> int:
        return sum(self.rewards.values())

    def frequency(self, outcome: tuple[int, int]) -> Fraction:
        """Return the empirical probability of an outcome."""
        return Fraction(self.outcomes[outcome], self.visits)

    def paid_at_most(self, r: Fraction) -> int:
        """Return the number of visits that paid at most ``r``."""
        return sum(n for paid, n in self.rewards.items() if paid <= r)

    def reward_law(self) -> Law:
        """Return the empirical law of the reward."""
        return Law.of_weights({r: Fraction(n, self.visits) for r, n in self.rewards.items()})


class History:
    """All episodes so far, as counts per (state, action)."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[int, int], PairHistory] = {}
        self.episodes = 0

    def __getitem__(self, pair: tuple[int, int]) -> PairHistory:
        return self.pairs.get(pair, PairHistory())

    def add(
        self,
        states: Sequence[int],
        actions: Sequence[int],
        rewards: Iterable[Fraction],
        paid: Sequence[int] | None = None,
    ) -> None:
        """Count an episode of ``T + 1`` states, ``T`` actions and ``T`` rewards, and in a joint model ``T`` atoms of
        outcomes; raise :class:`InvalidArgument` for other lengths.
        """
        own = list(rewards)
        atoms = [0] * len(actions) if paid is None else list(paid)
        if len(states) != len(actions) + 1 or len(own) != len(actions) or len(atoms) != len(actions):
            raise InvalidArgument(
                f"an episode has {len(states)} states, {len(actions)} actions and {len(own)} rewards, "
                "wanted T + 1, T and T"
            )
        for s, a, r, atom, target in zip(states, actions, own, atoms, states[1:], strict=False):
            pair = self.pairs.setdefault((s, a), PairHistory())
            pair.outcomes[atom, target] += 1
            pair.rewards[r] += 1
        self.episodes += 1


@dataclass(frozen=True)
class OptimisticPair:
    """``following[atom, state]`` without :math:`s_\\infty`; ``miss`` is :math:`\\hat P(s_\\infty)`; rewards are atoms
    in [0, 1].
    """

    following: dict[tuple[int, int], Fraction]
    miss: Fraction
    reward: Law


def optimistic_pair(seen: PairHistory, eps: Fraction, *, joint: bool = False) -> OptimisticPair:
    """Return the corrected construction for one pair; in a joint model outcomes carry the rewards."""
    if seen.visits == 0:
        return OptimisticPair({}, Fraction(1), Law.point(0 if joint else 1))
    following = {one: p for one in sorted(seen.outcomes) if (p := seen.frequency(one) - eps) > 0}
    law = Law.point(0) if joint else optimistic_reward(seen.reward_law(), eps)
    return OptimisticPair(following, 1 - sum(following.values(), Fraction()), law)


def optimistic_reward(law: Law, eps: Fraction) -> Law:
    """Return the law with the lowest ``eps`` of mass moved to reward 1."""
    weights: dict[Fraction, Fraction] = {}
    below = Fraction()
    for r, level in zip(law.atoms, law.cumulative(), strict=True):
        here = max(level - eps, Fraction()) if r < 1 else Fraction(1)
        weights[r], below = here - below, here
    weights[Fraction(1)] = weights.get(Fraction(1), Fraction()) + 1 - below
    return Law.of_weights(weights)


def event_slack(seen: PairHistory, truth: Pair, atoms: tuple[Fraction, ...], eps: Fraction) -> Fraction:
    """Return the slack of the event at one pair: nonnegative exactly when it holds; 1 for a pair never seen."""
    if seen.visits == 0:
        return Fraction(1)
    true_law = Law.of_weights({atoms[i]: p for i, p in truth.rewards})
    true_next = {(i, target): p for i, target, p in truth.outcomes}
    rewards = seen.reward_law().kolmogorov(true_law)
    following = max(seen.frequency(one) - true_next.get(one, Fraction()) for one in seen.outcomes)
    return eps - max(rewards, following)


def optimistic_mdp(standard: Standard, history: History, radius: dict[tuple[int, int], Fraction]) -> MDP:
    r"""Return the optimistic model of an undiscounted product form; its last state is :math:`s_\infty`."""
    n = standard.n_states
    transitions: list[list[dict[int, Fraction]]] = []
    rewards: list[list[Law]] = []
    for s in range(n):
        pairs = [optimistic_pair(history[s, a], radius.get((s, a), Fraction(0))) for a in range(standard.n_actions[s])]
        transitions.append([{**{t: p for (_, t), p in pair.following.items()}, n: pair.miss} for pair in pairs])
        rewards.append([pair.reward for pair in pairs])
    transitions.append([{n: Fraction(1)}])
    rewards.append([Law.point(1)])
    return MDP(dict(standard.initial), transitions, rewards, standard.horizon, standard.discount)


class Occupancy:
    """A policy in the true model, exactly: ``visits[t][s, a]`` is the probability of taking action a in state s at step
    t, ``law`` the law of the return in units.
    """

    def __init__(self, standard: Standard, table: Sequence[Sequence[Sequence[int]]]) -> None:
        following = lcm_of_denominators(
            p for actions in standard.pairs for pair in actions for _, _, p in pair.outcomes
        )
        paying = lcm_of_denominators(p for actions in standard.pairs for pair in actions for _, p in pair.rewards)
        total = lcm_of_denominators(p for _, p in standard.initial)
        level = {(s, 0): p.numerator * (total // p.denominator) for s, p in standard.initial}
        self.visits: list[dict[tuple[int, int], Fraction]] = []
        for t in range(standard.horizon):
            met: dict[tuple[int, int], int] = {}
            paid: dict[tuple[int, int, int], int] = {}
            for (s, y), weight in level.items():
                row = table[t][s]
                a = int(row[min(y, len(row) - 1)])  # one column: the return so far plays no part
                met[s, a] = met.get((s, a), 0) + weight
                for atom, p in standard.pairs[s][a].rewards:
                    key = (s, a, y + standard.units[t][atom])
                    paid[key] = paid.get(key, 0) + weight * p.numerator * (paying // p.denominator)
            self.visits.append({pair: Fraction(weight, total) for pair, weight in met.items()})
            level = {}
            for (s, a, y), weight in paid.items():
                for atom, target, p in standard.pairs[s][a].outcomes:
                    place = (target, y + standard.units[t][atom])
                    level[place] = level.get(place, 0) + weight * p.numerator * (following // p.denominator)
            total *= following * paying
        returns: dict[int, int] = {}
        for (_, z), weight in level.items():
            returns[z] = returns.get(z, 0) + weight
        self.law = Law.of_integers(returns, unit=Fraction(1), total=total)


# -- confidence sets ---------------------------------------------------------------------------------------------------


def rebuilt_log(standard: Standard, settings: Settings) -> Interval:
    r"""Return :math:`\log(n/\delta)` of the time-uniform sets, or the :math:`\ell` of the corrected theorem."""
    S, m = standard.n_states, len(standard.atoms)
    if settings.algorithm == "kl":
        n = sum(_tests_of(standard, settings, s, a) for s in range(S) for a in range(len(standard.pairs[s])))
        return _log(Fraction(max(n, 1)) / settings.delta)
    assert settings.episodes is not None
    most_actions = max(len(actions) for actions in standard.pairs)
    moments = settings.episodes * standard.horizon
    product = S + (2 if settings.objective.shape in ("linear", "concave") else 3)
    each = m * S if standard.joint else product
    return _log(Fraction(each * S * most_actions * moments) / settings.delta)


def _tests_of(standard: Standard, settings: Settings, s: int, a: int) -> int:
    """Return the number of tests of one pair (theory, page 10)."""
    S, m, declared = standard.n_states, len(standard.atoms), settings.declared
    truth = standard.pairs[s][a].outcomes
    outcomes = S * m if standard.joint else S
    if isinstance(declared.successors, Mapping):
        states = set(declared.successors[s, a])
    else:
        states = {state for _, state, _ in truth} if declared.successors is True else set(range(S))
    if standard.joint and declared.rewards:
        possible = {(i, state) for i, state, _ in truth if state in states}
        outcomes = len(possible) + len(states - {state for _, state in possible})
    elif isinstance(declared.successors, Mapping) or declared.successors is True:
        outcomes = len(states) * (m if standard.joint else 1)
    if type(declared.successors) is int:
        outcomes = min(outcomes, declared.successors)
    found = 0 if outcomes == 1 else 1 if outcomes == 2 else outcomes
    return found if standard.joint or declared.rewards else found + m - 1


def _log(x: Fraction) -> Interval:
    return enclose(lambda arb: ball(x, arb).log())


def threshold(log_term: Interval, visits: int) -> Interval:
    r"""Return :math:`\lambda_N = \log(n/\delta) + \frac12\log N + \log 2`."""
    return log_term + enclose(lambda arb: ball(Fraction(4 * visits), arb).log() / 2)


def divergence(x: int, n: int, q: Fraction) -> Interval | None:
    r"""Return :math:`n\,\mathrm{kl}(x/n, q)`, enclosed; None if infinite."""
    if (q == 0 and x > 0) or (q == 1 and x < n):
        return None

    def value(arb: Any) -> Any:
        total = arb(0)
        if x > 0:
            total += x * (ball(Fraction(x, n), arb) / ball(q, arb)).log()
        if x < n:
            total += (n - x) * (ball(Fraction(n - x, n), arb) / ball(1 - q, arb)).log()
        return total

    return enclose(value)


def width_slack(x: int, n: int, q: Fraction, needed: Interval) -> Fraction:
    """Return a number that is nonnegative if ``q <= x/n`` is a valid lower end: the excess of its divergence over
    ``needed``, relative to that.
    """
    if q > Fraction(x, n):
        return Fraction(x, n) - q
    if x == 0:
        return FAR if q == 0 else -q
    found = divergence(x, n, q)
    return FAR if found is None else (found.lower - needed.upper) / needed.upper


def excess_slack(x: int, n: int, q: Fraction, needed: Interval) -> Fraction:
    """Return a number that is nonnegative if ``q`` is at most ``RELATIVE`` lower than it must be."""
    if x == 0:
        return FAR
    found = divergence(x, n, min(q * (1 + RELATIVE), Fraction(x, n)))
    return -FAR if found is None else (needed.upper - found.lower) / needed.upper


def uniform_event_slack(
    found: Mapping[tuple[int, int], Fraction], low: list[Fraction], high: list[Fraction], truth: Pair
) -> Fraction:
    r"""Return the slack of the event at one pair: :math:`\hat P \le P` and :math:`\hat F \le F_R \le F^+`."""
    exact = {(i, state): p for i, state, p in truth.outcomes}
    slack = min((exact.get(one, Fraction()) - q for one, q in found.items()), default=Fraction(1))
    paid = dict(truth.rewards)
    level = Fraction()
    for i in range(len(low) - 1):
        level += paid.get(i, Fraction())
        slack = min(slack, level - low[i], high[i] - level)
    return slack


def set_slacks(
    seen: PairHistory,
    found: Mapping[tuple[int, int], Fraction],
    low: list[Fraction],
    high: list[Fraction],
    atoms: tuple[Fraction, ...],
    needed: Interval,
    *,
    certain: bool,
    rewards: bool,
) -> tuple[Fraction, Fraction]:
    """Return the least slack of a pair's sets against being too narrow, and against being too wide."""
    n = seen.visits
    wide, narrow = FAR, FAR
    if not certain:
        for one, x in seen.outcomes.items():
            q = found.get(one, Fraction())
            wide, narrow = min(wide, width_slack(x, n, q, needed)), min(narrow, excess_slack(x, n, q, needed))
        if set(found) - set(seen.outcomes):
            wide = -FAR
    if rewards:
        for i, r in enumerate(atoms[:-1]):
            x = seen.paid_at_most(r)
            for successes, q in ((x, low[i]), (n - x, 1 - high[i])):
                wide = min(wide, width_slack(successes, n, max(q - ROUNDING, Fraction()), needed))
                narrow = min(narrow, excess_slack(successes, n, q, needed))
    return wide, narrow


# -- counting ----------------------------------------------------------------------------------------------------------


class Counting:
    """The cost of the visits of each pair, in integers scaled by ``2 ** SHIFT``; roots are rounded to the safe side.

    ``log`` is the result of :func:`rebuilt_log`.
    """

    def __init__(self, task: Task, log: Interval) -> None:
        self.task, self.log = task, log
        self.kl = task.settings.algorithm == "kl"
        self.factor, self.cap = self._factor()
        self.sums: dict[tuple[int, int], int] = defaultdict(int)

    def _factor(self) -> tuple[Fraction, int]:
        """Return (factor, cap): a visit costs at most ``min(cap, factor * radius)``."""
        problem, standard = self.task.problem, self.task.standard
        T = standard.horizon
        if self.kl:
            outcomes = Fraction(self.task.uniform.outcomes)
            spread = min(outcomes, 2 * root_ratio(outcomes))
            return (T * spread if standard.joint else (T - 1) * spread + 2), T
        if standard.joint:
            return Fraction(T * problem.atoms * problem.states), T
        if problem.concave:
            return Fraction((T - 1) * problem.states + 2), T
        return T * (problem.states + 1 + root_ratio(Fraction(problem.atoms + 1))), 2 * T

    def _square(self, visits: int, *, up: bool) -> Fraction:
        """Return a bound on the square of the radius at one visit."""
        needed = threshold(self.log, visits) if self.kl else self.log
        return (needed.upper if up else needed.lower) / 2

    def visit(self, pair: tuple[int, int], used: int) -> None:
        """Add a visit that was planned with sets of ``used`` visits."""
        most = self.cap << SHIFT
        self.sums[pair] += min(most, root_up(self.factor**2 * self._square(used, up=True) / used)) if used else most

    def slack(self, pair: tuple[int, int], visits: int) -> Fraction:
        """Return the right side minus the left for a pair with that many visits."""
        waited = 1 + Fraction(self.task.target.patience)
        right = (self.cap * min(self.task.standard.horizon, visits) << SHIFT) + root_down(
            4 * self.factor**2 * self._square(visits, up=False) * waited * visits
        )
        return Fraction(right - self.sums[pair], 1 << SHIFT)


def root_up(x: Fraction) -> int:
    """Return an integer at least ``2 ** SHIFT`` times the square root."""
    return math.isqrt(-((-x.numerator << 2 * SHIFT) // x.denominator)) + 1


def root_down(x: Fraction) -> int:
    """Return an integer at most ``2 ** SHIFT`` times the square root."""
    return math.isqrt((x.numerator << 2 * SHIFT) // x.denominator)


def root_ratio(x: Fraction) -> Fraction:
    """Return a rational at least the square root."""
    return Fraction(root_up(x), 1 << SHIFT)


# -- greediness --------------------------------------------------------------------------------------------------------


class Greedy:
    """Values of utilities in the model that a learner has in its arrays."""

    def __init__(self, learner: Learner) -> None:
        self.learner, self.standard = learner, learner.standard
        self.units = np.array(self.standard.units)
        self.best_row = learner.target.beyond == BEST

    def utilities(self, levels: Any) -> Floats:
        """Return one row per level."""
        z = np.arange(self.standard.top[0] + 1)
        if self.learner.markov:
            return z.astype(np.float64)[None]
        left, right = self.learner.target.left, self.learner.target.right
        rho = np.asarray(levels)[:, None]
        short = rho - z
        return np.asarray(rho - np.where(short > 0, right * short, left * short))

    def values(self, utilities: Floats) -> tuple[Floats, list[list[Floats]]]:
        """Return ``E_D V_0`` of each utility and, for each step and state, the worth ``[action, utility, y]`` of every
        action at every return so far.
        """
        standard = self.standard
        after = np.repeat(utilities[:, None, :], standard.n_states, axis=1)
        worth: list[list[Floats]] = []
        for t in reversed(range(standard.horizon)):
            now = standard.used[t] + 1
            rows = self._with_missing(after, utilities, t + 1)
            p, step, here = 0, [], np.zeros((len(utilities), standard.n_states, now))
            for s in range(standard.n_states):
                each = np.array([self._pair(p + a, t, rows, now) for a in range(standard.n_actions[s])])
                p += standard.n_actions[s]
                step.append(each)
                here[:, s] = each.max(axis=0)
            worth.append(step)
            after = here
        first = sum((float(q) * after[:, s, 0] for s, q in standard.initial), np.zeros(len(utilities)))
        return first, worth[::-1]

    def _with_missing(self, after: Floats, utilities: Floats, t: int) -> Floats:
        """Append the row of the missing mass."""
        if self.best_row:
            return np.concatenate([after, after.max(axis=1, keepdims=True)], axis=1)
        top = self.standard.top[t]
        return np.concatenate([after, utilities[:, None, top : top + after.shape[2]]], axis=1)

    def _pair(self, p: int, t: int, rows: Floats, now: int) -> Floats:
        model, known = self.learner.model, self.learner.known
        units = self.units[t]
        wide = now if self.standard.joint else rows.shape[2]
        mixed = np.zeros((rows.shape[0], wide))
        for j in range(int(model.length[p])):
            shift = units[model.atom[p, j]]
            mixed += model.prob[p, j] * rows[:, model.state[p, j], shift : shift + wide]
        if model.miss[p] > 0 and known.length[p] > 0:
            listed = [
                rows[:, known.state[p, j], units[known.atom[p, j]] : units[known.atom[p, j]] + wide]
                for j in range(int(known.length[p]))
            ]
            mixed += model.miss[p] * np.max(listed, axis=0)
        if self.standard.joint:
            return mixed
        out = np.zeros((rows.shape[0], now))
        for i, q in enumerate(model.reward[p]):
            if q:
                out += q * mixed[:, units[i] : units[i] + now]
        return out

    def best_level(self, tolerance: float) -> tuple[int, float, list[list[Floats]]]:
        """Return the least level whose value is the largest up to ``tolerance``, that value, and the actions' worth."""
        most = int(min(self.standard.top[0], self.learner.knowledge.largest))
        levels = np.arange(1 if self.learner.markov else most + 1)
        scores = self.values(self.utilities(levels))[0]
        level = int(np.argmax(scores >= scores.max() - tolerance))
        return level, float(scores.max()), self.values(self.utilities([level]))[1]

    def loss(self, table: Actions, worth: list[list[Floats]]) -> float:
        """Return the greatest shortfall of an action of the table from the best one, over all ``(t, s, y)``."""
        worst = 0.0
        for t, step in enumerate(worth):
            for s, each in enumerate(step):
                each = each[:, 0]
                width = each.shape[1]
                chosen = np.resize(table[t, s], width) if table.shape[2] == 1 else table[t, s, :width]
                taken = each[chosen.astype(np.int64), np.arange(width)]
                worst = max(worst, float((each.max(axis=0) - taken).max()))
        return worst
