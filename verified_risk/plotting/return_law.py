r"""The law of a return, its quantiles, and its weights under an objective.

An objective :math:`\Phi = \int F^\dagger\,dG` replaces the probability :math:`F(x_i) - F(x_{i-1})` of each atom by the
weight :math:`G(F(x_i)) - G(F(x_{i-1}))`.  The picture shows both, the CDF with some quantiles, and beside it how much
weight G puts on each level :math:`\tau`.

Several laws, such as a claimed and an actual one, are drawn side by side.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ..errors import InvalidArgument
from ..law import Law
from ..numbers.format import above
from ..numbers.rational import Rational, as_fraction
from ..objectives import Weighting
from ..objectives import objective as read_objective
from ..objectives.entropic import Entropic
from ..planning import Plan
from .picture import BLUE, GREY, INK, LIGHT, QUIET, RED, Picture, annotate, new_figure, quiet_grid, short, style

LEVELS = ("1/20", "1/4", "1/2")
MOST_BARS = 40
CELLS = 200


@style()
def draw_law(
    law: Law,
    objective: Weighting | str | None = None,
    *,
    quantiles: Iterable[Rational] = LEVELS,
    title: str = "Law of the return",
) -> Picture:
    """Plot masses and CDF of a law with its quantiles; with an ``objective``, also its weights."""
    levels = [as_fraction(tau, "quantile level") for tau in quantiles]
    objective = None if objective is None else read_objective(objective)
    if isinstance(objective, Entropic):  # it weighs no levels
        objective = None
    figure = new_figure(6.4, 4.6)
    if objective is None:
        masses, cdf = figure.subplots(2, 1, sharex=True, height_ratios=[2, 3])
    else:
        grid = figure.subplots(2, 2, sharex="col", sharey="row", height_ratios=[2, 3], width_ratios=[5, 1])
        (masses, corner), (cdf, weights) = grid
        corner.axis("off")
        _draw_weights(weights, objective)
        if _shade_the_weighed_levels((cdf, weights), objective):
            words = "shaded: levels\nthat weigh more\nthan their share"
            corner.annotate(words, (0.0, 0.0), xycoords="axes fraction", color=GREY, fontsize=8, annotation_clip=False)
    _draw_masses(masses, law, objective)
    _draw_cdf(cdf, law, objective, levels)
    figure.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold")
    return Picture(figure)


def _draw_masses(axes: Any, law: Law, objective: Weighting | None) -> None:
    xs = [float(x) for x in law.atoms]
    probabilities = [float(p) for p in law.masses]
    if len(law) > MOST_BARS:
        axes.vlines(xs, 0, probabilities, color=QUIET, linewidth=1.2, label="probability")
        if objective is not None:
            axes.plot(xs, _weights(law, objective), color=RED, linewidth=1.2, label=f"weight in {objective.spec}")
    else:
        width = _bar_width(xs)
        if objective is None:
            axes.bar(xs, probabilities, width, color=BLUE, label="probability")
        else:
            half = width / 2
            axes.bar([x - half / 2 for x in xs], probabilities, half, color=LIGHT, edgecolor=QUIET, label="probability")
            look = {"color": "white", "edgecolor": RED, "hatch": "/////", "label": f"weight in {objective.spec}"}
            axes.bar([x + half / 2 for x in xs], _weights(law, objective), half, **look)
    axes.set_ylim(bottom=0)
    quiet_grid(axes)
    if objective is not None:
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 0.98), borderaxespad=0.0, ncols=2)
    axes.set_ylabel("probability" if objective is None else "probability, weight")


def _weights(law: Law, objective: Weighting) -> list[float]:
    values = [0.0, *(float(objective.value(level)) for level in law.cumulative())]
    return [after - before for before, after in pairwise(values)]


def _bar_width(xs: list[float]) -> float:
    gaps = [b - a for a, b in pairwise(xs)]
    return 0.8 * min(max(min(gaps, default=1.0), (xs[-1] - xs[0]) / 40), 0.4 if len(xs) == 1 else (xs[-1] - xs[0]) / 6)


def _draw_cdf(axes: Any, law: Law, objective: Weighting | None, levels: list[Fraction]) -> None:
    xs = [float(x) for x in law.atoms]
    heights = [float(level) for level in law.cumulative()]
    margin = max(0.06 * (xs[-1] - xs[0]), 0.6 * _bar_width(xs)) if len(xs) > 1 else 1.0
    left, right = xs[0] - margin, xs[-1] + margin
    axes.step([left, *xs, right], [0.0, *heights, 1.0], where="post", color=INK)
    if len(xs) <= MOST_BARS:
        axes.plot(xs, heights, "o", color=INK, markersize=3.5)
    for tau in levels:
        x = float(law.quantile(tau))
        axes.plot([left, x], [float(tau)] * 2, color=BLUE, linewidth=0.9, linestyle=(0, (4, 3)))
        axes.plot([x], [float(tau)], "D", color=BLUE, markersize=4)
        room = x - left > 0.3 * (right - left)  # enough of the dashed line to write on
        crowded = float(law.cdf(law.quantile(tau)) - tau) < 0.08  # the next step of F would cross the text
        below = crowded and not room
        low = float(tau) < 0.1  # below would be on the axis
        words, at = f"{short(tau)}-quantile {short(law.quantile(tau))}", (left if room else x, float(tau))
        by = (4 if room else 7, (0 if low else -3) if below else 3)
        annotate(axes, words, at, by, va=("center_baseline" if low else "top") if below else "bottom", color=BLUE)
    if objective is not None:
        value = objective.of(law)
        axes.axvline(float(value), color=RED, linewidth=1.3, linestyle=(0, (1, 1.2)))
        words = f"$\\Phi$ = {short(value)}"
        annotate(axes, words, (float(value), 1.0), (4, 3), color=RED, fontsize=9, annotation_clip=False)
    axes.set(xlim=(left, right), ylim=(0, 1.08), ylabel=r"$F(x) = P(Z \leq x)$", xlabel="return")
    quiet_grid(axes)


def _density(objective: Weighting) -> list[float]:
    r"""Return the density of G over the level tau, averaged over cells; a jump of G shows as a spike."""
    values = [float(objective.value(Fraction(i, CELLS))) for i in range(CELLS + 1)]
    return [(after - before) * CELLS for before, after in pairwise(values)]


def _shade_the_weighed_levels(panels: Iterable[Any], objective: Weighting) -> bool:
    """Shade the levels whose weight exceeds their probability (the tail, for CVaR); return whether that is visible."""
    heavy = [i for i, weight in enumerate(_density(objective)) if weight > 1 + 1e-9]
    for axes in panels:
        begin = None
        for i in heavy:
            begin = i if begin is None else begin
            if i + 1 not in heavy:
                axes.axhspan(begin / CELLS, (i + 1) / CELLS, facecolor="#eeeeee", edgecolor="none", zorder=0)
                begin = None
    return len(heavy) > 1


def _draw_weights(axes: Any, objective: Weighting) -> None:
    density = _density(objective)
    edges = [i / CELLS for i in range(CELLS + 1)]
    axes.stairs(density, edges, orientation="horizontal", fill=True, facecolor="white", edgecolor=RED, hatch="/////")
    axes.stairs(density, edges, orientation="horizontal", color=RED, linewidth=1.0)
    axes.set(xlim=(0, max(density) * 1.15), xlabel=r"$G'(\tau)$")
    axes.tick_params(labelleft=False)


def draw_plan(plan: Plan) -> Picture:
    """Plot the law of the policy's return, its weights under the objective, and the certified bounds as the title."""
    if plan.gap == 0:
        claim = f"the best over all policies, {short(plan.value)}, is attained"
    else:
        claim = f"{short(plan.value)}, no policy is better by more than {above(plan.gap, 2)}"
    return draw_law(plan.required_law(), plan.objective, title=f"{plan.objective.spec}: {claim}")


