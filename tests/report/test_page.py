"""The audit page: complete and self-contained; what a browser makes of it is tested in test_page_browser.py."""

import io
import re
import tarfile
from base64 import b64decode
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest
from ledgers import ledger_of, row_of, whole_ledger

from proofs_checks import theory as statements
from proofs_checks.engine import certificate
from proofs_checks.engine import shown as instance
from proofs_checks.engine.papers import AUDITED
from proofs_checks.engine.severity import Severity
from proofs_checks.report import files, page
from proofs_checks.report.graph import Node, graph_svg, layers
from proofs_checks.report.page import cards, mathematics
from proofs_checks.report.words import anchor
from proofs_checks.theory.readings import READINGS
from verified_risk.errors import InvalidArgument

every_statement = pytest.mark.parametrize("statement", statements.ALL, ids=lambda s: s.label)
MOST_BYTES = 2_000_000


@every_statement
def test_every_formula_becomes_mathml(statement):
    for claim in (statement.printed, statement.corrected):
        if claim is not None:
            assert mathematics.formula_html(claim.formula).count("<math") >= 1


def test_a_command_that_cannot_be_drawn_is_an_error():
    with pytest.raises(InvalidArgument, match="nosuchcommand"):
        mathematics.mathml(r"x = \nosuchcommand")


def test_letters_that_browsers_would_draw_plainly_are_replaced():
    assert "ℝ" in mathematics.mathml(r"\mathbb R")
    assert "<mi>TV</mi>" in mathematics.mathml(r"\mathrm{TV}(P, Q)")
    assert "mathvariant" not in mathematics.mathml(r"\mathcal M, \mathbf E, \mathbb E")


def test_a_long_formula_may_break_only_outside_brackets():
    assert mathematics.pieces(r"\text{if }, \quad a \le b") == [r"\text{if,}", "a", r"\le b"]
    assert mathematics.pieces(r"E[x \mid y = 1] = 2 \Rightarrow |a = b| \le c") == [
        r"E[x \mid y = 1]",
        "= 2",
        r"\Rightarrow |a = b|",
        r"\le c",
    ]


class Outline(HTMLParser):
    """Collects ids, links, and whether every element is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag not in ("meta", "input", "path", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in ("path", "rect"):
            return
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag


def outline(path: Path) -> Outline:
    parser = Outline()
    parser.feed(path.read_text("utf-8"))
    assert parser.open == []
    return parser


def test_every_statement_has_one_card_and_every_link_arrives(written):
    seen = outline(written)
    for statement in statements.ALL:
        assert seen.ids.count(anchor(statement.label)) == 1
    assert len(seen.ids) == len(set(seen.ids))
    inside = [link[1:] for link in seen.links if link.startswith("#")]
    assert set(inside) <= set(seen.ids)
    (attached,) = (link for link in seen.links if not link.startswith("#"))
    packed = attached.removeprefix("data:application/gzip;base64,")
    with tarfile.open(fileobj=io.BytesIO(b64decode(packed)), mode="r:gz") as tar:
        names = set(tar.getnames())
    assert {str(path.relative_to(files.ROOT)) for path in certificate.DIRECTORY.glob("*.json")} <= names
    assert {
        "docs/theory/08-regret.md",
        "proofs_checks/formal/foundations/Mdp.v",
        "proofs_checks/recheck/paths.py",
    } <= names


def test_a_card_has_proof_theorem_and_a_place_for_the_reply(monkeypatch):
    row = row_of(statements.by_label("thm:augmented"))
    proved = "machine-checked (theorem augmented_same_value (augmentation/Augmentation.v, 0123456789ab), axioms: none)"
    row = replace(row, support=replace(row.support, evidence=(proved,)))
    text = cards.card_html(row, {}, None)
    assert "The proof in words (02-augmentation.md)" in text
    assert re.search(r"<pre tabindex=0> *Theorem augmented_same_value", text)
    assert "none yet" in text
    monkeypatch.setattr(cards, "replies", lambda: {"thm:augmented": "We <agree>."})
    assert "<p>We &lt;agree&gt;.</p>" in cards.card_html(row, {}, None)
    assert "reply" not in cards.card_html(row_of(statements.by_label("def:rewards")), {}, None)


def test_the_page_says_which_file_was_read(written):
    text = written.read_text("utf-8")
    assert AUDITED.sha256 in text
    assert AUDITED.authors in text
    assert AUDITED.sha256 in (files.ROOT / "CITATION.cff").read_text("utf-8")
    assert text.index('id="s-exp-forty"') > text.index('id="s-production-proved"')
    own = page.page_html(ledger_of([replace(row_of(statements.ALL[0]), paper=None)]))
    assert AUDITED.title not in own


def test_a_page_of_one_statement_has_no_broken_link(tmp_path):
    statement = statements.by_label("thm:augmented")
    assert statement.uses
    page.write_page(ledger_of([row_of(statement)]), tmp_path / "one.html")
    seen = outline(tmp_path / "one.html")
    assert [link for link in seen.links if link.startswith("#") and link[1:] not in seen.ids] == []


def test_the_page_is_small_and_loads_nothing(written):
    text = written.read_text("utf-8")
    assert len(text.encode()) < MOST_BYTES
    assert not re.search(r"""(src|href)=["']?(https?:|//)|@import|url\((?!data:)|<link|<iframe|<img""", text)
    assert "default-src 'none'" in text


