"""Planning of cuda_cores_16bit.cu: blocks of 64 x 64 results, each thread 4 x 4 of them, with sums in float32."""

from __future__ import annotations

from tilewright.kernels.batches import slices
from tilewright.kernels.epilogue import epilogue_macros, epilogue_pointers, epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launch, Launches
from tilewright.kernels.matmul.strided import operand_pointers, product_arguments, tiles_of_c
from tilewright.kernels.problem import Problem

TILE = (64, 64)
THREADS = 256


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return why the kernel cannot compute a problem with a tile, as a sentence, or None."""
    return (
        None
        if tile in {None, TILE}
        else f"matmul/cuda_cores_16bit has the tile {TILE}, not {tile}; leave the tile out."
    )


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:  # noqa: ARG001
    """Return a launch for each part of the batch."""
    found = tuple(
        Launch(
            kernel="matmul/cuda_cores_16bit",
            macros=(
                *epilogue_macros(part.part),
                ("A_K_MAJOR", str(int(part.part.a.major != "column"))),
                ("B_K_MAJOR", str(int(part.part.b.major == "column"))),
            ),
            grid=(tiles_of_c(part.part, TILE), 1, 1),
            block=(THREADS, 1, 1),
            arguments={
                **operand_pointers(part),
                **epilogue_pointers(part.part, part.c_operand_offset),
                **product_arguments(part.part),
                **epilogue_scalars(part.part),
            },
            overlaps_previous=True,
        )
        for part in slices(problem)
    )
    return Launches(
        found, 0, ("Each block computes 64 x 64 results at a time, each thread 4 x 4 of them, with sums in float32.",)
    )
