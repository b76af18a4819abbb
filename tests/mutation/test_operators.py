"""The faults of the campaign: what they change, what they leave alone, and that a judge notices one."""

import ast
import json
from importlib.metadata import entry_points
from pathlib import Path

import campaign
import judging
import pytest
from judging import JudgeMap, Judges
from operators import KINDS, Mutant, mutants

SOURCE = '''"""A docstring with 3 < 4."""

def f(x: int = 2, *, y: float) -> bool:
    """Another, 1 + 1."""
    if x < 0 and y > 0.5:
        raise ValueError(f"x is {x + 1}")
    total = min(x, 3) + y
    total += 1
    print(total)
    return not total == 4
'''


def texts() -> dict[str, str]:
    return {one.what: one.of(SOURCE) for one in mutants("f.py", SOURCE)}


def test_each_kind_of_fault_is_made():
    found = texts()
    for what in (
        "< becomes <=", "> becomes >=", "== becomes !=", "dropped: x < 0", "dropped: y > 0.5", "min becomes max",
        "guard forgotten: if x < 0 and y > 0.5", "if not x < 0 and y > 0.5", "0.5 becomes 1.0", "2 becomes 3",
        "forgotten: total += 1", "forgotten: print(total)", "not forgotten", "min(x, 3) + y with -",
    ):  # fmt: skip
        assert what in found, what
    assert "if (y > 0.5):" in found["dropped: x < 0"]
    assert "if False:" in found["guard forgotten: if x < 0 and y > 0.5"]
    assert "(min(x, 3) - y)" in found["min(x, 3) + y with -"]


ROUNDED = """
def g(x, rho, eps, low, high, terms):
    a = np.nextafter(x * 2**64, -np.inf) + float_below(rho) - 4 * eps
    b = max(eps, terms, 1e-9) + min(low, high)
    c = -(-x // 8) + ceil_div(x, 3) + x // 5
    if not 0 <= rho <= eps:
        raise ValueError
    wide = low + float_above(x) if x else high
    d = [y for y in (1, 2, 4) if y > low]
    d[0] = wide
    p, q = 7, 9
    return least(a - b, c), Claim(when=met), d
"""


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("towards np.inf", "np.nextafter(x * 2**64, np.inf)"),
        ("forgotten: nextafter of x * 2**64", "(x * 2**64) + float_below"),
        ("float_below becomes float_above", "float_above(rho) - 4"),
        ("forgotten: float_above of x", "low + (x) if x"),
        ("rounded down: -(-x // 8)", "c = (x // 8) +"),
        ("rounded down: x", "((x) // (3))"),
        ("rounded up: x // 5", "(-(-x // 5))"),
        ("low becomes high", "wide = high + float_above"),
        ("forgotten: - (4 * eps)", "+ float_below(rho)))\n"),
        ("1e-09 becomes 1.01e-09", "max(eps, terms, 1.01e-09)"),
        ("1e-09 becomes 0.0", "max(eps, terms, 0.0)"),
        ("dropped: terms", "max(eps, 1e-9)"),
        ("max becomes min", "min(eps, terms, 1e-9)"),
        ("dropped: low", "+ (high)\n"),
        ("half of a in a - b", "0.5 * a - b"),
        ("twice b in a - b", "a - 2 * b"),
        ("the other way round: a - b", "b - a"),
        ("dropped end: 0", "if not rho <= eps"),
        ("101 % of eps", "rho <= (eps) * 101 / 100"),
        ("0 becomes 1e-9", None),
        ("eps + 1", "rho <= eps + 1"),
        ("dropped: if y > low", "if True]"),
        ("dropped: 4", "in (1, 2) if"),
        ("always high", "wide = (high)"),
        ("forgotten: d[0] = wide", "    pass\n    p, q"),
        ("dropped: 9", None),
        ("the hypotheses are gone", "Claim(when=lambda *_: True)"),
        ("high for low", "min(high, high)"),
    ],
)
def test_hand_made_faults_weaken_a_bound_or_a_check(what, text):
    found = [one.of(ROUNDED) for one in mutants("g.py", ROUNDED) if one.what == what]
    assert any(text in one for one in found) if text else not found


def test_a_fault_of_a_product_keeps_its_parentheses():
    source = "x = (a + b) * (c - d)\n"
    found = {ast.unparse(ast.parse(one.of(source))) for one in mutants("f.py", source)}
    assert {"x = a + b + (c - d)", "x = a + b", "x = c - d", "x = 0.5 * ((a + b) * (c - d))"} <= found
    assert "x = a + b * c - d" not in found


