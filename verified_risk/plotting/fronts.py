"""Curves over all levels: the optimal CVaR at every alpha, and the trade-off between mean and CVaR."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from ..comparing import Comparison
from ..errors import InvalidArgument
from ..numbers.format import above
from .picture import BLUE, GREY, INK, RED, Picture, annotate, new_figure, quiet_grid, short, style
from .return_law import draw_bars

if TYPE_CHECKING:
    from ..planning import CVaRFrontier, FrontPoint

LEVELS = 60
MOST_LABELS = 10
MOST_PANELS = 6


@style()
def draw_frontier(frontier: CVaRFrontier, *, title: str = "Best CVaR at every level") -> Picture:
    """Plot certified bounds on the optimal CVaR over alpha in (0, 1]: lower solid, upper dashed, hatched between."""
    alphas = sorted({Fraction(k, LEVELS) for k in range(1, LEVELS + 1)} | set(frontier.corners[:LEVELS]))
    found = [frontier(alpha) for alpha in alphas]
    xs = [float(alpha) for alpha in alphas]
    lowers, uppers = [float(x.lower) for x in found], [float(x.upper) for x in found]
    figure = new_figure(6.0, 3.4)
    axes = figure.subplots()
    axes.fill_between(xs, lowers, uppers, facecolor="white", edgecolor="#c9c9c9", hatch="////")
    axes.plot(xs, uppers, color=RED, linestyle=(0, (5, 2)), label="no policy has more")
    axes.plot(xs, lowers, color=BLUE, label="attained")
    for alpha in frontier.corners[:MOST_LABELS]:
        axes.axvline(float(alpha), color="#dddddd", linewidth=0.7, zorder=0)
    axes.set(xlabel="alpha: the share of worst outcomes", ylabel="CVaR of the return")
    width = max(upper - lower for lower, upper in zip(lowers, uppers, strict=True))
    axes.set_title(f"{title}; bounds at most {above(width)} apart")
    axes.legend(loc="lower right", fontsize=8)
    quiet_grid(axes)
    return Picture(figure)


@style()
def draw_front(points: Sequence[FrontPoint], *, title: str = "Mean against CVaR") -> Picture:
    """Plot the supported points of the front, and the line above which no policy lies at each point's weight."""
    if not points:
        raise InvalidArgument("the front is empty, wanted at least one point")
    figure = new_figure(5.4, 3.8)
    axes = figure.subplots()
    means, cvars = [float(p.mean) for p in points], [float(p.cvar) for p in points]
    axes.plot(means, cvars, color=BLUE, marker="o", markersize=4, linewidth=1.0, label="attained")
    span = max(max(means) - min(means), max(cvars) - min(cvars), 1e-9)
    for i, point in enumerate(points):
        w = float(point.weight)
        size = 0.06 * span / max((w * w + (1 - w) ** 2) ** 0.5, 1e-9)
        ceiling = float(point.plan.upper)
        x0, y0 = means[i], (ceiling - w * means[i]) / (1 - w) if w < 1 else cvars[i]
        axes.plot(
            [x0 - size * (1 - w), x0 + size * (1 - w)], [y0 + size * w, y0 - size * w], color=RED,
            linestyle=(0, (4, 2)), linewidth=1.0, label="no policy lies above" if i == 0 else None,
        )  # fmt: skip
    axes.set(xlabel="mean of the return", ylabel="CVaR of the return", title=f"{title}: {len(points)} policies")
    axes.legend(loc="lower left", fontsize=8)
    quiet_grid(axes)
    return Picture(figure)


@style()
def draw_compared(comparison: Comparison) -> Picture:
    """Plot the laws of the return of plans for several objectives, one below the other on one axis."""
    plans = comparison.plans
    if len(plans) > MOST_PANELS:
        raise InvalidArgument(f"{len(plans)} plans, wanted at most {MOST_PANELS} in one picture")
    laws = [plan.required_law() for plan in plans]
    points = sorted({x for law in laws for x in law.atoms})
    gaps = [float(b - a) for a, b in pairwise(points)]
    span = float(points[-1] - points[0]) or 1.0
    width = max(0.7 * min(gaps, default=1.0), span / 150)
    figure = new_figure(6.4, 1.15 * len(plans) + 0.9)
    panels = figure.subplots(len(plans), 1, sharex=True, squeeze=False)[:, 0]
    for i, (axes, plan, law) in enumerate(zip(panels, plans, laws, strict=True)):
        draw_bars(axes, law, width, i, 0.9)
        if len(law) <= MOST_LABELS:
            for x, p in law:
                annotate(axes, short(p), (float(x), float(p)), (0, 2), ha="center", fontsize=7)
        mean = float(law.mean)
        axes.axvline(mean, color=INK, linewidth=1.0, linestyle=(0, (1, 1.5)))
        axes.set_title(
            f"planned for {plan.objective.spec} = {short(plan.value)}; mean {short(law.mean)}, "
            f"worst {short(law.atoms[0])}", fontsize=9, fontweight="normal", loc="left",
        )  # fmt: skip
        axes.set(ylim=(0, float(max(law.masses)) * 1.25), yticks=[])
        quiet_grid(axes, "x")
    panels[-1].set_xlabel("return (dotted: its mean)", color=GREY)
    return Picture(figure)
