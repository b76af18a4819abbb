"""All statements, in the order of the paper.

The folders are by subject, so one section of the paper may have statements in several of them.
"""

from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from ..engine.model import Statement
from ..engine.papers import AUDITED
from .augmentation import def_augmented, intro_nonmarkov, lem_augmented, thm_augmented
from .closeness import (
    close_hat_tilde,
    close_markov,
    close_tv,
    l2_duality,
    l2_greedy,
    l2_merely_optimal,
    l2_optimistic,
    l2_values,
    lem_genbound,
    lem_tildebound,
)
from .cvar import cvar_appendix, cvar_rho
from .discretisation import def_discretised, lem_pihatcdfbound, lem_pihatphibound, pathwise, thm_discretized
from .event import empirical_model, event_conditioning, l0_adaptive, l0_tape, lem_event, martingale, thm_main_radius
from .experiment import exp_forty, experiment_paths
from .optimism import def_optimistic, l1_coupling, l1_greedy, l1_markov, lem_optimismhat, unvisited_pairs
from .regret import (
    class_atoms,
    class_markov,
    corrected_regret,
    corrected_run,
    corrected_sum,
    intro_bound,
    l3_counting,
    limits_convex,
    printed_radii,
    thm_main,
    thm_main_constant,
    thm_main_counting,
)
from .setting import (
    assump_lipschitz,
    assump_quantile,
    def_history,
    def_objective,
    def_quantile,
    def_rewards,
    lem_key,
    lem_monotoneinversebound,
    lem_quantileinverse,
)
from .this_library import checker, production

_ALL: list[Statement[Any]] = []
# introduction
_ALL += [intro_bound.STATEMENT, lem_key.INTRODUCTION, intro_nonmarkov.STATEMENT]
# section 2
_ALL += [def_rewards.STATEMENT, *def_history.STATEMENTS, def_quantile.STATEMENT, *def_objective.STATEMENTS]
_ALL += [*assump_quantile.STATEMENTS, *assump_lipschitz.STATEMENTS]
# section 3
_ALL += [thm_augmented.STATEMENT, def_augmented.STATEMENT, *def_discretised.STATEMENTS, thm_discretized.LOSS]
# section 4: empirical and optimistic model, the main theorem
_ALL += [empirical_model.STATEMENT, *def_optimistic.STATEMENTS, unvisited_pairs.STATEMENT, *thm_main.STATEMENTS]
# section 5, its first lemma
_ALL += [lem_key.KEY]
# the rest of section 5
_ALL += [*lem_event.STATEMENTS, event_conditioning.STATEMENT, lem_genbound.STATEMENT, *lem_tildebound.STATEMENTS]
_ALL += [lem_optimismhat.STATEMENT]
# section 6
_ALL += [experiment_paths.STATEMENT]
# appendix A
_ALL += [*lem_augmented.STATEMENTS]
# appendix B
_ALL += [*lem_pihatcdfbound.DOWN, *lem_quantileinverse.STATEMENTS, lem_monotoneinversebound.STATEMENT]
_ALL += [lem_pihatphibound.UNROUNDED, *lem_pihatcdfbound.UP, lem_pihatphibound.ROUNDED]
# appendix C: the proof of the main theorem, step by step
_ALL += [lem_event.HOEFFDING, lem_genbound.CDF, lem_optimismhat.CDF, *thm_main_radius.STATEMENTS]
_ALL += [*thm_main_counting.STATEMENTS, *thm_main_constant.STATEMENTS]
# appendix D
_ALL += [*cvar_appendix.STATEMENTS, *cvar_rho.STATEMENTS]
# what replaces the refuted statements
_ALL += [pathwise.STATEMENT, thm_discretized.CONSTANT, l0_tape.STATEMENT, l0_adaptive.STATEMENT]
_ALL += [*printed_radii.STATEMENTS, l1_coupling.STATEMENT, l1_greedy.VALUE, l1_markov.STATEMENT, l1_greedy.GREEDY]
_ALL += [close_tv.STATEMENT, close_markov.STATEMENT, close_hat_tilde.STATEMENT, l2_duality.STATEMENT]
_ALL += [l2_values.STATEMENT, l2_greedy.GREEDY, l2_greedy.PLANNER_ERROR, l2_optimistic.STATEMENT]
_ALL += [l2_merely_optimal.STATEMENT, l3_counting.STATEMENT, *martingale.STATEMENTS, *corrected_sum.STATEMENTS]
_ALL += [corrected_run.STATEMENT, *corrected_regret.STATEMENTS, class_markov.STATEMENT, class_atoms.STATEMENT]
_ALL += [limits_convex.STATEMENT]
# this library's own programs
_ALL += [*production.STATEMENTS, *checker.STATEMENTS]
# remarks, not findings
_ALL += [*exp_forty.STATEMENTS]

ALL = tuple(replace(one, paper=AUDITED, section=one.section or "corrected theory") for one in _ALL)
"""All statements; one that names no section of the paper belongs to the corrected theory."""

BY_LABEL = {statement.label: statement for statement in ALL}


def by_label(label: str) -> Statement[Any]:
    """The statement with this label; raise ``KeyError`` with the nearest labels if there is none."""
    if label not in BY_LABEL:
        near = get_close_matches(label, BY_LABEL, n=5, cutoff=0.3)
        raise KeyError(f"no statement has the label {label!r}; did you mean one of {near}?")
    return BY_LABEL[label]
