"""Regret for the mean on five models: rlberry's UCBVI and our learners, nothing declared unless said.

    python tests/benchmarks/against_rlberry.py --write FOLDER     # the models as arrays; the table of our learners
    python tests/benchmarks/against_rlberry.py --rlberry FOLDER   # the row of rlberry, where rlberry-scool is installed

rlberry's dependencies may exclude ours, so its row needs these arrays only.  Its agent is paid what is drawn,
rescaled to [0, 1]; finished episodes go on in absorbing states, which it learns to be worth nothing (if they end it
never does, and loses twice as much).  Its default bonus is ``sqrt(1/n) + V/n``, without a logarithm: a tuned form of
the theorem's, not the theorem's.  Every policy played is evaluated in the model by backward induction, and regret is
in the model's own rewards.
"""

import argparse
from collections.abc import Mapping, Sequence
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


def rlberry_regret(model: Mapping[str, np.ndarray], horizon: int, seed: int) -> float:
    """Of ``UCBVIAgent`` as it comes."""
    from rlberry import spaces
    from rlberry.envs.interface import Model
    from rlberry.seeding import Seeder
    from rlberry_scool.agents import UCBVIAgent

    P, R, start = model["P"], model["R"], model["start"]
    low, scale = float(model["pays"].min()), float(np.ptp(model["pays"]))
    chances = model["chances"].cumsum(axis=2)

    class Played(Model):
        def __init__(self):  # type: ignore[no-untyped-def]
            super().__init__()
            self.reward_range = (0.0, 1.0)
            self.observation_space, self.action_space = spaces.Discrete(len(R)), spaces.Discrete(R.shape[1])

        def reset(self, seed=None, options=None):  # type: ignore[no-untyped-def]
            self.state = int(self.seeder.rng.choice(len(start), p=start))
            return self.state, {}

        def step(self, action):  # type: ignore[no-untyped-def]
            row = chances[self.state, action]
            k = int(np.searchsorted(row, self.seeder.rng.random() * row[-1], side="right"))
            pay, self.state = model["pays"][self.state, action, k], int(model["after"][self.state, action, k])
            return self.state, (float(pay) - low) / scale, False, False, {}

    env = Played()
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
    """Transitions, mean rewards, initial law, outcomes ``[s, a, k]``; a missing action is a copy of the first."""
    n, most, wide = mdp.n_states, max(mdp.n_actions), max(len(action.outcomes) for _, _, action in mdp)
    P, R, start = np.zeros((n, most, n)), np.zeros((n, most)), np.zeros(n)
    chances, after, pays = np.zeros((n, most, wide)), np.zeros((n, most, wide), int), np.zeros((n, most, wide))
    for s in range(n):
        for a in range(most):
            for k, (p, to, r) in enumerate(mdp.actions(s)[a if a < mdp.n_actions[s] else 0].outcomes):
                P[s, a, to] += float(p)
                R[s, a] += float(p * r)
                chances[s, a, k], after[s, a, k], pays[s, a, k] = float(p), to, float(r)
    for s, p in mdp.initial:
        start[s] = float(p)
    return {"P": P, "R": R, "start": start, "chances": chances, "after": after, "pays": pays}


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
        found = [[rlberry_regret(x, T, seed) for seed in range(options.seeds)] for x, T in read]
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
