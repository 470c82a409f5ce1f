"""The exception for a stopped launch, made of the numbers that its worker left."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.execute.warpgroups import PRODUCTS, WARPGROUP_BYTES, WARPS
from tilewright.emulate.faults import (
    AssertionFailed,
    BarrierFault,
    BudgetExceeded,
    EmulationError,
    MemoryFault,
    UnsupportedInstruction,
)
from tilewright.emulate.features import feature_of
from tilewright.emulate.machine.event_faults import (
    MOST_RANKS,
    endless_wait,
    other_block,
    refused_copy,
    refused_mbarrier,
)
from tilewright.emulate.machine.memory import Memory
from tilewright.emulate.machine.module import CALL_DEPTH, LoadedModule
from tilewright.emulate.machine.places import Places
from tilewright.emulate.ptx.symbols import plain_function_name

NULL_PAGE_BYTES = 1 << 16
"""An address below this came from a null pointer and an index."""

NEAR_WINDOW_BYTES = 1 << 24
"""A generic address this much below shared or local memory is an index below 0."""


class StoppedWorker(Protocol):
    """What is left of a worker: its words and tables (state.py)."""

    words: st.Int64s
    warps: st.Int64s
    splits: st.Int64s
    joins: st.Int64s


class Budgets(Protocol):
    """What a launch may spend, and what its places are called (launch.py)."""

    budget: int
    group_budget: int
    places: Places


class FaultReport:
    """Everything about the place of a fault."""

    def __init__(
        self, module: LoadedModule, kernel: str, state: StoppedWorker, memory: Memory, launch: Budgets
    ) -> None:
        self.module, self.kernel, self.state, self.memory, self.launch = module, kernel, state, memory, launch
        control = [int(value) for value in state.words]
        self.fault, self.pc = control[st.CONTROL_FAULT], control[st.CONTROL_FAULT_PC]
        self.address, self.nbytes = control[st.CONTROL_FAULT_ADDRESS], control[st.CONTROL_FAULT_BYTES]
        self.window, self.resident = control[st.CONTROL_FAULT_WINDOW], control[st.CONTROL_FAULT_RESIDENT]
        self.lane = control[st.CONTROL_FAULT_LANE] & 31
        layout = control
        self.own_block = self.resident // layout[st.LAYOUT_WARPS]
        linear = control[st.CONTROL_FAULT_BLOCK]
        grid_x, grid_y = layout[st.LAYOUT_GRID_X], layout[st.LAYOUT_GRID_Y]
        self.block = (linear % grid_x, linear // grid_x % grid_y, linear // (grid_x * grid_y))
        thread = control[st.CONTROL_FAULT_WARP] * 32 + self.lane
        self.width, self.height = layout[st.LAYOUT_BLOCK_X], layout[st.LAYOUT_BLOCK_Y]
        self.thread = self._coordinates(thread)
        self.file, self.line = launch.places.line_of(self.pc)

    def _coordinates(self, thread: int) -> tuple[int, int, int]:
        return thread % self.width, thread // self.width % self.height, thread // (self.width * self.height)

    def place(self, pc: int) -> tuple[str | None, int | None]:
        """Return file and line of an instruction."""
        file, line = self.module.code.lines[self.module.code.rows[pc][row.LINE]]
        return self.module.source_files.get(file), line or None

    def where(self, pc: int) -> str:
        """Return `file:line` of an instruction, and where the kernel calls the function that it was inlined from."""
        file, line = self.place(pc)
        if not line:
            return f"PTX instruction {self.module.code.texts[pc]!r}"
        caller = self.module.code.callers[pc]
        called = f" (called at {self.module.source_files.get(caller[0]) or 'PTX'}:{caller[1]})" if caller else ""
        return f"{file or 'PTX'}:{line}{called}"

    def exception(self) -> EmulationError:
        """Return the exception for this fault."""
        maker = {
            st.FAULT_OUTSIDE: self._outside,
            st.FAULT_MISALIGNED: self._misaligned,
            st.FAULT_READ_ONLY: self._read_only,
            st.FAULT_BARRIER: self._barrier,
            st.FAULT_BUDGET: self._budget,
            st.FAULT_UNSUPPORTED: self._unsupported,
            st.FAULT_ASSERT: self._assertion,
            st.FAULT_TRAP: self._trap,
            st.FAULT_CALL_DEPTH: self._call_depth,
            st.FAULT_DIVERGENCE: self._divergence,
            st.FAULT_ATOMIC_SPACE: self._atomic_space,
            st.FAULT_CALL_TARGET: self._call_target,
            st.FAULT_PART_OF_WARP: self._part_of_warp,
            st.FAULT_WARPGROUP: self._warpgroup,
            st.FAULT_PART_OF_WARPGROUP: self._part_of_warpgroup,
            st.FAULT_EVENT: lambda: endless_wait(self),
            st.FAULT_MBARRIER: lambda: refused_mbarrier(self),
            st.FAULT_BULK: lambda: refused_copy(self),
        }[self.fault]
        kind, what = maker()
        who = f"block {self.block}, thread {self.thread}"
        message = f"{plain_function_name(self.kernel)}, {self.where(self.pc)}, {who}: {what}"
        address = self.address if kind is MemoryFault else None
        error = kind(
            message,
            kernel=self.kernel,
            file=self.file,
            line=self.line,
            block=self.block,
            thread=self.thread,
            address=address,
            cause=what,
        )
        if isinstance(error, UnsupportedInstruction):
            error.feature = feature_of(self.module.code.texts[self.pc])
        return error

    def _access(self) -> str:
        opcode = self.module.code.rows[self.pc][row.OPCODE]
        if opcode in (op.ATOMIC, op.HALF_ATOMIC):
            name = "an atomic"
        elif opcode in (op.STORE_GLOBAL, op.STORE_GENERIC, op.STORE_LOCAL, op.STORE_SHARED, op.STORE_MATRIX):
            name = "a store"
        elif opcode in (op.ASYNC_COPY, op.BULK_COPY):
            name = "an asynchronous copy"
        elif opcode == op.WARPGROUP_MULTIPLY:
            name = "a descriptor's load"
        else:
            name = "a load"
        return f"{name} of {self.nbytes} bytes"

    def _space(self) -> str:
        return {1: "shared", 2: "local"}.get(self.window, "global")

    def _outside(self) -> tuple[type[EmulationError], str]:
        window, offset = self._window()
        if window:
            extent = int(self.state.words[st.LAYOUT_SHARED_BYTES if window == 1 else st.LAYOUT_LOCAL_BYTES])
            rank = (offset >> op.CLUSTER_SHIFT) - 1 if window == 1 else -1
            if 0 <= rank < MOST_RANKS:
                return MemoryFault, other_block(self, f"{self._access()} at", rank, offset)
            owner = "block's shared memory" if window == 1 else "thread's local memory"
            return MemoryFault, f"{self._access()} at byte {offset} of the {owner}, which has {extent} bytes"
        if 0 <= self.address < NULL_PAGE_BYTES:
            more = f" plus {self.address} bytes" if self.address else ""
            return MemoryFault, f"{self._access()} through a null pointer{more}"
        near = self.memory.describe(self.address)
        return MemoryFault, f"{self._access()} at {self.address:#x} lies outside every allocation: {near}"

    def _window(self) -> tuple[int, int]:
        """Return 1 (shared) or 2 (local) and the offset there, which may be negative; 0 for global memory."""
        if self.window in (1, 2):
            offset = self.address & 0xFFFFFFFF
            return self.window, offset - (1 << 32) if offset >> 31 else offset
        for window in (1, 2):
            offset = self.address - (window << op.WINDOW_SHIFT)
            if -NEAR_WINDOW_BYTES <= offset < 1 << op.WINDOW_SHIFT:
                return window, offset
        return 0, 0

    def _misaligned(self) -> tuple[type[EmulationError], str]:
        return (
            MemoryFault,
            f"{self._access()} at the {self._space()} address {self.address:#x}, which is no multiple of {self.nbytes}",
        )

    def _read_only(self) -> tuple[type[EmulationError], str]:
        return (
            MemoryFault,
            f"{self._access()} at {self.address:#x} would change a constant: {self.memory.describe(self.address)}",
        )

    def _barrier(self) -> tuple[type[EmulationError], str]:
        waiting = self.state.splits[self.resident]
        states = {int(s[st.SPLIT_STATE]) for s in waiting}
        name = "a barrier" if st.AT_BARRIER in states else "a warp-synchronous instruction"
        whereabouts = self.whereabouts(self.own_block)
        return BarrierFault, f"{name} is never completed, for not all threads reach it: {whereabouts}"

    def whereabouts(self, block: int) -> str:
        """Say where the threads of a resident block are that can never continue."""
        warps = int(self.state.words[st.LAYOUT_WARPS])
        first = block * warps
        threads = int(self.state.words[st.LAYOUT_THREADS])
        places: dict[str, list[int]] = {}
        for warp in range(warps):
            present = min(threads - 32 * warp, 32)
            gone = ((1 << present) - 1) & ~int(self.state.warps[first + warp, st.WARP_ALIVE])
            groups = [("have ended", gone)]
            for split in self.state.splits[first + warp]:
                if split[st.SPLIT_STATE] != st.FREE:
                    at = self.where(int(split[st.SPLIT_PC]))
                    groups.append((f"wait at {at}", int(split[st.SPLIT_MASK])))
            for join in self.state.joins[first + warp]:
                if join[st.JOIN_USED] and join[st.JOIN_ARRIVED]:
                    at = self.where(int(join[st.JOIN_PC]))
                    groups.append((f"wait at {at} for the rest of their warp", int(join[st.JOIN_ARRIVED])))
            for name, mask in groups:
                places.setdefault(name, []).extend(32 * warp + lane for lane in range(32) if mask >> lane & 1)
        return "; ".join(_sentence(numbers, name) for name, numbers in places.items() if numbers)

    def _budget(self) -> tuple[type[EmulationError], str]:
        whole, group = self.launch.budget, self.launch.group_budget
        spent = f"more than {whole} warp instructions"
        if group < whole:
            spent = f"more than {group} warp instructions in one group of resident blocks"
        return BudgetExceeded, f"{spent}: an endless loop, or pass a larger instruction_budget"

    def _unsupported(self) -> tuple[type[EmulationError], str]:
        text = self.module.code.texts[self.pc]
        advice = "run this kernel on a GPU, or write the line without it"
        what = f"not emulated: {feature_of(text).rstrip(',')} (instruction {' '.join(text.split())!r})"
        return UnsupportedInstruction, f"{what}: {advice}"

    def _assertion(self) -> tuple[type[EmulationError], str]:
        columns = self.module.code.rows[self.pc]
        offsets = [columns[c] for c in (row.IMMEDIATE, row.OPERAND_D, row.EXTRA_1, row.EXTRA_2)]
        message, file, function = (self.memory.string_at(self._local(offsets[i], 8)) for i in (0, 1, 3))
        line = self._local(offsets[2], 4)
        return AssertionFailed, f"assertion `{message}` failed in {function}, {file}:{line}"

    def _local(self, offset: int, nbytes: int) -> int:
        """Read a value from the local memory of the thread at fault."""
        import ctypes

        extent = int(self.state.words[st.LAYOUT_LOCAL_BYTES])
        at = int(self.state.words[st.LAYOUT_LOCAL]) + (self.resident * 32 + self.lane) * extent
        return int.from_bytes(ctypes.string_at(at + self.address + offset, nbytes), "little")

    def _trap(self) -> tuple[type[EmulationError], str]:
        return AssertionFailed, "the kernel stopped itself with a trap"

    def _call_depth(self) -> tuple[type[EmulationError], str]:
        limit = f"{CALL_DEPTH} deep where functions call themselves or go through pointers"
        return BudgetExceeded, f"calls nest too deeply (at most {limit}): write the recursion as a loop"

    def _divergence(self) -> tuple[type[EmulationError], str]:
        return EmulationError, "the warp has parted more often than the emulator can keep track of"

    def _atomic_space(self) -> tuple[type[EmulationError], str]:
        return MemoryFault, f"{self._access()} on local memory, which no other thread can see"

    def _call_target(self) -> tuple[type[EmulationError], str]:
        return MemoryFault, f"a call through the pointer {self.address:#x}, which is no function"

    def _part_of_warp(self) -> tuple[type[EmulationError], str]:
        text = self.module.code.texts[self.pc].split()[0]
        return BarrierFault, f"{text} takes all 32 threads of a warp at once, and {self.address} of them come to it"

    def _warpgroup(self) -> tuple[type[EmulationError], str]:
        text = self.module.code.texts[self.pc].split()[0]
        words = self.state.words
        first = self.resident % int(words[st.LAYOUT_WARPS]) // WARPS * WARPS
        return BarrierFault, (
            f"{text} takes the {32 * WARPS} threads of {WARPS} warps, the first of which has a number that {WARPS} "
            f"divides, and from warp {first} on there are {int(words[st.LAYOUT_THREADS]) - 32 * first}"
        )

    def _part_of_warpgroup(self) -> tuple[type[EmulationError], str]:
        import ctypes

        words = self.state.words
        first = self.resident % int(words[st.LAYOUT_WARPS]) // WARPS * WARPS
        counts = []
        for number in range(WARPS):
            resident = self.resident // WARPS * WARPS + number
            at = int(words[st.LAYOUT_WARPGROUPS]) + WARPGROUP_BYTES * resident + 8 * PRODUCTS
            counts.append(f"warp {first + number}: {ctypes.c_int64.from_address(at).value}")
        return BarrierFault, f"the warps of a warpgroup execute wgmma together, and they ended with {', '.join(counts)}"


def _sentence(numbers: list[int], what: str) -> str:
    """Return what threads do, of one thread in the singular."""
    verb, _, rest = what.partition(" ")
    return f"{_threads(numbers)} { ({'have': 'has', 'wait': 'waits'}[verb] if len(numbers) == 1 else verb) } {rest}"


def _threads(numbers: list[int]) -> str:
    """Return thread numbers of a block as ranges."""
    ordered = np.array(sorted(numbers))
    runs = np.split(ordered, np.flatnonzero(np.diff(ordered) > 1) + 1)
    texts = [f"{run[0]}" if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    shown = ", ".join(texts[:6]) + (", ..." if len(texts) > 6 else "")
    return f"{'thread' if len(numbers) == 1 else 'threads'} {shown}"
