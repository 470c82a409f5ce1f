"""The cache observer's memories: a line asked for at L1 goes on to the coalescer of its GPC, to L2 and to DRAM.

L1: per SM, lines of four sectors, set-associative, the oldest use goes first; a store takes a line, too, and goes on to
L2. A sector whose answer is under way counts as a hit, and is waited for. The coalescer lets up to MERGE_MOST SMs of a
GPC share one read if they ask for the same sectors of a line before it is sent. L2: one for all, written back; a miss
fetches 64 bytes. Every function takes the time of asking and returns that of the answer, in quarter cycles.
"""

from __future__ import annotations

from tilewright.emulate.compiled import inner
from tilewright.emulate.memory_vectors import count_lanes, load_s32, load_u8, store_8, store_32
from tilewright.emulate.observers.caches import words as w
from tilewright.emulate.tables import get, increase, put

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
        store_8(found, load_u8(found) | sectors)
        return at
    has = load_u8(found)
    hits, misses = sectors & has, sectors & ~has
    store_8(found, has | sectors)
    filled = found - get(own, w.L1_SECTORS)
    if hits:
        increase(own, w.COUNT_L1_HITS, count_lanes(hits))
    done = at + get(own, w.L1_TIME)
    fills = get(own, w.L1_FILLS) + 8 * filled
    if misses:
        increase(own, w.COUNT_L1_MISSES, count_lanes(misses))
        put(fills, 0, _fetch(own, sm, line, misses, at))
    return max(done, get(fills, 0))


@inner
def _find_in_l1(own: int, sm: int, line: int) -> int:
    """Return where the sectors of a line are noted in the SM's L1, in place of the oldest one when it was not there."""
    ways, sets = get(own, w.L1_WAYS), get(own, w.L1_SETS)
    reciprocal = get(own, w.L1_RECIPROCAL)
    round_trips = line * reciprocal >> w.RECIPROCAL_SHIFT
    # Neighbors go to neighboring sets; each round of all sets begins elsewhere, so that powers of two spread.
    skewed = line + SKEW * round_trips
    set_number = skewed - (skewed * reciprocal >> w.RECIPROCAL_SHIFT) * sets
    first = (sm * sets + set_number) * ways
    tags, used = get(own, w.L1_TAGS), get(own, w.L1_USED)
    increase(own, w.CLOCK, 1)
    clock = get(own, w.CLOCK)
    oldest = first
    for way in range(first, first + ways):
        if load_s32(tags + 4 * way) == line:
            put(used, way, clock)
            return get(own, w.L1_SECTORS) + way
        if get(used, way) < get(used, oldest):
            oldest = way
    store_32(tags + 4 * oldest, line)
    put(used, oldest, clock)
    put(get(own, w.L1_FILLS), oldest, 0)
    store_8(get(own, w.L1_SECTORS) + oldest, 0)
    return get(own, w.L1_SECTORS) + oldest


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
    first = (((line * HASH) & 0xFFFFFFFF) * sets >> 32) * ways
    tags, used = get(own, w.L2_TAGS), get(own, w.L2_USED)
    increase(own, w.CLOCK, 1)
    clock = get(own, w.CLOCK)
    found, oldest = -1, first
    for way in range(first, first + ways):
        if load_s32(tags + 4 * way) == line:
            found = way
            break
        if get(used, way) < get(used, oldest):
            oldest = way
    valid = get(own, w.L2_SECTORS)
    if found < 0:
        found = oldest
        increase(own, w.COUNT_DRAM_WRITES, count_lanes(load_u8(valid + found) >> 4))
        store_32(tags + 4 * found, line)
        store_8(valid + found, 0)
    put(used, found, clock)
    has = load_u8(valid + found)
    if kind == w.LOAD:
        increase(own, w.COUNT_L2_READS, count_lanes(sectors))
    if kind == w.STORE:
        increase(own, w.COUNT_L2_WRITES, count_lanes(sectors))
        store_8(valid + found, has | sectors | sectors << 4)
        return 0
    misses = sectors & ~has
    done = at + get(own, w.L2_TIME)
    fills = get(own, w.L2_FILLS) + 8 * found
    if misses == 0:
        return max(done, get(fills, 0))
    # A fetch brings pairs of sectors, 64 bytes.
    pairs = (misses | (misses & 5) << 1 | (misses & 10) >> 1) & ~has
    increase(own, w.COUNT_DRAM_READS, count_lanes(pairs))
    store_8(valid + found, has | pairs | (sectors << 4 if kind == w.ATOMIC else 0))
    free = max(get(own, w.DRAM_FREE_AT), at << 8)
    put(own, w.DRAM_FREE_AT, free + count_lanes(pairs) * get(own, w.DRAM_SECTOR_TIME))
    done = (free >> 8) + get(own, w.DRAM_TIME)
    put(fills, 0, done)
    return done
