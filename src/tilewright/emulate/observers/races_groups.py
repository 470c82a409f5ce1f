"""Which lanes of an access reach the same cell: 32 addresses at once."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tilewright.emulate import events as ev
from tilewright.emulate import vectors as v
from tilewright.emulate.compiled import inner
from tilewright.emulate.memory_vectors import lowest_lane
from tilewright.emulate.observers import races_layout as ly
from tilewright.emulate.tables import get, put
from tilewright.emulate.vectors import Builder, Value

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


@inner
def group_lanes(own: int, event: int, lanes: int, base: int, shift: int) -> int:
    """Write a pair for each cell to GROUPS, where its records are and which lanes start there; return how many.

    Lanes with ascending addresses, and lanes that repeat those of the first 16, 8, 4 or 2, are put together; any others
    come one by one, so that a cell may come several times.
    """
    left, period, repeat = lanes, 0, 1
    addresses, group = event + 8 * ev.ADDRESSES, get(own, ly.GROUPS)
    if lanes == ALL_LANES:
        steps = steps_of(addresses)
        if steps >> 32 == 0:
            period = 32
        elif repeats_16(addresses):
            period, repeat = 16, 0x00010001
            if repeats_8(addresses):
                period, repeat = 8, 0x01010101
                if repeats_4(addresses):
                    period, repeat = 4, 0x11111111
                    if repeats_2(addresses):
                        period, repeat = 2, 0x55555555
            if (steps >> 32) & ((1 << period) - 1):
                period = 0
        if period:
            left = steps & ((1 << period) - 1)
    count = 0
    while left:
        lane = lowest_lane(left)
        left &= left - 1
        together = 1 << lane
        if period:
            together = ((1 << min(lowest_lane(left), period)) - together) * repeat
        put(group, 0, ((get(addresses, lane) - base) >> shift) * ly.RECORD_BYTES)
        put(group, 1, together)
        group += 16
        count += 1
    return count
