"""Files that mean harm: refused with one line that says where; no crash, and no more memory than is allowed."""

from __future__ import annotations

import hashlib
import json
import random
import re
import resource
import subprocess
from dataclasses import replace
from fractions import Fraction

import pytest
from click.testing import CliRunner
from patience import PATIENCE
from proof_files import certificate_text, require_checker, require_page_checker, verdicts

import verified_risk as vr
from verified_risk import errors, files
from verified_risk.cli import main
from verified_risk.proving.reader import read_certificate
from verified_risk.proving.run_checker import BUILT, find_checker
from verified_risk.proving.write import Draft

MEMORY_MB = 300


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> str:
    require_checker()
    return certificate_text(vr.exact_plan(vr.models.two_paths(), "cvar(1/4)"), tmp_path_factory.mktemp("good"))


def answer(content: str | bytes, tmp_path) -> str:
    """The checker's line, with its address space bounded."""
    file = tmp_path / "hostile.txt"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    command = f'ulimit -v {4 * MEMORY_MB * 1024}; exec "$0" --memory {MEMORY_MB} "$1"'
    done = subprocess.run(
        ["sh", "-c", command, require_checker(), file], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 1, (done.returncode, done.stderr[-300:])
    assert done.stderr == ""
    (line,) = done.stdout.splitlines()
    assert len(line) < 300
    with file.open("rb") as text:
        said = read_certificate(text, memory=MEMORY_MB * 10**6)
    short, ours = (re.sub(r"line \d+: |\d+|'[^']*'", "", x)[:25] for x in (line, said))
    assert ours == short or "stack" in line or "memory" in line or "needs more than" in line, (line, said)
    assert len(said) < 300
    assert said.isprintable()
    return line


EDITS = {
    "nothing": (None, "", "line 1: the file ends where 'verified-risk-proof' was expected"),
    "another version": ("verified-risk-proof 4", "verified-risk-proof 5", "line 1: the version of the format is '5'"),
    "a million digits": ("claim 1 1", f"claim 1 {'9' * 10**6}", "line 3: a word of more than 50000 characters"),
    "a denominator of 0": ("claim 1 1", "claim 1/0 1", "line 3: the lower bound is '1/0'"),
    "hexadecimal": ("claim 1 1", "claim 0x1 1", "line 3: the lower bound is '0x1'"),
    "another objective": ("objective tail 0 1/4", "objective spectral 0 1/4", "not covered: the objective 'spectral'"),
    "a level above 1": ("objective tail 0 1/4", "objective tail 0 5/4", "the objective is not one"),
    "no discount": ("discount 1", "discount 0", "the model is not one"),
    "a horizon beyond all": ("horizon 2", f"horizon {10**30}", "line 7: the horizon is"),
    "a longer horizon": ("horizon 2", "horizon 3", "line 20: 'lower' where 'steps' was expected"),
    "a state beyond all": ("0 2\n1 1 1 0 1", "7 2\n1 1 1 0 1", "line 11: the state is '7', wanted 0 to 3"),
    "a state behind the last": ("0 2\n1 1 1 0 1", "4 2\n1 1 1 0 1", "line 11: the state is '4', wanted 0 to 3"),
    "a next state behind the last": ("4 2 1 0 3 3 2 3", "4 2 1 0 4 3 2 3", "line 17: the next state is '4'"),
    "a state twice": ("2 1\n4 2", "1 1\n4 2", "line 16: state 1 twice"),
    "many outcomes": ("4 2 1 0 3 3 2 3", f"4 {10**12} 1 0 3 3 2 3", "line 17: the number of outcomes is"),
    "a reward far beyond the window": (
        "4 2 1 0 3 3 2 3", f"4 2 1 0 3 3 {10**10} 3", "needs more than the 300 MB that are allowed"
    ),
    "a negative weight": ("4 2 1 0 3 3 2 3", "4 2 -1 0 3 5 2 3", "line 17: a weight is '-1'"),
    "a wrong sum": ("4 2 1 0 3 3 2 3", "4 2 1 0 3 2 2 3", "the model is not one"),
    "a wide window": ("\n0 1\n0 1\n0 1\n", f"\n0 1\n{-(10**15)} 1\n0 1\n", "a window of '1000000000000002' indices"),
    "tables too large": ("state_count 4", "state_count 40000000", "MB, more than the 300 MB that are allowed"),
    "a table too small": ("0 1 2 0\n1 1 2 0", "0 1 1 0\n1 1 2 0", "does not prove the lower bound"),
    "an action that is none": ("0 1 2 0\n1 1 2 0", "0 1 2 9\n1 1 2 0", "does not prove the lower bound"),
    "an initial state twice": ("initial 1 1\n0 1", "initial 1 2\n0 0\n0 1", "line 10: state 0 twice"),
    "a state twice in a step": ("3 1 2 0\nchoices", "2 1 2 0\nchoices", "line 31: state 2 twice"),
    "a NUL": ("claim 1 1", "claim 1\0 1", r"line 3: the lower bound is '1\000', wanted an integer or p/q"),
    "a NUL in a name": ("claim 1 1", "cla\0im 1 1", r"line 3: 'cla\000im' where 'claim' was expected"),
    "a form feed": ("claim 1 1", "claim 1\f1", r"line 3: the lower bound is '1\0121'"),
    "foreign digits": ("claim 1 1", "claim 1 \u0661", r"line 3: the upper bound is '\217\161'"),
    "one character too many": ("claim 1 1", f"claim 1 {'0' * 50_000}1", "line 3: a word of more than 50000 characters"),
    "a long denominator": ("claim 1 1", f"claim 1 1/{'7' * 49_999}", "line 3: a word of more than 50000 characters"),
    "a plus": ("claim 1 1", "claim +1 1", "line 3: the lower bound is '+1'"),
    "two signs": ("claim 1 1", "claim --1 1", "line 3: the lower bound is '--1'"),
    "a sign alone": ("claim 1 1", "claim 1 -", "line 3: the upper bound is '-'"),
    "a sign below": ("claim 1 1", "claim 1 2/-2", "line 3: the upper bound is '2/-2'"),
    "two slashes": ("claim 1 1", "claim 1 1/1/1", "line 3: the upper bound is '1/1/1'"),
    "nothing below": ("claim 1 1", "claim 1 1/", "line 3: the upper bound is '1/'"),
    "a longer name": ("claim 1 1", "claims 1 1", "line 3: 'claims' where 'claim' was expected"),
    "a shorter name": ("claim 1 1", "clai 1 1", "line 3: 'clai' where 'claim' was expected"),
    "a million blanks": (None, " " * 10**6, "line 1: the file ends where 'verified-risk-proof' was expected"),
    "a million lines": (None, "\n" * 10**6 + "x", "line 1000001: 'x' where 'verified-risk-proof' was expected"),
    "a scale of 0": ("lower budget 16", "lower budget 0", "line 20: the scale is '0'"),
    "data behind the end": ("end\n", "end\n\n" + "0 " * 10**5, "line 45: '0' behind the end"),
    "more behind the end": ("end\n", "end\nend\n", "'end' behind the end"),
    "no end": ("end\n", "", "the file ends where 'end' was expected"),
}  # fmt: skip


CURVED_EDITS = {
    "curves beyond all": ("mixture 3", f"mixture {10**12}", "line 2: the number of curves is '1000000000000'"),
    "weights that do not sum": ("weight 1/2 dual", "weight 1/3 dual", "the objective is not one"),
    "a negative weight": ("weight 1/2 dual", "weight -1/2 dual", "the objective is not one"),
    "a power of thousands": ("dual 3/2", "dual 3001/2", "line 2: not covered: an exponent"),
    "a negative power": ("dual 3/2", "dual -3/2", "line 2: not covered: an exponent"),
    "a far shift": ("dual 3/2", f"wang {10**9}", "line 2: not covered: a shift larger than 10"),
    "an inverse S that falls": ("cpw 71/100", "cpw 1/100", "the objective is not one"),
    "a jump at 0": ("jump 1/2", "jump 0", "the objective is not one"),
    "a jump beyond 1": ("jump 1/2", "jump 3/2", "the objective is not one"),
    "a jump at nothing": ("jump 1/2", "jump 1/0", "line 2: the level is '1/0'"),
    "a curve that is none": ("jump 1/2", "leap 1/2", "line 2: not covered: the curve 'leap'"),
    "places beyond all": ("places ", f"places {10**12} ", "line 14: the number of places is '1000000000000'"),
    "a place too many": ("places ", "places 1", "a place is 'curve', wanted an integer or p/q in decimal digits"),
    "stairs beyond all": ("stairs 3", f"stairs {10**12}", "the number of stairs is '1000000000000'"),
    "a stair too many": ("stairs 3", "stairs 4", "a point is 'curve', wanted an integer or p/q"),
    "cells beyond all": ("falling ", f"falling {10**12}", "the number of cells is '1000000000000"),
    "a chord turned round": ("chord 0 0 1/16", "chord 1/16 0 0", "curve 0: piece 0 of its line is not proved"),
    "a reason that is none": ("chord 0 0 1/16", "arc 0 0 1/16", "line 18: 'arc' where 'level', 'chord', 'line' or"),
    "a point of forty thousand digits": ("chord 0 0 1/16", f"chord 0 0 1/{'7' * 40000}", "curve 0: piece 0"),
    "a point of a million digits": ("chord 0 0 1/16", f"chord 0 0 1/{'7' * 10**6}", "line 18: a word of more than"),
    "no law": ("lower law", "lower budget", "'1' where 'unit' was expected"),
    "no cover": ("upper cover", "upper mean", "'unit' where 'end' was expected"),
}  # fmt: skip
CELLS_EDITS = {
    "a unit of 0": ("unit 1/4", "unit 0", "line 15: the unit is '0', wanted more than 0"),
    "a negative unit": ("unit 1/4", "unit -1/4", "line 15: the unit is '-1/4', wanted more than 0"),
    "halvings beyond all": ("halvings\n0 0", f"halvings\n{10**9} 0", "line 16: the number of halvings is"),
    "a window too wide once it is halved": (
        "halvings\n0 0\nwindows\n-3 5", "halvings\n14 0\nwindows\n-3 5", "a window of '131073' indices",
    ),
    "a long unit": ("unit 1/4", f"unit 1/{'7' * 49_000}", "does not prove the lower bound"),
    "halvings cut off": ("halvings\n0 0", "halvings\n0", "line 17: the number of halvings is 'windows'"),
    "a wide window": ("windows\n-3 5", f"windows\n{-(10**15)} 5", "a window of '1000000000000006' indices"),
    "an empty window": ("windows\n-3 5", "windows\n5 -3", "does not prove the lower bound"),
    "a start outside": ("start 2", f"start {10**40}", "does not prove the lower bound"),
    "a base beyond all": ("base 0", f"base {10**40}", "does not prove the lower bound"),
    "a base that is no integer": ("base 0", "base 1/2", "line 15: the base of rewards is '1/2'"),
    "an action that is none": ("0 3 3 0 3 1 3 0", "0 3 3 0 3 9 3 0", "does not prove the lower bound"),
    "a run that goes back": ("0 3 3 0 3 1 3 0", "0 3 -3 0 3 1 3 0", "line 23: the length of a run is '-3'"),
    "a table too small": ("0 3 3 0 3 1 3 0", "0 3 1 0 1 1 1 0", "does not prove the lower bound"),
    "runs beyond all": ("0 3 3 0 3 1 3 0", f"0 {10**12} 3 0 3 1 3 0", "line 23: the number of runs is"),
    "a scale of 0": (f"upper cells {2**60}", "upper cells 0", "line 26: the scale is '0'"),
    "another discount": ("discount 9/10", "discount 10/9", "do not prove the upper bound"),
    "a window that is missing": ("-2 8\n-2 8", "-2 8", "line 32: the first node of a window is 'end'"),
}  # fmt: skip


@pytest.fixture(scope="module")
def good_curved(tmp_path_factory) -> str:
    require_checker()
    file = tmp_path_factory.mktemp("curved") / "kept.txt"
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", 1: "1/2"}, {"1/3": 1}]], horizon=2)
    vr.plan(mdp, "1/2*dual(3/2) + 1/4*var(1/2) + 1/4*cpw(0.71)", gap="1/4").prove(certificate=file)
    return file.read_text()


@pytest.fixture(scope="module")
def good_cells(tmp_path_factory) -> str:
    """Both bounds by cells, the lower one 2/15 below what the law of the return would prove."""
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", 1: "1/2"}, {"1/3": 1}]], horizon=2, discount="9/10")
    draft = replace(Draft.of(vr.plan(mdp, "cvar(1/2)", eta="1/4")), by_cells=True)
    certificate = draft.certificate(exact=False, bits=60)
    text = "".join(replace(certificate, lower=certificate.lower - Fraction(2, 15)).lines())
    (line,) = verdicts([text], tmp_path_factory.mktemp("cells"))
    assert line.startswith("proved"), line
    return text


HOSTILE = {"good": EDITS, "good_curved": CURVED_EDITS, "good_cells": CELLS_EDITS}


@pytest.mark.parametrize(("which", "name"), [(which, name) for which, edits in HOSTILE.items() for name in edits])
def test_a_hostile_file_is_refused_with_one_line_that_says_where(which, name, request, tmp_path):
    old, new, said = HOSTILE[which][name]
    text = request.getfixturevalue(which)
    assert old is None or old in text
    assert said in answer(new if old is None else text.replace(old, new, 1), tmp_path)


def test_hostile_files_get_the_same_answers_from_the_program_of_a_page(good, good_curved, good_cells, tmp_path):
    """All that do not ask for memory, from one run: :func:`verdicts` compares."""
    edited = [
        new if old is None else text.replace(old, new, 1)
        for text, edits in zip((good, good_curved, good_cells), HOSTILE.values(), strict=True)
        for old, new, said in edits.values()
        if new.isascii() and "MB" not in said
    ]
    require_page_checker()
    assert not any(line.startswith("proved") for line in verdicts(edited, tmp_path))


def test_a_certificate_cut_off_anywhere_says_where(good, good_curved, good_cells, tmp_path):
    for text in (good, good_curved, good_cells):
        for share in range(1, 12):
            line = answer(text[: len(text) * share // 12], tmp_path)
            assert line.startswith("refused: line "), line


@pytest.mark.parametrize(
    ("encoding", "begin"),
    [
        ("utf-16", r"\255\254v\000e\000r\000i\000f\000i\000e\..."),
        ("utf-8-sig", r"\239\187\191verified-risk-proof"),
        ("cp037", r"\165\133\153\137\134\137\133\132`\153\13..."),
    ],
)
def test_a_text_in_another_encoding_is_refused(encoding, begin, good, tmp_path):
    said = f"refused: line 1: '{begin}' where 'verified-risk-proof' was expected"
    assert answer(good.encode(encoding), tmp_path) == said


def test_bytes_are_taken_as_they_are(good, tmp_path):
    """The upper half of the bytes has no digits."""
    line = answer(good.replace("claim 1 1", "claim 1 \xb1").encode("latin-1"), tmp_path)
    assert line.startswith(r"refused: line 3: the upper bound is '\177', wanted")


def test_a_file_without_end_is_stopped():
    command = [require_checker(), "--memory", "100", "/dev/zero"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (1, "refused: needs more than the 100 MB that are allowed\n")


@pytest.mark.parametrize(
    ("widest", "said"), [(3, "proved by"), (2, "refused: line 42: a window of '3' indices, more than the 2")]
)
def test_the_width_of_windows_is_limited(widest, said, good):
    command = [require_checker(), "--widest", str(widest), "-"]
    done = subprocess.run(command, input=good, capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.startswith(said), done.stdout


def test_how_a_certificate_is_laid_out_does_not_matter(good, good_curved, good_cells, tmp_path):
    """Other blanks between the words, a million of them once, and zeros before the digits of numbers."""
    rng = random.Random(0)
    texts = []
    for text in (good, good_curved, good_cells):
        words = [re.sub(r"(?<!\d)(\d+)(?!\w)", r"00\1", w) if w[-1].isdigit() else w for w in text.split()]
        texts.append("".join(w + rng.choice([" ", "\n", "\t", "\r\n", "  \n "]) for w in words))
        texts.append(text.replace(" ", " " * 10**6, 1).rstrip())
    assert [line.split(";")[0].split("_")[-1] for line in verdicts(texts, tmp_path)] == ["sound"] * 6


def test_the_answer_names_what_was_proved(good, good_curved, good_cells, tmp_path):
    """Objective and claim in their words, model and policy by the MD5 of theirs, whatever is between the words."""
    for text in (good, good_curved, good_cells):
        words = text.split()
        at = [words.index(part) for part in ("objective", "discount", "lower", "upper")]
        end = words.index("places") if "places" in words else at[2]
        stated, model = (" ".join(words[i:j]) for i, j in ((at[0], at[1]), (at[1], end)))
        policy = " ".join(words[at[2] : words.index("upper", at[2])])
        digest = [hashlib.md5(part.encode(), usedforsecurity=False).hexdigest() for part in (model, policy)]
        (line,) = verdicts([text.replace("\n", " \n\t")], tmp_path)
        assert line.split("; ")[1:4] == [stated, f"model {digest[0]}", f"policy {digest[1]}"]


def test_long_numbers_are_read_in_little_time(good, tmp_path):
    """A hundred rewards of 50,000 digits: a number is not multiplied by ten for each of its digits."""
    outcomes = f"4 102 1 0 3 3 2 3 {('0 ' + '9' * 50_000 + ' 3 ') * 100}"
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    line = answer(good.replace("4 2 1 0 3 3 2 3", outcomes), tmp_path)
    assert line == "refused: not enough memory"
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began < 5


def test_garbage_is_refused(good, tmp_path):
    rng = random.Random(0)
    for _ in range(10):
        assert answer(rng.randbytes(2000), tmp_path).startswith("refused: line ")
        noise = bytearray(good.encode())
        for _ in range(5):
            noise[rng.randrange(len(noise))] = rng.randrange(256)
        file = tmp_path / "noise.txt"
        file.write_bytes(bytes(noise))
        done = subprocess.run([require_checker(), file], capture_output=True, timeout=PATIENCE)
        assert done.returncode in (0, 1)
        assert done.stderr == b""


def _law_that_explodes(horizon: int) -> str:
    """Two rewards whose discounted sums never meet: 2 ** horizon returns from a file of a few kilobytes."""
    steps = "".join("rule 0 1 0\nchoices 1\n0 0 0 0\n" for _ in range(horizon))
    return (
        "verified-risk-proof 1\nobjective tail 0 1/2\nclaim 0 1\ndiscount 1/3\nreward_denominator 1\nstate_count 1\n"
        f"horizon {horizon}\ninitial 1 1\n0 1\nsteps {horizon} states 1\n0 1\n2 2 1 0 0 1 1 0\n"
        f"lower law 1000 1 1\nmachine 1 0\n{steps}upper mean 1000\nend\n"
    )


def test_a_law_that_explodes_is_stopped(tmp_path):
    line = answer(_law_that_explodes(60), tmp_path)
    assert "memory" in line or "MB that are allowed" in line or "stack" in line


def _stretched(horizon: int, digits: int) -> str:
    """The unit of a grid that grows by a factor of many digits at every step."""
    return (
        "verified-risk-proof 2\nobjective tail 0 1/2\nclaim 0 1\ndiscount 1\nreward_denominator 1\nstate_count 1\n"
        f"horizon {horizon}\ninitial 1 1\n0 1\nsteps {horizon} states 1\n0 1\n1 1 1 0 0\nlower budget 16\n"
        f"unit 1 stretch {'7' * digits} shrink 1\nwindows\n" + "0 1\n" * (horizon + 1) + "start 0\n"
        + "choices 1\n0 1 2 0\n" * horizon + "upper mean 16\nend\n"
    )  # fmt: skip


def test_powers_that_would_fill_the_memory_are_refused(tmp_path):
    """A short number over two steps is allowed: what it proves is another matter."""
    assert "powers of 265756 bits over 200 steps" in answer(_stretched(200, 40_000), tmp_path)
    assert "does not prove the lower bound" in answer(_stretched(2, 400), tmp_path)
    before, _, after = _stretched(400, 1).partition("lower budget 16\n")
    after = after.replace("stretch 7 shrink 1\n", f"base 0 halvings\n{'0 ' * 400}\n").replace("0 1 2 0", "0 1 1 0")
    long = before + "lower cells 16\n" + after.replace("unit 1 ", f"unit 1/{'7' * 40_000} ")
    assert "powers of 53151200 bits over 1 steps" in answer(long, tmp_path)


@pytest.mark.parametrize("kind", ["markov", "law"])
def test_a_long_discount_over_many_steps_is_refused(kind, tmp_path):
    """A few kilobytes that the checker would multiply for minutes."""
    before = _stretched(400, 1).partition("lower budget 16\n")[0]
    machine = "lower law 16 1 1\nmachine 1 0\n" + "rule 0 1 0\nchoices 1\n0 0 0 0\n" * 400
    low = machine if kind == "law" else "lower markov 16\n" + "choices 1\n0 0\n" * 400
    text = before.replace("discount 1\n", f"discount 1/{'7' * 4000}\n") + low + "upper mean 16\nend\n"
    assert "a discount of 13289 bits over 400 steps, more than 2000000 in all" in answer(text, tmp_path)
    short = text.replace("7" * 4000, "7" * 40).replace("tail 0 1/2", "tail 1 1").replace("claim 0 1", "claim 1 1")
    assert "does not prove the lower bound" in answer(short, tmp_path)


def test_leaves_whose_multipliers_would_fill_the_memory_are_refused(tmp_path):
    """Of 49,999 multipliers each, in a dozen characters."""
    before = (
        "verified-risk-proof 2\nobjective polygon 2 1/2 1/4 1 1\nclaim 0 1\ndiscount 1\nreward_denominator 1\n"
        "state_count 1\nhorizon 1\ninitial 1 1\n0 1\nsteps 1 states 1\n0 1\n1 1 1 0 0\nlower law 16 1 1\n"
        "machine 1 0\nrule 0 1 0\nchoices 1\n0 0 0 0\nupper cover 16\nunit 1 stretch 1 shrink 1\nwindows\n0 0\n"
        "0 49999\nstart 0\n"
    )
    leaf = "dual 49999 1\n"
    assert "multipliers of 962 MB" in answer(before + f"cut 0 1/2\n{leaf}" * 400 + leaf + "end\n", tmp_path)


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ({"dual 3/2": "dual 3/2001"}, "line 2: not covered: an exponent"),
        ({"dual 3/2": "dual 301/2", "chord 0 0 1/16": f"chord 0 0 1/{'7' * 10000}"}, "too many for powers of 301"),
        ({"dual 3/2": "wang 1/2", "chord 0 0 1/16": "chord 0 0 1601/100"}, "a hint larger than 16"),
        ({"dual 3/2": "wang 1/2", "chord 0 0 1/16": "chord 0 0 -1601/100"}, "a hint larger than 16"),
        ({"dual 3/2": "wang 1/2", "chord 0 0 1/16": f"chord 0 0 1/{'7' * 200}"}, "a hint has more than 512 bits"),
        ({"dual 3/2": f"wang 1/{'7' * 200}"}, "not covered: a shift larger than 10, or of more than 512 bits"),
        ({"dual 3/2": "wang 1001/100"}, "not covered: a shift larger than 10"),
    ],
)  # fmt: skip
def test_curves_whose_points_would_take_for_ever_are_refused(edits, said, good_curved, tmp_path):
    text = good_curved
    for old, new in edits.items():
        assert old in text
        text = text.replace(old, new, 1)
    assert said in answer(text, tmp_path)


def test_of_several_files_all_must_be_proved(good, tmp_path):
    (tmp_path / "good").write_text(good)
    (tmp_path / "bad").write_text(good.replace("claim 1 1", "claim 1 1/2"))
    for names, code in ((("good", "good"), 0), (("good", "bad"), 1), (("bad", "good"), 1)):
        done = subprocess.run(
            [require_checker(), *names], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.returncode == code, names
        assert ["good" if line.startswith("proved by check_sound") else "bad" for line in done.stdout.splitlines()] == [
            *names
        ]


def test_cuts_above_each_other_without_end_are_refused(tmp_path):
    plan = vr.exact_plan(vr.models.two_paths(), "1/2*cvar(1/4) + 1/2*cvar(1/2)")
    text = certificate_text(plan, tmp_path)
    assert "\ndual " in text
    before, _, after = text.partition("dual ")
    deep = before + "cut 0 1/2\n" * 200_000 + "dual " + after
    assert "cuts more than 5000 deep" in answer(deep, tmp_path)
    uncovered = before + "cut 0 1/2\ndual " + after.partition("\n")[0] + "\nend\n"
    assert "'end' where 'cut', 'passed' or 'dual' was expected" in answer(uncovered, tmp_path)
    passed = before + "passed 4 0 1/2\n" * 200_000 + "dual " + after
    assert "cuts more than 5000 deep" in answer(passed, tmp_path)
    long = f"{before}passed {'7' * 40_000} 0 0\ndual {after}".replace("state_count 4", "state_count 40000")
    assert "MB, more than the 300 MB that are allowed" in answer(long, tmp_path)


PLANS = {
    "another encoding": (lambda text: text.encode("utf-16"), "is not a text file (at byte 1)"),
    "a mark of the encoding": (lambda text: text.encode("utf-8-sig"), "line 1: Unexpected UTF-8 BOM"),
    "a NUL": (lambda text: text.replace('"lower"', '\0"lower"').encode(), "line 127: Expecting property name"),
    "a million blanks": (lambda text: b" " * 10**6, "line 1: Expecting value"),
    "trailing data": (lambda text: f"{text}\n{{}}".encode(), "Extra data"),
    "50,000 digits": (lambda text: signed(text, lower="9" * 50_000), "the plan says ≈1.00000000000e+50000 <= 1 <= 1"),
    "a state twice": (lambda text: signed(text, initial=[[0, "1/2"]] * 2), "initial lists state 0 twice"),
    "an edited number": (lambda text: text.replace('"upper": "1"', '"upper": "2"').encode(), "was edited: its data"),
    "an edited policy": (
        lambda text: signed(text, policy={"kind": "grid", "eta": "1", "rows": [[0, 0, 0, 1], [1, 2, 0, 0]]}),
        "the policy of the certificate does not prove the lower bound",
    ),
}  # fmt: skip


def signed(text: str, **changes) -> bytes:
    """The file of a plan with other contents, and the digest that these have."""
    data = json.loads(text)["data"]
    for key, value in changes.items():
        (data["model"] if key == "initial" else data)[key] = value
    return json.dumps({**json.loads(text), "data": data, "sha256": files.digest(data)}).encode()


@pytest.mark.parametrize("name", PLANS)
def test_a_damaged_plan_is_refused_with_one_line_that_says_where(name, tmp_path):
    edit, said = PLANS[name]
    require_checker()
    vr.exact_plan(vr.models.two_paths(), "cvar(1/4)").save(tmp_path / "plan.json")
    (tmp_path / "bad.json").write_bytes(edit((tmp_path / "plan.json").read_text()))
    done = CliRunner().invoke(main, ["prove", str(tmp_path / "bad.json"), "--report", str(tmp_path / "page.html")])
    assert done.exit_code == (1 if "policy" in name else 2)
    assert said in " ".join(done.output.split())
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("filling", [" ", "0 ", "1 0 ", "9" * 49_000 + " "], ids=["blanks", "words", "runs", "numbers"])
def test_reading_takes_at_most_thirty_times_the_file(filling, good, tmp_path):
    count = 10**7 // len(filling)
    text = good.replace("\n0 1 2 0\n", f"\n0 {count} {filling * count}\n", 1)
    (tmp_path / "large").write_text(text)
    limit = 60_000 + 30 * len(text) // 1000
    command = f'ulimit -v {limit}; exec "$0" "$1"'
    done = subprocess.run(["sh", "-c", command, require_checker(), tmp_path / "large"], capture_output=True, text=True)
    assert done.stdout.startswith("refused: ")
    assert done.stderr == ""


def test_without_the_checker_the_command_that_builds_it_is_named(monkeypatch):
    monkeypatch.setattr("verified_risk.proving.run_checker.BUILT", require_checker().with_name("missing"))
    with pytest.raises(errors.MissingDependency, match="make checker"):
        find_checker()
    with pytest.raises(errors.MissingDependency, match="make checker"):
        vr.exact_plan(vr.models.two_paths(), "mean").prove()


def test_an_installed_package_names_its_own_script_which_is_there(monkeypatch, tmp_path):
    """A wheel has no Makefile, but it has the checker's sources and the script that builds it."""
    assert (BUILT.parents[1] / "driver" / "build.sh").is_file()
    monkeypatch.setattr(
        "verified_risk.proving.run_checker.BUILT",
        tmp_path / "proofs_checks" / "formal" / "checker" / "build" / "checker",
    )
    with pytest.raises(errors.MissingDependency, match=r"run `sh .*/proofs_checks/formal/checker/driver/build\.sh`"):
        find_checker()
