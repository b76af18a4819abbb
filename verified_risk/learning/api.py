"""``learn``: play episodes, and say exactly how much worse than the optimum they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidArgument
from ..kernels.told import compilations_told
from ..mdp import MDP
from ..numbers.rational import Rational
from ..objectives import Weighting
from ..policy.playing import Environment
from ..progress import Report, counted, read_report
from .bernstein import BernsteinLearner
from .checkpoint import Checkpoint
from .declarations import Declared, Knowledge, RewardOf, knowledge_of
from .declarations_check import check_model
from .evaluate import Judge, best_value, plan_error, planner_of_truth
from .interval import Bracket
from .learner import Episodes, Floats, Learner, draws_of
from .policies import LearnedPolicy
from .posterior import PosteriorLearner
from .problem import Standard, standard_form
from .regret_bounds import Problem, UniformProblem
from .run import Run
from .settings import Settings
from .target import planner_allowance, problem_of, read_algorithm, target_of, uniform_problem_of

if TYPE_CHECKING:
    from .run_audit import AuditReport

CHUNK = 4096
"""Episodes whose random numbers are drawn together; a checkpoint may be written after them."""
Count = Callable[[int, Any], None]
"""Told ``(episodes done, episodes in all)``; None where the run ends by itself."""


def learn(
    mdp: MDP | Environment,
    objective: Weighting | str,
    *,
    episodes: int | None = None,
    delta: Rational = 0.1,
    eta: Rational | None = None,
    seed: int = 0,
    algorithm: str = "kl",
    bonus_scale: Rational = 1,
    audit: bool = False,
    stop_when: Rational | None = None,
    known_rewards: bool | RewardOf = False,
    known_successors: bool | int | Mapping[tuple[int, int], Sequence[int]] = False,
    largest_return: Rational | None = None,
    horizon: int | None = None,
    reward_range: tuple[Rational, Rational] | None = None,
    rewards: Sequence[Rational] | None = None,
    random_starts: bool = False,
    checkpoint: str | PathLike[str] | None = None,
    progress: Report | None = None,
) -> Run:
    r"""Learn to maximise ``objective`` by optimism in the face of uncertainty.

    The learner does not see the model ``mdp``; regret is computed from it.

    Every episode: counts, confidence sets, the optimistic model, a plan that is greedy at every ``(t, s, y)``, one
    episode in ``mdp``.

    ==================  ==========================================================================================
    ``algorithm``
    ==================  ==========================================================================================
    ``kl``              time-uniform KL sets, missing mass to the best state: the default
    ``ucb``             the corrected theorem's Hoeffding and DKW radii, missing mass to :math:`s_\infty`
    ``ucb-as-printed``  the paper's radii, with the repairs without which there is no model
    ``greedy``          no optimism: a pair never tried is worth nothing
    ``greedy-tried``    no optimism, but every pair is tried once
    ``ucbvi``           expected return, the Hoeffding bonus of Azar et al. 2017
    ``bernstein``       CVaR or mean, reward laws known, the Bernstein bonus of Wang et al. 2023 with proved constants
    ``posterior``       a model drawn from a Dirichlet posterior every episode: Bayesian, nothing proved for one model
    ==================  ==========================================================================================

    ``bonus_scale`` multiplies radii or bonus.  The theorems cover 1 and more: wider sets hold too, and cost regret.
    ``run.guarantee`` names the theorem that covers the run (see :mod:`.guarantee`).

    ``kl`` needs no number of episodes: with ``stop_when`` it ends when the interval for the optimum,
    :attr:`Run.interval`, is that short.  ``known_rewards``, ``known_successors`` and ``largest_return`` tell it more
    (see :mod:`.declarations`).

    ``mdp`` may also be a gymnasium environment with discrete spaces; then ``horizon`` and ``rewards`` (or
    ``reward_range`` and ``eta``) are needed, ``random_starts`` says that episodes begin in different observations, and
    there is no regret, because nobody knows the model; interval and policy remain.

    ``checkpoint`` names a file: a run that was interrupted or killed goes on from it, to the same result byte for byte.

    >>> from verified_risk import CVaR, models
    >>> run = learn(models.two_paths(), CVaR("1/2"), episodes=50)
    >>> bool(run.regret[-1] <= run.bound[-1]), run.interval[0] <= run.best[0] <= run.interval[1]
    (True, True)

    Possible issues: the theorem's constants are large; a run may explore for thousands of episodes before its regret
    flattens (``bonus_scale`` shows what smaller sets would do, without a guarantee).

    :param mdp: a model, or a gymnasium environment
    :param objective: a weighting, or its text
    :param episodes: how many; may be left out with ``stop_when``
    :param delta: the probability with which the guarantee may fail, in (0, 1)
    :param eta: the step of the grid of rewards
    :param seed: of the episodes: the same seed gives the same run, bit for bit
    :param algorithm: see the table
    :param bonus_scale: a factor of the radii; below 1 there is no guarantee
    :param audit: check every step of the proof on the run itself, exactly where that is possible; slower, kept in
        ``run.audit``
    :param stop_when: the length of the interval at which to stop
    :param known_rewards: the laws of the rewards are known (of an environment: a function of a step's state, action and
        next state that gives its reward, or several if they are possible)
    :param known_successors: which next states are possible is known, or how many there are at most
    :param largest_return: no return exceeds it
    :param horizon: steps of an episode of an environment; by default its time limit
    :param reward_range: the least and greatest reward of an environment
    :param rewards: all rewards that an environment can pay
    :param random_starts: episodes of an environment begin in different observations
    :param checkpoint: a file to go on from
    :param progress: a function of a :class:`~verified_risk.Progress`
    :returns: what was played, learned and guaranteed
    :raises InvalidArgument: if an option is out of range, or a declaration is contradicted
    :raises InvalidObjective: if the text is no weighting
    :raises Unsupported: if the algorithm has no form for this objective or model
    :raises StoppedRun: if an environment breaks off; the error keeps the episodes that were finished
    """
    declared = Declared.read(known_rewards, known_successors, largest_return)
    settings = Settings.read(
        objective, episodes, delta, eta, seed, algorithm, bonus_scale, declared, stop_when, checkpoint
    )
    count = counted(read_report(progress))
    if not isinstance(mdp, MDP):
        if settings.algorithm == "bernstein":
            raise InvalidArgument("'bernstein' learns in models; wanted 'kl' for an environment")
        from .environment import learn_environment

        with compilations_told(progress):
            return learn_environment(
                mdp, settings, horizon=horizon, reward_range=reward_range, rewards=rewards,
                random_starts=random_starts, audit=audit, progress=count,
            )  # fmt: skip
    told = (("horizon", horizon), ("reward_range", reward_range), ("rewards", rewards))
    for name, value in (*told, ("random_starts", random_starts or None)):
        if value is not None:
            raise InvalidArgument(f"{name} is for environments; a model has its own")
    if callable(declared.rewards):
        raise InvalidArgument("known_rewards is a function, which is for environments; wanted True or False")
    with compilations_told(progress):
        return _learn_model(mdp, settings, audit, count)


@dataclass
class Task:
    """A problem in the learner's form with everything that follows from the settings."""

    standard: Standard
    settings: Settings
    knowledge: Knowledge
    problem: Problem
    uniform: UniformProblem
    target: Any
    height_error: float

    @classmethod
    def of(cls, standard: Standard, settings: Settings, *, fixed: frozenset[int] = frozenset()) -> Task:
        knowledge = knowledge_of(standard, settings.declared, fixed=fixed)
        problem = problem_of(standard, settings.objective, settings.episodes or 1, settings.delta)
        uniform = uniform_problem_of(standard, knowledge, settings.delta)
        target, error = target_of(
            standard, settings.objective, settings.algorithm, problem, settings.bonus_scale, knowledge
        )
        return cls(standard, settings, knowledge, problem, uniform, target, error)

    def learner(self, room: int = 0) -> Learner:
        settings, parts = self.settings, (self.standard, self.target, self.knowledge, room)
        if settings.algorithm == "bernstein":
            return BernsteinLearner(*parts, objective=settings.objective, delta=settings.delta)
        if settings.algorithm == "posterior":
            return PosteriorLearner(*parts, seed=settings.seed)
        return Learner(*parts)

    @property
    def slack(self) -> float:
        """Rounding, ties and the polygon that stands for G, in units: what one plan can be off."""
        lipschitz = float(self.settings.objective.lipschitz)
        return planner_allowance(self.standard, self.target, lipschitz) + 2 * self.height_error * self.standard.top[0]


