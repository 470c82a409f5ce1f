"""Launches of matmul/few_rows: a matrix of few rows by a large one, as fast as memory is."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.choose.batches import BatchSlice
from tilewright.choose.epilogue import epilogue_arguments, epilogue_macros
from tilewright.choose.facts import DeviceFacts
from tilewright.choose.hopper import swapped
from tilewright.choose.launches import PlannedLaunch
from tilewright.choose.multiplication import Multiplication
from tilewright.choose.plan import PlanError
from tilewright.choose.portable import PIECE_BYTES, operand_arguments, tiles_of_c, way_in
from tilewright.kernels.kernel import MAX_GRID_X

MOST_ROWS = 64
MOST_SPLITS = 8
WARP_COLUMNS = 64
SUMS_PADDING = 4
PIECE_ELEMENTS = 8


@dataclass(frozen=True)
class RowsTile:
    """A tile of C: ``block_m`` rows by 64 columns for each of ``warps_n`` warps.

    k is divided among ``warps_k`` warps of a block and among ``splits`` blocks of a cluster.
    """

    block_m: int
    chunk: int
    warps_n: int
    warps_k: int
    blocks_per_sm: int
    splits: int = 1

    @property
    def block_n(self) -> int:
        """The columns of a block."""
        return WARP_COLUMNS * self.warps_n

    @property
    def shared_bytes(self) -> int:
        """The shared memory of a block: the sums of its warps."""
        return 4 * self.warps_k * self.block_m * (self.block_n + SUMS_PADDING)


def few_rows_refusal(product: Multiplication) -> str | None:
    """Return why matmul/few_rows does not compute a product that is not empty, as a sentence, or None where it does."""
    oriented = _oriented(BatchSlice(product))[0].part
    if oriented.m > MOST_ROWS:
        return f"matmul/few_rows takes up to {MOST_ROWS} rows or columns of C, not {product.m} x {product.n}."
    b = oriented.b
    along = b.columns if b.major == "row" else b.rows
    if b.vector_bytes(product.element_bytes) < PIECE_BYTES or along % PIECE_ELEMENTS or (b.leading_stride or 0) < along:
        return (
            f"matmul/few_rows loads the large matrix in whole pieces of {PIECE_BYTES} bytes, and its sizes "
            f"{b.rows} x {b.columns}, strides {(b.row_stride, b.column_stride)} and address do not allow that."
        )
    return None


def few_rows_launch(part: BatchSlice, facts: DeviceFacts, tile: RowsTile) -> PlannedLaunch:
    """Return the launch of matmul/few_rows for one part of a multiplication.

    Raises:
        PlanError: the product is none for this kernel, or has too many tiles.
    """
    refusal = few_rows_refusal(part.part)
    if refusal is not None:
        raise PlanError(refusal)
    part, turned = _oriented(part)
    product = part.part
    shared_bytes = tile.shared_bytes
    blocks = tile.splits * tiles_of_c(product, tile.block_m, tile.block_n)
    if blocks > MAX_GRID_X:
        raise PlanError(f"matmul/few_rows takes up to {MAX_GRID_X:,} blocks, and this product has {blocks:,}.")
    a_k_major, a_piece, a_shifted = way_in(product.a, product.element_bytes)
    whole_pieces = a_k_major and not a_shifted and a_piece == PIECE_ELEMENTS and product.k % PIECE_ELEMENTS == 0
    macros = (
        *epilogue_macros(product),
        ("BLOCK_M", str(tile.block_m)),
        ("CHUNK", str(tile.chunk)),
        ("WARPS_N", str(tile.warps_n)),
        ("WARPS_K", str(tile.warps_k)),
        ("BLOCKS_PER_SM", str(tile.blocks_per_sm)),
        ("SPLITS", str(tile.splits)),
        ("B_K_MAJOR", str(int(product.b.major == "column"))),
        ("A_PIECE", str(PIECE_ELEMENTS if whole_pieces else 1)),
    )
    return PlannedLaunch(
        kernel="matmul/few_rows",
        source="matmul/few_rows.cu",
        entry="matmul_few_rows",
        macros=macros,
        grid=(blocks, 1, 1),
        block=(32 * tile.warps_n * tile.warps_k, 1, 1),
        arguments=(
            *operand_arguments(part, turned=turned),
            *epilogue_arguments(product, part.addend_offset, bias_along_rows=turned),
        ),
        cluster=(tile.splits, 1, 1),
        shared_bytes=shared_bytes,
    )


def _oriented(part: BatchSlice) -> tuple[BatchSlice, bool]:
    """The product as few rows by a large matrix: as it is, or transposed; and whether it was."""
    turned = part.part.n < part.part.m
    return (swapped(part), True) if turned else (part, False)
