"""What the kernels that read operands as they lie share about split-K: their parameters, and where partial sums go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

from tilewright.kernels.batches import BatchSlice
from tilewright.kernels.epilogue import int_arguments, stride_arguments
from tilewright.kernels.launch import Arguments, Launch, Launches, Scalar, ceil_divide
from tilewright.kernels.matmul.splitk_reduce import SUMS_AT_ONCE, reduce_launch
from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import INPUT_DTYPES, Epilogue, Problem


def split_arguments(product: Problem, splits: int, per_split: int, split_stride: int) -> Arguments:
    """Return SplitProduct of device/memory/layer.cuh: k in splits of ``per_split``; a stride in elements of C."""
    return {
        **int_arguments("product", m=product.m, n=product.n, k=product.k, k_per_split=per_split),
        "product.splits": Scalar("long long", splits),
        "product.batches": Scalar("long long", product.batch_count),
        "product.batches_1": Scalar("long long", product.c.batch_steps[0][0]),
        "product.split_stride": Scalar("long long", split_stride),
        **stride_arguments("product.a", product.a),
        **stride_arguments("product.b", product.b),
        **stride_arguments("product.c", product.c),
    }


def in_splits(
    whole: BatchSlice,
    splits: int,
    sms: int,
    launch: Callable[[BatchSlice, int], Launch],
    *,
    is_transposed: bool = False,
) -> Launches:
    """Return the launch of a part of the batch that leaves partial sums in the workspace, and the one that adds them.

    ``launch`` makes the first of the product of partial sums, transposed if ``is_transposed``, and of a split's size.
    """
    partial = partial_sums(whole.part, splits)
    size = partial.c.rows * partial.c.row_stride
    sums = replace(whole, part=partial)
    return Launches(
        (launch(sums.transposed if is_transposed else sums, size), reduce_launch(whole, splits, 0, sms)),
        splits * partial.batch_count * size * partial.out_bytes,
        (f"Split-K: k is split into {splits} parts, whose partial sums are added in a fixed order.",),
    )


def partial_sums(product: Problem, splits: int) -> Problem:
    """Return a product without its epilogue, whose C are the first split's sums, in rows padded to vectors."""
    row, batch = ceil_divide(product.n, SUMS_AT_ONCE) * SUMS_AT_ONCE, product.batch
    strides = tuple(splits * product.m * row * prod(batch[index + 1 :]) for index in range(len(batch)))
    c = Operand(product.m, product.n, row, 1, batch, strides)
    summed_in = "float32" if product.dtype in INPUT_DTYPES else product.out_dtype
    return replace(product, c=c, out_dtype=summed_in, epilogue=Epilogue(), c_operand=None)
