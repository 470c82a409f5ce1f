"""Reduced products with odd sides, where the file promises them: a row or a column without a partner counts alone.

What C holds there may be left out or added to zeros, so that only accesses outside of the arrays are mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.products import Array, operands
from tilewright.lab.check.find.promises import says_odd
from tilewright.lab.check.run.endless import budget_at
from tilewright.lab.check.run.execution import Argument, Pointer
from tilewright.lab.check.run.watching import ERROR, correctness_observers, of_fault
from tilewright.lab.check.sizes import Sizes

ODD = ((33, 17, 46), (34, 17, 47), (33, 17, 47))
"""Rows, inner and cols: one side is odd, then the other, then both."""
_PARTNER = re.compile(r"\+\s*1\s*<=?\s*\w|\w\s*-\s*1\s*>\s*\w")
"""A comparison of the second of two rows or columns with a side."""
OUTSIDE = "out of bounds"


def outside_at_odd_sides(kernel: KernelFile, found: Found) -> list[Finding]:
    """Return the accesses outside of the arrays at odd sides, of a kernel that asks whether there is a partner."""
    roles = found.roles
    is_plain = not (roles.fixed or roles.transposed or roles.batched or roles.leading or roles.family)
    if roles.operation != "reduced_matmul" or not is_plain:
        return []
    if not says_odd(kernel.opened.file.text) or _PARTNER.search(kernel.body) is None:
        return []
    for sides in ODD:
        with suppress(LaunchError):
            outside = _outside(kernel, found, Sizes(*sides))
            if outside:
                return outside
    return []


def _outside(kernel: KernelFile, found: Found, sizes: Sizes) -> list[Finding]:
    roles = found.roles
    geometry = found.rule.at(roles, sizes)
    even = replace(sizes, rows=sizes.rows + sizes.rows % 2, cols=sizes.cols + sizes.cols % 2)
    a, b = operands(roles.operation, even, found.dtypes, numpy.random.default_rng(kernel.options.seed))
    matrices: dict[str, Array] = {
        "A": numpy.ascontiguousarray(a[: sizes.rows]),
        "B": numpy.ascontiguousarray(b[:, : sizes.cols]),
        "C": numpy.zeros((even.rows // 2, even.cols // 2), found.dtypes["C"]),
    }
    pointers = {name: Pointer(name, matrix) for name, matrix in matrices.items()}
    values = roles.values(sizes, lambda text: found.rule.number(text, roles, sizes))
    if not all(value in pointers for value in values if isinstance(value, str)):
        return []
    arguments: list[Argument] = [pointers[value] if isinstance(value, str) else value for value in values]
    watching = correctness_observers()
    stand = kernel.stand(roles.constants_at(sizes))
    outcome = stand.run(arguments, geometry, budget=budget_at(even, geometry, found.tile), observers=watching)
    seen = [each for observer in watching for each in observer.findings]
    stopped = of_fault(outcome.fault, seen) if outcome.fault is not None else None
    found_here = [*seen, *([stopped] if stopped is not None else [])]
    return [_at(each, sizes) for each in found_here if each.kind == OUTSIDE and each.severity == ERROR][:1]


def _at(finding: Finding, sizes: Sizes) -> Finding:
    said: Sequence[str] = [f"{name} {value}" for name, value in sizes.values().items() if name != "batch"]
    return replace(finding, message=f"{finding.message} So it is at odd sides: {', '.join(said)}.")
