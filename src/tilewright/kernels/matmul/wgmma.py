"""Planning of wgmma.cu: from a problem and a tile to launches of repack, wgmma (or wgmma_small) and splitk_reduce.

float32 is multiplied as tf32: the copy engine rounds each number to 11 significant bits, to the nearest. The tensor
cores read B along k alone, and A from registers where it lies otherwise: where B does, the transposed problem is
computed. So of two operands that lie across k one is transposed by repack_float32.

The rule that picks the tile is in choose/sm90. This module derives macros, grid, shared memory and tensor maps from it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import (
    NO_ADDRESS,
    bias_macros,
    epilogue_macros,
    epilogue_pointers,
    epilogue_scalars,
    int_arguments,
    stride_arguments,
)
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import (
    Arguments,
    Launch,
    Launches,
    Pointer,
    Prepared,
    Scalar,
    TensorMap,
    ceil_divide,
)
from tilewright.kernels.matmul import k_classes, wgmma_small
from tilewright.kernels.matmul.chunks import about_chunks, chunk_macros, waiting_bytes
from tilewright.kernels.matmul.repack import repack_launch
from tilewright.kernels.matmul.repack_float32 import repack_float32_launch
from tilewright.kernels.matmul.repack_turned import turned_launch
from tilewright.kernels.matmul.row_classes import CLASSES, class_maps, class_tiles, maps_of_lines, takes_row_classes
from tilewright.kernels.matmul.shared_tiles import WORKSPACE_ALIGNMENT, handed_bytes, shared_tiles
from tilewright.kernels.matmul.shared_tiles import refusal as sharing_refusal
from tilewright.kernels.matmul.splitk_reduce import reduce_launch
from tilewright.kernels.matmul.wgmma_operands import Side, about_c_operand, staged_c_operand, tile_map
from tilewright.kernels.matmul.wgmma_output import FLOAT32_BYTES, Output, maps_of_c, partial_sums
from tilewright.kernels.matmul.wgmma_tile import (
    BOXES,
    BY_COLUMNS,
    BY_COPY_ENGINE,
    BY_ELEMENTS,
    BY_ROWS,
    SHARED_BYTES_PER_BLOCK,
    WgmmaTile,
)
from tilewright.kernels.operand import C_TYPES, DTYPE_BYTES
from tilewright.kernels.problem import Epilogue, Problem
from tilewright.kernels.refusals import PlanError

H200_SMS = 132
ROW_CLASS_BYTES = 2
"""Row classes are those of 16-bit elements."""
MOST_BESIDE_COPIES = 2048
"""Rows of C, for a B of tf32 whose rows begin anywhere; columns for such an A.

Threads that copy it make the product a quarter slower on an H100: 2 operations of each element of B for each row of C,
at 400 TFLOP/s. Repacking moves 8 bytes of each at 2.6 TB/s.
"""
NO_STRIDES_OF_A = stride_arguments("product.a", None)
MOST_TILES = 2**31 - 2**20
"""Tiles are counted in 32 bits, with room to add the clusters of a grid."""


class Grid(NamedTuple):
    """How many clusters a launch has, how many tiles (of a cluster) they share, and whether others take turns."""

    clusters: int
    shared_tiles: int
    takes_turns: bool


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return None: if `nothing_to_multiply` has a reason, another kernel computes the product."""
    return None


def nothing_to_multiply(problem: Problem) -> str | None:
    """Return why no launch of this kernel can compute a problem (which is not empty), as a sentence, or None."""
    if problem.k == 0:
        return "The inner size is 0, so there is nothing for matmul/wgmma to multiply: C is the epilogue of zeros."
    if problem.batch_count >= MOST_TILES // 64:
        return f"matmul/wgmma counts its tiles in 32 bits, and {problem.batch_count:,} products have more."
    return None


