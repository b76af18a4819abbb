"""A mathematics renderer for Sphinx: MathML at build time, so that pages work offline and without scripts."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from proofs_checks.report.page.mathematics import formula_html, mathml
from verified_risk.errors import InvalidArgument

LOG = logging.getLogger(__name__)


def convert(node: nodes.Node, *, large: bool) -> str:
    """The formula of a node; one that cannot be converted is a warning, hence an error of a strict build.

    A large formula may break before its relations, except where it says itself how its lines end.
    """
    source = node.astext().strip()
    try:
        return formula_html(source) if large and r"\\" not in source else mathml(source, large=large)
    except InvalidArgument as error:
        LOG.warning("%s", error, location=node, type="mathml")
        return f"<code>{source}</code>"


def inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(convert(node, large=False))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    writer.body.append(f'<div class="math-block" style="overflow-x:auto;margin:0.8em 0 0.8em 1.5em">{number}')
    writer.body.append(convert(node, large=True) + "</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))  # type: ignore[arg-type]
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
