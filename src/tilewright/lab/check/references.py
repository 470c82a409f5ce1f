"""Calls the caller's reference function in this process, for a check that runs in a child process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from threading import RLock
from typing import TYPE_CHECKING, Any

from tilewright.lab.limited import Conversation, LimitReachedError

from .options import CheckError
from .report.records import result_of
from .report.result import CheckResult, with_refused_as_notes
from .statuses import NOT_REACHED

if TYPE_CHECKING:
    from numpy.typing import NDArray


Progress = Callable[[int, int], None]
Reference = Callable[[Mapping[str, Any]], Any]
"""Takes all given values by name; `other_inputs.Reference` is one."""
_ONE_AT_A_TIME = RLock()
"""Files may be checked in parallel, but a caller's function need not be thread-safe."""


class CheckConversation(Conversation):
    """Forwards a check's progress, and calls the reference function."""

    def __init__(self, reference: Reference | None, progress: Progress | None) -> None:
        self._reference, self._progress = reference, progress
        self._judged: list[dict[str, Any]] = []

    def told(self, what: Any) -> None:
        """Forward the launches done and their total; keep the verdicts on kernels that others follow."""
        if isinstance(what, dict):
            self._judged.append(what)
        if self._progress is not None and isinstance(what, list) and len(what) == 2:
            done, everything = (number if isinstance(number, int) else 0 for number in what)
            self._progress(done, everything)

    def so_far(self, error: LimitReachedError) -> list[CheckResult]:
        """Return the verdicts that came before a limit, and one that says so of the rest; raise it where none came."""
        if not self._judged:
            raise error
        after, left = str(self._judged[-1]["next"]), int(self._judged[-1]["left"])
        more = (
            f" and {left - 1:,} more kernels were" if left > 2 else " and one more kernel were" if left == 2 else " was"
        )
        said = f"{str(error)[:1].upper()}{str(error)[1:]}; {after}{more} not judged."
        rest = CheckResult("", after, refusal=said, pending=NOT_REACHED)
        return [*with_refused_as_notes([result_of(each["judged"]) for each in self._judged]), rest]

    def asked(self, what: Any, arrays: Mapping[str, NDArray[Any]]) -> tuple[object, Mapping[str, NDArray[Any]]]:
        """Return the function's results as arrays, with their form; or the reason why there are none."""
        if self._reference is None or not isinstance(what, dict):
            return super().asked(what, arrays)
        try:
            with _ONE_AT_A_TIME, redirect_stdout(sys.stderr):  # standard output has the results
                return _arrays_of(self._reference({**arrays, **what}))
        except CheckError as error:
            return {"refusal": str(error)}, {}


def _arrays_of(returned: Any) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    """Return the form of a function's result, and its arrays by name or number."""
    if returned is None:
        raise CheckError("The reference returns None, and an array, a tuple of arrays or a dict of arrays is accepted.")
    if isinstance(returned, dict):
        return {"form": "dict"}, {str(name): _array_of(value, f" for {name}") for name, value in returned.items()}
    values = returned if isinstance(returned, tuple) else (returned,)
    return {"form": "tuple"}, {str(number): _array_of(value, "") for number, value in enumerate(values)}


def _array_of(value: Any, whose: str) -> NDArray[Any]:
    import numpy

    try:
        array = numpy.atleast_1d(numpy.asarray(value))
    except (TypeError, ValueError, RuntimeError) as error:
        raise CheckError(f"The reference returns no array{whose}: {error}.") from error
    if array.dtype.kind not in "biuf":
        raise CheckError(f"The reference returns {array.dtype} of shape {array.shape}{whose}; numbers are accepted.")
    return array
