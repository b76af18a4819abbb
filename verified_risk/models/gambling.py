"""Two games of repeated bets, whose return is the money won or lost."""

from collections.abc import Sequence
from fractions import Fraction

from ..errors import InvalidModel
from ..mdp import MDP
from ..numbers.rational import Rational, as_probability, text


def gamblers_ruin(goal: int = 8, start: int = 4, win: Rational = "2/5", *, horizon: int = 6) -> MDP:
    """Play until ruined or until the goal is reached: no sitting out.

    The state is the capital ``c``, 0 to ``goal``; action ``k`` stakes ``k + 1``, up to ``min(c, goal - c)``, so states
    differ in their actions; each bet pays plus or minus the stake.  Every unit staked loses ``1 - 2 win`` on average,
    so the mean is best if little is staked in total: by small stakes, or by one large one that ends the game.

    >>> from verified_risk import Mean, exact_plan
    >>> exact_plan(gamblers_ruin(horizon=1), Mean()).value     # stake 1: 2/5 - 3/5
    Fraction(-1, 5)
    """
    if goal < 2 or not 0 < start < goal:
        raise InvalidModel(f"start is {start} and goal is {goal}, wanted 0 < start < goal")
    chance = as_probability(win, "win")
    drawing = [
        f"state    capital: 0 is ruin, {goal} the goal; both end the game",
        f"action k stakes k + 1, up to the capital and to what is missing to {goal}",
    ]
    return _game([range(1, min(c, goal - c) + 1) for c in range(goal + 1)], chance, start, horizon, drawing)


def betting_game(
    start: int = 10, stakes: Sequence[int] = (0, 1, 2, 5, 10), win: Rational = "7/10", *, horizon: int = 6
) -> MDP:
    """A favourable bet, repeated: the mean wants the largest stake, the tail wants to keep something.

    The state is the money, action ``k`` stakes the k-th of the ``stakes`` that the player can afford, and each bet pays
    plus or minus the stake.  (A standard example for CVaR, after Bäuerle and Ott 2011.)

    >>> from verified_risk import CVaR, Mean, exact_plan
    >>> game = betting_game(horizon=1)
    >>> exact_plan(game, Mean()).value, exact_plan(game, CVaR("3/10")).value   # stake 10: 10 (7/10 - 3/10); stake 0
    (Fraction(4, 1), Fraction(0, 1))
    """
    if start < 0:
        raise InvalidModel(f"start is {start}, wanted at least 0")
    if not stakes or min(stakes) != 0 or len(set(stakes)) != len(stakes):
        raise InvalidModel(f"stakes is {tuple(stakes)}, wanted distinct amounts, the least of them 0")
    chance = as_probability(win, "win")
    most = start + horizon * max(stakes)
    affordable = [[stake for stake in stakes if stake <= min(money, most - money)] for money in range(most + 1)]
    drawing = [
        f"state    money, 0 to {most}",
        f"action k stakes the k-th, from 0 on, of those of {', '.join(map(str, stakes))} that the money covers",
    ]
    return _game(affordable, chance, start, horizon, drawing)


def _game(offered: Sequence[Sequence[int]], chance: Fraction, start: int, horizon: int, drawing: Sequence[str]) -> MDP:
    """Return the game in which capital c may stake any of ``offered[c]``; if there is none, it is over."""
    outcomes = [
        [[(chance, c + stake, stake), (1 - chance, c - stake, -stake)] for stake in stakes] or [[(Fraction(1), c, 0)]]
        for c, stakes in enumerate(offered)
    ]
    names = [[f"stake {stake}" for stake in stakes] or ["the game is over"] for stakes in offered]
    told = "\n".join([*drawing, f"reward   the stake with probability {text(chance)}, else minus the stake"])
    return MDP.from_outcomes(outcomes, initial=start, horizon=horizon, drawing=told, action_names=names)
