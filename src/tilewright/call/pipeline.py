"""The way of an array, joined: choose a plan, compile its kernel, launch it on a machine.

`multiply` is what the public calls share. `run_plan` is the part that every run takes, the command line's too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from statistics import median
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.errors import unmultipliable
from tilewright.arrays.host_array import in_type
from tilewright.arrays.numpy import as_operand, check_out, deliver, for_kernel, host_dtype, kernel_dtype, matrix_pairs
from tilewright.choose import EMULATOR_FACTS, HOST_FACTS, DeviceFacts, Plan, PlanError, Problem, choose_plan
from tilewright.compile import Program, compile_kernel
from tilewright.launch import Machine, Progress, kernel_machine, open_machine

from . import trip
from .arguments import check_device, check_kernel, check_tile
from .free_memory import in_words
from .shapes import check_shapes

Array = NDArray[Any]

HOST_IDEAS = ("auto", "numpy", "sequential")
TIMED_LAUNCHES = 9


@dataclass(frozen=True)
class Run:
    """One plan, run. Seconds are of the GPU's events, or of the wall clock on the emulator and the host.

    kernel_seconds: the median of kernel_seconds_all. counts, lines, output: see tilewright.launch.LaunchRecord.
    """

    plan: Plan
    c: Array
    copy_in_seconds: float
    kernel_seconds: float
    copy_out_seconds: float
    kernel_seconds_all: tuple[float, ...]
    counts: Any = None
    lines: Mapping[tuple[str, int], Any] = field(default_factory=dict)
    output: tuple[str, ...] = ()


def machine_name(device: str, kernel: str = "auto") -> str:
    """The machine for a device: "auto" is the host for NumPy and the sequential kernels.

    A kernel that was asked for by name and does not run on the host runs on the GPU, or where none can be used on
    the emulator.

    Raises:
        PlanError: the device is unknown.
    """
    if check_device(device) != "auto":
        return device
    if kernel.rpartition("/")[2] in HOST_IDEAS:
        return "host"
    return kernel_machine()[0]


def runs_on_numpy(kernel: str, device: str) -> bool:
    """Whether NumPy computes it: on the host, where nothing else was asked for by name."""
    return device in {"auto", "host"} and kernel.rpartition("/")[2] in {"auto", "numpy"}


def facts_of(machine: str) -> DeviceFacts:
    """What planning needs to know of a machine; only the GPU has to be opened for it."""
    known = {"host": HOST_FACTS, "emulator": EMULATOR_FACTS}
    return known[machine] if machine in known else open_machine(machine).facts()


def prepare(plan: Plan) -> None:
    """Do of a run what needs no arrays: open the machine, compile the kernel. A run that follows finds both done.

    Raises:
        PlanError: the machine has not the memory for A, B and what the kernel writes.
        CompileError, CompilerMissingError, DeviceUnavailableError, MachineError: as run_plan would.
    """
    machine, problem = open_machine(plan.machine), plan.problem
    elements = prod(problem.a_shape) + prod(problem.b_shape)
    needed = elements * problem.element_bytes + plan.c_elements * problem.out_bytes
    room = machine.room_bytes()
    if room is not None and needed > room:
        raise PlanError(
            f"{plan.kernel.name} needs {in_words(needed)} of memory on the {plan.machine}, which has {in_words(room)} "
            "left; use smaller sizes."
        )
    _compiled(plan, machine)
    if plan.kernel.idea == "sequential":
        from tilewright.launch import host

        host.load_twins()


def run_plan(
    plan: Plan,
    a: Array,
    b: Array,
    *,
    timing_seconds: float = 0.0,
    poison: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Compile the plan's kernel, copy in, launch, copy out; the result with the time of each.

    Args:
        plan: from choose_plan.
        a: A of the plan's problem, C-contiguous and of its type.
        b: B, likewise.
        timing_seconds: a kernel of which TIMED_LAUNCHES fit into this runs that often, after a first launch that does
            not count; any other runs once.
        poison: fill C with NaN first, so that an element which the kernel does not write cannot look right.
        progress: called now and then with (done, all) blocks, where the machine knows.

    Raises:
        CompileError, CompilerMissingError: the kernel cannot be compiled here.
        DeviceUnavailableError, MachineError: the machine cannot be used, or fails.
        tilewright.emulate.EmulationError: the kernel did on the emulator what it must not do.
    """
    machine = open_machine(plan.machine)
    problem = plan.problem
    program = _compiled(plan, machine)
    written = numpy.empty(plan.c_elements, a.dtype)
    if machine.architecture is not None:  # no device allocates nothing; a kernel reads none of an inner size of 0
        a, b = (array if array.size else numpy.zeros(1, array.dtype) for array in (a, b))
    held: list[Any] = []
    try:
        held.extend(machine.allocate(array.nbytes, name) for array, name in ((a, "A"), (b, "B"), (written, "C")))
        if poison:
            machine.copy_in(held[2], numpy.full(plan.c_elements, numpy.nan, a.dtype))
        copy_in_seconds = machine.copy_in(held[0], a) + machine.copy_in(held[1], b)
        sizes = (problem.k,) if problem.about.vectors else problem.sizes
        machine.progress = progress
        records = [machine.launch(program, plan, [*held, *sizes])]
        if records[0].kernel_seconds * TIMED_LAUNCHES <= timing_seconds:
            records = [machine.launch(program, plan, [*held, *sizes]) for _ in range(TIMED_LAUNCHES)]
        copy_out_seconds = machine.copy_out(held[2], written)
    finally:
        machine.progress = None
        for buffer in held:
            machine.free(buffer)

    seconds = tuple(record.kernel_seconds for record in records)
    last = records[-1]
    return Run(
        plan,
        _finished(plan, written),
        copy_in_seconds,
        median(seconds),
        copy_out_seconds,
        seconds,
        last.counts,
        last.lines,
        last.output,
    )


