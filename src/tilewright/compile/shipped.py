"""The PTX that ships with the package, for systems without NVRTC (macOS): reading it, and naming its files."""

from __future__ import annotations

import gzip
from dataclasses import replace
from functools import cache
from pathlib import Path

from tilewright.kernels import CATALOGUE, Kernel, Problem, find
from tilewright.kernels.facts import EMULATOR_FACTS
from tilewright.kernels.launch import Launch
from tilewright.kernels.operand import C_TYPES, DTYPE_BYTES
from tilewright.kernels.problem import INPUT_DTYPES

FOLDER = Path(__file__).parent / "ptx"
ARCHITECTURE = "compute_90"
SIDE = 64
"""Of the packed matrices whose kernels ship, where these depend on more than type and tile."""

_DTYPES = {c_type: dtype for dtype, c_type in C_TYPES.items()}


def shipped_variants() -> list[tuple[Kernel, str, int | None]]:
    """Return what ships, as (kernel, dtype, tile): what the emulator runs, in its types and usual tiles.

    Not kernels for one chip alone: their macros follow from the sizes of each product. Nor those of integers, which
    NumPy multiplies on the host.
    """
    return [
        (kernel, dtype, tile)
        for kernel in CATALOGUE
        if "emulator" in kernel.runs_on and not kernel.is_step and kernel.only is None
        for dtype in kernel.dtypes
        if dtype in DTYPE_BYTES
        for tile in (kernel.tile.usual if kernel.tile else (None,))
    ]


def usual_launch(kernel: Kernel, dtype: str, tile: int | None = None) -> Launch:
    """Return a launch of a kernel for packed matrices, whose macros are those of what ships; sums stay float32."""
    sizes = (1, 1, SIDE) if kernel.operation == "dot" else (SIDE, SIDE, SIDE)
    problem = Problem.of(kernel.operation, *sizes, dtype)
    if dtype in INPUT_DTYPES:
        problem = replace(problem, out_dtype="float32")
    return kernel.launches(problem, EMULATOR_FACTS, tile).launches[0]


def file_name(launch: Launch) -> str:
    """Return the name of a launch's shipped file, as in ``matmul_tiled.float32.16.ptx.gz``: the macros' values."""
    return ".".join([launch.entry, *(_DTYPES.get(value, value) for _, value in launch.macros), "ptx.gz"])


@cache
def ptx_in(file: str) -> str | None:
    """Return the PTX of a shipped file, or None where there is no such file."""
    path = FOLDER / file
    return gzip.decompress(path.read_bytes()).decode("ascii") if path.is_file() else None


def ptx_of_package(kernel: Kernel, dtype: str, tile: int | None = None) -> str | None:
    """Return the shipped PTX of a kernel, or None where this tile does not ship."""
    return ptx_in(file_name(usual_launch(kernel, dtype, tile)))


def shipped_instead(launch: Launch) -> str:
    """Return what of a launch's kernel does ship, as in ``use tile 8, 16``."""
    tile = find(*launch.kernel.split("/")).tile
    if tile is None:
        return f"use packed matrices of {SIDE} x {SIDE}"
    return f"use tile {', '.join(map(str, tile.usual))}"
