"""Weightings that are not piecewise linear: proved on named and random models, and no false point accepted.

The truth about a point is mpmath's, with 60 digits; the truth about a claim is brute force.
"""

from __future__ import annotations

import random
import re
from fractions import Fraction

import pytest
from proof_files import accepted, certificate_text, corrupted, curve, is_true, verdicts
from proof_models import random_mdp

import verified_risk as vr
from verified_risk import errors
from verified_risk.objectives import cpw
from verified_risk.proving import bounded, write_coq
from verified_risk.proving.bounded import family_of
from verified_risk.proving.proved import AXIOMS

FAMILIES = ("wang(3/4)", "cpw(0.71)", "dual(3/2)", "hazard(1/2)")
CURVES = (
    *FAMILIES, "wang(-1/2)", "wang(2)", "cpw(1/3)", "cpw(0.9)", "dual(1/2)", "dual(3)", "hazard(5/2)", "hazard(1/3)",
    "1/2*wang(1/2) + 1/2*cvar(1/4)", "1/3*cpw(0.61) + 2/3*mean", "1/4*wang(-1) + 1/4*dual(2) + 1/2*cvar(1/3)",
    "1/2*mean + 1/2*var(1/3)", "1/3*cvar(1/4) + 2/3*var(1/2)", "1/2*dual(2) + 1/2*var(1/4)",
    "1/2*mean + 1/4*var(1/4) + 1/4*var(1)", "1/2*mean + 1/2*var(1/3, upper)",
    "1/2*dual(2) + 1/4*var(1/4, upper) + 1/4*var(1/2)",
)  # fmt: skip
SHORT = ("two_paths", "frozen_lake", "machine_replacement", "gamblers_ruin", "inventory")


def proved(plan: vr.Plan, **options) -> vr.proving.Proved:
    """Proved at the plan's bounds, but for what the curve costs: nothing above where the plan's gap leaves room and its
    upper bound is not just the largest return."""
    found = plan.prove(**options)
    room = plan.gap > Fraction(1, 1000) and plan.upper < plan.mdp.remaining_range(0)[1]
    assert 0 <= found.upper - plan.upper <= (0 if room else Fraction(1, 1000)), found
    assert 0 <= plan.lower - found.lower < Fraction(1, 10**15), found
    theorem = "upper_quantiles_sound" if "upper" in plan.objective.spec else "check_curved_sound"
    assert (found.theorem, found.axioms) == (theorem, AXIOMS)
    assert "slack of the curve" in str(found)
    return found


@pytest.mark.parametrize("objective", FAMILIES)
@pytest.mark.parametrize("name", ["two_paths", "frozen_lake", "gamblers_ruin"])
def test_named_models_are_proved(name, objective):
    proved(vr.plan(vr.models.load(name), objective, gap="1/20"))


@pytest.mark.parametrize("name", ["machine_replacement", "inventory"])
def test_larger_named_models_are_proved_for_a_dual_power(name):
    proved(vr.plan(vr.models.load(name), "dual(3/2)", gap="1/10"))


@pytest.mark.slow
@pytest.mark.parametrize("objective", CURVES)
@pytest.mark.parametrize("name", SHORT)
def test_every_short_named_model_is_proved_for_every_curve(name, objective):
    """The search for a cover gives up on some of the larger ones, and says so."""
    plan = vr.plan(vr.models.load(name), objective, gap="1/10")
    assert proved_or_not_covered(plan) or name in ("inventory", "machine_replacement")


def test_a_grid_that_rounds_and_a_saved_plan_are_proved(tmp_path):
    vr.plan(vr.models.frozen_lake(), "dual(3/2)", eta="1/3", gap="1/20").save(tmp_path / "plan.json")
    proved(vr.Plan.load(tmp_path / "plan.json"))


def test_curves_whose_points_take_coq_long_have_no_coq_file(tmp_path):
    with pytest.raises(errors.Unsupported, match="not covered by --coq"):
        write_coq(vr.plan(vr.models.two_paths(), "wang(3/4)", gap="1/4"), tmp_path / "wang.v")
    assert not (tmp_path / "wang.v").exists()


