"""The tiles that wgmma.cu and wgmma_small.cu are compiled for, and their resources on a Hopper chip."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from tilewright.kernels.launch import ceil_divide

SHARED_BYTES_PER_BLOCK = 232_448
SHARED_BYTES_PER_SM = 233_472
RESERVED_SHARED_BYTES_PER_BLOCK = 1024
REGISTERS_PER_SM = 65_536
"""Of compute capability 9.0. Source: CUDA C++ Programming Guide, technical specifications per compute capability."""

MOST_REGISTERS = 255
"""Of a thread."""
WARPGROUP_THREADS = 128
WARP_THREADS = 32
BARRIER_BYTES = 8
PADDING = 8
"""Elements between the lines of results in shared memory."""
LINE_BYTES = 128
"""Of a row of a tile in shared memory."""
MOST_BOX_ROWS = 256
MORE_ROWS = 8
"""Of A in a stage whose rows of k are copied one by one, for the banks of shared memory (sm90/row_copies.cuh)."""
REGISTERS_BESIDE_SUMS = 32
"""The registers that a consumer thread needs besides its sums; with fewer the compiler spills. It counts on an even
share of the registers for all threads, whatever warpgroups reallocate."""
REGISTERS_BESIDE_CHUNKS = 96
"""And besides its sums and those of the chunks before (device/sm90/chunk_sums.cuh), which it keeps while it stores."""
REGISTERS_BESIDE_SOME_CHUNKS = 64 + 16
"""The same where these wait in memory, and four times four of them are asked for at once, or more."""
PRODUCER_REGISTERS, REGISTERS_BESIDE_HELD = 56, 60
"""Those that a producer thread keeps, and those beside the sums and what is held of A in registers (turned_stage.cuh):
with fewer the compiler makes the tensor cores wait after each instruction."""

BY_COPY_ENGINE, BY_ROWS, BY_ELEMENTS, BY_COLUMN_BOXES, BY_COLUMNS = range(5)
"""How C is stored, as numbered in device/epilogue/store.cuh."""
LEAST_BOX_COLUMNS = 32
"""Of 16 bits: narrower boxes are stored for what is left of a tile alone."""
BOXES = (BY_COPY_ENGINE, BY_COLUMN_BOXES)
"""The two of them that are the copy engine's."""


