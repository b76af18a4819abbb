r"""``answer.prove()``: a guarantee from a log, confirmed by the verified checker.

The certificate has the counts of the log and a lower end q of the probability of every outcome that was seen, which
the checker tests by integers (theory, page 10, kl-certificate):

.. math:: \frac n\delta\, q^x (1 - q)^{N - x} \le \frac{\Gamma(x + \frac12)\, \Gamma(N - x + \frac12)}{\pi\, N!} .

The mass that the ends of a row leave may belong to any of its possible outcomes: to the worst one in the lower bound
of the policy, to the best one in the upper bound of all policies.  Floats find ends, targets and claims; the checker
decides.
"""

from __future__ import annotations

import hashlib
import math
import tempfile
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NotProved, Unsupported
from ..numbers.rational import ceil_div, lcm_of_denominators
from ..planning.clock import TimeUp
from ..proving.budgets import Charges, runs_of
from ..proving.certificate import ByBudget, ByBudgets, ByMean, CellGrid, Grid, IntegerModel, Runs, Tail
from ..proving.proved import CURVED_AXIOMS, Proved
from ..proving.run_checker import Answer, find_checker, run_checker
from .policies import BlackBoxPolicy
from .rows import Row, Rows

if TYPE_CHECKING:
    from .log_answers import _Question

THEOREM = "rarely_wrong"
SHARES = 1 << 20
"""Denominator of the lower ends of probabilities."""
BITS = 30
"""Fractional bits of the tables, in units of the rewards' grid."""
MARGIN = 1e-6
"""What ends stay away from the boundary of the test, as a logarithm; it exceeds the error of ``lgamma``."""


