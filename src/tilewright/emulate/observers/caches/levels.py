"""The cache observer's memories: a line asked for at L1 goes on to the coalescer of its GPC, to L2 and to DRAM.

L1: per SM, lines of four sectors, set-associative, the oldest use goes first; a store takes a line, too, and goes on to
L2. A sector whose answer is under way counts as a hit, and is waited for. The coalescer lets up to MERGE_MOST SMs of a
GPC share one read if they ask for the same sectors of a line before it is sent. L2: one for all, written back; a miss
fetches 64 bytes. Every function takes the time of asking and returns that of the answer, in quarter cycles.
"""

from __future__ import annotations

from tilewright.emulate.compiled import inner
from tilewright.emulate.memory_vectors import count_lanes
from tilewright.emulate.observers.caches import words as w
from tilewright.emulate.tables import get, increase, mark, put

HASH, HASH_2, HASH_3 = 0x9E3779B1, 0x85EBCA6B, 0x2C1B3C6D
SKEW = 37


@inner
def access_line(own: int, sm: int, kind: int, line: int, sectors: int, at: int) -> int:
    """Ask L1 for sectors of a line; return when they are there."""
    if kind == w.ATOMIC:
        _reach_l2(own, line, sectors, w.ATOMIC, at)
        return at
    found = _find_in_l1(own, sm, line)
    if kind == w.STRONG_LOAD:
        increase(own, w.COUNT_L1_MISSES, count_lanes(sectors))
        return _fetch(own, sm, line, sectors, at)
    if kind == w.STORE:
        _reach_l2(own, line, sectors, w.STORE, at)
        mark(found, w.HELD, sectors)
        return at
    has = get(found, w.HELD)
    hits, misses = sectors & has, sectors & ~has
    put(found, w.HELD, has | sectors)
    if hits:
        increase(own, w.COUNT_L1_HITS, count_lanes(hits))
    done = at + get(own, w.L1_TIME)
    if misses:
        increase(own, w.COUNT_L1_MISSES, count_lanes(misses))
        put(found, w.HELD_FILL, _fetch(own, sm, line, misses, at))
    return max(done, get(found, w.HELD_FILL))


@inner
def _find_in_l1(own: int, sm: int, line: int) -> int:
    """Return where a line is noted in the SM's L1 (HELD_*), in place of the oldest one when it was not there."""
    first = set_of_line(own, sm, line)
    if _bring_to_front(first, get(own, w.L1_WAYS), line):
        put(first, w.HELD_FILL, 0)
    return first


@inner
def set_of_line(own: int, sm: int, line: int) -> int:
    """Return where the set of an SM's L1 is that may hold a line."""
    ways, sets = get(own, w.L1_WAYS), get(own, w.L1_SETS)
    reciprocal = get(own, w.L1_RECIPROCAL)
    round_trips = line * reciprocal >> w.RECIPROCAL_SHIFT
    # Neighbors go to neighboring sets; each round of all sets begins elsewhere, so that powers of two spread.
    skewed = line + SKEW * round_trips
    set_number = skewed - (skewed * reciprocal >> w.RECIPROCAL_SHIFT) * sets
    return get(own, w.L1_LINES) + 8 * w.HELD_COLUMNS * ways * (sm * sets + set_number)


@inner
def _bring_to_front(first: int, ways: int, line: int) -> int:
    """Let a set begin with a line, in place of its last one when it was not there; return what that was (HELD), or 0.

    A line that is new keeps the time in HELD_FILL.
    """
    name = line + 1
    if get(first, w.HELD) >> w.HELD_SHIFT == name:
        return 0
    entry, last = first, first + 8 * w.HELD_COLUMNS * (ways - 1)
    while entry != last and get(entry, w.HELD) >> w.HELD_SHIFT != name:
        entry += 8 * w.HELD_COLUMNS
    held, fill, gone = get(entry, w.HELD), get(entry, w.HELD_FILL), 0
    if held >> w.HELD_SHIFT != name:
        gone, held = held, name << w.HELD_SHIFT
    while entry != first:
        before = entry - 8 * w.HELD_COLUMNS
        put(entry, w.HELD, get(before, w.HELD))
        put(entry, w.HELD_FILL, get(before, w.HELD_FILL))
        entry = before
    put(first, w.HELD, held)
    put(first, w.HELD_FILL, fill)
    return gone


@inner
def _fetch(own: int, sm: int, line: int, sectors: int, at: int) -> int:
    """Ask L2; return when the SM has the answer."""
    return _ask_l2(own, sm, line, sectors, at) + next_random(own, get(own, w.NOISE))