def test_every_fault_is_of_a_kind_and_every_kind_is_made():
    found = mutants("f.py", SOURCE) + mutants("g.py", ROUNDED)
    assert {one.kind for one in found} == set(KINDS)


def test_words_annotations_and_docstrings_are_left_alone():
    for text in texts().values():
        tree = ast.parse(text)
        assert ast.get_docstring(tree) == "A docstring with 3 < 4."
        assert "x + 1}" in text
        assert "-> bool" in text


def test_every_fault_differs_from_the_source_and_parses():
    for one in mutants("f.py", SOURCE):
        assert one.of(SOURCE) != SOURCE
        ast.parse(one.of(SOURCE))


def test_no_fault_is_the_text_itself():
    source = "x = 0.0 * y + 0 - 0.5\n"
    found = [one.of(source) for one in mutants("f.py", source)]
    assert "x = 1.0 * y + 0 - 0.5\n" in found
    assert source not in found
    assert SOURCE not in texts().values()


def test_a_fault_in_a_file_with_other_letters_is_in_its_place():
    source = 'x = "ää" if 1 < 2 else "ö"\n'
    assert [one.of(source) for one in mutants("f.py", source) if one.what == "< becomes <="] == [
        'x = "ää" if 1 <= 2 else "ö"\n'
    ]


def test_judges_are_the_quickest_tests_of_the_line():
    lines = {"a.py": {3: ["slow", "quick", "middle"], 4: ["other"]}}
    tests = JudgeMap(lines, {"slow": 50.0, "quick": 1.0, "middle": 5.0, "other": 2.0})
    assert tests.judges("a.py", 3, 10.0) == ["quick", "middle"]
    assert tests.judges("a.py", 3, 0.1) == ["quick"]
    assert tests.judges("a.py", 1, 10.0) == ["quick", "other", "middle"]
    assert tests.judges("b.py", 1, 10.0) == []
    compiled = JudgeMap({}, {"tests/planning/test_a.py::b": 1.0, "tests/learning/test_a.py::b": 1.0})
    assert compiled.judges("verified_risk/kernels/budget_pass.py", 9, 10.0) == ["tests/planning/test_a.py::b"]
    assert compiled.judges("verified_risk/kernels/learn_run.py", 9, 10.0) == ["tests/learning/test_a.py::b"]


def test_a_test_with_many_cases_does_not_judge_alone():
    seconds = {"a[1]": 1.0, "a[2]": 1.5, "a[3]": 1.6, "b": 4.0, "c[x]": 5.0}
    tests = JudgeMap({"a.py": {3: list(seconds)}}, seconds)
    assert tests.judges("a.py", 3, 12.0) == ["a[1]", "b", "c[x]", "a[2]"]


def test_a_map_is_read_as_it_was_written(tmp_path: Path):
    tests = JudgeMap({"a.py": {3: ["t", "u"]}}, {"t": 1.5, "u": 2.0})
    tests.save(tmp_path / "map.json")
    assert JudgeMap.load(tmp_path / "map.json") == tests


@pytest.fixture
def place(tmp_path: Path, monkeypatch) -> Path:
    """A module and its tests, judged without the installed plugins, which take longer to import than to judge."""
    installed = {entry.name for entry in entry_points(group="pytest11")}
    without = [word for name in sorted(installed) for word in ("-p", f"no:{name}")]
    monkeypatch.setattr(judging, "OPTIONS", (*judging.OPTIONS, *without))
    (tmp_path / "thing.py").write_text("def twice(x):\n    return x + x\n")
    (tmp_path / "test_thing.py").write_text(
        "from thing import twice\n\n"
        "def test_four():\n    assert twice(2) == 4\n\n"
        "def test_type():\n    assert twice(0) == 0\n"
    )
    return tmp_path


def twice_becomes_zero(place: Path) -> Mutant:
    (fault,) = [one for one in mutants("thing.py", (place / "thing.py").read_text()) if one.what.endswith("with -")]
    return fault


def test_a_judge_that_can_see_the_fault_kills_it_and_another_does_not(place: Path):
    source = (place / "thing.py").read_text()
    fault, judges = twice_becomes_zero(place), Judges()
    assert judges.verdict(place, fault, ["test_thing.py::test_four"], 60) == "killed by test_thing.py::test_four"
    assert judges.verdict(place, fault, ["test_thing.py::test_type"], 60) == "survived"
    assert judges.verdict(place, fault, ["test_thing.py"], 60) == "killed by test_thing.py::test_four"
    assert judges.verdict(place, fault, [], 60) == "no test"
    assert (place / "thing.py").read_text() == source


