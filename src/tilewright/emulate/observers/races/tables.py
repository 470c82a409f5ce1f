"""The race observer's tables, by address, and its 32-lane building blocks."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import emitted, inner, of_words
from tilewright.emulate.execute import events as ev
from tilewright.emulate.memory_vectors import load_s32, lowest_lane
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.tables import get, put, row_of, row_within

ALL_LANES = 0xFFFFFFFF


area_at = row_of(ly.AREAS, ly.AREA_COLUMNS)
"""The row of a piece of memory (AREA_*)."""
warp_row = row_of(ly.WARPS, ly.WARP_COLUMNS)
"""The row of a resident warp (WARP_*)."""
block_row = row_of(ly.BLOCKS, ly.BLOCK_COLUMNS)
"""The row of a resident block (BLOCK_*)."""
lane_row = row_within(ly.LANES, ly.LANE_COLUMNS, 32)
"""The row of a thread (LANE_*)."""
arrival_row = row_within(ly.ARRIVALS, ly.ARRIVAL_COLUMNS, 16)
"""The row of a block's barrier (ARRIVAL_*)."""


@inner
def neighbor_row(own: int, resident: int, serial: int) -> int:
    """Return the row where a block remembers what it knows of the block of `serial` (NEIGHBOR_*)."""
    entry = (serial >> ly.SERIAL_SHIFT) & (ly.NEIGHBORS_PER_BLOCK - 1)
    return get(own, ly.NEIGHBORS) + 8 * ly.NEIGHBOR_COLUMNS * (ly.NEIGHBORS_PER_BLOCK * resident + entry)


node_at = row_of(ly.NODES, ly.NODE_COLUMNS)
"""The row of a release (NODE_*); nodes count from 1, 0 is none."""
acquire_at = row_of(ly.ACQUIRES, ly.ACQUIRE_COLUMNS)
"""The row of an acquire (ACQUIRE_*); they count from 1."""
fence_at = row_of(ly.FENCES, ly.FENCE_COLUMNS)
"""The row of a fence (FENCE_*); they count from 1."""


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


@of_words
def raise_times(b: Builder, target: Value, source: Value) -> None:
    """Raise each of 32 times (int32) at `target` to the one at `source`, if that is later."""
    mine, theirs = _times(b, target), _times(b, source)
    latest = b.select(b.icmp_signed(">", mine, theirs), mine, theirs)
    b.store(latest, v.address(b, target), align=64)


@of_words
def set_times(b: Builder, target: Value, lanes: Value, time: Value) -> None:
    """Write `time` to the lanes of 32 times (int32)."""
    chosen = v.to_lanes(b, b.trunc(lanes, v.i32))
    value = b.select(chosen, v.splat(b, b.trunc(time, v.i32)), _times(b, target))
    b.store(value, v.address(b, target), align=64)


@of_words
def steps_of(b: Builder, addresses: Value) -> Value:
    """Compare each of 32 addresses with the one before: differs | is lower << 32. Lane 0 differs."""
    values = b.load(v.address(b, addresses), typ=v.vector(v.i64), align=64)
    before = b.shuffle_vector(values, values, ir.Constant(v.vector(v.i32), [0, *range(v.LANES - 1)]))
    differs = b.zext(v.to_mask(b, b.icmp_unsigned("!=", values, before)), v.i64)
    falls = b.zext(v.to_mask(b, b.icmp_unsigned("<", values, before)), v.i64)
    steps = b.or_(differs, b.shl(falls, ir.Constant(v.i64, 32)))
    return b.or_(steps, ir.Constant(v.i64, 1))


def _repetition(period: int) -> Any:
    @emitted(types.boolean(types.int64))
    def repeats(b: Builder, addresses: Value) -> Value:
        """Say whether 32 addresses are the same ones again after `period` lanes."""
        values = b.load(v.address(b, addresses), typ=v.vector(v.i64), align=64)
        turned = ir.Constant(v.vector(v.i32), [(lane + period) % v.LANES for lane in range(v.LANES)])
        differs = v.to_mask(b, b.icmp_unsigned("!=", values, b.shuffle_vector(values, values, turned)))
        return b.icmp_unsigned("==", differs, ir.Constant(v.i32, 0))

    return repeats


repeats_16, repeats_8, repeats_4, repeats_2 = (_repetition(period) for period in (16, 8, 4, 2))


@of_words
def place_records(b: Builder, addresses: Value, base: Value, shift: Value, target: Value) -> None:
    """Write to `target` where the records of the cells at 32 addresses are, as byte offsets."""
    values = b.load(v.address(b, addresses), typ=v.vector(v.i64), align=64)
    cells = b.lshr(b.sub(values, v.splat(b, base)), v.splat(b, shift))
    b.store(b.mul(cells, v.constant(v.i64, ly.RECORD_BYTES)), v.address(b, target), align=64)


@inner
def group_by_cell(own: int, event: int, lanes: int, base: int, shift: int) -> int:
    """Write to GROUPS where the records of each cell are, and point GROUP_LANES to who starts there; return how many.

    Lanes with ascending addresses, and lanes that repeat those of the first 16, 8, 4 or 2, are put together; any others
    come one by one, so that a cell may come several times.
    """
    left, period, repeat, halvings = lanes, 0, 1, 0
    addresses, places = event + 8 * ev.ADDRESSES, get(own, ly.GROUPS)
    if lanes == ALL_LANES:
        steps = steps_of(addresses)
        if steps >> 32 == 0:
            period = 32
        elif repeats_16(addresses):
            period, repeat, halvings = 16, 0x00010001, 1
            if repeats_8(addresses):
                period, repeat, halvings = 8, 0x01010101, 2
                if repeats_4(addresses):
                    period, repeat, halvings = 4, 0x11111111, 3
                    if repeats_2(addresses):
                        period, repeat, halvings = 2, 0x55555555, 4
            if (steps >> 32) & ((1 << period) - 1):
                period = 0
        if period == 0:
            period, halvings, left = 32, 0, ALL_LANES
        else:
            left = steps & ((1 << period) - 1)
        if left == (1 << period) - 1:
            place_records(addresses, base, shift, places)
            put(own, ly.GROUP_LANES, get(own, ly.REPEATED_LANES) + 8 * 32 * halvings)
            return period
    together_at = get(own, ly.GROUPED_LANES)
    put(own, ly.GROUP_LANES, together_at)
    count = 0
    while left:
        lane = lowest_lane(left)
        left &= left - 1
        together = 1 << lane
        if period:
            together = ((1 << min(lowest_lane(left), period)) - together) * repeat
        put(places, count, ((get(addresses, lane) - base) >> shift) * ly.RECORD_BYTES)
        put(together_at, count, together)
        count += 1
    return count
