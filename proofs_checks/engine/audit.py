"""The audit: search for the least slack of every true claim, and refute every false one again.

The result is a :class:`.ledger.Ledger`.  An audit fails when

* a claim that should be true is refuted or undecided in some case,
* the stored counterexample of a false claim does not refute it, is rejected by the standalone checker, or refutes the
  correction too,
* the generator finds no counterexample to a false claim within its budget,
* too few cases meet the hypotheses (a vacuous check),
* at the default number of cases, the generator no longer notices that a bound is multiplied by the stated factor,
* a step of a symbolic proof fails, or the planted error breaks none.
"""

import ast
import hashlib
import math
import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from verified_risk.numbers.enclosure import Real, bounds
from verified_risk.pool import packed, workers

from .. import recheck
from ..evidence.coq.record import machine_checked
from . import certificate, power, search
from .ledger import ClaimText, Enumerated, FoundAgain, Ledger, Refutation, Row, Sampled, Support
from .model import Claim, Evidence, Rank, Statement, Verdict

DEFAULT_EXAMPLES = 200
ENOUGH_EXAMPLES = 50  # audits with fewer examples require proportionally fewer cases that meet the hypotheses
SHARED = ("label", "title", "section", "paper", "said", "finding", "cause", "uses", "theory", "notes")
"""Fields that a row of the ledger has in common with its statement."""
LEAST_SHARE_MET = 20  # at least one random case in 20 must meet the hypotheses


def run(
    statements: Sequence[Statement[Any]],
    examples: int = DEFAULT_EXAMPLES,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda label: None,
) -> Ledger:
    """Audit the statements; ``progress(label)`` is called after each.

    With ``jobs > 1`` statements run in that many processes, in the order of the list.
    """
    rows: dict[str, Row] = {}
    with search.leaving_nothing():
        if jobs > 1 and len(statements) > 1:
            with workers(jobs) as pool:
                running = {pool.submit(_audit_elsewhere, _sent(s), examples, seed): s.label for s in statements}
                while running:
                    for future in pool.first(list(running)):
                        label = running.pop(future)
                        rows[label] = future.result()
                        progress(label)
        for statement in statements:
            if statement.label not in rows:
                rows[statement.label] = audit_statement(statement, examples, seed)
                progress(statement.label)
    return assemble([rows[statement.label] for statement in statements], examples, seed)


def exit_status(ledger: Ledger) -> int:
    """0 if the audit did not fail, otherwise 1."""
    return 1 if ledger.failures else 0


def _sent(statement: Statement[Any]) -> str | bytes:
    """The label of a statement of the package; another statement whole."""
    from .. import theory

    return statement.label if statement in theory.ALL else packed(statement)


def _audit_elsewhere(sent: str | bytes, examples: int, seed: int) -> Row:
    from .. import theory

    statement = theory.by_label(sent) if isinstance(sent, str) else pickle.loads(sent)
    return audit_statement(statement, examples, seed)


def audit_statement(statement: Statement[Any], examples: int, seed: int) -> Row:
    """Audit one statement; return its row of the ledger."""
    failures: list[str] = []
    supported = _support(statement, statement.true_claim, examples, seed, failures)
    refutation = _refute(statement, seed, failures) if statement.should_be_refuted else None
    return row_of(statement, supported, refutation, failures)


def row_of(
    statement: Statement[Any], support: Support | None, refutation: Refutation | None, failures: Iterable[str]
) -> Row:
    """The row of a statement of which an audit found this."""
    return Row(
        **{name: getattr(statement, name) for name in SHARED},
        source=source_file(statement),
        source_sha256=source_hash(statement),
        printed=claim_text(statement.printed),
        corrected=claim_text(statement.corrected),
        support=support,
        refutation=refutation,
        failures=tuple(failures),
    )


def claim_text(claim: Claim[Any] | None) -> ClaimText | None:
    """Formula and words of a claim; None for None."""
    return None if claim is None else ClaimText(claim.formula, claim.words)


def _support(
    statement: Statement[Any], claim: Claim[Any] | None, examples: int, seed: int, failures: list[str]
) -> Support | None:
    """Search for a case that refutes the claim, and collect the evidence for it."""
    if claim is None:
        return None
    small = search.exhaustive(claim, statement.small_cases())
    count = max(1, round(examples * statement.examples_share))
    sampled, again = (search.random(claim, statement.cases(), examples=count, seed=seed + i) for i in range(2))
    proved = machine_checked(statement.formal)
    evidence = [*statement.evidence, *proved]
    if statement.proof is not None:
        wrong = statement.proof.failures()
        failures += wrong
        if not wrong:
            evidence.append(Evidence(Rank.SYMBOLIC, f"{statement.proof.size}; all real parameters, by polynomials"))
    found = power.power((sampled, again))
    if small.met and power.is_evidence(found):
        evidence.append(Evidence(Rank.EXHAUSTIVE, f"{small.met} cases: {statement.small_size}"))
    if sampled.met and power.is_evidence(found):
        evidence.append(Evidence(Rank.RANDOM, f"{sampled.met} cases, seed {seed}"))
    evidence.sort(key=lambda piece: piece.rank, reverse=True)
    missed = power.unnoticed(claim, (sampled, again))
    if examples >= DEFAULT_EXAMPLES:
        failures += power.shortfalls(statement, found, missed)
    for name, part in (("exhaustive", small), ("random", sampled), ("more random", again)):
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
    verdicts = {part.verdict for part in (small, sampled, again) if part.tried}
    return Support(
        verdict=_joint(verdicts).value,
        rank=str(evidence[0].rank) if evidence else None,
        evidence=tuple(str(piece) for piece in evidence),
        recorded=tuple(str(piece) for piece in proved),
        exhaustive=Enumerated(statement.small_size, small.tried, small.met),
        random=Sampled(seed, sampled.tried, sampled.met),
        worst_slack=None if worst is None else _text(worst.worst),
        worst_case=None if worst is None else statement.encode(worst.worst_case),
        power=found,
        reasons={name: why for name, (_, why) in statement.reaches.items()},
        hypotheses=f"not noticed: {', '.join(missed)}" if missed else "noticed" if claim.hypotheses else "none",
    )


