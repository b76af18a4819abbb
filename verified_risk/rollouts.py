r"""Play many episodes and compare the outcome with the exact law.

With n independent episodes the empirical CDF is within :math:`\sqrt{\log(2/\delta) / 2n}` of the true one everywhere,
with probability at least :math:`1 - \delta` (Dvoretzky, Kiefer, Wolfowitz, with Massart's constant).

In a model, episodes in the same situation are drawn together, by a multinomial draw of how many take each outcome.  The
cost of 100,000 episodes is thus that of the distinct situations they meet.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from .errors import InvalidArgument, Unsupported
from .law import Law, added_up
from .mdp import MDP
from .numbers.format import above, number
from .numbers.rational import Rational, as_fraction, as_whole, said
from .planning import Plan
from .policy import Policy, required_policy
from .policy.evaluation import return_law
from .policy.playing import Environment, Player, RewardReader

if TYPE_CHECKING:
    from .learning.log import Log
    from .learning.policies import BlackBoxPolicy

Thing = TypeVar("Thing")
Row: TypeAlias = tuple[int, int, int, Fraction, int, bool]
"""Episode, state, action, reward, next state, and whether that ended the episode."""


@dataclass(frozen=True, repr=False)
class Rollout:
    """The returns of ``episodes`` episodes.

    ``law`` is the empirical law of the return, ``exact`` the policy's exact law (None if not requested or not known),
    ``distance`` the largest difference of their CDFs, ``band`` a threshold that it exceeds with probability at most
    ``delta`` if the environment is the model.

    :param episodes: the number of episodes
    :param law: the empirical law of the return
    :param exact: the exact law, or None
    :param delta: one minus the probability with which the band holds
    :param exact_error: a bound on the error of the CDF of ``exact``
    :param why_none: why there is no exact law although it was requested
    :param log: the episodes, if they were requested
    """

    episodes: int
    law: Law
    exact: Law | None
    delta: Fraction
    exact_error: Fraction = field(default=Fraction())
    why_none: str = field(default="")
    log: Log | None = field(default=None)

    @property
    def mean(self) -> Fraction:
        """The mean return."""
        return self.law.mean

    @property
    def band(self) -> float:
        """The width of the DKW band, rounded up."""
        chance = math.log(2 * self.delta.denominator) - math.log(self.delta.numerator)  # delta may underflow a float
        return math.sqrt(chance / (2 * self.episodes)) * (1 + 1e-12)

    @property
    def distance(self) -> Fraction:
        if self.exact is None:
            if self.why_none:
                raise Unsupported(f"there is no law to compare with: {self.why_none}")
            raise Unsupported("the exact law was not asked for", instead="rollout(..., exact=True)")
        return self.law.kolmogorov(self.exact)

    @property
    def inside(self) -> bool | None:
        """True if the empirical CDF is within the band of the exact one; None if that law is not known, or known less
        precisely than the band is wide."""
        band = as_fraction(self.band, "band")
        if (self.exact is None and self.why_none) or self.exact_error > band:
            return None
        return self.distance <= band + self.exact_error

    def __repr__(self) -> str:
        return f"Rollout({self.episodes} episodes, mean {number(self.mean)})"

    def __str__(self) -> str:
        lines = [f"{self.episodes} episodes, mean return {number(self.mean)}"]
        if self.exact is None:
            return "\n".join(lines + [f"nothing to compare with: {self.why_none}"] * bool(self.why_none))
        apart = f"largest difference of the CDFs {float(self.distance):.4g}"
        if self.inside is None:
            verdict = f"which decides nothing: the law itself is known to within {above(self.exact_error)}"
        else:
            verdict = "inside" if self.inside else "OUTSIDE"
            verdict += f" the band {self.band:.4g} (exceeded with probability at most {self.delta})"
        return "\n".join([*lines, f"exact mean {number(self.exact.mean)}", f"{apart}, {verdict}"])


def rollout(
    env: MDP | Environment,
    policy: Policy | Plan | BlackBoxPolicy,
    *,
    episodes: int = 1000,
    seed: int = 0,
    delta: Rational = "1/1000",
    exact: bool = True,
    log: bool = False,
) -> Rollout:
    """Play ``episodes`` episodes of ``policy`` (or of a plan's) in ``env``, a gymnasium environment or a model.

    >>> import verified_risk as vr
    >>> mdp = vr.models.two_paths()
    >>> played = vr.rollout(mdp, vr.plan(mdp, "mean"), episodes=100_000)
    >>> played.inside, played.exact
    (True, Law({0: 1/4, 2: 3/4}))

    In a model the draws are vectorised, unless ``log`` asks for the episodes.  In an environment every step is played:
    its observations must be the states of ``policy.mdp``, and its rewards those of that model; otherwise an error names
    the offending one.

    :param env: a gymnasium environment or a model
    :param policy: a policy or a plan; one learned in an environment has no exact law
    :param episodes: at least 1
    :param seed: the seed of the environment and of the policy's draws
    :param delta: one minus the probability with which the band holds
    :param exact: compute the exact law to compare with
    :param log: keep the episodes as a :class:`~verified_risk.Log`
    :returns: the empirical law beside the exact one
    :raises InvalidArgument: if ``env`` is neither, its rewards are not the model's, or an option is out of range
    :raises Unsupported: if the model has continuous rewards
    """
    whole = as_whole(episodes)
    if whole is None or whole < 1:
        raise InvalidArgument(f"episodes is {episodes!r}, wanted an integer of at least 1")
    chance = as_fraction(delta, "delta")
    if not 0 < chance < 1:
        raise InvalidArgument(f"delta is {said(chance)}, wanted a probability strictly between 0 and 1")
    if as_whole(seed) is None or seed < 0:
        raise InvalidArgument(f"seed is {seed!r}, wanted an integer of at least 0")
    if not isinstance(env, MDP) and not (hasattr(env, "reset") and hasattr(env, "step")):
        made = ", such as gymnasium.make(...)" if isinstance(env, str) else ""
        raise InvalidArgument(f"env is {env!r}, wanted a gymnasium environment or an MDP{made}")
    known, error, why = None, Fraction(), ""
    if not isinstance(policy, (Policy, Plan)) and hasattr(policy, "shell"):
        if log:
            raise Unsupported(
                "episodes of a policy learned in an environment are not logged", instead="Log.from_transitions"
            )
        if isinstance(env, MDP):
            raise InvalidArgument("the policy was learned in an environment, wanted that environment and no model")
        found = Counter(policy.play(env, seed if k == 0 else None) for k in range(whole))
        return Rollout(whole, _law(found, whole), None, chance)
    if isinstance(policy, Plan):
        if exact:
            known, error = policy.law, policy.law_error or Fraction()
            why = "" if known is not None else policy.why_no_law
        policy = policy.policy
    else:
        policy = required_policy(policy)
        known = return_law(policy.mdp, policy) if exact else None
    rng = np.random.default_rng(seed)
    rows: list[Row] | None = [] if log else None
    if isinstance(env, MDP):
        policy.require(env)
        if not env.is_discrete:
            raise Unsupported("rewards are continuous: play in an environment, or in mdp.discretised(eta)")
    if isinstance(env, MDP) and not log:
        parts = [(part, weight) for weight, part in policy.parts()]
        played = (_play_together(part, n, rng) for part, n in _split(rng, whole, parts))
        counts = added_up(pair for earned in played for pair in earned.items())
    else:
        counts = _in_environment(_Simulated(env, rng) if isinstance(env, MDP) else env, policy, whole, rng, seed, rows)
    return Rollout(whole, _law(counts, whole), known, chance, error, why, None if rows is None else _log_of(rows))


def _law(counts: dict[Fraction, int], episodes: int) -> Law:
    return Law.of_weights({z: Fraction(n, episodes) for z, n in counts.items()})


def _play_together(policy: Policy, episodes: int, rng: np.random.Generator) -> dict[Fraction, int]:
    """Return how many episodes earned each return, drawn situation by situation."""
    mdp = policy.mdp
    level: dict[tuple[int, Fraction, Hashable], int] = {
        (s, Fraction(), policy.start()): n for s, n in _split(rng, episodes, mdp.initial)
    }
    for t in range(mdp.horizon):
        following: dict[tuple[int, Fraction, Hashable], int] = {}
        for (s, y, memory), n in level.items():
            for a, k in _split(rng, n, policy.choice(t, s, memory)):
                outcomes = [((target, r), p) for p, target, r in mdp.actions(s)[a].outcomes]
                for (target, r), m in _split(rng, k, outcomes):
                    for after, count in _split(rng, m, policy.memories(memory, t, s, a, r)):
                        key = (target, y + mdp.step_reward(t, r), after)
                        following[key] = following.get(key, 0) + count
        level = following
    return added_up((y, n) for (_, y, _), n in level.items())


def _split(
    rng: np.random.Generator, episodes: int, law: Sequence[tuple[Thing, Fraction]]
) -> Iterator[tuple[Thing, int]]:
    """Draw how many of the episodes take each value of a law; yield those that some take."""
    if len(law) == 1:
        yield law[0][0], episodes
        return
    chances = np.array([float(p) for _, p in law])
    for (value, _), n in zip(law, rng.multinomial(episodes, chances / chances.sum()), strict=True):
        if n:
            yield value, int(n)


class _Simulated:
    """A model as an environment."""

    def __init__(self, mdp: MDP, rng: np.random.Generator) -> None:
        self.mdp, self.rng = mdp, rng

    def _drawn(self, chances: Iterable[Fraction]) -> int:
        p = np.array([float(chance) for chance in chances])
        return int(self.rng.choice(len(p), p=p / p.sum()))

    def reset(self, *, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        self.state = self.mdp.initial[self._drawn(p for _, p in self.mdp.initial)][0]
        return self.state, {}

    def step(self, action: int) -> tuple[int, Fraction, bool, bool, dict[str, Any]]:
        outcomes = self.mdp.actions(self.state)[action].outcomes
        _, self.state, reward = outcomes[self._drawn(p for p, _, _ in outcomes)]
        return self.state, reward, False, False, {}


def _log_of(rows: list[Row]) -> Log:
    from .learning.log import Log

    episode, state, action, reward, after, ended = map(list, zip(*rows, strict=True))
    return Log.from_arrays(
        episode=episode, state=state, action=action, reward=reward, next_state=after, terminated=ended
    )  # fmt: skip


def _in_environment(
    env: Any, policy: Policy, episodes: int, rng: np.random.Generator, seed: int, rows: list[Row] | None = None
) -> dict[Fraction, int]:
    """Play episode by episode, into ``rows`` if given; one that ends early earns nothing more."""
    mdp, player = policy.mdp, Player(policy, rng)
    readers: dict[tuple[int, int], RewardReader] = {}
    earned: Counter[Fraction] = Counter()
    for k in range(episodes):
        player.reset()
        seen, _ = env.reset(seed=seed) if k == 0 else env.reset()
        y = Fraction()
        while not player.over:
            t, s = player.t, mdp.state_at(player.t, int(seen))
            a = player.act(seen)
            seen, reward, terminated, truncated, _ = env.step(a)
            if (s, a) not in readers:
                readers[s, a] = RewardReader(mdp, s, a)
            y += mdp.step_reward(t, readers[s, a](reward))
            player.observe(reward)
            if rows is not None:
                rows.append((k, s, a, readers[s, a](reward), int(seen), terminated))
            if terminated:
                break
            if truncated and not player.over:
                raise InvalidArgument(
                    f"the environment cut episode {k} off after {player.t} steps, the model plays {mdp.horizon}: "
                    f"plan with horizon={player.t}"
                )
        earned[y] += 1
    return earned
