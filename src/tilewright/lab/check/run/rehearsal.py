"""Warm-up for checks: does in advance, with the catalogue's kernels, the work that is the same for every file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tilewright.compile import compile_kernel
from tilewright.kernels import TaughtKernel, find_taught, taught_kernels_of
from tilewright.lab.source.cuda_file import CudaFile
from tilewright.lab.source.preparing import device_part, prepare
from tilewright.lab.source.subscripts import instrument

OPERATION, DTYPE = "matmul", "float32"
"""The operations and types of most files, whose counts are compared with those of the catalogue's kernels."""


def parse() -> None:
    """Parse a kernel of the catalogue, which compiles the parser's queries."""
    kernel = find_taught(OPERATION, "tiled")
    file = CudaFile(Path(kernel.source_name), kernel.source_text())
    device_part(file.text, file.name)
    for kept in prepare(file).kept:
        instrument(kept.syntax, kept.items, file.name, 0, frozenset())


def compiles() -> list[Callable[[], object]]:
    """Return functions that compile the catalogue's kernels at their usual tiles; the process keeps the results."""
    return [
        partial(compile_kernel, kernel, DTYPE, tile)
        for kernel in taught_kernels_of(OPERATION)
        if "emulator" in kernel.runs_on
        for tile in _usual_tiles(kernel)
    ]


def _usual_tiles(kernel: TaughtKernel) -> tuple[int | None, ...]:
    return (None,) if kernel.tile is None else tuple(kernel.tile.usual)
