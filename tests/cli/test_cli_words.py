"""The descriptions of policies on the command line agree with the policies.

The printed words and maps are read back by a small parser, and compared with the policy itself along random episodes
that are played here, not with the code that wrote them.
"""

import random
import re
from fractions import Fraction

import oracles
import pytest
from click.testing import CliRunner
from plan_models import as_mdp

import verified_risk as vr
from verified_risk.cli import main
from verified_risk.describe import ARROWS, MOSTLY, account, accounts, decisions, moves_of

HEAD = re.compile(r"state (\d+)(?: \(row[^)]*\))?(?:, steps? (\d+)(?: to (\d+))?)?(?: \(start\))?: (.*)")
CASE = re.compile(r"(?:at steps? (\d+)(?: to (\d+))? |with (\S+)(?: to (\S+))? earned(?: \(rounded\))? )?play (.*)")
CHOICE = re.compile(r"(\d+)(?: \(([\w ]+)\))?(?: with probability (\S+))?")


class Said:
    """The sentences as a function of step, state and amount earned: what is said to be played there, if anything."""

    def __init__(self, sentences):
        self.rules = []
        for sentence in sentences:
            state, first, last, text = HEAD.fullmatch(sentence).groups()
            span = (1, 10**9) if first is None else (int(first), int(last or first))
            for case in text.split("; "):
                if case.endswith("left out"):
                    continue
                low_step, high_step, low, high, choice = CASE.fullmatch(case).groups()
                steps = span if low_step is None else (int(low_step), int(high_step or low_step))
                amounts = None if low is None else (Fraction(low), Fraction(high or low))
                self.rules.append((int(state), steps, amounts, self.read(choice)))

    @staticmethod
    def read(text):
        found = {}
        for part in text.split(" or "):
            action, _, probability = CHOICE.fullmatch(part).groups()
            found[int(action)] = Fraction(probability) if probability else Fraction(1)
        return found

    def at(self, step, state, earned):
        return [
            choice
            for s, (first, last), amounts, choice in self.rules
            if s == state and first <= step <= last and (amounts is None or amounts[0] <= earned <= amounts[1])
        ]


def episodes(policy, count, seed="episodes"):
    """(t, state, return so far, choice) of random episodes of a policy that is not a mixture."""
    rng, mdp = random.Random(seed), policy.mdp

    def draw(pairs):
        values, weights = zip(*pairs, strict=True)
        return rng.choices(values, [float(w) for w in weights])[0]

    for _ in range(count):
        s, y, memory = draw(mdp.initial), Fraction(), policy.start()
        for t in range(mdp.horizon):
            choice = policy.choice(t, s, memory)
            yield t, s, y, memory, dict(choice)
            a = draw(choice)
            target, r = draw([((target, r), p) for p, target, r in mdp.actions(s)[a].outcomes])
            s, y, memory = target, y + mdp.discount**t * r, policy.remember(memory, t, s, a, r)


def on_the_map(told, mdp, state, earned):
    """The letter of a cell on the map for that amount; None if there is no such map."""
    for drawn in told.maps:
        if drawn.earned == earned:
            letters = [letter for line in drawn.lines for letter in line if letter != "#"]
            return letters[state]
    return None


def check(policy, count=200):
    """Every decision of random episodes is said, once, and truly; the number of decisions compared."""
    told = account(policy, "", Fraction(1))
    said, mdp, compared = Said(told.sentences), policy.mdp, 0
    complete = not told.left_out and not any("left out" in sentence for sentence in told.sentences)
    rounded = any("rounded" in line for line in told.preface)
    assert not any("averages" in line for line in told.preface)
    names = {direction: a for a, direction in moves_of(mdp).items()}
    arrows = {arrow: names[direction] for direction, arrow in ARROWS.items() if direction in names}
    for t, s, y, memory, choice in episodes(policy, count):
        if len({tuple(action.outcomes) for action in mdp.actions(s)}) == 1:
            continue
        earned = memory * policy.eta if rounded else y
        found = said.at(t + 1, s, earned)
        letter = on_the_map(told, mdp, s, earned)
        if letter in arrows:
            assert choice == {arrows[letter]: 1}
        elif letter is not None:
            assert letter in MOSTLY.values()
            assert found or not complete
        if complete and letter not in arrows:
            assert len(found) == 1
        assert all(one == choice for one in found)
        compared += bool(found) or letter in arrows
    return compared


OBJECTIVES = ("mean", "cvar(1/4)", "cvar(1/20)", "var(1/3)")


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", vr.models.NAMES)
def test_the_words_about_a_plan_are_what_its_policy_plays(name, objective):
    plan = vr.plan(vr.models.load(name), vr.objective(objective))
    assert check(plan.policy) >= 200


