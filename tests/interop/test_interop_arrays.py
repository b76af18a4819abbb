"""Models from arrays, and rows of floats, which are read as the shortest decimals that Python prints."""

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse, stats

import verified_risk as vr
from verified_risk import files
from verified_risk.errors import InvalidArgument, InvalidModel
from verified_risk.mdp import as_json
from verified_risk.numbers.decimals import less, row_sums, shortest_decimals

Q = Fraction
#: P[a, s, s'] and R[s, a] of three states and two actions, written as decimals.
ASS = np.array([[[0.1, 0.9, 0], [0.1, 0, 0.9], [0.1, 0, 0.9]], [[1, 0, 0], [1, 0, 0], [1, 0, 0]]])
PAYS = np.array([[0, 0], [0, 1], [4, 2.5]])


def model(P=ASS, R=PAYS, **rest) -> vr.MDP:
    return vr.MDP.from_arrays(P, R, **{"initial": 0, "horizon": 3, **rest})


def outcomes(mdp: vr.MDP) -> list[list[tuple]]:
    return [[action.outcomes for action in mdp.actions(s)] for s in range(mdp.n_states)]


FORMS = {
    "ass": (ASS, {}),
    "sas": (ASS.transpose(1, 0, 2), {}),
    "nested lists": (ASS.tolist(), {}),
    "fractions": ([[[Q(str(float(p))) for p in row] for row in part] for part in ASS], {}),
    "matrices": (list(ASS), {}),
    "sparse matrices": ([sparse.csr_matrix(part) for part in ASS], {}),
    "sparse arrays": ([sparse.coo_array(part) for part in ASS], {}),
    "stacked by state": (sparse.csr_matrix(ASS.transpose(1, 0, 2).reshape(6, 3)), {"layout": "sas"}),
    "stacked by action": (sparse.csc_matrix(ASS.reshape(6, 3)), {"layout": "ass"}),
    "stacked dense": (ASS.reshape(6, 3), {"layout": "ass"}),
    "float32 reads its own decimals": (ASS.astype(np.float32), {}),
    "numpy.matrix": ([np.matrix(part) for part in ASS], {}),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_container_is_the_same_model(name):
    P, rest = FORMS[name]
    by_hand = vr.MDP(
        0,
        [[[str(p) for p in ASS[a, s]] for a in range(2)] for s in range(3)],
        [[str(PAYS[s, a]) for a in range(2)] for s in range(3)],
        horizon=3,
    )
    assert model(P, **rest) == by_hand
    assert outcomes(model(P, **rest)) == outcomes(by_hand)


def test_rewards_in_every_form():
    joint = np.arange(18).reshape(3, 2, 3) / 4
    wanted = outcomes(model(R=joint, P=ASS.transpose(1, 0, 2)))
    for s, a in itertools.product(range(3), range(2)):
        assert {(t, r) for _, t, r in wanted[s][a]} == {(t, Q(joint[s, a, t])) for t in range(3) if ASS[a, s, t]}
    assert outcomes(model(R=joint.transpose(1, 0, 2))) == wanted
    assert outcomes(model(R=list(joint.transpose(1, 0, 2)))) == wanted
    assert outcomes(model(R=[sparse.csr_matrix(part) for part in joint.transpose(1, 0, 2)])) == wanted
    assert outcomes(model(R=[1, 2, 3])) == outcomes(model(R=[[1, 1], [2, 2], [3, 3]]))
    laws = [[{0: "1/2", 1: "1/2"}, vr.Law.point(2)]] * 3
    assert model(R=laws).actions(1)[0].reward == vr.Law({0: "1/2", 1: "1/2"})
    assert not model(R=[[stats.beta(2, 3)] * 2] * 3).is_discrete


def test_states_that_stay_and_actions_that_are_missing():
    mdp = model(absorbing=[2], R=np.array([[0, 0], [0, -np.inf], [4, 2]]), action_names=["wait", "cut"])
    assert outcomes(mdp)[2] == [((Q(1), 2, Q(0)),)] * 2
    assert mdp.n_actions == (2, 1, 2)
    assert mdp.action_names == (("wait", "cut"), ("wait",), ("wait", "cut"))
    assert "1 actions with reward -inf were left out" in mdp.notes
    assert model(R=np.array([[0, 0], [0, -np.inf], [4, 2]])).action_names[1] == ("0",)


def test_rows_that_rounding_spoiled_are_repaired_and_the_rest_is_refused():
    thirds = np.full((1, 1, 3), 1 / 3)
    P = np.concatenate([thirds, np.array([[[0.1, 0.2, 0.7]], [[0, 0, 1.0]]])])
    read = model(P=P, R=[0, 0, 0])
    assert read.actions(0)[0].successors == ((0, Q(1, 3)), (1, Q(1, 3)), (2, Q(1, 3)))
    assert read.actions(1)[0].successors == ((0, Q(1, 10)), (1, Q(1, 5)), (2, Q(7, 10)))
    assert read.notes == ("1 rows of floats were read as the small fractions that they round",)
    rng = np.random.default_rng(3)
    rows = rng.dirichlet(np.ones(20), (20, 2))
    mdp = vr.MDP.from_arrays(rows, np.zeros((20, 2)), initial=0, horizon=1)
    for s, a in itertools.product(range(20), range(2)):
        read_row = dict(mdp.actions(s)[a].successors)
        assert sum(read_row.values()) == 1
        moved = [t for t in range(20) if read_row[t] != Q(repr(float(rows[s, a, t])))]
        assert len(moved) <= 1
        assert all(abs(read_row[t] - Q(repr(float(rows[s, a, t])))) <= Q(4 * 20, 2**53) for t in moved)
    assert "missed a sum of 1 by rounding" in mdp.notes[0]
    P[1, 0] = [0.1, 0.2, 0.7 + 1e-12]
    with pytest.raises(InvalidModel, match=r"P\[1, 0\] sums to .*, not to 1: .*normalise=True"):
        model(P=P, R=[0, 0, 0])
    assert sum(p for _, p in model(P=P, R=[0, 0, 0], normalise=True).actions(1)[0].successors) == 1


def test_a_row_of_two_may_miss_one_by_eight_units_and_no_more():
    """2**-53 each; the decimals of the floats say by how much, and the note by how much at most."""
    met = {True: 0, False: 0}
    for k in range(-40, 41):
        row = [0.1234567890123, 0.8765432109877 + k * 2.0**-54]
        missed = abs(sum(Q(repr(p)) for p in row) - 1)
        read = missed <= Q(8, 2**53)
        met[read] += Q(7, 2**53) < missed < Q(10, 2**53)
        if not read:
            with pytest.raises(InvalidModel, match=r"P\[0, 0\] sums to"):
                model(P=[[row], [[0, 1]]], R=[0, 0])
        elif missed:
            (note,) = model(P=[[row], [[0, 1]]], R=[0, 0]).notes
            assert missed <= Q(re.search(r"by at most (\S+) ", note)[1]) < 2 * missed
    assert min(met.values()) > 1, "rows are met on both sides"


def test_the_row_that_was_moved_most_is_named_wherever_it_stands():
    off = [[0.1234567890123, 0.8765432109877 + k * 2.0**-53] for k in (2, 7, 4)]
    for rows in itertools.permutations(off):
        padded = [[[p, q, 0.0]] for p, q in rows]
        (note,) = model(P=padded, R=[0, 0, 0]).notes
        s = rows.index(off[1])
        assert note.endswith(f"(P[{s}, 0])")
        assert Q(re.search(r"by at most (\S+) ", note)[1]) >= abs(sum(Q(repr(p)) for p in off[1]) - 1)


def test_rows_normalised_in_float32_may_miss_one_by_its_units_and_float16_may_not():
    rows = np.random.default_rng(3).dirichlet(np.ones(5), (5, 2)).astype(np.float32)
    rows /= rows.sum(axis=2, keepdims=True)
    for P in (rows, [sparse.csr_matrix(rows[:, a]) for a in range(2)], rows.reshape(10, 5)):
        mdp = vr.MDP.from_arrays(P, np.zeros((5, 2)), initial=0, horizon=1, layout="ass" if P is not rows else None)
        assert all(sum(p for _, p in action.successors) == 1 for s in range(5) for action in mdp.actions(s))
        assert "missed a sum of 1 by rounding" in mdp.notes[0]
    for P in (rows.astype(np.float64), rows.astype(np.float16)):
        with pytest.raises(InvalidModel, match="normalise=True"):
            vr.MDP.from_arrays(P, np.zeros((5, 2)), initial=0, horizon=1)
    wrong = rows.copy()
    wrong[0, 0, 0] += 1e-5
    with pytest.raises(InvalidModel, match=r"P\[0, 0\] sums to"):
        vr.MDP.from_arrays(wrong, np.zeros((5, 2)), initial=0, horizon=1)


def test_rewards_by_row_of_one_matrix_and_marked_states():
    wanted = outcomes(model())
    assert outcomes(model(P=ASS.transpose(1, 0, 2).reshape(6, 3), R=PAYS.ravel(), layout="sas")) == wanted
    assert outcomes(model(P=sparse.csr_matrix(ASS.reshape(6, 3)), R=PAYS.T.ravel(), layout="ass")) == wanted
    assert model(absorbing=np.array([False, False, True])) == model(absorbing=[2])


def test_terminal_rewards_alone_are_paid_once_at_the_end():
    mdp = model(terminal=[10, 20, 30], discount="1/2")
    stay = vr.MarkovPolicy(mdp, [[0] * mdp.n_states] * 3)
    plain = vr.return_law(model(discount="1/2"), vr.MarkovPolicy(model(discount="1/2"), [[0] * 3] * 3))
    last = np.linalg.matrix_power(ASS[0], 3)[0] @ [10, 20, 30] / 8
    assert float(vr.return_law(mdp, stay).mean) == pytest.approx(float(plain.mean) + last)


# -- peers ------------------------------------------------------------------------------------------------------------


def test_pymdptoolbox_reads_its_own_forest_the_same():
    """Its example, P[a, s, s'] and R[s, a]; its finite-horizon means, to the last digit of an exact recursion."""
    example = pytest.importorskip("mdptoolbox.example")
    for n, fire in ((3, 0.1), (7, 0.25)):
        P, R = example.forest(S=n, p=fire)
        for horizon, gamma in ((1, Q(1)), (5, Q(9, 10)), (12, Q(1))):
            value = [Q()] * n
            for _ in range(horizon):
                value = [
                    max(
                        Q(repr(float(R[s, a]))) + gamma * sum(Q(repr(float(P[a, s, t]))) * value[t] for t in range(n))
                        for a in range(2)
                    )
                    for s in range(n)
                ]
            for s in range(n):
                mdp = vr.MDP.from_arrays(P, R, initial=s, horizon=horizon, discount=gamma)
                assert vr.exact_plan(mdp, "mean").value == value[s]
            from mdptoolbox.mdp import FiniteHorizon

            theirs = FiniteHorizon(P, R, float(gamma), horizon)
            theirs.run()
            assert np.allclose(theirs.V[:, 0], [float(v) for v in value], rtol=1e-12)


def test_quantecon_reads_its_own_example_the_same():
    """Its two-state example in both of its forms: R[s, a] with -inf for what cannot be done, Q[s, a, s']."""
    markov = pytest.importorskip("quantecon.markov")
    R = np.array([[5, 10], [-1, -np.inf]])
    P = np.array([[(0.5, 0.5), (0, 1)], [(0, 1), (0.5, 0.5)]])
    peer = markov.DiscreteDP(R, P, 0.95)
    value = [Q(), Q()]
    theirs = np.zeros(2)
    for _ in range(6):
        after = [
            [Q(int(R[s, a])) + Q(19, 20) * sum(Q(repr(float(P[s, a, t]))) * value[t] for t in range(2))
             for a in range(2) if np.isfinite(R[s, a])]
            for s in range(2)
        ]  # fmt: skip
        value = [max(own) for own in after]
        theirs = peer.bellman_operator(theirs)
    states, actions = np.where(np.isfinite(R))
    listed = markov.DiscreteDP(R[states, actions], P[states, actions], 0.95, states, actions)
    assert np.allclose(listed.bellman_operator(theirs), peer.bellman_operator(theirs))
    for s in range(2):
        mdp = vr.MDP.from_arrays(P, R, initial=s, horizon=6, discount="0.95", layout="sas")
        assert vr.exact_plan(mdp, "mean").value == value[s]
        for Q_rows in (listed.Q, sparse.csr_matrix(listed.Q)):
            read = vr.MDP.from_arrays(
                Q_rows, listed.R, pairs=(listed.s_indices, listed.a_indices), initial=s, horizon=6, discount="0.95"
            )
            assert read == mdp
            assert read.notes == ()
    assert np.allclose(theirs, [float(v) for v in value], rtol=1e-13)


def test_pairs_may_come_in_any_order_and_states_may_lack_actions():
    order = [(2, 1), (0, 0), (1, 1), (0, 1), (2, 0)]
    s, a = np.array(order).T
    mdp = model(P=ASS[a, s], R=PAYS[s, a], pairs=(s, a))
    kept = np.where([[True, True], [False, True], [True, True]], PAYS, -np.inf)
    assert mdp == model(R=kept)
    assert mdp.action_names == (("0", "1"), ("1",), ("0", "1"))


PAIRS = {"P": ASS.reshape(6, 3), "R": np.zeros(6)}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"pairs": ([0, 1, 2] * 2, [0] * 5)}, r"pairs\[1\] is .*, wanted 6 integers from 0"),
        ({"pairs": ([0, 1, 2] * 2, [0.0] * 6)}, r"pairs\[1\] is .*, wanted 6 integers from 0"),
        ({"pairs": ([0, 1, -1] * 2, [0] * 6)}, r"pairs\[0\] is .*, wanted 6 integers from 0"),
        ({"pairs": ([0, 1, 3] * 2, [0] * 3 + [1] * 3)}, r"pairs\[0\] names state 3, wanted an integer in 0..2"),
        ({"pairs": ([0, 1, 2] * 2, [0, 0, 0, 1, 1, 0])}, "pairs lists state 2 with action 0 twice"),
        ({"pairs": ([0, 1, 1] * 2, [0, 0, 1, 1, 2, 3])}, "state 2 has no action left"),
        ({"pairs": ([0, 1, 2] * 2, [0] * 3 + [1] * 3), "R": PAYS}, r"R has shape \(3, 2\), wanted \(6,\)"),
        ({"pairs": ([0, 1, 2] * 2, [0] * 3 + [1] * 3), "P": PAIRS["P"] * 0.5}, r"P\[0, 0\] sums to 1/2, not to 1"),
    ],
)
def test_pairs_that_do_not_fit_are_refused(given, said):
    with pytest.raises(InvalidModel, match=said):
        model(**{**PAIRS, **given})


