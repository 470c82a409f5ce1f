"""The compiled part of observer.py: wavefronts of every access to shared memory, pattern by pattern.

Each instruction remembers the patterns of its accesses: which lanes, and how far their addresses lie from the first
one's. Wavefronts depend on nothing else, so an access whose pattern is known only adds to its count.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import ObservedUnit, inner, of_words
from tilewright.emulate.execute import events as ev
from tilewright.emulate.memory_vectors import lowest_lane
from tilewright.emulate.tables import get, increase, put

PATTERNS = 16
"""Patterns that are kept per instruction: the first ones, and the one with most conflicts; of the others the sums."""
SCATTERED = 64
"""After so many accesses without a known pattern, patterns are no longer compared."""
(COUNT, LAST, OTHER_TIMES, OTHER_WAVEFRONTS, OTHER_IDEAL, IS_LOAD, NBYTES) = range(7)
HEADER_WORDS = 8
(LANES, TIMES, WAVEFRONTS, IDEAL, START, BLOCK, WARP) = range(7)
OFFSETS = 8
PATTERN_WORDS = OFFSETS + 16  # 32 offsets of 32 bits
RECORD_WORDS = HEADER_WORDS + PATTERNS * PATTERN_WORDS
RECORDS, SCRATCH = 0, 8  # of `own`: the table of records by instruction, and a count per bank
OWN_WORDS = SCRATCH + 32
HALVES, QUARTERS = 16, 8  # lanes
ROW_BYTES = 128  # of all banks together


def _addresses(b: Builder, slot: Value) -> Value:
    return b.load(v.address(b, slot), typ=v.vector(v.i64), align=64)


def _offsets(b: Builder, slot: Value, start: Value) -> Value:
    return b.trunc(b.sub(_addresses(b, slot), v.splat(b, start)), v.vector(v.i32))


@of_words
def _has_pattern(b: Builder, slot: Value, start: Value, lanes: Value, pattern: Value) -> Value:
    """Say whether all `lanes` lie as far from `start` as the pattern's offsets say."""
    known = b.load(v.address(b, pattern, 8 * OFFSETS), typ=v.vector(v.i32), align=8)
    same = b.zext(v.to_mask(b, b.icmp_unsigned("==", _offsets(b, slot, start), known)), v.i64)
    return b.zext(b.icmp_unsigned("==", b.and_(same, lanes), lanes), v.i64)


@of_words
def _keep_offsets(b: Builder, slot: Value, start: Value, pattern: Value) -> None:
    """Write the distances of 32 addresses from `start` to a pattern."""
    b.store(_offsets(b, slot, start), v.address(b, pattern, 8 * OFFSETS), align=8)


@of_words
def _lanes_at(b: Builder, slot: Value, shift: Value, key: Value) -> Value:
    """Return the lanes whose address, shifted right, is `key`."""
    keys = b.lshr(_addresses(b, slot), v.splat(b, shift))
    return b.zext(v.to_mask(b, b.icmp_unsigned("==", keys, v.splat(b, key))), v.i64)


def _lanes_like_neighbor(step: int) -> Any:
    @of_words
    def lanes_like_neighbor(b: Builder, slot: Value) -> Value:
        addresses = _addresses(b, slot)
        order = ir.Constant(v.vector(v.i32), [lane ^ step for lane in range(v.LANES)])
        others = b.shuffle_vector(addresses, addresses, order)
        return b.zext(v.to_mask(b, b.icmp_unsigned("==", addresses, others)), v.i64)

    return lanes_like_neighbor


_lanes_like_next = _lanes_like_neighbor(1)
_lanes_like_second = _lanes_like_neighbor(2)


@inner
def _neighbors_agree(slot: int, lanes: int) -> bool:
    """Say whether two parts of a load are served together (rule.py)."""
    beside = ((lanes & 0x55555555) << 1) | ((lanes >> 1) & 0x55555555)
    further = ((lanes & 0x33333333) << 2) | ((lanes >> 2) & 0x33333333)
    return lanes & beside & ~_lanes_like_next(slot) == 0 or lanes & further & ~_lanes_like_second(slot) == 0


