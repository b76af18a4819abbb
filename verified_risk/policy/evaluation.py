r"""The exact law of the return of a policy, and the augmentation theorem.

One forward pass carries the joint law of state, return so far and memory in integers over a running denominator.
Nothing here imports a planner or a learner, so their results are evaluated by independent code.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from ..errors import InvalidArgument, Unsupported
from ..grid import GridModel, grid_model
from ..law import Law, added_up
from ..mdp import MDP
from ..numbers.rational import as_whole, lcm_of_denominators
from .base import Policy, required_policy
from .combined import MixturePolicy
from .tables import ReturnPolicy


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
        *_, last = levels_of(mdp, parts[0][1])
        weights = added_up((z, w) for (_, z, _), w in last.weights.items())
        return Law.of_integers(weights, unit=last.grid.unit, total=last.total)
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
    levels = [(share, next(islice(levels_of(mdp, part), t, None))) for share, part in policy.parts()]
    return added_up(
        ((s, z * level.grid.unit), share * Fraction(w, level.total))
        for share, level in levels
        for (s, z, _), w in level.weights.items()
    )


def visited(mdp: MDP, policy: Policy) -> Iterator[tuple[int, int, Hashable]]:
    """Yield all ``(t, s, memory)`` that a policy meets with positive probability before the end of the last step."""
    for t, level in enumerate(levels_of(mdp, policy)):
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
        for t, level in enumerate(levels_of(mdp, part)):
            if t == mdp.horizon:
                break
            for (s, z, memory), w in level.weights.items():
                key = (t, s, z * level.grid.unit)
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
    """The joint law of (state, return so far in units, memory) before one step, as integers over ``total``.  If the
    return so far determines the memory, by ``recalled``, None stands for it in the keys."""

    weights: dict[tuple[int, int, Hashable], int]
    grid: GridModel
    total: int
    recalled: Callable[[int], Hashable] | None

    def memory(self, z: int, memory: Hashable) -> Hashable:
        return memory if self.recalled is None else self.recalled(z)


def levels_of(mdp: MDP, policy: Policy) -> Iterator[_Level]:
    """Yield the levels t = 0..T of a policy that is not a mixture."""
    if isinstance(policy, MixturePolicy):
        raise Unsupported("a mixture is evaluated part by part")
    if not mdp.is_discrete:
        raise Unsupported("the return has no finite law: rewards are continuous; evaluate in mdp.discretised(eta)")
    grid = grid_model(mdp)
    recalled = policy.memory_of_return(grid.unit)
    start = policy.start() if recalled is None else None
    level = _Level({(s, 0, start): w for s, w in grid.initial}, grid, grid.initial_denominator, recalled)
    yield level
    for t in range(mdp.horizon):
        level = _following(mdp, policy, level, t)
        yield level


def _following(mdp: MDP, policy: Policy, level: _Level, t: int) -> _Level:
    grid, plain = level.grid, level.recalled is not None
    step, scale = grid.steps[t], grid.unit / mdp.step_reward(t, Fraction(1))
    situations = {(s, z if plain else 0, memory) for s, z, memory in level.weights}
    choices = {(s, z, memory): policy.choice(t, s, level.memory(z, memory)) for s, z, memory in situations}
    common = lcm_of_denominators(p for choice in choices.values() for _, p in choice)
    laws = {
        (memory, s, a, j): policy.memories(memory, t, s, a, j * scale)
        for (s, _, memory), choice in ({} if plain else choices).items()
        for a, _ in choice
        for j in {j for _, _, j in step[s][a]}
    }
    coins = lcm_of_denominators(q for law in laws.values() for _, q in law)
    weights: dict[tuple[int, int, Hashable], int] = {}
    for (s, z, memory), w in level.weights.items():
        for a, p in choices[s, z if plain else 0, memory]:
            share = w * p.numerator * (common // p.denominator)
            for weight, target, j in step[s][a]:
                if plain:
                    key = (target, z + j, memory)
                    weights[key] = weights.get(key, 0) + share * weight
                    continue
                for m, q in laws[memory, s, a, j]:
                    key = (target, z + j, m)
                    mass = share * weight * q.numerator * (coins // q.denominator)
                    weights[key] = weights.get(key, 0) + mass
    return _Level(weights, grid, level.total * common * coins * grid.denominator, level.recalled)
