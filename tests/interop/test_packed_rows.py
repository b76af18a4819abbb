"""Rows of floats read as arrays, against the shortest decimals that Python prints."""

from fractions import Fraction as Q

import numpy as np
import pytest

import verified_risk as vr
from verified_risk import files
from verified_risk.errors import InvalidModel
from verified_risk.mdp import as_json
from verified_risk.numbers.decimals import less, row_sums, shortest_decimals

RNG = np.random.default_rng(0)
FLOATS = {
    "uniform": RNG.random(20_000),
    "any scale": 10.0 ** RNG.uniform(-9, 0, 20_000),
    "16 digits": np.round(RNG.random(20_000), 16),
    "3 digits": np.round(RNG.random(1000), 3),
    "next to powers": np.array([x for k in range(40) for x in (2.0**-k, np.nextafter(2.0**-k, 0), 10.0**-k)]),
    "ends": np.array([0.0, 1.0, 5e-324, 1 - 2.0**-53, 1e-6, np.nextafter(1e-6, 0)]),
}


@pytest.mark.parametrize("floats", FLOATS.values(), ids=FLOATS)
def test_shortest_decimals_are_those_that_python_prints(floats):
    found = [Q(w, 10**k) for w, k in zip(*(part.tolist() for part in shortest_decimals(floats)), strict=True)]
    assert found == [Q(repr(x)) for x in floats.tolist()]


def test_sums_of_rows_and_what_absorbs_their_gap_are_exact_and_rounded_once():
    rows = RNG.dirichlet(np.ones(7), 5000)
    x, start = rows.ravel(), np.arange(0, rows.size + 1, 7)
    digits, places = shortest_decimals(x)
    high, low = row_sums(digits, places, start)
    exact = [[Q(repr(p)) for p in row] for row in rows.tolist()]
    assert [Q(h, 10**18) + Q(m, 10**32) for h, m in zip(high.tolist(), low.tolist(), strict=True)] == [*map(sum, exact)]
    at = start[:-1] + rows.argmax(axis=1)
    nearest, certain = less(x[at], digits[at], places[at], high - 10**18, low)
    wanted = [float(max(row) - sum(row) + 1) for row in exact]
    assert certain.mean() > 0.99
    assert [a for a, sure in zip(nearest.tolist(), certain, strict=True) if sure] == [
        w for w, sure in zip(wanted, certain, strict=True) if sure
    ]


def test_low_parts_of_a_sum_are_carried():
    row = [Q(5, 10**19)] * 2 + [1 - Q(1, 10**18)]
    high, low = row_sums(np.array([5, 5, 10**18 - 1]), np.array([19, 19, 18]), np.array([0, 3]))
    assert (sum(row), high.tolist(), low.tolist()) == (1, [10**18], [0])


def _meant(row: list[float], bits: int) -> tuple[list[Q], int]:
    """Return the row of a model and which repair it takes: 0 none, 1 small fractions, 2 the largest entry moves."""
    exact = [Q(repr(p)) for p in row]
    gap = sum(exact) - 1
    if not gap:
        return exact, 0
    assert abs(gap) <= Q(4 * len(row), 2**bits)
    small = [Q(p).limit_denominator(10**5) for p in row]
    if sum(small) == 1 and all(abs(q - Q(p)) <= Q(1, 2**50) for q, p in zip(small, row, strict=True)):
        return small, 1
    k = exact.index(max(exact))
    return [*exact[:k], exact[k] - gap, *exact[k + 1 :]], 2


@pytest.mark.parametrize("sparse", [False, True])
def test_every_entry_is_the_one_that_its_float_means(sparse):
    rng, n = np.random.default_rng(int(sparse)), 60
    weights = [rng.integers(1, 9, n), rng.integers(1, 99, n) / 7, np.r_[1.0, np.full(n - 1, 1e-9)], rng.random(n) ** 9]
    rows = np.array([weights[i % 4] * (rng.permutation(n) < 1 + i) for i in range(n)])
    rows[0, 0] = 1.0
    rows /= rows.sum(axis=1, keepdims=True)
    if sparse:
        matrix = pytest.importorskip("scipy.sparse").csr_matrix(
            np.where((rows == 0) & (rng.random((n, n)) < 0.2), 2, rows)
        )
        matrix.data[matrix.data == 2] = 0.0  # stored zeros
        mdp = vr.MDP.from_arrays(matrix, np.zeros(n), initial=0, horizon=1)
    else:
        mdp = vr.MDP.from_arrays(rows[:, None, :], np.zeros(n), initial=0, horizon=1, layout="sas")
    wanted = [_meant([p for p in row if p], 53) for row in rows.tolist()]
    assert [[p for _, p in mdp.actions(s)[0].successors] for s in range(n)] == [row for row, _ in wanted]
    assert mdp.flat.succ_prob.tolist() == [float(p) for row, _ in wanted for p in row]
    kinds = [kind for _, kind in wanted]
    assert all(kind in kinds for kind in range(3))
    assert [int(note.split()[0]) for note in mdp.notes] == [kinds.count(1), kinds.count(2)]


