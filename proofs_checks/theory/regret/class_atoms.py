r"""class/atoms: rewards on m known atoms, any Lipschitz weighting, every policy.

If the frequencies of the rewards are within :math:`\mathrm{TV} \le \sqrt{m+1}\,\epsilon`, which fails with at most the
probability of one event of ``L0/tape``, because :math:`(2^m - 2) e^{-(m+1) l} \le e^{-l}` for :math:`l \ge \log 2`,

.. math:: |\hat\Phi(\pi) - \Phi(\pi)| \le L_G\, \mathbf E_{M,\pi} \sum_t (T-t+1)
          \min\bigl(1, (|S| + \sqrt{m+1})\,\epsilon\bigr) .
"""

from fractions import Fraction

from verified_risk.numbers.enclosure import Truth, at_least

from ...cases.estimation import expected_cost, lipschitz
from ...cases.irrational import absolute, minimum, root
from ...engine.model import Claim, Formal, Real, Statement, at_most, least
from ..optimism.optimistic_pairs import SMALL_PLAYED, Played, both_values, event, played, small_played_markov


def _atoms(case: Played) -> int:
    return max(len(action.reward_law) for _, _, action in case.mdp)


def _frequencies(case: Played) -> bool:
    """Return whether the frequencies of the rewards are within their radius."""
    factor = root(_atoms(case) + 1)
    return all(
        at_least(factor * case.radii[s][a], action.reward_law.total_variation(case.estimate.actions(s)[a].reward_law))
        is Truth.HOLDS
        for s, a, action in case.mdp
    )


def _slack(case: Played) -> Real:
    mdp, horizon, atoms = case.mdp, case.mdp.horizon, _atoms(case)
    factor = mdp.n_states + 1 + root(atoms + 1)

    def cost(t: int, s: int, a: int) -> Real:
        return (horizon - t) * minimum(Fraction(1), factor * case.radii[s][a])

    bound = lipschitz(case.weighting) * expected_cost(mdp, case.policy, cost)
    own, better = both_values(case)
    rare = at_most(Fraction(2**atoms - 2, 2**atoms), Fraction(1), "probability")  # at the least l, log 2
    return least(at_most(absolute(better - own), bound), rare)


STATEMENT = Statement(
    label="class/atoms",
    title="known reward atoms, any Lipschitz weighting, every policy",
    corrected=Claim(
        r"\mathrm{TV}(\tilde R, R) \le \sqrt{m+1}\,\epsilon \Rightarrow "
        r"|\hat\Phi - \Phi| \le L_G\, \mathbf E_{M,\pi} \sum_t (T-t+1) \min(1, (|S| + \sqrt{m+1})\,\epsilon), \quad "
        r"(2^m - 2)\,e^{-(m+1)l} \le e^{-l}",
        "with m known reward values whose frequencies are within sqrt(m+1) radii, every policy has nearly the same "
        "objective in the optimistic and the true model; the frequencies leave their radius with at most the "
        "probability of one more tape event",
        _slack,
        when=lambda case: event(case) and _frequencies(case),
    ),
    uses=("close/tv", "L0/adaptive", "lem:event/l1"),
    cases=played,
    small_cases=small_played_markov,
    small_size=SMALL_PLAYED,
    reaches={"probability": ("0.2", "an inequality of numbers, tight as m grows")},
    formal=Formal(proves=("known_atoms_close",)),
    notes="In Coq: the closeness, given the frequencies. On paper: that they are within their radius, by lem:event/l1 "
    "at (m+1) l, since (2^m - 2) exp(-(m+1) l) is at most exp(-l) for l from log 2 on, and the regret that follows.",
    theory="08-regret.md#known-atoms",
)
