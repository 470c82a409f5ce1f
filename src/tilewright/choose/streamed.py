"""The plan of a product that is larger than a memory: a tile of C stays, panels of A and B stream past it along k.

This is the seeds' tiling one level up. Tiles are chosen to move few bytes within the limits: tiles of C are whole
chunks of the output, so that no two write the same file, and panels end where chunks do if they can, so that a chunk is
decoded as few times as possible. Nothing here touches a file or a device.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from tilewright.choose import notebook
from tilewright.choose.quantities import duration, in_words

STRIP_BYTES = 8 * 2**20
"""What is read and cast, or written, at a time beside panels and tile: so much, or ..."""
LINK_STRIP_BYTES = 16 * 2**20
"""The same for a GPU, whose link is faster than a file."""
RING = 6
"""The number of pinned buffers through which panels go to a GPU: A's and B's take half of them each, ..."""
OUT_RING = 2
"""... and of those through which C's tile comes back."""
STRIPS_IN_LIMIT = 32
"""... this part of the limit, if that is less, but at least a chunk."""
ADDED_BYTES = 32 * 2**20
"""The sums over one panel that are added to C's tile at a time: fewer would pack B more often."""
SPLIT_PARTS = 1.5
"""The size of what float32 is split into on a GPU (three bfloat16 for each), by the size of the panels."""
GPU_RESERVE_BYTES = 32 * 2**20
"""For working memory of kernels that split k or repack."""


@dataclass(frozen=True)
class Rate:
    """A rate in 1e9 per second (bytes or operations), and where it comes from: "measured" or "assumed"."""

    giga_per_s: float
    said: str = "assumed"

    def seconds(self, amount: float) -> float:
        """The time for an amount."""
        return amount / self.giga_per_s * 1e-9


@dataclass(frozen=True)
class StreamRates:
    """Rates of files and memory, of the link to a GPU (None without one), and of the products.

    ``memory`` is what sums are added at, in bytes.
    """

    read: Rate = Rate(0.7)
    write: Rate = Rate(0.3)
    flops: Rate = Rate(50.0)
    memory: Rate = Rate(8.0)
    link: Rate | None = None


@dataclass(frozen=True)
class StreamedMatrix:
    """A matrix that is read or written by regions: ``chunks`` are decoded or written as one, None without any."""

    shape: tuple[int, int]
    dtype: str
    item_bytes: int
    chunks: tuple[int, int] | None = None
    decoded_at_once: int = 1
    kind: str = "memory"

    @property
    def chunk_bytes(self) -> int:
        """The bytes of a decoded chunk; 0 without chunks."""
        return 0 if self.chunks is None else self.chunks[0] * self.chunks[1] * self.item_bytes

    def side(self, axis: int) -> int:
        """A chunk's extent along an axis; 1 without chunks."""
        return 1 if self.chunks is None else self.chunks[axis]


