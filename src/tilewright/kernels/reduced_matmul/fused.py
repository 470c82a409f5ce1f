"""Planning of fused.cu: the tile, the splits of k, and what the launch takes by a cost model.

float64 has a kernel and a planning of its own (fused_float64.py).
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
from tilewright.kernels.launch import MAX_GRID_X, Launch, Launches, Pointer, Scalar, ceil_divide
from tilewright.kernels.matmul.strided import operand_pointers
from tilewright.kernels.operand import C_TYPES, Operand
from tilewright.kernels.problem import INPUT_DTYPES, Problem
from tilewright.kernels.reduced_matmul import fused_float64
from tilewright.kernels.refusals import PlanError

FLOAT64 = "float64"
VECTOR_BYTES = 16
BY_ELEMENTS, ALIGNED, SHIFTED = 0, 1, 2
"""How an operand is loaded, as summed_tile.cuh has it."""
LEAST_BLOCK_K = 16
MOST_SPLITS = 32
LEAST_STEPS_PER_SPLIT = 1
SEALED = 2
"""Sums handed to another block take twice their bytes."""


@dataclass(frozen=True)
class FusedTile:
    """A tile of ``block_m`` x ``block_n`` results, of so many warps and of ``line_bytes`` of sums along k.

    Vectors from any address arrive as two: of these there are ``shifted_line_bytes``.
    """

    block_m: int
    block_n: int
    warps: tuple[int, int]
    line_bytes: int
    shifted_line_bytes: int
    blocks_per_sm: int

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return 32 * self.warps[0] * self.warps[1]

    def block_k(self, problem: Problem) -> int:
        """Return the inner indices of a stage."""
        line_bytes = self.shifted_line_bytes if is_shifted(problem) else self.line_bytes
        return max(line_bytes // problem.element_bytes, LEAST_BLOCK_K)

    def tiles(self, problem: Problem) -> int:
        """Return how many of it cover C, over all of the batch."""
        c = problem.c
        return ceil_divide(c.rows, self.block_m) * ceil_divide(c.columns, self.block_n) * problem.batch_count


TILES = (
    FusedTile(64, 64, (2, 2), 64, 32, 2),
    FusedTile(32, 32, (2, 2), 128, 64, 3),
    FusedTile(16, 64, (1, 4), 128, 128, 2),
)
LEAST_STAGES, MOST_STAGES = 2, 4


@dataclass(frozen=True)
class Division:
    """How blocks share a product: the tile, the splits of k, and whether C^T = B^T A^T is computed."""

    tile: FusedTile
    splits: int
    is_transposed: bool = False


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel cannot compute a problem with a tile, as a sentence, or None."""
    if problem.dtype == FLOAT64:
        return fused_float64.refusal(tile)
    names = [(each.block_m, each.block_n) for each in TILES]
    if tile is not None and tile not in names:
        return f"reduced_matmul/fused has the tiles {', '.join(map(str, names))}, not {tile}."
    if TILES[-1].tiles(problem) > MAX_GRID_X:
        return f"reduced_matmul/fused has a block for each tile of C, at most {MAX_GRID_X:,}; use pair_sums."
    return None


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:
    """Return a launch for each part of the batch; they share the workspace."""
    if problem.dtype == FLOAT64:
        return fused_float64.launches(problem, facts, tile)
    parts = slices(problem)
    return divided(parts, fastest(parts[0].part, facts, tile), facts)


def modelled_us(problem: Problem, facts: DeviceFacts, sms: int) -> float:
    """Return the modelled time of all parts of the batch, each with its fastest tile, on a chip of so many SMs."""
    if problem.dtype == FLOAT64:
        return fused_float64.us(problem, replace(facts, sm_count=sms))
    parts = slices(problem)
    return len(parts) * us(parts[0].part, fastest(parts[0].part, facts), sms)


def divided(parts: tuple[BatchSlice, ...], division: Division, facts: DeviceFacts) -> Launches:
    """Return the launches for a division of each part."""
    found = tuple(_launch(part, division, facts) for part in parts)
    tile = division.tile
    handed = tile.tiles(_oriented(parts[0], division).part) * (division.splits - 1)
    sums_bytes = 4 * tile.block_m * tile.block_n
    reasons = [f"Tile {tile.block_m} x {tile.block_n}: pairs are added while its operands are loaded, in one launch."]
    reasons += ["C^T = B^T A^T is computed, since C has few columns."] if division.is_transposed else []
    if division.splits > 1:
        reasons.append(
            f"Split-K: k is split into {division.splits} parts, whose blocks hand their sums to the last one's, which "
            "adds them in a fixed order."
        )
    return Launches(found, SEALED * handed * sums_bytes, tuple(reasons))


