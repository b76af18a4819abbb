"""``plan_from_log`` and ``evaluate_from_log``: a policy, and bounds on policies, from logged episodes alone.

Sets, optimistic and pessimistic models, planner and interval are those of the learner, and hold whatever collected the
data (theory, page 10, kl-logs).  ``answer.prove()`` has the verified checker confirm the guarantee from the counts
(kl-certificate): floats find ends, targets and claims; the checker decides.
"""

from __future__ import annotations

import hashlib
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np

from ..errors import InvalidArgument, NotProved, Unsupported
from ..kernels.learn_data import Actions, Floats
from ..kernels.learn_sets import kl_low, threshold_of
from ..law import Law, moved
from ..numbers.enclosure import bounds
from ..numbers.format import at_least, json_between, json_number
from ..numbers.rational import Rational, as_probability, ceil_div, lcm_of_denominators, text
from ..objectives import Weighting
from ..objectives import objective as read_objective
from ..objectives.piecewise import Levels
from ..planning.clock import TimeUp
from ..proving.budgets import Charges, runs_of
from ..proving.certificate import ByBudget, ByTables, CellGrid, Grid, IntegerModel, Runs, Tail
from ..proving.proved import AXIOMS, Proved
from ..proving.run_checker import Answer, find_checker, run_checker
from .evaluate import Bracket
from .log import Log, Name
from .log_problem import Facts, LogProblem, Row, Rows, Rule, some
from .planner import curve_of, planner_allowance
from .policies import BlackBoxPolicy
from .replay import Replay, band_of, by_laws, by_table
from .run import OptimumInterval

THEOREM = "rarely_wrong"
SHARES = 1 << 20  # denominator of the lower ends of probabilities
BITS = 30  # fractional bits of the tables, in units of the rewards' grid
MOST_COMPLETED = 2_000_000
"""The checker tries every pair of a seen and a possible outcome of a row.  Where these have more entries, if all rows
were like this one, what was not seen is not bounded."""
MARGIN = 1e-6  # what ends stay away from the boundary of the test, as a logarithm; it exceeds the error of ``lgamma``


def log_kt(a: int, b: int) -> float:
    """Return the logarithm of what Krichevsky and Trofimov's mixture gives to a sequence of a ones and b zeros."""
    return math.lgamma(a + 0.5) + math.lgamma(b + 0.5) - math.log(math.pi) - math.lgamma(a + b + 1.0)


