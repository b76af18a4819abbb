"""Malicious files are rejected with one line, in bounded time and memory, and nothing else is touched.

The budgets: ``SECONDS`` of computing for a refusal (``tests/support/hostile.py``), and memory of :data:`MOST_MEMORY`
bytes where a file claims more.  ``proofs_checks/fuzz`` mutates valid files at random.
"""

import base64
import json
import os
import tracemalloc
import zlib
from fractions import Fraction

import pytest
from click.testing import CliRunner
from hostile import SECONDS, refused, signed

import verified_risk as vr
from proofs_checks import recheck
from proofs_checks.engine.ledger import Ledger
from proofs_checks.fuzz.property import limited
from proofs_checks.fuzz.readers import CERTIFICATES
from verified_risk import errors, files
from verified_risk.cli import main
from verified_risk.cli.failures import LONGEST_LINE
from verified_risk.experiments.sweep import read_cells
from verified_risk.files import decode_array, encode_array
from verified_risk.numbers.rational import LONGEST, as_fraction

MOST_MEMORY = 50_000_000
HEADER = "idstatefrom,idaction,idstateto,probability,reward\n"


def model_text(tmp_path):
    path = tmp_path / "good.json"
    vr.models.two_paths().save(path)
    return path.read_text()


def model_with(tmp_path, **changes):
    return signed(tmp_path / "changed.json", "model", {**vr.models.two_paths().to_json(), **changes})


# -- numbers ----------------------------------------------------------------------------------------------------------

EXPONENTS = ("1e999999999", "1/1e999999999", "-1E+999_999_999")
DIGITS = ("9" * 10**6, "1/" + "7" * 10**6, "0." + "1" * 10**6)
SCRIPTS = ("١", "１/２", "1/٣", "0.٥", "½", "²")


@pytest.mark.parametrize("written", EXPONENTS)
def test_an_exponent_is_not_written_out(written, tmp_path):
    refused(as_fraction, written, "p", match="wanted an exponent of at most 100000")
    refused(vr.objective, f"cvar({written})", match="exponent|cannot read")
    refused(vr.MDP.load, model_with(tmp_path, discount=written), match="exponent")
    run = vr.learn(vr.models.two_paths(), "cvar(1/2)", episodes=2).to_json()
    for name in ("delta", "bonus_scale", "stop_when", "eta"):
        refused(vr.Run.load, signed(tmp_path / "run.json", "run", {**run, name: written}), match=f"{name}.*exponent")
    (tmp_path / "model.csv").write_text(f"{HEADER}0,0,0,1,{written}\n")
    refused(vr.MDP.from_csv, tmp_path / "model.csv", initial=0, horizon=1, index_base=0, match="line 2: reward is")
    with pytest.raises(recheck.Rejected, match="exponent"):
        recheck.check_text(certificate_with(alpha=written))


def test_storm_is_not_given_an_exponent_that_it_would_write_out(tmp_path):
    head = "@type: MDP\n@parameters\n\n@reward_models\nr\n@nr_states\n1\n@nr_choices\n1\n@model\nstate 0 [0] init\n"
    for written in ("1e999999999", "2.5E-0001000000"):
        (tmp_path / "model.drn").write_text(f"{head}\taction 0 [{written}]\n\t\t0 : 1\n")
        refused(vr.MDP.from_storm, tmp_path / "model.drn", horizon=1, match="wanted an exponent of at most 100000")


@pytest.mark.parametrize("written", DIGITS)
def test_a_million_digits_are_refused_before_they_are_read(written, tmp_path):
    said = f"of {len(written)} characters, wanted at most {LONGEST}"
    refused(as_fraction, written, "p", match=said)
    refused(vr.objective, f"cvar({written})", match=said)
    refused(vr.MDP.load, model_with(tmp_path, discount=written), match=said)
    (tmp_path / "model.csv").write_text(f"{HEADER}0,0,0,1,{written}\n")
    refused(vr.MDP.from_csv, tmp_path / "model.csv", initial=0, horizon=1, index_base=0, match="field limit|characters")
    with pytest.raises(recheck.Rejected, match="at most 4000 characters"):
        recheck.check_text(certificate_with(alpha=written))


def test_long_numbers_that_are_allowed_are_read_and_told_shortly():
    """The messages hold numbers of more digits than Python writes; what they say is short and true."""
    long = "9" * 5000
    for words in (f"{long}*mean + 1/2*cvar(1/2)", f"cpw({long})", f"cvar({long})", f"var({long})", f"hazard(-{long})"):
        refused(vr.objective, words, match=r"≈(1\.0|-1\.0)0+e\+5000")
    refused(vr.Law, {long: "1/2"}, match="sums to 1/2, not to 1: {≈1.0+e")
    refused(vr.MDP, 0, [[[1]]], [[{0: 1}]], horizon=1, discount=long, match="discount is ≈1.0+e")
    with limited(SECONDS):
        assert as_fraction(f"1/{'7' * (LONGEST - 2)}", "p") > 0


