"""Certificates for the verified checker, read again and judged by slow definitions; and corrupted.

The reader follows docs/proof_format.md and shares nothing with the writer or with the checker.  :func:`is_true` knows
the truth of a claim: it enumerates policies and walks histories.
"""

import hashlib
import io
import math
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import dropwhile, pairwise
from pathlib import Path
from typing import Any

import mpmath
import oracles
import pytest

from verified_risk.errors import MissingDependency
from verified_risk.proving import run_checker
from verified_risk.proving.reader import read_certificate
from verified_risk.proving.run_checker import BUILT, find_checker

FOLDER = BUILT.parents[1]


@cache
def require_checker() -> Path:
    """The checker, built again if its sources are others; the test is skipped where OCaml or zarith is missing."""
    try:
        return find_checker().path
    except MissingDependency:
        done = subprocess.run(["sh", FOLDER / "driver" / "build.sh"], capture_output=True, text=True)
    if done.returncode == 2:
        pytest.skip("no OCaml with zarith: `make checker` as root installs them")
    assert done.returncode == 0, done.stderr
    return find_checker().path


ANSWERS = """require(process.argv[1]);
for (const file of process.argv.slice(2)) console.log(answerOf(require("fs").readFileSync(file, "latin1")));"""
MOST_IN_NODE = 100
"""Certificates of one call that are also given to the checker in JavaScript."""


@cache
def require_page_checker() -> Path:
    """The checker in JavaScript; the test is skipped where js_of_ocaml or node is missing."""
    require_checker()
    if not shutil.which("node") or not (FOLDER / "build" / "checker.js").exists():
        pytest.skip("no node or no js_of_ocaml: apt-get install nodejs js-of-ocaml, and `make checker`")
    return find_checker(for_page=True).path