def _joint(verdicts: Iterable[Verdict]) -> Verdict:
    seen = set(verdicts)
    if Verdict.REFUTED in seen:
        return Verdict.REFUTED
    return Verdict.STANDS if seen == {Verdict.STANDS} else Verdict.UNKNOWN


def _refute(statement: Statement[Any], seed: int, failures: list[str]) -> Refutation:
    """Check the stored counterexample, and search for another one with the generator."""
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
    try:
        found = search.find_counterexample(statement, seed=seed, shrink=False)
    except search.Undecided as error:
        failures.append(str(error))
        return row
    if found is None:
        failures.append(f"the generator found no counterexample in {statement.find_budget} cases (seed {seed})")
        return row
    return replace(row, found=FoundAgain(found.cases, seed, _text(found.slack)))


def _rechecked(statement: Statement[Any], case: Any, failures: list[str]) -> bool:
    """Return True if the standalone checker accepts the certificate of this case as a refutation."""
    try:
        own = {} if statement.recheck is None else {statement.label: statement.recheck}
        outcome = recheck.check_text(certificate.text(certificate.certificate(statement, case)), own)
    except recheck.Rejected as error:
        failures.append(f"the standalone checker rejects the certificate: {error}")
        return False
    if not outcome.refutes:
        failures.append(f"the standalone checker says that {outcome.left} {outcome.relation} {outcome.right} holds")
    return outcome.refutes


def source_file(statement: Statement[Any]) -> str:
    """The file that defines the statement, relative to the root of the project."""
    path, root = Path(statement.source), Path(__file__).parents[2]
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def source_hash(statement: Statement[Any]) -> str:
    """SHA-256 of that file and of the modules it imports, by :func:`depends_on`; evidence with another one is stale.

    Empty if there is no file (interactive use).
    """
    file = Path(statement.source)
    if not file.is_file():
        return ""
    total = hashlib.sha256()
    for path in depends_on(file):
        total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def depends_on(file: Path) -> list[Path]:
    """The file and the modules of this package that it imports by relative imports, directly or not, in their order.

    The library ``verified_risk`` is not included; it has its own tests.
    """
    seen: set[Path] = set()
    waiting = [file.resolve()]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += imported(path, path.stat().st_mtime_ns)
    return sorted(seen)


@cache
def imported(file: Path, _changed: int) -> tuple[Path, ...]:
    """The modules that a file imports by relative imports, including ``from . import a``."""
    found: list[Path] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = file.parent
            for _ in range(node.level - 1):
                folder = folder.parent
            for part in (node.module or "").split("."):
                folder = folder / part if part else folder
            found += [folder / alias.name for alias in node.names] + [folder]
    return tuple(sorted({path.with_suffix(".py") for path in found if path.with_suffix(".py").is_file()}))


def stale(ledger: Ledger, statements: Sequence[Statement[Any]]) -> list[str]:
    """The labels whose row is missing or has other sources or other recorded proofs than the statement now."""
    stored = {row.label: (row.source_sha256, row.support.recorded if row.support else ()) for row in ledger.statements}
    current = {
        statement.label: (source_hash(statement), tuple(str(piece) for piece in machine_checked(statement.formal)))
        for statement in statements
    }
    return sorted(label for label in stored.keys() | current.keys() if stored.get(label) != current.get(label))


def refreshed(row: Row, statement: Statement[Any]) -> Row:
    """The row with the proofs that are recorded now; results of running cases are kept."""
    support = row.support
    if support is None:
        return row
    now = tuple(str(piece) for piece in machine_checked(statement.formal))
    kept = [piece for piece in support.evidence if piece not in support.recorded]
    evidence = sorted([*now, *kept], key=_rank_of, reverse=True)
    strongest = str(_rank_of(evidence[0])) if evidence else None
    return replace(row, support=replace(support, evidence=tuple(evidence), rank=strongest, recorded=now))


def _rank_of(piece: str) -> Rank:
    """The rank of a printed piece of evidence."""
    return Rank[piece.split(" (", 1)[0].upper().replace("-", "_")]


def assemble(rows: Sequence[Row], examples: int, seed: int) -> Ledger:
    """Collect rows and their failures in a ledger."""
    failures = tuple(f"{row.label}: {failure}" for row in rows for failure in row.failures)
    return Ledger(examples, seed, tuple(rows), failures)


def _worst_key(part: search.Search[Any]) -> Any:
    assert part.worst is not None
    return bounds(part.worst)


def _text(slack: Real | None) -> str:
    """An exact number as ``p/q``, an enclosure as a decimal after ``≈``."""
    if slack is None:
        return ""
    low, high = bounds(slack)
    return str(low) if low == high else f"≈ {float(slack):.6g}"
