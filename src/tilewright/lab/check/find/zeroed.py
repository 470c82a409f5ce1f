"""Whether the file's host code fills C with zeros before the launch, as for a kernel that adds to C."""

from __future__ import annotations

import re

from tilewright.lab.check.kinds import KINDS
from tilewright.lab.source import LaunchSite
from tilewright.lab.source.macros import code_only, comments_only
from tilewright.lab.source.syntax import function_around

from .candidate import Found
from .described_launch import is_described
from .kernel_file import KernelFile
from .own_memory import object_left

HARMLESS = {
    "cudaMalloc",
    "cudaMallocManaged",
    "cudaMallocAsync",
    "cudaFree",
    "free",
    "sizeof",
    "printf",
    "if",
    "while",
}
"""What leaves the memory behind a pointer as it is."""
_C = r"(?:\[\w+\])?"
_ADDED = re.compile(
    rf"\b(?P<c>[A-Z]\w*){_C} ?(?:\+= ?[A-Z]|:?= ?(?P=c){_C} ?\+ ?[A-Z]|:?= ?[A-Z][^=;\n]*\+ ?(?P=c)\b(?!'))"
)
_NUMBER, _ZERO = re.compile(r"[-+]?\.?\d[\w.]*"), re.compile(r"[-+]?(?:0[xX])?0*\.?0*(?:[eE]\d+)?[fFuUlL]*")


def zeroing_line(kernel: KernelFile, found: Found) -> int | None:
    """Return the line of the `cudaMemset(c, 0, ...)` of the pointer that the launch passes as C, or None."""
    if kernel.site is None or len(kernel.site.arguments) != len(found.roles.arguments):
        return None
    passed = kernel.site.arguments[found.roles.arguments.index("C")]
    code = code_only(kernel.opened.file.text)
    call = re.search(rf"\bcudaMemset(?:Async)?\s*\(\s*(?:\([\w\s]+\*\s*\)\s*)?{re.escape(passed)}\s*,\s*0\s*,", code)
    return code.count("\n", 0, call.start()) + 1 if call else None


def allocating_line(kernel: KernelFile, found: Found) -> int | None:
    """Return the line of the `cudaMalloc(&c, ...)` of the pointer that the launch passes as C, or None.

    Of an object that allocates when it is made, it is the line of its declaration.
    """
    site = kernel.site
    if site is None or len(site.arguments) != len(found.roles.arguments) or is_described(kernel.opened):
        return None
    passed = site.arguments[found.roles.arguments.index("C")]
    code = code_only(kernel.opened.file.text)
    calls = [call.start() for call in allocated(passed).finditer(code)]
    before = [at for at in calls if code.count("\n", 0, at) < site.line]
    if not before and site.syntax.text == kernel.opened.file.text and (made := object_left(site, passed)) is not None:
        before = [made]
    return code.count("\n", 0, before[-1]) + 1 if before else None


def adds_atomically(kernel: KernelFile, found: Found) -> bool:
    """Return whether a kernel adds to C with atomics, and so expects it to hold zeros.

    If the file's host code shows how it makes C, it must fill it before the launch. What happens to C where that is not
    to be seen, in a function for example, is in the kernel's favour.
    """
    parameter = kernel.signature.parameters[found.roles.arguments.index("C")]
    if re.search(rf"\batomic\w*\s*\([^;]*\b{re.escape(parameter.name)}\b", kernel.body) is None:
        return False
    site = kernel.site
    if site is None or len(site.arguments) != len(found.roles.arguments) or is_described(kernel.opened):
        return True
    given = site.arguments[found.roles.arguments.index("C")]
    passed = re.escape(given)
    code = code_only(kernel.opened.file.text)
    copied = rf"\bcudaMemcpy(?:Async)?\s*\(\s*{passed}\s*,|\bmemset\s*\(\s*{passed}\s*,\s*0"
    if re.search(copied, code) is not None or _is_set_by_another(kernel, site, given, code):
        return True
    return _is_set(found, passed, _host_code(kernel, code)) or not _is_left(kernel, site, given)