@pytest.mark.parametrize("written", SCRIPTS)
def test_digits_of_other_scripts_are_no_numbers(written, tmp_path):
    refused(as_fraction, written, "p", match="wanted a number such as")
    refused(vr.objective, f"cvar({written})", match="cannot read|wanted")
    refused(vr.MDP.load, model_with(tmp_path, discount=written), match="wanted a number such as")
    for row in (f"0,0,0,1,{written}", f"{written},0,0,1,0", f"0,0,{written},1,0"):
        (tmp_path / "model.csv").write_text(f"{HEADER}{row}\n")
        refused(vr.MDP.from_csv, tmp_path / "model.csv", initial=0, horizon=1, index_base=0, match="line 2: ")
    with pytest.raises(recheck.Rejected, match=r"ASCII|cannot be read"):
        recheck.check_text(certificate_with(alpha=written))


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity"])
def test_what_json_calls_a_number_and_is_none_is_refused(written, tmp_path):
    text = model_text(tmp_path)
    data = json.loads(text)["data"]
    for name in ("horizon", "discount"):
        refused(vr.MDP.load, model_with(tmp_path, **{name: float(written)}), match=f"{name} is ")
    data["states"][0][0]["reward"]["atoms"][0] = float(written)
    refused(vr.MDP.load, signed(tmp_path / "changed.json", "model", data), match="wanted a")
    with pytest.raises(recheck.Rejected):
        recheck.check_text(certificate_with(alpha=float(written)))


def certificate_with(**changes):
    data = json.loads((CERTIFICATES / "cvar_rho.json").read_text())
    data["instance"].update(changes)
    return json.dumps({**data, "sha256": recheck.digest(data)})


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("lem_event-hoeffding.json", {"n": 10**16}),
        ("def_grid-points.json", {"horizon": 10**16}),
        ("limits-convex.json", {"points": 7 * 10**16}),
        ("thm_main.json", {"episodes": 10**16}),
        ("thm_main-factor.json", {"counts": [10**16]}),
        ("lem_event-conditioning.json", {"horizon": 10**16}),
    ],
)
def test_the_standalone_checker_has_a_budget(name, changes):
    """A signed certificate that asks for more work than there is time is rejected with the limit."""
    data = json.loads((CERTIFICATES / name).read_text())
    assert recheck.check_text(json.dumps(data)).refutes
    assert set(changes) <= set(data["instance"])
    data["instance"].update(changes)
    data["sha256"] = recheck.digest(data)
    with limited(SECONDS), pytest.raises(recheck.Rejected, match="a hypothesis fails"):
        recheck.check_text(json.dumps(data))


# -- JSON -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hostile", ["[" * 10**6, '{"a":' * 10**6, '{"data":' + "[" * 10**5 + "]" * 10**5 + "}"])
def test_nesting_without_end_is_refused_by_every_reader(hostile, tmp_path):
    path = tmp_path / "deep.json"
    path.write_text(hostile)
    for load in (vr.MDP.load, vr.Policy.load, vr.Plan.load, vr.Run.load, Ledger.load):
        refused(load, path, match="nested too deeply")
    with limited(SECONDS), pytest.raises(recheck.Rejected, match="nested too deeply"):
        recheck.check_text(hostile)
    for words in (["plan", str(path)], ["evaluate", str(path)], ["experiment", "sweep", str(path), "--out", "x"]):
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 2
        assert "nested too deeply" in result.stderr


def test_a_key_that_stands_twice_is_refused_by_every_reader(tmp_path):
    text = model_text(tmp_path)
    for twice in (
        text.replace('"version": 1', '"version": 1, "version": 1'),
        text.replace('"horizon": 2', '"horizon": 7, "horizon": 2'),
    ):
        assert twice != text
        (tmp_path / "twice.json").write_text(twice)
        refused(vr.MDP.load, tmp_path / "twice.json", match="stands twice in one object", kind=errors.InvalidFile)
    certificate = (CERTIFICATES / "cvar_rho.json").read_text()
    doubled = certificate.replace('"alpha":', '"alpha": "1/7", "alpha":')
    assert doubled != certificate
    with pytest.raises(recheck.Rejected, match="a key stands twice"):
        recheck.check_text(doubled)
    refused(Ledger.from_json, '{"examples": 1, "examples": 2}', match="'examples' stands twice")
    (tmp_path / "cells.json").write_text('[{"model": "two_paths", "model": "moon", "objective": "mean"}]')
    result = CliRunner().invoke(
        main, ["experiment", "sweep", str(tmp_path / "cells.json"), "--out", str(tmp_path / "o")]
    )
    assert (result.exit_code, "'model' stands twice" in result.stderr) == (2, True)


