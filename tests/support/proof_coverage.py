"""Coverage of the verified checker: plans of named and of random models, every family of objectives, every route.

    python tests/support/proof_coverage.py [--models 200] [--seed 0] [--seconds 10]
    python tests/support/proof_coverage.py --discount 9/10 --seconds 20 [--named inventory ...]

The first prints the table of docs/proof_format.md, the second every searched plan of named models with that discount.
A plan is *proved*, *not covered*, with the reason (so many seconds may be one), or *refused*: somewhere is a fault.
"""

import argparse
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from proof_models import random_mdp

import verified_risk as vr
from verified_risk import errors

FAMILIES: dict[str, tuple[str, ...]] = {
    "mean": ("mean",),
    "CVaR": ("cvar(1/4)", "cvar(1/10)", "cvar(1)"),
    "mean and CVaR": ("1/2*mean + 1/2*cvar(1/3)",),
    "VaR, lower": ("var(1/4)", "var(1/2)", "var(1)"),
    "VaR, upper": ("var(1/4, upper)", "var(0, upper)"),
    "spectral": ("1/2*cvar(1/5) + 1/2*cvar(1/2)", "1/4*mean + 1/4*cvar(1/10) + 1/2*cvar(1/3)"),
    "polygons, not concave": ("pl(0, 0; 1/3, 0; 1, 1)", "pl(0, 0; 1/3, 1/2; 2/3, 1/2; 1, 1)"),
    "wang": ("wang(3/4)", "wang(-1/2)"),
    "cpw": ("cpw(0.71)", "cpw(1/2)"),
    "dual powers": ("dual(3/2)", "dual(1/2)"),
    "proportional hazards": ("hazard(1/2)", "hazard(5/2)"),
    "mixtures of curves": ("1/2*wang(1/2) + 1/2*cvar(1/4)", "1/3*cpw(0.61) + 1/3*dual(2) + 1/3*mean"),
    "VaR in mixtures": ("1/2*mean + 1/2*var(1/3)", "1/2*cvar(1/4) + 1/2*var(1/2)", "1/2*wang(1/2) + 1/2*var(1/4)"),
    "upper VaR in mixtures": ("1/2*mean + 1/2*var(1/3, upper)", "1/2*cvar(1/4) + 1/2*var(0, upper)"),
}
ETAS = (Fraction(1, 3), Fraction(2, 7))
SECONDS = 1.0
"""Time limit of a search, whose bounds are valid whenever it stops."""
PROOF_SECONDS = 10.0
"""Time limit of a proof."""


@dataclass
class Row:
    """Counts of the plans of one family by one route."""

    proved: int = 0
    wider: int = 0
    """Proved plans whose proved bounds are wider than their own."""
    refused: list[str] = field(default_factory=list)
    not_covered: Counter[str] = field(default_factory=Counter)

    @property
    def tried(self) -> int:
        return self.proved + len(self.refused) + self.not_covered.total()


def plans(mdp: vr.MDP, objective: str, eta: Fraction) -> Iterator[tuple[str, vr.Plan]]:
    """Every route that answers: exactly; on the rewards' own grid, or between the points of one; on a given grid."""
    if exact_serves(objective):
        yield "exact_plan", vr.exact_plan(mdp, objective)
    named = ("plan", "plan, eta") if mdp.discount == 1 else ("plan, discount", "plan, discount and eta")
    for route, unit in zip(named, (None, eta), strict=True):
        yield route, vr.plan(mdp, objective, eta=unit, time_limit=SECONDS)


def exact_serves(objective: str) -> bool:
    """Return whether ``exact_plan`` has an algorithm for it."""
    weighting = vr.objective(objective)
    return weighting.levels is not None or weighting.quantile is not None


def judged(plan: vr.Plan, row: Row, name: str, seconds: float) -> None:
    """Try to prove a plan, and count the result."""
    try:
        found = plan.prove(time_limit=seconds)
    except errors.Unsupported as error:
        row.not_covered[reason(str(error), plan.objective.spec)] += 1
    except errors.NotProved as error:
        row.refused.append(f"{name}, {plan.objective.spec}: {error}")
    else:
        row.proved += 1
        row.wider += (found.lower, found.upper) != (plan.lower, plan.upper)


