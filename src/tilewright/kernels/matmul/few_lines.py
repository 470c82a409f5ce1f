"""Planning of few_lines.cu: float32 and float64 products with a few rows, or columns, of which memory sets the time.

With ``pair_sums`` two rows of A make one of C, and two columns of B (line_pairs.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import NO_ADDRESS, epilogue_macros, epilogue_pointers, epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launch, Launches, Pointer, ceil_divide
from tilewright.kernels.matmul.direct_loads import MOST_BLOCKS_ACROSS
from tilewright.kernels.matmul.line_pairs import PAIR_SUMS, both_lines, strides_of_both
from tilewright.kernels.matmul.split_product import split_arguments
from tilewright.kernels.matmul.strided import operand_pointers
from tilewright.kernels.matmul.time_model import moved_us, overlapped_us
from tilewright.kernels.operand import C_TYPES, Operand
from tilewright.kernels.problem import Problem

MOST_ROWS, MOST_BESIDE_K, MOST_OF_PAIRS = 4, {"float32": 8, "float64": 4}, 2
"""Of rows, of those beside lines along k, of pairs: with more, tiles in shared memory were as fast or faster."""
WARPS = 8
LEAST_TRIPS = 4
"""Of k, that a thread has at least where k is split."""
MOST_SPLITS = 256
FILLED = (1, 2, 4)
"""How often blocks may fill the SMs where k is split."""
RESIDENT = 2
"""Blocks of an SM at once: few_lines.cu bounds its registers so."""
EVENED_OUT = range(2, 9)
"""Parts of k where not all blocks find a place at once: the smaller they are, the less the last wave leaves idle."""
LOADS, MORE_LOADS = 16, 32
"""Of B, that a thread has on their way together; more for pairs, and for one row."""
BYTES_OF_ROW = 16
"""Of a row of B, that a thread takes beside one row of A: a warp then takes 512 of them."""
LINES_ALONG_K = {("float32", 4): 8, ("float32", 8): 8}
"""Of B, that a thread takes beside so many rows at most; else 4."""
FEW_BLOCKS = 33
NARROW = {("float32", True): (1, 8), ("float32", False): (2, 8)}
"""Beside one row, where fewer blocks than that would leave most SMs without one: a thread's columns and the inner
indices that it loads of each together, by type and whether lines lie along k: 3 to 4 % faster in 74 products."""
COMPARED = {("float64", True): ((8, 4), (1, 16))}
"""The same, of which the model chooses."""


@dataclass(frozen=True)
class Rates:
    """The cost model of a type: a launch, the share of the memory's bandwidth, the warps of an SM that take turns; the
    time of a trip of a thread's loads, and of each number in it; of a wave of blocks after the first; what it takes to
    hand sums over, and to take those of a part of k.

    ``busy_bytes``: an SM's warps times the bytes of a number, with 16 loads each, from which on memory is busy.
    """

    launch_us: float
    memory_share: float
    warps: float
    trip_us: float
    number_us: float
    wave_us: float
    handing_us: float
    taking_us: float
    busy_bytes: float


RATES = {
    ("float32", True): Rates(4.03, 0.964, 12.1, 0.492, 0.0106, 1.63, 1.46, 0.139, 46),
    ("float32", False): Rates(3.92, 0.866, 14.3, 0.029, 0.0261, 0.73, 2.58, 0.137, 39),
    ("float64", True): Rates(4.28, 0.931, 7.15, 0.369, 0.0119, 1.18, 1.90, 0.085, 51),
    ("float64", False): Rates(4.17, 0.874, 17.0, 0.123, 0.0273, 0.87, 1.46, 0.169, 37),
}
"""By type, and whether lines lie along k. Fitted to 454 times of 132 products on an H200 (few_lines_waves_h200.json):
of those held back in turn, the division chosen is 1.5 % slower than the fastest tried, and half of all times are within
4.9 %."""
RATES_OF_ROW = RATES | {
    ("float64", True): replace(RATES["float64", True], busy_bytes=120),
    ("float64", False): replace(RATES["float64", False], busy_bytes=140),
}
"""Of one row: when memory is busy was fitted to 23 products each, timed on an H200 with several divisions. The one
chosen takes 5.5 and 7 % longer than the fastest, where it took 12 and 11 %; in those of 30 MB and more 2 to 4 %, where
it took 9 %."""
PAIR_RATES = {
    "float32": Rates(4.84, 0.988, 13.3, 0.0302, 0.0365, 0.84, 1.0, 0.2, 80),
    "float64": Rates(4.71, 0.915, 11.7, 0.893, 0.0083, 0.84, 1.0, 0.2, 80),
}
OVERLAP = 0.1
VECTOR_BYTES, WORD_BYTES = 16, 16
"""Of what a thread loads at once, and of a word that is handed to another block (device/memory/sealed_words.cuh)."""


@dataclass(frozen=True)
class Division:
    """A thread's columns, the parts of k, whether lines are added in pairs, and the inner indices loaded together."""

    thread_n: int
    splits: int
    pair_sums: bool
    unroll: int

    @property
    def lines_of_one(self) -> int:
        """The rows of A that make one of C, and the columns of B."""
        return 2 if self.pair_sums else 1


