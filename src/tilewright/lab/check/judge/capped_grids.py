"""A dot product whose grid has an end: with longer vectors than its threads, each must take several elements.

That shows with long vectors alone, and of random elements a lost one is less than the error of so long a sum: so all of
them are 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.products import result_of
from tilewright.lab.check.find.roles import SCRATCH
from tilewright.lab.source.macros import comments_only

from .said_limits import said_limits
from .second_stage import BUDGET, MANY, is_limited
from .sums_of_ones import of_length, product_of_ones

FEW = 331
_INDEX = re.compile(r"\bblockIdx\s*\.\s*x\s*\*")


def elements_left_by_a_cap(kernel: KernelFile, found: Found) -> Iterator[tuple[int, str]]:
    """Yield where a kernel computes its index, if it takes all of few elements, and not all where the grid has its end.

    So is the launch with an access outside of an array there, as of sums of more blocks than there is room for.
    """
    rule, roles = found.rule, found.roles
    known = dict(roles.constants)
    lengths = [at for at, word in enumerate(roles.arguments) if known.get(word[1:], word) == "inner"]
    is_own = isinstance(rule, OwnLaunch) and not rule.is_guess and roles.operation == "dot" and lengths
    if not is_own or not isinstance(rule, OwnLaunch) or roles.fixed or SCRATCH in roles.arguments:
        return
    try:
        few, many, more = (rule.at(roles, of_length(found, each)) for each in (FEW, MANY // 2, MANY))
        threads = prod(many.block) * prod(many.grid)
        length = 2 * threads + 5
        if many.grid != more.grid or few.grid == many.grid or length > MANY:
            return
        if len(rule.site.arguments) != len(roles.arguments):
            return
        if is_limited(kernel, rule, rule.site, rule.site.arguments[lengths[0]], threads):
            return
        name = kernel.signature.parameters[lengths[0]].name
        said_most = said_limits(comments_only(kernel.opened.file.text), [name]).get(name, length)
        if said_most < length or _sum_of(kernel, found, FEW) != FEW:
            return
        total = _sum_of(kernel, found, length)
    except LaunchError:
        return
    said = f"With {length:,} elements the launch has {prod(many.grid):,} blocks of {prod(many.block):,} threads"
    if total is None:
        yield rule.site.node.start_byte, f"{said}, and an access is outside of an array."
    elif total < length:
        yield _place_of_index(kernel), f"{said}, and these take {total:,.0f} of them: a thread must take several."


def _sum_of(kernel: KernelFile, found: Found, length: int) -> float | None:
    """Return the sum of so many ones, or None for an access outside of an array. Raises LaunchError for other stops."""
    if any(each.itemsize < 4 or each.kind not in "fiu" for each in found.dtypes.values()):
        raise LaunchError("The types cannot hold so large a sum.")
    outcome = product_of_ones(kernel, found, length, BUDGET)
    if outcome.fault is not None and "outside" in str(outcome.fault):
        return None
    if outcome.fault is not None or outcome.refusal:
        raise LaunchError("The launch does not end.")
    return float(result_of("dot", of_length(found, length), outcome.arrays["C"].ravel()))


def _place_of_index(kernel: KernelFile) -> int:
    """Return where the kernel first counts its blocks' threads, or else where it begins."""
    inside = kernel.body.index("{")
    index = _INDEX.search(kernel.body, inside)
    return kernel.line_start(index.start() if index else inside)
