"""Proofs by solvers: for all real parameters, at a bounded size.

One file per statement, named after it; ``ALL`` lists every query in the paper's order.  ``python -m
proofs_checks.symbolic`` runs them; z3 and sympy are extras (``pip install 'verified-risk[smt]'``) and are imported only
when a query is built.
"""

from __future__ import annotations

from . import (
    assump_lipschitz,
    close_tv,
    cvar_appendix,
    def_objective,
    def_optimistic,
    def_quantile,
    l1_markov,
    l2_greedy,
    l2_values,
    l3_counting,
    lem_augmented,
    lem_key,
    lem_monotoneinversebound,
    lem_optimismhat,
    lem_quantileinverse,
    thm_discretized,
)
from .query import Query

MODULES = (
    lem_key,
    def_quantile,
    def_objective,
    assump_lipschitz,
    lem_augmented,
    thm_discretized,
    def_optimistic,
    lem_quantileinverse,
    lem_monotoneinversebound,
    close_tv,
    lem_optimismhat,
    l1_markov,
    l2_values,
    l2_greedy,
    l3_counting,
    cvar_appendix,
)

ALL: tuple[Query, ...] = tuple(query for module in MODULES for query in module.QUERIES)