def lower_end(x: int, n: int, odds: float) -> int:
    """Return the greatest w, up to rounding, for which ``w / SHARES`` passes the checker's test: x of n visits."""
    if x == 0:
        return 0
    b = n - x
    low, high = 0, min(x * SHARES // n, SHARES - 1)
    while low < high:
        w = (low + high + 1) // 2
        likelihood = x * math.log(w / SHARES) + b * math.log1p(-w / SHARES)
        low, high = (w, high) if math.log(odds) + likelihood + MARGIN <= log_kt(x, b) else (low, w - 1)
    return low


def beyond_seen(seen: int, possible: int, n: int, odds: float) -> int:
    """Return the least w, up to rounding, for which ``w / SHARES`` passes the test of what was not seen."""
    if n == 0:
        return SHARES
    return math.ceil(-SHARES * math.expm1((log_kt(seen, possible - seen) - math.log(odds) - MARGIN) / n))


@dataclass(frozen=True)
class DataCertificate:
    """``lower <= Phi of the policy`` and ``Phi of every policy <= upper`` with probability ``1 - delta``, from counts.

    ``rows[s]`` lists the actions of state s: number, the share of all outcomes that were not seen, and ``(reward, next
    state, count, share)`` of each possible outcome in the order of the first two.
    """

    objective: Tail
    lower: Fraction
    upper: Fraction
    delta: Fraction
    tests: int
    reward_denominator: int
    horizon: int
    initial: tuple[tuple[int, Fraction], ...]
    rows: tuple[tuple[tuple[int, int, tuple[tuple[int, int, int, int], ...]], ...], ...]
    low: ByBudget
    up: ByTables

    @property
    def grids(self) -> list[Grid | CellGrid]:
        return [grid for grid in (self.low.grid, self.up.grid) if grid is not None]

    def lines(self) -> Iterator[str]:
        """Yield the text form (docs/proof_format.md) piece by piece."""
        total = lcm_of_denominators(p for _, p in self.initial)
        yield f"verified-risk-data 2\nobjective {self.objective.words()}\nclaim {self.lower} {self.upper}\n"
        yield f"delta {self.delta}\ntests {self.tests}\ndiscount 1\nreward_denominator {self.reward_denominator}\n"
        yield f"state_count {len(self.rows)}\nhorizon {self.horizon}\ninitial {total} {len(self.initial)}\n"
        yield "".join(f"{s} {int(p * total)}\n" for s, p in self.initial) + f"states {len(self.rows)}\n"
        for s, actions in enumerate(self.rows):
            yield f"{s} {len(actions)}\n"
            for action, beyond, outcomes in actions:
                listed = " ".join(str(x) for outcome in outcomes for x in outcome)
                yield f"{action} {SHARES} {beyond} {len(outcomes)} {listed}\n"
        yield from self.low.lines()
        yield from self.up.lines()
        yield "end\n"


class _Writer:
    """The certificate of one answer."""

    def __init__(self, question: Question, policy: BlackBoxPolicy) -> None:
        self.question, self.policy, self.problem = question, policy, question.problem
        self.standard, self.shell = question.problem.task.standard, question.problem.shell
        self.unit = self.shell.range * self.shell.unit  # every reward is a multiple of it, 0 is one of them
        self.gains = [int((self.shell.low + self.shell.range * x) / self.unit) for x in self.shell.atoms]
        self.rows, self.tests = self._rows()

    def _rows(self) -> tuple[Any, int]:
        """Return the rows with their ends, and the number of possible transitions, untried pairs included."""
        problem, lists, ends = self.problem, self.problem.task.knowledge.lists, len(self.problem.ends)
        every = [(atom, s) for atom in range(len(self.gains)) for s in range(ends)]
        pairs = [(s, a) for s, own in enumerate(problem.own) for a in own]
        possible = [sorted(lists[p] or every, key=lambda x: (self.gains[x[0]], x[1])) for p in range(len(pairs))]
        first = len(pairs) + ends - len(problem.live)  # the row of the law of the first state, if it is estimated
        begun = [s for _, s in lists[first] or [(0, s) for s in range(ends)]] if self.standard.free_steps else []
        tests = sum(map(len, possible)) + problem.untried * len(every) + ends - len(problem.live) + len(begun)
        odds = 4 * float(tests / self.question.delta)

        def row(action: int, p: int, outcomes: list[tuple[int, int, int]]) -> tuple[int, int, Any]:
            found = [(gain, s, problem.outcomes.get((p, s, atom), 0)) for atom, gain, s in outcomes]
            n, m, k = sum(x for _, _, x in found), sum(x > 0 for _, _, x in found), len(found)
            ends = [lower_end(x, n, odds / 3) for _, _, x in found]
            beyond = SHARES - sum(ends)
            if len(pairs) * m * k * (m + 2) <= MOST_COMPLETED:
                beyond = min(beyond_seen(m, k, n, odds / k), beyond)
            return action, beyond, tuple((*o, w) for o, w in zip(found, ends, strict=True))

        rows: list[list[Any]] = [[] for _ in range(self.standard.n_states)]
        for p, (s, a) in enumerate(pairs):
            paid = [(atom, self.gains[atom] * self.unit.numerator, after) for atom, after in possible[p]]
            rows[s].append(row(problem.every.index(a), p, paid))
        for s in range(len(problem.live), ends):  # the end of an episode
            rows[s].append((0, SHARES, ((0, s, 0, 0),)))
        if begun:
            rows[-1].append(row(0, first, [(0, 0, s) for s in sorted(begun)]))
        return tuple(map(tuple, rows)), tests

    def float_rows(self) -> Rows:
        """Return the rows as the learner's, to plan and to evaluate with."""
        rows = copy(self.question.rows)
        rows.rows = list(rows.rows)
        atom = {gain * self.unit.numerator: i for i, gain in enumerate(self.gains)}
        for p, (_, beyond, outcomes) in enumerate(row for actions in self.rows for row in actions):
            seen = [(s, atom[r], w / SHARES) for r, s, x, w in outcomes if x]
            state, paid, weight = (np.array(x) for x in zip(*seen, strict=True)) if seen else (np.empty(0, int),) * 3
            listed = np.array([s for _, s, _, _ in outcomes]), np.array([atom[r] for r, _, _, _ in outcomes])
            miss = beyond / SHARES
            rows.rows[p] = Row(state, paid, weight, miss, None, listed, 1.0 - float(weight.sum()) - miss)
        return rows

    def choices(self, t: int) -> list[Runs]:
        """Return the runs of actions over the window: the first index is the greatest return so far."""
        table = self.policy.table[t]
        paid = np.minimum(np.arange(self.standard.top[0] + 1), table.shape[1] - 1)
        return [runs_of(row[paid][::-1]) for row in table]

    def certificate(self) -> DataCertificate:
        """Return the certificate that floats expect to be accepted."""
        standard, question, unit, horizon = self.standard, self.question, self.unit, self.standard.horizon
        levels: Any = question.objective.levels
        w, alpha = levels.mean, levels.tails[0][0] if levels.tails else Fraction(1)
        left, right = float(w), float(w + (1 - w) / alpha)
        rows = self.float_rows()
        rule, by_return = question._rule(self.policy)

        def missing(b: Any) -> Any:
            return np.where(b > 0, right * b, left * b)

        target, worth = rows.best_target(missing, rule, by_return)
        scale = unit.denominator << BITS
        slack = unit * (horizon + 2 + standard.top[0]) / (1 << BITS - 4)
        lower = _rounded(standard.value(Fraction(worth)) - slack, -1)
        lower = max(lower, standard.value(Fraction()))  # the least return
        upper = _rounded(standard.value(Fraction(float(rows.plan(left, right, -1)[0]))) + slack, 1)
        start = target + standard.steps * self.gains[0]
        lasts = [start - max(t - standard.free_steps, 0) * self.gains[0] for t in range(horizon + 1)]
        windows = [(last - standard.top[0], last) for last in lasts]
        low = ByBudget(scale, Grid(unit, tuple(windows)), start, self.choices)
        up = ByTables("mean", scale << 4)
        if right != 1:
            mean = standard.value(Fraction(float(rows.plan(1.0, 1.0, -1)[0]))) + slack
            steep = w + (1 - w) / alpha
            first = -ceil_div(-(upper - w * mean), (1 - w) * unit)
            last = max(first, ceil_div(steep * mean - upper, (steep - 1) * unit))
            gains = tuple((1, gain * unit.numerator, 0) for gain in self.gains)
            model = IntegerModel(Fraction(1), unit.denominator, horizon, 1, (), (((1, gains),),))
            up = ByTables("budgets", scale, Charges(model, unit).all_policies_grid(first, last, whole=w > 0))
        return DataCertificate(
            Tail(w, alpha), lower, upper, question.delta, self.tests, unit.denominator, horizon,
            standard.initial, self.rows, low, up,
        )  # fmt: skip


def _rounded(x: Fraction, sign: int) -> Fraction:
    """Return x rounded to a multiple of 2**-40, up or down."""
    return sign * ceil_div(sign * x * 2**40, Fraction(1)) / Fraction(2**40)


def _ask(one: DataCertificate, file: Path, seconds: float | None) -> tuple[DataCertificate, Answer]:
    """Return the certificate that is accepted, its claims weakened to what the checker proves, and the answer."""
    widest = max(last - first + 1 for grid in one.grids for first, last in grid.windows)
    for slack in (1, 64, 4096):
        file.write_text("".join(one.lines()), encoding="ascii")
        answer = run_checker(file, widest, seconds=seconds)
        if answer.proved and answer.line.startswith(f"proved by {THEOREM};"):
            return one, answer
        if answer.refuses_lower and answer.provable is not None:
            one = replace(one, lower=answer.provable)
        elif answer.refuses_upper:
            one = replace(one, upper=one.upper + slack * (one.upper - one.lower) / 2**20)
        else:
            break
    if answer.not_covered:
        raise Unsupported(answer.line)
    raise NotProved(f"the checker does not confirm the answer: {answer.line.removeprefix('refused: ')}")


def prove_answer(
    question: Question, policy: BlackBoxPolicy | None, stated: str, file: Any, seconds: float | None
) -> Proved:
    """Confirm bounds for ``policy`` and for all; see :meth:`~verified_risk.learning.log_answers.LogAnswer.prove`.

    ``stated`` ends the note of the proof.
    """
    levels, shell = question.objective.levels, question.problem.shell
    missing = {
        "an interval for a given policy": policy is None,
        f"{question.objective.spec} from data": levels is None or len(levels.tails) > 1,
        "rewards that are rounded to a grid": not shell.exact,
    }
    for what, true in missing.items():
        if true:
            raise Unsupported(f"not covered: {what}")
    assert policy is not None
    find_checker()
    question.log.budget.spend(f"proof of {question.what}", ("certificate", question.problem.key), question.delta)
    one = _Writer(question, policy).certificate()
    with tempfile.TemporaryDirectory(prefix="verified-risk-") as folder:
        written = Path(folder) / "certificate.txt"
        try:
            one, answer = _ask(one, written, seconds)
        except TimeUp:
            raise Unsupported(f"not covered: the time limit of {seconds:g} s is reached; more time may help") from None
        text = written.read_bytes()
    if file is not None:
        Path(file).write_bytes(text)
    assert answer.program is not None
    cells = len(one.rows) * sum(grid.cells for grid in one.grids)
    note = f"with probability at least {1 - one.delta}, by tests of its own; {stated}"
    return Proved(
        THEOREM, AXIOMS, answer.seconds, one.lower, one.upper, cells, len(text), note,
        hashlib.sha256(text.partition(b"\nlower ")[0]).hexdigest(), str(answer.program.path), answer.program.sha256,
        answer.line,
    )  # fmt: skip


GUARANTEES = {
    "kl": "time-uniform KL sets, any behaviour; in Coq but for rounding and curves (theory page 10, kl-formal)",
    "ball": "one ball for each row, any behaviour; in Coq but for rounding and curves (theory page 10, kl-formal)",
    "returns": "the band of Dvoretzky, Kiefer and Wolfowitz around the law of the returns (theory page 10, kl-logs)",
    "replay": "the policy was run on the outcomes of episodes that had no part in choosing it, whatever the behaviour "
    "was; on paper (theory page 10, kl-replay)",
}
REPLAY_SHARE = Fraction(1, 5)
"""The part of delta that a replay spends."""
PESSIMISM = 0.5  # factor of the radii of the sets for which the policy to be replayed is planned; any is valid
CHOSEN_BEFORE = "the policy was chosen without this log"
ORDERED = "episodes are in the order in which they were played, their number was fixed beforehand"
TRIED = 6  # pairs whose lack of data is measured, by planning as if their laws were known


class Thin(NamedTuple):
    """A pair whose lack of data widens the interval: its ``visits``; the ``cost``, by how much the interval would be
    shorter if its law were known to be the frequencies in the log (None if it was never played, or the objective has
    more than one tail); about how many ``more`` visits would halve the probability that its set leaves open."""

    state: Name
    action: Name
    visits: int
    cost: Fraction | None
    more: int

    def __str__(self) -> str:
        gain = "" if self.cost is None else f"; knowing its law would shorten the interval by {float(self.cost):.3g}"
        return f"{self.state}, {self.action}: {self.visits} visits{gain}; {self.more} more would halve what is open"


@dataclass(frozen=True, eq=False)
class LogAnswer:
    """What a log says about the best policy, or about a given one; all with probability ``1 - delta``.

    :param objective: the weighting
    :param delta: the probability with which the guarantee may fail
    :param horizon: the number of steps
    :param interval: what the best policy is worth lies in it, or what the given one is worth
    :param policy: of the best ones: worth at least ``interval.lower``; it plays by the names of the log
    :param log: a description of the log
    :param guarantee: the theorem, in a sentence
    :param assumptions: what is assumed, in words
    :param notes: what a reader should know
    """

    objective: Weighting
    delta: Fraction
    horizon: int
    interval: OptimumInterval
    policy: BlackBoxPolicy | None
    log: str
    guarantee: str
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]
    _thin: Callable[[], tuple[Thin, ...]] = field(repr=False)
    _prove: Callable[..., Proved] = field(repr=False)

    @property
    def lower(self) -> Fraction:
        """The guarantee: the policy is worth at least so much."""
        return self.interval.lower

    @cached_property
    def thin(self) -> tuple[Thin, ...]:
        """The pairs whose lack of data costs most, the costliest first; computed when asked for."""
        return self._thin()

    def prove(self, *, certificate: str | PathLike[str] | None = None, seconds: float | None = None) -> Proved:
        """Have the verified checker prove a lower bound of the policy and an upper bound of all, from the counts.

        The proof has tests of its own, of every outcome and of the set of those seen, and an interval of its own that
        may be wider than ``interval``.  It is another event with probability ``delta``, which the log's budget records.

        :param certificate: a file to keep the certificate in (docs/proof_format.md)
        :param seconds: the longest time for the checker
        :returns: the theorem, its axioms and the proved interval
        :raises Unsupported: "not covered": all but the mean, CVaR and their mixtures, and rewards that are not
            rounded
        :raises NotProved: if the checker refuses
        :raises MissingDependency: if the checker is not built
        """
        return self._prove(certificate, seconds)

    def to_json(self) -> dict[str, Any]:
        """As JSON, exact numbers beside floats.

        :returns: plain lists, dicts, numbers and text
        """
        exact = {"objective": self.objective.spec, "delta": text(self.delta), "interval": json_between(*self.interval)}
        plain = {name: getattr(self, name) for name in ("horizon", "log", "guarantee", "assumptions", "notes")}
        thin = [{**x._asdict(), "cost": None if x.cost is None else json_number(x.cost)} for x in self.thin]
        actions = None if self.policy is None else [list(x) for x in self.policy.rule().items()]
        return {**exact, **plain, "thin": thin, "actions": actions}

    def __str__(self) -> str:
        sure = f"with probability {1 - self.delta}"
        lines = [f"{self.objective} over {self.horizon} steps, from {self.log}"]
        if self.policy is not None:
            lines.append(f"  the policy is worth    at least {at_least(self.lower)} {sure}")
        lines += [f"  {'the best is worth' if self.policy else 'worth':<22} {self.interval} {sure}"]
        lines += [f"  guarantee: {self.guarantee}", *(f"  assumed: {x}" for x in self.assumptions)]
        return "\n".join(lines + [f"  note: {x}" for x in self.notes])


