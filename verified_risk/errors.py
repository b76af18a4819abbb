"""Exceptions for errors that the caller can correct.

Each is a :class:`ValueError`, so that code unaware of this package can still catch it, and each message names the first
offending entry, its value and what was wanted.

One other exception is raised on purpose: an :class:`AssertionError`, if a planner's two routes disagree (a policy that
attains more than the upper bound).  That is a defect of this package, not of its input.
"""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
OTHER_NAMES = {
    "gamma": "discount", "beta": "discount", "T": "horizon", "H": "horizon", "max_steps": "horizon",
    "seconds": "time_limit", "timeout": "time_limit", "tol": "gap", "epsilon": "gap", "constraints": "subject_to",
    "n_episodes": "episodes", "normalize": "normalise", "s0": "initial", "start": "initial",
}  # fmt: skip
"""Names of arguments in other packages, and their names here."""
OF_THE_MODEL = {
    "discount": "mdp.with_discount(...) returns the model with one",
    "horizon": "mdp.with_horizon(...) returns the model with one",
}
"""Arguments that belong to the model, and the method that sets them."""


def hints_at_arguments(function: F) -> F:
    """Make the :class:`TypeError` for an unknown keyword argument name the one that was probably meant."""
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for name in kwargs:
            if name not in known:
                raise TypeError(f"{function.__name__}() has no argument {name!r}, {_meant(name, known)}")
        return function(*args, **kwargs)

    return cast("F", checked)


def _meant(name: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    meant = OTHER_NAMES.get(name, name)
    if meant in OF_THE_MODEL and "mdp" in known and meant not in known:
        return OF_THE_MODEL[meant]
    close = [meant] if meant in known else get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"only {', '.join(known)}"


class VerifiedRiskError(ValueError):
    """Base class of all errors of this package."""


class InvalidNumber(VerifiedRiskError):
    """A value that should be an exact finite number is not."""


class InvalidLaw(VerifiedRiskError):
    """Atoms and masses do not form a probability law."""


class InvalidModel(VerifiedRiskError):
    """Transitions, rewards, horizon or discount do not form an MDP."""


class InvalidObjective(VerifiedRiskError):
    """A weighting is not a nondecreasing function from G(0) = 0 to G(1) = 1, or a level is outside its range."""


class InvalidPolicy(VerifiedRiskError):
    """A decision is not available in the model, or a policy belongs to another model."""


class InvalidArgument(VerifiedRiskError):
    """An option of a planner or learner is outside its range."""


class StoppedRun(InvalidArgument):
    """A learner had to stop at a step of its environment; ``run`` contains the episodes finished before."""

    def __init__(self, message: str, run: object) -> None:
        super().__init__(message)
        self.run = run


class InvalidFile(VerifiedRiskError):
    """A file is truncated, edited, of another kind or of another version."""


class Unsupported(VerifiedRiskError):
    """A combination has no algorithm here; ``why`` gives the reason and ``instead`` an alternative, if any."""

    def __init__(self, why: str, *, instead: str = "") -> None:
        super().__init__(f"{why}: use {instead}" if instead else why)
        self.why, self.instead = why, instead


class Infeasible(VerifiedRiskError):
    """No policy meets the constraints; ``plan``, if there is one, is a plan whose upper bound proves it."""

    def __init__(self, why: str, *, plan: Any = None) -> None:
        super().__init__(why)
        self.plan = plan


class NotProved(VerifiedRiskError):
    """The verified checker refused the certificate of a plan: the bounds may be wrong, or it cannot prove them."""


class MissingDependency(VerifiedRiskError, ImportError):
    """An optional library is missing; ``extra`` names the extra of this package that installs it."""

    def __init__(self, why: str, *, extra: str = "") -> None:
        super().__init__(f"{why}: pip install 'verified-risk[{extra}]'" if extra else why)
        self.extra = extra


def optional_module(name: str, why: str, *, extra: str) -> Any:
    """Import a library that an extra of this package installs; raise :class:`MissingDependency` if it is not there."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingDependency(why, extra=extra) from None
