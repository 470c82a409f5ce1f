"""Planning of matrix_vector.cu: how many rows of the matrix a block has.

Where rows begin on few different boundaries, dot/two_stage may be faster, which has a dot product for each result. Both
have a model of their times, fitted to 116 products on an H200; half of the times are within 10 and 15 %.
"""

from __future__ import annotations

from math import inf

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import (
    epilogue_macros,
    epilogue_pointers,
    epilogue_scalars,
    int_arguments,
    stride_arguments,
)
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launch, Launches, Scalar, ceil_divide
from tilewright.kernels.matmul.direct_loads import MOST_BLOCKS_ACROSS
from tilewright.kernels.matmul.strided import operand_pointers
from tilewright.kernels.matmul.time_model import moved_us, overlapped_us
from tilewright.kernels.matmul.vectors import dot_products
from tilewright.kernels.problem import Problem

VECTOR = 8
WARPS = 8
ROWS = (1, 2, 4, 8)
"""Rows that a block may have."""
LAUNCH_US, TRIP_US, ROW_US, BLOCKS_OF_SM, OVERLAP, MEMORY_SHARE = 4.4, 0.37, 0.2, 2.7, 0.6, 0.92
"""A launch; a vector for each thread to arrive, and a row to be multiplied; the blocks that an SM has at a time."""
DOTS_US, DOTS_SHARES = 6.3, {16: 0.83, 4: 0.55, 2: 0.29}
"""Of dot/two_stage: a launch, and the share of the bandwidth by the bytes on which rows begin."""


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel does not compute a problem with a tile, as a sentence, or None."""
    if tile is not None:
        return "matmul/matrix_vector has no tile to set."
    if min(problem.m, problem.n) != 1 and not problem.is_empty:
        return f"matmul/matrix_vector multiplies a matrix by a vector, and C is {problem.m} x {problem.n}."
    matrix = _oriented(slices(problem)[0]).part.a if not problem.is_empty else None
    if matrix is not None and matrix.columns > 1 and matrix.column_stride != 1:
        return "matmul/matrix_vector reads a matrix whose neighbours are those that are multiplied and added up."
    if not problem.is_empty and slices(problem)[0].part.batch_count > MOST_BLOCKS_ACROSS:
        return f"matmul/matrix_vector counts products by z of a grid, at most {MOST_BLOCKS_ACROSS:,}."
    return None


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:  # noqa: ARG001
    """Return a launch for each part of the batch, or those of dot/two_stage."""
    parts = slices(problem)
    rows = fastest(parts[0].part, facts)
    if facts.sm_count and dots_us(parts[0].part, facts) < rows_us(parts[0].part, rows, facts):
        dots = dot_products(problem, facts)
        if dots is not None:
            return dots
    return divided(parts, rows)


def divided(parts: tuple[BatchSlice, ...], rows: int) -> Launches:
    """Return the launches of all parts, with so many rows of the matrix for a block."""
    have = f"{rows} rows" if rows > 1 else "a row"
    found = tuple(_launch(part, rows) for part in parts)
    return Launches(found, 0, (f"A block multiplies {have} of the matrix by the vector, wherever rows begin.",))


def fastest(problem: Problem, facts: DeviceFacts) -> int:
    """Return the rows of a block that the model finds the fastest; where SMs are not counted, the fewest."""
    return min(ROWS, key=lambda rows: rows_us(problem, rows, facts)) if facts.sm_count else ROWS[0]


def rows_us(problem: Problem, rows: int, facts: DeviceFacts) -> float:
    """Return the modelled time with so many rows for a block, on a chip whose SMs are counted."""
    product = _oriented(slices(problem)[0]).part
    waves = ceil_divide(product.m, rows) * product.batch_count / (BLOCKS_OF_SM * (facts.sm_count or 1))
    trips = ceil_divide(product.k, 32 * WARPS * VECTOR * max(1, 4 // rows))
    waiting = max(1.0, waves) * trips * (TRIP_US + ROW_US * max(rows, 4))
    return LAUNCH_US + overlapped_us(OVERLAP, waiting, moved_us(product, facts, MEMORY_SHARE))


def us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time of the faster way on a chip whose SMs are counted."""
    parts = slices(problem)
    product = parts[0].part
    return len(parts) * min(rows_us(product, fastest(product, facts), facts), dots_us(product, facts))


def dots_us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time of dot/two_stage for a product; infinite with an epilogue, of which it has none."""
    if not problem.epilogue.is_plain:
        return inf
    matrix = _oriented(slices(problem)[0]).part.a
    aligned_bytes = max(size for size in DOTS_SHARES if size <= max(2, matrix.vector_bytes(problem.element_bytes)))
    return DOTS_US + moved_us(problem, facts, DOTS_SHARES[aligned_bytes])


def _oriented(part: BatchSlice) -> BatchSlice:
    """Return the product of a matrix and a vector: a row times a matrix is the transposed one."""
    return part if part.part.n == 1 else part.transposed


def _launch(part: BatchSlice, rows: int) -> Launch:
    is_transposed = part.part.n != 1
    oriented = _oriented(part)
    product = oriented.part
    return Launch(
        kernel="matmul/matrix_vector",
        macros=(
            *epilogue_macros(product),
            ("WARPS", str(WARPS)),
            ("B_VECTORS", str(int(product.k == 1 or product.b.row_stride == 1))),
            ("ROWS", str(rows)),
        ),
        grid=(ceil_divide(product.m, rows), 1, product.batch_count),
        block=(32 * WARPS, 1, 1),
        arguments={
            **operand_pointers(oriented, is_transposed=is_transposed),
            **epilogue_pointers(product, oriented.c_operand_offset),
            **int_arguments("product", m=product.m, k=product.k),
            "product.batches_1": Scalar("long long", product.c.batch_steps[0][0]),
            **stride_arguments("product.a", product.a),
            **stride_arguments("product.b", product.b),
            **stride_arguments("product.c", product.c),
            **epilogue_scalars(product, bias_along_rows=is_transposed),
        },
        overlaps_previous=True,
    )
