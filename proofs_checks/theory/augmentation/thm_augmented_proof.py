r"""thm:augmented: playing the average over equal rewards so far keeps the law of the return.

Every probability is free: initial states, transitions, rewards, and the choices of a policy that sees the whole
history.  The weights of all histories are added up by cell, a cell being the reward so far and the state: D is the
weight of a cell, N(a) that of its histories on which a follows, and the average plays :math:`N(a) / D` there.

By induction over the steps both policies reach each cell equally often.  At a cell of weight D the average plays a with
weight :math:`D \cdot N(a)/D`, as often as the policy does (multiplied out: no division); and the weights N(a) of all
cells and actions, moved on by one reward and one transition, are the weights of the next cells.  After the last step
this is the law of the return.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any

from ...engine.symbolic import Proof, Step, parameters

STATES, ACTIONS, REWARDS, HORIZON = range(2), range(2), range(2), 3
MOVES = tuple(product(ACTIONS, REWARDS, STATES))


def steps(planted: bool) -> list[Step]:
    """Both halves of the induction, at each step."""
    free = iter(parameters("x:310"))
    transition = {key: next(free) for key in product(STATES, ACTIONS, STATES)}
    reward = {key: next(free) for key in product(STATES, ACTIONS, REWARDS)}
    weight: dict[Any, Any] = {(0, s, (s,)): next(free) for s in STATES}  # by reward so far, state, history
    found = []
    for t in range(HORIZON):
        reached, played, moved, after = (defaultdict[Any, Any](int) for _ in range(4))
        following = {}
        for (y, s, history), w in weight.items():
            reached[y, s] += w
            for a in ACTIONS:
                share = w * next(free)
                played[y, s, a] += share
                for r, z in product(REWARDS, STATES):
                    following[y + r, z, (*history, a, r, z)] = share * reward[s, a, r] * transition[s, a, z]
        for (y, s, a), n in played.items():
            over = [u for u, z in reached if z == s and u <= y] if planted else [y]
            mean = sum(played[u, s, a] for u in over), sum(reached[u, s] for u in over)
            found.append(Step(f"step {t}: the average plays as often", reached[y, s] * mean[0] - n * mean[1], True))
            for r, z in product(REWARDS, STATES):
                moved[y + r, z] += n * reward[s, a, r] * transition[s, a, z]
        for (y, z, _), w in following.items():
            after[y, z] += w
        found += [Step(f"step {t}: and reaches as often", moved[cell] - after[cell], True) for cell in after]
        weight = following
    return found


PROOF = Proof(
    "T = 3, 2 states, 2 actions, rewards 0 and 1, every history policy", steps, "the average runs over J <= y"
)
