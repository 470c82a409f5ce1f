"""Planning of wgmma_classes.cu: 16-bit products with few rows, or columns, whose long operand has unaligned lines.

The cost model was fitted to 1,680 times of 130 random products and 36 large ones on an H200; half of them are within
6 %, and in a third that was held back its choice was 2.7 % slower than the fastest division tried, as a geometric mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import (
    epilogue_macros,
    epilogue_pointers,
    epilogue_scalars,
    int_arguments,
    stride_arguments,
)
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launch, Launches, Pointer, Scalar, ceil_divide
from tilewright.kernels.matmul.row_classes import CLASSES, maps_of_lines
from tilewright.kernels.matmul.split_product import in_splits
from tilewright.kernels.matmul.time_model import moved_us, overlapped_us
from tilewright.kernels.matmul.wgmma_operands import Side
from tilewright.kernels.matmul.wgmma_tile import BARRIER_BYTES, WARP_THREADS, WARPGROUP_THREADS
from tilewright.kernels.operand import COPY_ENGINE_BYTES, COPY_ENGINE_STRIDE_LIMIT_BYTES, Operand
from tilewright.kernels.problem import LARGEST_EXTENT, Problem

MOST_COLUMNS = 16
OTHER_THREADS = 3 * WARP_THREADS
"""Of the warp that requests tiles, and of the two that copy the narrow operand."""
BLOCK_K, VECTOR = 64, 8
HEIGHTS = (128, 64)
"""Rows of a tile."""
STAGES_BYTES = {2: 100_000, 3: 70_000}
"""The shared memory of a block, where so many share an SM. One by itself copies the narrow operand too slowly."""
MOST_STAGES = 12
LEAST_BLOCKS_PER_SPLIT = 2
FILLED = (1, 2, 4, 8)
"""How often blocks may fill the chip where k is split."""
MOST_SPLITS = 64

LAUNCH_US, STEP_US, STEP_OF_COLUMN_US = 4.5, 0.32, 0.023
"""A launch; what a step takes at least, while the narrow operand is copied: of a block, and of each of its columns."""
SM_KB_PER_US, ARRIVAL_US = 82, 0.3
"""How much arrives at an SM at most, and how long a stage takes to arrive."""
SPLITTING_US, PARTIAL_MB_PER_US = 2.1, 0.5
MEMORY_SHARES, OVERLAP = {True: 0.99, False: 1.06}, 0.54
"""What is reached of the bandwidth where lines lie along k, and across it."""


@dataclass(frozen=True)
class Division:
    """A tile's rows and columns, the blocks of an SM, and the parts of k."""

    block_m: int
    block_n: int
    blocks_per_sm: int
    splits: int

    @property
    def stages(self) -> int:
        """As many as fit, beside the sums."""
        room = STAGES_BYTES[self.blocks_per_sm] - 4 * self.block_m * (self.block_n + 1)
        return min(MOST_STAGES, room // (2 * BLOCK_K * (self.block_m + self.block_n)))

    def own_rows(self, *, k_major: bool) -> int:
        """Return the rows of a tile that are its own: a vector less where its classes begin in different places."""
        return self.block_m if k_major else self.block_m - VECTOR


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel does not compute a problem with a tile, as a sentence, or None."""
    if tile is not None:
        return "matmul/wgmma_classes has no tile to set."
    if problem.is_empty:
        return None
    if min(problem.m, problem.n) > MOST_COLUMNS:
        return f"matmul/wgmma_classes takes up to {MOST_COLUMNS} rows or columns, and C is {problem.m} x {problem.n}."
    if problem.batch_count > 1 or problem.k == 0:
        return "matmul/wgmma_classes multiplies one pair of matrices, with an inner size of 1 or more."
    part, _ = _oriented(slices(problem)[0])
    return _long_refusal(part.part.a)


def _long_refusal(a: Operand) -> str | None:
    """Return why the copy engine cannot load every eighth line of the long operand, as a sentence, or None."""
    lines, width, step = (a.rows, a.columns, a.row_stride) if _k_major(a) else (a.columns, a.rows, a.column_stride)
    if a.major is None or a.alignment_bytes < COPY_ENGINE_BYTES:
        return "matmul/wgmma_classes reads a long operand of contiguous rows or columns that begins on 16 bytes."
    if lines < CLASSES:
        return f"matmul/wgmma_classes reads {CLASSES} lines or more, and there are {lines:,}."
    if not width <= step < COPY_ENGINE_STRIDE_LIMIT_BYTES // (2 * CLASSES):
        return f"matmul/wgmma_classes reads lines of {width:,} one behind the other, not {step:,} elements apart."
    if max(lines, width) > LARGEST_EXTENT - 2 * CLASSES * HEIGHTS[0]:
        return f"matmul/wgmma_classes counts lines and their elements in 32 bits: {lines:,} and {width:,} are too many."
    return None


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:  # noqa: ARG001
    """Return the launches of a product."""
    (part,) = slices(problem)
    return divided(part, fastest(part.part, facts), facts)


def us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time on a chip whose SMs are counted."""
    (part,) = slices(problem)
    return division_us(part.part, fastest(part.part, facts), facts)


def fastest(problem: Problem, facts: DeviceFacts) -> Division:
    """Return the division that the model finds the fastest; on the emulator the first."""
    tried, product = divisions(problem, facts), _oriented(slices(problem)[0])[0].part
    return min(tried, key=lambda each: _us(product, each, facts)) if facts.sm_count else next(tried)


def divisions(problem: Problem, facts: DeviceFacts) -> Iterator[Division]:
    """Yield the divisions worth a try: k in one part, and in as many as fill the chip once to eight times."""
    product = _oriented(slices(problem)[0])[0].part
    block_n = 8 if product.n <= VECTOR else MOST_COLUMNS
    for block_m in HEIGHTS:
        for resident in STAGES_BYTES:
            whole = Division(block_m, block_n, resident, 1)
            yield whole
            tiles, tried = _tiles(product, whole), {1}
            for fill in FILLED:
                asked = min(max(1, fill * (facts.sm_count or 1) // tiles), MOST_SPLITS)
                splits = _parts(product, asked)[0]
                if splits not in tried:
                    tried.add(splits)
                    yield replace(whole, splits=splits)


def division_us(problem: Problem, division: Division, facts: DeviceFacts) -> float:
    """Return the modelled time of a division on a chip whose SMs are counted."""
    return _us(_oriented(slices(problem)[0])[0].part, division, facts)


def _us(product: Problem, division: Division, facts: DeviceFacts) -> float:
    """Return the same of a product whose columns are the fewer."""
    k_major, sms = _k_major(product.a), facts.sm_count or 1
    splits, per_split = _parts(product, division.splits)
    blocks, steps = _tiles(product, division) * splits, per_split * (1 if k_major else CLASSES)
    resident = min(division.blocks_per_sm, ceil_divide(blocks, sms))
    stage_kb = 2e-3 * BLOCK_K * division.block_m
    kb_per_us = min(SM_KB_PER_US, min(division.stages, steps) * stage_kb * resident / ARRIVAL_US)
    step = max(resident * stage_kb / kb_per_us, STEP_US + STEP_OF_COLUMN_US * product.n)
    computing = ceil_divide(blocks, sms * division.blocks_per_sm) * steps * step
    us = LAUNCH_US + overlapped_us(OVERLAP, computing, moved_us(product, facts, MEMORY_SHARES[k_major]))
    if splits > 1:
        us += SPLITTING_US + 8e-6 * splits * product.m * product.n / PARTIAL_MB_PER_US
    return us


def divided(whole: BatchSlice, division: Division, facts: DeviceFacts) -> Launches:
    """Return the launches of a product with a division."""
    part, is_transposed = _oriented(whole)
    product = part.part
    splits, _ = _parts(product, division.splits)
    name = "B" if is_transposed else "A"
    about = (
        f"{name}'s lines are unaligned: tiles take every eighth line, and nothing is repacked.",
        f"Tile {division.block_m} x {division.block_n} in {division.stages} stages, {division.blocks_per_sm} on an SM.",
    )
    if splits == 1:
        c = Pointer("C", part.c_offset * product.out_bytes)
        return Launches((_launch(part, c, division, 0, is_transposed),), 0, about)

    def launch(sums: BatchSlice, size: int) -> Launch:
        return _launch(sums, Pointer("workspace"), division, size, is_transposed)

    found = in_splits(whole, splits, facts.sm_count or 1, launch, is_transposed=is_transposed)
    return replace(found, reasons=(*about, *found.reasons))


def _launch(part: BatchSlice, c: Pointer, division: Division, split_stride: int, is_transposed: bool) -> Launch:
    product = part.part
    a, k_major = product.a, _k_major(product.a)
    splits, per_split = _parts(product, division.splits)
    side = Side("B" if is_transposed else "A", a, part.a_offset * product.element_bytes, product.element_bytes)
    step, size = (a.row_stride, (a.columns, a.rows)) if k_major else (a.column_stride, (a.rows, a.columns))
    maps = maps_of_lines(side, product.dtype, step, size, division.block_m if k_major else BLOCK_K)
    consumers, stages = division.block_m // BLOCK_K, division.stages
    stage_bytes = 2 * BLOCK_K * (division.block_m + division.block_n) + 2 * BARRIER_BYTES
    return Launch(
        kernel="matmul/wgmma_classes",
        macros=(
            *epilogue_macros(product),
            ("A_K_MAJOR", str(int(k_major))),
            ("BLOCK_M", str(division.block_m)),
            ("BLOCK_N", str(division.block_n)),
            ("BLOCK_K", str(BLOCK_K)),
            ("STAGES", str(stages)),
            ("CONSUMERS", str(consumers)),
            ("BLOCKS_PER_SM", str(division.blocks_per_sm)),
        ),
        grid=(_tiles(product, division), 1, splits),
        block=(WARPGROUP_THREADS * consumers + OTHER_THREADS, 1, 1),
        arguments={
            **{f"maps.a[{number}]": each for number, each in enumerate(maps)},
            "B": Pointer("A" if is_transposed else "B", part.b_offset * product.element_bytes),
            "C": c,
            **epilogue_pointers(product, part.c_operand_offset),
            **int_arguments(
                "product",
                m=product.m,
                n=product.n,
                k=product.k,
                shift_of_line_1=step % CLASSES,
                blocks=_blocks(product),
                blocks_per_split=per_split,
            ),
            "product.split_stride": Scalar("long long", split_stride),
            **stride_arguments("product.b", product.b),
            **stride_arguments("product.c", product.c),
            **epilogue_scalars(product, bias_along_rows=is_transposed),
        },
        shared_bytes=stages * stage_bytes + 4 * division.block_m * (division.block_n + 1),
        overlaps_previous=True,
    )


def _oriented(part: BatchSlice) -> tuple[BatchSlice, bool]:
    """Return the product whose columns are the fewer, and whether it is the transposed one."""
    return (part.transposed, True) if part.part.m < part.part.n else (part, False)


def _k_major(a: Operand) -> bool:
    return a.major == "row"


def _blocks(product: Problem) -> int:
    """Return the stages along k of a tile, or of each of its classes of k."""
    if _k_major(product.a):
        return ceil_divide(product.k + CLASSES - 1, BLOCK_K)
    return ceil_divide(ceil_divide(product.k, CLASSES), BLOCK_K)


def _parts(product: Problem, asked: int) -> tuple[int, int]:
    """Return the parts of k, about as many as asked for, and the stages along k of each."""
    blocks = _blocks(product)
    least = min(LEAST_BLOCKS_PER_SPLIT if _k_major(product.a) else 1, blocks)
    per_split = max(ceil_divide(blocks, asked), least)
    return ceil_divide(blocks, per_split), per_split


def _tiles(product: Problem, division: Division) -> int:
    """Return the tiles of C, for one part of k."""
    own = division.own_rows(k_major=_k_major(product.a))
    if _k_major(product.a):
        return CLASSES * ceil_divide(ceil_divide(product.m, CLASSES), own)
    return ceil_divide(product.m, own)
