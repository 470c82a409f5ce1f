"""Planning of mma_sync.cu, for compute capability 7.5 and later: the tile, split-K, the stages, the load paths.

A cost model ranks tiles and splits. It was fitted to 2,223 times of 317 random products on an H200, and anew to 1,309
of others (random_plans_h200.json): held back in turn, its choice was 2.6 % slower than the fastest of its tiles, as a
geometric mean. On other chips it ranks by the same, with their bandwidth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import epilogue_macros, epilogue_pointers, epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.invariant import fixed_split
from tilewright.kernels.launch import MAX_GRID_X, Launch, Launches, Pointer, ceil_divide
from tilewright.kernels.matmul.split_product import in_splits, split_arguments
from tilewright.kernels.matmul.strided import operand_pointers
from tilewright.kernels.matmul.time_model import mb_per_us, moved_us, overlapped_us
from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

PADDING_ELEMENTS = 8
"""PADDING of device/memory/vectors.cuh: the padding of each line of a tile in shared memory, in elements."""
VECTOR_BYTES = 16
LEAST_STAGES, MOST_STAGES = 2, 4
LEAST_STEPS_PER_SPLIT = 2
MOST_SPLITS = 1024
FLOAT_BYTES = 4
LAUNCH_US, SPLITTING_US, OVERLAP = 4.25, 1.6, 0.375
MEMORY_SHARE, PARTIAL_SHARE = 0.94, 0.52
"""Of the bandwidth: what a product reaches, and what its partial sums do, which are written and read again."""
ALONE_SHIFTED, SHARED_SHIFTED, ALONE_NARROW, SHARED_NARROW = 3.1, 0.9, 0.77, 0.6
"""What is added to a tile's times where both operands are assembled from two vectors, or copied in narrow ones."""
NARROW = {4: 1.0, 8: 0.44}
"""How much of the latter, by the bytes of a vector."""

UNALIGNED_C = 0.22
"""How much longer a product takes whose bytes are all C's, where lines of C begin off 16 bytes (178 times, an H200)."""

LONG_LINES, MUCH_READ = 64, 20_000_000
"""A tile's elements of a line, and bytes of a product, from which on L2 fetches 128 bytes: 3 % faster on an H200."""

MOST_ASSEMBLED = 10
"""Vectors of a thread that are assembled from two, whose registers it holds."""

LoadPath = tuple[bool, int, bool]
"""Whether k is contiguous, elements per vector, whether vectors are assembled from two aligned ones."""


