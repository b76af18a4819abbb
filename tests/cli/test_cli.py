"""The command line as a user sees it: what it prints, what it exits with, what it leaves behind."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from terminal import COMMAND
from test_cli_json import leaves

import verified_risk as vr
from proofs_checks import theory as statements
from proofs_checks.engine.certificate import DIRECTORY
from verified_risk.cli import main
from verified_risk.cli.explain import _described
from verified_risk.cli.learn import _about_the_bound, _print_run
from verified_risk.learning.audit import Row
from verified_risk.numbers.enclosure import Interval


def run(*arguments, code=0):
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_a_saved_plan_is_evaluated_exactly(tmp_path):
    file = tmp_path / "plan.json"
    run("plan", "frozen_lake", "--exact", "--objective", "cvar(33/100)", "--save", file)
    answer = json.loads(run("evaluate", file, "--objective", "mean", "--objective", "cvar(33/100)", "--json"))
    assert list(answer["values"]) == ["mean", "cvar(33/100)"]
    assert Fraction(answer["value"]["exact"]) == 4 * Fraction(81, 100)
    assert "56/33" in run("evaluate", file, "--objective", "cvar(33/100)")


def test_models_come_from_files_and_environments(tmp_path):
    lake = vr.models.two_paths()
    lake.save(tmp_path / "m.json")
    lake.to_csv(tmp_path / "m.csv", index_base=1)
    by_name = run("plan", "two_paths", "--exact")
    assert "play 0 (road)" in by_name
    assert run("plan", tmp_path / "m.json", "--exact") == by_name  # names and drawing are saved with the model
    words = ["--exact", "--horizon", lake.horizon, "--index-base", 1, "--initial", 1, "--json"]
    by_name, by_table = (
        json.loads(run("plan", model, *options))
        for model, options in (("two_paths", ["--exact", "--json"]), (tmp_path / "m.csv", words))
    )
    assert {**by_name, "policy": None} == {**by_table, "policy": None}
    assert by_table["policy"]["parts"][0]["words"] == ["state 0 (start): play 0"]
    assert "horizon 3" in run("models", "show", "gym:FrozenLake-v1", "--horizon", 3)


def test_learning_prints_regret_below_its_bound(tmp_path):
    output = run(
        "learn", "two_paths", "--objective", "cvar(1/2)", "--episodes", 60, "--audit", "--save", tmp_path / "r.json"
    )
    assert "the event held on 60" in output
    assert "optimism of the value" in output
    answer = json.loads(run("learn", "two_paths", "--objective", "cvar(1/2)", "--episodes", 60, "--json"))
    assert all(r <= b for r, b in zip(answer["regret"], answer["bound"], strict=True))
    assert vr.Run.load(tmp_path / "r.json").episodes == 60


def test_an_audited_run_that_violates_a_step_ends_with_one(monkeypatch):
    learned = vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=3, audit=True)
    monkeypatch.setattr(vr, "learn", lambda *given, **options: learned)
    run("learn", "two_paths", "--audit")
    learned.audit.rows["L1"] = Row(3, 1, 0, -1e-9, 2)
    run("learn", "two_paths", "--audit", code=1)
    json.loads(run("learn", "two_paths", "--audit", "--json", code=1))


def test_a_bound_is_called_proved_only_where_it_is_and_vacuous_where_it_is():
    """At the theorem's radii the bound is a theorem on paper, but above what 50 episodes can lose; below them none."""
    lake = ("learn", "frozen_lake", "--objective", "cvar(33/100)", "--episodes", 50)
    proved = run(*lake)
    assert "bound, on paper\n" in proved
    assert "vacuous here: above the trivial bound 84.848, which is 50 episodes times" in proved  # 50 * 56/33
    assert "--bonus-scale 1/10 shows narrower ones" in proved
    narrower = run(*lake, "--bonus-scale", "1/10")
    assert "guarantee  not proved" in narrower
    assert "bound, not proved\n" in narrower
    assert "on paper" not in narrower
    assert "shows narrower ones" not in narrower
    greedy = run(*lake, "--algorithm", "greedy")
    assert "guarantee  none" in greedy
    assert "bound" not in greedy


