"""Ctrl-C and the terminal: progress is shown there and nowhere else, and an interrupt leaves nothing behind."""

import json
import os
import shlex
import signal
import subprocess
import sys

import pytest
from patience import PATIENCE, wait_until
from terminal import AT_ONCE, COMMAND, Terminal, plain, stuck_after

import verified_risk as vr
from proofs_checks.engine.certificate import DIRECTORY

#: Neither ends while a test waits: no gap of 0 is reached, and the episodes take longer than PATIENCE.
ENDLESS_PLAN = ("plan", "inventory", "--horizon", 12, "--objective", "cpw(0.7)", "--gap", 0, "--time-limit", 10**6)
ENDLESS_RUN = ("learn", "frozen_lake", "--episodes", 20_000_000)
ENDLESS_AUDIT = ("audit", "--jobs", 2, "--examples", 10**7)
SEARCH = ("plan", "two_paths", "--objective", "cpw(0.71)")

#: The time that has gone by, on every line of progress, whatever else the line says.
DRAWN = "0:00:"


def interrupted(window):
    """The code and the last line after Ctrl-C, which reaches every process of the window."""
    os.killpg(window.process.pid, signal.SIGINT)
    code = window.finish()
    assert "Traceback" not in window.shown, plain(window.shown)[-3000:]
    return code, plain(window.shown).strip().splitlines()[-1].strip()


STOPPED = (130, "stopped: no file was left half-written")


@pytest.mark.parametrize("arguments", [ENDLESS_PLAN, ENDLESS_RUN], ids=["plan", "learn"])
def test_an_interrupt_ends_a_long_job_with_one_line_and_no_file(arguments, tmp_path):
    window = Terminal(*arguments, "--save", tmp_path / "out.json")
    window.wait_for(DRAWN)
    assert interrupted(window) == STOPPED
    assert list(tmp_path.iterdir()) == []


LOSES_INTERRUPTS = """
import ctypes, os, signal, time
import click
from verified_risk.cli.failures import Commands

main = Commands("main")

@main.command()
def work():
    call = ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), signal.SIGINT) or time.sleep(0.01))
    call()
    REST

main(["work"])
"""


@pytest.mark.parametrize("rest", ["time.sleep(3600)", "raise RuntimeError('no compiled object yet')"])
def test_an_interrupt_inside_a_callback_from_c_is_not_lost(rest):
    """So numba loads its kernels; Python prints such an exception and forgets it, and numba misses its object."""
    code = LOSES_INTERRUPTS.replace("REST", rest)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr.strip()) == STOPPED


HEARD_ELSEWHERE = """
import signal, threading, time
from verified_risk.pool import workers

def hear():
    waiting.wait()
    time.sleep(0.5)
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)

waiting = threading.Event()
threading.Thread(target=hear, daemon=True).start()
try:
    with workers(1) as pool:
        running = [pool.submit(time.sleep, 3600)]
        waiting.set()
        pool.first(running)
except KeyboardInterrupt:
    print("stopped")
"""


