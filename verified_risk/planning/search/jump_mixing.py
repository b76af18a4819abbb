r"""Move a mixture off a jump by adding a small share of the best quantile's policy.

Let G jump at alpha, as a mixture with a lower quantile does.  The best mixture of a search often has :math:`F_i =
\alpha` at some i below the best quantile v.  There G has its upper value; just below alpha it has the lower one, which
the supremum approaches (theory 05, B8) and no policy attains.  The policy of the best quantile has :math:`F_i < \alpha`
for every i < v.  A share s of it brings the mixture below alpha there, and costs at most s times the range of returns.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from ...law import Law
from ...numbers.enclosure import bounds
from ...objectives import Weighting
from ...policy import MixturePolicy, Policy
from ..certify import Held

SHARES = tuple(Fraction(1, 2**k) for k in (40, 30, 20, 10))
"""Shares to try: a small one costs little, but a CDF with an error may need a large one."""


Worth: TypeAlias = Callable[[Fraction], tuple[Fraction, Law | None]]
"""Map a share of the other policy to a lower bound on the mixture's value, and its law if known."""


def off_the_jump(held: Held, other: Policy, worth: Worth) -> Held:
    """Return ``held`` mixed with the best share of ``other``, or unchanged if no share improves it."""
    share, (lower, law) = max(((share, worth(share)) for share in SHARES), key=lambda found: found[1][0])
    if lower <= held.lower:
        return held
    return Held(lower, MixturePolicy([(1 - share, held.policy), (share, other)]), law)


def by_laws(objective: Weighting, law: Law, other: Law) -> Worth:
    """Judge mixtures by exact laws."""

    def worth(share: Fraction) -> tuple[Fraction, Law]:
        mixed = Law.mixture([(1 - share, law), (share, other)])
        return bounds(objective.of(mixed))[0], mixed

    return worth
