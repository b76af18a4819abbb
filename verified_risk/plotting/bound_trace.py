"""Certified bounds over the running time of a planner."""

from collections.abc import Iterable
from fractions import Fraction

from ..errors import InvalidArgument
from ..numbers.format import at_least, at_most
from ..numbers.rational import Rational, as_fraction
from ..progress import Progress
from .picture import BLUE, GREY, INK, RED, Picture, annotate, new_figure, quiet_grid, style


class BoundsTrace(list[tuple[float, Fraction, Fraction]]):
    """Collects ``(seconds, lower, upper)`` from the progress of a search: ``plan(mdp, G, progress=BoundsTrace())``.

    Reports before both bounds are known are ignored.

    >>> trace = BoundsTrace()
    >>> trace(Progress(1.5, Fraction(1, 4), Fraction(3, 4)))
    >>> trace(Progress(0.5, doing="compiling"))
    >>> trace
    [(1.5, Fraction(1, 4), Fraction(3, 4))]
    """

    def __call__(self, now: Progress) -> None:
        if now.lower is not None and now.upper is not None:
            self.append((now.seconds, now.lower, now.upper))


@style()
def draw_bounds(
    trace: Iterable[tuple[float, Rational, Rational]], *, title: str = "Bounds on the optimum", name: str = ""
) -> Picture:
    """Plot a trace of ``(seconds, lower, upper)``: the bounds above, the gap below on a logarithmic scale."""
    rows = [(float(s), as_fraction(low, "lower"), as_fraction(high, "upper")) for s, low, high in trace]
    if not rows:
        raise InvalidArgument("the trace is empty, wanted at least one (seconds, lower, upper)")
    for seconds, low, high in rows:
        if low > high:
            raise InvalidArgument(f"at {seconds} seconds the lower bound {low} exceeds the upper bound {high}")
    times = [seconds for seconds, _, _ in rows]
    lowers, uppers = [float(low) for _, low, _ in rows], [float(high) for _, _, high in rows]
    figure = new_figure(6.4, 4.4)
    bounds, gaps = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    bounds.fill_between(times, lowers, uppers, step="post", facecolor="white", edgecolor="#c9c9c9", hatch="////")
    bounds.step(times, uppers, where="post", color=RED, linestyle=(0, (5, 2)))
    bounds.step(times, lowers, where="post", color=BLUE)
    end, (_, least, most) = times[-1], rows[-1]
    annotate(bounds, f"upper {at_most(most)}", (end, uppers[-1]), (0, 6), ha="right", va="bottom", color=RED)
    annotate(bounds, f"attained {at_least(least)}", (end, lowers[-1]), (0, -6), ha="right", va="top", color=BLUE)
    span = (max(uppers) - min(lowers)) or 1.0
    bounds.set(ylim=(min(lowers) - 0.14 * span, max(uppers) + 0.08 * span), ylabel=name or r"$\Phi$", title=title)
    if times[0] > 0.05 * times[-1]:
        words = f"no upper bound\nbefore {times[0]:.3g} s"
        annotate(bounds, words, (times[0], max(uppers)), (-6, 0), ha="right", va="top", color=GREY)
    bounds.set_xlim(0, 1.02 * times[-1] or 1.0)
    quiet_grid(bounds)
    spans = [float(high - low) for _, low, high in rows]
    positive = [(t, span) for t, span in zip(times, spans, strict=True) if span > 0]
    if positive:
        gaps.step([t for t, _ in positive], [span for _, span in positive], where="post", color=INK)
        gaps.plot([t for t, _ in positive], [span for _, span in positive], "o", color=INK, markersize=3)
        annotate(gaps, f"{positive[-1][1]:.1e}", positive[-1], (-6, 0), ha="right")
        gaps.set_yscale("log")
        gaps.minorticks_off()
    if spans[-1] == 0:
        gaps.annotate("gap 0", (times[-1], 0), xycoords=("data", "axes fraction"), ha="right", va="bottom")
    gaps.set(ylabel="gap", xlabel="seconds")
    quiet_grid(gaps)
    return Picture(figure)
