"""Episodes per second of the learner: S=20, A=4, T=10, 1/eta=10, 20 successors, 11 reward atoms.

Rows (i) of ``run.py``.  Processor time of one run on one core; ratios are within it.
"""

import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

import verified_risk as vr
from verified_risk.kernels import jit
from verified_risk.learning.evaluate import planner_of_truth
from verified_risk.learning.learner import Learner, draws_of
from verified_risk.learning.planner import problem_of, target_of
from verified_risk.learning.problem import standard_form

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from reference_learner import ReferenceLearner

jit.EAGER = True  # compiled kernels are what is measured
EPISODES = 100_000
DENSE = Fraction(1, 1000)
"""A scale of the radii at which every successor keeps mass: the worst case for planning."""


def model() -> vr.MDP:
    return vr.models.random_sparse(20, 4, 20, 11, horizon=10, seed=0, grid=10)


def learner_of(mdp, objective, algorithm, scale) -> Learner:
    standard = standard_form(mdp)
    problem = problem_of(standard, objective, EPISODES, Fraction(1, 10))
    target, _ = target_of(standard, objective, algorithm, problem, scale)
    return Learner(standard, target)


def rate(learner: Learner, *, episodes: int, warm: int, evaluate: bool = False, replan: str = "") -> float:
    """Episodes per second after ``warm`` episodes; ``replan`` leaves compiled code after each one, to force full
    plans.
    """
    draws = draws_of(1, warm + episodes, learner.standard.horizon)
    done = 0
    while done < warm:
        done += len(learner.run(draws[done:warm], evaluate=evaluate).values)
    start = time.process_time()
    while done < warm + episodes:
        if replan == "everything":
            learner.fresh = True
        rows_left = draws[done : done + 1] if replan else draws[done:]
        done += len(learner.run(rows_left, evaluate=evaluate).values)
    return episodes / (time.process_time() - start)


def planner_milliseconds(mdp, objective) -> float:
    """One full budget pass in the true model: 20 successors, 11 atoms, nothing skipped."""
    standard = standard_form(mdp)
    problem = problem_of(standard, objective, EPISODES, Fraction(1, 10))
    learner = planner_of_truth(standard, target_of(standard, objective, "greedy", problem, Fraction(1))[0])
    times = []
    for _ in range(50):
        learner.fresh = True
        start = time.process_time()
        learner.plan()
        times.append(time.process_time() - start)
    return 1000 * float(np.median(times))


def rows(quick: bool = False) -> list[dict[str, object]]:
    """One dict per line: what, episodes per second, ratio of the dense learner to it."""
    mdp, objective = model(), vr.CVaR("1/4")
    n = 300 if quick else 3000
    rate(learner_of(mdp, objective, "ucb", Fraction(1)), episodes=5, warm=5, evaluate=True)  # compile
    theorem, dense = Fraction(1), DENSE

    def measured(algorithm: str, scale: Fraction, warm: int, **options: object) -> float:
        return rate(learner_of(mdp, objective, algorithm, scale), episodes=n, warm=warm, **options)

    found = [
        ("kl, the default, from the first episode", measured("kl", theorem, 0)),
        ("kl, after 2000 episodes", measured("kl", theorem, 2000)),
        (f"kl, sets x {DENSE}, after 2000 episodes", measured("kl", dense, 2000)),
        ("ucb, the theorem's radii, from the first episode", measured("ucb", theorem, 0)),
        ("  one call per episode, replanning what moved", measured("ucb", theorem, 0, replan="moved")),
        ("  one call per episode, replanning everything", measured("ucb", theorem, 0, replan="everything")),
        (f"ucb, radii x {DENSE}, every successor seen is kept", measured("ucb", dense, 2000)),
        ("  one call per episode, replanning what moved", measured("ucb", dense, 2000, replan="moved")),
        ("  one call per episode, replanning everything", measured("ucb", dense, 2000, replan="everything")),
        ("  every policy evaluated as well", measured("ucb", dense, 2000, evaluate=True)),
        ("jitted risk-neutral UCBVI", measured("ucbvi", dense, 2000)),
        (f"plain-Python reference learner, radii x {DENSE}, warm", reference_rate(mdp, 1 if quick else 2)),
    ]
    base = dict(found)[f"ucb, radii x {DENSE}, every successor seen is kept"]
    table: list[dict[str, object]] = [
        {"what": name, "episodes per second": value, "ratio": base / value} for name, value in found
    ]
    table.append({"what": "one full plan in the true model, ms", "ms": planner_milliseconds(mdp, objective)})
    return table


def reference_rate(mdp, episodes: int) -> float:
    """The reference, given the counts of a learner that has played 2000 episodes."""
    learner = learner_of(mdp, vr.CVaR("1/4"), "ucb", DENSE)
    draws = draws_of(1, 2000 + episodes, learner.standard.horizon)
    reference = ReferenceLearner(mdp, EPISODES, 0.1, alpha=Fraction(1, 4), scale=float(DENSE))
    part = learner.run(draws[:2000], evaluate=False)
    for states, actions, rewards in zip(part.states, part.actions, part.rewards, strict=True):
        for t, (s, a) in enumerate(zip(states[:-1].tolist(), actions.tolist(), strict=True)):
            reference.nexts[s, a][int(states[t + 1])] += 1
            reference.rewards[s, a][learner.standard.units[t][int(rewards[t])]] += 1
    start = time.process_time()
    for row in draws[2000:]:
        reference.episode(row.tolist())
    return episodes / (time.process_time() - start)
