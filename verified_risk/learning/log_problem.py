"""A log as a problem of the learner: names become numbers, declarations are compared with every row, rows are counted.

The log stands for a black box (:mod:`.environment`): an outcome of a step is its reward together with the next state.
States are those of the log, the ends of episodes and, unless the initial law is known, the state before the first.

:class:`Rows` has bounds on shortfalls, row by row of a learner's confidence sets, for policies that are given, and for
sets that are balls (theory, page 10, kl-logs and kl-ball); :func:`markov_test` tests what answers from a log assume
(kl-markov).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias, TypedDict

import numpy as np

from ..errors import InvalidArgument
from ..kernels.learn_data import Actions, Floats, Ints
from ..numbers.enclosure import ball, enclose
from ..numbers.rational import Rational, as_probability
from ..objectives import Weighting
from .declarations import Declared, Witness, check_box, possible_rewards
from .environment import black_box, read_steps, shell_of
from .guarantee import up
from .learner import Learner
from .log import CUT, ENDED, Log, Name
from .task import Settings, Task

Rule: TypeAlias = Callable[[int, int, int], Sequence[tuple[int, Any]]]
"""``rule(t, s, width)``: actions of state s at step t and their probabilities, numbers or arrays over ``y < width``."""
MOST_SUPPORTS = 60
"""Supports with so many outcomes more than were seen are left out of the mixture, which makes sets wider."""
HALVINGS = 18  # bisections for eta, on a logarithmic scale from 1e-9 to 1e3 times the span; any eta is valid
TARGETS = 128  # targets rho whose tables are computed together
ROUNDED = 2.0**-49  # sixteen roundings of floats


@dataclass(frozen=True)
class Row:
    """The set of one pair: outcomes ``(state, atom)`` seen, their weights, the mass beyond; ``rate`` is None or
    :math:`\\lambda/N` of a ball.  ``listed`` are the outcomes that can occur, None if all can; ``kept`` is mass
    that belongs to any of those seen."""

    state: Ints
    atom: Ints
    weight: Floats
    miss: float
    rate: float | None
    listed: tuple[Ints, Ints] | None
    kept: float = 0.0


class Rows:
    """The confidence sets of a learner, whose counts are complete, as rows.

    A table ``W_t(s, y)`` holds expected costs of what was earned up to the end, y being what was earned before step t.
    With sign 1 every row is bounded from above over the set of its pair, with sign -1 from below.  ``delta`` makes
    balls of the sets; ``untried`` is the number of pairs that are not in the learner's model.
    """

    def __init__(self, learner: Learner, *, delta: Fraction | None = None, untried: int = 0) -> None:
        self.learner, self.standard = learner, learner.standard
        counts, known, model = learner.counts, learner.known, learner.model
        learned = (~known.fixed & (known.limit != 1)).sum()
        tests = max(int(learned) + untried, 1)
        atoms = len(self.standard.atoms)
        start = len(counts.visits) - 1 if self.standard.free_steps else -1  # pays nothing
        self.rows = []
        for p in range(len(counts.visits)):
            n, k = int(counts.visits[p]), int(known.length[p])
            listed = (known.state[p, :k], known.atom[p, :k]) if k else None
            if delta is not None and n and not known.fixed[p] and model.miss[p] > 0:
                seen = int(counts.length[p])
                x = counts.count[p, :seen]
                every = learner.shape.followers * (1 if p == start else atoms)
                possible = len(learner.knowledge.lists[p]) or every  # before data: the list may have grown from them
                size = tuple(sorted(x.tolist()))
                rate = ball_rate(size, n, possible, int(known.limit[p]) or possible, tests / delta)
                rate *= learner.target.scale**2
                row = Row(counts.state[p, :seen], counts.atom[p, :seen], x / n, 0.0, rate, listed)
            else:
                kept = np.flatnonzero(model.state[p, : model.length[p]] < self.standard.n_states)
                weights = model.prob[p, kept]
                row = Row(model.state[p, kept], model.atom[p, kept], weights, float(model.miss[p]), None, listed)
            self.rows.append(row)

    def costs(self, terminal: Floats, sign: int, rule: Rule | None) -> tuple[Floats, list[list[Ints]]]:
        """Return bounds on the expected ``terminal[y]`` at the end, for every state and return at the start, of a rule
        or of the best actions (None); and those actions, step by step and state by state."""
        standard, first = self.standard, self.learner.shape.first
        after = np.broadcast_to(terminal, (standard.n_states, *terminal.shape))
        chosen: list[list[Ints]] = []
        for t in range(standard.horizon - 1, -1, -1):
            units = np.array(standard.units[t])
            width = after.shape[-1] - int(units[-1])
            signed = sign * after
            most = signed[: self.learner.shape.followers].max(axis=0)
            beyond = np.max([most[..., u : u + width] for u in units], axis=0)
            now, actions = np.empty((standard.n_states, *terminal.shape[:-1], width)), []
            for s in range(standard.n_states):
                if rule is None:
                    pairs = range(first[s], first[s + 1])
                    found = np.array([sign * _bound(self.rows[p], signed, units, width, beyond) for p in pairs])
                    actions.append(np.argmin(found, axis=0))
                    now[s] = found.min(axis=0)
                else:
                    now[s] = sum(
                        weight * (sign * _bound(self.rows[first[s] + a], signed, units, width, beyond))
                        for a, weight in rule(t, s, width)
                    )
            after = now
            chosen.append(actions)
        return after, chosen[::-1]

    def at_start(self, table: Floats) -> Floats:
        """Return the average of a table over the initial law."""
        return np.asarray(sum(float(p) * table[s] for s, p in self.standard.initial))

    def by_target(
        self, kind: Callable[[Floats], Floats], sign: int, rule: Rule | None, by_return: bool, rhos: Ints
    ) -> Floats:
        """Return bounds on ``E kind(rho - Z)`` for targets rho, in one pass unless the rule looks at the return: what
        is missing to rho is what is missing to ``top`` after ``top - rho`` at the start."""
        top = self.standard.top[0]
        if not by_return:
            return self.at_start(self.costs(kind(top - np.arange(2.0 * top + 1)), sign, rule)[0])[::-1][rhos]
        parts = np.array_split(rhos.astype(np.float64), 1 + (len(rhos) - 1) // TARGETS)
        passes = (self.costs(kind(rho[:, None] - np.arange(top + 1.0)), sign, rule)[0] for rho in parts)
        return np.concatenate([self.at_start(table)[:, 0] for table in passes])

    def best_target(self, kind: Callable[[Floats], Floats], rule: Rule, by_return: bool) -> tuple[int, float]:
        """Return the maximum of ``rho - E kind(rho - Z)``, bounded from below for a convex ``kind``, and its rho.

        The bound is concave in rho, so it is greatest next to the best of some targets between the others.
        """
        first, last = 0, self.standard.top[0]
        while True:
            rhos = np.unique(np.linspace(first, last, TARGETS).astype(np.int64))
            scores = rhos - self.by_target(kind, 1, rule, by_return, rhos)
            best = int(np.argmax(scores))
            if len(rhos) == last - first + 1:
                return int(rhos[best]), float(scores[best])
            first, last = int(rhos[max(best - 1, 0)]), int(rhos[min(best + 1, len(rhos) - 1)])

    def plan(self, left: float, right: float, sign: int) -> tuple[float, Actions]:
        """Return the best ``max_rho rho - E c(rho - Z)``, ``c(b) = left b`` below 0 and ``right b`` above, over all
        policies, bounded from below (sign 1) or above (-1), and the policy of the maximiser.

        With equal slopes this is the mean, for which neither rho nor the return so far matters.
        """
        standard, mean = self.standard, left == right
        top, last = (0, 0) if mean else (standard.top[0], standard.used[standard.horizon - 1])
        budget = top - np.arange(standard.top[0] + top + 1.0)
        table, chosen = self.costs(np.where(budget > 0, right * budget, left * budget), sign, None)
        rhos = np.arange(min(top, self.learner.knowledge.largest) + 1)
        scores = rhos - self.at_start(table)[::-1][: len(rhos)]
        rho = int(np.argmax(scores))
        policy = np.zeros((standard.horizon, standard.n_states, last + 1), np.int16)
        for t, actions in enumerate(chosen):
            reach = 1 if mean else standard.used[t] + 1
            for s, action in enumerate(actions):
                policy[t, s, :reach] = action[top - rho : top - rho + reach]
        return float(scores[rho]), policy


def _bound(row: Row, values: Floats, units: Ints, width: int, beyond: Floats) -> Floats:
    """Return an upper bound on the mean of ``values`` one step later, over the set of a row, at every ``y < width``."""
    f = np.array([values[s, ..., u : u + width] for s, u in zip(row.state, units[row.atom], strict=True)])
    if row.listed is not None:
        listed = zip(row.listed[0], units[row.listed[1]], strict=True)
        beyond = np.max([values[s, ..., u : u + width] for s, u in listed], axis=0)
    if row.rate is not None:
        return ball_above(f, np.maximum(beyond, f.max(axis=0)), row.weight, row.rate)
    seen = np.tensordot(row.weight, f, 1) + row.kept * f.max(axis=0) if len(f) else np.zeros_like(beyond)
    return seen + row.miss * beyond if row.miss else seen


def ball_above(f: Floats, most: Floats, p: Floats, rate: float) -> Floats:
    r"""Return upper bounds on :math:`\sum_i P_i f_i` over :math:`\mathrm{KL}(p, P) \le` ``rate``, column by column;
    ``most`` is at least f at every outcome that can occur, seen or not.

    Every :math:`z \ge 0` gives one, with :math:`\eta = \text{most} + z`; the derivative in z is
    :math:`1 - e^{-\text{rate}} \prod (z + g_i)^{p_i} \sum p_i / (z + g_i)`, ``g = most - f``, increasing.  Rounding:
    the exponent of k outcomes is wrong by at most ``(k + 4) u`` times the largest logarithm plus ``4u``.
    """
    g = most - f
    span = g.max(axis=0)
    scale = np.log(np.maximum(span, 1e-280))
    low, high = scale - 21.0, scale + 7.0
    weights = p.reshape(-1, *[1] * (f.ndim - 1))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        d = np.exp(middle) + g
        more = (weights * np.log(d)).sum(axis=0) + np.log((weights / d).sum(axis=0)) > rate
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    best = most
    for z in (np.exp(high), np.zeros_like(most)):
        with np.errstate(divide="ignore"):
            logs = np.log(z + g)
        size = np.where(np.isfinite(logs), np.abs(logs), 0.0).max(axis=0)
        product = np.exp((weights * logs).sum(axis=0) - rate)
        product *= 1.0 - ROUNDED * ((len(p) + 4) * size + rate + 4.0)
        eta = most + z
        best = np.minimum(best, eta - product + ROUNDED * (np.abs(eta) + product + 1e-280))
    return best


@lru_cache(maxsize=100_000)
def ball_rate(counts: tuple[int, ...], visits: int, possible: int, limit: int, odds: Fraction) -> float:
    r"""Return a float at least the :math:`\lambda/N` of kl-ball (theory, page 10), for ``counts`` of N ``visits`` and
    at most ``limit`` of the ``possible`` outcomes; terms of the mixture that are left out make it larger."""
    exact = enclose(lambda arb: (ball(odds, arb).log() + redundancy(counts, visits, possible, limit, arb)) / visits)
    return up(exact)


def redundancy(counts: Sequence[int], visits: int, possible: int, limit: int, arb: Any) -> Any:
    r"""Return :math:`\log(\prod \tilde p_i^{x_i}/q(x))` as a ball (theory, page 10, kl-ball)."""
    seen, most = len(counts), min(possible, limit)
    half = arb(1) / 2
    likelihood, product = arb(0), arb(0)
    for x in counts:
        likelihood += x * (arb(x) / visits).log()
        product += (x + half).lgamma() - half.lgamma()
    total = arb(0)
    for m in range(seen, min(most, seen + MOST_SUPPORTS) + 1):
        weight = Fraction(most + 1, most * m * (m + 1))
        share = Fraction(math.comb(possible - seen, m - seen), math.comb(possible, m))
        total += ball(weight * share, arb) * ((m * half).lgamma() - (visits + m * half).lgamma() + product).exp()
    return likelihood - total.log()


STEPS = 4  # steps told apart by the context *step*; later ones count as the last of them
PARTS = 10  # parts of the log, by episodes, told apart by the context *time*


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
        """Return whether the assumption is refuted, with an error of probability at most ``delta``.

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
    log.need_episodes("markov_test")
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
    return list(zip(numbers.tolist(), np.split(order, first)[1:], strict=True))


