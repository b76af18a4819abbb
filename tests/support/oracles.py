"""Slow definitions that share no code with the packages.

Models here are plain data: ``initial = {s: p}``, ``outcomes[s][a] = [(p, s', r), ...]``, ``horizon``.  Everything is a
Fraction, nothing is shared with ``verified_risk`` but the numbers.
"""

import itertools
import math
from fractions import Fraction


class Model:
    def __init__(self, initial, outcomes, horizon, discount=1):
        self.initial, self.outcomes, self.horizon, self.discount = initial, outcomes, horizon, Fraction(discount)


def random_model(
    rng, *, min_states=1, max_states=3, min_actions=1, max_actions=2, max_horizon=3, product=False, max_branches=2
):
    """A small model with ties and zero probabilities; rewards in eighths, quarters or thirds."""
    n = rng.randint(min_states, max_states)
    horizon = rng.randint(1, max_horizon)
    grid = rng.choice([1, 2, 3, 4])
    rewards = [Fraction(i, grid) for i in range(-1 if rng.random() < 0.2 else 0, grid + 1)]

    def simplex(k):
        weights = [rng.choice([0, 1, 1, 2, 3]) for _ in range(k)]
        if not any(weights):
            weights[rng.randrange(k)] = 1
        return [Fraction(w, sum(weights)) for w in weights]

    outcomes = []
    for _ in range(n):
        actions = []
        for _ in range(rng.randint(min_actions, max_actions)):
            if product:
                nexts = list(zip(simplex(min(n, 2)), rng.sample(range(n), min(n, 2)), strict=True))
                chosen = rng.sample(rewards, min(2, len(rewards)))
                laws = list(zip(simplex(len(chosen)), chosen, strict=True))
                actions.append([(p * q, s, r) for p, s in nexts for q, r in laws])
            else:
                k = rng.randint(1, max_branches)
                actions.append([(p, rng.randrange(n), rng.choice(rewards)) for p in simplex(k)])
        outcomes.append(actions)
    initial = dict(enumerate(simplex(n)))
    discount = rng.choice([1, 1, 1, Fraction(1, 2), Fraction(9, 10)])
    return Model(initial, outcomes, horizon, discount)


def law_of_rule(model, rule):
    """{return: probability} of ``rule(history) -> {action: probability}`` by walking every history."""
    law = {}

    def walk(history, s, z, p):
        t = len(history)
        if t == model.horizon:
            law[z] = law.get(z, Fraction()) + p
            return
        for a, q in rule((*history, s)).items():
            for w, s2, r in model.outcomes[s][a]:
                if w and q:
                    walk((*history, (s, a, r)), s2, z + model.discount**t * r, p * q * w)

    for s, p in model.initial.items():
        if p:
            walk((), s, Fraction(), Fraction(p))
    return law


def quantile(law, tau, *, upper=False):
    """inf{x : F(x) >= tau}, or inf{x : F(x) > tau}, by scanning."""
    total = Fraction()
    for x in sorted(law):
        total += law[x]
        if (total > tau) if upper else (total >= tau):
            return x
    raise AssertionError("no quantile")


def cvar(law, alpha):
    """The mean of the worst alpha share, by filling it from below."""
    left, total = alpha, Fraction()
    for x in sorted(law):
        take = min(left, law[x])
        total += take * x
        left -= take
    return total / alpha


def mean(law):
    return sum(x * p for x, p in law.items())


def phi_by_area(law, weight, top):
    """top - integral of G(F(x)) dx from the least atom's level: the key identity, not the quantile sum."""
    atoms = sorted(law)
    bottom = atoms[0]
    total, level = Fraction(), Fraction()
    for x, following in itertools.pairwise([*atoms, top]):
        level += law[x]
        total += weight(level) * (following - x)
    return bottom + (top - bottom) - total


def reachable(model):
    """All (t, s, y) that some policy reaches before step t < T."""
    return levels(model)[:-1]


def levels(model):
    """All (s, y) that some policy reaches, before each step and after the last."""
    found = [sorted((s, Fraction()) for s, p in model.initial.items() if p)]
    for t in range(model.horizon):
        pay = model.discount**t
        level = {(s2, y + pay * r) for s, y in found[-1] for action in model.outcomes[s] for p, s2, r in action if p}
        found.append(sorted(level))
    return found


def count_return_policies(model):
    return math.prod(len(model.outcomes[s]) for level in reachable(model) for s, _ in level)


def all_return_laws(model):
    """The laws of the return of all deterministic (t, s, y)-policies, each law once.

    Before every step, the laws of (s, y) that some policy has; from each, all choices in the cells that it meets.
    """
    met = [{(s, Fraction()): Fraction(p) for s, p in model.initial.items() if p}]
    for t in range(model.horizon):
        pay, following = model.discount**t, {}
        for law in met:
            ways = [
                [[((s2, y + pay * r), p * w) for w, s2, r in action if w] for action in model.outcomes[s]]
                for (s, y), p in law.items()
            ]
            for chosen in itertools.product(*ways):
                after = added(itertools.chain(*chosen))
                following[frozenset(after.items())] = after
        met = list(following.values())
    ends = (added((z, p) for (_, z), p in law.items()) for law in met)
    return list({frozenset(law.items()): law for law in ends}.values())


def added(pairs):
    """{key: sum of its masses}."""
    total = {}
    for key, p in pairs:
        total[key] = total[key] + p if key in total else p
    return total


def all_histories(model):
    """Every history before a step t < T that some policy meets."""
    found = [[(s,) for s, p in model.initial.items() if p]]
    for _ in range(model.horizon - 1):
        longer = {
            (*h[:-1], (h[-1], a, r), s2)
            for h in found[-1]
            for a, action in enumerate(model.outcomes[h[-1]])
            for p, s2, r in action
            if p
        }
        found.append(sorted(longer))
    return list(itertools.chain(*found))


def all_history_laws(model):
    """The law of the return of every deterministic history-dependent policy; T <= 2 and few branches only."""
    keys = all_histories(model)
    for actions in itertools.product(*(range(len(model.outcomes[h[-1]])) for h in keys)):
        table = dict(zip(keys, actions, strict=True))
        yield law_of_rule(model, lambda h, table=table: {table[h]: Fraction(1)})


def count_history_policies(model):
    return math.prod(len(model.outcomes[h[-1]]) for h in all_histories(model))


def best_expected_utility(model, utility):
    """max over all policies of E utility(Z), by plain recursion on (t, s, y)."""
    memo = {}

    def value(t, s, y):
        if t == model.horizon:
            return utility(y)
        if (t, s, y) not in memo:
            memo[t, s, y] = max(
                sum(p * value(t + 1, s2, y + model.discount**t * r) for p, s2, r in action if p)
                for action in model.outcomes[s]
            )
        return memo[t, s, y]

    return sum(p * value(0, s, Fraction()) for s, p in model.initial.items() if p)


def best_spectral_by_rho_vectors(model, mixture):
    """max over nondecreasing vectors of attainable rhos of max_pi E sum_j w_j (rho_j - (rho_j - Z)^+ / a_j)."""

    def expected(rhos):
        tails = list(zip(rhos, mixture, strict=True))
        return best_expected_utility(model, lambda z: sum(w * (rho - max(rho - z, 0) / a) for rho, (a, w) in tails))

    returns = sorted({y for _, y in levels(model)[-1]})
    return max(map(expected, itertools.combinations_with_replacement(returns, len(mixture))))
