"""Sweeps resume, engines agree to the byte, and failures are reported without losing anything."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from patience import wait_until
from terminal import COMMAND, stuck_after

import verified_risk as vr
from verified_risk import files
from verified_risk.errors import InvalidArgument, InvalidFile
from verified_risk.experiments import Cell, grid, lake_experiment, rivals, scaling_study, sweep
from verified_risk.experiments import sweep as sweep_function
from verified_risk.experiments.lake import _where_ucbvi_is
from verified_risk.experiments.rivals import RIVALS
from verified_risk.experiments.scaling import _tightest
from verified_risk.experiments.sweep import checkpoints, run_cell

BASE = Cell("two_paths", "cvar(1/3)", bonus_scale="1/10", episodes=300)
CELLS = grid(BASE, algorithm=["ucb", "greedy", "ucbvi"], seed=range(4))


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The table of the sweep, run in this process without interruption."""
    folder = tmp_path_factory.mktemp("plain") / "sweep"
    outcome = sweep(CELLS, folder, workers=0)
    assert not outcome.failed
    return outcome.table.read_bytes()


def test_two_processes_give_the_same_table(tmp_path, expected):
    assert sweep(CELLS, tmp_path / "sweep", workers=2).table.read_bytes() == expected


def test_a_two_worker_dask_cluster_gives_the_same_table(tmp_path, expected):
    pytest.importorskip("distributed")
    outcome = sweep(CELLS, tmp_path / "sweep", local_cluster=2)
    assert outcome.table.read_bytes() == expected


def test_killed_in_the_middle_and_started_again_it_gives_the_same_table(tmp_path):
    cells = grid(replace(BASE, model="frozen_lake", episodes=3000), algorithm=["ucb", "ucb-as-printed"], seed=range(5))
    expected = sweep(cells, tmp_path / "plain", workers=0).table.read_bytes()
    listing, folder = tmp_path / "cells.json", tmp_path / "sweep"
    listing.write_text(json.dumps([cell.to_json() for cell in cells]))
    words = ["experiment", "sweep", str(listing), "--out", str(folder), "--workers", "0"]
    process = subprocess.Popen([*stuck_after(3), *words], start_new_session=True)
    wait_until(lambda: len(list(folder.glob("*.json"))) == 4)  # the list of cells and three results
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = {path: path.stat().st_mtime_ns for path in folder.glob("*.json")}
    assert not (folder / "results.csv").exists()
    assert len(done) == 4
    subprocess.run([*COMMAND, *words], check=True, capture_output=True)
    assert (folder / "results.csv").read_bytes() == expected
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in done.items())  # what was done was not done again


def test_a_cell_that_fails_is_reported_and_does_not_lose_the_others(tmp_path):
    bad = [replace(BASE, model="no_such_model"), replace(BASE, objective="cvar(7)"), replace(BASE, eta="3/7")]
    outcome = sweep([*CELLS[:2], *bad], tmp_path / "sweep", workers=0)
    assert len(outcome.results) == 2
    assert outcome.table is None
    assert {cell for cell, _ in outcome.failed} == set(bad)
    assert str(outcome).startswith("2 cells done, 3 failed")
    assert "no model is named 'no_such_model'" in str(outcome)
    assert "alpha is 7" in str(outcome)
    assert len(list((tmp_path / "sweep").glob("*.error.txt"))) == 3


def test_a_worker_that_dies_is_retried_and_then_given_up_without_losing_the_others(tmp_path, monkeypatch):
    module = sys.modules["verified_risk.experiments.sweep"]
    monkeypatch.setattr(module, "attempt", dies_once)
    monkeypatch.setenv("DIES_ONCE", str(tmp_path / "died"))
    outcome = sweep_function(CELLS[:2], tmp_path / "sweep", workers=2)
    assert (tmp_path / "died").exists()
    assert not outcome.failed
    assert len(outcome.results) == 2
    monkeypatch.setattr(module, "attempt", always_dies_on_seed_one)
    outcome = sweep_function(CELLS[:3], tmp_path / "other", workers=1)
    assert [(cell.seed, error) for cell, error in outcome.failed] == [(1, "its worker died 3 times")]
    assert len(outcome.results) == 2