def says_added(text: str) -> bool:
    """Return whether a comment says that a product is added to what C holds: `C += A * B`, `C = C + A * B`."""
    return _ADDED.search(re.sub(r"[ \t]+", " ", comments_only(text))) is not None


def _is_set(found: Found, passed: str, code: str) -> bool:
    """Return whether the host assigns to the elements of a pointer what a sum or an extreme can begin with.

    A sum begins at 0, no other number; what a name stands for may be that, and an extreme begins anywhere.
    """
    is_extreme = found.roles.operation in KINDS and KINDS[found.roles.operation].sign != 0
    for match in re.finditer(rf"(?:\*\s*{passed}|\b{passed}\s*\[[^\]]*\])\s*=(?!=)\s*(?P<value>[^;=]+)", code):
        value = match["value"].strip()
        before = code[: match.start()].rstrip()
        if match[0][0] == "*" and re.search(r"[\w>]$", before) and not before.endswith("else"):
            continue  # declares the pointer: `float* c = nullptr`
        if is_extreme or _NUMBER.fullmatch(value) is None or _ZERO.fullmatch(value) is not None:
            return True
    return False


def _host_code(kernel: KernelFile, code: str) -> str:
    """Return code without the file's kernels, whose parameters may be called as the host's pointers are."""
    lines = code.split("\n")
    for each in kernel.opened.kernels:
        lines[each.line - 1 : each.last_line] = [""] * (each.last_line - each.line + 1)
    return "\n".join(lines)


def _is_left(kernel: KernelFile, site: LaunchSite, passed: str) -> bool:
    """Return whether the host allocates a pointer, and gives it to nothing before the launch that could fill it."""
    end, function = site.node.start_byte, function_around(site.node)
    code = site.syntax.code[:end]
    if function is not None and allocated(passed).search(own := code[function.start_byte :]):
        code = own  # elsewhere the name may be another array's
    if allocated(passed).search(code) is None:
        return object_left(site, passed) is not None
    harmless = {*HARMLESS, *(each.name for each in kernel.opened.kernels)}
    for match in re.finditer(rf"\b{re.escape(passed)}\b", code):
        called = called_around(code[: match.start()])
        if called and called not in harmless and not called.isupper():  # CHECK(...) and the like
            return False
    return True


def allocated(passed: str) -> re.Pattern[str]:
    """Return the pattern of what allocates the array of a pointer."""
    return re.compile(rf"\bcudaMalloc\w*\s*\(\s*(?:\([^()]*\)\s*)?&\s*{re.escape(passed)}\b")


def called_around(before: str) -> str:
    """Return the name of the innermost function whose arguments a text ends in, or ""."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        if before[at] in ";{}":
            return ""
        depth += (before[at] == ")") - (before[at] == "(")
        if depth < 0:
            name = re.search(r"(\w*)\s*$", before[:at])
            return name[1] if name else ""
    return ""


def _is_set_by_another(kernel: KernelFile, own: LaunchSite, passed: str, code: str) -> bool:
    """Return whether another kernel of the file, launched before, sets the elements of this pointer to a number."""
    lines = code.split("\n")
    for site in kernel.opened.part.launches:
        if site.line >= own.line or passed not in site.arguments:
            continue
        for other in kernel.opened.kernels:
            if other.name != site.kernel or len(other.parameters) != len(site.arguments):
                continue
            name = re.escape(other.parameters[site.arguments.index(passed)].name)
            body = "\n".join(lines[other.line - 1 : other.last_line])
            is_set = rf"(?:\b{name}\s*\[[^;=]*\]|\*\s*{name})\s*=\s*(?:\(\s*\w+\s*\)\s*)?\d[\d.]*f?\s*;"
            if re.search(is_set, body):
                return True
    return False
