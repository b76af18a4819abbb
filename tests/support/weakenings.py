"""Planted faults that weaken a check or a bound without breaking an answer of today, and the tests that notice them.

    python tests/support/weakenings.py [NAME ...]

runs the named ones (all by default) and prints the table.  Each fault is written into a copy of the packages and the
tests in a temporary folder, so that compiled kernels, fixtures and subprocesses see it too.  A fault whose text has
gone from its file is an error of the table.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from weakenings_bounds import BOUNDS
from weakenings_checks import CHECKS
from weakenings_evidence import WEAKER
from weakenings_learner import LEARNER
from weakenings_models import MODELS
from weakenings_proving import PROVING
from weakenings_runs import RUNS
from weakenings_search import SEARCH
from weakenings_terms import TERMS

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("verified_risk", "proofs_checks", "tests", "docs")
FILES = ("pyproject.toml", "README.md", "Makefile", "CITATION.cff", "CHANGELOG.md")
BUILT = shutil.ignore_patterns("*.vo", "*.vok", "*.vos", "*.glob", "*.aux", "_build")


@dataclass(frozen=True)
class Weakening:
    """``old`` becomes ``new`` in ``file``; one of ``tests`` (what pytest is called with) must then fail."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def occurrences(self) -> int:
        return (ROOT / self.file).read_text(encoding="utf-8").count(self.old)


INCUMBENTS = "tests/planning/test_search_incumbents.py"
BETWEEN = "tests/planning/test_plan_between.py::test_cost_vectors_and_ranges_enclose_what_policies_do"
VERDICTS = "tests/checks/test_verdicts.py"
CONSTANTS = "tests/planning/test_error_constants.py"
SHOWN = "tests/model/test_shown.py"
TOUCHED = "tests/checks/test_touched_statements.py"
SIGNED = "tests/checks/test_signed_certificates.py"