def multiply(operation: str, a: object, b: object, *, kernel: str, device: str, tile: object, out: object) -> Any:
    """What matmul, reduced_matmul and dot do with NumPy arrays; everything is checked before anything runs."""
    left, right = as_operand(a, "A"), as_operand(b, "B")
    shape = check_shapes(operation, left, right)
    tile = check_tile(tile)
    machine = machine_name(device, check_kernel(operation, kernel, tile))
    if runs_on_numpy(kernel, machine):
        if tile is not None:
            raise PlanError(
                f"NumPy has no tile to set, so tile = {tile} cannot be used; leave it out or name a kernel."
            )
        dtype = host_dtype(operation, left, right)
        target = check_out(out, shape, dtype)
        if trip.may_go(operation, kernel, device, left, shape):
            c = trip.multiply_if_it_pays(in_type(left, dtype), in_type(right, dtype), shape)
            if c is not None:
                return deliver(c, target)
        x, y = (given if isinstance(given, numpy.ndarray) else array for given, array in ((a, left), (b, right)))
        return _on_numpy(operation, x, y, target)

    if trip.goes_as_asked(operation, kernel, machine, tile):
        left, right, dtype = trip.operands(left, right)
        target = check_out(out, shape, dtype)
        return deliver(trip.multiply(left, right, shape), target)

    dtype = kernel_dtype(operation, left, right)
    target = check_out(out, shape, dtype)
    c = numpy.zeros(shape, dtype)
    if c.size:
        facts = facts_of(machine)
        for rows, columns, place in _matrices(operation, left, right, c):
            plan = choose_plan(problem_of(operation, rows, columns, dtype.name), facts, kernel, tile)
            result = run_plan(plan, for_kernel(rows, dtype), for_kernel(columns, dtype))
            place[...] = result.c.reshape(place.shape)
    return deliver(c, target)


def problem_of(operation: str, a: Array, b: Array, dtype: str) -> Problem:
    """The problem of two matrices (the last two dimensions count) or, for dot, of two vectors."""
    if operation == "dot":
        return Problem.of(operation, 1, 1, a.shape[0], dtype)
    return Problem.of(operation, a.shape[-2], b.shape[-1], a.shape[-1], dtype)


def _matrices(operation: str, a: Array, b: Array, c: Array) -> Any:
    if operation == "dot":
        return [(a, b, c)]
    return matrix_pairs(a, b, c)


def _on_numpy(operation: str, a: Array, b: Array, out: Array | None) -> Any:
    from tilewright.launch import host

    try:
        result = (host.matmul if operation == "matmul" else host.reduced_matmul)(a, b, out)
    except TypeError as error:
        if numpy.dtype(object) not in (a.dtype, b.dtype):
            raise
        raise unmultipliable(operation, a, b) from error  # their elements tell only when they are multiplied
    return deliver(result, out)


def _compiled(plan: Plan, machine: Machine) -> Program | None:
    if machine.architecture is None:
        return None
    if plan.taught is None:
        raise PlanError(f"{plan.kernel.name} runs here for arrays that are on a GPU; name one of the seeds' kernels.")
    return compile_kernel(plan.taught, plan.problem.dtype, plan.side, architecture=machine.architecture)


def _finished(plan: Plan, written: Array) -> Array:
    """C from what the kernel wrote: partial sums are added on the host, as seed 004 does."""
    if plan.taught is not None and plan.taught.partial_sums:
        with numpy.errstate(all="ignore"):  # Inf and NaN are as right here as in the kernel, which does not warn
            return numpy.asarray(written.sum(dtype=written.dtype))
    return written.reshape(plan.problem.c_shape)
