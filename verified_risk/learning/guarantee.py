r"""The theorem that covers a run, whether Coq has checked it, and its bounds as numbers, rounded outward.

``kl`` and ``bets``, with a concave weighting and sets at least as wide as the theorem's (``bonus_scale >= 1``), have
the theorems of page 10, where kl-proved says which are in Coq.  :func:`coq_lacks` lists everything that turns *Coq*
into *on paper*, with the place of the proof.  The bounds beforehand are on paper.  ``ucb`` is on paper (page 8): Coq
has its theorem for concave weightings, exact radii, an exact planner and the last episode.  ``bernstein`` is on paper
(page 11).  A weighting that is not Lipschitz has no regret theorem; where it is concave its interval is on paper.

The bounds of ``ucb`` are those of page 8 (regret-theorem, regret-prefix, known-atoms, regret-joint) plus the errors of
the planner and of a grid (planner-error, eta-learning); radii scaled by ``x >= 1`` multiply the leading term by x
(regret-discount), and below 1 there is no theorem.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.learn_data import Floats
from ..numbers.enclosure import Interval, ball, enclose
from ..numbers.rational import float_above

if TYPE_CHECKING:
    from .task import Task

UNIFORM = ("kl", "bets")  # the algorithms with time-uniform sets
KL_THEOREMS = (
    "kl_regret_from_data_with, kl_intervals_hold",
    "outcome_regret_from_weighted_data, outcome_intervals_hold",
)
"""In Coq: for rewards independent of the next state, and for those that come with it."""
BET_THEOREMS = (
    "bet_regret_from_data_with, bet_intervals_hold",
    "outcome_regret_from_weighted_bets, outcome_bet_intervals_hold",
)
"""The same with bets."""
GRID_THEOREMS = ", grid_regret, grid_interval"


@dataclass(frozen=True)
class Guarantee:
    """The guarantee in a sentence; the bounds beforehand, in expectation and with probability ``1 - 2 delta``.

    ``proved``: a theorem in Coq covers the interval and the regret from data.  ``on_paper``: a theorem of docs/theory
    covers the run, and its proof is in words.
    """

    text: str
    expected: RegretBound | None = None
    likely: RegretBound | None = None
    proved: bool = False
    on_paper: bool = False


def coq_lacks(task: Task, continuous: bool) -> dict[str, str]:
    """Return why the theorems in Coq do not cover a run with time-uniform sets: features, each with the anchor of its
    proof in docs/theory/10-kl-learner.md."""
    standard, settings = task.standard, task.settings
    discounted, rounded = standard.discount != 1, not standard.exact
    lacks = (
        ("independent rewards with a discount", "kl-grid", discounted and not standard.joint),
        ("a grid for these rewards", "kl-grid", rounded and (standard.joint or discounted)),
        ("continuous rewards", "kl-grid", continuous),
        ("a number of successors in place of their list", "kl-known-successors",
         type(settings.declared.successors) is int),
        ("a curved weighting", "kl-polygon", settings.objective.knots is None),
        ("bets on a grid", "kl-grid", settings.algorithm == "bets" and rounded),
    )  # fmt: skip
    return {what: anchor for what, anchor, true in lacks if true}


def guarantee_of(task: Task, *, continuous: bool = False) -> Guarantee:
    """Return the guarantee of a run; its text begins with "none" or "not proved" where no theorem covers it."""
    settings, standard = task.settings, task.standard
    algorithm, scale = settings.algorithm, settings.bonus_scale
    if algorithm in UNCOVERED:
        return Guarantee(f"none{UNCOVERED[algorithm]}")
    extra = " + T eta per episode for the grid" if not standard.exact else ""
    if algorithm == "bernstein":
        if scale < 1:
            return Guarantee(f"not proved: the bonus is {scale} of the theorem's")
        text = "on paper (theory page 11, bernstein-regret): regret from data, no bound beforehand"
        return Guarantee(f"{text} + certified planner error{extra}", on_paper=True)
    found = bounds_beforehand(task, algorithm, scale)
    if found is None:
        return _without_regret(task)
    theorem, proved = _kl_theorem(task, continuous) if algorithm in UNIFORM else (_ucb_theorem(task), False)
    expected, likely = found
    if scale < 1:
        text = f"not proved: the radii are {scale} of the theorem's; for comparison: {theorem}"
        return Guarantee(text, expected, likely)
    text = f"{theorem} + certified planner error{extra}"
    return Guarantee(text, expected, likely, proved=proved, on_paper=not proved)


UNCOVERED = {
    "greedy": ": without optimism the regret may grow linearly",
    "greedy-tried": ": without optimism the regret may grow linearly",
    "posterior": " for one given model: posterior sampling is Bayesian, what is known of it averages over the prior",
    "ucbvi": " for this objective: UCBVI maximises the expected return, with a bound for that alone",
    "ucb-as-printed": (
        ": the printed radii lack the union over steps and successors, and the printed theorem is false"
    ),
}
"""Algorithms that no theorem covers, with the reason."""


def bounds_beforehand(task: Task, algorithm: str, scale: Fraction) -> tuple[RegretBound, RegretBound] | None:
    """Return the bounds of ``ucb`` or with time-uniform sets; None if the theorem does not cover the weighting."""
    lipschitz = task.settings.objective.lipschitz
    if lipschitz == math.inf or (algorithm in UNIFORM and not task.problem.concave):
        return None
    if algorithm in UNIFORM:
        return uniform_bounds(task.uniform, Fraction(lipschitz), scale=scale)
    return regret_bounds(task.problem, Fraction(lipschitz), scale=scale)


def _without_regret(task: Task) -> Guarantee:
    spec = task.settings.objective.spec
    if task.settings.objective.lipschitz != math.inf:
        return Guarantee("none for the regret: the theorem with time-uniform sets needs a concave weighting")
    if not task.settings.has_interval:
        return Guarantee(f"none is known: the weighting {spec} is not Lipschitz, and no regret theorem covers it")
    text = f"for the interval on paper (theory page 10, kl-polygon), none for the regret: {spec} is not Lipschitz"
    return Guarantee(text, on_paper=True)


def _kl_theorem(task: Task, continuous: bool) -> tuple[str, bool]:
    """Return the theorem of a run of ``kl`` in words, and whether it is one in Coq."""
    bets, standard = task.settings.algorithm == "bets", task.standard
    sets = "time-uniform KL sets and bets" if bets else "time-uniform KL sets"
    lacks = coq_lacks(task, continuous)
    if not lacks:
        names = (BET_THEOREMS if bets else KL_THEOREMS)[standard.joint] + ("" if standard.exact else GRID_THEOREMS)
        return f"{sets} (Coq: {names}; beforehand: theory page 10)", True
    places = ", ".join(dict.fromkeys(lacks.values()))
    return f"{sets} on paper (theory page 10, {places}): Coq does not take {' or '.join(lacks)}", False


def _ucb_theorem(task: Task) -> str:
    if task.standard.joint:
        kind, anchor = "for rewards that come with the next state", "regret-joint"
    elif task.problem.concave:
        kind, anchor = "for concave G", "regret-theorem"
    else:
        kind, anchor = f"for Lipschitz G with {task.problem.atoms} known reward atoms", "known-atoms"
    return f"the corrected theorem {kind}, on paper (theory page 8, {anchor})"


# -- bounds as numbers ------------------------------------------------------------------------------------------------


def up(x: Fraction | Interval) -> float:
    """Return a float at least ``x``."""
    return float_above(x.upper if isinstance(x, Interval) else x)


@dataclass(frozen=True)
class Problem:
    """The numbers of the corrected theorem: ``states`` is S_0, ``actions`` the largest number of actions of a state."""

    states: int
    actions: int
    horizon: int
    episodes: int
    delta: Fraction
    concave: bool = True
    atoms: int = 0
    joint: bool = False

    @property
    def events(self) -> int:
        """The number of inequalities of each pair at each count: two for DKW, S_0 for the transitions, one for
        Weissman; in a joint model one for each of the ``m S_0`` outcomes."""
        if self.joint:
            return self.atoms * self.states
        return self.states + (2 if self.concave else 3)

    def log_term(self) -> Interval:
        r""":math:`\ell`, enclosed."""
        inside = Fraction(self.events * self.states * self.actions * self.episodes * self.horizon) / self.delta
        return enclose(lambda arb: ball(inside, arb).log())

    def printed_log_term(self) -> Interval:
        r"""The paper's :math:`\log(6 |S| |A| K / \delta)`, :math:`|S| = S_0 + 1`."""
        inside = Fraction(6 * (self.states + 1) * self.actions * self.episodes) / self.delta
        return enclose(lambda arb: ball(inside, arb).log())


