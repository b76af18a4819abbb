"""Named models against numbers worked out by hand or by brute force: maps, slides, walls, the paths of the audit."""

import itertools
import subprocess
import sys
from fractions import Fraction

import oracles
import pytest
from plan_models import as_mdp, data_of

import verified_risk as vr
from verified_risk import models
from verified_risk.errors import InvalidArgument, InvalidLaw, InvalidModel, InvalidNumber, Unsupported
from verified_risk.models.gridworld import MAP, MOVES
from verified_risk.plotting.policy_map import map_lines

# -- the other models, by hand ----------------------------------------------------------------------------------------


def test_two_paths_switches_at_one_half():
    mdp = models.two_paths()
    for alpha in (Fraction(i, 20) for i in range(1, 21)):
        bridge = max(Fraction(0), 2 - 1 / (2 * alpha))
        assert vr.exact_plan(mdp, vr.CVaR(alpha)).value == max(Fraction(1), bridge)


def test_three_periods_of_the_inventory_have_putermans_values():
    values = [vr.exact_plan(models.inventory(start=s), vr.Mean()).value for s in range(4)]
    assert values == [Fraction(67, 16), Fraction(129, 16), Fraction(194, 16), Fraction(227, 16)]


def test_nobody_stakes_more_than_he_has_or_more_than_the_goal_needs():
    assert models.gamblers_ruin(goal=6, start=2).n_actions == (1, 1, 2, 3, 2, 1, 1)


def test_bold_play_reaches_the_goal_by_winning_twice():
    mdp = models.gamblers_ruin(goal=4, start=1, horizon=2)
    bold = vr.MarkovPolicy(mdp, [[n - 1 for n in mdp.n_actions]] * 2)
    assert vr.return_law(mdp, bold) == vr.Law({3: Fraction(4, 25), -1: Fraction(21, 25)})


def test_the_bettor_of_two_rounds_stakes_ten_twice():
    # 10 (7/10 - 3/10) = 4, then 4 again unless everything was lost
    assert vr.exact_plan(models.betting_game(horizon=2), vr.Mean()).value == 4 + Fraction(7, 10) * 4


def test_a_broken_machine_is_replaced_when_that_pays():
    mdp = models.machine_replacement(conditions=2, wear=1, outage=4, price=3, horizon=3)
    # run a new machine (+1), which breaks; replacing it costs 3 and lets it run once more; an outage costs 4 a step
    assert vr.exact_plan(mdp, vr.Mean()).value == 1 - 3 + 1


def test_swimming_right_needs_the_far_end_in_reach():
    values = [vr.exact_plan(models.river_swim(3, horizon=t), vr.Mean()).value for t in (1, 2, 3)]
    # two moves to the far end, 3/5 * 7/20, and one more to be paid there; left pays 1/200 a step
    stay = Fraction(1, 200)
    first = Fraction(3, 5) * (Fraction(7, 20) * 1 + Fraction(1, 20) * stay)
    assert values[:2] == [stay, 2 * stay]
    assert values[2] == first + Fraction(2, 5) * 2 * stay


@pytest.mark.parametrize(
    "build",
    [
        models.two_paths,
        lambda: models.river_swim(3, horizon=3),
        lambda: models.machine_replacement(3, horizon=3),
        lambda: models.gamblers_ruin(goal=4, start=2, horizon=2),
        lambda: models.inventory(capacity=1, horizon=2),
        lambda: models.betting_game(start=2, stakes=(0, 1, 2), horizon=2),
        lambda: models.gridworld("S~G\n.H.", rewards={"G": 1, "H": 2}, horizon=2),
    ],
)
def test_small_named_models_have_the_brute_force_optimum(build):
    mdp = build()
    model = data_of(mdp)
    assert 1 < oracles.count_return_policies(model) <= 20_000
    laws = list(oracles.all_return_laws(model))
    for alpha in (Fraction(1, 10), Fraction(1, 3), Fraction(3, 4), Fraction(1)):
        assert vr.exact_plan(mdp, vr.CVaR(alpha)).value == max(oracles.cvar(law, alpha) for law in laws)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: models.gamblers_ruin(goal=4, start=4), "wanted 0 < start < goal"),
        (lambda: models.betting_game(stakes=(1, 2)), "the least of them 0"),
        (lambda: models.betting_game(stakes=(0, 1, 1)), "distinct"),
        (lambda: models.machine_replacement(conditions=1), "conditions is 1"),
        (lambda: models.river_swim(1), "states is 1"),
        (lambda: models.inventory(start=5), "start is 5"),
        (lambda: models.inventory(demand={Fraction(1, 2): 1}), "demand names 1/2"),
        (lambda: models.betting_game(win="3/2"), "win is 3/2"),
        (lambda: models.inventory(demand={0: "1/2"}), "demand sums to 1/2"),
    ],
)
def test_a_named_model_refuses_senseless_parameters(build, message):
    with pytest.raises((InvalidModel, InvalidNumber, InvalidLaw), match=message):
        build()