@inner
def _part_wavefronts(slot: int, lanes: int, nbytes: int, counts: int) -> int:
    """Return the most words that a part needs of one bank; `counts`: a word per bank."""
    shift = 2 if nbytes <= 4 else 3 if nbytes == 8 else 4
    mask = (ROW_BYTES >> shift) - 1
    for bank in range(mask + 1):
        put(counts, bank, 0)
    most = 0
    while lanes:
        key = get(slot, lowest_lane(lanes)) >> shift
        lanes &= ~_lanes_at(slot, shift, key)
        increase(counts, key & mask, 1)
        most = max(most, get(counts, key & mask))
    return most


@inner
def _is_known(record: int, slot: int, start: int, lanes: int) -> bool:
    """Add to the pattern of an access if one of the record's is it."""
    for index in range(get(record, COUNT)):
        pattern = record + 8 * (HEADER_WORDS + PATTERN_WORDS * index)
        if get(pattern, LANES) == lanes and _has_pattern(slot, start, lanes, pattern):
            increase(pattern, TIMES, 1)
            put(record, LAST, pattern)
            return True
    return False


@inner
def _add_to_others(record: int, times: int, wavefronts: int, ideal: int) -> None:
    """Count accesses whose pattern is not kept; wavefronts and ideal: of each."""
    increase(record, OTHER_TIMES, times)
    increase(record, OTHER_WAVEFRONTS, times * wavefronts)
    increase(record, OTHER_IDEAL, times * ideal)


@inner
def _add_pattern(own: int, record: int, event: int, start: int) -> None:
    slot, lanes, nbytes = event + 8 * ev.ADDRESSES, get(event, ev.LANES), get(event, ev.NBYTES)
    narrow = 32 if nbytes <= 4 else HALVES if nbytes == 8 else QUARTERS
    size = narrow
    if narrow < 32 and get(record, IS_LOAD) and _neighbors_agree(slot, lanes):
        size = 2 * narrow
    wavefronts, parts = 0, 0
    for first in range(0, 32, narrow):
        if lanes & (((1 << narrow) - 1) << first):
            parts += 1
        if first % size == 0:
            wavefronts += _part_wavefronts(slot, lanes & (((1 << size) - 1) << first), nbytes, own + 8 * SCRATCH)
    ideal = min(parts, wavefronts)
    count = min(get(record, COUNT), PATTERNS - 1)
    pattern = record + 8 * (HEADER_WORDS + PATTERN_WORDS * count)
    if get(record, COUNT) == PATTERNS:
        if wavefronts - ideal <= get(pattern, WAVEFRONTS) - get(pattern, IDEAL):
            _add_to_others(record, 1, wavefronts, ideal)
            return
        # The worst pattern is reported, so it always takes the last place.
        _add_to_others(record, get(pattern, TIMES), get(pattern, WAVEFRONTS), get(pattern, IDEAL))
    put(record, COUNT, count + 1)
    put(record, LAST, pattern)
    put(record, NBYTES, nbytes)
    put(pattern, LANES, lanes)
    put(pattern, TIMES, 1)
    put(pattern, WAVEFRONTS, wavefronts)
    put(pattern, IDEAL, ideal)
    put(pattern, START, start)
    put(pattern, BLOCK, get(event, ev.BLOCK))
    put(pattern, WARP, get(event, ev.WARP_IN_BLOCK))
    _keep_offsets(slot, start, pattern)


@ObservedUnit
def observe_banks(state: int, own: int, event: int) -> int:
    """Count an access to shared memory by its pattern, unless it takes another way there (wgmma, copies in bulk)."""
    record = get(get(own, RECORDS), get(event, ev.PC))
    if record == 0:
        return 0
    slot, lanes = event + 8 * ev.ADDRESSES, get(event, ev.LANES)
    start = get(slot, lowest_lane(lanes)) & ~3
    last = get(record, LAST)
    if last and get(last, LANES) == lanes and _has_pattern(slot, start, lanes, last):
        increase(last, TIMES, 1)
        return 0
    put(record, IS_LOAD, 1 if get(event, ev.KIND) == ev.LOAD else 0)
    # Where addresses follow from data, hardly any pattern comes twice.
    if get(record, OTHER_TIMES) > SCATTERED or not _is_known(record, slot, start, lanes):
        _add_pattern(own, record, event, start)
    return 0
