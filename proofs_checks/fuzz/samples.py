"""A valid text of each kind of file, from which mutations start."""

from __future__ import annotations

import functools
import json
import random
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import verified_risk as vr
from verified_risk import files
from verified_risk.experiments.sweep import Cell, run_cell
from verified_risk.files import encode_array
from verified_risk.learning.policies import BlackBox

from .. import recheck
from ..engine import audit as auditing
from ..theory import ALL
from . import models

PRISM = """mdp
const int N = 2;
const double p = 1/3;
module walk
  s : [0..N] init 0;
  [go] s<N -> p:(s'=s+1) + 1-p:(s'=0);
  [stay] true -> (s'=s);
endmodule
rewards "gain"
  [go] true : 1/2;
  s=N : 0.25;
endrewards
"""
JANI = """{"jani-version": 1, "name": "d", "type": "mdp", "actions": [{"name": "go"}],
"variables": [{"name": "s", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 2},
 "initial-value": 0}, {"name": "gain", "type": "real", "transient": true, "initial-value": 0}], "properties": [],
"automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [{"location": "l",
 "action": "go", "guard": {"exp": {"op": "<", "left": "s", "right": 2}}, "assignments": [{"ref": "gain", "value": 3}],
 "destinations": [{"location": "l", "probability": {"exp": 0.5}, "assignments": [{"ref": "s", "value": 1}]},
 {"location": "l", "probability": {"exp": 0.5}, "assignments": [{"ref": "s", "value": 2}]}]}]}],
"system": {"elements": [{"automaton": "a"}], "syncs": [{"synchronise": ["go"], "result": "go"}]}}
"""
LEARNED: dict[str, Any] = {"objective": "cvar(1/2)", "episodes": 4, "seed": 1}
"""The run whose checkpoint is mutated."""
CELL = Cell("two_paths", "mean", episodes=3)
SHELL = BlackBox((2, 2), 2, 2, Fraction(), Fraction(1), Fraction(1, 2), (Fraction(), Fraction(1)), True, False)
"""The environment whose learned policy is mutated."""
SMALL_STATEMENTS = [statement for statement in ALL if statement.label in ("lem:key", "def:empirical", "cvar:concave")]
CERTIFICATES = Path(recheck.__file__).resolve().parents[1] / "certificates"


@functools.lru_cache(maxsize=64)
def valid(kind: str, number: int) -> str:
    """A valid text of the kind; ``number`` selects one of a few."""
    rng = random.Random(f"{kind} {number}")
    if kind == "number":
        return rng.choice(("1/3", "0.25", "-7", "1e-3", "12.5e2", "22/7"))
    if kind == "objective":
        return models.words(rng)
    if kind == "certificate":
        return rng.choice(sorted(CERTIFICATES.glob("*.json"))).read_text("utf-8")
    if kind in ("prism", "jani"):
        return {"prism": PRISM, "jani": JANI}[kind]
    if kind == "ledger":
        return auditing.run(rng.sample(SMALL_STATEMENTS, 2), examples=2, seed=number, jobs=1).to_json()
    if kind == "learning":
        with TemporaryDirectory(prefix="verified_risk-") as folder:
            vr.learn(vr.models.load("two_paths"), **LEARNED, checkpoint=Path(folder) / "state.json")
            return json.dumps(files.read(Path(folder) / "state.json", kind, dict))
    if kind == "cells":
        more = {"parameters": [["states", 4]], "eta": "1/2", "known_rewards": True}
        return json.dumps([{"model": "river_swim", "objective": "cvar(1/2)", **more}, CELL.to_json()][number % 2 :])
    if kind == "cell":
        return json.dumps(run_cell(CELL))
    if kind == "black-box-policy":
        table = np.random.default_rng(number).integers(0, 2, (2, 5, 3), dtype=np.int16)
        table[:, 4] = 0  # the episode has ended
        return json.dumps({"shell": SHELL.to_json(), "table": encode_array(table)})
    if kind == "run":
        return json.dumps(vr.learn(vr.models.load("two_paths"), "cvar(1/2)", episodes=3, seed=number).to_json())
    case = models.draw(rng, discounted=rng.random() < 0.3)
    mdp = models.mdp_of(case["model"])
    if kind == "model":
        return json.dumps(mdp.to_json())
    if kind in ("csv", "drn"):
        with TemporaryDirectory(prefix="verified_risk-") as folder:
            path = Path(folder) / f"model.{kind}"
            (mdp.to_csv if kind == "csv" else mdp.to_drn)(path)
            return path.read_text("utf-8")
    level = rng.choice(models.LEVELS)
    plan = vr.plan(mdp, rng.choice(("mean", f"cvar({level})", f"var({level})", "1/2*cvar(1/4) + 1/2*cvar(1/2)")))
    if kind == "law":
        return json.dumps(plan.required_law().to_json())
    if kind == "proof":
        with TemporaryDirectory(prefix="verified_risk-") as folder:
            plan.prove(certificate=Path(folder) / "proof.txt")
            return (Path(folder) / "proof.txt").read_text("ascii")
    if kind == "policy":
        return json.dumps({"model": mdp.to_json(), "policy": plan.policy.to_json()})
    return json.dumps(plan.to_json())
