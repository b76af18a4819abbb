r"""The complete table of a grid policy as bytes, typically a few megabytes.

Before step t the sum of rounded rewards, in units of eta, lies between ``offsets[t]`` and
``offsets[t] + widths[t] - 1``; ``tables[t][s, k]`` is the action at sum ``offsets[t] + k``.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from .. import files
from ..errors import InvalidPolicy
from ..mdp import MDP
from ..numbers.rational import as_whole, ceil_div, said, text

MOST_CELLS = 200_000_000
"""Maximum number of cells of a table that is written whole; each is one byte, or four, before compression."""
LEVEL = 6
"""Compression level of zlib; higher levels hardly shrink files."""


@runtime_checkable
class ArrayRule(Protocol):
    """A rule that can return its choices at one step as an array over states and shifted sums."""

    offsets: Sequence[int]
    """The sum before step t that column 0 stands for."""

    def __call__(self, t: int, s: int, i: int) -> Any: ...

    def choices(self, t: int, width: int) -> npt.NDArray[Any]: ...


class PackedRule:
    """A rule given by its tables, equivalent to the rule that was packed."""

    def __init__(self, offsets: Sequence[int], tables: Sequence[npt.NDArray[Any]]) -> None:
        self.offsets: Sequence[int] = tuple(offsets)
        self.tables = tuple(tables)

    def __call__(self, t: int, s: int, i: int) -> int:
        k, table = i - self.offsets[t], self.tables[t]
        if not 0 <= k < table.shape[1]:
            raise InvalidPolicy(
                f"the policy says nothing at step {t}, state {s}, rounded return {text(Fraction(i))} eta"
            )
        return int(table[s, k])

    def choices(self, t: int, width: int) -> npt.NDArray[Any]:
        return self.tables[t][:, :width]


def windows(mdp: MDP, eta: Fraction) -> tuple[list[int], list[int]]:
    """Return the least sum before each step, and the number of sums."""
    low, high = mdp.reward_range
    offsets, widths = [0], [1]
    for t in range(mdp.horizon - 1):
        least, most = (ceil_div(mdp.step_reward(t, r), eta) for r in (low, high))
        offsets.append(offsets[-1] + least)
        widths.append(widths[-1] + most - least)
    return offsets, widths


def packed(mdp: MDP, eta: Fraction, rule: Any) -> dict[str, Any] | None:
    """Return the whole table of ``rule`` for a file; None if it has no arrays or would be too large.

    Continuous rewards are rounded up to sums outside :func:`windows`; such a policy is not packed.
    """
    if not isinstance(rule, ArrayRule) or not mdp.is_discrete:
        return None
    offsets, widths = windows(mdp, eta)
    if list(rule.offsets[: mdp.horizon]) != offsets:
        return None
    if mdp.n_states * sum(widths) > MOST_CELLS:
        return None
    kind = "<i1" if max(mdp.n_actions) <= 127 else "<i4"
    tables = []
    for t, width in enumerate(widths):
        table = np.ascontiguousarray(rule.choices(t, width)).astype(kind)
        if table.shape != (mdp.n_states, width):
            return None
        tables.append(table)
    flat = b"".join(table.tobytes() for table in tables)
    return {"offsets": offsets, "widths": widths, "type": kind,
            "tables": base64.b64encode(zlib.compress(flat, LEVEL)).decode("ascii")}  # fmt: skip


def unpacked(data: dict[str, Any], mdp: MDP, eta: Fraction) -> PackedRule:
    """Read a rule from a file, checking that its windows are the model's on the grid and that every action exists."""
    kind = data["type"]
    if kind not in ("<i1", "<i4"):
        raise InvalidPolicy(f"tables of the policy have type {kind!r}, wanted '<i1' or '<i4'")
    offsets, widths = windows(mdp, eta)
    for name, wanted in (("offsets", offsets), ("widths", widths)):
        given = data[name]
        if len(given) != mdp.horizon:
            raise InvalidPolicy(f"the policy has {len(given)} {name}, wanted {mdp.horizon}")
        for t, (found, right) in enumerate(zip(given, wanted, strict=True)):
            if as_whole(found) != right:
                raise InvalidPolicy(f"{name}[{t}] of the policy is {found!r}, wanted {right} on a grid of {said(eta)}")
    claimed = mdp.n_states * sum(widths)
    if claimed > MOST_CELLS:
        raise InvalidPolicy(f"tables of the policy hold {claimed} actions, wanted at most {MOST_CELLS}")
    try:
        raw = files.unpacked(base64.b64decode(data["tables"], validate=True), claimed * np.dtype(kind).itemsize)
        flat = np.frombuffer(raw, dtype=kind)
    except (ValueError, zlib.error) as error:
        raise InvalidPolicy(f"tables of the policy cannot be unpacked ({error}), wanted base64 of zlib") from None
    n, first, tables = mdp.n_states, 0, []
    if len(flat) != claimed:
        raise InvalidPolicy(f"tables of the policy hold {len(flat)} actions, wanted {claimed}")
    most = np.array(mdp.n_actions)[:, None]
    for t, width in enumerate(widths):
        table = flat[first : first + n * width].reshape(n, width)
        wrong = np.argwhere((table < 0) | (table >= most))
        if len(wrong):
            s, k = wrong[0]
            raise InvalidPolicy(
                f"policy({t}, {s}, {offsets[t] + k} eta) plays action {table[s, k]}, state {s} has actions "
                f"0..{mdp.n_actions[s] - 1}"
            )
        tables.append(table)
        first += n * width
    return PackedRule(offsets, tables)