def test_the_key_that_stands_twice_is_found_quickly_among_many():
    keys = ",".join(f'"k{i}":1' for i in range(200_000))
    refused(files.parse_json, f'{{{keys},"k199999":1}}', "it", match="'k199999' stands twice", kind=errors.InvalidFile)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ({"model": ["two_paths"], "objective": "mean"}, r"'model' is \['two_paths'\], wanted a number or text"),
        ({"model": "two_paths", "objective": {}}, r"'objective' is \{\}, wanted a number or text"),
        ({"model": "two_paths", "objective": "mean", "parameters": [["x", [1]]]}, r"'x' is \[1\], wanted a number"),
        ({"model": "two_paths", "objective": "mean", "parameters": [[1]]}, r"parameters is \[\[1\]\], wanted"),
        ({"model": "two_paths", "objective": "mean", "x" * 10**6: 1}, "xxx… is none of model"),
    ],
)
def test_a_cell_that_is_none_is_refused_shortly(cell, said, tmp_path):
    (tmp_path / "cells.json").write_text(json.dumps([cell]))
    refused(read_cells, tmp_path / "cells.json", match=said, kind=errors.InvalidArgument)


def test_what_is_said_about_a_file_is_short(tmp_path):
    """A name of a million characters is quoted in part only, by the readers and by the command line."""
    long = "x" * 10**6
    (tmp_path / "it.json").write_text(model_text(tmp_path).replace("verified_risk/model", long))
    refused(vr.MDP.load, tmp_path / "it.json", match="holds 'xxx")
    result = CliRunner().invoke(main, ["plan", long])
    assert (result.exit_code, len(result.stderr) <= LONGEST_LINE + 2) == (2, True)
    data = json.loads((CERTIFICATES / "cvar_rho.json").read_text())
    for change in ({"format": long}, {"version": long}, {"label": long}):
        changed = {**data, **change}
        text = json.dumps({**changed, "sha256": recheck.digest(changed)})
        with pytest.raises(recheck.Rejected) as caught:
            recheck.check_text(text)
        assert len(str(caught.value)) < 1000


def test_words_that_are_no_text_are_refused(tmp_path):
    refused(vr.MDP.load, model_with(tmp_path, drawing=1e-17), match="drawing is 1e-17, wanted text")
    refused(vr.MDP.load, model_with(tmp_path, notes=[1]), match=r"notes is \[1\], wanted lines of text")


# -- packed arrays ----------------------------------------------------------------------------------------------------


def pack(raw):
    return base64.b64encode(zlib.compress(raw, 9)).decode("ascii")


BOMB = pack(bytes(400_000_000))
"""Half a megabyte that unpacks to 400 MB of zeros."""


def test_a_packed_table_unpacks_to_no_more_than_it_claims(tmp_path, monkeypatch):
    mdp = vr.models.two_paths()
    held = vr.plan(mdp, "cvar(1/2)").policy.to_json()
    bomb = {**held, "packed": {**held["packed"], "tables": BOMB}}
    path = signed(tmp_path / "policy.json", "policy", {"model": mdp.to_json(), "policy": bomb})
    tracemalloc.start()
    try:
        refused(vr.Policy.load, path, match="unpacks to more than")
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()
    claimed = mdp.n_states * sum(held["packed"]["widths"])
    monkeypatch.setattr("verified_risk.policy.grid_policy.MOST_CELLS", claimed - 1)
    refused(vr.Policy.load, path, match=f"hold {claimed} actions, wanted at most {claimed - 1}")


def test_every_packed_array_is_bounded(monkeypatch):
    """The other arrays say their size only inside: the limit is a constant, lowered here."""
    cells = vr.plan(vr.models.two_paths().with_discount("9/10"), "cvar(1/2)", eta="1/7").policy
    monkeypatch.setattr(files.unpacked, "__defaults__", (1000,))
    assert decode_array(encode_array(vr.learn(vr.models.two_paths(), "mean", episodes=3).values)).shape == (3,)
    array = {"type": "<f8", "shape": [50_000_000], "data": BOMB}
    refused(decode_array, array, match="unpacks to more than 1000 bytes")
    data = cells.to_json()
    assert data["kind"] == "cells"
    for name in ("tables", "linear"):
        refused(
            type(cells).from_json, {**data, name: BOMB}, cells.mdp, match=f"{name} of the policy cannot be unpacked"
        )