def divisions(problem: Problem, facts: DeviceFacts, tile: object = None) -> Iterator[Division]:
    """Yield the tiles and splits worth a try: none, and those with which each SM has a block, or two and so on."""
    is_transposed = problem.c.columns <= TILES[-1].block_m and problem.c.columns < problem.c.rows
    oriented = problem.transposed if is_transposed else problem
    for each in TILES:
        if tile is not None and tile != (each.block_m, each.block_n):
            continue
        if not _fits(facts, each, oriented):
            continue
        tiles = each.tiles(oriented)
        tried = {1}
        if facts.sm_count is not None:
            most = min(MOST_SPLITS, problem.k // (LEAST_STEPS_PER_SPLIT * each.block_k(problem)), MAX_GRID_X // tiles)
            tried |= {min(most, facts.sm_count * blocks // tiles) for blocks in range(1, each.blocks_per_sm + 1)}
        for splits in sorted(tried):
            if splits >= 1:
                yield Division(each, _filled(problem, each, splits), is_transposed)


def fastest(problem: Problem, facts: DeviceFacts, tile: object = None) -> Division:
    """Return the division that the model finds the fastest; on the emulator the smallest tile.

    Raises:
        PlanError: two stages of the tile do not fit the chip's shared memory.
    """
    found, sms = list(divisions(problem, facts, tile)), facts.sm_count
    if not found:
        raise PlanError(
            f"Two stages of this tile of reduced_matmul/fused do not fit the shared memory of {facts.name}."
        )
    if sms is None:
        return found[-1]
    return min(found, key=lambda each: us(problem, each, sms))


LAUNCH_US, START_US, HANDOVER_US, TAKING_US = 3.0, 2.45, 0.4, 0.76
STEP_US, SHIFTED_STEPS = 0.61, 2.0
"""Of a tile's inner indices, for a block alone; vectors cut out of two take twice as long, per inner index too."""
SM_MB_PER_US, MEMORY_MB_PER_US, L2_MB_PER_US = 0.025, 1.76, 3.4
MULTIPLYING_US = {"float16": 0.004, "bfloat16": 0.004, "float32": 0.28}
"""Of 32 x 32 results and 128 bytes along k. All were fitted to 587 times of 116 products on an H100: half of them are
within 12 %."""


def us(problem: Problem, division: Division, sms: int) -> float:
    """Return the modelled time of a division on a chip of so many SMs."""
    tile, splits, size = division.tile, division.splits, problem.element_bytes
    oriented = problem.transposed if division.is_transposed else problem
    blocks, block_k = tile.tiles(oriented) * splits, tile.block_k(problem)
    on_an_sm = ceil_divide(blocks, sms)
    waves = ceil_divide(on_an_sm, tile.blocks_per_sm)
    steps = ceil_divide(ceil_divide(problem.k, splits), block_k)
    step_mb = 2e-6 * (tile.block_m + tile.block_n) * block_k * size
    slower = SHIFTED_STEPS if is_shifted(problem) else 1.0
    multiplying = slower * MULTIPLYING_US[problem.dtype] * tile.block_m * tile.block_n / 1024 * block_k * size / 128
    computing = steps * max(slower * waves * STEP_US, on_an_sm * max(step_mb / SM_MB_PER_US, multiplying))
    reading = max(1e-6 * problem.least_bytes / MEMORY_MB_PER_US, blocks * steps * step_mb / L2_MB_PER_US)
    handing = HANDOVER_US + TAKING_US * splits if splits > 1 else 0
    return LAUNCH_US + waves * START_US + max(computing, reading) + handing


def is_shifted(problem: Problem) -> bool:
    """Whether vectors of an operand are cut out of two."""
    return SHIFTED in {_load_path(side, problem.element_bytes)[1] for side in (problem.a, problem.b.transposed)}


def _filled(problem: Problem, tile: FusedTile, splits: int) -> int:
    """Return how many splits have something to multiply."""
    return max(1, ceil_divide(problem.k, _per_split(problem, tile, splits)))


def _per_split(problem: Problem, tile: FusedTile, splits: int) -> int:
    block_k = tile.block_k(problem)
    return max(1, ceil_divide(ceil_divide(problem.k, splits), block_k)) * block_k


def _oriented(part: BatchSlice, division: Division) -> BatchSlice:
    return part.transposed if division.is_transposed else part


def _launch(part: BatchSlice, division: Division, facts: DeviceFacts) -> Launch:
    oriented, tile, splits = _oriented(part, division), division.tile, division.splits
    product = oriented.part
    a_k_major, a_loads = _load_path(product.a, product.element_bytes)
    b_k_major, b_loads = _load_path(product.b.transposed, product.element_bytes)
    stage_bytes = _stage_bytes(tile, product, (a_loads, b_loads))
    stages = _stages(facts, tile, product, stage_bytes)
    sums = () if product.dtype in INPUT_DTYPES else (("SUM", C_TYPES[product.dtype]), ("EXACT_ACTIVATION", "1"))
    return Launch(
        kernel="reduced_matmul/fused",
        macros=(
            *epilogue_macros(product),
            *sums,
            ("BLOCK_M", str(tile.block_m)),
            ("BLOCK_N", str(tile.block_n)),
            ("BLOCK_K", str(tile.block_k(product))),
            ("WARPS_M", str(tile.warps[0])),
            ("WARPS_N", str(tile.warps[1])),
            ("STAGES", str(stages)),
            ("BLOCKS_PER_SM", str(tile.blocks_per_sm)),
            ("A_K_MAJOR", str(int(a_k_major))),
            ("B_K_MAJOR", str(int(b_k_major))),
            ("A_LOADS", str(a_loads)),
            ("B_LOADS", str(b_loads)),
        ),
        grid=(tile.tiles(product) * splits, 1, 1),
        block=(tile.threads, 1, 1),
        arguments={
            **operand_pointers(oriented, is_transposed=division.is_transposed),
            **epilogue_pointers(product, oriented.c_operand_offset),
            "workspace": Pointer("workspace") if splits > 1 else Scalar("long long", 0),
            **int_arguments("product", m=product.c.rows, n=product.c.columns, k=product.k),
            **int_arguments("product", k_per_split=_per_split(product, tile, splits)),
            "product.splits": Scalar("long long", splits),
            "product.batches": Scalar("long long", product.batch_count),
            "product.batches_1": Scalar("long long", product.c.batch_steps[0][0]),
            "product.split_stride": Scalar("long long", 0),
            **stride_arguments("product.a", product.a),
            **stride_arguments("product.b", product.b),
            **stride_arguments("product.c", product.c),
            **epilogue_scalars(product, bias_along_rows=division.is_transposed, ctype=dict(sums).get("SUM", "float")),
        },
        shared_bytes=stages * stage_bytes,
        overlaps_previous=True,
    )


def _stage_bytes(tile: FusedTile, product: Problem, loads: tuple[int, int]) -> int:
    """Return the shared memory in which the elements of a stage arrive."""
    vectors = {BY_ELEMENTS: 0, ALIGNED: 2, SHIFTED: 4}
    lines = tile.block_m * vectors[loads[0]] + tile.block_n * vectors[loads[1]]
    return lines * tile.block_k(product) * product.element_bytes


def _sums_bytes(tile: FusedTile, product: Problem) -> int:
    """Return the shared memory of two tiles of sums of each operand, or somewhat more: lines are padded."""
    block_k, padding = tile.block_k(product), max(VECTOR_BYTES, 4 * product.element_bytes)
    return 2 * sum(
        lines * block_k * product.element_bytes + padding * max(lines, block_k)
        for lines in (tile.block_m, tile.block_n)
    )


def _stages(facts: DeviceFacts, tile: FusedTile, product: Problem, stage_bytes: int) -> int:
    """Return how many stages fit where an SM has its blocks, 2 at least."""
    per_sm = facts.shared_bytes_per_sm or facts.shared_bytes_per_block or 48 * 1024
    of_block = per_sm // tile.blocks_per_sm - (facts.reserved_shared_bytes_per_block or 0)
    return max(LEAST_STAGES, min(MOST_STAGES, (of_block - _sums_bytes(tile, product)) // max(stage_bytes, 1)))


def _fits(facts: DeviceFacts, tile: FusedTile, product: Problem) -> bool:
    """Whether two stages fit a block."""
    allowed = facts.shared_bytes_per_block_optin or facts.shared_bytes_per_block or 48 * 1024
    loads = _load_path(product.a, product.element_bytes)[1], _load_path(product.b.transposed, product.element_bytes)[1]
    return LEAST_STAGES * _stage_bytes(tile, product, loads) + _sums_bytes(tile, product) <= allowed


def _load_path(operand: Operand, element_bytes: int) -> tuple[bool, int]:
    """Return whether k is contiguous (or nothing is), and how vectors are loaded; ``operand`` has k along its columns.

    A vector of sums is whole where as many lines or inner indices fill it.
    """
    k_major = operand.major != "column"
    if operand.major is None:
        return k_major, BY_ELEMENTS
    sums = operand.columns if k_major else operand.rows // 2
    is_whole = sums * element_bytes % VECTOR_BYTES == 0
    return k_major, ALIGNED if is_whole and operand.vector_bytes(element_bytes) == VECTOR_BYTES else SHIFTED
