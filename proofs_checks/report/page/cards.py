"""One statement as a card: what is printed, what is true, why, the counterexample in numbers, and what it rests on.

The steps of a counterexample are in ``theory/*/worked.md``, the authors' replies in ``theory/replies.md``.
"""

import io
import json
import re
import tarfile
from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from gzip import GzipFile
from html import escape
from pathlib import Path
from typing import Any

from ... import recheck
from ...engine.certificate import DIRECTORY
from ...engine.ledger import ClaimText, Refutation, Row
from ...engine.model import Verdict
from ...engine.severity import Severity
from ...engine.shown import instance_html, number
from ...evidence.coq.record import FORMAL
from ..files import ROOT
from ..words import GLYPHS, RANKS, STANDING, anchor, kind_of, prose
from .mathematics import formula_html

MOST_DIGITS = 14  # characters; a longer fraction is shown rounded, so that both sides of a claim fit on one line
RELATIONS = {"=": "=", "<=": "≤", ">=": "≥"}
STANDS = Verdict.STANDS.value
MARKS = {STANDS: "true", Verdict.REFUTED.value: "false in this audit", Verdict.UNKNOWN.value: "not decided"}
"""The mark on a card, by verdict, of a claim that is meant to be true."""
REPLIES = ROOT / "proofs_checks" / "theory" / "replies.md"
TEXTS = tuple(sorted((ROOT / "proofs_checks" / "theory").glob("*/worked.md")))
LINK = re.compile(r"\[([^\]]+)\]\((?:\.\./)+([^)]+)\)")
ANCHOR = re.compile(r"^\(([A-Za-z0-9_-]+)\)=\n", re.MULTILINE)
NAMED = re.compile(r"(\w+) \(([\w/]+\.v), [0-9a-f]+\)")
ARCHIVED = ("docs/theory/*.md", "proofs_checks/formal/**/*.v", "proofs_checks/certificates/*.json",
            "proofs_checks/recheck/*.py", "docs/certificate_format.md")  # fmt: skip


def card_html(
    row: Row,
    users: Mapping[str, Sequence[str]],
    certificate: Mapping[str, Any] | None,
    meaning: str = "",
    inherits: Sequence[str] = (),
) -> str:
    """The card of one row of the ledger.

    ``users`` maps every label of the page to the labels that use it, ``meaning`` describes the cases, ``inherits`` are
    the claims that need a repair, break or have a gap, on which the printed one rests.
    """
    finding, rank = kind_of(row), row.rank
    known = rank or ("refuted" if row.refutation else "no evidence")
    head = (
        f'<span class="chip {finding}">{GLYPHS[finding]} {finding}</span>'
        f'<span class="title">{prose(row.title)}</span>'
        f'<code class="label" id="{escape(row.label)}">{escape(row.label)}</code>'
        f'<span class="rank">{rank_dots(rank)} {escape(known)}</span>'
    )
    parts = [
        claims_html(row.printed, row.corrected, row.said, row.finding, row.support.verdict if row.support else STANDS),
        failures_html(row),
        counterexample_html(row.label, row.refutation, certificate, meaning),
        evidence_html(row),
        cause_html(row),
        f'<p class="notes">{prose(row.notes)}.</p>' if row.notes else "",
        relations_html(row, users.get(row.label, ()), users, inherits),
        reply_html(row),
        links_html(row, certificate is not None),
    ]
    data = f'data-finding="{finding}" data-rank="{rank or ""}"'
    return (
        f'<details class="card {finding}" id="{anchor(row.label)}" {data}>'
        f"<summary>{head}</summary><div class=body>{''.join(parts)}</div></details>"
    )


def rank_dots(rank: str | None) -> str:
    """Filled dots out of five, strongest evidence full."""
    filled = len(RANKS) - list(RANKS).index(rank) if rank in RANKS else 0
    return f'<span class="dots" aria-hidden="true">{"●" * filled}{"○" * (len(RANKS) - filled)}</span>'


def claims_html(
    printed: ClaimText | None, corrected: ClaimText | None, said: str, finding: Severity, verdict: str = STANDS
) -> str:
    """Printed and corrected claim side by side; a single claim where nothing had to be changed.

    ``verdict`` is what an audit found of the claim that is meant to be true.
    """
    blocks = []
    truth = MARKS.get(verdict, "not decided")
    if printed is not None:
        gap = "not contradicted" if verdict == STANDS or corrected is not None else truth
        found = {Severity.HOLDS: "true" if corrected is not None else truth, Severity.GAP: gap}
        blocks.append(_claim(STANDING[said], found.get(finding, "false"), printed))
    if corrected is not None:
        blocks.append(_claim("corrected" if printed is not None else "claim", truth, corrected))
    return f'<div class="claims">{"".join(blocks)}</div>'


def _claim(name: str, mark: str, claim: ClaimText) -> str:
    return (
        f'<section class="claim {mark.split()[0]}"><h4>{name} <em>{mark}</em></h4>'
        f'<div class="formula" tabindex="0">{formula_html(claim.formula)}</div>'
        f"<p>{prose(claim.words)}.</p></section>"
    )


