r"""lem:tildebound, lem:hattildebound, lem:fullbound: empirical, optimistic and true model are close.  False as printed.

In the empirical model every first reward has been seen; in the true one hardly any has.  A y-policy that acts on this
difference separates the two models, although every CDF is within its radius.  For Markov policies the bound of
lem:tildebound is true, and the radii enter without the factor T.

The optimistic model differs from the empirical one by mass moved to the top, so these two are close in total variation
and closeness (a) applies to every policy, with the expectation under one of *these two* models.  Under the true model,
as printed in lem:hattildebound, the policy may never visit the pairs with large radii.  The equation
:math:`2|S|\epsilon_R = \sqrt{|S|}\,\epsilon_P` is exact.

lem:fullbound inherits the failure of lem:tildebound: with enough visits every radius is small, but the rewards of the
optimistic model are in the sample and those of the true model are not.  A regret bound needs less, which is true:
``L2/optimistic``.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import Any

from hypothesis import strategies as st

from ...cases.estimation import expected_cost, lipschitz, phi
from ...cases.irrational import absolute, root
from ...engine.model import Claim, Formal, Hypotheses, Real, Statement, at_most
from .. import causes, reasons
from ..event.seen_rewards import (
    HORIZON,
    Seen,
    drawn,
    empirical_value,
    on_the_event,
    optimistic_value,
    printed_budget,
    small_seen,
    true_value,
    valid,
)
from ..optimism.l1_markov import MARKOV_ON_EVENT, is_markov, told_apart
from ..optimism.optimistic_pairs import SMALL_PLAYED, Played, event, played, small_played_markov, unlucky_played
from ..regret import class_markov
from . import close_hat_tilde


def _corrected_slack(case: Played) -> Real:
    horizon = case.mdp.horizon

    def cost(t: int, s: int, a: int) -> Fraction:
        return (horizon - t) * case.radii[s][a]

    gap = phi(case.weighting, case.estimate, case.policy.on(case.estimate)) - phi(case.weighting, case.mdp, case.policy)
    return at_most(absolute(gap), lipschitz(case.weighting) * expected_cost(case.mdp, case.policy, cost))


TILDE: Statement[Any] = Statement(
    label="lem:tildebound",
    title="the empirical model is close to the true one",
    section="5",
    printed=Claim(
        r"|\tilde\Phi(\pi) - \Phi(\pi)| \le T L_G\, \mathbf E_M \sum_t (\epsilon_P + \epsilon_R), "
        r"\text{ on } \mathcal E",
        "on the event, every policy has nearly the same objective in the empirical and in the true model",
        lambda case: HORIZON * printed_budget(case) - absolute(empirical_value(case) - true_value(case)),
        when=on_the_event,
    ),
    corrected=Claim(
        r"|\tilde\Phi(\pi) - \Phi(\pi)| \le L_G\, \mathbf E_M \sum_t [\epsilon_R + (T-t) \tfrac12 \epsilon_P], "
        r"\ \pi \text{ Markov}",
        "on the event, every Markov policy has nearly the same objective in the empirical and in the true model",
        _corrected_slack,
        # with one or two states the rows are within eps_P = 2 eps_R in the l1 norm
        when=Hypotheses(Markov=is_markov, event=lambda case: event(case) and case.mdp.n_states <= 2),
    ),
    cause=causes.PARTS,
    uses=("lem:genbound", "close/markov"),
    cases=lambda: st.one_of(drawn(1), played(markov=True), unlucky_played(), told_apart()),
    small_cases=lambda: chain(small_played_markov(), small_seen(1)),
    small_size=SMALL_PLAYED + "; and up to 4 rewards seen of up to 16",
    counterexample=Seen(2000, 10, 1, 1000, 5001, Fraction(1, 2)),
    find_budget=400,
    formal=Formal(proves=("empirical_value_close",)),
    theory="07-closeness.md#tildebound",
    notes="The corrected claim is tested in full generality as close/markov.",
)

HAT_TILDE: Statement[Any] = Statement(
    label="lem:hattildebound",
    title="the optimistic model is close to the empirical one",
    section="5",
    printed=Claim(
        r"|\hat\Phi(\pi) - \tilde\Phi(\pi)| \le T L_G \sqrt{|S|}\, \mathbf E_M \sum_t (\epsilon_P + \epsilon_R)",
        "every policy has nearly the same objective in the optimistic and in the empirical model",
        lambda case: (
            HORIZON * root(2) * printed_budget(case) - absolute(optimistic_value(case) - empirical_value(case))
        ),
        when=valid,
    ),
    corrected=Claim(
        r"|\hat\Phi(\pi) - \tilde\Phi(\pi)| \le T L_G\, \mathbf E_{\tilde M} \sum_t |S|\,\epsilon_R = "
        r"\tfrac12 T L_G \sqrt{|S|}\, \mathbf E_{\tilde M} \sum_t \epsilon_P",
        "with the expectation under the empirical (or the optimistic) model, the two are close, with less than half "
        "the constant",
        close_hat_tilde.slack,
        when=lambda case: isinstance(case, Played),
    ),
    cause=causes.OTHER_MODEL,
    uses=("lem:genbound", "close/tv", "def:optimistic/rows", "def:optimistic/rewards"),
    cases=lambda: st.one_of(drawn(0), played()),
    small_cases=lambda: chain(small_played_markov(), small_seen(0)),
    small_size=SMALL_PLAYED + "; and up to 4 rewards seen of up to 16",
    counterexample=Seen(10_000, 100, 0, 1, 10_002, Fraction(1, 2)),
    find_budget=400,
    formal=Formal(proves=("hat_and_tilde_close_with_printed_radii",)),
    reaches={**reasons.FORM, "coarse": ("0.5", reasons.COARSE)},
    theory="07-closeness.md#hattildebound",
    notes="Stated without the event.  The corrected claim is tested in full generality as close/hat-tilde.",
)

FULL = replace(
    TILDE,
    label="lem:fullbound",
    title="the optimistic model is close to the true one",
    printed=Claim(
        r"|\hat\Phi(\pi) - \Phi(\pi)| \le 2 T L_G \sqrt{|S|}\, \mathbf E_M \sum_t (\epsilon_P + \epsilon_R) "
        r"\text{ on } \mathcal E",
        "on the event, every policy has nearly the same objective in the optimistic and in the true model",
        lambda case: 2 * HORIZON * root(2) * printed_budget(case) - absolute(optimistic_value(case) - true_value(case)),
        when=on_the_event,
    ),
    corrected=Claim(
        r"0 \le \hat\Phi(\pi) - \Phi(\pi) \le L_G\, \mathbf E_M \sum_t [(T-t)\min(1, S_0\epsilon) + "
        r"\min(1, 2\epsilon)], \ \pi \text{ Markov}",
        "on the event, every Markov policy has nearly the same objective in both, without the factor T on the rewards",
        class_markov.slack,
        when=MARKOV_ON_EVENT,
    ),
    uses=("lem:tildebound", "lem:hattildebound", "L2/optimistic"),
    counterexample=Seen(20_000, 10, 1, 10_000, 50_001, Fraction(1, 2)),
    formal=Formal(parts=("markov_optimism", "markov_optimistic_close")),
    reaches={"coarse": ("0.5", reasons.COARSE)},
    theory="07-closeness.md#fullbound",
    notes="The corrected claim is tested in full generality as class/markov, and for greedy policies as L2/optimistic.",
)

STATEMENTS = (TILDE, HAT_TILDE, FULL)