def reason(message: str, spec: str) -> str:
    """The message without what is of this plan only."""
    words = message.replace("not covered: ", "").replace(spec, "G")
    return re.sub(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", "N", words.partition(", which would prove")[0])


def varying(rng: random.Random) -> vr.MDP:
    """A model whose laws change with the step, with a reward for the state at the end."""
    n, actions, horizon = rng.randint(1, 3), rng.randint(1, 2), rng.randint(1, 3)

    def simplex() -> list[Fraction]:
        weights = [rng.choice([0, 1, 2]) for _ in range(n)]
        weights[0] += not any(weights)
        return [Fraction(w, sum(weights)) for w in weights]

    laws = [np.array([[simplex() for _ in range(n)] for _ in range(actions)]) for _ in range(horizon)]
    rewards = [
        np.array([[Fraction(rng.randint(-1, 2), 2) for _ in range(actions)] for _ in range(n)]) for _ in range(horizon)
    ]
    terminal = [Fraction(rng.randint(0, 2)) for _ in range(n)]
    return vr.MDP.from_arrays(laws, rewards, initial=0, layout="ass", terminal=terminal)


def models(count: int, seed: int) -> Iterator[tuple[str, vr.MDP]]:
    """Random models, every fifth of which changes with the step and ends with a reward; then the named ones."""
    for k in range(count):
        rng = random.Random(f"{seed}/{k}")
        yield f"random model {k}", varying(rng) if k % 5 == 4 else random_mdp(rng)
    for name in vr.models.NAMES:
        yield name, vr.models.load(name)


def watched(found: Iterable[tuple[str, vr.MDP]]) -> Iterator[tuple[str, vr.MDP]]:
    """The models, each of which is named on standard error when its turn comes."""
    for name, mdp in found:
        print(name, file=sys.stderr, flush=True)
        yield name, mdp


Table: TypeAlias = dict[tuple[str, str], Row]


def coverage(
    found: Iterable[tuple[str, vr.MDP]], seconds: float = PROOF_SECONDS, families: Iterable[str] = tuple(FAMILIES)
) -> Table:
    """For each family and route, what became of its plans; one objective of the family for each model, in turn."""
    table: Table = {}
    for k, (name, mdp) in enumerate(found):
        for family in families:
            objectives = FAMILIES[family]
            for route, plan in plans(mdp, objectives[k % len(objectives)], ETAS[k % len(ETAS)]):
                judged(plan, table.setdefault((family, route), Row()), name, seconds)
    return table


ROUTES = ("exact_plan", "plan", "plan, eta", "plan, discount", "plan, discount and eta")


def shown(table: dict[tuple[str, str], Row]) -> str:
    """The table in Markdown: proved of tried, and what is not covered."""
    lines = ["| weighting | " + " | ".join(ROUTES) + " |", "|---" * (len(ROUTES) + 1) + "|"]
    for family in dict.fromkeys(family for family, _ in table):
        rows = [table.get((family, route)) for route in ROUTES]
        cells = ["" if row is None else f"{row.proved} of {row.tried}" for row in rows]
        lines.append(f"| {family} | " + " | ".join(cells) + " |")
    lines += ["", "| not covered | weighting | plans |", "|---|---|---:|"]
    for (family, route), row in table.items():
        lines += [f"| {why} | {family}; {route} | {count} |" for why, count in row.not_covered.most_common()]
    return "\n".join(lines)


def searched(found: Iterable[tuple[str, vr.MDP]], seconds: float) -> Iterator[str]:
    """A line of Markdown for each objective that is neither one pass nor a quantile: what became of its plan, and CPU
    seconds, those of the checker included."""
    yield "| model | weighting | proved | seconds of the plan | seconds of the proof |\n|---|---|---|---:|---:|"
    for name, mdp in found:
        for spec in (spec for family in tuple(FAMILIES)[5:] for spec in FAMILIES[family]):
            row, began = Row(), sum(os.times()[:4])
            plan = vr.plan(mdp, spec, time_limit=5)
            planned = sum(os.times()[:4])
            judged(plan, row, name, seconds)
            said = [*row.refused, *row.not_covered] or ["wider" if row.wider else "yes"]
            yield f"| {name} | {spec} | {said[0]} | {planned - began:.1f} | {sum(os.times()[:4]) - planned:.1f} |"


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--models", type=int, default=200)
    reader.add_argument("--seed", type=int, default=0)
    reader.add_argument("--seconds", type=float, default=PROOF_SECONDS)
    reader.add_argument("--discount", type=Fraction)
    reader.add_argument("--named", nargs="+", default=list(vr.models.NAMES))
    words = reader.parse_args()
    if words.discount is not None:
        named = ((name, vr.models.load(name).with_discount(words.discount)) for name in words.named)
        for line in searched(named, words.seconds):
            print(line, flush=True)
        return
    table = coverage(watched(models(words.models, words.seed)), words.seconds)
    print(shown(table))
    for row in table.values():
        for line in row.refused:
            print("refused:", line)
    raise SystemExit(any(row.refused for row in table.values()))


if __name__ == "__main__":
    main()
