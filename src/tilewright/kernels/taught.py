"""Taught kernels, those of the seeds: packed matrices in float32 or float64, one product per launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from math import prod
from typing import Any

from tilewright.kernels.batches import MOST_LAUNCHES
from tilewright.kernels.epilogue import int_arguments
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.kernel import Capability, Kernel
from tilewright.kernels.launch import MAX_GRID_X, MAX_GRID_Y, Extent, Launch, Launches, Pointer, ceil_divide
from tilewright.kernels.operand import C_TYPES, DTYPE_BYTES
from tilewright.kernels.operations import Operation, find_operation
from tilewright.kernels.problem import Problem

LINE_BLOCK_THREADS = 1024
ANY_CHIP = {"float32": (1, 0), "float64": (1, 0)}


class Arrangement(Enum):
    """How the threads of a kernel are arranged over its work."""

    SQUARES = "blocks of TILE x TILE threads over C"
    LINE_OVER_C = f"a line of blocks of {LINE_BLOCK_THREADS} threads over the elements of C"
    LINE_OVER_K = "a line of blocks of TILE threads over the k products"
    ONE_THREAD = "one thread"


@dataclass(frozen=True)
class SizeLimit:
    """The largest number of something that a kernel takes: ``what`` is "elements per matrix" or "size"."""

    what: str
    largest: int
    reason: str


SQUARE_INDEX = SizeLimit(
    "elements per matrix", 2**31 - 32, "indices are 32-bit integers, and a tile reaches up to 31 past an edge"
)
LINE_INDEX = SizeLimit(
    "elements per matrix", 2**31 - 1024, "indices are 32-bit integers, and the last block has up to 1,023 idle threads"
)
SERIAL_INDEX = SizeLimit("elements per matrix", 2**31 - 1, "indices are 32-bit integers")
STRIDE_INDEX = SizeLimit(
    "elements per matrix", 2**30 - 512, "an index plus the grid's length must fit a 32-bit integer"
)
GOLDEN_SIZE = SizeLimit("for m, n and k", 2048, "one thread would take minutes to hours, so larger sizes are not run")


@dataclass(frozen=True, kw_only=True)
class TaughtKernel(Kernel):
    """A kernel of the seeds, whose launch depends only on sizes and tile, not on the chip.

    ``shared_elements_per_tile`` counts the elements of shared memory as a factor and a power of the tile: ``(2, 2)`` is
    two TILE x TILE arrays, ``(1, 1)`` is TILE. ``loads_once_per_block`` tells a kernel whose blocks share what they
    load from one whose threads do not. ``partial_sums``: it leaves one per block, which the host adds.
    """

    arrangement: Arrangement
    size_limit: SizeLimit
    since: Mapping[str, Capability] = field(default_factory=lambda: ANY_CHIP, hash=False)
    shared_elements_per_tile: tuple[int, int] | None = None
    loads_once_per_block: bool = False
    multiples_of_tile_only: bool = False
    partial_sums: bool = False

    @cached_property
    def about(self) -> Operation:
        """The operation's own description."""
        return find_operation(self.operation)

    def macros(self, dtype: str, tile: int | None) -> dict[str, str]:
        """Return the macros that set the element type (of ``dtype``) and the tile."""
        values = {"ELEMENT": C_TYPES[dtype]}
        if self.tile is not None:
            values["TILE"] = str(self._tile(tile))
        return values

    def block(self, tile: int | None = None) -> Extent:
        """Return the threads of a block in x, y and z."""
        match self.arrangement:
            case Arrangement.SQUARES:
                return (self._tile(tile), self._tile(tile), 1)
            case Arrangement.LINE_OVER_C:
                return (LINE_BLOCK_THREADS, 1, 1)
            case Arrangement.LINE_OVER_K:
                return (self._tile(tile), 1, 1)
            case Arrangement.ONE_THREAD:
                return (1, 1, 1)

    def grid(self, m: int, n: int, k: int, tile: int | None = None) -> Extent:
        """Return the blocks of the grid in x (columns of C), y (rows of C) and z."""
        rows, columns = self._c_extent(m, n)
        match self.arrangement:
            case Arrangement.SQUARES:
                return (ceil_divide(columns, self._tile(tile)), ceil_divide(rows, self._tile(tile)), 1)
            case Arrangement.LINE_OVER_C:
                return (ceil_divide(rows * columns, LINE_BLOCK_THREADS), 1, 1)
            case Arrangement.LINE_OVER_K:
                # One block even for k = 0, so that the sum of nothing is stored.
                return (max(1, ceil_divide(k, self._tile(tile))), 1, 1)
            case Arrangement.ONE_THREAD:
                return (1, 1, 1)

    def shared_bytes(self, tile: int | None, dtype: str) -> int:
        """Return the shared memory of a block, in bytes."""
        if self.shared_elements_per_tile is None:
            return 0
        factor, power = self.shared_elements_per_tile
        return factor * int(self._tile(tile) ** power) * DTYPE_BYTES[dtype]

    def c_elements(self, m: int, n: int, k: int, tile: int | None = None) -> int:
        """Return the elements of the buffer the kernel writes: those of C, or one partial sum per block."""
        return prod(self.grid(m, n, k, tile)) if self.partial_sums else prod(self.about.c_shape(m, n))

    def predicted_global_loads(self, m: int, n: int, k: int, tile: int | None = None) -> int:
        """Return the elements that all threads together load from global memory, by the seeds' arithmetic.

        A thread on its own reads ``row_group`` rows of A and columns of B for each element of C. A block that
        shares reads every element of its rows of A and of its columns of B once; guarded loads do not count.
        """
        if self.about.vectors:
            return 2 * k
        if self.loads_once_per_block:
            blocks_x, blocks_y, _ = self.grid(m, n, k, tile)
            return blocks_x * m * k + blocks_y * k * n
        rows, columns = self._c_extent(m, n)
        return 2 * self.about.row_group * k * rows * columns

    def variant_refusal(self, tile: Any, dtype: str) -> str | None:
        """Return why there is no program for this tile and element type, as a sentence, or None."""
        return self.chip_refusal(dtype, None) or self._tile_refusal(tile)

    def refusal(self, problem: Problem, facts: DeviceFacts | None, tile: Any = None) -> str | None:
        """Return why it does not compute a problem; ``facts`` is None for any machine that has room for a block."""
        refused = (
            self.variant_refusal(tile, problem.dtype)
            or problem.size_refusal
            or (None if self.on_host else problem.alignment_refusal())
            or self._size_refusal(*problem.sizes)
        )
        if refused or problem.is_empty or self.on_host:
            return refused
        return (
            self._layout_refusal(problem)
            or self._multiple_refusal(*problem.sizes, tile)
            or self._grid_refusal(*problem.sizes, tile)
            or (None if facts is None else self._device_refusal(problem.dtype, facts, tile))
        )

    def launches(self, problem: Problem, facts: DeviceFacts, tile: int | None = None) -> Launches:  # noqa: ARG002
        """Return one launch for each product of the batch."""
        m, n, k = problem.sizes
        starts = [(0, 0, 0)]
        for index, extent in enumerate(problem.batch):
            a, b, c = (operand.batch_strides[index] for operand in (problem.a, problem.b, problem.c))
            starts = [(i + step * a, j + step * b, q + step * c) for i, j, q in starts for step in range(extent)]
        found = (
            Launch(
                kernel=self.name,
                macros=tuple(self.macros(problem.dtype, tile).items()),
                grid=self.grid(m, n, k, tile),
                block=self.block(tile),
                arguments={
                    **{name: Pointer(name, at * problem.element_bytes) for name, at in zip("ABC", start, strict=True)},
                    **(int_arguments(k=k) if self.about.vectors else int_arguments(m=m, n=n, k=k)),
                },
                source=self.source,
                entry=self.entry,
            )
            for start in starts
        )
        return Launches(tuple(found))

    def _tile(self, tile: int | None) -> int:
        if self.tile is None:
            raise ValueError(f"{self.name} has no tile.")
        return self.tile.default if tile is None else tile

    def _c_extent(self, m: int, n: int) -> tuple[int, int]:
        shape = self.about.c_shape(m, n)
        return (shape[0], shape[1]) if shape else (1, 1)

    def _tile_refusal(self, tile: int | None) -> str | None:
        if tile is None:
            return None
        if self.tile is None:
            return f"{self.name} has no tile to set, so tile = {tile} cannot be used; leave the tile out."
        if isinstance(tile, bool) or not hasattr(tile, "__index__"):
            return f"{self.name} takes a whole number as its tile, not {tile!r}."
        if self.tile.accepts(tile):
            return None
        return f"{self.name} takes tiles {self.tile}, not {tile}: {self.tile.reason}."

    def _size_refusal(self, m: int, n: int, k: int) -> str | None:
        limit = self.size_limit
        if limit.what == "elements per matrix":
            operation = self.about
            shapes = {
                "A": operation.a_shape(m, k),
                "B": operation.b_shape(k, n),
                "C": operation.c_shape(m, n),
            }
            sizes = {f"{name} {shape}": prod(shape) for name, shape in shapes.items()}
        else:
            sizes = {"m": m, "n": n, "k": k}
        what, size = max(sizes.items(), key=lambda item: item[1])
        if size <= limit.largest:
            return None
        given = f"{size:,} of {what}" if limit.what == "elements per matrix" else f"{what} = {size:,}"
        return f"{self.name} takes at most {limit.largest:,} {limit.what}, not {given}: {limit.reason}."

    def _layout_refusal(self, problem: Problem) -> str | None:
        if not problem.epilogue.is_plain:
            return f"{self.name} stores the sum as it is, without {problem.epilogue}; kernel='auto' takes an epilogue."
        for matrix, operand in (("A", problem.a), ("B", problem.b), ("C", problem.c)):
            rows_apart = operand.rows > 1 and operand.row_stride != operand.columns
            if rows_apart or (operand.columns > 1 and operand.column_stride != 1):
                return (
                    f"{self.name} takes packed row-major matrices, and {matrix} has the strides "
                    f"{(operand.row_stride, operand.column_stride)}; kernel='auto' takes any."
                )
        if problem.batch_count > MOST_LAUNCHES:
            instead = "matmul/strided takes them in one" if self.operation == "matmul" else "take them in parts"
            return (
                f"The seeds' kernels take one product a launch, at most {MOST_LAUNCHES:,} in a call, not "
                f"{problem.batch_count:,}; {instead}."
            )
        return None

    def _multiple_refusal(self, m: int, n: int, k: int, tile: int | None) -> str | None:
        if not self.multiples_of_tile_only:
            return None
        side = self._tile(tile)
        if m % side == 0 and n % side == 0 and k % side == 0:
            return None
        up = tuple(ceil_divide(size, side) * side for size in (m, n, k))
        return (
            f"{self.name} has no guards, so m, n and k must be multiples of its tile {side}, not m = {m}, n = {n}, "
            f"k = {k}; m = {up[0]}, n = {up[1]}, k = {up[2]} would do, and {self.operation}/tiled takes any size."
        )

    def _grid_refusal(self, m: int, n: int, k: int, tile: int | None) -> str | None:
        blocks_x, blocks_y, _ = self.grid(m, n, k, tile)
        if blocks_y > MAX_GRID_Y:
            rows = MAX_GRID_Y * self._tile(tile)
            return (
                f"{self.name} takes at most {rows:,} rows of C with tile {self._tile(tile)}, which is "
                f"{MAX_GRID_Y:,} blocks in grid.y, CUDA's limit; C has {self._c_extent(m, n)[0]:,} rows."
            )
        if blocks_x > MAX_GRID_X:
            return f"{self.name} would need {blocks_x:,} blocks in grid.x; CUDA's limit is {MAX_GRID_X:,}."
        return None

    def _device_refusal(self, dtype: str, facts: DeviceFacts, tile: int | None) -> str | None:
        threads, shared_bytes = prod(self.block(tile)), self.shared_bytes(tile, dtype)
        with_tile, smaller = ("", "") if self.tile is None else (f" with tile {tile}", ", so use a smaller tile")
        if facts.max_threads_per_block is not None and threads > facts.max_threads_per_block:
            return (
                f"{self.name}{with_tile} needs {threads:,} threads per block; {facts.name} allows "
                f"{facts.max_threads_per_block:,}{smaller}."
            )
        if facts.shared_bytes_per_block is not None and shared_bytes > facts.shared_bytes_per_block:
            return (
                f"{self.name}{with_tile} needs {shared_bytes:,} bytes of shared memory per block; "
                f"{facts.name} allows {facts.shared_bytes_per_block:,}{smaller}."
            )
        return None