WEAKENINGS = (
    Weakening(
        "between grid points, half of a bend is corrected",
        "verified_risk/kernels/between.py",
        "d[b] += bend * max(sign * (r0[b] - 2.0 * r1[b] + r2[b]), 0.0)",
        "d[b] += 0.5 * bend * max(sign * (r0[b] - 2.0 * r1[b] + r2[b]), 0.0)",
        (BETWEEN,),
    ),
    Weakening(
        "between grid points, the mean takes the last action of a cell",
        "verified_risk/kernels/between_contract.py",
        "if a != reference[t, s] and not last and low > 0.0",
        "if a != reference[t, s] and low > 0.0",
        ("tests/planning/test_plan_between.py::test_no_cell_loses_its_last_action_to_the_mean",),
    ),
    Weakening(
        "between grid points, a node met from the start belongs to the cell on its right",
        "verified_risk/kernels/between_contract.py",
        "if share[o] == 0.0 and j == 0 and cell > 0:",
        "if share[o] < 0.0 and j == 0 and cell > 0:",
        (
            "tests/planning/test_plan_between.py::test_a_node_that_is_met_from_the_start_belongs_to_the_cell_on_its_left",
        ),
    ),
    Weakening(
        "a jump is passed one coordinate too early",
        "verified_risk/planning/search/route.py",
        "return int(quantile.upper), past_the_jump",
        "return int(quantile.upper) - 1, past_the_jump",
        ("tests/planning/test_plan_jumps.py",),
    ),
    Weakening(
        "a record is believed that every policy has passed a jump",
        "verified_risk/planning/recheck/rational.py",
        "return not jump.reached_by(",
        "return True or not jump.reached_by(",
        ("tests/planning/test_plan_jumps.py::test_a_record_that_claims_too_much_is_not_believed",),
    ),
    Weakening(
        "a reward of a probability below every float is forgotten",
        "verified_risk/planning/tails/route.py",
        "min(float(step.prob.min()) for step in model.steps)",
        "min(float(step.prob[step.prob > 0].min()) for step in model.steps)",
        ("tests/planning/test_plan_edges.py::test_a_reward_of_a_probability_below_every_float_is_not_forgotten",),
    ),
    Weakening(
        "returns to be listed are counted as if there were one action",
        "verified_risk/planning/policy_law.py",
        "return max(_cells(mdp, _own_unit(mdp), _branches_of_all(mdp)))",
        "return max(_cells(mdp, _own_unit(mdp), _branches(mdp)))",
        ("tests/planning/test_plan_edges.py::test_the_actions_of_all_policies_are_counted_before_returns_are_listed",),
    ),
    Weakening(
        "between grid points, nodes of a table of CDFs are clipped to [0, 1]",
        "verified_risk/kernels/between_contract.py",
        "x = ends[end, b] - sign * (ends[2, b] + eps)",
        "x = min(max(ends[end, b] - sign * (ends[2, b] + eps), 0.0), 1.0)",
        (BETWEEN,),
    ),
    Weakening(
        "a leaf that cannot be branched is forgotten",
        "verified_risk/planning/search/branching.py",
        "leaf = min(leaf, node.bound)",
        "pass",
        (INCUMBENTS,),
    ),
    Weakening(
        "siblings share the actions that were ruled out",
        "verified_risk/planning/search/branching.py",
        "                self.oracle.allowed[:] = kept",
        "                pass",
        (INCUMBENTS,),
    ),
    Weakening(
        "the lower child ends before the cut",
        "verified_risk/planning/search/branching.py",
        "child.high[i - self.reach] = min(child.high[i - self.reach], cut)",
        "child.high[i - self.reach] = min(child.high[i - self.reach], 0.9 * cut)",
        (INCUMBENTS,),
    ),
    Weakening(
        "a margin of 1e-20 refutes nothing",
        "verified_risk/numbers/enclosure.py",
        "return Truth.FAILS if high < 0 else Truth.UNKNOWN",
        "return Truth.FAILS if high < -Fraction(1, 10**20) else Truth.UNKNOWN",
        (VERDICTS,),
    ),
    Weakening(
        "a negative slack of 1e-20 holds",
        "verified_risk/numbers/enclosure.py",
        "    if low >= 0:\n        return Truth.HOLDS",
        "    if low >= -Fraction(1, 10**20):\n        return Truth.HOLDS",
        (VERDICTS,),
    ),
    Weakening(
        "an undecided case does not count",
        "proofs_checks/engine/search.py",
        "return Verdict.STANDS if self.met and not self.unknown else Verdict.UNKNOWN",
        "return Verdict.STANDS if self.met else Verdict.UNKNOWN",
        (VERDICTS,),
    ),
    Weakening(
        "an undecided case refutes",
        "proofs_checks/engine/search.py",
        "        if verdict_of(slack) is Verdict.REFUTED:",
        "        if verdict_of(slack) is not Verdict.STANDS:",
        (VERDICTS,),
    ),
    Weakening(
        "one hit in two thousand is enough",
        "proofs_checks/engine/audit.py",
        "LEAST_SHARE_MET = 20",
        "LEAST_SHARE_MET = 2000",
        (VERDICTS,),
    ),
    Weakening(
        "an enumeration may meet nothing",
        "proofs_checks/engine/audit.py",
        "if statement.small_size and not small.met:",
        "if statement.small_size and not small.tried:",
        (VERDICTS,),
    ),
    Weakening(
        "a search may meet nothing",
        "proofs_checks/engine/audit.py",
        "    if met < wanted:",
        "    if met < 0 * wanted:",
        (VERDICTS,),
    ),
    Weakening(
        "a proof is stale only if all its parts are",
        "proofs_checks/evidence/coq/record.py",
        "if any(is_stale(theorem, folder) for theorem in theorems):",
        "if all(is_stale(theorem, folder) for theorem in theorems):",
        (VERDICTS,),
    ),
    Weakening(
        "a recorded digest is compared in part",
        "proofs_checks/evidence/coq/record.py",
        'return bool(_digests(folder).get(theorem["file"]) != theorem["sha256"])',
        'return bool(_digests(folder)[theorem["file"]][:12] != theorem["sha256"][:12])',
        (VERDICTS,),
    ),
    Weakening(
        "names of lemmas are not compared between Coq files",
        "proofs_checks/evidence/coq/source.py",
        "if sentence.split(None, 1)[0] in (*_PROVED, *_DEFINED)",
        "if sentence.split(None, 1)[0] in _DEFINED",
        ("tests/checks/test_formal_record.py::test_a_name_that_a_second_file_takes_is_seen",),
    ),
    Weakening(
        "a solver's digest is compared in part",
        "proofs_checks/evidence/solver/record.py",
        'digest(path) != row["sha256"]',
        'digest(path)[:16] != row["sha256"][:16]',
        (VERDICTS,),
    ),
    Weakening(
        "a certificate's digest is compared in part",
        "proofs_checks/recheck/certificate.py",
        'if digest(data) != data["sha256"]:',
        'if digest(data)[:32] != data["sha256"][:32]:',
        (SIGNED,),
    ),
    Weakening(
        "a certificate's rewards may reach 2",
        "proofs_checks/recheck/paths.py",
        "require(all(0 <= r <= 1 for state",
        "require(all(0 <= r <= 2 for state",
        (SIGNED,),
    ),
    Weakening(
        "a certificate's rewards may be negative",
        "proofs_checks/recheck/paths.py",
        "require(all(0 <= r <= 1 for state",
        "require(all(-1 <= r <= 1 for state",
        (SIGNED,),
    ),
    Weakening(
        "a printed gap is rounded to nearest",
        "verified_risk/numbers/shown.py",
        "rounded = _context(digits, ROUND_CEILING)",
        "rounded = _context(digits, ROUND_HALF_EVEN)",
        (SHOWN,),
    ),
    Weakening(
        "a printed lower bound is rounded to nearest",
        "verified_risk/numbers/shown.py",
        "str(x) if _is_short(x) else _decimal(x, ROUND_FLOOR)",
        "str(x) if _is_short(x) else _decimal(x, ROUND_HALF_EVEN)",
        (SHOWN,),
    ),
    Weakening(
        "a printed upper bound is rounded to nearest",
        "verified_risk/numbers/shown.py",
        "str(x) if _is_short(x) else _decimal(x, ROUND_CEILING)",
        "str(x) if _is_short(x) else _decimal(x, ROUND_HALF_EVEN)",
        (SHOWN,),
    ),
    Weakening(
        "bounds that are nearly equal meet exactly",
        "verified_risk/planning/plan.py",
        "{span(self.lower, self.upper) if self.gap else exactly}",
        "{span(self.lower, self.upper) if self.gap > 1e-12 else exactly}",
        (SHOWN,),
    ),
    Weakening(
        "the command calls a small gap exact",
        "verified_risk/cli/plan.py",
        "    if answer.gap == 0:\n",
        "    if answer.gap < 1e-12:\n",
        (SHOWN,),
    ),
    Weakening(
        "a notebook calls a small gap exact",
        "verified_risk/plotting/html.py",
        "span = exactly if plan.gap == 0 else",
        "span = exactly if plan.gap < 1e-12 else",
        (SHOWN,),
    ),
    Weakening(
        "the constant of an action is rounded for nothing",
        "verified_risk/grid/floats.py",
        "return self.horizon * (self.branches + 4) + terms + 3",
        "return self.horizon * (self.branches + 4)",
        (CONSTANTS,),
    ),
    Weakening(
        "half of the roundings of a step",
        "verified_risk/grid/floats.py",
        "return self.horizon * (self.branches + 4) + terms + 3",
        "return self.horizon * (self.branches + 4) // 2 + terms + 3",
        (CONSTANTS,),
    ),
    Weakening(
        "the law's roundings do not grow with the terms",
        "verified_risk/planning/forward.py",
        "return model.horizon * (min(incoming, 2**40) + 6)",
        "return model.horizon * 6",
        (CONSTANTS,),
    ),
    Weakening(
        "underflow counts one operation",
        "verified_risk/planning/rounding.py",
        "return 4 * self.depth * (self.size + 1) * SMALLEST_NORMAL",
        "return 4 * (self.size + 1) * SMALLEST_NORMAL",
        (CONSTANTS,),
    ),
    Weakening(
        "underflow forgets the size of what is weighed",
        "verified_risk/planning/rounding.py",
        "return 4 * self.depth * (self.size + 1) * SMALLEST_NORMAL",
        "return 4 * self.depth * SMALLEST_NORMAL",
        (CONSTANTS,),
    ),
    Weakening(
        "limbs take twice the largest weights",
        "verified_risk/planning/exact/limbs.py",
        "LARGEST_SUM = 2**32",
        "LARGEST_SUM = 2**33",
        (CONSTANTS,),
    ),
    Weakening(
        "a limb too few is enough",
        "verified_risk/planning/exact/limbs.py",
        "if largest >= 1 << (BITS * limbs):",
        "if largest > 1 << (BITS * limbs):",
        (CONSTANTS,),
    ),
    Weakening(
        "a claim that is tight holds with 1.01 times its constant",
        "proofs_checks/theory/closeness/lem_genbound_cdf.py",
        "return least(expected(pair, cost), expected_in_twin(pair, cost)) - distance(pair)",
        "return Fraction(101, 100) * least(expected(pair, cost), expected_in_twin(pair, cost)) - distance(pair)",
        (f"{TOUCHED}::test_the_enumeration_says_what_it_said[lem:genbound/cdf]",),
    ),
    Weakening(
        "the greedy policy's bound is dropped, its optimality stays",
        "proofs_checks/theory/closeness/l2_greedy.py",
        "return least(bound - (attained - phi(weighting, mdp, policy)), attained - best.value, best.value - attained)",
        "return least(attained - best.value, best.value - attained)",
        (f"{TOUCHED}::test_the_enumeration_says_what_it_said[L2/greedy]",),
    ),
    Weakening(
        "the rough bound of the optimistic model need not exceed the sharp one",
        "proofs_checks/theory/closeness/l2_optimistic.py",
        "phi(case.weighting, mdp, policy)), second - first, attained - best.value)",
        "phi(case.weighting, mdp, policy)), attained - best.value)",
        (f"{TOUCHED}::test_a_long_enumeration_begins_as_it_did[L2/optimistic]",),
    ),
    *(Weakening(*row) for row in (*SEARCH, *TERMS, *BOUNDS, *LEARNER, *MODELS, *PROVING, *CHECKS, *RUNS, *WEAKER)),
)


