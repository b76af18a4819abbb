"""Numbers that change when a fault is seeded in a claim, a hypothesis or a generator.

A looser corrected claim changes the least slack or the sum of all slacks.  A narrower hypothesis changes the number of
cases that meet it.  A dropped or looser conjunct changes the number or the sum of the conjuncts, even if another one is
always the least.  A generator that no longer draws the hard case loses its power (tests/checks/test_power.py).
"""

from dataclasses import replace
from fractions import Fraction
from itertools import islice

import pytest

from proofs_checks.engine import search
from proofs_checks.engine.model import parts_of
from proofs_checks.theory import ALL, by_label
from verified_risk.numbers.enclosure import bounds

#: Label: how many cases of the enumeration meet the hypotheses, the least slack and the sum of all, to six figures;
#: where some claim has several parts, also how many parts there are in all, and their sum.
#: Statements whose enumeration takes more than half a second are in :data:`BEGUN`.
ENUMERATED = {
    "intro:bound": (400, "0", "2.06479e+09"),
    "intro:key": (315, "0", "0"),
    "intro:nonmarkov": (9, "0", "0"),
    "def:rewards": (315, "0", "0"),
    "def:history": (426, "0", "0"),
    "def:history/episode": (426, "0", "0"),
    "def:return": (810, "0", "0"),
    "def:bellman": (384, "0", "0"),
    "def:quantile/zero": (96, "0", "47"),
    "def:objective/var": (60, "0", "0"),
    "def:objective/jumps": (84, "0", "0", 336, "0"),
    "def:objective/cvar": (378, "0", "0", 1377, "206.55"),
    "assump:quantile": (105, "0", "0"),
    "assump:quantile/empirical": (38, "0", "10"),
    "assump:lipschitz": (500, "0", "177"),
    "assump:lipschitz/var": (30, "3", "525"),
    "assump:lipschitz/wang": (30, "6.73394", "403.441"),
    "assump:lipschitz/cpw": (30, "9.33155", "1577.73"),
    "thm:augmented": (324, "0", "0"),
    "def:augmented": (126, "0", "0", 252, "0"),
    "def:pushforward": (75, "0", "0"),
    "def:grid/points": (162, "0", "342"),
    "def:grid/range": (162, "0", "100.4"),
    "thm:discretized": (220, "0", "13.14", 660, "330"),
    "def:empirical": (125, "0", "0", 1185, "125"),
    "def:optimistic/rows": (189, "0", "0", 945, "54"),
    "def:optimistic/rewards": (135, "0", "0", 1505, "275.5"),
    "def:unvisited": (200, "0", "0", 590, "0"),
    "thm:main": (33, "0.5", "16.9"),
    "thm:main/expected": (33, "87.1639", "4546.93"),
    "lem:key": (315, "0", "0"),
    "lem:event/rewards": (106, "0.000437872", "14.642", 561, "283.201"),
    "lem:event/l1": (106, "0.000459305", "0.141713", 908, "896.855"),
    "lem:event/sup-norm": (54, "0.000940044", "14.4879", 105, "54.7665"),
    "lem:event/conditioning": (336, "0.099999", "100.791"),
    "lem:tildebound": (1410, "0", "3281.5"),
    "lem:hattildebound": (1912, "0", "2249.06", 7648, "17359.6"),
    "lem:fullbound": (1412, "0", "1148.44", 4236, "15234"),
    "experiment:paths": (1000, "0", "0"),
    "exp:forty": (40, "0.0017403", "8.25236"),
    "lem:augmented:1": (162, "0", "0"),
    "lem:augmented:2": (162, "0", "0"),
    "lem:pihatcdfbound/after": (972, "0", "0"),
    "lem:pihatcdfbound/before": (492, "0.25", "253", 756, "402"),
    "lem:quantileinverse/first": (210, "0", "134"),
    "lem:quantileinverse/second": (60, "0", "6.5"),
    "lem:monotoneinversebound": (945, "0", "765"),
    "lem:pihatphibound": (984, "0.25", "516"),
    "lem:picdfbound/after": (972, "0", "0"),
    "lem:picdfbound/before": (492, "0", "101"),
    "lem:piphibound": (984, "0", "212"),
    "lem:event/hoeffding": (106, "0.000940044", "34.6479", 589, "895.209"),
    "lem:genbound/cdf": (1792, "0", "328", 3584, "972"),
    "lem:optimismhat": (240, "0.0555556", "76.2934"),
    "lem:optimismhat/cdf": (240, "0", "0"),
    "thm:main/coefficient": (180, "0.114748", "287.991"),
    "thm:main/log": (150, "0.413966", "643.347"),
    "thm:main/visits": (490, "0", "765"),
    "thm:main/unvisited": (478, "0", "285.683"),
    "thm:main/harmonic": (155, "1", "168.043", 430, "495.1"),
    "thm:main/factor": (155, "1", "526.824"),
    "thm:main/counted": (76, "3.82843", "871.08"),
    "thm:main/dropped": (1350, "35.4807", "1.39336e+11"),
    "thm:main/constant": (1350, "40.9066", "1.14667e+11"),
    "cvar:ru/costs": (105, "0", "0", 210, "0"),
    "cvar:ru": (105, "0", "0", 315, "0"),
    "cvar:min": (126, "0", "0"),
    "cvar:value": (210, "0", "0"),
    "cvar:rho": (189, "0", "0"),
    "adaptation/pathwise": (45, "0", "0", 360, "195"),
    "thm:discretized/constant": (80, "0.125", "65"),
    "L0/tape": (180, "0.246402", "67.1555"),
    "L0/adaptive": (256, "0.892", "230.128"),
    "L0/block": (180, "0.103567", "34.7792"),
    "L0/printed-radii": (61, "0.00258959", "15.886"),
    "L2/duality": (300, "0", "0", 3000, "2167.12"),
    "L2/values": (78, "0", "0", 3840, "2759.62"),
    "L2/greedy": (288, "0", "0", 576, "73.3125"),
    "L2/merely-optimal": (32, "0", "0", 64, "0"),
    "L3": (2450, "0", "16659.5"),
    "martingale": (130, "0", "21.5991", 449, "337.549"),
    "martingale/prefix": (130, "0", "0", 268, "35.6607"),
    "corrected/episode": (465, "0", "0", 3045, "5406"),
    "corrected/i/sum": (200, "0", "117.684", 400, "484.436"),
    "corrected/ii/sum": (200, "0", "0", 600, "484.436"),
    "corrected/iii": (1350, "15.3147", "1.33852e+11"),
    "corrected/i": (33, "22.5623", "1236.85"),
    "corrected/ii": (33, "1", "33.8"),
    "thm:main/greedy": (33, "0.5", "16.9"),
    "thm:main/printed-radii": (33, "0.5", "16.9"),
    "limits/convex": (3, "0", "0", 6, "0.0786429"),
    "production/bellman": (126, "0", "0"),
    "production/key": (168, "0", "0", 804, "169.125"),
    "production/evaluator": (426, "0", "0"),
    "production/proved": (252, "0", "95.7", 504, "320.75"),
    "exp:forty/information": (41, "0.0046954", "2.45567"),
}

