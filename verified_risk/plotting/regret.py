"""Regret of learning runs against the theorem's bound."""

from collections.abc import Sequence
from itertools import cycle

from ..errors import InvalidArgument, Unsupported
from ..learning import Run
from .picture import BLUE, INK, LINES, QUIET, Picture, annotate, new_figure, quiet_grid, style

NOTHING = 1e-9  # regrets below this are rounding errors


@style()
def draw_regret(
    curves: Sequence[tuple[str, Sequence[float]]],
    bound: Sequence[float] | None = None,
    *,
    title: str = "Cumulative regret",
    bound_name: str = "bound of the corrected theorem",
) -> Picture:
    """Plot ``curves`` of ``(name, cumulative regret per episode)``, with the bound in a logarithmic panel."""
    if not curves or not all(len(regret) for _, regret in curves):
        raise InvalidArgument("nothing to draw, wanted at least one (name, regret) with at least one episode")
    figure = new_figure(6.4, 3.4 if bound is None else 4.8)
    if bound is None:
        axes, far = figure.subplots(), None
    else:
        axes, far = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    for (name, regret), (colour, line) in zip(curves, cycle(LINES), strict=False):
        episodes = range(1, len(regret) + 1)
        values = [float(x) for x in regret]
        axes.plot(episodes, values, color=colour, linestyle=line, label=name)
        if far is not None:
            far.plot(episodes, [max(x, 1e-12) for x in values], color=colour, linestyle=line)
    axes.set_xlim(0, 1.02 * max(len(regret) for _, regret in curves))
    if max(float(regret[-1]) for _, regret in curves) < NOTHING:
        axes.set_ylim(top=1.0)  # do not stretch rounding errors over the panel
    axes.set_ylim(bottom=min(0.0, *(float(min(regret)) for _, regret in curves)))
    axes.set(ylabel="regret", title=title)
    axes.legend(loc="upper left")
    quiet_grid(axes)
    if far is not None and bound is not None:
        far.plot(range(1, len(bound) + 1), [float(x) for x in bound], color=INK, linewidth=2.4)
        annotate(far, bound_name, (0.5 * len(bound), float(bound[len(bound) // 2])), (0, -5), ha="center", va="top")
        far.set_yscale("log")
        largest = max(float(regret[-1]) for _, regret in curves)
        far.set_ylim(max(largest / 1e3, 1e-3), float(bound[-1]) * 5)
        far.minorticks_off()
        far.set_ylabel("regret, log scale")
        quiet_grid(far)
    (far or axes).set_xlabel("episode")
    return Picture(figure)


@style()
def draw_interval(run: Run) -> Picture:
    """Plot the interval for the optimum after the numbers of episodes in ``run.history``, and the returns."""
    if not run.history:
        raise Unsupported("the environment was a black box, without regret, and this objective has no interval to draw")
    figure = new_figure(6.4, 3.4)
    axes = figure.subplots()
    episodes = [k for k, _ in run.history]
    lower, upper = ([float(ends[i]) for _, ends in run.history] for i in range(2))
    axes.plot(range(1, run.episodes + 1), run.returns, ".", color=QUIET, markersize=2, label="return")
    axes.fill_between(episodes, lower, upper, color=BLUE, alpha=0.25, linewidth=0, label="interval")
    for ends in (lower, upper):
        axes.plot(episodes, ends, color=BLUE, marker="o", markersize=3)
    axes.set(xscale="log", xlabel="episode")
    axes.set_title(f"Where the best {run.objective.spec} lies, with probability {1 - run.delta}{run.mark}")
    axes.legend(loc="lower left")
    quiet_grid(axes)
    return Picture(figure)


def draw_run(run: Run) -> Picture:
    """Plot the regret of one run against its bound; for an environment, the interval for the optimum."""
    if run.regret is None:
        return draw_interval(run)
    name = run.algorithm if run.bonus_scale == 1 else f"{run.algorithm}, radii times {run.bonus_scale}"
    labels = {"title": f"Regret of learning {run.objective.spec}"}
    if not (run.proved or run.on_paper):
        labels["bound_name"] = "bound for the theorem's own radii, not proved for these"
    return draw_regret([(name, run.regret.tolist())], None if run.bound is None else run.bound.tolist(), **labels)