def killed(weakening: Weakening) -> str | None:
    """The first test that fails under the fault; None if all of them pass."""
    if weakening.occurrences() != 1:
        raise LookupError(f"{weakening.old!r} occurs {weakening.occurrences()} times in {weakening.file}, wanted once")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name in COPIED:
            shutil.copytree(ROOT / name, place / name, ignore=BUILT)
        for name in FILES:
            shutil.copy(ROOT / name, place / name)
        changed = place / weakening.file
        changed.write_text(changed.read_text(encoding="utf-8").replace(weakening.old, weakening.new), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *weakening.tests]
        environment = {**os.environ, "PYTHONPATH": str(place)}
        done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise LookupError(f"pytest ended with {done.returncode}: {(done.stdout + done.stderr)[-500:]}")
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    return failed[0].removeprefix("FAILED ") if failed else None


def main(names: list[str]) -> int:
    """Print the table; exit status 1 if a fault survives."""
    chosen = [weakening for weakening in WEAKENINGS if not names or weakening.name in names]
    survivors = 0
    print("| fault | file | noticed by | seconds |\n|---|---|---|---|")
    for weakening in chosen:
        start = time.perf_counter()
        killer = killed(weakening)
        survivors += killer is None
        seconds = time.perf_counter() - start
        print(f"| {weakening.name} | {weakening.file} | {killer or '**SURVIVED**'} | {seconds:.1f} |", flush=True)
    print(f"\n{len(chosen)} faults, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
