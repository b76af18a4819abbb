"""The list of all fuzzed properties."""

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
            raise InvalidArgument(f"unknown property {name!r}, wanted one of {', '.join(BY_NAME)}")
    return [prop for prop in ALL if not names or prop.name in names]


def check(name: str, case: Case) -> None:
    """Check one case again.  The tests written for failures call this."""
    prop = BY_NAME[name]
    if "batch" in case:
        ran = run_cases(prop, Batch(**case["batch"]))
        assert not ran.failures, ran.failures[0].error
        return
    prop.check(case)


def run_batch(batch: Batch) -> Outcome:
    """Run one batch of cases in this process."""
    warmed(batch.name)
    return run_cases(BY_NAME[batch.name], batch)


@cache
def warmed(name: str) -> None:
    """Compile the kernels that the property needs, once per process."""
    BY_NAME[name].warm()
