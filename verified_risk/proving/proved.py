"""``plan.prove()`` and ``plan.recheck()``: write the certificate of a plan, have it read, report what was proved.

The verified checker reads for ``prove``, :mod:`verified_risk.proving.reader` for ``recheck``; the latter knows the text
alone and shares no code with the planner.  Both try certificates in the same order (:func:`first_accepted`).
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import InvalidPolicy, MissingDependency, NotProved, Unsupported
from ..numbers.enclosure import Truth
from ..numbers.format import above, at_least, at_most, json_number
from ..numbers.rational import ceil_div
from ..planning.affordable_law import PATIENT, evaluation_work
from ..planning.clock import Clock, TimeUp
from ..planning.result import Plan, Recheck
from ..policy.evaluation import return_law
from ..progress import Progress, Report, read_report
from .certificate import (
    ByBudget,
    ByCover,
    ByLaw,
    ByMarkov,
    CellGrid,
    Certificate,
    Curved,
    Quantile,
    numbers_of_any_length,
)
from .reader import read_certificate
from .run_checker import Answer, find_checker, run_checker
from .same_policy import require_same_policy
from .write import MOST_EXACT_BITS, Draft

THEOREM = "check_sound"
AXIOMS: tuple[str, ...] = (
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
)
"""The axioms of Coq's classical real numbers, and the excluded middle; ``make proofs`` prints them."""
CURVED_THEOREM = "check_curved_sound"
UPPER_THEOREM = "upper_quantiles_sound"


@dataclass(frozen=True)
class Proved:
    """Proof that the policy attains ``lower`` and none exceeds ``upper``, by a Coq theorem about the checker.

    ``lower`` is the plan's own unless ``note`` says why it is less.

    :param theorem: the theorem about the checker
    :param axioms: the axioms of the theorem, as reported by Coq
    :param seconds: the checker's running time
    :param lower: a lower bound on the policy's value
    :param upper: an upper bound on the value of every policy
    :param cells: pairs of a state and a budget, at all steps, that the checker computed
    :param size: characters of the certificate
    :param note: remarks on the bounds
    :param digest: SHA-256 of what was proved: objective, bounds and model, the certificate up to its proofs
    :param program: the file of the checker
    :param program_sha256: SHA-256 of that file, which its build recorded with the digest of the sources at hand
    :param answer: the checker's own words, with objective, claim, and digests of model and policy
    """

    theorem: str
    axioms: tuple[str, ...]
    seconds: float
    lower: Fraction
    upper: Fraction
    cells: int
    size: int
    note: str = ""
    digest: str = ""
    program: str = ""
    program_sha256: str = ""
    answer: str = ""

    @property
    def how(self) -> str:
        """Describe the theorem, its axioms and the time, to be shown beside a plan's bounds; and the proved bounds if
        they differ from the plan's."""
        proof = f"by {self.theorem} (Coq, classical reals), {self.cells} cells in {self.seconds:.2f} s"
        return f"{proof}: {at_least(self.lower)} to {at_most(self.upper)} ({self.note})" if self.note else proof

    @property
    def _run_by(self) -> str:
        return f"checked by {self.program} (SHA-256 {self.program_sha256[:16]}); " if self.program else ""

    def to_json(self) -> dict[str, Any]:
        """Return a JSON representation, with numbers both exact and as floats.

        :returns: plain lists, dicts, numbers and text
        """
        return {
            "lower": json_number(self.lower),
            "upper": json_number(self.upper),
            "theorem": self.theorem,
            "axioms": list(self.axioms),
            "seconds": round(self.seconds, 3),
            "cells": self.cells,
            "bytes": self.size,
            "statement_sha256": self.digest,
            "program": self.program,
            "program_sha256": self.program_sha256,
            "answer": self.answer,
            "note": self.note or None,
        }

    def __str__(self) -> str:
        shown = f"= {self.lower}" if self.lower == self.upper else f"in [{at_least(self.lower)}, {at_most(self.upper)}]"
        note = f" ({self.note})" if self.note else ""
        return (
            f"proved: best over all policies {shown}, the lower bound attained by the plan's policy{note}; "
            f"by {self.theorem}, on the axioms of the classical reals; {self._run_by}"
            f"{self.cells} cells, {self.size} bytes, {self.seconds:.2f} s"
        )


