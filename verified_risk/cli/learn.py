"""``verified-risk learn``: run a learner and print its regret beside the theorem's bound."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..learning.learn import Progress
from ..learning.learner import Floats
from ..learning.run import Run
from .show import emit_json, number
from .source import model_options, read_model


@click.command()
@model_options
@click.option("--objective", "text", default="cvar(1/4)", show_default=True, help='e.g. "0.5*mean + 0.5*cvar(1/10)".')
@click.option("--episodes", type=int, default=1000, show_default=True)
@click.option("--delta", default="1/10", show_default=True, help="The bound may fail with probability twice this.")
@click.option("--eta", default=None, help="Grid on which the return is tracked; default: the rewards' own grid.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--algorithm", default="ucb", show_default=True, help="ucb, ucb-as-printed, greedy or ucbvi.")
@click.option("--bonus-scale", default="1", show_default=True, help="Multiplies the radii; 1 is the theorem.")
@click.option("--audit", is_flag=True, help="Test the steps of the proof on every episode, in certified arithmetic.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Write the run as JSON.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def learn(
    model: str,
    horizon: int | None,
    initial: int | None,
    index_base: int,
    text: str,
    episodes: int,
    delta: str,
    eta: str | None,
    seed: int,
    algorithm: str,
    bonus_scale: str,
    audit: bool,
    save: Path | None,
    as_json: bool,
) -> None:
    """Learn MODEL by optimism, and say exactly how much worse than the optimum each episode was."""
    import verified_risk as vr

    mdp = read_model(model, horizon, initial, index_base)
    run = vr.learn(
        mdp, vr.objective(text), episodes, delta, eta, seed, algorithm, bonus_scale, audit, progress=_progress()
    )
    if save is not None:
        run.save(save)
    if as_json:
        emit_json(run.to_json())
        return
    for line in _lines(run):
        click.echo(line)


def _progress() -> Progress | None:
    """A counter on a terminal's stderr; nothing in a pipe."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        click.echo(f"\r{done}/{total} episodes", nl=done >= total, err=True)

    return show


def _lines(run: Run) -> list[str]:
    lines = [f"algorithm  {run.algorithm}, {run.episodes} episodes, seed {run.seed}, delta {run.delta}"]
    lines.append(f"objective  {run.objective.spec}")
    if run.best is not None:
        lines.append(f"optimum    {number(run.best[1])}")
    lines.append(f"guarantee  {run.guarantee}")
    lines.append(f"{'episode':>9} {'policy worth':>13} {'regret so far':>14} {'proved bound':>13}")
    for k in _milestones(run.episodes):
        worth, regret, bound = (_entry(series, k) for series in (run.values, run.regret, run.bound))
        lines.append(f"{k:>9} {worth:>13} {regret:>14} {bound:>13}")
    lines += [f"note       {note}" for note in run.notes]
    return lines if run.audit is None else [*lines, "", str(run.audit)]


def _entry(series: Floats | None, k: int) -> str:
    if series is None:
        return "-"
    x = float(series[k - 1])
    return "0" if abs(x) < 1e-300 else f"{x:.5g}"  # an outward-rounded zero is the least subnormal number


def _milestones(episodes: int) -> list[int]:
    """1, 2, 5, 10, 20, 50, ... and the last episode."""
    marks = {digit * 10**power for power in range(len(str(episodes))) for digit in (1, 2, 5)}
    return sorted({mark for mark in marks if mark < episodes} | {episodes})


COMMANDS = (learn,)
