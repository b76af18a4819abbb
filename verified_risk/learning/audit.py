r"""A run that audits its own theorem.

At every episode the steps of the regret proof are tested on the run itself: on the learner's own arrays, against the
true model, in exact or enclosed arithmetic.

counts
    The learner's counts are those of the episodes played.
model
    Its optimistic model is the corrected construction for those counts (exact, up to a stated rounding).
radius
    Its radius is at least :math:`\sqrt{\ell / 2N}`.
event
    :math:`|\tilde F - F| \le \epsilon` and :math:`\tilde P - P \le \epsilon` for every pair.  It may fail; then
    nothing below is claimed.
L1
    Optimism of the value: :math:`\max \hat\Phi \ge \max \Phi`.
L2a
    Closeness: :math:`\hat\Phi(\hat\pi) - \Phi(\hat\pi) \le
    L_G\, E_{M,\hat\pi} \sum_t [(T-t) \hat P(s_\infty) + \int (F_R - \hat F_R)]`.
L2b
    The right side of L2a is at most
    :math:`L_G\, E \sum_t [(T-t) \min(1, S_0 \epsilon) + \min(1, 2\epsilon)]`.
L3
    Counting: over the visits of a pair,
    :math:`\sum \min(T, c/\sqrt{N^{(k)}}) \le T \min(T, N) + 2c\sqrt N`.
regret
    The cumulative pseudo-regret is below the theorem's bound (ii).

The optimistic value is a float with a proved rounding bound; a claim inside that bound counts as undecided, never as
true.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..enclosure import bounds
from ..errors import InvalidArgument
from ..planning import exact_plan
from .bounds import Problem, up
from .evaluate import Judge
from .history import History
from .learner import Learner, draws_of
from .occupancy import Occupancy
from .optimism import OptimisticPair, event_slack, optimistic_mdp, optimistic_pair
from .target import guarantee_of, planner_allowance

if TYPE_CHECKING:
    from .learn import Record, Settings

MODEL_TOLERANCE = Fraction(1, 10**12)
MOST_EXACT_CELLS = 2_000
ROWS = {
    "counts": "counts are those of the episodes played",
    "model": "optimistic model is the corrected one",
    "radius": "radius at least the theorem's",
    "L1": "optimism of the value",
    "L2a": "closeness of the values",
    "L2b": "closeness in terms of the radii",
    "L3": "counting",
    "regret": "regret below the theorem's bound",
}


@dataclass
class Row:
    """One claim over a run: how often it was tested, refuted and undecided, and its least slack with the episode of it.

    The slack is in the units of the claim.
    """

    tested: int = 0
    violations: int = 0
    undecided: int = 0
    least: float = math.inf
    at: int = -1

    def note(self, episode: int, low: Fraction | float, high: Fraction | float | None = None) -> None:
        """The slack is known to lie in ``[low, high]``."""
        top = low if high is None else high
        self.tested += 1
        if top < 0:
            self.violations += 1
        elif low < 0:
            self.undecided += 1
        if float(low) < self.least:
            self.least, self.at = float(low), episode


@dataclass
class AuditReport:
    """The rows, and on how many episodes the event held."""

    episodes: int
    on_event: int
    rows: dict[str, Row]

    @property
    def violations(self) -> int:
        return sum(row.violations for row in self.rows.values())

    def __str__(self) -> str:
        header = f"{'claim':<8} {'':<42} {'tested':>7} {'violated':>8} {'undecided':>9} {'least slack':>12}  at"
        off = self.episodes - self.on_event
        lines = [
            f"audit of {self.episodes} episodes; the event held on {self.on_event}"
            + (f", failed on {off}: L1 and L2 claim nothing there" if off else ""),
            header,
            "-" * len(header),
        ]
        for name, row in self.rows.items():
            slack = f"{row.least:>12.4g}  {row.at}" if row.tested else f"{'-':>12}"
            lines.append(
                f"{name:<8} {ROWS[name]:<42} {row.tested:>7} {row.violations:>8} {row.undecided:>9} {slack}"
            )  # fmt: skip
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        rows = {
            name: [row.tested, row.violations, row.undecided, row.least if row.tested else None, row.at]
            for name, row in self.rows.items()
        }
        return {"episodes": self.episodes, "on_event": self.on_event, "rows": rows}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> AuditReport:
        rows = {
            name: Row(tested, violations, undecided, math.inf if least is None else least, at)
            for name, (tested, violations, undecided, least, at) in data["rows"].items()
        }
        return cls(data["episodes"], data["on_event"], rows)


def audited_run(
    learner: Learner,
    judge: Judge,
    settings: Settings,
    problem: Problem,
    best: tuple[Fraction, Fraction],
    height_error: float = 0.0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Record, AuditReport]:
    """Play all episodes one by one and test every claim.

    ``best`` encloses the optimum of the model, in the user's units; ``height_error`` is how far the planner's
    polygon is from G.
    """
    from .learn import Record

    if settings.algorithm not in ("ucb", "ucb-as-printed"):
        raise InvalidArgument(f"algorithm is {settings.algorithm!r}: there is no theorem to audit, wanted 'ucb'")
    auditor = _Auditor(learner, judge, settings, problem, best, height_error)
    K, horizon = settings.episodes, learner.standard.horizon
    rng = np.random.default_rng(settings.seed)
    returns, values, uppers, low, high = (np.zeros(K) for _ in range(5))
    for k in range(K):
        values[k] = learner.plan()
        uppers[k] = learner.upper
        low[k], high[k] = auditor.test(k)
        states, actions, rewards = learner.play(draws_of(settings.seed, 1, horizon, rng)[0])
        returns[k] = sum(learner.standard.units[t][i] for t, i in enumerate(rewards.tolist()))
        auditor.played(states.tolist(), actions.tolist(), rewards.tolist())
        if progress is not None:
            progress(k + 1, K)
    return Record(returns, values, uppers, low, high), auditor.report(K)


class _Auditor:
    def __init__(
        self,
        learner: Learner,
        judge: Judge,
        settings: Settings,
        problem: Problem,
        best: tuple[Fraction, Fraction],
        height_error: float,
    ) -> None:
        self.learner, self.judge, self.settings, self.problem = learner, judge, settings, problem
        standard = self.standard = learner.standard
        self.history = History()
        self.rows = {name: Row() for name in ROWS}
        self.on_event = 0
        self.log = problem.log_term()
        self.scale = standard.range * standard.unit
        self.best = tuple((x - standard.offset) / self.scale for x in best)
        self.lipschitz = Fraction(settings.objective.lipschitz) if settings.objective.lipschitz != math.inf else None
        lipschitz = math.inf if self.lipschitz is None else float(self.lipschitz)
        rounding = Fraction(planner_allowance(standard, learner.target, lipschitz))
        self.allowance = rounding + 2 * Fraction(height_error) * standard.top[0]
        self.pairs = [(s, a) for s in range(standard.n_states) for a in range(standard.n_actions[s])]
        self.number = {pair: i for i, pair in enumerate(self.pairs)}
        self.visits = np.zeros_like(learner.counts.visits)
        self.following = np.zeros_like(learner.counts.following)
        self.rewards = np.zeros_like(learner.counts.reward)
        self.hat: dict[tuple[int, int], OptimisticPair] = {}
        self.radius: dict[tuple[int, int], Fraction | None] = {}
        self.event: dict[tuple[int, int], Fraction] = {}
        self.touched = set(self.pairs)
        self.occupancies: dict[bytes, tuple[Occupancy, tuple[Fraction, Fraction]]] = {}
        self.used_visits = learner.counts.visits.copy()
        self.sums = [0] * len(self.pairs)
        self.regret = self.planner = 0.0
        likely = guarantee_of(problem, settings.objective, "ucb", Fraction(1), rounded=False).likely
        self.bound = likely
        self.true_means = {
            pair: [
                sum((p * row[i] for i, p in standard.pairs[pair[0]][pair[1]].rewards), Fraction())
                for row in standard.units
            ]
            for pair in self.pairs
        }
        self._coefficient()

    def _coefficient(self) -> None:
        """``c^2 = coefficient^2 * l / 2`` from both sides, and the most one visit can cost."""
        problem = self.problem
        low, high = bounds(self.log)
        if problem.concave:
            factor = Fraction((problem.horizon - 1) * problem.states + 2)
            self.cap = problem.horizon
        else:
            factor = problem.horizon * (problem.states + 1 + Fraction(up(Fraction(math.isqrt(problem.atoms + 1) + 1))))
            self.cap = 2 * problem.horizon
        self.c2 = (factor**2 * low / 2, factor**2 * high / 2)

    # -- one episode --------------------------------------------------------------------------------------------------

    def test(self, k: int) -> tuple[float, float]:
        """Everything that can be said after planning episode k; returns bounds on the value of its policy, user's
        units.
        """
        self.used_visits = self.learner.counts.visits.copy()
        self._test_counts(k)
        self._test_model(k)
        occupancy, (low, high) = self._evaluate()
        holds = min(self.event.values()) >= 0
        self.on_event += holds
        if holds:
            self._test_optimism(k)
            if self.lipschitz is not None and self.problem.concave:  # for other G closeness costs total variation
                self._test_closeness(k, occupancy, low, high)
        user = self.standard.value(low), self.standard.value(high)
        if not self.judge.standard.exact and self.judge.by_laws is False:
            measured = self.judge.of_policy(self.learner.policy_table())
        else:
            measured = (math.nextafter(float(user[0]), -math.inf), math.nextafter(float(user[1]), math.inf))
        self._test_regret(k, low)
        return measured

    def _test_counts(self, k: int) -> None:
        counts = self.learner.counts
        wrong = (
            (counts.visits != self.visits).sum()
            + (counts.following != self.following).sum()
            + (counts.reward != self.rewards).sum()
        )
        self.rows["counts"].note(k, -int(wrong))

    def _test_model(self, k: int) -> None:
        """Rebuild the pairs that were played, exactly, and compare."""
        standard, model, target = self.standard, self.learner.model, self.learner.target
        worst, radius_slack = Fraction(), Fraction(1)
        for pair in self.touched:
            p, seen = self.number[pair], self.history[pair]
            eps = None if not seen.visits else self._learners_radius(seen.visits, target)
            hat = optimistic_pair(seen, eps or Fraction())
            self.hat[pair], self.radius[pair] = hat, eps
            truth = standard.pairs[pair[0]][pair[1]]
            self.event[pair] = event_slack(seen, truth, standard.atoms, eps or Fraction())
            if eps is not None:
                radius_slack = min(radius_slack, eps**2 * 2 * seen.visits / self.log.upper - 1)
            worst = max(worst, self._distance(p, hat, model))
        self.rows["model"].note(k, MODEL_TOLERANCE - worst)
        if radius_slack < 1:
            self.rows["radius"].note(k, radius_slack)
        self.touched = set()

    def _learners_radius(self, visits: int, target: Any) -> Fraction:
        from ..kernels.learn_plan import radius_of

        radius: Any = radius_of
        return Fraction(float(radius(visits, target.log_term, target.scale)))

    def _distance(self, p: int, hat: OptimisticPair, model: Any) -> Fraction:
        """l1 distance between the learner's pair and the exact one, transitions and rewards together."""
        n = int(model.length[p])
        found = {int(s): Fraction(float(q)) for s, q in zip(model.state[p, :n], model.prob[p, :n], strict=True)}
        keys = {*found, *hat.following}
        total = sum((abs(found.get(s, Fraction()) - hat.following.get(s, Fraction())) for s in keys), Fraction())
        total += abs(Fraction(float(model.miss[p])) - hat.miss)
        for i, r in enumerate(self.standard.atoms):
            total += abs(Fraction(float(model.reward[p, i])) - hat.reward.mass(r))
        return total

    def _evaluate(self) -> tuple[Occupancy, tuple[Fraction, Fraction]]:
        table = self.learner.policy_table()
        key = table.tobytes()
        if key not in self.occupancies:
            occupancy = Occupancy(self.standard, table.tolist())
            self.occupancies[key] = occupancy, bounds(self.settings.objective.of(occupancy.law))
        return self.occupancies[key]

    @property
    def _exactly_solvable(self) -> bool:
        """Whether the optimistic model itself can be solved in integers, should rounding leave a claim undecided."""
        standard, objective = self.standard, self.settings.objective
        cells = standard.n_states * max(standard.n_actions) * standard.horizon * (standard.top[0] + 1)
        known = objective.quantile is not None or (objective.knots is not None and self.problem.concave)
        return known and standard.exact and not standard.carries_rewards and cells <= MOST_EXACT_CELLS

    def _test_optimism(self, k: int) -> None:
        """The best optimistic value lies in ``[value, upper]``, both widened by rounding."""
        low = Fraction(self.learner.value) - self.allowance - self.best[1]
        high = Fraction(self.learner.upper) + self.allowance - self.best[0]
        if low < 0 <= high and self._exactly_solvable:
            radius = {pair: eps for pair, eps in self.radius.items() if eps is not None}
            hat = optimistic_mdp(self.standard, self.history, radius)
            exact = exact_plan(hat, self.settings.objective).value / self.standard.unit
            low, high = exact - self.best[1], exact - self.best[0]
        self.rows["L1"].note(k, low * self.scale, high * self.scale)

    def _test_closeness(self, k: int, occupancy: Occupancy, low: Fraction, high: Fraction) -> None:
        assert self.lipschitz is not None
        standard, one = self.standard, Fraction(1)
        through_model = through_radius = Fraction()
        for t, visits in enumerate(occupancy.visits):
            after, most = standard.top[t + 1], standard.units[t][-1]
            for pair, mass in visits.items():
                hat, eps = self.hat[pair], self.radius[pair]
                optimistic_mean = sum((q * self._units(t, r) for r, q in hat.reward), Fraction())
                through_model += mass * (after * hat.miss + optimistic_mean - self.true_means[pair][t])
                jump = one if eps is None else min(one, standard.n_states * eps)
                lift = one if eps is None else min(one, 2 * eps)
                through_radius += mass * (after * jump + most * lift)
        slack = self.lipschitz * through_model - Fraction(self.learner.value)
        self.rows["L2a"].note(
            k, (slack + low - self.allowance) * self.scale, (slack + high + self.allowance) * self.scale
        )
        self.rows["L2b"].note(k, self.lipschitz * (through_radius - through_model) * self.scale)

    def _units(self, t: int, r: Fraction) -> int:
        return self.standard.units[t][self.standard.atoms.index(r)]

    def _test_regret(self, k: int, low: Fraction) -> None:
        if self.bound is None:
            return
        gap = float((self.best[1] - low) * self.standard.unit)
        self.regret += max(gap, 0.0)
        errors = float((Fraction(self.learner.upper - self.learner.value) + self.allowance) * self.standard.unit)
        self.planner += max(errors, 0.0)
        bound = float(self.bound.at(np.array([k + 1.0]))[0]) + self.planner
        self.rows["regret"].note(k, (bound - self.regret) * float(self.standard.range))

    # -- after the episode --------------------------------------------------------------------------------------------

    def played(self, states: list[int], actions: list[int], rewards: list[int]) -> None:
        """Recount, and test the counting inequality for the pairs of this episode."""
        self.history.add(states, actions, [self.standard.atoms[i] for i in rewards])
        for t, (s, a) in enumerate(zip(states, actions, strict=False)):
            p = self.number[s, a]
            self.visits[p] += 1
            self.following[p, states[t + 1]] += 1
            self.rewards[p, rewards[t]] += 1
            self.touched.add((s, a))
            used = int(self.used_visits[p])
            cost = self.cap << SHIFT
            if used:
                cost = min(cost, _root_up(self.c2[1] / used))
            self.sums[p] += cost
        worst = None
        for pair in self.touched:
            p = self.number[pair]
            n = int(self.visits[p])
            right = (self.cap * min(self.problem.horizon, n) << SHIFT) + _root_down(4 * self.c2[0] * n)
            slack = Fraction(right - self.sums[p], 1 << SHIFT)
            worst = slack if worst is None else min(worst, slack)
        assert worst is not None
        self.rows["L3"].note(self.history.episodes - 1, worst)

    def report(self, episodes: int) -> AuditReport:
        return AuditReport(episodes, self.on_event, self.rows)


SHIFT = 60
"""Square roots are taken of integers scaled by ``2 ** (2 * SHIFT)``, rounded to the safe side."""


def _root_up(x: Fraction) -> int:
    return math.isqrt(-((-x.numerator << 2 * SHIFT) // x.denominator)) + 1


def _root_down(x: Fraction) -> int:
    return math.isqrt((x.numerator << 2 * SHIFT) // x.denominator)
