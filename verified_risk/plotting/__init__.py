"""Pictures of laws, plans, policies, bounds and runs.

Each function returns a :class:`Picture`, which displays in a notebook and saves as SVG, PNG or PDF.  Every picture is
legible in black and white: things that differ in colour also differ in hatching, line style or marker. matplotlib (the
extra ``plot``) is imported by the functions, never by ``import verified_risk``.

>>> from verified_risk import CVaR, Law
>>> picture = draw_law(Law({0: "1/4", 1: "3/4"}), CVaR("1/2"))
>>> picture.bytes("png")[1:4]
b'PNG'
"""

from .bound_trace import BoundsTrace, draw_bounds
from .curve import draw_curve, shortfall_curve
from .fronts import draw_compared, draw_front, draw_frontier
from .picture import Picture
from .policy_map import draw_policy_map
from .regret import draw_regret, draw_run
from .return_law import draw_comparison, draw_law, draw_plan

__all__ = ["BoundsTrace", "Picture", "draw_bounds", "draw_compared", "draw_comparison", "draw_curve", "draw_front"]
__all__ += ["draw_frontier", "draw_law", "draw_plan", "draw_policy_map", "draw_regret", "draw_run", "shortfall_curve"]
