"""New values of a host program: vectors, objects and arrays, with arguments or from a list in braces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .compiler import Code, Compiler, Frame, Run, converted, variable
from .constants import constant
from .expressions import as_type
from .functions import called_function
from .host_types import BLANK, DIM3, TEXT, ArrayOf, Drawn, Number, PointerTo, RecordType, UnreadError, VectorOf
from .memory import Pointer, RecordValue, Vector, array_of, default_of, value_of
from .type_names import type_of

if TYPE_CHECKING:
    from tree_sitter import Node


def constructed(c: Compiler, kind: Any, given: Sequence[Node]) -> Code:
    """Return a new value of a type, made with some arguments."""
    if isinstance(kind, ArrayOf):
        return Code(lambda _: array_of(kind), kind)
    if isinstance(kind, VectorOf):
        return _new_vector(c, kind, given)
    if isinstance(kind, RecordType):
        return _new_record(c, kind, given)
    if kind in (BLANK, TEXT):
        return constant(None, kind)
    if isinstance(kind, Drawn):
        ends = [c.expression(each).run for each in given] if kind.number is not None else []
        return Code(lambda frame: [run(frame) for run in ends] or [0, 1], kind)
    if len(given) == 1:
        return as_type(c.expression(given[0]), kind)
    return Code(lambda _: default_of(kind), kind)


def _new_vector(c: Compiler, kind: VectorOf, given: Sequence[Node]) -> Code:
    if not given:
        return Code(lambda _: Vector(kind.of, kind.count), kind)
    if given[0].type == "initializer_list":
        return with_values(c, kind, given[0])
    first, *rest = (c.expression(each) for each in given)
    if first.type == kind:
        return Code(lambda frame: first.run(frame).copy(), kind)
    if isinstance(first.type, PointerTo):
        end = rest[0].run
        return Code(lambda frame: between(kind, first.run(frame), end(frame)), kind)
    count = first.run
    fill = converted(rest[0], kind.of) if rest else None
    if not isinstance(first.type, Number):
        raise UnreadError(f"a vector of {first.type}")

    def run(frame: Frame) -> Any:
        number = int(count(frame))
        if fill is None:
            return Vector(kind.of, number)
        value = fill(frame)
        if isinstance(kind.of, Number):
            return Vector.filled(kind.of, number, value)
        return Vector(kind.of, [value_of(value) for _ in range(number)])

    return Code(run, kind)


def between(kind: VectorOf, first: Pointer, end: Pointer) -> Vector:
    """Return the elements from one place to another as a vector."""
    return Vector(kind.of, [first.s.v[at] for at in range(first.at, end.at)])


def _new_record(c: Compiler, kind: RecordType, given: Sequence[Node]) -> Code:
    if kind is DIM3:
        numbers = [converted(c.expression(each), DIM3.fields[0].type) for each in given]
        if len(given) == 1 and c.expression(given[0]).type is DIM3:
            return c.expression(given[0])

        def dim3(frame: Frame) -> Any:
            sides = [run(frame) for run in numbers] + [1, 1, 1]
            return RecordValue(DIM3, dict(zip("xyz", sides, strict=False)))

        return Code(dim3, kind)
    if len(given) == 1 and given[0].type == "initializer_list":
        return with_values(c, kind, given[0])
    if len(given) == 1:
        code = c.expression(given[0])
        if code.type is kind:
            return Code(lambda frame: value_of(code.run(frame)), kind)
    blank = _default_record(c, kind)
    if not kind.constructors:
        if given:
            return _aggregate(c, kind, list(given))
        return Code(blank, kind)
    with c.scope():
        owner = variable(c.declare("made object", kind))
    construct, put = called_function(c, kind.constructors, given, [], owner).run, owner.store

    def run(frame: Frame) -> Any:
        new = blank(frame)
        put(frame, new)  # type: ignore[misc]
        construct(frame)
        return new

    return Code(run, kind)


def _default_record(c: Compiler, kind: RecordType) -> Run:
    runs: dict[str, Run] = {}
    with c.scope() as scope:
        scope.names |= kind.names
        for each in kind.fields:
            if each.default is not None and each.default.type == "initializer_list":
                runs[each.name] = with_values(c, each.type, each.default).run
            elif each.default is not None:
                runs[each.name] = converted(c.expression(each.default), each.type)

    def run(frame: Frame) -> Any:
        new = default_of(kind)
        for name, value in runs.items():
            new.f[name] = value(frame)
        return new

    return run


def _aggregate(c: Compiler, kind: RecordType, given: Sequence[Node]) -> Code:
    blank, runs = _default_record(c, kind), {}
    for each, node in zip(kind.fields, given, strict=False):
        is_list = node.type == "initializer_list"
        runs[each.name] = with_values(c, each.type, node).run if is_list else converted(c.expression(node), each.type)

    def run(frame: Frame) -> Any:
        new = blank(frame)
        for name, value in runs.items():
            new.f[name] = value(frame)
        return new

    return Code(run, kind)


def with_values(c: Compiler, kind: Any, node: Node) -> Code:
    """Return a new value of a type from a list in braces."""
    values = [each for each in node.named_children if each.type != "comment"]
    if isinstance(kind, RecordType):
        if kind.constructors or kind is DIM3:
            return _new_record(c, kind, values)
        return _aggregate(c, kind, values)
    if isinstance(kind, ArrayOf):
        flat = _flat(values)
        of: Any = kind
        while isinstance(of, ArrayOf):
            of = of.of
        if isinstance(of, RecordType):
            flat = values  # each is an object
        runs = [
            with_values(c, of, each).run if each.type == "initializer_list" else converted(c.expression(each), of)
            for each in flat
        ]
        return Code(lambda frame: _filled(array_of(kind), [run(frame) for run in runs]), kind)
    if isinstance(kind, VectorOf):
        runs = [
            with_values(c, kind.of, each).run
            if each.type == "initializer_list"
            else converted(c.expression(each), kind.of)
            for each in values
        ]
        return Code(lambda frame: Vector(kind.of, [run(frame) for run in runs]), kind)
    if len(values) == 1:
        return as_type(c.expression(values[0]), kind)
    return Code(lambda _: default_of(kind), kind)


def _flat(values: Sequence[Node]) -> list[Node]:
    if values and all(each.type == "initializer_list" for each in values):
        return [inner for each in values for inner in _flat(each.named_children)]
    return list(values)


def _filled(place: Pointer, values: Sequence[Any]) -> Pointer:
    for at, value in enumerate(values):
        place.s.v[at] = value
    return place


def new_value(c: Compiler, node: Node) -> Code:
    """Return a new value of a type from a list in braces behind its name."""
    value = node.child_by_field_name("value")
    if value is None:
        raise UnreadError(c.text(node))
    return with_values(c, type_of(c, node.child_by_field_name("type")), value)
