"""Models from functions, tables and lists of outcomes, against the laws of all their policies."""

import random
from fractions import Fraction

import numpy as np
import pytest
from patience import PATIENCE
from plan_models import laws_from, random_steps

import verified_risk as vr
from verified_risk.errors import InvalidModel, Unsupported, VerifiedRiskError
from verified_risk.numbers.enclosure import bounds

NAMES = ("home", ("x", 1))
KEYS = ("step", "state", "action", "next_state", "probability", "reward")


def readers(P, R, terminal, initial, discount, path):
    """One model that changes with the step and names its states, read in every way."""
    n, T = len(terminal), len(P)
    rows = [
        (t, NAMES[s], f"a{a}", NAMES[k], P[t][s][a][k], R[t][s][a][k])
        for t in range(T)
        for s in range(n)
        for a in range(len(P[t][s]))
        for k in range(n)
    ]
    options = {"discount": discount, "terminal": {NAMES[s]: r for s, r in enumerate(terminal) if r}}
    start = {NAMES[s]: p for s, p in enumerate(initial)}

    def outcomes(s, a, t):
        return [(p, target, r) for step, own, act, target, p, r in rows if (step, own, act) == (t, s, a)]

    yield vr.MDP.from_function(start, lambda s: [f"a{a}" for a in range(len(P[0][0]))], outcomes, horizon=T, **options)
    table = dict(zip(KEYS, map(list, zip(*rows, strict=True)), strict=True))
    yield vr.MDP.from_dataframe(table, step="step", initial=start, **options)
    listed = [
        [[[(P[t][s][a][k], k, R[t][s][a][k]) for k in range(n)] for a in range(len(P[t][s]))] for s in range(n)]
        for t in range(T)
    ]
    rest = {"discount": discount, "terminal": terminal}
    yield vr.MDP.from_outcomes(listed, initial=initial, **rest)
    header = "idstep,idstatefrom,idaction,idstateto,probability,reward"
    cells = [(t, NAMES.index(s), a, NAMES.index(k), p, r) for t, s, a, k, p, r in rows]
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in cells)]))
    law = {str(s): p for s, p in enumerate(initial)}
    yield vr.MDP.from_csv(path, initial=law, discount=discount, terminal={str(s): r for s, r in enumerate(terminal)})
    numbered = [",".join(map(str, (t, s, a[1:], k, p, r))) for t, s, a, k, p, r in cells]
    path.write_text("\n".join([header, *numbered]))
    yield vr.MDP.from_csv(
        path, initial=dict(enumerate(initial)), index_base=0, discount=discount, terminal=dict(enumerate(terminal))
    )


def test_every_reader_agrees_with_brute_force_on_models_that_change(tmp_path):
    for seed in range(60):
        P, R, terminal, initial, gamma = random_steps(random.Random(seed))
        laws = list(laws_from(initial, P, R, terminal, gamma))
        for i, mdp in enumerate(readers(P, R, terminal, initial, gamma, tmp_path / "m.csv")):
            plan = vr.exact_plan(mdp, "cvar(1/3)")
            assert plan.value == max(vr.CVaR("1/3").of(law) for law in laws), (seed, i)
            assert plan.law in laws, (seed, i)


def walk(k, move):
    return [("2/3", k + move, move), ("1/3", k - move, -move)]


def test_a_function_is_followed_only_as_far_as_the_horizon_and_names_what_it_reaches():
    seen = []
    mdp = vr.MDP.from_function(0, lambda k: (1, 2), walk, horizon=3, progress=lambda now: seen.append(now.done))
    assert mdp.n_states == 13  # -6..6
    assert mdp.state_names[:5] == ("0", "1", "-1", "2", "-2")
    assert mdp.action_names[0] == ("1", "2")
    assert seen == [5, 9, 13]
    assert vr.exact_plan(mdp, "mean").value == 2
    ends = vr.MDP.from_function(("a", 0), lambda s: (), lambda s, a: [], horizon=2, terminal=lambda s: 7)
    assert vr.exact_plan(ends, "mean").value == 7
    assert vr.MDP.from_function("a", lambda s: "x", lambda s, a, p=1: [(p, s, 2)], horizon=4).clock is None