def _learn_model(mdp: MDP, settings: Settings, audit: bool, progress: Count | None) -> Run:
    task = Task.of(standard_form(mdp, settings.eta), settings)
    standard = task.standard
    check_model(standard, settings.declared, task.knowledge)
    reference, error = target_of(standard, settings.objective, "greedy", task.problem, Fraction(1))
    best = best_value(mdp, standard, settings.objective, reference, error)
    learner = task.learner()
    judge = Judge(mdp, standard, settings.objective, learner)
    bracket = Bracket(learner, task.slack, wanted=settings.has_interval)
    report: AuditReport | None = None
    if audit:
        from .run_audit import audited_run

        truth = best_on_grid(standard, settings.objective, reference, error, best)
        record, report = audited_run(task, learner, judge, truth, progress)
        bracket.saw(record.uppers)
    else:
        about = {"model": mdp.fingerprint, **settings.to_json()}
        record = play_all(
            task, learner, judge, bracket, Checkpoint(settings.checkpoint, about, learner, bracket), progress
        )
    bracket.look(len(record.returns))
    from .assemble import assemble

    return assemble(mdp, task, record, best, report, bracket, learner)


def best_on_grid(
    standard: Standard, objective: Weighting, reference: Any, height_error: float, best: tuple[Fraction, Fraction, str]
) -> tuple[Fraction, Fraction]:
    """The optimum of the model the learner lives in: the user's own, or the one with rewards rounded up."""
    if standard.exact:
        return best[0], best[1]
    learner = planner_of_truth(standard, reference)
    allowance = plan_error(standard, reference, objective, height_error)
    return standard.value(Fraction(learner.value) - allowance), standard.value(Fraction(learner.upper) + allowance)


