"""Launches of the Hopper kernels: a multiplication and a tile in, repack, wgmma and sum_splits out.

The rules that pick the tile are elsewhere. Here a tile is turned into macros, grid, shared memory and tensor maps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tilewright.choose.batches import BatchSlice
from tilewright.choose.epilogue import (
    C_TYPES,
    Macros,
    batch_extent_pair,
    batch_stride_pair,
    bias_macros,
    epilogue_arguments,
    epilogue_macros,
)
from tilewright.choose.hopper_maps import matrix_map, tile_map
from tilewright.choose.hopper_output import SUMS_AT_ONCE, Output
from tilewright.choose.hopper_small import small_launch, small_refusal
from tilewright.choose.hopper_tile import (
    BY_COPY_ENGINE,
    BY_ELEMENTS,
    BY_ROWS,
    SHARED_BYTES_PER_BLOCK,
    HopperTile,
    chunk_columns,
)
from tilewright.choose.launches import Argument, PlannedLaunch, Pointer, Scalar, TensorMap
from tilewright.choose.multiplication import DTYPE_BYTES, Multiplication
from tilewright.choose.plan import PlanError
from tilewright.choose.repacked import Side, repack_launch
from tilewright.choose.row_classes import CLASSES, class_maps, class_tiles, takes_row_classes
from tilewright.choose.staged_addend import about_addend, staged_addend
from tilewright.kernels.kernel import ceil_divide

H200_SMS = 132
SUM_THREADS = 256
MOST_SPLIT_LANES = 32


@dataclass(frozen=True)
class HopperLaunches:
    """The launches of one part of a product, and how much workspace they share."""

    launches: tuple[PlannedLaunch, ...]
    workspace_bytes: int
    reasons: tuple[str, ...]


def hopper_launches(whole: BatchSlice, tile: HopperTile, sm_count: int = H200_SMS) -> HopperLaunches:
    """Return the launches of a product with at most two batch extents, none of them 0, and k of 1 or more.

    Raises:
        PlanError: no kernel is compiled for the tile, or its stages do not fit with the way that C is stored.
    """
    refusal = tile.refusal()
    if refusal:
        raise PlanError(refusal)
    part = swapped(whole) if tile.swapped else whole
    product = part.part
    a, b = Side("A", product.a, part.a_offset), Side("B", product.b.transposed, part.b_offset)
    if tile.swapped:
        a, b = replace(a, buffer="B"), replace(b, buffer="A")

    if tile.small:
        refusal = small_refusal(part, tile)
        if refusal:
            raise PlanError(refusal)
        launch = small_launch(part, tile, (a, b))
        return HopperLaunches((launch,), 0, about_addend(part, launch))

    repacked = [side for side in (a, b) if side.operand.copy_engine_refusal(product.element_bytes)]
    classes = a in repacked and takes_row_classes(a, b, product, tile)
    if classes:
        repacked.remove(a)
    workspace = 0
    launches: list[PlannedLaunch] = []
    if repacked:
        copies, launch, workspace = repack_launch(repacked, product.dtype)
        launches.append(launch)
        a, b = copies.get(a.buffer, a), copies.get(b.buffer, b)

    k_blocks = ceil_divide(product.k, tile.block_k)
    per_split = ceil_divide(k_blocks, min(tile.splits, k_blocks))
    splits = ceil_divide(k_blocks, per_split)
    part_of_c = Output(part, tile) if splits == 1 else Output.of_partial_sums(part, tile, splits, workspace)
    if classes and part_of_c.store == BY_COPY_ENGINE:
        part_of_c.store = BY_ROWS
    cut = (k_blocks, per_split, splits)
    launches.append(_wgmma_launch(part, tile, (a, b), part_of_c, cut, sm_count, classes))
    if splits > 1:
        launches.append(_sum_launch(whole, splits, workspace, sm_count))
        workspace += 4 * product.batch_count * splits * part_of_c.floats_of_split
    reasons = _reasons(repacked, product, splits, part_of_c.store)
    reasons += about_addend(part, launches[-1])
    if classes:
        reasons.insert(0, f"{a.buffer}'s rows begin off boundaries: tiles take every eighth, and nothing is copied.")
    return HopperLaunches(tuple(launches), workspace, tuple(reasons))


def swapped(part: BatchSlice) -> BatchSlice:
    """Return the transposed product, C^T = B^T A^T: the same sums with rows and columns exchanged."""
    product = part.part
    turned = replace(
        product,
        a=product.b.transposed,
        b=product.a.transposed,
        c=product.c.transposed,
        addend=None if product.addend is None else product.addend.transposed,
    )
    return replace(part, part=turned, a_offset=part.b_offset, b_offset=part.a_offset)


def _wgmma_launch(
    part: BatchSlice,
    tile: HopperTile,
    sides: tuple[Side, Side],
    out: Output,
    cut: tuple[int, int, int],
    sm_count: int,
    classes: bool,
) -> PlannedLaunch:
    product = part.part
    k_blocks, per_split, splits = cut
    a, b = sides
    batched = product.batch_count > 1 or splits > 1
    tiles_m = class_tiles(product.m, tile) if classes else ceil_divide(product.m, tile.block_m * tile.cluster_m)
    tiles = tiles_m * ceil_divide(product.n, tile.block_n * tile.cluster_n)
    works = tiles * splits * product.batch_count
    clusters = min(works, max(1, sm_count * tile.blocks_per_sm // tile.cluster))
    epilogue = epilogue_macros(product) if splits == 1 else (("ELEMENT", C_TYPES[product.dtype]), ("OUTPUT", "float"))
    of_addend, addend_map = staged_addend(part, tile, batched) if splits == 1 and not classes else ((), ())
    macros = (
        *epilogue,
        *of_addend,
        *(bias_macros(product, along_rows=tile.swapped) if splits == 1 else ()),
        *tile.macros,
        ("A_K_MAJOR", str(int(a.k_major))),
        ("B_K_MAJOR", str(int(b.k_major))),
        ("BATCHED", str(int(batched))),
        ("STORE", str(out.store)),
        ("STORE_LATER", str(int(out.store == BY_ROWS and works > clusters))),
        ("A_ROW_CLASSES", str(int(classes))),
    )
    shared_bytes = tile.shared_bytes(out.store, DTYPE_BYTES[out.dtype], b_k_major=b.k_major)
    if shared_bytes > SHARED_BYTES_PER_BLOCK:
        raise PlanError(
            f"{tile.stages} stages and what C passes through take {shared_bytes:,} bytes of shared memory, "
            f"and a block has {SHARED_BYTES_PER_BLOCK:,}: use fewer stages."
        )
    numbers = [product.m, product.n, k_blocks, per_split, splits, tile.tile_group]
    more: list[int] = []
    if not classes:
        a_maps: tuple[TensorMap, ...] = (tile_map(a, product.dtype, tile, tile.block_m, tile.cluster_n, batched),)
    else:
        row = a.operand.row_stride
        a_maps = class_maps(a, product.dtype, tile.block_m)
        more += [product.k, row % CLASSES, *(stride // row for stride in batch_stride_pair(a.operand.batch_strides))]
    if batched:
        more += [batch_extent_pair(product.batch)[0], product.batch_count, *a.moves, *b.moves]
    return PlannedLaunch(
        kernel="matmul/wgmma",
        source="matmul/wgmma.cu",
        entry="matmul_wgmma",
        macros=macros,
        grid=(clusters * tile.cluster, 1, 1),
        block=(tile.threads, 1, 1),
        arguments=(
            a_maps[0],
            tile_map(b, product.dtype, tile, tile.block_n, tile.cluster_m, batched),
            *_c_arguments(out, tile, batched),
            *(Scalar("int", number) for number in numbers),
            *a_maps[1:],
            *(Scalar("int", number) for number in more),
            *addend_map,
            *(epilogue_arguments(product, part.addend_offset, bias_along_rows=tile.swapped) if splits == 1 else ()),
        ),
        cluster=(tile.cluster, 1, 1),
        shared_bytes=shared_bytes,
        overlaps_previous=True,
    )


def _c_arguments(out: Output, tile: HopperTile, batched: bool) -> tuple[Argument, ...]:
    c = out.operand
    if out.store == BY_COPY_ENGINE:
        columns = chunk_columns(tile.block_n, 128 // DTYPE_BYTES[out.dtype])
        swizzle_bytes = columns * DTYPE_BYTES[out.dtype]
        sizes = (c.columns, c.rows)
        return (matrix_map(out.buffer, out.dtype, out.offset_bytes, c, sizes, (columns, 64), swizzle_bytes, batched),)
    strides = (c.row_stride, c.column_stride, *batch_stride_pair(c.batch_strides))
    return (Pointer(out.buffer, out.offset_bytes), *(Scalar("long long", stride) for stride in strides))


def _sum_launch(whole: BatchSlice, splits: int, offset_bytes: int, sm_count: int) -> PlannedLaunch:
    """The launch of sum_splits.cu, in the orientation of the caller's C; many splits are shared among threads."""
    product = whole.part
    row_floats = ceil_divide(product.n, SUMS_AT_ONCE) * SUMS_AT_ONCE
    groups = product.batch_count * product.m * row_floats // SUMS_AT_ONCE
    lanes = 1
    while lanes < MOST_SPLIT_LANES and 2 * lanes <= splits and groups * lanes < sm_count * 1024:
        lanes *= 2
    strides = (product.c.row_stride, product.c.column_stride, *batch_stride_pair(product.c.batch_strides))
    return PlannedLaunch(
        kernel="matmul/sum_splits",
        source="matmul/sum_splits.cu",
        entry="matmul_sum_splits",
        macros=(*_without_operands(epilogue_macros(product)), ("SPLIT_LANES", str(lanes))),
        grid=(ceil_divide(groups, SUM_THREADS // lanes), 1, 1),
        block=(SUM_THREADS, 1, 1),
        arguments=(
            Pointer("workspace", offset_bytes),
            Scalar("int", splits),
            Scalar("long long", product.m * row_floats),
            Scalar("long long", splits * product.m * row_floats),
            Scalar("int", row_floats),
            *(Scalar("int", size) for size in (product.m, product.n)),
            Scalar("int", batch_extent_pair(product.batch)[0]),
            Scalar("int", product.batch_count),
            Pointer("C", whole.c_offset * product.out_bytes),
            *(Scalar("long long", stride) for stride in strides),
            *epilogue_arguments(product, whole.addend_offset),
        ),
        overlaps_previous=True,
    )


def _without_operands(macros: Macros) -> Macros:
    """Those of a kernel that sees neither A nor B: one program for both of their types."""
    return tuple((name, value) for name, value in macros if name != "ELEMENT")


def _reasons(repacked: list[Side], product: Multiplication, splits: int, store: int) -> list[str]:
    sentences = [
        f"{side.buffer} is copied to aligned rows first: {side.operand.copy_engine_refusal(product.element_bytes)}."
        for side in repacked
    ]
    if splits > 1:
        sentences.append(f"The inner dimension is cut into {splits}, whose partial sums are added in a fixed order.")
    if store == BY_ROWS:
        sentences.append(
            "C's rows are stored by threads in pieces of 16 bytes: the copy engine cannot address just them."
        )
    elif store == BY_ELEMENTS:
        sentences.append("C is stored element by element.")
    return sentences
