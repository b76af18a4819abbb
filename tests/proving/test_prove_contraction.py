"""Contractions: what two readers that share no code prove with them, to the last digit, and what is true.

The truth is known by brute force: every deterministic policy of (step, state, return so far), and mixtures of two.
"""

from __future__ import annotations

import io
import itertools
import math
import random
import re
from contextlib import suppress
from fractions import Fraction

import pytest
from proof_files import _all_laws, accepted, certificate_text, corrupted, read, value, verdicts
from proof_models import random_mdp

import verified_risk as vr
from verified_risk.proving import cover_search
from verified_risk.proving.contraction import slopes_between
from verified_risk.proving.reader import read_certificate

OBJECTIVES = (
    "pl(0, 0; 1/4, 1/2; 1, 1)", "pl(0, 0; 1/3, 0; 1, 1)", "pl(0, 0; 1/3, 1/2; 2/3, 1/2; 1, 1)", "hazard(1/2)",
    "1/2*mean + 1/2*var(1/3)",
)  # fmt: skip


@pytest.fixture(autouse=True)
def contracting(monkeypatch):
    """Every search contracts its root twice before anything else."""
    close = cover_search._Recorded._close

    def contract_first(self, root):
        if self.contracts:
            self.oracle.allowed[:] = self.oracle.everything
            self._contract(root)
            self._bound(root, 3)
            self._contract(root)
        close(self, root)

    monkeypatch.setattr(cover_search._Recorded, "_close", contract_first)
    monkeypatch.setattr(cover_search, "FEW_PASSES", -1)


def contracted(seed: int, count: int, folder) -> list[str]:
    """Certificates with contractions of random models on their own grids."""
    rng, found = random.Random(f"contractions {seed}"), []
    for objective in itertools.cycle(OBJECTIVES):
        plan = vr.plan(random_mdp(rng, most_policies=300), objective, gap="1/100", time_limit=5)
        with suppress(vr.errors.Unsupported):
            found += [text for text in (certificate_text(plan, folder),) if "\ncontract " in text]
        if len(found) == count:
            break
    return found


def claiming(text: str, upper: Fraction) -> str:
    return re.sub(r"\nclaim (\S+) \S+", rf"\nclaim \1 {upper}", text)


def least_proved(text: str, grain: Fraction) -> Fraction:
    """The least multiple of ``grain`` that the reader in Python proves as the upper bound."""
    proves = lambda k: read_certificate(io.BytesIO(claiming(text, k * grain).encode())) == "proved"  # noqa: E731
    low, high = -int(10 / grain), int(10 / grain)  # no return is as large
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if proves(middle) else (middle, high)
    return high * grain


def best_value(text: str) -> Fraction:
    """The largest objective of a deterministic policy, or of an even mixture of two."""
    file = read(text)
    laws = _all_laws(file.discount, file.denominator, file.horizon, file.initial, file.steps)
    mixed = ({z: (a.get(z, 0) + b.get(z, 0)) / 2 for z in {*a, *b}} for a, b in itertools.combinations(laws[:60], 2))
    return max(value(file.objective, law) for law in (*laws, *mixed))


def coarser(text: str, rng: random.Random) -> str:
    """The certificate with contractions on a scale so small that their roundings decide what is removed."""
    scale = rng.choice([1, 2, 3, 10])

    def rescaled(found: re.Match[str]) -> str:
        words = list(map(int, found[2].split()))
        costs = " ".join(f"{n} {c * scale // int(found[1])}" for n, c in zip(words[::2], words[1::2], strict=True))
        return f"\ncontract {scale} {costs}\n"

    return re.sub(r"\ncontract (\d+) (.*)\n", rescaled, text)


@pytest.mark.parametrize("seed", range(3))
def test_both_readers_prove_the_same_least_bound_and_it_is_true(seed, tmp_path):
    """Every rounding counts at the least bound: what one reader loses or gains, the other does."""
    rng, texts = random.Random(seed), contracted(seed, 5, tmp_path)
    texts += [coarser(text, rng) for text in texts * 2]
    texts = [text for text in texts if read_certificate(io.BytesIO(claiming(text, Fraction(10)).encode())) == "proved"]
    assert len(texts) >= 12
    grain = Fraction(1, 2**80)
    bounds = [least_proved(text, grain) for text in texts]
    at, below = ([claiming(text, x - less) for text, x in zip(texts, bounds, strict=True)] for less in (0, grain))
    assert all(line.startswith("proved") for line in verdicts(at, tmp_path))
    assert not any(line.startswith("proved") for line in verdicts(below, tmp_path))
    assert all(best_value(text) <= x for text, x in zip(texts, bounds, strict=True))


def test_slopes_of_a_box_are_those_beside_its_points():
    rng = random.Random("slopes")
    for _ in range(200):
        xs = [Fraction(0), *sorted(rng.sample([Fraction(k, 12) for k in range(1, 12)], 3)), Fraction(1)]
        points = list(zip(xs, sorted(Fraction(rng.randrange(20), 19) for _ in xs), strict=True))
        p, q = sorted(rng.choices([*xs, *(Fraction(k, 24) for k in range(25))], k=2))
        pieces = [(a, b, (v - u) / (b - a)) for (a, u), (b, v) in itertools.pairwise(points)]
        inside = {p, q, *(x for x in xs if p < x < q)}
        right = {slope for a, b, slope in pieces for x in inside if a <= x < b}
        left = {slope for a, b, slope in pieces for x in inside if a < x <= b}
        expected = math.floor(7 * min(left, default=0)), math.ceil(7 * max(right, default=0))
        assert slopes_between(points, p, q, 7) == expected


def test_no_corrupted_contraction_is_accepted_with_a_false_bound(tmp_path):
    rng, texts = random.Random("corrupted contractions"), contracted(9, 12, tmp_path)
    changed = [
        corrupted(claiming(text, least_proved(text, Fraction(1, 2**20))), texts[0], rng)[0] for text in texts * 20
    ]
    assert 0 < accepted(changed, tmp_path, lambda text: best_value(text) <= read(text).upper) < len(changed)
