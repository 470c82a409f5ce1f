"""Planning of the float32 and float64 kernels, which copy tiles in many stages: the tile, split-K, the launches.

A cost model ranks tiles and splits. Its times were measured on an H200; on other chips it ranks by the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import epilogue_macros, epilogue_pointers, epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.invariant import fixed_split
from tilewright.kernels.launch import MAX_GRID_X, Launch, Launches, Pointer, ceil_divide
from tilewright.kernels.matmul.split_product import partial_sums, split_arguments
from tilewright.kernels.matmul.splitk_reduce import reduce_launch
from tilewright.kernels.matmul.strided import operand_pointers
from tilewright.kernels.matmul.time_model import overlapped_us
from tilewright.kernels.operand import C_TYPES, DTYPE_BYTES, Operand
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

STEP = 16
"""The inner indices of a step of the cost model."""
VECTOR_BYTES = 16
LEAST_STAGES = 2
LEAST_STEPS_PER_SPLIT = 8
MOST_SPLITS = 1024
LAUNCH_US, SPLITTING_US = 4.4, 2.7
MEMORY_MB_PER_US, SM_MB_PER_US, PARTIAL_MB_PER_US = 4.2, 0.07, 5.1
OVERLAP, START_SLOWDOWN = 0.2, 3.5
"""The model's rates, fitted with those of the tiles to 1,343 times of 37 products in each type on an H200."""
FEW_COLUMNS = 16
"""With no more columns than this, the transposed problem C^T = B^T A^T is computed, whose rows they are."""

Loads = tuple[tuple[bool, int], tuple[bool, int]]
"""For A and B: whether memory has neighbours along k, and how many elements a copy brings."""