def launches(problem: Problem, facts: DeviceFacts, tile: WgmmaTile) -> Launches:
    """Return the launches of all parts of the batch with one tile.

    Raises:
        PlanError: no kernel is compiled for the tile, or its stages and the staging buffer of C do not fit.
    """
    return joined([part_launches(part, tile, facts.sm_count or H200_SMS) for part in slices(problem)])


def joined(parts: list[Launches]) -> Launches:
    """Return the launches of several parts as one sequence, which reuses the same workspace.

    So what is made of an operand is overwritten, and nothing can be kept, unless there is one part.
    """
    return Launches(
        tuple(launch for part in parts for launch in part.launches),
        max(part.workspace_bytes for part in parts),
        parts[0].reasons,
        parts[0].prepared if len(parts) == 1 else (),
    )


def part_launches(whole: BatchSlice, tile: WgmmaTile, sm_count: int = H200_SMS) -> Launches:
    """Return the launches of a product with at most two batch extents, none of them 0, and k of 1 or more.

    A tile for 16-bit types has half the k for float32.

    Raises:
        PlanError: no kernel is compiled for the tile, its stages and the staging buffer of C do not fit, or there are
            too many of it.
    """
    size = whole.part.element_bytes
    if size == FLOAT32_BYTES:
        tile = _of_float32(tile, whole.part)
    if tile.refusal is not None:
        raise PlanError(tile.refusal)
    part = whole.transposed if tile.transposed_problem else whole
    product = part.part
    of_a, of_b = ("B", "A") if tile.transposed_problem else ("A", "B")
    a = Side(of_a, product.a, part.a_offset * size, size)
    b = Side(of_b, product.b.transposed, part.b_offset * size, size)

    if tile.small:
        launch = wgmma_small.small_launch(part, tile, (a, b), sm_count)
        about = *wgmma_small.about(launch), *about_c_operand(part, launch), *about_chunks(tile, product.k)
        return Launches((launch,), 0, about)
    if tile.k_classes:
        return _by_k_classes(whole, tile, (a, b), sm_count)
    return _by_all_of_k(whole, part, tile, (a, b), sm_count)


