"""Planning of few_lines.cu: float32 and float64 products with a few rows, or columns, of which memory sets the time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import epilogue_macros, epilogue_pointers, epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launch, Launches, Pointer, ceil_divide
from tilewright.kernels.matmul.direct_loads import MOST_BLOCKS_ACROSS
from tilewright.kernels.matmul.split_product import in_splits, split_arguments
from tilewright.kernels.matmul.strided import operand_pointers
from tilewright.kernels.matmul.time_model import moved_us, overlapped_us
from tilewright.kernels.operand import C_TYPES, Operand
from tilewright.kernels.problem import Problem

MOST_ROWS = 4
"""With more of them, tiles in shared memory were as fast or faster."""
WARPS = 8
LEAST_TRIPS = 4
"""Of k, that a thread has at least where k is split."""
MOST_SPLITS = 256
FILLED = (1, 2, 4)
"""How often blocks may fill the SMs where k is split."""
LOADS = 16
"""Of B, that a thread has on their way together, about."""


@dataclass(frozen=True)
class Rates:
    """The cost model of a type, fitted to 21 products on an H200, whose choices are 1 and 4 % above the best tried.

    A launch, the share of the memory's bandwidth, the warps of an SM that take turns; the time of a trip of a thread's
    loads, and of each number in it; a second launch, and what it moves of partial sums.
    """

    launch_us: float
    memory_share: float
    warps: float
    trip_us: float
    number_us: float
    splitting_us: float
    partial_mb_per_us: float


RATES = {
    "float32": Rates(4.84, 0.988, 13.3, 0.0302, 0.0365, 2.72, 6.25),
    "float64": Rates(4.71, 0.915, 11.7, 0.893, 0.0083, 4.01, 6.49),
}
OVERLAP = 0.1
BUSY_BYTES = 80
"""An SM's warps times the bytes of a number: with less, too few loads are on their way for the memory's bandwidth."""


@dataclass(frozen=True)
class Division:
    """A thread's columns, and the parts of k."""

    thread_n: int
    splits: int


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel does not compute a problem with a tile, as a sentence, or None."""
    if tile is not None:
        return "matmul/few_lines has no tile to set."
    if min(problem.m, problem.n) > MOST_ROWS:
        return f"matmul/few_lines takes up to {MOST_ROWS} rows or columns, and C is {problem.m} x {problem.n}."
    part = _oriented(slices(problem)[0])[0].part
    if part.b.major is None:
        return "matmul/few_lines reads the larger operand along rows or columns that are contiguous."
    if part.batch_count > MOST_BLOCKS_ACROSS:
        return f"matmul/few_lines counts products by z of a grid, at most {MOST_BLOCKS_ACROSS:,}."
    return None


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:  # noqa: ARG001
    """Return the launches of each part of the batch."""
    parts = slices(problem)
    found = [divided(part, fastest(parts[0].part, facts), facts) for part in parts]
    return Launches(
        tuple(launch for each in found for launch in each.launches),
        max(each.workspace_bytes for each in found),
        found[0].reasons,
    )


def us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time on a chip whose SMs are counted."""
    parts = slices(problem)
    return len(parts) * division_us(parts[0].part, fastest(parts[0].part, facts), facts)


def fastest(problem: Problem, facts: DeviceFacts) -> Division:
    """Return the division that the model finds the fastest; on the emulator one without splits."""
    tried = divisions(problem, facts)
    return min(tried, key=lambda each: division_us(problem, each, facts)) if facts.sm_count else next(tried)


