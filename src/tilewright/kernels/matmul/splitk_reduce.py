"""Planning of splitk_reduce.cu, the split-K reduction: adds partial sums into the caller's C."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.kernels.batches import BatchSlice
from tilewright.kernels.epilogue import (
    epilogue_macros,
    epilogue_pointers,
    epilogue_scalars,
    int_arguments,
    stride_arguments,
)
from tilewright.kernels.launch import Launch, Pointer, Scalar, ceil_divide
from tilewright.kernels.problem import INPUT_DTYPES

SUMS_AT_ONCE = 4
"""The number of partial sums that a thread reads at once, to which their rows are padded."""
SUM_THREADS = 256
MOST_SPLIT_LANES = 32


@dataclass(frozen=True)
class Shifts:
    """Where C begins in the partial sums of a class of splits: so many rows and columns times its number, modulo 8.

    ``more``: the rows and columns that partial sums have for it.
    """

    rows: int
    columns: int
    more: int


def reduce_launch(
    whole: BatchSlice, splits: int, offset_bytes: int, sm_count: int, shifts: Shifts | None = None
) -> Launch:
    """Return the launch for partial sums at an offset in the workspace; several threads share many splits.

    Their number depends on the rows, so that in a product whose bits must not, one thread adds them all.
    """
    product, more = whole.part, 0 if shifts is None else shifts.more
    row_floats = ceil_divide(product.n + more, SUMS_AT_ONCE) * SUMS_AT_ONCE
    groups = product.batch_count * product.m * ceil_divide(product.n, SUMS_AT_ONCE)
    lanes, most = 1, 1 if product.invariant else MOST_SPLIT_LANES
    while lanes < most and 2 * lanes <= splits and groups * lanes < sm_count * 1024:
        lanes *= 2
    # It sees neither A nor B: one program for both of their types.
    macros = tuple(each for each in epilogue_macros(product) if each[0] != "ELEMENT")
    ctype = "double" if product.dtype == "float64" else "float"
    if product.dtype not in INPUT_DTYPES:
        macros = (*macros, ("SUM", ctype), ("EXACT_ACTIVATION", "1"))
    return Launch(
        kernel="matmul/splitk_reduce",
        macros=(*macros, ("SPLIT_LANES", str(lanes)), *((("K_CLASSES", "1"),) if shifts else ())),
        grid=(ceil_divide(groups, SUM_THREADS // lanes), 1, 1),
        block=(SUM_THREADS, 1, 1),
        arguments={
            "partial": Pointer("workspace", offset_bytes),
            "C": Pointer("C", whole.c_offset * product.out_bytes),
            **epilogue_pointers(product, whole.c_operand_offset),
            **int_arguments("product", splits=splits, row_stride=row_floats),
            **int_arguments(
                "product", row_shift=shifts.rows if shifts else 0, column_shift=shifts.columns if shifts else 0
            ),
            "product.split_stride": Scalar("long long", (product.m + more) * row_floats),
            "product.batch_stride": Scalar("long long", splits * (product.m + more) * row_floats),
            **int_arguments("product", m=product.m, n=product.n),
            **int_arguments("product", batches_1=product.c.batch_steps[0][0], batches=product.batch_count),
            **stride_arguments("product.c", product.c),
            **epilogue_scalars(product, ctype=ctype),
        },
        overlaps_previous=True,
    )
