"""A tree of an older commit beside this one: code that runs in either, each time in a process of its own."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[2]


@contextmanager
def unpacked(commit: str) -> Iterator[Path]:
    """The files of ``commit`` in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(["git", "archive", commit], cwd=HERE, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
        yield Path(folder)


def answer_of(tree: Path, code: str, *asked: object) -> Any:
    """What ``code`` prints as JSON in its last line, in a fresh process in ``tree``; it gets ``asked`` as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(json.dumps, asked)], cwd=tree, stdout=subprocess.PIPE, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(tree)},
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])
