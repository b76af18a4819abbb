"""A run that is interrupted or killed goes on to the same result, byte for byte."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from patience import wait_until
from test_learn_run import Chain

import verified_risk as vr
from verified_risk import files
from verified_risk.errors import InvalidArgument, InvalidFile, StoppedRun
from verified_risk.learning import episodes as episodes_of_runs

LAKE = {"episodes": 300, "seed": 4}


class Stop(Exception):
    pass


def stop_at(episode):
    def report(now):
        if now.done >= episode:
            raise Stop

    return report


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """Write after every stretch, and make stretches short."""
    monkeypatch.setattr(episodes_of_runs, "SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(sys.modules["verified_risk.learning.episodes"], "CHUNK", 40)


@pytest.mark.parametrize(
    ("objective", "told"),
    [
        (vr.CVaR("33/100"), {}),
        (vr.CVaR("33/100"), {"stop_when": 5}),
        (vr.Mean(), {"algorithm": "ucbvi", "bonus_scale": "1/100"}),
        (vr.Spectral(["1/5", 1], ["1/2", "1/2"]), {"episodes": 130}),
    ],
    ids=str,
)
def test_an_interrupted_run_goes_on_byte_for_byte(tmp_path, objective, told):
    mdp = vr.models.machine_replacement(horizon=4)
    arguments = {**LAKE, **told}
    whole = vr.learn(mdp, objective, **arguments)
    whole.save(tmp_path / "whole.json")
    for episode in (45, 100):
        with pytest.raises(Stop):
            vr.learn(mdp, objective, checkpoint=tmp_path / "state.json", progress=stop_at(episode), **arguments)
    again = vr.learn(mdp, objective, checkpoint=tmp_path / "state.json", **arguments)
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


class Later(Chain):
    """Pays 0 or 1 at first, and 2 after it was told to."""

    late = False

    def step(self, action):
        following, reward, *rest = super().step(action)
        return (following, 2 if self.late else reward, *rest)


def test_outcomes_before_an_interruption_count_as_outcomes(tmp_path):
    """Each pair showed one outcome before and shows another one after it: two, where one was declared."""
    told = {
        "episodes": 60, "horizon": 3, "rewards": [0, 1, 2], "known_successors": 1, "checkpoint": tmp_path / "state.json"
    }  # fmt: skip
    with pytest.raises(Stop):
        vr.learn(Later(), vr.Mean(), progress=stop_at(31), **told)
    box = Later()
    box.late = True
    with pytest.raises(StoppedRun, match=r"episode 31, step \d: .* its outcome number 2, but known_successors is 1"):
        vr.learn(box, vr.Mean(), **told)


@pytest.mark.parametrize(
    ("name", "entry", "value"),
    [
        ("policy", None, 2), ("policy", None, -1), ("known", "state", 77), ("known", "state", -1), ("counts", 1, 10**6),
        ("counts", 2, 10**6), ("counts", 2, -1), ("counts", 3, 99), ("model", 1, -5), ("model", 1, -1),
    ],
)  # fmt: skip
def test_a_memory_whose_numbers_are_no_states_or_actions_is_refused(name, entry, value, tmp_path):
    """Compiled code trusts them."""
    mdp, path = vr.models.two_paths(), tmp_path / "state.json"
    vr.learn(mdp, vr.CVaR("1/2"), episodes=3, checkpoint=path)
    data = files.read(path, "learning", dict)
    array = files.decode_array(data[name] if entry is None else data[name][entry])
    array.flat[0] = value
    if entry is None:
        data[name] = files.encode_array(array)
    else:
        data[name][entry] = files.encode_array(array)
    files.write(path, "learning", data)
    with pytest.raises(InvalidFile, match=f"{name}.* of the state has another type, shape or range"):
        vr.learn(mdp, vr.CVaR("1/2"), episodes=3, checkpoint=path)


@pytest.mark.parametrize(("entry", "name", "kept"), [(0, "visits", np.s_[:1]), (3, "atom", np.s_[:, 1:])])
def test_a_memory_of_fewer_pairs_or_outcomes_is_refused(entry, name, kept, tmp_path):
    mdp, path = vr.models.two_paths(), tmp_path / "state.json"
    vr.learn(mdp, "mean", episodes=3, checkpoint=path)
    data = files.read(path, "learning", dict)
    data["counts"][entry] = files.encode_array(files.decode_array(data["counts"][entry])[kept])
    files.write(path, "learning", data)
    with pytest.raises(InvalidFile, match=rf"counts\.{name} of the state"):
        vr.learn(mdp, "mean", episodes=3, checkpoint=path)


def test_the_state_of_another_run_is_refused(tmp_path):
    mdp = vr.models.two_paths()
    vr.learn(mdp, vr.CVaR("1/2"), episodes=20, checkpoint=tmp_path / "state.json")
    with pytest.raises(InvalidFile, match="holds another run: its seed is 0, this run's is 1"):
        vr.learn(mdp, vr.CVaR("1/2"), episodes=20, seed=1, checkpoint=tmp_path / "state.json")
    data = files.read(tmp_path / "state.json", "learning", dict)
    for name in data["about"]:
        about = {key: value for key, value in data["about"].items() if key != name}
        files.write(tmp_path / "state.json", "learning", {**data, "about": about})
        if data["about"][name] is not None and name != "episodes":  # a finished run may go on
            with pytest.raises(InvalidFile, match=f"holds another run: its {name} is None"):
                vr.learn(mdp, vr.CVaR("1/2"), episodes=20, checkpoint=tmp_path / "state.json")
    vr.learn(mdp, vr.CVaR("1/2"), episodes=20, algorithm="ucb", checkpoint=tmp_path / "ucb.json")
    with pytest.raises(InvalidFile, match="holds another run: its episodes is 20, this run's is 30"):
        vr.learn(mdp, vr.CVaR("1/2"), episodes=30, algorithm="ucb", checkpoint=tmp_path / "ucb.json")


TO_THE_END = """
import os, sys, time, verified_risk as vr
from verified_risk.learning import episodes
episodes.SECONDS_BETWEEN = 0.0
episodes.CHUNK = 20
vr.learn(vr.models.machine_replacement(horizon=4), vr.CVaR("1/2"), episodes=1500, algorithm=sys.argv[2],
         checkpoint=sys.argv[1], progress=lambda now: os.path.exists(sys.argv[1]) and time.sleep(3600))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("algorithm", ["kl", pytest.param("ucb", marks=pytest.mark.slow)])
