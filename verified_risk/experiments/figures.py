"""Drawing, in the style of the other pictures: the same data give the same SVG, and black and white suffice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingDependency

Floats = NDArray[np.float64]


def pyplot() -> Any:
    """matplotlib without a display, in the style of :mod:`verified_risk.plotting`."""
    try:
        import matplotlib
    except ImportError:
        raise MissingDependency("figures need matplotlib", extra="plot") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    from ..plotting.picture import STYLE

    settings: Any = matplotlib.rcParams
    settings.update(STYLE)
    return pyplot


def save(figure: Any, stem: Path) -> list[Path]:
    """Write ``stem.svg`` and ``stem.png``."""
    paths = [stem.with_suffix(".svg"), stem.with_suffix(".png")]
    figure.savefig(paths[0], metadata={"Date": None})
    figure.savefig(paths[1], dpi=150)
    pyplot().close(figure)
    return paths


def band(axes: Any, episodes: Sequence[int], runs: Floats, label: str) -> None:
    """Mean and standard deviation over seeds; ``runs[seed, i]``.  Each further band has its own line style."""
    from ..plotting.picture import LINES, RED, quiet_grid

    styles = (*LINES, (RED, (0, (2, 1, 1, 1, 1, 1))))
    colour, dashes = styles[len(axes.lines) % len(styles)]
    middle, spread = runs.mean(axis=0), runs.std(axis=0)
    axes.plot(episodes, middle, color=colour, linestyle=dashes, label=label)
    axes.fill_between(episodes, middle - spread, middle + spread, alpha=0.18, color=colour, linewidth=0)
    axes.set_xlim(left=0, auto=True)  # the next band may need more room
    axes.set_ylim(bottom=0, auto=True)
    quiet_grid(axes)


def log_log(axes: Any, points: Mapping[float, Floats], exponent: float, name: str) -> float:
    """Regret against one quantity; the fitted slope, and a line of the theorem's slope through the first point."""
    from ..plotting.picture import BLUE, RED

    x = np.array(sorted(points))
    y = np.array([points[value].mean() for value in sorted(points)])
    slope = float(np.polyfit(np.log(x), np.log(y), 1)[0])
    spread = [points[value].std() for value in sorted(points)]
    axes.errorbar(x, y, yerr=spread, fmt="o-", color=BLUE, markersize=4, label=f"measured: {slope:.2f}")
    axes.plot(x, y[0] * (x / x[0]) ** exponent, color=RED, linestyle=(0, (5, 2)), label=f"theorem: {exponent:g}")
    axes.set(xscale="log", yscale="log", xlabel=name, ylabel="regret")
    axes.legend(fontsize=8)
    return slope
