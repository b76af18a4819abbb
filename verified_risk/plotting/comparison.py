"""Several laws side by side, such as a claimed and an actual one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from ..errors import InvalidArgument
from ..law import Law
from ..objectives import Weighting
from ..objectives import objective as read_objective
from .picture import BLUE, INK, QUIET, RED, Picture, annotate, new_figure, quiet_grid, short, style

HATCHES = ("", "/////", "\\\\\\\\", "xxxx")
COLOURS = (BLUE, RED, QUIET, INK)


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
    with style():
        figure = new_figure(2.4 * len(laws) + 1.0, 2.9)
        panels = figure.subplots(1, len(laws), sharey=True, sharex=True, squeeze=False)[0]
        figure.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold")
        for axes, (name, law), hatch, colour in zip(panels, laws, HATCHES, COLOURS, strict=False):
            xs, ps = [float(x) for x in law.atoms], [float(p) for p in law.masses]
            fill = "white" if hatch else colour
            axes.bar(xs, ps, width, color=fill, edgecolor=colour, hatch=hatch, linewidth=1.0)
            for x, p in law:
                annotate(axes, short(p), (float(x), float(p)), (0, 3), ha="center")
            value = law.mean if objective is None else objective.of(law)
            shown = value if isinstance(value, Fraction) else float(value)
            axes.set_title(name, fontweight="normal")
            axes.axvline(float(value), color=INK, linewidth=1.1, linestyle=(0, (1, 1.5)))
            words = f"{'mean' if objective is None else objective.spec} {short(shown)}"
            annotate(axes, words, (float(value), tallest * 1.3), (3, 0), va="top", fontsize=9, fontweight="bold")
            axes.set_xlabel("return")
            if len(points) <= 8:
                axes.set_xticks([float(x) for x in points], [short(x) for x in points])
            quiet_grid(axes)
        panels[0].set_ylabel("probability")
        panels[0].set_ylim(0, tallest * 1.3)
        return Picture(figure)
