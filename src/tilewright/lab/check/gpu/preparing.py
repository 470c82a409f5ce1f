"""Prepares the launches on a GPU of a kernel that the emulator has run: the same problems, code for that GPU."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy

from tilewright.lab.check.element_types import dtype_of
from tilewright.lab.check.find.constants import with_values
from tilewright.lab.check.find.kernel_file import KernelFile, parameters_of
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.report.result import CheckResult
from tilewright.lab.check.run.execution import Argument, Geometry, Maps, Pointer, Stand
from tilewright.lab.check.statuses import FAULT
from tilewright.lab.source import CompileError, CompilerMissingError, SourceError, compile_user_code

from .problems import GpuProblem, write_problems

UNSAFE = ("endless loop", "barrier not reached", "out of bounds", "misaligned", "assertion failed", "other fault")
"""Findings that may hang a GPU or end its process, which would lose the results of the other problems."""

_WAITS_FOR_GRID = re.compile(r"\bthis_grid\b|\bgrid_group\b")

Problems = Callable[[str], Sequence[GpuProblem]]


class GpuFolder:
    """Writes the launches of a file's kernels into numbered folders, one per kernel, from 0."""

    def __init__(self, path: Path, architecture: str) -> None:
        self.path, self.architecture = path, architecture
        self._count = 0

    def add(self, result: CheckResult, problems: Problems) -> None:
        """Write a kernel's problems, or why it must not run. problems: makes them for an architecture."""
        refusal, made = why_not(result), []
        if not refusal:
            try:
                made = list(problems(self.architecture))
            except (CheckError, CompileError, CompilerMissingError, SourceError) as error:
                said = " ".join(str(error).split()).rstrip(".")
                refusal = f"it could not be compiled for {self.architecture}: {said}"
        write_problems(self.path / str(self._count), made, refusal)
        self._count += 1


def why_not(result: CheckResult) -> str:
    """Return why a kernel must not run on a GPU, given the emulator's findings; empty if it may."""
    for finding in result.findings:
        if finding.kind in UNSAFE and finding.severity == "error":
            where = "" if finding.place[1] is None else f" in line {finding.place[1]}"
            return f"the emulator found an error of the kind {finding.kind!r}{where}, which may hang or stop a GPU"
    for case in result.cases:
        if case.status == FAULT:
            sizes = ", ".join(f"{name} {size}" for name, size in case.sizes.items())
            return f"the emulator could not run it to its end at {sizes}: {case.message.rstrip('.')}"
    return "" if result.cases else "the emulator ran nothing"


def gpu_problem(
    kernel: KernelFile,
    stand: Stand,
    code: bytes,
    *,
    sizes: Mapping[str, int],
    operation: str,
    arguments: Sequence[Argument],
    geometry: Geometry,
) -> GpuProblem:
    """Return an emulator's launch for a GPU, with numbers in the types of the kernel's parameters."""
    passed: list[str | numpy.generic] = []
    for parameter, argument in zip(parameters_of(kernel), arguments, strict=True):
        if isinstance(argument, Pointer):
            passed.append(argument.name)
            continue
        dtype = numpy.dtype(numpy.uint64) if parameter.is_pointer else dtype_of(parameter.element_type)
        if dtype is None or isinstance(argument, bytes | Maps):
            raise CheckError(f"{parameter.name} of {kernel.signature.name} is no number")
        passed.append(dtype.type(argument))
    return GpuProblem(
        sizes=dict(sizes),
        operation=operation,
        entry=stand.entry,
        code=code,
        grid=geometry.grid,
        block=geometry.block,
        shared_bytes=geometry.shared_bytes,
        arguments=tuple(passed),
        arrays={a.name: a.array for a in arguments if isinstance(a, Pointer)},
        has_variables=bool(stand.module.variables),
        is_cooperative=_WAITS_FOR_GRID.search(kernel.body) is not None,
    )


class CodeFor:
    """A kernel's code for one architecture, compiled once per choice of the file's constants."""

    def __init__(self, kernel: KernelFile, architecture: str) -> None:
        self._kernel, self._architecture = kernel, architecture
        self._made: dict[tuple[tuple[str, int], ...], bytes] = {}

    def at(self, values: Mapping[str, int]) -> bytes:
        """Return a cubin, or PTX if the compiler does not know the GPU; raise what the compiler raises."""
        kernel = self._kernel
        known = {
            n: v
            for n, v in values.items()
            if (n in kernel.constants or n in kernel.size_constants) and n not in kernel.size_variables
        }
        key = tuple(sorted(known.items()))
        if key not in self._made:
            more = {name: str(value) for name, value in known.items() if name not in kernel.constants}
            code = compile_user_code(
                replace(kernel.opened.file, text=with_values(kernel.opened.file.text, known)),
                defines=kernel.defines | more,
                symbol=kernel.signature.qualified_name or kernel.signature.name,
                template_arguments=kernel.template_arguments,
                architecture=self._architecture,
            )
            self._made[key] = code if isinstance(code, bytes) else code.encode()
        return self._made[key]
