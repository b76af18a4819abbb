"""``learn``: play episodes by optimism, with exact regret and an interval for the optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import InvalidArgument, Unsupported, hints_at_arguments
from ..kernels.jit import reporting_compilations
from ..mdp import MDP
from ..numbers.rational import Rational
from ..objectives import Weighting
from ..policy.playing import Environment
from ..progress import Report, counted, read_report
from .declarations import Declared, RewardOf, check_model
from .episodes import Checkpoint, Count, play_all, recorded
from .evaluate import Bracket, Judge, best_on_grid, best_value
from .planner import target_of
from .problem import standard_form
from .run import Run, assemble
from .task import Settings, Task


@hints_at_arguments
def learn(
    mdp: MDP | Environment | None = None,
    objective: Weighting | str | None = None,
    *,
    episodes: int | None = None,
    delta: Rational = 0.1,
    eta: Rational | None = None,
    seed: int = 0,
    algorithm: str | None = None,
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
    resume: Run | str | PathLike[str] | None = None,
    progress: Report | None = None,
) -> Run:
    r"""Learn to maximise ``objective`` by optimism in the face of uncertainty.

    The learner does not see the model ``mdp``; regret is computed from it.

    Every episode: counts, confidence sets, the optimistic model, a plan that is greedy at every ``(t, s, y)``, one
    episode in ``mdp``.

    ==================  ==========================================================================================
    ``algorithm``
    ==================  ==========================================================================================
    ``kl``              time-uniform KL sets, missing mass to the best state
    ``bets``            the same, and bets on the values of the best policy: the default for the mean, unless
                        ``largest_return`` is declared; for everything else it is ``kl``
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

    ``kl`` and ``bets`` need no number of episodes: with ``stop_when`` the run ends when the interval for the optimum,
    :attr:`Run.interval`, is that short.  ``known_rewards``, ``known_successors`` and ``largest_return`` are facts
    about the model (see :mod:`.declarations`).

    ``mdp`` may also be a gymnasium environment with discrete spaces; then ``horizon`` and ``rewards`` (or
    ``reward_range`` and ``eta``) are needed, ``random_starts`` says that episodes begin in different observations, and
    there is no regret, because that needs the model; interval and policy remain.

    ``checkpoint`` names a file: a run that was interrupted or killed goes on from it, to the same result byte for byte.
    ``resume`` takes a finished run, or its checkpoint, further by ``episodes`` episodes (or until ``stop_when``), to
    the result of a run that had been asked for all of them; its settings are those of the run.  A run in a model is
    played again up to its end; a checkpoint is not, and needs the model or environment again.

    >>> from verified_risk import CVaR, models
    >>> run = learn(models.two_paths(), CVaR("1/2"), episodes=50)
    >>> bool(run.regret[-1] <= run.bound[-1]), run.interval[0] <= run.best[0] <= run.interval[1]
    (True, True)

    Possible issues: the theorem's constants are large; a run may explore for thousands of episodes before its regret
    flattens (``bonus_scale`` shows what smaller sets would do, without a guarantee).

    :param mdp: a model, or a gymnasium environment; not needed to ``resume`` a run
    :param objective: a weighting, or its text
    :param episodes: how many; may be left out with ``stop_when``
    :param delta: the probability with which the guarantee may fail, in (0, 1)
    :param eta: the step of the grid of rewards
    :param seed: of the episodes: the same seed gives the same run, bit for bit
    :param algorithm: see the table; audits are of ``kl`` and ``ucb``
    :param bonus_scale: a factor of the radii; below 1 there is no guarantee
    :param audit: compare every episode with what the theorem claims of it, in exact arithmetic; slower, kept in
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
    :param resume: a finished run of a model, or the file that was its ``checkpoint``
    :param progress: a function of a :class:`~verified_risk.Progress`
    :returns: what was played, learned and guaranteed
    :raises InvalidArgument: if an option is out of range, or a declaration is contradicted
    :raises InvalidObjective: if the text is no weighting
    :raises Unsupported: if the algorithm has no form for this objective or model, or the run cannot go on
    :raises StoppedRun: if an environment breaks off; the error keeps the episodes that were finished
    """
    if resume is not None:
        given = {
            "objective": objective is not None, "delta": delta != 0.1, "eta": eta is not None, "seed": seed != 0,
            "algorithm": algorithm is not None, "bonus_scale": bonus_scale != 1, "audit": audit,
            "known_successors": known_successors is not False, "largest_return": largest_return is not None,
            "horizon": horizon is not None, "reward_range": reward_range is not None, "rewards": rewards is not None,
            "random_starts": random_starts, "checkpoint": checkpoint is not None,
        }  # fmt: skip
        for name, differs in given.items():
            if differs:
                raise InvalidArgument(f"{name} is that of the run to resume, wanted none")
        done, before = _as_before(resume, mdp, known_rewards if callable(known_rewards) else None)
        more = Settings.read("mean", episodes).episodes
        total = None if more is None else done + more
        return learn(**before, episodes=total, stop_when=stop_when, progress=progress)
    if mdp is None or objective is None:
        raise InvalidArgument(f"{'mdp' if mdp is None else 'objective'} is missing, which only resume= can do without")
    declared = Declared.read(known_rewards, known_successors, largest_return)
    settings = Settings.read(
        objective, episodes, delta, eta, seed, algorithm or ("kl" if audit else None), bonus_scale, declared,
        stop_when, checkpoint,
    )  # fmt: skip
    if episodes is None and stop_when is None:
        raise InvalidArgument("episodes and stop_when are both None: the run would not end")
    count = counted(read_report(progress))
    if not isinstance(mdp, MDP):
        if settings.algorithm == "bernstein":
            raise InvalidArgument("'bernstein' learns in models; wanted 'kl' for an environment")
        from .agent import learn_environment

        with reporting_compilations(progress):
            return learn_environment(
                mdp, settings, horizon=horizon, reward_range=reward_range, rewards=rewards,
                random_starts=random_starts, audit=audit, progress=count,
            )  # fmt: skip
    own = {"horizon": horizon, "reward_range": reward_range, "rewards": rewards, "random_starts": random_starts or None}
    for name, value in own.items():
        if value is not None:
            raise InvalidArgument(f"{name} is for environments; a model has its own")
    if callable(declared.rewards):
        raise InvalidArgument("known_rewards is a function, which is for environments; wanted True or False")
    with reporting_compilations(progress):
        return _learn_model(mdp, settings, audit, count)


def _as_before(
    resume: object, mdp: MDP | Environment | None, known_rewards: RewardOf | None
) -> tuple[int, dict[str, Any]]:
    """Return the number of episodes of a finished run, and its arguments."""
    before: dict[str, Any]
    if isinstance(resume, Run):
        if resume.mdp is None:
            raise Unsupported("a run in an environment keeps no counts", instead="learn(env, resume=its checkpoint)")
        if mdp is not None and mdp != resume.mdp:
            raise InvalidArgument("mdp is another model than that of the run to resume, wanted none")
        settings, done, before = resume.settings, resume.episodes, {"mdp": resume.mdp}
    elif isinstance(resume, (str, PathLike)):
        if mdp is None:
            raise InvalidArgument("mdp is missing: a checkpoint does not contain the model or environment")
        _, done, settings, shell = recorded(Path(resume), known_rewards)
        before = {"mdp": mdp, "checkpoint": resume}
        if shell is not None:
            values = [shell.low + shell.range * x for x in shell.atoms]
            before |= {"rewards": values} if shell.exact else {"reward_range": (values[0], values[-1])}
            before |= {"horizon": shell.steps, "random_starts": shell.random_starts}
    else:
        raise InvalidArgument(f"resume is {resume!r}, wanted a Run or the file of a checkpoint")
    if not settings.at_any_time:
        raise Unsupported(
            f"the radii of {settings.algorithm!r} depend on the number of episodes", instead="algorithm='kl'"
        )
    declared = settings.declared
    return done, {
        **before, "objective": settings.objective, "delta": settings.delta, "eta": settings.eta, "seed": settings.seed,
        "algorithm": settings.algorithm, "bonus_scale": settings.bonus_scale, "known_rewards": declared.rewards,
        "known_successors": declared.successors, "largest_return": declared.largest,
    }  # fmt: skip


def _learn_model(mdp: MDP, settings: Settings, audit: bool, progress: Count | None) -> Run:
    """Learn in a model; raise :class:`InvalidArgument` if it contradicts a declaration."""
    task = Task.of(standard_form(mdp, settings.eta), settings)
    standard, objective = task.standard, settings.objective
    check_model(standard, settings.declared, task.knowledge)
    learner = task.learner()
    reference, error = target_of(standard, objective, "greedy", task.problem, Fraction(1))
    best = best_value(mdp, standard, objective, reference, error)
    judge = Judge(mdp, standard, objective, learner)
    bracket = Bracket(learner, task.slack, wanted=settings.has_interval, stops=settings.stop_when is not None)
    report = None
    if audit:
        from .audit import audited_run

        truth = best_on_grid(standard, objective, reference, error, best)
        record, report = audited_run(task, learner, judge, truth, progress)
        bracket.add_uppers(record.uppers)
    else:
        about = {"model": mdp.fingerprint, **settings.to_json()}
        checkpoint = Checkpoint(settings.checkpoint, about, learner, bracket, any_number=settings.at_any_time)
        record = play_all(task, learner, judge, bracket, checkpoint, progress)
    bracket.replan(len(record.returns))
    return assemble(mdp, task, record, best, report, bracket, learner)
