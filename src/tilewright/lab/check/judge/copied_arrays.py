"""Which arrays the host copies, and when: the result behind the launch, and each input in front of it from its own.

A function is looked at that allocates the arrays and launches, not in a loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.zeroed import allocated, called_around
from tilewright.lab.source import LaunchSite
from tilewright.lab.source.callers import parameters_of
from tilewright.lab.source.changes import LOOPS, enclosing
from tilewright.lab.source.declarations import passed_nodes
from tilewright.lab.source.syntax import descend, function_around

from .host_calls import HostCall, host_calls, pointer_named
from .host_copies import host_array

if TYPE_CHECKING:
    from tree_sitter import Node

_TO_HOST, _TO_DEVICE = "cudaMemcpyDeviceToHost", "cudaMemcpyHostToDevice"
_LAUNCH = "kernel_call_syntax"
_PLACE = re.compile(r"^(?:d|h|dev|device|host|gpu|cpu)_?(?=[a-z])|_?(?:d|h|dev|device|host|gpu|cpu)$", re.IGNORECASE)
"""What of a name says on which side an array is: `d_x`, `h_x`, `xDev`."""


def misplaced_copies(kernel: KernelFile, found: Found, code: str) -> Iterator[tuple[int, str]]:
    """Yield the copy that is done too early, too late, or of another array."""
    site = kernel.site
    function = function_around(site.node) if site is not None else None
    if site is None or function is None or site.syntax.text != kernel.opened.file.text:
        return
    if len(site.arguments) != len(found.roles.arguments) or next(enclosing(site.node, *LOOPS), None) is not None:
        return
    own = code[function.start_byte : function.end_byte]
    passed = zip(found.roles.arguments, map(pointer_named, site.arguments), strict=True)
    arrays = {word: name for word, name in passed if word in "ABC" and name and allocated(name).search(own)}
    copies = [
        call
        for call in host_calls(code)
        if call.is_copy and len(call.arguments) > 3 and function.start_byte <= call.at < function.end_byte
    ]
    if "C" in arrays:
        yield from _undone(site, arrays["C"], code[site.node.end_byte : function.end_byte])
    if "C" in arrays and len(set(arrays.values())) == len(arrays):
        yield from _of_result(site, function, arrays, copies)
    inputs = [arrays[word] for word in "AB" if word in arrays]
    for array in inputs:
        yield from _too_late(site, function, array, copies)
    if len(inputs) == len("AB"):
        yield from _of_one_source(site, function, inputs, copies)


def _uses(site: LaunchSite, function: Node, array: str) -> list[int]:
    """Return where a function names an array, but to declare, allocate and free it, and at the launch."""
    code = site.syntax.code
    found = []
    for use in re.finditer(rf"\b{re.escape(array)}\b", code[function.start_byte : function.end_byte]):
        at = function.start_byte + use.start()
        before = code[function.start_byte : at]
        is_idle = called_around(before).startswith(("cudaMalloc", "cudaFree")) or before.rstrip().endswith("*")
        if not is_idle and not site.node.start_byte <= at < site.node.end_byte:
            found.append(at)
    return found


def _of_result(
    site: LaunchSite, function: Node, arrays: dict[str, str], copies: list[HostCall]
) -> Iterator[tuple[int, str]]:
    """Yield the copy of the result in front of the launch, one into it behind, or what takes an input in its place."""
    result, code = arrays["C"], site.syntax.code
    uses = _uses(site, function, result)
    filled = [call for call in copies if pointer_named(call.arguments[0]) == result and call.at > site.node.end_byte]
    is_only_filled = len([at for at in uses if at > site.node.end_byte]) == len(filled)
    if filled and is_only_filled and all(called_around(code[:at]).startswith("cudaMem") for at in uses):
        said = f"This fills {result} behind the launch that computes it, and nothing copies it to the host."
        yield filled[0].at, said
    if any(at > site.node.end_byte or not called_around(code[:at]).startswith("cudaMem") for at in uses):
        return  # or it may have another name
    for call in copies:
        source, is_behind = pointer_named(call.arguments[1]), call.at > site.node.end_byte
        if call.arguments[3].strip() != _TO_HOST:
            continue
        if source == result and not is_behind:
            yield call.at, f"{result} is copied to the host before the launch that computes it, and never behind it."
        elif source in arrays.values() and is_behind:
            yield call.at, f"This copies {source}, which the kernel reads; what it computes is in {result}."
    inputs = set(arrays.values()) - {result}
    for node in descend(function, "call_expression"):
        passed = {pointer_named(site.syntax.source(each)) for each in passed_nodes(node)}
        is_behind = node.start_byte > site.node.end_byte and any(each.type == _LAUNCH for each in node.children)
        others = [name for name in passed - inputs if name and allocated(name).search(code)]
        if is_behind and passed & inputs and len(others) > len(inputs):  # else it may compute the same in another way
            said = f"This takes {' and '.join(sorted(passed & inputs))}, which {site.kernel} reads"
            yield node.start_byte, f"{said}; what that leaves in {result} is given to nothing."
            return


def _undone(site: LaunchSite, result: str, rest: str) -> Iterator[tuple[int, str]]:
    """Yield what clears or frees the result behind the launch, before it is copied to the host."""
    for use in re.finditer(rf"\b{re.escape(result)}\b", rest):
        called = called_around(rest[: use.start()])
        is_left = any(word in rest[: use.start()] for word in ("<<<", "return", "else", "}"))
        if called not in ("cudaMemset", "cudaMemsetAsync", "cudaFree", "cudaFreeAsync") or is_left:
            return
        copied = rf"\bcudaMemcpy\w*\s*\([^;]*,\s*{re.escape(result)}\s*,[^;]*{_TO_HOST}"
        if re.search(copied, rest[use.end() :]) and "<<<" not in rest:
            done = "frees" if "Free" in called else "sets"
            at = site.node.end_byte + rest.rindex(called, 0, use.start())
            yield at, f"This {done} {result} behind the launch that computes it, before it is copied to the host."
        return


def _too_late(site: LaunchSite, function: Node, array: str, copies: list[HostCall]) -> Iterator[tuple[int, str]]:
    """Yield the copy that fills an input behind the only launch, if nothing else fills it in front."""
    fills = [call.at for call in copies if pointer_named(call.arguments[0]) == array]
    if fills and min(_uses(site, function, array), default=0) > site.node.end_byte:
        yield fills[0], f"{array} is filled behind the launch that reads it."


def _of_one_source(
    site: LaunchSite, function: Node, inputs: list[str], copies: list[HostCall]
) -> Iterator[tuple[int, str]]:
    """Yield the copy of the same host array into both inputs, where there is another one, which nothing copies."""
    fills = {array: [call for call in copies if pointer_named(call.arguments[0]) == array] for array in inputs}
    calls = [each[0] for each in fills.values() if len(each) == 1 and each[0].arguments[3].strip() == _TO_DEVICE]
    sources = {host_array(call.arguments[1]) for call in calls}
    if len(calls) != len(inputs) or len(sources) > 1 or "" in sources:
        return
    (source,) = sources
    own = site.syntax.code[function.start_byte : function.end_byte]
    copied = {host_array(text) for call in copies for text in call.arguments[:2]}
    unused = [name for name in parameters_of(site.syntax, function) if len(re.findall(rf"\b{name}\b", own)) == 1]
    for call in sorted(calls, key=lambda call: call.at, reverse=True):
        array = pointer_named(call.arguments[0])
        meant = [name for name in set(re.findall(r"[A-Za-z_]\w*", own)) - copied if _core(name) == _core(array)]
        meant = [name for name in meant if _is_host_array(name, own)] if _core(array) != _core(source) else []
        if meant:
            yield call.at, f"{array} is filled with {source}, as the other input is, and nothing copies {meant[0]}."
            return
    if len(unused) == 1 and _is_host_array(unused[0], own):
        said = f"Both inputs are filled with {source}, and nothing reads {unused[0]}."
        yield max(call.at for call in calls), said


def _core(name: str) -> str:
    """Return a name without what says on which side an array is."""
    return _PLACE.sub("", name).lower()


def _is_host_array(name: str, own: str) -> bool:
    """Return whether a function declares or takes a name as a pointer or a container, and allocates none for it."""
    declared = r"(?:\*\s*(?:const\s+|__restrict__\s+)?|\bvector\s*<[^;<>]*>\s*(?:const\s*)?&?\s*(?:[^;{}]*?[,)]\s*)?)"
    return re.search(rf"{declared}{name}\b", own) is not None and not allocated(name).search(own)
