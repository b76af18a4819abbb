"""The checker as JavaScript has the integers of Python and is fast enough; proof_files compares its answers."""

from __future__ import annotations

import json
import operator
import random
import resource
import subprocess

from proof_files import FOLDER, certificate_text, page_answers, require_page_checker

import verified_risk as vr

COMPUTE = """(0, eval)(require("fs").readFileSync(process.argv[1], "utf8"));
const form = (words) => integer_form(BigInt(words));
for (const [name, x, y] of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
  const z = globalThis["integer_" + name](form(x), name.startsWith("shift") ? Number(y) : form(y));
  console.log(Object.is(z, -0) || form(String(z)) !== z ? "not in the one form of an integer" : String(z));
}"""
OPERATIONS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "fdiv": operator.floordiv,
    "shift_left": operator.lshift, "shift_right": operator.rshift, "compare": lambda x, y: (x > y) - (x < y),
    "equal": operator.eq, "lt": operator.lt, "leq": operator.le, "sign": lambda x, _: (x > 0) - (x < 0),
    "is_odd": lambda x, _: x % 2, "numbits": lambda x, _: x.bit_length(),
    "fits_int": lambda x, _: -(2**31) <= x < 2**31,
}  # fmt: skip


def test_integers_are_those_of_python():
    """All signs and sizes, and the neighbours of the numbers at which their form changes."""
    checker, rng, cases = require_page_checker(), random.Random(0), []
    edges = [sign * 2**k + d for k in (0, 31, 32, 53, 54, 64, 106) for sign in (-1, 1) for d in range(-2, 3)]
    for name in OPERATIONS:
        for _ in range(2000):
            x, y = (
                rng.choice(
                    [rng.choice(edges), rng.choice([-1, 1]) * rng.getrandbits(rng.choice([4, 31, 53, 120, 2000]))]
                )
                for _ in range(2)
            )
            y = rng.choice([rng.randrange(120), 1100]) if name.startswith("shift") else y or 1
            cases.append((name, x, y))
    given = json.dumps([(name, str(x), str(y)) for name, x, y in cases])
    words = ["node", "-e", COMPUTE, FOLDER / "driver" / "browser" / "integers.js"]
    found = subprocess.run(words, input=given, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [str(int(OPERATIONS[name](x, y))) for name, x, y in cases] == found
    assert checker.is_file()


def test_half_a_million_cells_take_at_most_five_seconds(tmp_path):
    """By a scale of 60 bits, beyond the numbers of JavaScript."""
    plan = vr.plan(vr.models.random_sparse(60, 3, 4, horizon=28), "cvar(1/4)")
    (tmp_path / "large").write_text(certificate_text(plan, tmp_path))
    assert plan.proved.cells >= 500_000
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    (line,) = page_answers([tmp_path / "large"], require_page_checker())
    assert line.startswith("proved by check_sound")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began < 5
