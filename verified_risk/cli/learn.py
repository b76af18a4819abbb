"""``verified-risk learn``: run a learner and print its regret beside the theorem's bound."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..numbers.format import above, json_between, json_number, number, span
from .model_argument import ModelSource, model_options, save_option
from .plan import OBJECTIVE_HELP
from .terminal import Column, Screen, counting, emit_json, json_option, path_text

if TYPE_CHECKING:
    from ..learning.audit import AuditReport
    from ..learning.run import Run

ALGORITHMS = ("kl", "bets", "ucb", "ucb-as-printed", "greedy", "greedy-tried", "ucbvi", "bernstein", "posterior")


@click.command(short_help="Learn, with exact regret and its bound.")
@model_options
@click.option("--objective", "text", default="cvar(1/4)", show_default=True, help=OBJECTIVE_HELP)
@click.option("--episodes", type=click.IntRange(min=1), metavar="N", default=None,
              help="Episodes to play.  [default: 1000, or as many as --stop-when needs]")  # fmt: skip
@click.option("--stop-when", default=None, metavar="GAP",
              help="End when the optimum is known up to GAP, from the data alone.")  # fmt: skip
@click.option("--known-rewards", is_flag=True, help="Tell the learner the rewards, not the transitions.")
@click.option("--known-successors", is_flag=True, help="Tell the learner which states can follow, not how often.")
@click.option("--largest-return", default=None, metavar="X", help="Tell the learner that no return exceeds X.")
@click.option("--checkpoint", type=click.Path(dir_okay=False, path_type=Path), default=None, metavar="FILE",
              help="Keep the state of the run in FILE; the same command goes on from it.")  # fmt: skip
@click.option("--delta", default="1/10", show_default=True, help="The bound may fail with probability twice this.")
@click.option("--eta", default=None, help="Grid on which the return is tracked; default: the rewards' own grid.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True,
              help="Of the episodes: the same seed gives the same run.")  # fmt: skip
@click.option("--algorithm", type=click.Choice(ALGORITHMS), metavar="NAME", default=None,
              help=f"One of {', '.join(ALGORITHMS)}; by default bets for the mean, else kl.")  # fmt: skip
@click.option(
    "--bonus-scale", default="1", show_default=True, help="Multiplies the radii; the theorems need at least 1."
)
@click.option("--audit", is_flag=True, help="Compare every episode with what the theorem claims, in exact arithmetic.")
@save_option("Write the run as JSON.", sign="verified_risk/run")
@json_option
def learn(
    source: ModelSource, text: str, episodes: int | None, save: Path | None, as_json: bool, **options: Any
) -> None:
    """Learn MODEL by optimism, and say exactly how much worse than the optimum each episode was.

    With --audit, exits with 1 if a claim of the theorem was violated.
    """
    import verified_risk as vr

    weighting = vr.objective(text)
    mdp = source.read()
    if episodes is None and options["stop_when"] is None:
        episodes = 1000
    with counting("learning", episodes) if episodes is not None else nullcontext() as progress:
        run = vr.learn(mdp, weighting, episodes=episodes, progress=progress, **options)
        if save is not None:
            run.save(save)
    if as_json:
        emit_json({**run.to_json(), **_floats(run), "saved": path_text(save)})
    else:
        _print_run(run, save)
    if run.audit is not None and run.audit.violations:
        sys.exit(1)


def _floats(run: Run) -> dict[str, Any]:
    """Return the exact numbers of a run, with floats alongside."""
    best = None if run.best is None else json_between(*run.best)
    exact = {"delta": json_number(run.delta), "bonus_scale": json_number(run.bonus_scale), "best": best}
    found = None if run.interval is None else json_between(*run.interval)
    return {"numbers": {**exact, "interval": found, "eta": None if run.eta is None else json_number(run.eta)}}


def _print_run(run: Run, save: Path | None) -> None:
    screen = Screen()
    screen.field("algorithm", f"{run.algorithm}, {run.episodes} episodes, seed {run.seed}, delta {run.delta}")
    screen.field("objective", f"{run.objective.spec} of the return")
    if run.best is not None:
        low, high = run.best
        screen.field("optimum", number(high) if low == high else span(low, high), "bold green")
    if run.interval is not None:
        screen.field("from data", f"the optimum is in {run.interval} with probability {1 - run.delta}{run.mark}")
    if run.data_bound is not None and (run.proved or run.on_paper) and 2 * run.delta < 1:  # else no guarantee
        least, most = above(run.data_bound[-1], 5), above(run.trivial_regret, 5)
        if run.data_bound[-1] < run.trivial_regret:
            screen.field("", f"the regret is at most {least} with probability {1 - 2 * run.delta}{run.mark}")
        else:
            screen.field("", f"of the regret nothing better than {most}, all that {run.episodes} episodes can lose")
    screen.field("guarantee", run.guarantee)
    series = {"policy worth": run.values, "regret so far": run.regret}
    scale = 1.0 if run.best is None else max(abs(float(run.best[1])), 1.0)
    rows = [[str(k), *(_entry(own, k, scale) for own in series.values())] for k in _milestones(run.episodes)]
    names = ["episode", *series]
    if run.bound is not None:
        names.append(f"bound{run.mark or ', on paper'}")
        for row in rows:
            row.append(above(run.bound[int(row[0]) - 1], 5))
    columns = [Column(name, right=True) for name in names]
    screen.table(columns, rows)
    for note in (*_about_the_bound(run), *run.notes):
        screen.field("note", note)
    if run.audit is not None:
        _print_audit(screen, run.audit)
    screen.written("saved", save)


def _about_the_bound(run: Run) -> list[str]:
    """Return remarks on a bound weaker than counting episodes, and on a policy that is not optimal yet."""
    if run.mdp is None or run.best is None or run.bound is None or run.values is None:
        return []
    said = []
    trivial = run.trivial_regret
    if run.bound[-1] >= trivial:
        said.append(
            f"the bound is vacuous here: above the trivial bound {float(trivial):.5g}, which is {run.episodes} "
            f"episodes times the largest loss that the rewards allow, {float(trivial / run.episodes):.5g}"
        )
    if run.bonus_scale == 1 and float(run.best[0]) - run.values[-1] > 1e-9 * max(1.0, abs(float(run.best[0]))):
        said.append(
            "the theorem's radii are wide: after so few episodes it still explores; --bonus-scale 1/10 shows narrower "
            "ones, without a guarantee"
        )
    return said


def _print_audit(screen: Screen, report: AuditReport) -> None:
    """Print the audited claims, each with its least slack over all episodes."""
    from ..learning.audit import COLUMNS

    spare = {"at episode", *(() if any(row.undecided for row in report.rows.values()) else ("undecided",))}
    screen.line()
    screen.line(report.title, "bold")
    columns = [Column(name, right=i > 1, spare=name in spare) for i, name in enumerate(COLUMNS)]
    screen.table(columns, report.cells())


def _entry(series: Any, k: int, scale: float) -> str:
    """Format five digits; the certified end of a zero is about 1e-12 away, which would read as a value."""
    if series is None:
        return "-"
    x = float(series[k - 1])
    return "0" if abs(x) < 1e-9 * scale else f"{x:.5g}"


def _milestones(episodes: int) -> list[int]:
    """Return 1, 2, 5, 10, 20, 50, ... and the last episode."""
    marks = {digit * 10**power for power in range(len(str(episodes))) for digit in (1, 2, 5)}
    return sorted({mark for mark in marks if mark < episodes} | {episodes})


COMMANDS = (learn,)