def test_the_same_ledger_gives_the_same_page(written):
    assert page.page_html(whole_ledger()) == written.read_text("utf-8")


def test_the_counterexample_can_be_followed_by_hand():
    statement = statements.by_label("thm:augmented")
    text = page.page_html(ledger_of([row_of(statement)]))
    for words in ("one state, two actions, T = 2", "a with 1/2, b with 1/2", "after b paid 1", "3/4 = 1", "off by 1/4"):
        assert words in text


def test_a_claim_is_called_false_only_by_an_instance_that_refutes_it():
    """The printed key identity with M = 2 and with M = T = 1."""
    key = statements.by_label("lem:key")
    told = {
        top: cards._both_sides(certificate.certificate(key, replace(key.counterexample, top=Fraction(top))))
        for top in (1, 2)
    }
    assert "<strong>false, off by 1</strong>" in told[2]
    assert "<strong>true of this instance</strong>" in told[1]
    assert "false" not in told[1]


@pytest.mark.parametrize(
    ("verdict", "said"), [("stands", "true"), ("refuted", "false in this audit"), ("unknown", "not decided")]
)
def test_a_card_calls_true_only_what_stood(verdict, said):
    """A claim that was corrected, one that holds as printed, and one of the corrected theory."""
    for label in ("lem:key", "def:pushforward", "L1/greedy"):
        row = row_of(statements.by_label(label))
        text = page.page_html(ledger_of([replace(row, support=replace(row.support, verdict=verdict))]))
        marks = re.findall(r"<h4>([^<]*) <em>([^<]*)</em></h4>", text)
        assert marks[-1][1] == said, label
        assert [mark for _, mark in marks[:-1]] == (["false"] if label == "lem:key" else []), label


def test_text_is_escaped_and_failures_are_shown():
    row = row_of(statements.ALL[0], failures=["<script>alert(1)</script>"])
    text = page.page_html(ledger_of([replace(row, title="a < b & c")], ["x: something is <i>wrong</i>"]))
    assert "<script>alert" not in text
    assert "<i>wrong" not in text
    assert "A &lt; b &amp; c" in text
    assert "disagrees with these findings in 1 point" in text
    assert "found nothing wrong" not in text
    assert "found nothing wrong" in page.page_html(ledger_of([row_of(statements.ALL[0])]))


def test_instances_are_told_in_words():
    model = {
        "horizon": 2,
        "discount": "1",
        "initial": [[0, "1/2"], [1, "1/2"]],
        "states": [
            [{"next": [[1, "1"]], "reward": {"atoms": ["0", "1"], "masses": ["1/4", "3/4"]}}],
            [{"outcomes": [["1/3", 0, "1"], ["2/3", 1, "0"]]}],
        ],
    }
    html = instance.instance_html({"mdp": model, "tau": "1/3", "rewards": ["1/4", "1/2"], "other": None})
    for words in (
        "two states, one action, T = 2; starts in 0 with 1/2, 1 with 1/2",
        "0 with 1/4, 1 with 3/4",
        "1 and on to 0 with 1/3; 0 and on to 1 with 2/3",
        "level τ</dt><dd>1/3",
        "(1/4, 1/2)",
        "none",
    ):
        assert words in html
    rule = {"kind": "return", "rows": [[0, 0, "0", 1], [1, 0, "3/4", {"0": "1/2", "1": "1/2"}]]}
    assert "step 2, earned 3/4</td><td>a with 1/2, b with 1/2" in instance.policy_html(rule)
    assert instance.number("123/1000") == "123/1000 ≈ 0.123"


