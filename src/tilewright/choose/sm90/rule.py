"""The tile of a product on Hopper, and its launches: the fastest measured near its shape, else the model's fastest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log
from typing import NamedTuple

from tilewright.choose.sm90.cost import Occupied, by_row_classes, occupied, usable_sms
from tilewright.choose.sm90.k_classes import class_tiles
from tilewright.choose.sm90.thin import thin_tiles
from tilewright.choose.sm90.tiles import MeasuredTile, TileTable, tile_table
from tilewright.choose.sm90.widths import fitting_tiles
from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.invariant import k_per_chunk
from tilewright.kernels.launch import Launches, ceil_divide
from tilewright.kernels.matmul import cuda_cores_float32, mma_sync
from tilewright.kernels.matmul.wgmma import (
    H200_SMS,
    joined,
    nothing_to_multiply,
    part_launches,
    repacking,
    turned_operand,
)
from tilewright.kernels.matmul.wgmma_small import storing_refusal
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

NEAR = log(1.06)
"""A measured shape is near if no side differs by more than 6 %, and if it takes as many waves."""
LEAST_K_BLOCKS_PER_SPLIT = 4
MOST_SPLITS = 264
LEAST_REUSED_STAGES = 4
"""A tile with fewer stages is used only if k fits into them: with reuse, too few loads would be in flight."""
LEAST_SHARED_RESULTS = 128 * 128
"""Of a tile that clusters share: smaller ones make waves enough."""
SELDOM_USED = 1.04
"""A tile that fits few products is compiled for this one: it has to be faster by so much. Of 75 large products timed on
an H200 the choice was then 2.1 % slower than the fastest tile tried; with 1.07, which was before, 3.1 %."""
LEAST_K_OF_FITTING = 128
"""With less, no such tile was the fastest of nine products on an H200; they were 11 % slower than others."""
FEWEST_ROWS, BESIDE_THIN = 16, 1.1
"""Of a product of no more rows or columns, what tiles take that are not thin: the model finds 9 % too little in 22."""
LEAST_COLUMNS_OF_CHUNKS = 64
"""Of tiles with one block each: for narrower ones the model finds 19 % too little where k is long."""
NARROW, SMALL_WAVES, EVEN_OUT = 32, 4, {2, 3, 4, 8}
"""Of tiles with so few columns, whose partial sums are small, up to four waves are evened out by splits."""
FEW_ROWS = 64
"""With no more rows than this, the transposed problem may be faster: its short side fits a narrow tile."""


class TimedTile(NamedTuple):
    """A tile, after its modelled time in us; and how a product fills the chip with it."""

    us: float
    tile: WgmmaTile
    filled: Occupied


Chip = tuple[int, float | None]
"""How many SMs it has, and its memory's bandwidth in GB/s."""


def tuned_launches(problem: Problem, facts: DeviceFacts, tile: tuple[int, int] | None, *, with_small: bool) -> Launches:
    """Return the launches of a product on Hopper, each batch slice with the best tile that fits.

    ``tile``: rows and columns of C that a block computes, or None. ``with_small``: matmul/wgmma_small may be used
    where C is one wave of tiles. Empty products and the like, which matmul/wgmma does not take, go to matmul/mma_sync,
    and those of float32 to matmul/cuda_cores_float32.

    Raises:
        PlanError: the kernel has no such tile, or it does not fit.
    """
    refused = nothing_to_multiply(problem)
    if refused is not None:
        if problem.invariant and problem.k:
            raise PlanError(f"{refused} Another kernel would, with other bits: leave invariant out.")
        if problem.dtype == "float32":
            name, found = "cuda_cores_float32", cuda_cores_float32.launches(problem, facts, None)
        else:
            name, found = "mma_sync", mma_sync.launches(problem, facts, None)
        return replace(found, reasons=(f"{refused} matmul/{name} does it.", *found.reasons))
    return joined([_best(part, facts, tile, with_small) for part in slices(problem)])


def _best(part: BatchSlice, facts: DeviceFacts, asked: tuple[int, int] | None, with_small: bool) -> Launches:
    product, sms, bandwidth = part.part, facts.sm_count or H200_SMS, facts.bandwidth_gb_per_s
    repacked = any(repacking(product))
    refusals: list[str] = []
    for tile, why in ranked_tiles(
        product, sms, repacked=repacked, asked=asked, with_small=with_small, bandwidth=bandwidth
    ):
        try:
            fitted, found = fitted_launches(part, tile, sms)
            return replace(found, reasons=(f"{described(fitted)}: {why}.", *found.reasons))
        except PlanError as refused:
            refusals.append(str(refused))
    raise PlanError(refusals[-1])