@dataclass(frozen=True)
class WgmmaTile:
    """A tile of ``block_m`` x ``block_n`` results, computed in steps of ``block_k`` along k.

    ``consumers`` warpgroups multiply while the producer loads ``stages`` steps ahead. Blocks form clusters of
    ``cluster_m`` x ``cluster_n`` that share their loads. With split-K, k is split into ``splits`` parts, whose partial
    sums another kernel adds, or of a small tile a block of their cluster; ``k_per_split`` of k in each but the last, 0
    for equal parts. ``chunked``: a block adds up such parts (kernels/matmul/chunks.py). ``transposed_problem``
    computes C^T = B^T A^T, for a C with fewer rows than columns. ``tile_group`` is the number of tile rows per group of
    the rasterization (device/memory/rasterization.cuh).
    ``small`` tiles are those of kernels/matmul/wgmma_small.cu, which has one block per tile, or ``persistent`` ones.
    ``element_bytes``: of A
    and B, 4 for tf32, which has half as many elements in a row of 128 bytes. ``k_classes``: splits take every eighth k
    (kernels/matmul/k_classes.py), and ``splits`` parts of it. ``stream_k``: clusters share the last tiles of a grid
    whose turns do not come out even (kernels/matmul/shared_tiles.py).
    """

    block_m: int
    block_n: int
    stages: int
    consumers: int = 2
    block_k: int = 64
    cluster_m: int = 1
    cluster_n: int = 1
    blocks_per_sm: int = 1
    splits: int = 1
    transposed_problem: bool = False
    tile_group: int = 8
    small: bool = False
    element_bytes: int = 2
    k_per_split: int = 0
    k_classes: bool = False
    stream_k: bool = False
    persistent: bool = False
    chunked: bool = False

    @cached_property
    def cluster(self) -> int:
        """The blocks of a cluster."""
        return self.cluster_m * self.cluster_n

    @cached_property
    def threads(self) -> int:
        """The threads of a block: the consumers, and a producer warpgroup (for a small tile, a warp)."""
        return WARPGROUP_THREADS * self.consumers + (WARP_THREADS if self.small else WARPGROUP_THREADS)

    @cached_property
    def of_transposed_problem(self) -> WgmmaTile:
        """The same tile for the transposed problem."""
        return replace(self, transposed_problem=True)

    @cached_property
    def of_shared_tiles(self) -> WgmmaTile:
        """The same tile, of which clusters share the last ones."""
        return replace(self, stream_k=True)

    def of_elements(self, element_bytes: int) -> WgmmaTile:
        """Return the tile for elements of A and B of so many bytes, in stages of as many bytes as before."""
        if element_bytes == self.element_bytes:
            return self
        return replace(self, block_k=self.block_k * self.element_bytes // element_bytes, element_bytes=element_bytes)

    @cached_property
    def macros(self) -> tuple[tuple[str, str], ...]:
        """The macros of both kernels."""
        names = "block_m", "block_n", "block_k", "stages", "consumers", "cluster_m", "cluster_n", "blocks_per_sm"
        return tuple((name.upper(), str(getattr(self, name))) for name in names)

    def stages_bytes(self, *, b_k_major: bool, a_by_rows: bool = False) -> int:
        """Return the shared memory of the stages of A and B, with two barriers per stage: all that a small tile has."""
        b_columns = self.block_n if b_k_major else -(-self.block_n // 64) * 64
        a_rows = self.block_m + (MORE_ROWS if a_by_rows else 0)
        stage = self.element_bytes * self.block_k * (a_rows + b_columns)
        return self.stages * (stage + 2 * BARRIER_BYTES)

    def small_bytes(self, splits: int) -> int:
        """Return the shared memory of a block of wgmma_small.cu: the stages, and the sums of its cluster's others."""
        others = (splits - 1) * 4 * self.block_m * self.block_n + BARRIER_BYTES if splits > 1 else 0
        return self.stages_bytes(b_k_major=True) + others + (self.lines_bytes if self.persistent else 0)

    @cached_property
    def lines_bytes(self) -> int:
        """The most bytes through which a persistent block's 16-bit results pass, as in epilogue/store_lines.cuh."""
        return 2 * self.consumers * max(64 * (self.block_n + PADDING), self.block_n * (64 + PADDING))

    def shared_bytes(self, store: int, out_bytes: int, *, b_k_major: bool, a_by_rows: bool = False) -> int:
        """Return the shared memory of a block of wgmma.cu: the stages and the staging buffer of C."""
        stages = self.stages_bytes(b_k_major=b_k_major, a_by_rows=a_by_rows)
        return stages + self.consumers * self.staging_bytes(store, out_bytes)

    def staging_bytes(self, store: int, out_bytes: int) -> int:
        """Return the size of a consumer's staging buffer of C, in bytes, as in epilogue/store.cuh."""
        if store == BY_ELEMENTS:
            return 0
        if store == BY_ROWS:
            return 64 * (chunk_columns(self.block_n, 256 // out_bytes) * out_bytes + 16)
        columns, _ = stored_columns(self.block_n, out_bytes)
        if store == BY_COLUMNS:
            columns = chunk_columns(self.block_n, LINE_BYTES // out_bytes // 2)
        return 2 * 64 * columns * out_bytes

    def clusters_over(self, rows: int, columns: int) -> tuple[int, int]:
        """Return the number of clusters down and across that cover so many rows and columns."""
        return ceil_divide(rows, self.block_m * self.cluster_m), ceil_divide(columns, self.block_n * self.cluster_n)

    def split_k(self, k: int) -> tuple[int, int, int]:
        """Return the number of k-blocks, the k-blocks per split, and the number of splits."""
        k_blocks = max(1, ceil_divide(k, self.block_k))
        if self.splits == 1:
            return k_blocks, k_blocks, 1
        per_split = ceil_divide(k_blocks, min(self.splits, k_blocks))
        if self.k_per_split:
            per_split = self.k_per_split // self.block_k
        return k_blocks, per_split, ceil_divide(k_blocks, per_split)

    def parts_of_k(self, k: int) -> tuple[int, int, int]:
        """Return the same as the kernel counts it, for which a chunk is the part of a split."""
        k_blocks, per_split, splits = self.split_k(k)
        return k_blocks, min(self.k_per_split // self.block_k, k_blocks) if self.chunked else per_split, splits

    @cached_property
    def refusal(self) -> str | None:
        """Why no kernel can be compiled for this tile, as a sentence, or None."""
        if self.block_m % (64 * self.consumers) or self.block_m > MOST_BOX_ROWS:
            return f"block_m is a multiple of 64 for each of {self.consumers} consumers, up to 256, not {self.block_m}."
        if self.block_n % 8 or not 8 <= self.block_n <= MOST_BOX_ROWS:
            return f"block_n is a multiple of 8 up to 256, not {self.block_n}."
        multiple = LINE_BYTES // self.element_bytes
        if self.block_k % multiple or self.stages < (1 if self.small else 2):
            return f"block_k is a multiple of {multiple} with 2 stages or more, not {self.block_k} with {self.stages}."
        if (
            self.block_k % (8 * self.cluster)
            or self.block_m % (8 * self.cluster_n)
            or self.block_n % (8 * self.cluster_m)
        ):
            return f"A cluster of {self.cluster_m} x {self.cluster_n} blocks cannot share this tile in parts of 8 rows."
        sums = self.block_m // (64 * self.consumers) * self.block_n // 2
        if sums + REGISTERS_BESIDE_SUMS > self._even_share:
            return f"A consumer's {sums} sums per thread do not fit {self._even_share} registers."
        beside = sums + REGISTERS_BESIDE_SOME_CHUNKS
        if self.chunked and not self.holds_chunks and (self.small or beside > self._of_a_consumer):
            return f"A consumer has no registers for {sums} sums per thread and those of the chunks before."
        b_k_major = self.small or self.element_bytes > 2
        of_block = self.stages_bytes(b_k_major=b_k_major) + (self.lines_bytes if self.persistent else 0)
        shared = self.blocks_per_sm * (of_block + RESERVED_SHARED_BYTES_PER_BLOCK)
        if shared > SHARED_BYTES_PER_SM:
            return f"{self.stages} stages of this tile take {shared:,} bytes of {SHARED_BYTES_PER_SM:,}."
        return None

    @cached_property
    def holds_chunks(self) -> bool:
        """Whether a consumer has registers for its sums and for those of the chunks before."""
        return self.block_m // (64 * self.consumers) * self.block_n + REGISTERS_BESIDE_CHUNKS <= self._of_a_consumer

    @cached_property
    def _of_a_consumer(self) -> int:
        """The registers of a consumer's thread. A block's warps are spread over the four parts of an SM."""
        if not self.small:
            share = self._even_share
            others = (share * (self.consumers + 1) - PRODUCER_REGISTERS) // self.consumers // 8 * 8
            return share // 8 * 8 if share == MOST_REGISTERS else others
        warps = ceil_divide(self.threads, WARP_THREADS) * self.blocks_per_sm
        return min(MOST_REGISTERS, REGISTERS_PER_SM // (4 * WARP_THREADS * ceil_divide(warps, 4)) // 8 * 8)

    @cached_property
    def holds_a(self) -> bool:
        """Whether a consumer has registers for A of two stages of tf32 beside its sums."""
        m_tiles = self.block_m // (64 * self.consumers)
        of_consumer = min(255, (self._even_share * (self.consumers + 1) - PRODUCER_REGISTERS) // self.consumers)
        held = 2 * m_tiles * self.block_k // 2
        return m_tiles * self.block_n // 2 + held + REGISTERS_BESIDE_HELD <= of_consumer

    @cached_property
    def _even_share(self) -> int:
        """The registers of a thread, if all have as many."""
        return min(MOST_REGISTERS, REGISTERS_PER_SM // (self.threads * self.blocks_per_sm) // 8 * 8)


def stored_columns(columns: int, out_bytes: int) -> tuple[int, int]:
    """Return the columns of the boxes as which the copy engine stores a tile, and those of one that is left, or 0."""
    dividing = chunk_columns(columns, LINE_BYTES // out_bytes)
    box = max(dividing, LEAST_BOX_COLUMNS) if out_bytes < 4 and columns > LEAST_BOX_COLUMNS else dividing
    return box, columns % box


def chunk_columns(columns: int, most: int) -> int:
    """Return the largest power of two up to ``most`` that divides the columns."""
    power = 1
    while power < most and columns % (2 * power) == 0:
        power *= 2
    return power
