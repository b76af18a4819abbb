r"""assump:quantile: :math:`F_Z^\dagger(1) = T`.  Unnecessary, and not inherited by the empirical models it is used for.

The key identity holds without it.  A sample of a reward that can be 1 need not contain a 1.
"""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

import verified_risk as vr

from ...cases import strategies
from ...cases.enumeration import all_laws, every, grid, some_weightings
from ...cases.histories import weighted
from ...engine.model import Claim, Formal, Statement, at_most
from .. import causes
from .lem_key import key_identity


@dataclass(frozen=True)
class Case:
    """The law of a return in [0, T] and a weighting."""

    law: vr.Law
    horizon: int
    objective: vr.Weighting


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    horizon = draw(st.integers(1, 3))
    return Case(draw(strategies.laws(max_value=horizon)), horizon, draw(strategies.weightings(jumps=True)))


ATTAINED = Statement(
    label="assump:quantile",
    title="the assumption on the largest return is not needed",
    section="2",
    corrected=Claim(
        r"\Phi = T - \int_0^T G(F(x))\,dx \text{ for every law on } [0,T]",
        "The assumption can be dropped: the key identity holds on [0, T] for every law.",
        lambda case: key_identity(case.law, case.objective, Fraction(case.horizon)),
    ),
    cases=_cases,
    small_cases=lambda: every(Case, all_laws(grid("1/2"), 4), [1], some_weightings(jumps=True)),
    small_size="T = 1, all laws on {0, 1/2, 1} with masses in quarters, seven weightings",
    formal=Formal(proves=("key_identity",)),
    theory="01-setting.md#assump-quantile",
    notes="An assumption is not refuted. Line 166 glosses it as attained with some probability, which is so for laws "
    "with atoms; other laws only come arbitrarily near to T. Every counterexample of this audit survives a change of "
    "the model after which the assumption holds.",
)


@dataclass(frozen=True)
class SampleCase:
    """A reward law (T = 1) and a sample of it."""

    law: vr.Law
    sample: tuple[Fraction, ...]


def _empirical(case: SampleCase) -> vr.Law:
    count = len(case.sample)
    return weighted((r, Fraction(1, count)) for r in case.sample)


def _drawn_from_a_full_law(case: SampleCase) -> bool:
    return case.law.quantile(1) == 1 and all(case.law.mass(r) for r in case.sample)


@st.composite
def _sample_cases(draw: st.DrawFn) -> SampleCase:
    law = draw(strategies.laws())
    law = vr.Law.of_weights({**dict(list(law)[:-1]), Fraction(1): law.masses[-1]})
    seen = law.atoms if draw(st.integers(0, 4)) else (*law.atoms, Fraction(2))  # 2 is no reward of the law
    return SampleCase(law, tuple(draw(st.lists(st.sampled_from(seen), min_size=1, max_size=4))))


EMPIRICAL = Statement(
    label="assump:quantile/empirical",
    said="implied",
    title="the empirical model inherits the assumption",
    section="2",
    printed=Claim(
        r"F_R^\dagger(1) = 1 \Rightarrow F_{\tilde R}^\dagger(1) = 1",
        "If the reward can be 1, so can the reward of every empirical model of it.",
        lambda case: -abs(_empirical(case).quantile(1) - 1),
        when=_drawn_from_a_full_law,
    ),
    corrected=Claim(
        r"F_{\tilde R}^\dagger(1) \le F_R^\dagger(1)",
        "The largest reward of an empirical model is at most the largest reward.",
        lambda case: at_most(_empirical(case).quantile(1), case.law.quantile(1)),
        when=_drawn_from_a_full_law,
    ),
    cause=causes.LARGEST_RETURN,
    uses=("assump:quantile",),
    cases=_sample_cases,
    small_cases=lambda: (
        SampleCase(law, sample)
        for law in all_laws(grid("1/2"), 3)
        for first in law.atoms
        for sample in ((first,), *((first, second) for second in law.atoms))
    ),
    small_size="laws on {0, 1/2, 1} with masses in thirds, samples of one or two rewards",
    counterexample=SampleCase(vr.Law({0: "1/2", 1: "1/2"}), (Fraction(0),)),
    find_budget=50,
    formal=Formal(proves=("empirical_largest_le",)),
    theory="01-setting.md#assump-quantile",
    notes="The paper applies the key lemma to the empirical model (line 458). It does no harm: the identity on "
    "[0, T] needs no such assumption. The optimistic model of the paper does attain T, because every "
    "ordinary pair pays 1 with probability at least its radius.",
)

STATEMENTS = (ATTAINED, EMPIRICAL)
