"""Every docstring is well-formed reStructuredText, and its displayed formulas are whole.

docutils finds broken tables, literals and lists.  It does not find a formula that re-wrapping cut off: what follows a
displayed formula at the margin must begin a sentence or a paragraph of its own.
"""

import ast
import inspect
from functools import partial
from pathlib import Path

import pytest
from docutils import nodes, utils
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for package in ("verified_risk", "proofs_checks") for path in (ROOT / package).rglob("*.py"))
SPHINX_ROLES = ("class", "func", "meth", "mod", "attr", "data", "exc", "ref", "doc")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class _Formula(Directive):
    """``.. math::`` as a literal block: its LaTeX is not ours to parse here."""

    has_content, optional_arguments, final_argument_whitespace = True, 1, True

    def run(self) -> list[nodes.Node]:
        return [nodes.literal_block("", "\n".join([*self.arguments, *self.content]))]


def _plain_role(name, rawtext, text, lineno, inliner, options=None, content=None):
    return [nodes.literal(rawtext, utils.unescape(text))], []


def faults(docstring: str) -> list[str]:
    """Warnings of docutils, and formulas that are cut off."""
    directives.register_directive("math", _Formula)
    for role in SPHINX_ROLES:
        roles.register_local_role(role, partial(_plain_role))
    text = inspect.cleandoc(docstring)
    settings = {"report_level": 5, "halt_level": 6, "file_insertion_enabled": False, "raw_enabled": False}
    tree = publish_doctree(text, settings_overrides=settings)
    found = [message.astext() for message in tree.findall(nodes.system_message) if message["level"] >= 2]
    return found + [f"a displayed formula is cut off before {line!r}" for line in _cut_formulas(text)]


def _cut_formulas(text: str) -> list[str]:
    """Lines at the margin directly below a displayed formula: re-wrapping moved the rest of the formula there."""
    lines, cut = text.splitlines(), []
    for i, line in enumerate(lines):
        if not line.lstrip().startswith(".. math::"):
            continue
        margin = len(line) - len(line.lstrip())
        for after in lines[i + 1 :]:
            if not after.strip():
                break
            if len(after) - len(after.lstrip()) <= margin:
                cut.append(after.strip())
                break
    return cut


def docstrings(path: Path) -> list[tuple[int, str]]:
    tree = ast.parse(path.read_text("utf-8"))
    held = [(node, ast.get_docstring(node, clean=False)) for node in ast.walk(tree) if isinstance(node, DOCUMENTED)]
    return [(getattr(node, "lineno", 1), text) for node, text in held if text]


@pytest.mark.parametrize("package", ["verified_risk", "proofs_checks"])
def test_every_docstring_is_well_formed(package):
    broken = [
        f"{path.relative_to(ROOT)}:{line}: {fault}"
        for path in FILES
        if path.relative_to(ROOT).parts[0] == package
        for line, text in docstrings(path)
        for fault in faults(text)
    ]
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize(
    "planted",
    [
        "A table.\n\n===== =====\na     b\n1     2\nthat goes on here too long\n===== =====\n",
        "A list.\n\n- one\nis continued at the margin.\n",
        "A *word that never ends.",
        "A formula\n\n.. math:: a + b,\n\\qquad\n          c\n",
        "The role :mth:`x` does not exist.",
        "Literal ``without end.",
    ],
)
def test_a_broken_docstring_is_noticed(planted):
    assert faults(planted)


def test_a_sound_docstring_passes():
    assert not faults("One line.\n\n.. math:: a + b,\n          c\n\nThen *words*, ``code`` and :func:`f`.\n")
