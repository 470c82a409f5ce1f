"""The host's sum of partial sums in a narrower type than theirs: `std::accumulate(sums.begin(), sums.end(), 0)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy

from tilewright.lab.check.element_types import dtype_of, is_integer
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.kinds import is_partial
from tilewright.lab.source.macros import closing, split_arguments
from tilewright.lab.source.syntax import function_around

if TYPE_CHECKING:
    _Type = numpy.dtype[Any]

_OWNER = re.compile(r"^(?:[\w:]*\braw_pointer_cast\s*\(\s*)?&?\s*(?P<name>[A-Za-z_]\w*)")
"""The array, or the object that owns it, in what a launch is given: `sums`, `sums.get()`, `&sums[0]`."""
_ADDS = re.compile(r"\b(?:accumulate|(?<!_)reduce)\s*\(")
_INTEGER = re.compile(r"[+-]?\d+(?P<suffix>[uUlL]*)")
_FLOATING = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eEfF]))(?:[eE][+-]?\d+)?(?P<suffix>[fF]?)")
_MADE = re.compile(r"(?P<type>[\w:]+(?:\s+(?:int|long|double))*)\s*[({].*[)}]", re.DOTALL)


def narrow_host_sums(kernel: KernelFile, found: Found, code: str) -> Iterator[tuple[int, str]]:
    """Yield where the host adds up what a launch left in its partial sums, in a type that does not hold them."""
    site = kernel.site
    function = function_around(site.node) if site is not None else None
    if site is None or function is None or not is_partial(found.roles.operation):
        return
    place, behind = found.roles.arguments.index("C"), site.node.end_byte
    owner = _OWNER.match(site.arguments[place].strip()) if len(site.arguments) > place else None
    if owner is None or site.syntax.text != kernel.opened.file.text:
        return
    own, rest = code[function.start_byte : function.end_byte], code[behind : function.end_byte]
    for host in _hosts_of(owner["name"], rest):
        for at, summed, written in [*_by_call(rest, host, own), *_by_loop(rest, host, own)]:
            if _is_narrower(summed, found.dtypes["C"]):
                what = f"{host} holds partial sums in {found.dtypes['C'].name}"
                yield behind + at, f"{what}, and `{written}` adds them up in {summed.name}: each sum is cut to that."


def _hosts_of(owner: str, rest: str) -> list[str]:
    """Return the host's arrays that code behind a launch fills from a device array or from its owner."""
    own = rf"\b{re.escape(owner)}\b"
    patterns = (
        rf"\bcudaMemcpy\w*\s*\(\s*&?\s*(\w+)[^,;]*,\s*&?\s*{own}",
        rf"\bcopy\s*\(\s*{own}[^;]*,\s*(\w+)\s*\.\s*(?:begin|data)\s*\(",
        rf"\b(\w+)\s*(?:=|\(|\{{)\s*{own}\s*(?:\.|->)\s*\w+\s*\(",
        rf"{own}\s*(?:\.|->)\s*\w+\s*\(\s*&?\s*([A-Za-z_]\w*)",
        rf"\b\w+\s*\(\s*&?\s*(\w+)[^;()]*(?:\(\s*\))?[^;()]*,\s*{own}\s*[,)]",
    )
    return list(dict.fromkeys(name for pattern in patterns for name in re.findall(pattern, rest) if name != owner))


def _by_call(rest: str, host: str, own: str) -> Iterator[tuple[int, _Type, str]]:
    """Yield the place, the type and the first value of sums by `std::accumulate` and `std::reduce`."""
    for call in _ADDS.finditer(rest):
        listed = split_arguments(rest[call.end() : closing(rest, call.end() - 1)])
        first = next((at for at, each in enumerate(listed) if re.match(rf"(?:std::\w+\(\s*)?&?{host}\b", each)), -1)
        if first >= 0 and first + 2 < len(listed):
            initial = listed[first + 2].strip()
            summed = _type_of(initial, own)
            if summed is not None:
                yield call.start(), summed, initial


def _by_loop(rest: str, host: str, own: str) -> Iterator[tuple[int, _Type, str]]:
    """Yield the place, the type and the name of sums that a loop adds elements to."""
    each = re.search(rf"\bfor\s*\([^;:()]*?(\w+)\s*:\s*{host}\s*\)", rest)
    elements = [rf"{host}\s*\[[^\]]*\]", *([re.escape(each[1])] if each else [])]
    for added in re.finditer(rf"\b(\w+)\s*\+=\s*(?:{'|'.join(elements)})\s*;", rest):
        summed = _declared(added[1], own)
        if summed is not None:
            yield added.start(), summed, added[1]


def _type_of(text: str, own: str) -> _Type | None:
    """Return the type of a sum that begins with an expression, or None."""
    integer, floating, made = (pattern.fullmatch(text) for pattern in (_INTEGER, _FLOATING, _MADE))
    if integer is not None:
        return numpy.dtype("int64" if "l" in integer["suffix"].lower() else "int32")
    if floating is not None:
        return numpy.dtype("float32" if floating["suffix"] else "float64")
    return dtype_of(made["type"]) if made is not None else _declared(text, own)


def _declared(name: str, own: str) -> _Type | None:
    """Return the type that a function declares a name with, as far as it is one of C's own."""
    words = r"((?:(?:unsigned|signed|long|short|int|float|double|u?int\d+_t|std::u?int\d+_t)\s+)+)"
    declared = re.search(rf"\b{words}(?:\w+\s*(?:=[^,;()]*)?,\s*)*{re.escape(name)}\b\s*[=;,{{(]", own)
    return dtype_of(declared[1].strip()) if declared else None


def _is_narrower(summed: _Type, partial: _Type) -> bool:
    """Return whether a type loses what partial sums hold: whole numbers of fractions, or fewer bytes of the same."""
    if is_integer(partial):
        return is_integer(summed) and summed.itemsize < partial.itemsize
    return is_integer(summed) or summed.itemsize < min(partial.itemsize, 8)