def refusal(
    problem: Problem,
    facts: DeviceFacts,  # noqa: ARG001
    tile: object,
    *,
    pair_sums: bool = False,
) -> str | None:
    """Return why the kernel does not compute a problem with a tile, as a sentence, or None."""
    if tile is not None:
        return "matmul/few_lines has no tile to set."
    part = _oriented(slices(problem)[0])[0].part
    b = both_lines(part.b.transposed) if pair_sums else part.b
    most = MOST_OF_PAIRS if pair_sums else MOST_BESIDE_K[problem.dtype] if _k_major(b) else MOST_ROWS
    if part.m > most:
        c = f"C is {problem.m} x {problem.n}"
        return f"matmul/few_lines takes up to {most} rows or columns of operands that lie so, and {c}."
    if b.major is None:
        return "matmul/few_lines reads the larger operand along rows or columns that are contiguous."
    if part.batch_count > MOST_BLOCKS_ACROSS:
        return f"matmul/few_lines counts products by z of a grid, at most {MOST_BLOCKS_ACROSS:,}."
    return None


def launches(
    problem: Problem,
    facts: DeviceFacts,
    tile: object,  # noqa: ARG001
    *,
    pair_sums: bool = False,
) -> Launches:
    """Return the launches of each part of the batch."""
    parts = slices(problem)
    division = fastest(parts[0].part, facts, pair_sums=pair_sums)
    found = [divided(part, division) for part in parts]
    return Launches(
        tuple(launch for each in found for launch in each.launches),
        max(each.workspace_bytes for each in found),
        found[0].reasons,
    )


def us(problem: Problem, facts: DeviceFacts, *, pair_sums: bool = False) -> float:
    """Return the modelled time on a chip whose SMs are counted."""
    parts = slices(problem)
    return len(parts) * division_us(parts[0].part, fastest(parts[0].part, facts, pair_sums=pair_sums), facts)


def fastest(problem: Problem, facts: DeviceFacts, *, pair_sums: bool = False) -> Division:
    """Return the division that the model finds the fastest; on the emulator one without splits."""
    tried = divisions(problem, facts, pair_sums=pair_sums)
    return min(tried, key=lambda each: division_us(problem, each, facts)) if facts.sm_count else next(tried)


