"""Validates a pipeline read from a file, since the player trusts every field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tilewright.lab.trace.sound import frame_fault, is_count, is_extent

MOST_ROWS = 256


def fault_of(document: dict[str, Any]) -> str:
    """Return what the player could not show of a pipeline's document; empty if it is valid."""
    fault = frame_fault(document)
    if fault:
        return fault
    arrays = document["arrays"]
    if not all(_has(array, name=str, rows=int, columns=int) for array in arrays):
        return "an array has no name, rows and columns"
    if min((min(array["rows"], array["columns"]) for array in arrays), default=1) < 1:
        return "an array is empty"
    cluster = document["launch"].get("cluster")
    if not is_extent(cluster):
        return "the launch's cluster is not three sizes"
    return _first(_block_fault(block, len(arrays)) for block in document["blocks"])


def _first(faults: Iterable[str]) -> str:
    return next(filter(None, faults), "")


def _has(value: object, **kinds: type) -> bool:
    return isinstance(value, dict) and all(type(value.get(name)) is kind for name, kind in kinds.items())


def _block_fault(block: object, arrays: int) -> str:
    if not _has(block, block=list, lanes=list, stages=list, barriers=list, spans=list, steps=list):
        return "a block lacks lanes, stages, barriers, spans or steps"
    assert isinstance(block, dict)
    lanes, barriers, stages = len(block["lanes"]), len(block["barriers"]), block["stages"]
    if not is_extent(block["block"]) or not all(isinstance(name, str) for name in block["barriers"]):
        return "a block has no index, or barriers without a name"
    if not all(_has(lane, name=str, warps=list) and all(map(is_count, lane["warps"])) for lane in block["lanes"]):
        return "a lane has no name and warps"
    for stage in stages:
        if not _has(stage, slots=list) or not all(_is_slot(slot, arrays) for slot in stage["slots"]):
            return "a stage has no slots of arrays"
        if any(stage.get(name) is not None and not _is_below(stage[name], barriers) for name in ("full", "empty")):
            return "a stage has a barrier that is none"
    slots = [len(stage["slots"]) for stage in stages]
    return _first(_step_fault(step, lanes, barriers, slots) for step in block["steps"]) or _first(
        _span_fault(span, lanes, arrays, len(block["steps"])) for span in block["spans"]
    )


def _is_below(value: object, most: int) -> bool:
    return type(value) is int and 0 <= value < most


def _is_slot(slot: object, arrays: int) -> bool:
    return isinstance(slot, dict) and (slot.get("array") is None or _is_below(slot["array"], arrays))


def _step_fault(step: object, lanes: int, barriers: int, slots: list[int]) -> str:
    if not _has(step, k=str, t=str) or not isinstance(step, dict) or not _is_below(step.get("w"), lanes):
        return "a step has no kind, lane and sentence"
    if not (step.get("l") is None or is_count(step["l"])):
        return "a step's line is no number"
    states, changes = step.get("b", []), step.get("s", [])
    if not isinstance(states, list) or not isinstance(changes, list) or (step.get("e") and not states):
        return "a step's changes are not lists"
    if not all(isinstance(b, list) and len(b) == 5 and _is_below(b[0], barriers) for b in states):
        return "a step changes a barrier that is none"
    is_sound = all(
        isinstance(s, list) and len(s) == 7 and _is_below(s[0], len(slots)) and _is_below(s[1], slots[s[0]])
        for s in changes
    )
    return "" if is_sound else "a step changes a slot that is none"


def _span_fault(span: object, lanes: int, arrays: int, steps: int) -> str:
    if not _has(span, k=str, n=str) or not isinstance(span, dict):
        return "a span has no kind and label"
    if not _is_below(span.get("w"), lanes) or not _is_below(span.get("r"), MOST_ROWS):
        return "a span is on no lane"
    if not _is_below(span.get("b"), steps) or not ("e" not in span or _is_below(span["e"], steps)):
        return "a span begins or ends at no step"
    regions = span.get("x", [])
    is_sound = isinstance(regions, list) and all(
        isinstance(region, list) and len(region) == 5 and all(map(is_count, region)) and region[0] < arrays
        for region in regions
    )
    return "" if is_sound else "a span's region is none of an array"
