"""Records a kernel of a user's file in a child process; the request and the document are plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright.lab.check.child import AskedReference
from tilewright.lab.check.options import options_of_record
from tilewright.lab.limited.refusals import with_refusals
from tilewright.lab.trace.document import document_of
from tilewright.lab.trace.naming import subject_named
from tilewright.lab.trace.other_subject import Given
from tilewright.lab.trace.record import record
from tilewright.lab.trace.trace import Extent, Selection

if TYPE_CHECKING:
    from tilewright.lab.limited.messages import Message
    from tilewright.lab.limited.task import Parent

TASK = "tilewright.lab.watch.task:watch_file"
ARRAY, EXPECTED = "array ", "expected "
"""Prefixes of arrays' names in a message; the parameter's name follows."""


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
        return document_of(record(subject, selection, schedule_seed=asked["schedule_seed"]))

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
