"""Locates the observers' findings in a trace: the steps, and the lanes involved.

An observer reports the first occurrence; here every step is found that does the same at the same lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilewright.emulate.observers import Finding

from .arrays import UNKNOWN, TracedArray
from .steps import LOAD, OPEN, WAIT, Step
from .trace import BlockTrace, Trace

Mark = tuple[int, int, tuple[int, ...]]
"""A block of the trace, a step of it, and the lanes."""


@dataclass(frozen=True)
class _Access:
    """One lane's access. place: step and position in its lists. epoch: barriers that the thread had reached before."""

    step: int
    lane: int
    thread: int
    line: int | None
    is_read: bool
    epoch: int


def marks_of(trace: Trace, finding: Finding) -> list[Mark]:
    """Return the steps at which a finding occurs, in order."""
    found: list[Mark] = []
    for number, block in enumerate(trace.blocks):
        for step, lanes in sorted(_lanes_by_step(trace, block, finding).items()):
            found.append((number, step, tuple(sorted(lanes))))
    return found


def _lanes_by_step(trace: Trace, block: BlockTrace, finding: Finding) -> dict[int, set[int]]:
    listing = trace.subject.listing
    lines = {listing.line(finding.place), *([listing.line(finding.other)] if finding.other else [])}
    here = [(index, step) for index, step in enumerate(block.steps) if step.line in lines]
    if finding.kind == "race" and finding.details.get("same_block"):
        return _racing(block.steps, trace.arrays, lines, int(bool(finding.details.get("same_warp"))))
    found: dict[int, set[int]] = defaultdict(set)
    for index, step in here:
        lanes = set(_involved(trace, block, index, step, finding))
        if lanes:
            found[index] |= lanes
    return found


def _involved(trace: Trace, block: BlockTrace, index: int, step: Step, finding: Finding) -> Iterator[int]:
    """Return the lanes of a step at a finding's line that do what it describes."""
    traffic = block.traffic[index]
    match finding.kind:
        case "bank conflict":
            yield from (lane for word in traffic.lanes for lane in word)
        case "uncoalesced":
            yield from step.lane_numbers if traffic.sectors > 1 else ()
        case "out of bounds":
            size = _size(trace.arrays, step)
            inside = (element >= 0 and element + step.count <= size for element in step.elements)
            yield from (lane for lane, fits in zip(step.lane_numbers, inside, strict=False) if not fits)
        case "barrier not reached":
            is_there = any(where == block.block for where, _ in finding.threads)
            is_left = not trace.fault or all(later.kind != OPEN for later in block.steps[index:])
            yield from step.lane_numbers if step.kind == WAIT and is_there and is_left else ()
        case _:
            yield from _named(trace, block, step, finding)


def _named(trace: Trace, block: BlockTrace, step: Step, finding: Finding) -> Iterator[int]:
    """Return the lanes that access the element that the finding names, or else those of the threads that it names."""
    if finding.address and step.elements:
        for lane, element in zip(step.lane_numbers, step.elements, strict=True):
            if finding.address in (name_of(trace.arrays[step.array], element + i) for i in range(step.count)):
                yield lane
        return
    x, y, _ = trace.subject.geometry.block
    threads = {t[0] + x * (t[1] + y * t[2]) for where, t in finding.threads if where == block.block}
    yield from (lane for lane in step.lane_numbers if 32 * step.warp + lane in threads)


def _size(arrays: Sequence[TracedArray], step: Step) -> int:
    if step.array == UNKNOWN:
        return 1 << 62
    return arrays[step.array].nbytes // arrays[step.array].itemsize


def name_of(array: TracedArray, element: int) -> str:
    """Return `A[1][2]` for a flat index."""
    indices = []
    for extent in reversed(array.shape[1:]):
        indices.append(element % extent)
        element //= extent
    return array.name + "".join(f"[{index}]" for index in [element, *reversed(indices)])


def _racing(
    steps: Sequence[Step], arrays: Sequence[TracedArray], lines: set[int | None], within_warp: int
) -> dict[int, set[int]]:
    """Return the accesses at two lines to one element by different threads with no barrier between them.

    within_warp: whether lanes of one warp count as well; the lanes of a single instruction do not race with its reads.
    """
    by_element: dict[tuple[int, int, int], list[_Access]] = defaultdict(list)
    epochs: dict[int, int] = defaultdict(int)
    for index, step in enumerate(steps):
        for place, lane in enumerate(step.lane_numbers if step.warp >= 0 else ()):
            thread = 32 * step.warp + lane
            if step.kind == WAIT:
                epochs[thread] += 1
            elif step.array != UNKNOWN and arrays[step.array].space == "shared" and step.line in lines:
                access = _Access(index, lane, thread, step.line, step.kind == LOAD, epochs[thread])
                for element in range(step.elements[place], step.elements[place] + step.count):
                    by_element[step.array, element, access.epoch].append(access)
    found: dict[int, set[int]] = defaultdict(set)
    for accesses in by_element.values():
        for second in accesses:
            for first in accesses:
                if first.step < second.step and _races(first, second, within_warp):
                    found[second.step].add(second.lane)
                    found[first.step].add(first.lane)
    return found


def _races(first: _Access, second: _Access, within_warp: int) -> bool:
    if first.thread == second.thread or (first.is_read and second.is_read):
        return False
    return bool(within_warp) or first.thread // 32 != second.thread // 32
