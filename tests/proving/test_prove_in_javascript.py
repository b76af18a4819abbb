"""The checker as JavaScript: its integers are Python's, its answers are the native program's."""

from __future__ import annotations

import json
import operator
import random
import resource
import shutil
import subprocess
from pathlib import Path

import pytest
import test_prove_hostile as hostile
from proof_files import FOLDER, certificate_text, corrupted, require_page_checker
from test_prove_corrupted import certificates
from test_prove_hostile import good, good_cells, good_curved  # noqa: F401

import verified_risk as vr

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="no node here: it runs the checker that is compiled to JavaScript")
ANSWERS = """require(process.argv[1]);
for (const file of process.argv.slice(2)) console.log(answerOf(require("fs").readFileSync(file, "latin1")));"""
COMPUTES = """(0, eval)(require("fs").readFileSync(process.argv[1], "utf8"));
const form = (words) => integer_form(BigInt(words));
for (const [name, x, y] of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
  const z = globalThis["integer_" + name](form(x), name.startsWith("shift") ? Number(y) : form(y));
  console.log(Object.is(z, -0) || form(String(z)) !== z ? "not the one form" : String(z));
}"""
OPERATIONS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "fdiv": operator.floordiv,
    "shift_left": operator.lshift, "shift_right": operator.rshift, "compare": lambda x, y: (x > y) - (x < y),
    "equal": operator.eq, "lt": operator.lt, "leq": operator.le, "sign": lambda x, _: (x > 0) - (x < 0),
    "is_odd": lambda x, _: x % 2, "numbits": lambda x, _: x.bit_length(),
    "fits_int": lambda x, _: -(2**31) <= x < 2**31,
}  # fmt: skip


def node(script: str, *words: str | Path, given: str = "") -> list[str]:
    assert NODE is not None
    done = subprocess.run([NODE, "-e", script, *words], input=given, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def same_answers(texts: list[str | bytes], folder: Path) -> int:
    """Compare the answers of both programs to these certificates; return how many are proved."""
    files = [folder / f"{i}.txt" for i in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    native = subprocess.run([FOLDER / "build" / "checker", *files], capture_output=True, text=True).stdout.splitlines()
    ours = node(ANSWERS, require_page_checker(), *files)
    plain = [[line.partition("; checked in")[0] for line in lines] for lines in (native, ours)]
    assert plain[0] == plain[1]
    return sum(line.startswith("proved") for line in ours)


def test_integers_are_those_of_python():
    """Signs and sizes of all kinds, and the neighbours of the numbers at which their form changes."""
    rng = random.Random(0)
    edges = [
        s * 2**k + d for k in (0, 26, 30, 31, 32, 52, 53, 54, 63, 64, 106) for s in (-1, 1) for d in (-2, -1, 0, 1, 2)
    ]
    drawn = [rng.choice([-1, 1]) * rng.getrandbits(rng.choice([4, 31, 53, 60, 120, 2000])) for _ in range(400)]
    cases = [
        (name, x, rng.choice([rng.randrange(120), 1100]) if name.startswith("shift") else y)
        for name in OPERATIONS
        for x, y in [(x, rng.choice(edges)) for x in edges * 8] + [(x, rng.choice(drawn)) for x in drawn * 4]
        if y or name != "fdiv"
    ]
    found = node(
        COMPUTES, FOLDER / "driver/browser/integers.js", given=json.dumps([[n, str(x), str(y)] for n, x, y in cases])
    )
    assert len(found) == len(cases) > 30_000
    for (name, x, y), z in zip(cases, found, strict=True):
        assert z == str(int(OPERATIONS[name](x, y))), (name, x, y)


def test_honest_and_corrupted_certificates_get_the_same_answers(tmp_path):
    rng, texts = random.Random(1), certificates(1, 20, tmp_path)
    texts += [corrupted(text, texts[i - 1], rng)[0] for i, text in enumerate(texts) for _ in range(15)]
    assert 20 < same_answers(texts, tmp_path) < len(texts) == 320


def test_hostile_certificates_get_the_same_answers(good, good_curved, good_cells, tmp_path):  # noqa: F811
    """Those that are refused for other reasons than the limits of a machine."""
    texts = []
    for which, text in (("good", good), ("good_curved", good_curved), ("good_cells", good_cells)):
        texts += [text] + [
            new if old is None else text.replace(old, new, 1)
            for old, new, said in hostile.HOSTILE[which].values()
            if not ("MB" in said or "memory" in said or "\u0661" in new)
        ]
        texts += [text.encode(encoding) for encoding in ("utf-16", "utf-8-sig", "cp037")]
    assert same_answers(texts, tmp_path) == 3


def test_half_a_million_cells_take_at_most_five_seconds(tmp_path):
    """By a scale of 60 bits, beyond the numbers of JavaScript."""
    plan = vr.plan(vr.models.random_sparse(60, 3, 4, horizon=28), "cvar(1/4)")
    text, checker = certificate_text(plan, tmp_path), require_page_checker()
    assert plan.proved.cells >= 500_000
    (tmp_path / "large").write_text(text)
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    (line,) = node(ANSWERS, checker, tmp_path / "large")
    assert line.startswith("proved by check_sound")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began < 5
