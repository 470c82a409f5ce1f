"""A launch or a copy that takes what one of another stream leaves, and nothing orders them: no event is waited for.

The emulator runs all in the text's order, and so may a GPU that is not busy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.source import KernelSignature, LaunchSite
from tilewright.lab.source.declarations import passed_nodes
from tilewright.lab.source.macros import code_only
from tilewright.lab.source.names_behind import functions_named
from tilewright.lab.source.syntax import Syntax, descend, function_around

from .host_calls import HostSlip

if TYPE_CHECKING:
    from tree_sitter import Node

_ORDERS_NOTHING = re.compile(
    r"cuda(?:Event(?:Record|Create\w*)|Stream(?:WaitEvent|Synchronize)|Mem(?:cpy|set)Async|GetLastError|PeekAtLastError|"
    r"GetErrorString)|dim3|sizeof|min|max|\w+_cast|if|return|while|f?printf|exit|abort"
)
"""What may stand between two steps and waits for neither of them, but for what is followed."""
_FOLLOWED = re.compile(
    r"\bcuda(?P<what>EventRecord|StreamWaitEvent|StreamSynchronize)\s*\((?P<one>[^,()]*)(?:,(?P<two>[^,()]*))?"
)
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^<>;]*>\s*)?\(")
_MADE = re.compile(r"\bcudaStreamCreate\w*\s*\(\s*&\s*(?P<name>\w+)(?P<given>[^;]*)")
_DEFAULT = ("", "0", "NULL", "nullptr")


class _Step(NamedTuple):
    """A launch or a copy. stream: its text; "" is the default. kernel: that is launched, or "".

    takes, leaves: the arrays as the host calls them; of the host's memory, none is left.
    """

    node: Node
    line: int
    stream: str
    kernel: str
    takes: set[str]
    leaves: set[str]


def unordered_launches(kernel: KernelFile) -> Iterator[HostSlip]:
    """Yield the launches of a kernel, and the copies of what it leaves, that do not wait for what they take.

    Another stream leaves that. The streams are made by the file, and both steps stand in one block of code, with
    nothing between them that may order them. The last number is the line of the first step.
    """
    if kernel.site is None:
        return
    syntax, name, made = kernel.site.syntax, kernel.signature.name, _made(code_only(kernel.opened.file.text))
    steps = _steps(kernel, syntax)
    for first, second in combinations(steps, 2):
        shared = first.leaves & (second.takes | second.leaves)
        is_of_kernel = name == (second.kernel or first.kernel)
        if not (shared and is_of_kernel) or _block_of(first.node) != _block_of(second.node):
            continue
        between = [each for each in steps if first.node.end_byte <= each.node.start_byte < second.node.start_byte]
        if _may_overlap(first.stream, second.stream, made) and not _is_ordered(syntax, first, between, second, made):
            done = "launch" if first.kernel else "copy"
            own, other = (each.stream or "the default stream" for each in (second, first))
            said = f"Nothing orders it behind the {done} of line {first.line}, which writes {min(shared)} in {other}"
            yield second.node.start_byte, f"{said}: {own} does not wait for that stream.", first.line


def _made(code: str) -> dict[str, bool]:
    """Return the streams that the file makes, and whether the default stream and they do not wait for each other."""
    made: dict[str, bool] = {}
    for match in _MADE.finditer(code):
        made[match["name"]] = made.get(match["name"], True) and "cudaStreamNonBlocking" in match["given"]
    return made


def _may_overlap(one: str, other: str, made: dict[str, bool]) -> bool:
    """Return whether two streams need not wait for each other."""
    if "" in (one, other):
        return made.get(one or other, False)
    return one != other and one in made and other in made


def _steps(kernel: KernelFile, syntax: Syntax) -> list[_Step]:
    """Return the launches and copies in the text's order."""
    known = {each.name: each for each in kernel.opened.kernels}
    steps = [
        _Step(site.node, site.line, _stream_of(site), site.kernel, set(map(str.strip, site.arguments)), left)
        for site in kernel.opened.part.launches
        if site.kernel in known
        for left in [_written(site, known[site.kernel], syntax.code)]
    ]
    for node in descend(syntax.root, "call_expression"):
        called = re.fullmatch(r"cudaMem(cpy|set)(Async)?", syntax.source(node.child_by_field_name("function")))
        given = [syntax.source(each).strip() for each in passed_nodes(node)]
        if called is None or len(given) < 3 or (not called[2] and called[1] == "set"):
            continue
        is_copy = called[1] == "cpy"
        streams = given[4 if is_copy else 3 :] if called[2] else []
        left = set() if "cudaMemcpyDeviceToHost" in given[3:] or not called[2] else {given[0]}
        stream = "" if not streams or streams[0] in _DEFAULT else streams[0]
        steps.append(_Step(node, syntax.line(node), stream, "", {given[1]} if is_copy else set(), left))
    return sorted(steps, key=lambda step: step.node.start_byte)


