"""What a launch counted, in all and per source line."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.state import Int32s, Int64s

SPACES = ("global", "shared", "local", "constant")


@dataclass(slots=True)
class Counts:
    """Counted by execution of the PTX, every thread and instruction.

    warp_instructions: instructions executed by warps; thread_instructions: by their active threads.
    {space}_loads, {space}_stores: elements moved by active threads (a `.v4` access counts four, `cp.async` and
    `ldmatrix` and `stmatrix` elements of 4 bytes).
    {space}_load_requests, {space}_store_requests: warp instructions with at least one active thread.
    *_sectors: different 32-byte sectors per request, summed. barriers: warp instructions.
    atomics: operations of threads; atomic_requests: warp instructions.
    bulk_copies: `cp.async.bulk`, prefetches too, which are no loads and stores; bulk_bytes: that they move, once each,
    to however many blocks they go. `st.async` and `red.async` count for each thread.
    matrix_instructions: `mma.sync` and `wgmma`, for each warp that takes part; matrix_flops: two for each product of
    an element of A and one of B.
    """

    warp_instructions: int = 0
    thread_instructions: int = 0
    global_loads: int = 0
    global_load_requests: int = 0
    global_load_sectors: int = 0
    global_stores: int = 0
    global_store_requests: int = 0
    global_store_sectors: int = 0
    shared_loads: int = 0
    shared_load_requests: int = 0
    shared_stores: int = 0
    shared_store_requests: int = 0
    local_loads: int = 0
    local_load_requests: int = 0
    local_load_sectors: int = 0
    local_stores: int = 0
    local_store_requests: int = 0
    local_store_sectors: int = 0
    constant_loads: int = 0
    constant_load_requests: int = 0
    barriers: int = 0
    atomics: int = 0
    atomic_requests: int = 0
    bulk_copies: int = 0
    bulk_bytes: int = 0
    matrix_instructions: int = 0
    matrix_flops: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Return what two launches counted together."""
        return Counts(*(getattr(self, name) + getattr(other, name) for name in NAMES))

    def as_dict(self) -> dict[str, int]:
        """Return the counts by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


NAMES = tuple(field.name for field in fields(Counts))
COLUMN = {name: number for number, name in enumerate(NAMES)}
ACCESSES = {
    op.LOAD_GLOBAL: ("global", "load"),
    op.STORE_GLOBAL: ("global", "store"),
    op.LOAD_SHARED: ("shared", "load"),
    op.STORE_SHARED: ("shared", "store"),
    op.LOAD_LOCAL: ("local", "load"),
    op.STORE_LOCAL: ("local", "store"),
    op.LOAD_CONSTANT: ("constant", "load"),
    op.LOAD_MATRIX: ("shared", "load"),
    op.STORE_MATRIX: ("shared", "store"),
}


PRODUCTS = (op.MULTIPLY_MATRICES, op.MULTIPLY_FLOAT64, op.WARPGROUP_MULTIPLY)


def flops_of_warp(line: Int32s) -> int:
    """Return the operations of a product of matrices that are one warp's: two for each product of elements."""
    opcode, kind = int(line[row.OPCODE]), int(line[row.KIND])
    if opcode == op.MULTIPLY_FLOAT64:
        rows, depth = op.FLOAT64_PRODUCTS[kind]
        return 2 * rows * 8 * depth
    depth = (16 if kind & op.MATRIX_SHORT else 32) // op.ELEMENT_BYTES[kind & 15]
    columns = int(line[row.EXTRA_1]) if opcode == op.WARPGROUP_MULTIPLY else 8
    return 2 * (8 if kind & op.MATRIX_EIGHT_ROWS else 16) * columns * depth


def tabulate(code: Int32s, elements: Int64s, counted: Int64s, counters: Int64s) -> Int64s:
    """Return a row of counts (NAMES) per instruction from what the workers counted."""
    table = np.zeros((len(code), len(NAMES)), np.int64)
    opcodes = code[:, row.OPCODE]
    warps, threads, requests, sectors = (counters[: len(code), column] for column in range(4))
    table[:, COLUMN["warp_instructions"]] = warps * counted
    table[:, COLUMN["thread_instructions"]] = threads * counted
    for opcode, (space, access) in ACCESSES.items():
        _add_access(table, opcodes == opcode, space, access, elements, threads, requests, sectors)
    # A generic access counts for the memory that it reached; sectors are known of global memory alone.
    for opcode, access in ((op.LOAD_GENERIC, "load"), (op.STORE_GENERIC, "store")):
        generic = opcodes == opcode
        if generic.any():
            in_global, in_shared = counters[: len(code), 4:6].T, counters[: len(code), 6:8].T
            in_local = requests - in_global[0] - in_shared[0], threads - in_global[1] - in_shared[1]
            for space, reached in (("global", in_global), ("shared", in_shared), ("local", in_local)):
                known = sectors if space == "global" else np.zeros_like(sectors)
                _add_access(table, generic, space, access, elements, reached[1], reached[0], known)
    # An asynchronous copy is a load of what it reads, and a store by every thread.
    copies = opcodes == op.ASYNC_COPY
    if copies.any():
        in_global, in_shared = counters[: len(code), 4:6].T, counters[: len(code), 6:8].T
        _add_access(table, copies, "global", "load", elements, in_global[1], in_global[0], sectors)
        _add_access(table, copies, "shared", "store", elements, in_shared[1], in_shared[0], sectors)
    bulk = opcodes == op.BULK_COPY
    if bulk.any():
        table[bulk, COLUMN["bulk_copies"]] = counters[: len(code)][bulk, 4]
        table[bulk, COLUMN["bulk_bytes"]] = counters[: len(code)][bulk, 5]
    for number in np.flatnonzero(np.isin(opcodes, PRODUCTS)):
        table[number, COLUMN["matrix_instructions"]] = threads[number] // 32 * counted[number]
        table[number, COLUMN["matrix_flops"]] = threads[number] // 32 * flops_of_warp(code[number])
    table[:, COLUMN["barriers"]] = np.where(opcodes == op.BARRIER, warps, 0)
    is_atomic = np.isin(opcodes, (op.ATOMIC, op.HALF_ATOMIC))
    table[:, COLUMN["atomics"]] = np.where(is_atomic, threads, 0)
    table[:, COLUMN["atomic_requests"]] = np.where(is_atomic, requests, 0)
    return table


def _add_access(table, which, space, access, elements, threads, requests, sectors):  # type: ignore[no-untyped-def]
    which = which & (elements > 0)
    table[which, COLUMN[f"{space}_{access}s"]] += (threads * elements)[which]
    table[which, COLUMN[f"{space}_{access}_requests"]] += requests[which]
    if f"{space}_{access}_sectors" in COLUMN:
        table[which, COLUMN[f"{space}_{access}_sectors"]] += sectors[which]


def to_counts(values: Int64s) -> Counts:
    """Return one row (or a sum of rows) of the table as Counts."""
    return Counts(*(int(value) for value in values))
