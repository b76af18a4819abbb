"""True claims of the statements on cases of their generators, with new seeds."""

import random
from collections.abc import Iterator

from ..engine import search
from ..engine.model import Verdict
from ..theory import ALL, BY_LABEL
from .property import Case, Falsified, Property, Skipped

EXAMPLES = 20  # random cases per statement and seed


def make(rng: random.Random) -> Case:
    true = [statement for statement in ALL if statement.true_claim is not None]
    return {"label": rng.choice(true).label, "seed": rng.randrange(2**32), "examples": EXAMPLES}


def check(case: Case) -> None:
    """No case of the statement's generator refutes its true claim."""
    statement = BY_LABEL[case["label"]]
    claim = statement.true_claim
    assert claim is not None
    if "instance" in case:
        one = statement.read(case["instance"])
        if claim.verdict(one) is Verdict.REFUTED:
            raise Falsified(f"{statement.label} is refuted, slack {claim.slack(one)}")
        return
    examples = max(1, round(case["examples"] * statement.examples_share))
    met = search.random(claim, statement.cases(), examples=examples, seed=case["seed"], climb=False)
    if met.refuted:
        raise Falsified(f"{statement.label} is refuted, slack {met.worst}")
    if not met.met:
        raise Skipped("no case met the hypotheses")
    if met.unknown:
        raise Skipped("a case could not be decided")


def smaller(case: Case) -> Iterator[Case]:
    """The counterexample as hypothesis shrinks it, if the statement can decode it."""
    if "instance" in case:
        return
    statement = BY_LABEL[case["label"]]
    claim = statement.true_claim
    assert claim is not None
    found = search.conjecture(claim, statement.cases(), seed=case["seed"], budget=2 * case["examples"]).found
    if found is None:
        return
    instance = statement.encode(found.case)
    try:
        statement.read(instance)
    except ValueError:  # no decoder: the seed is kept
        return
    yield {"label": case["label"], "instance": instance}


PROPERTIES = (Property("statements", "true claims against their generators", make, check, smaller),)
