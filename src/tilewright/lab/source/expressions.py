"""Evaluates C expressions of a launch: integers stay integers, their `/` truncates. No code is executed."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from tilewright.lab.source.macros import Macros
from tilewright.lab.source.syntax import Node, Syntax

Number = int | float
Dim3 = tuple[int, int, int]
Value = Number | Dim3
Lookup = Callable[[str], Value]
Call = Callable[[str, list[Value]], Value]

_LIMIT = 1 << 63
_SIZES = {
    "char": 1, "bool": 1, "short": 2, "int": 4, "unsigned": 4, "unsigned int": 4, "float": 4, "long": 8, "size_t": 8,
    "unsigned long": 8, "long long": 8, "unsigned long long": 8, "double": 8, "half": 2, "__half": 2,
    "__nv_bfloat16": 2, "nv_bfloat16": 2, "float2": 8, "float4": 16, "double2": 16, "int2": 8, "int4": 16,
    "unsigned char": 1, "unsigned short": 2, "int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4,
    "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "uchar": 1, "uint": 4, "ulong": 8, "ushort": 2,
    "int3": 12, "float3": 12,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "ceil": lambda x: float(math.ceil(x)),
    "ceilf": lambda x: float(math.ceil(x)),
    "floor": lambda x: float(math.floor(x)),
    "floorf": lambda x: float(math.floor(x)),
    "round": lambda x: float(math.floor(x + 0.5)),
    "sqrt": math.sqrt,
    "sqrtf": math.sqrt,
    "pow": math.pow,
    "log2": math.log2,
    "log2f": math.log2,
    "abs": abs,
    "min": min,
    "max": max,
    "fmin": min,
    "fmax": max,
}
_OPERATORS: dict[str, Callable[[Number, Number], Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
}
_WHOLE_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


class UnknownValueError(ValueError):
    """An expression whose value is unknown; the message says why, without a period."""


def size_of(type_name: str) -> int:
    """Return the bytes of a type, a pointer included.

    Raises:
        UnknownValueError: the type is not one of C's or CUDA's.
    """
    bare = " ".join(re.sub(r"\b(const|volatile|signed|std\s*::)\b|std::", " ", type_name).split())
    if bare.endswith("*"):
        return 8
    if bare not in _SIZES:
        raise UnknownValueError(f"the size of {type_name} is not known")
    return _SIZES[bare]


def expression(text: str, macros: Macros | None = None) -> tuple[Syntax, Node]:
    """Return an expression's tree, with its macros replaced.

    Raises:
        UnknownValueError: the text is no expression.
    """
    return _parsed(macros.expanded(text) if macros is not None else text, text)


@lru_cache(maxsize=128)
def _parsed(expanded: str, text: str) -> tuple[Syntax, Node]:
    syntax = Syntax(f"auto value = {expanded};", Macros([]))
    node = syntax.root.named_children[0] if syntax.root.named_children else None
    declarator = node.child_by_field_name("declarator") if node is not None else None
    value = declarator.child_by_field_name("value") if declarator is not None else None
    if value is None or syntax.has_errors:
        raise UnknownValueError(f"{' '.join(text.split())!r} is no expression")
    return syntax, value


class Evaluation:
    """Evaluates trees of one text with the values that `lookup` knows and the functions that `call` knows.

    named_type: returns the type that a name stands for, by `typedef` or `using`, or the name itself.
    """

    def __init__(
        self, syntax: Syntax, lookup: Lookup, call: Call | None = None, named_type: Callable[[str], str] = str
    ) -> None:
        self._syntax = syntax
        self._lookup = lookup
        self._call = call
        self._named_type = named_type

    def value(self, node: Node) -> Value:
        """Return the value of an expression.

        Raises:
            UnknownValueError: a name is not known, or it computes what is not understood here.
        """
        method = getattr(self, f"_{node.type}", None)
        if method is None:
            raise UnknownValueError(f"{self._text(node)!r} is not evaluated here")
        result: Value = method(node)
        if isinstance(result, int) and not -_LIMIT < result < _LIMIT:
            raise UnknownValueError(f"{self._text(node)!r} is beyond 64 bits")
        return result

    def number(self, node: Node | None) -> Number:
        """Return the value of an expression that is a number."""
        if node is None:
            raise UnknownValueError("an expression is missing")
        value = self.value(node)
        if isinstance(value, tuple):
            raise UnknownValueError(f"{self._text(node)!r} is a dim3, and a number is needed")
        return value

    def _text(self, node: Node) -> str:
        return self._syntax.source(node)

    def _number_literal(self, node: Node) -> Number:
        text = self._text(node).replace("'", "").lower()
        if (text.startswith("0x") and "p" not in text) or text.startswith("0b"):
            return int(text.rstrip("ulz"), 0)
        if any(mark in text for mark in ".ep"):
            return float.fromhex(text.rstrip("fl")) if "p" in text else float(text.rstrip("fl"))
        text = text.rstrip("ulzf")
        return int(text, 8) if text.startswith("0") and len(text) > 1 else int(text)

    def _char_literal(self, node: Node) -> int:
        try:
            return ord(str(ast.literal_eval(self._text(node))))
        except (SyntaxError, TypeError, ValueError) as error:  # a prefix, several characters, an escape of C's alone
            raise UnknownValueError(f"{self._text(node)} is not evaluated here") from error

    def _true(self, _node: Node) -> int:
        return 1

    def _false(self, _node: Node) -> int:
        return 0

    def _null(self, _node: Node) -> int:
        return 0

    def _identifier(self, node: Node) -> Value:
        return self._lookup(self._text(node))

    def _qualified_identifier(self, node: Node) -> Value:
        return self._lookup(self._text(node).replace(" ", "").split("::")[-1])

    def _parenthesized_expression(self, node: Node) -> Value:
        return self.value(next(child for child in node.named_children if child.type != "comment"))

    def _field_expression(self, node: Node) -> Value:
        base = self.value(_child(node, "argument"))
        field = self._text(_child(node, "field"))
        if isinstance(base, tuple) and field in ("x", "y", "z"):
            return base["xyz".index(field)]
        raise UnknownValueError(f"{self._text(node)!r} is not evaluated here")

    def _unary_expression(self, node: Node) -> Number:
        value = self.number(_child(node, "argument"))
        sign = self._text(_child(node, "operator"))
        known = {"-": -value, "+": value, "!": int(not value), "not": int(not value)}
        if isinstance(value, int):
            known |= {"~": ~value, "compl": ~value}
        if sign not in known:
            raise UnknownValueError(f"{self._text(node)!r} is not evaluated here")
        return known[sign]

    def _binary_expression(self, node: Node) -> Number:
        sign = self._text(_child(node, "operator"))
        left = self.number(node.child_by_field_name("left"))
        if sign in ("&&", "and", "||", "or"):
            if bool(left) == (sign in ("||", "or")):
                return int(bool(left))
            return int(bool(self.number(node.child_by_field_name("right"))))
        return apply(sign, left, self.number(node.child_by_field_name("right")), self._text(node))

    def _conditional_expression(self, node: Node) -> Value:
        condition = _child(node, "condition")
        try:
            chosen = "consequence" if self.number(condition) else "alternative"
        except UnknownValueError:
            if not re.search(r"\bargc\b", self._text(condition)):
                raise
            return self._default(node)
        return self.value(_child(node, chosen))

    def _default(self, node: Node) -> Value:
        """Return what the program takes where its command line says nothing: `argc > 1 ? atoi(argv[1]) : 256`."""
        sides = [_child(node, side) for side in ("alternative", "consequence")]
        free = [side for side in sides if not re.search(r"\barg[cv]\b", self._text(side))]
        if len(free) != 1:
            raise UnknownValueError(f"{self._text(node)} depends on the command line")
        return self.value(free[0])

    def _cast_expression(self, node: Node) -> Value:
        return convert(self._text(_child(node, "type")), self.value(_child(node, "value")))

    def _sizeof_expression(self, node: Node) -> int:
        described = node.child_by_field_name("type")
        if described is not None:
            return size_of(self._named_type(self._text(described)))
        inner = self._text(_child(node, "value")).strip("() ")
        return size_of(self._named_type(inner))

    def _initializer_list(self, node: Node) -> Value:
        values = [self.number(child) for child in node.named_children if child.type != "comment"]
        return values[0] if len(values) == 1 else dim3(values)

    def _compound_literal_expression(self, node: Node) -> Value:
        return convert(self._text(_child(node, "type")), self._initializer_list(_child(node, "value")))

    def _call_expression(self, node: Node) -> Value:
        function = _child(node, "function")
        arguments = [child for child in _child(node, "arguments").named_children if child.type != "comment"]
        is_cast = function.type == "template_function" and self._text(function).startswith("static_cast")
        if is_cast and len(arguments) == 1:
            return convert(self._text(function).partition("<")[2].rstrip("> "), self.value(arguments[0]))
        name = re.sub(r"<[^()]*>$", "", self._text(function).replace(" ", "")).split("::")[-1]
        values = [self.value(argument) for argument in arguments]
        if name == "dim3":
            return dim3(values)
        if name in _SIZES and len(values) == 1:
            return convert(name, values[0])
        if self._call is not None:
            try:
                return self._call(name, values)
            except KeyError:
                pass
        if name in _FUNCTIONS and not any(isinstance(value, tuple) for value in values):
            try:
                return _FUNCTIONS[name](*values)
            except (TypeError, ValueError, OverflowError) as error:
                raise UnknownValueError(f"{self._text(node)!r} has no value") from error
        raise UnknownValueError(f"{self._text(node)!r} is known only when the program runs")


def apply(sign: str, left: Number, right: Number, text: str) -> Number:
    """Return a binary operation of C on two numbers.

    Raises:
        UnknownValueError: a division by 0, a shift out of range, or an operation not known here.
    """
    if sign in ("/", "%") and right == 0:
        raise UnknownValueError(f"{text!r} divides by 0")
    if sign == "/":
        if isinstance(left, int) and isinstance(right, int):
            quotient = abs(left) // abs(right)
            return quotient if (left < 0) == (right < 0) else -quotient
        return left / right
    if sign in _OPERATORS:
        return _OPERATORS[sign](left, right)
    if isinstance(left, int) and isinstance(right, int):
        if sign == "%":
            return left - right * int(apply("/", left, right, text))
        if sign in ("<<", ">>") and 0 <= right < 64:
            return left << right if sign == "<<" else left >> right
        if sign in _WHOLE_OPERATORS:
            return _WHOLE_OPERATORS[sign](left, right)
    raise UnknownValueError(f"{text!r} is not evaluated here")


def convert(type_name: str, value: Value) -> Value:
    """Return a value as a type of C keeps it: `int` truncates."""
    bare = " ".join(re.sub(r"\b(const|constexpr|static|volatile|std\s*::)\b|std::", " ", type_name).split())
    if bare == "dim3":
        return value if isinstance(value, tuple) else dim3([value])
    if isinstance(value, tuple):
        return value
    if bare in ("float", "double"):
        return float(value)
    if bare in _SIZES and not bare.startswith(("half", "__", "nv_", "float", "double")):
        if isinstance(value, float) and not math.isfinite(value):
            raise UnknownValueError(f"{value} is no whole number")
        return int(value)
    return value


def dim3(values: Sequence[Value]) -> Dim3:
    """Return a dim3 of up to three numbers; what is missing is 1."""
    numbers = [int(value) for value in values if not isinstance(value, tuple) and math.isfinite(value)]
    if len(numbers) != len(values) or len(numbers) > 3:
        if len(values) == 1 and isinstance(values[0], tuple):
            return values[0]
        raise UnknownValueError("a dim3 takes up to three numbers")
    x, y, z = (*numbers, 1, 1, 1)[:3]
    return x, y, z


def _child(node: Node, field: str) -> Node:
    child = node.child_by_field_name(field)
    if child is None:
        raise UnknownValueError("an expression is incomplete")
    return child