# -- the registry -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", models.NAMES)
def test_every_name_loads_a_model_that_survives_a_file(name, tmp_path):
    mdp = models.load(name)
    mdp.save(tmp_path / "model.json")
    assert vr.MDP.load(tmp_path / "model.json") == mdp
    assert models.NAMES[name]() == mdp


def test_every_public_builder_without_arguments_is_registered():
    builders = {name for name in models.__all__ if name not in ("NAMES", "load", "gridworld", "random_sparse")}
    assert set(models.NAMES) == builders


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(InvalidArgument, match="no model is named 'lake', wanted one of frozen_lake, two_paths"):
        models.load("lake")


# -- one model, one form ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows",
    [
        [("1/2", 0, 0), ("1/2", 1, 1)],
        [("1/4", 0, 0), ("1/4", 0, 1), ("1/2", 1, 0)],
        [("1/4", 0, 0), ("1/4", 0, 1), ("1/4", 1, 0), ("1/4", 1, 2)],
        [("1/8", 0, 0), ("3/8", 0, 1), ("1/4", 1, 0), ("1/4", 1, 1)],
        [("1/4", 0, 0), ("1/4", 1, 0), ("1/4", 1, 1), ("1/4", 2, 0)],
        [("1/4", 0, 0), ("1/4", 0, 1), ("1/4", 1, 0), ("1/4", 2, 1)],
    ],
)
def test_a_reward_that_tells_the_next_state_is_not_a_product(rows):
    mdp = vr.MDP.from_outcomes([[rows], [[(1, 1, 0)]], [[(1, 2, 0)]]], initial=0, horizon=1)
    assert not mdp.actions(0)[0].independent
    assert sorted(mdp.actions(0)[0].outcomes) == sorted((Fraction(p), s, Fraction(r)) for p, s, r in rows)


# -- random sparse models and scale -----------------------------------------------------------------------------------


def test_a_random_sparse_model_is_what_was_asked_for():
    mdp = models.random_sparse(50, actions=3, successors=7, rewards=4, horizon=6, seed=3)
    assert (mdp.n_states, set(mdp.n_actions), mdp.horizon) == (50, {3}, 6)
    for _, _, action in mdp:
        assert (len(action.successors), len(action.reward_law)) == (7, 4)
        assert all((14 * p).denominator == 1 for _, p in action.successors)
        assert all((10 * r).denominator == 1 and 0 <= r <= 1 for r in action.reward_law.atoms)


def test_a_seed_names_one_random_model():
    assert models.random_sparse(20, seed=1) == models.random_sparse(20, seed=1)
    assert models.random_sparse(20, seed=1) != models.random_sparse(20, seed=2)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [({"successors": 9}, "successors is 9"), ({"rewards": 12}, "rewards is 12"), ({"actions": 0}, "actions is 0")],
)
def test_impossible_sizes_are_refused(sizes, message):
    with pytest.raises(InvalidArgument, match=message):
        models.random_sparse(8, **sizes)


DENSE_CUBE = 10_000 * 10_000 * 2 * 8
"""Bytes of the float64 transitions of 10,000 states with two actions; the sparse model must stay far below."""

LARGE = """
import resource, sys
import verified_risk as vr

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

shares = ["1/10", "1/5", "1/5", "1/4", "1/4"]
rows = [
    [[(p, (7 * s + 11 * a + 101 * i) % 10_000, (s + a + i) % 11) for i, p in enumerate(shares)] for a in range(2)]
    for s in range(10_000)
]
before = peak()
joint = vr.MDP.from_outcomes(rows, initial=0, horizon=10)
assert sum(len(action.outcomes) for _, _, action in joint) == 100_000
joint.to_csv(sys.argv[1])
assert vr.MDP.from_csv(sys.argv[1], initial=0, horizon=10, index_base=0) == joint
product = vr.MDP(
    initial=0,
    transitions=[[{s: p for p, s, _ in action} for action in actions] for actions in rows],
    rewards=[[{action[0][2]: "1/2", 11: "1/2"} for action in actions] for actions in rows],
    horizon=10,
)
assert sum(len(action.successors) for _, _, action in product) == 100_000
assert len({id(action.reward) for _, _, action in product}) == 11  # equal laws are shared
print(peak() - before)
"""


