"""Runs a plan on host arrays: copies in, launches, copies back, and times each step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from statistics import median
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.choose import Plan, PlanError
from tilewright.choose.quantities import in_words
from tilewright.kernels.launch import BUFFERS

from . import open_machine
from .machine import Progress, Record, Run

Array = NDArray[Any]

TIMED_LAUNCHES = 9


@dataclass(frozen=True)
class PlanRun:
    """A finished run of a plan. Seconds are between the GPU's events, or wall-clock on the emulator and the host.

    kernel_seconds: the median of kernel_seconds_all. record: of the last launch.
    """

    plan: Plan
    c: Array
    copy_in_seconds: float
    kernel_seconds: float
    copy_out_seconds: float
    kernel_seconds_all: tuple[float, ...]
    record: Record

    @property
    def counts(self) -> Any:
        """The emulator's counts; None on other machines."""
        return self.record.counts

    @property
    def lines(self) -> Mapping[tuple[str, int], Any]:
        """The same counts per (file, line) of the kernel's source."""
        return self.record.lines

    @property
    def output(self) -> tuple[str, ...]:
        """The lines that the kernel printed."""
        return self.record.output


def prepare(plan: Plan) -> None:
    """Do the part of a run that needs no arrays: open the machine and compile the kernel.

    Raises:
        PlanError: the machine does not have the memory for A, B and the kernel's output.
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
    machine.load(plan)


def run_plan(
    plan: Plan,
    a: Array,
    b: Array,
    *,
    timing_seconds: float = 0.0,
    poison: bool = False,
    progress: Progress | None = None,
    run: Run | None = None,
) -> PlanRun:
    """Compile the plan's kernel, copy in, launch, copy out; return the result with the time of each step.

    Args:
        plan: from choose_plan, of an A and a B that lie packed in their arrays.
        a: A of the plan's problem, C-contiguous and of its type; the bits as uint16 for bfloat16.
        b: B, likewise.
        timing_seconds: if TIMED_LAUNCHES of the kernel fit into this time, it runs that often after a warm-up launch;
            otherwise once.
        poison: fill C with NaN first, so that an element which the kernel does not write cannot look right.
        progress: called now and then with (done, all) blocks, where the machine knows.
        run: the plan, if its machine has already loaded it; None loads it.

    Raises:
        CompileError, CompilerMissingError: the kernel cannot be compiled here.
        DeviceUnavailableError, MachineError: the machine cannot be used, or fails.
        tilewright.emulate.EmulationError: a fault of the kernel on the emulator.
    """
    machine = open_machine(plan.machine)
    run = machine.load(plan) if run is None else run
    written = numpy.empty(plan.c_elements, plan.problem.out_dtype)
    memory: dict[str, Array] = {"A": a, "B": b, "C": written}
    if plan.workspace_bytes:
        memory["workspace"] = numpy.empty(plan.workspace_bytes, numpy.uint8)
    if machine.name != "host":  # no device allocates nothing; a kernel reads none of an inner size of 0
        memory = {name: array if array.size else numpy.zeros(1, array.dtype) for name, array in memory.items()}
    held: dict[str, Any] = {}
    try:
        for name, array in memory.items():
            held[name] = machine.allocate(array.nbytes, name)
        if poison:
            machine.copy_in(held["C"], numpy.full(plan.c_elements, numpy.nan, written.dtype))
        copy_in_seconds = machine.copy_in(held["A"], memory["A"]) + machine.copy_in(held["B"], memory["B"])
        addresses = [held[name].address if name in held else 0 for name in BUFFERS]
        records = [machine.timed(run, addresses, progress)]
        if records[0].kernel_seconds * TIMED_LAUNCHES <= timing_seconds:
            records = [machine.timed(run, addresses) for _ in range(TIMED_LAUNCHES)]
        copy_out_seconds = machine.copy_out(held["C"], written)
    finally:
        for buffer in held.values():
            machine.free(buffer)
    seconds = tuple(record.kernel_seconds for record in records)
    return PlanRun(
        plan,
        _finished(plan, written),
        copy_in_seconds,
        median(seconds),
        copy_out_seconds,
        seconds,
        records[-1],
    )


def _finished(plan: Plan, written: Array) -> Array:
    """C from the kernel's output: partial sums are added on the host, as in seed 004."""
    if plan.taught is not None and plan.taught.partial_sums:
        with numpy.errstate(all="ignore"):  # Inf and NaN are as right here as in the kernel, which does not warn
            return numpy.asarray(written.sum(dtype=written.dtype))
    return written.reshape(plan.problem.c_shape)