def test_the_coq_file_is_on_the_rewards_own_grid_where_the_proof_is(tmp_path):
    """Rounded up to 1/3, the reward is 2/3; that none is greater than 1/2 is seen on its own grid only."""
    for rewards, unit in (({"1/2": 1}, "1/2"), ({0: "1/2", "1/2": "1/2"}, "1/3")):
        plan = vr.plan(vr.MDP(0, [[[1]]], [[rewards]], horizon=1), "dual(3/2)", eta="1/3", time_limit=5)
        plan.prove()
        write_coq(plan, tmp_path / "plan.v")
        _, cover = re.split("upper (?:cover|contraction) ", (tmp_path / "plan.v").read_text())
        assert cover.splitlines()[1].startswith(f"unit {unit} ")


# -- points ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", [text for text in CURVES if "+" not in text])
def test_points_are_on_their_side_of_the_graph(objective):
    weighting, rng = vr.objective(objective), random.Random(objective)
    family = family_of(weighting)
    kind, parameter, _ = family.curve
    for _ in range(30):
        x = bounded.down(Fraction(rng.random()) ** rng.choice([1, 3]))
        truth = curve(kind, parameter, x)
        assert truth - Fraction(1, 10**17) < family.below(x).height <= truth <= family.above(x).height
        assert family.above(x).height < truth + Fraction(1, 10**17)


def certificate_of(objective: str, folder) -> str:
    return certificate_text(vr.plan(vr.models.two_paths(), objective, gap="1/4"), folder)


