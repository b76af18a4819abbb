"""Every reader of files and text against mutated ones: an error raised on purpose, or a value that survives a round.

A file of ours carries a digest, which would stop nearly every mutation: here the digest is computed after it (for most
cases), so that the reader behind it is what is tried.
"""

from __future__ import annotations

import functools
import json
import math
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import verified_risk as vr
from verified_risk import files
from verified_risk.errors import VerifiedRiskError
from verified_risk.experiments import Cell, sweep
from verified_risk.experiments.sweep_cells import read_cells
from verified_risk.learning.policies import BlackBoxPolicy
from verified_risk.numbers.enclosure import Truth
from verified_risk.numbers.rational import as_fraction, text
from verified_risk.proving.run_checker import find_checker

from .. import recheck
from ..engine.ledger import Ledger
from . import oracle, planning
from .mutation import mutated, shorter
from .property import LONGEST_WAIT, Case, Falsified, Property
from .samples import CELL, LEARNED, valid

SIZES = {"states": 6, "horizon": 4}
"""Beyond these, brute force and recheck of a mutated plan are left out: a mutation may ask for a horizon of 10**9."""
COMMAND = "from verified_risk.cli import main; main()"
STORM = ("drn", "prism", "jani")
SIGNED = ("model", "policy", "plan", "run", "certificate", "learning", "law", "cell", "black-box-policy")
PROOF_SECONDS = 60.0


def file_text(case: Case) -> str:
    """The file of a case: the data in an envelope with a digest that fits where ``signed`` is a kind of ours."""
    kind = case.get("signed")
    if kind is None:
        return str(case["text"])
    if kind == "certificate":
        return _resigned(case["text"])
    try:
        digest = files.digest(json.loads(case["text"]))
    except (ValueError, RecursionError):
        digest = "0" * 64
    head = f'{{"format": "verified_risk/{kind}", "version": {files.VERSION}, "sha256": "{digest}", "data": '
    return f"{head}{case['text']}}}"


def _resigned(certificate: str) -> str:
    """The certificate with a digest that fits; as it is where it has no place for one."""
    try:
        data = json.loads(certificate)
        data["sha256"] = recheck.digest(data)
        return json.dumps(data)
    except (ValueError, TypeError, KeyError, RecursionError):
        return certificate


def warm() -> None:
    for kind in ("run", "plan"):
        valid(kind, 0)
    planning.warm()


def valid_case(kind: str, rng: random.Random) -> Case:
    signed = kind if kind in SIGNED else None
    return {"kind": kind, "text": valid(kind, rng.randrange(8)), "signed": signed}


def make(rng: random.Random, kind: str) -> Case:
    case = valid_case(kind, rng)
    if case["signed"] is not None and rng.random() < 0.15:  # the envelope itself
        return {**case, "text": mutated(file_text(case), rng), "signed": None}
    return {**case, "text": mutated(case["text"], rng)}


def smaller(case: Case) -> Iterator[Case]:
    for less in shorter(case["text"]):
        yield {**case, "text": less}


# -- what a reader owes ----------------------------------------------------------------------------------------------


def check(case: Case) -> None:
    """Read the file: an error on purpose is the answer to nonsense; what is accepted must be what was written."""
    with TemporaryDirectory(prefix="verified_risk-") as folder:
        path = Path(folder) / f"file.{case['kind'] if case['kind'] in ('csv', *STORM) else 'json'}"
        path.write_text(file_text(case), encoding="utf-8", errors="surrogatepass", newline="")
        try:
            CHECKS[case["kind"]](path)
        except (VerifiedRiskError, recheck.Rejected):
            return


def _model(path: Path) -> None:
    _survives(vr.MDP.load(path), path)


def _csv(path: Path) -> None:
    mdp = vr.MDP.from_csv(path, initial=0, horizon=2, index_base=0)
    if mdp.n_states <= SIZES["states"]:
        _survives(mdp, path)


