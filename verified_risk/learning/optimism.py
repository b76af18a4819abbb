r"""The optimistic model, exactly, and the event on which it is one.

Corrected construction, with a radius :math:`\epsilon(s, a)` and an extra absorbing state :math:`s_\infty` that pays
1 at every step:

.. math:: \hat P(s') = (\tilde P(s') - \epsilon)^+ \;(s' \ne s_\infty), \qquad
          \hat P(s_\infty) = 1 - \sum_{s' \ne s_\infty} \hat P(s'), \qquad
          \hat F(r) = (\tilde F(r) - \epsilon)^+ \;(r < 1),

and for ``N = 0`` all mass on :math:`s_\infty` and on reward 1.  The paper prints :math:`1 - \sum \tilde P` for the
second, which is 0: its rows sum to less than 1.

The event, for one pair: :math:`|\tilde F - F| \le \epsilon` everywhere and :math:`\tilde P(s') - P(s') \le \epsilon`
for every s'.  It says that :math:`\hat F \le F` and :math:`\hat P \le P`, which is all that optimism needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..law import Law
from ..mdp import MDP
from .history import History, PairHistory
from .problem import Pair, Standard


@dataclass(frozen=True)
class OptimisticPair:
    """``following[atom, state]`` without :math:`s_\\infty`; ``miss`` is :math:`\\hat P(s_\\infty)`; rewards are atoms
    in [0, 1].
    """

    following: dict[tuple[int, int], Fraction]
    miss: Fraction
    reward: Law


def optimistic_pair(seen: PairHistory, eps: Fraction, *, joint: bool = False) -> OptimisticPair:
    """The corrected construction for one pair; in a joint model outcomes carry the rewards."""
    if seen.visits == 0:
        return OptimisticPair({}, Fraction(1), Law.point(0 if joint else 1))
    following = {one: p for one in sorted(seen.outcomes) if (p := seen.frequency(one) - eps) > 0}
    law = Law.point(0) if joint else optimistic_reward(seen.reward_law(), eps)
    return OptimisticPair(following, 1 - sum(following.values(), Fraction()), law)


def optimistic_reward(law: Law, eps: Fraction) -> Law:
    """Move the lowest ``eps`` of mass to reward 1."""
    weights: dict[Fraction, Fraction] = {}
    below = Fraction()
    for r, level in zip(law.atoms, law.cumulative(), strict=True):
        here = max(level - eps, Fraction()) if r < 1 else Fraction(1)
        weights[r], below = here - below, here
    weights[Fraction(1)] = weights.get(Fraction(1), Fraction()) + 1 - below
    return Law.of_weights(weights)


def event_slack(seen: PairHistory, truth: Pair, atoms: tuple[Fraction, ...], eps: Fraction) -> Fraction:
    """How much room one pair leaves to the event: nonnegative exactly when it holds; 1 for a pair never seen."""
    if seen.visits == 0:
        return Fraction(1)
    true_law = Law.of_weights({atoms[i]: p for i, p in truth.rewards})
    true_next = {(i, target): p for i, target, p in truth.outcomes}
    rewards = seen.reward_law().kolmogorov(true_law)
    following = max(seen.frequency(one) - true_next.get(one, Fraction()) for one in seen.outcomes)
    return eps - max(rewards, following)


def optimistic_mdp(standard: Standard, history: History, radius: dict[tuple[int, int], Fraction]) -> MDP:
    r"""The whole optimistic model as an exact MDP; its last state is :math:`s_\infty`.  Undiscounted product forms
    only.
    """
    n = standard.n_states
    transitions: list[list[dict[int, Fraction]]] = []
    rewards: list[list[Law]] = []
    for s in range(n):
        pairs = [optimistic_pair(history[s, a], radius.get((s, a), Fraction(0))) for a in range(standard.n_actions[s])]
        transitions.append([{**{t: p for (_, t), p in pair.following.items()}, n: pair.miss} for pair in pairs])
        rewards.append([pair.reward for pair in pairs])
    transitions.append([{n: Fraction(1)}])
    rewards.append([Law.point(1)])
    return MDP(dict(standard.initial), transitions, rewards, standard.horizon, standard.discount)
