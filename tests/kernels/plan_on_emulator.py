"""A GPU's plan, run by the emulator: for the kernels of the chip's half of the catalogue that it can run."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from tilewright.choose.plan import Plan
from tilewright.compile.nvrtc import compile_with_headers
from tilewright.compile.planned import KERNELS, own_headers
from tilewright.emulate import Emulator
from tilewright.emulate.observers import Observer
from tilewright.kernels.launch import Pointer, Scalar

FORMATS = {"int": "<i", "unsigned": "<I", "long long": "<q", "float": "<f", "double": "<d"}


def run_on_emulator(
    emulator: Emulator,
    plan: Plan,
    addresses: Mapping[str, int],
    architecture: str,
    observers: Sequence[Observer] = (),
) -> None:
    """Compile and run each launch in order; ``addresses`` are those of each buffer's first element."""
    for launch in plan.launches:
        module = emulator.load(compiled(launch.source, launch.macros, architecture))
        arguments = [_value(argument, addresses) for argument in launch.arguments.values()]
        emulator.launch(
            module,
            launch.entry,
            grid=launch.grid,
            block=launch.block,
            arguments=arguments,
            dynamic_shared_bytes=launch.shared_bytes,
            observers=observers,
        )


@cache
def compiled(name: str, macros: tuple[tuple[str, str], ...], architecture: str) -> str:
    """A launch's kernel as PTX."""
    source = KERNELS / name
    program = compile_with_headers(
        source.read_text(encoding="utf-8"),
        name,
        architecture=architecture,
        macros=dict(macros),
        headers=own_headers(name),
    )
    assert isinstance(program.code, str)
    return program.code


def _value(argument: object, addresses: Mapping[str, int]) -> object:
    if isinstance(argument, Pointer):
        return np.uint64(addresses[argument.buffer] + argument.offset_bytes)
    assert isinstance(argument, Scalar)
    is_integer = argument.ctype not in {"float", "double"}
    return int(argument.value) if is_integer else struct.pack(FORMATS[argument.ctype], argument.value)