def test_what_a_run_prints_of_its_bounds_is_rounded_outward():
    """The bound has digits that the nearest decimal would cut; the optimum is not known exactly."""

    def shown(run):
        with CliRunner().isolation() as (out, *_):
            _print_run(run, None)
            return out.getvalue().decode()

    learned = vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=3)
    assert "(exact)" in str(learned)
    bound = learned.bound * 0 + 0.12345401
    held = replace(
        learned, bound=bound, data_bound=bound, best=(Fraction(1, 7), Fraction(1, 7) + Fraction(1, 3 * 10**9))
    )
    printed = shown(held)
    assert printed.count("0.12346") == 4, printed  # three episodes, and the regret from data
    assert "0.12345" not in printed
    assert "optimum    1/7 <= best over all policies <= 1/7 + 3.34e-10" in printed
    assert "the regret is at most 0.12346 with probability 4/5" in printed
    assert "the regret is at most" not in shown(replace(held, proved=False))
    assert "the regret is at most" not in shown(replace(held, delta=Fraction(1, 2)))  # with probability 0
    assert "(exact)" not in str(held)
    assert "1/7 to 0.1428571432" in str(held)
    assert str(held).count("0.123455") == 2
    vacuous = replace(held, data_bound=bound + 1, bound=bound + 10**9)
    assert "of the regret nothing better than 0.42858, all that 3 episodes can lose" in shown(vacuous)
    assert str(vacuous).count("vacuous: above 0.428572, all that 3 episodes can lose") == 3


def test_a_bound_below_the_trivial_one_is_not_called_vacuous():
    learned = vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=20)
    narrower = vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=20, bonus_scale="1/10")
    assert (str(learned).count(", not proved"), str(narrower).count(", not proved")) == (0, 3)
    assert "trivial bound 20," in _about_the_bound(learned)[0]
    assert not any("trivial" in words for words in _about_the_bound(replace(learned, bound=learned.bound * 0 + 19)))


