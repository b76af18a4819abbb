"""All learners on four models: regret against the episode, over many seeds, and a page with the results.

The models and lengths are those on which the confidence sets of page 10 were first compared.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgument
from ..plotting.picture import quiet_grid, style
from .sweep import Cell, Engine, complete_sweep, panels, save, write_page

Floats = NDArray[np.float64]


class Rival(NamedTuple):
    """An algorithm of the comparison; ``proved`` says whether a theorem covers its regret for CVaR."""

    name: str
    algorithm: str
    known_rewards: bool
    proved: bool


RIVALS = (
    Rival("kl", "kl", False, True),
    Rival("kl, rewards known", "kl", True, True),
    Rival("ucb", "ucb", False, True),
    Rival("bernstein, rewards known", "bernstein", True, True),
    Rival("ucbvi", "ucbvi", False, False),
    Rival("posterior", "posterior", False, False),
    Rival("greedy-tried", "greedy-tried", False, False),
    Rival("greedy", "greedy", False, False),
)
RANDOM = (("states", 6), ("actions", 2), ("successors", 3), ("rewards", 2), ("horizon", 4), ("seed", 1), ("grid", 4))
SCENES = {
    "lake": Cell("frozen_lake", "cvar(33/100)", episodes=2000),
    "machine": Cell("machine_replacement", "cvar(1/4)", episodes=5000),
    "random": Cell("random_sparse", "cvar(1/4)", episodes=5000, parameters=RANDOM),
    "swim": Cell("river_swim", "cvar(1/4)", episodes=2000),
}
COLOURS = ("#1f4e79", "#1f4e79", "#5b8c5a", "#b3401a", "#8a8a8a", "#7a4d9f", "#1b1b1b", "#8a8a8a")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), "-", "-", (0, (1, 1)), (0, (6, 2, 1, 2)), (0, (3, 1)), (0, (6, 3)))


def rival_cells(seeds: int, scenes: Sequence[str]) -> dict[tuple[str, str], list[Cell]]:
    """For every model and learner, one cell per seed."""
    for scene in scenes:
        if scene not in SCENES:
            raise InvalidArgument(f"no model of the comparison is named {scene!r}, wanted one of {', '.join(SCENES)}")
    return {
        (scene, rival.name): [
            Cell(
                base.model, base.objective, rival.algorithm, "1", base.episodes, seed, parameters=base.parameters,
                known_rewards=rival.known_rewards,
            )
            for seed in range(seeds)
        ]
        for scene in scenes
        for base in (SCENES[scene],)
        for rival in RIVALS
    }  # fmt: skip


def rival_experiment(
    out: str | PathLike[str], *, seeds: int = 20, scenes: Sequence[str] = tuple(SCENES), **engine: Unpack[Engine]
) -> Path:
    """Run the sweep into ``out/cells``; write ``rivals.svg``, ``.png``, ``.csv``, ``.md``; return the page's path."""
    cells = rival_cells(seeds, scenes)
    stem, outcome = complete_sweep("rivals", (one for group in cells.values() for one in group), out, seeds, engine)
    found = {Cell.from_json(result["cell"]): result for result in outcome.results}
    _draw(found, cells, stem, seeds, scenes)
    return write_page(stem, _page(found, cells, seeds, scenes))


@style()
def _draw(
    found: dict[Cell, dict[str, Any]],
    cells: dict[tuple[str, str], list[Cell]],
    stem: Path,
    seeds: int,
    scenes: Sequence[str],
) -> None:
    """One panel a model: the median over seeds and the band that holds the middle four fifths of them."""
    figure, axes = panels(len(scenes), 3.3 * len(scenes), 4.2)
    for axis, scene in zip(axes, scenes, strict=True):
        for rival, colour, dashes in zip(RIVALS, COLOURS, DASHES, strict=True):
            results = [found[cell] for cell in cells[scene, rival.name]]
            episodes = results[0]["episode"]
            runs = np.maximum(np.array([result["regret"] for result in results]), 1e-3)
            low, middle, high = np.quantile(runs, (0.1, 0.5, 0.9), axis=0)
            width = 2.0 if rival.proved else 1.2
            axis.plot(episodes, middle, color=colour, linestyle=dashes, linewidth=width, label=rival.name)
            axis.fill_between(episodes, low, high, color=colour, alpha=0.13, linewidth=0)
        base = SCENES[scene]
        axis.set(title=f"{scene}, {base.objective}", xlabel="episode", yscale="log", xlim=(0, base.episodes))
        axis.set_ylim(bottom=max(axis.get_ylim()[0], 0.5))
        quiet_grid(axis)
    axes[0].set_ylabel("pseudo-regret")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(RIVALS))
    figure.suptitle(f"median and middle four fifths of {seeds} seeds; thick: proved", fontsize=10)
    save(figure, stem)


def _page(
    found: dict[Cell, dict[str, Any]], cells: dict[tuple[str, str], list[Cell]], seeds: int, scenes: Sequence[str]
) -> list[str]:
    chosen = "" if tuple(scenes) == tuple(SCENES) else "".join(f" --model {scene}" for scene in scenes)
    lines = [
        "# Learners compared",
        "",
        f"Generated by `verified-risk experiment rivals --seeds {seeds}{chosen}`.  Regret is exact: every policy",
        "played is evaluated in the model, none is sampled.  All bonuses and radii as in the theorems (scale 1).",
        "",
        "![regret](rivals.svg)",
        "",
        f"Regret at the end, mean and standard error over {seeds} seeds:",
        "",
        "| learner | proved | " + " | ".join(f"{name}, {SCENES[name].episodes} episodes" for name in scenes) + " |",
        "|---|---|" + "---:|" * len(scenes),
    ]
    last: dict[tuple[str, str], float] = {}
    for rival in RIVALS:
        entries = []
        for scene in scenes:
            final = np.array([found[cell]["regret"][-1] for cell in cells[scene, rival.name]])
            last[scene, rival.name] = float(final.mean())
            entries.append(f"{final.mean():.4g} ± {final.std() / len(final) ** 0.5:.2g}")
        proved = "yes" if rival.proved else ("for the mean" if rival.algorithm == "ucbvi" else "no")
        lines.append(f"| {rival.name} | {proved} | " + " | ".join(entries) + " |")
    same = [scene for scene in scenes if last[scene, "ucbvi"] == last[scene, "greedy"]]
    if same:
        lines += ["", f"ucbvi and greedy have the same curve on {', '.join(same)}: neither left its first choice."]
    return [*lines, "", *_least(last, scenes)]


def _least(last: dict[tuple[str, str], float], scenes: Sequence[str]) -> list[str]:
    """Return the learner of least regret, among the proved ones and among all."""
    lines = ["| model | least regret of a proved learner | least of all |", "|---|---|---|"]
    for scene in scenes:
        names = {rival.name: last[scene, rival.name] for rival in RIVALS}
        proved = min((rival.name for rival in RIVALS if rival.proved), key=names.__getitem__)
        best = min(names, key=names.__getitem__)
        lines.append(f"| {scene} | {proved} ({names[proved]:.4g}) | {best} ({names[best]:.4g}) |")
    return lines