@dataclass(frozen=True)
class RegretBound:
    r"""``Reg_k <= root * sqrt(k * lambda_{kT}) + constant + linear * k``, coefficients rounded up.

    Without a ``log_term`` :math:`\lambda = 1`.
    """

    root: float
    constant: float
    linear: float
    log_term: float | None = None
    horizon: int = 1

    def at(self, k: Floats) -> Floats:
        inside = k
        if self.log_term is not None:
            inside = k * (self.log_term + 0.5 * np.log(k * self.horizon) + math.log(2.0))
        # logarithm, root and sums: a few roundings of nonnegative terms, covered by one part in 2^45
        return (self.root * np.sqrt(inside) + self.constant + self.linear * k) * (1 + 2.0**-45)


def regret_bounds(
    problem: Problem, lipschitz: Fraction, *, scale: Fraction = Fraction(1)
) -> tuple[RegretBound, RegretBound]:
    """Return bound (i), in expectation, and (ii), with probability ``1 - 2 delta``, for rewards in [0, 1].

    ``scale`` multiplies the radii; the bounds are proved for ``scale >= 1`` and computed for 1 below that, for
    comparison.
    """
    T, S0, A = problem.horizon, problem.states, problem.actions
    stretch = max(scale, Fraction(1)) * (1 + Fraction(1, 2**48))  # radii are rounded up (``learn_sets.UPWARD``)

    def coefficient(arb: Any) -> Any:
        if problem.joint:
            return arb(T * problem.atoms * S0)
        if problem.concave:
            return arb((T - 1) * S0 + 2)
        return T * (S0 + 1 + arb(problem.atoms + 1).sqrt())

    def root(arb: Any) -> Any:
        inside = Fraction(problem.events * S0 * A * problem.episodes * T) / problem.delta
        return ball(lipschitz * stretch, arb) * coefficient(arb) * (2 * S0 * A * T * ball(inside, arb).log()).sqrt()

    once = problem.concave or problem.joint
    start = lipschitz * T * T * S0 * A * (1 if once else 2)
    spread = Fraction(T * (T + 1), 2) if once else Fraction(2 * T * T)
    return _both(enclose(root), start, tail_of(spread, lipschitz, problem.delta), problem.delta * T)