def divisions(problem: Problem, facts: DeviceFacts) -> Iterator[Division]:
    """Yield the divisions worth a try: one part of k, and as many as fill the chip once, twice or four times."""
    product = _oriented(slices(problem)[0])[0].part
    thread_n = 2 if product.m == 1 else 4
    most = min(product.k // (_step(product) * LEAST_TRIPS), MOST_SPLITS)
    yield Division(thread_n, 1)
    for fill in FILLED:
        splits = min(fill * (facts.sm_count or 1) // _blocks(product, thread_n), most)
        if splits > 1:
            yield Division(thread_n, splits)


def division_us(problem: Problem, division: Division, facts: DeviceFacts) -> float:
    """Return the modelled time of a division on a chip whose SMs are counted."""
    product, rates = _oriented(slices(problem)[0])[0].part, RATES[problem.dtype]
    per_split = ceil_divide(product.k, division.splits)
    warps = _blocks(product, division.thread_n) * division.splits * WARPS
    waves = max(1.0, warps / (rates.warps * (facts.sm_count or 1)))
    unroll, thread_m = _unroll(division.thread_n), _thread_m(product)
    numbers = unroll * division.thread_n * (1 + thread_m / 4)
    trips = ceil_divide(per_split, _step(product) * unroll)
    waiting = waves * trips * (rates.trip_us + rates.number_us * numbers)
    busy = min(1.0, warps * product.element_bytes / (BUSY_BYTES * (facts.sm_count or 1)))
    total = rates.launch_us + overlapped_us(OVERLAP, waiting, moved_us(product, facts, busy * rates.memory_share))
    if division.splits > 1:
        partial_bytes = 2 * division.splits * product.batch_count * product.m * product.n * product.out_bytes
        total += rates.splitting_us + 1e-6 * partial_bytes / rates.partial_mb_per_us
    return total


def divided(whole: BatchSlice, division: Division, facts: DeviceFacts) -> Launches:
    """Return the launches of a part of the batch with a division."""
    part, is_transposed = _oriented(whole)
    product = part.part
    step = _step(product)
    per_split = ceil_divide(max(1, ceil_divide(product.k, division.splits)), step) * step
    splits = max(1, ceil_divide(product.k, per_split))
    about = "Each number of the larger operand is loaded once, by itself, wherever its rows begin."
    if splits == 1:
        c = Pointer("C", part.c_offset * product.out_bytes)
        return Launches((_launch(part, c, division, (1, per_split, 0), is_transposed),), 0, (about,))

    def launch(sums: BatchSlice, size: int) -> Launch:
        return _launch(sums, Pointer("workspace"), division, (splits, per_split, size), is_transposed)

    found = in_splits(whole, splits, facts.sm_count or 1, launch, is_transposed=is_transposed)
    return replace(found, reasons=(about, *found.reasons))


def _launch(part: BatchSlice, c: Pointer, division: Division, cut: tuple[int, int, int], is_transposed: bool) -> Launch:
    product, (splits, per_split, split_stride) = part.part, cut
    macros = (each for each in epilogue_macros(product) if each[0] != "OUTPUT")
    return Launch(
        kernel="matmul/few_lines",
        macros=(
            *macros,
            ("THREAD_M", str(_thread_m(product))),
            ("THREAD_N", str(division.thread_n)),
            ("WARPS", str(WARPS)),
            ("UNROLL", str(_unroll(division.thread_n))),
            ("B_K_MAJOR", str(int(_k_major(product.b)))),
        ),
        grid=(ceil_divide(product.n, _block_n(product, division.thread_n)), splits, product.batch_count),
        block=(32 * WARPS, 1, 1),
        arguments={
            **operand_pointers(part, is_transposed=is_transposed),
            "C": c,
            **epilogue_pointers(product, part.c_operand_offset),
            **split_arguments(product, splits, per_split, split_stride),
            **epilogue_scalars(product, bias_along_rows=is_transposed, ctype=C_TYPES[product.dtype]),
        },
        overlaps_previous=True,
    )


def _oriented(part: BatchSlice) -> tuple[BatchSlice, bool]:
    """Return the product whose rows are the fewer, and whether it is the transposed one."""
    return (part.transposed, True) if part.part.n < part.part.m else (part, False)


def _k_major(b: Operand) -> bool:
    return b.transposed.major == "row" if min(b.rows, b.columns) > 1 else b.rows > 1 and abs(b.row_stride) == 1


def _thread_m(product: Problem) -> int:
    return next((size for size in (1, 2) if size >= product.m), MOST_ROWS)


def _unroll(thread_n: int) -> int:
    return min(8, LOADS // thread_n)


def _step(product: Problem) -> int:
    """Return how many of k a block takes at once."""
    return 32 if _k_major(product.b) else WARPS


def _block_n(product: Problem, thread_n: int) -> int:
    return thread_n * (WARPS if _k_major(product.b) else 32)


def _blocks(product: Problem, thread_n: int) -> int:
    return ceil_divide(product.n, _block_n(product, thread_n)) * product.batch_count
