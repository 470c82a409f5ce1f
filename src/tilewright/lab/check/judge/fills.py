"""Completes findings about reads of unwritten elements with the line that fills the array, or allocates it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.zeroed import allocating_line

KIND = "uninitialised read"


def with_fills(findings: Iterable[Finding], kernel: KernelFile, found: Found) -> list[Finding]:
    """Return the findings; for reads of unwritten elements, the line that fills or allocates the array is added."""
    return [_with_line(each, kernel, found) if each.kind == KIND and each.other is None else each for each in findings]


def _with_line(finding: Finding, kernel: KernelFile, found: Found) -> Finding:
    array = finding.address.partition("[")[0]
    if lines := fill_lines(kernel, array):
        return _filled(finding, lines)
    line = allocating_line(kernel, found) if array == "C" and "atomic" in kernel.body else None
    if line is None:
        return finding
    message = f"{finding.message} It is allocated in line {line}, and nothing is stored in it there."
    return replace(finding, message=message, other=(finding.place[0], line))


def fill_lines(kernel: KernelFile, array: str) -> list[int]:
    """Return the lines of the kernel's text that store into a shared array."""
    if array not in {each.name for each in kernel.signature.shared_arrays}:
        return []
    stored = re.compile(rf"\b{re.escape(array)}\s*(?:\[[^;=]*\])+\s*=(?!=)")
    lines = kernel.body.split("\n")
    return [kernel.signature.line + number for number, line in enumerate(lines) if stored.search(line)]


def _filled(finding: Finding, lines: list[int]) -> Finding:
    array = finding.address.partition("[")[0]
    where = f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}"
    message = f"{finding.message} {array} is filled in {where} alone."
    return replace(finding, message=message, other=(finding.place[0], lines[0]))
