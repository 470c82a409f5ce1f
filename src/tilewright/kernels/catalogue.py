"""The catalogue: every kernel, as data.

A kernel belongs here once its file exists. Everything else that lists kernels (the command line, the README's
tables, the shipped PTX, the tests) reads this list.
"""

from __future__ import annotations

from tilewright.kernels.chip_catalogue import find_chip_kernel
from tilewright.kernels.kernel import Arrangement, Kernel, SizeLimit, TileRule

HOST = frozenset({"host"})
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

CATALOGUE: tuple[Kernel, ...] = (
    Kernel(
        operation="matmul",
        idea="sequential",
        summary="The triple loop in one thread of the host: what the others must agree with.",
        seeds=("000", "003"),
        source="matmul/sequential.c",
        arrangement=Arrangement.ONE_THREAD,
        size_limit=GOLDEN_SIZE,
        runs_on=HOST,
    ),
    Kernel(
        operation="matmul",
        idea="naive",
        summary="One thread per element of C reads its row of A and its column of B from global memory.",
        seeds=("000", "001", "004"),
        source="matmul/naive.cu",
        arrangement=Arrangement.SQUARES,
        size_limit=SQUARE_INDEX,
        tile=SQUARE_TILE,
    ),
    Kernel(
        operation="matmul",
        idea="tiled_exact",
        summary="Blocks load tiles of A and B into shared memory together; no guards, so sizes are multiples of TILE.",
        seeds=("000", "001"),
        source="matmul/tiled_exact.cu",
        arrangement=Arrangement.SQUARES,
        size_limit=SQUARE_INDEX,
        tile=SQUARE_TILE,
        families=SHARING,
        shared_elements_per_tile=(2, 2),
        loads_once_per_block=True,
        multiples_of_tile_only=True,
    ),
    Kernel(
        operation="matmul",
        idea="tiled",
        summary="Blocks load tiles of A and B into shared memory together, with 0 past the edges: any sizes.",
        seeds=("000", "004"),
        source="matmul/tiled.cu",
        arrangement=Arrangement.SQUARES,
        size_limit=SQUARE_INDEX,
        tile=SQUARE_TILE,
        families=SHARING,
        shared_elements_per_tile=(2, 2),
        loads_once_per_block=True,
    ),
    Kernel(
        operation="matmul",
        idea="tiled_inner_barrier",
        summary="The tiled kernel with its second barrier inside the inner loop: right, but it waits TILE times.",
        seeds=("002",),
        source="matmul/tiled_inner_barrier.cu",
        arrangement=Arrangement.SQUARES,
        size_limit=SQUARE_INDEX,
        tile=SQUARE_TILE,
        families=SHARING,
        shared_elements_per_tile=(2, 2),
        loads_once_per_block=True,
    ),
    Kernel(
        operation="reduced_matmul",
        idea="sequential",
        summary="The triple loop in one thread of the host: what the others must agree with.",
        seeds=("003",),
        source="reduced_matmul/sequential.c",
        arrangement=Arrangement.ONE_THREAD,
        size_limit=GOLDEN_SIZE,
        runs_on=HOST,
    ),
    Kernel(
        operation="reduced_matmul",
        idea="naive_4p",
        summary="One thread per element of C multiplies two rows of A with two columns of B: four products per p.",
        seeds=("003",),
        source="reduced_matmul/naive_4p.cu",
        arrangement=Arrangement.LINE_OVER_C,
        size_limit=LINE_INDEX,
    ),
    Kernel(
        operation="reduced_matmul",
        idea="naive_p",
        summary="One thread per element of C adds two rows and two columns first: one product per p.",
        seeds=("003",),
        source="reduced_matmul/naive_p.cu",
        arrangement=Arrangement.LINE_OVER_C,
        size_limit=LINE_INDEX,
    ),
    Kernel(
        operation="reduced_matmul",
        idea="tiled",
        summary="Blocks keep tiles of sums, of two rows of A and of two columns of B, in shared memory.",
        seeds=("003",),
        source="reduced_matmul/tiled.cu",
        arrangement=Arrangement.SQUARES,
        size_limit=SQUARE_INDEX,
        tile=REDUCED_TILE,
        families=SHARING,
        shared_elements_per_tile=(2, 2),
        loads_once_per_block=True,
    ),
    Kernel(
        operation="dot",
        idea="sequential",
        summary="The loop in one thread of the host: what the others must agree with.",
        seeds=("004",),
        source="dot/sequential.c",
        arrangement=Arrangement.ONE_THREAD,
        size_limit=SERIAL_INDEX,
        runs_on=HOST,
    ),
    Kernel(
        operation="dot",
        idea="single_thread",
        summary="The same loop in a single thread of the GPU.",
        seeds=("004",),
        source="dot/single_thread.cu",
        arrangement=Arrangement.ONE_THREAD,
        size_limit=SERIAL_INDEX,
    ),
    Kernel(
        operation="dot",
        idea="tiled",
        summary="Every block adds its products in shared memory as a tree; the host adds the blocks' partial sums.",
        seeds=("004",),
        source="dot/tiled.cu",
        arrangement=Arrangement.LINE_OVER_K,
        size_limit=STRIDE_INDEX,
        tile=LINE_TILE,
        families=SHARING,
        shared_elements_per_tile=(1, 1),
        partial_sums=True,
    ),
)


NO_LIMIT = SizeLimit("elements per matrix", 2**63 - 1, "sizes are 64-bit integers")


def numpy_kernel(operation: str) -> Kernel:
    """Return what stands for NumPy in a plan: no kernel of ours, without a source, and not in the catalogue."""
    return Kernel(
        operation=operation,
        idea="numpy",
        summary="NumPy computes it, with the BLAS behind it.",
        seeds=(),
        source="",
        arrangement=Arrangement.ONE_THREAD,
        size_limit=NO_LIMIT,
        runs_on=HOST,
    )


class UnknownKernelError(ValueError):
    """No kernel of the operation has the idea that was asked for."""


def kernels_of(operation: str) -> tuple[Kernel, ...]:
    """Return the kernels of ``operation`` in the order in which they are best read."""
    return tuple(kernel for kernel in CATALOGUE if kernel.operation == operation)


def find(operation: str, idea: str) -> Kernel:
    """Return the kernel ``operation/idea``.

    Raises:
        UnknownKernelError: there is none, or it is one that plans for a chip choose; the message lists the kernels of
            the operation, or all of them.
    """
    for kernel in CATALOGUE:
        if (kernel.operation, kernel.idea) == (operation, idea):
            return kernel
    names = ", ".join(kernel.name for kernel in kernels_of(operation) or CATALOGUE)
    if find_chip_kernel(operation, idea) is not None:
        raise UnknownKernelError(
            f"{operation}/{idea} has its tile from a plan for a chip; what is asked here is answered for {names}."
        )
    raise UnknownKernelError(f"There is no kernel {operation}/{idea}; there are {names}.")
