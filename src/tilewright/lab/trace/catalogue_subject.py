"""A kernel of the catalogue as the subject of a trace, planned for the emulator on matrices of small whole numbers."""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import Any

import numpy

from tilewright.choose import EMULATOR_FACTS, PlanError, choose_plan
from tilewright.compile import compile_source
from tilewright.compile.planned import own_headers, ptx_of
from tilewright.compile.shipped import ARCHITECTURE
from tilewright.emulate.machine.places import SharedArrays
from tilewright.kernels import Kernel, Problem, TaughtKernel
from tilewright.kernels.catalogue import find
from tilewright.kernels.launch import Launch, Parameter, Scalar, TensorMap
from tilewright.kernels.launch import Pointer as PlannedPointer
from tilewright.kernels.matmul import wgmma
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import C_TYPES
from tilewright.kernels.problem import INPUT_DTYPES
from tilewright.lab.check.element_types import dtype_of
from tilewright.lab.check.expressions import FormulaError, whole
from tilewright.lab.check.find.constants import constants_of
from tilewright.lab.check.judge.verdicts import budget_of
from tilewright.lab.check.run.execution import Argument, Geometry, Maps, Pointer, Stand
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source.preparing import device_part

from .subject import Listing, Product, Subject, TraceError, check_extent, listing_of, operands, with_operands

FORMATS = {"float": "<f", "double": "<d"}
HALF = "float16"
BARRIER = "__syncthreads();"
MOST_PRODUCTS = 1 << 28
"""The most multiply-adds of a pipeline, whose numbers are not drawn: a minute of the emulator."""
WARPGROUP_ROWS, WATCHED_STAGES = 64, 3
LONGEST_LINE = 64
"""The default of the most threads of a one-dimensional block."""


def catalogue_subject(
    kernel: Kernel,
    sizes: Sizes,
    tile: int | None,
    dtype: str | None = None,
    seed: int = 0,
    without: tuple[int, ...] = (),
) -> Subject:
    """Return a kernel of the catalogue with a problem.

    dtype: None for float32, or float16 for kernels of 16-bit types. without: barriers to remove from a taught kernel,
    counted from 1 in the source.

    Raises:
        PlanError: the kernel does not run on the emulator, or takes no such sizes, type or tile.
        TraceError: the problem is too large, or the kernel has no such barrier.
    """
    if "emulator" not in kernel.runs_on:
        raise PlanError(f"{kernel.name} runs on host alone, and a trace is recorded on the emulator.")
    is_taught = isinstance(kernel, TaughtKernel)
    if without and not is_taught:
        raise TraceError(f"{kernel.name} keeps its barriers: those of the seeds' kernels can be taken out.")
    if is_taught and kernel.tile is not None and tile is None:
        tile = min(kernel.tile.default, LONGEST_LINE)
    dtype = dtype or (HALF if HALF in kernel.since else "float32")
    if kernel.only is None:
        check_extent(kernel.operation, sizes)
    elif sizes.rows * sizes.cols * sizes.inner > MOST_PRODUCTS:
        raise TraceError(
            f"{kernel.name} at {sizes.said(kernel.operation)} is too long to be watched: m n k is {MOST_PRODUCTS:,} at "
            "most; give a smaller --size."
        )
    launch = _launch(kernel, sizes, tile, dtype)
    launched = find(*launch.kernel.split("/"))  # another kernel, where this one is a use of it
    source = _without_barriers(launched, without)
    stand = Stand(_ptx(launched, launch, source, dtype), launch.entry, _shared_arrays(launched, launch, dtype))
    geometry = Geometry(launch.grid, launch.block, launch.shared_bytes, launch.cluster)
    a, b, c = operands(kernel.operation, sizes, dict.fromkeys("ABC", _numpys(dtype)), geometry, seed)
    arrays = {"A": Pointer("A", a), "B": Pointer("B", b), "C": Pointer("C", c, is_unset=True)}
    if is_taught:
        listing = Listing(launched.source_name, source)
    else:
        listing = listing_of(launched.source_name, source, stand.module, own_headers(launched.source).get)
    return Subject(
        name=kernel.name + "".join(f" without barrier {number}" for number in without),
        listing=listing,
        operation=kernel.operation,
        stand=stand,
        arguments=tuple(_argument(each, arrays) for each in launch.parameters.values()),
        geometry=geometry,
        budget=budget_of(sizes),
        tile=tile,
        product=Product(sizes, a, b),
        notes=() if is_taught else (f"In {dtype}.",),
    )


def with_problem_of(product: Product, kernel: Kernel, tile: int | None) -> Subject:
    """Return a kernel of the catalogue on the A and B of another subject.

    Raises:
        PlanError: the kernel does not take that problem.
    """
    other = catalogue_subject(kernel, product.sizes, tile, str(product.a.dtype))
    return with_operands(other, product.a, product.b)


