r"""``plan(mdp, G)``: the certified planner.

The policy is found in float64; the certificate holds for the exact model (docs/theory/05-certificates.md, part C):

* rewards are rounded up to a grid, so the optimum can only rise, by less than ``T * eta``; discounted rewards stay
  between grid points, where tables are interpolated (part D);
* the grid model is solved in float64, with bounds that account for every rounding;
* the policy is adapted to the original model and, if affordable, evaluated there exactly.
"""

from __future__ import annotations

from ..kernels.jit import reporting_compilations
from ..mdp import MDP
from ..mdp.model import required_model
from ..numbers.rational import Rational
from ..objectives import Weighting
from ..objectives import objective as read_objective
from ..progress import Report, read_report
from .clock import read_nonnegative, read_seconds
from .grid_choice import unit_that_fits
from .problem import Problem
from .result import Plan
from .routes import solve


def plan(
    mdp: MDP,
    objective: Weighting | str,
    *,
    eta: Rational | None = None,
    gap: Rational | None = None,
    time_limit: float | None = None,
    progress: Report | None = None,
) -> Plan:
    """Return a policy with certified bounds on the optimum.

    The bounds hold over *all* policies, including randomised and history-dependent ones.

    >>> import verified_risk as vr
    >>> mdp = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=1)
    >>> answer = vr.plan(mdp, vr.CVaR("1/4"))
    >>> answer.lower, answer.upper >= answer.lower
    (Fraction(1, 4), True)

    ``eta`` is the step of the reward grid.  By default it is that of the rewards' own grid if one exists and fits in
    memory; otherwise the grid meets ``gap`` (default: a thousandth of the range of returns) or is the finest that fits.
    With a discount, mean and CVaR are interpolated on a grid that becomes finer from step to step
    (:mod:`verified_risk.planning.tails.interpolated_tables`), and a search interpolates its tables
    (:mod:`verified_risk.planning.search.cell_coordinates`); its default gap is a thousandth of the range of returns,
    and it runs for a minute unless ``time_limit`` is given.  Mean, CVaR, their mixtures and VaR need no search.  All
    other weightings do: the search stops when ``upper - lower`` is at most ``gap`` (default: a millionth of the range
    of returns) or after ``time_limit`` seconds (default: a minute if no gap is given either), and the bounds are valid
    whenever it stops.  The smallest gap that floats can certify is about 1e-10 of the range of returns; a smaller
    ``gap`` implies a time limit of a minute if none is given.  ``objective`` may be text, ``"cvar(1/10)"``.
    ``progress`` is called with a :class:`~verified_risk.Progress` at intervals.

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
    :returns: bounds, policy, law and certificate
    :raises InvalidArgument: if an option is out of range, or the tables do not fit in memory; the message names a grid
        that fits
    :raises InvalidObjective: if the text is not a weighting
    """
    mdp = required_model(mdp)
    progress = read_report(progress)
    objective = read_objective(objective)
    wanted = read_nonnegative(gap, "gap")
    limit = read_seconds(time_limit)
    unit = None if eta is None else unit_that_fits(mdp, eta)
    with reporting_compilations(progress):
        return solve(Problem(mdp, objective, unit, wanted, limit, progress))
