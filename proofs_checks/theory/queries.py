"""Every question that is put to a solver, in the order of the paper: for all real parameters, at a bounded size."""

from __future__ import annotations

from ..evidence.solver.query import Query
from .augmentation import lem_augmented_solver
from .closeness import close_tv_solver, l2_greedy_solver, l2_values_solver
from .cvar import cvar_appendix_solver
from .discretisation import thm_discretized_solver
from .optimism import def_optimistic_solver, l1_markov_solver, lem_optimismhat_solver
from .regret import l3_counting_solver
from .setting import (
    assump_lipschitz_solver,
    def_objective_solver,
    def_quantile_solver,
    lem_key_solver,
    lem_monotoneinversebound_solver,
    lem_quantileinverse_solver,
)

MODULES = (
    lem_key_solver,
    def_quantile_solver,
    def_objective_solver,
    assump_lipschitz_solver,
    lem_augmented_solver,
    thm_discretized_solver,
    def_optimistic_solver,
    lem_quantileinverse_solver,
    lem_monotoneinversebound_solver,
    close_tv_solver,
    lem_optimismhat_solver,
    l1_markov_solver,
    l2_values_solver,
    l2_greedy_solver,
    l3_counting_solver,
    cvar_appendix_solver,
)

ALL: tuple[Query, ...] = tuple(query for module in MODULES for query in module.QUERIES)
