"""Run a policy on the outcomes of logged episodes that had no part in choosing it, and bound what it is worth.

The outcomes of a pair in the order of the log are its *tape*, of which synthetic episodes read every entry once.  The
earlier episodes alone fix their number, the stake z, the targets of CVaRs, and the *room* of each pair: how many of its
entries may be read (theory, page 10, kl-replay).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from ..kernels.learn_data import Actions, Floats, Ints
from ..law import Law, moved
from ..numbers.enclosure import ball, bounds, enclose
from ..objectives import Weighting
from ..objectives.piecewise import Levels
from .log import CUT
from .log_problem import LogProblem
from .planner import curve_of

Choose: TypeAlias = Callable[[int, Ints, Ints, np.random.Generator], Ints]
"""``choose(t, states, units earned, generator)``: the pairs played at step t, -1 where nothing was drawn."""
Laws: TypeAlias = Callable[[int, int], Sequence[Fraction]]
"""``laws(t, s)``: the probabilities of the actions of a state."""
ONE = 1 << 62  # random numbers are integers below it; probabilities are rounded down to multiples of its inverse
SPARE = 1.5  # standard deviations by which the room of a pair falls short of the expected length of its tape
STAKES = 2.0 ** np.arange(-8, 7, 0.5)  # candidates for z, relative to the largest X
MEAN = Levels(Fraction(1), ())


class Tapes:
    """The outcomes of each pair in the episodes numbered ``start`` to ``stop - 1``; ``spread`` adds up the squares of
    the numbers of visits of a pair in each episode."""

    def __init__(self, problem: LogProblem, start: int, stop: int) -> None:
        log, pairs = problem.log, int(problem.first[-1])
        rows = np.arange(log.first[start], log.first[stop])
        rows = rows[log.successor[rows] != CUT]
        rows = rows[np.argsort(problem.pair[rows], kind="stable")]
        pair, episode = problem.pair[rows], np.searchsorted(log.first, rows, side="right")
        begins = np.flatnonzero(np.diff(pair, prepend=-1).astype(bool) | np.diff(episode, prepend=0).astype(bool))
        times = np.diff(np.append(begins, len(rows)))
        self.problem, self.begun = problem, problem.code[log.begun[start:stop]]
        self.after, self.units = problem.after[rows], problem.units[rows]
        self.length, self.spread = np.bincount(pair, minlength=pairs), np.bincount(pair[begins], times**2, pairs)

    def run(self, number: int, room: Ints, choose: Choose) -> tuple[Ints, Ints]:
        """Return, for each synthetic episode, the units earned until it stopped and the steps that were left."""
        shell, live = self.problem.shell, len(self.problem.live)
        idle, rng = shell.units(shell.atom(Fraction())), np.random.default_rng(0)
        begun, first = self._begun(number, rng), np.cumsum(self.length) - self.length
        earned, left, used = np.zeros(number, np.int64), np.full(number, shell.steps), np.zeros_like(room)
        for block in np.split(np.arange(number), ends_of(number)[:-1]):
            at = block[begun[block] >= 0]
            state = begun[at]
            for t in range(shell.steps):
                pair = choose(t, state, earned[at], rng)
                at, pair = at[pair >= 0], pair[pair >= 0]
                place = used[pair] + _ranks(pair)
                used += np.bincount(pair, minlength=len(used))
                go = place < room[pair]
                at, pair, place = at[go], pair[go], place[go]
                if (place >= self.length[pair]).any():
                    return earned, left
                state = self.after[first[pair] + place]
                earned[at] += self.units[first[pair] + place]
                left[at] -= 1
                over = at[state >= live]
                earned[over] += idle * left[over]
                left[over] = 0
                at, state = at[state < live], state[state < live]
        return earned, left

    def _begun(self, number: int, rng: np.random.Generator) -> Ints:
        """Return first states: those of the episodes, or drawn from the declared law."""
        if self.problem.shell.random_starts:
            return self.begun[:number]
        states, law = zip(*self.problem.start, strict=True)
        return np.array([*states, -1])[np.searchsorted(_cumulated(law), rng.integers(0, ONE, number), side="right")]


def ends_of(number: int) -> Ints:
    """Return where blocks of episodes end that are run side by side; each is about a tenth of those before it."""
    ends = np.unique((2 ** (np.arange(8 * number.bit_length()) / 8)).astype(np.int64))
    return np.append(ends[ends < number], number)


def _ranks(values: Ints) -> Ints:
    """Return how many equal values come before each."""
    order = np.argsort(values, kind="stable")
    ranks = np.empty_like(values)
    ranks[order] = np.arange(len(values)) - np.searchsorted(values[order], values[order])
    return ranks


def _cumulated(law: Sequence[Fraction]) -> Ints:
    return np.cumsum([int(p * ONE) for p in law])


def by_table(problem: LogProblem, table: Actions) -> Choose:
    """Return the choices of a policy ``table[t, s, y]``."""
    return lambda t, states, earned, _: problem.first[states] + table[t, states, np.minimum(earned, table.shape[2] - 1)]


def by_laws(problem: LogProblem, laws: Laws) -> Choose:
    """Return the choices of a policy that draws its actions."""
    wide, live = max(map(len, problem.own)), range(len(problem.live))
    every = np.array([[np.pad(_cumulated(p := laws(t, s)), (0, wide - len(p)), "edge") for s in live]
                      for t in range(problem.shell.steps)])  # fmt: skip

    def choose(t: int, states: Ints, _: Ints, rng: np.random.Generator) -> Ints:
        action: Ints = (rng.integers(0, ONE, (len(states), 1)) >= every[t, states]).sum(axis=1)
        return np.where(action < wide, problem.first[states] + action, -1)

    return choose


class Replay:
    """A policy on the tapes of the episodes from number ``cut`` on; those before it, the *pilot*, fix all the rest.

    The number M is the best one if the pilot's synthetic episodes, and one more of the least possible return, were to
    happen again.  ``number`` and ``stopped`` are M and how many episodes stopped, of the last run.
    """

    def __init__(self, problem: LogProblem, cut: int, choose: Choose) -> None:
        earlier, episodes = Tapes(problem, 0, cut), problem.log.episodes
        self.standard, self.largest = problem.task.standard, problem.task.knowledge.largest
        self.times = episodes / cut - 1
        expected, error = self.times * earlier.length, np.sqrt((self.times**2 + self.times) * earlier.spread)
        room = np.maximum(expected - SPARE * error, 0.0)
        self.pilot = earlier.run(cut, (room / self.times).astype(np.int64), choose)
        self.tapes, self.room, self.choose = Tapes(problem, cut, episodes), room.astype(np.int64), choose
        self.number = self.stopped = 0

    def lower(self, objective: Weighting, delta: Fraction) -> Fraction:
        """Return a number that the policy is worth at least, in the user's units, but for rounded rewards."""
        if objective.shape not in ("linear", "concave"):
            return bounds(objective.of(self._band(delta, 1)))[0]
        curve = curve_of(objective)
        assert curve.levels is not None
        low = self._bet(curve.levels, delta, 1) - Fraction(curve.error) * self.standard.top[0]
        return self.standard.value(max(low, Fraction()))

    def upper(self, objective: Weighting, delta: Fraction) -> Fraction:
        """Return a number that the policy is worth at most."""
        if objective.levels == MEAN:
            return self.standard.value(self.largest - self._bet(MEAN, delta, -1))
        return bounds(objective.of(self._band(delta, -1)))[1]

    def _bet(self, levels: Levels, delta: Fraction, sign: int) -> Fraction:
        """Return a lower bound of a mixture of mean and CVaRs of the units that :meth:`_units` counts."""
        pilot, top = self._units(*self.pilot, sign), self.standard.top[0]
        likely = pilot[: self._stake(np.arange(top + 1.0), pilot, delta)[0]]
        rhos = np.quantile(likely, [float(a) for a, _ in levels.tails], method="inverted_cdf").astype(int)
        base, worth = shortfalls(levels, np.maximum(rhos, 1).tolist(), top)
        _, number, z = self._stake(np.array([float(x) for x in worth]), pilot, delta)
        return base + bet_below(worth, np.bincount(self._returns(number, sign), minlength=top + 1).tolist(), z, delta)

    def _band(self, delta: Fraction, sign: int) -> Law:
        """Return the law of the returns with the mass of the band moved to the least or the largest one."""
        ends, numbers, counts = self._prefixes(self._units(*self.pilot, sign))
        cdf = np.cumsum(counts, axis=1) / (ends + 1)[:, None] + np.sqrt(-math.log(delta) / (2 * numbers))[:, None]
        units = self._returns(int(numbers[np.argmin(np.minimum(cdf, 1.0).sum(axis=1))]), sign)
        values, many = np.unique(units if sign > 0 else self.largest - units, return_counts=True)
        weights = zip(values.tolist(), many.tolist(), strict=True)
        law = Law.of_weights({self.standard.value(Fraction(y)): Fraction(n, len(units)) for y, n in weights})
        return moved(
            law, band_of(len(units), 1 / delta), self.standard.value(Fraction(0 if sign > 0 else self.largest))
        )

    def _returns(self, number: int, sign: int) -> Ints:
        earned, left = self.tapes.run(number, self.room, self.choose)
        self.number, self.stopped = number, int((left > 0).sum())
        return self._units(earned, left, sign)

    def _units(self, earned: Ints, left: Ints, sign: int) -> Ints:
        """Return what was earned at least, or by how much the return is below the largest at least (sign -1)."""
        most = earned + left * self.standard.units[-1][-1]
        return earned if sign > 0 else np.asarray(np.maximum(self.largest - most, 0))

    def _prefixes(self, pilot: Ints) -> tuple[Ints, Ints, Ints]:
        """Return numbers of pilot episodes, how many of the later episodes they stand for, and how often each return
        occurs among them, the least possible one once more."""
        ends = ends_of(len(pilot))
        blocks = np.split(pilot, ends[:-1])
        counts = np.cumsum([np.bincount(x, minlength=self.standard.top[0] + 1) for x in blocks], axis=0)
        counts[:, 0] += 1
        return ends, np.maximum(self.times * ends, 1).astype(np.int64), counts

    def _stake(self, worth: Floats, pilot: Ints, delta: Fraction) -> tuple[int, int, Fraction]:
        """Return the best number of pilot episodes, the number that it stands for, and z."""
        ends, numbers, counts = self._prefixes(pilot)
        z = worth[-1] * STAKES
        logs = counts @ np.log(z + worth[:, None]) / (ends + 1)[:, None] + (math.log(delta) / numbers)[:, None]
        i, j = divmod(int(np.argmax(np.exp(logs) - z)), len(z))
        return int(ends[i]), int(numbers[i]), Fraction(float(z[j]))


