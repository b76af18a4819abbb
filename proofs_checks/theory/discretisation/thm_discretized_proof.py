r"""thm:discretized, :math:`\hat\Phi^* - T\eta \le \Phi(\pi) \le \Phi^* \le \hat\Phi^*`, for every horizon.

A reward r becomes ``r + up`` with ``eta = up + left``, both nonnegative.  Adapted policies play on each path of the raw
model what they play on the rounded path, so path by path :math:`\hat Z - T\eta \le Z \le \hat Z`: induction over the
steps.  Where :math:`W \le Z` path by path, the CDF of W is nowhere below that of Z, and the key identity compares the
objectives strip by strip: G is nondecreasing.  A shift by c moves an objective by c, again by induction over the atoms.

So any policy is worth at most :math:`\hat\Phi^*` in the raw model, and the optimal policy of the rounded one, adapted,
is worth at least :math:`\hat\Phi^* - T\eta`; between them is :math:`\Phi^*`, the best of the raw model.
"""

from __future__ import annotations

from ...engine.symbolic import Proof, Step, parameters


def steps(planted: bool) -> list[Step]:
    """One step of a path, one strip of an area, one atom of a law."""
    r, up, left, ahead, behind = parameters("r, up, left, ahead, behind")
    eta, rounded = up + left, r + up
    earned = r - (up if planted else 0)
    # before this step the rounded path was `ahead` in front of the raw one, which was `behind` in front of the bound
    path = [
        Step("the rounded path stays in front", ahead + rounded - r),
        Step("the raw path stays in front of it minus eta a step", behind + earned - (rounded - eta)),
    ]
    width, lower, gain = parameters("width, lower, gain")
    strip = width * (lower + gain) - width * lower  # what W has in its area, and Z does not
    x, c, g, h = parameters("x, c, g, h")
    shift = (x - c) * (h - g) - (x * (h - g) - c * (h - g))
    return [
        *path,
        Step("a strip under a larger CDF is no smaller", strip),
        Step("a shifted atom adds the shift times its mass", shift, equation=True),
    ]


PROOF = Proof("every T, laws with finitely many atoms", steps, "the raw reward is as far below as the rounded above")
