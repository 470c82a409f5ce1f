"""A kernel of the catalogue, compiled for packed matrices: what asks about the code of a type and a tile."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.compile.planned import compile_launches
from tilewright.compile.shipped import ARCHITECTURE, usual_launch
from tilewright.kernels import Kernel, TaughtKernel


@dataclass(frozen=True)
class Program:
    """A compiled kernel: ``ptx`` for ``compute_*``, ``cubin`` for ``sm_*``.

    ``source_path`` is the file's name in the program's line table, the same on every machine.
    """

    ptx: str | None
    cubin: bytes | None
    entry: str
    source_path: str
    architecture: str
    from_package: bool


def compile_kernel(kernel: Kernel, dtype: str, tile: int | None = None, *, architecture: str = ARCHITECTURE) -> Program:
    """Compile a kernel of the catalogue for an element type and a tile (None: the kernel's default).

    A program is compiled once, and kept. Without NVRTC, PTX comes from the package.

    Raises:
        CompileError: NVRTC refused the source.
        CompilerMissingError: there is no NVRTC, and the package has no PTX for this tile or no cubin at all.
        ValueError: the kernel does not take the type or the tile, is no compiled kernel, or the architecture is none.
    """
    if "host" in kernel.runs_on:
        raise ValueError(f"{kernel.name} runs on the host and is not compiled by NVRTC.")
    refusal = (
        kernel.variant_refusal(tile, dtype) if isinstance(kernel, TaughtKernel) else kernel.chip_refusal(dtype, None)
    )
    if refusal:
        raise ValueError(refusal)
    launch = usual_launch(kernel, dtype, tile)
    [code] = compile_launches([launch], architecture)
    return Program(
        ptx=code.ptx if code.is_ptx else None,
        cubin=None if code.is_ptx else code.image,
        entry=launch.entry,
        source_path=launch.source_name,
        architecture=architecture,
        from_package=code.from_package,
    )
