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


def adds_atomically(kernel: KernelFile, found: Found) -> bool:
    """Say whether a kernel adds into C with atomics, and the file's host code, if any, fills C before the launch.

    Whoever adds that way expects zeros: without host code nothing says that they are not there.
    """
    parameter = kernel.signature.parameters[found.roles.arguments.index("C")]
    if re.search(rf"\batomicAdd\s*\([^;]*\b{parameter.name}\b", kernel.body) is None:
        return False
    if kernel.site is None or len(kernel.site.arguments) != len(found.roles.arguments):
        return True
    passed = re.escape(kernel.site.arguments[found.roles.arguments.index("C")])
    code = code_only(kernel.opened.file.text)
    copied = rf"\bcudaMemcpy(?:Async)?\s*\(\s*{passed}\s*,|\bmemset\s*\(\s*{passed}\s*,\s*0"
    set_to_0 = rf"(?:\*\s*{passed}|\b{passed}\s*\[[^\]]*\])\s*=\s*0(?:\.0*)?f?\s*;"
    return re.search(f"{copied}|{set_to_0}", code) is not None
