"""The corrected learner written another way: counters and memoised recursion on joint outcomes, without arrays.

It shares nothing with ``verified_risk.learning`` but the random numbers it is given and the rule for ties.
"""

import math
from collections import Counter
from fractions import Fraction


def kl_low(x, n, bound):
    """The least q <= x/n with n kl(x/n, q) <= bound, by bisection."""
    p = x / n

    def divergence(q):
        return x * math.log(p / q) + ((n - x) * math.log((1 - p) / (1 - q)) if x < n else 0.0)

    if x == 0:
        return 0.0
    below, above = 0.0, p
    for _ in range(200):
        middle = (below + above) / 2
        if middle == 0.0 or divergence(middle) > bound:
            below = middle
        else:
            above = middle
    return below


def walked(reference, draws, found):
    """The episodes of a reference that is given the random numbers of a run; each is the run's."""
    for k, row in enumerate(draws):
        trace = reference.episode(row.tolist())
        assert [s for s, _, _, _ in trace] == found.states[k, :-1].tolist(), k
        assert [a for _, a, _, _ in trace] == found.actions[k].tolist(), k
        assert trace[-1][3] == found.states[k, -1]
        assert sum(r for _, _, r, _ in trace) == found.returns[k]
        yield tuple(trace)


class ReferenceLearner:
    """``w * mean + (1 - w) * CVaR_alpha`` by optimism, for product models without discount."""

    joint = False

    def __init__(self, mdp, episodes, delta, *, alpha, mean_weight=0, scale=1.0, printed=False, tried=False):
        self.tried = tried  # no optimism, but a pair never tried is worth everything
        self.T = mdp.horizon
        self.S = mdp.n_states
        low, high = mdp.reward_range
        spread = high - low or 1
        self.succ, self.pay = {}, {}
        for s, a, action in mdp:
            self.succ[s, a] = action.successors
            self.pay[s, a] = [((r - low) / spread, p) for r, p in action.reward_law]
        values = sorted({r for law in self.pay.values() for r, _ in law} | {Fraction(0), Fraction(1)})
        common = math.lcm(*(r.denominator for r in values))
        step = math.gcd(*(int(r * common) for r in values))
        self.unit = {r: int(r * common) // step for r in values}
        self.one = self.unit[Fraction(1)]
        self.initial = mdp.initial
        self.actions = mdp.n_actions
        A = max(self.actions)
        inside = (self.S + 2) * self.S * A * episodes * self.T / delta
        if printed:
            inside = 6 * (self.S + 1) * A * episodes / delta
        self.log, self.scale = math.log(inside), scale
        self.left = float(mean_weight)
        self.right = float(mean_weight) + float(1 - Fraction(mean_weight)) / float(alpha)
        self.tie = 1e-11 * self.T * self.one * self.right
        self.nexts = {pair: Counter() for pair in self.succ}
        self.rewards = {pair: Counter() for pair in self.succ}

    # -- the optimistic model: joint outcomes, next state None for s_inf ------------------------------------

    def outcomes(self, pair):
        n = self.rewards[pair].total()
        if n == 0:
            # without optimism: stay, earn nothing
            return [(1.0, None, self.one)] if self.scale or self.tried else [(1.0, pair[0], 0)]
        eps = self.scale * math.sqrt(self.log / (2 * n))
        steps = [(max(c / n - eps, 0.0), s) for s, c in sorted(self.nexts[pair].items())]
        steps.append((1.0 - sum(p for p, _ in steps) if self.scale else 0.0, None))
        left, law = eps, []  # take eps of mass away from the lowest rewards and give it to reward 1
        for r in sorted(self.rewards[pair]):
            mass = self.rewards[pair][r] / n
            taken = min(mass, left) if r < self.one else 0.0
            left -= taken
            law.append((mass - taken, r))
        law.append((1.0 - sum(p for p, _ in law), self.one))
        return [(p * q, s, r) for p, s in steps if p > 0 for q, r in law if q > 0]

    # -- planning ------------------------------------------------------------------------------------------------------

    def plan(self):
        self.model = {pair: self.outcomes(pair) for pair in self.succ}
        return self.best_of(self.T * self.one)

    def best_of(self, most):
        """The best score of all rhos up to ``most``; ``rho`` becomes the first that has it."""
        self.memo_mean, self.memo_cost = {}, {}
        best, self.rho = None, 0
        for rho in range(most + 1):
            score = rho - sum(float(p) * self.cost(0, s, rho)[0] for s, p in self.initial)
            if best is None or score > best + self.tie:
                best, self.rho = score, rho
        return best

    def mean(self, t, s):
        """(best expected remaining return, its action); s_inf earns everything."""
        if s is None:
            return float((self.T - t) * self.one), 0
        if t == self.T:
            return 0.0, 0
        if (t, s) not in self.memo_mean:
            best = None
            for a in range(self.actions[s]):
                total = sum(p * (r + self.mean(t + 1, s2)[0]) for p, s2, r in self.model[s, a])
                if best is None or total > best[0] + self.tie:
                    best = (total, a)
            self.memo_mean[t, s] = best
        return self.memo_mean[t, s]

    def cost(self, t, s, b):
        """(W_t(s, b), action)."""
        top = (self.T - t) * self.one
        if s is None:
            return (self.left if b <= top else self.right) * (b - top), 0
        if b <= 0 or b > top:
            value, action = self.mean(t, s)
            return (self.left if b <= 0 else self.right) * (b - value), action
        if (t, s, b) not in self.memo_cost:
            best = None
            for a in range(self.actions[s]):
                total = sum(p * self.cost(t + 1, s2, b - r)[0] for p, s2, r in self.model[s, a])
                if best is None or total < best[0] - self.tie:
                    best = (total, a)
            self.memo_cost[t, s, b] = best
        return self.memo_cost[t, s, b]

    # -- playing -------------------------------------------------------------------------------------------------------

    @staticmethod
    def draw(u, law):
        total = Fraction(0)
        for value, p in law:
            total += p
            if u < float(total):
                return value
        raise AssertionError("probabilities do not reach 1")

    def episode(self, row):
        """Plan, play with the random numbers of ``row``, count; returns [(s, a, reward in units, s'), ...]."""
        self.plan()
        row = iter(row)
        s, y, trace = self.draw(next(row), self.initial), 0, []
        for t in range(self.T):
            a = self.cost(t, s, self.rho - y)[1]
            r, s2 = self.drawn((s, a), next(row), next(row))
            trace.append((s, a, r, s2))
            s, y = s2, y + r
        for s, a, r, s2 in trace:
            self.nexts[s, a][(s2, r) if self.joint else s2] += 1
            self.rewards[s, a][r] += 1
        return trace

    def drawn(self, pair, u, v):
        """Reward and next state."""
        return self.unit[self.draw(u, self.pay[pair])], self.draw(v, self.succ[pair])


class ReferenceKL(ReferenceLearner):
    """Time-uniform KL sets by bisection, missing mass to the best state, reward and successor enumerated together.

    Works on joint models too: an outcome is then (reward, next state).  All pairs are looked at again when the visits
    of one have grown by ``patience``.
    """

    def __init__(self, mdp, delta, *, alpha, mean_weight=0, known_rewards=False, most=None):
        super().__init__(mdp, 1, delta, alpha=alpha, mean_weight=mean_weight)
        self.most = self.T * self.one if most is None else most  # no return exceeds it, in units
        self.joint, self.known_rewards = not mdp.is_product, known_rewards
        low, high = mdp.reward_range
        spread = high - low or 1
        pairs, m = len(self.succ), len(self.unit)
        self.law = {}
        for s, a, action in mdp:
            merged = Counter()
            for p, s2, r in action.outcomes if self.joint else ():
                merged[s2, (r - low) / spread] += p
            self.law[s, a] = sorted(merged.items())
        tests = m * self.S if self.joint else self.S + (0 if known_rewards else m - 1)
        self.log = math.log(tests * pairs / delta)
        self.patience = min(1 / 16, pairs / 1280)
        self.used, self.model = dict.fromkeys(self.succ, -1), {}

    def low(self, x, n):
        return kl_low(x, n, self.log + 0.5 * math.log(n) + math.log(2))

    def outcomes(self, pair):
        seen = self.nexts[pair]
        n = seen.total()
        if self.joint:
            steps = [(self.low(c, n), s, r) for (s, r), c in seen.items()]
            return [*steps, (1.0 - sum(p for p, _, _ in steps), None, self.one)]
        steps = [(self.low(c, n), s) for s, c in seen.items()]
        steps.append((1.0 - sum(p for p, _ in steps), None))
        if self.known_rewards:
            law = [(float(p), self.unit[r]) for r, p in self.pay[pair]]
        else:
            law, below, count = [], 0.0, 0
            for r in sorted(self.unit.values()):
                count += self.rewards[pair][r]
                level = 1.0 if r == self.one else (self.low(count, n) if n else 0.0)
                law.append((level - below, r))
                below = level
        return [(p * q, s, r) for p, s in steps if p > 0 for q, r in law if q > 0]

    def plan(self):
        visits = {pair: self.rewards[pair].total() for pair in self.succ}
        if not any(n > self.used[p] and n >= self.used[p] * (1 + self.patience) for p, n in visits.items()):
            return  # the same model has the same plan
        self.model, self.used = {pair: self.outcomes(pair) for pair in self.succ}, visits
        self.best_of(self.most)

    def mean(self, t, s):
        if s is None:
            if (t, None) not in self.memo_mean:
                self.memo_mean[t, None] = (max(self.mean(t, other)[0] for other in range(self.S)), 0)
            return self.memo_mean[t, None]
        return super().mean(t, s)

    def cost(self, t, s, b):
        if s is None:
            if (t, None, b) not in self.memo_cost:
                self.memo_cost[t, None, b] = (min(self.cost(t, other, b)[0] for other in range(self.S)), 0)
            return self.memo_cost[t, None, b]
        return super().cost(t, s, b)

    def drawn(self, pair, u, v):
        if not self.joint:
            return super().drawn(pair, u, v)
        s2, r = self.draw(v, self.law[pair])  # the compiled learner draws a reward of its own too, and does not use it
        return self.unit[r], s2


class ReferenceUCBVI(ReferenceLearner):
    """Expected return, bonus 7 H L / sqrt(N), L = log(5 S A H K / delta); values never above H or the last ones."""

    def __init__(self, mdp, episodes, delta, *, scale):
        super().__init__(mdp, episodes, delta, alpha=1, scale=scale)
        self.L = math.log(5 * self.S * max(self.actions) * episodes * self.T / delta)
        self.tie = 1e-11 * self.T * self.one
        self.q = {(t, pair): float(self.T * self.one) for t in range(self.T) for pair in self.succ}

    def plan(self):
        self.rho = 0
        self.value = {(self.T, s): (0.0, 0) for s in range(self.S)}
        for t in reversed(range(self.T)):
            for s in range(self.S):
                best = None
                for a in range(self.actions[s]):
                    n = self.rewards[s, a].total()
                    if n:
                        reward = sum(r * c for r, c in self.rewards[s, a].items()) / n
                        onward = sum(c * self.value[t + 1, s2][0] for s2, c in self.nexts[s, a].items()) / n
                        bonus = self.scale * 7 * self.T * self.one * self.L / math.sqrt(n)
                        self.q[t, (s, a)] = min(self.q[t, (s, a)], reward + onward + bonus)
                    if best is None or self.q[t, (s, a)] > best[0] + self.tie:
                        best = (self.q[t, (s, a)], a)
                self.value[t, s] = best

    def cost(self, t, s, b):
        return self.value[t, s]
