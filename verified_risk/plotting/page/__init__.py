"""Pages that are one file each and load nothing: the audit's, that of a proof, and that of an answer from a log."""

import re
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
OWN = ("style.css", "script.js")


def page_of(folder: Path, *, title: str, **parts: object) -> str:
    """Return a page: ``page.html`` of the folder with its parts filled in, and its style and script, if any.

    Names and parts are HTML but for the title.  The font is that of formulas; browsers draw MathML badly without a
    mathematical font.
    """
    data = b64encode((HERE / "formulas.woff2").read_bytes()).decode("ascii")
    style, script = (file.read_text("utf-8") if file.exists() else "" for file in map(folder.joinpath, OWN))
    font = f"@font-face {{ font-family: Formulas; src: url(data:font/woff2;base64,{data}) format('woff2'); }}\n"
    return (
        (HERE / "frame.html")
        .read_text("utf-8")
        .format(
            title=escape(title),
            style=font + (HERE / "base.css").read_text("utf-8") + style,
            body=(folder / "page.html").read_text("utf-8").format(title=escape(title), **parts),
            script=script,
        )
    )


def table_html(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of HTML cells; each cell has the name of its column, which narrow screens show before it."""
    head = "".join(f"<th>{name}</th>" for name in names)
    plain = [re.sub("<[^>]*>", "", name) for name in names]
    cells = [[f'<td data-name="{name}">{cell}</td>' for name, cell in zip(plain, row, strict=True)] for row in rows]
    lines = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    return f'<div class="scroll" tabindex="0"><table class="rows"><tr>{head}</tr>{lines}</table></div>'
