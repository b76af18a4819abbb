"""Planted mutations of the second half of the statements: estimation, event, closeness, optimism, regret.

    python tests/support/mutations_regret.py

prints the table.  Each mutation changes one line of a source file (in memory only: a loader rewrites the text while the
package is imported afresh) and must be killed by a test of this half or by a statement's own evidence:
its enumeration, its counterexample, the standalone checker.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import AbstractContextManager
from fractions import Fraction
from pathlib import Path

import planting
from mutations_regret_table import MUTATIONS, Mutation
from planting import TableError

PACKAGE = "proofs_checks"
TEST_MODULES = ("test_statements_regret", "test_recheck_regret")


def check_text_occurs_once(mutation: Mutation) -> None:
    """A mutation whose text has gone is an error of the table, not a kill."""
    path = planting.source_of(f"{PACKAGE}.{mutation.module}")
    count = path.read_text(encoding="utf-8").count(mutation.old)
    if count != 1:
        raise TableError(f"{mutation.name}: the text occurs {count} times in {path}, wanted once")


def planted(mutation: Mutation) -> AbstractContextManager[None]:
    """Import the package afresh with the mutation in place; restore everything afterwards."""
    return planting.planted(f"{PACKAGE}.{mutation.module}", mutation.old, mutation.new, (PACKAGE,), TEST_MODULES)


#: Parametrised tests, called once.
_ONCE: dict[str, tuple[str, tuple[object, ...]]] = {
    "comb": ("test_the_closed_forms_of_the_comb_are_those_of_its_models", (3, 3, 1)),
    "unvisited": ("test_a_model_never_visited_is_worth_the_horizon_at_every_horizon", (3,)),
    "markov constants": ("test_the_constants_of_closeness_for_markov_policies_are_attained", (2,)),
    "crossing": (
        "test_the_off_support_planner_beats_the_printed_bound_from_the_stated_episode_on",
        (Fraction(1), 152_100),
    ),
    "edited certificate": (
        "test_a_certificate_with_one_number_changed_is_rejected_or_judged_anew",
        ("thm:main/visits",),
    ),
}


def _run(killer: str) -> None:
    """A test by its name or nickname, or the evidence of a statement by its label."""
    name, arguments = _ONCE.get(killer, (killer, ()))
    if not name.startswith("test_"):
        evidence(name)
        return
    for module in TEST_MODULES:
        test = getattr(importlib.import_module(module), name, None)
        if test is not None:
            test(*arguments)
            return
    raise TableError(f"no test is called {name}")


def evidence(label: str) -> None:
    """The checks that every statement carries with itself, without random search."""
    _, seen = planting.own_evidence(label)
    assert not seen.unknown, f"{label}: {seen.unknown} cases are undecided"


def killed(mutation: Mutation) -> str | None:
    """The first killer that notices the mutation; None if it survives."""
    check_text_occurs_once(mutation)
    for killer in mutation.killers:
        with planted(mutation):
            try:
                _run(killer)
            except (KeyboardInterrupt, TableError, ImportError):
                raise
            except BaseException:  # pytest's own failures are not Exceptions
                return killer
    return None


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(planting.ROOT / "tests" / "checks")]
    sys.exit(planting.report(MUTATIONS, killed))
