"""Where a model is wanted: an error that says how other things become one."""

from __future__ import annotations

from ..errors import InvalidArgument
from .model import MDP


def required_model(mdp: object) -> MDP:
    """``mdp`` itself, if it is a model; an environment or a name gets the call that reads it."""
    if isinstance(mdp, MDP):
        return mdp
    named = isinstance(mdp, str)
    hint = ": MDP.from_gymnasium(...) makes one" if named or hasattr(mdp, "step") else ""
    raise InvalidArgument(f"mdp is {mdp!r}, wanted an MDP{hint}")
