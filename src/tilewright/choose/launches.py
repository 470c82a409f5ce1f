"""What a GPU does for one call, as data: which kernels in which order, with macros, launch shape and arguments.

A plan names buffers and never holds an address, so that a plan for an H200 is made and tested on a laptop;
`tilewright.launch` puts the addresses in.
"""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.choose.notebook import sentences, table, together
from tilewright.choose.quantities import extent

Extent = tuple[int, int, int]

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


@dataclass(frozen=True, slots=True)
class PlannedLaunch:
    """One kernel of a plan: ``source`` is relative to `kernels/`, ``macros`` are those that it is compiled with.

    ``overlaps_previous`` asks for a programmatic dependent launch, where `tilewright.launch` makes one:
    the kernel may start before the one before it in the stream has ended, whosever that is, and waits for it itself
    (griddepcontrol) before it reads or writes a buffer.
    """

    kernel: str
    source: str
    entry: str
    macros: tuple[tuple[str, str], ...]
    grid: Extent
    block: Extent
    arguments: tuple[Argument, ...]
    cluster: Extent = (1, 1, 1)
    shared_bytes: int = 0
    overlaps_previous: bool = False

    def has(self, macro: str) -> bool:
        """Whether it is compiled with this macro."""
        return any(name == macro for name, _ in self.macros)

    def __str__(self) -> str:
        """Return one line: kernel, grid, block, cluster where there is one, shared memory."""
        facts = [f"grid {_extent(self.grid)}", f"block {_extent(self.block)}"]
        facts += [f"cluster {_extent(self.cluster)}"] if self.cluster != (1, 1, 1) else []
        facts += [f"{self.shared_bytes:,} bytes of dynamic shared memory"] if self.shared_bytes else []
        return f"{self.kernel:<13} {', '.join(facts)}"


@dataclass(frozen=True, slots=True)
class GpuPlan:
    """The launches of one call, in order, on one stream. Each of the ``reasons`` is a sentence."""

    launches: tuple[PlannedLaunch, ...]
    workspace_bytes: int
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        """Return the launches, one a line, then one reason a line."""
        lines = [str(launch) for launch in self.launches]
        if self.workspace_bytes:
            lines.append(f"workspace     {self.workspace_bytes:,} bytes")
        return "\n".join([*lines, *(f"- {reason}" for reason in self.reasons)])

    def _repr_html_(self) -> str:
        """Return the launches and the reasons as notebooks show them."""
        columns = ("kernel", "grid", "block", "cluster", "dynamic shared bytes")
        rows = [
            (x.kernel, extent(x.grid), extent(x.block), extent(x.cluster), f"{x.shared_bytes:,}") for x in self.launches
        ]
        workspace = [f"Workspace: {self.workspace_bytes:,} bytes."] if self.workspace_bytes else []
        launches = table(columns, rows) if rows else ""
        return together(launches, sentences([*workspace, *self.reasons]))


def _extent(extent: Extent) -> str:
    return " x ".join(map(str, extent))
