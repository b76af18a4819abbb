r"""Conditioning a policy on the return so far, as printed (on :math:`J \le y`), and the joint laws that it gives."""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import verified_risk as vr

from ...cases.histories import added, chooser, gained, history_laws, state

Cell: TypeAlias = tuple[int, Fraction]
"""State and return so far."""
Shares: TypeAlias = dict[int, Fraction]
"""Action to probability."""
Rule: TypeAlias = Callable[[int, int, Fraction], Shares | None]
"""``rule(t, s, y)``; None where the conditioning event has probability zero."""


def visits(mdp: vr.MDP, policy: vr.Policy) -> list[dict[Cell, tuple[Fraction, Shares]]]:
    """Per step and cell ``(s, y)``: the probability of being there, and of being there and playing each action."""
    choose = chooser(policy)
    levels: list[dict[Cell, tuple[Fraction, Shares]]] = []
    for level in list(history_laws(mdp, policy))[:-1]:
        cells: dict[Cell, tuple[Fraction, Shares]] = {}
        for xi, mass in level.items():
            here, shares = cells.get((state(xi), gained(xi)), (Fraction(), {}))
            for a, q in choose(xi):
                shares[a] = shares.get(a, Fraction()) + mass * q
            cells[state(xi), gained(xi)] = (here + mass, shares)
        levels.append(cells)
    return levels


def printed_rule(levels: list[dict[Cell, tuple[Fraction, Shares]]]) -> Rule:
    r"""The printed :math:`\tilde\pi_t(a \mid y, s) = E[\pi_t(a \mid \Xi_t) \mid J(\Xi_t) \le y,\ s_t = s]`."""

    def rule(t: int, s: int, y: Fraction) -> Shares | None:
        below = [cell for (state_, gain), cell in levels[t].items() if state_ == s and gain <= y]
        mass = sum((here for here, _ in below), Fraction())
        if not mass:
            return None
        return added((a, share / mass) for _, played in below for a, share in played.items())

    return rule


def rule_of(policy: vr.ReturnPolicy) -> Rule:
    """A y-policy as a rule."""
    return lambda t, s, y: dict(policy.choice(t, s, y))


def joint_laws(mdp: vr.MDP, rule: Rule) -> list[dict[Cell, Fraction]] | None:
    """The joint laws of state and return so far before each step and after the last; None if the rule is undefined."""
    levels: list[dict[Cell, Fraction]] = [{(s, Fraction()): p for s, p in mdp.initial}]
    for t in range(mdp.horizon):
        played = [(s, y, mass, rule(t, s, y)) for (s, y), mass in levels[-1].items()]
        if any(shares is None for *_, shares in played):
            return None
        levels.append(
            added(
                ((target, y + r), mass * q * p)
                for s, y, mass, shares in played
                for a, q in (shares or {}).items()
                for p, target, r in mdp.actions(s)[a].outcomes
                if q
            )
        )
    return levels


def cumulative(level: dict[Cell, Fraction], s: int, y: Fraction) -> Fraction:
    """P(J <= y, state s), the paper's D_t(y, s)."""
    return sum((mass for (state_, gain), mass in level.items() if state_ == s and gain <= y), Fraction())
