"""A trace as JSON and back; docs/trace.md describes each field."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tilewright import __version__
from tilewright.call.files.errors import FileError
from tilewright.call.files.opened import read_text
from tilewright.choose.printable import printable_json
from tilewright.emulate.observers import Finding

from .arrays import UNKNOWN, Number, TracedArray
from .marks import marks_of
from .steps import ADD, ARRIVE, GIVE, LOAD, OPEN, STORE, WAIT, Step, Traffic
from .subject import Subject, TraceError
from .trace import BlockTrace, Trace

FORMAT, VERSION = "tilewright-trace", 1
MOST_BYTES = 1 << 30
"""The largest trace file that is read."""


def document_of(trace: Trace) -> dict[str, Any]:
    """Return a trace as plain data."""
    return {
        "format": FORMAT,
        "version": VERSION,
        **frame_of(trace.subject, trace.wrong, trace.schedule, trace.fault),
        "recorded": {
            "threads": trace.selection.threads and [list(thread) for thread in trace.selection.threads],
            "phases": trace.selection.phases and list(trace.selection.phases),
            "cut": trace.cut,
        },
        "arrays": [_array(trace, number, array) for number, array in enumerate(trace.arrays)],
        "sums": trace.sums,
        "blocks": [_block(trace, block) for block in trace.blocks],
        "findings": _findings(trace),
        "counts": dict(trace.counts),
        "beside": _beside(trace),
        "notes": list(trace.notes),
    }


def frame_of(subject: Subject, wrong: int | None, schedule: str, fault: str) -> dict[str, Any]:
    """Return what the documents of traces and pipelines say alike of the kernel, the problem and the launch."""
    sizes = None if subject.product is None else subject.product.sizes
    return {
        "made_by": f"tilewright {__version__}",
        "kernel": {
            "name": subject.name,
            "entry": subject.stand.entry,
            "file": subject.listing.file,
            "source": subject.listing.text,
            "headers": dict(subject.listing.headers),
        },
        "problem": {
            "operation": subject.operation,
            "m": sizes and sizes.rows,
            "n": sizes and sizes.cols,
            "k": sizes and sizes.inner,
            "scalars": dict(subject.scalars),
            "tile": subject.tile,
            "wrong_elements": wrong,
        },
        "launch": {
            "grid": list(subject.geometry.grid),
            "block": list(subject.geometry.block),
            "shared_bytes": subject.geometry.shared_bytes,
            "schedule": schedule,
            "fault": fault,
        },
    }


def text_of(document: dict[str, Any]) -> str:
    """Return a document as JSON, a line per step."""
    head = {key: value for key, value in document.items() if key != "blocks"}
    blocks = []
    for block in document["blocks"]:
        steps = ",\n".join(_json(step) for step in block["steps"])
        rest = _json({key: value for key, value in block.items() if key != "steps"})
        blocks.append(f'{rest[:-1]},"steps":[\n{steps}\n]}}')
    return f'{_json(head)[:-1]},\n"blocks":[{",".join(blocks)}]}}\n'


def read_json(path: Path) -> Any:
    """Read a trace, and check nothing but that it is JSON.

    Raises:
        TraceError: it is not.
    """
    try:
        return json.loads(read_text(path, MOST_BYTES), parse_float=_finite, parse_constant=_finite)
    except FileError as error:
        raise TraceError(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise TraceError(f"{path} is no trace: it is no JSON.") from error


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is no number of JSON")
    return value


def _json(value: object) -> str:
    return printable_json(json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False))


def _array(trace: Trace, number: int, array: TracedArray) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": array.name,
        "space": array.space,
        "shape": list(array.shape),
        "type": "bits" if array.dtype is None else str(array.dtype.names[0] if array.dtype.names else array.dtype),
    }
    if array.space == "shared":
        found["at"] = array.first_address
    for key, contents in (("before", trace.before), ("after", trace.after)):
        if number in contents:
            found[key] = [_plain(value) for value in contents[number]]
    return found


def _block(trace: Trace, block: BlockTrace) -> dict[str, Any]:
    replay = Replay(trace)
    threads = int(math.prod(trace.subject.geometry.block))
    steps = []
    phase = 0
    for step, traffic in zip(block.steps, block.traffic, strict=True):
        found = _step(step, traffic, replay, threads)
        if step.phase != phase:
            found["p"] = phase = step.phase
        steps.append(found)
    return {"block": list(block.block), "steps": steps}


def _step(step: Step, traffic: Traffic, replay: Replay, threads: int) -> dict[str, Any]:
    whole = (1 << min(32, threads - 32 * step.warp)) - 1
    is_traced_back = any(step.sources) and (step.kind == ADD or replay.is_shared(step) or step.is_copy)
    everything = {
        "k": step.kind,
        "w": step.warp if step.warp >= 0 else None,
        "l": step.line,
        "m": step.lanes if step.warp >= 0 and step.lanes != whole else None,
        "a": step.array if step.elements and step.kind != GIVE else None,
        "e": runs_of(step.elements) or None,
        "n": step.count if step.count > 1 else None,
        "f": [_sources(factor) for factor in step.sources] if is_traced_back else None,
        "c": 1 if step.is_copy else None,
        "g": 1 if step.is_mixed else None,
        "v": None if replay.foretells(step) else [_plain(value) for lane in step.values for value in lane],
        "q": step.sum or None,
    }
    if step.kind in (WAIT, ARRIVE, OPEN):
        everything |= {"b": step.barrier, "x": step.expected}
    return {key: value for key, value in everything.items() if value is not None} | _costs(traffic)


def _sources(factor: Sequence[tuple[int, int]]) -> list[int | list[int]]:
    return [[index, element] if element else index for index, element in factor]


def _costs(traffic: Traffic) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if traffic.sectors:
        found["s"] = traffic.sectors
    if traffic.wavefronts:
        found["u"] = [traffic.wavefronts, traffic.ideal]
    if traffic.lanes:
        found["y"] = [traffic.bank, *(list(lanes) for lanes in traffic.lanes)]
    return found


def runs_of(elements: Sequence[int]) -> list[int]:
    """Return runs of equal steps as start, step and length each: 0 1 2 3 8 9 becomes [0, 1, 4, 8, 1, 2]."""
    found: list[int] = []
    at = 0
    while at < len(elements):
        step = elements[at + 1] - elements[at] if at + 1 < len(elements) else 0
        end = at + 1
        while end < len(elements) and elements[end] - elements[end - 1] == step:
            end += 1
        found += [elements[at], step if end - at > 1 else 0, end - at]
        at = end
    return found


class Replay:
    """The arrays' contents as a block's steps alone determine them; values that follow from it are not written."""

    def __init__(self, trace: Trace) -> None:
        self._arrays = trace.arrays
        self._cells: dict[tuple[int, int], Number] = {}
        self._loaded: list[dict[int, list[Number]]] = []
        for number, contents in trace.before.items():
            self._cells.update({(number, element): value for element, value in enumerate(contents)})

    def is_shared(self, step: Step) -> bool:
        """Return whether a step accesses shared memory."""
        return step.array != UNKNOWN and self._arrays[step.array].space == "shared"

    def foretells(self, step: Step) -> bool:
        """Return whether a step's values follow from the steps before it, and replay the step."""
        values = dict(zip(step.lane_numbers, step.values, strict=True)) if step.values else {}
        places = dict(zip(step.lane_numbers, step.elements, strict=True)) if step.elements else {}
        known = True
        if step.kind == LOAD and places:
            known = all(
                _same(value, self._cells.get((step.array, places[lane] + at)))
                for lane, found in values.items()
                for at, value in enumerate(found)
            )
        elif step.kind == STORE and places:
            known = (
                step.is_copy
                and step.count == 1
                and all(_same(found[0], self._source(step, lane)) for lane, found in values.items())
            )
            for lane, found in values.items():
                self._cells.update({(step.array, places[lane] + at): value for at, value in enumerate(found)})
        elif step.kind == ADD or values:
            known = False
        self._loaded.append(values if step.kind == LOAD else {})
        return known

    def _source(self, step: Step, lane: int) -> Number:
        """Return the value of a lane's copy: the last one it loaded from the sources, or 0 if it loaded none."""
        for index, element in sorted(step.sources[0], reverse=True):
            if lane in self._loaded[index]:
                return self._loaded[index][lane][element]
        return 0


