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

_WITHOUT_ARGUMENTS = (frozen_lake, two_paths, machine_replacement, river_swim, gamblers_ruin, inventory, betting_game)
NAMES: dict[str, Callable[[], MDP]] = {build.__name__: build for build in _WITHOUT_ARGUMENTS}
"""The models that need no argument, by name."""


def load(name: str) -> MDP:
    """Return the model of that name, with its default parameters."""
    try:
        build = NAMES[name]
    except KeyError:
        raise InvalidArgument(f"no model is named {name!r}, wanted one of {', '.join(NAMES)}") from None
    return build()


__all__ = ["NAMES", "betting_game", "frozen_lake", "gamblers_ruin", "gridworld", "inventory", "load"]
__all__ += ["machine_replacement", "random_sparse", "river_swim", "two_paths"]
