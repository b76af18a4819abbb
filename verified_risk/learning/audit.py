"""The audit of a run: what it claims, compared with the truth, which the learner does not see.

Every episode is compared with the true model, in exact or enclosed arithmetic.  The *event* is that the truth lies in
all sets that the episode was planned with (``P^ <= P``, ``F^ <= F_R`` and, for time-uniform sets, ``F_R <= F^+``, hats
denoting the learner's own arrays).  It may fail; then L1, L2a, data and interval claim nothing.  The claims are those
of theory, page 10: L1 (kl-optimism), L2a (kl-close), the interval (kl-interval), and cumulative pseudo-regret below the
theorem's bound and below the one from data (kl-data); for ``ucb`` those of page 8.  The optimistic value is a float
with a proved rounding bound; a claim inside that bound counts as undecided.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidArgument
from ..kernels.learn_data import Actions
from ..law import Law, added_up
from ..numbers.enclosure import bounds
from ..numbers.format import columns
from ..numbers.rational import lcm_of_denominators
from .episodes import Count, Record
from .evaluate import Judge
from .guarantee import bounds_beforehand, data_bound
from .learner import Learner, draws_of
from .problem import Pair, Standard
from .run import data_range

if TYPE_CHECKING:
    from .task import Task

GROWTH = 1.3  # the interval is tested when the number of episodes has grown by this factor
ROWS = {
    "L1": "optimism of the value",
    "L2a": "closeness of the values",
    "regret": "regret below the theorem's bound",
    "data": "regret below the bound from the data",
    "interval": "optimum and policy inside the interval",
}

COLUMNS = ("claim", "says", "tested", "violated", "undecided", "least slack", "at episode")


@dataclass
class Row:
    """One claim over a run: how often it was tested, refuted and undecided; its least slack, in the user's units, and
    the episode of that."""

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
    :param rows: the claims, each with its least slack; a file of an earlier version has more of them
    """

    episodes: int
    on_event: int
    rows: dict[str, Row]

    @property
    def violations(self) -> int:
        return sum(row.violations for row in self.rows.values())

    @property
    def title(self) -> str:
        """The number of episodes audited, and of those in which the event held, in words."""
        off = self.episodes - self.on_event
        failed = f", failed on {off}: L1, L2, data and interval claim nothing there" if off else ""
        return f"audit of {self.episodes} episodes; the event held on {self.on_event}{failed}"

    def cells(self) -> list[list[str]]:
        """Return the rows of the table as text; episodes are counted from 1.

        :returns: rows of cells
        """
        return [
            [name, ROWS.get(name, ""), str(row.tested), str(row.violations), str(row.undecided),
             *((f"{row.least:.4g}", str(row.at + 1)) if row.tested else ("-", "-"))]
            for name, row in self.rows.items()
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.title}\n{columns([COLUMNS, *self.cells()])}"

    def to_json(self) -> dict[str, Any]:
        """As JSON, rationals as ``"p/q"``.

        :returns: plain lists, dicts, numbers and text
        """
        rows = {name: [None if x == math.inf else x for x in astuple(row)] for name, row in self.rows.items()}
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
    returns, values, uppers, low, high = (np.zeros(K) for _ in range(5))
    for k in range(K):
        values[k] = learner.plan()
        uppers[k] = learner.upper
        low[k], high[k] = auditor.test(k)
        path = learner.play(draws_of(settings.seed, 1, horizon, rng)[0])
        auditor.add_width(k, learner.width(path))
        units, played = learner.standard.units, zip(path.rewards, path.paid, strict=True)
        returns[k] = sum(units[t][i] + units[t][j] for t, (i, j) in enumerate(played))
        if progress is not None:
            progress(k + 1, K)
    record = Record(returns, values, uppers, np.array(auditor.widths), low, high)
    return record, AuditReport(K, auditor.on_event, auditor.rows)


