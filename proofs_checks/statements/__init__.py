"""All statements, in the paper's order: an explicit list, so that nothing is found by magic and nothing goes missing."""

from __future__ import annotations

from typing import Any

from ..model import Statement
from . import (
    assump_lipschitz,
    assump_quantile,
    def_augmented,
    def_bellman,
    def_discretised,
    def_history,
    def_objective,
    def_quantile,
    lem_augmented,
    lem_key,
    lem_monotoneinversebound,
    lem_quantileinverse,
    thm_augmented,
)

INTRODUCTION: tuple[Statement[Any], ...] = (lem_key.INTRODUCTION,)

PROBLEM: tuple[Statement[Any], ...] = (  # section 2
    *def_history.STATEMENTS,
    def_bellman.STATEMENT,
    *def_quantile.STATEMENTS,
    *def_objective.STATEMENTS,
    *assump_quantile.STATEMENTS,
    *assump_lipschitz.STATEMENTS,
)

OPTIMAL_POLICIES: tuple[Statement[Any], ...] = (  # section 3
    thm_augmented.STATEMENT,
    def_augmented.STATEMENT,
    *def_discretised.STATEMENTS,
)

ALGORITHM: tuple[Statement[Any], ...] = ()  # section 4: empirical and optimistic model, the main theorem

KEY_IDENTITY: tuple[Statement[Any], ...] = (lem_key.KEY,)  # section 5, its first lemma

EVENT_AND_CLOSENESS: tuple[Statement[Any], ...] = ()  # the rest of section 5

EXPERIMENT: tuple[Statement[Any], ...] = ()  # section 6

APPENDIX_AUGMENTATION: tuple[Statement[Any], ...] = lem_augmented.STATEMENTS  # appendix A

APPENDIX_DISCRETISATION: tuple[Statement[Any], ...] = (  # appendix B
    *lem_quantileinverse.STATEMENTS,
    lem_monotoneinversebound.STATEMENT,
)

APPENDIX_REGRET: tuple[Statement[Any], ...] = ()  # appendix C: the proof of the main theorem, step by step

APPENDIX_CVAR: tuple[Statement[Any], ...] = ()  # appendix D

CORRECTED_THEORY: tuple[Statement[Any], ...] = ()  # what replaces the refuted statements

PRODUCTION: tuple[Statement[Any], ...] = ()  # this library's own planner and evaluator

ALL: tuple[Statement[Any], ...] = (
    *INTRODUCTION,
    *PROBLEM,
    *OPTIMAL_POLICIES,
    *ALGORITHM,
    *KEY_IDENTITY,
    *EVENT_AND_CLOSENESS,
    *EXPERIMENT,
    *APPENDIX_AUGMENTATION,
    *APPENDIX_DISCRETISATION,
    *APPENDIX_REGRET,
    *APPENDIX_CVAR,
    *CORRECTED_THEORY,
    *PRODUCTION,
)


def by_label(label: str) -> Statement[Any]:
    """The statement with this label; an error that lists the nearest ones otherwise."""
    for statement in ALL:
        if statement.label == label:
            return statement
    import difflib

    near = difflib.get_close_matches(label, [statement.label for statement in ALL], n=5, cutoff=0.3)
    raise KeyError(f"no statement has the label {label!r}; did you mean one of {near}?")
