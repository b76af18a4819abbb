"""Certificates of a plan in the order in which they are tried, and the first that a reader accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from ..errors import NotProved, Unsupported
from ..numbers.rational import ceil_div
from ..planning.clock import Clock
from ..progress import Progress, Report
from .certificate import Certificate, Quantile, numbers_of_any_length
from .curves import Curved
from .run_checker import Answer
from .write import MOST_EXACT_BITS, Draft

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
    if isinstance(draft.objective, Curved):
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
