"""The frozen lake and other gridworlds: maps, slides, walls, and the four paths of the audit."""

import itertools
from fractions import Fraction

import pytest

import verified_risk as vr
from verified_risk import models
from verified_risk.errors import InvalidModel, InvalidNumber
from verified_risk.models.gridworld import MAP, MOVES

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
    law = {}
    for (_, z), p in level.items():
        law[z] = law.get(z, 0) + p
    return law


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
