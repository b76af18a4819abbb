"""Row (j): reading a model from sparse matrices, saving and loading its plan, rechecking it, each beside planning.

``python tests/benchmarks/run.py --rows j`` prints CPU seconds of one run, and the memory that the arrays take, that
reading them takes at its peak, and that the model keeps, in MB.
"""

import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rows import timed
from scipy import sparse

import verified_risk as vr
from verified_risk.kernels import jit


def matrices(states: int, actions: int, successors: int, seed: int = 0) -> list[Any]:
    """One CSR matrix for each action; rows are normalised in floating point, as people have them."""
    rng = np.random.default_rng(seed)
    block = states // successors
    made = []
    for _ in range(actions):
        columns = rng.integers(0, block, (states, successors)) + np.arange(successors) * block
        rows = np.repeat(np.arange(states), successors)
        chances = rng.dirichlet(np.ones(successors), states)
        made.append(sparse.csr_matrix((chances.ravel(), (rows, columns.ravel())), shape=(states, states)))
    return made


def taken(P: list[Any], R: Any) -> tuple[float, float, float]:
    """MB of the arrays, of reading them at the peak, and of what the model keeps; counted apart: counting is slow."""
    given = sum(part.data.nbytes + part.indices.nbytes + part.indptr.nbytes for part in P) + R.nbytes
    tracemalloc.start()
    mdp = vr.MDP.from_arrays(P, R, initial=0, horizon=20)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert mdp.horizon == 20
    return given / 1e6, peak / 1e6, kept / 1e6


def array_rows(quick: bool) -> Iterator[tuple[str, dict[str, float]]]:
    """``(name, columns)``: seconds of CPU and their ratios to planning."""
    for states in (50, 1000) if quick else (50, 1000, 5000, 10_000):
        P = matrices(states, 4, 10)
        R = np.random.default_rng(1).integers(0, 5, (states, 4))
        jit.EAGER = True
        vr.plan(vr.models.two_paths(), "cvar(1/4)")  # the kernels are compiled before the clock starts
        mdp, build = timed(lambda P=P, R=R: vr.MDP.from_arrays(P, R, initial=0, horizon=20))
        plan, planned = timed(lambda mdp=mdp: vr.plan(mdp, "cvar(1/4)"))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "plan.json"
            _, saved = timed(lambda plan=plan, file=file: plan.save(file))
            _, loaded = timed(lambda file=file: vr.Plan.load(file))
            size = file.stat().st_size / 1e6
        checked, rechecked = timed(plan.recheck)
        assert {checked.lower_holds.value, checked.upper_holds.value} == {"holds"}, checked
        given, peak, kept = taken(P, R)
        yield f"(j) {states} states x 4 x 10 from CSR, T=20", {
            "build_s": build, "plan_s": planned, "save_s": saved, "load_s": loaded, "recheck_s": rechecked,
            "build_over_plan": build / planned, "save_over_plan": saved / planned, "load_over_plan": loaded / planned,
            "recheck_over_plan": rechecked / planned, "file_MB": size, "arrays_MB": given, "peak_MB": peak,
            "model_MB": kept,
        }  # fmt: skip