def _log_e(context: Ints, outcome: Ints, possible: int) -> float:
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


MARKOV = (
    "the next state and the reward depend on the present state and action only, by a law that does not change "
    "(Markov): a log can refute this, it cannot show it"
)


class Facts(TypedDict, total=False):
    """Which return is meant, and what is asserted about the model; names are those of the log."""

    horizon: int  #: the steps whose rewards are added up; by default those of the longest episode
    rewards: Sequence[Rational]  #: all rewards that a step can pay; ``log.rewards`` asserts that there are no others
    reward_range: tuple[Rational, Rational]  #: the least and greatest reward instead, with ``eta``
    eta: Rational  #: the step of a grid to which rewards are rounded
    initial: Any  #: the state in which episodes begin, or ``{state: probability}``; by default this law is estimated
    states: Sequence[Any]  #: all states; by default those of the log
    actions: Any  #: all actions, possible in every state, or ``{state: actions}``; by default those of the log there
    known_successors: int | Mapping[tuple[Any, Any], Sequence[Any]]  #: what can follow (None: the end), or how many
    known_rewards: Callable[[Any, Any, Any], Any]  #: the reward of (state, action, next state), or those possible
    largest_return: Rational  #: no return exceeds it


class LogProblem:
    """One question asked of a log.  ``live`` and ``ends`` name the states, ``own`` the actions of the live ones;
    ``untried`` pairs have no rows and are not played, but have tests.  The sets spend ``level``,
    a ``share`` of ``delta``.

    Raises :class:`InvalidArgument` for an option out of range, and for the first row that contradicts a declaration.
    """

    def __init__(
        self, log: Log, objective: Weighting, delta: Rational, facts: Facts, wanted: Sequence[Name],
        share: Fraction = Fraction(1),
    ) -> None:  # fmt: skip
        if not isinstance(log, Log):
            raise InvalidArgument(f"log is {log!r}, wanted a Log, such as Log.from_csv(...)")
        unknown = [x for x in facts if x not in Facts.__annotations__]
        if unknown:
            raise InvalidArgument(f"{unknown[0]} is no option, wanted one of {', '.join(Facts.__annotations__)}")
        self.log, self.facts = log, facts
        if "horizon" not in facts:
            facts = {"horizon": log.longest, **facts}
        steps = read_steps(facts["horizon"])
        if "rewards" not in facts and "reward_range" not in facts:
            raise InvalidArgument(
                f"rewards is missing, wanted all rewards that a step can pay: the log has {some(log.rewards)}, and "
                "rewards=log.rewards asserts that there are no others"
            )
        rewarded, following = facts.get("known_rewards", False), facts.get("known_successors", False)
        self.declared = Declared.read(rewarded, following, facts.get("largest_return"))
        check_box(self.declared)
        settings = Settings.read(objective, 1, delta, facts.get("eta"), algorithm="kl")
        self.delta, self.level = settings.delta, share * settings.delta
        self._name(wanted)
        start = self.start = self._initial(facts.get("initial"))
        rewards, known_start = (facts.get("rewards"), facts.get("reward_range"), settings.eta), "initial" in facts
        self.shell = shell_of((len(self.live),), len(self.every), steps, *rewards, not known_start)
        self._count()
        fixed = frozenset(range(len(self.live), len(self.ends)))
        declared = isinstance(facts.get("actions"), Mapping)  # then the others are impossible
        self.untried = 0 if declared else len(self.live) * len(self.every) - sum(map(len, self.own))
        standard = black_box(self.shell, [len(own) for own in self.own], len(fixed), start)
        settings = replace(settings, declared=self._numbered(), delta=self.level)
        self.task = Task.of(standard, settings, fixed=fixed, untried=self.untried)
        knowledge = self.task.knowledge  # the same sets whatever the horizon and the objective
        self.key = (replace(self.shell, steps=1), self.ends, self.every, start, *vars(knowledge).values())

    def _name(self, wanted: Sequence[Name]) -> None:
        """Number states and actions; ``wanted`` actions may be played in every state."""
        log, states, actions = self.log, self.facts.get("states"), self.facts.get("actions")
        own = actions if isinstance(actions, Mapping) else None
        given = log.actions if actions is None else actions if own is None else [a for x in own.values() for a in x]
        self.live = log.states if states is None else tuple(dict.fromkeys(states))
        self.every = tuple(dict.fromkeys([*given, *wanted]))
        columns = (log.states, self.live, log.state, log.successor), (log.actions, self.every, log.action, log.action)
        for names, known, column, after in columns:
            for i, x in enumerate(names):
                if x not in known:
                    row = int(np.flatnonzero((column == i) | (after == i))[0])
                    raise InvalidArgument(f"{log.where(row)}: {x!r} is not among the declared {some(known)}")
        twice = [x for x in log.terminal if x in self.live]
        if twice:
            raise InvalidArgument(f"states has {twice[0]!r}, which the log calls terminal")
        ending = log.counted or bool((log.successor == ENDED).any())
        self.ends: tuple[Name, ...] = (*self.live, *log.terminal, *[None] * ending)
        self.number = {name: s for s, name in enumerate(self.ends)}
        self.code = np.array([self.number[x] for x in (*log.states, *log.terminal)])
        state, action = self.code[log.state], np.array([self.every.index(x) for x in log.actions])[log.action]
        played = np.zeros((len(self.live), len(self.every)), np.bool_)
        if own is not None:
            played[:] = [[a in own.get(s, ()) for a in self.every] for s in self.live]
            for k in np.flatnonzero(~played[state, action])[:1]:
                name = self.live[state[k]]
                wrong = f"action {self.every[action[k]]!r} in {name!r}, wanted {some(own.get(name, ()))}"
                raise InvalidArgument(f"{log.where(int(k))}: {wrong}")
        played[state, action] = True
        played[:, [self.every.index(x) for x in (wanted if actions is None else () if own else self.every)]] = True
        played[~played.any(axis=1)] = True  # nothing was done in these states
        self.own = tuple(tuple(a for a, x in zip(self.every, row, strict=True) if x) for row in played)
        first = np.concatenate([[0], np.cumsum(played.sum(axis=1))])
        self.first, self.pair = first, first[state] + np.cumsum(played, axis=1)[state, action] - 1
        self.idle = [x for i, x in enumerate(self.live) if i not in set(np.unique(state).tolist())]

    def _initial(self, initial: Any) -> tuple[tuple[int, Fraction], ...]:
        """Return the declared initial law by number."""
        if initial is None:
            if not len(self.log.begun):
                raise InvalidArgument("initial is missing, and the counts do not show where episodes begin")
            return ((0, Fraction(1)),)
        law = initial if isinstance(initial, Mapping) else {initial: 1}
        exact = {x: as_probability(p, f"initial[{x!r}]") for x, p in law.items()}
        if sum(exact.values()) != 1 or not set(exact) <= set(self.live):
            raise InvalidArgument(f"initial is {initial!r}, wanted a law on the states {some(self.live)}")
        for k, s in enumerate(self.log.begun):
            name = self.log.states[s]
            if not exact.get(name):
                where = f"episode {k}" if self.log.counted else self.log.where(int(self.log.first[k]))
                raise InvalidArgument(f"{where}: an episode begins in {name!r}, not as initial says")
        return tuple((self.number[x], p) for x, p in exact.items() if p)

    def _count(self) -> None:
        """Set the distinct outcomes ``{(pair, state, atom): count}``; compare rows with the declarations."""
        log, declared = self.log, self.declared
        atoms = []
        for i, r in enumerate(log.rewards):
            try:
                atoms.append(self.shell.atom(r))
            except InvalidArgument as error:
                raise InvalidArgument(f"{log.where(np.flatnonzero(log.reward == i)[0])}: {error}") from None
        after = self.after = np.where(log.successor >= 0, self.code[np.maximum(log.successor, 0)], len(self.ends) - 1)
        self.units = np.array([self.shell.units(i) for i in atoms])[log.reward]
        kept, m = np.flatnonzero(log.successor != CUT), len(log.rewards)
        keys = (self.pair[kept] * len(self.ends) + after[kept]) * m + log.reward[kept]
        found, first, place = np.unique(keys, return_index=True, return_inverse=True)
        count = np.bincount(place, log.times[kept], len(found)).astype(np.int64)  # exact below 2**53
        pairs = [(s, a) for s, own in zip(self.live, self.own, strict=True) for a in own]
        witness: Any = Witness(declared)
        self.outcomes: dict[tuple[int, int, int], int] = {}
        for j in np.argsort(first):
            rest, reward = divmod(int(found[j]), m)
            p, s = divmod(rest, len(self.ends))
            if isinstance(declared.successors, Mapping) and pairs[p] not in declared.successors:
                raise InvalidArgument("known_successors has no entry for state {!r}, action {!r}".format(*pairs[p]))
            witness.step(log.where(kept[first[j]]), *pairs[p], log.rewards[reward], self.ends[s])
            witness.add(*pairs[p], log.rewards[reward], self.ends[s])
            outcome = p, s, atoms[reward]  # a grid makes rewards equal
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + int(count[j])
        for k, earned in enumerate(log.returns(self.shell.steps) if declared.largest is not None else ()):
            witness.end(log.where(int(log.first[k])), *pairs[self.pair[log.first[k]]], earned)
        if self.shell.random_starts:
            begun, times = np.unique(self.code[log.begun], return_counts=True)
            start = len(pairs) + len(self.ends) - len(self.live)
            self.outcomes |= {(start, int(s), 0): int(k) for s, k in zip(begun, times, strict=True)}

    def _numbered(self) -> Declared:
        """Return the declarations by number, as the learner reads them; a pair without an entry may lead anywhere."""
        named: Any = self.declared
        successors, rewards = named.successors, named.rewards
        if isinstance(successors, Mapping):
            for pair, states in successors.items():
                if not states or not set(states) <= set(self.ends):
                    raise InvalidArgument(f"known_successors[{pair!r}] is {states!r}, wanted {some(self.ends)}")
            successors = {
                (i, j): [self.number[x] for x in named.successors.get((s, a), self.ends)]
                for i, s in enumerate(self.live) for j, a in enumerate(self.own[i])
            }  # fmt: skip
        if callable(rewards):

            def rewards(s: int, a: int, after: int) -> set[Fraction]:
                return possible_rewards(named, self.live[s], self.own[s][a], self.ends[after])  # type: ignore[arg-type]

        return Declared(rewards, successors, named.largest)

    def learner(self) -> Learner:
        """Return a learner that has counted the log and made its sets."""
        room = int(np.bincount([p for p, _, _ in self.outcomes] or [0]).max())
        learner = self.task.learner(room=room)
        counts = learner.counts
        for (p, state, atom), times in self.outcomes.items():
            j = counts.length[p]
            counts.state[p, j], counts.atom[p, j], counts.count[p, j] = state, atom, times
            counts.length[p] += 1
            counts.visits[p] += times
        learner.plan()
        return learner

    def words(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what a guarantee rests on beside the data, and what a reader should know of the log."""
        log, steps, rounding = self.log, self.shell.steps, self.task.standard.rounding
        states, actions = ("as declared" if x in self.facts else "those of the log" for x in ("states", "actions"))
        actions += "" if "actions" in self.facts else " in each state"
        cut, longest = int((log.successor == CUT).sum()), steps if log.counted else log.longest
        assumed = {
            MARKOV: True,
            "actions were chosen, and rows kept or dropped, without knowledge of what followed": True,
            f"the states are {states}, the actions {actions}, the rewards as declared": True,
            "episodes begin independently, by one law, which is estimated": self.shell.random_starts,
            f"declared: {self.declared}": str(self.declared),
        }
        longer = f"the horizon is {steps}, the longest episode has {longest} steps"
        test = None if log.counted else markov_test(log)
        notes = {
            "the log has counts only, which cannot contradict the first assumption": test is None,
            f"the log contradicts the first assumption: {test}": test and test.rejects(float(self.delta)),
            f"{longer}: beyond them all rests on laws that do not change": steps > longest,
            f"{cut} steps are not counted: the log does not show where they led": cut,
            "the second half of the log repeats the first, row by row: was a file appended to itself?": log.twice,
            f"nothing was done in {some(self.idle)}: what follows there is not known": self.idle,
            f"{self.untried} pairs of a state and an action are not in the log, and not played": self.untried,
            f"rewards are rounded up to a grid; the lower end allows {rounding} for that": rounding,
        }
        return tuple(x for x, true in assumed.items() if true), tuple(x for x, true in notes.items() if true)


def some(names: Sequence[Any]) -> str:
    """Return the first names of a list, for messages."""
    return ", ".join(map(str, names[:8])) + (f", ... ({len(names)})" if len(names) > 8 else "")
