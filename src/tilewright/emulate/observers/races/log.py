"""A warp's contiguous loads: logged in one row each, and recorded only once the array is written.

A kernel never writes most of the arrays that it reads, and then needs no record of who read them.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import ObservedUnit, call_unit, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.observers.races.records import remember
from tilewright.emulate.tables import get, put

ALL_LANES = 0xFFFFFFFF


@intrinsic
def is_run(typing_context, addresses, nbytes):  # type: ignore[no-untyped-def]
    """Say whether each of 32 addresses is `nbytes` behind the one before."""

    def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
        addresses, nbytes = arguments
        values = b.load(v.address(b, addresses), typ=v.vector(v.i64), align=64)
        first = b.extract_element(values, ir.Constant(v.i32, 0))
        steps = b.mul(v.lane_numbers(v.i64), v.splat(b, nbytes))
        differs = v.to_mask(b, b.icmp_unsigned("!=", values, b.add(v.splat(b, first), steps)))
        return b.icmp_unsigned("==", differs, ir.Constant(v.i32, 0))

    return types.boolean(*[types.int64] * 2), codegen


@inner
def log_load(own: int, event: int, area: int, lanes: int, is_plain_load: bool) -> bool:
    """Log an access if it is a plain load that runs through an array not yet written; else record what was logged."""
    nbytes, used = get(event, ev.NBYTES), get(own, ly.LOG_USED)
    is_good = is_plain_load and lanes == ALL_LANES and used < get(own, ly.LOG_ROOM)
    if is_good and is_run(event + 8 * ev.ADDRESSES, nbytes):
        entry = get(own, ly.LOG) + 8 * ly.LOG_COLUMNS * used
        put(own, ly.LOG_USED, used + 1)
        put(entry, ly.LOG_STAMP, get(own, ly.NOW))
        put(entry, ly.LOG_ABOUT, get(own, ly.NOW_ABOUT))
        put(entry, ly.LOG_BLOCK_LIMIT, get(own, ly.NOW_BLOCK_LIMIT))
        put(entry, ly.LOG_WARP_LIMIT, get(own, ly.NOW_WARP_LIMIT))
        put(entry, ly.LOG_ADDRESS, ev.address_of(event, 0))
        put(entry, ly.LOG_NBYTES, nbytes)
        put(entry, ly.LOG_AREA, area)
        put(area, ly.AREA_IS_READ, 1)
        return True
    put(area, ly.AREA_IS_DIRECT, 1)
    if get(area, ly.AREA_IS_READ):
        call_unit(get(own, ly.REPLAY), own, area)
    return False


@ObservedUnit
def record_logged(own: int, area: int) -> int:
    """Record the logged loads of a piece of memory, as of the time when they were logged."""
    now, about, limit = get(own, ly.NOW), get(own, ly.NOW_ABOUT), get(own, ly.NOW_LIMIT)
    block_limit, warp_limit = get(own, ly.NOW_BLOCK_LIMIT), get(own, ly.NOW_WARP_LIMIT)
    shift, base = get(own, ly.GLOBAL_SHIFT), get(area, ly.AREA_BASE)
    reads, others = get(area, ly.AREA_READS), get(area, ly.AREA_OTHER_READS)
    put(own, ly.NOW_LIMIT, 1)
    for index in range(get(own, ly.LOG_USED)):
        entry = get(own, ly.LOG) + 8 * ly.LOG_COLUMNS * index
        if get(entry, ly.LOG_AREA) != area:
            continue
        put(own, ly.NOW, get(entry, ly.LOG_STAMP))
        put(own, ly.NOW_ABOUT, get(entry, ly.LOG_ABOUT))
        put(own, ly.NOW_BLOCK_LIMIT, get(entry, ly.LOG_BLOCK_LIMIT))
        put(own, ly.NOW_WARP_LIMIT, get(entry, ly.LOG_WARP_LIMIT))
        cells = get(entry, ly.LOG_NBYTES) >> shift
        at = ((get(entry, ly.LOG_ADDRESS) - base) >> shift) * ly.RECORD_BYTES
        for lane in range(32):
            for _ in range(cells):
                remember(own, reads + at, others + at, 1 << lane)
                at += ly.RECORD_BYTES
    put(own, ly.NOW, now)
    put(own, ly.NOW_ABOUT, about)
    put(own, ly.NOW_LIMIT, limit)
    put(own, ly.NOW_BLOCK_LIMIT, block_limit)
    put(own, ly.NOW_WARP_LIMIT, warp_limit)
    return 0
