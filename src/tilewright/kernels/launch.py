"""A kernel's launch as data: macros, grid, block, shared memory, arguments.

A launch names buffers and never holds an address, so that a plan for an H200 is made and tested on a laptop;
`tilewright.launch` puts the addresses in.
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

BUFFERS = ("A", "B", "C", "addend", "bias", "workspace")
"""A and B are the operands, C is the output, `addend` is what beta scales, `workspace` is memory of the call's own."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of a buffer's first element, ``offset_bytes`` further on."""

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
    check in hardware. Source: CUDA driver API, cuTensorMapEncodeTiled.
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
"""By the names of the kernel's parameters, in their order; ``product.m`` is the member m of the parameter product, a
struct of numbers or of tensor maps, whose members follow each other."""

Parameter = Argument | bytes | tuple[TensorMap, ...]
"""What one parameter takes: a struct of numbers as its bytes, one of tensor maps as these."""

FORMATS = {"int": "i", "unsigned": "I", "long long": "q", "float": "f", "double": "d"}


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of the kernel ``kernel``, such as "matmul/tiled", compiled with ``macros``.

    ``source`` is relative to `kernels/` or absolute, and ``entry`` the function's name; both follow from the kernel's
    name where they are left out. ``overlaps_previous`` asks for a programmatic dependent launch, where
    `tilewright.launch` makes one: the kernel may start before the one before it in the stream has ended, whosever that
    is, and waits for it itself (griddepcontrol) before it reads or writes a buffer. ``waits_for_grid``: blocks wait for
    each other, so that all must be resident (a cooperative launch).
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
        """What each of the kernel's parameters takes, by its name, in their order."""
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
class Launches:
    """What a kernel does for a problem: launches in order, the workspace that they share, sentences about them."""

    launches: tuple[Launch, ...]
    workspace_bytes: int = 0
    reasons: tuple[str, ...] = ()


def packed(scalars: Sequence[Argument]) -> bytes:
    """Return numbers as a struct of C has them: each aligned to its size, and the struct to the widest."""
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
    """Return how many groups of ``size`` hold ``count`` things."""
    return -(-count // size)
