"""A launch that adds to what an earlier one left: a second one, or one in a loop, as where its time is measured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.source import LaunchSite, resolve_number
from tilewright.lab.source.changes import LOOPS, enclosing
from tilewright.lab.source.declarations import declared_name
from tilewright.lab.source.macros import words
from tilewright.lab.source.syntax import descend, function_around

from .host_copies import adds_to_c, copied_back, pointer_named

if TYPE_CHECKING:
    from tree_sitter import Node


def uncleared(kernel: KernelFile, found: Found, code: str) -> Iterator[tuple[int, str]]:
    """Yield a launch that adds into what an earlier one of the same arguments left, where the result is then read."""
    place = found.roles.arguments.index("C")
    written = kernel.signature.parameters[place].name
    if len(kernel.sites) < 2 or not re.search(rf"\batomicAdd\s*\([^;]*\b{re.escape(written)}\b", kernel.body):
        return
    first, second = kernel.sites[:2]
    if first.arguments != second.arguments or len(first.arguments) <= place:
        return
    between, c = code[first.node.end_byte : second.node.start_byte], re.escape(first.arguments[place].strip())
    is_read = copied_back(code, pointer_named(first.arguments[place]), second.node.end_byte)
    if is_read and "\n}" not in between and not re.search(rf"\bcudaMem\w+\s*\([^;]*\b{c}\b", between):
        line = first.line
        yield second.node.start_byte, f"This launch adds to what that of line {line} left in {first.arguments[place]}."


def summed_over_turns(kernel: KernelFile, found: Found, code: str) -> Iterator[tuple[int, str]]:
    """Yield a launch in a loop that adds to C in each turn, all of them alike, where the host takes C for one sum.

    A launch whose arguments change may add up parts of a whole. Where the host speaks of C and of the number of turns
    in one expression, it may divide by it.
    """
    place = found.roles.arguments.index("C")
    if not adds_to_c(kernel, found) or kernel.opened.file.text != (kernel.site.syntax.text if kernel.site else ""):
        return
    for site in kernel.sites:
        loop = next(enclosing(site.node, *LOOPS, "for_range_loop", "lambda_expression"), None)
        function = function_around(site.node)
        if loop is None or loop.type != "for_statement" or function is None or len(site.arguments) <= place:
            continue
        given = pointer_named(site.arguments[place])
        turns = _turns(site, loop)
        if not given or not turns or not _is_alike(site, loop, given):
            continue
        after = code[loop.end_byte : function.end_byte]
        name = re.escape(given)
        first = re.search(rf"[^;{{}}]*\b{name}\b[^;{{}}]*", after)
        back = copied_back(after, given, -1)
        is_copied = first is not None and back is not None and first.start() < back[0] <= first.end()
        is_used = first is not None and re.search(
            rf"\*\s*{name}\b(?!\s*=[^=])|\b{name}\s*\[[^\]]*\](?!\s*=[^=])", first[0]
        )
        host = back[1] if is_copied and back is not None else given
        if not (is_copied or is_used) or not host:
            continue
        if not any({host, turns} <= words(each) for each in re.split(r"[;{},]", after)):
            said = f"Each turn of the loop around this launch adds to what the last one left in {given}"
            yield site.node.start_byte, f"{said}, and the host takes it for the result of one."


def _turns(site: LaunchSite, loop: Node) -> str:
    """Return the number of a loop's turns as its condition names it, or "" if it is not seen or there is only one."""
    end = re.search(r"<=?\s*(\w+)$", site.syntax.source(loop.child_by_field_name("condition")).strip("(); "))
    if end is None:
        return ""
    known = resolve_number(site, end[1], {})
    return "" if isinstance(known, int | float) and known <= 1 else end[1]


def _is_alike(site: LaunchSite, loop: Node, given: str) -> bool:
    """Return whether a launch is the same in each turn, and nothing else in the loop names what it adds to."""
    syntax = site.syntax
    changed = set()
    for node in descend(loop, "assignment_expression", "update_expression", "init_declarator"):
        target = node.child_by_field_name("left") or node.child_by_field_name("argument") or declared_name(node)
        changed |= words(syntax.source(target))
    used = words(", ".join([site.sizes_text, *site.arguments]))
    own = syntax.code[site.node.start_byte : site.node.end_byte]
    named = re.findall(rf"\b{re.escape(given)}\b", syntax.code[loop.start_byte : loop.end_byte])
    return not changed & used and len(named) == len(re.findall(rf"\b{re.escape(given)}\b", own))
