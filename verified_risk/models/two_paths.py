"""A fork with a road and a bridge, small enough to check by hand."""

from ..mdp import MDP
from ..numbers.rational import Rational, as_fraction, as_probability

FORK, ROAD, BRIDGE, END = range(4)


def two_paths(safe: Rational = 1, risky: Rational = 2, success: Rational = "3/4") -> MDP:
    r"""A fork: a road that pays a little for sure, or a bridge that pays more or nothing.

    The road (action 0) pays ``safe``, the bridge (action 1) ``risky`` with probability ``success``, otherwise 0.  With
    the defaults the bridge has mean 3/2 and, for :math:`\alpha \ge 1/4`,
    :math:`\mathrm{CVaR}_\alpha = 2(\alpha - \frac14)/\alpha = 2 - \frac{1}{2\alpha}`, which passes the road's 1 at
    :math:`\alpha = 1/2`.

    >>> from verified_risk import CVaR, exact_plan
    >>> [exact_plan(two_paths(), CVaR(alpha)).value for alpha in ("1/4", "1/2", "3/4", 1)]
    [Fraction(1, 1), Fraction(1, 1), Fraction(4, 3), Fraction(3, 2)]
    """
    low, high = as_fraction(safe, "safe"), as_fraction(risky, "risky")
    chance = as_probability(success, "success")
    bridge = {high: chance, 0: 1 - chance} if high else {0: 1}
    return MDP(
        initial=FORK,
        transitions=[[{ROAD: 1}, {BRIDGE: 1}], [{END: 1}], [{END: 1}], [{END: 1}]],
        rewards=[[0, 0], [low], [bridge], [0]],
        horizon=2,
        drawing=f"""\
       .-- road ----(1)--> {low}
fork --|
       '-- bridge --({chance})--> {high}   (else 0)""",
        action_names=[("road", "bridge"), ("go on",), ("cross",), ("stay",)],
    )