def plan_from_log(
    log: Log,
    objective: Weighting | str,
    *,
    delta: Rational = "1/20",
    sets: str | None = None,
    replay: bool | None = None,
    **facts: Unpack[Facts],
) -> LogAnswer:
    r"""Find a policy from logged episodes, and a lower bound on what it is worth.

    Whatever collected the log, even adapting as it went: with probability at least ``1 - delta`` the policy is worth at
    least ``.lower``, and no policy is worth more than ``.interval.upper``.  Policies that are compared play, in every
    state, actions that the log has there; with ``actions=`` all of these may be played everywhere.

    Two policies are guaranteed something, and the better guarantee is returned with its policy: the best one for the
    confidence sets of the whole log, and one that is planned on the first half of the episodes and *replayed*, run on
    the outcomes of the second half.  The sets spend four fifths of ``delta``, the replay one fifth.

    >>> coins = [k % 2 for k in range(400)]
    >>> log = Log.from_arrays(episode=range(400), state=["s"] * 400, action=coins, reward=coins, terminated=[1] * 400)
    >>> found = plan_from_log(log, "cvar(1/2)", rewards=[0, 1])
    >>> found.policy.rule(), found.lower > 0.9
    ({'s': 1}, True)

    :param log: the episodes
    :param objective: a weighting, or its text: the mean, CVaR, their mixtures and other concave weightings, VaR
    :param delta: the probability with which the guarantee may fail, in (0, 1)
    :param sets: "ball" or "kl"; by default "ball" for the mean, CVaR and their mixture, "kl" for the rest
    :param replay: False for the sets alone, with all of ``delta``; by default a log of counts is not replayed
    :param facts: horizon, rewards, and what else is known, see :class:`~verified_risk.learning.log_problem.Facts`
    :returns: the policy with its guarantee
    :raises InvalidArgument: for an option out of range, and for the first row that contradicts a declaration
    :raises Unsupported: if no theorem covers the objective, the sets have no planner for it, or a log of counts is to
        be replayed
    """
    if replay and isinstance(log, Log):
        log.need_episodes("a replay")
    share = 1 - REPLAY_SHARE if replay is not False and not getattr(log, "counted", True) else Fraction(1)
    return Question("the best policy", log, objective, delta, sets, facts, share=share).best()


