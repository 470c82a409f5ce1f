"""The catalogue: every kernel, as data.

A kernel belongs here once its file exists: a `.cu`, the `.py` of the same stem that plans its launches, and a row.
Everything else that lists kernels (the command line, the README's tables, the shipped PTX, the tests) reads this list.
"""

from __future__ import annotations

from dataclasses import replace

from tilewright.kernels.kernel import Kernel, TileRule
from tilewright.kernels.matmul import cuda_cores_16bit, mma_sync, strided, wgmma, whole_matrices
from tilewright.kernels.refusals import UnknownKernelError
from tilewright.kernels.taught import Arrangement, SizeLimit, TaughtKernel

LEAST_CAPABILITY = (7, 5)
"""The oldest chips that NVRTC 13 compiles for."""
TENSOR_CORES = {"float16": LEAST_CAPABILITY, "bfloat16": (8, 0)}
HOPPER = {"float16": (9, 0), "bfloat16": (9, 0)}
SHARING = ("shared memory", "barrier")

SQUARE_TILE = TileRule(
    default=16,
    smallest=1,
    largest=32,
    usual=(1, 2, 4, 8, 12, 14, 15, 16, 32),
    reason="a block has tile x tile threads, and CUDA allows 1,024",
)
REDUCED_TILE = TileRule(
    default=16,
    smallest=1,
    largest=32,
    usual=(1, 2, 8, 16, 32),
    reason="a block has tile x tile threads, and CUDA allows 1,024",
)
LINE_TILE = TileRule(
    default=1024,
    smallest=32,
    largest=1024,
    usual=(32, 128, 256, 512, 1024),
    reason="a block has tile threads, at least a warp and at most CUDA's 1,024, and halves them step by step",
    power_of_two=True,
)

SQUARE_INDEX = SizeLimit(
    "elements per matrix", 2**31 - 32, "indices are 32-bit integers, and a tile reaches up to 31 past an edge"
)
LINE_INDEX = SizeLimit(
    "elements per matrix", 2**31 - 1024, "indices are 32-bit integers, and the last block has up to 1,023 idle threads"
)
SERIAL_INDEX = SizeLimit("elements per matrix", 2**31 - 1, "indices are 32-bit integers")
STRIDE_INDEX = SizeLimit(
    "elements per matrix", 2**30 - 512, "an index plus the grid's length must fit a 32-bit integer"
)
GOLDEN_SIZE = SizeLimit("for m, n and k", 2048, "one thread would take minutes to hours, so larger sizes are not run")

TAUGHT: tuple[TaughtKernel, ...] = (
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
    TaughtKernel(
        operation="dot",
        idea="sequential",
        summary="The loop in one thread of the host: what the others must agree with.",
        seeds=("004",),
        arrangement=Arrangement.ONE_THREAD,
        size_limit=SERIAL_INDEX,
        on_host=True,
    ),
    TaughtKernel(
        operation="dot",
        idea="single_thread",
        summary="The same loop in a single thread of the GPU.",
        seeds=("004",),
        arrangement=Arrangement.ONE_THREAD,
        size_limit=SERIAL_INDEX,
    ),
    TaughtKernel(
        operation="dot",
        idea="tiled",
        summary="Every block adds its products in shared memory as a tree; the host adds the blocks' partial sums.",
        seeds=("004",),
        arrangement=Arrangement.LINE_OVER_K,
        size_limit=STRIDE_INDEX,
        tile=LINE_TILE,
        families=SHARING,
        shared_elements_per_tile=(1, 1),
        partial_sums=True,
    ),
)
"""The seeds' kernels."""

CATALOGUE: tuple[Kernel, ...] = (
    *TAUGHT,
    Kernel(
        operation="matmul",
        idea="strided",
        summary="The tiled kernel for operands as they lie on a GPU: any strides, batches, an epilogue.",
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
        summary="16-bit matrices at Hopper's full rate: the copy engine brings tiles, warpgroups multiply them.",
        families=(*SHARING, "wgmma", "TMA", "clusters"),
        since=HOPPER,
        seeds=("000", "001", "004"),
        only="sm_90a",
        planning=wgmma,
    ),
    Kernel(
        operation="matmul",
        idea="whole_matrices",
        summary="Batches of 16-bit matrices of up to 128 x 128: a block takes whole ones, wherever their rows begin.",
        families=(*SHARING, "mma.sync"),
        since=TENSOR_CORES,
        seeds=("000", "001", "004"),
        families_where_there=("wgmma",),
        planning=whole_matrices,
    ),
    Kernel(
        operation="matmul",
        idea="wgmma_small",
        summary="wgmma for one wave of tiles: a block for each, loads before all else, whole lines of C stored.",
        families=("shared memory", "wgmma", "TMA", "clusters"),
        since=HOPPER,
        seeds=("000", "004"),
        only="sm_90a",
        is_step=True,
    ),
    Kernel(
        operation="matmul",
        idea="repack",
        summary="Copies matrices whose rows begin anywhere into rows that the copy engine can address.",
        since=HOPPER,
        seeds=("000",),
        is_step=True,
    ),
    Kernel(
        operation="matmul",
        idea="sum_splits",
        summary="Adds the partial sums of a split inner dimension, always in the same order.",
        families=SHARING,
        since=HOPPER,
        seeds=("003", "004"),
        is_step=True,
    ),
)


def library_kernel(operation: str, library: str = "numpy") -> Kernel:
    """Return what stands for an array library in a plan: no kernel of ours, without a source, not in the catalogue."""
    summary = "NumPy computes it, with the BLAS behind it." if library == "numpy" else f"{library} computes it."
    return Kernel(operation, library, summary, since={}, on_host=library == "numpy")


def kernels_of(operation: str) -> tuple[Kernel, ...]:
    """Return the kernels of ``operation`` that can be asked for, in the order in which they are best read."""
    return tuple(kernel for kernel in CATALOGUE if kernel.operation == operation and not kernel.is_step)


def taught_kernels_of(operation: str) -> tuple[TaughtKernel, ...]:
    """Return the seeds' kernels of ``operation``."""
    return tuple(kernel for kernel in kernels_of(operation) if isinstance(kernel, TaughtKernel))


def find(operation: str, idea: str) -> Kernel:
    """Return the kernel ``operation/idea``.

    Raises:
        UnknownKernelError: there is none; the message lists the kernels of the operation, or all of them.
    """
    for kernel in CATALOGUE:
        if (kernel.operation, kernel.idea) == (operation, idea):
            return kernel
    names = ", ".join(kernel.name for kernel in kernels_of(operation) or CATALOGUE)
    raise UnknownKernelError(f"There is no kernel {operation}/{idea}; there are {names}.")


def find_taught(operation: str, idea: str) -> TaughtKernel:
    """Return the seeds' kernel ``operation/idea``.

    Raises:
        UnknownKernelError: there is none, or it is one whose tile follows from a chip; the message lists the kernels.
    """
    found = find(operation, idea)
    if isinstance(found, TaughtKernel):
        return found
    names = ", ".join(kernel.name for kernel in taught_kernels_of(operation))
    raise UnknownKernelError(
        f"{found.name} has its tile from a plan for a chip; what is asked here is answered for {names}."
    )