HATCHES = ("", "/////", "\\\\\\\\", "xxxx")
COLOURS = (BLUE, RED, QUIET, INK)


def draw_bars(axes: Any, law: Law, width: float, i: int, linewidth: float) -> None:
    """Draw the masses of one of several laws, the ``i``-th, which differs in colour and in hatching."""
    colour, hatch = COLOURS[i % len(COLOURS)], HATCHES[i % len(HATCHES)]
    xs, ps = [float(x) for x in law.atoms], [float(p) for p in law.masses]
    axes.bar(xs, ps, width, color="white" if hatch else colour, edgecolor=colour, hatch=hatch, linewidth=linewidth)


@style()
def draw_comparison(
    laws: Sequence[tuple[str, Law]], objective: Weighting | str | None = None, *, title: str = "Laws of the return"
) -> Picture:
    """Plot one panel per ``(name, law)``, on the same axes; each states its objective, or its mean."""
    if not 1 <= len(laws) <= len(HATCHES):
        raise InvalidArgument(f"{len(laws)} laws, wanted 1 to {len(HATCHES)}")
    objective = None if objective is None else read_objective(objective)
    points = sorted({x for _, law in laws for x in law.atoms})
    gaps = [float(b - a) for a, b in pairwise(points)]
    width = 0.7 * min(gaps, default=1.0)
    tallest = max(float(p) for _, law in laws for p in law.masses)
    figure = new_figure(2.4 * len(laws) + 1.0, 2.9)
    panels = figure.subplots(1, len(laws), sharey=True, sharex=True, squeeze=False)[0]
    figure.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold")
    for i, (axes, (name, law)) in enumerate(zip(panels, laws, strict=True)):
        draw_bars(axes, law, width, i, 1.0)
        for x, p in law:
            annotate(axes, short(p), (float(x), float(p)), (0, 3), ha="center")
        value = law.mean if objective is None else objective.of(law)
        axes.set_title(name, fontweight="normal")
        axes.axvline(float(value), color=INK, linewidth=1.1, linestyle=(0, (1, 1.5)))
        words = f"{'mean' if objective is None else objective.spec} {short(value)}"
        annotate(axes, words, (float(value), tallest * 1.3), (3, 0), va="top", fontsize=9, fontweight="bold")
        axes.set_xlabel("return")
        if len(points) <= 8:
            axes.set_xticks([float(x) for x in points], [short(x) for x in points])
        quiet_grid(axes)
    panels[0].set(ylabel="probability", ylim=(0, tallest * 1.3))
    return Picture(figure)