def evaluate_from_log(
    log: Log,
    policy: BlackBoxPolicy | Mapping[Any, Any] | Callable[[int, Any], Any] | str,
    objective: Weighting | str,
    *,
    delta: Rational = "1/20",
    sets: str | None = None,
    **facts: Unpack[Facts],
) -> LogAnswer:
    """Bound what one policy is worth, from logged episodes that another one may have collected.

    ``"behaviour"`` stands for the policy that collected the log, if that was one and the same for all episodes and
    these are independent: its interval comes from their returns alone and needs no Markov property.

    >>> coins = [k % 2 for k in range(400)]
    >>> log = Log.from_arrays(episode=range(400), state=["s"] * 400, action=coins, reward=coins, terminated=[1] * 400)
    >>> evaluate_from_log(log, {"s": {0: "1/2", 1: "1/2"}}, "mean", rewards=[0, 1]).interval.lower > 0.4
    True

    :param log: the episodes
    :param policy: what :func:`plan_from_log` found; ``{state: action}`` or ``{state: {action: probability}}``; a
        function of step and state that gives an action or a law of actions; or ``"behaviour"``
    :param objective: as for :func:`plan_from_log`
    :param delta: the probability with which the interval may miss, in (0, 1)
    :param sets: "ball", which is narrower in most logs and the default, "kl", or "replay" for a policy that was chosen
        without the log: it is run on the outcomes of the last four fifths of the episodes, for any weighting
    :param facts: horizon, rewards, and what else is known, see :class:`~verified_risk.learning.log_problem.Facts`
    :returns: the interval with its guarantee
    :raises InvalidArgument: for an option out of range, a policy that does not fit, and the first row that contradicts
        a declaration
    :raises Unsupported: if no theorem covers the objective
    """
    if isinstance(policy, str) and policy == "behaviour":
        return Question("the behaviour", log, objective, delta, None, facts).behaviour()
    if not isinstance(policy, (Mapping, BlackBoxPolicy)) and not callable(policy):
        raise InvalidArgument(f"policy is {policy!r}, wanted 'behaviour', a policy from a log, a dict or a function")
    wanted: Any = [a for x in policy.values() for a in _weights(x)] if isinstance(policy, Mapping) else ()
    wanted = log.actions if callable(policy) and isinstance(log, Log) else wanted
    return Question("a given policy", log, objective, delta, sets, facts, wanted).evaluate(policy)


