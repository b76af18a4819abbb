"""``python -m proofs_checks``."""

from .cli import main

main(prog_name="python -m proofs_checks")
