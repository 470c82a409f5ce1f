"""The same check on a GPU, once the emulator has shown that the kernels end: same inputs, same reference.

The kernels run in a child process (child.py) under a watchdog (watchdog.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.lab.check.find.products import compare, result_of
from tilewright.lab.check.report.result import CheckResult, GpuCase, GpuResult
from tilewright.lab.check.run.tolerances import Nearness, nearness
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.check.statuses import FAULT, NOT_RUN, RIGHT, WRONG

from .problems import OPENING, GpuAnswer, GpuProblem, read_answer, read_problems
from .watchdog import Ending, WatchLimits, watch

Array = NDArray[Any]

LIMITS = WatchLimits()
_ONE_AT_A_TIME = Lock()
"""Files may be checked in parallel, but two kernels on one GPU would disturb each other's times."""


@dataclass(frozen=True)
class Card:
    """The GPU to run on. architecture: to compile for: `sm_90`, or `compute_90` if only PTX is possible."""

    name: str
    architecture: str


def card_at_hand() -> Card:
    """Return the first GPU that the driver lists; raise DeviceUnavailableError if none can be used."""
    from tilewright.launch.cuda.gpu import gpu_at_hand

    return Card(*gpu_at_hand())


def run_on_gpu(results: Sequence[CheckResult], folder: Path, card: Card) -> list[CheckResult]:
    """Return the results, completed by those of the GPU.

    folder: holds a folder per result, numbered from 0 in their order (preparing.GpuFolder).
    """
    numbers: Iterator[int] = iter(range(len(results)))
    return [
        result if result.refusal else replace(result, gpu=_result(result, folder / str(next(numbers)), card))
        for result in results
    ]


def _result(result: CheckResult, folder: Path, card: Card) -> GpuResult:
    problems, refusal = read_problems(folder)
    if refusal:
        return GpuResult(card.name, refusal=refusal)
    with _ONE_AT_A_TIME:
        ending = watch(folder, LIMITS)
    opening = (folder / OPENING).read_text(encoding="utf-8") if (folder / OPENING).exists() else ""
    if opening or (ending is not None and ending.problem is None):
        return GpuResult(card.name, refusal=opening or _never_opened(ending))
    cases: list[GpuCase] = []
    for number, problem in enumerate(problems):
        answer = read_answer(folder, number)
        if answer is not None and not answer.error:
            cases.append(judged(problem, answer))
        elif any(case.status == FAULT for case in cases):
            cases.append(GpuCase(problem.sizes, NOT_RUN))
        else:
            why = answer.error if answer is not None else _stopped(result.kernel, problem, ending)
            cases.append(GpuCase(problem.sizes, FAULT, why))
    return GpuResult(card.name, tuple(cases))


def judged(problem: GpuProblem, answer: GpuAnswer) -> GpuCase:
    """Return a problem's verdict: every element must match the reference, and no store may miss the arrays."""
    case = _judged_product(problem, answer) if problem.operation else _judged_arrays(problem, answer)
    if answer.strays:
        case = replace(case, status=WRONG, message=" ".join([case.message, *answer.strays]).strip())
    return replace(case, kernel_seconds=answer.kernel_seconds)


def _judged_product(problem: GpuProblem, answer: GpuAnswer) -> GpuCase:
    operation, sizes = problem.operation, Sizes(**{"rows": 1, "cols": 1} | dict(problem.sizes))
    got = result_of(operation, sizes, answer.arrays["C"].ravel())
    a, b = (problem.arrays[name].T if name in problem.transposed else problem.arrays[name] for name in "AB")
    comparison = compare(operation, a, b, got)
    message = "" if comparison.passed else _first_wrong("C", got, comparison.expected, comparison.right)
    status = RIGHT if comparison.passed else WRONG
    return GpuCase(problem.sizes, status, message, comparison.error, comparison.bound_there)


def _judged_arrays(problem: GpuProblem, answer: GpuAnswer) -> GpuCase:
    messages, nearest = [], Nearness(numpy.ones(0, bool), 0.0, 0.0)
    for name, wanted in problem.expected.items():
        got = answer.arrays[name]
        expected = wanted.reshape(got.shape)
        near = nearness(got, expected)
        if not near.passed:
            messages.append(_first_wrong(name, got, expected, near.is_right))
        if near.share >= nearest.share:
            nearest = near
    status = WRONG if messages else RIGHT
    return GpuCase(problem.sizes, status, " ".join(messages), nearest.error, nearest.bound)


def _first_wrong(name: str, got: Array, expected: Array, right: NDArray[numpy.bool_]) -> str:
    index = numpy.unravel_index(int(numpy.argmin(right.ravel())), right.shape)
    element = f"{name}{''.join(f'[{i}]' for i in index)}"
    wrong = int((~right).sum())
    return (
        f"{element} is {_shown(got[index])} and should be {_shown(expected[index])}. {wrong:,} of {right.size:,} "
        "elements are wrong."
    )


def _shown(value: Any) -> str:
    return f"{float(value):.6g}" if numpy.asarray(value).dtype.kind == "f" else str(value)


def _stopped(kernel: str, problem: GpuProblem, ending: Ending | None) -> str:
    sizes = ", ".join(f"{name} {size}" for name, size in problem.sizes.items())
    if ending is not None and ending.seconds is not None:
        return f"{kernel} did not end within {ending.seconds:g} seconds at {sizes}, and its process was ended."
    return f"{kernel} gave no result at {sizes}: {ending.said if ending else 'its process ended'}."


def _never_opened(ending: Ending | None) -> str:
    if ending is None or ending.seconds is not None:
        return "the GPU could not be opened in time"
    return f"the GPU could not be opened: {ending.said}"
