"""The emulator as its users see it: a device without a GPU that runs PTX and counts everything."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tilewright.emulate.cold_start import compile_missing
from tilewright.emulate.compiled import Unit, how_often, units_of_core
from tilewright.emulate.faults import LaunchLimitError
from tilewright.emulate.machine.launch import Dimensions, Launch, LaunchResult
from tilewright.emulate.machine.memory import Allocation, Memory
from tilewright.emulate.machine.module import MAX_LOCAL_BYTES, LoadedModule
from tilewright.emulate.machine.places import SharedArrays
from tilewright.emulate.machine.worker import COMPLETIONS, special_units
from tilewright.emulate.machine.workers import Progress
from tilewright.emulate.observers.observer import Observer, observed_units

MAX_THREADS_PER_BLOCK = 1024
MAX_BLOCK = (1024, 1024, 64)
MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_CLUSTER_BLOCKS = 16
MAX_SHARED_BYTES = 227 * 1024


class Emulator:
    """A SIMT machine for PTX on the CPU.

    workers: threads of the host that share the blocks of a launch (None: as many as there are processors); results and
    counts do not depend on it. memory_budget_bytes: most that allocations, variables of modules, and the registers,
    local and shared memory of a launch's resident blocks may take together (None: 4 GiB).
    """

    def __init__(self, workers: int | None = None, memory_budget_bytes: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"an emulator has 1 worker or more, not {workers}")
        self.workers = workers or os.cpu_count() or 1
        self.memory = Memory(memory_budget_bytes)

    def load(self, ptx: str) -> LoadedModule:
        """Parse a PTX module and allocate its variables; raise PtxSyntaxError when it can't be read."""
        return LoadedModule(ptx, self.memory)

    def allocate(
        self,
        nbytes: int,
        name: str = "an allocation",
        *,
        dtype: DTypeLike | None = None,
        shape: tuple[int, ...] | None = None,
    ) -> Allocation:
        """Return `nbytes` of memory, poisoned; raise BudgetExceeded when they are more than the budget leaves.

        dtype, shape: of the array that it will hold, so that observers can say `A[3][7]`.
        """
        allocation = self.memory.allocate(nbytes, name)
        allocation.dtype, allocation.shape = dtype, shape
        return allocation

    def set_variable(self, module: LoadedModule, name: str, value: ArrayLike) -> None:
        """Write a `__device__` or `__constant__` variable of a module; raise KeyError when it has none of that name."""
        module.variable(name).write(value)

    def get_variable(
        self, module: LoadedModule, name: str, dtype: DTypeLike, shape: int | tuple[int, ...]
    ) -> NDArray[Any]:
        """Return the value of a `__device__` or `__constant__` variable."""
        return module.variable(name).read(dtype, shape)

    @staticmethod
    def compile() -> None:
        """Compile what every launch needs, if this machine never did; a line on stderr announces it."""
        _compile(units_of_core())

    def make_ready(self) -> None:
        """Load what every launch needs, so that the first one is not timed with it."""
        self.compile()
        for unit in units_of_core():
            _ = unit.address

    def launch(
        self,
        module: LoadedModule,
        kernel: str,
        *,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        arguments: Sequence[object] = (),
        dynamic_shared_bytes: int = 0,
        schedule: str = "round_robin",
        seed: int = 0,
        instruction_budget: int | None = None,
        progress: Progress | None = None,
        observers: Sequence[Observer] = (),
        shared_arrays: SharedArrays | None = None,
        cluster: int | Sequence[int] | None = None,
        completion: str = "early",
        only_counts: bool = False,
    ) -> LaunchResult:
        """Run a kernel and return what it counted.

        grid, block: 1 to 3 sizes, x first. arguments: allocations, numbers, or bytes for a struct, converted to the
        kernel's parameter types. schedule: `round_robin`, or `random` with a `seed`; the same seed gives the same bits.
        instruction_budget: warp instructions that the whole launch may execute, on all workers together (None: any
        number, but 10^9 for a group of resident blocks, which then are in an endless loop).
        progress: called now and then with (blocks done, blocks).
        observers: told of every access and barrier (tilewright.emulate.observers); the launch then has one worker.
        shared_arrays: type and shape of shared arrays by name, so that observers can say `As[3][7]`.
        cluster: blocks of a cluster, 1 to 3 sizes (None: as the kernel says, else no clusters).
        completion: when asynchronous copies and products happen: `early` (at once), `late` (when they are waited for)
        or `random` (in between, by the seed).
        only_counts: execute what decides the counts and leave out the rest (ptx/slice.py), which takes up to a quarter
        less time; what the kernel writes to memory is then worth nothing. Not with observers, which see everything.
        Raises LaunchLimitError for a launch that no GPU would take, ValueError for other arguments,
        and an EmulationError for a fault of the kernel.
        """
        if kernel not in module.kernels:
            raise ValueError(
                f"there is no kernel {kernel} in this module; it has {', '.join(module.kernels) or 'none'}"
            )
        if schedule not in ("round_robin", "random"):
            raise ValueError(f"schedule is round_robin or random, not {schedule}")
        if completion not in COMPLETIONS:
            raise ValueError(f"completion is early, late or random, not {completion}")
        sizes = _dimensions(grid, "grid", MAX_GRID), _dimensions(block, "block", MAX_BLOCK)
        if not isinstance(dynamic_shared_bytes, int | np.integer) or dynamic_shared_bytes < 0:
            raise LaunchLimitError(f"dynamic_shared_bytes is 0 bytes or more, not {dynamic_shared_bytes!r}")
        if instruction_budget is not None and instruction_budget < 1:
            raise ValueError(f"an instruction_budget is 1 or more, not {instruction_budget!r}")
        if not isinstance(seed, int | np.integer):
            raise ValueError(f"a seed is a whole number, not {seed!r}")  # noqa: TRY004  (one kind for every argument)
        if only_counts and observers:
            raise ValueError("a launch with only_counts leaves out what observers would see: give it none")
        if module.memory is not self.memory:
            raise ValueError("this module was loaded by another emulator: load its text with the one that launches it")
        threads = int(np.prod(sizes[1]))
        if threads > MAX_THREADS_PER_BLOCK:
            raise LaunchLimitError(
                f"a block of {sizes[1]} has {threads} threads; at most {MAX_THREADS_PER_BLOCK} are possible"
            )
        limits = module.code.functions[kernel].limits
        clusters = _cluster(limits, cluster)
        _refuse_beyond_limits(limits, *sizes, clusters or (1, 1, 1))
        launch = Launch(
            module,
            kernel,
            self.memory,
            *sizes,
            list(arguments),
            dynamic_shared_bytes,
            schedule == "random",
            seed,
            instruction_budget,
            shared_arrays,
            clusters,
            completion,
            only_counts,
        )
        shared_bytes = launch.shared_bytes - launch.reserved_bytes
        if shared_bytes > MAX_SHARED_BYTES:
            raise LaunchLimitError(
                f"{kernel} needs {shared_bytes} bytes of shared memory per block; "
                f"at most {MAX_SHARED_BYTES} are possible"
            )
        if launch.local_bytes > MAX_LOCAL_BYTES:
            raise LaunchLimitError(
                f"{kernel} needs {launch.local_bytes} bytes of local memory per thread; "
                f"at most {MAX_LOCAL_BYTES} are possible"
            )
        needed = [*units_of_core(), *special_units(module.opcodes)]
        _compile([*needed, *observed_units(observers)] if observers else needed)
        return launch.run(self.workers, progress, observers)


