r"""Empirical and optimistic models, radii and the event, exactly.

Letters: ``S0`` ordinary states ``0..S0-1``; the optimistic model has one more state, ``s_inf = S0``, that pays 1 and
never leaves.  :math:`\tilde P, \tilde R` are the estimates from :math:`N(s,a)` visits, :math:`\epsilon(s,a)` a radius.

.. math:: \hat P(s'\mid s,a) = (\tilde P(s'\mid s,a) - \epsilon)^+, \qquad
          \hat P(s_\infty\mid s,a) = 1 - \sum_{s'\ne s_\infty} \hat P(s'\mid s,a), \qquad
          F_{\hat R}(r) = (F_{\tilde R}(r) - \epsilon)^+ \ (r < 1), \quad F_{\hat R}(1) = 1 .

A pair that was never visited has radius 1 (any estimate): then :math:`\hat P = \delta_{s_\infty}` and
:math:`\hat R = \delta_1`.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from verified_risk.law import Law
from verified_risk.mdp import MDP, Action
from verified_risk.numbers.enclosure import Real
from verified_risk.objectives import Weighting
from verified_risk.policy import MarkovPolicy, MixturePolicy, Policy, ReturnPolicy
from verified_risk.policy.evaluation import return_law

from .irrational import divide, exceeds, log, root

Radii: TypeAlias = tuple[tuple[Fraction, ...], ...]
"""``radii[s][a]``."""


@dataclass(frozen=True)
class Episode:
    """``steps = ((s_0, a_0, r_0), ...)`` and the state after the last step."""

    steps: tuple[tuple[int, int, Fraction], ...]
    last: int


@dataclass(frozen=True)
class Counts:
    """Observations of one pair: visits, successors, rewards."""

    visits: int
    successors: tuple[int, ...]
    rewards: tuple[tuple[Fraction, int], ...]


def counts_of(mdp: MDP, history: Iterable[Episode]) -> dict[tuple[int, int], Counts]:
    """The counts of every pair of ``mdp`` over the episodes of a history."""
    successors = {(s, a): [0] * mdp.n_states for s, a, _ in mdp}
    rewards: dict[tuple[int, int], dict[Fraction, int]] = {pair: {} for pair in successors}
    for episode in history:
        states = [s for s, _, _ in episode.steps[1:]] + [episode.last]
        for (s, a, r), following in zip(episode.steps, states, strict=True):
            successors[s, a][following] += 1
            rewards[s, a][r] = rewards[s, a].get(r, 0) + 1
    return {
        pair: Counts(sum(row), tuple(row), tuple(sorted(rewards[pair].items()))) for pair, row in successors.items()
    }


def empirical_law(rewards: Iterable[tuple[Fraction, int]]) -> Law:
    """The law of the observed rewards: its CDF counts the observations that are *at most* r."""
    pairs = list(rewards)
    total = sum(n for _, n in pairs)
    return Law.of_weights({r: Fraction(n, total) for r, n in pairs})


def rebuilt(mdp: MDP, pair: Callable[[int, int, Action], tuple[Any, Any]]) -> MDP:
    """The model in which every pair has the row and the reward law ``pair(s, a, action)``."""
    pairs = [[pair(s, a, action) for a, action in enumerate(mdp.actions(s))] for s in range(mdp.n_states)]
    rows, laws = ([[entry[i] for entry in own] for own in pairs] for i in range(2))
    return MDP(dict(mdp.initial), rows, laws, mdp.horizon)


def empirical_mdp(mdp: MDP, history: Iterable[Episode]) -> MDP:
    """The model of the observed frequencies; an unvisited pair pays 0 and stays (it needs radius 1 to be used)."""
    counts = counts_of(mdp, history)

    def estimate(s: int, a: int, action: Action) -> tuple[Any, Any]:
        seen = counts[s, a]
        if not seen.visits:
            return {s: 1}, 0
        return [Fraction(m, seen.visits) for m in seen.successors], empirical_law(seen.rewards)

    return rebuilt(mdp, estimate)


def row_of(mdp: MDP, s: int, a: int) -> tuple[Fraction, ...]:
    """``P(. | s, a)`` over all states."""
    row = [Fraction()] * mdp.n_states
    for target, p in mdp.actions(s)[a].successors:
        row[target] = p
    return tuple(row)


def optimistic_row(row: Sequence[Fraction], eps: Fraction, *, printed: bool = False) -> tuple[Fraction, ...]:
    """Every ordinary state loses up to ``eps``; ``s_inf`` takes all that is missing from 1.  As printed it takes what
    is missing from the *unshifted* row, which is nothing."""
    kept = tuple(max(p - eps, Fraction()) for p in row)
    return (*kept, 1 - sum(row if printed else kept, Fraction()))


def optimistic_reward(law: Law, eps: Fraction) -> Law:
    """The lowest ``eps`` of mass moves to reward 1."""
    weights: dict[Fraction, Fraction] = {}
    below = Fraction()
    for r, level in zip(law.atoms, law.cumulative(), strict=True):
        shifted = max(level - eps, Fraction()) if r < 1 else Fraction(1)
        weights[r], below = shifted - below, shifted
    weights[Fraction(1)] = weights.get(Fraction(1), Fraction()) + 1 - below
    return Law.of_weights(weights)


def optimistic_mdp(estimate: MDP, radii: Radii) -> MDP:
    """The corrected optimistic model: one state more than ``estimate``."""
    top = estimate.n_states
    transitions: list[list[Any]] = [
        [optimistic_row(row_of(estimate, s, a), radii[s][a]) for a in range(estimate.n_actions[s])] for s in range(top)
    ]
    rewards: list[list[Any]] = [
        [optimistic_reward(action.reward_law, radii[s][a]) for a, action in enumerate(estimate.actions(s))]
        for s in range(top)
    ]
    return MDP(dict(estimate.initial), [*transitions, [{top: 1}]], [*rewards, [1]], estimate.horizon)


def with_top_state(mdp: MDP) -> MDP:
    """The same model with an unreachable ``s_inf``, so that policies of the optimistic model can play in it."""
    return optimistic_mdp(mdp, tuple((Fraction(),) * count for count in mdp.n_actions))


def lifted(policy: Policy, mdp: MDP) -> Policy:
    """A policy of a model without ``s_inf``, to be played in ``mdp`` with it (``s_inf`` offers no choice)."""
    top = mdp.n_states - 1
    if isinstance(policy, MarkovPolicy):
        return MarkovPolicy(mdp, [[*(dict(choice) for choice in row), 0] for row in policy.table])
    if isinstance(policy, MixturePolicy):
        return MixturePolicy([(w, lifted(part, mdp)) for w, part in policy.parts()])
    if not isinstance(policy, ReturnPolicy):
        raise TypeError(f"{policy!r} cannot be lifted: wanted a Markov policy, a return policy or a mixture of them")
    return ReturnPolicy(mdp, lambda t, s, y: 0 if s == top else dict(policy.choice(t, s, y)))


# -- the event ----------------------------------------------------------------------------------------------------


def _errors(mdp: MDP, estimate: MDP, radii: Radii) -> Iterator[tuple[Fraction, list[Fraction], Fraction]]:
    """For each pair its radius, the errors of the row, and the KS distance of the reward laws."""
    for s, a, action in mdp:
        row = [q - p for p, q in zip(row_of(mdp, s, a), row_of(estimate, s, a), strict=True)]
        yield radii[s][a], row, action.reward_law.kolmogorov(estimate.actions(s)[a].reward_law)


def on_event(mdp: MDP, estimate: MDP, radii: Radii) -> bool:
    r"""Corrected event: :math:`|F_{\tilde R} - F_R| \le \epsilon` and :math:`\tilde P - P \le \epsilon` for all pairs.
    A radius of 1 or more constrains nothing, whatever the estimate."""
    return all(max(*row, ks) <= eps for eps, row, ks in _errors(mdp, estimate, radii))


def on_printed_event(mdp: MDP, estimate: MDP, radii: Radii) -> bool:
    r"""The paper's event, with :math:`\epsilon_P = 2\sqrt{|S|}\,\epsilon_R`: l1, sup-norm and rewards."""
    return all(
        max(*map(abs, row), ks) <= eps and sum(map(abs, row)) ** 2 <= 4 * (mdp.n_states + 1) * eps**2
        for eps, row, ks in _errors(mdp, estimate, radii)
    )