def table(*rows, kind=dict, **options):
    columns = dict(zip(KEYS[1:], map(list, zip(*rows, strict=True)), strict=True))
    return vr.MDP.from_dataframe(kind(columns), **{"initial": "a", "horizon": 2, **options})


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_dataframes_of_both_libraries_are_read(library):
    kind = pytest.importorskip(library).DataFrame
    rows = [("a", "go", "b", 1 / 3, 2), ("a", "go", "a", 2 / 3, -1), ("b", "stay", "b", 1.0, 0)]
    mdp = table(*rows, kind=kind)
    assert mdp == table(*rows)
    assert (mdp.state_names, mdp.action_names) == (("a", "b"), (("go",), ("stay",)))
    assert mdp.actions(0)[0].outcomes == ((Fraction(2, 3), 0, -1), (Fraction(1, 3), 1, 2))
    with pytest.raises(InvalidModel, match="row 1 has next_state = "):
        table(rows[0], ("a", "go", None, 2 / 3, -1), kind=kind)


def test_numbers_keep_their_order_and_other_names_that_of_their_rows():
    rows = [(3, 1, 1, 1, 0), (3, 0, 3, 1, 0), (1, 0, 3, 1, 0)]
    mdp = table(*rows, initial=3)
    assert (mdp.state_names, mdp.action_names, mdp.initial) == (("1", "3"), (("0",), ("0", "1")), ((1, 1),))


def test_floats_that_rounding_spoiled_are_repaired_as_in_arrays(tmp_path):
    rng = np.random.default_rng(5)
    P = rng.dirichlet(np.ones(7), (7, 3))
    P[0, 0] = [1 / 3, 2 / 3, 0, 0, 0, 0, 0]
    P[1, 1] = [0.1 + 0.2, 0.7, 0, 0, 0, 0, 0]
    R = rng.integers(-2, 3, (7, 3, 7))
    arrays = vr.MDP.from_arrays(P, R, initial=0, horizon=2)
    triples = [[[(P[s, a, k], k, R[s, a, k]) for k in range(7)] for a in range(3)] for s in range(7)]
    assert vr.MDP.from_outcomes(triples, initial=0, horizon=2) == arrays
    lines = [f"{s},{a},{k},{P[s, a, k]},{R[s, a, k]}" for s in range(7) for a in range(3) for k in range(7)]
    (tmp_path / "m.csv").write_text("\n".join(["idstatefrom,idaction,idstateto,probability,reward", *lines]))
    read = vr.MDP.from_csv(tmp_path / "m.csv", initial=0, horizon=2, index_base=0)
    assert read == arrays
    assert [note.partition(" (")[0] for note in read.notes] == [note.partition(" (")[0] for note in arrays.notes]
    for row in ([1 / 3, 0.6666666666666], ["1/3", "2/3", Fraction(1, 3**40)]):
        with pytest.raises(InvalidModel, match=r"outcomes\[0\]\[0\] sums to .*, not to 1"):
            vr.MDP.from_outcomes([[[(p, 0, i) for i, p in enumerate(row)]]], initial=0, horizon=1)