def _storm(path: Path) -> None:
    """In a process of its own: Storm's parser, which is not ours, ends its process on some damaged files."""
    words = [sys.executable, "-c", COMMAND, "models", "show", str(path), "--horizon", "2", "--json"]
    ran = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=LONGEST_WAIT)
    if ran.returncode not in (0, 2) or "Traceback" in ran.stderr:
        raise Falsified(f"reading the file ended its process with {ran.returncode}: {ran.stderr[-300:]}")
    if ran.returncode == 0:
        _survives(vr.MDP.from_json(json.loads(ran.stdout)), path)


def _survives(mdp: vr.MDP, path: Path) -> None:
    """Rows sum to 1 exactly, and the model is written and read as itself."""
    for s in range(mdp.n_states):
        for a, action in enumerate(mdp.actions(s)):
            total = sum((p for p, _, _ in action.outcomes), Fraction()) if mdp.is_discrete else Fraction(1)
            if total != 1:
                raise Falsified(f"action {a} of state {s} was accepted with total probability {total}")
    again = path.with_name("again.json")
    mdp.save(again)
    if vr.MDP.load(again) != mdp:
        raise Falsified("a model that was accepted is not the same after it is saved and loaded")


def _policy(path: Path) -> None:
    policy = vr.Policy.load(path)
    again = path.with_name("again.json")
    policy.save(again)
    if vr.Policy.load(again) != policy:
        raise Falsified("a policy that was accepted is not the same after it is saved and loaded")


def _run(path: Path) -> None:
    run = vr.Run.load(path)
    again = path.with_name("again.json")
    run.save(again)
    if files.digest(vr.Run.load(again).to_json()) != files.digest(run.to_json()):  # as text: NaN is not itself
        raise Falsified("a run that was accepted is not the same after it is saved and loaded")


def _law(path: Path) -> None:
    law = vr.Law.load(path)
    again = path.with_name("again.json")
    law.save(again)
    if sum(law.masses) != 1 or vr.Law.load(again) != law:
        raise Falsified("a law that was accepted has another mass than 1, or is another one after it is saved")


