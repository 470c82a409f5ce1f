"""Which lanes of an access reach the same cell: 32 addresses at once."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.memory_vectors import lowest_lane
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.tables import get, put

ALL_LANES = 0xFFFFFFFF


@intrinsic
def steps_of(typing_context, addresses):  # type: ignore[no-untyped-def]
    """Compare each of 32 addresses with the one before: differs | is lower << 32. Lane 0 differs."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        values = b.load(v.address(b, arguments[0]), typ=v.vector(v.i64), align=64)
        before = b.shuffle_vector(values, values, ir.Constant(v.vector(v.i32), [0, *range(v.LANES - 1)]))
        differs = b.zext(v.to_mask(b, b.icmp_unsigned("!=", values, before)), v.i64)
        falls = b.zext(v.to_mask(b, b.icmp_unsigned("<", values, before)), v.i64)
        steps = b.or_(differs, b.shl(falls, ir.Constant(v.i64, 32)))
        return b.or_(steps, ir.Constant(v.i64, 1))

    return types.int64(types.int64), codegen


def _repetition(period: int) -> Any:
    @intrinsic
    def repeats(typing_context, addresses):  # type: ignore[no-untyped-def]
        """Say whether 32 addresses are the same ones again after `period` lanes."""

        def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
            values = b.load(v.address(b, arguments[0]), typ=v.vector(v.i64), align=64)
            turned = ir.Constant(v.vector(v.i32), [(lane + period) % v.LANES for lane in range(v.LANES)])
            differs = v.to_mask(b, b.icmp_unsigned("!=", values, b.shuffle_vector(values, values, turned)))
            return b.icmp_unsigned("==", differs, ir.Constant(v.i32, 0))

        return types.boolean(types.int64), codegen

    return repeats


repeats_16, repeats_8, repeats_4, repeats_2 = (_repetition(period) for period in (16, 8, 4, 2))


@intrinsic
def place_records(typing_context, addresses, base, shift, target):  # type: ignore[no-untyped-def]
    """Write to `target` where the records of the cells at 32 addresses are, as byte offsets."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        addresses, base, shift, target = arguments
        values = b.load(v.address(b, addresses), typ=v.vector(v.i64), align=64)
        cells = b.lshr(b.sub(values, v.splat(b, base)), v.splat(b, shift))
        b.store(b.mul(cells, v.constant(v.i64, ly.RECORD_BYTES)), v.address(b, target), align=64)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4), codegen


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
