"""Finds how a kernel's grid depends on its sizes, by observing which elements of C the first blocks write.

A kernel without a launch is run with four blocks of a guessed shape, all sizes equal. The part of C that block (0, 0)
writes, and the offsets from it to the parts of (1, 0) and (0, 1), give the grid. The guess is right if the parts
neither overlap nor leave holes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.emulate.emulator import MAX_SHARED_BYTES
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, SHARED
from tilewright.emulate.observers.observer import EventRecorder
from tilewright.lab.check.run.execution import Argument, Geometry, Outcome, Pointer, Stand

from .block_shapes import Block
from .launches import FormulaLaunch

SIDE = 144
"""All sizes of a probe: 9 x 16, so that no power of two from 32 on divides a row."""
LARGE_SIDE, LARGEST_SIDE = 272, 1040
"""The size where a block's part covers more than half of SIDE: tiles of 128, and rows of up to 512."""
MOST_STORES = 40_000
BUDGET = 6_000_000
DYNAMIC_ROOM_BYTES = 48 << 10

Elements = NDArray[numpy.int64]
Step = tuple[int, int] | None


@dataclass(frozen=True)
class Probe:
    """A kernel that can be run before its roles are known.

    stand: compiles it with all sizes that are constants set to one value. arguments: their number. pointers:
    positions and types of its arrays. factors: positions of floating-point numbers; all others are sizes.
    strides_grid: whether it uses gridDim. is_dynamic: whether it takes dynamic shared memory.
    """

    stand: Callable[[int], Stand]
    arguments: int
    pointers: Mapping[int, numpy.dtype[Any]]
    factors: frozenset[int]
    strides_grid: bool = False
    is_dynamic: bool = False


@dataclass(frozen=True)
class Coverage:
    """The blocks' parts of C. c: the position of the pointer that is written. side: of C, in elements.

    parts: the elements that blocks (0, 0), (1, 0) and (0, 1) write. is_once: whether no two threads of a block write
    the same element. shared_bytes: the dynamic shared memory used.
    """

    c: int
    side: int
    parts: tuple[Elements, Elements, Elements]
    is_once: bool
    shared_bytes: int = 0
    is_stopped: bool = False


def see(probe: Probe, block: Block, side: int = SIDE) -> Coverage | None:
    """Run four blocks and return what they write; None if they write nothing."""
    room = 2 * side * side + 4096
    arrays = {i: numpy.zeros(room, dtype) for i, dtype in probe.pointers.items()}
    arguments: list[Argument] = []
    for i in range(probe.arguments):
        if i in arrays:
            arguments.append(Pointer(str(i), arrays[i]))
        else:
            arguments.append(1.0 if i in probe.factors else side)
    stores = EventRecorder(MOST_STORES, ev.mask(ev.STORE, ev.ATOMIC), ev.mask(GLOBAL))
    shared = EventRecorder(MOST_STORES, ev.mask(ev.STORE, ev.ATOMIC), ev.mask(SHARED))
    stand = probe.stand(side)
    free = MAX_SHARED_BYTES - stand.static_shared_bytes
    geometry = Geometry((2, 2, 1), block, max(0, min(free, DYNAMIC_ROOM_BYTES if probe.is_dynamic else 4096)))
    observers = [stores, shared] if probe.is_dynamic else [stores]
    outcome = stand.run(arguments, geometry, budget=BUDGET, observers=observers)
    if outcome.refusal or stores.dropped:
        return None
    rows = stores.rows
    if probe.strides_grid and len(rows):
        rows = rows[rows[:, ev.TRIP] == 0]
    written = _by_pointer(probe, rows, outcome, room)
    if not written:
        return None
    c = max(written, key=lambda i: len(written[i][1]))
    blocks, elements, threads = written[c]
    parts = tuple(numpy.unique(elements[blocks == number]) for number in (0, 1, 2))
    return Coverage(
        c,
        side,
        (parts[0], parts[1], parts[2]),
        _is_once(blocks, elements, threads, len(parts[0])),
        _dynamic_bytes(stand, shared) if probe.is_dynamic else 0,
        outcome.fault is not None,
    )