def failures_html(row: Row) -> str:
    if not row.failures:
        return ""
    items = "".join(f"<li>{escape(failure)}</li>" for failure in row.failures)
    return f'<section class="failures"><h4>This audit found something wrong</h4><ul>{items}</ul></section>'


def counterexample_html(
    label: str, refutation: Refutation | None, certificate: Mapping[str, Any] | None, meaning: str = ""
) -> str:
    """The instance in words, both sides of the printed claim, and how a search finds such a case.

    ``meaning`` says in one sentence what a case of this statement consists of.
    """
    if refutation is None:
        return ""
    lines, sides = [], ""
    if certificate is not None:
        sides = _both_sides(certificate)
        named = f"<p>{prose(meaning)}:</p>" if meaning else ""
        lines += [named, instance_html(certificate["instance"]), worked_html(label), sides]
    if refutation.slack and "off by" not in sides:
        lines.append(f"<p>Slack of the claim on this instance: <b>{_slack(refutation.slack)}</b>.</p>")
    if refutation.rechecked:
        lines.append("<p>Confirmed by the standalone checker, which needs the standard library only.</p>")
    found = refutation.found
    if found:
        lines.append(
            f"<p>Found again by random search after {found.cases} case{'s' * (found.cases != 1)} "
            f"(seed {found.seed}), with slack {_slack(found.slack)}.</p>"
        )
    if certificate is not None:
        lines.append(_folded("The certificate file", json.dumps(certificate, indent=1, ensure_ascii=False)))
    return f'<section class="counterexample"><h4>Counterexample</h4>{"".join(lines)}</section>'


def worked_html(label: str) -> str:
    """The steps that compute the two sides; a line may end before a relation, not after it."""
    unbroken = [re.sub(r" (=|≈|≤|≥|&lt;|&gt;) ", " \\1\u00a0", prose(step)) for step in worked().get(label, ())]
    return f'<ol class="worked">{"".join(f"<li>{step}.</li>" for step in unbroken)}</ol>' if unbroken else ""


def _both_sides(certificate: Mapping[str, Any]) -> str:
    try:
        outcome = recheck.check_text(json.dumps(certificate))
    except recheck.Rejected:
        return ""  # the audit itself reports a certificate that its checker does not accept
    left, right = _side(outcome.left), _side(outcome.right)
    gap = ""
    if outcome.refutes and isinstance(outcome.left, (int, Fraction)) and isinstance(outcome.right, (int, Fraction)):
        gap = f", off by {_side(abs(Fraction(outcome.left) - Fraction(outcome.right)))}"
    return (
        f'<p class="sides">The claim says <b>{left} {RELATIONS[outcome.relation]} {right}</b>: '
        f"<strong>{'false' if outcome.refutes else 'true of this instance'}{gap}</strong>.</p>"
    )


def _side(value: Any) -> str:
    """The exact number where it is short, so that a relation stands between two numbers and not between four."""
    if isinstance(value, dict):
        return escape(", ".join(f"{number(x)} with {number(p)}" for x, p in sorted(value.items())))
    exact = str(Fraction(value)) if isinstance(value, (int, Fraction)) else number(value)
    return escape(exact if len(exact) <= MOST_DIGITS else f"≈ {float(value):.6g}")


def evidence_html(row: Row) -> str:
    """Every piece of evidence for what is true, strongest first, and the least slack seen."""
    support = row.support
    if support is None:
        return ""
    items = "".join(f"<li>{escape(piece)}</li>" for piece in support.evidence)
    worst = ""
    if support.worst_slack:
        tight = " (tight)" if support.worst_slack == "0" else ""
        worst = f"<p>Least slack over all cases: <b>{_slack(support.worst_slack)}</b>{tight}.</p>"
        if support.worst_case:
            worst += (
                "<details class=file><summary>The case with the least slack</summary>"
                f"{instance_html(support.worst_case)}</details>"
            )
    lines = [
        f"{escape(part)} times {factor}{escape(': ' + support.reasons[part]) if part in support.reasons else ''}"
        for part, factor in support.power.items()
    ]
    if lines:
        worst += f"<p>Random cases of both seeds refute: {'; '.join(lines)}.</p>"
    if support.hypotheses == "noticed":
        worst += "<p>They also refute the claim without its hypotheses.</p>"
    elif "hypotheses" in support.reasons:
        worst += f"<p>The hypotheses cannot be dropped: {escape(support.reasons['hypotheses'])}.</p>"
    name = "the corrected claim" if row.corrected is not None and row.printed is not None else "the claim"
    return f'<section class="evidence"><h4>Evidence for {name}</h4><ul>{items}</ul>{worst}</section>'


def _slack(text: str) -> str:
    return escape(text if text.startswith("≈") else number(text))


def cause_html(row: Row) -> str:
    """The root of the finding: lines of the source and correction."""
    if row.cause is None:
        return ""
    place = str(row.paper or "no paper") if row.elsewhere else f"line {row.cause.lines} of the source"
    return (
        f'<p class="cause"><b>{row.finding}</b>: {prose(row.cause.title)} ({escape(place)}). '
        f"{prose(row.cause.right)}.</p>"
    )


