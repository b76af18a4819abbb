"""Run every statement: look for the least slack of what should be true, and refute again what is false.

The result is a :class:`.ledger.Ledger`.  An audit fails when

* a claim that should be true is refuted, or could not be decided,
* a printed claim that should be refuted is not: neither by its stored counterexample, rechecked by the standalone
  checker, nor by the generator alone within its budget, or the counterexample also hits the correction,
* a check was vacuous: too few cases met the hypotheses,
* a step of a symbolic proof does not hold, or the proof does not notice its planted error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

from verified_risk.numbers.enclosure import Real, bounds
from verified_risk.pool import Pool

from .. import recheck
from ..evidence.coq.record import machine_checked
from . import certificate, search, sources
from .ledger import ClaimText, Enumerated, FoundAgain, Ledger, Refutation, Row, Sampled, Support
from .model import Claim, Evidence, Rank, Statement, Verdict

DEFAULT_EXAMPLES = 200
ENOUGH_EXAMPLES = 50  # a shorter audit wants fewer cases that meet the hypotheses, in proportion
LEAST_SHARE_MET = 20  # at least one random case in so many must meet the hypotheses


def run(
    statements: Sequence[Statement[Any]],
    examples: int = DEFAULT_EXAMPLES,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda label: None,
) -> Ledger:
    """Audit the statements; ``progress`` is told each label when it is done.

    With ``jobs > 1`` the statements of the package run in that many processes; statements of a user run here, because
    their claims are functions that another process cannot look up.
    """
    rows: dict[str, Row] = {}
    known = _package_labels() if jobs > 1 else set()
    elsewhere = [statement for statement in statements if statement.label in known]
    with search.leaving_nothing():
        if elsewhere:
            with Pool(jobs) as pool:
                futures = {pool.submit(_audit_by_label, s.label, examples, seed): s.label for s in elsewhere}
                for future in as_completed(futures):
                    rows[futures[future]] = future.result()
                    progress(futures[future])
        for statement in statements:
            if statement.label not in rows:
                rows[statement.label] = audit_statement(statement, examples, seed)
                progress(statement.label)
    return assemble([rows[statement.label] for statement in statements], examples, seed)


def exit_status(ledger: Ledger) -> int:
    """0 if nothing failed."""
    return 1 if ledger.failures else 0


def _package_labels() -> set[str]:
    from .. import theory

    return {statement.label for statement in theory.ALL}


def _audit_by_label(label: str, examples: int, seed: int) -> Row:
    from .. import theory

    return audit_statement(theory.by_label(label), examples, seed)


def audit_statement(statement: Statement[Any], examples: int, seed: int) -> Row:
    """One row of the ledger."""
    failures: list[str] = []
    supported = _support(statement, statement.true_claim, examples, seed, failures)
    refutation = _refute(statement, seed, failures) if statement.should_be_refuted else None
    return Row(
        label=statement.label,
        title=statement.title,
        section=statement.section,
        paper=statement.paper,
        said=statement.said,
        finding=statement.finding,
        cause=statement.cause,
        uses=statement.uses,
        theory=statement.theory,
        notes=statement.notes,
        source=source_file(statement),
        source_sha256=source_hash(statement),
        printed=claim_text(statement.printed),
        corrected=claim_text(statement.corrected),
        support=supported,
        refutation=refutation,
        failures=tuple(failures),
    )


def claim_text(claim: Claim[Any] | None) -> ClaimText | None:
    """The words of a claim."""
    return None if claim is None else ClaimText(claim.formula, claim.words)


def _support(
    statement: Statement[Any], claim: Claim[Any] | None, examples: int, seed: int, failures: list[str]
) -> Support | None:
    """Look for a failure of the claim that should be true."""
    if claim is None:
        return None
    small = search.exhaustive(claim, statement.small_cases())
    count = max(1, round(examples * statement.examples_share))
    sampled = search.random(claim, statement.cases(), examples=count, seed=seed)
    proved = machine_checked(statement.formal)
    evidence = [*statement.evidence, *proved]
    if statement.proof is not None:
        wrong = statement.proof.failures()
        failures += wrong
        if not wrong:
            evidence.append(Evidence(Rank.SYMBOLIC, f"{statement.proof.size}; all real parameters, by polynomials"))
    if small.met:
        evidence.append(Evidence(Rank.EXHAUSTIVE, f"{small.met} cases: {statement.small_size}"))
    if sampled.met:
        evidence.append(Evidence(Rank.RANDOM, f"{sampled.met} cases, seed {seed}"))
    evidence.sort(key=lambda piece: piece.rank, reverse=True)
    for name, part in (("exhaustive", small), ("random", sampled)):
        if part.refuted:
            failures.append(f"the claim is refuted by {part.refuted} {name} cases, worst slack {_text(part.worst)}")
        if part.unknown:
            failures.append(f"{part.unknown} {name} cases could not be decided")
    if sampled.met * LEAST_SHARE_MET < sampled.tried:
        failures.append(f"vacuous: {sampled.met} of {sampled.tried} random cases met the hypotheses")
    met = small.met + sampled.met
    wanted = math.ceil(statement.least_met * min(1, examples / ENOUGH_EXAMPLES))
    if met < wanted:
        failures.append(f"vacuous: {met} cases met the hypotheses, wanted {wanted}")
    if statement.small_size and not small.met:
        failures.append("vacuous: no case of the enumeration met the hypotheses")
    worst = min((part for part in (small, sampled) if part.worst is not None), key=_worst_key, default=None)
    verdicts = {part.verdict for part in (small, sampled) if part.tried}
    return Support(
        verdict=_joint(verdicts).value,
        rank=str(evidence[0].rank) if evidence else None,
        evidence=tuple(str(piece) for piece in evidence),
        recorded=tuple(str(piece) for piece in proved),
        exhaustive=Enumerated(statement.small_size, small.tried, small.met),
        random=Sampled(seed, sampled.tried, sampled.met),
        worst_slack=None if worst is None else _text(worst.worst),
        worst_case=None if worst is None else statement.encode(worst.worst_case),
    )


def _joint(verdicts: Iterable[Verdict]) -> Verdict:
    seen = set(verdicts)
    if Verdict.REFUTED in seen:
        return Verdict.REFUTED
    return Verdict.STANDS if seen == {Verdict.STANDS} else Verdict.UNKNOWN


def _refute(statement: Statement[Any], seed: int, failures: list[str]) -> Refutation:
    """Check the stored counterexample, and let the generator find one by itself."""
    printed, case = statement.printed, statement.counterexample
    assert printed is not None
    row = Refutation(None, None, None, None)
    if case is None:
        failures.append("a false printed claim has no counterexample")
    else:
        row = replace(row, certificate=certificate.file_name(statement.label))
        if printed.verdict(case) is not Verdict.REFUTED:
            failures.append("the stored counterexample does not refute the printed claim")
        else:
            row = replace(row, slack=_text(printed.slack(case)))
        if statement.corrected is not None and statement.corrected.verdict(case) is Verdict.REFUTED:
            failures.append("the stored counterexample also refutes the correction")
        row = replace(row, rechecked=_rechecked(statement, case, failures))
    found = search.find_counterexample(statement, seed=seed, shrink=False)
    if found is None:
        failures.append(f"the generator found no counterexample in {statement.find_budget} cases (seed {seed})")
        return row
    return replace(row, found=FoundAgain(found.cases, seed, _text(found.slack)))


def _rechecked(statement: Statement[Any], case: Any, failures: list[str]) -> bool:
    """The verdict of the standalone checker on the certificate of this case."""
    try:
        outcome = recheck.check_text(certificate.text(certificate.certificate(statement, case)))
    except recheck.Rejected as error:
        failures.append(f"the standalone checker rejects the certificate: {error}")
        return False
    if not outcome.refutes:
        failures.append(f"the standalone checker says that {outcome.left} {outcome.relation} {outcome.right} holds")
    return outcome.refutes


def source_file(statement: Statement[Any]) -> str:
    """The file that defines the statement, relative to the project."""
    path, root = Path(statement.source), Path(__file__).parents[2]
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def source_hash(statement: Statement[Any]) -> str:
    """A digest of that file and of the helpers it imports: when one changes, older evidence is stale."""
    return sources.digest(Path(statement.source))


def stale(ledger: Ledger, statements: Sequence[Statement[Any]]) -> list[str]:
    """The labels whose evidence in the ledger is missing or is not about their present source and recorded proofs."""
    stored = {row.label: (row.source_sha256, row.support.recorded if row.support else ()) for row in ledger.statements}
    current = {
        statement.label: (source_hash(statement), tuple(str(piece) for piece in machine_checked(statement.formal)))
        for statement in statements
    }
    return sorted(label for label in stored.keys() | current.keys() if stored.get(label) != current.get(label))


def refreshed(row: Row, statement: Statement[Any]) -> Row:
    """The row with the proofs recorded now; what running the cases showed is kept."""
    support = row.support
    if support is None:
        return row
    now = tuple(str(piece) for piece in machine_checked(statement.formal))
    kept = [piece for piece in support.evidence if piece not in support.recorded]
    evidence = sorted([*now, *kept], key=_rank_of, reverse=True)
    strongest = str(_rank_of(evidence[0])) if evidence else None
    return replace(row, support=replace(support, evidence=tuple(evidence), rank=strongest, recorded=now))


def _rank_of(piece: str) -> Rank:
    """The rank that a printed piece of evidence begins with."""
    return Rank[piece.split(" (", 1)[0].upper().replace("-", "_")]


def assemble(rows: Sequence[Row], examples: int, seed: int) -> Ledger:
    """The ledger of these rows."""
    failures = tuple(f"{row.label}: {failure}" for row in rows for failure in row.failures)
    return Ledger(examples, seed, tuple(rows), failures)


def _worst_key(part: search.Search[Any]) -> Any:
    assert part.worst is not None
    return bounds(part.worst)


def _text(slack: Real | None) -> str:
    """An exact number as ``p/q``, an enclosure as a decimal marked as such."""
    if slack is None:
        return ""
    low, high = bounds(slack)
    return str(low) if low == high else f"≈ {float(slack):.6g}"
