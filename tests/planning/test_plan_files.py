"""Plans that are saved, loaded, shown and rechecked: nothing is lost, nothing is believed, nothing ends in a bare
error."""

import json
import random
from dataclasses import replace
from fractions import Fraction

import plan_models as models
import pytest
from scipy import stats

import verified_risk as vr
from verified_risk import files
from verified_risk.errors import InvalidFile, InvalidModel, InvalidNumber, InvalidObjective
from verified_risk.numbers.enclosure import Truth
from verified_risk.numbers.rational import as_fraction, text
from verified_risk.planning.affordable_law import float_law

MDP = vr.MDP(0, [[[1], [1], [1]]], [[{1: 1}, {0: "1/8", 4: "7/8"}, {2: "1/2", 1: "1/2"}]], horizon=3)
CONTINUOUS = {
    "discounted": vr.MDP(0, [[[1], [1]]], [[stats.uniform(0, 1), {"1/2": 1}]], horizon=2, discount="1/2"),
    "undiscounted": vr.MDP(
        [0.5, 0.5], [[[0, 1], [1, 0]], [{0: 1}]], [[stats.beta(2, 3), {"1/3": 1}], [stats.uniform(-1, 1)]], horizon=3
    ),
}


def searched_plan() -> vr.Plan:
    return vr.plan(MDP, vr.CPW("0.71"), gap="1/100", time_limit=5)


def rewritten(path, change):
    """The file with its data changed and its digest right: what a forger would write."""
    data = json.loads(path.read_text())["data"]
    change(data)
    files.write(path, "plan", data)


# -- levels and weights beyond float64 --------------------------------------------------------------------------------

TINY = Fraction("1e-310"), Fraction("1e-320")


@pytest.mark.parametrize(
    "objective",
    [
        vr.CVaR("1e-250"),
        vr.CVaR("1e-290"),
        vr.CVaR("1e-310"),
        vr.CVaR("1e-4000"),
        Fraction(1, 2) * vr.Mean() + Fraction(1, 2) * vr.CVaR("1e-310"),
        Fraction(1, 100) * vr.Mean() + Fraction(99, 100) * vr.CVaR("1e-310"),
        (1 - TINY[1]) * vr.Mean() + TINY[1] * vr.CVaR("1/4"),
        (1 - TINY[1]) * vr.Mean() + TINY[1] * vr.CVaR("1e-320"),
        (1 - TINY[1]) * vr.Mean() + TINY[1] * vr.CVaR("1e-4000"),
        TINY[0] * vr.Mean() + (1 - TINY[0]) * vr.CVaR("1/4"),
    ],
    ids=lambda objective: f"{objective.lipschitz.numerator.bit_length()} bits" if objective else "",
)
def test_levels_and_weights_too_small_for_floats_are_planned_for(objective):
    plan = vr.plan(MDP, objective)
    optimum = vr.exact_plan(MDP, objective).value
    assert plan.lower <= optimum <= plan.upper
    assert plan.gap <= Fraction(1, 10**12)
    assert plan.recheck().lower_holds is plan.recheck().upper_holds is Truth.HOLDS


def test_bounds_at_tiny_levels_hold_without_the_exact_judge(monkeypatch):
    """The bounds of the pass itself; the exact law of the policy may not mend them."""
    monkeypatch.setattr("verified_risk.planning.certify.exact_value", lambda *_, **__: None)
    rng = random.Random("tiny levels")
    for mdp, _, _ in models.small("tiny levels", 25, max_states=3, max_actions=3):
        alpha = Fraction(rng.choice(["1e-260", "1e-280", "1e-300", "1e-310", "1e-400"]))
        weight = Fraction(rng.choice([0, 0, 1, 50, 99]), 100)
        objective = vr.CVaR(alpha) if not weight else weight * vr.Mean() + (1 - weight) * vr.CVaR(alpha)
        plan = vr.plan(mdp, objective)
        attained = objective.of(vr.return_law(mdp, plan.policy))
        assert plan.lower <= attained <= vr.exact_plan(mdp, objective).value <= plan.upper
        if not weight:
            assert plan.gap <= Fraction(1, 10**12)


