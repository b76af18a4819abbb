r"""CVaR-UCBVI with Bernstein bonuses (Wang, Kallus and Sun 2023), with constants that are proved on theory page 11.

The learner keeps two tables around the least shortfall, :math:`\underline W \le W^* \le \overline W`, and plays

.. math:: \hat\rho = \operatorname{argmax}_\rho \{\rho - \underline W_1(s_1, \rho)/\tau\}, \qquad
          a = \operatorname{argmin}_a \underline Q_t(s, \hat\rho - y, a) .

It is told the laws of the rewards, as in that paper (``known_rewards``; in a joint model the reward belongs to the
outcome and nothing need be told), and maximises CVaR or the mean, the case :math:`\tau = 1`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import InvalidArgument
from ..numbers.enclosure import Interval, ball, enclose
from ..objectives import Weighting
from .declarations import Knowledge
from .learner import MOST_BYTES, Episodes, Floats, Ints, Learner
from .problem import Standard
from .regret_bounds import up


def tail_level(objective: Weighting) -> Fraction | None:
    """tau where the objective is CVaR at tau, 1 for the mean; None for every other weighting."""
    levels = objective.levels
    if levels is None or len(levels.tails) > 1 or (levels.tails and levels.mean):
        return None
    return levels.tails[0][0] if levels.tails else Fraction(1)


def check_bernstein(objective: Weighting) -> None:
    """Refuse a weighting that the tables do not serve."""
    if tail_level(objective) is None:
        raise InvalidArgument(f"objective is {objective.spec}: 'bernstein' maximises cvar or mean; 'kl' any weighting")


def table_tests(standard: Standard, pairs: int, *, only_mean: bool) -> int:
    """How many fixed functions the Bernstein inequality is used for: a pair, a step, a budget up to ``top[t]``.

    Above the window the functions differ by constants only; a product model's last step leaves nothing to learn.
    """
    tops = [now for now, later in zip(standard.top, standard.top[1:], strict=False) if standard.joint or later]
    return max(pairs * sum(min(now, 1) if only_mean else now for now in tops), 1)


def bernstein_log_term(tests: int, delta: Fraction) -> Interval:
    r""":math:`\log(10n/\delta)`, enclosed: half the budget, five inequalities for each test."""
    return enclose(lambda arb: ball(Fraction(10 * tests) / delta, arb).log())


class BernsteinLearner(Learner):
    """See the module; ``delta`` is the whole budget: half for the tables, half for the tests of single outcomes."""

    def __init__(
        self, standard: Standard, target: Any, knowledge: Knowledge, room: int, *, objective: Weighting, delta: Fraction
    ) -> None:
        from ..kernels import learn_bernstein

        super().__init__(standard, target, knowledge, room)
        level = tail_level(objective)
        assert level is not None
        if not standard.joint and not knowledge.rewards:
            raise InvalidArgument("'bernstein' is told the laws of the rewards: pass known_rewards=True")
        self._bernstein: Any = learn_bernstein
        T, S, top = standard.horizon, standard.n_states, standard.top[0]
        if 34 * (T + 1) * S * (top + 1) > MOST_BYTES:
            raise InvalidArgument(f"two tables of {T + 1} x {S} x {top + 1} numbers are too large: pass a coarser eta")
        tests = table_tests(standard, knowledge.learned_pairs, only_mean=level == 1)
        outcomes = enclose(lambda arb: ball(Fraction(2 * knowledge.tests) / delta, arb).log())
        widest = S * (len(standard.atoms) if standard.joint else 1) + len(standard.atoms) + 8
        self.rules = learn_bernstein.Rules(
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
        self.bounds = learn_bernstein.Bounds._make([*tables, action, *by_outcome, *rows])
        self.rho = 0
        self.met = 0.0

    def plan(self) -> float:
        """Compute the tables if some pair's visits have grown by the share ``target.patience``, or for the first time.

        The inequalities hold at every count, so older tables stay valid.  ``model`` keeps the counts of the last plan.
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
        seen = self.counts._replace(
            visits=kept.used, length=kept.length, state=kept.state, atom=kept.atom, count=kept.prob
        )
        self._bernstein.bernstein_pass(self.shape, seen, self.known.reward, self.bounds, self.rules)
        self.rho, value = self._bernstein.best_start(self.shape, self.bounds.low, self.rules)
        self._bernstein.set_policy(self.shape, self.bounds, self.tables.policy, self.rho)
        self.value = self.upper = float(value)

    def lower_value(self) -> float:
        r""":math:`\max_\rho \{\rho - \overline W_1(\rho)/\tau\}` in units: on the event the optimum is at least that;
        the policy in use need not be.
        """
        return float(self._bernstein.best_start(self.shape, self.bounds.up, self.rules)[1])

    def play(self, draws: Floats) -> tuple[Ints, Ints, Ints, Ints]:
        states, actions, rewards, paid = super().play(draws)
        self.met = float(self._bernstein.width_of(self.shape, self.bounds, self.rho, states, rewards, paid))
        return states, actions, rewards, paid

    def width(self, states: Ints, actions: Ints) -> float:
        """The widths met by the episode played last, in units."""
        return self.met

    def run(self, draws: Floats, *, evaluate: bool) -> Episodes:
        return self.run_one_by_one(draws, evaluate)
