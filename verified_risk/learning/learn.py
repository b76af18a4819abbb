"""``learn``: play episodes, and say exactly how much worse than the optimum they were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidArgument
from ..mdp import MDP
from ..objectives import Weighting
from ..objectives import objective as read_objective
from ..progress import Report, counted, read_report
from ..rational import Rational, as_fraction, as_step
from .bounds import Problem
from .evaluate import WIDEST, Judge, best_value, planner_of_truth
from .learner import Episodes, Floats, Learner, draws_of
from .policies import LearnedPolicy
from .run import Run
from .standard import Standard, standard_form
from .target import Algorithm, Guarantee, guarantee_of, planner_allowance, problem_of, read_algorithm, target_of

if TYPE_CHECKING:
    from .audit import AuditReport

CHUNK = 4096
Count = Callable[[int, int], None]
"""Told ``(episodes done, episodes in all)``."""


@dataclass(frozen=True)
class Settings:
    """The arguments of a run, read and checked."""

    objective: Weighting
    episodes: int
    delta: Fraction
    eta: Fraction | None
    seed: int
    algorithm: Algorithm
    bonus_scale: Fraction

    @classmethod
    def read(
        cls, objective: Any, episodes: Any, delta: Any, eta: Any, seed: Any, algorithm: Any, bonus_scale: Any
    ) -> Settings:
        for name, value, least in (("episodes", episodes, 1), ("seed", seed, 0)):
            if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
                raise InvalidArgument(f"{name} is {value!r}, wanted an integer of at least {least}")
        confidence = as_fraction(delta, "delta")
        if not 0 < confidence < 1:
            raise InvalidArgument(f"delta is {confidence}, wanted a probability strictly between 0 and 1")
        scale = as_fraction(bonus_scale, "bonus_scale")
        if scale <= 0:
            raise InvalidArgument(f"bonus_scale is {scale}, wanted a positive number (algorithm='greedy' has no bonus)")
        step = None if eta is None else as_step(eta)
        return cls(
            read_objective(objective), int(episodes), confidence, step, int(seed), read_algorithm(algorithm), scale
        )


def learn(
    mdp: Any,
    objective: Weighting | str,
    *,
    episodes: int,
    delta: Rational = 0.1,
    eta: Rational | None = None,
    seed: int = 0,
    algorithm: str = "ucb",
    bonus_scale: Rational = 1,
    audit: bool = False,
    horizon: int | None = None,
    reward_range: tuple[Rational, Rational] | None = None,
    progress: Report | None = None,
) -> Run:
    r"""Learn to maximise ``objective`` by optimism in the face of uncertainty; the model is known only to the judge.

    Every episode: counts, the empirical model, the optimistic model with :math:`s_\infty`, a plan that is greedy at
    every ``(t, s, y)``, one episode in ``mdp``.  ``algorithm``: ``"ucb"`` (the corrected theorem's radii),
    ``"ucb-as-printed"`` (the paper's radii, with the repairs without which there is no model), ``"greedy"`` (no
    optimism), ``"ucbvi"`` (expected return, the Hoeffding bonus of Azar et al. 2017).  ``bonus_scale`` multiplies
    radii or bonus; 1 is the theorem.

    ``mdp`` may also be a gymnasium environment with discrete spaces; then ``horizon``, ``reward_range`` and ``eta``
    are needed, and there is no regret, because nobody knows the model.

    >>> from verified_risk import CVaR, models
    >>> run = learn(models.two_paths(), CVaR("1/2"), episodes=50)
    >>> bool(run.regret[-1] <= run.bound[-1])
    True

    Possible issues: the theorem's constants are large; on small problems the regret stays linear for many episodes
    (``bonus_scale`` shows what smaller radii would do, without a guarantee).
    """
    settings = Settings.read(objective, episodes, delta, eta, seed, algorithm, bonus_scale)
    count = counted(read_report(progress))
    if not isinstance(mdp, MDP):
        from .environment import learn_environment

        return learn_environment(mdp, settings, horizon=horizon, reward_range=reward_range, audit=audit, progress=count)
    if horizon is not None or reward_range is not None:
        raise InvalidArgument("horizon and reward_range are for environments; a model has its own")
    return _learn_model(mdp, settings, audit, count)


def _learn_model(mdp: MDP, settings: Settings, audit: bool, progress: Count | None) -> Run:
    standard = standard_form(mdp, settings.eta)
    problem = problem_of(standard, settings.objective, settings.episodes, settings.delta)
    target, height_error = target_of(standard, settings.objective, settings.algorithm, problem, settings.bonus_scale)
    reference, _ = target_of(standard, settings.objective, "greedy", problem, Fraction(1))
    best = best_value(mdp, standard, settings.objective, reference)
    learner = Learner(standard, target)
    judge = Judge(mdp, standard, settings.objective, learner)
    report: AuditReport | None = None
    if audit:
        from .audit import audited_run

        record, report = audited_run(
            learner, judge, settings, problem, best_on_grid(standard, reference, best), height_error, progress
        )
    else:
        record = play_all(learner, judge, settings, progress)
    return assemble(mdp, standard, settings, problem, target, height_error, record, best, report)


def best_on_grid(standard: Standard, reference: Any, best: tuple[Fraction, Fraction, str]) -> tuple[Fraction, Fraction]:
    """The optimum of the model the learner lives in: the user's own, or the one with rewards rounded up."""
    if standard.exact:
        return best[0], best[1]
    learner = planner_of_truth(standard, reference)
    allowance = Fraction(planner_allowance(standard, reference, float(reference.right)))
    return standard.value(Fraction(learner.value) - allowance), standard.value(Fraction(learner.upper) + allowance)


@dataclass
class Record:
    """Per episode: return and optimistic value in units, upper bound on the best optimistic value, Phi in user's
    units.
    """

    returns: Floats
    optimistic: Floats
    uppers: Floats
    low: Floats | None
    high: Floats | None


def play_all(learner: Learner, judge: Judge, settings: Settings, progress: Count | None = None) -> Record:
    """All episodes, in stretches that stay inside compiled code."""
    rng = np.random.default_rng(settings.seed)
    K, horizon = settings.episodes, learner.standard.horizon
    parts: list[tuple[Episodes, Floats, Floats]] = []
    pending = np.zeros((0, 1 + 2 * horizon))
    done = drawn = 0
    last = (0.0, 0.0)
    while done < K:
        if len(pending) == 0:
            size = min(CHUNK, K - drawn) if judge.by_laws else 1
            pending = draws_of(settings.seed, size, horizon, rng)
            drawn += size
        part = learner.run(pending, evaluate=judge.by_laws)
        n = len(part.values)
        low, high = _judged(judge, part, last)
        last = (float(low[-1]), float(high[-1]))
        parts.append((part, low, high))
        pending = pending[n:]
        done += n
        if progress is not None:
            progress(done, K)
    return Record(
        np.concatenate([part.returns for part, _, _ in parts]).astype(np.float64),
        np.concatenate([part.values for part, _, _ in parts]),
        np.concatenate([part.uppers for part, _, _ in parts]),
        np.concatenate([low for _, low, _ in parts]),
        np.concatenate([high for _, _, high in parts]),
    )


def _judged(judge: Judge, part: Episodes, last: tuple[float, float]) -> tuple[Floats, Floats]:
    """Lower and upper values of the policies of a stretch; ``last`` is that of the policy it began with."""
    if not judge.by_laws:
        low, high = judge.of_policy(judge.learner.policy_table())
        return np.full(len(part.values), low), np.full(len(part.values), high)
    if not len(part.laws):
        return np.full(len(part.values), last[0]), np.full(len(part.values), last[1])
    lows, highs = judge.of_laws(part.laws)
    index = part.law_index
    return np.where(index < 0, last[0], lows[index]), np.where(index < 0, last[1], highs[index])


def assemble(
    mdp: MDP | None,
    standard: Standard,
    settings: Settings,
    problem: Problem,
    target: Any,
    height_error: float,
    record: Record,
    best: tuple[Fraction, Fraction, str] | None,
    report: AuditReport | None,
) -> Run:
    """Regret and bounds, in the user's units."""
    guarantee = guarantee_of(
        problem, settings.objective, settings.algorithm, settings.bonus_scale, rounded=not standard.exact
    )
    scale = float(standard.range)
    unit = float(standard.range * standard.unit)
    offset = float(standard.offset)
    allowance = planner_allowance(standard, target, float(settings.objective.lipschitz))
    errors = unit * (
        np.maximum(record.uppers - record.optimistic, 0.0) + allowance + 2 * height_error * standard.top[0]
    )
    regret = width = None
    if record.low is not None and record.high is not None and best is not None:
        regret = np.cumsum(np.maximum(float(best[1]) - record.low, 0.0))
        width = record.high - record.low
    k = np.arange(1, settings.episodes + 1, dtype=np.float64)
    extra = np.cumsum(errors) + float(standard.rounding) * k

    def in_user_units(bound: Any) -> Floats | None:
        return None if bound is None else (scale * bound.at(k) + extra) * (1 + 1e-12)

    return Run(
        mdp=mdp,
        objective=settings.objective,
        algorithm=settings.algorithm,
        episodes=settings.episodes,
        delta=settings.delta,
        eta=settings.eta,
        seed=settings.seed,
        bonus_scale=settings.bonus_scale,
        best=None if best is None else best[:2],
        guarantee=guarantee.text,
        proved=guarantee.proved,
        returns=offset + unit * record.returns,
        values=record.low,
        values_width=width,
        optimistic=offset + unit * record.optimistic,
        planner_error=errors,
        regret=regret,
        bound=in_user_units(guarantee.likely),
        expected_bound=in_user_units(guarantee.expected),
        audit=report,
        notes=_notes(standard, guarantee, width),
    )


def _notes(standard: Standard, guarantee: Guarantee, width: Floats | None) -> tuple[str, ...]:
    notes = []
    if standard.carries_rewards:
        notes.append(
            f"rewards depend on the next state: learned as {standard.n_states} states that carry the reward, "
            f"horizon {standard.horizon}"
        )
    if not standard.exact:
        notes.append(
            f"rewards are rounded up to a grid: up to {float(standard.rounding):.4g} per episode is due to that"
        )
    if width is not None and len(width) and float(np.max(width)) > WIDEST * max(1.0, float(standard.range)):
        notes.append(f"values are known to {float(np.max(width)):.3g} only")
    return tuple(notes)


def replay(run: Run, k: int) -> LearnedPolicy:
    """The policy that episode ``k`` of a run played."""
    assert run.mdp is not None
    standard = standard_form(run.mdp, run.eta)
    problem = problem_of(standard, run.objective, run.episodes, run.delta)
    algorithm = read_algorithm(run.algorithm)
    target, _ = target_of(standard, run.objective, algorithm, problem, run.bonus_scale)
    learner = Learner(standard, target)
    draws = draws_of(run.seed, k, standard.horizon)
    done = 0
    while done < k:
        done += len(learner.run(draws[done:], evaluate=False).values)
    learner.plan()
    return LearnedPolicy(run.mdp, standard, learner.policy_table().tolist())
