"""Plans of a product on this machine's first GPU: the same random numbers for all, results compared, times in turn."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from math import isfinite, nan, sqrt
from typing import Protocol

import numpy
from numpy.typing import NDArray

from tilewright.compile import CompileError, CompilerMissingError
from tilewright.compile.planned import compile_launches
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import BUFFERS, Launches
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.problem import Problem
from tilewright.lab.bench.timing import ColdTimer, HostLateError
from tilewright.launch.cuda.planned import PlannedRun
from tilewright.launch.cuda.staging import StagedCopies, staged_copies
from tilewright.launch.machine import MachineError

from .driver_clock import DriverClock, dot_run

FIRST_GPU = 0
RANDOM_ELEMENTS = 2**21 + 3
"""So many random numbers fill a matrix again and again, from another one of them on in B than in A."""
FIRST_OF_B = 1_000_003
AGREES_WITHIN = {"float16": 5e-3, "bfloat16": 1e-2, "float32": 2e-4, "float64": 1e-6, "tf32": 1e-2}
"""Of the norm, with room for the roundings of a million sums in a row. It makes sure that the same product is timed;
proofs are the tests'. The norm of a difference is made of three sums in float64, whose own rounding is some 1e-7."""
UNUSABLE = (CompileError, CompilerMissingError, MachineError)
"""Why a plan cannot run here."""
NAN_BYTE = 0xFF
"""Of which every type's NaN is made: what a kernel leaves out of C is seen."""

Bytes = NDArray[numpy.uint8]


class UnmeasurableError(Exception):
    """The planner's own choice cannot be run for a product; the message says why."""


class Stopwatch(Protocol):
    """What times plans on a card with these facts."""

    facts: DeviceFacts

    def prepare(self, plans: Sequence[Launches]) -> None:
        """Compile the programs of plans, several at a time; what cannot be compiled is left for `times_us` to tell."""

    def times_us(self, problem: Problem, plans: Sequence[Launches], seconds: float) -> list[float | None]:
        """Return the median time of each plan, timed in turn for about so long on the same random numbers.

        None for a plan that cannot run here, or whose result is not that of the first.

        Raises:
            UnmeasurableError: the first cannot run, there is no memory for the product, or the host is too slow.
        """


