"""Records a kernel of a user's file in a child process with limits."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy

from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.references import CheckConversation
from tilewright.lab.limited import LimitedError, Limits, run_limited
from tilewright.lab.limited.messages import MessageError
from tilewright.lab.limited.refusals import done_or_raised
from tilewright.lab.trace.document import checked_document
from tilewright.lab.trace.other_subject import Given
from tilewright.lab.trace.subject import TraceError
from tilewright.lab.trace.trace import Selection

from .task import ARRAY, EXPECTED, TASK


def document_of_file(
    path: str,
    size: tuple[int, int, int] | None,
    selection: Selection,
    schedule_seed: int | None,
    options: Options,
    given: Given,
    *,
    limits: Limits,
) -> dict[str, Any]:
    """Return the document of a file's kernel that ran in a child process.

    Raises:
        TraceError: it cannot be recorded, or a limit was reached. Also the errors of subject_named.
    """
    shapes = {name: list(array) for name, array in given.arrays.items() if isinstance(array, tuple)}
    arrays = {f"{ARRAY}{name}": array for name, array in given.arrays.items() if not isinstance(array, tuple)}
    arrays |= {f"{EXPECTED}{name}": array for name, array in (given.expect or {}).items()}
    request = {
        "kernel": path,
        "size": size,
        "blocks": selection.blocks,
        "threads": selection.threads,
        "phases": selection.phases,
        "schedule_seed": schedule_seed,
        "options": asdict(options),
        "given": {
            "shapes": shapes,
            "results": given.results,
            "scalars": {name: plain_number(number) for name, number in given.scalars.items()},
            "reference": given.reference is not None,
        },
    }
    conversation = CheckConversation(given.reference, None)
    try:
        answer = run_limited(TASK, request, arrays, what="the run", limits=limits, conversation=conversation)
        return checked_document(done_or_raised(answer), path)
    except LimitedError as error:
        raise TraceError(f"{path}: {error}.") from error
    except MessageError as error:
        raise CheckError(str(error)) from error


def plain_number(number: Any) -> Any:
    """Return a number as Python's own."""
    return number.item() if isinstance(number, numpy.generic) else number
