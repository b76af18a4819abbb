"""Exhaustive families of small objects: every law, model and policy up to a stated size."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import verified_risk as vr
from verified_risk.grid import grid_model
from verified_risk.law import Law
from verified_risk.mdp import MDP
from verified_risk.objectives import PiecewiseLinear, Weighting
from verified_risk.policy import HistoryPolicy, ReturnPolicy

from .histories import History, history_policy, possible_histories
from .sampling import compositions

Case = TypeVar("Case")


def every(case: Callable[..., Case], *fields: Iterable[Any]) -> Iterator[Case]:
    """``case`` of every combination of its fields; the last field changes fastest."""
    return itertools.starmap(case, itertools.product(*fields))


def grid(step: Fraction | str, top: Fraction | int = 1) -> list[Fraction]:
    """``0, step, 2 step, ...`` up to ``top``."""
    unit = Fraction(step)
    return [i * unit for i in range(int(Fraction(top) / unit) + 1)]


def probability_vectors(count: int, parts: int) -> Iterator[tuple[Fraction, ...]]:
    """All vectors of ``count`` multiples of ``1/parts`` that sum to 1."""
    return (tuple(Fraction(k, parts) for k in counts) for counts in compositions(parts, count))


def all_laws(values: Sequence[Fraction], parts: int) -> list[Law]:
    """All laws on ``values`` with masses in multiples of ``1/parts``."""
    return [
        Law.of_weights(dict(zip(values, vector, strict=True))) for vector in probability_vectors(len(values), parts)
    ]


def two_point_laws(values: Sequence[Fraction], parts: int) -> list[Law]:
    """All laws with at most two atoms among ``values`` and masses in multiples of ``1/parts``."""
    points = [Law.point(x) for x in values]
    pairs = [
        Law.of_weights({x: Fraction(i, parts), y: Fraction(parts - i, parts)})
        for x, y in itertools.combinations(values, 2)
        for i in range(1, parts)
    ]
    return points + pairs


def some_weightings(*, jumps: bool = False) -> list[Weighting]:
    """One weighting of each shape, with corners at halves and thirds; with ``jumps`` also quantiles."""
    smooth: list[Weighting] = [
        vr.Mean(),
        vr.CVaR("1/2"),
        vr.CVaR("1/3"),
        PiecewiseLinear([(0, 0), ("1/2", 0), (1, 1)]),
        PiecewiseLinear([(0, 0), ("1/3", "1/2"), ("2/3", "1/2"), (1, 1)]),
    ]
    return [*smooth, vr.VaR("1/2"), vr.VaR("1/2", upper=True)] if jumps else smooth


def one_state_models(laws: Iterable[Law], horizon: int, actions: int = 2) -> Iterator[MDP]:
    """All models with one state whose actions have the given reward laws (the order of the actions does not matter)."""
    for pays in itertools.combinations_with_replacement(list(laws), actions):
        yield MDP(0, [[[1]] * actions], [list(pays)], horizon)


COIN_MODELS = "one state, two actions, T <= 2, rewards in halves, coin flips"


def coin_models(*horizons: int) -> Iterator[MDP]:
    """The models described by :data:`COIN_MODELS`, of these horizons (by default 1 and 2)."""
    for horizon in horizons or (1, 2):
        yield from one_state_models(two_point_laws(grid("1/2"), 2), horizon)


def return_policies(mdp: MDP) -> Iterator[ReturnPolicy]:
    """All deterministic y-policies."""
    cells = return_cells(mdp)
    for selected in itertools.product(*(range(mdp.n_actions[s]) for _, s, _ in cells)):
        yield ReturnPolicy(mdp, dict(zip(cells, selected, strict=True)))


def return_cells(mdp: MDP) -> list[tuple[int, int, Fraction]]:
    """All ``(t, s, y)`` to which some policy leads."""
    model = grid_model(mdp)
    return [
        (t, s, y * model.unit)
        for t, level in enumerate(model.reachable()[:-1])
        for s, sums in sorted(level.items())
        for y in sorted(sums)
    ]


def history_policies(mdp: MDP, choices: Sequence[Any] | None = None) -> Iterator[HistoryPolicy]:
    """All history-dependent policies with the given choices after every history (default: deterministic)."""
    cells: list[History] = [xi for t in range(mdp.horizon) for xi in dict.fromkeys(possible_histories(mdp, t))]
    options = [choices if choices is not None else range(mdp.n_actions[xi[-1]]) for xi in cells]
    for selected in itertools.product(*options):
        yield history_policy(mdp, dict(zip(cells, selected, strict=True)))


def attainable_laws(mdp: MDP) -> list[Law]:
    """The laws of the return of all deterministic history-dependent policies, without repetition.  Built backwards,
    step by step: after every ``(a, r, s')`` the policy may continue with any attainable law."""
    step: list[frozenset[Law]] = [frozenset([Law.point(0)])] * mdp.n_states
    for _ in range(mdp.horizon):
        step = [frozenset(_continued(mdp, s, step)) for s in range(mdp.n_states)]
    starts = [(s, p) for s, p in mdp.initial]
    combined = {
        Law.mixture((p, law) for (_, p), law in zip(starts, laws, strict=True))
        for laws in itertools.product(*(step[s] for s, _ in starts))
    }
    return sorted(combined, key=lambda law: (law.atoms, law.masses))


def _continued(mdp: MDP, s: int, following: list[frozenset[Law]]) -> Iterator[Law]:
    for action in mdp.actions(s):
        outcomes = action.outcomes
        for laws in itertools.product(*(following[target] for _, target, _ in outcomes)):
            yield Law.mixture((p, law.affine(1, r)) for (p, _, r), law in zip(outcomes, laws, strict=True))
