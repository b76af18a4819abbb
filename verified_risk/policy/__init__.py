r"""Policies: rules that choose actions from the step, the state and a memory.

Every policy is a small machine.  It starts with a memory, chooses an action from ``(t, s, memory)``, and updates the
memory with the observed reward.  The kinds differ in what they remember:

================== =======================================================================================
MarkovPolicy       nothing
ReturnPolicy       the return so far ``y`` (a *y-policy*; these suffice for every objective here)
GridPolicy         the sum of the rounded-up rewards: a policy of a discretised model, *adapted* to the raw one
HistoryPolicy      everything
CellPolicy         the return so far, but only in which cell of a grid it lies (:mod:`verified_risk.policy.cell_policy`)
MixturePolicy      which policy was drawn at the start, and that policy's memory
================== =======================================================================================

A choice is an action index, or a dict ``{action: probability}``.  Steps are ``t = 0, ..., T-1``.
"""

from .base import Choice, Policy, read_choice, required_policy
from .cell_policy import CellPolicy
from .combined import EndlessPolicy, MixturePolicy, policy_from_json
from .grid_policy import GridPolicy, GridTable
from .tables import HistoryPolicy, MarkovPolicy, ReturnPolicy

__all__ = ["CellPolicy", "Choice", "EndlessPolicy", "GridPolicy", "GridTable", "HistoryPolicy", "MarkovPolicy"]
__all__ += ["MixturePolicy", "Policy", "ReturnPolicy", "policy_from_json", "read_choice", "required_policy"]
