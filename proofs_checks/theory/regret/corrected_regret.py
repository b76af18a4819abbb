r"""corrected/i, corrected/ii, thm:main/greedy, thm:main/printed-radii: the corrected regret theorem itself, on
two-armed problems.

The learner is that of :mod:`.corrected_run`; its state holds the number of plays of each action, so the law of its
regret is computed exactly.  (i) bounds its expectation, (ii) its upper tail, and thm:main/greedy is the printed form:
run at delta/2, the regret exceeds the printed right side, even without its root of 5, with probability at most delta.
thm:main/printed-radii is the same with the printed radii.

At sizes that can be enumerated the bounds of the tails exceed K, so cases are weak evidence.  The theorem is
machine-checked, and the arithmetic that joins its lemmas has its own statements (corrected/i/sum, corrected/ii/sum,
corrected/iii).
"""

from dataclasses import replace
from fractions import Fraction

from verified_risk.numbers.enclosure import Truth, at_least

from ...engine.model import Claim, Formal, Real, Statement, at_most
from .. import reasons
from .corrected_run import STATEMENT as RUN
from .corrected_run import Case, law_of_regret, problem, two_rewards
from .regret_sizes import expected_bound, printed_bound, probable_bound


def _expected_slack(case: Case) -> Real:
    """L_G beta + delta KT - E[Reg], L_G = 1/alpha."""
    sizes, spare = problem(case), case.delta * case.episodes
    mean = sum((p * regret for regret, p in law_of_regret(case).items()), Fraction())
    return at_most(mean, (expected_bound(sizes) - spare) / case.alpha + spare)


def _within(case: Case, bound: Real) -> Fraction:
    """P[Reg <= bound], as far as the comparison is decided."""
    law = law_of_regret(case)
    return sum((p for regret, p in law.items() if at_least(bound, regret) is Truth.HOLDS), Fraction())


def _printed_slack(case: Case, share: int) -> Real:
    """P[Reg <= printed right side without its root of 5] - (1 - delta), the learner run at delta/share.  Here the
    printed log(6|S||A|K/delta) is the corrected logarithm at delta/4."""
    run = replace(case, delta=case.delta / share)
    return at_most(1 - _within(run, printed_bound(problem(case), inside=1) / case.alpha), case.delta)


def expected_printed_slack(case: Case) -> Real:
    """The printed right side without its root of 5, less E[Reg], the learner run at 1/KT."""
    law = law_of_regret(replace(case, delta=Fraction(1, case.episodes)))
    mean = sum((p * regret for regret, p in law.items()), Fraction())
    return at_most(mean, printed_bound(problem(case), inside=1) / case.alpha)


FAR = ("0.1", reasons.EPISODES)
VACUOUS = ("none", "the bound exceeds K in every course that can be enumerated: these cases are no evidence")


def _statement(
    label: str, title: str, claim: Claim[Case], uses: tuple[str, ...], theory: str, formal: Formal
) -> Statement[Case]:
    return Statement(
        label=label,
        title=title,
        corrected=claim,
        uses=uses,
        cases=RUN.cases,
        small_cases=RUN.small_cases,
        small_size=RUN.small_size,
        formal=formal,
        reaches={**reasons.FORM, "bound": FAR if label == "corrected/i" else VACUOUS},
        theory=theory,
        notes="The cases are two-armed problems with exact laws of regret; the theorem is for every finite model.",
        examples_share=RUN.examples_share,
    )


STATEMENTS = (
    _statement(
        "corrected/i",
        "the corrected theorem, in expectation",
        Claim(
            r"\mathbf E[\mathrm{Reg}] \le L_G\beta + \delta KT",
            "the corrected learner's expected regret is at most L_G beta + delta KT",
            _expected_slack,
            when=two_rewards,
        ),
        ("L0/adaptive", "L1/value", "L2/optimistic", "corrected/i/sum"),
        "08-regret.md#regret-i",
        Formal(proves=("optimistic_learner_expected_regret", "concave_learner_expected_regret")),
    ),
    _statement(
        "corrected/ii",
        "the corrected theorem, with high probability",
        Claim(
            r"P\bigl[\mathrm{Reg} \le \tfrac{e}{e-1} L_G [\beta + \tfrac{T(T+1)}2 \log\tfrac1\delta]\bigr] "
            r"\ge 1-2\delta",
            "with probability at least 1 - 2 delta the corrected learner's regret is within the stated bound",
            lambda case: at_most(1 - _within(case, probable_bound(problem(case)) / case.alpha), 2 * case.delta),
            when=two_rewards,
        ),
        ("corrected/i", "corrected/ii/sum", "martingale"),
        "08-regret.md#regret-ii",
        Formal(
            proves=("optimistic_learner_regret_with_high_probability", "concave_learner_regret_with_high_probability")
        ),
    ),
    _statement(
        "thm:main/greedy",
        "the printed bound for the corrected learner",
        Claim(
            r"P\bigl[\mathrm{Reg} \le 4T^{3/2}L_G|S|\sqrt{|S||A|K\log(4|S||A|K/\delta)}\bigr] \ge 1-\delta",
            "for concave G and a planner greedy at every (t, s, y), with the corrected radii at delta/2, the printed "
            "bound holds, even without its root of 5",
            lambda case: _printed_slack(case, 2),
            when=two_rewards,
        ),
        ("corrected/ii", "corrected/iii"),
        "08-regret.md#regret-iii",
        Formal(proves=("concave_learner_meets_printed_bound",)),
    ),
    _statement(
        "thm:main/printed-radii",
        "the printed bound with the printed radii",
        Claim(
            r"P\bigl[\mathrm{Reg} \le 4T^{3/2}L_G|S|\sqrt{|S||A|K\log(4|S||A|K/\delta)}\bigr] \ge 1-\delta, "
            r"\quad \epsilon = \sqrt{\log(6|S||A|K/\delta)/2N}",
            "for concave G and a planner greedy at every (t, s, y), with the printed radii, the printed bound holds, "
            "even without its root of 5",
            lambda case: _printed_slack(case, 4),
            when=two_rewards,
        ),
        ("L0/printed-radii", "thm:main/greedy"),
        "08-regret.md#printed-radii",
        Formal(proves=("printed_bound_holds_for_every_greedy_planner", "printed_bound_holds_with_printed_radii")),
    ),
)
PRINTED_RADII = STATEMENTS[-1]
