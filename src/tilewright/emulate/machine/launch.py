"""One launch: its inputs, what its workers share, and its result."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import state as st
from tilewright.emulate.execute.async_copies import WARP_BYTES
from tilewright.emulate.execute.warpgroups import WARPGROUP_BYTES
from tilewright.emulate.faults import BudgetExceeded, LaunchLimitError
from tilewright.emulate.machine.counts import Counts, tabulate, to_counts
from tilewright.emulate.machine.memory import Allocation, Bytes, Memory
from tilewright.emulate.machine.module import LoadedModule, pack
from tilewright.emulate.machine.places import Places, SharedArrays
from tilewright.emulate.machine.prints import PrintedText, join_lines
from tilewright.emulate.machine.worker import aligned_bytes
from tilewright.emulate.machine.workers import Progress, Workers
from tilewright.emulate.opcodes import PARAMETERS_ADDRESS, RESERVED_SHARED_BYTES
from tilewright.emulate.ptx.shared_layout import align
from tilewright.emulate.ptx.slice import spread_counts
from tilewright.emulate.ptx.symbols import plain_function_name, plain_name
from tilewright.emulate.state import COUNTER_BYTES, Int64s

if TYPE_CHECKING:
    from tilewright.emulate.observers.observer import Observer

RESIDENT_BLOCKS = 4
WAITING_RESIDENT_BLOCKS = 264
RESIDENT_BYTES = 256 << 20
DEFAULT_INSTRUCTION_BUDGET = 1_000_000_000
NO_BUDGET = 1 << 62
WARP_TABLES_BYTES = 20_000
"""Of a warp's splits and joins, about."""

MULTIPROCESSORS, BLOCKS_OF_MULTIPROCESSOR, THREADS_OF_MULTIPROCESSOR = 132, 32, 2048
SHARED_BYTES_OF_MULTIPROCESSOR = 228 << 10
GRID_BARRIER_BYTES = 64

Dimensions = tuple[int, int, int]


@dataclass
class LaunchResult:
    """What a launch did.

    counts: of the whole launch. seconds: of executing it. output: the lines that printf wrote, block by block.
    prints: the same by call of printf, each with its block and thread.
    """

    counts: Counts
    seconds: float
    output: list[str]
    prints: list[PrintedText]
    _table: Int64s = field(repr=False)
    _module: LoadedModule = field(repr=False)

    @property
    def lines(self) -> dict[tuple[str, int], Counts]:
        """Counts per source line: (file, line); lines that the compiler made up come under line 0."""
        code = self._module.code
        numbers = self._module.rows[: len(code.rows), row.LINE]
        sums = np.zeros((len(code.lines), self._table.shape[1]), np.int64)
        np.add.at(sums, numbers, self._table)
        result: dict[tuple[str, int], Counts] = {}
        for (file, line), values in zip(code.lines, sums, strict=True):
            if values.any():
                result[self._module.source_files.get(file, ""), line] = to_counts(values)
        return result


