"""Put the checker into the wheel where OCaml is present, so that whoever installs it needs no compiler.

hatchling runs this while it builds a wheel (``pyproject.toml`` names it).  Without OCaml, or for an editable install,
the wheel is the pure one, and ``driver/build.sh`` can build the checker later.
"""

import os
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "proofs_checks/formal/checker"


class CheckerInWheel(BuildHookInterface):  # type: ignore[misc]
    """Builds the checker, linked statically where the linker can, and marks the wheel as one for this platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the program and the record of its build.

        :param version: "standard" or "editable"
        :param build_data: what hatchling is told about the wheel
        """
        if version != "standard":
            return
        root = Path(self.root)
        built = subprocess.run(
            ["sh", str(root / FOLDER / "driver" / "build.sh")], env={**os.environ, "STATIC": "1"}, capture_output=True
        )
        if built.returncode:
            self.app.display_info("no OCaml with zarith: the wheel has the checker's sources, not the checker")
            return
        for name in ("checker", "checker.record", "checker.js", "checker.js.record"):
            place = f"{FOLDER}/build/{name}"
            if (root / place).exists():  # the program of a page is built where js_of_ocaml is present
                build_data["force_include"][str(root / place)] = place
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
