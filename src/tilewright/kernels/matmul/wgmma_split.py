"""Planning of wgmma_split.cu: float32 products by 16-bit parts on Hopper's tensor cores."""

from __future__ import annotations

from dataclasses import replace

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
from tilewright.kernels.launch import Arguments, Launch, Launches, Pointer, Prepared, ceil_divide
from tilewright.kernels.matmul import cuda_cores_float32
from tilewright.kernels.matmul.recompute_float32 import recompute_launch
from tilewright.kernels.matmul.split_float32 import PARTS, WORKSPACE_MULTIPLE, SplitSide, split_launches
from tilewright.kernels.matmul.splitk_reduce import reduce_launch
from tilewright.kernels.matmul.wgmma import H200_SMS, MOST_TILES, joined
from tilewright.kernels.matmul.wgmma_operands import Side
from tilewright.kernels.matmul.wgmma_output import Output, maps_of_c, partial_sums
from tilewright.kernels.matmul.wgmma_split_tile import TILES, best_tile, group_blocks
from tilewright.kernels.matmul.wgmma_tile import BY_COPY_ENGINE, SHARED_BYTES_PER_BLOCK, WgmmaTile
from tilewright.kernels.operand import C_TYPES, DTYPE_BYTES
from tilewright.kernels.problem import Epilogue, Problem
from tilewright.kernels.refusals import PlanError

MOST_BATCHES = 65_536
STRIP_ROWS = 16
"""The rows of C whose sums a word of suspects is about: those of a warp."""
MOST_WORKSPACE_BYTES = 16 * 2**30
"""Of parts and sums: those of two matrices of 32,768 x 32,768 fit."""


CLEARLY = 0.8
"""Numbers are split unasked only where the models give it no more than this share of the CUDA cores' time."""
MOST_AUTO_BYTES = 4 * 2**30


