"""What the catalogue says about a kernel, and what follows from it: launch shape, macros, limits, traffic."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import prod

from tilewright.kernels.kernel_file import KernelFile
from tilewright.kernels.operations import Operation, find_operation

Extent = tuple[int, int, int]

ELEMENT_OF_DTYPE = {"float32": "float", "float64": "double"}
ELEMENT_BYTES = {"float32": 4, "float64": 8}

LINE_BLOCK_THREADS = 1024
MAX_GRID_X = 2**31 - 1
MAX_GRID_Y = 65_535


class Arrangement(Enum):
    """How the threads of a kernel are arranged over its work."""

    SQUARES = "blocks of TILE x TILE threads over C"
    LINE_OVER_C = f"a line of blocks of {LINE_BLOCK_THREADS} threads over the elements of C"
    LINE_OVER_K = "a line of blocks of TILE threads over the k products"
    ONE_THREAD = "one thread"


@dataclass(frozen=True)
class TileRule:
    """The tiles a kernel takes: ``smallest`` to ``largest``, powers of two only where ``power_of_two`` says so.

    ``usual`` tiles have their PTX in the package. ``reason`` says where the limits come from.
    """

    default: int
    smallest: int
    largest: int
    usual: tuple[int, ...]
    reason: str
    power_of_two: bool = False

    def accepts(self, tile: int) -> bool:
        """Return whether ``tile`` is one of the tiles."""
        fits = self.smallest <= tile <= self.largest
        return fits and (not self.power_of_two or tile & (tile - 1) == 0)

    def __str__(self) -> str:
        """Return the limits in words, as in "from 1 to 32"."""
        return f"from {self.smallest} to {self.largest}{', powers of two' if self.power_of_two else ''}"


@dataclass(frozen=True)
class SizeLimit:
    """The largest number of something that a kernel takes: ``what`` is "elements per matrix" or "size"."""

    what: str
    largest: int
    reason: str


@dataclass(frozen=True)
class Kernel(KernelFile):
    """One kernel of the catalogue: one idea for one operation, in one source file.

    ``source`` is relative to the folder of this package. ``shared_elements_per_tile`` counts the elements of
    shared memory as a factor and a power of the tile: ``(2, 2)`` is two TILE x TILE arrays, ``(1, 1)`` is TILE.
    ``loads_once_per_block`` tells a kernel whose blocks share what they load from one whose threads do not.
    """

    operation: str
    idea: str
    summary: str
    seeds: tuple[str, ...]
    source: str
    arrangement: Arrangement
    size_limit: SizeLimit
    runs_on: frozenset[str] = frozenset({"gpu", "emulator"})
    dtypes: tuple[str, ...] = ("float32", "float64")
    tile: TileRule | None = None
    families: tuple[str, ...] = ()
    shared_elements_per_tile: tuple[int, int] | None = None
    loads_once_per_block: bool = False
    multiples_of_tile_only: bool = False
    partial_sums: bool = False

    def macros(self, dtype: str, tile: int | None) -> dict[str, str]:
        """Return the macros that set the element type (of ``dtype``) and the tile."""
        values = {"ELEMENT": ELEMENT_OF_DTYPE[dtype]}
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
        return factor * int(self._tile(tile) ** power) * ELEMENT_BYTES[dtype]

    def c_elements(self, m: int, n: int, k: int, tile: int | None = None) -> int:
        """Return the elements of the buffer the kernel writes: those of C, or one partial sum per block."""
        return prod(self.grid(m, n, k, tile)) if self.partial_sums else prod(self._operation.c_shape(m, n))

    def flops(self, m: int, n: int, k: int) -> int:
        """Return the floating-point operations that the result needs (the operation's, not the kernel's)."""
        return self._operation.flops(m, n, k)

    def predicted_global_loads(self, m: int, n: int, k: int, tile: int | None = None) -> int:
        """Return the elements that all threads together load from global memory, by the seeds' arithmetic.

        A thread on its own reads ``row_group`` rows of A and columns of B for each element of C. A block that
        shares reads every element of its rows of A and of its columns of B once; guarded loads do not count.
        """
        if self._operation.vectors:
            return 2 * k
        if self.loads_once_per_block:
            blocks_x, blocks_y, _ = self.grid(m, n, k, tile)
            return blocks_x * m * k + blocks_y * k * n
        rows, columns = self._c_extent(m, n)
        return 2 * self._operation.row_group * k * rows * columns

    def refusal(self, m: int, n: int, k: int, tile: int | None = None, dtype: str = "float32") -> str | None:
        """Return why the kernel cannot run at these sizes, as a sentence that says what it accepts, or None."""
        return (
            self.variant_refusal(tile, dtype)
            or self._operation.refusal(m, n, k)
            or self._size_refusal(m, n, k)
            or self._empty_refusal(m, n)
            or self._multiple_refusal(m, n, k, tile)
            or self._grid_refusal(m, n, k, tile)
        )

    def variant_refusal(self, tile: int | None, dtype: str) -> str | None:
        """Return why there is no program for this tile and element type, as a sentence, or None."""
        return self._dtype_refusal(dtype) or self._tile_refusal(tile)

    @property
    def _operation(self) -> Operation:
        return find_operation(self.operation)

    def _tile(self, tile: int | None) -> int:
        if self.tile is None:
            raise ValueError(f"{self.name} has no tile.")
        return self.tile.default if tile is None else tile

    def _c_extent(self, m: int, n: int) -> tuple[int, int]:
        shape = self._operation.c_shape(m, n)
        return (shape[0], shape[1]) if shape else (1, 1)

    def _dtype_refusal(self, dtype: str) -> str | None:
        if dtype in self.dtypes:
            return None
        return f"{self.name} takes {' or '.join(self.dtypes)}, not {dtype}."

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
            operation = self._operation
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

    def _empty_refusal(self, m: int, n: int) -> str | None:
        if "host" in self.runs_on or min(m, n) > 0:
            return None
        return f"{self.name} has nothing to compute for m = {m}, n = {n}: C is empty, and a grid needs a block."

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
        if "host" in self.runs_on:
            return None
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


def ceil_divide(count: int, size: int) -> int:
    """Return how many groups of ``size`` hold ``count`` things."""
    return -(-count // size)
