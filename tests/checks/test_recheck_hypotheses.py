"""The standalone checker's hypotheses one at a time, its weightings by hand, and the direction of every rounding."""

from fractions import Fraction

import mpmath
import pytest
from test_recheck_sides import checked, counterexample

from proofs_checks import recheck
from proofs_checks.recheck.enclosed import normal, printed_radius
from proofs_checks.recheck.exact import phi, steepest, weighting
from proofs_checks.recheck.file_format import number
from proofs_checks.recheck.setting import corners

COIN = {Fraction(0): Fraction(1, 2), Fraction(1): Fraction(1, 2)}


def corner(at, left, value, right):
    return dict(zip(("at", "left", "value", "right"), map(str, (at, left, value, right)), strict=True))


def jumps_at(first, second):
    return {"corners": [corner(first, 0, 0, "1/2"), corner(second, "1/2", 1, 1)]}


def paying(reward):
    """One state, two actions: the first pays ``reward``, the second nothing."""
    laws = ({"atoms": [reward], "masses": ["1"]}, {"atoms": ["0"], "masses": ["1"]})
    states = [[{"next": [[0, "1"]], "reward": law} for law in laws]]
    return {"horizon": 2, "discount": "1", "initial": [[0, "1"]], "states": states}


def coins(failure):
    """Both actions pay 0 with this probability, else 1."""
    law = {"atoms": ["0", "1"], "masses": [failure, str(1 - Fraction(failure))]}
    states = [[{"next": [[0, "1"]], "reward": law}] * 2]
    return {"horizon": 2, "discount": "1", "initial": [[0, "1"]], "states": states}


def two_states(start):
    """Both states are absorbing; the first pays nothing, the second 1/8 or 1."""
    laws = ((["0"], ["0"]), (["1/8"], ["1"]))
    states = [
        [{"next": [[s, "1"]], "reward": {"atoms": atoms, "masses": ["1"]}} for atoms in laws[s]] for s in range(2)
    ]
    return {"horizon": 2, "discount": "1", "initial": [[start, "1"]], "states": states}


FIRST = {"kind": "markov", "table": [[0, 0], [0, 0]]}
HALVES = {"atoms": ["-1/1000", "1"], "masses": ["1/2", "1/2"]}
BELOW_THE_BOUND = 159_773
"""Episodes after which the regret of ``thm:main`` is 158974.13 and the printed bound 158974.40."""

