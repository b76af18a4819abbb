"""Certificates that were edited and signed again are rejected if the instance does not meet the hypotheses."""

import copy
import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from test_certificates import WITH_COUNTEREXAMPLE

from proofs_checks import recheck
from proofs_checks.engine import certificate


def signed(data: dict[str, Any]) -> str:
    return json.dumps({**data, "sha256": recheck.digest(data)})


def dicts(place: Any) -> Iterator[dict[str, Any]]:
    """Every dict inside a JSON value."""
    if isinstance(place, dict):
        yield place
        for value in place.values():
            yield from dicts(value)
    elif isinstance(place, list):
        for value in place:
            yield from dicts(value)


def models(instance: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (one for one in dicts(instance) if {"horizon", "initial", "states"} <= set(one))


def first_law(model: dict[str, Any]) -> dict[str, Any]:
    return next(one for one in dicts(model["states"]) if {"atoms", "masses"} <= set(one))


def with_atom(value: str, place: int) -> Any:
    def edit(model: dict[str, Any]) -> None:
        first_law(model)["atoms"][place] = value

    return edit


def moved_mass(model: dict[str, Any]) -> None:
    masses = first_law(model)["masses"]
    masses[0] = str(Fraction(masses[0]) - Fraction(1, 10**30))


def negative_mass(model: dict[str, Any]) -> None:
    law = first_law(model)
    law["masses"] = [str(Fraction(law["masses"][0]) + 1), *law["masses"][1:], "-1"]
    law["atoms"] = [*law["atoms"], "999/1000"]


def lost_start(model: dict[str, Any]) -> None:
    model["initial"][0][1] = str(Fraction(model["initial"][0][1]) * Fraction(1, 2))


def missing_state(model: dict[str, Any]) -> None:
    model["initial"][0][0] = len(model["states"])


def discounted(model: dict[str, Any]) -> None:
    model["discount"] = "1/2"


def endless(model: dict[str, Any]) -> None:
    model["horizon"] = 0


EDITS = {
    "a reward of 2": with_atom("2", -1),
    "a reward just above 1": with_atom(str(1 + Fraction(1, 10**30)), -1),
    "a reward below 0": with_atom(str(-Fraction(1, 10**30)), 0),
    "masses that sum to less than 1": moved_mass,
    "a negative mass": negative_mass,
    "half of the start is lost": lost_start,
    "a start that is no state": missing_state,
    "a discount": discounted,
    "no step": endless,
}
WITH_MODELS = [
    statement
    for statement in WITH_COUNTEREXAMPLE
    if any(models(certificate.certificate(statement, statement.counterexample)["instance"]))
]


@pytest.mark.parametrize("edit", list(EDITS))
@pytest.mark.parametrize("statement", WITH_MODELS, ids=lambda statement: statement.label)
def test_a_signed_model_outside_the_papers_setting_is_rejected(statement, edit):
    data = certificate.certificate(statement, statement.counterexample)
    for i in range(len(list(models(data["instance"])))):
        twin = copy.deepcopy(data)
        EDITS[edit](list(models(twin["instance"]))[i])
        assert twin["instance"] != data["instance"]
        with pytest.raises(recheck.Rejected):
            recheck.check_text(signed(twin))


def test_enough_certificates_hold_models():
    assert len(WITH_MODELS) >= 15


def test_a_digest_is_compared_to_its_last_digit():
    data = json.loads((certificate.DIRECTORY / "lem_key.json").read_text("utf-8"))
    digest = data["sha256"]
    others = [digest[:i] + "01"[digest[i] == "0"] + digest[i + 1 :] for i in (0, 7, 31, 32, 63)]
    for other in (*others, digest[:32], digest + "0", ""):
        with pytest.raises(recheck.Rejected, match="edited"):
            recheck.check_text(json.dumps({**data, "sha256": other}))


def policies(instance: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (one for one in dicts(instance) if one.get("kind") == "return" and one.get("rows"))


WITH_POLICIES = [
    statement
    for statement in WITH_COUNTEREXAMPLE
    if any(policies(certificate.certificate(statement, statement.counterexample)["instance"]))
]


@pytest.mark.parametrize("statement", WITH_POLICIES, ids=lambda statement: statement.label)
def test_a_signed_policy_with_an_unknown_action_is_rejected(statement):
    data = certificate.certificate(statement, statement.counterexample)
    for action in (-1, 99):
        twin = copy.deepcopy(data)
        for policy in policies(twin["instance"]):
            for row in policy["rows"]:
                row[-1] = action
        with pytest.raises(recheck.Rejected):
            recheck.check_text(signed(twin))
    twin = copy.deepcopy(data)
    for policy in policies(twin["instance"]):
        policy["rows"] = []
    with pytest.raises(recheck.Rejected):
        recheck.check_text(signed(twin))