def _black_box(path: Path) -> None:
    """What is accepted plays an episode from every observation, with actions that exist."""
    policy = BlackBoxPolicy.load(path)
    shell = policy.shell
    if max(shell.observations, shell.steps) > 1000:
        return
    reward = shell.low + shell.range * shell.atoms[-1]
    for n in range(shell.observations):
        seen = [n // math.prod(shell.sizes[i + 1 :]) % size for i, size in enumerate(shell.sizes)]
        player = policy.player()
        while not player.over:
            action = player.act(seen if len(seen) > 1 else seen[0])
            if not 0 <= action < shell.actions:
                raise Falsified(f"a policy that was accepted plays action {action} of {shell.actions}")
            player.observe(reward)


def _cells(path: Path) -> None:
    cells = read_cells(path)
    if len(set(cells)) > len(cells) or [Cell.from_json(cell.to_json()).key for cell in cells] != [c.key for c in cells]:
        raise Falsified("a cell that was accepted is another one after it is written and read")


def _cell(path: Path) -> None:
    """A sweep that finds the file as its result writes its table, or refuses the file; it runs nothing."""
    folder = path.with_name("sweep")
    folder.mkdir()
    files.write(folder / "sweep.json", "sweep", [CELL.to_json()])
    path.rename(folder / f"{CELL.key}.json")
    if sweep([CELL], folder, workers=0, progress=False).table is None:
        raise Falsified("a sweep with a result of its only cell has no table")


def _plan(path: Path) -> None:
    """Whatever a file claims, recheck confirms both bounds only where brute force agrees."""
    plan = vr.Plan.load(path)
    mdp = plan.mdp
    if mdp.n_states > SIZES["states"] or mdp.horizon > SIZES["horizon"] or not mdp.is_discrete:
        return
    model = {
        "initial": _start(mdp),
        "outcomes": [
            [[(p, target, r) for p, target, r in action.outcomes] for action in mdp.actions(s)]
            for s in range(mdp.n_states)
        ],
        "horizon": mdp.horizon,
        "discount": mdp.discount,
    }
    try:
        laws = oracle.attainable(model, most=1500)
        curve, exact = oracle.curve_of(plan.objective.spec)
    except (oracle.TooMany, KeyError):
        return
    answer = plan.recheck()
    best = max(oracle.worth(law, curve) for law in laws)
    if exact and answer.upper_holds is Truth.HOLDS and best > plan.upper:
        raise Falsified(f"recheck confirms an upper bound {plan.upper} of a mutated plan, brute force attains {best}")
    if exact and answer.lower_holds is Truth.HOLDS:
        value = oracle.worth(oracle.played(model, plan.policy), curve)
        if value < plan.lower:
            raise Falsified(f"recheck confirms a lower bound {plan.lower} of a mutated plan, played out it is {value}")


def _start(mdp: vr.MDP) -> list[str]:
    held = dict(mdp.initial)
    return [str(held.get(s, Fraction())) for s in range(mdp.n_states)]


def _certificate(path: Path) -> None:
    recheck.check_text(path.read_text("utf-8"))


def _ledger(path: Path) -> None:
    ledger = Ledger.load(path)
    if Ledger.from_json(ledger.to_json()) != ledger:
        raise Falsified("a ledger that was accepted is printed as another one")


def _learning(path: Path) -> None:
    """A run that goes on from the file, whatever it says, ends with as many episodes as were asked for."""
    run = vr.learn(vr.models.load("two_paths"), **{**LEARNED, "checkpoint": path})
    if run.episodes != LEARNED["episodes"]:
        raise Falsified(f"a run of {run.episodes} episodes came from a damaged memory, wanted {LEARNED['episodes']}")


def _proof(path: Path) -> None:
    """One line, 0 or 1, and not without end; that nothing false is proved is what ``prove`` tries."""
    ran = subprocess.run(
        [find_checker().path, "--memory", "300", path], capture_output=True, text=True, timeout=PROOF_SECONDS
    )
    if ran.returncode not in (0, 1) or ran.stderr or len(ran.stdout.splitlines()) != 1:
        raise Falsified(f"the checker ended with {ran.returncode}: {ran.stdout[-200:]} {ran.stderr[-200:]}")


def _objective(path: Path) -> None:
    """What is accepted is printed and read again as the same curve."""
    G = vr.objective(path.read_text("utf-8"))
    again = vr.objective(G.spec)
    if again.spec != G.spec:
        raise Falsified("an objective that was accepted is printed as another one")


def _number(path: Path) -> None:
    number = as_fraction(path.read_text("utf-8"), "the number")
    if max(abs(number.numerator), number.denominator) < 10**3000 and as_fraction(text(number), "again") != number:
        raise Falsified("a number that was accepted is printed as another one")


CHECKS: dict[str, Callable[[Path], None]] = {
    "model": _model,
    "policy": _policy,
    "plan": _plan,
    "run": _run,
    "law": _law,
    "black-box-policy": _black_box,
    "cells": _cells,
    "cell": _cell,
    "certificate": _certificate,
    "csv": _csv,
    "drn": _storm,
    "prism": _storm,
    "jani": _storm,
    "ledger": _ledger,
    "learning": _learning,
    "proof": _proof,
    "objective": _objective,
    "number": _number,
}
TITLES = {
    "objective": "mutated objectives",
    "number": "mutated numbers",
    "learning": "mutated memories of a run",
    "proof": "mutated proofs, read by the verified checker",
    "black-box-policy": "mutated policies of environments",
    "cells": "mutated lists of cells of a sweep",
    "cell": "mutated results of a cell",
}


def no_storm() -> str | None:
    return None if find_spec("stormpy") else "Storm is not installed: pip install 'verified-risk[storm]'"


PROPERTIES = tuple(
    Property(
        f"read-{kind}",
        TITLES.get(kind, f"mutated {kind} files"),
        functools.partial(make, kind=kind),
        check,
        smaller,
        no_storm if kind in STORM else planning.no_checker if kind == "proof" else (lambda: None),
        warm if kind in ("run", "plan", "policy", "learning", "proof") else (lambda: None),
    )
    for kind in CHECKS
)