def _is_ordered(syntax: Syntax, first: _Step, between: Sequence[_Step], second: _Step, made: dict[str, bool]) -> bool:
    """Return whether what stands between two steps may make the second one wait for the first.

    The default stream waits for others, and they for it. A copy of memory that is not pinned waits for its own stream.
    """
    code = re.sub(r"\bdim3\s[^;]*;", "", syntax.code[first.node.end_byte : second.node.start_byte])
    known = {each.kernel for each in between} | {second.kernel}
    if any(each.stream not in made for each in between) or not all(
        _is_idle(syntax, name) for name in set(_CALLED.findall(code)) - known
    ):
        return True
    behind, events = {first.stream}, set[str]()
    for call in _FOLLOWED.finditer(code):
        one, two = (call["one"].strip(), (call["two"] or "").strip())
        if call["what"] == "EventRecord":
            if two not in made:
                return True
            events = events | {one} if two in behind else events - {one}
        elif call["what"] == "StreamWaitEvent":
            behind |= {one} if two in events else set()
        elif one in behind or one not in made:
            return True
    return second.stream in behind or any(not each.kernel and each.stream in behind for each in between)


def _is_idle(syntax: Syntax, name: str) -> bool:
    """Return whether a function or macro waits for nothing, as one that looks for errors."""
    own = functions_named(syntax).get(name)
    bodies = [macro.body for macro in syntax.macros.all.get(name, ())] + ([syntax.source(own)] if own else [])
    called = {each for body in bodies for each in _CALLED.findall(body)} - {name}
    return all(map(_ORDERS_NOTHING.fullmatch, called if bodies else [name]))


def _stream_of(site: LaunchSite) -> str:
    brackets = next(child for child in site.node.children if child.type == "kernel_call_syntax")
    given = [child for child in brackets.named_children if child.type != "comment"]
    stream = site.syntax.source(given[3]) if len(given) > 3 else ""
    return "" if stream in _DEFAULT else stream


def _block_of(step: Node) -> int:
    """Return which block of code a step stands in; each in a loop or a lambda has its own."""
    statement: Node | None = step
    while statement is not None and not statement.type.endswith(("statement", "declaration")):
        statement = statement.parent
    block = statement.parent if statement is not None else None
    function = function_around(step)
    is_plain = block is not None and function is not None and block == function.child_by_field_name("body")
    return block.id if is_plain and block is not None else -step.id


def _written(site: LaunchSite, kernel: KernelSignature, code: str) -> set[str]:
    """Return the arrays, as the host calls them, that a launch stores to."""
    lines = code.split("\n")[kernel.line - 1 : kernel.last_line]
    body = "\n".join(lines).partition("{")[2]
    pairs = zip(kernel.parameters, site.arguments, strict=False)
    stored = r"\b{}\s*\[[^;=]*\]\s*[-+*/]?=(?!=)"
    return {text.strip() for each, text in pairs if each.is_pointer and re.search(stored.format(each.name), body)}
