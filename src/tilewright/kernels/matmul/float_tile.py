"""A tile of the float32 and float64 kernels: who computes it, and the model of its time.

The model's times were measured on an H100, those of float64's tiles on an H200; on other chips it ranks by the same,
with their bandwidth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.matmul.time_model import mb_per_us, overlapped_us
from tilewright.kernels.problem import Problem

STEP = 16
"""The inner indices of a step of the model."""
LEAST_STEPS_PER_SPLIT = 8
MOST_SPLITS = 1024
SEALED = 2
"""What blocks hand over within a launch takes so many times its size (device/memory/sealed_words.cuh)."""
ACROSS_K = 0.978
"""Of the time of steps, where float32 of A comes along m and not along k."""
LAUNCH_US, SPLITTING_US, HANDING_US = 3.6, 2.5, 20.0
SECOND_LAUNCH_US = 1.5
"""What a launch takes longer than its kernel where the one before runs still."""
MEMORY_SHARE, SM_MB_PER_US, L2_MB_PER_US, PARTIAL_MB_PER_US, HANDED_MB_PER_US = 0.94, 0.3, 9.2, 5.0, 0.116
SECTOR_BYTES, OFF_SECTORS = 32, 0.6
"""Where rows of C begin off them, and two float64 are stored at once: so much more than C is written
(float_stores_h200.json)."""
OVERLAP, START_SLOWDOWN, STAYING = 0.24, 1.4, 0.3
"""The model's rates, fitted with those of the tiles to 2,793 times of 125 products in each type, STAYING to 79 products
on an H200 (float64_staying_h200.json); float64's tiles but the largest later, to 3,100 times of 336 products there
(float_tiles_drawn_h200.json, few_lines_of_eight_h200.json): of products that were held back the choice is 1.7 % slower
than the fastest tile tried. In float32 it is 1.5 % slower in 445 products there, to which nothing was fitted."""


@dataclass(frozen=True)
class Shares:
    """Which blocks compute the tiles of C.

    Each tile has ``splits`` blocks, for as many parts of k; or, by stream-K, the first ``whole`` tiles have one each
    and ``blocks`` more share the others, of whose steps each has one at least (device/memory/stream_k.cuh).
    """

    splits: int = 1
    whole: int = 0
    blocks: int = 0


class Copies(NamedTuple):
    """How operands come: ``narrow`` is 0 in vectors of 16 bytes, 1 by elements, and in between where one of both does.

    ``b_along_k``: whether B has neighbours along k. ``lines_of_one``: the rows of A that make one of C, and the columns
    of B: 2 for pair sums. ``a_across_k``: whether A has neighbours along m, where a kernel copies k by single numbers.
    """

    narrow: float
    b_along_k: bool
    lines_of_one: int = 1
    a_across_k: bool = False


IN_VECTORS = Copies(0, b_along_k=False)


@dataclass(frozen=True)
class FloatTile:
    """A tile of ``block_m`` x ``block_n`` results, with its macros, and what it takes of an SM.

    ``alone_us`` is the time of 16 inner indices for a block that has its SM to itself, ``shared_us`` what each of
    ``blocks_per_sm`` adds to their SM's time, ``start_us`` the time before the first product and after the last.
    16 inner indices take ``slowdown`` times as long where an operand comes by elements that could come in vectors, and
    ``along_k`` times as long where neighbours in B are along k. ``streams``: whether blocks may share it (stream-K).
    ``apart``: how much longer steps of shared tiles take, in vectors and by elements, where these have a launch of
    their own. ``stays``: whether blocks take several in turn, and load one while they store the one before.
    """

    block_m: int
    block_n: int
    block_k: int
    threads: int
    stages: int
    blocks_per_sm: int
    alone_us: float
    shared_us: float
    start_us: float
    slowdown: float
    along_k: float
    macros: tuple[tuple[str, str], ...]
    streams: bool = False
    apart: tuple[float, float] | None = None
    stays: bool = False

    @property
    def warps(self) -> tuple[int, int]:
        """The warps of a block, down and across the tile."""
        named = dict(self.macros)
        return int(named["WARPS_M"]), int(named["WARPS_N"])

    def tiles(self, product: Problem) -> int:
        """Return how many of it cover C, over all of the batch."""
        return ceil_divide(product.m, self.block_m) * ceil_divide(product.n, self.block_n) * product.batch_count

    def us(self, product: Problem, shares: Shares, facts: DeviceFacts, copies: Copies = IN_VECTORS) -> float:
        """Return the modelled time of a product on a chip."""
        sms = facts.sm_count or 1
        steps, blocks = ceil_divide(product.k, STEP * shares.splits), self.tiles(product) * shares.splits
        waves, stepping = self._waves(shares.whole if shares.blocks else blocks, sms, steps)
        if shares.blocks:
            rest = self._apart_slowdown(copies) * steps * (blocks - shares.whole) / shares.blocks
            rest_waves, rest_stepping = self._waves(shares.blocks, sms, rest)
            waves, stepping = waves + 2 * rest_waves, stepping + rest_stepping
        starting = self.start_us * (1 + STAYING * (waves - 1) if self.stays else waves)
        starting, stepping = starting * START_SLOWDOWN**copies.narrow, stepping * self.slowdown**copies.narrow
        if copies.b_along_k:
            stepping *= self.along_k
        if copies.a_across_k:
            stepping *= ACROSS_K
        busy = min(max(blocks, shares.blocks), sms)
        more_moved = OFF_SECTORS * product.m * product.n * product.batch_count if _begins_off_sectors(product) else 0
        more_moved += (copies.lines_of_one - 1) * (product.a.distinct_elements + product.b.distinct_elements)
        moved_mb = 1e-6 * (product.least_bytes + more_moved * product.element_bytes)
        reading = max(
            moved_mb / (MEMORY_SHARE * mb_per_us(facts)),
            moved_mb / (busy * SM_MB_PER_US),
            1e-6 * copies.lines_of_one * self._tile_bytes(product) / L2_MB_PER_US,
        )
        total = LAUNCH_US + overlapped_us(OVERLAP, starting + stepping, reading)
        if shares.splits > 1:
            partial_bytes = 2 * shares.splits * product.batch_count * product.m * product.n * product.out_bytes
            total += SPLITTING_US + 1e-6 * partial_bytes / PARTIAL_MB_PER_US
        if shares.blocks:
            others = ceil_divide(shares.blocks, blocks - shares.whole)
            total += SECOND_LAUNCH_US if self.apart and shares.whole else 0
            total += HANDING_US + 2e-6 * others * self.handed_bytes(product) / HANDED_MB_PER_US
        return total

    def _apart_slowdown(self, copies: Copies) -> float:
        in_vectors, by_elements = self.apart or (1.0, 1.0)
        return in_vectors + (by_elements - in_vectors) * copies.narrow

    def _tile_bytes(self, product: Problem) -> int:
        """Return what all tiles together read of A and B."""
        lines = min(self.block_m, product.m) + min(self.block_n, product.n)
        return self.tiles(product) * lines * product.k * product.element_bytes

    def _waves(self, blocks: int, sms: int, steps: float) -> tuple[int, float]:
        """Return the waves that blocks of so many steps make, and the time of their steps."""
        on_an_sm = ceil_divide(blocks, sms)
        waves = ceil_divide(on_an_sm, self.blocks_per_sm)
        return waves, steps * max(waves * self.alone_us, on_an_sm * self.shared_us)

    def handed_bytes(self, product: Problem) -> int:
        """Return what a block hands to another within a launch."""
        return SEALED * self.block_m * self.block_n * product.out_bytes

    def whole_parts(self, product: Problem, sms: int) -> Iterator[tuple[str, int]]:
        """Yield rows or columns that whole waves of the tile cover, or whole tiles where little is left behind them."""
        down, across = ceil_divide(product.m, self.block_m), ceil_divide(product.n, self.block_n)
        places = sms * self.blocks_per_sm
        if product.batch_count > 1:
            return
        whole = down * across // places * places
        rows, columns = whole // across * self.block_m, whole // down * self.block_n
        sizes = [("rows", rows), ("rows", product.m // self.block_m * self.block_m)]
        # A bias has an element for each column, and its address is the product's.
        if not product.epilogue.bias:
            sizes += [("columns", columns), ("columns", product.n // self.block_n * self.block_n)]
        for dimension, size in dict.fromkeys(sizes):
            if 0 < size < (product.m if dimension == "rows" else product.n):
                yield dimension, size

    def shares(self, product: Problem, sms: int) -> Iterator[Shares]:
        """Yield the ways worth a try: a block a tile, splits with which every SM has one block, or two, stream-K."""
        yield Shares()
        tiles, places = self.tiles(product), sms * self.blocks_per_sm
        most = min(product.k // (STEP * LEAST_STEPS_PER_SPLIT), MOST_SPLITS)
        for blocks in (*range(1, self.blocks_per_sm + 1), 2 * self.blocks_per_sm):
            splits = min(sms * blocks // tiles, most)
            if splits > 1:
                yield Shares(splits)
        if not self.streams or not most:
            return
        if tiles < places:
            if not self.apart:
                yield Shares(blocks=min(places, tiles * most))
        elif tiles % places:
            yield Shares(whole=(tiles // places - 1) * places, blocks=places)
            if self.apart:
                steps = tiles % places * ceil_divide(product.k, self.block_k)
                yield Shares(whole=tiles // places * places, blocks=min(places, steps))


def _begins_off_sectors(product: Problem) -> bool:
    """Whether rows of a float64 C begin at multiples of two numbers, and not all of four."""
    c, size = product.c, product.out_bytes
    return size == 8 and c.vector_bytes(size) == 2 * size and (c.leading_stride or 0) * size % SECTOR_BYTES != 0
