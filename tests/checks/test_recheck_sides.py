"""The standalone checker computes the same numbers as the package, not only the same verdicts.

The difference of both sides of a printed claim equals the package's slack; the two programs share no code.
"""

import json
from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import given, settings
from test_certificates import WITH_COUNTEREXAMPLE, every_counterexample

from proofs_checks import recheck, theory
from proofs_checks.cases import irrational
from proofs_checks.engine import certificate, search
from proofs_checks.engine.model import Verdict
from proofs_checks.recheck import enclosed
from proofs_checks.theory.regret import limits_convex
from verified_risk.numbers.enclosure import bounds

#: Sides that the checker rounds to twelve digits.
ROUNDED = {
    "lem:tildebound", "lem:event/hoeffding", "thm:main/expected", "thm:main/log", "thm:main/factor",
    "thm:main/constant",
}  # fmt: skip
#: Claims that the checker states in another scale or proves by a coarser argument, with both sides at the
#: counterexample.
OTHERWISE = {
    "assump:lipschitz/var": (1, Fraction(1, 4)),
    "assump:lipschitz/wang": (0.124275638046731, Fraction(1, 64)),
    "assump:lipschitz/cpw": (106.740835404923, 1),
    "lem:hattildebound": (1, 0.840766467397),
    "lem:fullbound": (0.8999975, 0.682630135091),
}
#: Where several policies are optimal the checker takes the best of them: it refutes no more than the package.
BEST_OF_TIES = {"thm:discretized"}
#: The checker compares probabilities, the package the shift of returns that makes up for their difference.
SAME_SIGN = {"lem:picdfbound/before"}


def ends(side):
    """A side is a number or an enclosure."""
    return tuple(map(Fraction, side)) if isinstance(side, tuple) else (Fraction(side),) * 2


def slack(outcome):
    """Bounds of the slack of the printed claim."""
    (a, b), (c, d) = ends(outcome.left), ends(outcome.right)
    if outcome.relation == "=":
        return -max(abs(a - d), abs(b - c)), -max(abs(a - d), abs(b - c))
    return (c - b, d - a) if outcome.relation == "<=" else (a - d, b - c)


def answer(statement, case):
    return recheck.check_text(certificate.text(certificate.certificate(statement, case)))


def require_equal(statement, case, outcome):
    mine, package = slack(outcome), bounds(statement.printed.slack(case))
    if statement.label in ROUNDED:
        assert float(mine[0]) == pytest.approx(float(package[0]), rel=1e-9, abs=1e-11), statement.label
    elif statement.label in BEST_OF_TIES:
        assert mine[1] >= package[0]
    elif statement.label in SAME_SIGN:
        assert (mine[0] < 0) == (package[0] < 0)
    else:
        assert max(mine[0], package[0]) <= min(mine[1], package[1]), (mine, package)


@every_counterexample
def test_the_checkers_sides_differ_by_the_packages_slack(statement):
    outcome = answer(statement, statement.counterexample)
    if statement.label in OTHERWISE:
        for side, value in zip((outcome.left, outcome.right), OTHERWISE[statement.label], strict=True):
            assert float(ends(side)[0]) == pytest.approx(float(value), rel=1e-11)
        return
    require_equal(statement, statement.counterexample, outcome)


def test_the_same_holds_on_other_cases():
    seen = 0
    for statement in WITH_COUNTEREXAMPLE:
        judged = filter(statement.printed.when, statement.small_cases())
        for case in islice(judged, 0, 40, 4) if statement.label not in OTHERWISE else ():
            try:
                outcome = answer(statement, case)
            except recheck.Rejected:
                continue
            require_equal(statement, case, outcome)
            seen += 1
    assert seen >= 350


# -- an instance of one's own ------------------------------------------------------------------------------------------


def checked(label, instance):
    content = {"format": recheck.FORMAT, "version": recheck.VERSION, "label": label, "instance": instance}
    return recheck.check_text(json.dumps({**content, "sha256": recheck.digest(content)}))


def counterexample(label, **changes):
    statement = theory.by_label(label)
    return {**statement.encode(statement.counterexample), **changes}


