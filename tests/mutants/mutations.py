"""Small changes of a Python source, each at one place: what a tired author would write instead.

Left as they are: annotations, docstrings and other texts, what only type checkers read, `__all__`, what checks the
author (assert, and the strictness of zip), and changes that no caller sees: None in place of a False that is returned.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


@dataclass(frozen=True)
class Mutant:
    """A change of one file: ``kind`` in a word or two, the function it is in, and what stood there and stands there.

    ``begin`` and ``end`` are bytes of the source; ``file`` is relative to the package; ``number`` counts those of a
    function that are otherwise alike.
    """

    file: str
    line: int
    function: str
    kind: str
    before: str
    after: str
    begin: int
    end: int
    number: int = 1

    @property
    def key(self) -> str:
        """Its name, which stays when lines move."""
        name = f"{self.file} {self.function}: {self.kind}: {self.before} -> {self.after}"
        return name if self.number == 1 else f"{name} ({self.number})"

    def applied(self, source: bytes) -> bytes:
        """Return the source with the change."""
        return source[: self.begin] + self.after.encode() + source[self.end :]


def mutants_of(file: str, source: bytes) -> list[Mutant]:
    """Return all mutants of a source, in its order."""
    return list(_Finder(file, source).found)


class _Finder:
    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source = file, source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.found: list[Mutant] = []
        self._alike: Counter[tuple[str, str, str, str]] = Counter()
        self._body(ast.parse(source), "")

    def _body(self, node: ast.AST, function: str) -> None:
        for child in _children(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{function}.{child.name}" if function else child.name
            else:
                name = function
            for kind, place, after in _changes(child):
                self._add(name, kind, place, after)
            self._body(child, name)

    def _add(self, function: str, kind: str, place: ast.AST, after: str) -> None:
        assert isinstance(place, ast.expr | ast.stmt)
        assert place.end_lineno is not None
        assert place.end_col_offset is not None
        begin = self.starts[place.lineno - 1] + place.col_offset
        end = self.starts[place.end_lineno - 1] + place.end_col_offset
        before = " ".join(self.source[begin:end].decode().split())
        if before == after:
            return
        alike = function or "module", kind, before, after
        self._alike[alike] += 1
        self.found.append(Mutant(self.file, place.lineno, *alike, begin, end, self._alike[alike]))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is executed below a node."""
    for name, value in ast.iter_fields(node):
        if name == "keywords" and isinstance(node, ast.Call) and ast.unparse(node.func) == "zip":
            continue
        if name in {"annotation", "returns", "type_params", "decorator_list", "type_comment"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_for_readers(child):
                yield child


def _is_for_readers(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert):
        return True
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST, str]]:
    """Yield what is changed at a node: the kind, the node that is replaced, and by what."""
    yield from _of_statement(node) if isinstance(node, ast.stmt) else _of_expression(node)


def _of_statement(node: ast.stmt) -> Iterator[tuple[str, ast.AST, str]]:
    match node:
        case ast.If(test=test) | ast.While(test=test):
            yield "condition", test, _text(ast.UnaryOp(ast.Not(), test))
        case ast.Return(value=ast.expr() as value) if not _is_nothing(value):
            yield "return", value, "None"
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            yield "removed", node, "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "removed", node, "pass"


def _of_expression(node: ast.AST) -> Iterator[tuple[str, ast.AST, str]]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
            yield "comparison", node, _text(ast.Compare(left, [COMPARISONS[type(op)]()], [right]))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC and not _has_text(left, right):
            yield "arithmetic", node, _text(ast.BinOp(left, ARITHMETIC[type(op)](), right))
        case ast.BoolOp(op=op, values=values):
            yield "and or", node, _text(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "negation", node, _text(operand)
        case ast.IfExp(test=test):
            yield "condition", test, _text(ast.UnaryOp(ast.Not(), test))
        case ast.Constant(value=bool() as value):
            yield "constant", node, str(not value)
        case ast.Constant(value=int() as value):
            yield "constant", node, str(value + 1)


def _is_nothing(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and (value.value is None or value.value is False)


def _has_text(*sides: ast.expr) -> bool:
    return any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides)


def _text(node: ast.expr) -> str:
    return f"({ast.unparse(ast.fix_missing_locations(node))})"
