"""Planning of cuda_cores_float32.cu: float32 on the CUDA cores, which round as IEEE 754 asks for."""

from __future__ import annotations

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.multistage import FloatTile, Multistage
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
    us: tuple[float, float, float, float],
) -> FloatTile:
    block_m, block_n = WARP_ROWS * sums[0] * warps[0], WARP_COLUMNS * sums[1] * warps[1]
    names = {"WARPS_M": warps[0], "WARPS_N": warps[1], "THREAD_M": sums[0], "THREAD_N": sums[1], "UNROLL": UNROLL}
    macros = tuple((name, str(value)) for name, value in names.items())
    return FloatTile(block_m, block_n, block_k, 32 * warps[0] * warps[1], stages, blocks_per_sm, *us, macros)


KERNEL = Multistage(
    "matmul/cuda_cores_float32",
    "float32",
    (
        _tile((2, 4), (16, 8), 8, 4, 1, (2.67, 2.67, 4.1, 1.03)),
        _tile((2, 2), (16, 8), 16, 4, 2, (1.53, 1.42, 6.1, 1.04)),
        _tile((2, 2), (8, 8), 16, 3, 3, (0.81, 0.71, 3.8, 1.07)),
        _tile((2, 2), (8, 4), 16, 4, 4, (0.49, 0.414, 2.6, 1.05)),
        _tile((2, 2), (4, 8), 16, 4, 4, (0.46, 0.39, 2.4, 1.21)),
        _tile((1, 4), (4, 8), 16, 4, 3, (0.48, 0.42, 2.4, 2.6)),
        _tile((2, 2), (4, 4), 16, 4, 4, (0.31, 0.234, 1.6, 1.12)),
        _tile((2, 1), (4, 4), 16, 6, 6, (0.31, 0.137, 2.5, 1.21)),
    ),
    padding=(4, 0),
    in_vectors=False,
)


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel cannot compute a problem with a tile, as a sentence, or None."""
    return KERNEL.refusal(tile)


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:
    """Return the launches of each part of the batch; raises as `Multistage.launches`."""
    return KERNEL.launches(problem, facts, tile)
