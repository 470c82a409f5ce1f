"""The emulator behind the machine protocol: compiled PTX on the CPU, with every access checked and counted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .machine import Array, DeviceUnavailableError, LaunchRecord, MachineError, Progress, check_copy

if TYPE_CHECKING:
    from tilewright.choose import DeviceFacts, Plan
    from tilewright.compile import Program

EMPTY_KERNEL = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry empty() { ret; }\n"


class EmulatorMachine:
    """Runs PTX on all cores of the CPU."""

    name = "emulator"
    architecture = "compute_90"

    def __init__(self, *, workers: int | None = None, memory_budget_bytes: int | None = None) -> None:
        try:
            from tilewright.emulate import Emulator
        except ImportError as error:
            if error.name is not None and error.name.partition(".")[0] not in ("numba", "llvmlite"):
                raise
            missing = isinstance(error, ModuleNotFoundError)
            why = "is not installed" if missing else f"cannot be imported ({' '.join(str(error).split())})"
            raise DeviceUnavailableError(
                f'The emulator runs through Numba, which {why}: pip install "tilewright[emulator]".'
            ) from error
        from tilewright.emulate.compiled import cache_folder

        from .emulator_cache import keep_recent_folders

        in_use = cache_folder()
        if in_use is not None:
            keep_recent_folders(in_use)
        self._emulator = Emulator(workers=workers, memory_budget_bytes=memory_budget_bytes)
        self._modules: dict[str, Any] = {}
        self._warm = False
        self.progress: Progress | None = None

    def facts(self) -> DeviceFacts:
        """The limits that the emulated device has."""
        from tilewright.choose import EMULATOR_FACTS

        return EMULATOR_FACTS

    def room_bytes(self) -> int:
        """What is left of the emulator's budget."""
        return self._emulator.memory.budget_bytes - self._emulator.memory.used_bytes

    def allocate(self, nbytes: int, name: str) -> Any:
        """A named allocation of the emulated global memory."""
        return self._emulator.allocate(nbytes, name=name)

    def copy_in(self, buffer: Any, array: Array) -> float:
        """Copy into the emulated memory; seconds by the wall clock."""
        check_copy(buffer, array, into_array=False)
        started = time.perf_counter()
        buffer.write(array)
        return time.perf_counter() - started

    def launch(self, program: Program | None, plan: Plan, arguments: Sequence[Any]) -> LaunchRecord:
        """Emulate the program's PTX. Raises tilewright.emulate.EmulationError when the kernel does what it must not."""
        if program is None or program.ptx is None:
            raise MachineError("The emulator runs PTX, and this program has none.")
        self._warm_up()
        module = self._modules.get(program.ptx)
        if module is None:
            module = self._modules[program.ptx] = self._emulator.load(program.ptx)
        result = self._emulator.launch(
            module,
            program.entry,
            grid=plan.grid,
            block=plan.block,
            arguments=list(arguments),
            progress=self.progress,
        )
        return LaunchRecord(
            kernel_seconds=result.seconds,
            counts=result.counts,
            lines=result.lines,
            output=tuple(result.output),
        )

    def _warm_up(self) -> None:
        """Let the interpreter be compiled, or loaded, before the first launch is timed."""
        if not self._warm:
            self._emulator.launch(self._emulator.load(EMPTY_KERNEL), "empty", grid=1, block=1)
            self._warm = True

    def copy_out(self, buffer: Any, array: Array) -> float:
        """Copy out of the emulated memory; seconds by the wall clock."""
        check_copy(buffer, array, into_array=True)
        started = time.perf_counter()
        array[...] = buffer.read(array.dtype, array.shape)
        return time.perf_counter() - started

    def free(self, buffer: Any) -> None:
        """Free the allocation."""
        buffer.free()
