"""``python tests/benchmarks/run.py [--quick] [--rows a,b,...] [--json FILE] [--page FILE]``: ratios of one run.

Times are CPU seconds of one thread, the least of several runs taken in turn, so that a busy machine disturbs both
sides alike; only the rows of threads go by the clock and want an idle machine of two cores.
"""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VERIFIED_RISK_THREADS"):
    os.environ[_variable] = "1"

import argparse  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from dataclasses import replace  # noqa: E402
from fractions import Fraction  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent))

import jobs  # noqa: E402
import large  # noqa: E402
import rivals  # noqa: E402
import time_limits  # noqa: E402
from arrays import array_rows  # noqa: E402
from instances import DENSE, GENERAL, LARGER_GENERAL, SPARSE, instance  # noqa: E402
from rows import row, timed, write  # noqa: E402

import verified_risk as vr  # noqa: E402
from verified_risk.grid import compiled, float_model, grid_model, own_unit  # noqa: E402
from verified_risk.kernels import jit  # noqa: E402
from verified_risk.planning import clock  # noqa: E402
from verified_risk.planning.exact_route import mean_to_go, row_tables  # noqa: E402
from verified_risk.planning.tails import budget_tables  # noqa: E402
from verified_risk.planning.tails import tail_route as tails  # noqa: E402
from verified_risk.proving.run_checker import run_checker  # noqa: E402

OBJECTIVES = {
    "mean-cvar": 0.5 * vr.Mean() + 0.5 * vr.CVaR("1/10"),
    "spectral-3": vr.Spectral(["1/20", "1/5", "1/2"], ["1/3", "1/3", "1/3"]),
    "spectral-8": vr.Spectral(["1/50", "1/20", "1/10", "1/5", "7/20", "1/2", "7/10", "9/10"], ["1/8"] * 8),
    "wang(+.75)": vr.Wang("3/4"),
    "wang(-.75)": vr.Wang("-3/4"),
    "cpw(.71)": vr.CPW("0.71"),
}
jit.EAGER = True  # compiled kernels are what is measured; first_minute.py measures first calls


def least(functions: dict[str, Callable[[], Any]], repeat: int) -> dict[str, float]:
    """CPU seconds of each function, the least of ``repeat`` runs, taken in turn after one run to warm up."""
    best = dict.fromkeys(functions, np.inf)
    for k in range(repeat + 1):
        for name, function in functions.items():
            began = time.process_time()
            function()
            if k:
                best[name] = min(best[name], time.process_time() - began)
    return best


def stream() -> float:
    """Bytes a second of STREAM's triad, ``a = b + s c``, as numpy does it: two passes that move five arrays."""
    a, b, c = (np.ones(2**24) for _ in range(3))
    seconds = least({"triad": lambda: np.add(np.multiply(c, 3.0, out=a), b, out=a)}, 7)["triad"]
    return 5 * a.nbytes / seconds


def traffic(model: Any, top: int) -> int:
    """Bytes that a pass in product form reads and writes: a row for every successor, reward and mixed row."""
    rows = len(model.succ_state) + sum(len(step.prob) for step in model.steps) // model.horizon
    return 8 * (top + 1) * model.horizon * (rows + 2 * (len(model.succ_start) - 1))