@dataclass(frozen=True)
class WarpTile:
    """A tile of C for mma.sync: ``block_m`` x ``block_n`` results of ``warps_m`` x ``warps_n`` warps.

    ``blocks_per_sm`` blocks are to have room on an SM. ``alone_us`` is the time of a step of ``block_k`` for a block
    that has its SM to itself, ``shared_us`` what each block of an SM adds to it, ``start_us`` the time before the first
    product and after the last, each with 16-byte copies.
    """

    block_m: int
    block_n: int
    block_k: int
    warps_m: int
    warps_n: int
    blocks_per_sm: int
    alone_us: float
    shared_us: float
    start_us: float

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return 32 * self.warps_m * self.warps_n

    @property
    def c_bytes(self) -> int:
        """The shared memory that stages a tile of a 16-bit C, in bytes; the larger of both orientations."""
        rows, columns = (
            self.block_m * (self.block_n + PADDING_ELEMENTS),
            self.block_n * (self.block_m + PADDING_ELEMENTS),
        )
        return 2 * max(rows, columns)

    def stage_bytes(self, *, a_k_major: bool, b_k_major: bool) -> int:
        """Return the shared memory of one tile of A and one of B, each line padded."""
        return 2 * (
            _padded(self.block_m, self.block_k, k_major=a_k_major)
            + _padded(self.block_n, self.block_k, k_major=b_k_major)
        )

    def takes(self, paths: Sequence[LoadPath]) -> bool:
        """Whether all threads load as many vectors, and have room for those that are assembled from two.

        Sides of 192 make them as many only where k is contiguous. ``paths``: of A and B.
        """
        sides = list(zip((self.block_m, self.block_n), paths, strict=True))
        assembled = sum(side * self.block_k // 8 for side, (_, _, is_shifted) in sides if is_shifted) // self.threads
        is_even = all(is_k_major or side & side - 1 == 0 for side, (is_k_major, _, _) in sides)
        return is_even and assembled <= MOST_ASSEMBLED

    def tiles(self, product: Problem) -> int:
        """Return how many of it cover C, over all of the batch."""
        return ceil_divide(product.m, self.block_m) * ceil_divide(product.n, self.block_n) * product.batch_count

    def us(self, product: Problem, splits: int, facts: DeviceFacts, paths: Sequence[LoadPath]) -> float:
        """Return the modelled time of a product on a chip whose SMs are counted; ``paths``: of A and B."""
        on_an_sm = ceil_divide(self.tiles(product) * splits, facts.sm_count or 1)
        waves = ceil_divide(on_an_sm, self.blocks_per_sm)
        steps = ceil_divide(ceil_divide(product.k, splits), self.block_k)
        shifted, narrow = self._shares(paths, product.element_bytes)
        alone_us = self.alone_us * (1 + ALONE_SHIFTED * shifted + ALONE_NARROW * narrow)
        shared_us = self.shared_us * (1 + SHARED_SHIFTED * shifted + SHARED_NARROW * narrow)
        computing = waves * self.start_us
        computing += steps * max(waves * alone_us, on_an_sm * shared_us)
        total = LAUNCH_US + overlapped_us(OVERLAP, computing, moved_us(product, facts, MEMORY_SHARE))
        if splits > 1:
            partial_bytes = 2 * FLOAT_BYTES * splits * product.batch_count * product.m * product.n
            total += SPLITTING_US + 1e-6 * partial_bytes / (PARTIAL_SHARE * mb_per_us(facts))
        elif product.c.vector_bytes(product.out_bytes) < VECTOR_BYTES:
            total *= 1 + UNALIGNED_C * product.c.distinct_elements * product.out_bytes / max(1, product.least_bytes)
        return total

    def _shares(self, paths: Sequence[LoadPath], element_bytes: int) -> tuple[float, float]:
        """Return which shares of a step's elements are assembled from two vectors, and copied in narrow ones."""
        shifted = narrow = 0.0
        for lines, (_, vector, is_shifted) in zip((self.block_m, self.block_n), paths, strict=True):
            share = lines / (self.block_m + self.block_n)
            shifted += share * (is_shifted or vector == 1)
            narrow += share * NARROW.get(vector * element_bytes, 0)
        return shifted, narrow

    def splits(self, product: Problem, sms: int) -> Iterator[int]:
        """Yield the numbers of splits worth a try: 1, and those with which every SM has a block, or two and so on."""
        yield 1
        most = min(product.k // (self.block_k * LEAST_STEPS_PER_SPLIT), MOST_SPLITS)
        for blocks in (1, self.blocks_per_sm, 2 * self.blocks_per_sm):
            splits = min(sms * blocks // self.tiles(product), most)
            if splits > 1:
                yield splits


WARP_TILES = (
    WarpTile(128, 192, 32, 2, 4, 1, 0.35, 0.62, 4),
    WarpTile(192, 128, 32, 4, 2, 1, 0.36, 0.6, 4.2),
    WarpTile(128, 128, 32, 2, 4, 2, 0.45, 0.42, 4.4),
    WarpTile(128, 64, 64, 4, 2, 2, 0.4, 0.55, 3.3),
    WarpTile(64, 128, 64, 2, 4, 2, 0.37, 0.57, 3),
    WarpTile(128, 64, 32, 4, 2, 2, 0.32, 0.28, 3.2),
    WarpTile(64, 128, 32, 2, 4, 2, 0.32, 0.28, 2.7),
    WarpTile(64, 64, 64, 2, 2, 2, 0.41, 0.34, 2.3),
    WarpTile(64, 64, 32, 2, 2, 4, 0.36, 0.15, 3),
    WarpTile(64, 32, 128, 2, 2, 4, 0.89, 0.47, 1.4),
    WarpTile(32, 64, 128, 2, 2, 4, 0.88, 0.46, 1.5),
    WarpTile(64, 32, 64, 2, 2, 4, 0.29, 0.24, 2.2),
    WarpTile(32, 64, 64, 2, 2, 4, 0.3, 0.25, 1.9),
    WarpTile(128, 16, 64, 4, 1, 4, 0.49, 0.29, 2.3),
    WarpTile(16, 128, 64, 1, 4, 4, 0.55, 0.26, 2),
    WarpTile(64, 16, 128, 4, 1, 4, 0.65, 0.36, 1.3),
    WarpTile(16, 64, 128, 1, 4, 4, 0.73, 0.34, 1.8),
    WarpTile(32, 32, 128, 2, 2, 4, 0.46, 0.32, 1.2),
    WarpTile(32, 32, 64, 2, 2, 5, 0.27, 0.19, 1.3),
    WarpTile(32, 32, 32, 2, 2, 6, 0.21, 0.16, 0.95),
)
"""Largest first. With each of them, every thread loads the same number of 16-byte vectors."""


def refusal(problem: Problem, facts: DeviceFacts, tile: tuple[int, int] | None) -> str | None:  # noqa: ARG001
    """Return why the kernel does not compute a problem with a tile, as a sentence, or None."""
    if tile is None:
        return None
    paths = load_paths(slices(problem)[0].part)
    names = list(dict.fromkeys((each.block_m, each.block_n) for each in WARP_TILES if each.takes(paths)))
    if tuple(tile) in names:
        return None
    return f"matmul/mma_sync has the tiles {', '.join(map(str, names))} for operands that lie so, not {tile}."


def launches(problem: Problem, facts: DeviceFacts, tile: tuple[int, int] | None) -> Launches:
    """Return the launches of each part of the batch.

    Raises:
        PlanError: two stages of the tile do not fit the chip's shared memory.
    """
    found = [_part(part, facts, tile) for part in slices(problem)]
    return Launches(
        tuple(launch for part in found for launch in part.launches),
        max(part.workspace_bytes for part in found),
        found[0].reasons,
    )


def _part(part: BatchSlice, facts: DeviceFacts, asked: tuple[int, int] | None) -> Launches:
    tiles = [tile for tile in WARP_TILES if asked in {None, (tile.block_m, tile.block_n)}]
    if facts.sm_count is None:
        tile, splits, why = tiles[-1], 1, "the smallest, which reaches least past the edges of C"
    else:
        tile, splits, found_us = _cheapest(tiles, part.part, facts)
        why = f"about {found_us:,.{0 if found_us >= 100 else 1}f} us by the cost model, its fastest"
    if asked is not None:
        why = "as asked"
    fixed = fixed_split(part.part, facts.sm_count)
    found = divided(part, facts, tile, splits, fixed)
    return replace(found, reasons=(f"Tile {tile.block_m} x {tile.block_n}: {why}.", *found.reasons))


def us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time of a problem on a chip whose SMs are counted, each part of the batch with its tile."""
    return sum(_cheapest(WARP_TILES, part.part, facts)[2] for part in slices(problem))


def _cheapest(tiles: Sequence[WarpTile], product: Problem, facts: DeviceFacts) -> tuple[WarpTile, int, float]:
    """Return the tile and the number of splits that the model finds the fastest, and their time in us."""
    paths = load_paths(product)
    fixed = fixed_split(product, facts.sm_count)
    tried = (
        (tile, splits, tile.us(product, splits, facts, paths))
        for tile in tiles
        if tile.takes(paths)
        for splits in (tile.splits(product, facts.sm_count or 1) if fixed is None else [ceil_divide(product.k, fixed)])
    )
    return min(tried, key=lambda each: each[2])


def divided(
    part: BatchSlice, facts: DeviceFacts, tile: WarpTile, splits: int, per_split: int | None = None
) -> Launches:
    """Return the launches of a part of the batch with a tile and splits of k, equal ones or of ``per_split`` each."""
    product = part.part
    per_split = ceil_divide(per_split or ceil_divide(product.k, splits), tile.block_k) * tile.block_k
    splits = max(1, ceil_divide(product.k, max(per_split, 1)))
    if splits == 1:
        launch = _launch(part, facts, tile, Pointer("C", part.c_offset * product.out_bytes), (1, per_split, 0))
        return Launches((launch,), 0, _about_loads(launch))

    def launch_of(sums: BatchSlice, size: int) -> Launch:
        return _launch(sums, facts, tile, Pointer("workspace"), (splits, per_split, size))

    found = in_splits(part, splits, facts.sm_count or 1, launch_of)
    return replace(found, reasons=(*found.reasons, *_about_loads(found.launches[0])))


def _launch(part: BatchSlice, facts: DeviceFacts, tile: WarpTile, c: Pointer, cut: tuple[int, int, int]) -> Launch:
    product, (splits, per_split, split_stride) = part.part, cut
    (a_k_major, a_vector, a_shifted), (b_k_major, b_vector, b_shifted) = load_paths(product)
    stage_bytes = tile.stage_bytes(a_k_major=a_k_major, b_k_major=b_k_major)
    through_registers = 1 in {a_vector, b_vector} or a_shifted or b_shifted
    stages, store_path = _stages(facts, stage_bytes, tile, through_registers=through_registers), _store_path(product)
    return Launch(
        kernel="matmul/mma_sync",
        macros=(
            *epilogue_macros(product),
            ("BLOCK_M", str(tile.block_m)),
            ("BLOCK_N", str(tile.block_n)),
            ("BLOCK_K", str(tile.block_k)),
            ("WARPS_M", str(tile.warps_m)),
            ("WARPS_N", str(tile.warps_n)),
            ("STAGES", str(stages)),
            ("BLOCKS_PER_SM", str(tile.blocks_per_sm)),
            ("A_K_MAJOR", str(int(a_k_major))),
            ("B_K_MAJOR", str(int(b_k_major))),
            ("A_VECTOR", str(a_vector)),
            ("B_VECTOR", str(b_vector)),
            ("A_SHIFTED", str(int(a_shifted))),
            ("B_SHIFTED", str(int(b_shifted))),
            ("C_BY_LINES", str(store_path)),
            ("L2_PREFETCH", str(int(tile.block_k >= LONG_LINES and product.least_bytes >= MUCH_READ))),
        ),
        grid=(min(tile.tiles(product) * splits, MAX_GRID_X), 1, 1),
        block=(tile.threads, 1, 1),
        arguments={
            **operand_pointers(part),
            "C": c,
            **epilogue_pointers(product, part.c_operand_offset),
            **split_arguments(product, splits, per_split, split_stride),
            **epilogue_scalars(product),
        },
        shared_bytes=max(stages * stage_bytes, tile.c_bytes if store_path else 0),
        overlaps_previous=True,
    )


def _about_loads(launch: Launch) -> tuple[str, ...]:
    macros = dict(launch.macros)
    sentences = [
        f"{name} is loaded in {2 * int(macros[f'{name}_VECTOR'])}-byte vectors, as its address and strides allow."
        for name in ("A", "B")
        if macros[f"{name}_VECTOR"] != "8"
    ]
    sentences += [
        f"{name}'s lines are unaligned: each 16-byte vector is assembled from two aligned ones."
        for name in ("A", "B")
        if macros[f"{name}_SHIFTED"] == "1"
    ]
    return (*sentences, f"{macros['STAGES']} stages of tiles take {launch.shared_bytes:,} bytes of shared memory.")


def load_paths(product: Problem) -> tuple[LoadPath, LoadPath]:
    """Return the load paths of A and B."""
    return load_path(product.a, product.element_bytes), load_path(product.b.transposed, product.element_bytes)


def load_path(operand: Operand, element_bytes: int) -> LoadPath:
    """Return the load path: if k is contiguous, elements per vector, if vectors are assembled from two aligned ones.

    ``operand`` has k along its columns: A as it is, B transposed.
    """
    vector = min(operand.vector_bytes(element_bytes), VECTOR_BYTES) // element_bytes
    k_major = operand.major != "column"
    if operand.major is None or vector > 1:
        return k_major, vector if operand.major is not None else 1, False
    along, across = (
        (operand.column_stride, operand.row_stride) if k_major else (operand.row_stride, operand.column_stride)
    )
    # Between its first element and its last there are only its own and those of its gaps.
    if along == 1 and across > 0:
        return k_major, VECTOR_BYTES // element_bytes, True
    return k_major, 1, False


def _store_path(product: Problem) -> int:
    """Return C_BY_LINES: 1 if rows of a 16-bit C are contiguous, 2 if columns are, 0 for single elements."""
    c = product.c
    if product.out_bytes != 2 or 1 not in {c.row_stride, c.column_stride}:
        return 0
    return 1 if c.column_stride == 1 else 2


def _stages(facts: DeviceFacts, stage_bytes: int, tile: WarpTile, *, through_registers: bool) -> int:
    """Return the number of stages: 2 to 4, so that the tile's blocks fit on an SM, or fewer by the limit of a block.

    What passes through registers is on its way for one stage at a time: two are enough.
    """
    allowed = facts.shared_bytes_per_block_optin or facts.shared_bytes_per_block or 48 * 1024
    per_sm = facts.shared_bytes_per_sm or allowed
    reserved = facts.reserved_shared_bytes_per_block or 0
    most = LEAST_STAGES if through_registers else MOST_STAGES
    wanted = max(LEAST_STAGES, min(most, (per_sm // max(2, tile.blocks_per_sm) - reserved) // stage_bytes))
    stages = min(wanted, allowed // stage_bytes)
    if stages < LEAST_STAGES:
        raise PlanError(
            f"matmul/mma_sync needs {2 * stage_bytes:,} bytes of shared memory per block for this tile; "
            f"{facts.name} allows {allowed:,}: use a smaller tile."
        )
    return stages


def _padded(lines: int, inner: int, *, k_major: bool) -> int:
    width, height = (inner, lines) if k_major else (lines, inner)
    return (width + PADDING_ELEMENTS) * height