def lower_end(x: int, n: int, odds: float) -> int:
    """Return the greatest w, up to rounding, for which ``w / SHARES`` passes the checker's test: x of n visits."""
    if x == 0:
        return 0
    b = n - x
    evidence = math.lgamma(x + 0.5) + math.lgamma(b + 0.5) - math.log(math.pi) - math.lgamma(n + 1.0)
    low, high = 0, min(x * SHARES // n, SHARES - 1)
    while low < high:
        w = (low + high + 1) // 2
        likelihood = x * math.log(w / SHARES) + b * math.log1p(-w / SHARES)
        low, high = (w, high) if math.log(odds) + likelihood + MARGIN <= evidence else (low, w - 1)
    return low


@dataclass(frozen=True)
class DataCertificate:
    """``lower <= Phi of the policy`` and ``Phi of every policy <= upper`` with probability ``1 - delta``, from counts.

    ``rows[s]`` lists the actions of state s: number, and ``(reward, next state, count, share)`` of each possible
    outcome in the order of the first two.
    """

    objective: Tail
    lower: Fraction
    upper: Fraction
    delta: Fraction
    tests: int
    reward_denominator: int
    horizon: int
    initial: tuple[tuple[int, Fraction], ...]
    rows: tuple[tuple[tuple[int, tuple[tuple[int, int, int, int], ...]], ...], ...]
    low: ByBudget
    up: ByMean | ByBudgets

    @property
    def grids(self) -> list[Grid | CellGrid]:
        return [part.grid for part in (self.low, self.up) if not isinstance(part, ByMean)]

    def lines(self) -> Iterator[str]:
        """Yield the text form (docs/proof_format.md) piece by piece."""
        total = lcm_of_denominators(p for _, p in self.initial)
        yield f"verified-risk-data 1\nobjective {self.objective.words()}\nclaim {self.lower} {self.upper}\n"
        yield f"delta {self.delta}\ntests {self.tests}\ndiscount 1\nreward_denominator {self.reward_denominator}\n"
        yield f"state_count {len(self.rows)}\nhorizon {self.horizon}\ninitial {total} {len(self.initial)}\n"
        yield "".join(f"{s} {int(p * total)}\n" for s, p in self.initial) + f"states {len(self.rows)}\n"
        for s, actions in enumerate(self.rows):
            yield f"{s} {len(actions)}\n"
            for action, outcomes in actions:
                yield f"{action} {SHARES} {len(outcomes)} " + " ".join(" ".join(map(str, o)) for o in outcomes) + "\n"
        yield from self.low.lines()
        yield from self.up.lines()
        yield "end\n"


class _Writer:
    """The certificate of one answer."""

    def __init__(self, question: _Question, policy: BlackBoxPolicy) -> None:
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
        odds = float(tests / self.question.delta)

        def row(action: int, p: int, outcomes: list[tuple[int, int, int]]) -> tuple[int, Any]:
            found = [(gain, s, problem.outcomes.get((p, s, atom), 0)) for atom, gain, s in outcomes]
            n = sum(x for _, _, x in found)
            return action, tuple((gain, s, x, lower_end(x, n, odds)) for gain, s, x in found)

        rows: list[list[Any]] = [[] for _ in range(self.standard.n_states)]
        for p, (s, a) in enumerate(pairs):
            paid = [(atom, self.gains[atom] * self.unit.numerator, after) for atom, after in possible[p]]
            rows[s].append(row(problem.every.index(a), p, paid))
        for s in range(len(problem.live), ends):  # the end of an episode
            rows[s].append((0, ((0, s, 0, 0),)))
        if begun:
            rows[-1].append(row(0, first, [(0, 0, s) for s in sorted(begun)]))
        return tuple(map(tuple, rows)), tests

    def float_rows(self) -> Rows:
        """Return the rows as the learner's, to plan and to evaluate with."""
        rows = copy(self.question.rows)
        rows.rows = list(rows.rows)
        atom = {gain * self.unit.numerator: i for i, gain in enumerate(self.gains)}
        for p, outcomes in enumerate(outcomes for actions in self.rows for _, outcomes in actions):
            seen = [(s, atom[r], w / SHARES) for r, s, _, w in outcomes if w]
            state, paid, weight = (np.array(x) for x in zip(*seen, strict=True)) if seen else (np.empty(0, int),) * 3
            listed = np.array([s for _, s, _, _ in outcomes]), np.array([atom[r] for r, _, _, _ in outcomes])
            rows.rows[p] = Row(state, paid, weight, 1.0 - float(weight.sum()), None, listed)
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

        scores = np.arange(standard.top[0] + 1) - rows.by_target(missing, 1, rule, by_return)
        target, scale = int(np.argmax(scores)), unit.denominator << BITS
        slack = unit * (horizon + 2 + standard.top[0]) / (1 << BITS - 4)
        lower = _rounded(standard.value(Fraction(float(scores[target]))) - slack, -1)
        lower = max(lower, standard.value(Fraction()))  # the least return
        upper = _rounded(standard.value(Fraction(float(rows.plan(left, right, -1)[0]))) + slack, 1)
        start = target + standard.steps * self.gains[0]
        lasts = [start - max(t - standard.free_steps, 0) * self.gains[0] for t in range(horizon + 1)]
        windows = [(last - standard.top[0], last) for last in lasts]
        low = ByBudget(scale, Grid(unit, tuple(windows)), start, self.choices)
        up: ByMean | ByBudgets = ByMean(scale << 4)
        if right != 1:
            mean = standard.value(Fraction(float(rows.plan(1.0, 1.0, -1)[0]))) + slack
            steep = w + (1 - w) / alpha
            first = -ceil_div(-(upper - w * mean), (1 - w) * unit)
            last = max(first, ceil_div(steep * mean - upper, (steep - 1) * unit))
            gains = tuple((1, gain * unit.numerator, 0) for gain in self.gains)
            model = IntegerModel(Fraction(1), unit.denominator, horizon, 1, (), (((1, gains),),))
            up = ByBudgets(scale, Charges(model, unit).all_policies_grid(first, last, whole=w > 0))
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
    question: _Question, policy: BlackBoxPolicy | None, interval: Any, file: Any, seconds: float | None
) -> Proved:
    """Confirm the guarantee of an answer; see :meth:`~verified_risk.learning.log_answers.LogAnswer.prove`."""
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
    note = f"with probability at least {1 - one.delta}, by lower ends of its own; the answer states {interval}"
    return Proved(
        THEOREM, CURVED_AXIOMS, answer.seconds, one.lower, one.upper, cells, len(text), note,
        hashlib.sha256(text.partition(b"\nlower ")[0]).hexdigest(), str(answer.program.path), answer.program.sha256,
        answer.line,
    )  # fmt: skip
