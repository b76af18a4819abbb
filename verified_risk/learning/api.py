"""``learn``: play episodes by optimism, with exact regret and an interval for the optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from os import PathLike

from ..errors import InvalidArgument, hints_at_arguments
from ..kernels.jit import reporting_compilations
from ..mdp import MDP
from ..numbers.rational import Rational
from ..objectives import Weighting
from ..policy.playing import Environment
from ..progress import Report, counted, read_report
from .checkpoint import Checkpoint
from .declarations import Declared, RewardOf, check_model
from .episodes import Count, play_all
from .evaluate import Judge, best_on_grid, best_value
from .interval import Bracket
from .planner import target_of
from .problem import standard_form
from .run import Run, assemble
from .task import Settings, Task


@hints_at_arguments
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
    :attr:`Run.interval`, is that short.  ``known_rewards``, ``known_successors`` and ``largest_return`` are facts
    about the model (see :mod:`.declarations`).

    ``mdp`` may also be a gymnasium environment with discrete spaces; then ``horizon`` and ``rewards`` (or
    ``reward_range`` and ``eta``) are needed, ``random_starts`` says that episodes begin in different observations, and
    there is no regret, because that needs the model; interval and policy remain.

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


def _learn_model(mdp: MDP, settings: Settings, audit: bool, progress: Count | None) -> Run:
    """Learn in a model; raise :class:`InvalidArgument` if it contradicts a declaration."""
    task = Task.of(standard_form(mdp, settings.eta), settings)
    standard, objective = task.standard, settings.objective
    check_model(standard, settings.declared, task.knowledge)
    learner = task.learner()
    reference, error = target_of(standard, objective, "greedy", task.problem, Fraction(1))
    best = best_value(mdp, standard, objective, reference, error)
    judge = Judge(mdp, standard, objective, learner)
    bracket = Bracket(learner, task.slack, wanted=settings.has_interval)
    report = None
    if audit:
        from .audit import audited_run

        truth = best_on_grid(standard, objective, reference, error, best)
        record, report = audited_run(task, learner, judge, truth, progress)
        bracket.add_uppers(record.uppers)
    else:
        about = {"model": mdp.fingerprint, **settings.to_json()}
        checkpoint = Checkpoint(settings.checkpoint, about, learner, bracket)
        record = play_all(task, learner, judge, bracket, checkpoint, progress)
    bracket.replan(len(record.returns))
    return assemble(mdp, task, record, best, report, bracket, learner)
