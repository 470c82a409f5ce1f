"""Host arrays multiplied by a kernel that was asked for: on the emulator, on a GPU, or sequentially on the host.

The whole batch is one plan. For 16-bit types the result is their float32 sums.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.errors import Shaped
from tilewright.arrays.numpy import for_kernel, name_of, unaccepted_by_kernels
from tilewright.choose import Plan, choose_plan, named_kernel
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import INPUT_DTYPES, Problem
from tilewright.launch import Run, facts_of, open_machine
from tilewright.launch.plan_run import run_plan

from .way import Way

Array = NDArray[Any]
Shape = tuple[int, ...]

MOST_KEPT = 256
_loaded: dict[tuple[Any, ...], tuple[Plan, Run]] = {}


def kernel_type(operation: str, a: Shaped, b: Shaped, kernel: str) -> str:
    """The name of the type in which a kernel multiplies A and B: their own, or float64 of float32 and float64.

    Raises:
        DtypeError: the kernel takes no such types.
    """
    types = {name_of(x.dtype) if isinstance(x.dtype, numpy.dtype) else str(x.dtype) for x in (a, b)}
    known = named_kernel(operation, kernel)
    [dtype, *others] = types
    if not others and dtype in INPUT_DTYPES and operation != "dot" and (known is None or dtype in known.since):
        return dtype
    if not types <= {"float32", "float64"}:
        if known is None or operation == "dot":
            raise unaccepted_by_kernels(operation, a, b)
        raise unaccepted_by_kernels(known.name, a, b, known.since)
    return "float64" if "float64" in types else "float32"


def plan_for(operation: str, a: Shaped, b: Shaped, dtype: str, way: Way) -> Plan:
    """The plan for packed arrays of these shapes. Raises PlanError if the kernel cannot do this on the machine."""
    problem = _problem(operation, a.shape, b.shape, dtype, way.precision)
    return choose_plan(problem, facts_of(way.machine), way.kernel, way.tile)


def multiply_by_kernel(operation: str, a: Array, b: Array, dtype: str, shape: Shape, way: Way) -> Array:
    """The product of arrays of type `dtype`, with the given shape; float32 for 16-bit types.

    The plan and loaded kernels are kept for arrays of the same shapes and type.

    Raises:
        PlanError: the kernel cannot do this on the machine.
        DeviceUnavailableError, MachineError, CompileError, CompilerMissingError: the machine cannot be used, or fails.
    """
    if 0 in shape:
        plan = plan_for(operation, a, b, dtype, way)
        return numpy.zeros(shape, plan.problem.out_dtype)
    machine = open_machine(way.machine)
    key = (machine, operation, a.shape, b.shape, dtype, way.kernel, way.tile, way.precision)
    if key not in _loaded:
        plan = plan_for(operation, a, b, dtype, way)
        if len(_loaded) >= MOST_KEPT:
            _loaded.clear()
        _loaded[key] = plan, machine.load(plan)
    plan, run = _loaded[key]
    return run_plan(plan, _as_read(a, dtype), _as_read(b, dtype), run=run).c.reshape(shape)


def _problem(operation: str, a: Shape, b: Shape, dtype: str, precision: str) -> Problem:
    """The problem of packed arrays; a vector is a row on the left, a column on the right."""
    if operation == "dot":
        return replace(Problem.of(operation, 1, 1, a[0], dtype), precision=precision)
    rows, columns = a if len(a) > 1 else (1, *a), b if len(b) > 1 else (*b, 1)
    batch = numpy.broadcast_shapes(rows[:-2], columns[:-2])
    group = 2 if operation == "reduced_matmul" else 1
    return Problem(
        _spread(rows, batch),
        _spread(columns, batch),
        _spread((*batch, rows[-2] // group, columns[-1] // group), batch),
        dtype,
        "float32" if dtype in INPUT_DTYPES else dtype,
        operation=operation,
        precision=precision,
    )


def _spread(shape: Shape, batch: Shape) -> Operand:
    """A packed array as a batched operand; broadcast dimensions have stride 0."""
    rows, columns = shape[-2:]
    matrix = packed((rows, columns))
    steps, step = [], rows * columns
    for extent in reversed(shape[:-2]):
        steps.append(0 if extent == 1 else step)
        step *= extent
    steps += [0] * (len(batch) - len(steps))
    return replace(matrix, batch=batch, batch_strides=tuple(reversed(steps)))


def _as_read(array: Array, dtype: str) -> Array:
    """The array as kernels read it: row-major, in the machine's byte order; the bits of bfloat16."""
    if dtype != "bfloat16":
        return for_kernel(array, numpy.dtype(dtype))
    if array.dtype == numpy.float32:  # as torch's come
        return (numpy.ascontiguousarray(array, numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
    return numpy.ascontiguousarray(array).view(numpy.uint16)
