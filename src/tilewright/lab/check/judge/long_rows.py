"""Rows with more elements than a block has threads, of kernels whose threads share a row: each takes several."""

from __future__ import annotations

import re
from math import prod

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.sizes import Sizes, long_sizes, trial_sizes

_STEP = re.compile(r"\+=\s*(?P<step>blockDim\s*\.\s*x|[A-Za-z_]\w*|\d+)\s*\)")


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
    steps = {"".join(match["step"].split()) for match in _STEP.finditer(kernel.body)}
    known = kernel.known_numbers
    values = {int(step) if step.isdigit() else known.get(step, 0) for step in steps}
    if threads == 1 or not ("blockDim.x" in steps or threads in values):
        return []
    return [roles.sized(sizes) for sizes in long_sizes(roles.operation, roles.family, threads, multiples)]