def reply_html(row: Row) -> str:
    """Return the authors' reply to a finding, from ``theory/replies.md``, or the place for it."""
    if row.elsewhere or not row.in_paper or row.finding is Severity.HOLDS:
        return ""
    said = replies().get(row.label, "none yet; this place is kept for it.")
    return f'<section class="reply"><h4>The authors\' reply</h4><p>{escape(said)}</p></section>'


def relations_html(row: Row, users: Sequence[str], known: Collection[str], inherits: Sequence[str]) -> str:
    """The statements it uses, the statements that use it, and the faults that it inherits."""
    parts = [
        f"<span>{name} {', '.join(reference(label, known) for label in labels)}</span>"
        for name, labels in (("Uses", row.uses), ("Used by", users), ("In the paper it rests on", inherits))
        if labels
    ]
    return f'<p class="relations">{" ".join(parts)}</p>' if parts else ""


def reference(label: str, known: Collection[str]) -> str:
    """A link to another card, or the label if the page has no such card."""
    if label not in known:
        return f"<code>{escape(label)}</code>"
    return f'<a href="#{anchor(label)}"><code>{escape(label)}</code></a>'


# -- worked numbers and replies ----------------------------------------------------------------------------------------


def _by_label(*texts: Path) -> dict[str, str]:
    """``{label: text under the heading "## label"}``."""
    parts = [part for text in texts for part in re.split(r"^## (\S+)$", text.read_text("utf-8"), flags=re.M)[1:]]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@cache
def replies() -> dict[str, str]:
    """``{label: reply}``."""
    return {label: " ".join(body.split()) for label, body in _by_label(REPLIES).items()}


@cache
def worked() -> dict[str, tuple[str, ...]]:
    """``{label: steps}`` that compute both sides of the printed claim; links become the names of their files.

    >>> worked()["intro:key"][0]
    'The return is surely 1, so Φ = 1.'
    """
    return {
        label: tuple(
            LINK.sub(r"\1 (\2)", " ".join(step.split())) for step in re.split(r"^\d+\. ", body, flags=re.MULTILINE)[1:]
        )
        for label, body in _by_label(*TEXTS).items()
    }


# -- proofs ------------------------------------------------------------------------------------------------------------


def links_html(row: Row, has_certificate: bool) -> str:
    """The last lines of a card: proof and theorems to unfold, and the names of its files in the archive."""
    lines, names = [], [("source", row.source)]
    page, text = proof_of(row.theory)
    if text:
        lines.append(_folded(f"The proof in words ({page})", text))
    for piece in row.support.evidence if row.support else ():
        for name, file in NAMED.findall(piece):
            said = theorem_text(name, file)
            lines += [_folded(f"The theorem in Coq: {name} ({file})", said)] if said else []
    if has_certificate and row.refutation and row.refutation.certificate:
        folder = DIRECTORY.name if row.elsewhere else DIRECTORY.relative_to(ROOT).as_posix()
        names.append(("certificate", f"{folder}/{row.refutation.certificate}"))
    shown = " ".join(f"<span>{name} <code>{escape(path)}</code></span>" for name, path in names)
    return f'{"".join(lines)}<p class="links">{shown}</p>'


def _folded(title: str, text: str) -> str:
    return f"<details class=file><summary>{escape(title)}</summary><pre tabindex=0>{escape(text)}</pre></details>"


@cache
def proof_of(target: str) -> tuple[str, str]:
    """``"02-augmentation.md#augmented"`` as its page and the text from that anchor to the next; empty if absent."""
    page, _, place = target.partition("#")
    path = ROOT / "docs" / "theory" / page
    if not page or not path.is_file():
        return page, ""
    parts = ANCHOR.split(path.read_text("utf-8"))
    following = dict(zip(parts[1::2], parts[2::2], strict=True))
    return page, following.get(place, "" if place else parts[0]).strip()


@cache
def theorem_text(name: str, file: str) -> str:
    """A theorem of ``proofs_checks/formal`` without its proof; empty if there is none of this name."""
    path = FORMAL / file
    text = path.read_text("utf-8") if path.is_file() else ""
    found = re.search(rf"^ *(?:Theorem|Lemma|Corollary) {name}\b.*?(?=^ *Proof)", text, re.MULTILINE | re.DOTALL)
    return found.group().rstrip() if found else ""


def _archived() -> Iterator[Path]:
    for pattern in ARCHIVED:
        yield from sorted(path for path in ROOT.glob(pattern) if "extracted" not in path.parts)


@cache
def archive() -> str:
    """Proofs in words, Coq sources, certificates and their checker as a tar.gz in base64; the same files, same text."""
    packed = io.BytesIO()
    with GzipFile(fileobj=packed, mode="wb", mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as tar:
        for path in _archived():
            data = path.read_bytes()
            entry = tarfile.TarInfo(path.relative_to(ROOT).as_posix())
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return b64encode(packed.getvalue()).decode("ascii")
