"""Dot products that are summed in 16 bits, run on vectors so long that such a sum no longer grows.

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
_POWER = re.compile(r"\b2\s*(?:\^|\*\*)\s*(\d{1,2})\b|\b1\s*<<\s*(\d{1,2})\b")


def long_sum(kernel: KernelFile, found: Found) -> list[Finding]:
    """Return the finding that names a sum in 16 bits of a right dot product, if it is far too small for long vectors.

    Only a grid that does not grow with the vectors leaves a thread so many elements.
    """
    roles = found.roles
    is_narrow = {found.dtypes.get("A"), found.dtypes.get("B")} <= set(EXACT)
    if (
        roles.operation != "dot"
        or not is_narrow
        or found.dtypes["C"].itemsize < 4
        or roles.fixed
        or found.rule.is_guess
    ):
        return []
    narrow = next(sums_in_16_bits(kernel), None)
    if narrow is None:
        return []
    try:
        geometry = found.rule.at(roles, of_length(found, LONGEST))
        length = min(2 * TERMS * prod(geometry.grid) * prod(geometry.block), LONGEST, *_stated(kernel, found))
        is_lost = found.rule.at(roles, of_length(found, length)) == geometry and _is_lost(kernel, found, length)
    except LaunchError:
        return []
    if not is_lost:
        return []
    shown = (
        f"of {length:,} ones, less than three quarters are in the result, as so large a sum in 16 bits stays as it is "
        "if a small number is added"
    )
    return [of_sum_in_16_bits(kernel, found, narrow, shown)]


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
