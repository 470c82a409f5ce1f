"""Compiles changed copies of a kernel, many at once, and fills them with a problem's numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tilewright.lab.check.run.execution import Stand
from tilewright.lab.source.changes import Change, Edit
from tilewright.lab.source.variants import ChangeableKernel

from .kernel_file import KernelFile


def changed_stands(
    kernel: KernelFile, own: ChangeableKernel, changes: Sequence[Change], values: Mapping[str, int]
) -> Iterator[tuple[Change, Stand]]:
    """Yield each change that compiles, with the changed kernel."""
    known = kernel.constants
    edits = [
        Edit(known[name].start, known[name].end, str(value))
        for name, value in values.items()
        if name in known and name not in kernel.size_variables
    ]
    defines = kernel.defines | {name: str(value) for name, value in values.items() if name in kernel.size_constants}
    compiled = own.compiled(changes, defines, edits)
    if not compiled.entries:
        return
    shared = Stand(compiled.ptx, next(iter(compiled.entries.values())))
    for change in changes:  # the likeliest first, whatever the order of the PTX
        if change in compiled.entries:
            yield change, kernel.filled(shared.beside(compiled.entries[change]), values)