def sparse(quick: bool) -> None:
    bandwidth = stream()
    for name, size in SPARSE.items():
        if quick and name == "large":
            continue
        x = instance(size)
        mdp = x.mdp()
        model = float_model(mdp, own_unit(mdp))
        linear, top = budget_tables.linear_part(model), model.remaining[0]
        ours = lambda m=model, t=top, l=linear: budget_tables.budget_tables(m, Fraction(), 0, t, linear=l)  # noqa: E731, E741
        kernel = rivals.CKernel(x)
        agree = float(np.max(np.abs(ours().shortfall - kernel.run()[0, : top + 1])))
        sides = {
            "ours": ours,
            "C": kernel.run,
            "plan": lambda m=mdp: vr.plan(m, vr.CVaR("1/20")),
            "frontier": lambda m=mdp: vr.cvar_frontier(m),
        }
        t = least(sides, 7 if name != "large" else 3)
        t |= least({"scipy": lambda x=x: rivals.scipy_sparse(x)}, 1)
        row(
            f"(a) {name} {size}", ours_ms=1e3 * t["ours"], c_ms=1e3 * t["C"], ours_over_C=t["ours"] / t["C"],
            scipy_over_ours=t["scipy"] / t["ours"], plan_ms=1e3 * t["plan"], plan_over_kernel=t["plan"] / t["ours"],
            frontier_over_kernel=t["frontier"] / t["ours"], largest_difference=agree,
            traffic_over_STREAM=traffic(model, top) / t["ours"] / bandwidth,
        )  # fmt: skip
        shortfall = kernel.run()[:, : top + 1]
        general_solver(f"(a) {name}: quantecon", rivals.quantecon_augmented(x), name, t["ours"], shortfall)
        general_solver(f"(a) {name}: Storm", rivals.storm_augmented(x), name, t["ours"], shortfall)


