"""The rivals of the default learner written another way, in plain Python: dictionaries and memoised recursion.

They share with ``verified_risk.learning`` the random numbers they are given, the rule for ties and the share of visits
after which a plan is made again.
"""

import math
from collections import Counter
from itertools import combinations

import numpy as np
from reference_learner import ReferenceKL


class ReferenceBernstein(ReferenceKL):
    """Two memoised functions around the least shortfall; the variance comes from the differences of pairs of draws."""

    def __init__(self, mdp, delta, *, alpha, scale=1.0):
        super().__init__(mdp, delta, alpha=alpha, known_rewards=True)
        self.bonus_scale = scale
        self.tau, self.delta = float(alpha), delta
        self.top = self.T * self.one
        steps = [(self.T - t) * self.one for t in range(self.T if self.joint else self.T - 1)]
        self.tests = max(len(self.succ) * (len(steps) if alpha == 1 else sum(steps)), 1)
        self.tie = 1e-11 * self.top
        self.log = math.log(2 * len(self.succ) * self.S * (len(self.unit) if self.joint else 1) / delta)
        self.patience = 0.125
        self.used = dict.fromkeys(self.succ, 0)
        self.kept = {pair: Counter() for pair in self.succ}

    def plan(self):
        now = {pair: seen.total() for pair, seen in self.nexts.items()}
        due = [p for p in now if now[p] != self.used[p] and now[p] >= self.used[p] * (1 + self.patience)]
        if due or not hasattr(self, "memo"):
            self.used, self.kept = now, {pair: Counter(seen) for pair, seen in self.nexts.items()}
            self.memo = {}
            budgets = [self.top] if self.tau == 1 else range(1, self.top + 1)
            self.rho, self.best = 0, 0.0
            for rho in budgets:
                score = rho - sum(float(p) * self.bounds(0, s, rho)[0] for s, p in self.initial) / self.tau
                if score > self.best + self.tie / self.tau:
                    self.rho, self.best = rho, score
        return self.best

    def bounds(self, t, s, b):
        """(low, up, width and number of the action of the least low)."""
        if b <= 0 or t == self.T:
            return max(b, 0), max(b, 0), 0.0, 0
        if (t, s, b) not in self.memo:
            left = (self.T - t) * self.one
            if b > left:  # nothing but the mean matters
                low, up, width, action = self.bounds(t, s, left)
                self.memo[t, s, b] = low + b - left, up + b - left, width, action
                return self.memo[t, s, b]
            found = [self.of_pair(t, (s, a), b) for a in range(self.actions[s])]
            action = 0
            for a in range(1, len(found)):
                if found[a][0] < found[action][0] - self.tie:
                    action = a
            self.memo[t, s, b] = min(x[0] for x in found), min(x[1] for x in found), found[action][2], action
        return self.memo[t, s, b]

    def after(self, t, pair, outcome, b):
        """f, g of one outcome."""
        if self.joint:
            return self.bounds(t + 1, outcome[0], b - outcome[1])[:2]
        parts = [(float(q), self.bounds(t + 1, outcome, b - self.unit[r])) for r, q in self.pay[pair]]
        return sum(q * x[0] for q, x in parts), sum(q * x[1] for q, x in parts)

    def of_pair(self, t, pair, b):
        later = (self.T - t - 1) * self.one
        if self.joint:
            least, most = max(b - later - self.one, 0), b
        else:
            least = sum(float(q) * max(b - self.unit[r] - later, 0) for r, q in self.pay[pair])
            most = sum(float(q) * max(b - self.unit[r], 0) for r, q in self.pay[pair])
        n, trivial = self.used[pair], min(b, later + self.one)
        if n < 2:
            return least, most, trivial
        seen = self.kept[pair]
        f = {x: self.after(t, pair, x, b)[0] for x in seen}
        g = {x: self.after(t, pair, x, b)[1] for x in seen}
        sample = sum(seen[x] * seen[z] * (f[x] - f[z]) ** 2 for x, z in combinations(seen, 2)) / (n * (n - 1))
        square = sum(seen[x] * (g[x] - f[x]) ** 2 for x in seen) / (n - 1)
        L = math.log(10 * self.tests * n * (n - 1) / self.delta)
        bernstein = (
            math.sqrt(2 * sample * L / n) + math.sqrt(2 * square * L / n) + 7 * (most - least) * L / (3 * (n - 1))
        )
        bonus = self.bonus_scale * min(bernstein, (most - least) * math.sqrt(L / (2 * n)))
        lost = sum((seen[x] / n - self.low(seen[x], n)) * (g[x] - f[x]) for x in seen)
        low = max(least, sum(seen[x] * f[x] for x in seen) / n - bonus)
        up = min(most, sum(seen[x] * g[x] for x in seen) / n + bonus)
        return low, up, min(trivial, 2 * bonus + lost)

    def cost(self, t, s, b):
        """The action, where the common loop of episodes looks for it; what is met on the way is added to ``width``."""
        if b > 0:
            self.width += self.bounds(t, s, b)[2]
        return 0.0, self.bounds(t, s, max(b, 1))[3]

    def episode(self, row):
        self.width = 0.0
        return super().episode(row)


class ReferencePosterior(ReferenceKL):
    """A model drawn pair by pair from gamma variables, planned by the memoised recursion of the other references."""

    def __init__(self, mdp, delta, *, alpha, mean_weight=0, known_rewards=False, seed=0):
        super().__init__(mdp, delta, alpha=alpha, mean_weight=mean_weight, known_rewards=known_rewards)
        self.seed, self.episodes = seed, 0
        self.levels = sorted(self.unit.values())

    def plan(self):
        rng = np.random.default_rng([0x706F7374, self.seed, self.episodes])
        self.episodes += 1
        every = [(s, r) for s in range(self.S) for r in self.levels] if self.joint else list(range(self.S))
        rows = []
        for pair in self.succ:  # the draws of all pairs come first, then those of their rewards
            rows.append([rng.standard_gamma(self.nexts[pair][x] + 1 / len(every)) for x in every])
        law = {}
        for pair in self.succ:
            if self.joint:
                law[pair] = [(1.0, 0)]
            elif self.known_rewards:
                law[pair] = [(float(p), self.unit[r]) for r, p in self.pay[pair]]
            else:
                weights = [rng.standard_gamma(self.rewards[pair][r] + 1 / len(self.levels)) for r in self.levels]
                law[pair] = [(w / sum(weights), r) for w, r in zip(weights, self.levels, strict=True)]
        for pair, row in zip(self.succ, rows, strict=True):
            total = sum(row)
            steps = [(w / total, *(x if self.joint else (x, 0))) for w, x in zip(row, every, strict=True)]
            self.model[pair] = [(p * q, s, r + bonus) for p, s, bonus in steps for q, r in law[pair]]
        self.best_of(self.T * self.one)
