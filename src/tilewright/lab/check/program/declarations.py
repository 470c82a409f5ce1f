"""Declarations and assignments of a host program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright.lab.source.syntax import children

from .compiler import NEXT, Code, Compiler, Frame, Run, converted
from .constants import constant
from .host_types import BLANK, INT, ArrayOf, Number, PointerTo, RecordType, UnreadError, VectorOf
from .operators import operated
from .type_names import add_alias, declared, is_reference, record_of, type_of

if TYPE_CHECKING:
    from tree_sitter import Node


def declaration(c: Compiler, node: Node) -> Run:
    """Return the declarations of variables with their initial values."""
    type_node = node.child_by_field_name("type")
    if type_node is not None and type_node.type == "enum_specifier":
        enumeration(c, type_node)
    is_static = any(child.type == "storage_class_specifier" and child.text == b"static" for child in node.children)
    parts = []
    for field, each in children(node):
        if field == "declarator":
            parts.append(_declared(c, type_node, each, is_static=is_static))

    def run(frame: Frame) -> Any:
        for part in parts:
            part(frame)
        return NEXT

    return run


def _declared(c: Compiler, type_node: Node | None, node: Node, *, is_static: bool) -> Run:
    value = node.child_by_field_name("value") if node.type == "init_declarator" else None
    declarator = node.child_by_field_name("declarator") if node.type == "init_declarator" else node
    if declarator is None:
        raise UnreadError(c.text(node))
    if declarator.type == "function_declarator":
        return _like_a_function(c, type_node, declarator)
    is_listed = value is not None and value.type in ("initializer_list", "argument_list")
    code = c.expression(value) if value is not None and not is_listed else None
    auto = code.type if code is not None else None
    auto = PointerTo(auto.of) if isinstance(auto, ArrayOf) else auto
    kind = type_of(c, type_node, auto)
    if is_reference(declarator):
        return _bound(c, declarator, kind, code)
    name, kind = declared(c, declarator, kind)
    if isinstance(kind, ArrayOf) and kind.count < 0 and value is not None:
        kind = ArrayOf(kind.of, len(value.named_children))
    if code is None:
        run = _made(c, kind, value)
    else:
        if name in c.values and code.constant is not None:
            code = constant(c.values[name], code.type)
        run = converted(code, kind)
        if code.constant is not None and isinstance(kind, Number) and _is_constant(node):
            c.scopes[-1].names[name] = constant(run([]), kind)
            return lambda _: NEXT
    return _once(c, name, kind, run) if is_static else stored(c, name, kind, run, c.line(node))


def _like_a_function(c: Compiler, type_node: Node | None, declarator: Node) -> Run:
    """Return a declaration such as `std::vector<float> a(m * k)`, which the grammar takes for a function's."""
    if len(c.sizes) == 1:
        return lambda _: NEXT
    kind = type_of(c, type_node)
    given = c.read_again(c.text(declarator.child_by_field_name("parameters"))[1:-1], c.line(declarator))
    name = c.text(declarator.child_by_field_name("declarator"))
    return stored(c, name, kind, c.constructed(kind, given).run)


def _made(c: Compiler, kind: Any, value: Node | None) -> Run:
    """Return a new value with what stands behind the name in brackets or braces, if anything does."""
    if value is not None and value.type == "initializer_list":
        return c.with_values(kind, value).run
    return c.constructed(kind, value.named_children if value is not None else []).run


def _is_constant(node: Node) -> bool:
    words = (node.parent.text or b"").split(b"=")[0].split() if node.parent is not None else []
    return b"const" in words or b"constexpr" in words


def stored(c: Compiler, name: str, kind: Any, run: Run, line: int = 0) -> Run:
    """Return the declaration of a variable with its initial value."""
    symbol = c.declare(name, kind, line=line)
    slot, own = symbol.slot, symbol.frame

    def store(frame: Frame) -> Any:
        (own if own is not None else frame)[slot] = run(frame)
        return NEXT

    return store