def divisions(problem: Problem, facts: DeviceFacts, *, pair_sums: bool = False) -> Iterator[Division]:
    """Yield the divisions worth a try: one part of k, as many as fill the chip once, twice or four times, or a few."""
    product, sms = _oriented(slices(problem)[0])[0].part, facts.sm_count or 1
    most = min(product.k // (_step(product) * LEAST_TRIPS), MOST_SPLITS)
    for thread_n, unroll in _loads(product, pair_sums=pair_sums):
        blocks = _blocks(product, thread_n)
        tried = EVENED_OUT if blocks > RESIDENT * sms else [fill * sms // blocks for fill in FILLED]
        yield Division(thread_n, 1, pair_sums, unroll)
        for splits in dict.fromkeys(min(each, most) for each in tried):
            if splits > 1:
                yield Division(thread_n, splits, pair_sums, unroll)


def _loads(product: Problem, *, pair_sums: bool) -> tuple[tuple[int, int], ...]:
    """Return a thread's columns, and the inner indices that it loads of each together: of what the model chooses."""
    is_row, k_major = product.m == 1, _k_major(product.b)
    if pair_sums:
        thread_n = 1 if is_row and k_major else 2
        return ((thread_n, MORE_LOADS // (2 * thread_n)),)
    if is_row and (product.dtype, k_major) in COMPARED:
        return COMPARED[product.dtype, k_major]
    if k_major:
        thread_n = LINES_ALONG_K.get((product.dtype, _thread_m(product)), 4)
    else:
        thread_n = BYTES_OF_ROW // product.element_bytes if is_row else 4
    narrow = NARROW.get((product.dtype, k_major))
    if is_row and narrow is not None and _blocks(product, thread_n) < FEW_BLOCKS:
        return (narrow,)
    return ((thread_n, (MORE_LOADS if is_row else LOADS) // thread_n),)


def division_us(problem: Problem, division: Division, facts: DeviceFacts) -> float:
    """Return the modelled time of a division on a chip whose SMs are counted."""
    product, sms = _oriented(slices(problem)[0])[0].part, facts.sm_count or 1
    of_lines = RATES_OF_ROW if product.m == 1 else RATES
    rates = PAIR_RATES[problem.dtype] if division.pair_sums else of_lines[problem.dtype, _k_major(product.b)]
    per_split = ceil_divide(product.k, division.splits)
    blocks, places = _blocks(product, division.thread_n) * division.splits, RESIDENT * sms
    numbers = division.lines_of_one * division.unroll * division.thread_n * (1 + _thread_m(product) / 4)
    trips = ceil_divide(per_split, _step(product) * division.unroll)
    turns = max(1.0, ceil_divide(blocks, sms) * WARPS / rates.warps)
    waiting = turns * trips * (rates.trip_us + rates.number_us * numbers)
    waiting += rates.wave_us * (ceil_divide(blocks, places) - 1)
    # Where blocks ask for too few bytes at once memory idles: mostly beside those of the last wave.
    loads = division.lines_of_one * division.unroll * division.thread_n / LOADS
    busy_by_block = WARPS * loads * product.element_bytes / (rates.busy_bytes * sms)
    last = blocks % places
    waves = ((blocks - last, places), (last, last))
    longer = sum(done / blocks / min(1.0, at_once * busy_by_block) for done, at_once in waves if done)
    moved = longer * division.lines_of_one * moved_us(product, facts, rates.memory_share)
    total = rates.launch_us + overlapped_us(OVERLAP, waiting, moved)
    if division.splits > 1:
        total += rates.handing_us + rates.taking_us * division.splits
    return total


def divided(whole: BatchSlice, division: Division) -> Launches:
    """Return the launch of a part of the batch with a division."""
    part, is_transposed = _oriented(whole)
    product = part.part
    step = _step(product)
    per_split = ceil_divide(max(1, ceil_divide(product.k, division.splits)), step) * step
    splits = max(1, ceil_divide(product.k, per_split))
    about = ["Each number of the larger operand is loaded once, by itself, wherever its rows begin."]
    if splits > 1:
        about.append(
            f"Split-K: k is split into {splits} parts, whose blocks hand their sums to the last one's, which adds them "
            "in a fixed order."
        )
    blocks = ceil_divide(product.n, _block_n(product, division.thread_n)) * product.batch_count
    numbers, k_major = _thread_m(product) * division.thread_n, _k_major(product.b)
    handed = blocks * (splits - 1) * 32 * WARPS * words_of(numbers, product.element_bytes, k_major=k_major)
    return Launches((_launch(part, division, splits, per_split, is_transposed),), WORD_BYTES * handed, tuple(about))


def _launch(part: BatchSlice, division: Division, splits: int, per_split: int, is_transposed: bool) -> Launch:
    product = part.part
    macros = (each for each in epilogue_macros(product) if each[0] != "OUTPUT")
    return Launch(
        kernel="matmul/few_lines",
        macros=(
            *macros,
            ("THREAD_M", str(_thread_m(product))),
            ("THREAD_N", str(division.thread_n)),
            ("WARPS", str(WARPS)),
            ("UNROLL", str(division.unroll)),
            ("B_K_MAJOR", str(int(_k_major(product.b)))),
            *((("HANDS_OVER", "1"),) if splits > 1 else ()),
            *((("A_IN_VECTORS", "1"),) if _a_in_vectors(product) and not division.pair_sums else ()),
            *((PAIR_SUMS,) if division.pair_sums else ()),
        ),
        grid=(ceil_divide(product.n, _block_n(product, division.thread_n)), splits, product.batch_count),
        block=(32 * WARPS, 1, 1),
        arguments={
            **operand_pointers(part, is_transposed=is_transposed),
            **epilogue_pointers(product, part.c_operand_offset),
            "workspace": Pointer("workspace") if splits > 1 else NO_ADDRESS,
            **split_arguments(product, splits, per_split, 0),
            **(strides_of_both(product) if division.pair_sums else {}),
            **epilogue_scalars(product, bias_along_rows=is_transposed, ctype=C_TYPES[product.dtype]),
        },
        overlaps_previous=True,
    )


def words_of(numbers: int, element_bytes: int, *, k_major: bool) -> int:
    """Return the words in which a thread hands its share of a block's sums over: of each warp, or lane, so many."""
    owned = ceil_divide(numbers, 32 if k_major else WARPS)
    return ceil_divide(owned * element_bytes, 8)


def _oriented(part: BatchSlice) -> tuple[BatchSlice, bool]:
    """Return the product whose rows are the fewer, and whether it is the transposed one."""
    return (part.transposed, True) if part.part.n < part.part.m else (part, False)


def _k_major(b: Operand) -> bool:
    return b.transposed.major == "row" if min(b.rows, b.columns) > 1 else b.rows > 1 and abs(b.row_stride) == 1


def _a_in_vectors(product: Problem) -> bool:
    """Whether a thread has as many rows as A, of which neighbours lie side by side, from multiples of 16 bytes on."""
    a = product.a
    is_whole = a.rows == _thread_m(product) and a.rows * product.element_bytes % VECTOR_BYTES == 0
    return is_whole and a.major == "column" and a.vector_bytes(product.element_bytes) == VECTOR_BYTES


def _thread_m(product: Problem) -> int:
    return next((size for size in (1, 2, 4, 8) if size >= product.m), MOST_ROWS)


def _step(product: Problem) -> int:
    """Return how many of k a block takes at once."""
    return 32 if _k_major(product.b) else WARPS


def _block_n(product: Problem, thread_n: int) -> int:
    return thread_n * (WARPS if _k_major(product.b) else 32)


def _blocks(product: Problem, thread_n: int) -> int:
    return ceil_divide(product.n, _block_n(product, thread_n)) * product.batch_count