def _by_all_of_k(
    whole: BatchSlice, part: BatchSlice, tile: WgmmaTile, sides: tuple[Side, Side], sm_count: int
) -> Launches:
    """Return the launches of a product of which what cannot be loaded as it lies is repacked first.

    ``part``: the problem as the kernel computes it, which is transposed for a tile of the transposed problem.
    """
    product, size = part.part, part.part.element_bytes
    a, b = sides
    reasons = dict(zip("AB", repacking(whole.part), strict=True))
    repacked = {side: why for side in sides if (why := reasons[side.buffer])}
    classes = a in repacked and size == ROW_CLASS_BYTES and takes_row_classes(a, b, product, tile)
    if classes:
        del repacked[a]
    workspace = 0
    found: list[Launch] = []
    prepared: list[Prepared] = []
    if repacked:
        first = list(repacked)
        copies, launch, workspace = (
            repack_float32_launch(first) if size == FLOAT32_BYTES else repack_launch(first, product.dtype)
        )
        found.append(launch)
        starts = [copy.offset_bytes for copy in copies.values()]
        prepared = [Prepared(*each) for each in zip(copies, starts, [*starts[1:], workspace], strict=True)]
        a, b = copies.get(a.buffer, a), copies.get(b.buffer, b)

    cut = tile.parts_of_k(product.k)
    splits = cut[-1]
    if splits == 1:
        part_of_c = Output("C", product.c, product.out_dtype, part.c_offset * product.out_bytes, tile)
    else:
        part_of_c = partial_sums(part, tile, splits, workspace)
    if classes and part_of_c.store in BOXES:
        part_of_c.store = BY_ROWS if part_of_c.store == BY_COPY_ENGINE else BY_ELEMENTS
    grid = _grid(product, tile, cut, sm_count, classes)
    handed_at = ceil_divide(workspace, WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT
    sums_bytes = handed_bytes(tile, grid.clusters) if grid.shared_tiles else waiting_bytes(tile, grid.clusters)
    sums_at = Pointer("workspace", handed_at) if sums_bytes else NO_ADDRESS
    found.append(_wgmma_launch(part, tile, (a, b), part_of_c, cut, grid, sums_at, classes))
    if sums_bytes:
        workspace = handed_at + sums_bytes
    if splits > 1:
        found.append(reduce_launch(whole, splits, workspace, sm_count))
        workspace += 4 * product.batch_count * part_of_c.operand.batch_strides[0]
    across = a.buffer if size == FLOAT32_BYTES and not a.k_major else None
    sentences = _reasons(repacked, splits, part_of_c.store, across)
    sentences += [*about_c_operand(part, found[-1]), *about_chunks(tile, product.k)]
    if grid.shared_tiles:
        sentences.append(f"Stream-K: all blocks share the last {grid.shared_tiles * tile.cluster:,} tiles.")
    if classes:
        sentences.insert(0, f"{a.buffer}'s rows are unaligned: tiles take every eighth row, and nothing is repacked.")
    return Launches(tuple(found), workspace, tuple(sentences), tuple(prepared))


def _by_k_classes(whole: BatchSlice, tile: WgmmaTile, sides: tuple[Side, Side], sm_count: int) -> Launches:
    """Return the launches of a product whose splits take every eighth k, with ``tile.splits`` parts of each class.

    ``sides``: A and B; one that lies along k is turned first.
    """
    product, turned_bytes, found = whole.part, 0, list[Launch]()
    if (refused := k_classes.refusal(product)) is not None:
        raise PlanError(refused)
    about = ["Rows of A and B are unaligned: splits take every eighth k."]
    by_name = {side.buffer: side for side in sides}
    turned = k_classes.turned(product)
    if turned is not None:
        by_name[turned], launch, turned_bytes = turned_launch(by_name[turned], product.dtype, 0)
        found.append(launch)
        about.append(f"{turned} lies along k, and is repacked to rows of k first.")
    of_class, shifts = k_classes.class_of(by_name["A"], by_name["B"], product.dtype, product.out_dtype)
    part = BatchSlice(of_class).transposed if tile.transposed_problem else BatchSlice(of_class)
    a, b = (by_name[name] for name in ("BA" if tile.transposed_problem else "AB"))
    k_blocks, per_split, parts = tile.split_k(of_class.k)
    sums = partial_sums(part, tile, splits := parts * CLASSES, turned_bytes)
    cut = k_blocks, per_split, splits
    grid = _grid(part.part, tile, cut, sm_count, classes=False)
    launch = _wgmma_launch(part, tile, (a, b), sums, cut, grid, NO_ADDRESS, classes=False)
    arguments = {name: each for name, each in launch.arguments.items() if name not in {"maps.a[0]", "maps.b[0]"}}
    maps: Arguments = {}
    for name, side, sharing in (("a", a, tile.cluster_n), ("b", b, tile.cluster_m)):
        size, lines = (side.mn, side.k), tile.block_k // sharing
        of_side = maps_of_lines(side, product.dtype, side.operand.column_stride, size, lines, batched=True)
        maps |= {f"maps.{name}[{i}]": each for i, each in enumerate(of_side)}
    found.append(replace(launch, macros=(*launch.macros, ("K_CLASSES", "1")), arguments={**maps, **arguments}))
    found.append(reduce_launch(whole, splits, turned_bytes, sm_count, shifts))
    about.append(f"Split-K: each of {CLASSES} classes of k is split into {parts} parts, added in a fixed order.")
    return Launches(tuple(found), turned_bytes + 4 * sums.operand.batch_strides[0], tuple(about))


def _of_float32(tile: WgmmaTile, product: Problem) -> WgmmaTile:
    """Return a tile for float32, and for the transposed problem where B is read from registers."""
    tile, turned = tile.of_elements(FLOAT32_BYTES), turned_operand(product)
    return tile if turned is None else replace(tile, transposed_problem=turned == "B")


def repacking(product: Problem) -> tuple[str | None, str | None]:
    """Return why A, and B, cannot be loaded as they lie, as half sentences, or None."""
    of_a, of_b = product.copy_engine_refusals
    if product.dtype != "float32":
        return of_a, of_b
    across_a, across_b = _lies_across_k(product)
    if across_a and across_b:
        why = "both lie across k, of which the tensor cores read one from registers in tf32, and it is the smaller"
        return (why, None) if product.a.distinct_elements <= product.b.distinct_elements else (None, why)
    few_rows, few_columns = product.m < MOST_BESIDE_COPIES, product.n < MOST_BESIDE_COPIES
    return None if across_a and few_columns else of_a, None if across_b and few_rows else of_b


def turned_operand(product: Problem) -> str | None:
    """Return the operand of float32, "A" or "B", that is read from registers since it lies across k, or None."""
    for name, why, lies_across in zip("AB", repacking(product), _lies_across_k(product), strict=True):
        if lies_across and why is None:
            return name
    return None


def _lies_across_k(product: Problem) -> tuple[bool, bool]:
    """Whether A, and B, have neighbours that are no neighbours along k."""
    return product.a.major == "column", product.b.transposed.major == "column"


def _grid(product: Problem, tile: WgmmaTile, cut: tuple[int, int, int], sm_count: int, classes: bool) -> Grid:
    """Return the grid for a product as the kernel computes it.

    Raises:
        PlanError: there are too many tiles, or they cannot be shared.
    """
    k_blocks, _, splits = cut
    down, across = tile.clusters_over(product.m, product.n)
    tile_count = (class_tiles(product.m, tile) if classes else down) * across * splits * product.batch_count
    if tile_count * tile.cluster > MOST_TILES:
        raise PlanError(f"matmul/wgmma counts its tiles in 32 bits, and with this one there are {tile_count:,}.")
    places = max(1, sm_count * tile.blocks_per_sm // tile.cluster)
    if not tile.stream_k:
        return Grid(min(tile_count, places), 0, takes_turns=tile_count > places)
    shared = shared_tiles(tile_count, places, k_blocks)
    if (refused := sharing_refusal(tile, shared, k_blocks)) is not None:
        raise PlanError(refused)
    return Grid(shared.clusters, shared.tiles, takes_turns=not shared.tiles and tile_count > places)


def _wgmma_launch(
    part: BatchSlice,
    tile: WgmmaTile,
    sides: tuple[Side, Side],
    out: Output,
    cut: tuple[int, int, int],
    grid: Grid,
    sums_at: Pointer | Scalar,
    classes: bool,
) -> Launch:
    product = part.part
    k_blocks, per_split, splits = cut
    a, b = sides
    batched = product.batch_count > 1 or splits > 1
    epilogue = epilogue_macros(product) if splits == 1 else (("ELEMENT", C_TYPES[product.dtype]), ("OUTPUT", "float"))
    in_registers = a.element_bytes == FLOAT32_BYTES and not a.k_major
    by_rows = in_registers and a.operand.copy_engine_refusal(FLOAT32_BYTES) is not None
    every_row = splits == 1 and not classes and not by_rows
    of_c_operand, c_operand_map = staged_c_operand(part, tile, batched) if every_row else ((), {})
    macros = (
        *epilogue,
        *of_c_operand,
        *(bias_macros(product, along_rows=tile.transposed_problem) if splits == 1 else ()),
        *tile.macros,
        ("A_K_MAJOR", str(int(a.k_major))),
        ("B_K_MAJOR", str(int(b.k_major))),
        ("BATCHED", str(int(batched))),
        ("STORE", str(out.store)),
        ("STORE_LATER", str(int(out.store == BY_ROWS and grid.takes_turns and not tile.chunked))),
        *((("STREAM_K", "1"),) if grid.shared_tiles else ()),
        *chunk_macros(tile),
        ("A_ROW_CLASSES", str(int(classes))),
        ("A_IN_REGISTERS", str(int(in_registers))),
        ("A_BY_ROWS", str(int(by_rows))),
    )
    shared_bytes = tile.shared_bytes(out.store, DTYPE_BYTES[out.dtype], b_k_major=b.k_major, a_by_rows=by_rows)
    if shared_bytes > SHARED_BYTES_PER_BLOCK:
        raise PlanError(
            f"{tile.stages} stages and the staging buffer of C take {shared_bytes:,} bytes of shared memory, "
            f"and a block has {SHARED_BYTES_PER_BLOCK:,}: use fewer stages."
        )
    maps_of_a: tuple[TensorMap, ...] = ()
    if not by_rows:
        maps_of_a = (tile_map(a, product.dtype, tile, tile.block_m, tile.cluster_n, batched),)
    a_shift, rows = 0, [0, 0]
    if classes:
        row = a.operand.row_stride
        maps_of_a = class_maps(a, product.dtype, tile.block_m)
        a_shift, rows = row % CLASSES, [stride // row for _, stride in a.operand.batch_steps]
    # Partial sums are stored without an epilogue, which splitk_reduce.cu applies.
    finished = product if splits == 1 else replace(product, epilogue=Epilogue(), c_operand=None)
    arguments: Arguments = {
        **{f"maps.a[{number}]": each for number, each in enumerate(maps_of_a)},
        "maps.b[0]": tile_map(b, product.dtype, tile, tile.block_n, tile.cluster_m, batched),
        **maps_of_c(out, batched),
        **c_operand_map,
        "A": Pointer(a.buffer, a.offset_bytes) if by_rows else NO_ADDRESS,
        "C": NO_ADDRESS if out.store in BOXES else Pointer(out.buffer, out.offset_bytes),
        **epilogue_pointers(finished, part.c_operand_offset),
        **int_arguments(
            "product",
            m=product.m,
            n=product.n,
            k=product.k,
            k_blocks=k_blocks,
            k_blocks_per_split=per_split,
            splits=splits,
            shared_tiles=grid.shared_tiles,
            tile_group=tile.tile_group,
            batches_1=product.c.batch_steps[0][0],
            batches=product.batch_count,
            a_moves_1=a.moves[0],
            a_moves_2=a.moves[1],
            b_moves_1=b.moves[0],
            b_moves_2=b.moves[1],
            a_shift=a_shift,
            a_rows_1=rows[0],
            a_rows_2=rows[1],
        ),
        **(stride_arguments("product.a", a.operand) if by_rows else NO_STRIDES_OF_A),
        **stride_arguments("product.c", out.operand),
        **epilogue_scalars(finished, bias_along_rows=tile.transposed_problem),
        "workspace": sums_at,
    }
    return Launch(
        kernel="matmul/wgmma",
        macros=macros,
        grid=(grid.clusters * tile.cluster, 1, 1),
        block=(tile.threads, 1, 1),
        arguments=arguments,
        cluster=(tile.cluster, 1, 1),
        shared_bytes=shared_bytes,
        overlaps_previous=True,
    )


def _reasons(repacked: dict[Side, str], splits: int, store: int, across: str | None) -> list[str]:
    """Return sentences on what happens to operands and C. ``across``: the operand that is read from registers."""
    sentences = []
    for side, why in repacked.items():
        rows = "rows along k" if side.element_bytes == FLOAT32_BYTES else "aligned rows"
        sentences.append(f"{side.buffer} is repacked to {rows} first: {why}.")
    if across is not None:
        sentences.append(f"{across} lies across k: threads read it from shared memory for the tensor cores.")
    if splits > 1:
        sentences.append(f"Split-K: k is split into {splits} parts, whose partial sums are added in a fixed order.")
    if store == BY_ROWS:
        sentences.append("C's rows are stored by threads in 16-byte vectors: the copy engine cannot address just them.")
    elif store == BY_COLUMNS:
        sentences.append("C's rows are stored by threads side by side: the copy engine cannot address just them.")
    elif store == BY_ELEMENTS:
        sentences.append("C is stored element by element.")
    return sentences
