"""The tables of a running launch, by address: Numba passes one integer instead of twenty arrays.

`state` is the address of the launch's own words (LAYOUT_* and CONTROL_*), some of which say where the tables are.
A table's row is an address too, and `get(row, COLUMN)` reads a word of it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from tilewright.emulate import instruction_row as row
from tilewright.emulate import state as st
from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import inner, of_words
from tilewright.emulate.memory_vectors import load_64


@of_words
def get(b: Builder, record: Value, column: Value) -> Value:
    """Return word `column` of a row."""
    return b.load(_word(b, record, column), typ=v.i64, align=8)


@of_words
def put(b: Builder, record: Value, column: Value, value: Value) -> None:
    """Write word `column` of a row."""
    b.store(value, _word(b, record, column), align=8)


@of_words
def field(b: Builder, state: Value, pc: Value, column: Value) -> Value:
    """Return a column of the instruction at `pc` (instruction_row.py)."""
    code = b.load(v.address(b, state, 8 * st.LAYOUT_CODE), typ=v.i64, align=8)
    at = b.add(b.mul(pc, ir.Constant(v.i64, row.ROW_BYTES)), b.shl(column, ir.Constant(v.i64, 2)))
    return b.sext(b.load(v.address(b, code, at), typ=v.i32, align=4), v.i64)


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


def row_of(table: int, columns: int) -> Any:
    """Make a function of the tables' base and an index: the row in the table at word `table` of the base."""

    @inner
    def row_at(base: int, index: int) -> int:
        return get(base, table) + 8 * columns * index

    return row_at


def row_within(table: int, columns: int, rows: int) -> Any:
    """Make a function of the tables' base, an index and an index within: each of the first has so many rows."""

    @inner
    def row_at(base: int, index: int, within: int) -> int:
        return get(base, table) + 8 * columns * (rows * index + within)

    return row_at


warp_at = row_of(st.LAYOUT_WARP_TABLE, st.WARP_COLUMNS)
"""The row of a resident warp (WARP_*)."""
split_at = row_within(st.LAYOUT_SPLITS, st.SPLIT_COLUMNS, 32)
"""The row of a split (SPLIT_*)."""
join_at = row_within(st.LAYOUT_JOINS, st.JOIN_COLUMNS, st.JOINS)
"""The row of a join (JOIN_*)."""
block_at = row_of(st.LAYOUT_BLOCKS, st.BLOCK_COLUMNS)
"""The row of a resident block (BLOCK_*)."""
barrier_at = row_within(st.LAYOUT_BARRIERS, st.BARRIER_COLUMNS, st.BARRIERS)
"""The row of a block's barrier (BARRIER_*)."""
allocation_at = row_of(st.LAYOUT_ALLOCATION_TABLE, st.ALLOCATION_COLUMNS)
"""The row of an allocation (ALLOCATION_*)."""
call_at = row_of(st.LAYOUT_CALLS, st.CALL_COLUMNS)
"""The row of a call site or function (CALL_*)."""


@inner
def copy_at(state: int, copy: int, column: int) -> int:
    """Return the source, target or number of bytes of a parameter's copy."""
    return load_64(get(state, st.LAYOUT_COPIES) + 24 * copy + 8 * column)


@inner
def table_entry(state: int, index: int) -> int:
    """Return a target of a branch table."""
    return load_64(get(state, st.LAYOUT_TABLES) + 8 * index)
