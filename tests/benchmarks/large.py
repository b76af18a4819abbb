"""Large models: threads, memory and preparation, ratios of one run.

    python tests/benchmarks/large.py [threads] [memory] [preparation]

``threads`` compares wall-clock times, so it wants an idle machine of two cores; beside them it prints what the CPU
seconds of the longer part of every step allow, which a busy machine hardly changes.  Everything else is CPU seconds or
bytes.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np  # noqa: E402
from instances import SPARSE, discounted, instance  # noqa: E402
from rows import row, timed  # noqa: E402

import verified_risk as vr  # noqa: E402
from verified_risk.grid import float_model, own_unit, scaled_model  # noqa: E402
from verified_risk.planning.search import grid_coordinates  # noqa: E402
from verified_risk.planning.tails import budget_tables, interpolated_tables  # noqa: E402
from verified_risk.planning.threads import VARIABLE, in_threads  # noqa: E402

ROUNDS = 5


def wall(function: Callable[[], object]) -> float:
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


class Measured:
    """``in_threads`` that adds up, step by step, the CPU seconds of the longest part and of all parts."""

    def __init__(self) -> None:
        self.longest = self.all = 0.0

    def __call__(self, work: Callable[[int], None], parts: int) -> None:
        spent = [0.0] * parts

        def timed(k: int) -> None:
            began = time.thread_time()
            work(k)
            spent[k] = time.thread_time() - began

        in_threads(timed, parts)
        self.longest += max(spent)
        self.all += sum(spent)


def allowed(side: Callable[[], object]) -> float:
    """All CPU seconds of the shared steps over those of their longest parts."""
    measured = Measured()
    for module in (budget_tables, interpolated_tables, grid_coordinates):
        module.in_threads = measured  # type: ignore[attr-defined]
    try:
        side()
    finally:
        for module in (budget_tables, interpolated_tables, grid_coordinates):
            module.in_threads = in_threads  # type: ignore[attr-defined]
    return measured.all / measured.longest


def threads(quick: bool = False) -> None:
    """Wall-clock seconds with one and with two threads, in turn, the least of each; the answers are equal."""
    size = "small" if quick else "large"
    mdp = instance(SPARSE[size]).mdp()
    model = float_model(mdp, own_unit(mdp))
    linear = budget_tables.linear_part(model)
    scaled = scaled_model(discounted(146, 4, 3, 1, "0.95", 100), Fraction(1, 400))
    oracle = grid_coordinates.Oracle(float_model(instance((50, 4, 20, 10, 3)).mdp(), Fraction(1, 10)))
    cost = 1.0 / (1.0 + np.arange(oracle.top))

    def contraction() -> object:
        fresh = grid_coordinates.Oracle(oracle.model)
        return fresh.contract(cost, 0.9 * cost, 1.1 * cost, float("inf"))

    sides: dict[str, Callable[[], object]] = {
        f"budget pass, {SPARSE[size]}": lambda: budget_tables.budget_tables(
            model, Fraction(), 0, model.remaining[0], linear=linear
        ),
        "read between nodes, 146 states, T = 100": lambda: interpolated_tables.envelope(scaled, Fraction()),
        "contraction of a search, (50, 4, 20, 10)": contraction,
    }
    before = os.environ.get(VARIABLE)
    for name, side in sides.items():
        best = {"1": float("inf"), "2": float("inf")}
        for k in range(ROUNDS + 1):
            for count in best:
                os.environ[VARIABLE] = count
                seconds = wall(side)
                if k:
                    best[count] = min(best[count], seconds)
        load, most = os.getloadavg()[0], max(allowed(side) for _ in range(ROUNDS))
        row(
            f"(n) {name}", one_s=best["1"], two_s=best["2"], ratio=best["1"] / best["2"], parts_allow=most, load=load,
        )  # fmt: skip
    if before is None:
        del os.environ[VARIABLE]
    else:
        os.environ[VARIABLE] = before


MEMORY = """
import re, sys, time
from pathlib import Path
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
sys.path.insert(0, {here!r})
import verified_risk as vr
from verified_risk.grid import float_model, own_unit
from verified_risk.kernels import jit
from verified_risk.models import random_sparse
from verified_risk.planning.grid_choice import table_bytes
jit.EAGER = True  # the compiler's own memory is taken before
vr.plan(random_sparse(20, 2, 3, 2, 3), vr.CVaR("1/10"))
vr.cvar_frontier(random_sparse(20, 2, 3, 2, 3))
before = peak()
mdp = random_sparse({states}, 2, 3, 2, {horizon}, grid={grid})
built = peak()
estimate = table_bytes({states}, float_model(mdp, own_unit(mdp)).remaining)
began = time.process_time()
frontier = vr.cvar_frontier(mdp)  # every budget: no window makes the tables smaller
seconds = time.process_time() - began
cells = {states} * sum(frontier._curve.tables.model.remaining)
low = frontier("1/10")
print(cells, before, built - before, peak(), estimate, seconds, float(low.upper - low.lower))
"""


def memory(quick: bool = False) -> None:
    """A billion cells in a process of its own: its peak, and what the planner's refusal would have estimated."""
    for states, horizon, grid in ((1000, 200, 5), (1000, 1000, 2))[: 1 if quick else None]:
        code = MEMORY.format(here=str(Path(__file__).parent), states=states, horizon=horizon, grid=grid)
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        cells, before, model, most, estimate, seconds, gap = map(float, out.split())
        tables = most - before - model
        row(
            f"(o) {states} states, T = {horizon}", cells=cells, peak_GB=most / 1e9, tables_GB=tables / 1e9,
            estimated_over_taken=estimate / tables, cpu_s=seconds, gap=gap,
        )  # fmt: skip


def preparation(quick: bool = False) -> None:
    """Seconds of preparation over seconds of the pass."""
    for name, mdp, eta in (
        ("21 states, 11 actions, 0.9, T 100", discounted(21, 11, 8, 20, "0.9", 100), Fraction(1, 25)),
        ("146 states, 0.95, T 100", discounted(146, 4, 3, 1, "0.95", 100), Fraction(1, 400)),
    ):
        interpolated_tables.envelope(scaled_model(discounted(3, 2, 2, 1, "1/2", 3), Fraction(1, 4)), Fraction())
        model, prepared = timed(lambda mdp=mdp, eta=eta: scaled_model(mdp, eta))
        _, passed = timed(lambda model=model: interpolated_tables.envelope(model, Fraction()))
        row(f"(p) {name}", prepare_s=prepared, pass_s=passed, ratio=prepared / passed)
    for states in (1_000,) if quick else (10_000, 50_000):
        x = instance((states, 4, 10, 10, 10))
        shares = x.weight / x.denominator
        laws = [dict(zip(own.tolist(), share.tolist(), strict=True)) for own, share in zip(x.succ, shares, strict=True)]
        transitions = [laws[s : s + 4] for s in range(0, 4 * states, 4)]
        rewards = [[float(r[0]) / 10 for r in x.reward[s : s + 4]] for s in range(0, 4 * states, 4)]
        mdp, seconds = timed(lambda P=transitions, R=rewards: vr.MDP(0, P, R, 10))
        _, planned = timed(lambda mdp=mdp: vr.plan(mdp, vr.CVaR("1/10")))
        row(f"(p) MDP() of {states} x 4 x 10 floats", read_s=seconds, plan_s=planned)


def main() -> None:
    rows = {"threads": threads, "memory": memory, "preparation": preparation}
    for name in sys.argv[1:] or rows:
        rows[name]()


if __name__ == "__main__":
    main()
