"""Planning of mma_sync_float64.cu: float64 on the tensor cores, from compute capability 8.0 on."""

from __future__ import annotations

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.multistage import FloatTile, Multistage
from tilewright.kernels.problem import Problem

BLOCK_K = 16


def _tile(
    block_m: int,
    block_n: int,
    warps: tuple[int, int],
    stages: int,
    blocks_per_sm: int,
    us: tuple[float, float, float, float],
) -> FloatTile:
    names = {"BLOCK_M": block_m, "BLOCK_N": block_n, "WARPS_M": warps[0], "WARPS_N": warps[1]}
    macros = tuple((name, str(value)) for name, value in names.items())
    threads = 32 * warps[0] * warps[1]
    return FloatTile(block_m, block_n, BLOCK_K, threads, stages, blocks_per_sm, *us, macros)


KERNEL = Multistage(
    "matmul/mma_sync_float64",
    "float64",
    (
        _tile(128, 128, (2, 4), 6, 1, (1.086, 1.086, 4.7, 1.27)),
        _tile(64, 64, (2, 2), 4, 3, (0.313, 0.313, 3.6, 1.82)),
        _tile(16, 128, (1, 4), 6, 2, (0.242, 0.23, 2.3, 1.53)),
        _tile(64, 32, (2, 2), 5, 3, (0.216, 0.16, 2.1, 1.36)),
        _tile(32, 64, (2, 2), 5, 3, (0.215, 0.166, 2.0, 1.29)),
        _tile(32, 32, (2, 2), 6, 4, (0.165, 0.104, 1.9, 1.67)),
    ),
    padding=(0, 4),
    in_vectors=True,
)


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel cannot compute a problem with a tile, as a sentence, or None."""
    return KERNEL.refusal(tile)


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:
    """Return the launches of each part of the batch; raises as `Multistage.launches`."""
    return KERNEL.launches(problem, facts, tile)
