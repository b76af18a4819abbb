"""``python proofs_checks/recheck FILE`` and ``python -m proofs_checks.recheck FILE``."""

import sys
from pathlib import Path

if __package__:
    from .command import main
else:  # run as a folder, which Python puts first on sys.path: the package is one level up
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from recheck.command import main  # type: ignore[import-not-found, no-redef]

sys.exit(main(sys.argv[1:]))
