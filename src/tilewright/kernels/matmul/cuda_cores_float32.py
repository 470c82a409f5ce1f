"""Planning of cuda_cores_float32.cu: float32 on the CUDA cores, which round as IEEE 754 asks for."""

from __future__ import annotations

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.float_tile import FloatTile
from tilewright.kernels.matmul.multistage import Multistage
from tilewright.kernels.problem import Problem

WARP_ROWS, WARP_COLUMNS = 4, 8
"""The threads of a warp, as they lie over its results."""
UNROLL = 8


def _tile(
    warps: tuple[int, int],
    sums: tuple[int, int],
    block_k: int,
    stages: int,
    blocks_per_sm: int,
    us: tuple[float, float, float],
    slowdowns: tuple[float, float],
    *,
    streams: bool = False,
) -> FloatTile:
    block_m, block_n = WARP_ROWS * sums[0] * warps[0], WARP_COLUMNS * sums[1] * warps[1]
    names = {"WARPS_M": warps[0], "WARPS_N": warps[1], "THREAD_M": sums[0], "THREAD_N": sums[1], "UNROLL": UNROLL}
    macros = tuple((name, str(value)) for name, value in names.items())
    return FloatTile(
        block_m, block_n, block_k, 32 * warps[0] * warps[1], stages, blocks_per_sm, *us, *slowdowns, macros, streams
    )


KERNEL = Multistage(
    "matmul/cuda_cores_float32",
    "float32",
    (
        _tile((2, 4), (16, 8), 8, 4, 1, (2.59, 2.59, 3.74), (1.06, 1.09), streams=True),
        _tile((2, 2), (16, 8), 16, 4, 2, (1.55, 1.4, 5.28), (1.07, 1.08), streams=True),
        _tile((4, 2), (8, 8), 8, 5, 1, (1.354, 1.337, 2.14), (1.05, 1.02)),
        _tile((2, 2), (8, 8), 8, 4, 4, (0.774, 0.656, 2.36), (1.06, 1.14)),
        _tile((2, 2), (16, 4), 8, 4, 3, (0.901, 0.765, 2.46), (1.0, 1.0)),
        _tile((2, 2), (8, 4), 16, 4, 4, (0.473, 0.391, 2.1), (1.09, 1.08)),
        _tile((2, 2), (8, 4), 8, 4, 6, (0.496, 0.37, 1.72), (1.22, 1.07)),
        _tile((2, 2), (4, 8), 8, 4, 5, (0.483, 0.367, 1.56), (1.09, 1.35)),
        _tile((1, 4), (4, 8), 8, 4, 3, (0.449, 0.371, 1.7), (1.3, 2.6)),
        _tile((4, 1), (8, 4), 8, 6, 4, (0.54, 0.429, 1.82), (1.09, 1.01)),
        _tile((4, 1), (4, 4), 8, 6, 6, (0.344, 0.251, 1.7), (1.01, 0.99)),
        _tile((2, 2), (4, 4), 16, 4, 4, (0.295, 0.212, 1.6), (1.17, 1.25)),
        _tile((2, 1), (4, 4), 8, 8, 8, (0.283, 0.13, 1.75), (1.05, 1.08)),
        _tile((2, 1), (4, 4), 16, 6, 6, (0.294, 0.139, 1.55), (1.19, 1.31)),
    ),
    padding=(4, 0),
    in_vectors=False,
)
"""Tiles with 8 of k a stage were fitted to 172 products on an H200 (float_tiles_tried_h200.json): of those held back in
turn the choice is 2.3 % faster than among tiles with 16, which took their place before, of the large ones more."""


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel cannot compute a problem with a tile, as a sentence, or None."""
    return KERNEL.refusal(tile)


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:
    """Return the launches of each part of the batch; raises as `Multistage.launches`."""
    return KERNEL.launches(problem, facts, tile)