def test_a_killed_run_goes_on_to_the_result_of_one_that_was_not_killed(tmp_path, algorithm):
    state = tmp_path / "state.json"
    process = subprocess.Popen(
        [sys.executable, "-c", "import verified_risk.learning\n" + TO_THE_END, str(state), algorithm]
    )
    wait_until(state.exists)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    mdp, seen = vr.models.machine_replacement(horizon=4), []
    told = {"episodes": 1500, "algorithm": algorithm}
    written = files.read(state, "learning", dict)["episodes"]
    again = vr.learn(mdp, vr.CVaR("1/2"), checkpoint=state, progress=lambda now: seen.append(now.done), **told)
    whole = vr.learn(mdp, vr.CVaR("1/2"), **told)
    assert seen[0] > written > 0  # it goes on from what was written
    again.save(tmp_path / "again.json")
    whole.save(tmp_path / "whole.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


@pytest.mark.parametrize(
    ("field", "value"),
    [("data", "AAAA"), ("data", "no base64"), ("shape", [7]), ("type", "nine"), ("type", "<08"), ("type", "O")],
)
def test_a_damaged_array_of_a_run_is_the_files_fault(field, value):
    packed = files.encode_array(np.arange(3))
    assert files.decode_array(packed).tolist() == [0, 1, 2]
    with pytest.raises(InvalidFile, match="cannot be unpacked"):
        files.decode_array({**packed, field: value})


def test_a_checkpoint_that_cannot_serve_is_refused_before_the_first_episode(tmp_path):
    """A folder, a device, a folder that is not there: none of them is read without end or found out at the end."""

    def learn_into(place):
        vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=5, checkpoint=place, progress=stop_at(1))

    for place in (tmp_path, "/dev/full", tmp_path / "nowhere" / "state.json"):
        with pytest.raises(InvalidArgument, match="wanted a regular file in a folder that exists"):
            learn_into(place)


