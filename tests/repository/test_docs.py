"""The documentation: pages are reachable, links arrive, pictures are current, tutorials run, verdicts are right."""

import contextlib
import importlib.util
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs_checks.engine.severity import Severity
from verified_risk import plotting

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n((?::[^\n]*\n)*)(.*?)^```$", re.MULTILINE | re.DOTALL)
name_of = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))


def cells(page: Path) -> list[str]:
    return [code for _, code in CELL.findall(page.read_text("utf-8"))]


def toctree(page: Path) -> set[Path]:
    """The pages that a page lists."""
    listed: set[Path] = set()
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        names = [line for line in block.splitlines() if line and not line.startswith(":")]
        listed |= {(page.parent / f"{name}.md").resolve() for name in names if "*" not in name}
        listed |= {found for name in names if "*" in name for found in page.parent.glob(f"{name}.md")}
    return listed


def test_every_page_can_be_reached_from_the_start():
    seen: set[Path] = set()
    new = {DOCS / "index.md"}
    while new:
        seen |= new
        new = {target for page in new if page.exists() for target in toctree(page)} - seen
    submitted = DOCS / "paper" / "paper.md"  # in the form a journal asks for, no page of the documentation
    hidden = [page for page in PAGES if page not in seen and page != submitted]
    assert hidden == []


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_file_arrives(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path = target.partition("#")[0]
        if path and ":" not in path:
            assert (page.parent / path).exists(), f"{page.name} points to {target}"


@name_of
def test_every_link_to_an_anchor_arrives(page):
    anchors = {
        name for other in PAGES for name in re.findall(r"^\(([\w-]+)\)=$", other.read_text("utf-8"), re.MULTILINE)
    }
    anchors |= set(re.findall(r'<a id="([\w-]+)"></a>', page.read_text("utf-8")))
    for target in re.findall(r"\]\(#([\w-]+)\)", page.read_text("utf-8")):
        assert target in anchors, f"{page.name} points to #{target}"


def make_pictures():
    spec = importlib.util.spec_from_file_location("make_pictures", DOCS / "pictures" / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LONG = {"regret"}  # three runs of a learner
EVERY_PICTURE = [
    pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in sorted(make_pictures().PICTURES)
]


@pytest.mark.parametrize("name", EVERY_PICTURE)
def test_pictures_are_what_their_script_draws(name):
    """Compared byte by byte if matplotlib has the version that drew the stored picture."""
    import matplotlib

    stored = (DOCS / "pictures" / f"{name}.svg").read_bytes()
    drawn = make_pictures().PICTURES[name]().bytes("svg")
    if f"Matplotlib v{matplotlib.__version__}".encode() in stored:
        assert drawn == stored, f"docs/pictures/{name}.svg is stale: run python docs/pictures/make.py"


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_every_tutorial_runs(page):
    """Sphinx runs them again when it builds the pages."""
    namespace: dict[str, object] = {"__name__": "tutorial"}
    assert len(cells(page)) >= 4
    with contextlib.redirect_stdout(io.StringIO()):
        for code in cells(page):
            exec(compile(code, page.name, "exec"), namespace)


@pytest.mark.slow
def test_the_documentation_builds_without_a_warning(tmp_path):
    for library in ("sphinx", "myst_nb", "furo"):
        pytest.importorskip(library, reason="install the extra `docs` to build the documentation")
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(DOCS), str(tmp_path)]
    done = subprocess.run(build, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-4000:]
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(
            r"""<(?:script|link|img)[^>]*(?:src|href)=["']?(https?:[^"' >]+)""", page.read_text("utf-8")
        )
        assert loaded == [], f"{page.name} loads {loaded}"


def documented_names(reference: str) -> set[str]:
    """The names that a directive of the reference takes from a docstring."""
    found = {path.rpartition(".")[2] for path in re.findall(r"^\.\. auto\w+:: ([\w.]+)", reference, re.MULTILINE)}
    for members in re.findall(r"^   :members: (.+)$", reference, re.MULTILINE):
        found |= set(members.split(", "))
    return found


def test_every_public_name_is_in_the_reference_and_has_a_docstring():
    import verified_risk

    names = documented_names("".join(page.read_text("utf-8") for page in (DOCS / "reference").glob("*.md")))
    assert sorted({*verified_risk.__all__, *plotting.__all__} - names) == []
    assert [name for name in verified_risk.__all__ if not getattr(verified_risk, name).__doc__] == []
    assert documented_names(".. autoclass:: verified_risk.MDP\n   :members: load, save\nLaw") == {"MDP", "load", "save"}


THEORY = DOCS / "theory"
LEDGER = {row["label"]: row for row in json.loads((ROOT / "docs" / "audit.json").read_text("utf-8"))["statements"]}
WORDS = set(Severity)
OF_THE_PAPER = {
    label for label, row in LEDGER.items() if row["section"] not in ("corrected theory", "second paper", "this library")
}
THEORY_PAGES = sorted(THEORY.glob("*.md"))
LABEL = re.compile(r"`((?:assump|cvar|def|exp|experiment|intro|lem|thm):[\w:/-]+)`")
IN_PROSE = re.compile(r"`([\w]+:[\w:/-]+)` is \*(\w+)\*")


def tables(text: str) -> Iterator[list[list[str]]]:
    """The tables of a page, row by row, without the ruler."""
    for block in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.splitlines()]
        yield [rows[0], *rows[2:]]


def verdicts(text: str) -> list[tuple[str, str]]:
    """Every ``(label, verdict)`` of a page's tables; a verdict without a label is an error."""
    found = []
    for head, *rows in tables(text):
        if "verdict" not in head:
            continue
        names = next(i for i, cell in enumerate(head) if cell in ("label", "labels"))
        for row in rows:
            labels, word = LABEL.findall(row[names]), row[head.index("verdict")]
            assert len(row) == len(head), f"a row of {len(row)} cells: {row}"
            assert bool(labels) == (word in WORDS), f"wanted labels with a verdict, and only then: {row}"
            found += [(label, word) for label in labels]
    return found


@pytest.mark.parametrize("page", THEORY_PAGES, ids=lambda page: page.stem)
def test_every_verdict_in_a_table_is_the_ledgers(page):
    wrong = [(label, word) for label, word in verdicts(page.read_text("utf-8")) if LEDGER[label]["finding"] != word]
    assert wrong == []


@pytest.mark.parametrize("page", THEORY_PAGES, ids=lambda page: page.stem)
def test_every_verdict_in_a_sentence_is_the_ledgers(page):
    said = IN_PROSE.findall(page.read_text("utf-8"))
    assert [(label, word) for label, word in said if LEDGER[label]["finding"] != word] == []


def test_the_overview_names_every_statement_of_the_paper_once():
    labels = [label for label, _ in verdicts((THEORY / "index.md").read_text("utf-8"))]
    assert sorted(labels) == sorted(OF_THE_PAPER)


def test_tables_are_found_where_they_are():
    counts = {page.stem: len(verdicts(page.read_text("utf-8"))) for page in THEORY_PAGES}
    assert counts["08-regret"] >= 10
    assert counts["06-event-and-optimism"] == 4
    assert IN_PROSE.findall((THEORY / "09-experiment.md").read_text("utf-8"))


def test_a_wrong_verdict_and_one_without_a_label_would_be_noticed():
    head = "| step | label | verdict |\n|---|---|---|\n"
    assert verdicts(f"{head}| $\\vert x\\vert$ | `lem:key` | substance |\n") == [("lem:key", "substance")]
    assert LEDGER["lem:key"]["finding"] != "substance"
    with pytest.raises(AssertionError, match="wanted labels"):
        verdicts(f"{head}| a step | | holds |\n")
    with pytest.raises(AssertionError, match="wanted labels"):
        verdicts(f"{head}| a step | `lem:key` | false |\n")


def test_the_citation_names_the_five_words_in_their_order() -> None:
    *words, last = Severity
    assert f"graded {', '.join(words)} or {last}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
