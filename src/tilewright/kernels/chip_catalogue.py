"""The kernels that are written for what a chip has, as data: the second half of the catalogue."""

from __future__ import annotations

from tilewright.kernels.chip_kernel import ChipKernel

LEAST_CAPABILITY = (7, 5)
"""The oldest chips that NVRTC 13 compiles for."""

SINCE_HOPPER = {"float16": (9, 0), "bfloat16": (9, 0)}

CHIP_CATALOGUE: tuple[ChipKernel, ...] = (
    ChipKernel(
        operation="matmul",
        idea="strided",
        summary="The tiled kernel for operands as they lie on a GPU: any strides, batches, an epilogue.",
        source="matmul/strided.cu",
        families=("shared memory", "barrier"),
        since={"float32": (2, 0), "float64": (2, 0)},
        seeds=("000", "004"),
    ),
    ChipKernel(
        operation="matmul",
        idea="cuda_cores_16bit",
        summary="16-bit matrices on the CUDA cores: 4 x 4 sums a thread in float32, any shape and strides.",
        source="matmul/cuda_cores_16bit.cu",
        families=("shared memory", "barrier"),
        since={"float16": LEAST_CAPABILITY, "bfloat16": LEAST_CAPABILITY},
        seeds=("000", "001", "004"),
    ),
    ChipKernel(
        operation="matmul",
        idea="mma_sync",
        summary="16-bit matrices on the tensor cores of any chip, a warp at a time: any shape and strides.",
        source="matmul/mma_sync.cu",
        families=("shared memory", "barrier", "mma.sync"),
        since={"float16": LEAST_CAPABILITY, "bfloat16": (8, 0)},
        seeds=("000", "001", "004"),
    ),
    ChipKernel(
        operation="matmul",
        idea="wgmma",
        summary="16-bit matrices at Hopper's full rate: the copy engine brings tiles, warpgroups multiply them.",
        source="matmul/wgmma.cu",
        families=("shared memory", "barrier", "wgmma", "TMA", "clusters"),
        since=SINCE_HOPPER,
        seeds=("000", "001", "004"),
        only="sm_90a",
    ),
    ChipKernel(
        operation="matmul",
        idea="whole_matrices",
        summary="Batches of 16-bit matrices of up to 128 x 128: a block takes whole ones, wherever their rows begin.",
        source="matmul/whole_matrices.cu",
        families=("shared memory", "barrier", "mma.sync"),
        since={"float16": LEAST_CAPABILITY, "bfloat16": (8, 0)},
        seeds=("000", "001", "004"),
        families_where_there=("wgmma",),
    ),
)

STEPS: tuple[ChipKernel, ...] = (
    ChipKernel(
        operation="matmul",
        idea="wgmma_small",
        summary="wgmma for one wave of tiles: a block for each, loads before all else, whole lines of C stored.",
        source="matmul/wgmma_small.cu",
        families=("shared memory", "wgmma", "TMA", "clusters"),
        since=SINCE_HOPPER,
        seeds=("000", "004"),
        only="sm_90a",
    ),
    ChipKernel(
        operation="matmul",
        idea="repack",
        summary="Copies matrices whose rows begin anywhere into rows that the copy engine can address.",
        source="matmul/repack.cu",
        families=(),
        since=SINCE_HOPPER,
        seeds=("000",),
    ),
    ChipKernel(
        operation="matmul",
        idea="sum_splits",
        summary="Adds the partial sums of a split inner dimension, always in the same order.",
        source="matmul/sum_splits.cu",
        families=("shared memory", "barrier"),
        since=SINCE_HOPPER,
        seeds=("003", "004"),
    ),
)
"""Kernels that a product on Hopper may take beside `wgmma` or instead; none is one to ask for
(`tilewright.choose.hopper`)."""


def chip_kernels_of(operation: str) -> tuple[ChipKernel, ...]:
    """Return those of an operation, the most general one first."""
    return tuple(kernel for kernel in CHIP_CATALOGUE if kernel.operation == operation)


def find_chip_kernel(operation: str, idea: str) -> ChipKernel | None:
    """Return the kernel ``operation/idea``, or None where the chip's half of the catalogue has none."""
    return next((kernel for kernel in chip_kernels_of(operation) if kernel.idea == idea), None)
