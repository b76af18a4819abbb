r"""The form of a black box that is learned in: discrete spaces, a known horizon, rewards of a known range.

States are observations, with one more for "the episode is over", where nothing is paid and nothing is learned.  An
outcome of a step is the reward together with the next observation (a joint model, see :mod:`.problem`).  Rewards are
those listed in ``rewards``, or are rounded up to the grid ``eta`` of ``reward_range``.  Where the first observation is
random, a step of weight 0 leads to it, and its law is learned like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..errors import InvalidArgument
from ..numbers.rational import Rational, as_fraction, as_whole, gcd_of
from .policies import BlackBox
from .problem import MOST_UNITS, Pair, Standard, check_floats, read_eta


def black_box(
    shell: BlackBox, actions: Sequence[int], ends: int, initial: tuple[tuple[int, Fraction], ...]
) -> Standard:
    """Return a problem of the black box's sizes; its outcomes are never read, since episodes come from the box.

    ``actions`` are the numbers of actions of the states; after them come ``ends`` absorbing states that pay nothing
    and, where starts are random, the state before the first.
    """
    over = len(actions)
    nothing = shell.atom(Fraction())
    pairs: list[tuple[Pair, ...]] = [
        (Pair(((nothing, s, Fraction(1)),), ((0, Fraction(1)),)),) for s in range(over + ends)
    ]
    pairs[:over] = [stay * n for stay, n in zip(pairs, actions, strict=False)]
    units = tuple(shell.units(i) for i in range(len(shell.atoms)))
    rows = (units,) * shell.steps
    if shell.random_starts:
        pairs.append(pairs[-1][:1])
        rows = ((0,) * len(units), *rows)
        initial = ((over + ends, Fraction(1)),)
    return Standard(
        horizon=len(rows), discount=Fraction(1), low=shell.low, range=shell.range, unit=shell.unit, atoms=shell.atoms,
        units=rows, exact=shell.exact, joint=True, initial=initial, pairs=tuple(pairs),
        free_steps=int(shell.random_starts),
    )  # fmt: skip


# -- reading the arguments ---------------------------------------------------------------------------------------------


def shell_of(
    sizes: tuple[int, ...],
    actions: int,
    steps: int,
    rewards: Sequence[Rational] | None,
    reward_range: tuple[Rational, Rational] | None,
    eta: Fraction | None,
    random_starts: bool,
) -> BlackBox:
    """Return the form of a black box; raise :class:`InvalidArgument` for rewards that make too many returns."""
    exact = rewards is not None
    low, high, unit, atoms = _grid(eta, reward_range) if rewards is None else _listed(rewards, reward_range, eta)
    check_floats(low, high, steps)
    shell = BlackBox(sizes, actions, steps, low, high - low, unit, atoms, exact, bool(random_starts))
    most = steps * int(1 / unit)
    if most > MOST_UNITS:
        raise InvalidArgument(
            f"{steps} steps with rewards on a grid of {int(1 / unit) + 1} points make {most + 1} returns, "
            f"wanted at most {MOST_UNITS}: pass fewer rewards, a coarser eta or a shorter horizon"
        )
    return shell


def _listed(
    rewards: Sequence[Rational], reward_range: tuple[Rational, Rational] | None, eta: Fraction | None
) -> tuple[Fraction, Fraction, Fraction, tuple[Fraction, ...]]:
    if eta is not None or reward_range is not None:
        raise InvalidArgument("rewards is given, so reward_range and eta are not wanted")
    values = sorted({Fraction(0), *(as_fraction(r, f"rewards[{i}]") for i, r in enumerate(rewards))})
    if len(values) < 2:
        raise InvalidArgument(f"rewards is {list(rewards)!r}, wanted at least one that is not 0")
    low, spread = values[0], values[-1] - values[0]
    atoms = tuple((r - low) / spread for r in values)
    return low, values[-1], gcd_of(atoms), atoms


def read_sizes(space: Any, name: str) -> tuple[int, ...]:
    """Return the sizes of a number, a Discrete space or a tuple of them; raise :class:`InvalidArgument` for others."""
    parts = getattr(space, "spaces", space)
    found = []
    for part in parts if isinstance(parts, (tuple, list)) and parts else (parts,):
        n, start = getattr(part, "n", part), getattr(part, "start", 0)
        size = None if isinstance(n, bool) else as_whole(n)
        if size is None or size < 1:
            raise InvalidArgument(
                f"{name} is {space!r}, wanted a Discrete space or a tuple of them (continuous spaces need another "
                "learner)"
            )
        if int(start) != 0:
            raise InvalidArgument(f"{name} is {space!r}, wanted a Discrete space that starts at 0")
        found.append(size)
    return tuple(found)


def read_actions(space: Any, name: str) -> int:
    """Return the number of actions of a Discrete space; raise :class:`InvalidArgument` for any other."""
    sizes = read_sizes(space, name)
    if len(sizes) != 1:
        raise InvalidArgument(f"{name} is {space!r}, wanted a Discrete space")
    return sizes[0]


def horizon_of(env: Any, horizon: int | None) -> int:
    """Return the number of steps of an episode, by default the environment's time limit."""
    if not (hasattr(env, "reset") and hasattr(env, "step")):
        raise InvalidArgument(f"{env!r} is neither an MDP nor an environment with reset() and step()")
    limit = getattr(getattr(env, "spec", None), "max_episode_steps", None)
    if horizon is None:
        if limit is None:
            raise InvalidArgument("horizon is None and the environment has no time limit, wanted the number of steps")
        return int(limit)
    steps = read_steps(horizon)
    if limit is not None and steps > limit:
        raise InvalidArgument(f"horizon is {horizon}, but the environment cuts episodes off after {limit} steps")
    return steps


def read_steps(horizon: Any) -> int:
    """Return a number of steps; raise :class:`InvalidArgument` if it is not a positive integer."""
    steps = as_whole(horizon)
    if steps is None or steps < 1:
        raise InvalidArgument(f"horizon is {horizon!r}, wanted a positive integer")
    return steps


def _grid(
    eta: Fraction | None, reward_range: tuple[Rational, Rational] | None
) -> tuple[Fraction, Fraction, Fraction, tuple[Fraction, ...]]:
    if reward_range is None:
        raise InvalidArgument(
            "rewards and reward_range are None, wanted the rewards that can occur, such as rewards=[-1, 20], or the "
            "least and greatest reward of a step with eta"
        )
    if eta is None:
        raise InvalidArgument(
            "eta is None, wanted a grid step that divides the range of the rewards, such as 1/10 of it"
        )
    low, high = (as_fraction(x, "reward_range") for x in reward_range)
    if not low < high:
        raise InvalidArgument(f"reward_range is ({low}, {high}), wanted low < high")
    if not low <= 0 <= high:
        raise InvalidArgument(f"reward_range is ({low}, {high}), wanted one that contains 0: steps after the end pay 0")
    unit = read_eta(eta, high - low)
    return low, high, unit, tuple(i * unit for i in range(int(1 / unit) + 1))
