"""Dot products, and products of matrices, that are summed in 16 bits: run on sums so long that they no longer grow.

At the usual lengths each thread adds a few small whole numbers, of which 16 bits hold the sum exactly.
"""

from __future__ import annotations

import re
from math import prod

from tilewright.emulate.observers import Finding
from tilewright.lab.check.element_types import EXACT
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.source.macros import comments_only

from .narrow_sums import of_sum_in_16_bits, sums_in_16_bits
from .sums_of_ones import of_length, sum_of_ones

TERMS = 8192
"""Of each sum of a thread: a half stays at 2,048 if it is added to it 1 by 1, a bfloat16 at 256."""
LONGEST = 1 << 24
LEAST = 0.75
BUDGET = 40_000_000
STATED = 1 << 16
"""Numbers in comments from here on may say how long a vector is at most."""
FAMILIES_OF_ANY_INNER = ("", "rows=cols", "cols=1", "rows=1")
_POWER = re.compile(r"\b2\s*(?:\^|\*\*)\s*(\d{1,2})\b|\b1\s*<<\s*(\d{1,2})\b")


def long_sum(kernel: KernelFile, found: Found) -> list[Finding]:
    """Return the finding that names a sum in 16 bits of a right product, if it is far too small for long vectors.

    Only a grid that does not grow with the vectors leaves a thread so many elements. Of a matrix, one row and one
    column are multiplied.
    """
    roles = found.roles
    is_narrow = {found.dtypes.get("A"), found.dtypes.get("B")} <= set(EXACT)
    is_long = roles.operation in ("dot", "matvec") or (
        roles.operation == "matmul" and roles.family in FAMILIES_OF_ANY_INNER
    )
    if not is_long or not is_narrow or found.dtypes["C"].itemsize < 4 or roles.fixed or found.rule.is_guess:
        return []
    narrow = next(sums_in_16_bits(kernel), None)
    if narrow is None:
        return []
    try:
        length = next((each for each in _lengths(kernel, found) if _is_lost(kernel, found, each)), None)
    except LaunchError:
        return []
    if length is None:
        return []
    shown = (
        f"of {length:,} ones, less than three quarters are in the result, as so large a sum in 16 bits stays as it is "
        "if a small number is added"
    )
    return [of_sum_in_16_bits(kernel, found, narrow, shown)]


def _lengths(kernel: KernelFile, found: Found) -> list[int]:
    """Return lengths with which a thread has enough terms: of a matrix alone, or as one of all that share the sum."""
    roles = found.roles
    geometry = found.rule.at(roles, of_length(found, LONGEST))
    threads = prod(geometry.grid) * prod(geometry.block)
    sharing = [threads] if roles.operation == "dot" else [1]
    if roles.operation == "matvec" or "=1" in roles.family:
        sharing.append(threads)
    lengths = [min(2 * TERMS * each, LONGEST, *_stated(kernel, found)) for each in sharing]
    return [each for each in lengths if found.rule.at(roles, of_length(found, each)) == geometry]


def _stated(kernel: KernelFile, found: Found) -> list[int]:
    """Return the largest power of two in comments, if it may limit the length, in elements; or nothing."""
    powers = [1 << int(one or other) for one, other in _POWER.findall(comments_only(kernel.opened.file.text))]
    words = [*found.roles.arguments, *dict(found.roles.constants).values()]
    width = max((int(word[-1]) for word in words if re.fullmatch(r"inner/[248]", word)), default=1)
    return [width * max(powers)] if powers and max(powers) >= STATED else []


def _is_lost(kernel: KernelFile, found: Found, length: int) -> bool:
    """Return whether less than three quarters of so many ones are in the result."""
    result = sum_of_ones(kernel, found, length, BUDGET)
    return result is not None and abs(result) < LEAST * length
