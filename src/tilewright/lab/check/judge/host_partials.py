"""What the host does with the sums that blocks leave: room for each, all of them copied back and added up, once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from math import prod

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.kinds import is_partial
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import LaunchSite
from tilewright.lab.source.callers import passed_number
from tilewright.lab.source.syntax import function_around

from .host_calls import HostCall, host_calls, pointer_named
from .host_copies import at_call, copied_back
from .second_stage import is_limited, known_number
from .written_bytes import written_out

SIZES = (1000, 4133)
"""Lengths that are no multiples of a block, at which the sums are counted."""
LONG = 1_000_003
"""A length of which a host that stops at some number of sums leaves many."""
_LOOP = (
    r"\bfor\s*\([^;=]*=\s*(?P<start>\w+)\s*;\s*(?P<index>\w+)\s*<\s*(?P<bound>[^;]+);[^)]*\)\s*\{?"
    r"[^;{}]*?(?P<sum>\w+)\s*\+=\s*[^;]*"
)


def lost_sums(kernel: KernelFile, found: Found, code: str) -> Iterator[tuple[int, str]]:
    """Yield where the host has room for, copies or adds up fewer partial sums than there are blocks."""
    rule, site = found.rule, kernel.site
    if site is None or not isinstance(rule, OwnLaunch) or not is_partial(found.roles.operation):
        return
    place = found.roles.arguments.index("C")
    c = kernel.signature.parameters[place].name
    array = pointer_named(site.arguments[place]) if len(site.arguments) > place else ""
    if not array or not re.search(rf"\b{c}\s*\[[^\]]*\bblockIdx\b", kernel.body):
        return
    back = copied_back(code, array, site.node.end_byte)
    for size in _lengths(kernel, found, rule):
        sizes = found.roles.sized(Sizes(1, size, 1).of_family(found.roles.family))
        try:
            blocks = prod(rule.at(found.roles, sizes).grid)
            lost = list(_too_few_bytes(kernel, found, code, array, sizes, blocks))
            if back is not None and not lost:
                lost += _not_added(code, *back, partial(rule.number, roles=found.roles, sizes=sizes), blocks)
        except LaunchError:
            return
        if lost:
            yield from ((at, f"With {size:,} elements, {said}") for at, said in lost)
            return


def _lengths(kernel: KernelFile, found: Found, rule: OwnLaunch) -> list[int]:
    """Return the lengths to look at: also that of the file, or else a long one if the file does not rule it out."""
    given = [each(rule.site, name) for name in rule.roots for each in (known_number, passed_number)]
    own = [each for each in given if each and each > 0]
    if own:
        return [*SIZES, *own]
    try:
        threads = prod(rule.at(found.roles, found.roles.sized(Sizes(1, LONG, 1))).block)
    except LaunchError:
        return list(SIZES)
    return [*SIZES, *([] if is_limited(kernel, rule, rule.site, rule.site.sizes_text, threads) else [LONG])]


def _too_few_bytes(
    kernel: KernelFile, found: Found, code: str, array: str, sizes: Sizes, blocks: int
) -> Iterator[tuple[int, str]]:
    """Yield the only allocation of the sums, and the only copy of what the launch leaves, of too few of them."""
    site, needed = kernel.sites[0], blocks * found.dtypes["C"].itemsize
    others = [each for each in kernel.opened.part.launches if each.node.id != site.node.id and array in each.arguments]
    for done in ("allocated", *(() if others else ("copied",))):
        call = _only_call(site, code, array, is_copy=done == "copied")
        given = _bytes(found, code, site, call, sizes) if call is not None else None
        if call is not None and given is not None and given < needed:
            said = f"{given:,} bytes of {array} are {done}, and {blocks:,} blocks leave {needed:,}"
            yield call.at, f"{said}: a part is missing."


def room_of(found: Found, code: str, site: LaunchSite, array: str, sizes: Sizes) -> int | None:
    """Return the bytes that the function of a launch allocates for an array, if that is one call and understood."""
    call = _only_call(site, code, array, is_copy=False)
    return _bytes(found, code, site, call, sizes) if call is not None else None


def _only_call(site: LaunchSite, code: str, array: str, *, is_copy: bool) -> HostCall | None:
    """Return the only allocation or copy of an array in the function that launches."""
    function = function_around(site.node)
    start, end = (function.start_byte, function.end_byte) if function is not None else (0, 0)
    calls = [call for call in host_calls(code) if start <= call.at < end]
    calls = [call for call in calls if (call.is_copy if is_copy else call.is_allocation) and call.arguments[is_copy:]]
    own = [call for call in calls if pointer_named(call.arguments[is_copy]) == array]
    return own[0] if len(own) == 1 else None


def _bytes(found: Found, code: str, site: LaunchSite, call: HostCall, sizes: Sizes) -> int | None:
    """Return the bytes that a call allocates or copies at these sizes, or None if that is not understood."""
    place, function = 1 if call.is_allocation else 2, function_around(site.node)
    if len(call.arguments) <= place or function is None:
        return None
    text = written_out(call.arguments[place], code[function.start_byte : call.at], found.dtypes["C"].itemsize)
    try:
        return at_call(found, call).number(text, found.roles, sizes)
    except LaunchError:
        return None


def _not_added(code: str, end: int, host: str, number: Callable[[str], int], blocks: int) -> Iterator[tuple[int, str]]:
    """Yield the loop that adds up fewer sums than there are, or one of them twice; or the only one that is taken."""
    rest = code[end : code.find("\n}", end)]
    uses = [use.group() for use in re.finditer(rf"\b{host}\b(?:\s*\[[^\]]*\])?", rest)]
    first = re.search(rf"\b{host}\s*\[\s*0\s*\]", rest)
    loop = re.search(_LOOP + rf"\b{host}\s*\[\s*(?P=index)\s*\]", rest)
    if loop:
        bound = number(written_out(loop["bound"], code[:end], 1))
        begins = re.search(rf"\b{loop['sum']}\s*=\s*(?:\(\s*\w+\s*\)\s*)?{host}\s*\[\s*0\s*\]", rest[: loop.start()])
        if bound < blocks:
            yield end + loop.start(), f"{bound:,} partial sums of {blocks:,} are added: the rest is lost."
        elif loop["start"] == "1" and not first and len(uses) == 1:
            yield end + loop.start(), f"the first of {blocks:,} partial sums is not added."
        elif loop["start"] == "0" and begins:
            yield end + loop.start(), f"the first of {blocks:,} partial sums is added twice."
        return
    is_first_alone = first and all(re.fullmatch(rf"{host}\s*\[\s*0\s*\]", use) for use in uses if "[" in use)
    passed = re.search(
        rf"(?<!free)(?<!cudaFree)\(\s*{host}\s*[,)+]|:\s*{host}\s*\)|,\s*{host}\s*[,)+]|\b{host}\s*\.|=\s*{host}\s*;",
        rest,
    )
    if first and is_first_alone and blocks > 1 and not passed:
        yield end + first.start(), f"one partial sum of {blocks:,} is taken: the rest is lost."
