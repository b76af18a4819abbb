"""Asking z3 and sympy, and the record of their answers; the questions stand beside the statements in ``theory``.

``python -m proofs_checks.evidence.solver`` asks them all; z3 and sympy are extras (``pip install
'verified-risk[smt]'``) and are imported only when a query is built.
"""
