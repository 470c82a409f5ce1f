"""Planning of strided.cu, and the parameters that all kernels for any strides share."""

from __future__ import annotations

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import (
    epilogue_macros,
    epilogue_pointers,
    epilogue_scalars,
    int_arguments,
    stride_arguments,
)
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import MAX_GRID_X, Arguments, Launch, Launches, Pointer, Scalar, ceil_divide
from tilewright.kernels.operand import C_TYPES
from tilewright.kernels.problem import Problem

TILE = 32


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel cannot compute a problem with a tile, as a sentence, or None."""
    if isinstance(tile, tuple):
        return f"Kernels for {problem.dtype} take a tile of one number, not {tile}."
    if tile is None or (isinstance(tile, int) and 1 <= tile <= TILE):
        return None
    return f"matmul/strided takes tiles from 1 to 32 (a block has tile x tile threads), not {tile}."


def launches(problem: Problem, facts: DeviceFacts, tile: int | None) -> Launches:  # noqa: ARG001
    """Return a launch for each part of the batch."""
    side = tile or TILE
    reasons = (
        "It reads operands of any strides where they lie, batches too.",
        f"Tile {side}: {'as asked.' if tile is not None else 'the most that 1,024 threads of a block allow.'}",
    )
    return Launches(tuple(_launch(part, side) for part in slices(problem)), 0, reasons)


def _launch(part: BatchSlice, side: int) -> Launch:
    product = part.part
    element = C_TYPES[product.dtype]
    macros = (each for each in epilogue_macros(product) if each[0] != "OUTPUT")
    return Launch(
        kernel="matmul/strided",
        macros=(*macros, ("TILE", str(side))),
        grid=(tiles_of_c(product, (side, side)), 1, 1),
        block=(side, side, 1),
        arguments={
            **operand_pointers(part),
            **epilogue_pointers(product, part.c_operand_offset),
            **product_arguments(product),
            **epilogue_scalars(product, ctype=element),
        },
        overlaps_previous=True,
    )


def tiles_of_c(problem: Problem, tile: tuple[int, int]) -> int:
    """Return the number of tiles of C over the batch, limited to the largest grid."""
    rows, columns = tile
    tiles = ceil_divide(problem.m, rows) * ceil_divide(problem.n, columns) * problem.batch_count
    return min(tiles, MAX_GRID_X)


def operand_pointers(part: BatchSlice, *, is_transposed: bool = False) -> Arguments:
    """Return the parameters A, B and C. ``is_transposed``: for the transposed problem, whose A is the caller's B."""
    product = part.part
    return {
        "A": Pointer("B" if is_transposed else "A", part.a_offset * product.element_bytes),
        "B": Pointer("A" if is_transposed else "B", part.b_offset * product.element_bytes),
        "C": Pointer("C", part.c_offset * product.out_bytes),
    }


def product_arguments(product: Problem) -> Arguments:
    """Return StridedProduct of device/memory/operand.cuh."""
    return {
        **int_arguments("product", m=product.m, n=product.n, k=product.k),
        "product.batches": Scalar("long long", product.batch_count),
        "product.batches_1": Scalar("long long", product.c.batch_steps[0][0]),
        **stride_arguments("product.a", product.a),
        **stride_arguments("product.b", product.b),
        **stride_arguments("product.c", product.c),
    }
