"""Choosing for products in 16-bit types: a multiplication and a chip's facts in, launches with reasons out.

By rule and by a table of measured tiles; nothing is timed when a product is asked for, and no device is touched.
"""

from __future__ import annotations

from tilewright.choose.batches import BatchSlice, slices
from tilewright.choose.chips import with_architecture
from tilewright.choose.facts import DeviceFacts
from tilewright.choose.hopper_plan import hopper_parts, hopper_refusal
from tilewright.choose.launches import GpuPlan, PlannedLaunch
from tilewright.choose.multiplication import Multiplication
from tilewright.choose.plan import PlanError
from tilewright.choose.portable import (
    CUDA_CORES_TILE,
    WARP_TILES,
    WarpTile,
    cuda_cores_launch,
    mma_sync_launch,
    tiles_of_c,
)
from tilewright.choose.whole_matrices import (
    whole_matrices_advantage,
    whole_matrices_launch,
    whole_matrices_reasons,
)
from tilewright.kernels.chip_catalogue import LEAST_CAPABILITY, chip_kernels_of, find_chip_kernel
from tilewright.kernels.chip_kernel import Capability, ChipKernel

PREFERENCE = ("wgmma", "mma_sync", "cuda_cores_16bit")
"""The first that takes the chip and the type is the kernel of "auto", unless one of few products is better for it."""

Tile = tuple[int, int]


def plan_multiplication(
    multiplication: Multiplication, facts: DeviceFacts, kernel: str = "auto", tile: Tile | None = None
) -> GpuPlan:
    """Return what a GPU does for a product.

    Args:
        multiplication: operands, output and epilogue as they lie in memory.
        facts: the chip's limits, from its driver or from the table of chips.
        kernel: "auto", or an idea of the chip's half of the catalogue, with or without "matmul/" before it.
        tile: rows and columns of C that a block computes, or None to let the plan choose.

    Raises:
        PlanError: the chip is older than compute capability 7.5, or the kernel or the tile is not for this product on
            this chip; a sentence that says what is accepted.
    """
    facts = with_architecture(facts)
    capability = _capability(facts)
    refusal = multiplication.alignment_refusal()
    if refusal is not None:
        raise PlanError(refusal)
    chosen, why = _choose_kernel(multiplication, capability, facts, kernel)
    if multiplication.batch_count * multiplication.m * multiplication.n == 0:
        return GpuPlan((), 0, ("C is empty: nothing is launched.",))
    parts = slices(multiplication)
    workspace = 0
    if chosen.idea == "wgmma":
        refusal = hopper_refusal(multiplication)
        if refusal is None:
            is_asked_for = kernel.rpartition("/")[2] != "auto"
            launches, workspace, reasons = hopper_parts(parts, facts, tile, with_small=not is_asked_for)
        else:
            launches, reasons = _with_mma_sync(parts, facts, None)
            reasons = (f"{refusal} matmul/mma_sync does it.", *reasons)
    elif chosen.idea == "whole_matrices":
        launches, reasons = _with_whole_matrices(parts, facts, tile)
    elif chosen.idea == "mma_sync":
        launches, reasons = _with_mma_sync(parts, facts, tile)
    else:
        launches, reasons = _with_cuda_cores(parts, chosen, tile)
    return GpuPlan(launches, workspace, (why, *_about_batches(multiplication, parts), *reasons))


def _capability(facts: DeviceFacts) -> Capability:
    capability = facts.compute_capability
    if capability is None or capability < LEAST_CAPABILITY:
        has = "none that is known" if capability is None else f"{capability[0]}.{capability[1]}"
        raise PlanError(
            f"Products in float16 and bfloat16 run on GPUs from compute capability 7.5 on, which is the oldest that "
            f"NVRTC 13 compiles for; {facts.name} has {has}. In float32, matmul/tiled runs on older ones."
        )
    return capability


def _choose_kernel(
    multiplication: Multiplication, capability: Capability, facts: DeviceFacts, asked: str
) -> tuple[ChipKernel, str]:
    prefix, slash, idea = asked.rpartition("/")
    known = chip_kernels_of("matmul")
    if idea != "auto" or (slash and prefix != "matmul"):
        found = find_chip_kernel("matmul", idea) if prefix in {"", "matmul"} else None
        if found is None:
            names = ", ".join(["auto", *(kernel.idea for kernel in known)])
            raise PlanError(f"There is no kernel {asked!r} for products in 16-bit types; there are {names}.")
        refusal = found.chip_refusal(multiplication.dtype, capability)
        if refusal is not None:
            raise PlanError(refusal)
        return found, f"{found.name} was asked for. {found.summary}"
    chip = f"{facts.name} (compute capability {capability[0]}.{capability[1]})"
    advantage = whole_matrices_advantage(multiplication, facts)
    for name in PREFERENCE if advantage is None else ("whole_matrices",):
        kernel = find_chip_kernel("matmul", name)
        if kernel is not None and kernel.chip_refusal(multiplication.dtype, capability) is None:
            chip = f"{chip}: {advantage}" if advantage else chip
            return kernel, f"{kernel.name} is the choice for {multiplication.dtype} on {chip}. {kernel.summary}"
    raise PlanError(f"{facts.name} has no kernel for {multiplication.dtype}.")


