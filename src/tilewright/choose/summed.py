"""A reduced product as a plan of steps: pairs are added, and matmul's best kernel multiplies the sums.

Usually the pairs of both operands are added first, so that a quarter of the products remains. Where C has few rows or
columns, a pass over the long operand would take longer than its products: then only the short operand's pairs are
added first, and those of the long one's results afterwards, in float32 (float64), which is another kernel's reduction.
On Hopper such a product in 16 bits is one launch: nothing is added before it, and squares of 2 x 2 results as they are
stored, in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod
from typing import Any

from tilewright.choose.quantities import in_words
from tilewright.choose.sm90.fastest import HOPPER
from tilewright.choose.sm90.thin import thin_tiles
from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Argument, Launch, Launches, Pointer, Scalar, TensorMap, ceil_divide
from tilewright.kernels.matmul.splitk_reduce import SUMS_AT_ONCE, reduce_launch
from tilewright.kernels.matmul.wgmma import H200_SMS, part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import C_TYPES, DTYPE_BYTES, Operand
from tilewright.kernels.problem import INPUT_DTYPES, PLAIN, Problem
from tilewright.kernels.reduced_matmul.pair_sums import Pairs, sides_of, sums_of
from tilewright.kernels.refusals import PlanError

Multiply = Callable[[Problem], tuple[str, Launches]]
Moves = Mapping[str, tuple[str, int]]

SM_MFLOP_PER_US = {"float16": 5.0, "bfloat16": 5.0, "float32": 0.38, "float64": 0.45}
MEMORY_MB_PER_US = 3.8
PASS_US, PRODUCT_US, REDUCTION_US = 2.0, 4.0, 3.0
"""Of an H200, where pairs are added at 3.2 to 4.0 TB/s; other chips have another scale, and much the same ratios."""
CLEARLY = 0.9
"""The pairs of results are added afterwards only where the model gives it no more than this share of the time."""
MOST_SHORT_IN_SQUARES = 128
"""Rows of A, or columns of B, up to which results are added in squares: four times the products are still hidden."""


def summed_launches(problem: Problem, facts: DeviceFacts, multiply: Multiply) -> Launches:
    """Return the launches of a reduced product: for each part of the batch its sums, then their product.

    ``multiply`` plans a matrix product: the kernel's name, and its launches. Their A and B become the sums in the
    workspace, and their own workspace lies behind these.

    Raises:
        PlanError: as ``multiply`` does, or the sums are more than a grid's blocks make.
    """
    sms = facts.sm_count or H200_SMS
    found = []
    for part in slices(problem):
        squares = _in_squares(part, facts)
        if squares is not None:
            found.append(squares)
            continue
        later = summed_later(part.part, sms)
        found.append(_both_before(part, multiply) if later is None else _one_later(part, later, multiply, sms))
    return Launches(
        tuple(launch for each in found for launch in each.launches),
        max(each.workspace_bytes for each in found),
        found[0].reasons,
    )


def summed_later(problem: Problem, sms: int) -> str | None:
    """Return the operand ("A" or "B") whose pairs are better added in the results, by a model of times; else None."""
    if problem.k == 0:
        return None
    size, batch, k = problem.element_bytes, problem.batch_count, problem.k
    of_a, of_b = (operand.distinct_elements * size for operand in (problem.a, problem.b))
    rows, columns = problem.m // 2, problem.n // 2

    def product_us(m: int, n: int, read_bytes: float, written_bytes: float) -> float:
        computing = 2e-6 * batch * m * n * k / (SM_MFLOP_PER_US[problem.dtype] * sms)
        return PRODUCT_US + max(computing, 1e-6 * (read_bytes + written_bytes) / MEMORY_MB_PER_US)

    result_bytes = batch * rows * columns * problem.out_bytes
    before = adding_us(of_a + of_b) + product_us(rows, columns, (of_a + of_b) / 2, result_bytes)
    sums_bytes = 2 * batch * rows * columns * max(size, 4)
    after = REDUCTION_US + 1e-6 * (sums_bytes + result_bytes) / MEMORY_MB_PER_US
    times = {
        "A": adding_us(of_b) + product_us(2 * rows, columns, of_a + of_b / 2, sums_bytes) + after,
        "B": adding_us(of_a) + product_us(rows, 2 * columns, of_a / 2 + of_b, sums_bytes) + after,
    }
    best = min(times, key=lambda name: times[name])
    return best if times[best] < CLEARLY * before else None


def squares_us(problem: Problem, facts: DeviceFacts) -> float | None:
    """Return the modelled time of one launch that adds squares of results as they are stored, or None without one."""
    tiles = _tiles_for_squares(problem, facts)
    return tiles[0][0] if tiles else None


def _tiles_for_squares(problem: Problem, facts: DeviceFacts) -> list[tuple[float, WgmmaTile]]:
    is_hopper = facts.machine == "gpu" and facts.compute_capability == HOPPER
    if problem.dtype not in INPUT_DTYPES or not is_hopper or problem.k == 0 or problem.is_empty:
        return []
    return thin_tiles(problem, facts.sm_count or H200_SMS, facts.bandwidth_gb_per_s, MOST_SHORT_IN_SQUARES)


def _in_squares(part: BatchSlice, facts: DeviceFacts) -> Launches | None:
    """Return the launch where nothing is added before the product, or None where a kernel or its grid refuses it."""
    for us, tile in _tiles_for_squares(part.part, facts):
        try:
            found = part_launches(part, tile, facts.sm_count or H200_SMS)
        except PlanError:
            continue
        said = (
            "Nothing is summed before the product, which is bound by reading its long operand: squares of 2 x 2 results"
            f" are added as they are stored. Tile {tile.block_m} x {tile.block_n}: about {us:,.1f} us by the model."
        )
        return Launches(found.launches, 0, (said, *found.reasons))
    return None


def adding_us(read_bytes: float) -> float:
    """Return the modelled time of a pass that adds pairs, which writes half of what it reads."""
    return PASS_US + 1.5e-6 * read_bytes / MEMORY_MB_PER_US


def _both_before(part: BatchSlice, multiply: Multiply) -> Launches:
    problem, (a, b) = part.part, sides_of(part)
    sums = sums_of(a, b)
    name, product = multiply(_summed(problem, a, b))
    moves = {
        "A": ("workspace", 0),
        "B": ("workspace", a.size_bytes),
        "workspace": ("workspace", sums.workspace_bytes),
        "C": ("C", part.c_offset * problem.out_bytes),
        "c_operand": ("c_operand", part.c_operand_offset * problem.out_bytes),
    }
    products = problem.m * problem.n // 4 * problem.k
    said = (
        f"Pairs are summed before the product, in one pass over A and B that writes {in_words(sums.workspace_bytes)}: "
        f"each sum of A is used {problem.n // 2:,} times and each of B {problem.m // 2:,} times, and {name} then "
        f"multiplies at its own rate, {products:,} products and not {4 * products:,}."
    )
    if not sums.launches:
        said = f"k is 0, so there are no pairs to add; {name} makes C."
    launches = (*sums.launches, *(_moved(launch, moves) for launch in product.launches))
    return Launches(launches, sums.workspace_bytes + product.workspace_bytes, (said, *product.reasons))


def _one_later(part: BatchSlice, later: str, multiply: Multiply, sms: int) -> Launches:
    """Return the launches where the pairs of the operand ``later`` are added in the results.

    What is said here of A holds for B by the transposed problem, C^T = B^T A^T: a row of the product of A with the
    sums of B follows each other, and the reduction adds them as if they were two splits of k.
    """
    a, b = sides_of(part)
    whole, summed, early = part, _summed(part.part, a, b), b
    if later == "B":
        whole, summed, early = part.transposed, summed.transposed, a
    problem = whole.part
    sums, results = sums_of(early), _results(problem)
    out_dtype = "float32" if problem.dtype in INPUT_DTYPES else problem.dtype
    plain: dict[str, Any] = {"operation": "matmul", "epilogue": PLAIN, "c_operand": None, "out_dtype": out_dtype}
    name, product = multiply(replace(problem, b=early.sums.transposed, c=results, **plain))
    results_bytes = DTYPE_BYTES[out_dtype] * problem.batch_count * results.rows * results.row_stride
    moves = {
        "A": (later, whole.a_offset * problem.element_bytes),
        "B": ("workspace", 0),
        "C": ("workspace", sums.workspace_bytes),
        "workspace": ("workspace", sums.workspace_bytes + results_bytes),
    }
    reduction = reduce_launch(replace(part, part=summed), 2, sums.workspace_bytes, sms)
    strides = {"row_stride": Scalar("int", 2 * results.row_stride)}
    strides["split_stride"] = Scalar("long long", results.row_stride)
    scalars = epilogue_scalars(summed, bias_along_rows=later == "B", ctype=C_TYPES[out_dtype])
    arguments = {f"product.{member}": value for member, value in strides.items()} | scalars
    said = (
        f"The pairs of {early.side.buffer} are summed before the product, those of {later} in its results: {later} has "
        f"{in_words(problem.a.distinct_elements * problem.element_bytes)}, and a pass over it would take longer than "
        f"twice the products, which {name} multiplies."
    )
    return Launches(
        (
            *sums.launches,
            *(_moved(launch, moves) for launch in product.launches),
            replace(reduction, arguments=reduction.arguments | arguments),
        ),
        sums.workspace_bytes + results_bytes + product.workspace_bytes,
        (said, *product.reasons),
    )


def _summed(problem: Problem, a: Pairs, b: Pairs) -> Problem:
    """Return the product that remains of a reduced one once its pairs are added."""
    return replace(problem, operation="matmul", a=a.sums, b=b.sums.transposed)


def _results(problem: Problem) -> Operand:
    """Return the product of A with the sums of B as it lies in the workspace, in rows of whole vectors."""
    row, batch = ceil_divide(problem.c.columns, SUMS_AT_ONCE) * SUMS_AT_ONCE, problem.batch
    strides = tuple(problem.m * row * prod(batch[index + 1 :]) for index in range(len(batch)))
    return Operand(problem.m, problem.c.columns, row, 1, batch, strides)


def _moved(launch: Launch, moves: Moves) -> Launch:
    """Return a launch that was planned for buffers of its own with those of the whole."""
    return replace(launch, arguments={name: _in_its_place(given, moves) for name, given in launch.arguments.items()})


def _in_its_place(given: Argument, moves: Moves) -> Argument:
    if isinstance(given, Pointer | TensorMap) and given.buffer in moves:
        buffer, offset_bytes = moves[given.buffer]
        return replace(given, buffer=buffer, offset_bytes=given.offset_bytes + offset_bytes)
    return given
