"""Validates a trace read from a file, since the player trusts every field."""

from __future__ import annotations

import math
from typing import Any

MOST_THREADS = 1024
MOST_ELEMENTS = 1 << 26
MOST_IN_A_STEP = 1 << 16


def fault_of(document: dict[str, Any]) -> str:
    """Return the first violation of docs/trace.md in a trace's document; empty if it is valid."""
    return (
        frame_fault(document)
        or next(filter(None, (_array_fault(array) for array in document["arrays"])), "")
        or next(filter(None, (_block_fault(block, len(document["arrays"])) for block in document["blocks"])), "")
    )


def frame_fault(document: dict[str, Any]) -> str:
    """Return what is wrong with the parts that the documents of traces and pipelines share; empty if nothing is."""
    for name, (kind, said) in _PARTS.items():
        if not isinstance(document.get(name), kind):
            return f"{name} is not {said}"
    return (
        _kernel_fault(document["kernel"])
        or _problem_fault(document["problem"])
        or _launch_fault(document)
        or next(filter(None, (_finding_fault(finding) for finding in document["findings"])), "")
    )


_PARTS: dict[str, tuple[type, str]] = {
    "made_by": (str, "a text"),
    "kernel": (dict, "an object"),
    "problem": (dict, "an object"),
    "launch": (dict, "an object"),
    "recorded": (dict, "an object"),
    "arrays": (list, "a list"),
    "blocks": (list, "a list"),
    "findings": (list, "a list"),
    "counts": (dict, "an object"),
    "notes": (list, "a list"),
}


def _kernel_fault(kernel: dict[str, Any]) -> str:
    for name in ("name", "entry", "file", "source"):
        if not isinstance(kernel.get(name), str):
            return f"the kernel's {name} is not a text"
    headers = kernel.get("headers") or {}
    is_sound = isinstance(headers, dict) and all(is_count(line) for line in headers.values())
    return "" if is_sound else "the kernel's headers are not lines by name"


def _problem_fault(problem: dict[str, Any]) -> str:
    for name in ("m", "n", "k", "tile"):
        if name not in problem or not (problem[name] is None or is_count(problem[name])):
            return f"the problem's {name} is no size"
    return "" if isinstance(problem.get("scalars", {}), dict) else "the problem's scalars are not numbers by name"


def _launch_fault(document: dict[str, Any]) -> str:
    for name in ("grid", "block"):
        extent = document["launch"].get(name)
        if not is_extent(extent) or min(extent) < 1:
            return f"the launch's {name} is not three sizes"
    if math.prod(document["launch"]["block"]) > MOST_THREADS:
        return f"the launch's block has more than {MOST_THREADS} threads"
    cut = document["recorded"].get("cut")
    if cut is not None and not isinstance(cut, str):
        return "what was left out is not a text"
    return "" if document["blocks"] else "it has no block"


def _array_fault(array: object) -> str:
    if not isinstance(array, dict) or not all(isinstance(array.get(name), str) for name in ("name", "space", "type")):
        return "an array has no name, space and type"
    shape = array.get("shape")
    if not isinstance(shape, list) or not all(map(is_count, shape)) or math.prod(shape) > MOST_ELEMENTS:
        return f"the shape of the array {array['name'][:40]} is not a few sizes"
    for name in ("before", "after"):
        values = array.get(name)
        if values is not None and not (isinstance(values, list) and len(values) == math.prod(shape)):
            return f"{name} the launch, the array {array['name'][:40]} has not as many elements as its shape"
        if values is not None and not all(_is_value(value) for value in values):
            return f"the array {array['name'][:40]} holds something that is no number"
    return ""


def _block_fault(block: object, arrays: int) -> str:
    if not isinstance(block, dict) or not is_extent(block.get("block")) or not isinstance(block.get("steps"), list):
        return "a block has no index and steps"
    if not block["steps"]:
        return "a block has no steps"
    return next(
        (f"step {n} is none: {why}" for n, s in enumerate(block["steps"]) if (why := _step_fault(s, arrays))), ""
    )


def _step_fault(step: object, arrays: int) -> str:
    if not isinstance(step, dict) or not isinstance(step.get("k"), str):
        return "it has no kind"
    for name, most in (("w", MOST_THREADS // 32 - 1), ("l", 1 << 31), ("m", (1 << 32) - 1), ("a", arrays - 1)):
        if name in step and not (is_count(step[name]) and step[name] <= most):
            return f"{name} is no number up to {most}"
    if "p" in step and not (is_count(step["p"]) and step["p"] < 1 << 31):
        return "p is no number of a phase"
    runs = step.get("e", [])
    if not isinstance(runs, list) or len(runs) % 3 or not all(type(number) is int for number in runs):
        return "e has no runs of elements"
    lengths = runs[2::3]
    if any(length < 0 for length in lengths) or sum(lengths) > MOST_IN_A_STEP or any(start < 0 for start in runs[::3]):
        return "e has runs that no step has"
    return ""


def _finding_fault(finding: object) -> str:
    if not isinstance(finding, dict) or not all(isinstance(finding.get(n), str) for n in ("kind", "message")):
        return "a finding has no kind and message"
    line = finding.get("line")
    return "" if line is None or is_count(line) else "a finding's line is no number"


def is_count(value: object) -> bool:
    """Return whether a value is a whole number from 0 on."""
    return type(value) is int and value >= 0


def is_extent(value: object) -> bool:
    """Return whether a value is a list of three counts."""
    return isinstance(value, list) and len(value) == 3 and all(is_count(each) and each < 1 << 31 for each in value)


def _is_value(value: object) -> bool:
    return value is None or (isinstance(value, int | float | str) and not isinstance(value, bool))
