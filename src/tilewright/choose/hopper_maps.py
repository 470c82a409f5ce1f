"""Tensor maps of the Hopper kernels: how the copy engine addresses A, B and C, box by box."""

from __future__ import annotations

from tilewright.choose.epilogue import batch_extent_pair, batch_stride_pair
from tilewright.choose.hopper_tile import HopperTile
from tilewright.choose.launches import TensorMap
from tilewright.choose.multiplication import DTYPE_BYTES, Operand
from tilewright.choose.repacked import Side


def tile_map(side: Side, dtype: str, tile: HopperTile, extent: int, sharing: int, batched: bool) -> TensorMap:
    """Return the map of an operand. Of a shared tile each block loads a part: of rows (K-major) or k (MN-major)."""
    sizes = (side.k, side.mn) if side.k_major else (side.mn, side.k)
    box = (64, extent // sharing) if side.k_major else (64, tile.block_k // sharing)
    return matrix_map(side.buffer, dtype, side.offset_bytes, side.operand, sizes, box, 128, batched)


def matrix_map(
    buffer: str,
    dtype: str,
    offset_bytes: int,
    operand: Operand,
    sizes: tuple[int, int],
    box: tuple[int, int],
    swizzle_bytes: int,
    batched: bool,
) -> TensorMap:
    """Return a map of two dimensions, or of four with the batches; a broadcast batch is one matrix there."""
    element_bytes = DTYPE_BYTES[dtype]
    leading = operand.leading_stride
    assert leading is not None
    all_sizes, strides = [*sizes], [leading * element_bytes]
    if batched:
        extents, steps = batch_extent_pair(operand.batch), batch_stride_pair(operand.batch_strides)
        for extent, step in zip(extents, steps, strict=True):
            moves = extent > 1 and step != 0
            all_sizes.append(extent if moves else 1)
            strides.append(step * element_bytes if moves else strides[0])
    return TensorMap(
        buffer,
        dtype,
        tuple(all_sizes),
        tuple(strides),
        (*box, 1, 1) if batched else box,
        swizzle_bytes,
        offset_bytes,
    )