def prove(
    plan: Plan,
    *,
    certificate: str | os.PathLike[str] | None = None,
    seconds: float | None = None,
    progress: Report | None = None,
) -> Proved:
    """Confirm the bounds of ``plan`` with the verified checker; raise :class:`NotProved` if it refuses.

    The certificate is kept in the file ``certificate``.  Raise :class:`Unsupported`, "not covered", if the checker has
    no proof for the case, and :class:`MissingDependency`, with instructions, if the checker is not built.
    """
    find_checker()
    clock = Clock(seconds)
    judge = Judge(_run, read_report(progress), clock)
    with tempfile.TemporaryDirectory(prefix="verified-risk-") as folder:
        file = Path(folder) / "certificate.txt"
        try:
            judge.say("writing the model in integers")
            accepted, answer = first_accepted(Draft.of(plan, clock), judge, file)
            judge.say("comparing the policy of the certificate with the plan's")
            require_same_policy(plan.policy, accepted)
        except TimeUp:
            raise Unsupported(
                f"not covered: the time limit of {seconds:g} s is reached while {judge.doing}; more time may help"
            ) from None
        if certificate is not None:
            Path(certificate).write_bytes(file.read_bytes())
        text = file.read_bytes()
    theorem, note = THEOREM, ""
    if isinstance(accepted.objective, Curved):
        theorem = UPPER_THEOREM if accepted.objective.has_upper_quantiles else CURVED_THEOREM
        note = _slack(plan, accepted)
    elif accepted.lower != plan.lower:
        least = isinstance(accepted.low, ByBudget) and accepted.low.by_cells
        what = "is the least return" if least else "on a grid that rounds rewards is not covered"
        note = f"the plan states {at_least(plan.lower)}, which {what}"
    wanted = f"proved by {theorem}; {_stated(text)}; "
    if not answer.line.startswith(wanted):
        raise NotProved(f"the checker says {answer.line!r:.160}, wanted {wanted!r:.160}")
    digest = hashlib.sha256(text.partition(b"\nlower ")[0]).hexdigest()
    before = (plan.proved_before or {}).get("statement_sha256")
    if before is not None and before != digest:
        note = "; ".join(filter(None, [note, "the file of the plan says that something else was proved"]))
    return Proved(
        theorem, AXIOMS, answer.seconds, accepted.lower, accepted.upper, accepted.cells, len(text), note, digest,
        str(answer.program.path) if answer.program else "", answer.program.sha256 if answer.program else "",
        answer.line,
    )  # fmt: skip


def _stated(text: bytes) -> str:
    """Return what the checker must say that it proved: objective and claim, and digests of model and policy."""
    words = text.decode("ascii").split()
    model = words.index("discount")
    lower = words.index("lower", model)
    curves = next((i for i in range(model, lower) if words[i] in ("room", "places")), lower)
    parts = words[model:curves], words[lower : words.index("upper", lower)]
    digests = [hashlib.md5(" ".join(part).encode(), usedforsecurity=False).hexdigest() for part in parts]
    asked = " ".join(words[words.index("objective") : model])
    return f"{asked}; model {digests[0]}; policy {digests[1]}"


def _run(file: Path, certificate: Certificate, clock: Clock) -> Answer:
    return run_checker(file, certificate.widest, seconds=None if clock.seconds is None else clock.left)


def _slack(plan: Plan, accepted: Certificate) -> str:
    """Describe what the points of a weighting that is not piecewise linear cost the plan's bounds."""
    lower, upper = plan.lower - accepted.lower, accepted.upper - plan.upper
    return (
        f"slack of the curve: {above(lower, 2)} below the plan's lower bound, {above(upper, 2)} above its upper bound"
    )


# -- recheck -----------------------------------------------------------------------------------------------------------


ROUTES = {
    ByMarkov: "mean of the policy",
    ByBudget: "budgets of the policy",
    ByLaw: "law of the policy's return",
    "mean": "largest mean",
    "budgets": "budgets of all policies",
    "cells": "budgets of all policies",
    "threshold": "least probability over all policies",
    ByCover: "boxes of CDFs",
}


def recheck(plan: Plan, seconds: float | None = None, progress: Report | None = None) -> Recheck:
    """Confirm or refute the bounds of ``plan`` by its certificate; what the certificate leaves open is *unknown*."""
    judge, why, failed = Judge(read, progress, Clock(seconds), short=True), "", False
    with tempfile.TemporaryDirectory(prefix="verified-risk-") as folder:
        file = Path(folder) / "certificate.txt"
        try:
            judge.say("writing the model in integers")
            draft = Draft.of(plan, judge.clock, sharp=True)
            try:
                first_accepted(draft, judge, file)
            except NotProved as error:
                why, failed = str(error), True
            except (Unsupported, InvalidPolicy, MissingDependency) as error:
                why = str(error)
            if judge.lower is None and not failed:
                judge.ask(draft.without_cover(), file)
        except TimeUp:
            why = f"not covered: the time limit of {seconds:g} s is reached while {judge.doing}"
        except (Unsupported, InvalidPolicy, MissingDependency) as error:
            why = why or str(error)
    known = not plan.known_error and evaluation_work(plan.mdp, plan.policy) <= PATIENT and not judge.clock.late()
    stated = plan.known_law if known else None
    if stated is not None and return_law(plan.mdp, plan.policy) != stated:
        other = "the exact law of the policy is not the law that the plan states"
        return Recheck(None, None, other, other, Truth.FAILS, Truth.UNKNOWN)
    return _found(plan, judge, why, failed)


