"""Small changes of a kernel's text, each the opposite of a common mistake; trying them shows which one makes it right.

Each change has a doubt: those that mend a common mistake come first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tilewright.lab.source.declarations import Item, declared_name, function_declarator
from tilewright.lab.source.structs import OF_PARAMETER
from tilewright.lab.source.syntax import Node, Syntax, children, descend

PLAIN, USUAL, LIKELY, POSSIBLE, UNLIKELY = 0.2, 0.8, 1, 2, 3
"""Doubt: mends what can hardly be meant; a very common mistake; a common one; a rare one; anything else."""
_INTEGERS = {"int", "unsigned", "long", "short", "size_t", "char", "signed", "bool", "auto", "const"}
_FLOATS = {"float", "double", "half", "__half", "__nv_bfloat16", "half2"}
STATEMENTS = (
    "expression_statement",
    "declaration",
    "for_statement",
    "while_statement",
    "do_statement",
    "if_statement",
    "compound_statement",
    "return_statement",
    "break_statement",
    "continue_statement",
)
_COMPARES = re.compile(r"[<>]=?(?![<>])|[!=]=|&&|\|\|")
_BUILT_IN = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_ORDERS = re.compile(r"[<>]=?(?![<>])|[!=]=")
LOOPS = ("for_statement", "while_statement", "do_statement")


@dataclass(frozen=True)
class Edit:
    """Characters of a text and what is to stand in their place."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Return a text with edits made; those inside of another are left out."""
    pieces, place = [], 0
    for edit in sorted(edits, key=lambda each: (each.start, each.end)):
        if edit.start < place:
            continue
        pieces += [text[place : edit.start], edit.text]
        place = edit.end
    return "".join([*pieces, text[place:]])


@dataclass(frozen=True)
class Change:
    """Edits of a function's text. line, last_line: what they change. was, now: the text before and after.

    says: the change as a clause, such as "with `k < n` in place of `k <= n`". mends: `barrier`, `fill`, `guard`, ...
    is_of_values: whether it changes what is computed from the elements, and not which are taken, or when. next_line:
    of what is put between two lines, the one below.
    """

    edits: tuple[Edit, ...]
    line: int
    last_line: int
    says: str
    doubt: float
    now: str = ""
    mends: str = ""
    function: tuple[int, int] = (0, 0)
    is_of_values: bool = False
    next_line: int = 0


@dataclass(frozen=True)
class Bounds:
    """What is known of the kernel's arrays: of a pointer by name, its rows and columns as expressions; `("n",)` of a
    vector. sizes: names and expressions that are sizes.
    """

    extents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sizes: tuple[str, ...] = ()


