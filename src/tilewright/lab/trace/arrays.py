"""The arrays of a trace: from an address to its element, from bits to a number, and what an atomic makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from tilewright.emulate import opcodes as op
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, SHARED
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.provenance import extents_of_accesses
from tilewright.emulate.ptx.symbols import plain_name
from tilewright.lab.check.element_types import BFLOAT16, numbers

Number = int | float
SPACES = {GLOBAL: "global", SHARED: "shared", ev.CONSTANT: "constant"}
UNKNOWN = -1
DTYPES: dict[str, Any] = {
    "u32": "uint32", "s32": "int32", "u64": "uint64", "s64": "int64", "f32": "float32", "f64": "float64",
    "f16": "float16", "bf16": BFLOAT16, "u16": "uint16", "f16x2": "float16", "bf16x2": BFLOAT16,
}  # fmt: skip
OF_FLOATS: dict[str, numpy.ufunc] = {"add": numpy.add, "min": numpy.fmin, "max": numpy.fmax}


@dataclass(frozen=True)
class TracedArray:
    """An array that the kernel may access. first_address: in its space. dtype: None if only the bits are known."""

    name: str
    space: str
    first_address: int
    nbytes: int
    dtype: numpy.dtype[Any] | None
    shape: tuple[int, ...]

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return 4 if self.dtype is None else self.dtype.itemsize

    def element(self, address: int) -> int:
        """Return the flat index of an address, which may be outside the array."""
        return (address - self.first_address) // self.itemsize

    def number(self, bits: int, nbytes: int) -> Number:
        """Return the bits of an access as a number."""
        if self.dtype is None or self.dtype.itemsize != nbytes:
            return bits
        return number_of(bits, self.dtype)

    def numbers(self, bits: int, nbytes: int) -> list[Number]:
        """Return the bits of an access as numbers; a word may hold several."""
        if self.dtype is None or nbytes <= self.itemsize or nbytes % self.itemsize:
            return [self.number(bits, nbytes)]
        width = 8 * self.itemsize
        parts = [bits >> width * part & ((1 << width) - 1) for part in range(nbytes // self.itemsize)]
        return [number_of(part, self.dtype) for part in parts]


def number_of(bits: int, dtype: numpy.dtype[Any]) -> Number:
    """Return bits as a number of a type; a float32 with the fewest digits that round-trip."""
    if dtype == BFLOAT16:
        bits, dtype = bits << 16, numpy.dtype("float32")
    data = (bits & ((1 << 8 * dtype.itemsize) - 1)).to_bytes(dtype.itemsize, "little")
    value = numpy.frombuffer(data, dtype)[0]
    if dtype.kind in "iub":
        return int(value)
    return float(str(value)) if dtype.itemsize < 8 else float(value)


def arrays_of(launch: Launch) -> list[TracedArray]:
    """Return the launch's allocations and shared arrays."""
    found = []
    for allocation in launch.allocations:
        if allocation.nbytes:
            dtype = None if allocation.dtype is None else numpy.dtype(allocation.dtype)
            size = allocation.nbytes // (4 if dtype is None else dtype.itemsize)
            shape = allocation.shape or (size,)
            name = plain_name(allocation.name)
            found.append(TracedArray(name, "global", allocation.address, allocation.nbytes, dtype, shape))
    known = launch.places.shared_arrays
    for name, first, nbytes in launch.shared_layout:
        dtype = numpy.dtype(known[name][0]) if name in known else None
        size = nbytes // (4 if dtype is None else dtype.itemsize)
        shape = known[name][1] if name in known else (size,)
        found.append(TracedArray(name, "shared", first, nbytes, dtype, shape))
    return found


class Locator:
    """Finds the array that a warp accesses."""

    def __init__(self, launch: Launch, arrays: Sequence[TracedArray]) -> None:
        self.arrays = arrays
        self._of_row = self._arrays_of_rows(launch)

    def _arrays_of_rows(self, launch: Launch) -> Mapping[int, int]:
        """Return the array of each instruction whose address is derived from a single array."""
        numbers = {(array.space, array.first_address): number for number, array in enumerate(self.arrays)}
        found = {}
        for pc, extents in extents_of_accesses(launch).items():
            places = {numbers.get((SPACES.get(extent.space, ""), extent.low), UNKNOWN) for extent in extents}
            if len(places) == 1 and UNKNOWN not in places:
                found[pc] = places.pop()
        return found

    def locate(self, pc: int, space: int, addresses: Sequence[int]) -> int:
        """Return the number of the array that an access at row `pc` is meant for, or UNKNOWN."""
        if pc in self._of_row:
            return self._of_row[pc]
        if space not in SPACES or not addresses:
            return UNKNOWN
        wanted = "shared" if space == SHARED else "global"
        for number, array in enumerate(self.arrays):
            if array.space == wanted and 0 <= addresses[0] - array.first_address < array.nbytes:
                return number
        return UNKNOWN


def updated_bits(operation: int, kind: int, old: int, value: int, third: int, *, is_shared: bool) -> int:
    """Return the bits that memory holds after a lane's atomic.

    operation, kind: indices into opcodes.ATOMIC_OPERATIONS and ATOMIC_TYPES. old: the bits before. value, third: the
    operands; a compare-and-swap stores the third. is_shared: in shared memory; in global memory, float32 sums flush
    subnormal numbers to zero. Source: PTX ISA, `atom`.
    """
    name, type_name = op.ATOMIC_OPERATIONS[operation], op.ATOMIC_TYPES[kind]
    dtype: numpy.dtype[Any] = numpy.dtype(DTYPES[type_name])
    if "f" in type_name and name in OF_FLOATS:
        nbytes = 4 if type_name.endswith("x2") else dtype.itemsize
        return _float_bits(name, dtype, old, value, nbytes, flushes=type_name == "f32" and not is_shared)
    mask = (1 << 8 * dtype.itemsize) - 1
    before, given, other = (_signed(bits & mask, dtype) for bits in (old, value, third))
    return _integer(name, before, given, other) & mask


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


def _float_bits(name: str, dtype: numpy.dtype[Any], old: int, value: int, nbytes: int, *, flushes: bool) -> int:
    mask = (1 << 8 * nbytes) - 1
    old, value = (_flushed(bits & mask) if flushes else bits & mask for bits in (old, value))
    terms = numpy.array([old, value], f"u{nbytes}").view(dtype).reshape(2, -1)
    with numpy.errstate(all="ignore"):
        total = OF_FLOATS[name](numbers(terms[0]), numbers(terms[1]))
    if dtype == BFLOAT16:  # rounded to the nearest, ties to even
        whole = total.view("u4")
        total = ((whole + 0x7FFF + (whole >> 16 & 1)) >> 16).astype("u2")
    bits = int(total.view(f"u{nbytes}")[0])
    return _flushed(bits) if flushes else bits


def _flushed(bits: int) -> int:
    """Return the bits of a float32, with subnormal numbers flushed to a zero of the same sign."""
    return bits & 0x80000000 if bits & 0x7F800000 == 0 else bits


def _signed(bits: int, dtype: numpy.dtype[numpy.generic]) -> int:
    width = 8 * dtype.itemsize
    return bits - (1 << width) if dtype.kind == "i" and bits >> (width - 1) else bits
