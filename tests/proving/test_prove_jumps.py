"""Quantiles in mixtures, whose weightings jump: also where a CDF meets the level with equality.

The truth is brute force: every deterministic policy, and two of them drawn at the shares where a CDF meets a level.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import pytest
from proof_files import _all_laws, accepted, certificate_text, corrupted, is_true, policy_law, read, value, verdicts
from proof_models import random_mdp

import verified_risk as vr
from verified_risk import errors
from verified_risk.grid import own_unit
from verified_risk.planning.clock import Clock
from verified_risk.proving import bounded, write
from verified_risk.proving.budgets import Charges
from verified_risk.proving.certificate import integer_model
from verified_risk.proving.cover_search import Exact
from verified_risk.proving.write import Draft

OBJECTIVES = (
    "1/2*mean + 1/2*var(1/2)", "1/3*cvar(1/2) + 2/3*var(1/4)", "1/2*mean + 1/4*var(1/4) + 1/4*var(1/2)",
    "1/2*dual(2) + 1/2*var(1/3)", "1/2*mean + 1/2*var(1)", "1/4*mean + 3/4*var(2/3)",
)  # fmt: skip
UPPER = (
    "1/2*mean + 1/2*var(1/2, upper)", "1/2*cvar(1/2) + 1/2*var(0, upper)", "1/2*dual(2) + 1/2*var(1/3, upper)",
    "1/2*mean + 1/4*var(1/4, upper) + 1/4*var(1/2)", "1/2*var(0, upper) + 1/2*var(2/3, upper)",
)  # fmt: skip
COIN = vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], horizon=1)


@pytest.mark.parametrize("objective", [*OBJECTIVES[:3], "1/2*mean + 1/2*var(1)", *UPPER[:3]])
@pytest.mark.parametrize("name", ["two_paths", "frozen_lake", "gamblers_ruin"])
def test_quantiles_in_mixtures_are_proved_at_the_plans_own_bounds(name, objective):
    plan = vr.plan(vr.models.load(name), objective, gap="1/20", time_limit=5)
    found = plan.prove()
    assert 0 <= found.upper - plan.upper <= Fraction(1, 1000), found
    assert 0 <= plan.lower - found.lower < Fraction(1, 10**15), found
    assert found.theorem == ("upper_quantiles_sound" if "upper" in objective else "check_curved_sound")


@pytest.mark.parametrize(
    ("objective", "worth"),
    [
        ("1/2*mean + 1/2*var(1/2)", "1/4"), ("1/2*mean + 1/2*var(1/2, upper)", "3/4"),
        ("1/2*mean + 1/2*var(0, upper)", "1/4"), ("1/2*mean + 1/2*var(1)", "3/4"),
    ],
)  # fmt: skip
def test_a_fair_coin_is_proved_at_levels_that_it_meets(objective, worth):
    """Its CDF is 1/2 between the two returns: the lower 1/2-quantile is 0, the upper one 1."""
    found = vr.plan(COIN, objective, time_limit=5).prove()
    assert 0 <= Fraction(worth) - found.lower < Fraction(1, 10**15)
    assert 0 <= found.upper - Fraction(worth) < Fraction(1, 10**6)


def mixtures(text: str) -> Iterator[dict[Fraction, Fraction]]:
    """Laws of the policies of a certificate's model: deterministic ones, and two of them drawn at the start, at shares
    where the CDF of the mixture meets a level of the objective."""
    file = read(text)
    laws = _all_laws(file.discount, file.denominator, file.horizon, file.initial, file.steps)
    laws = [dict(law) for law in {tuple(sorted(law.items())) for law in laws}]
    yield from laws
    levels = {k for _, kind, k in file.objective[1] if kind in ("jump", "upper")}
    for one, other in combinations(laws[:40], 2):
        for z in {*one, *other}:
            a, b = (sum(p for y, p in law.items() if y <= z) for law in (one, other))
            for level in levels:
                if a != b and 0 < (share := (level - b) / (a - b)) < 1:
                    for moved in {share, share - Fraction(1, 10**9), share + Fraction(1, 10**9)}:
                        if 0 < moved < 1:
                            yield {
                                y: moved * one.get(y, Fraction()) + (1 - moved) * other.get(y, Fraction())
                                for y in {*one, *other}
                            }


def holds(text: str) -> bool:
    file = read(text)
    digits = Fraction(1, 10**45)
    attained = value(file.objective, policy_law(file)) >= file.lower - digits
    return attained and all(value(file.objective, law) <= file.upper + digits for law in mixtures(text))


def met(rng: random.Random) -> vr.MDP:
    """Probabilities are quarters, so that CDFs meet the levels."""
    while True:
        mdp = random_mdp(rng, most_policies=60)
        if mdp.discount == 1:
            break
    rows = []
    for s in range(mdp.n_states):
        rows.append([])
        for _ in range(rng.randint(1, 2)):
            law = [(Fraction(1, 4), rng.randrange(mdp.n_states), Fraction(rng.randint(0, 2))) for _ in range(4)]
            rows[s].append(law)
    return vr.MDP.from_outcomes(rows, initial=0, horizon=rng.randint(1, 2))


def certificates(seed: int, count: int, folder) -> list[str]:
    rng, found = random.Random(seed), []
    for k in range(count):
        plan = vr.plan(met(rng), (OBJECTIVES + UPPER)[k % 11], gap="1/100", time_limit=2)
        proved = plan.prove(certificate=folder / "kept.txt")
        assert proved.upper - plan.upper <= Fraction(1, 1000), (seed, k, plan.objective.spec, proved)
        assert plan.lower - proved.lower < Fraction(1, 10**15), (seed, k, plan.objective.spec, proved)
        found.append((folder / "kept.txt").read_text())
    return found


def passes(text: str) -> list[tuple[int, list[str]]]:
    return [(i, line.split()) for i, line in enumerate(text.splitlines()) if line.startswith("passed ")]


def test_models_whose_cdfs_meet_the_levels_are_proved_and_true(tmp_path):
    texts = certificates(1, 22, tmp_path)
    assert all(holds(text) for text in texts)
    assert sum(bool(passes(text)) for text in texts) >= 11


def campaign(seed: int, originals: int, each: int, folder) -> tuple[int, int]:
    """Certificates with something changed, every second time what they say is passed."""
    texts, rng = certificates(seed, originals, folder), random.Random(seed)
    tried = proved = 0
    for k, text in enumerate(texts):
        changed = [corrupted(text, texts[k - 1], rng)[0] for _ in range(each)]
        changed += [other for _ in range(each) if (other := otherwise_passed(text, rng)) is not None]
        changed = [new for new in changed if new != text]
        tried, proved = tried + len(changed), proved + accepted(changed, folder, holds)
    return tried, proved


def otherwise_passed(text: str, rng: random.Random) -> str | None:
    """Another coordinate, level or scale of a level that is passed; with an upper bound that may be too small."""
    lines, found = text.splitlines(), passes(text)
    if not found:
        return None
    i, words = rng.choice(found)
    which = rng.randrange(4)
    if which == 0:
        words[2] = str(int(words[2]) + rng.choice([1, -1, 2]))
    elif which == 1:
        words[3] = str(Fraction(words[3]) + Fraction(rng.choice([1, -1]), rng.choice([4, 12, 10**6, 2**70])))
    elif which == 2:
        words[1] = str(max(1, int(words[1]) + rng.choice([1, -1, 7])))
    lines[i] = " ".join(words)
    if rng.random() < 0.5:
        claim = lines[2].split()
        lines[2] = f"claim {claim[1]} {Fraction(claim[2]) - Fraction(1, rng.choice([2, 4, 8, 100]))}"
    return "\n".join([*lines, ""])


def test_no_corrupted_certificate_of_a_jump_is_accepted_with_a_false_bound(tmp_path):
    tried, proved = campaign(2, 11, 12, tmp_path)
    assert tried > 150
    assert tried > proved > 0


@pytest.mark.slow
def test_thousands_of_corrupted_certificates_of_jumps(tmp_path):
    tried, proved = campaign(3, 110, 30, tmp_path)
    print(f"{tried} changed certificates of jumps, {proved} of these accepted, none with a false bound")
    assert tried > 3000


# -- what is said to be passed ---------------------------------------------------------------------------------------


def tie(folder) -> str:
    """Heads or tails at once, or two throws: every policy has F(0) >= 1/4 and F(1) >= 1/2, both with equality."""
    half = Fraction(1, 2)
    mdp = vr.MDP.from_outcomes([[[(half, 0, 0), (half, 0, 1)]]], initial=0, horizon=2)
    plan = vr.plan(mdp, "1/2*mean + 1/2*var(3/4)", time_limit=5)
    assert plan.prove(certificate=folder / "kept.txt").upper < Fraction(1) + Fraction(1, 1000)
    return (folder / "kept.txt").read_text()


def test_a_level_that_is_passed_is_believed_only_by_an_exact_table(tmp_path):
    text = tie(tmp_path)
    ((i, words),) = passes(text)
    assert words[3] == "3/4"
    lines = text.splitlines()

    def asked(scale: int, coordinate: int, level: str) -> str:
        new = [*lines[:i], f"passed {scale} {coordinate} {level}", *lines[i + 1 :], ""]
        (line,) = verdicts(["\n".join(new)], tmp_path)
        return line

    scale, k = int(words[1]), int(words[2])
    assert scale % 4 == 0
    assert asked(scale, k, "3/4").startswith("proved")
    assert asked(3 * scale, k, "3/4").startswith("proved")
    for other in (scale + 1, 2**60 + 1, 1):  # what the table loses by rounding is more than nothing
        assert asked(other, k, "3/4") == "refused: the tables of the certificate do not prove the upper bound"
    for wrong in ((k + 1, "3/4"), (k, "3000001/4000000"), (k - 1, "3/4"), (k, "2999999/4000000")):
        assert asked(scale, *wrong) == "refused: the tables of the certificate do not prove the upper bound"
    for odd, said in (("0", "the scale is '0'"), ("-4", "the scale is '-4'"), ("x", "the scale is 'x'")):
        assert said in asked(odd, k, "3/4")
    assert "a level that is passed is '3/0', wanted" in asked(scale, k, "3/0")
    assert asked(scale, 10**40, "3/4").startswith("refused")
    assert asked(scale, -(10**40), "3/4").startswith("refused")
    without = "\n".join([*lines[:i], *lines[i + 1 :], ""])
    assert verdicts([without], tmp_path) == ["refused: the tables of the certificate do not prove the upper bound"]


def test_a_level_that_floats_take_to_be_met_but_is_not_passed_is_not_said_to_be(tmp_path):
    """The least F(0) is 1e-12 below the level, which the table of integers sees and floats do not.  F(1/2) meets it."""
    half = Fraction(1, 2)
    small = half - Fraction(1, 10**12)
    laws = [[(half, 0, 0), (half, 0, 1)], [(small, 0, 0), (1 - small, 0, "1/2")]]
    mdp = vr.MDP.from_outcomes([laws], initial=0, horizon=1)
    plan = vr.plan(mdp, "1/2*mean + 1/2*var(1/2)", time_limit=5)
    found = plan.prove(certificate=tmp_path / "kept.txt")
    assert found.upper - plan.upper < Fraction(1, 10**6)
    text = (tmp_path / "kept.txt").read_text()
    ((i, words),) = passes(text)
    lines = text.splitlines()
    assert words[3] == "1/2"
    words[2] = str(int(words[2]) + 1)  # coordinates of a file count from the greatest return down
    (line,) = verdicts(["\n".join([*lines[:i], " ".join(words), *lines[i + 1 :], ""])], tmp_path)
    assert line == "refused: the tables of the certificate do not prove the upper bound"


@pytest.mark.parametrize("seed", range(12))
def test_the_least_cdf_of_integers_is_that_of_every_policy(seed, tmp_path):
    text = certificates(100 + seed, 1, tmp_path)[0]
    rng = random.Random(100 + seed)
    mdp = met(rng)
    charges = Charges(integer_model(mdp), own_unit(mdp))
    exact = Exact(mdp, charges, 1, Clock())
    file = read(text)
    laws = _all_laws(file.discount, file.denominator, file.horizon, file.initial, file.steps)
    for i in range(-1, charges.span + 1):
        most = (i + charges.spent_least[-1]) * charges.unit
        assert exact.least(i) == min(sum(p for y, p in law.items() if y <= most) for law in laws)


@pytest.mark.parametrize("objective", ["1/2*mean + 1/2*var(1/3)", "1/2*mean + 1/2*var(1/3, upper)"])
def test_a_law_that_is_too_long_to_be_exact_is_said_not_to_be_covered(objective, monkeypatch):
    monkeypatch.setattr(write, "SHORT_SCALE", 0)
    thirds = vr.MDP(0, [[[1]]], [[{0: "1/3", 1: "2/3"}]], horizon=1)
    with pytest.raises(errors.Unsupported, match=r"^not covered: [^\n]* meets [^\n]*with equality"):
        vr.plan(thirds, objective, time_limit=5).prove()
    with pytest.raises(errors.Unsupported, match=r"^not covered: var\(0, upper\) in a mixture, a level at the end"):
        vr.plan(thirds, "1/2*mean + 1/2*var(0, upper)", time_limit=5).prove()


def test_a_value_close_behind_the_level_of_an_upper_quantile_is_said_not_to_be_covered():
    """F(0) is 1/2 + 2^-70: the upper 1/2-quantile is 0, and the lower quantile at 1/2 + 2^-64 is 1."""
    more = Fraction(1, 2) + Fraction(1, 2**70)
    mdp = vr.MDP(0, [[[1]]], [[{0: more, 1: 1 - more}]], horizon=1)
    plan = vr.plan(mdp, "1/2*mean + 1/2*var(1/2, upper)", time_limit=5)
    assert plan.lower < Fraction(3, 10)
    draft = Draft.of(plan)
    low = next(draft.everywhere().curved_certificates(draft.everywhere().objective)).lower
    assert plan.lower - Fraction(1, 10**15) < low <= plan.lower
    exact = vr.Plan.from_json({**plan.to_json(), "upper": str(plan.lower + Fraction(1, 1000))})
    with pytest.raises(errors.Unsupported, match=r"not covered: .* is close behind the level of an upper quantile"):
        exact.prove()


def test_a_level_that_is_passed_is_no_other_level(tmp_path):
    """A fair coin has F(0) = 1/2 and no less, but its 501/1000-quantile is 1: no claim that it is 0."""
    lines = coin("501/1000", tmp_path).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("upper ")) + 1
    at += next(i for i, line in enumerate(lines[at:]) if line.startswith(("cut ", "dual ", "passed ")))
    false = "\n".join([*lines[:2], "claim 0 26/100", *lines[3:at], "passed 2 0 1/2", "dual 1 0", "end", ""])
    assert not is_true(false)
    assert verdicts([false], tmp_path) == ["refused: the tables of the certificate do not prove the upper bound"]
    right = false.replace("claim 0 26/100", "claim 0 751/1000")
    assert is_true(right)
    assert verdicts([right], tmp_path)[0].startswith("proved")


def test_masses_that_are_rounded_do_not_hide_a_value_behind_the_level(tmp_path):
    """F(0) is 1/2 + 2^-300, which a scale of 2^200 rounds to 1/2: the upper 1/2-quantile is 0, and never 1."""
    text = coin("1/2, upper", tmp_path)
    law = f"{2**300} 2 {2**299 + 1} 0 0 {2**299 - 1} 1 0"
    before, words, after = re.fullmatch(r"(.*\nlower law )(\d+)( .*)", text, re.DOTALL).groups()
    assert int(words) < 2**200
    false = f"{before}{2**200}{after}".replace("2 2 1 0 0 1 1 0", law)
    assert not is_true(false)
    assert verdicts([false], tmp_path) == ["refused: the policy of the certificate does not prove the lower bound"]


# -- points of jumps -------------------------------------------------------------------------------------------------


def coin(level: str, folder) -> str:
    """The certificate of a fair coin: its CDF is 1/2 between the two returns."""
    return certificate_text(vr.plan(COIN, f"1/2*mean + 1/2*var({level})", time_limit=5), folder)


@pytest.mark.parametrize(("level", "worth"), [("499/1000", "1/4"), ("1/2", "1/4"), ("501/1000", "3/4")])
def test_a_jump_takes_the_lower_quantile(level, worth, tmp_path):
    """At a CDF that is flat at the level, and on both sides of it; no stair may say otherwise."""
    text = coin(level, tmp_path)
    assert is_true(text)
    assert Fraction(text.splitlines()[2].split()[1]) > Fraction(worth) - Fraction(1, 10**20)
    more = "\n".join(["claim 26/100 1" if worth == "1/4" else "claim 76/100 1", *text.splitlines()[3:], ""])
    (line,) = verdicts(["\n".join([*text.splitlines()[:2], more])], tmp_path)
    assert line.startswith("refused: the policy of the certificate does not prove the lower bound"), line


def test_points_on_the_wrong_side_of_a_jump_are_refused(tmp_path):
    text = coin("1/2", tmp_path)
    lines = text.splitlines()
    first = max(i for i, line in enumerate(lines) if line.startswith("curve"))
    false = []
    for i in range(first, next(i for i, line in enumerate(lines) if line.startswith("lower "))):
        words = lines[i].split()
        if words[1:2] == ["level"] and words[2:] == ["1/2", "1"]:  # the curve is not yet 1 just before its jump
            words[2] = str(Fraction(1, 2) - Fraction(1, 10**12))
        elif len(words) == 2 and words[1] == "1" and words[0] != "stairs":  # and not 0 from there on
            words[1] = str(1 - Fraction(1, 10**12))
        else:
            continue
        false.append("\n".join([*lines[:i], " ".join(words), *lines[i + 1 :], ""]))
    assert len(false) > 2
    for line in verdicts(false, tmp_path):
        assert line.startswith("refused: a point of a curve is not proved: curve 1: "), line


@pytest.mark.parametrize(("level", "worth"), [("499/1000", "1/4"), ("501/1000", "3/4")])
def test_an_upper_quantile_is_between_two_lower_ones(level, worth, tmp_path):
    text = coin(f"{level}, upper", tmp_path)
    assert "weight 1/2 upper" in text.splitlines()[1]
    assert is_true(text)
    lower = Fraction(text.splitlines()[2].split()[1])
    assert Fraction(worth) - Fraction(1, 10**20) < lower <= Fraction(worth)


def test_no_room_behind_an_upper_quantile_may_reach_the_next_value(tmp_path):
    """A fair coin: the upper 1/2-quantile is 1, the upper 499/1000-quantile 0."""
    lines = coin("499/1000, upper", tmp_path).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("room "))
    said = {}
    for room in ("1/1000000000000", "0", "-1/2", "1", "1/1000", "2/1000"):
        said[room] = "\n".join([*lines[:at], f"room {room}", *lines[at + 1 :], ""])
    found = dict(zip(said, verdicts(list(said.values()), tmp_path), strict=True))
    assert "the room above a level is not positive" in found["0"]
    assert "the room above a level is not positive" in found["-1/2"]
    assert all(line.startswith("refused: ") for line in found.values()), found


@pytest.mark.parametrize("seed", range(8))
def test_the_lower_bound_of_an_upper_quantile_needs_the_exact_law(seed, tmp_path):
    """A rounded law, or a value of the CDF between the level and the room behind it, and stairs that take the larger
    quantile: refused, whatever the policy attains."""
    rng = random.Random(seed)
    text = coin("1/2, upper", tmp_path)
    assert is_true(text)
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("lower law "))
    words = lines[at].split()
    rounded = " ".join([*words[:2], str(int(words[2]) + 2 * rng.randint(0, 10**6) + 1), *words[3:]])
    early = [
        line.replace("upper 1/2", f"upper {Fraction(1, 2) - Fraction(1, 2 ** rng.randint(66, 90))}") for line in lines
    ]
    false = ["\n".join([*lines[:at], rounded, *lines[at + 1 :], ""]), "\n".join([*early, ""])]
    assert verdicts(false, tmp_path) == ["refused: the policy of the certificate does not prove the lower bound"] * 2


def test_a_certificate_of_a_lower_quantile_does_not_prove_the_upper_one(tmp_path):
    """With a stair at the level itself, or a line that rises from it on, one of the two checks fails."""
    lines = coin("1/3, upper", tmp_path).splitlines()
    claim = lines[2].split()
    assert Fraction(claim[1]) < Fraction(1, 4) + Fraction(1, 10**9)
    false = ["\n".join([*lines[:2], f"claim 26/100 {claim[2]}", *lines[3:], ""])]
    early = [
        line.replace(line.split()[2], "1/3", 1) if " level " in line and line.endswith(" 1") else line for line in lines
    ]
    assert early != lines
    false.append("\n".join([*early, ""]))
    for line in verdicts(false, tmp_path):
        assert line.startswith("refused: "), line


def test_a_jump_that_comes_too_early_is_refused(monkeypatch):
    plan = vr.plan(vr.models.two_paths(), "1/2*mean + 1/2*var(1/3)", gap="1/4")
    honest = bounded.JumpFamily.below

    def early(self, x):
        found = honest(self, x)
        return bounded.Point(x - Fraction(1, 1000), found.height) if found.height else found

    monkeypatch.setattr(bounded.JumpFamily, "below", early)
    with pytest.raises(errors.Unsupported, match="a point of a curve is not proved"):
        plan.prove()