def _compile(units: list[Unit]) -> None:
    """Compile units that this machine never did: all that a launch needs at once, announced by one line on stderr."""
    missing = [unit for unit in units if not unit.is_kept]
    if missing:
        how_long = " (about a minute of processor time)" if any(unit.is_core for unit in missing) else ""
        sys.stderr.write(f"Compiling the emulator, {how_often(missing)}{how_long} ...\n")
        sys.stderr.flush()
        compile_missing(missing)


def _dimensions(sizes: int | Sequence[int], name: str, most: Dimensions) -> Dimensions:
    values = tuple(sizes) if isinstance(sizes, Iterable) else (sizes,)
    are_whole = all(isinstance(value, int | np.integer) for value in values)
    x, y, z = (*(int(value) for value in values if are_whole), 1, 1, 1)[:3]
    padded = (x, y, z)
    is_within = all(1 <= value <= limit for value, limit in zip(padded, most, strict=True))
    if not are_whole or not is_within or not 1 <= len(values) <= 3:
        raise LaunchLimitError(f"a {name} has 1 to 3 sizes between 1 and {most}, not {values}")
    return padded


def _cluster(limits: Mapping[str, Sequence[int]], given: int | Sequence[int] | None) -> Dimensions | None:
    """Return the sizes of a cluster: the kernel's own or the launch's; raise LaunchLimitError where they differ."""
    x, y, z = [*limits.get("reqnctapercluster", ()), 1, 1, 1][:3]
    own = (x, y, z) if "reqnctapercluster" in limits else None
    if given is None:
        return own
    sizes = _dimensions(given, "cluster", (MAX_CLUSTER_BLOCKS,) * 3)
    if own is not None and own != sizes:
        raise LaunchLimitError(f"the kernel asks for clusters of {own} blocks, and the launch has {sizes}")
    return sizes


def _refuse_beyond_limits(
    limits: Mapping[str, Sequence[int]], grid: Dimensions, block: Dimensions, cluster: Dimensions
) -> None:
    """Raise LaunchLimitError for a launch that the kernel's `__launch_bounds__` or `__cluster_dims__` rule out."""
    threads, most = prod(block), prod(limits.get("maxntid", [MAX_THREADS_PER_BLOCK]))
    if most < threads:  # an assembler ignores bounds above what a block may have
        raise LaunchLimitError(
            f"a block of {block} has {threads} threads, and __launch_bounds__ promises {most} at most"
        )
    exact = limits.get("reqntid")
    if exact and tuple([*exact, 1, 1][:3]) != block:
        raise LaunchLimitError(f"the kernel asks for blocks of {tuple([*exact, 1, 1][:3])}, and the launch has {block}")
    if prod(cluster) > MAX_CLUSTER_BLOCKS:
        raise LaunchLimitError(f"a cluster has at most {MAX_CLUSTER_BLOCKS} blocks, and not {prod(cluster)}")
    if any(blocks % side for blocks, side in zip(grid, cluster, strict=True)):
        raise LaunchLimitError(f"a grid of {grid} is no multiple of its clusters of {cluster}")
