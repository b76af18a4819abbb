"""Models from arrays that change with the step, against the laws of all policies, enumerated from the same arrays."""

import random
from fractions import Fraction

import pytest
from patience import PATIENCE
from step_models import laws_from, random_steps

import verified_risk as vr
from verified_risk.errors import InvalidModel, Unsupported
from verified_risk.numbers.enclosure import bounds

Q = Fraction


EXACT = (
    "mean",
    "cvar(1/3)",
    "var(1/2)",
    "var(1/2, upper)",
    "0.5*mean + 0.5*cvar(1/4)",
    "0.5*cvar(1/2) + 0.5*cvar(1/4)",
)
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
