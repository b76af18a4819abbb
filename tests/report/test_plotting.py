"""Pictures show the numbers of the library, in black and white too, and the notebook tables carry exact values."""

import subprocess
import sys
import xml.etree.ElementTree
from fractions import Fraction

import pytest

import verified_risk as vr
from verified_risk import errors, plotting
from verified_risk.experiments.sweep import band, panels
from verified_risk.models import frozen_lake, gridworld, two_paths
from verified_risk.plotting.curve import local_maxima
from verified_risk.plotting.policy_map import map_lines

LAW = vr.Law({0: "1/8", "1/2": "3/8", 2: "1/2"})
SKEWED = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=1)
CROSSING = "#####A##\nS~~~~.~O\n######~#\n######B#"


def bars(picture: plotting.Picture, panel: int) -> list[float]:
    return [round(bar.get_height(), 12) for bar in picture.figure.axes[panel].patches]


def words(picture: plotting.Picture) -> list[str]:
    return [text.get_text() for axes in picture.figure.axes for text in axes.texts]


def test_a_law_is_drawn_with_its_masses_and_with_the_weights_of_the_objective():
    """CVaR at 1/4 weighs 0 and 1/2 by half each: 1/8 and 1/8 of the lowest quarter, four times."""
    picture = LAW.plot(vr.CVaR("1/4"))
    assert bars(picture, 0) == [0.125, 0.375, 0.5, 0.5, 0.5, 0.0]
    assert "$\\Phi$ = 1/4" in words(picture)
    assert "1/4-quantile 1/2" in words(picture)
    assert bars(LAW.plot(), 0) == [0.125, 0.375, 0.5]


def test_what_differs_in_colour_differs_in_hatching():
    hatches = [bar.get_hatch() for bar in LAW.plot("cvar(1/4)").figure.axes[0].patches]
    assert len(set(hatches)) == 2
    compared = plotting.draw_comparison([("one", LAW), ("two", LAW), ("three", LAW)], "cvar(1/4)")
    assert len({axes.patches[0].get_hatch() for axes in compared.figure.axes}) == 3


def test_a_law_of_many_atoms_is_drawn_without_bars():
    law = vr.Law({i: Fraction(1, 100) for i in range(100)})
    assert bars(law.plot(vr.Wang("1/2")), 0) == []


def test_a_plan_says_what_is_certified():
    plan = vr.exact_plan(two_paths(), vr.CVaR("1/2"))
    assert "is attained" in plan.plot().figure._suptitle.get_text()


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_picture_gives_the_same_file(tmp_path, kind):
    for name in ("first", "second"):
        LAW.plot(vr.Mean()).save(tmp_path / f"{name}.{kind}")
    first, second = ((tmp_path / f"{name}.{kind}").read_bytes() for name in ("first", "second"))
    assert first == second
    assert first.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[kind])


def test_a_picture_shows_itself_in_a_notebook_as_svg():
    root = xml.etree.ElementTree.fromstring(LAW.plot()._repr_svg_())
    assert root.tag.endswith("svg")


def test_an_unknown_suffix_is_refused(tmp_path):
    with pytest.raises(errors.InvalidArgument, match=r"\.svg, \.png, \.pdf"):
        LAW.plot().save(tmp_path / "law.gif")
    assert list(tmp_path.iterdir()) == []


def test_the_curve_is_the_best_policy_at_every_threshold_and_not_concave():
    r"""J(rho) = max_a { rho - E(rho - R)^+ / alpha }, computed action by action."""
    alpha = Fraction(1, 4)
    marked, curve = plotting.shortfall_curve(SKEWED, alpha, refine=4)
    laws = [action.reward_law for action in SKEWED.actions(0)]
    for rho, value in curve:
        best = max(rho - sum(max(rho - r, 0) * p for r, p in law) / alpha for law in laws)
        assert value == best
    assert dict(marked) == {Fraction(0): 0, Fraction(1, 4): Fraction(1, 4), Fraction(1, 2): Fraction(1, 4)}
    assert dict(curve)[Fraction(3, 8)] == Fraction(3, 16)
    assert len(local_maxima(curve)) == 2


def test_the_top_of_the_curve_is_the_optimum_of_the_planner():
    marked, curve = plotting.shortfall_curve(frozen_lake(), "33/100", refine=2)
    best = vr.exact_plan(frozen_lake(), vr.CVaR("33/100")).value
    assert max(value for _, value in marked) == max(value for _, value in curve) == best
    assert r"optimum $J$ = 56/33 at $\rho$ = 4" in words(plotting.draw_curve(frozen_lake(), "33/100"))


@pytest.mark.parametrize(("alpha", "refine"), [(0, 4), ("1/4", 0), (2, 4)])
def test_a_curve_refuses_impossible_arguments(alpha, refine):
    with pytest.raises(errors.VerifiedRiskError, match=r"wanted"):
        plotting.shortfall_curve(SKEWED, alpha, refine=refine)


