"""Planning of the float32 and float64 kernels, which copy tiles in many stages: tiles, who computes them, launches.

The model of float_tile.py ranks tiles, splits of k, stream-K, and cutting C in two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import NamedTuple

from tilewright.kernels.batches import BatchSlice, cut_out, slices
from tilewright.kernels.epilogue import epilogue_macros, epilogue_pointers, epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.invariant import fixed_split
from tilewright.kernels.launch import MAX_GRID_X, Arguments, Launch, Launches, Pointer, Scalar, ceil_divide
from tilewright.kernels.matmul.copied_operands import CopiedOperands, tried_copies
from tilewright.kernels.matmul.float_output import BY_BOXES, declared_bytes, map_of_c, staged_bytes, store_of
from tilewright.kernels.matmul.float_tile import LAUNCH_US, SECOND_LAUNCH_US, Copies, FloatTile, Shares
from tilewright.kernels.matmul.line_pairs import PAIR_SUMS, both_lines, strides_of_both
from tilewright.kernels.matmul.split_product import in_splits, split_arguments
from tilewright.kernels.matmul.strided import operand_pointers
from tilewright.kernels.matmul.without_tiles import ways_us, without_tiles
from tilewright.kernels.operand import C_TYPES, DTYPE_BYTES, Operand
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

VECTOR_BYTES = 16
LEAST_STAGES = 2
LEAST_GAIN = 1.02
"""Less, of a product that is cut in two, is within the model's error."""
LEAST_CUT_US = 30.0
"""What takes less is not cut: a part more is a launch more."""
LEAST_COPIED_US = 100.0
"""Of what takes less, no operand is copied first: two launches cost about what is won."""
LEAST_COPIED_GAIN = 1.005
"""So much less has a product of copies to take, with the copies."""
MOST_COPIED_BYTES = 4 * 2**30
"""Operands that would take more workspace are read as they lie."""
CUT_TILES = 3
"""The tiles with which cuts are tried: the fastest."""
FEW_COLUMNS = 16
"""With no more columns than this, the transposed problem C^T = B^T A^T is computed, whose rows they are."""
ALONE = Shares()

Loads = tuple[tuple[bool, int], tuple[bool, int]]
"""For A and B: whether memory has neighbours along k, and how many elements a copy brings."""


class Choice(NamedTuple):
    """A tile, who computes how much of it, and the modelled time in us."""

    us: float
    tile: FloatTile
    shares: Shares


class Cut(NamedTuple):
    """How blocks share a product: the k of a split, the elements from its sums to the next split's, the most blocks.

    ``store`` says how results leave (float_output.py).
    """

    shares: Shares
    per_split: int
    split_stride: int
    most_blocks: int
    store: str


class Piece(NamedTuple):
    """A part of C, and how it is computed."""

    part: BatchSlice
    choice: Choice

    @property
    def extent(self) -> str:
        """Its size, as it goes on a sentence."""
        return f" for {self.part.part.m:,} x {self.part.part.n:,} of C"


