"""Rules of the repository itself.  Each guard is also shown a violation, so that it is known to be able to fail."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = sorted((ROOT / "verified_risk").rglob("*.py"))
CHECKS = sorted((ROOT / "proofs_checks").rglob("*.py"))

#: Rooms in the order of the design: a module may import its own room and those before it.
ROOMS = [
    {"errors"},
    {"rational", "files"},
    {"enclosure"},
    {"law"},
    {"rewards"},
    {"action"},
    {"reading"},
    {"mdp"},
    {"grid", "objectives"},
    {"policy"},
    {"evaluation"},
    {"kernels"},
    {"planning"},
    {"models", "interop"},
    {"learning"},
    {"pool"},
    {"experiments"},
    {"describe"},
    {"plotting"},
    {"cli"},
]


def room_of(module: str) -> int | None:
    for i, room in enumerate(ROOMS):
        if module in room:
            return i
    return None


def imports(source: str, package: tuple[str, ...], *, top_level_only: bool = False) -> list[tuple[str, ...]]:
    """Every imported module as a tuple of names, relative imports resolved against ``package``."""
    found = []
    tree = ast.parse(source)
    nodes = tree.body if top_level_only else ast.walk(tree)
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = tuple(node.module.split(".")) if node.module else ()
            found += [base + module + (alias.name,) for alias in node.names]
    return found


def package_of(path: Path) -> tuple[str, ...]:
    return path.relative_to(ROOT).parent.parts


def backward_imports(source: str, package: tuple[str, ...], own: str) -> list[str]:
    """Top-level imports of ``verified_risk`` rooms that come later than the module's own."""
    here = room_of(own)
    later = []
    for name in imports(source, package, top_level_only=True):
        if name[0] == "verified_risk" and len(name) > 1:
            there = room_of(name[1])
            if here is not None and there is not None and there > here:
                later.append(name[1])
    return later


def own_room(path: Path) -> str:
    inside = path.relative_to(ROOT / "verified_risk").parts
    return inside[0].removesuffix(".py")


def foreign(source: str, package: tuple[str, ...], library: str) -> bool:
    return any(name[0] == library for name in imports(source, package))


@pytest.mark.parametrize("path", LIBRARY, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_of_the_library_point_one_way(path):
    if path.parent == ROOT / "verified_risk" and path.name == "__init__.py":
        return
    assert room_of(own_room(path)) is not None, f"{own_room(path)} has no place in ROOMS"
    assert backward_imports(path.read_text(), package_of(path), own_room(path)) == []


def test_the_import_guard_sees_a_violation():
    assert backward_imports("from .planning import plan", ("verified_risk",), "law") == ["planning"]
    assert backward_imports("from ..policy import Policy", ("verified_risk", "objectives"), "objectives") == ["policy"]
    assert backward_imports("from .law import Law", ("verified_risk",), "mdp") == []


def test_the_judge_never_imports_a_player():
    source = (ROOT / "verified_risk" / "evaluation.py").read_text()
    assert not any("planning" in name for name in imports(source, ("verified_risk",)))


@pytest.mark.parametrize("path", LIBRARY, ids=lambda p: str(p.relative_to(ROOT)))
def test_hypothesis_and_numba_keep_to_their_rooms(path):
    source = path.read_text()
    assert not foreign(source, package_of(path), "hypothesis")
    assert not foreign(source, package_of(path), "proofs_checks") or own_room(path) == "cli"
    assert not foreign(source, package_of(path), "numba") or "kernels" in path.parts


@pytest.mark.parametrize("path", CHECKS, ids=lambda p: str(p.relative_to(ROOT)))
def test_checkers_do_not_use_numba(path):
    assert not foreign(path.read_text(), package_of(path), "numba")


def test_the_room_guard_sees_a_violation():
    assert foreign("def f():\n    import numba.core", ("verified_risk",), "numba")
    assert foreign("from hypothesis import given", ("verified_risk",), "hypothesis")


def test_importing_the_library_is_light():
    heavy = ["numba", "sympy", "scipy.stats", "matplotlib", "hypothesis", "flint", "gymnasium"]
    code = f"import sys, verified_risk; print([m for m in {heavy} if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_the_version_is_the_same_everywhere():
    import tomllib

    import verified_risk

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == verified_risk.__version__
    assert f"version: {verified_risk.__version__}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {verified_risk.__version__}" in (ROOT / "CHANGELOG.md").read_text()