def fitted_launches(part: BatchSlice, tile: WgmmaTile, sms: int) -> tuple[WgmmaTile, Launches]:
    """Return a tile, with one stage less if only those fit, and its launches.

    The staging buffer for storing C depends on C's layout, and may leave room for one stage less.

    Raises:
        PlanError: no kernel is compiled for the tile, or it does not fit.
    """
    try:
        return tile, part_launches(part, tile, sms)
    except PlanError:
        fewer = replace(tile, stages=tile.stages - 1)
        return fewer, part_launches(part, fewer, sms)


def ranked_tiles(
    product: Problem,
    sms: int,
    *,
    repacked: bool,
    asked: tuple[int, int] | None = None,
    with_small: bool = True,
    bandwidth: float | None = None,
) -> Iterator[tuple[WgmmaTile, str]]:
    """Yield tiles for a product, the best first, each with its reason as half a sentence.

    ``repacked``: an operand is repacked first. ``asked``: rows and columns of C that a block computes.
    ``with_small``: include the tiles of matmul/wgmma_small. For float32 (tf32) the model alone chooses, of tiles with
    half the k: none was measured.

    Raises:
        PlanError: the kernel has no tile of the size that was asked for.
    """
    table = tile_table()
    if product.dtype == "float32":
        yield from _modelled(table, product, (sms, bandwidth), asked, with_small=False)
        return
    if asked is None:
        for tile, why in _measured(table, product, sms, repacked=repacked):
            if (with_small or not tile.small) and (not product.invariant or _splits_alike(product, tile, sms)):
                yield tile, why
    with_small = with_small and asked is None and not repacked and storing_refusal(product) is None
    yield from _modelled(table, product, (sms, bandwidth), asked, with_small=with_small)


def timed_tiles(product: Problem, facts: DeviceFacts) -> list[tuple[float, WgmmaTile]]:
    """Return the tiles that may be the fastest for a product, each after its modelled time with that of repacking.

    For a product of at most two batch extents.
    """
    table, chip, repacked = tile_table(), _chip(facts), any(repacking(product))
    us_of: dict[WgmmaTile, float] = {}
    if product.dtype != "float32":
        for tile, _ in _measured(table, product, chip[0], repacked=repacked):
            us_of[tile] = table.us(product, tile, _filled(product, tile, chip[0]), chip[1])
            us_of[tile] += table.model.repacking_of(product, tile, chip[1])
    for each in _timed_in_all(table, product, chip, with_small=_takes_small(product)):
        us_of[each.tile] = min(each.us, us_of.get(each.tile, each.us))
    return [(us, tile) for tile, us in us_of.items()]


def modelled_us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time of a product with the tile that is the fastest by the model, without repacking."""
    return sum(
        min(each.us for each in _timed(tile_table(), part.part, _chip(facts), with_small=_takes_small(part.part)))
        for part in slices(problem)
    )


def _chip(facts: DeviceFacts) -> Chip:
    return facts.sm_count or H200_SMS, facts.bandwidth_gb_per_s


def _takes_small(product: Problem) -> bool:
    """Whether matmul/wgmma_small may compute a product: in 16 bits, with nothing repacked, and a C that it stores."""
    is_taken = product.dtype != "float32" and not any(repacking(product))
    return is_taken and storing_refusal(product) is None


def is_measured(problem: Problem, facts: DeviceFacts) -> bool:
    """Return whether tiles were measured for a shape near a problem's, which need not be repacked."""
    sms = facts.sm_count or H200_SMS
    return all(any(_measured(tile_table(), part.part, sms, repacked=False)) for part in slices(problem))


def repacked_us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the same with the time of repacking, or by classes of k."""
    return sum(
        min(
            each.us for each in _timed_in_all(tile_table(), part.part, _chip(facts), with_small=_takes_small(part.part))
        )
        for part in slices(problem)
    )


def _measured(table: TileTable, product: Problem, sms: int, *, repacked: bool) -> Iterator[tuple[WgmmaTile, str]]:
    if product.c.major == "column":
        return  # the table holds row-major results only
    for row in _near(table, product, repacked=repacked):
        (m, k, n), here = row.shape, (product.sizes, product.batch_count)
        there = ((m, n, k), row.batch)
        if here == there or occupied(*here, row.tile, sms).waves == occupied(*there, row.tile, sms).waves:
            sizes = "x".join(map(str, row.shape))
            sizes = sizes if row.batch == 1 else f"{row.batch} x ({sizes})"
            yield row.tile, f"the fastest of those tried for {sizes} on an H200 ({row.us:g} us)"


def _near(table: TileTable, product: Problem, *, repacked: bool) -> list[MeasuredTile]:
    """Return the measured tiles for shapes near a product's, with operands repacked or not, the nearest first."""
    here = product.m, product.k, product.n, product.batch_count
    found = []
    for index, row in enumerate(table.measured):
        if row.repacked != repacked or abs(log(product.m / row.shape[0])) > NEAR:
            continue
        steps = [abs(log(extent / there)) for extent, there in zip(here, (*row.shape, row.batch), strict=True)]
        if max(steps) <= NEAR:
            found.append((sum(steps), index))
    return [table.measured[index] for _, index in sorted(found)]


