"""Regret for the mean on five models: rlberry's UCBVI and our learners, nothing declared unless said.

    python tests/benchmarks/against_rlberry.py --write FOLDER     # the models as arrays; the table of our learners
    python tests/benchmarks/against_rlberry.py --rlberry FOLDER   # the row of rlberry, where rlberry-scool is installed

rlberry's dependencies may exclude ours, so its row needs these arrays only.  Its agent plays finite models whose
rewards are their means, rescaled to [0, 1], and in which finished episodes go on in absorbing states.  Its default
bonus is ``sqrt(1/n) + V/n``, without a logarithm: a tuned form of the theorem's, not the theorem's.  Every policy
played is evaluated in the model by backward induction, and regret is in the model's own rewards.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

EPISODES = 5000
MODELS = {"lake, T = 20": 20, "lake, T = 40": 40, "random": 10, "swim": 20, "cliff": 30}
LEARNERS = {
    "bets, the default (proved)": {},
    "kl (proved)": {"algorithm": "kl"},
    "bets, rewards and successors known (proved)": {"known_rewards": True, "known_successors": True},
}


def value_of(P: np.ndarray, R: np.ndarray, start: np.ndarray, horizon: int, actions: np.ndarray | None = None) -> float:
    """The mean return of ``actions[t, s]``; of the best policy for None."""
    V = np.zeros(len(R))
    for t in reversed(range(horizon)):
        Q = R + P @ V
        V = Q.max(axis=1) if actions is None else Q[np.arange(len(R)), actions[t]]
    return float(start @ V)


def rlberry_regret(P: np.ndarray, R: np.ndarray, start: np.ndarray, horizon: int, seed: int) -> float:
    """Of ``UCBVIAgent`` as it comes."""
    from rlberry.envs.finite_mdp import FiniteMDP
    from rlberry.seeding import Seeder
    from rlberry_scool.agents import UCBVIAgent

    scale = float(R.max() - R.min())
    env = FiniteMDP((R - R.min()) / scale, P, initial_state_distribution=start)
    agent = UCBVIAgent(env, horizon=horizon, seeder=Seeder(seed))
    env.reseed(Seeder(seed))
    best, total = value_of(P, R, start, horizon), 0.0
    for _ in range(EPISODES):
        total += best - value_of(P, R, start, horizon, agent.Q.argmax(axis=2))
        agent._run_episode()
    return total


def models() -> dict:
    import verified_risk as vr

    gym = vr.MDP.from_gymnasium
    return {
        "lake, T = 20": gym("FrozenLake-v1", horizon=20),
        "lake, T = 40": gym("FrozenLake-v1", horizon=40),
        "random": vr.models.random_sparse(20, actions=3, successors=3, rewards=2, horizon=10, seed=3),
        "swim": vr.models.river_swim(horizon=20),
        "cliff": gym("CliffWalking-v1", horizon=30),
    }


def arrays_of(mdp) -> dict[str, np.ndarray]:
    """Transitions, mean rewards and initial law; a missing action is a copy of the first one."""
    n, most = mdp.n_states, max(mdp.n_actions)
    P, R, start = np.zeros((n, most, n)), np.zeros((n, most)), np.zeros(n)
    for s in range(n):
        for a in range(most):
            for p, after, r in mdp.actions(s)[a if a < mdp.n_actions[s] else 0].outcomes:
                P[s, a, after] += float(p)
                R[s, a] += float(p * r)
    for s, p in mdp.initial:
        start[s] = float(p)
    return {"P": P, "R": R, "start": start}


def table(rows: dict[str, list[Sequence[float]]]) -> None:
    print(f"{f'regret of {EPISODES} episodes':<46}" + "".join(f"{name:>18}" for name in MODELS))
    for name, found in rows.items():
        cells = (f"{np.mean(x):.0f} ± {np.std(x) / len(x) ** 0.5:.0f}" for x in found)
        print(f"{name:<46}" + "".join(f"{cell:>18}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--write", type=Path)
    wanted.add_argument("--rlberry", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    if options.rlberry is not None:
        read = [(np.load(options.rlberry / f"{name}.npz"), T) for name, T in MODELS.items()]
        found = [
            [rlberry_regret(x["P"], x["R"], x["start"], T, seed) for seed in range(options.seeds)] for x, T in read
        ]
        return table({"rlberry's UCBVI (bonus not proved)": found})
    import verified_risk as vr

    options.write.mkdir(parents=True, exist_ok=True)
    for name, mdp in models().items():
        np.savez(options.write / f"{name}.npz", **arrays_of(mdp))

    def regrets(mdp: vr.MDP, told: dict) -> list[float]:
        runs = (vr.learn(mdp, "mean", episodes=EPISODES, seed=seed, **told) for seed in range(options.seeds))
        return [float(run.regret[-1]) for run in runs]

    return table({name: [regrets(mdp, told) for mdp in models().values()] for name, told in LEARNERS.items()})


if __name__ == "__main__":
    main()
