r"""Models that round the rewards of their first steps, and policies adapted from one to the next.

:math:`\mathcal M_\tau` rounds the rewards of steps 1..tau up to multiples of eta.  Going from it to
:math:`\mathcal M_{\tau-1}`, an adapted policy carries an internal correction alpha to the return so far and plays
:math:`\pi_t(a \mid s, y + \alpha)`.  Steps are counted from 0 here, so the step that differs is ``tau - 1``.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from hypothesis import strategies as st

from verified_risk.grid import round_up_reward
from verified_risk.law import Law
from verified_risk.mdp import MDP, Outcome

from ...cases import strategies
from ...cases.enumeration import grid, one_state_models
from ...cases.histories import added, weighted

Steps: TypeAlias = list[list[list[list[Outcome]]]]
"""``steps[t][s][a]`` lists ``(probability, next state, reward)``."""
Update: TypeAlias = Callable[[int, int, int, int, Fraction, Fraction], list[tuple[Fraction, Fraction]]]
"""``update(t, s, a, s', r, alpha)`` lists ``(probability, new alpha)``."""


@dataclass(frozen=True)
class YRule:
    """A y-policy for every real y: the listed lotteries at the listed ``(t, s, y)``, action 0 elsewhere."""

    rows: tuple[tuple[int, int, Fraction, tuple[Fraction, ...]], ...]

    def __call__(self, t: int, s: int, y: Fraction) -> list[tuple[int, Fraction]]:
        for step, state, total, lottery in self.rows:
            if (step, state, total) == (t, s, y):
                return [(a, p) for a, p in enumerate(lottery) if p]
        return [(0, Fraction(1))]


@dataclass(frozen=True)
class Case:
    """A model, a grid step, the step tau = 1..T whose rounding changes, a y-policy."""

    mdp: MDP
    eta: Fraction
    tau: int
    rule: YRule


def rounded_steps(case: Case, count: int) -> Steps:
    """The model that rounds the rewards of its first ``count`` steps; outcomes that become equal are added up."""

    def merged(outcomes: Sequence[Outcome], t: int) -> list[Outcome]:
        pays = added(((end, round_up_reward(r, case.eta) if t < count else r), p) for p, end, r in outcomes)
        return [(p, end, r) for (end, r), p in pays.items()]

    return [
        [[merged(action.outcomes, t) for action in case.mdp.actions(s)] for s in range(case.mdp.n_states)]
        for t in range(case.mdp.horizon)
    ]


def reachable(case: Case, steps: Steps) -> list[set[tuple[int, Fraction]]]:
    """Per step, the pairs of state and return so far that some policy reaches."""
    levels = [{(s, Fraction()) for s, _ in case.mdp.initial}]
    for step in steps:
        levels.append({(target, y + r) for s, y in levels[-1] for outcomes in step[s] for _, target, r in outcomes})
    return levels


def keep(t: int, s: int, a: int, target: int, r: Fraction, alpha: Fraction) -> list[tuple[Fraction, Fraction]]:
    """The internal state does not change."""
    return [(Fraction(1), alpha)]


def increments(
    steps: Steps, rule: YRule, update: Update, t: int, s: int, y: Fraction, alpha: Fraction = Fraction(0)
) -> Law:
    """The law of the rewards of steps ``t, ..., T-1`` from state s, return y, internal state alpha."""
    if t == len(steps):
        return Law.point(0)
    pairs: list[tuple[Fraction, Fraction]] = []
    for a, q in rule(t, s, y + alpha):
        for p, target, r in steps[t][s][a]:
            for share, beta in update(t, s, a, target, r, alpha):
                rest = increments(steps, rule, update, t + 1, target, y + r, beta)
                pairs.extend((r + z, q * p * share * mass) for z, mass in rest)
    return weighted(pairs)


def lift(case: Case) -> Update:
    """From M_tau to M_{tau-1}: alpha = phi(r) - r on the step that is rounded in the former only."""

    def update(t: int, s: int, a: int, target: int, r: Fraction, alpha: Fraction) -> list[tuple[Fraction, Fraction]]:
        return [(Fraction(1), round_up_reward(r, case.eta) - r if t == case.tau - 1 else alpha)]

    return update


def undo(case: Case, *, printed: bool) -> Update:
    """From M_{tau-1} to M_tau: draw r given phi(r) = rho; alpha = r - rho, or, as printed, alpha = r."""

    def update(t: int, s: int, a: int, target: int, rho: Fraction, alpha: Fraction) -> list[tuple[Fraction, Fraction]]:
        if t != case.tau - 1:
            return [(Fraction(1), alpha)]
        raw = [
            (p, r)
            for p, end, r in case.mdp.actions(s)[a].outcomes
            if end == target and round_up_reward(r, case.eta) == rho
        ]
        total = sum((p for p, _ in raw), Fraction())
        return [(p / total, r if printed else r - rho) for p, r in raw]

    return update


def start_law(case: Case, steps: Steps, update: Update) -> Law:
    """The law of the return from the initial law."""
    return Law.mixture((p, increments(steps, case.rule, update, 0, s, Fraction(0))) for s, p in case.mdp.initial)


def cells(case: Case) -> list[tuple[int, int, Fraction]]:
    """All ``(t, s, y)`` reached in the model before or after rounding step tau."""
    before = reachable(case, rounded_steps(case, case.tau - 1))
    after = reachable(case, rounded_steps(case, case.tau))
    return [(t, s, y) for t in range(case.mdp.horizon) for s, y in sorted(before[t] | after[t])]


def raised(mdp: MDP, by: Fraction) -> MDP:
    """Every reward raised by ``by``, at most to 1."""
    outcomes = [
        [[(p, target, min(r + by, Fraction(1))) for p, target, r in action.outcomes] for action in mdp.actions(s)]
        for s in range(mdp.n_states)
    ]
    return MDP.from_outcomes(outcomes, initial=dict(mdp.initial), horizon=mdp.horizon)


@st.composite
def cases(draw: st.DrawFn, *, before_the_last_step: bool = False) -> Case:
    """Small models, grid steps that divide 1 and that do not, y-policies with lotteries wherever either model leads."""
    mdp = draw(
        strategies.mdps(min_actions=2, min_horizon=2 if before_the_last_step else 1, max_horizon=2, max_denominator=4)
    )
    eta = draw(strategies.levels(max_denominator=3))
    if draw(st.booleans()):  # just above the grid, where rounding up adds nearly eta
        mdp = raised(mdp, eta / 1000)
    tau = draw(st.integers(1, mdp.horizon - before_the_last_step))
    bare = Case(mdp, eta, tau, YRule(()))
    rows = []
    for t, s, y in cells(bare):
        choice = draw(strategies.choices(mdp.n_actions[s]))
        lottery = dict(choice) if isinstance(choice, dict) else {choice: Fraction(1)}
        if lottery != {0: 1}:
            rows.append((t, s, y, tuple(lottery.get(a, Fraction()) for a in range(mdp.n_actions[s]))))
    return Case(mdp, eta, tau, YRule(tuple(rows)))


SMALL = (
    "one state, two actions, fixed rewards in quarters, T = 2, eta in {1/2, 1}, both tau, all deterministic y-policies"
)


def small_cases() -> Iterator[Case]:
    """The enumeration described by ``SMALL``."""
    one = (Fraction(0), Fraction(1))
    for mdp in one_state_models([Law.point(r) for r in grid("1/4")], 2):
        for eta in (Fraction(1, 2), Fraction(1)):
            for tau in (1, 2):
                places = cells(Case(mdp, eta, tau, YRule(())))
                for chosen in itertools.product((False, True), repeat=len(places)):
                    rows = tuple((*place, one) for place, second in zip(places, chosen, strict=True) if second)
                    yield Case(mdp, eta, tau, YRule(rows))


def shift_needed(lower: Law, upper: Law) -> Fraction:
    """The least shift with F_lower(x) <= F_upper(x + shift) for all x, or a lesser one."""
    return max(upper.quantile(lower.cdf(x)) - x for x in lower.atoms)