class Launch:
    """A kernel with its grid, block, arguments and schedule."""

    def __init__(
        self,
        module: LoadedModule,
        kernel: str,
        memory: Memory,
        grid: Dimensions,
        block: Dimensions,
        arguments: list[object],
        dynamic_shared_bytes: int,
        is_random: bool,
        seed: int,
        instruction_budget: int | None,
        shared_arrays: SharedArrays | None = None,
        cluster: Dimensions | None = None,
        completion: str = "early",
        only_counts: bool = False,
    ) -> None:
        self.module, self.kernel, self.memory = module, kernel, memory
        self.rows = module.rows_of_counts(kernel) if only_counts else module.rows
        self.grid, self.block, self.seed = grid, block, seed
        self.is_random, self.completion = is_random, completion
        self.cluster, self.is_clustered = cluster or (1, 1, 1), cluster is not None
        self.cluster_blocks = prod(self.cluster)
        # Without a budget only an endless loop is ended: a launch may be as large as the user has time for.
        self.budget = min(instruction_budget or NO_BUDGET, NO_BUDGET)
        self.group_budget = min(self.budget, DEFAULT_INSTRUCTION_BUDGET) if instruction_budget is None else self.budget
        self.function = module.code.functions[kernel]
        reachable = module.reachable(kernel)
        self.waits = any(f.waits for f in reachable)
        self.waits_for_grid = any(f.waits_for_grid for f in reachable)
        self.parallel = all(f.parallel for f in reachable)
        self.copies_async = any(f.copies_async for f in reachable)
        self.has_events = any(f.has_events for f in reachable)
        self.uses_warpgroups = any(f.uses_warpgroups for f in reachable)
        self.unwritten_reads = [pc for f in reachable for pc in f.unwritten_reads]
        self.reserved_bytes = RESERVED_SHARED_BYTES if any(f.reserves_shared for f in reachable) else 0
        static = align(self.function.shared_bytes, max([16, *self.function.dynamic_aligns]))
        self.dynamic_offset = self.reserved_bytes + static
        self.dynamic_shared_bytes = dynamic_shared_bytes
        self.shared_bytes = align(self.dynamic_offset + dynamic_shared_bytes, 16)
        self.frame_bytes, self.local_bytes = module.depth_bytes(kernel)
        self.blocks = grid[0] * grid[1] * grid[2]
        self.threads = block[0] * block[1] * block[2]
        self.warps = -(-self.threads // 32)
        self.resident = self._resident_blocks()
        self.parameter_bytes = self._pack(arguments)
        self.grid_barrier = self._make_grid_barrier() if self.waits_for_grid else None
        self.allocations = list(memory.allocations)
        # Far behind every allocation, so that an overflow of the last one does not reach them.
        self.parameters = Allocation(memory, PARAMETERS_ADDRESS, 0, "the kernel's parameters", writable=False)
        self.shared_layout = self._lay_out_shared()
        self.places = Places(self, shared_arrays)
        self.constants = self._fill_constants()

    def _make_grid_barrier(self) -> Allocation:
        """Return the memory in which the blocks of a grid count who has arrived: it belongs to one launch."""
        barrier = self.memory.allocate(GRID_BARRIER_BYTES, "the barrier of the whole grid")
        barrier.write(np.zeros(GRID_BARRIER_BYTES, np.uint8))
        return barrier

    def _resident_blocks(self) -> int:
        """Return how many blocks run interleaved: few, unless they may wait for each other."""
        if self.waits_for_grid:
            self._refuse_large_grid()
            return self.blocks
        most = max(1, RESIDENT_BYTES // self._block_bytes())
        if self.waits:
            blocks = min(self.blocks, WAITING_RESIDENT_BLOCKS, most)
        else:
            blocks = min(RESIDENT_BLOCKS, max(1, self.blocks // 8), most)
        return max(blocks // self.cluster_blocks, 1) * self.cluster_blocks

    def _refuse_large_grid(self) -> None:
        """Raise LaunchLimitError if not all blocks fit the multiprocessors of an H200 at once."""
        by_threads = min(BLOCKS_OF_MULTIPROCESSOR, THREADS_OF_MULTIPROCESSOR // (32 * self.warps))
        by_memory = SHARED_BYTES_OF_MULTIPROCESSOR // (self.shared_bytes + RESERVED_SHARED_BYTES)
        most = MULTIPROCESSORS * min(by_threads, by_memory)
        if self.blocks > most:
            raise LaunchLimitError(
                f"{plain_function_name(self.kernel)} waits for its whole grid, so all its blocks must run at once, and "
                f"{most} of {self.threads} threads and {self.shared_bytes} bytes of shared memory fit an H200, not "
                f"{self.blocks}: use a smaller grid, and a loop over what each block does"
            )

    def group_of(self, linear: int) -> int:
        """Return the number of the resident group in which the block of a linear number runs."""
        cluster, step = 0, 1
        for grid, extent in zip(self.grid, self.cluster, strict=True):
            cluster += linear % grid // extent * step
            step *= grid // extent
            linear //= grid
        return cluster * self.cluster_blocks // self.resident

    def _block_bytes(self) -> int:
        """Return what a resident block takes of the host's memory: registers, local and shared memory, tables."""
        pending = WARP_BYTES * self.copies_async + WARPGROUP_BYTES * self.uses_warpgroups
        return self.warps * (self.frame_bytes + 32 * self.local_bytes + WARP_TABLES_BYTES + pending) + self.shared_bytes

    def _affordable_workers(self, workers: int) -> int:
        """Return how many workers the memory budget has room for; raise BudgetExceeded when it has for none."""
        each = self.resident * self._block_bytes() + COUNTER_BYTES * len(self.module.rows)
        left = self.memory.budget_bytes - self.memory.used_bytes
        if each > left:
            raise BudgetExceeded(
                f"{plain_function_name(self.kernel)} needs {each} bytes for the registers, local and shared memory of "
                f"its blocks, and of the emulator's memory budget of {self.memory.budget_bytes} bytes {left} are left: "
                "use smaller blocks or arrays, or Emulator(memory_budget_bytes=...)",
                kernel=self.kernel,
            )
        # Side by side they keep what arrays held before, and a byte for each word that one of them stored to.
        kept = sum(a.nbytes for a in self.allocations if a.writable)
        shadows = sum(a.nbytes for a in self.allocations) // 4
        return max(1, min(workers, (left - kept) // (each + shadows)))

    def _lay_out_shared(self) -> list[tuple[str, int, int]]:
        """Return the shared arrays, by their names in the source: name, first byte, bytes; dynamic ones come last."""
        function = self.function
        start = self.reserved_bytes
        arrays = [(plain_name(name), start + offset, nbytes) for name, offset, nbytes in function.shared]
        if start:
            arrays.append(("the memory that the system reserves", 0, start))
        if self.dynamic_shared_bytes:
            arrays += [(plain_name(name), self.dynamic_offset, self.dynamic_shared_bytes) for name in function.dynamic]
        return sorted(arrays, key=lambda array: array[1])

    def _pack(self, arguments: list[object]) -> bytes:
        wanted = self.function.parameters
        if len(arguments) != len(wanted):
            raise ValueError(f"{self.kernel} takes {len(wanted)} arguments, not {len(arguments)}")
        data = bytearray()
        for value, parameter, offset in zip(arguments, wanted, self.function.parameter_offsets, strict=True):
            data = data.ljust(offset, b"\0")
            if isinstance(value, Allocation) and not value.belongs_to(self.memory):
                raise ValueError(f"{value.name} was allocated by another emulator, whose addresses mean nothing here")
            data += pack(value, parameter)
        return bytes(data.ljust(len(data) + 16, b"\0"))

    def _fill_constants(self) -> Bytes:
        constants = self.module.code.constants
        data = aligned_bytes(constants.nbytes)
        own = self.shared_bytes - self.reserved_bytes
        everything = RESERVED_SHARED_BYTES + self.function.shared_bytes + self.dynamic_shared_bytes
        launch = [
            *self.block,
            *self.grid,
            self.warps,
            self.dynamic_shared_bytes,
            align(own, 128),
            MULTIPROCESSORS,
            1,
            everything,
        ]
        clusters = [blocks // extent for blocks, extent in zip(self.grid, self.cluster, strict=True)]
        barrier = self.grid_barrier.address if self.grid_barrier else 0
        launch += [*self.cluster, *clusters, self.cluster_blocks, self.is_clustered, barrier >> 32, barrier]
        for (kind, value, extra), width, offset in constants.sources:
            if kind == "bits":
                number = value
            elif kind == "launch":
                number = launch[value]
            elif kind == "parameter":
                raw = self.parameter_bytes[value : value + abs(extra)]
                number = int.from_bytes(raw, "little", signed=extra < 0)
            elif kind == "variable":
                allocation = self.module.variable_list[value]
                number = extra + (allocation.address if allocation else 0)
            elif kind == "shared":
                number = self.reserved_bytes + value
            elif kind == "dynamic":
                number = -(-self.dynamic_offset // max(value, 1)) * max(value, 1) + extra
            else:
                number = self.parameters.address + value
            if width == 1:
                data[offset : offset + 4] = 255 if number else 0
            else:
                size = 8 if width == 64 else 4
                raw = (number & ((1 << 8 * size) - 1)).to_bytes(size, "little")
                data[offset : offset + 32 * size] = np.frombuffer(raw * 32, np.uint8)
        return data

    # Running

    def run(self, workers: int, progress: Progress | None, observers: Sequence[Observer] = ()) -> LaunchResult:
        """Execute the launch: on several workers if the result is the same as with one; on one if it is observed."""
        try:
            return self._run(workers, progress, observers)
        finally:
            if self.grid_barrier is not None:
                self.grid_barrier.free()

    def _run(self, workers: int, progress: Progress | None, observers: Sequence[Observer]) -> LaunchResult:
        workers = self._affordable_workers(1 if observers else workers)
        groups = -(-self.blocks // self.resident)
        share = workers > 1 and groups > 1 and self.parallel and self.kernel not in self.module.runs_alone
        start = time.perf_counter()
        if share:
            run = Workers(self, min(workers, groups), progress)
            run.execute()
            if run.is_entangled():
                # Blocks on different workers touched the same memory: they must run in order, one after another.
                self.module.runs_alone.add(self.kernel)
                run.restore_originals()
                share = False
        if not share:
            run = Workers(self, 1, progress, observers)
            run.execute()
        self._note_written(run)
        for observer in observers:
            observer.end()
        seconds = time.perf_counter() - start
        run.raise_fault()
        code = self.module.code
        elements, counted = np.array(code.elements, np.int64), ~np.array(code.uncounted, bool)
        counters = run.counters()
        if self.rows is not self.module.rows:
            spread_counts(self.rows, counters)
        table = tabulate(self.module.rows[: len(code.rows)], elements, counted.astype(np.int64), counters)
        prints = run.prints(groups)
        output = join_lines([piece.text for piece in prints])
        return LaunchResult(to_counts(table.sum(axis=0)), seconds, output, prints, table, self.module)

    def _note_written(self, run: Workers) -> None:
        """Count a changed allocation as written in full: only an observer knows which bytes were."""
        changes = st.USED_STORE | st.USED_ATOMIC
        for index, allocation in enumerate(self.allocations):
            if any(int(worker.allocations[index, st.ALLOCATION_USED]) & changes for worker in run.workers):
                allocation.note_written(0, allocation.nbytes)
                allocation.is_of_kernel = True
