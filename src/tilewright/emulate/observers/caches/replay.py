"""The cache observer's replay: logged warps run on SMs, their requests pass L1, the coalescer before L2, L2 and DRAM.

An SM's four schedulers take turns, and each serves its oldest warp that is ready: the work before its next request
takes the SM's time (all warps share it) and the warp's own (one instruction waits for another). When enough requests
are before the load-store pipe, all wait for it. Requests under way are waited for at barriers, where another basic
block asks for something, and when a warp has too many. Times are in quarter cycles. SMs take turns, a slice of time
each.
"""

from __future__ import annotations

from tilewright.emulate.compiled import ObservedUnit, inner
from tilewright.emulate.memory_vectors import lowest_lane, prefetch
from tilewright.emulate.observers.caches import words as w
from tilewright.emulate.observers.caches.levels import access_line, next_random, set_of_line
from tilewright.emulate.observers.caches.log import at_most, smallest
from tilewright.emulate.tables import get, increase, put

CYCLE = 4
"""In quarter cycles."""
MOST_AHEAD = 12
"""Warps that are fetched ahead: about as many as an SM serves in a slice."""
EVERY_FOURTH = 0x1111111111111111
"""The warps of one of an SM's four schedulers, a bit each."""


@ObservedUnit
def replay(own: int, log: int) -> int:
    """Go on until a block is needed that is not logged yet, or all have ended; return whether they have."""
    while True:
        while get(own, w.NEXT_BLOCK) < get(own, w.BLOCKS):
            if get(own, w.FREE_SLOTS) == 0 or get(own, w.LAUNCHED) >= get(own, w.TIME) + get(own, w.SLICE):
                break
            block = get(own, w.NEXT_BLOCK)
            place = block % get(log, w.LOG_PLACES)
            if get(get(log, w.LOG_READY), place) != block + 1:
                return 0
            _place_block(own, log, _free_slot(own), place)
            put(own, w.NEXT_BLOCK, block + 1)
        if get(own, w.LIVE_BLOCKS) == 0 and get(own, w.NEXT_BLOCK) == get(own, w.BLOCKS):
            return 1
        end = get(own, w.TIME) + get(own, w.SLICE)
        put(own, w.TIME, end)
        for sm in range(get(own, w.SMS)):
            _fetch_ahead(own, sm + 1, end)
            if get(_sm_at(own, sm), w.SM_SOONEST) < end:
                _run_sm(own, log, sm, end)