class DriverStopwatch:
    """The first GPU, by the driver alone; use within `opened`."""

    def __init__(self, copies: StagedCopies, clock: DriverClock, pools: ExitStack) -> None:
        self.facts = copies.device.facts
        self._copies, self._device, self._timer = copies, copies.device, ColdTimer(clock)
        self._held = pools
        self._pools: dict[str, int] = {}

    @classmethod
    @contextmanager
    def opened(cls) -> Iterator[DriverStopwatch]:
        """Yield it. Raises DeviceUnavailableError or MachineError where no GPU can be used."""
        copies = staged_copies(FIRST_GPU)
        with copies.lock, copies.device.entered(), DriverClock.opened(copies) as clock, ExitStack() as held:
            yield cls(copies, clock, held)

    def prepare(self, plans: Sequence[Launches]) -> None:
        """Compile as `Stopwatch.prepare` says."""
        programs = {(each.source, each.macros): each for plan in plans for each in plan.launches}
        launches, at_once = list(programs.values()), os.cpu_count() or 1
        for first in range(0, len(launches), at_once):
            with suppress(CompileError, CompilerMissingError):
                compile_launches(launches[first : first + at_once], self._device.capability)

    def times_us(self, problem: Problem, plans: Sequence[Launches], seconds: float) -> list[float | None]:
        """Time as `Stopwatch.times_us` says."""
        with ExitStack() as held:
            try:
                runs = [PlannedRun(plans[0], self._device), *map(self._run, plans[1:])]
                held_at = self._matrices(problem, max(run.workspace_bytes for run in runs if run is not None), held)
            except UNUSABLE as error:
                raise UnmeasurableError(f"{problem}: {error}") from error
            return self._in_turn(problem, runs, held_at, seconds)

    def _run(self, plan: Launches) -> PlannedRun | None:
        try:
            return PlannedRun(plan, self._device)
        except UNUSABLE:
            return None

    def _in_turn(
        self, problem: Problem, runs: Sequence[PlannedRun | None], held_at: dict[str, int], seconds: float
    ) -> list[float | None]:
        """Run each once, and time those that agree with the first."""
        calls = {}
        for number, run in enumerate(runs):
            into = {**held_at, "C": held_at["C" if number else "expected"]}
            if run is not None and self._apart(problem, run, into) <= (_agrees_within(problem) if number else 0):
                addresses = [into.get(name, 0) for name in BUFFERS]
                calls[str(number)] = partial(run.run, addresses, self._copies.stream)
            elif not number:
                raise UnmeasurableError(
                    f"{problem}: the planner's choice is refused by the driver, or its results are not finite."
                )
        try:
            found = self._timer.time(calls, seconds)
        except HostLateError as error:
            raise UnmeasurableError(f"{problem}: {error}") from error
        return [found[str(number)].median_us if str(number) in found else None for number in range(len(runs))]

    def _apart(self, problem: Problem, run: PlannedRun, held_at: dict[str, int]) -> float:
        """Run it once; return the norm of the difference of C and what is expected, over that of the latter.

        NaN where C has one, and where the driver refuses the launch.
        """
        c, expected, stream = held_at["C"], held_at["expected"], self._copies.stream
        self._device.call("cuMemsetD8Async", c, NAN_BYTE, _c_bytes(problem), stream)
        try:
            run.run([held_at.get(name, 0) for name in BUFFERS], stream)
        except MachineError:
            return nan
        pairs = ((c, c), (c, expected), (expected, expected))
        ours, both, theirs = (self._dot(problem, *pair, held_at["sum"]) for pair in pairs)
        difference = ours - 2 * both + theirs
        return sqrt(max(difference, 0.0) / theirs) if isfinite(difference) and theirs else nan

    def _dot(self, problem: Problem, x: int, y: int, into: int) -> float:
        """Return the sum of products of two results' elements, in float64."""
        run = dot_run(self._copies, problem.c.distinct_elements, problem.dtype, "float64")
        with ExitStack() as held:
            found = {"A": x, "B": y, "C": into, "workspace": self._allocated(run.workspace_bytes, held)}
            run.run([found.get(name, 0) for name in BUFFERS], self._copies.stream)
            total = numpy.zeros(1)
            self._copies.to_host(into, total)
        return float(total[0])

    def _matrices(self, problem: Problem, workspace_bytes: int, held: ExitStack) -> dict[str, int]:
        """Return addresses by name: A and B with random numbers, room for C and what is expected of it, a workspace."""
        sizes = {
            "A": problem.a.distinct_elements * problem.element_bytes,
            "B": problem.b.distinct_elements * problem.element_bytes,
            "C": _c_bytes(problem),
            "expected": _c_bytes(problem),
            "workspace": workspace_bytes,
            "sum": DTYPE_BYTES["float64"],
        }
        found = {name: self._allocated(nbytes, held) for name, nbytes in sizes.items()}
        for name, first in (("A", 0), ("B", FIRST_OF_B)):
            self._fill(found[name], sizes[name], problem.dtype, first * problem.element_bytes)
        return found

    def _allocated(self, nbytes: int, held: ExitStack) -> int:
        address = self._copies.allocate(nbytes)
        held.callback(self._copies.free, address)
        return address

    def _fill(self, address: int, nbytes: int, dtype: str, first_byte: int) -> None:
        """Repeat a type's random numbers, from one of them on."""
        pool = self._pool(dtype)
        pool_bytes = RANDOM_ELEMENTS * DTYPE_BYTES[dtype]
        done = 0
        for at, size in ((first_byte, pool_bytes - first_byte), (0, first_byte)):
            done += self._copied(address + done, pool + at, min(size, nbytes - done))
        while done < nbytes:
            done += self._copied(address + done, address, min(done, nbytes - done))

    def _copied(self, to: int, source: int, nbytes: int) -> int:
        if nbytes > 0:
            self._device.call("cuMemcpyDtoDAsync", to, source, nbytes, self._copies.stream)
        return max(nbytes, 0)

    def _pool(self, dtype: str) -> int:
        """Return the address of a type's random numbers, made once."""
        if dtype not in self._pools:
            numbers = normal_numbers(dtype)
            self._pools[dtype] = self._allocated(numbers.nbytes, self._held)
            self._copies.to_gpu(numbers, self._pools[dtype])
        return self._pools[dtype]


def normal_numbers(dtype: str) -> Bytes:
    """Return random normal numbers of a type, as bytes; those of bfloat16 are float32's, cut off."""
    numbers = numpy.random.default_rng(0).standard_normal(RANDOM_ELEMENTS)
    if dtype == "bfloat16":
        return (numbers.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16).view(numpy.uint8)
    return numbers.astype(dtype).view(numpy.uint8)


def _agrees_within(problem: Problem) -> float:
    return AGREES_WITHIN["tf32" if problem.precision == "tf32" else problem.dtype]


def _c_bytes(problem: Problem) -> int:
    return problem.c.distinct_elements * problem.out_bytes
