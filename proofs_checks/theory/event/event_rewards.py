r"""lem:event/rewards: the reward radius.  The Dvoretzky-Kiefer-Wolfowitz inequality with Massart's constant.

With :math:`\epsilon_R^2 = \log(6|S||A|K/\delta)/2n` the bound :math:`2e^{-2n\epsilon_R^2}` is
:math:`\delta/(3|S||A|K)`: the constant is right, for a *fixed* number n of independent draws.
"""

from __future__ import annotations

from ...cases.irrational import exp
from ...cases.sampling import kolmogorov_gap
from ...engine.model import Claim, Evidence, Formal, Rank, Statement
from .event_laws import SMALL_SIZE, drawn, small_draws, tail_slack

STATEMENT = Statement(
    label="lem:event/rewards",
    title="the empirical reward CDF is within its radius",
    section="5",
    printed=Claim(
        r"P(\|F_{\tilde R} - F_R\|_\infty \ge v) \le 2 e^{-2 n v^2}",
        "n independent rewards have an empirical CDF within v of the true one, except with probability 2 exp(-2 n v^2)",
        lambda draws: tail_slack(draws, kolmogorov_gap, lambda v: 2 * exp(-2 * draws.n * v**2)),
    ),
    uses=("def:empirical",),
    cases=drawn,
    small_cases=small_draws,
    small_size=SMALL_SIZE,
    examples_share=0.3,
    formal=Formal(parts=("dkw", "near_at_every_real")),
    reaches={"bound": ("0.8", "attained as the number of draws grows; one toss of a fair coin comes to 0.824")},
    theory="06-event-and-optimism.md#event-printed",
    evidence=(Evidence(Rank.CITED, "Massart, Ann. Probab. 18 (1990)"),),
)
