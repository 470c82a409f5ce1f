"""Which small change of a kernel makes the results of the file's own `main` equal to its own reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.changed_stands import changed_stands
from tilewright.lab.check.find.kernel_file import KernelFile, OpenedFile
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.program.host_types import UnreadError
from tilewright.lab.check.program.launching import Kernels
from tilewright.lab.check.program.program import Ran, run_main
from tilewright.lab.check.program.trying import Tried, compared
from tilewright.lab.check.run.deadline import Deadline
from tilewright.lab.check.run.execution import Stand
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.source import CompileError, CudaFile, SourceError
from tilewright.lab.source.changes import Bounds, Change
from tilewright.lab.source.instances import is_name_of
from tilewright.lab.source.variants import ChangeableKernel

from .causes import CAUSE

BATCH, MOST_CHANGES = 40, 240
SECONDS, SECONDS_OF_A_RUN = 15.0, 2.0
"""Of the processor: in all, and for a run of the program with a changed kernel."""


class _Changed(Kernels):
    """The kernels of a file, of which one is changed."""

    def __init__(self, file: CudaFile, name: str, stand: Stand) -> None:
        super().__init__(file)
        self.emulator, self._name, self._stand = stand.emulator, name, stand
        self._modules[()] = stand.module

    def entry(self, name: str, line: int, arguments: tuple[str, ...]) -> tuple[Any, str]:  # noqa: ARG002
        """Return the changed kernel; another one of the file as it is in the same module."""
        if name == self._name:
            return self._stand.module, self._stand.entry
        found = [each for each in self._stand.module.kernels if is_name_of(each, name)]
        if len(found) != 1 or arguments:
            raise UnreadError(f"the kernel {name}")
        return self._stand.module, found[0]

    def reset(self) -> None:
        """Set the file's variables to what they begin as."""
        self._stand.reset()
        self.instructions = 0


def cause_in_program(opened: OpenedFile, options: Options, file: CudaFile, tried: Tried) -> Finding | None:
    """Return the finding that names the line where one change makes all results right, or None if none is found.

    Of a kernel whose parameters are taken apart here, no text is left that the program could launch.
    """
    launched = list(dict.fromkeys(each.kernel for each in reversed(tried.ran.launches)))
    if opened.file.text != file.text:
        return None
    deadline = Deadline(SECONDS)
    searches = []
    for name in launched:
        signature = next((each for each in opened.kernels if each.name == name), None)
        if signature is not None:
            kernel = KernelFile(opened, signature, replace(options, template_arguments=()))
            searches.append(_causes_in(kernel, file, tried, deadline))
    for found in chain.from_iterable(zip_longest(*searches)):  # a batch of each kernel in turn
        if found is not None:
            return found
    return None


def _causes_in(kernel: KernelFile, file: CudaFile, tried: Tried, deadline: Deadline) -> Iterator[Finding | None]:
    """Yield the cause in a kernel; None behind each batch of changes that do not mend it."""
    try:
        constants = list(kernel.constants)
        own = ChangeableKernel(kernel.opened.file, kernel.signature, Bounds(), constants, kernel.template_arguments)
        changes = sorted(own.changes(), key=lambda change: change.doubt)[:MOST_CHANGES]
        for start in range(0, len(changes), BATCH):
            for change, stand in changed_stands(kernel, own, changes[start : start + BATCH], {}):
                if deadline.is_over:
                    return
                changed = _Changed(file, kernel.signature.name, stand)
                changed.reset()
                if _is_right(run_main(file, changed, tried.arguments, tried.values, SECONDS_OF_A_RUN)):
                    yield _finding(change, file.name)
            yield None
    except (CheckError, CompileError, SourceError):
        return


def _finding(change: Change, file: str) -> Finding:
    says = f"{change.says[0].upper()}{change.says[1:]}, all results that `main` compares are right."
    advice = "See whether that is what is meant; what is found below follows from it."
    last = change.last_line if change.last_line != change.line else change.next_line
    other = (file, last) if last and last != change.line else None
    return Finding(CAUSE, ERROR, (file, change.line), says, advice, other=other, details={"change": change.says})


def _is_right(ran: Ran) -> bool:
    seen = compared(ran)
    is_ended = ran.status is not None or ran.is_too_long
    return is_ended and not ran.found and seen.wrong is None and seen.count > 0
