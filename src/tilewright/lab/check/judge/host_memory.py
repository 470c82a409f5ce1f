"""Memory of the host that a kernel is given, that a copy takes for the device's, or that has another type than C."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright.lab.check.element_types import dtype_of, is_integer
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.source import LaunchSite, host_type
from tilewright.lab.source.syntax import function_around

from .host_calls import host_calls, pointer_named
from .host_copies import host_array

_VECTOR = r"(?:\bstd::|(?<![\w:]))vector\s*<\s*[\w:]+(?:\s+\w+)*\s*>\s*"
"""Of the host's memory: an allocator of another kind is named in the type."""
_ON_HOST = (
    rf"{_VECTOR}(?:const\s*)?&\s*{{name}}\b|{_VECTOR}(?:[^;{{{{}}}}]*,\s*)?{{name}}\b"
    r"|\b{name}\s*=\s*(?:\w+_cast\s*)?(?:new\b|(?:std::)?[mc]alloc\b)"
)
_DECLARED = (
    r"\b(?P<type>float|double|(?:unsigned\s+)?(?:int|long\s+long|long)|unsigned)\s+"
    r"(?:\w+\s*(?:=[^,;()]*)?,\s*)*{name}\s*[;,=]"
)
_INNERMOST = re.compile(r"\([^()]*\)|\{[^{};]*\}")


def wrong_memory(kernel: KernelFile, found: Found, code: str) -> Iterator[tuple[int, str]]:
    """Yield launches that are given the host's arrays, copies that take them for the device's, or into another type."""
    site = kernel.site
    function = function_around(site.node) if site is not None else None
    if site is None or function is None or site.syntax.text != kernel.opened.file.text:
        return
    own = code[function.start_byte : function.end_byte]
    for parameter, text in zip(kernel.signature.parameters, site.arguments, strict=False):
        name = text.strip() if text.strip().isidentifier() else host_array(text) if "data" in text else ""
        if parameter.is_pointer and name and _is_of_host(name, own) and "cudaHostRegister" not in code:
            yield site.node.start_byte, f"{text} is memory of the host, and this kernel runs on the device."
    for call in host_calls(code):
        if not function.start_byte <= call.at < function.end_byte or not call.is_copy or len(call.arguments) < 4:
            continue
        of_host = [name for name in map(host_array, call.arguments[:2]) if name and _is_of_host(name, own)]
        if call.arguments[3].strip() == "cudaMemcpyDeviceToDevice" and of_host:
            yield call.at, f"{of_host[0]} is memory of the host, and this copy says that both are on the device."
    yield from _of_another_type(site, found, code, own, function.start_byte)


def _is_of_host(name: str, own: str) -> bool:
    """Return whether a function makes an array of the host's with this name, and none of the device's."""
    is_of_device = re.search(rf"\bcuda\w+\s*\([^;]*&\s*{re.escape(name)}\b", own) is not None
    head, _, flat = own.partition("{")
    while (simpler := _INNERMOST.sub(" ", flat)) != flat:
        flat = simpler  # without the commas of what a vector is made of
    return re.search(_ON_HOST.format(name=re.escape(name)), f"{head}{{{flat}") is not None and not is_of_device


def _of_another_type(site: LaunchSite, found: Found, code: str, own: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield the copy of C into a number of another type: its bytes stay what they are."""
    place = found.roles.arguments.index("C")
    array = site.arguments[place].strip() if len(site.arguments) > place else ""
    pointed = host_type(site, array) if array.isidentifier() else None
    dtype = dtype_of(re.sub(r"[*\s]+$", "", pointed.replace("const", "").strip())) if pointed else None
    if dtype is None or dtype != found.dtypes["C"]:
        return  # or it is passed as another type
    for call in host_calls(code):
        if call.is_copy and start <= call.at < start + len(own) and len(call.arguments) > 2:
            name = call.arguments[0].strip().removeprefix("&").strip()
            declared = re.search(_DECLARED.format(name=re.escape(name)), own) if name.isidentifier() else None
            given = dtype_of(" ".join(declared["type"].split())) if declared else None
            if (
                given is None
                or pointer_named(call.arguments[1]) != array
                or not call.arguments[0].strip().startswith("&")
            ):
                continue
            if given.itemsize != dtype.itemsize or is_integer(given) != is_integer(dtype):
                yield call.at, f"{array} holds {dtype.name}, and this copies its bytes into {name}, of {given.name}."
