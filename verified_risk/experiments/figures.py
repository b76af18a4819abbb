"""Drawing: the same data give the same SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingDependency

Floats = NDArray[np.float64]


def pyplot() -> Any:
    """matplotlib without a display, and with reproducible SVG identifiers."""
    try:
        import matplotlib
    except ImportError:
        raise MissingDependency("figures need matplotlib: pip install 'verified-risk[plot]'") from None
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "verified_risk"
    from matplotlib import pyplot

    return pyplot


def save(figure: Any, stem: Path) -> list[Path]:
    """Write ``stem.svg`` and ``stem.png``."""
    paths = [stem.with_suffix(".svg"), stem.with_suffix(".png")]
    figure.savefig(paths[0], metadata={"Date": None})
    figure.savefig(paths[1], dpi=150)
    pyplot().close(figure)
    return paths


def band(axes: Any, episodes: Sequence[int], runs: Floats, label: str) -> None:
    """Mean and standard deviation over seeds; ``runs[seed, i]``."""
    middle, spread = runs.mean(axis=0), runs.std(axis=0)
    (line,) = axes.plot(episodes, middle, label=label)
    axes.fill_between(episodes, middle - spread, middle + spread, alpha=0.2, color=line.get_color(), linewidth=0)


def log_log(axes: Any, points: Mapping[float, Floats], exponent: float, name: str) -> float:
    """Regret against one quantity; the fitted slope, and a line of the theorem's slope through the first point."""
    x = np.array(sorted(points))
    y = np.array([points[value].mean() for value in sorted(points)])
    slope = float(np.polyfit(np.log(x), np.log(y), 1)[0])
    spread = [points[value].std() for value in sorted(points)]
    axes.errorbar(x, y, yerr=spread, fmt="o-", label=f"measured: {slope:.2f}")
    axes.plot(x, y[0] * (x / x[0]) ** exponent, "--", label=f"theorem: {exponent:g}")
    axes.set(xscale="log", yscale="log", xlabel=name, ylabel="regret")
    axes.legend(fontsize=8)
    return slope
