"""Records a kernel of a user's file in a child process with limits; the request and the document are plain data."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy

from tilewright.lab.check.child import AskedReference
from tilewright.lab.check.options import CheckError, Options, options_of_record
from tilewright.lab.check.references import CheckConversation
from tilewright.lab.limited import LimitedError, Limits, run_limited
from tilewright.lab.limited.messages import MessageError
from tilewright.lab.limited.task import done_or_raised, with_refusals
from tilewright.lab.pipeline.record import is_pipeline, record_pipeline
from tilewright.lab.trace.document import document_of
from tilewright.lab.trace.naming import subject_named
from tilewright.lab.trace.other_subject import Given
from tilewright.lab.trace.record import record
from tilewright.lab.trace.subject import TraceError
from tilewright.lab.trace.trace import Extent, Selection

from .reading import checked_document

if TYPE_CHECKING:
    from tilewright.lab.limited.messages import Message
    from tilewright.lab.limited.task import Parent


TASK = "tilewright.lab.watch.of_file:watch_file"
ARRAY, EXPECTED = "array ", "expected "
"""Prefixes of arrays' names in a message; the parameter's name follows."""


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


def watch_file(request: Message, parent: Parent) -> dict[str, Any]:
    """Run a file's kernel and return the trace's document."""
    asked = request.value
    options = options_of_record(asked["options"])
    selection = Selection(
        blocks=_extents(asked["blocks"]),
        threads=_extents(asked["threads"]),
        phases=asked["phases"] and tuple(asked["phases"]),
    )

    def work() -> dict[str, Any]:
        subject = subject_named(
            asked["kernel"],
            asked["size"] and tuple(asked["size"]),
            options=options,
            given=_given(request, parent),
        )
        seed = asked["schedule_seed"]
        if is_pipeline(subject):
            return record_pipeline(subject, selection, schedule_seed=seed)
        return document_of(record(subject, selection, schedule_seed=seed))

    return with_refusals(work)


def _extents(given: list[list[int]] | None) -> tuple[Extent, ...] | None:
    return None if given is None else tuple((x, y, z) for x, y, z in given)


def _given(request: Message, parent: Parent) -> Given:
    given, arrays = request.value["given"], request.arrays
    expected = {name.removeprefix(EXPECTED): a for name, a in arrays.items() if name.startswith(EXPECTED)}
    shapes = {name: tuple(shape) for name, shape in given["shapes"].items()}
    return Given(
        arrays=shapes | {name.removeprefix(ARRAY): a for name, a in arrays.items() if name.startswith(ARRAY)},
        results={name: tuple(shape) for name, shape in given["results"].items()},
        scalars=given["scalars"],
        expect=expected or None,
        reference=AskedReference(parent) if given["reference"] else None,
    )
