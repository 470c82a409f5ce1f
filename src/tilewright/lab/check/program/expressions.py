"""Expressions of a host program but for calls: numbers, names, operators, places."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .compiler import Code, Compiler, Frame, Run, Symbol, as_pointer, converted, variable
from .host_types import (
    BLANK,
    BOOL,
    CHAR,
    CONVERTERS,
    COPIED,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NOTHING,
    SIZE,
    TEXT,
    UNSIGNED,
    ArrayOf,
    Number,
    PointerTo,
    RecordType,
    UnreadError,
    VectorOf,
    common,
    promoted,
    size_of,
)
from .memory import HostFaultError, Pointer, memory_of
from .type_names import type_of

if TYPE_CHECKING:
    from tree_sitter import Node

_NUMBER = re.compile(r"(?P<sign>-?)(?P<digits>0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9.]+(?:[eE][-+]?\d+)?)(?P<end>[a-zA-Z]*)")
CONSTANTS: dict[str, tuple[Any, Any]] = {
    "RAND_MAX": (2147483647, INT),
    "EXIT_SUCCESS": (0, INT),
    "EXIT_FAILURE": (1, INT),
    "NULL": (None, PointerTo(BLANK)),
    "M_PI": (3.141592653589793, DOUBLE),
    "INFINITY": (float("inf"), FLOAT),
    "INT_MIN": (-2147483648, INT),
    "UINT_MAX": (4294967295, UNSIGNED),
    "INT_MAX": (2147483647, INT),
    "FLT_MAX": (3.4028234663852886e38, FLOAT),
    "FLT_EPSILON": (1.1920928955078125e-07, FLOAT),
    "DBL_EPSILON": (2.220446049250313e-16, DOUBLE),
    "__LINE__": (0, INT),
    "__FILE__": ("", TEXT),
    "__func__": ("", TEXT),
    "CLOCKS_PER_SEC": (1000000, LONG),
}
TO_DEVICE, TO_HOST, ON_DEVICE, BY_PLACE, ON_HOST = 1, 2, 3, 4, 0
_KINDS = {
    "cudaMemcpyHostToDevice": TO_DEVICE,
    "cudaMemcpyDeviceToHost": TO_HOST,
    "cudaMemcpyDeviceToDevice": ON_DEVICE,
    "cudaMemcpyHostToHost": ON_HOST,
    "cudaMemcpyDefault": BY_PLACE,
}
CONSTANTS |= {name: (kind, INT) for name, kind in _KINDS.items()}
STREAMS = {"cout", "cerr", "clog", "endl", "fixed", "scientific", "stdout", "stderr", "stdin"}


def number(c: Compiler, node: Node) -> Code:
    """Return a number as it is written."""
    text = c.text(node).replace("'", "")
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise UnreadError(f"the number {text}")
    digits, end = match["digits"], match["end"].lower()
    if digits[:2] in ("0x", "0X", "0b", "0B") or not re.search(r"[.eE]", digits):
        if "f" in end and not digits.startswith("0x"):
            raise UnreadError(f"the number {text}")
        is_octal = re.fullmatch(r"0[0-7]+", digits)
        value = (int(digits, 8) if is_octal else int(digits, 0)) * (-1 if match["sign"] else 1)
        kind = (SIZE if "l" in end or value >= 1 << 32 else UNSIGNED) if "u" in end else LONG if "l" in end else INT
        kind = LONG if kind == INT and value >= 1 << 31 else kind
        return constant(value, kind)
    real = float(match["sign"] + digits)
    return constant(CONVERTERS[FLOAT](real), FLOAT) if "f" in end else constant(real, DOUBLE)


def constant(value: Any, kind: Any) -> Code:
    """Return a known value as an expression."""
    return Code(lambda _: value, kind, constant=value)


def character(c: Compiler, node: Node) -> Code:
    """Return a character."""
    text = c.text(node).strip("'")
    return constant(ord({"\\n": "\n", "\\0": "\0", "\\t": "\t", "\\\\": "\\"}.get(text, text[-1:] or " ")), CHAR)


def text(c: Compiler, node: Node) -> Code:
    """Return a text."""
    return constant(c.text(node).strip('"'), TEXT)


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
    if word in STREAMS or word.startswith(("cudaSuccess", "cudaError", "cudaFunc", "cudaDev", "cudaEvent", "cudaStream")):
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


def _quotient(one: Any, other: Any) -> Any:
    if other == 0:
        raise HostFaultError("a division by zero")
    return -(-one // other) if (one < 0) != (other < 0) else one // other


def _rest(one: Any, other: Any) -> Any:
    return one - other * _quotient(one, other)


def _real_quotient(one: Any, other: Any) -> Any:
    if other == 0:
        return float("nan") if one == 0 or one != one else float("inf") * (1 if one > 0 else -1)
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
        try:
            parts.append(c.expression(right).run)  # type: ignore[arg-type]
        except UnreadError:
            pass
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
        return Code(lambda frame: _there(one(frame)).moved(factor * other(frame)), PointerTo(left.type.of))
    if sign == "+" and isinstance(left.type, Number):
        return _of_places(sign, right, left)
    if sign == "-" and isinstance(left.type, PointerTo) and isinstance(right.type, PointerTo):
        return Code(lambda frame: one(frame).at - other(frame).at, LONG)
    if sign in ("==", "!="):
        return Code(lambda frame: ((one(frame) or None) == (other(frame) or None)) == (sign == "=="), BOOL)
    raise UnreadError(f"{sign} of {left.type} and {right.type}")


def _there(place: Any) -> Any:
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
        step, inner = 1, kind
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

    return Code(run, kind, store, lambda frame: _there(where(frame)).moved(at(frame)))


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
        lambda frame: run(frame).f[word], kinds[word], store, lambda frame: Pointer(_Member(run(frame)), word, kinds[word])  # type: ignore[arg-type]
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