def test_a_damaged_checkpoint_names_the_remedy(tmp_path):
    state = tmp_path / "state.json"
    mdp, G = vr.models.two_paths(), vr.CVaR("1/2")
    vr.learn(mdp, G, episodes=5, checkpoint=state)
    whole = state.read_text(encoding="utf-8")
    for damaged in (whole[: len(whole) // 2], whole.replace('"episodes"', '"episodez"', 1), ""):
        state.write_text(damaged, encoding="utf-8")
        with pytest.raises(InvalidFile, match=f"(truncated or damaged|edited).*delete {state} to start again"):
            vr.learn(mdp, G, episodes=5, checkpoint=state)
    state.unlink()
    vr.learn(mdp, G, episodes=5, checkpoint=state)
    assert state.read_text(encoding="utf-8") == whole


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"episodes": "3"}, "episodes of the state"),
        ({"episodes": -1}, "episodes of the state"),
        ({"episodes": 2}, r"series\[0\] of the state"),
        ({"series": []}, "series of the state"),
        ({"bracket": {"next_check": "1"}}, "bracket.next_check of the state"),
    ],
)
def test_a_memory_whose_episodes_were_not_played_is_refused(change, said, tmp_path):
    mdp, path = vr.models.two_paths(), tmp_path / "state.json"
    run = vr.learn(mdp, "mean", episodes=3, checkpoint=path)
    data = files.read(path, "learning", dict)
    assert vr.learn(mdp, "mean", episodes=3, checkpoint=path).returns.tolist() == run.returns.tolist()
    files.write(path, "learning", {**data, **change})
    with pytest.raises(InvalidFile, match=said):
        vr.learn(mdp, "mean", episodes=3, checkpoint=path)


def test_a_run_with_other_known_rewards_is_another_run(tmp_path):
    """A function cannot be kept in a file; what it says can."""
    told = {"episodes": 5, "horizon": 2, "rewards": [0, 1], "checkpoint": tmp_path / "state.json"}
    vr.learn(Chain(), vr.Mean(), known_rewards=lambda s, a, t: a, **told)
    vr.learn(Chain(), vr.Mean(), known_rewards=lambda s, a, t: 1 * a, **told)
    with pytest.raises(InvalidFile, match="its known_rewards is"):
        vr.learn(Chain(), vr.Mean(), known_rewards=lambda s, a, t: 1 - a, **told)


def test_the_series_of_all_episodes_are_put_together_only_to_be_written(tmp_path, monkeypatch):
    """After every episode it would take time that grows with the square of their number."""
    calls = []

    def counted(name, module):
        own = getattr(module, name)
        monkeypatch.setattr(module, name, lambda rows: calls.append(name) or own(rows))

    counted("_columns", vr.Learner)
    counted("_joined", sys.modules["verified_risk.learning.episodes"])
    told = {"episodes": 25, "horizon": 2, "rewards": [0, 1]}
    vr.learn(Chain(), vr.Mean(), **told)
    vr.learn(vr.models.two_paths(), vr.Mean(), episodes=200)
    assert calls == ["_columns", "_joined"]  # once, for what is handed out
    calls.clear()
    monkeypatch.setattr(episodes_of_runs, "SECONDS_BETWEEN", 1e9)
    vr.learn(Chain(), vr.Mean(), checkpoint=tmp_path / "state.json", **told)
    assert len(calls) == 2


def test_a_full_disk_names_the_checkpoint_and_leaves_nothing_half_written(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    path = tmp_path / "state.json"
    with pytest.raises(OSError, match="No space left on device") as found:
        vr.learn(vr.models.two_paths(), vr.CVaR("1/2"), episodes=3, checkpoint=path)
    assert found.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []
