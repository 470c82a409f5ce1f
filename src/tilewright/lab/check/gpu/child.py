"""The child process that uses the GPU: runs a folder's problems one by one, and writes the results of each.

`python -m tilewright.lab.check.gpu.child FOLDER`. It reports progress in lines on standard output (watchdog.py). Each
array lies between two guard bands, which must be unchanged afterwards.
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

from tilewright.compile.kept_code import Code
from tilewright.kernels.launch import Launch, Launches, Pointer
from tilewright.lab.limited.lifetime import end_with_stream
from tilewright.launch.cuda.machine import CudaBuffer, CudaMachine
from tilewright.launch.cuda.planned import PlannedRun

from .problems import OPENING, GpuAnswer, GpuProblem, read_problems, write_answer

Array = NDArray[Any]

GUARD_BYTES = 65_536
GUARD = 0xFF
"""NaN as a number, so that a read outside an array makes the result wrong."""
TIMED_LAUNCHES = 5


def main(arguments: list[str]) -> int:
    """Run the problems of a folder until one fails; return 0 if each that was started has its answer."""
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

    def __init__(self, machine: CudaMachine, name: str, array: Array) -> None:
        self.name, self._machine, self._array = name, machine, numpy.ascontiguousarray(array)
        band = numpy.full(GUARD_BYTES, GUARD, numpy.uint8)
        self._before = numpy.concatenate([band, self._array.reshape(-1).view(numpy.uint8), band])
        self._memory = machine.allocate(self._before.nbytes, name)

    @property
    def address(self) -> int:
        """The address of the array's first element."""
        return self._memory.address + GUARD_BYTES

    def fill(self) -> None:
        """Restore the initial contents of the array and its guard bands."""
        self._machine.copy_in(self._memory, self._before)

    def read(self) -> tuple[Array, str]:
        """Return the array's contents, and a sentence about stores outside it (empty if there are none)."""
        after = numpy.empty_like(self._before)
        self._machine.copy_out(self._memory, after)
        end = GUARD_BYTES + self._array.nbytes
        values = after[GUARD_BYTES:end].view(self._array.dtype).reshape(self._array.shape)
        return values, self._strays(after, end)

    def close(self) -> None:
        """Free the memory."""
        self._machine.free(self._memory)

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
        self.machine = CudaMachine()

    def run(self, problem: GpuProblem) -> GpuAnswer:
        """Launch several times on restored arrays; return the first launch's results, and the median time of all."""
        arrays = {name: GuardedArray(self.machine, name, array) for name, array in problem.arrays.items()}
        code = Code(problem.code + b"\0", is_ptx=True) if problem.is_ptx else Code(problem.code)
        seconds = [self._launch(problem, arrays, code)]
        read = {name: array.read() for name, array in arrays.items()}
        seconds += [self._launch(problem, arrays, code) for _ in range(TIMED_LAUNCHES - 1)]
        for array in arrays.values():
            array.close()
        left = {name: values for name, (values, _) in read.items()}
        strays = tuple(stray for _, stray in read.values() if stray)
        return GpuAnswer(left, strays, statistics.median(seconds))

    def _launch(self, problem: GpuProblem, arrays: Mapping[str, GuardedArray], code: Code) -> float:
        """Launch once with arrays and variables as they were before the first launch; return its seconds."""
        for array in arrays.values():
            array.fill()
        if problem.has_variables:
            self.machine.device.forget(code)
        for name, contents in problem.variables.items():
            self._set_variable(code, name, contents)
        passed: dict[str, Any] = {
            str(place): Pointer(each) if isinstance(each, str) else each.tobytes()
            for place, each in enumerate(problem.arguments)
        }
        launch = Launch(
            problem.entry,
            (),
            problem.grid,
            problem.block,
            passed,
            shared_bytes=problem.shared_bytes,
            waits_for_grid=problem.is_cooperative,
        )
        run = PlannedRun(Launches((launch,)), self.machine.device, [code], list(arrays))
        return self.machine.timed(run, [array.address for array in arrays.values()]).kernel_seconds

    def _set_variable(self, code: Code, name: str, array: Array) -> None:
        address, nbytes = self.machine.device.variable(code, name)
        data = numpy.ascontiguousarray(array)
        if data.nbytes > nbytes:
            raise ValueError(f"the array for {name} has {data.nbytes:,} bytes, and the variable {nbytes:,}")
        self.machine.copy_in(CudaBuffer(address, data.nbytes, name), data)


def _said(error: BaseException) -> str:
    """Return what CUDA said, without what was being done and what it advises."""
    said, _, _ = " ".join(str(error).split()).rpartition(" failed: ")[2].partition(". ")
    return said.rstrip(".") or type(error).__name__


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