def test_a_judge_that_fails_without_the_fault_is_not_believed(place: Path):
    with (place / "test_thing.py").open("a") as out:
        out.write("\ndef test_always():\n    assert False\n")
    judges, names = Judges(), ["test_thing.py::test_always", "test_thing.py::test_type"]
    assert judges.verdict(place, twice_becomes_zero(place), names, 60) == "survived"
    assert judges.biased == {"test_thing.py::test_always"}
    assert judges.verdict(place, twice_becomes_zero(place), names[:1], 60) == "no test"
    assert not judges.sound


def test_seconds_of_the_processor_stop_a_judge_and_kill_only_what_was_measured(place: Path):
    with (place / "test_thing.py").open("a") as out:
        out.write("\ndef test_ends():\n    while twice(1) == 0:\n        pass\n")
    fault, names = twice_becomes_zero(place), ["test_thing.py::test_ends"]
    assert Judges().verdict(place, fault, names, 0) == "killed by time"
    assert Judges().verdict(place, fault, names, 0, hangs=False) == "survived so many seconds"


def test_a_process_that_is_ended_by_its_own_fault_kills(place: Path):
    with (place / "test_thing.py").open("a") as out:
        out.write("\ndef test_aborts():\n    import os\n    twice(1) == 0 and os.abort()\n")
    verdict = Judges().verdict(place, twice_becomes_zero(place), ["test_thing.py::test_aborts"], 60)
    assert verdict == "killed by crash"


def test_a_name_that_is_no_test_is_an_error_and_not_a_kill(place: Path):
    found = campaign.collected(place, ["test_thing.py", "test_gone.py"])
    assert found == {"test_thing.py::test_four", "test_thing.py::test_type"}
    with pytest.raises(RuntimeError, match="without a fault the judges end with import"):
        Judges().verdict(place, twice_becomes_zero(place), ["test_thing.py::test_gone"], 60)


def test_draws_are_the_same_again_others_with_another_seed_and_unmoved_by_edits_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign, "ROOT", tmp_path)
    monkeypatch.setitem(campaign.FOLDERS, "here", "here")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "one.py").write_text("a = 1 + 2\nb = 3 < 4\nc = min(5, 6)\nd = 7 * 8\n")
    first = [(one.file, one.what) for one in campaign.drawn("here", 6, 0)]
    assert len(set(first)) == 6
    assert [(one.file, one.what) for one in campaign.drawn("here", 4, 0)] == first[:4]
    assert [(one.file, one.what) for one in campaign.drawn("here", 6, 1)] != first
    (tmp_path / "here" / "one.py").write_text("\n\na = 1 + 2\nb = 3 < 4\nc = min(5, 6)\nd = 7 * 8\n")
    (tmp_path / "here" / "two.py").write_text("x = 9\n")
    again = [(one.file, one.what) for one in campaign.drawn("here", 7, 0)]
    assert [one for one in again if one[0] == "here/one.py"][:6] == first


def test_the_table_counts_survivors_and_arguments(monkeypatch):
    row = {"name": "n", "folder": "engine", "file": "proofs_checks/engine/model.py", "line": "1", "what": "w"}
    rows = [{**row, "verdict": "killed by x"}] * 3 + [{**row, "verdict": "survived"}]
    assert "| engine | 4 | 3 | 0 | 1 | 75% |" in campaign.table(rows)
    monkeypatch.setattr(campaign, "argument", lambda row: "it cannot be seen")
    assert "| engine | 4 | 3 | 1 | 0 | 100% |" in campaign.table(rows)


def test_every_argument_has_a_reason_and_one_about_a_line_that_is_gone_is_named(monkeypatch, tmp_path):
    said = json.loads(campaign.ARGUMENTS.read_text(encoding="utf-8"))
    assert all(entry["file"] and entry["line"] and entry["what"] and entry["why"] for entry in said)
    (tmp_path / "here.py").write_text("    there = 1\n")
    monkeypatch.setattr(campaign, "ROOT", tmp_path)
    entry = {"file": "here.py", "what": "1 becomes 2", "why": "x"}
    known = [{**entry, "line": "there = 1"}, {**entry, "line": "gone = 1"}, {**entry, "file": "no.py", "line": "x"}]
    assert campaign.outdated(known) == ["here.py: gone = 1", "no.py: x"]
