"""From what was recorded to a :class:`Run`: regret, bounds and notes in the user's units."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..mdp import MDP
from ..numbers.format import above
from ..numbers.rational import float_above
from .evaluate import SEARCHED, SECONDS_FOR_THE_OPTIMUM, WIDEST
from .guarantee import Guarantee, guarantee_of
from .interval import Bracket
from .learner import Floats, Learner
from .regret_bounds import data_bound
from .run import OptimumInterval, Run

if TYPE_CHECKING:
    from .api import Record, Task
    from .run_audit import AuditReport


def assemble(
    mdp: MDP | None,
    task: Task,
    record: Record,
    best: tuple[Fraction, Fraction, str] | None,
    report: AuditReport | None,
    bracket: Bracket,
    learner: Learner,
    shell: Any = None,
) -> Run:
    """Regret and bounds, in the user's units; ``shell`` is the form of a black box, which its policy needs."""
    standard, settings = task.standard, task.settings
    guarantee = guarantee_of(task, continuous=mdp is not None and not mdp.is_discrete)
    unit, offset = float(standard.range * standard.unit), float(standard.offset)
    errors = unit * (np.maximum(record.uppers - record.optimistic, 0.0) + task.slack)
    k = np.arange(1, len(record.returns) + 1, dtype=np.float64)
    regret = width = None
    if record.low is not None and record.high is not None and best is not None:
        each = np.maximum(float_above(best[1]) - record.low, 0.0)
        regret = np.cumsum(each) * (1 + (k + 2) * 2.0**-52)  # each difference, each sum and the product are rounded
        width = record.high - record.low
    extra = np.cumsum(errors) + float(standard.rounding) * k

    def outward(scale: Fraction, bound: Floats | None) -> Floats | None:
        # k sums and at most a dozen other roundings of nonnegative numbers
        return None if bound is None else (float(scale) * bound + extra) * (1 + (k + 12) * 2.0**-52)

    expected, likely = (None if bound is None else bound.at(k) for bound in (guarantee.expected, guarantee.likely))
    interval = None
    if settings.has_interval:
        interval = OptimumInterval(bracket.lower, bracket.upper)
    return Run(
        mdp=mdp,
        objective=settings.objective,
        algorithm=settings.algorithm,
        episodes=len(record.returns),
        asked=settings.episodes,
        delta=settings.delta,
        eta=settings.eta,
        seed=settings.seed,
        bonus_scale=settings.bonus_scale,
        declared=settings.declared,
        stop_when=settings.stop_when,
        best=None if best is None else best[:2],
        interval=interval,
        guarantee=guarantee.text,
        proved=guarantee.proved,
        on_paper=guarantee.on_paper,
        returns=offset + unit * record.returns if record.earned is None else record.earned,
        values=record.low,
        values_width=width,
        optimistic=offset + unit * record.optimistic,
        planner_error=errors,
        regret=regret,
        bound=outward(standard.range, likely),
        expected_bound=outward(standard.range, expected),
        data_bound=outward(standard.range * standard.unit, _from_data(task, record, guarantee)),
        table=learner.policy_table() if bracket.table is None else bracket.table,
        shell=shell,
        audit=report,
        notes=_notes(task, width, best),
    )


def _from_data(task: Task, record: Record, guarantee: Guarantee) -> Floats | None:
    """The bound from the visits that were made, in units, without what planning cost."""
    covered = guarantee.likely is not None if task.settings.algorithm == "kl" else guarantee.on_paper
    if task.settings.algorithm not in ("kl", "bernstein") or not covered:
        return None
    lipschitz = Fraction(task.settings.objective.lipschitz)
    return data_bound(record.widths, data_range(task), lipschitz, task.settings.delta)


def data_range(task: Task) -> Fraction:
    """b, the most that the widths of one episode can be, in units."""
    top = task.standard.top
    if task.settings.algorithm == "bernstein":
        return Fraction(sum(top[:-1]))
    return Fraction(sum(top[1:] if task.knowledge.rewards and not task.standard.joint else top[:-1]))


def _notes(task: Task, width: Floats | None, best: tuple[Fraction, Fraction, str] | None) -> tuple[str, ...]:
    from ..kernels.learn_run import CURVE, MEAN

    standard, notes = task.standard, []
    if str(task.settings.declared):
        notes.append(f"declared: {task.settings.declared}; the guarantee relies on it")
    told_most = task.settings.algorithm == "kl" and task.knowledge.largest < standard.top[0]
    if told_most and task.target.kind == MEAN:
        notes.append("the largest return bounds the interval only: tables by the return so far would be too long")
    if standard.joint:
        notes.append("rewards are drawn together with the next state: each outcome of a step is counted as one")
    if not standard.exact:
        notes.append(
            f"rewards are rounded up to a grid: up to {above(standard.rounding, 4)} per episode is due to that"
        )
    if task.settings.algorithm in ("kl", "ucb") and task.target.kind == CURVE:
        apart = ", the interval is not affected" if task.settings.has_interval else ""
        notes.append(
            f"the planner's certified error does not vanish for this weighting: the regret bound grows linearly{apart}"
        )
    if best is not None and best[2] == SEARCHED:
        notes.append(
            f"the optimum was searched for at most {SECONDS_FOR_THE_OPTIMUM} s and is known to "
            f"{above(best[1] - best[0])}: on another machine it, and the regret of an episode, may differ by that much"
        )
    if width is not None and len(width) and float(np.max(width)) > WIDEST * max(1.0, float(standard.range)):
        notes.append(f"values are known to {above(float(np.max(width)))} only")
    return tuple(notes)