def test_normalising_says_in_one_line_how_many_rows_and_the_farthest():
    mdp = vr.MDP.from_outcomes([[[("1/2", 0, 0)], [("9/10", 0, 1)]]], initial=0, horizon=1, normalise=True)
    (note,) = mdp.notes
    assert note.startswith("2 rows did not sum to 1")
    assert "outcomes[0][0] summed to 1/2" in note


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: vr.MDP.from_function(0, lambda k: (1,), walk, max_states=9), r"state number 10, .*max_states=9"),
        (lambda: vr.MDP.from_function(0, lambda k: (1,), walk, horizon=9, max_states=0), "max_states is 0"),
        (lambda: vr.MDP.from_function([1], walk, walk, horizon=1), r"initial is the state \[1\], wanted one that can"),
        (lambda: vr.MDP.from_function(0, lambda k: "a", lambda k, a: [(1, [k], 0)], horizon=1), r"outcomes\(0, 'a'\)"),
        (
            lambda: vr.MDP.from_function(0, lambda k: "a", lambda k, a: [(1, k)], horizon=1),
            r"\[0\] is \(1, 0\), wanted",
        ),
        (lambda: vr.MDP.from_function(0, lambda k: "a", lambda k, a: [], horizon=1), r"outcomes\(0, 'a'\) is empty"),
        (lambda: vr.MDP.from_function(0, (1,), walk, horizon=1), r"actions is \(1,\), wanted a function"),
        (lambda: vr.MDP.from_function(0, lambda k: (1,), lambda s, a, t: walk(s, a)), "horizon is missing"),
        (
            lambda: vr.MDP.from_function(0, lambda k: (1,), lambda k, a: [("1/2", k, 0)], horizon=1),
            r"state 0, action 1 \(from outcomes\(0, 1\)\) sums to 1/2",
        ),
        (lambda: table(("a", "x", "b", 1, 0)), r"state 'b' \(named in row 0\) has no rows, .* absorbing=\['b'\]"),
        (lambda: table(("a", "x", "a", 1, 0), initial="c"), "initial names state 'c', wanted one of the table's: 'a'"),
        (lambda: table(("a", "x", "a", 1, 0), terminal={"c": 1}), "terminal names state 'c'"),
        (lambda: table(("a", "x", "a", 0.9, 0)), r"state 'a', action 'x' \(from row 0\) sums to 9/10, not to 1"),
        (
            lambda: vr.MDP.from_dataframe({"state": []}, initial=0),
            "no column 'action', wanted one of its columns state",
        ),
        (lambda: vr.MDP.from_dataframe({key: [] for key in KEYS}, initial=0), "the table has no rows"),
        (
            lambda: vr.MDP.from_dataframe({key: [0.5] for key in KEYS}, step="step", initial=0.5),
            r"row 0 has step = 0\.5, wanted a step, counted from 0",
        ),
        (
            lambda: vr.MDP.from_outcomes([[[[(1, 0, 0)]]]] * 2, initial=0, horizon=3),
            "horizon is 3, wanted 2, the number of steps listed",
        ),
        (lambda: vr.MDP.from_outcomes([[[(1, 0, 0)]]], initial=0), "horizon is missing"),
        (lambda: vr.MDP.from_outcomes([[[(1, 0, 0)]]], initial=0, horizon=1, terminal=[]), "terminal has 0 entries"),
        (lambda: vr.MDP([1], [[[1]]], [[0]], 1, state_names=["a"]).with_horizon(0), "horizon is 0"),
        (
            lambda: vr.MDP("b", [[[1]]], [[0]], 1, state_names=["a"]),
            "'b', which 0 states are called, wanted one of 'a'",
        ),
        (lambda: vr.MDP("b", [[[1]]], [[0]], 1), "wanted a number, or state_names as well"),
    ],
)
def test_bad_input_is_refused_with_the_place(build, message):
    with pytest.raises(VerifiedRiskError, match=message):
        build()


def test_an_initial_state_may_be_named():
    twice = {"transitions": [[[1, 0]], [[0, 1]]], "rewards": [[0], [1]], "horizon": 1, "state_names": ["a", "b"]}
    assert vr.MDP("b", **twice).initial == ((1, 1),)
    assert vr.MDP({"a": "1/4", "b": "3/4"}, **twice).initial == ((0, Fraction(1, 4)), (1, Fraction(3, 4)))
    arrays = vr.MDP.from_arrays(
        [[[1, 0]], [[0, 1]]], [0, 1], initial="b", horizon=2, state_names=["a", "b"], terminal=[0, 5]
    )
    assert vr.exact_plan(arrays, "mean").value == 7


Q = Fraction


TAILS = ("mean", "cvar(1/3)", "var(1/2)", "var(1/2, upper)")
EXACT = (*TAILS, "0.5*mean + 0.5*cvar(1/4)", "0.5*cvar(1/2) + 0.5*cvar(1/4)")
SEARCHED = ("wang(3/4)", "cpw(0.71)", "hazard(2)")


def changing(seed):
    """A model that changes with the step, and the laws of all its policies, from the same arrays."""
    P, R, terminal, initial, gamma = random_steps(random.Random(seed))
    mdp = vr.MDP.from_arrays(P, R, initial=initial, terminal=terminal, discount=gamma, layout="sas")
    assert (mdp.horizon, mdp.n_observations) == (len(P), len(terminal))
    return mdp, list(laws_from(initial, P, R, terminal, gamma))


