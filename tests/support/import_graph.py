"""The imports between modules, from the sources: those inside functions count, those for type checkers only do not."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("verified_risk", "proofs_checks")


@dataclass(frozen=True)
class Import:
    """``path`` imports ``name``; ``lazy`` if it does so inside a function."""

    path: str
    name: tuple[str, ...]
    lazy: bool


def imports(source: str, package: tuple[str, ...], path: str = "") -> list[Import]:
    """Every import that runs, relative ones resolved against ``package``."""
    found: list[Import] = []

    def visit(node: ast.AST, lazy: bool) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                visit(other, lazy)
            return
        if isinstance(node, ast.Import):
            found.extend(Import(path, tuple(alias.name.split(".")), lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = tuple(node.module.split(".")) if node.module else ()
            found.extend(Import(path, (*base, *module, alias.name), lazy) for alias in node.names)
        inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(ast.parse(source), False)
    return found


def imports_of(path: Path, root: Path = ROOT) -> list[Import]:
    inside = path.relative_to(root)
    return imports(path.read_text("utf-8"), inside.parent.parts, inside.as_posix())


def every_import(root: Path = ROOT) -> Iterator[Import]:
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            yield from imports_of(path, root)


def room(parts: tuple[str, ...]) -> str:
    """The folder (or single file) of a package that a module belongs to: ``verified_risk.planning``."""
    return ".".join(parts[:2]).removesuffix(".py")


def edges(root: Path = ROOT) -> dict[tuple[str, str], int]:
    """The number of imports from one room of the two packages to another."""
    found: dict[tuple[str, str], int] = {}
    for one in every_import(root):
        here = room(tuple(one.path.split("/")))
        if one.name[0] in PACKAGES and len(one.name) > 1:
            there = room(one.name)
            if not is_room(there, root):
                continue
            if here != there:
                found[here, there] = found.get((here, there), 0) + 1
    return found


def is_room(name: str, root: Path = ROOT) -> bool:
    place = root.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()
