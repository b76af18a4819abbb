"""Recheck a stored counterexample with nothing but the standard library.

    python proofs_checks/recheck FILE [FILE ...]

A certificate (see docs/certificate_format.md) holds an instance; this package recomputes both sides of the claim in
exact rational arithmetic and reports whether the claim fails.  It shares no code with the rest of the project: models
are dicts and lists, and the evaluator enumerates all paths.  Irrational numbers are enclosed in rational intervals.
Exit status 0: every file refutes; 1: some file does not; 2: some file is not a valid certificate.
"""

from .command import check_text, main, shown
from .file_format import CHECKS, FORMAT, VERSION, Outcome, Rejected, digest, read

__all__ = ["CHECKS", "FORMAT", "VERSION", "Outcome", "Rejected", "check_text", "digest", "main", "read", "shown"]
