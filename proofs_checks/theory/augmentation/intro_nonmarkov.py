r"""intro:nonmarkov: optimal policies may be non-Markov.  Holds.

T = 2.  The first step pays 0 or 1, each with probability 1/2.  Then a pays 1/2 and b pays 1 with probability p, else 0.
For CVaR at level 3/4 the best policy plays b after 0 and a after 1: after 0 the whole mean counts, after 1 only the
lower half.  For p between 1/2 and 3/4 it is better than every Markov policy by at least
:math:`\tfrac23 \min(p - \tfrac12, \tfrac34 - p)`.  CVaR is convex in the mixture of laws, so that randomised Markov
policies, too, are no better than the deterministic ones.
"""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr

from ...engine.model import Claim, Formal, Statement, at_most
from ..cvar.budget import tail_mean

LEVEL = Fraction(3, 4)


@dataclass(frozen=True)
class Case:
    """The chance that b pays 1."""

    chance: Fraction


def model(case: Case) -> vr.MDP:
    """State 0 pays a fair coin and leads to state 1, where a pays 1/2 and b pays 1 with the chance."""
    half = Fraction(1, 2)
    bet = {0: 1 - case.chance, 1: case.chance}
    return vr.MDP(0, [[[0, 1]], [[0, 1], [0, 1]]], [[{0: half, 1: half}], [half, bet]], 2)


def gap(case: Case) -> Fraction:
    """The value of the policy that looks at its first reward, minus the best value of a Markov policy."""
    mdp = model(case)
    looks = vr.ReturnPolicy(mdp, lambda t, s, y: int(s == 1 and y == 0))
    markov = [vr.MarkovPolicy(mdp, [[0, 0], [0, second]]) for second in (0, 1)]
    best = max(tail_mean(vr.return_law(mdp, policy), LEVEL) for policy in markov)
    return tail_mean(vr.return_law(mdp, looks), LEVEL) - best


STATEMENT = Statement(
    label="intro:nonmarkov",
    title="optimal policies may be non-Markov",
    section="1",
    printed=Claim(
        r"\max_{\pi(a\mid t,s,y)} \Phi - \max_{\pi(a\mid t,s)} \Phi \ge \tfrac23\min(p - \tfrac12, \tfrac34 - p) > 0",
        "In this family of models a policy that looks at its reward so far is better than every Markov policy.",
        lambda case: at_most(Fraction(2, 3) * min(case.chance - Fraction(1, 2), LEVEL - case.chance), gap(case)),
        when=lambda case: Fraction(1, 2) < case.chance < Fraction(3, 4),
    ),
    cases=lambda: st.integers(50, 75).map(lambda i: Case(Fraction(i, 100))),
    small_cases=lambda: (Case(Fraction(i, 40)) for i in range(20, 31)),
    small_size="p in fortieths from 1/2 to 3/4",
    reaches={"hypotheses": ("not noticed", "outside the range the bound is negative")},
    formal=Formal(proves=("markov_policies_are_worse",)),
    theory="02-augmentation.md#non-markov",
)
