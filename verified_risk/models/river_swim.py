"""A chain that must be swum against the current."""

from ..errors import InvalidModel
from ..mdp import MDP
from ..numbers.rational import Rational, as_fraction

LEFT, RIGHT = range(2)


def river_swim(
    states: int = 6, shore: Rational = "1/200", prize: Rational = 1, *, horizon: int = 20, discount: Rational = 1
) -> MDP:
    """A small sure reward on the near shore, a large one far upstream (Strehl and Littman 2008).

    Swimming left (action 0) always succeeds and pays ``shore`` in state 0.  Swimming right (action 1) moves on with
    probability 7/20, stays with 3/5 and is carried back with 1/20; at the near shore it moves on with 3/5 and stays
    with 2/5, at the far end it stays with 3/5, is carried back with 2/5, and pays ``prize``.  (These numbers: Osband,
    Russo and Van Roy 2013.)

    >>> from verified_risk import Mean, exact_plan
    >>> exact_plan(river_swim(2, horizon=2), Mean()).value     # right, then right again if it worked: 3/5 + 2/5 * 1/200
    Fraction(301, 500)
    """
    if states < 2:
        raise InvalidModel(f"states is {states}, wanted at least 2: the near shore and the far end")
    small, large = as_fraction(shore, "shore"), as_fraction(prize, "prize")
    far = states - 1
    right = [
        {0: "2/5", 1: "3/5"},
        *({s - 1: "1/20", s: "3/5", s + 1: "7/20"} for s in range(1, far)),
        {far - 1: "2/5", far: "3/5"},
    ]
    return MDP(
        initial=0,
        transitions=[[{max(s - 1, 0): 1}, right[s]] for s in range(states)],
        rewards=[[small if s == 0 else 0, large if s == far else 0] for s in range(states)],
        horizon=horizon,
        discount=discount,
        drawing=f"near shore, pays {small} | "
        + " > ".join(str(s) for s in range(states))
        + f" | far end, pays {large}\nleft: with the current, always succeeds    right: against it, may fail",
        action_names=[("left", "right")] * states,
    )