@dataclass(frozen=True)
class StreamedProblem:
    """A product of stored matrices: C (m, n) is the result, of pair sums for "reduced_matmul".

    ``panel_bytes`` is an element's size in a panel, ``sum_bytes`` that of a sum. ``casts``: panels are made of what is
    read, by a cast or by adding pairs. ``machine``: "host" or "gpu". ``is_one_type``: panels and C have one type.
    ``gpus``: how many share C's tiles, each with a link of its own.
    """

    operation: str
    a: StreamedMatrix
    b: StreamedMatrix
    c: StreamedMatrix
    dtype: str
    panel_bytes: int
    sum_bytes: int
    casts: bool
    machine: str = "host"
    is_one_type: bool = False
    gpus: int = 1

    @property
    def pairs(self) -> int:
        """How many rows of A, and columns of B, are added to one."""
        return 2 if self.operation == "reduced_matmul" else 1

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The extents m, n and k of the product that is computed."""
        return self.c.shape[0], self.c.shape[1], self.a.shape[1]


@dataclass(frozen=True)
class StreamedPlan:
    """How a product streams. ``tile`` is C's (rows, columns), ``step`` the extent of a panel along k.

    All that is said of bytes is computed from the shapes and chunks; times are those bytes at the rates, of which each
    is measured or assumed. ``memory_limit_bytes`` is that of the host and of the GPU, each.
    """

    problem: StreamedProblem
    tile: tuple[int, int]
    step: int
    memory_limit_bytes: int
    rates: StreamRates

    def tiles(self) -> list[tuple[slice, slice]]:
        """C's tiles as slices of rows and columns, row by row."""
        m, n, _ = self.problem.sizes
        return [(rows, columns) for rows in _spans(m, self.tile[0]) for columns in _spans(n, self.tile[1])]

    def order(self) -> list[int]:
        """The tiles by number, in the order in which they are computed: those that share the kept panel in a row."""
        down, across = self._grid
        if self.kept != "B":
            return list(range(across * down))
        return [row * across + column for column in range(across) for row in range(down)]

    def steps(self) -> list[slice]:
        """The panels along k, in the order in which they are added."""
        return list(_spans(self.problem.sizes[2], self.step)) or [slice(0, 0)]

    @cached_property
    def _grid(self) -> tuple[int, int]:
        """The number of tiles down and across C."""
        m, n, _ = self.problem.sizes
        return _count(m, self.tile[0]), _count(n, self.tile[1])

    @property
    def tile_count(self) -> int:
        """The number of tiles of C."""
        return self._grid[0] * self._grid[1]

    @property
    def step_count(self) -> int:
        """The number of panels along k."""
        return _count(self.problem.sizes[2], self.step)

    @property
    def rounds_in_kernel(self) -> bool:
        """Whether C's tile has C's type already: a kernel of a GPU makes each sum in one step."""
        return self.problem.machine == "gpu" and self.problem.is_one_type and self.step_count <= 1

    @property
    def tile_item_bytes(self) -> int:
        """The size of an element of C's tile: a sum's, but where the kernel rounds."""
        return self.problem.panel_bytes if self.rounds_in_kernel else self.problem.sum_bytes

    @cached_property
    def kept(self) -> str:
        """The operand, "A" or "B", whose panel stays for a row or a column of tiles; "" if k is more than one step."""
        if self.problem.sizes[2] > self.step:
            return ""
        return "B" if self.tile[1] > self.tile[0] else "A"

    @cached_property
    def passes(self) -> tuple[int, int]:
        """How often A and B are brought. GPUs that share a row of tiles have its panel each."""
        down, across = self._grid
        if not self.kept:
            return across, down
        lines, along = (down, across) if self.kept == "A" else (across, down)
        of_kept = min(self.problem.gpus, along) if lines == 1 else 1
        of_other = min(self.problem.gpus, lines) if along == 1 else lines
        return (of_kept, of_other) if self.kept == "A" else (of_other, of_kept)

    @cached_property
    def read_bytes(self) -> int:
        """The bytes of A and B that are read, as they are in memory; of chunks all that is decoded."""
        problem, (m, n, k) = self.problem, self.problem.sizes
        passes_of_a, passes_of_b = self.passes
        rows = _decoded(m * problem.pairs, self.tile[0] * problem.pairs, problem.a.side(0))
        columns = _decoded(n * problem.pairs, self.tile[1] * problem.pairs, problem.b.side(1))
        of_a = rows * _decoded(k, self.step, problem.a.side(1)) * problem.a.item_bytes * passes_of_a
        return of_a + columns * _decoded(k, self.step, problem.b.side(0)) * problem.b.item_bytes * passes_of_b

    @property
    def written_bytes(self) -> int:
        """The bytes of C, uncompressed."""
        m, n, _ = self.problem.sizes
        return m * n * self.problem.c.item_bytes

    @cached_property
    def link_bytes(self) -> tuple[int, int]:
        """The bytes that go to the GPU, and back; 0 on the host."""
        if self.problem.machine == "host":
            return 0, 0
        m, n, k = self.problem.sizes
        passes_of_a, passes_of_b = self.passes
        there = (m * k * passes_of_a + k * n * passes_of_b) * self.problem.panel_bytes
        return there, m * n * self.tile_item_bytes

    @property
    def buffers(self) -> int:
        """The panels of each operand in memory: one is filled while another is read; one where all is one step.

        Steps of a GPU whose panels are all new have a third: its kernels do not all take as long, and the link waited.
        """
        if self.step_count * self.tile_count <= 1:
            return 1
        return 2 if self.kept or self.problem.machine == "host" else 3

    @cached_property
    def panel_bytes(self) -> int:
        """The bytes of all panels in memory."""
        (rows, columns), k = self.tile, min(self.step, self.problem.sizes[2])
        return self.buffers * (rows * k + k * columns) * self.problem.panel_bytes

    @property
    def added_rows(self) -> int:
        """The rows of a tile whose sums over one panel are computed, and then added, at a time.

        They depend on the tile alone, not on the limit, so that a run that is continued with another has the same bits.
        """
        row_bytes = self.tile[1] * self.problem.sum_bytes
        return min(self.tile[0], max(1, min(ADDED_BYTES, self.tile[0] * row_bytes // 4) // row_bytes))

    @property
    def strip_bytes(self) -> int:
        """What is read and cast, or written, at a time."""
        most = STRIP_BYTES if self.problem.machine == "host" else LINK_STRIP_BYTES
        return min(most, max(1, self.memory_limit_bytes // STRIPS_IN_LIMIT))

    @cached_property
    def ring_bytes(self) -> int:
        """The size of each of the pinned buffers through which panels go to a GPU."""
        k = min(self.step, max(1, self.problem.sizes[2]))
        rows = self.problem.a.side(0) * k, self.problem.b.side(0) * self.tile[1]
        return max(self.strip_bytes, max(rows) * self.problem.panel_bytes)

    @property
    def strip_rows(self) -> int:
        """The rows of a tile that are written at a time: those of whole chunks."""
        side = self.problem.c.side(0)
        height = max(1, self.strip_bytes // max(1, self.tile[1] * self.problem.c.item_bytes))
        return min(self.tile[0], max(1, height // side) * side)

    def _read_scratch(self, matrix: StreamedMatrix, axis: int) -> int:
        """Chunks that are decoded at once, as they are stored and as they are in memory; and what is cast or added."""
        problem = self.problem
        chunks = _count(matrix.shape[0], matrix.side(0)) * _count(matrix.shape[1], matrix.side(1))
        decoded = 2 * matrix.chunk_bytes * min(matrix.decoded_at_once, chunks)
        if not problem.casts:
            return decoded
        across = (min(self.step, matrix.shape[1]), self.tile[1] * problem.pairs)[axis]
        height = max(1, self.strip_bytes // (across * matrix.item_bytes))
        side = matrix.side(0) * (problem.pairs if axis == 0 else 1)
        elements = max(problem.pairs, height // side * side, side) * across
        return decoded + elements * (matrix.item_bytes + problem.panel_bytes)

    @cached_property
    def peak_bytes(self) -> dict[str, int]:
        """The most that this takes of each memory at a time: "host" (pinned included), "pinned" and "gpu"."""
        problem, (rows, columns) = self.problem, self.tile
        c_tile = rows * columns * self.tile_item_bytes
        scratch = max(self._read_scratch(problem.a, 0), self._read_scratch(problem.b, 1))
        if problem.machine == "gpu" and problem.a.kind == problem.b.kind == "memory":
            scratch *= RING // 2  # of all threads that copy
        strip = self.strip_rows * columns
        out = strip * (2 * problem.c.item_bytes + self.tile_item_bytes)
        if problem.machine == "host":
            added = self.added_rows * columns * problem.sum_bytes if self.step_count > 1 else 0
            return {"host": c_tile + self.panel_bytes + scratch + out + added, "pinned": 0, "gpu": 0}
        pinned = RING * self.ring_bytes + OUT_RING * strip * self.tile_item_bytes
        tiles = min(2, self.tile_count)
        gpu = tiles * c_tile + self.panel_bytes + self.reserved_bytes
        return {"host": pinned + scratch + out, "pinned": pinned, "gpu": gpu}

    @property
    def reserved_bytes(self) -> int:
        """What is planned for the working memory of a GPU's kernels: parts of float32, and what they are summed in."""
        is_split = self.problem.machine == "gpu" and self.problem.panel_bytes == 4
        most = min(GPU_RESERVE_BYTES, self.memory_limit_bytes // 16)
        return most + (int(SPLIT_PARTS * self.panel_bytes) if is_split else 0)

    @property
    def flops(self) -> int:
        """Multiplications and additions."""
        m, n, k = self.problem.sizes
        return 2 * m * n * k

    @cached_property
    def seconds(self) -> dict[str, float]:
        """The time of each part at the rates: "disk" (or the host's memory), "link" and "compute"."""
        m, n, _ = self.problem.sizes
        rates, added = self.rates, max(0, self.step_count - 1) * m * n * 3 * self.problem.sum_bytes
        compute = rates.flops.seconds(self.flops) + rates.memory.seconds(added)
        sharing = min(self.problem.gpus, max(1, self.tile_count))
        found = {
            "disk": rates.read.seconds(self.read_bytes) + rates.write.seconds(self.written_bytes),
            "compute": compute / sharing,
        }
        if rates.link is not None:
            found["link"] = rates.link.seconds(max(self.link_bytes)) / sharing
        return found

    @property
    def bound(self) -> str:
        """What takes longest: "disk", "link" or "compute"."""
        return max(self.seconds, key=lambda part: self.seconds[part])

    def facts(self) -> dict[str, str]:
        """The plan's decisions, by name, as text."""
        problem, (m, n, k) = self.problem, self.problem.sizes
        peak, there = self.peak_bytes, self.link_bytes
        facts = {
            "problem": f"{problem.operation} {problem.dtype}, m = {m:,}, n = {n:,}, k = {k:,}, streamed",
            "result": f"C {problem.c.shape} {problem.c.dtype}, {problem.c.kind}",
            "machine": problem.machine if problem.gpus == 1 else f"{problem.gpus} GPUs",
            "tile of C": f"{self.tile[0]:,} x {self.tile[1]:,}, {self.tile_count:,} of them",
            "panels": f"{self.step_count:,} along k, of {min(self.step, k):,}",
            "read": f"{in_words(self.read_bytes)} of {in_words(_stored_bytes(problem))} stored",
        }
        if problem.machine == "gpu":
            facts["link"] = f"{in_words(there[0])} to the GPU, {in_words(there[1])} back"
        facts["written"] = in_words(self.written_bytes)
        facts["host peak"] = f"{in_words(peak['host'])} of {in_words(self.memory_limit_bytes)}"
        if problem.machine == "gpu":
            facts["pinned"] = in_words(peak["pinned"])
            facts["GPU peak"] = f"{in_words(peak['gpu'])} of {in_words(self.memory_limit_bytes)}"
        facts["bound"] = self.bound
        return facts

    @property
    def reasons(self) -> tuple[str, ...]:
        """A sentence for the bound, and one for the rates."""
        rates, times = self.rates, self.seconds
        shown = ", ".join(f"{part} {duration(seconds)}" for part, seconds in times.items())
        said = [
            (
                f"files are read at {rates.read.giga_per_s:.3g} GB/s and written at {rates.write.giga_per_s:.3g} "
                f"({rates.read.said})"
            ),
            f"products are computed at {rates.flops.giga_per_s:,.0f} GFLOP/s ({rates.flops.said})",
        ]
        if rates.link is not None:
            said.insert(1, f"the link carries {rates.link.giga_per_s:.3g} GB/s ({rates.link.said})")
        return (
            f"The bound is {self.bound}: {shown}; the parts overlap.",
            f"The times are bytes and operations at rates: {', '.join(said)}.",
            "Panels are added in the order of k, so that every run of this plan gives the same bits.",
        )

    def __str__(self) -> str:
        """Return the plan: one fact a line, then the reasons."""
        lines = [f"{name:<13} {value}" for name, value in self.facts().items()]
        return "\n".join([*lines, *(f"- {reason}" for reason in self.reasons)])

    def _repr_html_(self) -> str:
        """Return the plan as HTML."""
        return notebook.together(notebook.facts(self.facts()), notebook.sentences(self.reasons))


def _spans(extent: int, size: int) -> Iterator[slice]:
    for first in range(0, extent, size):
        yield slice(first, min(first + size, extent))


def _count(extent: int, size: int) -> int:
    return ceil(extent / size)


def _decoded(extent: int, size: int, chunk: int) -> int:
    """The extents of all chunks that spans of ``size`` touch, together."""
    if chunk == 1 or size % chunk == 0 or size >= extent:
        return extent
    cut_twice = sum(bound % chunk > 0 for bound in range(size, extent, size))  # chunks that spans have in common
    last = extent // chunk * chunk  # the last chunk may be smaller
    at_end = sum(bound > last for bound in range(size, extent, size)) if extent - last else 0
    return extent + (cut_twice - at_end) * chunk + at_end * (extent - last)


def _stored_bytes(problem: StreamedProblem) -> int:
    return sum(each.shape[0] * each.shape[1] * each.item_bytes for each in (problem.a, problem.b))