def dies_once(cell):
    """Stands in for a worker that is killed: the first to come here ends its process."""
    from verified_risk.experiments.sweep import attempt

    mark = Path(os.environ["DIES_ONCE"])
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return attempt(cell)
    os._exit(9)


def always_dies_on_seed_one(cell):
    from verified_risk.experiments.sweep import attempt

    if cell.seed == 1:
        os._exit(9)
    return attempt(cell)


def test_a_folder_of_another_sweep_is_refused_and_left_alone(tmp_path):
    sweep(CELLS[:1], tmp_path / "sweep", workers=0)
    before = sorted(path.name for path in (tmp_path / "sweep").iterdir())
    for others in (CELLS[:2], [replace(CELLS[0], seed=7)]):
        with pytest.raises(InvalidFile, match="another sweep"):
            sweep(others, tmp_path / "sweep", workers=0)
    assert sorted(path.name for path in (tmp_path / "sweep").iterdir()) == before
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("precious")
    with pytest.raises(InvalidFile, match="not empty"):
        sweep(CELLS[:1], tmp_path / "full", workers=0)


def test_an_edited_result_is_refused(tmp_path):
    sweep(CELLS[:1], tmp_path / "sweep", workers=0)
    path = tmp_path / "sweep" / f"{CELLS[0].key}.json"
    path.write_text(path.read_text().replace("two_paths", "two_pathz"))
    with pytest.raises(InvalidFile, match="edited"):
        sweep(CELLS[:1], tmp_path / "sweep", workers=0)