def test_a_packed_array_that_was_cut_is_refused():
    whole = base64.b64encode(zlib.compress(bytes(range(256)) * 10)).decode()
    assert files.unpacked(whole) == bytes(range(256)) * 10
    cut, strange, long = (whole[:-4],), (f"{whole[:-4]}!{whole[-4:]}",), (whole, 2559)
    for given, message in ((cut, "ends too early"), (strange, "base64"), (long, "more than 2559 bytes")):
        with pytest.raises(ValueError, match=message):
            files.unpacked(*given)
    assert len(files.unpacked(whole, 2560)) == 2560


# -- the file system --------------------------------------------------------------------------------------------------


def test_a_device_that_never_ends_is_not_read(tmp_path, capsys):
    (tmp_path / "model.json").symlink_to("/dev/zero")
    for kind in ("csv", "drn", "prism", "jani"):
        (tmp_path / f"model.{kind}").symlink_to("/dev/zero")
    refused(vr.MDP.load, tmp_path / "model.json", match="is a device, wanted a file")
    refused(vr.MDP.from_csv, tmp_path / "model.csv", initial=0, horizon=1, index_base=0, match="is a device")
    for kind in ("json", "csv", "drn", "prism", "jani"):
        result = CliRunner().invoke(main, ["plan", str(tmp_path / f"model.{kind}")])
        assert (result.exit_code, "is a device" in result.stderr) == (2, True), kind
    assert recheck.main([str(tmp_path / "model.json")]) == 2
    assert "REJECTED: a device" in capsys.readouterr().out


def test_links_in_a_circle_are_an_error_of_one_line(tmp_path):
    (tmp_path / "a.json").symlink_to(tmp_path / "b.json")
    (tmp_path / "b.json").symlink_to(tmp_path / "a.json")
    result = CliRunner().invoke(main, ["plan", str(tmp_path / "a.json")])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_writing_to_a_link_replaces_the_link_and_leaves_its_target_alone(tmp_path):
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "model.json").symlink_to(tmp_path / "precious")
    vr.models.two_paths().save(tmp_path / "model.json")
    assert (tmp_path / "precious").read_text() == "precious"
    assert vr.MDP.load(tmp_path / "model.json") == vr.models.two_paths()


def test_a_device_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    refused(vr.models.two_paths().save, tmp_path / "pipe.json", match="is a device or a pipe", kind=errors.InvalidFile)
    result = CliRunner().invoke(main, ["plan", "two_paths", "--save", str(tmp_path / "pipe.json")])
    assert (result.exit_code, "is a device or a pipe" in result.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe.json"]


@pytest.mark.parametrize(
    "words",
    [
        ["plan", "two_paths", "--save"], ["learn", "two_paths", "--episodes", "2", "--save"],
        ["plan", "two_paths", "--plot"], ["audit", "--statement", "lem:key", "--html"],
        ["audit", "--statement", "lem:key", "--json"], ["prove", "PLAN", "--coq"], ["prove", "PLAN", "--certificate"],
        ["learn", "two_paths", "--episodes", "2", "--checkpoint"],
    ],
    ids=lambda words: f"{words[0]} {words[-1]}",
)  # fmt: skip
def test_a_file_of_another_kind_is_not_overwritten(words, tmp_path):
    suffix = ".svg" if words[-1] == "--plot" else ".json"
    vr.models.two_paths().save(tmp_path / f"model{suffix}")
    (tmp_path / f"letter{suffix}").write_text("dear reader")
    vr.exact_plan(vr.models.two_paths(), "mean").save(tmp_path / "plan.json")
    words = [str(tmp_path / "plan.json") if word == "PLAN" else word for word in words]
    for name in ("model", "letter"):
        path = tmp_path / f"{name}{suffix}"
        before = path.read_bytes()
        result = CliRunner().invoke(main, [*words, str(path)])
        assert result.exit_code == 2, result.output
        assert result.stderr.count("\n") == 1
        assert path.read_bytes() == before


def test_a_file_of_the_same_kind_and_an_empty_one_are_overwritten(tmp_path):
    plan, picture = tmp_path / "plan.json", tmp_path / "law.svg"
    plan.touch()
    for objective in ("mean", "cvar(1/2)"):
        words = ["plan", "two_paths", "--objective", objective, "--save", str(plan), "--plot", str(picture)]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.output
        assert vr.Plan.load(plan).objective.spec == objective
    assert vr.Plan.load(plan).lower == Fraction(vr.exact_plan(vr.models.two_paths(), "cvar(1/2)").value)
