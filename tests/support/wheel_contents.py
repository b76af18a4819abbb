"""Compare a wheel with the repository: ``python tests/support/wheel_contents.py WHEEL TRACKED`` fails if they differ.

TRACKED lists the files of both packages in the repository, one a line.  All of them come along, also those that are not
Python: an audit needs the certificates, the page its style and font, ``prove`` the checker's OCaml and the script that
builds it, and ``--coq`` the Coq sources.  A wheel that was built where OCaml is present has the checker too.  Nothing
else does: tests and documentation are in the source archive.
"""

import sys
from pathlib import PurePosixPath
from zipfile import ZipFile

CHECKER = {
    f"proofs_checks/formal/checker/build/{name}"
    for name in ("checker", "checker.record", "checker.js", "checker.js.record")
}
TRUSTED = "verified_risk/plotting/page/proof/trusted_base.md"
"""A copy of docs/trusted_base.md, from which the page of a proof quotes."""


def differences(held: set[str], tracked: set[str]) -> list[str]:
    """A line for every file that is missing or too many; the wheel's own metadata do not count."""
    own = {name for name in held if PurePosixPath(name).parts[0].endswith(".dist-info")} | CHECKER
    return [f"missing: {name}" for name in sorted((tracked | {TRUSTED}) - held)] + [
        f"not tracked: {name}" for name in sorted(held - own - tracked - {TRUSTED})
    ]


def main(wheel: str, tracked: str) -> int:
    with ZipFile(wheel) as archive, open(tracked, encoding="utf-8") as listing:
        held = {info.filename for info in archive.infolist() if not info.is_dir()}
        wrong = differences(held, set(listing.read().split()))
    print(f"{len(held)} files", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