@dataclass(frozen=True)
class Multistage:
    """A kernel of this kind: its name, type and tiles, the largest first, and how a stage lies in shared memory.

    ``padding`` counts elements between the lines of a tile whose operand has neighbours along k, and of others.
    ``in_vectors``: 16 bytes at once along k too; else operands in vectors along the other dimension alone. ``padded``:
    the buffers in which rows are followed by zeros up to a vector, where others need the guard of each element.
    ``pair_sums``: two rows of A make one of C, and two columns of B; operands are those of the first of each pair.
    """

    name: str
    dtype: str
    tiles: tuple[FloatTile, ...]
    padding: tuple[int, int]
    in_vectors: bool
    padded: frozenset[str] = frozenset()
    pair_sums: bool = False

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
        if tile is None and facts.sm_count and not problem.invariant and not self.pair_sums:
            other = without_tiles(problem, facts, lambda: self._tiles_us(problem, facts))
            if other is not None:
                return other
        found = [self._part(part, facts, tile) for part in slices(problem)]
        return Launches(
            tuple(launch for part in found for launch in part.launches),
            max(part.workspace_bytes for part in found),
            found[0].reasons,
        )

    def us(self, problem: Problem, facts: DeviceFacts) -> float:
        """Return the modelled time of a problem, of the fastest way for each part of the batch."""
        others = {} if self.pair_sums else ways_us(problem, facts)
        return min([self._tiles_us(problem, facts), *others.values()])

    def _tiles_us(self, problem: Problem, facts: DeviceFacts) -> float:
        return sum(self._chosen(part, facts, self.tiles).us for part in slices(problem))

    def _chosen(self, whole: BatchSlice, facts: DeviceFacts, tiles: Sequence[FloatTile]) -> Choice:
        """Return the tile and the shares that the model finds the fastest; on the emulator the smallest tile."""
        if facts.sm_count is None:
            return Choice(0, ([tile for tile in tiles if not tile.stays] or tiles)[-1], Shares())
        return min(self._choices(whole, facts, facts.sm_count, tiles), key=lambda choice: choice.us)

    def choices(self, whole: BatchSlice, facts: DeviceFacts) -> Iterator[Choice]:
        """Yield the tiles, and their shares, among which the model chooses on a chip whose SMs are counted."""
        product = (whole.transposed if _is_transposed(whole) else whole).part
        sms = facts.sm_count or 1
        yield from self._choices(whole, facts, sms, self._fitting(self.tiles, facts, product))

    def _choices(self, whole: BatchSlice, facts: DeviceFacts, sms: int, tiles: Sequence[FloatTile]) -> Iterator[Choice]:
        product = (whole.transposed if _is_transposed(whole) else whole).part
        copies, per_split = self._copies(self._loads(product)), fixed_split(whole.part, sms)
        fixed = None if per_split is None else [Shares(ceil_divide(product.k, per_split))]
        for tile in _usual(tiles, product):
            for shares in fixed or tile.shares(product, sms):
                yield Choice(tile.us(product, shares, facts, copies), tile, shares)

    def _fitting(self, tiles: Sequence[FloatTile], facts: DeviceFacts, product: Problem) -> list[FloatTile]:
        """Return the tiles of which two stages fit a block."""
        loads = self._loads(product)
        return [tile for tile in tiles if self._stages(facts, tile, loads) >= LEAST_STAGES]

    def _loads(self, product: Problem) -> Loads:
        return self._load_path(self._copied(product.a)), self._load_path(self._copied(product.b.transposed))

    def _copied(self, operand: Operand) -> Operand:
        """Return all lines that are copied of an operand with k along its columns."""
        return both_lines(operand) if self.pair_sums else operand

    def _copies(self, loads: Loads) -> Copies:
        most = VECTOR_BYTES // DTYPE_BYTES[self.dtype]
        narrow = [log2(most / each) / log2(most) for along_k, each in loads if self.in_vectors or not along_k]
        a_across_k = not self.in_vectors and not loads[0][0]
        return Copies(sum(narrow) / max(len(narrow), 1), loads[1][0], 2 if self.pair_sums else 1, a_across_k)

    def _part(self, whole: BatchSlice, facts: DeviceFacts, asked: object) -> Launches:
        is_transposed = _is_transposed(whole)
        part = whole.transposed if is_transposed else whole
        named = [t for t in self.tiles if asked is None or (t.block_m, t.block_n) in {asked, (asked, asked)}]
        tiles = self._fitting(named, facts, part.part)
        if not tiles:
            raise PlanError(f"Two stages of this tile of {self.name} do not fit the shared memory of {facts.name}.")
        us, found = self._fastest(whole, facts, tiles, asked)
        is_free = asked is None and facts.sm_count is not None and not whole.part.invariant and not self.pair_sums
        if is_free and us > LEAST_COPIED_US:
            for copies in self.copies(whole):
                of_copies = replace(self, padded=frozenset(copies.places))
                copied_us, copied = of_copies._fastest(copies.part, facts, tiles, asked)  # noqa: SLF001  (its own class)
                if copies.us(facts) + copied_us < us / LEAST_COPIED_GAIN:
                    us, found = copies.us(facts) + copied_us, copies.before(copied)
        return found

    def copies(self, whole: BatchSlice) -> Iterator[CopiedOperands]:
        """Yield the product with copies of operands that take no more workspace than is allowed."""
        operands = {"A": whole.part.a, "B": whole.part.b.transposed}
        vectors = {name: self._load_path(operand)[1] for name, operand in operands.items()}
        for copies in tried_copies(whole, vectors, in_vectors_along_k=self.in_vectors):
            if copies.size_bytes <= MOST_COPIED_BYTES:
                yield copies

    def _fastest(
        self, whole: BatchSlice, facts: DeviceFacts, tiles: Sequence[FloatTile], asked: object
    ) -> tuple[float, Launches]:
        """Return the modelled time and the launches of the tiles and shares that the model finds the fastest."""
        fixed, is_transposed = fixed_split(whole.part, facts.sm_count), _is_transposed(whole)
        choice = self._chosen(whole, facts, tiles)
        us, pieces = choice.us, [Piece(whole, choice)]
        may_be_cut = asked is None and fixed is None and not is_transposed and not self.pair_sums
        if may_be_cut and facts.sm_count and us > LEAST_CUT_US:
            us, pieces = self._pieces(whole, facts, tiles, choice)
        found = [self.divided(each.part, facts, each.choice.tile, each.choice.shares, fixed) for each in pieces]
        why = "as asked" if asked is not None else "the cost model's fastest" if facts.sm_count else "the smallest"
        if len(pieces) > 1:
            why = f"C is cut into {len(pieces)} parts, of which whole tiles cover the first: {why}"
        return us, Launches(
            tuple(launch for each in found for launch in each.launches),
            max(each.workspace_bytes for each in found),
            (
                f"{found[0].reasons[0]}{pieces[0].extent if len(pieces) > 1 else ''}: {why}.",
                *found[0].reasons[1:],
                *(f"{each.reasons[0]}{piece.extent}." for each, piece in zip(found[1:], pieces[1:], strict=True)),
            ),
        )

    def _pieces(
        self,
        whole: BatchSlice,
        facts: DeviceFacts,
        tiles: Sequence[FloatTile],
        uncut: Choice,
        dimensions: Sequence[str] = ("rows", "columns"),
    ) -> tuple[float, list[Piece]]:
        """Return the modelled time, and parts of C of which whole tiles, or waves of them, cover the first one.

        There is one part where all of C at once, ``uncut``, is as fast by the model.
        """
        least, found, sms = uncut.us, [Piece(whole, uncut)], facts.sm_count or 1
        fastest = sorted(_usual(tiles, whole.part), key=lambda tile: self._chosen(whole, facts, [tile]).us)
        for tile in fastest[:CUT_TILES]:
            for dimension, size in tile.whole_parts(whole.part, sms):
                if dimension not in dimensions:
                    continue
                first, rest = (cut_out(whole, dimension, *span) for span in ((0, size), (size, None)))
                other = [each for each in dimensions if each != dimension]
                first_us, firsts = self._pieces(first, facts, [tile], self._chosen(first, facts, [tile]), other)
                last = Piece(rest, self._chosen(rest, facts, tiles))
                us = first_us + last.choice.us - LAUNCH_US + SECOND_LAUNCH_US
                if us < least / LEAST_GAIN:
                    least, found = us, [*firsts, last]
        return least, found

    def divided(
        self, whole: BatchSlice, facts: DeviceFacts, tile: FloatTile, shares: Shares, per_split: int | None = None
    ) -> Launches:
        """Return the launches of a part of the batch with a tile, of which two stages fit.

        Splits of k are equal ones, or of ``per_split`` each.
        """
        is_transposed = _is_transposed(whole)
        part = whole.transposed if is_transposed else whole
        product, loads = part.part, self._loads(part.part)
        per_split = ceil_divide(per_split or ceil_divide(product.k, shares.splits), tile.block_k) * tile.block_k
        splits = max(1, ceil_divide(product.k, max(per_split, 1)))
        store = store_of(product, tile, shares, facts if splits == 1 else None)
        stages = self._stages(facts, tile, loads, store, shares)
        places = (facts.sm_count or MAX_GRID_X) * tile.blocks_per_sm
        most_blocks = min(places, MAX_GRID_X) if tile.stays else MAX_GRID_X
        staying = ", whose blocks stay" if tile.stays else ""
        reasons = [f"Tile {tile.block_m} x {tile.block_n} in {stages} stages{staying}"]
        reasons += ["C^T = B^T A^T is computed, since C has few columns."] if is_transposed else []
        if splits == 1:
            c = Pointer("C", part.c_offset * product.out_bytes)
            one = replace(shares, splits=1)
            cut = Cut(one, per_split, 0, most_blocks, store)
            launch = self._launch(part, c, tile, stages, loads, cut, is_transposed)
            launches = _apart(launch, shares) if tile.apart and shares.whole else (launch,)
            if shares.blocks:
                reasons.append(f"Stream-K: the last {tile.tiles(product) - shares.whole} tiles are shared by")
                reasons[-1] += f" {shares.blocks} blocks, which add partial sums in a fixed order."
            return Launches(launches, max(shares.blocks - 1, 0) * tile.handed_bytes(product), tuple(reasons))

        def launch_of(sums: BatchSlice, size: int) -> Launch:
            cut = Cut(Shares(splits), per_split, size, most_blocks, store_of(sums.part, tile, Shares(splits)))
            return self._launch(sums, Pointer("workspace"), tile, stages, loads, cut, is_transposed)

        found = in_splits(whole, splits, facts.sm_count or 1, launch_of, is_transposed=is_transposed)
        return replace(found, reasons=(*reasons, *found.reasons))

    def _launch(
        self,
        part: BatchSlice,
        c: Pointer,
        tile: FloatTile,
        stages: int,
        loads: Loads,
        cut: Cut,
        is_transposed: bool,
    ) -> Launch:
        product, (shares, per_split, split_stride, most_blocks, store) = part.part, cut
        a, b = self._copied(product.a), self._copied(product.b.transposed)
        macros = (each for each in epilogue_macros(product) if each[0] not in {"ELEMENT", "OUTPUT"})
        blocks = shares.whole + shares.blocks if shares.blocks else tile.tiles(product) * shares.splits
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
                *self._partial("A", a, loads[0], is_transposed),
                *self._partial("B", b, loads[1], is_transposed),
                ("STORE", store),
                ("STREAM_K", str(int(shares.blocks > 0))),
                *((PAIR_SUMS,) if self.pair_sums else ()),
            ),
            grid=(min(blocks, most_blocks), 1, 1),
            block=(tile.threads, 1, 1),
            arguments={
                **operand_pointers(part, is_transposed=is_transposed),
                "C": c,
                **epilogue_pointers(product, part.c_operand_offset),
                **self._workspace(shares),
                **split_arguments(product, shares.splits, per_split, split_stride),
                **(strides_of_both(product) if self.pair_sums else {}),
                **self._shared_tiles(product, tile, shares),
                **epilogue_scalars(product, bias_along_rows=is_transposed, ctype=C_TYPES[self.dtype]),
                **(map_of_c(product, c, tile) if store == BY_BOXES else {}),
            },
            shared_bytes=stages * self._stage_bytes(tile, loads) + staged_bytes(tile, DTYPE_BYTES[self.dtype], store),
            overlaps_previous=True,
        )

    def _partial(
        self, name: str, operand: Operand, loads: tuple[bool, int], is_transposed: bool
    ) -> tuple[tuple[str, str], ...]:
        """Return the macro of an operand, as `_loads` has it, whose last vector in memory may lie outside in part."""
        k_major, vector = loads
        buffer = {"A": "B", "B": "A"}[name] if is_transposed else name
        along = operand.columns if k_major else operand.rows
        return ((f"{name}_PARTIAL", "1"),) if along % vector and buffer not in self.padded else ()

    def _workspace(self, shares: Shares) -> Arguments:
        return {"workspace": Pointer("workspace") if shares.blocks else Scalar("long long", 0)}

    def _shared_tiles(self, product: Problem, tile: FloatTile, shares: Shares) -> Arguments:
        """Return SharedTiles of device/memory/stream_k.cuh."""
        return {
            "shared.tiles": Scalar("long long", tile.tiles(product) * shares.splits),
            "shared.whole": Scalar("long long", shares.whole),
            "shared.blocks": Scalar("long long", shares.blocks),
            "shared.first": Scalar("long long", 0),
            "shared.steps": Scalar("int", ceil_divide(product.k, tile.block_k)),
        }

    def _load_path(self, operand: Operand) -> tuple[bool, int]:
        """Return an operand's `Loads`; ``operand`` has k along its columns."""
        k_major, element_bytes = operand.major != "column", DTYPE_BYTES[self.dtype]
        vector = operand.vector_bytes(element_bytes) // element_bytes
        return k_major, vector if self.in_vectors or not k_major else 1

    def _stage_bytes(self, tile: FloatTile, loads: Loads) -> int:
        lines = ((tile.block_m, loads[0][0]), (tile.block_n, loads[1][0]))
        of_one = 2 if self.pair_sums else 1
        padded = sum(of_one * count + self.padding[not k_major] for count, k_major in lines)
        return DTYPE_BYTES[self.dtype] * tile.block_k * padded

    def _stages(
        self, facts: DeviceFacts, tile: FloatTile, loads: Loads, store: str | None = None, shares: Shares = ALONE
    ) -> int:
        """Return how many stages fit a block, at most the tile's."""
        allowed = facts.shared_bytes_per_block_optin or facts.shared_bytes_per_block or 48 * 1024
        if tile.stays and facts.shared_bytes_per_sm:
            of_block = facts.shared_bytes_per_sm // tile.blocks_per_sm - (facts.reserved_shared_bytes_per_block or 0)
            allowed = min(allowed, of_block)
        others = staged_bytes(tile, DTYPE_BYTES[self.dtype], store) + declared_bytes(tile, shares, store)
        return min(tile.stages, (allowed - others) // self._stage_bytes(tile, loads))


def _usual(tiles: Sequence[FloatTile], product: Problem) -> Sequence[FloatTile]:
    """Return the tiles among which the model chooses: a block that stays finds its next tile as it loads operands."""
    return [tile for tile in tiles if product.k or not tile.stays] or tiles


def _is_transposed(whole: BatchSlice) -> bool:
    return whole.part.n <= FEW_COLUMNS and whole.part.n < whole.part.m


def _apart(both: Launch, shares: Shares) -> tuple[Launch, Launch]:
    """Return the launch of whole tiles and the one of shared tiles, for one of both."""
    macros = tuple((name, "0" if name == "STREAM_K" else value) for name, value in both.macros)
    whole = Scalar("long long", shares.whole)
    first = replace(both, macros=macros, grid=(shares.whole, 1, 1), arguments={**both.arguments, "shared.tiles": whole})
    return first, replace(both, grid=(shares.blocks, 1, 1), arguments={**both.arguments, "shared.first": whole})
