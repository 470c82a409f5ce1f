"""The columns of an encoded instruction: one row of 16 int32, a cache line."""

from __future__ import annotations

COLUMNS = 16
ROW_BYTES = COLUMNS * 4

(
    OPCODE,
    RESULT,
    OPERAND_A,
    OPERAND_B,
    OPERAND_C,
    GUARD,
    GUARD_FLIP,
    IMMEDIATE,
    OPERAND_D,
    TARGET,
    RECONVERGENCE,
    KIND,
    LINE,
    EXTRA_1,
    EXTRA_2,
    EXTRA_3,
) = range(COLUMNS)
ORDER = TARGET
"""OPCODE: below the number of vector operations, a row of arithmetic/table.py; else one of opcodes.py.
RESULT, OPERAND_*, EXTRA_*: byte offsets (see vectors.py).
GUARD: the predicate that switches lanes off, GUARD_FLIP: -1 for `@!%p`.
TARGET, RECONVERGENCE: rows. KIND: what the opcode needs to know besides. LINE: index into the module's lines.
ORDER: of accesses, atomics and fences, which jump nowhere: opcodes.STRONG and so on."""
