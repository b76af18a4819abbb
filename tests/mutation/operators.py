"""Small faults of one place of a source file, most of which only weaken a check.

A comparison includes or loses its boundary, a conjunct is dropped, a guard no longer raises, a number is one too large
or twice as generous, a sum becomes a difference, min becomes max, a rounding goes the other way, a statement is gone.
Docstrings, annotations and the words of errors are left alone: no check is in them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

COMPARED = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
COMPUTED = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.FloorDiv: "/", ast.Mod: "//",
    ast.BitAnd: "|", ast.BitOr: "&", ast.LShift: ">>", ast.RShift: "<<",
}  # fmt: skip
CALLED = {
    "min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor", "up": "down",
    "down": "up", "above": "below", "below": "above", "ceil_div": "floor_div", "minimum": "maximum",
    "maximum": "minimum", "argmin": "argmax", "argmax": "argmin", "at_most": "at_least", "at_least": "at_most",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """``file`` with the text between two offsets replaced; ``line`` is where, ``what`` says it to people."""

    file: str
    line: int
    start: int
    end: int
    new: str
    what: str

    @property
    def name(self) -> str:
        """The same for the same fault of the same text, whatever else is sampled."""
        return f"{self.file}:{self.line}:{self.start}-{self.end}:{self.new[:30]!r}"

    def of(self, source: str) -> str:
        return source[: self.start] + self.new + source[self.end :]


def candidates(file: str, source: str) -> list[Mutant]:
    """Every fault of the file, in the order of the text; a few may not parse."""
    found = sorted(_Faults(file, source).all(), key=lambda one: (one.start, one.end, one.new))
    return list(dict.fromkeys(found))


def mutants(file: str, source: str) -> list[Mutant]:
    """Every fault of the file that still parses."""
    return [one for one in candidates(file, source) if parses(one.of(source))]


def parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


class _Faults:
    def __init__(self, file: str, source: str) -> None:
        self.file, self.source = file, source
        self.tree = ast.parse(source)
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.lines = source.splitlines(keepends=True)

    def offset(self, line: int, column: int) -> int:
        """ast counts columns in bytes, Python's strings in characters."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        last, column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self.offset(node.lineno, node.col_offset), self.offset(last, column)

    def text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.source[start:end]

    def mutant(self, node: ast.expr | ast.stmt, new: str, what: str) -> Mutant:
        start, end = self.span(node)
        return Mutant(self.file, node.lineno, start, end, new, what)

    def all(self) -> Iterator[Mutant]:
        for node in self.checked(self.tree):
            if isinstance(node, ast.Compare):
                yield from self.compared(node)
            elif isinstance(node, ast.BoolOp):
                yield from self.conjuncts(node)
            elif isinstance(node, ast.BinOp):
                yield from self.computed(node)
            elif isinstance(node, ast.Call):
                yield from self.called(node)
            elif isinstance(node, ast.Constant):
                yield from self.constants(node)
            elif isinstance(node, ast.If):
                yield from self.guards(node)
            elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
                yield self.mutant(node, f"({self.text(node.operand)})", "not forgotten")
            elif isinstance(node, ast.Assert):
                yield self.mutant(node, "pass", "assertion forgotten")
            elif isinstance(node, ast.AugAssign) or _is_action(node):
                assert isinstance(node, ast.stmt)
                yield self.mutant(node, "pass", f"forgotten: {self.text(node)[:60]}")

    def checked(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes whose faults are of interest: no annotations, no docstrings, no words of an error."""
        yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_comment"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or isinstance(child, (ast.Raise, ast.JoinedStr, ast.Import)):
                    continue
                if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                    continue
                if isinstance(child, ast.FunctionDef) and child.name in ("__repr__", "__str__", "_repr_html_"):
                    continue
                yield from self.checked(child)

    def compared(self, node: ast.Compare) -> Iterator[Mutant]:
        operands = [node.left, *node.comparators]
        for i, operator in enumerate(node.ops):
            new = COMPARED[type(operator)]
            start, end = self.span(operands[i])[1], self.span(operands[i + 1])[0]
            between = self.source[start:end]
            old = between.strip(" ()\n")
            if old and old in between:
                yield Mutant(self.file, node.lineno, start, end, between.replace(old, new, 1), f"{old} becomes {new}")

    def conjuncts(self, node: ast.BoolOp) -> Iterator[Mutant]:
        word = " and " if isinstance(node.op, ast.And) else " or "
        for i, dropped in enumerate(node.values):
            rest = word.join(self.text(value) for j, value in enumerate(node.values) if j != i)
            yield self.mutant(node, f"({rest})", f"dropped: {self.text(dropped)[:60]}")

    def computed(self, node: ast.BinOp) -> Iterator[Mutant]:
        words = (node.left, node.right)
        if type(node.op) not in COMPUTED or any(isinstance(w, ast.JoinedStr) or _is_word(w) for w in words):
            return
        new = COMPUTED[type(node.op)]
        what = f"{self.text(node)[:60]} with {new}"
        yield self.mutant(node, f"({self.text(node.left)} {new} {self.text(node.right)})", what)

    def called(self, node: ast.Call) -> Iterator[Mutant]:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in CALLED:
            end = self.span(node.func)[1]
            yield Mutant(
                self.file, node.lineno, end - len(name), end, CALLED[name], f"{name} becomes {CALLED[name]}"
            )  # fmt: skip

    def constants(self, node: ast.Constant) -> Iterator[Mutant]:
        value = node.value
        if isinstance(value, bool):
            yield self.mutant(node, str(not value), f"{value} becomes {not value}")
        elif isinstance(value, int):
            yield self.mutant(node, str(value + 1), f"{value} becomes {value + 1}")
        elif isinstance(value, float):
            other = 2 * value if value else 1.0
            yield self.mutant(node, repr(other), f"{value} becomes {other}")

    def guards(self, node: ast.If) -> Iterator[Mutant]:
        yield self.mutant(node.test, f"not ({self.text(node.test)})", f"if not {self.text(node.test)[:60]}")
        if isinstance(node.body[-1], (ast.Raise, ast.Return, ast.Continue)) and not node.orelse:
            yield self.mutant(node.test, "False", f"guard forgotten: if {self.text(node.test)[:60]}")


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_action(node: ast.AST) -> bool:
    """A statement that is a call: it was written for its effect."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
