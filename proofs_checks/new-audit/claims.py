"""The claims of paper.md, executable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from checks import CHECKS
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import verified_risk as vr
from proofs_checks import Claim, Paper, Severity, Statement, at_most, certificate, strategies

PAPER = Paper("On pooling returns", "A. Author", "paper.md")


@dataclass(frozen=True)
class Case:
    """Two independent returns and a level."""

    first: vr.Law
    second: vr.Law
    level: Fraction


def cases() -> SearchStrategy[Case]:
    """The generator."""
    return st.builds(Case, strategies.laws(), strategies.laws(), strategies.levels())


def pooled(objective: Callable[[Case], vr.Weighting]) -> Callable[[Case], vr.Real]:
    """The slack of: the objective of the sum is at least the sum of the objectives."""

    def slack(case: Case) -> vr.Real:
        of = objective(case).of
        return at_most(of(case.first) + of(case.second), of(case.first.convolve(case.second)))

    return slack


COIN = vr.Law({0: "1/3", 1: "2/3"})
STATEMENTS = (
    Statement(
        label="pool:median",
        title="pooling and the median",
        section="1",
        paper=PAPER,
        printed=Claim(r"m(X + Y) \ge m(X) + m(Y)", "Pooling never hurts the median.", pooled(lambda _: vr.VaR("1/2"))),
        finding=Severity.SUBSTANCE,
        cases=cases,
        counterexample=Case(COIN, COIN, Fraction(1, 2)),
        find_budget=500,
        recheck=CHECKS["pool:median"],
    ),
    Statement(
        label="pool:cvar",
        title="pooling and CVaR",
        section="2",
        paper=PAPER,
        printed=Claim(
            r"\mathrm{CVaR}_\alpha(X + Y) \ge \mathrm{CVaR}_\alpha(X) + \mathrm{CVaR}_\alpha(Y)",
            "Pooling never hurts CVaR.",
            pooled(lambda case: vr.CVaR(case.level)),
        ),
        cases=cases,
    ),
)


def write_certificates() -> None:
    """Write the counterexamples as files."""
    certificate.write_all(STATEMENTS, Path(__file__).parent / "certificates")
