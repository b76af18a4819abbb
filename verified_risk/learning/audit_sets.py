r"""The audit's own account of the confidence sets: how many inequalities there are, how wide the sets must be.

Nothing here is taken from the learner or from :mod:`.declarations`: the number of tests is counted again from the
model, and every end of a set is compared with its definition in enclosed arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..numbers.enclosure import Interval, ball, enclose
from .history import PairHistory
from .problem import Pair, Standard

if TYPE_CHECKING:
    from .settings import Settings

RELATIVE = Fraction(1, 10**9)
"""A set may be this much wider than its definition, relative to its ends: rounding on the safe side."""
ROUNDING = Fraction(1, 10**14)
"""Levels of a reward's CDF are sums of stored masses; the planner's allowance covers what that rounds."""
FAR = Fraction(1)
"""The slack that is noted where a claim holds with room that has no number (an infinite divergence)."""


def rebuilt_log(standard: Standard, settings: Settings) -> Interval:
    r""":math:`\log(n/\delta)` of the time-uniform sets, or the :math:`\ell` of the corrected theorem."""
    S, m = standard.n_states, len(standard.atoms)
    if settings.algorithm == "kl":
        n = sum(_tests_of(standard, settings, s, a) for s in range(S) for a in range(len(standard.pairs[s])))
        return _log(Fraction(max(n, 1)) / settings.delta)
    assert settings.episodes is not None
    most_actions = max(len(actions) for actions in standard.pairs)
    moments = settings.episodes * standard.horizon
    product = S + (2 if settings.objective.shape in ("linear", "concave") else 3)
    each = m * S if standard.joint else product
    return _log(Fraction(each * S * most_actions * moments) / settings.delta)


def _tests_of(standard: Standard, settings: Settings, s: int, a: int) -> int:
    """Page 10, the table of tests, for one pair."""
    S, m, told = standard.n_states, len(standard.atoms), settings.declared
    truth = standard.pairs[s][a].outcomes
    outcomes = S * m if standard.joint else S
    if isinstance(told.successors, Mapping):
        states = set(told.successors[s, a])
    else:
        states = {state for _, state, _ in truth} if told.successors is True else set(range(S))
    if standard.joint and told.rewards:
        possible = {(i, state) for i, state, _ in truth if state in states}
        outcomes = len(possible) + len(states - {state for _, state in possible})
    elif isinstance(told.successors, Mapping) or told.successors is True:
        outcomes = len(states) * (m if standard.joint else 1)
    if type(told.successors) is int:
        outcomes = min(outcomes, told.successors)
    found = 0 if outcomes == 1 else 1 if outcomes == 2 else outcomes
    return found if standard.joint or told.rewards else found + m - 1


def _log(x: Fraction) -> Interval:
    return enclose(lambda arb: ball(x, arb).log())


def threshold(log_term: Interval, visits: int) -> Interval:
    r""":math:`\lambda_N = \log(n/\delta) + \frac12\log N + \log 2`."""
    return log_term + enclose(lambda arb: ball(Fraction(4 * visits), arb).log() / 2)


def divergence(x: int, n: int, q: Fraction) -> Interval | None:
    r""":math:`n\,\mathrm{kl}(x/n, q)`, enclosed; None if infinite."""
    if (q == 0 and x > 0) or (q == 1 and x < n):
        return None

    def value(arb: Any) -> Any:
        total = arb(0)
        if x > 0:
            total += x * (ball(Fraction(x, n), arb) / ball(q, arb)).log()
        if x < n:
            total += (n - x) * (ball(Fraction(n - x, n), arb) / ball(1 - q, arb)).log()
        return total

    return enclose(value)


def width_slack(x: int, n: int, q: Fraction, needed: Interval) -> Fraction:
    """Nonnegative if ``q <= x/n`` is a valid lower end: its divergence is at least ``needed``; relative to that."""
    if q > Fraction(x, n):
        return Fraction(x, n) - q
    if x == 0:
        return FAR if q == 0 else -q
    found = divergence(x, n, q)
    return FAR if found is None else (found.lower - needed.upper) / needed.upper


def excess_slack(x: int, n: int, q: Fraction, needed: Interval) -> Fraction:
    """Nonnegative if ``q`` is not much lower than it must be."""
    if x == 0:
        return FAR
    found = divergence(x, n, min(q * (1 + RELATIVE), Fraction(x, n)))
    return -FAR if found is None else (needed.upper - found.lower) / needed.upper


def uniform_event_slack(
    found: Mapping[tuple[int, int], Fraction], low: list[Fraction], high: list[Fraction], truth: Pair
) -> Fraction:
    r"""Room that one pair leaves to the event: :math:`\hat P \le P` and :math:`\hat F \le F_R \le F^+`."""
    exact = {(i, state): p for i, state, p in truth.outcomes}
    slack = min((exact.get(one, Fraction()) - q for one, q in found.items()), default=Fraction(1))
    paid = dict(truth.rewards)
    level = Fraction()
    for i in range(len(low) - 1):
        level += paid.get(i, Fraction())
        slack = min(slack, level - low[i], high[i] - level)
    return slack


def set_slacks(
    seen: PairHistory,
    found: Mapping[tuple[int, int], Fraction],
    low: list[Fraction],
    high: list[Fraction],
    atoms: tuple[Fraction, ...],
    needed: Interval,
    *,
    certain: bool,
    rewards: bool,
) -> tuple[Fraction, Fraction]:
    """The least slack of a pair's sets against being too narrow, and against being too wide."""
    n = seen.visits
    wide, narrow = FAR, FAR
    if not certain:
        for one, x in seen.outcomes.items():
            q = found.get(one, Fraction())
            wide, narrow = min(wide, width_slack(x, n, q, needed)), min(narrow, excess_slack(x, n, q, needed))
        if set(found) - set(seen.outcomes):
            wide = -FAR
    if rewards:
        for i, r in enumerate(atoms[:-1]):
            x = seen.paid_at_most(r)
            for successes, q in ((x, low[i]), (n - x, 1 - high[i])):
                wide = min(wide, width_slack(successes, n, max(q - ROUNDING, Fraction()), needed))
                narrow = min(narrow, excess_slack(successes, n, q, needed))
    return wide, narrow
