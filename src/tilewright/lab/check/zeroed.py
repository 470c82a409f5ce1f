"""Whether the file's host code fills C with zeros before the launch, as for a kernel that adds into it."""

from __future__ import annotations

import re

from tilewright.lab.source.lexing import code_only

from .candidate import Found
from .kernel_file import KernelFile


def zeroing_line(kernel: KernelFile, found: Found) -> int | None:
    """Return the line of the `cudaMemset(c, 0, ...)` of what the launch passes as C, or None where there is none."""
    if kernel.site is None or len(kernel.site.arguments) != len(found.roles.arguments):
        return None
    passed = kernel.site.arguments[found.roles.arguments.index("C")]
    code = code_only(kernel.opened.file.text)
    call = re.search(rf"\bcudaMemset(?:Async)?\s*\(\s*(?:\(\s*void\s*\*\s*\)\s*)?{re.escape(passed)}\s*,\s*0\s*,", code)
    return code.count("\n", 0, call.start()) + 1 if call else None
