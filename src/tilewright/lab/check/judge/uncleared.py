"""Launches that add into C what an earlier one has left there, or what nobody has set, before the host reads C.

In the function that launches, what happens to C is followed in the order of the text: it is set, added to, read. Where
that function is given C and does no more with it, its calls are followed instead. What may set C counts as setting it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.zeroed import HARMLESS, allocated, called_around
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.source import LaunchSite, resolve_number
from tilewright.lab.source.callers import calls_of, parameters_of
from tilewright.lab.source.changes import LOOPS, enclosing
from tilewright.lab.source.declarations import passed_nodes
from tilewright.lab.source.macros import words
from tilewright.lab.source.names_behind import names_made
from tilewright.lab.source.syntax import descend, function_around

from .host_calls import HostSlip, host_calls, pointer_named
from .host_copies import adds_to_c, copied_back

if TYPE_CHECKING:
    from tree_sitter import Node

_SET_AFTER = re.compile(r"\s*(?:\[[^\]]*\]\s*)?=(?!=)")
_COPIES = re.compile(r"cudaMemcpy\w*")
_FILLS = re.compile(r"cudaMem(?:cpy|set)\w*")
_CHANGED = re.compile(r"\b(\w+)\s*(?:\[[^\]]*\]\s*)?(?:[-+*/]?=(?!=)|\+\+|--)|(?:\+\+|--)\s*(\w+)|\b(\w+)\s*:(?!:)")
"""A name that is assigned, counted, or that a loop over a range takes."""
_ONE_OF_TWO = re.compile(r"\b(?:else|case|default|return|break|goto)\b|\n\}")
"""Between two statements of which only one may be run."""


@dataclass(frozen=True)
class _Addition:
    """A launch, or a call that launches, which adds into an array.

    passed: the texts of its arguments. called: the line of the launch in the function that is called, or None.
    """

    site: LaunchSite
    node: Node
    passed: tuple[str, ...]
    array: str
    called: int | None = None

    @property
    def line(self) -> int:
        """The line of the launch or of the call."""
        return self.site.syntax.line(self.node)


def uncleared(kernel: KernelFile, found: Found, code: str) -> Iterator[HostSlip]:
    """Yield the launch or the call of which the host reads more than one sum, or a sum that began anywhere.

    With a call comes the line of the launch in the function that is called, which could set the array to 0 as well.
    """
    place = found.roles.arguments.index("C")
    if not _is_sum(kernel, found) or any(
        site.syntax.text != kernel.opened.file.text or len(site.arguments) <= place for site in kernel.sites
    ):
        return
    of_arrays: dict[tuple[int, str], list[_Addition]] = {}
    for each in (each for site in kernel.sites for each in _additions(site, place)):
        function = function_around(each.node)
        if function is not None and each.array:
            of_arrays.setdefault((function.start_byte, each.array), []).append(each)
    for (begin, array), additions in of_arrays.items():
        end = max(function.end_byte for each in additions if (function := function_around(each.node)) is not None)
        yield from ((at, said, None) for at, said in _not_to_0(array, code) if begin < at < end)
        for at, said in _in_function(code, additions):
            launch = next(each.called for each in additions if each.node.start_byte == at)
            yield at, said if launch is None else f"{said} The launch is in line {launch}.", launch


def _not_to_0(array: str, code: str) -> Iterator[tuple[int, str]]:
    """Yield where each byte of an array is set to another number than 0."""
    for call in host_calls(code):
        number = call.arguments[1].strip() if call.what.startswith("Memset") and len(call.arguments) > 1 else "0"
        if pointer_named(call.arguments[0]) == array and number.isdigit() and int(number):
            yield call.at, f"This sets each byte of {array} to {number}, and what is added up there begins at 0."


def _is_sum(kernel: KernelFile, found: Found) -> bool:
    """Return whether a kernel adds to what C holds: it does not set C itself, and C is no extreme."""
    name = re.escape(kernel.signature.parameters[found.roles.arguments.index("C")].name)
    is_set = re.search(rf"(?:\*\s*{name}|\b{name}\s*\[[^\]]*\])\s*=(?!=)", kernel.body) is not None
    is_extreme = found.roles.operation in KINDS and KINDS[found.roles.operation].sign != 0
    return adds_to_c(kernel, found) and not is_set and not is_extreme


def _additions(site: LaunchSite, place: int) -> Iterator[_Addition]:
    """Yield a launch, or the calls of the function around it that is given the array and does no more with it."""
    array, function, syntax = pointer_named(site.arguments[place]), function_around(site.node), site.syntax
    names = list(parameters_of(syntax, function)) if function is not None else []
    is_alone = function is not None and len(re.findall(rf"\b{array}\b", _own(site, function))) == len(("one", "named"))
    if function is None or array not in names or not is_alone or next(enclosing(site.node, *LOOPS), None) is not None:
        yield _Addition(site, site.node, tuple(site.arguments), array)
        return
    for call in calls_of(syntax, names_made(syntax)[function.id]):
        passed = [syntax.source(each) for each in passed_nodes(call)]
        if len(passed) == len(names):
            yield _Addition(site, call, tuple(passed), pointer_named(passed[names.index(array)]), site.line)


def _own(site: LaunchSite, node: Node) -> str:
    return site.syntax.code[node.start_byte : node.end_byte]


def _in_function(code: str, additions: list[_Addition]) -> Iterator[tuple[int, str]]:
    """Yield the addition of one function's that is one too many, or that is the first and has nothing to begin with."""
    function, array = function_around(additions[0].node), additions[0].array
    assert function is not None
    made = next(allocated(array).finditer(code, function.start_byte, function.end_byte), None)
    body = function.child_by_field_name("body") or function
    begin = made.end() if made is not None else body.start_byte
    added: list[_Addition] = []
    is_set = made is None  # elsewhere, it may be
    for use in re.finditer(rf"\b{re.escape(array)}\b", code[begin : function.end_byte]):
        at, end = begin + use.start(), begin + use.end()
        own = next((each for each in additions if each.node.start_byte <= at < each.node.end_byte), None)
        what = _what_happens(code, function.start_byte, at, end) if own is None else ""
        if own is not None:
            added += [own] if own not in added else []
        elif what == "set":
            added, is_set = [], True
        elif what == "read" and added and (slips := list(_one_too_many(code, added, at, is_set=is_set))):
            yield from slips
            return
    if added and _is_iterated(code, added[-1]):
        said = f"Each turn of the loop begins with what the one before left in {array}, and adds to it as well"
        yield added[-1].node.start_byte, f"{said}: nothing in the loop sets it back."
        return
    if _is_twice(code, added) and copied_back(code, array, function.end_byte) is not None:
        yield from _one_too_many(code, added, function.end_byte, is_set=True)