OUTSIDE = [
    ("intro:key", {"law": HALVES}, "returns in"),
    ("lem:key", {"law": HALVES, "horizon": 1, "top": "1", "objective": "mean"}, "returns in"),
    ("lem:event/conditioning", {"delta": "0"}, "a chain"),
    ("lem:event/conditioning", {"delta": "1001/1000"}, "a chain"),
    ("lem:event/conditioning", {"stay": "1001/1000"}, "a chain"),
    ("lem:event/conditioning", {"visits": [5]}, "a chain"),
    ("thm:main", {"delta": "0"}, "rewards in"),
    ("thm:main", {"delta": "1001/1000"}, "rewards in"),
    ("thm:main", {"low": "1"}, "rewards in"),
    ("thm:main", {"checked": 7}, "rewards in"),
    # 24 eps^2 >= log(12 * 2 * 13): eps >= 0.48919
    ("lem:optimismhat/cdf", {"eps": "4891/10000"}, "the radius belongs"),
    # the estimate has a reward that the model has not, although it is within the event
    ("lem:optimismhat/cdf", {"estimate": paying("14/16"), "eps": "1"}, "a possible estimate"),
    ("cvar:rho", {"mdp": {**counterexample("cvar:rho")["mdp"], "horizon": 2}}, "one step and a level"),
    ("cvar:rho", {"alpha": "1001/1000"}, "one step and a level"),
    ("cvar:rho", {"alpha": "-1/2"}, "one step and a level"),
    ("lem:quantileinverse/second", {"function": {"corners": []}}, "nondecreasing heights"),
    ("lem:quantileinverse/second", {"function": jumps_at(1, 0)}, "increasing places"),
    ("lem:quantileinverse/second", {"function": jumps_at(1, 1)}, "increasing places"),
    ("def:objective/cvar", {"tau": "1001/1000"}, "a level and its constant"),
    ("def:objective/cvar", {"tau": "-1/1000"}, "a level and its constant"),
    ("def:objective/cvar", {"alpha": "1/2", "constant": "1"}, "a level and its constant"),
    ("def:objective/cvar", {"alpha": "1001/1000", "constant": "1000/1001"}, "a level and its constant"),
    ("lem:fullbound", {"visits_b": 80_000}, "counts that some history has"),
    ("lem:fullbound", {"pay_b": 2}, "counts that some history has"),
    ("lem:fullbound", {"spread": 501}, "counts that some history has"),
    ("def:grid/points", {"rewards": ["0", "1", "2/2"]}, "distinct rewards"),
    ("def:grid/range", {"rewards": []}, "distinct rewards"),
    ("lem:picdfbound/before", {"eta": "0"}, "a grid step and a step"),
    ("lem:picdfbound/before", {"tau": 0}, "a grid step and a step"),
    ("lem:picdfbound/before", {"tau": 3}, "a grid step and a step"),
    ("lem:genbound", {"weighting": "var(1/2)"}, "the mean, a CVaR or a polygon"),
    ("lem:genbound", {"weighting": "3/2*mean + -1/2*cvar(1/4)"}, "mixture weights"),
    ("lem:genbound", {"mdp": two_states(0), "twin": two_states(1)}, "two models of one shape"),
    # its largest gap is 3/4, above the radius 1/2 and below twice that
    ("lem:optimismhat/cdf", {"mdp": coins("1/4"), "estimate": coins("1")}, "the event"),
    ("lem:key", {"law": {"atoms": ["0", "1", "1"], "masses": ["1/2", "1/4", "1/4"]}}, "as many masses as distinct"),
    ("lem:key", {"law": {"atoms": ["0", "999/1000"], "masses": ["1/2", "1/2"]}}, "returns in"),
    ("lem:key", {"objective": "cvar(1001/1000)"}, "a CVaR level"),
    ("lem:key", {"objective": "pl(0, 0; 1, 999/1000)"}, "corners"),
    ("lem:key", {"objective": "pl(0, 1/1000; 1, 1)"}, "corners"),
    ("lem:key", {"objective": "pl(0, 0; 999/1000, 1)"}, "corners"),
    ("lem:key", {"objective": "var(0)"}, "of an upper quantile"),
    ("lem:key", {"objective": "var(1001/1000)"}, "of an upper quantile"),
    ("lem:key", {"objective": "1/2*mean + 1/2*var(1, upper)"}, "of an upper quantile"),
    ("lem:key", {"objective": "var(-1/1000, upper)"}, "of an upper quantile"),
    ("def:augmented", {"objective": "pl(0, 0; 1/2, 499/1000; 1, 1)"}, "a concave weighting"),
    ("def:augmented", {"objective": "1/2*mean + 1/2*var(1/2)"}, "a concave weighting"),
    ("thm:discretized", {"objective": "1/2*mean + 1/2*pl(0, 0; 1/4, 1/2; 1/2, 1/2; 1, 1)"}, "a concave weighting"),
    ("lem:picdfbound/before", {"tau": 1.5}, "1.5 is at least 0"),
    ("cvar:min", {"alpha": "1001/1000"}, "a level in"),
    ("cvar:min", {"alpha": "-1"}, "a level in"),
    ("cvar:concave", {"alpha": "1001/1000"}, "a level in"),
    ("cvar:concave", {"alpha": "-1/4"}, "a level in"),
    ("thm:main/visits", {"visits": [2]}, "at most T visits"),
    ("thm:main/unvisited", {"visits": [0, 2]}, "at most T visits"),
    ("thm:main/log", {"delta": "1001/1000"}, "delta in"),
    ("thm:main/constant", {"delta": "1001/1000"}, "delta in"),
    # one episode fewer than those after which the regret, 0.995 an episode, exceeds the printed bound
    ("thm:main", {"episodes": BELOW_THE_BOUND, "checked": 0}, "the regret exceeds"),
    ("def:empirical", {"rewards": ["1001/1000"]}, "rewards in"),
    ("def:empirical", {"rewards": ["-1/1000"]}, "rewards in"),
    ("assump:quantile/empirical", {"law": HALVES, "sample": ["-1/1000"]}, "a law on"),
    ("assump:lipschitz/var", {"constant": True}, "True is at least 1"),
    ("def:optimistic/rows", {"row": ["3/2", "-1/2"]}, "a probability vector"),
    ("def:optimistic/rows", {"row": [True, "0"]}, "True is a rational"),
    ("def:optimistic/rows", {"eps": "-1/1000"}, "a probability vector and a radius"),
]


