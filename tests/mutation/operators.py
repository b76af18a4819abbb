"""Operators on syntax trees that plant one small fault each; most of them only weaken a check.

:data:`KINDS` lists them.  Docstrings, annotations and error messages contain no check and are left alone.
"""

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
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.BitOr: "|", ast.BitAnd: "&"}
EXTREMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "argmin": "argmax",
            "argmax": "argmin", "any": "all", "all": "any"}  # fmt: skip
SIDES = {"floor": "ceil", "up": "down", "above": "below", "float_above": "float_below", "at_most": "at_least",
         "ROUND_CEILING": "ROUND_FLOOR", "lower": "upper", "low": "high", "least": "most"}  # fmt: skip
SIDES |= {other: one for one, other in SIDES.items()}
ROUNDED = {"nextafter", "floor", "ceil", "float_above", "float_below", "above", "below", "at_most", "at_least", "abs"}
JOINED = {"min", "max", "least", "minimum", "maximum", "union"}

KINDS = {
    "comparison": "a boundary is included or lost, a relation turned around, one end of a chain dropped",
    "eased": "a comparison allows a hundredth, or a billionth of nothing, more or less",
    "conjunct": "a part of a conjunction, of a filter, of a list or of a minimum is dropped",
    "guard": "a condition is always or never true, or negated; an assertion or a hypothesis is gone",
    "rounding": "a rounding goes the other way or is forgotten, a lower end stands for an upper one",
    "constant": "a number is one off, twice, none, or a hundredth larger or smaller",
    "term": "a summand or a factor is forgotten, halved or doubled",
    "sign": "an operator is exchanged for its opposite, min for max",
    "statement": "an action or an assignment is gone, one argument stands for its neighbour",
}


