"""The catalogue's rows of the dot product."""

from __future__ import annotations

from tilewright.kernels.dot import two_stage
from tilewright.kernels.kernel import LEAST_CAPABILITY, SHARING, Kernel, TileRule
from tilewright.kernels.operand import ELEMENT_BYTES
from tilewright.kernels.taught import SERIAL_INDEX, STRIDE_INDEX, Arrangement, TaughtKernel

LINE_TILE = TileRule(
    default=1024,
    smallest=32,
    largest=1024,
    usual=(32, 128, 256, 512, 1024),
    reason="a block has tile threads, at least a warp and at most CUDA's 1,024, and halves them step by step",
    power_of_two=True,
)

KERNELS: tuple[Kernel, ...] = (
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
    Kernel(
        operation="dot",
        idea="two_stage",
        summary="One launch at the speed of memory: the last block adds the sums of the others. Any strides, batches.",
        families=SHARING,
        since=dict.fromkeys(ELEMENT_BYTES, LEAST_CAPABILITY),
        seeds=("004", "000"),
        planning=two_stage,
    ),
)
