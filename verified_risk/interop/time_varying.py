r"""Models that change with the step, and terminal rewards: the step becomes part of the state.

State s at step t is number ``t * |S| + s``, and one last state follows the last step.  Every algorithm sees an ordinary
model; players, drawings and files refer to the user's states (:meth:`MDP.state_at`, :meth:`MDP.seen`). A terminal
reward ``g(s)`` adds :math:`\gamma^T g(s_T)` to the return; it is paid with the last reward, :math:`\gamma^{T-1} (r +
\gamma\, g(s_T))`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidModel, Unsupported
from ..law import Law, added_up
from ..mdp import MDP
from ..mdp.action import Action
from ..mdp.readers import Horizon, StateActions
from ..mdp.reading import Reader, by_name, read_horizon
from ..numbers.rational import Rational, as_fraction, as_whole

MOST_STATES = 2_000_000
"""Maximum number of pairs of step and state; each becomes a state of the model."""


def model_of_steps(
    steps: Sequence[StateActions],
    read: Reader,
    *,
    varies: bool,
    horizon: Horizon,
    terminal: Sequence[Any] | npt.NDArray[Any] | None = None,
    **rest: Any,
) -> MDP:
    """Build the model that has ``steps[0]`` at every step, or ``steps[t]`` at step t if it ``varies``."""
    n = len(steps[0])
    if varies and horizon not in (None, len(steps)):
        raise InvalidModel(f"horizon is {horizon}, wanted {len(steps)}, the number of steps listed, or none")
    T = len(steps) if varies else horizon
    if T is None:
        raise InvalidModel("horizon is missing: wanted the number of steps, or math.inf if there is no last one")
    if not varies and terminal is None:
        return MDP.from_actions(steps[0], read=read, horizon=T, **rest)
    if terminal is not None and len(terminal) != n:
        raise InvalidModel(f"terminal has {len(terminal)} entries, wanted {n}, one for each state")
    listed = terminal.tolist() if isinstance(terminal, np.ndarray) else terminal
    last = None if listed is None else [read.number(r, f"terminal[{s}]") for s, r in enumerate(listed)]
    return clocked(steps, read, horizon=T, terminal=last, **rest)


def clocked(
    steps: Sequence[StateActions],
    read: Reader,
    *,
    initial: Any,
    horizon: Horizon,
    discount: Rational,
    terminal: Sequence[Fraction] | None,
    notes: Iterable[str] = (),
    state_names: Sequence[str] | None = None,
    action_names: Sequence[Sequence[str]] | None = None,
    **rest: Any,
) -> MDP:
    """Build the model that has ``steps[t]`` at step t (or ``steps[0]`` at every step), then the ``terminal`` reward."""
    n = len(steps[0])
    T = read_horizon(horizon)
    if T is None:
        raise InvalidModel("horizon is infinite, wanted a number of steps: the model has rewards at its end")
    if n * T > MOST_STATES:
        raise Unsupported(
            f"{n} states over {T} steps are {n * T} pairs of step and state, wanted at most {MOST_STATES}"
        )
    per_step = list(steps) if len(steps) == T else [steps[0]] * T
    end = n * T
    gamma = as_fraction(discount, "discount")
    states: list[tuple[Action, ...]] = []
    for t, own in enumerate(per_step):
        if t < T - 1:
            states += [tuple(_moved(action, (t + 1) * n) for action in actions) for actions in own]
        else:
            states += [tuple(_last(action, end, terminal, gamma) for action in actions) for actions in own]
    states.append((Action(((end, Fraction(1)),), Law.point(0)),))
    return MDP.from_actions(
        tuple(states),
        read=Reader(end + 1, read.normalise),
        initial=own_law(by_name(initial, state_names), n),
        horizon=T,
        discount=discount,
        clock=n,
        notes=[*notes, *read.notes],
        state_names=state_names,
        action_names=None if action_names is None else [*(list(action_names) * T), ["end"]],
        **rest,
    )


def _moved(action: Action, offset: int) -> Action:
    if not action.independent:
        return Action(outcomes=tuple((p, s + offset, r) for p, s, r in action.outcomes))
    return Action(tuple((s + offset, p) for s, p in action.successors), action.reward)


def _last(action: Action, end: int, terminal: Sequence[Fraction] | None, gamma: Fraction) -> Action:
    """Return a last-step action that leads to the end and adds the terminal reward of the state reached."""
    leads = ((end, Fraction(1)),)
    if terminal is None:
        return Action(leads, action.reward)
    return Action(leads, Law.of_weights(added_up((r + gamma * terminal[s], p) for p, s, r in action.outcomes)))


def own_law(initial: Any, n: int) -> Any:
    """Return the caller's initial state or law, which refers to n states, for a model that has more."""
    if isinstance(initial, Mapping) or as_whole(initial) is not None:
        for s in initial if isinstance(initial, Mapping) else [initial]:
            if as_whole(s) is None or not 0 <= s < n:
                raise InvalidModel(f"initial names state {s!r}, wanted an integer in 0..{n - 1}")
        return initial
    listed = list(initial)
    if len(listed) != n:
        raise InvalidModel(f"initial has {len(listed)} entries, wanted {n}, one for each state")
    return dict(enumerate(listed))