@pytest.mark.parametrize(("label", "changes", "said"), OUTSIDE)
def test_an_instance_that_misses_one_hypothesis_is_rejected_for_it(label, changes, said):
    with pytest.raises(recheck.Rejected, match=said):
        checked(label, counterexample(label, **changes))


INSIDE = [
    ("intro:key", {"law": {"atoms": ["0", "1"], "masses": ["1/2", "1/2"]}}),
    ("lem:event/conditioning", {"delta": "1"}),
    ("lem:event/conditioning", {"stay": "1"}),
    ("lem:optimismhat/cdf", {"eps": "4892/10000"}),
    ("thm:main", {"delta": "1", "checked": 6}),
    ("cvar:rho", {"alpha": "1"}),
    ("def:objective/cvar", {"tau": "1"}),
    ("def:objective/cvar", {"tau": "0"}),
    ("def:objective/cvar", {"alpha": "1/2", "constant": "2"}),
    ("lem:picdfbound/before", {"tau": 2}),
    ("lem:genbound", {"mdp": two_states(1), "twin": two_states(1), "policy": FIRST}),
    ("lem:optimismhat/cdf", {"mdp": coins("1/2"), "estimate": coins("1")}),
    ("lem:key", {"objective": "var(1)"}),
    ("lem:key", {"objective": "var(0, upper)"}),
    ("def:augmented", {"objective": "1/2*cvar(1/2) + 1/2*pl(0, 0; 1/2, 1/2; 1, 1)"}),
    ("thm:main/log", {"delta": "1"}),
    ("thm:main", {"episodes": BELOW_THE_BOUND + 1, "checked": 0}),
]


@pytest.mark.parametrize(("label", "changes"), INSIDE)
def test_an_instance_at_the_edge_of_its_hypotheses_is_judged(label, changes):
    checked(label, counterexample(label, **changes))


def test_a_gap_that_meets_the_radius_belongs_to_the_event():
    """Four stays of four: the frequency is 1, and ``stay`` is chosen so that the gap is the radius' lower end."""
    radius = printed_radius(3, 1, 2, Fraction(1), 4)[0]
    changes = {"delta": "1", "stay": str(1 - radius)}
    assert checked("lem:event/conditioning", counterexample("lem:event/conditioning", **changes)).left == 1


# -- weightings and quantiles by hand ----------------------------------------------------------------------------------


def test_weightings_by_hand():
    assert phi(COIN, weighting("1/2*mean + 1/2*cvar(3/4)")) == Fraction(1, 4) + Fraction(1, 6)
    assert (phi(COIN, weighting("var(1/2)")), phi(COIN, weighting("var(1/2, upper)"))) == (0, 1)
    assert phi(COIN, weighting("pl(0, 0; 1/2, 3/4; 1, 1)")) == Fraction(1, 4)
    assert [steepest(spec) for spec in ("mean", "cvar(1/7)", "pl(0, 0; 1/2, 3/4; 1, 1)")] == [1, 7, Fraction(3, 2)]
    for spec in ("2*mean", "1/2*mean", "-1*mean + 2*cvar(1/2)"):
        with pytest.raises(recheck.Rejected, match="mixture weights"):
            weighting(spec)


