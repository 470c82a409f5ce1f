"""The process that has the GPU: runs a folder's problems one after the other, and writes what each left behind.

`python -m tilewright.lab.check.gpu.child FOLDER`. Lines on standard output say where it is (watchdog.py). Each
array lies between two guard bands, which nobody should have written to afterwards.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.lab.limited.lifetime import end_with_stream

from .problems import OPENING, GpuAnswer, GpuProblem, read_problems, write_answer

Array = NDArray[Any]

GUARD_BYTES = 65_536
GUARD = 0xFF
"""As numbers, NaN: who reads beside an array gets a wrong result."""
TIMED_LAUNCHES = 5
SCRATCH_BYTES = 256 * 2**20
"""More than any L2 cache; clearing it also keeps the GPU busy until the launch between the two events is queued."""
STATIC_SHARED_BYTES = 48 * 1024
"""What a launch may take of shared memory without asking for more."""


def main(arguments: list[str]) -> int:
    """Run the problems of a folder until one is stopped; return 0 when each that was begun has its answer."""
    folder = Path(arguments[0])
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what kernels print is no protocol
    end_with_stream(0)
    problems, _ = read_problems(folder)
    try:
        gpu = Gpu()
    except Exception as error:  # noqa: BLE001  (whatever CUDA raises is told to the parent in a sentence)
        (folder / OPENING).write_text(f"the GPU could not be opened: {_said(error)}", encoding="utf-8")
        return 0
    print("opened", file=told, flush=True)
    for number, problem in enumerate(problems):
        print(f"started {number}", file=told, flush=True)
        try:
            answer = gpu.run(problem)
        except Exception as error:  # noqa: BLE001  (as above)
            write_answer(folder, number, GpuAnswer(error=f"The launch failed on the GPU: {_said(error)}."))
            os._exit(0)  # after a fault every call fails, those that would free memory at the end included
        write_answer(folder, number, answer)
        print(f"done {number}", file=told, flush=True)
    return 0


class GuardedArray:
    """Device memory of an array between two guard bands."""

    def __init__(self, gpu: Gpu, name: str, array: Array) -> None:
        self.name, self._gpu, self._array = name, gpu, numpy.ascontiguousarray(array)
        band = numpy.full(GUARD_BYTES, GUARD, numpy.uint8)
        self._before = numpy.concatenate([band, self._array.reshape(-1).view(numpy.uint8), band])
        self._memory = gpu.device.allocate(self._before.nbytes, stream=gpu.stream)

    @property
    def address(self) -> int:
        """Where the array begins."""
        return int(self._memory.handle) + GUARD_BYTES

    def fill(self) -> None:
        """Put the array and the bands back as they were."""
        self._gpu.copy_in(int(self._memory.handle), self._before)

    def read(self) -> tuple[Array, str]:
        """Return the array as it is now, and a sentence on stores beside it, if there are any."""
        after = numpy.empty_like(self._before)
        self._gpu.copy_out(after, int(self._memory.handle))
        end = GUARD_BYTES + self._array.nbytes
        values = after[GUARD_BYTES:end].view(self._array.dtype).reshape(self._array.shape)
        return values, self._strays(after, end)

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close(self._gpu.stream)

    def _strays(self, after: NDArray[numpy.uint8], end: int) -> str:
        changed = numpy.flatnonzero(after != self._before)
        outside = changed[(changed < GUARD_BYTES) | (changed >= end)]
        if not outside.size:
            return ""
        elements = outside // self._array.itemsize * self._array.itemsize
        behind = elements[elements >= end]
        where = (
            f"{int(behind[0]) - end} bytes past the end of"
            if behind.size
            else f"{GUARD_BYTES - int(elements[-1])} bytes in front of"
        )
        return f"A store lies {where} {self.name} ({self._array.nbytes:,} bytes)."


class Gpu:
    """The first GPU that the driver lists."""

    def __init__(self) -> None:
        from cuda import core
        from cuda.bindings import driver

        self._core, self._driver = core, driver
        self.device = core.Device(0)
        self.device.set_current()
        self.stream = self.device.create_stream()
        timing = core.EventOptions(timing_enabled=True)
        self._start, self._end = self.device.create_event(timing), self.device.create_event(timing)
        self._scratch = self.device.allocate(SCRATCH_BYTES, stream=self.stream)
        self.stream.sync()

    def run(self, problem: GpuProblem) -> GpuAnswer:
        """Launch on fresh arrays; return what the first launch left, and the median time of it and more of them."""
        arrays = {name: GuardedArray(self, name, array) for name, array in problem.arrays.items()}
        loaded = self._load(problem)
        seconds = [self._launch(problem, arrays, loaded)]
        read = {name: array.read() for name, array in arrays.items()}
        for _ in range(TIMED_LAUNCHES - 1):
            loaded = self._load(problem) if problem.has_variables else loaded
            seconds.append(self._launch(problem, arrays, loaded))
        for array in arrays.values():
            array.close()
        left = {name: values for name, (values, _) in read.items()}
        strays = tuple(stray for _, stray in read.values() if stray)
        return GpuAnswer(left, strays, statistics.median(seconds))

    def copy_in(self, address: int, array: Array) -> None:
        """Copy to the device, and wait."""
        self._check(self._driver.cuMemcpyHtoDAsync(address, array.ctypes.data, array.nbytes, self.stream.handle))
        self.stream.sync()

    def copy_out(self, array: Array, address: int) -> None:
        """Copy from the device, and wait."""
        self._check(self._driver.cuMemcpyDtoHAsync(array.ctypes.data, address, array.nbytes, self.stream.handle))
        self.stream.sync()

    def _load(self, problem: GpuProblem) -> Any:
        """Load the code; its variables are then as the file initializes them."""
        code = self._core.ObjectCode
        return code.from_ptx(problem.code) if problem.is_ptx else code.from_cubin(problem.code)

    def _launch(self, problem: GpuProblem, arrays: Mapping[str, GuardedArray], loaded: Any) -> float:
        """Launch once with the arrays as they were before the first launch; return its seconds."""
        for array in arrays.values():
            array.fill()
        kernel = loaded.get_kernel(problem.entry)
        self._allow_shared(kernel, problem.shared_bytes + int(kernel.attributes.shared_size_bytes))
        for name, contents in problem.variables.items():
            self._set_variable(loaded, name, contents)
        config = self._core.LaunchConfig(
            grid=problem.grid,
            block=problem.block,
            shmem_size=problem.shared_bytes,
            is_cooperative=problem.is_cooperative,
        )
        values = [
            numpy.uint64(arrays[each].address) if isinstance(each, str) else _bits(each) for each in problem.arguments
        ]
        self._scratch.fill(0, stream=self.stream)
        self.stream.record(self._start)
        self._core.launch(self.stream, config, kernel, *values)
        self.stream.record(self._end)
        self.stream.sync()
        return float(self._end - self._start) * 1e-3

    def _allow_shared(self, kernel: Any, nbytes: int) -> None:
        if nbytes > STATIC_SHARED_BYTES:
            attribute = self._driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            dynamic = nbytes - int(kernel.attributes.shared_size_bytes)
            device = self._driver.CUdevice(self.device.device_id)
            self._check(self._driver.cuKernelSetAttribute(attribute, dynamic, kernel.handle, device))

    def _set_variable(self, loaded: Any, name: str, array: Array) -> None:
        address, nbytes = self._check(self._driver.cuLibraryGetGlobal(loaded.handle, name.encode()))
        data = numpy.ascontiguousarray(array)
        if data.nbytes > int(nbytes):
            raise ValueError(f"the array for {name} has {data.nbytes:,} bytes, and the variable {int(nbytes):,}")
        self.copy_in(int(address), data)

    def _check(self, result: Any) -> Any:
        status, *values = result
        if int(status) != 0:
            raise RuntimeError(str(getattr(status, "name", status)))
        return values


def _bits(number: numpy.generic) -> numpy.generic:
    """Return a number as an unsigned one of the same bits, which is passed as it is: all that counts is its size."""
    bits: numpy.generic = numpy.frombuffer(number.tobytes(), f"u{number.itemsize}")[0]
    return bits


def _said(error: BaseException) -> str:
    """Return what CUDA said, without what it advises."""
    first, _, _ = " ".join(str(error).split()).partition(". ")
    return first.rstrip(".") or type(error).__name__


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