@inner
def _ask_l2(own: int, sm: int, line: int, sectors: int, at: int) -> int:
    """Send a miss to L2, or share the answer of another SM's same request that is still open.

    A request for other sectors of the line closes it: its reads are not shared until all that are under way are sent.
    """
    gpc = get(get(own, w.SM_TABLE) + 8 * w.SM_COLUMNS * sm, w.SM_GPC)
    name, many = line * 16 + sectors, count_lanes(sectors)
    entry = _entry_of(own, w.MERGE_TABLE, gpc, line)
    is_same = get(entry, w.MERGE_NAME) == name and get(entry, w.MERGE_TIMES) < get(own, w.MERGE_MOST)
    if is_same and at <= get(entry, w.MERGE_SENT):
        increase(entry, w.MERGE_TIMES, 1)
        increase(own, w.COUNT_MERGED, many)
        _share_in_step(own, gpc, name, many, at, get(own, w.IN_STEP_TIME))
        return max(at, get(entry, w.MERGE_ARRIVES))
    free = get(own, w.PORTS) + 8 * gpc
    sent = max(at + get(own, w.MERGE_BASE) + get(own, w.MERGE_TIME) * many, get(free, 0) >> 8)
    put(free, 0, max(get(free, 0), at << 8) + many * get(own, w.PORT_TIME))
    fetched = get(own, w.COUNT_DRAM_READS)
    done = _reach_l2(own, line, sectors, w.LOAD, sent) + _distance(own, gpc, line)
    is_open = get(own, w.MERGE_DRAM) if get(own, w.COUNT_DRAM_READS) != fetched else 0
    _share_in_step(own, gpc, name, many, at, max(is_open, get(own, w.IN_STEP_TIME)))
    is_in_the_way = get(entry, w.MERGE_NAME) != name and at <= get(entry, w.MERGE_SENT)
    put(entry, w.MERGE_NAME, w.CLOSED if is_in_the_way else name)
    put(entry, w.MERGE_SENT, max(sent, at + is_open))
    put(entry, w.MERGE_ARRIVES, done)
    put(entry, w.MERGE_TIMES, 1)
    return done


@inner
def _share_in_step(own: int, gpc: int, name: int, many: int, at: int, is_open: int) -> None:
    """Count what would be shared if SMs kept step better and different sectors did not block each other."""
    entry = _entry_of(own, w.IN_STEP_TABLE, gpc, name)
    is_same = get(entry, w.MERGE_NAME) == name and get(entry, w.MERGE_TIMES) < get(own, w.MERGE_MOST)
    if is_same and at <= get(entry, w.MERGE_SENT):
        increase(entry, w.MERGE_TIMES, 1)
        increase(own, w.COUNT_IN_STEP, many)
    else:
        put(entry, w.MERGE_NAME, name)
        put(entry, w.MERGE_SENT, at + is_open)
        put(entry, w.MERGE_TIMES, 1)


@inner
def _entry_of(own: int, table: int, gpc: int, key: int) -> int:
    """Return where a GPC notes the request with this key."""
    place = gpc * w.MERGE_ENTRIES + (key * HASH >> 7 & (w.MERGE_ENTRIES - 1))
    return get(own, table) + 8 * w.MERGE_COLUMNS * place


@inner
def next_random(own: int, bound: int) -> int:
    """Return a number below `bound` (xorshift, 63 bits)."""
    x = get(own, w.RANDOM)
    x ^= (x << 13) & 0x7FFFFFFFFFFFFFFF
    x ^= x >> 7
    x ^= (x << 17) & 0x7FFFFFFFFFFFFFFF
    put(own, w.RANDOM, x)
    return (x >> 20 & 0xFFFFFFFF) * bound >> 32


@inner
def _distance(own: int, gpc: int, line: int) -> int:
    """Return how much longer the way is from these SMs to the part of L2 that has the line."""
    x = (line * HASH + gpc * HASH_2) & 0xFFFFFFFF
    x = ((x ^ x >> 15) * HASH_3) & 0xFFFFFFFF
    return (x ^ x >> 13) * get(own, w.L2_SPREAD) >> 32


@inner
def _reach_l2(own: int, line: int, sectors: int, kind: int, at: int) -> int:
    """Look sectors up in L2, and fetch from DRAM what is not there; return when they are read."""
    ways, sets = get(own, w.L2_WAYS), get(own, w.L2_SETS)
    found = get(own, w.L2_LINES) + 8 * w.HELD_COLUMNS * ways * (((line * HASH) & 0xFFFFFFFF) * sets >> 32)
    gone = _bring_to_front(found, ways, line)
    increase(own, w.COUNT_DRAM_WRITES, count_lanes(gone >> w.TO_WRITE_SHIFT & 15))
    has = get(found, w.HELD)
    if kind == w.LOAD:
        increase(own, w.COUNT_L2_READS, count_lanes(sectors))
    if kind == w.STORE:
        increase(own, w.COUNT_L2_WRITES, count_lanes(sectors))
        put(found, w.HELD, has | sectors | sectors << w.TO_WRITE_SHIFT)
        return 0
    misses = sectors & ~has
    done = at + get(own, w.L2_TIME)
    if misses == 0:
        return max(done, get(found, w.HELD_FILL))
    # A fetch brings pairs of sectors, 64 bytes.
    pairs = (misses | (misses & 5) << 1 | (misses & 10) >> 1) & ~has
    increase(own, w.COUNT_DRAM_READS, count_lanes(pairs))
    put(found, w.HELD, has | pairs | (sectors << w.TO_WRITE_SHIFT if kind == w.ATOMIC else 0))
    free = max(get(own, w.DRAM_FREE_AT), at << 8)
    put(own, w.DRAM_FREE_AT, free + count_lanes(pairs) * get(own, w.DRAM_SECTOR_TIME))
    done = (free >> 8) + get(own, w.DRAM_TIME)
    put(found, w.HELD_FILL, done)
    return done
