"""Stock control with random demand and lost sales."""

from collections.abc import Mapping
from fractions import Fraction

from ..errors import InvalidModel
from ..law import Law
from ..mdp import MDP, Outcome
from ..numbers.rational import Rational, as_fraction, text

DEMAND = {0: "1/4", 1: "1/2", 2: "1/4"}


def inventory(
    capacity: int = 3,
    demand: Mapping[int, Rational] | None = None,
    price: Rational = 8,
    cost: Rational = 2,
    delivery: Rational = 4,
    holding: Rational = 1,
    *,
    start: int = 0,
    horizon: int = 3,
    discount: Rational = 1,
) -> MDP:
    """Stock control: each period order some units, sell what is asked for, keep the rest.

    In stock ``s`` action ``a = 0 .. capacity - s`` orders ``a``; the delivery is immediate and, if a > 0, costs
    ``delivery + a * cost``; all ``s + a`` units cost ``holding`` each; the demand D is then met as far as possible at
    ``price`` a unit, and what is missing is lost.  The reward depends on the next state ``max(s + a - D, 0)``.

    The defaults are the example of Puterman, *Markov Decision Processes*, section 3.2, where three periods from
    empty stock are worth 67/16 on average:

    >>> from verified_risk import Mean, exact_plan
    >>> exact_plan(inventory(), Mean()).value
    Fraction(67, 16)
    """
    if not 0 <= start <= capacity:
        raise InvalidModel(f"start is {start}, wanted a stock in 0..{capacity}")
    law = Law(DEMAND if demand is None else demand, where="demand")
    for units in law.atoms:
        if units < 0 or units.denominator != 1:
            raise InvalidModel(f"demand names {units}, wanted a number of units 0, 1, 2, ...")
    sale, unit_cost = as_fraction(price, "price"), as_fraction(cost, "cost")
    fixed, keep = as_fraction(delivery, "delivery"), as_fraction(holding, "holding")

    def period(stock: int, order: int) -> list[Outcome]:
        ready = stock + order
        spent = (fixed + order * unit_cost if order else Fraction(0)) + keep * ready
        sold = {int(units): min(int(units), ready) for units in law.atoms}
        return [(p, ready - sold[int(units)], sale * sold[int(units)] - spent) for units, p in law]

    outcomes = [[period(s, a) for a in range(capacity - s + 1)] for s in range(capacity + 1)]
    names = [[f"order {a}" for a in range(capacity - s + 1)] for s in range(capacity + 1)]
    asked = ", ".join(f"{units} with probability {text(p)}" for units, p in law)
    drawing = [
        f"state    units in stock, 0 to {capacity}",
        f"action a orders a units, delivered at once, for {fixed} + {unit_cost} a unit (nothing if a = 0)",
        f"reward   {sale} a unit sold - {keep} a unit that was on the shelf - the order",
        f"demand   {asked}; what is missing is lost",
    ]
    told = "\n".join(drawing)
    return MDP.from_outcomes(
        outcomes, initial=start, horizon=horizon, discount=discount, drawing=told, action_names=names
    )
