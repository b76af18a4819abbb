"""Random sparse models with small denominators, for benchmarks and campaigns."""

import random
from fractions import Fraction
from itertools import pairwise

from ..errors import InvalidArgument
from ..law import Law
from ..mdp import MDP


def random_sparse(
    states: int,
    actions: int = 4,
    successors: int = 5,
    rewards: int = 2,
    horizon: int = 10,
    seed: int = 0,
    *,
    grid: int = 10,
) -> MDP:
    """Every action leads to ``successors`` distinct states and draws one of ``rewards`` multiples of ``1/grid``.

    All probabilities have a denominator that divides ``2 * successors`` or ``2 * rewards``, so that exact algorithms
    meet one small common denominator whatever the size.  The same arguments give the same model.

    >>> mdp = random_sparse(100, actions=3, successors=5, rewards=2, horizon=4, seed=1)
    >>> mdp, {p.denominator for s, a, action in mdp for _, p in action.successors} <= {1, 2, 5, 10}
    (MDP(100 states, 3 actions, horizon 4), True)
    """
    for name, value, most in (
        ("states", states, None),
        ("actions", actions, None),
        ("successors", successors, states),
        ("rewards", rewards, grid + 1),
        ("grid", grid, None),
    ):
        if value < 1 or (most is not None and value > most):
            raise InvalidArgument(
                f"{name} is {value}, wanted at least 1" + ("" if most is None else f" and at most {most}")
            )
    rng = random.Random(f"random_sparse {seed}")
    values = [Fraction(i, grid) for i in range(grid + 1)]
    shares = {k: [Fraction(w, 2 * k) for w in range(2 * k + 1)] for k in (successors, rewards)}

    def parts(k: int) -> list[Fraction]:
        """Return a random composition of 1 into k positive multiples of 1/2k."""
        cuts = [0, *sorted(rng.sample(range(1, 2 * k), k - 1)), 2 * k]
        return [shares[k][b - a] for a, b in pairwise(cuts)]

    transitions = [
        [dict(zip(rng.sample(range(states), successors), parts(successors), strict=True)) for _ in range(actions)]
        for _ in range(states)
    ]
    laws = [
        [Law.of_weights(dict(zip(rng.sample(values, rewards), parts(rewards), strict=True))) for _ in range(actions)]
        for _ in range(states)
    ]
    return MDP(initial=0, transitions=transitions, rewards=laws, horizon=horizon)
