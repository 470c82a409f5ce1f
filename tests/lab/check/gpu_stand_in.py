"""Stands in for the process that has the GPU: `python gpu_stand_in.py WHAT FOLDER`, where WHAT is what it does.

`emulates` runs the problems on the emulator, which needs PTX; the others multiply with NumPy and go wrong somewhere.
"""

import os
import sys
import time
from pathlib import Path

import numpy

from tilewright.lab.check.gpu.problems import OPENING, GpuAnswer, GpuProblem, read_problems, write_answer

SECONDS = 2e-6


def emulated(problem: GpuProblem) -> GpuAnswer:
    """Run a problem on the emulator."""
    from tilewright.lab.check.run.execution import Geometry, Pointer, Stand

    stand = Stand(problem.code.decode(), problem.entry)
    for name, array in problem.variables.items():
        stand.emulator.set_variable(stand.module, name, array)
    arguments = [
        Pointer(each, problem.arrays[each]) if isinstance(each, str) else each.item() for each in problem.arguments
    ]
    geometry = Geometry(problem.grid, problem.block, problem.shared_bytes)
    outcome = stand.run(arguments, geometry, budget=10_000_000)
    assert outcome.fault is None, outcome.fault
    return GpuAnswer(outcome.arrays, (), SECONDS)


def multiplied(problem: GpuProblem) -> GpuAnswer:
    """Multiply with NumPy."""
    return GpuAnswer({"C": problem.arrays["A"] @ problem.arrays["B"]}, (), SECONDS)


def main(what: str, folder: Path) -> int:
    """Do it."""
    if what == "never opens":
        time.sleep(600)
    if what == "no GPU":
        (folder / OPENING).write_text("the GPU could not be opened: CUDA_ERROR_NO_DEVICE")
        return 0
    problems, _ = read_problems(folder)
    print("opened", flush=True)  # noqa: T201
    for number, problem in enumerate(problems):
        print(f"started {number}", flush=True)  # noqa: T201
        if number == 1 and what == "hangs":
            time.sleep(600)
        if number == 1 and what == "crashes":
            os.abort()
        if number == 1 and what == "faults":
            write_answer(folder, number, GpuAnswer(error="The launch failed on the GPU: CUDA_ERROR_ILLEGAL_ADDRESS."))
            return 0
        answer = emulated(problem) if what == "emulates" else multiplied(problem)
        if number == 1 and what == "is wrong":
            answer.arrays["C"][1, 2] = numpy.float32(1000)
        if number == 1 and what == "strays":
            answer = GpuAnswer(answer.arrays, ("A store lies 4 bytes past the end of C (64 bytes).",), SECONDS)
        write_answer(folder, number, answer)
        print(f"done {number}", flush=True)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
