"""Arrays that a function of the file allocates and returns: `float *dA = onDevice(m * k);`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright.lab.source.expressions import UnknownValueError, size_of
from tilewright.lab.source.macros import closing, split_arguments

from .host_calls import HostCall, host_calls, pointer_named

_FUNCTION = re.compile(r"\*\s*(?P<name>[A-Za-z_]\w*)\s*\((?P<parameters>[^()]*)\)\s*(?=\{)")
"""A function that returns a pointer."""
_BYTES = re.compile(
    r"(?:(?P<first>[A-Za-z_]\w*)\s*\*\s*sizeof\s*\(\s*(?P<one>\w+)\s*\)"
    r"|sizeof\s*\(\s*(?P<two>\w+)\s*\)\s*\*\s*(?P<second>[A-Za-z_]\w*))"
)


def helped_allocations(code: str) -> Iterator[HostCall]:
    """Yield the allocations by functions of the file as if they stood at their calls, with bytes as far as known.

    A function that also copies or sets something fills what it allocates: that is left alone.
    """
    for function in _FUNCTION.finditer(code):
        body = code[function.end() : closing(code, function.end())]
        inside = list(host_calls(body))
        if [call.what for call in inside] != ["Malloc"] or len(inside[0].arguments) != 2:
            continue
        allocated = pointer_named(inside[0].arguments[0])
        if not allocated or not re.search(rf"\breturn\s+{re.escape(allocated)}\s*;", body):
            continue
        parameters = [each.split()[-1].lstrip("*&") for each in split_arguments(function["parameters"]) if each.strip()]
        bytes_each, place = _bytes_of(inside[0].arguments[1], parameters)
        name = re.escape(function["name"])
        made = re.compile(rf"\b(?P<array>[A-Za-z_]\w*)\s*=\s*(?P<called>{name}\s*(?:<[^<>()]*>\s*)?\()")
        for call in made.finditer(code):
            passed = split_arguments(code[call.end() : closing(code, call.end() - 1)])
            sized = [f"({passed[place]}) * {bytes_each}"] if bytes_each and place < len(passed) else []
            yield HostCall(call.start("called"), "Malloc", [f"&{call['array']}", *sized])


def _bytes_of(text: str, parameters: list[str]) -> tuple[int, int]:
    """Return the bytes of each element and the place of the parameter that counts these; 0 if that is not plain."""
    found = _BYTES.fullmatch(text.strip())
    count = (found["first"] or found["second"]) if found else ""
    if found is None or count not in parameters:
        return 0, 0
    try:
        return size_of(found["one"] or found["two"]), parameters.index(count)
    except UnknownValueError:
        return 0, 0
