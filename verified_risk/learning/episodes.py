"""The episodes of a run, and the record of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .checkpoint import Checkpoint
from .evaluate import Judge
from .interval import Bracket
from .learner import Episodes, Floats, Learner, draws_of
from .policies import LearnedPolicy
from .problem import standard_form
from .task import Settings, Task

if TYPE_CHECKING:
    from .run import Run

CHUNK = 4096
"""Episodes whose random numbers are drawn together; a checkpoint may be written after them."""
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
    returns, values, uppers, widths, low, high = _joined(parts)
    return Record(returns, values, uppers, widths, low, high)


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


def replay(run: Run, k: int) -> LearnedPolicy:
    """Play a run again up to episode ``k`` and return the policy of that episode."""
    assert run.mdp is not None
    task = Task.of(standard_form(run.mdp, run.eta), run.settings)
    learner = task.learner()
    draws = draws_of(run.seed, k, task.standard.horizon)
    done = 0
    while done < k:
        done += len(learner.run(draws[done:], evaluate=False).values)
    learner.plan()
    return LearnedPolicy(run.mdp, task.standard, learner.policy_table().tolist())
