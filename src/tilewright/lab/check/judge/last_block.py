"""A dot product whose last block adds up the sums of all blocks: it is launched with as many as the host asks for.

A block without a loop takes as many sums as it has threads. That shows with long vectors alone, and of random elements
a lost one is less than the error of so long a sum: so all of them are 1.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from math import prod

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LargerGrid, LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.roles import SCRATCH
from tilewright.lab.check.find.spare_arrays import BLOCKS
from tilewright.lab.check.run.execution import Geometry
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.source import LaunchSite, resolve_launch

from .causes import CAUSE
from .second_stage import BUDGET, is_limited, longest_of
from .sums_of_ones import of_length, sum_of_ones
from .variants import found_with
from .verdicts import Judgement

FEW = 331


def sums_left_by_the_last_block(kernel: KernelFile, found: Found) -> Iterator[tuple[int, str]]:
    """Yield where the last block reads the sums of all blocks, if it takes all of few and leaves some of many."""
    rule, roles = found.rule, found.roles
    known = dict(roles.constants)
    lengths = [at for at, word in enumerate(roles.arguments) if known.get(word[1:], word) == "inner"]
    if not isinstance(rule, OwnLaunch) or rule.is_guess or roles.operation != "dot" or not lengths or roles.fixed:
        return
    if SCRATCH not in roles.arguments:
        return
    site = rule.site
    yield from _of_own_grid(kernel, found, site)
    try:
        longest = longest_of(rule, site)
        many = rule.at(roles, of_length(found, longest))
        if len(site.arguments) != len(roles.arguments) or not prod(many.block) < prod(many.grid) <= BLOCKS:
            return
        if is_limited(kernel, rule, site, site.arguments[lengths[0]], prod(many.block), longest):
            return
        length = bisect_left(
            range(longest), True, lo=1, key=lambda each: _has_more(rule.at(roles, of_length(found, each)))
        )
        if prod(rule.at(roles, of_length(found, FEW)).grid) > prod(many.block):  # at any length: each has elements
            length = min(prod(many.block) * prod(many.grid), longest)
        if not _adds_up(kernel, found, FEW) or _adds_up(kernel, found, length) is not False:
            return
    except LaunchError:
        return
    blocks, threads = prod(rule.at(roles, of_length(found, length)).grid), prod(many.block)
    said = f"With {length:,} elements there are {blocks:,} blocks of {threads:,} threads"
    yield _place_of_read(kernel, found), f"{said}, and the last one does not add up the sums of all of them."


def _of_own_grid(kernel: KernelFile, found: Found, site: LaunchSite) -> Iterator[tuple[int, str]]:
    """Yield the same where the blocks are a number of the file's, not of the length: all of them have elements."""
    launch = resolve_launch(site, {})
    if isinstance(launch, str) or not prod(launch.block) < prod(launch.grid) <= BLOCKS or launch.grid[1:] != (1, 1):
        return
    threads, blocks = prod(launch.block), prod(launch.grid)
    own = replace(found, rule=LargerGrid(found.rule, (0,), blocks - threads))
    try:
        if _adds_up(kernel, own, FEW) and _adds_up(kernel, own, threads * blocks) is False:
            said = f"The file's {blocks:,} blocks have {threads:,} threads"
            yield _place_of_read(kernel, found), f"{said}, and the last one does not add up the sums of all of them."
    except LaunchError:
        return


def sums_left_in_a_variable(kernel: KernelFile, found: Found, judgement: Judgement) -> Finding | None:
    """Return the same of sums in an array of the device's, if exactly the launches with so many blocks are wrong."""
    if found.roles.operation != "dot" or SCRATCH in found.roles.arguments or not judgement.failing:
        return None
    try:
        launched = [found_with(found, variant).rule.at(found.roles, each) for each, variant in judgement.launched]
    except LaunchError:
        return None
    many = [_has_more(geometry) for geometry in launched]
    left = re.search(r"\b(?P<name>[A-Za-z_]\w*)\s*\[\s*blockIdx\s*\.\s*x\s*\]\s*=(?!=)", kernel.body)
    if left is None or many != [number in judgement.failing for number in range(len(many))]:
        return None
    read = re.compile(rf"\b{left['name']}\s*\)*\s*\[(?!\s*blockIdx)").search(kernel.body, left.end())
    if read is None:
        return None
    line = kernel.line_at(read.start())
    message = (
        "Every problem comes out right with at most as many blocks as a block has threads, and no other: the last "
        f"block does not add up all that is in {left['name']}."
    )
    advice = f"Take {left['name']} in a loop, from the thread's number on, in steps of the block's threads."
    return Finding(CAUSE, ERROR, (kernel.opened.file.name, line), message, advice, details={"change": message})


def _has_more(geometry: Geometry) -> bool:
    """Return whether a launch has more blocks than a block has threads."""
    return prod(geometry.grid) > prod(geometry.block)


def _adds_up(kernel: KernelFile, found: Found, length: int) -> bool | None:
    """Return whether the dot product of so many ones is right; None if it is stopped, or its types can't hold it."""
    if any(each.itemsize < 4 or each.kind not in "fiu" for each in found.dtypes.values()):
        return None
    result = sum_of_ones(kernel, found, length, BUDGET)
    return None if result is None else result == length


def _place_of_read(kernel: KernelFile, found: Found) -> int:
    """Return where the kernel first reads its partial sums, or else where it begins."""
    name = re.escape(kernel.signature.parameters[found.roles.arguments.index(SCRATCH)].name)
    inside = kernel.body.index("{")
    read = re.search(rf"\b{name}\s*\[[^\]]*\](?!\s*=[^=])", kernel.body[inside:])
    return kernel.line_start(inside + (read.start() if read else 0))
