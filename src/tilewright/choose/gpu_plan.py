"""The plan of a product whose arrays are on a GPU, in any type that is multiplied there."""

from __future__ import annotations

from tilewright.choose.batches import MOST_LAUNCHES, BatchSlice, slices
from tilewright.choose.choice import choose_plan, named_kernel
from tilewright.choose.epilogue import NO_ADDRESS, batch_extent_pair, batch_stride_pair
from tilewright.choose.facts import DeviceFacts
from tilewright.choose.launches import Argument, GpuPlan, PlannedLaunch, Pointer, Scalar
from tilewright.choose.multiplication import ACTIVATIONS, INPUT_DTYPES, Multiplication, Operand
from tilewright.choose.plan import PlanError
from tilewright.choose.problem import Problem
from tilewright.kernels.kernel import ELEMENT_OF_DTYPE, MAX_GRID_X, ceil_divide

STRIDED_TILE = 32

Tile = int | tuple[int, int]


def plan_product(
    product: Multiplication, facts: DeviceFacts, kernel: str = "auto", tile: Tile | None = None
) -> GpuPlan:
    """Return what a GPU does for a product in float16, bfloat16, float32 or float64.

    Args:
        product: operands, output and epilogue as they lie in memory.
        facts: the chip's limits.
        kernel: "auto", or the name of a kernel for this type.
        tile: the kernel's tile: rows and columns of C for 16-bit types, one number for the seeds' kernels.

    Raises:
        PlanError: the kernel or the tile is not for this product on this chip; a sentence that says what is accepted.
        UnknownKernelError: there is no such kernel.
    """
    if product.dtype in INPUT_DTYPES:
        from tilewright.choose.multiplication_plan import plan_multiplication

        pair = (tile, tile) if isinstance(tile, int) else tile
        return plan_multiplication(product, facts, kernel, pair)
    refusal = product.alignment_refusal()
    if refusal is not None:
        raise PlanError(refusal)
    if isinstance(tile, tuple):
        raise PlanError(f"Kernels for {product.dtype} take a tile of one number, not {tile}.")
    if product.batch_count * product.m * product.n == 0:
        return GpuPlan((), 0, ("C is empty: nothing is launched.",))
    parts = slices(product)
    if kernel.rpartition("/")[2] == "strided" or named_kernel("matmul", kernel) is None:
        return _strided_plan(product, parts, kernel, tile)
    return _catalogue_plan(product, facts, kernel, tile)


def _strided_plan(product: Multiplication, parts: tuple[BatchSlice, ...], kernel: str, tile: int | None) -> GpuPlan:
    side = STRIDED_TILE if tile is None else tile
    if not 1 <= side <= 32:
        raise PlanError(f"matmul/strided takes tiles from 1 to 32 (a block has tile x tile threads), not {tile}.")
    asked = "was asked for" if kernel.rpartition("/")[2] == "strided" else f"is the kernel for {product.dtype} on a GPU"
    reasons = (
        f"matmul/strided {asked}: it reads operands of any strides where they lie, batches too.",
        f"Tile {side}: {'as asked.' if tile is not None else 'the most that 1,024 threads of a block allow.'}",
    )
    return GpuPlan(tuple(_strided_launch(part, side) for part in parts), 0, reasons)


def _strided_launch(part: BatchSlice, side: int) -> PlannedLaunch:
    product, epilogue = part.part, part.part.epilogue
    tiles = ceil_divide(product.m, side) * ceil_divide(product.n, side) * product.batch_count
    element = ELEMENT_OF_DTYPE[product.dtype]
    size = product.element_bytes
    inner, outer = batch_extent_pair(product.batch)
    operands = (product.a, product.b, product.c, product.addend)
    arguments: tuple[Argument, ...] = (
        Pointer("A", part.a_offset * size),
        Pointer("B", part.b_offset * size),
        Pointer("C", part.c_offset * size),
        NO_ADDRESS if product.addend is None else Pointer("addend", part.addend_offset * size),
        Pointer("bias") if epilogue.bias else NO_ADDRESS,
        *(Scalar("int", extent) for extent in (product.m, product.n, product.k)),
        Scalar("long long", outer * inner),
        Scalar("long long", inner),
        Scalar(element, epilogue.alpha),
        Scalar(element, epilogue.beta),
        *(Scalar("long long", stride) for operand in operands for stride in _strides(operand)),
    )
    activation = 0 if epilogue.activation is None else 1 + ACTIVATIONS.index(epilogue.activation)
    return PlannedLaunch(
        kernel="matmul/strided",
        source="matmul/strided.cu",
        entry="matmul_strided",
        macros=(
            ("ELEMENT", element),
            ("TILE", str(side)),
            ("HAS_ADDEND", str(int(product.addend is not None))),
            ("HAS_BIAS", str(int(epilogue.bias))),
            ("ACTIVATION", str(activation)),
        ),
        grid=(min(tiles, MAX_GRID_X), 1, 1),
        block=(side, side, 1),
        arguments=arguments,
        overlaps_previous=True,
    )


def _strides(operand: Operand | None) -> tuple[int, int, int, int]:
    if operand is None:
        return (0, 0, 0, 0)
    return (operand.row_stride, operand.column_stride, *batch_stride_pair(operand.batch_strides))


def _catalogue_plan(product: Multiplication, facts: DeviceFacts, kernel: str, tile: int | None) -> GpuPlan:
    """One of the seeds' kernels, which take packed row-major matrices, one pair at a time."""
    chosen = choose_plan(Problem("matmul", product.m, product.n, product.k, product.dtype), facts, kernel, tile)
    name = chosen.kernel.name
    if not product.epilogue.is_plain:
        raise PlanError(f"{name} stores the sum as it is, without {product.epilogue}; kernel='auto' takes an epilogue.")
    for matrix, operand in (("A", product.a), ("B", product.b), ("C", product.c)):
        rows_apart = operand.rows > 1 and operand.row_stride != operand.columns
        if rows_apart or (operand.columns > 1 and operand.column_stride != 1):
            raise PlanError(
                f"{name} takes packed row-major matrices, and {matrix} has the strides "
                f"{(operand.row_stride, operand.column_stride)}; kernel='auto' takes any."
            )
    parts = _single_products(product)
    launches = tuple(
        PlannedLaunch(
            kernel=name,
            source=chosen.kernel.source,
            entry=chosen.kernel.entry,
            macros=tuple(chosen.kernel.macros(product.dtype, chosen.tile).items()),
            grid=chosen.grid,
            block=chosen.block,
            arguments=(
                *(Pointer(buffer, offset * product.element_bytes) for buffer, offset in zip("ABC", part, strict=True)),
                *(Scalar("int", size) for size in (product.m, product.n, product.k)),
            ),
        )
        for part in parts
    )
    return GpuPlan(launches, 0, chosen.reasons)


def _single_products(product: Multiplication) -> list[tuple[int, int, int]]:
    """Where in the buffers A, B and C of each product of the batch begin, in elements."""
    if product.batch_count > MOST_LAUNCHES:
        raise PlanError(
            f"The seeds' kernels take one product a launch, at most {MOST_LAUNCHES:,} in a call, not "
            f"{product.batch_count:,}; kernel='auto' takes them in one."
        )
    starts = [(0, 0, 0)]
    for index, extent in enumerate(product.batch):
        a, b, c = (operand.batch_strides[index] for operand in (product.a, product.b, product.c))
        starts = [(i + step * a, j + step * b, k + step * c) for i, j, k in starts for step in range(extent)]
    return starts
