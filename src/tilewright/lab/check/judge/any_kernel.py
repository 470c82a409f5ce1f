"""Mistakes that are ones whatever a kernel computes: races in shared memory and accesses outside of a shared array.

A kernel that no roles explain is run as its file launches it, on arrays of any contents. What is found in shared memory
there, whatever the arrays hold, is the kernel's mistake; and so is a race in an array that the launch passes twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy

from tilewright.emulate import EmulationError
from tilewright.emulate.observers import Finding
from tilewright.lab.check.element_types import as_type, dtype_of, is_integer
from tilewright.lab.check.find.candidates import launch_of
from tilewright.lab.check.find.kernel_file import KernelFile, OpenedFile, parameters_of
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.promises import says_multiples
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.report.result import CaseResult, CheckResult
from tilewright.lab.check.run.execution import Argument, Geometry, Pointer
from tilewright.lab.check.run.textbook_races import excused
from tilewright.lab.check.run.watching import ERROR, correctness_observers, of_fault, together
from tilewright.lab.check.statuses import FAULT, WRONG
from tilewright.lab.source import CompileError, KernelSignature, Parameter, SourceError, resolve_launch, resolve_number
from tilewright.lab.source.names_behind import names_behind

from .fills import fill_lines
from .given_bytes import array_of, at_launch
from .panels import panels_left
from .verdicts import UNINITIALISED

STAND_INS = ((80, 16), (1, 1))
"""Sizes that only the running program knows, or that would take long: the first one, and the step to the next.

What is found must be there with either: a number may be a radius, for which a large one says nothing.
"""
WHOLE = (128, 128)
"""Sizes of whole blocks, with which a barrier is missed that blocks of a single warp, as of (1, 1), do not have."""
LARGEST_SIZE = 4096
MOST_THREADS = 1 << 17
BUDGET = 20_000_000
FULL = (1024, 0)
"""Sizes that fill every block, all the same."""
SPARE_ELEMENTS, MOST_ELEMENTS = 4096, 1 << 23
NO_ARRAY = ("nullptr", "NULL")
WARP = 32
_NAME = re.compile(r"[A-Za-z_]\w*")
BARRIER, HOST = "barrier not reached", "host code"
KINDS_OF_SHARED = ("race", "out of bounds", BARRIER, UNINITIALISED)


def mistakes_of_any_kind(opened: OpenedFile, signature: KernelSignature, options: Options) -> CheckResult | None:
    """Return a result with what is wrong whatever the kernel computes, or None if there is nothing to be said."""
    kernel = KernelFile(opened, signature, options)
    result, advice = _in_memory(kernel), "Let each trip take its own part of both operands."
    places = [((opened.file.name, opened.file.text.count("\n", 0, at) + 1), said) for at, said in panels_left(kernel)]
    of_host = tuple(Finding(HOST, ERROR, place, said, advice) for place, said in places)
    if result is None and of_host:
        return CheckResult(
            str(opened.file.path), signature.name, how="by the file's loop of launches", findings=of_host
        )
    return replace(result, findings=(*result.findings, *of_host)) if result is not None else None


def _in_memory(kernel: KernelFile) -> CheckResult | None:
    """Return what is wrong with a kernel's accesses to shared memory, or None."""
    signature, options = kernel.signature, kernel.options
    if not kernel.sites or options.block or (signature.template_parameters and not kernel.template_arguments):
        return None
    try:
        rule = launch_of(kernel, parameters_of(kernel))
        if not isinstance(rule, OwnLaunch) or rule.is_guess:
            return None
        launches = [_Launch(kernel, rule, *numbers) for numbers in STAND_INS]
        first, *others = [each.findings(is_zero=is_zero) for each in launches for is_zero in (False, True)]
        common = set.intersection(*({(each.kind, each.place) for each in findings} for findings in others))
        if any(each.kind == BARRIER for each in first) and launches[1].is_of_one_warp:
            whole = [_Launch(kernel, rule, *WHOLE).findings(is_zero=is_zero) for is_zero in (False, True)]
            missed = ({(each.kind, each.place) for each in findings if each.kind == BARRIER} for findings in whole)
            common |= set.intersection(*missed)
        if any(kind == UNINITIALISED for kind, _ in common):
            common = {each for each in common if each[0] != UNINITIALISED} | (common & _left_unset(kernel, rule))
    except (CheckError, CompileError, EmulationError, LaunchError, SourceError):
        return None
    findings = [each for each in together(first) if (each.kind, each.place) in common]
    return _result(kernel, launches[0], findings) if findings else None


def _left_unset(kernel: KernelFile, rule: OwnLaunch) -> set[tuple[str, tuple[str | None, int | None]]]:
    """Return kind and place of what is found where blocks are whole and full; nothing for too many threads.

    A tile that the matrices fill in part may be read as a whole, and what lies outside not be used.
    """
    try:
        return {(each.kind, each.place) for each in _Launch(kernel, rule, *FULL).findings(is_zero=False)}
    except LaunchError:
        return set()


def _result(kernel: KernelFile, launch: _Launch, findings: Sequence[Finding]) -> CheckResult:
    signature = kernel.signature
    status = FAULT if any(each.kind == "out of bounds" for each in findings) else WRONG
    case = CaseResult(launch.sizes, status, launch.geometry.grid, launch.geometry.block, findings[0].message)
    name = signature.name
    return CheckResult(
        str(kernel.opened.file.path),
        name,
        arguments=", ".join(parameter.name for parameter in signature.parameters),
        how="as the file launches it, on arrays of any contents",
        launch=launch.said,
        cases=(case,),
        findings=tuple(findings),
        notes=(*kernel.notes, f"What {name} computes is not known: it was only looked for mistakes in shared memory."),
    )


