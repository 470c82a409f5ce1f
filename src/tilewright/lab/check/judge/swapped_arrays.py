"""Two arrays that take turns as input and output: which of them the host copies back after so many steps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.source import LaunchSite
from tilewright.lab.source.changes import LOOPS, enclosing
from tilewright.lab.source.syntax import function_around

from .host_calls import host_calls, pointer_named

if TYPE_CHECKING:
    from tree_sitter import Node

_PARITY = re.compile(r"%\s*2\b|&\s*1\b|\b2\s*\*|\*\s*2\b|\+=\s*2\b|\beven\b", re.IGNORECASE)
"""What may make the number of steps even, or ask whether it is."""


def stale_copies(kernel: KernelFile, found: Found, code: str) -> Iterator[tuple[int, str]]:
    """Yield the copy of an array by its own name behind a loop that launches and swaps two names for such arrays.

    After an odd number of steps the result is in the other one. A loop of a known number of steps, or with more than
    one launch, may end with either.
    """
    site = kernel.site
    loop = next(enclosing(site.node, *LOOPS), None) if site is not None else None
    function = function_around(site.node) if site is not None else None
    if site is None or loop is None or function is None or "C" not in found.roles.arguments:
        return
    before, within = code[function.start_byte : loop.start_byte], code[loop.start_byte : loop.end_byte]
    own = code[function.start_byte : function.end_byte]
    is_of_numbers = _has_known_end(site, loop, own)
    if within.count("<<<") != 1 or is_of_numbers or _PARITY.search(own):
        return
    written = pointer_named(site.arguments[found.roles.arguments.index("C")])
    others = [name for name in map(pointer_named, site.arguments) if name and name != written]
    read = next((name for name in others if _swaps(within, name, written)), "")
    arrays = [_first_value(before, name) for name in (read, written) if read]
    if len(set(arrays)) != 2 or "" in arrays:
        return
    for call in host_calls(code):
        is_behind = loop.end_byte <= call.at < function.end_byte and call.is_copy and len(call.arguments) > 1
        if is_behind and pointer_named(call.arguments[1]) in arrays:
            said = f"After an odd number of steps the result is in {' or '.join(reversed(arrays))}, as {read} says"
            yield call.at, f"{said}, and this copies {call.arguments[1].strip()} after any number."
            return


def _has_known_end(site: LaunchSite, loop: Node, code: str) -> bool:
    """Return whether a loop is no `for`, or compares with a number or with what is set to one and not changed."""
    end = re.search(r"[<>!]=?\s*(?P<end>\w+)$", site.syntax.source(loop.child_by_field_name("condition")))
    if loop.type != "for_statement" or end is None or end["end"].isdigit():
        return True
    values = re.findall(rf"\b{end['end']}\s*=(?!=)\s*([^;,]+)", code)
    is_parameter = re.search(rf"\bint\s+{end['end']}\s*[,)]", code) is not None
    return not is_parameter and all(value.strip().isdigit() for value in values)


def _swaps(code: str, one: str, other: str) -> bool:
    """Return whether code exchanges two names."""
    pairs = [(re.escape(one), re.escape(other)), (re.escape(other), re.escape(one))]
    by_hand = r"=\s*{0}\s*;\s*{0}\s*=\s*{1}\s*;\s*{1}\s*="
    patterns = (by_hand, r"\bswap\s*\(\s*{0}\s*,\s*{1}\s*\)")
    return any(re.search(pattern.format(*pair), code) for pattern in patterns for pair in pairs)


def _first_value(code: str, name: str) -> str:
    """Return the name that a pointer is set to, if that is done once."""
    values = re.findall(rf"\*?\s*\b{re.escape(name)}\s*=(?!=)\s*(\w+)\s*[,;]", code)
    return values[0] if len(values) == 1 else ""
