"""The ways into and out of :class:`verified_risk.MDP`: arrays, environments, files.

Each imports its own reader when it is called, so that a model needs neither gymnasium nor Storm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from .. import files
from ..law import Law
from ..numbers.rational import Rational
from .action import Action
from .rewards import ContinuousReward

if TYPE_CHECKING:
    from .model import MDP

StateActions: TypeAlias = tuple[tuple[Action, ...], ...]
"""The actions of every state."""
Row: TypeAlias = Sequence[Rational] | Mapping[int, Rational]
"""Probabilities over all states, or ``{state: probability}``."""
Initial: TypeAlias = int | Row
Reward: TypeAlias = Rational | Mapping[Rational, Rational] | Law | ContinuousReward | object
"""A number, ``{reward: probability}``, a law, or a frozen ``scipy.stats`` law."""
Arrays: TypeAlias = object
"""numpy arrays, scipy sparse matrices, or nested lists of them or of numbers."""


class ModelReaders:
    """What an :class:`~verified_risk.MDP` is read from and written to."""

    @classmethod
    def from_arrays(
        cls,
        P: Arrays,
        R: Arrays,
        *,
        initial: Initial,
        horizon: int | None = None,
        discount: Rational = 1,
        layout: str | None = None,
        terminal: Sequence[Rational] | None = None,
        absorbing: Iterable[int] = (),
        normalise: bool = False,
        drawing: str | None = None,
        action_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
    ) -> MDP:
        """From numpy arrays, scipy sparse matrices or nested lists; lists of T of them for a model that changes.

        ``P`` is ``P[s, a, s']`` (``layout="sas"``), ``P[a, s, s']`` (``"ass"``), a list of a matrix for each action, or
        one matrix with a row for each state and action; ``R`` is ``R[s]``, ``R[s, a]``, ``R[s, a, s']`` or laws
        ``R[s][a]``.  ``layout`` is needed where the shape does not say it.  ``terminal[s]`` is added to the return at
        the end, discounted like a step T; ``absorbing`` states stay and earn nothing.  See
        :mod:`verified_risk.interop.arrays` for what is read how.

        >>> from verified_risk import MDP
        >>> P = [[[0.5, 0.5], [0, 1]], [[0, 1], [0, 1]]]
        >>> MDP.from_arrays(P, [[0, 1], [0, 0]], initial=0, horizon=3, layout="sas")
        MDP(2 states, 2 actions, horizon 3)
        """
        from ..interop.arrays import mdp_of_arrays

        return mdp_of_arrays(
            P,
            R,
            initial=initial,
            horizon=horizon,
            discount=discount,
            layout=layout,
            terminal=terminal,
            absorbing=absorbing,
            normalise=normalise,
            drawing=drawing,
            action_names=action_names,
            state_names=state_names,
        )

    @classmethod
    def from_gymnasium(
        cls,
        env: object,
        *,
        horizon: int | None = None,
        discount: Rational = 1,
        initial: Initial | None = None,
        options: Mapping[str, object] | None = None,
    ) -> MDP:
        """The tabular model of a gymnasium environment (or its id) with a transition table ``env.unwrapped.P``.

        ``horizon`` is by default the environment's time limit, ``initial`` its own initial law; ``options`` are
        handed to ``gymnasium.make``.
        """
        from ..interop.gymnasium import mdp_of_environment

        return mdp_of_environment(env, horizon=horizon, discount=discount, initial=initial, options=options)

    @classmethod
    def from_csv(
        cls,
        path: str | PathLike[str],
        *,
        initial: Initial,
        horizon: int | None = None,
        discount: Rational = 1,
        index_base: int,
        normalise: bool = False,
    ) -> MDP:
        """Columns ``idstatefrom,idaction,idstateto,probability,reward``; ``index_base`` is the least index, 0 or 1.

        ``initial`` counts the states as the file does.  A column ``idstep``, from 0, makes the model change with the
        step; only then ``horizon`` may be left out.
        """
        from ..interop.csv import read_csv

        return read_csv(
            path, initial=initial, horizon=horizon, discount=discount, index_base=index_base, normalise=normalise
        )

    @classmethod
    def from_storm(
        cls,
        path: str | PathLike[str],
        *,
        horizon: int | None = None,
        rewards: str | None = None,
        constants: str | Mapping[str, object] | None = None,
        initial: Initial | None = None,
        discount: Rational = 1,
    ) -> MDP:
        """A DRN, PRISM or JANI file, read exactly by Storm (the extra ``storm``).

        Step t pays the rewards of the state it leaves, of its action and of its transition; see
        :mod:`verified_risk.interop.storm`.
        """
        from ..interop.storm import read_storm

        return read_storm(
            path, horizon=horizon, rewards=rewards, constants=constants, initial=initial, discount=discount
        )

    def to_csv(self, path: str | PathLike[str], *, index_base: int = 0) -> None:
        """Write ``idstatefrom,idaction,idstateto,probability,reward``, rationals as ``p/q``."""
        from ..interop.csv import write_csv

        write_csv(cast("MDP", self), path, index_base=index_base)

    def to_drn(self, path: str | PathLike[str]) -> None:
        """Write the model, its steps unrolled into the state, in Storm's explicit DRN format.

        :func:`verified_risk.interop.drn.write_return_drn` writes the return so far into the state as well.
        """
        from ..interop.drn import write_drn

        write_drn(cast("MDP", self), path)

    def to_json(self) -> dict[str, Any]:
        """The model as JSON, rationals as ``"p/q"``."""
        from .as_json import model_to_json

        return model_to_json(cast("MDP", self))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MDP:
        """The inverse of :meth:`to_json`."""
        from .as_json import model_from_json

        return model_from_json(data)

    def save(self, path: str | PathLike[str]) -> None:
        """Write as versioned JSON, rationals as ``"p/q"``; the file appears whole or not at all."""
        files.write(path, "model", self.to_json())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> MDP:
        return files.read(path, "model", cls.from_json)
