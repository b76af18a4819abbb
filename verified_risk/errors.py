"""Every exception that tells a caller of something to change.

Each one is a :class:`ValueError`, so a caller who does not know this package can still catch it, and each message
names the first offending entry, its value and what was wanted.

One thing else is raised on purpose: an :class:`AssertionError`, by a planner whose two routes disagree (a policy that
attains more than the upper bound).  That is a defect of this package, not of what it was given.
"""


class VerifiedRiskError(ValueError):
    """Base of all errors of this package."""


class InvalidNumber(VerifiedRiskError):
    """Something that should be an exact finite number is not."""


class InvalidLaw(VerifiedRiskError):
    """Atoms and masses that are not a probability law."""


class InvalidModel(VerifiedRiskError):
    """Transitions, rewards, horizon or discount that are not an MDP."""


class InvalidObjective(VerifiedRiskError):
    """A weighting that is not a nondecreasing function from G(0) = 0 to G(1) = 1, or a level outside its range."""


class InvalidPolicy(VerifiedRiskError):
    """A decision that the model does not offer, or a policy of another model."""


class InvalidArgument(VerifiedRiskError):
    """An option of a planner or learner outside its range."""


class StoppedRun(InvalidArgument):
    """A learner had to stop at a step of its environment; ``run`` holds the episodes finished before."""

    def __init__(self, message: str, run: object) -> None:
        super().__init__(message)
        self.run = run


class InvalidFile(VerifiedRiskError):
    """A file that is truncated, edited, of another kind or of another version."""


class Unsupported(VerifiedRiskError):
    """A combination that has no algorithm here: ``why`` not, and what to use ``instead`` where there is something."""

    def __init__(self, why: str, *, instead: str = "") -> None:
        super().__init__(f"{why}: use {instead}" if instead else why)
        self.why, self.instead = why, instead


class NotProved(VerifiedRiskError):
    """The verified checker refused the certificate of a plan: the bounds may be wrong, or not proved by it."""


class MissingDependency(VerifiedRiskError, ImportError):
    """An optional library is needed; ``extra`` names the extra of this package that installs it."""

    def __init__(self, why: str, *, extra: str = "") -> None:
        super().__init__(f"{why}: pip install 'verified-risk[{extra}]'" if extra else why)
        self.extra = extra
