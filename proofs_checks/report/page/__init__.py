"""The audit as one self-contained HTML page: no network, no library, mathematics as MathML.

>>> from proofs_checks.engine.ledger import Ledger
>>> page_html(Ledger(examples=0, seed=0, statements=(), failures=())).splitlines()[0]
'<!doctype html>'
"""

from .build import page_html, statement_html, write_page

__all__ = ["page_html", "statement_html", "write_page"]
