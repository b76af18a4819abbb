r"""A test of what answers from a log assume: the outcomes of a pair (s, a) are independent and have one law, whatever
the step, what was done before, and the time.

Split the outcomes of a pair by a context that is known before the outcome.  With counts :math:`x_c` in context c and
:math:`x = \sum_c x_c`,

.. math:: e = \prod_c q(x_c) \Big/ \max_P \prod_i P_i^{x_i}, \qquad q \text{ the mixture over supports of kl-ball.}

Under the assumption, with law P, the ratio with :math:`\prod_i P_i^{x_i}` in the denominator has mean 1, and the
maximum makes it smaller: ``e >= 1/delta`` has probability at most delta (theory, page 10, kl-markov).  A large e-value
refutes the assumption; a small one confirms nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidArgument
from ..kernels.learn_data import Ints
from .log import CUT, Log, Name
from .rows import redundancy

STEPS = 4
"""Steps told apart by the context *step*; later ones count as the last of them."""
PARTS = 10
"""Parts of the log, by episodes, told apart by the context *time*."""


@dataclass(frozen=True)
class MarkovTest:
    """The evidence of a log against its own Markov property.

    :param log_e: the natural logarithm of the e-value
    :param by_context: the same for the contexts step, what was done before, and time
    :param worst: the pairs with the largest e-values: state, action, context, logarithm
    """

    log_e: float
    by_context: dict[str, float]
    worst: tuple[tuple[Name, Name, str, float], ...]

    @property
    def e_value(self) -> float:
        """The e-value; infinite if it exceeds every float."""
        return math.exp(self.log_e) if self.log_e < 700 else math.inf

    def rejects(self, delta: float) -> bool:
        """Whether the assumption is refuted, with an error of probability at most ``delta``.

        :param delta: a probability
        :returns: whether the e-value is at least ``1 / delta``
        """
        return self.log_e >= -math.log(delta)

    def __str__(self) -> str:
        s, a, context, _ = self.worst[0] if self.worst else ("", "", "", 0.0)
        most = f"; most of all {s}, {a}, by {context}" if self.log_e > 0 and self.worst else ""
        return f"e-value {self.e_value:.3g} against one law for each pair{most}"


def markov_test(log: Log) -> MarkovTest:
    """Test whether one law for each pair of state and action explains a log, whose number of episodes was fixed
    beforehand.

    >>> steps = {"episode": range(40), "state": ["s"] * 40, "action": ["a"] * 40, "reward": [0] * 20 + [1] * 20}
    >>> print(markov_test(Log.from_arrays(**steps, terminated=[1] * 40)))
    e-value 3.2e+04 against one law for each pair; most of all s, a, by time

    :param log: the episodes
    :returns: the e-value, 1 or less on average if the assumption holds
    :raises InvalidArgument: if ``log`` is not a log
    """
    if not isinstance(log, Log):
        raise InvalidArgument(f"log is {log!r}, wanted a Log, such as Log.from_csv(...)")
    seen = log.successor != CUT
    pair = log.state * len(log.actions) + log.action
    episode = np.repeat(np.arange(log.episodes), np.diff(log.first))
    step = np.arange(len(pair)) - log.first[episode]
    before = np.where(step > 0, np.roll(pair, 1), -1)
    contexts = {
        "step": np.minimum(step, STEPS - 1),
        "what was done before": before,
        "time": episode * PARTS // log.episodes,
    }
    outcome = (log.successor - log.successor.min()) * len(log.rewards) + log.reward
    possible = (len(log.states) + len(log.terminal) + 1) * len(log.rewards)
    found, every = {}, []
    for name, context in contexts.items():
        values = [(_log_e(context[at], outcome[at], possible), int(p)) for p, at in _places(pair, seen)]
        every += [(v, p, name) for v, p in values]
        found[name] = _average([_average([v for v, _ in values]), sum(v for v, _ in values)]) if values else 0.0
    worst = tuple((log.states[p // len(log.actions)], log.actions[p % len(log.actions)], name, v)
                  for v, p, name in sorted(every, reverse=True)[:5])  # fmt: skip
    return MarkovTest(_average(list(found.values())), found, worst)


def _places(pair: Ints, seen: Ints) -> list[tuple[int, Ints]]:
    """Return the rows of each pair, of those whose outcome is known."""
    rows = np.flatnonzero(seen)
    order = rows[np.argsort(pair[rows], kind="stable")]
    numbers, first = np.unique(pair[order], return_index=True)
    return list(zip(numbers.tolist(), np.split(order, first[1:]), strict=True))


def _log_e(context: Ints, outcome: Ints, possible: int) -> float:
    """Return the logarithm of the e-value of one pair."""
    from flint import arb

    total = 0.0
    for c in np.unique(context):
        counts = np.unique(outcome[context == c], return_counts=True)[1]
        n = int(counts.sum())
        coded = redundancy(sorted(counts.tolist()), n, possible, possible, arb)
        total += _log_likelihood(counts) - float(coded.mid())
    return total - _log_likelihood(np.unique(outcome, return_counts=True)[1])


def _log_likelihood(counts: Ints) -> float:
    return float((counts * np.log(counts / counts.sum())).sum())


def _average(logs: list[float]) -> float:
    """Return the logarithm of the average of numbers given by their logarithms."""
    return float(np.logaddexp.reduce(logs) - math.log(len(logs)))