def arrows(picture: plotting.Picture, panel: int) -> set[tuple[int, int, str]]:
    """``(column, row, direction)`` of every arrow."""
    found = set()
    for text in picture.figure.axes[panel].texts:
        if getattr(text, "arrow_patch", None) is None:
            continue
        (x1, y1), (x0, y0) = text.xy, text.xyann
        along = {(1, 0): "right", (-1, 0): "left", (0, 1): "down", (0, -1): "up"}
        step = ((x1 > x0 + 1e-9) - (x1 < x0 - 1e-9), (y1 > y0 + 1e-9) - (y1 < y0 - 1e-9))
        found.add((round((x0 + x1) / 2), round((y0 + y1) / 2), along[step]))
    return found


def test_a_policy_map_shows_that_one_cell_has_two_decisions():
    mdp = gridworld(CROSSING, rewards={"A": 6, "B": 11}, horizon=12, slip="1/4", move_reward=-1)
    plan = vr.plan(mdp, vr.CVaR("3/4"), then=None)
    picture = plotting.draw_policy_map(plan, earned=[-3, -5])
    assert (5, 1, "up") in arrows(picture, 0)
    assert (5, 1, "right") in arrows(picture, 1)


def test_the_path_over_the_lake_is_drawn_arrow_by_arrow():
    policy = vr.exact_plan(frozen_lake(), vr.CVaR("33/100")).policy
    expected = {(3, 3, "down"), (3, 4, "down"), (3, 5, "left"), (2, 5, "down"), (2, 6, "left")}
    assert arrows(plotting.draw_policy_map(policy), 0) == expected


def test_a_map_needs_a_map_and_known_directions():
    with pytest.raises(errors.Unsupported, match="no map"):
        plotting.draw_policy_map(vr.exact_plan(SKEWED, vr.Mean()).policy)
    policy = vr.exact_plan(frozen_lake(), vr.Mean()).policy
    with pytest.raises(errors.InvalidArgument, match="north"):
        plotting.draw_policy_map(policy, moves=["north"])
    with pytest.raises(errors.InvalidArgument, match="after earning 17"):
        plotting.draw_policy_map(policy, earned=[17])
    assert map_lines(frozen_lake())[3] == "O~.S.~O#"


def test_bounds_are_drawn_as_given_and_crossed_bounds_are_refused():
    picture = plotting.draw_bounds([(0.0, 0, 2), (1.0, 1, "3/2"), (2.0, "5/4", "5/4")])
    assert "attained 5/4" in words(picture)
    assert "gap 0" in words(picture)
    with pytest.raises(errors.InvalidArgument, match="exceeds"):
        plotting.draw_bounds([(0.0, 2, 1)])
    with pytest.raises(errors.InvalidArgument, match="empty"):
        plotting.draw_bounds([])


def test_regret_is_drawn_against_its_bound():
    picture = plotting.draw_regret([("ucb", [1, 2, 3]), ("greedy", [1, 3, 5])], [10, 20, 30])
    near, far = picture.figure.axes
    assert [list(line.get_ydata()) for line in near.lines] == [[1, 2, 3], [1, 3, 5]]
    assert list(far.lines[-1].get_ydata()) == [10, 20, 30]
    assert near.lines[0].get_linestyle() != near.lines[1].get_linestyle()
    with pytest.raises(errors.InvalidArgument, match="nothing to draw"):
        plotting.draw_regret([])


def test_notebook_tables_carry_exact_values_and_escape_text():
    plan = vr.exact_plan(frozen_lake(), vr.CVaR("33/100"))
    html = plan._repr_html_()
    assert "56/33, exactly" in html
    assert "19/100" in html
    assert "81/100" in html
    many = vr.Law({i: Fraction(1, 20) for i in range(20)})
    assert "8 more, together 2/5" in many._repr_html_()
    drawn = vr.MDP(initial=0, transitions=[[[1]]], rewards=[[1]], horizon=1, drawing="a <b> & c")
    assert "a &lt;b&gt; &amp; c" in drawn._repr_html_()
    assert "7/8: to 0, pays 1/2" in SKEWED._repr_html_()
    for text in (html, many._repr_html_(), drawn._repr_html_(), SKEWED._repr_html_()):
        xml.etree.ElementTree.fromstring(text)