def general_solver(title: str, solver: Any, size: str, ours: float, shortfall: Any) -> None:
    """A solver of finite MDPs on the augmented model, with and without the time to build that model."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if solver is None:
        return row(title, skipped="not installed")
    if size == "large" and "Storm" in title:
        return row(title, skipped="its builder takes one call for each of 120 million transitions")
    if size == "large" and free < 12e9:
        return row(title, skipped="its augmented matrix needs 8 GB, and less than 12 GB are free")
    build, solve, read = solver
    augmented, built = timed(build)
    answer, solved = timed(lambda: solve(augmented))
    if size != "large":  # the first solution also compiles; on the large model that is a small share
        solved = least({"solve": lambda: solve(augmented)}, 3)["solve"]
    row(
        title, solve_ms=1e3 * solved, over_ours=solved / ours, with_set_up_over_ours=(solved + built) / ours,
        largest_difference=float(np.max(np.abs(read(answer) - shortfall))),
    )  # fmt: skip


def dense(quick: bool) -> None:
    size = (100, 5, 20, 20, 100) if quick else DENSE
    mdp = instance(size).mdp()
    model = float_model(mdp, own_unit(mdp))
    linear, top = budget_tables.linear_part(model), model.remaining[0]
    rows, n = len(model.succ_start) - 1, model.n_states
    flops = 2.0 * rows * n * sum(model.remaining[:-1])
    a, b = np.random.default_rng(0).random((rows, n)), np.random.default_rng(1).random((n, 1000))
    c = np.zeros((rows, 1000))
    sides = {
        "ours": lambda: budget_tables.budget_tables(model, Fraction(), 0, top, linear=linear),
        "dgemm": lambda: np.matmul(a, b, out=c),
    }
    t = least(sides, 3)
    peak, share = 2.0 * rows * n * 1000 / t["dgemm"], flops / t["ours"]
    row(f"(b) dense {size}", ours_s=t["ours"], gflops=share / 1e9, dgemm_gflops=peak / 1e9, share_of_dgemm=share / peak)


def crossover(quick: bool) -> None:
    """Sparse sweeps against BLAS as rows fill up: where DENSE_SHARE comes from."""
    saved = budget_tables.DENSE_SHARE
    for successors in (5, 20, 50, 100) if quick else (5, 10, 20, 30, 50, 100):
        mdp = instance((100, 4, 20, 20, successors)).mdp()
        model = float_model(mdp, own_unit(mdp))
        linear, top = budget_tables.linear_part(model), model.remaining[0]

        def timed(share: float, m: Any = model, t: int = top, part: Any = linear) -> None:
            budget_tables.DENSE_SHARE = share
            budget_tables.budget_tables(m, Fraction(), 0, t, linear=part)

        t = least({"sweeps": lambda f=timed: f(2.0), "blas": lambda f=timed: f(0.0)}, 5)
        ratio = t["blas"] / t["sweeps"]
        row(f"(b) crossover, {successors} of 100 successors", sweeps_ms=1e3 * t["sweeps"], blas_over_sweeps=ratio)
    budget_tables.DENSE_SHARE = saved


def certified(quick: bool) -> None:
    mdp = instance(SPARSE["small"]).mdp()
    model = float_model(mdp, own_unit(mdp))
    linear = budget_tables.linear_part(model, with_variance=True)
    window = tails.rho_window(model, linear, Fraction(1, 20))

    def plain() -> Any:
        tables = budget_tables.budget_tables(model, Fraction(), *window, linear=linear)
        return np.max(np.arange(window[0], window[1] + 1) - 20.0 * tables.shortfall)

    def both() -> Any:
        tables = budget_tables.budget_tables(model, Fraction(), *window, linear=linear)
        return tails.assemble(tables, Fraction(), Fraction(20))

    t = least({"certified": both, "plain": plain}, 9)
    milliseconds = {f"{name}_ms": 1e3 * seconds for name, seconds in t.items()}
    row("(c) certified against plain", **milliseconds, ratio=t["certified"] / t["plain"])


def exact(quick: bool) -> None:
    x = instance(SPARSE["tiny"])
    mdp = x.mdp()
    model, grid = float_model(mdp, own_unit(mdp)), grid_model(mdp)
    linear, top = budget_tables.linear_part(model), model.remaining[0]
    arguments = (compiled(mdp), 0, 1, mean_to_go(grid), grid.denominator)
    sides = {
        "rows": lambda: row_tables(*arguments),
        "float": lambda: budget_tables.budget_tables(model, Fraction(), 0, top, linear=linear),
    }
    t = least(sides, 9)
    reference, spent = timed(lambda: rivals.fractions(replace(x, horizon=4) if quick else x))
    if not quick:
        found = row_tables(*arguments)
        assert [Fraction(v, found.denominator) for v in found.cost] == reference[0], "rows and Fractions differ"
    row(
        "(d) exact rows, T = 10", rows_ms=1e3 * t["rows"], float_ms=1e3 * t["float"],
        over_float=t["rows"] / t["float"], fraction_s=spent,
        fraction_over_rows="T = 4 only" if quick else spent / t["rows"],
    )  # fmt: skip


def general(quick: bool) -> None:
    sizes, seeds = (GENERAL[:2], (0,)) if quick else (GENERAL, (0, 1, 2))
    for G in OBJECTIVES.values():
        vr.plan(instance(GENERAL[0]).mdp(), G, gap="1/100")  # compiles what is timed below
    for size in sizes:
        for name, G in OBJECTIVES.items():
            for seed in seeds:
                searched("(e)", size, seed, name, G, 60.0 if name.startswith("cpw") else 30.0)


def larger_general(quick: bool) -> None:
    for size in LARGER_GENERAL[: 1 if quick else None]:
        for name, G in OBJECTIVES.items():
            searched("(l)", size, 0, name, G, 120.0)


def searched(letter: str, size: Any, seed: int, name: str, G: vr.Weighting, limit: float) -> None:
    """A search for a gap of 1e-5; its limit, too, is in CPU seconds."""
    mdp = instance(size, seed).mdp()
    history: list[vr.Progress] = []
    clock.now = time.process_time
    plan, spent = timed(lambda: vr.plan(mdp, G, gap="1/100000", time_limit=limit, progress=history.append))
    closed = plan.gap <= Fraction(1, 10**5)
    clock.now = time.monotonic
    course = [] if closed else [str(now) for now in history[:: max(1, len(history) // 5)]]
    row(
        f"{letter} {size[:4]} seed {seed} {name}", gap=float(plan.gap), cpu_s=spent, closed=closed,
        method=plan.certificate.method, course=course,
    )  # fmt: skip


# The peak is read from /proc: getrusage's would include what the parent had before the child's program began.
MEMORY = """
import re, sys
from pathlib import Path
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
sys.path.insert(0, {here!r})
import verified_risk as vr
from verified_risk.kernels import jit
from instances import SPARSE, instance
jit.EAGER = True  # the compiler's own memory is taken before
warm = instance(SPARSE["tiny"]).mdp()
vr.plan(warm, vr.CVaR("1/20"))
before = peak()
mdp = instance(SPARSE[{size!r}]).mdp()
built = peak()
vr.plan(mdp, vr.CVaR("1/20"))
planned = peak()
vr.cvar_frontier(mdp)
after = peak()
print(before / 1024, (built - before) / 1024, (planned - before) / 1024, (after - before) / 1024)
"""


def memory(quick: bool) -> None:
    size = "small" if quick else "large"
    code = MEMORY.format(here=str(Path(__file__).parent), size=size)
    numbers = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    names = ("interpreter_mb", "model_mb", "plan_and_model_mb", "frontier_and_model_mb")
    row(f"(f) memory, {size}", **dict(zip(names, map(float, numbers), strict=True)))


def growth(quick: bool) -> None:
    base = (100, 4, 20, 10, 5)
    for k, name in enumerate(("S", "A", "T", "1/eta", "successors")):
        times, values = [], []
        for factor in (1, 2, 4, 8):
            size = list(base)
            size[k] *= factor
            mdp = instance(tuple(size)).mdp()  # type: ignore[arg-type]
            model = float_model(mdp, own_unit(mdp))
            linear, top = budget_tables.linear_part(model), model.remaining[0]
            run = lambda m=model, t=top, part=linear: budget_tables.budget_tables(m, Fraction(), 0, t, linear=part)  # noqa: E731
            times.append(least({"run": run}, 3)["run"])
            values.append(size[k])
        slope = float(np.polyfit(np.log(values), np.log(times), 1)[0])
        row(f"(h) growth in {name}", values=values, ms=[round(1e3 * t, 2) for t in times], exponent=slope)


def proved(quick: bool) -> None:
    """The verified checker beside the planner and its recheck; seconds of its own process, cells of both tables."""
    sizes = [SPARSE["tiny"]] if quick else [SPARSE["tiny"], (50, 4, 20, 20, 5), SPARSE["small"]]
    for size in sizes:
        mdp = instance(size).mdp()
        plan = vr.plan(mdp, vr.CVaR("1/10"))
        t = least({"plan": lambda mdp=mdp: vr.plan(mdp, vr.CVaR("1/10"))}, 1)
        _, recheck = timed(plan.recheck)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "certificate.txt"
            found, writing = timed(lambda plan=plan, file=file: plan.prove(certificate=file))
            line = run_checker(file, 10**6).line
            megabytes = file.stat().st_size / 1e6
        checking = float(line.partition("checked in ")[2].partition(" s")[0])
        seconds = {"plan_s": t["plan"], "recheck_s": recheck, "writing_s": writing, "checking_s": checking}
        speed = found.cells / checking
        row(f"(k) proved {size}", **seconds, cells=found.cells, cells_per_s=speed, certificate_MB=megabytes)


def learning(quick: bool) -> None:
    """(i) Episodes per second, and ratios of the dense learner to the others."""
    import learner

    for line in learner.rows(quick):
        row(f"(i) {line.pop('what')}", **line)


def from_arrays(quick: bool) -> None:
    for name, columns in array_rows(quick):
        row(name, **columns)


GROUPS: dict[str, list[Callable[[bool], None]]] = {
    "a": [sparse],
    "b": [dense, crossover],
    "c": [certified],
    "d": [exact],
    "e": [general],
    "f": [memory],
    "h": [growth],
    "i": [learning],
    "j": [from_arrays],
    "k": [proved],
    "l": [larger_general],
    "n": [large.threads],
    "o": [large.memory],
    "p": [large.preparation],
    "q": [time_limits.rows],
    "r": [jobs.job_rows],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes: a minute instead of many")
    parser.add_argument("--rows", default=",".join(GROUPS), help="letters of the rows to run, such as a,c")
    parser.add_argument("--json", type=Path, default="results/benchmarks.json", help="where to write the rows")
    parser.add_argument("--page", type=Path, help="where to write them as tables")
    arguments = parser.parse_args()
    for letter in arguments.rows.split(","):
        for group in GROUPS[letter]:
            group(arguments.quick)
        write(arguments.json, arguments.page)  # after every letter: a run that was cut off keeps what it had
    print(f"written to {arguments.json}")


if __name__ == "__main__":
    main()