# -- bad input --------------------------------------------------------------------------------------------------------

SQUARE = np.array([[[0.5, 0.5], [0.8, 0.2]], [[0, 1], [0.1, 0.9]]])
TWICE = sparse.coo_matrix(([0.5, 0.2, 0.3], ([0, 0, 0], [0, 0, 1])), shape=(2, 2))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"P": SQUARE, "R": [0, 0]}, "as many actions as states.*wanted layout='sas' or layout='ass'"),
        ({"layout": "aas"}, "layout is 'aas'"),
        ({"P": ASS, "layout": "sas"}, r"P has shape \(2, 3, 3\), wanted 2 next states in layout 'sas'"),
        ({"P": list(ASS), "layout": "sas"}, "a list of one matrix for each action"),
        ({"P": ASS.reshape(6, 3)}, r"wanted layout='sas' \(row s \* 2 \+ a\)"),
        ({"P": ASS.reshape(6, 3)[:5], "layout": "sas"}, "wanted a multiple of 3 rows"),
        ({"P": np.ones((2, 3, 4))}, r"has shape \(2, 3, 4\)"),
        ({"P": np.ones(3)}, "has 1 dimensions, wanted 3"),
        ({"P": [[[1, 0], [0, 1]], [[1, 0]]]}, "P is ragged"),
        ({"P": [TWICE, TWICE], "R": [0, 0]}, r"P\[0\]\[0, 0\] is stored twice, as 0.5 and 0.2"),
        ({"P": np.where(ASS == 0.9, np.nan, ASS)}, r"P\[0, 0\]\[1\] is nan, wanted a probability"),
        ({"P": np.where(ASS == 0.1, -0.1, ASS)}, r"P\[0, 0\]\[0\] is -0.1, wanted a probability"),
        ({"P": ASS * [[[1]], [[0]]]}, r"P\[1, 0\] has no positive entry"),
        ({"P": np.ma.masked_equal(ASS, 0.9)}, r"P\[0, 0, 1\] is masked, wanted a number"),
        ({"P": np.zeros((0, 0, 0))}, "wanted at least one state and one action"),
        ({"R": PAYS.ravel()}, r"R has shape \(6,\), wanted \(3,\), \(3, 2\) or one as P"),
        ({"R": np.stack([PAYS] * 3)}, r"R has shape \(3, 3, 2\), .*P is a list too: \[P\] \* 3"),
        ({"R": [0, 0]}, r"R has shape \(2,\), wanted \(3,\), \(3, 2\) or one as P"),
        ({"R": np.zeros((3, 2, 3))}, r"R has shape \(3, 2, 3\), wanted \(2, 3, 3\) as P"),
        ({"R": [[{0: 1}] * 2] * 2}, "R has 2 states, wanted 3"),
        ({"R": np.array([[0, 0], [-np.inf, -np.inf], [0, 0]])}, "state 1 has no action left"),
        ({"R": np.array([[0, np.nan], [0, 0], [0, 0]])}, r"R\[0, 1\] is nan, wanted a finite number"),
        ({"terminal": [1, 2]}, "terminal has 2 entries, wanted 3"),
        ({"terminal": [1, 2, "x"]}, r"terminal\[2\] is 'x'"),
        ({"absorbing": [3]}, "absorbing names state 3"),
        ({"absorbing": [-1]}, "absorbing names state -1"),
        ({"horizon": None}, "horizon is missing"),
        ({"P": [ASS, ASS], "R": [PAYS, PAYS]}, "horizon is 3, wanted 2, the number of steps listed"),
        ({"P": [ASS] * 3, "R": PAYS[:2]}, "R has 2 entries, wanted as many"),
        (
            {"P": [ASS, ASS[:1], ASS], "R": [PAYS, PAYS[:, :1], PAYS]},
            r"P\[1\] has 3 states and actions 1, wanted 3 and 2",
        ),
        ({"P": [ASS] * 3, "R": [PAYS] * 3, "initial": 3}, "initial names state 3"),
        ({"P": [ASS] * 3, "R": [PAYS] * 3, "initial": [1, 0]}, "initial has 2 entries, wanted 3"),
        ({"action_names": ["one"]}, "action_names has 1 names, wanted 2"),
        ({"state_names": ["one"]}, "state_names has 1 entries, wanted 3 names"),
    ],
)
def test_bad_arrays_are_refused_with_the_entry(given, said):
    with pytest.raises(InvalidModel, match=said):
        model(**given)


