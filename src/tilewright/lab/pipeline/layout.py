"""Who takes part in a block's pipeline: lanes of warps, stages of shared memory with their tiles, barriers by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .boxes import Matrix, matrix_at
from .events import AccessEvent, BarrierEvent, CopyEvent, Event, MultiplyEvent

WARPS_OF_WARPGROUP = 4
ENGINE, OTHERS = "copy engine", "other blocks"


@dataclass(frozen=True)
class Lane:
    """Warps that do the same. warps: their numbers in the block; none of the copy engine and of other blocks."""

    name: str
    warps: tuple[int, ...] = ()

    @property
    def said(self) -> str:
        """As the subject of a sentence."""
        return f"The {self.name}" if self.name.isalpha() or not self.warps else self.name[0].upper() + self.name[1:]


@dataclass(frozen=True)
class Slot:
    """Where a stage holds a tile of a matrix. begin, end: offsets in shared memory."""

    matrix: int | None
    begin: int
    end: int


@dataclass(frozen=True)
class Stage:
    """Tiles that arrive together. full, empty: offsets of its barriers; empty is None if nobody waits for one."""

    slots: tuple[Slot, ...]
    full: int
    empty: int | None


@dataclass(frozen=True)
class Layout:
    """The lanes and stages of a block. barriers: names by offset, in the order of the offsets. arriving: by offset of a
    barrier, the warps that arrive there, each with its block.
    """

    lanes: tuple[Lane, ...]
    stages: tuple[Stage, ...]
    barriers: dict[int, str]
    arriving: dict[int, set[tuple[int, int]]]

    def lane_of(self, warp: int) -> int:
        """Return the number of the lane that a warp is in."""
        return next(number for number, lane in enumerate(self.lanes) if warp in lane.warps)

    def number(self, name: str) -> int:
        """Return the number of a lane by its name."""
        return next(number for number, lane in enumerate(self.lanes) if lane.name == name)


def layout_of(events: Sequence[Event], block: int, matrices: Sequence[Matrix]) -> Layout:
    """Return the layout of a block, found from what happened in it."""
    stages = _stages(events, block, matrices)
    barriers = {e.offset for e in events if isinstance(e, BarrierEvent) and e.owner == block}
    names = {offset: f"the barrier at byte {offset}" for offset in sorted(barriers)}
    for number, stage in enumerate(stages):
        names[stage.full] = f"full[{number}]"
        if stage.empty is not None:
            names[stage.empty] = f"empty[{number}]"
    arriving: dict[int, set[tuple[int, int]]] = {}
    for event in events:
        if isinstance(event, BarrierEvent) and event.owner == block and event.kind == "arrive":
            arriving.setdefault(event.offset, set()).add((event.block, event.warp))
    return Layout(tuple(_lanes(events, block)), tuple(stages), names, arriving)


def _lanes(events: Sequence[Event], block: int) -> Iterable[Lane]:
    own = [event for event in events if event.block == block]
    asking = {e.warp for e in own if isinstance(e, CopyEvent) and e.is_load and not e.has_ended}
    multiplying = {e.warp // WARPS_OF_WARPGROUP for e in own if isinstance(e, MultiplyEvent)}
    groups = [tuple(range(WARPS_OF_WARPGROUP * g, WARPS_OF_WARPGROUP * (g + 1))) for g in sorted(multiplying)]
    producers = sorted(asking - {warp for group in groups for warp in group})
    for number, warp in enumerate(producers):
        yield Lane("producer" if len(producers) == 1 else f"producer {number}", (warp,))
    yield Lane(ENGINE)
    rest = {event.warp for event in own} - set(producers) - {warp for group in groups for warp in group}
    reading = {e.warp for e in own if isinstance(e, AccessEvent)} & rest
    if not groups and reading:
        groups, rest = [tuple(sorted(reading))], rest - reading
    for number, group in enumerate(groups):
        yield Lane("consumer" if len(groups) == 1 else f"consumer {number}", group)
    for warp in sorted(rest):
        yield Lane(f"warp {warp}", (warp,))
    if any(e.block != block for e in events if isinstance(e, BarrierEvent | CopyEvent) and e.owner == block):
        yield Lane(OTHERS)


def _stages(events: Sequence[Event], block: int, matrices: Sequence[Matrix]) -> list[Stage]:
    extents: dict[int, dict[int | None, tuple[int, int]]] = {}
    awaited: dict[tuple[int, int], int] = {}
    empty: dict[int, int] = {}
    others = {e.offset for e in events if isinstance(e, BarrierEvent) and e.owner == block}
    for event in events:
        if isinstance(event, BarrierEvent) and event.kind == "pass" and event.owner == block:
            awaited[event.block, event.warp] = event.offset
        if not isinstance(event, CopyEvent) or event.barrier is None or event.owner != block or event.has_ended:
            continue
        tiles = extents.setdefault(event.barrier, {})
        matrix = matrix_at(matrices, event.box.address)
        begin, end = tiles.get(matrix, (event.offset, 0))
        tiles[matrix] = min(begin, event.offset), max(end, event.offset + event.nbytes)
        if event.block == block and (event.block, event.warp) in awaited:
            empty[event.barrier] = awaited[event.block, event.warp]
    others -= set(extents)
    in_order = dict(zip(sorted(extents), sorted(others), strict=False)) if len(others) == len(extents) else {}
    return [
        Stage(
            tuple(sorted((Slot(m, *places) for m, places in extents[full].items()), key=lambda slot: slot.begin)),
            full,
            found if (found := empty.get(full, in_order.get(full))) not in extents else None,
        )
        for full in sorted(extents)
    ]