@dataclass
class Record:
    """Per episode: return and optimistic value in units, upper bound on the best optimistic value, what the sets were
    wide (the sum of Y), and Phi in the user's units.  ``earned`` is the return in the user's units where it is not a
    function of the units.
    """

    returns: Floats
    optimistic: Floats
    uppers: Floats
    widths: Floats
    low: Floats | None
    high: Floats | None
    earned: Floats | None = None

    def series(self) -> list[Floats]:
        parts = (self.returns, self.optimistic, self.uppers, self.widths, self.low, self.high, self.earned)
        return [x for x in parts if x is not None]


def play_all(
    task: Task, learner: Learner, judge: Judge, bracket: Bracket, checkpoint: Checkpoint, progress: Count | None
) -> Record:
    """All episodes, in stretches that stay inside compiled code."""
    settings, horizon = task.settings, learner.standard.horizon
    done, kept = checkpoint.restore()
    parts: list[list[Floats]] = [kept] if kept else []
    last = (float(kept[4][-1]), float(kept[5][-1])) if kept else (0.0, 0.0)
    rng = np.random.default_rng(settings.seed)
    rng.bit_generator.advance(done * (1 + 2 * horizon))  # type: ignore[attr-defined]
    while not is_over(settings, done, bracket):
        size = 1 if not judge.by_laws else CHUNK
        if settings.stop_when is not None:
            size = min(size, max(bracket.next_check - done, 1))
        size = size if settings.episodes is None else min(size, settings.episodes - done)
        pending = draws_of(settings.seed, size, horizon, rng)
        while len(pending):
            part = learner.run(pending, evaluate=judge.by_laws)
            low, high = _judged(judge, part, last)
            last = (float(low[-1]), float(high[-1]))
            parts.append([part.returns.astype(np.float64), part.values, part.uppers, part.widths, low, high])
            bracket.saw(part.uppers)
            pending = pending[len(part.values) :]
            done += len(part.values)
            if progress is not None:
                progress(done, settings.episodes)
        if settings.stop_when is not None and done >= bracket.next_check:
            bracket.look(done)
        checkpoint.save(done, lambda: _joined(parts))
    checkpoint.save(done, lambda: _joined(parts), now=True)
    returns, values, uppers, widths, low, high = _joined(parts)
    return Record(returns, values, uppers, widths, low, high)


def is_over(settings: Settings, done: int, bracket: Bracket) -> bool:
    if settings.episodes is not None and done >= settings.episodes:
        return True
    return settings.stop_when is not None and done > 0 and bracket.gap <= settings.stop_when


def _joined(parts: list[list[Floats]]) -> list[Floats]:
    """One array per series; the list is shortened to one part on the way."""
    parts[:] = [[np.concatenate(column) for column in zip(*parts, strict=True)]]
    return parts[0]


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


def replay(run: Run, k: int) -> LearnedPolicy:
    """The policy that episode ``k`` of a run played."""
    assert run.mdp is not None
    settings = Settings.read(
        run.objective, run.asked, run.delta, run.eta, run.seed, read_algorithm(run.algorithm), run.bonus_scale,
        run.declared, run.stop_when,
    )  # fmt: skip
    task = Task.of(standard_form(run.mdp, run.eta), settings)
    learner = task.learner()
    draws = draws_of(run.seed, k, task.standard.horizon)
    done = 0
    while done < k:
        done += len(learner.run(draws[done:], evaluate=False).values)
    learner.plan()
    return LearnedPolicy(run.mdp, task.standard, learner.policy_table().tolist())
