"""Launches with more blocks than a block has threads, of a dot product whose last block adds up what all leave."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from math import prod

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.roles import SCRATCH
from tilewright.lab.check.sizes import Sizes

from .variants import PLAIN, Variant

_OF_ALL_BLOCKS = re.compile(r"\bfor\s*\([^;]*;\s*\w+\s*<\s*(?:\(\s*\w+\s*\)\s*)?gridDim\s*\.\s*x\s*;\s*\w+\s*\+=")
"""A loop over the sums of all blocks, by more than one at a time."""

_OF_LAST_BLOCK = re.compile(
    r"\batomic(?:Inc|Add)\s*\((?:[^;()]|\([^()]*\))*,\s*(?:1u?|gridDim\.x - 1|gridDim\s*\.\s*x[^;]*)\)[^;]*;"
)
"""A count of the blocks that are finished."""
MANY_ELEMENTS = 300_000
"""The most elements with which a launch of more blocks than threads in one is run."""


def with_more_blocks(kernel: KernelFile, found: Found, tested: Sequence[Sizes]) -> list[tuple[Sizes, Variant]]:
    """Return the launch with more blocks than threads of a kernel whose last block takes all partial sums in turns."""
    if found.roles.operation != "dot" or found.roles.fixed:
        return []
    own = _of_own_launch(kernel, found)
    is_looped = SCRATCH in found.roles.arguments and 0 in kernel.looped_axes
    if own or not is_looped or not _OF_ALL_BLOCKS.search(kernel.body):
        return own
    return [(max(tested, key=lambda sizes: sizes.inner), Variant(is_larger=True))]


def _of_own_launch(kernel: KernelFile, found: Found) -> list[tuple[Sizes, Variant]]:
    """Return the sizes at which the file's own launch has more blocks than threads in one, if the last block adds up.

    An element for each thread, and each block has some. Sums in an array that is passed are looked at by
    `sums_left_by_the_last_block`, which names where they are read.
    """
    if (
        SCRATCH in found.roles.arguments
        or not isinstance(found.rule, OwnLaunch)
        or found.rule.is_guess
        or not _OF_LAST_BLOCK.search(kernel.body)
    ):
        return []
    with suppress(LaunchError):
        threads = prod(found.rule.at(found.roles, Sizes(1, MANY_ELEMENTS, 1)).block)
        for each in (1, 2, 4):
            sizes = found.roles.sized(Sizes(1, (threads + 3) * threads * each - 5, 1))
            if sizes.inner <= MANY_ELEMENTS and prod(found.rule.at(found.roles, sizes).grid) > threads:
                return [(sizes, PLAIN)]
    return []
