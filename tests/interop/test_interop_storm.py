"""Models read by Storm agree with its own model checker, and files written here are read back as the same model."""

import json
import random
import re
import sys
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import oracles
import pytest
from plan_models import as_mdp, data_of

import verified_risk as vr
from verified_risk.cli import main
from verified_risk.errors import InvalidArgument, InvalidFile, InvalidModel, MissingDependency, Unsupported
from verified_risk.interop.storm import _outcomes

needs_storm = pytest.mark.skipif(find_spec("stormpy") is None, reason="Storm is not installed: pip install stormpy")

WALK = """mdp
const int N;
const double p;
module walk
  s : [0..N] init 0;
  [go] s<N -> p : (s'=s+1) + 1-p : (s'=0);
  [stay] s<N -> 1 : (s'=s);
  [rest] s=N -> 1 : (s'=s);
endmodule
rewards "mixed"
  [go] true : 1/3;
  [stay] s=1 : 0.1;
  s=1 : 2;
  s=N : -1/7;
endrewards
rewards "place"
  true : s;
endrewards
"""

CHAIN = """dtmc
module die
  s : [0..3] init 0;
  [] s=0 -> 1/3 : (s'=1) + 2/3 : (s'=2);
  [] s=1 -> 0.25 : (s'=0) + 0.75 : (s'=3);
  [] s=2 -> 1 : (s'=3);
  [] s=3 -> 1 : (s'=3);
endmodule
rewards
  s=0 : 1;
  s=2 : 5/2;
endrewards
"""

DRN = """@type: MDP
@parameters

@reward_models
cost gain
@nr_states
3
@nr_choices
4
@model
state 0 [1, 0] init
\taction a [0, 1/3]
\t\t0 : 1/2
\t\t1 : 1/4
\t\t2 : 0.25
\taction b [5, -2]
\t\t1 : 1
state 1 [0, 3/2]
\taction 0 [0, 0]
\t\t0 : 1/3
\t\t2 : 2/3
state 2 [0, 0]
\taction 0 [0, 0]
\t\t2 : 1
"""

JANI = """{"jani-version": 1, "name": "d", "type": "mdp", "actions": [{"name": "go"}, {"name": "no"}],
"variables": [{"name": "s", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 2},
  "initial-value": 0}, {"name": "gain", "type": "real", "transient": true, "initial-value": 0}],
"properties": [], "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
 {"location": "l", "action": "go", "guard": {"exp": {"op": "<", "left": "s", "right": 2}},
  "assignments": [{"ref": "gain", "value": 3}], "destinations": [
   {"location": "l", "probability": {"exp": 0.5}, "assignments": [{"ref": "s", "value": 1}]},
   {"location": "l", "probability": {"exp": 0.5}, "assignments": [{"ref": "s", "value": 2}]}]},
 {"location": "l", "action": "no", "destinations": [{"location": "l", "assignments": []}]}]}],
"system": {"elements": [{"automaton": "a"}],
 "syncs": [{"synchronise": ["go"], "result": "go"}, {"synchronise": ["no"], "result": "no"}]}}
"""

FILES = {
    "walk, mixed": ("walk.nm", WALK, {"rewards": "mixed", "constants": "N=3,p=0.1"}),
    "walk, place": ("walk.prism", WALK, {"rewards": "place", "constants": {"N": 2, "p": "1/3"}}),
    "chain": ("chain.pm", CHAIN, {}),
    "explicit, cost": ("model.drn", DRN, {"rewards": "cost"}),
    "explicit, gain": ("model.drn", DRN, {"rewards": "gain"}),
    "jani": ("model.jani", JANI, {}),
}