def _modelled(
    table: TileTable, product: Problem, chip: Chip, asked: tuple[int, int] | None, *, with_small: bool
) -> Iterator[tuple[WgmmaTile, str]]:
    timed = _timed_in_all(table, product, chip, asked, with_small=with_small)
    if not timed:
        sizes = ", ".join(dict.fromkeys(f"({tile.block_m}, {tile.block_n})" for tile in table.candidates))
        raise PlanError(f"matmul/wgmma has the tiles {sizes}, not {asked}.")
    for us, tile, filled in sorted(timed, key=lambda each: each.us):
        tiles, waves = filled.tiles, filled.waves
        in_waves = f"{tiles:,} of them in {waves:,} wave{'s' if waves > 1 else ''} on {chip[0]} SMs"
        if filled.turns:
            in_waves = f"{tiles:,} of them, of which all {chip[0]} SMs share the last"
        least = f"about {us:,.{0 if us >= 100 else 1}f} us by the model, the least of {len(timed)} that it compared"
        yield tile, f"{in_waves}, {least}"


def _timed_in_all(
    table: TileTable, product: Problem, chip: Chip, asked: tuple[int, int] | None = None, *, with_small: bool
) -> list[TimedTile]:
    """Return the same with the time of repacking, and where operands would be repacked, tiles by classes of k."""
    found = _timed(table, product, chip, asked, with_small=with_small)
    if not any(repacking(product)):
        return found
    found = [each._replace(us=each.us + table.model.repacking_of(product, each.tile, chip[1])) for each in found]
    if asked is None:
        found += [TimedTile(*each) for each in class_tiles(product, *chip)]
    return found


def _timed(
    table: TileTable, product: Problem, chip: Chip, asked: tuple[int, int] | None = None, *, with_small: bool
) -> list[TimedTile]:
    """Return the tiles that the models compare: of the size asked if one is, and those of matmul/wgmma_small."""
    sms, bandwidth = chip
    pairs = _candidates(table, product, sms, asked)
    thin: list[tuple[float, WgmmaTile]] = []
    if with_small:
        pairs += _small_variants(table.small, product, sms)
        thin = thin_tiles(product, sms, bandwidth)
    is_thin = thin and product.batch_count == 1 and min(product.m, product.n) <= FEWEST_ROWS
    slower = BESIDE_THIN if is_thin else 1.0
    found = [TimedTile(slower * table.us(product, *pair, bandwidth), *pair) for pair in pairs]
    is_long = product.k >= LEAST_K_OF_FITTING
    if asked is None and product.dtype != "float32" and is_long:
        fitting = [pair for tile in fitting_tiles(product, sms) for pair in _divided(tile, product, sms)]
        seldom = SELDOM_USED * slower
        found += [TimedTile(seldom * table.us(product, *pair, bandwidth), *pair) for pair in fitting]
    return found + [TimedTile(us, tile, _filled(product, tile, sms)) for us, tile in thin]


def _filled(product: Problem, tile: WgmmaTile, sms: int) -> Occupied:
    return occupied(product.sizes, product.batch_count, tile, sms, row_classes=by_row_classes(product, tile))


def _candidates(
    table: TileTable, product: Problem, sms: int, asked: tuple[int, int] | None
) -> list[tuple[WgmmaTile, Occupied]]:
    """Return the tiles that the model compares, of the size asked if one is."""
    size = product.element_bytes
    tiles = [tile.of_elements(size) for tile in table.candidates if asked in {None, (tile.block_m, tile.block_n)}]
    turned = turned_operand(product) if product.dtype == "float32" else None
    if turned is not None:
        tiles = [tile for tile in tiles if tile.holds_a]
    return [pair for tile in tiles for pair in _variants(tile, product, sms, turned)]