def computed(problem: Problem) -> str:
    """Return the precision that the kernel computes a problem with: the more accurate one, if any will do."""
    return "fp16x3" if problem.precision == "fp16x3" else "bf16x6"


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel cannot compute a problem with a tile, as a sentence, or None."""
    names = [(each.block_m, each.block_n) for each, _ in TILES[computed(problem)]]
    if tile is None or tile in names or (tile, tile) in names:
        return None
    return f"matmul/wgmma_split has the tiles {', '.join(map(str, names))} for this precision, not {tile}."


def advantage(problem: Problem, facts: DeviceFacts) -> str | None:
    """Return why the kernel is faster than any on the CUDA cores, as half a sentence, or None if it may not be.

    For a product of float32 whose precision may be "bf16x6", on a chip that has the kernel.
    """
    if problem.k == 0 or problem.is_empty or problem.batch_count >= MOST_BATCHES:
        return None
    try:
        parts, bytes_taken = slices(problem), launches(problem, facts, None).workspace_bytes
    except PlanError:
        return None
    sms = facts.sm_count or H200_SMS
    us = sum(best_tile(part.part, "bf16x6", sms)[0] for part in parts)
    ieee_us = cuda_cores_float32.KERNEL.us(problem, replace(facts, sm_count=sms))
    if us > CLEARLY * ieee_us or bytes_taken > MOST_AUTO_BYTES:
        return None
    return (
        f"precision 'bf16x6', as accurate as SGEMM, takes about {us:,.0f} us by the model, "
        f"and the CUDA cores take {ieee_us:,.0f} us"
    )


def launches(problem: Problem, facts: DeviceFacts, tile: int | tuple[int, int] | None) -> Launches:
    """Return the launches of all parts of the batch, each with the tile that the model finds the fastest.

    Raises:
        PlanError: the parts take too large a workspace, or there are too many tiles.
    """
    if problem.k == 0:
        plain = cuda_cores_float32.launches(problem, facts, None)
        why = "The inner size is 0, so there are no numbers to split: C is the epilogue of zeros."
        return replace(plain, reasons=(f"{why} matmul/cuda_cores_float32 does it.", *plain.reasons))
    asked = (tile, tile) if isinstance(tile, int) else tile
    precision, sms = computed(problem), facts.sm_count or H200_SMS
    whole = joined([_best(part, precision, sms, asked) for part in slices(problem)])
    if whole.workspace_bytes > MOST_WORKSPACE_BYTES:
        raise PlanError(
            f"Parts of these matrices take {whole.workspace_bytes:,} bytes of workspace, and at most "
            f"{MOST_WORKSPACE_BYTES:,} are taken: multiply in smaller pieces, or with precision 'ieee'."
        )
    return whole


def _best(part: BatchSlice, precision: str, sms: int, asked: tuple[int, int] | None) -> Launches:
    """Return the launches of a part with the tile that the model finds the fastest, of the size asked if one is."""
    us, tile = best_tile(part.part, precision, sms, asked)
    found = part_launches(part, replace(tile, transposed_problem=part.part.c.major == "column"), precision, sms)
    return replace(found, reasons=(f"{described(tile)}: about {us:,.0f} us by the model.", *found.reasons))


def described(tile: WgmmaTile) -> str:
    """Return a tile in words."""
    return f"Tile {tile.block_m} x {tile.block_n} x {tile.block_k} in {tile.stages} stages of a plane"


def part_launches(whole: BatchSlice, tile: WgmmaTile, precision: str, sm_count: int = H200_SMS) -> Launches:
    """Return the launches of a product with at most two batch extents, none of them 0, and k of 1 or more.

    Raises:
        PlanError: no kernel is compiled for the tile, its stages and the staging buffer of C do not fit, or there are
            too many of it.
    """
    if tile.refusal is not None:
        raise PlanError(tile.refusal)
    part = whole.transposed if tile.transposed_problem else whole
    product = part.part
    of_a, of_b = ("B", "A") if tile.transposed_problem else ("A", "B")
    sides = (
        Side(of_a, product.a, part.a_offset * DTYPE_BYTES["float32"], element_bytes=2),
        Side(of_b, product.b.transposed, part.b_offset * DTYPE_BYTES["float32"], element_bytes=2),
    )
    split, launches, workspace = split_launches(sides, precision, 0)
    cut = tile.split_k(product.k)
    splits = cut[-1]
    if splits == 1:
        out = Output("C", product.c, product.out_dtype, part.c_offset * product.out_bytes, tile)
    else:
        out = partial_sums(part, tile, splits, workspace)
    partial_offset = workspace
    if splits > 1:
        workspace += 4 * product.batch_count * out.operand.batch_strides[0]
    down, across = tile.clusters_over(product.m, product.n)
    extents = (across * tile.cluster_n, down * tile.cluster_m * tile.block_m // STRIP_ROWS)
    suspects = workspace
    workspace += _whole(4 * product.batch_count * splits * extents[0] * extents[1])
    launch, workspace = _split_wgmma_launch(part, tile, (split[0], split[1]), out, cut, sm_count, (suspects, workspace))
    launches.append(launch)
    if splits > 1:
        launches.append(reduce_launch(whole, splits, partial_offset, sm_count))
    launches.append(
        recompute_launch(
            part, suspects, (tile.block_n, *extents, splits), sm_count, is_transposed=tile.transposed_problem
        )
    )
    dtype, planes = PARTS[precision]
    products = {3: "six", 2: "three"}[planes]
    why = f"each number is split into {planes} {dtype} parts, and {products} products of parts are added"
    reasons = [f"Precision {precision!r}: {why}, in short sums."]
    if splits > 1:
        reasons.append(f"Split-K: k is split into {splits} parts, whose partial sums are added in a fixed order.")
    prepared = tuple(Prepared(each.side.buffer, each.offset_bytes, each.end_offset) for each in split)
    return Launches(tuple(launches), workspace, tuple(reasons), prepared)


def _split_wgmma_launch(
    part: BatchSlice,
    tile: WgmmaTile,
    split: tuple[SplitSide, SplitSide],
    out: Output,
    cut: tuple[int, int, int],
    sm_count: int,
    places: tuple[int, int],
) -> tuple[Launch, int]:
    """Return the launch, and where the workspace ends. ``places`` of the suspects and of what follows them."""
    product = part.part
    k_blocks, per_split, splits = cut
    a, b = split
    batched = product.batch_count > 1 or splits > 1
    down, across = tile.clusters_over(product.m, product.n)
    tile_count = down * across * splits * product.batch_count
    if tile_count * tile.cluster > MOST_TILES:
        raise PlanError(f"matmul/wgmma_split counts its tiles in 32 bits, and with this one there are {tile_count:,}.")
    clusters = min(tile_count, max(1, sm_count * tile.blocks_per_sm // tile.cluster))
    shared_bytes = tile.shared_bytes(out.store, DTYPE_BYTES[out.dtype], b_k_major=b.k_major)
    if shared_bytes > SHARED_BYTES_PER_BLOCK:
        raise PlanError(
            f"{tile.stages} stages and the staging buffer of C take {shared_bytes:,} bytes of shared memory, "
            f"and a block has {SHARED_BYTES_PER_BLOCK:,}: use fewer stages."
        )
    finished = product if splits == 1 else replace(product, epilogue=Epilogue(), c_operand=None)
    macros = (
        *(each for each in epilogue_macros(finished) if each[0] not in {"ELEMENT", "OUTPUT"}),
        *bias_macros(finished, along_rows=tile.transposed_problem),
        ("ELEMENT", C_TYPES[a.dtype]),
        ("PLANES", str(a.planes)),
        *tile.macros,
        ("A_K_MAJOR", str(int(a.k_major))),
        ("B_K_MAJOR", str(int(b.k_major))),
        ("BATCHED", str(int(batched))),
        ("STORE", str(out.store)),
    )
    suspects, waiting = places
    workspace, in_group = waiting, group_blocks(per_split, tile.block_k)
    if in_group < per_split:
        workspace += clusters * tile.cluster * 4 * tile.block_m * tile.block_n
    boxes = [
        (64, extent // sharing) if each.k_major else (64, tile.block_k // sharing)
        for each, extent, sharing in ((a, tile.block_m, tile.cluster_n), (b, tile.block_n, tile.cluster_m))
    ]
    arguments: Arguments = {
        "maps.a": a.tensor_map(boxes[0]),
        "maps.b": b.tensor_map(boxes[1]),
        **maps_of_c(out, batched),
        "C": NO_ADDRESS if out.store == BY_COPY_ENGINE else Pointer(out.buffer, out.offset_bytes),
        **epilogue_pointers(finished, part.c_operand_offset),
        "flags_a": Pointer("workspace", a.flags_offset),
        "flags_b": Pointer("workspace", b.flags_offset),
        "exponents_a": NO_ADDRESS if a.exponents_offset is None else Pointer("workspace", a.exponents_offset),
        "exponents_b": NO_ADDRESS if b.exponents_offset is None else Pointer("workspace", b.exponents_offset),
        "suspects": Pointer("workspace", suspects),
        "any_suspect": Pointer("workspace"),
        "waiting": Pointer("workspace", waiting),
        **int_arguments(
            "product",
            m=product.m,
            n=product.n,
            k=product.k,
            k_blocks=k_blocks,
            k_blocks_per_split=per_split,
            splits=splits,
            tile_group=tile.tile_group,
            batches_1=product.c.batch_steps[0][0],
            batches=product.batch_count,
            a_batch_1=a.batch_steps[0],
            a_batch_2=a.batch_steps[1],
            b_batch_1=b.batch_steps[0],
            b_batch_2=b.batch_steps[1],
            group_blocks=in_group,
        ),
        **stride_arguments("product.c", out.operand),
        **epilogue_scalars(finished, bias_along_rows=tile.transposed_problem),
    }
    launch = Launch(
        kernel="matmul/wgmma_split",
        macros=macros,
        grid=(clusters * tile.cluster, 1, 1),
        block=(tile.threads, 1, 1),
        arguments=arguments,
        cluster=(tile.cluster, 1, 1),
        shared_bytes=shared_bytes,
        overlaps_previous=True,
    )
    return launch, workspace


def _whole(size_bytes: int) -> int:
    return ceil_divide(size_bytes, WORKSPACE_MULTIPLE) * WORKSPACE_MULTIPLE
