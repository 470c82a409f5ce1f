"""Types that a file instantiates a launching template with, beside the one that its kernel is checked with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright.lab.source.macros import code_only
from tilewright.lab.source.names_behind import names_behind, names_made
from tilewright.lab.source.syntax import function_around

from .kernel_file import KernelFile


def other_instances(kernel: KernelFile) -> Iterator[str]:
    """Yield the other types, if the launch gives bytes of shared memory that are counted in a type of their own.

    For these types they may be too few: `2 * side * side * sizeof(float)` for tiles of double.
    """
    site = kernel.site
    function = function_around(site.node) if site is not None else None
    if site is None or function is None or not len(site.template_arguments) == len(kernel.template_arguments) == 1:
        return
    behind = names_behind(site.syntax, site.shared_text)
    if "sizeof" not in behind or site.template_arguments[0] in behind:
        return
    code = code_only(kernel.opened.file.text)
    for name in names_made(site.syntax)[function.id]:
        made = dict.fromkeys(re.findall(rf"\b{re.escape(name)}\s*<\s*(\w+)\s*>\s*\(", code))
        yield from (each for each in made if each not in kernel.template_arguments)
