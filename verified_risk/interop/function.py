"""Models given by functions: the states that they reach, found step by step."""

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..errors import InvalidModel
from ..mdp import MDP
from ..mdp.readers import Horizon
from ..mdp.reading import read_horizon
from ..numbers.rational import as_whole
from ..progress import Report, counted, read_report
from .outcomes import Row, mdp_of_rows


def mdp_of_function(
    initial: Any,
    actions: Callable[[Any], Iterable[Any]],
    outcomes: Callable[..., Iterable[Any]],
    *,
    horizon: Horizon,
    max_states: int,
    progress: Report | None,
    **rest: Any,
) -> MDP:
    """See :meth:`verified_risk.MDP.from_function`."""
    for name, given in (("actions", actions), ("outcomes", outcomes)):
        if not callable(given):
            raise InvalidModel(f"{name} is {given!r}, wanted a function")
    cap = as_whole(max_states)
    if cap is None or cap < 1:
        raise InvalidModel(f"max_states is {max_states!r}, wanted an integer of at least 1")
    found = _Reached(actions, outcomes, cap, read_report(progress))
    for s in initial if isinstance(initial, Mapping) else [initial]:
        found.meet(s, "initial")
    last = read_horizon(horizon)
    rows = list(found.rows(last))
    ends = [s for s in found.states if s not in found.acting]
    return mdp_of_rows(
        rows or [Row("initial", None, s, "stay", s, 1, 0) for s in found.states],
        initial=initial, horizon=math.inf if last is None else last, absorbing=ends, listed=list(found.states),
        steps=last if found.varies and rows else None, **rest,
    )  # fmt: skip


class _Reached:
    """Follows two functions from the states met, one step after the other."""

    def __init__(
        self, actions: Callable[[Any], Iterable[Any]], outcomes: Callable[..., Iterable[Any]], cap: int,
        progress: Report | None,
    ) -> None:  # fmt: skip
        self.actions, self.outcomes, self.cap = actions, outcomes, cap
        self.report = counted(progress)
        self.states: dict[Any, None] = {}
        self.acting: dict[Any, list[Any]] = {}
        self.varies = _takes_a_step(outcomes)

    def meet(self, s: Any, where: str) -> bool:
        """Add a state; return whether it is new."""
        try:
            new = s not in self.states
        except TypeError:
            raise InvalidModel(f"{where} is the state {s!r}, wanted one that can be hashed, a tuple, say") from None
        if new and len(self.states) == self.cap:
            raise InvalidModel(
                f"{where} is state number {self.cap + 1:,}, {s!r:.60}, wanted at most max_states={self.cap:,}: "
                "do the states ever repeat?"
            )
        self.states[s] = None
        return new

    def rows(self, horizon: int | None) -> Iterator[Row]:
        """Yield the outcomes of every state that can be met before the horizon."""
        if self.varies and horizon is None:
            raise InvalidModel(
                "horizon is missing: outcomes(s, a, t) changes with the step, wanted the number of steps"
            )
        here, t = list(self.states), 0
        while here and t != horizon:
            following: dict[Any, None] = {}
            for s in here:
                for row, new in self._from(s, t):
                    yield row
                    if new or self.varies:
                        following[row.next_state] = None
            if self.report is not None:
                self.report(len(self.states), None)
            here, t = list(following), t + 1

    def _from(self, s: Any, t: int) -> Iterator[tuple[Row, bool]]:
        if s not in self.acting:
            listed = list(dict.fromkeys(self.actions(s)))
            if not listed:
                return
            self.acting[s] = listed
        for a in self.acting[s]:
            called = f"outcomes({s!r}, {a!r}, {t})" if self.varies else f"outcomes({s!r}, {a!r})"
            found = list(self.outcomes(s, a, t) if self.varies else self.outcomes(s, a))
            if not found:
                raise InvalidModel(f"{called} is empty, wanted at least one (probability, next state, reward)")
            for i, entry in enumerate(found):
                try:
                    p, target, r = entry
                except (TypeError, ValueError):
                    raise InvalidModel(
                        f"{called}[{i}] is {entry!r}, wanted (probability, next state, reward)"
                    ) from None
                new = self.meet(target, f"{called}[{i}]")
                yield Row(called, t if self.varies else None, s, a, target, p, r), new


def _takes_a_step(outcomes: Callable[..., Any]) -> bool:
    """Return whether a function needs three arguments; an argument with a default is not the step."""
    try:
        inspect.signature(outcomes).bind(None, None)
    except TypeError:
        return True
    except ValueError:  # a builtin without a signature
        pass
    return False