def test_the_words_about_random_models_are_what_their_policies_play():
    rng, by_amount, by_step, random_choices = random.Random("words"), 0, 0, 0
    for i in range(60):
        model = oracles.random_model(rng, max_states=3, max_actions=3, max_horizon=3, max_branches=3)
        mdp = as_mdp(model)
        check(vr.exact_plan(mdp, vr.CVaR("1/3")).policy, 60)
        policy = vr.ReturnPolicy(mdp, arbitrary_rule(mdp, i))
        check(policy, 60)
        sentences = account(policy, "", Fraction(1)).sentences
        by_amount += any("earned play" in sentence for sentence in sentences)
        by_step += any("at step" in sentence for sentence in sentences)
        random_choices += any("with probability" in sentence for sentence in sentences)
    assert min(by_amount, by_step, random_choices) > 5  # all kinds of sentences were met


def arbitrary_rule(mdp, salt):
    """Any function of step, state and return so far: pure or randomised."""

    def rule(t, s, y):
        rng, count = random.Random(f"{salt} {t} {s} {y}"), mdp.n_actions[s]
        a, b = rng.randrange(count), rng.randrange(count)
        return {a: "1/3", b: "2/3"} if a != b and rng.random() < 0.3 else a

    return rule


def test_a_policy_of_a_coarser_grid_is_described_by_the_rounded_amount():
    mdp = vr.models.machine_replacement()
    policy = vr.plan(mdp, vr.CVaR("1/4"), eta="7/3").policy
    check(policy)
    dice = {"1/10": "1/3", "9/10": "1/3", "1/2": "1/3"}  # 1/10 + 9/10 = 1/2 + 1/2, but not when rounded up to halves
    coin = vr.MDP(0, [[{0: 1}, {0: 1}]], [[dice, {"1/3": 1}]], horizon=3)
    tracked = vr.GridPolicy(coin, "1/2", lambda t, s, i: i % 2 if t == 2 else 0)
    assert any("(rounded)" in sentence for sentence in account(tracked, "", Fraction(1)).sentences)
    assert check(tracked) > 0


def test_a_policy_with_another_memory_is_described_on_average():
    mdp = vr.MDP(0, [[{0: "1/2", 1: "1/2"}, {0: 1}], [{0: 1}]], [[{0: 1}, {0: 1}], [{0: 1}]], horizon=3)
    policy = vr.HistoryPolicy(mdp, lambda history: 1 if len(history) > 2 and history[1][0] == 1 else 0)
    told = account(policy, "", Fraction(1))
    assert "averages over what else the policy remembers" in told.preface[0]
    said = Said(told.sentences)
    form = vr.behavioural_form(mdp, policy)
    for t, s, y, *_ in episodes(policy, 100):
        if s == 0:
            assert said.at(t + 1, s, y) == [dict(form.choice(t, s, y))]


def test_a_mixture_says_how_its_parts_are_drawn():
    mdp = vr.models.two_paths()
    road, bridge = (vr.MarkovPolicy(mdp, [[a, 0, 0, 0]] * 2) for a in (0, 1))
    draw, told = accounts(vr.MixturePolicy([("1/3", road), ("2/3", bridge)]))
    assert draw == "Draw once, before the first step: with probability 2/3 play A, otherwise B."
    assert [(part.name, part.weight, part.sentences) for part in told] == [
        ("A", Fraction(2, 3), ["state 0 (start): play 1 (bridge)"]),
        ("B", Fraction(1, 3), ["state 0 (start): play 0 (road)"]),
    ]
    five = vr.MixturePolicy([(f"{i}/15", road if i % 2 else bridge) for i in range(1, 6)])
    draw, told = accounts(five)
    assert len(told) == 3
    assert draw.endswith("with probability 1/5 play C, otherwise one of 2 more, not described here (probability 1/5).")
    four = vr.MixturePolicy([(f"{i}/10", road if i % 2 else bridge) for i in range(1, 5)])
    assert accounts(four)[0].endswith("play C, otherwise one more, not described here (probability 1/10).")


@pytest.mark.parametrize(
    "mdp",
    [vr.models.betting_game(), vr.models.betting_game(5, (10, 0, 2), horizon=3), vr.models.gamblers_ruin()],
    ids=["betting", "unsorted stakes", "ruin"],
)
def test_the_stake_that_is_named_is_the_stake_that_is_played(mdp):
    """With unsorted stakes action k is another stake in another state: the words name it, the rewards show it."""
    for s, a, action in mdp:
        if mdp.action_names[s][a] != "the game is over":
            stake = int(mdp.action_names[s][a].removeprefix("stake "))
            assert {abs(r) for _, _, r in action.outcomes} == {stake}
    policy = vr.plan(mdp, vr.CVaR("1/4")).policy
    for sentence in account(policy, "", Fraction(1)).sentences:
        state = int(HEAD.fullmatch(sentence)[1])
        for a, shown in re.findall(r"play (\d+) \(([\w ]+)\)", sentence):
            assert shown == mdp.action_names[state][int(a)]


