r"""class/atoms: rewards on m known atoms, any Lipschitz weighting, every policy.

With the frequencies of the rewards within :math:`\mathrm{TV} \le \sqrt{m+1}\,\epsilon` (which has the probability of
one more tape event, since :math:`(2^m - 2) e^{-(m+1) l} \le e^{-l}` for :math:`l \ge \log 2`),

.. math:: |\hat\Phi(\pi) - \Phi(\pi)| \le L_G\, \mathbf E_{M,\pi} \sum_t (T-t+1)
          \min\bigl(1, (|S| + \sqrt{m+1})\,\epsilon\bigr) .
"""

from __future__ import annotations

from fractions import Fraction

from verified_risk.numbers.enclosure import Real, Truth, at_least

from ...cases.estimation import expected_cost, lifted, lipschitz, optimistic_mdp, phi
from ...cases.irrational import absolute, minimum, root
from ...engine.model import Claim, Formal, Statement, at_most
from ..optimism.optimistic_pairs import SMALL_SIZE, Played, event, played, small_played_markov


def _atoms(case: Played) -> int:
    return max(len(action.reward_law) for _, _, action in case.mdp)


def _met(case: Played) -> bool:
    """The event, and the frequencies of the rewards within their radius."""
    factor = root(_atoms(case) + 1)
    return event(case) and all(
        at_least(factor * case.radii[s][a], action.reward_law.total_variation(case.estimate.actions(s)[a].reward_law))
        is Truth.HOLDS
        for s, a, action in case.mdp
    )


def _slack(case: Played) -> Real:
    mdp, horizon, atoms = case.mdp, case.mdp.horizon, _atoms(case)
    better = optimistic_mdp(case.estimate, case.radii)
    factor = mdp.n_states + 1 + root(atoms + 1)

    def cost(t: int, s: int, a: int) -> Real:
        return (horizon - t) * minimum(Fraction(1), factor * case.radii[s][a])

    bound = lipschitz(case.weighting) * expected_cost(mdp, case.policy, cost)
    gap = phi(case.weighting, better, lifted(case.policy, better)) - phi(case.weighting, mdp, case.policy)
    return at_most(absolute(gap), bound)


STATEMENT = Statement(
    label="class/atoms",
    title="known reward atoms, any Lipschitz weighting, every policy",
    section="corrected theory",
    corrected=Claim(
        r"|\hat\Phi - \Phi| \le L_G\, \mathbf E_{M,\pi} \sum_t (T-t+1) \min(1, (|S| + \sqrt{m+1})\,\epsilon)",
        "with m known reward values, every policy has nearly the same objective in the optimistic and the true model",
        _slack,
        when=_met,
    ),
    uses=("close/tv", "L0/adaptive", "lem:event/l1"),
    cases=played,
    small_cases=small_played_markov,
    small_size=SMALL_SIZE + "; all deterministic Markov policies",
    formal=Formal(proves=("known_atoms_close",)),
    theory="08-regret.md#known-atoms",
)
