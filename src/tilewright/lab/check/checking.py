"""`tilewright.check`: checks the kernels of a file from Python, with arrays and functions of the caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.choose import notebook
from tilewright.lab.limited import LimitedError, Limits, default_memory_bytes
from tilewright.lab.limited.messages import KINDS

from .child import ARRAY, EXPECTED
from .options import CheckError, options_of
from .references import CheckConversation, Progress
from .report.result import CheckResult
from .report.verdict_words import verdict


class CheckResults(tuple[CheckResult, ...]):
    """The results of a file's kernels, in the file's order; notebooks show them as tables."""

    __slots__ = ()

    def is_well(self, *, strict: bool = False) -> bool:
        """Return whether every kernel is right and has no errors (strict: and no notes)."""
        return all(result.is_well(strict=strict) for result in self)

    def __str__(self) -> str:
        """Return a line for each kernel."""
        return "\n".join(f"{result.file}: {result.kernel}: {verdict(result)}" for result in self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the tables of each kernel."""
        return notebook.together(*(result._repr_html_() for result in self))


def check(
    path: str | Path,
    *,
    arrays: Mapping[str, Any] | None = None,
    scalars: Mapping[str, int | float] | None = None,
    expect: Mapping[str, Any] | None = None,
    reference: str | Callable[..., Any] | None = None,
    seed: int = 0,
    time_limit_seconds: float = 300.0,
    memory_limit_bytes: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> CheckResults:
    """Check the kernels of a CUDA C++ file on the emulator: right or wrong, races, faults, accesses.

    The file is read, compiled and run in a child process with limits, so it cannot harm this one.

    Args:
        path: the CUDA C++ file.
        arrays: for a kernel that is not a product: the contents of its pointers, by parameter name and in its type.
        scalars: its other arguments, by name.
        expect: the arrays' expected contents after the launch, by name.
        reference: instead of expect: a function of the given arrays and scalars, by name, that returns the expected
            arrays, or "file.py:function". It is called in this process.
        seed: of the inputs, and of the randomly chosen sizes.
        time_limit_seconds: of the whole check.
        memory_limit_bytes: None for a quarter of the machine's memory.
        progress: called with the number of launches done and their total.
        options: fields of tilewright.lab.check.options.Options: symbol, operation, arguments, block, grid,
            shared_bytes, defines, template_arguments, multiples_of, zero_output.

    Raises:
        CheckError, SourceError, CompileError: there is nothing to check, or a limit was reached. If only some kernels
            cannot be checked, the reason is in their result's `refusal`.
    """
    from .course import check_in_child
    from .other_inputs import reference_of

    chosen = options_of(options, seed)
    limits = Limits(time_limit_seconds, memory_limit_bytes or default_memory_bytes())
    is_other = bool(arrays or scalars or expect or reference is not None)
    if is_other and bool(expect) == (reference is not None):
        raise CheckError("A kernel of another kind is judged against expect={'C': array} or reference=function.")
    numbers = {n: each.item() if isinstance(each, numpy.generic) else each for n, each in (scalars or {}).items()}
    given = {"are_files": False, "scalars": numbers, "reference": reference is not None}
    named = _arrays(arrays or {}, ARRAY) | _arrays(expect or {}, EXPECTED)
    conversation = CheckConversation(None if reference is None else reference_of(reference), progress)
    try:
        results = check_in_child(
            Path(path), chosen, given if is_other else None, named, limits=limits, conversation=conversation
        )
    except LimitedError as error:
        raise CheckError(f"{path}: {error}.") from error
    return CheckResults(results)


def _arrays(given: Mapping[str, Any], kind: str) -> dict[str, NDArray[Any]]:
    """Return arrays under their names in a message; raise CheckError for arrays that are not numeric."""
    found = {f"{kind}{name}": numpy.asarray(array) for name, array in given.items()}
    for name, array in found.items():
        if array.dtype.kind not in KINDS:
            raise CheckError(f"The array for {name.removeprefix(kind)} holds {array.dtype}; numbers are accepted.")
    return found
