"""The result of an atomic operation on an element, as the emulator computes it."""

from __future__ import annotations

import numpy

from tilewright.emulate import opcodes as op

DTYPES = {"u32": "uint32", "s32": "int32", "u64": "uint64", "s64": "int64", "f32": "float32", "f64": "float64"}


def updated_bits(operation: int, kind: int, old: int, value: int, third: int, *, is_shared: bool) -> int:
    """Return the bits that memory holds after a lane's atomic.

    operation, kind: indices into opcodes.ATOMIC_OPERATIONS and ATOMIC_TYPES. old: the bits before. value, third: the
    operands; a compare-and-swap stores the third. is_shared: in shared memory; in global memory, float32 sums flush
    subnormal numbers to zero. Source: PTX ISA, `atom`.
    """
    name, dtype = op.ATOMIC_OPERATIONS[operation], numpy.dtype(DTYPES[op.ATOMIC_TYPES[kind]])
    if dtype.kind == "f":
        return _float_bits(name, dtype, old, value, third, flushes=dtype.itemsize == 4 and not is_shared)
    mask = (1 << 8 * dtype.itemsize) - 1
    numbers = [_signed(bits & mask, dtype) for bits in (old, value, third)]
    return _integer(name, *numbers) & mask


def _integer(name: str, old: int, value: int, third: int) -> int:
    match name:
        case "add":
            return old + value
        case "min":
            return min(old, value)
        case "max":
            return max(old, value)
        case "exch":
            return value
        case "cas":
            return third if old == value else old
        case "inc":
            return 0 if old >= value else old + 1
        case "dec":
            return value if old == 0 or old > value else old - 1
        case "and":
            return old & value
        case "or":
            return old | value
        case _:
            return old ^ value


def _float_bits(
    name: str, dtype: numpy.dtype[numpy.generic], old: int, value: int, third: int, *, flushes: bool
) -> int:
    unsigned = numpy.dtype(f"u{dtype.itemsize}")
    mask = (1 << 8 * dtype.itemsize) - 1
    if name != "add":
        return _integer(name, old & mask, value & mask, third & mask)
    old, value = (_flushed(bits & mask) if flushes else bits & mask for bits in (old, value))
    terms = numpy.array([old, value], unsigned).view(dtype)
    with numpy.errstate(all="ignore"):
        total = int(numpy.add(terms[:1], terms[1:]).view(unsigned)[0])
    return _flushed(total) if flushes else total


def _flushed(bits: int) -> int:
    """Return the bits of a float32, with subnormal numbers flushed to a zero of the same sign."""
    return bits & 0x80000000 if bits & 0x7F800000 == 0 else bits


def _signed(bits: int, dtype: numpy.dtype[numpy.generic]) -> int:
    width = 8 * dtype.itemsize
    return bits - (1 << width) if dtype.kind == "i" and bits >> (width - 1) else bits