def _both(
    root: Interval, start: Fraction, tail: Interval, linear: Fraction, *lengths: Any
) -> tuple[RegretBound, RegretBound]:
    e = _e_ratio()
    likely = RegretBound(up(e * root), up(e * (tail + start)), 0.0, *lengths)
    return RegretBound(up(root), up(start), up(linear), *lengths), likely


@dataclass(frozen=True)
class UniformProblem:
    """The numbers of the theorem with time-uniform sets (theory, page 10): ``pairs`` is the number of pairs that are
    learned, ``tests`` the n of lambda, ``outcomes`` the largest number of outcomes of a pair, ``bets`` how many
    functions are bet on; tests and bets have half of delta each, where there are both."""

    pairs: int
    tests: int
    outcomes: int
    horizon: int
    delta: Fraction
    joint: bool
    known_rewards: bool
    patience: Fraction = Fraction()
    bets: int = 0

    def log_term(self) -> Interval:
        r""":math:`\log(n/\delta)`, or :math:`\log(2n/\delta)` beside bets, enclosed."""
        return enclose(lambda arb: ball(self.tests * (2 if self.bets else 1) / self.delta, arb).log())

    def bet_term(self) -> Interval:
        r""":math:`\log(2m/\delta)` for m bets, enclosed."""
        return enclose(lambda arb: ball(max(self.bets, 1) * 2 / self.delta, arb).log())


def uniform_bounds(
    problem: UniformProblem, lipschitz: Fraction, *, scale: Fraction = Fraction(1)
) -> tuple[RegretBound, RegretBound]:
    """Return the bounds of page 10 (kl-apriori, kl-declared) for rewards in [0, 1], (i) and (ii).

    Sets that are rebuilt only when visits have grown by the share p come from at least ``N / (1 + p)`` visits.
    """
    T, pairs = problem.horizon, problem.pairs
    stretch = max(scale, Fraction(1)) * (1 + Fraction(1, 2**48))  # thresholds are rounded up (``learn_sets.UPWARD``)

    def root(arb: Any) -> Any:
        gamma = arb(problem.outcomes)
        spread = gamma if problem.outcomes <= 4 else 2 * gamma.sqrt()
        beside = (T - 1) * spread + (0 if problem.known_rewards else 2)
        steps = T * spread if problem.joint else beside
        waited = ball(1 + problem.patience, arb).sqrt()
        return ball(lipschitz * stretch, arb) * steps * waited * arb(2 * pairs * T).sqrt()

    known = problem.known_rewards and not problem.joint
    start = lipschitz * pairs * T * (T - 1 if known else T)
    tail = tail_of(Fraction(T * (T - 1 if known else T + 1), 2), lipschitz, problem.delta)
    return _both(enclose(root), start, tail, problem.delta * T, up(problem.log_term()), T)


def tail_of(episode_range: Fraction, lipschitz: Fraction, delta: Fraction) -> Interval:
    r"""Return :math:`L\, b \log(1/\delta)`, enclosed."""
    return enclose(lambda arb: ball(lipschitz * episode_range, arb) * -ball(delta, arb).log())


def _e_ratio() -> Interval:
    r"""Return :math:`e / (e - 1)`, enclosed."""
    return enclose(lambda arb: arb(1).exp() / (arb(1).exp() - 1))


def data_bound(widths: Floats, episode_range: Fraction, lipschitz: Fraction, delta: Fraction) -> Floats:
    """Return the regret bound from data (theory, page 10, kl-data), which holds after every episode at once with
    probability ``1 - 2 delta``; ``widths`` are the sums of Y, in whose units it is, planner error not included."""
    e = _e_ratio()
    tail = up(e * tail_of(episode_range, lipschitz, delta))
    slope = up(e * Interval(lipschitz, lipschitz))
    total = np.cumsum(widths)
    return (slope * total + tail) * (1 + 2.0**-45 + len(widths) * 2.0**-52)
