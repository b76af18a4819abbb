"""Import and export of :class:`verified_risk.MDP`: joint outcomes, arrays, environments, files.

Other formats import their reader when called, so that a model needs neither gymnasium nor Storm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from .. import files
from ..errors import InvalidModel
from ..law import Law
from ..numbers.rational import Rational
from .action import Action
from .reading import Reader, collector_resting
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


class ModelReaders(files.Saved):
    """Import and export methods of :class:`~verified_risk.MDP`."""

    KIND = "model"

    @classmethod
    def from_outcomes(
        cls,
        outcomes: Sequence[Sequence[Iterable[tuple[Rational, int, Rational]]]],
        *,
        initial: Initial,
        horizon: int,
        discount: Rational = 1,
        normalise: bool = False,
        drawing: str | None = None,
        notes: Iterable[str] = (),
        action_names: Sequence[Sequence[str]] | None = None,
        state_names: Sequence[str] | None = None,
    ) -> MDP:
        """Build a model from ``outcomes[s][a] = [(probability, next_state, reward), ...]``.

        The reward may depend on the next state.  Equal ``(next_state, reward)`` pairs are merged.  If reward and next
        state are independent, the action equals one given by transitions and rewards.

        :param outcomes: for each state and action, triples of probability, next state and reward
        :param initial: as for :class:`MDP`
        :param horizon: as for :class:`MDP`
        :param discount: as for :class:`MDP`
        :param normalise: as for :class:`MDP`
        :param drawing: as for :class:`MDP`
        :param notes: as for :class:`MDP`
        :param action_names: as for :class:`MDP`
        :param state_names: as for :class:`MDP`
        :returns: the model
        :raises InvalidModel: if probabilities do not sum to 1, or a state does not exist
        """
        read = Reader(len(outcomes), normalise)
        states = []
        with collector_resting():
            for s, choices in enumerate(outcomes):
                if len(choices) == 0:
                    raise InvalidModel(f"state {s} has no actions, wanted at least one in outcomes[{s}]")
                states.append(tuple(read.action(list(rows), f"outcomes[{s}][{a}]") for a, rows in enumerate(choices)))
        return cast("type[MDP]", cls).from_actions(
            tuple(states), read=read, initial=initial, horizon=horizon, discount=discount, drawing=drawing, notes=notes,
            action_names=action_names, state_names=state_names,
        )  # fmt: skip

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
        pairs: tuple[Sequence[int], Sequence[int]] | None = None,
    ) -> MDP:
        """Build a model from numpy arrays, scipy sparse matrices or nested lists; T of them if it changes with the
        step.

        ``P`` is ``P[s, a, s']`` (``layout="sas"``), ``P[a, s, s']`` (``"ass"``), a list of one matrix per action, or
        one matrix with a row per state and action; ``R`` is ``R[s]``, ``R[s, a]``, ``R[s, a, s']`` or laws ``R[s][a]``.
        ``layout`` is needed if the shape is ambiguous.  ``terminal[s]`` is added to the return at the end, discounted
        like a step T; ``absorbing`` states stay and earn nothing.  See :mod:`verified_risk.interop.arrays` for details.

        >>> from verified_risk import MDP
        >>> P = [[[0.5, 0.5], [0, 1]], [[0, 1], [0, 1]]]
        >>> MDP.from_arrays(P, [[0, 1], [0, 0]], initial=0, horizon=3, layout="sas")
        MDP(2 states, 2 actions, horizon 3)

        :param P: transition probabilities
        :param R: rewards
        :param initial: as for :class:`MDP`
        :param horizon: T; may be omitted if ``P`` or ``R`` is a list of T
        :param discount: as for :class:`MDP`
        :param layout: ``"sas"`` or ``"ass"``
        :param terminal: a reward for each state, at the end
        :param absorbing: states that stay and earn nothing, listed or marked by an array of bools
        :param normalise: as for :class:`MDP`; rows off by rounding only are repaired, with a note, in any case
        :param drawing: as for :class:`MDP`
        :param action_names: one for each action
        :param state_names: as for :class:`MDP`
        :param pairs: states and actions of the rows, if ``P`` has a row for each existing pair
        :returns: the model, with the decimals of the arrays read exactly
        :raises InvalidModel: if shapes are ambiguous or do not fit, or a row is not a law; the message names the first
            offending entry
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
            pairs=pairs,
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
        """Build the tabular model of a gymnasium environment (or its id) with a transition table ``env.unwrapped.P``.

        ``horizon`` defaults to the environment's time limit, ``initial`` to its own initial law; ``options`` are passed
        to ``gymnasium.make``.

        :param env: an environment, or its id
        :param horizon: T
        :param discount: as for :class:`MDP`
        :param initial: as for :class:`MDP`
        :param options: arguments of ``gymnasium.make``, if ``env`` is an id
        :returns: the model
        :raises Unsupported: if the environment has no transition table
        :raises MissingDependency: if gymnasium is not installed
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
        """Read ``idstatefrom,idaction,idstateto,probability,reward``; the least index is ``index_base``, 0 or 1.

        ``initial`` numbers states as the file does.  With a column ``idstep``, from 0, the model changes with the step,
        and only then may ``horizon`` be omitted.

        :param path: the file
        :param initial: as for :class:`MDP`
        :param horizon: T
        :param discount: as for :class:`MDP`
        :param index_base: 0 or 1
        :param normalise: as for :class:`MDP`
        :returns: the model
        :raises InvalidFile: if a line cannot be read; the message names it
        :raises InvalidModel: if the numbers are not a model
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
        """Read a DRN, PRISM or JANI file exactly, by Storm (the extra ``storm``).

        The reward of step t is that of its state, its action and its transition; see
        :mod:`verified_risk.interop.storm`.

        :param path: the file
        :param horizon: T, if the file has none
        :param rewards: the name of a reward structure, if there are several
        :param constants: values of undefined constants
        :param initial: as for :class:`MDP`
        :param discount: as for :class:`MDP`
        :returns: the model
        :raises InvalidFile: if Storm cannot read it
        :raises MissingDependency: if stormpy is not installed
        """
        from ..interop.storm import read_storm

        return read_storm(
            path, horizon=horizon, rewards=rewards, constants=constants, initial=initial, discount=discount
        )

    def to_csv(self, path: str | PathLike[str], *, index_base: int = 0) -> None:
        """Write columns ``idstatefrom,idaction,idstateto,probability,reward``, with rationals as ``p/q``.

        :param path: the file
        :param index_base: the number of the first state and action, 0 or 1
        :raises Unsupported: if the file's columns cannot express the model
        """
        from ..interop.csv import write_csv

        write_csv(cast("MDP", self), path, index_base=index_base)

    def to_drn(self, path: str | PathLike[str]) -> None:
        """Write the model, with steps unrolled into the state, in Storm's explicit DRN format.

        :func:`verified_risk.interop.drn.write_return_drn` also unrolls the return so far.

        :param path: the file
        :raises Unsupported: if a reward is continuous
        """
        from ..interop.drn import write_drn

        write_drn(cast("MDP", self), path)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON representation, with rationals as ``"p/q"``.

        :returns: plain lists, dicts, numbers and text
        """
        from .as_json import model_to_json

        return model_to_json(cast("MDP", self))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MDP:
        """Invert :meth:`to_json`.

        :param data: the output of :meth:`to_json`; files are validated on loading
        :returns: the model
        """
        from .as_json import model_from_json

        return model_from_json(data)
