"""What a card rests on, inside the page: proof in words, theorems in Coq, and an archive of all files."""

from __future__ import annotations

import io
import re
import tarfile
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from gzip import GzipFile
from html import escape
from pathlib import Path

from ...engine.certificate import DIRECTORY
from ...engine.ledger import Row
from ...evidence.coq.source import FORMAL
from ..files import ROOT

ANCHOR = re.compile(r"^\(([A-Za-z0-9_-]+)\)=\n", re.MULTILINE)
NAMED = re.compile(r"(\w+) \(([\w/]+\.v), [0-9a-f]+\)")
ARCHIVED = ("docs/theory/*.md", "proofs_checks/formal/**/*.v", "proofs_checks/certificates/*.json",
            "proofs_checks/recheck/*.py", "docs/certificate_format.md")  # fmt: skip


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
