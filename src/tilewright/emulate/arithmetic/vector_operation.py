"""What a vector instruction is: a row of the table that table.py puts together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value

Emit = Callable[..., Any]


class VectorOperation(NamedTuple):
    """A vector instruction: its key, the kinds of its results and operands, and its code."""

    key: str
    results: tuple[str, ...]
    operands: tuple[str, ...]
    emit: Emit


class Rows(list[VectorOperation]):
    """Rows of the table."""

    def add(self, key: str, results: str, operands: str, emit: Emit) -> None:
        """Append a row; several kinds stand in one text, a space between them."""
        self.append(VectorOperation(key, tuple(results.split()), tuple(operands.split()), emit))


def call_intrinsic(name: str) -> Emit:
    """Emit a call of LLVM's `name` on vectors of its first operand's type."""

    def emit(b: Builder, *values: Value) -> Value:
        element = values[0].type.element
        return v.intrinsic(b, f"llvm.{name}.{v.suffix(element)}", values[0].type, list(values))

    return emit


def call_method(name: str, *extra: Any) -> Emit:
    """Emit the builder's method `name`."""
    return lambda b, *values: getattr(b, name)(*values, *extra)
