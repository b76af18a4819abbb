"""Row (j): reading a model from sparse matrices, saving and loading its plan, rechecking it, each beside planning."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
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


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    return function(), time.process_time() - began


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
        columns = {
            "build_s": build, "plan_s": planned, "save_s": saved, "load_s": loaded, "file_MB": size,
            "build_over_plan": build / planned, "save_over_plan": saved / planned,
        }  # fmt: skip
        if states <= 50:  # the recheck of larger plans takes minutes
            _, columns["recheck_s"] = timed(plan.recheck)
            columns["recheck_over_plan"] = columns["recheck_s"] / planned
        yield f"(j) {states} states x 4 x 10 from CSR, T=20", columns
