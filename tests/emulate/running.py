"""Runs a kernel of a test: source to PTX, arrays in, launch, arrays out."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.compile import compile_source
from tilewright.emulate import Allocation, Emulator, LaunchResult

PTX_HEADER = ".version 8.5\n.target sm_90\n.address_size 64\n"

Dimensions = int | tuple[int, ...]


@functools.cache
def ptx_of(source: str, *options: str) -> str:
    """Compile CUDA C++ to PTX, once per text."""
    architecture = "compute_90a" if "wgmma" in source or "setmaxnreg" in source else "compute_90"
    program = compile_source(source, "test.cu", architecture=architecture, extra_options=options)
    assert isinstance(program, str)
    return program


def three(size: Dimensions) -> tuple[int, int, int]:
    """Return an extent with the dimensions it leaves out."""
    given = (size,) if isinstance(size, int) else size
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


def launch(
    source: str,
    *arguments: object,
    grid: Dimensions = 1,
    block: Dimensions = 32,
    entry: str = "kernel",
    emulator: Emulator | None = None,
    workers: int = 1,
    **options: Any,
) -> LaunchResult:
    """Run `entry` of CUDA C++ or PTX text; NumPy arrays travel to the emulator and come back changed in place."""
    machine = emulator or Emulator(workers=workers)
    module = machine.load(source if "\n.target " in source else ptx_of(source))
    held: list[tuple[NDArray[Any], Allocation]] = []
    passed: list[object] = []
    for place, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray):
            allocation = machine.allocate(argument.nbytes, name=f"array {place}")
            allocation.write(argument)
            held.append((argument, allocation))
            passed.append(allocation)
        else:
            passed.append(argument)
    result = machine.launch(module, entry, grid=three(grid), block=three(block), arguments=passed, **options)
    for array, allocation in held:
        array[...] = allocation.read(array.dtype, array.shape)
        allocation.free()
    return result


def line_of(source: str, fragment: str) -> int:
    """Return the number of the only line of `source` that holds `fragment`."""
    (number,) = [number for number, text in enumerate(source.splitlines(), 1) if fragment in text]
    return number


def entry_of(name: str, parameters: Sequence[str], body: str) -> str:
    """Return a PTX module with one entry; each parameter is its type, named `p0`, `p1` and so on."""
    declared = ", ".join(f".param .{kind} p{place}" for place, kind in enumerate(parameters))
    return f"{PTX_HEADER}.visible .entry {name}({declared})\n{{\n{body}\n}}\n"