class _Launch:
    """A kernel as its file launches it, with sizes in place of those that are not known.

    Raises LaunchError if there is no such launch, or if the size of its shared memory would be one of these.
    """

    def __init__(self, kernel: KernelFile, rule: OwnLaunch, first: int, step: int) -> None:
        self._kernel, self._site = kernel, rule.site
        self.said = rule.said
        self._values = {name: value for name, value in rule.unknown if name in rule.passed}
        names = [*rule.roots, *(name for name, _ in rule.unknown if name not in rule.passed)]
        stand_ins = [name for name in names if name not in kernel.constants and not self._is_known(name)]
        self._values |= {name: first + step * at for at, name in enumerate(stand_ins)}
        passed = {name for text in rule.site.arguments for name in _NAME.findall(text)}
        if names_behind(rule.site.syntax, rule.site.shared_text) & set(stand_ins) - passed:
            raise LaunchError(f"The shared memory of {rule.said} is not known.")
        found = resolve_launch(rule.site, self._values)
        if isinstance(found, str):
            raise LaunchError(found)
        self.geometry = Geometry(found.grid, found.block, found.shared_bytes)
        if min(*found.grid, *found.block) < 1 or self.geometry.threads > MOST_THREADS:
            raise LaunchError(f"{rule.said} has {self.geometry.threads} threads.")
        self._parameters = parameters_of(kernel)
        self._numbers = [self._number(p, text) for p, text in zip(self._parameters, rule.site.arguments, strict=True)]
        pairs = zip(self._parameters, self._numbers, strict=True)
        self.sizes = {parameter.name: int(number) for parameter, number in pairs if isinstance(number, int)}

    @property
    def is_of_one_warp(self) -> bool:
        """Whether a block has a single warp."""
        return prod(self.geometry.block) <= WARP

    def _is_known(self, name: str) -> bool:
        value = resolve_number(self._site, name, self._values)
        return isinstance(value, int) and 0 < value <= LARGEST_SIZE

    def _number(self, parameter: Parameter, text: str) -> int | float | None:
        dtype = dtype_of(parameter.element_type)
        if dtype is None:
            raise LaunchError(f"{parameter.name} has the type {parameter.type_text}.")
        if parameter.is_pointer:
            return None
        value = resolve_number(self._site, text, self._values)
        if is_integer(dtype):
            if not isinstance(value, int | float):
                raise LaunchError(f"{text} is not known.")
            return int(value)
        return float(value) if isinstance(value, int | float) else 1.0

    def _arguments(self, *, is_zero: bool) -> list[Argument]:
        """Return numbers and arrays; arrays that the host gives under one name are one."""
        sizes = sorted({*self.sizes.values(), 1}, reverse=True)
        known = [constant.value for constant in self._kernel.constants.values()]
        count = min(2 * max(prod(sizes[:2]), self.geometry.threads, *known) + SPARE_ELEMENTS, MOST_ELEMENTS)
        generator = numpy.random.default_rng(self._kernel.options.seed)
        arrays: dict[str, Pointer] = {}
        arguments: list[Argument] = []
        for parameter, text, number in zip(self._parameters, self._site.arguments, self._numbers, strict=True):
            if number is not None:
                arguments.append(number)
                continue
            dtype = dtype_of(parameter.element_type)
            assert dtype is not None
            values = numpy.arange(count) % 7 if is_integer(dtype) else generator.random(count)
            array = as_type(values * (not is_zero), dtype)
            arguments.append(arrays.setdefault(text, Pointer(parameter.name, array)))
        return arguments

    def findings(self, *, is_zero: bool) -> list[Finding]:
        """Return the errors in shared memory, and those of an array that is passed twice."""
        stand = self._kernel.stand({})
        watching = correctness_observers()
        outcome = stand.run(self._arguments(is_zero=is_zero), self.geometry, budget=BUDGET, observers=watching)
        seen = excused((each for observer in watching for each in observer.findings), stand.module, stand.entry)
        fault = of_fault(outcome.fault, seen) if outcome.fault is not None else None
        sure = (each for each in [*seen, *([fault] if fault else [])] if self._is_sure(each))
        given = self.geometry.shared_bytes
        return [at_launch(self._kernel, self._site, given, self._with_array(each)) for each in sure]

    def _with_array(self, finding: Finding) -> Finding:
        """Return a read of what nobody wrote with the line that fills the array in part, or else declares it."""
        lines = {each.name: each.line for each in self._kernel.signature.shared_arrays}
        line = next(iter(fill_lines(self._kernel, array_of(finding))), lines.get(array_of(finding)))
        is_unset = finding.kind == UNINITIALISED and line is not None
        return replace(finding, other=(finding.place[0], line)) if is_unset else finding

    def _is_sure(self, finding: Finding) -> bool:
        if finding.severity != ERROR or finding.kind not in KINDS_OF_SHARED:
            return False
        if finding.kind == BARRIER:
            return not says_multiples(self._kernel.opened.file.text)
        array = array_of(finding)
        if array in {each.name for each in self._kernel.signature.shared_arrays}:
            return True
        return finding.kind == "race" and array in self._passed_twice()

    def _passed_twice(self) -> Sequence[str]:
        pointers = [
            (parameter.name, text)
            for parameter, text, number in zip(self._parameters, self._site.arguments, self._numbers, strict=True)
            if number is None
        ]
        texts = [text for _, text in pointers]
        return [
            name for name, text in pointers if texts.count(text) > 1 and text.isidentifier() and text not in NO_ARRAY
        ]
