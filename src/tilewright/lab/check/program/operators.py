"""Operators of a host program: on numbers, on places, on streams; what is compared of results is noted."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .compiler import Code, Compiler, Frame, Run, as_pointer, converted
from .constants import STREAMS, constant
from .host_types import (
    BLANK,
    BOOL,
    CONVERTERS,
    COPIED,
    DOUBLE,
    INT,
    LONG,
    TEXT,
    ArrayOf,
    Number,
    PointerTo,
    UnreadError,
    VectorOf,
    common,
    promoted,
)
from .memory import HostFaultError

if TYPE_CHECKING:
    from tree_sitter import Node


def _quotient(one: Any, other: Any) -> Any:
    if other == 0:
        raise HostFaultError("a division by zero")
    return -(-one // other) if (one < 0) != (other < 0) else one // other


def _rest(one: Any, other: Any) -> Any:
    return one - other * _quotient(one, other)


def _real_quotient(one: Any, other: Any) -> Any:
    if other == 0:
        return float("nan") if one == 0 or math.isnan(one) else float("inf") * (1 if one > 0 else -1)
    return one / other


_SAME: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": lambda one, other: one << min(other, 64),
    ">>": lambda one, other: one >> other,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
NOTED = ("-", "==", "!=")


def binary(c: Compiler, node: Node) -> Code:
    """Return two expressions with an operator between them."""
    sign = node.child_by_field_name("operator").text.decode()  # type: ignore[union-attr]
    nodes = [node.child_by_field_name(side) for side in ("left", "right")]
    if sign == "<<" and is_stream(c, nodes[0]):
        return _streamed(c, node)
    left, right = (c.expression(each) for each in nodes)  # type: ignore[arg-type]
    if sign in ("&&", "||"):
        one, other = condition(left), condition(right)
        if sign == "&&":
            return Code(lambda frame: one(frame) and other(frame), BOOL)
        return Code(lambda frame: one(frame) or other(frame), BOOL)
    return operated(c, sign, left, right, c.line(node))


def is_stream(c: Compiler, node: Node | None) -> bool:
    """Return whether something is written to a stream here."""
    while node is not None and node.type == "binary_expression":
        node = node.child_by_field_name("left")
    return node is not None and c.text(node).split("::")[-1] in STREAMS


def _streamed(c: Compiler, node: Node) -> Code:
    """Return the parts that are written to a stream, as far as they are read: they may compare results."""
    parts: list[Run] = []
    at: Node | None = node
    while at is not None and at.type == "binary_expression":
        right = at.child_by_field_name("right")
        with suppress(UnreadError):
            parts.append(c.expression(right).run)  # type: ignore[arg-type]
        at = at.child_by_field_name("left")
    parts.reverse()
    return Code(lambda frame: [part(frame) for part in parts] and None, BLANK)


def condition(code: Code) -> Run:
    """Return whether an expression is true."""
    run = code.run
    if isinstance(code.type, Number):
        return run if code.type == BOOL else lambda frame: run(frame) != 0
    if code.type == BLANK:
        return lambda frame: bool(run(frame))
    return lambda frame: run(frame) is not None


def operated(c: Compiler, sign: str, left: Code, right: Code, line: int) -> Code:
    """Return an operator on two expressions."""
    if BLANK in (left.type, right.type):
        if sign in COMPARISONS:
            one, other = left.run, right.run
            return Code(lambda frame: (one(frame) or 0) == (other(frame) or 0) if sign == "==" else sign == "<", BOOL)
        return constant(None, BLANK)
    if TEXT in (left.type, right.type):
        return constant("", TEXT) if sign == "+" else constant(False, BOOL)
    if isinstance(left.type, Number) and isinstance(right.type, Number):
        return _of_numbers(c, sign, left, right, line)
    if isinstance(left.type, VectorOf) and isinstance(right.type, VectorOf) and sign in ("==", "!="):
        return _of_vectors(c, sign, left, right, line)
    return _of_places(sign, left, right)


def _of_numbers(c: Compiler, sign: str, left: Code, right: Code, line: int) -> Code:
    kind = common(left.type, right.type) if sign not in ("<<", ">>") else promoted(left.type)
    one, other = converted(left, kind), converted(right, kind if sign not in ("<<", ">>") else promoted(right.type))
    compute: Callable[[Any, Any], Any]
    if sign in ("/", "%"):
        compute = _real_quotient if kind.is_real else _quotient if sign == "/" else _rest
    elif sign in _SAME:
        compute = _SAME[sign]
    else:
        raise UnreadError(f"the operator {sign}")
    if sign in NOTED:
        compute = _noting(c, compute, line)
    run = _computed(compute, one, other)
    if sign in COMPARISONS:
        return _folded(run, BOOL, left, right)
    if kind == DOUBLE or (sign in ("/", "%") and kind in (INT, LONG)):
        return _folded(run, kind, left, right)
    convert = CONVERTERS[kind]
    return _folded(lambda frame: convert(run(frame)), kind, left, right)


def _computed(compute: Callable[[Any, Any], Any], one: Run, other: Run) -> Run:
    return lambda frame: compute(one(frame), other(frame))


def _folded(run: Run, kind: Any, *of: Code) -> Code:
    """Return an operator; its value is known where those of its operands are."""
    if all(each.constant is not None for each in of):
        return constant(run([]), kind)
    return Code(run, kind)


def _noting(c: Compiler, compute: Callable[[Any, Any], Any], line: int) -> Callable[[Any, Any], Any]:
    def noted(one: Any, other: Any) -> Any:
        if type(one) in COPIED or type(other) in COPIED:
            c.note_compared(one, other, line)
        return compute(one, other)

    return noted


def _of_vectors(c: Compiler, sign: str, left: Code, right: Code, line: int) -> Code:
    def run(frame: Frame) -> bool:
        one, other = left.run(frame), right.run(frame)
        for at in range(min(one.count, other.count)):
            if type(one.s.v[at]) in COPIED or type(other.s.v[at]) in COPIED:
                c.note_compared(one.s.v[at], other.s.v[at], line)
        is_same = one.count == other.count and all(one.s.v[at] == other.s.v[at] for at in range(one.count))
        return is_same == (sign == "==")

    return Code(run, BOOL)


def _of_places(sign: str, left: Code, right: Code) -> Code:
    one, other = left.run, right.run
    is_place = isinstance(left.type, PointerTo | ArrayOf)
    kind = PointerTo(left.type.of) if is_place else left.type
    if is_place and isinstance(right.type, Number) and sign in "+-" and isinstance(kind, PointerTo):
        step = 1
        while isinstance(kind.of, ArrayOf):
            step, kind = step * kind.of.count, PointerTo(kind.of.of)
        factor = step if sign == "+" else -step
        return Code(lambda frame: there(one(frame)).moved(factor * other(frame)), PointerTo(left.type.of))
    if sign == "+" and isinstance(left.type, Number):
        return _of_places(sign, right, left)
    if sign == "-" and isinstance(left.type, PointerTo) and isinstance(right.type, PointerTo):
        return Code(lambda frame: one(frame).at - other(frame).at, LONG)
    if sign in ("==", "!="):
        return Code(lambda frame: ((one(frame) or None) == (other(frame) or None)) == (sign == "=="), BOOL)
    raise UnreadError(f"{sign} of {left.type} and {right.type}")


def there(place: Any) -> Any:
    """Return a place; raise HostFaultError if there is none."""
    if place is None:
        raise HostFaultError("a null pointer is used")
    return as_pointer(place)


def unary(c: Compiler, node: Node) -> Code:
    """Return an operator in front of an expression."""
    sign = node.child_by_field_name("operator").text.decode()  # type: ignore[union-attr]
    inner = c.expression(node.child_by_field_name("argument"))  # type: ignore[arg-type]
    run = inner.run
    if sign in ("!", "not"):
        holds = condition(inner)
        return _folded(lambda frame: not holds(frame), BOOL, inner)
    if not isinstance(inner.type, Number):
        raise UnreadError(f"{sign} of {inner.type}")
    kind = promoted(inner.type)
    convert = CONVERTERS[kind]
    if sign == "-":
        return _folded(lambda frame: convert(-run(frame)), kind, inner)
    if sign == "+":
        return Code(run, kind, constant=inner.constant)
    return _folded(lambda frame: convert(~run(frame)), kind, inner)