def test_options_are_for_environments_given_by_name():
    with pytest.raises(InvalidArgument, match="options are for an environment given by its id"):
        vr.MDP.from_gymnasium(object(), horizon=3, options={"map_name": "8x8"})


@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("entry", [-1e-9, -5e-324, np.inf, np.nan])
def test_the_first_entry_that_is_no_probability_is_named_however_small_it_is(entry, normalise):
    P = np.array([[[1.0, 0.0]], [[1.0, entry]]])
    for rows in (P, P.astype(object)):
        with pytest.raises(InvalidModel, match=re.escape("[1, 0][1] is ")):
            vr.MDP.from_arrays(rows, np.zeros((2, 1)), initial=0, horizon=1, normalise=normalise)


def test_the_error_of_R_says_how_P_was_read():
    with pytest.raises(InvalidModel, match=r"R has shape \(3, 2\).*P\[a, s, s'\], with 2 states and 3 actions"):
        vr.MDP.from_arrays(np.full((3, 2, 2), 0.5), np.zeros((3, 2)), initial=0, horizon=1)


def test_a_reward_that_may_be_a_mean_is_noted():
    """Only if the next state is random and ``R[s, a]`` is no integer: other tables hardly hold means."""
    P, R = np.array([[[0.5, 0.5]] * 3, [[0.0, 1.0]] * 3]), np.array([[0.0, 1.0, 2.5], [3.5, 0.0, 0.0]])
    read = [
        vr.MDP.from_arrays(P, rewards, initial=0, horizon=1).notes
        for rewards in (R, np.round(R), R * [[0], [1]], R[:, 2], R[:, :, None] * np.ones(2))
    ]
    assert ["if it is a mean, risk is understated" in "".join(notes) for notes in read] == [True] + [False] * 4


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
    found = [Fraction(w, 10**k) for w, k in zip(*(part.tolist() for part in shortest_decimals(floats)), strict=True)]
    assert found == [Fraction(repr(x)) for x in floats.tolist()]


