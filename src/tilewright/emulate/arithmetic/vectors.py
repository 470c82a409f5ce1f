"""LLVM building blocks: 32 lanes as one vector, at raw addresses.

A warp's register is a *slot*: 32 lanes of 32 bits (128 bytes; 16-bit registers use one too) or of
64 bits (256 bytes). A predicate is a 32-bit mask, a bit per lane. Operands are byte offsets: at or above 0 into the
frame of the executing function, below 0 (bitwise inverted) into the constants of the launch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from llvmlite import ir

LANES = 32
SLOT_BYTES = {16: 128, 32: 128, 64: 256}

i1, i8, i16, i32, i64 = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
f32, f64 = ir.FloatType(), ir.DoubleType()
pointer = ir.PointerType()
ELEMENT = {"i16": i16, "i32": i32, "i64": i64, "f32": f32, "f64": f64}

Builder = Any  # llvmlite ships no types
Value = Any
Emit = Callable[..., Any]


def vector(element: Any) -> Any:
    """Return the LLVM type of 32 lanes of `element`."""
    return ir.VectorType(element, LANES)


def splat(builder: Builder, value: Value) -> Value:
    """Return `value` in every lane."""
    undefined = ir.Constant(vector(value.type), ir.Undefined)
    one = builder.insert_element(undefined, value, ir.Constant(i32, 0))
    zeros = ir.Constant(vector(i32), [0] * LANES)
    return builder.shuffle_vector(one, undefined, zeros)


def constant(element: Any, value: float) -> Value:
    """Return the constant `value` in every lane."""
    return ir.Constant(vector(element), [value] * LANES)


def lane_numbers(element: Any = i32) -> Value:
    """Return 0, 1, ... 31."""
    return ir.Constant(vector(element), list(range(LANES)))


def to_lanes(builder: Builder, mask: Value) -> Value:
    """Turn a 32-bit mask into 32 booleans."""
    return builder.bitcast(mask, vector(i1))


def to_mask(builder: Builder, lanes: Value) -> Value:
    """Turn 32 booleans into a 32-bit mask."""
    return builder.bitcast(lanes, i32)


def address(builder: Builder, base: Value, offset: Value | int = 0) -> Value:
    """Return the pointer `base + offset` (both integers of 64 bits)."""
    if isinstance(offset, int):
        offset = ir.Constant(i64, offset)
    return builder.inttoptr(builder.add(base, offset), pointer)


def intrinsic(builder: Builder, name: str, result: Any, arguments: list[Value]) -> Value:
    """Call LLVM's own function `name`, declared on first use."""
    module = builder.module
    function = module.globals.get(name)
    if function is None:
        function_type = ir.FunctionType(result, [argument.type for argument in arguments])
        function = ir.Function(module, function_type, name=name)
    return builder.call(function, arguments)


def suffix(element: Any) -> str:
    """Return LLVM's mangling of 32 lanes of `element`, such as `v32f32`."""
    kinds = {i8: "i8", i16: "i16", i32: "i32", i64: "i64", f32: "f32", f64: "f64"}
    return f"v{LANES}{kinds[element]}"


def masked_store(builder: Builder, value: Value, target: Value, lanes: Value) -> None:
    """Store the lanes of `value` that are set in `lanes`."""
    element = value.type.element
    name = f"llvm.masked.store.{suffix(element)}.p0"
    intrinsic(builder, name, ir.VoidType(), [value, target, ir.Constant(i32, 64), lanes])


def gather(builder: Builder, element: Any, pointers: Value, lanes: Value, align: int) -> Value:
    """Load a lane of `element` from each pointer whose lane is set; the others are 0."""
    name = f"llvm.masked.gather.{suffix(element)}.{_pointers()}"
    arguments = [pointers, ir.Constant(i32, align), lanes, constant(element, 0)]
    return intrinsic(builder, name, vector(element), arguments)


def scatter(builder: Builder, value: Value, pointers: Value, lanes: Value, align: int) -> None:
    """Store each set lane at its pointer, the lowest lane first."""
    name = f"llvm.masked.scatter.{suffix(value.type.element)}.{_pointers()}"
    arguments = [value, pointers, ir.Constant(i32, align), lanes]
    intrinsic(builder, name, ir.VoidType(), arguments)


def _pointers() -> str:
    return f"v{LANES}p0"


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
        return intrinsic(b, f"llvm.{name}.{suffix(element)}", values[0].type, list(values))

    return emit


def call_method(name: str, *extra: Any) -> Emit:
    """Emit the builder's method `name`."""
    return lambda b, *values: getattr(b, name)(*values, *extra)


Turn = Callable[[Value, list[Value]], list[Value]]
"""Emits one turn of a loop: is given its number and the values of the turn before, and returns new ones."""


def loop(b: Builder, count: Value, first: list[Value], body: Turn) -> list[Value]:
    """Emit a loop of `count` turns, 1 or more, from the values `first` on; return the last turn's values."""
    before, turn = b.block, b.append_basic_block("turn")
    b.branch(turn)
    b.position_at_end(turn)
    number = b.phi(i64)
    values = [b.phi(value.type) for value in first]
    results = body(number, values)
    following = b.add(number, ir.Constant(i64, 1))
    pairs = zip([number, *values], [ir.Constant(i64, 0), *first], [following, *results], strict=True)
    for phi, start, result in pairs:
        phi.add_incoming(start, before)
        phi.add_incoming(result, b.block)
    after = b.append_basic_block("after")
    b.cbranch(b.icmp_unsigned("<", following, count), turn, after)
    b.position_at_end(after)
    return results
