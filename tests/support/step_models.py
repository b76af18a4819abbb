"""Small models that change with the step, and the laws of all their policies, from the same arrays."""

import itertools
import random
from fractions import Fraction

import verified_risk as vr

Q = Fraction


def random_steps(rng: random.Random):
    n, count = rng.randint(1, 2), rng.randint(1, 2)
    horizon = rng.randint(1, 3 if n * count < 4 else 2)

    def row():
        cuts = sorted(rng.randint(0, 4) for _ in range(n - 1))
        return [Q(b - a, 4) for a, b in itertools.pairwise([0, *cuts, 4])]

    P = [[[row() for _ in range(count)] for _ in range(n)] for _ in range(horizon)]
    R = [
        [[[Q(rng.randint(-2, 2), 2) for _ in range(n)] for _ in range(count)] for _ in range(n)] for _ in range(horizon)
    ]
    return P, R, [Q(rng.randint(-3, 3)) for _ in range(n)], row(), rng.choice([Q(1), Q(1, 2)])


def all_laws(P, R, terminal, gamma, t, s):
    """The laws of the return from step t on, of every deterministic policy that remembers everything."""
    if t == len(P):
        return [{gamma**t * terminal[s]: Q(1)}]
    found: dict[frozenset, dict] = {}
    for a, row in enumerate(P[t][s]):
        ways = [(p, target) for target, p in enumerate(row) if p]
        for chosen in itertools.product(*(all_laws(P, R, terminal, gamma, t + 1, target) for _, target in ways)):
            law: dict[Fraction, Fraction] = {}
            for (p, target), after in zip(ways, chosen, strict=True):
                for z, q in after.items():
                    total = gamma**t * R[t][s][a][target] + z
                    law[total] = law.get(total, Q()) + p * q
            found[frozenset(law.items())] = law
    return list(found.values())


def laws_from(initial, *model):
    starts = [(p, s) for s, p in enumerate(initial) if p]
    for chosen in itertools.product(*(all_laws(*model, 0, s) for _, s in starts)):
        law: dict[Fraction, Fraction] = {}
        for (p, _), own in zip(starts, chosen, strict=True):
            for z, q in own.items():
                law[z] = law.get(z, Q()) + p * q
        yield vr.Law.of_weights(law)
