"""Cases as JSON: every kind of field survives a round trip, and values of the wrong type are rejected."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import pytest

import verified_risk as vr
from proofs_checks.cases.histories import history_policy
from proofs_checks.engine.codec import decode, decode_case, encode, encode_case
from verified_risk.errors import InvalidFile, Unsupported
from verified_risk.law import Law
from verified_risk.mdp import MDP
from verified_risk.objectives import Weighting
from verified_risk.policy import HistoryPolicy, Policy


@dataclass(frozen=True)
class Inner:
    level: Fraction
    deep: bool


@dataclass(frozen=True)
class Everything:
    mdp: MDP
    policy: Policy
    law: Law
    weighting: Weighting
    inner: Inner
    name: str
    count: int
    pair: tuple[int, Fraction]
    many: tuple[Fraction, ...]
    table: Mapping[str, int]
    maybe: Fraction | None
    other: Fraction | None


def everything() -> Everything:
    mdp = vr.MDP(0, [[[1], [1]]], [[{0: 1}, {0: "1/3", 1: "2/3"}]], horizon=2)
    rows = {(0,): 1, ((0, 1, Fraction(0)), 0): {0: "1/4", 1: "3/4"}, ((0, 1, Fraction(1)), 0): 0}
    return Everything(
        mdp=mdp,
        policy=history_policy(mdp, rows),
        law=Law({0: "1/2", "3/2": "1/2"}),
        weighting=vr.CVaR("1/7"),
        inner=Inner(Fraction(-1, 10**30), True),
        name="p/q",
        count=10**20,
        pair=(3, Fraction(2, 5)),
        many=(Fraction(1, 3), Fraction(), Fraction(7)),
        table={"a": 1, "b": 2},
        maybe=None,
        other=Fraction(5, 9),
    )


def test_every_kind_of_field_survives_a_round_trip():
    case = everything()
    data = encode_case(case)
    back = decode_case(Everything, data)
    assert encode_case(back) == data
    for name in ("mdp", "law", "weighting", "inner", "name", "count", "pair", "many", "table", "maybe", "other"):
        assert getattr(back, name) == getattr(case, name), name
    assert vr.return_law(back.mdp, back.policy) == vr.return_law(case.mdp, case.policy)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.pop("count"), "wanted"),
        (lambda data: data.update(surplus=1), "surplus"),
        (lambda data: data.update(count="3"), "'3' is not a int"),
        (lambda data: data.update(count=True), "True is not a int"),
        (lambda data: data.update(name=3), "3 is not a str"),
        (lambda data: data["inner"].update(deep=1), "1 is not a bool"),
        (lambda data: data["inner"].pop("level"), "wanted"),
        (lambda data: data.update(pair=[3, "2/5", "1/5"]), "longer"),
        (lambda data: data.update(pair=[3]), "shorter"),
    ],
)
def test_values_of_the_wrong_type_are_rejected(change, said):
    data = encode_case(everything())
    change(data)
    with pytest.raises((InvalidFile, ValueError), match=said):
        decode_case(Everything, data)


def test_a_policy_before_its_model_is_rejected():
    with pytest.raises(InvalidFile, match="before its model"):
        decode(Policy, encode(everything().policy))


def test_a_rule_that_is_a_function_cannot_be_encoded():
    with pytest.raises(Unsupported, match="cannot be saved"):
        encode(HistoryPolicy(everything().mdp, lambda history: 0))