def test_notebook_tables_need_no_matplotlib():
    code = (
        "import sys; sys.modules['matplotlib'] = None; import verified_risk as vr; "
        "law = vr.Law({0: '1/2', 1: '1/2'}); law._repr_html_()\n"
        "try: law.plot()\n"
        "except vr.errors.MissingDependency as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "pictures need matplotlib: pip install 'verified-risk[plot]'"


def test_bounds_in_a_table_are_rounded_outward():
    plan = vr.plan(frozen_lake(), vr.CVaR("33/100"))
    assert plan.gap > 0
    shown = plan._repr_html_()
    base, gap = shown.split("best over all policies ≤ ")[1].split("<")[0].split(" + ")
    upper = Fraction(base) + Fraction(gap)
    assert plan.upper <= upper <= plan.lower + 2 * plan.gap
    title = plan.plot().figure._suptitle.get_text()
    assert Fraction(title.partition("better by more than ")[2]) >= plan.gap


def test_the_laws_of_several_plans_share_one_axis_and_name_their_values():
    found = vr.compare(two_paths(), ["mean", "cvar(1/4)"])
    panels = found.plot().figure.axes
    assert [axes.get_title(loc="left") for axes in panels] == [
        "planned for mean = 3/2; mean 3/2, worst 0",
        "planned for cvar(1/4) = 1; mean 1, worst 1",
    ]
    assert sorted(bar.get_height() for bar in panels[0].patches) == [0.25, 0.75]
    with pytest.raises(vr.errors.InvalidArgument, match="7 plans, wanted at most 6"):
        vr.compare(two_paths(), ["mean"] * 7).plot()


def test_the_curve_of_all_levels_is_what_the_frontier_says():
    frontier = vr.cvar_frontier(two_paths())
    upper, lower = frontier.plot().figure.axes[0].lines[:2]
    for alpha, low, high in zip(lower.get_xdata(), lower.get_ydata(), upper.get_ydata(), strict=True):
        exact = vr.exact_plan(two_paths(), vr.CVaR(Fraction(alpha).limit_denominator(60))).value
        assert low <= float(exact) + 1e-12
        assert high >= float(exact) - 1e-12


def test_the_front_is_drawn_with_its_exact_points():
    front = vr.mean_cvar_front(two_paths(), "1/4")
    assert all(point.exact for point in front)
    drawn = front.plot().figure.axes[0].lines[0]
    assert list(drawn.get_xdata()) == [float(point.mean) for point in front]
    assert list(drawn.get_ydata()) == [float(point.cvar) for point in front]


def test_a_map_knows_the_directions_of_gymnasiums_lake_or_refuses():
    lake = vr.MDP.from_gymnasium("FrozenLake-v1", horizon=3, options={"is_slippery": False})
    right = vr.MarkovPolicy(lake, [[2] * 16] * 3)
    assert arrows(plotting.draw_policy_map(right), 0) == arrows(
        plotting.draw_policy_map(right, moves=["left", "down", "right", "up"]), 0
    )
    blind = vr.MDP(0, [[[1, 0], [1, 0]], [[0, 1], [0, 1]]], [[0, 1], [0, 0]], horizon=2, drawing="SF")
    with pytest.raises(vr.errors.Unsupported, match="do not say which way"):
        plotting.draw_policy_map(vr.MarkovPolicy(blind, [[0, 0]] * 2))


def test_a_run_is_drawn_with_its_own_regret_and_bound():
    run = vr.learn(two_paths(), vr.CVaR("1/2"), episodes=20)
    near, far = run.plot().figure.axes
    assert list(near.lines[0].get_ydata()) == pytest.approx(list(run.regret), abs=0)
    assert list(far.lines[-1].get_ydata()) == pytest.approx(list(run.bound), abs=0)


def test_the_bands_of_an_experiment_differ_in_their_dashes_and_fit_into_the_panel():
    import numpy as np

    axes = panels(1, 4, 3)[1][0]
    band(axes, [1, 2], np.array([[1.0, 2.0], [1.0, 4.0]]), "low")
    band(axes, [1, 2], np.array([[10.0, 20.0], [10.0, 40.0]]), "high")
    first, second = axes.lines
    assert first.get_linestyle() != second.get_linestyle()
    assert axes.get_ylim()[0] == 0
    assert axes.get_ylim()[1] >= 40


def test_a_map_names_the_remaining_budget_when_told_the_threshold():
    plan = vr.exact_plan(frozen_lake(), vr.CVaR("33/100"))
    picture = plotting.draw_policy_map(plan.policy, threshold=plan.law.quantile("33/100"))
    assert picture.figure.axes[0].get_title(loc="left").endswith("earned 0, budget 4 left")
    assert "budget" not in plotting.draw_policy_map(plan.policy).figure.axes[0].get_title(loc="left")


def test_the_tail_that_cvar_weighs_is_shaded():
    def shaded(picture):
        return [patch.get_height() for patch in picture.figure.axes[2].patches if patch.get_width() == 1]

    assert shaded(LAW.plot(vr.CVaR("1/4"))) == [pytest.approx(0.25)]
    assert shaded(LAW.plot(vr.Mean())) == []


def test_a_picture_for_a_folder_that_does_not_exist_is_refused_by_name(tmp_path):
    with pytest.raises(
        errors.InvalidArgument, match=r"nope/x\.svg cannot be written: there is no folder .*nope, create"
    ):
        LAW.plot().save(tmp_path / "nope" / "x.svg")