def _found(plan: Plan, judge: Judge, why: str, failed: bool) -> Recheck:
    """Compare what was proved with the plan; ``failed`` if lossless tables contradict the bound asked for last."""
    low, up = judge.lower, judge.upper
    lower_holds, upper_holds, lower_route, upper_route = Truth.UNKNOWN, Truth.UNKNOWN, why, why
    if low is None:
        lower_holds = Truth.FAILS if failed else Truth.UNKNOWN
    else:
        lower_route = _route(low.low)
        lower_holds = Truth.HOLDS if low.lower >= plan.lower else Truth.UNKNOWN
        try:
            require_same_policy(plan.policy, low)
        except NotProved as error:
            return Recheck(None, None, str(error), str(error), Truth.FAILS, Truth.UNKNOWN)
        if low.lower > plan.upper or (failed and not isinstance(low.up, ByCover)):
            upper_holds = Truth.FAILS
    if up is not None:
        upper_route = _route(up.up)
        upper_holds = Truth.HOLDS if up.upper <= plan.upper else Truth.UNKNOWN
    lower, upper = None if low is None else low.lower, None if up is None else up.upper
    return Recheck(lower, upper, lower_route, upper_route, lower_holds, upper_holds)


def _route(proof: Any) -> str:
    cells = ", in cells" if isinstance(getattr(proof, "grid", None), CellGrid) else ""
    return f"{ROUTES[getattr(proof, 'kind', type(proof))]}{cells}, in integers"


def read(file: Path, certificate: Certificate, clock: Clock) -> Answer:
    """Return the answer of the reader in Python to a file that holds the certificate."""
    began = time.monotonic()
    with file.open("rb") as text:
        line = read_certificate(text, clock.require, widest=max(certificate.widest, 1))
    return Answer(line == "proved", line, time.monotonic() - began, None)


# -- the order of attempts ---------------------------------------------------------------------------------------------


MOST_CELLS = 300_000_000
"""Maximum number of cells of a certificate's tables: the checker processes about two million per second."""
LEAST_BITS = 20
"""Fewest fractional bits of a table that is worth an attempt."""

Reader: TypeAlias = Callable[[Path, Certificate, Clock], Answer]
"""Reads the file of a certificate within the time of a clock."""


class Judge:
    """Writes certificates, has them read, and reports progress; ``short`` scales are tried first if set."""

    doing = ""
    lower: Certificate | None = None
    """The certificate with the largest lower bound proved so far."""
    upper: Certificate | None = None
    """The certificate that was accepted."""

    def __init__(self, read: Reader, progress: Report | None, clock: Clock, *, short: bool = False) -> None:
        self.read, self.progress, self.clock, self.short = read, progress, clock, short

    def say(self, doing: str) -> None:
        """Report the next step, if there is time for it."""
        self.doing = doing
        self.clock.require()
        if self.progress is not None:
            self.progress(Progress(self.clock.spent, doing=doing))

    def ask(self, certificate: Certificate, file: Path) -> Answer:
        if certificate.cells > MOST_CELLS:
            cells = certificate.cells if certificate.cells < 10**12 else "over a million million"
            raise Unsupported(f"not covered: tables of {cells} cells, more than {MOST_CELLS}")
        pieces = written = 0
        with numbers_of_any_length(), file.open("w", encoding="ascii") as out:
            for piece in certificate.lines():
                written += out.write(piece)
                pieces += 1
                if pieces % 100 == 0:
                    self.say(f"writing the certificate, {written / 1e6:.1f} MB")
        self.say(f"checking {certificate.cells} cells")
        answer = self.read(file, certificate, self.clock)
        if answer.proved:
            self.upper = certificate
        if answer.proved or answer.refuses_upper:  # the lower bound is tested first
            self.lower = certificate if self.lower is None or self.lower.lower < certificate.lower else self.lower
        return answer