@dataclass(frozen=True)
class Mutant:
    """``file`` with the text between two offsets replaced by ``new``; ``what`` describes the fault in ``line``."""

    file: str
    line: int
    start: int
    end: int
    new: str
    what: str
    kind: str = ""

    @property
    def name(self) -> str:
        """A name that depends on the fault and its place only, not on the sample."""
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
        #: Tuples that are iterated over, not unpacked or used as an index.
        self.collections = {
            id(child)
            for node in ast.walk(self.tree)
            if isinstance(node, (ast.Call, ast.Compare, ast.For, ast.comprehension, ast.keyword, ast.Starred))
            for child in ast.iter_child_nodes(node)
        }
        self.words = {_name(node) for node in ast.walk(self.tree) if isinstance(node, (ast.Name, ast.Attribute))}

    def offset(self, line: int, column: int) -> int:
        """ast counts columns in bytes, Python's strings in characters."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        last, column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self.offset(node.lineno, node.col_offset), self.offset(last, column)

    def text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.source[start:end]

    def operand(self, node: ast.expr) -> str:
        """The text, in parentheses if it is more than a name, a number or a call: those of the source are not in it."""
        simple = isinstance(node, (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript))
        return self.text(node) if simple else f"({self.text(node)})"

    def mutant(self, kind: str, node: ast.expr | ast.stmt, new: str, what: str) -> Mutant:
        start, end = self.span(node)
        return Mutant(self.file, node.lineno, start, end, new, what, kind)

    def all(self) -> Iterator[Mutant]:
        for node in self.checked(self.tree):
            make = getattr(self, f"of_{type(node).__name__}", None)
            if make is not None:
                yield from make(node)

    def checked(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes to change: all but annotations, docstrings and error messages."""
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

    def of_Compare(self, node: ast.Compare) -> Iterator[Mutant]:
        operands = [node.left, *node.comparators]
        for i, operator in enumerate(node.ops):
            new = COMPARED[type(operator)]
            start, end = self.span(operands[i])[1], self.span(operands[i + 1])[0]
            between = self.source[start:end]
            old = between.strip(" ()\n")
            if old and old in between:
                what, new = f"{old} becomes {new}", between.replace(old, new, 1)
                yield Mutant(self.file, node.lineno, start, end, new, what, "comparison")
            if isinstance(operator, (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq)):
                yield from self.eased(node, operator, operands[i], operands[i + 1])
        if len(node.ops) > 1:
            for part in (operands[0], operands[-1]):
                cut = self.span(operands[1])[0] if part is operands[0] else self.span(operands[-2])[1]
                ends = (self.span(node)[0], cut) if part is operands[0] else (cut, self.span(node)[1])
                yield Mutant(self.file, node.lineno, *ends, "", f"dropped end: {self.text(part)[:60]}", "comparison")

    def eased(self, node: ast.Compare, operator: ast.cmpop, left: ast.expr, right: ast.expr) -> Iterator[Mutant]:
        if any(_is_word(side) or isinstance(side, (ast.Tuple, ast.Set, ast.Dict)) for side in (left, right)):
            return
        if isinstance(operator, ast.Eq):
            if len(node.ops) == 1 and isinstance(right, ast.Constant) and right.value == 0:
                yield self.mutant("eased", node, f"abs({self.text(left)}) < 1e-9", f"{self.text(node)[:60]}, nearly")
        elif isinstance(right, ast.Constant) and right.value == 0:
            for new in ("1e-9", "-1e-9"):
                yield self.mutant("eased", right, new, f"0 becomes {new}")
        else:
            for share in (99, 101):
                what = f"{share} % of {self.text(right)[:60]}"
                yield self.mutant("eased", right, f"({self.text(right)}) * {share} / 100", what)
            if not isinstance(right, ast.Constant):
                for more in ("+ 1", "- 1"):
                    yield self.mutant(
                        "eased", right, f"{self.operand(right)} {more}", f"{self.text(right)[:60]} {more}"
                    )

    def of_BoolOp(self, node: ast.BoolOp) -> Iterator[Mutant]:
        word = " and " if isinstance(node.op, ast.And) else " or "
        for i, dropped in enumerate(node.values):
            rest = word.join(self.text(value) for j, value in enumerate(node.values) if j != i)
            yield self.mutant("conjunct", node, f"({rest})", f"dropped: {self.text(dropped)[:60]}")
        other = word.join(f"({self.text(value)})" for value in node.values).replace(
            *((") and (", ") or (") if word == " and " else (") or (", ") and ("))
        )
        yield self.mutant("conjunct", node, f"({other})", f"and for or: {self.text(node)[:60]}")

    def of_comprehension(self, node: ast.comprehension) -> Iterator[Mutant]:
        for test in node.ifs:
            yield self.mutant("conjunct", test, "True", f"dropped: if {self.text(test)[:60]}")

    def of_List(self, node: ast.List | ast.Set | ast.Tuple) -> Iterator[Mutant]:
        values = not isinstance(node, ast.Tuple) or id(node) in self.collections
        if values and isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and len(node.elts) > 1:
            for dropped in node.elts:
                yield self.without(node, dropped, node.elts)

    of_Set = of_List
    of_Tuple = of_List

    def without(self, node: ast.expr, dropped: ast.expr, parts: list[ast.expr]) -> Mutant:
        """The text of a list or call without one of its parts, and without the comma that belongs to it."""
        i = parts.index(dropped)
        start = self.span(parts[i - 1])[1] if i else self.span(dropped)[0]
        end = self.span(dropped)[1] if i else self.span(parts[1])[0]
        new = "," if i and len(parts) == 2 and isinstance(node, ast.Tuple) else ""
        if not i and len(parts) == 2 and isinstance(node, ast.Tuple):
            end, new = self.span(parts[1])[1], f"{self.text(parts[1])},"
        what = f"dropped: {self.text(dropped)[:60]}"
        return Mutant(self.file, dropped.lineno, start, end, new, what, "conjunct")

    def of_BinOp(self, node: ast.BinOp) -> Iterator[Mutant]:
        sides = (node.left, node.right)
        if type(node.op) not in COMPUTED or any(isinstance(side, ast.JoinedStr) or _is_word(side) for side in sides):
            return
        left, right = (self.operand(side) for side in sides)
        new = COMPUTED[type(node.op)]
        yield self.mutant("sign", node, f"({left} {new} {right})", f"{self.text(node)[:60]} with {new}")
        if isinstance(node.op, ast.FloorDiv):
            yield self.mutant("rounding", node, f"(-(-{left} // {right}))", f"rounded up: {self.text(node)[:60]}")
        sign = SIGNS.get(type(node.op))
        if sign is None:
            return
        if sign == "-":
            yield self.mutant("sign", node, f"({right} - {left})", f"the other way round: {self.text(node)[:60]}")
        yield self.mutant("term", node, f"({left})", f"forgotten: {sign} {right[:60]}")
        if sign in "+*|&":
            yield self.mutant("term", node, f"({right})", f"forgotten: {left[:60]} {sign}")
        if sign in "+-":
            for factor, what in (("2", "twice"), ("0.5", "half of")):
                new = f"({left} {sign} {factor} * {right})"
                yield self.mutant("term", node, new, f"{what} {right[:40]} in {self.text(node)[:60]}")
                new = f"({factor} * {left} {sign} {right})"
                yield self.mutant("term", node, new, f"{what} {left[:40]} in {self.text(node)[:60]}")
        elif sign in "*/":
            yield self.mutant("term", node, f"(0.5 * ({self.text(node)}))", f"half of {self.text(node)[:60]}")

    def of_Call(self, node: ast.Call) -> Iterator[Mutant]:
        name = _name(node.func)
        given = [self.text(part) for part in node.args]
        plain = not any(isinstance(part, (ast.Starred, ast.GeneratorExp)) for part in node.args)
        if name in EXTREMES:
            yield self.renamed("sign", node.func, name, EXTREMES[name])
        if name in ROUNDED and given and plain:
            yield self.mutant("rounding", node, f"({given[0]})", f"forgotten: {name} of {given[0][:60]}")
        if name == "ceil_div" and len(given) == 2:
            yield self.mutant("rounding", node, f"(({given[0]}) // ({given[1]}))", f"rounded down: {given[0][:60]}")
        if name == "nextafter" and len(given) == 2:
            other = given[1].removeprefix("-") if given[1].startswith("-") else f"-{given[1]}"
            yield self.mutant("rounding", node.args[1], other, f"towards {other}")
        if name in JOINED and len(given) > 1:
            for i, part in enumerate(node.args):
                if len(given) == 2 and plain:
                    yield self.mutant("conjunct", node, f"({given[1 - i]})", f"dropped: {given[i][:60]}")
                else:
                    yield self.without(node, part, node.args)
        for one, other in zip(node.args, node.args[1:], strict=False):
            if _name(one) and _name(other) and self.text(one) != self.text(other):
                for old, new in ((one, other), (other, one)):
                    what = f"{self.text(new)[:40]} for {self.text(old)[:40]}"
                    yield self.mutant("statement", old, self.text(new), what)
        for keyword in node.keywords:
            if keyword.arg == "when":
                yield self.mutant("guard", keyword.value, "lambda *_: True", "the hypotheses are gone")

    def renamed(self, kind: str, node: ast.expr, name: str, new: str) -> Mutant:
        end = self.span(node)[1]
        return Mutant(self.file, node.lineno, end - len(name), end, new, f"{name} becomes {new}", kind)

    def of_Name(self, node: ast.Name | ast.Attribute) -> Iterator[Mutant]:
        name = _name(node)
        module = isinstance(node, ast.Attribute) and _name(node.value) in ("math", "np")
        if name in SIDES and isinstance(node.ctx, ast.Load) and (module or SIDES[name] in self.words):
            yield self.renamed("rounding", node, name, SIDES[name])
        if name.startswith("ROUND_") and "HALF" not in name:
            start, end = self.span(node)
            yield Mutant(self.file, node.lineno, start, end, "'ROUND_HALF_EVEN'", "rounded to nearest", "rounding")

    of_Attribute = of_Name

    def of_Constant(self, node: ast.Constant) -> Iterator[Mutant]:
        value = node.value
        if isinstance(value, bool):
            yield self.mutant("constant", node, str(not value), f"{value} becomes {not value}")
        elif isinstance(value, int):
            for other in dict.fromkeys((value + 1, value - 1, 2 * value)):
                if other != value:
                    yield self.mutant("constant", node, f"({other})", f"{value} becomes {other}")
        elif isinstance(value, float):
            for other in dict.fromkeys((2 * value if value else 1.0, 1.01 * value, 0.99 * value, 0.0)):
                if other != value:
                    yield self.mutant("constant", node, repr(other), f"{value} becomes {other}")

    def of_UnaryOp(self, node: ast.UnaryOp) -> Iterator[Mutant]:
        if isinstance(node.op, ast.Not):
            yield self.mutant("guard", node, f"({self.text(node.operand)})", "not forgotten")
        inner = node.operand
        if isinstance(node.op, ast.USub) and isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.FloorDiv):
            up = inner.left
            if isinstance(up, ast.UnaryOp) and isinstance(up.op, ast.USub):
                new = f"({self.text(up.operand)} // {self.text(inner.right)})"
                yield self.mutant("rounding", node, new, f"rounded down: {self.text(node)[:60]}")

    def of_If(self, node: ast.If) -> Iterator[Mutant]:
        test = self.text(node.test)
        yield self.mutant("guard", node.test, f"not ({test})", f"if not {test[:60]}")
        if isinstance(node.body[-1], (ast.Raise, ast.Return, ast.Continue)) and not node.orelse:
            yield self.mutant("guard", node.test, "False", f"guard forgotten: if {test[:60]}")
        else:
            yield self.mutant("guard", node.test, "False", f"never: if {test[:60]}")
        yield self.mutant("guard", node.test, "True", f"always: if {test[:60]}")

    def of_IfExp(self, node: ast.IfExp) -> Iterator[Mutant]:
        for branch in (node.body, node.orelse):
            yield self.mutant("guard", node, f"({self.text(branch)})", f"always {self.text(branch)[:60]}")

    def of_Assert(self, node: ast.Assert) -> Iterator[Mutant]:
        yield self.mutant("guard", node, "pass", "assertion forgotten")

    def gone(self, node: ast.stmt) -> Mutant:
        return self.mutant("statement", node, "pass", f"forgotten: {self.text(node)[:60]}")

    def of_AugAssign(self, node: ast.AugAssign) -> Iterator[Mutant]:
        yield self.gone(node)
        new = f"{self.text(node.target)} = {self.text(node.value)}"
        yield self.mutant("statement", node, new, f"not added up: {self.text(node)[:60]}")

    def of_Assign(self, node: ast.Assign) -> Iterator[Mutant]:
        if all(isinstance(target, (ast.Subscript, ast.Attribute)) for target in node.targets) or (
            len(node.targets) == 1
            and _name(node.targets[0]) in {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
        ):
            yield self.gone(node)

    def of_Expr(self, node: ast.Expr) -> Iterator[Mutant]:
        if isinstance(node.value, ast.Call):  # written for its effect
            yield self.gone(node)


def _name(node: ast.expr) -> str:
    """The name, or the last part of a dotted one; empty if it is neither."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