def test_rare_outcomes_are_not_lost_at_levels_that_are_rarer(monkeypatch):
    """Whatever the level, a loss of probability 1e-305 is accounted for by both bounds, however wide they get."""
    monkeypatch.setattr("verified_risk.planning.certify.exact_value", lambda *_, **__: None)
    rare = Fraction("1e-305")
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: rare, 9: 1 - rare}, {5: 1}]], horizon=1)
    for level in ("1e-300", "1e-305", "1e-306", "1e-310"):
        plan = vr.plan(mdp, vr.CVaR(level))
        assert plan.lower <= vr.exact_plan(mdp, vr.CVaR(level)).value <= plan.upper
        assert plan.lower <= vr.CVaR(level).of(vr.return_law(mdp, plan.policy))


def test_the_frontier_answers_at_tiny_levels():
    frontier = vr.cvar_frontier(MDP)
    found = frontier("1e-310")
    assert found.lower == found.upper == 3
    assert frontier.plan("1e-310").recheck().upper_holds is Truth.HOLDS


@pytest.mark.parametrize("size", [200, 309, -200, -400])
def test_rewards_of_any_size_can_be_shown(size):
    unit = Fraction(10) ** size
    coin = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", 3 * unit: "1/2"}, {unit: 1}]], horizon=2)
    for objective in (vr.CVaR("1/4"), vr.Mean()):
        plan = vr.plan(coin, objective)
        assert size < 0 or f"E{size:+}" in str(plan.recheck())
        assert f"e{size:+}" in plan._repr_html_() or size == -200
        assert "rounded" in str(plan.certificate)
    html = vr.Law({0: "1/2", 2 * unit: "1/2"})._repr_html_()
    assert f"e{size:+}" in html.split("standard deviation")[1]


# -- continuous rewards -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CONTINUOUS)
@pytest.mark.parametrize("objective", [vr.CVaR("1/4"), vr.VaR("1/3"), vr.Wang("1/2")], ids=str)
def test_plans_of_continuous_models_are_saved_and_loaded_and_not_covered_by_recheck(name, objective, tmp_path):
    plan = vr.plan(CONTINUOUS[name], objective, eta="1/20", time_limit=2)
    before = plan.recheck()
    assert before.lower_holds is before.upper_holds is Truth.UNKNOWN
    assert before.upper_route.startswith("not covered: continuous rewards")
    assert plan.law is None  # that of the return rounded up is another one
    plan.save(tmp_path / "plan.json")
    again = vr.Plan.load(tmp_path / "plan.json")
    assert again.recheck() == before


def test_discrete_laws_of_scipy_are_refused_at_once():
    with pytest.raises(InvalidModel, match=r"rewards\[0\]\[0\] is the discrete law randint"):
        vr.MDP(0, [[[1]]], [[stats.randint(0, 3)]], horizon=1)


# -- the law in the file ----------------------------------------------------------------------------------------------


def test_an_approximate_law_stays_approximate_in_a_file(tmp_path):
    plan = vr.plan(MDP, vr.CVaR("1/4"))
    law, error = float_law(MDP, plan.policy)
    rough = replace(plan, known_law=law, known_error=error)
    assert error > 0
    rough.save(tmp_path / "plan.json")
    again = vr.Plan.load(tmp_path / "plan.json")
    assert (again.law, again.law_error) == (law, error)
    assert again.recheck().lower_holds is Truth.HOLDS
    wrong = replace(again, known_law=vr.Law.point(100))
    assert wrong.recheck().lower_holds is Truth.FAILS


def test_a_file_with_another_law_is_found_out(tmp_path):
    path = tmp_path / "plan.json"
    vr.plan(MDP, vr.CVaR("1/4")).save(path)
    assert vr.Plan.load(path).recheck().lower_holds is Truth.HOLDS
    rewritten(path, lambda data: data.update(law={"atoms": ["100"], "masses": ["1"]}))
    answer = vr.Plan.load(path).recheck()
    assert answer.lower_holds is Truth.FAILS
    assert "not the law that the plan states" in answer.lower_route


