"""Pitches that are taken for a number of elements: cudaMallocPitch says in bytes how far two rows lie apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.own_launch import OwnLaunch

from .host_calls import HostSlip

_IN_BYTES = re.compile(r"\d+\*")
_PITCH = re.compile(r"\bcudaMallocPitch\s*\([^;]*?,\s*&\s*(?P<name>\w+)")


def pitches_in_elements(kernel: KernelFile, found: Found, code: str) -> Iterator[HostSlip]:
    """Yield the launch that passes a pitch to a kernel that counts elements by it, and the kernel's line that does."""
    site, parameters, roles = kernel.site, kernel.signature.parameters, found.roles
    if site is None or not isinstance(found.rule, OwnLaunch) or len(site.arguments) != len(parameters):
        return
    pitches = {match["name"] for match in _PITCH.finditer(code)}
    for parameter, side, text in zip(parameters, roles.formulas, site.arguments, strict=True):
        used = re.search(rf"\{{(?:.|\n)*?\b{re.escape(parameter.name)}\b", kernel.body)
        if text.strip() in pitches and not _IN_BYTES.match(side) and used is not None:
            said = f"`{parameter.name}` is the pitch that cudaMallocPitch gives, in bytes, and counts elements in"
            yield site.node.start_byte, f"{said} {site.kernel}.", kernel.line_at(used.end() - 1)
