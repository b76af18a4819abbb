"""Regret on gymnasium's slippery 4x4 lake, mean objective, 20 steps, 2000 episodes: rlberry's UCBVI and our learners.

``python tests/benchmarks/against_rlberry.py`` prints the table; rlberry takes part where ``rlberry-scool`` is there.
Its dependencies may exclude ours: then ``python tests/benchmarks/against_rlberry.py --rlberry`` in an environment of
its own prints its row alone.  Every policy played is evaluated in the model by backward induction; the optimum of all
episodes together is 398.3.

rlberry's default bonus is ``sqrt(1/n) + V/n``, without a logarithm: a tuned form of the theorem's, not the theorem's.
Neither ``ucbvi`` with the bonus of Azar et al. nor our sets are tuned.  In gymnasium's environment rlberry's agent
never acts where an episode is over, and goes on believing that such states are worth everything; so it also plays the
lake as a finite model in which they are absorbing (and in which a step pays its mean reward).
"""

from __future__ import annotations

import sys

import numpy as np

EPISODES, HORIZON, SEEDS = 2000, 20, 3
OVER = (5, 7, 11, 12, 15)
"""Holes and the goal: the episode is over there."""


def lake() -> tuple[np.ndarray, np.ndarray]:
    """Transition and mean reward arrays of gymnasium's environment."""
    import gymnasium

    rows = gymnasium.make("FrozenLake-v1").unwrapped.P
    P, R = np.zeros((16, 4, 16)), np.zeros((16, 4))
    for s in range(16):
        for a in range(4):
            for p, after, r, _ in rows[s][a]:
                P[s, a, s if s in OVER else after] += p
                R[s, a] += 0.0 if s in OVER else p * r
    return P, R


def value_of(P: np.ndarray, R: np.ndarray, actions: np.ndarray | None) -> float:
    """The mean return from the start of ``actions[t, s]``; of the best policy for None."""
    V = np.zeros(16)
    for t in reversed(range(HORIZON)):
        Q = R + P @ V
        V = Q.max(axis=1) if actions is None else Q[np.arange(16), actions[t]]
    return float(V[0])


def rlberry_regret(seed: int, *, absorbing: bool) -> float:
    """Of ``UCBVIAgent`` as it comes, in gymnasium's environment or in a finite model that goes on after the end."""
    from rlberry.envs import gym_make
    from rlberry.envs.finite_mdp import FiniteMDP
    from rlberry.seeding import Seeder
    from rlberry_scool.agents import UCBVIAgent

    P, R = lake()
    best = value_of(P, R, None)
    env = FiniteMDP(R, P, initial_state_distribution=0) if absorbing else gym_make("FrozenLake-v1", wrap_spaces=True)
    agent = UCBVIAgent(env, horizon=HORIZON, seeder=Seeder(seed))
    env.reseed(Seeder(seed))
    total = 0.0
    for _ in range(EPISODES):
        total += best - value_of(P, R, agent.Q.argmax(axis=2))
        agent._run_episode()
    return total


def our_rows() -> list[tuple[str, list[float]]]:
    import gymnasium

    import verified_risk as vr

    mdp = vr.MDP.from_gymnasium(gymnasium.make("FrozenLake-v1"), horizon=HORIZON)
    learners = (
        ("kl, the default (proved)", {}),
        ("kl, no return above 1 (proved)", {"largest_return": 1}),
        ("kl, rewards and successors known (proved)", {"known_rewards": True, "known_successors": True}),
        ("ucb (proved)", {"algorithm": "ucb"}),
        ("bernstein (proved)", {"algorithm": "bernstein"}),
        ("ucbvi, bonus of Azar et al. (proved for the mean)", {"algorithm": "ucbvi"}),
        ("posterior (Bayesian)", {"algorithm": "posterior"}),
        ("greedy-tried (nothing proved)", {"algorithm": "greedy-tried"}),
    )
    return [
        (name, [float(vr.learn(mdp, "mean", episodes=EPISODES, seed=seed, **told).regret[-1]) for seed in range(SEEDS)])
        for name, told in learners
    ]


def main() -> None:
    rows: list[tuple[str, list[float]]] = []
    try:
        import rlberry_scool  # noqa: F401

        for where, absorbing in (("gymnasium's lake", False), ("absorbing ends", True)):
            found = [rlberry_regret(seed, absorbing=absorbing) for seed in range(SEEDS)]
            rows.append((f"rlberry's UCBVI, {where} (bonus not proved)", found))
    except ImportError:
        print("rlberry-scool is not installed: its row is left out")
    if "--rlberry" not in sys.argv:
        rows += our_rows()
    print(f"{f'FrozenLake-v1, mean, {HORIZON} steps, {EPISODES} episodes':<56} {'regret':>8} {'std. error':>11}")
    for name, found in rows:
        print(f"{name:<56} {np.mean(found):>8.1f} {np.std(found) / len(found) ** 0.5:>11.1f}")


if __name__ == "__main__":
    main()
