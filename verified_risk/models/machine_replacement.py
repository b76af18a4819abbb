"""A machine that wears out: run it, or replace it."""

from fractions import Fraction

from ..errors import InvalidModel
from ..mdp import MDP
from ..numbers.rational import Rational, as_fraction, as_probability, text

RUN, REPLACE = range(2)


def machine_replacement(
    conditions: int = 5,
    wear: Rational = "1/4",
    outage: Rational = 4,
    price: Rational = 3,
    *,
    horizon: int = 8,
    discount: Rational = 1,
) -> MDP:
    """A machine wears out: replacing it too late risks outages, replacing it too early costs money.

    Condition 0 is new, the last is broken.  Running (action 0) in condition c earns ``conditions - 1 - c`` and leaves
    a machine one condition worse with probability ``wear``; a broken one costs ``outage`` a step and stays broken.
    Replacing (action 1) costs ``price`` and the next step finds a new machine.  (A textbook problem;
    see Puterman, *Markov Decision Processes*.)

    >>> from verified_risk import Mean, exact_plan
    >>> exact_plan(machine_replacement(horizon=2), Mean()).value    # run twice: 4 + (3/4 * 4 + 1/4 * 3)
    Fraction(31, 4)
    """
    if conditions < 2:
        raise InvalidModel(f"conditions is {conditions}, wanted at least 2: new and broken")
    chance = as_probability(wear, "wear")
    loss, cost = as_fraction(outage, "outage"), as_fraction(price, "price")
    broken = conditions - 1
    new: dict[int, Rational] = {0: 1}
    transitions: list[list[dict[int, Rational]]] = [[{c: 1 - chance, c + 1: chance}, new] for c in range(broken)]
    transitions.append([{broken: 1}, new])
    rewards = [[Fraction(broken - c), -cost] for c in range(broken)] + [[-loss, -cost]]
    drawing = [
        f"state    condition: {' > '.join(['0 new', *map(str, range(1, broken)), f'{broken} broken'])}",
        f"action 0 run: earns {broken} in condition 0, one less in each worse one, costs {loss} when broken;",
        f"         the condition is one worse after it with probability {text(chance)}",
        f"action 1 replace: costs {cost}; the next step finds condition 0",
    ]
    names = [("run", "replace")] * conditions
    return MDP(0, transitions, rewards, horizon, discount, drawing="\n".join(drawing), action_names=names)
