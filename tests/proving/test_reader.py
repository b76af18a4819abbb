"""The reader in Python: it accepts honest certificates of every kind, and nothing that is false.

The truth is brute force over all policies.  ``verdicts`` of ``proof_files`` compares the reader with the verified
program on every certificate of the other tests in this folder.
"""

from __future__ import annotations

import io
import itertools
import random
import tempfile
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import proof_files
import pytest

import verified_risk as vr
from verified_risk.numbers.enclosure import Truth
from verified_risk.planning import clock as limits
from verified_risk.planning.clock import Clock
from verified_risk.proving import integer_tables, weightings
from verified_risk.proving.bounded import find_turn
from verified_risk.proving.certificate import ByCover
from verified_risk.proving.proved import Judge, first_accepted, read
from verified_risk.proving.reader import read_certificate
from verified_risk.proving.weightings import Curve, Point, normal
from verified_risk.proving.write import Draft

HAIR = Fraction(1, 10**30)
COIN = vr.MDP(0, [[[1], [1]]], [[{0: "1/2", 1: "1/2"}, {"1/3": 1}]], horizon=2)
WALK = vr.MDP(
    ["1/3", "2/3"], [[["1/2", "1/2"], [1, 0]], [["1/4", "3/4"], [0, 1]]],
    [[{0: "1/2", 2: "1/2"}, {1: 1}], [{-1: "1/3", 1: "2/3"}, {0: 1}]], horizon=2,
)  # fmt: skip
FORCED = vr.MDP(0, [[["1/3", "2/3"]], [["1/2", "1/2"]]], [[{0: "1/3", 1: "2/3"}], [{0: "1/2", 2: "1/2"}]], horizon=2)
FLIP = vr.MDP(0, [[[1]]], [[{0: "1/2", 1: "1/2"}]], horizon=1)
DISCOUNTED = COIN.with_discount("9/10")
KINDS = {
    "mean": (WALK, "mean", None),
    "CVaR": (WALK, "cvar(1/4)", None),
    "mean and CVaR": (WALK, "1/2*mean + 1/2*cvar(1/3)", None),
    "VaR": (WALK, "var(1/3)", None),
    "upper VaR": (WALK, "var(1/3, upper)", None),
    "CVaR of one policy": (FORCED, "cvar(1/3)", None),
    "VaR of a coin": (FLIP, "var(1/2)", None),
    "upper VaR of a coin": (FLIP, "var(1/2, upper)", None),
    "rounded CVaR": (COIN, "cvar(1/2)", "2/7"),
    "rounded VaR": (COIN, "var(1/3)", "2/7"),
    "cells": (DISCOUNTED, "cvar(1/2)", "1/4"),
    "cells and mean": (DISCOUNTED, "1/2*mean + 1/2*cvar(1/2)", "1/4"),
    "spectral": (WALK, "1/2*cvar(1/5) + 1/2*cvar(1/2)", None),
    "polygon": (WALK, "pl(0, 0; 1/3, 1/2; 2/3, 1/2; 1, 1)", None),
    "hazard": (COIN, "hazard(1/2)", None),
    "dual": (COIN, "dual(3/2)", None),
    "wang": (COIN, "wang(-1/2)", None),
    "cpw": (COIN, "cpw(0.71)", None),
    "jump": (COIN, "1/2*mean + 1/2*var(1/2)", None),
    "upper jump": (COIN, "1/2*mean + 1/2*var(1/3, upper)", None),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def answer(text: str) -> str:
    return read_certificate(io.BytesIO(text.encode()))


def text_of(certificate) -> str:
    return "".join(certificate.lines())


@cache
def accepted(kind: str):
    """The certificate of an honest plan that the reader accepts."""
    mdp, objective, eta = KINDS[kind]
    plan = vr.plan(mdp, objective, eta=eta, gap=None if vr.objective(objective).knots else "1/50")
    draft, found = Draft.of(plan), []

    def kept(file, certificate, clock):
        found.append(certificate)
        return read(file, certificate, clock)

    with tempfile.TemporaryDirectory() as folder:
        first_accepted(draft, Judge(kept, None, Clock()), Path(folder) / "kept.txt")
    return found[-1]


@cache
def truth(kind: str) -> tuple[Fraction, Fraction]:
    """Return the values of the certificate's policy and of the best deterministic one, by brute force."""
    file = proof_files.read(text_of(accepted(kind)))
    laws = proof_files._all_laws(file.discount, file.denominator, file.horizon, file.initial, file.steps)
    own = proof_files.value(file.objective, proof_files.policy_law(file))
    return own, max(proof_files.value(file.objective, law) for law in laws)


@every_kind
def test_an_honest_certificate_is_proved_and_a_better_claim_is_not(kind):
    certificate = accepted(kind)
    own, best = truth(kind)
    assert answer(text_of(certificate)) == "proved"
    lower = answer(text_of(replace(certificate, lower=own + HAIR)))
    upper = answer(text_of(replace(certificate, upper=best - HAIR)))
    assert lower.startswith("refused: the policy of the certificate does not prove the lower bound"), lower
    assert upper.startswith("refused: the tables of the certificate do not prove the upper bound"), upper


@every_kind
def test_tables_without_loss_lose_nothing(kind):
    """Where every number is exact the reader accepts the very truth."""
    certificate = accepted(kind)
    own, best = truth(kind)
    exact = kind in ("mean", "CVaR", "mean and CVaR", "VaR", "upper VaR")
    if exact:
        assert answer(text_of(replace(certificate, lower=own, upper=best))) == "proved"
    assert certificate.lower <= own
    assert certificate.upper >= best


@every_kind
def test_rows_of_machine_words_and_of_long_integers_give_one_answer(kind, monkeypatch):
    certificate = accepted(kind)
    texts = [
        text_of(replace(certificate, lower=x, upper=y))
        for x in (certificate.lower, truth(kind)[0])
        for y in (certificate.upper, truth(kind)[1])
    ]
    words = [answer(text)[:40] for text in texts]
    monkeypatch.setattr(integer_tables.Setting, "integer_type", lambda self, largest: object)
    long = [answer(text)[:40] for text in texts]
    assert words == long or kind.startswith("cells")  # rounds shares of a cell in machine words
    assert all(b == "proved" for a, b in zip(words, long, strict=True) if a == "proved")


def corruptions(kind: str, count: int) -> list[str]:
    """The certificate, claims that are better than the truth by much or by a hair, and damaged copies."""
    rng, certificate = random.Random(f"reader {kind}"), accepted(kind)
    text, other = text_of(certificate), text_of(accepted(rng.choice(list(KINDS))))
    own, best = truth(kind)
    claims = [(own + x, certificate.upper) for x in (HAIR, Fraction(1, 10))]
    claims += [(certificate.lower, best - x) for x in (HAIR, Fraction(1, 10))]
    better = [replace(certificate, lower=x, upper=y) for x, y in claims]
    better += [
        replace(one, low=replace(one.low, scale=scale), up=replace(one.up, scale=scale))
        for one in better for scale in (1, 3, 10) if not isinstance(one.up, ByCover)
    ]  # fmt: skip
    damaged = (proof_files.corrupted(text, other, rng)[0] for _ in range(count))
    return [text, *map(text_of, (*better, *other_windows(certificate))), *damaged]


def other_windows(certificate) -> list:
    """The certificate with one end of one window moved by one, in either proof."""
    found = []
    for side in ("low", "up"):
        proof = getattr(certificate, side)
        windows = list(proof.grid.windows) if getattr(proof, "grid", None) else []
        for t, end, by in itertools.product(range(len(windows)), (0, 1), (-1, 1)):
            moved = [list(window) for window in windows]
            moved[t][end] += by
            grid = replace(proof.grid, windows=tuple(map(tuple, moved)))
            found.append(replace(certificate, **{side: replace(proof, grid=grid)}))
    return found


def test_the_verified_program_agrees_on_damaged_certificates_of_every_kind(tmp_path):
    texts = [text for kind in KINDS for text in corruptions(kind, 40)]
    lines = proof_files.verdicts(texts, tmp_path)  # compares the reader with each
    assert len(KINDS) < sum(line.startswith("proved") for line in lines) < len(lines) / 2


def test_no_corrupted_certificate_is_accepted_with_a_false_bound():
    counts = Counter()
    for kind in KINDS:
        for text in corruptions(kind, 10):
            said = answer(text)
            assert said.startswith(("proved", "refused: ", "not covered: ")), said
            counts[said == "proved"] += 1
            assert said != "proved" or proof_files.is_true(text), f"{kind}:\n{text}"
    assert counts[True] > 20 < counts[False]


def test_lossless_tables_refute_a_false_bound():
    plan = vr.exact_plan(WALK, "cvar(1/4)")
    assert plan.recheck().upper_holds is Truth.HOLDS
    assert replace(plan, upper=plan.upper - HAIR).recheck().upper_holds is Truth.FAILS
    assert replace(plan, lower=plan.lower + HAIR).recheck().lower_holds is Truth.FAILS
    other = vr.exact_plan(WALK, "mean").policy
    assert replace(plan, policy=other).recheck().lower_holds is Truth.FAILS


@pytest.mark.parametrize(
    ("mdp", "objective"),
    [
        *((vr.models.frozen_lake().with_horizon(4), objective) for objective in ("mean", "cvar(1/4)", "var(1/3)")),
        (vr.models.frozen_lake().with_horizon(4).with_discount("9/10"), "cvar(1/4)"),
        (DISCOUNTED, "1/2*mean + 1/2*cvar(1/2)"),
        (WALK, "wang(3/4)"),
        (WALK, "1/2*cvar(1/4) + 1/2*cvar(1/2)"),
    ],
)
def test_the_clock_is_asked_for_every_state_of_every_step(monkeypatch, mdp, objective):
    """Time stands still but for one question: after it, few more are asked before the answer."""
    plan = vr.plan(mdp, objective, gap="1/10")
    asked = 0

    def now() -> float:
        nonlocal asked
        asked += 1
        return 0.0 if asked < stop else 100.0

    stop = 10**9
    monkeypatch.setattr(limits, "now", now)
    assert plan.recheck(time_limit=5).lower_holds is Truth.HOLDS
    least = mdp.n_states * mdp.horizon
    assert asked >= least, f"{asked} questions for {least} states and steps"
    stop, asked = asked // 2, 0
    found = plan.recheck(time_limit=5)
    assert asked <= stop + 5, "the clock was asked again after time was up"  # once in each of the nested loops
    assert found.upper_holds is Truth.UNKNOWN
    assert "time limit of 5 s is reached while" in found.upper_route


def test_the_clock_is_asked_for_every_cell_that_shows_where_cpw_bends():
    """A cell takes a hundredth of a second where the exponent is long."""
    turn, asked = find_turn(Fraction(71, 100)), []
    weightings.proved_to(Fraction(71, 100), turn.rising, turn.start, turn.low, lambda: asked.append(1), rising=True)
    assert len(asked) == len(turn.rising) > 10


def test_leaves_of_a_cover_are_evaluated_in_blocks(monkeypatch):
    text, seen = text_of(accepted("polygon")), []

    def table(c, terminal, *rest, **kept):
        seen.append(len(terminal))
        return integer_tables.table(c, terminal, *rest, **kept)

    monkeypatch.setattr(weightings, "table", table)
    assert answer(text) == "proved"
    together, seen[:] = seen[:], []
    monkeypatch.setattr(weightings, "BLOCK", 1)
    assert answer(text) == "proved"
    assert sum(seen) == sum(together)
    assert set(seen) == {1}
    assert len(together) < len(seen)


# -- the curves ------------------------------------------------------------------------------------------------------


def test_the_normal_law_is_enclosed_to_seventeen_digits():
    rng = random.Random("normal")
    for z in (
        Fraction(0),
        Fraction(26),
        Fraction(-26),
        *(Fraction(rng.randint(-(2**99), 2**99), 2**96) for _ in range(40)),
    ):
        with proof_files.mpmath.workdps(60):
            exact = proof_files.mpmath.ncdf(proof_files.mpmath.mpf(z.numerator) / z.denominator)
            enclosed = [normal(z, up=up) for up in (False, True)]
            low, high = (proof_files.mpmath.mpf(x.numerator) / x.denominator for x in enclosed)
            assert low <= exact <= high
        assert enclosed[1] - enclosed[0] < Fraction(1, 10**17)


HINTS = {"wang": lambda x, up: (oracles_quantile(x, up),)}


def oracles_quantile(x: Fraction, up: bool) -> Fraction:
    """A z with N(z) just on the side of x that is asked for."""
    with proof_files.mpmath.workdps(40):
        z = proof_files.mpmath.sqrt(2) * proof_files.mpmath.erfinv(
            2 * proof_files.mpmath.mpf(x.numerator) / x.denominator - 1
        )
        return Fraction(int(z * 2**60), 2**60) + (1 if up else -1) * Fraction(1, 2**50)


@pytest.mark.parametrize(
    "name", ["hazard 1/2", "hazard 5/2", "dual 3/2", "dual 1/2", "wang 1/2", "wang -3/4", "jump 1/2"]
)
def test_points_of_a_curve_are_right_on_one_side_only(name):
    kind, parameter = name.split()
    curve = Curve(kind, Fraction(parameter))
    for x in (Fraction(1, 7), Fraction(1, 2), Fraction(6, 7)):
        exact = proof_files.curve(kind, Fraction(parameter), x)
        for up, is_right in ((False, Point.is_below), (True, Point.is_above)):
            hints = HINTS[kind](x, up) if kind in HINTS else ()
            side = 1 if up else -1
            near, far = exact + side * Fraction(1, 10**12), exact - side * Fraction(1, 10**12)
            assert is_right(Point(x, near, hints), curve)
            assert not is_right(Point(x, far, hints), curve)
            assert not is_right(Point(x + 1, near, hints), curve)
