r"""lem:optimismhat/cdf for Markov policies, by induction over the steps left, with any number of steps.

A Markov policy plays the same action in both models, so one step of it is a reward and a row.  Write F(z) for the CDF
of what is earned from the state z on, at a fixed place, in the true model, and :math:`F(z) - d(z)` in the optimistic
one, :math:`d \ge 0`; :math:`s_\infty` earns the most, so its CDF is :math:`F(z) - h(z)`, :math:`h \ge 0`, for all z.

* Rows: on the event :math:`\hat P = (\tilde P - \epsilon)^+ \le P`, so :math:`P = \hat P + e` with :math:`e \ge 0`, and
  the mass at :math:`s_\infty` is what the e add up to.
* Rewards: on the event :math:`\hat F_R = (\tilde F_R - \epsilon)^+ \le F_R`.  What follows a reward r is reached by
  :math:`x - r`, a nonincreasing function of r; its mean is, by parts, a sum over its falls, each times the CDF of the
  reward there: strip by strip it is no larger under the smaller CDF.
"""

from __future__ import annotations

from ...engine.symbolic import Proof, Step, parameters

STATES = 6


def steps(planted: bool) -> list[Step]:
    """A row, a reward, and the positive parts of both estimates."""
    names = parameters(f"p:{STATES}, e:{STATES}, d:{STATES}, h:{STATES}, most")
    p, e, d, h = (names[k * STATES : (k + 1) * STATES] for k in range(4))
    most = names[-1]  # the CDF of s_inf
    cdf = [most + gap for gap in h]
    true = sum((a + b) * f for a, b, f in zip(p, e, cdf, strict=True))
    better = sum(a * (f - gain) for a, f, gain in zip(p, cdf, d, strict=True)) + sum(e) * most
    estimate, radius, error = parameters("estimate, radius, error")
    # P~ = estimate + radius on the one side of the positive part; the truth is within the radius
    lowered = estimate + radius if planted else estimate
    fall, below, gain = parameters("fall, below, gain")
    return [
        Step("a row: the optimistic CDF is no larger", true - better),
        Step("(P~ - eps)+ <= P where P~ >= eps, and P = P~ - eps + error", (estimate + error) - lowered),
        Step("(P~ - eps)+ = 0 <= P elsewhere", error),
        Step("a fall of what follows, under the larger CDF of rewards", fall * (below + gain) - fall * below),
    ]


PROOF = Proof(
    f"every T, {STATES} next states, rewards with finitely many atoms", steps, "the row is not lowered by eps"
)
