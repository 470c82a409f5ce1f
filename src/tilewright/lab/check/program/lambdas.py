"""Functions in the expressions of a host program: they run in the frame in which they were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .compiler import Code, Compiler, Frame, Scope, converted
from .host_types import NOTHING, Number, PointerTo, RecordType, UnreadError, VectorOf
from .type_names import declared, is_reference, type_of

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, eq=False)
class Lambda:
    """A function in an expression. scopes: what it knows. size: the counter of its function's variables."""

    node: Node
    scopes: list[Scope]
    size: list[int]


def lambda_expression(c: Compiler, node: Node) -> Code:
    """Return a function in an expression; its value is the frame in which it is made."""
    return Code(lambda frame: frame, Lambda(node, list(c.scopes), c.sizes[-1]))


def called_lambda(c: Compiler, called: Code, given: Sequence[Code]) -> Code:
    """Return a call of a function in an expression."""
    made: Lambda = called.type
    saved = c.scopes, c.sizes
    c.scopes, c.sizes = [*made.scopes, Scope()], [*c.sizes, made.size]
    c.results.append([None, False])
    try:
        slots, runs = [], []
        place = made.node.child_by_field_name("declarator")
        parameters = place.child_by_field_name("parameters") if place is not None else None
        named = [each for each in parameters.named_children if "declaration" in each.type] if parameters else []
        if len(named) != len(given):
            raise UnreadError("a lambda with other arguments")
        for each, value in zip(named, given, strict=True):
            kind = type_of(c, each.child_by_field_name("type"), value.type)
            declarator = each.child_by_field_name("declarator")
            name, kind = declared(c, declarator, kind)
            is_place = is_reference(declarator) and value.place is not None and isinstance(kind, Number | PointerTo)
            is_same = is_reference(declarator) and isinstance(kind, VectorOf | RecordType)
            runs.append(value.place if is_place else value.run if is_same else converted(value, kind))
            slots.append(c.declare(name, value.type if is_place else kind, is_reference=is_place).slot)
        body = c.statement(made.node.child_by_field_name("body"))  # type: ignore[arg-type]
        kind = c.results[-1][0] or NOTHING
    finally:
        c.scopes, c.sizes = saved
        c.results.pop()
    owner = called.run

    def run(frame: Frame) -> Any:
        own = owner(frame)
        for slot, value in zip(slots, [each(frame) for each in runs], strict=True):  # type: ignore[misc]
            own[slot] = value
        own[0] = None
        body(own)
        return own[0]

    return Code(run, kind)
