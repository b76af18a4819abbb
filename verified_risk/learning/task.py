"""A learning task: the settings of a run, read and checked, and the problem that follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from ..errors import InvalidArgument
from ..files import plain
from ..kernels.learn_data import Target
from ..numbers.rational import as_fraction, as_step, as_whole, said
from ..objectives import Weighting
from ..objectives import objective as read_objective
from .declarations import Declared, Knowledge, knowledge_of
from .guarantee import UNIFORM, Problem, UniformProblem
from .learner import Learner
from .planner import planner_allowance, problem_of, target_of, uniform_problem_of
from .problem import Standard

Algorithm: TypeAlias = Literal[
    "kl", "bets", "ucb", "ucb-as-printed", "greedy", "greedy-tried", "ucbvi", "bernstein", "posterior"
]  # fmt: skip
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)
NOTHING_DECLARED = Declared()
NEEDS_EPISODES = ("ucb", "ucb-as-printed", "ucbvi")  # algorithms whose radii depend on the number of episodes
MOST_SCALE = 10**9  # the largest factor of the radii, which are floats
USE_DECLARATIONS = (*UNIFORM, "bernstein", "posterior")  # algorithms that make use of declarations


@dataclass(frozen=True)
class Settings:
    """The arguments of a run; ``episodes`` is None where the run ends by itself (``stop_when``)."""

    objective: Weighting
    episodes: int | None
    delta: Fraction
    eta: Fraction | None
    seed: int
    algorithm: Algorithm
    bonus_scale: Fraction
    declared: Declared = NOTHING_DECLARED
    stop_when: Fraction | None = None
    checkpoint: Path | None = None

    @classmethod
    def read(
        cls,
        objective: Any,
        episodes: Any,
        delta: Any = Fraction(1, 10),
        eta: Any = None,
        seed: Any = 0,
        algorithm: Any = None,
        bonus_scale: Any = 1,
        declared: Declared | None = None,
        stop_when: Any = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> Settings:
        """Return the settings; raise :class:`InvalidArgument` for values out of range or in conflict.

        Without an algorithm it is "bets" for the mean, unless a largest return is declared, and "kl" for the rest.
        """
        objective, declared = read_objective(objective), declared or NOTHING_DECLARED
        usual = "bets" if is_mean(objective) and declared.largest is None else "kl"
        if algorithm not in (None, *ALGORITHMS):
            raise InvalidArgument(f"algorithm is {algorithm!r}, wanted one of {', '.join(ALGORITHMS)}")
        kind = next(known for known in ALGORITHMS if known == (algorithm or usual))
        for name, value, least in (("episodes", 1 if episodes is None else episodes, 1), ("seed", seed, 0)):
            if (whole := as_whole(value)) is None or whole < least:
                raise InvalidArgument(f"{name} is {value!r}, wanted an integer of at least {least}")
        confidence = as_fraction(delta, "delta")
        if not 0 < confidence < 1:
            raise InvalidArgument(f"delta is {said(confidence)}, wanted a probability strictly between 0 and 1")
        scale = as_fraction(bonus_scale, "bonus_scale")
        if not 0 < scale <= MOST_SCALE:
            raise InvalidArgument(
                f"bonus_scale is {said(scale)}, wanted a positive number of at most {MOST_SCALE} (algorithm='greedy' "
                "has no bonus)"
            )
        step = None if eta is None else as_step(eta)
        gap = None if stop_when is None else as_fraction(stop_when, "stop_when")
        read = cls(
            objective, None if episodes is None else int(episodes), confidence, step, int(seed), kind, scale,
            declared, gap, None if checkpoint is None else Path(checkpoint),
        )  # fmt: skip
        read._check()
        return read

    def _check(self) -> None:
        if self.stop_when is not None and self.stop_when < 0:
            raise InvalidArgument(f"stop_when is {said(self.stop_when)}, wanted a gap of at least 0")
        if self.stop_when is not None and not self.has_interval:
            raise InvalidArgument(
                f"stop_when needs an interval, as algorithm 'kl' has for concave objectives with the theorem's sets, "
                f"not {self.algorithm!r} with {self.objective.spec} and bonus_scale {self.bonus_scale}"
            )
        if self.episodes is None and self.algorithm in NEEDS_EPISODES:
            raise InvalidArgument(f"episodes is None, but the radii of {self.algorithm!r} depend on their number")
        if str(self.declared) and self.algorithm not in USE_DECLARATIONS:
            raise InvalidArgument(f"{self.declared}: declared, but {self.algorithm!r} makes no use of it; 'kl' does")
        if self.algorithm == "bets" and not is_mean(self.objective):
            raise InvalidArgument(f"algorithm is 'bets', which is for the mean, not for {self.objective.spec}: 'kl' is")

    @property
    def has_interval(self) -> bool:
        """True if data give an interval for the optimum: time-uniform sets, not narrowed, and a concave weighting."""
        return self.algorithm in UNIFORM and self.bonus_scale >= 1 and self.objective.shape in ("linear", "concave")

    @property
    def at_any_time(self) -> bool:
        """True if the guarantee holds after every number of episodes, so that a finished run may go on."""
        return self.algorithm not in NEEDS_EPISODES

    def to_json(self) -> dict[str, Any]:
        return {name: plain(x) for name, x in vars(self).items() if name != "checkpoint"}


def is_mean(objective: Weighting) -> bool:
    """Return whether the objective is the expected return."""
    return objective.levels is not None and not objective.levels.tails


@dataclass
class Task:
    """A problem in the learner's form with everything that follows from the settings.

    ``height_error`` is the height error of the polygon that stands for G in ``target``.
    """

    standard: Standard
    settings: Settings
    knowledge: Knowledge
    problem: Problem
    uniform: UniformProblem
    target: Target
    height_error: float

    @classmethod
    def of(
        cls, standard: Standard, settings: Settings, *, fixed: frozenset[int] = frozenset(), untried: int = 0
    ) -> Task:
        """Return the task of ``settings`` in ``standard``; the rest as in :func:`.declarations.knowledge_of`."""
        knowledge = knowledge_of(standard, settings.declared, fixed=fixed, untried=untried)
        problem = problem_of(standard, settings.objective, settings.episodes or 1, settings.delta)
        uniform = uniform_problem_of(standard, knowledge, settings.delta, bets=settings.algorithm == "bets")
        target, error = target_of(
            standard, settings.objective, settings.algorithm, problem, settings.bonus_scale, knowledge
        )
        return cls(standard, settings, knowledge, problem, uniform, target, error)

    def learner(self, room: int = 0) -> Learner:
        """Return a new learner; raise :class:`InvalidArgument` if the algorithm does not take the problem."""
        if self.settings.algorithm in ("bernstein", "posterior"):
            from ..experiments.baselines import BASELINES

            return BASELINES[self.settings.algorithm](self, room)
        return Learner(self.standard, self.target, self.knowledge, room)

    @property
    def slack(self) -> float:
        """A bound, in units, on the error of one plan: rounding, ties and the polygon that stands for G."""
        lipschitz = float(self.settings.objective.lipschitz)
        return planner_allowance(self.standard, self.target, lipschitz) + 2 * self.height_error * self.standard.top[0]
