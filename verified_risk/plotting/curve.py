r"""The curve that CVaR planning maximises, and why a local search may fail on it.

.. math:: J(\rho) = \rho - \tfrac1\alpha\, \mathbf E_D W_0(S, \rho), \qquad \mathrm{CVaR}^*_\alpha = \max_\rho J(\rho) .

For one policy J is concave; the best policy changes with :math:`\rho`, so the curve of the best is a maximum of concave
functions and need not be concave.
"""

from fractions import Fraction

from ..errors import InvalidArgument
from ..grid import grid_model, own_unit
from ..mdp import MDP
from ..numbers.rational import Rational, as_probability
from ..planning.exact_route import budget_pass
from .picture import BLUE, GREY, INK, QUIET, RED, Picture, annotate, new_figure, quiet_grid, short, style

Curve = list[tuple[Fraction, Fraction]]
MOST_NAMED = 6  # further local maxima are marked, not named


def shortfall_curve(mdp: MDP, alpha: Rational, *, refine: int = 8) -> tuple[Curve, Curve]:
    r"""Return exact pairs :math:`(\rho, J(\rho))`, first at the attainable returns, then ``refine`` times as densely.

    Between two attainable returns J is convex, so its maximum is at an attainable return.

    >>> from verified_risk import MDP
    >>> mdp = MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=1)
    >>> [(str(rho), str(value)) for rho, value in shortfall_curve(mdp, "1/4")[0]]
    [('0', '0'), ('1/4', '1/4'), ('1/2', '1/4')]
    """
    level = as_probability(alpha, "alpha")
    if level == 0:
        raise InvalidArgument("alpha is 0, wanted a level in (0, 1]")
    if refine < 1:
        raise InvalidArgument(f"refine is {refine}, wanted at least 1")
    unit = own_unit(mdp) / refine
    fine = grid_model(mdp, unit)
    attainable = sorted({z for sums in fine.reachable()[-1].values() for z in sums})
    pad = max(1, (attainable[-1] - attainable[0]) // 8)
    budgets = range(attainable[0] - pad, attainable[-1] + pad + 1)
    total = fine.denominator**fine.horizon * fine.initial_denominator
    first = budget_pass(fine, budgets, lambda b: max(b, 0), lambda t, s, b: None)[0]

    def value(b: int) -> Fraction:
        shortfall = Fraction(sum(w * first[s, b][0] for s, w in fine.initial), total)
        return (b - shortfall / level) * unit

    return [(b * unit, value(b)) for b in attainable], [(b * unit, value(b)) for b in budgets]


@style()
def draw_curve(mdp: MDP, alpha: Rational, *, refine: int = 8, title: str = "What CVaR planning maximises") -> Picture:
    r"""Plot the curve :math:`J(\rho)` with its maximum, the attainable returns, and every other local maximum."""
    marked, curve = shortfall_curve(mdp, alpha, refine=refine)
    best = max(value for _, value in marked)
    figure = new_figure(6.4, 3.4)
    axes = figure.subplots()
    axes.plot([float(x) for x, _ in curve], [float(v) for _, v in curve], color=BLUE, label=r"$J(\rho)$")
    axes.axhline(float(best), color=QUIET, linewidth=0.8, linestyle=(0, (1, 1.5)))
    peaks = local_maxima(curve)
    for rho, value in peaks:
        top = value == best
        words = rf"optimum $J$ = {short(value)} at $\rho$ = {short(rho)}" if top else f"local {short(value)}"
        at, colour = (float(rho), float(value)), RED if top else GREY
        axes.plot(*at, "*" if top else "v", color=colour, markersize=11 - 3 * (not top), zorder=3)
        if top or len(peaks) <= MOST_NAMED:
            annotate(axes, words, at, (0, 9 if top else 7), ha="center", color=colour, fontsize=9 if top else 8)
    rug = {"transform": axes.get_xaxis_transform(), "label": "attainable returns"}  # heights: fractions of the panel
    axes.plot([float(x) for x, _ in marked], [0.0] * len(marked), "|", color=INK, markersize=14, **rug)
    lowest = min(float(v) for _, v in marked)
    height = (float(best) - lowest) or 1.0
    axes.set(ylim=(lowest - 0.1 * height, float(best) + 0.16 * height), xlabel=r"threshold $\rho$")
    axes.set(ylabel=rf"$J(\rho)$ at $\alpha$ = {short(as_probability(alpha, 'alpha'))}", title=title)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 0.08), ncols=2)
    quiet_grid(axes)
    return Picture(figure)


def local_maxima(curve: Curve) -> Curve:
    """Return the points strictly above both neighbours (a plateau counts once, at its left end)."""
    found = []
    for i in range(1, len(curve) - 1):
        after = next((v for _, v in curve[i + 1 :] if v != curve[i][1]), curve[i][1])
        if curve[i - 1][1] < curve[i][1] and after < curve[i][1]:
            found.append(curve[i])
    return found
