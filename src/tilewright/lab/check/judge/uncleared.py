"""Launches that add into C what an earlier one has left there, or what nobody has set, before the host reads C.

The kernel may be launched in a function that is given the pointer: then the calls of this function are looked at, in
the function that allocates the array.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.zeroed import HARMLESS, allocated, called_around
from tilewright.lab.source import LaunchSite
from tilewright.lab.source.callers import calls_of, parameters_of
from tilewright.lab.source.changes import LOOPS, enclosing
from tilewright.lab.source.declarations import passed_nodes
from tilewright.lab.source.names_behind import names_made
from tilewright.lab.source.syntax import descend, function_around

from .host_copies import pointer_named

if TYPE_CHECKING:
    from tree_sitter import Node

_SET_AFTER = re.compile(r"\s*(?:\[[^\]]*\]\s*)?=(?!=)")
_COPIES = re.compile(r"cudaMemcpy\w*")


@dataclass(frozen=True)
class _Addition:
    """A launch, or a call that launches, which adds into an array.

    passed: the texts of its arguments. launch: the line of the launch in the function that is called, or None.
    """

    node: Node
    passed: tuple[str, ...]
    array: str
    launch: int | None


def added_in_calls(kernel: KernelFile, found: Found, code: str) -> Iterator[tuple[int, str, int | None]]:
    """Yield the launch or the call of which the host reads more than one sum, or a sum that began anywhere.

    With a call comes the line of the launch in the function that is called, which could set the array to 0 as well.
    """
    place = found.roles.arguments.index("C")
    written = re.escape(kernel.signature.parameters[place].name)
    if not re.search(rf"\batomicAdd\s*\([^;]*\b{written}\b", kernel.body):
        return
    by_function: dict[int, tuple[Node, list[_Addition]]] = {}
    for site in kernel.sites:
        if site.syntax.text != kernel.opened.file.text or len(site.arguments) <= place:
            return
        for each in _additions(site, place):
            function = function_around(each.node)
            if function is not None:
                by_function.setdefault(function.start_byte, (function, []))[1].append(each)
    for function, additions in by_function.values():
        names = {each.array for each in additions}
        if len(names) == 1 and "" not in names:
            yield from _in_function(code, function, additions)


def _additions(site: LaunchSite, place: int) -> Iterator[_Addition]:
    """Yield a launch, or the calls of the function around it that is given the array and does no more with it."""
    array, function = pointer_named(site.arguments[place]), function_around(site.node)
    names = list(parameters_of(site.syntax, function)) if function is not None else []
    if function is None or array not in names:
        yield _Addition(site.node, tuple(site.arguments), array, launch=None)
        return
    code = site.syntax.code[function.start_byte : function.end_byte]
    if len(re.findall(rf"\b{array}\b", code)) != 2 or next(enclosing(site.node, *LOOPS), None) is not None:
        return  # something else is done with it there
    for call in calls_of(site.syntax, names_made(site.syntax)[function.id]):
        passed = [site.syntax.source(each) for each in passed_nodes(call)]
        if len(passed) == len(names):
            yield _Addition(call, tuple(passed), pointer_named(passed[names.index(array)]), site.line)


def _in_function(code: str, function: Node, additions: list[_Addition]) -> Iterator[tuple[int, str, int | None]]:
    """Yield the addition of one function's that is one too many, or that is the first and has nothing to begin with."""
    array, begin, end = additions[0].array, function.start_byte, function.end_byte
    made = next(allocated(array).finditer(code, begin, end), None)
    if made is None:
        return
    events: list[tuple[int, str, _Addition | None]] = [(each.node.start_byte, "add", each) for each in additions]
    for match in re.finditer(rf"\b{re.escape(array)}\b", code[made.end() : end]):
        at = made.end() + match.start()
        if not any(each.node.start_byte <= at < each.node.end_byte for each in additions):
            events.append((at, _what_happens(code, begin, at, made.end() + match.end()), None))
    added: list[_Addition] = []
    is_set = False
    for _, what, addition in sorted(events, key=lambda event: event[0]):
        if addition is not None:
            added.append(addition)
        elif what == "set":
            added, is_set = [], True
        elif what == "read" and added:
            for at, said in _one_too_many(code, array, added, is_set=is_set):
                launch = next(each.launch for each in added if each.node.start_byte == at)
                yield at, said if launch is None else f"{said} The launch is in line {launch}.", launch
            return


def _what_happens(code: str, begin: int, at: int, end: int) -> str:
    """Return whether an array is set where its name stands (as by any function that is not known), read, or neither."""
    called = called_around(code[begin:at])
    if _COPIES.fullmatch(called):
        return "read" if "," in code[code.rindex("(", begin, at) : at] else "set"
    if called and called not in HARMLESS and not called.isupper():
        return "set"
    if _SET_AFTER.match(code, end):
        return "set"
    is_read = called == "printf" or code[end : end + 1] == "[" or code[at - 1] == "*"
    return "read" if is_read and called != "cudaFree" else ""


def _one_too_many(code: str, array: str, added: list[_Addition], *, is_set: bool) -> Iterator[tuple[int, str]]:
    """Yield what adds to another one's sum, or to nothing, before the host reads the array."""
    first, last = added[0], added[-1]
    lines = [code.count("\n", 0, each.node.start_byte) + 1 for each in added]
    if len(added) > 1 and last.passed == added[-2].passed:
        yield last.node.start_byte, f"This adds to what line {lines[-2]} left in {array}, and the host reads both."
    elif _is_repeated(code, array, last):
        said = "This is done in a loop, and each time adds to what the one before left"
        yield last.node.start_byte, f"{said} in {array}: nothing sets it back."
    elif first.launch is not None and not is_set:
        yield first.node.start_byte, f"This adds into {array}, which is allocated, and which nothing sets to 0."


def _is_repeated(code: str, array: str, addition: _Addition) -> bool:
    """Return whether a loop does the same again, without anything else that names the array."""
    loop = next(enclosing(addition.node, *LOOPS), None)
    if loop is None:
        return False
    around = code[loop.start_byte : addition.node.start_byte] + code[addition.node.end_byte : loop.end_byte]
    changed = set(re.findall(r"\b(\w+)\s*(?:\[[^\]]*\]\s*)?(?:[-+*/]?=(?!=)|\+\+|--)", around))
    changed |= set(re.findall(r"(?:\+\+|--)\s*(\w+)", around)) | set(re.findall(r"\b(\w+)\s*:(?!:)", around))
    names = {word for text in addition.passed for word in re.findall(r"\w+", text)}
    swaps = any(descend(loop, "call_expression")) and re.search(r"\bswap\b", around)
    return array not in re.findall(r"\w+", around) and not names & changed and not swaps
