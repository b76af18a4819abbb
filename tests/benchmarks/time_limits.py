"""Time limits by family and route, rows (q) of ``run.py``.

Asked for two seconds, how many CPU seconds did ``plan`` and ``recheck`` take, on 100 states (T = 30) without and 20
states (T = 100) with a discount?  Below them are ``exact_plan`` and ``cvar_frontier`` without a limit.
"""

import time
from collections.abc import Callable

from instances import GENERAL, discounted, instance
from rows import row, timed

import verified_risk as vr
from verified_risk.errors import VerifiedRiskError
from verified_risk.planning import clock

SECONDS = 2.0
FAMILIES = {
    "mean": "mean",
    "CVaR": "cvar(1/10)",
    "mean and CVaR": "1/2*mean + 1/2*cvar(1/10)",
    "VaR": "var(1/10)",
    "spectral": "1/2*cvar(1/10) + 1/2*cvar(1/2)",
    "Wang": "wang(3/4)",
    "CPW": "cpw(0.71)",
    "VaR and mean": "1/2*var(1/4) + 1/2*mean",
}


def answer_of(function: Callable[[], object]) -> object:
    try:
        return function()
    except VerifiedRiskError as error:
        return error


def families(name: str, mdp: vr.MDP) -> None:
    for family, G in FAMILIES.items():
        plan, planned = timed(lambda mdp=mdp, G=G: answer_of(lambda: vr.plan(mdp, G, time_limit=SECONDS)))
        if not isinstance(plan, vr.Plan):
            row(f"(q) {name}, {family}", asked_s=SECONDS, plan_s=planned, said=str(plan))
            continue
        answer, checked = timed(lambda plan=plan: answer_of(lambda: plan.recheck(time_limit=SECONDS)))
        assert isinstance(answer, vr.Recheck)
        row(
            f"(q) {name}, {family}", asked_s=SECONDS, plan_s=planned, recheck_s=checked,
            recheck=f"{answer.lower_holds.value}, {answer.upper_holds.value}",
        )  # fmt: skip
    for unlimited, call in (
        ("exact_plan, CVaR", lambda: vr.exact_plan(mdp, "cvar(1/10)")),
        ("cvar_frontier", lambda: vr.cvar_frontier(mdp)),
    ):
        found, spent = timed(lambda call=call: answer_of(call))
        said = "refused" if isinstance(found, VerifiedRiskError) else "answered"
        row(f"(q) {name}, {unlimited}", cpu_s=spent, said=said)


def rows(quick: bool) -> None:
    clock.now = time.process_time
    for toy in (instance((5, 3, 5, 4, 3)).mdp(), discounted(3, 2, 2, 1, "0.8", 6)):
        for G in FAMILIES.values():
            vr.plan(toy, G, time_limit=1)  # compiles
    families("undiscounted", instance(GENERAL[0] if quick else (100, 4, 30, 10, 3)).mdp())
    families("discounted", discounted(*((5, 2, 2, 1, "0.8", 3) if quick else (20, 4, 4, 10, "0.98", 100))))
    clock.now = time.monotonic
