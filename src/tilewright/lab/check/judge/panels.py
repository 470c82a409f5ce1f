"""Launches in a loop over panels of the summed dimension, of which one operand moves on and the other does not.

Each launch adds to the same result, so that both operands must move: a matrix's columns and the part of a vector that
is copied to constant memory for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.source.changes import enclosing
from tilewright.lab.source.macros import split_arguments

_COPY = re.compile(r"\bcudaMemcpyToSymbol(?:Async)?\s*\((?P<given>[^;]*)\)\s*;")
_OF_ONE_TRIP = re.compile(r"\bcudaMemset|\bcudaMemcpyDeviceToHost\b")


def panels_left(kernel: KernelFile) -> Iterator[tuple[int, str]]:
    """Yield the place of a launch, or of a copy for it, whose operand stays where the loop's other operands move."""
    site, parameters = kernel.site, kernel.signature.parameters
    loop = next(enclosing(site.node, "for_statement"), None) if site is not None else None
    if site is None or loop is None or len(site.arguments) != len(parameters):
        return
    start = re.search(r"(?P<name>[A-Za-z_]\w*)\s*=", site.syntax.source(loop.child_by_field_name("initializer")))
    text = site.syntax.code[loop.start_byte : loop.end_byte]
    results = [at for at, each in enumerate(parameters) if each.is_pointer and not each.is_const]
    if start is None or len(results) != 1 or _OF_ONE_TRIP.search(text) or not _is_added_to(kernel, results[0]):
        return
    moved = re.compile(rf"\b{start['name']}\b")
    copies = [(copy.start(), split_arguments(copy["given"])) for copy in _COPY.finditer(text)]
    symbols = {given[0].strip() for _, given in copies}  # which may stand among the arguments here
    pairs = list(zip(parameters, site.arguments, strict=True))
    passed = [given.strip() for each, given in pairs if each.is_pointer and each.is_const]
    offset = re.compile(rf"{start['name']}|.*(?:[+*]\s*{start['name']}\b|\b{start['name']}\s*[+*]).*")
    if any(offset.fullmatch(given.strip()) for each, given in pairs if not each.is_pointer):
        return  # the kernel itself moves on
    operands = [(site.node.start_byte, given) for given in passed if given not in symbols]
    operands += [(loop.start_byte + at, given[1].strip()) for at, given in copies if len(given) > 1]
    if moved.search(site.arguments[results[0]]) or not any(moved.search(given) for _, given in operands):
        return
    for at, given in operands:
        if not moved.search(given):
            yield at, f"`{given}` is the same in each trip of the loop over `{start['name']}`, and others move on."


def _is_added_to(kernel: KernelFile, at: int) -> bool:
    """Return whether a kernel reads what its result holds."""
    name = re.escape(kernel.signature.parameters[at].name)
    elements = re.findall(rf"\b{name}\s*\[[^;=]*\]\s*(\+=)?", kernel.body)
    return len(elements) > 1 or "+=" in elements