def test_evaluating_a_saved_mixture_says_how_it_is_drawn_and_what_each_part_does(tmp_path):
    mdp = vr.MDP(0, [[{0: 1}, {0: 1}]], [[{0: "1/2", 1: "1/2"}, {"1/2": 1}]], horizon=2)
    first, second = (vr.MarkovPolicy(mdp, [[a], [a]]) for a in (0, 1))
    vr.MixturePolicy([("1/4", first), ("3/4", second)]).save(tmp_path / "mixture.json")
    output = CliRunner().invoke(main, ["evaluate", str(tmp_path / "mixture.json"), "--objective", "mean"]).output
    assert "with probability 3/4 play A, otherwise B." in output
    assert re.search(r"A:\n +state 0 \(start\): play 1\n +B:\n +state 0 \(start\): play 0\n", output)


def test_of_many_decisions_the_likeliest_are_said_and_the_rest_is_counted():
    mdp = vr.models.random_sparse(states=40, actions=3, horizon=4, successors=5, rewards=3, grid=4, seed=3)
    policy = vr.ReturnPolicy(mdp, arbitrary_rule(mdp, "many"))
    told = account(policy, "", Fraction(1))
    assert len(told.sentences) == 12
    count, share = re.fullmatch(
        r"(\d+) more lines, about ([\d.]+)% of the decisions it meets", told.left_out[0]
    ).groups()
    said = Said(told.sentences)
    met = decisions(policy)
    silent = sum(mass for (t, s, y), mass in met.mass.items() if not said.at(t + 1, s, y))
    assert int(count) > 12
    assert abs(float(share) / 100 - silent / mdp.horizon) < 0.1  # rarer cases inside a sentence are counted there
    check(policy, 50)


def test_a_model_too_large_to_walk_through_is_described_up_to_a_step_and_says_so(monkeypatch):
    monkeypatch.setattr("verified_risk.describe.MOST_BRANCHES", 20)
    policy = vr.plan(vr.models.machine_replacement(), vr.CVaR("1/4")).policy
    told = account(policy, "", Fraction(1))
    (left,) = told.left_out
    first = int(re.match(r"steps (\d+) to 8 \(too many situations\)", left)[1])
    assert 2 <= first < 8
    said = Said(told.sentences)
    for t, s, y, _, choice in episodes(policy, 100):
        if t + 1 < first:
            assert said.at(t + 1, s, y) == [choice]


def test_the_probabilities_of_the_decisions_are_those_of_the_exact_evaluation():
    for name in ("machine_replacement", "betting_game", "frozen_lake"):
        policy = vr.plan(vr.models.load(name), vr.CVaR("1/4")).policy
        met = decisions(policy)
        for t in range(policy.mdp.horizon):
            exact = vr.joint_law(policy.mdp, policy, t)
            ours = {(s, y): mass for (u, s, y), mass in met.mass.items() if u == t}
            assert exact.keys() == ours.keys()
            assert all(abs(float(exact[key]) - ours[key]) < 1e-12 for key in exact)


@pytest.mark.parametrize("slippery", [True, False])
def test_directions_are_read_off_the_transitions(slippery):
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("FrozenLake-v1", is_slippery=slippery)
    assert moves_of(vr.MDP.from_gymnasium(env, horizon=3)) == {0: "left", 1: "down", 2: "right", 3: "up"}
    assert moves_of(vr.models.frozen_lake()) == {0: "up", 1: "right", 2: "down", 3: "left"}
    assert moves_of(vr.models.river_swim()) == {}
    assert check(vr.plan(vr.MDP.from_gymnasium(env, horizon=9), vr.CVaR("1/2")).policy, 100) > 100


def test_a_lake_is_drawn_with_the_path_that_the_policy_takes():
    output = CliRunner().invoke(main, ["plan", "frozen_lake", "--exact", "--objective", "cvar(33/100)"]).output
    assert "arrows" not in output
    assert "  O~.S.~O#   O~.↓.~O#\n  ###.#~~O   ###↓#~~O\n  #O~~#O6#   #O↓←#O6#\n  #4.O####   #4←O####" in output


def test_a_map_is_drawn_for_each_amount_earned():
    """Two coins on the way: what is worth doing depends on what has been collected."""
    mdp = vr.models.gridworld("S.A\n.~.\nB.O", rewards={"A": 1, "B": 2}, horizon=4, move_reward="-1/4")
    policy = vr.ReturnPolicy(mdp, lambda t, s, y: 0 if mdp.n_actions[s] == 1 else (1 if y > Fraction(-1, 2) else 2))
    told = account(policy, "", Fraction(1))
    assert [drawn.earned for drawn in told.maps] == sorted(drawn.earned for drawn in told.maps)
    assert len(told.maps) > 1
    assert check(policy) > 100