def page_answers(files: list[Any], checker: Path) -> list[str]:
    """Return the answers of the checker in JavaScript to these certificates."""
    done = subprocess.run(["node", "-e", ANSWERS, checker, *files], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def plant_program(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str, *, record: bool = True) -> Path:
    """Put a shell script where the build leaves the checker, in a copy of its folder; with the record of a build."""
    checker = folder / "proofs_checks" / "formal" / "checker"
    for name in ("driver", "extracted"):
        shutil.copytree(FOLDER / name, checker / name, dirs_exist_ok=True)
    built = checker / "build" / "checker"
    built.parent.mkdir(exist_ok=True)
    built.write_text(f"#!/bin/sh\n{script}\n")
    built.chmod(0o755)
    monkeypatch.setattr(run_checker, "BUILT", built)
    if record:
        digest = hashlib.sha256(built.read_bytes()).hexdigest()
        built.with_name("checker.record").write_text(f"{digest}\n{run_checker._source_digest()}\n")
    return built


def verdicts(texts: list[str], folder: Path) -> list[str]:
    """One line of the checker for each certificate, all from one run of it; the reader in Python, which knows no
    certificates from data, agrees with each, and the checker in JavaScript says the same."""
    files = []
    for i, text in enumerate(texts):
        file = folder / f"{i}.txt"
        file.write_text(text, encoding="ascii")
        files.append(str(file))
    done = subprocess.run([require_checker(), *files], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert (done.returncode in (0, 1), len(lines)) == (True, len(texts)), (done.returncode, done.stderr[-300:])
    with suppress(pytest.skip.Exception):  # where there is no node
        for line, ours in zip(lines, page_answers(files[:MOST_IN_NODE], require_page_checker()), strict=False):
            if not re.search("stack|memory| MB", line + ours):  # of which a browser has less
                assert ours.partition("; checked in")[0] == line.partition("; checked in")[0]
    for text, line in zip(texts, lines, strict=True):
        said = line if "verified-risk-data" in text else read_certificate(io.BytesIO(text.encode()))
        assert said.startswith("proved") == line.startswith("proved"), f"{line} but the reader: {said}\n{text[:2000]}"
    return lines


def accepted(texts: list[str], folder: Path, holds: Callable[[str], bool] | None = None) -> int:
    """The number of these certificates that are proved; fails unless their claims hold and the others are refused."""
    proved = 0
    for text, line in zip(texts, verdicts(texts, folder), strict=True):
        if line.startswith("proved"):
            proved += 1
            assert (holds or is_true)(text), f"accepted with a false bound:\n{text}"
        else:
            assert line.startswith(("refused: ", "not covered: ")), line
    return proved


def certificate_text(plan: Any, folder: Path) -> str:
    """The certificate by which a plan, or an answer from a log, is proved."""
    plan.prove(certificate=folder / "kept.txt")
    return (folder / "kept.txt").read_text()


# -- reading ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Read:
    objective: tuple[Any, ...]
    lower: Fraction
    upper: Fraction
    discount: Fraction
    denominator: int
    horizon: int
    initial: tuple[tuple[int, Fraction], ...]
    steps: tuple[Any, ...]
    """One dict ``{s: [[(probability, gain, next)]]}`` as nested tuples for each time."""
    low: tuple[Any, ...]


class _Words:
    def __init__(self, text: str) -> None:
        self.words = iter(text.split())

    def __call__(self, *wanted: str) -> str:
        word = next(self.words)
        assert not wanted or word in wanted, (word, wanted)
        return word

    def skip_to(self, wanted: str) -> None:
        self.words = dropwhile(lambda word: word != wanted, self.words)

    def integer(self) -> int:
        return int(self())

    def rational(self) -> Fraction:
        return Fraction(self())


def read(text: str) -> Read:
    """The parts of an accepted certificate that decide whether its claim is true."""
    word = _Words(text)
    word("verified-risk-proof"), word("1", "2", "3", "4"), word("objective")
    kind = word()
    if kind == "tail":
        objective = kind, word.rational(), word.rational()
    elif kind == "quantile":
        objective = kind, word.rational(), word() == "upper"
    elif kind == "mixture":
        objective = kind, tuple(_read_curve(word) for _ in range(word.integer()))
    else:
        objective = kind, tuple((word.rational(), word.rational()) for _ in range(word.integer()))
    word("claim")
    lower, upper = word.rational(), word.rational()
    word("discount")
    discount = word.rational()
    word("reward_denominator")
    denominator = word.integer()
    word("state_count"), word.integer(), word("horizon")
    horizon = word.integer()
    word("initial")
    total, count = word.integer(), word.integer()
    initial = tuple((word.integer(), Fraction(word.integer(), total)) for _ in range(count))
    steps: list[Any] = []
    while len(steps) < horizon:
        word("steps")
        times = word.integer()
        steps += [_read_step(word)] * times
    if kind == "mixture":
        word.skip_to("lower")  # what bounds the curves is the checker's business
    return Read(
        objective, lower, upper, discount, denominator, horizon, initial, tuple(steps), _read_low(word, horizon)
    )


def _read_curve(word: _Words) -> tuple[Any, ...]:
    word("weight")
    weight, kind = word.rational(), word("hazard", "dual", "wang", "cpw", "polygon", "jump", "upper")
    if kind == "polygon":
        return weight, kind, tuple((word.rational(), word.rational()) for _ in range(word.integer()))
    return weight, kind, word.rational()


def _read_step(word: _Words) -> Any:
    word("states")
    states = []
    for _ in range(word.integer()):
        s, actions = word.integer(), []
        for _ in range(word.integer()):
            total, count = word.integer(), word.integer()
            rows = [(word.integer(), word.integer(), word.integer()) for _ in range(count)]
            actions.append(tuple((Fraction(w, total), gain, target) for w, gain, target in rows))
        states.append((s, tuple(actions)))
    return tuple(states)


def _read_low(word: _Words, horizon: int) -> tuple[Any, ...]:
    word("lower")
    kind = word("markov", "budget", "cells", "lines", "law")
    if kind == "law":
        word.integer()
        total, count = word.integer(), word.integer()
        return "law", total, tuple(_read_machine(word, horizon) for _ in range(count))
    if kind == "markov":
        word.integer()
        tables = []
        for _ in range(horizon):
            word("choices")
            tables.append(tuple((word.integer(), word.integer()) for _ in range(word.integer())))
        return "markov", tuple(tables)
    word.integer(), word("unit")
    unit, by_cells, has_lines = word.rational(), kind != "budget", kind == "lines"
    kind = "cells" if by_cells else kind
    word("base" if by_cells else "stretch")
    stretch = word.integer()
    word("halvings" if by_cells else "shrink")
    shrink = tuple(word.integer() for _ in range(horizon)) if by_cells else word.integer()
    word("windows")
    windows = tuple((word.integer(), word.integer()) for _ in range(horizon + 1))
    word("start")
    start = word.integer()
    if has_lines:
        word.skip_to("choices")
    rows = []
    for _ in range(horizon):
        word("choices")
        step = []
        for _ in range(word.integer()):
            s, count = word.integer(), word.integer()
            step.append((s, tuple((word.integer(), word.integer()) for _ in range(count))))
        rows.append(tuple(step))
    return kind, unit, stretch, shrink, windows, start, tuple(rows)


def _read_machine(word: _Words, horizon: int) -> tuple[Any, ...]:
    word("machine")
    weight, memory, rules, tables = word.integer(), word.integer(), [], []
    for _ in range(horizon):
        word("rule")
        factor, coins, count = word.integer(), word.integer(), word.integer()
        moves = tuple((word.integer(), (word.integer(), word.integer())) for _ in range(count))
        rules.append((factor, coins, moves))
        word("choices")
        rows = []
        for _ in range(word.integer()):
            s, first, before, count = (word.integer() for _ in range(4))
            rows.append((s, (first, before, tuple((word.integer(), word.integer()) for _ in range(count)))))
        tables.append(tuple(rows))
    return weight, memory, tuple(rules), tuple(tables)


# -- the truth -------------------------------------------------------------------------------------------------------


def curve(kind: str, parameter: Any, tau: Fraction) -> Fraction:
    """The weighting at ``tau`` by its formula, in mpmath with 60 digits."""
    if kind == "polygon":
        for (a, u), (b, v) in pairwise([(Fraction(), Fraction()), *parameter]):
            if tau <= b:
                return u + (v - u) * (tau - a) / (b - a)
    if kind == "jump":
        return Fraction(tau >= parameter)
    if kind == "upper":
        return Fraction(tau > parameter)
    if tau in (0, 1):
        return tau
    with mpmath.workdps(60):
        x, k = mpmath.mpf(tau.numerator) / tau.denominator, mpmath.mpf(parameter.numerator) / parameter.denominator
        if kind == "hazard":
            found = x**k
        elif kind == "dual":
            found = 1 - (1 - x) ** k
        elif kind == "wang":
            found = mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(2 * x - 1) + k)
        else:
            found = x**k / (x**k + (1 - x) ** k) ** (1 / k)
        sign, mantissa, exponent, _ = found._mpf_
    return (-1) ** sign * mantissa * Fraction(2) ** exponent


def value(objective: tuple[Any, ...], law: dict[Fraction, Fraction]) -> Fraction:
    if objective[0] == "tail":
        _, w, alpha = objective
        return w * oracles.mean(law) + (1 - w) * oracles.cvar(law, alpha)
    if objective[0] == "quantile":
        return oracles.quantile(law, objective[1], upper=objective[2])
    if objective[0] == "mixture":
        return oracles.phi_by_area(law, lambda tau: sum(w * curve(f, k, tau) for w, f, k in objective[1]), max(law))
    corners = [(Fraction(), Fraction()), *objective[1]]

    def weight(tau: Fraction) -> Fraction:
        for (a, u), (b, v) in pairwise(corners):
            if tau <= b:
                return u + (v - u) * (tau - a) / (b - a)
        return Fraction(1)

    return oracles.phi_by_area(law, weight, max(law))


@cache
def _all_laws(discount: Fraction, denominator: int, horizon: int, initial: Any, steps: Any) -> list[dict[Any, Any]]:
    """The law of every deterministic policy of (t, s, return so far)."""
    tables = [dict(step) for step in steps]

    def after(t: int, masses: dict[Any, Fraction]) -> list[dict[Fraction, Fraction]]:
        if t == horizon:
            law: dict[Fraction, Fraction] = {}
            for (_, y), p in masses.items():
                law[y] = law.get(y, Fraction()) + p
            return [law]
        found: list[dict[Fraction, Fraction]] = []
        cells = sorted(masses)

        def choose(i: int, following: dict[Any, Fraction]) -> None:
            if len(found) > 20_000:
                return
            if i == len(cells):
                found.extend(after(t + 1, following))
                return
            s, y = cells[i]
            for outcomes in tables[t].get(s) or _stays(s):
                more = dict(following)
                for p, gain, target in outcomes:
                    if p:
                        key = target, y + discount**t * Fraction(gain, denominator)
                        more[key] = more.get(key, Fraction()) + p * masses[s, y]
                choose(i + 1, more)

        choose(0, {})
        return found

    start: dict[Any, Fraction] = {}
    for s, p in initial:
        if p:
            start[s, Fraction()] = start.get((s, Fraction()), Fraction()) + p
    return after(0, start)


def _in_runs(runs: Any, place: int) -> int:
    for length, action in runs:
        if place < length:
            return action
        place -= length
    return 0


class _Walked:
    """A policy as a start, an action and a law of what is remembered next; one for each kind of proof."""

    def __init__(self, file: Read, low: tuple[Any, ...]) -> None:
        self.file, self.low = file, low
        starts = {
            "markov": lambda: 0, "budget": lambda: low[5], "cells": lambda: low[1] * low[5], "law": lambda: low[1]
        }  # fmt: skip
        self.start = starts[low[0]]()

    def action(self, t: int, s: int, memory: Any) -> int:
        low = self.low
        if low[0] == "cells":  # the memory is the exact budget
            _, unit, _, halvings, windows, *_ = low
            x = memory * 2 ** sum(halvings[: t + 1]) / unit
            cell = math.ceil(x) - 1 if x <= 0 else math.floor(x)
            return _in_runs(dict(low[6][t]).get(s, ()), max(0, cell - windows[t][0] * 2 ** halvings[t]))
        if low[0] == "markov":
            return dict(low[1][t]).get(s, 0)
        if low[0] == "budget":
            place = memory - low[4][t][0]
            return _in_runs(dict(low[6][t]).get(s, ()), max(0, place))
        first, before, runs = dict(low[3][t]).get(s, (0, 0, ()))
        return before if memory < first else _in_runs(runs, memory - first)

    def following(self, t: int, memory: Any, gain: int) -> list[tuple[Any, Fraction]]:
        low, file = self.low, self.file
        if low[0] == "cells":
            return [(memory - file.discount**t * Fraction(gain - low[2], file.denominator), Fraction(1))]
        if low[0] == "markov":
            return [(0, Fraction(1))]
        if low[0] == "budget":
            _, unit, stretch, shrink, *_ = low
            rate = Fraction(stretch) / (file.denominator * unit) * (file.discount * stretch / shrink) ** t
            return [((stretch * memory - math.ceil(gain * rate)) // shrink, Fraction(1))]
        factor, coins, moves = low[2][t]
        shift, coin = next((move for listed, move in moves if listed == gain), (0, 0))
        here = factor * memory + shift
        return [(here, 1 - Fraction(coin, coins)), (here + 1, Fraction(coin, coins))]


def _stays(s: int) -> list[list[tuple[Fraction, int, int]]]:
    """The outcome of a state without actions, by the definition in Statement.v."""
    return [[(Fraction(1), 0, s)]]


def policy_law(file: Read) -> dict[Fraction, Fraction]:
    """The law of the return of the certificate's policy, by walking every history."""
    law: dict[Fraction, Fraction] = {}

    def walk(policy: _Walked, t: int, s: int, memory: int, y: Fraction, p: Fraction) -> None:
        if t == file.horizon:
            law[y] = law.get(y, Fraction()) + p
            return
        actions = dict(file.steps[t]).get(s) or _stays(s)
        a = policy.action(t, s, memory)
        for q, gain, target in actions[a if 0 <= a < len(actions) else 0]:
            reward = file.discount**t * Fraction(gain, file.denominator)
            for after, share in policy.following(t, memory, gain):
                if q * share:
                    walk(policy, t + 1, target, after, y + reward, p * q * share)

    parts = [(Fraction(1), file.low)]
    if file.low[0] == "law":
        parts = [(Fraction(part[0], file.low[1]), ("law", *part[1:])) for part in file.low[2]]
    for weight, low in parts:
        policy = _Walked(file, low)
        for s, p in file.initial:
            if p * weight:
                walk(policy, 0, s, policy.start, Fraction(), p * weight)
    return law


def is_true(text: str) -> bool:
    """Return whether the policy of the certificate attains the lower bound and no policy exceeds the upper one."""
    file = read(text)
    digits = Fraction(1, 10**45) if file.objective[0] == "mixture" else 0  # what mpmath may be off by
    if value(file.objective, policy_law(file)) < file.lower - digits:
        return False
    laws = _all_laws(file.discount, file.denominator, file.horizon, file.initial, file.steps)
    return max(value(file.objective, law) for law in laws) <= file.upper + digits


# -- corruption ------------------------------------------------------------------------------------------------------


def corrupted(text: str, other: str, rng: random.Random) -> tuple[str, str]:
    """The certificate with something changed, and what: a number, a word, the end, a part of another certificate."""
    kind = rng.choice(["number", "number", "number", "claim", "claim", "cut off", "lost", "twice", "other", "swapped"])
    if kind == "cut off":
        return text[: rng.randrange(len(text))], kind
    if kind == "claim":
        return _other_claim(text, rng), kind
    if kind == "other":
        return _spliced(text, other, rng), kind
    lines = text.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    words = lines[at].split()
    if not words:
        return text, kind
    i = rng.randrange(len(words))
    if kind == "number":
        words[i] = _other_number(words[i], rng)
    elif kind == "lost":
        del words[i]
    elif kind == "twice":
        words.insert(i, words[i])
    else:
        j = rng.randrange(len(words))
        words[i], words[j] = words[j], words[i]
    lines[at] = " ".join(words) + "\n"
    return "".join(lines), kind


def _other_number(word: str, rng: random.Random) -> str:
    try:
        number = Fraction(word)
    except ValueError:
        return rng.choice(["0", "-1", "tail", "end", "1/0", "0x10", "1e3", ""])
    small = Fraction(rng.choice([1, -1]), rng.choice([1, 2, 10, 1000, 10**6]) if "/" in word else 1)
    return str(
        rng.choice([number + small, number + small, -number, 2 * number, Fraction(0), number - small, 1 - number])
    )


def _other_claim(text: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    _, lower, upper = lines[2].split()
    by = Fraction(rng.choice([1, 1, -1]), rng.choice([1, 10, 1000, 10**9, 10**15]))
    if rng.random() < 0.5:
        lines[2] = f"claim {Fraction(lower) + by} {upper}\n"
    else:
        lines[2] = f"claim {lower} {Fraction(upper) - by}\n"
    return "".join(lines)


def _spliced(text: str, other: str, rng: random.Random) -> str:
    """One part from another certificate."""
    mark = rng.choice(
        ["objective ", "claim ", "discount ", "reward_denominator ", "initial ", "steps ", "lower ", "upper "]
    )
    a, b = text.find(mark), other.find(mark)
    following = rng.choice(["claim ", "discount ", "steps ", "lower ", "upper ", "end"])
    c, d = text.find(following, a + 1), other.find(following, b + 1)
    return text if min(a, b, c, d) < 0 else text[:a] + other[b:d] + text[c:]
