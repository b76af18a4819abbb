"""The episodes of a run, the record of them, and the state of the learner in a file.

From the file an interrupted run continues to the same result.  Random numbers are not stored: those of episode k are a
function of the seed and of k.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import files
from ..errors import InvalidArgument, InvalidFile
from ..files import decode_array, encode_array
from ..objectives import objective
from .declarations import Declared, RewardOf
from .evaluate import Bracket, Judge
from .learner import Episodes, Floats, Learner, draws_of
from .policies import BlackBox
from .problem import standard_form
from .task import Settings, Task

if TYPE_CHECKING:
    from .run import Run


SECONDS_BETWEEN = 20.0  # the time between two writings of the file; a crash loses this much play and one batch
KNOWN = ("length", "state", "atom")  # the fields of the declarations that a run changes


class Checkpoint:
    """The file ``path`` with the state of a run; None stores nothing.

    ``about`` is everything that determines the run; with ``any_number`` the number of episodes and the length of the
    interval at which to stop do not, so that a finished run can be continued.
    """

    def __init__(
        self, path: Path | None, about: dict[str, Any], learner: Learner, bracket: Bracket, *, any_number: bool = False
    ) -> None:
        self.path, self.about, self.learner, self.bracket = path, about, learner, bracket
        self.free = ("episodes", "stop_when") if any_number else ()
        self.last = time.monotonic()

    def restore(self) -> tuple[int, list[Floats]]:
        """Read the file into the learner and the interval; return the episodes done and the series so far.

        Returns (0, []) if there is no file yet.  Raises :class:`InvalidArgument` if the path cannot be written to, and
        :class:`InvalidFile` if the file is damaged or belongs to another run.
        """
        if self.path is None or (not self.path.exists() and self.path.parent.is_dir()):
            return 0, []
        if not self.path.is_file():  # refused before the first episode
            raise InvalidArgument(f"checkpoint is {str(self.path)!r}, wanted a regular file in a folder that exists")
        try:
            return files.read(self.path, "learning", self._restore)
        except InvalidFile as error:
            raise InvalidFile(f"{error}; choose another file, or delete {self.path} to start again") from None

    def _restore(self, data: dict[str, Any]) -> tuple[int, list[Floats]]:
        for name, value in self.about.items():
            if data["about"].get(name) != value and name not in self.free:
                its, wanted = (f"{x!s:.40}" for x in (data["about"].get(name), value))
                raise InvalidFile(f"{self.path} holds another run: its {name} is {its}, this run's is {wanted}")
        learner = self.learner
        learner.counts = self._rows("counts", learner.counts, data["counts"])
        learner.model = self._rows("model", learner.model, data["model"])
        learner.known = self._rows("known", learner.known, [data["known"][name] for name in KNOWN], KNOWN)
        for name, array in self._arrays().items():
            array[:] = decode_array(data[name])
        policy = decode_array(data["policy"])
        _require(policy.size == 0 or 0 <= policy.min() <= policy.max() < max(learner.standard.n_actions), "policy")
        learner.value, learner.upper, learner.planned = data["value"], data["upper"], data["planned"]
        learner.fresh = True
        _require(type(data["bracket"]["next_check"]) is int, "bracket.next_check")
        self.bracket.restore(data["bracket"])
        done, series = data["episodes"], [decode_array(x) for x in data["series"]]
        _require(type(done) is int and done >= 0, "episodes")
        columns = 5 if "environment" in self.about else 6  # an environment has no values of policies
        _require(len(series) == columns or not (series or done), "series")
        for i, column in enumerate(series):
            _require(column.dtype == np.float64 and column.shape == (done,), f"series[{i}]")
        return done, series

    def _rows(self, name: str, own: Any, given: Sequence[Any], fields: Sequence[str] = ()) -> Any:
        """Return ``own`` with arrays of the same types, of any number of columns, in place of ``fields``, by default of
        all; their indices are checked, because compiled code does not check them."""
        read = {field: decode_array(x) for field, x in zip(fields or own._fields, given, strict=True)}
        for field, after in read.items():
            before = getattr(own, field)
            same = (after.dtype, after.ndim, after.shape[:1]) == (before.dtype, before.ndim, before.shape[:1])
            _require(same, f"{name}.{field}")
        found = own._replace(**read)
        width = found.state.shape[1]
        _require(found.atom.shape == found.state.shape, f"{name}.atom")
        standard = self.learner.standard
        for field, most in (("length", width), ("state", standard.n_states), ("atom", max(len(standard.atoms) - 1, 0))):
            array = getattr(found, field)
            _require(array.size == 0 or 0 <= array.min() <= array.max() <= most, f"{name}.{field}")
        return found

    def _arrays(self) -> dict[str, Any]:
        """Return the arrays of fixed size."""
        learner, tables = self.learner, self.learner.tables
        utilities = {"utility": learner.ascent.utility, "utility_below": learner.ascent_below.utility}
        return {"quality": tables.quality, "touched": learner.touched, **utilities, "policy": tables.policy}

    def save(self, episodes: int, series: Callable[[], Sequence[Floats]], *, now: bool = False) -> None:
        """Write the file if ``SECONDS_BETWEEN`` have passed, or ``now``; ``series`` is called only then."""
        if self.path is None or (not now and time.monotonic() - self.last < SECONDS_BETWEEN):
            return
        learner = self.learner
        data = {
            "about": self.about,
            "episodes": episodes,
            "series": [encode_array(x) for x in series()],
            "counts": [encode_array(x) for x in learner.counts],
            "model": [encode_array(x) for x in learner.model],
            "known": {name: encode_array(getattr(learner.known, name)) for name in KNOWN},
            **{name: encode_array(x) for name, x in self._arrays().items()},
            "value": learner.value,
            "upper": learner.upper,
            "planned": learner.planned,
            "bracket": self.bracket.to_json(),
            "first": learner.standard.initial[0][0],
        }
        files.write(self.path, "learning", data)
        self.last = time.monotonic()


class Recorded(NamedTuple):
    """The settings of the run in a file; ``shell`` is None for a model, ``episodes`` is how many were played."""

    about: dict[str, Any]
    episodes: int
    settings: Settings
    shell: BlackBox | None


def recorded(path: Path, known_rewards: RewardOf | None) -> Recorded:
    """Read what the file of a run is about; ``known_rewards`` is the function that it had, as files keep none.

    Raises :class:`InvalidFile` if the file is damaged, and :class:`InvalidArgument` if there is none or the function is
    missing.
    """

    def parse(data: dict[str, Any]) -> Recorded:
        about, episodes = data["about"], data["episodes"]
        _require(isinstance(about, dict) and type(episodes) is int, "about")
        declared = Declared.from_json(about["declared"])
        if "known_rewards" in about:
            if known_rewards is None:
                raise InvalidArgument("known_rewards was a function, which files do not keep: pass it again")
            declared = replace(declared, rewards=known_rewards)
        given = {name: about[name] for name in ("episodes", "delta", "eta", "seed", "algorithm", "bonus_scale")}
        asked = objective(about["objective"])
        settings = Settings.read(asked, **given, declared=declared, stop_when=about["stop_when"])
        return Recorded(about, episodes, settings, BlackBox.from_json(about) if "environment" in about else None)

    if not path.is_file():
        raise InvalidArgument(f"{str(path)!r} is no file, wanted one that a learner has written")
    return files.read(path, "learning", parse)


def _require(condition: object, name: str) -> None:
    if not condition:
        raise InvalidFile(f"{name} of the state has another type, shape or range than this run's")


CHUNK = 4096  # episodes whose random numbers are drawn together; a checkpoint may be written after them
Count = Callable[[int, Any], None]
"""A progress callback: episodes done, and episodes in all or None where the run ends by itself."""


@dataclass
class Record:
    """Series with one entry per episode.

    In units: return, optimistic value, upper bound on the best optimistic value, width of the sets met (the sum of Y).
    In the user's units: bounds on Phi, and ``earned``, the return, where it is not a function of the units.
    """

    returns: Floats
    optimistic: Floats
    uppers: Floats
    widths: Floats
    low: Floats | None
    high: Floats | None
    earned: Floats | None = None


def play_all(
    task: Task, learner: Learner, judge: Judge, bracket: Bracket, checkpoint: Checkpoint, progress: Count | None
) -> Record:
    """Play the episodes that are left, in batches, and return the record of all."""
    settings, horizon = task.settings, learner.standard.horizon
    done, kept = checkpoint.restore()
    parts: list[list[Floats]] = [kept] if kept else []
    last = (float(kept[4][-1]), float(kept[5][-1])) if kept else (0.0, 0.0)
    rng = np.random.default_rng(settings.seed)
    rng.bit_generator.advance(done * (1 + 2 * horizon))  # type: ignore[attr-defined]
    while not is_over(settings, done, bracket):
        size = 1 if not judge.by_laws else CHUNK
        if bracket.wanted:
            size = min(size, max(bracket.next_check - done, 1))
        size = size if settings.episodes is None else min(size, settings.episodes - done)
        pending = draws_of(settings.seed, size, horizon, rng)
        ahead = 0 if settings.episodes is None else settings.episodes - done - size
        while len(pending):
            part = learner.run(pending, evaluate=judge.by_laws, ahead=ahead)
            low, high = _judged(judge, part, last)
            last = (float(low[-1]), float(high[-1]))
            parts.append([part.returns.astype(np.float64), part.values, part.uppers, part.widths, low, high])
            bracket.add_uppers(part.uppers)
            pending = pending[len(part.values) :]
            done += len(part.values)
            if progress is not None:
                progress(done, settings.episodes)
        bracket.replan_if_due(done)
        checkpoint.save(done, lambda: _joined(parts))
    checkpoint.save(done, lambda: _joined(parts), now=True)
    return Record(*_joined(parts))


def is_over(settings: Settings, done: int, bracket: Bracket) -> bool:
    """Return whether a run ends after ``done`` episodes."""
    if settings.episodes is not None and done >= settings.episodes:
        return True
    return settings.stop_when is not None and done > 0 and bracket.gap <= settings.stop_when


def _joined(parts: list[list[Floats]]) -> list[Floats]:
    """Return one array per series; ``parts`` is replaced by the one part that these are."""
    parts[:] = [[np.concatenate(column) for column in zip(*parts, strict=True)]]
    return parts[0]


def _judged(judge: Judge, part: Episodes, last: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return lower and upper values of the policies of a batch; ``last`` are those of the policy it began with."""
    if not judge.by_laws:
        low, high = judge.of_policy(judge.learner.policy_table())
        return np.full(len(part.values), low), np.full(len(part.values), high)
    if not len(part.laws):
        return np.full(len(part.values), last[0]), np.full(len(part.values), last[1])
    lows, highs = judge.of_laws(part.laws)
    index = part.law_index
    return np.where(index < 0, last[0], lows[index]), np.where(index < 0, last[1], highs[index])


def played_again(run: Run, episodes: int) -> tuple[Task, Learner, list[Episodes]]:
    """Play the first episodes of a run in a model again; return the task, the learner after them, and the episodes."""
    assert run.mdp is not None
    task = Task.of(standard_form(run.mdp, run.eta), run.settings)
    learner, done, batches = task.learner(), 0, []
    draws = draws_of(run.seed, episodes, task.standard.horizon)
    while done < episodes:
        batches.append(learner.run(draws[done:], evaluate=False))
        done += len(batches[-1].values)
    return task, learner, batches
