"""A launch that reads what a launch of another stream writes, and nothing orders them: no event is waited for.

The emulator runs launches in the text's order, and so may a GPU that is not busy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.source import KernelSignature, LaunchSite
from tilewright.lab.source.macros import code_only
from tilewright.lab.source.syntax import function_around

_ORDERS_NOTHING = re.compile(
    r"cuda(?:EventRecord|EventCreate\w*|GetLastError|PeekAtLastError)|dim3|sizeof|min|max|\w+_cast|if|return"
)
"""What may stand between two launches and waits for neither of them."""


def unordered_launches(kernel: KernelFile) -> Iterator[tuple[int, str]]:
    """Yield the launches of a kernel that read an array of which a launch before, in another stream, is not waited for.

    Both streams are made by the file, and both launches stand in one block of code, with nothing between them that may
    order them.
    """
    code = code_only(kernel.opened.file.text)
    made = set(re.findall(r"\bcudaStreamCreate\w*\s*\(\s*&\s*(\w+)", code))
    known = {each.name: each for each in kernel.opened.kernels}
    sites = [site for site in kernel.opened.part.launches if site.kernel in known and _stream_of(site) in made]
    for first, second in combinations(sites, 2):
        if second.kernel != kernel.signature.name or _block_of(first) != _block_of(second):
            continue
        streams = _stream_of(first), _stream_of(second)
        start, end = first.node.end_byte, second.node.start_byte
        between = code[start:end]
        others = set(re.findall(r"\b([A-Za-z_]\w*)\s*(?:<[^<>;]*>\s*)?\(", between))
        others -= {*known, *re.findall(r"\bdim3\s+(\w+)", between), *re.findall(r"[;,]\s*(\w+)\s*\([^;()]*\(", between)}
        inside = (each for each in kernel.opened.part.launches if start <= each.node.start_byte < end)
        if any(_stream_of(each) not in made for each in inside):
            continue  # the default stream waits for others, and they for it
        shared = _written(first, known[first.kernel], code) & {each.strip() for each in second.arguments}
        if shared and streams[0] != streams[1] and all(map(_ORDERS_NOTHING.fullmatch, others)):
            said = (
                f"Nothing orders it behind the launch of line {first.line}, which writes {min(shared)} in {streams[0]}"
            )
            yield second.node.start_byte, f"{said}: {streams[1]} does not wait for that stream."


def _stream_of(site: LaunchSite) -> str:
    brackets = next(child for child in site.node.children if child.type == "kernel_call_syntax")
    given = [child for child in brackets.named_children if child.type != "comment"]
    return site.syntax.source(given[3]) if len(given) > 3 else ""


def _block_of(site: LaunchSite) -> int:
    """Return which block of code a launch stands in; each in a loop or a lambda has its own."""
    statement = site.node.parent
    block = statement.parent if statement is not None else None
    function = function_around(site.node)
    is_plain = block is not None and function is not None and block == function.child_by_field_name("body")
    return block.id if is_plain and block is not None else -site.node.id


def _written(site: LaunchSite, kernel: KernelSignature, code: str) -> set[str]:
    """Return the arrays, as the host calls them, that a launch stores to."""
    lines = code.split("\n")[kernel.line - 1 : kernel.last_line]
    body = "\n".join(lines).partition("{")[2]
    pairs = zip(kernel.parameters, site.arguments, strict=False)
    stored = r"\b{}\s*\[[^;=]*\]\s*[-+*/]?=(?!=)"
    return {text.strip() for each, text in pairs if each.is_pointer and re.search(stored.format(each.name), body)}