def test_sums_of_rows_and_what_absorbs_their_gap_are_exact_and_rounded_once():
    rows = RNG.dirichlet(np.ones(7), 5000)
    x, start = rows.ravel(), np.arange(0, rows.size + 1, 7)
    digits, places = shortest_decimals(x)
    high, low = row_sums(digits, places, start)
    exact = [[Fraction(repr(p)) for p in row] for row in rows.tolist()]
    assert [Fraction(h, 10**18) + Fraction(m, 10**32) for h, m in zip(high.tolist(), low.tolist(), strict=True)] == [
        *map(sum, exact)
    ]
    at = start[:-1] + rows.argmax(axis=1)
    nearest, certain = less(x[at], digits[at], places[at], high - 10**18, low)
    wanted = [float(max(row) - sum(row) + 1) for row in exact]
    assert certain.mean() > 0.99
    assert [a for a, sure in zip(nearest.tolist(), certain, strict=True) if sure] == [
        w for w, sure in zip(wanted, certain, strict=True) if sure
    ]


def test_low_parts_of_a_sum_are_carried():
    row = [Fraction(5, 10**19)] * 2 + [1 - Fraction(1, 10**18)]
    high, low = row_sums(np.array([5, 5, 10**18 - 1]), np.array([19, 19, 18]), np.array([0, 3]))
    assert (sum(row), high.tolist(), low.tolist()) == (1, [10**18], [0])


