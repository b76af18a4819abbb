"""Links of a card to source, proof and certificate, relative to the page."""

from __future__ import annotations

import os
import re
from functools import cached_property
from html import escape
from pathlib import Path

from ...engine.certificate import DIRECTORY
from ...engine.ledger import Row
from ..files import ROOT

ANCHOR = re.compile(r"^\(([A-Za-z0-9_-]+)\)=$", re.MULTILINE)


class Links:
    """Links relative to a folder; a missing file is named, not linked."""

    def __init__(self, folder: Path | None, root: Path = ROOT) -> None:
        self.folder, self.root = folder, root

    def html(self, row: Row, has_certificate: bool) -> str:
        """The last line of a card."""
        parts = [("source", row.source, "")]
        page, place = self.theory(row.theory)
        if page:
            parts.append(("proof", page, place))
        if has_certificate and row.refutation and row.refutation.certificate:
            parts.append(("certificate", f"{_inside(DIRECTORY)}/{row.refutation.certificate}", ""))
        shown = " ".join(f"<span>{name} {self._link(path, place)}</span>" for name, path, place in parts)
        return f'<p class="links">{shown}</p>'

    def theory(self, target: str) -> tuple[str, str]:
        """``"02-augmentation.md#augmented"`` or ``"augmented"`` as (path, anchor); empty if there is no such page."""
        page, _, place = target.partition("#")
        if page.endswith(".md"):
            return f"docs/theory/{page}", place
        return self._anchors.get(target, ""), target

    @cached_property
    def _anchors(self) -> dict[str, str]:
        pages = sorted((self.root / "docs" / "theory").glob("*.md"))
        return {name: f"docs/theory/{page.name}" for page in pages for name in ANCHOR.findall(page.read_text("utf-8"))}

    def _link(self, path: str, place: str) -> str:
        shown = escape(path + (f"#{place}" if place else ""))
        target = self.root / path
        if self.folder is None or not target.exists():
            return f"<code>{shown}</code>"
        address = Path(os.path.relpath(target, self.folder)).as_posix() + (f"#{place}" if place else "")
        return f'<a href="{escape(address)}"><code>{shown}</code></a>'


def _inside(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