def _by_pointer(
    probe: Probe, rows: NDArray[numpy.int64], outcome: Outcome, room: int
) -> dict[int, tuple[Elements, Elements, Elements]]:
    """Return blocks, elements and threads of the stores into each array."""
    lanes = (rows[:, ev.LANES, None] >> numpy.arange(32)) & 1 == 1
    blocks = numpy.broadcast_to(rows[:, ev.BLOCK, None], lanes.shape)
    threads = rows[:, ev.WARP_IN_BLOCK, None] * 32 + numpy.arange(32)
    addresses = rows[:, ev.ADDRESSES : ev.ADDRESSES + 32]
    found: dict[int, tuple[Elements, Elements, Elements]] = {}
    for i, dtype in probe.pointers.items():
        first, last = outcome.addresses[str(i)], outcome.addresses[str(i)] + room * dtype.itemsize
        inside = lanes & (addresses >= first) & (addresses < last)
        if not inside.any():
            continue
        wide = numpy.maximum(rows[:, ev.NBYTES] // dtype.itemsize, 1)
        taken: list[tuple[Elements, Elements, Elements]] = []
        for offset in range(int(wide.max())):
            here = inside & (wide > offset)[:, None]
            taken.append((blocks[here], (addresses[here] - first) // dtype.itemsize + offset, threads[here]))
        joined = [numpy.concatenate(columns) for columns in zip(*taken, strict=True)]
        found[i] = joined[0], joined[1], joined[2]
    return found


def _is_once(blocks: Elements, elements: Elements, threads: Elements, count: int) -> bool:
    first = blocks == 0
    return len(numpy.unique(numpy.stack([elements[first], threads[first]]), axis=1).T) == count


def _dynamic_bytes(stand: Stand, shared: EventRecorder) -> int:
    """Return how many bytes past the static shared arrays were written."""
    rows = shared.rows
    if not len(rows):
        return 0
    lanes = (rows[:, ev.LANES, None] >> numpy.arange(32)) & 1 == 1
    ends = rows[:, ev.ADDRESSES : ev.ADDRESSES + 32] + rows[:, ev.NBYTES, None]
    return max(0, int(ends[lanes].max(initial=0)) - stand.static_shared_bytes)


def launches_seen(probe: Probe, block: Block, operation: str) -> Iterator[FormulaLaunch]:
    """Yield launches with this block and grids derived from its stores; `covers` says whether they cover C."""
    coverage = see(probe, block)
    if coverage is None:
        return
    for side in (LARGE_SIDE, LARGEST_SIDE):
        if not coverage.is_stopped and _is_too_wide(coverage, side):
            coverage = see(probe, block, side) or coverage
    shared = _shared_formula(probe, block, coverage)
    for stride, rows, cols in _readings(coverage.side, operation):
        for grid in dict.fromkeys(_grids(coverage, stride, rows, cols, block)):
            yield FormulaLaunch(
                ",".join(map(str, block if block[2] > 1 else block[:2] if block[1] > 1 else block[:1])),
                grid,
                shared,
                is_guess=True,
                c=coverage.c,
                covers=not coverage.is_stopped and coverage.is_once,
            )


def _readings(side: int, operation: str) -> list[tuple[int, str, str]]:
    """Return possible row lengths of C, each with the names of its rows and columns."""
    if operation == "reduced_matmul":
        return [(side // 2, "rows/2", "cols/2"), (side, "rows/2", "cols/2")]
    return [(side, "rows", "cols")]


def _is_too_wide(coverage: Coverage, side: int) -> bool:
    """Return whether a larger side would show more: a neighbour writes nothing, and no block writes all of C."""
    first, *others = coverage.parts
    if not len(first):
        return False
    columns = numpy.unique(first % coverage.side)
    rows = numpy.unique(first // coverage.side)
    is_all = len(columns) == len(rows) == coverage.side
    return (not is_all or side == LARGE_SIDE) and any(not len(part) for part in others)


@dataclass(frozen=True)
class _Reading:
    """The blocks' stores, interpreted as elements of rows of `stride`. rows, cols: C's sides, as in formulas.

    threads: of a block. first: the elements of block (0, 0). right, below: the offsets of its neighbours' elements.
    """

    stride: int
    rows: str
    cols: str
    threads: int
    first: Elements
    others: tuple[Elements, Elements]
    right: Step
    below: Step

    @property
    def height(self) -> int:
        """The number of rows that the first block writes."""
        return len(numpy.unique(self.first // self.stride))

    @property
    def width(self) -> int:
        """The number of columns that the first block writes."""
        return len(numpy.unique(self.first % self.stride))


def _grids(coverage: Coverage, stride: int, rows: str, cols: str, block: Block) -> Iterator[str]:
    """Yield grids under which the blocks' parts of C neither overlap nor leave holes."""
    first, right, below = coverage.parts
    if not len(first) or first[0] != 0 or first[-1] >= stride * stride:
        return
    steps = _step(first, right, stride), _step(first, below, stride)
    reading = _Reading(stride, rows, cols, block[0] * block[1] * block[2], first, (right, below), *steps)
    moving = [axis for axis in (0, 1) if steps[axis] not in (None, (0, 0))]
    if len(moving) == 2:
        yield from _grids_of_two(reading)
    elif moving:
        yield from _grids_of_one(reading, moving[0])
    else:
        yield from _grids_of_none(reading)


def _grids_of_none(reading: _Reading) -> Iterator[str]:
    """Yield grids for neighbours that write the same elements as the first block, or none."""
    rows, cols, threads = reading.rows, reading.cols, reading.threads
    has_idle = reading.right is None or reading.below is None
    if len(reading.first) == reading.stride**2:
        if has_idle:  # one block was enough for these sizes
            yield from (f"ceil({rows}/{threads})", f"ceil({cols}/{threads})")
        yield "1"
    elif len(reading.first) == reading.stride == reading.width and has_idle:  # a vector
        yield _count(f"{rows}*{cols}", threads)


def _grids_of_two(reading: _Reading) -> Iterator[str]:
    """Yield the grid if x and y count rows and columns, or columns and rows."""
    assert reading.right is not None
    assert reading.below is not None
    (xr, xc), (yr, yc) = reading.right, reading.below
    if xr == 0 and yc == 0 and len(reading.first) == xc * yr:
        yield f"{_count(reading.cols, xc)},{_count(reading.rows, yr)}"
    elif xc == 0 and yr == 0 and len(reading.first) == xr * yc:
        yield f"{_count(reading.rows, xr)},{_count(reading.cols, yc)}"


def _grids_of_one(reading: _Reading, axis: int) -> Iterator[str]:
    """Yield grids along one axis, whose blocks count rows, columns, elements or tiles."""
    step, other = (reading.right, reading.below)[axis], (reading.right, reading.below)[1 - axis]
    assert step is not None
    (down, across), stride, first = step, reading.stride, reading.first
    before = "1," if axis == 1 else ""
    size, height, width = len(first), reading.height, reading.width
    if other is None:  # its step is at least a side
        if down == 0 and height == stride:
            yield f"{before}{_count(reading.cols, across)}"
        elif across == 0 and width == stride:
            lines, of_rows = f"ceil({reading.cols}/{reading.threads})", _count(reading.rows, down)
            yield f"{lines},{of_rows}" if axis == 1 else f"{of_rows},{lines}"
    elif down == 0 and height == stride and size == stride * across:
        yield f"{before}{_count(reading.cols, across)}"
    elif across == 0 and width == stride and size == stride * down:
        yield f"{before}{_count(reading.rows, down)}"
    elif size == first[-1] + 1 == down * stride + across or _is_flat_by_columns(first, reading.others[axis], stride):
        yield f"{before}{_count(f'{reading.rows}*{reading.cols}', size)}"
        if height == 1:
            yield f"{before}{_count(reading.cols, width)}*{reading.rows}"
    elif size == height * width and (across == width or down == height):
        yield f"{before}{_count(reading.rows, height)}*{_count(reading.cols, width)}"


def _step(first: Elements, other: Elements, stride: int) -> tuple[int, int] | None:
    """Return a neighbour's offset in rows and columns; (0, 0) for the same elements, None if it writes nothing."""
    if not len(other):
        return None
    down, across = divmod(int(other[0] - first[0]), stride)
    is_apart = (down, across) == (0, 0) or not len(numpy.intersect1d(first, other, assume_unique=True))
    return (down, across) if is_apart else (-1, -1)


def _is_flat_by_columns(first: Elements, other: Elements, stride: int) -> bool:
    """Return whether the blocks' elements follow each other in column-major order."""

    def counted(elements: Elements) -> Elements:
        return numpy.sort(elements % stride * stride + elements // stride)

    one, two = counted(first), counted(other)
    return len(one) == one[-1] + 1 and int(two[0]) == len(one)


def _count(size: str, step: int) -> str:
    if step == 1:
        return size
    return f"ceil({size}/{step})"


def _shared_formula(probe: Probe, block: Block, coverage: Coverage) -> str:
    """Return the dynamic shared memory in bytes, as a formula of `inner` if it grows with the sizes."""
    if not probe.is_dynamic:
        return "0"
    other = see(probe, block, 2 * coverage.side)
    if other is None or other.shared_bytes == coverage.shared_bytes:
        return str(coverage.shared_bytes)
    slope = (other.shared_bytes - coverage.shared_bytes) / coverage.side
    rest = coverage.shared_bytes - slope * coverage.side
    return f"{slope:g}*inner" + (f"+{rest:g}" if rest else "")
