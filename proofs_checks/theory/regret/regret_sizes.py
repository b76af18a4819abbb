r"""The sizes of a problem and the regret bounds, enclosed.

``ordinary`` is :math:`S_0`, and :math:`|S| = S_0 + 1`.  All bounds are for :math:`L_G = 1`; both sides scale with it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from verified_risk.numbers.enclosure import Real

from ...cases.enumeration import every
from ...cases.estimation import corrected_level
from ...cases.irrational import e_ratio, log, root


@dataclass(frozen=True)
class Problem:
    """Ordinary states, actions, steps, episodes, delta."""

    ordinary: int
    actions: int
    horizon: int
    episodes: int
    delta: Fraction

    @property
    def states(self) -> int:
        return self.ordinary + 1

    @property
    def steps(self) -> int:
        return self.episodes * self.horizon

    @property
    def logarithm(self) -> Real:
        r""":math:`\log(4|S||A|K/\delta)`."""
        return log(Fraction(4 * self.states * self.actions * self.episodes) / self.delta)


def printed_bound(problem: Problem, *, inside: int = 5) -> Real:
    r""":math:`4 T^{3/2} |S| \sqrt{5 |S||A|K \log(4|S||A|K/\delta)}`; ``inside`` is the 5."""
    p = problem
    return 4 * p.states * root(p.horizon**3 * inside * p.states * p.actions * p.episodes * p.logarithm)


def beta(problem: Problem) -> Real:
    r""":math:`\beta = ((T-1)S_0 + 2)\sqrt{2 S_0|A|KT\,l} + T^2 S_0|A|`."""
    p = problem
    level = corrected_level(p.ordinary, p.actions, p.episodes, p.horizon, p.delta)
    pairs = p.ordinary * p.actions
    return ((p.horizon - 1) * p.ordinary + 2) * root(2 * pairs * p.steps * level) + p.horizon**2 * pairs


def expected_bound(problem: Problem) -> Real:
    r"""(i): :math:`\beta + \delta K T`."""
    return beta(problem) + problem.delta * problem.steps


def probable_bound(problem: Problem) -> Real:
    r"""(ii): :math:`\frac{e}{e-1} [\beta + \frac{T(T+1)}{2} \log\frac1\delta]`."""
    p = problem
    return e_ratio() * (beta(p) + Fraction(p.horizon * (p.horizon + 1), 2) * log(1 / p.delta))


_DELTAS = (Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 100), Fraction(1, 10**6))


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Problems of all sizes, from one state and one episode to a million steps and a billion episodes."""
    episodes = draw(st.one_of(st.integers(1, 100), st.integers(0, 12).map(lambda i: 10**i)))
    ordinary, actions = draw(st.integers(1, 30)), draw(st.integers(1, 20))
    horizon = draw(st.one_of(st.integers(1, 20), st.integers(0, 6).map(lambda i: 10**i)))
    return Problem(ordinary, actions, horizon, episodes, draw(st.sampled_from(_DELTAS)))


SMALL_SIZE = "S0, |A| <= 3, T in 1, 2, 3, 10, 100, K in powers of ten up to 10^9, delta in 1, 1/10, 10^-6"


def small_problems() -> Iterator[Problem]:
    episodes = [10**i for i in range(10)]
    return every(Problem, (1, 2, 3), (1, 2, 3), (1, 2, 3, 10, 100), episodes, _DELTAS[::2])
