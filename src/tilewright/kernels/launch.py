"""A kernel's launch as data: macros, grid, block, shared memory, arguments.

A launch names buffers instead of addresses, so a plan for an H200 can be made and tested on a laptop;
`tilewright.launch` fills in the addresses.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from ctypes import c_float
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

Extent = tuple[int, int, int]

MAX_GRID_X = 2**31 - 1
MAX_GRID_Y = 65_535
"""Also for z. Source: CUDA C++ Programming Guide, technical specifications per compute capability."""

BUFFERS = ("A", "B", "C", "c_operand", "bias", "workspace")
"""A and B are the factors, C the output, `c_operand` is scaled by beta and added, `workspace` is scratch memory."""
KEPT = "kept"
"""The buffer with what was made of a constant operand; it is the plan's, and stays where it is."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of a buffer plus ``offset_bytes``."""

    buffer: str
    offset_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number passed by value, as the C type ``int``, ``unsigned``, ``long long``, ``float`` or ``double``."""

    ctype: str
    value: int | float


@dataclass(frozen=True, slots=True)
class TensorMap:
    """A tiled tensor map for the copy engine (TMA), 128 bytes passed by value as a ``__grid_constant__``.

    ``sizes`` and ``box`` count elements, the fastest dimension first; ``strides_bytes`` are those of the dimensions
    after the first, multiples of 16. Elements outside ``sizes`` read as zero and are not written: the seeds' boundary
    check in hardware. Of the type "tfloat32", float32 in memory, elements are rounded as they are loaded: to 11
    significant bits, the nearest, ties to even. Source: CUDA driver API, cuTensorMapEncodeTiled.
    """

    buffer: str
    dtype: str
    sizes: tuple[int, ...]
    strides_bytes: tuple[int, ...]
    box: tuple[int, ...]
    swizzle_bytes: int = 128
    offset_bytes: int = 0


Argument = Pointer | Scalar | TensorMap
Arguments = dict[str, Argument]
"""Arguments by the kernel's parameter names, in their order. ``product.m`` is the member m of the parameter product, a
struct of numbers or of tensor maps, whose members are adjacent."""

Parameter = Argument | bytes | tuple[TensorMap, ...]
"""The argument of one parameter: bytes for a struct of numbers, tensor maps for a struct of these."""

FORMATS = {"int": "i", "unsigned": "I", "long long": "q", "float": "f", "double": "d"}


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of the kernel ``kernel``, such as "matmul/tiled", compiled with ``macros``.

    ``source`` is relative to `kernels/` or absolute, and ``entry`` is the function's name; both default to those of the
    kernel's name. ``overlaps_previous`` asks for a programmatic dependent launch, if `tilewright.launch` supports it:
    the kernel may start before the previous kernel in the stream (of any library) has ended, and waits for it
    (griddepcontrol) before it reads or writes a buffer. ``waits_for_grid``: blocks wait for each other, so all must be
    resident (a cooperative launch).
    """

    kernel: str
    macros: tuple[tuple[str, str], ...]
    grid: Extent
    block: Extent
    arguments: Arguments = field(hash=False)
    cluster: Extent = (1, 1, 1)
    shared_bytes: int = 0
    overlaps_previous: bool = False
    waits_for_grid: bool = False
    source: str = ""
    entry: str = ""

    def __post_init__(self) -> None:
        """Fill in what follows from the kernel's name."""
        object.__setattr__(self, "source", self.source or f"{self.kernel}.cu")
        object.__setattr__(self, "entry", self.entry or self.kernel.replace("/", "_"))

    @property
    def source_name(self) -> str:
        """The source file as compiled programs name it."""
        return source_name(self.source)

    def has(self, macro: str) -> bool:
        """Whether it is compiled with this macro."""
        return any(name == macro for name, _ in self.macros)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The arguments by parameter name, in order."""
        found: dict[str, Parameter] = {}
        for name, members in groupby(self.arguments.items(), key=lambda item: item[0].partition(".")[0]):
            given = dict(members)
            maps = tuple(value for value in given.values() if isinstance(value, TensorMap))
            found[name] = given[name] if name in given else maps or packed(tuple(given.values()))
        return found

    def __str__(self) -> str:
        """Return one line: kernel, grid, block, cluster where there is one, shared memory."""
        facts = [f"grid {_extent(self.grid)}", f"block {_extent(self.block)}"]
        facts += [f"cluster {_extent(self.cluster)}"] if self.cluster != (1, 1, 1) else []
        facts += [f"{self.shared_bytes:,} bytes of dynamic shared memory"] if self.shared_bytes else []
        return f"{self.kernel:<13} {', '.join(facts)}"


@dataclass(frozen=True, slots=True)
class Prepared:
    """The part of the workspace that holds what launches make of one operand alone, such as its 16-bit parts."""

    buffer: str
    offset_bytes: int
    end_bytes: int


@dataclass(frozen=True, slots=True)
class Launches:
    """A kernel's launches for a problem, in order, the workspace that they share, and the reasons in sentences.

    ``prepared`` says what could be kept of an operand that stays the same from product to product.
    """

    launches: tuple[Launch, ...]
    workspace_bytes: int = 0
    reasons: tuple[str, ...] = ()
    prepared: tuple[Prepared, ...] = ()


def packed(scalars: Sequence[Argument]) -> bytes:
    """Return numbers packed like a C struct: each aligned to its size, and the struct to its widest member."""
    members = [scalar for scalar in scalars if isinstance(scalar, Scalar)]
    assert len(members) == len(scalars), "a struct holds numbers or tensor maps"
    kinds = [FORMATS[scalar.ctype] for scalar in members]
    # A float that is too large is infinite, as in C.
    values = [c_float(each.value).value if each.ctype == "float" else each.value for each in members]
    return struct.pack(f"@{''.join(kinds)}0{max(kinds, key=struct.calcsize)}", *values)


def _extent(extent: Extent) -> str:
    return " x ".join(map(str, extent))


def source_name(source: str) -> str:
    """Return a source file's name in compiled programs: the same on every machine."""
    return Path(source).name if Path(source).is_absolute() else f"tilewright/kernels/{source}"


def ceil_divide(count: int, size: int) -> int:
    """Return count / size, rounded up."""
    return -(-count // size)
