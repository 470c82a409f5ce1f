"""The catalogue's rows of RMM."""

from __future__ import annotations

from tilewright.kernels.kernel import LEAST_CAPABILITY, SHARING, Kernel, TileRule
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.precision import PRECISIONS
from tilewright.kernels.reduced_matmul import fused, pair_sums
from tilewright.kernels.taught import GOLDEN_SIZE, LINE_INDEX, SQUARE_INDEX, Arrangement, TaughtKernel

REDUCED_TILE = TileRule(
    default=16,
    smallest=1,
    largest=32,
    usual=(1, 2, 8, 16, 32),
    reason="a block has tile x tile threads, and CUDA allows 1,024",
)

TENSOR_CORES = {"float16": LEAST_CAPABILITY, "bfloat16": (8, 0)}

KERNELS: tuple[Kernel, ...] = (
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
    Kernel(
        operation="reduced_matmul",
        idea="pair_sums",
        summary="Pairs are added once, in one pass over A and B; matmul's best kernel multiplies the sums.",
        since=dict.fromkeys(DTYPE_BYTES, LEAST_CAPABILITY),
        seeds=("003",),
        planning=pair_sums,
        precisions=PRECISIONS,
    ),
    Kernel(
        operation="reduced_matmul",
        idea="fused",
        summary="Pairs are added by the launch that multiplies their sums: for small and thin products.",
        families=SHARING,
        families_where_there=("mma.sync",),
        since={**TENSOR_CORES, "float32": LEAST_CAPABILITY, "float64": (8, 0)},
        seeds=("000", "001", "003"),
        planning=fused,
    ),
)