@inner
def _fetch_ahead(own: int, sm: int, end: int) -> None:
    """Let the processor fetch the first warps that an SM serves in this slice, and the times of the SM behind it.

    Thousands of warps are served in turns, so none is at hand.
    """
    if sm + 1 < get(own, w.SMS):
        for line in range(w.MAX_WARPS // 8):
            prefetch(_ready_at(own, sm + 1) + 64 * line)
    if sm == get(own, w.SMS):
        return
    waiting = at_most(_ready_at(own, sm), end, get(_sm_at(own, sm), w.SM_LIVE))
    for _ in range(MOST_AHEAD):
        if waiting == 0:
            return
        prefetch(_warp_at(own, sm * w.MAX_WARPS + lowest_lane(waiting)))
        waiting &= waiting - 1


@inner
def _sm_at(own: int, sm: int) -> int:
    return get(own, w.SM_TABLE) + 8 * w.SM_COLUMNS * sm


@inner
def _slot_at(own: int, slot: int) -> int:
    return get(own, w.SLOT_TABLE) + 8 * w.SLOT_COLUMNS * slot


@inner
def _warp_at(own: int, index: int) -> int:
    return get(own, w.WARP_TABLE) + 8 * w.WARP_COLUMNS * index


@inner
def _ready_at(own: int, sm: int) -> int:
    """Return where it is noted when each warp of an SM goes on, oldest first."""
    return get(own, w.READY_TABLE) + 8 * w.MAX_WARPS * sm


@inner
def _free_slot(own: int) -> int:
    """Return the slot for a block that has been free longest."""
    best, earliest = -1, 0
    for slot in range(get(own, w.SMS) * get(own, w.SLOTS)):
        free_at = get(_slot_at(own, slot), w.SLOT_FREE_AT)
        if free_at != w.TAKEN and (best < 0 or free_at < earliest):
            best, earliest = slot, free_at
    return best


@inner
def _place_block(own: int, log: int, slot: int, place: int) -> None:
    """Put a logged block on an SM: its warps come after all others there."""
    sm = slot // get(own, w.SLOTS)
    row = _sm_at(own, sm)
    warps = get(own, w.WARPS)
    live = get(row, w.SM_LIVE)
    free_at = max(get(own, w.TIME), get(_slot_at(own, slot), w.SLOT_FREE_AT))
    launched = max(free_at, get(own, w.LAUNCHED))
    put(own, w.LAUNCHED, launched + get(own, w.LAUNCH_GAP))
    start = launched + get(own, w.LAUNCH_TIME)
    put(row, w.SM_CLOCK, max(get(row, w.SM_CLOCK), get(own, w.TIME)))
    put(row, w.SM_SOONEST, 0)
    increase(own, w.FREE_SLOTS, -1)
    put(_slot_at(own, slot), w.SLOT_FREE_AT, w.TAKEN)
    put(_slot_at(own, slot), w.SLOT_LIVE, warps)
    put(_slot_at(own, slot), w.SLOT_WAITING, 0)
    for index in range(warps):
        warp = _warp_at(own, sm * w.MAX_WARPS + live + index)
        put(warp, w.WARP_READ, get(get(log, w.LOG_HEADS), place * warps + index))
        put(warp, w.WARP_WORD, w.UNREAD)
        for word in range(w.WARP_AHEAD, w.WARP_COLUMNS):
            put(warp, word, 0)
        put(_ready_at(own, sm), live + index, start)
        put(warp, w.WARP_SLOT, slot)
        put(warp, w.WARP_ARRIVES, start)
        put(warp, w.WARP_UNDER_WAY, 0)
    put(row, w.SM_LIVE, live + warps)
    increase(own, w.LIVE_BLOCKS, 1)


@inner
def _run_sm(own: int, log: int, sm: int, end: int) -> None:
    """Run an SM until `end`."""
    row = _sm_at(own, sm)
    now = max(get(row, w.SM_CLOCK), min(get(row, w.SM_SOONEST), end))
    ready = _ready_at(own, sm)
    put(row, w.SM_SOONEST, 0)
    while now < end:
        increase(row, w.SM_TURN, 1)
        waiting = at_most(ready, now, get(row, w.SM_LIVE))
        if waiting == 0:
            put(row, w.SM_SOONEST, smallest(ready))
            now = min(get(row, w.SM_SOONEST), end)
            continue
        its_own = waiting & (EVERY_FOURTH << (get(row, w.SM_TURN) & 3))
        now = _step(own, log, sm, lowest_lane(its_own or waiting), now)
        if get(row, w.SM_ENDED):
            _remove_ended(own, row, sm)
    put(row, w.SM_CLOCK, now)


@inner
def _remove_ended(own: int, row: int, sm: int) -> None:
    """Close the ranks behind warps whose block has ended."""
    put(row, w.SM_ENDED, 0)
    kept, first, ready = 0, sm * w.MAX_WARPS, _ready_at(own, sm)
    for index in range(get(row, w.SM_LIVE)):
        warp = _warp_at(own, first + index)
        if get(_slot_at(own, get(warp, w.WARP_SLOT)), w.SLOT_FREE_AT) == w.TAKEN:
            target = _warp_at(own, first + kept)
            for column in range(w.WARP_COLUMNS):
                put(target, column, get(warp, column))
            put(ready, kept, get(ready, index))
            kept += 1
    for index in range(kept, get(row, w.SM_LIVE)):
        put(ready, index, w.NEVER)
    put(row, w.SM_LIVE, kept)


@inner
def _step(own: int, log: int, sm: int, index: int, now: int) -> int:
    """Do a warp's work up to its next request, or the request, barrier or end; return when the SM is free again."""
    warp, ready = _warp_at(own, sm * w.MAX_WARPS + index), _ready_at(own, sm)
    word = get(warp, w.WARP_WORD)
    if word == w.UNREAD:
        word = _next_word(log, warp)
        put(warp, w.WARP_WORD, word)
    if word & w.WAITS:
        word ^= w.WAITS
        put(warp, w.WARP_WORD, word)
        put(warp, w.WARP_UNDER_WAY, 0)
        if get(warp, w.WARP_ARRIVES) > now:
            put(ready, index, get(warp, w.WARP_ARRIVES))
            return now
    gap = (word >> w.GAP_SHIFT) & w.MAX_GAP
    if gap:
        # The request comes soon, and what it needs was last used long ago.
        prefetch(set_of_line(own, sm, (word >> w.LINE_SHIFT) & w.LINE_MASK))
        prefetch(set_of_line(own, sm, (get(warp, w.WARP_AHEAD) >> w.LINE_SHIFT) & w.LINE_MASK))
        gap = min(gap, get(own, w.QUANTUM))
        put(warp, w.WARP_WORD, word - (gap << w.GAP_SHIFT))
        put(ready, index, now + gap * get(own, w.CHAIN_FACTOR))
        return now + (gap * get(own, w.ISSUE_FACTOR) >> 4)
    kind = (word >> w.KIND_SHIFT) & 7
    if kind >= w.BARRIER:
        arrives = max(now, get(warp, w.WARP_ARRIVES))
        put(warp, w.WARP_UNDER_WAY, 0)
        if kind == w.BARRIER:
            _leave_word(warp)
        put(ready, index, w.NEVER)
        _wait_or_end(own, sm, warp, kind == w.END, arrives)
        return now
    row, places = _sm_at(own, sm), get(own, w.PIPE_QUEUE)
    place = sm * places + get(row, w.SM_ASKED) % places
    if get(get(own, w.QUEUE_TABLE), place) > now:
        return get(get(own, w.QUEUE_TABLE), place)
    _request(own, log, sm, warp, kind, max(now, get(row, w.SM_PIPE)))
    put(get(own, w.QUEUE_TABLE), place, get(row, w.SM_PIPE))
    increase(row, w.SM_ASKED, 1)
    goes_on = now + CYCLE
    if get(warp, w.WARP_UNDER_WAY) >= get(own, w.MOST_UNDER_WAY):
        put(warp, w.WARP_UNDER_WAY, 0)
        goes_on = max(goes_on, get(warp, w.WARP_ARRIVES))
    put(ready, index, goes_on)
    return now


@inner
def _request(own: int, log: int, sm: int, warp: int, kind: int, at: int) -> None:
    """Send a warp's request through the SM's load-store pipe, which takes a line and 128 bytes per cycle."""
    arrives, missed, word = get(warp, w.WARP_ARRIVES), get(own, w.COUNT_L1_MISSES), get(warp, w.WARP_WORD)
    words = 1 << (word >> w.WIDE_SHIFT)
    moved = at + CYCLE * words
    while True:
        at += CYCLE
        done = access_line(own, sm, kind, (word >> w.LINE_SHIFT) & w.LINE_MASK, word & 15, at)
        if kind <= w.STRONG_LOAD:
            arrives = max(arrives, done)
        if (word >> w.MORE_SHIFT) & 1 == 0:
            break
        word = _next_word(log, warp)
    _leave_word(warp)
    put(warp, w.WARP_ARRIVES, arrives)
    at = max(at, moved)
    if get(own, w.COUNT_L1_MISSES) != missed:
        at += next_random(own, get(own, w.MISS_NOISE))
    put(_sm_at(own, sm), w.SM_PIPE, at)
    if kind <= w.STRONG_LOAD:
        increase(warp, w.WARP_UNDER_WAY, words)


@inner
def _leave_word(warp: int) -> None:
    """Go to the next word of a warp's log when its turn comes: thousands of logs are read in turns, none is at hand."""
    prefetch(get(warp, w.WARP_READ))
    put(warp, w.WARP_WORD, w.UNREAD)


@inner
def _next_word(log: int, warp: int) -> int:
    """Return the next word of a warp's log; when the log is read, more words of the same chunk are taken along."""
    word = get(warp, w.WARP_AHEAD)
    if word:
        for place in range(w.WARP_AHEAD, w.WARP_COLUMNS - 1):
            put(warp, place, get(warp, place + 1))
        put(warp, w.WARP_COLUMNS - 1, 0)
        return word
    at = get(warp, w.WARP_READ)
    if _is_link(at):
        chunk = at
        at = get(at, 0)
        _give_back(log, chunk)
    word = last = get(at, 0)
    at += 8
    for place in range(w.WARP_AHEAD, w.WARP_COLUMNS):
        if (last >> w.KIND_SHIFT) & 7 == w.END or _is_link(at):
            break
        last = get(at, 0)
        put(warp, place, last)
        at += 8
    put(warp, w.WARP_READ, at)
    if (last >> w.KIND_SHIFT) & 7 == w.END:
        _give_back(log, at - 8)
    return word


@inner
def _is_link(at: int) -> bool:
    """Say whether a place is the last word of a chunk."""
    return at & (8 * w.CHUNK_WORDS - 1) == 8 * (w.CHUNK_WORDS - 1)


@inner
def _give_back(log: int, at: int) -> None:
    """Let the log use a chunk again; `at`: a place in it."""
    chunk = at - (at & (8 * w.CHUNK_WORDS - 1))
    put(chunk, 0, get(log, w.LOG_FREE))
    put(log, w.LOG_FREE, chunk)


@inner
def _wait_or_end(own: int, sm: int, warp: int, has_ended: bool, at: int) -> None:
    """Let a warp wait for the others of its block, or end; the last one opens the barrier, or ends the block."""
    slot = get(warp, w.WARP_SLOT)
    row = _slot_at(own, slot)
    put(warp, w.WARP_ARRIVES, at)
    if has_ended:
        increase(row, w.SLOT_LIVE, -1)
    else:
        increase(row, w.SLOT_WAITING, 1)
        put(warp, w.WARP_UNDER_WAY, w.AT_BARRIER)
    if get(row, w.SLOT_WAITING) < get(row, w.SLOT_LIVE):
        return
    latest = at
    for index in range(get(_sm_at(own, sm), w.SM_LIVE)):
        other = _warp_at(own, sm * w.MAX_WARPS + index)
        if get(other, w.WARP_SLOT) == slot and (has_ended or get(other, w.WARP_UNDER_WAY) == w.AT_BARRIER):
            latest = max(latest, get(other, w.WARP_ARRIVES))
    if get(row, w.SLOT_LIVE) == 0:
        put(row, w.SLOT_FREE_AT, latest)
        put(_sm_at(own, sm), w.SM_ENDED, 1)
        increase(own, w.LIVE_BLOCKS, -1)
        increase(own, w.FREE_SLOTS, 1)
        return
    put(row, w.SLOT_WAITING, 0)
    for index in range(get(_sm_at(own, sm), w.SM_LIVE)):
        other = _warp_at(own, sm * w.MAX_WARPS + index)
        if get(other, w.WARP_SLOT) == slot and get(other, w.WARP_UNDER_WAY) == w.AT_BARRIER:
            put(_ready_at(own, sm), index, latest)
            put(other, w.WARP_ARRIVES, latest)
            put(other, w.WARP_UNDER_WAY, 0)