def _same(value: Number, other: Number | None) -> bool:
    if other is None:
        return False
    return value == other or (value != value and other != other)  # noqa: PLR0124  (NaN)


def _plain(value: Number) -> Number | str:
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        if value.is_integer() and abs(value) < 1 << 53:
            return int(value)
    return value


def _findings(trace: Trace) -> list[dict[str, Any]]:
    return [
        finding_of(trace.subject, finding)
        | {"at": [[block, step, list(lanes)] for block, step, lanes in marks_of(trace, finding)]}
        for finding in trace.findings
    ]


def finding_of(subject: Subject, finding: Finding) -> dict[str, Any]:
    """Return a finding as plain data, with lines of the listing and without the steps where it happens."""
    return {
        "kind": finding.kind,
        "severity": finding.severity,
        "line": subject.listing.line(finding.place),
        "other_line": subject.listing.line(finding.other),
        "message": finding.message,
        "advice": finding.advice,
        "address": finding.address,
        "times": finding.times,
        "threads": [[list(block), list(thread)] for block, thread in finding.threads],
        "at": [],
    }


def _beside(trace: Trace) -> dict[str, Any] | None:
    beside = trace.beside
    if beside is None:
        return None
    return {
        "kernel": beside.kernel,
        "tile": beside.tile,
        "global_loads": beside.global_loads,
        "curves": [list(curve) for curve in beside.curves],
        "curve_of": list(beside.curve_of),
    }
