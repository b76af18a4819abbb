r"""The arrays of the learner's kernels, grouped by what belongs together.

A *pair* p is a state with one of its actions.  Its outcome is ``(reward atom, next state)``; in a product model, where
the reward is independent of the next state, the atom of every outcome is 0 (worth nothing) and the reward has a law of
its own.  Atom ``i`` at step ``t`` is worth ``units[t, i]``.  State ``S``, one beyond the last, stands for missing mass.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Actions: TypeAlias = NDArray[np.int16]

NONE, TRIED, HOEFFDING, KL = range(4)
"""Kinds of confidence sets (``Target.sets``)."""
LARGEST, BEST, WORST = range(3)
"""Where missing mass goes (``Target.beyond``)."""
MEAN, TAIL, QUANTILE, CURVE, UCBVI = range(5)
"""Kinds of objectives (``Target.kind``)."""


class Shape(NamedTuple):
    """Sizes and rewards of a problem."""

    first: Ints  # pairs of state s are first[s] .. first[s + 1]
    units: Ints  # [t, atom]
    top: Ints  # the most that steps t..T-1 can pay
    used: Ints  # the most that steps 0..t-1 can have paid
    initial_state: Ints
    initial_prob: Floats
    joint: bool  # rewards belong to outcomes
    largest: float  # no return exceeds this, in units
    pad: int  # the most that one step can pay, in units
    followers: int  # states 0 .. followers - 1 can follow; the state before a random start cannot


class Counts(NamedTuple):
    """The observations, pair by pair."""

    visits: Ints
    length: Ints  # distinct outcomes seen
    state: Ints  # state[p, j], atom[p, j]: the j-th of them, in the order of their first appearance
    atom: Ints
    count: Ints  # type: ignore[assignment]  # a field, not the method of tuples
    reward: Ints  # reward[p, i]: how often atom i was paid (product models)


class Known(NamedTuple):
    """The declarations, pair by pair."""

    length: Ints  # how many outcomes are listed; 0: nothing is known
    state: Ints
    atom: Ints
    limit: Ints  # at most so many outcomes can occur; 0: unknown
    fixed: Bools  # the pair is known altogether: its one listed outcome is certain
    rewards: int  # 1 if the laws of the independent rewards are known
    reward: Floats  # those laws


class Model(NamedTuple):
    """A model with missing mass, pair by pair."""

    length: Ints
    state: Ints  # state S is where the missing mass goes
    atom: Ints
    prob: Floats
    miss: Floats
    reward: Floats  # the law of the independent reward: optimistic
    reward_low: Floats  # pessimistic
    used: Ints  # N at the last rebuild


class Sets(NamedTuple):
    """Confidence sets: the counts, the declarations and the model that was made of them."""

    counts: Counts
    known: Known
    model: Model
    touched: Bools  # pairs played since their last rebuild
    stale: Bools  # pairs that the last rebuild changed


class World(NamedTuple):
    """The true model, with the cumulative probabilities that episodes are drawn by."""

    truth: Model
    initial: Floats
    outcome: Floats  # [pair, j]
    reward: Floats  # [pair, atom]


class Target(NamedTuple):
    """The objective, the confidence sets and the tolerances of a planner."""

    kind: int
    left: float  # slopes of the terminal cost (TAIL)
    right: float
    threshold: float  # QUANTILE: the largest rho with W_0(rho) below it
    knots: Floats  # corners of G (CURVE)
    heights: Floats
    slopes: Floats  # between corners, rounded from exact ones
    levels: Floats  # G as a mixture of CVaRs (CURVE, concave): levels below 1, their weights, the weight of the mean
    weights: Floats
    mean_weight: float
    concave: bool
    sets: int
    beyond: int
    log_term: float
    scale: float  # multiplies the radii
    patience: float  # sets are rebuilt when the visits of a pair have grown by this share
    unit_per_reward: float  # how many units a reward of 1 is
    tie: float
    bets: bool = False  # whether bets on the values of the best policy bound a mean, too
    bet_term: float = 0.0  # the log_term of bets


class Tables(NamedTuple):
    """The tables of a plan, and scratch rows."""

    cost: Floats  # W_t(s, b) at [t, s, pad + b]; rows reach pad beyond both ends of the window 1 <= b <= top[t]
    mean: Floats  # the best expected remaining return
    by_budget: Actions  # the action of W_t(s, b) at [t, s, b]
    by_mean: Actions
    moved: Bools  # whether row (t, s) changed in the last pass
    policy: Actions  # the action at (t, s, y), y in units; one column if y does not matter
    last_policy: Actions  # the policy whose law was computed last
    quality: Floats  # [t, pair]: the upper bounds that UCBVI keeps from episode to episode
    gain: Floats  # V_t(s, y) of the utility recursion
    star: Ints  # the state that row S of gain comes from
    mixed: Floats  # scratch: one row
    spare: Floats  # scratch: one row
    actions: Floats  # scratch: one row per action
    mass: Floats  # scratch: two levels of a forward pass


class Ascent(NamedTuple):
    """Memory of the utility ascent: the utility of the last plan, and scratch."""

    utility: Floats
    best: Floats
    law: Floats
    slopes: Floats


class Backup(NamedTuple):
    """The parameters of a budget pass.

    The terminal cost is ``left * b`` for ``b <= 0`` and ``right * b + ceiling`` for ``b > 0``.
    """

    left: float
    right: float
    ceiling: float
    beyond: int
    tie: float
    everything: bool  # compute all rows, not only those that can have changed


class Branch(NamedTuple):
    """The rows of one pair: its outcomes, the list that its missing mass goes to, the law of its own reward."""

    state: Ints
    atom: Ints
    prob: Floats
    length: int
    miss: float
    listed_state: Ints
    listed_atom: Ints
    listed: int  # 0: the missing mass is among the outcomes
    reward: Floats  # empty in joint models


class Path(NamedTuple):
    """One episode."""

    states: Ints  # [T + 1]
    actions: Ints  # [T], as are all below
    rewards: Ints  # atoms of the independent rewards
    paid: Ints  # atoms of the outcomes


class Episodes(NamedTuple):
    """A batch of episodes, one row each, in units."""

    values: Floats  # of the plan in its optimistic model
    uppers: Floats  # upper bounds on the best value in that model
    widths: Floats  # see ``width_of``
    returns: Ints
    states: Ints
    actions: Ints
    rewards: Ints
    paid: Ints
    law_index: Ints  # the row of laws of the episode's policy; -1: the policy that the batch began with
    laws: Floats  # laws of the return in the true model
