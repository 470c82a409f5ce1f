"""A kernel of the catalogue, compiled: freshly where NVRTC is, from the package where it is not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from tilewright.compile.nvrtc import CompilerMissingError, compile_source
from tilewright.compile.shipped import ARCHITECTURE, ptx_of_package
from tilewright.kernels import TaughtKernel


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


def compile_kernel(
    kernel: TaughtKernel, dtype: str, tile: int | None = None, *, architecture: str = ARCHITECTURE
) -> Program:
    """Compile a kernel of the catalogue for an element type and a tile (None: the kernel's default).

    A program is compiled once per process. Without NVRTC, PTX comes from the package.

    Raises:
        CompileError: NVRTC refused the source.
        CompilerMissingError: there is no NVRTC, and the package has no PTX for this tile or no cubin at all.
        ValueError: the kernel does not take the type or the tile, is no compiled kernel, or the architecture is none.
    """
    if "host" in kernel.runs_on:
        raise ValueError(f"{kernel.name} runs on the host and is not compiled by NVRTC.")
    refusal = kernel.variant_refusal(tile, dtype)
    if refusal:
        raise ValueError(refusal)
    if kernel.tile is not None and tile is None:
        tile = kernel.tile.default
    # The source is part of the key, so that an edited kernel is compiled anew.
    return _compile(kernel, kernel.source_text(), dtype, tile, architecture)


@lru_cache(maxsize=256)
def _compile(kernel: TaughtKernel, source: str, dtype: str, tile: int | None, architecture: str) -> Program:
    from_package = False
    try:
        code = compile_source(source, kernel.source_name, architecture=architecture, macros=kernel.macros(dtype, tile))
    except CompilerMissingError as missing:
        code = _from_package(kernel, dtype, tile, architecture, missing)
        from_package = True
    return Program(
        ptx=code if isinstance(code, str) else None,
        cubin=code if isinstance(code, bytes) else None,
        entry=kernel.entry,
        source_path=kernel.source_name,
        architecture=architecture,
        from_package=from_package,
    )


def _from_package(
    kernel: TaughtKernel, dtype: str, tile: int | None, architecture: str, missing: CompilerMissingError
) -> str:
    if not architecture.startswith("compute_"):
        raise CompilerMissingError(f"{kernel.name} cannot be compiled for {architecture}. {missing}") from missing
    ptx = ptx_of_package(kernel, dtype, tile)
    if ptx is None:
        usual = ", ".join(map(str, kernel.tile.usual)) if kernel.tile else ""
        raise CompilerMissingError(
            f"{kernel.name} with tile {tile} is not among the programs that ship with the package: "
            f"use tile {usual}, or install NVRTC. {missing}"
        ) from missing
    return ptx
