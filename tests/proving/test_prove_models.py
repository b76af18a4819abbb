"""Every named model, every family of objectives, every route of the planner: proved, or said not to be covered."""

from __future__ import annotations

import io
import subprocess
from fractions import Fraction

import pytest
from proof_files import FOLDER, certificate_text, is_true, read, verdicts

import verified_risk as vr
from proofs_checks.evidence.coq.record import unproved
from verified_risk import errors
from verified_risk.proving import Proved, write_coq
from verified_risk.proving.proved import AXIOMS
from verified_risk.proving.reader import read_certificate
from verified_risk.proving.run_checker import run_checker

ONE_PASS = ("mean", "cvar(1/4)", "1/2*mean + 1/2*cvar(1/10)", "var(1/4)", "var(1/4, upper)")
SPECTRAL = "1/3*cvar(1/20) + 1/3*cvar(1/5) + 1/3*cvar(1/2)"
SEARCHED = (SPECTRAL, "pl(0, 0; 1/4, 0; 1, 1)", "pl(0, 0; 1/4, 1/2; 3/4, 1/2; 1, 1)")
NOT_COVERED = ("wang(21/2)", "cpw(0.7071)", "hazard(1/1001)", "1/2*wang(21/2) + 1/2*var(0, upper)")
SHORT = ("two_paths", "frozen_lake", "machine_replacement", "gamblers_ruin", "inventory")


@pytest.mark.parametrize("objective", ONE_PASS)
@pytest.mark.parametrize("name", vr.models.NAMES)
def test_plans_of_one_pass_are_proved_at_their_own_bounds(name, objective):
    for route in (vr.plan, vr.exact_plan):
        plan = route(vr.models.load(name), objective)
        proved = plan.prove()
        assert (proved.lower, proved.upper, proved.note) == (plan.lower, plan.upper, "")
        assert proved.axioms == AXIOMS


@pytest.mark.parametrize("objective", SEARCHED)
@pytest.mark.parametrize("name", SHORT)
def test_searched_plans_are_proved_at_their_own_bounds(name, objective):
    plan = vr.plan(vr.models.load(name), objective, gap="1/1000")
    proved = plan.prove()
    assert (proved.lower, proved.upper, proved.note) == (plan.lower, plan.upper, "")


@pytest.mark.parametrize("name", SHORT)
def test_exact_plans_of_several_levels_are_proved_exactly(name):
    plan = vr.exact_plan(vr.models.load(name), SPECTRAL)
    proved = plan.prove()
    assert proved.lower == proved.upper == plan.value


@pytest.mark.parametrize("eta", ["1/3", "2/7", "1"])
@pytest.mark.parametrize("objective", ["mean", "cvar(1/4)", "var(1/3)", SPECTRAL])
def test_plans_on_a_grid_that_rounds_are_proved(objective, eta):
    plan = vr.plan(vr.models.frozen_lake(), objective, eta=eta, gap="1/100")
    proved = plan.prove()
    assert (proved.lower, proved.upper, proved.note) == (plan.lower, plan.upper, "")


@pytest.mark.parametrize("objective", NOT_COVERED)
def test_what_is_not_covered_is_said(objective):
    plan = vr.plan(vr.models.two_paths(), objective, gap="1/100")
    with pytest.raises(errors.Unsupported, match="not covered"):
        plan.prove()
    assert plan.proved is None


def test_a_plan_shows_that_it_was_proved():
    plan = vr.exact_plan(vr.models.two_paths(), "cvar(1/2)")
    assert "proved" not in str(plan) + plan._repr_html_()
    proved = plan.prove()
    assert isinstance(proved, Proved)
    assert plan.proved is proved
    assert "proved     by check_sound" in str(plan)
    assert "proved</th>" in plan._repr_html_()
    assert "by check_sound (Coq" in plan._repr_html_()
    assert str(proved).startswith(f"proved: best over all policies = {plan.value}, ")


def test_a_saved_plan_remembers_its_proof_and_is_not_believed(tmp_path):
    plan = vr.plan(vr.models.two_paths(), "cvar(1/4)")
    plan.prove()
    plan.save(tmp_path / "plan.json")
    loaded = vr.Plan.load(tmp_path / "plan.json")
    assert loaded.proved is None
    assert "proved     before it was saved, says its file" in str(loaded)
    assert loaded.prove().note == ""
    assert "proved     by check_sound" in str(loaded)
    forged = vr.Plan.from_json({**plan.to_json(), "proved": {"statement_sha256": "0" * 64}})
    assert "something else was proved" in forged.prove().note
    with pytest.raises(errors.InvalidFile, match="'proved' of the plan is 'yes'"):
        vr.Plan.from_json({**plan.to_json(), "proved": "yes"})


def test_a_plan_from_a_file_is_proved_as_well(tmp_path):
    vr.plan(vr.models.machine_replacement(), "cvar(1/10)").save(tmp_path / "plan.json")
    plan = vr.Plan.load(tmp_path / "plan.json")
    proved = plan.prove(certificate=tmp_path / "kept.txt")
    assert (proved.lower, proved.upper) == (plan.lower, plan.upper)
    (line,) = verdicts([(tmp_path / "kept.txt").read_text()], tmp_path)
    assert line.startswith("proved")
    assert read((tmp_path / "kept.txt").read_text()).lower == plan.lower