def _variants(tile: WgmmaTile, product: Problem, sms: int, turned: str | None) -> Iterator[tuple[WgmmaTile, Occupied]]:
    """Yield the tile for the problem and, where it may pay, the transposed problem, with all ways to divide k.

    turned: the operand that is read from registers, which says which of the two problems it is.
    """
    orientations = {product.c.major == "column"} | ({True} if product.m <= FEW_ROWS < product.n else set())
    if turned is not None:
        orientations = {turned == "B"}
    elif product.dtype != "float32":
        orientations = {False, True}
    for transposed_problem in sorted(orientations):
        variant = tile.of_transposed_problem if transposed_problem else tile
        yield from _divided(variant, product, sms)


def _divided_alike(tile: WgmmaTile, product: Problem, sms: int) -> Iterator[tuple[WgmmaTile, Occupied]]:
    """Yield a tile with k divided at the same places for any number of rows: into splits, or chunks of a block."""
    fixed = k_per_chunk(product, sms)
    found = [tile]
    if fixed:
        found = [replace(tile, splits=ceil_divide(product.k, fixed), k_per_split=fixed)]
        if product.dtype != "float32":
            found.append(replace(tile, chunked=True, k_per_split=fixed))
    for each in found:
        if not (each.chunked and each.refusal):
            yield each, _filled(product, each, sms)


def _divided(tile: WgmmaTile, product: Problem, sms: int) -> Iterator[tuple[WgmmaTile, Occupied]]:
    """Yield a tile as it is, and where the SMs would idle, with split-K and with clusters that share tiles.

    Where a row's bits must not depend on the others, those in which k is divided alike.
    """
    if product.invariant:
        yield from _divided_alike(tile, product, sms)
        return
    whole = _filled(product, tile, sms)
    yield tile, whole
    places = sms * tile.blocks_per_sm
    tried = {places // whole.tiles, 2 * places // whole.tiles} if whole.tiles else set()
    if tile.block_n <= NARROW and places < whole.tiles < SMALL_WAVES * places:
        tried |= EVEN_OUT
    for splits in tried:
        allowed = min(splits, whole.k_blocks // LEAST_K_BLOCKS_PER_SPLIT, MOST_SPLITS)
        if allowed > 1:
            split = replace(tile, splits=allowed)
            yield split, _filled(product, split, sms)
    if whole.tiles > places and tile.block_m * tile.block_n >= LEAST_SHARED_RESULTS:
        shared = _filled(product, tile.of_shared_tiles, sms)
        if shared.turns:
            yield tile.of_shared_tiles, shared


def _splits_alike(product: Problem, tile: WgmmaTile, sms: int) -> bool:
    """Whether a measured tile leaves k whole where a product whose bits must not depend on its rows does."""
    return tile.splits == 1 and not tile.stream_k and k_per_chunk(product, sms) == 0


def _small_variants(tiles: Sequence[WgmmaTile], product: Problem, sms: int) -> Iterator[tuple[WgmmaTile, Occupied]]:
    """Yield the tiles with which the product is one wave; first those whose B operand is contiguous along k."""
    better, fixed = product.b.major != "column", k_per_chunk(product, sms) if product.invariant else 0
    for whole in tiles:
        tile = replace(whole, chunked=True, k_per_split=fixed) if fixed else whole
        if fixed and (tile.refusal is not None or tile.block_n < LEAST_COLUMNS_OF_CHUNKS):
            continue
        if tile.stages < LEAST_REUSED_STAGES and tile.stages * tile.block_k < product.k:
            continue
        usable = usable_sms(tile.cluster, sms)
        for transposed_problem in (better, not better):
            variant = tile.of_transposed_problem if transposed_problem else tile
            found = _filled(product, variant, sms)
            if found.tiles <= usable:
                yield variant, found


def described(tile: WgmmaTile) -> str:
    """Return a tile in words, as in ``Tile 128 x 256 x 64 in 4 stages, clusters of 2 x 1``."""
    words = f"Tile {tile.block_m} x {tile.block_n} x {tile.block_k} in {tile.stages} stage{'s'[: tile.stages > 1]}"
    if tile.cluster > 1:
        words += f", clusters of {tile.cluster_m} x {tile.cluster_n}"
    if tile.splits > 1:
        words += f", split-K into {tile.splits}"
    if tile.chunked:
        words += f", chunks of {tile.k_per_split:,} of k"
    if tile.small:
        words += ", persistent blocks" if tile.persistent else ", one block per tile"
    if tile.k_classes:
        words += ", each for an eighth of k"
    return f"{words}, of the transposed problem" if tile.transposed_problem else words
