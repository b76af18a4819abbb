r"""The audit of a run: the steps of the regret proof, tested on the run itself.

Every episode tests the learner's own arrays against the true model, in exact or enclosed arithmetic
(:mod:`.audit_exact`).

========== ==========================================================================================================
counts     the learner's counts are those of the episodes played
draws      every step drew its reward and its outcome from the true laws, each with a random number of its own
model      its model is the construction for those counts (up to a stated rounding, and no wider than that)
radius     its sets are at least as wide as the theorem's; the logarithm is counted again here
greedy     its plan is greedy at every (t, s, y) for a best level, up to the stated planner error
event      the truth lies in all sets (may fail: then nothing below is claimed)
L1         optimism of the value: :math:`\max \hat\Phi \ge \max \Phi`
L2a        closeness: :math:`\hat\Phi(\hat\pi) - \Phi(\hat\pi) \le L\, E_{M,\hat\pi} \sum_t Y_t`, Y from the model
L2b        that is at most the same with Y from the radii
L3         counting: over the visits of a pair, :math:`\sum \min(T, c/\sqrt{N}) \le T \min(T, N) + 2c\sqrt N`
regret     cumulative pseudo-regret is below the theorem's bound
data       and below the bound from the data
interval   :math:`\check v \le \Phi(\check\pi) \le \Phi^* \le \hat v`
========== ==========================================================================================================

The optimistic value is a float with a proved rounding bound; a claim inside that bound counts as undecided.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidArgument
from ..kernels.learn_data import MEAN, TAIL, Actions, Path
from ..kernels.learn_sets import radius_of
from ..numbers.enclosure import bounds
from ..planning import exact_plan
from .audit_exact import (
    Counting,
    Greedy,
    History,
    Occupancy,
    OptimisticPair,
    PairHistory,
    event_slack,
    optimistic_mdp,
    optimistic_pair,
    rebuilt_log,
    root_ratio,
    set_slacks,
    threshold,
    uniform_event_slack,
)  # fmt: skip
from .episodes import Count, Record
from .evaluate import Judge
from .guarantee import bounds_beforehand, data_bound
from .learner import Floats, Learner, cumulative, draws_of
from .run import data_range

if TYPE_CHECKING:
    from .task import Task

MODEL_TOLERANCE = Fraction(1, 10**12)
"""The largest distance of the learner's float models from the exact ones; rounding is far below it."""
MOST_EXACT_CELLS = 2_000
"""The most cells for which the optimistic model is solved in integers where rounding leaves a claim undecided."""
GROWTH = 1.3
"""Greediness and interval are tested when the number of episodes has grown by this factor."""


ROWS = {
    "counts": "counts are those of the episodes played",
    "draws": "each step drew reward, outcome afresh",
    "model": "model is the one for these counts",
    "radius": "sets at least as wide as the theorem's",
    "greedy": "greedy everywhere, level the best",
    "L1": "optimism of the value",
    "L2a": "closeness of the values",
    "L2b": "closeness in terms of the radii",
    "L3": "counting",
    "regret": "regret below the theorem's bound",
    "data": "regret below the bound from the data",
    "interval": "optimum and policy inside the interval",
}


