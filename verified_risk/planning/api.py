r"""``plan(mdp, G)``: the certified planner.

Floats find the policy; the certificate is about the exact model (docs/theory/05-certificates.md, part C):

* rewards are put on a grid, rounded up if they are not on it: the optimum can only rise, by less than ``T * eta``;
  discounted rewards lie between grid points instead, and tables are read there (part D);
* the grid model is solved in float64, with bounds that account for every rounding;
* the policy is adapted to the model itself, and evaluated there exactly where that is affordable.
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
    """A policy with certified bounds on the optimum over *all* policies, randomised and history-dependent ones
    included.

    >>> import verified_risk as vr
    >>> mdp = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=1)
    >>> answer = vr.plan(mdp, vr.CVaR("1/4"))
    >>> answer.lower, answer.upper >= answer.lower
    (Fraction(1, 4), True)

    ``eta`` is the grid of rewards; without it, the rewards' own grid is used where there is one and it fits in
    memory, and otherwise a grid that meets ``gap`` (default: a thousandth of the range of returns), or the finest that
    fits.  With a discount, mean and CVaR are read between the points of a grid that gets finer from step to step
    (:mod:`verified_risk.planning.tails.interpolated_tables`), and a search reads its tables between grid points
    (:mod:`verified_risk.planning.search.cell_coordinates`); its default gap is a thousandth of the range of returns,
    and it gets a minute unless ``time_limit`` says otherwise.  Mean, CVaR, their mixtures and VaR need no search.  All
    other weightings do: it stops when ``upper - lower`` is at most ``gap`` (default: a millionth of the range of
    returns) or after ``time_limit`` seconds (default: a minute if no gap is given either), and the bounds are valid
    whenever it stops.  It goes no closer than about 1e-10 of the range of returns, which is what floats can certify;
    a smaller ``gap`` gets a time limit of a minute if none is given.
    ``objective`` may be text, ``"cvar(1/10)"``.  ``progress`` is called with a :class:`~verified_risk.Progress` now and
    then.

    Possible issues: ties between actions break towards the least index, in float64; compare values, not policies.  A
    ``time_limit`` bounds the call, to within a second and one pass, but not the compilation of the kernels; where it is
    short, an irrational weighting is enclosed less closely, and what was left out (the policy's exact law, ties decided
    in integers) is said in the certificate.

    :param mdp: the model
    :param objective: a weighting, or its text
    :param eta: the step of the grid of rewards
    :param gap: when the bounds are close enough
    :param time_limit: seconds
    :param progress: a function of a :class:`~verified_risk.Progress`
    :returns: bounds, policy, law and certificate
    :raises InvalidArgument: if an option is out of range, or the tables do not fit in memory; a grid that fits is named
    :raises InvalidObjective: if the text is no weighting
    """
    mdp = required_model(mdp)
    progress = read_report(progress)
    objective = read_objective(objective)
    wanted = read_nonnegative(gap, "gap")
    limit = read_seconds(time_limit)
    unit = None if eta is None else unit_that_fits(mdp, eta)
    with reporting_compilations(progress):
        return solve(Problem(mdp, objective, unit, wanted, limit, progress))