def test_functions_and_rules_are_tables():
    jump = {"corners": [{"at": "0", "left": "0", "value": "0", "right": "1/2"}]}
    assert "<td>0</td><td>0</td><td>0</td><td>1/2</td>" in instance.value_html(jump)
    adaptation = {"tau": 1, "rule": {"rows": [[0, 0, "0", ["0", "1"]]]}}
    text = instance.instance_html(adaptation)
    assert "step τ" in text
    assert "step 1, state 0, earned 0</td><td>b</td>" in text
    assert "otherwise</td><td>a</td>" in text


def test_a_statement_stands_right_of_what_it_uses():
    nodes = [Node(s.label, s.title, str(s.finding), s.uses) for s in statements.ALL]
    place = {label: i for i, column in enumerate(layers(nodes)) for label in column}
    uses = {node.label: {used for used in node.uses if used in place} for node in nodes}

    def rests_on(label: str, seen: set[str]) -> set[str]:
        for used in uses[label] - seen:
            seen.add(used)
            rests_on(used, seen)
        return seen

    pairs = [(label, used) for label in uses for used in uses[label] if label not in rests_on(used, set())]
    assert len(pairs) > 10
    assert [(label, used) for label, used in pairs if place[used] >= place[label]] == []


def test_a_statement_that_rests_on_a_false_one_says_so():
    base = replace(row_of(statements.ALL[0]), label="false", finding=Severity.SUBSTANCE, uses=(), refutation=None)
    middle = replace(base, label="middle", finding=Severity.HOLDS, uses=("false",))
    top = replace(middle, label="top", uses=("middle",))
    own = replace(top, label="own", printed=None)
    text = page.page_html(ledger_of([base, middle, top, own]))
    cards = {label: text[text.index(f'id="s-{label}"') :].split("</details>")[0] for label in ("false", "top", "own")}
    assert "In the paper it rests on" in cards["top"]
    assert "In the paper it rests on" not in cards["false"] + cards["own"]
    assert text.count('holds inherits"') == 2


def test_a_slip_is_not_held_against_what_uses_it():
    base = replace(row_of(statements.ALL[0]), label="slip", finding=Severity.SLIP, uses=(), refutation=None)
    top = replace(base, label="top", finding=Severity.HOLDS, uses=("slip",))
    text = page.page_html(ledger_of([base, top]))
    assert "In the paper it rests on" not in text
    assert 'inherits"' not in text


def test_a_circle_of_uses_is_drawn_and_does_not_hang():
    nodes = [Node("a", "", "holds", ("b",)), Node("b", "", "gap", ("a",)), Node("alone", "", "holds", ())]
    svg = graph_svg(nodes)
    assert svg.count('class="edge"') == 2
    assert "alone" not in svg


def test_a_statement_shows_both_claims_in_a_notebook():
    html = statements.by_label("thm:augmented")._repr_html_()
    assert html.count("<math") >= 2
    assert "as printed <em>false" in html
    assert "corrected <em>true" in html


# -- readings of the main theorem -------------------------------------------------------------------------------------


def plain(cell: str) -> str:
    """A cell of the theory page without formulas' marks and links."""
    cell = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell)
    return re.sub(r"[$\\{}, ]", "", cell)


def test_the_readings_are_those_of_the_theory_page():
    text = (files.DOCS / "theory" / "08-regret.md").read_text("utf-8")
    table = text[text.index("(main-readings)=") :].split("\n\n")[1].splitlines()[2:]
    assert len(table) == len(READINGS)
    for line, reading in zip(table, READINGS, strict=True):
        cells = [plain(cell) for cell in line.strip("| ").split(" | ")]
        assert cells[:3] == [plain(cell) for cell in (reading.planner, reading.weighting, reading.radii)]
        assert cells[3].split("(")[0][:5] == plain(reading.status)[:5]
        assert ("Coq" in line) == ("Coq" in reading.status)


def test_every_reading_stands_on_the_page_and_names_a_statement():
    text = page.page_html(ledger_of([row_of(s) for s in statements.ALL]))
    assert text.count(">Greedy at every") == 2
    assert {reading.label for reading in READINGS} <= {s.label for s in statements.ALL}
    assert "Readings of the main theorem" not in page.page_html(ledger_of([row_of(statements.ALL[0])]))
