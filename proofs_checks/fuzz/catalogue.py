"""The properties of the farm: an explicit list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from verified_risk.errors import InvalidArgument

from . import commands, learning, planning, readers, statements
from .property import Batch, Case, Outcome, Property, run_cases

ALL: tuple[Property, ...] = (
    *planning.PROPERTIES,
    *learning.PROPERTIES,
    *statements.PROPERTIES,
    *readers.PROPERTIES,
    *commands.PROPERTIES,
)
BY_NAME = {prop.name: prop for prop in ALL}


def chosen(names: Sequence[str]) -> list[Property]:
    """The named properties, or all of them."""
    for name in names:
        if name not in BY_NAME:
            raise InvalidArgument(f"there is no property {name!r}, wanted one of {', '.join(BY_NAME)}")
    return [prop for prop in ALL if not names or prop.name in names]


def check(name: str, case: Case) -> None:
    """Run one case again; what tests of kept failures call."""
    prop = BY_NAME[name]
    if "batch" in case:
        ran = run_cases(prop, Batch(**case["batch"]))
        assert not ran.failures, ran.failures[0].error
        return
    prop.check(case)


def run_batch(batch: Batch) -> Outcome:
    """One batch of cases, in whatever process this is."""
    warmed(batch.name)
    return run_cases(BY_NAME[batch.name], batch)


@cache
def warmed(name: str) -> None:
    """Compile what the property needs, once in each process."""
    BY_NAME[name].warm()
