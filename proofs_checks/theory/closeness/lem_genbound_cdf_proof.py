r"""lem:genbound/cdf in total variation, for every policy, by induction over the steps left.

At a fixed place x and after a history, let f and :math:`f'` be the probabilities, in the two models, of a return of at
most x once reward and next state are known.  Both lie in [0, 1].  One step before they are :math:`\sum R P f` and
:math:`\sum R' P' f'`, with the same action, and

.. math:: \sum R'P'f' - \sum RPf = \sum (R' - R) P' f' + \sum R (P' - P) f' + \sum RP (f' - f) .

The last sum is the error of the steps left, in expectation under M.  Each of the others averages numbers of [0, 1], by
:math:`P'` or by R, and then compares two laws :math:`q = p + a - b`, where :math:`a, b \ge 0` add up to TV each: the
means differ by at most TV.  After the last step the next state does not matter.  Exchanging the models gives the other
sign, and the expectation under :math:`M'`.
"""

from __future__ import annotations

from itertools import product

from ...engine.symbolic import Proof, Step, parameters

REWARDS, STATES = range(3), range(4)


def steps(planted: bool) -> list[Step]:
    """The recursion, and what a change of one law costs, outcome by outcome."""
    x = iter(parameters("x:38"))
    r, r_twin = [[next(x) for _ in REWARDS] for _ in "MM"]
    p, p_twin = [[next(x) for _ in STATES] for _ in "MM"]
    f, f_twin = [{cell: next(x) for cell in product(REWARDS, STATES)} for _ in "MM"]
    recursion = sum(
        (r_twin[i] * p_twin[j] * f_twin[i, j] - r[i] * p[j] * f[i, j])
        - (r_twin[i] - r[i]) * p_twin[j] * f_twin[i, j]
        - r[i] * (p_twin[j] - p[j]) * f_twin[i, j]
        - r[i] * p[j] * (f_twin[i, j] - f[i, j])
        for i, j in product(REWARDS, STATES)
    )
    # an outcome of value v, with 1 - v = left, gains the mass a and loses b; TV is the sum of all a, and of all b
    a, b, v, left = parameters("a, b, v, left")
    share = a / 2 if planted else a
    return [
        Step("the recursion", recursion, equation=True),
        Step("the mean grows by at most TV", share * (v + left) - (a - b) * v),
        Step("the mean falls by at most TV", b * (v + left) + (a - b) * v),
    ]


PROOF = Proof("every T and policy, 3 rewards, 4 next states", steps, "half of TV")
