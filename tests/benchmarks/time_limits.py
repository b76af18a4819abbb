"""Time limits by family and route: ``python tests/benchmarks/time_limits.py [--seconds 2] [--large]``.

Asked for so many seconds, how many CPU seconds did ``plan`` and ``recheck`` take, on 100 states (T = 30) without and 20
states (T = 100) with a discount.  ``--large`` is Wang on 1000 states, T = 50, with the limit that was asked for.
Below them are ``exact_plan`` and ``cvar_frontier`` without a limit.
"""

import os

os.environ.setdefault("VERIFIED_RISK_THREADS", "1")

import argparse
import time
from collections.abc import Callable

from instances import GENERAL, discounted, instance
from rows import row

import verified_risk as vr
from verified_risk.errors import VerifiedRiskError
from verified_risk.kernels import jit
from verified_risk.planning import clock

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


def timed(function: Callable[[], object]) -> tuple[object, float]:
    began = time.process_time()
    try:
        found = function()
    except VerifiedRiskError as error:
        found = error
    return found, time.process_time() - began


def families(name: str, mdp: vr.MDP, seconds: float) -> None:
    for family, G in FAMILIES.items():
        plan, planned = timed(lambda mdp=mdp, G=G: vr.plan(mdp, G, time_limit=seconds))
        if not isinstance(plan, vr.Plan):
            row(f"(q) {name}, {family}", asked_s=seconds, plan_s=planned, said=str(plan))
            continue
        answer, checked = timed(lambda plan=plan: plan.recheck(time_limit=seconds))
        assert isinstance(answer, vr.Recheck)
        row(
            f"(q) {name}, {family}", asked_s=seconds, plan_s=planned, recheck_s=checked,
            recheck=f"{answer.lower_holds.value}, {answer.upper_holds.value}",
        )  # fmt: skip
    for unlimited, call in (
        ("exact_plan, CVaR", lambda: vr.exact_plan(mdp, "cvar(1/10)")),
        ("cvar_frontier", lambda: vr.cvar_frontier(mdp)),
    ):
        found, spent = timed(call)
        said = "refused" if isinstance(found, VerifiedRiskError) else "answered"
        row(f"(q) {name}, {unlimited}", cpu_s=spent, said=said)


def rows(quick: bool, seconds: float = 2.0) -> None:
    clock.now = time.process_time
    for toy in (instance((5, 3, 5, 4, 3)).mdp(), discounted(3, 2, 2, 1, "0.8", 6)):
        for G in FAMILIES.values():
            vr.plan(toy, G, time_limit=1)  # compiles
    families("undiscounted", instance(GENERAL[0] if quick else (100, 4, 30, 10, 3)).mdp(), seconds)
    families("discounted", discounted(*((5, 2, 2, 1, "0.8", 3) if quick else (20, 4, 4, 10, "0.98", 100))), seconds)
    clock.now = time.monotonic


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    jit.EAGER = True  # compiled kernels are what is measured
    if arguments.large:
        mdp = instance((1000, 4, 50, 10, 3)).mdp()
        clock.now = time.process_time
        vr.plan(instance(GENERAL[0]).mdp(), "wang(3/4)", time_limit=1)
        plan, spent = timed(lambda: vr.plan(mdp, "wang(3/4)", time_limit=arguments.seconds))
        print(f"1000 states, T = 50, Wang: asked {arguments.seconds:g} s, took {spent:.1f} s   {plan}", flush=True)
        return
    rows(quick=False, seconds=arguments.seconds)


if __name__ == "__main__":
    main()
