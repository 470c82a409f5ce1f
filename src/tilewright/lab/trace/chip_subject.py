"""A kernel of the chip's half of the catalogue as a subject: planned as for a GPU, run on the emulator."""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import Any

import numpy

from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.compile.nvrtc import compile_with_headers
from tilewright.compile.planned import own_headers
from tilewright.emulate.machine.places import SharedArrays
from tilewright.kernels.kernel import Kernel
from tilewright.kernels.launch import Argument as PlannedArgument
from tilewright.kernels.launch import Launch, Scalar
from tilewright.kernels.launch import Pointer as PlannedPointer
from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Problem
from tilewright.lab.check.constants import constants_of
from tilewright.lab.check.element_types import dtype_of
from tilewright.lab.check.execution import Argument, Geometry, Pointer, Stand
from tilewright.lab.check.expressions import FormulaError, whole
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.check.verdicts import budget_of
from tilewright.lab.source.device_part import device_part

from .listing import listing_of
from .subject import Product, Subject, TraceError, check_extent, operands

CHIP, ARCHITECTURE = "t4", "compute_75"
"""The oldest chip that all of them run on: what they do there, newer ones do as well."""
FORMATS = {"int": "<i", "unsigned": "<I", "long long": "<q", "float": "<f", "double": "<d"}
HALF = "float16"


def chip_subject(
    kernel: Kernel, sizes: Sizes, tile: int | None, dtype: str | None, seed: int, without: tuple[int, ...] = ()
) -> Subject:
    """Return a kernel with packed matrices. dtype: None for float16, or float32 where it takes no float16.

    Raises:
        PlanError: the emulator does not run it, or it takes no such type or tile.
        TraceError: the problem is too large, or a barrier is to be taken out.
    """
    if kernel.emulator_refusal is not None:
        raise PlanError(f"{kernel.emulator_refusal} It cannot be watched.")
    if without:
        raise TraceError(f"{kernel.name} keeps its barriers: those of float32 and float64 kernels can be taken out.")
    dtype = dtype or (HALF if HALF in kernel.since else "float32")
    check_extent("matmul", sizes)
    launch = _launch(kernel, sizes, tile, dtype)
    stand = Stand(_ptx(kernel, launch), launch.entry, _shared_arrays(kernel, launch, dtype))
    geometry = Geometry(launch.grid, launch.block, launch.shared_bytes)
    a, b, c = operands("matmul", sizes, {name: numpy.dtype(dtype) for name in "ABC"}, geometry, seed)
    arrays = {"A": Pointer("A", a), "B": Pointer("B", b), "C": Pointer("C", c, is_unset=True)}
    return Subject(
        name=kernel.name,
        listing=listing_of(kernel.source_name, kernel.source_text(), stand.module, own_headers(kernel.source).get),
        operation="matmul",
        stand=stand,
        arguments=tuple(_argument(each, arrays) for each in launch.arguments.values()),
        geometry=geometry,
        budget=budget_of(sizes),
        tile=tile,
        product=Product(sizes, a, b),
        notes=(f"In {dtype}, as launched on a chip of compute capability 7.5.",),
    )


def _launch(kernel: Kernel, sizes: Sizes, tile: int | None, dtype: str) -> Launch:
    m, n, k = sizes.rows, sizes.cols, sizes.inner
    if dtype not in kernel.since:
        raise PlanError(f"{kernel.name} takes {' or '.join(kernel.since)}, not {dtype}.")
    product = Problem(Operand(m, k, k, 1), Operand(k, n, n, 1), Operand(m, n, n, 1), dtype, dtype)
    plan = choose_plan(product, find_chip(CHIP), kernel.idea, tile)
    if len(plan.launches) != 1:
        raise TraceError(f"{kernel.name} takes {len(plan.launches)} launches for {sizes.said('matmul')}, not one.")
    return plan.launches[0]


def _ptx(kernel: Kernel, launch: Launch) -> str:
    program = compile_with_headers(
        kernel.source_text(),
        kernel.source_name,
        architecture=ARCHITECTURE,
        macros=dict(launch.macros),
        headers=own_headers(kernel.source),
    )
    return str(program.code)


def _shared_arrays(kernel: Kernel, launch: Launch, dtype: str) -> SharedArrays:
    """Return type and shape of the shared arrays; memory that a launch sizes holds elements of A and B."""
    text, macros = kernel.source_text(), dict(launch.macros)
    known = {name: constant.value for name, constant in constants_of(text).items()}
    known |= {name: int(value) for name, value in macros.items() if value.isdigit()}
    [signature] = [each for each in device_part(text, kernel.source_name).kernels if each.name == launch.entry]
    found: dict[str, tuple[numpy.dtype[Any], tuple[int, ...]]] = {}
    for array in signature.shared_arrays:
        if array.is_dynamic:
            of_pairs = numpy.dtype(dtype)
            found[array.name] = of_pairs, (launch.shared_bytes // of_pairs.itemsize,)
            continue
        of_elements = dtype_of(array.element_type) if dtype == HALF else numpy.dtype(dtype)
        with suppress(FormulaError):
            if of_elements is not None:
                found[array.name] = of_elements, tuple(whole(side, known) for side in array.dimensions)
    return found


def _argument(planned: PlannedArgument, arrays: dict[str, Pointer]) -> Argument:
    if isinstance(planned, PlannedPointer):
        return arrays[planned.buffer]
    if not isinstance(planned, Scalar):
        raise TraceError("A kernel that takes tensor maps cannot be watched: the emulator has no copy engine.")
    is_real = planned.ctype in {"float", "double"}
    return struct.pack(FORMATS[planned.ctype], planned.value) if is_real else int(planned.value)
