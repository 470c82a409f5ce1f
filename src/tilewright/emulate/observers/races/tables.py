"""The race observer's tables, by address, and its 32-lane building blocks."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import inner
from tilewright.emulate.memory_vectors import load_s32
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.tables import get


@inner
def area_at(own: int, area: int) -> int:
    """Return the row of a piece of memory (AREA_*)."""
    return get(own, ly.AREAS) + 8 * ly.AREA_COLUMNS * area


@inner
def warp_row(own: int, warp: int) -> int:
    """Return the row of a resident warp (WARP_*)."""
    return get(own, ly.WARPS) + 8 * ly.WARP_COLUMNS * warp


@inner
def block_row(own: int, resident: int) -> int:
    """Return the row of a resident block (BLOCK_*)."""
    return get(own, ly.BLOCKS) + 8 * ly.BLOCK_COLUMNS * resident


@inner
def lane_row(own: int, warp: int, lane: int) -> int:
    """Return the row of a thread (LANE_*)."""
    return get(own, ly.LANES) + 8 * ly.LANE_COLUMNS * (32 * warp + lane)


@inner
def arrival_row(own: int, resident: int, barrier: int) -> int:
    """Return the row of a block's barrier (ARRIVAL_*)."""
    return get(own, ly.ARRIVALS) + 8 * ly.ARRIVAL_COLUMNS * (16 * resident + barrier)


@inner
def neighbor_row(own: int, resident: int, serial: int) -> int:
    """Return the row where a block remembers what it knows of the block of `serial` (NEIGHBOR_*)."""
    entry = (serial >> ly.SERIAL_SHIFT) & (ly.NEIGHBORS_PER_BLOCK - 1)
    return get(own, ly.NEIGHBORS) + 8 * ly.NEIGHBOR_COLUMNS * (ly.NEIGHBORS_PER_BLOCK * resident + entry)


@inner
def node_at(own: int, node: int) -> int:
    """Return the row of a release (NODE_*); nodes count from 1, 0 is none."""
    return get(own, ly.NODES) + 8 * ly.NODE_COLUMNS * node


@inner
def acquire_at(own: int, acquire: int) -> int:
    """Return the row of an acquire (ACQUIRE_*); they count from 1."""
    return get(own, ly.ACQUIRES) + 8 * ly.ACQUIRE_COLUMNS * acquire


@inner
def fence_at(own: int, fence: int) -> int:
    """Return the row of a fence (FENCE_*); they count from 1."""
    return get(own, ly.FENCES) + 8 * ly.FENCE_COLUMNS * fence


@inner
def known_row(own: int, warp: int, lane: int) -> int:
    """Return where 32 times (int32) say what a lane knows of the others of its warp."""
    return get(own, ly.KNOWN) + 128 * (32 * warp + lane)


@inner
def known_time(row: int, lane: int) -> int:
    """Return one of 32 times."""
    return load_s32(row + 4 * lane)


def _times(b: Builder, address: Value) -> Value:
    return b.load(v.address(b, address), typ=v.vector(v.i32), align=64)


@intrinsic
def raise_times(typing_context, target, source):  # type: ignore[no-untyped-def]
    """Raise each of 32 times (int32) at `target` to the one at `source`, if that is later."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        target, source = arguments
        mine, theirs = _times(b, target), _times(b, source)
        latest = b.select(b.icmp_signed(">", mine, theirs), mine, theirs)
        b.store(latest, v.address(b, target), align=64)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 2), codegen


@intrinsic
def set_times(typing_context, target, lanes, time):  # type: ignore[no-untyped-def]
    """Write `time` to the lanes of 32 times (int32)."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        target, lanes, time = arguments
        chosen = v.to_lanes(b, b.trunc(lanes, v.i32))
        value = b.select(chosen, v.splat(b, b.trunc(time, v.i32)), _times(b, target))
        b.store(value, v.address(b, target), align=64)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 3), codegen
