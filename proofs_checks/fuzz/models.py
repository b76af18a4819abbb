"""Small random models and objectives as plain JSON, and smaller ones for shrinking."""

import copy
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import verified_risk as vr

from .oracle import Atoms, Curve, TooMany, Value, attainable, curve_of, worth
from .property import Case, Skipped

LEVELS = ("1/10", "1/4", "1/3", "1/2", "3/4", "9/10")
DISCOUNTS = ("1/2", "9/10", "2/3", "99/100")


def draw(rng: random.Random, *, discounted: bool) -> Case:
    """A model with few enough policies to enumerate, an objective, and a grid.  Ties, zero probabilities and
    unreachable states occur."""
    while True:
        model = _model(rng, discounted)
        try:
            if len(attainable(model)) > 1 or rng.random() < 0.1:
                break
        except TooMany:
            continue
    eta = rng.choice(["1/3", "1/8", "1/20"]) if rng.random() < 0.25 else None
    return {"model": model, "objective": words(rng), "eta": eta}


def _model(rng: random.Random, discounted: bool) -> dict[str, Any]:
    n, grid = rng.randint(1, 3), rng.choice([1, 2, 3, 4, 7])
    least = rng.choice([0, 0, 0, -1, -grid])

    def simplex(k: int) -> list[str]:
        weights = [rng.choice([0, 1, 1, 2, 3, 5]) for _ in range(k)]
        weights[rng.randrange(k)] += not any(weights)
        return [str(Fraction(w, sum(weights))) for w in weights]

    def rows() -> list[list[Any]]:
        shares = simplex(rng.randint(1, 3))
        return [[p, rng.randrange(n), str(Fraction(rng.randint(least, grid), grid))] for p in shares]

    return {
        "initial": simplex(n),
        "outcomes": [[rows() for _ in range(rng.randint(1, 3))] for _ in range(n)],
        "horizon": rng.randint(1, 3),
        "discount": rng.choice(DISCOUNTS) if discounted else "1",
    }


def words(rng: random.Random) -> str:
    """A random objective; every kind that the planner supports occurs."""
    a, b = rng.sample(LEVELS, 2)
    w = rng.choice(["1/4", "1/2", "2/3"])
    v = 1 - Fraction(w)
    k = rng.choice([2, 3])
    mixtures = (f"{w}*mean + {v}*cvar({a})", f"{w}*cvar({a}) + {v}*cvar({b})")
    wang, cpw = f"wang({rng.choice(['1', '-3/4', '1/4'])})", f"cpw({rng.choice(['71/100', '1/2'])})"
    smooth = (f"hazard({k})", f"dual({k})", wang, cpw)
    return rng.choice(("mean", f"cvar({a})", *mixtures, f"var({a})", f"var({a}, upper)", *smooth, _polygon(rng)))


def _polygon(rng: random.Random) -> str:
    ts = sorted(rng.sample(range(1, 12), rng.randint(1, 3)))
    gs = sorted(rng.choices(range(13), k=len(ts)))
    corners = "".join(f"; {Fraction(t, 12)}, {Fraction(g, 12)}" for t, g in zip(ts, gs, strict=True))
    return f"pl(0, 0{corners}; 1, 1)"


def mdp_of(model: dict[str, Any]) -> vr.MDP:
    """The plain model as an ``MDP``."""
    outcomes = [[[tuple(row) for row in rows] for rows in actions] for actions in model["outcomes"]]
    return vr.MDP.from_outcomes(
        outcomes, initial=model["initial"], horizon=model["horizon"], discount=model["discount"]
    )


def laws_of(model: dict[str, Any]) -> set[Atoms]:
    """All attainable laws; raise ``Skipped`` if there are too many."""
    try:
        return attainable(model)
    except TooMany:
        raise Skipped("too many policies to list") from None


class BruteForce(NamedTuple):
    """All attainable laws; the weighting, and whether its values are exact; the best value; the range of returns."""

    laws: set[Atoms]
    curve: Curve
    exact: bool
    best: Value
    span: Fraction


def brute_force(case: Case) -> BruteForce:
    """Return what enumeration finds for a case; raise ``Skipped`` if there are too many policies."""
    laws = laws_of(case["model"])
    curve, exact = curve_of(case["objective"])
    returns = [x for law in laws for x, _ in law]
    return BruteForce(laws, curve, exact, max(worth(law, curve) for law in laws), max(returns) - min(returns))


def smaller(case: Case) -> Iterator[Case]:
    """Cases with fewer steps, actions or outcomes, or with a simpler initial law, discount, grid or reward."""
    model = case["model"]

    def changed(**parts: Any) -> Case:
        return {**case, "model": {**model, **parts}}

    if model["horizon"] > 1:
        yield changed(horizon=model["horizon"] - 1)
    if case.get("eta") is not None:
        yield {**case, "eta": None}
    if model["discount"] != "1":
        yield changed(discount="1")
    n = len(model["initial"])
    for s in range(n):
        start = ["1" if i == s else "0" for i in range(n)]
        if start != model["initial"] and "1" not in model["initial"]:
            yield changed(initial=start)
    for s, actions in enumerate(model["outcomes"]):
        for a, rows in enumerate(actions):
            for rest in _with_less(actions, a, rows):
                outcomes = copy.deepcopy(model["outcomes"])
                outcomes[s] = rest
                yield changed(outcomes=outcomes)


def _with_less(actions: list[Any], a: int, rows: list[Any]) -> Iterator[list[Any]]:
    """The actions without action ``a``; with one of its outcomes merged into the next; with one reward set to 0."""
    if len(actions) > 1:
        yield actions[:a] + actions[a + 1 :]
    for i, (one, other) in enumerate(pairwise(rows)):
        joined = [str(Fraction(one[0]) + Fraction(other[0])), *one[1:]]
        yield [*actions[:a], [*rows[:i], joined, *rows[i + 2 :]], *actions[a + 1 :]]
    for i, row in enumerate(rows):
        if row[2] != "0":
            yield [*actions[:a], [*rows[:i], [*row[:2], "0"], *rows[i + 1 :]], *actions[a + 1 :]]
