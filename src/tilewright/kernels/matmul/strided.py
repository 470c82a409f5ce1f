"""Planning of strided.cu, and the parameters that it shares with the other kernels for operands of any strides."""

from __future__ import annotations

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import (
    NO_ADDRESS,
    batch_extent_pair,
    int_arguments,
    stride_arguments,
)
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import MAX_GRID_X, Arguments, Launch, Launches, Pointer, Scalar, ceil_divide
from tilewright.kernels.operand import C_TYPES, Operand
from tilewright.kernels.problem import ACTIVATIONS, Problem

TILE = 32


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel does not compute a problem with a tile, as a sentence, or None."""
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
    product, epilogue, size = part.part, part.part.epilogue, part.part.element_bytes
    element = C_TYPES[product.dtype]
    inner, outer = batch_extent_pair(product.batch)
    activation = 0 if epilogue.activation is None else 1 + ACTIVATIONS.index(epilogue.activation)
    return Launch(
        kernel="matmul/strided",
        macros=(
            ("ELEMENT", element),
            ("TILE", str(side)),
            ("HAS_ADDEND", str(int(product.addend is not None))),
            ("HAS_BIAS", str(int(epilogue.bias))),
            ("ACTIVATION", str(activation)),
        ),
        grid=(tiles_of_c(product, (side, side)), 1, 1),
        block=(side, side, 1),
        arguments={
            "A": Pointer("A", part.a_offset * size),
            "B": Pointer("B", part.b_offset * size),
            "C": Pointer("C", part.c_offset * size),
            "addend": NO_ADDRESS if product.addend is None else Pointer("addend", part.addend_offset * size),
            "bias": Pointer("bias") if epilogue.bias else NO_ADDRESS,
            **int_arguments(m=product.m, n=product.n, k=product.k),
            "batches": Scalar("long long", outer * inner),
            "inner_batches": Scalar("long long", inner),
            "alpha": Scalar(element, epilogue.alpha),
            "beta": Scalar(element, epilogue.beta),
            **_strides("a", product.a),
            **_strides("b", product.b),
            **_strides("c", product.c),
            **_strides("addend", product.addend),
        },
        overlaps_previous=True,
    )


def _strides(name: str, operand: Operand | None) -> Arguments:
    names = (f"{name}_{each}_stride" for each in ("row", "column", "inner", "outer"))
    return dict(zip(names, stride_arguments(name, operand).values(), strict=True))


def tiles_of_c(problem: Problem, tile: tuple[int, int]) -> int:
    """Return how many tiles the outputs of all products have, at most as many as a grid's blocks."""
    rows, columns = tile
    tiles = ceil_divide(problem.m, rows) * ceil_divide(problem.n, columns) * problem.batch_count
    return min(tiles, MAX_GRID_X)


def operand_arguments(part: BatchSlice, *, turned: bool = False) -> Arguments:
    """Return OPERAND_PARAMETERS of memory/strided.cuh. ``turned``: the transposed product, whose A is B."""
    product = part.part
    return {
        "A": Pointer("B" if turned else "A", part.a_offset * product.element_bytes),
        "B": Pointer("A" if turned else "B", part.b_offset * product.element_bytes),
        "C": Pointer("C", part.c_offset * product.out_bytes),
        **int_arguments(m=product.m, n=product.n, k=product.k),
        **stride_arguments("a", product.a),
        **stride_arguments("b", product.b),
        **stride_arguments("c", product.c),
        "batches": Scalar("long long", product.batch_count),
        "batches_1": Scalar("int", batch_extent_pair(product.batch)[0]),
    }