def test_rows_cost_their_total_variation_times_the_steps_to_come():
    """By hand: from state 0 to the one that pays with 1/2 or 3/4; two steps, one policy.  1/4 on both sides."""

    def model(stays):
        moves = [[0, stays], [1, str(1 - Fraction(stays))]]
        nothing, one = ({"atoms": [r], "masses": ["1"]} for r in "01")
        states = [[{"next": moves, "reward": nothing}], [{"next": [[1, "1"]], "reward": one}]]
        return {"horizon": 2, "discount": "1", "initial": [[0, "1"]], "states": states}

    only = {"kind": "return", "rows": [[0, 0, "0", 0], [1, 0, "0", 0], [1, 1, "0", 0]]}
    instance = {"mdp": model("1/2"), "twin": model("1/4"), "policy": only, "weighting": "mean"}
    outcome = checked("L2/merely-optimal", instance)
    assert (outcome.left, outcome.right) == (Fraction(1, 4), Fraction(1, 4))


# -- random instances --------------------------------------------------------------------------------------------------


def test_enclosures_of_log_exp_and_root_agree_with_the_standalone_series():
    same = {
        "log": (enclosed.log_of, irrational.log, (Fraction(2), Fraction(252), Fraction(16 * 10**6), Fraction(10, 3))),
        "exp": (enclosed.exp_minus, lambda x: irrational.exp(-x), (Fraction(8, 9), Fraction(6), Fraction(96, 25))),
        "root": (enclosed.root_of, irrational.root, (Fraction(2), Fraction(5, 7))),
    }
    for name, (alone, package, places) in same.items():
        for x in places:
            (low, high), mine = alone(x), bounds(package(x))
            assert low <= mine[1], (name, x)
            assert mine[0] <= high, (name, x)
            assert high - low < Fraction(1, 10**40), (name, x)
    assert irrational.root(Fraction(9, 4)) == Fraction(3, 2)
    assert irrational.log(1) == 0
    assert irrational.exp(Fraction(0)) == 1


#: Labels of which it refutes every instance that the package refutes.
REFUTED = {
    *("def:empirical", "def:optimistic/rows", "def:unvisited", "thm:main", "thm:main/expected", "lem:genbound"),
    *("lem:event/conditioning", "lem:event/hoeffding", "lem:tildebound", "lem:hattildebound", "lem:fullbound"),
    *("lem:optimismhat", "thm:main/log", "thm:main/visits", "thm:main/unvisited", "thm:main/factor"),
    *("thm:main/constant", "L2/merely-optimal", "limits/convex"),
}
#: Where it may refuse an instance (too large to list, or not covered by its simpler argument).
COARSER = {"lem:tildebound", "lem:hattildebound", "lem:fullbound", "L2/merely-optimal"}


def rechecked(label, instance):
    """Return whether the standalone checker refutes the claim on an instance; None if it rejects it."""
    try:
        return checked(label, instance).refutes
    except recheck.Rejected:
        return None


@every_counterexample
def test_the_standalone_checker_refutes_exactly_what_the_package_refutes(statement):
    """It never refutes what the package does not; of the labels in :data:`REFUTED` it refutes as much."""
    label = statement.label
    assert rechecked(label, statement.encode(statement.counterexample)) is True
    if label == "limits/convex":
        cases = [limits_convex.Case(m, zeta) for m in (7, 14, 21) for zeta in (Fraction(1), Fraction(1, 100))]
        for case in cases:
            wanted = statement.printed.verdict(case) is Verdict.REFUTED
            assert rechecked(label, statement.encode(case)) is wanted
        return

    @given(statement.cases())
    @settings(max_examples=25 if label in REFUTED else 8, database=None)
    def agree(case):
        verdict = statement.printed.verdict(case)
        answer = rechecked(label, statement.encode(case))
        assert answer is not True or verdict is Verdict.REFUTED
        if verdict is Verdict.REFUTED and label in REFUTED and label not in COARSER:
            assert answer is True

    agree()


@pytest.mark.parametrize("label", ["lem:genbound", "lem:optimismhat", "lem:event/conditioning", "L2/merely-optimal"])
def test_a_generated_counterexample_survives_the_standalone_checker(label):
    statement = theory.by_label(label)
    found = search.find_counterexample(statement, seed=11)
    assert found is not None
    assert found.cases <= statement.find_budget
    assert rechecked(label, statement.encode(found.case)) is True
