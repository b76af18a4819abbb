"""The record of a search: enough to repeat its argument, and nothing that must be trusted.

:class:`Proof` is that of a search over CDFs, :class:`BudgetTree` that of a search over budgets.

A node of the search tree is a list of rounds and possibly a cut into two children.  A round lists a cost vector for
weak duality (theory 05, B1), the probes that tightened the box (probing, B3), and the slopes of the contractor (B5).
From any such record, right or wrong, :mod:`verified_risk.planning.recheck.replay` derives a valid bound; from a good
one, the planner's.
"""

from __future__ import annotations

import base64
import math
import zlib
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ... import files
from ...errors import InvalidFile
from ...grid.floats import Floats
from ...numbers.rational import as_fraction, said, text

DEEPEST = 500
"""Largest depth of a record read from a file."""


@dataclass
class Round:
    """``cost``: multipliers of a dual bound (None: no bound, contract only); ``probes``: coordinates and their
    replacement values in ``cost``; ``slopes``: the slopes around which the contractor was run (None: not run)."""

    cost: Floats | None
    probes: list[tuple[int, float]] = field(default_factory=list)
    slopes: Floats | None = None


@dataclass
class Branch:
    """The rounds of a node and, if it was split, the coordinate, the cut point and the children below and above it."""

    rounds: list[Round] = field(default_factory=list)
    cut: tuple[int, float] | None = None
    children: list[Branch] = field(default_factory=list)


@dataclass
class Cut:
    """A box of differences of budgets: not split, or ``level`` split into differences up to ``at`` and beyond."""

    level: int = -1
    at: int = 0
    children: tuple[Cut, ...] = ()


@dataclass(frozen=True)
class BudgetTree:
    """How boxes of differences of budgets were split (theory 05, B10)."""

    root: Cut

    def to_json(self) -> dict[str, Any]:
        """Return the cuts in preorder, None for a box that was not split."""
        cuts: list[list[int] | None] = []
        stack = [self.root]
        while stack:
            cut = stack.pop()
            cuts.append([cut.level, cut.at] if cut.children else None)
            stack += reversed(cut.children)
        return {"budgets": cuts}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BudgetTree:
        cuts = data["budgets"]
        root = Cut()
        stack = [(root, 0)]
        for k, entry in enumerate(cuts):
            if not stack:
                raise InvalidFile(f"the record of budgets has {len(cuts) - k} more entries than its boxes")
            cut, depth = stack.pop()
            if entry is None:
                continue
            if depth == DEEPEST:
                raise InvalidFile(f"the record of budgets is more than {DEEPEST} boxes deep, wanted at most that")
            if not isinstance(entry, list) or [type(x) for x in entry] != [int, int] or min(entry) < 0:
                raise InvalidFile(f"budgets[{k}] of the proof is {entry!r:.60}, wanted [level, difference] or null")
            (cut.level, cut.at), cut.children = entry, (Cut(), Cut())
            stack += [(cut.children[1], depth + 1), (cut.children[0], depth + 1)]
        if stack:
            raise InvalidFile(f"the record of budgets ends {len(stack)} boxes early")
        return cls(root)


