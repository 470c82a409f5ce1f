"""Reads of shared memory that nobody wrote, of which no result depends: with any number there, all are right.

So it is where each thread of a tile computes a sum, and those outside of the result do not store theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.other_instances import of_other_text
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.check.statuses import RIGHT
from tilewright.lab.source import CompileError, SourceError
from tilewright.lab.source.changes import Bounds
from tilewright.lab.source.variants import ChangeableKernel

from .verdicts import UNINITIALISED, Judgement

NOT_A_NUMBER, LARGE = "(0.0f / 0.0f)", "1000003"
"""What is put there: of numbers with a fraction, and of whole ones."""
NOTE = "note"


def without_unused_reads(
    kernel: KernelFile, found: Found, judgement: Judgement, judged: Callable[[KernelFile], Judgement]
) -> Judgement:
    """Return the judgement of a right kernel with its reads of unwritten shared elements as notes, if they are unused.

    judged: returns the judgement of the kernel with other text. A number in place of what the guards leave must end
    the reads, and be in no result.
    """
    errors = [each for each in judgement.findings if each.severity == ERROR]
    is_shared = all(each.kind == UNINITIALISED and each.details.get("space") == "shared" for each in errors)
    if not errors or not is_shared or any(shape.status != RIGHT for shape in judgement.shapes):
        return judgement
    number = NOT_A_NUMBER if found.dtypes["C"].kind == "f" else LARGE
    try:
        own = ChangeableKernel(
            kernel.opened.file, kernel.signature, Bounds(), list(kernel.constants), kernel.template_arguments
        )
        text = own.filled_with(number)
        is_filled = text != kernel.opened.file.text
        filled = of_other_text(kernel.opened, kernel.signature, text) if is_filled else None
        other = judged(KernelFile(*filled, kernel.options)) if filled is not None else None
    except (CompileError, SourceError):
        return judgement
    if other is None or other.failing or any(shape.status != RIGHT for shape in other.shapes):
        return judgement
    return replace(judgement, findings=_as_notes(judgement.findings), failing=[])


def _as_notes(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, with the errors as notes that say that nothing depends on them."""
    unused = "No result depends on it: with another number there, all are the same"
    return [
        replace(each, severity=NOTE, message=f"{each.message} {unused}.") if each.severity == ERROR else each
        for each in findings
    ]
