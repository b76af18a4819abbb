"""``plan.prove()``: write the certificate, run the checker, report what was proved."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import NotProved, Unsupported
from ..numbers.format import above, at_least, at_most, json_number
from ..planning.clock import Clock, TimeUp
from ..planning.result import Plan
from ..progress import Report, read_report
from .attempts import Judge, first_accepted
from .certificate import ByBudget, Certificate
from .curves import Curved
from .run_checker import Answer, find_checker, run_checker
from .same_policy import require_same_policy
from .write import Draft

THEOREM = "check_sound"
AXIOMS: tuple[str, ...] = (
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
)
"""The axioms of Coq's classical real numbers; ``make proofs`` prints them."""
CURVED_THEOREM = "check_curved_sound"
UPPER_THEOREM = "upper_quantiles_sound"
CURVED_AXIOMS = (*AXIOMS, "Classical_Prop.classic")
"""The axioms with the excluded middle, on which Coq's exponential and logarithm rest as well."""


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
    theorem, axioms, note = THEOREM, AXIOMS, ""
    if isinstance(accepted.objective, Curved):
        theorem = UPPER_THEOREM if accepted.objective.has_upper_quantiles else CURVED_THEOREM
        axioms, note = CURVED_AXIOMS, _slack(plan, accepted)
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
        theorem, axioms, answer.seconds, accepted.lower, accepted.upper, accepted.cells, len(text), note, digest,
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