def _what_happens(code: str, begin: int, at: int, end: int) -> str:
    """Return whether an array is set where its name stands (as by any function that is not known), read, or neither."""
    before = code[begin:at]
    called = called_around(before)
    if _COPIES.fullmatch(called):
        return "read" if "," in code[code.rindex("(", begin, at) : at] else "set"
    is_launched = re.search(r">>>\s*\([^;()]*$", before) is not None
    if is_launched or (called and called not in HARMLESS and not called.isupper()) or _SET_AFTER.match(code, end):
        return "set"
    is_read = called == "printf" or code[end : end + 1] == "[" or code[at - 1] == "*"
    return "read" if is_read and called != "cudaFree" else ""


def _one_too_many(code: str, added: list[_Addition], read: int, *, is_set: bool) -> Iterator[tuple[int, str]]:
    """Yield what adds to another one's sum, or to nothing, before the host reads the array."""
    first, last = added[0], added[-1]
    if _is_twice(code, added):
        said = f"This adds to what line {added[-2].line} left in {last.array}, and the host reads both."
        yield last.node.start_byte, said
    elif _is_repeated(code, last, read):
        said = "This is done in a loop, and each time adds to what the one before left"
        yield last.node.start_byte, f"{said} in {last.array}: nothing sets it back."
    elif first.called is not None and not is_set:
        yield first.node.start_byte, f"This adds into {first.array}, which is allocated, and which nothing sets to 0."


