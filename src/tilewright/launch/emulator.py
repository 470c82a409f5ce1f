"""The emulator as a machine: a plan's compiled PTX on the CPU, with every access checked and counted."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, partial, reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilewright.kept.folder import check_folder
from tilewright.kernels.launch import BUFFERS, Launch, Pointer, Scalar, TensorMap

from .cuda.tensor_maps import DATA_TYPES, PROMOTE_TO_128_BYTES, SWIZZLES
from .machine import Array, DeviceUnavailableError, Progress, Record, check_copy

if TYPE_CHECKING:
    from tilewright.choose import DeviceFacts, Plan
    from tilewright.emulate import Emulator, LaunchResult, LoadedModule


REALS = {"float": ctypes.c_float, "double": ctypes.c_double}
MOST_FOLDERS = 128
"""Some 0.7 MB each."""

_NAME = re.compile(r"[0-9a-f]{20}(-[0-9a-f]{16})?")


class EmulatorRun:
    """Launches on the emulator, each with its loaded module.

    buffers: names of the buffers that arguments point to, in the order of a run's addresses. shared_arrays: type and
    shape of a kernel's shared arrays by name, so that observers can name elements.
    """

    def __init__(
        self,
        emulator: Emulator,
        launches: Sequence[Launch],
        modules: Sequence[LoadedModule],
        buffers: Sequence[str] = BUFFERS,
        shared_arrays: Any = None,
    ) -> None:
        self.emulator, self.launches, self.modules = emulator, launches, modules
        self.buffers, self.shared_arrays = buffers, shared_arrays
        self._arguments = [[_loaded(each) for each in launch.parameters.values()] for launch in launches]

    def run(
        self,
        addresses: Sequence[int],
        stream: int = 0,  # noqa: ARG002  (the emulator has one)
        *,
        observers: Sequence[Any] = (),
        budget: int | None = None,
        schedule: int | None = None,
        progress: Progress | None = None,
        completion: str | None = None,
        only_counts: bool = False,
    ) -> Record:
        """Run the launches, as `Run.run` says. Raises tilewright.emulate.EmulationError for what a kernel must not do.

        completion: when asynchronous work happens (`Emulator.launch`); None: early, and at random with a seed.
        only_counts: leave out what no count depends on (`Emulator.launch`); outputs are then worth nothing.
        ValueError: no GPU would take the launch.
        """
        completion = completion or ("early" if schedule is None else "random")
        at = dict(zip(self.buffers, addresses, strict=True))
        results = [
            self.emulator.launch(
                module,
                launch.entry,
                grid=launch.grid,
                block=launch.block,
                cluster=None if launch.cluster == (1, 1, 1) else launch.cluster,  # or what the kernel was compiled for
                arguments=[
                    value if buffer is None else at[buffer] + value if buffer else _encoded(value, at)
                    for buffer, value in arguments
                ],
                dynamic_shared_bytes=launch.shared_bytes,
                schedule="round_robin" if schedule is None else "random",
                seed=schedule or 0,
                completion=completion,
                only_counts=only_counts,
                instruction_budget=budget,
                progress=progress,
                observers=observers,
                shared_arrays=self.shared_arrays,
            )
            for launch, module, arguments in zip(self.launches, self.modules, self._arguments, strict=True)
        ]
        return _record(results) if results else Record(0.0)


def _loaded(argument: Any) -> tuple[str | None, Any]:
    """An argument for the emulator: a buffer and an offset into it, None and a number, or "" and tensor maps.

    Floats are passed as bytes, rounded by the host.
    """
    if isinstance(argument, Pointer):
        return argument.buffer, argument.offset_bytes
    if isinstance(argument, Scalar):
        real = REALS.get(argument.ctype)
        return None, int(argument.value) if real is None else bytes(real(argument.value))
    if isinstance(argument, TensorMap | tuple):
        return "", argument if isinstance(argument, tuple) else (argument,)
    return None, argument


def _encoded(maps: Sequence[TensorMap], at: Mapping[str, int]) -> bytes:
    from tilewright.emulate.tensor_map import encode_tensor_map

    return b"".join(
        encode_tensor_map(
            DATA_TYPES[planned.dtype],
            at[planned.buffer] + planned.offset_bytes,
            planned.sizes,
            planned.strides_bytes,
            planned.box,
            swizzle=SWIZZLES[planned.swizzle_bytes],
            l2_promotion=PROMOTE_TO_128_BYTES,
        )
        for planned in maps
    )


def _record(results: Sequence[LaunchResult]) -> Record:
    """The combined record of several launches."""
    output = tuple(line for result in results for line in result.output)
    counts = reduce(add, (result.counts for result in results))
    return Record(sum(result.seconds for result in results), counts, output, partial(_lines, results))


def _lines(results: Sequence[LaunchResult]) -> dict[tuple[str, int], Any]:
    lines: dict[tuple[str, int], Any] = {}
    for result in results:
        for place, counted in result.lines.items():
            lines[place] = lines[place] + counted if place in lines else counted
    return lines


class EmulatorMachine:
    """Runs PTX on all cores of the CPU, or on ``workers`` of them."""

    name = "emulator"

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
        _drop_old_code()
        self.emulator = Emulator(workers=workers, memory_budget_bytes=memory_budget_bytes)
        self._modules: dict[str, LoadedModule] = {}

    def facts(self) -> DeviceFacts:
        """The limits that the emulated device has."""
        from tilewright.choose import EMULATOR_FACTS

        return EMULATOR_FACTS

    def load(self, plan: Plan) -> EmulatorRun:
        """Compile the plan's kernels to PTX and load them."""
        from tilewright.compile.planned import compile_launches
        from tilewright.compile.shipped import ARCHITECTURE
        from tilewright.compile.signature import check_signature

        only = plan.kernel.only
        codes = compile_launches(plan.launches, ARCHITECTURE if only is None else only.replace("sm_", "compute_"))
        for launch, code in zip(plan.launches, codes, strict=True):
            check_signature(launch, code)
        return self.load_code(plan.launches, [code.ptx for code in codes])

    def load_code(
        self,
        launches: Sequence[Launch],
        texts: Sequence[str],
        buffers: Sequence[str] = BUFFERS,
        shared_arrays: Any = None,
    ) -> EmulatorRun:
        """Load the PTX of each launch."""
        self.emulator.make_ready()
        modules = [self._modules.get(text) or self.emulator.load(text) for text in texts]
        self._modules.update(zip(texts, modules, strict=True))
        return EmulatorRun(self.emulator, launches, modules, buffers, shared_arrays)

    def timed(self, run: Any, addresses: Sequence[int], progress: Progress | None = None) -> Record:
        """Run once."""
        record: Record = run.run(addresses, progress=progress)
        return record

    def room_bytes(self) -> int:
        """The rest of the emulator's memory budget, in bytes."""
        return self.emulator.memory.budget_bytes - self.emulator.memory.used_bytes

    def allocate(self, nbytes: int, name: str) -> Any:
        """A named allocation of the emulated global memory."""
        return self.emulator.allocate(nbytes, name=name)

    def copy_in(self, buffer: Any, array: Array) -> float:
        """Copy into the emulated memory; seconds by the wall clock."""
        check_copy(buffer, array, into_array=False)
        started = time.perf_counter()
        buffer.write(array)
        return time.perf_counter() - started

    def copy_out(self, buffer: Any, array: Array) -> float:
        """Copy out of the emulated memory; seconds by the wall clock."""
        check_copy(buffer, array, into_array=True)
        started = time.perf_counter()
        array[...] = buffer.read(array.dtype, array.shape)
        return time.perf_counter() - started

    def free(self, buffer: Any) -> None:
        """Free the allocation."""
        buffer.free()


@cache
def _drop_old_code() -> None:
    """Remove old compiled code of the emulator from the disk, once per process."""
    from tilewright.emulate.compiled import cache_folder

    in_use = cache_folder()
    if in_use is not None:
        keep_recent_folders(in_use)


def keep_recent_folders(in_use: Path) -> None:
    """Mark a folder as used now, and remove the least recently used ones if there are more than MOST_FOLDERS.

    A process that uses a removed folder has its code in memory; the next one compiles it anew. If a folder is a link or
    belongs to another user, nothing is marked or removed.
    """
    try:
        check_folder(in_use.parent)
        with suppress(OSError):
            check_folder(in_use)
            os.utime(in_use)
        with os.scandir(in_use.parent) as entries:
            found = [entry for entry in entries if _NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)]
        ages = sorted((entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in found)
    except OSError:
        return
    for _, path in ages[:-MOST_FOLDERS]:
        if Path(path) != in_use:
            shutil.rmtree(path, ignore_errors=True)
