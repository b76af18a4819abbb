"""The root causes of the findings, with the lines of the paper and the correction.

Line numbers are those of the LaTeX source of the preprint (arXiv 2210.05650).  Findings with the same fault have the
same cause; summaries count causes.  A cause without a severity is a slip.
"""

from ..engine.severity import Cause, Severity

PARTS = Cause(
    "parts",
    "integrating by parts along a map that is not monotone",
    "1022-1034, 1066-1068",
    "r enters F_{Z_{t+1}(s', y+r)}(x-r) also through the state y + r, so the map is not monotone in r. Total variation "
    "in place of the sup norm, Markov policies, or a planner greedy everywhere with a concave G replace the step.",
    Severity.SUBSTANCE,
)
AT_MOST_Y = Cause(
    "at-most-y",
    "averaging over rewards at most y where equal to y is meant",
    "193, 197",
    "one symbol: average over equal rewards so far",
    Severity.REPAIR,
)
EPISODE = Cause(
    "episode-length",
    "a history of length T holds T - 1 rewards",
    "118, 131, 218, 1174, 1198",
    "line 280 records T rewards and s_{T+1}; lines 222 and 1196 say in words that the whole return is paid",
)
SUBSCRIPT = Cause(
    "subscript",
    "the subscript of the reward in the return",
    "134",
    "the words of the same line: the reward from step t",
)
WHOLE_LINE = Cause(
    "whole-line",
    "the range of the integral in the key identity",
    "95, 317",
    "lines 1051 and 1100 integrate from 0 to T; the 2T of line 95 goes with [0, 2T]",
)
LEVEL_ZERO = Cause(
    "level-zero", "the endpoint 0 among the levels", "82, 151, 153", "F†(0) is minus infinity; 1/alpha needs alpha > 0"
)
VAR_INDICATOR = Cause(
    "var-indicator", "a reversed inequality in the weighting of VaR", "153", "the same line calls G a CDF"
)
SCOPE = Cause(
    "scope",
    "the introduction speaks of all objectives of the form, the theorem of Lipschitz G",
    "79, 108, 153",
    "the assumption at line 170; VaR, the Wang transform and CPW are not Lipschitz",
)
LARGEST_RETURN = Cause(
    "largest-return",
    "the empirical model need not attain T",
    "164, 458",
    "the assumption is not needed: on [0, T] the key identity holds for every law",
)
GRID = Cause("grid", "the number of grid points", "244", "T ceil(1/eta) + 1 points, the largest T eta ceil(1/eta)")
LOST_T = Cause("lost-T", "a lost factor T in the loss of discretisation", "241", "lines 244, 983 and 987 print the T")
CDF_INDICATOR = Cause(
    "cdf-indicator", "a reversed inequality in the empirical CDF", "255", "the left side is called a CDF"
)
LOST_HAT = Cause("lost-hat", "a lost hat in the mass of the optimistic state", "261", "line 1079 prints the hat")
UNVISITED = Cause("unvisited", "pairs that were never visited", "254-255, 419-424, 1123", "a convention for N = 0")
CONDITIONING = Cause(
    "conditioning",
    "conditioning on the visit counts, which depend on what was seen",
    "429, 997-1011, 1114-1118",
    "the event without the condition, with a union over the number of visits, and a martingale step",
    Severity.REPAIR,
)
UNION = Cause(
    "union",
    "Hoeffding for all successors at once",
    "1002-1011",
    "a union over the successors in the radius",
    Severity.REPAIR,
)
OTHER_MODEL = Cause(
    "other-model",
    "the expectation of the radii under the model that is not compared",
    "465",
    "the expectation under the empirical or the optimistic model",
    Severity.REPAIR,
)
INTERNAL_STATE = Cause(
    "internal-state", "the internal state after the rounded step", "903", "the proof uses r - rho, line 934"
)
RIGHT_CONTINUITY = Cause(
    "right-continuity", "a monotone function that is not right-continuous", "856", "CDFs are; nothing else is needed"
)
LOG = Cause("log", "the logarithm of 6 becomes that of 4", "1118", "the coefficient 5 leaves the room")
STRICT = Cause("strict", "fewer than 2T in place of at most 2T", "1125", "the next sentence has at most")
FACTOR_TWO = Cause(
    "factor-two", "the factor 2 of the integral of 1/sqrt x", "1132", "a factor 2; 4 sqrt 2 in the end", Severity.REPAIR
)
MAXIMUM = Cause(
    "maximum", "a maximum in place of a minimum inside J", "1166", "lines 1156, 1168 and 1193 have the minimum"
)
ONE_RHO = Cause("one-rho", "a rho for each initial state", "1206", "lines 1164-1166 and 1194 average over it")
LEVELS = Cause("levels", "the level 0.40 for the path of return 6", "504", "a level above 433/1000")

ALL = tuple(value for value in list(globals().values()) if isinstance(value, Cause))
