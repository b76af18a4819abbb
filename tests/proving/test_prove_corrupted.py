"""Certificates of small models with something changed: none is accepted with a false bound.

The truth is known by brute force: every deterministic policy of (step, state, return so far), and the policy of the
certificate walked history by history.
"""

from __future__ import annotations

import random

import pytest
from proof_files import accepted, certificate_text, corrupted, is_true
from proof_models import random_mdp, random_plan

SMALL = 300
"""Policies of a model that brute force goes through."""


def certificates(seed: int, count: int, folder) -> list[str]:
    rng, found = random.Random(seed), []
    while len(found) < count:
        found.append(certificate_text(random_plan(rng, random_mdp(rng, most_policies=SMALL)), folder))
    return found


def campaign(seed: int, originals: int, each: int, folder) -> tuple[int, int]:
    """Corrupt, ask, judge what was accepted; how many were tried and how many accepted."""
    rng, tried, proved = random.Random(seed), 0, 0
    texts = certificates(seed, originals, folder)
    for i, text in enumerate(texts):
        changed = [new for _ in range(each) if (new := corrupted(text, texts[i - 1], rng)[0]) != text]
        tried, proved = tried + len(changed), proved + accepted(changed, folder)
    return tried, proved


def test_no_corrupted_certificate_is_accepted_with_a_false_bound(tmp_path):
    tried, proved = campaign(seed=1, originals=20, each=25, folder=tmp_path)
    assert tried > 400
    assert tried > proved > 0  # some changes leave the claim true and proved


@pytest.mark.slow
def test_ten_thousand_corrupted_certificates(tmp_path):
    tried, proved = campaign(seed=2, originals=200, each=60, folder=tmp_path)
    print(f"{tried} changed certificates, {proved} of these accepted, none with a false bound")
    assert tried >= 10_000


def test_the_certificates_of_random_models_are_proved_and_true(tmp_path):
    for text in certificates(3, 12, tmp_path):
        assert is_true(text)


@pytest.mark.parametrize("seeds", [range(2000, 2040), pytest.param(range(1000), marks=pytest.mark.slow)], ids=len)
def test_random_models_are_proved_at_their_own_bounds(seeds):
    for seed in seeds:
        rng = random.Random(seed)
        plan = random_plan(rng, random_mdp(rng))
        proved = plan.prove()
        assert (proved.lower, proved.upper) == (plan.lower, plan.upper), f"seed {seed}"
