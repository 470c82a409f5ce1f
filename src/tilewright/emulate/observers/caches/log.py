"""The cache observer's log: what each warp asks of global memory, and when it waits, until its SM's turn comes.

Blocks run a few at a time here, on a GPU by the hundred. So each warp's requests are written down, 8 bytes per cache
line of a request, and replayed (replay.py) as soon as the blocks that would be resident together are complete.

A word of the log: sectors asked for (4 bits), what it is (3), whether the request goes on in the next word (1), work
since the warp's last word in quarter cycles (16), number of the line (36), 8ths of the bytes per lane (2), whether the
warp first waits for all that it asked for (1). Words lie in chunks, the last one of which is the address of the next.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from tilewright.emulate import state as st
from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import ObservedUnit, call_unit, inner, of_words
from tilewright.emulate.execute import events as ev
from tilewright.emulate.memory_vectors import load_s32, lowest_lane, store_32
from tilewright.emulate.observers.caches import words as w
from tilewright.emulate.tables import get, put

LINE_BYTES_SHIFT = 7
HALVES = (0, v.LANES)
"""Of the 64 warps of an SM."""


@of_words
def line_of_lane(b: Builder, at: Value, lane: Value, mask: Value) -> Value:
    """Return the lanes of `lanes` in the cache line of `lane`, and from bit 32 on the sectors of it that they want."""
    words = b.load(v.address(b, at), typ=v.vector(v.i64), align=64)
    sectors = b.lshr(words, v.constant(v.i64, 5))
    first = b.load(v.address(b, at, b.shl(lane, ir.Constant(v.i64, 3))), typ=v.i64)
    line = b.lshr(first, ir.Constant(v.i64, LINE_BYTES_SHIFT))
    same = b.icmp_unsigned("==", b.lshr(sectors, v.constant(v.i64, 2)), v.splat(b, line))
    together = b.and_(v.to_mask(b, same), b.trunc(mask, v.i32))
    bits = b.shl(v.constant(v.i32, 1), b.trunc(b.and_(sectors, v.constant(v.i64, 3)), v.vector(v.i32)))
    asked = b.select(v.to_lanes(b, together), bits, v.constant(v.i32, 0))
    used = v.intrinsic(b, f"llvm.vector.reduce.or.{v.suffix(v.i32)}", v.i32, [asked])
    return b.or_(b.zext(together, v.i64), b.shl(b.zext(used, v.i64), ir.Constant(v.i64, 32)))


def _at_most(halves: tuple[int, ...]) -> Any:
    @of_words
    def at_most(b: Builder, times: Value, now: Value) -> Value:
        """Return which of the times are no later than `now`, a bit each."""
        result = ir.Constant(v.i64, 0)
        for half in halves:
            words = b.load(v.address(b, times, 8 * half), typ=v.vector(v.i64), align=64)
            mask = b.zext(v.to_mask(b, b.icmp_signed("<=", words, v.splat(b, now))), v.i64)
            result = b.or_(result, b.shl(mask, ir.Constant(v.i64, half)))
        return result

    return at_most


_at_most_of_32, _at_most_of_64 = _at_most(HALVES[:1]), _at_most(HALVES)


@inner
def at_most(times: int, now: int, count: int) -> int:
    """Return which of the first `count` of 64 times are no later than `now`, a bit each; those behind are all later."""
    return _at_most_of_32(times, now) if count <= v.LANES else _at_most_of_64(times, now)


@of_words
def smallest(b: Builder, times: Value) -> Value:
    """Return the smallest of 64 times."""
    low, high = (b.load(v.address(b, times, 8 * half), typ=v.vector(v.i64), align=64) for half in HALVES)
    least = b.select(b.icmp_signed("<", low, high), low, high)
    return v.intrinsic(b, f"llvm.vector.reduce.smin.{v.suffix(v.i64)}", v.i64, [least])


@ObservedUnit
def log_event(state: int, own: int, event: int) -> int:
    """Write down a load, store, atomic or barrier; start and finish the log of a block."""
    kind = get(event, ev.KIND)
    if kind == ev.BLOCK_START:
        _start_block(state, own, get(event, ev.RESIDENT))
        return 0
    if kind == ev.BLOCK_END:
        _finish_block(state, own, get(event, ev.RESIDENT), get(event, ev.BLOCK))
        return 0
    if get(own, w.LOG_FULL):
        return 0
    logged = _logged_at(own, get(event, ev.WARP))
    before = get(logged, w.LOGGED_SITE)
    gap = _gap(state, own, get(event, ev.WARP), logged, get(event, ev.PC)) << w.GAP_SHIFT
    if kind == ev.BARRIER:
        _append(own, logged, gap | w.BARRIER << w.KIND_SHIFT)
        return 0
    what = w.LOAD
    if kind == ev.STORE:
        what = w.STORE
    elif kind == ev.ATOMIC:
        what = w.ATOMIC
    elif get(event, ev.ORDER):
        what = w.STRONG_LOAD
    wide = get(event, ev.NBYTES) >> 3 << w.WIDE_SHIFT | _waits(own, before, get(logged, w.LOGGED_SITE))
    lanes = get(event, ev.LANES)
    addresses = event + 8 * ev.ADDRESSES
    while lanes:
        lane = lowest_lane(lanes)
        found = line_of_lane(addresses, lane, lanes)
        line = (get(addresses, lane) >> LINE_BYTES_SHIFT) - get(own, w.LOG_FIRST_LINE)
        lanes &= ~found
        more = 1 << w.MORE_SHIFT if lanes else 0
        _append(own, logged, wide | line << w.LINE_SHIFT | gap | more | what << w.KIND_SHIFT | found >> 32)
        gap = wide = 0
    return 0


@inner
def _waits(own: int, before: int, site: int) -> int:
    """Return WAITS for a request of another basic block than the warp's last one, or of the same one's next trip.

    ptxas asks for all that a basic block loads before it uses any of it, and takes no load out of its block.
    """
    blocks = get(own, w.LOG_BASIC_BLOCKS)
    is_same = load_s32(blocks + 4 * site) == load_s32(blocks + 4 * before)
    return 0 if is_same and site > before else w.WAITS


@inner
def _logged_at(own: int, warp: int) -> int:
    return get(own, w.LOG_WARPS) + 8 * w.LOGGED_COLUMNS * warp


@inner
def _start_block(state: int, own: int, resident: int) -> None:
    warps = get(state, st.LAYOUT_WARPS)
    for warp in range(resident * warps, (resident + 1) * warps):
        logged = _logged_at(own, warp)
        chunk = _new_chunk(own)
        put(logged, w.LOGGED_AT, chunk)
        put(logged, w.LOGGED_HEAD, chunk)
        put(logged, w.LOGGED_SITE, 0)


@inner
def _finish_block(state: int, own: int, resident: int, block: int) -> None:
    warps = get(state, st.LAYOUT_WARPS)
    place = block % get(own, w.LOG_PLACES)
    for index in range(warps):
        logged = _logged_at(own, resident * warps + index)
        _append(own, logged, w.END << w.KIND_SHIFT)
        put(get(own, w.LOG_HEADS), place * warps + index, get(logged, w.LOGGED_HEAD))
    put(get(own, w.LOG_READY), place, block + 1)
    put(own, w.LOG_LAST_WARP, -1)
    if get(own, w.LOG_FULL) == 0:
        call_unit(get(own, w.LOG_REPLAY), get(own, w.LOG_REPLAY_OWN), own)


@inner
def _new_chunk(own: int) -> int:
    chunk = get(own, w.LOG_FREE)
    if chunk:
        put(own, w.LOG_FREE, get(chunk, 0))
        return chunk
    chunk = get(own, w.LOG_NEXT)
    if chunk >= get(own, w.LOG_LIMIT):
        put(own, w.LOG_FULL, 1)
        return get(own, w.LOG_LIMIT)  # one chunk beyond the limit exists, to be overwritten
    put(own, w.LOG_NEXT, chunk + 8 * w.CHUNK_WORDS)
    return chunk


@inner
def _append(own: int, logged: int, word: int) -> None:
    at = get(logged, w.LOGGED_AT)
    if at & (8 * w.CHUNK_WORDS - 1) == 8 * (w.CHUNK_WORDS - 1):
        chunk = _new_chunk(own)
        put(at, 0, chunk)
        at = chunk
    put(at, 0, word)
    put(logged, w.LOGGED_AT, at + 8)


@inner
def _gap(state: int, own: int, warp: int, logged: int, pc: int) -> int:
    """Return the work since the warp's last word: measured once for each pair of instructions, by all counters.

    Counters are of all warps, so a pair is measured when no other warp came between.
    """
    site, before = load_s32(get(own, w.LOG_SITES) + 4 * pc), get(logged, w.LOGGED_SITE)
    put(logged, w.LOGGED_SITE, site)
    known = get(own, w.LOG_GAPS) + 4 * (before * get(own, w.LOG_SITE_COUNT) + site)
    gap = load_s32(known)
    if gap < 0:
        alone = get(own, w.LOG_LAST_WARP) == warp and get(own, w.LOG_LAST_SITE) == before
        if alone and get(own, w.LOG_LAST_SUM) >= 0:
            gap = min(_work(state, own) - get(own, w.LOG_LAST_SUM), w.MAX_GAP)
            store_32(known, gap)
            store_32(get(own, w.LOG_WANTED) + 4 * before, 0)
        else:
            store_32(get(own, w.LOG_WANTED) + 4 * before, 1)
            gap = min(load_s32(get(own, w.LOG_STRAIGHT) + 4 * pc), w.MAX_GAP) if before == 0 else 0
    put(own, w.LOG_LAST_WARP, warp)
    put(own, w.LOG_LAST_SITE, site)
    put(own, w.LOG_LAST_SUM, _work(state, own) if load_s32(get(own, w.LOG_WANTED) + 4 * site) else -1)
    return gap


@inner
def _work(state: int, own: int) -> int:
    """Return the work of all that was executed so far."""
    total = 0
    counters, weights = get(state, st.LAYOUT_COUNTERS), get(own, w.LOG_WEIGHTS)
    for pc in range(get(own, w.LOG_ROWS)):
        total += get(counters + st.COUNTER_BYTES * pc, 0) * load_s32(weights + 4 * pc)
    return total