def _meant(row: list[float], bits: int) -> tuple[list[Fraction], int]:
    """Return the row of a model and which repair it takes: 0 none, 1 small fractions, 2 the largest entry moves."""
    exact = [Fraction(repr(p)) for p in row]
    gap = sum(exact) - 1
    if not gap:
        return exact, 0
    assert abs(gap) <= Fraction(4 * len(row), 2**bits)
    small = [Fraction(p).limit_denominator(10**5) for p in row]
    if sum(small) == 1 and all(abs(q - Fraction(p)) <= Fraction(1, 2**50) for q, p in zip(small, row, strict=True)):
        return small, 1
    k = exact.index(max(exact))
    return [*exact[:k], exact[k] - gap, *exact[k + 1 :]], 2


@pytest.mark.parametrize("packed", [False, True])
def test_every_entry_is_the_one_that_its_float_means(packed):
    rng, n = np.random.default_rng(int(packed)), 60
    weights = [rng.integers(1, 9, n), rng.integers(1, 99, n) / 7, np.r_[1.0, np.full(n - 1, 1e-9)], rng.random(n) ** 9]
    rows = np.array([weights[i % 4] * (rng.permutation(n) < 1 + i) for i in range(n)])
    rows[0, 0] = 1.0
    rows /= rows.sum(axis=1, keepdims=True)
    if packed:
        matrix = sparse.csr_matrix(np.where((rows == 0) & (rng.random((n, n)) < 0.2), 2, rows))
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
    matrix = sparse.csr_matrix(np.array([[0.5, 0.5], [0.25, 0.75]]))
    mdp = vr.MDP.from_arrays(matrix, np.zeros(2), initial=0, horizon=1)
    matrix.data[:] = 9
    assert [p for _, _, action in mdp for _, p in action.successors] == [Q(k, 4) for k in (2, 2, 1, 3)]
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
