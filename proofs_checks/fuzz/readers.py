"""Readers on mutated files: they raise one of the project's errors, or return a value that survives a round trip.

The digest of a file would stop nearly every mutation.  In most cases it is computed after the mutation, so that the
reader behind it is tested.

Mutations start from a valid text of each kind of file and go by tokens; most results pass the first checks of a reader.
"""

import functools
import json
import math
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import verified_risk as vr
from verified_risk import files
from verified_risk.errors import VerifiedRiskError
from verified_risk.experiments import sweep
from verified_risk.experiments.sweep import Cell, read_cells, run_cell
from verified_risk.files import encode_array
from verified_risk.learning.policies import BlackBox, BlackBoxPolicy
from verified_risk.numbers.enclosure import Truth
from verified_risk.numbers.rational import as_fraction, text
from verified_risk.proving.run_checker import find_checker

from .. import recheck
from ..engine import audit as auditing
from ..engine.ledger import Ledger
from ..theory import ALL
from . import models, oracle, planning
from .property import LONGEST_WAIT, Case, Falsified, Property

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:[./]\d+)?(?:[eE][+-]?\d+)?|\w+|\s+|.', re.DOTALL)

NUMBERS = (
    "0", "1", "-1", "2", "1/2", "1/0", "-0", "1e400", "1e-400", "1e999999999", "NaN", "Infinity", "-Infinity", "0x10",
    "1_000", "١", "½", "0.1", "1e-17", "9007199254740993", "1/3", "3/2", "true", "null", "9" * 5000, "",
    " ", "1.", ".5",
)  # fmt: skip
OTHERS = (
    '""', '"x"', "[]", "{}", "null", "[[]]", '"1/2"', '"١"', '"NaN"', '"1e999999999"', "\x00", "\ufeff", "\u202e", ",",
    "[" * 3000, '{"a":' * 2000, ":", "}", "]", ";", "(", ")", "*", "+", "-", "\n", "\r", '"', "\\", "\ud7ff", "é",
)  # fmt: skip


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def mutated(text: str, rng: random.Random) -> str:
    """Apply one to four changes: drop, repeat or swap tokens, or replace one by another token or a hostile value."""
    parts = tokens(text)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        if not parts:
            return rng.choice(OTHERS)
        i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
        solid = [k for k, part in enumerate(parts) if part.strip() and (part[0] in '"-' or part[0].isalnum())]
        k = rng.choice(solid) if solid else i
        match rng.randrange(9):
            case 0:
                del parts[i]
            case 1:
                parts.insert(i, parts[j])
            case 2:
                parts[i], parts[j] = parts[j], parts[i]
            case 3:
                parts[k] = parts[rng.choice(solid)] if solid else parts[j]
            case 4 | 5:
                new = rng.choice(NUMBERS)
                parts[k] = f'"{new}"' if parts[k].startswith('"') and rng.random() < 0.8 else new
            case 6:
                parts[i] = rng.choice(OTHERS)
            case 7:
                at = rng.randrange(len(parts[k]) or 1)
                parts[k] = parts[k][:at] + rng.choice('0123456789/-.eE" [{x,') + parts[k][at + 1 :]
            case _:
                first, last = sorted((i, j))
                parts[first : min(last, first + 12)] = []
    return "".join(parts)


def shorter(text: str) -> Iterator[str]:
    """The text without a run of tokens: halves, then quarters, down to single tokens."""
    parts = tokens(text)
    size = len(parts) // 2
    while size:
        for first in range(0, len(parts), size):
            yield "".join(parts[:first] + parts[first + size :])
        size //= 2


LEARNED: dict[str, Any] = {"objective": "cvar(1/2)", "episodes": 4, "seed": 1}  # the run whose checkpoint is mutated
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
        return Path(__file__).with_name(f"walk.{kind}").read_text("utf-8")
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


SIZES = {"states": 6, "horizon": 4}
"""Larger mutated plans are not compared with brute force: a mutation may have a horizon of 10**9."""
COMMAND = "from verified_risk.cli import main; main()"
STORM = ("drn", "prism", "jani")
SIGNED = ("model", "policy", "plan", "run", "certificate", "learning", "law", "cell", "black-box-policy")
PROOF_SECONDS = 60.0


def file_text(case: Case) -> str:
    """The file of a case; if ``signed`` names a kind, the data in an envelope with the right digest."""
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
    """The certificate with the right digest; unchanged if it cannot have one."""
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
    if case["signed"] is not None and rng.random() < 0.15:  # mutate the envelope
        return {**case, "text": mutated(file_text(case), rng), "signed": None}
    return {**case, "text": mutated(case["text"], rng)}


def smaller(case: Case) -> Iterator[Case]:
    for less in shorter(case["text"]):
        yield {**case, "text": less}


# -- checks of readers -----------------------------------------------------------------------------------------------


def check(case: Case) -> None:
    """Read the file; it is rejected with one of the project's errors, or the check of its kind passes."""
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
    """Read the file in another process: Storm's parser ends its process on some damaged files."""
    words = [sys.executable, "-c", COMMAND, "models", "show", str(path), "--horizon", "2", "--json"]
    ran = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=LONGEST_WAIT)
    if ran.returncode not in (0, 2) or "Traceback" in ran.stderr:
        raise Falsified(f"reading the file ended its process with {ran.returncode}: {ran.stderr[-300:]}")
    if ran.returncode == 0:
        _survives(vr.MDP.from_json(json.loads(ran.stdout)), path)


