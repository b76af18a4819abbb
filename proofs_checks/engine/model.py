r"""What a claim, a statement and a piece of evidence are.

A **claim** is a formula with an exact ``slack(case)``; it holds of a case if and only if the slack is nonnegative.  A
boolean would throw the margin away; a slack gives the worst case, shrinking, targeting and a report column for free.
An equation ``a = b`` has slack ``-|a - b|`` (see :func:`equality`).

A **statement** is one sentence of the paper: its printed claim, its corrected claim, what it uses, a strategy and an
exhaustive enumeration of cases, and a counterexample to the printed claim where there is one.

**Evidence** has a rank, and the rank is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from verified_risk.numbers.enclosure import Interval, Real, Truth, at_least, bounds

from . import codec
from .papers import AUDITED
from .severity import Cause, Severity
from .symbolic import Proof

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Case = TypeVar("Case")

Said: TypeAlias = Literal["printed", "implied", "tempting", "reported"]
"""How the paper makes a claim: as a formula or sentence; by what it uses or suggests; not at all, it is a reading; so
it was reported to us, and we have not seen it in print."""


class Verdict(Enum):
    """What the cases seen so far say of a claim.  ``UNKNOWN`` never reads as ``STANDS``."""

    STANDS = "stands"
    REFUTED = "refuted"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("a verdict has no bool: compare with Verdict.STANDS, REFUTED or UNKNOWN")


class Rank(IntEnum):
    """How strong a piece of evidence is."""

    CITED = 0
    RANDOM = 1
    EXHAUSTIVE = 2
    SYMBOLIC = 3
    MACHINE_CHECKED = 4

    def __str__(self) -> str:
        return self.name.lower().replace("_", "-")


@dataclass(frozen=True)
class Evidence:
    """Support for a claim; ``detail`` says how much, or where: ``"1200 cases, seed 0"``, ``"T <= 2"``, a citation.

    >>> print(Evidence(Rank.RANDOM, "1200 cases, seed 0"))
    random (1200 cases, seed 0)
    """

    rank: Rank
    detail: str

    def __str__(self) -> str:
        return f"{self.rank} ({self.detail})"


def always(case: Any) -> bool:
    """No hypotheses."""
    return True


@dataclass(frozen=True)
class Claim(Generic[Case]):
    r"""``formula`` (LaTeX, our symbols) in one sentence of ``words``; it holds of a case iff ``slack(case) >= 0``.

    ``when(case)`` are the hypotheses.  Cases outside them say nothing and are counted apart.
    """

    formula: str
    words: str
    slack: Callable[[Case], Real]
    when: Callable[[Case], bool] = always

    def verdict(self, case: Case) -> Verdict | None:
        """Does the claim hold of this case?  None if the case does not meet the hypotheses."""
        return verdict_of(self.slack(case)) if self.when(case) else None


def verdict_of(slack: Real) -> Verdict:
    """``slack >= 0``, three-valued."""
    return {Truth.HOLDS: Verdict.STANDS, Truth.FAILS: Verdict.REFUTED, Truth.UNKNOWN: Verdict.UNKNOWN}[
        at_least(slack, Fraction())
    ]


def equality(left: Real, right: Real) -> Real:
    """The slack ``-|left - right|`` of an equation; it holds iff both sides are exactly equal."""
    low, high = bounds(left - right)
    if low == high:
        return -abs(low)
    nearest = Fraction() if low <= 0 <= high else min(abs(low), abs(high))
    return Interval(-max(abs(low), abs(high)), -nearest)


def least(*slacks: Real) -> Real:
    """The slack of a conjunction."""
    low = min(bounds(slack)[0] for slack in slacks)
    high = min(bounds(slack)[1] for slack in slacks)
    return low if low == high else Interval(low, high)


@dataclass(frozen=True)
class Formal:
    """The Coq theorems about a statement, by name; ``docs/theory/formal.md`` lists them.

    Each of ``proves`` is the corrected claim, under the hypotheses given there; ``parts`` prove it together.  Each of
    ``refutes`` is the negation of the printed claim.  ``steps`` are used in proofs and are no evidence by themselves.
    ``missing`` says why a statement has no proof.  ``counterexample`` says how the counterexample in Coq differs from
    the executable one, :attr:`Statement.counterexample`.
    """

    proves: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    refutes: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    missing: str = ""
    counterexample: str = ""


as_html: list[Callable[[Statement[Any]], str]] = []
"""How a statement is shown in a notebook; ``proofs_checks.report`` appends to it, nothing here knows of pages."""


def _no_cases() -> Iterator[Any]:
    return iter(())


@dataclass(frozen=True, kw_only=True)
class Statement(Generic[Case]):
    """One sentence of the paper (or of the corrected theory), executable.

    ``cases()`` is a hypothesis strategy; ``small_cases()`` enumerates every case up to the size described by
    ``small_size``.  ``counterexample`` is a minimal case on which the printed claim fails; ``find_budget`` is the
    number of cases within which the strategy alone finds one.  ``proof`` proves the corrected claim by polynomials;
    ``formal`` names the Coq theorems; ``theory`` is the anchor of the proof in words in ``docs/theory``.
    ``said`` tells how the paper makes the claim: *printed* as a formula or sentence, *implied* by what it uses or
    suggests, *tempting*, a reading that is not in it, or *reported*, not seen by us in print; ``finding`` how grave the
    fault is, ``cause`` its root.
    ``examples_share`` scales the number of random cases of an audit where a case is expensive; fewer than ``least_met``
    cases that meet the hypotheses count as a vacuous check, which is a failure.  ``source`` is the defining file,
    ``__file__``; ``paper`` the key of the paper that it is about (:mod:`.papers`).
    """

    label: str
    title: str
    section: str
    paper: str = AUDITED
    said: Said = "printed"
    printed: Claim[Case] | None
    corrected: Claim[Case] | None
    finding: Severity
    cause: Cause | None = None
    cases: Callable[[], SearchStrategy[Case]]
    small_cases: Callable[[], Iterator[Case]] = _no_cases
    small_size: str = ""
    uses: tuple[str, ...] = ()
    counterexample: Case | None = None
    encode: Callable[[Case], dict[str, Any]] = codec.encode_case
    decode: Callable[[dict[str, Any]], Case] | None = None
    find_budget: int = 0
    proof: Proof | None = None
    formal: Formal = Formal()
    theory: str = ""
    notes: str = ""
    evidence: tuple[Evidence, ...] = field(default=())
    examples_share: float = 1.0
    least_met: int = 10
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "finding", Severity(self.finding))
        if self.printed is None and self.corrected is None:
            raise ValueError(f"{self.label} claims nothing: wanted a printed or a corrected claim")
        if self.counterexample is not None and self.printed is None:
            raise ValueError(f"{self.label} has a counterexample but no printed claim to refute")

    @property
    def true_claim(self) -> Claim[Case] | None:
        """The claim that is meant to be true: the corrected one, or the printed one where the audit found no fault."""
        if self.corrected is not None:
            return self.corrected
        return self.printed if not self.finding.is_false else None

    @property
    def should_be_refuted(self) -> bool:
        """Whether the printed claim is false and a counterexample is owed."""
        return self.printed is not None and self.finding.is_false

    def __str__(self) -> str:
        """Label, title, finding, and the claims in words.

        >>> from proofs_checks import by_label
        >>> print(by_label("lem:pihatphibound"))
        lem:pihatphibound: adapting a policy to unrounded rewards loses at most eta (holds)
          printed: The adapted policy is worth at least the original minus eta.
        """
        lines = [f"{self.label}: {self.title} ({self.finding})"]
        if self.printed is not None:
            lines.append(f"  {self.said}: {self.printed.words}")
        if self.corrected is not None:
            lines.append(f"  true: {self.corrected.words}")
        return "\n".join(lines)

    def _repr_html_(self) -> str | None:
        """For a notebook, where the side that makes pages has registered how (:data:`as_html`)."""
        return as_html[-1](self) if as_html else None

    def read(self, instance: dict[str, Any]) -> Case:
        """The case that a JSON instance encodes."""
        if self.decode is not None:
            return self.decode(instance)
        if self.counterexample is None:
            raise ValueError(f"{self.label} cannot decode: give decode=codec.decoder(Case) or a counterexample")
        return codec.decode_case(type(self.counterexample), instance)
