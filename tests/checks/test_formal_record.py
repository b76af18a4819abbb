"""The ledger of the machine-checked theorems: complete, fresh, and unable to pass off an assumption as a proof."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from proofs_checks import theory as statements
from proofs_checks.engine.model import Rank
from proofs_checks.evidence.coq import record as formal_record
from proofs_checks.evidence.coq import source as coq_source
from proofs_checks.evidence.coq.record import CLASSICAL_REALS, RECORD, TABLE
from proofs_checks.evidence.coq.source import FORMAL
from verified_risk.errors import InvalidFile, MissingDependency

FILES = list(coq_source.sources_in().values())
SOURCES = [path for path in FILES if not coq_source.is_setup(path)]
SETUPS = [path for path in FILES if coq_source.is_setup(path)]
SAME_NAME = {
    # The checker is a program with words of its own: its J is of a return, its backup and step are of integers, it
    # raises a bound of a box.  No file of proofs uses both meanings.
    "J": ["TailObjective.v", "CvarPlanner.v"],
    "backup": ["Program.v", "DynamicProgramming.v"],
    "step": ["Program.v", "Mdp.v"],
    "raise": ["PolygonCheck.v", "OptimisticModel.v"],
    # Inside the checker: sums of a curve's series, and tables read between nodes.
    "bend_of": ["CpwCurve.v", "Interpolation.v"],
    "mixture_of": ["Curves.v", "Interpolation.v"],
    "part": ["InterpolationCheck.v", "NormalCurve.v"],
}
"""The names that two files define."""
every_source = pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
every_theorem = pytest.mark.parametrize("theorem", formal_record.read(), ids=lambda theorem: theorem["theorem"])


def table() -> dict[str, formal_record.Entry]:
    return formal_record.read_table(TABLE.read_text(encoding="utf-8"))


# -- nothing is assumed -----------------------------------------------------------------------------------------------


@every_source
def test_a_source_assumes_nothing(path: Path) -> None:
    assert coq_source.unproved(coq_source.read(path)) == []


@pytest.mark.parametrize("path", SETUPS, ids=lambda path: path.name)
def test_a_set_up_only_names_things_and_is_shared(path: Path) -> None:
    """What sections load has variables and hypotheses and no proofs, and at least two files load it."""
    words = {sentence.split()[0] for sentence in coq_source.sentences(path.read_text(encoding="utf-8"))}
    assert words <= {"Context", "Variable", "Variables", "Hypothesis", "Let", "Load"}
    loaded = [other for other in FILES if path.name in coq_source.imports_of(other.read_text(encoding="utf-8"))]
    assert len(loaded) >= 2, loaded


def test_a_set_up_loaded_outside_a_section_is_seen(copy: Path) -> None:
    file = copy / "setting" / "QuantileInverse.v"
    text = file.read_text(encoding="utf-8")
    file.write_text(f'{text}\nSection B.\n  Load "setup/Lipschitz".\nEnd B.\n', encoding="utf-8")
    assert coq_source.unproved(coq_source.read(file, copy)) == []
    file.write_text(f'{text}\nLoad "setup/Lipschitz".\n', encoding="utf-8")
    assert len(coq_source.unproved(coq_source.read(file, copy))) == 3


def test_a_theorem_lists_the_hypotheses_that_its_section_loads() -> None:
    path = FORMAL / "regret" / "ConcaveLearner.v"
    _, context = coq_source.theorems_of(coq_source.read(path))["concave_learner_expected_regret"]
    assert "Hypothesis HM : is_mdp M." in context
    assert "Hypothesis HGL : lipschitz_weighting G L." in context


@pytest.mark.parametrize(
    "planted",
    [
        "Axiom choice : forall x : R, x = 0.",
        "Parameter secret : R.",
        "Conjecture easy : 0 < 1.",
        "Variable loose : R.",
        "Hypothesis loose : 0 = 1.",
        "Lemma hard : 0 = 1. Proof. Admitted.",
        "Lemma hard : 0 = 1. Proof. admit. Admitted.",
        "Section A. Variable x : R. End A. Variable y : R.",
        "#[local] Local Axiom choice : forall x : R, x = 0.",
        "Module A. Variable x : R. End A.",
        "Unset Guard Checking.",
        "#[bypass_check(guard)] Fixpoint f (n : nat) : False := f n.",
    ],
)
def test_the_guard_sees_a_planted_assumption(planted: str) -> None:
    text = (FORMAL / "setting" / "QuantileInverse.v").read_text(encoding="utf-8")
    assert coq_source.unproved(text) == []
    assert coq_source.unproved(f"{text}\n{planted}\n") != []
    assert coq_source.unproved(f"{text}\n(* {planted} *)\n") == []


def test_a_hypothesis_inside_a_section_is_part_of_the_theorem() -> None:
    text = "Section A. Variable x : R. Hypothesis Hx : 0 < x. Theorem here : 0 <= x. Proof. lra. Qed. End A."
    assert coq_source.unproved(text) == []
    assert coq_source.theorems_of(text) == {
        "here": ("Theorem here : 0 <= x.", ("Variable x : R.", "Hypothesis Hx : 0 < x."))
    }


def test_comments_and_nested_comments_are_not_source() -> None:
    assert coq_source.sentences("(* Axiom a : (* inner *) b. *) Lemma l : c. Proof.") == ["Lemma l : c.", "Proof."]


@every_theorem
def test_a_theorem_rests_on_the_classical_reals_alone(theorem: dict[str, Any]) -> None:
    assert set(theorem["axioms"]) <= CLASSICAL_REALS


def test_the_allowed_axioms_are_those_of_the_script() -> None:
    script = (FORMAL / "compile.sh").read_text(encoding="utf-8")
    assert set(re.findall(r'allowed\["([\w.]+)"\]', script)) == CLASSICAL_REALS


# -- complete and fresh -----------------------------------------------------------------------------------------------


def test_the_record_is_fresh() -> None:
    assert formal_record.stale(formal_record.read(), TABLE.read_text(encoding="utf-8")) == []
    assert formal_record.main(["--check"]) == 0


def test_every_printed_theorem_has_a_row_and_every_row_a_theorem() -> None:
    printed = coq_source.listed((FORMAL / "Assumptions.v").read_text(encoding="utf-8"))
    assert len(printed) >= 70
    assert set(table()) == set(printed) == {theorem["theorem"] for theorem in formal_record.read()}


def test_every_file_of_proofs_has_a_theorem_in_the_record_or_is_used_by_one() -> None:
    used = {name for theorem in formal_record.read() for name in theorem["depends_on"]}
    restated = {path.name for path in SOURCES if path.parent.name == "statements" or path.name.endswith("Statement.v")}
    assert {path.name for path in SOURCES} - restated - {"Assumptions.v", "Directives.v", "Verdict.v"} <= used


def test_every_row_is_about_statements_and_links_to_an_anchor() -> None:
    known = {statement.label: statement for statement in statements.ALL}
    for entry in table().values():
        file, _, anchor = entry.anchor.partition("#")
        assert f"({anchor})=" in (TABLE.parent / file).read_text(encoding="utf-8"), entry
        assert entry.hypotheses
        for role, label in entry.supports:
            assert label in known, entry
            if role in ("proves", "part"):
                assert known[label].true_claim is not None, entry
            if role == "refutes":
                assert known[label].should_be_refuted, entry


def test_what_is_not_machine_checked_is_listed_with_a_reason() -> None:
    """The last table of formal.md names the statements without a machine-checked proof, and no other."""
    text = TABLE.read_text(encoding="utf-8").partition("(formal-not-here)=")[2]
    reasons = dict(re.findall(r"^\| `([^`]+)` \| (.+) \|$", text, flags=re.MULTILINE))
    proved = {label for entry in table().values() for role, label in entry.supports if role in ("proves", "part")}
    assert set(reasons) == {s.label for s in statements.ALL if s.true_claim is not None} - proved
    assert all(len(reason.split()) >= 8 for reason in reasons.values())


def restates(path: Path) -> bool:
    """Whether a file writes definitions out again on purpose, so that a theorem can be read in it alone."""
    return path.parent.name == "statements" or path.name.endswith("Statement.v")


def names_defined_twice(folder: Path = FORMAL) -> dict[str, list[str]]:
    """The names that more than one file defines, with the files; files that restate definitions are left out."""
    found: dict[str, list[str]] = {}
    for file, path in coq_source.sources_in(folder).items():
        for name in () if restates(path) else coq_source.names_of(path.read_text(encoding="utf-8")):
            found.setdefault(name, []).append(file)
    return {name: files for name, files in found.items() if len(files) > 1}


def test_a_name_stands_for_one_thing_in_all_files() -> None:
    assert names_defined_twice() == SAME_NAME


def test_no_file_sees_two_definitions_of_one_name() -> None:
    """Not even those that files restate on purpose."""
    defined = {path.name: coq_source.names_of(path.read_text(encoding="utf-8")) for path in SOURCES}
    for path in SOURCES:
        if restates(path) or path.name == "Assumptions.v":
            continue
        seen: dict[str, str] = {}
        for file in (*coq_source.visible_to(path.name), path.name):
            for name in defined[file]:
                assert seen.setdefault(name, file) == file, f"{path.name} sees {name} of {seen[name]} and of {file}"


def test_a_name_that_a_second_file_takes_is_seen(copy: Path) -> None:
    with (copy / "event" / "Blocks.v").open("a") as file:
        file.write("Lemma E_bind : True. Proof. exact I. Qed.\n")
    assert names_defined_twice(copy) == {**SAME_NAME, "E_bind": ["Blocks.v", "FiniteLaw.v"]}


def test_a_proof_in_parts_has_more_than_one_part() -> None:
    labels = {label for entry in table().values() for role, label in entry.supports if role == "part"}
    proved = {label for entry in table().values() for role, label in entry.supports if role == "proves"}
    for label in labels - proved:
        assert sum(entry.does("part", label) for entry in table().values()) >= 2, label


@every_theorem
def test_the_recorded_text_is_in_the_source(theorem: dict[str, Any]) -> None:
    source = " ".join(coq_source.read(FORMAL / theorem["file"]).split())
    assert theorem["statement"] in source
    assert all(line in source for line in theorem["context"])


def test_the_project_lists_every_source() -> None:
    lines = (FORMAL / "_CoqProject").read_text(encoding="utf-8").splitlines()
    assert sorted(line for line in lines if line.endswith(".v")) == sorted(
        path.relative_to(FORMAL).as_posix() for path in SOURCES
    )


def test_two_files_of_one_name_are_refused(copy: Path) -> None:
    shutil.copy(copy / "foundations" / "Mdp.v", copy / "event")
    with pytest.raises(InvalidFile, match=r"event/Mdp\.v has the name of foundations/Mdp\.v"):
        coq_source.sources_in(copy)


def test_no_counterexample_needs_another() -> None:
    against = {path.name for path in SOURCES if re.search("Printed(False|Diverges)|Unbounded", path.name)}
    for path in SOURCES:
        if path.name in against:
            assert not against & set(coq_source.imports_of(path.read_text(encoding="utf-8"))), path.name


def test_files_that_are_required_are_depended_on() -> None:
    found = coq_source.depends_on("Augmentation.v")
    assert {"Augmentation.v", "Summary.v", "Mdp.v", "FiniteLaw.v", "Objective.v"} <= set(found)
    assert "CvarPlanner.v" not in found


# -- evidence ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for path in FILES:
        place = tmp_path / path.relative_to(FORMAL)
        place.parent.mkdir(exist_ok=True)
        shutil.copy(path, place)
    return tmp_path


def test_a_theorem_is_evidence_and_says_that_it_was_recorded() -> None:
    (piece,) = formal_record.machine_checked("lem:key")
    assert piece.rank is Rank.MACHINE_CHECKED
    recorded = next(theorem for theorem in formal_record.read() if theorem["theorem"] == "key_identity")
    assert piece.detail == (
        f"theorem key_identity (foundations/KeyIdentity.v, {recorded['sha256'][:12]}), axioms: classical reals; "
        "finite laws; recorded, not rechecked here"
    )
    (piece,) = formal_record.machine_checked("lem:key", compiled_now=True)
    assert "recorded" not in piece.detail


def test_parts_count_together() -> None:
    (piece,) = formal_record.machine_checked("lem:event/rewards")
    assert piece.rank is Rank.MACHINE_CHECKED
    assert re.match(r"theorems dkw \(event/DkwFinite\.v, \w{12}\), near_at_every_real \(", piece.detail)


@pytest.mark.parametrize("role", ["step", "refutes"])
def test_a_step_or_a_refutation_is_no_evidence_for_the_claim(role: str, tmp_path: Path) -> None:
    data = json.loads(RECORD.read_text(encoding="utf-8"))
    for theorem in data["theorems"]:
        theorem["supports"] = [[role, label] for _, label in theorem["supports"]]
    (tmp_path / "record.json").write_text(json.dumps(data), encoding="utf-8")
    assert formal_record.machine_checked("lem:key") != ()
    assert formal_record.machine_checked("lem:key", record=tmp_path / "record.json") == ()
    assert any(entry.does("refutes", "intro:key") for entry in table().values())
    names = " ".join(piece.detail for piece in formal_record.machine_checked("intro:key"))
    assert "no_improper_integral" not in names
    assert formal_record.machine_checked("no such label") == ()


def test_evidence_is_stale_when_the_source_or_what_it_depends_on_changes(copy: Path) -> None:
    (piece,) = formal_record.machine_checked("lem:key", folder=copy)
    assert piece.rank is Rank.MACHINE_CHECKED
    with (copy / "foundations" / "FiniteLaw.v").open("a") as file:
        file.write("(* a change *)\n")
    (piece,) = formal_record.machine_checked("lem:key", folder=copy)
    assert piece.rank is Rank.CITED
    assert piece.detail.startswith("stale")


def test_a_change_elsewhere_leaves_evidence_alone(copy: Path) -> None:
    with (copy / "cvar" / "CvarPlanner.v").open("a") as file:
        file.write("(* a change *)\n")
    assert formal_record.machine_checked("lem:key", folder=copy)[0].rank is Rank.MACHINE_CHECKED
    assert formal_record.machine_checked("cvar:min", folder=copy)[0].rank is Rank.CITED


def test_the_check_names_every_kind_of_difference(copy: Path) -> None:
    text, theorems = TABLE.read_text(encoding="utf-8"), formal_record.read()
    (copy / "foundations" / "FiniteLaw.v").write_text("", encoding="utf-8")
    assert any("has changed" in line for line in formal_record.stale(theorems, text, copy))
    lost = "\n".join(line for line in text.splitlines() if "`key_identity`" not in line)
    assert "key_identity has no row in formal.md" in formal_record.stale(theorems, lost)
    assert "key_identity is not recorded" in formal_record.stale(
        [theorem for theorem in theorems if theorem["theorem"] != "key_identity"], text
    )
    added = text.replace("`key_identity`", "`another_name`")
    assert "another_name has a row in formal.md, but is not printed" in formal_record.stale(theorems, added)
    reworded = text.replace("a finite law on [0, M], M >= 0;", "any law;")
    assert "key_identity: its row in formal.md has changed" in formal_record.stale(theorems, reworded)


def test_an_axiom_beyond_the_classical_reals_does_not_count(tmp_path: Path) -> None:
    data = json.loads(RECORD.read_text(encoding="utf-8"))
    for theorem in data["theorems"]:
        theorem["axioms"].append("Cheating.axiom")
    (tmp_path / "record.json").write_text(json.dumps(data), encoding="utf-8")
    (piece,) = formal_record.machine_checked("lem:key", record=tmp_path / "record.json")
    assert piece.rank is Rank.CITED
    assert "Cheating.axiom" in piece.detail


# -- reading and writing ----------------------------------------------------------------------------------------------


def output() -> str:
    """What compile.sh would print for the recorded axioms."""
    groups = {theorem["printed_with"]: theorem["axioms"] for theorem in formal_record.read()}
    lines = [f"{name}: {' '.join(axioms)}".rstrip() for name, axioms in groups.items()]
    return "The Coq Proof Assistant\n\nAssumptions of the main theorems:\n" + "\n".join(lines) + "\n"


def test_the_record_is_rebuilt_from_its_sources_and_the_output_of_the_script() -> None:
    built = formal_record.build(output(), TABLE.read_text(encoding="utf-8"))
    assert built["theorems"] == formal_record.read()


def test_new_words_need_no_compilation_and_a_new_proof_does(copy: Path) -> None:
    text = TABLE.read_text(encoding="utf-8")
    reworded = text.replace("a finite law on [0, M], M >= 0;", "any finite law;")
    again = formal_record.reword(formal_record.read(), reworded, copy)
    assert again is not None
    assert next(t for t in again["theorems"] if t["theorem"] == "key_identity")["hypotheses"].startswith("any finite")
    with (copy / "foundations" / "FiniteLaw.v").open("a") as file:
        file.write("(* a change *)\n")
    assert formal_record.reword(formal_record.read(), reworded, copy) is None


def test_a_missing_row_or_answer_stops_the_record() -> None:
    text = TABLE.read_text(encoding="utf-8")
    lost = "\n".join(line for line in text.splitlines() if "`key_identity`" not in line)
    with pytest.raises(InvalidFile, match=r"formal\.md has no row for key_identity"):
        formal_record.build(output(), lost)
    group = next(t["printed_with"] for t in formal_record.read() if t["theorem"] == "key_identity")
    silent = "\n".join(line for line in output().splitlines() if not line.startswith(f"{group}:"))
    with pytest.raises(InvalidFile, match=r"compile\.sh did not print it"):
        formal_record.build(silent, text)
    with pytest.raises(InvalidFile, match="no list of assumptions"):
        formal_record.build("nothing", text)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("| proves `lem:key` | `t` | h | [x](01-setting.md#key-identity) |", "has 4 cells, wanted 5"),
        ("| shows `lem:key` | `t` | h | d | [x](01-setting.md#key-identity) |", "wanted one of"),
        ("| proves `lem:key` | `t` | h | d | somewhere |", "without a link"),
    ],
)
def test_a_malformed_row_is_named(row: str, complaint: str) -> None:
    with pytest.raises(InvalidFile, match=complaint):
        formal_record.read_table(row)


def test_a_group_is_printed_for_its_members() -> None:
    text = "Definition both := (@first, @second).\nPrint Assumptions both.\nPrint Assumptions third."
    assert coq_source.listed(text) == {"first": "both", "second": "both", "third": "third"}


def test_without_coq_writing_says_what_to_install(copy: Path) -> None:
    (copy / "compile.sh").write_text("echo 'apt-get install coq' >&2; exit 2\n", encoding="utf-8")
    with pytest.raises(MissingDependency, match="apt-get install coq"):
        formal_record.compile_sources(copy)
    (copy / "compile.sh").write_text("echo broken; exit 1\n", encoding="utf-8")
    with pytest.raises(InvalidFile, match="do not compile"):
        formal_record.compile_sources(copy)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("coqc") is None, reason="needs Coq")
def test_the_proofs_compile_and_give_the_recorded_axioms() -> None:
    built = formal_record.compile_and_build(TABLE.read_text(encoding="utf-8"))
    assert built["theorems"] == formal_record.read()