def _survives(mdp: vr.MDP, path: Path) -> None:
    """Rows sum to 1 exactly, and saving and loading the model gives the same model."""
    for s in range(mdp.n_states):
        for a, action in enumerate(mdp.actions(s)):
            total = sum((p for p, _, _ in action.outcomes), Fraction()) if mdp.is_discrete else Fraction(1)
            if total != 1:
                raise Falsified(f"action {a} of state {s} was accepted with total probability {total}")
    again = path.with_name("again.json")
    mdp.save(again)
    if vr.MDP.load(again) != mdp:
        raise Falsified("an accepted model changes when it is saved and loaded")


def _kept(kind: Any, path: Path) -> Any:
    """Load the file; fail if saving and loading the object changes it (as text, because NaN != NaN)."""
    held, again = kind.load(path), path.with_name("again.json")
    held.save(again)
    if files.digest(kind.load(again).to_json()) != files.digest(held.to_json()):
        raise Falsified(f"an accepted {kind.__name__} changes when it is saved and loaded")
    return held


def _law(path: Path) -> None:
    if sum(_kept(vr.Law, path).masses) != 1:
        raise Falsified("an accepted law does not have mass 1")


def _black_box(path: Path) -> None:
    """An accepted policy plays valid actions from every observation."""
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
                raise Falsified(f"an accepted policy plays action {action} of {shell.actions}")
            player.observe(reward)


def _cells(path: Path) -> None:
    cells = read_cells(path)
    if [Cell.from_json(cell.to_json()).key for cell in cells] != [cell.key for cell in cells]:
        raise Falsified("an accepted cell changes when it is written and read")


def _cell(path: Path) -> None:
    """A sweep that finds the file as its result writes its table or rejects the file."""
    folder = path.with_name("sweep")
    folder.mkdir()
    files.write(folder / "sweep.json", "sweep", [CELL.to_json()])
    path.rename(folder / f"{CELL.key}.json")
    if sweep([CELL], folder, workers=0, progress=False).table is None:
        raise Falsified("a sweep with a result of its only cell has no table")


def _plan(path: Path) -> None:
    """``recheck`` confirms a bound of a mutated plan only if brute force agrees."""
    plan = vr.Plan.load(path)
    mdp = plan.mdp
    if mdp.n_states > SIZES["states"] or mdp.horizon > SIZES["horizon"] or not mdp.is_discrete:
        return
    start = dict(mdp.initial)
    model = {
        "initial": [str(start.get(s, Fraction())) for s in range(mdp.n_states)],
        "outcomes": [[list(action.outcomes) for action in mdp.actions(s)] for s in range(mdp.n_states)],
        "horizon": mdp.horizon,
        "discount": mdp.discount,
    }
    try:
        laws = oracle.attainable(model, most=1500)
        curve, exact = oracle.curve_of(plan.objective.spec)
    except (oracle.TooMany, KeyError):
        return
    answer = plan.recheck(time_limit=planning.PROOF_SECONDS)
    best = max(oracle.worth(law, curve) for law in laws)
    if exact and answer.upper_holds is Truth.HOLDS and best > plan.upper:
        raise Falsified(f"recheck confirms an upper bound {plan.upper} of a mutated plan, brute force attains {best}")
    if exact and answer.lower_holds is Truth.HOLDS:
        value = oracle.worth(oracle.played(model, plan.policy), curve)
        if value < plan.lower:
            raise Falsified(f"recheck confirms a lower bound {plan.lower} of a mutated plan, played out it is {value}")


def _ledger(path: Path) -> None:
    ledger = Ledger.load(path)
    if Ledger.from_json(ledger.to_json()) != ledger:
        raise Falsified("an accepted ledger is printed as another one")


def _learning(path: Path) -> None:
    """A run continued from an accepted checkpoint has the requested number of episodes."""
    run = vr.learn(vr.models.load("two_paths"), **{**LEARNED, "checkpoint": path})
    if run.episodes != LEARNED["episodes"]:
        raise Falsified(f"a damaged checkpoint gave a run of {run.episodes} episodes, wanted {LEARNED['episodes']}")


def _proof(path: Path) -> None:
    """The checker prints one line and exits with 0 or 1 within the time limit.  (``prove`` tests soundness.)"""
    ran = subprocess.run(
        [find_checker().path, "--memory", "300", path], capture_output=True, text=True, timeout=PROOF_SECONDS
    )
    if ran.returncode not in (0, 1) or ran.stderr or len(ran.stdout.splitlines()) != 1:
        raise Falsified(f"the checker ended with {ran.returncode}: {ran.stdout[-200:]} {ran.stderr[-200:]}")


def _objective(path: Path) -> None:
    """An accepted objective is read back from its printed form."""
    G = vr.objective(path.read_text("utf-8"))
    if vr.objective(G.spec).spec != G.spec:
        raise Falsified("an accepted objective is printed as another one")


def _number(path: Path) -> None:
    number = as_fraction(path.read_text("utf-8"), "the number")
    if max(abs(number.numerator), number.denominator) < 10**3000 and as_fraction(text(number), "again") != number:
        raise Falsified("an accepted number is printed as another one")


CHECKS: dict[str, Callable[[Path], object]] = {
    "model": _model, "policy": functools.partial(_kept, vr.Policy), "plan": _plan,
    "run": functools.partial(_kept, vr.Run), "law": _law, "black-box-policy": _black_box, "cells": _cells,
    "cell": _cell, "certificate": lambda path: recheck.check_text(path.read_text("utf-8")),
    "csv": _csv, "drn": _storm, "prism": _storm, "jani": _storm, "ledger": _ledger,
    "learning": _learning, "proof": _proof, "objective": _objective, "number": _number,
}  # fmt: skip
TITLES = {
    "objective": "mutated objectives",
    "number": "mutated numbers",
    "learning": "mutated checkpoints of a run",
    "proof": "mutated proofs, read by the verified checker",
    "black-box-policy": "mutated policies of environments",
    "cells": "mutated cell lists of a sweep",
    "cell": "mutated results of a sweep cell",
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
