"""Every reader of files and text against mutated ones: an error raised on purpose, or a value that survives a round.

A file of ours carries a digest, which would stop nearly every mutation: here the digest is computed after it (for most
cases), so that the reader behind it is what is tried.
"""

from __future__ import annotations

import functools
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import verified_risk as vr
from verified_risk import files
from verified_risk.errors import VerifiedRiskError
from verified_risk.numbers.enclosure import Truth
from verified_risk.numbers.rational import as_fraction, text
from verified_risk.proving.program import find_checker

from .. import recheck
from ..engine import audit as auditing
from ..engine.ledger import Ledger
from ..theory import ALL
from . import models, oracle, planning
from .mutation import mutated, shorter
from .property import LONGEST_WAIT, Case, Falsified, Property

SIZES = {"states": 6, "horizon": 4}
"""Beyond these, brute force and recheck of a mutated plan are left out: a mutation may ask for a horizon of 10**9."""
COMMAND = "from verified_risk.cli import main; main()"
STORM = ("drn", "prism", "jani")
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
"""The run whose memory is mutated."""
PROOF_SECONDS = 60.0
SMALL_STATEMENTS = [statement for statement in ALL if statement.label in ("lem:key", "def:empirical", "cvar:concave")]
CERTIFICATES = Path(recheck.__file__).resolve().parents[1] / "certificates"


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
        _valid(kind, 0)
    planning.warm()


@functools.lru_cache(maxsize=64)
def _valid(kind: str, number: int) -> str:
    """A valid text of the kind, one of a few."""
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
    if kind == "proof":
        with TemporaryDirectory(prefix="verified_risk-") as folder:
            plan.prove(certificate=Path(folder) / "proof.txt")
            return (Path(folder) / "proof.txt").read_text("ascii")
    if kind == "policy":
        return json.dumps({"model": mdp.to_json(), "policy": plan.policy.to_json()})
    return json.dumps(plan.to_json())


def valid_case(kind: str, rng: random.Random) -> Case:
    signed = kind if kind in ("model", "policy", "plan", "run", "certificate", "learning") else None
    return {"kind": kind, "text": _valid(kind, rng.randrange(8)), "signed": signed}


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


def _plan(path: Path) -> None:
    """Whatever a file claims, recheck confirms both bounds only where brute force agrees."""
    plan = vr.Plan.load(path)
    mdp = plan.mdp
    if mdp.n_states > SIZES["states"] or mdp.horizon > SIZES["horizon"] or not mdp.is_discrete:
        return
    model = {
        "initial": _start(mdp),
        "outcomes": [
            [[(text(p), target, text(r)) for p, target, r in action.outcomes] for action in mdp.actions(s)]
            for s in range(mdp.n_states)
        ],
        "horizon": mdp.horizon,
        "discount": text(mdp.discount),
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
        [find_checker(), "--memory", "300", path], capture_output=True, text=True, timeout=PROOF_SECONDS
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
