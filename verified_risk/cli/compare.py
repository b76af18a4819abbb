"""``verified-risk compare`` and ``frontier``: one model under several objectives, or at every level."""

import time
from fractions import Fraction
from pathlib import Path

import click

from ..numbers.format import json_between
from .model_argument import ModelSource, model_options, save_option
from .plan import OBJECTIVE_HELP
from .terminal import Column, Screen, emit_json, json_option, path_text, working

DEFAULT_LEVELS = "1/100,1/20,1/10,1/4,1/2,3/4,1"


@click.command(short_help="Plans for several objectives, each under all of them.")
@model_options
@click.option("--objective", "texts", multiple=True, metavar="OBJECTIVE", help=f"Repeatable. {OBJECTIVE_HELP}")
@click.option("--eta", default=None, help="Grid on which the return is tracked; default: chosen by the planner.")
@save_option("Draw the laws of the return here (.svg, .png, .pdf).", "--plot", sign="")
@json_option
def compare(source: ModelSource, texts: tuple[str, ...], eta: str | None, plot: Path | None, as_json: bool) -> None:
    """Plan MODEL for several objectives, and say what each plan is worth under every one of them."""
    import verified_risk as vr

    objectives = [vr.objective(text) for text in texts or ("mean", "cvar(1/4)", "cvar(1/10)")]
    mdp = source.read()
    with working("planning"):
        found = vr.compare(mdp, objectives, eta=eta)
    if plot is not None:
        found.plot().save(plot)
    if as_json:
        emit_json({**found.to_json(), "plot": path_text(plot)})
        return
    screen = Screen()
    names = ("planned for", *(G.spec for G in found.objectives), "gap")
    screen.table([Column(name, right=i > 0) for i, name in enumerate(names)], found.rows())
    screen.written("picture", plot)


@click.command(short_help="The best CVaR at many levels, from one pass.")
@model_options
@click.option(
    "--alpha", "levels", default=DEFAULT_LEVELS, show_default=True, metavar="A,B,...", help="Levels to print."
)
@click.option("--eta", default=None, help="Grid on which the return is tracked; default: the rewards' own grid.")
@click.option("--gap", default=None, help="Choose the grid so that the bounds are at most this far apart.")
@save_option("Draw the curve with its certified bounds here (.svg, .png, .pdf).", "--plot", sign="")
@json_option
def frontier(
    source: ModelSource, levels: str, eta: str | None, gap: str | None, plot: Path | None, as_json: bool
) -> None:
    """Certified bounds of the best CVaR of MODEL at several levels alpha."""
    import verified_risk as vr

    from ..objectives.weighting import read_level
    from ..planning.tails.frontier import FRONTIER_COLUMNS

    alphas: list[Fraction] = [read_level(part.strip(), "alpha") for part in levels.split(",")]
    mdp = source.read()
    with working("planning"):
        curve = vr.cvar_frontier(mdp, eta=eta, gap=gap)
        found, rows = [curve(alpha) for alpha in alphas], curve.rows(alphas)
    if plot is not None:
        curve.plot().save(plot)
    if as_json:
        listed = [{"alpha": str(a), "cvar": json_between(x.lower, x.upper)} for a, x in zip(alphas, found, strict=True)]
        emit_json({"levels": listed, "plot": path_text(plot)})
        return
    screen = Screen()
    screen.table([Column(name, right=True) for name in FRONTIER_COLUMNS], rows)
    screen.written("picture", plot)


@click.command(short_help="Compile the kernels now, so that nothing waits for them later.")
@json_option
def warmup(as_json: bool) -> None:
    """Compile every kernel once and store the result; later calls load it in a moment."""
    import verified_risk as vr

    from ..kernels import jit

    began = time.monotonic()
    jit.EAGER = True
    lake, paths = vr.models.frozen_lake(), vr.models.two_paths()
    with working("compiling, once"):
        for mdp in (lake, paths, paths.with_discount("9/10")):
            for text in ("mean", "cvar(1/4)", "var(1/4)"):
                vr.plan(mdp, text)
        for text in ("wang(1/2)", "hazard(2)", "cpw(71/100)"):
            vr.plan(paths, text, gap="1/100", time_limit=5)
        vr.exact_plan(lake, "cvar(1/4)")
        for text in ("mean", "cvar(1/2)", "wang(1/2)"):
            vr.learn(paths, text, episodes=5)
    seconds = time.monotonic() - began
    if as_json:
        emit_json({"seconds": seconds})
    else:
        click.echo(f"kernels are compiled and stored ({seconds:.1f} s)")


COMMANDS = (compare, frontier, warmup)
