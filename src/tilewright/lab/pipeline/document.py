"""A recorded pipeline as plain data; docs/watch.md describes what the page shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .boxes import Matrix
from .events import AccessEvent, Event, MultiplyEvent
from .layout import layout_of
from .telling import Span, Teller

FORMAT, VERSION = "tilewright-pipeline", 1
MOST_STEPS = 4_000
"""The most steps of all blocks together: what a browser draws at once."""


def matrices_of(matrices: Sequence[Matrix]) -> list[dict[str, Any]]:
    """Return the arrays of global memory as plain data."""
    return [{"name": each.name, "type": each.dtype, "rows": each.rows, "columns": each.columns} for each in matrices]


def block_of(
    events: Sequence[Event],
    block: int,
    index: tuple[int, int, int],
    matrices: Sequence[Matrix],
    product: tuple[int, int, int] | None,
    most: int = MOST_STEPS,
) -> tuple[dict[str, Any], bool]:
    """Return a block's pipeline as plain data, and whether all of its events are in it.

    block: its linear number. index: its blockIdx. product: the numbers of A, B and C among the matrices. most: steps.
    """
    if any(isinstance(event, MultiplyEvent) for event in events):
        # Threads read results that pass through the stages, and no tiles.
        events = [event for event in events if not isinstance(event, AccessEvent) or not event.is_load]
    layout = layout_of(events, block, matrices)
    teller = Teller(block, layout, matrices, product)
    is_whole = True
    for event in events:
        if len(teller.steps) >= most:
            is_whole = False
            break
        teller.tell(event)
    if is_whole:
        teller.finish()
    names = list(layout.barriers)
    document = {
        "block": list(index),
        "lanes": [{"name": lane.name, "warps": list(lane.warps)} for lane in layout.lanes],
        "stages": [
            {
                "slots": [{"array": slot.matrix, "bytes": slot.end - slot.begin} for slot in stage.slots],
                "full": names.index(stage.full) if stage.full in names else None,
                "empty": None if stage.empty is None else names.index(stage.empty),
            }
            for stage in layout.stages
        ],
        "barriers": list(layout.barriers.values()),
        "spans": [_span(span) for span in teller.spans],
        "steps": teller.steps,
    }
    return document, is_whole


def _span(span: Span) -> dict[str, Any]:
    found: dict[str, Any] = {"w": span.lane, "r": span.row, "k": span.kind, "n": span.label, "b": span.begin}
    if span.end is not None:
        found["e"] = span.end
    if span.matrix is not None:
        found["a"] = span.matrix
    if span.barrier is not None:
        found["o"] = span.barrier
    if span.is_from_others:
        found["f"] = 1
    if span.regions:
        found["x"] = [[number, *region] for number, region in span.regions.items()]
    return found
