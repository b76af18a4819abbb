"""All statements, in the order of the paper: an explicit list, so that nothing is found by magic or goes missing."""

from __future__ import annotations

from typing import Any

from ..model import Statement
from . import (
    assump_lipschitz,
    assump_quantile,
    cvar_appendix,
    def_augmented,
    def_bellman,
    def_discretised,
    def_history,
    def_objective,
    def_quantile,
    experiment_paths,
    lem_augmented,
    lem_key,
    lem_monotoneinversebound,
    lem_picdfbound,
    lem_pihatcdfbound,
    lem_pihatphibound,
    lem_piphibound,
    lem_quantileinverse,
    pathwise,
    production,
    thm_augmented,
    thm_discretized,
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
    thm_discretized.LOSS,
)

ALGORITHM: tuple[Statement[Any], ...] = ()  # section 4: empirical and optimistic model, the main theorem

KEY_IDENTITY: tuple[Statement[Any], ...] = (lem_key.KEY,)  # section 5, its first lemma

EVENT_AND_CLOSENESS: tuple[Statement[Any], ...] = ()  # the rest of section 5

EXPERIMENT: tuple[Statement[Any], ...] = (experiment_paths.STATEMENT,)  # section 6

APPENDIX_AUGMENTATION: tuple[Statement[Any], ...] = lem_augmented.STATEMENTS  # appendix A

APPENDIX_DISCRETISATION: tuple[Statement[Any], ...] = (  # appendix B
    *lem_pihatcdfbound.STATEMENTS,
    *lem_quantileinverse.STATEMENTS,
    lem_monotoneinversebound.STATEMENT,
    lem_pihatphibound.STATEMENT,
    *lem_picdfbound.STATEMENTS,
    lem_piphibound.STATEMENT,
)

APPENDIX_REGRET: tuple[Statement[Any], ...] = ()  # appendix C: the proof of the main theorem, step by step

APPENDIX_CVAR: tuple[Statement[Any], ...] = cvar_appendix.STATEMENTS  # appendix D

CORRECTED_THEORY: tuple[Statement[Any], ...] = (  # what replaces the refuted statements
    pathwise.STATEMENT,
    thm_discretized.CONSTANT,
)

PRODUCTION: tuple[Statement[Any], ...] = production.STATEMENTS  # this library's own planner and evaluator

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
