"""Random models of given sizes, as plain numbers and as an MDP: the same instance on both sides of every ratio."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import verified_risk as vr

SPARSE = {"tiny": (10, 4, 10, 10, 3), "small": (100, 4, 50, 20, 5), "large": (1000, 4, 100, 10, 10)}
"""States, actions, horizon, 1/eta, successors."""
DENSE = (200, 10, 50, 50, 200)
GENERAL = [(5, 3, 5, 4, 3), (10, 4, 10, 10, 3), (20, 4, 10, 10, 3), (50, 4, 20, 10, 3)]
LARGER_GENERAL = [(100, 4, 30, 10, 3), (200, 4, 20, 10, 3)]
REWARDS = 3


@dataclass(frozen=True)
class Instance:
    """``succ[i], weight[i]`` for action ``i = s * A + a`` over ``denominator``; rewards in units of ``1/units``."""

    n_states: int
    n_actions: int
    horizon: int
    units: int
    succ: np.ndarray
    weight: np.ndarray
    reward: np.ndarray
    reward_weight: np.ndarray
    denominator: int

    def mdp(self) -> vr.MDP:
        def laws(
            values: np.ndarray, weights: np.ndarray, read: Callable[[int], Any]
        ) -> list[list[dict[Any, Fraction]]]:
            found = [
                {read(int(v)): Fraction(int(w), self.denominator) for v, w in zip(*row, strict=True)}
                for row in zip(values, weights, strict=True)
            ]
            return [found[i : i + self.n_actions] for i in range(0, len(found), self.n_actions)]

        transitions = laws(self.succ, self.weight, int)
        rewards = laws(self.reward, self.reward_weight, lambda r: Fraction(r, self.units))
        return vr.MDP(0, transitions, rewards, self.horizon)


def instance(size: tuple[int, int, int, int, int], seed: int = 0) -> Instance:
    """Dirichlet(1) weights over a common denominator, rewards drawn without repetition from the grid of [0, 1]."""
    n_states, n_actions, horizon, units, successors = size
    rng = np.random.default_rng(seed)
    denominator = 1000 if successors < 500 else 100 * successors
    rows = n_states * n_actions
    succ = np.array([np.sort(rng.choice(n_states, successors, replace=False)) for _ in range(rows)])
    reward = np.array([np.sort(rng.choice(units + 1, REWARDS, replace=False)) for _ in range(rows)])
    weight = np.array([_simplex(rng, successors, denominator) for _ in range(rows)])
    reward_weight = np.array([_simplex(rng, REWARDS, denominator) for _ in range(rows)])
    return Instance(n_states, n_actions, horizon, units, succ, weight, reward, reward_weight, denominator)


def _simplex(rng: np.random.Generator, k: int, denominator: int) -> np.ndarray:
    weights = np.floor(rng.dirichlet(np.ones(k)) * (denominator - k)).astype(np.int64) + 1
    weights[np.argmax(weights)] += denominator - weights.sum()
    return weights


def discounted(
    states: int, actions: int, successors: int, most: int, discount: str, horizon: int, seed: int = 0
) -> vr.MDP:
    """Joint outcomes with rewards of three decimals."""
    rng = random.Random(seed)

    def action() -> list[tuple[Fraction, int, Fraction]]:
        weights = [rng.randint(1, 9) for _ in range(successors)]
        return [
            (Fraction(w, sum(weights)), rng.randrange(states), Fraction(rng.randrange(1001) * most, 1000))
            for w in weights
        ]

    outcomes = [[action() for _ in range(actions)] for _ in range(states)]
    return vr.MDP.from_outcomes(outcomes, initial=0, horizon=horizon, discount=discount)