def _with_cuda_cores(
    parts: tuple[BatchSlice, ...], chosen: ChipKernel, asked: Tile | None
) -> tuple[tuple[PlannedLaunch, ...], tuple[str, ...]]:
    if asked not in {None, CUDA_CORES_TILE}:
        raise PlanError(f"{chosen.name} has the tile {CUDA_CORES_TILE}, not {asked}; leave the tile out.")
    reasons = ("Each block computes 64 x 64 results at a time, each thread 4 x 4 of them, with sums in float32.",)
    return tuple(cuda_cores_launch(part) for part in parts), reasons


def _with_whole_matrices(
    parts: tuple[BatchSlice, ...], facts: DeviceFacts, asked: Tile | None
) -> tuple[tuple[PlannedLaunch, ...], tuple[str, ...]]:
    if asked is not None:
        raise PlanError(f"matmul/whole_matrices has a whole product for a tile, not {asked}; leave the tile out.")
    launches = tuple(whole_matrices_launch(part, facts) for part in parts)
    return launches, whole_matrices_reasons(launches[0])


def _with_mma_sync(
    parts: tuple[BatchSlice, ...], facts: DeviceFacts, asked: Tile | None
) -> tuple[tuple[PlannedLaunch, ...], tuple[str, ...]]:
    warp_tile, why = _warp_tile(parts[0].part, facts, asked)
    launches = tuple(mma_sync_launch(part, facts, warp_tile) for part in parts)
    return launches, (why, *_about_loads(launches[0]))


def _warp_tile(product: Multiplication, facts: DeviceFacts, asked: Tile | None) -> tuple[WarpTile, str]:
    if asked is not None:
        for tile in WARP_TILES:
            if (tile.block_m, tile.block_n) == tuple(asked):
                return tile, f"Tile {tile.block_m} x {tile.block_n} was asked for."
        names = ", ".join(f"({tile.block_m}, {tile.block_n})" for tile in WARP_TILES)
        raise PlanError(f"matmul/mma_sync has the tiles {names}, not {asked}.")
    sms = facts.sm_count or 1
    for tile in WARP_TILES:
        tiles = tiles_of_c(product, tile.block_m, tile.block_n)
        if tiles >= sms:
            why = f"C has {tiles:,} of them, enough for each of the {sms} SMs, and a larger tile is read fewer times."
            return tile, f"Tile {tile.block_m} x {tile.block_n}: {why}"
    smallest = WARP_TILES[-1]
    tiles = tiles_of_c(product, smallest.block_m, smallest.block_n)
    why = f"C is small, and even with the smallest tile {tiles:,} of {sms} SMs have one."
    return smallest, f"Tile {smallest.block_m} x {smallest.block_n}: {why}"


def _about_loads(launch: PlannedLaunch) -> tuple[str, ...]:
    macros = dict(launch.macros)
    sentences = [
        f"{name} is loaded in pieces of {2 * int(macros[f'{name}_PIECE'])} bytes, which its address and strides allow."
        for name in ("A", "B")
        if macros[f"{name}_PIECE"] != "8"
    ]
    sentences += [
        f"{name}'s lines begin anywhere: pieces of 16 bytes are cut out of two aligned ones."
        for name in ("A", "B")
        if macros[f"{name}_SHIFTED"] == "1"
    ]
    return (*sentences, f"{macros['STAGES']} stages of tiles take {launch.shared_bytes:,} bytes of shared memory.")


def _about_batches(multiplication: Multiplication, parts: tuple[BatchSlice, ...]) -> tuple[str, ...]:
    if not multiplication.batch:
        return ()
    extents = " x ".join(map(str, parts[0].part.batch)) or "1"
    if len(parts) == 1:
        return (f"The batch {multiplication.batch} is {extents} products in one launch; broadcasts are not copied.",)
    many = f"{len(parts):,} launches of {extents} products"
    return (f"The batch {multiplication.batch} is {many}: its strides are not those of two extents.",)
