"""Import and export of :class:`verified_risk.MDP`: joint outcomes, arrays, environments, files.

Other formats import their reader when called, so that a model needs neither gymnasium nor Storm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, overload

from .. import files
from ..errors import hints_at_arguments
from ..law import Law
from ..numbers.rational import Rational
from ..progress import Report
from .action import Action, ContinuousReward

if TYPE_CHECKING:
    from .intervals import IntervalMDP
    from .model import MDP

StateActions: TypeAlias = Sequence[tuple[Action, ...]]
"""The actions of every state."""
Row: TypeAlias = Sequence[Rational] | Mapping[int, Rational]
"""Probabilities over all states, or ``{state: probability}``."""
Initial: TypeAlias = int | Row
Horizon: TypeAlias = int | float | Literal["auto"] | None
"""A number of steps; ``math.inf`` or ``"auto"``, or None where it is not another default, for no last step."""
Reward: TypeAlias = Rational | Mapping[Rational, Rational] | Law | ContinuousReward | object
"""A number, ``{reward: probability}``, a law, or a frozen ``scipy.stats`` law."""
Arrays: TypeAlias = object
"""numpy arrays, scipy sparse matrices, or nested lists of them or of numbers."""


class ModelReaders(files.Saved):
    """Import and export methods of :class:`~verified_risk.MDP`."""

    KIND = "model"

    @classmethod
    @hints_at_arguments
    def from_outcomes(
        cls,
        outcomes: Sequence[Sequence[Any]],
        *,
        initial: Initial,
        horizon: Horizon = None,
        discount: Rational = 1,
        terminal: Sequence[Rational] | None = None,
        normalise: bool = False,
        drawing: str | None = None,
        notes: Iterable[str] = (),
        action_names: Sequence[Sequence[str]] | None = None,
        state_names: Sequence[str] | None = None,
    ) -> MDP:
        """Build a model from ``outcomes[s][a] = [(probability, next_state, reward), ...]``.

        The reward may depend on the next state.  Equal ``(next_state, reward)`` pairs are merged.  If reward and next
        state are independent, the action equals one given by transitions and rewards.  ``outcomes[t][s][a]`` is a model
        that changes with the step.  Rows of floats that miss 1 by rounding are repaired as by :meth:`from_arrays`.

        :param outcomes: for each state and action, triples of probability, next state and reward; or a list of these,
            one for each step
        :param initial: as for :class:`MDP`
        :param horizon: as for :class:`MDP`, ``math.inf`` for none; may be omitted if ``outcomes`` lists the steps
        :param discount: as for :class:`MDP`
        :param terminal: a reward for each state, at the end
        :param normalise: as for :class:`MDP`
        :param drawing: as for :class:`MDP`
        :param notes: as for :class:`MDP`
        :param action_names: as for :class:`MDP`
        :param state_names: as for :class:`MDP`
        :returns: the model
        :raises InvalidModel: if probabilities do not sum to 1, or a state does not exist
        """
        from ..interop.outcomes import lists_steps, mdp_of_outcomes

        varies = lists_steps(outcomes)
        return mdp_of_outcomes(
            outcomes if varies else [outcomes],
            lambda t, s, a: f"outcomes[{t}][{s}][{a}]" if varies else f"outcomes[{s}][{a}]",
            varies=varies, initial=initial, horizon=horizon, discount=discount, terminal=terminal, normalise=normalise,
            drawing=drawing, notes=notes, action_names=action_names, state_names=state_names,
        )  # fmt: skip

    @classmethod
    @hints_at_arguments
    def from_function(
        cls,
        initial: object,
        actions: Callable[[Any], Iterable[Any]],
        outcomes: Callable[..., Iterable[tuple[Rational, Any, Rational]]],
        *,
        horizon: Horizon = None,
        discount: Rational = 1,
        terminal: Callable[[Any], Rational] | Mapping[Any, Rational] | None = None,
        normalise: bool = False,
        max_states: int = 1_000_000,
        progress: Report | None = None,
    ) -> MDP:
        """Build the model of the states that two functions reach from the initial ones.

        A state or an action is anything hashable: text, a number, a tuple.  ``outcomes(s, a)`` returns the outcomes
        of an action as in :meth:`from_outcomes`; if it takes the step as well, ``outcomes(s, a, t)``, the model
        changes with the step.  A state without actions stays, earning nothing.  States are numbered in the order in
        which they are reached, and keep their names.

        >>> from verified_risk import MDP
        >>> def spin(wealth, stake):
        ...     return [("18/37", wealth + stake, stake), ("19/37", wealth - stake, -stake)]
        >>> MDP.from_function(3, lambda wealth: range(min(wealth, 2) + 1), spin, horizon=4)
        MDP(12 states, 1 to 3 actions, horizon 4)

        :param initial: a state, or a law ``{state: probability}``
        :param actions: the actions of a state
        :param outcomes: the triples of probability, next state and reward of an action
        :param horizon: as for :class:`MDP`; states beyond it are not visited, and without one all must be
        :param discount: as for :class:`MDP`
        :param terminal: the reward of each state, at the end; a dict may leave out those with none
        :param normalise: as for :class:`MDP`
        :param max_states: the largest number of states to visit
        :param progress: a callback that takes a :class:`~verified_risk.Progress`
        :returns: the model
        :raises InvalidModel: if a state cannot be hashed, an outcome is not a triple, probabilities do not sum to 1, or
            there are more than ``max_states`` states
        """
        from ..interop.function import mdp_of_function

        return mdp_of_function(
            initial, actions, outcomes, horizon=horizon, discount=discount, terminal=terminal, normalise=normalise,
            max_states=max_states, progress=progress,
        )  # fmt: skip

    @classmethod
    @hints_at_arguments
    def from_dataframe(
        cls,
        df: object,
        *,
        state: str = "state",
        action: str = "action",
        next_state: str = "next_state",
        probability: str = "probability",
        reward: str = "reward",
        step: str | None = None,
        initial: object,
        horizon: Horizon = None,
        discount: Rational = 1,
        terminal: Mapping[Any, Rational] | None = None,
        absorbing: Iterable[object] = (),
        normalise: bool = False,
    ) -> MDP:
        """Build a model from a table of outcomes: pandas, polars, or a dict of columns.

        The entries of the columns of states and actions become their names.  Numbers keep their order, other names
        the order in which they appear.

        >>> from verified_risk import MDP
        >>> table = {"state": ["ok", "ok"], "action": ["run", "run"], "next_state": ["ok", "broken"],
        ...          "probability": [0.9, 0.1], "reward": [5, -20]}
        >>> MDP.from_dataframe(table, initial="ok", horizon=3, absorbing=["broken"]).state_names
        ('ok', 'broken')

        :param df: the table, one outcome per row
        :param state: the name of the column of states
        :param action: the name of the column of actions
        :param next_state: the name of the column of next states
        :param probability: the name of the column of probabilities
        :param reward: the name of the column of rewards
        :param step: the name of a column of steps, from 0, if the model changes with the step
        :param initial: a state, or a law ``{state: probability}``, named as in the table
        :param horizon: as for :class:`MDP`; may be omitted if there is a column of steps
        :param discount: as for :class:`MDP`
        :param terminal: ``{state: reward}``, at the end; others have none
        :param absorbing: states without rows, which stay and earn nothing
        :param normalise: as for :class:`MDP`
        :returns: the model
        :raises InvalidModel: if a column is missing, or the rows are not a model
        """
        from ..interop.outcomes import mdp_of_dataframe

        columns = (step, state, action, next_state, probability, reward)
        return mdp_of_dataframe(
            df, columns, initial=initial, horizon=horizon, discount=discount, terminal=terminal, absorbing=absorbing,
            normalise=normalise,
        )  # fmt: skip

    @overload
    @classmethod
    def from_arrays(cls, P: tuple[Arrays, Arrays], R: Arrays, **options: Any) -> IntervalMDP: ...
    @overload
    @classmethod
    def from_arrays(cls, P: Arrays, R: Arrays, **options: Any) -> MDP: ...
    @classmethod  # type: ignore[misc]
    @hints_at_arguments
    def from_arrays(
        cls,
        P: Arrays,
        R: Arrays,
        *,
        initial: Initial,
        horizon: Horizon = None,
        discount: Rational = 1,
        layout: str | None = None,
        terminal: Sequence[Rational] | None = None,
        absorbing: Iterable[int] = (),
        normalise: bool = False,
        drawing: str | None = None,
        action_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        pairs: tuple[Sequence[int], Sequence[int]] | None = None,
    ) -> MDP | IntervalMDP:
        """Build a model from numpy arrays, scipy sparse matrices or nested lists; T of them if it changes with the
        step.

        ``P`` is ``P[s, a, s']`` (``layout="sas"``), ``P[a, s, s']`` (``"ass"``), a list of one matrix per action, or
        one matrix with a row per state and action; ``R`` is ``R[s]``, ``R[s, a]``, ``R[s, a, s']`` or laws ``R[s][a]``.
        A tuple ``(P_low, P_high)`` gives intervals of probabilities (:class:`~verified_risk.IntervalMDP`).
        ``layout`` is needed if the shape is ambiguous.  ``terminal[s]`` is added to the return at the end, discounted
        like a step T; ``absorbing`` states stay and earn nothing.  See :mod:`verified_risk.interop.arrays` for details.

        >>> from verified_risk import MDP
        >>> P = [[[0.5, 0.5], [0, 1]], [[0, 1], [0, 1]]]
        >>> MDP.from_arrays(P, [[0, 1], [0, 0]], initial=0, horizon=3, layout="sas")
        MDP(2 states, 2 actions, horizon 3)

        :param P: transition probabilities, or a tuple of their low and high ends
        :param R: rewards
        :param initial: as for :class:`MDP`
        :param horizon: T, ``math.inf`` for none; may be omitted if ``P`` or ``R`` is a list of T
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
        :raises InvalidModel: if shapes are ambiguous or do not fit, a row is not a law, or its intervals exclude every
            law; the message names the first offending entry
        """
        from ..interop.arrays import mdp_of_arrays

        return mdp_of_arrays(
            P, R, initial=initial, horizon=horizon, discount=discount, layout=layout, terminal=terminal,
            absorbing=absorbing, normalise=normalise, drawing=drawing, action_names=action_names,
            state_names=state_names, pairs=pairs,
        )  # fmt: skip

    @classmethod
    @hints_at_arguments
    def from_gymnasium(
        cls,
        env: object,
        *,
        horizon: Horizon = None,
        discount: Rational = 1,
        initial: Initial | None = None,
        options: Mapping[str, object] | None = None,
    ) -> MDP:
        """Build the tabular model of a gymnasium environment (or its id) with a transition table ``env.unwrapped.P``.

        ``horizon`` defaults to the environment's time limit (``math.inf`` ignores it), ``initial`` to its own initial
        law; ``options`` are passed to ``gymnasium.make``.

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
    @hints_at_arguments
    def from_csv(
        cls,
        path: str | PathLike[str],
        *,
        initial: object,
        horizon: Horizon = None,
        discount: Rational = 1,
        index_base: int | None = None,
        terminal: Mapping[Any, Rational] | None = None,
        absorbing: Iterable[object] = (),
        normalise: bool = False,
    ) -> MDP:
        """Read ``idstatefrom,idaction,idstateto,probability,reward``; the least index is ``index_base``, 0 or 1.

        ``initial``, ``terminal`` and ``absorbing`` refer to states as the file does.  Without ``index_base``, states
        and actions are names, as in :meth:`from_dataframe`.  With a column ``idstep``, from 0, the model changes with
        the step, and only then may ``horizon`` be omitted.  Rows of decimals that miss 1 by rounding are repaired as
        by :meth:`from_arrays`.

        :param path: the file
        :param initial: as for :class:`MDP`
        :param horizon: T
        :param discount: as for :class:`MDP`
        :param index_base: 0 or 1; None if states and actions are names
        :param terminal: ``{state: reward}``, at the end; others have none
        :param absorbing: states without rows, which stay and earn nothing
        :param normalise: as for :class:`MDP`
        :returns: the model
        :raises InvalidFile: if a line cannot be read; the message names it
        :raises InvalidModel: if the numbers are not a model
        """
        from ..interop.csv import read_csv

        return read_csv(
            path, initial=initial, horizon=horizon, discount=discount, index_base=index_base, terminal=terminal,
            absorbing=absorbing, normalise=normalise,
        )  # fmt: skip

    @classmethod
    @hints_at_arguments
    def from_storm(
        cls,
        path: str | PathLike[str],
        *,
        horizon: Horizon = None,
        rewards: str | None = None,
        constants: str | Mapping[str, object] | None = None,
        initial: Initial | None = None,
        discount: Rational = 1,
    ) -> MDP:
        """Read a DRN, PRISM or JANI file exactly, by Storm (the extra ``storm``), or a UMB archive (the extra ``umb``).

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

        :param path: the file
        :raises Unsupported: if a reward is continuous
        """
        from ..interop.storm import write_drn

        write_drn(cast("MDP", self), path)

    def to_umb(self, path: str | PathLike[str]) -> None:
        """Write the model as a UMB archive, by umbi (the extra ``umb``): probabilities, rewards of branches, names of
        actions, and those of at most 256 states as labels.

        The format has neither horizon nor discount nor a law of the initial state; :meth:`from_storm` takes them.

        :param path: the file
        :raises Unsupported: if a reward is random given the next state
        :raises MissingDependency: if umbi is not installed
        """
        from ..interop.storm import write_umb

        write_umb(cast("MDP", self), path)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON representation, with rationals as ``"p/q"``.

        :returns: plain lists, dicts, numbers and text
        """
        from .as_json import model_to_json

        return model_to_json(cast("MDP", self))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the model's content (drawing, notes and names do not count)."""
        from .as_json import model_to_json

        data = model_to_json(cast("MDP", self), listed=True)  # whatever the size
        words = ("drawing", "notes", "action_names", "state_names")
        return files.digest({name: part for name, part in data.items() if name not in words})

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MDP:
        """Invert :meth:`to_json`.

        :param data: the output of :meth:`to_json`; files are validated on loading
        :returns: the model
        """
        from .as_json import model_from_json

        return model_from_json(data)
