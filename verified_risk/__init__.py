"""Certified planning and learning for risk-sensitive finite-horizon MDPs.

The model is exact, floats are used only for searching, and every bound is a theorem about the given model.

>>> import verified_risk as vr
>>> mdp = vr.MDP(initial=0, transitions=[[[1], [1]]], rewards=[[{"1/4": 1}, {0: "1/8", "1/2": "7/8"}]], horizon=1)
>>> vr.exact_plan(mdp, vr.CVaR("1/4")).value
Fraction(1, 4)
"""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import errors, models, plotting
    from .comparing import Comparison, compare
    from .interop.gymnasium import TrackReturn
    from .law import Law
    from .learning import Run
    from .learning.agent import Learner
    from .learning.api import learn
    from .learning.audit import AuditReport
    from .learning.log import Log
    from .learning.log_answers import LogAnswer, evaluate_from_log, plan_from_log
    from .learning.log_problem import MarkovTest, markov_test
    from .mdp import MDP, IntervalMDP
    from .numbers.enclosure import Interval
    from .objectives import (
        CPW,
        ERM,
        CVaR,
        DualPower,
        EVaR,
        Mean,
        PiecewiseLinear,
        ProportionalHazard,
        Spectral,
        VaR,
        Wang,
        Weighting,
        objective,
    )
    from .planning import (
        ConstrainedPlan,
        Constraint,
        CVaRFrontier,
        ErrorBudget,
        Front,
        FrontPoint,
        Plan,
        RobustPlan,
        cvar_frontier,
        exact_plan,
        mean_cvar_front,
    )
    from .planning.api import plan
    from .planning.result import Recheck
    from .policy import GridPolicy, HistoryPolicy, MarkovPolicy, MixturePolicy, Policy, ReturnPolicy
    from .policy.evaluation import behavioural_form, joint_law, return_law
    from .policy.playing import Player
    from .policy.sensitivity import Sensitivities, Sensitivity
    from .progress import Progress
    from .proving import Proved
    from .rollouts import Rollout, rollout

__version__ = "0.2.0"

__all__ = [
    # models and laws
    "MDP", "IntervalMDP", "Law", "models", "errors",
    # objectives
    "Mean", "CVaR", "VaR", "Wang", "CPW", "PiecewiseLinear", "Spectral", "ProportionalHazard", "DualPower", "ERM",
    "EVaR", "Weighting", "objective",
    # policies and their evaluation
    "Policy", "MarkovPolicy", "ReturnPolicy", "GridPolicy", "HistoryPolicy", "MixturePolicy", "return_law",
    "joint_law", "behavioural_form", "Player", "Sensitivities", "Sensitivity", "TrackReturn", "rollout", "Rollout",
    # planning
    "plan", "cvar_frontier", "mean_cvar_front", "exact_plan", "Plan", "ErrorBudget", "CVaRFrontier",
    "ConstrainedPlan", "Constraint", "RobustPlan", "Front", "FrontPoint", "compare", "Comparison", "Recheck",
    "Proved",
    # learning
    "learn", "Learner", "Run", "AuditReport", "Log", "plan_from_log", "evaluate_from_log", "LogAnswer",
    "markov_test", "MarkovTest",
    # shared by all
    "Interval", "Progress", "plotting",
]  # fmt: skip

#: Home modules of the public names.  They are imported on first use; command-line help needs none of them.
_HOME = {
    name: module
    for module, names in {
        "mdp": "MDP IntervalMDP",
        "law": "Law",
        "": "models errors plotting",
        "policy": "Policy MarkovPolicy ReturnPolicy GridPolicy HistoryPolicy MixturePolicy",
        "policy.evaluation": "return_law joint_law behavioural_form",
        "policy.playing": "Player",
        "policy.sensitivity": "Sensitivities Sensitivity",
        "interop.gymnasium": "TrackReturn",
        "rollouts": "rollout Rollout",
        "planning": "plan cvar_frontier mean_cvar_front exact_plan Plan ErrorBudget "
        "CVaRFrontier ConstrainedPlan Constraint RobustPlan Front FrontPoint",
        "comparing": "compare Comparison",
        "planning.result": "Recheck",
        "proving": "Proved",
        "learning": "learn Run",
        "learning.agent": "Learner",
        "learning.audit": "AuditReport",
        "learning.log": "Log",
        "learning.log_answers": "plan_from_log evaluate_from_log LogAnswer",
        "learning.log_problem": "markov_test MarkovTest",
        "numbers.enclosure": "Interval",
        "progress": "Progress",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    """Import a public name from its home module; names not listed are objectives."""
    if name == "Certificate":
        warnings.warn("Certificate is now called ErrorBudget", DeprecationWarning, stacklevel=2)
        name = "ErrorBudget"
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOME.get(name, "objectives")
    found = getattr(import_module(f".{home}", __name__), name) if home else import_module(f".{name}", __name__)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})
