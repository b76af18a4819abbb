"""``plan.recheck()``: write the certificate of a plan as ``plan.prove()`` does, and read it in integers.

The reader (:mod:`verified_risk.proving.reader`) knows the text alone and shares no code with the planner.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from ..errors import InvalidPolicy, MissingDependency, NotProved, Unsupported
from ..numbers.enclosure import Truth
from ..planning.affordable_law import PATIENT, evaluation_work
from ..planning.clock import Clock, TimeUp
from ..planning.result import Plan, Recheck
from ..policy.evaluation import return_law
from ..progress import Report
from .attempts import Judge, first_accepted
from .certificate import ByBudget, ByBudgets, ByCover, ByLaw, ByMarkov, ByMean, ByThreshold, CellGrid, Certificate
from .reader import read_certificate
from .run_checker import Answer
from .same_policy import require_same_policy
from .write import Draft

ROUTES = {
    ByMarkov: "mean of the policy",
    ByBudget: "budgets of the policy",
    ByLaw: "law of the policy's return",
    ByMean: "largest mean",
    ByBudgets: "budgets of all policies",
    ByThreshold: "least probability over all policies",
    ByCover: "boxes of CDFs",
}


def recheck(plan: Plan, seconds: float | None = None, progress: Report | None = None) -> Recheck:
    """Confirm or refute the bounds of ``plan`` by its certificate; what the certificate leaves open is *unknown*."""
    judge, why, failed = Judge(_read, progress, Clock(seconds), short=True), "", False
    with tempfile.TemporaryDirectory(prefix="verified-risk-") as folder:
        file = Path(folder) / "certificate.txt"
        try:
            judge.say("writing the model in integers")
            draft = Draft.of(plan, judge.clock, sharp=True)
            try:
                first_accepted(draft, judge, file)
            except NotProved as error:
                why, failed = str(error), True
            except (Unsupported, InvalidPolicy, MissingDependency) as error:
                why = str(error)
            if judge.lower is None and not failed:
                judge.ask(draft.without_cover(), file)
        except TimeUp:
            why = f"not covered: the time limit of {seconds:g} s is reached while {judge.doing}"
        except (Unsupported, InvalidPolicy, MissingDependency) as error:
            why = why or str(error)
    known = not plan.known_error and evaluation_work(plan.mdp, plan.policy) <= PATIENT and not judge.clock.late()
    stated = plan.known_law if known else None
    if stated is not None and return_law(plan.mdp, plan.policy) != stated:
        other = "the exact law of the policy is not the law that the plan states"
        return Recheck(None, None, other, other, Truth.FAILS, Truth.UNKNOWN)
    return _found(plan, judge, why, failed)


def _found(plan: Plan, judge: Judge, why: str, failed: bool) -> Recheck:
    """Compare what was proved with the plan; ``failed`` if lossless tables contradict the bound asked for last."""
    low, up = judge.lower, judge.upper
    lower_holds, upper_holds, lower_route, upper_route = Truth.UNKNOWN, Truth.UNKNOWN, why, why
    if low is None:
        lower_holds = Truth.FAILS if failed else Truth.UNKNOWN
    else:
        lower_route = _route(low.low)
        lower_holds = Truth.HOLDS if low.lower >= plan.lower else Truth.UNKNOWN
        try:
            require_same_policy(plan.policy, low)
        except NotProved as error:
            return Recheck(None, None, str(error), str(error), Truth.FAILS, Truth.UNKNOWN)
        if low.lower > plan.upper or (failed and not isinstance(low.up, ByCover)):
            upper_holds = Truth.FAILS
    if up is not None:
        upper_route = _route(up.up)
        upper_holds = Truth.HOLDS if up.upper <= plan.upper else Truth.UNKNOWN
    lower, upper = None if low is None else low.lower, None if up is None else up.upper
    return Recheck(lower, upper, lower_route, upper_route, lower_holds, upper_holds)


def _route(proof: Any) -> str:
    cells = ", in cells" if isinstance(getattr(proof, "grid", None), CellGrid) else ""
    return f"{ROUTES[type(proof)]}{cells}, in integers"


def _read(file: Path, certificate: Certificate, clock: Clock) -> Answer:
    began = time.monotonic()
    with file.open("rb") as text:
        line = read_certificate(text, clock.require, widest=max(certificate.widest, 1))
    return Answer(line == "proved", line, time.monotonic() - began, None)
