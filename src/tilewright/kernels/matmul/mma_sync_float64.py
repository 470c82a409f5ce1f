"""Planning of mma_sync_float64.cu: float64 on the tensor cores, from compute capability 8.0 on."""

from __future__ import annotations

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.float_tile import FloatTile
from tilewright.kernels.matmul.multistage import Multistage
from tilewright.kernels.problem import Problem

BLOCK_K = 16


def tile_of(
    block_m: int,
    block_n: int,
    warps: tuple[int, int],
    stages: int,
    blocks_per_sm: int,
    us: tuple[float, float, float],
    slowdowns: tuple[float, float],
    *,
    apart: tuple[float, float] | None = None,
    stays: bool = False,
) -> FloatTile:
    """Return a tile: ``us`` are its times in the model, alone, shared and for the start, in us.

    ``apart``: as FloatTile has it, of a tile that blocks may share.
    """
    names = {"BLOCK_M": block_m, "BLOCK_N": block_n, "WARPS_M": warps[0], "WARPS_N": warps[1]}
    macros = tuple((name, str(value)) for name, value in names.items()) + ((("STAYS", "1"),) if stays else ())
    threads = 32 * warps[0] * warps[1]
    shape = (block_m, block_n, BLOCK_K, threads, stages, blocks_per_sm)
    return FloatTile(*shape, *us, *slowdowns, macros, apart is not None, apart, stays)


KERNEL = Multistage(
    "matmul/mma_sync_float64",
    "float64",
    (
        tile_of(128, 128, (2, 4), 6, 1, (1.05, 1.05, 4.12), (1.18, 0.936), apart=(1.05, 1.35)),
        tile_of(128, 64, (4, 2), 6, 1, (0.569, 0.507, 2.58), (1.01, 0.987)),
        tile_of(64, 128, (2, 4), 6, 1, (0.513, 0.558, 2.53), (1.03, 0.961)),
        tile_of(64, 64, (2, 2), 4, 3, (0.276, 0.258, 2.42), (1.3, 1.08)),
        tile_of(128, 32, (4, 1), 5, 2, (0.299, 0.256, 2.81), (1.56, 1.07)),
        tile_of(64, 32, (2, 2), 5, 3, (0.165, 0.151, 1.74), (1.27, 1.01)),
        tile_of(32, 64, (2, 2), 5, 3, (0.194, 0.165, 1.77), (1.19, 1.02)),
        tile_of(16, 64, (1, 4), 8, 2, (0.164, 0.164, 1.54), (1.08, 1.1)),
        tile_of(16, 32, (1, 2), 8, 4, (0.118, 0.098, 1.41), (1.53, 1.05)),
        tile_of(64, 64, (2, 2), 4, 2, (0.13, 0.311, 3.06), (1.02, 0.996), stays=True),
        tile_of(64, 32, (2, 2), 3, 4, (0.23, 0.158, 3.43), (1.39, 1.09), stays=True),
        tile_of(32, 64, (2, 2), 3, 4, (0.137, 0.187, 3.16), (1.38, 1.0), stays=True),
        tile_of(32, 32, (2, 2), 4, 4, (0.138, 0.121, 2.28), (1.02, 1.1), stays=True),
        tile_of(32, 32, (2, 2), 6, 4, (0.132, 0.113, 1.3), (1.24, 0.989)),
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
