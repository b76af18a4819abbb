"""The ledger as people read it: pages, tables, pictures.

Importing this package tells :mod:`..engine.model` how a statement is shown in a notebook.
"""

from typing import Any

from ..engine import model


def _statement_html(statement: model.Statement[Any]) -> str:
    from .page import statement_html  # the page with its style and formulas, only when a notebook asks for it

    return statement_html(statement)


model.as_html.append(_statement_html)
