"""The tables of a running launch, by address: Numba passes one integer instead of twenty arrays.

`state` is the address of the launch's own words (LAYOUT_* and CONTROL_*), some of which say where the tables are.
A table's row is an address too, and `get(row, COLUMN)` reads a word of it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tilewright.emulate import instruction_row as row
from tilewright.emulate import state as st
from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import inner
from tilewright.emulate.memory_vectors import load_64


@intrinsic
def get(typing_context, record, column):  # type: ignore[no-untyped-def]
    """Return word `column` of a row."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        return b.load(_word(b, *arguments), typ=v.i64, align=8)

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def put(typing_context, record, column, value):  # type: ignore[no-untyped-def]
    """Write word `column` of a row."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        b.store(arguments[2], _word(b, *arguments[:2]), align=8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@intrinsic
def field(typing_context, state, pc, column):  # type: ignore[no-untyped-def]
    """Return a column of the instruction at `pc` (instruction_row.py)."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        state, pc, column = arguments
        code = b.load(v.address(b, state, 8 * st.LAYOUT_CODE), typ=v.i64, align=8)
        at = b.add(b.mul(pc, ir.Constant(v.i64, row.ROW_BYTES)), b.shl(column, ir.Constant(v.i64, 2)))
        return b.sext(b.load(v.address(b, code, at), typ=v.i32, align=4), v.i64)

    return types.int64(types.int64, types.int64, types.int64), codegen


def _word(b: Builder, record: Value, column: Value) -> Value:
    return v.address(b, record, b.shl(column, ir.Constant(v.i64, 3)))


@inner
def increase(record: int, column: int, amount: int) -> None:
    """Add to a word of a row."""
    put(record, column, get(record, column) + amount)


@inner
def mark(record: int, column: int, lanes: int) -> None:
    """Set lanes in a mask of a row."""
    put(record, column, get(record, column) | lanes)


@inner
def clear(record: int, column: int, lanes: int) -> None:
    """Take lanes out of a mask of a row."""
    put(record, column, get(record, column) & ~lanes)


@inner
def warp_at(state: int, warp: int) -> int:
    """Return the row of a resident warp (WARP_*)."""
    return get(state, st.LAYOUT_WARP_TABLE) + 8 * st.WARP_COLUMNS * warp


@inner
def split_at(state: int, warp: int, split: int) -> int:
    """Return the row of a split (SPLIT_*)."""
    return get(state, st.LAYOUT_SPLITS) + 8 * st.SPLIT_COLUMNS * (32 * warp + split)


@inner
def join_at(state: int, warp: int, join: int) -> int:
    """Return the row of a join (JOIN_*)."""
    return get(state, st.LAYOUT_JOINS) + 8 * st.JOIN_COLUMNS * (st.JOINS * warp + join)


@inner
def block_at(state: int, block: int) -> int:
    """Return the row of a resident block (BLOCK_*)."""
    return get(state, st.LAYOUT_BLOCKS) + 8 * st.BLOCK_COLUMNS * block


@inner
def barrier_at(state: int, block: int, barrier: int) -> int:
    """Return the row of a block's barrier (BARRIER_*)."""
    return get(state, st.LAYOUT_BARRIERS) + 8 * st.BARRIER_COLUMNS * (st.BARRIERS * block + barrier)


@inner
def allocation_at(state: int, allocation: int) -> int:
    """Return the row of an allocation (ALLOCATION_*)."""
    return get(state, st.LAYOUT_ALLOCATION_TABLE) + 8 * st.ALLOCATION_COLUMNS * allocation


@inner
def call_at(state: int, site: int) -> int:
    """Return the row of a call site or function (CALL_*)."""
    return get(state, st.LAYOUT_CALLS) + 8 * st.CALL_COLUMNS * site


@inner
def copy_at(state: int, copy: int, column: int) -> int:
    """Return the source, target or number of bytes of a parameter's copy."""
    return load_64(get(state, st.LAYOUT_COPIES) + 24 * copy + 8 * column)


@inner
def table_entry(state: int, index: int) -> int:
    """Return a target of a branch table."""
    return load_64(get(state, st.LAYOUT_TABLES) + 8 * index)