def with_false_points(text: str, rng: random.Random) -> str | None:
    """One point, or one height of a line, moved to the wrong side of the graph by a share between 1e-3 and 1e-15."""
    lines = text.splitlines()
    kind, parameter = lines[1].split()[5:7]
    chosen = rng.randrange(lines.index("line") + 1, next(i for i, x in enumerate(lines) if x.startswith("lower ")))
    words = lines[chosen].split()
    if words[0] == "stairs":
        return None
    is_stair = words[1] not in ("level", "chord", "line", "linear")
    at = 1 if is_stair else rng.choice([i for i in (3, 3 + (len(words) - 2) // 2) if i < len(words)])
    x = Fraction(words[at - 1])
    truth = curve(kind, Fraction(parameter), x)
    helper = not is_stair and words[1] == "line" and at > 3
    moved = Fraction(1, 10 ** rng.randrange(3, 16)) * rng.choice([1, x, 1 - x])
    moved = truth - moved if is_stair or helper else truth + moved
    if x in (0, 1) or not 0 < moved < 1 or moved == truth:
        return None
    words[at] = str(moved.limit_denominator(10**40))
    lines[chosen] = " ".join(words)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("objective", ["wang(3/4)", "wang(-1)", "cpw(0.71)", "dual(5/2)", "dual(1/2)", "hazard(1/3)"])
def test_a_point_on_the_wrong_side_is_refused(objective, tmp_path):
    text, rng = certificate_of(objective, tmp_path), random.Random(objective)
    false = [new for new in (with_false_points(text, rng) for _ in range(30)) if new is not None]
    assert len(false) > 12
    for line in verdicts(false, tmp_path):
        assert line.startswith("refused: a point of a curve is not proved: curve 0: "), line


@pytest.mark.parametrize("objective", ["wang(3/4)", "cpw(0.71)", "dual(5/2)", "hazard(1/3)"])
def test_a_stair_below_the_graph_is_refused(objective, tmp_path):
    lines = certificate_text(vr.plan(vr.models.gamblers_ruin(), objective, gap="1/4"), tmp_path).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("stairs ")) + 2  # after that at 0
    kind, parameter = lines[1].split()[5:7]
    false = []
    for i in range(first, next(i for i, line in enumerate(lines) if line.startswith("lower "))):
        for share in (Fraction(1, 1000), Fraction(1, 10**9), Fraction(1, 10**16)):
            x, _, *hints = lines[i].split()
            lower = curve(kind, Fraction(parameter), Fraction(x)) * (1 - share)
            words = [x, str(lower.limit_denominator(10**40)), *hints]
            false.append("\n".join([*lines[:i], " ".join(words), *lines[i + 1 :], ""]))
    assert false
    for line in verdicts(false, tmp_path):
        assert line.startswith("refused: a point of a curve is not proved: curve 0: stair "), line


@pytest.mark.parametrize("rounding", ["down", "up"])
@pytest.mark.parametrize("objective", ["cpw(0.71)", "dual(3/2)"])
def test_points_that_are_rounded_the_wrong_way_are_refused(objective, rounding, monkeypatch):
    plan = vr.plan(vr.models.two_paths(), objective, gap="1/4")
    other = {"down": bounded.up, "up": bounded.down}[rounding]
    monkeypatch.setattr(bounded, rounding, other)
    with pytest.raises(errors.Unsupported, match="a point of a curve is not proved"):
        plan.prove()


def test_a_chord_where_the_curve_bends_up_is_refused(monkeypatch):
    plan = vr.plan(vr.models.two_paths(), "hazard(2)", gap="1/4")
    monkeypatch.setattr(bounded.Family, "falls_to", property(lambda self: Fraction(1)))
    with pytest.raises(errors.Unsupported, match="piece 0 of its line"):
        plan.prove()


@pytest.mark.parametrize("turn", [0.2, 0.8])
def test_a_wrong_turn_is_refused(turn, monkeypatch):
    """Too late, with false cells that bend down; too early, with false cells that bend up."""
    honest, sign = bounded.bend, Fraction(-1 if turn > 0.5 else 1)
    plan = vr.plan(vr.models.two_paths(), "cpw(0.71)", gap="1/4")
    monkeypatch.setattr(cpw, "where_it_turns", lambda _: Fraction(turn))
    faulty = lambda *cell, rising: sign if rising == (sign > 0) else honest(*cell, rising=rising)  # noqa: E731
    monkeypatch.setattr(bounded, "bend", faulty)
    with pytest.raises(errors.Unsupported, match="a point of a curve is not proved"):
        plan.prove()


# -- whole certificates ----------------------------------------------------------------------------------------------


def random_curved_plan(rng: random.Random, most_policies: int | None = None) -> vr.Plan:
    return vr.plan(random_mdp(rng, most_policies=most_policies), rng.choice(CURVES), gap="1/20", time_limit=5)


def proved_or_not_covered(plan: vr.Plan, **options) -> bool:
    try:
        proved(plan, **options)
        said = ""
    except errors.Unsupported as error:
        said = str(error)
    assert not said or "not covered" in said, said
    return not said


def campaign(seed: int, originals: int, each: int, folder) -> tuple[int, int]:
    rng, tried, proved, done = random.Random(seed), 0, 0, 0
    previous = certificate_of("dual(3/2)", folder)
    while done < originals:
        if not proved_or_not_covered(random_curved_plan(rng, 60), certificate=folder / "kept.txt"):
            continue
        done += 1
        text = (folder / "kept.txt").read_text()
        assert is_true(text)
        changed = [new for _ in range(each) if (new := corrupted(text, previous, rng)[0]) != text]
        tried, proved = tried + len(changed), proved + accepted(changed, folder)
        previous = text
    return tried, proved


def test_no_corrupted_certificate_of_a_curve_is_accepted_with_a_false_bound(tmp_path):
    tried, proved = campaign(1, 6, 30, tmp_path)
    assert tried > 120
    assert tried > proved


@pytest.mark.slow
def test_a_thousand_corrupted_certificates_of_curves(tmp_path):
    assert campaign(2, 60, 40, tmp_path)[0] > 1200


@pytest.mark.slow
def test_two_hundred_random_models_are_proved_for_curves():
    covered = sum(proved_or_not_covered(random_curved_plan(random.Random(seed))) for seed in range(240))
    print(covered)
    assert covered >= 200


def test_a_curve_of_a_return_that_is_certain_is_never_refused():
    """A line below a curve loses something at 1, and here the slack for it is a share of nothing."""
    sure = vr.MDP(0, [[[1], [1]]], [[{"-2/3": 1}, {"-2/3": 1}]], horizon=4)
    with pytest.raises(errors.Unsupported, match="not covered"):
        vr.plan(sure, "cpw(1/2)").prove()
