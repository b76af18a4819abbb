r"""corrected/run: the corrected learner on two-armed problems, its expected regret computed exactly.

T = 1, one ordinary state, two actions with two rewards each, CVaR.  The learner's state is the count of each reward of
each action, so it is a finite chain with rational probabilities; radii are enclosed, and indices that cannot be
compared raise an exception.  Checked: E[Reg] is at most (i); the event has probability at least 1 - delta; and in
every state on the event the loss of the action chosen is at most :math:`L_G \min(1, 2\epsilon)`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

from hypothesis import strategies as st

import verified_risk as vr
from verified_risk.numbers.enclosure import Interval, between, bounds

from ...cases import strategies
from ...cases.estimation import corrected_level, empirical_law, is_near, optimistic_reward, radius
from ...cases.histories import added
from ...cases.irrational import exceeds, minimum
from ...engine.model import Claim, Formal, Real, Statement, at_most, equality, least
from .. import reasons
from .regret_sizes import Problem, expected_bound

Arm = tuple[int, int]
"""Numbers of observed lower and upper rewards."""


@dataclass(frozen=True)
class Case:
    """The reward laws of the two actions (at most two atoms each), the CVaR level, episodes, delta."""

    laws: tuple[vr.Law, vr.Law]
    alpha: Fraction
    episodes: int
    delta: Fraction


@lru_cache(maxsize=200_000)
def _index(law: vr.Law, seen: Arm, alpha: Fraction, ends: tuple[Fraction, Fraction]) -> Real:
    """The optimistic value of an action: monotone in the radius, so its enclosure is evaluated at both ends.  ``ends``
    enclose the level."""
    n = sum(seen)
    if not n:
        return Fraction(1)
    observed = empirical_law([(x, k) for x, k in zip(law.atoms, seen, strict=False) if k])
    values = [
        vr.CVaR(alpha).of(optimistic_reward(observed, min(eps, Fraction(1))))
        for eps in bounds(radius(Interval(*ends), n))
    ]
    return between(*(bounds(value)[i] for i, value in enumerate(values)))


def choose(case: Case, state: tuple[Arm, Arm], level: Real) -> int:
    """The action with the larger index; the first if they are equal."""
    first, second = (_index(law, seen, case.alpha, bounds(level)) for law, seen in zip(case.laws, state, strict=True))
    if bounds(first) == bounds(second):
        return 0
    return 1 if exceeds(second, first) else 0


@lru_cache(maxsize=1000)
def run(case: Case) -> tuple[Fraction, Fraction, Real, dict[Fraction, Fraction]]:
    """The expected regret, the probability of the event, the least room of a loss under its radius, and the law of the
    regret."""
    level = corrected_level(1, 2, case.episodes, 1, case.delta)
    values = [vr.CVaR(case.alpha).of(law) for law in case.laws]
    exact = [value for value in values if isinstance(value, Fraction)]
    best = max(exact)
    regret = Fraction()
    rooms: list[Real] = [Fraction(1)]
    states: dict[tuple[tuple[Arm, Arm], bool], Fraction] = {((((0, 0)), ((0, 0))), True): Fraction(1)}
    for episode in range(case.episodes):
        following: list[tuple[tuple[tuple[Arm, Arm], bool], Fraction]] = []
        for (state, good), mass in states.items():
            a = choose(case, state, level)
            loss = best - exact[a]
            regret += mass * loss
            n = sum(state[a])
            if good and n:
                rooms.append(at_most(loss, 1 / case.alpha * minimum(Fraction(1), 2 * radius(level, n)), "radius"))
            for i, p in enumerate(case.laws[a].masses):
                seen = (state[a][0] + (i == 0), state[a][1] + (i == 1))
                new = (seen, state[1]) if a == 0 else (state[0], seen)
                # The event is about the estimates before each of the K episodes: the last outcome is not used.
                unused = episode == case.episodes - 1 or len(case.laws[a]) == 1
                ok = good and (unused or is_near(seen, case.laws[a].masses[0], level))
                following.append(((new, ok), mass * p))
        states = added(following)
    totals = added(  # the state determines how often each action was played
        (sum((sum(seen) * (best - value) for seen, value in zip(state, exact, strict=True)), Fraction()), p)
        for (state, _), p in states.items()
    )
    return regret, sum((p for (_, good), p in states.items() if good), Fraction()), least(*rooms), totals


def law_of_regret(case: Case) -> dict[Fraction, Fraction]:
    """Each value of the regret of K episodes with its probability."""
    return run(case)[3]


def _slack(case: Case) -> Real:
    regret, good, room, totals = run(case)
    bound = 1 / case.alpha * (expected_bound(problem(case)) - case.delta * case.episodes) + case.delta * case.episodes
    fails = at_most(1 - good, case.delta, "event")
    return least(at_most(regret, bound), fails, room, equality(regret, sum(r * p for r, p in totals.items())))


def problem(case: Case) -> Problem:
    return Problem(1, 2, 1, case.episodes, case.delta)


def two_rewards(case: object) -> bool:
    return isinstance(case, Case) and all(len(law) <= 2 for law in case.laws)


@st.composite
def _drawn(draw: st.DrawFn) -> Case:
    laws = (draw(strategies.laws(max_atoms=2)), draw(strategies.laws(max_atoms=2)))
    delta = draw(st.sampled_from((Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))))
    alpha = draw(st.sampled_from((Fraction(1), Fraction(1, 2), Fraction(1, 4))))
    return Case(laws, alpha, draw(st.sampled_from((1, 3, 8, 12))), delta)


def _small_cases() -> Iterator[Case]:
    half = Fraction(1, 2)
    laws = [vr.Law({0: 1}), vr.Law({half: 1}), vr.Law({0: half, 1: half}), vr.Law({0: "1/10", 1: "9/10"})]
    for first, second in product(laws, laws):
        yield from (Case((first, second), alpha, 6, half) for alpha in (Fraction(1), half))
    yield Case((laws[2], laws[1]), Fraction(1), 40, Fraction(9, 10))


STATEMENT = Statement(
    label="corrected/run",
    title="exact regrets of small learners",
    corrected=Claim(
        r"\mathbf E[\mathrm{Reg}] \le L_G\beta + \delta K,\ P[\mathcal E] \ge 1-\delta,\ "
        r"\mathcal E \Rightarrow \Phi^* - \Phi(\pi^{(k)}) \le L_G\min(1,2\epsilon)",
        "on two-armed problems, the corrected learner's exact expected regret and losses are within their bounds",
        _slack,
        when=two_rewards,
    ),
    uses=("corrected/episode",),
    cases=_drawn,
    small_cases=_small_cases,
    small_size="four reward laws for each action, mean and CVaR at 1/2, six episodes; one problem of 40 episodes",
    formal=Formal(
        missing="The claim is about runs of a program on given problems. The learner's bound is proved "
        "(`corrected/i`); that this program is that learner is not a theorem here."
    ),
    reaches={
        **reasons.FORM,
        "bound": ("0.1", reasons.EPISODES),
        "event": ("0.001", reasons.UNION),
        "radius": ("0.8", "few courses lose as much as a radius allows"),
    },
    theory="08-regret.md#regret-i",
    examples_share=0.25,
    notes="The bound (i) exceeds KT at these sizes; the losses under their radii are the sharp part.",
)