def _once(c: Compiler, name: str, kind: Any, run: Run) -> Run:
    symbol = c.declare_global(name, kind)
    done: list[bool] = []
    own = symbol.frame

    def store(frame: Frame) -> Any:
        if not done:
            done.append(True)
            own[symbol.slot] = run(frame)  # type: ignore[index]
        return NEXT

    return store


def _bound(c: Compiler, declarator: Node, kind: Any, value: Code | None) -> Run:
    name, kind = declared(c, declarator, kind)
    if value is None:
        raise UnreadError(f"a reference {name} to nothing")
    return bound(c, name, kind, value)


def bound(c: Compiler, name: str, kind: Any, value: Code) -> Run:
    """Return the declaration of a reference: vectors and objects are the same ones, of all else it is a place."""
    if isinstance(kind, VectorOf | RecordType) or value.place is None:
        return stored(c, name, kind, value.run if isinstance(kind, VectorOf | RecordType) else converted(value, kind))
    symbol = c.declare(name, value.type, is_reference=True)
    place, slot, own = value.place, symbol.slot, symbol.frame

    def store(frame: Frame) -> Any:
        (own if own is not None else frame)[slot] = place(frame)
        return NEXT

    return store


def assignment(c: Compiler, node: Node) -> Code:
    """Return an assignment, with or without an operator."""
    left = c.expression(node.child_by_field_name("left"))  # type: ignore[arg-type]
    sign = node.child_by_field_name("operator").text.decode()  # type: ignore[union-attr]
    right_node = node.child_by_field_name("right")
    if right_node is not None and right_node.type == "initializer_list":
        right = c.with_values(left.type, right_node)
    else:
        right = c.expression(right_node)  # type: ignore[arg-type]
    return assigned(c, left, sign, right, c.line(node))


def assigned(c: Compiler, left: Code, sign: str, right: Code, line: int) -> Code:
    """Return an assignment of a value to a place."""
    store = left.store
    if left.type == BLANK:
        return Code(right.run, BLANK)
    if store is None:
        raise UnreadError("an assignment to what is no place")
    if sign != "=":
        if sign[:-1] == "-" and isinstance(left.type, Number) and left.type.is_real:
            right = Code(_plain(right.run), right.type)  # what is subtracted step by step is not compared
        right = operated(c, sign[:-1], left, right, line)
    run = converted(right, left.type)

    def do(frame: Frame) -> Any:
        value = run(frame)
        store(frame, value)
        return value

    return Code(do, left.type, store, left.place)


def _plain(run: Run) -> Run:
    def plain(frame: Frame) -> Any:
        value = run(frame)
        return value + 0 if isinstance(value, float) else value

    return plain


def update(c: Compiler, node: Node) -> Code:
    """Return `++` or `--`."""
    inner = c.expression(node.child_by_field_name("argument"))  # type: ignore[arg-type]
    sign = node.child_by_field_name("operator").text.decode()[0]  # type: ignore[union-attr]
    one = assigned(c, inner, f"{sign}=", constant(1, INT), c.line(node)).run
    if node.children[0].type in ("++", "--"):
        return Code(one, inner.type, inner.store, inner.place)
    was = inner.run

    def run(frame: Frame) -> Any:
        value = was(frame)
        one(frame)
        return value

    return Code(run, inner.type)


def enumeration(c: Compiler, node: Node) -> Run:
    """Note the constants of an enumeration."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None:
        c.scopes[-1].names[c.text(name)] = INT
    value = 0
    for each in body.named_children if body is not None else []:
        given = each.child_by_field_name("value")
        if given is not None:
            found = c.expression(given).constant
            if not isinstance(found, int):
                raise UnreadError(c.text(each))
            value = found
        c.scopes[-1].names[c.text(each.child_by_field_name("name"))] = constant(value, INT)
        value += 1
    return lambda _: NEXT


def alias(c: Compiler, node: Node) -> Run:
    """Note the name of a type."""
    add_alias(c, node)
    return lambda _: NEXT


def record(c: Compiler, node: Node) -> Run:
    """Note a struct that a function declares."""
    name = c.text(node.child_by_field_name("name"))
    c.records[name] = node
    record_of(c, node, {})
    return lambda _: NEXT
