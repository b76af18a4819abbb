"""All statements, in the order of the paper.

Folders are subjects, which the paper's order crosses: the key lemma of section 5 belongs to the setting.
"""

from __future__ import annotations

from dataclasses import replace
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
    l2_planner_error,
    l2_values,
    lem_fullbound,
    lem_genbound,
    lem_genbound_cdf,
    lem_hattildebound,
    lem_tildebound,
)
from .cvar import cvar_appendix, cvar_rho
from .discretisation import (
    def_discretised,
    lem_picdfbound,
    lem_pihatcdfbound,
    lem_pihatphibound,
    lem_piphibound,
    pathwise,
    thm_discretized,
)
from .event import (
    empirical_model,
    event_conditioning,
    event_hoeffding,
    event_l1,
    event_rewards,
    event_sup_norm,
    l0_adaptive,
    l0_tape,
    martingale,
    thm_main_radius,
)
from .experiment import exp_forty, experiment_paths
from .optimism import (
    l1_coupling,
    l1_greedy,
    l1_markov,
    l1_value,
    lem_optimismhat,
    lem_optimismhat_cdf,
    optimistic_rewards,
    optimistic_rows,
    unvisited_pairs,
)
from .regret import (
    class_atoms,
    class_markov,
    corrected_episode,
    corrected_iii,
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
    def_bellman,
    def_history,
    def_objective,
    def_quantile,
    def_rewards,
    lem_key,
    lem_monotoneinversebound,
    lem_quantileinverse,
)
from .this_library import checker, production

_ALL: tuple[Statement[Any], ...] = (
    # introduction
    intro_bound.STATEMENT,
    lem_key.INTRODUCTION,
    intro_nonmarkov.STATEMENT,
    # section 2
    def_rewards.STATEMENT,
    *def_history.STATEMENTS,
    def_bellman.STATEMENT,
    def_quantile.STATEMENT,
    *def_objective.STATEMENTS,
    *assump_quantile.STATEMENTS,
    *assump_lipschitz.STATEMENTS,
    # section 3
    thm_augmented.STATEMENT,
    def_augmented.STATEMENT,
    *def_discretised.STATEMENTS,
    thm_discretized.LOSS,
    # section 4: empirical and optimistic model, the main theorem
    empirical_model.STATEMENT,
    optimistic_rows.STATEMENT,
    optimistic_rewards.STATEMENT,
    unvisited_pairs.STATEMENT,
    *thm_main.STATEMENTS,
    # section 5, its first lemma
    lem_key.KEY,
    # the rest of section 5
    event_rewards.STATEMENT,
    event_l1.STATEMENT,
    event_sup_norm.STATEMENT,
    event_conditioning.STATEMENT,
    lem_genbound.STATEMENT,
    lem_tildebound.STATEMENT,
    lem_hattildebound.STATEMENT,
    lem_fullbound.STATEMENT,
    lem_optimismhat.STATEMENT,
    # section 6
    experiment_paths.STATEMENT,
    # appendix A
    *lem_augmented.STATEMENTS,
    # appendix B
    *lem_pihatcdfbound.STATEMENTS,
    *lem_quantileinverse.STATEMENTS,
    lem_monotoneinversebound.STATEMENT,
    lem_pihatphibound.STATEMENT,
    *lem_picdfbound.STATEMENTS,
    lem_piphibound.STATEMENT,
    # appendix C: the proof of the main theorem, step by step
    event_hoeffding.STATEMENT,
    lem_genbound_cdf.STATEMENT,
    lem_optimismhat_cdf.STATEMENT,
    *thm_main_radius.STATEMENTS,
    *thm_main_counting.STATEMENTS,
    *thm_main_constant.STATEMENTS,
    # appendix D
    *cvar_appendix.STATEMENTS,
    *cvar_rho.STATEMENTS,
    # what replaces the refuted statements
    pathwise.STATEMENT,
    thm_discretized.CONSTANT,
    l0_tape.STATEMENT,
    l0_adaptive.STATEMENT,
    *printed_radii.STATEMENTS,
    l1_coupling.STATEMENT,
    l1_value.STATEMENT,
    l1_markov.STATEMENT,
    l1_greedy.STATEMENT,
    close_tv.STATEMENT,
    close_markov.STATEMENT,
    close_hat_tilde.STATEMENT,
    l2_duality.STATEMENT,
    l2_values.STATEMENT,
    l2_greedy.STATEMENT,
    l2_planner_error.STATEMENT,
    l2_optimistic.STATEMENT,
    l2_merely_optimal.STATEMENT,
    l3_counting.STATEMENT,
    *martingale.STATEMENTS,
    corrected_episode.STATEMENT,
    *corrected_sum.STATEMENTS,
    corrected_iii.STATEMENT,
    corrected_run.STATEMENT,
    *corrected_regret.STATEMENTS,
    class_markov.STATEMENT,
    class_atoms.STATEMENT,
    limits_convex.STATEMENT,
    # this library's own programs
    *production.STATEMENTS,
    *checker.STATEMENTS,
    # remarks, not findings
    *exp_forty.STATEMENTS,
)

ALL = tuple(replace(statement, paper=AUDITED) for statement in _ALL)


def by_label(label: str) -> Statement[Any]:
    """The statement with this label; raise ``KeyError`` with the nearest labels if there is none."""
    for statement in ALL:
        if statement.label == label:
            return statement
    import difflib

    near = difflib.get_close_matches(label, [statement.label for statement in ALL], n=5, cutoff=0.3)
    raise KeyError(f"no statement has the label {label!r}; did you mean one of {near}?")