def test_a_law_without_its_error_is_not_believed(tmp_path):
    path = tmp_path / "plan.json"
    plan = vr.plan(MDP, vr.CVaR("1/4"))
    plan.save(path)
    rewritten(path, lambda data: (data.pop("law_error"), data.update(law={"atoms": ["100"], "masses": ["1"]})))
    assert vr.Plan.load(path).law == plan.law


def test_plans_with_numbers_of_many_digits_are_shown_saved_and_loaded(tmp_path):
    """Python refuses to write integers of more than 4300 digits; the law of a long horizon has longer ones."""
    rare = Fraction(1, 10**150 + 3)
    biased = {0: rare, 1: 1 - rare}
    plan = vr.plan(vr.MDP(0, [[[1], [1]]], [[biased, {"1/2": 1}]], horizon=30), vr.CVaR("1/4"))
    assert plan.law_error == 0
    assert max(p.denominator.bit_length() for p in plan.law.masses) > 14_300
    assert "standard deviation" in plan._repr_html_()
    assert "Law({" in repr(plan.law)
    plan.save(tmp_path / "plan.json")
    again = vr.Plan.load(tmp_path / "plan.json")
    assert again.law == plan.law
    assert again.recheck().lower_holds is Truth.HOLDS


def test_long_numbers_are_written_and_read_exactly():
    for x in (Fraction(10**5000 + 7), Fraction(-(3**12_000), 2**15_000), Fraction(1, 7**5000), Fraction(2**20_000)):
        assert as_fraction(text(x), "x") == x
    assert as_fraction("0." + "3" * 5000, "x") == Fraction((10**5000 - 1) // 3, 10**5000)
    for wrong in ("1" * 5000 + "/0", "1" * 5000 + "x", "nan" + " " * 5000, "1/2/" + "3" * 5000):
        with pytest.raises(InvalidNumber, match="wanted a number such as"):
            as_fraction(wrong, "x")


# -- bad files and bad words ------------------------------------------------------------------------------------------


def test_searched_plans_have_a_hash_and_are_equal_to_themselves():
    plan = searched_plan()
    assert hash(plan) == hash(replace(plan))
    assert plan == replace(plan)
    assert plan != replace(plan, upper=plan.upper + 1)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda data: data.update(lower="1/0"), "lower is '1/0'"),
        (lambda data: data.update(eta="0"), "eta of the plan is 0"),
        (lambda data: data.update(law_error="-1"), "law_error of the plan is -1"),
    ],
)
def test_impossible_numbers_in_a_file_are_refused(change, complaint, tmp_path):
    path = tmp_path / "plan.json"
    searched_plan().save(path)
    rewritten(path, change)
    with pytest.raises(InvalidFile, match=complaint):
        vr.Plan.load(path)


def test_a_digest_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "plan.json"
    path.write_text('{"format": "verified_risk/plan", "version": 1, "sha256": 5, "data": {}}')
    with pytest.raises(InvalidFile, match="was edited"):
        vr.Plan.load(path)


def test_a_plan_file_with_the_record_of_a_search_loads(tmp_path):
    """Older versions kept what the search had done."""
    path = tmp_path / "plan.json"
    plan = vr.plan(MDP, vr.CVaR("1/4"))
    plan.save(path)
    rewritten(path, lambda data: data["certificate"].update(proof={"kind": "boxes"}, bounded_by=["mean", "1"]))
    again = vr.Plan.load(path)
    assert again.certificate == plan.certificate
    assert again.recheck() == plan.recheck()


def test_objectives_that_are_no_text_are_refused():
    for nothing in (None, 3, ["mean"]):
        with pytest.raises(InvalidObjective, match="text such as"):
            vr.objective(nothing)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("1e+0*mean", vr.objective("1*mean")),
        ("5E-1*mean + 0.05e+1*cvar(2.5e-1)", vr.objective("1/2*mean+1/2*cvar(1/4)")),
        ("5.e-1*mean+5.e-1*cvar(0.25e+0)", vr.objective("1/2*mean+1/2*cvar(1/4)")),
    ],
)
def test_the_sign_of_an_exponent_does_not_separate_terms(words, meant):
    assert vr.objective(words) == meant
