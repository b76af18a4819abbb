"""Certificates of small models with something changed: none is accepted with a false bound.

The truth is known by brute force: every deterministic policy of (step, state, return so far), and the policy of the
certificate walked history by history.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from proof_files import corrupted, is_true, require_checker, verdicts
from proof_models import random_mdp, random_plan

SMALL = 300
"""Policies of a model that brute force goes through."""


@pytest.fixture(autouse=True)
def _checker():
    require_checker()


def certificates(seed: int, count: int, folder) -> list[str]:
    rng, found = random.Random(seed), []
    while len(found) < count:
        plan = random_plan(rng, random_mdp(rng, most_policies=SMALL))
        plan.prove(certificate=folder / "kept.txt")
        found.append((folder / "kept.txt").read_text())
    return found


def campaign(seed: int, originals: int, each: int, folder) -> Counter[str]:
    """Corrupt, ask, judge what was accepted; counts of what was done and of what was accepted."""
    rng, counts = random.Random(seed), Counter()
    texts = certificates(seed, originals, folder)
    for i, text in enumerate(texts):
        changed = [corrupted(text, texts[i - 1], rng) for _ in range(each)]
        changed = [(new, kind) for new, kind in changed if new != text]
        for (new, kind), line in zip(changed, verdicts([new for new, _ in changed], folder), strict=True):
            counts["tried"] += 1
            counts[f"tried: {kind}"] += 1
            if line.startswith("proved"):
                counts["accepted"] += 1
                counts[f"accepted: {kind}"] += 1
                assert is_true(new), f"accepted with a false bound (seed {seed}, {kind}):\n{new}"
            else:
                assert line.startswith(("refused: ", "not covered: ")), line
    return counts


def test_no_corrupted_certificate_is_accepted_with_a_false_bound(tmp_path):
    counts = campaign(seed=1, originals=20, each=25, folder=tmp_path)
    assert counts["tried"] > 400
    assert counts["tried"] > counts["accepted"] > 0  # some changes leave the claim true and proved


@pytest.mark.slow
def test_ten_thousand_corrupted_certificates(tmp_path):
    counts = campaign(seed=2, originals=200, each=60, folder=tmp_path)
    print(dict(counts))
    assert counts["tried"] >= 10_000


def test_the_certificates_of_random_models_are_proved_and_true(tmp_path):
    for text in certificates(3, 12, tmp_path):
        assert is_true(text)


@pytest.mark.slow
def test_a_thousand_random_models_are_proved():
    for seed in range(1000):
        rng = random.Random(seed)
        plan = random_plan(rng, random_mdp(rng))
        proved = plan.prove()
        assert (proved.lower, proved.upper) == (plan.lower, plan.upper), f"seed {seed}"


def test_random_models_are_proved_at_their_own_bounds():
    for seed in range(2000, 2040):
        rng = random.Random(seed)
        plan = random_plan(rng, random_mdp(rng))
        proved = plan.prove()
        assert (proved.lower, proved.upper) == (plan.lower, plan.upper), f"seed {seed}"