def test_the_judge_of_these_tests_knows_a_false_claim(tmp_path):
    text = certificate_text(vr.exact_plan(vr.models.two_paths(), "cvar(1/2)"), tmp_path)
    claim = text.splitlines()[2]
    assert is_true(text)
    assert not is_true(text.replace(claim, "claim 1 999/1000"))
    assert not is_true(text.replace(claim, "claim 1001/1000 2"))


def test_what_the_checker_says_of_a_wrong_bound_is_read_as_facts(tmp_path):
    file = tmp_path / "kept.txt"
    vr.exact_plan(vr.models.two_paths(), "cvar(1/2)").prove(certificate=file)
    claim = file.read_text().splitlines()[2]
    said = []
    for claimed in (claim, "claim 1001/1000 2", "claim 1 999/1000"):
        wrong = tmp_path / "wrong.txt"
        wrong.write_text(file.read_text().replace(claim, claimed))
        answer = run_checker(wrong, 10)
        said.append((answer.proved, answer.refuses_lower, answer.not_covered, answer.provable))
    assert said == [(True, False, False, None), (False, True, False, 1), (False, False, False, None)]


def test_the_claim_of_a_plan_that_is_wrong_is_refused():
    plan = vr.exact_plan(vr.models.frozen_lake(), "cvar(1/4)")
    small = Fraction(1, 10**12)
    for lower, upper in ((plan.value + small, plan.value + small), (plan.value - small, plan.value - small)):
        wrong = vr.Plan.from_json({**plan.to_json(), "lower": str(lower), "upper": str(upper), "value": str(lower)})
        with pytest.raises(errors.NotProved, match="bound"):
            wrong.prove()


def test_the_coq_file_holds_the_certificate_and_admits_nothing(tmp_path):
    for objective in ("cvar(1/4)", "1/2*mean + 1/2*dual(2)", "1/2*mean + 1/2*var(1/3, upper)"):
        plan = vr.plan(vr.models.two_paths(), objective, gap="1/4")
        proved = plan.prove()
        write_coq(plan, tmp_path / "plan.v")
        text = (tmp_path / "plan.v").read_text()
        assert unproved(text) == []
        assert (text.count("Proof."), text.count("Qed.")) == (2, 2)
        assert text.endswith("\nPrint Assumptions the_plan_is_right.\n")
        _, held, _ = text.split('"')
        assert held.startswith("verified-risk-proof ")
        assert f"\nclaim {proved.lower} {proved.upper}\n" in held
        with io.BytesIO(held.encode("ascii")) as file:
            assert read_certificate(file) == "proved"
    with pytest.raises(errors.Unsupported, match="cells"):
        write_coq(vr.plan(vr.models.river_swim(), "1/2*mean + 1/2*cvar(1/4)"), tmp_path / "large.v")
    assert not (tmp_path / "large.v").exists()


COIN = vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], horizon=1)


def _compiled_proofs() -> bool:
    return all(path.with_suffix(".vo").exists() for path in FOLDER.glob("*.v"))


@pytest.mark.skipif(not _compiled_proofs(), reason="the Coq proofs are not compiled: `make proofs`")
def test_coq_accepts_the_file_and_extraction_reproduces_the_source(tmp_path):
    short = vr.models.two_paths()
    fading = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", 1: "1/2"}, {"1/3": 1}]], horizon=2, discount="9/10")
    plans = (
        vr.plan(short, "cvar(1/4)"), vr.exact_plan(short, SPECTRAL), vr.plan(short, "var(1/3)"),
        vr.plan(fading, "cvar(1/2)", eta="1/4"), vr.plan(short, "1/2*dual(3/2) + 1/2*var(1/3)", gap="1/4"),
        vr.plan(vr.MDP(0, [[[1]]], [[{"1/2": 1}]], horizon=1), "dual(3/2)", eta="1/3"),
        vr.plan(short, "1/2*dual(2) + 1/4*var(1/4) + 1/4*var(1/3, upper)", gap="1/4"),
        vr.plan(COIN, "1/2*mean + 1/2*var(1/2)", gap="1/4"), vr.plan(COIN, "1/2*mean + 1/2*var(0, upper)", gap="1/4"),
    )  # fmt: skip
    for i, plan in enumerate(plans):
        write_coq(plan, tmp_path / f"plan{i}.v")
        command = ["coqc", "-w", "-ambiguous-paths", "-Q", FOLDER.parent, "VerifiedRisk", tmp_path / f"plan{i}.v"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found = {line.split()[0] for line in done.stdout.splitlines() if line[:1].isalpha() and line != "Axioms:"}
        assert found == set(AXIOMS)
    done = subprocess.run(["sh", FOLDER / "extract.sh", "check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_certificate_keeps_the_users_model(tmp_path):
    mdp = vr.models.gamblers_ruin()
    file = read(certificate_text(vr.exact_plan(mdp, "mean"), tmp_path))
    for s, actions in file.steps[0]:
        for a, outcomes in enumerate(actions):
            mine = {(p, target, Fraction(gain, file.denominator)) for p, gain, target in outcomes}
            assert mine == set(mdp.actions(s)[a].outcomes)
    assert len(file.steps) == mdp.horizon
