"""The catalogue's rows of RMM."""

from __future__ import annotations

from tilewright.kernels.kernel import SHARING, TileRule
from tilewright.kernels.taught import GOLDEN_SIZE, LINE_INDEX, SQUARE_INDEX, Arrangement, TaughtKernel

REDUCED_TILE = TileRule(
    default=16,
    smallest=1,
    largest=32,
    usual=(1, 2, 8, 16, 32),
    reason="a block has tile x tile threads, and CUDA allows 1,024",
)

KERNELS: tuple[TaughtKernel, ...] = (
    TaughtKernel(
        operation="reduced_matmul",
        idea="sequential",
        summary="The triple loop in one thread of the host: what the others must agree with.",
        seeds=("003",),
        arrangement=Arrangement.ONE_THREAD,
        size_limit=GOLDEN_SIZE,
        on_host=True,
    ),
    TaughtKernel(
        operation="reduced_matmul",
        idea="naive_4p",
        summary="One thread per element of C multiplies two rows of A with two columns of B: four products per p.",
        seeds=("003",),
        arrangement=Arrangement.LINE_OVER_C,
        size_limit=LINE_INDEX,
    ),
    TaughtKernel(
        operation="reduced_matmul",
        idea="naive_p",
        summary="One thread per element of C adds two rows and two columns first: one product per p.",
        seeds=("003",),
        arrangement=Arrangement.LINE_OVER_C,
        size_limit=LINE_INDEX,
    ),
    TaughtKernel(
        operation="reduced_matmul",
        idea="tiled",
        summary="Blocks keep tiles of sums, of two rows of A and of two columns of B, in shared memory.",
        seeds=("003",),
        arrangement=Arrangement.SQUARES,
        size_limit=SQUARE_INDEX,
        tile=REDUCED_TILE,
        families=SHARING,
        shared_elements_per_tile=(2, 2),
        loads_once_per_block=True,
    ),
)
