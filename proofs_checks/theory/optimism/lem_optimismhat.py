r"""lem:optimismhat, lem:optimismhat/cdf: every policy is worth more in the optimistic model, and its return is
stochastically larger.  False for y-policies, even optimal ones.

Optimism changes the rewards, hence the returns so far, and a y-policy may play badly at returns that do not
occur in the true model.  The claim holds for the *maxima* (``L1/value``), for Markov policies (``L1/markov``) and for
greedy ones (``L1/greedy``).  The proof goes through the CDFs,

.. math:: F_{\hat Z^{(\pi)}}(x) \le F_{Z^{(\pi)}}(x) \text{ for all } x, \text{ on the event,}

which is true for Markov policies, whose choices do not depend on the rewards.

The cases have one ordinary state and the same number of visits N for every pair, so that one rational radius
:math:`\epsilon` belongs to :math:`\delta = 6|S||A|K e^{-2N\epsilon^2}`, which must be at most 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

import verified_risk as vr
from verified_risk.numbers.enclosure import Truth, at_least

from ...cases import strategies
from ...cases.estimation import Radii, lifted, on_printed_event, optimistic_mdp
from ...cases.greedy import concave
from ...cases.irrational import log
from ...engine.model import Claim, Formal, Hypotheses, Real, Statement
from ...engine.symbolic import Proof, Step, parameters
from .. import causes, reasons
from . import l1_greedy
from .optimistic_pairs import both_values, event


@dataclass(frozen=True)
class Case:
    """A model, its estimate from ``visits`` visits to every pair, their radius, a policy and a weighting."""

    estimate: vr.MDP
    mdp: vr.MDP
    visits: int
    eps: Fraction
    policy: vr.Policy
    weighting: vr.Weighting

    @property
    def radii(self) -> Radii:
        return tuple((self.eps,) * count for count in self.mdp.n_actions)


def _honest(case: Case) -> bool:
    """Some history of whole episodes has these counts, and the radius is the printed one for some delta <= 1."""
    mdp, n = case.mdp, case.visits
    if mdp.n_states != 1 or n < 1 or (mdp.n_actions[0] * n) % mdp.horizon:
        return False
    episodes = mdp.n_actions[0] * n // mdp.horizon + 1
    if at_least(2 * n * case.eps**2, log(6 * 2 * mdp.n_actions[0] * episodes)) is not Truth.HOLDS:
        return False
    seen = [action.reward_law for _, _, action in case.estimate]
    possible = all(set(law.atoms) <= set(mdp.actions(0)[a].reward_law.atoms) for a, law in enumerate(seen))
    return possible and all((n * p).denominator == 1 for law in seen for p in law.masses)


def printed_met(case: Case) -> bool:
    return _honest(case) and on_printed_event(case.mdp, case.estimate, case.radii)


def _printed_slack(case: Case) -> Real:
    own, better = both_values(case)
    return better - own


#: Visits and radii for two actions and two steps, each with some delta <= 1.
_RADII = ((4, Fraction(7, 8)), (6, Fraction(3, 4)), (12, Fraction(1, 2)), (16, Fraction(1, 2)), (32, Fraction(1, 3)))


@st.composite
def drawn(draw: st.DrawFn) -> Case:
    visits, eps = draw(st.sampled_from(_RADII))
    high = vr.Law.point(1 - Fraction(1, draw(st.sampled_from((256, 64, 32, 16, 8, 4, 2)))))
    rewards = [high, vr.Law.point(draw(st.one_of(st.just(Fraction()), strategies.rationals())))]
    seen = list(rewards)
    kind = draw(st.integers(0, 4))
    if kind == 4:  # off the event: a good action was unlucky every time
        rewards[0], seen[0] = vr.Law({0: Fraction(1, 8), 1: Fraction(7, 8)}), vr.Law.point(0)
    elif kind == 3:
        rewards[0] = draw(strategies.laws(max_atoms=2))
        count = draw(st.integers(0, visits)) if len(rewards[0]) > 1 else visits
        masses = (Fraction(count, visits), 1 - Fraction(count, visits))
        seen[0] = vr.Law.of_weights(dict(zip(rewards[0].atoms, masses, strict=False)))
    mdp, estimate = (vr.MDP(0, [[[1], [1]]], [laws], 2) for laws in (rewards, seen))
    radii: Radii = ((eps, eps),)
    models = (mdp, optimistic_mdp(estimate, radii))
    policy: vr.Policy = draw(
        strategies.origin_policies(mdp, models) if draw(st.booleans()) else strategies.shared_policies(mdp, models)
    )
    shape: strategies.Shape = draw(st.sampled_from(("linear", "concave")))
    return Case(estimate, mdp, visits, eps, policy, draw(strategies.weightings(shape=shape, max_corners=1)))


def _one_state(reward: Fraction, visits: int, eps: Fraction, choices: tuple[int, ...]) -> Case:
    """a pays ``reward``, b nothing; play ``choices[0]``, then by y = 0, reward, 1."""
    mdp = vr.MDP(0, [[[1], [1]]], [[reward, 0]], 2)
    after = {(1, 0, y): a for y, a in zip((Fraction(), reward, Fraction(1)), choices[1:], strict=True)}
    return Case(mdp, mdp, visits, eps, vr.ReturnPolicy(mdp, {(0, 0, 0): choices[0], **after}), vr.Mean())


def _small_cases() -> Iterator[Case]:
    rewards = (Fraction(1, 2), Fraction(7, 8), Fraction(15, 16))
    for reward, (visits, eps), choices in product(rewards, _RADII, product((0, 1), repeat=4)):
        yield _one_state(reward, visits, eps, choices[::-1])


STATEMENT = Statement(
    label="lem:optimismhat",
    title="the optimistic model flatters every policy",
    section="5",
    printed=Claim(
        r"\hat\Phi(\pi) \ge \Phi(\pi) \text{ on } \mathcal E, \text{ for every } \pi",
        "on the event, every policy does at least as well in the optimistic model as in the true one",
        _printed_slack,
        when=printed_met,
    ),
    corrected=Claim(
        r"\max_\pi \hat\Phi(\pi) \ge \max_\pi \Phi(\pi) \text{ on } \mathcal E, \ G \text{ concave}",
        "on the event and for concave G, the best value in the optimistic model is at least that in the true one",
        l1_greedy.value_slack,
        when=Hypotheses(concave=concave, event=event),
    ),
    cause=causes.PARTS,
    uses=("lem:event/conditioning", "def:optimistic/rows", "def:optimistic/rewards", "L1/value"),
    cases=drawn,
    small_cases=_small_cases,
    small_size="T = 2, one state, a pays 1/2, 7/8 or 15/16, b nothing; five radii; all 16 policies",
    counterexample=_one_state(Fraction(15, 16), 12, Fraction(1, 2), (0, 1, 0, 1)),
    find_budget=400,
    reaches={"concave": ("not noticed", reasons.CONCAVE["hypotheses"][1])},
    formal=Formal(
        parts=("optimistic_supremum_dominates", "optimistic_maximum_dominates"),
        refutes=("printed_optimism_false",),
        counterexample="rewards mixed with mass 1/100 at 1, so that F†(1) = T; the executable counterexample has no "
        "such mass",
    ),
    theory="06-event-and-optimism.md#optimism-refuted",
    notes="15/8 = 240/128 in the true model, 235/128 in the optimistic one; the policy is optimal in the true model.",
)


def ahead(lower: vr.Law, upper: vr.Law) -> Fraction:
    """The least ``F(x) - G(x)`` over all x, for the CDFs F of ``lower`` and G of ``upper``."""
    return min(lower.cdf(x) - upper.cdf(x) for x in {*lower.atoms, *upper.atoms})


def _dominance(case: Case, policy: vr.Policy) -> Fraction:
    better = optimistic_mdp(case.estimate, case.radii)
    return ahead(vr.return_law(case.mdp, policy), vr.return_law(better, lifted(policy, better)))


def _markov(case: Case) -> Fraction:
    """The least :func:`_dominance` of the deterministic Markov policies of a model with one state."""
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

CDF = replace(
    STATEMENT,
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
    uses=("def:optimistic/rows", "def:optimistic/rewards", "L1/markov"),
    proof=PROOF,
    reaches={},
    formal=Formal(proves=("markov_return_dominates",)),
    notes="Lines 1061-1097. The substitution r = x' - x of line 1076 also has a sign exchanged.",
)