def corrected_level(states: int, actions: int, episodes: int, horizon: int, delta: Fraction) -> Real:
    r""":math:`\ell = \log\bigl((S_0+2) S_0 |A| K T / \delta\bigr)`, ``states`` ordinary states."""
    return log(Fraction((states + 2) * states * actions * episodes * horizon) / delta)


def printed_level(states: int, actions: int, episodes: int, delta: Fraction) -> Real:
    r""":math:`\log(6 |S| |A| K / \delta)`, ``states`` counting ``s_inf``."""
    return log(Fraction(6 * states * actions * episodes) / delta)


def radius(level: Real, visits: int) -> Real:
    r""":math:`\epsilon = \sqrt{\ell / 2N}`."""
    return root(divide(level, 2 * visits))


def is_near(counts: tuple[int, int], p: Fraction, level: Real) -> bool:
    r"""Return whether the share of the first outcome in n draws is within :math:`\sqrt{\ell / 2n}` of its mass p."""
    n = sum(counts)
    return not n or not exceeds(2 * n * (Fraction(counts[0], n) - p) ** 2, level)


# -- evaluation ---------------------------------------------------------------------------------------------------


def phi(weighting: Weighting, mdp: MDP, policy: Policy) -> Real:
    """The objective of a policy in ``mdp``; the policy may belong to another model of the same shape."""
    own = policy if policy.mdp is mdp else policy.on(mdp)
    return weighting.of(return_law(mdp, own))


def expected_cost(mdp: MDP, policy: Policy, cost: Callable[[int, int, int], Real]) -> Real:
    r""":math:`\mathbf E_{M,\pi} \sum_t cost(t, s_t, a_t)`, steps ``t = 0..T-1``."""
    total: Real = Fraction()
    for share, part in policy.parts():
        level: dict[tuple[int, Hashable], Fraction] = {(s, part.start()): p * share for s, p in mdp.initial}
        for t in range(mdp.horizon):
            following: dict[tuple[int, Hashable], Fraction] = {}
            for (s, memory), mass in level.items():
                for a, q in part.choice(t, s, memory):
                    total = total + mass * q * cost(t, s, a)
                    for p, target, r in mdp.actions(s)[a].outcomes if t + 1 < mdp.horizon else ():
                        key = (target, part.remember(memory, t, s, a, r))
                        following[key] = following.get(key, Fraction()) + mass * q * p
            level = following
    return total


def lipschitz(weighting: Weighting) -> Fraction:
    """``L_G`` of a piecewise-linear weighting."""
    constant = weighting.lipschitz
    if not isinstance(constant, Fraction):
        raise TypeError(f"{weighting} has no rational Lipschitz constant")
    return constant


def total_variation(row: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """Half the l1 distance of two rows."""
    return sum((abs(p - q) for p, q in zip(row, other, strict=True)), Fraction()) / 2
