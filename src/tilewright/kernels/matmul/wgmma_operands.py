"""Operands of the Hopper kernels as TMA addresses them: sides, tensor maps, and the C operand in stages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from tilewright.kernels.batches import BatchSlice
from tilewright.kernels.epilogue import Macros
from tilewright.kernels.launch import Arguments, Launch, TensorMap, ceil_divide
from tilewright.kernels.matmul.wgmma_tile import LINE_BYTES, WgmmaTile, chunk_columns
from tilewright.kernels.operand import DTYPE_BYTES, Operand

PART_ROWS = 64
NARROWEST_SWIZZLE_BYTES = 32


@dataclass(frozen=True)
class Side:
    """An operand of wgmma.cu, A or B: the rows of ``operand`` are those of A or the columns of B; its columns are k."""

    buffer: str
    operand: Operand
    offset_bytes: int = 0
    element_bytes: int = 2

    @property
    def mn(self) -> int:
        """The rows of A, or columns of B."""
        return self.operand.rows

    @property
    def k(self) -> int:
        """The inner extent."""
        return self.operand.columns

    @cached_property
    def k_major(self) -> bool:
        """Whether it is contiguous along k."""
        return self.operand.major != "column"

    @cached_property
    def moves(self) -> tuple[int, int]:
        """Whether the matrix changes along batch dimensions 1 (inner) and 2, as 0 or 1; 0 where it is broadcast."""
        one, two = (int(extent > 1 and stride != 0) for extent, stride in self.operand.batch_steps)
        return one, two


def inner_is_k(side: Side) -> bool:
    """Whether the repacked operand is contiguous along k: if the operand is, or if k has the shorter stride."""
    operand = side.operand
    if operand.major is not None:
        return operand.major == "row"
    return abs(operand.column_stride) <= abs(operand.row_stride)


def tile_map(side: Side, dtype: str, tile: WgmmaTile, extent: int, sharing: int, batched: bool) -> TensorMap:
    """Return the map of an operand. Each block loads a part of a shared tile: of its rows (K-major) or k (MN-major).

    float32 is rounded to tf32 as it is loaded.
    """
    box = (LINE_BYTES // side.element_bytes, extent // sharing if side.k_major else tile.block_k // sharing)
    found = matrix_map(side.buffer, dtype, side.offset_bytes, side.operand, box, LINE_BYTES, batched)
    return replace(found, dtype="tfloat32") if dtype == "float32" else found


def matrix_map(
    buffer: str,
    dtype: str,
    offset_bytes: int,
    operand: Operand,
    box: tuple[int, int],
    swizzle_bytes: int,
    batched: bool,
) -> TensorMap:
    """Return a map of two dimensions, or of four with batches; a broadcast batch dimension has extent 1."""
    element_bytes = DTYPE_BYTES[dtype]
    leading = operand.leading_stride
    assert leading is not None
    sizes = [operand.columns, operand.rows] if operand.major == "row" else [operand.rows, operand.columns]
    strides = [leading * element_bytes]
    if batched:
        for extent, step in operand.batch_steps:
            moves = extent > 1 and step != 0
            sizes.append(extent if moves else 1)
            strides.append(step * element_bytes if moves else strides[0])
    return TensorMap(
        buffer,
        dtype,
        tuple(sizes),
        tuple(strides),
        (*box, 1, 1) if batched else box,
        swizzle_bytes,
        offset_bytes,
    )


def staged_c_operand(part: BatchSlice, tile: WgmmaTile, batched: bool) -> tuple[Macros, Arguments]:
    """Return the macros and the argument for the C operand; none if TMA cannot address it.

    ``part`` is the problem as the kernel computes it, so already transposed for a tile of the transposed problem.
    """
    c_operand, out_bytes = part.part.c_operand, part.part.out_bytes
    if c_operand is None or c_operand.copy_engine_refusal(out_bytes) is not None:
        return (), {}
    columns = chunk_columns(tile.block_n, LINE_BYTES // out_bytes)
    by_columns = c_operand.major == "column"
    box = (LINE_BYTES // out_bytes, columns) if by_columns else (columns, PART_ROWS)
    line_bytes = box[0] * out_bytes
    swizzle_bytes = line_bytes if line_bytes >= NARROWEST_SWIZZLE_BYTES else 0
    offset_bytes = part.c_operand_offset * out_bytes
    one = matrix_map("c_operand", part.part.out_dtype, offset_bytes, c_operand, box, swizzle_bytes, batched)
    return (("C_OPERAND_STAGED", "1"), ("C_OPERAND_BY_COLUMNS", str(int(by_columns)))), {"maps.c_operand": one}


def stages_of_c_operand(tile: WgmmaTile, out_bytes: int, *, b_k_major: bool) -> int:
    """Return the stages for a tile of the C operand: C_OPERAND_STAGES of epilogue/c_operand_in_stages.cuh."""
    part_bytes = PART_ROWS * chunk_columns(tile.block_n, LINE_BYTES // out_bytes) * out_bytes
    line_bytes = tile.element_bytes * tile.block_k
    b_columns = tile.block_n if b_k_major else 64 * ceil_divide(tile.block_n, 64)
    room = tile.block_m * line_bytes // part_bytes + b_columns * line_bytes // part_bytes
    return ceil_divide(tile.block_m * tile.block_n * out_bytes // part_bytes // tile.consumers, room // tile.consumers)


def about_c_operand(part: BatchSlice, launch: Launch) -> tuple[str, ...]:
    """Return a sentence on the load path of the C operand, and why; none without a C operand."""
    c_operand = part.part.c_operand
    if c_operand is None or not launch.has("C_OPERAND"):
        return ()
    if launch.has("C_OPERAND_STAGED"):
        return ("c is read by the copy engine, into the stages behind the last of k, while that is multiplied.",)
    refusal = c_operand.copy_engine_refusal(part.part.out_bytes)
    why = f"of c {refusal}" if refusal else "the copy engine brings every row, and these tiles have every eighth"
    if not launch.kernel.startswith("matmul/wgmma"):
        why = "that is where the partial sums are added"
    return (f"c is read by the threads that add it: {why}.",)
