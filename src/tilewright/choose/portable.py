"""Launches of the kernels that run on any chip from compute capability 7.5 on: mma.sync and CUDA cores."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.choose.batches import BatchSlice
from tilewright.choose.epilogue import batch_extent_pair, batch_stride_pair, epilogue_arguments, epilogue_macros
from tilewright.choose.facts import DeviceFacts
from tilewright.choose.launches import Argument, PlannedLaunch, Pointer, Scalar
from tilewright.choose.multiplication import Multiplication, Operand
from tilewright.choose.plan import PlanError
from tilewright.kernels.kernel import MAX_GRID_X, ceil_divide

CUDA_CORES_TILE = (64, 64)
CUDA_CORES_THREADS = 256
PADDING_ELEMENTS = 8
"""What mma_sync.cuh adds to a line of a tile in shared memory."""
PIECE_BYTES = 16
MOST_STAGES = 4


@dataclass(frozen=True)
class WarpTile:
    """A tile of C for mma.sync: ``block_m`` x ``block_n`` results of ``warps_m`` x ``warps_n`` warps."""

    block_m: int
    block_n: int
    block_k: int
    warps_m: int
    warps_n: int

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return 32 * self.warps_m * self.warps_n

    @property
    def c_bytes(self) -> int:
        """The shared memory through which a tile of a 16-bit C passes, rows or columns first."""
        rows, columns = (
            self.block_m * (self.block_n + PADDING_ELEMENTS),
            self.block_n * (self.block_m + PADDING_ELEMENTS),
        )
        return 2 * max(rows, columns)

    def stage_bytes(self, *, a_k_major: bool, b_k_major: bool) -> int:
        """Return the shared memory of one tile of A and one of B, each line padded."""
        return 2 * (
            _padded(self.block_m, self.block_k, k_major=a_k_major)
            + _padded(self.block_n, self.block_k, k_major=b_k_major)
        )


WARP_TILES = (
    WarpTile(128, 128, 32, 2, 4),
    WarpTile(128, 64, 32, 4, 2),
    WarpTile(64, 128, 32, 2, 4),
    WarpTile(64, 64, 32, 2, 2),
    WarpTile(64, 32, 32, 2, 2),
    WarpTile(32, 64, 32, 2, 2),
    WarpTile(32, 32, 32, 2, 2),
)
"""Largest first. All give every thread the same number of 16-byte pieces to load."""


def mma_sync_launch(part: BatchSlice, facts: DeviceFacts, tile: WarpTile) -> PlannedLaunch:
    """Return the launch of matmul/mma_sync for one part of a multiplication.

    Raises:
        PlanError: two stages of the tile do not fit the chip's shared memory.
    """
    product = part.part
    a_k_major, a_piece, a_shifted = way_in(product.a, product.element_bytes)
    b_k_major, b_piece, b_shifted = way_in(product.b.transposed, product.element_bytes)
    stage_bytes = tile.stage_bytes(a_k_major=a_k_major, b_k_major=b_k_major)
    stages = _stages(facts, stage_bytes)
    macros = (
        *epilogue_macros(product),
        ("BLOCK_M", str(tile.block_m)),
        ("BLOCK_N", str(tile.block_n)),
        ("BLOCK_K", str(tile.block_k)),
        ("WARPS_M", str(tile.warps_m)),
        ("WARPS_N", str(tile.warps_n)),
        ("STAGES", str(stages)),
        ("A_K_MAJOR", str(int(a_k_major))),
        ("B_K_MAJOR", str(int(b_k_major))),
        ("A_PIECE", str(a_piece)),
        ("B_PIECE", str(b_piece)),
        ("A_SHIFTED", str(int(a_shifted))),
        ("B_SHIFTED", str(int(b_shifted))),
        ("C_BY_LINES", str(_way_out(product))),
    )
    shared_bytes = max(stages * stage_bytes, tile.c_bytes if _way_out(product) else 0)
    return _launch("mma_sync", part, macros, (tile.block_m, tile.block_n), tile.threads, shared_bytes)


def cuda_cores_launch(part: BatchSlice) -> PlannedLaunch:
    """Return the launch of matmul/cuda_cores_16bit for one part of a multiplication."""
    product = part.part
    macros = (
        *epilogue_macros(product),
        ("A_K_MAJOR", str(int(product.a.major != "column"))),
        ("B_K_MAJOR", str(int(product.b.major == "column"))),
    )
    return _launch("cuda_cores_16bit", part, macros, CUDA_CORES_TILE, CUDA_CORES_THREADS, 0)


def tiles_of_c(product: Multiplication, block_m: int, block_n: int) -> int:
    """Return how many tiles the outputs of all products have."""
    return ceil_divide(product.m, block_m) * ceil_divide(product.n, block_n) * product.batch_count


def _launch(
    idea: str, part: BatchSlice, macros: tuple[tuple[str, str], ...], tile: tuple[int, int], threads: int, shared: int
) -> PlannedLaunch:
    return PlannedLaunch(
        kernel=f"matmul/{idea}",
        source=f"matmul/{idea}.cu",
        entry=f"matmul_{idea}",
        macros=macros,
        grid=(min(tiles_of_c(part.part, *tile), MAX_GRID_X), 1, 1),
        block=(threads, 1, 1),
        arguments=(*operand_arguments(part), *epilogue_arguments(part.part, part.addend_offset)),
        shared_bytes=shared,
        overlaps_previous=True,
    )


def operand_arguments(part: BatchSlice, *, turned: bool = False) -> tuple[Argument, ...]:
    """Return OPERAND_PARAMETERS of strided.cuh. ``turned``: the part is the transposed product, and its A is B."""
    product = part.part
    strides = [
        stride
        for operand in (product.a, product.b, product.c)
        for stride in (operand.row_stride, operand.column_stride, *batch_stride_pair(operand.batch_strides))
    ]
    return (
        Pointer("B" if turned else "A", part.a_offset * product.element_bytes),
        Pointer("A" if turned else "B", part.b_offset * product.element_bytes),
        Pointer("C", part.c_offset * product.out_bytes),
        *(Scalar("int", size) for size in (product.m, product.n, product.k)),
        *(Scalar("long long", stride) for stride in strides),
        Scalar("long long", product.batch_count),
        Scalar("int", batch_extent_pair(product.batch)[0]),
    )


def way_in(operand: Operand, element_bytes: int) -> tuple[bool, int, bool]:
    """Return how lines are loaded: whether elements along k are neighbours, how many at once, whether cut out of two.

    ``operand`` has its lines as rows: A as it is, B transposed.
    """
    piece = min(operand.vector_bytes(element_bytes), PIECE_BYTES) // element_bytes
    k_major = operand.major != "column"
    if operand.major is None or piece > 1:
        return k_major, piece if operand.major is not None else 1, False
    along, across = (
        (operand.column_stride, operand.row_stride) if k_major else (operand.row_stride, operand.column_stride)
    )
    # Between its first element and its last there are only its own and those of its gaps.
    if along == 1 and across > 0:
        return k_major, PIECE_BYTES // element_bytes, True
    return k_major, 1, False


def _way_out(product: Multiplication) -> int:
    """C_BY_LINES: 1 where rows of a 16-bit C are contiguous, 2 where columns are, 0 where threads store elements."""
    c = product.c
    if product.out_bytes != 2 or 1 not in {c.row_stride, c.column_stride}:
        return 0
    return 1 if c.column_stride == 1 else 2


def _stages(facts: DeviceFacts, stage_bytes: int) -> int:
    """As many as let two blocks share an SM, from 2 to 4; fewer where a block may not have as much."""
    allowed = facts.shared_bytes_per_block_optin or facts.shared_bytes_per_block or 48 * 1024
    per_sm = facts.shared_bytes_per_sm or allowed
    reserved = facts.reserved_shared_bytes_per_block or 0
    wanted = max(2, min(MOST_STAGES, (per_sm // 2 - reserved) // stage_bytes))
    stages = min(wanted, allowed // stage_bytes)
    if stages < 2:
        raise PlanError(
            f"matmul/mma_sync needs {2 * stage_bytes:,} bytes of shared memory per block for this tile; "
            f"{facts.name} allows {allowed:,}: use a smaller tile."
        )
    return stages


def _padded(lines: int, inner: int, *, k_major: bool) -> int:
    width, height = (inner, lines) if k_major else (lines, inner)
    return (width + PADDING_ELEMENTS) * height