def test_ten_thousand_states_and_a_hundred_thousand_outcomes_need_no_dense_cube(tmp_path):
    pytest.importorskip("resource")
    command = [sys.executable, "-c", LARGE, str(tmp_path / "large.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < DENSE_CUBE / 4


# -- words about models ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", models.NAMES)
def test_a_model_has_a_drawing_and_a_map_only_if_its_states_are_cells(name):
    mdp = models.load(name)
    assert mdp.drawing
    if name == "frozen_lake":
        assert map_lines(mdp) == MAP.strip().splitlines()
        return
    assert [len(own) for own in mdp.action_names] == list(mdp.n_actions)
    assert all(len(set(own)) == len(own) for own in mdp.action_names)
    for line in mdp.drawing.splitlines():  # whatever the number of states, words are not taken for cells
        drawn = vr.MDP(0, [[{0: 1}]] * len(line), [[0]] * len(line), horizon=1, drawing=line)
        with pytest.raises(Unsupported, match="has no map"):
            map_lines(drawn)


def test_the_words_of_a_model_follow_its_parameters():
    assert "path 1: 0 ice, pays 1 for sure" in models.frozen_lake().drawing
    assert "path 6: 3 ice, pays 6 with probability 729/1000, 0 otherwise" in models.frozen_lake().drawing
    assert "0 new > 1 > 2 broken" in models.machine_replacement(3).drawing
    assert "one worse after it with probability 1/3" in models.machine_replacement(wear="1/3").drawing
    assert "of 0, 3, 7 that the money covers" in models.betting_game(stakes=(0, 3, 7)).drawing
    assert "12 the goal" in models.gamblers_ruin(12).drawing
    assert "5 with probability 1" in models.inventory(demand={5: 1}).drawing


def test_names_of_actions_are_kept_and_do_not_change_the_model(tmp_path):
    game = models.betting_game()
    plain = as_mdp(data_of(game))
    assert plain.action_names is None
    assert "action_names" not in plain.to_json()
    assert plain == game
    game.save(tmp_path / "game.json")
    assert vr.MDP.load(tmp_path / "game.json").action_names == game.action_names
    assert game.with_horizon(2).action_names == game.action_names
    assert game.action_names[10][3] == "stake 5"
    for names, message in (([], "has 0 states, wanted 1"), ([["a", "b"]], "wanted 1 names"), ([[1]], "wanted 1 names")):
        with pytest.raises(InvalidModel, match=message):
            vr.MDP(0, [[{0: 1}]], [[0]], horizon=1, action_names=names)


LAKE_PATHS = {6: Fraction(729, 1000), 4: Fraction(81, 100), 2: Fraction(9, 10), 1: Fraction(1)}


def path_cvar(reward, success, alpha):
    """The worst alpha share of a law that pays ``reward`` with probability ``success`` and 0 otherwise."""
    return max(Fraction(0), reward * (alpha - (1 - success)) / alpha)


# -- the frozen lake --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alpha", "value", "path"),
    [("2/5", "21/10", 4), ("33/100", "56/33", 4), ("1/4", "6/5", 2), ("1/100", "1", 1), ("1", "2187/500", 6)],
)
def test_the_lake_has_the_optimal_paths_of_the_audit(alpha, value, path):
    plan = vr.exact_plan(models.frozen_lake(), vr.CVaR(alpha))
    assert plan.value == Fraction(value)
    assert plan.law == vr.Law({path: LAKE_PATHS[path], 0: 1 - LAKE_PATHS[path]})


def test_the_lake_offers_nothing_better_than_its_four_paths_at_any_level():
    lake = models.frozen_lake()
    for alpha in (Fraction(i, 60) for i in range(1, 61)):
        best = max(path_cvar(reward, success, alpha) for reward, success in LAKE_PATHS.items())
        assert vr.exact_plan(lake, vr.CVaR(alpha)).value == best


@pytest.mark.parametrize(("switch", "below", "above"), [("1/5", 1, 2), ("7/25", 2, 4), ("433/1000", 4, 6)])
def test_the_lake_switches_paths_where_the_audit_says(switch, below, above):
    lake, here, near = models.frozen_lake(), Fraction(switch), Fraction(1, 10**6)
    assert path_cvar(below, LAKE_PATHS[below], here) == path_cvar(above, LAKE_PATHS[above], here)
    assert vr.exact_plan(lake, vr.CVaR(here)).value == path_cvar(above, LAKE_PATHS[above], here)
    assert vr.exact_plan(lake, vr.CVaR(here - near)).law.atoms[-1] == below
    assert vr.exact_plan(lake, vr.CVaR(here + near)).law.atoms[-1] == above


def walk_the_map(moves, slip=Fraction(1, 10)):
    """{return: probability} of a fixed sequence of moves, read off the characters of the map."""
    rows = MAP.split()

    def at(cell):
        r, c = cell
        return rows[r][c] if 0 <= r < len(rows) and 0 <= c < len(rows[0]) else "#"

    start = next((r, c) for r, row in enumerate(rows) for c, letter in enumerate(row) if letter == "S")
    level = {(start, 0): Fraction(1)}
    for down, right in moves:
        following = {}
        for ((r, c), z), p in level.items():
            if at((r, c)) in "O6421":
                landings = [((r, c), p)]
            else:
                near, far = (r + down, c + right), (r + 2 * down, c + 2 * right)
                near = (r, c) if at(near) == "#" else near
                if near != (r, c) and at(near) == "~":
                    landings = [(near, p * (1 - slip)), (near if at(far) == "#" else far, p * slip)]
                else:
                    landings = [(near, p)]
            for cell, mass in landings:
                paid = int(at(cell)) if at(cell) in "6421" and cell != (r, c) else 0
                following[cell, z + paid] = following.get((cell, z + paid), 0) + mass
        level = following
    return oracles.added((z, p) for (_, z), p in level.items())


def test_of_all_1024_walks_on_the_map_only_four_laws_pay():
    directions = [(-1, 0), (0, 1), (1, 0), (0, -1)]
    laws = {tuple(sorted(walk_the_map(moves).items())) for moves in itertools.product(directions, repeat=5)}
    paying = {law for law in laws if any(z for z, _ in law)}
    wanted = {((0, 1 - p), (z, p)) if p != 1 else ((z, p),) for z, p in LAKE_PATHS.items()}
    assert paying == wanted


def test_the_lake_is_a_grid_with_four_moves_and_the_papers_product_form():
    lake = models.frozen_lake()
    cells = [letter for letter in MAP if letter not in "#\n"]
    assert lake.n_states == len(cells)
    assert list(lake.n_actions) == [1 if letter in "O6421" else 4 for letter in cells]
    assert lake.is_product
    assert lake.horizon == 5


def test_the_lake_draws_its_map_and_says_what_the_signs_mean():
    text = models.frozen_lake().describe()
    assert text.startswith(MAP.strip("\n"))
    for said in ("~ ice", "O hole", "# wall", "probability 1/10", "pays 6 with probability 729/1000"):
        assert said in text


def test_the_lake_with_other_ice_has_other_probabilities():
    plan = vr.exact_plan(models.frozen_lake("1/2"), vr.Mean())
    assert plan.value == 1  # 6/8, 4/4, 2/2, 1: all but the first tie
    assert "1/8" in models.frozen_lake("1/2").describe()
    with pytest.raises(InvalidNumber, match="slip is 3/2"):
        models.frozen_lake("3/2")


# -- gridworlds -------------------------------------------------------------------------------------------------------


def test_a_slide_stops_at_a_wall_and_a_move_against_a_wall_stays():
    mdp = models.gridworld("S~#G", rewards={"G": 1}, horizon=3)
    assert mdp.actions(0)[1].successors == ((1, 1),)
    assert {mdp.actions(0)[MOVES.index(move)].successors for move in ("up", "down", "left")} == {((0, 1),)}


def test_bumping_into_a_wall_on_ice_stays_on_the_ice():
    mdp = models.gridworld("S~.", rewards={}, horizon=2)
    assert mdp.actions(1)[MOVES.index("up")].outcomes == ((1, 1, 0),)


def test_a_slide_goes_one_cell_only():
    mdp = models.gridworld("S~~~G", rewards={"G": 1}, horizon=1, slip="1/3")
    assert mdp.actions(0)[1].successors == ((1, Fraction(2, 3)), (2, Fraction(1, 3)))


def test_a_goal_behind_ice_makes_the_reward_depend_on_the_next_state():
    mdp = models.gridworld("S~G", rewards={"G": 5}, horizon=1, slip="1/4", move_reward=-1)
    assert mdp.actions(0)[1].outcomes == ((Fraction(3, 4), 1, -1), (Fraction(1, 4), 2, 4))
    assert not mdp.is_product


def test_several_starts_are_equally_likely():
    mdp = models.gridworld("S.S\n#S#", rewards={}, horizon=1)
    assert mdp.initial == ((0, Fraction(1, 3)), (2, Fraction(1, 3)), (3, Fraction(1, 3)))


@pytest.mark.parametrize(
    ("text_map", "rewards", "message"),
    [
        ("S.\n...", {}, "line 1 of the map has 3 cells, wanted 2"),
        ("S?.", {}, "row 0, column 1 of the map is '\\?'"),
        ("..G", {"G": 1}, "no start"),
        ("", {}, "empty"),
        ("S", {"~": 1}, "'~' is not a free letter"),
        ("S", {"GG": 1}, "'GG' is not a free letter"),
    ],
)
def test_a_bad_map_is_refused_with_the_place(text_map, rewards, message):
    with pytest.raises(InvalidModel, match=message):
        models.gridworld(text_map, rewards=rewards, horizon=1)
