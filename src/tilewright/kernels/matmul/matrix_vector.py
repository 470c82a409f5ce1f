"""Planning of matrix_vector.cu: how many rows of the matrix a block has, and how many warps.

Where rows begin on few different boundaries, dot/two_stage may be faster, which has a dot product for each result. Both
have a model of their times, fitted on an H200.
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
DIVISIONS = ((2, 1), (4, 1), (1, 2), (2, 2), (4, 2), (2, 4), (4, 4), (1, 8), (2, 8))
"""The rows of a block and its warps that are worth a try."""
SHORT, MIDDLE = 256, 512
"""The most elements of a row for one warp, and for two."""
SHORT_OF_MANY, MOST_ROWS = 2048, 12_000
"""And for one where the matrix has so many rows."""
MANY_ROWS, SOME_ROWS, FEW_ROWS = 1500, 500, 160
LAUNCH_US, TRIP_US, ROW_US, WARPS_OF_SM, OVERLAP, MEMORY_SHARE = 3.75, 1.11, 0.2, 21.6, 0.07, 0.92
"""A launch; a vector for each thread to arrive, and a row to be multiplied; the warps that an SM has at a time."""
LEAST_OF_BLOCK = 1.5
"""Warps: a block of one takes as long as so many."""
APART = 2.7
"""How much longer trips take where neighbours in the vector lie apart: each block loads them one by one."""
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
    division = rows_and_warps(parts[0].part)
    if facts.sm_count and dots_us(parts[0].part, facts) < rows_us(parts[0].part, *division, facts):
        dots = dot_products(problem, facts)
        if dots is not None:
            return dots
    return divided(parts, *division)


def divided(parts: tuple[BatchSlice, ...], rows: int, warps: int) -> Launches:
    """Return the launches of all parts, with so many rows of the matrix for a block of so many warps."""
    have = f"{rows} rows" if rows > 1 else "a row"
    found = tuple(_launch(part, rows, warps) for part in parts)
    return Launches(found, 0, (f"A block multiplies {have} of the matrix by the vector, wherever rows begin.",))


def rows_and_warps(problem: Problem) -> tuple[int, int]:
    """Return the rows of a block and its warps.

    Of 16 pairs, timed for 29 products on an H200, this one was 2 % slower than each product's best.
    """
    product = _oriented(slices(problem)[0]).part
    in_all = product.m * product.batch_count
    if product.k <= (SHORT_OF_MANY if in_all >= MOST_ROWS else SHORT):
        return (4 if in_all >= MANY_ROWS else 2), 1
    warps = 2 if product.k <= MIDDLE else 4 if in_all >= SOME_ROWS else 8
    return (4 if in_all >= MANY_ROWS else 2 if in_all >= FEW_ROWS else 1), warps


def rows_us(problem: Problem, rows: int, warps: int, facts: DeviceFacts) -> float:
    """Return the modelled time of blocks of so many rows and warps on a chip whose SMs are counted."""
    product = _oriented(slices(problem)[0]).part
    in_all = ceil_divide(product.m, rows) * product.batch_count * max(warps, LEAST_OF_BLOCK)
    waves = in_all / (WARPS_OF_SM * (facts.sm_count or 1))
    trips = ceil_divide(product.k, 32 * warps * VECTOR * max(1, 4 // rows))
    waiting = max(1.0, waves) * trips * (TRIP_US + ROW_US * max(rows, 4))
    if not _loads_vectors(product):
        waiting *= APART
    return LAUNCH_US + overlapped_us(OVERLAP, waiting, moved_us(product, facts, MEMORY_SHARE))


def us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time of the faster way on a chip whose SMs are counted."""
    parts = slices(problem)
    product = parts[0].part
    return len(parts) * min(rows_us(product, *rows_and_warps(product), facts), dots_us(product, facts))


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


def _loads_vectors(product: Problem) -> bool:
    """Whether neighbours in the vector lie side by side."""
    return product.k == 1 or product.b.row_stride == 1


def _launch(part: BatchSlice, rows: int, warps: int) -> Launch:
    is_transposed = part.part.n != 1
    oriented = _oriented(part)
    product = oriented.part
    return Launch(
        kernel="matmul/matrix_vector",
        macros=(
            *epilogue_macros(product),
            ("WARPS", str(warps)),
            ("B_VECTORS", str(int(_loads_vectors(product)))),
            ("ROWS", str(rows)),
        ),
        grid=(ceil_divide(product.m, rows), 1, product.batch_count),
        block=(32 * warps, 1, 1),
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
