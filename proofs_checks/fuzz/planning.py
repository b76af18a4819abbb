"""Planner against brute force; ``recheck`` and ``prove`` against honest and forged plans."""

import dataclasses
import functools
import random
from collections.abc import Callable
from fractions import Fraction

import verified_risk as vr
from verified_risk.errors import InvalidArgument, MissingDependency, NotProved, Unsupported
from verified_risk.numbers.enclosure import Truth
from verified_risk.planning import Plan
from verified_risk.proving.run_checker import find_checker

from . import models, oracle
from .property import Case, Falsified, Property, Skipped

SEARCH_SECONDS = 1.0
PROOF_SECONDS = 2.0  # time limit of a proof, and of a recheck; a plan that is not proved by then counts as not covered
MIXTURES = 20  # number of random mixtures of two attainable laws that are compared with the upper bound


def planned(case: Case) -> Plan:
    limit = SEARCH_SECONDS if not vr.objective(case["objective"]).levels else None
    try:
        return vr.plan(models.mdp_of(case["model"]), case["objective"], eta=case["eta"], time_limit=limit)
    except InvalidArgument as error:
        if "GB" in str(error):
            raise Skipped("the planner refuses the size of its grid") from None
        raise


def warm() -> None:
    """Compile the kernels of every route."""
    for discount in ("1", "1/2"):
        rows = [[["1/2", 0, "0"], ["1/2", 0, "1"]], [["1", 0, "1/3"]]]
        model = {"initial": ["1"], "outcomes": [rows], "horizon": 2, "discount": discount}
        for words in ("mean", "cvar(1/2)", "1/2*cvar(1/4) + 1/2*cvar(1/2)", "var(1/2)", "wang(1)", "cpw(1/2)",
                      "hazard(2)", "pl(0, 0; 1/4, 0; 1/2, 1/2; 1, 1)"):  # fmt: skip
            planned({"model": model, "objective": words, "eta": None})


def check_optimum(case: Case) -> None:
    """Compare the bounds of a plan with all deterministic history-dependent policies.

    - Every attainable law, and every mixture of two, is worth at most ``upper``.
    - The plan's policy is worth at least ``lower``.
    - ``exact_plan`` attains the best value, for the objectives that it supports.
    """
    laws, curve, exact, best, span = models.brute_force(case)
    slack = Fraction() if exact else span * Fraction(oracle.FLOAT_ERROR)  # a float would round what it is added to
    found = planned(case)
    _at_most(best, found.upper, slack, "brute force attains more than the upper bound")
    _at_most(found.lower, oracle.worth(oracle.played(case["model"], found.policy), curve), slack,
             "the policy, played out, is worth less than the lower bound")  # fmt: skip
    for law in _mixtures(laws, random.Random(case["objective"])):
        _at_most(oracle.worth(law, curve), found.upper, slack, "a mixture is worth more than the upper bound")
    G = vr.objective(case["objective"])
    if G.levels is not None or G.quantile is not None:
        again = vr.exact_plan(models.mdp_of(case["model"]), case["objective"])
        if again.value != best:
            raise Falsified(f"exact_plan says {again.value}, brute force {best}")


def _mixtures(laws: set[oracle.Atoms], rng: random.Random) -> list[oracle.Atoms]:
    listed = sorted(laws, key=sorted)
    pairs = [(rng.choice(listed), rng.choice(listed)) for _ in range(MIXTURES)]
    return [oracle.mixed(one, other, Fraction(rng.randint(1, 7), 8)) for one, other in pairs]


def _at_most(left: oracle.Value, right: oracle.Value, slack: Fraction, words: str) -> None:
    if Fraction(left) > Fraction(right) + slack:
        raise Falsified(f"{words}: {left} > {right}")


def forged(found: Plan, best: Fraction, exact: bool) -> list[tuple[str, Plan]]:
    """The plan with a lower bound above the optimum, and with an upper bound below it.  Both are false; if ``best`` is
    a float, by more than its error."""
    low, high = found.mdp.reward_range
    bit = Fraction(1, 10**9) if exact else ((high - low) * found.mdp.horizon + 1) * Fraction(1, 10**6)
    high = max(best, found.upper) + bit
    low = min(best, found.lower) - bit
    return [
        ("lower", dataclasses.replace(found, lower=high, value=high, upper=high)),
        ("upper", dataclasses.replace(found, lower=low, value=low, upper=low)),
    ]


def check_recheck(case: Case) -> None:
    """``recheck`` refutes no honest bound, decides bounds that need no search, and confirms no forged bound."""
    _, _, exact, best, _ = models.brute_force(case)
    found = planned(case)
    answer = found.recheck(time_limit=PROOF_SECONDS)
    G = vr.objective(case["objective"])
    for name, held in (("lower", answer.lower_holds), ("upper", answer.upper_holds)):
        if held is Truth.FAILS:
            raise Falsified(f"recheck refutes the {name} bound of an honest plan: {answer}")
        if held is Truth.UNKNOWN and G.levels is not None and case["model"]["discount"] == "1":
            raise Falsified(f"recheck does not decide the {name} bound of a small plan without a search: {answer}")
    for name, plan in forged(found, Fraction(best), exact):
        again = plan.recheck(time_limit=PROOF_SECONDS)
        held = again.lower_holds if name == "lower" else again.upper_holds
        if held is Truth.HOLDS:
            raise Falsified(f"recheck confirms a forged {name} bound {plan.lower}, brute force attains {best}: {again}")


def check_proof(case: Case) -> None:
    """``prove`` proves the plan or raises ``Unsupported``; it proves no forged bound."""
    _, curve, exact, best, _ = models.brute_force(case)
    found = planned(case)
    try:
        found.prove(time_limit=PROOF_SECONDS)
    except Unsupported:
        raise Skipped("not covered by the checker") from None
    for name, plan in forged(found, Fraction(best), exact):
        try:
            proved = plan.prove(time_limit=PROOF_SECONDS)
        except (NotProved, Unsupported):
            continue
        value = oracle.worth(oracle.played(case["model"], plan.policy), curve)
        slack = Fraction() if exact else Fraction(1, 10**7)
        if proved.upper < Fraction(best) - slack or proved.lower > Fraction(value) + slack:
            raise Falsified(f"the checker proves a forged {name} bound, the optimum is {best} or more: {proved}")


def no_checker() -> str | None:
    try:
        find_checker()
    except MissingDependency as error:
        return str(error)
    return None


def _pair(name: str, words: str, check: Callable[[Case], None], **rest: Callable[[], str | None]) -> list[Property]:
    """Two properties: models without and with a discount."""
    return [
        Property(
            name + ("-discounted" if discounted else ""),
            words + (", discounted" if discounted else ""),
            functools.partial(models.draw, discounted=discounted),
            check,
            models.smaller,
            warm=warm,
            **rest,
        )
        for discounted in (False, True)
    ]


PROPERTIES = (
    *_pair("plan", "planner against brute force", check_optimum),
    *_pair("recheck", "recheck against planner and forged bounds", check_recheck),
    *_pair("prove", "verified checker against planner and forged bounds", check_proof, available=no_checker),
)
