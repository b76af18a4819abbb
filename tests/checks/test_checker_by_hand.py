"""The extracted checker on a two-state model worked by hand, and its source against extraction.

``hand_test.ml`` calls the extracted code directly, without the reader: exact bounds are accepted, bounds tightened by a
thousandth, changed probabilities, actions, windows, multipliers and weights are refused, each for the reason named.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from patience import PATIENCE

CHECKER = Path(__file__).parents[2] / "proofs_checks" / "formal" / "checker"
LEAST_ANSWERS = 40


def _has_zarith() -> bool:
    if shutil.which("ocamlfind") is None or shutil.which("ocamlopt") is None:
        return False
    return subprocess.run(["ocamlfind", "query", "zarith"], capture_output=True).returncode == 0


@pytest.mark.skipif(not _has_zarith(), reason="OCaml with zarith is not installed: make checker says how")
def test_every_answer_is_the_one_worked_out_by_hand(tmp_path: Path) -> None:
    sources = ["integer.ml", "checker.ml", "hand_test.ml"]
    for name in sources:
        shutil.copy(CHECKER / "extracted" / name, tmp_path)
    build = ["ocamlfind", "ocamlopt", "-package", "zarith", "-linkpkg", "-w", "-a", *sources, "-o", "hand_test"]
    subprocess.run(build, cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)
    done = subprocess.run([tmp_path / "hand_test"], capture_output=True, text=True, timeout=PATIENCE)
    assert "WRONG" not in done.stdout, done.stdout
    assert done.returncode == 0
    assert done.stdout.count("ok: ") >= LEAST_ANSWERS


@pytest.mark.skipif(
    shutil.which("coqc") is None or not (CHECKER / "Verdict.vo").exists() or not (CHECKER / "Directives.vo").exists(),
    reason="the proofs are not compiled here: make proofs",
)
def test_extraction_reproduces_the_source() -> None:
    done = subprocess.run(["sh", CHECKER / "extract.sh", "check"], capture_output=True, text=True, timeout=PATIENCE)
    if "inconsistent assumptions" in done.stderr:
        pytest.skip("the compiled proofs are older than their sources: make proofs")
    assert done.returncode == 0, done.stdout + done.stderr
