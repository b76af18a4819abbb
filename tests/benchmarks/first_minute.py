"""``python tests/benchmarks/first_minute.py``: CPU seconds of first calls, before and after anything is compiled.

Every call runs in a process of its own, from starting Python to the answer.  *Cold* has an empty directory for compiled
kernels, *warm* has what the cold call left there.  *Starting* is ``import numpy`` alone, *read* a large model alone.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

BENCHMARKS = Path(__file__).parent
HERE = f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r}); "
LARGE = "from arrays import matrices; mdp = vr.MDP.from_arrays(matrices({}, 4, 10), {}, horizon={}, initial=0); "
REWARDS = "__import__('numpy').random.default_rng(1).integers(0, 5, ({}, 4))"
CALLS = {
    "starting": "import numpy",
    "plan a lake, cvar(1/4)": "vr.plan(vr.models.frozen_lake(), 'cvar(1/4)')",
    "plan a lake, wang(3/4)": "vr.plan(vr.models.frozen_lake(), 'wang(3/4)')",
    "plan 100 states, T = 50": HERE + LARGE.format(100, REWARDS.format(100), 50) + "vr.plan(mdp, 'cvar(1/4)')",
    "read 5000 states, T = 20": HERE + LARGE.format(5000, REWARDS.format(5000), 20),
    "plan 5000 states, T = 20": HERE + LARGE.format(5000, REWARDS.format(5000), 20) + "vr.plan(mdp, 'cvar(1/4)')",
    "learn a lake, 500 episodes": "vr.learn(vr.models.frozen_lake(), 'cvar(1/4)', episodes=500)",
    "learn a lake, 20,000 episodes": "vr.learn(vr.models.frozen_lake(), 'cvar(1/4)', episodes=20000)",
}


def seconds(code: str, place: str) -> float:
    """CPU seconds of a process, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    setting = {**os.environ, "NUMBA_CACHE_DIR": place, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    text = code if code.startswith("import numpy") else f"import verified_risk as vr; {code}"
    subprocess.run([sys.executable, "-c", text], check=True, env=setting)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    print(f"{'CPU seconds':32} {'cold':>7} {'warm':>7}")
    for name, code in CALLS.items():
        with tempfile.TemporaryDirectory() as place:
            cold = seconds(code, place)
            warm = min(seconds(code, place) for _ in range(2))
        print(f"{name:32} {cold:7.2f} {warm:7.2f}", flush=True)


if __name__ == "__main__":
    main()