def test_an_unreachable_scheduler_is_an_error_that_loses_nothing(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    sweep(CELLS[:1], tmp_path / "sweep", workers=0)
    with pytest.raises(InvalidArgument, match="cannot be reached"):
        sweep(CELLS[1:2], tmp_path / "other", scheduler="tcp://127.0.0.1:9")
    assert (tmp_path / "sweep" / "results.csv").exists()
    assert sweep(CELLS[1:2], tmp_path / "other", workers=0).table is not None


@pytest.mark.parametrize(
    "arguments", [{"workers": -1}, {"local_cluster": 0}, {"scheduler": "tcp://x:1", "local_cluster": 1}], ids=str
)
def test_impossible_engines_are_refused(tmp_path, arguments):
    with pytest.raises(InvalidArgument):
        sweep(CELLS[:1], tmp_path / "sweep", **arguments)
    with pytest.raises(InvalidArgument, match="no cells"):
        sweep([], tmp_path / "sweep")


def test_a_cell_is_its_json_and_its_checkpoints_reach_the_end():
    cell = replace(BASE, model="random_sparse", parameters=(("states", 3), ("successors", 2)), episodes=20)
    assert Cell.from_json(json.loads(json.dumps(cell.to_json()))) == cell
    result = run_cell(cell)
    assert result["episode"] == checkpoints(20) == list(range(1, 21))
    assert len(checkpoints(100_000)) < 320
    assert checkpoints(100_000)[-1] == 100_000


def test_the_lake_experiment_draws_both_panels_and_says_what_disagrees(tmp_path):
    page = lake_experiment(tmp_path / "lake", episodes=60, seeds=2, workers=0)
    text = page.read_text()
    assert "| 0.4 | 21/10 | 4 | 6 | **disagrees** |" in text
    assert text.count("| agrees |") == 3
    assert "Converges within 40 episodes" in text
    check_the_words_against_the_table(text, 60)
    folder = tmp_path / "lake"
    assert (folder / "lake.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "lake.svg").read_text()
    assert (folder / "lake.csv").read_text().count("frozen_lake,") > 60
    before = (folder / "lake.svg").read_bytes(), page.read_bytes()
    assert lake_experiment(tmp_path / "lake", episodes=60, seeds=2, workers=0) == page
    assert ((folder / "lake.svg").read_bytes(), page.read_bytes()) == before
    with pytest.raises(InvalidFile, match="another sweep"):
        lake_experiment(tmp_path / "lake", episodes=61, seeds=2, workers=0)
    with pytest.raises(InvalidArgument, match="seeds is 0"):
        lake_experiment(tmp_path / "none", seeds=0)


def check_the_words_against_the_table(text, episodes):
    """The sentences below a table say what the table says; read back from the page alone."""
    left, right = text.split("## Right panel")
    left = left.replace("greedy after trying everything once", "greedy-tried, once")
    rates = {
        name: (float(early), float(late))
        for name, early, late in re.findall(
            r"^\| ([\w-]+), [^|]*\|[^|]*\| ([\d.]+) \| ([\d.]+) \|$", left, re.MULTILINE
        )
    }
    assert rates.keys() == {"ucb", "ucbvi", "greedy", "kl", "greedy-tried"}
    assert "| greedy, no bonus |" in left
    assert ("order agrees" in left) == (rates["ucb"][1] < rates["ucbvi"][1] < rates["greedy"][1])
    settled = re.search(r"an episode\): (.*?)\.  The paper", left)[1]
    converged = [name for name in rates if rates[name][1] < 0.01]
    assert settled == (", ".join(converged) or "none")
    assert ("its first choice" in left) == ("greedy" not in converged)
    paid = re.search(r"= 0\.6242 of CVaR.*Runs of UCBVI that pay this in the last quarter: (\d+) of (\d+)", left)
    there, runs = map(int, paid.groups())
    if there == runs:
        assert abs(rates["ucbvi"][1] - 0.6242) < 0.01
    if there == 0 and runs == 1:
        assert abs(rates["ucbvi"][1] - 0.6242) > 0.006
    scales = re.findall(r"^\| ([\d/]+) \| (\d+) \| (\d+) of \d+ \|", right.split("## ")[1], re.MULTILINE)
    within = [scale for scale, median, _ in scales if int(median) <= min(40, 0.9 * episodes)]
    verdict = f"Within 40 episodes: bonus scale {', '.join(within)}." if within else "No scale tried converges"
    assert verdict in right
    stuck = {scale: int(count) for scale, _, count in scales}
    assert f"(scale 1), runs of ucb still suboptimal in the last tenth: {stuck['1']} of {runs}." in left


@pytest.mark.parametrize(("episodes", "seeds"), [(30, 1), (400, 1)])
def test_the_page_of_the_lake_says_what_its_own_run_shows(tmp_path, episodes, seeds):
    text = lake_experiment(tmp_path, episodes=episodes, seeds=seeds, workers=0).read_text()
    check_the_words_against_the_table(text, episodes)
    assert ("at N = 40 visits" in text) == (episodes >= 40)


def test_the_words_about_ucbvi_follow_what_its_runs_pay():
    assert "in the last quarter: 0 of 2." in _where_ucbvi_is([1.5683, 0.0])[0]
    assert "in the last quarter: 1 of 2." in _where_ucbvi_is([0.6242, 1.5])[0]


@pytest.mark.slow
def test_the_scaling_study_fits_a_slope_to_every_quantity(tmp_path):
    text = scaling_study(tmp_path / "scaling", seeds=2).read_text()
    for name in ("K", "S", "A", "T", "1/alpha"):
        assert f"| {name} |" in text


@pytest.mark.parametrize(
    "change", [{"delta": "1/11"}, {"eta": "1/2"}, {"bonus_scale": "1/2"}, {"seed": 1}, {"objective": "cvar(1/2)"}]
)
def test_a_result_of_another_cell_is_refused_whichever_entry_differs(tmp_path, change):
    """A file that was copied to the name of a cell that differs in one entry."""
    cell = replace(BASE, episodes=5)
    other = replace(cell, **change)
    sweep([other], tmp_path / "other", workers=0)
    (tmp_path / "mine").mkdir()
    files.write(tmp_path / "mine" / "sweep.json", "sweep", [cell.to_json()])
    shutil.copy(tmp_path / "other" / f"{other.key}.json", tmp_path / "mine" / f"{cell.key}.json")
    with pytest.raises(InvalidFile, match="holds the result of another cell"):
        sweep([cell], tmp_path / "mine", workers=0)


def test_the_comparison_of_learners_writes_its_page_and_names_the_least(tmp_path, monkeypatch):
    small = replace(rivals.SCENES["random"], episodes=40)
    monkeypatch.setitem(rivals.SCENES, "random", small)
    page = rivals.rival_experiment(tmp_path, seeds=2, scenes=("random",), workers=0, progress=False)
    text = page.read_text("utf-8")
    for rival in rivals.RIVALS:
        assert f"| {rival.name} |" in text
    assert {path.suffix for path in tmp_path.iterdir() if path.is_file()} == {".csv", ".md", ".png", ".svg"}
    csv = (tmp_path / "rivals.csv").read_text("utf-8")
    assert "bernstein,true,1," in csv
    final = {}
    for line in csv.splitlines()[1:]:
        parts = line.split(",")
        if parts[10] == "40":
            final.setdefault((parts[3], parts[4]), []).append(float(parts[11]))
    named = text.splitlines()[-1].split("|")[3]
    least = min(sum(x) / len(x) for x in final.values())
    assert float(named.split("(")[1].split(")")[0]) == pytest.approx(least, rel=1e-3)
    with pytest.raises(InvalidArgument, match="no model of the comparison"):
        rivals.rival_experiment(tmp_path / "other", seeds=1, scenes=("sea",))


@pytest.mark.parametrize("rival", RIVALS, ids=lambda rival: rival.name)
def test_a_learner_is_called_proved_if_a_theorem_covers_its_run(rival):
    run = vr.learn(
        vr.models.two_paths(), "cvar(1/2)", episodes=2, algorithm=rival.algorithm, known_rewards=rival.known_rewards
    )
    assert rival.proved is (run.proved or run.on_paper)


def test_the_run_that_comes_nearest_to_its_bound_is_the_one_that_is_told():
    runs = [{"regret": [9, 1], "bound": [1, 10]}, {"regret": [3], "bound": [4]}, {"regret": [8], "bound": [16]}]
    for order in permutations([*runs, {"regret": [5], "bound": None}]):
        assert _tightest(order) == 0.75


def test_the_last_suboptimal_episode_is_the_last_and_a_hair_is_not_suboptimal(monkeypatch):
    def played(values):
        regret = np.arange(1.0, len(values) + 1)
        run = SimpleNamespace(
            values=np.array(values), regret=regret, bound=None, best=(Fraction(2), Fraction(2)), proved=False
        )
        monkeypatch.setattr("verified_risk.learning.learn", lambda *given, **options: run)
        return run_cell(replace(BASE, episodes=len(values)))["last_suboptimal"]

    assert played([0.0, 2.0, 1.9999, 2.0, 2.0]) == 3
    assert played([0.0, 2.0, 2.0 - 1e-9]) == 1
    assert played([2.0 - 1e-9] * 4) == 0


def test_a_result_that_is_not_all_numbers_is_refused(tmp_path):
    cell = replace(BASE, episodes=5)
    sweep([cell], tmp_path / "sweep", workers=0)
    path = tmp_path / "sweep" / f"{cell.key}.json"
    data = files.read(path, "cell", dict)
    for name in ("episode", "regret", "bound"):
        files.write(path, "cell", {**data, name: [*data[name][:-1], "1"]})
        with pytest.raises(InvalidFile, match=f"{name} is not a list of numbers, one per checkpoint"):
            sweep([cell], tmp_path / "sweep", workers=0)
