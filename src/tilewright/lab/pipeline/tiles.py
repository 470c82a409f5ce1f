"""What the stages of a block hold: tiles, made of the boxes that were asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .boxes import Box, Matrix, Region, together
from .events import CopyEvent, MultiplyEvent
from .layout import Slot, Stage

EMPTY, ARRIVING, FULL, READ = "empty", "arriving", "full", "read"
Place = tuple[int, int]
"""Numbers of a stage and of a slot in it."""
Change = list[Any]
"""Of a slot: stage, slot, state, what it holds, its region, bytes that came, bytes that were asked for."""


@dataclass
class Tile:
    """What a slot holds: the boxes of it that were asked for, and how many of its bytes have come."""

    slot: Slot
    state: str = EMPTY
    boxes: list[tuple[int, Box]] = field(default_factory=list)
    asked_bytes: int = 0
    arrived_bytes: int = 0
    readers: set[int] = field(default_factory=set)


class Tiles:
    """The tiles of a block's stages."""

    def __init__(self, stages: Sequence[Stage], matrices: Sequence[Matrix]) -> None:
        self._tiles = [[Tile(slot) for slot in stage.slots] for stage in stages]
        self._matrices = matrices

    def find(self, offset: int, matrix: int | None = None) -> Place | None:
        """Return where an offset of shared memory is; of several slots, the one that holds something."""
        found = [
            (stage, slot)
            for stage, tiles in enumerate(self._tiles)
            for slot, tile in enumerate(tiles)
            if tile.slot.begin <= offset < tile.slot.end and matrix in (None, tile.slot.matrix)
        ]
        return min(found, key=lambda at: self._at(at).state == EMPTY, default=None)

    def ask(self, at: Place, event: CopyEvent) -> Change:
        """A box is on its way there: the first one after the tile was read begins another tile."""
        tile = self._at(at)
        if tile.state != ARRIVING:
            tile.boxes, tile.asked_bytes, tile.arrived_bytes = [], 0, 0
        tile.boxes.append((event.offset, event.box))
        tile.asked_bytes += event.nbytes
        return self.change(at, ARRIVING)

    def land(self, at: Place, nbytes: int) -> Change:
        """So many bytes have come."""
        self._at(at).arrived_bytes += nbytes
        return self.change(at)

    def read(self, at: Place, lane: int) -> Change:
        """A lane begins to multiply it."""
        self._at(at).readers.add(lane)
        return self.change(at, READ)

    def leave(self, at: Place, lane: int) -> list[Change]:
        """A lane has multiplied it: the last one leaves it full."""
        tile = self._at(at)
        tile.readers.discard(lane)
        return [] if tile.readers or tile.state != READ else [self.change(at, FULL)]

    def change(self, at: Place, state: str = "") -> Change:
        """Give a slot another state, if one is named, and return what it is then."""
        tile = self._at(at)
        tile.state = state or tile.state
        matrix = None if tile.slot.matrix is None else self._matrices[tile.slot.matrix]
        region = matrix and together(box.region(matrix) for _, box in tile.boxes)
        said = matrix.said(region) if matrix and region else ""
        return [*at, tile.state, said, region and list(region), tile.arrived_bytes, tile.asked_bytes]

    def change_stage(self, stage: int, state: str) -> list[Change]:
        """Give all slots of a stage another state."""
        return [self.change((stage, slot), state) for slot in range(len(self._tiles[stage]))]

    def operand(
        self, multiplies: Sequence[MultiplyEvent], *, is_a: bool
    ) -> tuple[str, Place | None, int | None, Region | None]:
        """Return what the factors of a group are called, where they are, of which matrix, and their region."""
        found: list[Region | None] = []
        at, number = None, None
        for each in multiplies:
            begin = each.a if is_a else each.b
            if begin is None:
                return "what its registers hold", None, None, None
            at = self.find(begin)
            tile = at and self._at(at)
            if not tile or tile.slot.matrix is None:
                return "shared memory", at, None, None
            number = tile.slot.matrix
            offset, box = max(
                (piece for piece in tile.boxes if piece[0] <= begin), default=(None, None), key=lambda p: p[0]
            )
            if offset is None or box is None:
                continue
            along_k, extent = (each.a_along_k, each.m) if is_a else (each.b_along_k, each.n)
            inner, outer = (each.k, extent) if along_k else (extent, each.k)
            found.append(box.part(begin - offset, inner, outer).region(self._matrices[number]))
        region = together(found)
        said = self._matrices[number].said(region) if number is not None and region else "zeros"
        return said, at, number, region

    def _at(self, place: Place) -> Tile:
        return self._tiles[place[0]][place[1]]
