r"""Plans for models without a horizon: T steps are planned, and both bounds include all that can follow.

Let :math:`Z_T` be the return of the first T steps and Z that of all (docs/theory/05-certificates.md, part E).

* With a discount :math:`\gamma < 1`, the rewards after T add :math:`\gamma^T` times a discounted sum in some
  :math:`[\ell, u]`, at worst the range of rewards over :math:`1 - \gamma`.  Objectives are monotone and add constants,
  so :math:`\Phi(Z) - \Phi(Z_T)` lies in :math:`\gamma^T [\ell, u]` too.
* Without one, an end is a set of states that no action leaves and where none is paid.  Where ``G`` has the Lipschitz
  constant L, :math:`\Phi` moves by at most L times the expected difference of the returns, so that the expected number
  of steps after T and before an end is needed.  If every policy reaches an end and ``h >= 1 + P h`` for every action
  elsewhere, no policy is expected to take more than ``h`` further steps; T passes of ``w -> max_a P w`` from ``w = h``
  bound the steps after T.
* If some policies never end but no reward is positive, the upper bound needs no such number, as what follows is at most
  0.  The lower bound is about one policy, which after T follows a stationary one that ends: its steps are bounded as
  above, and weighed with the law of the state after T.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import InvalidArgument, Unsupported
from ..law import Law
from ..mdp import MDP, Action
from ..numbers.enclosure import Interval, Real, bounds
from ..numbers.format import at_least, at_most
from ..numbers.rational import Rational, said
from ..objectives import Weighting
from ..objectives import objective as read_objective
from ..policy import Policy
from ..policy.combined import EndlessPolicy
from ..progress import Report
from .affordable_law import state_law_above
from .grid_choice import DEFAULT_GAP
from .result import ErrorBudget, Plan, Recheck
from .rounding import tidy_above, tidy_below

if TYPE_CHECKING:
    from ..proving import Proved

SHARE = Fraction(1, 2)  # the share of the gap that what follows the planned steps may take
MOST_STEPS = 100_000  # maximum number of steps planned
MOST_PASSES = 2000  # maximum number of passes that tighten a bound on the rewards of a path
ULP = 2.0**-52
SETTLED = 1e-3
"""Change per pass, in steps, at which the number of steps is scaled to a bound: below 1/2, as 1 - 2 SETTLED divides."""
STILL = 1e-6  # change per pass, as a share of the trivial bound, at which a bound on rewards is not tightened further

Floats: TypeAlias = npt.NDArray[Any]
Actions: TypeAlias = Callable[[int], Sequence[Action]]
"""The actions of a state that are considered."""


@dataclass(frozen=True)
class Tail:
    """What the steps after T can add: a number in ``[low, high]`` or, if ``expected``, one whose mean lies there; an
    objective then changes by at most its Lipschitz constant times ``low`` and ``high``."""

    low: Fraction
    high: Fraction
    expected: bool

    def of(self, objective: Weighting) -> tuple[Fraction, Fraction] | None:
        """Return bounds on the change of an objective, None if there are none."""
        if not self.expected:
            return self.low, self.high
        if objective.lipschitz == math.inf:
            return None
        return Fraction(objective.lipschitz) * self.low, Fraction(objective.lipschitz) * self.high


def plan_without_horizon(
    mdp: MDP, objective: Weighting, gap: Fraction | None, solve: Callable[[MDP, Fraction | None], Plan]
) -> EndlessPlan:
    """Plan as many steps as keep all that can follow within :data:`SHARE` of the gap, as far as possible.

    :param solve: plan a model with a horizon for the part of the gap that is left
    :raises Unsupported: if nothing bounds what follows; the message says what is missing
    :raises InvalidArgument: if the gap takes more than :data:`MOST_STEPS` steps
    """
    if gap == 0:
        raise InvalidArgument("gap is 0: bounds for a model without a horizon do not meet, wanted a positive gap")
    left = None if gap is None else gap * (1 - SHARE)
    if mdp.discount == 1 and objective.lipschitz == math.inf:
        raise Unsupported(
            f"{objective.spec} is not Lipschitz, so that rare long episodes cannot be neglected in {mdp!r}",
            instead="mean, cvar(a), a discount below 1, or with_horizon(T)",
        )
    live = None if mdp.discount < 1 else _Live(mdp)
    if live is not None and live.kept:
        return _plan_costs(mdp, objective, gap, lambda cut: solve(cut, left))
    steps, tail = _discounted(mdp, gap) if live is None else _absorbed(mdp, live, objective, gap)
    cut = mdp.with_horizon(steps)
    return EndlessPlan.of(solve(cut, left), tail, greedy_for_the_mean(cut, steps))


def _plan_costs(mdp: MDP, objective: Weighting, gap: Fraction | None, solve: Callable[[MDP], Plan]) -> EndlessPlan:
    """Plan more and more steps until what can follow the plan's policy is within the share of the gap, or until half as
    many steps again do not halve it."""
    after = _way_out(mdp)
    live = _Live(mdp, after)
    left, steps, least = live.costs(), 0, None
    wanted = SHARE * (gap or DEFAULT_GAP * Fraction(objective.lipschitz) * _most(left, live.initial))
    while not steps or Fraction(objective.lipschitz) * _most(left, live.initial) > wanted / 2:
        left, steps = live.passed(left), steps + 1
        _check_steps(steps, gap)
    while True:
        cut = solve(mdp.with_horizon(steps))
        tail = tail_after(cut, after)
        enough = -tail.low * Fraction(objective.lipschitz) <= wanted
        if enough or (least is not None and 2 * tail.low < least) or steps > MOST_STEPS:
            return EndlessPlan.of(cut, tail, after)
        least, steps = tail.low, steps + -(-steps // 2)


def _way_out(mdp: MDP) -> list[int]:
    """Return the action of each state in a stationary policy that ends from every state, found by costs.

    :raises Unsupported: if a reward is positive, or no such policy is found
    """
    paid = next((mdp.state_name(s) for s, _, action in mdp if action.reward_range[1] > 0), None)
    if paid is not None:
        raise Unsupported(
            f"without a horizon or a discount, a policy can stay for ever in {_Live(mdp).kept_words}, which is no end, "
            f"and a reward in {paid} is positive",
            instead="a discount below 1, with_horizon(T), rewards of 0 or less, or a model that every policy ends",
        )
    steps = mdp.n_states
    while True:
        after = greedy_for_the_mean(mdp, steps)
        live = _Live(mdp, after)
        if not live.kept:
            return after
        steps *= 4
        if steps > MOST_STEPS:
            raise Unsupported(
                f"the stationary policy that is best for the mean can stay for ever in {live.kept_words}",
                instead="a discount below 1, with_horizon(T), or a model with a way to an end from every state",
            )


def _discounted(mdp: MDP, gap: Fraction | None) -> tuple[int, Tail]:
    gamma, low, high = mdp.discount, -_largest_sum(mdp, -1), _largest_sum(mdp, 1)
    whole = high - low
    wanted = SHARE * (gap or DEFAULT_GAP * whole)
    if (1 - MOST_STEPS * (1 - gamma)) * whole > wanted:  # gamma**n >= 1 - n (1 - gamma)
        _check_steps(MOST_STEPS + 1, gap)
    most = 1
    while gamma**most * whole > wanted:
        most *= 2
        _check_steps(most // 2, gap)
    steps = bisect_left(range(1, most), True, key=lambda n: gamma**n * whole <= wanted) + 1
    _check_steps(steps, gap)
    return steps, _surely(gamma**steps, low, high)


def _surely(left: Fraction, low: Fraction, high: Fraction) -> Tail:
    return Tail(tidy_below(left * low), tidy_above(left * high), expected=False)


def tail_after(cut: Plan, afterwards: Sequence[int]) -> Tail:
    """Return what follows the steps of a plan whose policy then takes the actions ``afterwards``."""
    mdp = cut.mdp
    if mdp.discount < 1:
        return _surely(mdp.discount**mdp.horizon, -_largest_sum(mdp, -1), _largest_sum(mdp, 1))
    live = _Live(mdp)
    if live.kept:
        live = _Live(mdp, afterwards)
        law = state_law_above(mdp, cut.policy)
        if live.kept or law is None:
            raise Unsupported(f"what follows the {mdp.horizon} steps of the plan has no bound")
        cost = math.fsum(law[live.states] * live.costs()) * (1 + 4 * ULP)
        return Tail(-tidy_above(Fraction(cost)), Fraction(), expected=True)
    left = live.steps()
    for _ in range(mdp.horizon):
        left = live.passed(left)
    return _in_expectation(mdp, _most(left, live.initial))


def _in_expectation(mdp: MDP, steps: Fraction) -> Tail:
    low, high = mdp.reward_range
    return Tail(min(low, Fraction()) * steps, max(high, Fraction()) * steps, expected=True)


def _largest_sum(mdp: MDP, sign: int) -> Fraction:
    """Return an upper bound on ``sign`` times the discounted sum of rewards from any state that can be met.

    The sums of single paths are at most any ``v`` with ``v(s) >= r + gamma * v(s')`` for every outcome.  The largest
    reward over ``1 - gamma`` is such a v, and so is each iterate from it, as every rounding is less than ``slack``.
    """
    number = {s: i for i, s in enumerate(_reached(mdp))}
    firsts: list[int] = []
    targets: list[int] = []
    pays: list[float] = []
    for s in number:
        firsts.append(len(targets))
        for action in mdp.actions(s):
            most = max(sign * end for end in action.reward_range)
            joint = [(k, most) for k, _ in action.successors] if action.independent else None
            for k, r in joint or [(k, sign * r) for _, k, r in action.outcomes]:
                targets.append(number[k])
                pays.append(float(r))
    low, high = mdp.reward_range
    trivial = max(sign * low, sign * high) / (1 - mdp.discount)
    scale = float(max(abs(low), abs(high)) / (1 - mdp.discount))
    slack, gamma = 16 * ULP * scale, float(mdp.discount)
    found = np.full(len(number), float(trivial) + slack)
    for _ in range(MOST_PASSES):
        after = np.maximum.reduceat(np.array(pays) + gamma * found[targets], firsts) + slack
        change, found = float(np.max(found - after)), np.minimum(after, found)
        if change <= STILL * scale:
            break
    return min(trivial, Fraction(float(found.max())))


def _absorbed(mdp: MDP, live: _Live, objective: Weighting, gap: Fraction | None) -> tuple[int, Tail]:
    left, steps = live.steps(), 0
    wanted = SHARE * (gap or DEFAULT_GAP * _worth(mdp, objective) * max(_most(left, live.initial), Fraction(1)))
    while not steps or _worth(mdp, objective) * _most(left, live.initial) > wanted:
        left, steps = live.passed(left), steps + 1
        _check_steps(steps, gap)
    return steps, _in_expectation(mdp, _most(left, live.initial))


def _worth(mdp: MDP, objective: Weighting) -> Fraction:
    """Return the most by which one expected step can move the bounds of an objective apart."""
    low, high = mdp.reward_range
    return Fraction(objective.lipschitz) * max(high, -low, high - low)


def _most(left: Floats, initial: Floats) -> Fraction:
    return Fraction(float(left[initial].max(initial=0.0)))


def _check_steps(steps: int, gap: Fraction | None) -> None:
    if steps > MOST_STEPS:
        shown = "the default" if gap is None else said(gap)
        raise InvalidArgument(f"gap is {shown}, which takes more than {MOST_STEPS:,} steps, wanted a larger one")


class _Live:
    """The states from which something can still be earned, and upper bounds on the number of their steps: under every
    policy, or under the stationary one with the actions ``after``.

    A pass is a sum of at most ``k`` products of nonnegative floats: after ``k + 1`` roundings, and one of each
    probability, the exact value is below the computed one times ``1 + (k + 3) * 2**-52``.
    """

    def __init__(self, mdp: MDP, after: Sequence[int] | None = None) -> None:
        def actions(s: int) -> Sequence[Action]:
            return mdp.actions(s) if after is None else [mdp.actions(s)[after[s]]]

        met = _reached(mdp)
        dead = _closed(actions, met, every=True)
        self.kept = _closed(actions, met - dead, every=False)
        self.kept_words = ""
        """The states in which a policy can stay for ever without an end."""
        if self.kept:
            more = f" and {len(self.kept) - 1} more" if len(self.kept) > 1 else ""
            self.kept_words = f"{mdp.state_name(min(self.kept))}{more}"
        self.states = [s for s in range(mdp.n_states) if s in met and s not in dead]
        number = {s: i for i, s in enumerate(self.states)}
        self.initial = np.array([number[s] for s, _ in mdp.initial if s in number], dtype=np.int64)
        self.rows, self.firsts, self.targets, self.masses = _arrays(actions, number)
        pays = [max(float(-_least_mean(a.reward)), 0.0) * (1 + 2 * ULP) for s in self.states for a in actions(s)[:1]]
        self.pays = np.array(pays)
        """Upper bounds on the mean cost of each live state's step, if it has one action."""
        self.up = 1 + (int(np.diff(self.rows, append=len(self.targets)).max(initial=1)) + 3) * ULP

    def passed(self, left: Floats) -> Floats:
        """Return an upper bound on the largest mean of ``left`` after one step."""
        if not len(self.rows):
            return left
        sums = np.add.reduceat(self.masses * np.append(left, 0.0)[self.targets], self.rows)
        return np.maximum.reduceat(sums, self.firsts) * self.up + 2.0**-900

    def steps(self) -> Floats:
        """Return an upper bound on the mean number of steps to the end, from each live state."""
        found = np.zeros(len(self.firsts))
        for _ in range(MOST_STEPS):
            after = (1 + self.passed(found)) * (1 + 2 * ULP)
            change = float(np.max(after - found, initial=0.0))
            found = after
            if change <= SETTLED:
                bound = found / (1 - 2 * SETTLED)  # 1 + P f <= f + c implies 1 + P b <= b for b = f / (1 - c)
                if np.all((1 + self.passed(bound)) * (1 + 2 * ULP) <= bound):
                    return bound
        raise Unsupported(
            f"some policy takes so long to end that {MOST_STEPS:,} passes do not bound its steps",
            instead="a discount below 1, or with_horizon(T)",
        )

    def costs(self) -> Floats:
        """Return an upper bound on the mean sum of costs to the end, from each live state, under the policy."""
        found, most = np.zeros(len(self.pays)), float(self.pays.max(initial=0.0))
        for _ in range(MOST_STEPS):
            before, found = found, self.pays + self.passed(found)
            if np.max(found - before, initial=0.0) <= STILL * most:
                break
        slack = 2 * float(np.max(self.pays + self.passed(found) - found, initial=0.0)) + 64 * ULP * float(
            found.max(initial=0.0)
        )
        bound = found + slack * self.steps()  # f >= pays + P f - c and h >= 1 + P h give b >= pays + P b, b = f + c h
        if not np.all((self.pays + self.passed(bound)) * (1 + 2 * ULP) <= bound):
            raise Unsupported("floats do not bound the costs of a policy to its end", instead="with_horizon(T)")
        return bound


def _arrays(actions: Actions, number: dict[int, int]) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the first entry of each action, the first action of each state, next states and probabilities; next
    states without a number are left out, and a last entry of probability 0 keeps every row nonempty."""
    rows: list[int] = []
    firsts: list[int] = []
    targets: list[int] = []
    masses: list[float] = []
    for s in number:
        firsts.append(len(rows))
        for action in actions(s):
            rows.append(len(targets))
            ways = [(number[k], p) for k, p in action.successors if k in number]
            targets += [k for k, _ in ways] + [len(number)]
            masses += [float(p) for _, p in ways] + [0.0]
    return np.array(rows, int), np.array(firsts, int), np.array(targets, int), np.array(masses)


def _reached(mdp: MDP) -> set[int]:
    """Return the states that some policy meets."""
    found = {s for s, _ in mdp.initial}
    new = found
    while new:
        new = {k for s in new for action in mdp.actions(s) for k, _ in action.successors} - found
        found |= new
    return found


def _closed(actions: Actions, states: Iterable[int], *, every: bool) -> set[int]:
    """Return the largest subset in whose states some action stays inside; if ``every``, all actions stay and pay 0."""
    found, test = set(states), all if every else any
    if every:
        found = {s for s in found if all(action.reward_range == (Fraction(), Fraction()) for action in actions(s))}
    while True:
        stay = {s for s in found if test(all(k in found for k, _ in a.successors) for a in actions(s))}
        if stay == found:
            return found
        found = stay


def greedy_for_the_mean(mdp: MDP, steps: int) -> list[int]:
    """Return the action of each state that is best for the mean when ``steps`` follow, found in float64."""
    rows, firsts, targets, masses = _arrays(mdp.actions, {s: s for s in range(mdp.n_states)})
    pays = np.array([float(_least_mean(action.reward)) for _, _, action in mdp])
    values = np.zeros(mdp.n_states)
    for _ in range(steps):
        worth = pays + float(mdp.discount) * np.add.reduceat(masses * np.append(values, 0.0)[targets], rows)
        values = np.maximum.reduceat(worth, firsts)
    return [int(np.argmax(own)) for own in np.split(worth, firsts[1:])]


def _least_mean(reward: Any) -> Fraction:
    """Return the mean of a law, and of a density the least that its mean can be."""
    return reward.mean if isinstance(reward, Law) else reward.low


@dataclass(frozen=True, repr=False)
class EndlessPlan(Plan):
    """A plan for a model without a horizon: ``cut`` is the plan of its first T steps, and the bounds include all that
    can follow.

    ``policy`` plays that of ``cut`` for T steps, then, for ever, the actions that are best for the mean in the long
    run.  ``law`` is the law of the return of the first T steps.
    """

    cut: Plan = field(kw_only=True, repr=False)
    tail: Tail = field(kw_only=True, repr=False)

    @classmethod
    def of(cls, cut: Plan, tail: Tail, afterwards: list[int]) -> EndlessPlan:
        """Widen the bounds of a plan by what follows.

        :param cut: the plan of the first steps
        :param tail: what follows them
        :param afterwards: the action of each state after them
        :returns: the plan for all steps
        """
        ends = tail.of(cut.objective)
        assert ends is not None
        low, high = ends
        lower, upper = cut.lower + low, cut.upper + high
        whole = cut.mdp.with_horizon(None)
        said = f"the first {cut.mdp.horizon} steps: {cut.certificate.method}"
        budget = ErrorBudget(said, (*cut.certificate.contributions, ("all steps after them", high - low)))
        return cls(
            whole, cut.objective, min(max(cut.value, lower), upper), lower, upper,
            EndlessPolicy(whole, cut.policy, afterwards), cut.known_law, cut.eta, budget, cut.known_error,
            cut=cut, tail=tail,
        )  # fmt: skip

    @property
    def _added(self) -> tuple[Fraction, Fraction]:
        """Bounds on what the later steps add to the plan's own objective, for which there always are some."""
        ends = self.tail.of(self.objective)
        assert ends is not None
        return ends

    @property
    def _law(self) -> tuple[Law, Fraction] | None:
        return self.cut._law

    def worth(self, objective: Weighting | str | None = None) -> Real | None:
        """Return an enclosure of the policy's value; None if nothing bounds it.

        :param objective: a weighting or its text form; by default the plan's own
        :returns: an :class:`Interval`, or None
        """
        weighting = self.objective if objective is None else read_objective(objective)
        first, ends = self.cut.worth(weighting), self.tail.of(weighting)
        if first is None or ends is None:
            return None
        low, high = bounds(first)
        return Interval(low + ends[0], high + ends[1])

    def __str__(self) -> str:
        low, high = self._added
        added = f"all later ones add {at_least(low)} to {at_most(high)}, which both bounds include"
        return f"{super().__str__()}\nsteps      {self.cut.mdp.horizon} are planned; {added}"

    @property
    def _described(self) -> Policy:
        return self.cut.policy

    def recheck(self, *, time_limit: Rational | None = None, progress: Report | None = None) -> Recheck:
        """Recheck both bounds of the first steps by their certificate; what follows is added as it stands.

        :param time_limit: seconds; a bound not confirmed by then is *unknown*
        :param progress: a callback that takes a :class:`~verified_risk.Progress`
        :returns: the bounds that were confirmed, and whether they are the plan's
        """
        found = self.cut.recheck(time_limit=time_limit, progress=progress)
        low, high = self._added
        return replace(
            found,
            lower=None if found.lower is None else found.lower + low,
            upper=None if found.upper is None else found.upper + high,
        )

    def prove(self, **options: Any) -> Proved:
        """Raise: the checker has no theorem for a model without a horizon.

        :param options: those of :meth:`Plan.prove`
        :raises Unsupported: always; ``plan.cut.prove()`` proves the bounds of the first steps
        """
        raise Unsupported(
            f"the checker needs a horizon; what follows the first {self.cut.mdp.horizon} steps is bounded on paper",
            instead="plan.cut.prove() for the steps before",
        )

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of the plan of the first steps, with what follows.

        :returns: plain lists, dicts, numbers and text
        """
        policy = self.policy
        assert isinstance(policy, EndlessPolicy)
        return {**self.cut.to_json(), "endless": {"afterwards": list(policy.afterwards)}}

    @classmethod
    def of_json(cls, cut: Plan, data: dict[str, Any]) -> EndlessPlan:
        """Read what :meth:`to_json` adds to the plan of the first steps; what follows them is bounded again.

        :param cut: that plan
        :param data: the entry ``"endless"``
        :returns: the plan
        """
        return cls.of(cut, tail_after(cut, data["afterwards"]), data["afterwards"])