class ChangeableFunction:
    """A kernel or a function that it may call: its tree, and the names of its numbers."""

    def __init__(self, syntax: Syntax, item: Item, bounds: Bounds, constants: Sequence[str]) -> None:
        assert item.node is not None
        self.syntax, self.item, self.node, self.bounds = syntax, item, item.node, bounds
        self.constants = tuple(constants)
        body = item.node.child_by_field_name("body")
        assert body is not None
        self.body: Node = body
        self.integers: dict[str, tuple[int, tuple[int, int]]] = {}
        self.parameters: list[str] = []
        self.pointers: set[str] = set()
        self.floats: dict[str, Node] = {}
        self._declare()

    @property
    def is_kernel(self) -> bool:
        """Whether it is launched."""
        return "__global__" in self.item.annotations

    def source(self, node: Node | None) -> str:
        """Return the text of a node in one line, without comments."""
        return self.syntax.source(node)

    def nodes(self, *types: str) -> list[Node]:
        """Return the nodes of some types in the body."""
        return descend(self.body, *types)

    def statements(self) -> Iterator[Node]:
        """Yield each statement of the body, outer ones first."""
        yield from (node for node in descend(self.body, *STATEMENTS) if node != self.body)

    def integers_at(self, place: int) -> list[str]:
        """Return the whole numbers that a place may name, parameters first."""
        return [
            name for name, (start, scope) in self.integers.items() if start < place and scope[0] <= place < scope[1]
        ]

    def change(self, node: Node, now: str, doubt: float, *, says: str = "", shown: str = "") -> Change:
        """Return the change that puts a text in a node's place."""
        return self.edits([Edit(node.start_byte, node.end_byte, now)], node, doubt, says=says or self._says(node, now),
                          now=shown or now)  # fmt: skip

    def edits(self, edits: Sequence[Edit], node: Node, doubt: float, *, says: str, now: str = "") -> Change:
        """Return a change of several places, described by one node."""
        return Change(
            tuple(edits),
            self.syntax.line(node),
            self.syntax.lines.at(max(node.start_byte, node.end_byte - 1)),
            says,
            doubt,
            now,
            function=(self.item.start, self.item.end),
            is_of_values=self._is_of_values(node),
        )

    def _is_of_values(self, node: Node) -> bool:
        """Return whether a node is part of a calculation, and not a statement, a comparison or an index."""
        if node.type in STATEMENTS:
            return False
        around = [*descend(node, "binary_expression"), *enclosing(node, "binary_expression")]
        if any(_ORDERS.search(self.source(each)) and self._is_between_indices(each) for each in around):
            return True
        if self._is_of_whole_numbers(node):
            return False
        outer: Node | None = node
        while outer is not None and outer.type not in STATEMENTS:
            if outer.type in ("subscript_expression", "condition_clause"):
                return False
            if outer.type == "binary_expression" and _COMPARES.search(self.source(outer)):
                return self._is_between_indices(outer)
            if outer.type == "call_expression" and "shfl" in self.source(outer):
                return False
            outer = outer.parent
        if outer is None or (outer.type == "declaration" and self._is_integer(outer)):
            return False
        loop = outer.parent
        return outer.type not in LOOPS and (loop is None or loop.type not in LOOPS or _is_body(loop, outer))

    def _is_between_indices(self, node: Node) -> bool:
        """Return whether a comparison is of an element's place with another index, and no size: of a triangle."""
        names = {self.source(each) for each in descend(node, "identifier")}
        sizes = {*self.parameters, *self.constants, *_BUILT_IN}
        if any(descend(node, "field_expression")):  # of a struct of sizes
            return False
        return len(names) > 1 and not names & sizes and any(self._is_place(name) for name in names)

    def _is_place(self, name: str) -> bool:
        """Return whether a variable is declared from the block's number."""
        return re.search(rf"\b{re.escape(name)}\s*=[^;,]*\bblockIdx\b", self.source(self.body)) is not None

    def _is_of_whole_numbers(self, node: Node) -> bool:
        """Return whether an expression is made of sizes and indices alone, as in what a macro makes a subscript of."""
        fields = [each for each in (node, *descend(node, "field_expression")) if each.type == "field_expression"]
        inner = {each.id for field in fields for each in descend(field, "identifier")}
        names = {self.source(each) for each in (node, *descend(node, "identifier")) if each.id not in inner}
        names = {each for each in names if each.isidentifier()}
        names |= {self.source(field).replace(".", OF_PARAMETER) for field in fields}
        is_element = descend(node, "subscript_expression", "pointer_expression", "call_expression")
        known = {*self.integers, *self.constants, *self.parameters}
        return (
            bool(names)
            and not is_element
            and all(name in known or name.split(OF_PARAMETER)[0] in _BUILT_IN for name in names)
        )

    def _says(self, node: Node, now: str) -> str:
        return f"with `{' '.join(now.split())}` in place of `{self.source(node)}`"

    def _declare(self) -> None:
        declarator = function_declarator(self.node.child_by_field_name("declarator"))
        listed = declarator.child_by_field_name("parameters") if declarator is not None else None
        for parameter in listed.named_children if listed is not None else ():
            name = declared_name(parameter.child_by_field_name("declarator"))
            if name is not None and parameter.child_by_field_name("declarator") != name:
                self.pointers.add(self.source(name))
            elif name is not None and self._is_integer(parameter):
                self.parameters.append(self.source(name))
                self.integers[self.source(name)] = (0, (0, 1 << 62))
        for node in self.nodes("declaration"):
            outer = node.parent
            scope = (outer.start_byte, outer.end_byte) if outer is not None else (0, 1 << 62)
            for kind, child in children(node):
                if kind != "declarator":
                    continue
                inner = child.child_by_field_name("declarator") if child.type == "init_declarator" else child
                if inner is None or inner.type != "identifier":
                    continue
                if self._is_integer(node):
                    self.integers[self.source(inner)] = (node.start_byte, scope)
                elif self.is_float(node):
                    self.floats[self.source(inner)] = node

    def _is_integer(self, node: Node) -> bool:
        words = set(self.source(node.child_by_field_name("type")).split())
        return bool(words) and all(word in _INTEGERS or word.endswith("_t") for word in words)

    def is_float(self, node: Node) -> bool:
        """Whether a declaration is of floating-point numbers."""
        kind = self.source(node.child_by_field_name("type"))
        return kind in _FLOATS or (
            self.item.template is not None and kind.isidentifier() and not self._is_integer(node)
        )


def _is_body(loop: Node, node: Node) -> bool:
    return loop.child_by_field_name("body") == node


def enclosing(node: Node, *types: str) -> Iterator[Node]:
    """Yield the nodes of some types around a node, the innermost first."""
    outer = node.parent
    while outer is not None and outer.type != "function_definition":
        if outer.type in types:
            yield outer
        outer = outer.parent


def statement_of(node: Node) -> Node:
    """Return the statement that an expression stands in."""
    return next((each for each in (node, *enclosing(node, *STATEMENTS)) if each.type in STATEMENTS), node)
