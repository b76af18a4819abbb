"""A figure that can display and save itself, and the common style of all pictures."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from .. import files
from ..errors import InvalidArgument, optional_module
from ..numbers.enclosure import Real

INK = "#1b1b1b"
QUIET = "#8a8a8a"
GREY = "#595959"  # muted but legible text and lines
LIGHT = "#d9d9d9"
BLUE = "#1f4e79"
RED = "#b3401a"
LINES = ((BLUE, "-"), (RED, (0, (5, 2))), (INK, (0, (1, 1))), (QUIET, (0, (6, 2, 1, 2))))  # colour and dashes, in turn

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "mathtext.fontset": "dejavusans",
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "text.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "hatch.linewidth": 0.7,
    "lines.linewidth": 1.5,
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "svg.hashsalt": "verified_risk",  # equal pictures give equal bytes
}
FORMATS = ("svg", "png", "pdf")


class Picture:
    """A finished figure that displays in a notebook and saves as SVG, PNG or PDF; ``figure`` is matplotlib's."""

    def __init__(self, figure: Any) -> None:
        self.figure = figure

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture atomically, in the format given by the suffix of ``path``."""
        target = Path(path)
        kind = target.suffix.removeprefix(".").lower()
        if kind not in FORMATS:
            raise InvalidArgument(f"{target.name} has the suffix {target.suffix!r}, wanted one of .svg, .png, .pdf")
        if not target.parent.is_dir():
            raise InvalidArgument(f"{target} cannot be written: there is no folder {target.parent}, create it first")
        files.write_bytes(target, self.bytes(kind))

    def bytes(self, kind: str) -> bytes:
        """Return the picture as a file of the given kind; equal pictures give equal bytes."""
        stamp = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
        buffer = io.BytesIO()
        with style():
            self.figure.savefig(buffer, format=kind, metadata=stamp)
        return buffer.getvalue()

    def _repr_svg_(self) -> str:
        text = self.bytes("svg").decode()
        return text[text.index("<svg") :]


@contextmanager
def style() -> Iterator[None]:
    """Draw in the style of this package, in a ``with`` block or in a function that this decorates."""
    with pyplot_free_matplotlib().rc_context(STYLE):
        yield


def pyplot_free_matplotlib() -> Any:
    """Return matplotlib without pyplot: no global state, no window, no figure left open."""
    return optional_module("matplotlib", "pictures need matplotlib", extra="plot")


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure of the given size in inches."""
    pyplot_free_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def annotate(axes: Any, words: str, at: tuple[float, float], by: tuple[float, float], **look: Any) -> None:
    """Write ``words`` beside the point ``at``, ``by`` points away from it."""
    axes.annotate(words, at, xytext=by, textcoords="offset points", **{"fontsize": 8, **look})


def quiet_grid(axes: Any, axis: str = "y") -> None:
    axes.grid(axis=axis, color="#ececec", linewidth=0.7)


def short(x: Real | float) -> str:
    """Format a number for a label: the fraction if it is short, otherwise four digits."""
    if isinstance(x, Fraction) and len(str(x)) <= 7:
        return str(x).replace("-", "\N{MINUS SIGN}")
    return f"{float(x):.4g}".replace("-", "\N{MINUS SIGN}")
