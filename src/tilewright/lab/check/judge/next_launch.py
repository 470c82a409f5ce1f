"""A second kernel that adds up the partial sums of the first: the host must tell it how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from tilewright.lab.check.element_types import dtype_of, is_integer
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.kinds import is_partial
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import KernelSignature, LaunchSite
from tilewright.lab.source.changes import LOOPS, enclosing
from tilewright.lab.source.macros import code_only
from tilewright.lab.source.syntax import function_around

from .host_calls import HostSlip
from .host_partials import room_of
from .second_stage import is_read_behind, sums_not_taken

SIZES = (4133, 100_003)
"""Lengths at which the sums are counted."""


def sums_left_out(kernel: KernelFile, found: Found) -> Iterator[HostSlip]:
    """Yield the launch that is told of fewer partial sums than there are, or where it leaves some of them."""
    rule, site = found.rule, kernel.site
    if site is None or not isinstance(rule, OwnLaunch) or rule.is_guess or not is_partial(found.roles.operation):
        return
    place = found.roles.arguments.index("C")
    given = site.arguments[place] if len(site.arguments) > place else ""
    following = _following(kernel, site, given) if given.isidentifier() else None
    text = _count(*following) if following is not None else ""
    if following is None or not text:
        return
    code = code_only(kernel.opened.file.text)
    left = list(_left_out(kernel, found, following, text, given, code))
    yield from left or sums_not_taken(kernel, found, following, given, text)


def _left_out(
    kernel: KernelFile,
    found: Found,
    following: tuple[KernelSignature, LaunchSite],
    text: str,
    given: str,
    code: str,
) -> Iterator[HostSlip]:
    """Yield the launch that is told of another number of sums than there are. given: the array. text: the number."""
    rule = found.rule
    assert isinstance(rule, OwnLaunch)
    for size in SIZES:
        sizes = found.roles.sized(Sizes(1, size, 1).of_family(found.roles.family))
        try:
            blocks = prod(rule.at(found.roles, sizes).grid)
            told = replace(rule, site=following[1]).number(text, found.roles, sizes)
        except LaunchError:
            return
        room = room_of(found, code, following[1], given, sizes)
        is_more = told > blocks and room is not None and told * found.dtypes["C"].itemsize > room
        if is_more and is_read_behind(kernel, found, following, given, text, sizes):
            said = (
                f"With {size:,} elements, this launch is told of {told:,} partial sums, and {given} has {room:,} bytes"
            )
            yield following[1].node.start_byte, f"{said}: it reads behind them.", None
            return
        if 0 < told < blocks:
            said = f"With {size:,} elements, this launch is told of {told:,} partial sums, and there are {blocks:,}"
            yield following[1].node.start_byte, f"{said}: the rest is lost.", None
            return


def _following(kernel: KernelFile, site: LaunchSite, given: str) -> tuple[KernelSignature, LaunchSite] | None:
    """Return the only other kernel that a function launches with an array, behind the launch that writes it."""
    function = function_around(site.node)
    if function is None or next(enclosing(site.node, *LOOPS), None) is not None:
        return None
    later = [
        each
        for each in kernel.opened.part.launches
        if site.node.end_byte <= each.node.start_byte < function.end_byte and given in each.arguments
    ]
    by_name = {each.name: each for each in kernel.opened.kernels}
    if len(later) != 1 or later[0].kernel == kernel.signature.name or later[0].kernel not in by_name:
        return None
    is_looped = next(enclosing(later[0].node, *LOOPS), None) is not None
    return None if is_looped else (by_name[later[0].kernel], later[0])


def _count(signature: KernelSignature, site: LaunchSite) -> str:
    """Return what is passed for the only whole number of a kernel that reads one array and writes another, or ""."""
    if len(signature.parameters) != len(site.arguments):
        return ""
    dtypes = [dtype_of(each.element_type) for each in signature.parameters]
    numbers = [
        text
        for parameter, text, dtype in zip(signature.parameters, site.arguments, dtypes, strict=True)
        if not parameter.is_pointer and dtype is not None and is_integer(dtype)
    ]
    pointers = sum(parameter.is_pointer for parameter in signature.parameters)
    return numbers[0] if len(numbers) == 1 and pointers == len("AC") == len(signature.parameters) - 1 else ""
