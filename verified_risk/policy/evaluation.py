r"""The exact law of the return of a policy, and the augmentation theorem.

One forward pass carries the joint law of state, return so far and memory in integers over a running denominator.
Nothing here imports a planner or a learner, so their results are evaluated by independent code.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import TypeAlias

from ..errors import InvalidArgument, Unsupported
from ..grid import Branch, GridModel, grid_model
from ..law import Law, added_up
from ..mdp import MDP
from ..numbers.rational import as_whole, lcm_of_denominators
from .base import Choice, Policy, required_policy
from .combined import MixturePolicy
from .tables import ReturnPolicy

_Step: TypeAlias = tuple[tuple[tuple[Branch, ...], ...], ...]
"""``step[s][a]`` lists the branches of one step."""


def return_law(mdp: MDP, policy: Policy) -> Law:
    """Return the exact law of the return of ``policy`` in ``mdp``.

    >>> from verified_risk import MDP, MarkovPolicy
    >>> mdp = MDP(initial=0, transitions=[[[1]]], rewards=[[{0: "1/2", 1: "1/2"}]], horizon=2)
    >>> return_law(mdp, MarkovPolicy(mdp, [[0], [0]]))
    Law({0: 1/4, 1: 1/2, 2: 1/4})

    :param mdp: the model
    :param policy: a policy of it
    :returns: the law
    :raises InvalidPolicy: if the policy is another model's
    :raises Unsupported: if a reward is continuous
    """
    policy = required_policy(policy, mdp)
    parts = tuple(policy.parts())
    if len(parts) == 1:
        *_, last = _Forward(mdp, parts[0][1])
        weights = added_up((z, w) for (_, z, _), w in last.weights.items())
        return Law.of_integers(weights, unit=last.unit, total=last.total)
    return Law.mixture((w, return_law(mdp, part)) for w, part in parts)


def joint_law(mdp: MDP, policy: Policy, t: int) -> dict[tuple[int, Fraction], Fraction]:
    """Return the joint law of state and return so far before step ``t`` (``t = T``: after the last step), as a dict.

    :param mdp: the model
    :param policy: a policy of it
    :param t: from 0 to T
    :returns: ``{(state, return so far): probability}``
    :raises InvalidArgument: if there is no such step
    :raises InvalidPolicy: if the policy is another model's
    :raises Unsupported: if a reward is continuous
    """
    policy = required_policy(policy, mdp)
    if as_whole(t) is None or not 0 <= t <= mdp.horizon:
        raise InvalidArgument(f"t is {t!r}, wanted a step in 0..{mdp.horizon}")
    levels = [(share, next(islice(_Forward(mdp, part), t, None))) for share, part in policy.parts()]
    return added_up(
        ((s, z * level.unit), share * Fraction(w, level.total))
        for share, level in levels
        for (s, z, _), w in level.weights.items()
    )


def visited(mdp: MDP, policy: Policy) -> Iterator[tuple[int, int, Hashable]]:
    """Yield all ``(t, s, memory)`` that a policy meets with positive probability before the end of the last step."""
    for t, level in enumerate(_Forward(mdp, policy)):
        if t < mdp.horizon:
            yield from {(t, s, level.memory(z, memory)) for s, z, memory in level.weights}


def behavioural_form(mdp: MDP, policy: Policy) -> ReturnPolicy:
    r"""Return the y-policy with the same law of the return (``thm:augmented``, corrected).

    .. math:: \tilde\pi_t(a \mid s, y) = P[a_t = a \mid s_t = s,\ J = y],

    conditioning on the return so far being *equal* to y.  It preserves the joint law of ``(s_t, y_t)`` for every t, for
    every history-dependent policy and every mixture of policies.  With ``J <= y``, as printed in the paper, that is
    false.

    :param mdp: the model
    :param policy: any policy of it
    :returns: the policy of step, state and return so far
    :raises InvalidPolicy: if the policy is another model's
    :raises Unsupported: if a reward is continuous
    """
    policy = required_policy(policy, mdp)
    reach: dict[tuple[int, int, Fraction], Fraction] = {}
    taken: dict[tuple[int, int, Fraction], dict[int, Fraction]] = {}
    for share, part in policy.parts():
        for t, level in enumerate(_Forward(mdp, part)):
            if t == mdp.horizon:
                break
            for (s, z, memory), w in level.weights.items():
                key = (t, s, z * level.unit)
                mass = share * Fraction(w, level.total)
                reach[key] = reach.get(key, Fraction()) + mass
                actions = taken.setdefault(key, {})
                for a, p in part.choice(t, s, level.memory(z, memory)):
                    actions[a] = actions.get(a, Fraction()) + mass * p
    return ReturnPolicy(
        mdp, {key: {a: mass / reach[key] for a, mass in actions.items()} for key, actions in taken.items()}
    )


@dataclass(frozen=True)
class _Level:
    """The joint law of (state, return so far in units, memory) before one step, as integers over ``total``.

    If the return so far determines the memory, by ``recalled``, None stands for it in the keys.
    """

    weights: dict[tuple[int, int, Hashable], int]
    unit: Fraction
    total: int
    recalled: Callable[[int], Hashable] | None

    def memory(self, z: int, memory: Hashable) -> Hashable:
        return memory if self.recalled is None else self.recalled(z)


class _Forward:
    """Iterates over the levels t = 0..T of one policy that is not a mixture."""

    def __init__(self, mdp: MDP, policy: Policy) -> None:
        if isinstance(policy, MixturePolicy):
            raise Unsupported("a mixture is evaluated part by part")
        if not mdp.is_discrete:
            raise Unsupported("the return has no finite law: rewards are continuous; evaluate in mdp.discretised(eta)")
        self.mdp, self.policy = mdp, policy
        self.grid: GridModel = grid_model(mdp)

    def __iter__(self) -> Iterator[_Level]:
        grid, policy = self.grid, self.policy
        recalled = policy.memory_of_return(grid.unit)
        start = policy.start() if recalled is None else None
        level = _Level({(s, 0, start): w for s, w in grid.initial}, grid.unit, grid.initial_denominator, recalled)
        yield level
        for t, step in enumerate(grid.steps):
            level = self._advance(level, t, step)
            yield level

    def _advance(self, level: _Level, t: int, step: _Step) -> _Level:
        policy, unit, plain = self.policy, self.grid.unit, level.recalled is not None
        scale = unit / self.mdp.step_reward(t, Fraction(1))
        situations = {(s, z if plain else 0, memory) for s, z, memory in level.weights}
        choices = {(s, z, memory): policy.choice(t, s, level.memory(z, memory)) for s, z, memory in situations}
        common = lcm_of_denominators(p for choice in choices.values() for _, p in choice)
        laws = {} if plain else self._memories(t, step, scale, level, choices)
        coins = lcm_of_denominators(q for law in laws.values() for _, q in law)
        following: dict[tuple[int, int, Hashable], int] = {}
        for (s, z, memory), w in level.weights.items():
            for a, p in choices[s, z if plain else 0, memory]:
                share = w * p.numerator * (common // p.denominator)
                for weight, target, j in step[s][a]:
                    if plain:
                        key = (target, z + j, memory)
                        following[key] = following.get(key, 0) + share * weight
                        continue
                    for m, q in laws[memory, s, a, j]:
                        key = (target, z + j, m)
                        mass = share * weight * q.numerator * (coins // q.denominator)
                        following[key] = following.get(key, 0) + mass
        return _Level(following, unit, level.total * common * coins * self.grid.denominator, level.recalled)

    def _memories(
        self, t: int, step: _Step, scale: Fraction, level: _Level, choices: dict[tuple[int, int, Hashable], Choice]
    ) -> dict[tuple[Hashable, int, int, int], tuple[tuple[Hashable, Fraction], ...]]:
        """Return what the policy remembers after each possible reward, with probabilities."""
        laws: dict[tuple[Hashable, int, int, int], tuple[tuple[Hashable, Fraction], ...]] = {}
        for s, _, memory in {(s, 0, memory) for s, _, memory in level.weights}:
            for a, _ in choices[s, 0, memory]:
                for j in {j for _, _, j in step[s][a]}:
                    laws[memory, s, a, j] = self.policy.memories(memory, t, s, a, j * scale)
        return laws