def _is_twice(code: str, added: list[_Addition]) -> bool:
    """Return whether the last two additions are alike, both are run, and nothing in between changes what they take."""
    if len(added) < len(("one", "other")) or added[-1].passed != added[-2].passed:
        return False
    between = code[added[-2].node.end_byte : added[-1].node.start_byte]
    return not _ONE_OF_TWO.search(between) and _is_alike(added[-1], added[-2].node.end_byte, between)


def _is_repeated(code: str, addition: _Addition, read: int) -> bool:
    """Return whether a loop does the same again, and the host takes the sum of all its turns for that of one.

    Where the host speaks of the sum and of the number of turns in one expression, it may divide by it.
    """
    loop = next(enclosing(addition.node, *LOOPS, "for_range_loop", "lambda_expression"), None)
    turns = _turns(addition, loop) if loop is not None and loop.type in LOOPS else None
    if loop is None or turns is None or not loop.end_byte <= read:
        return False
    node = addition.node
    around = f"{code[loop.start_byte : node.start_byte]};{code[node.end_byte : loop.end_byte]}"
    if addition.array in words(around) or not _is_alike(addition, loop.start_byte, around):
        return False
    function = function_around(loop)
    after = code[loop.end_byte : function.end_byte if function is not None else None]
    back = copied_back(after, addition.array, -1)
    host = back[1] if back is not None else addition.array
    return not any({host, turns} <= set(re.findall(r"\w+", each)) for each in re.split(r"[;{},]", after))


def _is_iterated(code: str, addition: _Addition) -> bool:
    """Return whether a loop copies a sum to the host and from there to what its next turn is given, and clears none."""
    loop = next(enclosing(addition.node, *LOOPS), None)
    if loop is None:
        return False
    inside = range(loop.start_byte, loop.end_byte)
    copies = [each for each in host_calls(code) if each.is_copy and each.at in inside and len(each.arguments) > 1]
    pairs = [(pointer_named(each.arguments[0]), pointer_named(each.arguments[1])) for each in copies]
    given = {pointer_named(each) for each in addition.passed} - {addition.array}
    back = {to for to, source in pairs if source == addition.array}
    if not back & {source for to, source in pairs if to in given}:
        return False
    own = range(addition.node.start_byte, addition.node.end_byte)
    uses = re.finditer(rf"\b{re.escape(addition.array)}\b", code[inside.start : inside.stop])
    places = [(inside.start + use.start(), inside.start + use.end()) for use in uses]
    return not any(_what_happens(code, inside.start, *each) == "set" for each in places if each[0] not in own)


def _turns(addition: _Addition, loop: Node) -> str | None:
    """Return the number of a loop's turns as its condition names it, or ""; None if there is only one turn."""
    syntax = addition.site.syntax
    end = re.search(r"<=?\s*(\w+)$", syntax.source(loop.child_by_field_name("condition")).strip("(); "))
    known = resolve_number(addition.site, end[1], {}) if end is not None else ""
    return None if isinstance(known, int | float) and known <= 1 else end[1] if end is not None else ""


def _is_alike(addition: _Addition, begin: int, around: str) -> bool:
    """Return whether nothing in the code around an addition changes what it takes: a name, or what stands behind one.

    A copy does, and so may any function that is not known. begin: where the code begins.
    """
    syntax, end = addition.site.syntax, begin + len(around)
    changed = {name for names in _CHANGED.findall(around) for name in names if name}
    for call in descend(syntax.root, "call_expression"):
        called, passed = syntax.source(call.child_by_field_name("function")), passed_nodes(call)
        is_inside = begin <= call.start_byte and call.end_byte <= end and call.id != addition.node.id
        if is_inside and called not in HARMLESS and not called.isupper():
            is_known = called.startswith("cuda")
            filled = passed[:1] if _FILLS.fullmatch(called) else [] if is_known else passed
            changed |= words(", ".join(map(syntax.source, filled)))
    return not changed & words(_own(addition.site, addition.node))
