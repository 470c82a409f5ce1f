"""A check from Python: the kernels of a file, here and now, with arrays and functions as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy

from tilewright.choose import notebook

from .options import CheckError, options_of
from .result import CheckResult
from .verdict_words import verdict

Progress = Callable[[int, int], None]


class CheckResults(tuple[CheckResult, ...]):
    """The results of a file's kernels, in its order; notebooks show them as tables."""

    __slots__ = ()

    def is_well(self, *, strict: bool = False) -> bool:
        """Say whether all is well with every kernel (strict: notes count, too)."""
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
    progress: Progress | None = None,
    **options: Any,
) -> CheckResults:
    """Check the kernels of a CUDA C++ file on the emulator, in this process: right or wrong, races, faults, accesses.

    Args:
        path: the file, as it is.
        arrays: of a kernel that is no product: what its pointers hold, by the parameters' names, in their types.
        scalars: its other arguments, by name.
        expect: what arrays should hold in the end, by name.
        reference: instead, a function that takes what is given by name and returns that, or "file.py:function".
        seed: of the inputs, and of sizes that the file cannot guess.
        progress: told of the launches done, of so many.
        options: fields of tilewright.lab.check.options.Options: symbol, operation, arguments, block, grid,
            shared_bytes, defines, template_arguments, multiples_of, zero_output.

    Raises:
        CheckError, SourceError, CompileError: there is nothing to check, in a sentence. What keeps one kernel of
            several from being checked is its result's `refusal`.
    """
    chosen = options_of(options, seed)
    if not arrays and not scalars and not expect and reference is None:
        from .judging import check_file

        return CheckResults(check_file(path, chosen, progress=progress))
    from .other_inputs import reference_of
    from .other_kinds import check_other

    if bool(expect) == (reference is not None):
        raise CheckError("A kernel of another kind is judged against expect={'C': array} or reference=function.")
    return CheckResults(
        check_other(
            path,
            chosen,
            arrays={name: numpy.asarray(array) for name, array in (arrays or {}).items()},
            scalars=scalars or {},
            expect={name: numpy.asarray(array) for name, array in expect.items()} if expect else None,
            reference=None if reference is None else reference_of(reference),
            progress=progress,
        )
    )
