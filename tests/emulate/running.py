"""Runs a kernel of a test: source to PTX, arrays in, launch, arrays out."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.compile import compile_source
from tilewright.emulate import Allocation, Emulator, LaunchResult
from tilewright.emulate.tensor_map import encode_tensor_map

PTX_HEADER = ".version 8.5\n.target sm_90\n.address_size 64\n"

Dimensions = int | tuple[int, ...]


@dataclass(frozen=True)
class TensorOf:
    """A tensor map as an argument: of the argument at `place`, with what encode_tensor_map takes besides an address."""

    place: int
    data_type: int
    sizes: tuple[int, ...]
    strides_bytes: tuple[int, ...]
    box: tuple[int, ...]
    element_strides: tuple[int, ...] | None = None
    swizzle: int = 0
    fill: int = 0
    interleave: int = 0

    def encode(self, allocation: object) -> bytes:
        """Return the map's bytes."""
        assert isinstance(allocation, Allocation)
        return encode_tensor_map(
            self.data_type,
            allocation.address,
            self.sizes,
            self.strides_bytes,
            self.box,
            self.element_strides,
            swizzle=self.swizzle,
            fill=self.fill,
            interleave=self.interleave,
        )


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
        if isinstance(argument, TensorOf):
            passed.append(argument.encode(passed[argument.place]))
        elif isinstance(argument, np.ndarray):
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
