"""Learners against brute force: the values, intervals and proof audit that a run reports."""

import random
from fractions import Fraction

import verified_risk as vr
from verified_risk import files
from verified_risk.errors import InvalidArgument, Unsupported
from verified_risk.policy import Policy

from . import models, oracle
from .property import Case, Falsified, Property, Skipped

ALGORITHMS = ("kl", "ucb", "greedy", "greedy-tried", "ucbvi", "bernstein", "posterior")
AUDITED = ("kl", "ucb")
FLOAT_ERROR = Fraction(1, 10**9)  # the series of a run are floats, rounded to nearest


def make(rng: random.Random) -> Case:
    case = models.draw(rng, discounted=rng.random() < 0.2)
    algorithm = rng.choice(ALGORITHMS)
    if algorithm in ("ucbvi", "bernstein"):
        case["objective"] = (
            "mean" if algorithm == "ucbvi" or rng.random() < 0.3 else f"cvar({rng.choice(models.LEVELS)})"
        )
    return {
        **case,
        "eta": None,
        "algorithm": algorithm,
        "episodes": rng.choice([1, 2, 5, 12, 30]),
        "seed": rng.randrange(100),
        "known_rewards": algorithm == "bernstein" or rng.random() < 0.2,
        "audit": algorithm in AUDITED and rng.random() < 0.5,
    }


def learned(case: Case) -> vr.Run:
    names = ("episodes", "seed", "algorithm", "known_rewards", "audit")
    try:
        return vr.learn(models.mdp_of(case["model"]), case["objective"], **{name: case[name] for name in names})
    except (InvalidArgument, Unsupported) as error:
        raise Skipped(f"{case['algorithm']}: {str(error)[:40]}") from None


def check(case: Case) -> None:
    """Compare a run with brute force.

    - The optimum is at most the run's upper bound.
    - The value of the last policy lies in the run's interval.
    - Every return is that of some history.
    - The audit finds no step of the proof violated on its event.
    - The same seed gives the same run.
    """
    laws, curve, exact, best, span = models.brute_force(case)
    run = learned(case)
    slack = FLOAT_ERROR * (span + 1) + (0 if exact else span * Fraction(oracle.FLOAT_ERROR))
    assert run.best is not None
    assert run.values is not None
    assert run.values_width is not None
    if Fraction(best) > run.best[1] + slack:
        raise Falsified(f"brute force attains {best}, the run says that the optimum is at most {run.best[1]}")
    low, width = Fraction(float(run.values[-1])), Fraction(float(run.values_width[-1]))
    policy = run.policy(run.episodes - 1)  # `run.policy()` may be another one
    assert isinstance(policy, Policy)
    value = Fraction(oracle.worth(oracle.played(case["model"], policy), curve))
    if not low - slack <= value <= low + width + slack:
        raise Falsified(f"the last policy is worth {value}, the run says {low} to {low + width}")
    earned = {float(x) for law in laws for x, _ in law}
    for k, x in enumerate(run.returns.tolist()):
        if min(abs(x - y) for y in earned) > slack:
            raise Falsified(f"episode {k} earned {x}, which no history pays")
    if run.audit is not None:
        broken = [name for name, row in run.audit.rows.items() if row.violations]
        if broken:
            raise Falsified(f"the audit finds {', '.join(broken)} violated on the event")
    again = learned(case)
    if _without_search(again) != _without_search(run):
        raise Falsified("the same seed gives another run")


def _without_search(run: vr.Run) -> str:
    """A digest of the run without bounds that come from a search with a time limit."""
    searched = ("best", "regret") if run.objective.levels is None and run.objective.quantile is None else ()
    return files.digest({name: value for name, value in run.to_json().items() if name not in searched})


def warm() -> None:
    rows = [[["1/2", 0, "0"], ["1/2", 0, "1"]], [["1", 0, "1/2"]]]
    model = {"initial": ["1"], "outcomes": [rows], "horizon": 2, "discount": "1"}
    for algorithm in ALGORITHMS:
        case = {"model": model, "objective": "mean", "algorithm": algorithm, "episodes": 2, "seed": 0, "audit": False}
        learned({**case, "known_rewards": algorithm == "bernstein"})


PROPERTIES = (
    Property("learn", "learners against brute force and their own proof", make, check, models.smaller, warm=warm),
)
