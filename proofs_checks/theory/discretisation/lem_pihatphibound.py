r"""lem:pihatphibound: the adapted policy is worth at most eta less.  Holds.

It follows from ``lem:pihatcdfbound`` at t = 1 and ``lem:monotoneinversebound``, for every nondecreasing weighting.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import verified_risk as vr
from verified_risk.numbers.enclosure import Real

from ...cases import strategies
from ...cases.enumeration import every
from ...engine.model import Claim, Formal, Statement, at_most
from . import adaptation
from .adaptation import Case, keep, lift, rounded_steps, start_law


@dataclass(frozen=True)
class ObjectiveCase:
    """An adaptation and a weighting."""

    adaptation: Case
    objective: vr.Weighting


def _slack(case: ObjectiveCase) -> Real:
    """Phi(pi) - (Phi_hat(pi_hat) - eta)."""
    inner = case.adaptation
    mine = start_law(inner, rounded_steps(inner, inner.tau - 1), lift(inner))
    other = start_law(inner, rounded_steps(inner, inner.tau), keep)
    return at_most(case.objective.of(other) - case.objective.of(mine), inner.eta)


def objective_cases() -> SearchStrategy[ObjectiveCase]:
    """Adaptations with weightings of every shape, jumps included."""
    return st.builds(ObjectiveCase, adaptation.cases(), strategies.weightings(jumps=True))


def small_objective_cases() -> Iterator[ObjectiveCase]:
    """The enumeration of adaptations, for the mean and a quantile."""
    return every(ObjectiveCase, adaptation.small_cases(), (vr.Mean(), vr.VaR("1/2")))


SMALL = adaptation.SMALL + "; mean and median"

STATEMENT = Statement(
    label="lem:pihatphibound",
    title="adapting a policy to unrounded rewards loses at most eta",
    section="B",
    printed=Claim(
        r"\Phi(\pi) \ge \hat\Phi(\hat\pi) - \eta",
        "The adapted policy is worth at least the original minus eta.",
        _slack,
    ),
    uses=("lem:pihatcdfbound/before", "lem:monotoneinversebound", "def:objective/jumps"),
    cases=objective_cases,
    small_cases=small_objective_cases,
    small_size=SMALL,
    formal=Formal(proves=("one_step_value_ge",)),
    theory="03-discretisation.md#adapt-down",
)
