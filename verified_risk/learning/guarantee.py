r"""Which theorem covers a run, and whether Coq has checked it.

``kl``, a concave weighting, sets at least as wide as the theorem's (``bonus_scale >= 1``):

=========================  =====================  ==========================  ========================================
model                      rewards on their grid  rounded to ``eta``          theorems
=========================  =====================  ==========================  ========================================
independent rewards        Coq                    Coq, with ``grid_regret``   ``kl_regret_from_data_with``,
                                                  and ``grid_interval``       ``kl_intervals_hold``
independent, discounted    on paper               on paper                    page 10, :math:`w_t`
rewards with the next      Coq, any discount      on paper                    ``outcome_regret_from_weighted_data``,
state; black boxes                                                            ``outcome_intervals_hold``
=========================  =====================  ==========================  ========================================

:data:`COQ_LACKS` lists everything that turns *Coq* into *on paper*, with the place of the proof.  The bounds beforehand
are those of page 10, on paper.  ``ucb`` is on paper (page 8): Coq has its theorem for concave weightings, exact radii,
an exact planner and the last episode.  ``bernstein`` is on paper (page 11).  A weighting that is not Lipschitz has no
regret theorem; where it is concave its interval is on paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from .regret_bounds import RegretBound, UniformBound, regret_bounds, uniform_bounds

if TYPE_CHECKING:
    from .api import Task

KL_THEOREMS = (
    "kl_regret_from_data_with, kl_intervals_hold",
    "outcome_regret_from_weighted_data, outcome_intervals_hold",
)
"""In Coq: for rewards independent of the next state, and for those that come with it."""
GRID_THEOREMS = ", grid_regret, grid_interval"


@dataclass(frozen=True)
class Guarantee:
    """What is guaranteed, in a sentence; bounds beforehand, in expectation and with probability ``1 - 2 delta``.

    ``proved``: a theorem in Coq covers the interval and the regret from data.  ``on_paper``: a theorem of docs/theory
    covers the run, and its proof is in words.
    """

    text: str
    expected: RegretBound | UniformBound | None = None
    likely: RegretBound | UniformBound | None = None
    proved: bool = False
    on_paper: bool = False


@dataclass(frozen=True)
class Ran:
    """The features of a run that decide which theorem covers it."""

    joint: bool
    discounted: bool
    rounded: bool
    continuous: bool
    curved: bool
    counted: bool

    @classmethod
    def of(cls, task: Task, *, continuous: bool) -> Ran:
        standard, settings = task.standard, task.settings
        return cls(
            joint=standard.joint,
            discounted=standard.discount != 1,
            rounded=not standard.exact,
            continuous=continuous,
            curved=settings.objective.knots is None,
            counted=type(settings.declared.successors) is int,
        )


COQ_LACKS: tuple[tuple[str, str, Callable[[Ran], bool]], ...] = (
    ("independent rewards with a discount", "kl-grid", lambda ran: ran.discounted and not ran.joint),
    ("a grid for these rewards", "kl-grid", lambda ran: ran.rounded and (ran.joint or ran.discounted)),
    ("continuous rewards", "kl-grid", lambda ran: ran.continuous),
    ("a number of successors in place of their list", "kl-known-successors", lambda ran: ran.counted),
    ("a curved weighting", "kl-polygon", lambda ran: ran.curved),
)
"""What the theorems in Coq do not take, and the anchor of the proof in docs/theory/10-kl-learner.md."""


def guarantee_of(task: Task, *, continuous: bool = False) -> Guarantee:
    """The theorem that covers a run, or that there is none."""
    settings, ran = task.settings, Ran.of(task, continuous=continuous)
    algorithm, scale = settings.algorithm, settings.bonus_scale
    if algorithm in UNCOVERED:
        return Guarantee(f"none{UNCOVERED[algorithm]}")
    extra = " + T eta per episode for the grid" if ran.rounded else ""
    if algorithm == "bernstein":
        if scale < 1:
            return Guarantee(f"not proved: the bonus is {scale} of the theorem's")
        text = "on paper (theory page 11, bernstein-regret): regret from data, no bound beforehand"
        return Guarantee(f"{text} + certified planner error{extra}", on_paper=True)
    found = bounds_beforehand(task, algorithm, scale)
    if found is None:
        return _without_regret(task)
    theorem, proved = _kl_theorem(ran) if algorithm == "kl" else (_ucb_theorem(task, ran), False)
    expected, likely = found
    if scale < 1:
        text = f"not proved: the radii are {scale} of the theorem's; for comparison: {theorem}"
        return Guarantee(text, expected, likely)
    text = f"{theorem} + certified planner error{extra}"
    return Guarantee(text, expected, likely, proved=proved, on_paper=not proved)


UNCOVERED = {
    "greedy": ": without optimism the regret may grow linearly",
    "greedy-tried": ": without optimism the regret may grow linearly",
    "posterior": " for one given model: posterior sampling is Bayesian, what is known of it averages over the prior",
    "ucbvi": " for this objective: UCBVI maximises the expected return, with a bound for that alone",
    "ucb-as-printed": (
        ": the printed radii lack the union over steps and successors, and the printed theorem is false"
    ),
}


def bounds_beforehand(
    task: Task, algorithm: str, scale: Fraction
) -> tuple[RegretBound, RegretBound] | tuple[UniformBound, UniformBound] | None:
    """The bounds of the theorem of ``kl`` or of ``ucb``; None if it does not take the weighting."""
    lipschitz = task.settings.objective.lipschitz
    if lipschitz == math.inf or (algorithm == "kl" and not task.problem.concave):
        return None
    if algorithm == "kl":
        return uniform_bounds(task.uniform, Fraction(lipschitz), scale=scale)
    return regret_bounds(task.problem, Fraction(lipschitz), scale=scale)


def _without_regret(task: Task) -> Guarantee:
    """What covers a weighting that no regret theorem takes."""
    spec = task.settings.objective.spec
    if task.settings.objective.lipschitz != math.inf:
        return Guarantee("none for the regret: the theorem with time-uniform sets needs a concave weighting")
    if not task.settings.has_interval:
        return Guarantee(f"none is known: the weighting {spec} is not Lipschitz, and no regret theorem covers it")
    text = f"for the interval on paper (theory page 10, kl-polygon), none for the regret: {spec} is not Lipschitz"
    return Guarantee(text, on_paper=True)


def _kl_theorem(ran: Ran) -> tuple[str, bool]:
    """The theorem of a run of ``kl`` in words, and whether it is one in Coq."""
    lacks = [(what, anchor) for what, anchor, holds in COQ_LACKS if holds(ran)]
    if not lacks:
        names = KL_THEOREMS[ran.joint] + (GRID_THEOREMS if ran.rounded else "")
        return f"time-uniform KL sets (Coq: {names}; beforehand: theory page 10)", True
    places = ", ".join(dict.fromkeys(anchor for _, anchor in lacks))
    missing = " or ".join(what for what, _ in lacks)
    return f"time-uniform KL sets on paper (theory page 10, {places}): Coq does not take {missing}", False


def _ucb_theorem(task: Task, ran: Ran) -> str:
    if ran.joint:
        kind, anchor = "for rewards that come with the next state", "regret-joint"
    elif task.problem.concave:
        kind, anchor = "for concave G", "regret-theorem"
    else:
        kind, anchor = f"for Lipschitz G with {task.problem.atoms} known reward atoms", "known-atoms"
    return f"the corrected theorem {kind}, on paper (theory page 8, {anchor})"