def shortfalls(levels: Levels, rhos: Sequence[int], top: int) -> tuple[Fraction, list[Fraction]]:
    r"""Return h(0) and ``h(y) - h(0)``, ``y = 0 .. top``, of :math:`h(y) = w y + \sum_j w_j (\rho_j - (\rho_j - y)^+ /
    \alpha_j)`, which is at most the mixture of mean and CVaRs on average."""
    slope, bends = levels.mean, [Fraction()] * (top + 1)
    base = Fraction()
    for (alpha, w), rho in zip(levels.tails, rhos, strict=True):
        slope, bends[rho], base = slope + w / alpha, bends[rho] + w / alpha, base + w * rho * (1 - 1 / alpha)
    worth = [Fraction()]
    for y in range(top):
        slope -= bends[y]
        worth.append(worth[-1] + slope)
    return base, worth


def bet_below(worth: Sequence[Fraction], counts: Sequence[int], z: Fraction, delta: Fraction) -> Fraction:
    """Return the bound of kl-replay for ``counts[y]`` returns of y units, of which X is ``worth[y]``, rounded down."""

    def formula(arb: Any) -> Any:
        logs = (n * ball(z + x, arb).log() for x, n in zip(worth, counts, strict=True) if n)
        return (sum(logs, ball(delta, arb).log()) / sum(counts)).exp() - ball(z, arb)

    return enclose(formula).lower


def band_of(number: int, odds: Fraction) -> Fraction:
    r"""Return :math:`\sqrt{\log \text{odds} / 2n}`, rounded up: of Massart's inequality."""
    return enclose(lambda arb: (ball(odds, arb).log() / (2 * number)).sqrt()).upper
