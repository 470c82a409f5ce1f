"""Launches for a GPU as files, written by the process with the emulator and read by the one with the GPU.

A kernel's folder holds `problems.json`, the code, each array as .npy, and then the answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]
Extent = tuple[int, int, int]

PROBLEMS = "problems.json"
OPENING = "opening.json"


@dataclass(frozen=True)
class GpuProblem:
    """One launch, with the same inputs as on the emulator.

    sizes: by name, for the report. operation: whose reference judges C; empty if `expected` does. code: a cubin, or PTX
    as bytes. arguments: in the kernel's order, an array's name or a number of the parameter's type. arrays: their
    contents before the launch. variables: the same for `__constant__` and `__device__` variables. has_variables:
    whether the file has any, so that one launch may affect the next. is_cooperative: whether the kernel synchronizes
    its whole grid. transposed: those of A and B whose arrays hold the transpose.
    """

    sizes: Mapping[str, int]
    operation: str
    entry: str
    code: bytes
    grid: Extent
    block: Extent
    shared_bytes: int
    arguments: tuple[str | numpy.generic, ...]
    arrays: Mapping[str, Array]
    variables: Mapping[str, Array] = field(default_factory=dict)
    expected: Mapping[str, Array] = field(default_factory=dict)
    has_variables: bool = True
    is_cooperative: bool = False
    transposed: str = ""

    @property
    def is_ptx(self) -> bool:
        """Whether the code is PTX, which the driver compiles."""
        return not self.code.startswith(b"\x7fELF")


@dataclass(frozen=True)
class GpuAnswer:
    """A launch's arrays afterwards, strays (a sentence per array with stores outside it) and seconds; or an error."""

    arrays: Mapping[str, Array] = field(default_factory=dict)
    strays: tuple[str, ...] = ()
    kernel_seconds: float | None = None
    error: str = ""


def write_problems(folder: Path, problems: Sequence[GpuProblem], refusal: str = "") -> None:
    """Write a kernel's launches, or the reason why there are none."""
    folder.mkdir(parents=True, exist_ok=True)
    codes: dict[bytes, str] = {}
    for problem in problems:
        codes.setdefault(problem.code, f"code-{len(codes)}")
    for code, name in codes.items():
        (folder / name).write_bytes(code)
    records = [_record(folder, number, problem, codes[problem.code]) for number, problem in enumerate(problems)]
    (folder / PROBLEMS).write_text(json.dumps({"refusal": refusal, "problems": records}), encoding="utf-8")


def read_problems(folder: Path) -> tuple[list[GpuProblem], str]:
    """Return what `write_problems` wrote."""
    content = json.loads((folder / PROBLEMS).read_text(encoding="utf-8"))
    return [_problem(folder, number, record) for number, record in enumerate(content["problems"])], content["refusal"]


def write_answer(folder: Path, number: int, answer: GpuAnswer) -> None:
    """Write the answer to a problem atomically."""
    _save(folder, f"answer-{number}", answer.arrays)
    record = {
        "arrays": sorted(answer.arrays),
        "strays": answer.strays,
        "kernel_seconds": answer.kernel_seconds,
        "error": answer.error,
    }
    unfinished = folder / f"answer-{number}.part"
    unfinished.write_text(json.dumps(record), encoding="utf-8")
    unfinished.rename(folder / f"answer-{number}.json")


def read_answer(folder: Path, number: int) -> GpuAnswer | None:
    """Return the answer to a problem, or None."""
    try:
        record = json.loads((folder / f"answer-{number}.json").read_text(encoding="utf-8"))
        arrays = _load(folder, f"answer-{number}", record["arrays"])
        return GpuAnswer(arrays, tuple(record["strays"]), record["kernel_seconds"], record["error"])
    except (OSError, ValueError, KeyError):
        return None


def _record(folder: Path, number: int, problem: GpuProblem, code: str) -> dict[str, Any]:
    for kind in ("arrays", "variables", "expected"):
        _save(folder, f"{kind}-{number}", getattr(problem, kind))
    return {
        "sizes": dict(problem.sizes),
        "operation": problem.operation,
        "entry": problem.entry,
        "code": code,
        "grid": problem.grid,
        "block": problem.block,
        "shared_bytes": problem.shared_bytes,
        "arguments": [_argument(each) for each in problem.arguments],
        "arrays": list(problem.arrays),
        "variables": list(problem.variables),
        "expected": list(problem.expected),
        "has_variables": problem.has_variables,
        "is_cooperative": problem.is_cooperative,
        "transposed": problem.transposed,
    }


def _problem(folder: Path, number: int, record: dict[str, Any]) -> GpuProblem:
    loaded = {kind: _load(folder, f"{kind}-{number}", record[kind]) for kind in ("arrays", "variables", "expected")}
    return GpuProblem(
        **record
        | loaded
        | {
            "code": (folder / record["code"]).read_bytes(),
            "grid": tuple(record["grid"]),
            "block": tuple(record["block"]),
            "arguments": tuple(_read_argument(each) for each in record["arguments"]),
        }
    )


def _argument(argument: str | numpy.generic) -> dict[str, str]:
    if isinstance(argument, str):
        return {"array": argument}
    return {"type": str(argument.dtype), "bytes": argument.tobytes().hex()}


def _read_argument(record: dict[str, str]) -> str | numpy.generic:
    if "array" in record:
        return record["array"]
    number: numpy.generic = numpy.frombuffer(bytes.fromhex(record["bytes"]), record["type"])[0]
    return number


def _save(folder: Path, stem: str, arrays: Mapping[str, Array]) -> None:
    for name, array in arrays.items():
        numpy.save(folder / f"{stem}-{name}.npy", array, allow_pickle=False)


def _load(folder: Path, stem: str, names: Sequence[str]) -> dict[str, Array]:
    return {name: numpy.load(folder / f"{stem}-{name}.npy", allow_pickle=False) for name in names}
