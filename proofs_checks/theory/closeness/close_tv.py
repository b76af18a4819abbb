r"""close/tv: closeness (a), for every policy and every Lipschitz weighting, in total variation.

.. math:: |\Phi'(\pi) - \Phi(\pi)| \le L_G\, \mathbf E_\pi \sum_{t=1}^T
          \bigl[(T-t+1)\,\mathrm{TV}(R,R') + (T-t)\,\mathrm{TV}(P,P')\bigr],

under M or under M', by a maximal coupling of the two processes.  The constant is attained for every T.
"""

from fractions import Fraction

from ...cases.estimation import lipschitz
from ...engine.model import Claim, Formal, Real, Statement
from .model_pairs import (
    SMALL_SIZE,
    Pair,
    difference,
    drawn,
    in_both,
    small_pairs,
    variation_of_rewards,
    variation_of_rows,
)


def _slack(pair: Pair) -> Real:
    horizon = pair.mdp.horizon

    def cost(t: int, s: int, a: int) -> Fraction:
        rewards = variation_of_rewards(pair.mdp, pair.twin, s, a)
        rows = variation_of_rows(pair.mdp, pair.twin, s, a)
        return min((horizon - t) * rewards + (horizon - 1 - t) * rows, (horizon - t) * min(Fraction(1), rewards + rows))

    return in_both(difference(pair), pair, cost, lipschitz(pair.weighting))


STATEMENT = Statement(
    label="close/tv",
    title="closeness (a): every policy, total variation",
    corrected=Claim(
        r"|\Phi' - \Phi| \le L_G\, \mathbf E \sum_t \min\{(T-t+1)\mathrm{TV}(R,R') + (T-t)\mathrm{TV}(P,P'),\ "
        r"(T-t+1)\min(1, \mathrm{TV}(R,R') + \mathrm{TV}(P,P'))\}",
        "two models that differ little in total variation give every policy nearly the same objective",
        _slack,
    ),
    uses=("lem:key",),
    cases=drawn,
    small_cases=small_pairs,
    small_size=SMALL_SIZE,
    formal=Formal(proves=("value_close_in_either_model",)),
    theory="07-closeness.md#close-a",
)