@dataclass
class Row:
    """One claim over a run: how often it was tested, refuted and undecided; its least slack, in the user's units, and
    the episode of that.
    """

    tested: int = 0
    violations: int = 0
    undecided: int = 0
    least: float = math.inf
    at: int = -1

    def note(self, episode: int, low: Fraction | float, high: Fraction | float | None = None) -> None:
        """Add a test whose slack lies in ``[low, high]``; ``high`` is ``low`` by default."""
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
    """The result of an audit: one row per claim.

    :param episodes: the number of episodes audited
    :param on_event: in how many of them the confidence event held
    :param rows: the steps of the proof, each with its least slack
    """

    episodes: int
    on_event: int
    rows: dict[str, Row]

    @property
    def violations(self) -> int:
        return sum(row.violations for row in self.rows.values())

    def __str__(self) -> str:
        header = f"{'claim':<8} {'':<46} {'tested':>7} {'violated':>8} {'undecided':>9} {'least slack':>12}  at"
        off = self.episodes - self.on_event
        lines = [
            f"audit of {self.episodes} episodes; the event held on {self.on_event}"
            + (f", failed on {off}: L1, L2, data and interval claim nothing there" if off else ""),
            header,
            "-" * len(header),
        ]
        for name, row in self.rows.items():
            slack = f"{row.least:>12.4g}  {row.at}" if row.tested else f"{'-':>12}"
            lines.append(f"{name:<8} {ROWS[name]:<46} {row.tested:>7} {row.violations:>8} {row.undecided:>9} {slack}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """As JSON, rationals as ``"p/q"``.

        :returns: plain lists, dicts, numbers and text
        """
        rows = {
            name: [row.tested, row.violations, row.undecided, row.least if row.tested else None, row.at]
            for name, row in self.rows.items()
        }
        return {"episodes": self.episodes, "on_event": self.on_event, "rows": rows}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> AuditReport:
        """The inverse of :meth:`to_json`.

        :param data: what :meth:`to_json` gave; a file may be damaged, and is checked where it is loaded
        :returns: the report
        """
        rows = {
            name: Row(tested, violations, undecided, math.inf if least is None else least, at)
            for name, (tested, violations, undecided, least, at) in data["rows"].items()
        }
        return cls(data["episodes"], data["on_event"], rows)


def audited_run(
    task: Task, learner: Learner, judge: Judge, best: tuple[Fraction, Fraction], progress: Count | None = None
) -> tuple[Record, AuditReport]:
    """Play all episodes one by one and test every claim; ``best`` encloses the optimum, in the user's units.

    Raises :class:`InvalidArgument` for an algorithm without a theorem, and for a run with ``stop_when``, a checkpoint
    or no number of episodes.
    """
    settings = task.settings
    if settings.algorithm not in ("kl", "ucb", "ucb-as-printed"):
        raise InvalidArgument(f"algorithm is {settings.algorithm!r}: there is no theorem to audit, wanted 'kl'")
    if settings.episodes is None:
        raise InvalidArgument("episodes is None, but an audited run needs their number")
    for name in ("stop_when", "checkpoint"):
        if (given := getattr(settings, name)) is not None:
            raise InvalidArgument(f"{name} is {str(given)!r:.80}, but an audited run plays all its episodes at one go")
    auditor = _Auditor(task, learner, judge, best)
    K, horizon = settings.episodes, learner.standard.horizon
    rng = np.random.default_rng(settings.seed)
    returns, values, uppers, widths, low, high = (np.zeros(K) for _ in range(6))
    for k in range(K):
        values[k] = learner.plan()
        uppers[k] = learner.upper
        low[k], high[k] = auditor.test(k)
        draws = draws_of(settings.seed, 1, horizon, rng)[0]
        path = learner.play(draws)
        widths[k] = auditor.played(k, draws, path)
        units, played = learner.standard.units, zip(path.rewards, path.paid, strict=True)
        returns[k] = sum(units[t][i] + units[t][j] for t, (i, j) in enumerate(played))
        if progress is not None:
            progress(k + 1, K)
    return Record(returns, values, uppers, widths, low, high), AuditReport(K, auditor.on_event, auditor.rows)


class _Auditor:
    """The claims of a run in progress; all values are in units unless a comment says otherwise."""

    def __init__(self, task: Task, learner: Learner, judge: Judge, best: tuple[Fraction, Fraction]) -> None:
        self.task, self.learner, self.judge, self.settings = task, learner, judge, task.settings
        standard = self.standard = learner.standard
        self.kl = self.settings.algorithm == "kl"
        self.history = History()
        self.rows = {name: Row() for name in ROWS}
        self.on_event = 0
        self.log = rebuilt_log(standard, self.settings)
        self.scale = standard.range * standard.unit
        self.best = tuple((x - standard.offset) / self.scale for x in best)
        lipschitz = self.settings.objective.lipschitz
        self.lipschitz = Fraction(lipschitz) if lipschitz != math.inf else None
        self.allowance = Fraction(task.slack)
        self.pairs = [(s, a) for s in range(standard.n_states) for a in range(standard.n_actions[s])]
        self.number = {pair: i for i, pair in enumerate(self.pairs)}
        self.used: dict[tuple[int, int], PairHistory] = {}
        self.radius: dict[tuple[int, int], Fraction | None] = {}
        self.event: dict[tuple[int, int], Fraction] = {}
        self.touched = set(self.pairs)
        self.occupancies: dict[bytes, tuple[Occupancy, tuple[Fraction, Fraction]]] = {}
        self.regret = self.planner = 0.0
        self.widths: list[float] = []
        found = bounds_beforehand(task, "kl" if self.kl else "ucb", Fraction(1))
        self.bound = None if found is None else found[1]
        self.greedy = Greedy(learner)
        self.counting = Counting(task, self.log)
        self.next_look = 0
        self.exact_sampler = [
            [
                (cumulative([p for _, p in pair.rewards]), cumulative([p for _, _, p in pair.outcomes]))
                for pair in actions
            ]
            for actions in standard.pairs
        ]

    # -- one episode --------------------------------------------------------------------------------------------------

    def test(self, k: int) -> tuple[float, float]:
        """Test all claims about the plan of episode k; return bounds on its policy's value, in the user's units."""
        self._test_counts(k)
        self._test_model(k)
        looking = k >= self.next_look
        if looking and self.learner.target.kind in (MEAN, TAIL):
            self._test_greedy(k)
        occupancy, (low, high) = self._evaluate(self.learner.policy_table())
        holds = min(self.event.values()) >= 0
        self.on_event += holds
        concave = self.lipschitz is not None and self.task.problem.concave
        if holds:
            self._test_optimism(k)
            if concave:  # for other G closeness costs total variation
                self._test_closeness(k, occupancy, low, high)
        user = self.standard.value(low), self.standard.value(high)
        if not self.judge.standard.exact and self.judge.by_laws is False:
            measured = self.judge.of_policy(self.learner.policy_table())
        else:
            measured = (math.nextafter(float(user[0]), -math.inf), math.nextafter(float(user[1]), math.inf))
        self._test_regret(k, low)
        if looking:
            self.next_look = max(k + 1, int(k * GROWTH))
            if holds and self.settings.has_interval:
                self._test_interval(k)
        return measured

    def _test_counts(self, k: int) -> None:
        counts, wrong = self.learner.counts, 0
        for p, pair in enumerate(self.pairs):
            seen = self.history[pair]
            n = int(counts.length[p])
            rows = zip(
                counts.atom[p, :n].tolist(), counts.state[p, :n].tolist(), counts.count[p, :n].tolist(), strict=True
            )
            found = {(atom, state): count for atom, state, count in rows}
            paid = {self.standard.atoms[i]: int(x) for i, x in enumerate(counts.reward[p]) if x}
            wrong += int(counts.visits[p]) != seen.visits or found != dict(seen.outcomes) or paid != dict(seen.rewards)
        self.rows["counts"].note(k, -wrong)

    def _test_model(self, k: int) -> None:
        """Test the pairs that were rebuilt; if one was due, all that were played must have been rebuilt."""
        model, waited = self.learner.model, 1 + Fraction(self.learner.target.patience)
        wide, narrow, widths = Fraction(1), Fraction(1), False
        due = any(self.history[pair].visits >= self.learner_used(pair) * waited for pair in self.touched)
        for pair in self.touched:
            p, seen = self.number[pair], self.history[pair]
            if int(model.used[p]) != seen.visits:
                if due or int(model.used[p]) != self.learner_used(pair):
                    narrow = Fraction(-1)
                continue
            self.used[pair] = copy.deepcopy(seen)
            one, other = self._look_at(pair, p, seen)
            if one is not None:
                wide, widths = min(wide, one), True
            narrow = min(narrow, other)
        self.rows["model"].note(k, narrow)
        if widths:
            self.rows["radius"].note(k, wide)
        self.touched = {
            pair for pair in self.touched if int(model.used[self.number[pair]]) != self.history[pair].visits
        }

    def learner_used(self, pair: tuple[int, int]) -> int:
        """Return the visits of a pair at its last rebuild."""
        return self.used[pair].visits if pair in self.used else 0

    def _look_at(self, pair: tuple[int, int], p: int, seen: PairHistory) -> tuple[Fraction | None, Fraction]:
        """Return the slack of one rebuilt pair against narrowness (None if never visited) and against another model."""
        found, low, high, total = self._stored(p)
        truth = self.standard.pairs[pair[0]][pair[1]]
        other = MODEL_TOLERANCE - abs(total - 1)
        certain = bool(self.learner.known.fixed[p]) or (int(self.learner.known.limit[p]) == 1 and bool(seen.visits))
        if self.kl:
            known = self.standard.joint or self.settings.declared.rewards is not False
            self.event[pair] = uniform_event_slack(found, low, high, truth)
            if not seen.visits:
                self.radius[pair] = None
                return None, other
            needed = threshold(self.log, seen.visits)
            self.radius[pair] = root_ratio(needed.upper / (2 * seen.visits))
            wide, narrow = set_slacks(
                seen, found, low, high, self.standard.atoms, needed, certain=certain, rewards=not known
            )
            return wide, min(other, narrow)
        eps = None if not seen.visits else self._learners_radius(seen.visits)
        self.radius[pair] = eps
        hat = optimistic_pair(seen, eps or Fraction(), joint=self.standard.joint)
        self.event[pair] = event_slack(seen, truth, self.standard.atoms, eps or Fraction())
        other = min(other, MODEL_TOLERANCE - self._distance(found, low, hat))
        return None if eps is None else eps**2 * 2 * seen.visits / self.log.upper - 1, other

    def _stored(self, p: int) -> tuple[dict[tuple[int, int], Fraction], list[Fraction], list[Fraction], Fraction]:
        """Return the learner's pair p: outcomes, the two CDFs of its reward, and the total mass of its outcomes."""
        model, S = self.learner.model, self.standard.n_states
        found: dict[tuple[int, int], Fraction] = {}
        for j in range(int(model.length[p])):
            if int(model.state[p, j]) < S:
                found[int(model.atom[p, j]), int(model.state[p, j])] = Fraction(float(model.prob[p, j]))
        total = sum(found.values(), Fraction()) + Fraction(float(model.miss[p]))
        beyond = [float(model.prob[p, j]) for j in range(int(model.length[p])) if int(model.state[p, j]) == S]
        if self.learner.known.length[p] == 0 and sum(beyond) != float(model.miss[p]):
            total = Fraction()  # the missing mass is not in the row
        if self.standard.joint:
            return found, [], [], total
        return found, _cdf(model.reward[p]), _cdf(model.reward_low[p]), total

    def _learners_radius(self, visits: int) -> Fraction:
        target = self.learner.target
        return Fraction(float(radius_of(visits, target.log_term, target.scale)))

    def _distance(self, found: dict[tuple[int, int], Fraction], low: list[Fraction], hat: OptimisticPair) -> Fraction:
        """Return the distance of the learner's pair from the exact one: outcomes in l1, rewards level by level."""
        keys = {*found, *hat.following}
        total = sum((abs(found.get(s, Fraction()) - hat.following.get(s, Fraction())) for s in keys), Fraction())
        if not self.standard.joint:
            total += max(abs(level - hat.reward.cdf(r)) for level, r in zip(low, self.standard.atoms, strict=True))
        return total

    def _evaluate(self, table: Actions) -> tuple[Occupancy, tuple[Fraction, Fraction]]:
        key = table.tobytes()
        if key not in self.occupancies:
            occupancy = Occupancy(self.standard, table.tolist())
            self.occupancies[key] = occupancy, bounds(self.settings.objective.of(occupancy.law))
        return self.occupancies[key]

    def _test_greedy(self, k: int) -> None:
        """Test that the stated planner error covers rounding and ties, of the value and of every action."""
        tolerance = 2 * float(self.allowance)
        _, value, worth = self.greedy.best_level(tolerance)
        loss = self.greedy.loss(self.learner.tables.policy, worth)
        slack = min(tolerance - abs(value - self.learner.value), tolerance - loss)
        self.rows["greedy"].note(k, slack * float(self.scale))

    @property
    def _exactly_solvable(self) -> bool:
        """True if the optimistic model can be solved in integers where rounding leaves a claim undecided."""
        standard, objective = self.standard, self.settings.objective
        cells = standard.n_states * max(standard.n_actions) * standard.horizon * (standard.top[0] + 1)
        known = objective.quantile is not None or (objective.knots is not None and self.task.problem.concave)
        return known and standard.exact and not standard.joint and not self.kl and cells <= MOST_EXACT_CELLS

    def _test_optimism(self, k: int) -> None:
        """Test L1; the best optimistic value lies in ``[value, upper]``, both widened by rounding."""
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
        standard, model, joint = self.standard, self.learner.model, self.standard.joint
        through_model = through_radius = Fraction()
        for t, visits in enumerate(occupancy.visits):
            after, most = standard.top[t if joint else t + 1], standard.units[t][-1]
            for pair, mass in visits.items():
                p = self.number[pair]
                paid = standard.pairs[pair[0]][pair[1]].rewards
                hat_mean = sum(
                    (Fraction(float(q)) * u for q, u in zip(model.reward[p], standard.units[t], strict=True)),
                    Fraction(),
                )
                true_mean = sum((q * standard.units[t][i] for i, q in paid), Fraction())
                lift = Fraction() if joint else hat_mean - true_mean
                through_model += mass * (after * Fraction(float(model.miss[p])) + lift)
                jump, rise = self._from_radius(pair)
                through_radius += mass * (after * jump + (0 if joint else most * rise))
        slack = self.lipschitz * through_model - Fraction(self.learner.value)
        self.rows["L2a"].note(
            k, (slack + low - self.allowance) * self.scale, (slack + high + self.allowance) * self.scale
        )
        rounding = MODEL_TOLERANCE * standard.top[0] * standard.horizon
        self.rows["L2b"].note(k, (self.lipschitz * (through_radius - through_model) + rounding) * self.scale)

    def _from_radius(self, pair: tuple[int, int]) -> tuple[Fraction, Fraction]:
        """Return bounds on the missing mass and on the lift of the reward's CDF, from the radius alone."""
        eps, one = self.radius[pair], Fraction(1)
        if eps is None:
            return one, one
        if self.kl:
            seen = len(self.used[pair].outcomes)
            spread = min(Fraction(seen), 2 * root_ratio(Fraction(seen)))
        else:
            spread = Fraction(self.standard.n_states * (len(self.standard.atoms) if self.standard.joint else 1))
        return min(one, spread * eps), min(one, 2 * eps)

    def _test_regret(self, k: int, low: Fraction) -> None:
        self.regret += max(float((self.best[1] - low) * self.standard.unit), 0.0)
        if self.bound is None:
            return
        errors = float((Fraction(self.learner.upper - self.learner.value) + self.allowance) * self.standard.unit)
        self.planner += max(errors, 0.0)
        bound = float(self.bound.at(np.array([k + 1.0]))[0]) + self.planner
        self.rows["regret"].note(k, (bound - self.regret) * float(self.standard.range))

    def _test_interval(self, k: int) -> None:
        value, table = self.learner.plan_below()
        _, (worth, _) = self._evaluate(table)
        below, above = Fraction(value) - self.allowance, Fraction(self.learner.upper) + self.allowance
        self.rows["interval"].note(k, min(worth - below, self.best[1] - below, above - self.best[0]) * self.scale)

    # -- after the episode --------------------------------------------------------------------------------------------

    def played(self, k: int, draws: Floats, path: Path) -> float:
        """Test the draws of an episode, count it, and test the counting inequality for its pairs; return its width."""
        states, actions, rewards, paid = (x.tolist() for x in path)
        self._test_draws(k, draws.tolist(), states, actions, rewards, paid)
        width = self.learner.width(path)
        self.widths.append(width)
        self._test_data(k)
        self.history.add(states, actions, [self.standard.atoms[i] for i in rewards], paid)
        visited = list(zip(states, actions, strict=False))
        self.touched.update(visited)
        for pair in visited:
            self.counting.visit(pair, int(self.learner.model.used[self.number[pair]]))
        worst = min(self.counting.slack(pair, self.history[pair].visits) for pair in set(visited))
        self.rows["L3"].note(k, worst)
        return width

    def _test_data(self, k: int) -> None:
        if not self.kl or self.lipschitz is None or not self.task.problem.concave or self.on_event <= k:
            return
        bound = data_bound(np.array(self.widths), data_range(self.task), self.lipschitz, self.settings.delta)[-1]
        total = float(bound) * float(self.standard.unit) + self.planner
        self.rows["data"].note(k, (total - self.regret) * float(self.standard.range))

    def _test_draws(
        self, k: int, draws: list[float], states: list[int], actions: list[int], rewards: list[int], paid: list[int]
    ) -> None:
        """Test that the episode follows from the true laws, the policy's table and one random number for each draw."""
        standard, table = self.standard, self.learner.tables.policy
        firsts = cumulative([p for _, p in standard.initial])
        s, y, wrong = standard.initial[_first_above(firsts, draws[0])][0], 0, 0
        for t in range(standard.horizon):
            a = int(table[t, s, min(y, table.shape[2] - 1)])
            pair, (own, joint) = standard.pairs[s][a], self.exact_sampler[s][a]
            reward = pair.rewards[_first_above(own, draws[1 + 2 * t])][0]
            atom, target, _ = pair.outcomes[_first_above(joint, draws[2 + 2 * t])]
            wrong += (s, a, reward, atom, target) != (states[t], actions[t], rewards[t], paid[t], states[t + 1])
            y += standard.units[t][reward] + standard.units[t][atom]
            s = target
        self.rows["draws"].note(k, -wrong)


def _first_above(levels: list[float], u: float) -> int:
    return next(i for i, level in enumerate(levels) if u < level)


def _cdf(masses: Any) -> list[Fraction]:
    levels, total = [], Fraction()
    for q in masses:
        total += Fraction(float(q))
        levels.append(total)
    return levels
