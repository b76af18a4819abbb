"""Pages, tables and pictures made from the ledger.

Importing this package registers the notebook view of statements in :mod:`..engine.model`.
"""

from typing import Any

from ..engine import model


def _statement_html(statement: model.Statement[Any]) -> str:
    from .page import statement_html  # imported late: the page with its style and formulas

    return statement_html(statement)


model.as_html.append(_statement_html)
