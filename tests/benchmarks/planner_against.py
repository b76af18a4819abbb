"""The plans of this tree against those of an older commit, in one run: equal to the last bit, and in what time?

``python tests/benchmarks/planner_against.py COMMIT`` unpacks the commit into a temporary folder and lets each tree plan
every named model for every objective below, in a process of its own.  Two plans are equal if value, both bounds and
the whole law of the policy's return are the same rationals.  A row says how many models agree, names those that do not,
and has the ratio of processor times; compilation is not counted, each plan is timed at its second call.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import TypeAlias

from older import HERE, answer_of, unpacked

OBJECTIVES = (
    "mean",
    "cvar(1/4)",
    "1/2*mean + 1/2*cvar(1/10)",
    "1/4*mean + 1/4*cvar(1/10) + 1/2*cvar(1/2)",
    "var(1/4)",
    "var(1/2,upper)",
    "hazard(1/2)",
    "dual(2)",
    "wang(3/4)",
    "wang(-1/2)",
    "cpw(71/100)",
)
PLAN = """
import json, sys, time
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
        for _ in range(2):
            began = time.process_time()
            plan = vr.plan(mdp, vr.objective(text), **options)
            law = plan.law
            spent = time.process_time() - began
        ends = [str(x) for x in (plan.lower, plan.upper)]
        found[name + " " + text] = [repr(plan.value), *ends, [[str(z), str(p)] for z, p in law]], spent
print(json.dumps(found))
"""
Found: TypeAlias = dict[str, tuple[list[str], float]]


def difference(old: list[str], new: list[str]) -> str:
    """How two plans differ, in words."""
    if old[1:3] == new[1:3]:
        return "same bounds, another policy as good" if old[0] == new[0] else "same bounds"
    gaps = [float(Fraction(plan[2]) - Fraction(plan[1])) for plan in (old, new)]
    return f"gap {gaps[0]:.2e} before, {gaps[1]:.2e} now"


def main() -> None:
    commit = sys.argv[1]
    with unpacked(commit) as folder:
        old: Found = answer_of(folder, PLAN, OBJECTIVES)
    new: Found = answer_of(HERE, PLAN, OBJECTIVES)
    assert old.keys() == new.keys()
    models = len(old) // len(OBJECTIVES)
    print(f"{'plans equal to those of ' + commit:<46} {'equal':>8} {'time, now/before':>17}")
    for text in OBJECTIVES:
        rows = [key for key in old if key.split(" ", 1)[1] == text]
        other = {key: difference(old[key][0], new[key][0]) for key in rows if old[key][0] != new[key][0]}
        before, now = (sum(found[key][1] for key in rows) for found in (old, new))
        print(f"{text:<46} {models - len(other):>3} of {models} {now / before:>17.2f}")
        for key, words in other.items():
            print(f"    {key.split(' ', 1)[0]}: {words}")


if __name__ == "__main__":
    main()
