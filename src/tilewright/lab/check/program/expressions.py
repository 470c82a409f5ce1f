"""Expressions of a host program but for calls: numbers, names, operators, places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .compiler import Code, Compiler, Frame, Symbol, converted, variable
from .constants import CONSTANTS, STREAMS, constant
from .host_types import (
    BLANK,
    BOOL,
    CONVERTERS,
    INT,
    NOTHING,
    SIZE,
    ArrayOf,
    Number,
    PointerTo,
    RecordType,
    UnreadError,
    VectorOf,
    common,
    size_of,
)
from .memory import HostFaultError, Pointer, memory_of
from .operators import condition, there
from .type_names import type_of

if TYPE_CHECKING:
    from tree_sitter import Node


def name(c: Compiler, node: Node) -> Code:
    """Return a variable, a constant or a member of the object."""
    word = c.text(node).split("::")[-1].strip()
    found = c.look_up(word)
    if isinstance(found, Code):
        return found
    if isinstance(found, Symbol):
        return variable(found)
    if isinstance(found, bool):
        return constant(found, BOOL)
    if isinstance(found, int):
        return constant(found, INT)
    if word in CONSTANTS:
        return constant(*CONSTANTS[word])
    if word in STREAMS or word.startswith(
        ("cudaSuccess", "cudaError", "cudaFunc", "cudaDev", "cudaEvent", "cudaStream")
    ):
        return constant(0, INT) if word.startswith("cuda") else constant(None, BLANK)
    whole = c.text(node)
    limit = re.fullmatch(r"(?:std::)?numeric_limits<(.*)>::(max|min|lowest|epsilon|infinity)", whole)
    raise UnreadError(f"the name {limit[0] if limit else whole}")


def parenthesized(c: Compiler, node: Node) -> Code:
    """Return what stands in parentheses."""
    return c.expression(node.named_children[0])


def comma(c: Compiler, node: Node) -> Code:
    """Return the last of two expressions."""
    left = c.expression(node.child_by_field_name("left"))  # type: ignore[arg-type]
    right = c.expression(node.child_by_field_name("right"))  # type: ignore[arg-type]
    return Code(lambda frame: (left.run(frame), right.run(frame))[1], right.type)


def pointed(c: Compiler, node: Node) -> Code:
    """Return the place of something, or what is at a place."""
    sign = node.child_by_field_name("operator").text.decode()  # type: ignore[union-attr]
    inner = c.expression(node.child_by_field_name("argument"))  # type: ignore[arg-type]
    if sign == "&":
        if isinstance(inner.type, ArrayOf):
            return Code(inner.run, PointerTo(inner.type.of))
        if inner.place is None:
            raise UnreadError(f"the place of {c.text(node)}")
        return Code(inner.place, PointerTo(inner.type))
    if not isinstance(inner.type, PointerTo | ArrayOf):
        raise UnreadError(f"* of {inner.type}")
    return element(Code(inner.run, inner.type), constant(0, INT))


def element(array: Code, index: Code) -> Code:
    """Return an element of an array."""
    where, at = array.run, index.run
    kind = array.type.of
    if isinstance(kind, ArrayOf):
        step = 1
        inner: Any = kind
        while isinstance(inner, ArrayOf):
            step, inner = step * inner.count, inner.of
        return Code(lambda frame: where(frame).moved(step * at(frame)), kind)

    def found(frame: Frame) -> tuple[Any, int]:
        place = where(frame)
        if place is None:
            raise HostFaultError("a null pointer is used")
        number = place.at + at(frame)
        if number < 0:
            raise HostFaultError("an index is less than 0")
        return place.s.v, number

    def run(frame: Frame) -> Any:
        memory, number = found(frame)
        return memory[number]

    def store(frame: Frame, value: Any) -> None:
        memory, number = found(frame)
        memory[number] = value

    return Code(run, kind, store, lambda frame: there(where(frame)).moved(at(frame)))


def subscript(c: Compiler, node: Node) -> Code:
    """Return an element of an array or a vector."""
    array = c.expression(node.child_by_field_name("argument"))  # type: ignore[arg-type]
    indices = node.child_by_field_name("indices")
    index = c.expression(indices.named_children[0])  # type: ignore[union-attr]
    if isinstance(array.type, RecordType):
        return c.calls["operator"](c, array, "operator[]", indices.named_children)  # type: ignore[no-any-return, union-attr]
    if not isinstance(index.type, Number):
        raise UnreadError(f"the index {c.text(node)}")
    if isinstance(array.type, VectorOf):
        whole = array.run
        return element(Code(lambda frame: whole(frame).pointer(), PointerTo(array.type.of)), index)
    if not isinstance(array.type, PointerTo | ArrayOf):
        raise UnreadError(f"an element of {array.type}")
    return element(array, index)


def member(c: Compiler, node: Node) -> Code:
    """Return a member of an object."""
    owner = c.expression(node.child_by_field_name("argument"))  # type: ignore[arg-type]
    word = c.text(node.child_by_field_name("field"))
    if isinstance(owner.type, PointerTo):
        owner = element(owner, constant(0, INT))
    if not isinstance(owner.type, RecordType):
        raise UnreadError(f"a member of {owner.type}")
    return member_of(owner, word)


def member_of(owner: Code, word: str) -> Code:
    """Return a member of an object by its name."""
    kinds = {each.name: each.type for each in owner.type.fields}
    if word not in kinds:
        raise UnreadError(f"the member {word} of {owner.type.name}")
    run = owner.run

    def store(frame: Frame, value: Any) -> None:
        run(frame).f[word] = value

    return Code(
        lambda frame: run(frame).f[word],
        kinds[word],
        store,
        lambda frame: Pointer(_Member(run(frame)), word, kinds[word]),  # type: ignore[arg-type]
    )


class _Member:
    """A member of an object as memory."""

    __slots__ = ("v",)
    raw = None

    def __init__(self, owner: Any) -> None:
        self.v = owner.f


def cast(c: Compiler, node: Node) -> Code:
    """Return an expression as another type."""
    kind = type_of(c, node.child_by_field_name("type"))
    return as_type(c.expression(node.child_by_field_name("value")), kind)  # type: ignore[arg-type]


def as_type(inner: Code, kind: Any) -> Code:
    """Return an expression as another type, as a cast makes it."""
    if isinstance(kind, Number) and inner.constant is not None and isinstance(inner.type, Number):
        return constant(CONVERTERS[kind](inner.constant), kind)
    if kind == NOTHING or getattr(kind, "name", "") == "void":
        return Code(inner.run, NOTHING)
    if isinstance(kind, PointerTo) and isinstance(kind.of, PointerTo):
        return Code(inner.run, kind)  # the place of a pointer, whatever that points to
    return Code(converted(inner, kind), kind)


def sized(c: Compiler, node: Node) -> Code:
    """Return the bytes of a type or of an expression."""
    kind_node, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if kind_node is not None:
        return constant(size_of(type_of(c, kind_node)), SIZE)
    word = c.text(value).strip("() ")
    found = c.look_up(word)
    if found is None and value is not None:
        try:
            return constant(size_of(c.expression(value).type), SIZE)
        except UnreadError:
            return constant(size_of(type_of(c, value.named_children[0] if value.named_children else value)), SIZE)
    if isinstance(found, Symbol):
        return constant(24 if isinstance(found.type, VectorOf) else size_of(found.type), SIZE)
    return constant(size_of(found if not isinstance(found, Code) else found.type), SIZE)


def conditional(c: Compiler, node: Node) -> Code:
    """Return one of two expressions."""
    parts = [node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")]
    test, one, other = (c.expression(each) for each in parts)  # type: ignore[arg-type]
    holds = condition(test)
    is_number = isinstance(one.type, Number) and isinstance(other.type, Number)
    kind = common(one.type, other.type) if is_number and one.type != other.type else one.type
    first, second = converted(one, kind), converted(other, kind)
    if test.constant is not None:
        chosen = one if test.constant else other
        return Code(first if test.constant else second, kind, constant=chosen.constant)
    return Code(lambda frame: first(frame) if holds(frame) else second(frame), kind)


def new_array(c: Compiler, node: Node) -> Code:
    """Return new memory: `new float[n]`."""
    kind, declarator = type_of(c, node.child_by_field_name("type")), node.child_by_field_name("declarator")
    if declarator is None:
        raise UnreadError(c.text(node))
    count = c.expression(declarator.child_by_field_name("length"))  # type: ignore[arg-type]
    run = count.run
    return Code(lambda frame: Pointer(memory_of(kind, int(run(frame))), 0, kind), PointerTo(kind))
