"""The PTX that ships with the package, for systems without NVRTC (macOS): reading it, and naming its files."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

from tilewright.kernels import CATALOGUE, TaughtKernel

FOLDER = Path(__file__).parent / "ptx"
ARCHITECTURE = "compute_90"


def shipped_variants() -> list[tuple[TaughtKernel, str, int | None]]:
    """Return what ships, as (kernel, dtype, tile): every compiled kernel in its types and usual tiles."""
    return [
        (kernel, dtype, tile)
        for kernel in CATALOGUE
        if isinstance(kernel, TaughtKernel) and "emulator" in kernel.runs_on
        for dtype in kernel.dtypes
        for tile in (kernel.tile.usual if kernel.tile else (None,))
    ]


def file_name(kernel: TaughtKernel, dtype: str, tile: int | None) -> str:
    """Return the name of the shipped file, as in ``matmul_tiled.float32.16.ptx.gz``."""
    return ".".join([kernel.entry, dtype, *([str(tile)] if kernel.tile else []), "ptx.gz"])


@cache
def ptx_of_package(kernel: TaughtKernel, dtype: str, tile: int | None = None) -> str | None:
    """Return the shipped PTX of a kernel, or None where this tile does not ship."""
    if kernel.tile is not None and tile is None:
        tile = kernel.tile.default
    path = FOLDER / file_name(kernel, dtype, tile)
    if not path.is_file():
        return None
    return gzip.decompress(path.read_bytes()).decode("ascii")