def agree_on_every_objective(seed):
    """The bounds of ``plan`` hold the best of all laws, exactly where the weighting is rational.

    Where it is not concave a mixture of policies may be better than each of them: then the lower bound is compared with
    the exact law of the plan's own policy.
    """
    mdp, laws = changing(seed)
    for objective in (*EXACT, *SEARCHED):
        G = vr.objective(objective)
        plan = vr.plan(mdp, G, gap="1/1000", time_limit=PATIENCE)
        values = [bounds(G.of(law)) for law in laws]
        assert plan.upper >= max(low for low, _ in values), (seed, objective)
        if G.shape not in ("concave", "linear"):
            values = [bounds(G.of(vr.return_law(mdp, plan.policy)))]
        assert plan.lower <= max(high for _, high in values), (seed, objective)
        assert plan.gap <= Q(1, 1000) + Q(1, 10**9), (seed, objective)


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("part", range(5))
def test_models_that_change_with_the_step_agree_with_brute_force(part, every):
    """500 models in all, with terminal rewards and discounts; every policy of every history is enumerated."""
    for seed in range(100 * part, 100 * part + 100):
        mdp, laws = changing(seed)
        for objective in EXACT:
            G = vr.objective(objective)
            plan = vr.exact_plan(mdp, G)
            assert plan.value == max(G.of(law) for law in laws), (seed, objective)
            assert plan.law in laws
        if seed % every == 0:
            agree_on_every_objective(seed)


def test_a_model_that_changes_is_saved_and_read_again(tmp_path):
    P, R, terminal, initial, gamma = random_steps(random.Random(9))
    mdp = vr.MDP.from_arrays(P, R, initial=initial, terminal=terminal, discount=gamma, layout="sas")
    mdp.save(tmp_path / "m.json")
    assert vr.MDP.load(tmp_path / "m.json") == mdp
    assert vr.MDP.load(tmp_path / "m.json").clock == mdp.clock
    for base in (0, 1):
        mdp.to_csv(tmp_path / "m.csv", index_base=base)
        start = {s + base: p for s, p in enumerate(initial) if p}
        again = vr.MDP.from_csv(tmp_path / "m.csv", initial=start, index_base=base, discount=gamma)
        assert again == mdp
    for change in (lambda: mdp.with_horizon(99), lambda: mdp.with_discount("1/3")):
        with pytest.raises(Unsupported, match="lists its"):
            change()


def test_the_number_of_states_at_each_step_fits_the_file_and_tells_models_apart():
    mdp = vr.MDP.from_arrays([[[[0, 1]], [[1, 0]]]] * 2, [[[1], [0]]] * 2, initial=0, layout="sas")
    data = mdp.to_json()
    assert (data["clock"], data["horizon"], len(data["states"])) == (2, 2, 5)
    for change in ({"clock": 1}, {"clock": 4}, {"horizon": 1}, {"horizon": 4}, {"clock": 0}, {"clock": 2.0}):
        with pytest.raises(InvalidModel, match=r"clock is .*, wanted n = clock \* horizon \+ 1"):
            vr.MDP.from_json(data | change)
    plain = vr.MDP.from_json({name: part for name, part in data.items() if name != "clock"})
    assert plain != mdp, "it shows other states to its players"
    with pytest.raises(vr.errors.InvalidPolicy, match="belongs to another model"):
        vr.MarkovPolicy(mdp, [[0] * 5] * 2).require(plain)


def test_a_csv_with_steps_that_does_not_fit_is_refused(tmp_path):
    path = tmp_path / "m.csv"

    def read(*rows, **rest):
        path.write_text("idstep,idstatefrom,idaction,idstateto,probability,reward\n" + "\n".join(rows))
        return vr.MDP.from_csv(path, initial=0, index_base=0, **rest)

    assert read("0,0,0,0,1,5", "1,0,0,0,1,7").horizon == 2
    with pytest.raises(vr.errors.InvalidFile, match="no rows of step 1"):
        read("0,0,0,0,1,5", "2,0,0,0,1,7")
    with pytest.raises(vr.errors.InvalidFile, match="step 1 has other states or actions"):
        read("0,0,0,0,1,5", "1,0,0,0,1,7", "1,0,1,0,1,7")
    with pytest.raises(InvalidModel, match="horizon is 5, wanted 2, the number of steps listed"):
        read("0,0,0,0,1,5", "1,0,0,0,1,7", horizon=5)
    with pytest.raises(InvalidModel, match="horizon is 5, wanted 1, the number of steps listed"):
        read("0,0,0,0,1,5", horizon=5)
    assert read("0,0,0,0,1,5", horizon=1).horizon == 1