class _Auditor:
    """The claims of a run in progress; all values are in units unless a comment says otherwise."""

    def __init__(self, task: Task, learner: Learner, judge: Judge, best: tuple[Fraction, Fraction]) -> None:
        self.task, self.learner, self.judge, self.settings = task, learner, judge, task.settings
        standard = self.standard = learner.standard
        self.kl = self.settings.algorithm == "kl"
        self.rows = {name: Row() for name in ROWS}
        self.on_event = 0
        self.scale = standard.range * standard.unit
        self.best = tuple((x - standard.offset) / self.scale for x in best)
        self.concave = self.settings.objective.lipschitz != math.inf and task.problem.concave
        self.allowance = Fraction(task.slack)
        self.pairs = [pair for actions in standard.pairs for pair in actions]
        self.used = np.full(len(self.pairs), -1)
        self.event = [Fraction()] * len(self.pairs)
        self.occupancies: dict[bytes, tuple[Occupancy, tuple[Fraction, Fraction]]] = {}
        self.regret = self.planner = 0.0
        self.widths: list[float] = []
        found = bounds_beforehand(task, "kl" if self.kl else "ucb", Fraction(1))
        self.bound = None if found is None else found[1]
        self.next_look = 0

    def test(self, k: int) -> tuple[float, float]:
        """Test all claims about the plan of episode k; return bounds on its policy's value, in the user's units."""
        table = self.learner.policy_table()
        occupancy, (low, high) = self._evaluate(table)
        holds = self._event_holds()
        self.on_event += holds
        if holds:
            value, upper = Fraction(self.learner.value), Fraction(self.learner.upper)
            slack = value - self.allowance - self.best[1], upper + self.allowance - self.best[0]
            self.rows["L1"].note(k, slack[0] * self.scale, slack[1] * self.scale)
            if self.concave:  # for other G closeness costs total variation
                self._test_closeness(k, occupancy, low, high)
        self._test_regret(k, low)
        if k >= self.next_look:
            self.next_look = max(k + 1, int(k * GROWTH))
            if holds and self.settings.has_interval:
                self._test_interval(k)
        if not self.standard.exact and not self.judge.by_laws:
            return self.judge.of_policy(table)
        user = float(self.standard.value(low)), float(self.standard.value(high))
        return math.nextafter(user[0], -math.inf), math.nextafter(user[1], math.inf)

    def _event_holds(self) -> bool:
        """Return whether the truth lies in all sets in use; only sets that were rebuilt are compared again."""
        model = self.learner.model
        for p in np.flatnonzero(model.used != self.used).tolist():
            self.used[p] = model.used[p]
            rows = zip(*(x[p, : model.length[p]].tolist() for x in (model.atom, model.state, model.prob)), strict=True)
            found = {(i, s): Fraction(q) for i, s, q in rows if s < self.standard.n_states}
            low: list[Fraction] = []
            if not (self.standard.joint or self.task.knowledge.rewards):
                low = list(accumulate(map(Fraction, model.reward[p].tolist())))
            high = (
                list(accumulate(map(Fraction, model.reward_low[p].tolist()))) if self.kl else [Fraction(1)] * len(low)
            )
            self.event[p] = event_slack(found, low, high, self.pairs[p])
        return min(self.event) >= 0

    def _evaluate(self, table: Actions) -> tuple[Occupancy, tuple[Fraction, Fraction]]:
        key = table.tobytes()
        if key not in self.occupancies:
            occupancy = Occupancy(self.standard, table.tolist())
            self.occupancies[key] = occupancy, bounds(self.settings.objective.of(occupancy.law))
        return self.occupancies[key]

    def _test_closeness(self, k: int, occupancy: Occupancy, low: Fraction, high: Fraction) -> None:
        standard, model, joint, total = self.standard, self.learner.model, self.standard.joint, Fraction()
        first = self.learner.shape.first
        for t, visits in enumerate(occupancy.visits):
            after, units = standard.top[t if joint else t + 1], standard.units[t]
            for (s, a), mass in visits.items():
                p = int(first[s]) + a
                lift = Fraction()
                if not joint:
                    hat = zip(map(Fraction, model.reward[p].tolist()), units, strict=True)
                    lift = sum((q * u for q, u in hat), Fraction())
                    lift -= sum((q * units[i] for i, q in self.pairs[p].rewards), Fraction())
                total += mass * (after * Fraction(float(model.miss[p])) + lift)
        slack = Fraction(self.settings.objective.lipschitz) * total - Fraction(self.learner.value)
        ends = slack + low - self.allowance, slack + high + self.allowance
        self.rows["L2a"].note(k, ends[0] * self.scale, ends[1] * self.scale)

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

    def add_width(self, k: int, width: float) -> None:
        """Add the widths that an episode met, and test the bound from data."""
        self.widths.append(width)
        if not self.kl or not self.concave or self.on_event <= k:
            return
        lipschitz = Fraction(self.settings.objective.lipschitz)
        bound = data_bound(np.array(self.widths), data_range(self.task), lipschitz, self.settings.delta)[-1]
        total = float(bound) * float(self.standard.unit) + self.planner
        self.rows["data"].note(k, (total - self.regret) * float(self.standard.range))


def event_slack(
    found: Mapping[tuple[int, int], Fraction], low: Sequence[Fraction], high: Sequence[Fraction], truth: Pair
) -> Fraction:
    """Return the slack of the event at one pair: nonnegative exactly when ``found`` is at most the law of the outcomes,
    and the CDF of the reward lies between ``low`` and ``high``."""
    exact = {(i, state): p for i, state, p in truth.outcomes}
    slack = min((exact.get(one, Fraction()) - q for one, q in found.items()), default=Fraction(1))
    paid = dict(truth.rewards)
    level = Fraction()
    for i in range(len(low) - 1):
        level += paid.get(i, Fraction())
        slack = min(slack, level - low[i], high[i] - level)
    return slack


class Occupancy:
    """A policy in the true model, exactly: ``visits[t][s, a]`` is the probability of taking action a in state s at step
    t, ``law`` the law of the return in units."""

    def __init__(self, standard: Standard, table: Sequence[Sequence[Sequence[int]]]) -> None:
        pairs = [pair for actions in standard.pairs for pair in actions]
        following = lcm_of_denominators(p for pair in pairs for _, _, p in pair.outcomes)
        paying = lcm_of_denominators(p for pair in pairs for _, p in pair.rewards)
        total = lcm_of_denominators(p for _, p in standard.initial)
        level = {(s, 0): p.numerator * (total // p.denominator) for s, p in standard.initial}
        self.visits: list[dict[tuple[int, int], Fraction]] = []
        for rows, units in zip(table, standard.units, strict=True):
            taken = {
                (s, y): int(rows[s][min(y, len(rows[s]) - 1)])  # one column: the return so far plays no part
                for s, y in level
            }
            met = added_up(((s, taken[s, y]), weight) for (s, y), weight in level.items())
            self.visits.append({pair: Fraction(weight, total) for pair, weight in met.items()})
            paid = added_up(
                ((s, taken[s, y], y + units[atom]), weight * p.numerator * (paying // p.denominator))
                for (s, y), weight in level.items()
                for atom, p in standard.pairs[s][taken[s, y]].rewards
            )
            level = added_up(
                ((target, y + units[atom]), weight * p.numerator * (following // p.denominator))
                for (s, a, y), weight in paid.items()
                for atom, target, p in standard.pairs[s][a].outcomes
            )
            total *= following * paying
        returns = added_up((z, weight) for (_, z), weight in level.items())
        self.law = Law.of_integers(returns, unit=Fraction(1), total=total)
