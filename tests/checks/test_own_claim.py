"""A user's own claim: stated in ten lines, searched, shrunk, certified, reported; and the pytest option."""

import os
import re
import subprocess
import sys
import tomllib
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import entry_points
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import strategies as st

import verified_risk as vr
from proofs_checks import recheck
from proofs_checks.cases import strategies
from proofs_checks.engine import audit, certificate, search
from proofs_checks.engine.model import Claim, Statement, Verdict, at_most
from proofs_checks.engine.search import conjecture
from proofs_checks.report import markdown
from verified_risk.cli import main

pytest_plugins = ["pytester"]


@dataclass(frozen=True)
class Case:
    mdp: vr.MDP
    alpha: Fraction


CLAIM = Statement(
    label="mine:markov",
    title="Markov policies suffice for CVaR",
    section="my notes",
    printed=Claim(
        "", "The best Markov policy attains the optimal CVaR.", lambda case: best_markov(case) - optimum(case)
    ),
    corrected=Claim("", "The best Markov policy is at most optimal.", lambda case: optimum(case) - best_markov(case)),
    finding="substance",
    cases=lambda: st.builds(
        Case, strategies.mdps(max_states=1, min_actions=2, min_horizon=2, max_horizon=2), strategies.levels()
    ),
    find_budget=1500,
)


def optimum(case):
    return vr.exact_plan(case.mdp, vr.CVaR(case.alpha)).value


def best_markov(case):
    tables = [[[a] for a in actions] for actions in product(range(2), repeat=case.mdp.horizon)]
    laws = [vr.return_law(case.mdp, vr.MarkovPolicy(case.mdp, table)) for table in tables]
    return max(vr.CVaR(case.alpha).of(law) for law in laws)


def test_a_users_claim_is_searched_shrunk_certified_and_reported(tmp_path):
    found = search.find_counterexample(CLAIM, seed=0)
    assert found is not None
    assert CLAIM.printed.verdict(found.case) is Verdict.REFUTED
    assert sum(len(action.reward_law) for _, _, action in found.case.mdp) <= 4  # small: two actions, few atoms
    assert re.search(r"one state, two actions, T = 2\n +action +pays\n +a +\S.*\n +b +\S.*\n", repr(found))
    assert [repr(action)[:21] for _, _, action in found.case.mdp] == ["Action(to {0: 1}, pay"] * 2

    path = tmp_path / "mine.json"
    certificate.save(CLAIM, found.case, path)
    stated = Statement(**{**vars(CLAIM), "counterexample": found.case})
    assert certificate.refutes(path, [stated])

    ledger = audit.run([stated], examples=30)
    assert "mine:markov" in markdown.page(ledger)
    assert [failure for failure in ledger.failures if "standalone checker" not in failure] == []


@pytest.mark.parametrize("where", ["processes", "cluster"])
def test_a_claim_of_ones_own_is_searched_elsewhere(where):
    """Claim and strategy are closures; shares add up, and the first counterexample ends the search."""
    distributed = pytest.importorskip("distributed")
    top = 40
    claims = {bound: Claim("", "small", lambda x, bound=bound: at_most(x, bound)) for bound in (top, top - 3)}
    cases = st.integers(0, top).map(lambda x: x if x < top else top)
    with ExitStack() as stack:
        given = {"jobs": 2}
        if where == "cluster":
            local = distributed.LocalCluster(1, threads_per_worker=1, processes=False, dashboard_address=None)
            given = {"cluster": stack.enter_context(local).scheduler_address}
        true, false = (conjecture(claim, cases, budget=30, **given) for claim in claims.values())
    assert (true.verdict, true.search.met, true.search.closest) == (Verdict.STANDS, 30, {"bound": 1})
    assert (false.verdict, false.found.case) == (Verdict.REFUTED, top - 2)


def test_a_new_audit_is_ready_to_run(pytester, monkeypatch, tmp_path):
    """Its test and its audit pass, its certificate rechecks, and its page shows the counterexample."""
    folder = tmp_path / "mine"
    done = CliRunner().invoke(main, ["new-audit", str(folder)])
    assert done.exit_code == 0, done.output
    wanted = {"README.md", "audit.html", "checks.py", "claims.py", "paper.md", "pool_median.json", "test_claims.py"}
    assert {path.name for path in folder.rglob("*") if path.is_file()} == wanted
    page = (folder / "audit.html").read_text("utf-8")
    assert "A. Author: On pooling returns" in page
    assert "0 with 1/3, 1 with 2/3" in page
    assert "Bastani" not in page
    assert CliRunner().invoke(main, ["new-audit", str(folder)]).exit_code == 2, "the folder exists"
    one = "test_claims.py::test_the_certificates_are_up_to_date_and_refute"
    monkeypatch.chdir(folder)
    ran = pytester.runpytest(*plugin(), one, "--audit-module", "claims", "--audit-examples", "5")
    ran.assert_outcomes(passed=3)
    file = str(folder / "certificates" / "pool_median.json")
    assert [recheck.main(["--checks", str(folder / "checks.py"), file]), recheck.main([file])] == [0, 2]
    edited = (folder / "checks.py").read_text("utf-8").replace('">="', '"<="')
    (folder / "checks.py").write_text(edited, "utf-8")
    assert recheck.main(["--checks", str(folder / "checks.py"), file]) == 1


def plugin():
    """Arguments that load the plugin if the installed package does not."""
    installed = entry_points(group="pytest11", name="verified_risk")
    return () if installed else ("-p", "proofs_checks.pytest_plugin")


def test_the_pytest_option_can_run_alone(pytester):
    pytester.makepyfile("def test_own(): assert False")
    result = pytester.runpytest(*plugin(), "--audit-only", "--audit-statement", "lem:key", "--audit-examples", "5")
    result.assert_outcomes(passed=1, deselected=1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--audit-statement", "lem:kye"), "no statement has the label 'lem:kye': did you mean lem:key"),
        (("--audit-module", "json"), "json.STATEMENTS is [], wanted a list of statements"),
        (("--audit-module", "nowhere"), "module 'nowhere' cannot be imported"),
        (("--audit-only",), "--audit-only needs at least one --audit-statement LABEL"),
        (("--audit-statement", "lem:key", "--audit-examples", "0"), "--audit-examples is 0, wanted a number from 1"),
    ],
)
def test_an_invalid_pytest_option_is_a_usage_error(pytester, words, said):
    pytester.makepyfile("def test_own(): pass")
    result = pytester.runpytest(*plugin(), *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()


def test_the_entry_points_register_strategies_and_the_pytest_option(tmp_path):
    """A distribution whose metadata has the two entry points of pyproject.toml, like the installed package."""
    root = Path(__file__).parents[2]
    points = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    metadata = tmp_path / "lib" / "audited-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: audited\nVersion: 1\n")
    lines = []
    for group in ("hypothesis", "pytest11"):
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in points[group].items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "test_theirs.py").write_text(
        "from hypothesis import given, settings\nimport verified_risk as vr\n"
        "@settings(max_examples=3, deadline=None)\n@given(...)\n"
        "def test_theirs(mdp: vr.MDP, law: vr.Law):\n    assert mdp.horizon >= 1 and sum(law.masses) == 1\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "--audit-statement", "def:pushforward", "--audit-examples", "5"]
    setting = {**os.environ, "PYTHONPATH": f"{tmp_path / 'lib'}{os.pathsep}{root}"}
    run = subprocess.run(command, cwd=tmp_path, env=setting, capture_output=True, text=True, check=False)
    assert "2 passed" in run.stdout, run.stdout + run.stderr