def test_quantiles_by_hand():
    """A jump to 1/4 at 0, a slope to 3/4 at 2, flat to 3, a jump to 1."""
    places = [corner(0, 0, "1/4", "1/4"), corner(2, "3/4", "3/4", "3/4"), corner(3, "3/4", 1, 1)]
    f = corners({"corners": places})
    wanted = {"1/8": 0, "1/4": 0, "1/2": 1, "5/8": Fraction(3, 2), "3/4": 2, "7/8": 3, "1": 3}
    assert {tau: f.quantile(Fraction(tau)) for tau in wanted} == wanted
    assert [f.value(Fraction(x)) for x in (-1, 0, 1, 2, 3, 4)] == [0, *map(Fraction, ("1/4", "1/2", "3/4")), 1, 1]
    for tau in (Fraction(), Fraction(1001, 1000)):
        with pytest.raises(recheck.Rejected, match="a finite quantile"):
            f.quantile(tau)


def test_the_augmented_payment_by_hand():
    """One action that pays 1 at each of two steps: y_T has the first reward only."""
    pays = {"next": [[0, "1"]], "reward": {"atoms": ["1"], "masses": ["1"]}}
    mdp = {"horizon": 2, "discount": "1", "initial": [[0, "1"]], "states": [[pays]]}
    outcome = checked("def:augmented", counterexample("def:augmented", mdp=mdp, objective="mean"))
    assert (outcome.left, outcome.right) == (1, 2)


# -- roundings ---------------------------------------------------------------------------------------------------------


def test_the_normal_law_lies_between_its_bounds():
    with mpmath.workdps(40):
        for z in (Fraction(k, 4) for k in range(-24, 25)):
            low, high = normal(z)
            true = mpmath.ncdf(mpmath.mpf(z.numerator) / z.denominator)
            assert mpmath.mpf(low.numerator) / low.denominator <= true <= mpmath.mpf(high.numerator) / high.denominator
            assert high - low < Fraction(1, 10**13)


@pytest.mark.parametrize(("label", "factor"), [("lem:tildebound", 2), ("lem:hattildebound", 2), ("lem:fullbound", 4)])
def test_a_printed_bound_is_rounded_up_in_its_twelfth_decimal(label, factor):
    """T L sqrt|S| (2 sqrt 2 + 1) E sum sqrt(log(6 |S| |A| K / delta) / 2N), |S| = 2, |A| = 3, T = 2."""
    told = counterexample(label)
    visits_c = 2 * (told["episodes"] - 1) - told["seen"] - told["visits_b"]
    with mpmath.workdps(40):
        level = mpmath.log(36 * told["episodes"] / mpmath.mpf("0.5"))
        share = mpmath.mpf(1) / told["spread"]
        counts = ((told["seen"], 1), (told["visits_b"], share), (visits_c, 1 - share))
        budget = (2 * mpmath.sqrt(2) + 1) * sum(w * mpmath.sqrt(level / (2 * n)) for n, w in counts)
        bound = factor * budget * (1 if label == "lem:tildebound" else mpmath.sqrt(2))
        right = checked(label, told).right
        over = mpmath.mpf(right.numerator) / right.denominator - bound
        assert 0 <= over <= mpmath.mpf(10) ** -12


@pytest.mark.parametrize("entry", [True, False, 0.5, None, ["1"]])
def test_a_number_is_text_or_an_integer(entry):
    with pytest.raises(recheck.Rejected, match="is a rational"):
        number(entry)


@pytest.mark.parametrize("episodes", [1, 7, 1000])
def test_both_logarithms_are_printed_away_from_each_other(episodes):
    instance = counterexample("thm:main/log", states=3, actions=2, episodes=episodes, delta="1/7")
    found = checked("thm:main/log", instance)
    with mpmath.workdps(40):
        six, four = (mpmath.log(mpmath.mpf(k * 6 * episodes) * 7) for k in (6, 4))
        assert mpmath.mpf(found.left.numerator) / found.left.denominator <= six
        assert mpmath.mpf(found.right.numerator) / found.right.denominator >= four
    assert found.left > found.right


def test_a_radius_needs_a_visit():
    with pytest.raises(recheck.Rejected):
        printed_radius(3, 1, 2, Fraction(1), 0)