class Question:
    """A question asked of a log; the answer is recorded in the log's budget."""

    def __init__(
        self, what: str, log: Log, objective: Any, delta: Any, sets: Any, facts: Facts, wanted: Sequence[Name] = (),
        share: Fraction = Fraction(1),
    ) -> None:  # fmt: skip
        kinds = ("ball", "kl", "replay") if what == "a given policy" else ("ball", "kl")
        if sets not in (*kinds, None):
            raise InvalidArgument(f"sets is {sets!r}, wanted {' or '.join(map(repr, kinds))}")
        self.objective = read_objective(objective)
        planned = self.objective.levels is not None and len(self.objective.levels.tails) <= 1
        self.sets = sets or ("ball" if planned or what != "the best policy" else "kl")
        self.sets = "returns" if what == "the behaviour" else self.sets
        shapes = self.objective.quantile is not None or self.objective.shape in ("linear", "concave")
        if self.sets in ("ball", "kl") and not shapes:
            raise Unsupported(
                f"{self.objective.spec} is neither concave nor a quantile, and no theorem bounds it from data",
                instead="the mean, CVaR, a mixture of them, a concave weighting or VaR",
            )
        if self.sets == "ball" and what == "the best policy" and not planned:
            instead = "sets='kl', or the mean, CVaR or their mixture"
            raise Unsupported(f"balls have no planner for {self.objective.spec}", instead=instead)
        self.problem = LogProblem(log, self.objective, delta, facts, wanted, share)
        self.log, self.task, self.delta = log, self.problem.task, self.problem.delta
        self.what = f"{what}, {self.objective.spec}"

    @cached_property
    def rows(self) -> Rows:
        """The sets, row by row."""
        delta = self.problem.level if self.sets == "ball" else None
        return Rows(self.problem.learner(), delta=delta, untried=self.problem.untried)

    def _answered(
        self, lower: Fraction, upper: Fraction, bracket: Bracket | None = None, replay: Replay | None = None,
        more: Sequence[str] = (),
    ) -> LogAnswer:  # fmt: skip
        """Return the answer; ``replay`` is what ``lower`` comes from, ``more`` says what else is assumed."""
        problem, policy, (assumed, notes) = self.problem, None, self.problem.words()
        said = GUARANTEES[self.sets]
        if self.sets == "returns":
            assumed = ("the episodes are independent, of one policy, their number fixed beforehand", assumed[2])
        if replay is not None:
            said = GUARANTEES["replay"] + (f"; the upper end: {said}" if bracket is not None else "")
            assumed = (*assumed, ORDERED, *more)
            notes = (*notes, f"{replay.number} synthetic episodes, {replay.stopped} of which ran out of outcomes")
        if bracket is not None and bracket.table is not None:
            policy = BlackBoxPolicy(problem.shell, bracket.table, problem.live, problem.own)
        return LogAnswer(
            self.objective, self.delta, problem.shell.steps, OptimumInterval(lower, upper), policy, str(self.log),
            said, assumed, notes, lambda: () if bracket is None else self._thin(bracket),
            partial(prove_answer, self, policy, f"the answer states {OptimumInterval(lower, upper)}"),
        )  # fmt: skip

    # -- the best policy ----------------------------------------------------------------------------------------------

    def best(self) -> LogAnswer:
        """Return the policy that is best for the pessimistic model, or a better one by replay."""
        problem, rest = self.problem, self.delta - self.problem.level
        self._spend(self.sets, problem.key, delta=problem.level)
        bracket, replay = self._bracket(), None
        table = self._chosen() if rest and self.log.episodes > 1 else None
        if table is not None:
            asked = (problem.key, self.sets, problem.shell.steps, self.objective.spec, self.delta)
            self._spend("replay", asked, delta=rest)
            replay = Replay(problem, self.log.episodes // 2, by_table(problem, table[problem.shell.random_starts :]))
            lower = replay.lower(self.objective, rest) - self.task.standard.rounding
            if lower > bracket.lower:
                bracket.lower, bracket.table = lower, table
            else:
                replay = None
        return self._answered(bracket.lower, bracket.upper, bracket, replay)

    def _spend(self, *key: Hashable, delta: Fraction) -> None:
        self.log.budget.spend(self.what, key, delta)

    def _chosen(self) -> Actions | None:
        """Return the policy that the first half of the log chooses, or None if that has other episodes or no rows."""
        problem, first = self.problem, self.log.part(0, self.log.episodes // 2)
        if first.longest != problem.shell.steps and "horizon" not in problem.facts:
            return None
        facts: Any = {**problem.facts, "horizon": problem.shell.steps}
        half = Question("the best policy", first, self.objective, problem.level, self.sets, facts)
        half.task.target = half.task.target._replace(scale=PESSIMISM)
        found = half._bracket().table
        assert found is not None
        table = np.zeros((len(found), self.task.standard.n_states, found.shape[2]), found.dtype)
        for s, (own, known) in enumerate(zip(half.problem.own, problem.own, strict=True)):
            numbers = [known.index(a) if a in known else 0 for a in own]  # not in a state that the first half has not
            table[:, s] = np.array(numbers)[found[:, s]]
        return table

    def _bracket(self) -> Bracket:
        """Return the interval of the sets, with the policy that is best for the pessimistic model."""
        learner, jump = self.rows.learner, self.objective.quantile
        bracket = Bracket(learner, 0.0 if jump is not None else self.task.slack, wanted=True)
        if self.sets == "ball":
            self._by_rows(bracket, self.rows)
        elif jump is None:
            bracket.replan(self.log.episodes)
        else:  # a quantile is at least rho if returns are below rho with a probability below the level
            for sign in (1, -1):
                error = 2 * planner_allowance(learner.standard, self.task.target, 1.0)
                learner.target = self.task.target._replace(threshold=float(jump.level) + sign * error)
                learner.fresh = True
                bracket.add_uppers(np.array([learner.plan()])) if sign > 0 else bracket.add_lower(*learner.plan_below())
        return bracket

    def _slopes(self, levels: Levels) -> tuple[float, float]:
        """Return the slopes, below and above 0, of the cost of the mean, CVaR or their mixture; with a largest return
        z the mean is that of ``min(Z, z)``."""
        if not levels.tails and self.task.knowledge.largest < self.task.standard.top[0]:
            return 0.0, 1.0
        alpha, weight = levels.tails[0] if levels.tails else (Fraction(1), Fraction())
        return float(levels.mean), float(levels.mean + weight / alpha)

    def _by_rows(self, bracket: Bracket, rows: Rows) -> None:
        """Plan the mean, CVaR or their mixture from above and below with the rows of any sets."""
        assert self.objective.levels is not None
        left, right = self._slopes(self.objective.levels)
        bracket.add_uppers(np.array([rows.plan(left, right, -1)[0]]))
        bracket.add_lower(*rows.plan(left, right, 1))

    # -- a given policy -----------------------------------------------------------------------------------------------

    def evaluate(self, policy: Any) -> LogAnswer:
        """Bound a given policy; for a mixture of several CVaRs each at its own best target."""
        if self.sets == "replay":
            return self._replayed(policy)
        self._spend(self.sets, self.problem.key, delta=self.delta)
        standard, jump, largest = self.task.standard, self.objective.quantile, self.task.knowledge.largest
        levels = None if jump is not None else curve_of(self.objective).levels
        several = levels is not None and len(levels.tails) > 1
        left, right = (0.0, 1.0) if levels is None or several else self._slopes(levels)
        rule, by_return = self._rule(policy)

        def missing(b: Floats) -> Floats:
            return np.where(b > 0, right * b, left * b) if jump is None else np.asarray(b > 0, np.float64)

        rhos = np.arange(largest + 1)
        short = [self.rows.by_target(missing, sign, rule, by_return, rhos) for sign in (1, -1)]
        slack = Fraction(self.task.slack) if jump is None else Fraction()
        if levels is not None:
            tails = [(float(a), float(w)) for a, w in levels.tails] if several else []
            tails.append((1.0, float(levels.mean) if several else 1.0))
            ends = tuple(sum(w * np.max(np.arange(len(x)) - x / a) for a, w in tails) for x in short)
        else:
            assert jump is not None
            error = planner_allowance(standard, self.task.target, 1.0)
            marks = (float(jump.level) - error, float(jump.level) + error)
            ends = tuple(np.flatnonzero(x < mark).max(initial=0) for x, mark in zip(short, marks, strict=True))
        low, high = (Fraction(float(x)) for x in ends)
        lower = max(standard.value(low - slack) - standard.rounding, standard.value(Fraction()))
        return self._answered(lower, standard.value(min(high + slack, Fraction(largest))))

    def _replayed(self, policy: Any) -> LogAnswer:
        """Bound a policy that was chosen without the log, by a replay that the first fifth of the episodes plans."""
        problem = self.problem
        self.log.need_episodes("a replay")
        if self.log.episodes < 2:
            raise InvalidArgument("the log has 1 episode, wanted at least 2 for a replay")
        table = self._table(policy) if isinstance(policy, BlackBoxPolicy) else None
        laws = partial(self._law, policy)
        choose = by_laws(problem, laws) if table is None else by_table(problem, table)
        self._spend("replay", (problem.key, len(self.log.budget.questions)), delta=self.delta)
        replay = Replay(problem, -(-self.log.episodes // 5), choose)
        low, high = (end(self.objective, self.delta / 2) for end in (replay.lower, replay.upper))
        return self._answered(low - self.task.standard.rounding, high, None, replay, [CHOSEN_BEFORE])

    def _table(self, policy: BlackBoxPolicy) -> Actions:
        """Return the table of a policy with the numbers of this question's states and actions."""
        live, own, shell = self.problem.live, self.problem.own, self.problem.shell
        grid = ("steps", "low", "range", "unit", "atoms")
        same = all(getattr(policy.shell, x) == getattr(shell, x) for x in grid)
        known = dict(zip(policy.states, policy.actions, strict=True))
        if not same or any(not set(known.get(s, (None,))) <= set(own[i]) for i, s in enumerate(live)):
            raise InvalidArgument("the policy has other states, actions, rewards or steps than this question")
        numbers = [np.array([own[i].index(a) for a in known[s]]) for i, s in enumerate(live)]
        tables = [policy.table[policy.shell.random_starts :, policy.states.index(s)] for s in live]
        return np.stack([x[table] for x, table in zip(numbers, tables, strict=True)], axis=1)

    def _law(self, policy: Any, t: int, s: int) -> list[Fraction]:
        """Return the probabilities of the actions of a state at a step."""
        name, own = self.problem.live[s], self.problem.own[s]
        found = policy.get(name) if isinstance(policy, Mapping) else policy(t, name)
        weights = {} if found is None else _weights(found)
        if sum(weights.values()) != 1 or not set(weights) <= set(own):
            raise InvalidArgument(f"the policy in {name!r} is {found!r}, wanted {some(own)} or a law of them")
        return [weights.get(a, Fraction()) for a in own]

    def _rule(self, policy: Any) -> tuple[Rule, bool]:
        """Return a policy by number, and whether it looks at the return so far."""
        live, free = self.problem.live, self.problem.shell.random_starts
        table = self._table(policy) if isinstance(policy, BlackBoxPolicy) else None

        def rule(t: int, s: int, width: int) -> list[tuple[int, Any]]:
            if s >= len(live) or t < free:
                return [(0, 1.0)]
            if table is not None:
                chosen = table[t - free, s, np.minimum(np.arange(width), table.shape[2] - 1)]
                return [(int(a), np.asarray(chosen == a, np.float64)) for a in np.unique(chosen)]
            return [(a, float(p)) for a, p in enumerate(self._law(policy, t - free, s)) if p]

        return rule, table is not None and table.shape[2] > 1

    def behaviour(self) -> LogAnswer:
        """Bound the policy that collected the log by the band of Dvoretzky, Kiefer and Wolfowitz around its returns."""
        log, shell, largest = self.log, self.problem.shell, self.problem.declared.largest
        cut = np.flatnonzero(~log.complete & (np.diff(log.first) < shell.steps))
        if len(cut):
            here = log.where(log.first[cut[0] + 1] - 1)
            raise InvalidArgument(f"{here}: the episode is cut off before step {shell.steps}, wanted its whole return")
        self._spend("returns", shell.steps, delta=self.delta)
        n, law = log.episodes, Counter(log.returns(shell.steps))
        returns, band = Law.of_weights({z: Fraction(k, n) for z, k in law.items()}), band_of(n, 2 / self.delta)
        most = (shell.low + shell.range) * shell.steps
        ends = (shell.low * shell.steps, most if largest is None else min(most, largest))
        low, high = (bounds(self.objective.of(moved(returns, band, end))) for end in ends)
        return self._answered(low[0], high[1])

    # -- thin pairs ---------------------------------------------------------------------------------------------------

    def _thin(self, bracket: Bracket) -> tuple[Thin, ...]:
        """Return the pairs whose lack of data costs most: candidates are those that the policy plays somewhere, with
        the greatest product of missing mass and visits to their state."""
        learner, problem = self.rows.learner, self.problem
        assert bracket.table is not None
        first, visits, left = learner.shape.first, learner.counts.visits, {}
        for s in range(len(problem.live)):
            here = 1 + int(visits[first[s] : first[s + 1]].sum())
            for a in np.unique(bracket.table[:, s]).tolist():
                left[s, a] = float(learner.model.miss[first[s] + a]) * here
        found = []
        for s, a in sorted((x for x in left if left[x]), key=lambda x: -left[x])[:TRIED]:
            p = int(first[s] + a)
            cost = self._cost(p, bracket)
            found.append(Thin(problem.live[s], problem.own[s][a], int(visits[p]), cost, self._more(p)))
        return tuple(sorted(found, key=lambda x: -(x.cost or 0)))

    def _cost(self, p: int, bracket: Bracket) -> Fraction | None:
        """Return by how much the interval shortens if the law of a pair is the frequencies in the log."""
        rows, levels, counts = self.rows, self.objective.levels, self.rows.learner.counts
        n, k = int(counts.visits[p]), int(counts.length[p])
        if n == 0 or levels is None or len(levels.tails) > 1:
            return None
        kept, shorter = rows.rows[p], copy(bracket)
        rows.rows[p] = Row(counts.state[p, :k], counts.atom[p, :k], counts.count[p, :k] / n, 0.0, None, None)
        self._by_rows(shorter, rows)
        rows.rows[p] = kept
        return bracket.gap - shorter.gap

    def _more(self, p: int) -> int:
        """Return about how many more visits would halve the missing mass of a pair, if frequencies stay as they are."""
        counts, target = self.rows.learner.counts, self.task.target
        n, k = int(counts.visits[p]), int(counts.length[p])
        shares = counts.count[p, :k] / n if n else np.ones(1)
        goal, grown = float(self.rows.learner.model.miss[p]) / 2, max(n, 1)
        while True:
            grown += 1 + grown // 16
            size = threshold_of(grown, target.log_term, target.scale)
            if 1.0 - sum(kl_low(max(round(x * grown), 1), grown, size) for x in shares) <= goal:
                return grown - n


def _weights(choice: Any) -> dict[Any, Fraction]:
    """Return the law of a choice: an action, or ``{action: probability}``."""
    if isinstance(choice, Mapping):
        return {a: as_probability(p, f"the probability of {a!r}") for a, p in choice.items()}
    return {choice: Fraction(1)}