def test_a_certificate_is_rechecked_and_an_edited_one_rejected(tmp_path):
    genuine = DIRECTORY / "thm_augmented.json"
    assert "REFUTES" in run("recheck", genuine)
    answer = json.loads(run("recheck", genuine, "--json"))[str(genuine)]
    assert answer == {"refutes": True, "left": "3/4", "relation": "=", "right": "1"}
    edited = tmp_path / "edited.json"
    edited.write_text(genuine.read_text().replace('"1/2"', '"1/3"', 1))
    assert "REJECTED" in run("recheck", edited, code=2)
    assert "rejected" in json.loads(run("recheck", edited, "--json", code=2))[str(edited)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_audit_leaves_nothing_behind_in_the_folder_or_elsewhere(jobs, tmp_path):
    """Hypothesis would leave ``.hypothesis``; it decides where when it is imported, hence another process."""
    here, scratch = tmp_path / "here", tmp_path / "scratch"
    here.mkdir()
    scratch.mkdir()
    words = f"audit --statement def:quantile --statement def:pushforward --examples 5 --jobs {jobs}".split()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HYPOTHESIS")}
    environment |= {"TMPDIR": str(scratch), "PYTHONPATH": os.getcwd()}
    subprocess.run([*COMMAND, *words], cwd=here, env=environment, check=True, capture_output=True)
    assert list(here.iterdir()) == list(scratch.iterdir()) == []


def test_a_claim_fails_by_something_only_if_it_surely_fails():
    def fails_by(low, high):
        printed = SimpleNamespace(slack=lambda case: Interval(Fraction(low), Fraction(high)), words="x <= y")
        parts = {"label": "a", "title": "b", "section": "c", "finding": "d", "notes": "", "said": "printed"}
        case = SimpleNamespace(**parts, counterexample=1, printed=printed, cause=None, true_claim=None)
        return _described(case)["fails_by"]

    assert fails_by(-2, -2) == "2"
    assert fails_by(-3, -1) == "≈ 2"
    assert fails_by(-2, 0) is fails_by(-2, 1) is fails_by(0, 1) is None


def test_an_unknown_label_is_answered_with_one_that_is_close_or_with_none():
    assert run("audit", "--statement", "nope", code=2).endswith(
        f"docs/audit.md lists all {len(statements.ALL)}, e.g. intro:bound\n"
    )
    assert "did you mean lem:key?" in run("audit", "--statement", "lem:kye", code=2)


def test_every_option_says_what_it_is():
    for path, command in leaves():
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert parameter.help, (path, parameter.opts)


def test_every_named_model_says_what_its_states_and_actions_are():
    """`models show` draws it, `plan` repeats what is needed to understand the policy."""
    assert set(json.loads(run("models", "--json"))) == set(vr.models.NAMES)
    listed = run("models")
    for leak in ("safe,", "risky or", "Order a units"):
        assert leak not in listed
    for name in vr.models.NAMES:
        drawing = vr.models.load(name).drawing.splitlines()
        assert run("models", "show", name).startswith(f"{drawing[0]}\n")
        output = run("plan", name, "--objective", "mean")
        wanted = "S start   . floor   ~ ice   O hole   # wall" if name == "frozen_lake" else drawing[0]
        assert wanted in output
        assert ("↓" if name == "frozen_lake" else "(start): ") in output
        assert re.search(r"play \d+(?! \([\w ]+\))\b", output) is None  # no action without its name


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["plan", ""], {"frozen_lake", "two_paths", "river_swim"}),
        (["plan", "fro"], {"frozen_lake"}),
        ([""], {"plan", "models", "recheck"}),
        (["plan", "two_paths", "--obj"], {"--objective"}),
    ],
)
def test_the_shell_completes_commands_options_and_models(words, offered):
    *before, last = words
    found = {item.value for item in ShellComplete(main, {}, "verified-risk", "X").get_completions(before, last)}
    assert offered <= found


def test_help_and_completion_import_nothing_heavy():
    """Completion imports click and the names of the commands only, because the shell waits for it."""
    code = (
        "import sys; from verified_risk.cli import main; main(['--help'], standalone_mode=False); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "verified_risk.cli.plan" in loaded
    for heavy in ("numpy", "numba", "rich", "matplotlib", "hypothesis", "proofs_checks", "stormpy", "gymnasium"):
        assert heavy not in loaded


def test_every_public_name_is_found_where_the_package_says_and_no_other():
    for name in vr.__all__:
        found = getattr(vr, name)
        assert found is getattr(sys.modules[getattr(found, "__module__", found.__name__)], name, found)
        code = f"import verified_risk as vr; assert vr.{name} is not None"
        if name in ("plan", "learn", "models", "CVaR"):  # in a fresh interpreter, first of all
            subprocess.run([sys.executable, "-c", code], check=True)
    assert set(vr.__all__) <= set(dir(vr))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        vr.nothing  # noqa: B018
    heavy = ["numba", "sympy", "scipy.stats", "matplotlib", "hypothesis", "flint", "gymnasium", "rich"]
    code = f"import sys; from verified_risk import *; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_recheck_that_gets_no_time_says_that_it_does_not_know(tmp_path):
    file = tmp_path / "plan.json"
    vr.plan(vr.models.random_sparse(200, 3, 4, 2, 6), vr.CVaR("1/10")).save(file)
    late = " ".join(run("recheck", file, "--time-limit", "0", code=1).split())
    assert "NOT CONFIRMED" in late
    assert "time limit of 0 s" in late
    run("recheck", file, "--time-limit", "-1", code=2)
    assert "CONFIRMED: lower bound holds" in " ".join(run("recheck", file).split())
