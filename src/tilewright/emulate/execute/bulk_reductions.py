"""What `cp.reduce.async.bulk` does with one element: what atomics do."""

from __future__ import annotations

from tilewright.emulate import opcodes as op
from tilewright.emulate.arithmetic import conversions
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute.atomics import F32, F64, S32, S64, U64, add_f32, flushed, updated
from tilewright.emulate.execute.half_atomics import F16, updated_half
from tilewright.emulate.memory_vectors import load_64, load_s32, load_u16, load_u32, store_16, store_32, store_64


@inner
def type_bytes(kind: int) -> int:
    """Return the bytes of an element. kind: of opcodes.BULK_TYPES."""
    if kind >= op.FIRST_HALF_TYPE:
        return 2
    return 8 if kind == U64 or kind == S64 or kind == F64 else 4


@inner
def reduce_element(target: int, source: int, operation: int, kind: int) -> None:
    """Put together what two places in this process hold, and write it to the first. kind: of opcodes.BULK_TYPES."""
    if kind >= op.FIRST_HALF_TYPE:
        half = conversions.F16 if kind == F16 else conversions.BF16
        store_16(target, updated_half(operation, half, load_u16(target), load_u16(source)))
    elif type_bytes(kind) == 8:
        store_64(target, updated(operation, kind, load_64(target), load_64(source), 0))
    elif kind == S32:
        store_32(target, updated(operation, kind, load_s32(target), load_s32(source), 0))
    elif kind == F32:
        store_32(target, flushed(add_f32(flushed(load_u32(target)), flushed(load_u32(source)))))
    else:
        store_32(target, updated(operation, kind, load_u32(target), load_u32(source), 0))
