"""A plan run on arrays of the host: copied to its machine, launched, copied back, and each of these timed apart."""

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
    """One plan, run. Seconds are of the GPU's events, or of the wall clock on the emulator and the host.

    kernel_seconds: the median of kernel_seconds_all. record: what the last launch left.
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
        """What the emulator counted; None where nothing counts."""
        return self.record.counts

    @property
    def lines(self) -> Mapping[tuple[str, int], Any]:
        """The same counts per (file, line) of the kernel's source."""
        return self.record.lines

    @property
    def output(self) -> tuple[str, ...]:
        """What the kernel printed, a string a line."""
        return self.record.output


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
    """Compile the plan's kernel, copy in, launch, copy out; the result with the time of each.

    Args:
        plan: from choose_plan, of an A and a B that lie packed in their arrays.
        a: A of the plan's problem, C-contiguous and of its type; the bits as uint16 for bfloat16.
        b: B, likewise.
        timing_seconds: a kernel of which TIMED_LAUNCHES fit into this runs that often, after a first launch that does
            not count; any other runs once.
        poison: fill C with NaN first, so that an element which the kernel does not write cannot look right.
        progress: called now and then with (done, all) blocks, where the machine knows.
        run: what the plan's machine has loaded of it before; None loads it.

    Raises:
        CompileError, CompilerMissingError: the kernel cannot be compiled here.
        DeviceUnavailableError, MachineError: the machine cannot be used, or fails.
        tilewright.emulate.EmulationError: the kernel did on the emulator what it must not do.
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
    """C from what the kernel wrote: partial sums are added on the host, as seed 004 does."""
    if plan.taught is not None and plan.taught.partial_sums:
        with numpy.errstate(all="ignore"):  # Inf and NaN are as right here as in the kernel, which does not warn
            return numpy.asarray(written.sum(dtype=written.dtype))
    return written.reshape(plan.problem.c_shape)