@dataclass(frozen=True)
class Proof:
    """``accuracy`` determines the polygon below the weighting; no closed node beats the value ``target``; from
    coordinate ``passed[j]`` on, the CDF of every policy is claimed to be past jump j of the weighting (B8).

    With interpolated tables, ``eta`` is the cell width, and ``touch`` gives the point in each cell of the policy's grid
    where a line above the weighting touches it (D5).  If ``attained``, the coordinates are the attainable returns (B9).
    """

    accuracy: Fraction
    target: float
    root: Branch
    passed: tuple[int, ...] = ()
    eta: Fraction | None = None
    touch: Floats | None = None
    attained: bool = False

    def to_json(self) -> dict[str, Any]:
        costs: list[Floats] = []
        tree = _tree(self.root, costs)
        raw = np.concatenate(costs).astype("<f8").tobytes() if costs else b""
        data: dict[str, Any] = {
            "accuracy": text(self.accuracy),
            "target": self.target.hex(),
            "tree": tree,
            "costs": _packed(raw),
        }
        if self.passed:
            data["passed"] = list(self.passed)
        if self.eta is not None:
            data["eta"] = text(self.eta)
        if self.touch is not None:
            data["touch"] = _packed(self.touch.astype("<f8").tobytes())
        if self.attained:
            data["attained"] = True
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Proof:
        """Read the record of a search over CDFs.

        :raises InvalidFile: if it is malformed
        """
        costs = _unpacked(data["costs"], "costs")
        accuracy, target = as_fraction(data["accuracy"], "accuracy of the proof"), float.fromhex(data["target"])
        if accuracy <= 0:
            raise InvalidFile(f"accuracy of the proof is {said(accuracy)}, wanted a positive number")
        if math.isnan(target):
            raise InvalidFile("target of the proof is nan, wanted a number")
        _require_shallow(data["tree"])
        root, rest = _branch(data["tree"], costs)
        if len(rest):
            raise InvalidFile(f"the proof has {len(rest)} more costs than its rounds use")
        stated = data.get("passed", [])
        passed = tuple(stated) if isinstance(stated, list) else (stated,)  # older files have one number
        if any(type(start) is not int or start < 0 for start in passed):
            raise InvalidFile(f"passed of the proof is {stated!r:.60}, wanted coordinates from 0")
        eta = None if data.get("eta") is None else as_fraction(data["eta"], "eta of the proof")
        if eta is not None and eta <= 0:
            raise InvalidFile(f"eta of the proof is {said(eta)}, wanted a positive number")
        touch = None if data.get("touch") is None else _unpacked(data["touch"], "touch")
        attained = data.get("attained", False)
        if type(attained) is not bool:
            raise InvalidFile(f"attained of the proof is {attained!r:.60}, wanted true or false")
        return cls(accuracy, target, root, passed, eta, touch, attained)


def read_record(data: dict[str, Any]) -> Proof | BudgetTree:
    """Read the record of either kind of search."""
    return BudgetTree.from_json(data) if "budgets" in data else Proof.from_json(data)


def _packed(raw: bytes) -> str:
    return base64.b64encode(zlib.compress(raw, 9)).decode("ascii")


def _unpacked(packed: str, name: str) -> Floats:
    try:
        return np.frombuffer(files.unpacked(base64.b64decode(packed)), dtype="<f8").astype(float)
    except (ValueError, zlib.error) as error:
        raise InvalidFile(f"{name} of the proof cannot be unpacked ({error}), wanted base64 of zlib") from None


def _tree(branch: Branch, costs: list[Floats]) -> dict[str, Any]:
    rounds = []
    for step in branch.rounds:
        sizes = [None if vector is None else len(vector) for vector in (step.cost, step.slopes)]
        costs.extend(vector for vector in (step.cost, step.slopes) if vector is not None)
        rounds.append({"sizes": sizes, "probes": [[i, value.hex()] for i, value in step.probes]})
    cut = None if branch.cut is None else [branch.cut[0], branch.cut[1].hex()]
    return {"rounds": rounds, "cut": cut, "children": [_tree(child, costs) for child in branch.children]}


def _require_shallow(tree: dict[str, Any]) -> None:
    """Raise if a tree is too deep to walk recursively."""
    level, depth = [tree], 0
    while level:
        if depth > DEEPEST:
            raise InvalidFile(f"the record of the search is more than {DEEPEST} nodes deep, wanted at most that")
        level, depth = [child for node in level for child in node["children"]], depth + 1


def _branch(data: dict[str, Any], costs: Floats) -> tuple[Branch, Floats]:
    """Return the node and the costs left for the following ones."""
    branch = Branch()
    for step in data["rounds"]:
        vectors: list[Floats | None] = []
        for size in step["sizes"]:
            if size is not None and not 0 <= size <= len(costs):
                raise InvalidFile(f"a round of the proof wants {size} numbers, {len(costs)} are left")
            vectors.append(None if size is None else costs[:size])
            costs = costs[size or 0 :]
        cost, slopes = vectors
        branch.rounds.append(Round(cost, [(int(i), float.fromhex(value)) for i, value in step["probes"]], slopes))
    if data["cut"] is not None:
        branch.cut = int(data["cut"][0]), float.fromhex(data["cut"][1])
    for child in data["children"]:
        node, costs = _branch(child, costs)
        branch.children.append(node)
    return branch, costs
