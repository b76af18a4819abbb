"""The standalone checker computes the same numbers as the package, not only the same verdicts.

The difference of both sides of a printed claim equals the package's slack; the two programs share no code.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import islice

import pytest
from test_certificates import WITH_COUNTEREXAMPLE, every_counterexample

from proofs_checks import recheck, theory
from proofs_checks.engine import certificate
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
