"""All statements, in the paper's order."""

from __future__ import annotations

from typing import Any

from ..model import Statement

ALL: tuple[Statement[Any], ...] = ()
