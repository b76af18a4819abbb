"""Named models, each an ordinary function that returns an :class:`~verified_risk.MDP`.

>>> load("two_paths")
MDP(4 states, 1 to 2 actions, horizon 2)
"""

from collections.abc import Callable

from ..errors import InvalidArgument
from ..mdp import MDP
from .gambling import betting_game, gamblers_ruin
from .gridworld import frozen_lake, gridworld
from .inventory import inventory
from .machine_replacement import machine_replacement
from .random_sparse import random_sparse
from .river_swim import river_swim
from .two_paths import two_paths

NAMES: dict[str, Callable[[], MDP]] = {
    "frozen_lake": frozen_lake,
    "two_paths": two_paths,
    "machine_replacement": machine_replacement,
    "river_swim": river_swim,
    "gamblers_ruin": gamblers_ruin,
    "inventory": inventory,
    "betting_game": betting_game,
}
"""The models that need no argument, by name."""


def load(name: str) -> MDP:
    """Return the model of that name, with its default parameters."""
    try:
        build = NAMES[name]
    except KeyError:
        raise InvalidArgument(f"no model is named {name!r}, wanted one of {', '.join(NAMES)}") from None
    return build()


__all__ = [
    "NAMES",
    "betting_game",
    "frozen_lake",
    "gamblers_ruin",
    "gridworld",
    "inventory",
    "load",
    "machine_replacement",
    "random_sparse",
    "river_swim",
    "two_paths",
]