#: The same for the first cases of enumerations that take longer.
FIRST = 200
BEGUN = {
    "lem:genbound": (200, "0", "323", 400, "751"),
    "cvar:concave": (200, "0", "0", 800, "296.156"),
    "L1/coupling": (176, "0", "0", 632, "263.25"),
    "L1/value": (164, "0", "114"),
    "L1/markov": (176, "0", "175.25"),
    "L1/greedy": (176, "0", "0", 352, "111"),
    "close/tv": (200, "0", "235.25", 400, "523"),
    "close/markov": (200, "0", "48", 400, "96"),
    "close/hat-tilde": (200, "0", "195", 800, "1500.5"),
    "L2/planner-error": (200, "0", "249"),
    "L2/optimistic": (176, "0", "0", 528, "446"),
    "corrected/run": (33, "0", "0", 2543, "3398.07"),
    "class/markov": (176, "0", "149.25", 528, "1584"),
    "class/atoms": (176, "0", "92.5", 352, "488.75"),
    "production/plan": (200, "0", "0", 750, "135"),
}


def figures(label, most=None):
    """A row of the tables above, for the whole enumeration or its first cases."""
    statement = by_label(label)
    claim = statement.true_claim
    slacks = [claim.slack(case) for case in islice(statement.small_cases(), most) if claim.when(case)]
    values = [sum(bounds(slack)) / 2 for slack in slacks]
    parts = [sum(bounds(part.slack())) / 2 for slack in slacks for part in parts_of(slack)]
    seen = len(values), f"{float(min(values)):.6g}", f"{float(sum(values)):.6g}"
    split = len(parts), f"{float(sum(parts)):.6g}"
    return seen if split == seen[::2] else (*seen, *split)


@pytest.mark.parametrize("label", ENUMERATED)
def test_the_enumeration_has_the_recorded_slacks(label):
    assert figures(label) == ENUMERATED[label]


@pytest.mark.parametrize("label", BEGUN)
def test_a_long_enumeration_begins_with_the_recorded_slacks(label):
    assert figures(label, FIRST) == BEGUN[label]


def test_every_statement_is_here_once():
    assert sorted([*ENUMERATED, *BEGUN]) == sorted(statement.label for statement in ALL)


#: Label: what some of a hundred random cases must be like, where the claim holds and no case is the hard one.
KINDS = {
    "production/evaluator": {
        "joint rewards": lambda case: not all(action.independent for _, _, action in case.mdp),
        "a policy that remembers": lambda case: type(case.policy).__name__ == "HistoryPolicy",
    }
}


@pytest.mark.parametrize("label", KINDS)
def test_the_generator_draws_every_kind(label):
    drawn = []
    claim = replace(by_label(label).true_claim, slack=lambda case: drawn.append(case) or Fraction(0))
    search.random(claim, by_label(label).cases(), examples=100, seed=3, climb=False)
    for name, holds in KINDS[label].items():
        assert any(holds(case) for case in drawn), name