def _launch(kernel: Kernel, sizes: Sizes, tile: int | None, dtype: str) -> Launch:
    problem = Problem.of(kernel.operation, sizes.rows, sizes.cols, sizes.inner, dtype)
    if problem.is_empty:
        raise PlanError(f"{kernel.name} has nothing to compute for {sizes.said(kernel.operation)}: C is empty.")
    if kernel.only is None:
        found = choose_plan(problem, EMULATOR_FACTS, kernel.idea, tile).launches
    else:
        found = wgmma.launches(problem, EMULATOR_FACTS, _watched_tile(kernel, sizes, tile)).launches
    if len(found) != 1:
        raise TraceError(f"{kernel.name} takes {len(found)} launches for {sizes.said(kernel.operation)}, not one.")
    return found[0]


def _watched_tile(kernel: Kernel, sizes: Sizes, side: int | None) -> WgmmaTile:
    """Return a tile that fills its stages several times, which the fastest one for a small product does not.

    side: of a tile of C; None for 128, or 64 for a C that is no larger. Where tiles lie below each other, the blocks of
    two are a cluster and share their tiles of B.
    """
    side = side or (128 if max(sizes.rows, sizes.cols) > WARPGROUP_ROWS else WARPGROUP_ROWS)
    consumers, cluster = max(1, side // WARPGROUP_ROWS), 2 if sizes.rows > side else 1
    small = kernel.idea == "wgmma_small"
    return WgmmaTile(side, side, WATCHED_STAGES, consumers, cluster_m=cluster, small=small)


def _ptx(kernel: Kernel, launch: Launch, source: str, dtype: str) -> str:
    """Return the compiled source; without NVRTC, the PTX that ships with the package.

    Tensor core kernels are compiled for the oldest chip that runs them: on later ones, loads bypass the registers, and
    a trace shows only values in registers.
    """
    if source != kernel.source_text():
        return str(compile_source(source, kernel.source_name, architecture=ARCHITECTURE, macros=dict(launch.macros)))
    major, minor = kernel.since[dtype]
    if kernel.only is not None:
        return ptx_of(launch, kernel.only.replace("sm_", "compute_"))
    return ptx_of(launch, f"compute_{major}{minor}" if "mma.sync" in kernel.families else ARCHITECTURE)


def _without_barriers(kernel: Kernel, without: tuple[int, ...]) -> str:
    """Return the source with barriers removed; every line keeps its number."""
    lines = kernel.source_text().split("\n")
    places = [number for number, line in enumerate(lines) if line.strip() == BARRIER]
    for barrier in without:
        if not 1 <= barrier <= len(places):
            raise TraceError(f"{kernel.name} has {len(places)} barriers, and barrier {barrier} is none of them.")
        lines[places[barrier - 1]] = ""
    return "\n".join(lines)


def _shared_arrays(kernel: Kernel, launch: Launch, dtype: str) -> SharedArrays:
    """Return type and shape of the shared arrays; dynamic shared memory holds elements of A and B."""
    text, macros = kernel.source_text(), dict(launch.macros)
    known = {name: constant.value for name, constant in constants_of(text).items()}
    known |= {name: int(value) for name, value in macros.items() if value.isdigit()}
    [signature] = [each for each in device_part(text, kernel.source_name).kernels if each.name == launch.entry]
    found: dict[str, tuple[numpy.dtype[Any], tuple[int, ...]]] = {}
    for array in signature.shared_arrays:
        if array.is_dynamic:
            of_pairs = _numpys(dtype)
            found[array.name] = of_pairs, (launch.shared_bytes // of_pairs.itemsize,)
            continue
        of_elements = dtype_of(array.element_type) if dtype in INPUT_DTYPES else _numpys(dtype)
        with suppress(FormulaError):
            if of_elements is not None:
                found[array.name] = of_elements, tuple(whole(side, known) for side in array.dimensions)
    return found


def _numpys(dtype: str) -> numpy.dtype[Any]:
    found = dtype_of(C_TYPES[dtype])
    assert found is not None
    return found


def _argument(planned: Parameter, arrays: dict[str, Pointer]) -> Argument:
    if isinstance(planned, PlannedPointer):
        return arrays[planned.buffer]
    if isinstance(planned, bytes):
        return planned
    if not isinstance(planned, Scalar):
        maps = (planned,) if isinstance(planned, TensorMap) else planned
        return Maps(maps, tuple(arrays[each.buffer] for each in maps))
    form = FORMATS.get(planned.ctype)
    return int(planned.value) if form is None else struct.pack(form, planned.value)
