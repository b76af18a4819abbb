"""The plans of this tree against those of an older commit, in one run: equal to the last bit, and in what time?

``python tests/benchmarks/planner_against.py COMMIT [OBJECTIVE ...]`` unpacks the commit into a temporary folder and
lets each tree plan every named model for the objectives, by default those below, in a process of its own.  A row says
for how many models the laws of the return are the same rationals, for how many value and both bounds are, what the
others have, and the ratio of processor times: the best of three calls, compilation not counted.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

HERE = Path(__file__).resolve().parents[2]
TAILS = ("mean", "cvar(1/4)", "1/2*mean + 1/2*cvar(1/10)", "1/4*mean + 1/4*cvar(1/10) + 1/2*cvar(1/2)")
QUANTILES = ("var(1/4)", "var(1/2,upper)")
OBJECTIVES = (*TAILS, *QUANTILES, "hazard(1/2)", "dual(2)", "wang(3/4)", "wang(-1/2)", "cpw(71/100)")
PLAN = """
import inspect, json, sys, time
from fractions import Fraction
import verified_risk as vr
try:
    from verified_risk.kernels import jit
    jit.EAGER = True  # newer trees interpret the kernels of small models until they are compiled
except ImportError:
    pass
found = {}
for name in vr.models.NAMES:
    mdp = vr.models.load(name)
    low, high = mdp.reward_range
    gap = max(high - low, Fraction(1)) * mdp.horizon / 10**4  # no time limit: the answer does not depend on the clock
    for text in json.loads(sys.argv[1]):
        options = {} if text.startswith("var") or "mean" in text or text.startswith("cvar") else {"gap": gap}
        options |= {"then": None} if "then" in inspect.signature(vr.plan).parameters else {}  # older ones break no ties
        times = []
        for _ in range(3):
            began = time.process_time()
            plan = vr.plan(mdp, vr.objective(text), **options)
            law = plan.law
            times.append(time.process_time() - began)
        ends = [str(x) for x in (plan.lower, plan.upper)]
        found[name + " " + text] = [repr(plan.value), *ends, [[str(z), str(p)] for z, p in law]], min(times)
print(json.dumps(found))
"""
Answer: TypeAlias = list[Any]
"""Value, lower bound, upper bound, law; as text."""
Found: TypeAlias = dict[str, tuple[Answer, float]]


@contextmanager
def unpacked(commit: str) -> Iterator[Path]:
    """The files of ``commit`` in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(["git", "archive", commit], cwd=HERE, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
        yield Path(folder)


def answer_of(tree: Path, code: str, *asked: object) -> Any:
    """What ``code`` prints as JSON in its last line, in a fresh process in ``tree``; it gets ``asked`` as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(json.dumps, asked)], cwd=tree, stdout=subprocess.PIPE, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(tree)},
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


def difference(old: Answer, new: Answer) -> str:
    """How two plans differ, in words."""
    (low, high), (other_low, other_high) = ((Fraction(plan[1]), Fraction(plan[2])) for plan in (old, new))
    policy = "the same law" if old[3] == new[3] else "another law"
    gaps = f"gap {float(high - low):.3e} before, {float(other_high - other_low):.3e} now"
    return f"{policy}, lower bound {float(other_low - low):+.1e}, {gaps}"


def main() -> None:
    commit, objectives = sys.argv[1], sys.argv[2:] or OBJECTIVES
    with unpacked(commit) as folder:
        old: Found = answer_of(folder, PLAN, objectives)
    new: Found = answer_of(HERE, PLAN, objectives)
    assert old.keys() == new.keys()
    print(f"{'plans equal to those of ' + commit:<46} {'law':>8} {'bounds':>8} {'time, now/before':>17}")
    for text in objectives:
        rows = [key for key in old if key.split(" ", 1)[1] == text]
        other = {key: difference(old[key][0], new[key][0]) for key in rows if old[key][0] != new[key][0]}
        before, now = (sum(found[key][1] for key in rows) for found in (old, new))
        same = [
            f"{sum(part(old[key][0]) == part(new[key][0]) for key in rows)} of {len(rows)}"
            for part in (lambda plan: plan[3], lambda plan: plan[:3])
        ]
        print(f"{text:<46} {same[0]:>8} {same[1]:>8} {now / before:>17.2f}")
        for key, words in other.items():
            print(f"    {key.split(' ', 1)[0]}: {words}")


if __name__ == "__main__":
    main()
