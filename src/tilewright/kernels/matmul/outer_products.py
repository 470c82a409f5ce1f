"""Planning of outer_products.cu: float32 and float64 products whose time is that of writing C."""

from __future__ import annotations

from tilewright.kernels.batches import BatchSlice, in_rows, in_rows_refusal, slices
from tilewright.kernels.epilogue import epilogue_macros, epilogue_pointers, epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import MAX_GRID_Y, Launch, Launches, Scalar, ceil_divide
from tilewright.kernels.matmul.direct_loads import MOST_BLOCKS_ACROSS
from tilewright.kernels.matmul.strided import operand_pointers, product_arguments
from tilewright.kernels.matmul.time_model import moved_us, overlapped_us
from tilewright.kernels.operand import C_TYPES
from tilewright.kernels.problem import Problem

LONGEST = 32
"""The largest k."""
STAGED = 32
"""Rows of A in shared memory."""
WARPS, THREAD_N, BLOCKS_PER_SM = 4, 2, 16
"""At most of a block; columns of a thread; blocks that are to have work. Of 27 such strips, timed for 84 products on an
H200, this one was 6 % slower than each product's best."""
LAUNCH_US, OVERLAP, MEMORY_SHARE = 4.2, 0.2, 0.8
GROUP_US, LENGTH_US, PER_SM_AND_NS = 0.32, 0.165, 140.0
"""The cost model: 32 rows of a block, and each of k in them; what an SM multiplies, in numbers of 4 bytes. Fitted to
the same products, it errs by 11 % in float32 and 15 % in float64."""
FEW, OF_FEW = 8, 0.93
"""Of float64's model, for so short a k."""
MANY, OF_MANY_ALONG_K = 16, 1.2
"""Of float32's, for so long a k where B lies along it: a warp's loads then lie in as many lines as it has threads. With
these two the choice between strips and tiles is 1.1 and 1.6 % slower than the faster one in 141 and 71 products on an
H200 (outer_products_h200.json)."""


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel does not compute a problem with a tile, as a sentence, or None."""
    if tile is not None:
        return "matmul/outer_products has no tile to set."
    if problem.k > LONGEST:
        return f"matmul/outer_products takes an inner size of up to {LONGEST}, not {problem.k}."
    refused = in_rows_refusal("matmul/outer_products", problem)
    if refused is not None:
        return refused
    if slices(problem)[0].part.batch_count > MOST_BLOCKS_ACROSS:
        return f"matmul/outer_products counts products by z of a grid, at most {MOST_BLOCKS_ACROSS:,}."
    return None


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:  # noqa: ARG001
    """Return a launch for each part of the batch."""
    found = tuple(_launch(*in_rows(part), facts) for part in slices(problem))
    about = f"Each thread keeps {THREAD_N} columns of B in registers, for all of k, and writes C row by row."
    return Launches(found, 0, (about,))


def is_wide(problem: Problem) -> bool:
    """Return whether C has more columns than a warp; where it has not, tiles were faster in most products timed."""
    return in_rows(slices(problem)[0])[0].part.n > 32 * THREAD_N


def us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time on a chip whose SMs are counted."""
    return sum(_us(in_rows(part)[0].part, facts) for part in slices(problem))


def _us(product: Problem, facts: DeviceFacts) -> float:
    across, longest = _across(product), _longest(product.k)
    groups = ceil_divide(min(_rows(product, across, facts), product.m), STAGED)
    numbers = across * 32 * _warps(product) * THREAD_N * product.m * product.batch_count * (longest + 2)
    working = 1e-3 * numbers * product.element_bytes / 4 / ((facts.sm_count or 1) * PER_SM_AND_NS)
    waiting = groups * (GROUP_US + LENGTH_US * longest)
    moving = moved_us(product, facts, MEMORY_SHARE)
    total = LAUNCH_US + overlapped_us(OVERLAP, waiting, working, moving)
    if product.dtype == "float64":
        return OF_FEW * total if product.k <= FEW else total
    lies_along_k = product.b.row_stride == 1 and product.b.column_stride != 1
    return OF_MANY_ALONG_K * total if lies_along_k and product.k >= MANY else total


def _launch(part: BatchSlice, is_transposed: bool, facts: DeviceFacts) -> Launch:
    product = part.part
    across, warps = _across(product), _warps(product)
    rows = _rows(product, across, facts)
    macros = (each for each in epilogue_macros(product) if each[0] != "OUTPUT")
    return Launch(
        kernel="matmul/outer_products",
        macros=(
            *macros,
            ("WARPS", str(warps)),
            ("THREAD_N", str(THREAD_N)),
            ("LONGEST", str(_longest(product.k))),
        ),
        grid=(across, ceil_divide(product.m, rows), product.batch_count),
        block=(32 * warps, 1, 1),
        arguments={
            **operand_pointers(part, is_transposed=is_transposed),
            **epilogue_pointers(product, part.c_operand_offset),
            **product_arguments(product),
            **epilogue_scalars(product, bias_along_rows=is_transposed, ctype=C_TYPES[product.dtype]),
            "rows_per_block": Scalar("int", rows),
        },
        overlaps_previous=True,
    )


def _warps(product: Problem) -> int:
    return next(warps for warps in (1, 2, WARPS) if warps == WARPS or product.n <= 32 * warps * THREAD_N)


def _across(product: Problem) -> int:
    return ceil_divide(product.n, 32 * _warps(product) * THREAD_N)


def _rows(product: Problem, across: int, facts: DeviceFacts) -> int:
    """Return the rows of a block, a multiple of STAGED."""
    places = (facts.sm_count or 1) * BLOCKS_PER_SM
    wanted = ceil_divide(product.m * across * product.batch_count, places * STAGED)
    least = ceil_divide(product.m, MAX_GRID_Y * STAGED)
    return STAGED * max(1, least, min(wanted, ceil_divide(product.m, STAGED)))


def _longest(k: int) -> int:
    return next((size for size in (4, 8, 16, 24) if size >= k), LONGEST)
