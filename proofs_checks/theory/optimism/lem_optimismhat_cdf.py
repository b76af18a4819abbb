r"""lem:optimismhat/cdf: optimism at the level of CDFs, as the proof of lem:optimismhat has it.  False by the same case.

.. math:: F_{\hat Z^{(\pi)}}(x) \le F_{Z^{(\pi)}}(x) \text{ for all } x, \text{ on the event.}

It is true for Markov policies, whose choices do not depend on the rewards.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import verified_risk as vr

from ...cases.estimation import lifted, optimistic_mdp
from ...engine.model import Claim, Formal, Statement
from ...engine.severity import Severity
from ...engine.symbolic import Proof, Step, parameters
from .. import causes
from . import lem_optimismhat
from .lem_optimismhat import Case, printed_met
from .optimistic_pairs import event


def ahead(lower: vr.Law, upper: vr.Law) -> Fraction:
    """The least ``F(x) - G(x)`` over all x, for the CDFs F of ``lower`` and G of ``upper``."""
    return min(lower.cdf(x) - upper.cdf(x) for x in {*lower.atoms, *upper.atoms})


def _dominance(case: Case, policy: vr.Policy) -> Fraction:
    better = optimistic_mdp(case.estimate, case.radii)
    return ahead(vr.return_law(case.mdp, policy), vr.return_law(better, lifted(policy, better)))


def _markov(case: Case) -> Fraction:
    """The same for every deterministic Markov policy of one state."""
    tables = product(range(case.mdp.n_actions[0]), repeat=case.mdp.horizon)
    return min(_dominance(case, vr.MarkovPolicy(case.mdp, [[a] for a in table])) for table in tables)


STATES = 6


def _proof_steps(planted: bool) -> list[Step]:
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
    f"every T, {STATES} next states, rewards with finitely many atoms", _proof_steps, "the row is not lowered by eps"
)
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

STATEMENT = Statement(
    label="lem:optimismhat/cdf",
    title="the optimistic model dominates for every policy",
    section="C",
    printed=Claim(
        r"F_{\hat Z^{(\pi)}}(x) \le F_{Z^{(\pi)}}(x) \text{ on } \mathcal E, \text{ for every } \pi",
        "on the event, the return of every policy is stochastically larger in the optimistic model",
        lambda case: _dominance(case, case.policy),
        when=printed_met,
    ),
    corrected=Claim(
        r"F_{\hat Z^{(\pi)}}(x) \le F_{Z^{(\pi)}}(x) \text{ on } \mathcal E, \text{ for every Markov } \pi",
        "on the event, the return of every Markov policy is stochastically larger in the optimistic model",
        _markov,
        when=lambda case: case.mdp.n_states == 1 and event(case),
    ),
    finding=Severity.SUBSTANCE,
    cause=causes.PARTS,
    uses=("def:optimistic/rows", "def:optimistic/rewards", "L1/markov"),
    cases=lem_optimismhat.STATEMENT.cases,
    small_cases=lem_optimismhat.STATEMENT.small_cases,
    small_size=lem_optimismhat.STATEMENT.small_size,
    counterexample=lem_optimismhat.STATEMENT.counterexample,
    find_budget=lem_optimismhat.STATEMENT.find_budget,
    proof=PROOF,
    formal=Formal(proves=("markov_return_dominates",)),
    theory="06-event-and-optimism.md#optimism-refuted",
    notes="Lines 1061-1097. The substitution r = x' - x of line 1076 also has a sign exchanged.",
)
