"""Bad input to every command: one line that says what to do, exit code 2, no traceback, nothing written."""

import json
import subprocess

import pytest
from click.testing import CliRunner
from terminal import COMMAND
from test_cli_json import leaves

import verified_risk as vr
from verified_risk.cli import main

HEADER = "idstatefrom,idaction,idstateto,probability,reward\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of files, good and bad, to stand in."""
    monkeypatch.chdir(tmp_path)
    vr.models.two_paths().save("model.json")
    vr.models.two_paths().to_csv("model.csv")
    vr.exact_plan(vr.models.two_paths(), vr.Mean()).save("plan.json")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "folder").mkdir()
    (tmp_path / "cut.json").write_text((tmp_path / "model.json").read_text()[:200])
    (tmp_path / "edited.json").write_text((tmp_path / "model.json").read_text().replace('"horizon": 2', '"horizon": 3'))
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "words.json").write_text("hello")
    (tmp_path / "picture.json").write_bytes(b"\x89PNG\xff\xfe")
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\xff\xfe")
    (tmp_path / "short.csv").write_text(HEADER + "0,0,0,1/2,0\n")
    (tmp_path / "letters.csv").write_text(HEADER + "0,0,zero,1,0\n")
    (tmp_path / "columns.csv").write_text("a,b\n1,2\n")
    (tmp_path / "log.csv").write_text("episode,state,action,reward\n1,0,0,0\n1,3,0,1\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "model.drn").write_text("@type: MDP\n")
    (tmp_path / "cells.json").write_text(json.dumps([{"model": "two_paths", "objective": "mean", "colour": "red"}]))
    (tmp_path / "aimless.json").write_text(json.dumps([{"model": "two_paths"}]))
    (tmp_path / "pairs.json").write_text(json.dumps([{"model": "two_paths", "objective": "mean", "parameters": [1]}]))
    (tmp_path / "numbers.json").write_text("[1]")
    (tmp_path / "none.json").write_text("[]")
    return tmp_path


OUT = ["--out", "out", "--workers", "0"]
BAD = [
    # models
    (["plan", "frozenlake"], "did you mean frozen_lake?"),
    (["plan", "two_paths", "--then", "nonsense"], "'nonsense' is not an objective"),
    (["plan", "two_paths", "--subject-to", "cvar(1/4) = 1"], "a constraint is 'cvar(1/4) = 1', wanted text such as"),
    (["plan", "xyz"], "no model is named 'xyz': named models are frozen_lake, two_paths"),
    (["models", "show", "two_pathes"], "did you mean two_paths"),
    (["learn", "riverswim"], "did you mean river_swim?"),
    (["plan", "missing.json"], "missing.json: No such file or directory: check the path"),
    (["plan", "missing.csv", "--horizon", "2"], "there is no file missing.csv: check the path"),
    (["plan", "missing.drn"], "there is no file missing.drn: check the path"),
    (["plan", "some/model.txt"], "there is no file some/model.txt: check the path"),
    (["plan", "folder.json"], "folder.json: Is a directory"),
    (["plan", "folder"], "folder: Is a directory"),
    (["plan", "cut.json"], "cut.json is not complete JSON"),
    (["plan", "edited.json"], "edited.json was edited"),
    (["plan", "list.json"], "list.json is not a verified_risk file"),
    (["plan", "words.json"], "words.json is not complete JSON"),
    (["plan", "picture.json"], "picture.json is not a text file"),
    (["plan", "plan.json"], "plan.json holds 'verified_risk/plan', wanted 'verified_risk/model'"),
    (["plan", "model.csv"], "add --horizon N"),
    (["plan", "picture.csv", "--horizon", "2"], "picture.csv is not a text file"),
    (["plan", "short.csv", "--horizon", "2"], "short.csv: state 0, action 0 (from line 2) sums to 1/2, not to 1"),
    (["plan", "letters.csv", "--horizon", "2"], "letters.csv, line 2: idstateto is 'zero', wanted an integer"),
    (["plan", "columns.csv", "--horizon", "2"], "wanted one each of idstatefrom"),
    (["plan", "empty.csv", "--horizon", "2"], "wanted one each of idstatefrom"),
    (["plan", "model.csv", "--horizon", "2", "--index-base", "1"], "wanted index_base = 1"),
    (["plan", "model.csv", "--horizon", "2", "--index-base", "7"], "index_base is 7, wanted 0 or 1"),
    (["plan", "model.csv", "--horizon", "2", "--initial", "9"], "initial names state 9, wanted one of the states 0..3"),
    (["plan", "model.csv", "--horizon", "0"], "horizon is 0, wanted an integer of at least 1"),
    (["plan", "two_paths", "--horizon", "-1"], "horizon is -1, wanted an integer of at least 1"),
    (["plan", "two_paths", "--horizon", "two"], "'two' is not a valid integer. (try: verified-risk plan --help)"),
    (["plan", "two_paths", "--initial", "1"], "--initial means nothing for a named or saved model"),
    (["plan", "model.json", "--index-base", "1"], "--index-base means nothing for a named or saved model"),
    (["plan", "model.csv", "--rewards", "x", "--horizon", "2"], "--rewards means nothing for a CSV"),
    (["plan", "two_paths", "--constants", "N=3"], "--constants means nothing for a named or saved model"),
    (["plan", "gym:FrozenLake-v1?map_name"], "has the option 'map_name', wanted name=value"),
    (["plan", "gym:FrozenLake-v1?map_nome=8x8"], "gymnasium makes no environment 'FrozenLake-v1' with"),
    (["plan", "two_paths", "--discount", "2"], "discount is 2, wanted a number in (0, 1]"),
    (["plan", "two_paths", "--plot", "law.txt"], "--plot law.txt: wanted a name that ends in .svg, .png, .pdf"),
    (["compare", "two_paths", "--objective", "cvar(0)"], "alpha is 0, wanted a level in (0, 1]"),
    (["frontier", "two_paths", "--alpha", "1/2,2"], "alpha is 2, wanted a level in (0, 1]"),
    (["prove", "missing.json", "--coq", "p.v", "--certificate", "c.json"], "File 'missing.json' does not exist"),
    (["prove", "picture.json", "--report", "nowhere/page.html"], "there is no folder nowhere"),
    (["warmup", "now"], "unexpected extra argument"),
    (["explain", "thm:augmentd"], "did you mean thm:augmented"),
    (["plan", "gym:NoLake-v1", "--horizon", "2"], "gymnasium makes no environment 'NoLake-v1'"),
    (["plan", "gym:CartPole-v1", "--horizon", "2"], "wanted a tabular environment with a transition table"),
    # objectives and numbers
    (["plan", "two_paths", "--objective", "cvar"], "'cvar' in 'cvar' has no parameter, wanted cvar(1/4)"),
    (["plan", "two_paths", "--objective", "cvar(2)"], "alpha is 2"),
    (["plan", "two_paths", "--objective", ""], "cannot read ''"),
    (["plan", "two_paths", "--objective", "0.5*mean"], "sum"),
    (["learn", "two_paths", "--objective", "median(1/2)"], "'median'"),
    (["evaluate", "plan.json", "--objective", "cvar(0)"], "alpha is 0"),
    (["plan", "two_paths", "--eta", "0"], "eta is 0, wanted a positive"),
    (["plan", "two_paths", "--gap", "-1"], "gap is -1, wanted a nonnegative number"),
    (["plan", "two_paths", "--time-limit", "-1"], "time_limit is -1, wanted a nonnegative number"),
    (["plan", "two_paths", "--exact", "--eta", "1/2"], "--exact has no error: leave out --eta"),
    (["plan", "two_paths", "--exact", "--time-limit", "0"], "the time limit of 0 s is reached: leave out --exact"),
    (["plan", "two_paths", "--exact", "--objective", "wang(1)"], "rational corners: leave out --exact"),
    (["learn", "two_paths", "--episodes", "0"], "0 is not in the range x>=1"),
    (["learn", "two_paths", "--delta", "2"], "delta is 2, wanted a probability strictly between 0 and 1"),
    (["learn", "two_paths", "--bonus-scale", "0"], "bonus_scale is 0, wanted a positive number"),
    (["learn", "two_paths", "--eta", "nan"], "eta"),
    (["learn", "two_paths", "--seed", "-1"], "-1 is not in the range x>=0"),
    (["learn", "two_paths", "--algorithm", "sarsa"], "'sarsa' is not one of 'kl', 'bets', 'ucb'"),
    (["learn", "two_paths", "--algorithm", "greedy", "--audit"], "there is no theorem to audit, wanted 'kl'"),
    (["learn", "two_paths", "--stop-when", "-1"], "stop_when is -1, wanted a gap of at least 0"),
    (["learn", "two_paths", "--largest-return", "x"], "largest_return is 'x', wanted a number"),
    (["learn", "two_paths", "--episodes", "5", "--checkpoint", "no/such/c.json"], "a regular file in a folder that"),
    (["from-log", "log.csv", "--horizon", "0"], "0 is not in the range x>=1"),
    (["from-log", "log.csv"], "rewards is missing, wanted all rewards that a step can pay: the log has 0, 1"),
    (["from-log", "log.csv", "--rewards", "1/2"], "line 3: the reward is 1, outside"),
    (["from-log", "log.csv", "--terminal", "3"], "line 3: state is 3, which is terminal"),
    (["from-log", "log.csv", "--rewards", "1", "--states", "0"], "line 2: 3 is not among the declared 0"),
    (["from-log", "log.csv", "--initial", "x"], "the state is 'x', wanted a whole number as in log.csv"),
    (["from-log", "log.csv", "--column", "reward=r"], "reward is 'r', wanted one column for"),
    (["from-log", "log.csv", "--sets", "box"], "'box' is not one of 'ball', 'kl'"),
    (["fuzz", "--seconds", "0"], "0.0 is not in the range x>0"),
    (["fuzz", "--hours", "x", "--seed", "1"], "'x' is not a valid float range"),
    (["fuzz", "--workers", "-1"], "-1 is not in the range x>=0"),
    (["fuzz", "--property", "nothing", "--out", "out"], "unknown property 'nothing', wanted one of plan"),
    (["plan", "two_paths", "--objective", f"var({'9' * 5000})"], "wanted a level in (0, 1]"),
    (["plan", "two_paths", "--objective", f"pl(0,0;{'9' * 5000},1)"], "the last corner is at tau"),
    # where results go
    (["plan", "two_paths", "--save", "no/such/plan.json"], "there is no folder no/such: create it first"),
    (["learn", "two_paths", "--save", "no/run.json"], "there is no folder no: create it first"),
    (["plan", "two_paths", "--save", "folder"], "File 'folder' is a directory"),
    (["audit", "--html", "no/page.html"], "--html no/page.html: there is no folder no: create it first"),
    (["audit", "--json", "no/ledger.json"], "--json no/ledger.json: there is no folder no: create it first"),
    (["audit", "--json", "folder"], "--json folder: this is a folder, wanted a file"),
    (["experiment", "lake", "--out", "model.json"], "Directory 'model.json' is a file"),
    # evaluate, recheck, audit, experiment
    (["evaluate", "missing.json"], "File 'missing.json' does not exist"),
    (["evaluate", "folder.json"], "File 'folder.json' is a directory"),
    (["evaluate", "model.json"], "model.json holds 'verified_risk/model', wanted 'verified_risk/policy'"),
    (["evaluate", "picture.json"], "picture.json is not a text file"),
    (["evaluate", "cut.json"], "cut.json is not complete JSON"),
    (["recheck", "missing.json"], "File 'missing.json' does not exist"),
    (["recheck"], "Missing argument 'FILES...'"),
    (["audit", "--statement", "lem:kye"], "no statement has the label 'lem:kye': did you mean lem:key"),
    (["audit", "--module", "nowhere"], "module 'nowhere' cannot be imported"),
    (["new-audit", "folder"], "folder exists, wanted the name of a new folder"),
    (["audit", "--examples", "0"], "0 is not in the range x>=1"),
    (["audit", "--jobs", "0"], "0 is not in the range x>=1"),
    (["experiment", "lake"], "Missing option '--out'"),
    (["experiment", "lake", *OUT, "--seeds", "0"], "0 is not in the range x>=1"),
    (["experiment", "lake", *OUT, "--episodes", "few"], "'few' is not a valid integer"),
    (["experiment", "lake", "--out", "out", "--workers", "-1"], "workers is -1, wanted"),
    (["experiment", "scaling", *OUT, "--seeds", "0"], "0 is not in the range x>=1"),
    (["experiment", "rivals", *OUT, "--model", "sea"], "'sea' is not one of 'lake', 'machine', 'random', 'swim'"),
    (["experiment", "sweep", "missing.json", *OUT], "File 'missing.json' does not exist"),
    (["experiment", "sweep", "words.json", *OUT], "words.json is not complete JSON (line 1"),
    (["experiment", "sweep", "model.json", *OUT], "model.json is not a list of cells"),
    (["experiment", "sweep", "numbers.json", *OUT], "numbers.json is not a list of cells"),
    (["experiment", "sweep", "cells.json", *OUT], "cannot be read: 'colour' is none of model, objective,"),
    (["experiment", "sweep", "aimless.json", *OUT], "cell {'model': 'two_paths'} cannot be read: it has no objective"),
    (["experiment", "sweep", "pairs.json", *OUT], "parameters is [1], wanted [[name, value], ...]"),
    (["experiment", "sweep", "none.json", *OUT], "the sweep has no cells"),
    # usage
    (["plann"], "No such command 'plann'"),
    (["plan"], "Missing argument 'MODEL'. (try: verified-risk plan --help)"),
    (["plan", "two_paths", "--objectiv", "mean"], "No such option"),
    (["experiment", "sea"], "No such command 'sea'"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(arguments) for arguments, _ in BAD])
def test_bad_input_is_answered_with_one_line_that_says_what_to_do(arguments, message, folder):
    if any(argument.startswith("gym:") for argument in arguments):
        pytest.importorskip("gymnasium")
    before = sorted(folder.rglob("*"))
    result = CliRunner().invoke(main, arguments, prog_name="verified-risk")
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    left = [path for path in sorted(folder.rglob("*")) if path not in before]
    assert all(path.name == "out" for path in left)


def test_a_file_for_storm_is_refused_in_one_line_with_or_without_storm(folder):
    result = CliRunner().invoke(main, ["plan", "model.drn"])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "pip install 'verified-risk[storm]'" in result.stderr or "Storm cannot read model.drn" in result.stderr


@pytest.mark.parametrize("name", ["words.json", "picture.json", "model.json", "cut.json"])
def test_a_file_that_is_no_certificate_is_rejected_by_name(name, folder):
    result = CliRunner().invoke(main, ["recheck", name])
    assert result.exit_code == 2
    assert result.stdout.startswith(f"{name}: REJECTED: ")
    assert result.stdout.count("\n") == 1


def test_every_command_and_every_option_with_a_value_meets_bad_input():
    """The list above is checked against the commands: what is added there must be added here."""
    tried = [arguments for arguments, _ in BAD]
    used = {word for arguments in tried for word in arguments}
    free_text = {"--scheduler", "--local-cluster", "--cluster"}  # tested with the sweeps and the fuzz runner
    for path, command in leaves():
        assert any(tuple(arguments[: len(path)]) == path for arguments in tried), path
        for parameter in command.params:
            if parameter.param_type_name == "option" and not parameter.is_flag and parameter.opts[0] not in free_text:
                assert parameter.opts[0] in used, parameter.opts[0]


def test_debug_shows_the_traceback_of_an_error():
    done = subprocess.run([*COMMAND, "--debug", "plan", "nowhere"], capture_output=True, text=True, check=False)
    assert "Traceback" in done.stderr
    assert "InvalidArgument: no model is named 'nowhere'" in done.stderr


def test_a_bug_is_one_line_that_says_how_to_report_it(monkeypatch):
    def broken(text):
        raise KeyError("lost\nkey")

    monkeypatch.setattr(vr, "objective", broken)
    result = CliRunner().invoke(main, ["plan", "two_paths"])
    assert result.exit_code == 3
    assert result.stderr == (
        "bug: KeyError: 'lost\\nkey'; run `verified-risk --debug ...` with the same words and report what it prints\n"
    )
    shown = CliRunner().invoke(main, ["--debug", "plan", "two_paths"])
    assert isinstance(shown.exception, KeyError)


def test_lack_of_memory_is_no_bug(monkeypatch):
    def starved(text):
        raise MemoryError

    monkeypatch.setattr(vr, "objective", starved)
    result = CliRunner().invoke(main, ["plan", "two_paths"])
    assert result.exit_code == 2
    assert "a larger --eta" in result.stderr


def test_a_folder_that_may_not_be_written_is_said_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    result = CliRunner().invoke(main, ["plan", "two_paths", "--save", str(tmp_path / "plan.json")])
    assert result.exit_code == 2
    assert f"the folder {tmp_path} may not be written: choose another" in result.stderr


@pytest.mark.parametrize("words", [[], ["--help"]], ids=str)
def test_the_help_names_every_command_and_the_exit_codes(words):
    """With and without being asked for."""
    output = CliRunner().invoke(main, words).output
    assert all(name in output for name in (*main.commands, "Commands:", "Exit codes:", "completion"))