@dataclass(frozen=True)
class FloatTile:
    """A tile of ``block_m`` x ``block_n`` results, with its macros, and what it takes of an SM.

    ``alone_us`` is the time of 16 inner indices for a block that has its SM to itself, ``shared_us`` what each of
    ``blocks_per_sm`` adds to their SM's time, ``start_us`` the time before the first product and after the last.
    16 inner indices take ``slowdown`` times as long where an operand that could be copied in vectors is not.
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
    macros: tuple[tuple[str, str], ...]

    def tiles(self, product: Problem) -> int:
        """Return how many of it cover C, over all of the batch."""
        return ceil_divide(product.m, self.block_m) * ceil_divide(product.n, self.block_n) * product.batch_count

    def us(self, product: Problem, splits: int, sms: int, *, by_elements: bool = False) -> float:
        """Return the modelled time of a product on a chip of so many SMs."""
        on_an_sm = ceil_divide(self.tiles(product) * splits, sms)
        waves = ceil_divide(on_an_sm, self.blocks_per_sm)
        steps = ceil_divide(product.k, STEP * splits)
        starting, stepping = waves * self.start_us, steps * max(waves * self.alone_us, on_an_sm * self.shared_us)
        if by_elements:
            starting, stepping = starting * START_SLOWDOWN, stepping * self.slowdown
        computing = starting + stepping
        busy = min(self.tiles(product) * splits, sms)
        reading = 1e-6 * product.least_bytes / min(MEMORY_MB_PER_US, busy * SM_MB_PER_US)
        total = LAUNCH_US + overlapped_us(OVERLAP, computing, reading)
        if splits > 1:
            partial_bytes = 2 * splits * product.batch_count * product.m * product.n * product.out_bytes
            total += SPLITTING_US + 1e-6 * partial_bytes / PARTIAL_MB_PER_US
        return total

    def splits(self, product: Problem, sms: int) -> Iterator[int]:
        """Yield the numbers of splits worth a try: 1, and those with which every SM has a block, or two and so on."""
        yield 1
        most = min(product.k // (STEP * LEAST_STEPS_PER_SPLIT), MOST_SPLITS)
        for blocks in (*range(1, self.blocks_per_sm + 1), 2 * self.blocks_per_sm):
            splits = min(sms * blocks // self.tiles(product), most)
            if splits > 1:
                yield splits


@dataclass(frozen=True)
class Multistage:
    """A kernel of this kind: its name, type and tiles, the largest first, and how a stage lies in shared memory.

    ``padding`` counts elements between the lines of a tile whose operand has neighbours along k, and of others.
    ``in_vectors``: 16 bytes at once along k too, and to C; else operands in vectors along the other dimension alone.
    """

    name: str
    dtype: str
    tiles: tuple[FloatTile, ...]
    padding: tuple[int, int]
    in_vectors: bool

    def refusal(self, tile: object) -> str | None:
        """Return why the kernel has no such tile, as a sentence, or None."""
        names = [(each.block_m, each.block_n) for each in self.tiles]
        if tile is None or tile in names or (tile, tile) in names:
            return None
        return f"{self.name} has the tiles {', '.join(map(str, names))}, not {tile}."

    def launches(self, problem: Problem, facts: DeviceFacts, tile: object) -> Launches:
        """Return the launches of each part of the batch.

        Raises:
            PlanError: two stages of the tile do not fit the chip's shared memory.
        """
        found = [self._part(part, facts, tile) for part in slices(problem)]
        return Launches(
            tuple(launch for part in found for launch in part.launches),
            max(part.workspace_bytes for part in found),
            found[0].reasons,
        )

    def us(self, problem: Problem, sms: int) -> float:
        """Return the modelled time of a problem, of the fastest tile for each part of the batch."""
        return sum(self._us(part, sms) for part in slices(problem))

    def _us(self, whole: BatchSlice, sms: int) -> float:
        product = (whole.transposed if _is_transposed(whole) else whole).part
        by_elements = self._by_elements(self._loads(product))
        tile, splits = _cheapest(
            self.tiles, product, sms, by_elements=by_elements, per_split=fixed_split(whole.part, sms)
        )
        return tile.us(product, splits, sms, by_elements=by_elements)

    def _loads(self, product: Problem) -> Loads:
        return self._load_path(product.a), self._load_path(product.b.transposed)

    def _by_elements(self, loads: Loads) -> bool:
        return loads[1][1] == 1 or (self.in_vectors and loads[0][1] == 1)

    def _part(self, whole: BatchSlice, facts: DeviceFacts, asked: object) -> Launches:
        is_transposed = _is_transposed(whole)
        part = whole.transposed if is_transposed else whole
        product = part.part
        loads = self._loads(product)
        named = [t for t in self.tiles if asked is None or (t.block_m, t.block_n) in {asked, (asked, asked)}]
        tiles = [tile for tile in named if self._stages(facts, tile, loads) >= LEAST_STAGES]
        if not tiles:
            raise PlanError(f"Two stages of this tile of {self.name} do not fit the shared memory of {facts.name}.")
        fixed, by_elements = fixed_split(whole.part, facts.sm_count), self._by_elements(loads)
        tile, splits = _cheapest(tiles, product, facts.sm_count, by_elements=by_elements, per_split=fixed)
        why = "as asked" if asked is not None else "the cost model's fastest" if facts.sm_count else "the smallest"
        found = self.divided(whole, facts, tile, splits, fixed)
        return replace(found, reasons=(f"{found.reasons[0]}: {why}.", *found.reasons[1:]))

    def divided(
        self, whole: BatchSlice, facts: DeviceFacts, tile: FloatTile, splits: int, per_split: int | None = None
    ) -> Launches:
        """Return the launches of a part of the batch with a tile, of which two stages fit, and splits of k.

        The splits are equal ones, or of ``per_split`` each.
        """
        is_transposed = _is_transposed(whole)
        part = whole.transposed if is_transposed else whole
        product, loads = part.part, self._loads(part.part)
        per_split = ceil_divide(per_split or ceil_divide(product.k, splits), tile.block_k) * tile.block_k
        splits = max(1, ceil_divide(product.k, max(per_split, 1)))
        stages = self._stages(facts, tile, loads)
        reasons = [f"Tile {tile.block_m} x {tile.block_n} in {stages} stages"]
        reasons += ["C^T = B^T A^T is computed, since C has few columns."] if is_transposed else []
        if splits == 1:
            c = Pointer("C", part.c_offset * product.out_bytes)
            launch = self._launch(part, c, tile, stages, loads, (1, per_split, 0), is_transposed)
            return Launches((launch,), 0, tuple(reasons))
        reasons.append(f"Split-K: k is split into {splits} parts, whose partial sums are added in a fixed order.")
        partial = partial_sums(whole.part, splits)
        size = partial.c.rows * partial.c.row_stride
        sums = replace(part, part=partial.transposed if is_transposed else partial)
        cut = splits, per_split, size
        launch = self._launch(sums, Pointer("workspace"), tile, stages, loads, cut, is_transposed)
        return Launches(
            (launch, reduce_launch(whole, splits, 0, facts.sm_count or 1)),
            splits * product.batch_count * size * product.out_bytes,
            tuple(reasons),
        )

    def _launch(
        self,
        part: BatchSlice,
        c: Pointer,
        tile: FloatTile,
        stages: int,
        loads: Loads,
        cut: tuple[int, int, int],
        is_transposed: bool,
    ) -> Launch:
        product, (splits, per_split, split_stride) = part.part, cut
        is_vectors = (
            self.in_vectors and product.c.major == "row" and product.c.vector_bytes(product.out_bytes) == VECTOR_BYTES
        )
        macros = (each for each in epilogue_macros(product) if each[0] not in {"ELEMENT", "OUTPUT"})
        return Launch(
            kernel=self.name,
            macros=(
                *macros,
                *tile.macros,
                ("BLOCK_K", str(tile.block_k)),
                ("STAGES", str(stages)),
                ("BLOCKS_PER_SM", str(tile.blocks_per_sm)),
                ("A_K_MAJOR", str(int(loads[0][0]))),
                ("B_K_MAJOR", str(int(loads[1][0]))),
                ("A_VECTOR", str(loads[0][1])),
                ("B_VECTOR", str(loads[1][1])),
                ("C_VECTORS", str(int(is_vectors))),
            ),
            grid=(min(tile.tiles(product) * splits, MAX_GRID_X), 1, 1),
            block=(tile.threads, 1, 1),
            arguments={
                **operand_pointers(part, is_transposed=is_transposed),
                "C": c,
                **epilogue_pointers(product, part.c_operand_offset),
                **split_arguments(product, splits, per_split, split_stride),
                **epilogue_scalars(product, bias_along_rows=is_transposed, ctype=C_TYPES[self.dtype]),
            },
            shared_bytes=stages * self._stage_bytes(tile, loads),
            overlaps_previous=True,
        )

    def _load_path(self, operand: Operand) -> tuple[bool, int]:
        """Return an operand's `Loads`; ``operand`` has k along its columns."""
        k_major, element_bytes = operand.major != "column", DTYPE_BYTES[self.dtype]
        vector, along = VECTOR_BYTES // element_bytes, operand.columns if k_major else operand.rows
        is_aligned = operand.vector_bytes(element_bytes) == VECTOR_BYTES and along % vector == 0
        return k_major, vector if is_aligned and (self.in_vectors or not k_major) else 1

    def _stage_bytes(self, tile: FloatTile, loads: Loads) -> int:
        lines = ((tile.block_m, loads[0][0]), (tile.block_n, loads[1][0]))
        padded = sum(count + self.padding[not k_major] for count, k_major in lines)
        return DTYPE_BYTES[self.dtype] * tile.block_k * padded

    def _stages(self, facts: DeviceFacts, tile: FloatTile, loads: Loads) -> int:
        """Return how many stages fit a block, at most the tile's."""
        allowed = facts.shared_bytes_per_block_optin or facts.shared_bytes_per_block or 48 * 1024
        return min(tile.stages, allowed // self._stage_bytes(tile, loads))


def _is_transposed(whole: BatchSlice) -> bool:
    return whole.part.n <= FEW_COLUMNS and whole.part.n < whole.part.m


def _cheapest(
    tiles: Sequence[FloatTile], product: Problem, sms: int | None, *, by_elements: bool, per_split: int | None = None
) -> tuple[FloatTile, int]:
    """Return the tile and the number of splits that the model finds the fastest; on the emulator the smallest tile.

    ``per_split``: the inner indices of a split, where they are fixed.
    """
    if sms is None:
        return tiles[-1], 1
    fixed = None if per_split is None else [ceil_divide(product.k, per_split)]
    tried = ((tile, splits) for tile in tiles for splits in fixed or tile.splits(product, sms))
    return min(tried, key=lambda each: each[0].us(product, each[1], sms, by_elements=by_elements))
