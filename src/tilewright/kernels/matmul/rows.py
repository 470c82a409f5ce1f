"""The rows of the matrix product: a kernel is here once its `.cu` exists, and the `.py` of its stem."""

from __future__ import annotations

from dataclasses import replace

from tilewright.kernels.kernel import LEAST_CAPABILITY, SHARING, Kernel, TileRule
from tilewright.kernels.matmul import cuda_cores_16bit, mma_sync, small_batched, strided, wgmma
from tilewright.kernels.taught import GOLDEN_SIZE, SQUARE_INDEX, Arrangement, TaughtKernel

TENSOR_CORES = {"float16": LEAST_CAPABILITY, "bfloat16": (8, 0)}
HOPPER = {"float16": (9, 0), "bfloat16": (9, 0)}

SQUARE_TILE = TileRule(
    default=16,
    smallest=1,
    largest=32,
    usual=(1, 2, 4, 8, 12, 14, 15, 16, 32),
    reason="a block has tile x tile threads, and CUDA allows 1,024",
)

KERNELS: tuple[Kernel, ...] = (
    TaughtKernel(
        operation="matmul",
        idea="sequential",
        summary="The triple loop in one thread of the host: what the others must agree with.",
        seeds=("000", "003"),
        arrangement=Arrangement.ONE_THREAD,
        size_limit=GOLDEN_SIZE,
        on_host=True,
    ),
    TaughtKernel(
        operation="matmul",
        idea="naive",
        summary="One thread per element of C reads its row of A and its column of B from global memory.",
        seeds=("000", "001", "004"),
        arrangement=Arrangement.SQUARES,
        size_limit=SQUARE_INDEX,
        tile=SQUARE_TILE,
    ),
    TaughtKernel(
        operation="matmul",
        idea="tiled_exact",
        summary="Blocks load tiles of A and B into shared memory together; no guards, so sizes are multiples of TILE.",
        seeds=("000", "001"),
        arrangement=Arrangement.SQUARES,
        size_limit=SQUARE_INDEX,
        tile=SQUARE_TILE,
        families=SHARING,
        shared_elements_per_tile=(2, 2),
        loads_once_per_block=True,
        multiples_of_tile_only=True,
    ),
    TaughtKernel(
        operation="matmul",
        idea="tiled",
        summary="Blocks load tiles of A and B into shared memory together, with 0 past the edges: any sizes.",
        seeds=("000", "004"),
        arrangement=Arrangement.SQUARES,
        size_limit=SQUARE_INDEX,
        tile=SQUARE_TILE,
        families=SHARING,
        shared_elements_per_tile=(2, 2),
        loads_once_per_block=True,
    ),
    TaughtKernel(
        operation="matmul",
        idea="tiled_inner_barrier",
        summary="The tiled kernel with its second barrier inside the inner loop: right, but it waits TILE times.",
        seeds=("002",),
        arrangement=Arrangement.SQUARES,
        size_limit=SQUARE_INDEX,
        tile=SQUARE_TILE,
        families=SHARING,
        shared_elements_per_tile=(2, 2),
        loads_once_per_block=True,
    ),
    Kernel(
        operation="matmul",
        idea="strided",
        summary="The tiled kernel for arrays on a GPU: any strides, batches, an epilogue.",
        families=SHARING,
        since={"float32": (2, 0), "float64": (2, 0)},
        seeds=("000", "004"),
        tile=replace(SQUARE_TILE, default=strided.TILE, usual=(strided.TILE,)),
        planning=strided,
    ),
    Kernel(
        operation="matmul",
        idea="cuda_cores_16bit",
        summary="16-bit matrices on the CUDA cores: 4 x 4 sums a thread in float32, any shape and strides.",
        families=SHARING,
        since={"float16": LEAST_CAPABILITY, "bfloat16": LEAST_CAPABILITY},
        seeds=("000", "001", "004"),
        planning=cuda_cores_16bit,
    ),
    Kernel(
        operation="matmul",
        idea="mma_sync",
        summary="16-bit matrices on the tensor cores of any chip, a warp at a time: any shape and strides.",
        families=(*SHARING, "mma.sync"),
        since=TENSOR_CORES,
        seeds=("000", "001", "004"),
        planning=mma_sync,
    ),
    Kernel(
        operation="matmul",
        idea="wgmma",
        summary="16-bit matrices at Hopper's full rate: persistent and warp-specialized, with TMA and wgmma.",
        families=(*SHARING, "wgmma", "TMA", "clusters"),
        since=HOPPER,
        seeds=("000", "001", "004"),
        only="sm_90a",
        planning=wgmma,
    ),
    Kernel(
        operation="matmul",
        idea="small_batched",
        summary="Batches of 16-bit matrices of up to 128 x 128: a block computes whole products, of any alignment.",
        families=(*SHARING, "mma.sync"),
        since=TENSOR_CORES,
        seeds=("000", "001", "004"),
        families_where_there=("wgmma",),
        planning=small_batched,
    ),
    Kernel(
        operation="matmul",
        idea="wgmma_small",
        summary="wgmma for one wave of tiles: one block per tile, which loads first and stores whole lines of C.",
        families=("shared memory", "wgmma", "TMA", "clusters"),
        since=HOPPER,
        seeds=("000", "004"),
        only="sm_90a",
        is_step=True,
    ),
    Kernel(
        operation="matmul",
        idea="repack",
        summary="Repacks matrices with unaligned rows to aligned rows, which TMA can address.",
        since=HOPPER,
        seeds=("000",),
        is_step=True,
    ),
    Kernel(
        operation="matmul",
        idea="splitk_reduce",
        summary="The split-K reduction: adds partial sums, always in the same order.",
        families=SHARING,
        since=HOPPER,
        seeds=("003", "004"),
        is_step=True,
    ),
)
