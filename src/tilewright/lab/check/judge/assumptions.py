"""What a kernel was judged as, and under which assumptions, as notes of the report."""

from __future__ import annotations

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.promises import Promise
from tilewright.lab.check.find.zeroed import adds_atomically, says_added, zeroing_line
from tilewright.lab.check.kinds import KINDS


def assumed(kernel: KernelFile, found: Found, promise: Promise) -> list[str]:
    """Return notes on what the kernel was judged as, and under which assumptions."""
    name, notes = kernel.signature.name, []
    if promise.is_note:
        notes.append(f"{name} is held to {promise.said}.")
    if found.roles.operation in KINDS:
        notes.append(f"{name} was judged as {found.roles.product}.")
    if found.roles.transposed:
        notes.append(f"C is {found.roles.product.partition(', ')[2]}, and {name} was judged as that.")
    if line := zeroing_line(kernel, found):
        notes.append(f"C holds zeros before each launch, as the file's cudaMemset of line {line} has it.")
    elif adds_atomically(kernel, found):
        sign = KINDS[found.roles.operation].sign if found.roles.operation in KINDS else 0
        holds = {0: "zeros", 1: "the least numbers", -1: "the largest numbers"}[sign]
        does = "changes" if sign else "adds into"
        notes.append(f"C holds {holds} before each launch: {name} {does} it with atomics.")
    elif says_added(kernel.opened.file.text):
        notes.append("C holds zeros before each launch: a comment says that the product is added to it.")
    if isinstance(found.rule, FormulaLaunch) and found.rule.is_guess:
        notes.append(f"The file has no launch of {name}; {found.rule.said} was guessed.")
    return notes