def test_a_model_does_not_change_with_the_arrays_it_was_read_from():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_matrix(np.array([[0.5, 0.5], [0.25, 0.75]]))
    mdp = vr.MDP.from_arrays(matrix, np.zeros(2), initial=0, horizon=1)
    matrix.data[:] = 9
    assert [p for _, _, action in mdp for _, p in action.successors] == [Q(1, 2), Q(1, 2), Q(1, 4), Q(3, 4)]
    assert mdp.actions(0) is mdp.actions(0)


def _model() -> vr.MDP:
    third, seventh = [1 / 3, 1 / 3, 1 / 3], (np.array([0.1, 0.25, 0.35]) / 0.7).tolist()
    rows = [[third, [0.5, 0.25, 0.25]], [seventh, [0.0, 1.0, 0.0]], [[0.1, 0.2, 0.7], third]]
    return vr.MDP.from_arrays(rows, [[0, 1], [-np.inf, 2], [0.5, 1]], initial=0, horizon=2, absorbing=[1])


@pytest.mark.parametrize("read", [lambda mdp: mdp, lambda mdp: mdp.map_rewards(lambda r: r)], ids=["packed", "listed"])
def test_a_model_written_as_arrays_is_the_same_when_it_is_read(read, monkeypatch):
    mdp = read(_model())
    plain = mdp.to_json()
    monkeypatch.setattr(as_json, "MOST_LISTED", 0)
    packed = mdp.to_json()
    again = vr.MDP.from_json(packed)
    assert "states" in plain
    assert "states" not in packed
    assert (again.fingerprint, again.to_json(), again.notes) == (mdp.fingerprint, packed, mdp.notes)
    assert [(s, a, x.successors, x.reward) for s, a, x in again] == [(s, a, x.successors, x.reward) for s, a, x in mdp]
    assert vr.MDP.from_json(plain).fingerprint == mdp.fingerprint


@pytest.mark.parametrize(
    ("name", "at", "value", "said"),
    [
        ("actions", 0, 0, r"actions\[0\] of the model is 0"),
        ("law", 1, 9, r"law\[1\] of the model is 9"),
        ("next", 0, 3, r"next\[0\] of the model is 3"),
        ("next", 1, 0, "wanted increasing next states"),
        ("successors", 0, 2, "next of the model has 9 entries, wanted 8"),
        ("filled", 0, -2, r"filled\[0\] of the model is -2"),
        ("filled", 0, 3, "wanted increasing next states, and their probabilities"),
        ("filled", 2, -1, r"row 2 of the model sums to 99999999999999999/100000000000000000, not to 1"),
        ("probability", 3, 0.51, r"row 1 of the model sums to 101/100, not to 1"),
        ("probability", 0, 0.3, "row 0 of the model is .* wanted the nearest floats"),
        ("probability", 8, 0.5, "row 2 of the model is .* wanted the nearest floats"),
        ("probability", 3, np.nan, "wanted increasing next states, and their probabilities"),
    ],
)
def test_arrays_of_a_model_that_do_not_fit_are_refused(name, at, value, said, monkeypatch):
    monkeypatch.setattr(as_json, "MOST_LISTED", 0)
    rows = [[[1 / 3, 1 / 3, 1 / 3]], [[0.5, 0.25, 0.25]], [(np.sqrt([2, 3, 5]) / np.sqrt([2, 3, 5]).sum()).tolist()]]
    data = vr.MDP.from_arrays(rows, [0, 1, 2], initial=0, horizon=1, layout="sas").to_json()
    array = files.decode_array(data["arrays"][name])
    array[at] = value
    data["arrays"][name] = files.encode_array(array)
    with pytest.raises(InvalidModel, match=said):
        vr.MDP.from_json(data)
