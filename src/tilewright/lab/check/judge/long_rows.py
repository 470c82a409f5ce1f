"""Rows with more elements than a block has threads, of kernels whose threads share a row: each takes several.

Of A, or of C where a thread goes on to other columns: a sum that is not reset there shows in long rows alone.
"""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.promises import words_of_sizes
from tilewright.lab.check.sizes import Sizes, long_sizes, trial_sizes

_STEP = re.compile(
    r"(?:<\s*(?P<end>[A-Za-z_]\w*)\s*;\s*\w+\s*)?\+=\s*(?P<step>blockDim\s*\.\s*x|[A-Za-z_]\w*|\d+)\s*\)"
)


def long_rows(kernel: KernelFile, found: Found, multiples: int | None) -> list[Sizes]:
    """Return sizes with such rows, if a loop of the kernel goes on by as many elements as a block has threads.

    Who writes such a loop means rows of any length. multiples: of which the sizes are to be.
    """
    roles = found.roles
    if roles.fixed or roles.layer:
        return []
    try:
        block = found.rule.at(roles, roles.sized(trial_sizes(roles.operation, roles.family, found.tile))).block
    except LaunchError:
        return []
    threads = prod(block)
    ends = {match["end"] for match in _STEP.finditer(kernel.body) if _is_of_block(match["step"], threads, kernel)}
    if threads == 1 or not ends:
        return []
    found_sizes = [roles.sized(sizes) for sizes in long_sizes(roles.operation, roles.family, threads, multiples)]
    words = words_of_sizes(kernel, found)
    if roles.operation == "matmul" and any(words.get(end) == "cols" for end in ends):
        wide = [replace(sizes, inner=sizes.rows, cols=sizes.inner) for sizes in found_sizes]
        found_sizes += [roles.sized(sizes) for sizes in wide]
    return found_sizes


def _is_of_block(step: str, threads: int, kernel: KernelFile) -> bool:
    """Return whether a loop's step is the number of a block's threads."""
    step = "".join(step.split())
    return step == "blockDim.x" or threads == (int(step) if step.isdigit() else kernel.known_numbers.get(step, 0))
