"""Whether the file's host code fills C with zeros before the launch, as for a kernel that adds to C."""

from __future__ import annotations

import re

from tilewright.lab.source.macros import code_only

from .candidate import Found
from .kernel_file import KernelFile


def zeroing_line(kernel: KernelFile, found: Found) -> int | None:
    """Return the line of the `cudaMemset(c, 0, ...)` of the pointer that the launch passes as C, or None."""
    if kernel.site is None or len(kernel.site.arguments) != len(found.roles.arguments):
        return None
    passed = kernel.site.arguments[found.roles.arguments.index("C")]
    code = code_only(kernel.opened.file.text)
    call = re.search(rf"\bcudaMemset(?:Async)?\s*\(\s*(?:\(\s*void\s*\*\s*\)\s*)?{re.escape(passed)}\s*,\s*0\s*,", code)
    return code.count("\n", 0, call.start()) + 1 if call else None


def adds_atomically(kernel: KernelFile, found: Found) -> bool:
    """Return whether a kernel adds to C with atomics, and so expects it to hold zeros.

    If the file has host code, that must fill C before the launch.
    """
    parameter = kernel.signature.parameters[found.roles.arguments.index("C")]
    if re.search(rf"\batomic\w*\s*\([^;]*\b{re.escape(parameter.name)}\b", kernel.body) is None:
        return False
    if kernel.site is None or len(kernel.site.arguments) != len(found.roles.arguments):
        return True
    passed = re.escape(kernel.site.arguments[found.roles.arguments.index("C")])
    code = code_only(kernel.opened.file.text)
    copied = rf"\bcudaMemcpy(?:Async)?\s*\(\s*{passed}\s*,|\bmemset\s*\(\s*{passed}\s*,\s*0"
    set_to_0 = rf"(?:\*\s*{passed}|\b{passed}\s*\[[^\]]*\])\s*=\s*0(?:\.0*)?f?\s*;"
    return re.search(f"{copied}|{set_to_0}", code) is not None