def first_accepted(draft: Draft, judge: Judge, file: Path) -> tuple[Certificate, Answer]:
    """Return the first attempt that the checker accepts, and its answer.

    :raises NotProved: if lossless tables contradict a bound
    :raises Unsupported: if the last answer leaves open whether the plan is right
    """
    answer: Answer | None = None
    judge.say("looking for a certificate")
    for attempt in _attempts(draft, judge.short):
        answer = judge.ask(attempt, file)
        if answer.proved:
            return attempt, answer
        for weaker in _weaker(draft, attempt, answer):
            answer = judge.ask(weaker, file)
            if answer.proved:
                return weaker, answer
        if answer.not_covered:
            raise Unsupported(answer.line)
    assert answer is not None
    if draft.doubts and answer.refuses_upper:
        raise Unsupported(f"not covered: {draft.doubts[-1]}")
    why = answer.line.removeprefix("refused: ")
    if draft.decides_lower if answer.refuses_lower else draft.decides_upper and answer.refuses_upper:
        raise NotProved(f"the checker does not confirm the plan: {why}")
    raise Unsupported(f"not covered: the checker answers, {why}")


def _attempts(draft: Draft, short: bool) -> Iterator[Certificate]:
    """Yield lossless tables if they are cheap; otherwise fixed point, then a finer one, then exact tables.

    ``short``: at first with a scale whose tables fit a machine word.
    """
    if draft.between:
        yield from _attempts_by_cells(draft)
        return
    if isinstance(draft.objective, Curved):
        yield from draft.curved_certificates(draft.objective)
        draft = draft.everywhere()
        assert isinstance(draft.objective, Curved)
        yield from draft.curved_certificates(draft.objective)
        finer = draft.finer()
        if finer is not None:  # the planner knows the greatest return, which rounding may exceed
            yield from draft.curved_certificates(draft.objective, finer)
        return
    bits = draft.fixed_bits()
    if draft.cells is not None:
        yield from _discounted_attempts(draft, bits, draft.word_bits() - 14 if short else bits)
        return
    first = draft.certificate(exact=False, bits=bits)
    cheap = draft.exact_is_cheap(first.cells)
    if not cheap and draft.plan.gap:
        if short and LEAST_BITS <= draft.word_bits() < bits:
            yield draft.certificate(exact=False, bits=draft.word_bits())
        yield first
        yield draft.certificate(exact=False, bits=bits + 8)
        yield draft.certificate(exact=False, bits=bits + 40)
    if cheap or draft.exact_bits() <= MOST_EXACT_BITS:
        yield draft.certificate(exact=True, bits=bits)
    else:
        yield draft.certificate(exact=False, bits=MOST_EXACT_BITS)
    finer = draft.finer()
    if finer is not None:  # as above
        yield draft.certificate(exact=True, bits=bits, finer=finer)


def _attempts_by_cells(draft: Draft) -> Iterator[Certificate]:
    """Yield a cover by cells and, if that is refused or not found, one of cells half as wide."""
    for halved, one in enumerate((draft, replace(draft, between=draft.between / 2))):
        try:
            if isinstance(one.objective, Curved):
                one = one.everywhere() if halved else one
                assert isinstance(one.objective, Curved)
                yield from one.curved_certificates(one.objective)
            else:
                yield replace(one, halved=halved).certificate(exact=False, bits=draft.fixed_bits())
        except Unsupported:
            if halved or draft.clock.late():
                raise


def _discounted_attempts(draft: Draft, bits: int, word: int) -> Iterator[Certificate]:
    """Yield certificates by the law of the return if the planner could compute it, otherwise by cells.

    Where the planner is sharper than the checker, at the node from which it treats a table as linear, a grid halved
    once or twice compensates, for either bound.
    """
    if LEAST_BITS <= word < bits:
        yield from (replace(draft, halved=halved).certificate(exact=False, bits=word) for halved in range(2))
    for halved in range(3):
        one = replace(draft, halved=halved)
        yield one.certificate(exact=False, bits=bits)
        if not draft.by_cells and one.exact_bits() <= MOST_EXACT_BITS:
            yield one.certificate(exact=True, bits=bits)
    finer = draft.finer()
    if finer is not None:
        yield draft.certificate(exact=True, bits=bits, finer=finer)


def _weaker(draft: Draft, attempt: Certificate, answer: Answer) -> Iterator[Certificate]:
    """Yield attempts with provable lower bounds on a grid that rounds rewards: the one the checker names, or grid
    points less what rounding can have added; between nodes only for the least return, which the planner knows."""
    unit = draft.charges.unit
    loss = draft.model.loss(unit)
    trivial = draft.cells is not None and draft.plan.lower == draft.plan.mdp.remaining_range(0)[0]
    if not (trivial if draft.cells is not None else loss) or not answer.refuses_lower:
        return
    if answer.provable is not None:
        yield replace(attempt, lower=answer.provable)
    elif isinstance(draft.objective, Quantile):
        nearest = -ceil_div(-(draft.plan.lower + loss), unit)
        for index in range(nearest, nearest - 2 - ceil_div(loss, unit), -1):
            yield replace(attempt, lower=index * unit - loss)