def written(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def asked(path, steps, rewards="", constants=""):
    """Storm's own exact largest and least mean of the rewards of so many steps."""
    import stormpy

    if path.suffix == ".drn":
        model = stormpy.build_model_from_drn[stormpy.Rational](str(path))
    else:
        prism = path.suffix != ".jani"
        program = stormpy.parse_prism_program(str(path)) if prism else stormpy.parse_jani_model(str(path))[0]
        if constants:
            program, _ = stormpy.instantiate_constants(program, constants)
        model = stormpy.build_model[stormpy.Rational](program)
    (start,) = model.initial_states
    name = f'{{"{rewards}"}}' if rewards else ""
    chain = "DTMC" in str(model.model_type)
    answers = []
    for best in ("", "") if chain else ("max", "min"):
        (formula,) = stormpy.parse_properties(f"R{name}{best}=? [C<={steps}]")
        answers.append(Fraction(str(stormpy.model_checking(model, formula).get_value(start))))
    return answers


@needs_storm
@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("case", FILES)
def test_the_largest_and_least_mean_are_those_of_storms_model_checker(case, steps, tmp_path):
    """C<=T pays each state that is left, each action, and not the state after the last step."""
    name, content, options = FILES[case]
    path = written(tmp_path, name, content)
    mdp = vr.MDP.from_storm(path, horizon=steps, **options)
    constants = options.get("constants", "")
    if not isinstance(constants, str):
        constants = ",".join(f"{key}={value}" for key, value in constants.items())
    rewards = options.get("rewards", "gain" if case == "jani" else "")
    largest, least = asked(path, steps, rewards, constants)
    assert vr.exact_plan(mdp, vr.Mean()).value == largest
    assert -vr.exact_plan(mdp.map_rewards(lambda r: -r), vr.Mean()).value == least


@needs_storm
def test_rewards_of_states_actions_and_chances_are_exactly_those_written(tmp_path):
    mdp = vr.MDP.from_storm(written(tmp_path, "m.drn", DRN), horizon=2, rewards="gain")
    first, second = mdp.actions(0)
    assert first.outcomes == tuple((Fraction(p), s, Fraction("1/3")) for p, s in (("1/2", 0), ("1/4", 1), ("1/4", 2)))
    assert second.outcomes == ((Fraction(1), 1, Fraction(-2)),)
    assert {r for _, _, r in mdp.actions(1)[0].outcomes} == {Fraction(3, 2)}
    walk = vr.MDP.from_storm(
        written(tmp_path, "w.nm", WALK), horizon=2, rewards="mixed", constants={"N": 2, "p": Fraction(1, 7)}
    )
    assert walk.actions(1)[0].outcomes == ((Fraction(6, 7), 0, Fraction(7, 3)), (Fraction(1, 7), 2, Fraction(7, 3)))
    assert walk.actions(1)[1].outcomes == ((Fraction(1), 1, Fraction(21, 10)),)
    assert (walk.state_names[1], walk.action_names[1]) == ("s=1", ("go", "stay"))


@needs_storm
def test_rewards_on_transitions_are_added_on_the_way():
    """No text format that Storm builds carries them, so the model is put together with Storm's own builder."""
    import stormpy

    storage = stormpy.developer.storage
    rational = stormpy.Rational

    def matrix(entries, groups):
        builder = storage.SparseMatrixBuilder[rational](0, 0, 0, False, True, 0)
        row = 0
        for group in groups:
            builder.new_row_group(row)
            for _ in range(group):
                for column, value in entries[row]:
                    builder.add_next_value(row, column, rational(value))
                row += 1
        return builder.build()

    class Rewards:
        has_state_rewards, has_state_action_rewards, has_transition_rewards = True, True, True
        state_rewards = (rational("1/2"), rational("0"))
        state_action_rewards = tuple(map(rational, ("1", "0", "0")))
        transition_rewards = matrix([[(1, "1/3")], [], [(1, "7")]], [2, 1])

    class Built:
        transition_matrix = matrix([[(0, "1/2"), (1, "1/2")], [(0, "1")], [(1, "1")]], [2, 1])
        nr_states = 2

    half = Fraction(1, 2)
    assert _outcomes(Built, Rewards) == [
        [[(half, 0, Fraction(3, 2)), (half, 1, Fraction(11, 6))], [(Fraction(1), 0, half)]],
        [[(Fraction(1), 1, Fraction(7))]],
    ]


def same_laws_and_values(one: vr.MDP, other: vr.MDP) -> None:
    assert (always(one, 0), always(one, -1)) == (always(other, 0), always(other, -1))
    for text in ("mean", "cvar(1/3)", "cvar(1/10)", "var(1/2)", "0.5*mean + 0.5*cvar(1/4)"):
        objective = vr.objective(text)
        assert vr.exact_plan(one, objective).value == vr.exact_plan(other, objective).value


def always(mdp: vr.MDP, index: int) -> vr.Law:
    """The law of the return where the first (0) or the last (-1) action is always taken."""
    table = [[0 if index == 0 else count - 1 for count in mdp.n_actions]] * mdp.horizon
    return vr.return_law(mdp, vr.MarkovPolicy(mdp, table))


@needs_storm
@pytest.mark.parametrize("name", ["frozen_lake", "two_paths", "machine_replacement", "betting_game", "gamblers_ruin"])
def test_a_named_model_written_by_us_and_read_by_storm_is_worth_the_same(name, tmp_path):
    mdp = vr.models.load(name)
    mdp.to_drn(tmp_path / "model.drn")
    back = vr.MDP.from_storm(tmp_path / "model.drn")
    assert mdp.horizon < back.horizon <= 2 * mdp.horizon + 1  # a step or two for each, and one that draws the start
    same_laws_and_values(mdp, back)


@needs_storm
def test_random_models_written_by_us_and_read_by_storm_have_the_same_laws_of_the_return(tmp_path):
    rng = random.Random("round trip through Storm")
    path, compared = tmp_path / "model.drn", 0
    for _ in range(40):
        model = oracles.random_model(rng, max_states=3, max_actions=2, max_horizon=2, max_branches=3)
        mdp = as_mdp(model)
        mdp.to_drn(path)
        back = vr.MDP.from_storm(path)
        same_laws_and_values(mdp, back)
        if oracles.count_return_policies(model) > 300:
            continue
        laws = {tuple(sorted(law.items())) for law in oracles.all_return_laws(model)}
        unrolled = data_of(back)
        if oracles.count_return_policies(unrolled) <= 3000:
            # In the file a step takes one or two, so its policies may also count those: more laws, none of them better.
            assert laws <= {tuple(sorted(law.items())) for law in oracles.all_return_laws(unrolled)}
            compared += 1
    assert compared > 10


@needs_storm
def test_a_file_that_ends_by_itself_needs_no_horizon_and_another_does(tmp_path):
    ends = DRN.replace("\t\t0 : 1/2\n\t\t1 : 1/4", "\t\t1 : 3/4").replace("\t\t0 : 1/3\n\t\t2 : 2/3", "\t\t2 : 1")
    assert vr.MDP.from_storm(written(tmp_path, "ends.drn", ends), rewards="cost").horizon == 2
    goes_on_paying = ends.replace("state 2 [0, 0]", "state 2 [1, 0]")
    for name, loops in (("loops.drn", DRN), ("pays.drn", goes_on_paying)):
        with pytest.raises(InvalidModel, match=r"need not end by itself.*--horizon N"):
            vr.MDP.from_storm(written(tmp_path, name, loops), rewards="cost")


@needs_storm
def test_several_initial_states_need_a_law(tmp_path):
    path = written(tmp_path, "two.drn", DRN.replace("state 1 [0, 3/2]", "state 1 [0, 3/2] init"))
    with pytest.raises(InvalidArgument, match=r"has 2 initial states \(0, 1\)"):
        vr.MDP.from_storm(path, horizon=2, rewards="cost")
    mdp = vr.MDP.from_storm(path, horizon=2, rewards="cost", initial={0: "1/3", 1: "2/3"})
    assert mdp.initial == ((0, Fraction(1, 3)), (1, Fraction(2, 3)))
    with pytest.raises(InvalidModel, match=r"initial names state 7, wanted an integer in 0\.\.2"):
        vr.MDP.from_storm(path, horizon=2, rewards="cost", initial=7)


TRANSITION_REWARDS = WALK.replace("  true : s;", "  [go] s=0 -> s=1 : 2;")
DESTINATION_REWARDS = JANI.replace(
    '[{"ref": "s", "value": 1}]', '[{"ref": "s", "value": 1}, {"ref": "gain", "value": 9}]'
)
POMDP = re.sub(r"state (\d) \[", r"state \1 {0} [", DRN.replace("MDP", "POMDP"))
NO_REWARDS = CHAIN.partition("rewards")[0]


@needs_storm
@pytest.mark.parametrize(
    ("name", "content", "options", "kind", "message"),
    [
        ("m.nm", WALK, {"rewards": "place"}, InvalidArgument, "leaves N, p open"),
        ("m.nm", WALK, {"rewards": "place", "constants": "N=3,q=1"}, InvalidFile, "unknown undefined constant 'q'"),
        ("m.nm", WALK, {"constants": "N=3,p=1/2"}, InvalidArgument, "'mixed', 'place': choose one"),
        ("m.nm", WALK, {"rewards": "x", "constants": "N=3,p=1/2"}, InvalidArgument, "no reward model 'x'"),
        ("m.nm", WALK, {"rewards": "place", "constants": "N=3,p=3/2"}, InvalidFile, "negative probabilities"),
        ("m.nm", "mdp\nmodule", {}, InvalidFile, "Parsing error at 2:7"),
        ("m.nm", TRANSITION_REWARDS, {"constants": "N=3,p=1/2"}, InvalidFile, "Write them as rewards of actions"),
        ("m.jani", DESTINATION_REWARDS, {}, InvalidFile, "Write them as rewards of actions"),
        ("m.pm", NO_REWARDS, {}, InvalidModel, "has no rewards"),
        ("m.drn", POMDP, {"rewards": "cost"}, Unsupported, "is a POMDP"),
        ("m.drn", DRN, {"rewards": "cost", "constants": "N=3"}, InvalidArgument, "a DRN file has none"),
        ("m.drn", DRN.replace("1 : 1/4", "1 : 1/5"), {"rewards": "cost"}, InvalidModel, "action 0 sums to 19/20"),
        ("m.drn", "hello\n", {}, InvalidFile, "Storm cannot read"),
        ("m.drn", "", {}, InvalidFile, "Storm cannot read"),
        ("m.sm", "ctmc\nmodule m\n s:[0..1];\n<> s=0 -> 3:(s'=1);\nendmodule\n", {}, Unsupported, "is a CTMC"),
        ("m.prism", "ma\nmodule m\n s:[0..1];\n<> s=0 -> 3:(s'=1);\nendmodule\n", {}, Unsupported, "is an MA"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_exact_mdp_is_refused_with_a_reason(name, content, options, kind, message, tmp_path, capfd):
    with pytest.raises(kind) as caught:
        vr.MDP.from_storm(written(tmp_path, name, content), **{"horizon": 3, **options})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr().out == ""  # Storm's own log would spoil --json


@needs_storm
def test_a_state_without_a_command_stays_and_pays_nothing_and_that_is_noted(tmp_path):
    stuck = WALK.replace("  [rest] s=N -> 1 : (s'=s);\n", "")
    mdp = vr.MDP.from_storm(written(tmp_path, "m.nm", stuck), horizon=3, rewards="place", constants="N=2,p=1/2")
    assert mdp.actions(2)[0].outcomes == ((Fraction(1), 2, Fraction(0)),)
    assert "1 state without a command" in mdp.notes[1]


@needs_storm
def test_the_command_line_plans_for_files_of_storm(tmp_path):
    from click.testing import CliRunner

    path = written(tmp_path, "walk.prism", WALK)
    options = ["--constants", "N=2,p=1/3", "--rewards", "place", "--horizon", "4", "--objective", "mean", "--exact"]
    answer = json.loads(CliRunner().invoke(main, ["plan", str(path), *options, "--json"]).stdout)
    largest, _ = asked(path, 4, "place", "N=2,p=1/3")
    assert Fraction(answer["value"]["exact"]) == largest
    shown = CliRunner().invoke(main, ["models", "show", str(path), *options[:6]]).stdout
    assert "state 2 (s=2): rest" in shown
    vr.models.frozen_lake().to_drn(tmp_path / "lake.drn")
    words = ["plan", str(tmp_path / "lake.drn"), "--objective", "cvar(33/100)", "--exact", "--json"]
    assert json.loads(CliRunner().invoke(main, words).stdout)["value"]["exact"] == "56/33"
    refused = CliRunner().invoke(main, ["plan", str(path), "--rewards", "place"])
    assert refused.exit_code == 2
    assert refused.stderr.count("\n") == 1
    assert "leaves N, p open" in refused.stderr


def test_without_storm_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "stormpy", None)
    with pytest.raises(MissingDependency, match=r"pip install 'verified-risk\[storm\]'"):
        vr.MDP.from_storm(written(tmp_path, "m.drn", DRN), horizon=2)


def test_a_missing_file_and_a_strange_name_are_said_before_storm_is_asked(tmp_path):
    with pytest.raises(FileNotFoundError):
        vr.MDP.from_storm(tmp_path / "nowhere.drn")
    with pytest.raises(InvalidFile, match=r"ends in '.txt', wanted one of .drn"):
        vr.MDP.from_storm(written(tmp_path, "m.txt", DRN))
