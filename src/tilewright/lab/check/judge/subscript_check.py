"""Finds subscripts beyond their own dimension, by a second compile with a bounds check of each subscript."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.run.endless import budget_at
from tilewright.lab.check.run.execution import Argument, Geometry, Stand
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import (
    SUBSCRIPT_LOG,
    CheckedSubscripts,
    CompileError,
    SourceError,
    findings_of_instrumented_run,
)

from .cases import case_of, starts_at_zero

MOST_SHAPES = 3


def check_subscripts(kernel: KernelFile, found: Found, tested: Sequence[Sizes]) -> tuple[list[Finding], list[str]]:
    """Return findings of the kind `inner dimension`, and a note on subscripts that cannot be checked."""
    findings: list[Finding] = []
    notes: list[str] = []
    for sizes in tested[:MOST_SHAPES]:
        try:
            case = case_of(found, sizes, kernel.options.seed, zero=starts_at_zero(kernel, found))
            stand, checks = kernel.instrumented(found.roles.constants_at(sizes))
        except (CheckError, CompileError, LaunchError, SourceError):
            continue
        if not checks.sites:
            break
        run = run_instrumented(
            stand, checks, case.arguments, case.geometry, budget=4 * budget_at(sizes, case.geometry, found.tile)
        )
        findings += run[0]
        notes += run[1]
    return findings, list(dict.fromkeys(notes))


def run_instrumented(
    stand: Stand, checks: CheckedSubscripts, arguments: Sequence[Argument], geometry: Geometry, *, budget: int
) -> tuple[list[Finding], list[str]]:
    """Return the findings of a launch with bounds checks of subscripts, and a note on those that cannot be checked."""
    stand.emulator.set_variable(stand.module, SUBSCRIPT_LOG, numpy.zeros(checks.log_shape, numpy.int64))
    stand.run(arguments, geometry, budget=budget)
    log = stand.emulator.get_variable(stand.module, SUBSCRIPT_LOG, numpy.int64, checks.log_shape)
    left = [f"{array} in line {line} ({why})" for file, line, array, why in checks.not_checked]
    notes = [f"Not checked against their own dimension: {'; '.join(dict.fromkeys(left))}."] if left else []
    return findings_of_instrumented_run(checks, log), notes
