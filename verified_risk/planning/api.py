r"""``plan(mdp, G)``: the certified planner.

The policy is found in float64; the certificate holds for the exact model (docs/theory/05-certificates.md, part C):

* rewards are rounded up to a grid, so the optimum can only rise, by less than ``T * eta``; discounted rewards stay
  between grid points, where tables are interpolated (part D);
* the grid model is solved in float64, with bounds that account for every rounding;
* the policy is adapted to the original model and, if affordable, evaluated there exactly.

Among policies that are as good, :func:`break_ties` takes one that a second objective prefers.  A plan for :math:`\Phi`
may be indifferent between actions: a CVaR does not care what happens once the worst cases are decided.  A plan for
:math:`(1 - \varepsilon) \Phi + \varepsilon \Phi_2` with a small epsilon is not, and its policy loses at most about
epsilon times the range of returns (theory 05, B12).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import overload

from ..errors import InvalidArgument, Unsupported, hints_at_arguments
from ..kernels.jit import reporting_compilations
from ..mdp import MDP, IntervalMDP
from ..mdp.model import required_model
from ..numbers.enclosure import bounds
from ..numbers.rational import Rational
from ..objectives import Weighting
from ..objectives import objective as read_objective
from ..policy.cell_policy import CellPolicy
from ..progress import Report, read_report
from .affordable_law import affordable_law, worth_within
from .clock import Clock, read_nonnegative, read_seconds
from .constraints import ConstrainedPlan, Constraint, plan_by_lagrangian, plan_one_level
from .grid_choice import unit_that_fits
from .no_horizon import plan_without_horizon
from .problem import Problem
from .result import Plan
from .robust import RobustPlan, plan_robustly
from .routes import solve
from .search.driver import DEFAULT_GAP


@overload
def plan(
    mdp: MDP, objective: Weighting | str, *, eta: Rational | None = None, gap: Rational | None = None,
    time_limit: float | None = None, progress: Report | None = None, then: Weighting | str | None = "auto",
    subject_to: None = None, against: None = None,
) -> Plan: ...  # fmt: skip
@overload
def plan(
    mdp: MDP, objective: Weighting | str, *, eta: Rational | None = None, gap: Rational | None = None,
    time_limit: float | None = None, progress: Report | None = None, then: Weighting | str | None = "auto",
    subject_to: Sequence[str | Constraint], against: None = None,
) -> ConstrainedPlan: ...  # fmt: skip
@overload
def plan(
    mdp: IntervalMDP, objective: Weighting | str, *, eta: Rational | None = None, gap: Rational | None = None,
    time_limit: float | None = None, progress: Report | None = None, against: str,
) -> RobustPlan: ...  # fmt: skip
@hints_at_arguments
def plan(
    mdp: MDP | IntervalMDP,
    objective: Weighting | str,
    *,
    eta: Rational | None = None,
    gap: Rational | None = None,
    time_limit: float | None = None,
    progress: Report | None = None,
    then: Weighting | str | None = "auto",
    subject_to: Sequence[str | Constraint] | None = None,
    against: str | None = None,
) -> Plan | ConstrainedPlan | RobustPlan:
    """Return a policy with certified bounds on the optimum.

    The bounds hold over *all* policies, including randomised and history-dependent ones.

    >>> import verified_risk as vr
    >>> mdp = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=1)
    >>> answer = vr.plan(mdp, vr.CVaR("1/4"))
    >>> answer.lower, answer.upper >= answer.lower
    (Fraction(1, 4), True)

    ``eta`` is the step of the reward grid.  By default it is that of the rewards' own grid if one exists and fits in
    memory; otherwise the grid meets ``gap`` (default: at most a thousandth of the range of returns) or is the finest
    that fits.  With a discount, mean and CVaR are interpolated on a grid that becomes finer from step to step
    (:mod:`verified_risk.planning.tails.interpolated_tables`), and a search interpolates its tables
    (:mod:`verified_risk.planning.search.cells_route`); its default gap is a thousandth of the range of returns,
    and it runs for a minute unless ``time_limit`` is given.  Mean, CVaR, their mixtures and VaR need no search.  All
    other weightings do: the search stops when ``upper - lower`` is at most ``gap`` (default: a millionth of the range
    of returns) or after ``time_limit`` seconds (default: a minute if no gap is given either), and the bounds are valid
    whenever it stops.  The smallest gap that floats can certify is about 1e-10 of the range of returns; a smaller
    ``gap`` implies a time limit of a minute if none is given.  ``objective`` may be text, ``"cvar(1/10)"``.
    ``progress`` is called with a :class:`~verified_risk.Progress` at intervals.

    With ``subject_to``, a list such as ``["cvar(1/10) >= -5"]``, the answer is a
    :class:`~verified_risk.ConstrainedPlan`: a policy, usually a mixture of a few, that meets the constraints, and an
    upper bound over all policies that do.  For the mean, CVaR at one level and mixtures of the two, with rewards on a
    grid, the bounds meet (:mod:`verified_risk.planning.constraints`); for all others they are those of Lagrangian
    duality, which may leave a gap.

    A model without a horizon is planned for as many steps as keep all that can follow within half the gap, and both
    bounds include it (:mod:`verified_risk.planning.no_horizon`): with a discount below 1, or if every policy reaches
    states that pay nothing more, or if no reward is positive and some policy reaches such states from everywhere.

    CVaR, VaR and others are indifferent between many policies.  By default (``then="auto"``) the last pass over a grid
    prefers, among those that are as good, one with the better mean, at a loss of at most ``2**-33`` of the range of
    returns, which the bounds include; ``then=None`` takes what comes first.  ``then="mean"``, or any other objective,
    replaces the policy of any plan by one that this objective prefers and that loses at most ``gap``, or a millionth of
    the range of returns if that is more; it takes a second plan.

    If probabilities are known up to intervals (:class:`~verified_risk.IntervalMDP`), ``against="worst"`` maximises what
    is certain at any rates within them and ``"best"`` what is possible, for the mean, CVaR, their mixtures and VaR; the
    answer is a :class:`~verified_risk.RobustPlan`.

    Possible issues: ties between actions break towards the least index, in float64; compare values, not policies.  A
    ``time_limit`` bounds the call, to within a second and one pass, but not the compilation of the kernels; if it is
    short, an irrational weighting is enclosed less tightly, and the certificate lists the steps left out (the policy's
    exact law, ties decided in integers).

    :param mdp: the model
    :param objective: a weighting, or its text form
    :param eta: the step of the grid of rewards
    :param gap: the largest acceptable ``upper - lower``
    :param time_limit: seconds
    :param progress: a callback that takes a :class:`~verified_risk.Progress`
    :param then: an objective that decides between policies that are as good; "auto" for the mean, in one pass
    :param subject_to: lower bounds on other objectives
    :param against: ``"worst"`` or ``"best"``: the rates, within their intervals, to plan for
    :returns: bounds, policy, law and certificate
    :raises InvalidArgument: if an option is out of range, or the tables do not fit in memory; the message names a grid
        that fits
    :raises InvalidObjective: if the text is not a weighting
    :raises Infeasible: if no policy meets the constraints
    :raises Unsupported: if there are constraints and entropic risks, no horizon, or continuous rewards
    """
    uncertain = mdp if isinstance(mdp, IntervalMDP) else None
    if uncertain is None and against is not None:
        raise InvalidArgument(
            f"against is {against!r}, wanted None: only MDP.from_arrays((P_low, P_high), R) has intervals"
        )
    mdp = required_model(mdp if uncertain is None else uncertain.nominal)
    progress = read_report(progress)
    objective = read_objective(objective)
    wanted = read_nonnegative(gap, "gap")
    limit = read_seconds(time_limit)
    if uncertain is not None:
        if then not in (None, "auto") or subject_to is not None:
            raise Unsupported("plans at uncertain rates break no ties by a second objective and have no constraints")
        unit = None if eta is None else unit_that_fits(mdp, eta)
        return plan_robustly(uncertain, objective, against, eta=unit, gap=wanted, time_limit=limit)
    if subject_to is not None:
        if isinstance(subject_to, (str, Constraint)):
            raise InvalidArgument(f"subject_to is {subject_to!r}, wanted a list of constraints")
        if mdp.endless:
            raise Unsupported("constraints need a horizon", instead="mdp.with_horizon(T)")
        if not mdp.is_discrete:
            raise Unsupported("constraints need finitely many rewards", instead="mdp.discretised(eta)")
    clock = Clock(limit)

    def planned(mdp: MDP, gap: Fraction | None) -> Plan:
        unit, left = None if eta is None else unit_that_fits(mdp, eta), None if limit is None else max(clock.left, 0.0)
        problem = Problem(mdp, objective, unit, gap, left, progress, by_mean=then == "auto")
        found = solve(problem)
        return found if then is None or then == "auto" else break_ties(found, problem, read_objective(then))

    with reporting_compilations(progress):
        if subject_to is not None:
            unit, kept = None if eta is None else unit_that_fits(mdp, eta), tuple(Constraint.of(c) for c in subject_to)
            asked = Problem(mdp, objective, unit, wanted, limit)
            return plan_one_level(asked, kept) or plan_by_lagrangian(asked, kept)
        return plan_without_horizon(mdp, objective, wanted, planned) if mdp.endless else planned(mdp, wanted)


# -- ties --------------------------------------------------------------------------------------------------------------


def break_ties(found: Plan, problem: Problem, then: Weighting) -> Plan:
    """Return the plan with a policy that loses at most the gap to it, or a millionth of the range of returns if that is
    more, and is at least as good for ``then``; the plan itself if there is none.

    :raises InvalidObjective: if the two objectives have no mixture
    :raises Unsupported: if the plan's tables are read between grid points
    """
    low, high = problem.mdp.remaining_range(0)
    if low == high:
        return found
    if isinstance(found.policy, CellPolicy):
        raise Unsupported(
            "a plan whose tables are read between grid points breaks no ties", instead="rewards on a grid, or then=None"
        )
    allowed = min(max(problem.gap or Fraction(), DEFAULT_GAP * (high - low)), high - low)
    share = allowed / (2 * (high - low))
    both = (1 - share) * found.objective + share * then
    assert isinstance(both, Weighting)
    left = None if problem.seconds is None else max(problem.clock.left, 0.0)
    other = solve(Problem(problem.mdp, both, found.eta if problem.eta is not None else None, allowed / 4, left))
    laws = [affordable_law(problem.mdp, plan.policy) for plan in (found, other)]
    if laws[0] is None or laws[1] is None:
        return found
    own, better = ([bounds(worth_within(w, *law, (low, high))) for w in (found.objective, then)] for law in laws if law)
    if better[0][0] < found.lower - allowed or better[1][0] <= own[1][1]:
        return found
    law, error = laws[1]
    words = f"{found.certificate.method}; of equal policies the best for {then.spec}"
    lower = min(better[0][0], found.upper)
    return replace(
        found, policy=other.policy, known_law=law, known_error=error, lower=lower, value=lower,
        certificate=replace(found.certificate, method=words),
    )  # fmt: skip
