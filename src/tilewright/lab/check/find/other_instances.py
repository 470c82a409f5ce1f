"""Types that a file instantiates a launching template with, beside the one that its kernel is checked with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright.lab.check.element_types import dtype_of
from tilewright.lab.source.macros import code_only
from tilewright.lab.source.names_behind import names_behind, names_made
from tilewright.lab.source.syntax import function_around

from .kernel_file import KernelFile

_OF_TYPES = ("typename", "class")


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
