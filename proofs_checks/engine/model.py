r"""Claims, statements and evidence.

A **claim** is a formula with an exact ``slack(case)``; it holds in a case if and only if the slack is nonnegative.
Unlike a boolean, a slack has a worst case, which the search minimises and the report prints.  An equation ``a = b`` has
slack ``-|a - b|`` (see :func:`equality`), an inequality ``a <= b`` has slack ``b - a`` (see :func:`at_most`), a
conjunction the least slack (see :func:`least`).  These three remember their sides, part by part: a search climbs on the
relative slack of each part, and :mod:`.power` multiplies the greater side of each by a factor.

A **statement** is one sentence of the paper: its printed claim, its corrected claim, the statements it uses, a strategy
and an exhaustive enumeration of cases, and a counterexample if the printed claim is false.

**Evidence** has a rank, from a citation to a machine-checked proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from verified_risk.errors import InvalidArgument
from verified_risk.numbers.enclosure import Interval, Truth, at_least, between, bounds
from verified_risk.numbers.enclosure import Real as Real  # the type of a slack, for the modules with statements

from . import codec, shown
from .papers import Paper
from .severity import Cause, Severity
from .symbolic import Proof

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Case = TypeVar("Case")

Said: TypeAlias = Literal["printed", "implied", "inherited", "tempting"]
"""How the paper makes a claim: as a formula or sentence; by what it uses or suggests; in print, but with the fault of
another claim, which is counted there; or not at all (a tempting reading)."""


class Verdict(Enum):
    """The verdict of the cases seen so far; ``UNKNOWN`` is not ``STANDS``."""

    STANDS = "stands"
    REFUTED = "refuted"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("a verdict has no bool: compare with Verdict.STANDS, REFUTED or UNKNOWN")


class Rank(IntEnum):
    """The strength of a piece of evidence."""

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
    """Return True: a claim without hypotheses."""
    return True


class Hypotheses:
    """The conjunction of named hypotheses; a search reports which of them its cases notice."""

    def __init__(self, **parts: Callable[[Any], bool]) -> None:
        self.parts = parts

    def __call__(self, case: Any) -> bool:
        return all(part(case) for part in self.parts.values())


@dataclass(frozen=True)
class Claim(Generic[Case]):
    r"""A ``formula`` (LaTeX, our symbols), also in ``words``; it holds in a case iff ``slack(case) >= 0``.

    ``when(case)`` are the hypotheses, one or several (:class:`Hypotheses`).  Cases that do not meet them are counted
    separately.
    """

    formula: str
    words: str
    slack: Callable[[Case], Real]
    when: Callable[[Case], bool] = always

    @property
    def hypotheses(self) -> dict[str, Callable[[Case], bool]]:
        """The hypotheses by name; one without a name is called ``"hypotheses"``."""
        named = self.when.parts if isinstance(self.when, Hypotheses) else {"hypotheses": self.when}
        return {} if self.when is always else named

    def verdict(self, case: Case) -> Verdict | None:
        """The verdict in one case; None if the case does not meet the hypotheses."""
        slack = self.evaluate(case)
        return None if slack is None else verdict_of(slack)

    def evaluate(self, case: Case) -> Real | None:
        """The slack in one case; None if the case does not meet the hypotheses.  An error raised by the claim gets the
        case as a note.  ``InvalidArgument`` if the slack is no exact number."""
        try:
            if not self.when(case):
                return None
            slack = self.slack(case)
            if isinstance(slack, bool) or not isinstance(slack, (int, Fraction, Interval)):
                meant = ": at_most(a, b) is the slack of a <= b, equality(a, b) that of a = b"
                wanted = f"wanted a Fraction, an int or an Interval{meant if 'bool' in type(slack).__name__ else ''}"
                said = self.words or self.formula or "the claim"
                raise InvalidArgument(f"the slack of {said!r} is {slack!r}, a {type(slack).__name__}, {wanted}")
        except Exception as error:
            error.add_note(f"in the case\n{shown.text(case)}")
            raise
        return slack


def verdict_of(slack: Real) -> Verdict:
    """The verdict for a slack, three-valued."""
    return {Truth.HOLDS: Verdict.STANDS, Truth.FAILS: Verdict.REFUTED, Truth.UNKNOWN: Verdict.UNKNOWN}[
        at_least(slack, Fraction())
    ]


@dataclass(frozen=True)
class Part:
    """A conjunct ``small <= large`` of a claim, or ``small = large``; ``small`` is None if only a slack is known."""

    name: str
    small: Real | None
    large: Real
    equation: bool = False

    def slack(self, factor: Fraction | int = 1) -> Real:
        """The slack after the greater side is multiplied by ``factor``."""
        if self.small is None:
            return self.large
        low, high = bounds(factor * self.large - self.small)
        if not self.equation:
            return between(low, high)
        nearest = Fraction() if low <= 0 <= high else min(abs(low), abs(high))
        return between(-max(abs(low), abs(high)), -nearest)

    def ratio(self) -> Fraction:
        """A rational up to ``small / large``: with a lesser factor the part fails; 0 if none is known to do that."""
        if self.small is None:
            return Fraction()
        small, large = bounds(self.small), bounds(self.large)
        if self.equation and large[1] < 0:
            small, large = bounds(-self.small), bounds(-self.large)
        return small[0] / large[1] if small[0] > 0 and large[0] > 0 else Fraction()

    def closeness(self) -> float | None:
        """Minus the slack, divided by the size of both sides; None where both are 0."""
        if self.small is None:
            return -float(self.large)
        (a, b), (c, d) = bounds(self.small), bounds(self.large)
        size = max(abs(a), abs(b)) + max(abs(c), abs(d))
        return float(-sum(bounds(self.slack())) / 2 / size) if size else None


class _ExactSlack(Fraction):
    parts: tuple[Part, ...]


class _EnclosedSlack(Interval):
    parts: tuple[Part, ...]


def _of_parts(parts: tuple[Part, ...]) -> Real:
    """The least slack of the parts, as a number that remembers them."""
    ends = [bounds(part.slack()) for part in parts]
    low, high = min(low for low, _ in ends), min(high for _, high in ends)
    slack: Any = _ExactSlack(low) if low == high else _EnclosedSlack(low, high)
    object.__setattr__(slack, "parts", parts)
    return slack  # type: ignore[no-any-return]


def parts_of(slack: Real) -> tuple[Part, ...]:
    """The parts of a slack; a plain number is one part without sides."""
    return getattr(slack, "parts", None) or (Part("slack", None, slack),)


def equality(left: Real, right: Real, name: str = "equation") -> Real:
    """The slack ``-|left - right|`` of an equation; it holds iff both sides are exactly equal."""
    return _of_parts((Part(name, left, right, equation=True),))


def at_most(small: Real, large: Real, name: str = "bound") -> Real:
    """The slack ``large - small`` of an inequality; ``name`` distinguishes it from other parts of the same claim.

    >>> str(at_most(Fraction(1, 2), Fraction(2)))
    '3/2'
    """
    return _of_parts((Part(name, small, large),))


def least(*slacks: Real) -> Real:
    """The slack of a conjunction: the least of the slacks."""
    return _of_parts(tuple(part for slack in slacks for part in parts_of(slack)))


@dataclass(frozen=True)
class Formal:
    """The Coq theorems about a statement, by name; ``docs/theory/formal.md`` lists them.

    Each of ``proves`` is the corrected claim, under the hypotheses given there; ``parts`` prove it together.  Each of
    ``refutes`` is the negation of the printed claim.  ``missing`` says why a statement has no proof.
    ``counterexample`` says how the counterexample in Coq differs from :attr:`Statement.counterexample`.
    """

    proves: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    refutes: tuple[str, ...] = ()
    missing: str = ""
    counterexample: str = ""


Check: TypeAlias = Callable[[dict[str, Any]], tuple[Any, str, Any]]
"""From the instance of a certificate, with the standard library alone, ``(left, relation, right)`` of the printed
claim; the relation is ``"<="``, ``">="`` or ``"="``."""


@dataclass(frozen=True, kw_only=True)
class Statement(Generic[Case]):
    """One sentence of the paper (or of the corrected theory), executable.

    ``cases()`` is a hypothesis strategy; ``small_cases()`` enumerates every case up to the size described by
    ``small_size``.  ``counterexample`` is a minimal case on which the printed claim fails; ``find_budget`` is the
    number of cases within which the strategy alone finds one; ``recheck`` recomputes both sides of the printed claim
    from a certificate's instance (:data:`Check`).  ``proof`` proves the corrected claim by polynomials;
    ``formal`` names the Coq theorems; ``theory`` is the anchor of the proof in words in ``docs/theory``.
    ``said`` is how the paper makes the claim (:data:`Said`); ``cause`` is the root of its fault, ``finding`` the
    severity, by default that of the cause.  ``reaches`` names parts of the true claim whose bound, multiplied by 0.99,
    random cases do not refute: the factor that they refute and the reason (:mod:`.power`).  ``examples_share`` scales
    the number of random cases; fewer than ``least_met`` cases that meet the hypotheses are a vacuous check, which
    fails.  ``source`` is the defining file, by default that of the slack; ``paper`` is the paper that makes the claim,
    None for a claim of one's own.
    """

    label: str
    title: str
    section: str = ""
    paper: Paper | None = None
    said: Said = "printed"
    printed: Claim[Case] | None = None
    corrected: Claim[Case] | None = None
    finding: Severity = Severity.HOLDS
    cause: Cause | None = None
    cases: Callable[[], SearchStrategy[Case]]
    small_cases: Callable[[], Iterator[Case]] = lambda: iter(())
    small_size: str = ""
    uses: tuple[str, ...] = ()
    counterexample: Case | None = None
    encode: Callable[[Case], dict[str, Any]] = codec.encode_case
    decode: Callable[[dict[str, Any]], Case] | None = None
    recheck: Check | None = None
    find_budget: int = 0
    proof: Proof | None = None
    formal: Formal = Formal()
    theory: str = ""
    notes: str = ""
    evidence: tuple[Evidence, ...] = field(default=())
    reaches: dict[str, tuple[str, str]] = field(default_factory=dict)
    examples_share: float = 1.0
    least_met: int = 10
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        finding = Severity(self.finding)
        if finding is Severity.HOLDS and self.cause is not None:
            finding = self.cause.severity
        object.__setattr__(self, "finding", finding)
        if self.printed is None and self.corrected is None:
            raise ValueError(f"{self.label} claims nothing: wanted a printed or a corrected claim")
        if self.counterexample is not None and self.printed is None:
            raise ValueError(f"{self.label} has a counterexample but no printed claim to refute")
        if not self.source:
            claim = self.printed or self.corrected
            object.__setattr__(
                self, "source", getattr(getattr(claim and claim.slack, "__code__", None), "co_filename", "")
            )

    @property
    def true_claim(self) -> Claim[Case] | None:
        """The corrected claim, or the printed one if the audit found no fault; None if there is neither."""
        if self.corrected is not None:
            return self.corrected
        return self.printed if not self.finding.is_false else None

    @property
    def should_be_refuted(self) -> bool:
        """True if the printed claim is false, so that it needs a counterexample."""
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

    def _repr_html_(self) -> str:
        from proofs_checks.report.page import statement_html  # not relative, as evidence does not rest on it

        return statement_html(self)

    def read(self, instance: dict[str, Any]) -> Case:
        """Decode the case of a JSON instance."""
        if self.decode is not None:
            return self.decode(instance)
        example = next(self.small_cases(), None) if self.counterexample is None else self.counterexample
        if example is None:
            raise ValueError(f"{self.label} cannot decode: give decode=, small_cases= or a counterexample")
        return codec.decode_case(type(example), instance)
