"""Other launches of a kernel than the one that it is checked with: another block, another instance of its template.

So are the types that a file instantiates a launching template with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tilewright.lab.check.element_types import dtype_of
from tilewright.lab.source import DevicePart, KernelSignature, LaunchSite, device_part
from tilewright.lab.source.macros import code_only
from tilewright.lab.source.names_behind import names_behind, names_made
from tilewright.lab.source.syntax import function_around

from .kernel_file import KernelFile, OpenedFile

_OF_TYPES = ("typename", "class")
MOST_LAUNCHES = 2
"""The most other launches that a kernel is checked with."""


def other_launches(kernel: KernelFile) -> Iterator[OpenedFile]:
    """Yield the file with another of its launches of a kernel alone, each with a block or a template of its own."""
    part, own = kernel.opened.part, kernel.sites
    first = dict(reversed([(_how(site), site) for site in own]))
    others = [site for site in own[1:] if first[_how(site)] is site]
    for site in others[:MOST_LAUNCHES]:
        kept = [each for each in part.launches if each is site or each.kernel != site.kernel]
        yield replace(kernel.opened, part=replace(part, launches=kept))


def of_other_text(
    opened: OpenedFile, signature: KernelSignature, text: str
) -> tuple[OpenedFile, KernelSignature] | None:
    """Return a file with another text, and a kernel as it is there; None if it is not there. Raises SourceError."""
    file = replace(opened.file, text=text)
    changed = OpenedFile(file, _with_launches_of(opened, device_part(text, file.name)))
    same = (each for each in changed.kernels if each.qualified_name == signature.qualified_name)
    found = next(same, None)
    return None if found is None else (changed, found)


def _with_launches_of(opened: OpenedFile, part: DevicePart) -> DevicePart:
    """Return what was read of a changed file with the launches that are looked at in the file itself."""
    if len(part.launches) == len(opened.part.launches):
        return part
    lines = {(site.kernel, site.line) for site in opened.part.launches}
    return replace(part, launches=[site for site in part.launches if (site.kernel, site.line) in lines])


def _how(site: LaunchSite) -> tuple[str, ...]:
    return ("".join(site.block_text.split()), *site.template_arguments)


def other_instances(kernel: KernelFile) -> Iterator[tuple[str, ...]]:
    """Yield the template arguments with another type, if the launch counts bytes of shared memory in a type of its own.

    For these types they may be too few: `2 * side * side * sizeof(float)` for tiles of double.
    """
    site = kernel.site
    function = function_around(site.node) if site is not None else None
    if site is None or function is None or not 0 < len(site.template_arguments) == len(kernel.template_arguments):
        return
    types = [at for at, each in enumerate(kernel.signature.template_parameters) if each.startswith(_OF_TYPES)]
    behind = names_behind(site.syntax, site.shared_text)
    if "sizeof" not in behind or len(types) != 1 or site.template_arguments[types[0]] in behind:
        return
    code, own = code_only(kernel.opened.file.text), kernel.template_arguments
    for name in names_made(site.syntax)[function.id]:
        made = dict.fromkeys(re.findall(rf"\b{re.escape(name)}\s*<\s*(\w+)\s*[,>][^;(]*\(", code))
        for each in made:
            if each not in own and dtype_of(each) is not None:
                yield (*own[: types[0]], each, *own[types[0] + 1 :])