def test_an_interrupt_that_another_thread_receives_ends_a_wait_for_workers():
    """A kernel may choose any thread while the main one starts a worker; its wait for a result then goes on."""
    done = subprocess.run([sys.executable, "-c", HEARD_ELSEWHERE], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout == "stopped\n"


def test_an_interrupt_ends_an_audit_and_its_workers(tmp_path):
    window = Terminal(*ENDLESS_AUDIT, "--html", tmp_path / "page.html", "--json", tmp_path / "ledger.json")
    window.wait_for(DRAWN)
    wait_until(lambda: len(children(window.process.pid)) >= 2)
    workers = children(window.process.pid)
    assert interrupted(window) == STOPPED
    assert list(tmp_path.iterdir()) == []
    wait_until(lambda: not any(alive(worker) for worker in workers))


@pytest.mark.parametrize("command", ["audit", "experiment"])
def test_the_workers_of_a_killed_command_end_too(command, tmp_path):
    """Nothing runs after kill -9: each worker finds out by itself, forked (audit) or spawned (experiment)."""
    cells = [{"model": "frozen_lake", "objective": "cvar(1/3)", "episodes": 20_000_000, "seed": s} for s in range(4)]
    (tmp_path / "cells.json").write_text(json.dumps(cells))
    arguments = {
        "audit": ENDLESS_AUDIT,
        "experiment": ("experiment", "sweep", tmp_path / "cells.json", "--out", tmp_path / "out", "--workers", 2),
    }
    window = Terminal(*arguments[command])
    wait_until(lambda: len(children(window.process.pid)) >= 2)
    workers = children(window.process.pid)
    window.process.kill()
    window.process.wait()
    wait_until(lambda: not any(alive(worker) for worker in workers))


def test_an_interrupt_ends_an_experiment_which_then_resumes(tmp_path):
    cells = [{"model": "frozen_lake", "objective": "cvar(1/3)", "episodes": 50, "seed": seed} for seed in range(4)]
    listing, out = tmp_path / "cells.json", tmp_path / "out"
    listing.write_text(json.dumps(cells))
    window = Terminal("experiment", "sweep", listing, "--out", out, "--workers", 2, command=stuck_after(1))
    wait_until(lambda: len(list(out.glob("*.json"))) == 2)  # the list of cells and a first result
    workers = children(window.process.pid)
    assert workers
    assert interrupted(window) == STOPPED
    wait_until(lambda: not any(alive(worker) for worker in workers))
    assert not (out / "results.csv").exists()
    assert not [path.name for path in out.iterdir() if path.name.startswith(".") or path.suffix != ".json"]
    for path in out.glob("*.json"):
        json.loads(path.read_text())
    answer = subprocess.run(
        [*COMMAND, "experiment", "sweep", str(listing), "--out", str(out), "--workers", "0", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(answer.stdout)["done"] == 4


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_progress_is_drawn_on_a_terminal_and_wiped_when_done():
    window = Terminal(*SEARCH, command=AT_ONCE)
    assert window.finish() == 0
    assert "planning" in window.shown
    left = plain(window.shown)
    assert "value" in left
    assert "\x1b[1A\x1b[2K" in window.shown  # the spinner's line is cleared


def test_a_learner_shows_how_far_it_is():
    window = Terminal("learn", "two_paths", "--episodes", 300, command=AT_ONCE)
    assert window.finish() == 0
    assert "0/300" in window.shown
    assert "300/300" in window.shown


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan", "frozen_lake", "--objective", "wang(0.5)"),
        ("audit", "--statement", "intro:key", "--examples", "5"),
        ("models",),
    ],
    ids=["plan", "audit", "models"],
)
def test_a_pipe_gets_neither_progress_nor_colour(arguments):
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert done.stdout


def test_json_on_a_terminal_window_keeps_its_output_clean(tmp_path):
    """Progress goes to the window, the JSON to the file that the output was redirected to."""
    with open(tmp_path / "out.json", "w") as file:
        window = Terminal(*SEARCH, "--json", stdout=file, command=AT_ONCE)
        assert window.finish() == 0
    assert json.loads((tmp_path / "out.json").read_text())["objective"] == "cpw(71/100)"
    assert "planning" in window.shown


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",), ("plan", "--help"), ("models",), ("models", "show", "river_swim"),
        ("plan", "frozen_lake", "--objective", "cvar(33/100)"), ("plan", "betting_game"),
        ("learn", "two_paths", "--episodes", 50, "--audit"),
        ("audit", "--statement", "assump:quantile/empirical", "--examples", 5),
        ("recheck", "certificates/thm_augmented.json"),
    ],
    ids=lambda words: " ".join(map(str, words)),
)  # fmt: skip
def test_every_line_fits_into_a_window_of_eighty_columns(arguments, monkeypatch):
    monkeypatch.chdir(DIRECTORY.parent)
    window = Terminal(*arguments)
    assert window.finish() == 0
    assert max(map(len, plain(window.shown).splitlines())) <= 80


def test_a_terminal_gets_colours():
    window = Terminal("plan", "two_paths", "--exact")
    assert window.finish() == 0
    assert "\x1b[1;36mvalue" in window.shown
    # on a busy machine progress was drawn before, and wiped
    assert any(line.startswith("objective  cvar(1/4)") for line in plain(window.shown).splitlines())


def test_a_reader_who_stops_reading_is_no_error():
    done = subprocess.run(
        f"{shlex.join(COMMAND)} models show frozen_lake --json | head -1",
        shell=True, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "{\n"
    assert done.stderr == ""


@pytest.mark.parametrize("arguments", [["plan", "frozen_lake"], ["models"], ["models", "--json"], ["plan", "--help"],
                                       ["--help"]], ids=" ".join)  # fmt: skip
def test_a_pipe_that_nobody_reads_ends_quietly_with_a_code_of_its_own(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run([*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_the_window_test_can_fail():
    """The width that the tests look at is the window's: in a narrow one the same line is broken."""
    wide, narrow = Terminal("models", columns=200), Terminal("models", columns=50)
    assert wide.finish() == narrow.finish() == 0
    assert len(plain(wide.shown).splitlines()) == len(vr.models.NAMES)
    assert len(plain(narrow.shown).splitlines()) > len(vr.models.NAMES)
