"""Formulas such as `ceil(cols/64)`, which give a grid or an argument from the sizes. No code is executed."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

Extent = tuple[int, int, int]

LARGEST = 2**63
"""Far above any size of a launch; a formula beyond it is a mistake, and its digits would fill memory."""

_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda a, b: Fraction(a // b),
    ast.Mod: operator.mod,
    ast.LShift: lambda a, b: Fraction(_bits(a) << _places(b)),
    ast.RShift: lambda a, b: Fraction(_bits(a) >> _places(b)),
}
_FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "ceil": lambda a: Fraction(ceil(a)),
    "floor": lambda a: Fraction(floor(a)),
    "min": min,
    "max": max,
}


MOST_PLACES = 63
"""The largest shift."""


class FormulaError(ValueError):
    """An invalid formula; the message says what is accepted."""


def evaluate(text: str, values: Mapping[str, int]) -> Fraction:
    """Return the exact value of a formula of `values`, numbers, + - * / // % << >>, ceil, floor, min and max.

    Raises:
        FormulaError: the text is no such formula, or divides by 0.
    """
    try:
        value = _value(_parsed(text), values, text)
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        if isinstance(error, FormulaError):
            raise
        raise FormulaError(f"{text!r} is no formula such as ceil(cols/16).") from error
    except ZeroDivisionError as error:
        raise FormulaError(f"{text!r} divides by 0.") from error
    return value


def whole(text: str, values: Mapping[str, int]) -> int:
    """Return the value truncated to an integer, as in C; raise FormulaError as `evaluate` does."""
    return int(evaluate(text, values))


def extent(text: str, values: Mapping[str, int], what: str) -> Extent:
    """Return the one to three sizes of a `block` or a `grid` (`what`), as in `ceil(cols/32),ceil(rows/8)`; x first."""
    parts = split(text)
    if not 1 <= len(parts) <= 3:
        raise FormulaError(f"A {what} has one to three sizes with commas between them, not {text!r}.")
    sizes = [whole(part, values) for part in parts]
    if min(sizes) < 1:
        raise FormulaError(f"The {what} {text} has the sizes {', '.join(map(str, sizes))}, and each must be 1 or more.")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def split(text: str) -> list[str]:
    """Return the text's parts between commas, except commas in parentheses."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def names(text: str) -> set[str]:
    """Return the names in a formula; raise FormulaError if the text is not one."""
    try:
        tree = _parsed(text)
    except (SyntaxError, ValueError) as error:
        raise FormulaError(f"{text!r} is no formula such as ceil(cols/16).") from error
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - _FUNCTIONS.keys()


@lru_cache(maxsize=256)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text.strip(), mode="eval").body


def _value(node: ast.expr, values: Mapping[str, int], text: str) -> Fraction:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return _bounded(Fraction(number), text)
        case ast.Name(id=name) if name in values:
            return Fraction(values[name])
        case ast.Name(id=name):
            known = ", ".join(values) or "numbers alone"
            raise FormulaError(f"{text!r} names {name}, and what is known here is {known}.")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, values, text)
        case ast.BinOp(op=kind, left=left, right=right) if type(kind) in _OPERATORS:
            return _bounded(_OPERATORS[type(kind)](_value(left, values, text), _value(right, values, text)), text)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS and arguments:
            given = [_value(argument, values, text) for argument in arguments]
            if len(given) == 1 or name in ("min", "max"):
                return min(given) if name == "min" else max(given) if name == "max" else _FUNCTIONS[name](given[0])
    raise FormulaError(f"{text!r} is no formula of names, numbers, + - * / // % << >>, ceil, floor, min and max.")


def _bits(value: Fraction) -> int:
    if value.denominator != 1:
        raise FormulaError(f"{value} is no whole number, and << and >> shift those alone.")
    return int(value)


def _places(value: Fraction) -> int:
    if not 0 <= _bits(value) <= MOST_PLACES:
        raise FormulaError(f"<< and >> shift by 0 to {MOST_PLACES}, not by {value}.")
    return int(value)


def _bounded(value: Fraction, text: str) -> Fraction:
    if abs(value) > LARGEST or value.denominator > LARGEST:
        raise FormulaError(f"{text!r} is too large.")
    return value
