"""The record of the Coq theorems is complete and fresh, and no source assumes what it should prove."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from proofs_checks import theory as statements
from proofs_checks.engine.model import Formal, Rank, Statement
from proofs_checks.evidence.coq import record as formal_record
from proofs_checks.evidence.coq.record import CLASSICAL_REALS, FORMAL, RECORD
from proofs_checks.report import files
from proofs_checks.report import formal as formal_page
from verified_risk.errors import InvalidFile, MissingDependency

FILES = list(formal_record.sources_in().values())
SOURCES = [path for path in FILES if path.parent.name != formal_record.SETUP]
SETUPS = [path for path in FILES if path.parent.name == formal_record.SETUP]
SAME_NAME = {
    # The checker's J, backup, step and raise are about programs; no file of proofs uses both meanings.
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
every_statement = pytest.mark.parametrize("statement", statements.ALL, ids=lambda statement: statement.label)
KEY = statements.by_label("lem:key").formal
PAGE = formal_page.page()
ROLES = ("proves", "parts", "refutes")


# -- nothing is assumed -----------------------------------------------------------------------------------------------


@every_source
def test_a_source_assumes_nothing(path: Path) -> None:
    assert formal_record.unproved(formal_record.read(path)) == []


@pytest.mark.parametrize("path", SETUPS, ids=lambda path: path.name)
def test_a_setup_declares_only_variables_and_is_shared(path: Path) -> None:
    """A setup file has variables and hypotheses and no proofs, and at least two files load it."""
    words = {sentence.split()[0] for sentence in formal_record.sentences(path.read_text(encoding="utf-8"))}
    assert words <= {"Context", "Variable", "Variables", "Hypothesis", "Let", "Load"}
    loaded = [other for other in FILES if path.name in formal_record.imports_of(other.read_text(encoding="utf-8"))]
    assert len(loaded) >= 2, loaded


def test_a_setup_loaded_outside_a_section_is_found(copy: Path) -> None:
    file = copy / "setting" / "QuantileInverse.v"
    text = file.read_text(encoding="utf-8")
    file.write_text(f'{text}\nSection B.\n  Load "setup/Lipschitz".\nEnd B.\n', encoding="utf-8")
    assert formal_record.unproved(formal_record.read(file, copy)) == []
    file.write_text(f'{text}\nLoad "setup/Lipschitz".\n', encoding="utf-8")
    assert len(formal_record.unproved(formal_record.read(file, copy))) == 3


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
def test_a_seeded_assumption_is_found(planted: str) -> None:
    text = (FORMAL / "setting" / "QuantileInverse.v").read_text(encoding="utf-8")
    assert formal_record.unproved(text) == []
    assert formal_record.unproved(f"{text}\n{planted}\n") != []
    assert formal_record.unproved(f"{text}\n(* {planted} *)\n") == []


def test_a_hypothesis_inside_a_section_is_no_axiom() -> None:
    text = "Section A. Variable x : R. Hypothesis Hx : 0 < x. Theorem here : 0 <= x. Proof. lra. Qed. End A."
    assert formal_record.unproved(text) == []


def test_comments_and_nested_comments_are_not_source() -> None:
    assert formal_record.sentences("(* Axiom a : (* inner *) b. *) Lemma l : c. Proof.") == ["Lemma l : c.", "Proof."]


def test_comments_have_no_marks_inside_quotes() -> None:
    """Coq reads quoted text inside a comment as a string; ``without_comments`` does not."""
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r'"[^"\n]*(\(\*|\*\))[^"\n]*"', text), path.name


def test_lines_have_at_most_120_characters() -> None:
    for path in FILES:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert len(line) <= 120, f"{path.name}:{number}"


@every_source
def test_a_source_opens_with_a_title_and_what_it_proves(path: Path) -> None:
    heading = path.read_text(encoding="utf-8").partition("*)")[0]
    assert heading.startswith("(** * ")
    assert len(heading.split()) >= 15


def test_theorems_rest_on_the_classical_reals_alone() -> None:
    for theorem in formal_record.theorems().values():
        assert set(theorem.axioms) <= CLASSICAL_REALS, theorem


def test_the_allowed_axioms_are_those_of_the_script() -> None:
    script = (FORMAL / "compile.sh").read_text(encoding="utf-8")
    assert set(re.findall(r'allowed\["([\w.]+)"\]', script)) == CLASSICAL_REALS


# -- complete and fresh -----------------------------------------------------------------------------------------------


def test_the_record_is_fresh() -> None:
    assert formal_record.stale() == []
    assert formal_record.main(["--check"]) == 0


def test_every_printed_theorem_is_named_or_a_step_and_no_other_is_named() -> None:
    named = {name for one in statements.ALL for role in ROLES for name in getattr(one.formal, role)}
    steps = {name for name, theorem in formal_record.theorems().items() if theorem.step_of}
    withdrawn = {"half_width", "other_half_width_fails", "cpw_is_nondecreasing", "quantile_inverts_continuous"}
    assert named | steps | withdrawn == set(formal_record.theorems())
    assert len(named | steps) >= 236


def test_a_step_is_a_step_of_statements_that_it_does_not_prove() -> None:
    for theorem in formal_record.theorems().values():
        for label in theorem.step_of:
            formal = statements.by_label(label).formal
            assert theorem.name not in (*formal.proves, *formal.parts, *formal.refutes)


def test_every_file_of_proofs_has_a_theorem_in_the_record_or_is_used_by_one() -> None:
    used = {name for theorem in formal_record.theorems().values() for name in theorem.needs}
    restated = {path.name for path in SOURCES if restates(path)}
    assert {path.name for path in SOURCES} - restated - {"Assumptions.v", "Directives.v", "Verdict.v"} <= used


@every_statement
def test_a_statement_names_proofs_of_claims_it_makes(statement: Statement[Any]) -> None:
    formal = statement.formal
    if formal.proves or formal.parts:
        assert statement.true_claim is not None
        assert not formal.missing
    if formal.refutes:
        assert statement.should_be_refuted
    assert bool(formal.counterexample) <= bool(formal.refutes)
    assert len(formal.parts) != 1
    names = [name for role in ROLES for name in getattr(formal, role)]
    assert len(names) == len(set(names))


@every_statement
def test_a_statement_without_a_proof_says_why(statement: Statement[Any]) -> None:
    proved = statement.formal.proves or statement.formal.parts
    assert proved or statement.true_claim is None or len(statement.formal.missing.split()) >= 8


def test_anchors_in_comments_exist() -> None:
    for theorem in formal_record.theorems().values():
        file, _, anchor = theorem.anchor.partition("#")
        if file:
            assert f"({anchor})=" in (files.DOCS / "theory" / file).read_text(encoding="utf-8"), theorem


@every_statement
def test_the_page_has_a_row_for_each_theorem_of_a_statement(statement: Statement[Any]) -> None:
    rows = PAGE.splitlines()
    for role in ROLES:
        for name in getattr(statement.formal, role):
            (row,) = [line for line in rows if f"| [{name}](" in line]
            assert re.search(rf"{formal_page.ROLES[role]} [^;|]*`{re.escape(statement.label)}`", row), row


def test_the_page_gives_hypotheses_differences_and_missing_proofs() -> None:
    assert "| a finite law on [0, M], M >= 0; G nondecreasing" in PAGE
    for one in statements.ALL:
        for text in (one.formal.missing, one.formal.counterexample):
            assert text.replace("|", r"\|") in PAGE


def restates(path: Path) -> bool:
    """Return whether a file restates definitions on purpose, so that a theorem can be read on its own."""
    return path.parent.name == "statements" or path.name.endswith("Statement.v")


def names_defined_twice(folder: Path = FORMAL) -> dict[str, list[str]]:
    """The names that more than one file defines, with the files; files that restate definitions are left out."""
    found: dict[str, list[str]] = {}
    for file, path in formal_record.sources_in(folder).items():
        for name in () if restates(path) else formal_record.names_of(path.read_text(encoding="utf-8")):
            found.setdefault(name, []).append(file)
    return {name: files for name, files in found.items() if len(files) > 1}


def test_a_name_stands_for_one_thing_in_all_files() -> None:
    assert names_defined_twice() == SAME_NAME


def visible_to(file: str, folder: Path = FORMAL) -> list[str]:
    """The files whose names a file may use unqualified: those it imports, and what these export in turn."""
    paths = formal_record.sources_in(folder)
    found: list[str] = []
    text = paths[file].read_text(encoding="utf-8")
    waiting = [
        name
        for name in formal_record.imports_of(text, unqualified=True)
        if paths[name].parent.name != formal_record.SETUP
    ]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.append(name)
            text = formal_record.without_comments(paths[name].read_text(encoding="utf-8"))
            exported = re.findall(r"From\s+VerifiedRisk\s+Require\s+Export\s+([\w\s]+)\.", text)
            waiting += [f"{part}.v" for names in exported for part in names.split()]
    return found


def test_no_file_sees_two_definitions_of_one_name() -> None:
    """Not even those that files restate on purpose."""
    defined = {path.name: formal_record.names_of(path.read_text(encoding="utf-8")) for path in SOURCES}
    for path in SOURCES:
        if restates(path) or path.name == "Assumptions.v":
            continue
        seen: dict[str, str] = {}
        for file in (*visible_to(path.name), path.name):
            for name in defined[file]:
                assert seen.setdefault(name, file) == file, f"{path.name} sees {name} of {seen[name]} and of {file}"


def test_a_name_defined_twice_is_found(copy: Path) -> None:
    with (copy / "event" / "Blocks.v").open("a") as file:
        file.write("Lemma E_bind : True. Proof. exact I. Qed.\n")
    assert names_defined_twice(copy) == {**SAME_NAME, "E_bind": ["Blocks.v", "FiniteLaw.v"]}


def test_the_project_lists_every_source() -> None:
    lines = (FORMAL / "_CoqProject").read_text(encoding="utf-8").splitlines()
    assert sorted(line for line in lines if line.endswith(".v")) == sorted(
        path.relative_to(FORMAL).as_posix() for path in SOURCES
    )


def test_two_files_of_one_name_are_rejected(copy: Path) -> None:
    shutil.copy(copy / "foundations" / "Mdp.v", copy / "event")
    with pytest.raises(InvalidFile, match=r"event/Mdp\.v has the name of foundations/Mdp\.v"):
        formal_record.sources_in(copy)


def test_no_counterexample_needs_another() -> None:
    against = {path.name for path in SOURCES if re.search("Printed(False|Diverges)|Unbounded", path.name)}
    for path in SOURCES:
        if path.name in against:
            assert not against & set(formal_record.imports_of(path.read_text(encoding="utf-8"))), path.name


def test_files_that_are_required_are_depended_on() -> None:
    found = formal_record.depends_on("Augmentation.v", {path.name: path.read_text("utf-8") for path in FILES})
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
    (piece,) = formal_record.machine_checked(KEY)
    assert piece.rank is Rank.MACHINE_CHECKED
    digest = formal_record.theorems()["key_identity"].digest
    assert piece.detail == (
        f"theorem key_identity (foundations/KeyIdentity.v, {digest[:12]}), axioms: classical reals; "
        "finite laws; recorded, not rechecked here"
    )


def test_parts_count_together() -> None:
    (piece,) = formal_record.machine_checked(statements.by_label("lem:event/rewards").formal)
    assert piece.rank is Rank.MACHINE_CHECKED
    assert re.match(r"theorems dkw \(event/DkwFinite\.v, \w{12}\), near_at_every_real \(", piece.detail)


def test_a_refutation_is_no_evidence_for_the_claim() -> None:
    assert formal_record.machine_checked(Formal(proves=("key_identity",))) != ()
    assert formal_record.machine_checked(Formal(refutes=("key_identity",))) == ()
    assert formal_record.machine_checked(Formal()) == ()


def test_evidence_is_stale_when_the_source_or_what_it_depends_on_changes(copy: Path) -> None:
    (piece,) = formal_record.machine_checked(KEY, folder=copy)
    assert piece.rank is Rank.MACHINE_CHECKED
    with (copy / "foundations" / "FiniteLaw.v").open("a") as file:
        file.write("Definition another := 0.\n")
    (piece,) = formal_record.machine_checked(KEY, folder=copy)
    assert piece.rank is Rank.CITED
    assert piece.detail.startswith("stale")
    assert formal_record.stale(folder=copy) == ["FiniteLaw.v has changed since it was compiled"]


def test_comments_and_line_breaks_leave_evidence_alone(copy: Path) -> None:
    file = copy / "foundations" / "FiniteLaw.v"
    text = file.read_text(encoding="utf-8").replace(". ", ".\n  ", 3)
    file.write_text(text + "(* a (* nested *) comment *)\n", encoding="utf-8")
    assert formal_record.machine_checked(KEY, folder=copy)[0].rank is Rank.MACHINE_CHECKED
    assert formal_record.stale(folder=copy) == []


def test_a_change_elsewhere_leaves_evidence_alone(copy: Path) -> None:
    with (copy / "cvar" / "CvarPlanner.v").open("a") as file:
        file.write("Definition another := 0.\n")
    assert formal_record.machine_checked(KEY, folder=copy)[0].rank is Rank.MACHINE_CHECKED
    least = statements.by_label("cvar:min").formal
    assert formal_record.machine_checked(least, folder=copy)[0].rank is Rank.CITED


def test_a_file_that_was_not_compiled_is_stale(copy: Path) -> None:
    (copy / "event" / "Another.v").write_text("Definition another := 0.\n", encoding="utf-8")
    (copy / "event" / "Blocks.v").unlink()
    assert [line.split()[0] for line in formal_record.stale(folder=copy)] == ["Another.v", "Blocks.v"]


def recorded() -> dict[str, Any]:
    return json.loads(RECORD.read_text(encoding="utf-8"))


def changed_record(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(recorded() | changes), encoding="utf-8")
    return path


# -- reading and writing ----------------------------------------------------------------------------------------------


def output() -> str:
    """The output of compile.sh for the recorded axioms."""
    lines = [f"{name}: {' '.join(axioms)}".rstrip() for name, axioms in recorded()["axioms"].items()]
    return recorded()["compiler"] + "\n\nAssumptions of the main theorems:\n" + "\n".join(lines) + "\n"


def test_the_record_is_rebuilt_from_its_sources_and_the_output_of_the_script() -> None:
    assert formal_record.build(output()) == recorded()
    with pytest.raises(InvalidFile, match="no list of assumptions"):
        formal_record.build("nothing")


def test_a_theorem_without_recorded_axioms_is_rejected(tmp_path: Path) -> None:
    axioms = {name: listed for name, listed in recorded()["axioms"].items() if name != "lem_key"}
    with pytest.raises(InvalidFile, match=r"key_identity: compile\.sh printed no axioms for lem_key"):
        formal_record.theorems(changed_record(tmp_path, axioms=axioms))


def test_a_theorem_that_no_file_proves_is_rejected(copy: Path) -> None:
    file = copy / "foundations" / "KeyIdentity.v"
    file.write_text(file.read_text(encoding="utf-8").replace("Theorem key_identity", "Theorem other"), encoding="utf-8")
    with pytest.raises(InvalidFile, match="key_identity: proved in no file"):
        formal_record.theorems(folder=copy)


def test_the_comment_above_a_theorem_is_read() -> None:
    text = (
        "(** First. *)\n(** It says.\n  Given: x >= 0.5,\n  y. Differs: all x. In words: 01.md#a. Step of: L2, L3. *)\n"
    )
    for word in ("Theorem", "  Lemma", "Corollary"):
        read = formal_record.words_above("here", f"{text}{word} here : x.\n(** Given: z. *)\nTheorem there : y.")
        assert read == ("x >= 0.5, y", "all x", "01.md#a", ("L2", "L3"))
    for wrong in ("Theorem here : x.", "(** Nothing. *)\nTheorem here : x.", f"{text}Theorem heres : x."):
        with pytest.raises(InvalidFile, match="here has no hypotheses: wanted 'Given"):
            formal_record.words_above("here", wrong)


def test_a_group_is_printed_for_its_members() -> None:
    text = "Definition both := (@first, @second).\nPrint Assumptions both.\nPrint Assumptions third."
    assert formal_record.listed(text) == {"first": "both", "second": "both", "third": "third"}


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
    assert formal_record.compile_and_build() == recorded()
