"""Statements of a host program: branches, loops, and what stands alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tilewright.lab.source.syntax import children

from .compiler import BREAK, CONTINUE, NEXT, RETURN, Code, Compiler, Frame, Run, Symbol, converted, variable
from .declarations import alias, declaration, enumeration, record, stored
from .host_types import NOTHING, ArrayOf, Number, PointerTo, RecordType, UnreadError, VectorOf
from .memory import Pointer, value_of
from .operators import condition
from .type_names import declared, is_reference, type_of

if TYPE_CHECKING:
    from tree_sitter import Node


def nothing(_c: Compiler, _node: Node) -> Run:
    """Return a statement that does nothing."""
    return lambda _: NEXT


def block(c: Compiler, node: Node) -> Run:
    """Return statements in braces."""
    with c.scope():
        return in_order(c, node.named_children)


def in_order(c: Compiler, nodes: Sequence[Node]) -> Run:
    """Return statements one behind the other."""
    parts = [c.statement(each) for each in nodes if each.type != "comment"]

    def run(frame: Frame) -> Any:
        for part in parts:
            told = part(frame)
            if told is not NEXT:
                return told
        return NEXT

    return parts[0] if len(parts) == 1 else run


def expression(c: Compiler, node: Node) -> Run:
    """Return an expression as a statement."""
    if not node.named_children:
        return lambda _: NEXT
    code = c.expression(node.named_children[0])
    run = code.run

    def do(frame: Frame) -> Any:
        run(frame)
        return NEXT

    return do


def if_statement(c: Compiler, node: Node) -> Run:
    """Return a branch."""
    with c.scope():
        clause = node.child_by_field_name("condition")
        before, test = _condition(c, clause)
        then = c.statement(node.child_by_field_name("consequence"))  # type: ignore[arg-type]
        other_node = node.child_by_field_name("alternative")
        other = c.statement(other_node.named_children[-1]) if other_node is not None else None

    def run(frame: Frame) -> Any:
        if before is not None:
            before(frame)
        if test(frame):
            return then(frame)
        return other(frame) if other is not None else NEXT

    return run


def _condition(c: Compiler, clause: Node | None) -> tuple[Run | None, Run]:
    if clause is None:
        raise UnreadError("a branch without a condition")
    first, value = clause.child_by_field_name("initializer"), clause.child_by_field_name("value")
    before = c.statement(first.named_children[0]) if first is not None else None
    if value is None:
        named = [each for each in clause.named_children if each.type != "comment"]
        value = named[-1]
    if value.type in ("condition_declaration", "declaration"):
        inner = value.child_by_field_name("value")
        kind = type_of(c, value.child_by_field_name("type"))
        name, kind = declared(c, value.child_by_field_name("declarator"), kind)
        start = stored(c, name, kind, converted(c.expression(inner), kind))  # type: ignore[arg-type]
        return start, condition(variable(c.look_up(name)))
    return before, condition(c.expression(value))


def for_loop(c: Compiler, node: Node) -> Run:
    """Return a loop with a counter."""
    with c.scope():
        first, test_node, step_node = (
            node.child_by_field_name(each) for each in ("initializer", "condition", "update")
        )
        before = None
        if first is not None:
            before = c.statement(first) if first.type == "declaration" else _value(c.expression(first))
        test = condition(c.expression(test_node)) if test_node is not None else (lambda _: True)
        step = c.expression(step_node).run if step_node is not None else (lambda _: None)
        body = c.statement(node.child_by_field_name("body"))  # type: ignore[arg-type]
    tick = c.clock.tick

    def run(frame: Frame) -> Any:
        if before is not None:
            before(frame)
        while test(frame):
            tick()
            told = body(frame)
            if told is not NEXT:
                if told == BREAK:
                    break
                if told == RETURN:
                    return told
            step(frame)
        return NEXT

    return run


def _value(code: Code) -> Run:
    return code.run


def while_loop(c: Compiler, node: Node) -> Run:
    """Return a loop with its condition first, or last."""
    clause = node.child_by_field_name("condition")
    if clause is not None and clause.type == "parenthesized_expression":
        test = condition(c.expression(clause))
    else:
        test = _condition(c, clause)[1]
    body = c.statement(node.child_by_field_name("body"))  # type: ignore[arg-type]
    is_last, tick = node.type == "do_statement", c.clock.tick

    def run(frame: Frame) -> Any:
        while is_last or test(frame):
            tick()
            told = body(frame)
            if told == BREAK:
                break
            if told == RETURN:
                return told
            if is_last and not test(frame):
                break
        return NEXT

    return run


def range_loop(c: Compiler, node: Node) -> Run:
    """Return a loop over the elements of a vector, an array or a list."""
    right = node.child_by_field_name("right")
    declarator = node.child_by_field_name("declarator")
    if right is None or declarator is None:
        raise UnreadError(c.text(node))
    with c.scope():
        type_node = node.child_by_field_name("type")
        if right.type == "initializer_list":
            values = [c.expression(each) for each in right.named_children]
            kind = declared(c, declarator, type_of(c, type_node, values[0].type))[1]
            runs = [converted(each, kind) for each in values]
            whole = Code(lambda frame: [run(frame) for run in runs], VectorOf(kind))
        else:
            whole = c.expression(right)
        if not isinstance(whole.type, VectorOf | ArrayOf):
            raise UnreadError(f"a loop over {whole.type}")
        of = whole.type.of
        name, kind = declared(c, declarator, type_of(c, type_node, of))
        count = whole.type.count if isinstance(whole.type, ArrayOf) else 0
        is_place = is_reference(declarator) and isinstance(of, Number | PointerTo)
        symbol = c.declare(name, of if is_place else kind, is_reference=is_place)
        body = c.statement(node.child_by_field_name("body"))  # type: ignore[arg-type]
    return _over(c, whole.run, symbol, count, is_copy=not is_reference(declarator), body=body)


def _over(c: Compiler, whole: Run, symbol: Symbol, count: int, *, is_copy: bool, body: Run) -> Run:
    slot, tick, is_place = symbol.slot, c.clock.tick, symbol.is_reference

    def run(frame: Frame) -> Any:
        values = whole(frame)
        is_list = isinstance(values, list)
        number = len(values) if is_list else count or values.count
        first = None if is_list else values if isinstance(values, Pointer) else values.pointer()
        for at in range(number):
            tick()
            if first is None:
                frame[slot] = values[at]
            elif is_place:
                frame[slot] = first.moved(at)
            else:
                value = first.s.v[first.at + at]
                frame[slot] = value_of(value) if is_copy else value
            told = body(frame)
            if told == BREAK:
                break
            if told == RETURN:
                return told
        return NEXT

    return run


def switch(c: Compiler, node: Node) -> Run:
    """Return a choice among cases."""
    chosen = _condition_value(c, node.child_by_field_name("condition"))
    body = node.child_by_field_name("body")
    cases: list[tuple[Run | None, Run]] = []
    with c.scope():
        for each in body.named_children if body is not None else []:
            if each.type != "case_statement":
                continue
            value = each.child_by_field_name("value")
            rest = [part for field, part in children(each) if part.is_named and field != "value"]
            cases.append((c.expression(value).run if value is not None else None, in_order(c, rest)))

    def run(frame: Frame) -> Any:
        value = chosen(frame)
        starts = [at for at, (test, _) in enumerate(cases) if test is not None and test(frame) == value]
        starts = starts or [at for at, (test, _) in enumerate(cases) if test is None]
        for _, part in cases[starts[0] :] if starts else []:
            told = part(frame)
            if told == BREAK:
                break
            if told is not NEXT:
                return told
        return NEXT

    return run


def _condition_value(c: Compiler, clause: Node | None) -> Run:
    value = clause.child_by_field_name("value") if clause is not None else None
    if value is None:
        raise UnreadError("a switch")
    return c.expression(value).run


def returned(c: Compiler, node: Node) -> Run:
    """Return the end of a function, with what it returns."""
    kind = c.results[-1]
    if not node.named_children:
        return lambda _: RETURN
    value = node.named_children[0]
    code = c.with_values(kind[0], value) if value.type == "initializer_list" else c.expression(value)
    if kind[0] is None:
        kind[0] = code.type
    is_same = kind[0] == NOTHING or isinstance(code.type, RecordType)  # which is moved, not copied
    run = code.run if is_same else converted(code, kind[0])
    if kind[1] and code.place is not None:
        run = code.place

    def do(frame: Frame) -> Any:
        frame[0] = run(frame)
        return RETURN

    return do


def told(what: int) -> Callable[[Compiler, Node], Run]:
    """Return a reader of `break` or `continue`."""
    return lambda _c, _node: lambda _: what


def tried(c: Compiler, node: Node) -> Run:
    """Return what is tried; what is thrown ends the program."""
    return c.statement(node.child_by_field_name("body"))  # type: ignore[arg-type]


STATEMENTS: dict[str, Callable[[Compiler, Node], Run]] = {
    "compound_statement": block,
    "expression_statement": expression,
    "declaration": declaration,
    "if_statement": if_statement,
    "for_statement": for_loop,
    "while_statement": while_loop,
    "do_statement": while_loop,
    "for_range_loop": range_loop,
    "switch_statement": switch,
    "return_statement": returned,
    "break_statement": told(BREAK),
    "continue_statement": told(CONTINUE),
    "try_statement": tried,
    "alias_declaration": alias,
    "type_definition": alias,
    "struct_specifier": record,
    "class_specifier": record,
    "enum_specifier": enumeration,
    "comment": nothing,
    "using_declaration": nothing,
    "static_assert_declaration": nothing,
    "empty_statement": nothing,
    "namespace_alias_definition": nothing,
}
