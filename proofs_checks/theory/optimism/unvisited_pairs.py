r"""def:unvisited: pairs with N(s, a) = 0.  The printed formulas divide by zero there.

The estimate is 0/0 and the radius infinite.  The model is completed by :math:`\hat P = \delta_{s_\infty}`,
:math:`\hat R = \delta_1`, as every radius of at least 1 does, whatever the estimate.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from verified_risk.mdp import MDP

from ...cases import strategies
from ...cases.estimation import Episode, counts_of, empirical_mdp, optimistic_mdp, row_of
from ...engine.model import Claim, Formal, Real, Statement, equality, least
from .. import causes


@dataclass(frozen=True)
class Case:
    """A model, the episodes seen, and the radius of the visited pairs."""

    mdp: MDP
    history: tuple[Episode, ...]
    eps: Fraction


def _corrected_slack(case: Case) -> Real:
    """Every row sums to 1, and an unvisited pair pays 1 in every remaining step."""
    counts = counts_of(case.mdp, case.history)
    radii = tuple(
        tuple(case.eps if counts[s, a].visits else Fraction(1) for a in range(case.mdp.n_actions[s]))
        for s in range(case.mdp.n_states)
    )
    better = optimistic_mdp(empirical_mdp(case.mdp, case.history), radii)
    top = case.mdp.n_states
    slacks: list[Real] = []
    for (s, a), seen in counts.items():
        row = row_of(better, s, a)
        slacks.append(equality(sum(row, Fraction()), Fraction(1)))
        if not seen.visits:
            slacks += [equality(row[top], Fraction(1)), equality(better.actions(s)[a].reward_law.mean, Fraction(1))]
    return least(*slacks)


@st.composite
def _drawn(draw: st.DrawFn) -> Case:
    mdp = draw(strategies.mdps(max_horizon=2))
    return Case(mdp, draw(strategies.histories(mdp)), draw(strategies.rationals(max_denominator=8)))


def _small_cases() -> Iterator[Case]:
    mdp = MDP(0, [[[1], [1]]], [[0, {0: "1/2", 1: "1/2"}]], 1)
    outcomes = [(0, 0, Fraction()), (0, 1, Fraction()), (0, 1, Fraction(1))]
    level: list[tuple[Episode, ...]] = [()]
    for _ in range(4):
        yield from (Case(mdp, history, Fraction(e, 4)) for history in level for e in range(5))
        level = [(*history, Episode((step,), 0)) for history in level for step in outcomes]


STATEMENT = Statement(
    label="def:unvisited",
    said="implied",
    title="pairs that were never visited",
    section="4",
    printed=Claim(
        r"N(s,a) \ge 1 \quad \forall s, a",
        "the quotients that define the estimates and the radii exist at every pair",
        lambda case: Fraction(min(seen.visits for seen in counts_of(case.mdp, case.history).values()) - 1),
    ),
    corrected=Claim(
        r"N(s,a) = 0:\ \hat P(\cdot\mid s,a) = \delta_{s_\infty},\ \hat R(s,a) = \delta_1",
        "completed so, every pair has a law of the next state and of the reward, after every history",
        _corrected_slack,
    ),
    cause=causes.UNVISITED,
    uses=("def:optimistic/rows", "def:optimistic/rewards"),
    cases=_drawn,
    small_cases=_small_cases,
    small_size="one state, two actions, T = 1, up to 3 episodes",
    counterexample=Case(MDP(0, [[[1]]], [[0]], 1), (), Fraction()),
    find_budget=10,
    formal=Formal(proves=("unvisited_pairs",)),
    theory="06-event-and-optimism.md#unvisited",
    notes="Not printed: the quotients are written for every pair, and 0/0 has no value. A convention completes them.",
)
